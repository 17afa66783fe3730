/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The order of the corners of a hexahedron: 0 1 2 3 around the bottom, counter-clockwise as seen from above, 4 5 6 7 above them.
 *
 * Two things go wrong with it. Hexahedra of mirrored meshes, as of grids that run backwards, are left-handed: their measure is negative.
 * Tangled ones, as those that list their corners row by row, have a measure that is nearly anything. Their proper order is, from the same
 * first corner, the one in which all corners are right-handed, opposite edges run the same way, and the volume is the largest; an element
 * that has more than three quarters of that volume in its own order is badly shaped, not tangled, and one with corners that coincide is a wedge.
 */
#ifndef DIVAN_MATH_HEXAHEDRON_H
#define DIVAN_MATH_HEXAHEDRON_H

#include <divan/math/vec.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Corner at[i] of the element as it is given takes place i. */
typedef struct DvHexahedronOrder {
    uint8_t at[8];
} DvHexahedronOrder;

typedef enum DvHexahedronTurn { DV_HEXAHEDRON_PROPER, DV_HEXAHEDRON_MIRRORED, DV_HEXAHEDRON_TANGLED } DvHexahedronTurn;

static const DvHexahedronOrder dv_hexahedron_as_given = {{0, 1, 2, 3, 4, 5, 6, 7}};

/* Edges along each axis, from their lower ends; false when opposite ones do not run the same way. */
static inline bool dv_hexahedron_edges(const DvVec3 p[8], DvHexahedronOrder order, DvVec3 edge[3][4])
{
    static const uint8_t ends[3][4][2] = {
        {{0, 1}, {3, 2}, {4, 5}, {7, 6}}, {{0, 3}, {1, 2}, {4, 7}, {5, 6}}, {{0, 4}, {1, 5}, {2, 6}, {3, 7}}};
    for (int axis = 0; axis < 3; axis++)
        for (int i = 0; i < 4; i++) {
            edge[axis][i] = dv_vec3_sub(p[order.at[ends[axis][i][1]]], p[order.at[ends[axis][i][0]]]);
            if (!(dv_vec3_dot(edge[axis][0], edge[axis][i]) > 0.0))
                return false;
        }
    return true;
}

/* Opposite edges run the same way, and all corners are right-handed. */
static inline bool dv_hexahedron_is_proper(const DvVec3 p[8], DvHexahedronOrder order)
{
    /* which of the edges along each axis meet at each corner */
    static const uint8_t meet[8][3] = {{0, 0, 0}, {0, 1, 1}, {1, 1, 2}, {1, 0, 3},
                                       {2, 2, 0}, {2, 3, 1}, {3, 3, 2}, {3, 2, 3}};
    DvVec3 edge[3][4];
    if (!dv_hexahedron_edges(p, order, edge))
        return false;
    for (int c = 0; c < 8; c++)
        if (!(dv_vec3_dot(dv_vec3_cross(edge[0][meet[c][0]], edge[1][meet[c][1]]), edge[2][meet[c][2]]) > 0.0))
            return false;
    return true;
}

/* Of the mean edges along each axis. */
static inline double dv_hexahedron_middle_determinant(const DvVec3 edge[3][4])
{
    DvVec3 mean[3];
    for (int axis = 0; axis < 3; axis++)
        mean[axis] = dv_vec3_add(dv_vec3_add(edge[axis][0], edge[axis][1]), dv_vec3_add(edge[axis][2], edge[axis][3]));
    return dv_vec3_dot(dv_vec3_cross(mean[0], mean[1]), mean[2]) / 64.0;
}

