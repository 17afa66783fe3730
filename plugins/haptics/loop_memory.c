/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory that the loop uses: locked and touched before it begins, so that no tick waits for a page.
 */
#include "session_private.h"

#include <string.h>
#include <sys/mman.h>

enum { STACK_TOUCHED = 64 << 10 };

typedef int (*Act)(const void *memory, size_t bytes);

/* How many pieces it was refused for. */
static unsigned act_on_snapshot(Act act, const DvSnapshot *snapshot, size_t bytes)
{
    unsigned refused = act(snapshot, sizeof *snapshot) != 0;
    for (int i = 0; i < 3; i++)
        refused += act(snapshot->blocks[i], bytes) != 0;
    return refused;
}

static unsigned act_on_user(Act act, const HapticUser *user)
{
    unsigned refused = act(user->self, dv_object_class(user->object)->instance_size) != 0;
    if (user->block_bytes > 0) {
        refused += act(user->newest, user->block_bytes) != 0;
        refused += act_on_snapshot(act, user->shared, sizeof(double) + user->block_bytes);
    }
    return refused;
}

static unsigned act_on_all(Act act, const Haptics *h)
{
    unsigned refused = act(h, sizeof *h) != 0;
    for (uint32_t i = 0; i < h->port_count; i++) {
        const HapticPort *port = h->ports[i];
        if (!port->by_clock)
            continue;
        refused += act(port, sizeof *port) != 0;
        refused += act_on_snapshot(act, port->settings, sizeof(PortSetting));
        refused += act_on_snapshot(act, port->reports, sizeof(PortReport));
        for (uint32_t u = 0; u < port->user_count; u++)
            refused += act_on_user(act, port->users[u]);
    }
    if (h->records)
        refused += act(h->records->messages, h->records->capacity * h->records->message_bytes) != 0;
    return refused;
}

void haptics_memory_lock(Haptics *h)
{
    if (act_on_all(mlock, h) == 0 || h->told_of_memory)
        return;
    h->told_of_memory = true;
    dv_remark(
        h->ports[0]->device,
        "the memory of the ticks is not locked, so that one may wait for a page: mlock is refused; `ulimit -l 8192`, or "
        "memlock in /etc/security/limits.conf, allows it");
}

void haptics_memory_unlock(const Haptics *h)
{
    (void)act_on_all(munlock, h);
}

void haptics_stack_touch(void)
{
    volatile char stack[STACK_TOUCHED];
    for (size_t i = 0; i < sizeof stack; i += 4096 / 2)
        stack[i] = 0;
    (void)mlock((const void *)(uintptr_t)stack, sizeof stack);
    (void)stack[0];
}
