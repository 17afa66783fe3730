/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A tree of boxes over the elements of a body.
 *
 * Built once per structure by halving at the median of the box centres, along the longest side of the box (the last of equal ones),
 * ranges of more than four elements, `depth` times at most; refitted afterwards. Elements are sorted stably, so that the order of
 * what a traversal finds follows from the positions at the time of building.
 *
 * A large body that has become another one in a few places keeps its tree: elements stay in their leaves, those that are not where
 * elements of their numbers were, and new ones, go to leaves that are near. It is built again when a quarter of them has moved.
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

/* Of a run that is continued, for the first building. */
typedef struct GivenTree {
    uint32_t *element, count; /* [count] in the order of the slots; NULL: none */
    uint32_t *leaf,
        leaf_count;        /* elements of each leaf, of a tree that has been kept for other elements; NULL otherwise */
    uint32_t built, moved; /* then */
} GivenTree;

typedef struct BoxTree {
    uint32_t slots, nodes, node_capacity, slot_capacity;
    uint32_t *element;      /* [slots] */
    uint32_t *next_element; /* [slot_capacity] for the next order of slots */
    Box *slot_box;          /* [slots] */
    BoxNode
        *node; /* [nodes] the root first, level by level; first and count are of leaves only once elements have moved */
    Box *node_box;          /* [nodes] */
    DvShapeVersion version; /* of the body, as of the last fit; structure 0: never built */
    uint32_t depth;
    uint32_t built, moved; /* elements when it was built; how many have gone, come or moved since */
    GivenTree given;
    const void *origin; /* of the body's points (neighbours.h); NULL: not yet looked up */
} BoxTree;

/* Brings it up to date with the body's boxes, and with its elements and the depth when these are others. Whether they were. */
bool box_tree_fit(BoxTree *tree, const DvCollisionBody *body, uint32_t depth);
void box_tree_free(BoxTree *tree);

/* Whether two boxes are no further apart than `tolerance`, which is not negative, along each axis. */
DV_SIMD_INLINE bool boxes_touch(const Box *a, const Box *b, double tolerance)
{
    const DvReal4 t = {tolerance, tolerance, tolerance, tolerance};
    return !dv_mask4_any((DV_REAL4(a->lower) > DV_REAL4(b->upper) + t) | (DV_REAL4(b->lower) > DV_REAL4(a->upper) + t));
}

static inline void box_include(Box *box, const Box *other)
{
    for (int axis = 0; axis < 3; axis++) {
        box->lower[axis] = other->lower[axis] < box->lower[axis] ? other->lower[axis] : box->lower[axis];
        box->upper[axis] = other->upper[axis] > box->upper[axis] ? other->upper[axis] : box->upper[axis];
    }
}

#endif
