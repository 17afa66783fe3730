/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Boxes against triangles with as many contacts as hold them: what `boxManifold` of the methods switches on.
 *
 * Of the normal of the triangle, the axes of the box and the cross products of their edges, the direction in which both are farthest
 * apart, or overlap least, is the normal (separating axes, Gottschalk, Lin, Manocha 1996). A triangle is part of a surface: where
 * a direction other than its own normal would lead through a triangle that goes on beyond the edge or the corner that is foremost in it, its
 * own normal counts, and what is not in front of it is left to the neighbour. So a box that slides over a floor of many triangles is
 * not held up by their edges.
 *
 * Where the normal is that of a face, the face of the other that looks at it is cut by planes through its sides (Sutherland, Hodgman
 * 1974); the corners of what is left are the contacts. Of them the corners of a triangle and what lies on its edges count for the
 * triangle that owns these; corners of the box count for all, twice on an edge, which is better than not at all. Edges that overlap
 * touch where they are nearest. Where nothing is in common there is one contact, at the nearest points.
 *
 * The id of a contact says which pair it is of, and which corner or which edges made it; contacts come in the order of their ids.
 */
#include <divan/divan.h>

#include "manifold.h"

#define ALONG 1e-6 /* sine: a normal that leans less into the neighbour of an edge is along it */

enum {
    OF_BOX = 3, /* ids: corners of the triangle, of the box, and where edges cross */
    OF_CROSSINGS = OF_BOX + BOX_CORNERS,
    IDS = OF_CROSSINGS + 3 * BOX_EDGES
};

typedef enum Kind { OF_TRIANGLE_FACE, OF_BOX_FACE, OF_EDGES } Kind;

typedef struct Meeting {
    const DvShape *triangles;
    uint32_t element;
    Triangle triangle;
    OrientedBox box;
    DvVec3 face_normal; /* of the triangle, towards the middle of the box */
    double face_distance;
    Kind kind; /* of the normal */
    DvVec3 normal;
    double distance;  /* m, along it; negative: they overlap */
    uint32_t edge[2]; /* of the triangle; the axis of the box */
    double same;      /* m */
} Meeting;

/* ---- What the surface lets through ---- */

static DvVec3 triangle_edge(const Triangle *t, uint32_t i)
{
    return dv_vec3_sub(t->corner[triangle_edges[i].to], t->corner[triangle_edges[i].from]);
}

/* The direction in the plane of the triangle beyond edge i that leads out of it over this edge; false: there is none, or
 * several. The tables are those by which the model has found who owns what: nothing is made here. */
static bool way_out_of_neighbour(const Meeting *m, uint32_t i, DvVec3 *out)
{
    static const uint32_t opposite[3] = {2, 0, 1}; /* the corner that edge i does not have */
    const DvShape *s = m->triangles;
    if (!s->topology)
        return false;
    const DvElements triangles = s->topology->elements(s->topology_self, DV_TRIANGLES);
    const DvAdjacency edges = s->topology->adjacency(s->topology_self, DV_TRIANGLES, DV_EDGES);
    const DvAdjacency around = s->topology->adjacency(s->topology_self, DV_EDGES, DV_TRIANGLES);
    if (m->element >= edges.count || edges.begin[m->element] + opposite[i] >= edges.end[m->element])
        return false;
    const uint32_t edge = edges.items[edges.begin[m->element] + opposite[i]];
    if (edge >= around.count || around.end[edge] - around.begin[edge] != 2)
        return false;
    const uint32_t *both = around.items + around.begin[edge], other = both[both[0] == m->element];
    const uint32_t *own = s->vertices + 3 * (size_t)m->element, *corner = triangles.at + 3 * (size_t)other;
    const uint32_t a = own[triangle_edges[i].from], b = own[triangle_edges[i].to];
    const uint32_t beyond = corner[0] != a && corner[0] != b   ? corner[0]
                            : corner[1] != a && corner[1] != b ? corner[1]
                                                               : corner[2];
    const DvVec3 along = dv_vec3_normalize(triangle_edge(&m->triangle, i));
    const DvVec3 d =
        dv_vec3_sub(m->triangle.corner[triangle_edges[i].from], dv_vec3_load(s->x + (size_t)beyond * s->stride));
    *out = dv_vec3_normalize(dv_vec3_madd(d, -dv_vec3_dot(d, along), along));
    return true;
}

