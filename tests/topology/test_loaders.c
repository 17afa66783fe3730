/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loaders and regions in scenes: fields, options, `src`, links, saving, and what wrong files and regions are told.
 */
#include <divan/registry.h>

#include "scene_text.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <divan/contracts/state.h>
#include <divan/contracts/topology.h>
#include <divan/math/vec.h>
#include <divan/plugin.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = P_tmpdir "/divan-loaders-XXXXXX";

static const char *const files[][2] = {
    {"sheet.obj",
     "mtllib sheet.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 7 7 7\nvt 0 0\nvt 1 1\nvn 0 0 1\nusemtl red\n"
     "f 1/1/1 2/2/1 3/2/1\nusemtl blue\nf 1/2/1 2/1/1 3/1/1 4/1/1\n"},
    {"sheet.mtl", "newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\nNs 3\n"},
    {"two.msh",
     "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n"
     "$Elements\n2\n1 4 1 3 1 2 3 4\n2 4 1 8 2 3 4 5\n$EndElements\n"},
    {"broken.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0\n"},
    {"cube.vtk",
     "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 double\n"
     "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1\nCELLS 1 9\n8 0 1 2 3 4 5 6 7\nCELL_TYPES 1\n12\n"
     "POINT_DATA 8\nSCALARS heat%20here float\nLOOKUP_TABLE default\n1 2 3 4 5 6 7 8\n"
     "FIELD more 3\nstamp 1 2 double\n4.5 5.5\nposition 3 8 double\n0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\nmark 1 8 int\n8 7 6 5 4 3 2 1\n"},
    {"balls.sph", "title\nnums 2\nsphe 1 1 0 0 .5\nsphe 2 0 1 0 .25\n"},
    {"parted.trian",
     "6\n0 0 0\n2 0 0\n0 2 0\n1 0 0\n1 1 0\n0 1 0\n4\n0 3 5 3 -1 -1\n3 1 4 -1 3 -1\n5 4 2 -1 -1 3\n3 4 5 2 0 1\n"},
    {"empty.obj", ""},
};

static int write_files(void **state)
{
    (void)state;
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return -1;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        FILE *file = fopen(files[i][0], "w");
        if (!file || fputs(files[i][1], file) < 0 || fclose(file) != 0)
            return -1;
    }
    return 0;
}

static int remove_files(void **state)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        (void)remove(files[i][0]);
    (void)remove("saved.scn");
    if (chdir("/") == 0)
        (void)rmdir(folder);
    return stop_plugins(state);
}

#define SCENE(...) "<Node name='root'><DefaultAnimationLoop/>" __VA_ARGS__ "</Node>"

static void expect_field(const DvScene *scene, const char *path, const char *field, const char *expected)
{
    DvText text = {0};
    DvData *data = dv_object_field(scene_object(scene, path), field);
    if (!data)
        fail_msg("%s has no field %s", path, field);
    dv_data_print(data, &text);
    assert_string_equal(text.at ? text.at : "", expected);
    dv_text_free(&text);
}

static size_t count_of(const DvScene *scene, const char *path, const char *field)
{
    DvData *data = dv_object_field(scene_object(scene, path), field);
    assert_non_null(data);
    (void)dv_data_read(data);
    return data->count;
}

static void an_obj_loader_fills_all_its_fields(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE("<MeshOBJLoader name='l' filename='sheet.obj' computeMaterialFaces='1'/>"));
    expect_field(scene, "/l", "position", "0 0 0 1 0 0 1 1 0 0 1 0 7 7 7");
    expect_field(scene, "/l", "triangles", "0 1 2");
    expect_field(scene, "/l", "quads", "0 1 2 3");
    expect_field(scene, "/l", "edges", "");
    expect_field(scene, "/l", "normals", "0 0 1 0 0 1 0 0 1 0 0 1 0 0 0");
    expect_field(scene, "/l", "trianglesGroups", "Default_Group red 0 0 1");
    expect_field(scene, "/l", "quadsGroups", "Default_Group blue 1 0 1");
    expect_field(scene, "/l", "faceList", "[[0, 1, 2], [0, 1, 2, 3]]");
    expect_field(scene, "/l", "texcoordsIndex", "[[0, 1, 1], [1, 0, 0, 0]]");
    expect_field(scene, "/l", "normalsIndex", "[[0, 0, 0], [0, 0, 0, 0]]");
    expect_field(scene, "/l", "texcoordsDefinition", "0 0 1 1");
    expect_field(scene, "/l", "normalsDefinition", "0 0 1");
    expect_field(scene, "/l", "positionsDefinition", "0 0 0 1 0 0 1 1 0 0 1 0 7 7 7");
    expect_field(scene, "/l", "material",
                 "red Diffuse 1 1 0 0 1 Ambient 1 0.2 0.2 0.2 1 Specular 0 1 1 1 1 Emissive 0 0 0 0 0 Shininess 0 45");
    assert_int_equal(count_of(scene, "/l", "materials"), 2);
    assert_int_equal(count_of(scene, "/l", "texcoords"), 5);
    expect_field(scene, "/l", "faces_blue", "1");
    expect_field(scene, "/l", "vertPosIdx", "");
    dv_scene_free(scene);
}

static void the_material_of_a_file_without_one_is_the_default(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE("<MeshOBJLoader name='l' filename='sheet.obj' loadMaterial='0'/>"));
    expect_field(scene, "/l", "defaultMaterial",
                 "Default Diffuse 1 0.75 0.75 0.75 1 Ambient 1 0.2 0.2 0.2 1 Specular 0 1 1 1 1 Emissive 0 0 0 0 0 "
                 "Shininess 0 45");
    dv_scene_free(scene);
}

