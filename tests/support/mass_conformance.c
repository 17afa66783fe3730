/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The conformance suite of masses; see the header.
 */
#include "mass_conformance.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/mechanical_operations.h>
#include <divan/math/vec.h>
#include <divan/plugin.h>

#include "device_twin.h"
#include "scene_text.h"

/* Numbers between -1 and 1, the same in every run. */
static void fill(double *at, size_t n, uint32_t seed)
{
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        at[i] = (double)(seed >> 8) / (double)(1u << 23) - 1.0;
    }
}

static void assert_near(double value, double expected, double size)
{
    if (!(fabs(value - expected) <= 1e-12 * fmax(size, 1e-3)))
        fail_msg("%.17g instead of %.17g", value, expected);
}

typedef struct Case {
    DvScene *scene;
    DvStateRef state;
    DvObject *object;
    const DvMassOps *ops;
    const DvForceFieldOps *force;
    void *self;
    uint32_t points, dim;
    size_t n;
    DvStep step;
    DeviceTwin *device; /* by which it acts; NULL: on the host */
} Case;

static DvConstVec const_vector(const Case *c, const double *at)
{
    return (DvConstVec){at, c->points, c->dim};
}

static DvVec vector(const Case *c, double *at)
{
    return (DvVec){at, c->points, c->dim};
}

/* On a device by the twin, which must give what the host does; a twin without a function does nothing there. */
static void add_mdx(const Case *c, double factor, DvConstVec dx, DvVec res)
{
    DvConstVec dx_there;
    DvVec there;
    if (c->device)
        device_twin_send_sum(c->device, &res, 1, &there);
    c->ops->add_mdx(c->self, factor, dx, res);
    if (!c->device)
        return;
    DvTwin *twin = device_twin_now(c->device);
    device_twin_send(c->device, &dx, 1, &dx_there);
    twin->ops->add_mdx(twin, factor, dx_there, there);
    device_twin_take(c->device, "a product with M", &there, 1, &res);
    device_twin_release(c->device);
}

static void add_weight(const Case *c, DvConstVec x, DvConstVec v, DvVec f)
{
    DvConstVec x_there, v_there;
    DvVec there;
    if (c->device)
        device_twin_send_sum(c->device, &f, 1, &there);
    c->force->add_force(c->self, &c->step, &x, &v, &f);
    if (!c->device)
        return;
    DvTwin *twin = device_twin_now(c->device);
    device_twin_send(c->device, &x, 1, &x_there);
    device_twin_send(c->device, &v, 1, &v_there);
    if (twin->ops->add_force)
        twin->ops->add_force(twin, &c->step, &x_there, &v_there, &there);
    device_twin_take(c->device, "the weight", &there, 1, &f);
    device_twin_release(c->device);
}

static void acceleration(const Case *c, DvConstVec f, DvVec a)
{
    DvConstVec f_there;
    DvVec there;
    c->ops->acceleration(c->self, f, a);
    DvTwin *twin = c->device ? device_twin_now(c->device) : NULL;
    if (!twin || !twin->ops->acceleration)
        return;
    device_twin_send(c->device, &f, 1, &f_there);
    device_twin_send_sum(c->device, &a, 1, &there);
    twin->ops->acceleration(twin, f_there, there);
    device_twin_take(c->device, "the acceleration", &there, 1, &a);
    device_twin_release(c->device);
}

static double *numbers(const Case *c, uint32_t seed)
{
    double *at = calloc(c->n + 1, sizeof *at);
    if (seed)
        fill(at, c->n, seed);
    return at;
}

