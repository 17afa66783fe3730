/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The conformance suite of mappings; see mapping_conformance.h. All random numbers have a fixed seed.
 */
#include "mapping_conformance.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/mapping.h>
#include <divan/memory.h>

#include "device_twin.h"
#include "scene_text.h"

enum { MAX_STATES = 8, DIRECTIONS = 5 };

/* Vectors of several states, one behind the other. */
typedef struct Side {
    uint32_t states;
    DvStateRef state[MAX_STATES];
    size_t coord_start[MAX_STATES + 1], deriv_start[MAX_STATES + 1];
} Side;

typedef struct Subject {
    const DvMappingOps *ops;
    void *self;
    Side in, out;
    DvStep step;
    double *x;          /* coordinates of the inputs where everything is evaluated */
    DeviceTwin *device; /* by which it acts; NULL: on the host */
} Subject;

static uint64_t seed;

static double uniform(void)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (double)((seed * 0x2545f4914f6cdd1du) >> 11) * 0x1p-52 - 1.0;
}

static void fill(double *v, size_t count, double scale)
{
    for (size_t i = 0; i < count; i++)
        v[i] = scale * uniform();
}

static double *vector(size_t count)
{
    return dv_alloc(count, sizeof(double));
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static double norm(const double *a, size_t count)
{
    return sqrt(dot(a, a, count));
}

static size_t derivs(const Side *side)
{
    return side->deriv_start[side->states];
}

static size_t coords(const Side *side)
{
    return side->coord_start[side->states];
}

static void measure(Side *side)
{
    for (uint32_t s = 0; s < side->states; s++) {
        const uint32_t count = dv_state_count(side->state[s]);
        side->coord_start[s + 1] = side->coord_start[s] + (size_t)count * side->state[s].dof->coord;
        side->deriv_start[s + 1] = side->deriv_start[s] + (size_t)count * side->state[s].dof->deriv;
    }
}

static void views(const Side *side, double *at, DvVecKind kind, DvVec v[MAX_STATES], DvConstVec c[MAX_STATES])
{
    for (uint32_t s = 0; s < side->states; s++) {
        const size_t start = kind == DV_COORDS ? side->coord_start[s] : side->deriv_start[s];
        const DvDofType *dof = side->state[s].dof;
        v[s] = (DvVec){at + start, dv_state_count(side->state[s]), kind == DV_COORDS ? dof->coord : dof->deriv};
        c[s] = dv_const(v[s]);
    }
}

/* x moved by h v */
static void move(const Side *side, double *moved, const double *x, const double *v, double h)
{
    for (uint32_t s = 0; s < side->states; s++)
        dv_dof_integrate(side->state[s].dof, dv_state_count(side->state[s]), moved + side->coord_start[s],
                         x + side->coord_start[s], v + side->deriv_start[s], h);
}

/* One of the functions of a mapping, of which these are the vectors of one side and of the other. */
typedef struct Vectors {
    DvVec in[MAX_STATES], out[MAX_STATES], there[MAX_STATES];
    DvConstVec in_const[MAX_STATES], out_const[MAX_STATES], given[MAX_STATES];
} Vectors;

static Vectors vectors_of(const Subject *m, double *in, double *out, DvVecKind kind)
{
    Vectors v = {0};
    views(&m->in, in, kind, v.in, v.in_const);
    views(&m->out, out, kind, v.out, v.out_const);
    return v;
}

/* On a device the twin does it too, with what is there beforehand, and must give what the host does, which it replaces. */
static void send(const Subject *m, Vectors *v, bool up)
{
    if (!m->device)
        return;
    device_twin_send(m->device, up ? v->out_const : v->in_const, up ? m->out.states : m->in.states, v->given);
    device_twin_send_sum(m->device, up ? v->in : v->out, up ? m->in.states : m->out.states, v->there);
}

static void take(const Subject *m, const char *name, const Vectors *v, bool up)
{
    device_twin_take(m->device, name, v->there, up ? m->in.states : m->out.states, up ? v->in : v->out);
    device_twin_release(m->device);
}

static void apply(const Subject *m, double *x_in, double *x_out)
{
    Vectors v = vectors_of(m, x_in, x_out, DV_COORDS);
    send(m, &v, false);
    m->ops->apply(m->self, &m->step, v.in_const, v.out);
    if (!m->device)
        return;
    DvTwin *twin = device_twin_now(m->device);
    twin->ops->apply(twin, v.given, v.there);
    take(m, "f(x)", &v, false);
}

static void apply_j(const Subject *m, double *v_in, double *v_out)
{
    Vectors v = vectors_of(m, v_in, v_out, DV_DERIVS);
    send(m, &v, false);
    m->ops->apply_j(m->self, &m->step, v.in_const, v.out);
    if (!m->device)
        return;
    DvTwin *twin = device_twin_now(m->device);
    twin->ops->apply_j(twin, v.given, v.there);
    take(m, "J v", &v, false);
}

static void apply_jt(const Subject *m, double *f_out, double *f_in)
{
    Vectors v = vectors_of(m, f_in, f_out, DV_DERIVS);
    send(m, &v, true);
    m->ops->apply_jt(m->self, &m->step, v.out_const, v.in);
    if (!m->device)
        return;
    DvTwin *twin = device_twin_now(m->device);
    twin->ops->apply_jt(twin, v.given, v.there);
    take(m, "J^T f", &v, true);
}

static void apply_djt(const Subject *m, double k, double *f_out, double *dx, double *df)
{
    Vectors v = vectors_of(m, df, f_out, DV_DERIVS);
    DvVec d[MAX_STATES];
    DvConstVec d_const[MAX_STATES], d_there[MAX_STATES];
    views(&m->in, dx, DV_DERIVS, d, d_const);
    /* Mechanics asks the host for the symmetric part. */
    const bool there = m->device && (m->step.kind != DV_MATRIX_SYMMETRIC || !m->ops->symmetry ||
                                     m->ops->symmetry(m->self) == DV_SYMMETRIC);
    if (there) {
        send(m, &v, true);
        device_twin_send(m->device, d_const, m->in.states, d_there);
    }
    if (m->ops->apply_djt)
        m->ops->apply_djt(m->self, &m->step, k, v.out_const, d_const, v.in);
    if (!there)
        return;
    DvTwin *twin = device_twin_now(m->device);
    if (twin->ops->apply_djt)
        twin->ops->apply_djt(twin, k, v.given, d_there, v.there);
    take(m, "the geometric stiffness times dx", &v, true);
}

static void assert_close(const char *what, const double *a, const double *b, size_t count, double tolerance)
{
    const double scale = fmax(fmax(norm(a, count), norm(b, count)), 1e-3);
    for (size_t i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= tolerance * scale))
            fail_msg("%s: component %zu is %.15g, expected %.15g", what, i, a[i], b[i]);
}

