/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Readers of VTK files, legacy and XML: every encoding holds the same mesh; wrong files and what is said about them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "loader/readers.h"
#include <stdio.h>
#include <zlib.h>

static char warnings[1024];

static void keep_warning(void *context, const char *text)
{
    (void)context;
    snprintf(warnings + strlen(warnings), sizeof warnings - strlen(warnings), "%s\n", text);
}

static DvMesh read_bytes(const char *bytes, size_t size, bool flip)
{
    DvMesh mesh = {0};
    DvMeshReport report = {.warn = keep_warning};
    warnings[0] = 0;
    char *copy = dv_alloc(size, 1); /* without a zero behind it */
    memcpy(copy, bytes, size);
    const bool good = mesh_read_vtk(copy, size, &(DvMeshOptions){.flip_normals = flip}, &mesh, &report);
    dv_free(copy);
    if (!good)
        fail_msg("%s", report.error);
    return mesh;
}

static DvMesh read_text(const char *text)
{
    return read_bytes(text, strlen(text), false);
}

static void expect_error_of(const char *bytes, size_t size, const char *error)
{
    DvMesh mesh = {0};
    DvMeshReport report = {0};
    assert_false(mesh_read_vtk(bytes, size, &(DvMeshOptions){0}, &mesh, &report));
    assert_string_equal(report.error, error);
    dv_mesh_free(&mesh);
}

static void expect_error(const char *text, const char *error)
{
    expect_error_of(text, strlen(text), error);
}

#define expect_indices(array, position, ...)                                       \
    do {                                                                           \
        const uint32_t expected[] = {__VA_ARGS__};                                 \
        assert_true((array).count > (position));                                   \
        assert_memory_equal((array).data[position].at, expected, sizeof expected); \
    } while (0)

#define HEAD "# vtk DataFile Version 3.0\na title\n"

/* The mesh that all encodings hold: five points, a tetrahedron, a triangle, a number for each cell. */
static const double points[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1, 0.2, 0.3};

static void expect_the_mesh(DvMesh *mesh, bool single)
{
    assert_int_equal(mesh->position.count, 5);
    for (int i = 0; i < 15; i++)
        assert_true(mesh->position.data[i / 3].at[i % 3] == (single ? (double)(float)points[i] : points[i]));
    assert_int_equal(mesh->tetrahedron.count, 1);
    assert_int_equal(mesh->triangle.count, 1);
    expect_indices(mesh->tetrahedron, 0, 0, 1, 2, 3);
    expect_indices(mesh->triangle, 0, 1, 2, 4);
    assert_int_equal(mesh->attribute.count, 1);
    const DvMeshAttribute *attribute = &mesh->attribute.data[0];
    assert_string_equal(attribute->name, "region");
    assert_true(attribute->of_cells && attribute->integral && attribute->components == 1 && attribute->tuples == 2);
    assert_true(attribute->value[0] == 7 && attribute->value[1] == -2);
    dv_mesh_free(mesh);
}

static void legacy_text_is_read(void **state)
{
    (void)state;
#define POINTS_TEXT "0 0 0 1 0 0 0 1 0\n0 0 1 .1 .2 .3\n"
    DvMesh wide = read_text(HEAD "ASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n" POINTS_TEXT
                                 "CELLS 2 9\n4 0 1 2 3\n3 1 2 4\nCELL_TYPES 2\n10\n5\n"
                                 "CELL_DATA 2\nSCALARS region int 1\nLOOKUP_TABLE default\n7 -2\n");
    expect_the_mesh(&wide, false);
    DvMesh single =
        read_text("# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n" POINTS_TEXT
                  "METADATA\nINFORMATION 0\n\nCELLS 3 7\nOFFSETS vtktypeint64\n0 4 7\nCONNECTIVITY vtktypeint64\n"
                  "0 1 2 3 1 2 4\nCELL_TYPES 2\n10 5\nCELL_DATA 2\nFIELD FieldData 1\nregion 1 2 int\n7 -2\n");
    expect_the_mesh(&single, true);
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

static void legacy_binary_is_read_in_both_byte_orders(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        char bytes[1024];
        size_t size = 0;
        put_text(bytes, &size, HEAD "BINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n");
        for (int i = 0; i < 15; i++)
            put(bytes, &size, &(float){(float)points[i]}, 4, big);
        put_text(bytes, &size, "\nCELLS 2 9\n");
        const int32_t cells[] = {4, 0, 1, 2, 3, 3, 1, 2, 4}, types[] = {10, 5};
        for (int i = 0; i < 9; i++)
            put(bytes, &size, &cells[i], 4, big);
        put_text(bytes, &size, "\nCELL_TYPES 2\n");
        for (int i = 0; i < 2; i++)
            put(bytes, &size, &types[i], 4, big);
        put_text(bytes, &size, "\nCELL_DATA 2\nSCALARS region short\nLOOKUP_TABLE default\n");
        put(bytes, &size, &(int16_t){7}, 2, big);
        put(bytes, &size, &(int16_t){-2}, 2, big);
        DvMesh mesh = read_bytes(bytes, size, false);
        expect_the_mesh(&mesh, true);
        expect_error_of(bytes, size - 1, "line 14: 4 bytes of numbers are announced, 3 are left");
    }
}

