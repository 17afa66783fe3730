/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Modes and frames of hexahedra: what their stiffness at rest and their forces are made from.
 */
#ifndef DIVAN_MECHANICS_HEXAHEDRON_MODES_H
#define DIVAN_MECHANICS_HEXAHEDRON_MODES_H

#include "forcefield/fem/frames.h"
#include "forcefield/fem/hexahedron_fem.h"

#include <divan/math/decompose.h>

/* The modes of a block's elements, and the frames they have: mean edges are the first three modes, up to a factor. */
DV_SIMD_INLINE void block_modes(const HexahedronFEMForceField *self, uint32_t block, DvReal8 mode[MODES][3])
{
    DvReal8 x[NODES][3];
    for (uint32_t n = 0; n < NODES; n++)
        dv_real8_gather_rows(self->mesh.point, self->mesh.node + ((size_t)block * NODES + n) * DV_LANES, x[n]);
    box_modes((const DvReal8(*)[3])x, mode);
}

/* The same of the rows of a chunk. */
DV_SIMD_INLINE void chunk_modes(DvElementRow *row, const uint16_t *place, bool narrow, DvReal8 mode[MODES][3])
{
    DvReal8 x[NODES][3];
    DV_EACH (n, NODES) {
        DvElementRow *at[DV_LANES];
        dv_element_rows_at(row, place + n * DV_LANES, at);
        dv_element_rows_gather(at, narrow, x[n]);
    }
    box_modes((const DvReal8(*)[3])x, mode);
}

DV_SIMD_INLINE void block_frames(const HexahedronFEMForceField *self, const DvReal8 mode[MODES][3], DvReal8 frame[3][3])
{
    if (self->chosen == HEXAHEDRON_LARGE) {
        triangle_frame(mode[MODE_X], mode[MODE_Y], frame);
    } else if (self->chosen == HEXAHEDRON_POLAR) {
        polar_frame(mode, frame);
    } else {
        DV_EACH (i, 3)
            DV_EACH (j, 3)
                frame[i][j] = dv_real8(i == j);
    }
}

/* Of one element, its nodes in the lanes: its lane of the block's frames. Places are seen from its first node afterwards. */
DV_SIMD_INLINE void exact_frame_of(HexahedronExact *exact, uint32_t lane, DvReal8 x[3], DvReal8 frame[3][3])
{
    DV_EACH (i, 3)
        x[i] -= x[i][0]; /* far from the origin, sums over the nodes would be of small differences */
    const DvMat3 r = exact_frame(exact->gradient, x, &exact->stretch);
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            frame[i][j][lane] = r.m[i][j];
}

/* local = R x of one element, its nodes in the lanes. */
DV_SIMD_INLINE void turn(const DvReal8 frame[3][3], uint32_t lane, const DvReal8 x[3], DvReal8 local[3])
{
    DV_EACH (i, 3)
        local[i] = frame[i][0][lane] * x[0] + frame[i][1][lane] * x[1] + frame[i][2][lane] * x[2];
}

void hexahedron_store_stiffness(Stiffness *out, const double k[COLUMNS][COLUMNS]);
void hexahedron_nodes(const DvReal8 position[3], double node[NODES][3]);
bool hexahedron_turns(const void *self);

#endif
