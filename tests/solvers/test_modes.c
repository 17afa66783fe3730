/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Natural modes (divan.natural-modes/1) against closed forms and against a dense solution of the same matrices.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_text.h"

#include <divan/contracts/dense.h>
#include <divan/contracts/eigenpairs.h>
#include <divan/contracts/mechanical_operations.h>
#include <divan/contracts/modes.h>
#include <divan/divan.h>
#include <divan/log.h>
#include <divan/memory.h>
#include <divan/plugin.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

static const DvModesOps *modes_or_skip(void)
{
    const DvModesOps *ops = dv_service(DV_NATURAL_MODES);
    assert_non_null(ops);
    if (dv_service(DV_EIGENPAIRS) == NULL)
        skip();
    return ops;
}

static DvText said;

static void keep(const DvMessage *message, void *context)
{
    (void)context;
    dv_text_add(&said, "%s\n", message->text);
}

static void expect_said(const char *part)
{
    dv_log_set_handler(NULL, NULL);
    assert_non_null(said.at);
    if (strstr(said.at, part) == NULL)
        fail_msg("'%s' is not in '%s'", part, said.at);
    dv_text_free(&said);
}

static void expect_refusal(const char *text, uint32_t count, const char *part)
{
    DvScene *scene = scene_from_text(text);
    dv_log_set_handler(keep, NULL);
    assert_null(modes_or_skip()->find(dv_scene_root(scene), count));
    expect_said(part);
    dv_scene_free(scene);
}

/* `count` masses of 2 kg on springs of 50 N/m between each other, the first and last one fixed: two pi k / (2 (count - 1)). */
static DvScene *chain(uint32_t count)
{
    DvText text = {0};
    dv_text_add(&text, "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/><EulerExplicitSolver/>"
                       "<MechanicalObject name='dofs' template='Vec1d' position='");
    for (uint32_t i = 0; i < count; i++)
        dv_text_add(&text, "%u ", i);
    dv_text_add(&text,
                "'/><UniformMass vertexMass='2'/><FixedProjectiveConstraint indices='0 %u'/><SpringForceField spring='",
                count - 1);
    for (uint32_t i = 0; i + 1 < count; i++)
        dv_text_add(&text, "%u %u 50 0 1  ", i, i + 1);
    dv_text_add(&text, "'/></Node>");
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

/* Few masses by the dense way, many by the iteration. */
static void a_chain_of_springs_has_its_frequencies(void **state)
{
    (void)state;
    const DvModesOps *ops = modes_or_skip();
    static const uint32_t counts[] = {3, 4, 12, 200, 500};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        const uint32_t points = counts[c], count = points - 2 < 8 ? points - 2 : 8;
        DvScene *scene = chain(points);
        DvModes *modes = ops->find(dv_scene_root(scene), count);
        assert_non_null(modes);
        assert_int_equal(ops->unknowns(modes), points);
        for (uint32_t k = 0; k < count; k++) {
            const double omega = 2 * sqrt(50.0 / 2.0) * sin(PI * (k + 1) / (2.0 * (points - 1)));
            if (!(fabs(ops->values(modes)[k] / (omega * omega) - 1) < 1e-10))
                fail_msg("%u masses, mode %u: %.17g, not %.17g", points, k, sqrt(ops->values(modes)[k]), omega);
        }
        /* v^T M v = 1, as sines. */
        ops->show(modes, 0, 0.5);
        const DvStateRef dofs = scene_state(scene, "/dofs");
        const DvConstVec v = dv_state_read(dofs, DV_VELOCITY), x = dv_state_read(dofs, DV_POSITION);
        double energy = 0;
        for (uint32_t i = 0; i < points; i++) {
            const double shape = sin(PI * i / (points - 1.0)) / sqrt(points - 1.0);
            assert_true(fabs(v.at[i] - shape) < 1e-8);
            assert_true(fabs(x.at[i] - i - shape / 2) < 1e-8);
            energy += 2 * v.at[i] * v.at[i];
        }
        assert_true(fabs(energy - 1) < 1e-12);
        ops->free(modes);
        const DvConstVec back = dv_state_read(dofs, DV_POSITION);
        for (uint32_t i = 0; i < points; i++)
            assert_true(back.at[i] == i);
        dv_scene_free(scene);
    }
}

/* Masses of 2 kg on springs of 50 N/m, of which the last one is fixed: K v = value M v for each mode, v^T M v = 1, and the largest number is
 * positive. */
