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

/* The same of a box along the axes, by formula: with the diagonal l = node 6 - node 0, J_k = 2 / l_k and the volume from the lengths of the
 * three edges at node 0,
 *   K_ij[k][k] = V J_k^2 ((lambda + 2 mu) E_k + mu (E_l + E_m)),   K_ij[k][l] = V J_k J_l (lambda s_k t_l + mu s_l t_k) (1 + s_m t_m / 3) / 8
 * E_k = s_k t_k (1 + s_l t_l / 3) (1 + s_m t_m / 3) / 8; s, t: signs of nodes i, j. J_k^2 stands before mu too, where J_l^2 and J_m^2
 * belong, so it is right for cubes only: scenes rely on it. */
void hexahedron_closed_stiffness(const double node[8][3], double lambda, double mu, double stiffness[24][24]);

/* Integral of det J: the volume, negative when the element is inverted. */
double hexahedron_volume(const double node[8][3]);

#endif