static double dot(const Case *c, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t i = 0; i < c->n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void check_products(const Case *c)
{
    double *u = numbers(c, 1), *v = numbers(c, 2), *mu = numbers(c, 0), *mv = numbers(c, 0), *twice = numbers(c, 3),
           *start = numbers(c, 3);
    add_mdx(c, 1.0, const_vector(c, u), vector(c, mu));
    add_mdx(c, 1.0, const_vector(c, v), vector(c, mv));
    add_mdx(c, -2.5, const_vector(c, u), vector(c, twice));
    const double size = dot(c, mu, mu) + dot(c, mv, mv);
    assert_near(dot(c, u, mv), dot(c, v, mu), size);
    assert_true(dot(c, u, mu) > 0.0);
    for (size_t i = 0; i < c->n; i++)
        assert_near(twice[i], start[i] - 2.5 * mu[i], fabs(mu[i]) + 1.0);
    if (c->ops->is_diagonal(c->self)) {
        double *a = numbers(c, 0);
        acceleration(c, const_vector(c, mu), vector(c, a));
        for (size_t i = 0; i < c->n; i++)
            if (c->ops->point_mass(c->self, (uint32_t)(i / c->dim)) > 0.0)
                assert_near(a[i], u[i], 1.0);
        free(a);
    }
    assert_near(c->ops->kinetic_energy(c->self, const_vector(c, v)), 0.5 * dot(c, v, mv), size);
    free(u), free(v), free(mu), free(mv), free(twice), free(start);
}

static void check_matrix(const Case *c)
{
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    DvMechanics *m = ops->open(dv_scene_root(c->scene));
    const DvBlockMatrix *a = ops->assemble(m, &c->step, (DvFactors){.m = 1.0}, 0);
    assert_non_null(a);
    assert_int_equal(a->rows * a->block, c->n);
    double *unit = numbers(c, 0), *column = numbers(c, 0);
    for (uint32_t j = 0; j < c->n; j++) {
        memset(column, 0, c->n * sizeof *column);
        unit[j] = 1.0;
        add_mdx(c, 1.0, const_vector(c, unit), vector(c, column));
        unit[j] = 0.0;
        for (uint32_t row = 0; row < a->rows; row++)
            for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++)
                for (uint32_t i = 0; i < a->block && a->columns[e] == j / a->block; i++) {
                    const double entry = a->values[((size_t)e * a->block + i) * a->block + j % a->block];
                    assert_near(entry, column[row * a->block + i], fabs(entry));
                    column[row * a->block + i] = 0.0;
                }
        for (size_t i = 0; i < c->n; i++) /* nothing outside the structure */
            assert_true(column[i] == 0.0);
    }
    free(unit), free(column);
    ops->close(m);
}

static void check_weight(const Case *c, double total)
{
    const DvConstVec x = dv_state_read(c->state, DV_POSITION), v = dv_state_read(c->state, DV_VELOCITY);
    const double *gravity = dv_node_gravity(dv_scene_root(c->scene));
    double *f = numbers(c, 0), sum[3] = {0, 0, 0}, masses = 0.0;
    const DvVec force = vector(c, f);
    add_weight(c, x, v, force);
    double *moved = malloc((size_t)x.count * x.dim * sizeof *moved);
    memcpy(moved, x.at, (size_t)x.count * x.dim * sizeof *moved);
    const DvConstVec there = {moved, x.count, x.dim};
    for (uint32_t p = 0; p < c->points; p++) {
        masses += c->ops->point_mass(c->self, p);
        for (uint32_t i = 0; i < c->dim; i++) {
            const bool linear = i < c->state.dof->spatial;
            if (!linear) {
                assert_true(f[p * c->dim + i] == 0.0);
                continue;
            }
            sum[i] += f[p * c->dim + i];
            double *at = &moved[(size_t)p * x.dim + i];
            const double here = *at;
            *at = here + 0.5;
            const double above = c->force->energy(c->self, &c->step, &there);
            *at = here - 0.5;
            const double below = c->force->energy(c->self, &c->step, &there);
            *at = here;
            assert_near(f[p * c->dim + i], below - above, fabs(above) + fabs(below));
        }
    }
    for (uint32_t i = 0; i < c->state.dof->spatial; i++)
        assert_near(sum[i], masses * gravity[i], fabs(sum[i]));
    if (total != 0.0)
        assert_near(masses, total, total);

    double *nothing = numbers(c, 0), *velocity = numbers(c, 5), *before = numbers(c, 5);
    const DvVec none = vector(c, nothing);
    dv_data_set_bool(dv_object_field(c->object, "separateGravity"), true);
    assert_true(c->ops->separate_gravity(c->self));
    add_weight(c, x, v, none);
    c->ops->add_gravity_to_velocity(c->self, 0.25, vector(c, velocity));
    dv_data_set_bool(dv_object_field(c->object, "separateGravity"), false);
    for (size_t i = 0; i < c->n; i++) {
        const uint32_t component = (uint32_t)i % c->dim;
        const double g = component < c->state.dof->spatial ? gravity[component] : 0.0;
        assert_true(nothing[i] == 0.0);
        assert_near(velocity[i], before[i] + 0.25 * g, 1.0);
    }
    free(f), free(moved), free(nothing), free(velocity), free(before);
}

