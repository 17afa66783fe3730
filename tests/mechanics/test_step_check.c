/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The report of a run whose state stops being finite, the last good state, and what is known to be wrong before a run.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <divan/plugin.h>

#include "scene_text.h"

static const DvStepCheckOps *check_ops(void)
{
    const DvStepCheckOps *ops = dv_service(DV_STEP_CHECK);
    assert_non_null(ops);
    return ops;
}

static void collect(const DvMessage *message, void *context)
{
    dv_message_print(message, context);
    dv_text_add(context, "\n");
}

/* Steps until one fails, which must happen within `most`; what it said must hold `expected`. */
static void expect_report(const char *text, int most, const char *expected)
{
    DvScene *scene = scene_from_text(text);
    DvText messages = {0};
    dv_log_set_handler(collect, &messages);
    DvStatus status = DV_OK;
    for (int i = 0; i < most && status == DV_OK; i++)
        status = dv_scene_step(scene, 0);
    dv_log_set_handler(NULL, NULL);
    if (status != DV_ERROR_NOT_FINITE || !messages.at || !strstr(messages.at, expected))
        fail_msg("status %s; expected\n  %s\nbut got\n%s", dv_status_name(status), expected,
                 messages.at ? messages.at : "nothing");
    dv_text_free(&messages);
    dv_scene_free(scene);
}

static void a_point_without_mass_is_found(void **state)
{
    (void)state;
    expect_report(
        "<Node name='root' gravity='0 -10 0' dt='0.01'><EulerExplicitSolver/>\n"
        "<MechanicalObject name='dofs' position='0 0 0 1 0 0 2 0 0'/><DiagonalMass vertexMass='1 0 1'/>"
        "<EdgeSetTopologyContainer position='0 0 0 1 0 0 2 0 0' edges='0 1 1 2'/></Node>",
        3,
        "scene.scn:2: MechanicalObject 'dofs': the position of point 1 is not finite after step 1; likely cause: no mass (point 1 has "
        "none); add a UniformMass, DiagonalMass or MeshMatrixMass that covers it");
}

#define EXPLODING(solver, dt)                                                                 \
    "<Node name='root' gravity='0 -10 0' dt='" dt "'>" solver                                 \
    "\n<MechanicalObject name='dofs' position='0 0 0 1.1 0 0'/><UniformMass vertexMass='1'/>" \
    "<SpringForceField name='spring' spring='0 1 1e6 0 1'/></Node>"

static void a_step_too_large_is_told_with_its_limit(void **state)
{
    (void)state;
    /* Two unit masses on a spring of 1e6 N/m: sqrt(2e6) rad/s, stable below 2 / 1414 s */
    static const char expected[] =
        "likely cause: step too large for the stiffest element (SpringForceField 'spring' oscillates at 1.41e+03 "
        "rad/s, so a step of 1 s diverges); use a dt below 0.0014 s, or EulerImplicitSolver";
    expect_report(EXPLODING("<EulerExplicitSolver symplectic='0'/>", "1"), 2000, expected);
    expect_report(EXPLODING("<RungeKutta4Solver/>", "1"), 2000, expected);
}

static void an_inverted_element_is_named(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' dt='0.01'><EulerImplicitSolver/><CGLinearSolver iterations='10' tolerance='1e-9' threshold='1e-9'/>"
        "<TetrahedronSetTopologyContainer position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 3'/>\n"
        "<MechanicalObject name='dofs'/><UniformMass totalMass='1'/>"
        "<TetrahedronFEMForceField name='fem' youngModulus='100' poissonRatio='0.3' method='large'/></Node>");
    const DvStateRef s = scene_state(scene, "/dofs");
    double *x = s.ops->write(s.self, DV_POSITION, DV_HOST, DV_READ_WRITE);
    x[11] = -1.0; /* the tip below the base */
    assert_int_equal(check_ops()->check(dv_scene_root(scene), 6), DV_OK);
    s.ops->write(s.self, DV_POSITION, DV_HOST, DV_READ_WRITE)[4] = NAN;
    DvText messages = {0};
    dv_log_set_handler(collect, &messages);
    assert_int_equal(check_ops()->check(dv_scene_root(scene), 7), DV_ERROR_NOT_FINITE);
    dv_log_set_handler(NULL, NULL);
    assert_string_equal(
        messages.at,
        "scene.scn:2: MechanicalObject 'dofs': the position of point 1 is not finite after step 7; likely cause: "
        "inverted element (element 0 of TetrahedronFEMForceField 'fem'); use a smaller dt, a stiffer material or "
        "a finer mesh there\n");
    dv_text_free(&messages);
    dv_scene_free(scene);
}

