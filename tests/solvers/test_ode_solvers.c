/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The ODE solvers on a mass and a spring, whose motion each method describes by a recurrence that is written out here, and
 * against the exact solution for the order of convergence.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <divan/contracts/solver.h>

#include "scene_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double mass = 2.0, stiffness = 18.0; /* omega = 3 */

typedef struct Motion {
    double x, v;
} Motion;

/* A point at 1, moving at 0.5, tied to 0 by a spring. `solvers` stands before the state in the node. */
static DvScene *oscillator(const char *solvers, double dt, const char *mass_object)
{
    char text[2048];
    snprintf(text, sizeof text,
             "<Node name='root' dt='%.17g' gravity='0 0 0'><DefaultAnimationLoop/><Node name='Body'>%s"
             "<MechanicalObject name='dofs' template='Vec1d' position='1' rest_position='0' velocity='0.5'/>%s"
             "<RestShapeSpringsForceField name='spring' stiffness='18'/></Node></Node>",
             dt, solvers, mass_object);
    return scene_from_text(text);
}

#define MASS   "<UniformMass totalMass='2'/>"
#define DIRECT "<SparseLDLSolver template='CompressedRowSparseMatrixd'/>"

static void run(DvScene *scene, int steps)
{
    for (int i = 0; i < steps; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

static Motion motion_of(const DvScene *scene)
{
    const DvStateRef state = scene_state(scene, "/Body/dofs");
    return (Motion){dv_state_read(state, DV_POSITION).at[0], dv_state_read(state, DV_VELOCITY).at[0]};
}

static Motion run_oscillator(const char *solvers, double dt, int steps)
{
    DvScene *scene = oscillator(solvers, dt, MASS);
    run(scene, steps);
    const Motion motion = motion_of(scene);
    dv_scene_free(scene);
    return motion;
}

static Motion exact(double time)
{
    const double omega = sqrt(stiffness / mass);
    return (Motion){cos(omega * time) + 0.5 / omega * sin(omega * time),
                    -omega * sin(omega * time) + 0.5 * cos(omega * time)};
}

static double error_at_one_second(const char *solvers, int steps)
{
    const Motion motion = run_oscillator(solvers, 1.0 / steps, steps), truth = exact(1.0);
    return hypot(motion.x - truth.x, (motion.v - truth.v) / 3.0);
}

static void expect_motion(Motion motion, Motion expected, double tolerance)
{
    if (!(fabs(motion.x - expected.x) <= tolerance && fabs(motion.v - expected.v) <= tolerance))
        fail_msg("x %.17g v %.17g instead of x %.17g v %.17g", motion.x, motion.v, expected.x, expected.v);
}

static void expect_order(const char *solvers, int steps, double order)
{
    const double coarse = error_at_one_second(solvers, steps), fine = error_at_one_second(solvers, 2 * steps);
    const double measured = log2(coarse / fine);
    if (!(fabs(measured - order) < 0.1))
        fail_msg("%s: order %g, not %g (errors %g, %g)", solvers, measured, order, coarse, fine);
}

/* A point of 2 kg on a spring that swings and stretches: where it is after a second. */
static void run_pendulum(const char *solvers, int steps, double x[3])
{
    char text[1024];
    snprintf(text, sizeof text,
             "<Node name='root' dt='%.17g' gravity='0 -10 0'><DefaultAnimationLoop/><Node name='Body'>%s"
             "<MechanicalObject name='dofs' template='Vec3d' position='0 0 0  1 0 0'/><UniformMass vertexMass='2'/>"
             "<FixedProjectiveConstraint indices='0'/><SpringForceField spring='0 1 60 0 1'/></Node></Node>",
             1.0 / steps, solvers);
    DvScene *scene = scene_from_text(text);
    run(scene, steps);
    memcpy(x, dv_state_read(scene_state(scene, "/Body/dofs"), DV_POSITION).at + 3, 3 * sizeof *x);
    dv_scene_free(scene);
}

/* The recurrence of EulerImplicitSolver for one unknown. */
typedef struct ImplicitCase {
    const char *attributes;
    double rm, rk, t, vdamping;
    bool first_order, rule;
} ImplicitCase;

static void implicit_euler_follows_its_recurrence_for_every_field(void **state)
{
    (void)state;
    static const ImplicitCase cases[] = {
        {.attributes = "", .t = 1.0},
        {.attributes = "rayleighMass='0.3'", .rm = 0.3, .t = 1.0},
        {.attributes = "rayleighStiffness='0.02'", .rk = 0.02, .t = 1.0},
        {.attributes = "vdamping='1.5'", .vdamping = 1.5, .t = 1.0},
        {.attributes = "trapezoidalScheme='1'", .t = 0.5},
        {.attributes = "trapezoidalScheme='1' rayleighMass='0.2' rayleighStiffness='0.05'",
         .rm = 0.2,
         .rk = 0.05,
         .t = 0.5},
        {.attributes = "firstOrder='1'", .t = 1.0, .first_order = true},
        {.attributes = "firstOrder='1' trapezoidalScheme='1'", .t = 0.5, .first_order = true},
        {.attributes = "trapezoidalRule='1' rayleighMass='0.2' rayleighStiffness='0.05' vdamping='1.5'",
         .rm = 0.2,
         .rk = 0.05,
         .t = 0.5,
         .vdamping = 1.5,
         .rule = true},
        {.attributes = "firstOrder='1' trapezoidalRule='1'", .t = 1.0, .first_order = true},
    };
    const double h = 0.04;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const ImplicitCase *c = &cases[i];
        char solvers[256];
        snprintf(solvers, sizeof solvers, "<EulerImplicitSolver %s/>" DIRECT, c->attributes);
        Motion m = {1.0, 0.5};
        for (int step = 0; step < 10; step++) {
            const double force = -stiffness * m.x, old = m.v;
            if (c->first_order) {
                m.v = force / (mass + h * c->t * stiffness);
            } else {
                const double b = h * (force - (h * c->t + c->rk) * stiffness * m.v - c->rm * mass * m.v);
                const double a = (1.0 + c->t * h * c->rm) * mass + c->t * h * (c->t * h + c->rk) * stiffness;
                m.v += b / a;
            }
            m.x += h * (c->rule ? 0.5 * (old + m.v) : m.v);
            m.v *= exp(-h * c->vdamping);
        }
        expect_motion(run_oscillator(solvers, h, 10), m, 1e-13);
    }
}

static void implicit_euler_leaves_no_residual_on_a_linear_spring(void **state)
{
    (void)state;
    DvScene *scene = oscillator("<EulerImplicitSolver name='ode' computeResidual='1'/>" DIRECT, 0.04, MASS);
    run(scene, 3);
    assert_true(dv_data_double(dv_object_field(scene_object(scene, "/Body/ode"), "residual")) < 1e-26);
    dv_scene_free(scene);

    /* Damping by the mass is not in the force: the residual is h rM M v at the new velocity, squared. */
    scene = oscillator("<EulerImplicitSolver name='ode' computeResidual='1' rayleighMass='0.3'/>" DIRECT, 0.04, MASS);
    run(scene, 3);
    const double expected = 0.04 * 0.3 * mass * motion_of(scene).v;
    const double residual = dv_data_double(dv_object_field(scene_object(scene, "/Body/ode"), "residual"));
    assert_true(fabs(residual - expected * expected) < 1e-12);
    dv_scene_free(scene);
}

static void without_the_field_no_residual_is_computed(void **state)
{
    (void)state;
    DvScene *scene = oscillator("<EulerImplicitSolver name='ode'/>" DIRECT, 0.04, MASS);
    run(scene, 1);
    assert_true(dv_data_double(dv_object_field(scene_object(scene, "/Body/ode"), "residual")) > 1e308);
    dv_scene_free(scene);
}

static void explicit_euler_follows_its_recurrence(void **state)
{
    (void)state;
    const double h = 0.02;
    Motion symplectic = {1.0, 0.5}, plain = {1.0, 0.5};
    for (int i = 0; i < 20; i++) {
        symplectic.v += h * (-stiffness * symplectic.x / mass);
        symplectic.x += h * symplectic.v;
        const double a = -stiffness * plain.x / mass;
        plain.x += h * plain.v;
        plain.v += h * a;
    }
    expect_motion(run_oscillator("<EulerExplicitSolver/>", h, 20), symplectic, 1e-14);
    expect_motion(run_oscillator("<EulerExplicitSolver symplectic='0'/>", h, 20), plain, 1e-14);
}

static void central_differences_follow_their_recurrence(void **state)
{
    (void)state;
    const double h = 0.02, damping[] = {0.0, 1.5};
    for (int i = 0; i < 2; i++) {
        const double r = damping[i];
        char solver[64];
        snprintf(solver, sizeof solver, "<CentralDifferenceSolver rayleighMass='%g'/>", r);
        Motion m = {1.0, 0.5};
        for (int step = 0; step < 20; step++) {
            m.v = (m.v * (1.0 / h - r / 2.0) - stiffness * m.x / mass) / (1.0 / h + r / 2.0);
            m.x += h * m.v;
        }
        expect_motion(run_oscillator(solver, h, 20), m, 1e-14);
    }
}

static void the_midpoint_method_follows_its_recurrence(void **state)
{
    (void)state;
    const double h = 0.02, square = stiffness / mass;
    Motion m = {1.0, 0.5};
    for (int step = 0; step < 20; step++) {
        const Motion middle = {m.x + 0.5 * h * m.v, m.v - 0.5 * h * square * m.x};
        m = (Motion){m.x + h * middle.v, m.v - h * square * middle.x};
    }
    expect_motion(run_oscillator("<RungeKutta2Solver/>", h, 20), m, 1e-14);
}

typedef struct NewmarkCase {
    const char *attributes;
    double gamma, beta, rm, rk, vdamping;
} NewmarkCase;

/* What a constraint's answer changes, for each unit of what the linear solver gives. */
static void each_method_says_what_its_solutions_do(void **state)
{
    (void)state;
    const double h = 0.04;
    static const struct {
        const char *solver;
        double position, velocity; /* in powers of h, times a share */
    } methods[] = {
        {"EulerExplicitSolver", 0.04 * 0.04, 0.04},
        {"RungeKutta4Solver", 0.0, 0.02},
        {"EulerImplicitSolver", 0.04, 1.0},
    };
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        char solvers[128];
        snprintf(solvers, sizeof solvers, "<%s name='ode'/>" DIRECT, methods[i].solver);
        DvScene *scene = oscillator(solvers, h, MASS);
        const DvObject *ode = scene_object(scene, "/Body/ode");
        const DvOdeSolverOps *ops = dv_object_ops(ode, DV_ODE_SOLVER);
        assert_true(fabs(ops->position_factor(dv_object_self(ode), h) - methods[i].position) < 1e-17);
        assert_true(fabs(ops->velocity_factor(dv_object_self(ode), h) - methods[i].velocity) < 1e-17);
        dv_scene_free(scene);
    }
}

