/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Krylov vectors as state vectors or flat arrays. Sums over flat arrays run in chunks, each in partial sums by place: the same
 * bits with any number of threads and on any machine.
 */
#include "krylov_rows.h"

#include <divan/kit/block_product.h>
#include <divan/kit/krylov.h>
#include <divan/math/simd.h>
#include <divan/memory.h>
#include <divan/parallel.h>
#include <divan/plugin.h>

#include <math.h>
#include <string.h>

enum { GRAIN = 4096 };

typedef struct Operands {
    double *r;
    const double *a, *b;
    double k;
} Operands;

typedef struct Step {
    double *r, *q;
    double alpha;
} Step;

typedef struct Turn {
    double *x, *p;
    const double *a;
    double alpha, beta;
} Turn;

DV_SIMD_CLONES static void combine_chunk(void *context, uint32_t begin, uint32_t end)
{
    const Operands *o = context;
    uint32_t i = begin;
    for (; i + DV_LANES <= end; i += DV_LANES)
        DV_REAL8_SET(o->r + i) = DV_REAL8(o->a + i) + o->k * DV_REAL8(o->b + i);
    for (; i < end; i++)
        o->r[i] = o->a[i] + o->k * o->b[i];
}

static void clear_chunk(void *context, uint32_t begin, uint32_t end)
{
    memset((double *)context + begin, 0, (end - begin) * sizeof(double));
}

static void copy_chunk(void *context, uint32_t begin, uint32_t end)
{
    const Operands *o = context;
    memcpy(o->r + begin, o->a + begin, (end - begin) * sizeof *o->r);
}

DV_SIMD_CLONES static double dot_chunk(void *context, uint32_t begin, uint32_t end)
{
    const Operands *o = context;
    DvReal8 sums = {0};
    uint32_t i = begin;
    for (; i + DV_LANES <= end; i += DV_LANES)
        sums += DV_REAL8(o->a + i) * DV_REAL8(o->b + i);
    for (int lane = 0; i < end; i++, lane++)
        sums[lane] += o->a[i] * o->b[i];
    return DV_REAL8_SUM(sums);
}

/* r -= alpha q; returns r . r. */
DV_SIMD_CLONES static double step_chunk(void *context, uint32_t begin, uint32_t end)
{
    const Step *o = context;
    const double alpha = o->alpha;
    DvReal8 sums = {0};
    uint32_t i = begin;
    for (; i + DV_LANES <= end; i += DV_LANES) {
        const DvReal8 r = DV_REAL8(o->r + i) - alpha * DV_REAL8(o->q + i);
        DV_REAL8_SET(o->r + i) = r;
        sums += r * r;
    }
    for (int lane = 0; i < end; i++, lane++) {
        o->r[i] -= alpha * o->q[i];
        sums[lane] += o->r[i] * o->r[i];
    }
    return DV_REAL8_SUM(sums);
}

/* The same, and q is zero then: it is at hand. */
static double step_and_clear_chunk(void *context, uint32_t begin, uint32_t end)
{
    const double sum = step_chunk(context, begin, end);
    clear_chunk(((const Step *)context)->q, begin, end);
    return sum;
}

/* x += alpha p, p = a + beta p. */
DV_SIMD_CLONES static void turn_chunk(void *context, uint32_t begin, uint32_t end)
{
    const Turn *o = context;
    const double alpha = o->alpha, beta = o->beta;
    uint32_t i = begin;
    for (; i + DV_LANES <= end; i += DV_LANES) {
        const DvReal8 p = DV_REAL8(o->p + i);
        DV_REAL8_SET(o->x + i) = DV_REAL8(o->x + i) + alpha * p;
        DV_REAL8_SET(o->p + i) = DV_REAL8(o->a + i) + beta * p;
    }
    for (; i < end; i++) {
        o->x[i] += alpha * o->p[i];
        o->p[i] = o->a[i] + beta * o->p[i];
    }
}

void dv_krylov_space_set(DvKrylovSpace *space, DvMechanics *m, const DvStep *step, DvFactors factors,
                         const DvBlockMatrix *matrix, uint32_t products)
{
    if (space->ops == NULL)
        space->ops = dv_service(DV_MECHANICAL_OPERATIONS);
    if (space->m != m)
        space->rounding = 0.0;
    space->m = m;
    space->step = *step;
    space->factors = factors;
    space->matrix = matrix;
    space->by_half = matrix != NULL && products >= DV_SYMMETRIC_FROM_PRODUCTS && dv_symmetric_set(&space->half, matrix);
    space->n = space->ops->unknowns(m);
}

static void free_flat(DvKrylovSpace *space)
{
    for (uint32_t i = 0; i < DV_KRYLOV_MOST; i++) {
        dv_free(space->flat[i]);
        space->flat[i] = NULL;
    }
    space->capacity = 0;
}

