/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bodies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <divan/contracts/drawing.h>
#include <divan/contracts/mass.h>
#include <divan/math/quat.h>

static const double edge_color[4] = {0.1, 0.1, 0.12, 1};
static const double edge_pixels = 1, line_pixels = 2, point_pixels = 6;

/* The border of a mesh: faces that one element has, or those of a surface. */
typedef struct Skin {
    const DvObject *mesh;
    uint64_t revision;
    uint32_t points; /* one more than the largest number */
    uint32_t triangles, edges;
    uint32_t *triangle, *edge; /* [triangles] x 3, [edges] x 2 */
} Skin;

/* Corners in ascending order, then as they are; a triangle has none for the last. */
enum { NO_CORNER = UINT32_MAX };
typedef struct Face {
    uint32_t key[4], corner[4];
} Face;

/* ---- The border */

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    return (first > second) - (first < second);
}

static int compare_faces(const void *a_, const void *b_)
{
    const Face *a = a_, *b = b_;
    for (int i = 0; i < 4; i++)
        if (a->key[i] != b->key[i])
            return a->key[i] < b->key[i] ? -1 : 1;
    return 0;
}

static int compare_edges(const void *a_, const void *b_)
{
    const uint32_t *a = a_, *b = b_;
    return a[0] != b[0] ? compare_numbers(a, b) : compare_numbers(a + 1, b + 1);
}

static void add_faces(List *faces, DvElementKind kind, DvElements elements)
{
    const DvFaces *of = dv_element_faces(kind);
    const uint32_t nodes = dv_element_nodes(kind);
    for (uint32_t e = 0; e < elements.count; e++)
        for (uint32_t f = 0; f < of->count; f++) {
            Face *face = list_add(faces, sizeof *face);
            for (uint32_t c = 0; c < 4; c++)
                face->corner[c] = face->key[c] =
                    c < of->corners[f] ? elements.at[(size_t)e * nodes + of->at[f][c]] : NO_CORNER;
            qsort(face->key, 4, sizeof *face->key, compare_numbers);
        }
}

/* Of volumes those of one element alone; what two have is inside. */
static void drop_inner(List *faces)
{
    Face *face = faces->at;
    uint32_t kept = 0;
    qsort(face, faces->count, sizeof *face, compare_faces);
    for (uint32_t i = 0; i < faces->count;) {
        uint32_t end = i + 1;
        while (end < faces->count && compare_faces(&face[i], &face[end]) == 0)
            end++;
        if (end == i + 1)
            face[kept++] = face[i];
        i = end;
    }
    faces->count = kept;
}

static void take_border(Skin *skin, const List *faces)
{
    const Face *face = faces->at;
    skin->triangle = dv_alloc(faces->count, 6 * sizeof *skin->triangle);
    skin->edge = dv_alloc(faces->count, 8 * sizeof *skin->edge);
    uint32_t *triangle = skin->triangle, *edge = skin->edge;
    for (uint32_t i = 0; i < faces->count; i++) {
        const uint32_t *c = face[i].corner, corners = c[3] == NO_CORNER ? 3 : 4;
        for (uint32_t k = 2; k < corners; k++, triangle += 3)
            triangle[0] = c[0], triangle[1] = c[k - 1], triangle[2] = c[k];
        for (uint32_t k = 0; k < corners; k++, edge += 2) {
            const uint32_t a = c[k], b = c[(k + 1) % corners];
            edge[0] = a < b ? a : b, edge[1] = a < b ? b : a;
            skin->points = edge[1] >= skin->points ? edge[1] + 1 : skin->points;
        }
    }
    skin->triangles = (uint32_t)(triangle - skin->triangle) / 3;
    const uint32_t all = (uint32_t)(edge - skin->edge) / 2;
    if (all > 0)
        qsort(skin->edge, all, 2 * sizeof *skin->edge, compare_edges);
    for (uint32_t i = 0; i < all; i++)
        if (i == 0 || compare_edges(skin->edge + 2 * (size_t)i, skin->edge + 2 * (size_t)(skin->edges - 1)) != 0)
            memcpy(skin->edge + 2 * (size_t)skin->edges++, skin->edge + 2 * (size_t)i, 2 * sizeof *skin->edge);
}

static void make_skin(Skin *skin, const DvTopologyOps *ops, void *mesh)
{
    List faces = {0};
    dv_free(skin->triangle), dv_free(skin->edge);
    skin->points = skin->triangles = skin->edges = 0;
    for (DvElementKind kind = DV_TETRAHEDRA; kind < DV_ELEMENT_KINDS; kind++)
        add_faces(&faces, kind, ops->elements(mesh, kind));
    if (faces.count > 0) {
        drop_inner(&faces);
    } else {
        add_faces(&faces, DV_TRIANGLES, ops->elements(mesh, DV_TRIANGLES));
        add_faces(&faces, DV_QUADS, ops->elements(mesh, DV_QUADS));
    }
    take_border(skin, &faces);
    list_free(&faces);
}

