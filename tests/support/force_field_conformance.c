/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The conformance suite of force fields; see the header.
 *
 * A field of two states is handled as one of all their points: its vectors stand one behind the other.
 */
#include "force_field_conformance.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/force_field.h>
#include <divan/math/rigid.h>
#include <divan/parallel.h>

#include "device_twin.h"
#include "fault.h"
#include "scene_text.h"

typedef struct Field {
    DvScene *scene;
    DvObject *object;
    const DvForceFieldOps *ops;
    void *self;
    DvStateRef state[2];
    uint32_t given, states; /* entries of the vectors; different states */
    uint32_t points[2];
    size_t coords[2], derivs[2]; /* doubles before the vector of each state */
    size_t n_coord, n_deriv;
    const DvDofType *dof;
    DvStep step;
    DeviceTwin *device; /* by which it acts; NULL: on the host */
    bool compare;       /* with what the host does */
} Field;

static void fill(double *at, size_t n, uint32_t seed, double size)
{
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        at[i] = size * ((double)(seed >> 8) / (double)(1u << 23) - 1.0);
    }
}

static double *numbers(size_t n, uint32_t seed, double size)
{
    double *at = calloc(n + 1, sizeof *at);
    if (seed)
        fill(at, n, seed, size);
    return at;
}

static double largest(const double *a, size_t n)
{
    double most = 0.0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(a[i]));
    return most;
}

static void assert_same_vectors(const char *what, const double *a, const double *b, size_t n, double tolerance)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= tolerance))
            fail_msg("%s: entry %zu is %.17g instead of %.17g (tolerance %g)", what, i, a[i], b[i], tolerance);
}

static Field field_of(const char *scene)
{
    Field f = {.scene = scene_from_text(scene)};
    f.object = scene_object(f.scene, "/field");
    f.ops = dv_object_ops(f.object, DV_FORCE_FIELD);
    if (!f.ops)
        f.ops = dv_object_ops(f.object, DV_INTERACTION_FORCE_FIELD);
    assert_non_null(f.ops);
    assert_int_equal(f.ops->size, sizeof(DvForceFieldOps));
    f.self = dv_object_self(f.object);
    DvObject *states[2] = {NULL, NULL};
    f.given = f.ops->states(f.self, states);
    assert_in_range(f.given, 1, 2);
    f.states = f.given == 2 && states[0] != states[1] ? 2 : 1;
    for (uint32_t s = 0; s < f.given; s++) {
        f.state[s] = dv_state_ref(states[s]);
        f.points[s] = dv_state_count(f.state[s]);
    }
    f.dof = f.state[0].dof;
    for (uint32_t s = 0; s < f.states; s++) {
        f.coords[s] = f.n_coord;
        f.derivs[s] = f.n_deriv;
        f.n_coord += (size_t)f.points[s] * f.dof->coord;
        f.n_deriv += (size_t)f.points[s] * f.dof->deriv;
    }
    f.step = (DvStep){.time = 0.0, .dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY, .kind = DV_MATRIX_ANY};
    return f;
}

static uint32_t place(const Field *f, uint32_t s)
{
    return f->states == 2 ? s : 0;
}

static void const_vectors(const Field *f, const double *at, bool coords, DvConstVec out[2])
{
    for (uint32_t s = 0; s < 2; s++)
        out[s] = (DvConstVec){at + (coords ? f->coords : f->derivs)[place(f, s)], f->points[place(f, s)],
                              coords ? f->dof->coord : f->dof->deriv};
}

static void vectors(const Field *f, double *at, DvVec out[2])
{
    for (uint32_t s = 0; s < 2; s++)
        out[s] = (DvVec){at + f->derivs[place(f, s)], f->points[place(f, s)], f->dof->deriv};
}

