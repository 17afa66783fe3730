/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Readers of Gmsh, OBJ and sphere files: small files in each format and what is in them; wrong files and what is said
 * about them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "loader/readers.h"
#include <math.h>
#include <stdio.h>

typedef bool (*Reader)(const char *text, size_t size, DvMesh *mesh, DvMeshReport *report);

static char warnings[2048];

static void keep_warning(void *context, const char *text)
{
    (void)context;
    snprintf(warnings + strlen(warnings), sizeof warnings - strlen(warnings), "%s\n", text);
}

static bool gmsh(const char *text, size_t size, DvMesh *mesh, DvMeshReport *report)
{
    return dv_mesh_read_gmsh(text, size, mesh, report);
}

static bool obj(const char *text, size_t size, DvMesh *mesh, DvMeshReport *report)
{
    return dv_mesh_read_obj(text, size, &(DvMeshOptions){0}, mesh, report);
}

static DvMesh read_bytes(Reader reader, const char *text, size_t size)
{
    DvMesh mesh = {0};
    DvMeshReport report = {.warn = keep_warning};
    warnings[0] = 0;
    if (!reader(text, size, &mesh, &report))
        fail_msg("%s", report.error);
    return mesh;
}

static DvMesh read_text(Reader reader, const char *text)
{
    return read_bytes(reader, text, strlen(text));
}

static void expect_error(Reader reader, const char *text, const char *error)
{
    DvMesh mesh = {0};
    DvMeshReport report = {0};
    assert_false(reader(text, strlen(text), &mesh, &report));
    assert_string_equal(report.error, error);
    dv_mesh_free(&mesh);
}

#define expect_indices(array, position, ...)                                       \
    do {                                                                           \
        const uint32_t expected[] = {__VA_ARGS__};                                 \
        assert_true((array).count > (position));                                   \
        assert_memory_equal((array).data[position].at, expected, sizeof expected); \
    } while (0)

static void expect_group(const DvMeshRanges *groups, uint32_t at, const char *name, uint32_t first, uint32_t count)
{
    assert_true(groups->count > at);
    assert_string_equal(groups->data[at].name, name);
    assert_int_equal(groups->data[at].first, first);
    assert_int_equal(groups->data[at].count, count);
}

/* Gmsh */

static const char msh1[] =
    "$NOD\n5\n 10 0 0 0\n20 1 0 0\n30 0 1 0\n40 0 0 1\n50 1e0 1 1.5\n$ENDNOD\n"
    "$ELM\n4\n1 4 7 3 4 10 20 30 40\n2 4 7 3 4 50 20 30 40\n3 2 1 9 3 10 20 30\n4 15 0 0 1 10\n$ENDELM\n";

static void msh_1_takes_nodes_of_any_number(void **state)
{
    (void)state;
    DvMesh mesh = read_text(gmsh, msh1);
    assert_int_equal(mesh.position.count, 5);
    assert_true(mesh.position.data[4].at[2] == 1.5);
    assert_int_equal(mesh.tetrahedron.count, 2);
    expect_indices(mesh.tetrahedron, 0, 0, 1, 2, 3);
    expect_indices(mesh.tetrahedron, 1, 4, 1, 2, 3);
    expect_indices(mesh.triangle, 0, 0, 1, 2);
    expect_group(&mesh.group[DV_MESH_TETRAHEDRON], 0, "3", 0, 2);
    expect_group(&mesh.group[DV_MESH_TRIANGLE], 0, "9", 0, 1);
    assert_string_equal(warnings, "");
    dv_mesh_free(&mesh);
}