static void reserve_flat(DvKrylovSpace *space)
{
    if (space->n + 1 <= space->capacity)
        return;
    free_flat(space);
    space->capacity = space->n + 1;
    for (uint32_t i = 0; i < space->count; i++)
        space->flat[i] = dv_alloc(space->capacity, sizeof *space->flat[i]);
}

static void forget_states(DvKrylovSpace *space)
{
    for (uint32_t i = 0; i < space->known; i++)
        dv_state_release(&space->state[i]);
    space->states = space->known = 0;
}

void dv_krylov_space_free(DvKrylovSpace *space)
{
    free_flat(space);
    dv_symmetric_free(&space->half);
    forget_states(space);
    krylov_rows_free(space);
    dv_free(space->state);
    dv_free(space->vectors);
    dv_free(space->lengths);
    space->state = NULL;
    space->vectors = NULL;
    space->lengths = NULL;
    space->state_capacity = 0;
}

/* As the objects are now; they are held, so that an object at the same place is the same one. */
static void take_states(DvKrylovSpace *space, DvObject *const *object, uint32_t count)
{
    forget_states(space);
    if (count > space->state_capacity) {
        dv_free(space->state);
        dv_free(space->vectors);
        dv_free(space->lengths);
        space->state = dv_alloc(count, sizeof *space->state);
        space->vectors = dv_alloc((size_t)count * space->count, sizeof *space->vectors);
        space->lengths = dv_alloc(count, sizeof *space->lengths);
        space->state_capacity = count;
    }
    bool here = true;
    for (uint32_t i = 0; i < count; i++) {
        space->state[i] = dv_state_ref(dv_object_ref(object[i]));
        here = here && space->state[i].ops->spaces == DV_IN_HOST && !dv_state_storage(space->state[i]).space;
    }
    space->known = count;
    space->states = here ? count : 0;
}

/* The states, for what passes over several vectors of them at once. */
void krylov_find_states(DvKrylovSpace *space)
{
    const DvStepMark mark = dv_step_mark();
    const uint32_t known = space->known;
    DvObject **object = dv_step_alloc(known, sizeof *object);
    const uint32_t count = space->ops->states(space->m, DV_STATES_INDEPENDENT, object, known);
    bool same = count == known;
    for (uint32_t i = 0; i < known && same; i++)
        same = object[i] == space->state[i].object;
    if (count > known) {
        object = dv_step_alloc(count, sizeof *object);
        (void)space->ops->states(space->m, DV_STATES_INDEPENDENT, object, count);
    }
    if (!same)
        take_states(space, object, count);
    dv_step_release(mark);
}

void dv_krylov_reserve_states(DvKrylovSpace *space)
{
    if (!space->ops->scratch(space->m, DV_DERIVS, DV_SCRATCH_LINEAR, space->count - DV_KRYLOV_R,
                             space->ids + DV_KRYLOV_R))
        return;
    /* A product of zero, for the vectors of mapped states. */
    space->ops->add_mbk(space->m, &space->step, space->factors, space->ids[DV_KRYLOV_Q], space->ids[DV_KRYLOV_P],
                        DV_WALK_VISITOR);
    krylov_find_states(space);
}

/* Something is written to a vector. */
static void touch(DvKrylovSpace *space, int r)
{
    if (r == DV_KRYLOV_Q)
        space->q_is_clear = false;
}

/* X += alpha P of the last step, unless that has been done. */
static void catch_up(DvKrylovSpace *space)
{
    if (space->alpha != 0.0)
        dv_krylov_combine(space, DV_KRYLOV_X, DV_KRYLOV_X, DV_KRYLOV_P, space->alpha);
    space->alpha = 0.0;
}

/* Where the vectors of this solve are. */
void krylov_find_parts(DvKrylovSpace *space)
{
    space->alpha = 0.0;
    space->q_is_clear = false;
    if (space->matrix != NULL) {
        space->parts = 1;
        space->at = space->flat;
        space->length = &space->n;
        return;
    }
    space->parts = space->states;
    space->at = space->vectors;
    space->length = space->lengths;
    for (uint32_t i = 0; i < space->states; i++) {
        const DvStateRef s = space->state[i];
        double **at = space->vectors + (size_t)i * space->count;
        space->lengths[i] = (size_t)dv_state_count(s) * s.dof->deriv;
        for (uint32_t k = 0; k < space->count; k++) {
            at[k] = k == DV_KRYLOV_B ? (double *)(uintptr_t)s.ops->read(s.self, space->ids[k], DV_HOST)
                                     : s.ops->write(s.self, space->ids[k], DV_HOST, DV_READ_WRITE);
            if (at[k] == NULL)
                space->parts = 0;
        }
    }
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
        krylov_find_states(space);
    }
    krylov_find_parts(space);
    if (!guess)
        dv_krylov_clear(space, DV_KRYLOV_X);
}

