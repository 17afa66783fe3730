/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cut_plan.h"

#include "key_table.h"

#include <divan/kit/ascending.h>
#include <divan/math/vec.h>

#include <stdlib.h>

enum { MOST_CORNERS = 4, MOST_PIECES = 64 }; /* of an element whose six edges are all split: each doubles at most */

/* An edge that the blade crosses. */
typedef struct Crossing {
    uint32_t from, to; /* from < to */
    double where;
    double length;
    uint32_t rank; /* among edges that are split, in the order of splitting; NONE: it is not split */
} Crossing;

/* A point that the cut could go through. */
typedef struct NearPoint {
    uint32_t point;
    double distance; /* share of an edge */
} NearPoint;

/* A part of an element, or all of it. Numbers from `points` of the mesh on are those of split edges. */
typedef struct Piece {
    uint32_t corner[MOST_CORNERS];
    uint32_t parent;
} Piece;

/* A face with all points on the cut: the two pieces that have it, and the corner of the first that is across. */
typedef struct Apart {
    uint32_t first, second, across;
} Apart;

enum { NONE = UINT32_MAX, ON_CUT = 1, OWNED = 2, FIRST_SIDE = 4 };

typedef struct Work {
    const CutMesh *mesh;
    const BladeSurface *surface;
    double snap;
    DV_ARRAY(Crossing) crossings;
    KeyTable crossing_of; /* edge -> 1 + crossing, or `missed` */
    DvIndexArray split;   /* crossings by rank */
    DvIndexArray region;  /* elements that the cut may change */
    uint8_t *taken;       /* [elements] in the region */
    uint8_t
        *point; /* [points] ON_CUT, OWNED; from FIRST_SIDE on, which of the six sides of the blade's box it is beyond */
    DV_ARRAY(Piece) pieces;
    KeyTable faces; /* with a point on the cut -> 1 + piece * corners + the corner across */
    DV_ARRAY(Apart) apart;
    DvIndexArray group;   /* [pieces x corners] what hangs together around a point: union-find */
    DvIndexArray number;  /* [pieces x corners] of a group: its point */
    uint8_t *split_point; /* [split] ON_CUT where a face opens, OWNED */
} Work;

static const uint32_t missed = UINT32_MAX;

static const uint32_t *element(const Work *w, uint32_t e)
{
    return w->mesh->elements + (size_t)e * w->mesh->corners;
}

static const double *position(const Work *w, uint32_t point)
{
    return w->mesh->positions + 3 * (size_t)point;
}

/* ---- 1. Edges that the blade crosses ---- */

static void look_at_edge(Work *w, uint32_t a, uint32_t b)
{
    const uint32_t ends[2] = {a < b ? a : b, a < b ? b : a};
    uint32_t *crossing = key_table_at(&w->crossing_of, key_of(ends, 2));
    if (*crossing != 0)
        return;
    const double *from = position(w, ends[0]), *to = position(w, ends[1]);
    double where;
    *crossing = missed;
    if (!blade_crosses(w->surface, from, to, &where))
        return;
    *crossing = w->crossings.count + 1;
    dv_array_push(&w->crossings, (Crossing){.from = ends[0],
                                            .to = ends[1],
                                            .where = where,
                                            .length = dv_vec3_distance(dv_vec3_load(from), dv_vec3_load(to)),
                                            .rank = NONE});
}

static void find_sides(Work *w)
{
    const Box box = w->surface->box;
    uint8_t *side = w->point;
    for (uint32_t i = 0; i < w->mesh->points; i++) {
        const double *at = position(w, i);
        const int below = (at[0] < box.min[0]) | (at[1] < box.min[1]) << 1 | (at[2] < box.min[2]) << 2;
        const int above = (at[0] > box.max[0]) | (at[1] > box.max[1]) << 1 | (at[2] > box.max[2]) << 2;
        side[i] = (uint8_t)((below | above << 3) * FIRST_SIDE);
    }
}

