/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where rigid spheres come to rest, how they roll, and what is said of constraints that nobody solves.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include <divan/plugin.h>
#include <divan/scene.h>

#include "scene_text.h"

/* A ball of radius 0.1 above a floor, contacts begin at 0.02. */
#define INERTIA_OF_ONE "vertexMass='2 1 [1 0 0, 0 1 0, 0 0 1]'"
#define SCENE(loop, method, model)                                                                                   \
    "<Node name='root' gravity='0 -9 0' dt='0.01'>" loop                                                             \
    "<BlockGaussSeidelConstraintSolver maxIterations='200' tolerance='1e-12'/>" method                               \
    "<BruteForceBroadPhase/><BVHNarrowPhase/><CollisionPipeline/>"                                                   \
    "<CollisionResponse response='FrictionContactConstraint' responseParams='mu=0.3'/>"                              \
    "<Node name='Ball'><EulerImplicitSolver/><CGLinearSolver iterations='60' tolerance='1e-12' threshold='1e-24'/>"  \
    "<MechanicalObject name='dofs' template='Rigid3d' position='0 0.3 0 0 0 0 1'/><UniformMass " INERTIA_OF_ONE "/>" \
    "<UncoupledConstraintCorrection/><SphereCollisionModel name='ball' radius='0.1'" model "/></Node>"               \
    "<Node name='Floor'><MeshTopology triangles='0 2 1'/><MechanicalObject position='-3 0 -2  4 0 -3  0.5 0 5'/>"    \
    "<TriangleCollisionModel simulated='0'/></Node></Node>"

#define MIN_PROXIMITY "<MinProximityIntersection alarmDistance='0.2' contactDistance='0.02'/>"
#define NEW_PROXIMITY "<NewProximityIntersection alarmDistance='0.2' contactDistance='0.02'/>"
#define FREE_MOTION   "<FreeMotionAnimationLoop/>"

static double height_after(const char *text, int steps)
{
    DvScene *scene = scene_from_text(text);
    for (int i = 0; i < steps; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    const double height = dv_state_read(scene_state(scene, "/Ball/dofs"), DV_POSITION).at[1];
    dv_scene_free(scene);
    return height;
}

static void a_rigid_ball_rests_on_its_surface_when_its_radius_counts_once(void **state)
{
    (void)state;
    static const char *const scenes[] = {SCENE(FREE_MOTION, MIN_PROXIMITY, " countRadiusOnce='1'"),
                                         SCENE(FREE_MOTION, NEW_PROXIMITY, " countRadiusOnce='1'")};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        assert_true(fabs(height_after(scenes[i], 200) - 0.12) < 1e-9);
}

static void scenes_of_earlier_years_keep_the_second_radius(void **state)
{
    (void)state;
    assert_true(fabs(height_after(SCENE(FREE_MOTION, MIN_PROXIMITY, ""), 200) - 0.22) < 1e-9);
}

/* On a slope of 20 degrees, half a second; the plane is level and gravity inclined. */
#define ROLLING(loop, steps, mu, levers)                                                                             \
    "<Node name='root' gravity='3.4202014332566870 -9.3969262078590838 0' dt='" steps "'>" loop                      \
    "<BlockGaussSeidelConstraintSolver maxIterations='2000' tolerance='1e-10'/>"                                     \
    "<NewProximityIntersection alarmDistance='0.02' contactDistance='0.001'/>"                                       \
    "<BruteForceBroadPhase/><BVHNarrowPhase/><CollisionPipeline/>"                                                   \
    "<CollisionResponse response='FrictionContactConstraint' responseParams='mu=" mu levers "'/>"                    \
    "<Node name='Ball'><EulerImplicitSolver/><SparseLDLSolver template='CompressedRowSparseMatrixd'/>"               \
    "<MechanicalObject name='dofs' template='Rigid3d' position='0 0.051 0 0 0 0 1'/>"                                \
    "<UniformMass vertexMass='1 1 [0.001 0 0, 0 0.001 0, 0 0 0.001]'/><UncoupledConstraintCorrection/>"              \
    "<SphereCollisionModel radius='0.05' countRadiusOnce='1'/></Node>"                                               \
    "<Node name='Floor'><MeshTopology triangles='0 2 1'/><MechanicalObject position='-30 0 -20  40 0 -30  5 0 50'/>" \
    "<TriangleCollisionModel simulated='0'/></Node></Node>"

/* A ball rolls by 5/7 g sin, without lift; where friction is less than 2/7 of the tangent it slides and spins up by 5/2 mu g cos. */
static void a_ball_rolls_by_levers_of_the_beginning(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double dt, acceleration, turning; /* m/s^2, the latter of the surface */
    } scenes[] = {
        {ROLLING(FREE_MOTION, "0.005", "0.3", "&amp;levers=start"), 0.005, 5.0 / 7 * 3.420201433256687,
         5.0 / 7 * 3.420201433256687},
        {ROLLING("<FreeMotionAnimationLoop solveVelocityConstraintFirst='1'/>", "0.01", "0.3", "&amp;levers=start"),
         0.01, 5.0 / 7 * 3.420201433256687, 5.0 / 7 * 3.420201433256687},
        {ROLLING(FREE_MOTION, "0.005", "0.05", "&amp;levers=start"), 0.005,
         3.420201433256687 - 0.05 * 9.396926207859084, 2.5 * 0.05 * 9.396926207859084},
    };
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        DvScene *scene = scene_from_text(scenes[i].text);
        for (int k = 0; k < (int)lround(0.5 / scenes[i].dt); k++)
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        const double *v = dv_state_read(scene_state(scene, "/Ball/dofs"), DV_VELOCITY).at;
        const double speed = 0.5 * scenes[i].acceleration, spin = 0.5 * scenes[i].turning;
        if (!(fabs(v[0] - speed) < 0.01 * speed) || !(fabs(-0.05 * v[5] - spin) < 0.01 * spin) || !(fabs(v[1]) < 1e-6))
            fail_msg("scene %zu: speed %g instead of %g, spin %g instead of %g, lift %g", i, v[0], speed, -0.05 * v[5],
                     spin, v[1]);
        dv_scene_free(scene);
    }
}

