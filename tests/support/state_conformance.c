/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The conformance suite of states; see the header.
 */
#include "state_conformance.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/vector_space.h>
#include <divan/math/rigid.h>

#include "random.h"
#include "scene_text.h"

/* Vectors that no field holds, and a pair that fields may hold. */
enum { X = DV_FIRST_FREE_VEC + 2, Y = DV_FIRST_FREE_VEC + 4, U = DV_FIRST_FREE_VEC + 3, V = DV_FIRST_FREE_VEC + 5 };

typedef struct Case {
    DvStateRef state;
    DvStorage storage;
    uint64_t seed;
    double rounding; /* of a number that is kept there, relative */
} Case;

static uint32_t dim_of(const Case *c, DvVecId id)
{
    return dv_vec_kind(id) == DV_COORDS ? c->state.dof->coord : c->state.dof->deriv;
}

static size_t length_of(const Case *c, DvVecId id)
{
    return (size_t)dv_state_count(c->state) * dim_of(c, id);
}

static double *new_numbers(size_t n)
{
    double *at = calloc(n + 1, sizeof *at);
    assert_non_null(at);
    return at;
}

/* Multiples of 1/1024, which floats hold too; coordinates of bodies that turn hold rotations, of which floats hold what they can. */
static double *random_numbers(Case *c, DvVecId id)
{
    const size_t n = length_of(c, id);
    double *at = new_numbers(n);
    for (size_t i = 0; i < n; i++)
        at[i] = random_below(&c->seed, 4096) / 1024.0 - 2.0;
    for (size_t p = 0; p < n && c->state.dof == &dv_rigid3d && dv_vec_kind(id) == DV_COORDS; p += 7) {
        double size = 0.0;
        for (size_t k = 3; k < 7; k++)
            size += at[p + k] * at[p + k];
        for (size_t k = 3; k < 7; k++)
            at[p + k] /= sqrt(size);
    }
    return at;
}

static double *default_numbers(const Case *c, DvVecId id)
{
    const size_t n = length_of(c, id), dim = dim_of(c, id);
    double *at = new_numbers(n);
    for (size_t i = 0; i < n && dv_vec_kind(id) == DV_COORDS; i++)
        at[i] = c->state.dof->origin[i % dim];
    return at;
}

static void expect_numbers(const Case *c, const char *what, const double *at, const double *expected, size_t n)
{
    assert_non_null(at);
    for (size_t i = 0; i < n; i++)
        if (!(fabs(at[i] - expected[i]) <= c->rounding * fmax(1.0, fabs(expected[i]))))
            fail_msg("%s: number %zu is %.17g instead of %.17g", what, i, at[i], expected[i]);
}

/* Those of a vector, as the host reads them. */
static void expect_vector(const Case *c, const char *what, DvVecId id, const double *expected)
{
    const DvConstVec v = dv_state_read(c->state, id);
    assert_int_equal(v.dim, dim_of(c, id));
    expect_numbers(c, what, v.at, expected, length_of(c, id));
}

static void expect_default(const Case *c, const char *what, DvVecId id)
{
    double *expected = default_numbers(c, id);
    expect_vector(c, what, id, expected);
    free(expected);
}

static void write_numbers(const Case *c, DvVecId id, const double *numbers)
{
    const DvVec v = dv_state_write(c->state, id, DV_OVERWRITE);
    assert_non_null(v.at);
    assert_int_equal((uintptr_t)v.at % 64, 0);
    memcpy(v.at, numbers, length_of(c, id) * sizeof *numbers);
}

/* Random numbers in a vector. The caller frees them. */
static double *write_random(Case *c, DvVecId id)
{
    double *numbers = random_numbers(c, id);
    write_numbers(c, id, numbers);
    return numbers;
}

/* ---- Which vectors there are ---- */

static void check_life(Case *c)
{
    static const DvVecId ids[] = {X, U, Y, V};
    const DvStateOps *ops = c->state.ops;
    void *self = c->state.self;
    for (size_t k = 0; k < sizeof ids / sizeof *ids; k++) {
        assert_false(ops->has(self, ids[k]));
        assert_null(ops->read(self, ids[k], DV_HOST));
        for (int life = 0; life < 2; life++) { /* the second time where the first one was */
            assert_non_null(ops->write(self, ids[k], DV_HOST, DV_READ_WRITE));
            assert_true(ops->has(self, ids[k]));
            expect_default(c, "a new vector", ids[k]);
            free(write_random(c, ids[k]));
            ops->release(self, ids[k]);
            assert_false(ops->has(self, ids[k]));
            assert_null(ops->read(self, ids[k], DV_HOST));
        }
    }
    static const DvVecId none[] = {DV_NO_VEC, DV_MAX_VEC};
    for (size_t k = 0; k < 2; k++) {
        assert_false(ops->has(self, none[k]));
        assert_null(ops->read(self, none[k], DV_HOST));
        assert_null(ops->write(self, none[k], DV_HOST, DV_READ_WRITE));
        ops->release(self, none[k]);
    }
}