static void newmark_follows_its_recurrence_for_every_field(void **state)
{
    (void)state;
    static const NewmarkCase cases[] = {
        {.attributes = "", .gamma = 0.5, .beta = 0.25},
        {.attributes = "gamma='0.6' beta='0.3025'", .gamma = 0.6, .beta = 0.3025},
        {.attributes = "beta='0.5' rayleighMass='0.3' vdamping='1.5'",
         .gamma = 0.5,
         .beta = 0.5,
         .rm = 0.3,
         .vdamping = 1.5},
        {.attributes = "gamma='1' rayleighStiffness='0.02' rayleighMass='0.1'",
         .gamma = 1.0,
         .beta = 0.25,
         .rm = 0.1,
         .rk = 0.02},
    };
    const double h = 0.04;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const NewmarkCase *c = &cases[i];
        char solvers[256];
        snprintf(solvers, sizeof solvers, "<NewmarkImplicitSolver %s/>" DIRECT, c->attributes);
        const double damper = c->rm * mass + c->rk * stiffness;
        Motion m = {1.0, 0.5};
        double a = -stiffness * m.x / mass;
        for (int step = 0; step < 10; step++) {
            const double x = m.x + h * m.v + h * h * (0.5 - c->beta) * a, v = m.v + h * (1.0 - c->gamma) * a;
            a = -(stiffness * x + damper * v) / (mass + h * c->gamma * damper + h * h * c->beta * stiffness);
            m.x = x + h * h * c->beta * a;
            m.v = (v + h * c->gamma * a) * exp(-h * c->vdamping);
        }
        expect_motion(run_oscillator(solvers, h, 10), m, 1e-13);
    }
}