/* Numbers of a legacy file are stored from the highest byte on, unless the counts of its cells say otherwise; those of version 5.1 have
 * none. */
static void offsets_of_version_5_1_are_in_the_byte_order_of_the_file(void **state)
{
    (void)state;
    char bytes[1024];
    size_t size = 0;
    put_text(bytes, &size, "# vtk DataFile Version 5.1\nt\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n");
    for (int i = 0; i < 15; i++)
        put(bytes, &size, &(float){(float)points[i]}, 4, true);
    put_text(bytes, &size, "\nCELLS 3 7\nOFFSETS vtktypeint64\n");
    for (int i = 0; i < 3; i++)
        put(bytes, &size, &(const int64_t[]){0, 4, 7}[i], 8, true);
    put_text(bytes, &size, "\nCONNECTIVITY vtktypeint64\n");
    for (int i = 0; i < 7; i++)
        put(bytes, &size, &(const int64_t[]){0, 1, 2, 3, 1, 2, 4}[i], 8, true);
    put_text(bytes, &size, "\nCELL_TYPES 2\n");
    put(bytes, &size, &(int32_t){10}, 4, true);
    put(bytes, &size, &(int32_t){5}, 4, true);
    put_text(bytes, &size, "\nCELL_DATA 2\nSCALARS region short\nLOOKUP_TABLE default\n");
    put(bytes, &size, &(int16_t){7}, 2, true);
    put(bytes, &size, &(int16_t){-2}, 2, true);
    DvMesh mesh = read_bytes(bytes, size, false);
    expect_the_mesh(&mesh, true);
}

static void poly_data_become_quads_fans_strips_and_lines(void **state)
{
    (void)state;
    DvMesh mesh = read_text(
        HEAD "ASCII\nDATASET POLYDATA\nPOINTS 6 double\n0 0 0 1 0 0 1 1 0 0 1 0 2 0 0 2 1 0\n"
             "POLYGONS 4 17\n4 0 1 2 3\n5 0 1 4 5 2\n2 0 1\n2 1 0\nTRIANGLE_STRIPS 1 5\n4 0 1 3 2\nLINES 1 4\n3 0 1 2\n"
             "POINT_DATA 6\nNORMALS n double\n0 0 1 0 0 1 0 0 1 0 0 1 0 0 1 0 0 1\n"
             "VECTORS wind float\nnan 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 2 3\n");
    expect_indices(mesh.quad, 0, 0, 1, 2, 3);
    assert_int_equal(mesh.triangle.count, 3 + 2);
    expect_indices(mesh.triangle, 1, 0, 4, 5);
    expect_indices(mesh.triangle, 3, 0, 3, 1); /* strips: as the tables of cells have them */
    expect_indices(mesh.triangle, 4, 1, 3, 2);
    assert_int_equal(dv_mesh_lists_count(&mesh.polyline), 1);
    assert_int_equal(mesh.normal.count, 6);
    assert_true(mesh.attribute.data[0].value[15] == 1 && mesh.attribute.data[0].value[0] == 0);
    assert_string_equal(warnings, "1 values of array 'wind' are not finite and became 0\n");
    dv_mesh_free(&mesh);
}

