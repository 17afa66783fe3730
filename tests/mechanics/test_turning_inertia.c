/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rigid bodies whose inertia turns with them: the free asymmetric top against its closed form in Jacobi's elliptic functions, the
 * order of each integrator, the derivative that implicit steps use against finite differences, and what stays as it was.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <divan/contracts/lagrangian_constraint.h>
#include <divan/contracts/mechanical_operations.h>
#include <divan/math/mat.h>
#include <divan/math/rigid.h>
#include <divan/plugin.h>

#include "mass_conformance.h"
#include "scene_text.h"

#define LDL "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
#define CG  "<CGLinearSolver iterations='50' tolerance='1e-15' threshold='1e-30'/>"

#define BODIES       "1 2 3 0 0 0 1   0 1 0 0.5 0.5 0.5 0.5   2 0 0 0 0.6 0 0.8"
#define FULL_INERTIA "2 1 [0.4 0.1 0, 0.1 0.5 0.05, 0 0.05 0.6]"
MASS_CONFORMANCE(a_uniform_mass_that_turns_is_a_mass,
                 .scene = "<Node name='root' gravity='1 -9.81 2'><MechanicalObject name='dofs' template='Rigid3d' "
                          "position='" BODIES "'/><UniformMass name='mass' turningInertia='1' vertexMass='" FULL_INERTIA
                          "'/></Node>",
                 .total = 6)
MASS_CONFORMANCE(a_uniform_mass_of_some_bodies_that_turn_is_a_mass,
                 .scene = "<Node name='root' gravity='1 -9.81 2'><MechanicalObject name='dofs' template='Rigid3d' "
                          "position='" BODIES "'/><UniformMass name='mass' turningInertia='1' indices='2 1' "
                          "vertexMass='" FULL_INERTIA "'/></Node>",
                 .total = 4)
MASS_CONFORMANCE(a_diagonal_mass_that_turns_is_a_mass,
                 .scene = "<Node name='root' gravity='1 -9.81 2'><MechanicalObject name='dofs' template='Rigid3d' "
                          "position='" BODIES
                          "'/><DiagonalMass name='mass' turningInertia='1' vertexMass='" FULL_INERTIA
                          " 3 1 1 0 0 0 2 0 0 0 3'/></Node>",
                 .total = 8)

/* ---- The closed form ---- */

/* Jacobi's sn, cn, dn and the quarter period by the arithmetic-geometric mean (Abramowitz and Stegun 16.4, 17.6). */
typedef struct Elliptic {
    double sn, cn, dn, quarter;
} Elliptic;

static Elliptic elliptic(double u, double parameter)
{
    double a[12] = {1.0}, c[12] = {sqrt(parameter)}, b = sqrt(1.0 - parameter);
    int n = 0;
    while (n < 11 && fabs(c[n]) > 1e-16) {
        a[n + 1] = 0.5 * (a[n] + b);
        c[n + 1] = 0.5 * (a[n] - b);
        b = sqrt(a[n] * b);
        n++;
    }
    double phi = ldexp(a[n] * u, n);
    for (int k = n; k > 0; k--)
        phi = 0.5 * (phi + asin(c[k] / a[k] * sin(phi)));
    return (Elliptic){sin(phi), cos(phi), sqrt(1.0 - parameter * sin(phi) * sin(phi)), M_PI / (2.0 * a[n])};
}

/* A top of principal moments 1, 2, 3 kg m^2 that turns about the second, with a little of the third (Landau and Lifshitz, Mechanics,
 * paragraph 37): angular velocity in body axes, and the time of half a turn-over. */
static const double moment[3] = {1, 2, 3}, start_w[3] = {0, 1, 0.2};

typedef struct Top {
    double amplitude[3], rate, parameter, quarter;
} Top;