/* The acceleration of another scene, in a saved file: the method starts from its own. */
static void a_kept_vector_of_another_length_is_left(void **state)
{
    (void)state;
    const Motion fresh = run_oscillator("<NewmarkImplicitSolver/>" DIRECT, 0.04, 5);
    expect_motion(run_oscillator("<NewmarkImplicitSolver acceleration='3 4'/>" DIRECT, 0.04, 5), fresh, 0.0);
    const Motion other = run_oscillator("<NewmarkImplicitSolver acceleration='3'/>" DIRECT, 0.04, 5);
    assert_true(fabs(other.x - fresh.x) > 1e-4);
}

/* Of a linear spring: momentum and position by the midpoint rule, and v = (x' - x) / h. */
static void the_variational_method_follows_its_recurrence(void **state)
{
    (void)state;
    static const double rm[] = {0.0, 0.3, 0.0}, rk[] = {0.0, 0.0, 0.02};
    const double h = 0.04;
    for (int i = 0; i < 3; i++) {
        char solvers[256];
        snprintf(solvers, sizeof solvers,
                 "<VariationalSymplecticSolver rayleighMass='%g' rayleighStiffness='%g'/>" DIRECT, rm[i], rk[i]);
        Motion m = {1.0, 0.5};
        double p = mass * m.v;
        for (int step = 0; step < 10; step++) {
            const double a = (4.0 / (h * h) + 4.0 * rm[i] / h) * mass + (1.0 + 4.0 * rk[i] / h) * stiffness;
            const double way = (-stiffness * m.x + 2.0 / h * p) / a;
            m.v = 2.0 / h * way;
            p = mass * m.v - 0.5 * h * stiffness * (m.x + way);
            m.x += h * m.v;
        }
        expect_motion(run_oscillator(solvers, h, 10), m, 1e-13);
    }
    const char *explicit = "<VariationalSymplecticSolver explicitIntegration='1' rayleighMass='0.3'/>" DIRECT;
    Motion m = {1.0, 0.5};
    for (int step = 0; step < 10; step++) {
        m.v += h * (-stiffness * m.x / mass - 0.3 * m.v);
        m.x += h * m.v;
    }
    expect_motion(run_oscillator(explicit, h, 10), m, 1e-13);
}

