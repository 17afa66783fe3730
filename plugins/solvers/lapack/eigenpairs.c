/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Eigenvalues of large systems: the implicitly restarted Lanczos method of ARPACK in its shifted and inverted mode (Lehoucq, Sorensen and Yang,
 * ARPACK Users' Guide, 1998). Its routines keep their state in variables of the process, so that calls take turns.
 */
#include "eigenpairs.h"

#include <divan/kit/blas.h>
#include <divan/memory.h>

#include <arpack/arpack.h>
#include <pthread.h>
#include <string.h>

enum { RESTARTS = 1000, SHIFT_AND_INVERT = 3 };

static pthread_mutex_t arpack_mutex = PTHREAD_MUTEX_INITIALIZER;

typedef struct Iteration {
    int n, count, basis, work_size;
    double *residual, *vectors, *at, *work; /* [n], [basis x n], [4 n], [work_size] */
    int *select;                            /* [basis] */
    int parameters[11], places[14], info;
} Iteration;

static bool make(Iteration *it)
{
    const size_t n = (size_t)it->n, basis = (size_t)it->basis;
    it->residual = dv_try_alloc(n, sizeof(double));
    it->vectors = dv_try_alloc(n * basis, sizeof(double));
    it->at = dv_try_alloc(4 * n, sizeof(double));
    it->work = dv_try_alloc((size_t)it->work_size, sizeof(double));
    it->select = dv_try_alloc(basis, sizeof(int));
    return it->residual && it->vectors && it->at && it->work && it->select;
}

static void end(Iteration *it)
{
    dv_free(it->residual);
    dv_free(it->vectors);
    dv_free(it->at);
    dv_free(it->work);
    dv_free(it->select);
}

/* Until ARPACK asks for nothing more. */
static DvStatus iterate(Iteration *it, const DvEigenProblem *problem)
{
    int ask = 0;
    for (;;) {
        dv_blas_enter();
        dsaupd_c(&ask, "G", it->n, "LM", it->count, 0.0, it->residual, it->basis, it->vectors, it->n, it->parameters,
                 it->places, it->at, it->work, it->work_size, &it->info);
        dv_blas_leave();
        double *x = it->at + it->places[0] - 1, *y = it->at + it->places[1] - 1;
        DvStatus status = DV_OK;
        if (ask == -1) { /* y = (K - shift M)^-1 M x; places has none for M x yet */
            double *product = it->at + 3 * (size_t)it->n;
            status = problem->multiply(problem->user, product, x);
            if (status == DV_OK)
                status = problem->solve(problem->user, y, product);
        } else if (ask == 1) { /* M x is there already */
            status = problem->solve(problem->user, y, it->at + it->places[2] - 1);
        } else if (ask == 2) {
            status = problem->multiply(problem->user, y, x);
        } else {
            return DV_OK;
        }
        if (status != DV_OK)
            return status;
    }
}

static DvStatus extract(Iteration *it, const DvEigenProblem *problem, double *values, double *vectors, DvText *why)
{
    if (it->info < 0) {
        dv_text_add(why, "ARPACK ends with the error %d", it->info);
        return DV_ERROR_INVALID;
    }
    if (it->info == 1 || it->parameters[4] < it->count) {
        dv_text_add(why, "%d of %d eigenvalues have been found in %d restarts", it->parameters[4], it->count, RESTARTS);
        return DV_ERROR_NOT_CONVERGED;
    }
    dv_blas_enter();
    dseupd_c(1, "A", it->select, values, vectors, it->n, problem->shift, "G", it->n, "LM", it->count, 0.0, it->residual,
             it->basis, it->vectors, it->n, it->parameters, it->places, it->at, it->work, it->work_size, &it->info);
    dv_blas_leave();
    if (it->info == 0)
        return DV_OK;
    dv_text_add(why, "ARPACK ends with the error %d", it->info);
    return DV_ERROR_INVALID;
}

static void sort(size_t n, uint32_t count, double *values, double *vectors)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t j = i; j > 0 && values[j] < values[j - 1]; j--) {
            const double value = values[j];
            values[j] = values[j - 1];
            values[j - 1] = value;
            for (size_t k = 0; k < n; k++) {
                const double entry = vectors[k + n * j];
                vectors[k + n * j] = vectors[k + n * (j - 1)];
                vectors[k + n * (j - 1)] = entry;
            }
        }
}

static DvStatus nearest(const DvEigenProblem *problem, const double *start, uint32_t count, double *values,
                        double *vectors, DvText *why)
{
    enum { MOST = 10000 };
    if (count == 0 || count > MOST || problem->n > INT32_MAX / 4 || count + 2 > problem->n) {
        dv_text_add(why, "%u eigenvalues of %zu unknowns cannot be asked for", count, problem->n);
        return DV_ERROR_INVALID;
    }
    Iteration it = {.n = (int)problem->n, .count = (int)count};
    const uint32_t wanted = 2 * count + 20;
    it.basis = wanted < problem->n ? (int)wanted : it.n;
    it.work_size = it.basis * (it.basis + 8);
    it.parameters[0] = 1; /* exact shifts */
    it.parameters[2] = RESTARTS;
    it.parameters[6] = SHIFT_AND_INVERT;
    it.info = 1; /* the residual is given */
    DvStatus status = DV_ERROR_LIMIT;
    if (make(&it)) {
        memcpy(it.residual, start, problem->n * sizeof *start);
        pthread_mutex_lock(&arpack_mutex);
        status = iterate(&it, problem);
        if (status == DV_OK)
            status = extract(&it, problem, values, vectors, why);
        pthread_mutex_unlock(&arpack_mutex);
    } else {
        dv_text_add(why, "there is no room in memory for %d vectors of %d numbers", it.basis, it.n);
    }
    end(&it);
    if (status == DV_OK)
        sort(problem->n, count, values, vectors);
    return status;
}

const DvEigenpairsOps eigenpairs = {.size = sizeof(DvEigenpairsOps), .nearest = nearest};
