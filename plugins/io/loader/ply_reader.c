/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PLY: a head in text that says which elements there are and what each consists of, then the elements as text or as bytes of either
 * order. Read are points (vertex: x y z, nx ny nz, and s t, u v or texture_u texture_v), faces (face: vertex_indices or vertex_index; three
 * corners, four, or a fan of triangles) and edges (edge: vertex1 vertex2). Other elements are skipped and said.
 */
#include "readers.h"
#include <divan/kit/scanner.h>

#include <inttypes.h>
#include <math.h>

typedef enum PlyType { NO_TYPE, INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64 } PlyType;
static const uint8_t bytes_of[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};

/* What a number of an element is for. */
typedef enum Use { NOTHING, X, Y, Z, NX, NY, NZ, S, T, CORNERS, FIRST_END, SECOND_END, USES } Use;

typedef struct Property {
    PlyType type, length; /* length: of a list; NO_TYPE: it is none */
    Use use;
} Property;

enum { MOST_PROPERTIES = 64, MOST_ELEMENTS = 16, MOST_CORNERS = 4096 };
typedef enum ElementKind { OTHER, VERTEX, FACE, EDGE } ElementKind;
typedef struct Element {
    ElementKind kind;
    int64_t count;
    uint32_t properties;
    Property property[MOST_PROPERTIES];
    DvWord name;
} Element;

typedef struct Ply {
    DvScanner text; /* where the next number is; of bytes only `at` and `end` count */
    const char *start;
    bool binary, swapped, flip;
    DvMesh *mesh;
    DvMeshReport *report;
    Element element[MOST_ELEMENTS];
    uint32_t elements;
    const Element *now; /* it reads the element `done` of these */
    int64_t done;
    uint32_t corners, corner[MOST_CORNERS];
} Ply;