static void each_shape_is_that_of_its_value(void **state)
{
    (void)state;
    const DvModesOps *ops = modes_or_skip();
    enum { COUNT = 7, MOST = 400 };
    static const int counts[] = {9, MOST};
    for (int c = 0; c < 2; c++) {
        DvText text = {0};
        const int points = counts[c];
        dv_text_add(&text, "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/><EulerExplicitSolver/>"
                           "<MechanicalObject name='dofs' template='Vec1d' position='");
        for (int i = 0; i < points; i++)
            dv_text_add(&text, "%d ", i);
        dv_text_add(&text, "'/><UniformMass vertexMass='2'/><FixedProjectiveConstraint indices='%d'/>", points - 1);
        dv_text_add(&text, "<SpringForceField spring='");
        for (int i = 0; i + 1 < points; i++)
            dv_text_add(&text, "%d %d 50 0 1  ", i, i + 1);
        dv_text_add(&text, "'/></Node>");
        DvScene *scene = scene_from_text(text.at);
        dv_text_free(&text);
        DvModes *modes = ops->find(dv_scene_root(scene), COUNT);
        assert_non_null(modes);
        for (uint32_t k = 0; k < COUNT; k++) {
            ops->show(modes, k, 0.0);
            const double *v = dv_state_read(scene_state(scene, "/dofs"), DV_VELOCITY).at, value = ops->values(modes)[k];
            double size = 0.0, most = 0.0, least = 0.0;
            for (int i = 0; i < points - 1; i++) {
                const double force = 50.0 * (v[i] - v[i + 1]) + (i > 0 ? 50.0 * (v[i] - v[i - 1]) : 0.0);
                assert_true(fabs(force - value * 2.0 * v[i]) < 1e-9);
                size += 2.0 * v[i] * v[i];
                most = fmax(most, v[i]);
                least = fmin(least, v[i]);
            }
            assert_true(v[points - 1] == 0.0 && fabs(size - 1.0) < 1e-12);
            assert_true(most >= -least * (1.0 - 2e-6));
            assert_true(k == 0 || value > ops->values(modes)[k - 1]);
        }
        ops->free(modes);
        dv_scene_free(scene);
    }
}

/* Euler and Bernoulli's beam, held at one end: omega = (beta l)^2 sqrt(E I / (rho A l^4)), twice each as it may bend both ways. */
static void a_held_beam_has_its_frequencies(void **state)
{
    (void)state;
    const DvModesOps *ops = modes_or_skip();
    enum { PARTS = 64 };
    const double length = 2, radius = 0.01, young = 1e9, density = 1000;
    DvText text = {0};
    dv_text_add(&text, "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/><EulerImplicitSolver/>"
                       "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/><MeshTopology lines='");
    for (int i = 0; i < PARTS; i++)
        dv_text_add(&text, "%d %d ", i, i + 1);
    dv_text_add(&text, "'/><MechanicalObject name='dofs' template='Rigid3d' position='");
    for (int i = 0; i <= PARTS; i++)
        dv_text_add(&text, "%.17g 0 0 0 0 0 1  ", length * i / PARTS);
    dv_text_add(
        &text,
        "'/><BeamFEMForceField radius='%g' youngModulus='%g' poissonRatio='0'/>"
        "<FixedProjectiveConstraint indices='0'/><UniformMass vertexMass='%.17g 1 1e-9 0 0 0 1e-9 0 0 0 1e-9'/></Node>",
        radius, young, density * PI * radius * radius * length / PARTS);
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    DvModes *modes = ops->find(dv_scene_root(scene), 6);
    assert_non_null(modes);
    static const double beta[] = {1.87510406871, 4.69409113297, 7.85475743824};
    for (int k = 0; k < 6; k++) {
        const double omega =
            beta[k / 2] * beta[k / 2] * sqrt(young * radius * radius / (4 * density)) / (length * length);
        const double found = sqrt(ops->values(modes)[k]);
        if (!(fabs(found / omega - 1) <
              0.03)) /* half a mass too much at the end: half a part of 64, by the first mode */
            fail_msg("mode %d: %.6g, not %.6g", k, found, omega);
    }
    ops->free(modes);
    dv_scene_free(scene);
}

#define BODY(size, held)                                                                   \
    "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/><EulerImplicitSolver/>"      \
    "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"                       \
    "<RegularGridTopology name='grid' n='" size "' min='0 0 0' max='3 1 1.2'/>"            \
    "<MechanicalObject name='dofs'/><MeshMatrixMass massDensity='2' consistent='1'/>" held \
    "<HexahedronFEMForceField youngModulus='1000' poissonRatio='0.3'/></Node>"

