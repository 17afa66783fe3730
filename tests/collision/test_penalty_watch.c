/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Penalties that a step does not carry. Two bodies with solvers of their own touch by springs that act as they are at the beginning of a
 * step: a spring k on a mass m gives v'^2 <= v^2 / (1 - c/4), c = k dt^2 / m, and no bound from c = 4 on. What is told of it, its numbers,
 * and that what is advised helps.
 */
#include <math.h>

#include "detect.h"
#include "share.h"

static uint32_t told_of_stiffness, told_of_energy;
static char line[1024];

static void count_warnings(const DvMessage *message, void *context)
{
    (void)context;
    if (message->level != DV_LEVEL_WARNING)
        return;
    if (strstr(message->text, "with a spring of") && told_of_stiffness++ == 0)
        snprintf(line, sizeof line, "%s", message->text);
    told_of_energy += strstr(message->text, "its springs against") != NULL;
}

static double number_after(const char *words)
{
    const char *at = strstr(line, words);
    assert_non_null(at);
    return strtod(at + strlen(words), NULL);
}

#define PIPELINE                                                                                                 \
    "<DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"                        \
    "<MinProximityIntersection alarmDistance='0.02' contactDistance='0.01'/><CollisionResponse response='Penali" \
    "tyContactForceField'/>"
#define IMPLICIT "<EulerImplicitSolver/><CGLinearSolver iterations='100' tolerance='1e-9' threshold='1e-30'/>"

typedef struct Drop {
    double highest; /* m, of the ball after it has come down */
    double energy;  /* J, kinetic, of the ball at the end */
} Drop;

/* The ball's state is /Ball/dofs; steps until `end` (s). */
static Drop run(const char *text, double dt, double end)
{
    DvScene *scene = scene_from_text(text);
    told_of_stiffness = told_of_energy = 0;
    Drop drop = {-INFINITY, 0.0};
    bool down = false;
    const DvStateRef ball = scene_state(scene, "/Ball/dofs");
    dv_log_set_handler(count_warnings, NULL);
    for (double time = 0.0; time < end; time += dt) {
        assert_int_equal(dv_scene_step(scene, dt), DV_OK);
        const DvConstVec x = dv_state_read(ball, DV_POSITION);
        down = down || x.at[1] < 0.05;
        drop.highest = down ? fmax(drop.highest, x.at[1]) : drop.highest;
    }
    dv_log_set_handler(NULL, NULL);
    const DvConstVec v = dv_state_read(ball, DV_VELOCITY);
    drop.energy = 0.5 * 0.1 * v.at[1] * v.at[1];
    dv_scene_free(scene);
    return drop;
}

/* 0.1 kg from 0.25 m above where it touches a cloth whose border is held. */
#define CLOTH_AND_BALL                                                                                                \
    "<Node name='root' gravity='0 -9.81 0' dt='0.01'>" PIPELINE                                                       \
    "<Node name='Cloth'><EulerImplicitSolver rayleighMass='0.1' rayleighStiffness='0.1'/>"                            \
    "<CGLinearSolver iterations='100' tolerance='1e-9' threshold='1e-30'/>"                                           \
    "<RegularGridTopology n='11 1 11' min='-0.25 0 -0.25' max='0.25 0 0.25'/><MechanicalObject/>"                     \
    "<UniformMass totalMass='0.1'/><BoxROI name='edge' box='-0.26 -0.1 -0.26 0.26 0.1 -0.24  -0.26 -0.1 0.24 0.26 "   \
    "0.1 0.26'/><FixedProjectiveConstraint indices='@edge.indices'/>"                                                 \
    "<MeshSpringForceField stiffness='1000' damping='0.1'/>"                                                          \
    "<TriangleCollisionModel/><LineCollisionModel/><PointCollisionModel/></Node>"                                     \
    "<Node name='Ball'>" IMPLICIT "<MechanicalObject name='dofs' position='0 0.28 0'/><UniformMass totalMass='0.1'/>" \
    "<SphereCollisionModel radius='0.02'/></Node></Node>"

static void a_ball_that_jumps_higher_than_it_fell_is_told_of(void **state)
{
    (void)state;
    const Drop wild = run(CLOTH_AND_BALL, 0.01, 2.0);
    assert_true(wild.highest > 2 * 0.28);
    assert_int_equal(told_of_stiffness, 1);
    assert_int_equal(told_of_energy, 1);
    assert_true(fabs(number_after("a spring of ") - 100 / 0.03) < 10);
    /* that of a point of the cloth and of the ball, but for what the springs of the cloth add */
    const double reduced = 1 / (121 / 0.1 + 1 / 0.1), mass = number_after("acts on ");
    assert_true(mass > 0.99 * reduced && mass < 1.2 * reduced);
    assert_true(fabs(number_after("0.01 s carries ") - mass / (0.01 * 0.01)) < 0.05);

    const double advised = number_after("take a dt of ");
    assert_true(advised > 1e-4 && advised < 1e-3);
    const Drop calm = run(CLOTH_AND_BALL, advised, 1.0);
    assert_true(calm.highest > 0 && calm.highest <= 0.28);
    assert_int_equal(told_of_stiffness, 0);
    assert_int_equal(told_of_energy, 0);
}

