/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A tree of boxes, halved at the median along their longest side; rays through triangles after Moeller and Trumbore (1997).
 */
#include "triangle_tree.h"

#include <math.h>
#include <stdlib.h>

enum { LEAF = 8, DEEPEST = 64 };

static void box_of(const TriangleTree *tree, uint32_t first, uint32_t end, double box[6])
{
    for (int k = 0; k < 3; k++) {
        box[k] = INFINITY;
        box[3 + k] = -INFINITY;
    }
    for (uint32_t i = first; i < end; i++)
        for (int j = 0; j < 3; j++) {
            const double *p = tree->x + 3 * (size_t)tree->triangles[3 * (size_t)tree->order[i] + (size_t)j];
            for (int k = 0; k < 3; k++) {
                box[k] = fmin(box[k], p[k]);
                box[3 + k] = fmax(box[3 + k], p[k]);
            }
        }
}

typedef struct Key {
    double at;
    uint32_t triangle;
} Key;

static int compare_keys(const void *a, const void *b)
{
    const Key *p = a, *q = b;
    return p->at < q->at ? -1 : p->at > q->at ? 1 : (p->triangle > q->triangle) - (p->triangle < q->triangle);
}

/* Sorts a node's triangles along the longest side of its box. */
static void sort_node(TriangleTree *tree, const TriangleNode *node, Key *keys)
{
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (node->box[3 + k] - node->box[k] > node->box[3 + axis] - node->box[axis])
            axis = k;
    const uint32_t count = node->end - node->first;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t triangle = tree->order[node->first + i], *t = tree->triangles + 3 * (size_t)triangle;
        const double sum = tree->x[3 * (size_t)t[0] + (size_t)axis] + tree->x[3 * (size_t)t[1] + (size_t)axis] +
                           tree->x[3 * (size_t)t[2] + (size_t)axis];
        keys[i] = (Key){isfinite(sum) ? sum : INFINITY, triangle};
    }
    qsort(keys, count, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < count; i++)
        tree->order[node->first + i] = keys[i].triangle;
}

TriangleTree triangle_tree_new(const double *x, const uint32_t *triangles, uint32_t count)
{
    TriangleTree tree = {.x = x, .triangles = triangles, .order = dv_alloc(count, sizeof(uint32_t))};
    for (uint32_t i = 0; i < count; i++)
        tree.order[i] = i;
    if (!count)
        return tree;
    Key *keys = dv_alloc(count, sizeof *keys);
    dv_array_push(&tree.nodes, (TriangleNode){.end = count});
    for (uint32_t i = 0; i < tree.nodes.count; i++) {
        TriangleNode node = tree.nodes.data[i];
        box_of(&tree, node.first, node.end, node.box);
        if (node.end - node.first > LEAF) {
            const uint32_t middle = node.first + (node.end - node.first) / 2;
            node.left = tree.nodes.count;
            sort_node(&tree, &node, keys);
            dv_array_push(&tree.nodes, (TriangleNode){.first = node.first, .end = middle});
            dv_array_push(&tree.nodes, (TriangleNode){.first = middle, .end = node.end});
        }
        tree.nodes.data[i] = node;
    }
    dv_free(keys);
    return tree;
}

void triangle_tree_free(TriangleTree *tree)
{
    dv_free(tree->order);
    dv_array_free(&tree->nodes);
}

/* Whether a box, a little larger, has points of the ray up to `limit`. */
static bool meets_box(const double box[6], const double from[3], const double direction[3], double limit)
{
    double near = 0.0, far = limit;
    for (int k = 0; k < 3; k++) {
        const double margin = 1e-12 * (fabs(box[k]) + fabs(box[3 + k]) + fabs(from[k]));
        const double low = box[k] - margin - from[k], high = box[3 + k] + margin - from[k];
        if (direction[k] == 0.0) {
            if (low > 0.0 || high < 0.0)
                return false;
            continue;
        }
        const double a = low / direction[k], b = high / direction[k];
        near = fmax(near, fmin(a, b));
        far = fmin(far, fmax(a, b));
    }
    return near <= far;
}

/* The parameter on the ray, or infinity. */
static double meet_triangle(const TriangleTree *tree, uint32_t triangle, DvVec3 from, DvVec3 direction, uint32_t but)
{
    const uint32_t *t = tree->triangles + 3 * (size_t)triangle;
    if (t[0] == but || t[1] == but || t[2] == but)
        return INFINITY;
    const DvVec3 a = mesh_point(tree->x, t[0]), ab = dv_vec3_sub(mesh_point(tree->x, t[1]), a),
                 ac = dv_vec3_sub(mesh_point(tree->x, t[2]), a), p = dv_vec3_cross(direction, ac);
    const double determinant = dv_vec3_dot(ab, p);
    if (determinant == 0.0)
        return INFINITY;
    const DvVec3 s = dv_vec3_sub(from, a), q = dv_vec3_cross(s, ab);
    const double u = dv_vec3_dot(s, p) / determinant, v = dv_vec3_dot(direction, q) / determinant,
                 way = dv_vec3_dot(ac, q) / determinant, slack = 1e-12;
    return u >= -slack && v >= -slack && u + v <= 1.0 + slack && way > 0.0 ? way : INFINITY;
}

double triangle_tree_ray(const TriangleTree *tree, DvVec3 from, DvVec3 direction, uint32_t but)
{
    const double at[3] = {from.x, from.y, from.z}, along[3] = {direction.x, direction.y, direction.z};
    double first = INFINITY;
    uint32_t stack[DEEPEST], depth = 0;
    if (tree->nodes.count && dv_vec3_norm_squared(direction) > 0.0)
        stack[depth++] = 0;
    while (depth) {
        const TriangleNode *node = &tree->nodes.data[stack[--depth]];
        if (!meets_box(node->box, at, along, first))
            continue;
        if (node->left) {
            stack[depth++] = node->left + 1;
            stack[depth++] = node->left;
            continue;
        }
        for (uint32_t i = node->first; i < node->end; i++)
            first = fmin(first, meet_triangle(tree, tree->order[i], from, direction, but));
    }
    return first;
}
