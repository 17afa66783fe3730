/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Local numbers of the parts of an element, as all topologies share them. Edge j of a triangle is opposite to its
 * corner j; triangle j of a tetrahedron is opposite to its corner j and looks outward; the corners 0 1 2 3 of a
 * hexahedron go around its bottom and 4 5 6 7 lie above them.
 */
#ifndef DIVAN_KIT_ELEMENT_TABLES_H
#define DIVAN_KIT_ELEMENT_TABLES_H

#include <divan/contracts/topology.h>

#include <stdint.h>

static const uint8_t dv_edges_in_triangle[3][2] = {{1, 2}, {2, 0}, {0, 1}};
static const uint8_t dv_edges_in_quad[4][2] = {{1, 2}, {2, 3}, {3, 0}, {0, 1}};
static const uint8_t dv_edges_in_tetrahedron[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
static const uint8_t dv_triangles_in_tetrahedron[4][3] = {{1, 2, 3}, {0, 3, 2}, {1, 3, 0}, {0, 2, 1}};
static const uint8_t dv_edges_in_hexahedron[12][2] = {{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3},
                                                      {2, 6}, {3, 7}, {4, 5}, {4, 7}, {5, 6}, {6, 7}};
static const uint8_t dv_quads_in_hexahedron[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                                     {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

/* The surface of an element, or the face that it is, in triangles that look outward. */
static const uint8_t dv_surface_count[DV_ELEMENT_KINDS] = {0, 0, 1, 2, 4, 12, 8, 6};
static const uint8_t dv_surface_of_element[DV_ELEMENT_KINDS][12][3] = {
    {{0, 0, 0}}, /* of points and edges: none */
    {{0, 0, 0}},
    {{0, 1, 2}},
    {{0, 1, 2}, {0, 2, 3}},
    {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}},
    {{0, 3, 2},
     {0, 2, 1},
     {4, 5, 6},
     {4, 6, 7},
     {0, 1, 5},
     {0, 5, 4},
     {1, 2, 6},
     {1, 6, 5},
     {2, 3, 7},
     {2, 7, 6},
     {3, 0, 4},
     {3, 4, 7}},
    {{0, 2, 1}, {3, 4, 5}, {0, 1, 4}, {0, 4, 3}, {1, 2, 5}, {1, 5, 4}, {2, 0, 3}, {2, 3, 5}},
    {{0, 3, 2}, {0, 2, 1}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}},
};

#endif
