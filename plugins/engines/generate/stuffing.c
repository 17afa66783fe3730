/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Isosurface stuffing: the lattice, points snapped to the surface, tetrahedra cut along it.
 */
#include "stuffing.h"

#include <math.h>

uint32_t stuffing_neighbour(const Stuffing *s, uint32_t point, int edge)
{
    const bool second = point >= s->first, other = edge >= LONG_EDGES;
    const uint32_t *size = s->size[second], in_grid = second ? point - s->first : point;
    const uint32_t at[3] = {in_grid % size[0], in_grid / size[0] % size[1], in_grid / size[0] / size[1]};
    const int k = edge - LONG_EDGES, bits[3] = {k & 1, (k ^ k >> 1) & 1, (k ^ k >> 2) & 1};
    const bool target = second != other;
    const uint32_t *limit = s->size[target];
    uint32_t index = 0;
    for (int axis = 2; axis >= 0; axis--) {
        int64_t to = at[axis];
        if (other)
            to += bits[axis] - second; /* the first grid lies between the points of the second */
        else if (edge / 2 == axis)
            to += edge & 1 ? 1 : -1;
        if (to < 0 || to >= limit[axis])
            return NOWHERE;
        index = index * limit[axis] + (uint32_t)to;
    }
    return index + (target ? s->first : 0);
}

/* ---- Snapping ---- */

static double alpha_of(const Stuffing *s, int edge)
{
    return s->alpha[edge >= LONG_EDGES];
}

static bool is_near(double distance, double alpha)
{
    return distance > 0.0 && distance < alpha;
}

static bool is_violated(const Stuffing *s, uint32_t p)
{
    for (int e = 0; e < EDGES; e++) {
        const uint32_t q = stuffing_neighbour(s, p, e);
        if (q != NOWHERE && s->inside[p] * s->inside[q] < 0 &&
            is_near(s->distance[(size_t)p * EDGES + (size_t)e], alpha_of(s, e)))
            return true;
    }
    return false;
}

/* `told`: inside points around it may be violated no longer. */
static void move_to_surface(Stuffing *s, uint32_t p, int e, bool *violated, bool told)
{
    double *d = s->distance + (size_t)p * EDGES;
    const DvVec3 at = stuffing_point(s, p), to = stuffing_point(s, stuffing_neighbour(s, p, e));
    dv_vec3_store(dv_vec3_madd(at, d[e], dv_vec3_sub(to, at)), s->x.data + 3 * (size_t)p);
    s->inside[p] = 0;
    violated[p] = false;
    for (int k = 0; k < EDGES; k++) {
        const uint32_t q = stuffing_neighbour(s, p, k);
        d[k] = 0.0;
        if (q == NOWHERE)
            continue;
        s->distance[(size_t)q * EDGES + (size_t)(k ^ 1)] = 0.0;
        if (!told || !violated[q] || s->inside[q] <= 0)
            continue;
        bool still = false; /* with the bound of the edge that it was seen along, as old scenes have it */
        for (int f = 0; f < EDGES && !still; f++) {
            const uint32_t r = stuffing_neighbour(s, q, f);
            still =
                r != NOWHERE && s->inside[r] < 0 && is_near(s->distance[(size_t)q * EDGES + (size_t)f], alpha_of(s, k));
        }
        violated[q] = still;
    }
}

/* The edge with the nearest surface among those that may be taken, or -1. */
static int nearest_edge(const Stuffing *s, uint32_t p, const bool *violated, bool from_inside)
{
    double least = INFINITY;
    int best = -1;
    for (int e = 0; e < EDGES; e++) {
        const double d = s->distance[(size_t)p * EDGES + (size_t)e], length = d * d * (e < LONG_EDGES ? 4.0 : 3.0);
        const uint32_t q = stuffing_neighbour(s, p, e);
        if (q == NOWHERE || !is_near(d, alpha_of(s, e)))
            continue;
        const bool allowed = s->well_shaped ? s->inside[p] * s->inside[q] < 0
                             : from_inside  ? s->inside[q] < 0
                                            : s->inside[q] <= 0 && !violated[q]; /* as old scenes have it */
        if (allowed && length < least) {
            least = length;
            best = e;
        }
    }
    return best;
}

