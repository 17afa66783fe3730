/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The hybrid pendulum of pendulum.scn, built through the C API instead of a scene file.
 *
 *   pendulum [STEPS]      prints the time and the position of the rigid body's hook after each step
 *
 * A program that embeds Divan needs three things: dv_start finds and starts the plugins, a DvScene owns the graph, and
 * dv_object_new adds components by class name, with the attributes that a scene file would have. Nothing here links to a
 * plugin: the state's numbers are read through its contract.
 */
#include <divan/contracts/state.h>
#include <divan/registry.h>
#include <divan/scene.h>
#include <stdio.h>
#include <stdlib.h>

/* The parts of the graph; each is false after a mistake, which has then been reported. */

static bool add_solvers(DvNode *root)
{
    const double gravity[3] = {0, -9.81, 0};
    dv_node_set_gravity(root, gravity);
    dv_node_set_dt(root, 0.01);
    return dv_object_new(root, "DefaultAnimationLoop", NULL, NULL) == DV_OK &&
           dv_object_new(root, "EulerImplicitSolver", NULL, "rayleighStiffness", "0", "rayleighMass", "0", NULL) ==
               DV_OK &&
           dv_object_new(root, "CGLinearSolver", NULL, "iterations", "100", "tolerance", "1e-12", "threshold", "1e-12",
                         NULL) == DV_OK;
}

/* Particles on a thread, nailed at one end. */
static bool add_string(DvNode *node)
{
    return dv_object_new(node, "MechanicalObject", NULL, "name", "particles", "template", "Vec3d", "position",
                         "0 0 0  1 0 0  2 0 0  3 0 0  4 0 0", NULL) == DV_OK &&
           dv_object_new(node, "UniformMass", NULL, "totalMass", "0.5", NULL) == DV_OK &&
           dv_object_new(node, "FixedProjectiveConstraint", NULL, "indices", "0", NULL) == DV_OK &&
           dv_object_new(node, "SpringForceField", NULL, "spring",
                         "0 1 500 0.5 1  1 2 500 0.5 1  2 3 500 0.5 1  3 4 500 0.5 1", NULL) == DV_OK;
}

/* A rigid body: position and quaternion; mass, volume, and inertia per unit of mass. */
static bool add_body(DvNode *node)
{
    return dv_object_new(node, "MechanicalObject", NULL, "name", "frame", "template", "Rigid3d", "position",
                         "6 0 0  0 0 0 1", NULL) == DV_OK &&
           dv_object_new(node, "UniformMass", NULL, "vertexMass", "1 1 [0.2 0 0, 0 0.4 0, 0 0 0.4]", NULL) == DV_OK;
}

/* A particle that follows the body; what pulls at it acts on the body as force and torque. */
static bool add_hook(DvNode *node, DvObject **hook)
{
    return dv_object_new(node, "MechanicalObject", hook, "name", "point", "template", "Vec3d", "position", "-1 0 0",
                         NULL) == DV_OK &&
           dv_object_new(node, "RigidMapping", NULL, "input", "@../frame", "output", "@point", NULL) == DV_OK;
}

static bool add_pendulum(DvNode *root, DvObject **hook)
{
    if (!add_solvers(root) || !add_string(dv_node_new(root, "String")))
        return false;
    DvNode *body = dv_node_new(root, "Body");
    return add_body(body) && add_hook(dv_node_new(body, "Hook"), hook) &&
           dv_object_new(root, "SpringForceField", NULL, "object1", "@String/particles", "object2", "@Body/Hook/point",
                         "spring", "4 0 500 0.5 1", NULL) == DV_OK;
}

static bool run(DvScene *scene, long steps)
{
    DvObject *hook = NULL;
    if (!add_pendulum(dv_scene_root(scene), &hook) || dv_scene_init(scene) != DV_OK)
        return false;
    for (long step = 0; step < steps; step++) {
        if (dv_scene_step(scene, 0) != DV_OK)
            return false;
        const double *x = dv_state_read(dv_state_ref(hook), DV_POSITION).at;
        printf("%.17g %.17g %.17g %.17g\n", dv_node_time(dv_scene_root(scene)), x[0], x[1], x[2]);
    }
    return true;
}

int main(int argc, char **argv)
{
    const long steps = argc > 1 ? strtol(argv[1], NULL, 10) : 100;
    if (dv_start(NULL) != DV_OK)
        return EXIT_FAILURE;
    DvScene *scene = dv_scene_new();
    const bool ran = run(scene, steps);
    dv_scene_free(scene);
    dv_stop();
    return ran ? EXIT_SUCCESS : EXIT_FAILURE;
}
