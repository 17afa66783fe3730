/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shape functions of linear and quadratic elements, and their derivatives.
 *
 * Reference elements: the edge from -1 to 1, the square and the cube of such edges, the triangle and the tetrahedron of the unit axes, the
 * prism as that triangle from height 0 to 1, the pyramid as the cube whose upper face has become one point (the coordinates x and y of its
 * apex are arbitrary). Order 1 has a node at each corner; order 2 has one more in the middle of each edge (serendipity elements), in the
 * order of dv_shape_edge, which is that of VTK.
 *
 * Each function is a product of factors that are linear in the coordinates (or the difference of two such products), from which value and
 * derivatives follow. Everything is inline and of constants: with a constant kind a compiler leaves the arithmetic alone.
 *
 * Zienkiewicz, Taylor and Zhu, The finite element method, chapter 6; the quadratic pyramid: Bedrosian, Shape functions and integration
 * formulas for three-dimensional finite element analysis, Int. J. Numer. Methods Eng. 35, 1992.
 *
 * Threads: [any].
 */
#ifndef DIVAN_KIT_SHAPE_FUNCTIONS_H
#define DIVAN_KIT_SHAPE_FUNCTIONS_H

#include <divan/contracts/topology.h>

DV_BEGIN_DECLS

enum { DV_SHAPE_NODES = 20 }; /* at most */

/* Coordinates of the corners. */
static const int8_t dv_shape_corner[DV_ELEMENT_KINDS][8][3] = {
    {{0, 0, 0}},
    {{-1, 0, 0}, {1, 0, 0}},
    {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
    {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}},
    {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}},
    {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}},
    {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {0, 0, 1}},
};
static const uint8_t dv_shape_edge[DV_ELEMENT_KINDS][12][2] = {
    {{0, 0}},
    {{0, 1}},
    {{0, 1}, {1, 2}, {2, 0}},
    {{0, 1}, {1, 2}, {2, 3}, {3, 0}},
    {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}},
    {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}},
    {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}},
    {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}},
};

/* Coordinates that a kind has: 0 1 2 2 3 3 3 3. */
static inline uint32_t dv_shape_dimensions(DvElementKind kind)
{
    static const uint32_t dimensions[DV_ELEMENT_KINDS] = {0, 1, 2, 2, 3, 3, 3, 3};
    return dimensions[kind];
}
static inline uint32_t dv_shape_edges(DvElementKind kind)
{
    static const uint32_t edges[DV_ELEMENT_KINDS] = {0, 1, 3, 4, 6, 12, 9, 8};
    return edges[kind];
}
/* order: here and below 1 or 2 */
static inline uint32_t dv_shape_nodes(DvElementKind kind, int order)
{
    return dv_element_nodes(kind) + (order == 2 ? dv_shape_edges(kind) : 0);
}

/* Coordinates of a node. */
static inline void dv_shape_node(DvElementKind kind, uint32_t node, double at[3])
{
    const uint32_t corners = dv_element_nodes(kind);
    for (int c = 0; c < 3; c++) {
        if (node < corners) {
            at[c] = dv_shape_corner[kind][node][c];
            continue;
        }
        const uint8_t *edge = dv_shape_edge[kind][node - corners];
        const double first = dv_shape_corner[kind][edge[0]][c], second = dv_shape_corner[kind][edge[1]][c];
        at[c] = kind == DV_PYRAMIDS && edge[1] == 4 && c < 2 ? first : 0.5 * (first + second);
    }
}

/* scale times the product of factor[i][0] + factor[i][1] x + factor[i][2] y + factor[i][3] z */
typedef struct DvShapeProduct {
    double scale;
    double factor[6][4];
    int count;
} DvShapeProduct;

static inline void dv_shape_factor(DvShapeProduct *p, double one, double x, double y, double z)
{
    double *factor = p->factor[p->count++];
    factor[0] = one, factor[1] = x, factor[2] = y, factor[3] = z;
}

/* Of the triangle and the tetrahedron, and the triangle of a prism: the coordinate that is 1 at a corner and 0 at the others. */
static inline void dv_shape_barycentric(uint32_t dimensions, uint32_t corner, double factor[4])
{
    for (uint32_t c = 0; c < 4; c++)
        factor[c] = corner > 0 ? c == corner : c == 0 ? 1.0 : c <= dimensions ? -1.0 : 0.0;
}

static inline void dv_shape_of_simplex(DvElementKind kind, const double node[3], int order, double height,
                                       DvShapeProduct *p)
{
    const uint32_t dimensions = kind == DV_TETRAHEDRA ? 3 : 2;
    const bool prism = kind == DV_PRISMS;
    for (uint32_t corner = 0; corner <= dimensions; corner++) {
        double f[4], share = 0.0;
        dv_shape_barycentric(dimensions, corner, f);
        share = f[0] + f[1] * node[0] + f[2] * node[1] + f[3] * node[2];
        if (share == 0.0) /* of the node itself: 1 at a corner, 1/2 twice at the middle of an edge */
            continue;
        dv_shape_factor(p, f[0], f[1], f[2], f[3]);
        p->scale /= share;
        if (order == 2 && share == 1.0 && !prism)
            dv_shape_factor(p, 2.0 * f[0] - 1.0, 2.0 * f[1], 2.0 * f[2], 2.0 * f[3]);
        else if (order == 2 && share == 1.0 && height != 0.0) /* L (2 L + height z - 2), with z from -1 to 1 */
            dv_shape_factor(p, 2.0 * f[0] - 2.0 - height, 2.0 * f[1], 2.0 * f[2], 2.0 * f[3] + 2.0 * height);
    }
    if (prism && height == 0.0) { /* 1 - z z */
        dv_shape_factor(p, 0.0, 0.0, 0.0, 2.0);
        dv_shape_factor(p, 2.0, 0.0, 0.0, -2.0);
    } else if (prism) { /* (1 + height z) / 2 */
        dv_shape_factor(p, 0.5 - 0.5 * height, 0.0, 0.0, height);
    }
}

