/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All that is in small files of each format, list by list, as the formats define it: elements, nodes in the middle of edges, groups,
 * materials, arrays of numbers of every type.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mesh_text.h"
#include <divan/math/vec.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

static char warnings[2048];

static void keep_warning(void *context, const char *text)
{
    (void)context;
    const size_t length = strlen(warnings);
    snprintf(warnings + length, sizeof warnings - length, "%s\n", text);
}

typedef enum Format { GMSH, OBJ, VTK } Format;

static DvMesh read_bytes(Format format, const void *bytes, size_t size, const DvMeshOptions *options)
{
    DvMesh mesh = {0};
    DvMeshReport report = {.warn = keep_warning};
    warnings[0] = 0;
    char *copy = dv_alloc(size, 1); /* without a zero behind it */
    memcpy(copy, bytes, size);
    const bool good = format == GMSH  ? dv_mesh_read_gmsh(copy, size, &mesh, &report)
                      : format == OBJ ? dv_mesh_read_obj(copy, size, options, &mesh, &report)
                                      : mesh_read_vtk(copy, size, options, &mesh, &report);
    dv_free(copy);
    if (!good)
        fail_msg("%s", report.error);
    return mesh;
}

static void put(char *bytes, size_t *size, const void *value, size_t length, bool swap)
{
    for (size_t i = 0; i < length; i++)
        bytes[*size + i] = ((const char *)value)[swap ? length - 1 - i : i];
    *size += length;
}

static void put_text(char *bytes, size_t *size, const char *text)
{
    while (*text)
        bytes[(*size)++] = *text++;
}

static bool read_damaged(Format format, const char *bytes, size_t size, size_t at, char letter)
{
    DvMesh mesh = {0};
    DvMeshReport report = {0};
    char *copy = dv_alloc(size, 1);
    memcpy(copy, bytes, size);
    if (at < size)
        copy[at] = letter;
    const DvMeshOptions options = {0};
    const bool good = format == GMSH  ? dv_mesh_read_gmsh(copy, size, &mesh, &report)
                      : format == OBJ ? dv_mesh_read_obj(copy, size, &options, &mesh, &report)
                                      : mesh_read_vtk(copy, size, &options, &mesh, &report);
    if (good != (report.error[0] == 0))
        fail_msg("%s although it says '%s'", good ? "read" : "refused", report.error);
    dv_mesh_free(&mesh);
    dv_free(copy);
    return good;
}

/* Each beginning of a file, and the file with a wrong letter anywhere, is read or refused with a reason, not both. */
static void expect_reasons(Format format, const char *bytes, size_t size)
{
    uint32_t refused = 0;
    for (size_t at = 0; at < size; at++) {
        refused += !read_damaged(format, bytes, at, size, 0);
        refused += !read_damaged(format, bytes, size, at, '-');
        refused += !read_damaged(format, bytes, size, at, 'x');
        refused += !read_damaged(format, bytes, size, at, '9');
    }
    assert_true(refused > 1);
}

static void expect_bytes(Format format, const void *bytes, size_t size, const DvMeshOptions *options,
                         const char *expected)
{
    DvMesh mesh = read_bytes(format, bytes, size, options);
    DvText text = mesh_text(&mesh);
    assert_string_equal(text.at, expected);
    dv_text_free(&text);
    expect_reasons(format, bytes, size);
}

/* Of a text; however its lines end, and its words where blanks say nothing, it says the same. */
static void expect_contents(Format format, const char *file, const char *expected)
{
    for (int ending = 1; ending < (format == GMSH ? 5 : 3); ending++) {
        char text[4096];
        size_t size = 0;
        assert_true(2 * strlen(file) < sizeof text);
        for (size_t i = 0; file[i]; i++)
            if (file[i] == '\n' && ending < 3 && (i == 0 || file[i - 1] != '\r'))
                put_text(text, &size, ending == 1 ? "\r\n" : "\r");
            else if (file[i] == ' ' && ending > 2)
                put_text(text, &size, ending == 3 ? "\t" : "\v \f");
            else
                text[size++] = file[i];
        DvMesh mesh = read_bytes(format, text, size, &(DvMeshOptions){0});
        DvText found = mesh_text(&mesh);
        assert_string_equal(found.at, expected);
        dv_text_free(&found);
    }
    expect_bytes(format, file, strlen(file), &(DvMeshOptions){0}, expected);
}

/* ---- Gmsh ---- */

static void gmsh_1_finds_nodes_that_are_not_in_order(void **state)
{
    (void)state;
    expect_contents(GMSH,
                    "$NOD\n5\n30 0 0 0\n10 1 0 0\n50 0 1 0\n20 0 0 1\n40 1 1 1.5\n$ENDNOD\n"
                    "$ELM\n5\n1 4 7 3 4 30 10 50 20\n2 1 7 -5 2 40 10\n3 15 0 0 1 10\n4 2 8 3 3 50 40 30\n"
                    "5 3 8 -5 4 10 20 30 40\n$ENDELM\n",
                    "position: 0 0 0, 1 0 0, 0 1 0, 0 0 1, 1 1 1.5\n"
                    "edge: 4 1\ntriangle: 2 4 0\nquad: 1 3 0 4\ntetrahedron: 0 1 2 3\n"
                    "edges '-5' '' -1: 0 + 1\ntriangles '3' '' -1: 0 + 1\nquads '-5' '' -1: 0 + 1\n"
                    "tetrahedra '3' '' -1: 0 + 1\n");
    assert_string_equal(warnings, "");
}