static bool near_blade(const Work *w, const uint32_t *corners)
{
    const double *points[MOST_CORNERS];
    for (uint32_t i = 0; i < w->mesh->corners; i++)
        points[i] = position(w, corners[i]);
    const Box box = box_of(points, w->mesh->corners);
    for (uint32_t i = 0; i < w->surface->count; i++)
        if (boxes_meet(&box, &w->surface->triangles[i].box))
            return true;
    return false;
}

/* Elements that have not all corners beyond the same side of the blade's box. */
static inline void find_candidates(const Work *w, uint32_t corners, DvIndexArray *candidates)
{
    const uint32_t *points = w->mesh->elements;
    const uint8_t *side = w->point;
    for (uint32_t e = 0; e < w->mesh->count; e++, points += corners) {
        const uint32_t beyond =
            side[points[0]] & side[points[1]] & side[points[2]] & (corners == 4 ? side[points[3]] : UINT8_MAX);
        if (beyond < FIRST_SIDE)
            dv_array_push(candidates, e);
    }
}

/* Elements in the way of the blade go to `near`. */
static void find_crossings(Work *w, DvIndexArray *near)
{
    if (w->mesh->corners == 4)
        find_candidates(w, 4, near);
    else
        find_candidates(w, 3, near);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < near->count; k++) {
        const uint32_t e = near->data[k], *corners = element(w, e);
        if (!near_blade(w, corners))
            continue;
        near->data[kept++] = e;
        for (uint32_t i = 0; i < w->mesh->corners; i++)
            for (uint32_t j = i + 1; j < w->mesh->corners; j++)
                look_at_edge(w, corners[i], corners[j]);
    }
    near->count = kept;
}

/* ---- 2. Points on the cut, edges to be split ---- */

static int by_distance(const void *a, const void *b)
{
    const NearPoint *left = a, *right = b;
    if (left->distance != right->distance)
        return left->distance < right->distance ? -1 : 1;
    return left->point < right->point ? -1 : left->point > right->point;
}

/* An element whose points are all on the cut would be on neither side of it. */
static bool fills_an_element(const Work *w, uint32_t point)
{
    const DvAdjacency *around = &w->mesh->around;
    for (uint32_t i = around->begin[point]; i < around->end[point]; i++) {
        const uint32_t *corners = element(w, around->items[i]);
        uint32_t on_cut = 0;
        for (uint32_t c = 0; c < w->mesh->corners; c++)
            on_cut += (w->point[corners[c]] & ON_CUT) != 0;
        if (on_cut + 1 == w->mesh->corners)
            return true;
    }
    return false;
}

/* The cut goes through points that it passes closely, the closest first. */
static void put_points_on_cut(Work *w)
{
    DV_ARRAY(NearPoint) near = {0};
    for (uint32_t i = 0; i < w->crossings.count; i++) {
        const Crossing *crossing = &w->crossings.data[i];
        if (crossing->where < w->snap)
            dv_array_push(&near, (NearPoint){crossing->from, crossing->where});
        else if (crossing->where > 1.0 - w->snap)
            dv_array_push(&near, (NearPoint){crossing->to, 1.0 - crossing->where});
    }
    if (near.count)
        qsort(near.data, near.count, sizeof *near.data, by_distance);
    for (uint32_t i = 0; i < near.count; i++) {
        const uint32_t point = near.data[i].point;
        if (!(w->point[point] & ON_CUT) && !fills_an_element(w, point))
            w->point[point] |= ON_CUT;
    }
    dv_array_free(&near);
}

static int by_length(const void *a, const void *b)
{
    const Crossing *left = *(const Crossing *const *)a, *right = *(const Crossing *const *)b;
    if (left->length != right->length)
        return left->length > right->length ? -1 : 1;
    if (left->from != right->from)
        return left->from < right->from ? -1 : 1;
    return left->to < right->to ? -1 : left->to > right->to;
}

