/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "frame.h"

#include <stdlib.h>
#include <string.h>

#include <divan/memory.h>

static void *grown(void *block, uint32_t *capacity, uint32_t count, size_t size)
{
    if (count < *capacity)
        return block;
    const uint32_t more = *capacity ? 2 * *capacity : 8;
    block = dv_realloc(block, *capacity * size, more * size);
    *capacity = more;
    return block;
}

double *frame_add_array(FramePart *part, const char *name, uint32_t components, bool of_cells, size_t tuples)
{
    part->array = grown(part->array, &part->capacity, part->arrays, sizeof *part->array);
    FrameArray *array = &part->array[part->arrays++];
    const size_t needed = tuples * components;
    if (needed > array->capacity) {
        dv_free(array->at);
        array->at = dv_alloc(needed, sizeof(double));
        array->capacity = needed;
    }
    if (!array->at)
        array->at = dv_alloc(0, sizeof(double));
    *array = (FrameArray){name, components, of_cells, tuples, array->capacity, array->at};
    return array->at;
}

FramePart *frame_add_part(Frame *frame, const char *name, const char *file, FrameCells *cells, uint32_t points)
{
    frame->part = grown(frame->part, &frame->capacity, frame->parts, sizeof *frame->part);
    FramePart *part = &frame->part[frame->parts++];
    part->name = name;
    part->file = file;
    part->cells = cells;
    part->points = points;
    part->arrays = 0;
    cells->users++;
    return part;
}

void frame_clear(Frame *frame)
{
    for (uint32_t p = 0; p < frame->parts; p++) {
        frame_cells_release(frame->part[p].cells);
        frame->part[p].cells = NULL;
    }
    frame->parts = 0;
}

void frame_free(Frame *frame)
{
    frame_clear(frame);
    for (uint32_t p = 0; p < frame->capacity; p++) {
        for (uint32_t a = 0; a < frame->part[p].capacity; a++)
            dv_free(frame->part[p].array[a].at);
        dv_free(frame->part[p].array);
    }
    dv_free(frame->part);
    *frame = (Frame){0};
}

static void free_elements(DvElements elements[DV_ELEMENT_KINDS])
{
    for (uint32_t k = 0; k < DV_ELEMENT_KINDS; k++)
        dv_free((void *)(uintptr_t)elements[k].at);
}

static void copy_elements(DvElements *to, DvElements from, uint32_t nodes)
{
    const size_t numbers = (size_t)from.count * nodes;
    uint32_t *copy = dv_alloc(numbers, sizeof *copy);
    if (numbers)
        memcpy(copy, from.at, numbers * sizeof *copy);
    *to = (DvElements){copy, from.count};
}

FrameCells *frame_cells_new(const DvElements elements[DV_ELEMENT_KINDS], uint32_t number)
{
    FrameCells *cells = dv_alloc(1, sizeof *cells);
    cells->users = 1;
    cells->number = number;
    cells->is_surface = true;
    for (uint32_t k = 0; k < DV_ELEMENT_KINDS; k++) {
        copy_elements(&cells->elements[k], elements[k], dv_element_nodes((DvElementKind)k));
        cells->is_surface = cells->is_surface && (k < DV_TETRAHEDRA || !elements[k].count);
    }
    return cells;
}

void frame_cells_release(FrameCells *cells)
{
    if (!cells || --cells->users)
        return;
    free_elements(cells->elements);
    if (cells->has_border)
        free_elements(cells->border);
    vtk_cells_free(&cells->vtk);
    dv_free(cells);
}

ExportMesh frame_mesh(const FramePart *part, const DvElements elements[DV_ELEMENT_KINDS])
{
    ExportMesh mesh = {.name = part->name,
                       .points = part->array[0].at,
                       .point_count = part->points,
                       .is_surface = part->cells->is_surface};
    memcpy(mesh.elements, elements, sizeof mesh.elements);
    return mesh;
}

/* ---- The border of solids: faces that one element alone has ---- */

typedef struct Face {
    uint32_t key[4],
        corner[4]; /* corners in ascending order; as they go around, seen from outside. The fourth: UINT32_MAX */
    uint32_t place;
} Face;