void dv_krylov_end(DvKrylovSpace *space)
{
    catch_up(space);
    if (space->matrix != NULL)
        space->ops->scatter(space->m, space->ids[DV_KRYLOV_X], space->flat[DV_KRYLOV_X]);
}

void dv_krylov_begin_flat(DvKrylovSpace *space, const double *b)
{
    if (space->matrix != NULL) {
        reserve_flat(space);
        memcpy(space->flat[DV_KRYLOV_B], b, space->n * sizeof *b);
    } else {
        dv_krylov_reserve_states(space);
        krylov_find_states(space);
        (void)space->ops->scratch(space->m, DV_DERIVS, DV_SCRATCH_LINEAR + space->count - DV_KRYLOV_R, 2,
                                  space->ids + DV_KRYLOV_X);
        space->ops->scatter(space->m, space->ids[DV_KRYLOV_B], b);
    }
    krylov_find_parts(space);
    dv_krylov_clear(space, DV_KRYLOV_X);
}

void dv_krylov_end_flat(DvKrylovSpace *space, double *x)
{
    catch_up(space);
    if (space->matrix != NULL)
        memcpy(x, space->flat[DV_KRYLOV_X], space->n * sizeof *x);
    else
        space->ops->gather(space->m, x, space->ids[DV_KRYLOV_X]);
}

static Operands operands_of(const DvKrylovSpace *space, uint32_t part, int r, int a, int b, double k)
{
    double *const *at = space->at + (size_t)part * space->count;
    return (Operands){.r = at[r], .a = at[a], .b = at[b], .k = k};
}

void dv_krylov_clear(DvKrylovSpace *space, int r)
{
    if (space->parts == 0)
        space->ops->clear(space->m, space->ids[r]);
    for (uint32_t i = 0; i < space->parts; i++)
        dv_parallel_for((uint32_t)space->length[i], GRAIN, clear_chunk,
                        space->at[(size_t)i * space->count + (size_t)r]);
}

void dv_krylov_copy(DvKrylovSpace *space, int r, int a)
{
    touch(space, r);
    if (space->parts == 0)
        space->ops->combine(space->m, space->ids[r], space->ids[a], DV_NO_VEC, 0.0);
    for (uint32_t i = 0; i < space->parts; i++) {
        Operands operands = operands_of(space, i, r, a, a, 0.0);
        dv_parallel_for((uint32_t)space->length[i], GRAIN, copy_chunk, &operands);
    }
}

void dv_krylov_combine(DvKrylovSpace *space, int r, int a, int b, double k)
{
    touch(space, r);
    if (space->parts == 0)
        space->ops->combine(space->m, space->ids[r], space->ids[a], space->ids[b], k);
    for (uint32_t i = 0; i < space->parts; i++) {
        Operands operands = operands_of(space, i, r, a, b, k);
        dv_parallel_for((uint32_t)space->length[i], GRAIN, combine_chunk, &operands);
    }
}

double dv_krylov_dot(DvKrylovSpace *space, int a, int b)
{
    if (space->parts == 0)
        return space->ops->dot(space->m, space->ids[a], space->ids[b]);
    double sum = 0.0;
    for (uint32_t i = 0; i < space->parts; i++) {
        Operands operands = operands_of(space, i, a, a, b, 0.0);
        sum += dv_parallel_sum((uint32_t)space->length[i], GRAIN, dot_chunk, &operands);
    }
    return sum;
}

double dv_krylov_step(DvKrylovSpace *space, double alpha)
{
    space->alpha = alpha;
    if (space->parts == 0) {
        dv_krylov_combine(space, DV_KRYLOV_R, DV_KRYLOV_R, DV_KRYLOV_Q, -alpha);
        return dv_krylov_dot(space, DV_KRYLOV_R, DV_KRYLOV_R);
    }
    const bool clear = space->matrix == NULL;
    double rho = 0.0;
    for (uint32_t i = 0; i < space->parts; i++) {
        double *const *at = space->at + (size_t)i * space->count;
        Step step = {at[DV_KRYLOV_R], at[DV_KRYLOV_Q], alpha};
        rho += dv_parallel_sum((uint32_t)space->length[i], GRAIN, clear ? step_and_clear_chunk : step_chunk, &step);
    }
    space->q_is_clear = clear;
    return rho;
}

void dv_krylov_turn(DvKrylovSpace *space, int r, double beta)
{
    if (space->parts == 0) {
        catch_up(space);
        dv_krylov_combine(space, DV_KRYLOV_P, r, DV_KRYLOV_P, beta);
    }
    for (uint32_t i = 0; i < space->parts; i++) {
        double *const *at = space->at + (size_t)i * space->count;
        Turn turn = {at[DV_KRYLOV_X], at[DV_KRYLOV_P], at[r], space->alpha, beta};
        dv_parallel_for((uint32_t)space->length[i], GRAIN, turn_chunk, &turn);
    }
    space->alpha = 0.0;
}