/* A state that is not finite, whatever the reason, of a scene that explains it. */
static void expect_explanation(const char *text, DvVecId broken, const char *expected)
{
    DvScene *scene = scene_from_text(text);
    const DvStateRef s = scene_state(scene, "/dofs");
    assert_int_equal(check_ops()->check(dv_scene_root(scene), 0), DV_OK);
    s.ops->write(s.self, broken, DV_HOST, DV_READ_WRITE)[0] = NAN;
    DvText messages = {0};
    dv_log_set_handler(collect, &messages);
    assert_int_equal(check_ops()->check(dv_scene_root(scene), 1), DV_ERROR_NOT_FINITE);
    dv_log_set_handler(NULL, NULL);
    if (!messages.at || !strstr(messages.at, expected))
        fail_msg("expected\n  %s\nbut got\n%s", expected, messages.at ? messages.at : "nothing");
    dv_text_free(&messages);
    dv_scene_free(scene);
}

#define IMPLICIT "<EulerImplicitSolver/><CGLinearSolver iterations='10' tolerance='1e-9' threshold='1e-9'/>"

static void other_causes_are_told_apart(void **state)
{
    (void)state;
    expect_explanation(
        "<Node name='root'>" IMPLICIT "<MechanicalObject name='dofs'/><UniformMass totalMass='1'/>"
        "<FixedProjectiveConstraint fixAll='1'/></Node>",
        DV_VELOCITY,
        "the velocity of point 0 is not finite after step 1; likely cause: all points fixed; leave some of them free");
    expect_explanation("<Node name='root'>" IMPLICIT "<MechanicalObject name='dofs'/></Node>", DV_POSITION,
                       "likely cause: no mass");
    expect_explanation("<Node name='root'>" IMPLICIT
                       "<MechanicalObject name='dofs' size='2'/><UniformMass totalMass='1' indices='1'/>"
                       "<SpringForceField spring='0 1 10 0 1'/></Node>",
                       DV_POSITION, "likely cause: none that a component has seen; use a smaller dt");
    expect_explanation("<Node name='root'>" IMPLICIT
                       "<MechanicalObject name='dofs'/><Node name='Child'><MechanicalObject/><IdentityMapping/>"
                       "<UniformMass totalMass='1'/></Node></Node>",
                       DV_POSITION, "likely cause: no stiffness; add a force field");
}

/* Two unit masses on a spring of 1e6 N/m: explicit steps diverge from 2 / sqrt(2e6) s = 1.414 ms on. */
static void the_limit_of_the_step_is_that_of_the_stiffest_element(void **state)
{
    (void)state;
    expect_explanation(EXPLODING("<EulerExplicitSolver name='solver' symplectic='0'/>", "0.00142"), DV_POSITION,
                       "likely cause: step too large for the stiffest element (SpringForceField 'spring' oscillates at "
                       "1.41e+03 rad/s, so a step of 0.00142 s diverges); use a dt below 0.0014 s");
    static const char *const small[] = {"0.00141", "0.0008", "0.0001"};
    static const char *const expected[] = {"(dt is 0.00141 s)", "(dt is 0.0008 s)", "(dt is 0.0001 s)"};
    for (size_t i = 0; i < 3; i++) {
        char text[512];
        (void)snprintf(text, sizeof text, EXPLODING("<EulerExplicitSolver symplectic='0'/>", "%s"), small[i]);
        expect_explanation(text, DV_POSITION, expected[i]);
    }
}

static void the_last_good_state_comes_back(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 -10 0' dt='0.1'><EulerExplicitSolver/><MechanicalObject name='dofs'/>"
        "<UniformMass totalMass='1'/><Node name='Child'><MechanicalObject name='copy'/><IdentityMapping/></Node></Node>");
    const DvStateRef s = scene_state(scene, "/dofs");
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    const double y = dv_state_read(s, DV_POSITION).at[1], v = dv_state_read(s, DV_VELOCITY).at[1];
    s.ops->write(s.self, DV_POSITION, DV_HOST, DV_READ_WRITE)[1] = INFINITY;
    s.ops->write(s.self, DV_VELOCITY, DV_HOST, DV_READ_WRITE)[1] = NAN;
    assert_true(check_ops()->restore_last_good(dv_scene_root(scene)));
    assert_true(dv_state_read(s, DV_POSITION).at[1] == y && dv_state_read(s, DV_VELOCITY).at[1] == v);
    assert_true(dv_state_read(scene_state(scene, "/Child/copy"), DV_POSITION).at[1] == y);
    dv_scene_free(scene);
}