static Top free_top(void)
{
    double energy = 0, square = 0; /* twice the energy; the squared angular momentum */
    for (int i = 0; i < 3; i++) {
        energy += moment[i] * start_w[i] * start_w[i];
        square += moment[i] * moment[i] * start_w[i] * start_w[i];
    }
    const double low = square - energy * moment[0], high = energy * moment[2] - square;
    Top top = {
        .amplitude = {sqrt(high / (moment[0] * (moment[2] - moment[0]))),
                      sqrt(high / (moment[1] * (moment[2] - moment[1]))),
                      sqrt(low / (moment[2] * (moment[2] - moment[0])))},
        .rate = sqrt((moment[2] - moment[1]) * low / (moment[0] * moment[1] * moment[2])),
        .parameter = (moment[1] - moment[0]) * high / ((moment[2] - moment[1]) * low),
    };
    top.quarter = elliptic(0, top.parameter).quarter;
    return top;
}

static double flip_time(void)
{
    const Top top = free_top();
    return 2.0 * top.quarter / top.rate;
}

static void exact_velocity(double time, double w[3])
{
    const Top top = free_top();
    const Elliptic e = elliptic(top.quarter + top.rate * time, top.parameter);
    w[0] = top.amplitude[0] * e.cn;
    w[1] = top.amplitude[1] * e.sn;
    w[2] = top.amplitude[2] * e.dn;
}

/* ---- The simulated top ---- */

#define UNIFORM  "<UniformMass name='mass' turningInertia='1' vertexMass='2 1 0.5 0 0 0 1 0 0 0 1.5'/>"
#define DIAGONAL "<DiagonalMass name='mass' turningInertia='1' vertexMass='2 1 0.5 0 0 0 1 0 0 0 1.5'/>"

static DvVec3 in_world(DvQuat q, const double *body)
{
    return dv_quat_rotate(q, dv_vec3_load(body));
}

/* Its start is turned, so that body axes and world axes differ. */
static DvScene *top_scene(const char *solver, const char *mass, double dt)
{
    const DvQuat q = dv_quat_normalize(dv_quat(0.1, -0.5, 0.3, 0.8));
    const DvVec3 w = in_world(q, start_w);
    char text[2000];
    snprintf(text, sizeof text,
             "<Node name='root' gravity='0 0 0' dt='%.17g'><DefaultAnimationLoop/>%s"
             "<MechanicalObject name='dofs' template='Rigid3d' position='0 0 0 %.17g %.17g %.17g %.17g' "
             "velocity='0 0 0 %.17g %.17g %.17g'/>%s</Node>",
             dt, solver, q.x, q.y, q.z, q.w, w.x, w.y, w.z, mass);
    return scene_from_text(text);
}

