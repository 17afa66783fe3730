/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Gauss-Seidel sweeps: each block in turn finds its forces from what all others do at this moment.
 *
 * A block of any rows goes row by row. Most blocks of a scene are contacts with friction, of three rows with entries at the same
 * points: these go side by side, one vector for the three rows, with the same operations in the same order.
 */
#include "law.h"
#include "problem.h"

#include <divan/math/simd.h>

#include <math.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- What a block adds to the error of the sweep ---- */

/* `moved`: how far its rows were moved, of which one by more than the tolerance unless `verified`. */
DV_SIMD_INLINE void add_error(const Solution *s, uint32_t b, double tolerance, double moved, bool verified,
                              SweepError *error)
{
    const double own = s->problem->blocks[b].tolerance;
    if (own > 0.0) {
        verified = verified && moved <= own;
        moved *= tolerance / own;
    }
    if (!verified)
        error->verified = false;
    if (s->error)
        s->error[b] = moved;
    error->sum += moved;
}

/* A contact that is open and stays so needs no more than its gap. */
DV_SIMD_INLINE bool stays_open(const Solution *s, const DvConstraintBlock *block, const double *lambda, double gap)
{
    return !s->d && block->law == DV_LAW_FRICTION && lambda[0] == 0.0 && lambda[1] == 0.0 && lambda[2] == 0.0 &&
           gap > 0.0;
}

/* ---- Row by row ---- */

static void sweep_rows(Solution *s, uint32_t b, double tolerance, SweepError *error)
{
    const DvConstraintBlock *block = &s->problem->blocks[b];
    const double *w = s->problem->diagonal + s->problem->diagonal_at[b];
    const uint32_t n = block->rows;
    double *lambda = s->lambda + block->first, *d = s->scratch, *before = s->scratch + n;
    memcpy(before, lambda, n * sizeof *before);
    solution_rows(s, block->first, n, d);
    for (uint32_t i = 0; i < n; i++)
        d[i] = s->violation[block->first + i] + d[i];
    if (stays_open(s, block, lambda, d[0]))
        return;
    law_resolve(block, w, s->factors + s->problem->diagonal_at[b], d, lambda);
    if (s->d)
        memcpy(s->d + block->first, d, n * sizeof *d);
    double sum = 0.0;
    bool moved = false, verified = true;
    for (uint32_t i = 0; i < n; i++) {
        double squares = 0.0, change = 0.0;
        for (uint32_t j = 0; j < n; j++) {
            const double delta = w[i * n + j] * (lambda[j] - before[j]);
            squares += delta * delta;
            change += delta;
        }
        const double by_row = sqrt(squares);
        if (by_row > tolerance)
            verified = false;
        sum += s->block_norm ? change * change : by_row;
    }
    if (s->block_norm)
        sum = sqrt(sum);
    for (uint32_t i = 0; i < n; i++)
        if (lambda[i] != before[i]) {
            solution_add(s, block->first + i, lambda[i] - before[i]);
            moved = true;
        }
    if (moved)
        add_error(s, b, tolerance, sum, verified, error);
    else if (s->error)
        s->error[b] = 0.0;
}

/* ---- Three rows side by side ---- */

DV_SIMD_INLINE DvReal4 three(const double *at)
{
    const DvReal4 r = {at[0], at[1], at[2], 0.0};
    return r;
}

/* Rows of W lambda, part by part as `solution_row`. */
DV_SIMD_INLINE DvReal4 three_rows(const Solution *s, const ThreeColumns *t, const ThreeColumns *end, uint32_t first)
{
    DvReal4 sum = three(s->problem->regularization + first) * three(s->lambda + first), part = dv_real4(0.0);
    for (; t < end; t++) {
        const double *x = s->running + t->at;
        DV_EACH (k, 3)
            part += DV_REAL4(t->left[k]) * x[k];
        if (t->last) {
            sum += part;
            part = dv_real4(0.0);
        }
    }
    return sum;
}