static bool passes_edge(const Meeting *m, uint32_t i, DvVec3 n)
{
    DvVec3 out;
    return !way_out_of_neighbour(m, i, &out) || dv_vec3_dot(n, out) >= -ALONG;
}

/* Whether the neighbours beyond what is foremost of the triangle let a normal pass. */
static bool passes(const Meeting *m, DvVec3 n)
{
    double most = -HUGE_VAL, longest = 0.0;
    bool foremost[3];
    for (uint32_t k = 0; k < 3; k++) {
        most = fmax(most, dv_vec3_dot(n, m->triangle.corner[k]));
        longest = fmax(longest, dv_vec3_norm(triangle_edge(&m->triangle, k)));
    }
    for (int k = 0; k < 3; k++)
        foremost[k] = dv_vec3_dot(n, m->triangle.corner[k]) >= most - ALONG * longest;
    const int count = foremost[0] + foremost[1] + foremost[2];
    for (uint32_t i = 0; i < 3; i++) {
        const bool from = foremost[triangle_edges[i].from], to = foremost[triangle_edges[i].to];
        if (count < 3 && (count == 2 ? from && to : from || to) && !passes_edge(m, i, n))
            return false;
    }
    return true;
}

/* ---- The normal ---- */

/* Whether both are farther apart on n, or against it, by more than `margin`: then that becomes the normal. */
static bool try_normal(Meeting *m, DvVec3 n, double margin)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int k = 0; k < 3; k++) {
        const double at = dv_vec3_dot(n, m->triangle.corner[k]);
        low = fmin(low, at);
        high = fmax(high, at);
    }
    const double middle = dv_vec3_dot(n, m->box.centre), reach = reach_of_box(&m->box, n);
    const double ahead = middle - reach - high, behind = low - middle - reach;
    const double distance = fmax(ahead, behind);
    if (!(distance > m->distance + margin))
        return false;
    m->distance = distance;
    m->normal = ahead >= behind ? n : dv_vec3_neg(n);
    return true;
}

/* False: they are at least `alarm` apart. */
static bool find_normal(Meeting *m, DvVec3 normal, double alarm)
{
    const double along = dv_vec3_dot(normal, dv_vec3_sub(m->box.centre, m->triangle.corner[0]));
    m->face_normal = along < 0.0 ? dv_vec3_neg(normal) : normal;
    m->face_distance = fabs(along) - reach_of_box(&m->box, normal);
    m->normal = m->face_normal;
    m->distance = m->face_distance;
    m->kind = OF_TRIANGLE_FACE;
    m->same = SAME * smallest_half_of(&m->box);
    for (uint32_t k = 0; k < 3; k++)
        if (try_normal(m, m->box.axis[k], m->kind == OF_TRIANGLE_FACE ? m->same : 0.0))
            m->kind = OF_BOX_FACE;
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t k = 0; k < 3; k++) {
            const DvVec3 edge = triangle_edge(&m->triangle, i), across = dv_vec3_cross(edge, m->box.axis[k]);
            if (!(dv_vec3_norm_squared(across) > PARALLEL * dv_vec3_norm_squared(edge)) ||
                !try_normal(m, dv_vec3_normalize(across), m->kind == OF_EDGES ? 0.0 : m->same))
                continue;
            m->kind = OF_EDGES;
            m->edge[0] = i;
            m->edge[1] = k;
        }
    return !(m->distance > 0.0 && m->distance >= alarm);
}

/* ---- Faces ---- */

/* A face, or what is left of one; side i goes from corner i to the next and is part of an edge. */
typedef struct Face {
    uint32_t count;
    DvVec3 at[MOST_PLACES];
    uint32_t corner[MOST_PLACES], edge[MOST_PLACES]; /* ids of corners; numbers of edges */
    bool foreign[MOST_PLACES];                       /* side i is part of an edge of the face that cuts */
} Face;