static void add_force(const Field *f, const double *x, const double *v, double *force)
{
    DvConstVec xs[2], vs[2], x_there[2], v_there[2];
    DvVec fs[2], f_there[2];
    const_vectors(f, x, true, xs);
    const_vectors(f, v, false, vs);
    vectors(f, force, fs);
    if (f->device)
        device_twin_send_sum(f->device, fs, f->states, f_there);
    f->ops->add_force(f->self, &f->step, xs, vs, fs);
    DvTwin *twin = f->device ? device_twin_now(f->device) : NULL;
    if (twin && twin->ops->add_force) {
        device_twin_send(f->device, xs, f->states, x_there);
        device_twin_send(f->device, vs, f->states, v_there);
        twin->ops->add_force(twin, &f->step, x_there, v_there, f_there);
        device_twin_take(f->device, f->compare ? "the force" : NULL, f_there, f->states, fs);
    }
    if (f->device)
        device_twin_release(f->device);
}

/* By the twin, which must have products; without one of its own a load has none. */
static void add_product_there(const Field *f, double k, double b, const DvConstVec *ds, const DvVec *fs)
{
    DvConstVec d_there[2];
    DvVec f_there[2];
    DvTwin *twin = device_twin_now(f->device);
    device_twin_send(f->device, ds, f->states, d_there);
    device_twin_send_sum(f->device, fs, f->states, f_there);
    f->ops->add_dforce(f->self, &f->step, k, b, ds, fs);
    if (twin->ops->add_dforce)
        twin->ops->add_dforce(twin, &f->step, k, b, d_there, f_there);
    device_twin_take(f->device, f->compare ? "the product" : NULL, f_there, f->states, fs);
    device_twin_release(f->device);
}

static void add_product(const Field *f, double k, double b, const double *dx, double *df)
{
    DvConstVec ds[2];
    DvVec fs[2];
    const_vectors(f, dx, false, ds);
    vectors(f, df, fs);
    if (f->device)
        add_product_there(f, k, b, ds, fs);
    else
        f->ops->add_dforce(f->self, &f->step, k, b, ds, fs);
}

static void add_dforce(const Field *f, double k, const double *dx, double *df)
{
    add_product(f, k, 0.0, dx, df);
}

static double energy(const Field *f, const double *x)
{
    DvConstVec xs[2];
    const_vectors(f, x, true, xs);
    return f->ops->energy(f->self, &f->step, xs);
}

/* New: x + h d. */
static double *moved(const Field *f, const double *x, const double *d, double h)
{
    double *out = numbers(f->n_coord, 0, 0.0);
    for (uint32_t s = 0; s < f->states; s++)
        dv_dof_integrate(f->dof, f->points[s], out + f->coords[s], x + f->coords[s], d + f->derivs[s], h);
    return out;
}

static double *positions(const Field *f, DvVecId id)
{
    double *x = numbers(f->n_coord, 0, 0.0);
    for (uint32_t s = 0; s < f->states; s++)
        memcpy(x + f->coords[s], dv_state_read(f->state[s], id).at, (size_t)f->points[s] * f->dof->coord * sizeof *x);
    return x;
}

/* New: the same points turned and shifted as one body. */
static double *turned(const Field *f, const double *x, DvQuat q, DvVec3 shift)
{
    double *out = numbers(f->n_coord, 0, 0.0);
    memcpy(out, x, f->n_coord * sizeof *out);
    for (size_t p = 0; p * f->dof->coord < f->n_coord; p++) {
        double *at = out + p * f->dof->coord;
        dv_vec3_store(dv_vec3_add(dv_quat_rotate(q, dv_vec3_load(at)), shift), at);
        if (f->dof->rotation)
            dv_quat_store(dv_quat_mul(q, dv_quat_load(at + 3)), at + 3);
    }
    return out;
}

static void check_force(const Field *f, const double *x, const double *v)
{
    double *once = numbers(f->n_deriv, 0, 0.0), *again = numbers(f->n_deriv, 0, 0.0),
           *more = numbers(f->n_deriv, 7, 1.0), *start = numbers(f->n_deriv, 7, 1.0);
    add_force(f, x, v, once);
    assert_true(largest(once, f->n_deriv) > 0.0);
    dv_parallel_set_threads(3);
    dv_parallel_set_grain_divisor(1000);
    add_force(f, x, v, again);
    dv_parallel_set_grain_divisor(1);
    dv_parallel_set_threads(1);
    assert_memory_equal(once, again, f->n_deriv * sizeof *once);
    add_force(f, x, v, more);
    for (size_t i = 0; i < f->n_deriv; i++)
        more[i] -= start[i];
    assert_same_vectors("a force adds to what is there", more, once, f->n_deriv,
                        1e-12 * (1.0 + largest(once, f->n_deriv)));
    free(once), free(again), free(more), free(start);
}

