/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What it costs to take tetrahedra out of a mesh while a scene runs: a box of n x n x n cells with six tetrahedra each, and what
 * hangs on it; of some cases hexahedra, or sheets of triangles one above the other.
 *
 *   bench-topology_edits [CASE [CELLS [REMOVED [ROUNDS]]]]      CASE: see `cases` below; CELLS: along each side; REMOVED: how
 *                                                               many, or 0: all around a point, which goes with them
 *
 * Without CASE all of them, with 1 and 100 removed of 10,368, 93,750 and, for some, 998,250 tetrahedra. Prints, in milliseconds: the first
 * removal, the median of those that follow, a step after a removal and one without, and the blocks asked of malloc in a removal. To count
 * instructions of removals: valgrind --tool=callgrind --collect-atstart=no --toggle-collect=measure bench-topology_edits fem 12 100 4
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <divan/contracts/topology.h>
#include <divan/divan.h>

#include "block_count.h"

typedef struct Case {
    const char *name, *components; /* of the node of the mesh */
    unsigned largest;              /* cells along a side */
    DvElementKind kind;            /* of the elements */
} Case;

#define SOLVER                                                                                                            \
    "<EulerImplicitSolver rayleighStiffness='0.1' rayleighMass='0.1'/><CGLinearSolver iterations='25' tolerance='1e-12' " \
    "threshold='1e-40'/>"
#define DIRECT "<EulerImplicitSolver/><SparseLDLSolver/>"
#define STATE  "<MechanicalObject name='dofs'/>"
#define FEM    "<TetrahedronFEMForceField youngModulus='1e5' poissonRatio='0.4'/>"
#define FIXED  "<FixedProjectiveConstraint indices='0 1 2 3 4 5'/>"
#define COLLISION                                                                                                      \
    "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/><MinProximityIntersection alarmDistance='0.002' "     \
    "contactDistance='0.001'/><CollisionResponse response='PenalityContactForceField'/>"                               \
    "<Node name='tip'><MechanicalObject position='0.513 0.493 0.501'/><PointCollisionModel simulated='0' moving='0'/>" \
    "</Node>"

/* Nothing but forces: a step after a removal costs as much more as it takes to follow. */
#define FORCES "<EulerExplicitSolver/>" STATE "<UniformMass vertexMass='1'/>"

static const Case cases[] = {
    {"bare", "", 55, DV_TETRAHEDRA},
    {"state", STATE, 55, DV_TETRAHEDRA},
    {"uniform", SOLVER STATE "<UniformMass totalMass='1'/>", 55, DV_TETRAHEDRA},
    {"diagonal", SOLVER STATE "<DiagonalMass massDensity='1'/>", 55, DV_TETRAHEDRA},
    {"matrix", SOLVER STATE "<MeshMatrixMass massDensity='1'/>", 55, DV_TETRAHEDRA},
    {"exact", SOLVER STATE "<MeshMatrixMass massDensity='1' computeMassOnRest='1' consistent='1'/>", 25, DV_HEXAHEDRA},
    {"springs", SOLVER STATE "<DiagonalMass massDensity='1'/><MeshSpringForceField linesStiffness='1'/>", 25,
     DV_TETRAHEDRA},
    {"fem", SOLVER STATE "<DiagonalMass massDensity='1'/>" FEM FIXED, 55, DV_TETRAHEDRA},
    {"direct", DIRECT STATE "<DiagonalMass massDensity='1'/>" FEM FIXED, 12, DV_TETRAHEDRA},
    {"mapped",
     SOLVER STATE
     "<DiagonalMass massDensity='1'/><Node name='hung'><RegularGridTopology n='20 20 20' min='0.01 0.01 0.01' "
     "max='0.99 0.99 0.99'/><MechanicalObject name='dofs'/><BarycentricMapping input_topology='@../mesh'/></Node>",
     55, DV_TETRAHEDRA},
    {"all",
     SOLVER STATE "<DiagonalMass massDensity='1'/>" FEM FIXED COLLISION
                  "<Node name='surface'><TriangleSetTopologyContainer name='triangles'/><TriangleSetTopologyModifier/>"
                  "<Tetra2TriangleTopologicalMapping input='@../mesh' output='@triangles'/>"
                  "<MechanicalObject name='dofs'/><IdentityMapping/><TriangleCollisionModel/>"
                  "<Node name='visual'><OglModel/><IdentityMapping/></Node></Node>",
     55, DV_TETRAHEDRA},
    {"tetra", FORCES "<TetrahedronFEMForceField youngModulus='0.01' poissonRatio='0.4'/>", 25, DV_TETRAHEDRA},
    {"hexa", FORCES "<HexahedronFEMForceField youngModulus='0.01' poissonRatio='0.4'/>", 25, DV_HEXAHEDRA},
    {"membrane", FORCES "<TriangleFEMForceField youngModulus='0.01' poissonRatio='0.4'/>", 25, DV_TRIANGLES},
    {"sheets", FORCES "<TriangularFEMForceField youngModulus='0.01' poissonRatio='0.4'/>", 25, DV_TRIANGLES},
};

