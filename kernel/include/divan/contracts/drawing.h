/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What components that draw have in common: points of any state in space, elements as faces or lines, boxes. Each makes one call
 * of DvDrawOps however many elements there are.
 *
 * Threads: [main], between steps.
 */
#ifndef DIVAN_CONTRACTS_DRAWING_H
#define DIVAN_CONTRACTS_DRAWING_H

#include <divan/contracts/state.h>
#include <divan/contracts/topology.h>
#include <divan/contracts/visual.h>
#include <divan/memory.h>

DV_BEGIN_DECLS

/* Copies of points with three coordinates each, missing ones zero; NULL when there are none. dv_free.     [any] */
static inline double *dv_points_in_space(DvConstVec x, uint32_t spatial)
{
    double *points = x.count ? (double *)dv_alloc(x.count, 3 * sizeof *points) : NULL;
    for (uint32_t i = 0; i < x.count; i++)
        for (uint32_t axis = 0; axis < 3; axis++)
            points[3 * (size_t)i + axis] = axis < spatial ? x.at[(size_t)i * x.dim + axis] : 0.0;
    return points;
}

/* The colour of a body by its number: hues that people with any kind of colour vision tell apart (Okabe and Ito, Color universal design,
 * 2008), then the same ones paler. Grey is for what does not move.     [any] */
static inline void dv_palette(uint32_t body, double color[4])
{
    enum { HUES = 7, SHADES = 3 };
    static const double hues[HUES][3] = {{0.337, 0.706, 0.914}, {0.902, 0.624, 0},     {0, 0.620, 0.451},
                                         {0.800, 0.475, 0.655}, {0.941, 0.894, 0.259}, {0, 0.447, 0.698},
                                         {0.835, 0.369, 0}};
    const double pale = 0.35 * (body / HUES % SHADES);
    for (int c = 0; c < 3; c++)
        color[c] = hues[body % HUES][c] + pale * (1 - hues[body % HUES][c]);
    color[3] = 1;
}

/* The faces of an element, corners against the clock seen from outside.     [any] */
typedef struct DvFaces {
    uint32_t count;
    uint8_t corners[6];
    uint8_t at[6][4];
} DvFaces;
static inline const DvFaces *dv_element_faces(DvElementKind kind)
{
    static const DvFaces none = {0, {0}, {{0}}};
    static const DvFaces faces[] = {
        {1, {3}, {{0, 1, 2}}},
        {1, {4}, {{0, 1, 2, 3}}},
        {4, {3, 3, 3, 3}, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}},
        {6, {4, 4, 4, 4, 4, 4}, {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}},
        {5, {3, 3, 4, 4, 4}, {{0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}},
        {5, {4, 3, 3, 3, 3}, {{0, 3, 2, 1}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}}},
    };
    return kind >= DV_TRIANGLES && kind < DV_ELEMENT_KINDS ? &faces[kind - DV_TRIANGLES] : &none;
}

/* How elements are drawn; zeros: as they are, in black. */
typedef struct DvElementStyle {
    const double (*colors)[4]; /* [color_count], in turn: of the faces of a solid, of elements of other kinds */
    uint32_t color_count;
    const double *point_colors;   /* [points] x 4; or NULL; then these count */
    const double *element_colors; /* [elements] x 4, likewise */
    double shrink;                /* share of the way from each corner to the middle, 0 to 1 */
    double pixels;                /* width of edges, size of points */
} DvElementStyle;

static inline const double *dv_element_color(const DvElementStyle *style, uint32_t element, uint32_t face, bool solid,
                                             uint32_t point)
{
    static const double black[4] = {0, 0, 0, 1};
    if (style->point_colors)
        return style->point_colors + 4 * (size_t)point;
    if (style->element_colors)
        return style->element_colors + 4 * (size_t)element;
    return style->color_count ? style->colors[(solid ? face : element) % style->color_count] : black;
}

/* A corner, drawn towards the middle of its element, and its colour. */
static inline void dv_element_corner(const double *points, uint32_t point, const double *middle, double shrink,
                                     double **at, const double *color, double **colors)
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        const double p = points[3 * (size_t)point + axis];
        *(*at)++ = p + shrink * (middle[axis] - p);
    }
    memcpy(*colors, color, 4 * sizeof *color);
    *colors += 4;
}