static void check_momentum(const Case *c)
{
    const DvConstVec x = dv_state_read(c->state, DV_POSITION);
    double *v = numbers(c, 7), *mv = numbers(c, 0), expected[6] = {0}, momentum[6] = {0};
    add_mdx(c, 1.0, const_vector(c, v), vector(c, mv));
    for (uint32_t p = 0; p < c->points; p++) {
        const double *at = mv + (size_t)p * c->dim;
        dv_vec3_accumulate(dv_vec3_load(at), expected);
        dv_vec3_accumulate(dv_vec3_cross(dv_vec3_load(x.at + (size_t)p * x.dim), dv_vec3_load(at)), expected + 3);
        if (c->dim == 6 && c->state.dof->rotation)
            dv_vec3_accumulate(dv_vec3_load(at + 3), expected + 3);
    }
    c->ops->momentum(c->self, x, const_vector(c, v), momentum);
    for (size_t i = 0; i < 6; i++)
        assert_near(momentum[i], expected[i], 10.0);
    free(v), free(mv);
}

static void check_rayleigh_mass(const Case *c)
{
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    DvMechanics *m = ops->open(dv_scene_root(c->scene));
    double *u = numbers(c, 9), *expected = numbers(c, 0), *product = numbers(c, 0);
    dv_data_set_double(dv_object_field(c->object, "rayleighMass"), 0.5);
    ops->compute_force(m, &c->step, DV_FORCE, DV_WALK_VISITOR);
    const DvVecId d = ops->allocate(m, DV_DERIVS), r = ops->allocate(m, DV_DERIVS);
    ops->scatter(m, d, u);
    ops->add_mbk(m, &c->step, (DvFactors){.m = 3.0, .b = 4.0}, r, d, DV_WALK_VISITOR);
    ops->gather(m, product, r);
    add_mdx(c, 3.0 - 4.0 * 0.5, const_vector(c, u), vector(c, expected));
    for (size_t i = 0; i < c->n; i++)
        assert_near(product[i], expected[i], fabs(expected[i]));
    dv_data_set_double(dv_object_field(c->object, "rayleighMass"), 0.0);
    free(u), free(expected), free(product);
    ops->close(m);
}

void mass_conformance(const MassConformance *m)
{
    Case c = {.scene = scene_from_text(m->scene)};
    c.state = scene_state(c.scene, "/dofs");
    c.object = scene_object(c.scene, "/mass");
    c.ops = dv_object_ops(c.object, DV_MASS);
    c.force = dv_object_ops(c.object, DV_FORCE_FIELD);
    c.self = dv_object_self(c.object);
    c.points = dv_state_count(c.state);
    c.dim = c.state.dof->deriv;
    c.n = (size_t)c.points * c.dim;
    c.step = (DvStep){.time = 0.0, .dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    assert_true(c.points > 0 && c.ops && c.force);
    DeviceTwin device = device_twin_of(c.object, &c.state, 1, NULL);
    c.device = device.twin ? &device : NULL;
    assert_ptr_equal(c.ops->state(c.self), c.state.object);
    if (c.device) { /* there M of bodies that turn is that of the last force */
        double *f = numbers(&c, 0);
        add_weight(&c, dv_state_read(c.state, DV_POSITION), dv_state_read(c.state, DV_VELOCITY), vector(&c, f));
        free(f);
    }
    check_products(&c);
    check_matrix(&c);
    check_weight(&c, m->total);
    if (!m->no_momentum)
        check_momentum(&c);
    check_rayleigh_mass(&c);
    device_twin_free(&device);
    dv_scene_free(c.scene);
}