/* Of format 2 each quadratic element has edges of its own; the figures of the manual say between which corners a node lies. */
static void gmsh_2_has_elements_of_all_kinds(void **state)
{
    (void)state;
    expect_contents(
        GMSH,
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Comments\n$ no section\n$EndComments\n$Nodes\n10\n1 0 0 0\n"
        "2 1 0 0\n3 2 0 0\n4 3 0 0\n5 4 0 0\n6 5 0 0\n7 6 0 0\n8 7 0 0\n9 8 0 0\n10 9 0 0\n$EndNodes\n"
        "$Elements\n14\n1 1 2 1 7 1 2\n2 2 3 1 7 8 1 2 3\n3 3 0 1 2 3 4\n4 4 1 9 1 2 3 4\n"
        "5 5 2 1 5 1 2 3 4 5 6 7 8\n6 8 2 1 7 1 2 9\n7 9 1 4 1 2 3 4 5 6\n"
        "8 11 1 9 1 2 3 4 5 6 7 8 9 10\n9 6 0 1 2 3 4 5 6\n10 77 0 1 2 3\n11 140 0 1 2 3\n11 141 0 1 2 3\n11 200 0 1 2 3\n12 2 1 8 3 2 1\n"
        "$EndElements\n",
        "position: 0 0 0, 1 0 0, 2 0 0, 3 0 0, 4 0 0, 5 0 0, 6 0 0, 7 0 0, 8 0 0, 9 0 0\n"
        "edge: 0 1, 0 1, 0 1, 1 2, 0 2, 0 1, 1 2, 0 2, 0 3, 2 3, 1 3\n"
        "triangle: 0 1 2, 0 1 2, 2 1 0\nquad: 0 1 2 3\ntetrahedron: 0 1 2 3, 0 1 2 3\n"
        "hexahedron: 0 1 2 3 4 5 6 7\n"
        "high_order_edge: 8 1 1 1, 3 2 1 1, 4 3 1 1, 5 4 1 1, 4 5 1 1, 5 6 1 1, 6 7 1 1, 7 8 1 1, 8 9 1 1, "
        "9 10 1 1\n"
        "edges '7' '' -1: 0 + 2\ntriangles '8' '' -1: 0 + 2\ntriangles '4' '' -1: 2 + 1\n"
        "quads '0' '' -1: 0 + 1\ntetrahedra '9' '' -1: 0 + 2\nhexahedra '5' '' -1: 0 + 1\n");
    assert_string_equal(warnings, "2 elements of Gmsh type 0 are skipped\n1 elements of Gmsh type 6 are skipped\n"
                                  "1 elements of Gmsh type 77 are skipped\n1 elements of Gmsh type 140 are skipped\n");
}

/* Of format 4 edges with the same ends are one, but for those that the file lists itself. */
static void gmsh_4_joins_edges_of_quadratic_elements(void **state)
{
    (void)state;
    expect_contents(GMSH,
                    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n3 9 1 9\n2 1 1 2\n1\n2\n0 0 0 7 7\n1 0 0 7 7\n"
                    "1 5 1 1\n3\n0 1 0 7\n3 1 0 6\n4\n5\n6\n7\n8\n9\n.5 0 0\n.5 .5 0\n0 .5 0\n1 1 0\n1 .5 0\n.5 1 0\n"
                    "$EndNodes\n$Elements\n3 5 1 9\n1 3 1 2\n1 2 3\n9 3 2\n2 1 9 2\n2 1 2 3 4 5 6\n3 2 7 3 8 9 5\n"
                    "1 3 8 1\n4 3 2 5\n$EndElements\n",
                    "position: 0 0 0, 1 0 0, 0 1 0, 0.5 0 0, 0.5 0.5 0, 0 0.5 0, 1 1 0, 1 0.5 0, 0.5 1 0\n"
                    "edge: 1 2, 2 1, 0 1, 0 2, 1 6, 2 6\ntriangle: 0 1 2, 1 6 2\n"
                    "high_order_edge: 3 2 1 1, 4 0 1 1, 5 3 1 1, 7 4 1 1, 8 5 1 1\n"
                    "edges '3' '' -1: 0 + 3\ntriangles '1' '' -1: 0 + 2\n");
    assert_string_equal(warnings, "");
}

/* An element of each type of the manual, then a triangle: it is read only if the right number of nodes has been passed over. */
static void gmsh_knows_how_many_nodes_each_type_has(void **state)
{
    (void)state;
    static const uint8_t nodes[32] = {0, 2,  3,  4,  4, 8,  6,  5,  3,  6,  9, 10, 27, 18, 14, 1,
                                      8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5,  6,  20, 35, 56};
    static const char kept[32] = {[1] = 1,  [2] = 1,  [3] = 1,  [4] = 1,  [5] = 1,  [8] = 1, [9] = 1,
                                  [10] = 1, [11] = 1, [12] = 1, [15] = 1, [16] = 1, [17] = 1};
    for (int type = 1; type < 32; type++)
        for (int binary = 0; binary < 2; binary++) {
            char bytes[2048], warning[64];
            size_t size = 0;
            put_text(bytes, &size, binary ? "$MeshFormat\n2.2 1 8\n" : "$MeshFormat\n2.2 0 8\n");
            if (binary)
                put(bytes, &size, &(int32_t){1}, 4, false);
            put_text(bytes, &size, "\n$EndMeshFormat\n$Nodes\n3\n");
            for (int32_t i = 1; i <= 3 && binary; i++) {
                put(bytes, &size, &i, 4, false);
                for (int c = 0; c < 3; c++)
                    put(bytes, &size, &(double){i + 0.25 * c}, 8, false);
            }
            put_text(bytes, &size, binary ? "" : "1 1 1.25 1.5\n2 2 2.25 2.5\n3 3 3.25 3.5\n");
            put_text(bytes, &size, "$EndNodes\n$Elements\n2\n");
            int32_t numbers[80] = {type, 1, 2, 4, 4, 4}; /* type, how many, tags; number, two tags */
            size_t count = 6;
            for (int i = 0; i < nodes[type]; i++)
                numbers[count++] = 1 + i % 3;
            const int32_t triangle[] = {2, 1, 0, 6, 3, 1, 2};
            memcpy(numbers + count, triangle, sizeof triangle);
            for (size_t i = 0; i < count + 7 && binary; i++)
                put(bytes, &size, &numbers[i], 4, false);
            for (size_t i = 2; i < count && !binary; i++) {
                char word[32];
                if (i == 3)
                    continue;
                snprintf(word, sizeof word, i == 2 ? "4 %d 2 " : "%d ", i == 2 ? type : numbers[i]);
                put_text(bytes, &size, word);
            }
            put_text(bytes, &size, binary ? "$EndElements\n" : "\n6 2 0 3 1 2\n$EndElements\n");
            DvMesh mesh = read_bytes(GMSH, bytes, size, NULL);
            assert_int_equal(mesh.triangle.count, type == 2 || type == 9 ? 2 : 1);
            assert_memory_equal(mesh.triangle.data[mesh.triangle.count - 1].at, ((uint32_t[]){2, 0, 1}), 12);
            assert_true(mesh.position.count == 3 && mesh.position.data[2].at[1] == 3.25);
            snprintf(warning, sizeof warning, "1 elements of Gmsh type %d are skipped\n", type);
            assert_string_equal(warnings, kept[type] ? "" : warning);
            dv_mesh_free(&mesh);
        }
}

