/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SparseGridRamificationTopology and SparseGridMultipleTopology: how many cells and points boxes beside each other make, who shares
 * them, and what cells are worth.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <divan/contracts/topology.h>

#include <math.h>

#include "scene_text.h"

typedef struct Box {
    double min[3], max[3];
} Box;

static void add_corners(DvText *text, const Box *box, const char *before)
{
    for (int i = 0; i < 8; i++)
        dv_text_add(text, "%s%g %g %g\n", before, i & 1 ? box->max[0] : box->min[0], i & 2 ? box->max[1] : box->min[1],
                    i & 4 ? box->max[2] : box->min[2]);
}

static const uint8_t triangles_of_box[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                                {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

typedef struct Grid {
    DvScene *scene;
    void *self;
    const DvTopologyOps *ops;
    const DvSparseGridOps *cells;
    const double *at;
    DvElements hexahedra;
    uint32_t points;
} Grid;

static Grid load(const char *text)
{
    Grid grid = {.scene = scene_from_text(text)};
    DvObject *object = scene_object(grid.scene, "/grid");
    grid.self = dv_object_self(object);
    grid.ops = dv_object_ops(object, DV_TOPOLOGY);
    grid.cells = dv_object_ops(object, DV_SPARSE_GRID);
    grid.at = grid.ops->positions(grid.self);
    grid.hexahedra = grid.ops->elements(grid.self, DV_HEXAHEDRA);
    grid.points = grid.ops->point_count(grid.self);
    return grid;
}

/* Boxes as one surface, in the box from 0 to 4. */
static Grid grid_of_boxes(const char *class_name, const char *attributes, const Box *boxes, uint32_t count)
{
    DvText text = {0};
    dv_text_add(&text, "<Node><%s name='grid' min='0 0 0' max='4 4 4' %s position='", class_name, attributes);
    for (uint32_t i = 0; i < count; i++)
        add_corners(&text, &boxes[i], "");
    dv_text_add(&text, "' triangles='");
    for (uint32_t i = 0; i < count; i++)
        for (int t = 0; t < 12; t++)
            dv_text_add(&text, "%u %u %u ", 8 * i + triangles_of_box[t][0], 8 * i + triangles_of_box[t][1],
                        8 * i + triangles_of_box[t][2]);
    dv_text_add(&text, "'/></Node>");
    const Grid grid = load(text.at);
    dv_text_free(&text);
    return grid;
}

static double sum_of_filled(const Grid *grid)
{
    const float *filled = grid->cells->filled(grid->self);
    double sum = 0;
    for (uint32_t i = 0; i < grid->hexahedra.count; i++)
        sum += (double)filled[i];
    return sum;
}

/* Each cell stands straight, and its corners are where they should be: only the names of points differ. */
static void check_cells(const Grid *grid, double width)
{
    static const double offset[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                        {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    bool *used = calloc(grid->points + 1, sizeof *used);
    for (uint32_t i = 0; i < 8 * grid->hexahedra.count; i++) {
        const uint32_t point = grid->hexahedra.at[i];
        assert_true(point < grid->points);
        used[point] = true;
        for (uint32_t axis = 0; axis < 3; axis++)
            assert_true(fabs(grid->at[3 * point + axis] - grid->at[3 * grid->hexahedra.at[i / 8 * 8] + axis] -
                             width * offset[i % 8][axis]) < 1e-12);
    }
    for (uint32_t i = 0; i < grid->points; i++)
        assert_true(used[i]);
    free(used);
}

static uint32_t cell_at(const Grid *grid, double x, double y, double z)
{
    uint32_t hexahedron;
    double fraction[3];
    assert_true(grid->cells->locate(grid->self, (const double[]){x, y, z}, &hexahedron, fraction));
    const double *lower = grid->at + 3 * (size_t)grid->hexahedra.at[8 * hexahedron];
    const double p[3] = {x, y, z};
    for (uint32_t axis = 0; axis < 3; axis++)
        assert_true(fabs(lower[axis] +
                         fraction[axis] * (grid->at[3 * grid->hexahedra.at[8 * hexahedron + 6] + axis] - lower[axis]) -
                         p[axis]) < 1e-12);
    return hexahedron;
}

static float filled_at(const Grid *grid, double x, double y, double z)
{
    return grid->cells->filled(grid->self)[cell_at(grid, x, y, z)];
}

static uint32_t common_points(const Grid *grid, uint32_t a, uint32_t b)
{
    uint32_t common = 0;
    for (uint32_t i = 0; i < 64; i++)
        common += grid->hexahedra.at[8 * a + i / 8] == grid->hexahedra.at[8 * b + i % 8];
    return common;
}

/* Two bars along z with a slit between them that only the finest grid can see. */
static const Box bars[] = {{{0.6, 0.6, 0.1}, {1.4, 3.4, 3.9}}, {{2.6, 0.6, 0.1}, {3.4, 3.4, 3.9}}};
/* The same, and a foot that joins them. */
static const Box prongs[] = {
    {{0.6, 0.6, 0.1}, {1.4, 3.4, 3.9}}, {{2.6, 0.6, 0.1}, {3.4, 3.4, 3.9}}, {{0.6, 0.6, 0.1}, {3.4, 3.4, 0.9}}};

static void bars_beside_each_other_have_cells_of_their_own(void **state)
{
    (void)state;
    Grid simple = grid_of_boxes("SparseGridTopology", "n='2 2 2' nbVirtualFinerLevels='3'", bars, 2),
         pieces = grid_of_boxes("SparseGridRamificationTopology",
                                "n='2 2 2' nbVirtualFinerLevels='3' finestConnectivity='0'", bars, 2);
    assert_int_equal(simple.hexahedra.count, 1);
    assert_int_equal(pieces.hexahedra.count, 2);
    assert_int_equal(pieces.points, 16);
    check_cells(&pieces, 4);
    assert_int_equal(common_points(&pieces, 0, 1), 0);
    const uint32_t left = cell_at(&pieces, 1, 2, 2), right = cell_at(&pieces, 3, 2, 2);
    assert_true(left != right);
    /* both have four parts of what is in the one, all alike, and are worth one of them */
    assert_true(fabs(sum_of_filled(&simple) / 4.0 - sum_of_filled(&pieces)) < 1e-6);
    const float *filled = pieces.cells->filled(pieces.self);
    assert_true(filled[left] == filled[right] && filled[left] > 0);
    dv_scene_free(simple.scene);
    dv_scene_free(pieces.scene);
}

/* Where they are joined they are one, and above they share the points of the face below. */
static void a_fork_parts_above_its_foot(void **state)
{
    (void)state;
    Grid grid = grid_of_boxes("SparseGridRamificationTopology",
                              "n='2 2 3' nbVirtualFinerLevels='3' finestConnectivity='0' cellWidth='0'", prongs, 3);
    assert_int_equal(grid.hexahedra.count, 3);
    assert_int_equal(grid.points, 16);
    const uint32_t foot = cell_at(&grid, 2, 2, 0.5), left = cell_at(&grid, 1, 2, 3), right = cell_at(&grid, 3, 2, 3);
    assert_true(foot != left && left != right && foot != right);
    assert_int_equal(cell_at(&grid, 1, 2, 1.5), foot);
    assert_int_equal(common_points(&grid, foot, left), 4);
    assert_int_equal(common_points(&grid, foot, right), 4);
    assert_int_equal(common_points(&grid, left, right), 4); /* those of the foot */
    dv_scene_free(grid.scene);
}

/* A cell in one piece weighs what is in it, whatever is beside it. */
static void pieces_weigh_less_than_what_is_in_them(void **state)
{
    (void)state;
    static const Box three[] = {
        {{0.1, 0.6, 0.1}, {0.4, 3.4, 3.9}}, {{1.6, 0.6, 0.1}, {1.9, 3.4, 3.9}}, {{3.1, 0.6, 0.1}, {3.4, 3.4, 3.9}}};
    static const char fork[] = "n='2 2 3' nbVirtualFinerLevels='3' cellWidth='0'",
                      whole[] = "n='2 2 2' nbVirtualFinerLevels='3'";
    Grid simple = grid_of_boxes("SparseGridTopology", fork, prongs, 3),
         pieces = grid_of_boxes("SparseGridRamificationTopology",
                                "n='2 2 3' nbVirtualFinerLevels='3' finestConnectivity='0' cellWidth='0'", prongs, 3),
         one = grid_of_boxes("SparseGridTopology", whole, three, 3),
         apart = grid_of_boxes("SparseGridRamificationTopology",
                               "n='2 2 2' nbVirtualFinerLevels='3' finestConnectivity='0'", three, 3);
    assert_true(filled_at(&pieces, 2, 2, 0.5) == filled_at(&simple, 2, 2, 0.5));
    assert_true(filled_at(&pieces, 1, 2, 3) == filled_at(&simple, 1, 2, 3) / 8.0F); /* four parts of it, one of them */
    assert_true(filled_at(&pieces, 3, 2, 3) == filled_at(&simple, 3, 2, 3) / 8.0F);
    assert_int_equal(apart.hexahedra.count, 3);
    /* Let a part of a bar, 1 wide, weigh a; those at its sides, y < 1 and y > 3, are half empty: a/2. On the right the parts of the
     * next level weigh 2 (a + a/2) / 8 each, and the bar one of them over 8: 3a/64. The left two are beside each other on that level
     * too: there their last parts have a/2 / 8, and they a/128. The one cell weighs 4 (3a/4 + 3a/8) / 8 = 9a/16. */
    const double a = sum_of_filled(&one) * 16.0 / 9.0;
    assert_true(fabs((double)filled_at(&apart, 0.2, 2, 2) - a / 128.0) < 1e-9);
    assert_true(fabs((double)filled_at(&apart, 1.8, 2, 2) - a / 128.0) < 1e-9);
    assert_true(fabs((double)filled_at(&apart, 3.2, 2, 2) - 3.0 * a / 64.0) < 1e-9);
    dv_scene_free(simple.scene);
    dv_scene_free(pieces.scene);
    dv_scene_free(one.scene);
    dv_scene_free(apart.scene);
}

/* On the finest level cells are joined by what goes through their faces, with an edge prolonged by its length. */
static void cells_are_joined_by_edges_of_the_surface(void **state)
{
    (void)state;
    static const Box apart[] = {{{0.5, 0.5, 0.5}, {0.9, 1.5, 0.9}}, {{3.1, 0.5, 0.5}, {3.5, 1.5, 0.9}}},
                     through[] = {{{0.5, 0.5, 0.5}, {3.5, 1.5, 0.9}}};
    Grid touching = grid_of_boxes("SparseGridRamificationTopology", "n='3 3 3' finestConnectivity='0'", apart, 2),
         own = grid_of_boxes("SparseGridRamificationTopology", "n='3 3 3'", apart, 2),
         joined = grid_of_boxes("SparseGridRamificationTopology", "n='3 3 3'", through, 1);
    assert_int_equal(touching.hexahedra.count, 2);
    assert_int_equal(touching.points, 12);
    assert_int_equal(own.hexahedra.count, 2);
    assert_int_equal(own.points, 16);
    assert_int_equal(joined.points, 12);
    check_cells(&own, 2);
    check_cells(&joined, 2);
    dv_scene_free(touching.scene);
    dv_scene_free(own.scene);
    dv_scene_free(joined.scene);
}

/* Inside of a body nothing is apart: the grid is that of a simple one, but for the numbers of points. */
static void a_solid_block_has_one_cell_each(void **state)
{
    (void)state;
    static const Box block[] = {{{0.1, 0.1, 0.1}, {3.9, 3.9, 3.9}}};
    for (int levels = 0; levels < 3; levels++) {
        DvText attributes = {0};
        dv_text_add(&attributes, "n='5 5 5' nbVirtualFinerLevels='%d'", levels);
        Grid simple = grid_of_boxes("SparseGridTopology", attributes.at, block, 1);
        dv_text_add(&attributes, " finestConnectivity='0'");
        Grid pieces = grid_of_boxes("SparseGridRamificationTopology", attributes.at, block, 1);
        assert_int_equal(pieces.hexahedra.count, 64);
        assert_int_equal(pieces.points, 125);
        check_cells(&pieces, 1);
        for (uint32_t i = 0; i < 64; i++)
            assert_true(pieces.cells->filled(pieces.self)[i] == simple.cells->filled(simple.self)[i]);
        dv_scene_free(simple.scene);
        dv_scene_free(pieces.scene);
        dv_text_free(&attributes);
    }
}

/* ---- Several surfaces ---- */

static void write_box(char *path, const Box *box)
{
    DvText text = {0};
    add_corners(&text, box, "v ");
    for (int t = 0; t < 12; t++)
        dv_text_add(&text, "f %d %d %d\n", triangles_of_box[t][0] + 1, triangles_of_box[t][1] + 1,
                    triangles_of_box[t][2] + 1);
    const int handle = mkstemps(path, 4);
    assert_true(handle >= 0);
    assert_int_equal(write(handle, text.at, text.length), text.length);
    close(handle);
    dv_text_free(&text);
}

static void cells_are_worth_what_fills_them(void **state)
{
    (void)state;
    static const Box outer = {{0.5, 0.5, 0.5}, {6.5, 6.5, 6.5}}, inner = {{2.5, 2.5, 2.5}, {4.5, 4.5, 4.5}};
    char body[] = P_tmpdir "/divan-body-XXXXXX.obj", core[] = P_tmpdir "/divan-core-XXXXXX.obj";
    write_box(body, &outer);
    write_box(core, &inner);
    static const struct {
        const char *attributes;
        float shell, flesh, rind,
            heart; /* at the border of the body, within it, at the border of the core, within it */
    } cases[] = {{"stiffnessCoefs='10 2'", 5, 10, 6, 2},
                 {"stiffnessCoefs='10 2' erasePreviousCoef='1'", 10, 10, 2, 2},
                 {"stiffnessCoefs='10 2' fillWeighted='0'", 10, 10, 2, 2},
                 {"stiffnessCoefs='10 2' computeRamifications='0'", 5, 10, 6, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvText text = {0};
        dv_text_add(
            &text,
            "<Node><SparseGridMultipleTopology name='grid' min='0 0 0' max='7 7 7' n='8 8 8' fileTopologies='%s %s' %s/></Node>",
            body, core, cases[i].attributes);
        Grid grid = load(text.at);
        assert_int_equal(grid.hexahedra.count, 343);
        assert_true(filled_at(&grid, 0.5, 3.5, 3.5) == cases[i].shell);
        assert_true(filled_at(&grid, 1.5, 3.5, 3.5) == cases[i].flesh);
        assert_true(filled_at(&grid, 2.5, 3.5, 3.5) == cases[i].rind);
        assert_true(filled_at(&grid, 3.5, 3.5, 3.5) == cases[i].heart);
        check_cells(&grid, 1);
        dv_scene_free(grid.scene);
        dv_text_free(&text);
    }
    DvText text = {0};
    /* without a box the grid lies around all of them, and a hundredth more */
    dv_text_add(
        &text,
        "<Node><SparseGridMultipleTopology name='grid' n='3 3 3' fileTopologies='%s %s' stiffnessCoefs='1 1'/></Node>",
        core, body);
    Grid grid = load(text.at);
    assert_true(fabs(grid.at[0] - 0.44) < 1e-12);
    dv_scene_free(grid.scene);
    dv_text_free(&text);
    unlink(body);
    unlink(core);
}

static void wrong_grids_are_named(void **state)
{
    (void)state;
    expect_load_error("<Node>\n<SparseGridMultipleTopology name='g' n='3 3 3'/></Node>",
                      "SparseGridMultipleTopology 'g': fileTopologies: it names no surface to fill");
    expect_load_error(
        "<Node>\n<SparseGridMultipleTopology name='g' fileTopologies='no_such_mesh.obj' stiffnessCoefs='1'/></Node>",
        "fileTopologies[0]: no file 'no_such_mesh.obj'");
    expect_load_error("<Node>\n<SparseGridRamificationTopology name='g' n='3 3 3'/></Node>",
                      "SparseGridRamificationTopology 'g': no surface to fill");
}

/* A plate and a small block above it, in one cell of 4 m: the finest level has the block in one cell, half full; the next in one cell,
 * 1/16; the coarse piece weighs 1/8 of that, whatever the plate is. So a bar of E A / 128 stretches: u = F L / (E A / 128). */
static void a_small_piece_is_as_stiff_as_its_last_part(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 0 0' dt='1000'><DefaultAnimationLoop/><Node name='M'>"
        "<EulerImplicitSolver rayleighStiffness='0' rayleighMass='0'/>"
        "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
        "<SparseGridRamificationTopology n='2 2 2' nbVirtualFinerLevels='2' finestConnectivity='0' "
        "position='0 0 0  4 0 0  4 4 0  0 4 0  0 0 0.9  4 0 0.9  4 4 0.9  0 4 0.9  0 0 3.1  0.9 0 3.1  0.9 0.9 3.1  "
        "0 0.9 3.1  0 0 4  0.9 0 4  0.9 0.9 4  0 0.9 4' "
        "quads='3 2 1 0  4 5 6 7  0 1 5 4  1 2 6 5  2 3 7 6  3 0 4 7  11 10 9 8  12 13 14 15  8 9 13 12  9 10 14 13  "
        "10 11 15 14  11 8 12 15'/><MechanicalObject name='dofs'/><UniformMass totalMass='1e-6'/>"
        "<HexahedronFEMForceField youngModulus='1000' poissonRatio='0' method='large'/>"
        "<FixedProjectiveConstraint indices='0 1 2 3 4 5 6 7 8 9 10 11'/>"
        "<ConstantForceField indices='12 13 14 15' forces='0 0 0.01'/></Node></Node>");
    const DvStateRef dofs = scene_state(scene, "/M/dofs");
    double before[4];
    for (size_t i = 0; i < 4; i++)
        before[i] = dv_state_read(dofs, DV_POSITION).at[3 * (12 + i) + 2];
    for (int i = 0; i < 20; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    for (size_t i = 0; i < 4; i++) {
        const double u = dv_state_read(dofs, DV_POSITION).at[3 * (12 + i) + 2] - before[i];
        if (!(fabs(u - 1.254902e-3) < 1e-6))
            fail_msg("point %zu moves by %.9g", 12 + i, u);
    }
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_beside_each_other_have_cells_of_their_own),
        cmocka_unit_test(a_fork_parts_above_its_foot),
        cmocka_unit_test(pieces_weigh_less_than_what_is_in_them),
        cmocka_unit_test(a_small_piece_is_as_stiff_as_its_last_part),
        cmocka_unit_test(cells_are_joined_by_edges_of_the_surface),
        cmocka_unit_test(a_solid_block_has_one_cell_each),
        cmocka_unit_test(cells_are_worth_what_fills_them),
        cmocka_unit_test(wrong_grids_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