static void check(DvStatus status)
{
    if (status != DV_OK)
        exit(1);
}

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static void cell_text(DvText *text, DvElementKind kind, const uint32_t corner[8])
{
    uint32_t cut[6][4];
    dv_cut_hexahedron(corner, 0, true, cut);
    for (unsigned t = 0; kind == DV_TETRAHEDRA && t < 6; t++)
        dv_text_add(text, "%u %u %u %u ", cut[t][0], cut[t][1], cut[t][2], cut[t][3]);
    for (unsigned i = 0; kind == DV_HEXAHEDRA && i < 8; i++)
        dv_text_add(text, "%u ", corner[i]);
    if (kind == DV_TRIANGLES)
        dv_text_add(text, "%u %u %u %u %u %u ", corner[0], corner[1], corner[2], corner[0], corner[2], corner[3]);
}

/* Points and elements of a unit box, as text. */
static void box_text(DvText *text, DvElementKind kind, unsigned cells)
{
    const unsigned side = cells + 1;
    const char *name = kind == DV_TETRAHEDRA ? "Tetrahedron" : kind == DV_HEXAHEDRA ? "Hexahedron" : "Triangle";
    dv_text_add(text, "<%sSetTopologyContainer name='mesh' position='", name);
    for (unsigned i = 0; i < side * side * side; i++) {
        const unsigned x = i % side, y = i / side % side, z = i / side / side;
        dv_text_add(text, "%g %g %g ", (double)x / cells, (double)y / cells, (double)z / cells);
    }
    dv_text_add(text, "' %s='",
                kind == DV_TETRAHEDRA  ? "tetrahedra"
                : kind == DV_HEXAHEDRA ? "hexahedra"
                                       : "triangles");
    for (unsigned c = 0; c < cells * cells * cells; c++) {
        const unsigned p = c % cells + side * (c / cells % cells + side * (c / cells / cells)), up = side * side;
        const uint32_t corner[8] = {p,      p + 1,      p + side + 1,      p + side,
                                    p + up, p + up + 1, p + up + side + 1, p + up + side};
        cell_text(text, kind, corner);
    }
    dv_text_add(text, "'/><%sSetTopologyModifier name='modifier'/>", name);
}

typedef struct Bench {
    DvScene *scene;
    const DvTopologyOps *mesh;
    void *mesh_self;
    const DvTopologyModifierOps *modifier;
    void *modifier_self;
    DvElementKind kind;
    uint32_t *numbers, count;
    uint64_t seed;
} Bench;

static bool load(Bench *bench, const Case *what, unsigned cells)
{
    DvText text = {0};
    dv_text_add(&text, "<Node name='root' dt='0.01' gravity='0 -1 0'><DefaultAnimationLoop/>");
    box_text(&text, what->kind, cells);
    dv_text_add(&text, "%s</Node>", what->components);
    const DvStatus status = dv_scene_load_text(text.at, text.length, "bench.scn", NULL, NULL, &bench->scene);
    dv_text_free(&text);
    if (status != DV_OK)
        return false;
    DvObject *mesh = dv_node_find(dv_scene_root(bench->scene), DV_TOPOLOGY, DV_SEARCH_LOCAL);
    DvObject *modifier = dv_node_find(dv_scene_root(bench->scene), DV_TOPOLOGY_MODIFIER, DV_SEARCH_LOCAL);
    bench->mesh = dv_object_ops(mesh, DV_TOPOLOGY);
    bench->mesh_self = dv_object_self(mesh);
    bench->modifier = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    bench->modifier_self = dv_object_self(modifier);
    return true;
}

