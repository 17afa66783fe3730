/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A blade through a block of tetrahedra, in the middle of its length: what the cut costs.
 *
 *   bench-cutting [TETRAHEDRA [DEPTH [ATTACHED]]]      DEPTH: share of the height that is cut; ATTACHED: nothing, or body (mass, FEM, solver)
 *
 * To count instructions of the cuts: valgrind --tool=callgrind --collect-atstart=no --toggle-collect=measure bench-cutting 105000
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <divan/contracts/cutting.h>
#include <divan/divan.h>
#include <divan/memory.h>

static const char scene_text[] =
    "<Node name='root'><DefaultAnimationLoop/>"
    "<Node name='Grid'><RegularGridTopology name='grid' n='%u %u %u' min='0 0 0' max='1 1 1'/></Node>"
    "<Node name='Body'>%s<TetrahedronSetTopologyContainer name='mesh'/><TetrahedronSetTopologyModifier/>"
    "<Hexa2TetraTopologicalMapping input='@../Grid/grid' output='@mesh' swapping='1'/>"
    "<MechanicalObject name='state' position='@../Grid/grid.position'/>%s</Node></Node>";

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static DvStatus __attribute__((noinline)) measure(DvObject *mesh, const double *sections, DvCut *cut)
{
    const DvCuttingOps *ops = dv_service(DV_CUTTING);
    return ops->cut(mesh, &(DvBlade){sections, 2, dv_blade_snap}, cut);
}

int main(int argc, char **argv)
{
    const double tetrahedra = argc > 1 ? atof(argv[1]) : 1e5, depth = argc > 2 ? atof(argv[2]) : 0.5;
    const bool body = argc > 3 && strcmp(argv[3], "body") == 0;
    const unsigned side = 1 + (unsigned)cbrt(tetrahedra / 6.0);
    char text[2000];
    snprintf(text, sizeof text, scene_text, side, side, side,
             body ? "<EulerImplicitSolver/><CGLinearSolver iterations='20' tolerance='1e-9' threshold='1e-12'/>" : "",
             body ? "<DiagonalMass massDensity='1000'/>"
                    "<TetrahedralCorotationalFEMForceField youngModulus='1e5' poissonRatio='0.3'/>"
                  : "");
    DvScene *scene;
    if (dv_start(NULL) != DV_OK || dv_scene_load_text(text, strlen(text), "bench.scn", NULL, NULL, &scene) != DV_OK)
        return 1;
    if (body && dv_scene_step(scene, 0.01) != DV_OK)
        return 1;
    DvObject *mesh = dv_node_resolve(dv_scene_root(scene), NULL, "@/Body/mesh", NULL);
    double blade[12] = {0.47, -0.1, -0.1, 0.51, 1.1, -0.1, 0.47, -0.1, depth, 0.51, 1.1, depth};
    for (int i = 0; i < 4; i++) {
        DvCut cut;
        const double start = now(CLOCK_MONOTONIC), busy = now(CLOCK_PROCESS_CPUTIME_ID);
        if (measure(mesh, blade, &cut) != DV_OK)
            return 1;
        const double took = now(CLOCK_MONOTONIC) - start, worked = now(CLOCK_PROCESS_CPUTIME_ID) - busy;
        const double again = now(CLOCK_MONOTONIC);
        if (body && dv_scene_step(scene, 0.01) != DV_OK)
            return 1;
        printf(
            "%u elements cut into %u, %u faces open: %.2f ms (%.2f of a processor), the step after it %.2f ms; smallest angle %.1f degrees\n",
            cut.cut, cut.pieces, cut.faces, 1e3 * took, 1e3 * worked, 1e3 * (now(CLOCK_MONOTONIC) - again),
            cut.smallest_angle * 57.29578);
        for (int k = 0; k < 4; k++)
            blade[3 * k] += 0.11;
    }
    dv_scene_free(scene);
    return 0;
}
