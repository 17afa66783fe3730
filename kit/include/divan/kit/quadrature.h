/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Quadrature over the reference elements of shape_functions.h.
 *
 * A rule is exact for polynomials up to its order (of a pyramid: in the coordinates of the cube it comes from). The first rule of a kind
 * is the one that stiffness matrices of linear elements are made with; its points have the eleven digits of the reference. The others
 * suffice for quadratic elements and for masses.
 *
 * Products of Gauss rules; triangle of order 4: Dunavant, Int. J. Numer. Methods Eng. 21, 1985; tetrahedron of order 5: Walkington,
 * Quadrature on simplices of arbitrary dimension, 2000.
 *
 * Threads: [any].
 */
#ifndef DIVAN_KIT_QUADRATURE_H
#define DIVAN_KIT_QUADRATURE_H

#include <divan/kit/shape_functions.h>

DV_BEGIN_DECLS

enum { DV_QUADRATURE_RULES = 3, DV_QUADRATURE_POINTS = 27 }; /* of a kind; of a rule, at most */

typedef struct DvQuadrature {
    uint32_t order; /* 0: there is none */
    uint32_t count; /* of points */
    uint32_t
        line; /* points of the Gauss rule it is a product of, with `flat` points of a triangle if there are some; 0: none */
    uint32_t flat;
} DvQuadrature;

static const DvQuadrature dv_quadrature_rule[DV_ELEMENT_KINDS][DV_QUADRATURE_RULES] = {
    {{9, 1, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}},  {{1, 1, 1, 0}, {3, 2, 2, 0}, {5, 3, 3, 0}},
    {{1, 1, 0, 1}, {2, 3, 0, 3}, {4, 6, 0, 6}},  {{2, 3, 0, 0}, {3, 4, 2, 0}, {5, 9, 3, 0}},
    {{1, 1, 0, 0}, {2, 4, 0, 0}, {5, 14, 0, 0}}, {{3, 8, 2, 0}, {5, 27, 3, 0}, {0, 0, 0, 0}},
    {{1, 2, 2, 1}, {2, 6, 2, 3}, {4, 18, 3, 6}}, {{3, 8, 2, 0}, {5, 27, 3, 0}, {0, 0, 0, 0}},
};

/* The first rule of a kind that is exact to an order; one of order 0 where there is none. */
static inline DvQuadrature dv_quadrature(DvElementKind kind, uint32_t order)
{
    static const DvQuadrature none = {0, 0, 0, 0};
    for (int i = 0; i < DV_QUADRATURE_RULES; i++)
        if (dv_quadrature_rule[kind][i].order >= order)
            return dv_quadrature_rule[kind][i];
    return none;
}

static inline double dv_quadrature_line(uint32_t points, uint32_t point, bool eleven_digits, double *weight)
{
    static const double at[3][3] = {{0.0},
                                    {-0.57735026918962576451, 0.57735026918962576451},
                                    {-0.77459666924148337704, 0.0, 0.77459666924148337704}};
    static const double of[3][3] = {{2.0}, {1.0, 1.0}, {5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0}};
    *weight = of[points - 1][point];
    if (eleven_digits && points == 2)
        return point == 0 ? -1.0 / 1.73205080757 : 1.0 / 1.73205080757;
    return at[points - 1][point];
}

static inline double dv_quadrature_triangle(uint32_t points, uint32_t point, double at[3])
{
    static const double place[3][2] = {{1.0 / 3.0}, {1.0 / 6.0}, {0.44594849091596488632, 0.09157621350977074346}};
    static const double weight[3][2] = {{0.5}, {1.0 / 6.0}, {0.11169079483900573285, 0.05497587182766093382}};
    const uint32_t rule = points == 1 ? 0 : points == 3 ? 1 : 2, orbit = point / 3, corner = point % 3;
    const double a = place[rule][orbit];
    at[0] = corner == 1 ? 1.0 - 2.0 * a : a;
    at[1] = corner == 2 ? 1.0 - 2.0 * a : a;
    return weight[rule][orbit];
}

static inline double dv_quadrature_tetrahedron(uint32_t points, uint32_t point, double at[3])
{
    static const double place[4] = {0.25, 0.13819660112501051518, 0.09273525031089122640, 0.31088591926330060980};
    static const double weight[4] = {1.0 / 6.0, 1.0 / 24.0, 0.07349304311636194954 / 6.0, 0.11268792571801585080 / 6.0};
    const double pair = 0.04550370412564964949;
    if (point >= 8) { /* the middles of the edges, drawn inside */
        static const uint8_t ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
        const uint8_t *edge = ends[point - 8];
        for (uint32_t c = 0; c < 3; c++)
            at[c] = edge[0] == c + 1 || edge[1] == c + 1 ? 0.5 - pair : pair;
        return 0.04254602077708146644 / 6.0;
    }
    const uint32_t orbit = points == 1 ? 0 : points == 4 ? 1 : 2 + point / 4, corner = point % 4;
    for (uint32_t c = 0; c < 3; c++)
        at[c] = c + 1 == corner ? 1.0 - 3.0 * place[orbit] : place[orbit];
    return weight[orbit];
}

/* Where a point of a rule of the kind is; returns its weight. Of cubes the first eight stand in the order of the corners. */
static inline double dv_quadrature_point(DvElementKind kind, const DvQuadrature *rule, uint32_t point, double at[3])
{
    const bool eleven_digits = rule->order == dv_quadrature_rule[kind][0].order;
    const uint32_t dimensions = dv_shape_dimensions(kind);
    double weight = 1.0, along;
    at[0] = at[1] = at[2] = 0.0;
    if (kind == DV_TETRAHEDRA)
        return dv_quadrature_tetrahedron(rule->count, point, at);
    if (kind == DV_QUADS && rule->line == 0) {
        at[0] = point == 0 ? 0.816496580928 : -1.0 / 2.44948974278;
        at[1] = point == 0 ? 0.0 : point == 1 ? -1.0 / 1.41421356237 : 1.0 / 1.41421356237;
        return 4.0 / 3.0;
    }
    if (rule->flat > 0)
        weight = dv_quadrature_triangle(rule->flat, point % rule->flat, at);
    if (rule->flat > 0 && rule->line > 0) {
        at[2] = 0.5 + 0.5 * dv_quadrature_line(rule->line, point / rule->flat, eleven_digits, &along);
        return 0.5 * weight * along;
    }
    for (uint32_t c = 0; rule->line > 0 && c < dimensions; c++) {
        uint32_t place = point % rule->line;
        if (rule->line == 2) /* as corners are numbered: around the lower face, then above it */
            place = c == 0 ? (point ^ point >> 1) & 1u : c == 1 ? point >> 1 & 1u : point >> 2 & 1u;
        else
            point /= rule->line;
        at[c] = dv_quadrature_line(rule->line, place, eleven_digits, &along);
        weight *= along;
    }
    return weight;
}

DV_END_DECLS
#endif