static void options_of_loaders_change_what_they_give(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE(
        "<MeshOBJLoader name='flip' filename='sheet.obj' flipNormals='1'/>"
        "<MeshOBJLoader name='cut' filename='sheet.obj' triangulate='1'/>"
        "<MeshOBJLoader name='parts' filename='sheet.obj' createSubelements='1'/>"
        "<MeshOBJLoader name='used' filename='sheet.obj' onlyAttachedPoints='1'/>"
        "<MeshOBJLoader name='seams' filename='sheet.obj' handleSeams='1'/>"
        "<MeshOBJLoader name='plain' filename='sheet.obj' loadMaterial='0'/>"
        "<MeshOBJLoader name='moved' filename='sheet.obj' translation='10 0 0' rotation='0 0 90' scale3d='2 1 1' scale='3'/>"
        "<MeshOBJLoader name='matrix' filename='sheet.obj' transformation='[0 1 0 5,1 0 0 0,0 0 1 0,0 0 0 1]' translation='9 9 9'/>"
        "<MeshGmshLoader name='msh' filename='two.msh'/><MeshGmshLoader name='bare' filename='two.msh' createSubelements='0'/>"
        "<MeshVTKLoader name='vtk' filename='cube.vtk' createSubelements='1' triangulate='1'/>"
        "<MeshVTKLoader name='twice' filename='cube.vtk' createSubelements='1' triangulate='1' translation='1 0 0'/>"
        "<MeshLoader name='any' filename='two.msh'/>"));
    expect_field(scene, "/flip", "triangles", "2 1 0");
    expect_field(scene, "/flip", "quads", "3 2 1 0");
    expect_field(scene, "/cut", "triangles", "0 1 2 0 1 2 0 2 3");
    expect_field(scene, "/cut", "quads", "");
    expect_field(scene, "/parts", "edges", "1 2 2 3 3 0 0 1 2 0");
    assert_int_equal(count_of(scene, "/used", "position"), 4);
    assert_int_equal(count_of(scene, "/seams", "position"), 7);
    expect_field(scene, "/seams", "vertPosIdx", "0 0 1 1 2 2 3");
    expect_field(scene, "/seams", "vertNormIdx", "0 0 1 1 2 2 3");
    assert_int_equal(count_of(scene, "/plain", "materials"), 0);
    const double *moved = dv_data_doubles(dv_object_field(scene_object(scene, "/moved"), "position"), NULL);
    /* (1, 1, 0) times (6, 3, 3), turned by 90 degrees: (-3, 6, 0), moved */
    assert_true(fabs(moved[6] - 7) < 1e-14 && fabs(moved[7] - 6) < 1e-14);
    expect_field(scene, "/matrix", "position", "5 0 0 5 1 0 6 1 0 6 0 0 12 7 7");
    assert_int_equal(count_of(scene, "/msh", "edges"), 9);
    assert_int_equal(count_of(scene, "/msh", "triangles"), 7);
    assert_int_equal(count_of(scene, "/bare", "edges"), 0);
    expect_field(scene, "/bare", "tetrahedraGroups", "3 _ -1 0 1 8 _ -1 1 1");
    assert_int_equal(count_of(scene, "/vtk", "quads"), 6); /* faces of the hexahedron come after the cutting */
    assert_int_equal(count_of(scene, "/vtk", "triangles"), 0);
    /* a transformation makes the steps happen twice: the second cutting finds the faces of the first */
    assert_int_equal(count_of(scene, "/twice", "triangles"), 12);
    assert_int_equal(count_of(scene, "/any", "tetrahedra"), 2);
    dv_scene_free(scene);
}

static void fields_follow_options_that_change_later(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE("<MeshOBJLoader name='l' filename='sheet.obj'/>"));
    DvObject *loader = scene_object(scene, "/l");
    assert_int_equal(dv_data_set_text(dv_object_field(loader, "translation"), "1 0 0"), DV_OK);
    expect_field(scene, "/l", "position", "1 0 0 2 0 0 2 1 0 1 1 0 8 7 7");
    assert_int_equal(dv_data_set_text(dv_object_field(loader, "translation"), "0 2 0"), DV_OK);
    expect_field(scene, "/l", "position", "0 2 0 1 2 0 1 3 0 0 3 0 7 9 7");
    dv_scene_free(scene);
}

static void arrays_of_a_vtk_file_become_fields(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE("<MeshVTKLoader name='l' filename='cube.vtk'/>"));
    expect_field(scene, "/l", "heat%20here", "1 2 3 4 5 6 7 8");
    expect_field(scene, "/l", "mark", "8 7 6 5 4 3 2 1");
    expect_field(scene, "/l", "stamp", "4.5 5.5"); /* is of no point */
    assert_int_equal(count_of(scene, "/l", "position_1"), 8);
    expect_field(scene, "/l", "hexahedra", "0 1 2 3 4 5 6 7");
    dv_scene_free(scene);
}

/* A strip of triangles, each with three corners of its own in the file: more than the table of points has room for at first. */
/* A triangle in four: what lies on the border is all edges and triangles but those of the one in the middle. */
static void a_file_with_neighbours_gives_its_border(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE("<MeshTrianLoader name='l' filename='parted.trian'/>"));
    expect_field(scene, "/l", "neighborTable", "3 -1 -1 -1 3 -1 -1 -1 3 2 0 1");
    expect_field(scene, "/l", "edgesOnBorder", "[[5, 0], [0, 3], [1, 4], [3, 1], [4, 2], [2, 5]]");
    expect_field(scene, "/l", "trianglesOnBorderList", "0 1 2");
    dv_scene_free(scene);
}