void dv_krylov_residual(DvKrylovSpace *space)
{
    dv_krylov_product(space, DV_KRYLOV_Q, DV_KRYLOV_X);
    dv_krylov_combine(space, DV_KRYLOV_R, DV_KRYLOV_B, DV_KRYLOV_Q, -1.0);
}

double dv_krylov_product(DvKrylovSpace *space, int q, int p)
{
    if (space->by_half)
        return dv_symmetric_product(&space->half, space->flat[p], space->flat[q]);
    if (space->matrix != NULL)
        return dv_block_product(space->matrix, space->flat[p], space->flat[q]);
    const DvMechanicalOperationsOps *ops = space->ops;
    if (q != DV_KRYLOV_Q || !space->q_is_clear)
        dv_krylov_clear(space, q);
    touch(space, q);
    ops->add_mbk(space->m, &space->step, space->factors, space->ids[q], space->ids[p], DV_WALK_VISITOR);
    ops->project_response(space->m, &space->step, space->ids[q], DV_WALK_VISITOR);
    return dv_krylov_dot(space, p, q);
}

/* ---- Rounding ---- */

static double largest_of(DvConstVec v)
{
    double largest = 0.0;
    for (size_t i = 0; v.at != NULL && i < (size_t)v.count * v.dim; i++)
        largest = fmax(largest, fabs(v.at[i]));
    return largest;
}

/* What the unknowns of a step would be if everything came to its place, or to its velocity, in this step: changes of velocity, or of
 * accelerations where the system is of masses alone. */
static double size_of_motion(DvKrylovSpace *space)
{
    double place = 0.0, velocity = 0.0, gravity = 0.0;
    krylov_find_states(space);
    for (uint32_t i = 0; i < space->known; i++) {
        const DvStateRef s = space->state[i];
        place = fmax(place, largest_of(dv_state_read(s, DV_POSITION)));
        velocity = fmax(velocity, largest_of(dv_state_read(s, DV_VELOCITY)));
        for (int k = 0; k < 3; k++)
            gravity = fmax(gravity, fabs(dv_node_gravity(dv_object_node(s.object))[k]));
    }
    const double dt = space->step.dt, change = place / dt + velocity + gravity * dt;
    return space->factors.k == 0.0 && space->factors.b == 0.0 ? change / dt : change;
}

/* P = numbers of about this size and either sign, such that neither translations nor rotations are among them. */
static void scatter_signs(DvKrylovSpace *space, double size)
{
    const double golden = 0.61803398874989485;
    size_t n = 0;
    for (uint32_t part = 0; part < (space->matrix != NULL ? 1 : space->known); part++) {
        const DvVec p = space->matrix != NULL
                            ? (DvVec){.at = space->flat[DV_KRYLOV_P], .count = (uint32_t)space->n, .dim = 1}
                            : dv_state_write(space->state[part], space->ids[DV_KRYLOV_P], DV_OVERWRITE);
        for (size_t i = 0; p.at != NULL && i < (size_t)p.count * p.dim; i++) {
            const double u = fmod(golden * (double)++n, 1.0);
            p.at[i] = size * (u < 0.5 ? u - 1.0 : u);
        }
    }
}

bool dv_krylov_is_rounding(DvKrylovSpace *space, double b_norm)
{
    /* Of the system times what everything is and does; forces are sums of many terms, each rounded to 1e-16. */
    const double part = 1e-12, far = 1e3;
    if (b_norm <= space->rounding)
        return true;
    if ((space->rounding > 0.0 && b_norm > far * space->rounding) || !(space->step.dt > 0.0))
        return false;
    catch_up(space);
    scatter_signs(space, size_of_motion(space));
    (void)dv_krylov_product(space, DV_KRYLOV_Q, DV_KRYLOV_P);
    const double bound = part * sqrt(dv_krylov_dot(space, DV_KRYLOV_Q, DV_KRYLOV_Q));
    if (isfinite(bound))
        space->rounding = fmax(space->rounding, bound);
    return b_norm <= space->rounding;
}

DvStatus dv_krylov_precondition(DvKrylovSpace *space, const DvLinearSolverOps *ops, void *preconditioner, int z, int r)
{
    touch(space, z);
    if (space->matrix == NULL) {
        reserve_flat(space);
        space->ops->gather(space->m, space->flat[r], space->ids[r]);
    }
    const DvStatus status = ops->solve_flat(preconditioner, space->flat[z], space->flat[r], space->n);
    if (space->matrix == NULL && status == DV_OK)
        space->ops->scatter(space->m, space->ids[z], space->flat[z]);
    return status;
}