static void j_is_the_derivative_of_f(const Subject *m)
{
    const double h = 1e-5;
    const size_t n = derivs(&m->out);
    double *v = vector(derivs(&m->in)), *moved = vector(coords(&m->in));
    double *ahead = vector(coords(&m->out)), *behind = vector(coords(&m->out)), *differences = vector(n),
           *jv = vector(n);
    for (int k = 0; k < DIRECTIONS; k++) {
        fill(v, derivs(&m->in), 1.0);
        /* Coordinates that a mapping leaves alone (an orientation, say) start alike. */
        for (uint32_t s = 0; s < m->out.states; s++) {
            const DvConstVec start = dv_state_read(m->out.state[s], DV_POSITION);
            memcpy(ahead + m->out.coord_start[s], start.at, (size_t)start.count * start.dim * sizeof *ahead);
        }
        memcpy(behind, ahead, coords(&m->out) * sizeof *behind);
        move(&m->in, moved, m->x, v, h);
        apply(m, moved, ahead);
        move(&m->in, moved, m->x, v, -h);
        apply(m, moved, behind);
        for (uint32_t s = 0; s < m->out.states; s++)
            dv_dof_difference(m->out.state[s].dof, dv_state_count(m->out.state[s]), differences + m->out.deriv_start[s],
                              ahead + m->out.coord_start[s], behind + m->out.coord_start[s]);
        for (size_t i = 0; i < n; i++)
            differences[i] /= 2.0 * h;
        apply(m, m->x, ahead);
        fill(jv, n, 100.0);
        apply_j(m, v, jv);
        assert_close("J v against differences of f", jv, differences, n, 1e-8);
        assert_true(norm(jv, n) > 0.0);
    }
    dv_free(v);
    dv_free(moved);
    dv_free(ahead);
    dv_free(behind);
    dv_free(differences);
    dv_free(jv);
}