static bool is_advised_one_solver(void)
{
    return strstr(line, "put one solver for both bodies in node '/', that of the pipeline") != NULL;
}

/* A solver of each body has the springs between them in no system; one in the node of the pipeline has, and takes energy alone. */
static void one_solver_for_both_bodies_is_advised_and_helps(void **state)
{
    (void)state;
    (void)run(CLOTH_AND_BALL, 0.01, 0.5);
    assert_true(is_advised_one_solver());
    DvText text = {0};
    for (const char *at = CLOTH_AND_BALL; *at;) {
        static const char *const solvers[] = {
            IMPLICIT,
            "<EulerImplicitSolver rayleighMass='0.1' rayleighStiffness='0.1'/><CGLinearSolver iterations='100' "
            "tolerance='1e-9' threshold='1e-30'/>"};
        size_t length = 0;
        for (int i = 0; i < 2; i++)
            if (strncmp(at, solvers[i], strlen(solvers[i])) == 0)
                length = strlen(solvers[i]);
        if (length == 0 && strncmp(at, "<DefaultAnimationLoop/>", 23) == 0)
            dv_text_add(&text, "%s", IMPLICIT);
        if (length == 0)
            dv_text_add(&text, "%c", *at);
        at += length > 0 ? length : 1;
    }
    const Drop drop = run(text.at, 0.01, 2.0);
    dv_text_free(&text);
    assert_true(drop.highest <= 0.28);
    assert_int_equal(told_of_stiffness + told_of_energy, 0);
}

/* A ball on another one, of 0.1 kg each, at 0.2 m/s: springs of k on 0.05 kg, or 0.1 kg where the other is held. */
static char *two_balls(double stiffness, const char *ball, const char *other)
{
    DvText text = {0};
    dv_text_add(
        &text,
        "<Node name='root' gravity='0 0 0' dt='0.01'>" PIPELINE "<Node name='Ball'>" IMPLICIT
        "<MechanicalObject name='dofs' position='0 0.0541 0' velocity='0 -0.2 0'/><UniformMass totalMass='0.1'/>%s"
        "<SphereCollisionModel radius='0.02' contactStiffness='%.17g'/>%s</Node>"
        "<Node name='Other'>" IMPLICIT
        "<MechanicalObject name='dofs' position='0 0 0'/><UniformMass totalMass='0.1'/>%s"
        "<SphereCollisionModel radius='0.02' contactStiffness='%.17g'/></Node></Node>",
        ball, stiffness, *ball ? "</Node>" : "", other, stiffness);
    return text.at;
}

static Drop run_two_balls(double stiffness, const char *ball, const char *other)
{
    char *text = two_balls(stiffness, ball, other);
    const Drop drop = run(text, 0.01, 0.5);
    dv_free(text);
    return drop;
}

static void the_mass_is_that_which_moves(void **state)
{
    (void)state;
    static const struct {
        const char *ball, *other;
        double mass;
    } cases[] = {
        {"", "", 0.05},
        {"", "<FixedProjectiveConstraint indices='0'/>", 0.1},
        {"<Node name='Skin'><MechanicalObject/><IdentityMapping/>", "", 0.05},
        {"<Node name='Skin'><MechanicalObject/><IdentityMapping/>", "<FixedProjectiveConstraint indices='0'/>", 0.1},
        /* A spring of 500 N/m that holds the other is part of what its solver solves: 0.1 + dt^2 500. */
        {"", "<RestShapeSpringsForceField stiffness='500'/>", 1 / (1 / 0.1 + 1 / (0.1 + 0.01 * 0.01 * 500))},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        (void)run_two_balls(10.0, cases[i].ball, cases[i].other);
        assert_int_equal(told_of_stiffness, 1);
        assert_true(fabs(number_after("acts on ") - cases[i].mass) < 1e-3 * cases[i].mass + 1e-6);
        assert_true(fabs(number_after("a spring of ") - 100 / 0.05) < 1e-9);
    }
}

