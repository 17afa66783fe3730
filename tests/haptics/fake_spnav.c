/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fake_spnav.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static FakeSpnav state;

__attribute__((visibility("default"))) FakeSpnav *fake_spnav(void)
{
    return &state;
}

__attribute__((visibility("default"))) int spnav_open(void)
{
    if (!state.daemon || state.open || socketpair(AF_UNIX, SOCK_STREAM, 0, state.line) != 0)
        return -1;
    state.open = 1;
    return 0;
}

__attribute__((visibility("default"))) int spnav_close(void)
{
    if (!state.open)
        return -1;
    state.open = 0;
    (void)close(state.line[0]);
    if (state.line[1] >= 0)
        (void)close(state.line[1]);
    return 0;
}

__attribute__((visibility("default"))) int spnav_fd(void)
{
    return state.open ? state.line[0] : -1;
}

/* Events are words of the size that the library has. */
__attribute__((visibility("default"))) int spnav_poll_event(void *event)
{
    if (state.endless && state.taken == state.count)
        state.taken = 0;
    if (!state.open || state.taken == state.count)
        return 0;
    memcpy(event, state.events[state.taken], sizeof state.events[0]);
    return state.events[state.taken++][0];
}