static void every_known_cell_type_becomes_elements(void **state)
{
    (void)state;
    static const char head[] = HEAD "ASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 10 double\n"
                                    "0 0 0 1 0 0 2 0 0 3 0 0 4 0 0 5 0 0 6 0 0 7 0 0 8 0 0 9 0 0\n";
    char text[1024];
    snprintf(
        text, sizeof text, "%s%s", head,
        "CELLS 11 60\n1 0\n2 3 4\n4 0 1 2 3\n5 0 1 2 3 4\n4 0 1 2 3\n4 4 5 6 7\n8 0 1 2 3 4 5 6 7\n8 0 1 2 3 4 5 6 7\n"
        "3 7 8 9\n6 0 1 2 3 4 5\n4 0 1 2 3\nCELL_TYPES 11\n1 3 4 7 8 9 11 12 21 22 6\n");
    DvMesh mesh = read_text(text);
    expect_indices(mesh.edge, 0, 3, 4);
    expect_indices(mesh.quad, 0, 0, 1, 3, 2);
    expect_indices(mesh.quad, 1, 4, 5, 6, 7);
    expect_indices(mesh.hexahedron, 0, 0, 1, 3, 2, 4, 5, 7, 6);
    expect_indices(mesh.hexahedron, 1, 0, 1, 2, 3, 4, 5, 6, 7);
    assert_int_equal(mesh.triangle.count, 3 + 1 + 2);
    expect_indices(mesh.high_order_edge, 0, 9, 1, 1, 1);
    expect_indices(mesh.edge, 1, 7, 8);
    assert_int_equal(mesh.high_order_edge.count, 4);
    dv_mesh_free(&mesh);

    snprintf(text, sizeof text, "%s%s", head, "CELLS 1 11\n10 0 1 2 3 4 5 6 7 8 9\nCELL_TYPES 1\n24\n");
    DvMesh quadratic = read_text(text);
    expect_indices(quadratic.tetrahedron, 0, 0, 1, 2, 3);
    expect_indices(quadratic.edge, 4, 1, 3); /* VTK's order: the fifth middle node lies between corners 1 and 3 */
    expect_indices(quadratic.high_order_edge, 4, 8, 4, 1, 1);
    dv_mesh_free(&quadratic);
    DvMesh flipped = read_bytes(head, strlen(head), true);
    assert_int_equal(flipped.position.count, 10);
    dv_mesh_free(&flipped);
}

static void flipped_faces_are_reversed(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "ASCII\nDATASET POLYDATA\nPOINTS 4 double\n0 0 0 1 0 0 1 1 0 0 1 0\nPOLYGONS 2 9\n4 0 1 2 3\n3 0 1 2\n";
    DvMesh mesh = read_bytes(text, strlen(text), true);
    expect_indices(mesh.quad, 0, 3, 2, 1, 0);
    expect_indices(mesh.triangle, 0, 2, 1, 0);
    dv_mesh_free(&mesh);
}

static void wrong_legacy_files_are_refused(void **state)
{
    (void)state;
#define GRID       HEAD "ASCII\nDATASET UNSTRUCTURED_GRID\n"
#define TWO_POINTS GRID "POINTS 2 float\n0 0 0\n1 1 1\n"
    expect_error("OFF\n", "line 1: expected '# vtk DataFile Version' or '<VTKFile'");
    expect_error(HEAD "HEX\n", "line 3: expected ASCII or BINARY, found 'HEX'");
    expect_error(HEAD "ASCII\nDATASET RECTILINEAR_GRID\n",
                 "line 4: dataset 'RECTILINEAR_GRID' is not read, only POLYDATA and UNSTRUCTURED_GRID");
    expect_error(GRID, "the file has no POINTS");
    expect_error(GRID "POINTS 2 string\n", "line 5: expected a type of numbers, found 'string'");
    expect_error(GRID "POINTS 2 float\n0 0 0\n1 one 1\n", "line 7: expected a number, found 'one'");
    expect_error(GRID "POINTS 20 float\n0 0 0\n", "line 5: 60 numbers are announced, 7 bytes are left");
    expect_error(GRID "POINTS 2 float\nnan 0 0 0 0 0\n", "line 6: expected a number, found 'nan'");
    expect_error(GRID "POINTS 2 float\n0 0 0\n1 1e39 1\n", "line 7: expected a number, found '1e39'");
    expect_error(TWO_POINTS "CELLS 1 3\n2 0 2\nCELL_TYPES 1\n3\n", "cell 0 uses point 2 of 2");
    expect_error(TWO_POINTS "CELLS 1 3\n2 0 1\nCELL_TYPES 1\n5\n", "cell 0 of type 5 has 2 points, expected 3");
    expect_error(TWO_POINTS "CELLS 1 3\n2 0 1\nCELL_TYPES 1\n42\n", "cell 0 has type 42, which is not read");
    expect_error(TWO_POINTS "CELLS 1 3\n2 0 1\n", "CELL_TYPES lists 0 types for 1 cells");
    expect_error(TWO_POINTS "CELLS 1 3\n5 0 1\nCELL_TYPES 1\n3\n", "line 8: cell 0 goes beyond the list of cells");
    expect_error(TWO_POINTS "CELLS 3 4\nOFFSETS int\n0 4 2\nCONNECTIVITY int\n0 1 0 1\nCELL_TYPES 2\n4 4\n",
                 "line 8: cell 1 goes beyond the list of cells");
    expect_error(TWO_POINTS "WEIGHTS 2\n", "line 8: unknown keyword 'WEIGHTS'");
}