static const char msh2[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"the body\"\n$EndPhysicalNames\n"
    "$Nodes\n8\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n$EndNodes\n"
    "$Elements\n7\n1 5 2 1 4 1 2 3 4 5 6 7 8\n2 3 2 1 6 1 2 3 4\n3 3 2 1 5 5 6 7 8\n4 3 2 1 6 1 2 6 5\n5 1 0 1 2\n"
    "6 6 2 0 1 1 2 3 4 5 6\n7 3 2 1 7 2 3 7 6\n$EndElements\n";

static void msh_2_groups_elements_by_their_last_tag(void **state)
{
    (void)state;
    DvMesh mesh = read_text(gmsh, msh2);
    expect_indices(mesh.hexahedron, 0, 0, 1, 2, 3, 4, 5, 6, 7);
    expect_indices(mesh.quad, 2, 0, 1, 5, 4);
    expect_indices(mesh.edge, 0, 0, 1);
    assert_int_equal(mesh.group[DV_MESH_QUAD].count, 3);
    expect_group(&mesh.group[DV_MESH_QUAD], 0, "6", 0, 2);
    expect_group(&mesh.group[DV_MESH_QUAD], 1, "5", 2, 1);
    expect_group(&mesh.group[DV_MESH_QUAD], 2, "7", 3, 1);
    assert_string_equal(warnings, "1 elements of Gmsh type 6 are skipped\n");
    dv_mesh_free(&mesh);
}

static void put_int(char *bytes, size_t *size, uint32_t value, bool swap)
{
    value = swap ? __builtin_bswap32(value) : value;
    memcpy(bytes + *size, &value, sizeof value);
    *size += sizeof value;
}

static void put_double(char *bytes, size_t *size, double value, bool swap)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = swap ? __builtin_bswap64(bits) : bits;
    memcpy(bytes + *size, &bits, sizeof bits);
    *size += sizeof bits;
}

static void put_text(char *bytes, size_t *size, const char *text)
{
    while (*text)
        bytes[(*size)++] = *text++;
}

static void msh_2_binary_is_read_in_both_byte_orders(void **state)
{
    (void)state;
    for (int swap = 0; swap < 2; swap++) {
        char bytes[1024];
        size_t size = 0;
        put_text(bytes, &size, "$MeshFormat\n2.2 1 8\n");
        put_int(bytes, &size, 1, swap);
        put_text(bytes, &size, "\n$EndMeshFormat\n$Nodes\n4\n");
        for (uint32_t i = 0; i < 4; i++) {
            put_int(bytes, &size, i + 1, swap);
            for (int c = 0; c < 3; c++)
                put_double(bytes, &size, i + 0.25 * c, swap);
        }
        put_text(bytes, &size, "\n$EndNodes\n$Elements\n3\n");
        const uint32_t blocks[] = {4, 1, 2, 1, 0, 5, 1, 2, 3, 4, 2, 2, 1, 2, 9, 2, 3, 4, 3, 8, 4, 3, 1};
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
            put_int(bytes, &size, blocks[i], swap);
        put_text(bytes, &size, "\n$EndElements\n");
        DvMesh mesh = read_bytes(gmsh, bytes, size);
        assert_int_equal(mesh.position.count, 4);
        assert_true(mesh.position.data[3].at[1] == 3.25);
        expect_indices(mesh.tetrahedron, 0, 0, 1, 2, 3);
        expect_indices(mesh.triangle, 1, 3, 2, 0);
        expect_group(&mesh.group[DV_MESH_TRIANGLE], 1, "8", 1, 1);
        dv_mesh_free(&mesh);
    }
}