/* Of two bodies, the first of which still is good when the second is not; in even and in odd steps, and after one of rest. */
static void all_bodies_come_back_as_they_were_after_one_step(void **state)
{
    (void)state;
    for (int steps = 0; steps < 4; steps++) {
        DvScene *scene = scene_from_text(
            "<Node name='root' gravity='0 -10 0' dt='0.1'>"
            "<Node name='One'><EulerExplicitSolver/><MechanicalObject name='a'/><UniformMass vertexMass='1'/></Node>"
            "<Node name='Two'><EulerExplicitSolver/><MechanicalObject name='b'/><UniformMass vertexMass='1'/></Node>"
            "</Node>");
        const DvStateRef a = scene_state(scene, "/One/a"), b = scene_state(scene, "/Two/b");
        for (int i = 0; i < steps; i++)
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        assert_int_equal(check_ops()->check(dv_scene_root(scene), 1), DV_OK); /* nothing has moved */
        const double y = dv_state_read(a, DV_POSITION).at[1], v = dv_state_read(a, DV_VELOCITY).at[1];
        assert_true(v == dv_state_read(b, DV_VELOCITY).at[1] && (steps == 0 || v < 0));
        dv_state_write(b, DV_VELOCITY, DV_READ_WRITE).at[2] = NAN;
        DvText messages = {0};
        dv_log_set_handler(collect, &messages);
        assert_int_equal(dv_scene_step(scene, 0), DV_ERROR_NOT_FINITE);
        dv_log_set_handler(NULL, NULL);
        dv_text_free(&messages);
        assert_true(dv_state_read(a, DV_VELOCITY).at[1] != v);
        assert_true(check_ops()->restore_last_good(dv_scene_root(scene)));
        assert_true(dv_state_read(a, DV_POSITION).at[1] == y && dv_state_read(a, DV_VELOCITY).at[1] == v);
        assert_true(dv_state_read(b, DV_POSITION).at[1] == y && dv_state_read(b, DV_VELOCITY).at[1] == v);
        assert_true(dv_state_read(b, DV_VELOCITY).at[2] == 0);
        assert_int_equal(dv_scene_step(scene, 0), DV_OK); /* and goes on */
        assert_true(dv_state_read(a, DV_VELOCITY).at[1] == v - 1);
        dv_scene_free(scene);
    }
}

/* Vectors of a few numbers, of whole and of broken blocks, of several chunks. */
static void every_number_is_looked_at_and_comes_back_however_many_there_are(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 2, 3, 5, 6, 7, 11, 341, 342, 2731, 6001};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        char text[128];
        snprintf(text, sizeof text, "<Node name='root'><MechanicalObject name='dofs' size='%u'/></Node>", counts[k]);
        DvScene *scene = scene_from_text(text);
        const DvStateRef s = scene_state(scene, "/dofs");
        const uint32_t numbers = 3 * counts[k];
        DvText messages = {0};
        dv_log_set_handler(collect, &messages);
        for (uint32_t wrong = 0; wrong < numbers; wrong += wrong < numbers - 20 && wrong > 20 ? 97 : 1) {
            double *x = dv_state_write(s, DV_POSITION, DV_OVERWRITE).at;
            double *v = dv_state_write(s, DV_VELOCITY, DV_OVERWRITE).at;
            for (uint32_t i = 0; i < numbers; i++)
                x[i] = i + 1, v[i] = -3.0 * i;
            assert_int_equal(check_ops()->check(dv_scene_root(scene), 1), DV_OK);
            dv_state_write(s, DV_POSITION, DV_READ_WRITE).at[wrong] = NAN;
            dv_state_write(s, DV_VELOCITY, DV_READ_WRITE).at[numbers - 1 - wrong] = INFINITY;
            assert_int_equal(check_ops()->check(dv_scene_root(scene), 2), DV_ERROR_NOT_FINITE);
            assert_true(check_ops()->restore_last_good(dv_scene_root(scene)));
            for (uint32_t i = 0; i < numbers; i++)
                assert_true(dv_state_read(s, DV_POSITION).at[i] == i + 1 &&
                            dv_state_read(s, DV_VELOCITY).at[i] == -3.0 * i);
        }
        dv_log_set_handler(NULL, NULL);
        dv_text_free(&messages);
        dv_scene_free(scene);
    }
}

