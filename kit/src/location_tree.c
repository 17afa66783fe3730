/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finding the element that is nearest to a point, in a tree of boxes.
 */
#include "location_search.h"

#include <divan/kit/element_tables.h>
#include <stdlib.h>

/* ---- The nearest element, in a tree of boxes */

enum { ELEMENTS_OF_A_LEAF = 4, DEEPEST = 64 };

/* Distances that differ by less, in proportion, are the same: rounding and the unit of length decide nothing. */
static const double EQUALLY_NEAR = 1e-9;

typedef struct TreeNode {
    Box box;
    uint32_t begin, end; /* into the order */
    uint32_t right;      /* the left one follows; 0: a leaf */
} TreeNode;

typedef struct TreeEntry {
    double at; /* centre along the axis that is being cut */
    uint32_t element;
} TreeEntry;

typedef struct Tree {
    Search search;
    TreeEntry *order; /* elements that can be used */
    TreeNode *nodes;
    uint32_t count;
} Tree;

static double coordinate(DvVec3 p, uint32_t axis)
{
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

static uint32_t element_corners(const DvLocationMesh *mesh, uint32_t element, DvElementKind *kind, DvVec3 corner[8])
{
    const uint32_t *nodes = location_element_nodes(mesh, element, kind);
    const uint32_t n = dv_element_nodes(*kind);
    for (uint32_t k = 0; k < n; k++)
        corner[k] = point_at(mesh, nodes[k]);
    return n;
}

static Box box_of_corners(const DvLocationMesh *mesh, uint32_t element)
{
    DvElementKind kind;
    DvVec3 corner[8];
    const uint32_t n = element_corners(mesh, element, &kind, corner);
    Box box = {corner[0], corner[0]};
    for (uint32_t k = 1; k < n; k++) {
        box.lower = dv_vec3_min(box.lower, corner[k]);
        box.upper = dv_vec3_max(box.upper, corner[k]);
    }
    return box;
}

static int compare_entries(const void *a_, const void *b_)
{
    const TreeEntry *a = a_, *b = b_;
    return a->at < b->at ? -1 : a->at > b->at ? 1 : a->element < b->element ? -1 : a->element > b->element;
}

static uint32_t grow_tree(Tree *tree, uint32_t begin, uint32_t end)
{
    const uint32_t number = tree->count++;
    const Box *boxes = tree->search.boxes;
    Box box = boxes[tree->order[begin].element];
    for (uint32_t i = begin + 1; i < end; i++) {
        box.lower = dv_vec3_min(box.lower, boxes[tree->order[i].element].lower);
        box.upper = dv_vec3_max(box.upper, boxes[tree->order[i].element].upper);
    }
    tree->nodes[number] = (TreeNode){box, begin, end, 0};
    if (end - begin <= ELEMENTS_OF_A_LEAF)
        return number;
    const DvVec3 size = dv_vec3_sub(box.upper, box.lower);
    const uint32_t axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    for (uint32_t i = begin; i < end; i++)
        tree->order[i].at = coordinate(tree->search.frames[tree->order[i].element].center, axis);
    qsort(tree->order + begin, end - begin, sizeof *tree->order, compare_entries);
    const uint32_t middle = begin + (end - begin) / 2;
    (void)grow_tree(tree, begin, middle);
    tree->nodes[number].right = grow_tree(tree, middle, end);
    return number;
}

static double box_distance_squared(const Box *box, DvVec3 p)
{
    const DvVec3 zero = dv_vec3_zero(), below = dv_vec3_max(dv_vec3_sub(box->lower, p), zero),
                 above = dv_vec3_max(dv_vec3_sub(p, box->upper), zero);
    return dv_vec3_norm_squared(dv_vec3_add(below, above));
}

static double segment_distance_squared(DvVec3 p, DvVec3 a, DvVec3 b)
{
    const DvVec3 along = dv_vec3_sub(b, a), from = dv_vec3_sub(p, a);
    const double length = dv_vec3_norm_squared(along);
    const double share = length > 0.0 ? fmin(fmax(dv_vec3_dot(from, along) / length, 0.0), 1.0) : 0.0;
    return dv_vec3_norm_squared(dv_vec3_madd(from, -share, along));
}

static double triangle_distance_squared(DvVec3 p, DvVec3 a, DvVec3 b, DvVec3 c)
{
    const DvVec3 ab = dv_vec3_sub(b, a), ac = dv_vec3_sub(c, a), ap = dv_vec3_sub(p, a);
    const DvVec3 normal = dv_vec3_cross(ab, ac);
    const double square = dv_vec3_norm_squared(normal), of_b = dv_vec3_dot(dv_vec3_cross(ap, ac), normal),
                 of_c = dv_vec3_dot(dv_vec3_cross(ab, ap), normal), height = dv_vec3_dot(ap, normal);
    if (square > 0.0 && of_b >= 0.0 && of_c >= 0.0 && of_b + of_c <= square)
        return height * height / square;
    return fmin(segment_distance_squared(p, a, b),
                fmin(segment_distance_squared(p, b, c), segment_distance_squared(p, c, a)));
}

/* Position at local coordinates and its derivatives, of a quad (whose third is 0) or a hexahedron. */
static DvVec3 place_at(const DvVec3 *corner, uint32_t n, DvVec3 v, DvVec3 slope[3])
{
    static const double end[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    const double at[3] = {v.x, v.y, n == 8 ? v.z : 0.0};
    DvVec3 place = dv_vec3_zero();
    for (uint32_t axis = 0; axis < 3; axis++)
        slope[axis] = dv_vec3_zero();
    for (uint32_t k = 0; k < n; k++) {
        double part[3], sign[3];
        for (uint32_t axis = 0; axis < 3; axis++) {
            sign[axis] = 2.0 * end[k][axis] - 1.0;
            part[axis] = 1.0 - end[k][axis] + sign[axis] * at[axis];
        }
        place = dv_vec3_madd(place, part[0] * part[1] * part[2], corner[k]);
        slope[0] = dv_vec3_madd(slope[0], sign[0] * part[1] * part[2], corner[k]);
        slope[1] = dv_vec3_madd(slope[1], part[0] * sign[1] * part[2], corner[k]);
        slope[2] = dv_vec3_madd(slope[2], part[0] * part[1] * sign[2], corner[k]);
    }
    if (n == 4)
        slope[2] = dv_vec3_cross(slope[0], slope[1]); /* what is off the surface stays out of the others */
    return place;
}

/* Newton's iteration for the local coordinates of p, from those of the frame, which stay where it does not contract: rounding would
 * decide where it ends. */
static DvVec3 curved_coordinates(const Frame *frame, const DvVec3 *corner, uint32_t n, DvVec3 p)
{
    const DvVec3 start = local_coordinates(frame, p);
    DvVec3 v = start;
    double before = 1e3;
    for (int step = 0; step < 32; step++) {
        DvVec3 slope[3];
        DvMat3 inverse;
        const DvVec3 off = dv_vec3_sub(p, place_at(corner, n, v, slope));
        if (dv_mat3_inverse(dv_mat3_from_columns(slope[0], slope[1], slope[2]), &inverse) == 0.0)
            return start;
        DvVec3 change = dv_mat3_mul_vec(inverse, off);
        if (n == 4)
            change.z = 0.0;
        v = dv_vec3_add(v, change);
        const double size = dv_vec3_norm(change);
        if (size < 1e-12)
            return v;
        if (!(size < 0.9 * before))
            return start;
        before = size;
    }
    return start;
}

/* Local coordinates of p in the element, and the squared distance to it. */
static double meet_element(const Search *s, uint32_t element, DvVec3 p, DvVec3 *at)
{
    const Frame *frame = &s->frames[element];
    DvElementKind kind;
    DvVec3 corner[8];
    const uint32_t n = element_corners(s->mesh, element, &kind, corner);
    const bool curved = kind == DV_QUADS || kind == DV_HEXAHEDRA, volume = n == 8 || kind == DV_TETRAHEDRA;
    *at = curved ? curved_coordinates(frame, corner, n, p) : local_coordinates(frame, p);
    if (volume && depth(kind, *at) <= 0.0)
        return 0.0;
    double least = INFINITY;
    for (uint32_t f = 0; f < dv_surface_count[kind]; f++) {
        const uint8_t *face = dv_surface_of_element[kind][f];
        least = fmin(least, triangle_distance_squared(p, corner[face[0]], corner[face[1]], corner[face[2]]));
    }
    return least;
}

static void locate_on_nearest_one(const Tree *tree, DvVec3 p, DvLocation *best)
{
    uint32_t stack[DEEPEST], open = 0;
    double least = INFINITY;
    *best = (DvLocation){DV_NO_ELEMENT, {0.0, 0.0, 0.0}};
    if (tree->count > 0)
        stack[open++] = 0;
    while (open > 0) {
        const TreeNode *node = &tree->nodes[stack[--open]];
        if (box_distance_squared(&node->box, p) > least * (1.0 + EQUALLY_NEAR))
            continue;
        if (node->right) {
            const uint32_t left = (uint32_t)(node - tree->nodes) + 1;
            const bool left_first = box_distance_squared(&tree->nodes[left].box, p) <=
                                    box_distance_squared(&tree->nodes[node->right].box, p);
            stack[open++] = left_first ? node->right : left;
            stack[open++] = left_first ? left : node->right;
            continue;
        }
        for (uint32_t i = node->begin; i < node->end; i++) {
            const uint32_t element = tree->order[i].element;
            DvVec3 at;
            const double distance = meet_element(&tree->search, element, p, &at);
            if (distance < least * (1.0 - EQUALLY_NEAR) ||
                (distance <= least * (1.0 + EQUALLY_NEAR) && element < best->element)) {
                least = distance;
                *best = (DvLocation){element, at};
            }
        }
    }
}

static void locate_on_nearest_chunk(void *context, uint32_t begin, uint32_t end)
{
    const Tree *tree = context;
    for (uint32_t i = begin; i < end; i++)
        locate_on_nearest_one(tree, point_to_locate(&tree->search, i), &tree->search.out[i]);
}

void dv_locate_on_nearest(const DvLocationMesh *mesh, DvLocationPoints points, DvLocation *out)
{
    Tree tree = {.count = 0};
    location_search_begin(&tree.search, mesh, points, out);
    tree.order = dv_alloc(tree.search.count, sizeof *tree.order);
    tree.nodes = dv_alloc(2 * (size_t)tree.search.count, sizeof *tree.nodes);
    uint32_t usable = 0;
    for (uint32_t e = 0; e < tree.search.count; e++)
        if (tree.search.frames[e].usable) {
            tree.search.boxes[e] = box_of_corners(mesh, e);
            tree.order[usable++].element = e;
        }
    if (usable > 0)
        (void)grow_tree(&tree, 0, usable);
    dv_parallel_for(points.count, DV_POINTS_PER_CHUNK, locate_on_nearest_chunk, &tree);
    dv_free(tree.order);
    dv_free(tree.nodes);
    location_search_end(&tree.search);
}