static void equal_points_of_a_large_stl_file_are_one(void **state)
{
    (void)state;
    enum { TRIANGLES = 1500 };
    FILE *file = fopen("strip.stl", "w");
    assert_non_null(file);
    fputs("solid strip\n", file);
    for (int i = 0; i < TRIANGLES; i++) {
        fputs("facet normal 0 0 1\nouter loop\n", file);
        for (int k = i; k < i + 3; k++)
            fprintf(file, "vertex %g %d 0\n", 0.5 * k, k % 2);
        fputs("endloop\nendfacet\n", file);
    }
    fputs("endsolid strip\n", file);
    fclose(file);
    DvScene *scene = scene_from_text(SCENE("<MeshSTLLoader name='l' filename='strip.stl'/>"));
    assert_int_equal(count_of(scene, "/l", "triangles"), TRIANGLES);
    assert_int_equal(count_of(scene, "/l", "position"), TRIANGLES + 2);
    dv_scene_free(scene);
    (void)remove("strip.stl");
}

static void a_source_gives_its_lists_but_not_its_options(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        SCENE("<MeshGmshLoader name='l' filename='two.msh' translation='5 0 0'/>"
              "<TetrahedronSetTopologyContainer name='c' src='@l'/><MechanicalObject name='x' src='@l'/>"));
    expect_field(scene, "/c", "tetrahedra", "0 1 2 3 1 2 3 4");
    assert_int_equal(count_of(scene, "/c", "edges"), 9);
    const DvStateRef x = scene_state(scene, "/x");
    assert_int_equal(dv_state_count(x), 5);
    assert_true(dv_state_read(x, DV_POSITION).at[0] == 5.0); /* moved once */
    dv_scene_free(scene);
}

static void spheres_are_moved_again_by_a_state_that_follows_them(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        SCENE("<SphereLoader name='l' filename='balls.sph' scale='2 2 2' rotation='0 0 90' translation='0 0 1'/>"
              "<MechanicalObject name='x' src='@l'/>"));
    expect_field(scene, "/l", "listRadius", "0.5 0.25");
    const double *centre = dv_data_doubles(dv_object_field(scene_object(scene, "/l"), "sphere_centers"), NULL);
    assert_true(fabs(centre[1] - 2) < 1e-14 && fabs(centre[2] - 1) < 1e-14 && fabs(centre[3] + 2) < 1e-14);
    assert_true(fabs(dv_state_read(scene_state(scene, "/x"), DV_POSITION).at[0] + 4) < 1e-13);
    dv_scene_free(scene);
}

static void a_topology_reads_a_file_by_itself(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        SCENE("<MeshTopology name='m' filename='two.msh'/><Node name='n'><TriangleSetTopologyContainer name='c' "
              "fileTopology='sheet.obj'/></Node>"));
    expect_field(scene, "/m", "tetrahedra", "0 1 2 3 1 2 3 4");
    expect_field(scene, "/m", "edges", "0 1 0 2 0 3 1 2 1 3 2 3 1 4 2 4 3 4");
    expect_field(scene, "/n/c", "triangles", "0 1 2");
    expect_field(scene, "/n/c", "nbPoints", "5");
    dv_scene_free(scene);
}

/* What a view must be, whoever gives it. */
static void assert_sheet(const DvMeshView *mesh)
{
    assert_int_equal(mesh->point_count, 5);
    assert_true(mesh->positions[3 * 2] == 1 && mesh->positions[3 * 2 + 1] == 1 && mesh->positions[3 * 4] == 7);
    assert_int_equal(mesh->elements[DV_TRIANGLES].count, 1);
    assert_int_equal(mesh->elements[DV_QUADS].count, 1);
    const uint32_t quad[4] = {0, 1, 2, 3};
    assert_memory_equal(mesh->elements[DV_QUADS].at, quad, sizeof quad);
    assert_true(mesh->normals[2] == 1 && mesh->normals[3 * 4 + 2] == 0); /* summed over faces; the last has none */
    assert_null(mesh->radii);
    assert_null(mesh->point_of_vertex);
    assert_int_equal(mesh->group_count, 2);
    assert_int_equal(mesh->groups[0].kind, DV_TRIANGLES);
    assert_string_equal(mesh->groups[0].material, "red");
    assert_int_equal(mesh->groups[1].kind, DV_QUADS);
    assert_string_equal(mesh->groups[1].material, "blue");
    assert_int_equal(mesh->groups[1].first, 0);
    assert_int_equal(mesh->groups[1].count, 1);
}

static void a_loader_shows_its_mesh(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node><MeshOBJLoader name='l' filename='sheet.obj'/>"
                                     "<MeshGmshLoader name='m' filename='two.msh'/>"
                                     "<SphereLoader name='s' filename='balls.sph'/></Node>");
    DvObject *loader = scene_object(scene, "/l");
    const DvLoaderOps *ops = dv_object_ops(loader, DV_LOADER);
    DvMeshView mesh;
    ops->view(dv_object_self(loader), &mesh);
    assert_sheet(&mesh);
    dv_data_set_bool(dv_object_field(loader, "triangulate"), true); /* an option that acts when somebody looks */
    ops->view(dv_object_self(loader), &mesh);
    assert_int_equal(mesh.elements[DV_TRIANGLES].count, 3);
    assert_int_equal(mesh.elements[DV_QUADS].count, 0);

    loader = scene_object(scene, "/m");
    ops = dv_object_ops(loader, DV_LOADER);
    ops->view(dv_object_self(loader), &mesh);
    const uint32_t tetrahedra[8] = {0, 1, 2, 3, 1, 2, 3, 4};
    assert_int_equal(mesh.elements[DV_TETRAHEDRA].count, 2);
    assert_memory_equal(mesh.elements[DV_TETRAHEDRA].at, tetrahedra, sizeof tetrahedra);
    assert_null(mesh.texcoords);

    loader = scene_object(scene, "/s");
    ops = dv_object_ops(loader, DV_LOADER);
    ops->view(dv_object_self(loader), &mesh);
    assert_int_equal(mesh.point_count, 2);
    assert_true(mesh.radii[1] == 0.25 && mesh.positions[0] == 1);
    dv_scene_free(scene);
}