static Face face_of_triangle(const Meeting *m)
{
    const DvVec3 *c = m->triangle.corner;
    return (Face){.count = 3, .at = {c[0], c[1], c[2]}, .corner = {0, 1, 2}, .edge = {0, 1, 2}};
}

/* That of the box which looks at the triangle. */
static Face opposite_face(const Meeting *m, DvVec3 n)
{
    Face face = {.count = 4};
    (void)face_of_box(&m->box, dv_vec3_neg(n), face.corner, face.edge);
    for (uint32_t i = 0; i < 4; i++) {
        face.at[i] = corner_of_box(&m->box, face.corner[i]);
        face.corner[i] += OF_BOX;
    }
    return face;
}

static DvVec3 middle_of(const Face *face)
{
    DvVec3 sum = dv_vec3_zero();
    for (uint32_t i = 0; i < face->count; i++)
        sum = dv_vec3_add(sum, face->at[i]);
    return dv_vec3_scale(sum, 1.0 / face->count);
}

/* What made the corner where side `i` of what is left crosses side `k` of the face that cuts. */
static uint32_t maker(const Face *left, uint32_t i, const Face *cutter, uint32_t k)
{
    if (left->foreign[i]) /* two sides of the cutter meet in its corner */
        return cutter->corner[(left->edge[i] + 1) % cutter->count == k ? k : left->edge[i]];
    const bool triangle_cuts = cutter->count == 3;
    return OF_CROSSINGS + (triangle_cuts ? BOX_EDGES * k + left->edge[i] : BOX_EDGES * left->edge[i] + cutter->edge[k]);
}

/* What is left of a face in front of the plane through side k of another along n. */
static Face cut_by_side(const Face *whole, const Face *cutter, uint32_t k, DvVec3 n)
{
    const DvVec3 start = cutter->at[k];
    DvVec3 inwards = dv_vec3_cross(n, dv_vec3_sub(cutter->at[(k + 1) % cutter->count], start));
    if (dv_vec3_dot(inwards, dv_vec3_sub(middle_of(cutter), start)) < 0.0)
        inwards = dv_vec3_neg(inwards);
    Face left = {0};
    for (uint32_t i = 0; i < whole->count; i++) {
        const uint32_t next = (i + 1) % whole->count;
        const double p = dv_vec3_dot(inwards, dv_vec3_sub(whole->at[i], start));
        const double q = dv_vec3_dot(inwards, dv_vec3_sub(whole->at[next], start));
        if (p >= 0.0) {
            left.at[left.count] = whole->at[i];
            left.corner[left.count] = whole->corner[i];
            left.foreign[left.count] = whole->foreign[i];
            left.edge[left.count++] = whole->edge[i];
        }
        if ((p >= 0.0) == (q >= 0.0))
            continue;
        left.at[left.count] = dv_vec3_madd(whole->at[i], p / (p - q), dv_vec3_sub(whole->at[next], whole->at[i]));
        left.corner[left.count] = maker(whole, i, cutter, k);
        left.foreign[left.count] = p >= 0.0 || whole->foreign[i]; /* out: on along the side; in: on along its own */
        left.edge[left.count++] = p >= 0.0 ? k : whole->edge[i];
    }
    return left;
}

static bool counts(const Meeting *m, uint32_t id)
{
    if (id < OF_BOX)
        return m->triangle.owns & (DV_OWNS_CORNER_0 << id);
    return id < OF_CROSSINGS || (m->triangle.owns & triangle_edges[(id - OF_CROSSINGS) / BOX_EDGES].owned);
}