/* XML */

/* Adds to a text in an array of `room` bytes. */
static void add_text(char *text, size_t room, const char *more)
{
    const size_t length = strlen(text);
    assert_true(length + strlen(more) < room);
    snprintf(text + length, room - length, "%s", more);
}

static void encode_base64(const uint8_t *bytes, size_t size, char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    text += strlen(text);
    for (size_t i = 0; i < size; i += 3) {
        const uint32_t left = (uint32_t)(size - i > 3 ? 3 : size - i);
        uint32_t group = (uint32_t)bytes[i] << 16;
        group |= left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
        group |= left > 2 ? bytes[i + 2] : 0;
        for (uint32_t j = 0; j < 4; j++)
            *text++ = j <= left ? letters[group >> (18 - 6 * j) & 63] : '=';
    }
    *text = 0;
}

typedef enum Coding {
    INLINE_TEXT,
    INLINE_BASE64,
    INLINE_ZLIB,
    APPENDED_RAW,
    APPENDED_BASE64,
    APPENDED_ZLIB,
    CODINGS
} Coding;

typedef struct XmlText {
    char head[8192], appended[4096];
    size_t appended_size;
    Coding coding;
} XmlText;

static void add_array(XmlText *xml, const char *name, const char *type, int components, const void *values,
                      size_t bytes, const char *text)
{
    char *at = xml->head + strlen(xml->head);
    at += snprintf(at, 512, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" ", type, name, components);
    if (xml->coding == INLINE_TEXT) {
        snprintf(at, 2048, "format=\"ascii\">%s</DataArray>\n", text);
        return;
    }
    uint8_t block[1024], packed[2048];
    uint32_t size = (uint32_t)bytes;
    memcpy(block, &size, 4);
    memcpy(block + 4, values, bytes);
    uLongf length = sizeof packed - 16;
    assert_int_equal(compress(packed + 16, &length, values, bytes), Z_OK);
    const uint32_t header[4] = {1, size, 0, (uint32_t)length};
    memcpy(packed, header, 16);
    switch (xml->coding) {
    case INLINE_BASE64:
        add_text(at, 2048, "format=\"binary\">\n  ");
        encode_base64(block, bytes + 4, at);
        add_text(at, 2048, "\n</DataArray>");
        return;
    case INLINE_ZLIB: /* the header by itself, padded, then the data */
        add_text(at, 2048, "format=\"binary\">\n  ");
        encode_base64(packed, 16, at);
        encode_base64(packed + 16, length, at);
        add_text(at, 2048, "\n</DataArray>");
        return;
    default:
        break;
    }
    snprintf(at, 2048, "format=\"appended\" offset=\"%zu\"/>", xml->appended_size);
    if (xml->coding == APPENDED_RAW) {
        memcpy(xml->appended + xml->appended_size, block, bytes + 4);
        xml->appended_size += bytes + 4;
        return;
    }
    xml->appended[xml->appended_size] = 0;
    if (xml->coding == APPENDED_BASE64) {
        encode_base64(block, bytes + 4, xml->appended);
    } else {
        encode_base64(packed, 16, xml->appended);
        encode_base64(packed + 16, length, xml->appended);
    }
    xml->appended_size = strlen(xml->appended);
}