/* ---- What it costs ---- */

static double *without_a_write(DvStateRef s, DvVecId id)
{
    return (double *)(uintptr_t)dv_state_read(s, id).at;
}

/* A number that is put there behind the back of the state shows whether anybody looks. */
static void what_nothing_has_written_is_not_looked_at(void **state)
{
    (void)state;
    static const DvVecId vectors[] = {DV_POSITION, DV_VELOCITY};
    for (int i = 0; i < 2; i++) {
        DvScene *scene = scene_from_text(
            "<Node name='root' gravity='0 -10 0' dt='0.1'><MechanicalObject name='rests' position='1 2 3'/></Node>");
        const DvStateRef s = scene_state(scene, "/rests");
        without_a_write(s, vectors[i])[1] = NAN;
        for (int step = 0; step < 3; step++)
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        DvText messages = {0};
        dv_log_set_handler(collect, &messages);
        (void)dv_state_write(s, vectors[i], DV_READ_WRITE);
        assert_int_equal(dv_scene_step(scene, 0), DV_ERROR_NOT_FINITE);
        assert_int_equal(check_ops()->check(dv_scene_root(scene), 5), DV_ERROR_NOT_FINITE); /* not only once */
        dv_log_set_handler(NULL, NULL);
        dv_text_free(&messages);
        assert_true(check_ops()->restore_last_good(dv_scene_root(scene)));
        assert_true(dv_state_read(s, vectors[i]).at[1] == (i ? 0 : 2));
        dv_scene_free(scene);
    }
}

/* Numbers beyond the floor of 1e9, which the limit alone lets go: found good once, and looked at again after a write. */
static void what_the_limit_lets_go_is_not_looked_at_again_either(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 0 0' dt='0.1'><MechanicalObject name='far' position='1e12 0 0'/></Node>");
    const DvStateRef s = scene_state(scene, "/far");
    double *x = without_a_write(s, DV_POSITION);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    x[1] = NAN;
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    x[1] = 0;
    dv_state_write(s, DV_POSITION, DV_READ_WRITE).at[0] = 2e12;
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    dv_state_write(s, DV_POSITION, DV_READ_WRITE).at[1] = INFINITY;
    DvText messages = {0};
    dv_log_set_handler(collect, &messages);
    assert_int_equal(dv_scene_step(scene, 0), DV_ERROR_NOT_FINITE);
    dv_log_set_handler(NULL, NULL);
    dv_text_free(&messages);
    assert_true(check_ops()->restore_last_good(dv_scene_root(scene)));
    assert_true(dv_state_read(s, DV_POSITION).at[0] == 2e12 && dv_state_read(s, DV_POSITION).at[1] == 0);
    dv_state_write(s, DV_POSITION, DV_READ_WRITE).at[0] =
        3; /* and what comes below the floor again is good without it */
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    dv_scene_free(scene);
}

static void expect_failure_of(DvScene *scene, DvStateRef s, DvVecId id)
{
    DvText messages = {0};
    dv_state_write(s, id, DV_READ_WRITE).at[0] = NAN;
    dv_log_set_handler(collect, &messages);
    assert_int_equal(check_ops()->check(dv_scene_root(scene), 9), DV_ERROR_NOT_FINITE);
    dv_log_set_handler(NULL, NULL);
    dv_text_free(&messages);
}

/* A state that a mapping computes for a while: it is looked at all the time, and kept while it is on its own. */
static void a_state_that_is_mapped_for_a_while_is_looked_at_all_the_time(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node name='root' gravity='0 0 0'><MechanicalObject name='a' position='1 0 0'/>"
                                     "<Node name='Child'><MechanicalObject name='b' position='5 0 0'/></Node></Node>");
    const DvStateRef a = scene_state(scene, "/a"), b = scene_state(scene, "/Child/b");
    for (int round = 0; round < 3; round++) {
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        dv_state_write(b, DV_POSITION, DV_READ_WRITE).at[0] = 6 + round;
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        expect_failure_of(scene, b, DV_VELOCITY);
        dv_state_write(b, DV_POSITION, DV_READ_WRITE).at[0] = 50;
        assert_true(check_ops()->restore_last_good(dv_scene_root(scene)));
        assert_true(dv_state_read(b, DV_POSITION).at[0] == 6 + round && dv_state_read(b, DV_VELOCITY).at[0] == 0);
        DvObject *mapping;
        assert_int_equal(dv_object_new(dv_object_node(b.object), "IdentityMapping", &mapping, NULL), DV_OK);
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        expect_failure_of(scene, b, DV_POSITION);
        assert_true(check_ops()->restore_last_good(dv_scene_root(scene)));
        assert_true(dv_state_read(a, DV_POSITION).at[0] == 1 && dv_state_read(b, DV_POSITION).at[0] == 1);
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        dv_object_remove(mapping);
    }
    dv_scene_free(scene);
}