static double hamiltonian_of(const DvScene *scene)
{
    return dv_data_double(dv_object_field(scene_object(scene, "/Body/ode"), "hamiltonianEnergy"));
}

/* The midpoint rule keeps every quadratic invariant, and the work of linear forces at the middle is what they store. */
static void the_variational_method_keeps_and_tells_the_energy(void **state)
{
    (void)state;
    static const char *const ways[] = {"", "useIncrementalPotentialEnergy='0'"};
    for (int i = 0; i < 2; i++) {
        char solvers[256];
        snprintf(solvers, sizeof solvers, "<VariationalSymplecticSolver name='ode' %s/>" DIRECT, ways[i]);
        DvScene *scene = oscillator(solvers, 0.1, MASS);
        run(scene, 500);
        assert_true(fabs(hamiltonian_of(scene) - 9.25) < 1e-11);
        dv_scene_free(scene);
    }
    DvScene *scene = oscillator("<VariationalSymplecticSolver name='ode' computeHamiltonian='0'/>" DIRECT, 0.1, MASS);
    run(scene, 1);
    assert_true(hamiltonian_of(scene) == 0.0);
    dv_scene_free(scene);
}

/* Of a spring that swings and stretches one Newton iteration is not enough, and more are made until they are few. */
static void the_variational_method_iterates(void **state)
{
    (void)state;
    static const char *const attributes[] = {"steps='1'", "steps='30' newtonError='1e-15'",
                                             "steps='31' newtonError='1e-15'", "steps='30' newtonError='10'"};
    double x[4][3];
    for (int i = 0; i < 4; i++) {
        char solvers[256];
        snprintf(solvers, sizeof solvers, "<VariationalSymplecticSolver %s/>" DIRECT, attributes[i]);
        run_pendulum(solvers, 20, x[i]);
    }
    assert_true(hypot(x[0][0] - x[1][0], x[0][1] - x[1][1]) > 1e-6);
    assert_memory_equal(x[1], x[2], sizeof *x);
    assert_memory_equal(x[0], x[3], sizeof *x);
}

static void the_methods_converge_with_their_order(void **state)
{
    (void)state;
    expect_order("<EulerImplicitSolver/>" DIRECT, 400, 1.0);
    expect_order("<EulerImplicitSolver trapezoidalScheme='1'/>" DIRECT, 400, 1.0);
    expect_order("<EulerImplicitSolver trapezoidalRule='1'/>" DIRECT, 40, 2.0);
    expect_order("<EulerExplicitSolver/>", 400, 1.0);
    expect_order("<EulerExplicitSolver symplectic='0'/>", 400, 1.0);
    expect_order("<RungeKutta4Solver/>", 40, 4.0);
    expect_order("<RungeKutta2Solver/>", 40, 2.0);
    expect_order("<CentralDifferenceSolver/>", 400, 1.0);
    expect_order("<NewmarkImplicitSolver/>" DIRECT, 40, 2.0);
    expect_order("<NewmarkImplicitSolver gamma='0.6' beta='0.3025'/>" DIRECT, 400, 1.0);
}

