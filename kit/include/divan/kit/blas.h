/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One BLAS for all plugins that call one, themselves or through LAPACK, ARPACK or MUMPS. Which library stands behind libblas.so.3 is the
 * system's choice, and OpenBLAS for one thread (Debian's libopenblas0-serial) hands out its buffers without a lock: two calls at once give
 * wrong numbers. So calls come one after the other, whichever plugin makes them.
 */
#ifndef DIVAN_KIT_BLAS_H
#define DIVAN_KIT_BLAS_H

#include <divan/base.h>

DV_BEGIN_DECLS

/* Around each call of a function that may use BLAS; others wait. Not nested, and nothing of ours is called in between.     [any] */
DV_PUBLIC void dv_blas_enter(void);
DV_PUBLIC void dv_blas_leave(void);

/* OpenBLAS's own function; NULL where another library stands behind libblas.so.3. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));

/* BLAS computes in the thread that calls: the cores are those of the task pool. In the plugin's `start`. */
static inline void dv_blas_keep_to_one_thread(void)
{
    if (openblas_set_num_threads != NULL)
        openblas_set_num_threads(1);
}

DV_END_DECLS
#endif
