/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a second busy thread is worth on this machine, now: the same sums by one thread, then by two at once. Two threads of a
 * simulation cannot gain more than these two. Virtual machines and hyperthreads often give less than 2.
 *
 *   bench-two_threads
 *
 * Prints the ratio of the throughputs, the best of many runs, for data of each level of the memory.
 */
#include <divan/memory.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

typedef struct Work {
    const double *at;
    size_t count, rounds;
    double sum;
} Work;

static double microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static void *add(void *work_)
{
    Work *work = work_;
    double sum[4] = {0};
    for (size_t round = 0; round < work->rounds; round++)
        for (size_t i = 0; i < work->count; i += 4)
            for (size_t lane = 0; lane < 4; lane++)
                sum[lane] += work->at[i + lane];
    work->sum = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    return NULL;
}

int main(void)
{
    static const size_t kibibytes[] = {16, 512, 16384};
    for (size_t k = 0; k < sizeof kibibytes / sizeof *kibibytes; k++) {
        Work works[2];
        for (size_t i = 0; i < 2; i++) {
            const size_t count = kibibytes[k] * 1024 / sizeof(double);
            works[i] = (Work){.at = dv_alloc(count, sizeof(double)), .count = count, .rounds = 20000000 / count};
        }
        double alone = INFINITY, together = INFINITY;
        for (int run = 0; run < 40; run++) {
            const double start = microseconds();
            add(&works[0]);
            const double middle = microseconds();
            pthread_t second;
            if (pthread_create(&second, NULL, add, &works[1]) != 0)
                return 1;
            add(&works[0]);
            pthread_join(second, NULL);
            alone = fmin(alone, middle - start);
            together = fmin(together, microseconds() - middle);
        }
        printf("%6zu KiB each: %.2f times the throughput of one thread\n", kibibytes[k], 2.0 * alone / together);
        for (size_t i = 0; i < 2; i++)
            dv_free((double *)(uintptr_t)works[i].at);
    }
    return 0;
}