/* x'' = -(k/m) x - c x' with the damping c = rM + rK k/m: the error after a second. */
static double error_of_damped_motion(int steps)
{
    const double c = 0.4 + 0.1 * stiffness / mass, decay = 0.5 * c, omega = sqrt(stiffness / mass - decay * decay);
    const double a = (0.5 + decay) / omega, shrunk = exp(-decay), cosine = cos(omega), sine = sin(omega);
    const Motion motion =
        run_oscillator("<EulerImplicitSolver trapezoidalRule='1' rayleighMass='0.4' rayleighStiffness='0.1'/>" DIRECT,
                       1.0 / steps, steps);
    const double x = shrunk * (cosine + a * sine);
    const double v = shrunk * omega * (a * cosine - sine) - decay * x;
    return hypot(motion.x - x, (motion.v - v) / 3.0);
}

static void the_trapezoidal_rule_is_of_second_order_with_damping(void **state)
{
    (void)state;
    const double order = log2(error_of_damped_motion(40) / error_of_damped_motion(80));
    if (!(fabs(order - 2.0) < 0.1))
        fail_msg("order %g", order);
}

static void the_trapezoidal_rule_is_of_second_order_on_a_nonlinear_spring(void **state)
{
    (void)state;
    double truth[3], error[2];
    run_pendulum("<RungeKutta4Solver/>", 2000, truth); /* its error is of the order 1e-13 */
    for (int i = 0; i < 2; i++) {
        double x[3];
        run_pendulum("<EulerImplicitSolver trapezoidalRule='1'/>" DIRECT, 100 << i, x);
        error[i] = hypot(x[0] - truth[0], x[1] - truth[1]);
    }
    const double order = log2(error[0] / error[1]);
    if (!(fabs(order - 2.0) < 0.1))
        fail_msg("errors %g %g, order %g", error[0], error[1], order);
}

static double energy(Motion m)
{
    return 0.5 * mass * m.v * m.v + 0.5 * stiffness * m.x * m.x;
}

static void energy_behaves_as_each_method_promises(void **state)
{
    (void)state;
    const double start = energy((Motion){1.0, 0.5});
    const int steps = 2000;
    const double h = 0.01;
    /* Symplectic: bounded by a modified energy, off by O(h). Implicit: falls. Explicit: grows. Order 4: falls by O(h^5). */
    assert_true(fabs(energy(run_oscillator("<EulerExplicitSolver/>", h, steps)) / start - 1.0) < 0.5 * h * 3.0);
    assert_true(energy(run_oscillator("<EulerImplicitSolver/>" DIRECT, h, steps)) < 0.5 * start);
    assert_true(energy(run_oscillator("<EulerExplicitSolver symplectic='0'/>", h, steps)) > 2.0 * start);
    /* The trapezoidal rule keeps every quadratic invariant. */
    assert_true(fabs(energy(run_oscillator("<EulerImplicitSolver trapezoidalRule='1'/>" DIRECT, h, steps)) / start -
                     1.0) < 1e-11);
    assert_true(fabs(energy(run_oscillator("<NewmarkImplicitSolver/>" DIRECT, h, steps)) / start - 1.0) < 1e-11);
    /* The midpoint method grows by (h omega)^4 / 4 of the energy in a step. */
    const double growth = energy(run_oscillator("<RungeKutta2Solver/>", h, steps)) / start;
    assert_true(fabs(growth / exp(steps * pow(3.0 * h, 4) / 4.0) - 1.0) < 1e-4);
    const double loss = 1.0 - energy(run_oscillator("<RungeKutta4Solver/>", h, steps)) / start;
    assert_true(loss > 0.0 && loss < steps * pow(3.0 * h, 6) / 72.0 * 1.01);
}

