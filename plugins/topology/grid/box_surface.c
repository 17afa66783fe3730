/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The surface of a block of points. Faces are numbered 2 axis + (1 at the far end).
 */
#include "box_surface.h"

enum { FACES = 6 };
static const uint8_t across[3][2] = {{1, 2}, {0, 2}, {0, 1}}; /* axes of a face: the faster one of its numbers first */

static bool is_on(const BoxSurface *box, const uint32_t at[3], int face)
{
    return at[face / 2] == (face % 2 ? box->n[face / 2] - 1 : 0);
}

/* The first face, in their order, that a point lies on; FACES when it lies inside. */
static int face_of(const BoxSurface *box, const uint32_t at[3])
{
    int face = 0;
    while (face < FACES && !is_on(box, at, face))
        face++;
    return face;
}

static uint32_t face_points(const BoxSurface *box, int axis)
{
    return box->n[across[axis][0]] * box->n[across[axis][1]];
}

/* Blocks of points: faces x, y, z at the near end, then those at the far end. */
static uint32_t split_number(const BoxSurface *box, const uint32_t at[3], int face)
{
    const int axis = face / 2, faster = across[axis][0], slower = across[axis][1];
    uint32_t number = at[faster] + box->n[faster] * at[slower];
    for (int before = 0; before < 3; before++)
        number += ((face % 2 ? 1U : 0U) + (before < axis ? 1U : 0U)) * face_points(box, before);
    return number;
}

static uint32_t surface_number(const uint32_t n[3], const uint32_t at[3])
{
    if (at[2] == 0 || at[2] + 1 == n[2])
        return at[0] + n[0] * at[1] + (at[2] ? n[0] * n[1] : 0);
    const uint32_t rim = 2 * n[0] + 2 * n[1] - 4, first = 2 * n[0] * n[1] + (at[2] - 1) * rim;
    if (at[1] == 0 || at[1] + 1 == n[1])
        return first + at[0] + (at[1] ? n[0] : 0);
    return first + 2 * n[0] + at[1] - 1 + (at[0] ? n[1] - 2 : 0);
}

/* The number of a point as a corner of a face. */
static uint32_t number_on(const BoxSurface *box, const uint32_t at[3], int face)
{
    switch (box->numbers) {
    case BOX_ALL_POINTS:
        return at[0] + box->n[0] * (at[1] + box->n[1] * at[2]);
    case BOX_SPLIT_POINTS:
        return split_number(box, at, face);
    default:
        return surface_number(box->n, at);
    }
}

uint32_t box_surface_points(const BoxSurface *box)
{
    const uint32_t *n = box->n;
    if (box->numbers == BOX_ALL_POINTS)
        return n[0] * n[1] * n[2];
    if (box->numbers == BOX_SPLIT_POINTS)
        return 2 * (face_points(box, 0) + face_points(box, 1) + face_points(box, 2));
    return n[0] * n[1] * n[2] - (n[0] - 2) * (n[1] - 2) * (n[2] - 2);
}

void box_surface_places(const BoxSurface *box, uint32_t (*places)[3])
{
    uint32_t at[3];
    for (at[2] = 0; at[2] < box->n[2]; at[2]++)
        for (at[1] = 0; at[1] < box->n[1]; at[1]++)
            for (at[0] = 0; at[0] < box->n[0]; at[0]++) {
                if (box->numbers == BOX_ALL_POINTS)
                    memcpy(places[number_on(box, at, 0)], at, sizeof at);
                for (int face = 0; face < FACES; face++)
                    if (is_on(box, at, face))
                        memcpy(places[number_on(box, at, face)], at, sizeof at);
            }
}

static void add_edge(const BoxSurface *box, const uint32_t at[3], int axis, DvIndexArray *edges)
{
    uint32_t end[3] = {at[0], at[1], at[2]};
    bool on_surface = false;
    end[axis]++;
    for (int face = 0; face < FACES; face++)
        on_surface = on_surface || (face / 2 != axis && is_on(box, at, face));
    if (!on_surface || end[axis] == box->n[axis])
        return;
    dv_array_push(edges, number_on(box, at, face_of(box, at)));
    dv_array_push(edges, number_on(box, end, face_of(box, end)));
}

void box_surface_edges(const BoxSurface *box, DvIndexArray *edges)
{
    uint32_t at[3];
    for (at[2] = 0; at[2] < box->n[2]; at[2]++)
        for (at[1] = 0; at[1] < box->n[1]; at[1]++)
            for (at[0] = 0; at[0] < box->n[0]; at[0]++)
                for (int axis = 0; axis < 3; axis++)
                    add_edge(box, at, axis, edges);
}

/* From `at` along axis a, then also b. */
static void add_quad(const BoxSurface *box, const uint32_t at[3], int face, int a, int b, DvIndexArray *quads)
{
    static const bool corners[4][2] = {{false, false}, {true, false}, {true, true}, {false, true}};
    for (int i = 0; i < 4; i++) {
        uint32_t corner[3] = {at[0], at[1], at[2]};
        corner[a] += corners[i][0];
        corner[b] += corners[i][1];
        dv_array_push(quads, number_on(box, corner, face));
    }
}

void box_surface_quads(const BoxSurface *box, DvIndexArray *quads)
{
    for (int axis = 2; axis >= 0; axis--)
        for (int far = 0; far < 2; far++) {
            const int a = (axis + 1) % 3, b = (axis + 2) % 3; /* a x b points along the axis */
            const int faster = across[axis][0], slower = across[axis][1];
            uint32_t at[3];
            at[axis] = far ? box->n[axis] - 1 : 0;
            for (at[slower] = 0; at[slower] + 1 < box->n[slower]; at[slower]++)
                for (at[faster] = 0; at[faster] + 1 < box->n[faster]; at[faster]++)
                    add_quad(box, at, 2 * axis + far, far ? a : b, far ? b : a, quads);
        }
}
