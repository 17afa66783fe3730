/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Boxes against boxes with as many contacts as hold them: what `boxManifold` of the methods switches on.
 *
 * Of the faces of both boxes and the cross products of their edges, the axis on which they are farthest apart, or overlap least, is the
 * normal (separating axes, Gottschalk, Lin, Manocha 1996). Where it is that of a face, the faces that look at each other are seen
 * along it; the corners of what they have in common (Sutherland, Hodgman 1974) are the contacts, a point on either face each. Boxes
 * that overlap along edges touch where these are nearest. Boxes that are apart, with nothing in common along the normal, have one contact,
 * at their nearest points.
 *
 * The id of a contact says which pair of boxes it is of, and which corner of either box, or which edges of both, made it, so that it
 * stays while boxes move a little; corners that all but coincide count as one, those on the way between two others not at all. Contacts come in the order of their ids.
 */
#include <divan/divan.h>

#include "manifold.h"

enum {
    OF_CORNERS = 16, /* ids of corners: 8 of each box */
    IDS = OF_CORNERS + BOX_EDGES * BOX_EDGES
};

typedef struct Pair {
    OrientedBox box[2];
    DvVec3 normal;    /* from the first to the second */
    double distance;  /* m, along it; negative: they overlap */
    double same;      /* m */
    int of_face;      /* whose face the normal is that of; -1: it is across... */
    uint32_t edge[2]; /* ...the edges along these axes */
} Pair;

/* ---- The normal ---- */

/* Whether the boxes are farther apart on n, by more than `margin`: then it becomes the normal. */
static bool try_normal(Pair *pair, DvVec3 n, double margin)
{
    const double along = dv_vec3_dot(n, dv_vec3_sub(pair->box[1].centre, pair->box[0].centre));
    const double distance = fabs(along) - reach_of_box(&pair->box[0], n) - reach_of_box(&pair->box[1], n);
    if (!(distance > pair->distance + margin))
        return false;
    pair->distance = distance;
    pair->normal = along < 0.0 ? dv_vec3_neg(n) : n;
    return true;
}

/* False: they are at least `alarm` apart. */
static bool find_normal(Pair *pair, double alarm)
{
    pair->distance = -HUGE_VAL;
    pair->same = SAME * fmin(smallest_half_of(&pair->box[0]), smallest_half_of(&pair->box[1]));
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 3; k++)
            if (try_normal(pair, pair->box[side].axis[k], 0.0))
                pair->of_face = side;
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t k = 0; k < 3; k++) {
            const DvVec3 across = dv_vec3_cross(pair->box[0].axis[i], pair->box[1].axis[k]);
            const double margin = pair->of_face < 0 ? 0.0 : pair->same;
            if (!(dv_vec3_norm_squared(across) > PARALLEL) || !try_normal(pair, dv_vec3_normalize(across), margin))
                continue;
            pair->of_face = -1;
            pair->edge[0] = i;
            pair->edge[1] = k;
        }
    return !(pair->distance > 0.0 && pair->distance >= alarm);
}

/* ---- Corners and edges ---- */

static uint32_t id_of_edges(uint32_t edge_a, uint32_t edge_b)
{
    return OF_CORNERS + BOX_EDGES * edge_a + edge_b;
}

/* ---- Faces ---- */

/* A face, seen along the normal. */
typedef struct Face {
    uint32_t corner[4], edge[4]; /* edge i goes from corner i to the next */
    DvVec3 at[4];
    double x[4], y[4];
    DvVec3 normal; /* of the face */
    double area;   /* signed, of what is seen */
} Face;

/* Corners of what is in common; side i, from corner i to the next, lies on an edge of a face. */
typedef struct Polygon {
    uint32_t count;
    double x[MOST_PLACES + 4], y[MOST_PLACES + 4];
    int face[MOST_PLACES + 4]; /* of side i */
    uint32_t edge[MOST_PLACES + 4];
} Polygon;

/* The face that looks most along n. */
static Face face_along(const OrientedBox *box, DvVec3 n, DvVec3 origin, DvVec3 u, DvVec3 v)
{
    Face face = {0};
    face.normal = face_of_box(box, n, face.corner, face.edge);
    for (uint32_t i = 0; i < 4; i++) {
        face.at[i] = corner_of_box(box, face.corner[i]);
        const DvVec3 d = dv_vec3_sub(face.at[i], origin);
        face.x[i] = dv_vec3_dot(d, u);
        face.y[i] = dv_vec3_dot(d, v);
    }
    face.area = (face.x[2] - face.x[0]) * (face.y[3] - face.y[1]) - (face.x[3] - face.x[1]) * (face.y[2] - face.y[0]);
    return face;
}

