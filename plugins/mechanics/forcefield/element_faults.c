/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "forcefield/element_faults.h"

#include <divan/duplicates.h>
#include <divan/log.h>
#include <divan/worst.h>

#include <string.h>

/* Pairs of numbers, of which the first three are told. */
typedef struct Pairs {
    uint32_t count, at[DV_WORST_KEPT][2];
} Pairs;

static void add_pair(Pairs *pairs, uint32_t first, uint32_t second)
{
    if (pairs->count < DV_WORST_KEPT) {
        pairs->at[pairs->count][0] = first;
        pairs->at[pairs->count][1] = second;
    }
    pairs->count++;
}

static void write_pairs(DvText *text, const Pairs *pairs)
{
    for (uint32_t i = 0; i < pairs->count && i < DV_WORST_KEPT; i++)
        dv_text_add(text, "%s%u and %u", i ? ", " : "", pairs->at[i][0], pairs->at[i][1]);
    if (pairs->count > DV_WORST_KEPT)
        dv_text_add(text, ", ...");
}

/* Where the elements have their corners: a list of these points. */
static uint32_t list_corners(DvElements elements, uint32_t nodes, DvConstVec rest, uint32_t *corner)
{
    uint8_t *used = dv_alloc(rest.count, sizeof *used);
    uint32_t count = 0;
    for (size_t i = 0; i < (size_t)elements.count * nodes; i++)
        if (elements.at[i] < rest.count)
            used[elements.at[i]] = 1;
    for (uint32_t p = 0; p < rest.count; p++)
        if (used[p])
            corner[count++] = p;
    dv_free(used);
    return count;
}

static Pairs points_in_one_place(DvConstVec rest, const uint32_t *corner, uint32_t count)
{
    Pairs pairs = {0};
    double *x = dv_alloc(count, 3 * sizeof *x);
    uint32_t *first = dv_alloc(count, sizeof *first);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < 3 && c < rest.dim; c++)
            x[3 * (size_t)i + c] = rest.at[(size_t)corner[i] * rest.dim + c];
    (void)dv_same_places(x, 3, count, DV_SAME_PLACE * dv_diagonal(x, 3, count), first);
    for (uint32_t i = 0; i < count; i++)
        if (first[i] != i)
            add_pair(&pairs, corner[first[i]], corner[i]);
    dv_free(x);
    dv_free(first);
    return pairs;
}

static Pairs elements_of_the_same_points(DvElements elements, uint32_t nodes)
{
    Pairs pairs = {0};
    uint32_t *first = dv_alloc(elements.count, sizeof *first);
    (void)dv_same_elements(elements.at, nodes, elements.count, first);
    for (uint32_t e = 0; e < elements.count; e++)
        if (first[e] != e)
            add_pair(&pairs, first[e], e);
    dv_free(first);
    return pairs;
}

static void say_loose(const DvObject *object, const DvObject *topology, const char *kind, uint32_t points,
                      const uint32_t *corner, uint32_t corners)
{
    DvWorst loose = {0};
    char numbers[DV_WORST_TEXT];
    for (uint32_t p = 0, next = 0; p < points; p++)
        if (next < corners && corner[next] == p)
            next++;
        else
            dv_worst_add(&loose, p, 0.0);
    if (loose.count)
        dv_remark(object, "%u of %u points of its state are corners of none of its %s: %s; what else holds them? %s",
                  loose.count, points, kind, dv_worst_text(&loose, numbers),
                  dv_topology_unused_points_remedy(topology));
}

void element_faults_say_twice(const DvObject *object, const char *kind, DvElements elements, uint32_t nodes)
{
    const Pairs twice = elements_of_the_same_points(elements, nodes);
    if (twice.count == 0)
        return;
    DvText text = {0};
    write_pairs(&text, &twice);
    dv_warning(object, "%u of %u %s are given twice, and count twice: %s have the same points", twice.count,
               elements.count, kind, text.at);
    dv_text_free(&text);
}

void element_faults_say(const DvObject *object, const DvObject *topology, const char *kind, DvElements elements,
                        uint32_t nodes, DvConstVec rest)
{
    if (elements.count == 0 || !rest.at)
        return;
    DvText text = {0};
    uint32_t *corner = dv_alloc(rest.count, sizeof *corner);
    const uint32_t corners = list_corners(elements, nodes, rest, corner);
    if (strcmp(kind, "tetrahedra") == 0 || strcmp(kind, "hexahedra") == 0) /* a surface may be that of a body */
        say_loose(object, topology, kind, rest.count, corner, corners);
    const Pairs points = points_in_one_place(rest, corner, corners);
    dv_free(corner);
    if (points.count > 0) {
        write_pairs(&text, &points);
        dv_warning(
            object,
            "%u pair%s of points of its %s are in one place, so that what hangs on one does not hold the other: %s; "
            "mergeDistance of the loader or the topology makes them one",
            points.count, points.count == 1 ? "" : "s", kind, text.at);
        dv_text_free(&text);
    }
    element_faults_say_twice(object, kind, elements, nodes);
}
