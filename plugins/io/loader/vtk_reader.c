/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VTK legacy files (.vtk), text or binary: POLYDATA and UNSTRUCTURED_GRID, versions 1 to 5.1 (Kitware, VTK file
 * formats, "Simple legacy formats"). Files that start with < are the XML variant and go to vtk_xml_reader.c.
 *
 * Binary numbers are big-endian by definition, but there are files of the other kind: the order is taken by which the
 * first cell has the smaller number of points. So the bytes of all arrays are kept where they are until the whole file
 * has been walked, and turned into numbers then. Numbers declared `float` are rounded to single precision, in text
 * too.
 */
#include "vtk_cells.h"
#include <divan/kit/scanner.h>

#include <inttypes.h>
#include <math.h>

typedef struct Array {
    VtkType type;
    uint32_t count;
    const char *bytes; /* binary: in the file */
    double *value;     /* text: read; binary: once the byte order is known */
} Array;

/* Lists of points: POLYGONS, LINES, CELLS... Either `lists` (n, i_1 .. i_n, n, ...) or, from version 5.1, offsets and
 * indices. */
typedef struct CellLists {
    int type; /* of all; 0: polygons by the number of their corners, -1: CELL_TYPES says */
    uint32_t count, line;
    Array lists, offsets;
} CellLists;

typedef struct NamedArray {
    DvWord name;
    bool of_cells, normals;
    uint32_t components;
    Array array;
} NamedArray;

typedef struct VtkFile {
    DvScanner text;
    DvMesh *mesh;
    DvMeshReport *report;
    bool binary, flip, unstructured, has_points, of_cells;
    uint32_t tuples; /* of POINT_DATA or CELL_DATA */
    Array points, types;
    DV_ARRAY(CellLists) cells;
    DV_ARRAY(NamedArray) named;
} VtkFile;

static bool expected(VtkFile *file, const char *what)
{
    return dv_mesh_fail(file->report, "line %" PRIu32 ": expected %s, found %s", file->text.line, what,
                        dv_scanner_excerpt(file->text).text);
}

static bool read_count(VtkFile *file, uint32_t *count, const char *what)
{
    int64_t value;
    if (!dv_scanner_count(&file->text, &value))
        return expected(file, what);
    const size_t left = (size_t)(file->text.end - file->text.at);
    if ((uint64_t)value > 8 * (uint64_t)left + 8) /* a number takes at least one bit */
        return dv_mesh_fail(file->report, "line %" PRIu32 ": %s is %" PRId64 ", but only %zu bytes are left",
                            file->text.line, what, value, left);
    if (value > INT32_MAX)
        return dv_mesh_fail(file->report, "line %" PRIu32 ": %s is %" PRId64 ", more than %" PRId32, file->text.line,
                            what, value, INT32_MAX);
    *count = (uint32_t)value;
    return true;
}

