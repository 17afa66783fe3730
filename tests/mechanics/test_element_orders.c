/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The order in which elements list their points is no physics. One table over all classes that work on elements: a bar of three cells is
 * bent by gravity, once in proper order and once in another, and everything of it has to move alike.
 *
 *   mirrored   the points are reflected, x to -x, and the lists stay: all volumes are negative. The motion is the mirror image, to the bit
 *   others     the points stay, and each element lists them in another order. The motion is the same, to rounding, of methods whose
 *              frames do not hang on the first edges by definition (`free_of_order`)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene_text.h"
#include "share.h"

enum { CELLS = 3, STEPS = 20, POINTS = (CELLS + 1) * 4, ORDERS_OF_HEXAHEDRA = 6, ORDERS_OF_TETRAHEDRA = 3 };

typedef enum Mesh { TETRAHEDRA, HEXAHEDRA, TRIANGLES, QUADS } Mesh;

typedef struct Row {
    Mesh mesh;
    const char *body; /* what acts, and has a mass */
    bool free_of_order;
} Row;

#define SOFT  " youngModulus='2e5' poissonRatio='0.3'/>"
#define MASS  "<UniformMass totalMass='24'/>"
#define TETRA "<TetrahedronFEMForceField method='exact'" SOFT
#define HEXA  "<HexahedronFEMForceField method='exact'" SOFT
static const Row rows[] = {
    {TETRAHEDRA, "<TetrahedronFEMForceField method='small'" SOFT MASS, true},
    {TETRAHEDRA, "<TetrahedronFEMForceField method='large'" SOFT MASS, false},
    {TETRAHEDRA, "<TetrahedronFEMForceField method='large' updateStiffnessMatrix='1'" SOFT MASS, false},
    {TETRAHEDRA, "<TetrahedronFEMForceField method='polar'" SOFT MASS, false},
    {TETRAHEDRA, "<TetrahedronFEMForceField method='svd'" SOFT MASS, false},
    {TETRAHEDRA, TETRA MASS, true},
    {TETRAHEDRA, "<TetrahedralCorotationalFEMForceField method='small'" SOFT MASS, true},
    {TETRAHEDRA, "<TetrahedralCorotationalFEMForceField method='large'" SOFT MASS, false},
    {TETRAHEDRA, "<TetrahedralCorotationalFEMForceField method='polar'" SOFT MASS, false},
    {TETRAHEDRA, "<TetrahedralCorotationalFEMForceField method='exact'" SOFT MASS, true},
    {TETRAHEDRA, TETRA "<MeshSpringForceField stiffness='1e4' damping='1'/>" MASS, true},
    {TETRAHEDRA, TETRA "<DiagonalMass massDensity='1000'/>", true},
    {TETRAHEDRA, TETRA "<MeshMatrixMass massDensity='1000'/>", true},
    {TETRAHEDRA, TETRA "<MeshMatrixMass massDensity='1000' lumping='1'/>", true},
    {TETRAHEDRA, TETRA "<MeshMatrixMass massDensity='1000' consistent='1'/>", true},
    {HEXAHEDRA, "<HexahedronFEMForceField method='small'" SOFT MASS, true},
    {HEXAHEDRA, "<HexahedronFEMForceField method='large'" SOFT MASS, false},
    {HEXAHEDRA, "<HexahedronFEMForceField method='large' updateStiffnessMatrix='1'" SOFT MASS, false},
    {HEXAHEDRA, "<HexahedronFEMForceField method='polar'" SOFT MASS, true},
    {HEXAHEDRA, "<HexahedronFEMForceField method='polar' updateStiffnessMatrix='1'" SOFT MASS, false},
    {HEXAHEDRA, HEXA MASS, true},
    {HEXAHEDRA, "<HexahedralFEMForceField method='large'" SOFT MASS, false},
    {HEXAHEDRA, "<HexahedralFEMForceField method='polar'" SOFT MASS, true},
    {HEXAHEDRA, "<HexahedralFEMForceField method='exact'" SOFT MASS, true},
    {HEXAHEDRA, "<HexahedronFEMForceFieldAndMass method='polar' density='1000'" SOFT, true},
    {HEXAHEDRA, "<HexahedronFEMForceFieldAndMass method='polar' density='1000' lumpedMass='1'" SOFT, true},
    {HEXAHEDRA, "<TetrahedronFEMForceField method='large'" SOFT MASS, false}, /* cut */
    {HEXAHEDRA, HEXA "<DiagonalMass massDensity='1000'/>", true},
    {HEXAHEDRA, HEXA "<MeshMatrixMass massDensity='1000'/>", false}, /* its edges are those of the lists */
    {HEXAHEDRA, HEXA "<MeshMatrixMass massDensity='1000' lumping='1'/>", true},
    {HEXAHEDRA, HEXA "<MeshMatrixMass massDensity='1000' consistent='1'/>", true},
    {TRIANGLES, "<TriangleFEMForceField method='large'" SOFT "<MeshSpringForceField stiffness='1e4'/>" MASS, false},
    {TRIANGLES, "<TriangleFEMForceField method='linear'" SOFT "<MeshSpringForceField stiffness='1e4'/>" MASS, true},
    {TRIANGLES, "<TriangleFEMForceField method='exact'" SOFT "<MeshSpringForceField stiffness='1e4'/>" MASS, true},
    {TRIANGLES, "<TriangularFEMForceField method='large'" SOFT "<TriangularBendingSprings stiffness='1e3'/>" MASS,
     false},
    {TRIANGLES,
     "<TriangleFEMForceField method='exact'" SOFT
     "<TrianglePressureForceField pressure='0 100 0' triangleList='0 1 2 3'/>" MASS,
     true},
    {TRIANGLES, "<TriangleFEMForceField method='exact'" SOFT "<DiagonalMass massDensity='100'/>", true},
    {TRIANGLES, "<TriangleFEMForceField method='exact'" SOFT "<MeshMatrixMass massDensity='100'/>", true},
    {QUADS, "<MeshSpringForceField stiffness='1e4'/><QuadBendingSprings stiffness='1e3'/>" MASS, true},
    {QUADS, "<MeshSpringForceField stiffness='1e4'/><QuadPressureForceField pressure='0 100 0' quadList='0 1 2'/>" MASS,
     true},
    {QUADS, "<MeshSpringForceField stiffness='1e4'/><DiagonalMass massDensity='100'/>", true},
    {QUADS, "<MeshSpringForceField stiffness='1e4'/><MeshMatrixMass massDensity='100' consistent='1'/>", true},
};

