/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshGroup: named groups of Gmsh, OBJ and VTK files, by their points and elements, and what is said of groups that are not there.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <divan/divan.h>
#include <divan/scene.h>

#include <divan/kit/mesh_types.h>

#include "scene_text.h"

/* A square of four triangles around its middle, and its four sides as lines: the physical groups lie across one another. */
#define NODES_2 "$Nodes\n5\n11 0 0 0\n12 1 0 0\n13 1 1 0\n14 0 1 0\n20 0.5 0.5 0\n$EndNodes\n"
static const char gmsh_2[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n1 1 \"left and right\"\n2 2 \"sheet\"\n2 3 \"half\"\n$EndPhysicalNames\n" NODES_2
    "$Elements\n9\n"
    "1 1 2 7 1 11 12\n2 1 2 1 2 12 13\n3 1 2 7 3 13 14\n4 1 2 1 4 14 11\n"
    "5 2 2 2 5 11 12 20\n6 2 2 3 5 12 13 20\n7 2 2 2 5 13 14 20\n8 2 2 3 5 14 11 20\n9 15 2 9 1 20\n$EndElements\n";
/* The same by entities: surface 1 is in two groups, surface 2 in one. */
static const char gmsh_4[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n1 1 \"left and right\"\n2 2 \"sheet\"\n2 3 \"half\"\n$EndPhysicalNames\n"
    "$Entities\n1 2 2 0\n1 0.5 0.5 0 1 9\n"
    "1 0 0 0 1 0 0 1 7 0\n2 1 0 0 1 1 0 1 1 0\n"
    "1 0 0 0 1 1 0 2 2 3 0\n2 0 0 0 1 1 0 1 2 1 1\n$EndEntities\n"
    "$Nodes\n1 5 11 20\n2 1 0 5\n11\n12\n13\n14\n20\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0.5 0.5 0\n$EndNodes\n"
    "$Elements\n5 9 1 9\n0 1 15 1\n9 20\n1 1 1 2\n1 11 12\n3 13 14\n1 2 1 2\n2 12 13\n4 14 11\n"
    "2 1 2 2\n6 12 13 20\n8 14 11 20\n2 2 2 2\n5 11 12 20\n7 13 14 20\n$EndElements\n";
static const char obj[] =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 2 1 0\ng left whole\nf 1 2 3 4\ng right whole\nf 2 5 6\nf 2 6 3\n"
    "g left whole\nf 4 3 1\n";
static const char vtk[] =
    "# vtk DataFile Version 2.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 float\n0 0 0 1 0 0 1 1 0 0 1 0 2 0 0 2 1 0\n"
    "CELLS 3 12\n3 1 4 5\n3 1 5 2\n3 0 1 2\nCELL_TYPES 3\n5\n5\n5\nCELL_DATA 3\nSCALARS region int 1\nLOOKUP_TABLE default\n3 3 8\n";

static char folder[] = "/tmp/divan-groups-XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static char *scene_of(const char *loader, const char *file, const char *more, const char *group)
{
    static char text[1024];
    snprintf(
        text, sizeof text,
        "<Node><DefaultAnimationLoop/><%s name='loader' filename='%s/%s' %s/><MeshGroup name='it' group='%s'/></Node>",
        loader, folder, file, more, group);
    return text;
}

static void expect(const DvScene *scene, const char *field, const char *numbers)
{
    DvText printed = {0};
    dv_data_print(dv_object_field(scene_object(scene, "/it"), field), &printed);
    if (strcmp(printed.at ? printed.at : "", numbers) != 0)
        fail_msg("%s: '%s' instead of '%s'", field, printed.at ? printed.at : "", numbers);
    dv_text_free(&printed);
}

static void physical_groups_are_found_by_name_and_number(void **state)
{
    (void)state;
    static const char *const files[] = {"two.msh", "four.msh"};
    write_file("two.msh", gmsh_2);
    write_file("four.msh", gmsh_4);
    for (int i = 0; i < 2; i++) {
        DvScene *scene = scene_from_text(scene_of("MeshGmshLoader", files[i], "", "left and right"));
        expect(scene, "edgeIndices", i == 0 ? "1 3" : "2 3");
        expect(scene, "triangleIndices", "");
        expect(scene, "indices", "0 1 2 3");
        expect(scene, "nbIndices", "4");
        dv_scene_free(scene);
        scene = scene_from_text(scene_of("MeshGmshLoader", files[i], "", "half"));
        expect(scene, "triangleIndices", i == 0 ? "1 3" : "0 1");
        expect(scene, "indices", "0 1 2 3 4");
        dv_scene_free(scene);
        scene = scene_from_text(scene_of("MeshGmshLoader", files[i], "", "sheet"));
        expect(scene, "triangleIndices", i == 0 ? "0 2" : "0 1 2 3"); /* of two groups of one surface, each has all */
        dv_scene_free(scene);
        scene = scene_from_text(scene_of("MeshGmshLoader", files[i], "", "7")); /* without a name */
        expect(scene, "edgeIndices", i == 0 ? "0 2" : "0 1");
        dv_scene_free(scene);
        scene = scene_from_text(scene_of("MeshGmshLoader", files[i], "", "9")); /* a point */
        expect(scene, "indices", "4");
        dv_scene_free(scene);
    }
}

static void groups_of_faces_may_be_in_pieces(void **state)
{
    (void)state;
    write_file("groups.obj", obj);
    DvScene *scene = scene_from_text(scene_of("MeshOBJLoader", "groups.obj", "", "left"));
    expect(scene, "quadIndices", "0");
    expect(scene, "triangleIndices", "2");
    expect(scene, "indices", "0 1 2 3");
    dv_scene_free(scene);
    scene = scene_from_text(scene_of("MeshOBJLoader", "groups.obj", "", "whole"));
    expect(scene, "triangleIndices", "0 1 2");
    expect(scene, "nbIndices", "6");
    dv_scene_free(scene);
    expect_load_error(scene_of("MeshOBJLoader", "groups.obj", "triangulate='1'", "left"),
                      "the loader '/loader' cuts the quads of the file");
    write_file("pentagon.obj",
               "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv -1 0.5 0\nv 2 0 0\ng a\nf 1 2 3 4 5\ng b\nf 1 2 6\n");
    expect_load_error(scene_of("MeshOBJLoader", "pentagon.obj", "", "b"),
                      "has faces of more than four corners, which are cut");
}

static void cells_are_grouped_by_an_array(void **state)
{
    (void)state;
    write_file("cells.vtk", vtk);
    DvScene *scene = scene_from_text(scene_of("MeshVTKLoader", "cells.vtk", "", "region=3"));
    expect(scene, "triangleIndices", "0 1");
    expect(scene, "indices", "1 2 4 5");
    /* Another group, chosen later. */
    DvObject *group = scene_object(scene, "/it");
    assert_int_equal(dv_data_set_text(dv_object_field(group, "group"), "region=8"), DV_OK);
    expect(scene, "triangleIndices", "2");
    expect(scene, "indices", "0 1 2");
    dv_scene_free(scene);
}

static void what_is_not_there_is_said(void **state)
{
    (void)state;
    write_file("two.msh", gmsh_2);
    write_file("groups.obj", obj);
    write_file("cells.vtk", vtk);
    expect_load_error(scene_of("MeshGmshLoader", "two.msh", "", "haf"),
                      "has no group 'haf'; it has left and right, sheet, half");
    expect_load_error(scene_of("MeshOBJLoader", "groups.obj", "", "middle"),
                      "has no group 'middle'; it has right whole, left whole");
    expect_load_error(scene_of("MeshVTKLoader", "cells.vtk", "", "zone=1"), "has no group 'zone=1'; it has region=...");
    expect_load_error(scene_of("MeshGmshLoader", "two.msh", "", ""), "group: is empty; name a group of the file");
    expect_load_error("<Node><MeshGroup group='a'/></Node>", "there is no loader in its node; add one before it");
}

/* Two instances of a bar of two beams, the second turned over (x to -x) and 10 higher. */
static const char abaqus[] =
    "*HEADING\nbars\n*PART, NAME=bar\n*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n5, 2, 0, 0\n*ELEMENT, TYPE=B31, ELSET=all\n1, 1, 2\n7, 2, 5\n"
    "*NSET, NSET=ends\n1, 5\n*ELSET, ELSET=last\n7\n*END PART\n*ASSEMBLY, NAME=both\n*INSTANCE, NAME=low, PART=bar\n"
    "*END INSTANCE\n*INSTANCE, NAME=high, PART=bar\n0, 0, 10\n0, 0, 0, 0, 0, 1, 180\n*END INSTANCE\n"
    "*NSET, NSET=tip, INSTANCE=high\n5\n*NSET, NSET=every, INSTANCE=low, GENERATE\n1, 5, 2\n*END ASSEMBLY\n";

static void sets_of_abaqus_are_of_one_instance_or_of_all(void **state)
{
    (void)state;
    static const struct {
        const char *group, *points, *edges;
    } cases[] = {{"ends", "0 2 3 5", ""},   {"low.ends", "0 2", ""}, {"High.Ends", "3 5", ""},         {"tip", "5", ""},
                 {"high.last", "4 5", "3"}, {"every", "0 2", ""},    {"all", "0 1 2 3 4 5", "0 1 2 3"}};
    write_file("bars.inp", abaqus);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvScene *scene = scene_from_text(scene_of("MeshAbaqusLoader", "bars.inp", "", cases[i].group));
        expect(scene, "indices", cases[i].points);
        expect(scene, "edgeIndices", cases[i].edges);
        const double *x = dv_data_doubles(dv_object_field(scene_object(scene, "/loader"), "position"), NULL);
        assert_true(fabs(x[15] + 2.0) < 1e-15 && fabs(x[16]) < 1e-15 && x[17] == 10.0);
        dv_scene_free(scene);
    }
    expect_load_error(scene_of("MeshAbaqusLoader", "bars.inp", "", "low.tip"), "has no group 'low.tip'");
}

/* Of families that are no body, and of a number of points that no element of a body has. */
static void other_types_of_abaqus_are_left_out(void **state)
{
    (void)state;
    write_file("others.inp", "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 2, 0, 0\n*ELEMENT, TYPE=SPRINGA\n1, 1, 2\n"
                             "*ELEMENT, TYPE=C3D7\n2, 1, 2, 3, 1, 2, 3, 1\n*ELEMENT, TYPE=B31, ELSET=all\n3, 2, 3\n");
    DvScene *scene = scene_from_text(scene_of("MeshAbaqusLoader", "others.inp", "", "all"));
    expect(scene, "indices", "1 2");
    expect(scene, "edgeIndices", "0");
    static const char *const lists[] = {"edges", "triangles", "quads", "tetrahedra", "hexahedra"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        DvText printed = {0};
        dv_data_print(dv_object_field(scene_object(scene, "/loader"), lists[i]), &printed);
        assert_string_equal(printed.at ? printed.at : "", i == 0 ? "1 2" : "");
        dv_text_free(&printed);
    }
    dv_scene_free(scene);
}

static void thousands_of_groups_are_read(void **state)
{
    (void)state;
    enum { GROUPS = 5000 };
    DvText text = {0};
    for (int i = 0; i <= GROUPS; i++)
        dv_text_add(&text, "v %d 0 0\nv %d 1 0\n", i, i);
    for (int i = 0; i < GROUPS; i++)
        dv_text_add(&text, "g part%d\nf %d %d %d\nf %d %d %d\n", i, 2 * i + 1, 2 * i + 3, 2 * i + 4, 2 * i + 1,
                    2 * i + 4, 2 * i + 2);
    write_file("many.obj", text.at);
    dv_text_free(&text);
    DvScene *scene = scene_from_text(scene_of("MeshOBJLoader", "many.obj", "", "part4321"));
    expect(scene, "triangleIndices", "8642 8643");
    expect(scene, "indices", "8642 8643 8644 8645");
    dv_scene_free(scene);
}

static int start_files(void **state)
{
    return mkdtemp(folder) ? start_plugins(state) : 1;
}

/* Two triangles over a square, one on each side of the diagonal from 0 to 2. */
static void regions_lie_within_a_group(void **state)
{
    (void)state;
    write_file("sides.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\ng right\nf 1 2 3\ng left\nf 1 3 4\n");
    static char text[2048];
    (void)snprintf(
        text, sizeof text,
        "<Node name='root'><MeshOBJLoader name='loader' filename='%s/sides.obj'/><MeshTopology src='@loader'/>"
        "<BoxROI name='box' group='@left' box='-1 -1 -1 2 2 2' drawROI='0'/>"
        "<MeshGroup name='left' group='left'/><MeshGroup name='right' group='right'/>"
        "<SphereROI name='sphere' group='@left' centers='1 0.5 0' radii='0.6'/>"
        "<PlaneROI name='plane' group='@left' plane='-1 -1 0  2 -1 0  2 2 0  1'/>"
        "<PairBoxROI name='pair' group='@left' inclusiveBox='-1 -1 -1 2 2 2' includedBox='-1 0.5 -1 0.5 2 1'/>"
        "<ProximityROI name='near' group='@left' position='@loader.position' centers='1 0 0' radii='5' N='2'/>"
        "<MeshBoundaryROI name='border' group='@left'/>"
        "<ComplementaryROI name='rest' group='@left' position='@loader.position' nbSet='1' setIndices1='0'/>"
        "<SelectLabelROI name='label' group='@left' labels='[1] [1] [1]' selectLabels='1'/>"
        "<BoxROI name='both' group='@box' box='0.5 -1 -1 2 2 2'/></Node>",
        folder);
    static const char *const expected[][3] = {
        {"/box", "indices", "0 2 3"}, {"/box", "triangleIndices", "1"},   {"/box", "indicesOut", "1"},
        {"/sphere", "indices", "2"},  {"/sphere", "triangleIndices", ""}, {"/plane", "triangleIndices", "1"},
        {"/pair", "indices", "0 2"},  {"/near", "indices", "0 2"},        {"/border", "indices", "0 2 3"},
        {"/rest", "indices", "2 3"},  {"/label", "indices", "0 2"},       {"/both", "indices", "2"},
    };
    DvScene *scene = scene_from_text(text);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        DvText printed = {0};
        dv_data_print(dv_object_field(scene_object(scene, expected[i][0]), expected[i][1]), &printed);
        if (strcmp(printed.at ? printed.at : "", expected[i][2]) != 0)
            fail_msg("%s.%s: '%s' instead of '%s'", expected[i][0], expected[i][1], printed.at ? printed.at : "",
                     expected[i][2]);
        dv_text_free(&printed);
    }
    DvData *group = dv_object_field(scene_object(scene, "/left"), "group"); /* who stands on it follows */
    assert_int_equal(dv_data_set_text(group, "right"), DV_OK);
    size_t count;
    const uint32_t *indices = dv_data_uints(dv_object_field(scene_object(scene, "/box"), "indices"), &count);
    assert_int_equal(count, 3);
    assert_int_equal(indices[1], 1);
    (void)dv_data_uints(dv_object_field(scene_object(scene, "/both"), "indices"), &count);
    assert_int_equal(count, 2);
    dv_scene_free(scene);
}

