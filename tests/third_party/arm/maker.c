/* SPDX-License-Identifier: MIT */
#include "maker.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

static pthread_t thread;
static int open_now, quit; /* quit: atomic */
static MakerCallback call;
static void *with;

static void *loop(void *unused)
{
    (void)unused;
    for (unsigned i = 0; !__atomic_load_n(&quit, __ATOMIC_SEQ_CST); i++) {
        const double at[3] = {20 * cos(0.01 * i), 20 * sin(0.01 * i), 0}, turn[4] = {0, 0, 0, 1};
        double force[3] = {0, 0, 0};
        call(with, at, turn, i / 500 % 2, force);
        const struct timespec millisecond = {0, 1000000};
        nanosleep(&millisecond, NULL);
    }
    return NULL;
}

int maker_open(MakerCallback callback, void *context)
{
    maker_close();
    call = callback;
    with = context;
    quit = 0;
    open_now = pthread_create(&thread, NULL, loop, NULL) == 0;
    return open_now ? 0 : -1;
}

void maker_close(void)
{
    if (!open_now)
        return;
    __atomic_store_n(&quit, 1, __ATOMIC_SEQ_CST);
    pthread_join(thread, NULL);
    open_now = 0;
}
