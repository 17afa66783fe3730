/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VTK XML files (.vtu, .vtp): UnstructuredGrid and PolyData, arrays as text, as base64 in place, or appended as base64
 * or raw bytes, each also compressed by zlib (Kitware, VTK file formats, "XML file formats").
 *
 * expat reads up to the appended data, which are no XML; what the arrays of a piece mean is settled when all are
 * known. A document type is refused, so that no entity can be defined. Inflated data are limited to 256 MiB for a
 * file, and arrays must not share appended bytes.
 */
#include "vtk_cells.h"
#include <divan/kit/scanner.h>

#define ZLIB_CONST /* zlib does not write to its input */
#include <expat.h>
#include <inttypes.h>
#include <stdlib.h>
#include <zlib.h>

enum { DEEPEST = 64, MOST_PIECES = 100000 };
#define MOST_INFLATED ((uint64_t)1 << 28)

typedef enum Section {
    NO_SECTION,
    POINTS,
    CELLS,
    POLYS,
    LINES,
    VERTS,
    STRIPS,
    POINT_DATA,
    CELL_DATA,
    SECTIONS
} Section;

typedef enum Encoding { TEXT, BASE64, APPENDED } Encoding;

typedef DV_ARRAY(char) CharArray;

typedef struct DataArray {
    uint32_t piece, line, components;
    Section section;
    VtkType type;
    Encoding encoding;
    char *name;
    bool normals;
    uint64_t offset; /* of appended data */
    CharArray text;
    double *value;
    uint32_t count;
} DataArray;

typedef struct Piece {
    uint32_t points, line;
} Piece;

typedef struct XmlFile {
    XML_Parser parser;
    DvMesh *mesh;
    DvMeshReport *report;
    const DvMeshOptions *options;
    const char *bytes, *appended; /* the file; what follows the '_' of appended data, or NULL */
    size_t size, appended_size;
    bool failed, polydata, swap, wide_header, compressed, appended_base64;
    uint32_t depth;
    uint32_t piece_depth; /* 0: not inside a Piece */
    Section section;
    char *normals; /* name of the array that PointData calls its normals */
    DV_ARRAY(Piece) piece;
    DV_ARRAY(DataArray) array;
    bool in_array;
    uint64_t inflated, taken; /* bytes of all arrays so far: inflated, and stored plainly */
} XmlFile;

static uint32_t line_of(const XmlFile *file)
{
    return (uint32_t)XML_GetCurrentLineNumber(file->parser);
}

static void stop(XmlFile *file)
{
    file->failed = true;
    (void)XML_StopParser(file->parser, XML_FALSE);
}

