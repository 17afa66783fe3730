/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GiD meshes (ASCII): blocks of a line "MESH name dimension d ElemType type Nnode n", points between "coordinates" and "end coordinates",
 * each its number and d coordinates, elements between "elements" and "end elements", each its number, its n points and perhaps its
 * material. Points of several blocks are shared. Elements with points inside their edges keep their corners.
 */
#include "number_map.h"
#include "readers.h"
#include <divan/kit/scanner.h>

#include <inttypes.h>

typedef struct ElementType {
    const char *name;
    uint32_t corners;
    DvMeshKind kind;
} ElementType;

static const ElementType types[] = {
    {"Linear", 2, DV_MESH_EDGE},          {"Triangle", 3, DV_MESH_TRIANGLE},
    {"Quadrilateral", 4, DV_MESH_QUAD},   {"Tetrahedra", 4, DV_MESH_TETRAHEDRON},
    {"Hexahedra", 8, DV_MESH_HEXAHEDRON}, {"Prism", 6, DV_MESH_PRISM},
    {"Pyramid", 5, DV_MESH_PYRAMID},
};

enum { MOST_NODES = 27 };

typedef struct Gid {
    DvMesh *mesh;
    DvMeshReport *report;
    bool flip;
    NumberMap points;
    int64_t dimension, nodes;
    const ElementType *type;
} Gid;

static bool next_line(DvScanner *text, DvScanner *line)
{
    while (dv_scanner_line(text, line)) {
        const char *note = memchr(line->at, '#', (size_t)(line->end - line->at));
        line->end = note ? note : line->end;
        if (dv_scanner_more(line))
            return true;
    }
    return false;
}

static bool read_head(Gid *file, DvScanner *line)
{
    file->type = NULL;
    file->dimension = file->nodes = 0;
    while (dv_scanner_more(line)) {
        const DvWord word = dv_scanner_word(line);
        if (dv_word_is_caseless(word, "dimension"))
            (void)dv_scanner_count(line, &file->dimension);
        else if (dv_word_is_caseless(word, "Nnode"))
            (void)dv_scanner_count(line, &file->nodes);
        else if (dv_word_is_caseless(word, "ElemType")) {
            const DvWord name = dv_scanner_word(line);
            for (size_t i = 0; i < sizeof types / sizeof *types; i++)
                if (dv_word_is_caseless(name, types[i].name))
                    file->type = &types[i];
            if (!file->type)
                return dv_mesh_fail(file->report,
                                    "line %" PRIu32 ": elements of type %s are not read; Linear, Triangle, "
                                    "Quadrilateral, Tetrahedra, Hexahedra, Prism and Pyramid are",
                                    line->line, dv_word_excerpt(name).text);
        }
    }
    if (file->dimension != 2 && file->dimension != 3)
        return dv_mesh_fail(file->report, "line %" PRIu32 ": 'dimension' is neither 2 nor 3", line->line);
    if (!file->type || file->nodes < file->type->corners || file->nodes > MOST_NODES)
        return dv_mesh_fail(file->report, "line %" PRIu32 ": %s", line->line,
                            file->type ? "'Nnode' does not fit 'ElemType'" : "'ElemType' is missing");
    return true;
}

static bool read_point(Gid *file, DvScanner *line)
{
    int64_t number;
    DvPoint3 x = {{0, 0, 0}};
    bool good = dv_scanner_integer(line, &number);
    for (int64_t c = 0; good && c < file->dimension; c++)
        good = dv_scanner_double(line, &x.at[c]);
    if (!good)
        return dv_mesh_fail(file->report, "line %" PRIu32 ": a number of a point is missing, not %s", line->line,
                            dv_scanner_excerpt(*line).text);
    if (!number_map_add(&file->points, number))
        return dv_mesh_fail(file->report, "line %" PRIu32 ": point %" PRId64 " is there twice", line->line, number);
    dv_array_push(&file->mesh->position, x);
    return true;
}

static bool read_element(Gid *file, DvScanner *line)
{
    int64_t number;
    uint32_t at[MOST_NODES];
    if (!dv_scanner_integer(line, &number))
        return dv_mesh_fail(file->report, "line %" PRIu32 ": the number of an element is missing, not %s", line->line,
                            dv_scanner_excerpt(*line).text);
    for (int64_t k = 0; k < file->nodes; k++) {
        int64_t point;
        if (!dv_scanner_integer(line, &point))
            return dv_mesh_fail(file->report, "line %" PRIu32 ": a point of element %" PRId64 " is missing, not %s",
                                line->line, number, dv_scanner_excerpt(*line).text);
        at[k] = number_map_find(&file->points, point);
        if (at[k] == UINT32_MAX)
            return dv_mesh_fail(file->report,
                                "line %" PRIu32 ": element %" PRId64 " names point %" PRId64 ", which is not there",
                                line->line, number, point);
        if (k >= file->type->corners)
            dv_array_push(&file->mesh->middle, at[k]);
    }
    mesh_add_element(file->mesh, file->flip, file->type->kind, at);
    return true;
}

/* The lines of a list up to its end. */
static bool read_list(Gid *file, DvScanner *text, const char *name, bool (*read)(Gid *, DvScanner *))
{
    DvScanner line = *text;
    while (next_line(text, &line)) {
        DvScanner ahead = line;
        if (dv_word_is_caseless(dv_scanner_word(&ahead), "end"))
            return true;
        if (!read(file, &line))
            return false;
    }
    return dv_mesh_fail(file->report, "line %" PRIu32 ": the %s have no end: the file is cut", text->line, name);
}

static bool read_blocks(Gid *file, DvScanner *text)
{
    DvScanner line = *text;
    bool any = false;
    while (next_line(text, &line)) {
        const DvWord word = dv_scanner_word(&line);
        bool good = true;
        if (dv_word_is_caseless(word, "MESH"))
            good = any = read_head(file, &line);
        else if (!any)
            good = dv_mesh_fail(file->report, "line %" PRIu32 ": a GiD mesh starts with 'MESH', not %s", line.line,
                                dv_word_excerpt(word).text);
        else if (dv_word_is_caseless(word, "coordinates"))
            good = read_list(file, text, "coordinates", read_point);
        else if (dv_word_is_caseless(word, "elements"))
            good = read_list(file, text, "elements", read_element);
        else if (!dv_word_is_caseless(word, "unit"))
            good = dv_mesh_fail(file->report, "line %" PRIu32 ": %s is no word of a GiD mesh", line.line,
                                dv_word_excerpt(word).text);
        if (!good)
            return false;
    }
    return any || dv_mesh_fail(file->report, "there is no 'MESH'");
}

bool mesh_read_gid(const void *bytes, size_t size, const DvMeshOptions *options, DvMesh *mesh, DvMeshReport *report)
{
    DvScanner text = dv_scanner_start(bytes, size);
    Gid file = {.mesh = mesh, .report = report, .flip = options->flip_normals};
    const bool good = read_blocks(&file, &text);
    number_map_free(&file.points);
    return good;
}
