/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A ball that is led through a block of 10,368 tetrahedra and carves what it touches: what a step costs. The block has a mass, elements, 25
 * iterations of conjugate gradients, a surface that collides and one that is drawn.
 *
 *   bench-carving [STEPS [CELLS]]      CELLS: along each side, six tetrahedra each
 *
 * Prints the time of a step by the processor's clock and by the wall's: median, 95 of 100, and the longest, and how many steps fit into a
 * second of the wall's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <divan/contracts/state.h>
#include <divan/contracts/topology.h>
#include <divan/divan.h>

static const char scene_text[] =
    "<Node name='root' gravity='0 0 -2' dt='0.0167'><DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/>"
    "<BVHNarrowPhase/><MinProximityIntersection alarmDistance='0.03' contactDistance='0.01'/>"
    "<CollisionResponse response='PenalityContactForceField'/><CarvingManager active='1'/>"
    "<RegularGridTopology name='grid' n='%u %u %u' min='0 0 0' max='1 1 1'/>"
    "<Node name='Block'><EulerImplicitSolver rayleighStiffness='0.1' rayleighMass='0.1'/>"
    "<CGLinearSolver iterations='25' tolerance='1e-9' threshold='1e-18'/>"
    "<MechanicalObject name='state' position='@/grid.position'/><TetrahedronSetTopologyContainer name='volume'/>"
    "<TetrahedronSetTopologyModifier/><Hexa2TetraTopologicalMapping input='@/grid' output='@volume' swapping='1'/>"
    "<DiagonalMass massDensity='1000'/><TetrahedralCorotationalFEMForceField youngModulus='5e5' poissonRatio='0.3'/>"
    "<BoxROI name='bottom' box='-1 -1 -0.01  2 2 0.01'/><FixedProjectiveConstraint indices='@bottom.indices'/>"
    "<Node name='Surface'><TriangleSetTopologyContainer name='surface'/><TriangleSetTopologyModifier/>"
    "<Tetra2TriangleTopologicalMapping input='@../volume' output='@surface'/>"
    "<TriangleCollisionModel tags='CarvingSurface'/><Node name='View'><OglModel name='model'/>"
    "<IdentityMapping input='@../../state' output='@model'/></Node></Node></Node>"
    "<Node name='Ball'><MechanicalObject name='centre' position='0.2 0.5 1.08'/>"
    "<SphereCollisionModel radius='0.12' tags='CarvingTool'/></Node></Node>";

enum { USUAL_STEPS = 240, USUAL_CELLS = 12 };

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(const char *name, double *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, ascending);
    printf("%-10s median %6.2f ms, 95 of 100 within %6.2f ms, longest %6.2f ms\n", name, 1e3 * times[count / 2],
           1e3 * times[count - 1 - count / 20], 1e3 * times[count - 1]);
}

/* Down into the block, then through it. */
static void lead(DvStateRef ball, int step, int steps)
{
    const double share = (double)step / steps;
    double *at = dv_state_write(ball, DV_POSITION, DV_READ_WRITE).at;
    at[0] = share < 0.2 ? 0.2 : 0.2 + 0.75 * (share - 0.2);
    at[2] = share < 0.2 ? 1.08 - share : 0.88;
}

int main(int argc, char **argv)
{
    const int steps = argc > 1 && atoi(argv[1]) > 0 ? atoi(argv[1]) : USUAL_STEPS;
    const unsigned side = 1 + (argc > 2 ? (unsigned)atoi(argv[2]) : USUAL_CELLS);
    char text[sizeof scene_text + 64];
    snprintf(text, sizeof text, scene_text, side, side, side);
    DvScene *scene;
    if (dv_start(NULL) != DV_OK || dv_scene_load_text(text, strlen(text), "bench.scn", NULL, NULL, &scene) != DV_OK)
        return 1;
    const DvStateRef ball = dv_state_ref(dv_node_resolve(dv_scene_root(scene), NULL, "@/Ball/centre", NULL));
    DvObject *mesh = dv_node_resolve(dv_scene_root(scene), NULL, "@/Block/volume", NULL);
    const DvTopologyOps *ops = dv_object_ops(mesh, DV_TOPOLOGY);
    const uint32_t before = ops->elements(dv_object_self(mesh), DV_TETRAHEDRA).count;
    double *of_processor = malloc((size_t)steps * sizeof *of_processor),
           *of_wall = malloc((size_t)steps * sizeof *of_wall);
    double all = 0.0;
    for (int i = 0; i < steps; i++) {
        lead(ball, i, steps);
        const double processor = seconds(CLOCK_PROCESS_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC);
        if (dv_scene_step(scene, 0) != DV_OK)
            return 1;
        dv_scene_update_visual(scene);
        of_processor[i] = seconds(CLOCK_PROCESS_CPUTIME_ID) - processor;
        of_wall[i] = seconds(CLOCK_MONOTONIC) - wall;
        all += of_wall[i];
    }
    printf("%u of %u tetrahedra carved in %d steps, %.0f steps a second\n",
           before - ops->elements(dv_object_self(mesh), DV_TETRAHEDRA).count, before, steps, steps / all);
    report("processor", of_processor, steps);
    report("wall", of_wall, steps);
    free(of_processor);
    free(of_wall);
    dv_scene_free(scene);
    dv_stop();
    return 0;
}