static void make_steps(DvScene *scene, int steps)
{
    for (int i = 0; i < steps; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

typedef struct Found {
    DvVec3 w; /* in body axes */
    double energy, momentum[6];
} Found;

static Found look(const DvScene *scene)
{
    const DvStateRef state = scene_state(scene, "/dofs");
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    DvMechanics *m = ops->open(dv_scene_root(scene));
    Found found;
    const double *x = dv_state_read(state, DV_POSITION).at, *v = dv_state_read(state, DV_VELOCITY).at;
    found.w = dv_quat_inverse_rotate(dv_quat_load(x + 3), dv_vec3_load(v + 3));
    found.energy = ops->kinetic_energy(m);
    ops->momentum(m, found.momentum);
    ops->close(m);
    return found;
}

static double distance(DvVec3 w, const double *expected)
{
    return dv_vec3_norm(dv_vec3_sub(w, dv_vec3_load(expected)));
}

static void the_free_top_follows_the_elliptic_functions_and_flips(void **state)
{
    (void)state;
    const int steps = 4000; /* to a flip */
    const double dt = flip_time() / steps;
    static const char *const masses[] = {UNIFORM, DIAGONAL};
    for (int i = 0; i < 2; i++) {
        DvScene *scene = top_scene("<RungeKutta4Solver/>", masses[i], dt);
        for (int part = 1; part <= 16; part++) { /* four flips */
            make_steps(scene, steps / 4);
            const int made = part * steps / 4;
            double w[3];
            exact_velocity(made * dt, w);
            const Found found = look(scene);
            if (!(distance(found.w, w) < 1e-5))
                fail_msg("after %d parts: %g %g %g instead of %g %g %g", part, found.w.x, found.w.y, found.w.z, w[0],
                         w[1], w[2]);
            if (part % 4 == 0)
                assert_true(fabs(found.w.y - (part % 8 == 4 ? -1 : 1)) < 1e-6 && fabs(found.w.z - 0.2) < 1e-5);
        }
        dv_scene_free(scene);
    }
}

typedef struct Errors {
    double velocity, energy, momentum;
} Errors;

static Errors errors_of(const char *solver, const char *mass, double time, int steps)
{
    DvScene *scene = top_scene(solver, mass, time / steps);
    const Found before = look(scene);
    make_steps(scene, steps);
    const Found after = look(scene);
    double w[3];
    exact_velocity(time, w);
    Errors errors = {distance(after.w, w), fabs(after.energy - before.energy), 0};
    for (int i = 3; i < 6; i++)
        errors.momentum = fmax(errors.momentum, fabs(after.momentum[i] - before.momentum[i]));
    /* Closed forms of the start. */
    assert_true(fabs(before.energy - 0.5 * (2 * 1 + 3 * 0.04)) < 1e-14);
    dv_scene_free(scene);
    return errors;
}

static void each_integrator_keeps_its_order_on_the_free_top(void **state)
{
    (void)state;
    static const struct {
        const char *solver, *mass;
        double order;
        int steps;
    } cases[] = {
        {"<EulerExplicitSolver/>", UNIFORM, 1, 4000},
        {"<EulerImplicitSolver/>" LDL, UNIFORM, 1, 4000},
        {"<EulerImplicitSolver/>" CG, DIAGONAL, 1, 4000},
        {"<EulerImplicitSolver trapezoidalRule='1'/>" LDL, UNIFORM, 2, 200},
        {"<EulerImplicitSolver trapezoidalRule='1'/>" CG, DIAGONAL, 2, 200},
        {"<RungeKutta4Solver/>", DIAGONAL, 2, 200}, /* it adds rotations that do not commute: the order of these */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Errors coarse = errors_of(cases[i].solver, cases[i].mass, 5.0, cases[i].steps);
        const Errors fine = errors_of(cases[i].solver, cases[i].mass, 5.0, 2 * cases[i].steps);
        const double order = log2(coarse.velocity / fine.velocity), of_energy = log2(coarse.energy / fine.energy),
                     of_momentum = log2(coarse.momentum / fine.momentum);
        if (!(fabs(order - cases[i].order) < 0.15 && of_energy > cases[i].order - 0.15 &&
              of_momentum > cases[i].order - 0.15))
            fail_msg("%s: order %g (error %g), of the energy %g (%g), of the momentum %g (%g)", cases[i].solver, order,
                     fine.velocity, of_energy, fine.energy, of_momentum, fine.momentum);
    }
}

/* Half a radian a step, for a thousand turns and more. */
static void implicit_steps_of_fast_tops_do_not_gain_energy(void **state)
{
    (void)state;
    static const char *const solvers[] = {"<EulerImplicitSolver/>" LDL,
                                          "<EulerImplicitSolver trapezoidalRule='1'/>" LDL};
    for (int i = 0; i < 2; i++) {
        DvScene *scene = top_scene(solvers[i], UNIFORM, 0.5);
        const double start = look(scene).energy;
        for (int n = 0; n < 150; n++) {
            make_steps(scene, 100);
            const Found found = look(scene);
            if (!(found.energy < 1.05 * start && found.energy > 0))
                fail_msg("%s: energy %g of %g after %d steps", solvers[i], found.energy, start, 100 * (n + 1));
        }
        dv_scene_free(scene);
    }
}

/* A torque and a force that stay, on the top: the trapezoidal rule against Runge-Kutta's. */
static void the_trapezoidal_rule_keeps_its_order_under_a_torque(void **state)
{
    (void)state;
    double x[4][7];
    static const struct {
        const char *solver;
        int steps;
    } runs[] = {{"<RungeKutta4Solver/>", 20000},
                {"<EulerImplicitSolver trapezoidalRule='1'/>" LDL, 100},
                {"<EulerImplicitSolver trapezoidalRule='1'/>" LDL, 200},
                {"<EulerImplicitSolver trapezoidalRule='1'/>" CG, 200}};
    for (int i = 0; i < 4; i++) {
        DvScene *scene = top_scene(
            runs[i].solver, UNIFORM "<ConstantForceField indices='0' forces='1 0 2 0.5 1 -0.7'/>", 3.0 / runs[i].steps);
        make_steps(scene, runs[i].steps);
        memcpy(x[i], dv_state_read(scene_state(scene, "/dofs"), DV_POSITION).at, sizeof x[i]);
        dv_scene_free(scene);
    }
    double error[4] = {0};
    for (int i = 1; i < 4; i++)
        for (int c = 0; c < 7; c++)
            error[i] = hypot(error[i], x[i][c] - x[0][c]);
    const double order = log2(error[1] / error[2]);
    if (!(fabs(order - 2.0) < 0.1 && fabs(error[3] - error[2]) < 1e-8))
        fail_msg("errors %g %g %g, order %g", error[1], error[2], error[3], order);
}

/* ---- The derivative ---- */

static const double body_moment[9] = {2 * 0.4, 2 * 0.1, 0, 2 * 0.1, 2 * 0.5, 2 * 0.05, 0, 2 * 0.05, 2 * 0.6};

static DvVec3 momentum_of(DvQuat q, DvVec3 w)
{
    return dv_quat_rotate(q, dv_mat3_mul_vec(dv_mat3_load(body_moment), dv_quat_inverse_rotate(q, w)));
}

/* What an implicit step sets to h times the torque: the change of the momentum in a step that changes w by dw. */
static DvVec3 change_of_momentum(DvQuat q, DvVec3 w, DvVec3 dw, double h, double share)
{
    const DvQuat turn = dv_quat_from_increment(dv_vec3_scale(dv_vec3_madd(w, share, dw), h));
    return dv_vec3_sub(momentum_of(dv_quat_mul(turn, q), dv_vec3_add(w, dw)), momentum_of(q, w));
}

/* Each body's dw makes the linearised change of momentum h times the torque, the derivative by central differences. */
static void the_step_of_a_body_is_newtons(void **state)
{
    (void)state;
    const DvQuat q = dv_quat_normalize(dv_quat(0.1, -0.5, 0.3, 0.8));
    const DvVec3 w = dv_vec3(0.3, -1.2, 0.7), torque = dv_vec3(0.4, 0.1, -2.0);
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 0 0'><MechanicalObject name='dofs' template='Rigid3d' position='0 0 0 0.1 -0.5 0.3 0.8'/>"
        "<UniformMass name='mass' turningInertia='1' vertexMass='" FULL_INERTIA "'/></Node>");
    DvObject *mass = scene_object(scene, "/mass");
    const DvMassOps *ops = dv_object_ops(mass, DV_MASS);
    const DvForceFieldOps *force = dv_object_ops(mass, DV_FORCE_FIELD);
    void *self = dv_object_self(mass);
    const double h = 0.3, share[] = {1.0, 0.5};
    double x[7] = {0}, v[6] = {0}, f[6] = {0};
    dv_quat_store(q, x + 3);
    dv_vec3_store(w, v + 3);
    const DvStep step = {.time = 0, .dt = h, .position = DV_POSITION, .velocity = DV_VELOCITY};
    force->add_force(self, &step, &(DvConstVec){x, 1, 7}, &(DvConstVec){v, 1, 6}, &(DvVec){f, 1, 6});
    const DvVec3 gyroscopic = dv_vec3_cross(momentum_of(q, w), w);
    assert_true(dv_vec3_norm(dv_vec3_sub(dv_vec3_load(f + 3), gyroscopic)) < 1e-14);
    for (int i = 0; i < 2; i++) {
        double b[6] = {1, 2, 3}, a[6];
        dv_vec3_store(dv_vec3_scale(dv_vec3_add(torque, gyroscopic), h), b + 3);
        ops->implicit_turn(self, h, share[i], (DvConstVec){v, 1, 6}, (DvVec){b, 1, 6});
        assert_true(b[0] == 1 && b[1] == 2 && b[2] == 3);
        ops->acceleration(self, (DvConstVec){b, 1, 6}, (DvVec){a, 1, 6});
        const DvVec3 dw = dv_vec3_load(a + 3);
        const double e = 1e-5;
        const DvVec3 slope = dv_vec3_scale(dv_vec3_sub(change_of_momentum(q, w, dv_vec3_scale(dw, e), h, share[i]),
                                                       change_of_momentum(q, w, dv_vec3_scale(dw, -e), h, share[i])),
                                           0.5 / e);
        const DvVec3 linear = dv_vec3_add(change_of_momentum(q, w, dv_vec3_zero(), h, share[i]), slope);
        const double left = dv_vec3_norm(dv_vec3_sub(linear, dv_vec3_scale(torque, h)));
        if (!(left < 1e-9))
            fail_msg("share %g: %g is left", share[i], left);
    }
    dv_scene_free(scene);
}

/* ---- The matrix ---- */

static void the_inertia_is_that_of_the_turned_body(void **state)
{
    (void)state;
    const DvQuat q = dv_quat_normalize(dv_quat(0.1, -0.5, 0.3, 0.8));
    char name[] = P_tmpdir "/divan-top-XXXXXX";
    const int file = mkstemp(name);
    assert_true(file >= 0);
    const char *content = "Xsp 3.0\ninrt 0.4 0.1 0 0.1 0.5 0.05 0 0.05 0.6\nvertexMass 2\n";
    assert_int_equal(write(file, content, strlen(content)), strlen(content));
    assert_int_equal(close(file), 0);
    char from_file[200];
    snprintf(from_file, sizeof from_file, "<UniformMass name='mass' turningInertia='1' filename='%s'/>", name);
    const char *const masses[] = {"<UniformMass name='mass' turningInertia='1' vertexMass='" FULL_INERTIA "'/>",
                                  "<DiagonalMass name='mass' turningInertia='1' vertexMass='" FULL_INERTIA "'/>",
                                  from_file};
    for (int i = 0; i < 3; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "<Node name='root' gravity='0 0 0'><MechanicalObject name='dofs' template='Rigid3d' "
                 "position='0 0 0 0.1 -0.5 0.3 0.8'/>%s</Node>",
                 masses[i]);
        DvScene *scene = scene_from_text(text);
        DvObject *mass = scene_object(scene, "/mass");
        const DvMassOps *ops = dv_object_ops(mass, DV_MASS);
        const double dx[6] = {0, 0, 0, 0.3, -1.2, 0.7};
        double product[6] = {0};
        ops->add_mdx(dv_object_self(mass), 1.0, (DvConstVec){dx, 1, 6}, (DvVec){product, 1, 6});
        const DvVec3 expected = momentum_of(q, dv_vec3_load(dx + 3));
        assert_true(dv_vec3_norm(dv_vec3_sub(dv_vec3_load(product + 3), expected)) < 1e-14);
        dv_scene_free(scene);
    }
    assert_int_equal(unlink(name), 0);
}

