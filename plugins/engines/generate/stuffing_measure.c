/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where lattice points lie: lines through the lattice in seven directions meet the surface, and each point on a line has a vote of the
 * hits before and behind it. Faces are sorted into the cells of a plane across the lines, so that a line asks few of them.
 */
#include "stuffing.h"

#include <math.h>
#include <stdlib.h>

typedef struct Hit {
    double at;
    int32_t sign; /* -1: the line enters the surface, 1: it leaves it */
    uint32_t face;
} Hit;
typedef DV_ARRAY(Hit) Hits;

/* Faces by the cells of a plane. */
typedef struct Plane {
    DvVec3 across[2];
    double least[2], cell;
    uint32_t columns, rows;
    uint32_t *begin; /* [columns rows + 1] */
    uint32_t *faces;
} Plane;

static int by_place(const void *a, const void *b)
{
    const Hit *p = a, *q = b;
    return p->at != q->at ? (p->at < q->at ? -1 : 1) : p->face < q->face ? -1 : p->face > q->face;
}

static uint32_t clamp_cell(double at, double least, double cell, uint32_t count)
{
    const double i = floor((at - least) / cell);
    return i > 0.0 ? (i < count ? (uint32_t)i : count - 1) : 0;
}

/* The cells that a face may be met in. */
static void cells_of(const Stuffing *s, const Plane *plane, uint32_t face, uint32_t range[4])
{
    for (int k = 0; k < 2; k++) {
        double least = INFINITY, most = -INFINITY;
        for (uint32_t j = 0; j < 3; j++) {
            const double at = dv_vec3_dot(plane->across[k], mesh_point(s->surface, s->faces.data[3 * face + j]));
            least = fmin(least, at);
            most = fmax(most, at);
        }
        const uint32_t count = k ? plane->rows : plane->columns;
        range[2 * k] = clamp_cell(least - 1e-6 * plane->cell, plane->least[k], plane->cell, count);
        range[2 * k + 1] = clamp_cell(most + 1e-6 * plane->cell, plane->least[k], plane->cell, count);
    }
}

static void plane_init(Plane *plane, const Stuffing *s, DvVec3 direction)
{
    const DvVec3 d = dv_vec3_normalize(direction);
    const DvVec3 other = fabs(d.x) < 0.9 ? dv_vec3(1, 0, 0) : dv_vec3(0, 1, 0);
    plane->across[0] = dv_vec3_normalize(dv_vec3_cross(d, other));
    plane->across[1] = dv_vec3_cross(d, plane->across[0]);
    plane->cell = s->spacing;
    double most[2] = {-INFINITY, -INFINITY};
    plane->least[0] = plane->least[1] = INFINITY;
    for (uint32_t i = 0; i < s->faces.count; i++)
        for (int k = 0; k < 2; k++) {
            const double at = dv_vec3_dot(plane->across[k], mesh_point(s->surface, s->faces.data[i]));
            plane->least[k] = fmin(plane->least[k], at);
            most[k] = fmax(most[k], at);
        }
    plane->columns = (uint32_t)fmin(1000.0, (most[0] - plane->least[0]) / plane->cell) + 1;
    plane->rows = (uint32_t)fmin(1000.0, (most[1] - plane->least[1]) / plane->cell) + 1;
    const uint32_t cells = plane->columns * plane->rows, faces = s->faces.count / 3;
    plane->begin = dv_alloc((size_t)cells + 2, sizeof *plane->begin);
    for (int pass = 0; pass < 2; pass++) { /* counts into begin[cell + 2], then places from begin[cell + 1] on */
        for (uint32_t f = 0; f < faces; f++) {
            uint32_t range[4];
            cells_of(s, plane, f, range);
            for (uint32_t row = range[2]; row <= range[3]; row++)
                for (uint32_t column = range[0]; column <= range[1]; column++) {
                    uint32_t *slot = &plane->begin[row * plane->columns + column + 1];
                    if (pass == 0)
                        slot[1] += slot + 1 < plane->begin + cells + 2;
                    else
                        plane->faces[(*slot)++] = f;
                }
        }
        if (pass == 0) {
            for (uint32_t c = 2; c < cells + 2; c++)
                plane->begin[c] += plane->begin[c - 1];
            plane->faces = dv_alloc(plane->begin[cells + 1], sizeof *plane->faces);
        }
    }
}