/* The six motions of a body that nothing holds are named so, and are followed by those of the body. */
static void a_free_body_has_six_zeros(void **state)
{
    (void)state;
    const DvModesOps *ops = modes_or_skip();
    static const char *const bodies[] = {BODY("3 2 2", ""), BODY("9 5 5", "")}; /* one for each way */
    for (int b = 0; b < 2; b++) {
        DvScene *scene = scene_from_text(bodies[b]);
        DvModes *modes = ops->find(dv_scene_root(scene), 9);
        assert_non_null(modes);
        for (int k = 0; k < 9; k++)
            assert_true(k < 6 ? ops->values(modes)[k] == 0.0 : ops->values(modes)[k] > 1.0);
        ops->free(modes);
        dv_scene_free(scene);
    }
}

/* Column j of K and of M, without fixed points, of which there are none here. */
static double *matrix_of(const DvMechanicalOperationsOps *ops, DvMechanics *m, DvFactors factors, size_t n)
{
    double *a = dv_alloc(n * n, sizeof *a), *unit = dv_alloc(n, sizeof *unit);
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    const DvVecId x = ops->allocate(m, DV_DERIVS), y = ops->allocate(m, DV_DERIVS);
    for (size_t j = 0; j < n; j++) {
        memset(unit, 0, n * sizeof *unit);
        unit[j] = 1.0;
        ops->scatter(m, x, unit);
        ops->clear(m, y);
        ops->add_mbk(m, &step, factors, y, x, DV_WALK_WHOLE);
        ops->gather(m, a + n * j, y);
    }
    ops->release(m, x);
    ops->release(m, y);
    dv_free(unit);
    return a;
}

/* Held by springs on its points, of some stiffness or of much: the iteration against LAPACK on M and K themselves. */
static void the_iteration_finds_what_the_dense_solution_has(void **state)
{
    (void)state;
    const DvModesOps *ops = modes_or_skip();
    const DvDenseOps *dense = dv_service(DV_DENSE);
    const DvMechanicalOperationsOps *mechanics = dv_service(DV_MECHANICAL_OPERATIONS);
    static const char *const bodies[] = {
        BODY("7 4 4", "<RestShapeSpringsForceField stiffness='3'/>"),
        BODY("7 4 4", "<RestShapeSpringsForceField stiffness='1e4' points='0 6 21'/>")};
    for (int b = 0; b < 2; b++) {
        DvScene *scene = scene_from_text(bodies[b]);
        DvModes *modes = ops->find(dv_scene_root(scene), 10);
        assert_non_null(modes);
        DvMechanics *m = mechanics->open(dv_scene_root(scene));
        const size_t n = mechanics->unknowns(m);
        assert_true(n > 300); /* so that it is the iteration */
        mechanics->compute_force(m, &(DvStep){.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY}, DV_FORCE,
                                 DV_WALK_WHOLE);
        const DvFactors stiffness = {.k = -1}, inertia = {.m = 1};
        double *k = matrix_of(mechanics, m, stiffness, n);
        double *mass = matrix_of(mechanics, m, inertia, n);
        const DvDenseWork needed = dense->eigen_work((uint32_t)n);
        double *values = dv_alloc(n, sizeof *values), *work = dv_alloc(needed.numbers, sizeof *work);
        int *integers = dv_alloc(needed.integers, sizeof *integers);
        uint32_t failed;
        assert_int_equal(dense->eigen((uint32_t)n, k, mass, values, work, integers, &failed), DV_OK);
        for (int i = 0; i < 10; i++)
            if (!(fabs(ops->values(modes)[i] / values[i] - 1) < 1e-10))
                fail_msg("mode %d: %.17g, not %.17g", i, ops->values(modes)[i], values[i]);
        mechanics->close(m);
        ops->free(modes);
        dv_scene_free(scene);
        void *all[] = {k, mass, values, work, integers};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            dv_free(all[i]);
    }
}