/* Where it acts by a twin: forces and products are those of the host, with both factors and one of them. */
static void check_twin(const Field *f, const double *x, const double *v)
{
    if (!f->device)
        return;
    Field compared = *f;
    compared.compare = true;
    double *force = numbers(f->n_deriv, 7, 1.0), *d = numbers(f->n_deriv, 15, 1.0),
           *product = numbers(f->n_deriv, 0, 0.0);
    add_force(&compared, x, v, force);
    add_product(&compared, 2.5, -1.5, d, product);
    memset(product, 0, f->n_deriv * sizeof *product);
    add_product(&compared, 1.0, 0.0, d, product);
    add_product(&compared, 0.0, 3.0, d, product);
    free(force), free(d), free(product);
}

static DvSymmetry symmetry_of(const Field *f)
{
    return f->ops->symmetry ? f->ops->symmetry(f->self) : DV_SYMMETRIC;
}

/* New: K, column by column, as who takes matrices of a kind gets it. */
static double *dense_stiffness(const Field *f, DvMatrixKind kind)
{
    Field asked = *f;
    asked.step.kind = kind;
    double *dense = numbers(f->n_deriv * f->n_deriv, 0, 0.0), *unit = numbers(f->n_deriv, 0, 0.0),
           *column = numbers(f->n_deriv, 0, 0.0);
    for (size_t j = 0; j < f->n_deriv; j++) {
        memset(column, 0, f->n_deriv * sizeof *column);
        unit[j] = 1.0;
        add_dforce(&asked, 1.0, unit, column);
        unit[j] = 0.0;
        for (size_t i = 0; i < f->n_deriv; i++)
            dense[i * f->n_deriv + j] = column[i];
    }
    free(unit), free(column);
    return dense;
}

/* The statement of the class, the statement of the table, and the matrix agree. */
static void check_symmetry(const Field *f, bool unsymmetric, const double *x, const double *v)
{
    const size_t n = f->n_deriv;
    double *force = numbers(n, 0, 0.0);
    add_force(f, x, v, force);
    const DvSymmetry said = symmetry_of(f);
    double *k = dense_stiffness(f, DV_MATRIX_ANY), *given = dense_stiffness(f, DV_MATRIX_SYMMETRIC), difference = 0.0;
    const double size = largest(k, n * n);
    assert_int_equal(said != DV_SYMMETRIC, unsymmetric);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const double mean = 0.5 * (k[i * n + j] + k[j * n + i]), expected = said == DV_SYMMETRIC ? k[i * n + j]
                                                                                : said == DV_SYMMETRIC_PART ? mean
                                                                                                            : 0.0;
            difference = fmax(difference, fabs(k[i * n + j] - k[j * n + i]));
            assert_same_vectors("the symmetric matrix is what the class says", &given[i * n + j], &expected, 1,
                                1e-12 * size);
        }
    if (unsymmetric ? !(difference > 1e-3 * size) : !(difference <= 1e-11 * size))
        fail_msg("K and its transpose differ by %g of %g, and the class says %d", difference, size, said);
    free(force), free(k), free(given);
}