static void jt_is_the_transpose_and_adds(const Subject *m)
{
    const size_t n_in = derivs(&m->in), n_out = derivs(&m->out);
    double *v = vector(n_in), *jv = vector(n_out), *f = vector(n_out), *jtf = vector(n_in), *before = vector(n_in);
    for (int k = 0; k < DIRECTIONS; k++) {
        fill(v, n_in, 1.0);
        fill(f, n_out, 1.0);
        fill(before, n_in, 1.0);
        memcpy(jtf, before, n_in * sizeof *jtf);
        apply_j(m, v, jv);
        apply_jt(m, f, jtf);
        for (size_t i = 0; i < n_in; i++)
            jtf[i] -= before[i];
        const double a = dot(f, jv, n_out), b = dot(jtf, v, n_in);
        if (!(fabs(a - b) <= 1e-12 * (norm(f, n_out) * norm(jv, n_out) + norm(jtf, n_in) * norm(v, n_in))))
            fail_msg("f . J v = %.15g, but J^T f . v = %.15g", a, b);
        assert_true(norm(jtf, n_in) > 0.0);
    }
    dv_free(v);
    dv_free(jv);
    dv_free(f);
    dv_free(jtf);
    dv_free(before);
}

static void the_blocks_are_j(const Subject *m)
{
    const size_t n_in = derivs(&m->in), n_out = derivs(&m->out);
    double *v = vector(n_in), *jv = vector(n_out), *product = vector(n_out);
    fill(v, n_in, 1.0);
    apply_j(m, v, jv);
    for (uint32_t o = 0; o < m->out.states; o++)
        for (uint32_t s = 0; s < m->in.states; s++) {
            const DvJacobian *j = m->ops->jacobian(m->self, o, s);
            const uint32_t rows = m->out.state[o].dof->deriv, columns = m->in.state[s].dof->deriv;
            assert_non_null(j);
            assert_int_equal(j->rows, dv_state_count(m->out.state[o]));
            assert_int_equal(j->columns_count, dv_state_count(m->in.state[s]));
            for (uint32_t i = 0; i < j->rows; i++)
                for (uint32_t e = j->row_start[i]; e < j->row_start[i + 1]; e++) {
                    assert_true(j->columns[e] < j->columns_count);
                    assert_true(e == j->row_start[i] || j->columns[e - 1] < j->columns[e]);
                    for (uint32_t r = 0; r < rows; r++)
                        for (uint32_t c = 0; c < columns; c++)
                            product[m->out.deriv_start[o] + (size_t)i * rows + r] +=
                                j->values[((size_t)e * rows + r) * columns + c] *
                                v[m->in.deriv_start[s] + (size_t)j->columns[e] * columns + c];
                }
            const uint64_t structure = j->structure, version = j->version;
            const size_t size = (size_t)j->row_start[j->rows] * rows * columns;
            double *values = vector(size + 1);
            memcpy(values, j->values, size * sizeof *values);
            assert_true(m->ops->jacobian(m->self, o, s)->structure == structure);
            j = m->ops->jacobian(m->self, o, s);
            if (version != 0 && j->version == version) /* whatever was applied since */
                assert_memory_equal(values, j->values, size * sizeof *values);
            dv_free(values);
        }
    assert_close("blocks of J times v", product, jv, n_out, 1e-13);
    dv_free(v);
    dv_free(jv);
    dv_free(product);
}

/* Collects couplings as a dense matrix over the inputs' derivatives. */
typedef struct Dense {
    DvPattern pattern;
    const Side *side;
    struct {
        uint32_t a, row, b, column;
    } coupling[4096];
    uint32_t count;
    double *at;
} Dense;

static void dense_reserve(DvPattern *pattern, uint32_t a, uint32_t row, uint32_t b, uint32_t column)
{
    Dense *dense = (Dense *)pattern;
    assert_true(dense->count < 4096);
    assert_true(row < dv_state_count(dense->side->state[a]) && column < dv_state_count(dense->side->state[b]));
    dense->coupling[dense->count].a = a;
    dense->coupling[dense->count].row = row;
    dense->coupling[dense->count].b = b;
    dense->coupling[dense->count++].column = column;
}

static void dense_add(const DvMatrixView *view, uint32_t coupling, const double *block, double factor)
{
    Dense *dense = (Dense *)view->indirect;
    assert_true(coupling < dense->count);
    const Side *side = dense->side;
    const uint32_t a = dense->coupling[coupling].a, b = dense->coupling[coupling].b;
    const uint32_t rows = side->state[a].dof->deriv, columns = side->state[b].dof->deriv;
    const size_t first_row = side->deriv_start[a] + (size_t)dense->coupling[coupling].row * rows;
    const size_t first_column = side->deriv_start[b] + (size_t)dense->coupling[coupling].column * columns;
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < columns; c++)
            dense->at[(first_row + r) * derivs(side) + first_column + c] += factor * block[r * columns + c];
}