/* Edges that are crossed away from points on the cut, the longest first. */
static void choose_splits(Work *w)
{
    const Crossing **order = dv_alloc(w->crossings.count + 1, sizeof *order);
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->crossings.count; i++) {
        Crossing *crossing = &w->crossings.data[i];
        crossing->where = fmin(fmax(crossing->where, w->snap), 1.0 - w->snap);
        if (!((w->point[crossing->from] | w->point[crossing->to]) & ON_CUT))
            order[count++] = crossing;
    }
    qsort(order, count, sizeof *order, by_length);
    dv_array_clear(&w->split);
    for (uint32_t rank = 0; rank < count; rank++) {
        const uint32_t which = (uint32_t)(order[rank] - w->crossings.data);
        w->crossings.data[which].rank = rank;
        dv_array_push(&w->split, which);
    }
    dv_free(order);
}

/* ---- 3. Pieces ---- */

static void take_element(Work *w, uint32_t e)
{
    if (!w->taken[e])
        dv_array_push(&w->region, e);
    w->taken[e] = 1;
}

/* All elements that have an edge to be split or a point on the cut. */
static void find_region(Work *w, const DvIndexArray *near)
{
    const DvAdjacency *around = &w->mesh->around;
    for (uint32_t i = 0; i < w->crossings.count; i++) {
        const uint32_t ends[2] = {w->crossings.data[i].from, w->crossings.data[i].to};
        for (int side = 0; side < 2; side++)
            for (uint32_t k = around->begin[ends[side]]; (w->point[ends[side]] & ON_CUT) && k < around->end[ends[side]];
                 k++)
                take_element(w, around->items[k]);
    }
    for (uint32_t i = 0; i < near->count; i++)
        take_element(w, near->data[i]);
    w->region.count = dv_ascending_sort(w->region.data, w->region.count);
}

static const Crossing *split_of(const Work *w, uint32_t a, uint32_t b)
{
    const uint32_t ends[2] = {a, b}, which = key_table_get(&w->crossing_of, key_of(ends, 2));
    const Crossing *crossing = which != 0 && which != missed ? &w->crossings.data[which - 1] : NULL;
    return crossing && crossing->rank != NONE ? crossing : NULL;
}

static inline uint32_t corner_of(const Piece *piece, uint32_t corners, uint32_t point)
{
    uint32_t i = 0;
    while (i < corners && piece->corner[i] != point)
        i++;
    return i;
}

/* An element along its edges that are split, one after the other. */
static void split_element(Work *w, uint32_t e)
{
    const uint32_t corners = w->mesh->corners, *points = element(w, e);
    const Crossing *splits[6];
    uint32_t count = 0;
    for (uint32_t i = 0; i < corners; i++)
        for (uint32_t j = i + 1; j < corners; j++) {
            const Crossing *crossing = split_of(w, points[i], points[j]);
            uint32_t k = count;
            if (!crossing)
                continue;
            for (; k > 0 && splits[k - 1]->rank > crossing->rank; k--)
                splits[k] = splits[k - 1];
            splits[k] = crossing;
            count++;
        }
    Piece pieces[MOST_PIECES];
    pieces[0] = (Piece){.parent = e};
    memcpy(pieces[0].corner, points, corners * sizeof *points);
    uint32_t pieces_now = 1;
    for (uint32_t s = 0; s < count; s++) {
        const uint32_t before = pieces_now, point = w->mesh->points + splits[s]->rank;
        for (uint32_t p = 0; p < before; p++) {
            const uint32_t a = corner_of(&pieces[p], corners, splits[s]->from),
                           b = corner_of(&pieces[p], corners, splits[s]->to);
            if (a == corners || b == corners)
                continue;
            pieces[pieces_now] = pieces[p];
            pieces[pieces_now++].corner[a] = point;
            pieces[p].corner[b] = point;
        }
    }
    dv_array_append(&w->pieces, pieces, pieces_now);
}