/* A mass of 3 kg that is mapped to a rigid frame, on a spring of 12 N/m; a second body with two springs of its own; an obstacle. */
static void bodies_frames_and_mappings_count(void **state)
{
    (void)state;
    const DvModesOps *ops = modes_or_skip();
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/>"
        "<Node name='moving'><EulerImplicitSolver/><CGLinearSolver iterations='9' tolerance='1e-9' threshold='1e-9'/>"
        "<Node name='a'><MechanicalObject name='frame' template='Rigid3d' position='0 0 0 0 0 0 1'/>"
        "<RestShapeSpringsForceField stiffness='12' angularStiffness='6'/>"
        "<UniformMass vertexMass='1 1 2 0 0 0 2 0 0 0 2'/>"
        "<Node name='point'><MechanicalObject name='point' position='0 0 0'/><UniformMass totalMass='2'/><RigidMapping/></Node></Node>"
        "<Node name='b'><MechanicalObject name='two' position='0 0 0 1 0 0'/><UniformMass vertexMass='2'/>"
        "<FixedProjectiveConstraint indices='1'/><RestShapeSpringsForceField stiffness='50' points='0'/></Node></Node>"
        "<Node name='floor'><MechanicalObject name='floor' position='0 0 0'/><UniformMass totalMass='1'/></Node></Node>");
    DvModes *modes = ops->find(dv_scene_root(scene), 9);
    assert_non_null(modes);
    for (int k = 0; k < 9; k++) {
        const double value = k < 3   ? 6.0 / 2.0
                             : k < 6 ? 12.0 / 3.0
                                     : 25.0; /* of rotations, of places, of the other body */
        if (!(fabs(ops->values(modes)[k] - value) < 1e-10))
            fail_msg("mode %d: %.17g, not %g", k, ops->values(modes)[k], value);
    }
    ops->show(modes, 3, 0.25);
    const DvStateRef frame = scene_state(scene, "/moving/a/frame"), point = scene_state(scene, "/moving/a/point/point");
    double moved = 0.0;
    for (int c = 0; c < 3; c++) {
        const double v = dv_state_read(frame, DV_VELOCITY).at[c];
        assert_true(v == dv_state_read(point, DV_VELOCITY).at[c]);
        assert_true(fabs(dv_state_read(frame, DV_POSITION).at[c] - 0.25 * v) < 1e-15);
        assert_true(dv_state_read(frame, DV_POSITION).at[c] == dv_state_read(point, DV_POSITION).at[c]);
        moved += fabs(v);
    }
    assert_true(moved > 0.5);
    ops->free(modes);
    for (int c = 0; c < 3; c++)
        assert_true(dv_state_read(point, DV_POSITION).at[c] == 0.0 && dv_state_read(point, DV_VELOCITY).at[c] == 0.0);
    dv_scene_free(scene);
}

#define PARTICLE "<Node name='root' gravity='0 0 0'><EulerExplicitSolver/><MechanicalObject position='0 0 0'/>"
#define SPRING   "<RestShapeSpringsForceField stiffness='5'/>"
#define MASS     "<UniformMass totalMass='1'/>"

#define TWO "<Node name='root' gravity='0 0 0'><EulerExplicitSolver/><MechanicalObject name='dofs' template='Vec1d' "

/* Of three points the second has neither mass nor stiffness, and the others some: it is held, as is said, and does not count. */
static void what_has_neither_mass_nor_stiffness_is_held(void **state)
{
    (void)state;
    const DvModesOps *ops = modes_or_skip();
    static const char text[] = TWO "position='0 1 2' velocity='3 4 5'/><UniformMass vertexMass='4' indices='0 2'/>"
                                   "<RestShapeSpringsForceField points='0 2' stiffness='36 400'/></Node>";
    DvScene *scene = scene_from_text(text);
    dv_log_set_handler(keep, NULL);
    DvModes *modes = ops->find(dv_scene_root(scene), 2);
    expect_said("1 unknowns have neither mass nor stiffness, and take no part in its modes");
    assert_non_null(modes);
    assert_true(fabs(ops->values(modes)[0] - 9.0) < 1e-10 && fabs(ops->values(modes)[1] - 100.0) < 1e-10);
    const DvStateRef dofs = scene_state(scene, "/dofs");
    ops->show(modes, 1, -2.0);
    const DvConstVec x = dv_state_read(dofs, DV_POSITION), v = dv_state_read(dofs, DV_VELOCITY);
    for (int i = 0; i < 3; i++) {
        const double shape = i == 2 ? 0.5 : 0.0;
        assert_true(fabs(v.at[i] - shape) < 1e-12 && fabs(x.at[i] - (i - 2.0 * shape)) < 1e-12);
    }
    ops->free(modes); /* the state is as it was, the velocity too */
    for (int i = 0; i < 3; i++) {
        assert_true(dv_state_read(dofs, DV_POSITION).at[i] == i);
        assert_true(dv_state_read(dofs, DV_VELOCITY).at[i] == 3 + i);
    }
    dv_scene_free(scene);
    expect_refusal(text, 3, "3 modes are asked for, of 2 unknowns that may move");
}