static void couplings_are_the_geometric_stiffness(const Subject *m, double *f, double *dx, const double *df,
                                                  bool projected)
{
    static const DvPatternOps pattern_ops = {.size = sizeof pattern_ops, .add = dense_reserve};
    const size_t n = derivs(&m->in);
    assert_true((m->ops->reserve_stiffness == NULL) == (m->ops->assemble_stiffness == NULL));
    assert_true((m->ops->apply_djt == NULL) == (m->ops->assemble_stiffness == NULL));
    if (!m->ops->reserve_stiffness)
        return;
    Dense *dense = calloc(1, sizeof *dense);
    dense->pattern.ops = &pattern_ops;
    dense->side = &m->in;
    dense->at = vector(n * n);
    m->ops->reserve_stiffness(m->self, &dense->pattern);
    const DvMatrixView view = {.indirect = dense, .add = dense_add, .kind = m->step.kind};
    DvVec forces[MAX_STATES];
    DvConstVec forces_const[MAX_STATES];
    views(&m->out, f, DV_DERIVS, forces, forces_const);
    m->ops->assemble_stiffness(m->self, 1.0, forces_const, &view);
    double *product = vector(n);
    for (size_t r = 0; r < n; r++)
        product[r] = dot(dense->at + r * n, dx, n);
    assert_close("couplings of the geometric stiffness times dx", product, df, n, 1e-12);
    for (size_t r = 0; projected && r < n; r++)
        for (size_t c = 0; c < n; c++)
            assert_true(fabs(dense->at[r * n + c] - dense->at[c * n + r]) <= 1e-14);
    dv_free(product);
    dv_free(dense->at);
    free(dense);
}

static void geometric_stiffness_is_the_derivative_of_jt(const Subject *m, const MappingConformance *options)
{
    const double h = 1e-5;
    const size_t n_in = derivs(&m->in), n_out = derivs(&m->out);
    double *f = vector(n_out), *dx = vector(n_in), *df = vector(n_in), *twice = vector(n_in);
    double *moved = vector(coords(&m->in)), *child = vector(coords(&m->out)), *ahead = vector(n_in),
           *behind = vector(n_in);
    for (int k = 0; k < DIRECTIONS; k++) {
        fill(f, n_out, 1.0);
        fill(dx, n_in, 1.0);
        memset(ahead, 0, n_in * sizeof *ahead);
        memset(behind, 0, n_in * sizeof *behind);
        memset(df, 0, n_in * sizeof *df);
        apply(m, m->x, child);
        apply_djt(m, 1.0, f, dx, df);
        memcpy(twice, df, n_in * sizeof *twice);
        apply_djt(m, -3.0, f, dx, twice);
        for (size_t i = 0; i < n_in; i++)
            assert_true(fabs(twice[i] + 2.0 * df[i]) <= 1e-12 * (1.0 + fabs(df[i])));
        couplings_are_the_geometric_stiffness(m, f, dx, df, options->geometric_stiffness == GEOMETRIC_PROJECTED);
        switch (options->geometric_stiffness) {
        case GEOMETRIC_EXACT:
            move(&m->in, moved, m->x, dx, h);
            apply(m, moved, child);
            apply_jt(m, f, ahead);
            move(&m->in, moved, m->x, dx, -h);
            apply(m, moved, child);
            apply_jt(m, f, behind);
            for (size_t i = 0; i < n_in; i++)
                ahead[i] = (ahead[i] - behind[i]) / (2.0 * h);
            assert_close("geometric stiffness against differences of J^T f", df, ahead, n_in, 1e-7);
            break;
        case GEOMETRIC_LEFT_OUT:
            assert_non_null(options->reason);
            assert_true(norm(df, n_in) == 0.0);
            break;
        case GEOMETRIC_PROJECTED:
            assert_non_null(options->reason);
            assert_true(dot(dx, df, n_in) <= 1e-13);
            break;
        }
    }
    apply(m, m->x, child);
    dv_free(f);
    dv_free(dx);
    dv_free(df);
    dv_free(twice);
    dv_free(moved);
    dv_free(child);
    dv_free(ahead);
    dv_free(behind);
}