/* omega is 3: what becomes of the oscillator where h omega is 1.98, 2.02 and 300. */
static void the_trapezoidal_rule_is_stable_and_the_scheme_is_not(void **state)
{
    (void)state;
    static const double steps[] = {0.66, 0.6734, 100.0};
    const double start = energy((Motion){1.0, 0.5});
    for (int i = 0; i < 3; i++) {
        const double h = steps[i];
        const Motion rule = run_oscillator("<EulerImplicitSolver trapezoidalRule='1'/>" DIRECT, h, 300);
        const Motion scheme =
            run_oscillator("<EulerImplicitSolver trapezoidalScheme='1'/>" DIRECT, h, i == 2 ? 6 : 300);
        assert_true(fabs(energy(rule) / start - 1.0) < 1e-9);
        assert_true(i == 0 ? energy(scheme) < start : energy(scheme) > 100.0 * start);
    }
}

static void damping_slows_and_stops_velocities(void **state)
{
    (void)state;
    const char *free_body =
        "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/><Node name='Body'>"
        "<EulerExplicitSolver/><DampVelocitySolver rate='0.5' threshold='%s'/>"
        "<MechanicalObject name='dofs' template='Vec3d' position='0 0 0  0 0 0' velocity='3 4 0  0 0 0.1'/>"
        "<UniformMass totalMass='1'/></Node></Node>";
    char text[1024];
    snprintf(text, sizeof text, free_body, "0");
    DvScene *scene = scene_from_text(text);
    run(scene, 4);
    const double *v = dv_state_read(scene_state(scene, "/Body/dofs"), DV_VELOCITY).at;
    assert_true(fabs(v[0] - 3.0 * exp(-0.2)) < 1e-14 && fabs(v[1] - 4.0 * exp(-0.2)) < 1e-14);
    assert_true(fabs(v[5] - 0.1 * exp(-0.2)) < 1e-15);
    dv_scene_free(scene);

    snprintf(text, sizeof text, free_body, "0.2");
    scene = scene_from_text(text);
    run(scene, 4);
    v = dv_state_read(scene_state(scene, "/Body/dofs"), DV_VELOCITY).at;
    assert_true(fabs(v[1] - 4.0 * exp(-0.2)) < 1e-14);
    assert_true(v[5] == 0.0);
    dv_scene_free(scene);
}

static void separate_gravity_is_added_by_the_solver(void **state)
{
    (void)state;
    static const struct {
        const char *solvers;
        double v, x;
    } cases[] = {
        {"<EulerImplicitSolver/><CGLinearSolver iterations='25' tolerance='1e-9' threshold='1e-9'/>", -1.0, 0.0},
        {"<EulerExplicitSolver/>", -1.0, -0.1},
        {"<RungeKutta4Solver/>", -1.0, -0.1},
        {"<RungeKutta2Solver/>", -1.0, -0.1},
        {"<CentralDifferenceSolver/>", -1.0, -0.1},
        {"<NewmarkImplicitSolver/><CGLinearSolver iterations='25' tolerance='1e-9' threshold='1e-9'/>", -1.0, 0.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "<Node name='root' dt='0.1' gravity='0 -10 0'><DefaultAnimationLoop/><Node name='Body'>%s"
                 "<MechanicalObject name='dofs' template='Vec3d' position='0 0 0'/>"
                 "<UniformMass totalMass='1' separateGravity='1'/></Node></Node>",
                 cases[i].solvers);
        DvScene *scene = scene_from_text(text);
        run(scene, 1);
        const DvStateRef state_ref = scene_state(scene, "/Body/dofs");
        assert_true(fabs(dv_state_read(state_ref, DV_VELOCITY).at[1] - cases[i].v) < 1e-14);
        assert_true(fabs(dv_state_read(state_ref, DV_POSITION).at[1] - cases[i].x) < 1e-14);
        dv_scene_free(scene);
    }
}

#define SQUARE                                                                                                       \
    "<TriangleSetTopologyContainer name='topology' position='0 0 0  1 0 0  1 1 0  0 1 0' triangles='0 1 2  0 2 3'/>" \
    "<MechanicalObject name='dofs' template='Vec3d'/>"

static void a_consistent_mass_goes_through_the_linear_solver(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node name='root' dt='0.1' gravity='0 0 -10'><DefaultAnimationLoop/><Node name='Body'>"
                        "<EulerExplicitSolver/>" DIRECT SQUARE "<MeshMatrixMass massDensity='3'/></Node></Node>");
    run(scene, 1);
    /* The weight of a point is its row of the mass matrix: all fall as one. With that row's diagonal alone they would not. */
    const double *v = dv_state_read(scene_state(scene, "/Body/dofs"), DV_VELOCITY).at;
    for (int i = 0; i < 4; i++)
        assert_true(fabs(v[3 * i + 2] + 1.0) < 1e-14);
    dv_scene_free(scene);
}