static void a_mesh_file_opens_without_a_loader(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node><OglModel name='o' position='0 0 0' triangles=''/></Node>");
    DvData *field = dv_object_field(scene_object(scene, "/o"), "filename");
    const DvMeshFilesOps *files = dv_service(DV_MESH_FILES);
    assert_true(files->knows("a/b.OBJ") && files->knows("x.gmsh") && files->knows("x.vtp") && files->knows("x.sph"));
    assert_false(files->knows("obj") || files->knows("x.txt"));
    DvMeshFile *file = NULL;
    DvMeshView mesh;
    dv_data_set_string(field, "sheet.obj");
    assert_int_equal(files->open(field, NULL, &file, &mesh), DV_OK);
    assert_sheet(&mesh);
    files->close(file);

    assert_int_equal(files->open(field, &(DvMeshFileOptions){.triangulate = true, .flip_normals = true}, &file, &mesh),
                     DV_OK);
    assert_int_equal(mesh.elements[DV_TRIANGLES].count, 3);
    assert_true(mesh.elements[DV_TRIANGLES].at[0] == 2 && mesh.elements[DV_TRIANGLES].at[2] == 0);
    files->close(file);

    /* Points 0, 1 and 2 carry two texture coordinates each, point 3 one; point 4 is in no face. */
    assert_int_equal(files->open(field, &(DvMeshFileOptions){.split_seams = true}, &file, &mesh), DV_OK);
    assert_int_equal(mesh.point_count, 7);
    for (uint32_t i = 0; i < mesh.point_count; i++)
        assert_in_range(mesh.point_of_vertex[i], 0, 3);
    assert_non_null(mesh.texcoords);
    files->close(file);

    dv_data_set_string(field, "balls.sph");
    assert_int_equal(files->open(field, NULL, &file, &mesh), DV_OK);
    assert_true(mesh.radii[0] == 0.5 && mesh.positions[4] == 1 && mesh.normals == NULL);
    files->close(file);

    const char *const wrong[] = {"no.obj", "sheet.mtl", "broken.msh", "empty.obj"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        dv_data_set_string(field, wrong[i]);
        assert_int_not_equal(files->open(field, NULL, &file, &mesh), DV_OK);
        assert_null(file);
        assert_int_equal(mesh.point_count, 0);
    }
    files->close(NULL);
    dv_scene_free(scene);
}

static void wrong_files_are_named_with_their_line(void **state)
{
    (void)state;
    expect_load_error(
        "<Node>\n<MeshGmshLoader name='l' filename='broken.msh'/></Node>",
        "MeshGmshLoader 'l': filename: 'broken.msh': line 7: expected a coordinate, found the end of the file");
    expect_load_error("<Node>\n<MeshOBJLoader name='l' filename='no.obj'/></Node>", "filename: no file 'no.obj'");
    expect_load_error("<Node>\n<MeshOBJLoader name='l' filename='empty.obj'/></Node>", "'empty.obj': it is empty");
    expect_load_error("<Node>\n<MeshOBJLoader name='l'/></Node>", "filename: no file is named");
    expect_load_error("<Node>\n<MeshVTKLoader name='l' filename='two.msh'/></Node>",
                      "'two.msh': line 1: expected '# vtk DataFile Version' or '<VTKFile'");
    expect_load_error("<Node>\n<MeshLoader name='l' filename='balls.sph'/></Node>",
                      "its name ends in none of .obj .msh .gmsh .vtk .vtu .vtp .stl .off .trian");
    expect_load_error("<Node>\n<SphereLoader name='l' filename='two.msh'/></Node>", "no line starts with 'sphe'");
    expect_load_error("<Node>\n<MeshTopology filename='cube.vtk'/></Node>", "'cube.vtk' is neither .obj nor .msh");
}

/* Regions */

#define GRID "<RegularGridTopology name='g' n='3 3 2' max='2 2 1'/><MechanicalObject name='x'/>"

static void a_box_selects_points_and_elements(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE(GRID "<BoxROI name='b' box='-1 -1 -1 1 1 2'/>"));
    expect_field(scene, "/b", "indices", "0 1 3 4 9 10 12 13");
    expect_field(scene, "/b", "indicesOut", "2 5 6 7 8 11 14 15 16 17");
    expect_field(scene, "/b", "nbIndices", "8");
    expect_field(scene, "/b", "hexahedronIndices", "0");
    expect_field(scene, "/b", "hexahedraInROI", "0 1 4 3 9 10 13 12");
    assert_int_equal(count_of(scene, "/b", "quadsInROI"), 6);
    assert_int_equal(count_of(scene, "/b", "triangleIndices"), 12);
    assert_int_equal(count_of(scene, "/b", "trianglesInROI") + count_of(scene, "/b", "trianglesOutROI"),
                     count_of(scene, "/g", "triangles"));
    assert_int_equal(count_of(scene, "/b", "edgesInROI") + count_of(scene, "/b", "edgeOutIndices"),
                     count_of(scene, "/g", "edges"));
    expect_field(scene, "/b", "pointsInROI", "0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1");
    dv_scene_free(scene);
}

static void boxes_unite_and_their_corners_may_be_swapped(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        SCENE(GRID "<BoxROI name='b' box='0 0 0 0 0 0  2 2 1 1.5 1.5 0.5'/><BoxROI name='d'/>"
                   "<BoxROI name='c' box='0 0 0 1.2 1.2 1' strict='0'/>"
                   "<BoxROI name='few' box='0 0 0 1 1 1' computeHexahedra='0' computeQuads='0' computeEdges='0'/>"));
    expect_field(scene, "/b", "indices", "0 17");
    expect_field(scene, "/d", "indices", "0 1 3 4 9 10 12 13"); /* without a box: the unit cube */
    expect_field(scene, "/c", "hexahedronIndices", "0");
    assert_int_equal(count_of(scene, "/few", "hexahedronIndices") + count_of(scene, "/few", "quadIndices") +
                         count_of(scene, "/few", "edgeIndices"),
                     0);
    assert_int_equal(count_of(scene, "/few", "triangleIndices"), 12);
    dv_scene_free(scene);
}