/* New: the geometric stiffness as who takes matrices of a kind gets it. */
static double *dense_geometric_stiffness(const Subject *m, double *f, DvMatrixKind kind)
{
    Subject asked = *m;
    asked.step.kind = kind;
    const size_t n = derivs(&m->in);
    double *dense = vector(n * n), *unit = vector(n), *column = vector(n);
    for (size_t c = 0; c < n; c++) {
        memset(column, 0, n * sizeof *column);
        unit[c] = 1.0;
        apply_djt(&asked, 1.0, f, unit, column);
        unit[c] = 0.0;
        for (size_t r = 0; r < n; r++)
            dense[r * n + c] = column[r];
    }
    dv_free(unit);
    dv_free(column);
    return dense;
}

/* What the mapping says of the symmetry of its geometric stiffness is so, and who takes symmetric matrices gets what it says. */
static void the_symmetry_is_that_said(const Subject *m)
{
    const DvSymmetry said = m->ops->symmetry ? m->ops->symmetry(m->self) : DV_SYMMETRIC;
    const size_t n = derivs(&m->in);
    double *f = vector(derivs(&m->out)), *child = vector(coords(&m->out)), difference = 0.0, size = 0.0;
    fill(f, derivs(&m->out), 1.0);
    apply(m, m->x, child);
    double *g = dense_geometric_stiffness(m, f, DV_MATRIX_ANY),
           *given = dense_geometric_stiffness(m, f, DV_MATRIX_SYMMETRIC);
    for (size_t i = 0; i < n * n; i++)
        size = fmax(size, fabs(g[i]));
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < n; c++) {
            const double mean = 0.5 * (g[r * n + c] + g[c * n + r]), expected = said == DV_SYMMETRIC ? g[r * n + c]
                                                                                : said == DV_SYMMETRIC_PART ? mean
                                                                                                            : 0.0;
            difference = fmax(difference, fabs(g[r * n + c] - g[c * n + r]));
            assert_true(fabs(given[r * n + c] - expected) <= 1e-12 * size);
        }
    assert_true(said == DV_SYMMETRIC ? difference <= 1e-12 * size : difference > 1e-3 * size);
    dv_free(f);
    dv_free(child);
    dv_free(g);
    dv_free(given);
}

static void find_states(Side *side, uint32_t (*list)(void *, DvObject **, uint32_t), void *self)
{
    DvObject *states[MAX_STATES];
    side->states = list(self, states, MAX_STATES);
    assert_true(side->states > 0 && side->states <= MAX_STATES);
    for (uint32_t s = 0; s < side->states; s++) {
        side->state[s] = dv_state_ref(states[s]);
        assert_non_null(side->state[s].ops);
        assert_true(dv_state_count(side->state[s]) > 0);
    }
    measure(side);
}

void mapping_conformance(const MappingConformance *options)
{
    DvScene *scene = scene_from_text(options->scene);
    DvObject *mapping[2] = {NULL, NULL};
    assert_int_equal(dv_node_find_all(dv_scene_root(scene), DV_MAPPING, DV_SEARCH_DOWN, mapping, 2), 1);
    seed = 0x9e3779b97f4a7c15u;
    Subject m = {.ops = dv_object_ops(mapping[0], DV_MAPPING),
                 .self = dv_object_self(mapping[0]),
                 .step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY, .kind = DV_MATRIX_ANY}};
    find_states(&m.in, m.ops->inputs, m.self);
    find_states(&m.out, m.ops->outputs, m.self);
    DeviceTwin device = device_twin_of(mapping[0], m.in.state, m.in.states, m.out.state);
    m.device = device.twin ? &device : NULL;

    /* A state near that of the scene, where nothing is special. */
    m.x = vector(coords(&m.in));
    double *start = vector(coords(&m.in)), *shift = vector(derivs(&m.in)), *child = vector(coords(&m.out));
    for (uint32_t s = 0; s < m.in.states; s++) {
        const DvConstVec x = dv_state_read(m.in.state[s], DV_POSITION);
        memcpy(start + m.in.coord_start[s], x.at, (size_t)x.count * x.dim * sizeof *start);
    }
    fill(shift, derivs(&m.in), 0.1);
    move(&m.in, m.x, start, shift, 1.0);
    apply(&m, m.x, child);

    j_is_the_derivative_of_f(&m);
    jt_is_the_transpose_and_adds(&m);
    the_blocks_are_j(&m);
    geometric_stiffness_is_the_derivative_of_jt(&m, options);
    the_symmetry_is_that_said(&m);

    dv_free(start);
    dv_free(shift);
    dv_free(child);
    dv_free(m.x);
    device_twin_free(&device);
    dv_scene_free(scene);
}