/* What of a polygon lies inside of one side of a face. */
static Polygon cut_by_side(const Polygon *whole, const Face *face, int number, uint32_t side)
{
    const uint32_t end = (side + 1) % 4;
    const double turn = face->area > 0.0 ? 1.0 : -1.0;
    const double dx = turn * (face->x[end] - face->x[side]), dy = turn * (face->y[end] - face->y[side]);
    Polygon left = {0};
    for (uint32_t i = 0; i < whole->count; i++) {
        const uint32_t next = (i + 1) % whole->count;
        const double p = dx * (whole->y[i] - face->y[side]) - dy * (whole->x[i] - face->x[side]);
        const double q = dx * (whole->y[next] - face->y[side]) - dy * (whole->x[next] - face->x[side]);
        if (p >= 0.0) {
            left.x[left.count] = whole->x[i];
            left.y[left.count] = whole->y[i];
            left.face[left.count] = whole->face[i];
            left.edge[left.count++] = whole->edge[i];
        }
        if ((p >= 0.0) == (q >= 0.0))
            continue;
        const double t = p / (p - q);
        left.x[left.count] = whole->x[i] + t * (whole->x[next] - whole->x[i]);
        left.y[left.count] = whole->y[i] + t * (whole->y[next] - whole->y[i]);
        left.face[left.count] = p >= 0.0 ? number : whole->face[i]; /* out: on along the side; in: on along its own */
        left.edge[left.count++] = p >= 0.0 ? face->edge[side] : whole->edge[i];
    }
    return left;
}

/* What made a corner of the polygon: a corner of either face that is as near as `same`, or the edges that cross there. */
static uint32_t maker(const Polygon *polygon, uint32_t i, const Face face[2], double same)
{
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t k = 0; k < 4; k++)
            if (hypot(polygon->x[i] - face[side].x[k], polygon->y[i] - face[side].y[k]) <= same)
                return 8 * side + face[side].corner[k];
    const uint32_t before = (i + polygon->count - 1) % polygon->count;
    return polygon->face[before] == 0 ? id_of_edges(polygon->edge[before], polygon->edge[i])
                                      : id_of_edges(polygon->edge[i], polygon->edge[before]);
}

/* Whether a corner is on the way from the one before to the one after, but for `same`: where edges that are all but parallel cross. */
static bool is_on_the_way(const Polygon *polygon, uint32_t i, double same)
{
    const uint32_t before = (i + polygon->count - 1) % polygon->count, after = (i + 1) % polygon->count;
    const double dx = polygon->x[after] - polygon->x[before], dy = polygon->y[after] - polygon->y[before];
    const double px = polygon->x[i] - polygon->x[before], py = polygon->y[i] - polygon->y[before];
    return fabs(dx * py - dy * px) <= same * hypot(dx, dy);
}

/* The point of a face's plane that is seen at p, which is in the plane through the origin. */
static DvVec3 lifted(const Face *face, DvVec3 p, DvVec3 n)
{
    const double slope = dv_vec3_dot(face->normal, n);
    return dv_vec3_madd(p, dv_vec3_dot(face->normal, dv_vec3_sub(face->at[0], p)) / slope, n);
}

/* The corners of what the faces that look at each other have in common; the least gap of them, infinite without any. */
static double faces_in_common(const Pair *pair, Places *places)
{
    const DvVec3 n = pair->normal, origin = pair->box[0].centre;
    uint32_t level = 0; /* the axis that is most across the normal */
    for (uint32_t k = 1; k < 3; k++)
        level = fabs(dv_vec3_dot(n, pair->box[0].axis[k])) < fabs(dv_vec3_dot(n, pair->box[0].axis[level])) ? k : level;
    const DvVec3 v = dv_vec3_normalize(dv_vec3_cross(n, pair->box[0].axis[level])), u = dv_vec3_cross(v, n);
    const Face face[2] = {face_along(&pair->box[0], n, origin, u, v),
                          face_along(&pair->box[1], dv_vec3_neg(n), origin, u, v)};
    const int larger = fabs(face[1].area) > fabs(face[0].area);
    if (face[larger].area == 0.0)
        return HUGE_VAL;
    const Face *subject = &face[!larger];
    Polygon left = {.count = 4};
    for (uint32_t i = 0; i < 4; i++) {
        left.x[i] = subject->x[i];
        left.y[i] = subject->y[i];
        left.face[i] = !larger;
        left.edge[i] = subject->edge[i];
    }
    for (uint32_t side = 0; side < 4 && left.count > 0; side++)
        left = cut_by_side(&left, &face[larger], larger, side);
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < left.count; i++) {
        const uint32_t id = maker(&left, i, face, pair->same);
        if (places->count == MOST_PLACES || is_known(places, id) ||
            (id >= OF_CORNERS && is_on_the_way(&left, i, pair->same)))
            continue;
        const DvVec3 seen = dv_vec3_madd(dv_vec3_madd(origin, left.x[i], u), left.y[i], v);
        const DvVec3 p = lifted(&face[0], seen, n), q = lifted(&face[1], seen, n);
        const double gap = dv_vec3_dot(n, dv_vec3_sub(q, p));
        least = gap < least ? gap : least;
        add_place(places, id, p, q, gap);
    }
    return least;
}