/* As published: each point that is too near when its turn comes. */
static void snap_all(Stuffing *s, bool *violated)
{
    for (uint32_t p = 0; p < s->count; p++) {
        const int e = is_violated(s, p) ? nearest_edge(s, p, violated, false) : -1;
        if (e >= 0)
            move_to_surface(s, p, e, violated, false);
    }
}

/* As old scenes have it: outside points move along edges that lead to none inside. */
static void snap_as_before(Stuffing *s, bool *violated)
{
    for (uint32_t p = 0; p < s->count; p++)
        violated[p] = is_violated(s, p);
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t p = 0; p < s->count; p++) {
            const int e = violated[p] && s->inside[p] < 0 ? nearest_edge(s, p, violated, false) : -1;
            if (e >= 0) {
                move_to_surface(s, p, e, violated, true);
                moved = true;
            }
        }
    }
    for (uint32_t p = 0; p < s->count; p++) {
        const int e = violated[p] && s->inside[p] > 0 ? nearest_edge(s, p, violated, true) : -1;
        if (e >= 0)
            move_to_surface(s, p, e, violated, false);
    }
}

void stuffing_snap(Stuffing *s)
{
    bool *violated = dv_alloc(s->count, sizeof *violated);
    if (s->well_shaped)
        snap_all(s, violated);
    else
        snap_as_before(s, violated);
    dv_free(violated);
}

/* ---- Tetrahedra ---- */

void stuffing_cut(Stuffing *s)
{
    for (uint32_t p = 0; p < s->count; p++) {
        s->near += s->inside[p] < 0 && is_violated(s, p);
        for (int e = 0; e < EDGES && s->inside[p] < 0; e++) {
            const uint32_t q = stuffing_neighbour(s, p, e);
            if (q == NOWHERE || s->inside[q] <= 0)
                continue;
            const DvVec3 at = stuffing_point(s, p);
            double cut[3];
            dv_vec3_store(
                dv_vec3_madd(at, s->distance[(size_t)p * EDGES + (size_t)e], dv_vec3_sub(stuffing_point(s, q), at)),
                cut);
            s->cut[(size_t)p * EDGES + (size_t)e] = s->x.count / 3;
            dv_array_append(&s->x, cut, 3);
        }
    }
}

static uint32_t cut_between(const Stuffing *s, uint32_t outside, uint32_t inside)
{
    int e = 0;
    while (stuffing_neighbour(s, outside, e) != inside)
        e++;
    return s->cut[(size_t)outside * EDGES + (size_t)e];
}

static void add(Stuffing *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const DvVec3 p = stuffing_point(s, a);
    const double volume = dv_vec3_dot(mesh_area_normal(p, stuffing_point(s, b), stuffing_point(s, c)),
                                      dv_vec3_sub(stuffing_point(s, d), p));
    const uint32_t tetrahedron[4] = {a, b, volume < 0.0 ? d : c, volume < 0.0 ? c : d};
    dv_array_append(&s->tetrahedra, tetrahedron, 4);
}

/* Which diagonal of a quad two cells agree on: by grids, then by parity. */
static bool flips(const Stuffing *s, uint32_t a, uint32_t b, uint32_t c, uint32_t e)
{
    const bool grid_a = a < s->first, grid_b = b < s->first, grid_e = e < s->first;
    if (grid_a == grid_e)
        return true;
    if (grid_b == grid_e)
        return false;
    const DvVec3 p = stuffing_point(s, a), q = stuffing_point(s, c);
    const int greater = (p.x > q.x) + (p.y > q.y) + (p.z > q.z);
    return (greater % 2 == 1) != grid_a;
}

typedef struct Sides {
    uint32_t out[4], in[4], on[4];
    int outs, ins, ons;
} Sides;

static void add_two_two(Stuffing *s, const uint32_t *n, const uint32_t *p)
{
    const uint32_t c1 = cut_between(s, n[0], p[0]), c2 = cut_between(s, n[0], p[1]), c3 = cut_between(s, n[1], p[0]),
                   c4 = cut_between(s, n[1], p[1]);
    const bool a = flips(s, p[0], p[1], c2, n[0]), b = flips(s, p[0], p[1], c4, n[1]);
    if (b && !a) {
        add(s, p[0], p[1], c2, c3);
        add(s, p[0], c2, c1, c3);
        add(s, p[1], c2, c3, c4);
    } else if (a && !b) {
        add(s, p[0], p[1], c1, c4);
        add(s, p[1], c1, c4, c2);
        add(s, p[0], c1, c3, c4);
    } else {
        s->strange++;
    }
}