/* Elements of points that are not there are left out. Points, lines or triangles, by their kind.     [main] */
static inline void dv_draw_elements(DvDraw *draw, DvElementKind kind, DvElements elements, const double *points,
                                    uint32_t point_count, const DvElementStyle *style)
{
    static const DvFaces lines = {1, {2}, {{0, 1}}}, spots = {1, {1}, {{0}}};
    const DvFaces *faces = kind == DV_POINTS ? &spots : kind == DV_EDGES ? &lines : dv_element_faces(kind);
    const uint32_t nodes = dv_element_nodes(kind);
    uint32_t corners = 0;
    for (uint32_t f = 0; f < faces->count; f++)
        corners += faces->corners[f] == 4 ? 6 : faces->corners[f];
    if (elements.count == 0 || corners == 0)
        return;
    double *at = (double *)dv_alloc((size_t)elements.count * corners, 7 * sizeof *at), *to = at;
    double *colors = at + 3 * (size_t)elements.count * corners, *color_to = colors;
    for (uint32_t e = 0; e < elements.count; e++) {
        const uint32_t *node = elements.at + (size_t)e * nodes;
        double middle[3] = {0.0, 0.0, 0.0};
        bool whole = true;
        for (uint32_t n = 0; n < nodes; n++)
            whole = whole && node[n] < point_count;
        if (!whole)
            continue;
        for (uint32_t n = 0; n < nodes; n++)
            for (uint32_t axis = 0; axis < 3; axis++)
                middle[axis] += points[3 * (size_t)node[n] + axis] / nodes;
        for (uint32_t f = 0; f < faces->count; f++) {
            static const uint8_t order[6] = {0, 1, 2, 0, 2, 3};
            const uint32_t count = faces->corners[f] == 4 ? 6 : faces->corners[f];
            for (uint32_t c = 0; c < count; c++) {
                const uint32_t point = node[faces->at[f][order[c]]];
                const double *color = dv_element_color(style, e, f, nodes > 4 || kind == DV_TETRAHEDRA, point);
                dv_element_corner(points, point, middle, style->shrink, &to, color, &color_to);
            }
        }
    }
    const uint32_t drawn = (uint32_t)((to - at) / 3);
    if (kind == DV_POINTS)
        draw->ops->colored_points(draw, at, drawn, style->pixels, colors);
    else if (kind == DV_EDGES)
        draw->ops->colored_lines(draw, at, drawn / 2, style->pixels, colors, DV_COLORS_OF_CORNERS);
    else
        draw->ops->colored_triangles(draw, at, drawn / 3, colors, DV_COLORS_OF_CORNERS);
    dv_free(at);
}

/* The twelve edges of each of `count` boxes of 6 numbers, smallest then largest corner.     [main] */
static inline void dv_draw_boxes(DvDraw *draw, const double *boxes, uint32_t count, double pixels,
                                 const double color[4])
{
    static const uint8_t edges[12][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6},
                                         {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}; /* bit a: larger along axis a */
    if (count == 0)
        return;
    double *at = (double *)dv_alloc((size_t)count * 72, sizeof *at), *to = at;
    for (uint32_t b = 0; b < count; b++)
        for (uint32_t e = 0; e < 12; e++)
            for (uint32_t end = 0; end < 2; end++)
                for (uint32_t axis = 0; axis < 3; axis++)
                    *to++ = boxes[6 * (size_t)b + axis + 3 * (edges[e][end] >> axis & 1u)];
    draw->ops->lines(draw, at, 12 * count, pixels, color);
    dv_free(at);
}

/* Lines from each point of one list to the point of the same number of another.     [main] */
static inline void dv_draw_pairs(DvDraw *draw, const double *from, const double *to, uint32_t count, double pixels,
                                 const double color[4])
{
    if (count == 0)
        return;
    double *at = (double *)dv_alloc(count, 6 * sizeof *at);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(at + 6 * (size_t)i, from + 3 * (size_t)i, 3 * sizeof *at);
        memcpy(at + 6 * (size_t)i + 3, to + 3 * (size_t)i, 3 * sizeof *at);
    }
    draw->ops->lines(draw, at, count, pixels, color);
    dv_free(at);
}

/* The numbers 0, 1, 2... at the points.     [main] */
static inline void dv_draw_numbers(DvDraw *draw, const double *points, uint32_t count, double size,
                                   const double color[4])
{
    enum { DIGITS = 12 };
    if (count == 0)
        return;
    char *digits = (char *)dv_alloc(count, DIGITS);
    const char **texts = (const char **)dv_alloc(count, sizeof *texts);
    for (uint32_t i = 0; i < count; i++) {
        char *at = digits + (size_t)(i + 1) * DIGITS - 1;
        uint32_t left = i;
        *at = '\0';
        do
            *--at = (char)('0' + left % 10);
        while ((left /= 10) != 0);
        texts[i] = at;
    }
    draw->ops->texts(draw, points, texts, count, size, color);
    dv_free(texts);
    dv_free(digits);
}

DV_END_DECLS
#endif