/* ---- One contact ---- */

static double nearest_of_edges(const Pair *pair, const uint32_t edge[2], DvVec3 at[2])
{
    DvVec3 p, q, ab, cd;
    double alpha, beta;
    box_edge(&pair->box[0], edge[0], &p, &ab);
    box_edge(&pair->box[1], edge[1], &q, &cd);
    const double least = PARALLEL * dv_vec3_norm_squared(ab) * dv_vec3_norm_squared(cd);
    nearest_on_segments(p, ab, q, cd, least, &alpha, &beta);
    at[0] = dv_vec3_madd(p, alpha, ab);
    at[1] = dv_vec3_madd(q, beta, cd);
    return dv_vec3_distance(at[0], at[1]);
}

/* Boxes that overlap, least along the cross product of two edges. */
static void edges_that_cross(const Pair *pair, Places *places)
{
    const DvVec3 n = pair->normal;
    const uint32_t edge[2] = {edge_number(pair->edge[0], foremost_corner(&pair->box[0], n)),
                              edge_number(pair->edge[1], foremost_corner(&pair->box[1], dv_vec3_neg(n)))};
    DvVec3 at[2];
    (void)nearest_of_edges(pair, edge, at);
    add_place(places, id_of_edges(edge[0], edge[1]), at[0], at[1], pair->distance);
}

/* Boxes that overlap, though the faces have nothing in common: the corner that is deepest in the face. */
static void deepest_corner(const Pair *pair, Places *places)
{
    const uint32_t side = pair->of_face == 0 ? 1 : 0;
    const DvVec3 inwards = side == 1 ? dv_vec3_neg(pair->normal) : pair->normal;
    const uint32_t corner = foremost_corner(&pair->box[side], inwards);
    DvVec3 at[2];
    at[side] = corner_of_box(&pair->box[side], corner);
    at[!side] = dv_vec3_madd(at[side], pair->distance, inwards);
    add_place(places, 8 * side + corner, at[0], at[1], pair->distance);
}

/* Boxes that are apart: a corner and a box, or two edges. Corners count before edges that are equally near. */
static void nearest_points(Pair *pair, Places *places)
{
    Place best = {.gap = HUGE_VAL};
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t side = i / 8;
        DvVec3 at[2];
        at[side] = corner_of_box(&pair->box[side], i % 8);
        (void)nearest_in_box(&pair->box[!side], at[side], &at[!side]);
        const double distance = dv_vec3_distance(at[0], at[1]);
        if (distance < best.gap)
            best = (Place){i, {at[0], at[1]}, distance};
    }
    for (uint32_t i = 0; i < 144; i++) {
        const uint32_t edge[2] = {edge_of_twelve(i / 12), edge_of_twelve(i % 12)};
        DvVec3 at[2];
        const double distance = nearest_of_edges(pair, edge, at);
        if (distance < best.gap - pair->same)
            best = (Place){id_of_edges(edge[0], edge[1]), {at[0], at[1]}, distance};
    }
    if (best.gap > GUARD)
        pair->normal = dv_vec3_scale(dv_vec3_sub(best.at[1], best.at[0]), 1.0 / best.gap);
    places->at[0] = best;
    places->count = 1;
}

/* ---- Pairs ---- */

static void find_places(Pair *pair, Places *places)
{
    if (pair->of_face >= 0 && faces_in_common(pair, places) <= pair->distance + pair->same)
        return;
    if (pair->distance > 0.0)
        nearest_points(pair, places);
    else if (pair->of_face < 0)
        edges_that_cross(pair, places);
    else if (places->count == 0)
        deepest_corner(pair, places);
}

static void boxes_on_boxes(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count, DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++) {
        Pair pair = {.box = {box_of(query->a, pairs[i][0]), box_of(query->b, pairs[i][1])}};
        if (!find_normal(&pair, query->alarm))
            continue;
        Places places = {.count = 0};
        find_places(&pair, &places);
        const int64_t first = ((int64_t)pairs[i][0] * query->b->count + pairs[i][1]) * IDS;
        for (uint32_t k = 0; k < places.count; k++)
            if (places.at[k].gap <= query->alarm)
                add_contact(sink, pairs[i], first + places.at[k].id, places.at[k].at[0], places.at[k].at[1],
                            pair.normal, places.at[k].gap - query->contact);
    }
}

const RoutineRow box_manifold_rows[] = {
    {DV_SHAPE_BOXES, DV_SHAPE_BOXES, boxes_on_boxes},
    {DV_SHAPE_TRIANGLES, DV_SHAPE_BOXES, triangles_on_box_corners},
    {0},
};