static VtkType type_of(DvWord word)
{
    static const struct {
        const char *name;
        VtkType type;
    } types[] = {{"bit", VTK_BIT},
                 {"char", VTK_INT8},
                 {"signed_char", VTK_INT8},
                 {"unsigned_char", VTK_UINT8},
                 {"short", VTK_INT16},
                 {"unsigned_short", VTK_UINT16},
                 {"int", VTK_INT32},
                 {"unsigned_int", VTK_UINT32},
                 {"long", VTK_INT64},
                 {"unsigned_long", VTK_UINT64},
                 {"vtktypeint64", VTK_INT64},
                 {"vtktypeuint64", VTK_UINT64},
                 {"vtkidtype", VTK_INT64},
                 {"float", VTK_FLOAT},
                 {"double", VTK_DOUBLE}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (dv_word_is_caseless(word, types[i].name))
            return types[i].type;
    return VTK_NO_TYPE;
}

static bool read_type(VtkFile *file, VtkType *type)
{
    const DvWord word = dv_scanner_word(&file->text);
    *type = type_of(word);
    return *type != VTK_NO_TYPE || dv_mesh_fail(file->report, "line %" PRIu32 ": expected a type of numbers, found %s",
                                                file->text.line, dv_word_excerpt(word).text);
}

static void skip_line(VtkFile *file)
{
    DvScanner line;
    (void)dv_scanner_line(&file->text, &line);
}

/* A number of a text file; what is no number counts as one where only attributes hold it. */
static bool read_number(VtkFile *file, VtkType type, bool any, double *value)
{
    float single;
    if (type == VTK_FLOAT && dv_scanner_float(&file->text, &single)) {
        *value = (double)single;
        return true;
    }
    if (type != VTK_FLOAT && dv_scanner_double(&file->text, value))
        return true;
    if (any && dv_scanner_more(&file->text)) {
        DvScanner before = file->text;
        DvWord word = dv_scanner_word(&file->text);
        if (word.length && (word.text[0] == '-' || word.text[0] == '+'))
            word = (DvWord){word.text + 1, word.length - 1};
        *value = NAN;
        if (dv_word_is_caseless(word, "nan") || dv_word_is_caseless(word, "inf") ||
            dv_word_is_caseless(word, "infinity"))
            return true;
        file->text = before;
    }
    return expected(file, "a number");
}

/* `count` numbers follow, in the next line if they are binary. */
static bool read_array(VtkFile *file, VtkType type, uint64_t count, bool any, Array *array)
{
    if (count > INT32_MAX)
        return dv_mesh_fail(file->report, "line %" PRIu32 ": an array of %" PRIu64 " numbers", file->text.line, count);
    *array = (Array){.type = type, .count = (uint32_t)count};
    if (file->binary) {
        skip_line(file);
        const uint64_t bytes = vtk_bytes(type, count), left = (uint64_t)(file->text.end - file->text.at);
        if (bytes > left)
            return dv_mesh_fail(file->report,
                                "line %" PRIu32 ": %" PRIu64 " bytes of numbers are announced, %" PRIu64 " are left",
                                file->text.line, bytes, left);
        array->bytes = file->text.at;
        file->text.at += bytes;
        return true;
    }
    const uint64_t left = (uint64_t)(file->text.end - file->text.at);
    if (count > left / 2 + 1)
        return dv_mesh_fail(file->report,
                            "line %" PRIu32 ": %" PRIu64 " numbers are announced, %" PRIu64 " bytes are left",
                            file->text.line, count, left);
    array->value = dv_alloc(count, sizeof *array->value);
    for (uint64_t i = 0; i < count; i++)
        if (!read_number(file, type, any, &array->value[i]))
            return false;
    return true;
}

static bool read_points(VtkFile *file)
{
    uint32_t count;
    VtkType type;
    if (file->has_points)
        return dv_mesh_fail(file->report, "line %" PRIu32 ": a second list of points", file->text.line);
    file->has_points = true;
    return read_count(file, &count, "the number of points") && read_type(file, &type) &&
           read_array(file, type, (uint64_t)count * 3, false, &file->points);
}

/* `OFFSETS type`, the offsets, `CONNECTIVITY type`, the indices. */
static bool read_offsets(VtkFile *file, CellLists *cells, uint32_t offsets, uint32_t indices)
{
    VtkType type;
    (void)dv_scanner_word(&file->text);
    if (!read_type(file, &type) || !read_array(file, type, offsets, false, &cells->offsets))
        return false;
    if (!dv_word_is_caseless(dv_scanner_word(&file->text), "CONNECTIVITY"))
        return dv_mesh_fail(file->report, "line %" PRIu32 ": expected CONNECTIVITY", file->text.line);
    cells->count = offsets ? offsets - 1 : 0;
    return read_type(file, &type) && read_array(file, type, indices, false, &cells->lists);
}

static bool read_cells(VtkFile *file, int type)
{
    uint32_t count, size;
    if (!read_count(file, &count, "the number of cells") || !read_count(file, &size, "the size of the list of cells"))
        return false;
    dv_array_push(&file->cells, (CellLists){.type = type, .count = count, .line = file->text.line});
    CellLists *cells = &file->cells.data[file->cells.count - 1];
    DvScanner ahead = file->text;
    if (dv_word_is_caseless(dv_scanner_word(&ahead), "OFFSETS"))
        return read_offsets(file, cells, count, size);
    return read_array(file, VTK_INT32, size, false, &cells->lists);
}

static bool read_named(VtkFile *file, DvWord name, uint32_t components, uint64_t tuples, VtkType type, bool normals)
{
    dv_array_push(&file->named, (NamedArray){.name = name,
                                             .of_cells = file->of_cells,
                                             .normals = normals && !file->of_cells,
                                             .components = components});
    return read_array(file, type, components * tuples, true, &file->named.data[file->named.count - 1].array);
}

static bool read_scalars(VtkFile *file)
{
    const DvWord name = dv_scanner_word(&file->text);
    VtkType type;
    if (!read_type(file, &type))
        return false;
    uint32_t components = 1;
    DvScanner line = dv_scanner_start(NULL, 0), ahead = file->text; /* the file may end here */
    (void)dv_scanner_line(&ahead, &line);
    if (dv_scanner_more(&line) && !read_count(file, &components, "the number of components"))
        return false;
    if (components < 1 || components > 64)
        return dv_mesh_fail(file->report, "line %" PRIu32 ": %" PRIu32 " components", file->text.line, components);
    ahead = file->text;
    if (dv_word_is_caseless(dv_scanner_word(&ahead), "LOOKUP_TABLE")) {
        (void)dv_scanner_word(&ahead);
        file->text = ahead;
    }
    return read_named(file, name, components, file->tuples, type, false);
}

static bool read_vectors(VtkFile *file, uint32_t components, bool normals)
{
    const DvWord name = dv_scanner_word(&file->text);
    VtkType type;
    return read_type(file, &type) && read_named(file, name, components, file->tuples, type, normals);
}

static bool read_texture_coordinates(VtkFile *file)
{
    const DvWord name = dv_scanner_word(&file->text);
    uint32_t components;
    VtkType type;
    if (!read_count(file, &components, "the number of texture coordinates") || !read_type(file, &type))
        return false;
    if (components < 1 || components > 3)
        return dv_mesh_fail(file->report, "line %" PRIu32 ": %" PRIu32 " texture coordinates", file->text.line,
                            components);
    return read_named(file, name, components, file->tuples, type, false);
}

static bool read_colors(VtkFile *file)
{
    const DvWord name = dv_scanner_word(&file->text);
    uint32_t components;
    if (!read_count(file, &components, "the number of components"))
        return false;
    if (components < 1 || components > 64)
        return dv_mesh_fail(file->report, "line %" PRIu32 ": %" PRIu32 " components", file->text.line, components);
    return read_named(file, name, components, file->tuples, file->binary ? VTK_UINT8 : VTK_FLOAT, false);
}

static bool skip_lookup_table(VtkFile *file)
{
    uint32_t size;
    (void)dv_scanner_word(&file->text);
    Array ignored = {0};
    const bool good = read_count(file, &size, "the size of a lookup table") &&
                      read_array(file, file->binary ? VTK_UINT8 : VTK_FLOAT, (uint64_t)size * 4, true, &ignored);
    dv_free(ignored.value);
    return good;
}

/* Information keys, up to an empty line. */
static void skip_metadata(VtkFile *file)
{
    DvScanner line;
    skip_line(file);
    while (dv_scanner_line(&file->text, &line) && dv_scanner_more(&line)) {
    }
}

static bool read_field(VtkFile *file)
{
    uint32_t arrays;
    (void)dv_scanner_word(&file->text); /* the field's own name says nothing */
    if (!read_count(file, &arrays, "the number of arrays"))
        return false;
    for (uint32_t i = 0; i < arrays; i++) {
        DvWord name = dv_scanner_word(&file->text);
        while (dv_word_is_caseless(name, "METADATA")) {
            skip_metadata(file);
            name = dv_scanner_word(&file->text);
        }
        uint32_t components, tuples;
        VtkType type;
        if (!read_count(file, &components, "the number of components of an array") ||
            !read_count(file, &tuples, "the number of tuples of an array") || !read_type(file, &type))
            return false;
        if (components < 1)
            return dv_mesh_fail(file->report, "line %" PRIu32 ": an array without components", file->text.line);
        if (!read_named(file, name, components, tuples, type, false))
            return false;
    }
    return true;
}

static bool read_section(VtkFile *file, DvWord keyword)
{
    uint32_t count;
    if (dv_word_is_caseless(keyword, "POINTS"))
        return read_points(file);
    if (dv_word_is_caseless(keyword, "POLYGONS"))
        return read_cells(file, 0);
    if (dv_word_is_caseless(keyword, "LINES"))
        return read_cells(file, VTK_POLY_LINE);
    if (dv_word_is_caseless(keyword, "VERTICES"))
        return read_cells(file, 2);
    if (dv_word_is_caseless(keyword, "TRIANGLE_STRIPS"))
        return read_cells(file, VTK_TRIANGLE_STRIP);
    if (dv_word_is_caseless(keyword, "CELLS"))
        return read_cells(file, -1);
    if (dv_word_is_caseless(keyword, "CELL_TYPES")) {
        if (file->types.value || file->types.bytes)
            return dv_mesh_fail(file->report, "line %" PRIu32 ": a second list of cell types", file->text.line);
        return read_count(file, &count, "the number of cell types") &&
               read_array(file, VTK_INT32, count, false, &file->types);
    }
    if (dv_word_is_caseless(keyword, "POINT_DATA") || dv_word_is_caseless(keyword, "CELL_DATA")) {
        file->of_cells = keyword.text[0] == 'C' || keyword.text[0] == 'c';
        return read_count(file, &file->tuples, "the number of tuples");
    }
    if (dv_word_is_caseless(keyword, "SCALARS"))
        return read_scalars(file);
    if (dv_word_is_caseless(keyword, "VECTORS"))
        return read_vectors(file, 3, false);
    if (dv_word_is_caseless(keyword, "NORMALS"))
        return read_vectors(file, 3, true);
    if (dv_word_is_caseless(keyword, "TENSORS"))
        return read_vectors(file, 9, false);
    if (dv_word_is_caseless(keyword, "TENSORS6"))
        return read_vectors(file, 6, false);
    if (dv_word_is_caseless(keyword, "TEXTURE_COORDINATES"))
        return read_texture_coordinates(file);
    if (dv_word_is_caseless(keyword, "COLOR_SCALARS"))
        return read_colors(file);
    if (dv_word_is_caseless(keyword, "LOOKUP_TABLE"))
        return skip_lookup_table(file);
    if (dv_word_is_caseless(keyword, "FIELD"))
        return read_field(file);
    if (dv_word_is_caseless(keyword, "METADATA")) {
        skip_metadata(file);
        return true;
    }
    return dv_mesh_fail(file->report, "line %" PRIu32 ": unknown keyword %s", file->text.line,
                        dv_word_excerpt(keyword).text);
}

/* Whether binary numbers must be swapped on this machine, which is little-endian: files are big-endian unless the first
 * list of cells makes sense only the other way. */
static bool must_swap(const VtkFile *file)
{
    for (uint32_t i = 0; i < file->cells.count; i++) {
        const CellLists *cells = &file->cells.data[i];
        if (cells->lists.count == 0 || cells->offsets.bytes)
            continue;
        double big, little;
        vtk_convert(VTK_UINT32, true, cells->lists.bytes, 1, &big);
        vtk_convert(VTK_UINT32, false, cells->lists.bytes, 1, &little);
        return big <= little;
    }
    return true;
}

static void load(Array *array, bool swap)
{
    if (!array->bytes || array->value)
        return;
    array->value = dv_alloc(array->count, sizeof *array->value);
    vtk_convert(array->type, swap, array->bytes, array->count, array->value);
}

static bool add_cell(VtkFile *file, VtkSink *sink, const CellLists *cells, uint32_t cell, const double *point,
                     uint32_t count)
{
    if (cells->type == 0)
        return vtk_add_polygon(sink, point, count);
    if (cells->type > 0)
        return vtk_add_cell(sink, cells->type, point, count);
    if (cell >= file->types.count)
        return dv_mesh_fail(file->report, "CELL_TYPES lists %" PRIu32 " types for %" PRIu32 " cells", file->types.count,
                            cells->count);
    return vtk_add_cell(sink, vtk_cell_type(file->types.value[cell]), point, count);
}

static bool add_cells(VtkFile *file, VtkSink *sink, const CellLists *cells)
{
    const double *list = cells->lists.value;
    uint32_t at = 0;
    sink->cells = 0;
    for (uint32_t i = 0; i < cells->count; i++) {
        double begin = at + 1.0, count = 0;
        if (cells->offsets.value) {
            begin = cells->offsets.value[i];
            count = cells->offsets.value[i + 1] - begin;
        } else if (at < cells->lists.count) {
            count = list[at];
        } else {
            begin = cells->lists.count + 1.0;
        }
        if (!(begin >= at && count >= 0 && begin + count <= cells->lists.count))
            return dv_mesh_fail(file->report, "line %" PRIu32 ": cell %" PRIu32 " goes beyond the list of cells",
                                cells->line, i);
        if (!add_cell(file, sink, cells, i, list + (uint32_t)begin, (uint32_t)count))
            return false;
        at = (uint32_t)(begin + count);
    }
    return true;
}

static bool convert(VtkFile *file)
{
    const bool swap = file->binary && must_swap(file);
    load(&file->points, swap);
    load(&file->types, swap);
    if (!file->has_points)
        return dv_mesh_fail(file->report, "the file has no POINTS");
    VtkSink sink = {.mesh = file->mesh, .report = file->report, .flip = file->flip, .points = file->points.count / 3};
    if (!vtk_add_positions(&sink, file->points.value, file->points.count))
        return false;
    for (uint32_t i = 0; i < file->cells.count; i++) {
        CellLists *cells = &file->cells.data[i];
        load(&cells->lists, swap);
        load(&cells->offsets, swap);
        if (cells->type == -1 && file->types.count < cells->count)
            return dv_mesh_fail(file->report, "CELL_TYPES lists %" PRIu32 " types for %" PRIu32 " cells",
                                file->types.count, cells->count);
        if (!add_cells(file, &sink, cells))
            return false;
    }
    for (uint32_t i = 0; i < file->named.count; i++) {
        NamedArray *named = &file->named.data[i];
        load(&named->array, swap);
        vtk_add_attribute(&sink, named->name.text, named->name.length, named->of_cells, named->normals,
                          vtk_is_integral(named->array.type), named->components, named->array.value,
                          named->array.count);
        named->array.value = NULL;
    }
    return true;
}

static bool read_header(VtkFile *file)
{
    static const char title[] = "# vtk DataFile Version";
    DvScanner line;
    if (!dv_scanner_line(&file->text, &line) || (size_t)(line.end - line.at) < sizeof title - 1 ||
        memcmp(line.at, title, sizeof title - 1) != 0)
        return dv_mesh_fail(file->report, "line 1: expected '%s' or '<VTKFile'", title);
    line.at += sizeof title - 1;
    double version = 0;
    if (dv_scanner_double(&line, &version) && version >= 5.2)
        dv_mesh_warn(file->report, "line 1: version %g is newer than 5.1, the newest known", version);
    skip_line(file); /* a title */
    const DvWord kind = dv_scanner_word(&file->text);
    file->binary = dv_word_is_caseless(kind, "BINARY");
    if (!file->binary && !dv_word_is_caseless(kind, "ASCII"))
        return dv_mesh_fail(file->report, "line %" PRIu32 ": expected ASCII or BINARY, found %s", file->text.line,
                            dv_word_excerpt(kind).text);
    DvWord word = dv_scanner_word(&file->text);
    if (dv_word_is_caseless(word, "DATASET"))
        word = dv_scanner_word(&file->text);
    file->unstructured = dv_word_is_caseless(word, "UNSTRUCTURED_GRID");
    if (!file->unstructured && !dv_word_is_caseless(word, "POLYDATA"))
        return dv_mesh_fail(file->report,
                            "line %" PRIu32 ": dataset %s is not read, only POLYDATA and UNSTRUCTURED_GRID",
                            file->text.line, dv_word_excerpt(word).text);
    return true;
}

static bool read_file(VtkFile *file)
{
    if (!read_header(file))
        return false;
    while (dv_scanner_more(&file->text))
        if (!read_section(file, dv_scanner_word(&file->text)))
            return false;
    return convert(file);
}

bool mesh_read_vtk(const void *bytes, size_t size, const DvMeshOptions *options, DvMesh *mesh, DvMeshReport *report)
{
    DvScanner start = dv_scanner_start(bytes, size);
    if (dv_scanner_more(&start) && *start.at == '<')
        return mesh_read_vtk_xml(start.at, (size_t)(start.end - start.at), options, mesh, report);
    VtkFile file = {
        .text = dv_scanner_start(bytes, size), .mesh = mesh, .report = report, .flip = options->flip_normals};
    const bool good = read_file(&file);
    dv_free(file.points.value);
    dv_free(file.types.value);
    for (uint32_t i = 0; i < file.cells.count; i++) {
        dv_free(file.cells.data[i].lists.value);
        dv_free(file.cells.data[i].offsets.value);
    }
    dv_array_free(&file.cells);
    for (uint32_t i = 0; i < file.named.count; i++)
        dv_free(file.named.data[i].array.value);
    dv_array_free(&file.named);
    return good;
}