static PlyType type_of(DvWord word)
{
    static const struct {
        const char *name;
        PlyType type;
    } types[] = {{"char", INT8},     {"int8", INT8},       {"uchar", UINT8},    {"uint8", UINT8},
                 {"short", INT16},   {"int16", INT16},     {"ushort", UINT16},  {"uint16", UINT16},
                 {"int", INT32},     {"int32", INT32},     {"uint", UINT32},    {"uint32", UINT32},
                 {"float", FLOAT32}, {"float32", FLOAT32}, {"double", FLOAT64}, {"float64", FLOAT64}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (dv_word_is(word, types[i].name))
            return types[i].type;
    return NO_TYPE;
}

static Use use_of(ElementKind kind, bool list, DvWord word)
{
    static const struct {
        ElementKind kind;
        bool list;
        const char *name;
        Use use;
    } uses[] = {{VERTEX, false, "x", X},
                {VERTEX, false, "y", Y},
                {VERTEX, false, "z", Z},
                {VERTEX, false, "nx", NX},
                {VERTEX, false, "ny", NY},
                {VERTEX, false, "nz", NZ},
                {VERTEX, false, "s", S},
                {VERTEX, false, "t", T},
                {VERTEX, false, "u", S},
                {VERTEX, false, "v", T},
                {VERTEX, false, "texture_u", S},
                {VERTEX, false, "texture_v", T},
                {FACE, true, "vertex_indices", CORNERS},
                {FACE, true, "vertex_index", CORNERS},
                {EDGE, false, "vertex1", FIRST_END},
                {EDGE, false, "vertex2", SECOND_END}};
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (uses[i].kind == kind && uses[i].list == list && dv_word_is(word, uses[i].name))
            return uses[i].use;
    return NOTHING;
}

static bool read_property(Ply *file, DvScanner *line)
{
    Element *element = file->elements ? &file->element[file->elements - 1] : NULL;
    Property property = {.length = NO_TYPE};
    DvWord word = dv_scanner_word(line);
    const bool list = dv_word_is(word, "list");
    if (list) {
        property.length = type_of(dv_scanner_word(line));
        word = dv_scanner_word(line);
    }
    property.type = type_of(word);
    if (property.type == NO_TYPE || (list && property.length == NO_TYPE) || property.length >= FLOAT32)
        return dv_mesh_fail(file->report, "line %" PRIu32 ": %s is no type of a property", line->line,
                            dv_word_excerpt(word).text);
    if (!element || element->properties == MOST_PROPERTIES)
        return dv_mesh_fail(file->report, "line %" PRIu32 ": a property %s", line->line,
                            element ? "too many" : "before the first element");
    property.use = use_of(element->kind, list, dv_scanner_word(line));
    element->property[element->properties++] = property;
    return true;
}

static bool read_element(Ply *file, DvScanner *line)
{
    if (file->elements == MOST_ELEMENTS)
        return dv_mesh_fail(file->report, "line %" PRIu32 ": more than %d kinds of elements", line->line,
                            MOST_ELEMENTS);
    Element *element = &file->element[file->elements++];
    element->name = dv_scanner_word(line);
    element->kind = dv_word_is(element->name, "vertex") ? VERTEX
                    : dv_word_is(element->name, "face") ? FACE
                    : dv_word_is(element->name, "edge") ? EDGE
                                                        : OTHER;
    return dv_scanner_count(line, &element->count) ||
           dv_mesh_fail(file->report,
                        "line %" PRIu32 ": %s is no number of elements, which is a whole number, 0 or more", line->line,
                        dv_scanner_excerpt(*line).text);
}

static bool read_format(Ply *file, DvScanner *line)
{
    const DvWord word = dv_scanner_word(line);
    const bool big = dv_word_is(word, "binary_big_endian");
    file->binary = big || dv_word_is(word, "binary_little_endian");
    const uint16_t one = 1;
    file->swapped = big == (*(const unsigned char *)&one == 1);
    return file->binary || dv_word_is(word, "ascii") ||
           dv_mesh_fail(file->report,
                        "line %" PRIu32 ": %s is none of ascii, binary_little_endian and binary_big_endian", line->line,
                        dv_word_excerpt(word).text);
}

static bool read_head(Ply *file)
{
    DvScanner line;
    bool format = false;
    if (!dv_scanner_line(&file->text, &line) || !dv_word_is(dv_scanner_word(&line), "ply"))
        return dv_mesh_fail(file->report, "line 1: a PLY file starts with 'ply'");
    while (dv_scanner_line(&file->text, &line)) {
        const DvWord word = dv_scanner_word(&line);
        bool good = true;
        if (dv_word_is(word, "end_header"))
            return format || dv_mesh_fail(file->report, "line %" PRIu32 ": there is no 'format'", line.line);
        if (dv_word_is(word, "format"))
            good = format = read_format(file, &line);
        else if (dv_word_is(word, "element"))
            good = read_element(file, &line);
        else if (dv_word_is(word, "property"))
            good = read_property(file, &line);
        if (!good)
            return false;
    }
    return dv_mesh_fail(file->report, "there is no 'end_header': the file is cut");
}

/* ---- Numbers ---- */

static bool read_bytes(Ply *file, PlyType type, double *value)
{
    const size_t size = bytes_of[type];
    unsigned char raw[8];
    if ((size_t)(file->text.end - file->text.at) < size)
        return false;
    for (size_t i = 0; i < size; i++)
        raw[file->swapped ? size - 1 - i : i] = (unsigned char)file->text.at[i];
    file->text.at += size;
    union {
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        float f32;
        double f64;
    } as;
    memcpy(&as, raw, size);
    switch (type) {
    case INT8:
        *value = as.i8;
        return true;
    case UINT8:
        *value = as.u8;
        return true;
    case INT16:
        *value = as.i16;
        return true;
    case UINT16:
        *value = as.u16;
        return true;
    case INT32:
        *value = as.i32;
        return true;
    case UINT32:
        *value = as.u32;
        return true;
    case FLOAT32:
        *value = (double)as.f32;
        return true;
    default:
        *value = as.f64;
        return true;
    }
}

static bool read_number(Ply *file, PlyType type, double *value)
{
    const bool good = file->binary ? read_bytes(file, type, value) : dv_scanner_double(&file->text, value);
    if (good && isfinite(*value))
        return true;
    if (!good && (file->binary || !dv_scanner_more(&file->text)))
        return dv_mesh_fail(
            file->report, "the file ends in %s %" PRId64 " of the %" PRId64 " that its head counts, %s %zu",
            dv_word_excerpt(file->now->name).text, file->done + 1, file->now->count, file->binary ? "byte" : "line",
            file->binary ? (size_t)(file->text.at - file->start) : (size_t)file->text.line);
    if (file->binary)
        return dv_mesh_fail(file->report, "byte %zu: a number before it is not finite",
                            (size_t)(file->text.at - file->start));
    return dv_mesh_fail(file->report, "line %" PRIu32 ": expected a number, found %s", file->text.line,
                        dv_scanner_excerpt(file->text).text);
}

static bool read_list(Ply *file, const Property *property)
{
    double length, number;
    if (!read_number(file, property->length, &length))
        return false;
    const bool corners = property->use == CORNERS;
    if (length < 0 || length != floor(length) || (corners && length > MOST_CORNERS))
        return dv_mesh_fail(file->report, "a list of %g numbers, %s %" PRIu64, length,
                            file->binary ? "before byte" : "line",
                            file->binary ? (uint64_t)(file->text.at - file->start) : (uint64_t)file->text.line);
    for (double i = 0; i < length; i++) {
        if (!read_number(file, property->type, &number))
            return false;
        if (corners && !(number >= 0 && number < file->mesh->position.count && number == floor(number)))
            return dv_mesh_fail(file->report, "a face names point %g of %" PRIu32 ", %s %" PRIu64, number,
                                file->mesh->position.count, file->binary ? "before byte" : "line",
                                file->binary ? (uint64_t)(file->text.at - file->start) : (uint64_t)file->text.line);
        if (corners)
            file->corner[file->corners++] = (uint32_t)number;
    }
    return true;
}

/* ---- Elements ---- */

static bool has_use(const Element *element, Use use)
{
    for (uint32_t p = 0; p < element->properties; p++)
        if (element->property[p].use == use)
            return true;
    return false;
}

static bool add_edge(Ply *file, const double value[USES])
{
    for (Use end = FIRST_END; end <= SECOND_END; end++)
        if (!(value[end] >= 0 && value[end] < file->mesh->position.count && value[end] == floor(value[end])))
            return dv_mesh_fail(file->report, "edge %" PRIu32 " names point %g of %" PRIu32, file->mesh->edge.count,
                                value[end], file->mesh->position.count);
    dv_array_push(&file->mesh->edge, (DvEdge){{(uint32_t)value[FIRST_END], (uint32_t)value[SECOND_END]}});
    return true;
}

static bool add_element(Ply *file, const Element *element, const double value[USES])
{
    DvMesh *mesh = file->mesh;
    const uint32_t *c = file->corner;
    if (element->kind == VERTEX) {
        dv_array_push(&mesh->position, (DvPoint3){{value[X], value[Y], value[Z]}});
        if (has_use(element, NX))
            dv_array_push(&mesh->normal, (DvPoint3){{value[NX], value[NY], value[NZ]}});
        if (has_use(element, S))
            dv_array_push(&mesh->texcoord, (DvPoint2){{value[S], value[T]}});
    } else if (element->kind == EDGE && has_use(element, FIRST_END) && has_use(element, SECOND_END)) {
        return add_edge(file, value);
    } else if (file->corners == 4) {
        dv_mesh_add_quad(mesh, file->flip, c[0], c[1], c[2], c[3]);
    } else if (file->corners >= 3) {
        dv_mesh_add_fan(mesh, file->flip, c, file->corners);
    } else if (file->corners == 2) {
        dv_array_push(&mesh->edge, (DvEdge){{c[0], c[1]}});
    }
    return true;
}

static bool read_elements(Ply *file, const Element *element)
{
    if (element->properties == 0)
        return true;
    file->now = element;
    for (int64_t e = 0; e < element->count; e++) {
        file->done = e;
        double value[USES] = {0};
        file->corners = 0;
        for (uint32_t p = 0; p < element->properties; p++) {
            const Property *property = &element->property[p];
            if (property->length != NO_TYPE ? !read_list(file, property)
                                            : !read_number(file, property->type, &value[property->use]))
                return false;
        }
        if (!add_element(file, element, value))
            return false;
    }
    return true;
}

/* What follows the last element: more than the head counts. */
static void tell_of_rest(Ply *file)
{
    if (dv_scanner_more(&file->text))
        dv_mesh_warn(file->report, "%zu bytes follow the elements that the head counts, and are not read",
                     (size_t)(file->text.end - file->text.at));
}

bool mesh_read_ply(const void *bytes, size_t size, const DvMeshOptions *options, DvMesh *mesh, DvMeshReport *report)
{
    Ply *file = dv_alloc(1, sizeof *file);
    *file = (Ply){.start = bytes,
                  .text = dv_scanner_start(bytes, size),
                  .flip = options->flip_normals,
                  .mesh = mesh,
                  .report = report};
    bool good = read_head(file);
    for (uint32_t e = 0; good && e < file->elements; e++) {
        const Element *element = &file->element[e];
        if (element->kind == OTHER && element->count > 0)
            dv_mesh_warn(report, "%" PRId64 " elements %s are left out", element->count,
                         dv_word_excerpt(element->name).text);
        good = read_elements(file, element);
    }
    if (good)
        tell_of_rest(file);
    dv_free(file);
    return good;
}
