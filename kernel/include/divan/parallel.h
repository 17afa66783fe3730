/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The task pool: one for the process, shared by all plugins.
 *
 * A loop over n items is cut into chunks that depend on n and grain alone, never on the number of threads, and partial
 * sums are added in the order of the chunks. So every result is bit-for-bit the same for 1, 2 or 64 threads.
 */
#ifndef DIVAN_PARALLEL_H
#define DIVAN_PARALLEL_H

#include <divan/base.h>

DV_BEGIN_DECLS

DV_PUBLIC void dv_parallel_set_threads(unsigned threads); /* [main] 0: one per core; 1 at start */
DV_PUBLIC unsigned dv_parallel_threads(void);             /* [any] */
/* Divides the grain of every loop, so that tests with small scenes have several chunks; 1 at start.     [main] */
DV_PUBLIC void dv_parallel_set_grain_divisor(uint32_t divisor);

/* fn(context, begin, end) for chunks of `grain` items. Chunks must not write what others read. Nested calls run in
 * place. */
DV_PUBLIC void dv_parallel_for(uint32_t n, uint32_t grain, void (*fn)(void *context, uint32_t begin, uint32_t end),
                               void *context);
/* The sum of what fn returns, chunk by chunk in order. */
DV_PUBLIC double dv_parallel_sum(uint32_t n, uint32_t grain, double (*fn)(void *context, uint32_t begin, uint32_t end),
                                 void *context);

/* A piece of work beside the caller's, which goes on: done by a thread of the pool, or in dv_job_wait where none has begun it, as with one
 * thread. What it computes is the same bits either way if nobody writes what it reads meanwhile. Loops inside it run in
 * place, loops beside it are not held up; its scratch memory is given back at its end. It writes no fields and reports nothing: what
 * went wrong is told after the wait. The struct, all zero before its first start, stays where it is until the wait is over; whoever
 * started a job waits for it before what it uses goes, as in the class's `destroy`. Nothing is allocated. */
typedef struct DvJob {
    void (*fn)(void *context);
    void *context;
    void *slot;     /* the kernel's, as is what follows */
    uint32_t state; /* 0: none under way */
} DvJob;

/* A job that is under way is waited for first.     [any] one thread at a time for a job */
DV_PUBLIC void dv_job_start(DvJob *job, void (*fn)(void *context), void *context);
/* Returns once it is done, and what it wrote can be read; at once where none was started. Several may wait for one.     [any] */
DV_PUBLIC void dv_job_wait(DvJob *job);

DV_END_DECLS
#endif
