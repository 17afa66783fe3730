/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All modes of few unknowns: M v = w (K - shift M) v with w = 1 / (value - shift), so that unknowns without mass, and those that constraints
 * hold, are at w = 0.
 */
#include "modal/modal_problem.h"

#include <divan/contracts/dense.h>
#include <divan/divan.h>
#include <divan/log.h>
#include <divan/memory.h>

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct Matrices {
    size_t n;
    double *k, *m;    /* stiffness and mass, projected; 1 on the diagonal of k for what is held */
    double *a, *b;    /* what is given to the library */
    double *w, *work; /* [n], the library's */
    int *integers;    /* the library's */
} Matrices;

static bool make(Matrices *all, const DvDenseOps *dense)
{
    const DvDenseWork needed = dense->eigen_work((uint32_t)all->n);
    double **const squares[] = {&all->k, &all->m, &all->a, &all->b};
    bool good = true;
    for (size_t i = 0; i < sizeof squares / sizeof *squares; i++) {
        *squares[i] = dv_try_alloc(all->n * all->n, sizeof(double));
        good = good && *squares[i] != NULL;
    }
    all->w = dv_try_alloc(all->n, sizeof(double));
    all->work = dv_try_alloc(needed.numbers, sizeof(double));
    all->integers = dv_try_alloc(needed.integers, sizeof(int));
    return good && all->w && all->work && all->integers;
}

static void end(const Matrices *all)
{
    dv_free(all->k);
    dv_free(all->m);
    dv_free(all->a);
    dv_free(all->b);
    dv_free(all->w);
    dv_free(all->work);
    dv_free(all->integers);
}

/* Column by column. What is held gets the stiffness of the others' mean, and no mass. */
static void fill(const Matrices *all, const ModalProblem *problem)
{
    const size_t n = all->n;
    double *unit = all->w, *held = all->work, mean = 0.0;
    for (size_t j = 0; j < n; j++) {
        memset(unit, 0, n * sizeof *unit);
        unit[j] = 1.0;
        dv_modal_product(problem, (DvFactors){.k = -1.0}, all->k + n * j, unit);
        dv_modal_product(problem, (DvFactors){.m = 1.0}, all->m + n * j, unit);
        mean += fabs(all->k[j + n * j]) / (double)n;
    }
    for (size_t j = 0; j < n; j++) {
        memset(unit, 0, n * sizeof *unit);
        unit[j] = 1.0;
        dv_modal_project(problem, held, unit);
        for (size_t i = 0; i < n; i++)
            all->k[i + n * j] += mean * (unit[i] - held[i]);
    }
}

/* By lower triangles: of what is not quite symmetric, the symmetric part. */
static DvStatus find(const Matrices *all, const DvDenseOps *dense, double shift, uint32_t *failed)
{
    const size_t n = all->n;
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++) {
            const double k = (all->k[i + n * j] + all->k[j + n * i]) / 2,
                         m = (all->m[i + n * j] + all->m[j + n * i]) / 2;
            all->a[i + n * j] = all->a[j + n * i] = m;
            all->b[i + n * j] = all->b[j + n * i] = k - shift * m;
        }
    return dense->eigen((uint32_t)n, all->a, all->b, all->w, all->work, all->integers, failed);
}

static DvStatus pick(const Matrices *all, const ModalProblem *problem, uint32_t count, double *values, double *shapes)
{
    const size_t n = all->n;
    const double least = 4.0 * DBL_EPSILON * (double)n * all->w[n - 1];
    size_t there = 0;
    while (there < n && all->w[n - 1 - there] > least)
        there++;
    if (count > there)
        return dv_error(problem->owner, DV_ERROR_INVALID,
                        "there are %zu modes, not %u: so many unknowns may move and have mass", there, count);
    for (uint32_t k = 0; k < count; k++) {
        const double w = all->w[n - 1 - k], *from = all->a + n * (n - 1 - k);
        values[k] = problem->shift + 1.0 / w;
        for (size_t i = 0; i < n; i++)
            shapes[i + n * k] = from[i] / sqrt(w);
    }
    return DV_OK;
}

DvStatus dv_modal_dense(ModalProblem *problem, uint32_t count, double *values, double *shapes)
{
    enum { TRIES = 12 };
    const DvDenseOps *dense = dv_service(DV_DENSE);
    Matrices all = {.n = problem->n};
    DvStatus status = DV_ERROR_LIMIT;
    uint32_t failed = 0;
    if (make(&all, dense)) {
        fill(&all, problem);
        status = find(&all, dense, problem->shift, &failed);
        /* Some value lies below the shift. */
        for (int i = 0; i < TRIES && status == DV_ERROR_SINGULAR; i++) {
            problem->shift *= 8.0;
            status = find(&all, dense, problem->shift, &failed);
        }
        if (status == DV_OK)
            status = pick(&all, problem, count, values, shapes);
        else if (status == DV_ERROR_SINGULAR)
            status =
                dv_error(problem->owner, status,
                         "unknown %u has neither mass nor stiffness, so that its motion is not determined; give it a "
                         "mass or fix it",
                         failed);
        else
            status = dv_error(problem->owner, status, "its modes are not found: %s", dv_status_name(status));
    } else {
        status =
            dv_error(problem->owner, status, "there is no room in memory for the modes of %zu unknowns", problem->n);
    }
    end(&all);
    return status;
}