static void every_encoding_of_xml_is_read(void **state)
{
    (void)state;
    static XmlText xml;
    for (int coding = 0; coding < CODINGS; coding++) {
        xml = (XmlText){.coding = (Coding)coding};
        const int64_t connectivity[] = {0, 1, 2, 3, 1, 2, 4};
        const int32_t offsets[] = {4, 7};
        const uint8_t types[] = {10, 5};
        const int16_t region[] = {7, -2};
        sprintf(
            xml.head,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" byte_order=\"LittleEndian\"%s>"
            "<UnstructuredGrid><Piece NumberOfPoints=\"5\" NumberOfCells=\"2\"><Points>",
            coding == INLINE_ZLIB || coding == APPENDED_ZLIB ? " compressor=\"vtkZLibDataCompressor\"" : "");
        add_array(&xml, "Points", "Float64", 3, points, sizeof points, POINTS_TEXT);
        add_text(xml.head, sizeof xml.head, "</Points><Cells>");
        add_array(&xml, "connectivity", "Int64", 1, connectivity, sizeof connectivity, "0 1 2 3 1 2 4");
        add_array(&xml, "offsets", "Int32", 1, offsets, sizeof offsets, "4 7");
        add_array(&xml, "types", "UInt8", 1, types, sizeof types, "10 5");
        add_text(xml.head, sizeof xml.head, "</Cells><CellData Scalars=\"region\">");
        add_array(&xml, "region", "Int16", 1, region, sizeof region, "7 -2");
        add_text(xml.head, sizeof xml.head, "</CellData></Piece></UnstructuredGrid>");
        char bytes[16384];
        size_t size = 0;
        put_text(bytes, &size, xml.head);
        if (coding >= APPENDED_RAW) {
            put_text(bytes, &size,
                     coding == APPENDED_RAW ? "<AppendedData encoding=\"raw\">\n_"
                                            : "<AppendedData encoding=\"base64\">\n_");
            put(bytes, &size, xml.appended, xml.appended_size, false);
            put_text(bytes, &size, "\n</AppendedData>");
        }
        put_text(bytes, &size, "</VTKFile>\n");
        DvMesh mesh = read_bytes(bytes, size, false);
        expect_the_mesh(&mesh, false);
        for (size_t cut = 0; cut < size; cut += 7) { /* no beginning of it does harm */
            DvMesh part = {0};
            DvMeshReport report = {0};
            char *copy = dv_alloc(cut, 1);
            memcpy(copy, bytes, cut);
            (void)!mesh_read_vtk(copy, cut, &(DvMeshOptions){0}, &part, &report);
            dv_free(copy);
            dv_mesh_free(&part);
        }
    }
}

static void pieces_of_poly_data_are_joined(void **state)
{
    (void)state;
#define PIECE(points, polys, offsets)                                                                                         \
    "<Piece NumberOfPoints=\"" #points "\"><PointData Normals=\"up\"><DataArray type=\"Float32\" Name=\"up\" "                \
    "NumberOfComponents=\"3\">0 0 1 0 0 1 0 0 1</DataArray></PointData><Points><DataArray type=\"Float32\">0 0 0 1 0 0 0 1 0" \
    "</DataArray></Points><Polys><DataArray type=\"Int32\" Name=\"connectivity\">" polys                                      \
    "</DataArray><DataArray type=\"Int32\" Name=\"offsets\">" offsets "</DataArray></Polys></Piece>"
    DvMesh mesh = read_text("<VTKFile type=\"PolyData\"><PolyData>" PIECE(3, "0 1 2", "3")
                                PIECE(3, "2 1 0", "3") "</PolyData></VTKFile>");
    assert_int_equal(mesh.position.count, 6);
    assert_int_equal(mesh.normal.count, 6);
    expect_indices(mesh.triangle, 1, 5, 4, 3);
    dv_mesh_free(&mesh);
}

