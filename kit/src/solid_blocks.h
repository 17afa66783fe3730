/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What lies where in a block of DvSolidElements.
 */
#ifndef DIVAN_KIT_SOLID_BLOCKS_H
#define DIVAN_KIT_SOLID_BLOCKS_H

#include <divan/kit/solid_elements.h>

enum { DV_SOLID_NODES = 8 }; /* at most */

static inline uint32_t solid_point_size(const DvSolidElements *solid)
{
    return 1 + 3 * solid->mesh.nodes + (solid->model.law->linear ? 0 : 9);
}
static inline uint32_t solid_head_size(const DvSolidElements *solid)
{
    return 3 * solid->mesh.nodes + DV_LAW_PARAMETERS + (solid->model.kinematics == DV_COROTATIONAL ? 9 : 0);
}
static inline uint32_t solid_stride(const DvSolidElements *solid)
{
    return solid_head_size(solid) + solid->points * solid_point_size(solid);
}

/* [nodes] */
static inline DvReal8 (*solid_rest(const DvSolidElements *solid, uint32_t number))[3]
{
    return (DvReal8(*)[3])(solid->block + (size_t)number * solid->stride);
}
/* [DV_LAW_PARAMETERS] */
static inline DvReal8 *solid_parameters(const DvSolidElements *solid, uint32_t number)
{
    return solid->block + (size_t)number * solid->stride + 3 * (size_t)solid->mesh.nodes;
}
/* Of the last force, rest to current; of corotational elements. */
static inline DvReal8 (*solid_rotation(const DvSolidElements *solid, uint32_t number))[3]
{
    return (DvReal8(*)[3])(solid_parameters(solid, number) + DV_LAW_PARAMETERS);
}
/* Weight, then [nodes][3] gradients. */
static inline DvReal8 *solid_point(const DvSolidElements *solid, uint32_t number, uint32_t q)
{
    return solid->block + (size_t)number * solid->stride + solid_head_size(solid) + (size_t)q * solid_point_size(solid);
}
/* F of the last force, of laws that are not linear. */
static inline DvReal8 (*solid_gradient_of_point(const DvSolidElements *solid, uint32_t number, uint32_t q))[3]
{
    return (DvReal8(*)[3])(solid_point(solid, number, q) + 1 + 3 * (size_t)solid->mesh.nodes);
}

/* The inverse Jacobian of nodes at a point where the shape functions have these derivatives, of fewer dimensions with unit normals; its
 * determinant, 0: it has no size there.     at, slope: [nodes][3] */
double solid_map(DvElementKind kind, const double *at, const double *slope, DvMat3 *inverse);

DV_SIMD_INLINE void solid_symmetrise(DvReal8 a[3][3])
{
    a[0][1] = a[1][0] = 0.5 * (a[0][1] + a[1][0]);
    a[0][2] = a[2][0] = 0.5 * (a[0][2] + a[2][0]);
    a[1][2] = a[2][1] = 0.5 * (a[1][2] + a[2][1]);
}

/* Stress of Hooke's law from the displacement gradient. */
DV_SIMD_INLINE void solid_hooke(const DvReal8 *parameters, const DvReal8 (*h)[3], DvReal8 p[3][3])
{
    const DvReal8 pressure = parameters[0] * (h[0][0] + h[1][1] + h[2][2]), mu = parameters[1];
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            p[i][j] = mu * (h[i][j] + h[j][i]);
    DV_EACH (i, 3)
        p[i][i] += pressure;
}

#endif
