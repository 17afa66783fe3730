/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The one variable of the kit that is written: BLAS is one library for the process, whoever calls it.
 */
#include <divan/kit/blas.h>

#include <pthread.h>

static pthread_mutex_t blas_mutex = PTHREAD_MUTEX_INITIALIZER;

void dv_blas_enter(void)
{
    pthread_mutex_lock(&blas_mutex);
}

void dv_blas_leave(void)
{
    pthread_mutex_unlock(&blas_mutex);
}