static void a_group_is_a_region(void **state)
{
    (void)state;
    expect_load_error("<Node name='root'><ComplementaryROI name='c' group='@c' position='0 0 0'/></Node>",
                      "leads to the region itself; name a MeshGroup or a region");
    expect_load_error("<Node name='root'><ComplementaryROI name='c' group='@../x' position='0 0 0'/></Node>",
                      "leads to nothing");
    expect_load_error("<Node name='root'><MathOp name='m' nbInputs='0'/><ComplementaryROI name='c' group='@m' "
                      "position='0 0 0'/></Node>",
                      "'/m' is no region: it has no output 'indices'");
}

/* As text, and back: blanks belong to names, an empty name is one. */
static void names_keep_their_blanks(void **state)
{
    (void)state;
    write_file("blanks.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\ng left  and\tright\nf 1 2 3\ng back\\slash\nusemtl wood\nf 3 2 1\n");
    DvScene *scene = scene_from_text(scene_of("MeshOBJLoader", "blanks.obj", "", "left and right"));
    DvText text = {0}, again = {0};
    DvData *groups = dv_object_field(scene_object(scene, "/loader"), "trianglesGroups");
    dv_data_print(groups, &text);
    assert_string_equal(text.at, "left\\ and\\ right _ -1 0 1 back\\\\slash wood -1 1 1");
    void *value = NULL;
    size_t count = 0;
    DvText problem = {0};
    assert_int_equal(dv_mesh_type_groups.parse(&dv_mesh_type_groups, text.at, &value, &count, &problem), DV_OK);
    assert_int_equal(count, 2);
    const DvGroupValue *group = value;
    assert_string_equal(group[0].name, "left and right");
    assert_string_equal(group[0].material, "");
    assert_string_equal(group[1].name, "back\\slash");
    assert_string_equal(group[1].material, "wood");
    dv_mesh_type_groups.print(&dv_mesh_type_groups, value, count, &again);
    assert_string_equal(again.at, text.at);
    const char *at = "_x y\\";
    char name[4];
    assert_true(dv_mesh_read_name(&at, name, sizeof name) && strcmp(name, "_x") == 0);
    assert_true(dv_mesh_read_name(&at, name, sizeof name) && strcmp(name, "y\\") == 0);
    assert_false(dv_mesh_read_name(&at, name, sizeof name));
    dv_free(value);
    dv_text_free(&text), dv_text_free(&again), dv_text_free(&problem);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(physical_groups_are_found_by_name_and_number),
        cmocka_unit_test(groups_of_faces_may_be_in_pieces),
        cmocka_unit_test(cells_are_grouped_by_an_array),
        cmocka_unit_test(what_is_not_there_is_said),
        cmocka_unit_test(sets_of_abaqus_are_of_one_instance_or_of_all),
        cmocka_unit_test(other_types_of_abaqus_are_left_out),
        cmocka_unit_test(thousands_of_groups_are_read),
        cmocka_unit_test(regions_lie_within_a_group),
        cmocka_unit_test(a_group_is_a_region),
        cmocka_unit_test(names_keep_their_blanks),
    };
    return cmocka_run_group_tests(tests, start_files, stop_plugins);
}