static bool on_cut(const Work *w, uint32_t point)
{
    return point >= w->mesh->points || (w->point[point] & ON_CUT);
}

/* ---- 4. What hangs together ---- */

static uint32_t group_of(Work *w, uint32_t corner)
{
    while (w->group.data[corner] != corner) {
        w->group.data[corner] = w->group.data[w->group.data[corner]];
        corner = w->group.data[corner];
    }
    return corner;
}

static void join(Work *w, uint32_t a, uint32_t b)
{
    const uint32_t left = group_of(w, a), right = group_of(w, b);
    w->group.data[left < right ? right : left] = left < right ? left : right;
}

/* Which corners are on the cut, a bit for each. */
static inline __attribute__((always_inline)) uint32_t corners_on_cut(const Work *w, const Piece *piece,
                                                                     uint32_t corners)
{
    uint32_t bits = 0;
    for (uint32_t c = 0; c < corners; c++)
        bits |= (uint32_t)on_cut(w, piece->corner[c]) << c;
    return bits;
}

/* The face across a corner. */
static inline __attribute__((always_inline)) Key face_of(const Piece *piece, uint32_t corners, uint32_t across)
{
    uint32_t points[3] = {0};
    for (uint32_t c = 0; c + 1 < corners; c++)
        points[c] = piece->corner[c + (c >= across)];
    return key_of(points, corners - 1);
}

/* Two pieces share a face: they hang together by it, unless it is on the cut. */
static inline __attribute__((always_inline)) void meet(Work *w, uint32_t corners, uint32_t first, uint32_t second,
                                                       uint32_t across)
{
    const Piece *piece = &w->pieces.data[first];
    const uint32_t face = ((1u << corners) - 1) & ~(1u << across), cut = corners_on_cut(w, piece, corners) & face;
    if (cut == face) {
        dv_array_push(&w->apart, (Apart){first, second, across});
        return;
    }
    for (uint32_t c = 0; c < corners; c++)
        if (cut >> c & 1)
            join(w, first * corners + c,
                 second * corners + corner_of(&w->pieces.data[second], corners, piece->corner[c]));
}

static inline __attribute__((always_inline)) void find_groups_of(Work *w, uint32_t corners)
{
    dv_array_resize(&w->group, w->pieces.count * corners);
    for (uint32_t i = 0; i < w->group.count; i++)
        w->group.data[i] = i;
    key_table_reserve(&w->faces, w->pieces.count * corners / 2);
    for (uint32_t p = 0; p < w->pieces.count; p++) {
        const Piece *piece = &w->pieces.data[p];
        const uint32_t cut = corners_on_cut(w, piece, corners);
        for (uint32_t across = 0; cut != 0 && across < corners; across++) {
            if ((cut & ~(1u << across)) == 0)
                continue;
            uint32_t *other = key_table_at(&w->faces, face_of(piece, corners, across));
            if (*other == 0)
                *other = p * corners + across + 1;
            else
                meet(w, corners, (*other - 1) / corners, p, (*other - 1) % corners);
        }
    }
}

static void find_groups(Work *w)
{
    if (w->mesh->corners == 4)
        find_groups_of(w, 4);
    else
        find_groups_of(w, 3);
}

/* A face of which each point is held together elsewhere stays closed. Returns how many open. */
static uint32_t find_open_faces(Work *w)
{
    const uint32_t corners = w->mesh->corners;
    uint32_t open = 0;
    for (uint32_t i = 0; i < w->apart.count; i++) {
        const Apart *face = &w->apart.data[i];
        const Piece *first = &w->pieces.data[face->first], *second = &w->pieces.data[face->second];
        bool opens = false;
        for (uint32_t c = 0; c < corners; c++)
            opens = opens || (c != face->across &&
                              group_of(w, face->first * corners + c) !=
                                  group_of(w, face->second * corners + corner_of(second, corners, first->corner[c])));
        open += opens;
        for (uint32_t c = 0; c < corners && opens; c++)
            if (c != face->across && first->corner[c] >= w->mesh->points)
                w->split_point[first->corner[c] - w->mesh->points] |= ON_CUT;
    }
    return open;
}

