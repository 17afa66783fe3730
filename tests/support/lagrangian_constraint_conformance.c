/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The conformance suite of Lagrangian constraints; see the header.
 */
#include "lagrangian_constraint_conformance.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/lagrangian_constraint.h>
#include <divan/memory.h>

#include "scene_text.h"

enum { FIRST_ROW = 7, MARGIN = 4 };
static const DvVecId DISPLACED = DV_FIRST_FREE_VEC + 40; /* coordinates that nobody else has */
static const double GUARD = 1234.5;

/* Lists that grow, as those of a solver. */
typedef struct Entries {
    DvRowEntries list; /* first: `grow` is given it */
    bool forbidden;
} Entries;

typedef struct Rows {
    DvConstraintRows rows; /* first */
    Entries of_state[DV_MAX_CONSTRAINED_STATES];
} Rows;

static void *grown(void *at, size_t count, size_t size)
{
    void *more = realloc(at, count * size);
    assert_non_null(more);
    return more;
}

static void grow_entries(DvRowEntries *list)
{
    if (((Entries *)list)->forbidden)
        fail_msg("it writes on a state that `states` does not give");
    const size_t capacity = list->capacity = 2 * list->capacity + 8;
    list->row = grown(list->row, capacity, sizeof *list->row);
    list->point = grown(list->point, capacity, sizeof *list->point);
    list->values = grown(list->values, capacity * list->width, sizeof *list->values);
}

static void grow_blocks(DvConstraintRows *rows)
{
    rows->block_capacity = 2 * rows->block_capacity + 8;
    rows->blocks = grown(rows->blocks, rows->block_capacity, sizeof *rows->blocks);
}

typedef struct Constraint {
    DvScene *scene;
    DvObject *object;
    const DvLagrangianConstraintOps *ops;
    void *self;
    DvStateRef state[DV_MAX_CONSTRAINED_STATES];
    uint32_t states;
    Rows written;
    uint32_t rows;
} Constraint;

static const DvStep begin = {.time = 0.0, .dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
static const DvStep after = {.time = 0.0, .dt = 0.01, .position = DV_FREE_POSITION, .velocity = DV_FREE_VELOCITY};

/* The first of the same states. */
static uint32_t first_of(const Constraint *c, uint32_t s)
{
    uint32_t first = 0;
    while (c->state[first].object != c->state[s].object)
        first++;
    return first;
}

static void open_rows(Constraint *c)
{
    Rows *w = &c->written;
    for (uint32_t s = 0; s < DV_MAX_CONSTRAINED_STATES; s++) {
        Entries *entries = &w->of_state[s];
        entries->list.grow = grow_entries;
        entries->forbidden = s >= c->states;
        entries->list.width = s < c->states ? c->state[s].dof->deriv : 1;
        w->rows.of_state[s] = s < c->states ? &w->of_state[first_of(c, s)].list : &entries->list;
    }
    w->rows.grow = grow_blocks;
}

static void close_rows(Rows *w)
{
    for (uint32_t s = 0; s < DV_MAX_CONSTRAINED_STATES; s++) {
        free(w->of_state[s].list.row);
        free(w->of_state[s].list.point);
        free(w->of_state[s].list.values);
    }
    free(w->rows.blocks);
}

static void build(Constraint *c, DvConstraintOrder order)
{
    Rows *w = &c->written;
    for (uint32_t s = 0; s < DV_MAX_CONSTRAINED_STATES; s++)
        w->of_state[s].list.count = 0;
    w->rows.next = FIRST_ROW;
    w->rows.block_count = 0;
    w->rows.order = order;
    assert_int_equal(c->ops->build(c->self, &begin, &w->rows), DV_OK);
    c->rows = w->rows.next - FIRST_ROW;
}

static void violation(Constraint *c, DvConstraintOrder order, double *d)
{
    for (uint32_t r = 0; r < c->rows; r++)
        d[r] = NAN;
    for (uint32_t r = 0; r < MARGIN; r++)
        d[c->rows + r] = GUARD;
    assert_int_equal(c->ops->violation(c->self, &after, order, d), DV_OK);
    for (uint32_t r = 0; r < c->rows; r++)
        if (!isfinite(d[r]))
            fail_msg("violation %u is not written, or not finite", r);
    for (uint32_t r = 0; r < MARGIN; r++)
        if (d[c->rows + r] != GUARD)
            fail_msg("it writes %u violations and has %u rows", c->rows + r + 1, c->rows);
}

/* ---- What is written ---- */

static void check_entries(const Constraint *c)
{
    bool *has = calloc(c->rows + 1, sizeof *has);
    for (uint32_t s = 0; s < c->states; s++) {
        const DvRowEntries *list = &c->written.of_state[s].list;
        for (size_t e = 0; e < list->count; e++) {
            if (list->row[e] < FIRST_ROW || list->row[e] - FIRST_ROW >= c->rows)
                fail_msg("entry %zu of state %u is in row %u: it has rows %u to %u", e, s, list->row[e], FIRST_ROW,
                         FIRST_ROW + c->rows - 1);
            if (list->point[e] >= dv_state_count(c->state[s]))
                fail_msg("entry %zu of state %u is of point %u: the state has %u", e, s, list->point[e],
                         dv_state_count(c->state[s]));
            for (uint32_t k = 0; k < list->width; k++)
                if (!isfinite(list->values[e * list->width + k]))
                    fail_msg("entry %zu of state %u is not finite", e, s);
            has[list->row[e] - FIRST_ROW] = true;
        }
    }
    for (uint32_t r = 0; r < c->rows; r++)
        if (!has[r])
            fail_msg("row %u of %u has no entry", r, c->rows);
    free(has);
}

static void check_own_law(const DvConstraintBlock *block)
{
    assert_non_null(block->own);
    assert_non_null(block->own->resolve);
    const uint32_t n = block->rows;
    double *w = calloc((size_t)n * n + 1, sizeof *w), *d = calloc(4 * (size_t)n + 1, sizeof *d), *lambda = d + 2 * n;
    for (uint32_t r = 0; r < n; r++)
        w[r * n + r] = 2.0;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t r = 0; r < n; r++) {
            d[pass * n + r] = 0.3 - 0.7 * r;
            lambda[pass * n + r] = 0.1 * r;
        }
        block->own->resolve(block, w, d + pass * n, lambda + pass * n);
    }
    assert_memory_equal(lambda, lambda + n, n * sizeof *lambda);
    for (uint32_t r = 0; r < n; r++)
        assert_true(isfinite(lambda[r]));
    free(w);
    free(d);
}

