/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Projection of the matrix A between two states a and b: for all independent states i above a and j above b
 *   global(i, j) += J_ai^T A J_bj
 * A point of a state follows from few points of a root, so this is a small product for each pair of points and each pair of
 * entries in their rows of J. Where an entry is w I (interpolation), it is a factor and no product. Pairs whose block is zero,
 * such as contacts that do not touch, cost nothing.
 */
#include "projection.h"

#include <math.h>
#include <string.h>

#include <divan/math/simd.h>
#include <divan/memory.h>

/* One side of a pair of states: the independent states above it. An independent state stands for itself, by the identity. */
typedef struct Side {
    const StateJacobian *jacobians; /* NULL: the state itself */
    uint32_t count, state, deriv;
} Side;

static Side side_of(const Blocks *blocks, const Jacobians *jacobians, uint32_t state)
{
    Side side = {NULL, 1, state, blocks->m->states[state].ref.dof->deriv};
    if (blocks->m->states[state].kind == STATE_MAPPED)
        side.jacobians = jacobians_of(jacobians, state, &side.count);
    return side;
}

/* The entries of the row of a point in one of its Jacobians: [begin, end); of an independent state the point itself. */
typedef struct Entries {
    uint32_t root, deriv, begin, end;
} Entries;

static inline Entries entries_of(const Blocks *blocks, const Side *side, uint32_t which, uint32_t point)
{
    if (!side->jacobians)
        return (Entries){side->state, side->deriv, point, point + 1};
    const StateJacobian *j = &side->jacobians[which];
    return (Entries){j->root, blocks->m->states[j->root].ref.dof->deriv, j->start[point], j->start[point + 1]};
}

static inline uint32_t column_of(const Side *side, uint32_t which, uint32_t entry)
{
    return side->jacobians ? side->jacobians[which].columns[entry] : entry;
}

/* ---- Structure ---- */

/* The blocks that the matrix between two points of independent states covers, block rows first. */
static void name_blocks(Local *local, const Blocks *blocks, uint32_t a, uint32_t point_a, uint32_t b, uint32_t point_b,
                        NameEntry name, void *context)
{
    const uint32_t row = block_row(blocks, a, point_a), column = block_row(blocks, b, point_b);
    const uint32_t rows = blocks_per_point(blocks, a), columns = blocks_per_point(blocks, b);
    if (local->slot_count + (size_t)rows * columns > local->slot_capacity) {
        const size_t more = 2 * local->slot_capacity + (size_t)rows * columns + 16;
        local->slots =
            dv_realloc(local->slots, local->slot_capacity * sizeof *local->slots, more * sizeof *local->slots);
        local->slot_capacity = more;
    }
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < columns; c++)
            local->slots[local->slot_count++] = name(context, row + r, column + c);
}

/* Walks over the products in the order in which local_project makes them. */
static void name_products(Local *local, const Blocks *blocks, const Jacobians *jacobians, NameEntry name, void *context)
{
    const Side a = side_of(blocks, jacobians, local->a), b = side_of(blocks, jacobians, local->b);
    local->slot_count = 0;
    for (uint32_t p = 0; p < local->rows.count; p++)
        for (uint32_t at = local->rows.start[p]; at < local->rows.start[p + 1]; at++) {
            local->first_slot[at] = local->slot_count;
            for (uint32_t j = 0; j < b.count; j++) {
                const Entries right = entries_of(blocks, &b, j, local->rows.columns[at]);
                for (uint32_t f = right.begin; f < right.end; f++)
                    for (uint32_t i = 0; i < a.count; i++) {
                        const Entries left = entries_of(blocks, &a, i, p);
                        for (uint32_t e = left.begin; e < left.end; e++)
                            name_blocks(local, blocks, left.root, column_of(&a, i, e), right.root, column_of(&b, j, f),
                                        name, context);
                    }
            }
        }
}

void local_make(Local *local, const Pairs *couplings, const Blocks *blocks, const Jacobians *jacobians, Sorter *sorter,
                NameEntry name, void *context)
{
    const DvStateRef a = blocks->m->states[local->a].ref, b = blocks->m->states[local->b].ref;
    rows_make(&local->rows, dv_state_count(a), dv_state_count(b), couplings, sorter);
    const size_t pairs = local->rows.start[local->rows.count];
    WITH_ROOM(local->values, local->value_capacity, pairs * a.dof->deriv * b.dof->deriv);
    WITH_ROOM(local->first_slot, local->first_capacity, pairs);
    name_products(local, blocks, jacobians, name, context);
    local->dirty = false;
}

void local_free(Local *local)
{
    rows_free(&local->rows);
    dv_array_free(&local->users);
    dv_free(local->values);
    dv_free(local->first_slot);
    dv_free(local->slots);
}

/* ---- Values ---- */

void local_clear(Local *local, const DvMechanics *m)
{
    const size_t size = (size_t)m->states[local->a].ref.dof->deriv * m->states[local->b].ref.dof->deriv;
    const size_t slots = local->rows.start[local->rows.count];
    if (slots > 0)
        memset(local->values, 0, slots * size * sizeof *local->values);
}

static inline bool is_zero(const double *block, size_t size)
{
    double sum = 0.0;
    for (size_t i = 0; i < size; i++)
        sum += fabs(block[i]);
    return sum == 0.0;
}