/* Splits where nothing comes apart are none. Returns whether there were such. */
static bool drop_idle_splits(Work *w)
{
    uint32_t kept = 0;
    for (uint32_t rank = 0; rank < w->split.count; rank++) {
        Crossing *crossing = &w->crossings.data[w->split.data[rank]];
        crossing->rank = w->split_point[rank] & ON_CUT ? kept : NONE;
        if (crossing->rank != NONE)
            w->split.data[kept++] = w->split.data[rank];
    }
    const bool dropped = kept < w->split.count;
    w->split.count = kept;
    return dropped;
}

/* Returns how many faces open. */
static uint32_t make_pieces(Work *w)
{
    dv_array_clear(&w->pieces);
    dv_array_clear(&w->apart);
    key_table_clear(&w->faces);
    dv_free(w->split_point);
    w->split_point = dv_alloc((size_t)w->split.count + 1, 1);
    for (uint32_t i = 0; i < w->region.count; i++)
        split_element(w, w->region.data[i]);
    find_groups(w);
    return find_open_faces(w);
}

/* ---- 5. The plan ---- */

/* The point of a corner: of the first group around it the point itself, of others a new one in its place. */
static uint32_t number_of(Work *w, CutPlan *plan, uint32_t corner, uint32_t point)
{
    if (!on_cut(w, point))
        return point;
    const uint32_t group = group_of(w, corner);
    if (w->number.data[group] != NONE)
        return w->number.data[group];
    const bool new_point = point >= w->mesh->points;
    uint8_t *state = new_point ? &w->split_point[point - w->mesh->points] : &w->point[point];
    uint32_t number = point;
    if (*state & OWNED) {
        const CutPoint same = new_point ? plan->points.data[point - w->mesh->points] : (CutPoint){{point, point}, 0.0};
        number = w->mesh->points + plan->points.count;
        dv_array_push(&plan->points, same);
        plan->doubled++;
    }
    *state |= OWNED;
    w->number.data[group] = number;
    return number;
}

static void write_plan(Work *w, CutPlan *plan)
{
    const uint32_t corners = w->mesh->corners;
    for (uint32_t rank = 0; rank < w->split.count; rank++) {
        const Crossing *crossing = &w->crossings.data[w->split.data[rank]];
        dv_array_push(&plan->points, (CutPoint){{crossing->from, crossing->to}, crossing->where});
    }
    dv_array_resize(&w->number, w->group.count);
    memset(w->number.data, 0xFF, w->group.count * sizeof *w->number.data);
    dv_array_reserve(&plan->elements, (uint64_t)w->pieces.count * corners);
    for (uint32_t first = 0, end; first < w->pieces.count; first = end) {
        const uint32_t parent = w->pieces.data[first].parent, start = plan->elements.count;
        bool same = true;
        for (end = first; end < w->pieces.count && w->pieces.data[end].parent == parent; end++)
            for (uint32_t c = 0; c < corners; c++) {
                const uint32_t point = w->pieces.data[end].corner[c],
                               number = number_of(w, plan, end * corners + c, point);
                plan->elements.data[plan->elements.count++] = number;
                same = same && number == element(w, parent)[c];
            }
        if (same) {
            plan->elements.count = start;
            continue;
        }
        dv_array_push(&plan->replaced, parent);
        for (uint32_t p = first; p < end; p++)
            dv_array_push(&plan->parents, parent);
    }
}

