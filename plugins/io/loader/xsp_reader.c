/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Xsp 3.0 and 4.0: chains of masses and springs. A line "mass number kind x y z vx vy vz mass elasticity" is a point, a line
 * "lspg number a b stiffness damping length" an edge between two of them, from 1; in 4.0 three more numbers follow. Other known
 * words (numm, nums, grav, visc, step, frce) and what follows a # say nothing of the mesh.
 */
#include "readers.h"
#include <divan/kit/scanner.h>

#include <inttypes.h>

static bool read_mass(DvScanner *line, DvMesh *mesh, DvMeshReport *report)
{
    DvPoint3 x;
    double number;
    bool good = dv_scanner_double(line, &number) && dv_scanner_double(line, &number);
    for (int c = 0; c < 3; c++)
        good = good && dv_scanner_double(line, &x.at[c]);
    if (!good)
        return dv_mesh_fail(report, "line %" PRIu32 ": a number of a mass is missing, not %s", line->line,
                            dv_scanner_excerpt(*line).text);
    dv_array_push(&mesh->position, x);
    return true;
}

static bool read_spring(DvScanner *line, DvMesh *mesh, DvIndexArray *lines, DvMeshReport *report)
{
    double number;
    int64_t end[2];
    if (!dv_scanner_double(line, &number) || !dv_scanner_integer(line, &end[0]) || !dv_scanner_integer(line, &end[1]))
        return dv_mesh_fail(report, "line %" PRIu32 ": a number of a spring is missing, not %s", line->line,
                            dv_scanner_excerpt(*line).text);
    for (int k = 0; k < 2; k++)
        if (end[k] < 1 || end[k] > UINT32_MAX)
            return dv_mesh_fail(report, "line %" PRIu32 ": mass %" PRId64 " of a spring is not one from 1 on",
                                line->line, end[k]);
    dv_array_push(&mesh->edge, (DvEdge){{(uint32_t)(end[0] - 1), (uint32_t)(end[1] - 1)}});
    dv_array_push(lines, line->line);
    return true;
}

static bool is_other(DvWord word)
{
    static const char *const others[] = {"numm", "nums", "grav", "visc", "step", "frce"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (dv_word_is(word, others[i]))
            return true;
    return word.length > 0 && word.text[0] == '#';
}

/* Springs may stand before their masses. */
static bool check_ends(DvMesh *mesh, const DvIndexArray *lines, DvMeshReport *report)
{
    for (uint32_t i = 0; i < mesh->edge.count; i++)
        for (int k = 0; k < 2; k++)
            if (mesh->edge.data[i].at[k] >= mesh->position.count)
                return dv_mesh_fail(report, "line %" PRIu32 ": mass %" PRIu64 " of a spring is not one of the %" PRIu32,
                                    lines->data[i], (uint64_t)mesh->edge.data[i].at[k] + 1, mesh->position.count);
    return true;
}

static bool read_lines(DvScanner *text, DvMesh *mesh, DvIndexArray *lines, DvMeshReport *report)
{
    DvScanner line;
    while (dv_scanner_line(text, &line)) {
        if (!dv_scanner_more(&line))
            continue;
        const DvWord word = dv_scanner_word(&line);
        bool good = true;
        if (dv_word_is(word, "mass"))
            good = read_mass(&line, mesh, report);
        else if (dv_word_is(word, "lspg"))
            good = read_spring(&line, mesh, lines, report);
        else if (!is_other(word))
            good = dv_mesh_fail(report, "line %" PRIu32 ": %s is no word of an Xsp file", line.line,
                                dv_word_excerpt(word).text);
        if (!good)
            return false;
    }
    return check_ends(mesh, lines, report);
}

bool mesh_read_xsp(const void *bytes, size_t size, DvMesh *mesh, DvMeshReport *report)
{
    DvScanner text = dv_scanner_start(bytes, size);
    DvIndexArray lines = {0};
    const DvWord word = dv_scanner_word(&text), version = dv_scanner_word(&text);
    if (!dv_word_is(word, "Xsp"))
        return dv_mesh_fail(report, "line 1: an Xsp file starts with 'Xsp', not %s", dv_word_excerpt(word).text);
    if (!dv_word_is(version, "3.0") && !dv_word_is(version, "4.0"))
        return dv_mesh_fail(report, "line 1: version %s, neither 3.0 nor 4.0", dv_word_excerpt(version).text);
    const bool good = read_lines(&text, mesh, &lines, report);
    dv_array_free(&lines);
    return good;
}