/* ---- OBJ ---- */

static void obj_faces_keep_what_their_corners_name(void **state)
{
    (void)state;
    expect_contents(OBJ,
                    "# a sheet\r\nv 0 0 0\r\nv 1 0 0 1.0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 2 1 0\nv 2.5 .5 0\n"
                    "vt 0.5 0.5\nvt 0.25\nvn 0 0 2\nvn 3 0 0\n"
                    "f 1/1/1 2/2/1 3//2\nf 1 3 4 -1\n g back  side \nusemtl red\nf 2 5 7 6 3\nf 6 1\nl 1 2 3\n",
                    "position: 0 0 0, 1 0 0, 1 1 0, 0 1 0, 2 0 0, 2 1 0, 2.5 0.5 0\n"
                    "normal: 0 0 1, 0 0 1, 1 0 0, 0 0 0, 0 0 0, 0 0 0, 0 0 0\n"
                    "texcoord: 0.5 0.5, 0.25 0, 0 0, 0 0, 0 0, 0 0, 0 0\n"
                    "edge: 0 5, 0 1, 1 2\ntriangle: 0 1 2, 1 4 6, 1 6 5, 1 5 2\nquad: 0 2 3 6\n"
                    "edges 'back side' 'red' -1: 0 + 2\ntriangles 'Default_Group' '' -1: 0 + 1\n"
                    "triangles 'back side' 'red' -1: 1 + 1\nquads 'Default_Group' '' -1: 0 + 1\n"
                    "position_definition: 0 0 0, 1 0 0, 1 1 0, 0 1 0, 2 0 0, 2 1 0, 2.5 0.5 0\n"
                    "texcoord_definition: 0.5 0.5, 0.25 0\nnormal_definition: 0 0 2, 3 0 0\n"
                    "face_position: 0 1 2, 0 2 3 6, 1 4 6 5 2, 5 0, 0 1 2\n"
                    "face_texcoord: 0 1 -1, -1 -1 -1 -1, -1 -1 -1 -1 -1, -1 -1, -1 -1 -1\n"
                    "face_normal: 0 0 1, -1 -1 -1 -1, -1 -1 -1 -1 -1, -1 -1, -1 -1 -1\n"
                    "face_material: -1, -1, -1, -1, -1\n");
    assert_string_equal(warnings, "");
}

/* At a position a smaller u and a larger v win, by what they are smaller and larger. */
static void obj_takes_one_texture_coordinate_for_a_position(void **state)
{
    (void)state;
    static const char file[] =
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt .5 .5\nvt .5 .7\nvt .5 .4\nvt .4 .45\nvt .6 .55\nvt .4 .3\n"
        "f 1/1 2/1 3/1\nf 1/2 2/3 3/4\nf 1/1 2/5 3/6\n";
    DvMesh mesh = read_bytes(OBJ, file, sizeof file - 1, &(DvMeshOptions){0});
    assert_int_equal(mesh.texcoord.count, 3);
    const double expected[3][2] = {{.5, .7}, {.5, .5}, {.4, .45}};
    assert_memory_equal(mesh.texcoord.data, expected, sizeof expected);
    dv_mesh_free(&mesh);
}

static void add_warning(void *context, const char *text)
{
    dv_text_add(context, "%s\n", text);
}