static const char *const lists[] = {"tetrahedra", "hexahedra", "triangles", "quads"};
static const char *const containers[][2] = {{"MeshTopology", "TetrahedronSetTopologyContainer"},
                                            {"MeshTopology", "HexahedronSetTopologyContainer"},
                                            {"MeshTopology", "TriangleSetTopologyContainer"},
                                            {"MeshTopology", "QuadSetTopologyContainer"}};

/* From the other side; row by row; the same mirrored; two points of an edge exchanged; at random, right- and left-handed. */
static const uint8_t hexahedron_orders[ORDERS_OF_HEXAHEDRA + 1][8] = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {0, 3, 2, 1, 4, 7, 6, 5}, {0, 1, 3, 2, 4, 5, 7, 6}, {4, 5, 7, 6, 0, 1, 3, 2},
    {0, 1, 2, 3, 4, 5, 7, 6}, {3, 7, 1, 0, 5, 2, 6, 4}, {6, 2, 0, 1, 3, 7, 5, 4}};
static const uint8_t tetrahedron_orders[ORDERS_OF_TETRAHEDRA + 1][4] = {
    {0, 1, 2, 3}, {1, 0, 2, 3}, {3, 2, 0, 1}, {2, 3, 1, 0}};

/* Corner 0 1 2 3 around the bottom of a cell, then above it; x runs along the bar. Not a box: no face is a parallelogram. */
static void place(uint32_t point, bool mirrored, double at[3])
{
    const uint32_t slice = point / 4, corner = point % 4;
    at[0] = 0.2 * slice * (mirrored ? -1.0 : 1.0);
    at[1] = corner == 2 || corner == 3 ? 0.2 : 0.0;
    at[2] = corner == 1 || corner == 2 ? 0.2 : 0.0;
}

/* Cells are boxes: the closed form of HexahedralFEMForceField takes no others. */
static uint32_t cell_corner(uint32_t cell, uint32_t corner)
{
    static const uint8_t slice[8] = {0, 1, 1, 0, 0, 1, 1, 0}, in_slice[8] = {0, 0, 3, 3, 1, 1, 2, 2};
    return 4 * (cell + slice[corner]) + in_slice[corner];
}

