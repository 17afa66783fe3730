/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stiffness of a linear elastic hexahedron with trilinear shape functions.
 *
 *   K_ij = sum over 2 x 2 x 2 Gauss points of (lambda g_i g_j^T + mu g_j g_i^T + mu (g_i . g_j) I) det J,  g_i = J^-T grad N_i
 *
 * Nodes: 0 (-,-,-) 1 (+,-,-) 2 (+,+,-) 3 (-,+,-) 4 (-,-,+) 5 (+,-,+) 6 (+,+,+) 7 (-,+,+). An element that is nearly a parallelepiped
 * takes the Jacobian of its edges at node 0 everywhere, as existing scenes rely on.
 */
#ifndef DIVAN_MECHANICS_HEXAHEDRON_STIFFNESS_H
#define DIVAN_MECHANICS_HEXAHEDRON_STIFFNESS_H

#include <stdbool.h>

/* Whether it is nearly a parallelepiped, to a thousandth of its edges. */
bool hexahedron_is_parallelepiped(const double node[8][3]);

/* stiffness: [24][24], row 3 i + c is component c of node i; symmetric. Lame's parameters in Pa, nodes in m. */
void hexahedron_stiffness(const double node[8][3], double lambda, double mu, double stiffness[24][24]);

/* Integral of det J: the volume, negative when the element is inverted. */
double hexahedron_volume(const double node[8][3]);

#endif
