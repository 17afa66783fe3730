/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * STL: triangles without numbers for their points, as text or as bytes (a head, a 32-bit count, 50 bytes a facet: normal and corners in
 * single precision, two bytes of no meaning; least byte first). Points with the same coordinates become one, numbered as they are first
 * met. A file that starts with "solid" is text, but where its size is to the byte that of the facets that a binary head counts.
 *
 * Normals of facets are kept as the file lists them. Text ends with the first "endsolid".
 */
#include "readers.h"
#include <divan/kit/scanner.h>
#include <divan/worst.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { FACET_BYTES = 50, COUNT_BYTES = 4 };

/* Points by their coordinates: open addressing, `slot` holds a number + 1, or 0. */
typedef struct Points {
    uint32_t *slot, mask;
    DvMesh *mesh;
} Points;

static uint64_t hash_of(const double x[3])
{
    uint64_t hash = 0;
    for (int c = 0; c < 3; c++) {
        uint64_t bits;
        const double plain = x[c] + 0.0; /* -0 is 0 */
        memcpy(&bits, &plain, sizeof bits);
        hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    return hash * 0x9E3779B97F4A7C15u;
}

static uint32_t *find_slot(const Points *points, const double x[3])
{
    uint32_t at = (uint32_t)(hash_of(x) >> 32) & points->mask;
    for (; points->slot[at]; at = (at + 1) & points->mask) {
        const double *other = points->mesh->position.data[points->slot[at] - 1].at;
        if (other[0] == x[0] && other[1] == x[1] && other[2] == x[2])
            break;
    }
    return &points->slot[at];
}

static void enlarge(Points *points)
{
    const uint32_t slots = points->slot ? 2 * (points->mask + 1) : 1024;
    dv_free(points->slot);
    points->slot = dv_alloc(slots, sizeof *points->slot);
    points->mask = slots - 1;
    for (uint32_t i = 0; i < points->mesh->position.count; i++)
        *find_slot(points, points->mesh->position.data[i].at) = i + 1;
}

static uint32_t add_point(Points *points, const double x[3])
{
    if (2 * (uint64_t)points->mesh->position.count >= points->mask)
        enlarge(points);
    uint32_t *slot = find_slot(points, x);
    if (*slot == 0) {
        dv_array_push(&points->mesh->position, (DvPoint3){{x[0], x[1], x[2]}});
        *slot = points->mesh->position.count;
    }
    return *slot - 1;
}

/* ---- Bytes ---- */

static uint32_t uint_at(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static double real_at(const unsigned char *at)
{
    const uint32_t bits = uint_at(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static bool read_vector(const unsigned char *at, double x[3])
{
    for (int c = 0; c < 3; c++)
        x[c] = real_at(at + 4 * (size_t)c);
    return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

static void say_facets(DvMeshReport *report, const DvWorst *facets, const char *what)
{
    char numbers[DV_WORST_TEXT];
    if (facets->count)
        dv_mesh_warn(report, "%" PRIu32 " facets %s (%s)", facets->count, what, dv_worst_text(facets, numbers));
}

/* The size that the head and its count ask for; 0 when the count is not there. */
static uint64_t binary_size(const unsigned char *bytes, size_t size, size_t head)
{
    return size < head + COUNT_BYTES ? 0 : head + COUNT_BYTES + (uint64_t)FACET_BYTES * uint_at(bytes + head);
}

static bool read_binary(const unsigned char *bytes, size_t size, const StlOptions *options, Points *points,
                        DvMeshReport *report)
{
    const size_t head = options->head;
    const uint64_t expected = binary_size(bytes, size, head);
    if (expected == 0)
        return dv_mesh_fail(report, "%zu bytes are too few for a binary STL file, which starts with %zu", size,
                            head + COUNT_BYTES);
    if (expected != size)
        return dv_mesh_fail(report,
                            "byte %zu: %" PRIu32 " facets take %" PRIu64
                            " bytes, and the file has %zu: it is cut, or no binary STL",
                            head, uint_at(bytes + head), expected, size);
    DvWorst flat = {0}, odd = {0};
    bool good = true;
    uint32_t facet = 0;
    for (const unsigned char *at = bytes + head + COUNT_BYTES; good && at < bytes + size; at += FACET_BYTES, facet++) {
        double x[3];
        uint32_t corner[3];
        if (!read_vector(at, x)) {
            memset(x, 0, sizeof x);
            dv_worst_add(&odd, facet, 0.0);
        }
        dv_array_push(&points->mesh->normal, (DvPoint3){{x[0], x[1], x[2]}});
        for (size_t k = 0; k < 3 && good; k++) {
            good = read_vector(at + 12 * (k + 1), x);
            if (good)
                corner[k] = add_point(points, x);
            else
                dv_mesh_set_error(report, "byte %zu: a coordinate of facet %" PRIu32 " is not finite",
                                  (size_t)(at - bytes) + 12 * (k + 1), facet);
        }
        if (!good)
            break;
        if (corner[0] == corner[1] || corner[1] == corner[2] || corner[0] == corner[2])
            dv_worst_add(&flat, facet, 0.0);
        else
            dv_mesh_add_triangle(points->mesh, options->flip, corner[0], corner[1], corner[2]);
    }
    say_facets(report, &flat, "have two corners in one place and are left out");
    say_facets(report, &odd, "have a normal that is not finite, which counts as none");
    return good;
}

/* ---- Text ---- */

typedef struct Facet {
    uint32_t corner[3], corners, line;
    bool open;
} Facet;

static bool read_normal(DvScanner *text, DvWorst *odd, double x[3])
{
    bool good = true;
    memset(x, 0, 3 * sizeof *x);
    for (int c = 0; c < 3; c++)
        if (!dv_scanner_double(text, &x[c])) {
            (void)dv_scanner_word(text); /* nan, as some programs write it for flat facets */
            good = false;
        }
    if (!good) {
        memset(x, 0, 3 * sizeof *x);
        dv_worst_add(odd, text->line, 0.0);
    }
    return good;
}

static bool read_vertex(DvScanner *text, Facet *facet, Points *points, DvMeshReport *report)
{
    double x[3];
    for (int c = 0; c < 3; c++)
        if (!dv_scanner_double(text, &x[c]))
            return dv_mesh_fail(report, "line %" PRIu32 ": a coordinate is missing, not %s", text->line,
                                dv_scanner_excerpt(*text).text);
    if (!facet->open || facet->corners == 3)
        return dv_mesh_fail(report, "line %" PRIu32 ": %s", text->line,
                            facet->open ? "a facet has more than three corners" : "a vertex outside a facet");
    facet->corner[facet->corners++] = add_point(points, x);
    return true;
}

static bool open_facet(DvScanner *text, Facet *facet, DvWorst *odd, DvMesh *mesh, DvMeshReport *report)
{
    double x[3];
    if (facet->open)
        return dv_mesh_fail(report, "line %" PRIu32 ": a facet starts in the one of line %" PRIu32, text->line,
                            facet->line);
    *facet = (Facet){.open = true, .line = text->line};
    const DvWord word = dv_scanner_word(text);
    if (!dv_word_is_caseless(word, "normal"))
        return dv_mesh_fail(report, "line %" PRIu32 ": 'normal' is missing, not %s", text->line,
                            dv_word_excerpt(word).text);
    (void)read_normal(text, odd, x);
    dv_array_push(&mesh->normal, (DvPoint3){{x[0], x[1], x[2]}});
    return true;
}

static bool close_facet(const DvScanner *text, Facet *facet, bool flip, DvMesh *mesh, DvMeshReport *report)
{
    if (!facet->open || facet->corners != 3)
        return dv_mesh_fail(report, "line %" PRIu32 ": a facet of %" PRIu32 " corners", text->line, facet->corners);
    dv_mesh_add_triangle(mesh, flip, facet->corner[0], facet->corner[1], facet->corner[2]);
    facet->open = false;
    return true;
}

/* "end facet" is "endfacet", as some programs write it. */
static DvWord next_word(DvScanner *text)
{
    const DvWord word = dv_scanner_word(text);
    if (!dv_word_is_caseless(word, "end"))
        return word;
    static const char *const ends[] = {"endfacet", "endloop", "endsolid"};
    const DvWord what = dv_scanner_word(text);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (dv_word_is_caseless(what, ends[i] + 3))
            return (DvWord){ends[i], strlen(ends[i])};
    return what;
}

static bool read_text(const char *bytes, size_t size, bool flip, Points *points, DvMeshReport *report)
{
    DvScanner text = dv_scanner_start(bytes, size), line;
    DvWorst odd = {0};
    Facet facet = {.open = false};
    bool good = true, ended = false;
    (void)dv_scanner_line(&text, &line); /* solid and its name */
    while (good && !ended && dv_scanner_more(&text)) {
        const DvWord word = next_word(&text);
        if (dv_word_is_caseless(word, "vertex"))
            good = read_vertex(&text, &facet, points, report);
        else if (dv_word_is_caseless(word, "facet"))
            good = open_facet(&text, &facet, &odd, points->mesh, report);
        else if (dv_word_is_caseless(word, "endfacet"))
            good = close_facet(&text, &facet, flip, points->mesh, report);
        else if (dv_word_is_caseless(word, "endsolid"))
            ended = true;
        else if (!dv_word_is_caseless(word, "outer") && !dv_word_is_caseless(word, "loop") &&
                 !dv_word_is_caseless(word, "endloop"))
            good = dv_mesh_fail(report, "line %" PRIu32 ": %s is no word of an STL file", text.line,
                                dv_word_excerpt(word).text);
    }
    if (good && facet.open)
        return dv_mesh_fail(report, "the facet of line %" PRIu32 " does not end: the file is cut", facet.line);
    if (good && !ended)
        dv_mesh_warn(report, "there is no 'endsolid': the file may be cut");
    (void)dv_scanner_line(&text, &line);
    if (good && dv_scanner_more(&text))
        dv_mesh_warn(report, "line %" PRIu32 ": another solid follows, which is left out", text.line);
    say_facets(report, &odd, "have a normal of no numbers, which counts as none: their lines");
    return good;
}

bool mesh_read_stl(const void *bytes, size_t size, const StlOptions *options, DvMesh *mesh, DvMeshReport *report)
{
    DvScanner text = dv_scanner_start(bytes, size);
    Points points = {.mesh = mesh};
    const bool solid = dv_word_is_caseless(dv_scanner_word(&text), "solid");
    const bool binary = options->binary || !solid || binary_size(bytes, size, options->head) == size;
    enlarge(&points);
    const bool good = binary ? read_binary(bytes, size, options, &points, report)
                             : read_text(bytes, size, options->flip, &points, report);
    dv_free(points.slot);
    return good;
}