/* By default the forces have levers of the orientation after the free motion, which drive the ball on. */
static void by_default_a_ball_rolls_too_fast(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(ROLLING(FREE_MOTION, "0.005", "0.3", ""));
    for (int k = 0; k < 100; k++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_true(dv_state_read(scene_state(scene, "/Ball/dofs"), DV_VELOCITY).at[0] > 1.1 * 0.5 * 5 / 7 * 3.42);
    dv_scene_free(scene);
}

static void count(const DvMessage *message, void *context)
{
    DvText *text = context;
    dv_message_print(message, text);
    dv_text_add(text, "\n");
}

static void contacts_without_a_loop_that_solves_them_are_told_once(void **state)
{
    (void)state;
    DvText text = {0};
    start_plugins(NULL);
    dv_log_set_handler(count, &text);
    DvScene *scene = scene_from_text(SCENE("<DefaultAnimationLoop/>", MIN_PROXIMITY, ""));
    for (int i = 0; i < 40; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    dv_log_set_handler(NULL, NULL);
    assert_non_null(text.at);
    assert_string_equal(
        text.at, "scene.scn:1: CollisionPipeline 'CollisionPipeline1': contacts will have no effect: they are "
                 "answered by UnilateralLagrangianConstraint, a constraint, under DefaultAnimationLoop, which solves "
                 "no constraints; take a FreeMotionAnimationLoop, with a constraint solver, and a constraint "
                 "correction for each body; or take PenalityContactForceField for the response\n");
    dv_text_free(&text);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rigid_ball_rests_on_its_surface_when_its_radius_counts_once),
        cmocka_unit_test(scenes_of_earlier_years_keep_the_second_radius),
        cmocka_unit_test(a_ball_rolls_by_levers_of_the_beginning),
        cmocka_unit_test(by_default_a_ball_rolls_too_fast),
        cmocka_unit_test(contacts_without_a_loop_that_solves_them_are_told_once),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
