/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finding the element a point hangs on; see barycentric_location.h.
 *
 * The exhaustive search rejects an element by the box of the region where d <= 0 and computes scores only inside boxes: the winner
 * is the same. The hashed search looks at the same cells in the same order as an exact map from cells to elements would.
 */
#include "location_search.h"

/* How flat an element may be, |det| / (|b1| |b2| |b3|): below FLATTEST its local coordinates are noise; below FLAT rounding may
 * move d = 0 by more than the margin of its box. */
static const double FLATTEST = 1e-14, FLAT = 1e-6;

const uint32_t *location_element_nodes(const DvLocationMesh *mesh, uint32_t element, DvElementKind *kind)
{
    uint32_t list = 0;
    while (element >= mesh->lists[list].elements.count) {
        element -= mesh->lists[list].elements.count;
        list++;
    }
    *kind = mesh->lists[list].kind;
    return mesh->lists[list].elements.at + (size_t)element * dv_element_nodes(*kind);
}

static uint32_t element_count(const DvLocationMesh *mesh)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < mesh->list_count; i++)
        count += mesh->lists[i].elements.count;
    return count;
}

/* The box around x0 + [0, 1] b1 + [0, 1] b2 + [0, 1] b3, of surfaces with 0.01 b3 on both sides, a little larger. */
static Box box_around(DvElementKind kind, DvVec3 origin, DvVec3 b1, DvVec3 b2, DvVec3 b3)
{
    const DvVec3 zero = dv_vec3_zero();
    Box box;
    if (kind == DV_TRIANGLES || kind == DV_QUADS) {
        const DvVec3 height = dv_vec3_max(dv_vec3_scale(b3, 0.01), dv_vec3_scale(b3, -0.01));
        box.lower = dv_vec3_sub(dv_vec3_add(dv_vec3_min(zero, b1), dv_vec3_min(zero, b2)), height);
        box.upper = dv_vec3_add(dv_vec3_add(dv_vec3_max(zero, b1), dv_vec3_max(zero, b2)), height);
    } else if (kind == DV_TETRAHEDRA) {
        box.lower = dv_vec3_min(dv_vec3_min(zero, b1), dv_vec3_min(b2, b3));
        box.upper = dv_vec3_max(dv_vec3_max(zero, b1), dv_vec3_max(b2, b3));
    } else {
        box.lower = dv_vec3_add(dv_vec3_add(dv_vec3_min(zero, b1), dv_vec3_min(zero, b2)), dv_vec3_min(zero, b3));
        box.upper = dv_vec3_add(dv_vec3_add(dv_vec3_max(zero, b1), dv_vec3_max(zero, b2)), dv_vec3_max(zero, b3));
    }
    const double margin = 1e-6 * dv_vec3_norm(dv_vec3_sub(box.upper, box.lower)) + 1e-9 * dv_vec3_norm(origin);
    const DvVec3 around = dv_vec3(margin, margin, margin);
    box.lower = dv_vec3_sub(dv_vec3_add(origin, box.lower), around);
    box.upper = dv_vec3_add(dv_vec3_add(origin, box.upper), around);
    return box;
}

static void make_frame(const DvLocationMesh *mesh, uint32_t element, Frame *frame, Box *box)
{
    /* Nodes at the ends of b1, b2, b3 (surfaces: b1 x b2), by element kind. */
    static const uint8_t base[DV_ELEMENT_KINDS][3] = {
        [DV_TRIANGLES] = {1, 2, 0}, [DV_QUADS] = {1, 3, 0}, [DV_TETRAHEDRA] = {1, 2, 3}, [DV_HEXAHEDRA] = {1, 3, 4}};
    const uint32_t *nodes = location_element_nodes(mesh, element, &frame->kind);
    const uint32_t n = dv_element_nodes(frame->kind);
    frame->usable = false;
    *box = (Box){dv_vec3(INFINITY, INFINITY, INFINITY), dv_vec3(-INFINITY, -INFINITY, -INFINITY)};
    for (uint32_t k = 0; k < n; k++)
        if (nodes[k] >= mesh->point_count)
            return; /* left over from a removed point */

    DvVec3 sum = point_at(mesh, nodes[0]);
    frame->origin = sum;
    for (uint32_t k = 1; k < n; k++)
        sum = dv_vec3_add(sum, point_at(mesh, nodes[k]));
    frame->center = dv_vec3(sum.x / n, sum.y / n, sum.z / n);
    const uint8_t *to = base[frame->kind];
    const DvVec3 b1 = dv_vec3_sub(point_at(mesh, nodes[to[0]]), frame->origin);
    const DvVec3 b2 = dv_vec3_sub(point_at(mesh, nodes[to[1]]), frame->origin);
    const DvVec3 b3 = to[2] ? dv_vec3_sub(point_at(mesh, nodes[to[2]]), frame->origin) : dv_vec3_cross(b1, b2);
    const double det = dv_mat3_inverse(dv_mat3_from_columns(b1, b2, b3), &frame->inverse);
    const double flatness = fabs(det) / (dv_vec3_norm(b1) * dv_vec3_norm(b2) * dv_vec3_norm(b3));
    if (!(flatness > FLATTEST))
        return;
    frame->usable = true;
    *box = flatness > FLAT ? box_around(frame->kind, frame->origin, b1, b2, b3)
                           : (Box){dv_vec3(-INFINITY, -INFINITY, -INFINITY), dv_vec3(INFINITY, INFINITY, INFINITY)};
}