enum { MOST_FACES = 6, NONE = 9 };
static const uint8_t faces_of[DV_ELEMENT_KINDS][MOST_FACES][4] = {
    [DV_TETRAHEDRA] = {{0, 2, 1, NONE}, {0, 1, 3, NONE}, {0, 3, 2, NONE}, {1, 2, 3, NONE}},
    [DV_HEXAHEDRA] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}},
    [DV_PRISMS] = {{0, 2, 1, NONE}, {3, 4, 5, NONE}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}},
    [DV_PYRAMIDS] = {{0, 3, 2, 1}, {0, 1, 4, NONE}, {1, 2, 4, NONE}, {2, 3, 4, NONE}, {3, 0, 4, NONE}},
};
static const uint8_t face_count[DV_ELEMENT_KINDS] = {
    [DV_TETRAHEDRA] = 4, [DV_HEXAHEDRA] = 6, [DV_PRISMS] = 5, [DV_PYRAMIDS] = 5};

static int by_key(const void *a_, const void *b_)
{
    const Face *a = a_, *b = b_;
    for (int c = 0; c < 4; c++)
        if (a->key[c] != b->key[c])
            return a->key[c] < b->key[c] ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static int by_place(const void *a, const void *b)
{
    return ((const Face *)a)->place < ((const Face *)b)->place ? -1 : 1;
}

static void set_face(Face *face, const uint32_t *element, const uint8_t corners[4], uint32_t place)
{
    face->place = place;
    for (int c = 0; c < 4; c++) {
        const uint32_t point = corners[c] == NONE ? UINT32_MAX : element[corners[c]];
        int at = c;
        face->corner[c] = point;
        for (; at > 0 && face->key[at - 1] > point; at--)
            face->key[at] = face->key[at - 1];
        face->key[at] = point;
    }
}

static Face *list_faces(const FrameCells *cells, uint32_t *count)
{
    size_t most = 0;
    for (uint32_t k = DV_TETRAHEDRA; k < DV_ELEMENT_KINDS; k++)
        most += (size_t)cells->elements[k].count * face_count[k];
    Face *faces = dv_alloc(most, sizeof *faces);
    *count = 0;
    for (uint32_t k = DV_TETRAHEDRA; k < DV_ELEMENT_KINDS; k++)
        for (size_t e = 0; e < cells->elements[k].count; e++)
            for (uint32_t f = 0; f < face_count[k]; f++, ++*count)
                set_face(&faces[*count], cells->elements[k].at + e * dv_element_nodes((DvElementKind)k), faces_of[k][f],
                         *count);
    return faces;
}

static bool same_key(const Face *a, const Face *b)
{
    return memcmp(a->key, b->key, sizeof a->key) == 0;
}

/* Keeps those that stand alone, in the order of the elements. */
static uint32_t keep_outer(Face *faces, uint32_t count)
{
    uint32_t kept = 0;
    if (count)
        qsort(faces, count, sizeof *faces, by_key);
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && same_key(&faces[first], &faces[end]);)
            end++;
        if (end == first + 1)
            faces[kept++] = faces[first];
    }
    if (kept)
        qsort(faces, kept, sizeof *faces, by_place);
    return kept;
}

void frame_cells_find_border(FrameCells *cells)
{
    if (cells->has_border)
        return;
    cells->has_border = true;
    for (uint32_t k = DV_EDGES; k <= DV_QUADS && cells->is_surface; k++)
        copy_elements(&cells->border[k], cells->elements[k], dv_element_nodes((DvElementKind)k));
    if (cells->is_surface)
        return;
    uint32_t count, triangles = 0, quads = 0;
    Face *faces = list_faces(cells, &count);
    count = keep_outer(faces, count);
    uint32_t *triangle = dv_alloc((size_t)count * 3, sizeof *triangle),
             *quad = dv_alloc((size_t)count * 4, sizeof *quad);
    for (uint32_t f = 0; f < count; f++)
        if (faces[f].corner[3] == UINT32_MAX)
            memcpy(triangle + 3 * (size_t)triangles++, faces[f].corner, 3 * sizeof *triangle);
        else
            memcpy(quad + 4 * (size_t)quads++, faces[f].corner, 4 * sizeof *quad);
    cells->border[DV_TRIANGLES] = (DvElements){triangle, triangles};
    cells->border[DV_QUADS] = (DvElements){quad, quads};
    dv_free(faces);
}