/* What constraint forces do to two bodies that have turned, each by itself: the inverse of the mass where they are. */
static void the_compliance_that_contacts_meet_turns_too(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 0 0' dt='0.1'><DefaultAnimationLoop/><EulerImplicitSolver/>" LDL
        "<MechanicalObject name='dofs' template='Rigid3d' position='0 0 0 0.1 -0.5 0.3 0.8  1 0 0 0 0 0 1' "
        "velocity='0 0 0 2 -1 3  0 0 0 1 2 3'/><UniformMass name='mass' turningInertia='1' vertexMass='" FULL_INERTIA
        "'/><UncoupledConstraintCorrection name='correction'/></Node>");
    make_steps(scene, 5);
    DvObject *mass = scene_object(scene, "/mass"), *correction = scene_object(scene, "/correction");
    const DvMassOps *ops = dv_object_ops(mass, DV_MASS);
    const DvForceFieldOps *force = dv_object_ops(mass, DV_FORCE_FIELD);
    const DvConstraintCorrectionOps *answer = dv_object_ops(correction, DV_CONSTRAINT_CORRECTION);
    const DvStateRef dofs = scene_state(scene, "/dofs");
    const DvConstVec x = dv_state_read(dofs, DV_POSITION), v = dv_state_read(dofs, DV_VELOCITY);
    const DvStep step = {.time = 0, .dt = 0.1, .position = DV_POSITION, .velocity = DV_VELOCITY};
    static const uint32_t begin[2] = {0, 12}, places[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    double f[12] = {0}, a[12] = {0};
    force->add_force(dv_object_self(mass), &step, &x, &v, &(DvVec){f, 2, 6});
    for (int i = 0; i < 12; i++)
        f[i] = (i * 5) % 7 - 3;
    ops->acceleration(dv_object_self(mass), (DvConstVec){f, 2, 6}, (DvVec){a, 2, 6});
    const DvSparseRows row = {1, begin, places, f};
    assert_int_equal(answer->respond(dv_object_self(correction), &step, &row), DV_OK);
    const double *dx = dv_state_read(dofs, DV_DX).at;
    for (int i = 0; i < 12; i++)
        assert_true(fabs(dx[i] - a[i]) < 1e-12 * (1 + fabs(a[i])));
    dv_scene_free(scene);
}