static void an_element_is_inside_by_its_centre_when_not_strict(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text(SCENE(GRID "<BoxROI name='b' box='0.4 0.4 0.4 0.6 0.6 0.6' strict='0' computeEdges='0'/>"
                                   "<BoxROI name='s' box='0.4 0.4 0.4 0.6 0.6 0.6'/>"));
    expect_field(scene, "/b", "hexahedronIndices", "0");
    expect_field(scene, "/b", "indices", "");
    expect_field(scene, "/s", "hexahedronIndices", "");
    dv_scene_free(scene);
}

static void an_oriented_box_is_turned(void **state)
{
    (void)state;
    /* a square standing on its corner in the plane z = 0: |x| + |y| <= 1 */
    DvScene *scene =
        scene_from_text(SCENE("<BoxROI name='b' position='0 0 0  .9 0 0  .8 .8 0  0 -1 .9  0 0 1.1  -.4 .4 -.5' "
                              "orientedBox='0 -1 0  1 0 0  0 1 0  2'/>"));
    expect_field(scene, "/b", "indices", "0 1 3 5");
    dv_scene_free(scene);
}

static void a_region_forgets_what_it_shall_not_compute_any_more(void **state)
{
    (void)state;
    static const char *const outputs[][5] = {
        {"computeEdges", "edgeIndices", "edgesInROI", "edgeOutIndices", "edgesOutROI"},
        {"computeTriangles", "triangleIndices", "trianglesInROI", "triangleOutIndices", "trianglesOutROI"},
        {"computeTetrahedra", "tetrahedronIndices", "tetrahedraInROI", "tetrahedronOutIndices", "tetrahedraOutROI"}};
    DvScene *scene = scene_from_text(
        SCENE("<BoxROI name='b' position='0 0 0  1 0 0  0 1 0  0 0 1  9 0 0' edges='0 1  0 4' triangles='0 1 2  0 1 4'"
              " tetrahedra='0 1 2 3  4 1 2 3' box='-1 -1 -1 2 2 2'/>"));
    for (size_t kind = 0; kind < 3; kind++) {
        for (int field = 1; field < 5; field++)
            assert_int_equal(count_of(scene, "/b", outputs[kind][field]), 1);
        dv_data_set_bool(dv_object_field(scene_object(scene, "/b"), outputs[kind][0]), false);
        for (int field = 1; field < 5; field++)
            assert_int_equal(count_of(scene, "/b", outputs[kind][field]), 0);
    }
    dv_scene_free(scene);
}

static void a_region_is_computed_again_when_its_input_changes(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        SCENE(GRID "<BoxROI name='b' box='0 0 0 0 0 0'/><BoxROI name='still' box='0 0 0 0 0 0' doUpdate='0'/>"));
    static const char *const names[] = {"/b", "/still"};
    for (int i = 0; i < 2; i++)
        assert_int_equal(dv_data_set_text(dv_object_field(scene_object(scene, names[i]), "box"), "2 2 1 2 2 1"), DV_OK);
    expect_field(scene, "/b", "indices", "17");
    expect_field(scene, "/still", "indices", "0");
    assert_int_equal(dv_object_class(scene_object(scene, "/still"))
                         ->reinit(scene_object(scene, "/still"), dv_object_self(scene_object(scene, "/still"))),
                     DV_OK);
    dv_scene_free(scene);
}

static void a_region_of_other_types_tests_the_place_alone(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        SCENE("<BoxROI name='r' template='Rigid3d' position='0 0 0 0 0 0 1  5 0 0 0 0 0 1' box='-1 -1 -1 1 1 1'/>"
              "<BoxROI name='p' template='Vec2d' position='0 0  0 .5  0 3' box='0 0 7 1 1 8'/>"
              "<BoxROI name='l' template='Vec1d' position='0 4 .5' box='0 9 9 1 9 9'/>"));
    expect_field(scene, "/r", "indices", "0");
    expect_field(scene, "/r", "pointsOutROI", "5 0 0 0 0 0 1");
    expect_field(scene, "/p", "indices", "0 1");
    expect_field(scene, "/l", "indices", "0 2");
    dv_scene_free(scene);
}

static void a_region_looks_for_positions_in_its_node_then_above(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        SCENE("<MechanicalObject name='x' position='0 0 0 4 4 4'/><Node name='n'><BoxROI name='b'/></Node>"
              "<Node name='m'><MeshOBJLoader filename='sheet.obj'/><BoxROI name='b' box='6 6 6 8 8 8'/></Node>"));
    expect_field(scene, "/n/b", "indices", "0");
    expect_field(scene, "/m/b", "indices", "4");
    dv_scene_free(scene);
    expect_load_error("<Node>\n<BoxROI name='b'/></Node>",
                      "scene.scn:2: BoxROI 'b': no positions to select from: give 'position'");
    expect_load_error("<Node>\n<BoxROI name='b' position='0 0 0' triangles='0 0 1'/></Node>",
                      "BoxROI 'b': triangles[0]: point 1 of 1 positions");
}

static void a_saved_scene_loads_its_meshes_again(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE(
        "<MeshOBJLoader name='l' filename='sheet.obj' scale='2' createSubelements='1'/>"
        "<MeshTopology name='t' src='@l'/><MechanicalObject name='x' src='@l'/><BoxROI name='b' box='0 0 0 2 2 2'/>"));
    assert_int_equal(dv_scene_save(scene, "saved.scn"), DV_OK);
    DvScene *again;
    assert_int_equal(dv_scene_load("saved.scn", NULL, &again), DV_OK);
    expect_field(again, "/l", "position", "0 0 0 2 0 0 2 2 0 0 2 0 14 14 14");
    expect_field(again, "/t", "quads", "0 1 2 3");
    expect_field(again, "/b", "indices", "0 1 2 3");
    dv_scene_free(again);
    dv_scene_free(scene);
}