static void plane_free(Plane *plane)
{
    dv_free(plane->begin);
    dv_free(plane->faces);
}

/* Where the line from + t direction, t > 0, meets a face (Moeller and Trumbore 1997). */
static bool meets(const Stuffing *s, uint32_t face, DvVec3 from, DvVec3 direction, Hit *hit)
{
    static const double tiny = 2.220446049250313e-16;
    const uint32_t *f = s->faces.data + 3 * (size_t)face;
    const DvVec3 a = mesh_point(s->surface, f[0]), ab = dv_vec3_sub(mesh_point(s->surface, f[1]), a),
                 ac = dv_vec3_sub(mesh_point(s->surface, f[2]), a);
    const DvVec3 p = dv_vec3_cross(direction, ac);
    const double det = dv_vec3_dot(ab, p);
    if (fabs(det) < tiny)
        return false;
    const DvVec3 d = dv_vec3_sub(from, a), q = dv_vec3_cross(d, ab);
    const double u = dv_vec3_dot(d, p) / det, v = dv_vec3_dot(direction, q) / det, t = dv_vec3_dot(ac, q) / det;
    if (u < -tiny || u > 1.0 + tiny || v < -tiny || u + v > 1.0 + tiny || t < tiny)
        return false;
    *hit = (Hit){t, det > 0.0 ? -1 : 1, face};
    return true;
}

static void find_hits(const Stuffing *s, const Plane *plane, DvVec3 from, DvVec3 direction, Hits *hits)
{
    dv_array_clear(hits);
    const double at[2] = {dv_vec3_dot(plane->across[0], from), dv_vec3_dot(plane->across[1], from)};
    const uint32_t cell = clamp_cell(at[1], plane->least[1], plane->cell, plane->rows) * plane->columns +
                          clamp_cell(at[0], plane->least[0], plane->cell, plane->columns);
    for (uint32_t i = plane->begin[cell]; i < plane->begin[cell + 1]; i++) {
        Hit hit;
        if (meets(s, plane->faces[i], from, direction, &hit))
            dv_array_push(hits, hit);
    }
    if (hits->count)
        qsort(hits->data, hits->count, sizeof *hits->data, by_place);
}

static void vote(Stuffing *s, uint32_t point, int edge, double k, const Hits *hits, uint32_t ahead)
{
    double *d = s->distance + (size_t)point * EDGES;
    const uint32_t n = hits->count;
    const Hit *h = hits->data;
    if (n == 0)
        s->inside[point]--;
    else if (ahead == n)
        s->inside[point] -= h[n - 1].sign;
    else if (ahead == 0)
        s->inside[point] += h[0].sign;
    else if (k - h[ahead - 1].at < h[ahead].at - k)
        s->inside[point] += h[ahead].sign;
    else
        s->inside[point] -= h[ahead - 1].sign;
    d[edge] = ahead < n ? h[ahead].at - k : 0.0;
    d[edge ^ 1] = ahead > 0 ? k - h[ahead - 1].at : 0.0;
}

static void measure_along(Stuffing *s, int edge)
{
    Plane plane = {0};
    Hits hits = {0};
    for (uint32_t p = 0; p < s->count; p++) {
        const uint32_t next = stuffing_neighbour(s, p, edge);
        if (next == NOWHERE || stuffing_neighbour(s, p, edge ^ 1) != NOWHERE)
            continue;
        const DvVec3 from = stuffing_point(s, p), direction = dv_vec3_sub(stuffing_point(s, next), from);
        if (!plane.begin)
            plane_init(&plane, s, direction);
        find_hits(s, &plane, from, direction, &hits);
        uint32_t ahead = 0;
        double k = 0.0;
        for (uint32_t at = p; at != NOWHERE; at = stuffing_neighbour(s, at, edge), k += 1.0) {
            while (ahead < hits.count && hits.data[ahead].at < k)
                ahead++;
            vote(s, at, edge, k, &hits, ahead);
        }
    }
    plane_free(&plane);
    dv_array_free(&hits);
}

void stuffing_measure(Stuffing *s)
{
    for (int edge = 0; edge < EDGES; edge += 2)
        measure_along(s, edge);
    for (uint32_t p = 0; p < s->count; p++)
        s->inside[p] = s->inside[p] > 0 ? 1 : -1;
}