/* Newmark's first acceleration and the kinetic energy of the variational method take it; a body that falls has both exactly. */
static void implicit_methods_take_a_consistent_mass(void **state)
{
    (void)state;
    static const char *const solvers[] = {"<NewmarkImplicitSolver/>", "<VariationalSymplecticSolver name='ode'/>"};
    for (int i = 0; i < 2; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "<Node name='root' dt='0.1' gravity='0 0 -10'><DefaultAnimationLoop/><Node name='Body'>%s" DIRECT SQUARE
            "<MeshMatrixMass massDensity='3'/></Node></Node>",
            solvers[i]);
        DvScene *scene = scene_from_text(text);
        run(scene, 3);
        const double *x = dv_state_read(scene_state(scene, "/Body/dofs"), DV_POSITION).at;
        for (int point = 0; point < 4; point++)
            assert_true(fabs(x[3 * point + 2] + 0.45) < 1e-13);
        if (i == 1)
            assert_true(fabs(hamiltonian_of(scene)) < 1e-12);
        dv_scene_free(scene);
    }
}

static void collect(const DvMessage *message, void *context)
{
    if (message->level == DV_LEVEL_ERROR) {
        dv_message_print(message, context);
        dv_text_add(context, "\n");
    }
}

/* The scene loads; its first step fails and says `part`. */
static void expect_step_error(const char *text, DvStatus status, const char *part)
{
    DvScene *scene = scene_from_text(text);
    DvText messages = {0};
    dv_log_set_handler(collect, &messages);
    const DvStatus result = dv_scene_step(scene, 0);
    dv_log_set_handler(NULL, NULL);
    assert_int_equal(result, status);
    if (messages.at == NULL || strstr(messages.at, part) == NULL)
        fail_msg("expected an error with\n  %s\nbut got\n%s", part, messages.at ? messages.at : "none");
    dv_text_free(&messages);
    dv_scene_free(scene);
}

/* An explicit step with a consistent mass and its linear solver in the parent, and two nodes further up. The nearest one counts:
 * without iterations nothing would move. */
static void a_linear_solver_may_stand_above(void **state)
{
    (void)state;
#define ABOVE(at_root, at_a)                                                                              \
    "<Node name='root' dt='0.1' gravity='0 0 -10'><DefaultAnimationLoop/>" at_root "<Node name='A'>" at_a \
    "<Node name='Body'><EulerExplicitSolver/>" SQUARE "<MeshMatrixMass massDensity='3'/></Node></Node></Node>"
#define IDLE "<CGLinearSolver iterations='1' tolerance='1' threshold='1e9'/>"
    static const char *const scenes[] = {ABOVE(DIRECT, ""), ABOVE("", DIRECT), ABOVE(IDLE, DIRECT)};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        DvScene *scene = scene_from_text(scenes[i]);
        run(scene, 2);
        const double *v = dv_state_read(scene_state(scene, "/A/Body/dofs"), DV_VELOCITY).at;
        for (int point = 0; point < 4; point++)
            assert_true(fabs(v[3 * point + 2] + 2.0) < 1e-13);
        dv_scene_free(scene);
    }
}