static void check_blocks(const Constraint *c)
{
    uint32_t next = FIRST_ROW;
    for (uint32_t i = 0; i < c->written.rows.block_count; i++) {
        const DvConstraintBlock *block = &c->written.rows.blocks[i];
        if (block->first != next || block->rows == 0)
            fail_msg("block %u begins at row %u with %u rows: row %u comes next", i, block->first, block->rows, next);
        next += block->rows;
        if (block->law == DV_LAW_BILATERAL)
            assert_true(block->p[0] >= 0.0 && block->p[0] <= 1.0);
        else if (block->law == DV_LAW_UNILATERAL)
            assert_int_equal(block->rows, 1);
        else if (block->law == DV_LAW_INTERVAL)
            assert_true(block->rows == 1 && block->p[0] <= block->p[1]);
        else if (block->law == DV_LAW_FRICTION || block->law == DV_LAW_AUGMENTED)
            assert_true(block->rows == 3 && block->p[0] >= 0.0);
        else
            check_own_law(block);
        assert_true(block->tolerance >= 0.0);
        assert_true(!block->has_start || block->rows <= 6);
        for (uint32_t r = 0; block->has_start && r < block->rows; r++)
            assert_true(isfinite(block->start[r]));
    }
    if (next != FIRST_ROW + c->rows)
        fail_msg("blocks cover %u rows of %u", next - FIRST_ROW, c->rows);
}

/* ---- What it means ---- */

static void fill(double *at, size_t n, uint32_t *seed, double size)
{
    for (size_t i = 0; i < n; i++) {
        *seed = *seed * 1664525u + 1013904223u;
        at[i] = size * ((double)(*seed >> 8) / (double)(1u << 23) - 1.0);
    }
}

static bool is_first(const Constraint *c, uint32_t s)
{
    return first_of(c, s) == s;
}

/* `id` of all states becomes random. */
static void draw(const Constraint *c, DvVecId id, uint32_t seed, double size)
{
    for (uint32_t s = 0; s < c->states; s++)
        if (is_first(c, s)) {
            const DvVec v = dv_state_write(c->state[s], id, DV_OVERWRITE);
            fill(v.at, (size_t)v.count * v.dim, &seed, size);
        }
}