/* "list of 4 indices", "Vec3d": an element holds as many numbers as the name of its type says. */
static void types_hold_as_many_numbers_as_they_say(void **state)
{
    (void)state;
    dv_scene_free(scene_from_text("<Node><DefaultAnimationLoop/></Node>")); /* starts the plugins */
    unsigned checked = 0;
    for (size_t c = 0; c < dv_class_count(); c++)
        for (const DvField *field = dv_class_at(c)->fields; field && field->name; field++) {
            unsigned numbers = 0;
            const char *vector = strstr(field->type->name, "Vec");
            if ((!strstr(field->type->name, " indices") || sscanf(field->type->name, "list of %u", &numbers) != 1) &&
                (!vector || sscanf(vector, "Vec%u", &numbers) != 1))
                continue;
            if (field->type->components != numbers)
                fail_msg("%s.%s: %s has %u numbers", dv_class_at(c)->name, field->name, field->type->name,
                         (unsigned)field->type->components);
            const size_t size = field->type->scalar == DV_SCALAR_DOUBLE ? sizeof(double) : sizeof(uint32_t);
            assert_int_equal(field->type->element_size, numbers * size);
            checked++;
        }
    assert_true(checked > 100);
}

/* ---- Regions against their definition ---- */

static double random_number(uint64_t *seed) /* -1 to 1 */
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

enum { REGION_POINTS = 80, REGION_ELEMENTS = 15, ALIGNED = 2, TURNED = 2 };

typedef struct RegionCase {
    double points[REGION_POINTS][3], aligned[ALIGNED][6], turned[TURNED][10];
    uint32_t elements[5][8 * REGION_ELEMENTS];
} RegionCase;

static double determinant(DvVec3 a, DvVec3 b, DvVec3 c)
{
    return dv_vec3_dot(a, dv_vec3_cross(b, c));
}

/* p0 + a (p1 - p0) + b (p2 - p1) + c n, a and b from 0 to 1, c of half the depth at most */
static bool in_turned(const double *box, DvVec3 p)
{
    const DvVec3 p0 = dv_vec3_load(box), u = dv_vec3_sub(dv_vec3_load(box + 3), p0),
                 v = dv_vec3_sub(dv_vec3_load(box + 6), dv_vec3_load(box + 3)),
                 n = dv_vec3_normalize(dv_vec3_cross(u, v)), at = dv_vec3_sub(p, p0);
    const double all = determinant(u, v, n), a = determinant(at, v, n) / all, b = determinant(u, at, n) / all,
                 c = determinant(u, v, at) / all;
    return a >= 0 && a <= 1 && b >= 0 && b <= 1 && fabs(c) <= fabs(box[9]) / 2;
}

static bool in_region(const RegionCase *region, DvVec3 p)
{
    const double at[3] = {p.x, p.y, p.z};
    bool inside = false;
    for (int i = 0; i < ALIGNED; i++) {
        bool in = true;
        for (int c = 0; c < 3; c++)
            in = in && at[c] >= region->aligned[i][c] && at[c] <= region->aligned[i][c + 3];
        inside = inside || in;
    }
    for (int i = 0; i < TURNED; i++)
        inside = inside || in_turned(region->turned[i], p);
    return inside;
}

/* Numbers and rows of what is chosen, in order. */
static void expect_rows(const DvScene *scene, const char *numbers, const char *rows, const bool *chosen, bool which,
                        uint32_t count, const void *all, size_t row_bytes)
{
    size_t found, found_rows;
    const uint32_t *number = dv_data_uints(dv_object_field(scene_object(scene, "/b"), numbers), &found);
    DvData *field = dv_object_field(scene_object(scene, "/b"), rows);
    const char *row = row_bytes == 24 && strstr(rows, "points") ? (const char *)dv_data_doubles(field, &found_rows)
                                                                : (const char *)dv_data_uints(field, &found_rows);
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; i++)
        if (chosen[i] == which) {
            assert_true(next < found && next < found_rows);
            assert_int_equal(number[next], i);
            assert_memory_equal(row + next * row_bytes, (const char *)all + i * row_bytes, row_bytes);
            next++;
        }
    assert_int_equal(found, next);
    assert_int_equal(found_rows, next);
}