static void check_product(const Field *f, const double *x, const double *v)
{
    double *force = numbers(f->n_deriv, 0, 0.0), *u = numbers(f->n_deriv, 3, 1.0), *w = numbers(f->n_deriv, 4, 1.0),
           *ku = numbers(f->n_deriv, 0, 0.0), *kw = numbers(f->n_deriv, 0, 0.0), *both = numbers(f->n_deriv, 9, 1.0),
           *start = numbers(f->n_deriv, 9, 1.0), *again = numbers(f->n_deriv, 0, 0.0);
    add_force(f, x, v, force);
    add_dforce(f, 1.0, u, ku);
    add_dforce(f, 1.0, w, kw);
    const double size = largest(ku, f->n_deriv) + largest(kw, f->n_deriv);
    dv_parallel_set_threads(2);
    dv_parallel_set_grain_divisor(1000);
    add_dforce(f, 1.0, u, again);
    dv_parallel_set_grain_divisor(1);
    dv_parallel_set_threads(1);
    assert_memory_equal(ku, again, f->n_deriv * sizeof *ku);
    for (size_t i = 0; i < f->n_deriv; i++)
        w[i] += 2.0 * u[i];
    add_dforce(f, -3.0, w, both);
    for (size_t i = 0; i < f->n_deriv; i++) {
        both[i] -= start[i];
        kw[i] = -3.0 * (kw[i] + 2.0 * ku[i]);
    }
    assert_same_vectors("products are linear and add", both, kw, f->n_deriv, 1e-11 * (1.0 + size));
    free(force), free(u), free(w), free(ku), free(kw), free(both), free(start), free(again);
}

static void check_tangent(const Field *f, const double *x)
{
    const double h = 1e-6;
    double *d = numbers(f->n_deriv, 11, 1.0), *v = numbers(f->n_deriv, 0, 0.0), *ahead = moved(f, x, d, h),
           *behind = moved(f, x, d, -h), *up = numbers(f->n_deriv, 0, 0.0), *down = numbers(f->n_deriv, 0, 0.0),
           *df = numbers(f->n_deriv, 0, 0.0), *here = numbers(f->n_deriv, 0, 0.0);
    add_force(f, ahead, v, up);
    add_force(f, behind, v, down);
    add_force(f, x, v, here);
    add_dforce(f, 1.0, d, df);
    for (size_t i = 0; i < f->n_deriv; i++)
        up[i] = (up[i] - down[i]) / (2.0 * h);
    assert_same_vectors("a product is the derivative of the force", df, up, f->n_deriv,
                        2e-7 * (largest(df, f->n_deriv) + largest(here, f->n_deriv)) + 1e-9);
    free(d), free(v), free(ahead), free(behind), free(up), free(down), free(df), free(here);
}

/* B v by central differences along v. */
static void check_damping(const Field *f, const double *x, const double *v)
{
    const double h = 1e-6;
    double *d = numbers(f->n_deriv, 13, 1.0), *ahead = numbers(f->n_deriv, 0, 0.0),
           *behind = numbers(f->n_deriv, 0, 0.0), *up = numbers(f->n_deriv, 0, 0.0),
           *down = numbers(f->n_deriv, 0, 0.0), *df = numbers(f->n_deriv, 0, 0.0);
    for (size_t i = 0; i < f->n_deriv; i++) {
        ahead[i] = v[i] + h * d[i];
        behind[i] = v[i] - h * d[i];
    }
    add_force(f, x, ahead, up);
    add_force(f, x, behind, down);
    add_product(f, 0.0, 1.0, d, df);
    for (size_t i = 0; i < f->n_deriv; i++)
        up[i] = (up[i] - down[i]) / (2.0 * h);
    assert_same_vectors("a product with B is the derivative of the force along the velocities", df, up, f->n_deriv,
                        2e-7 * largest(df, f->n_deriv) + 1e-9);
    assert_true(largest(df, f->n_deriv) > 0.0);
    free(d), free(ahead), free(behind), free(up), free(down), free(df);
}

typedef struct Couplings {
    DvPattern base;
    const Field *f;
    uint32_t count;
    size_t (*at)[2]; /* [count] first row, first column */
    double *dense;   /* [n_deriv][n_deriv] */
} Couplings;

static void add_coupling(DvPattern *pattern, uint32_t a, uint32_t row, uint32_t b, uint32_t column)
{
    Couplings *c = (Couplings *)pattern;
    assert_true(a < 2 && b < 2 && row < c->f->points[place(c->f, a)] && column < c->f->points[place(c->f, b)]);
    c->at = realloc(c->at, (c->count + 1) * sizeof *c->at);
    c->at[c->count][0] = c->f->derivs[place(c->f, a)] + (size_t)row * c->f->dof->deriv;
    c->at[c->count++][1] = c->f->derivs[place(c->f, b)] + (size_t)column * c->f->dof->deriv;
}