static const Skin *skin_of(Bodies *bodies, const DvObject *mesh, const DvTopologyOps *ops)
{
    void *self = dv_object_self(mesh);
    Skin *skin = bodies->skins.at, *end = skin + bodies->skins.count;
    while (skin < end && skin->mesh != mesh)
        skin++;
    if (skin == end) {
        skin = list_add(&bodies->skins, sizeof *skin);
        skin->mesh = mesh;
        skin->revision = ops->revision(self) + 1;
    }
    if (skin->revision != ops->revision(self)) {
        make_skin(skin, ops, self);
        skin->revision = ops->revision(self);
    }
    return skin;
}

void bodies_free(Bodies *bodies)
{
    Skin *skin = bodies->skins.at;
    for (uint32_t i = 0; i < bodies->skins.count; i++)
        dv_free(skin[i].triangle), dv_free(skin[i].edge);
    list_free(&bodies->skins);
}

/* ---- Drawing */

/* Each point a little outward, so that edges are seen on the faces: by the normals of the faces around it. */
static double *lift(const Skin *skin, const double *points, uint32_t count, double distance)
{
    double *lifted = dv_alloc(count, 3 * sizeof *lifted);
    for (uint32_t t = 0; t < skin->triangles; t++) {
        const uint32_t *c = skin->triangle + 3 * (size_t)t;
        const DvVec3 a = dv_vec3_load(points + 3 * (size_t)c[0]);
        const DvVec3 normal = dv_vec3_cross(dv_vec3_sub(dv_vec3_load(points + 3 * (size_t)c[1]), a),
                                            dv_vec3_sub(dv_vec3_load(points + 3 * (size_t)c[2]), a));
        for (int k = 0; k < 3; k++)
            dv_vec3_accumulate(normal, lifted + 3 * (size_t)c[k]);
    }
    for (uint32_t i = 0; i < count; i++) {
        double *to = lifted + 3 * (size_t)i;
        const DvVec3 normal = dv_vec3_load(to);
        const double norm = dv_vec3_norm(normal);
        dv_vec3_store(dv_vec3_madd(dv_vec3_load(points + 3 * (size_t)i), norm > 0 ? distance / norm : 0, normal), to);
    }
    return lifted;
}

/* Corners of elements of `nodes` points, one after the other. */
static double *corners_of(const double *points, const uint32_t *element, uint32_t count, uint32_t nodes)
{
    double *at = dv_alloc((size_t)count * nodes, 3 * sizeof *at);
    for (size_t i = 0; i < (size_t)count * nodes; i++)
        memcpy(at + 3 * i, points + 3 * (size_t)element[i], 3 * sizeof *at);
    return at;
}

static bool draw_skin(const Skin *skin, DvDraw *draw, const double *points, uint32_t count, double size)
{
    if (skin->triangles == 0 || skin->points > count)
        return false;
    double *faces = corners_of(points, skin->triangle, skin->triangles, 3);
    double *lifted = lift(skin, points, count, 1e-3 * size), *edges = corners_of(lifted, skin->edge, skin->edges, 2);
    draw->ops->triangles(draw, faces, skin->triangles, draw->body);
    draw->ops->state(draw, DV_DRAW_UNLIT);
    draw->ops->lines(draw, edges, skin->edges, edge_pixels, edge_color);
    draw->ops->state(draw, 0);
    dv_free(faces), dv_free(lifted), dv_free(edges);
    return true;
}

/* Lines of a mesh of edges, and its points. Their mean length; 0: there are none. */
static double draw_lines(DvDraw *draw, DvElements edges, const double *points, uint32_t count, bool shown)
{
    double sum = 0;
    uint32_t whole = 0;
    uint32_t *pair = dv_alloc(edges.count, 2 * sizeof *pair);
    for (uint32_t i = 0; i < edges.count; i++) {
        const uint32_t *e = edges.at + 2 * (size_t)i;
        if (e[0] >= count || e[1] >= count)
            continue;
        sum += dv_vec3_distance(dv_vec3_load(points + 3 * (size_t)e[0]), dv_vec3_load(points + 3 * (size_t)e[1]));
        memcpy(pair + 2 * (size_t)whole++, e, 2 * sizeof *pair);
    }
    if (whole > 0 && shown) {
        double *at = corners_of(points, pair, whole, 2);
        draw->ops->lines(draw, at, whole, line_pixels, draw->body);
        dv_free(at);
    }
    dv_free(pair);
    return whole > 0 ? sum / whole : 0;
}