void location_in_all(const Search *s, DvVec3 p, DvLocation *best)
{
    double best_score = INFINITY;
    *best = (DvLocation){DV_NO_ELEMENT, {0.0, 0.0, 0.0}};
    for (uint32_t e = 0; e < s->count; e++)
        if (box_holds(&s->boxes[e], p))
            compare(&s->frames[e], e, p, best, &best_score);
    if (best_score <= 0.0)
        return;
    best_score = INFINITY;
    for (uint32_t e = 0; e < s->count; e++) {
        const Frame *frame = &s->frames[e];
        const double score = frame->usable ? dv_vec3_norm_squared(dv_vec3_sub(p, frame->center)) : INFINITY;
        if (score < best_score) {
            best_score = score;
            best->element = e;
        }
    }
    if (best->element != DV_NO_ELEMENT)
        best->at = local_coordinates(&s->frames[best->element], p);
}

void location_in_all_chunk(void *context, uint32_t begin, uint32_t end)
{
    const Search *s = context;
    for (uint32_t i = begin; i < end; i++)
        location_in_all(s, point_to_locate(s, i), &s->out[i]);
}

void location_search_begin(Search *s, const DvLocationMesh *mesh, DvLocationPoints points, DvLocation *out)
{
    *s = (Search){.mesh = mesh, .points = points, .out = out, .count = element_count(mesh)};
    s->frames = dv_alloc(s->count, sizeof *s->frames);
    s->boxes = dv_alloc(s->count, sizeof *s->boxes);
    for (uint32_t e = 0; e < s->count; e++)
        make_frame(mesh, e, &s->frames[e], &s->boxes[e]);
}

void location_search_end(Search *s)
{
    dv_free(s->frames);
    dv_free(s->boxes);
}

void dv_locate_in_all(const DvLocationMesh *mesh, DvLocationPoints points, DvLocation *out)
{
    Search s;
    location_search_begin(&s, mesh, points, out);
    dv_parallel_for(points.count, DV_POINTS_PER_CHUNK, location_in_all_chunk, &s);
    location_search_end(&s);
}

/* ---- Edges and grids */

/* Share of the second node at the foot of the perpendicular from p; 0 on an edge without length. False when it has no points. */
static bool edge_share(const DvLocationMesh *mesh, uint32_t edge, DvVec3 p, double *share, double *distance_squared)
{
    const uint32_t *nodes = mesh->lists[0].elements.at + 2 * (size_t)edge;
    if (nodes[0] >= mesh->point_count || nodes[1] >= mesh->point_count)
        return false;
    const DvVec3 x0 = point_at(mesh, nodes[0]), along = dv_vec3_sub(point_at(mesh, nodes[1]), x0),
                 from = dv_vec3_sub(p, x0);
    const double length = dv_vec3_norm(along);
    *share = 0.0;
    if (length > 0.0) {
        const DvVec3 unit = dv_vec3(along.x / length, along.y / length, along.z / length);
        *share = dv_vec3_dot(from, unit) / length;
    }
    *distance_squared = dv_vec3_norm_squared(dv_vec3_madd(from, -fmin(fmax(*share, 0.0), 1.0), along));
    return true;
}

static void locate_on_edges(const DvLocationMesh *mesh, DvLocationPoints points, DvLocation *out, bool nearest)
{
    const uint32_t count = mesh->lists[0].elements.count;
    for (uint32_t i = 0; i < points.count; i++) {
        const DvVec3 p = dv_vec3_load(points.at + (size_t)i * points.dim);
        double best_distance = INFINITY;
        out[i] = (DvLocation){DV_NO_ELEMENT, {0.0, 0.0, 0.0}};
        for (uint32_t e = 0; e < count; e++) {
            double share, distance;
            if (!edge_share(mesh, e, p, &share, &distance) || (nearest && !(distance < best_distance)))
                continue;
            best_distance = distance;
            out[i] = (DvLocation){e, {share, 0.0, 0.0}};
            if (!nearest && share >= 0.0 && share <= 1.0)
                break;
        }
    }
}

