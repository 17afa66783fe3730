/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What loaders do to a mesh after reading: triangulation, sub-elements, unused points, normals, transformation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "loader/readers.h"
#include <divan/duplicates.h>
#include <math.h>
#include <stdio.h>

static void expect_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not %.17g", value, expected);
}

static DvMesh unit_cube(void)
{
    DvMesh mesh = {0};
    static const double corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                        {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    for (int i = 0; i < 8; i++)
        dv_array_push(&mesh.position, (DvPoint3){{corner[i][0], corner[i][1], corner[i][2]}});
    return mesh;
}

static void a_hexahedron_gets_six_quads_and_twelve_edges(void **state)
{
    (void)state;
    DvMesh mesh = unit_cube();
    dv_array_push(&mesh.hexahedron, (DvHexahedron){{0, 1, 2, 3, 4, 5, 6, 7}});
    dv_array_push(&mesh.edge, (DvEdge){{6, 7}}); /* is there already, in this direction */
    dv_mesh_create_subelements(&mesh);
    static const DvQuad quads[6] = {{{0, 3, 2, 1}}, {{4, 5, 6, 7}}, {{0, 1, 5, 4}},
                                    {{1, 2, 6, 5}}, {{2, 3, 7, 6}}, {{3, 0, 4, 7}}};
    assert_int_equal(mesh.quad.count, 6);
    assert_memory_equal(mesh.quad.data, quads, sizeof quads);
    assert_int_equal(mesh.edge.count, 12);
    static const DvEdge edges[4] = {{{6, 7}}, {{3, 2}}, {{2, 1}}, {{1, 0}}};
    assert_memory_equal(mesh.edge.data, edges, sizeof edges);
    dv_mesh_create_subelements(&mesh); /* nothing is missing any more */
    assert_int_equal(mesh.quad.count + mesh.edge.count, 18);
    dv_mesh_free(&mesh);
}

static void tetrahedra_prisms_and_pyramids_share_their_faces(void **state)
{
    (void)state;
    DvMesh mesh = {0};
    dv_array_resize(&mesh.position, 9);
    dv_array_push(&mesh.prism, (DvPrism){{0, 1, 2, 3, 4, 5}});
    dv_array_push(&mesh.pyramid, (DvPyramid){{0, 1, 4, 3, 6}});      /* its base is a quad of the prism */
    dv_array_push(&mesh.tetrahedron, (DvTetrahedron){{0, 1, 2, 7}}); /* shares the triangle 0 1 2 of the prism */
    dv_mesh_create_subelements(&mesh);
    assert_int_equal(mesh.quad.count, 3);
    assert_int_equal(mesh.triangle.count, 2 + 4 + 3);
    static const DvTriangle first[3] = {{{0, 1, 2}}, {{4, 3, 5}}, {{0, 1, 6}}};
    assert_memory_equal(mesh.triangle.data, first, sizeof first);
    assert_int_equal(mesh.edge.count, 9 + 4 + 3);
    dv_mesh_free(&mesh);
}

static void quads_are_cut_and_flipped_again(void **state)
{
    (void)state;
    DvMesh mesh = unit_cube();
    dv_mesh_add_quad(&mesh, true, 0, 1, 2, 3);
    assert_memory_equal(mesh.quad.data, ((DvQuad){{3, 2, 1, 0}}).at, sizeof(DvQuad));
    dv_mesh_triangulate(&mesh, true);
    static const DvTriangle expected[2] = {{{1, 2, 3}}, {{0, 1, 3}}};
    assert_int_equal(mesh.quad.count, 0);
    assert_int_equal(mesh.triangle.count, 2);
    assert_memory_equal(mesh.triangle.data, expected, sizeof expected);
    dv_mesh_free(&mesh);
}

static void unused_points_go_and_the_others_keep_their_order(void **state)
{
    (void)state;
    DvMesh mesh = unit_cube();
    for (uint32_t i = 0; i < 8; i++) { /* what is given for each point goes with it */
        dv_array_push(&mesh.normal, (DvPoint3){{i, 0.0, 0.0}});
        dv_array_push(&mesh.texcoord, (DvPoint2){{0.0, i}});
    }
    dv_array_push(&mesh.triangle, (DvTriangle){{7, 2, 5}});
    dv_mesh_lists_begin(&mesh.polyline);
    dv_mesh_lists_push(&mesh.polyline, 4);
    dv_mesh_lists_push(&mesh.polyline, 7);
    dv_mesh_keep_attached_positions(&mesh);
    assert_int_equal(mesh.position.count, 4);
    assert_memory_equal(mesh.triangle.data, ((DvTriangle){{3, 0, 2}}).at, sizeof(DvTriangle));
    assert_int_equal(mesh.polyline.value.data[0], 1);
    assert_true(mesh.position.data[1].at[2] == 1.0 && mesh.position.data[1].at[0] == 0.0); /* point 4 */
    static const double kept[4] = {2, 4, 5, 7};
    assert_int_equal(mesh.normal.count, 4);
    assert_int_equal(mesh.texcoord.count, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_true(mesh.normal.data[i].at[0] == kept[i] && mesh.texcoord.data[i].at[1] == kept[i]);
    dv_mesh_free(&mesh);
}

static void normals_are_sums_of_unit_face_normals(void **state)
{
    (void)state;
    DvMesh mesh = unit_cube();
    dv_array_push(&mesh.triangle, (DvTriangle){{0, 1, 3}}); /* +z */
    dv_mesh_add_quad(&mesh, false, 0, 4, 5, 1);             /* along y */
    dv_mesh_update_normals(&mesh);
    assert_int_equal(mesh.normal.count, 8);
    const double *n = mesh.normal.data[0].at;
    expect_near(n[0], 0.0, 1e-15);
    expect_near(fabs(n[1]), sqrt(0.5), 1e-15);
    expect_near(n[2], sqrt(0.5), 1e-15);
    expect_near(mesh.normal.data[3].at[2], 1.0, 1e-15);
    expect_near(mesh.normal.data[7].at[0], 0.0, 0.0); /* no face: stays zero */
    dv_mesh_free(&mesh);

    DvMesh bent = unit_cube();
    dv_mesh_add_quad(&bent, false, 0, 1, 6,
                     3); /* its corner 6 is lifted: each corner has the normal of its own two sides */
    dv_mesh_update_normals(&bent);
    expect_near(bent.normal.data[0].at[2], 1.0, 1e-15);
    expect_near(bent.normal.data[1].at[1], -sqrt(0.5), 1e-15);
    expect_near(bent.normal.data[1].at[2], sqrt(0.5), 1e-15);
    dv_mesh_free(&bent);
}

static void the_matrix_scales_turns_about_x_y_z_and_moves(void **state)
{
    (void)state;
    double m[16];
    dv_mesh_matrix((const double[3]){10, 20, 30}, (const double[3]){90, 0, 90}, (const double[3]){2, 3, 4}, m);
    DvMesh mesh = {0};
    dv_array_push(&mesh.position, (DvPoint3){{1, 1, 1}});
    assert_true(dv_mesh_transform(&mesh, m));
    /* scale (2, 3, 4); about x by 90: (2, -4, 3); about z by 90: (4, 2, 3); move */
    const double expected[3] = {14, 22, 33};
    for (int i = 0; i < 3; i++)
        expect_near(mesh.position.data[0].at[i], expected[i], 1e-14);
    for (int i = 12; i < 16; i++) { /* no matrix that moves points */
        const double kept = m[i];
        m[i] += 2;
        assert_false(dv_mesh_transform(&mesh, m));
        expect_near(mesh.position.data[0].at[0], 14, 1e-14);
        m[i] = kept;
    }
    /* any matrix, each of its numbers */
    static const double any[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 0, 0, 0, 1};
    const double p[3] = {0.5, -0.25, 4};
    dv_array_push(&mesh.position, (DvPoint3){{p[0], p[1], p[2]}});
    assert_true(dv_mesh_transform(&mesh, any));
    for (int row = 0; row < 3; row++) {
        double sum = any[4 * row + 3];
        for (int c = 0; c < 3; c++)
            sum += any[4 * row + c] * p[c];
        expect_near(mesh.position.data[1].at[row], sum, 1e-13);
    }
    /* about one axis after the other, each by an angle of its own */
    static const double angles[3] = {20, -35, 50};
    double turn[3][16], product[9];
    for (int axis = 0; axis < 3; axis++) {
        double alone[3] = {0};
        alone[axis] = angles[axis];
        dv_mesh_matrix((const double[3]){0}, alone, (const double[3]){1, 1, 1}, turn[axis]);
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        const double angle = angles[axis] * M_PI / 180;
        expect_near(turn[axis][5 * axis], 1, 1e-15);
        expect_near(turn[axis][4 * u + u], cos(angle), 1e-15);
        expect_near(turn[axis][4 * v + u], sin(angle), 1e-15);
        expect_near(turn[axis][4 * u + v], -sin(angle), 1e-15);
    }
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) {
            product[3 * row + column] = 0;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    product[3 * row + column] += turn[2][4 * row + i] * turn[1][4 * i + j] * turn[0][4 * j + column];
        }
    dv_mesh_matrix((const double[3]){1, 2, 3}, angles, (const double[3]){2, 3, 4}, m);
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++)
            expect_near(m[4 * row + column], product[3 * row + column] * (2 + column), 1e-14);
        expect_near(m[4 * row + 3], 1 + row, 0);
    }
    dv_mesh_free(&mesh);
}

