/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading files of changes, line by line.
 */
#include "change_script.h"

#include <divan/kit/scanner.h>

#include <inttypes.h>

enum { MOST_CHANGES = 1 << 26 }; /* numbers that one command may announce */

static uint32_t change_numbers(const ScriptedChange *change)
{
    static const uint32_t per_element[] = {
        [CHANGE_ADD] = 0, [CHANGE_ADD_IN_TRIANGLES] = 3, [CHANGE_REMOVE] = 1, [CHANGE_SWAP] = 2, [CHANGE_INCISE] = 4};
    return change->action == CHANGE_ADD ? dv_element_nodes(change->kind) : per_element[change->action];
}

void change_script_free(ChangeScript *script)
{
    dv_array_free(&script->moments);
    dv_array_free(&script->changes);
    dv_array_free(&script->numbers);
    dv_array_free(&script->ancestors);
}

/* The first word of a line when it starts with `keyword`; what stands right behind it is still to be read. */
static bool starts_with(DvScanner *line, const char *keyword)
{
    DvScanner at = *line;
    if (!dv_word_starts(dv_scanner_word(&at), keyword))
        return false;
    dv_scanner_more(line);
    line->at += strlen(keyword);
    return true;
}

static bool read_count(DvScanner *line, uint32_t *count, DvMeshReport *report)
{
    int64_t value;
    if (!dv_scanner_integer(line, &value))
        return dv_mesh_fail(report, "line %" PRIu32 ": how many is missing, not %s", line->line,
                            dv_scanner_excerpt(*line).text);
    if (value < 0 || value > MOST_CHANGES)
        return dv_mesh_fail(report, "line %" PRIu32 ": %" PRId64 " is no number of elements", line->line, value);
    *count = (uint32_t)value;
    return true;
}