/* The volume of the trilinear element in this order, negative where it is left-handed: two Gauss points along each axis are exact. */
static inline double dv_hexahedron_volume(const DvVec3 p[8], DvHexahedronOrder order)
{
    static const int8_t end[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                     {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
    const double gauss = 0.57735026918962576;
    double volume = 0.0;
    for (int q = 0; q < 8; q++) {
        DvVec3 slope[3] = {dv_vec3_zero(), dv_vec3_zero(), dv_vec3_zero()};
        for (int i = 0; i < 8; i++) {
            double part[3];
            for (int k = 0; k < 3; k++)
                part[k] = 0.5 * (1.0 + gauss * end[q][k] * end[i][k]);
            const DvVec3 corner = p[order.at[i]];
            slope[0] = dv_vec3_madd(slope[0], 0.5 * end[i][0] * part[1] * part[2], corner);
            slope[1] = dv_vec3_madd(slope[1], 0.5 * part[0] * end[i][1] * part[2], corner);
            slope[2] = dv_vec3_madd(slope[2], 0.5 * part[0] * part[1] * end[i][2], corner);
        }
        volume += dv_vec3_dot(dv_vec3_cross(slope[0], slope[1]), slope[2]);
    }
    return volume;
}

static inline void dv_hexahedron_exchange(uint8_t *a, uint8_t *b)
{
    const uint8_t kept = *a;
    *a = *b;
    *b = kept;
}

/* The next order, ascending, with the same first corner; false after the last. */
static inline bool dv_hexahedron_next_order(DvHexahedronOrder *order)
{
    uint8_t *at = order->at;
    int low = 6, high = 7;
    while (low > 0 && at[low] > at[low + 1])
        low--;
    if (low == 0)
        return false;
    while (at[high] < at[low])
        high--;
    dv_hexahedron_exchange(&at[low], &at[high]);
    for (int i = low + 1, j = 7; i < j; i++, j--)
        dv_hexahedron_exchange(&at[i], &at[j]);
    return true;
}

static inline bool dv_hexahedron_has_equal_corners(const DvVec3 p[8])
{
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < i; j++)
            if (p[i].x == p[j].x && p[i].y == p[j].y && p[i].z == p[j].z)
                return true;
    return false;
}

/* The proper order of largest volume. *order is tried first: that of the element before, as most of a mesh are tangled alike. False: there
 * is none. */
static inline bool dv_hexahedron_untangle(const DvVec3 p[8], DvHexahedronOrder *order)
{
    const bool known = memcmp(order, &dv_hexahedron_as_given, sizeof *order) != 0;
    if (known && dv_hexahedron_is_proper(p, *order))
        return true;
    DvHexahedronOrder next = dv_hexahedron_as_given;
    double largest = 0.0;
    do {
        const double volume = dv_hexahedron_is_proper(p, next) ? dv_hexahedron_volume(p, next) : 0.0;
        if (volume > largest * (1.0 + 1e-9)) {
            largest = volume;
            *order = next;
        }
    } while (dv_hexahedron_next_order(&next));
    return largest > 0.0;
}

/* How the corners of an element at p are numbered; of a tangled one, *order is set to its proper order. It should be as given at the first
 * of several elements, and be handed on to the next.     [any] */
static inline DvHexahedronTurn dv_hexahedron_turn(const DvVec3 p[8], DvHexahedronOrder *order)
{
    DvVec3 edge[3][4];
    const bool parallel = dv_hexahedron_edges(p, dv_hexahedron_as_given, edge);
    if (parallel && dv_hexahedron_middle_determinant((const DvVec3(*)[4])edge) > 0.0)
        return DV_HEXAHEDRON_PROPER;
    const double volume = dv_hexahedron_volume(p, dv_hexahedron_as_given), size = volume < 0.0 ? -volume : volume;
    DvHexahedronOrder found = *order;
    if (!parallel && !dv_hexahedron_has_equal_corners(p) && dv_hexahedron_untangle(p, &found) &&
        size < 0.75 * dv_hexahedron_volume(p, found)) {
        *order = found;
        return DV_HEXAHEDRON_TANGLED;
    }
    return volume < 0.0 ? DV_HEXAHEDRON_MIRRORED : DV_HEXAHEDRON_PROPER;
}

#endif