/* ---- Where they are ---- */

static void expect_there(const Case *c, DvVecId id, const double *expected)
{
    const size_t n = length_of(c, id);
    double *at = new_numbers(n);
    const DvAddress from = dv_vector_as_address(c->state.ops->read(c->state.self, id, c->storage.space->number));
    assert_true(from != 0 && from % 256 == 0);
    c->storage.space->ops->get_numbers(c->storage.space, at, from, c->storage.precision, n);
    expect_numbers(c, "a vector there", at, expected, n);
    free(at);
}

static void write_there(const Case *c, DvVecId id, DvAccess access, const double *numbers, size_t n)
{
    const DvAddress to = dv_vector_as_address(c->state.ops->write(c->state.self, id, c->storage.space->number, access));
    assert_true(to != 0);
    c->storage.space->ops->put_numbers(c->storage.space, to, c->storage.precision, numbers, n);
}

static void check_places(Case *c, DvVecId id)
{
    double *numbers = write_random(c, id);
    expect_vector(c, "a vector that the host wrote", id, numbers);
    if (c->storage.space) {
        expect_there(c, id, numbers);
        const double one[1] = {3.0};
        numbers[0] = 3.0;
        write_there(c, id, DV_READ_WRITE, one, 1);
        expect_vector(c, "a vector of which one number was written there", id, numbers);
        free(numbers);
        numbers = random_numbers(c, id);
        write_there(c, id, DV_OVERWRITE, numbers, length_of(c, id));
        numbers[1] = 2.5;
        dv_state_write(c->state, id, DV_READ_WRITE).at[1] = 2.5;
        expect_vector(c, "a vector of which the host wrote one number", id, numbers);
        expect_there(c, id, numbers);
    }
    const DvSpace other = c->storage.space && c->storage.space->number == 1 ? 2 : 1;
    if (!dv_state_serves(c->state, other)) {
        assert_null(c->state.ops->read(c->state.self, id, other));
        assert_null(c->state.ops->write(c->state.self, id, other, DV_READ_WRITE));
        expect_vector(c, "a vector that was asked for in a space where it is not", id, numbers);
    }
    free(numbers);
}

/* ---- Arithmetic ---- */

static void combine_plainly(const Case *c, DvVecId r, double *to, DvVecId a, const double *at_a, DvVecId b,
                            const double *at_b, double k)
{
    const DvDofType *dof = c->state.dof;
    const uint32_t count = dv_state_count(c->state);
    if (at_a && at_b && dv_vec_kind(a) == DV_COORDS && dv_vec_kind(b) == DV_DERIVS)
        dv_dof_integrate(dof, count, to, at_a, at_b, k);
    else if (at_a && at_b && dv_vec_kind(a) == DV_COORDS && dv_vec_kind(r) == DV_DERIVS)
        dv_dof_difference(dof, count, to, at_a, at_b);
    else
        for (size_t i = 0, n = length_of(c, r); i < n; i++)
            to[i] = (at_a ? at_a[i] : 0.0) + (at_b ? k * at_b[i] : 0.0);
}

static void expect_combined(Case *c, DvVecId r, DvVecId a, DvVecId b, double k)
{
    double *at_a = a ? write_random(c, a) : NULL, *at_b = b && b != a ? write_random(c, b) : NULL,
           *expected = new_numbers(length_of(c, r));
    combine_plainly(c, r, expected, a, at_a, b, b == a ? at_a : at_b, k);
    c->state.ops->combine(c->state.self, r, a, b, k);
    expect_vector(c, "a combination", r, expected);
    if (a && a != r)
        expect_vector(c, "what was added to", a, at_a);
    if (b && b != r)
        expect_vector(c, "what was added", b, b == a ? at_a : at_b);
    free(at_a), free(at_b), free(expected);
}