static const char msh4[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 0\n$EndEntities\n"
    "$Nodes\n2 5 1 9\n2 1 0 3\n7\n8\n9\n0 0 0\n1 0 0\n0 1 0\n3 2 1 2\n1\n2\n0 0 1 .1 .2 .3\n1 1 1 .4 .5 .6\n"
    "$EndNodes\n$Elements\n2 3 1 3\n3 2 4 2\n1 7 8 9 1\n2 8 9 1 2\n2 1 2 1\n3 7 8 9\n$EndElements\n";

static void msh_4_follows_the_tags_of_its_nodes(void **state)
{
    (void)state;
    DvMesh mesh = read_text(gmsh, msh4);
    assert_int_equal(mesh.position.count, 5);
    assert_true(mesh.position.data[4].at[1] == 1.0);
    expect_indices(mesh.tetrahedron, 0, 0, 1, 2, 3);
    expect_indices(mesh.tetrahedron, 1, 1, 2, 3, 4);
    expect_indices(mesh.triangle, 0, 0, 1, 2);
    expect_group(&mesh.group[DV_MESH_TETRAHEDRON], 0, "2", 0, 2);
    dv_mesh_free(&mesh);
}

static void quadratic_elements_leave_their_middle_nodes_on_edges(void **state)
{
    (void)state;
    /* two triangles of six nodes that share the edge 1 2 with the node 5 (numbers from 1) in its middle */
    static const char elements[] =
        "$Nodes\n9\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 .5 0 0\n5 .5 .5 0\n6 0 .5 0\n7 1 1 0\n8 1 .5 0\n9 .5 1 0\n"
        "$EndNodes\n$Elements\n2\n1 9 0 1 2 3 4 5 6\n2 9 0 2 7 3 8 9 5\n$EndElements\n";
    char text[512];
    snprintf(text, sizeof text, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n%s", elements);
    DvMesh mesh = read_text(gmsh, text);
    assert_int_equal(mesh.triangle.count, 2);
    assert_int_equal(mesh.edge.count, 6); /* one for each element */
    expect_indices(mesh.high_order_edge, 1, 4, 1, 1, 1);
    expect_indices(mesh.edge, 1, 1, 2);
    dv_mesh_free(&mesh);

    DvMesh joined =
        read_text(gmsh, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 9 1 9\n2 1 0 9\n1\n2\n3\n4\n5\n6\n7\n8\n9\n"
                        "0 0 0 1 0 0 0 1 0 .5 0 0 .5 .5 0 0 .5 0 1 1 0 1 .5 0 .5 1 0\n$EndNodes\n"
                        "$Elements\n1 2 1 2\n2 1 9 2\n1 1 2 3 4 5 6\n2 2 7 3 8 9 5\n$EndElements\n");
    assert_int_equal(joined.edge.count, 5); /* one for all */
    assert_int_equal(joined.high_order_edge.count, 5);
    expect_indices(joined.high_order_edge, 3, 7, 3, 1, 1);
    expect_indices(joined.edge, 3, 1, 6);
    dv_mesh_free(&joined);
}

static void wrong_msh_files_are_refused_with_the_line(void **state)
{
    (void)state;
#define NODES "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n2 1 0 0\n$EndNodes\n"
    expect_error(gmsh, "hello\n", "line 1: expected $NOD or $MeshFormat, found 'hello'");
    expect_error(gmsh, "", "line 1: expected $NOD or $MeshFormat, found the end of the file");
    expect_error(gmsh, "$MeshFormat\n4.0 0 8\n",
                 "line 2: format '4.0' is not read; save the mesh with 'gmsh -format msh41' or 'msh22'");
    expect_error(gmsh, "$MeshFormat\n2.2 3 8\n", "line 2: file type 3 is neither 0 (text) nor 1 (binary)");
    expect_error(gmsh, "$NOD\nmany\n", "line 2: expected the number of nodes, found 'many'");
    expect_error(gmsh, "$NOD\n4000000000\n1 0 0 0\n",
                 "line 2: the number of nodes is 4000000000, but only 9 bytes are left");
    expect_error(gmsh, "$NOD\n2\n1 0 0 0\n2 0 x 0\n", "line 4: expected a coordinate, found 'x'");
    expect_error(gmsh, "$NOD\n2\n1 0 0 0\n2 0 1e400 0\n", "line 4: expected a coordinate, found '1e400'");
    expect_error(gmsh, NODES "$Elements\n1\n1 1 0 1 3\n$EndElements\n",
                 "line 11: element 1 uses node 3, which is not in the list of nodes");
    expect_error(gmsh, NODES "$Elements\n1\n1 1 0 1\n$EndElements\n",
                 "line 12: expected a node of an element, found '$EndElements'");
    expect_error(gmsh, NODES, "line 9: the file ends without a list of elements");
    expect_error(gmsh, "$NOD\n1\n1 0 0 0\n$ENDNOD\n$ELM\n1\n1 4 0 0 3 1 1 1\n$ENDELM\n",
                 "line 7: element 1 of type 4 has 3 nodes, expected 4");
    expect_error(gmsh, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Elements\n0\n$EndElements\n",
                 "line 4: the elements come before the nodes");
    DvMesh mesh = read_text(gmsh, NODES "$Elements\n1\n1 1 0 1 2\n");
    assert_int_equal(mesh.edge.count, 1);
    assert_string_equal(warnings, "the list of elements does not end with $EndElements\n");
    dv_mesh_free(&mesh);
}

/* OBJ */

static const char sheet[] = "# a sheet of a triangle, a quad and a pentagon\r\n"
                            "v 0 0 0\r\nv 1 0 0 1.0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 2 1 0\nv 2.5 .5 0\n"
                            "vt 0.5 0.5\nvt 0.25\nvn 0 0 2\nvn 3 0 0\n"
                            "f 1/1/1 2/2/1 3//2\nf 1 3 4 -1\n g back  side \nusemtl red\nf 2 5 7 6 3\nf 6 1\nl 1 2 3\n";

static void obj_faces_become_edges_triangles_quads_and_fans(void **state)
{
    (void)state;
    DvMesh mesh = read_text(obj, sheet);
    assert_int_equal(mesh.position.count, 7);
    assert_int_equal(mesh.triangle.count, 4);
    expect_indices(mesh.triangle, 0, 0, 1, 2);
    expect_indices(mesh.triangle, 3, 1, 5, 2);
    expect_indices(mesh.quad, 0, 0, 2, 3, 6);
    assert_int_equal(mesh.edge.count, 3);
    expect_indices(mesh.edge, 0, 0, 5); /* the smaller first */
    expect_indices(mesh.edge, 2, 1, 2);
    assert_int_equal(dv_mesh_lists_count(&mesh.face_position), 5);
    assert_int_equal(mesh.face_texcoord.value.data[1], 1);
    assert_int_equal(mesh.face_texcoord.value.data[2], DV_MESH_NONE);
    expect_group(&mesh.group[DV_MESH_TRIANGLE], 0, "Default_Group", 0, 1);
    expect_group(&mesh.group[DV_MESH_TRIANGLE], 1, "back side", 1, 1); /* faces, not triangles */
    expect_group(&mesh.group[DV_MESH_QUAD], 0, "Default_Group", 0, 1);
    expect_group(&mesh.group[DV_MESH_EDGE], 0, "back side", 0, 2);
    assert_string_equal(mesh.group[DV_MESH_EDGE].data[0].material, "red");
    dv_mesh_free(&mesh);
}

static void obj_corners_are_merged_at_a_position(void **state)
{
    (void)state;
    DvMesh mesh = read_text(obj, "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt .5 .5\nvt .4 .5\nvt .9 .6\nvn 0 0 1\nvn 0 2 0\n"
                                 "f 1/1/1 2/1/1 3/1/1\nf 1/2/2 2/3/1 3/1/1\n");
    const double half = sqrt(0.2);
    assert_int_equal(mesh.normal.count, 3);
    assert_true(fabs(mesh.normal.data[0].at[1] - 2 * half) < 1e-15 && fabs(mesh.normal.data[0].at[2] - half) < 1e-15);
    assert_int_equal(mesh.texcoord.count, 3);
    assert_true(mesh.texcoord.data[0].at[0] == .4); /* smaller u wins */
    assert_true(mesh.texcoord.data[1].at[0] == .5); /* u grows more than v */
    dv_mesh_free(&mesh);
}

static void obj_seams_make_a_vertex_of_each_triple(void **state)
{
    (void)state;
    static const char text[] = "v 0 0 0\nv 9 9 9\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 1\nvn 0 0 1\n"
                               "f 1/2/1 3/1/1 4/1/1\nf 1/1/1 3/1/1 4/1/1\n";
    DvMesh mesh = {0};
    DvMeshReport report = {0};
    assert_true(dv_mesh_read_obj(text, strlen(text), &(DvMeshOptions){.handle_seams = true}, &mesh, &report));
    assert_int_equal(mesh.position.count, 4); /* position 1 twice, position 2 not at all */
    const int32_t positions[] = {0, 0, 2, 3}, normals[] = {0, 0, 1, 2};
    assert_memory_equal(mesh.position_of_vertex.data, positions, sizeof positions);
    assert_memory_equal(mesh.normal_of_vertex.data, normals, sizeof normals);
    expect_indices(mesh.triangle, 0, 1, 2, 3);
    expect_indices(mesh.triangle, 1, 0, 2, 3);
    assert_true(mesh.texcoord.data[0].at[0] == 0 && mesh.texcoord.data[1].at[0] == 1);
    dv_mesh_free(&mesh);
}

static bool open_library(void *context, const char *name, char **bytes, size_t *size)
{
    static const char library[] = "newmtl blue\nKd 0 0 1\nNs 12\nd 0.5\nnewmtl red one\nKa 1 0 0\nKs .1 .2 .3\n"
                                  "map_Kd -s 1 1 1 tex.png\nbump rough stone.png\n";
    (void)context;
    if (strcmp(name, "my materials.mtl") != 0)
        return false;
    *size = sizeof library - 1;
    *bytes = dv_alloc(*size, 1);
    memcpy(*bytes, library, *size);
    return true;
}

static void obj_materials_come_from_libraries(void **state)
{
    (void)state;
    static const char text[] =
        "mtllib my materials.mtl\nmtllib none.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nusemtl red one\nf 1 2 3\n";
    DvMesh mesh = {0};
    DvMeshReport report = {.warn = keep_warning};
    warnings[0] = 0;
    assert_true(dv_mesh_read_obj(text, strlen(text), &(DvMeshOptions){.load_material = true, .open = open_library},
                                 &mesh, &report));
    assert_string_equal(warnings, "line 2: no material library 'none.mtl'\n");
    assert_int_equal(mesh.material.count, 2);
    const DvFileMaterial *blue = &mesh.material.data[0], *red = &mesh.material.data[1];
    assert_true(blue->diffuse[2] == 1 && blue->diffuse[3] == 0.5 && blue->shininess == 12 && blue->use_shininess);
    assert_true(red->use_specular && red->specular[1] == 0.2 && !red->use_shininess && red->ambient[0] == 1);
    assert_string_equal(red->texture, "tex.png");
    assert_string_equal(red->bump, "rough stone.png");
    assert_int_equal(mesh.first_material, 2);
    assert_int_equal(mesh.face_material.data[0], DV_MESH_NONE);
    assert_int_equal(mesh.face_material.data[1], 1);
    assert_int_equal(mesh.group[DV_MESH_TRIANGLE].data[1].material_index, 1);
    dv_mesh_free(&mesh);
}

/* What a material has before its library says more: grey, in its own light as everywhere. */
static void a_material_starts_with_the_default_of_the_format(void **state)
{
    (void)state;
    DvFileMaterial material = dv_mesh_material("plain one", 5);
    static const double diffuse[4] = {0.75, 0.75, 0.75, 1}, ambient[4] = {0.2, 0.2, 0.2, 1};
    static const double specular[4] = {1, 1, 1, 1}, emissive[4] = {0, 0, 0, 0};
    assert_string_equal(material.name, "plain");
    assert_memory_equal(material.diffuse, diffuse, sizeof diffuse);
    assert_memory_equal(material.ambient, ambient, sizeof ambient);
    assert_memory_equal(material.specular, specular, sizeof specular);
    assert_memory_equal(material.emissive, emissive, sizeof emissive);
    assert_true(material.shininess == 45 && material.use_diffuse && material.use_ambient);
    assert_false(material.use_specular || material.use_emissive || material.use_shininess);
    assert_string_equal(material.texture, "");
    assert_string_equal(material.bump, "");
    dv_free(material.name);
    dv_free(material.texture);
    dv_free(material.bump);
}

static void obj_options_flip_and_triangulate(void **state)
{
    (void)state;
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
    DvMesh mesh = {0};
    DvMeshReport report = {0};
    assert_true(dv_mesh_read_obj(text, strlen(text), &(DvMeshOptions){.triangulate = true, .flip_normals = true}, &mesh,
                                 &report));
    assert_int_equal(mesh.quad.count, 0);
    expect_indices(mesh.triangle, 0, 2, 1, 0);
    expect_indices(mesh.triangle, 1, 3, 2, 0);
    dv_mesh_free(&mesh);
}

static void wrong_obj_files_are_refused_with_the_line(void **state)
{
    (void)state;
    expect_error(obj, "", "no line starts with 'v': the file holds no position");
    expect_error(obj, "v 0 0 z\n", "line 1: expected a number, found 'z'");
    expect_error(obj, "v 0 0 0\nf 1 0 1\n",
                 "line 2: '0' is no index from 1, nor one of the last 1 counted back from -1");
    expect_error(obj, "v 0 0 0\nf 1 -2 1\n",
                 "line 2: '-2' is no index from 1, nor one of the last 1 counted back from -1");
    expect_error(obj, "v 0 0 0\nf 1 a 1\n",
                 "line 2: 'a' is no index from 1, nor one of the last 1 counted back from -1");
    expect_error(obj, "v 0 0 0\nf /1 1 1\n", "line 2: a corner names no position");
    expect_error(obj, "v 0 0 0\n\nf 1 5 1\n", "line 3: position 5 of 1");
}

static void what_an_obj_file_lacks_is_told_with_the_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *warning;
    } rows[] = {
        {"v 0 0\n", "v, vn or vt with too few numbers, those missing count as 0: line 1 (1 in all)\n"},
        {"v 0 0 0\nf 1/1 1/1 1/1\n",
         "faces with texture coordinates that the file does not have, they get none: line 2 (1 in all)\n"},
        {"v 0 0 0\nvn 0 0 1\nf 1//1 1//2 1//1\n",
         "faces with normals that the file does not have, they get none: line 3 (1 in all)\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        DvMesh mesh = read_text(obj, rows[i].text);
        assert_int_equal(mesh.position_definition.count, 1);
        assert_string_equal(warnings, rows[i].warning);
        dv_mesh_free(&mesh);
    }
}

/* Spheres */

static void spheres_have_centres_and_radii(void **state)
{
    (void)state;
    static const char text[] = "3\nnums 2\n# two\nsphe 1 1 2 3 .5\nsphe 2 -1 0 0 1e-1\nodd 1\n";
    SphereArray spheres = {0};
    DvMeshReport report = {.warn = keep_warning};
    warnings[0] = 0;
    assert_true(mesh_read_spheres(text, strlen(text), &spheres, &report));
    assert_int_equal(spheres.count, 2);
    assert_true(spheres.data[0].centre[2] == 3 && spheres.data[1].centre[0] == -1 && spheres.data[1].radius == 0.1);
    assert_string_equal(warnings, "line 6: unknown keyword 'odd'\n");
    dv_array_free(&spheres);
}

static void wrong_sphere_files_are_refused_with_the_line(void **state)
{
    (void)state;
    const char *const cases[][2] = {
        {"title\nsphe 1 2 3\n", "line 2: expected 'sphe number x y z radius', found the end of the line"},
        {"title\nsphe 1 2 3 four 5\n", "line 2: expected 'sphe number x y z radius', found 'four'"},
        {"title\nsphe 1 2 3 4 -5\n", "line 2: the radius -5 is negative"},
        {"title\n", "no line starts with 'sphe': the file holds no sphere"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SphereArray spheres = {0};
        DvMeshReport report = {0};
        assert_false(mesh_read_spheres(cases[i][0], strlen(cases[i][0]), &spheres, &report));
        assert_string_equal(report.error, cases[i][1]);
        dv_array_free(&spheres);
    }
}

/* All beginnings of good files, and each with a byte changed: an answer, whatever it is, without a fault. */
static void damaged_files_do_no_harm(void **state)
{
    (void)state;
    static const char *const files[] = {msh1, msh2, msh4, sheet};
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        const size_t size = strlen(files[f]);
        for (size_t cut = 0; cut < size; cut++)
            for (int change = 0; change < 2; change++) {
                char *copy = dv_alloc(size, 1);
                memcpy(copy, files[f], size);
                copy[cut] = change ? '-' : '9';
                DvMesh mesh = {0};
                DvMeshReport report = {0};
                const size_t length = change ? size : cut;
                const bool good = f < 3 ? gmsh(copy, length, &mesh, &report) : obj(copy, length, &mesh, &report);
                assert_true(good || report.error[0]);
                for (size_t i = 0; good && i < (size_t)mesh.tetrahedron.count * 4; i++)
                    assert_true(mesh.tetrahedron.data[i / 4].at[i % 4] < mesh.position.count);
                dv_mesh_free(&mesh);
                dv_free(copy);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(msh_1_takes_nodes_of_any_number),
        cmocka_unit_test(msh_2_groups_elements_by_their_last_tag),
        cmocka_unit_test(msh_2_binary_is_read_in_both_byte_orders),
        cmocka_unit_test(msh_4_follows_the_tags_of_its_nodes),
        cmocka_unit_test(quadratic_elements_leave_their_middle_nodes_on_edges),
        cmocka_unit_test(wrong_msh_files_are_refused_with_the_line),
        cmocka_unit_test(obj_faces_become_edges_triangles_quads_and_fans),
        cmocka_unit_test(obj_corners_are_merged_at_a_position),
        cmocka_unit_test(obj_seams_make_a_vertex_of_each_triple),
        cmocka_unit_test(obj_materials_come_from_libraries),
        cmocka_unit_test(a_material_starts_with_the_default_of_the_format),
        cmocka_unit_test(obj_options_flip_and_triangulate),
        cmocka_unit_test(wrong_obj_files_are_refused_with_the_line),
        cmocka_unit_test(what_an_obj_file_lacks_is_told_with_the_line),
        cmocka_unit_test(spheres_have_centres_and_radii),
        cmocka_unit_test(wrong_sphere_files_are_refused_with_the_line),
        cmocka_unit_test(damaged_files_do_no_harm),
    };
    return cmocka_run_group_tests_name("Gmsh, OBJ and sphere files", tests, NULL, NULL);
}