/* The corner of the box, or else of the triangle, that is as near as `same` when seen along n. */
static uint32_t snapped(const Meeting *m, const Face *box, DvVec3 p, DvVec3 n, uint32_t id)
{
    const Face triangle = face_of_triangle(m);
    const Face *const faces[2] = {box, &triangle};
    for (int f = 0; f < 2; f++)
        for (uint32_t i = 0; i < faces[f]->count; i++) {
            const DvVec3 d = dv_vec3_sub(p, faces[f]->at[i]);
            if (dv_vec3_norm_squared(d) - dv_vec3_dot(d, n) * dv_vec3_dot(d, n) <= m->same * m->same)
                return faces[f]->corner[i];
        }
    return id;
}

/* The corners of what the faces that look at each other have in common along n, which is that of one of them; the least gap of all of
 * them, those of others too, infinite without any. */
static double faces_in_common(const Meeting *m, DvVec3 n, bool of_triangle, Places *places)
{
    const Face triangle = face_of_triangle(m), box = opposite_face(m, n);
    const Face *cutter = of_triangle ? &triangle : &box;
    Face left = of_triangle ? box : triangle;
    for (uint32_t k = 0; k < cutter->count && left.count > 0; k++)
        left = cut_by_side(&left, cutter, k, n);
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < left.count; i++) {
        const double above = dv_vec3_dot(n, dv_vec3_sub(left.at[i], cutter->at[0])), gap = of_triangle ? above : -above;
        const DvVec3 foot = dv_vec3_madd(left.at[i], -above, n);
        const uint32_t id = snapped(m, &box, left.at[i], n, left.corner[i]);
        least = fmin(least, gap);
        if (!is_known(places, id) && counts(m, id))
            add_place(places, id, of_triangle ? foot : left.at[i], of_triangle ? left.at[i] : foot, gap);
    }
    return least;
}

/* ---- One contact ---- */

static double nearest_of_edges(const Meeting *m, uint32_t i, uint32_t edge, DvVec3 at[2])
{
    const DvVec3 p = m->triangle.corner[triangle_edges[i].from], ab = triangle_edge(&m->triangle, i);
    DvVec3 q, cd;
    double alpha, beta;
    box_edge(&m->box, edge, &q, &cd);
    nearest_on_segments(p, ab, q, cd, PARALLEL * dv_vec3_norm_squared(ab) * dv_vec3_norm_squared(cd), &alpha, &beta);
    at[0] = dv_vec3_madd(p, alpha, ab);
    at[1] = dv_vec3_madd(q, beta, cd);
    return dv_vec3_distance(at[0], at[1]);
}

/* Both overlap, least along the cross product of two edges. */
static void edges_that_cross(const Meeting *m, Places *places)
{
    const uint32_t i = m->edge[0];
    const uint32_t edge = edge_number(m->edge[1], foremost_corner(&m->box, dv_vec3_neg(m->normal)));
    const uint32_t id = OF_CROSSINGS + BOX_EDGES * i + edge;
    DvVec3 at[2];
    (void)nearest_of_edges(m, i, edge, at);
    if (counts(m, id))
        add_place(places, id, at[0], at[1], m->distance);
}

/* Both overlap, though the faces have nothing in common: the corner that is deepest in the other's face. Its image along the normal may lie
 * beside a triangle, of which the nearest point is meant then. */
static void deepest_corner(const Meeting *m, Places *places)
{
    const DvVec3 n = m->normal;
    if (m->kind == OF_TRIANGLE_FACE) {
        const uint32_t corner = foremost_corner(&m->box, dv_vec3_neg(n));
        const DvVec3 p = corner_of_box(&m->box, corner);
        DvVec3 foot;
        (void)nearest_of_triangle(&m->triangle, p, (TriangleMargins){.edges_begin = true}, &foot);
        add_place(places, OF_BOX + corner, foot, p, m->distance);
        return;
    }
    uint32_t foremost = 0;
    for (uint32_t k = 1; k < 3; k++)
        if (dv_vec3_dot(n, m->triangle.corner[k]) > dv_vec3_dot(n, m->triangle.corner[foremost]))
            foremost = k;
    const DvVec3 p = m->triangle.corner[foremost];
    if (counts(m, foremost))
        add_place(places, foremost, p, dv_vec3_madd(p, m->distance, n), m->distance);
}

