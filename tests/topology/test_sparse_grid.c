/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SparseGridTopology in scenes: numbers of cells of boxes, the order of points, points that hang on it, half-filled cells, and what is
 * said about mistakes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <divan/contracts/force_field.h>
#include <divan/contracts/mapping.h>
#include <divan/contracts/topology.h>

#include "scene_text.h"

/* The surface of the box from 0.25 to 2.75, in a grid of cells of side 0.5: 6 cells per axis, shell and inside. */
#define BOX                                                                                                      \
    "position='0.25 0.25 0.25  2.75 0.25 0.25  0.25 2.75 0.25  2.75 2.75 0.25  0.25 0.25 2.75  2.75 0.25 2.75  " \
    "0.25 2.75 2.75  2.75 2.75 2.75' triangles='0 2 1 1 2 3  4 5 6 5 7 6' quads='0 1 5 4  2 6 7 3' "             \
    "facets='[[0, 4, 6, 2], [1, 3, 7, 5]]' min='-0.5 -0.5 -0.5' max='3.5 3.5 3.5' "

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

static double corner(const Grid *grid, uint32_t hexahedron, uint32_t node, int axis)
{
    return grid->at[3 * (size_t)grid->hexahedra.at[8 * hexahedron + node] + (size_t)axis];
}