static size_t write_lists(char *text, Mesh mesh, uint32_t order)
{
    static const uint8_t pieces[6][4] = {{0, 1, 5, 6}, {0, 3, 1, 6}, {1, 3, 2, 6},
                                         {6, 0, 3, 7}, {6, 0, 7, 5}, {7, 4, 5, 0}};
    size_t length = 0;
    for (uint32_t cell = 0; cell < CELLS; cell++) {
        switch (mesh) {
        case HEXAHEDRA:
            for (uint32_t i = 0; i < 8; i++)
                length += (size_t)sprintf(text + length, "%u ", cell_corner(cell, hexahedron_orders[order][i]));
            break;
        case TETRAHEDRA:
            for (uint32_t t = 0; t < 6; t++)
                for (uint32_t i = 0; i < 4; i++)
                    length += (size_t)sprintf(text + length, "%u ",
                                              cell_corner(cell, pieces[t][tetrahedron_orders[order][i]]));
            break;
        case TRIANGLES: { /* a strip: the bottom of the bar */
            const uint32_t a = 4 * cell, b = 4 * (cell + 1);
            length += (size_t)(order == 0 ? sprintf(text + length, "%u %u %u %u %u %u ", a, b, b + 1, a, b + 1, a + 1)
                                          : sprintf(text + length, "%u %u %u %u %u %u ", b + 1, b, a, a, a + 1, b + 1));
            break;
        }
        case QUADS: {
            const uint32_t a = 4 * cell, b = 4 * (cell + 1);
            length += (size_t)(order == 0 ? sprintf(text + length, "%u %u %u %u ", a, b, b + 1, a + 1)
                                          : sprintf(text + length, "%u %u %u %u ", b + 1, b, a, a + 1));
            break;
        }
        }
    }
    return length;
}