/* Both are apart: a corner and a face, or two edges, instead of the places there are; corners count before edges that are equally near.
 * Where the place is on an edge or a corner of the triangle, the neighbours decide whether it counts. */
static void nearest_points(Meeting *m, Places *places)
{
    static const TriangleMargins margins = {.edges_begin = true};
    Place best = {.gap = HUGE_VAL};
    uint16_t best_part = 0; /* of the triangle: its inside, or DV_OWNS_* of an edge or a corner */
    for (uint32_t i = 0; i < BOX_CORNERS + 3 + 36; i++) {
        Place place = {.id = i};
        uint16_t part;
        if (i < BOX_CORNERS) {
            place.id = OF_BOX + i;
            place.at[1] = corner_of_box(&m->box, i);
            part = nearest_of_triangle(&m->triangle, place.at[1], margins, &place.at[0]);
        } else if (i < BOX_CORNERS + 3) {
            place.id = i - BOX_CORNERS;
            place.at[0] = m->triangle.corner[place.id];
            part = (uint16_t)(DV_OWNS_CORNER_0 << place.id);
            (void)nearest_in_box(&m->box, place.at[0], &place.at[1]);
        } else {
            const uint32_t side = (i - BOX_CORNERS - 3) / 12, edge = edge_of_twelve((i - BOX_CORNERS - 3) % 12);
            place.id = OF_CROSSINGS + BOX_EDGES * side + edge;
            part = triangle_edges[side].owned;
            (void)nearest_of_edges(m, side, edge, place.at);
        }
        place.gap = dv_vec3_distance(place.at[0], place.at[1]);
        if (place.gap < best.gap - (place.id >= OF_CROSSINGS ? m->same : 0.0)) {
            best = place;
            best_part = part;
        }
    }
    const DvVec3 n = best.gap > GUARD ? dv_vec3_scale(dv_vec3_sub(best.at[1], best.at[0]), 1.0 / best.gap) : m->normal;
    if (!owns(&m->triangle, best_part) || (best_part != 0 && !passes(m, n)))
        return;
    m->normal = n;
    places->at[0] = best;
    places->count = 1;
}

/* ---- Pairs ---- */

static void find_places(Meeting *m, double alarm, Places *places)
{
    if (m->kind != OF_TRIANGLE_FACE && !passes(m, m->normal)) {
        /* Its own normal, unless the box is deeper behind the triangle than it is in any face that it stands on. */
        m->normal = m->face_normal;
        if (m->face_distance > -(alarm + 100.0 * m->same))
            (void)faces_in_common(m, m->normal, true, places);
        return;
    }
    if (m->kind == OF_EDGES && m->distance <= 0.0) {
        edges_that_cross(m, places);
        return;
    }
    double least = HUGE_VAL;
    if (m->kind != OF_EDGES)
        least = faces_in_common(m, m->normal, m->kind == OF_TRIANGLE_FACE, places);
    if (m->distance > 0.0 && least > m->distance + m->same)
        nearest_points(m, places);
    else if (least == HUGE_VAL)
        deepest_corner(m, places);
}

void triangles_on_box_corners(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                              DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++) {
        const DvVec3 normal = dv_vec3_load(query->a->normals + 3 * (size_t)pairs[i][0]);
        Meeting m = {.triangles = query->a,
                     .element = pairs[i][0],
                     .triangle = triangle_of(query->a, pairs[i][0]),
                     .box = box_of(query->b, pairs[i][1])};
        if (dv_vec3_norm_squared(normal) == 0.0 || !find_normal(&m, normal, query->alarm)) /* no area, or apart */
            continue;
        Places places = {.count = 0};
        find_places(&m, query->alarm, &places);
        const int64_t first = ((int64_t)pairs[i][0] * query->b->count + pairs[i][1]) * IDS;
        for (uint32_t k = 0; k < places.count; k++)
            if (places.at[k].gap <= query->alarm)
                add_contact(sink, pairs[i], first + places.at[k].id, places.at[k].at[0], places.at[k].at[1], m.normal,
                            places.at[k].gap - query->contact);
    }
}