static void combine(const Constraint *c, DvVecId r, DvVecId a, DvVecId b, double k)
{
    for (uint32_t s = 0; s < c->states; s++)
        if (is_first(c, s))
            c->state[s].ops->combine(c->state[s].self, r, a, b, k);
}

/* J DX */
static void multiply(const Constraint *c, double *product)
{
    memset(product, 0, c->rows * sizeof *product);
    for (uint32_t s = 0; s < c->states; s++) {
        if (!is_first(c, s))
            continue;
        const DvRowEntries *list = &c->written.of_state[s].list;
        const DvConstVec v = dv_state_read(c->state[s], DV_DX);
        for (size_t e = 0; e < list->count; e++)
            for (uint32_t k = 0; k < list->width; k++)
                product[list->row[e] - FIRST_ROW] +=
                    list->values[e * list->width + k] * v.at[(size_t)list->point[e] * v.dim + k];
    }
}

/* (a - b) / h must be J DX. */
static void assert_product(const Constraint *c, const char *what, const double *a, const double *b, double h,
                           double tolerance)
{
    double *product = calloc(c->rows + 1, sizeof *product);
    multiply(c, product);
    for (uint32_t r = 0; r < c->rows; r++) {
        const double found = (a[r] - b[r]) / h;
        if (!(fabs(found - product[r]) <= tolerance * (1.0 + fabs(product[r]))))
            fail_msg("%s: violation %u changes by %.12g and its row says %.12g", what, r, found, product[r]);
    }
    free(product);
}

static double *numbers(const Constraint *c)
{
    double *at = calloc(c->rows + MARGIN, sizeof *at);
    assert_non_null(at);
    return at;
}

static void check_derivative(Constraint *c, bool affine)
{
    double *a = numbers(c), *b = numbers(c);
    combine(c, DV_FREE_POSITION, DV_POSITION, DV_NO_VEC, 0.0);
    build(c, DV_CONSTRAIN_POSITION);
    draw(c, DV_FREE_VELOCITY, 5, 1.0);
    for (uint32_t trial = 0; trial < 5; trial++) {
        draw(c, DV_DX, 11 + trial, 1.0);
        combine(c, DV_FREE_POSITION, DV_POSITION, DV_DX, 1e-5);
        violation(c, DV_CONSTRAIN_POSITION, a);
        combine(c, DV_FREE_POSITION, DV_POSITION, DV_DX, -1e-5);
        violation(c, DV_CONSTRAIN_POSITION, b);
        assert_product(c, "derivative by positions", a, b, 2e-5, 1e-8);
        if (!affine)
            continue;
        /* also far from there, and at once */
        combine(c, DISPLACED, DV_POSITION, DV_DX, 0.7);
        draw(c, DV_DX, 211 + trial, 1.0);
        combine(c, DV_FREE_POSITION, DISPLACED, DV_NO_VEC, 0.0);
        violation(c, DV_CONSTRAIN_POSITION, b);
        combine(c, DV_FREE_POSITION, DISPLACED, DV_DX, 1.0);
        violation(c, DV_CONSTRAIN_POSITION, a);
        assert_product(c, "affine in positions", a, b, 1.0, 1e-11);
    }
    free(a);
    free(b);
}

static void check_velocities(Constraint *c, bool affine, bool holds)
{
    double *a = numbers(c), *b = numbers(c);
    combine(c, DV_FREE_POSITION, DV_POSITION, DV_NO_VEC, 0.0);
    build(c, DV_CONSTRAIN_VELOCITY);
    check_blocks(c);
    for (uint32_t trial = 0; trial < 5; trial++) {
        draw(c, DV_FREE_VELOCITY, 31 + trial, 1.0);
        violation(c, DV_CONSTRAIN_VELOCITY, b);
        draw(c, DV_DX, 41 + trial, 1.0);
        combine(c, DV_FREE_VELOCITY, DV_FREE_VELOCITY, DV_DX, 1.0);
        violation(c, DV_CONSTRAIN_VELOCITY, a);
        assert_product(c, "derivative by velocities", a, b, 1.0, 1e-10);
    }
    if (holds && affine) { /* violation(x + dt v) = dt violation(v) */
        combine(c, DV_FREE_POSITION, DV_POSITION, DV_FREE_VELOCITY, after.dt);
        violation(c, DV_CONSTRAIN_VELOCITY, a);
        DvConstraintBlock *blocks = calloc(c->written.rows.block_count + 1, sizeof *blocks);
        memcpy(blocks, c->written.rows.blocks, c->written.rows.block_count * sizeof *blocks);
        build(c, DV_CONSTRAIN_POSITION);
        violation(c, DV_CONSTRAIN_POSITION, b);
        for (uint32_t r = 0; r < c->rows; r++)
            if (!(fabs(a[r] * after.dt - b[r]) <= 1e-11 * (1.0 + fabs(b[r]))))
                fail_msg("row %u: violation %.12g of positions is %.12g of velocities times dt", r, b[r],
                         a[r] * after.dt);
        for (uint32_t i = 0; i < c->written.rows.block_count; i++) {
            const DvConstraintBlock *of_positions = &c->written.rows.blocks[i];
            assert_int_equal(blocks[i].law, of_positions->law);
            for (int p = 0; blocks[i].law == DV_LAW_INTERVAL && p < 2; p++)
                if (!(fabs(blocks[i].p[p] * after.dt - of_positions->p[p]) <= 1e-12 * (1.0 + fabs(of_positions->p[p]))))
                    fail_msg("limits of velocities are not those of positions divided by dt (rows->order says which)");
        }
        free(blocks);
    }
    free(a);
    free(b);
}

