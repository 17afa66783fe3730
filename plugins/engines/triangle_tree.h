/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Triangles in a tree of boxes, for rays that ask for the first they meet.
 */
#ifndef DIVAN_ENGINES_TRIANGLE_TREE_H
#define DIVAN_ENGINES_TRIANGLE_TREE_H

#include "mesh_inputs.h"

typedef struct TriangleNode {
    double box[6];       /* smallest, largest corner */
    uint32_t first, end; /* of `order` */
    uint32_t left;       /* the children are left and left + 1; 0: a leaf */
} TriangleNode;

typedef struct TriangleTree {
    const double *x;           /* points, not owned */
    const uint32_t *triangles; /* three points each, not owned */
    uint32_t *order;
    DV_ARRAY(TriangleNode) nodes;
} TriangleTree;

/* Points and triangles, whose numbers are good, stay where they are until it is freed.     [step] */
TriangleTree triangle_tree_new(const double *x, const uint32_t *triangles, uint32_t count);
void triangle_tree_free(TriangleTree *tree);
/* The parameter of the first triangle on from + t direction, t > 0, that `but` is no corner of; infinity: none.     [worker] */
double triangle_tree_ray(const TriangleTree *tree, DvVec3 from, DvVec3 direction, uint32_t but);

#endif