/* ---- Without the field, and in the plane ---- */

static void without_the_field_the_inertia_stays_in_world_axes(void **state)
{
    (void)state;
    DvScene *scene =
        top_scene("<RungeKutta4Solver/>", "<UniformMass name='mass' vertexMass='2 1 0.5 0 0 0 1 0 0 0 1.5'/>", 0.1);
    const DvVec3 before = dv_vec3_load(dv_state_read(scene_state(scene, "/dofs"), DV_VELOCITY).at + 3);
    make_steps(scene, 50);
    const DvVec3 after = dv_vec3_load(dv_state_read(scene_state(scene, "/dofs"), DV_VELOCITY).at + 3);
    assert_memory_equal(&before, &after, sizeof after);
    const double energy = 0.5 * (1 * before.x * before.x + 2 * before.y * before.y + 3 * before.z * before.z);
    assert_true(fabs(look(scene).energy - energy) < 1e-14);
    dv_scene_free(scene);
}

static void in_the_plane_nothing_turns(void **state)
{
    (void)state;
    double x[2][3];
    for (int i = 0; i < 2; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "<Node name='root' gravity='0 -9 0' dt='0.1'><DefaultAnimationLoop/><EulerImplicitSolver/>" CG
                 "<MechanicalObject name='dofs' template='Rigid2d' position='0 0 0.5' velocity='1 2 3'/>"
                 "<UniformMass turningInertia='%d' vertexMass='2 1 0.3'/></Node>",
                 i);
        DvScene *scene = scene_from_text(text);
        make_steps(scene, 10);
        memcpy(x[i], dv_state_read(scene_state(scene, "/dofs"), DV_POSITION).at, sizeof x[i]);
        dv_scene_free(scene);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    assert_true(fabs(x[0][2] - 0.5 - 3.0) < 1e-13);
}