/* The same again, without anything from the heap. */
static void check_repetition(Constraint *c)
{
    double *a = numbers(c), *b = numbers(c), *lambda = numbers(c);
    uint32_t seed = 77;
    fill(lambda, c->rows, &seed, 1.0);
    combine(c, DV_FREE_POSITION, DV_POSITION, DV_NO_VEC, 0.0);
    uint64_t allocations = 0;
    for (int pass = 0; pass < 4; pass++) {
        if (pass == 2)
            allocations = dv_allocation_count();
        build(c, DV_CONSTRAIN_POSITION);
        violation(c, DV_CONSTRAIN_POSITION, pass == 0 ? a : b);
        if (c->ops->store)
            c->ops->store(c->self, &after, lambda, c->rows);
        if (pass > 0)
            assert_memory_equal(a, b, c->rows * sizeof *a);
    }
    assert_int_equal(dv_allocation_count(), allocations);
    free(a);
    free(b);
    free(lambda);
}

void lagrangian_constraint_conformance(const LagrangianConstraintConformance *conformance)
{
    Constraint c = {.scene = scene_from_text(conformance->scene)};
    for (uint32_t step = 0; step < conformance->steps; step++)
        assert_int_equal(dv_scene_step(c.scene, 0), DV_OK);
    c.object = scene_object(c.scene, conformance->path ? conformance->path : "/constraint");
    c.ops = dv_object_ops(c.object, DV_LAGRANGIAN_CONSTRAINT);
    assert_non_null(c.ops);
    assert_int_equal(c.ops->size, sizeof(DvLagrangianConstraintOps));
    c.self = dv_object_self(c.object);
    DvObject *states[DV_MAX_CONSTRAINED_STATES];
    c.states = c.ops->states(c.self, states, DV_MAX_CONSTRAINED_STATES);
    assert_in_range(c.states, 1, DV_MAX_CONSTRAINED_STATES);
    for (uint32_t s = 0; s < c.states; s++) {
        c.state[s] = dv_state_ref(states[s]);
        assert_non_null(c.state[s].ops);
    }
    draw(&c, DV_VELOCITY, 3, 1.0);
    for (uint32_t room = 0; room <= c.states; room++) { /* nothing is written beyond the room, nor beyond the states */
        DvObject *none[DV_MAX_CONSTRAINED_STATES + 1] = {NULL};
        assert_int_equal(c.ops->states(c.self, none, room < c.states ? room : c.states + 1), c.states);
        for (uint32_t s = 0; s <= c.states; s++)
            assert_ptr_equal(none[s], s < room ? states[s] : NULL);
    }

    open_rows(&c);
    build(&c, DV_CONSTRAIN_POSITION);
    assert_true(c.rows > 0); /* a scene that shows nothing */
    check_entries(&c);
    check_blocks(&c);
    check_derivative(&c, !conformance->not_affine);
    check_velocities(&c, !conformance->not_affine, !conformance->drifts);
    build(&c, DV_CONSTRAIN_POSITION);
    check_repetition(&c);

    DvObject *lost = dv_object_ref(c.state[0].object);
    dv_object_remove(lost);
    assert_true(!dv_object_is_valid(c.object) || c.ops->states(c.self, states, DV_MAX_CONSTRAINED_STATES) == 0);
    close_rows(&c.written);
    dv_scene_free(c.scene);
    dv_object_unref(lost);
}