/* 1 m in 1e-7 s, a million times, is 1e13 m/s; in 1 s it is the floor of 1e9 m/s. */
static void a_limit_that_falls_is_compared_with_what_rests(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 0 0' dt='1e-7'><MechanicalObject name='dofs' position='1 0 0'/></Node>");
    DvText messages = {0};
    dv_state_write(scene_state(scene, "/dofs"), DV_VELOCITY, DV_READ_WRITE).at[0] = 1e11;
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    dv_node_set_dt(dv_scene_root(scene), 1);
    dv_log_set_handler(collect, &messages);
    assert_int_equal(dv_scene_step(scene, 0), DV_ERROR_NOT_FINITE);
    dv_log_set_handler(NULL, NULL);
    assert_non_null(
        strstr(messages.at, "the velocity of point 0 is 1e+11 after step 2, implausibly large for this scene"));
    dv_text_free(&messages);
    dv_scene_free(scene);
}

static void it_is_a_phase_of_the_step(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node name='root'><MechanicalObject name='dofs'/></Node>");
    dv_phase_enable(true);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    uint64_t calls = 0;
    double seconds;
    for (size_t i = 0; i < dv_phase_count(); i++) {
        uint64_t more;
        if (strcmp(dv_phase_at(i, &seconds, &more), "step check") == 0)
            calls += more;
    }
    dv_phase_enable(false);
    assert_int_equal(calls, 1);
    dv_scene_free(scene);
}

/* ---- Growth ---- */

/* Two points on a spring of 1e6 N/m that explicit steps of 0.1 s tear apart, a factor of about 2e4 a step. */
#define TORN(loop)                                                                            \
    "<Node name='root' gravity='0 0 0' dt='0.1'>" loop "<EulerExplicitSolver/>"               \
    "\n<MechanicalObject name='dofs' position='0 0 0 1.1 0 0'/><UniformMass vertexMass='1'/>" \
    "<SpringForceField name='spring' spring='0 1 1e6 0 1'/></Node>"

static void a_run_that_grows_beyond_all_sense_ends(void **state)
{
    (void)state;
    expect_report(
        TORN(""), 4,
        "implausibly large for this scene (more than 1.4e+09, by growthLimit of the animation loop); likely cause: "
        "step too "
        "large for the stiffest element (SpringForceField 'spring'");
    expect_report(TORN("<DefaultAnimationLoop growthLimit='0'/>"), 100, "is not finite after step");
    /* 1.1 m in 0.1 s, 1e10 times, for 0.4 s */
    expect_report(TORN("<DefaultAnimationLoop growthLimit='1e10'/>"), 5, "(more than 4.5e+10, by growthLimit");
}

/* What falls from rest is as fast as gravity times the time, which no limit of such a fall may forbid; a tenth of it does. */
static void a_fall_makes_sense_along_each_axis(void **state)
{
    (void)state;
    for (int axis = 0; axis < 3; axis++)
        for (int part = 0; part < 2; part++) {
            char text[512];
            snprintf(text, sizeof text,
                     "<Node name='root' gravity='%s %s %s' dt='1'><DefaultAnimationLoop growthLimit='%s'/>"
                     "<EulerExplicitSolver/><MechanicalObject name='dofs' position='0 0 0'/><UniformMass "
                     "vertexMass='1'/></Node>",
                     axis == 0 ? "-4e9" : "0", axis == 1 ? "-4e9" : "0", axis == 2 ? "-4e9" : "0", part ? "0.1" : "1");
            if (part) {
                expect_report(text, 2, "implausibly large for this scene (more than ");
                continue;
            }
            DvScene *scene = scene_from_text(text);
            for (int i = 0; i < 5; i++)
                assert_int_equal(dv_scene_step(scene, 0), DV_OK);
            assert_true(dv_state_read(scene_state(scene, "/dofs"), DV_VELOCITY).at[axis] == -2e10);
            dv_scene_free(scene);
        }
}