/* out (rows x columns) = a (rows x middle) j (middle x columns) */
static inline void multiply_right(double *out, const double *a, const double *j, uint32_t rows, uint32_t middle,
                                  uint32_t columns)
{
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t c = 0; c < columns; c++)
            out[r * columns + c] = a[r * middle] * j[c];
        for (uint32_t k = 1; k < middle; k++)
            for (uint32_t c = 0; c < columns; c++)
                out[r * columns + c] += a[r * middle + k] * j[k * columns + c];
    }
}

/* out (rows x columns) = j^T a for j (middle x rows), a (middle x columns) */
static inline void multiply_left(double *out, const double *j, const double *a, uint32_t rows, uint32_t middle,
                                 uint32_t columns)
{
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t c = 0; c < columns; c++)
            out[r * columns + c] = j[r] * a[c];
        for (uint32_t k = 1; k < middle; k++)
            for (uint32_t c = 0; c < columns; c++)
                out[r * columns + c] += j[k * rows + r] * a[k * columns + c];
    }
}

/* What one entry of a Jacobian makes of a block: its product, or the block itself and a factor. */
static inline const double *apply_right(const Side *side, uint32_t which, uint32_t entry, uint32_t root,
                                        const double *a, uint32_t rows, double *room, double *factor)
{
    if (!side->jacobians)
        return a;
    const StateJacobian *jacobian = &side->jacobians[which];
    if (!isnan(jacobian->weights[entry])) {
        *factor *= jacobian->weights[entry];
        return a;
    }
    const double *j = jacobian->values + (size_t)entry * side->deriv * root;
    if (root == 6 && rows == 3 && side->deriv == 3) /* points on bodies: sizes that the compiler knows */
        multiply_right(room, a, j, 3, 3, 6);
    else if (root == 6 && rows == 6 && side->deriv == 6)
        multiply_right(room, a, j, 6, 6, 6);
    else
        multiply_right(room, a, j, rows, side->deriv, root);
    return room;
}

static inline const double *apply_left(const Side *side, uint32_t which, uint32_t entry, uint32_t root, const double *a,
                                       uint32_t columns, double *room, double *factor)
{
    if (!side->jacobians)
        return a;
    const StateJacobian *jacobian = &side->jacobians[which];
    if (!isnan(jacobian->weights[entry])) {
        *factor *= jacobian->weights[entry];
        return a;
    }
    const double *j = jacobian->values + (size_t)entry * side->deriv * root;
    if (root == 6 && columns == 6 && side->deriv == 3)
        multiply_left(room, j, a, 6, 3, 6);
    else if (root == 6 && columns == 3 && side->deriv == 3)
        multiply_left(room, j, a, 6, 3, 3);
    else if (root == 6 && columns == 6 && side->deriv == 6)
        multiply_left(room, j, a, 6, 6, 6);
    else
        multiply_left(room, j, a, root, side->deriv, columns);
    return room;
}

static inline void add(const Blocks *blocks, const uint32_t *slots, const double *dense, uint32_t rows,
                       uint32_t columns, double factor)
{
    if (blocks->block == 3 && rows == 3 && columns == 3)
        blocks_add(blocks->values, 3, slots, dense, 3, 3, factor);
    else if (blocks->block == 3 && rows == 6 && columns == 6)
        blocks_add(blocks->values, 3, slots, dense, 6, 6, factor);
    else if (blocks->block == 3 && rows == 6 && columns == 3)
        blocks_add(blocks->values, 3, slots, dense, 6, 3, factor);
    else if (blocks->block == 3 && rows == 3 && columns == 6)
        blocks_add(blocks->values, 3, slots, dense, 3, 6, factor);
    else
        blocks_add(blocks->values, blocks->block, slots, dense, rows, columns, factor);
}

DV_SIMD_CLONES static void project(const Local *local, const Blocks *blocks, const Side *a, const Side *b)
{
    const size_t size = (size_t)a->deriv * b->deriv;
    double from_right[36], both[36];
    for (uint32_t p = 0; p < local->rows.count; p++)
        for (uint32_t at = local->rows.start[p]; at < local->rows.start[p + 1]; at++) {
            const double *block = local->values + at * size;
            const uint32_t *slots = local->slots + local->first_slot[at];
            if (is_zero(block, size))
                continue;
            for (uint32_t j = 0; j < b->count; j++) {
                const Entries right = entries_of(blocks, b, j, local->rows.columns[at]);
                for (uint32_t f = right.begin; f < right.end; f++) {
                    double weight = 1.0;
                    const double *half = apply_right(b, j, f, right.deriv, block, a->deriv, from_right, &weight);
                    for (uint32_t i = 0; i < a->count; i++) {
                        const Entries left = entries_of(blocks, a, i, p);
                        for (uint32_t e = left.begin; e < left.end; e++) {
                            double factor = weight;
                            const double *dense = apply_left(a, i, e, left.deriv, half, right.deriv, both, &factor);
                            add(blocks, slots, dense, left.deriv, right.deriv, factor);
                            slots += (left.deriv / blocks->block) * (right.deriv / blocks->block);
                        }
                    }
                }
            }
        }
}

void local_project(const Local *local, const Blocks *blocks, const Jacobians *jacobians)
{
    const Side a = side_of(blocks, jacobians, local->a), b = side_of(blocks, jacobians, local->b);
    project(local, blocks, &a, &b);
}