CutPlan cut_plan(const CutMesh *mesh, const BladeSurface *surface, double snap)
{
    CutPlan plan = {0};
    DvIndexArray near = {0};
    Work w = {.mesh = mesh,
              .surface = surface,
              .snap = snap,
              .taken = dv_alloc((size_t)mesh->count + 1, 1),
              .point = dv_alloc((size_t)mesh->points + 1, 1)};
    find_sides(&w);
    find_crossings(&w, &near);
    if (w.crossings.count) {
        put_points_on_cut(&w);
        choose_splits(&w);
        find_region(&w, &near);
        plan.faces = make_pieces(&w);
        if (plan.faces && drop_idle_splits(&w))
            plan.faces = make_pieces(&w);
        if (plan.faces)
            write_plan(&w, &plan);
    }
    dv_array_free(&near);
    dv_array_free(&w.crossings);
    key_table_free(&w.crossing_of);
    dv_array_free(&w.split);
    dv_array_free(&w.region);
    dv_array_free(&w.pieces);
    key_table_free(&w.faces);
    dv_array_free(&w.apart);
    dv_array_free(&w.group);
    dv_array_free(&w.number);
    dv_free(w.taken);
    dv_free(w.point);
    dv_free(w.split_point);
    return plan;
}

void cut_plan_free(CutPlan *plan)
{
    dv_array_free(&plan->points);
    dv_array_free(&plan->elements);
    dv_array_free(&plan->parents);
    dv_array_free(&plan->replaced);
}

/* ---- Angles ---- */

static DvVec3 place_of(const CutPlan *plan, const CutMesh *mesh, uint32_t number)
{
    if (number < mesh->points)
        return dv_vec3_load(mesh->positions + 3 * (size_t)number);
    const CutPoint *point = &plan->points.data[number - mesh->points];
    const DvVec3 from = dv_vec3_load(mesh->positions + 3 * (size_t)point->from[0]);
    const DvVec3 to = dv_vec3_load(mesh->positions + 3 * (size_t)point->from[1]);
    return dv_vec3_madd(from, point->where, dv_vec3_sub(to, from));
}

static double cosine(DvVec3 a, DvVec3 b)
{
    return dv_vec3_dot(a, b) / (dv_vec3_norm(a) * dv_vec3_norm(b));
}

/* Cosine of the smallest angle of a triangle. */
static double of_triangle(const DvVec3 *at)
{
    double largest = -1.0;
    for (int i = 0; i < 3; i++)
        largest = fmax(largest, cosine(dv_vec3_sub(at[(i + 1) % 3], at[i]), dv_vec3_sub(at[(i + 2) % 3], at[i])));
    return largest;
}

/* Cosine of the smallest angle between two faces of a tetrahedron. */
static double of_tetrahedron(const DvVec3 *at)
{
    static const uint8_t face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    DvVec3 normal[4];
    double norm[4], largest = -1.0;
    for (int f = 0; f < 4; f++) {
        normal[f] =
            dv_vec3_cross(dv_vec3_sub(at[face[f][1]], at[face[f][0]]), dv_vec3_sub(at[face[f][2]], at[face[f][0]]));
        norm[f] = dv_vec3_norm(normal[f]);
    }
    for (int f = 0; f < 4; f++)
        for (int g = f + 1; g < 4; g++)
            largest = fmax(largest, -dv_vec3_dot(normal[f], normal[g]) / (norm[f] * norm[g]));
    return largest;
}

double cut_plan_smallest_angle(const CutPlan *plan, const CutMesh *mesh)
{
    double largest = -1.0;
    for (uint32_t e = 0; e < plan->parents.count; e++) {
        DvVec3 at[MOST_CORNERS];
        for (uint32_t c = 0; c < mesh->corners; c++)
            at[c] = place_of(plan, mesh, plan->elements.data[e * mesh->corners + c]);
        largest = fmax(largest, mesh->corners == 3 ? of_triangle(at) : of_tetrahedron(at));
    }
    return plan->parents.count ? acos(fmin(largest, 1.0)) : 0.0;
}