/* Positions after some steps: of the bar, then of points that hang on it, one of them beside it. */
static uint32_t run(const Row *row, uint32_t container, uint32_t order, bool mirrored, double *end)
{
    static char text[16384];
    const double sign = mirrored ? -1.0 : 1.0;
    const bool surface = row->mesh == TRIANGLES || row->mesh == QUADS;
    const uint32_t step = surface ? 1 : 0; /* surfaces have the first two points of each slice only */
    size_t length =
        (size_t)sprintf(text,
                        "<Node name='root' gravity='0 -9 1' dt='0.01'><DefaultAnimationLoop/><Node name='b'>"
                        "<EulerImplicitSolver rayleighStiffness='0.02'/>"
                        "<SparseLDLSolver template='CompressedRowSparseMatrixd'/><%s position='",
                        containers[row->mesh][container]);
    char points[POINTS * 40];
    size_t written = 0;
    for (uint32_t p = 0; p < POINTS; p++) {
        double at[3];
        place(p, mirrored, at);
        written += (size_t)sprintf(points + written, "%g %g %g ", at[0], at[1], at[2]);
    }
    length += (size_t)sprintf(text + length, "%s' %s='", points, lists[row->mesh]);
    length += write_lists(text + length, row->mesh, order);
    length += (size_t)sprintf(text + length, "'/><MechanicalObject name='s' position='%s'/>%s", points, row->body);
    length += (size_t)sprintf(text + length, "<FixedProjectiveConstraint indices='0 1 2 3%s'/>",
                              step ? " 6 7 10 11 14 15" : ""); /* of surfaces those that no element uses */
    (void)sprintf(text + length,
                  "<Node name='m'><MechanicalObject name='o' position='%g 0 0.03 %g 0 0.1 %g 0.1 0.25'/>"
                  "<UniformMass totalMass='0.5'/><BarycentricMapping/></Node></Node></Node>",
                  sign * 0.1, sign * 0.33, sign * 0.5);
    DvScene *scene = scene_from_text(text);
    for (int i = 0; i < STEPS; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    static const char *const states[2] = {"/b/s", "/b/m/o"};
    uint32_t numbers = 0;
    for (int s = 0; s < 2; s++) {
        const DvConstVec x = dv_state_read(scene_state(scene, states[s]), DV_POSITION);
        memcpy(end + numbers, x.at, (size_t)x.count * 3 * sizeof *end);
        numbers += 3 * x.count;
    }
    dv_scene_free(scene);
    return numbers;
}

static double difference(const double *a, const double *b, uint32_t numbers, bool mirrored)
{
    double largest = 0.0;
    for (uint32_t i = 0; i < numbers; i++)
        largest = fmax(largest, fabs(a[i] - (mirrored && i % 3 == 0 ? -b[i] : b[i])));
    return largest;
}

enum { MOST_NUMBERS = 3 * (POINTS + 3) };

static void quiet(const DvMessage *message, void *context)
{
    (void)message, (void)context;
}

static void mirrored_meshes_move_as_in_a_mirror(void **state)
{
    (void)state;
    dv_log_set_handler(quiet, NULL);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (uint32_t container = 0; container < 2; container++) {
            double proper[MOST_NUMBERS], other[MOST_NUMBERS];
            const uint32_t numbers = run(&rows[r], container, 0, false, proper);
            assert_int_equal(run(&rows[r], container, 0, true, other), numbers);
            assert_true(fabs(proper[3 * 12 + 1]) > 1e-4); /* it does move */
            const double apart = difference(proper, other, numbers, true);
            if (apart > 1e-12)
                fail_msg("%s in a %s: %g from the mirror image", rows[r].body, containers[rows[r].mesh][container],
                         apart);
        }
    dv_log_set_handler(NULL, NULL);
}

static void other_orders_move_alike(void **state)
{
    (void)state;
    dv_log_set_handler(quiet, NULL);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (uint32_t container = 0; rows[r].free_of_order && container < 2; container++) {
            const uint32_t orders = rows[r].mesh == HEXAHEDRA    ? ORDERS_OF_HEXAHEDRA
                                    : rows[r].mesh == TETRAHEDRA ? ORDERS_OF_TETRAHEDRA
                                                                 : 1;
            double proper[MOST_NUMBERS], other[MOST_NUMBERS];
            const uint32_t numbers = run(&rows[r], container, 0, false, proper);
            for (uint32_t order = 1; order <= orders; order++) {
                assert_int_equal(run(&rows[r], container, order, false, other), numbers);
                const double apart = difference(proper, other, numbers, false);
                if (apart > 1e-9)
                    fail_msg("%s in a %s, order %u: %g from that in proper order", rows[r].body,
                             containers[rows[r].mesh][container], order, apart);
            }
        }
    dv_log_set_handler(NULL, NULL);
}

/* The grid of the case: the mirror image of the one that runs forwards; the figure is that of a public scene. */
static void a_grid_that_runs_backwards(void **state)
{
    (void)state;
    double end[2][72];
    dv_log_set_handler(quiet, NULL);
    for (int side = 0; side < 2; side++) {
        char text[1024];
        (void)snprintf(
            text, sizeof text,
            "<Node name='root' gravity='0 -10 0' dt='0.01'><DefaultAnimationLoop/>"
            "<EulerImplicitSolver rayleighStiffness='0.1'/><SparseLDLSolver template='CompressedRowSparseMatrixd'/>"
            "<RegularGridTopology n='6 2 2' min='0 0 0' max='%d 0.2 0.2'/><MechanicalObject name='s'/>"
            "<UniformMass totalMass='40'/><HexahedronFEMForceField youngModulus='1e6' poissonRatio='0.3'/>"
            "<FixedProjectiveConstraint indices='0 6 12 18'/></Node>",
            side ? -1 : 1);
        DvScene *scene = scene_from_text(text);
        for (int i = 0; i < 100; i++)
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        const DvConstVec x = dv_state_read(scene_state(scene, "/s"), DV_POSITION);
        assert_int_equal(x.count, 24);
        memcpy(end[side], x.at, sizeof end[side]);
        dv_scene_free(scene);
    }
    dv_log_set_handler(NULL, NULL);
    assert_true(difference(end[0], end[1], 72, true) <= 1e-9);
    assert_true(fabs(end[1][3 * 5 + 1] + 0.2289) < 5e-5);
    assert_true(fabs(end[1][3 * 17 + 1] + 0.2289) < 5e-5);
}

/* Two tetrahedra that were meshed one by one: with their points merged they move as those that share a face from the start. */
static void a_merged_interface_holds(void **state)
{
    (void)state;
    static const char *const meshes[2] = {
        "mergeDistance='1e-6' position='0 0 0 1 0 0 0 1 0 0 0 1  1 0 0 0 1 0 0 0 1 1 1 1' tetrahedra='0 1 2 3 4 5 6 7'",
        "position='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1' tetrahedra='0 1 2 3 1 2 3 4'"};
    static const char *const classes[2] = {"TetrahedronSetTopologyContainer", "MeshTopology"};
    double end[4][15];
    dv_log_set_handler(quiet, NULL);
    for (int i = 0; i < 4; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text,
                       "<Node name='root' gravity='0 -10 0' dt='0.01'><DefaultAnimationLoop/><EulerImplicitSolver/>"
                       "<SparseLDLSolver template='CompressedRowSparseMatrixd'/><%s %s/><MechanicalObject name='s'/>"
                       "<UniformMass totalMass='8'/><TetrahedronFEMForceField youngModulus='1e4' poissonRatio='0.3'/>"
                       "<FixedProjectiveConstraint indices='0 1 2'/></Node>",
                       classes[i / 2], meshes[i % 2]);
        DvScene *scene = scene_from_text(text);
        for (int step = 0; step < 100; step++)
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        const DvConstVec x = dv_state_read(scene_state(scene, "/s"), DV_POSITION);
        assert_int_equal(x.count, 5);
        memcpy(end[i], x.at, sizeof end[i]);
        dv_scene_free(scene);
    }
    dv_log_set_handler(NULL, NULL);
    for (int i = 1; i < 4; i++)
        assert_memory_equal(end[i], end[0], sizeof end[0]);
    assert_true(end[0][13] > 0.9); /* it has not fallen */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mirrored_meshes_move_as_in_a_mirror),
        cmocka_unit_test(other_orders_move_alike),
        cmocka_unit_test(a_grid_that_runs_backwards),
        cmocka_unit_test(a_merged_interface_holds),
    };
    return share_run_group_tests(tests, NULL, stop_plugins);
}