static void check_arithmetic(Case *c)
{
    static const struct {
        DvVecId r, a, b;
        double k;
    } all[] = {
        {U, DV_VELOCITY, V, 0.5},
        {U, U, V, -3.0},
        {U, V, U, 0.25},
        {U, V, V, 2.0},
        {U, U, U, 2.0},
        {U, V, DV_NO_VEC, 2},
        {U, U, DV_NO_VEC, 2},
        {U, DV_NO_VEC, V, -1.5},
        {U, DV_NO_VEC, U, -1.5},
        {X, DV_POSITION, U, 0.125},
        {X, X, U, -0.5},
        {U, X, DV_POSITION, -1.0},
        {X, DV_POSITION, DV_NO_VEC, 1.0},
        {X, DV_NO_VEC, Y, 1.0},
        {DV_POSITION, DV_POSITION, DV_VELOCITY, 0.01},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        expect_combined(c, all[i].r, all[i].a, all[i].b, all[i].k);
    static const DvVecId cleared[] = {U, X, DV_FORCE};
    for (size_t i = 0; i < sizeof cleared / sizeof *cleared; i++) {
        free(write_random(c, cleared[i]));
        c->state.ops->clear(c->state.self, cleared[i]);
        expect_default(c, "a cleared vector", cleared[i]);
    }
}

static void check_dot(Case *c)
{
    double *u = write_random(c, U), *v = write_random(c, V), sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < length_of(c, U); i++) { /* exact: multiples of 2^-20 */
        sum += u[i] * v[i];
        squares += u[i] * u[i];
    }
    assert_true(c->state.ops->dot(c->state.self, U, V) == sum);
    assert_true(c->state.ops->dot(c->state.self, V, U) == sum);
    assert_true(c->state.ops->dot(c->state.self, U, U) == squares);
    for (size_t i = 0; i < length_of(c, U); i++)
        u[i] += 1.0 / (3.0 + (double)i);
    write_numbers(c, U, u);
    const double once = c->state.ops->dot(c->state.self, U, V), again = c->state.ops->dot(c->state.self, U, V);
    assert_memory_equal(&once, &again, sizeof once);
    free(u), free(v);
}

static void check_finite(Case *c)
{
    static const double wrong[] = {NAN, INFINITY, -INFINITY};
    static const DvVecId ids[] = {DV_POSITION, DV_VELOCITY, U};
    const uint32_t count = dv_state_count(c->state);
    for (size_t k = 0; k < sizeof ids / sizeof *ids; k++) {
        const uint32_t dim = dim_of(c, ids[k]);
        double *numbers = write_random(c, ids[k]);
        assert_int_equal(c->state.ops->first_not_finite(c->state.self, ids[k]), UINT32_MAX);
        dv_state_write(c->state, ids[k], DV_READ_WRITE).at[(size_t)count * dim - 1] = wrong[k];
        assert_int_equal(c->state.ops->first_not_finite(c->state.self, ids[k]), count - 1);
        dv_state_write(c->state, ids[k], DV_READ_WRITE).at[dim] = wrong[2 - k];
        assert_int_equal(c->state.ops->first_not_finite(c->state.self, ids[k]), 1);
        write_numbers(c, ids[k], numbers);
        assert_int_equal(c->state.ops->first_not_finite(c->state.self, ids[k]), UINT32_MAX);
        free(numbers);
    }
}

/* ---- Another number of points ---- */

static void expect_resized(const Case *c, DvVecId id, const double *before, uint32_t kept)
{
    double *expected = default_numbers(c, id);
    memcpy(expected, before, (size_t)kept * dim_of(c, id) * sizeof *expected);
    expect_vector(c, "a resized vector", id, expected);
    free(expected);
}

static void check_resize(Case *c)
{
    static const DvVecId ids[] = {DV_POSITION, DV_VELOCITY, X, U};
    enum { IDS = sizeof ids / sizeof *ids };
    const uint32_t start = dv_state_count(c->state), sizes[] = {start + 3, start - 1, start + 40, start};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const uint32_t old = dv_state_count(c->state), kept = old < sizes[s] ? old : sizes[s];
        double *before[IDS];
        for (int k = 0; k < IDS; k++)
            before[k] = write_random(c, ids[k]);
        if (c->storage.space) /* the newest ones may be there alone */
            for (int k = 0; k < IDS; k++)
                write_there(c, ids[k], DV_OVERWRITE, before[k], length_of(c, ids[k]));
        c->state.ops->resize(c->state.self, sizes[s]);
        assert_int_equal(dv_state_count(c->state), sizes[s]);
        for (int k = 0; k < IDS; k++) {
            expect_resized(c, ids[k], before[k], kept);
            free(before[k]);
        }
    }
}

void state_conformance(const StateConformance *s)
{
    DvScene *scene = scene_from_text(s->scene);
    Case c = {.state = scene_state(scene, "/dofs"), .seed = 17};
    c.storage = dv_state_storage(c.state);
    c.rounding = c.storage.precision == DV_FLOAT ? 1e-6 : 1e-14;
    assert_true(dv_state_count(c.state) >= 2);
    assert_true(dv_state_serves(c.state, DV_HOST));
    check_life(&c);
    static const DvVecId ids[] = {DV_POSITION, DV_VELOCITY, DV_FORCE, X, U};
    for (size_t k = 0; k < sizeof ids / sizeof *ids; k++)
        check_places(&c, ids[k]);
    check_arithmetic(&c);
    check_dot(&c);
    check_finite(&c);
    check_resize(&c);
    dv_scene_free(scene);
}