/* Files that other readers take: corners that name what the file does not have, lines that end too early. Each kind is one line. */
static void obj_leaves_out_what_the_file_does_not_have(void **state)
{
    (void)state;
    static const char file[] = "v 0\nv 1 0 0\nv 0 1\nv 1 1 0\nvn 0 0 1\nvn 1\n"
                               "f 1/1 2/2/1 3/-1\nf 2/1/1 3//9 4/5/-7\nf 1 2 4\n";
    for (int seams = 0; seams < 2; seams++) {
        DvText said = {0};
        DvMesh mesh = {0};
        DvMeshReport report = {.warn = add_warning, .context = &said};
        if (!dv_mesh_read_obj(file, sizeof file - 1, &(DvMeshOptions){.handle_seams = seams}, &mesh, &report))
            fail_msg("%s", report.error);
        assert_string_equal(
            said.at, "v, vn or vt with too few numbers, those missing count as 0: line 1, 3, 6 (3 in all)\n"
                     "faces with texture coordinates that the file does not have, they get none: line 7, 8 (2 in all)\n"
                     "faces with normals that the file does not have, they get none: line 8 (1 in all)\n");
        assert_int_equal(mesh.triangle.count, 3);
        assert_int_equal(mesh.texcoord.count, 0);
        const double expected[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
        if (!seams) {
            assert_int_equal(mesh.position.count, 4);
            assert_memory_equal(mesh.position.data, expected, sizeof expected);
            assert_true(mesh.normal.data[1].at[2] == 1 && mesh.normal.data[0].at[2] == 0);
        }
        dv_mesh_free(&mesh);
        dv_text_free(&said);
    }
}

static void obj_vertices_of_seams_are_numbered_by_their_triples(void **state)
{
    (void)state;
    static const char file[] = "v 0 0 0\nv 9 9 9\nv 1 0 0\nv 0 1 0\nvt .25 .5\nvt 1 .75\nvn 0 0 1\nvn 0 1 0\n"
                               "f 1/2/1 3/1/1 4/1/1\nf 1/1/1 3/1/1 4/1/1\nf 1//2 3 4\n";
    expect_bytes(OBJ, file, sizeof file - 1, &(DvMeshOptions){.handle_seams = true},
                 "position: 0 0 0, 0 0 0, 0 0 0, 1 0 0, 1 0 0, 0 1 0, 0 1 0\n"
                 "normal: 0 1 0, 0 0 1, 0 0 1, 0 0 0, 0 0 1, 0 0 0, 0 0 1\n"
                 "texcoord: 0 0, 0.25 0.5, 1 0.75, 0 0, 0.25 0.5, 0 0, 0.25 0.5\n"
                 "triangle: 2 4 6, 1 4 6, 0 3 5\ntriangles 'Default_Group' '' -1: 0 + 3\n"
                 "position_definition: 0 0 0, 9 9 9, 1 0 0, 0 1 0\ntexcoord_definition: 0.25 0.5, 1 0.75\n"
                 "normal_definition: 0 0 1, 0 1 0\n"
                 "face_position: 0 2 3, 0 2 3, 0 2 3\nface_texcoord: 1 0 0, 0 0 0, -1 -1 -1\n"
                 "face_normal: 0 0 0, 0 0 0, 1 -1 -1\n"
                 "position_of_vertex: 0, 0, 0, 2, 2, 3, 3\nnormal_of_vertex: 0, 1, 1, 2, 3, 4, 5\n"
                 "face_material: -1, -1, -1\n");
}

static bool open_library(void *context, const char *name, char **bytes, size_t *size)
{
    static const char library[] =
        "Kd 5 5 5\nnewmtl blue\nKd 0 0 1\nNs 12\nd 0.5\n\nnewmtl red one\nKa 1 0 0\nKs .1 .2 .3\n"
        "map_Kd -s 1 1 1 tex.png\nbump rough stone.png\nTr 0.25\nNs x\nKd 1 2\nillum 2\nnewmtl blue\nKd 9 9 9\n"
        "newmtl aa\nmap_Kd two words.png\nbump -bm 2\tb.png\n";
    (void)context;
    if (strcmp(name, "my materials.mtl") != 0)
        return false;
    *size = sizeof library - 1;
    *bytes = dv_alloc(*size, 1);
    memcpy(*bytes, library, *size);
    return true;
}

static void obj_materials_have_all_that_their_library_says(void **state)
{
    (void)state;
    static const char file[] = "mtllib my materials.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nusemtl red one\nf 1 2 3\n"
                               "usemtl blue\nf 3 2 1\nusemtl green\nl 1 2\nusemtl aa\nf 1 2 3 1\n";
    expect_bytes(
        OBJ, file, sizeof file - 1, &(DvMeshOptions){.load_material = true, .open = open_library},
        "position: 0 0 0, 1 0 0, 0 1 0\nedge: 0 1\ntriangle: 0 1 2, 0 1 2, 2 1 0\nquad: 0 1 2 0\n"
        "edges 'Default_Group' 'green' -1: 0 + 1\n"
        "triangles 'Default_Group' '' -1: 0 + 1\ntriangles 'Default_Group' 'red one' 1: 1 + 1\n"
        "triangles 'Default_Group' 'blue' 0: 2 + 1\nquads 'Default_Group' 'aa' 3: 0 + 1\n"
        "position_definition: 0 0 0, 1 0 0, 0 1 0\n"
        "face_position: 0 1 2, 0 1 2, 2 1 0, 0 1, 0 1 2 0\n"
        "face_texcoord: -1 -1 -1, -1 -1 -1, -1 -1 -1, -1 -1, -1 -1 -1 -1\n"
        "face_normal: -1 -1 -1, -1 -1 -1, -1 -1 -1, -1 -1, -1 -1 -1 -1\n"
        "material 'blue' '' '': d+ 0 0 1 0.5 a+ 0.2 0.2 0.2 1 s- 1 1 1 1 e- 0 0 0 0 n+ 12\n"
        "material 'red one' 'tex.png' 'rough stone.png': d+ 0.75 0.75 0.75 0.25 a+ 1 0 0 1 s+ 0.1 0.2 0.3 1 "
        "e- 0 0 0 0 n- 45\n"
        "material 'blue' '' '': d+ 9 9 9 1 a+ 0.2 0.2 0.2 1 s- 1 1 1 1 e- 0 0 0 0 n- 45\n"
        "material 'aa' 'two words.png' 'b.png': d+ 0.75 0.75 0.75 1 a+ 0.2 0.2 0.2 1 s- 1 1 1 1 e- 0 0 0 0 n- 45\n"
        "first_material: 2\nface_material: -1, 1, 0, -1, 3\n");
    assert_string_equal(warnings, "");
}

/* ---- VTK ---- */

#define HEAD "# vtk DataFile Version 3.0\na title\n"
#define TEN                                                                                              \
    HEAD "ASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 10 double\n0 0 0 1 0 0 2 0 0 3 0 0 4 0 0 5 0 0 6 0 0" \
         " 7 0 0 8 0 0 9 0 0\n"
#define TEN_POSITIONS "position: 0 0 0, 1 0 0, 2 0 0, 3 0 0, 4 0 0, 5 0 0, 6 0 0, 7 0 0, 8 0 0, 9 0 0\n"

static void vtk_cells_of_all_types_become_elements(void **state)
{
    (void)state;
    expect_contents(
        VTK,
        TEN "CELLS 16 84\n0\n1 0\n2 8 9\n2 3 4\n4 0 1 2 3\n3 9 8 7\n5 0 1 2 3 4\n4 0 1 2 3\n4 4 5 6 7\n4 3 2 1 0\n"
            "8 0 1 2 3 4 5 6 7\n8 0 1 2 3 4 5 6 7\n3 7 8 9\n6 0 1 2 3 4 5\n4 0 1 2 3\n10 0 1 2 3 4 5 6 7 8 9\n"
            "CELL_TYPES 16\n0 1 2 3 4 5 7 8 9 10 11 12 21 22 6 24\n",
        TEN_POSITIONS
        "edge: 3 4, 7 8, 0 1, 1 2, 0 2, 0 1, 1 2, 0 2, 0 3, 1 3, 2 3\n"
        "triangle: 9 8 7, 0 1 2, 0 2 3, 0 3 4, 0 1 2, 0 2 1, 1 2 3\n"
        "quad: 0 1 3 2, 4 5 6 7\ntetrahedron: 3 2 1 0, 0 1 2 3\n"
        "hexahedron: 0 1 3 2 4 5 7 6, 0 1 2 3 4 5 6 7\npolyline: 0 1 2 3\n"
        "high_order_edge: 9 1 1 1, 3 2 1 1, 4 3 1 1, 5 4 1 1, 4 5 1 1, 5 6 1 1, 6 7 1 1, 7 8 1 1, 8 9 1 1, "
        "9 10 1 1\n");
    assert_string_equal(warnings, "");
    static const char file[] =
        TEN "CELLS 5 27\n3 0 1 2\n4 0 1 2 3\n4 4 5 6 7\n5 0 1 2 3 4\n6 0 1 2 3 4 5\nCELL_TYPES 5\n5 8 9 7 22\n";
    expect_bytes(VTK, file, sizeof file - 1, &(DvMeshOptions){.flip_normals = true},
                 TEN_POSITIONS
                 "edge: 0 1, 1 2, 0 2\ntriangle: 2 1 0, 2 1 0, 3 2 0, 4 3 0, 2 1 0\nquad: 2 3 1 0, 7 6 5 4\n"
                 "high_order_edge: 3 0 1 1, 4 1 1 1, 5 2 1 1\n");
    static const int refused[] = {13, 14, 15, 20, 27, 30, 42};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const bool pyramid = refused[i] == 14;
        char text[1024], error[128];
        snprintf(text, sizeof text, TEN "CELLS 2 %s\nCELL_TYPES 2\n1 %d\n",
                 pyramid ? "8\n1 0\n5 0 1 2 3 4" : "9\n1 0\n6 0 1 2 3 4 5", refused[i]);
        DvMesh mesh = {0};
        DvMeshReport report = {0};
        assert_false(mesh_read_vtk(text, strlen(text), &(DvMeshOptions){0}, &mesh, &report));
        snprintf(error, sizeof error, "cell 1 has type %d, which is not read", refused[i]);
        assert_string_equal(report.error, error);
        dv_mesh_free(&mesh);
    }
}