/* Elements of second order are read as linear ones, and their other nodes are in the middle of nothing. */
static void middles_of_second_order_elements_are_loose(void **state)
{
    (void)state;
    static const struct {
        int gmsh, vtk, nodes, corners;
        DvMeshKind kind;
    } types[] = {{8, 21, 3, 2, DV_MESH_EDGE},          {9, 22, 6, 3, DV_MESH_TRIANGLE},
                 {10, 28, 9, 4, DV_MESH_QUAD},         {16, 23, 8, 4, DV_MESH_QUAD},
                 {11, 24, 10, 4, DV_MESH_TETRAHEDRON}, {12, 29, 27, 8, DV_MESH_HEXAHEDRON},
                 {17, 25, 20, 8, DV_MESH_HEXAHEDRON}};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int format = 0; format < 3; format++) {
            char points[1024] = "", nodes[128] = "", text[4096];
            for (int i = 0; i < types[t].nodes; i++) {
                snprintf(points + strlen(points), sizeof points - strlen(points), "%s%.0d %d %d 0\n", "",
                         format ? 0 : i + 1, i, i * i);
                snprintf(nodes + strlen(nodes), sizeof nodes - strlen(nodes), " %d", format ? i : i + 1);
            }
            const int n = types[t].nodes;
            if (format == 0)
                snprintf(
                    text, sizeof text,
                    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n%s$EndNodes\n$Elements\n1\n1 %d 2 1 1%s\n$EndElements\n",
                    n, points, types[t].gmsh, nodes);
            else if (format == 1)
                snprintf(
                    text, sizeof text,
                    "# vtk DataFile Version 3.0\na\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS %d double\n%sCELLS 1 %d\n%d%s\n"
                    "CELL_TYPES 1\n%d\n",
                    n, points, n + 1, n, nodes, types[t].vtk);
            else
                snprintf(
                    text, sizeof text,
                    "<?xml version='1.0'?><VTKFile type='UnstructuredGrid' version='0.1' byte_order='LittleEndian'><UnstructuredGrid>"
                    "<Piece NumberOfPoints='%d' NumberOfCells='1'><Points><DataArray type='Float64' NumberOfComponents='3' "
                    "format='ascii'>%s</DataArray></Points><Cells><DataArray type='Int32' Name='connectivity' format='ascii'>%s"
                    "</DataArray><DataArray type='Int32' Name='offsets' format='ascii'>%d</DataArray><DataArray type='UInt8' "
                    "Name='types' format='ascii'>%d</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>",
                    n, points, nodes, n, types[t].vtk);
            DvMesh mesh = {0};
            DvMeshReport report = {0};
            const bool good = format == 0 ? dv_mesh_read_gmsh(text, strlen(text), &mesh, &report)
                                          : mesh_read_vtk(text, strlen(text), &(DvMeshOptions){0}, &mesh, &report);
            if (!good)
                fail_msg("type %d, format %d: %s", format ? types[t].vtk : types[t].gmsh, format, report.error);
            DvWorst loose = {0};
            dv_mesh_loose_middles(&mesh, &loose);
            assert_int_equal(mesh.position.count, n); /* points and numbers stay */
            assert_int_equal(loose.count, n - types[t].corners);
            assert_int_equal(loose.index[0], types[t].corners);
            dv_mesh_keep_attached_positions(&mesh);
            assert_int_equal(mesh.position.count, types[t].corners);
            assert_int_equal(mesh.high_order_edge.count + mesh.middle.count, 0);
            for (int i = 0; i < types[t].corners; i++)
                expect_near(mesh.position.data[i].at[1], i * i, 0.0);
            dv_mesh_free(&mesh);
        }
}