static void add_three_one(Stuffing *s, uint32_t n, const uint32_t *p)
{
    uint32_t c[3];
    for (int j = 0; j < 3; j++)
        c[j] = cut_between(s, n, p[j]);
    const bool f1 = flips(s, p[0], p[1], c[1], n), f2 = flips(s, p[1], p[2], c[2], n);
    bool f3 = flips(s, p[2], p[0], c[0], n);
    if (f1 == f2 && f2 == f3) {
        s->strange++;
        f3 = !f3;
    }
    const uint32_t low = f1 && !f2 ? p[1] : f2 && !f3 ? p[2] : p[0], high = !f1 && f2 ? c[1] : !f2 && f3 ? c[2] : c[0];
    add(s, low, c[0], c[2], c[1]);
    add(s, high, p[0], p[1], p[2]);
    const int third = f1 == f2 ? 1 : f2 == f3 ? 2 : 0;
    add(s, p[third], c[third], low, high);
}

static void add_split(Stuffing *s, const uint32_t *corner, const Sides *v)
{
    const uint32_t *n = v->out, *p = v->in;
    if (v->ins == 1) {
        uint32_t to[4];
        for (int j = 0; j < 4; j++)
            to[j] = s->inside[corner[j]] < 0 ? cut_between(s, corner[j], p[0]) : corner[j];
        add(s, to[0], to[1], to[2], to[3]);
    } else if (v->ins == 2 && v->outs == 1) {
        const uint32_t z = v->on[0], c0 = cut_between(s, n[0], p[0]), c1 = cut_between(s, n[0], p[1]);
        const bool f = flips(s, p[0], p[1], c1, n[0]);
        add(s, z, p[0], p[1], f ? c0 : c1);
        add(s, z, p[f], c1, c0);
    } else if (v->ins == 2) {
        add_two_two(s, n, p);
    } else {
        add_three_one(s, n[0], p);
    }
}

static void add_cell(Stuffing *s, const uint32_t *corner, bool split)
{
    Sides v = {.outs = 0};
    for (int j = 0; j < 4; j++) {
        const int32_t side = s->inside[corner[j]];
        if (side < 0)
            v.out[v.outs++] = corner[j];
        else if (side > 0)
            v.in[v.ins++] = corner[j];
        else
            v.on[v.ons++] = corner[j];
    }
    s->flat += v.ons == 4;
    if (v.ins == 0 && (v.outs > 0 || s->well_shaped))
        return;
    if (v.outs == 0 || !split)
        add(s, corner[0], corner[1], corner[2], corner[3]);
    else
        add_split(s, corner, &v);
}

void stuffing_fill(Stuffing *s, bool split)
{
    const uint32_t *n = s->size[0], *m = s->size[1];
    const uint32_t step[3] = {1, n[0], n[0] * n[1]}, wide[3] = {1, m[0], m[0] * m[1]};
    for (uint32_t p = 0; p < s->first; p++) {
        const uint32_t at[3] = {p % n[0], p / n[0] % n[1], p / n[0] / n[1]};
        const uint32_t o = s->first + at[0] + at[1] * wide[1] + at[2] * wide[2];
        for (int axis = 0; axis < 3; axis++) {
            if (at[axis] == 0)
                continue;
            const uint32_t one = wide[axis == 0 ? 1 : axis == 1 ? 2 : 0], two = wide[axis == 0 ? 2 : axis == 1 ? 0 : 1];
            const uint32_t ring[4] = {o, o + one, o + one + two, o + two}, before = p - step[axis];
            for (int i = 0; i < 4; i++) {
                uint32_t corner[4] = {p, before, ring[(i + 1) % 4], ring[i]};
                const DvVec3 a = stuffing_point(s, p);
                const double volume =
                    dv_vec3_dot(mesh_area_normal(a, stuffing_point(s, before), stuffing_point(s, corner[2])),
                                dv_vec3_sub(stuffing_point(s, corner[3]), a));
                if (volume < 0.0) {
                    corner[2] = ring[i];
                    corner[3] = ring[(i + 1) % 4];
                }
                add_cell(s, corner, split);
            }
        }
    }
}