/* A spring that pushes instead of pulling: its value is negative, and comes first; and one that is stiff beside others that are not. */
static void values_of_all_sizes_are_found(void **state)
{
    (void)state;
    const DvModesOps *ops = modes_or_skip();
    static const struct {
        const char *stiffness;
        double values[4];
    } cases[] = {{"100 -20 3 0", {-20, 0, 3, 100}},
                 {"1e9 1 1e-3 1e5", {1e-3, 1, 1e5, 1e9}},
                 {"-1e6 1 2 -1e3", {-1e6, -1e3, 1, 2}},
                 {"5 0 0 0", {0, 0, 0, 5}}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[600];
        (void)snprintf(text, sizeof text,
                       TWO "position='0 1 2 3'/><UniformMass vertexMass='1'/>"
                           "<RestShapeSpringsForceField points='0 1 2 3' stiffness='%s'/></Node>",
                       cases[k].stiffness);
        dv_log_set_handler(keep, NULL); /* of stiffness below zero */
        DvScene *scene = scene_from_text(text);
        dv_log_set_handler(NULL, NULL);
        dv_text_free(&said);
        DvModes *modes = ops->find(dv_scene_root(scene), 4);
        assert_non_null(modes);
        const double largest = fmax(fabs(cases[k].values[0]), fabs(cases[k].values[3]));
        for (int i = 0; i < 4; i++)
            if (!(fabs(ops->values(modes)[i] - cases[k].values[i]) <= 1e-12 * largest))
                fail_msg("case %zu, mode %d: %.17g, not %g", k, i, ops->values(modes)[i], cases[k].values[i]);
        ops->free(modes);
        dv_scene_free(scene);
    }
}

/* Two points against each other: whichever moves more, moves forwards. */
static void the_largest_number_of_a_shape_is_positive(void **state)
{
    (void)state;
    const DvModesOps *ops = modes_or_skip();
    for (int larger = 0; larger < 2; larger++) {
        DvScene *scene = scene_from_text(
            larger == 0 ? TWO "position='0 1'/><UniformMass vertexMass='1'/><SpringForceField spring='0 1 10 0 1'/>"
                              "<RestShapeSpringsForceField points='0 1' stiffness='9 2'/></Node>"
                        : TWO "position='0 1'/><UniformMass vertexMass='1'/><SpringForceField spring='0 1 10 0 1'/>"
                              "<RestShapeSpringsForceField points='0 1' stiffness='2 9'/></Node>");
        DvModes *modes = ops->find(dv_scene_root(scene), 2);
        assert_non_null(modes);
        ops->show(modes, 1, 0.0);
        const DvConstVec v = dv_state_read(scene_state(scene, "/dofs"), DV_VELOCITY);
        assert_true(v.at[larger] > 0.75 && v.at[1 - larger] < -0.5);
        ops->free(modes);
        dv_scene_free(scene);
    }
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    expect_refusal(PARTICLE MASS SPRING "</Node>", 4, "4 modes are asked for, of 3 unknowns");
    expect_refusal(PARTICLE SPRING "</Node>", 1, "nothing that moves has mass");
    expect_refusal(PARTICLE MASS "</Node>", 1, "nothing resists a small displacement");
    expect_refusal(PARTICLE MASS SPRING "<FixedProjectiveConstraint/></Node>", 1,
                   "1 modes are asked for, of 0 unknowns");
    expect_refusal("<Node name='root'><EulerExplicitSolver/></Node>", 1, "nothing moves here");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_of_springs_has_its_frequencies),
        cmocka_unit_test(each_shape_is_that_of_its_value),
        cmocka_unit_test(a_held_beam_has_its_frequencies),
        cmocka_unit_test(a_free_body_has_six_zeros),
        cmocka_unit_test(the_iteration_finds_what_the_dense_solution_has),
        cmocka_unit_test(bodies_frames_and_mappings_count),
        cmocka_unit_test(what_has_neither_mass_nor_stiffness_is_held),
        cmocka_unit_test(values_of_all_sizes_are_found),
        cmocka_unit_test(the_largest_number_of_a_shape_is_positive),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, start_plugins, stop_plugins);
}