void dv_locate_on_first_edge(const DvLocationMesh *mesh, DvLocationPoints points, DvLocation *out)
{
    locate_on_edges(mesh, points, out, false);
}

void dv_locate_on_nearest_edge(const DvLocationMesh *mesh, DvLocationPoints points, DvLocation *out)
{
    locate_on_edges(mesh, points, out, true);
}

bool dv_locate_in_grid(const DvGridShape *shape, DvLocationPoints points, DvLocation *out)
{
    const uint32_t *n = shape->n;
    if (n[0] < 2 || n[1] < 2 || n[2] < 2)
        return false;
    for (uint32_t i = 0; i < points.count; i++) {
        const double *p = points.at + (size_t)i * points.dim;
        double cell[3], fraction[3];
        for (uint32_t k = 0; k < 3; k++) {
            const double step = shape->step[k];
            const double x = step != 0.0 ? (p[k] - shape->min[k]) * step / (step * step) : 0.0;
            /* Outside, the nearest cell extrapolates. */
            cell[k] = fmin(fmax(floor(x), 0.0), n[k] - 2.0);
            fraction[k] = x - cell[k];
        }
        const uint32_t ix = (uint32_t)cell[0], iy = (uint32_t)cell[1], iz = (uint32_t)cell[2];
        out[i] = (DvLocation){ix + (n[0] - 1) * (iy + (n[1] - 1) * iz), {fraction[0], fraction[1], fraction[2]}};
    }
    return true;
}

/* ---- Weights */

static const uint8_t rows_of_hexahedron[8] = {0, 1, 3, 2, 4, 5, 7, 6}, rows_of_quad[4] = {0, 1, 3, 2};
static const uint8_t in_order[8] = {0, 1, 2, 3, 4, 5, 6, 7};

static void hexahedron_weights(DvVec3 v, double w[8])
{
    const double x = v.x, y = v.y, z = v.z;
    w[0] = (1.0 - x) * (1.0 - y) * (1.0 - z);
    w[1] = x * (1.0 - y) * (1.0 - z);
    w[2] = x * y * (1.0 - z);
    w[3] = (1.0 - x) * y * (1.0 - z);
    w[4] = (1.0 - x) * (1.0 - y) * z;
    w[5] = x * (1.0 - y) * z;
    w[6] = x * y * z;
    w[7] = (1.0 - x) * y * z;
}

uint32_t dv_location_weights(const DvLocationMesh *mesh, DvLocation location, bool by_rows, uint32_t nodes[8],
                             double weights[8])
{
    DvElementKind kind;
    const uint32_t *of_element = location_element_nodes(mesh, location.element, &kind);
    const uint32_t n = dv_element_nodes(kind);
    const DvVec3 v = location.at;
    const uint8_t *order = in_order;
    double w[8] = {0};
    switch (kind) {
    case DV_EDGES:
        w[0] = 1.0 - v.x;
        w[1] = v.x;
        break;
    case DV_TRIANGLES:
        w[0] = 1.0 - v.x - v.y;
        w[1] = v.x;
        w[2] = v.y;
        break;
    case DV_QUADS:
        w[0] = (1.0 - v.x) * (1.0 - v.y);
        w[1] = v.x * (1.0 - v.y);
        w[2] = v.x * v.y;
        w[3] = (1.0 - v.x) * v.y;
        order = by_rows ? rows_of_quad : in_order;
        break;
    case DV_TETRAHEDRA:
        w[0] = 1.0 - v.x - v.y - v.z;
        w[1] = v.x;
        w[2] = v.y;
        w[3] = v.z;
        break;
    default:
        hexahedron_weights(v, w);
        order = by_rows ? rows_of_hexahedron : in_order;
    }
    for (uint32_t k = 0; k < n; k++) {
        nodes[k] = of_element[order[k]];
        weights[k] = w[order[k]];
    }
    return n;
}

uint32_t dv_location_weights_in_grid(const DvGridShape *shape, DvLocation location, uint32_t nodes[8],
                                     double weights[8])
{
    const uint32_t nx = shape->n[0], ny = shape->n[1];
    const uint32_t ix = location.element % (nx - 1), rest = location.element / (nx - 1);
    const uint32_t first = ix + nx * (rest % (ny - 1) + ny * (rest / (ny - 1)));
    const uint32_t of_cell[8] = {first,           first + 1,           first + 1 + nx,           first + nx,
                                 first + nx * ny, first + 1 + nx * ny, first + 1 + nx + nx * ny, first + nx + nx * ny};
    double w[8];
    hexahedron_weights(location.at, w);
    for (uint32_t k = 0; k < 8; k++) {
        nodes[k] = of_cell[rows_of_hexahedron[k]];
        weights[k] = w[rows_of_hexahedron[k]];
    }
    return 8;
}