static void any_region_holds_what_lies_in_its_boxes(void **state)
{
    (void)state;
    static const struct {
        const char *list, *numbers, *rows, *out_numbers, *out_rows;
        uint32_t nodes;
    } kinds[5] = {
        {"edges", "edgeIndices", "edgesInROI", "edgeOutIndices", "edgesOutROI", 2},
        {"triangles", "triangleIndices", "trianglesInROI", "triangleOutIndices", "trianglesOutROI", 3},
        {"quads", "quadIndices", "quadsInROI", NULL, NULL, 4},
        {"tetrahedra", "tetrahedronIndices", "tetrahedraInROI", "tetrahedronOutIndices", "tetrahedraOutROI", 4},
        {"hexahedra", "hexahedronIndices", "hexahedraInROI", NULL, NULL, 8},
    };
    uint64_t seed = 3;
    uint32_t selected = 0, elements_selected[5] = {0};
    for (int trial = 0; trial < 12; trial++) {
        static RegionCase region;
        const bool strict = trial % 2;
        DvText text = {0};
        dv_text_add(&text, "<Node><DefaultAnimationLoop/><BoxROI name='b' strict='%d' position='", strict);
        for (uint32_t i = 0; i < REGION_POINTS; i++)
            for (int c = 0; c < 3; c++) {
                region.points[i][c] = random_number(&seed);
                dv_text_add(&text, "%.17g ", region.points[i][c]);
            }
        for (int kind = 0; kind < 5; kind++) {
            dv_text_add(&text, "' %s='", kinds[kind].list);
            for (uint32_t i = 0; i < REGION_ELEMENTS * kinds[kind].nodes; i++) {
                region.elements[kind][i] = (uint32_t)((random_number(&seed) + 1) / 2 * REGION_POINTS);
                dv_text_add(&text, "%u ", region.elements[kind][i]);
            }
        }
        dv_text_add(&text, "' box='");
        for (int i = 0; i < ALIGNED; i++)
            for (int c = 0; c < 6; c++) {
                const double width = (trial / 2) % 3 == 0 ? 0.9 : 0.5;
                region.aligned[i][c] = 0.3 * random_number(&seed) + (c < 3 ? -width : width);
                dv_text_add(&text, "%.17g ", region.aligned[i][c]);
            }
        dv_text_add(&text, "' orientedBox='");
        for (int i = 0; i < TURNED; i++)
            for (int c = 0; c < 10; c++) {
                region.turned[i][c] = 1.2 * random_number(&seed);
                dv_text_add(&text, "%.17g ", region.turned[i][c]);
            }
        dv_text_add(&text, "'/></Node>");
        DvScene *scene = scene_from_text(text.at);
        dv_text_free(&text);
        bool inside[REGION_POINTS], chosen[REGION_ELEMENTS];
        for (uint32_t i = 0; i < REGION_POINTS; i++) {
            inside[i] = in_region(&region, dv_vec3_load(region.points[i]));
            selected += inside[i];
        }
        expect_rows(scene, "indices", "pointsInROI", inside, true, REGION_POINTS, region.points, 24);
        expect_rows(scene, "indicesOut", "pointsOutROI", inside, false, REGION_POINTS, region.points, 24);
        for (int kind = 0; kind < 5; kind++) {
            const uint32_t nodes = kinds[kind].nodes;
            for (uint32_t i = 0; i < REGION_ELEMENTS; i++) {
                DvVec3 sum = dv_vec3(0, 0, 0);
                bool all = true;
                for (uint32_t j = 0; j < nodes; j++) {
                    const uint32_t point = region.elements[kind][i * nodes + j];
                    sum = dv_vec3_add(sum, dv_vec3_load(region.points[point]));
                    all = all && inside[point];
                }
                chosen[i] = strict ? all : in_region(&region, dv_vec3_scale(sum, 1.0 / nodes));
                elements_selected[kind] += chosen[i];
            }
            expect_rows(scene, kinds[kind].numbers, kinds[kind].rows, chosen, true, REGION_ELEMENTS,
                        region.elements[kind], 4 * (size_t)nodes);
            if (kinds[kind].out_rows)
                expect_rows(scene, kinds[kind].out_numbers, kinds[kind].out_rows, chosen, false, REGION_ELEMENTS,
                            region.elements[kind], 4 * (size_t)nodes);
        }
        dv_scene_free(scene);
    }
    assert_true(selected > 100 && selected < 12 * REGION_POINTS - 100);
    for (int kind = 0; kind < 5; kind++)
        assert_true(elements_selected[kind] > 20 && elements_selected[kind] < 12 * REGION_ELEMENTS - 20);
}

static const DvType *type_called(const char *name)
{
    for (size_t c = 0; c < dv_class_count(); c++)
        for (const DvField *field = dv_class_at(c)->fields; field && field->name; field++)
            if (strcmp(field->type->name, name) == 0)
                return field->type;
    fail_msg("no field is a %s", name);
    return NULL;
}

#define STEEL                                                                                              \
    "steel Diffuse 1 1 0 0 1 Ambient 0 0 0.5 0 1 Specular 0 0.1 0.2 0.3 1 Emissive 1 0 1 0 0.5 Shininess " \
    "1 20"
#define WOOD "_ Diffuse 0 0 0 0 0 Ambient 1 1 1 1 1 Specular 1 2 2 2 2 Emissive 0 3 3 3 3 Shininess 0 45"

