/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * trian: the number of points, their coordinates, the number of triangles, and of each its three points and its three neighbours, -1
 * where there is none: neighbour j lies across the edge opposite to corner j.
 *
 * The second kind has 13 lines of head, then points, normals and triangles, before each list a word and its length, and no neighbours.
 */
#include "readers.h"
#include <divan/kit/scanner.h>

#include <inttypes.h>

enum { HEAD_LINES = 13 };

static bool read_length(DvScanner *text, bool named, const char *what, int64_t *length, DvMeshReport *report)
{
    if (named)
        (void)dv_scanner_word(text);
    return dv_scanner_count(text, length) ||
           dv_mesh_fail(report, "line %" PRIu32 ": the number of %s is missing, not %s", text->line, what,
                        dv_scanner_excerpt(*text).text);
}

static bool read_vector(DvScanner *text, DvPoint3 *x, const char *what, int64_t done, int64_t all, DvMeshReport *report)
{
    for (int c = 0; c < 3; c++)
        if (!dv_scanner_double(text, &x->at[c]))
            return dv_mesh_fail(
                report, "line %" PRIu32 ": a number of %s is missing, not %s: %" PRId64 " of %" PRId64 " are read",
                text->line, what, dv_scanner_excerpt(*text).text, done, all);
    return true;
}

static bool read_points(DvScanner *text, bool named, DvMesh *mesh, DvMeshReport *report)
{
    int64_t length;
    DvPoint3 x;
    if (!read_length(text, named, "points", &length, report))
        return false;
    for (int64_t i = 0; i < length; i++) {
        if (!read_vector(text, &x, "points", i, length, report))
            return false;
        dv_array_push(&mesh->position, x);
    }
    return true;
}

static bool read_normals(DvScanner *text, DvMesh *mesh, DvMeshReport *report)
{
    int64_t length;
    DvPoint3 x;
    if (!read_length(text, true, "normals", &length, report))
        return false;
    for (int64_t i = 0; i < length; i++) {
        if (!read_vector(text, &x, "normals", i, length, report))
            return false;
        dv_array_push(&mesh->normal, x);
    }
    return true;
}

static bool read_corners(DvScanner *text, const DvMesh *mesh, uint32_t corner[3], DvMeshReport *report)
{
    int64_t number;
    for (int k = 0; k < 3; k++) {
        if (!dv_scanner_integer(text, &number))
            return dv_mesh_fail(report, "line %" PRIu32 ": a corner of triangle %" PRIu32 " is missing, not %s",
                                text->line, mesh->triangle.count, dv_scanner_excerpt(*text).text);
        if (number < 0 || number >= mesh->position.count)
            return dv_mesh_fail(
                report, "line %" PRIu32 ": point %" PRId64 " of triangle %" PRIu32 " is not one of the %" PRIu32,
                text->line, number, mesh->triangle.count, mesh->position.count);
        corner[k] = (uint32_t)number;
    }
    return true;
}

/* Neighbours of the triangle that was read last, `corner` as the file has it. */
static bool read_neighbors(DvScanner *text, const uint32_t corner[3], int64_t triangles, TrianBorder *border,
                           DvMeshReport *report)
{
    const uint32_t triangle = border->neighbor.count / 3;
    bool at_border = false;
    for (uint32_t k = 0; k < 3; k++) {
        int64_t number;
        if (!dv_scanner_integer(text, &number))
            return dv_mesh_fail(report, "line %" PRIu32 ": a neighbour of triangle %" PRIu32 " is missing, not %s",
                                text->line, triangle, dv_scanner_excerpt(*text).text);
        if (number < -1 || number >= triangles)
            return dv_mesh_fail(
                report, "line %" PRIu32 ": neighbour %" PRId64 " of triangle %" PRIu32 " is not one of the %" PRId64,
                text->line, number, triangle, triangles);
        dv_array_push(&border->neighbor, (int32_t)number);
        if (number == -1) {
            dv_mesh_lists_begin(&border->edge);
            dv_mesh_lists_push(&border->edge, (int32_t)corner[(k + 1) % 3]);
            dv_mesh_lists_push(&border->edge, (int32_t)corner[(k + 2) % 3]);
            at_border = true;
        }
    }
    if (at_border)
        dv_array_push(&border->triangle, triangle);
    return true;
}

bool mesh_read_trian(const void *bytes, size_t size, bool second, bool flip, DvMesh *mesh, TrianBorder *border,
                     DvMeshReport *report)
{
    DvScanner text = dv_scanner_start(bytes, size), line;
    int64_t triangles;
    uint32_t corner[3];
    for (int i = 0; second && i < HEAD_LINES; i++)
        if (!dv_scanner_line(&text, &line))
            return dv_mesh_fail(report, "line %" PRIu32 ": the file ends in its head of %d lines", text.line,
                                HEAD_LINES);
    if (!read_points(&text, second, mesh, report) || (second && !read_normals(&text, mesh, report)) ||
        !read_length(&text, second, "triangles", &triangles, report))
        return false;
    for (int64_t i = 0; i < triangles; i++) {
        if (!read_corners(&text, mesh, corner, report) ||
            (!second && !read_neighbors(&text, corner, triangles, border, report)))
            return false;
        dv_mesh_add_triangle(mesh, flip, corner[0], corner[1], corner[2]);
    }
    return true;
}

void trian_border_free(TrianBorder *border)
{
    dv_array_free(&border->neighbor);
    dv_array_free(&border->triangle);
    dv_array_free(&border->edge.offset);
    dv_array_free(&border->edge.value);
}