static void add_dense(const DvMatrixView *view, uint32_t coupling, const double *dense, double factor)
{
    const Couplings *c = view->indirect;
    assert_true(coupling < c->count);
    const uint32_t n = c->f->dof->deriv;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            c->dense[(c->at[coupling][0] + i) * c->f->n_deriv + c->at[coupling][1] + j] += factor * dense[i * n + j];
}

/* Of the matrix STIFFNESS K + DAMPING B. */
static const double STIFFNESS = 2.5, DAMPING = -1.5;

static void check_columns(const Field *f, const double *dense)
{
    double *unit = numbers(f->n_deriv, 0, 0.0), *column = numbers(f->n_deriv, 0, 0.0),
           *expected = numbers(f->n_deriv, 0, 0.0);
    const double size = largest(dense, f->n_deriv * f->n_deriv);
    for (size_t j = 0; j < f->n_deriv; j++) {
        memset(expected, 0, f->n_deriv * sizeof *expected);
        unit[j] = 1.0;
        add_product(f, STIFFNESS, DAMPING, unit, expected);
        unit[j] = 0.0;
        for (size_t i = 0; i < f->n_deriv; i++)
            column[i] = dense[i * f->n_deriv + j];
        assert_same_vectors("the assembled matrix is the product", column, expected, f->n_deriv, 1e-12 * (1.0 + size));
    }
    free(unit), free(column), free(expected);
}

static void check_matrix(const Field *f, const double *x, const double *v)
{
    static const DvPatternOps pattern_ops = {.size = sizeof pattern_ops, .add = add_coupling};
    double *force = numbers(f->n_deriv, 0, 0.0);
    Couplings c = {.base = {&pattern_ops}, .f = f, .dense = numbers(f->n_deriv * f->n_deriv, 0, 0.0)};
    assert_non_null(f->ops->assemble);
    const uint64_t structure = f->ops->structure(f->self);
    f->ops->reserve(f->self, &c.base);
    add_force(f, x, v, force);
    assert_int_equal(f->ops->structure(f->self), structure);
    const uint32_t n = f->dof->deriv;
    DvMatrixView view = {.block = n == 3 || n == 6 ? 3 : n, .indirect = &c, .add = add_dense};
    f->ops->assemble(f->self, &f->step, STIFFNESS, DAMPING, &view);
    check_columns(f, c.dense);

    if (n <= 3) { /* the direct view: each coupling has a block, which several couplings may share */
        uint32_t *slot = calloc(c.count + 1, sizeof *slot);
        double *values = numbers((size_t)c.count * n * n, 0, 0.0);
        for (uint32_t k = 0; k < c.count; k++)
            for (slot[k] = 0; slot[k] < k; slot[k]++)
                if (c.at[slot[k]][0] == c.at[k][0] && c.at[slot[k]][1] == c.at[k][1])
                    break;
        DvMatrixView direct = {.values = values, .slot = slot, .block = n, .direct = true};
        dv_parallel_set_threads(2);
        dv_parallel_set_grain_divisor(1000);
        f->ops->assemble(f->self, &f->step, STIFFNESS, DAMPING, &direct);
        dv_parallel_set_grain_divisor(1);
        dv_parallel_set_threads(1);
        memset(c.dense, 0, f->n_deriv * f->n_deriv * sizeof *c.dense);
        for (uint32_t k = 0; k < c.count; k++)
            if (slot[k] == k)
                add_dense(&view, k, values + (size_t)k * n * n, 1.0);
        check_columns(f, c.dense);
        free(slot), free(values);
    }
    free(force), free(c.dense), free(c.at);
}

