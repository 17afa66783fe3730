/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Meshes of problems: a block of points, counted along u, v and w, that formulas put into place.
 *
 *   [mesh wall]
 *   points = 9, 5, 2                       along u, v, w, each from 0 to 1; one or two may be 1: surfaces and curves
 *   x = (r1 + (r2 - r1) * u) * cos(v)      of u, v, w and of i, which counts the points, u first
 *   y = ...
 *   z = h * w                              0 when not given
 *   order = noise(i)                       points are numbered in the order of this
 *   corner = i                             element i begins with another of its corners, in the same sense
 *
 * In gaps: {wall.position}; {wall.hexahedra}, {wall.tetrahedra} (six in a cell, along its diagonal), {wall.quads}, {wall.triangles} and
 * {wall.edges}; {wall where CONDITION}, the points for which a formula of x y z u v w i is not 0; {wall: F, G, H}, numbers for
 * each point; {wall where CONDITION: F, G, H}; {wall on u1 where ...: ...}, the points of a face, of which a formula has
 * also `area` and its vector ax ay az: the point's share of the face and of its outward normal, exact for a uniform pressure on
 * bilinear quads (of edges of a surface: length, and the normal in the x-y plane). `count` is how many points were picked.
 */
#ifndef DIVAN_VERIFY_BLOCK_H
#define DIVAN_VERIFY_BLOCK_H

#include "problem.h"

/* Whether the text of a gap is one about a mesh of the problem. */
bool block_is_gap(const Problem *problem, const char *gap);
/* What stands in its place. false: reported. */
bool block_fill(Run *run, const char *gap, int line, GString *out);

#endif