static uint32_t next_random(Bench *bench, uint32_t limit)
{
    bench->seed = bench->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(bench->seed >> 33) % limit;
}

enum { MOST_AROUND = 64 };

static void choose(Bench *bench, unsigned removed)
{
    const uint32_t count = bench->mesh->elements(bench->mesh_self, bench->kind).count;
    bench->count = removed;
    for (unsigned i = 0; i < removed; i++)
        bench->numbers[i] = next_random(bench, count);
    if (removed > 0)
        return;
    const DvAdjacency around = bench->mesh->adjacency(bench->mesh_self, DV_POINTS, bench->kind);
    const uint32_t point = next_random(bench, around.count);
    for (uint32_t at = around.begin[point]; at < around.end[point] && bench->count < MOST_AROUND; at++)
        bench->numbers[bench->count++] = around.items[at];
}

static void __attribute__((noinline)) measure(Bench *bench)
{
    check(bench->modifier->remove_elements(bench->modifier_self, bench->kind, bench->count, bench->numbers, true));
}

static void __attribute__((noinline)) step_edited(Bench *bench)
{
    bench->count = 0; /* unlike step_quiet, or the compiler makes one function of both */
    check(dv_scene_step(bench->scene, 0));
    dv_scene_update_visual(bench->scene);
}

static void __attribute__((noinline)) step_quiet(Bench *bench)
{
    check(dv_scene_step(bench->scene, 0));
    dv_scene_update_visual(bench->scene);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times, unsigned count)
{
    qsort(times, count, sizeof *times, ascending);
    return times[count / 2];
}

static void run(const Case *what, unsigned cells, unsigned removed, unsigned rounds)
{
    Bench bench = {.seed = 7, .kind = what->kind};
    if (!load(&bench, what, cells))
        return;
    double *times = malloc(3 * rounds * sizeof *times), *edited = times + rounds, *quiet = edited + rounds;
    bench.numbers = malloc((removed + MOST_AROUND) * sizeof *bench.numbers);
    const uint32_t count = bench.mesh->elements(bench.mesh_self, bench.kind).count;
    for (int i = 0; i < 2; i++)
        check(dv_scene_step(bench.scene, 0));
    choose(&bench, removed);
    double begin = milliseconds();
    measure(&bench);
    const double first = milliseconds() - begin;
    check(dv_scene_step(bench.scene, 0));
    uint64_t blocks = 0;
    for (unsigned i = 0; i < rounds; i++) {
        choose(&bench, removed);
        const uint64_t before = block_count();
        begin = milliseconds();
        measure(&bench);
        times[i] = milliseconds() - begin;
        blocks += block_count() - before;
        begin = milliseconds();
        step_edited(&bench);
        edited[i] = milliseconds() - begin;
        begin = milliseconds();
        step_quiet(&bench);
        quiet[i] = milliseconds() - begin;
    }
    const double step = median(quiet, rounds), after = median(edited, rounds);
    printf("%-9s %3u of %7u: first %8.2f, then %8.3f ms, %7.1f blocks; step %8.2f, after %8.2f ms (%.2f)\n", what->name,
           removed, count, first, median(times, rounds), (double)blocks / rounds, step, after, after / step);
    fflush(stdout);
    free(times);
    free(bench.numbers);
    dv_scene_free(bench.scene);
}

int main(int argc, char **argv)
{
    static const unsigned sizes[] = {12, 25, 55}, numbers[] = {1, 100, 0};
    check(dv_start(NULL));
    const char *only = argc > 1 ? argv[1] : NULL;
    const unsigned cells = argc > 2 ? (unsigned)atoi(argv[2]) : 0, given = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
    const unsigned rounds = argc > 4 ? (unsigned)atoi(argv[4]) : 9;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (size_t s = 0; s < 3; s++)
            for (size_t n = 0; n < 3; n++) {
                const bool chosen = only && strcmp(only, cases[c].name) == 0;
                if ((only && !chosen) || sizes[s] > cases[c].largest || (cells && s > 0) || (argc > 3 && n > 0))
                    continue;
                run(&cases[c], cells ? cells : sizes[s], argc > 3 ? given : numbers[n], rounds);
            }
    dv_stop();
    return 0;
}