static void what_is_missing_is_named_with_its_remedy(void **state)
{
    (void)state;
    expect_load_error(
        "<Node name='root'>\n<DefaultAnimationLoop/>\n<Node name='Body'>\n<EulerImplicitSolver name='ode'/>\n"
        "<MechanicalObject template='Vec1d' position='0'/>\n<UniformMass totalMass='1'/>\n</Node></Node>",
        "scene.scn:4: EulerImplicitSolver 'ode': there is no linear solver in '/Body' or below it; add one");
    static const char *const solvers[] = {"EulerExplicitSolver",   "RungeKutta4Solver",
                                          "RungeKutta2Solver",     "CentralDifferenceSolver",
                                          "NewmarkImplicitSolver", "VariationalSymplecticSolver"};
    for (int i = 0; i < 6; i++) {
        char text[512], part[256];
        snprintf(
            text, sizeof text,
            "<Node name='root'>\n<DefaultAnimationLoop/>\n<Node name='Body'>\n<%s name='ode'/>\n" DIRECT
            "<MechanicalObject template='Vec1d' position='0'/>\n<ConstantForceField forces='1' indices='0'/></Node></Node>",
            solvers[i]);
        snprintf(part, sizeof part, "scene.scn:4: %s 'ode': there is no mass in '/Body' or below it", solvers[i]);
        expect_step_error(text, DV_ERROR_MISSING, part);
    }
    expect_step_error(
        "<Node name='root'>\n<DefaultAnimationLoop/>\n<Node name='Body'>\n<EulerExplicitSolver name='ode'/>\n" SQUARE
        "<MeshMatrixMass massDensity='3'/></Node></Node>",
        DV_ERROR_MISSING, "scene.scn:4: EulerExplicitSolver 'ode': a mass that is not diagonal");
    expect_step_error(
        "<Node name='root'>\n<DefaultAnimationLoop/>\n<Node name='Body'>\n<RungeKutta4Solver name='ode'/>\n" SQUARE
        "<MeshMatrixMass massDensity='3'/></Node></Node>",
        DV_ERROR_UNSUPPORTED, "scene.scn:4: RungeKutta4Solver 'ode': a mass that is not diagonal");
}

static void old_names_make_the_same_solvers(void **state)
{
    (void)state;
    static const struct {
        const char *old, *now;
    } names[] = {
        {"<EulerSolver/>", "<EulerExplicitSolver/>"},
        {"<Euler/>", "<EulerExplicitSolver/>"},
        {"<RungeKutta4/>", "<RungeKutta4Solver/>"},
        {"<RungeKutta2/>", "<RungeKutta2Solver/>"},
        {"<CentralDifference/>", "<CentralDifferenceSolver/>"},
        {"<VariationalSolver/>" DIRECT, "<VariationalSymplecticSolver/>" DIRECT},
        {"<EulerImplicit/><CGSolver iterations='9' tolerance='1e-9' threshold='1e-9'/>",
         "<EulerImplicitSolver/><CGLinearSolver iterations='9' tolerance='1e-9' threshold='1e-9'/>"},
        {"<CGImplicit/>", "<EulerImplicitSolver rayleighStiffness='0.1' rayleighMass='0.1' vdamping='0'/>"
                          "<CGLinearSolver iterations='25' tolerance='1e-5' threshold='1e-5'/>"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        expect_motion(run_oscillator(names[i].old, 0.02, 5), run_oscillator(names[i].now, 0.02, 5), 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(implicit_euler_follows_its_recurrence_for_every_field),
        cmocka_unit_test(implicit_euler_leaves_no_residual_on_a_linear_spring),
        cmocka_unit_test(without_the_field_no_residual_is_computed),
        cmocka_unit_test(explicit_euler_follows_its_recurrence),
        cmocka_unit_test(central_differences_follow_their_recurrence),
        cmocka_unit_test(the_midpoint_method_follows_its_recurrence),
        cmocka_unit_test(each_method_says_what_its_solutions_do),
        cmocka_unit_test(a_kept_vector_of_another_length_is_left),
        cmocka_unit_test(newmark_follows_its_recurrence_for_every_field),
        cmocka_unit_test(the_variational_method_follows_its_recurrence),
        cmocka_unit_test(the_variational_method_keeps_and_tells_the_energy),
        cmocka_unit_test(the_variational_method_iterates),
        cmocka_unit_test(the_methods_converge_with_their_order),
        cmocka_unit_test(the_trapezoidal_rule_is_of_second_order_with_damping),
        cmocka_unit_test(the_trapezoidal_rule_is_of_second_order_on_a_nonlinear_spring),
        cmocka_unit_test(energy_behaves_as_each_method_promises),
        cmocka_unit_test(the_trapezoidal_rule_is_stable_and_the_scheme_is_not),
        cmocka_unit_test(damping_slows_and_stops_velocities),
        cmocka_unit_test(separate_gravity_is_added_by_the_solver),
        cmocka_unit_test(a_consistent_mass_goes_through_the_linear_solver),
        cmocka_unit_test(implicit_methods_take_a_consistent_mass),
        cmocka_unit_test(a_linear_solver_may_stand_above),
        cmocka_unit_test(what_is_missing_is_named_with_its_remedy),
        cmocka_unit_test(old_names_make_the_same_solvers),
    };
    return cmocka_run_group_tests_name("ODE solvers", tests, NULL, NULL);
}