static bool find_kind(DvWord word, ScriptedChange *change)
{
    static const struct {
        const char *name;
        DvElementKind kind;
        ChangeAction action;
    } names[] = {
        {"Edge", DV_EDGES, CHANGE_ADD},
        {"Edges", DV_EDGES, CHANGE_ADD},
        {"Triangle", DV_TRIANGLES, CHANGE_ADD},
        {"Triangles", DV_TRIANGLES, CHANGE_ADD},
        {"Quad", DV_QUADS, CHANGE_ADD},
        {"Quads", DV_QUADS, CHANGE_ADD},
        {"Tetrahedron", DV_TETRAHEDRA, CHANGE_ADD},
        {"Tetrahedra", DV_TETRAHEDRA, CHANGE_ADD},
        {"Hexahedron", DV_HEXAHEDRA, CHANGE_ADD},
        {"Hexahedra", DV_HEXAHEDRA, CHANGE_ADD},
        {"PointInTriangle", DV_POINTS, CHANGE_ADD_IN_TRIANGLES},
        {"PointsInTriangle", DV_POINTS, CHANGE_ADD_IN_TRIANGLES},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (dv_word_is(word, names[i].name)) {
            change->kind = names[i].kind;
            change->action = names[i].action;
            return true;
        }
    return false;
}

/* `Ancestors` and one number for each new element, or nothing. */
static bool read_ancestors(DvScanner *line, ScriptedChange *change, ChangeScript *script, DvMeshReport *report)
{
    DvScanner word = *line;
    if (!dv_word_is(dv_scanner_word(&word), "Ancestors"))
        return true;
    *line = word;
    change->has_ancestors = true;
    change->first_ancestor = script->ancestors.count;
    for (uint32_t i = 0; i < change->count; i++) {
        int64_t ancestor;
        if (!dv_scanner_integer(line, &ancestor) || ancestor < 0 || ancestor >= UINT32_MAX)
            return dv_mesh_fail(report, "line %" PRIu32 ": ancestor %" PRIu32 " of %" PRIu32 " is %s", line->line,
                                i + 1, change->count, dv_scanner_excerpt(*line).text);
        dv_array_push(&script->ancestors, (uint32_t)ancestor);
    }
    return true;
}

/* The line of numbers that follows a command. */
static bool read_numbers(DvScanner *file, ScriptedChange *change, ChangeScript *script, DvMeshReport *report)
{
    const uint64_t need = (uint64_t)change->count * change_numbers(change);
    DvScanner line = dv_scanner_start(NULL, 0);
    if (need > MOST_CHANGES)
        return dv_mesh_fail(report, "line %" PRIu32 ": %" PRIu64 " numbers are too many", change->line, need);
    (void)dv_scanner_line(file, &line);
    change->first_number = script->numbers.count;
    uint32_t found = 0;
    for (double number; found < need && dv_scanner_double(&line, &number); found++)
        dv_array_push(&script->numbers, number);
    if (found < need && dv_scanner_more(&line))
        return dv_mesh_fail(report, "line %" PRIu32 ": number %" PRIu32 " is %s", line.line, found + 1,
                            dv_scanner_excerpt(line).text);
    if (found < need)
        dv_mesh_warn(
            report, "line %" PRIu32 ": %" PRIu64 " numbers are announced and %" PRIu32 " follow: the others count as 0",
            change->line, need, found);
    while (script->numbers.count < change->first_number + need)
        dv_array_push(&script->numbers, 0.0);
    return true;
}

/* The points of an incision, without a triangle where the file has none. */
static bool read_path(DvScanner *file, ScriptedChange *change, ChangeScript *script, DvMeshReport *report)
{
    DvScanner line = dv_scanner_start(NULL, 0);
    DvRealArray found = {0};
    (void)dv_scanner_line(file, &line);
    for (double number; dv_scanner_double(&line, &number);)
        dv_array_push(&found, number);
    const bool with_triangle = found.count == 4 * (uint64_t)change->count;
    const bool good =
        !dv_scanner_more(&line) && change->count > 1 && (with_triangle || found.count == 3 * (uint64_t)change->count);
    change->first_number = script->numbers.count;
    for (uint32_t i = 0; i < change->count && good; i++) {
        const double *point = found.data + (size_t)i * (with_triangle ? 4 : 3);
        dv_array_push(&script->numbers, with_triangle ? *point++ : -1);
        dv_array_append(&script->numbers, point, 3);
    }
    dv_array_free(&found);
    return good ||
           dv_mesh_fail(report,
                        "line %" PRIu32 ": a path of %" PRIu32 " points needs two or more, of 3 numbers each or 4",
                        change->line, change->count);
}

static bool read_addition(DvScanner *line, ScriptedChange *change, ChangeScript *script, DvMeshReport *report)
{
    const DvWord word = dv_scanner_word(line);
    if (!find_kind(word, change))
        return dv_mesh_fail(report,
                            "line %" PRIu32
                            ": %s cannot be added; known are Edges, Triangles, Quads, Tetrahedra, Hexahedra "
                            "and PointsInTriangle",
                            line->line, dv_word_excerpt(word).text);
    return read_count(line, &change->count, report) && read_ancestors(line, change, script, report);
}

static bool read_change(DvScanner *file, DvScanner *line, ChangeScript *script, DvMeshReport *report)
{
    ScriptedChange change = {.line = line->line};
    if (starts_with(line, "ADD=")) {
        if (!read_addition(line, &change, script, report))
            return false;
    } else if (starts_with(line, "REMOVE=")) {
        change.action = CHANGE_REMOVE;
        if (!read_count(line, &change.count, report))
            return false;
    } else if (starts_with(line, "SWAP=")) {
        change.action = CHANGE_SWAP;
        if (!read_count(line, &change.count, report))
            return false;
    } else if (starts_with(line, "INCISE=")) {
        change.action = CHANGE_INCISE;
        if (!read_count(line, &change.count, report))
            return false;
    } else {
        dv_mesh_warn(report,
                     "line %" PRIu32 ": %s is passed over; known are T=, ADD=, REMOVE=, INCISE= and SWAP=", line->line,
                     dv_scanner_excerpt(*line).text);
        return true;
    }
    if (!(change.action == CHANGE_INCISE ? read_path : read_numbers)(file, &change, script, report))
        return false;
    dv_array_push(&script->changes, change);
    script->moments.data[script->moments.count - 1].count++;
    return true;
}

bool change_script_read(const void *bytes, size_t size, ChangeScript *script, DvMeshReport *report)
{
    DvScanner file = dv_scanner_start(bytes, size), line;
    dv_array_push(&script->moments, (ScriptedMoment){0}); /* before the first T= */
    while (dv_scanner_line(&file, &line)) {
        double time;
        if (!dv_scanner_more(&line))
            continue;
        if (!starts_with(&line, "T=")) {
            if (!read_change(&file, &line, script, report))
                return false;
            continue;
        }
        if (!dv_scanner_double(&line, &time))
            return dv_mesh_fail(report, "line %" PRIu32 ": the time is missing, not %s", line.line,
                                dv_scanner_excerpt(line).text);
        if (script->moments.count == 1 && script->changes.count == 0)
            dv_array_clear(&script->moments); /* nothing came before the first T= */
        dv_array_push(&script->moments, (ScriptedMoment){.time = time, .first = script->changes.count});
    }
    return true;
}