static inline void dv_shape_of_cube(uint32_t dimensions, const double node[3], int order, DvShapeProduct *p)
{
    bool corner = true;
    for (uint32_t c = 0; c < dimensions; c++) {
        const double side = node[c];
        corner = corner && side != 0.0;
        if (side == 0.0)
            dv_shape_factor(p, 1.0, c == 0 ? 1.0 : 0.0, c == 1 ? 1.0 : 0.0, c == 2 ? 1.0 : 0.0);
        const double slope = side == 0.0 ? -1.0 : 0.5 * side, constant = side == 0.0 ? 1.0 : 0.5;
        dv_shape_factor(p, constant, c == 0 ? slope : 0.0, c == 1 ? slope : 0.0, c == 2 ? slope : 0.0);
    }
    if (order == 2 && corner)
        dv_shape_factor(p, 1.0 - (double)dimensions, node[0], dimensions > 1 ? node[1] : 0.0,
                        dimensions > 2 ? node[2] : 0.0);
}

/* Of the quadratic pyramid; u = (1 - z) / 2 is 1 at the base. */
static inline uint32_t dv_shape_of_pyramid(const double node[3], uint32_t number, DvShapeProduct p[2])
{
    if (number == 4) { /* (1 - u) (1 - 2 u) */
        dv_shape_factor(&p[0], 0.5, 0.0, 0.0, 0.5);
        dv_shape_factor(&p[0], 0.0, 0.0, 0.0, 1.0);
        return 1;
    }
    double base[3] = {node[0], node[1], 0.0};
    dv_shape_of_cube(2, base, 1, &p[0]);
    dv_shape_factor(&p[0], 0.5, 0.0, 0.0, -0.5);
    if (number > 8) { /* middle of an edge to the apex: 4 u (1 - u) */
        dv_shape_factor(&p[0], 2.0, 0.0, 0.0, 2.0);
        return 1;
    }
    if (number < 4) { /* a corner: u (u (x + y) - 1), of the sides */
        p[1] = p[0];
        p[1].scale = -1.0;
        dv_shape_factor(&p[0], 0.0, node[0], node[1], 0.0);
    }
    dv_shape_factor(&p[0], 0.5, 0.0, 0.0, -0.5);
    return number < 4 ? 2 : 1;
}

/* The products whose sum a function is; their number. */
static inline uint32_t dv_shape_products(DvElementKind kind, int order, uint32_t number, DvShapeProduct p[2])
{
    double node[3];
    for (int i = 0; i < 2; i++) {
        p[i].scale = 1.0;
        p[i].count = 0;
    }
    dv_shape_node(kind, number, node);
    switch (kind) {
    case DV_TRIANGLES:
    case DV_TETRAHEDRA:
    case DV_PRISMS:
        dv_shape_of_simplex(kind, node, order, 2.0 * node[2] - 1.0, &p[0]);
        return 1;
    case DV_PYRAMIDS:
        if (order == 2)
            return dv_shape_of_pyramid(node, number, p);
        dv_shape_of_cube(number < 4 ? 2 : 0, node, 1, &p[0]);
        dv_shape_factor(&p[0], 0.5, 0.0, 0.0, number < 4 ? -0.5 : 0.5);
        return 1;
    default:
        dv_shape_of_cube(dv_shape_dimensions(kind), node, order, &p[0]);
        return 1;
    }
}

/* The function of a node at a point of the reference element, and its derivatives by the coordinates; those that the kind does not have
 * are zero. */
static inline double dv_shape_function(DvElementKind kind, int order, uint32_t node, const double at[3],
                                       double derivative[3])
{
    DvShapeProduct products[2];
    const uint32_t count = dv_shape_products(kind, order, node, products);
    double value = 0.0;
    derivative[0] = derivative[1] = derivative[2] = 0.0;
    for (uint32_t k = 0; k < count; k++) {
        const DvShapeProduct *p = &products[k];
        double whole = p->scale;
        for (int i = 0; i < p->count; i++) {
            const double *f = p->factor[i];
            double others = p->scale;
            whole *= f[0] + f[1] * at[0] + f[2] * at[1] + f[3] * at[2];
            for (int j = 0; j < p->count; j++)
                if (j != i)
                    others *=
                        p->factor[j][0] + p->factor[j][1] * at[0] + p->factor[j][2] * at[1] + p->factor[j][3] * at[2];
            for (int c = 0; c < 3; c++)
                derivative[c] += f[c + 1] * others;
        }
        value += whole;
    }
    return value;
}

DV_END_DECLS
#endif