static void a_place_beyond_all_reach_ends_the_run(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node name='root' gravity='0 0 0' dt='0.1'><EulerExplicitSolver/>"
                        "<MechanicalObject name='dofs' position='3 0 0  0 4 0'/><UniformMass vertexMass='1'/></Node>");
    DvText messages = {0};
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    dv_state_write(scene_state(scene, "/dofs"), DV_POSITION, DV_READ_WRITE).at[4] = 1e30;
    dv_log_set_handler(collect, &messages);
    assert_int_equal(dv_scene_step(scene, 0), DV_ERROR_NOT_FINITE);
    dv_log_set_handler(NULL, NULL);
    /* 1e9 m, and 1e9 m/s for 0.3 s: what the next step could reach */
    assert_non_null(
        strstr(messages.at,
               "the position of point 1 is 1e+30 after step 2, implausibly large for this scene (more than 1.3e+09"));
    dv_text_free(&messages);
    assert_true(check_ops()->restore_last_good(dv_scene_root(scene)));
    assert_true(dv_state_read(scene_state(scene, "/dofs"), DV_POSITION).at[4] == 4);
    dv_scene_free(scene);
}

/* What moves far or fast for good reasons goes on, and arrives. */
static void motions_that_make_sense_are_let_go(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int steps;
        double speed; /* of point 0 at the end */
    } cases[] = {
        /* Ten days of free fall from the origin, in metres and millimetres */
        {"<Node name='root' gravity='0 0 -9.81' dt='100'><EulerExplicitSolver/><MechanicalObject name='dofs' position='0 0 0'/>"
         "<UniformMass vertexMass='1'/></Node>",
         8640, -9.81 * 864000},
        {"<Node name='root' gravity='0 0 -9810' dt='100'><EulerExplicitSolver/><MechanicalObject name='dofs' position='0 0 0'/>"
         "<UniformMass vertexMass='1'/></Node>",
         8640, -9810.0 * 864000},
        /* A force on a point without size or weight */
        {"<Node name='root' gravity='0 0 0' dt='0.01'><EulerExplicitSolver/><MechanicalObject name='dofs' position='0 0 0'/>"
         "<UniformMass vertexMass='1e-6'/><ConstantForceField indices='0' forces='0 0 10'/></Node>",
         1000, 1e8},
        /* Thrown at ten kilometres a second, a grain of a micrometre */
        {"<Node name='root' gravity='0 0 0' dt='0.001'><EulerExplicitSolver/>"
         "<MechanicalObject name='dofs' position='0 0 0  1e-6 0 0' velocity='0 0 1e4 0 0 1e4'/><UniformMass vertexMass='1'/></Node>",
         5000, 1e4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvScene *scene = scene_from_text(cases[i].text);
        for (int n = 0; n < cases[i].steps; n++)
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        const double speed = dv_state_read(scene_state(scene, "/dofs"), DV_VELOCITY).at[2];
        assert_true(fabs(speed - cases[i].speed) < 1e-9 * fabs(cases[i].speed));
        dv_scene_free(scene);
    }
}

static void expect_lint(const char *text, size_t problems, const char *expected)
{
    DvScene *scene = scene_from_text(text);
    DvText messages = {0};
    dv_log_set_handler(collect, &messages);
    const size_t found = check_ops()->lint(dv_scene_root(scene));
    dv_log_set_handler(NULL, NULL);
    if (found != problems || (expected && (!messages.at || !strstr(messages.at, expected))))
        fail_msg("%zu problems; expected\n  %s\nbut got\n%s", found, expected ? expected : "nothing",
                 messages.at ? messages.at : "nothing");
    dv_text_free(&messages);
    dv_scene_free(scene);
}