/* Half the edges of the box that has the mass and the inertia of each frame, in its axes. False: the mass says nothing that a box has. */
static bool extent_of(DvNode *node, uint32_t count, uint32_t frame, double half[3])
{
    DvObject *mass = dv_node_slot(node, DV_MASS);
    const DvMassOps *ops = mass && dv_object_is_valid(mass) ? dv_object_ops(mass, DV_MASS) : NULL;
    if (!ops || !ops->add_mdx)
        return false;
    double *dx = dv_alloc(count, 6 * sizeof *dx), *res = dv_alloc(count, 6 * sizeof *res), m[4];
    for (int axis = 0; axis < 4; axis++) { /* a mass, then moments of inertia */
        memset(res, 0, (size_t)count * 6 * sizeof *res);
        memset(dx, 0, (size_t)count * 6 * sizeof *dx);
        const size_t at = 6 * (size_t)frame + (axis == 0 ? 0 : 2 + (size_t)axis);
        dx[at] = 1;
        ops->add_mdx(dv_object_self(mass), 1, (DvConstVec){dx, count, 6}, (DvVec){res, count, 6});
        m[axis] = res[at];
    }
    dv_free(dx), dv_free(res);
    bool good = m[0] > 0;
    for (int axis = 0; axis < 3 && good; axis++) {
        const double square = 1.5 * (m[1] + m[2] + m[3] - 2 * m[1 + axis]) / m[0];
        good = square >= 0;
        half[axis] = good ? sqrt(square) : 0;
    }
    return good;
}

static void draw_box(DvDraw *draw, const double *frame, const double half[3])
{
    double at[12 * 6], *to = at;
    for (int axis = 0; axis < 3; axis++)
        for (int side = 0; side < 4; side++)
            for (int end = -1; end < 2; end += 2, to += 3) {
                double p[3];
                p[axis] = end * half[axis];
                p[(axis + 1) % 3] = (side & 1 ? 1 : -1) * half[(axis + 1) % 3];
                p[(axis + 2) % 3] = (side & 2 ? 1 : -1) * half[(axis + 2) % 3];
                dv_vec3_store(
                    dv_vec3_add(dv_vec3_load(frame), dv_quat_rotate(dv_quat_load(frame + 3), dv_vec3_load(p))), to);
            }
    draw->ops->lines(draw, at, 12, line_pixels, draw->body);
}

/* Along a line of frames small ones; of others the box of their inertia, unless it is far larger than all there is to be seen. */
static void draw_frames(DvDraw *draw, DvNode *node, DvConstVec x, double edge, double size)
{
    enum { MOST_BOXES = 200 };
    double largest = 0;
    for (uint32_t i = 0; edge == 0 && i < x.count && i < MOST_BOXES; i++) {
        double half[3];
        if (!extent_of(node, x.count, i, half) || fmax(half[0], fmax(half[1], half[2])) > size)
            continue;
        draw_box(draw, x.at + 7 * (size_t)i, half);
        largest = fmax(largest, fmax(half[0], fmax(half[1], half[2])));
    }
    draw->ops->frames(draw, x.at, x.count, edge > 0 ? 0.3 * edge : largest > 0 ? 1.2 * largest : 0.05 * size);
}

bool bodies_draw(Bodies *bodies, DvDraw *draw, DvNode *node, double size)
{
    DvObject *state = dv_node_slot(node, DV_STATE), *mesh = dv_node_context(node, DV_TOPOLOGY);
    if (!state || !dv_object_is_valid(state))
        return false;
    const DvStateRef ref = dv_state_ref(state);
    const DvConstVec x = dv_state_read(ref, DV_POSITION);
    const DvTopologyOps *ops = mesh && dv_object_is_valid(mesh) ? dv_object_ops(mesh, DV_TOPOLOGY) : NULL;
    if (ops && dv_object_node(mesh) != node && ops->point_count(dv_object_self(mesh)) != x.count)
        ops = NULL;
    double *points = dv_points_in_space(x, ref.dof->spatial);
    const bool skinned = ops && draw_skin(skin_of(bodies, mesh, ops), draw, points, x.count, size);
    if (!skinned && x.count > 0) {
        const bool frames = ref.dof == &dv_rigid3d;
        const DvElements edges = ops ? ops->elements(dv_object_self(mesh), DV_EDGES) : (DvElements){NULL, 0};
        const double edge = draw_lines(draw, edges, points, x.count, !frames);
        if (frames)
            draw_frames(draw, node, x, edge, size);
        else
            draw->ops->points(draw, points, x.count, point_pixels, draw->body);
    }
    dv_free(points);
    return skinned;
}
