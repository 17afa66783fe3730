/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "element_mass.h"

#include <math.h>
#include <string.h>

/* Which end of each axis a corner lies at; quads are the first four. */
static const uint8_t end[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                  {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

/* Shape functions at a point of [0, 1]^3, and the derivatives of the position by its coordinates. */
static void shape_at(uint32_t nodes, const DvVec3 *corners, const double at[3], double n[8], DvVec3 slope[3])
{
    for (uint32_t axis = 0; axis < 3; axis++)
        slope[axis] = dv_vec3_zero();
    for (uint32_t i = 0; i < nodes; i++) {
        double part[3], change[3];
        for (uint32_t axis = 0; axis < 3; axis++) {
            part[axis] = end[i][axis] ? at[axis] : 1.0 - at[axis];
            change[axis] = end[i][axis] ? 1.0 : -1.0;
        }
        if (nodes == 4)
            part[2] = 1.0;
        n[i] = part[0] * part[1] * part[2];
        slope[0] = dv_vec3_madd(slope[0], change[0] * part[1] * part[2], corners[i]);
        slope[1] = dv_vec3_madd(slope[1], part[0] * change[1] * part[2], corners[i]);
        slope[2] = dv_vec3_madd(slope[2], part[0] * part[1] * change[2], corners[i]);
    }
}

void element_mass(DvElementKind kind, const DvVec3 *corners, double m[ELEMENT_MASS_ENTRIES])
{
    const uint32_t nodes = dv_element_nodes(kind), layers = kind == DV_HEXAHEDRA ? 3 : 1;
    const double away = 0.5 * sqrt(0.6), place[3] = {0.5 - away, 0.5, 0.5 + away},
                 weight[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
    memset(m, 0, element_mass_entry(nodes, 0) * sizeof *m);
    for (uint32_t point = 0; point < 9 * layers; point++) {
        const uint32_t at[3] = {point % 3, point / 3 % 3, point / 9};
        double n[8];
        DvVec3 slope[3];
        shape_at(nodes, corners, (const double[3]){place[at[0]], place[at[1]], place[at[2]]}, n, slope);
        const DvVec3 normal = dv_vec3_cross(slope[0], slope[1]);
        const double measure = layers == 3 ? fabs(dv_vec3_dot(normal, slope[2])) * weight[at[2]] : dv_vec3_norm(normal);
        const double part = measure * weight[at[0]] * weight[at[1]];
        for (uint32_t i = 0; i < nodes; i++)
            for (uint32_t j = 0; j <= i; j++)
                m[element_mass_entry(i, j)] += part * n[i] * n[j];
    }
}