static void cells_are_numbered_boundary_first(void **state)
{
    (void)state;
    Grid grid = load("<Node><SparseGridTopology name='grid' n='9 9 9' " BOX "/></Node>");
    assert_int_equal(grid.hexahedra.count, 6 * 6 * 6);
    assert_int_equal(grid.points, 7 * 7 * 7);
    const float *filled = grid.cells->filled(grid.self);
    for (uint32_t i = 0; i < grid.hexahedra.count; i++) {
        bool inside = true;
        for (int axis = 0; axis < 3; axis++)
            inside = inside && corner(&grid, i, 0, axis) > 0.25 && corner(&grid, i, 6, axis) < 2.75;
        assert_int_equal(inside, i >= 6 * 6 * 6 - 4 * 4 * 4);
        assert_true(filled[i] == (inside ? 1.0F : 0.5F));
        static const double offset[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                            {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
        for (uint32_t node = 0; node < 8; node++)
            for (int axis = 0; axis < 3; axis++)
                assert_true(corner(&grid, i, node, axis) == corner(&grid, i, 0, axis) + 0.5 * offset[node][axis]);
    }
    for (uint32_t i = 1; i < grid.points; i++) { /* along x, then y, then z */
        const double *a = grid.at + 3 * (size_t)(i - 1), *b = a + 3;
        assert_true(a[0] < b[0] || (a[0] == b[0] && (a[1] < b[1] || (a[1] == b[1] && a[2] < b[2]))));
    }
    dv_scene_free(grid.scene);
}

static void the_box_and_the_cells_follow_their_fields(void **state)
{
    (void)state;
    Grid grid = load("<Node><SparseGridTopology name='grid' n='9 9 9' onlyInsideCells='1' " BOX "/></Node>");
    assert_int_equal(grid.hexahedra.count, 4 * 4 * 4);
    dv_scene_free(grid.scene);
    grid = load("<Node><SparseGridTopology name='grid' cellWidth='0.5' " BOX "/></Node>");
    assert_int_equal(grid.hexahedra.count, 6 * 6 * 6);
    dv_scene_free(grid.scene);
    /* A box of its own: the surface and a hundredth of its size. */
    grid = load("<Node><SparseGridTopology name='grid' n='1 1 1' position='1 2 3 2 4 7' fillWeighted='0'/></Node>");
    assert_int_equal(grid.hexahedra.count, 1);
    static const double expected[6] = {0.99, 1.98, 2.96, 2.01, 4.02, 7.04};
    for (int i = 0; i < 6; i++)
        assert_true(fabs(corner(&grid, 0, i < 3 ? 0 : 6, i % 3) - expected[i]) < 1e-12);
    assert_true(grid.cells->filled(grid.self)[0] == 1.0F);
    dv_scene_free(grid.scene);
}

/* The surface of the same box in a file: two triangles for a side, four-sided and five-sided ones. */
static void a_surface_of_a_file_is_that_of_the_lists(void **state)
{
    (void)state;
    static const char box[] =
        "v 0.25 0.25 0.25\nv 2.75 0.25 0.25\nv 0.25 2.75 0.25\nv 2.75 2.75 0.25\n"
        "v 0.25 0.25 2.75\nv 2.75 0.25 2.75\nv 0.25 2.75 2.75\nv 2.75 2.75 2.75\nv 1.5 0.25 0.25\n"
        "f 1 3 2\nf 2 3 4\nf 5 6 7\nf 6 8 7\nf 1 9 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    char name[] = P_tmpdir "/sparse_grid_XXXXXX.obj", text[200];
    const int file = mkstemps(name, 4);
    assert_true(file >= 0 && write(file, box, sizeof box - 1) == (ssize_t)sizeof box - 1 && close(file) == 0);
    snprintf(
        text, sizeof text,
        "<Node><SparseGridTopology name='grid' n='9 9 9' filename='%s' min='-0.5 -0.5 -0.5' max='3.5 3.5 3.5'/></Node>",
        name);
    Grid of_file = load(text), of_lists = load("<Node><SparseGridTopology name='grid' n='9 9 9' " BOX "/></Node>");
    unlink(name);
    assert_int_equal(of_file.points, of_lists.points);
    assert_memory_equal(of_file.at, of_lists.at, 3 * of_lists.points * sizeof(double));
    assert_int_equal(of_file.hexahedra.count, of_lists.hexahedra.count);
    assert_memory_equal(of_file.hexahedra.at, of_lists.hexahedra.at, 8 * of_lists.hexahedra.count * sizeof(uint32_t));
    assert_memory_equal(of_file.cells->filled(of_file.self), of_lists.cells->filled(of_lists.self),
                        of_lists.hexahedra.count * sizeof(float));
    dv_scene_free(of_file.scene);
    dv_scene_free(of_lists.scene);
}

static void finer_levels_keep_what_is_filled(void **state)
{
    (void)state;
    Grid grid = load("<Node><SparseGridTopology name='grid' n='5 5 5' nbVirtualFinerLevels='2' " BOX "/></Node>");
    /* Finest cells of side 0.25: 12 per axis around those from 0.25 to 2.75 that touch the border, 10 half of them inside. */
    const float *filled = grid.cells->filled(grid.self);
    double volume = 0;
    for (uint32_t i = 0; i < grid.hexahedra.count; i++)
        volume += (double)filled[i];
    assert_int_equal(grid.hexahedra.count, 4 * 4 * 4);
    /* Vertices at 0.25 lie in the cell from 0.25 to 0.5, those at 2.75 in that from 2.75 to 3, the search goes no farther: 11 cells
     * per axis, 9 of them inside. */
    assert_true(fabs(volume - (9 * 9 * 9 + 0.5 * (11 * 11 * 11 - 9 * 9 * 9)) / 64) < 1e-6);
    for (uint32_t i = 1; i < grid.hexahedra.count; i++) { /* x outermost */
        const double a[3] = {corner(&grid, i - 1, 0, 0), corner(&grid, i - 1, 0, 1), corner(&grid, i - 1, 0, 2)};
        const double b[3] = {corner(&grid, i, 0, 0), corner(&grid, i, 0, 1), corner(&grid, i, 0, 2)};
        assert_true(a[0] < b[0] || (a[0] == b[0] && (a[1] < b[1] || (a[1] == b[1] && a[2] < b[2]))));
    }
    dv_scene_free(grid.scene);
}

/* Weights of trilinear interpolation reproduce linear functions, also outside the cells. */
static void points_hang_on_the_cells(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root'><SparseGridTopology name='grid' n='9 9 9' onlyInsideCells='0' " BOX "/>"
        "<MechanicalObject name='parent'/><Node name='Child'><MechanicalObject name='mapped' position='0.3 0.4 0.5  1.5 1.6 1.7  "
        "2.9 0.1 2.2  -2 -3 9  -0.4 1 1'/><BarycentricMapping name='map'/></Node></Node>");
    static const double start[15] = {0.3, 0.4, 0.5, 1.5, 1.6, 1.7, 2.9, 0.1, 2.2, -2, -3, 9, -0.4, 1, 1};
    const DvStateRef parent = scene_state(scene, "/parent"), child = scene_state(scene, "/Child/mapped");
    DvVec x = dv_state_write(parent, DV_POSITION, DV_READ_WRITE);
    for (uint32_t i = 0; i < x.count; i++) {
        double *p = x.at + 3 * (size_t)i;
        const double q[3] = {p[0], p[1], p[2]};
        p[0] = 1 + 2 * q[0] - q[1], p[1] = q[2] - 3 * q[0], p[2] = 0.5 * q[1] + q[2];
    }
    DvObject *map = scene_object(scene, "/Child/map");
    const DvMappingOps *ops = dv_object_ops(map, DV_MAPPING);
    const DvConstVec in = dv_state_read(parent, DV_POSITION);
    const DvVec out = dv_state_write(child, DV_POSITION, DV_READ_WRITE);
    ops->apply(dv_object_self(map), &(const DvStep){.dt = 0.01}, &in, &out);
    for (uint32_t i = 0; i < 5; i++) {
        const double *q = start + 3 * (size_t)i, *p = out.at + 3 * (size_t)i;
        assert_true(fabs(p[0] - (1 + 2 * q[0] - q[1])) < 1e-12);
        assert_true(fabs(p[1] - (q[2] - 3 * q[0])) < 1e-12);
        assert_true(fabs(p[2] - (0.5 * q[1] + q[2])) < 1e-12);
    }
    dv_scene_free(scene);
}

static void a_point_outside_hangs_on_the_nearest_boundary_cell(void **state)
{
    (void)state;
    Grid grid = load("<Node><SparseGridTopology name='grid' n='9 9 9' " BOX "/></Node>");
    static const double points[4][3] = {{-3, 1.1, 1.2}, {10, 10, 10}, {1.3, -0.2, 2.2}, {1.4, 1.5, 1.6}};
    for (int p = 0; p < 4; p++) {
        uint32_t found, expected = 0;
        double fraction[3], best = INFINITY;
        bool in_a_cell = false;
        assert_true(grid.cells->locate(grid.self, points[p], &found, fraction));
        for (uint32_t i = 0; i < grid.hexahedra.count && !in_a_cell; i++) {
            double distance = 0;
            in_a_cell = true;
            for (int axis = 0; axis < 3; axis++) {
                const double lower = corner(&grid, i, 0, axis), upper = corner(&grid, i, 6, axis);
                in_a_cell = in_a_cell && points[p][axis] >= lower && points[p][axis] < upper;
                distance += pow(points[p][axis] - 0.5 * (lower + upper), 2);
            }
            if (in_a_cell || distance < best)
                best = distance, expected = i;
        }
        assert_int_equal(found, expected);
        for (int axis = 0; axis < 3; axis++)
            assert_true(fabs(corner(&grid, found, 0, axis) + 0.5 * fraction[axis] - points[p][axis]) < 1e-12);
    }
    dv_scene_free(grid.scene);
}

#define ELASTIC(weighted)                                                                                        \
    "<Node name='root'><DefaultAnimationLoop/><SparseGridTopology name='grid' n='2 2 2' position='0 0 0 1 2 3' " \
    "fillWeighted='" weighted                                                                                    \
    "'/><MechanicalObject name='state'/><HexahedronFEMForceField name='elastic' youngModulus='5000' poissonRatio='0.3'/></Node>"

static void a_half_filled_cell_is_half_as_stiff(void **state)
{
    (void)state;
    double force[2][24] = {{0}};
    for (int weighted = 0; weighted < 2; weighted++) {
        DvScene *scene = scene_from_text(weighted ? ELASTIC("1") : ELASTIC("0"));
        DvObject *field = scene_object(scene, "/elastic");
        const DvForceFieldOps *ops = dv_object_ops(field, DV_FORCE_FIELD);
        const DvStateRef at = scene_state(scene, "/state");
        DvVec x = dv_state_write(at, DV_POSITION, DV_READ_WRITE);
        for (uint32_t i = 0; i < 24; i++)
            x.at[i] *= 1.0 + 0.01 * i;
        const double still[24] = {0};
        ops->add_force(dv_object_self(field), &(const DvStep){.dt = 0.01}, &(const DvConstVec){x.at, 8, 3},
                       &(const DvConstVec){still, 8, 3}, &(const DvVec){force[weighted], 8, 3});
        dv_scene_free(scene);
    }
    double largest = 0;
    for (int i = 0; i < 24; i++) {
        largest = fmax(largest, fabs(force[0][i]));
        assert_true(fabs(force[1][i] - 0.5 * force[0][i]) <= 1e-12 * fabs(force[0][0]) + 1e-9);
    }
    assert_true(largest > 1.0);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    expect_load_error("<Node>\n<SparseGridTopology name='g'/></Node>",
                      "scene.scn:2: SparseGridTopology 'g': no surface to fill; name a mesh in filename");
    expect_load_error("<Node>\n<SparseGridTopology name='g' filename='no.obj'/></Node>", "filename: no file 'no.obj'");
    expect_load_error("<Node>\n<SparseGridTopology name='g' position='0 0 0 1 1 0'/></Node>",
                      "the box from 0 to 0 along z has no extent; give min and max");
    expect_load_error("<Node>\n<SparseGridTopology name='g' position='0 0 0 1 1 1' triangles='0 1 2'/></Node>",
                      "triangles[0]: point 2 of a surface of 2 points");
    expect_load_error(
        "<Node>\n<SparseGridTopology name='g' position='0 0 0 1 1 1' facets='[[0, 1], [1, 0, 7]]'/></Node>",
        "facets[1]: point 7 of a surface of 2 points");
    expect_load_error("<Node>\n<SparseGridTopology name='g' position='0 0 0 1 1 1' nbVirtualFinerLevels='60'/></Node>",
                      "n: the finest level would have more than");
    expect_load_error("<Node>\n<SparseGridTopology name='g' position='0 0 0 1 1 1' onlyInsideCells='1'/></Node>",
                      "no cell is left: the surface encloses none, and onlyInsideCells leaves out those it meets");
}

static void a_surface_that_is_not_finite_is_refused(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node><DefaultAnimationLoop/><MeshTopology name='m' position='0 0 0  1 1 1'/></Node>");
    dv_data_set(dv_object_field(scene_object(scene, "/m"), "position"), (const double[6]){0, NAN, 0, 1, 1, 1}, 2);
    assert_int_equal(dv_object_new(dv_scene_root(scene), "SparseGridTopology", NULL, "position", "@/m.position", NULL),
                     DV_ERROR_NOT_FINITE);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_numbered_boundary_first),
        cmocka_unit_test(the_box_and_the_cells_follow_their_fields),
        cmocka_unit_test(a_surface_of_a_file_is_that_of_the_lists),
        cmocka_unit_test(finer_levels_keep_what_is_filled),
        cmocka_unit_test(points_hang_on_the_cells),
        cmocka_unit_test(a_point_outside_hangs_on_the_nearest_boundary_cell),
        cmocka_unit_test(a_half_filled_cell_is_half_as_stiff),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(a_surface_that_is_not_finite_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