static void vtk_poly_data_have_faces_strips_lines_and_vertices(void **state)
{
    (void)state;
    expect_contents(VTK,
                    HEAD "ASCII\nDATASET POLYDATA\nPOINTS 6 float\n0 0 0 1 0 0 1 1 0 0 1 0 2 0 0 2 1 0\n"
                         "VERTICES 2 5\n1 0\n2 1 2\nPOLYGONS 4 17\n4 0 1 2 3\n5 0 1 4 5 2\n2 0 1\n2 1 0\n"
                         "TRIANGLE_STRIPS 2 11\n4 0 1 3 2\n5 1 4 2 5 3\nLINES 2 7\n3 0 1 2\n2 4 5\n",
                    "position: 0 0 0, 1 0 0, 1 1 0, 0 1 0, 2 0 0, 2 1 0\n"
                    "triangle: 0 1 4, 0 4 5, 0 5 2, 0 3 1, 1 3 2, 1 2 4, 4 2 5, 2 3 5\n"
                    "quad: 0 1 2 3\npolyline: 0 1 2, 4 5\n");
    assert_string_equal(warnings, "");
}

static void vtk_headers_may_say_a_version(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {" 1.0", ""},
        {" 5.1", ""},
        {" 5.2", "line 1: version 5.2 is newer than 5.1, the newest known\n"},
        {" 6", "line 1: version 6 is newer than 5.1, the newest known\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text, "# vtk DataFile Version%s\nt\nASCII\nDATASET POLYDATA\nPOINTS 1 float\n1 2 3\n",
                 cases[i][0]);
        expect_contents(VTK, text, "position: 1 2 3\n");
        DvMesh mesh = read_bytes(VTK, text, strlen(text), &(DvMeshOptions){0});
        assert_string_equal(warnings, cases[i][1]);
        dv_mesh_free(&mesh);
    }
}

/* What is given for points and for cells, under each of its keywords. */
static void vtk_arrays_have_their_components(void **state)
{
    (void)state;
    expect_contents(
        VTK,
        HEAD
        "ASCII\nDATASET POLYDATA\nPOINTS 2 double\n0 0 0 1 2 3\nLINES 1 3\n2 0 1\nPOINT_DATA 2\n"
        "SCALARS s double 2\nLOOKUP_TABLE default\n1 2 3 4\nSCALARS t int\n5 6\nLOOKUP_TABLE colors 1\n.1 .2 .3 .4\n"
        "VECTORS v float\n1 2 3 4 5 6\nNORMALS n double\n0 0 1 0 1 0\n"
        "TENSORS nine double\n1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18\n"
        "TENSORS6 six double\n1 2 3 4 5 6 7 8 9 10 11 12\nTEXTURE_COORDINATES uv 2 float\n.25 .5 .75 1\n"
        "COLOR_SCALARS c 3\n.5 .5 .5 1 1 1\nMETADATA\nINFORMATION 1\nNAME x LOCATION y\n\nCELL_DATA 1\n"
        "NORMALS m double\n1 0 0\nFIELD f 3\na 1 1 int\n7\nMETADATA\nINFORMATION 0\n\nb 2 3 float\n1 2 3 4 5 6\n"
        "w 1 4 double\nnan -inf Infinity 4\n",
        "position: 0 0 0, 1 2 3\nnormal: 0 0 1, 0 1 0\npolyline: 0 1\npoints s: 1 2, 3 4\npoints integral t: 5, 6\n"
        "points v: 1 2 3, 4 5 6\npoints nine: 1 2 3 4 5 6 7 8 9, 10 11 12 13 14 15 16 17 18\n"
        "points six: 1 2 3 4 5 6, 7 8 9 10 11 12\npoints uv: 0.25 0.5, 0.75 1\npoints c: 0.5 0.5 0.5, 1 1 1\n"
        "cells m: 1 0 0\ncells integral a: 7\ncells b: 1 2, 3 4, 5 6\ncells w: 0, 0, 0, 4\n");
    assert_string_equal(warnings, "3 values of array 'w' are not finite and became 0\n");
}

/* Up to 64 of them. */
static void vtk_arrays_have_up_to_64_components(void **state)
{
    (void)state;
    for (int components = 63; components <= 64; components++) {
        DvText text = {0}, expected = {0};
        dv_text_add(&text, HEAD "ASCII\nDATASET POLYDATA\nPOINTS 1 double\n1 2 3\nPOINT_DATA 1\nSCALARS s double %d\n",
                    components);
        dv_text_add(&expected, "position: 1 2 3\npoints s:");
        for (int i = 0; i < components; i++) {
            dv_text_add(&text, "%d ", i);
            dv_text_add(&expected, " %d", i);
        }
        dv_text_add(&text, "\n");
        dv_text_add(&expected, "\n");
        expect_contents(VTK, text.at, expected.at);
        dv_text_free(&text);
        dv_text_free(&expected);
    }
}

/* Two numbers of each type of both kinds of files: the largest and the smallest, or what a number with a fraction is. */
static const struct {
    const char *legacy, *xml;
    size_t bytes;
    int64_t values[2];
    bool real, integral;
} types[] = {
    {"char", "Int8", 1, {127, -128}, false, true},
    {"signed_char", "Int8", 1, {-1, 2}, false, true},
    {"unsigned_char", "UInt8", 1, {255, 128}, false, true},
    {"short", "Int16", 2, {32767, -32768}, false, true},
    {"unsigned_short", "UInt16", 2, {65535, 258}, false, true},
    {"int", "Int32", 4, {INT32_MAX, INT32_MIN}, false, true},
    {"unsigned_int", "UInt32", 4, {UINT32_MAX, 16909060}, false, true},
    {"long", "Int64", 8, {-((int64_t)1 << 40), ((int64_t)1 << 52) + 1}, false, true},
    {"vtktypeint64", "Int64", 8, {-2, 72623859790382856}, false, true},
    {"unsigned_long", "UInt64", 8, {((int64_t)1 << 62), 3}, false, true},
    {"vtktypeuint64", "UInt64", 8, {((int64_t)1 << 62), 3}, false, true},
    {"vtkIdType", "Int64", 8, {-7, 7}, false, true},
    {"float", "Float32", 4, {5, -9}, true, false},
    {"double", "Float64", 8, {5, -9}, true, false},
};