static void what_is_missing_is_known_before_the_first_step(void **state)
{
    (void)state;
    expect_lint(
        "<Node name='root'>\n<MechanicalObject name='dofs'/><UniformMass totalMass='1'/></Node>", 1,
        "scene.scn:2: MechanicalObject 'dofs': no solver moves it: put an ODE solver (EulerImplicitSolver...) in its node or above");
    expect_lint(
        "<Node name='root'>" IMPLICIT
        "\n<MechanicalObject name='dofs'/><ConstantForceField indices='0' forces='1 0 0'/></Node>",
        1,
        "scene.scn:2: MechanicalObject 'dofs': it has no mass: add a UniformMass, DiagonalMass or MeshMatrixMass to its node");
    expect_lint("<Node name='root'>\n<MechanicalObject name='obstacle'/></Node>", 0, NULL); /* nothing acts on it */
    expect_lint("<Node name='root'>" IMPLICIT
                "<MechanicalObject name='dofs'/><Node name='Child'><MechanicalObject/><IdentityMapping/>"
                "<UniformMass totalMass='1'/></Node></Node>",
                0, NULL); /* its mass is on what is mapped */
}

/* Balls and cubes may turn as they like, whatever has other axes is told: of each body, in each direction. */
static void inertia_that_does_not_turn_is_known_before_the_first_step(void **state)
{
    (void)state;
    static const struct {
        const char *mass;
        size_t problems;
    } cases[] = {
        {"<UniformMass vertexMass='1 1 [2 0 0, 0 2 0, 0 0 2]'/>", 0},
        {"<UniformMass vertexMass='1 1 [3 0 0, 0 2 0, 0 0 2]'/>", 1},
        {"<UniformMass vertexMass='1 1 [2 0 0, 0 3 0, 0 0 2]'/>", 1},
        {"<UniformMass vertexMass='1 1 [2 0 0, 0 2 0, 0 0 3]'/>", 1},
        {"<UniformMass vertexMass='1 1 [2 0.1 0, 0.1 2 0, 0 0 2]'/>", 1},
        {"<UniformMass vertexMass='1 1 [2 0 0.1, 0 2 0, 0.1 0 2]'/>", 1},
        {"<UniformMass vertexMass='1 1 [2 0 0, 0 2 0.1, 0 0.1 2]'/>", 1},
        {"<UniformMass vertexMass='1 1 [2 0 0, 0 2 0, 0 0 3]' turningInertia='1'/>", 0},
        {"<DiagonalMass vertexMass='1 1 2 0 0 0 2 0 0 0 2  4 1 5 0 0 0 5 0 0 0 5'/>", 0},
        {"<DiagonalMass vertexMass='1 1 2 0 0 0 2 0 0 0 2  4 1 5 0 0 0 5 0 0 0 6'/>", 1},
        {"<DiagonalMass vertexMass='1 1 2 0 0 0 1 0 0 0 2  4 1 5 0 0 0 5 0 0 0 5'/>", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text,
                       "<Node name='root'>" IMPLICIT
                       "<MechanicalObject name='dofs' template='Rigid3d' position='0 0 0 0 0 0 1 "
                       " 1 0 0 0 0 0.6 0.8'/>%s</Node>",
                       cases[i].mass);
        expect_lint(text, cases[i].problems,
                    cases[i].problems ? "its inertia is not a multiple of the identity" : NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inertia_that_does_not_turn_is_known_before_the_first_step),
        cmocka_unit_test(a_point_without_mass_is_found),
        cmocka_unit_test(a_step_too_large_is_told_with_its_limit),
        cmocka_unit_test(an_inverted_element_is_named),
        cmocka_unit_test(other_causes_are_told_apart),
        cmocka_unit_test(the_limit_of_the_step_is_that_of_the_stiffest_element),
        cmocka_unit_test(the_last_good_state_comes_back),
        cmocka_unit_test(all_bodies_come_back_as_they_were_after_one_step),
        cmocka_unit_test(every_number_is_looked_at_and_comes_back_however_many_there_are),
        cmocka_unit_test(what_nothing_has_written_is_not_looked_at),
        cmocka_unit_test(what_the_limit_lets_go_is_not_looked_at_again_either),
        cmocka_unit_test(a_state_that_is_mapped_for_a_while_is_looked_at_all_the_time),
        cmocka_unit_test(a_limit_that_falls_is_compared_with_what_rests),
        cmocka_unit_test(it_is_a_phase_of_the_step),
        cmocka_unit_test(a_run_that_grows_beyond_all_sense_ends),
        cmocka_unit_test(a_fall_makes_sense_along_each_axis),
        cmocka_unit_test(a_place_beyond_all_reach_ends_the_run),
        cmocka_unit_test(motions_that_make_sense_are_let_go),
        cmocka_unit_test(what_is_missing_is_known_before_the_first_step),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
