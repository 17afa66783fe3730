/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Beams between rigid frames, eight at a time: Euler and Bernoulli's bending, stretching and torsion of a round section, without shear,
 * in the axes of the first frame, which turn with it.
 *
 * Frames a and b have centres x and orientations R. With d their distance and T the rotation between them at rest, in the axes of a,
 *   u = x_b - x_a - R_a d     t = R_a Q log(T^T R_a^T R_b)     r = R_a e
 * are how far b has moved and turned beside a, and where the beam points to. Consistent beams have e along d, and Q = T, which takes the
 * rotation from the axes of b to those of a. The others have e = x and Q = 1, and are right where frames are alike at rest and their x points
 * along d. The section is round: nothing but r tells directions apart,
 *   force on b   = -(12 s u + (EA/L - 12 s) (r.u) r + 6 s L r x t)                           s = EI/L^3
 *   torque on b  = -(4 s L^2 t + (GJ/L - 4 s L^2) (r.t) r - 6 s L r x u)
 *   torque on a  = -(2 s L^2 t - (GJ/L + 2 s L^2) (r.t) r - 6 s L r x u)
 * and a gets the opposite force. The stiffness is that of small displacements of both frames with r held. So the forces of a bent beam
 * have a torque, of the order of the displacement u times the force: it vanishes as beams are made shorter.
 */
#ifndef DIVAN_MECHANICS_BEAM_BLOCKS_H
#define DIVAN_MECHANICS_BEAM_BLOCKS_H

#include <divan/kit/element_blocks.h>
#include <divan/math/rigid.h>

enum { BEAM_NODES = 2, BEAM_FREEDOMS = 6 };

/* EA/L, GJ/L, and of EI: 12/L^3, 6/L^2, 4/L, 2/L. */
typedef enum BeamStiffness {
    BEAM_AXIAL,
    BEAM_TORSION,
    BEAM_SHIFT,
    BEAM_LEVER,
    BEAM_TURN,
    BEAM_TURN_OTHER,
    BEAM_STIFFNESSES
} BeamStiffness;

typedef struct BeamBlock {
    DvReal8 axis[3];                     /* e */
    DvReal8 distance[3];                 /* d */
    DvReal8 turn[4];                     /* T as a quaternion */
    DvReal8 stiffness[BEAM_STIFFNESSES]; /* BeamStiffness */
    DvReal8 direction[3];                /* r of the last force */
} BeamBlock;

typedef DvReal8 BeamForces[BEAM_NODES][BEAM_FREEDOMS];

typedef struct BeamBlocks {
    DvElementBlocks mesh;
    BeamBlock *block;   /* [mesh.blocks] */
    BeamForces *forces; /* [mesh.blocks] where they are many, else NULL */
    uint32_t room;      /* blocks that there is memory for */
    bool consistent;
} BeamBlocks;

typedef struct BeamSection {
    double young, shear;        /* E, G     Pa */
    double area, second_moment; /* A, I     m^2, m^4; J = 2 I */
} BeamSection;

DV_NODISCARD DvStatus beam_blocks_build(BeamBlocks *b, const DvObject *object, uint32_t points, DvElements edges,
                                        bool consistent);
/* dv_element_blocks_update; the beams that are touched are to be shaped anew. */
DV_NODISCARD DvStatus beam_blocks_update(BeamBlocks *b, const DvObject *object, const DvMeshEdits *edits,
                                         const DvTopologyRef *topology, uint32_t points, DvElements edges,
                                         bool *paired);
void beam_blocks_free(BeamBlocks *b);
/* A beam as it is at rest.     rest: points x 7. false: it has no length, and no stiffness then. */
bool beam_blocks_shape(BeamBlocks *b, uint32_t beam, const double *rest, const BeamSection *section);
/* How far a beam is from what is right: the angle between its axis and its edge, or between its frames, rad. */
double beam_blocks_slant(const BeamBlocks *b, uint32_t beam);

/* f += forces at x; they keep the directions that products and matrices are made with.     x: points x 7, f: points x 6 */
void beam_blocks_force(BeamBlocks *b, const DvConstVec *x, const DvVec *f);
void beam_blocks_dforce(BeamBlocks *b, double k, const DvConstVec *dx, const DvVec *df);
void beam_blocks_assemble(BeamBlocks *b, double k, const DvMatrixView *view);
/* Of displacements beside the first frames, J. */
double beam_blocks_energy(BeamBlocks *b, const DvConstVec *x);
/* Largest angular frequency of a beam whose frames have a unit of mass and of inertia, rad/s. */
double beam_blocks_bound(const BeamBlocks *b);

#endif
