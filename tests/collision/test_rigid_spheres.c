/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where rigid spheres come to rest, and what is said of constraints that nobody solves.
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
#define SCENE(loop, method, model)                                                                                  \
    "<Node name='root' gravity='0 -9 0' dt='0.01'>" loop                                                            \
    "<BlockGaussSeidelConstraintSolver maxIterations='200' tolerance='1e-12'/>" method                              \
    "<BruteForceBroadPhase/><BVHNarrowPhase/><CollisionPipeline/>"                                                  \
    "<CollisionResponse response='FrictionContactConstraint' responseParams='mu=0.3'/>"                             \
    "<Node name='Ball'><EulerImplicitSolver/><CGLinearSolver iterations='60' tolerance='1e-12' threshold='1e-24'/>" \
    "<MechanicalObject name='dofs' template='Rigid3d' position='0 0.3 0 0 0 0 1'/><UniformMass totalMass='2'/>"     \
    "<UncoupledConstraintCorrection/><SphereCollisionModel name='ball' radius='0.1'" model "/></Node>"              \
    "<Node name='Floor'><MeshTopology triangles='0 2 1'/><MechanicalObject position='-3 0 -2  4 0 -3  0.5 0 5'/>"   \
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
    DvScene *scene = scene_from_text(SCENE("<DefaultAnimationLoop/>", MIN_PROXIMITY, ""));
    dv_log_set_handler(count, &text);
    for (int i = 0; i < 40; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    dv_log_set_handler(NULL, NULL);
    assert_non_null(text.at);
    assert_string_equal(text.at,
                        "UnilateralLagrangianConstraint 'TriangleCollisionModel1-ball': has no effect "
                        "under DefaultAnimationLoop, which solves no constraints; take a FreeMotionAnimationLoop, "
                        "with a constraint solver, and a constraint correction for each body\n");
    dv_text_free(&text);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rigid_ball_rests_on_its_surface_when_its_radius_counts_once),
        cmocka_unit_test(scenes_of_earlier_years_keep_the_second_radius),
        cmocka_unit_test(contacts_without_a_loop_that_solves_them_are_told_once),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