static void the_stiffness_that_is_advised_keeps_the_bound(void **state)
{
    (void)state;
    const double before = 0.5 * 0.1 * 0.2 * 0.2;
    static const char held[] = "<FixedProjectiveConstraint indices='0'/>";
    const Drop wild = run_two_balls(sqrt(150.0), "", held);
    assert_true(wild.energy > 2 * before); /* c = 3 */
    assert_int_equal(told_of_stiffness, 1);
    assert_int_equal(told_of_energy, 1);
    const double advised = number_after("contactStiffness=\"");
    assert_true(fabs(advised - sqrt(0.3 * 0.05 * 0.1 / (0.01 * 0.01))) < 0.06);
    const Drop calm = run_two_balls(advised, "", held);
    assert_true(calm.energy > 0.5 * before && calm.energy <= before / (1 - 0.31 / 4));
    assert_int_equal(told_of_stiffness, 0);
    assert_int_equal(told_of_energy, 0);
}

/* v^2 + (k/m) x^2 shrinks by 1 + k dt^2 / m in each step, and what comes is no deeper than v dt. */
static void a_spring_in_the_system_may_be_as_stiff_as_it_likes(void **state)
{
    (void)state;
    for (double stiffness = 1.0; stiffness < 1e5; stiffness *= 10) {
        DvText text = {0};
        dv_text_add(
            &text,
            "<Node name='root' gravity='0 -9.81 0' dt='0.01'>" PIPELINE "<Node name='Ball'>" IMPLICIT
            "<MechanicalObject name='dofs' position='0 0.28 0'/><UniformMass totalMass='0.1'/>"
            "<SphereCollisionModel radius='0.02' contactStiffness='%g'/></Node>"
            "<Node name='Floor'><MechanicalObject position='0 0 0'/>"
            "<SphereCollisionModel radius='0.02' simulated='0' moving='0' contactStiffness='%g'/></Node></Node>",
            stiffness, stiffness);
        const Drop drop = run(text.at, 0.01, 1.0);
        dv_text_free(&text);
        assert_true(drop.highest <= 0.28);
        assert_int_equal(told_of_stiffness + told_of_energy, 0);
    }
}

/* Puts words of the same length in the place of the first that are `old`. */
static void write_over(char *text, const char *old, const char *words)
{
    char *at = strstr(text, old);
    assert_non_null(at);
    for (size_t i = 0; words[i] != '\0'; i++)
        at[i] = words[i];
}

/* What is inside each other from the start flies apart: no step has put it there. */
static void an_overlap_of_the_start_is_not_told_of(void **state)
{
    (void)state;
    char *text = two_balls(1.0, "", "");
    write_over(text, "0.0541", "0.0300");
    const Drop drop = run(text, 0.01, 0.5);
    dv_free(text);
    assert_true(drop.energy > 0);
    assert_int_equal(told_of_stiffness + told_of_energy, 0);
}

/* The ball rests where the spring carries its weight. */
static void a_lasting_contact_allocates_nothing(void **state)
{
    (void)state;
    char *text = two_balls(
        3.0, "<ConstantForceField indices='0' forces='0 -1 0'/><Node name='Skin'><MechanicalObject/><IdentityMapping/>",
        "<FixedProjectiveConstraint indices='0'/>");
    write_over(text, "-0.2", "-0.0");
    write_over(text, "0.0541", "0.0440");
    DvScene *scene = scene_from_text(text);
    for (int step = 0; step < 200; step++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    const uint64_t before = dv_allocation_count();
    for (int step = 0; step < 100; step++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_int_equal(dv_allocation_count(), before);
    dv_scene_free(scene);
    dv_free(text);
}

static void a_reset_begins_anew(void **state)
{
    (void)state;
    char *text = two_balls(10.0, "", "");
    DvScene *scene = scene_from_text(text);
    told_of_stiffness = told_of_energy = 0;
    dv_log_set_handler(count_warnings, NULL);
    for (uint32_t round = 1; round < 3; round++) {
        for (int step = 0; step < 20; step++)
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        assert_int_equal(told_of_stiffness, round);
        dv_scene_reset(scene);
    }
    dv_log_set_handler(NULL, NULL);
    dv_scene_free(scene);
    dv_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_that_jumps_higher_than_it_fell_is_told_of),
        cmocka_unit_test(one_solver_for_both_bodies_is_advised_and_helps),
        cmocka_unit_test(the_mass_is_that_which_moves),
        cmocka_unit_test(the_stiffness_that_is_advised_keeps_the_bound),
        cmocka_unit_test(a_spring_in_the_system_may_be_as_stiff_as_it_likes),
        cmocka_unit_test(an_overlap_of_the_start_is_not_told_of),
        cmocka_unit_test(a_lasting_contact_allocates_nothing),
        cmocka_unit_test(a_reset_begins_anew),
    };
    return share_run_group_tests(tests, NULL, stop_plugins);
}