static void put_number(char *bytes, size_t *size, size_t type, int i, bool swap)
{
    const int64_t whole = types[type].values[i];
    const double wide = 0.25 * (double)whole;
    const float single = (float)wide;
    put(bytes, size,
        !types[type].real        ? (const void *)&whole
        : types[type].bytes == 4 ? (const void *)&single
                                 : &wide,
        types[type].bytes, swap);
}

static void expect_numbers(DvMesh *mesh, size_t type)
{
    assert_int_equal(mesh->attribute.count, 1);
    const DvMeshAttribute *attribute = &mesh->attribute.data[0];
    assert_int_equal(attribute->integral, types[type].integral);
    assert_true(attribute->tuples == 2 && attribute->components == 1 && !attribute->of_cells);
    for (int i = 0; i < 2; i++)
        assert_true(attribute->value[i] == (double)types[type].values[i] * (types[type].real ? 0.25 : 1));
    dv_mesh_free(mesh);
}

static void vtk_binary_numbers_of_all_types_are_read(void **state)
{
    (void)state;
    for (size_t type = 0; type < sizeof types / sizeof *types; type++)
        for (int variant = 0; variant < 3; variant++) { /* big-endian, unless the first cell tells the opposite */
            const bool little = variant == 1, cells = variant < 2;
            char bytes[512], line[64];
            size_t size = 0;
            put_text(bytes, &size, HEAD "BINARY\nDATASET POLYDATA\nPOINTS 2 double\n");
            for (int i = 0; i < 6; i++)
                put(bytes, &size, &(double){i}, 8, !little);
            put_text(bytes, &size, cells ? "\nLINES 1 3\n" : "");
            for (int i = 0; i < 3 && cells; i++)
                put(bytes, &size, (const int32_t[]){2, 0, 1} + i, 4, !little);
            snprintf(line, sizeof line, "\nPOINT_DATA 2\nSCALARS t %s\nLOOKUP_TABLE default\n", types[type].legacy);
            put_text(bytes, &size, line);
            for (int i = 0; i < 2; i++)
                put_number(bytes, &size, type, i, !little);
            DvMesh mesh = read_bytes(VTK, bytes, size, &(DvMeshOptions){0});
            assert_true(mesh.position.count == 2 && mesh.position.data[1].at[2] == 5);
            expect_numbers(&mesh, type);
        }
    char bytes[512];
    size_t size = 0;
    put_text(bytes, &size,
             HEAD "BINARY\nDATASET POLYDATA\nPOINTS 0 double\n\nPOINT_DATA 11\nSCALARS t bit\nLOOKUP_TABLE x\n");
    put(bytes, &size, (const uint8_t[]){0xb1, 0x60}, 2, false);
    put_text(bytes, &size, "\nSCALARS u unsigned_char\nLOOKUP_TABLE x\n");
    put(bytes, &size, "01234567890", 11, false);
    expect_bytes(VTK, bytes, size, &(DvMeshOptions){0},
                 "points integral t: 1, 0, 1, 1, 0, 0, 0, 1, 0, 1, 1\n"
                 "points integral u: 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 48\n");
}

static void encode_base64(const uint8_t *bytes, size_t size, char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    text += strlen(text);
    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i > 3 ? 3 : size - i;
        uint32_t group = (uint32_t)bytes[i] << 16;
        group |= left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
        group |= left > 2 ? bytes[i + 2] : 0;
        for (uint32_t j = 0; j < 4; j++)
            *text++ = j <= left ? letters[group >> (18 - 6 * j) & 63] : '=';
    }
    *text = 0;
}

static void xml_numbers_of_all_types_are_read(void **state)
{
    (void)state;
    for (size_t type = 0; type < sizeof types / sizeof *types; type++)
        for (int variant = 0; variant < 4; variant++) {
            const bool swap = variant & 1, wide = variant & 2;
            char block[64], text[1024];
            size_t size = 0;
            const uint64_t bytes = 2 * types[type].bytes;
            put(block, &size, &bytes, wide ? 8 : 4, swap);
            for (int i = 0; i < 2; i++)
                put_number(block, &size, type, i, swap);
            snprintf(text, sizeof text,
                     "<VTKFile type=\"PolyData\" byte_order=\"%s\" header_type=\"%s\"><PolyData>"
                     "<Piece NumberOfPoints=\"2\"><Points><DataArray type=\"Float32\">0 0 0 1 2 3</DataArray></Points>"
                     "<PointData><DataArray type=\"%s\" Name=\"t\" format=\"binary\">",
                     swap ? "BigEndian" : "LittleEndian", wide ? "UInt64" : "UInt32", types[type].xml);
            encode_base64((const uint8_t *)block, size, text);
            size = strlen(text);
            put_text(text, &size, "</DataArray></PointData></Piece></PolyData></VTKFile>");
            DvMesh mesh = read_bytes(VTK, text, size, &(DvMeshOptions){0});
            assert_true(mesh.position.count == 2 && mesh.position.data[1].at[2] == 3);
            expect_numbers(&mesh, type);
        }
}

