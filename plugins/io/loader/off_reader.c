/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * OFF: a line "OFF", the numbers of points and faces (and edges, which is not looked at), a line a point, a line a face: how many corners
 * and which, from 0. Empty lines and what follows a # are skipped, and what else stands in a line, such as colours. Faces of other than
 * three or four corners are left out.
 */
#include "readers.h"
#include <divan/kit/scanner.h>
#include <divan/worst.h>

#include <inttypes.h>

/* The next line with something in it; false at the end. */
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

static bool read_counts(DvScanner *text, DvScanner *line, int64_t *points, int64_t *faces, DvMeshReport *report)
{
    const DvWord word = next_line(text, line) ? dv_scanner_word(line) : (DvWord){"", 0};
    if (word.length < 3 || memcmp(word.text + word.length - 3, "OFF", 3) != 0)
        return dv_mesh_fail(report, "line %" PRIu32 ": an OFF file starts with 'OFF', not %s", line->line,
                            dv_word_excerpt(word).text);
    if (!dv_scanner_more(line) && !next_line(text, line))
        return dv_mesh_fail(report, "the numbers of points and faces are missing");
    if (!dv_scanner_count(line, points) || !dv_scanner_count(line, faces))
        return dv_mesh_fail(report, "line %" PRIu32 ": the numbers of points and faces are missing, not %s", line->line,
                            dv_scanner_excerpt(*line).text);
    return true;
}

static bool read_face(DvScanner *line, bool flip, DvMesh *mesh, bool *kept, DvMeshReport *report)
{
    int64_t corners, number;
    uint32_t corner[4];
    if (!dv_scanner_count(line, &corners))
        return dv_mesh_fail(report, "line %" PRIu32 ": how many corners a face has is missing, not %s", line->line,
                            dv_scanner_excerpt(*line).text);
    *kept = corners == 3 || corners == 4;
    for (int64_t k = 0; *kept && k < corners; k++) {
        if (!dv_scanner_count(line, &number))
            return dv_mesh_fail(report, "line %" PRIu32 ": a corner of a face is missing, not %s", line->line,
                                dv_scanner_excerpt(*line).text);
        if (number >= mesh->position.count)
            return dv_mesh_fail(report, "line %" PRIu32 ": point %" PRId64 " of a face is not one of the %" PRIu32,
                                line->line, number, mesh->position.count);
        corner[k] = (uint32_t)number;
    }
    if (corners == 3)
        dv_mesh_add_triangle(mesh, flip, corner[0], corner[1], corner[2]);
    else if (corners == 4)
        dv_mesh_add_quad(mesh, flip, corner[0], corner[1], corner[2], corner[3]);
    return true;
}

bool mesh_read_off(const void *bytes, size_t size, const DvMeshOptions *options, DvMesh *mesh, DvMeshReport *report)
{
    DvScanner text = dv_scanner_start(bytes, size), line = text;
    int64_t points, faces;
    DvWorst left = {0};
    if (!read_counts(&text, &line, &points, &faces, report))
        return false;
    for (int64_t i = 0; i < points; i++) {
        DvPoint3 x;
        if (!next_line(&text, &line))
            return dv_mesh_fail(report, "line %" PRIu32 ": the file ends after %" PRId64 " of %" PRId64 " points",
                                text.line, i, points);
        for (int c = 0; c < 3; c++)
            if (!dv_scanner_double(&line, &x.at[c]))
                return dv_mesh_fail(report, "line %" PRIu32 ": a coordinate is missing, not %s", line.line,
                                    dv_scanner_excerpt(line).text);
        dv_array_push(&mesh->position, x);
    }
    for (int64_t i = 0; i < faces; i++) {
        bool kept = false;
        if (!next_line(&text, &line))
            return dv_mesh_fail(report, "line %" PRIu32 ": the file ends after %" PRId64 " of %" PRId64 " faces",
                                text.line, i, faces);
        if (!read_face(&line, options->flip_normals, mesh, &kept, report))
            return false;
        if (!kept)
            dv_worst_add(&left, line.line, 0.0);
    }
    char lines[DV_WORST_TEXT];
    if (left.count)
        dv_mesh_warn(report, "%" PRIu32 " faces have neither three nor four corners and are left out: lines %s",
                     left.count, dv_worst_text(&left, lines));
    return true;
}