/* `solution_add` of the three. */
DV_SIMD_INLINE void add_three_rows(Solution *s, const ThreeColumns *t, const ThreeColumns *end, const double delta[3])
{
    for (; t < end; t++) {
        double *x = s->running + t->at;
        DvReal4 at = three(x);
        DV_EACH (row, 3)
            at += delta[row] * DV_REAL4(t->right[row]);
        DV_EACH (k, 3)
            x[k] = at[k];
    }
}

DV_SIMD_INLINE void sweep_threes(Solution *s, uint32_t b, double tolerance, SweepError *error)
{
    const Problem *problem = s->problem;
    const ThreeColumns *t = problem->threes + problem->three_start[b];
    const ThreeColumns *end = problem->threes + problem->three_start[b + 1];
    const DvConstraintBlock *block = &problem->blocks[b];
    const double *w = problem->diagonal + problem->diagonal_at[b];
    double *lambda = s->lambda + block->first;
    const double before[3] = {lambda[0], lambda[1], lambda[2]};
    const DvReal4 violation = three(s->violation + block->first) + three_rows(s, t, end, block->first);
    double d[3] = {violation[0], violation[1], violation[2]};
    if (stays_open(s, block, lambda, d[0]))
        return;
    if (block->law == DV_LAW_FRICTION)
        law_friction(block->p[0], block->p[1], w, d, lambda);
    else
        law_resolve(block, w, s->factors + problem->diagonal_at[b], d, lambda);
    if (s->d)
        memcpy(s->d + block->first, d, sizeof d);
    const double delta[3] = {lambda[0] - before[0], lambda[1] - before[1], lambda[2] - before[2]};
    if (delta[0] == 0.0 && delta[1] == 0.0 && delta[2] == 0.0) {
        if (s->error)
            s->error[b] = 0.0;
        return;
    }
    add_three_rows(s, t, end, delta);
    DvReal4 squares = dv_real4(0.0), change = dv_real4(0.0);
    DV_EACH (j, 3) {
        const DvReal4 column = {w[j], w[3 + j], w[6 + j], 0.0};
        const DvReal4 by = column * delta[j];
        squares += by * by;
        change += by;
    }
    const double by_row[3] = {sqrt(squares[0]), sqrt(squares[1]), sqrt(squares[2])};
    const bool verified = !(by_row[0] > tolerance || by_row[1] > tolerance || by_row[2] > tolerance);
    const DvReal4 of_rows = change * change;
    const double sum = s->block_norm ? sqrt(of_rows[0] + of_rows[1] + of_rows[2]) : by_row[0] + by_row[1] + by_row[2];
    add_error(s, b, tolerance, sum, verified, error);
}

/* ---- Sweeps ---- */

DV_SIMD_CLONES static SweepError sweep(Solution *s, double tolerance, double deadline)
{
    SweepError error = {.verified = true, .in_time = true};
    const uint32_t *three_start = s->problem->three_start;
    for (uint32_t b = 0; b < s->problem->view.block_count; b++) {
        if (three_start[b] < three_start[b + 1] && !s->late)
            sweep_threes(s, b, tolerance, &error);
        else
            sweep_rows(s, b, tolerance, &error);
        if (deadline > 0.0 && now() > deadline) {
            error.in_time = false;
            break;
        }
    }
    return error;
}

SweepError solution_sweep(Solution *s, double tolerance, double deadline)
{
    return sweep(s, tolerance, deadline);
}

SweepError solution_sweep_relaxed(Solution *s, double tolerance, double sor, double *before)
{
    if (sor == 1.0)
        return solution_sweep(s, tolerance, 0.0);
    const uint32_t rows = s->problem->view.rows;
    memcpy(before, s->lambda, rows * sizeof *before);
    const SweepError error = solution_sweep(s, tolerance, 0.0);
    for (uint32_t r = 0; r < rows; r++)
        s->lambda[r] = sor * s->lambda[r] + (1.0 - sor) * before[r];
    solution_sum_up(s);
    return error;
}

bool solution_solve(Solution *s, uint32_t sweeps, double tolerance, double deadline)
{
    for (uint32_t i = 0; i < sweeps; i++) {
        const SweepError error = solution_sweep(s, tolerance, deadline);
        if (!error.in_time)
            return false;
        if (error.sum < tolerance)
            return true;
    }
    return s->problem->view.rows == 0;
}