/* A matrix with the number of an earlier one is that one. */
static void check_version(const Field *f, const double *start, const double *x, const double *v)
{
    static const DvPatternOps pattern_ops = {.size = sizeof pattern_ops, .add = add_coupling};
    if (!f->ops->matrix_version)
        return;
    double *force = numbers(f->n_deriv, 0, 0.0), *first = NULL;
    Couplings c = {.base = {&pattern_ops}, .f = f, .dense = numbers(f->n_deriv * f->n_deriv, 0, 0.0)};
    const size_t bytes = f->n_deriv * f->n_deriv * sizeof *c.dense;
    f->ops->reserve(f->self, &c.base);
    const DvMatrixView view = {.block = f->dof->deriv, .indirect = &c, .add = add_dense};
    const uint64_t version = f->ops->matrix_version(f->self);
    for (int pass = 0; pass < 3 && version != 0; pass++) { /* before any force, at the start, and moved */
        memset(c.dense, 0, bytes);
        f->ops->assemble(f->self, &f->step, 2.5, 0.0, &view);
        assert_int_equal(f->ops->matrix_version(f->self), version);
        if (pass == 0) {
            first = malloc(bytes);
            memcpy(first, c.dense, bytes);
        }
        assert_memory_equal(c.dense, first, bytes);
        add_force(f, pass == 0 ? start : x, v, force);
    }
    free(first), free(force), free(c.dense), free(c.at);
}

static void check_gradient(const Field *f, const double *x)
{
    const double h = 1e-6;
    double *v = numbers(f->n_deriv, 0, 0.0), *force = numbers(f->n_deriv, 0, 0.0), *unit = numbers(f->n_deriv, 0, 0.0),
           *slope = numbers(f->n_deriv, 0, 0.0);
    add_force(f, x, v, force);
    for (size_t i = 0; i < f->n_deriv; i++) {
        unit[i] = 1.0;
        double *ahead = moved(f, x, unit, h), *behind = moved(f, x, unit, -h);
        unit[i] = 0.0;
        slope[i] = (energy(f, behind) - energy(f, ahead)) / (2.0 * h);
        free(ahead), free(behind);
    }
    assert_same_vectors("the force is minus the gradient of the energy", force, slope, f->n_deriv,
                        1e-6 * (1.0 + largest(force, f->n_deriv) + fabs(energy(f, x))));
    free(v), free(force), free(unit), free(slope);
}

static void check_energy_at_rest(const Field *f, const double *rest)
{
    double *v = numbers(f->n_deriv, 0, 0.0), *force = numbers(f->n_deriv, 0, 0.0), *d = numbers(f->n_deriv, 13, 1e-4),
           *kd = numbers(f->n_deriv, 0, 0.0), *x = moved(f, rest, d, 1.0), half = 0.0;
    add_force(f, rest, v, force);
    add_dforce(f, 1.0, d, kd);
    for (size_t i = 0; i < f->n_deriv; i++)
        half -= 0.5 * d[i] * kd[i];
    const double stored = energy(f, x), none = energy(f, rest);
    assert_true(fabs(none) <= 1e-12 * stored);
    assert_same_vectors("the energy near rest is that of the stiffness", &stored, &half, 1, 2e-3 * half);
    free(v), free(force), free(d), free(kd), free(x);
}

static void check_sums(const Field *f, const double *x, const double *v)
{
    double *force = numbers(f->n_deriv, 0, 0.0);
    add_force(f, x, v, force);
    const double size = largest(force, f->n_deriv) * (1.0 + largest(x, f->n_coord)) * (double)f->n_deriv;
    const uint32_t linear = f->dof->rotation ? 3 : f->dof->deriv;
    double sum[6] = {0.0};
    DvVec3 torque = dv_vec3_zero();
    for (size_t p = 0; p * f->dof->deriv < f->n_deriv; p++) {
        const double *at = force + p * f->dof->deriv;
        for (uint32_t c = 0; c < linear; c++)
            sum[c] += at[c];
        if (linear == 3)
            torque = dv_vec3_add(torque, dv_vec3_cross(dv_vec3_load(x + p * f->dof->coord), dv_vec3_load(at)));
        if (f->dof->rotation)
            torque = dv_vec3_add(torque, dv_vec3_load(at + 3));
    }
    assert_true(largest(sum, 6) <= 1e-14 * size);
    assert_true(dv_vec3_norm(torque) <= 1e-13 * size);
    free(force);
}

