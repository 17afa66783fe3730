/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A tree of boxes over the elements of a body.
 *
 * Built once per structure by halving at the median of the box centres, along the longest side of the box (the first of equal ones),
 * ranges of more than four elements, `depth` times at most; refitted afterwards. Elements are sorted stably, so that the order of
 * what a traversal finds follows from the positions at the time of building.
 */
#ifndef DIVAN_COLLISION_BOX_TREE_H
#define DIVAN_COLLISION_BOX_TREE_H

#include <divan/contracts/collision.h>
#include <divan/math/simd.h>

/* The last numbers are 0: two boxes are compared a row at a time. */
typedef struct Box {
    double lower[4], upper[4];
} Box;

typedef struct BoxNode {
    uint32_t first, count; /* slots */
    uint32_t child;        /* the first of two, which are neighbours; 0: none */
} BoxNode;

typedef struct BoxTree {
    uint32_t slots, nodes, node_capacity, slot_capacity;
    uint32_t *element;      /* [slots] */
    Box *slot_box;          /* [slots] */
    BoxNode *node;          /* [nodes] the root first, level by level */
    Box *node_box;          /* [nodes] */
    DvShapeVersion version; /* of the body, as of the last fit; structure 0: never built */
    uint32_t depth;
    uint32_t
        *given; /* [given_count] order of the elements for the next building, of a run that is continued; or NULL */
    uint32_t given_count;
} BoxTree;

/* Brings it up to date with the body's boxes; builds it when the elements or the depth are others. Whether it was built. */
bool box_tree_fit(BoxTree *tree, const DvCollisionBody *body, uint32_t depth);
void box_tree_free(BoxTree *tree);

/* Whether two boxes are no further apart than `tolerance`, which is not negative, along each axis. */
DV_SIMD_INLINE bool boxes_touch(const Box *a, const Box *b, double tolerance)
{
    const DvReal4 t = {tolerance, tolerance, tolerance, tolerance};
    return !dv_mask4_any((DV_REAL4(a->lower) > DV_REAL4(b->upper) + t) | (DV_REAL4(b->lower) > DV_REAL4(a->upper) + t));
}

#endif