static void a_body_that_turns_has_one_mass(void **state)
{
    (void)state;
    expect_load_error("<Node name='root'><MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1'/>"
                      "<UniformMass vertexMass='2'/><UniformMass vertexMass='1' turningInertia='1'/></Node>",
                      "with turningInertia a body has one mass; join them");
    DvScene *scene = scene_from_text(
        "<Node name='root'><MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1  1 0 0 0 0 0 1'/>"
        "<UniformMass vertexMass='2' indices='0'/>"
        "<UniformMass vertexMass='1' turningInertia='1' indices='1'/></Node>");
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_uniform_mass_that_turns_is_a_mass),
        cmocka_unit_test(a_uniform_mass_of_some_bodies_that_turn_is_a_mass),
        cmocka_unit_test(a_diagonal_mass_that_turns_is_a_mass),
        cmocka_unit_test(the_free_top_follows_the_elliptic_functions_and_flips),
        cmocka_unit_test(each_integrator_keeps_its_order_on_the_free_top),
        cmocka_unit_test(implicit_steps_of_fast_tops_do_not_gain_energy),
        cmocka_unit_test(the_trapezoidal_rule_keeps_its_order_under_a_torque),
        cmocka_unit_test(the_step_of_a_body_is_newtons),
        cmocka_unit_test(the_inertia_is_that_of_the_turned_body),
        cmocka_unit_test(the_compliance_that_contacts_meet_turns_too),
        cmocka_unit_test(without_the_field_the_inertia_stays_in_world_axes),
        cmocka_unit_test(in_the_plane_nothing_turns),
        cmocka_unit_test(a_body_that_turns_has_one_mass),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