static void check_objectivity(const Field *f, const double *x, const double *rest)
{
    const DvQuat q = dv_quat_from_axis_angle(dv_vec3(1.0, -2.0, 0.5), 1.9);
    const DvVec3 shift = dv_vec3(0.3, -0.7, 1.1);
    double *v = numbers(f->n_deriv, 0, 0.0), *force = numbers(f->n_deriv, 0, 0.0), *there = numbers(f->n_deriv, 0, 0.0),
           *still = numbers(f->n_deriv, 0, 0.0), *x_turned = turned(f, x, q, shift),
           *rest_turned = turned(f, rest, q, shift);
    add_force(f, x, v, force);
    add_force(f, x_turned, v, there);
    for (size_t i = 0; i + 2 < f->n_deriv; i += 3)
        dv_vec3_store(dv_quat_rotate(q, dv_vec3_load(force + i)), force + i);
    const double size = largest(force, f->n_deriv);
    assert_same_vectors("the force turns with the body", there, force, f->n_deriv, 1e-11 * size);
    add_force(f, rest, v, still);
    add_force(f, rest_turned, v, still);
    assert_true(largest(still, f->n_deriv) <= 1e-11 * size);
    check_tangent(f, rest_turned);
    free(v), free(force), free(there), free(still), free(x_turned), free(rest_turned);
}

/* A field that names a step too large does so from some step on, the likelier the larger. */
static void check_limit_of_stability(const Field *f)
{
    const DvFaultCauseOps *cause = dv_object_ops(f->object, DV_FAULT_CAUSE);
    if (!cause)
        return;
    DvFault fault = fault_of_all_states();
    DvText text[2] = {{0}};
    assert_true(cause->explain(f->self, &fault, &text[0], &text[1]) == 0.0); /* implicit, nothing inverted */
    fault.explicit_solver = true;
    double before = 0.0;
    for (fault.dt = 1e-12; fault.dt < 1e13; fault.dt *= 10.0) {
        const double likelihood = cause->explain(f->self, &fault, &text[0], &text[1]);
        assert_true(likelihood == 0.0 ? before == 0.0 : likelihood >= before && likelihood <= DV_FAULT_CERTAIN);
        before = likelihood;
    }
    assert_true(before >= DV_FAULT_PROVEN && text[0].length > 0 && text[1].length > 0);
    dv_text_free(&text[0]);
    dv_text_free(&text[1]);
}

void force_field_conformance(const ForceFieldConformance *c)
{
    Field f = field_of(c->scene);
    DeviceTwin device = device_twin_of(f.object, f.state, f.given, NULL);
    f.device = device.twin ? &device : NULL;
    const bool complete = c->tangent == TANGENT_EXACT && c->energy != ENERGY_AT_REST;
    assert_true(complete || c->reason); /* what is left out has a reason */
    double *start = positions(&f, DV_POSITION), *rest = positions(&f, DV_REST_POSITION),
           *push = numbers(f.n_deriv, 5, c->deformation > 0.0 ? c->deformation : 0.1), *x = moved(&f, start, push, 1.0),
           *v = numbers(f.n_deriv, 6, 0.1), *none = numbers(f.n_deriv, 0, 0.0);
    check_version(&f, start, x, v);
    check_force(&f, x, v);
    check_product(&f, x, v);
    check_twin(&f, x, v);
    check_symmetry(&f, c->unsymmetric, x, v);
    if (c->tangent == TANGENT_EXACT)
        check_tangent(&f, x);
    else if (c->tangent == TANGENT_AT_REST)
        check_tangent(&f, rest);
    if (c->damping)
        check_damping(&f, x, v);
    check_matrix(&f, x, v);
    f.step.kind = DV_MATRIX_SYMMETRIC;
    check_matrix(&f, x, v);
    f.step.kind = DV_MATRIX_ANY;
    if (c->energy == ENERGY_EXACT)
        check_gradient(&f, x);
    else if (c->energy == ENERGY_AT_REST)
        check_energy_at_rest(&f, rest);
    else
        assert_null(f.ops->energy);
    if (c->internal)
        check_sums(&f, x, v);
    if (c->objective)
        check_objectivity(&f, x, rest);
    check_limit_of_stability(&f);
    free(start), free(rest), free(push), free(x), free(v), free(none);
    device_twin_free(&device);
    dv_scene_free(f.scene);
}