/* Two tetrahedra that were meshed one by one, with the face between them in each. */
static void points_in_one_place_become_one(void **state)
{
    (void)state;
    DvMesh mesh = {0};
    static const double at[9][3] = {{9, 9, 9},    {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1},
                                    {1, 0, 1e-7}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    for (int i = 0; i < 9; i++) {
        dv_array_push(&mesh.position, (DvPoint3){{at[i][0], at[i][1], at[i][2]}});
        dv_array_push(&mesh.texcoord, (DvPoint2){{i, -i}});
    }
    dv_array_push(&mesh.tetrahedron, (DvTetrahedron){{1, 2, 3, 4}});
    dv_array_push(&mesh.tetrahedron, (DvTetrahedron){{2, 5, 3, 8}}); /* collapses */
    dv_array_push(&mesh.tetrahedron, (DvTetrahedron){{5, 6, 7, 8}});
    dv_array_push(&mesh.tetrahedron, (DvTetrahedron){{8, 7, 6, 2}}); /* is the one before then */
    dv_array_push(&mesh.triangle, (DvTriangle){{2, 3, 4}});
    dv_array_push(&mesh.triangle, (DvTriangle){{7, 6, 5}}); /* is the one before then */
    dv_array_push(&mesh.triangle, (DvTriangle){{6, 7, 8}});
    dv_array_push(&mesh.group[DV_MESH_TETRAHEDRON], (DvMeshRange){.first = 0, .count = 2});
    dv_array_push(&mesh.group[DV_MESH_TETRAHEDRON], (DvMeshRange){.first = 2, .count = 1});
    dv_array_push(&mesh.group[DV_MESH_TRIANGLE], (DvMeshRange){.first = 1, .count = 2});
    assert_int_equal(dv_mesh_merge_positions(&mesh, 1e-9).points, 2); /* the third pair is farther apart */
    assert_int_equal(mesh.position.count, 7);
    const DvMeshMerge merge = dv_mesh_merge_positions(&mesh, 1e-6);
    assert_true(merge.points == 1 && merge.collapsed == 1 && merge.repeated == 1); /* tetrahedra alone are counted */
    assert_true(merge.pair[0][0] == 2 && merge.pair[0][1] == 5);
    assert_int_equal(mesh.position.count, 6);
    static const DvTetrahedron tetrahedra[2] = {{{1, 2, 3, 4}}, {{2, 3, 4, 5}}};
    assert_int_equal(mesh.tetrahedron.count, 2);
    assert_memory_equal(mesh.tetrahedron.data, tetrahedra, sizeof tetrahedra);
    static const DvTriangle triangles[2] = {{{2, 3, 4}}, {{3, 4, 5}}};
    assert_int_equal(mesh.triangle.count, 2);
    assert_memory_equal(mesh.triangle.data, triangles, sizeof triangles);
    const DvMeshRange *group = mesh.group[DV_MESH_TETRAHEDRON].data;
    assert_true(group[0].first == 0 && group[0].count == 1 && group[1].first == 1 && group[1].count == 1);
    assert_true(mesh.group[DV_MESH_TRIANGLE].data[0].first == 1 && mesh.group[DV_MESH_TRIANGLE].data[0].count == 1);
    expect_near(mesh.texcoord.data[5].at[0], 8.0, 0.0);
    static const uint32_t of_file[6] = {0, 1, 2, 3, 4, 8};
    assert_memory_equal(mesh.of_file.data, of_file, sizeof of_file);
    dv_mesh_free(&mesh);
}

/* The same as comparing all with all, at lengths around that between the points. */
static void merging_is_what_comparing_all_with_all_gives(void **state)
{
    (void)state;
    enum { COUNT = 400 };
    double x[COUNT][3];
    uint32_t first[COUNT], seed = 7;
    for (int i = 0; i < COUNT; i++)
        for (int c = 0; c < 3; c++) {
            seed = seed * 1664525u + 1013904223u;
            x[i][c] = (double)(seed >> 8) / (1 << 24) - 0.5;
        }
    for (double within = 1e-6; within < 2.0; within *= 3.0) {
        uint32_t expected[COUNT], merged = 0;
        for (uint32_t i = 0; i < COUNT; i++) {
            expected[i] = i;
            for (uint32_t j = 0; j < i && expected[i] == i; j++)
                if (expected[j] == j && hypot(hypot(x[i][0] - x[j][0], x[i][1] - x[j][1]), x[i][2] - x[j][2]) <= within)
                    expected[i] = j;
            merged += expected[i] != i;
        }
        assert_int_equal(dv_same_places(x[0], 3, COUNT, within, first), merged);
        assert_memory_equal(first, expected, sizeof first);
    }
    assert_int_equal(dv_same_places(x[0], 3, COUNT, 0.0, first), 0);
    x[5][1] = NAN;
    assert_int_equal(dv_same_places(x[0], 3, COUNT, 1e-12, first), 0);
}

static void elements_of_the_same_points_are_found(void **state)
{
    (void)state;
    static const uint32_t tetrahedra[5][4] = {{0, 1, 2, 3}, {4, 1, 2, 3}, {3, 2, 1, 0}, {3, 4, 2, 1}, {0, 1, 2, 4}};
    uint32_t first[5];
    assert_int_equal(dv_same_elements(tetrahedra[0], 4, 5, first), 2);
    static const uint32_t expected[5] = {0, 1, 0, 1, 4};
    assert_memory_equal(first, expected, sizeof first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(middles_of_second_order_elements_are_loose),
        cmocka_unit_test(points_in_one_place_become_one),
        cmocka_unit_test(merging_is_what_comparing_all_with_all_gives),
        cmocka_unit_test(elements_of_the_same_points_are_found),
        cmocka_unit_test(a_hexahedron_gets_six_quads_and_twelve_edges),
        cmocka_unit_test(tetrahedra_prisms_and_pyramids_share_their_faces),
        cmocka_unit_test(quads_are_cut_and_flipped_again),
        cmocka_unit_test(unused_points_go_and_the_others_keep_their_order),
        cmocka_unit_test(normals_are_sums_of_unit_face_normals),
        cmocka_unit_test(the_matrix_scales_turns_about_x_y_z_and_moves),
    };
    return cmocka_run_group_tests_name("mesh processing", tests, NULL, NULL);
}