/* What is written in a scene, and how it is saved; or what is said of it. */
static void values_of_loaders_are_read_and_printed(void **state)
{
    (void)state;
    dv_scene_free(scene_from_text("<Node><DefaultAnimationLoop/></Node>")); /* starts the plugins */
    static const struct {
        const char *type, *text, *printed, *problem;
    } cases[] = {
        {"list of lists of indices", "[[0, 1, 2], [], [-3]]", "[[0, 1, 2], [], [-3]]", NULL},
        {"list of lists of indices", " [[1 2,3] ,\n[4]\t]", "[[1, 2, 3], [4]]", NULL},
        {"list of lists of indices", " ", "[]", NULL},
        {"list of lists of indices", "[[1 2][3", "[[1, 2], [3]]", NULL},
        {"list of lists of indices", "1 2", "[]", "a list of lists starts with '['"},
        {"list of lists of indices", "[[5 6] [1 x]]", "[[5, 6]]", "no number at 'x]]'"},
        {"4 x 4 matrix", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 -16", "[1 2 3 4,5 6 7 8,9 10 11 12,13 14 15 -16]", NULL},
        {"4 x 4 matrix", " [1 2 3 4, 5 6 7 8,9 10 11 12 , 13 14 15 .5]", "[1 2 3 4,5 6 7 8,9 10 11 12,13 14 15 0.5]",
         NULL},
        {"4 x 4 matrix", "[1 2 3", NULL, "3 numbers of the 16 of a 4 x 4 matrix"},
        {"list of groups", "skin red 2 3 4  _ _ -1 0 1", "skin red 2 3 4 _ _ -1 0 1", NULL},
        {"list of groups", "", "", NULL},
        {"list of groups", "a b 1 2 3 c d 1 2", "a b 1 2 3", "a group is 'name material materialIndex first count'"},
        {"list of materials",
         "steel Shininess 1 20 specular 0 .1 .2 .3 1 Diffuse 1 1 0 0 1 Emissive 2 0 1 0 .5 ambient 0 0 .5 0 1 " WOOD,
         STEEL " " WOOD, NULL},
        {"list of materials", "\n", "", NULL},
        {"list of materials", STEEL " wood Diffuse 1 1", STEEL,
         "a material is a name, then Diffuse, Ambient, Specular, Emissive (0 or 1, red green blue alpha) and Shininess "
         "(0 or 1, value)"},
        {"material", STEEL, STEEL, NULL},
        {"material", "steel Diffus 1 1 0 0 1",
         "Default Diffuse 1 0.75 0.75 0.75 1 Ambient 1 0.2 0.2 0.2 1 Specular 0 1 1 1 1 Emissive 0 0 0 0 0 Shininess 0 45",
         "a material is a name, then Diffuse, Ambient, Specular, Emissive (0 or 1, red green blue alpha) and Shininess "
         "(0 or 1, value)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const DvType *type = type_called(cases[i].type);
        DvText problem = {0}, printed = {0};
        void *value = NULL;
        size_t count = 0;
        assert_int_equal(type->parse(type, cases[i].text, &value, &count, &problem),
                         cases[i].problem ? DV_ERROR_INVALID : DV_OK);
        assert_string_equal(problem.at ? problem.at : "", cases[i].problem ? cases[i].problem : "");
        dv_text_add_bytes(&printed, "", 0);
        type->print(type, value, count, &printed);
        if (cases[i].printed)
            assert_string_equal(printed.at, cases[i].printed);
        dv_free(value);
        dv_text_free(&problem);
        dv_text_free(&printed);
    }
}

static void grids_and_lines_are_made_without_a_file(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE(
        "<GridMeshCreator name='two' filename='nofile'/><GridMeshCreator name='turns' resolution='3 2' trianglePattern='1'/>"
        "<GridMeshCreator name='down' resolution='2 3' trianglePattern='3' translation='0 0 2'/>"
        "<GridMeshCreator name='quads' resolution='3 2' trianglePattern='0' scale3d='4 1 1'/>"
        "<StringMeshCreator name='line' resolution='5'/><MeshTopology name='mesh' src='@line'/>"));
    expect_field(scene, "/two", "position", "0 0 0 1 0 0 0 1 0 1 1 0");
    expect_field(scene, "/two", "edges", "0 1 1 3 2 0 3 0 3 2");
    expect_field(scene, "/two", "triangles", "0 1 3 0 3 2");
    expect_field(scene, "/turns", "position", "0 0 0 0.5 0 0 1 0 0 0 1 0 0.5 1 0 1 1 0");
    expect_field(scene, "/turns", "triangles", "0 1 4 0 4 3 1 2 4 2 5 4");
    expect_field(scene, "/turns", "edges", "0 1 1 2 1 4 2 4 2 5 3 0 4 0 4 3 5 4");
    expect_field(scene, "/down", "position", "0 0 2 1 0 2 0 0.5 2 1 0.5 2 0 1 2 1 1 2");
    expect_field(scene, "/down", "triangles", "0 1 2 1 3 2 2 3 4 3 5 4");
    expect_field(scene, "/quads", "quads", "0 1 4 3 1 2 5 4");
    expect_field(scene, "/quads", "edges", "0 1 1 2 1 4 2 5 3 0 4 3 5 4");
    expect_field(scene, "/quads", "position", "0 0 0 2 0 0 4 0 0 0 1 0 2 1 0 4 1 0");
    expect_field(scene, "/line", "position", "0 0 0 0.25 0 0 0.5 0 0 0.75 0 0 1 0 0");
    expect_field(scene, "/mesh", "edges", "0 1 1 2 2 3 3 4");
    /* what is written later is followed */
    assert_int_equal(dv_data_set_text(dv_object_field(scene_object(scene, "/line"), "resolution"), "3"), DV_OK);
    expect_field(scene, "/line", "position", "0 0 0 0.5 0 0 1 0 0");
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_hold_as_many_numbers_as_they_say),
        cmocka_unit_test(values_of_loaders_are_read_and_printed),
        cmocka_unit_test(an_obj_loader_fills_all_its_fields),
        cmocka_unit_test(the_material_of_a_file_without_one_is_the_default),
        cmocka_unit_test(options_of_loaders_change_what_they_give),
        cmocka_unit_test(fields_follow_options_that_change_later),
        cmocka_unit_test(arrays_of_a_vtk_file_become_fields),
        cmocka_unit_test(a_file_with_neighbours_gives_its_border),
        cmocka_unit_test(equal_points_of_a_large_stl_file_are_one),
        cmocka_unit_test(a_source_gives_its_lists_but_not_its_options),
        cmocka_unit_test(spheres_are_moved_again_by_a_state_that_follows_them),
        cmocka_unit_test(a_topology_reads_a_file_by_itself),
        cmocka_unit_test(a_loader_shows_its_mesh),
        cmocka_unit_test(a_mesh_file_opens_without_a_loader),
        cmocka_unit_test(grids_and_lines_are_made_without_a_file),
        cmocka_unit_test(wrong_files_are_named_with_their_line),
        cmocka_unit_test(a_box_selects_points_and_elements),
        cmocka_unit_test(boxes_unite_and_their_corners_may_be_swapped),
        cmocka_unit_test(an_element_is_inside_by_its_centre_when_not_strict),
        cmocka_unit_test(an_oriented_box_is_turned),
        cmocka_unit_test(any_region_holds_what_lies_in_its_boxes),
        cmocka_unit_test(a_region_forgets_what_it_shall_not_compute_any_more),
        cmocka_unit_test(a_region_is_computed_again_when_its_input_changes),
        cmocka_unit_test(a_region_of_other_types_tests_the_place_alone),
        cmocka_unit_test(a_region_looks_for_positions_in_its_node_then_above),
        cmocka_unit_test(a_saved_scene_loads_its_meshes_again),
    };
    return cmocka_run_group_tests_name("loaders and regions", tests, write_files, remove_files);
}
