/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Opening a chain of edges: where the triangles around a point of it fall into parts, each part gets a point of its own.
 */
#include "cut.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- Opening ---- */

static bool in_chain(const Cut *cut, uint32_t a, uint32_t b)
{
    for (uint32_t i = 1; i < cut->chain.count; i++) {
        const uint32_t p = cut->chain.data[i - 1], q = cut->chain.data[i];
        if ((p == a && q == b) || (p == b && q == a))
            return true;
    }
    return false;
}

bool cut_runs(const uint32_t *t, uint32_t a, uint32_t b)
{
    return (t[0] == a && t[1] == b) || (t[1] == a && t[2] == b) || (t[2] == a && t[0] == b);
}

enum { MOST_AROUND = 256 };

/* Which of two triangles around `point` share an edge there that is not of the chain. */
static bool hang_together(const Cut *cut, const uint32_t *t, const uint32_t *other, uint32_t point)
{
    for (int i = 0; i < 3; i++)
        if (t[i] != point && cut_has_point(other, t[i]) && !in_chain(cut, point, t[i]))
            return true;
    return false;
}

/* What hangs together around a point of the chain: for each triangle the first of its part. 0: too many. */
static uint32_t find_parts(const Cut *cut, uint32_t point, uint32_t *part)
{
    uint32_t length;
    const uint32_t *row = cut_around_point(cut, point, &length);
    for (uint32_t i = 0; i < length && length <= MOST_AROUND; i++)
        part[i] = i;
    for (bool grown = true; grown && length <= MOST_AROUND;) {
        grown = false;
        for (uint32_t i = 0; i < length; i++)
            for (uint32_t j = 0; j < length; j++)
                if (part[j] < part[i] &&
                    hang_together(cut, cut_triangle_at(cut, row[i]), cut_triangle_at(cut, row[j]), point)) {
                    part[i] = part[j];
                    grown = true;
                }
    }
    return length <= MOST_AROUND ? length : 0;
}

static bool is_at_chain(const Cut *cut, const uint32_t *t, uint32_t point)
{
    for (int i = 0; i < 3; i++)
        if (t[i] != point && in_chain(cut, point, t[i]))
            return true;
    return false;
}

/* Whether a triangle is on the right of the chain at one of its places. */
static bool is_right(const Cut *cut, const uint32_t *t, uint32_t at)
{
    const uint32_t *chain = cut->chain.data, point = chain[at];
    return (at > 0 && cut_runs(t, point, chain[at - 1])) ||
           (at + 1 < cut->chain.count && cut_runs(t, chain[at + 1], point));
}

static bool was_before(const Cut *cut, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++)
        if (cut->chain.data[i] == cut->chain.data[at])
            return true;
    return false;
}

/* Triangles that get new points, and what theirs become. */
typedef struct Parted {
    DvIndexArray triangles, points; /* [triangles x 3] */
} Parted;

static void rename_in(const Cut *cut, Parted *parted, uint32_t triangle, uint32_t old, uint32_t now)
{
    uint32_t i = 0;
    while (i < parted->triangles.count && parted->triangles.data[i] != triangle)
        i++;
    if (i == parted->triangles.count) {
        dv_array_push(&parted->triangles, triangle);
        dv_array_append(&parted->points, cut_triangle_at(cut, triangle), 3);
    }
    for (uint32_t j = 0; j < 3; j++)
        if (parted->points.data[3 * i + j] == old)
            parted->points.data[3 * i + j] = now;
}

/* Of the parts around one place of the chain that are beside it, the one on its right keeps the point, each other gets one of its own. */
static void part_point(const Cut *cut, uint32_t at, Parted *parted, DvIndexArray *doubled)
{
    uint32_t part[MOST_AROUND], kept = INVALID_INDEX, ignored;
    const uint32_t point = cut->chain.data[at], length = find_parts(cut, point, part);
    const uint32_t *row = cut_around_point(cut, point, &ignored);
    for (uint32_t i = 0; i < length && kept == INVALID_INDEX; i++)
        kept = is_right(cut, cut_triangle_at(cut, row[i]), at) ? part[i] : INVALID_INDEX;
    for (uint32_t first = 0; first < length && kept != INVALID_INDEX; first++) {
        bool beside = false;
        for (uint32_t i = first; i < length && part[first] == first && first != kept; i++)
            beside = beside || (part[i] == first && is_at_chain(cut, cut_triangle_at(cut, row[i]), point));
        for (uint32_t i = first; i < length && beside; i++)
            if (part[i] == first)
                rename_in(cut, parted, row[i], point, cut->mesh->points + doubled->count);
        if (beside)
            dv_array_push(doubled, point);
    }
}

DvStatus cut_open_chain(Cut *cut)
{
    Parted parted = {0};
    DvIndexArray doubled = {0}, start = {0};
    for (uint32_t i = 0; i < cut->chain.count; i++)
        if (!was_before(cut, i))
            part_point(cut, i, &parted, &doubled);
    for (uint32_t i = 0; i <= doubled.count; i++)
        dv_array_push(&start, i);
    DvStatus status = DV_OK;
    if (doubled.count) {
        const DvElementChange descent = {.ancestors = doubled.data, .ancestor_start = start.data};
        status = cut->ops->add_points(cut->modifier, doubled.count, &descent);
        if (status == DV_OK)
            status = cut_replace(cut, &parted.points, &parted.triangles, &parted.triangles);
    }
    cut->opened += doubled.count;
    dv_array_free(&parted.triangles);
    dv_array_free(&parted.points);
    dv_array_free(&doubled);
    dv_array_free(&start);
    return status;
}
