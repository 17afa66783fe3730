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

DV_END_DECLS
#endif