/* Each piece numbers its own points; of its arrays the one that PointData says are the normals. */
static void xml_pieces_have_sections(void **state)
{
    (void)state;
#define ARRAY_OF(type, attributes, values) "<DataArray type=\"" type "\" " attributes ">" values "</DataArray>"
#define CELLS_OF(section, connectivity, offsets)                             \
    "<" section ">" ARRAY_OF("Int64", "Name=\"connectivity\"", connectivity) \
        ARRAY_OF("Int32", "Name=\"offsets\"", offsets) "</" section ">"
    expect_contents(
        VTK,
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\"><PolyData>"
        "<FieldData>" ARRAY_OF(
            "Float32", "Name=\"TimeValue\"",
            "7") "</FieldData>"
                 "<Piece NumberOfPoints=\"1\"><Points>" ARRAY_OF("Float64", "NumberOfComponents=\"3\"", "9 9 9") "</Points>" CELLS_OF(
                     "Verts", "0",
                     "1") "</Piece>"
                          "<Piece NumberOfPoints=\"5\"><PointData Scalars=\"p\" Normals=\"up\">" ARRAY_OF(
                              "Float32", "Name=\"up\" NumberOfComponents=\"3\"", "1 0 0 0 1 0 0 0 1 1 0 0 0 1 0")
                              ARRAY_OF("Int8", "Name=\"p\"", "5 4 3 2 1") ARRAY_OF(
                                  "String", "Name=\"q\"",
                                  "65 0") "</PointData>"
                                          "<CellData Normals=\"n\">" ARRAY_OF(
                                              "Float64", "Name=\"n\" NumberOfComponents=\"2\"",
                                              "1 2 3 4") "</CellData>"
                                                         "<Points>" ARRAY_OF(
                                                             "Float32", "Name=\"any\"",
                                                             "0 0 0 1 0 0 1 1 0 0 1 0 .5 2 0") "</Points>" CELLS_OF("Polys",
                                                                                                                    "0 1 2 3 3 2 4 0 1 2 4 3",
                                                                                                                    "4 7 12")
                                                             CELLS_OF("Lines", "0 1 2 3 4", "2 5")
                                                                 CELLS_OF("Strips", "0 1 3 2",
                                                                          "4") "</Piece></PolyData></VTKFile>",
        "position: 9 9 9, 0 0 0, 1 0 0, 1 1 0, 0 1 0, 0.5 2 0\n"
        "normal: 1 0 0, 0 1 0, 0 0 1, 1 0 0, 0 1 0\n"
        "triangle: 1 4 2, 2 4 3, 4 3 5, 1 2 3, 1 3 5, 1 5 4\nquad: 1 2 3 4\npolyline: 1 2, 3 4 5\n"
        "points integral p: 5, 4, 3, 2, 1\ncells n: 1 2, 3 4\n");
    assert_string_equal(warnings, "line 2: an array of type String is skipped\n");
    expect_contents(
        VTK,
        "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"4\" NumberOfCells=\"2\">"
        "<Points>" ARRAY_OF("Float64", "",
                            "0 0 0 1 0 0 0 1 0 0 0 1") "</Points><Cells>" ARRAY_OF("Int32", "Name=\"offsets\"", "4 7")
            ARRAY_OF("UInt8", "Name=\"types\"", "10 5") ARRAY_OF(
                "Int32", "Name=\"connectivity\"",
                "0 1 2 3 3 2 1") "</Cells></Piece>"
                                 "<Piece NumberOfPoints=\"3\"><Points>" ARRAY_OF(
                                     "Float64", "",
                                     "5 0 0 6 0 0 5 1 0") "</Points><Cells>" ARRAY_OF("Int32", "Name=\"offsets\"", "3")
                                     ARRAY_OF("UInt8", "Name=\"types\"", "5") ARRAY_OF(
                                         "Int32", "Name=\"connectivity\"", "2 0 1") "</Cells></Piece>"
                                                                                    "</UnstructuredGrid></VTKFile>",
        "position: 0 0 0, 1 0 0, 0 1 0, 0 0 1, 5 0 0, 6 0 0, 5 1 0\ntriangle: 3 2 1, 6 4 5\n"
        "tetrahedron: 0 1 2 3\n");
}

static void add_bytes(char *text, size_t *size, const uint8_t *bytes, size_t length, bool base64)
{
    if (!base64) {
        put(text, size, bytes, length, false);
        return;
    }
    text[*size] = 0;
    encode_base64(bytes, length, text + *size);
    *size += strlen(text + *size);
}

/* An array as blocks of three numbers, each compressed: how many blocks, their size, that of the last, compressed sizes. */
static void add_blocks(char *text, size_t *size, const double *values, uint32_t count, bool wide, bool base64)
{
    uint8_t head[256], packed[1024];
    size_t head_size = 0, packed_size = 0;
    const uint32_t blocks = (count + 2) / 3;
    const uint64_t words[3] = {blocks, 24, count % 3 * 8};
    for (int i = 0; i < 3; i++)
        put((char *)head, &head_size, &words[i], wide ? 8 : 4, false);
    for (uint32_t i = 0; i < blocks; i++) {
        uLongf length = sizeof packed - packed_size;
        const uint32_t left = count - 3 * i < 3 ? count - 3 * i : 3;
        assert_int_equal(compress(packed + packed_size, &length, (const Bytef *)(values + 3 * (size_t)i), 8 * left),
                         Z_OK);
        const uint64_t packed_length = length;
        put((char *)head, &head_size, &packed_length, wide ? 8 : 4, false);
        packed_size += length;
    }
    add_bytes(text, size, head, head_size, base64);
    add_bytes(text, size, packed, packed_size, base64);
}

