/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What contacts by multipliers owe as constraints: points, spheres on frames, and boxes; with and without friction; with levers of
 * both times.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lagrangian_constraint_conformance.h"
#include "scene_text.h"

#define SCENE(response, parameters, body)                                                                            \
    "<Node name='root' gravity='0 0 0' dt='0.01'><DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/>" \
    "<BVHNarrowPhase/><MinProximityIntersection alarmDistance='0.3' contactDistance='0.1' boxManifold='1'/>"         \
    "<CollisionResponse response='" response "' responseParams='" parameters "'/>" body "</Node>"
#define FLOOR                                                                                                  \
    "<Node name='Floor'><MeshTopology triangles='0 1 2'/><MechanicalObject position='-5 0 5  5 0 5  0 0 -5'/>" \
    "<TriangleCollisionModel name='floor' simulated='0' moving='0'/></Node>"
#define POINTS                                                                                             \
    "<Node name='Ball'><EulerExplicitSolver/><MechanicalObject position='0 0.04 0  0.5 0.25 0.1  1 9 1'/>" \
    "<UniformMass totalMass='1'/><PointCollisionModel name='points'/></Node>" FLOOR
#define SPHERES                                                                      \
    "<Node name='Ball'><EulerExplicitSolver/><MechanicalObject template='Rigid3d' "  \
    "position='0 0.25 0 0.6 0 0 0.8  1 0.2 1 0 0 0 1'/><UniformMass totalMass='1'/>" \
    "<SphereCollisionModel name='points' radius='0.2'/></Node>" FLOOR
#define BOXES                                                                                                        \
    "<Node name='Floor'><EulerExplicitSolver/><MechanicalObject template='Rigid3d' position='0 0 0 0 0.6 0 0.8'/>"   \
    "<UniformMass totalMass='1'/><OBBCollisionModel name='floor' extents='1 0.5 1'/></Node>"                         \
    "<Node name='Ball'><EulerExplicitSolver/><MechanicalObject template='Rigid3d' position='0.3 1.15 0.1 0 0 0 1'/>" \
    "<UniformMass totalMass='1'/><OBBCollisionModel name='points' extents='0.4 0.5 0.4'/></Node>"
#define PATH   .path = "/Ball/floor-points", .steps = 1
#define SLIDES "friction counts from the time of contact"
#define TURNS  "levers turn with the body"

LAGRANGIAN_CONSTRAINT_CONFORMANCE(contacts_without_friction_are_a_constraint,
                                  .scene = SCENE("FrictionContactConstraint", "mu=0", POINTS), PATH)
LAGRANGIAN_CONSTRAINT_CONFORMANCE(contacts_with_friction_are_a_constraint,
                                  .scene = SCENE("FrictionContactConstraint", "mu=0.4", POINTS), PATH,
                                  .not_affine = SLIDES)
LAGRANGIAN_CONSTRAINT_CONFORMANCE(contacts_of_frames_are_a_constraint,
                                  .scene = SCENE("FrictionContactConstraint", "mu=0.4", SPHERES), PATH,
                                  .not_affine = TURNS)
LAGRANGIAN_CONSTRAINT_CONFORMANCE(contacts_of_frames_with_levers_of_the_beginning_are_a_constraint,
                                  .scene = SCENE("FrictionContactConstraint", "mu=0.4&amp;levers=start", SPHERES), PATH,
                                  .not_affine = "rotation vectors are not")
LAGRANGIAN_CONSTRAINT_CONFORMANCE(contacts_of_boxes_are_a_constraint,
                                  .scene = SCENE("FrictionContactConstraint", "mu=0.4", BOXES), .path = "/points-floor",
                                  .steps = 1, .not_affine = TURNS)
LAGRANGIAN_CONSTRAINT_CONFORMANCE(augmented_contacts_without_friction_are_a_constraint,
                                  .scene = SCENE("AugmentedLagrangianResponseConstraint", "mu=0", POINTS), PATH)
LAGRANGIAN_CONSTRAINT_CONFORMANCE(augmented_contacts_are_a_constraint,
                                  .scene = SCENE("AugmentedLagrangianResponseConstraint", "mu=0.4&amp;epsilon=40",
                                                 POINTS),
                                  PATH, .not_affine = SLIDES)
LAGRANGIAN_CONSTRAINT_CONFORMANCE(augmented_contacts_of_frames_are_a_constraint,
                                  .scene = SCENE("AugmentedLagrangianResponseConstraint",
                                                 "mu=0.4&amp;epsilon=40&amp;levers=start", SPHERES),
                                  PATH, .not_affine = "rotation vectors are not")

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_without_friction_are_a_constraint),
        cmocka_unit_test(contacts_with_friction_are_a_constraint),
        cmocka_unit_test(contacts_of_frames_are_a_constraint),
        cmocka_unit_test(contacts_of_frames_with_levers_of_the_beginning_are_a_constraint),
        cmocka_unit_test(contacts_of_boxes_are_a_constraint),
        cmocka_unit_test(augmented_contacts_without_friction_are_a_constraint),
        cmocka_unit_test(augmented_contacts_are_a_constraint),
        cmocka_unit_test(augmented_contacts_of_frames_are_a_constraint),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
