/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The exact mass matrix of one bilinear quad or trilinear hexahedron of density 1:
 *
 *   m_ij = integral of N_i N_j over the element,   N the shape functions of its corners
 *
 * by three Gauss points along each of its axes, which is exact for hexahedra of any shape (the integrand has at most degree 4 in each of
 * them) and for plane quads; of quads that are not plane the area is that of the rule. The weights are positive, and the functions are
 * independent on the points: the matrix is positive definite wherever the element has a size. Where an element is turned inside out its
 * measure counts without its sign.
 * Hughes, The finite element method, 1987, sections 3.8 and 7.3.
 */
#ifndef DIVAN_MECHANICS_ELEMENT_MASS_H
#define DIVAN_MECHANICS_ELEMENT_MASS_H

#include <divan/contracts/topology.h>
#include <divan/math/vec.h>

enum { ELEMENT_MASS_ENTRIES = 36 };

/* Place of entry i, j with j <= i. */
static inline uint32_t element_mass_entry(uint32_t i, uint32_t j)
{
    return i * (i + 1) / 2 + j;
}

/* corners: 4 of a quad, 8 of a hexahedron, numbered as in a topology; m: the lower triangle by rows, 10 or 36 numbers. */
void element_mass(DvElementKind kind, const DvVec3 *corners, double m[ELEMENT_MASS_ENTRIES]);

#endif