/* Points, then arrays for 2 to 5 numbers of one and several blocks and one that is empty. */
static void xml_arrays_are_blocks_in_place_and_appended(void **state)
{
    (void)state;
    static const double values[12] = {0, 0.5, -1, 2, 3, 1e9, 4, 5, 6, 7, 8, 9};
    for (int variant = 0; variant < 16; variant++) {
        const bool wide = variant & 1, compressed = variant & 2, appended = variant & 4, raw = variant & 8;
        if (raw && !appended)
            continue;
        char text[8192], data[4096];
        size_t size = 0, data_size = 0;
        snprintf(text, sizeof text,
                 "<VTKFile type=\"PolyData\" header_type=\"%s\"%s><PolyData><Piece NumberOfPoints=\"4\">",
                 wide ? "UInt64" : "UInt32", compressed ? " compressor=\"vtkZLibDataCompressor\"" : "");
        size = strlen(text);
        for (uint32_t i = 0; i < 6; i++) {
            const uint32_t count = i == 0 ? 12 : i == 5 ? 0 : i + 1;
            put_text(text, &size, i == 0 ? "<Points>" : i == 1 ? "<PointData>" : "");
            snprintf(text + size, sizeof text - size,
                     "<DataArray type=\"Float64\" Name=\"a%u\" format=\"%s\" offset=\"%zu\">\n ", i,
                     appended ? "appended" : "binary", data_size);
            size += strlen(text + size);
            char *to = appended ? data : text;
            size_t *to_size = appended ? &data_size : &size;
            if (compressed) {
                add_blocks(to, to_size, values, count, wide, !raw);
            } else {
                char block[256];
                size_t block_size = 0;
                const uint64_t bytes = 8 * (uint64_t)count;
                put(block, &block_size, &bytes, wide ? 8 : 4, false);
                put(block, &block_size, values, 8 * (size_t)count, false);
                add_bytes(to, to_size, (const uint8_t *)block, block_size, !raw);
            }
            put_text(text, &size, i == 0 ? "</DataArray></Points>" : "\n</DataArray>");
        }
        put_text(text, &size, "</PointData></Piece></PolyData>");
        if (appended) {
            put_text(text, &size,
                     raw ? "<AppendedData encoding=\"raw\">\n _" : "<AppendedData encoding=\"base64\">\n _");
            put(text, &size, data, data_size, false);
            put_text(text, &size, "\n</AppendedData>");
        }
        put_text(text, &size, "</VTKFile>\n");
        DvMesh mesh = read_bytes(VTK, text, size, &(DvMeshOptions){0});
        DvText found = mesh_text(&mesh);
        assert_string_equal(found.at,
                            "position: 0 0.5 -1, 2 3 1e+09, 4 5 6, 7 8 9\npoints a1: 0, 0.5\npoints a2: 0, 0.5, -1\n"
                            "points a3: 0, 0.5, -1, 2\npoints a4: 0, 0.5, -1, 2, 3\npoints ");
        dv_text_free(&found);
        expect_reasons(VTK, text, size);
    }
    DvMesh mesh = {0};
    DvMeshReport report = {0};
    static const char open[] = "<VTKFile type=\"PolyData\">\n<AppendedData encoding=\"raw\"";
    assert_false(mesh_read_vtk(open, sizeof open - 1, &(DvMeshOptions){0}, &mesh, &report));
    assert_string_equal(report.error, "line 2: unclosed token");
    dv_mesh_free(&mesh);
}

/* ---- Faces of volumes ---- */

/* The faces of a volume close it: their areas cancel, and by Gauss they hold its volume. Those of prisms look inward, all others
 * outward. */
static void faces_of_volumes_close_them(void **state)
{
    (void)state;
    static const double cube[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                      {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    static const struct {
        uint32_t quads, triangles, edges;
        double volume; /* of that of the cube */
    } of[] = {{0, 4, 6, 1.0 / 6}, {6, 0, 12, 1}, {3, 2, 9, -1.0 / 2}, {1, 4, 8, 1.0 / 3}};
    const DvVec3 x = dv_vec3(2, 0.3, -0.1), y = dv_vec3(0.5, 1, 0.2), z = dv_vec3(-0.2, 0.4, 3);
    for (int kind = 0; kind < 4; kind++) {
        DvMesh mesh = {0};
        for (int i = 0; i < 8; i++) {
            const DvVec3 p =
                dv_vec3_madd(dv_vec3_madd(dv_vec3_madd(dv_vec3(5, 6, 7), cube[i][0], x), cube[i][1], y), cube[i][2], z);
            dv_array_push(&mesh.position, (DvPoint3){{p.x, p.y, p.z}});
        }
        if (kind == 0)
            dv_array_push(&mesh.tetrahedron, (DvTetrahedron){{0, 1, 3, 4}});
        else if (kind == 1)
            dv_array_push(&mesh.hexahedron, (DvHexahedron){{0, 1, 2, 3, 4, 5, 6, 7}});
        else if (kind == 2)
            dv_array_push(&mesh.prism, (DvPrism){{0, 1, 3, 4, 5, 7}});
        else
            dv_array_push(&mesh.pyramid, (DvPyramid){{0, 1, 2, 3, 6}});
        dv_mesh_create_subelements(&mesh);
        assert_int_equal(mesh.quad.count, of[kind].quads);
        assert_int_equal(mesh.triangle.count, of[kind].triangles);
        assert_int_equal(mesh.edge.count, of[kind].edges);
        dv_mesh_triangulate(&mesh, false);
        assert_int_equal(mesh.triangle.count, of[kind].triangles + 2 * of[kind].quads);
        DvVec3 area = dv_vec3(0, 0, 0);
        double volume = 0;
        for (uint32_t i = 0; i < mesh.triangle.count; i++) {
            DvVec3 p[3];
            for (int j = 0; j < 3; j++)
                p[j] = dv_vec3_load(mesh.position.data[mesh.triangle.data[i].at[j]].at);
            area = dv_vec3_add(area, dv_vec3_cross(dv_vec3_sub(p[1], p[0]), dv_vec3_sub(p[2], p[0])));
            volume += dv_vec3_dot(p[0], dv_vec3_cross(p[1], p[2])) / 6;
        }
        assert_true(dv_vec3_norm(area) < 1e-13);
        assert_true(fabs(volume - of[kind].volume * dv_vec3_dot(x, dv_vec3_cross(y, z))) < 1e-12);
        dv_mesh_free(&mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gmsh_1_finds_nodes_that_are_not_in_order),
        cmocka_unit_test(gmsh_2_has_elements_of_all_kinds),
        cmocka_unit_test(gmsh_4_joins_edges_of_quadratic_elements),
        cmocka_unit_test(gmsh_knows_how_many_nodes_each_type_has),
        cmocka_unit_test(obj_faces_keep_what_their_corners_name),
        cmocka_unit_test(obj_takes_one_texture_coordinate_for_a_position),
        cmocka_unit_test(obj_vertices_of_seams_are_numbered_by_their_triples),
        cmocka_unit_test(obj_leaves_out_what_the_file_does_not_have),
        cmocka_unit_test(obj_materials_have_all_that_their_library_says),
        cmocka_unit_test(vtk_cells_of_all_types_become_elements),
        cmocka_unit_test(vtk_poly_data_have_faces_strips_lines_and_vertices),
        cmocka_unit_test(vtk_headers_may_say_a_version),
        cmocka_unit_test(vtk_arrays_have_their_components),
        cmocka_unit_test(vtk_arrays_have_up_to_64_components),
        cmocka_unit_test(vtk_binary_numbers_of_all_types_are_read),
        cmocka_unit_test(xml_numbers_of_all_types_are_read),
        cmocka_unit_test(xml_pieces_have_sections),
        cmocka_unit_test(xml_arrays_are_blocks_in_place_and_appended),
        cmocka_unit_test(faces_of_volumes_close_them),
    };
    return cmocka_run_group_tests_name("contents of mesh files", tests, NULL, NULL);
}