static const char *attribute(const XML_Char **attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

static bool attribute_is(const XML_Char **attributes, const char *name, const char *value)
{
    const char *text = attribute(attributes, name);
    return text && strcmp(text, value) == 0;
}

/* A number from 0 to `most`; `missing` when there is no such attribute. */
static bool attribute_number(XmlFile *file, const XML_Char **attributes, const char *name, uint64_t missing,
                             uint64_t most, uint64_t *value)
{
    const char *text = attribute(attributes, name);
    *value = missing;
    if (!text)
        return true;
    DvScanner digits = dv_scanner_start(text, strlen(text));
    int64_t number;
    if (!dv_scanner_integer(&digits, &number) || dv_scanner_more(&digits) || number < 0 || (uint64_t)number > most)
        return dv_mesh_fail(file->report, "line %" PRIu32 ": %s is %s, expected a number from 0 to %" PRIu64,
                            line_of(file), name, dv_word_excerpt((DvWord){text, strlen(text)}).text, most);
    *value = (uint64_t)number;
    return true;
}

static VtkType type_of(const char *name)
{
    static const struct {
        const char *name;
        VtkType type;
    } types[] = {{"Int8", VTK_INT8},     {"UInt8", VTK_UINT8},   {"Int16", VTK_INT16}, {"UInt16", VTK_UINT16},
                 {"Int32", VTK_INT32},   {"UInt32", VTK_UINT32}, {"Int64", VTK_INT64}, {"UInt64", VTK_UINT64},
                 {"Float32", VTK_FLOAT}, {"Float64", VTK_DOUBLE}};
    for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
        if (strcmp(name, types[i].name) == 0)
            return types[i].type;
    return VTK_NO_TYPE;
}

static bool start_file(XmlFile *file, const XML_Char **attributes)
{
    const char *kind = attribute(attributes, "type"), *compressor = attribute(attributes, "compressor");
    file->polydata = kind && strcmp(kind, "PolyData") == 0;
    if (!file->polydata && (!kind || strcmp(kind, "UnstructuredGrid") != 0))
        return dv_mesh_fail(file->report,
                            "line %" PRIu32 ": dataset %s is not read, only UnstructuredGrid and PolyData",
                            line_of(file), kind ? kind : "without a type");
    file->swap = attribute_is(attributes, "byte_order", "BigEndian");
    file->wide_header = attribute_is(attributes, "header_type", "UInt64");
    file->compressed = compressor != NULL;
    if (compressor && strcmp(compressor, "vtkZLibDataCompressor") != 0)
        return dv_mesh_fail(file->report,
                            "line %" PRIu32 ": compressor %s is not read; save the file with zlib or without",
                            line_of(file), compressor);
    return true;
}

static bool start_array(XmlFile *file, const XML_Char **attributes)
{
    const char *format = attribute(attributes, "format"), *name = attribute(attributes, "Name");
    const char *type = attribute(attributes, "type");
    uint64_t components, offset;
    if (!attribute_number(file, attributes, "NumberOfComponents", 1, 1000, &components) ||
        !attribute_number(file, attributes, "offset", 0, INT64_MAX, &offset))
        return false;
    DataArray array = {.piece = file->piece.count - 1,
                       .line = line_of(file),
                       .components = components ? (uint32_t)components : 1,
                       .section = file->section,
                       .type = type_of(type),
                       .offset = offset};
    if (array.type == VTK_NO_TYPE) {
        if (file->section == POINT_DATA ||
            file->section == CELL_DATA) { /* names and other text: nothing to compute with */
            dv_mesh_warn(file->report, "line %" PRIu32 ": an array of type %s is skipped", line_of(file),
                         type ? type : "unknown");
            return true;
        }
        return dv_mesh_fail(file->report, "line %" PRIu32 ": a DataArray of type %s", line_of(file),
                            type ? type : "unknown");
    }
    if (!format || strcmp(format, "ascii") == 0)
        array.encoding = TEXT;
    else if (strcmp(format, "binary") == 0)
        array.encoding = BASE64;
    else if (strcmp(format, "appended") == 0)
        array.encoding = APPENDED;
    else
        return dv_mesh_fail(file->report, "line %" PRIu32 ": format '%s' is none of ascii, binary, appended",
                            line_of(file), format);
    array.name = dv_strdup(name ? name : "");
    array.normals = file->section == POINT_DATA && file->normals && strcmp(file->normals, array.name) == 0;
    dv_array_push(&file->array, array);
    file->in_array = true;
    return true;
}

static bool start_element(XmlFile *file, const char *name, const XML_Char **attributes)
{
    static const char *const sections[SECTIONS] = {
        [POINTS] = "Points", [CELLS] = "Cells",   [POLYS] = "Polys",          [LINES] = "Lines",
        [VERTS] = "Verts",   [STRIPS] = "Strips", [POINT_DATA] = "PointData", [CELL_DATA] = "CellData"};
    if (file->depth == 1)
        return strcmp(name, "VTKFile") == 0
                   ? start_file(file, attributes)
                   : dv_mesh_fail(file->report, "line %" PRIu32 ": expected VTKFile, found %s", line_of(file),
                                  dv_word_excerpt((DvWord){name, strlen(name)}).text);
    if (strcmp(name, "Piece") == 0 && file->piece_depth == 0) {
        uint64_t points;
        if (!attribute_number(file, attributes, "NumberOfPoints", 0, INT32_MAX, &points))
            return false;
        if (file->piece.count >= MOST_PIECES)
            return dv_mesh_fail(file->report, "line %" PRIu32 ": more than %d pieces", line_of(file), MOST_PIECES);
        dv_array_push(&file->piece, (Piece){(uint32_t)points, line_of(file)});
        file->piece_depth = file->depth;
        return true;
    }
    if (file->piece_depth == 0)
        return true;
    if (file->depth == file->piece_depth + 1) {
        for (int i = 1; i < SECTIONS; i++)
            if (strcmp(name, sections[i]) == 0)
                file->section = (Section)i;
        dv_free(file->normals);
        file->normals = dv_strdup(file->section == POINT_DATA ? attribute(attributes, "Normals") : NULL);
        return true;
    }
    if (file->section != NO_SECTION && file->depth == file->piece_depth + 2 && strcmp(name, "DataArray") == 0)
        return start_array(file, attributes);
    return true;
}

static void on_start(void *context, const XML_Char *name, const XML_Char **attributes)
{
    XmlFile *file = context;
    if (file->failed)
        return;
    file->depth++;
    if (file->depth > DEEPEST) {
        dv_mesh_set_error(file->report, "line %" PRIu32 ": elements are nested deeper than %d", line_of(file), DEEPEST);
        stop(file);
    } else if (!start_element(file, name, attributes)) {
        stop(file);
    }
}

static void on_end(void *context, const XML_Char *name)
{
    (void)name;
    XmlFile *file = context;
    if (file->depth == file->piece_depth)
        file->piece_depth = 0;
    else if (file->piece_depth && file->depth == file->piece_depth + 1)
        file->section = NO_SECTION;
    else
        file->in_array = false;
    file->depth--;
}

static void on_text(void *context, const XML_Char *text, int length)
{
    XmlFile *file = context;
    if (!file->in_array || file->failed)
        return;
    CharArray *to = &file->array.data[file->array.count - 1].text;
    dv_array_reserve(to, (uint64_t)to->count + (uint64_t)length);
    memcpy(to->data + to->count, text, (size_t)length);
    to->count += (uint32_t)length;
}

static void on_doctype(void *context, const XML_Char *name, const XML_Char *system, const XML_Char *public, int subset)
{
    (void)name, (void)system, (void)public, (void)subset;
    XmlFile *file = context;
    dv_mesh_set_error(file->report, "line %" PRIu32 ": a document type (DOCTYPE) is refused", line_of(file));
    stop(file);
}

/* Groups of four letters, white space between them skipped; '=' ends a block, after which another may follow. Stops at
 * the first other character or when `limit` bytes are there (0: no limit). */
static CharArray decode_base64(const char *text, size_t size, uint64_t limit)
{
    CharArray bytes = {0};
    uint32_t group = 0, letters = 0, padding = 0;
    for (size_t i = 0; i < size && (limit == 0 || bytes.count < limit); i++) {
        const char c = text[i];
        uint32_t digit;
        if (c >= 'A' && c <= 'Z')
            digit = (uint32_t)(c - 'A');
        else if (c >= 'a' && c <= 'z')
            digit = (uint32_t)(c - 'a') + 26;
        else if (c >= '0' && c <= '9')
            digit = (uint32_t)(c - '0') + 52;
        else if (c == '+')
            digit = 62;
        else if (c == '/')
            digit = 63;
        else if (c == '=')
            digit = 0;
        else if (c == ' ' || c == '\n' || c == '\r' || c == '\t')
            continue;
        else
            break;
        padding += c == '=';
        group = group << 6 | digit;
        if (++letters < 4)
            continue;
        for (uint32_t j = 0; j < (padding > 2 ? 1 : 3 - padding); j++)
            dv_array_push(&bytes, (char)(group >> (16 - 8 * j) & 0xff));
        group = letters = padding = 0;
    }
    return bytes;
}

static uint64_t header_number(const XmlFile *file, const char *bytes)
{
    double value;
    vtk_convert(file->wide_header ? VTK_UINT64 : VTK_UINT32, file->swap, bytes, 1, &value);
    return value < 0x1p62 ? (uint64_t)value : UINT64_MAX >> 1;
}

static bool damaged(XmlFile *file, const DataArray *array, const char *what)
{
    return dv_mesh_fail(file->report, "line %" PRIu32 ": DataArray '%.60s': %s", array->line, array->name, what);
}

/* Inflates the blocks that follow their sizes: number of blocks, size of each, size of the last, compressed sizes. */
static bool inflate_blocks(XmlFile *file, const DataArray *array, const char *bytes, uint64_t size, CharArray *plain)
{
    const uint64_t word = file->wide_header ? 8 : 4;
    if (size < 3 * word)
        return damaged(file, array, "the sizes of its blocks are missing");
    const uint64_t blocks = header_number(file, bytes);
    if (blocks > size / word || (3 + blocks) * word > size)
        return damaged(file, array, "more blocks are announced than there are bytes");
    uint64_t at = (3 + blocks) * word;
    for (uint64_t block = 0; block < blocks; block++) {
        const uint64_t packed = header_number(file, bytes + (3 + block) * word);
        if (packed > size - at)
            return damaged(file, array, "a compressed block is longer than the data");
        z_stream stream = {.next_in = (const Bytef *)(bytes + at), .avail_in = (uInt)packed};
        if (inflateInit(&stream) != Z_OK)
            return damaged(file, array, "zlib cannot start");
        int result = Z_OK;
        while (result == Z_OK && file->inflated <= MOST_INFLATED) {
            const uint64_t more = (uint64_t)plain->count + 16384;
            if (more > plain->capacity && !dv_memory_has_room(2.0 * (double)more)) {
                inflateEnd(&stream);
                return damaged(file, array, "there is no room in memory for what it inflates to");
            }
            dv_array_reserve(plain, more);
            const uint32_t room = plain->capacity - plain->count;
            stream.next_out = (Bytef *)plain->data + plain->count;
            stream.avail_out = room;
            result = inflate(&stream, Z_NO_FLUSH);
            plain->count += room - stream.avail_out;
            file->inflated += room - stream.avail_out;
        }
        inflateEnd(&stream);
        if (file->inflated > MOST_INFLATED)
            return damaged(file, array, "the data of the file inflate to more than 256 MiB");
        if (result != Z_STREAM_END)
            return damaged(file, array, "a compressed block is damaged");
        at += packed;
    }
    return true;
}

static bool take_binary(XmlFile *file, DataArray *array, const char *bytes, uint64_t size)
{
    const uint64_t word = file->wide_header ? 8 : 4;
    CharArray plain = {0};
    if (file->compressed) {
        if (!inflate_blocks(file, array, bytes, size, &plain)) {
            dv_array_free(&plain);
            return false;
        }
        bytes = plain.data;
        size = plain.count;
    } else {
        if (size < word || header_number(file, bytes) > size - word)
            return damaged(file, array, "it has fewer bytes than it says");
        size = header_number(file, bytes);
        bytes += word;
        file->taken += size;
        if (file->taken > file->size)
            return damaged(file, array, "the arrays share bytes of the appended data");
    }
    const uint32_t count = (uint32_t)(size / vtk_bytes(array->type, 1));
    const bool fits = dv_memory_has_room((double)count * sizeof *array->value);
    if (fits) {
        array->count = count;
        array->value = dv_alloc(count, sizeof *array->value);
        vtk_convert(array->type, file->swap, bytes, count, array->value);
    }
    dv_array_free(&plain);
    return fits || damaged(file, array, "there is no room in memory for its values");
}

static bool take_text(XmlFile *file, DataArray *array)
{
    DvScanner text = dv_scanner_start(array->text.data, array->text.count);
    text.line = array->line;
    DvRealArray values = {0};
    while (dv_scanner_more(&text)) {
        double value;
        if (!dv_scanner_double(&text, &value)) {
            dv_array_free(&values);
            return dv_mesh_fail(file->report, "line %" PRIu32 ": expected a number, found %s", text.line,
                                dv_scanner_excerpt(text).text);
        }
        dv_array_push(&values, value);
    }
    array->value = values.data ? values.data : dv_alloc(0, sizeof(double));
    array->count = values.count;
    return true;
}

/* How many bytes of base64 text the appended array needs: its header says. Only those are decoded. */
static uint64_t appended_base64_bytes(const XmlFile *file, const char *text, size_t size)
{
    const uint64_t word = file->wide_header ? 8 : 4;
    CharArray head = decode_base64(text, size, file->compressed ? 3 * word : word);
    uint64_t need = 0;
    if (!file->compressed && head.count >= word) {
        need = word + header_number(file, head.data);
    } else if (file->compressed && head.count >= 3 * word) {
        const uint64_t blocks = header_number(file, head.data);
        need = blocks < size ? (3 + blocks) * word : 0;
        dv_array_free(&head);
        head = decode_base64(text, size, need);
        for (uint64_t block = 0; block < blocks && (4 + block) * word <= head.count && need < UINT32_MAX; block++)
            need += header_number(file, head.data + (3 + block) * word);
    }
    dv_array_free(&head);
    return need < UINT32_MAX ? need : 0;
}

static bool take_array(XmlFile *file, DataArray *array)
{
    if (array->encoding == TEXT)
        return take_text(file, array);
    if (array->encoding == APPENDED && (!file->appended || array->offset >= file->appended_size))
        return damaged(file, array, "its offset lies beyond the appended data");
    const char *bytes = array->encoding == BASE64 ? array->text.data : file->appended + array->offset;
    const size_t size = array->encoding == BASE64 ? array->text.count : file->appended_size - (size_t)array->offset;
    if (array->encoding == APPENDED && !file->appended_base64)
        return take_binary(file, array, bytes, size);
    uint64_t limit = 0;
    if (array->encoding == APPENDED) {
        limit = appended_base64_bytes(file, bytes, size);
        if (limit == 0)
            return damaged(file, array, "its size is missing");
    }
    CharArray decoded = decode_base64(bytes, size, limit);
    const bool good = take_binary(file, array, decoded.data, decoded.count);
    dv_array_free(&decoded);
    return good;
}

/* The named array of a section of a piece, or NULL; for points, the only one. */
static DataArray *find_array(XmlFile *file, uint32_t begin, uint32_t end, Section section, const char *name)
{
    for (uint32_t i = begin; i < end; i++)
        if (file->array.data[i].section == section && (!name || strcmp(file->array.data[i].name, name) == 0))
            return &file->array.data[i];
    return NULL;
}

static bool add_section(XmlFile *file, VtkSink *sink, uint32_t begin, uint32_t end, Section section, int type)
{
    const DataArray *indices = find_array(file, begin, end, section, "connectivity");
    const DataArray *offsets = find_array(file, begin, end, section, "offsets");
    const DataArray *types = find_array(file, begin, end, section, "types");
    if (!indices && !offsets)
        return true;
    if (!indices || !offsets || (type < 0 && !types))
        return dv_mesh_fail(file->report, "line %" PRIu32 ": the cells need the arrays connectivity, offsets%s",
                            indices ? indices->line : offsets->line, type < 0 ? " and types" : "");
    if (type < 0 && types->count < offsets->count)
        return damaged(file, types, "it has fewer entries than there are offsets");
    double at = 0;
    sink->cells = 0;
    for (uint32_t i = 0; i < offsets->count; i++) {
        const double next = offsets->value[i];
        if (!(next >= at && next <= indices->count))
            return damaged(file, offsets, "its values do not ascend, or go beyond the connectivity");
        const double *point = indices->value + (uint32_t)at;
        const uint32_t count = (uint32_t)next - (uint32_t)at;
        const int cell_type = type >= 0 ? type : vtk_cell_type(types->value[i]);
        if (!(cell_type == 0 && type == 0 ? vtk_add_polygon(sink, point, count)
                                          : vtk_add_cell(sink, cell_type, point, count)))
            return false;
        at = (uint32_t)next;
    }
    return true;
}

/* Arrays begin .. end of the file belong to the piece. */
static bool add_piece(XmlFile *file, const Piece *piece, uint32_t begin, uint32_t end)
{
    VtkSink sink = {.mesh = file->mesh,
                    .report = file->report,
                    .flip = file->options->flip_normals,
                    .base = file->mesh->position.count,
                    .points = piece->points};
    for (uint32_t i = begin; i < end; i++)
        if (!take_array(file, &file->array.data[i]))
            return false;
    const DataArray *points = find_array(file, begin, end, POINTS, NULL);
    if ((points ? points->count : 0) != (uint64_t)piece->points * 3)
        return dv_mesh_fail(file->report,
                            "line %" PRIu32 ": NumberOfPoints is %" PRIu32 ", the points are %" PRIu32 " numbers",
                            piece->line, piece->points, points ? points->count : 0);
    if (points && !vtk_add_positions(&sink, points->value, points->count))
        return false;
    if (!(file->polydata ? add_section(file, &sink, begin, end, VERTS, 2) &&
                               add_section(file, &sink, begin, end, LINES, VTK_POLY_LINE) &&
                               add_section(file, &sink, begin, end, STRIPS, VTK_TRIANGLE_STRIP) &&
                               add_section(file, &sink, begin, end, POLYS, 0)
                         : add_section(file, &sink, begin, end, CELLS, -1)))
        return false;
    for (uint32_t i = begin; i < end; i++) {
        DataArray *array = &file->array.data[i];
        if (array->section != POINT_DATA && array->section != CELL_DATA)
            continue;
        vtk_add_attribute(&sink, array->name, strlen(array->name), array->section == CELL_DATA, array->normals,
                          vtk_is_integral(array->type), array->components, array->value, array->count);
        array->value = NULL;
    }
    return true;
}

/* Where appended data start, and how much of the file is XML. */
static size_t find_appended(XmlFile *file)
{
    static const char tag[] = "<AppendedData";
    const char *start = memmem(file->bytes, file->size, tag, sizeof tag - 1);
    if (!start)
        return file->size;
    const char *end = file->bytes + file->size, *close = memchr(start, '>', (size_t)(end - start));
    if (!close)
        return file->size;
    file->appended_base64 = memmem(start, (size_t)(close - start), "base64", 6) != NULL;
    const char *mark = memchr(close, '_', (size_t)(end - close));
    if (mark) {
        file->appended = mark + 1;
        file->appended_size = (size_t)(end - mark - 1);
    }
    return (size_t)(start - file->bytes);
}

static bool read_file(XmlFile *file)
{
    const size_t xml = find_appended(file);
    if (XML_Parse(file->parser, file->bytes, (int)xml, xml == file->size) != XML_STATUS_OK || file->failed)
        return file->failed ? false
                            : dv_mesh_fail(file->report, "line %" PRIu32 ": %s", line_of(file),
                                           XML_ErrorString(XML_GetErrorCode(file->parser)));
    if (file->piece.count == 0)
        return dv_mesh_fail(file->report, "the file has no Piece");
    uint32_t begin = 0;
    for (uint32_t i = 0; i < file->piece.count; i++) {
        uint32_t end = begin;
        while (end < file->array.count && file->array.data[end].piece == i)
            end++;
        if (!add_piece(file, &file->piece.data[i], begin, end))
            return false;
        begin = end;
    }
    return true;
}

bool mesh_read_vtk_xml(const char *bytes, size_t size, const DvMeshOptions *options, DvMesh *mesh, DvMeshReport *report)
{
    XmlFile file = {.parser = XML_ParserCreate(NULL),
                    .mesh = mesh,
                    .report = report,
                    .options = options,
                    .bytes = bytes,
                    .size = size};
    if (!file.parser || size > DV_MESH_LARGEST_FILE) {
        XML_ParserFree(file.parser);
        return dv_mesh_fail(report, "the file is larger than 2 GiB");
    }
    XML_SetUserData(file.parser, &file);
    XML_SetElementHandler(file.parser, on_start, on_end);
    XML_SetCharacterDataHandler(file.parser, on_text);
    XML_SetStartDoctypeDeclHandler(file.parser, on_doctype);
    const bool good = read_file(&file);
    XML_ParserFree(file.parser);
    dv_free(file.normals);
    for (uint32_t i = 0; i < file.array.count; i++) {
        dv_free(file.array.data[i].name);
        dv_free(file.array.data[i].value);
        dv_array_free(&file.array.data[i].text);
    }
    dv_array_free(&file.array);
    dv_array_free(&file.piece);
    return good;
}
