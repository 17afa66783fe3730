/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "periods.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include <time.h>

static const double least = 1e-6, ratio = 1.01;

void periods_clear(Periods *periods)
{
    memset(periods, 0, sizeof *periods);
}

void periods_add(Periods *periods, double seconds)
{
    const double place = seconds > least ? log(seconds / least) / log(ratio) : 0.0;
    uint32_t *count = &periods->counts[place < PERIOD_CLASSES - 1 ? (int)place : PERIOD_CLASSES - 1];
    __atomic_store_n(count, *count + 1, __ATOMIC_RELAXED);
    if (seconds > periods->longest)
        __atomic_store(&periods->longest, &seconds, __ATOMIC_RELAXED);
}

void periods_look(const Periods *periods, double out[4])
{
    static const double shares[3] = {0.5, 0.99, 0.999};
    uint64_t all = 0, below = 0;
    int next = 0;
    memset(out, 0, 4 * sizeof *out);
    for (int i = 0; i < PERIOD_CLASSES; i++)
        all += __atomic_load_n(&periods->counts[i], __ATOMIC_RELAXED);
    for (int i = 0; i < PERIOD_CLASSES && all > 0; i++) {
        below += __atomic_load_n(&periods->counts[i], __ATOMIC_RELAXED);
        while (next < 3 && (double)below >= shares[next] * (double)all)
            out[next++] = least * pow(ratio, i + 0.5);
    }
    __atomic_load(&periods->longest, &out[3], __ATOMIC_RELAXED);
    for (int i = 0; i < 3; i++)
        out[i] = fmin(out[i], out[3]); /* of the class of the longest */
}

static double monotonic(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *wait_only(void *self)
{
    BareThread *bare = self;
    double due = monotonic(), last = due;
    while (!__atomic_load_n(&bare->quit, __ATOMIC_ACQUIRE)) {
        due += bare->each;
        const struct timespec until = {.tv_sec = (time_t)due, .tv_nsec = (long)(1e9 * (due - floor(due)))};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
            continue;
        const double now = monotonic();
        periods_add(&bare->periods, now - last);
        due = fmax(due, now - bare->each); /* what is late is skipped */
        last = now;
    }
    return NULL;
}

void bare_thread_start(BareThread *bare, double each)
{
    const struct sched_param priority = {.sched_priority = 50};
    if (bare->runs)
        return;
    bare->each = each;
    bare->quit = false;
    bare->runs = pthread_create(&bare->thread, NULL, wait_only, bare) == 0;
    if (bare->runs)
        (void)pthread_setschedparam(bare->thread, SCHED_FIFO, &priority);
}

void bare_thread_stop(BareThread *bare)
{
    if (!bare->runs)
        return;
    __atomic_store_n(&bare->quit, true, __ATOMIC_RELEASE);
    (void)pthread_join(bare->thread, NULL);
    bare->runs = false;
}
