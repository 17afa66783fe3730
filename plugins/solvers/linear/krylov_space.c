/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Krylov vectors as state vectors or flat arrays. Sums over flat arrays run in chunks, each in 8 partial sums: the same bits
 * with any number of threads and on any machine.
 */
#include "linear/krylov_space.h"

#include "linear/block_product.h"

#include <divan/memory.h>
#include <divan/parallel.h>
#include <divan/plugin.h>

#include <string.h>

enum { GRAIN = 8192, LANES = 8 };

typedef struct Operands {
    double *r;
    const double *a, *b;
    double k;
} Operands;

__attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4"))) static void combine_chunk(void *context,
                                                                                                        uint32_t begin,
                                                                                                        uint32_t end)
{
    const Operands *o = context;
    double *r = o->r;
    const double *a = o->a, *b = o->b;
    const double k = o->k;
    for (uint32_t i = begin; i < end; i++)
        r[i] = a[i] + k * b[i];
}

__attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4"))) static double dot_chunk(void *context,
                                                                                                      uint32_t begin,
                                                                                                      uint32_t end)
{
    const Operands *o = context;
    double partial[LANES] = {0};
    uint32_t i = begin;
    for (; i + LANES <= end; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            partial[lane] += o->a[i + (uint32_t)lane] * o->b[i + (uint32_t)lane];
    for (int lane = 0; i < end; i++, lane++)
        partial[lane] += o->a[i] * o->b[i];
    return ((partial[0] + partial[4]) + (partial[2] + partial[6])) +
           ((partial[1] + partial[5]) + (partial[3] + partial[7]));
}

void dv_krylov_set(DvKrylovSpace *space, DvMechanics *m, const DvStep *step, DvFactors factors,
                   const DvBlockMatrix *matrix)
{
    if (space->ops == NULL)
        space->ops = dv_service(DV_MECHANICAL_OPERATIONS);
    if (space->m != m)
        memset(space->ids, 0, sizeof space->ids); /* those of another mechanics are its own */
    space->m = m;
    space->step = *step;
    space->factors = factors;
    space->matrix = matrix;
    space->n = space->ops->unknowns(m);
}

static void reserve_flat(DvKrylovSpace *space)
{
    if (space->n + 1 <= space->capacity)
        return;
    dv_krylov_free(space);
    space->capacity = space->n + 1;
    for (int i = 0; i < DV_KRYLOV_COUNT; i++)
        space->flat[i] = dv_alloc(space->capacity, sizeof *space->flat[i]);
}

void dv_krylov_free(DvKrylovSpace *space)
{
    for (int i = 0; i < DV_KRYLOV_COUNT; i++) {
        dv_free(space->flat[i]);
        space->flat[i] = NULL;
    }
    space->capacity = 0;
}

void dv_krylov_begin(DvKrylovSpace *space, DvVecId x, DvVecId b, bool guess)
{
    space->ids[DV_KRYLOV_X] = x;
    space->ids[DV_KRYLOV_B] = b;
    if (space->matrix != NULL) {
        reserve_flat(space);
        space->ops->gather(space->m, space->flat[DV_KRYLOV_B], b);
        if (guess)
            space->ops->gather(space->m, space->flat[DV_KRYLOV_X], x);
    } else {
        for (int i = DV_KRYLOV_R; i < DV_KRYLOV_COUNT; i++)
            if (space->ids[i] == DV_NO_VEC)
                space->ids[i] = space->ops->allocate(space->m, DV_DERIVS);
    }
    if (!guess)
        dv_krylov_clear(space, DV_KRYLOV_X);
}

void dv_krylov_end(DvKrylovSpace *space)
{
    if (space->matrix != NULL)
        space->ops->scatter(space->m, space->ids[DV_KRYLOV_X], space->flat[DV_KRYLOV_X]);
}

void dv_krylov_clear(DvKrylovSpace *space, int r)
{
    if (space->matrix != NULL)
        memset(space->flat[r], 0, space->n * sizeof *space->flat[r]);
    else
        space->ops->clear(space->m, space->ids[r]);
}

void dv_krylov_copy(DvKrylovSpace *space, int r, int a)
{
    if (space->matrix != NULL)
        memcpy(space->flat[r], space->flat[a], space->n * sizeof *space->flat[r]);
    else
        space->ops->combine(space->m, space->ids[r], space->ids[a], DV_NO_VEC, 0.0);
}

void dv_krylov_combine(DvKrylovSpace *space, int r, int a, int b, double k)
{
    if (space->matrix != NULL) {
        Operands operands = {space->flat[r], space->flat[a], space->flat[b], k};
        dv_parallel_for((uint32_t)space->n, GRAIN, combine_chunk, &operands);
    } else {
        space->ops->combine(space->m, space->ids[r], space->ids[a], space->ids[b], k);
    }
}

double dv_krylov_dot(DvKrylovSpace *space, int a, int b)
{
    if (space->matrix == NULL)
        return space->ops->dot(space->m, space->ids[a], space->ids[b]);
    Operands operands = {.a = space->flat[a], .b = space->flat[b]};
    return dv_parallel_sum((uint32_t)space->n, GRAIN, dot_chunk, &operands);
}

double dv_krylov_product(DvKrylovSpace *space, int q, int p)
{
    if (space->matrix != NULL)
        return dv_block_product(space->matrix, space->flat[p], space->flat[q]);
    const DvMechanicalOperationsOps *ops = space->ops;
    ops->clear(space->m, space->ids[q]);
    ops->add_mbk(space->m, &space->step, space->factors, space->ids[q], space->ids[p], DV_WALK_VISITOR);
    ops->project_response(space->m, &space->step, space->ids[q], DV_WALK_VISITOR);
    return ops->dot(space->m, space->ids[p], space->ids[q]);
}

DvStatus dv_krylov_precondition(DvKrylovSpace *space, const DvLinearSolverOps *ops, void *preconditioner, int z, int r)
{
    if (space->matrix == NULL) {
        reserve_flat(space);
        space->ops->gather(space->m, space->flat[r], space->ids[r]);
    }
    const DvStatus status = ops->solve_flat(preconditioner, space->flat[z], space->flat[r], space->n);
    if (space->matrix == NULL && status == DV_OK)
        space->ops->scatter(space->m, space->ids[z], space->flat[z]);
    return status;
}