static void wrong_xml_files_are_refused(void **state)
{
    (void)state;
#define XML(points, cells)                                                                               \
    "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid>\n<Piece NumberOfPoints=\"1\"><Points>" points \
    "</Points>\n<Cells>" cells "</Cells></Piece></UnstructuredGrid></VTKFile>"
#define POINT "<DataArray type=\"Float32\">0 0 0</DataArray>"
    expect_error("<Scene/>", "line 1: expected VTKFile, found 'Scene'");
    expect_error("<!DOCTYPE x><VTKFile/>", "line 1: a document type (DOCTYPE) is refused");
    expect_error("<VTKFile type=\"ImageData\"/>",
                 "line 1: dataset ImageData is not read, only UnstructuredGrid and PolyData");
    expect_error("<VTKFile type=\"PolyData\" compressor=\"vtkLZ4DataCompressor\"/>",
                 "line 1: compressor vtkLZ4DataCompressor is not read; save the file with zlib or without");
    expect_error("<VTKFile type=\"PolyData\"></VTKFile>", "the file has no Piece");
    expect_error("<VTKFile type=\"PolyData\">\n<PolyData>", "line 2: no element found");
    expect_error("<VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"-3\"/></PolyData></VTKFile>",
                 "line 1: NumberOfPoints is '-3', expected a number from 0 to 2147483647");
    expect_error(XML("<DataArray type=\"Float32\">0 0</DataArray>", ""),
                 "line 2: NumberOfPoints is 1, the points are 2 numbers");
    expect_error(XML("<DataArray type=\"Float32\">0 0 z</DataArray>", ""), "line 2: expected a number, found 'z'");
    expect_error(XML("<DataArray type=\"Float32\" format=\"binary\">AAAA</DataArray>", ""),
                 "line 2: DataArray '': it has fewer bytes than it says");
    expect_error(XML("<DataArray type=\"Float32\" format=\"appended\" offset=\"3\"/>", ""),
                 "line 2: DataArray '': its offset lies beyond the appended data");
    expect_error(XML(POINT, "<DataArray type=\"Int32\" Name=\"offsets\">1</DataArray>"),
                 "line 3: the cells need the arrays connectivity, offsets and types");
    expect_error(
        XML(POINT, "<DataArray type=\"Int32\" Name=\"offsets\">2</DataArray><DataArray type=\"Int32\" Name=\"types\">1"
                   "</DataArray><DataArray type=\"Int32\" Name=\"connectivity\">0</DataArray>"),
        "line 3: DataArray 'offsets': its values do not ascend, or go beyond the connectivity");
    char deep[1024] = "<VTKFile type=\"PolyData\">";
    for (int i = 0; i < 80; i++)
        add_text(deep, sizeof deep, "<a>");
    expect_error(deep, "line 1: elements are nested deeper than 64");
}

/* Blocks of zlib whose sizes do not fit: number of blocks, size, size of the last, compressed sizes. */
static void damaged_blocks_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t words[6];
        size_t count;
        const char *message;
    } cases[] = {
        {{1, 12}, 2, "the sizes of its blocks are missing"},
        {{2, 12, 0, 12}, 4, "more blocks are announced than there are bytes"},
        {{4, 12, 0, 12}, 4, "more blocks are announced than there are bytes"},
        {{5, 12, 0, 12}, 4, "more blocks are announced than there are bytes"},
        {{0x7fffffff, 12, 0, 12}, 4, "more blocks are announced than there are bytes"},
        {{1, 12, 0, 9, 1, 2}, 6, "a compressed block is longer than the data"},
        {{1, 12, 0, 8, 1, 2}, 6, "a compressed block is damaged"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024] =
            "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\" compressor=\"vtkZLibDataCompressor\">"
            "<UnstructuredGrid><Piece NumberOfPoints=\"1\"><Points><DataArray type=\"Float32\" "
            "format=\"binary\">",
             message[128];
        const size_t header = cases[i].count < 4 ? cases[i].count : 4;
        encode_base64((const uint8_t *)cases[i].words, 4 * header, text + strlen(text));
        if (cases[i].count > header)
            encode_base64((const uint8_t *)(cases[i].words + header), 4 * (cases[i].count - header),
                          text + strlen(text));
        add_text(text, sizeof text, "</DataArray></Points></Piece></UnstructuredGrid></VTKFile>");
        snprintf(message, sizeof message, "line 1: DataArray '': %s", cases[i].message);
        expect_error(text, message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(legacy_text_is_read),
        cmocka_unit_test(legacy_binary_is_read_in_both_byte_orders),
        cmocka_unit_test(offsets_of_version_5_1_are_in_the_byte_order_of_the_file),
        cmocka_unit_test(poly_data_become_quads_fans_strips_and_lines),
        cmocka_unit_test(every_known_cell_type_becomes_elements),
        cmocka_unit_test(flipped_faces_are_reversed),
        cmocka_unit_test(wrong_legacy_files_are_refused),
        cmocka_unit_test(every_encoding_of_xml_is_read),
        cmocka_unit_test(pieces_of_poly_data_are_joined),
        cmocka_unit_test(wrong_xml_files_are_refused),
        cmocka_unit_test(damaged_blocks_are_refused),
    };
    return cmocka_run_group_tests_name("VTK files", tests, NULL, NULL);
}
