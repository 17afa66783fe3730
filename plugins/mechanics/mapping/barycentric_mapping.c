/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * BarycentricMapping: points that hang on the elements of a mesh with constant weights.
 *
 *   x_i = sum_j w_ij x_j over the nodes j of one element;  v_i = sum_j w_ij v_j;  f_j += w_ij f_i
 *
 * When the scene starts each point of the output is located in the mesh of the input (barycentric_location.h): in a regular or sparse grid
 * by its geometry, in meshes that may change by a hash of their elements, in others by comparing all; with nearestElement in all but
 * grids on the element that is nearest. From then on only the weights count. Points whose element goes from a mesh that may change are
 * located where they are among the elements around it; the others stay on their elements, whatever numbers these have. Points that come to the
 * output are located when they are next needed, at the positions of the moment when they came: until then a copy of the input's
 * positions follows the changes. Other changes of the two meshes locate all points anew in this way. Each element knows the points that hang on it, so that
 * an edit costs what it touches.
 *
 * Outputs that are rigid bodies take the position only; their orientation stays, forces on it are lost. In a mesh of tetrahedra that
 * may change they also turn with their tetrahedron: the orientation is the rotation of the polar decomposition of the deformed axes
 * A = M O (M: edges x1-x0, x2-x0, x3-x0; O: the initial axes in local coordinates). Its rate is w = R G^-1 axl(R^T dA - dA^T R),
 * G = tr(S) I - S, S = R^T A (Chen and Wheeler, Derivatives of the polar decomposition, 1993); the derivative of that is left out.
 */
#include "barycentric_location.h"
#include <divan/kit/array.h>
#include <divan/kit/mapping.h>
#include <divan/kit/ordered_hexahedra.h>
#include <divan/kit/product_at_points.h>
#include <divan/kit/weighted_rows.h>

#include <divan/contracts/drawing.h>
#include <divan/contracts/report.h>
#include <divan/element_data.h>
#include <divan/math/decompose.h>
#include <divan/math/quat.h>
#include <divan/memory.h>
#include <divan/parallel.h>
#include <divan/types/matrix.h>
#include <divan/worst.h>

#include <stdlib.h>
#include <string.h>

enum { BODIES_PER_CHUNK = 64 };

#define NO_POINT UINT32_MAX

/* A rigid body that turns with its tetrahedron. */
typedef struct TurningBody {
    uint32_t nodes[4];
    DvMat3 axes;     /* O: unit columns */
    DvMat3 rotation; /* R of the last apply */
    DvMat3 spin;     /* R G^-1 of the last apply; zero where the rotation is not defined */
} TurningBody;

/* Points that hang elsewhere than on the nearest element. */
typedef struct Elsewhere {
    uint32_t count, worst; /* worst: the one that is farthest from there */
    double farthest;
} Elsewhere;

typedef struct BarycentricMapping {
    DvSingleMapping base;
    DvData use_rest_position; /* bool */
    DvData nearest_element;   /* bool */
    DvLink input_topology, output_topology;
    DvData row_start, row_nodes, row_weights, turning_axes; /* state of a run: DvWeightedRows and O of each body */

    DvOrderedHexahedra order;              /* of the input's elements */
    DvTopologyRef in_mesh, out_mesh;       /* ops NULL: there is none; revision: at the last location */
    uint32_t located, located_in;          /* points of the output and of the input then */
    bool ready;                            /* the rows are valid */
    DvElementData watch[DV_ELEMENT_KINDS]; /* of a mesh that may change; of points: positions before the first change */
    bool changed, copied;      /* the mesh has changed since the last location; the positions were copied then */
    bool replaced;             /* the mesh is another one as a whole: points are located as when the scene started */
    uint32_t *hangs;           /* [located] element of each point; NULL: not all are known, or it does not matter */
    DvElementKind kind;        /* of these */
    uint32_t *rider;           /* [elements] the first point that hangs on each, NO_POINT: none */
    uint32_t *next, *previous; /* [located] others on the same element */
    uint32_t rider_room, elements, hang_room;
    DvIndexArray touched; /* points whose rows are not yet those of `hangs` */
    bool renumbered;      /* all are such points */
    uint32_t coming;      /* points of the output behind those located: these come */
    DvElementData output; /* points of the output's mesh, where it is another one that may change */
    Elsewhere elsewhere;  /* when the scene started */
    DvWorst far, jumping; /* likewise */
    DvWeightedRows rows;
    TurningBody *bodies; /* [rows.rows]; NULL unless the bodies turn */
} BarycentricMapping;

static const DvField fields[] = {
    DV_SINGLE_MAPPING_FIELDS(BarycentricMapping),
    DV_FIELD(BarycentricMapping, use_rest_position, "useRestPosition", dv_type_bool, .init = "0",
             .help = "locate the rest positions of the output in those of the input, not the present ones"),
    DV_FIELD(
        BarycentricMapping, nearest_element, "nearestElement", dv_type_bool, .init = "0",
        .help =
            "hang each point on the element nearest to it, with the coordinates of that element, in any unit of length. By "
            "default the element with the nearest centre is taken when the point is inside none, and inside a "
            "triangle or quad is what is at most 0.01 times twice its area above it, in the numbers of the scene"),
    DV_LINK(BarycentricMapping, input_topology, "input_topology", DV_TOPOLOGY,
            .help = "mesh of the input; by default that of its node or above"),
    DV_LINK(BarycentricMapping, output_topology, "output_topology", DV_TOPOLOGY,
            .help =
                "mesh of the output; by default that of its node or above; points that come to it are located then"),
    DV_FIELD_HELD("mapper", dv_type_string, .flags = DV_FIELD_HIDDEN,
                  .help = "kept for old scenes: the mesh of the input decides how points are located"),
    DV_FIELD(BarycentricMapping, row_start, "rowStart", dv_type_uints, .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN,
             .help = "for each point, where its nodes start"),
    DV_FIELD(BarycentricMapping, row_nodes, "rowNodes", dv_type_uints, .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN,
             .help = "points of the input that each point hangs on"),
    DV_FIELD(BarycentricMapping, row_weights, "rowWeights", dv_type_doubles, .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN,
             .help = "their weights"),
    DV_FIELD(BarycentricMapping, turning_axes, "turningAxes", dv_type_mat3s, .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN,
             .help = "axes of each rigid body in the coordinates of its tetrahedron"),
    {0},
};

/* ---- Locating */

/* Rows as they are built, point by point. */
typedef struct RowBuilder {
    uint32_t *start, *nodes;
    double *weights;
    uint32_t rows, entries;
} RowBuilder;

static RowBuilder builder_new(uint32_t rows)
{
    return (RowBuilder){.start = dv_alloc((size_t)rows + 1, sizeof(uint32_t)),
                        .nodes = dv_alloc((size_t)rows * 8, sizeof(uint32_t)),
                        .weights = dv_alloc((size_t)rows * 8, sizeof(double))};
}

static void builder_add(RowBuilder *b, uint32_t count)
{
    b->entries += count;
    b->start[++b->rows] = b->entries;
}

static void builder_free(RowBuilder *b)
{
    dv_free(b->start);
    dv_free(b->nodes);
    dv_free(b->weights);
}

static DvElements elements_of(const BarycentricMapping *self, DvElementKind kind)
{
    if (kind != DV_HEXAHEDRA || !self->order.nodes)
        return dv_topology_elements(&self->in_mesh, kind);
    return dv_ordered_hexahedra_follow((DvOrderedHexahedra *)(uintptr_t)&self->order, &self->in_mesh,
                                       dv_state_read(self->base.in, DV_POSITION));
}

static void add_list(const BarycentricMapping *self, LocationMesh *mesh, DvElementKind kind)
{
    const DvElements elements = elements_of(self, kind);
    if (elements.count)
        mesh->lists[mesh->list_count++] = (ElementList){kind, elements};
}

/* What to search in a mesh that does not change: volumes, else surfaces, else edges. */
static void choose_fixed_lists(const BarycentricMapping *self, LocationMesh *mesh)
{
    add_list(self, mesh, DV_TETRAHEDRA);
    add_list(self, mesh, DV_HEXAHEDRA);
    if (mesh->list_count == 0) {
        add_list(self, mesh, DV_TRIANGLES);
        add_list(self, mesh, DV_QUADS);
    }
    if (mesh->list_count == 0)
        add_list(self, mesh, DV_EDGES);
}

/* In a mesh that may change: the first kind it has. */
static void choose_changing_list(const BarycentricMapping *self, LocationMesh *mesh)
{
    static const DvElementKind kinds[] = {DV_HEXAHEDRA, DV_TETRAHEDRA, DV_QUADS, DV_TRIANGLES, DV_EDGES};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && mesh->list_count == 0; i++)
        add_list(self, mesh, kinds[i]);
}

static void choose_lists(const BarycentricMapping *self, LocationMesh *mesh)
{
    if (self->in_mesh.ops->is_dynamic(self->in_mesh.self))
        choose_changing_list(self, mesh);
    if (mesh->list_count == 0)
        choose_fixed_lists(self, mesh);
}

static DvStatus check_elements(const BarycentricMapping *self, const LocationMesh *mesh)
{
    for (uint32_t i = 0; i < mesh->list_count; i++) {
        const DvElements elements = mesh->lists[i].elements;
        const uint32_t n = dv_element_nodes(mesh->lists[i].kind);
        const size_t corners = (size_t)elements.count * n;
        size_t k = 0;
        while (k < corners && elements.at[k] < mesh->point_count)
            k++;
        if (k == corners)
            continue;
        DvText text = {0};
        dv_text_add_missing(&text, "point", elements.at[k], "the state", mesh->point_count, elements.at, corners);
        const DvStatus status =
            dv_error(dv_object_of(self), DV_ERROR_INVALID, "element %zu of the input's topology: %s", k / n, text.at);
        dv_text_free(&text);
        return status;
    }
    return DV_OK;
}

static DvStatus check_points(const BarycentricMapping *self, LocationPoints points)
{
    for (uint32_t i = 0; i < points.count; i++)
        for (uint32_t k = 0; k < 3; k++)
            if (!isfinite(points.at[(size_t)i * points.dim + k]))
                return dv_error(dv_object_of(self), DV_ERROR_NOT_FINITE,
                                "point %u of the output cannot be located: its position is not a number", i);
    return DV_OK;
}

/* O of a body: the columns of its rotation in the local coordinates of its tetrahedron, brought to unit length. */
static void make_body(TurningBody *body, const LocationMesh *mesh, const uint32_t nodes[4], const double *coord)
{
    memcpy(body->nodes, nodes, sizeof body->nodes);
    DvVec3 x[4];
    for (uint32_t k = 0; k < 4; k++)
        x[k] = dv_vec3_load(mesh->points + 3 * (size_t)nodes[k]);
    DvMat3 local = dv_mat3_identity();
    (void)dv_mat3_inverse(
        dv_mat3_from_columns(dv_vec3_sub(x[1], x[0]), dv_vec3_sub(x[2], x[0]), dv_vec3_sub(x[3], x[0])), &local);
    const DvMat3 axes = dv_mat3_mul(local, dv_quat_to_matrix(dv_quat_load(coord + 3)));
    body->axes =
        dv_mat3_from_columns(dv_vec3_normalize(dv_mat3_column(axes, 0)), dv_vec3_normalize(dv_mat3_column(axes, 1)),
                             dv_vec3_normalize(dv_mat3_column(axes, 2)));
}

/* Takes the rows from the state fields: after locating, and after a saved run was put back. */
static void take_rows(BarycentricMapping *self)
{
    size_t starts, entries, weights, axes;
    const uint32_t *row_start = dv_data_uints(&self->row_start, &starts);
    const uint32_t *nodes = dv_data_uints(&self->row_nodes, &entries);
    const double *weight = dv_data_doubles(&self->row_weights, &weights);
    const double *axis = dv_data_doubles(&self->turning_axes, &axes);
    dv_free(self->bodies);
    self->bodies = NULL;
    self->ready = starts > 0 && row_start[0] == 0 && row_start[starts - 1] == entries && entries == weights;
    for (size_t i = 1; self->ready && i < starts; i++)
        self->ready = row_start[i - 1] <= row_start[i];
    if (!self->ready)
        return;
    const uint32_t rows = (uint32_t)starts - 1;
    dv_weighted_rows_set(&self->rows, rows, row_start, nodes, weight);
    if (axes != rows || rows == 0 || self->rows.row_length != 4)
        return;
    self->bodies = dv_alloc(rows, sizeof *self->bodies);
    for (uint32_t i = 0; i < rows; i++) {
        memcpy(self->bodies[i].nodes, nodes + 4 * (size_t)i, sizeof self->bodies[i].nodes);
        self->bodies[i].axes = dv_mat3_load(axis + 9 * (size_t)i);
        self->bodies[i].rotation = dv_mat3_identity();
    }
}

/* ---- Which points hang on an element ---- */

static void get_on(BarycentricMapping *self, uint32_t point, uint32_t element)
{
    const uint32_t first = self->rider[element];
    self->hangs[point] = element;
    self->previous[point] = NO_POINT;
    self->next[point] = first;
    if (first != NO_POINT)
        self->previous[first] = point;
    self->rider[element] = point;
}

static void get_off(BarycentricMapping *self, uint32_t point)
{
    const uint32_t next = self->next[point], previous = self->previous[point];
    if (next != NO_POINT)
        self->previous[next] = previous;
    if (previous != NO_POINT)
        self->next[previous] = next;
    else
        self->rider[self->hangs[point]] = next;
}

static void make_room_for_riders(BarycentricMapping *self, uint32_t elements)
{
    if (elements > self->rider_room) {
        const uint32_t room = elements + elements / 2;
        self->rider = dv_realloc(self->rider, self->rider_room * sizeof *self->rider, room * sizeof *self->rider);
        self->rider_room = room;
    }
    for (; self->elements < elements; self->elements++)
        self->rider[self->elements] = NO_POINT;
}

static void make_room_for_points(BarycentricMapping *self, uint32_t points)
{
    const uint32_t old = self->hang_room, room = points + points / 2;
    uint32_t **lists[] = {&self->hangs, &self->next, &self->previous};
    if (points <= old)
        return;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        *lists[i] = dv_realloc(*lists[i], old * sizeof **lists[i], room * sizeof **lists[i]);
    self->hang_room = room;
}

static void forget_elements(BarycentricMapping *self)
{
    dv_free(self->hangs);
    dv_free(self->rider);
    dv_free(self->next);
    dv_free(self->previous);
    self->hangs = self->rider = self->next = self->previous = NULL;
    self->rider_room = self->elements = self->hang_room = 0;
    self->touched.count = self->coming = 0;
    self->renumbered = false;
}

/* The elements of points that hang on all nodes of one of a mesh that may change. */
static void find_elements(BarycentricMapping *self)
{
    LocationMesh mesh = {0};
    const DvTopologyRef *in = &self->in_mesh;
    if (!self->ready || self->bodies || self->rows.rows == 0 || self->rows.rows != self->located ||
        !self->watch[DV_POINTS].topology || (in->ops->grid && in->ops->grid(in->self, &(DvGridShape){0})) ||
        dv_object_ops(in->object, DV_SPARSE_GRID))
        return;
    choose_changing_list(self, &mesh);
    self->kind = mesh.list_count ? mesh.lists[0].kind : DV_POINTS;
    const uint32_t nodes = dv_element_nodes(self->kind);
    if (self->kind == DV_POINTS || self->rows.row_length != nodes)
        return;
    const DvAdjacency around = in->ops->adjacency(in->self, DV_POINTS, self->kind);
    make_room_for_points(self, self->rows.rows);
    make_room_for_riders(self, mesh.lists[0].elements.count);
    for (uint32_t i = 0; i < self->rows.rows; i++) {
        const uint32_t *node = self->rows.column + (size_t)i * nodes;
        uint32_t at = node[0] < around.count ? around.begin[node[0]] : 0;
        const uint32_t end = node[0] < around.count ? around.end[node[0]] : 0;
        while (at < end &&
               memcmp(mesh.lists[0].elements.at + (size_t)around.items[at] * nodes, node, nodes * sizeof *node) != 0)
            at++;
        if (at == end) {
            forget_elements(self);
            return;
        }
        get_on(self, i, around.items[at]);
    }
}

/* ---- Points that hang on what goes */

static bool is_gone(const DvElementChange *change, uint32_t element)
{
    uint32_t low = 0, high = change->count; /* from the largest down */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (change->indices[middle] > element)
            low = middle + 1;
        else
            high = middle;
    }
    return low < change->count && change->indices[low] == element;
}

static void add_once(DvIndexArray *numbers, uint32_t number)
{
    for (uint32_t i = 0; i < numbers->count; i++)
        if (numbers->data[i] == number)
            return;
    dv_array_push(numbers, number);
}

/* Elements that stay around one that goes; when there are none, around those that go with it. */
static void find_neighbours(const BarycentricMapping *self, const DvElementChange *change, uint32_t gone,
                            DvIndexArray *left)
{
    const uint32_t nodes = dv_element_nodes(self->kind);
    const DvElements list = elements_of(self, self->kind);
    const DvAdjacency around = self->in_mesh.ops->adjacency(self->in_mesh.self, DV_POINTS, self->kind);
    DvIndexArray going = {0};
    add_once(&going, gone);
    left->count = 0;
    for (uint32_t i = 0, ring = 1; i < going.count; i++) {
        if (i == ring) { /* all that share a point with those before have been seen */
            if (left->count > 0)
                break;
            ring = going.count;
        }
        for (uint32_t k = 0; k < nodes; k++) {
            const uint32_t node = list.at[(size_t)going.data[i] * nodes + k];
            for (uint32_t at = node < around.count ? around.begin[node] : 0;
                 node < around.count && at < around.end[node]; at++)
                add_once(is_gone(change, around.items[at]) ? &going : left, around.items[at]);
        }
    }
    dv_array_free(&going);
}

/* The best of some elements for each of some points, as for those of a whole mesh. */
static bool locate_among(const BarycentricMapping *self, const double *x, uint32_t x_count,
                         const DvIndexArray *elements, LocationPoints points, double *weights, uint32_t *element)
{
    const uint32_t nodes = dv_element_nodes(self->kind);
    const DvElements all = elements_of(self, self->kind);
    uint32_t *list = dv_alloc((size_t)elements->count * nodes, sizeof *list);
    for (uint32_t i = 0; i < elements->count; i++)
        memcpy(list + (size_t)i * nodes, all.at + (size_t)elements->data[i] * nodes, nodes * sizeof *list);
    const LocationMesh mesh = {
        .points = x, .point_count = x_count, .lists = {{self->kind, {list, elements->count}}}, .list_count = 1};
    Location *found = dv_alloc(points.count, sizeof *found);
    if (self->kind == DV_EDGES)
        locate_on_nearest_edge(&mesh, points, found);
    else if (dv_data_bool((DvData *)(uintptr_t)&self->nearest_element))
        locate_on_nearest(&mesh, points, found);
    else
        locate_in_all(&mesh, points, found);
    bool all_found = true;
    for (uint32_t i = 0; i < points.count && all_found; i++) {
        uint32_t node[8];
        all_found = found[i].element != NO_ELEMENT &&
                    location_weights(&mesh, found[i], false, node, weights + (size_t)i * nodes) == nodes;
        element[i] = all_found ? elements->data[found[i].element] : NO_ELEMENT;
    }
    dv_free(found);
    dv_free(list);
    return all_found;
}

typedef struct Orphan {
    uint32_t element, row;
} Orphan;

static int by_element(const void *a, const void *b)
{
    const Orphan *left = a, *right = b;
    if (left->element != right->element)
        return left->element < right->element ? -1 : 1;
    return left->row < right->row ? -1 : left->row > right->row;
}

/* Points of one element that goes. False: nothing is left around it. */
static bool rehang(BarycentricMapping *self, const DvElementChange *change, const Orphan *orphans, uint32_t count)
{
    const uint32_t nodes = dv_element_nodes(self->kind);
    const DvConstVec in = dv_state_read(self->base.in, DV_POSITION), out = dv_state_read(self->base.out, DV_POSITION);
    DvIndexArray left = {0};
    find_neighbours(self, change, orphans[0].element, &left);
    double *at = dv_alloc(count, 3 * sizeof *at), *weights = dv_alloc((size_t)count * 8, sizeof *weights);
    uint32_t *element = dv_alloc(count, sizeof *element);
    for (uint32_t i = 0; i < count; i++)
        memcpy(at + 3 * (size_t)i, out.at + (size_t)orphans[i].row * out.dim, 3 * sizeof *at);
    const bool found =
        left.count > 0 && locate_among(self, in.at, in.count, &left, (LocationPoints){at, count, 3}, weights, element);
    double *row_weights = dv_data_begin(&self->row_weights, self->row_weights.count);
    for (uint32_t i = 0; i < count && found; i++) {
        memcpy(row_weights + (size_t)orphans[i].row * nodes, weights + (size_t)i * nodes, nodes * sizeof *weights);
        get_off(self, orphans[i].row);
        get_on(self, orphans[i].row, element[i]);
        dv_array_push(&self->touched, orphans[i].row);
    }
    dv_data_end(&self->row_weights);
    dv_array_free(&left);
    dv_free(at);
    dv_free(weights);
    dv_free(element);
    return found;
}

/* Elements are about to go. False: some points have to be looked for in the whole mesh. */
static bool leave_elements(BarycentricMapping *self, const DvElementChange *change)
{
    const DvConstVec in = dv_state_read(self->base.in, DV_POSITION), out = dv_state_read(self->base.out, DV_POSITION);
    const uint32_t before = change->total + change->count;
    if (!in.at || !out.at || in.count < self->rows.columns || out.count < self->located)
        return false;
    uint32_t count = 0;
    for (uint32_t i = 0; i < change->count; i++)
        for (uint32_t p = self->rider[change->indices[i]]; p != NO_POINT; p = self->next[p])
            count++;
    Orphan *orphans = dv_alloc(count, sizeof *orphans);
    count = 0;
    for (uint32_t i = 0; i < change->count; i++)
        for (uint32_t p = self->rider[change->indices[i]]; p != NO_POINT; p = self->next[p])
            orphans[count++] = (Orphan){change->indices[i], p};
    if (count)
        qsort(orphans, count, sizeof *orphans, by_element);
    bool found = true;
    for (uint32_t i = 0, next; i < count && found; i = next) {
        for (next = i + 1; next < count && orphans[next].element == orphans[i].element;)
            next++;
        found = rehang(self, change, orphans + i, next - i);
    }
    for (uint32_t i = 0; i < change->count && found; i++) { /* nothing hangs on those that go */
        const uint32_t gone = change->indices[i], last = before - 1 - i;
        if (gone == last)
            continue;
        self->rider[gone] = self->rider[last];
        for (uint32_t p = self->rider[gone]; p != NO_POINT; p = self->next[p]) {
            self->hangs[p] = gone;
            dv_array_push(&self->touched, p);
        }
        self->rider[last] = NO_POINT;
    }
    self->elements = change->total;
    dv_free(orphans);
    return found;
}

/* Points of the output go. */
static void leave_points(BarycentricMapping *self, const DvElementChange *change)
{
    const uint32_t nodes = dv_element_nodes(self->kind), before = self->located;
    double *weights = dv_data_begin(&self->row_weights, (size_t)before * nodes);
    for (uint32_t i = 0; i < change->count; i++) {
        const uint32_t gone = change->indices[i], last = before - 1 - i;
        get_off(self, gone);
        if (gone == last)
            continue;
        const uint32_t element = self->hangs[last];
        get_off(self, last);
        get_on(self, gone, element);
        dv_array_push(&self->touched, gone);
        memcpy(weights + (size_t)gone * nodes, weights + (size_t)last * nodes, nodes * sizeof *weights);
    }
    self->located = change->total;
    (void)dv_data_begin(&self->row_weights, (size_t)self->located * nodes);
    dv_data_end(&self->row_weights);
}

/* Points of the input are about to go: elements of those that take their numbers name them otherwise. */
static void touch_around(BarycentricMapping *self, const DvElementChange *change)
{
    const DvAdjacency around = self->in_mesh.ops->adjacency(self->in_mesh.self, DV_POINTS, self->kind);
    for (uint32_t point = change->total; point < change->total + change->count && point < around.count; point++)
        for (uint32_t at = around.begin[point]; at < around.end[point]; at++)
            for (uint32_t p = self->rider[around.items[at]]; p != NO_POINT; p = self->next[p])
                dv_array_push(&self->touched, p);
}

static int ascending(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

/* Each once. */
static void sort_touched(BarycentricMapping *self)
{
    DvIndexArray *touched = &self->touched;
    uint32_t kept = 0;
    if (touched->count)
        qsort(touched->data, touched->count, sizeof *touched->data, ascending);
    for (uint32_t i = 0; i < touched->count && touched->data[i] < self->located; i++)
        if (i == 0 || touched->data[i] != touched->data[i - 1])
            touched->data[kept++] = touched->data[i];
    touched->count = kept;
}

/* The rows of `hangs`, with the numbers that nodes have now, where something was touched. */
static void take_new_rows(BarycentricMapping *self)
{
    const uint32_t nodes = dv_element_nodes(self->kind), before = self->rows.rows;
    const DvElements list = elements_of(self, self->kind);
    if (self->renumbered) {
        self->touched.count = 0;
        for (uint32_t i = 0; i < self->located; i++)
            dv_array_push(&self->touched, i);
    }
    sort_touched(self);
    uint32_t *row = dv_data_begin(&self->row_nodes, (size_t)self->located * nodes);
    for (uint32_t i = 0; i < self->touched.count; i++) {
        const uint32_t point = self->touched.data[i];
        memcpy(row + (size_t)point * nodes, list.at + (size_t)self->hangs[point] * nodes, nodes * sizeof *row);
    }
    dv_data_end(&self->row_nodes);
    uint32_t *start = dv_data_begin(&self->row_start, (size_t)self->located + 1);
    for (uint32_t i = before; i < self->located; i++)
        start[i + 1] = start[i] + nodes;
    dv_data_end(&self->row_start);
    size_t numbers;
    dv_weighted_rows_change(&self->rows, self->located, self->touched.data, self->touched.count,
                            dv_data_uints(&self->row_nodes, &numbers), dv_data_doubles(&self->row_weights, &numbers));
    self->touched.count = 0;
    self->renumbered = false;
}

/* ---- Changes of the meshes */

static void copy_positions(BarycentricMapping *self)
{
    DvElementData *points = &self->watch[DV_POINTS];
    const DvConstVec in = dv_state_read(self->base.in, DV_POSITION);
    self->copied = in.at && in.count == points->count;
    if (self->copied)
        memcpy(points->entries, in.at, (size_t)in.count * 3 * sizeof(double));
}

/* The mesh is about to change or has changed: what the points hang on now is where they have to hang afterwards. */
static void locate_later(BarycentricMapping *self)
{
    if (self->changed)
        return;
    self->changed = true;
    if (self->coming == 0) /* else there is a copy, as old as their positions */
        copy_positions(self);
}

static void mesh_changed(DvElementData *data, const DvElementChange *change)
{
    BarycentricMapping *self = data->owner;
    const bool removed = change->change == DV_ELEMENTS_REMOVED;
    if (change->replaced) { /* its lists are others already, and so are the states, or will be */
        self->changed = self->replaced = true;
        self->copied = false;
    }
    if (self->changed)
        return;
    if (!self->hangs || change->change == DV_POINTS_MOVED) {
        locate_later(self);
    } else if (change->change == DV_ELEMENTS_ADDED) { /* points stay where they are */
        if (data->kind == self->kind)
            make_room_for_riders(self, change->total);
    } else if (data->kind == self->kind) {
        if (!(removed && leave_elements(self, change)))
            locate_later(self);
    } else if (data->kind == DV_POINTS) {
        if (removed)
            touch_around(self, change);
        else
            self->renumbered = true;
    }
}

static void output_changed(DvElementData *data, const DvElementChange *change)
{
    BarycentricMapping *self = data->owner;
    if (self->changed || change->without_states)
        return;
    const bool removed = change->change == DV_ELEMENTS_REMOVED, added = change->change == DV_ELEMENTS_ADDED;
    if (self->hangs && removed && self->coming == 0 && change->total + change->count == self->located) {
        leave_points(self, change);
    } else if (self->hangs && added && change->total - change->count == self->located + self->coming) {
        if (self->coming == 0)
            copy_positions(self);
        self->coming += change->count;
    } else {
        locate_later(self);
    }
}

static DvStatus watch_output(BarycentricMapping *self)
{
    const DvTopologyRef *mesh = &self->out_mesh;
    if (!mesh->ops || mesh->object == self->in_mesh.object || !mesh->ops->is_dynamic(mesh->self))
        return DV_OK;
    self->output = (DvElementData){.kind = DV_POINTS, .owner = self, .changed = output_changed};
    return dv_element_data_attach(&self->output, mesh->object);
}

static DvStatus watch_mesh(BarycentricMapping *self)
{
    DvStatus status = DV_OK;
    for (uint32_t kind = 0; kind < DV_ELEMENT_KINDS && status == DV_OK; kind++) {
        DvElementData *watch = &self->watch[kind];
        *watch = (DvElementData){.kind = (DvElementKind)kind, .owner = self, .changed = mesh_changed};
        if (kind == DV_POINTS) {
            watch->entry_size = 3 * sizeof(double);
            watch->interpolate = true;
        }
        status = dv_element_data_attach(watch, self->in_mesh.object);
    }
    return status;
}

static void remember_meshes(BarycentricMapping *self)
{
    (void)dv_topology_changed(&self->in_mesh);
    (void)dv_topology_changed(&self->out_mesh);
    (void)dv_topology_rewritten(&self->in_mesh);
    (void)dv_topology_rewritten(&self->out_mesh);
    self->located = dv_state_count(self->base.out);
    self->located_in = dv_state_count(self->base.in);
    self->changed = self->copied = self->replaced = false;
    forget_elements(self);
}

static DvVec3 place_of(const double *points, const uint32_t *nodes, const double *weights, uint32_t count)
{
    DvVec3 place = dv_vec3_zero();
    for (uint32_t k = 0; k < count; k++)
        place = dv_vec3_madd(place, weights[k], dv_vec3_load(points + 3 * (size_t)nodes[k]));
    return place;
}

/* How many points would hang elsewhere on the nearest element, of a mesh of surfaces or volumes. */
static void compare_with_nearest(BarycentricMapping *self, const LocationMesh *mesh, LocationPoints points,
                                 const RowBuilder *rows)
{
    Location *nearest = dv_alloc(points.count, sizeof *nearest);
    locate_on_nearest(mesh, points, nearest);
    for (uint32_t i = 0; i < points.count; i++) {
        uint32_t nodes[8];
        double weights[8];
        if (nearest[i].element == NO_ELEMENT)
            continue;
        const uint32_t count = location_weights(mesh, nearest[i], false, nodes, weights), first = rows->start[i];
        const DvVec3 there = place_of(mesh->points, nodes, weights, count);
        const DvVec3 here =
            place_of(mesh->points, rows->nodes + first, rows->weights + first, rows->start[i + 1] - first);
        const double apart = dv_vec3_distance(there, here);
        if (!(apart > 1e-6 * dv_vec3_distance(dv_vec3_load(mesh->points + 3 * (size_t)nodes[0]),
                                              dv_vec3_load(mesh->points + 3 * (size_t)nodes[1]))))
            continue;
        self->elsewhere.count++;
        if (apart > self->elsewhere.farthest) {
            self->elsewhere.farthest = apart;
            self->elsewhere.worst = i;
        }
    }
    dv_free(nearest);
}

/* The box around the nodes of a row: how far p is from it, and its diagonal. */
static double box_distance(const double *points, const uint32_t *nodes, uint32_t count, DvVec3 p, double *diagonal)
{
    DvVec3 lower = dv_vec3_load(points + 3 * (size_t)nodes[0]), upper = lower;
    for (uint32_t k = 1; k < count; k++) {
        lower = dv_vec3_min(lower, dv_vec3_load(points + 3 * (size_t)nodes[k]));
        upper = dv_vec3_max(upper, dv_vec3_load(points + 3 * (size_t)nodes[k]));
    }
    *diagonal = dv_vec3_distance(lower, upper);
    return dv_vec3_distance(p, dv_vec3_max(lower, dv_vec3_min(upper, p)));
}

/* Points that are farther from their element than it is large, and, of grids, those that will not be where they are: the state of the grid
 * has been moved, or has another shape. */
static void look_at_places(BarycentricMapping *self, const LocationMesh *mesh, LocationPoints points,
                           const RowBuilder *rows, bool grid)
{
    self->far = self->jumping = (DvWorst){0};
    for (uint32_t i = 0; i < points.count; i++) {
        const uint32_t first = rows->start[i], count = rows->start[i + 1] - first;
        const DvVec3 p = dv_vec3_load(points.at + (size_t)i * points.dim);
        if (count == 0)
            continue;
        double diagonal;
        const double distance = box_distance(mesh->points, rows->nodes + first, count, p, &diagonal);
        if (distance > diagonal)
            dv_worst_add(&self->far, i, distance);
        const DvVec3 place = place_of(mesh->points, rows->nodes + first, rows->weights + first, count);
        const double jump = grid ? dv_vec3_distance(place, p) : 0.0;
        if (jump > 1e-3 * diagonal)
            dv_worst_add(&self->jumping, i, jump);
    }
    char worst[DV_WORST_TEXT];
    if (self->far.count)
        dv_warning(
            dv_object_of(self),
            "%u of %u points are farther from the element that they hang on than it is large, by m: %s; are both "
            "states in one place, with the same translation, rotation and scale?",
            self->far.count, points.count, dv_worst_text(&self->far, worst));
    if (self->jumping.count)
        dv_warning(
            dv_object_of(self),
            "%u of %u points go elsewhere as soon as they are mapped, by m: %s; they are located in the grid as its "
            "fields say, and its state '%s' is not there: move the grid, not the state",
            self->jumping.count, points.count, dv_worst_text(&self->jumping, worst),
            dv_object_path(self->base.in.object));
}

/* Tangled hexahedra are put in order; mirrored ones need nothing. */
static void order_hexahedra(BarycentricMapping *self, LocationMesh *mesh)
{
    DvOrderedHexahedra *order = &self->order;
    order->said_mirrored = UINT32_MAX;
    for (uint32_t i = 0; i < mesh->list_count; i++)
        if (mesh->lists[i].kind == DV_HEXAHEDRA) {
            const DvElements given = dv_topology_elements(&self->in_mesh, DV_HEXAHEDRA);
            const DvConstVec x = {.at = mesh->points, .count = mesh->point_count, .dim = 3};
            mesh->lists[i].elements = dv_ordered_hexahedra_mend(order, dv_object_of(self), given, x);
            order->revision = self->in_mesh.ops->revision(self->in_mesh.self);
        }
}

/* On the elements of a mesh that is no grid. */
static void locate_on_elements(BarycentricMapping *self, const LocationMesh *mesh, DvElementKind kind, bool changing,
                               bool turning, LocationPoints points, Location *locations)
{
    if (kind == DV_EDGES && (changing || dv_data_bool(&self->nearest_element)))
        locate_on_nearest_edge(mesh, points, locations);
    else if (kind == DV_EDGES)
        locate_on_first_edge(mesh, points, locations);
    else if (dv_data_bool(&self->nearest_element))
        locate_on_nearest(mesh, points, locations);
    else if (changing && !turning)
        locate_by_hash(mesh, elements_of(self, DV_EDGES), points, locations);
    else
        locate_in_all(mesh, points, locations);
}

/* Points that have come to the output, behind the others. False: all have to be located anew. */
static bool locate_coming(BarycentricMapping *self)
{
    const uint32_t nodes = dv_element_nodes(self->kind), first = self->located, count = self->coming;
    DvConstVec in = dv_state_read(self->base.in, DV_POSITION);
    const DvConstVec out = dv_state_read(self->base.out, DV_POSITION);
    if (!in.at || !out.at || out.count != first + count)
        return false;
    if (self->copied && self->watch[DV_POINTS].count == in.count)
        in.at = self->watch[DV_POINTS].entries;
    const LocationPoints points = {out.at + (size_t)first * out.dim, count, out.dim};
    LocationMesh mesh = {.points = in.at, .point_count = in.count};
    choose_changing_list(self, &mesh);
    if (mesh.list_count == 0 || mesh.lists[0].kind != self->kind || check_points(self, points) != DV_OK)
        return false;
    Location *locations = dv_alloc(count, sizeof *locations);
    locate_on_elements(self, &mesh, self->kind, true, false, points, locations);
    make_room_for_points(self, first + count);
    double *weights = dv_data_begin(&self->row_weights, (size_t)(first + count) * nodes);
    bool found = true;
    for (uint32_t i = 0; i < count && found; i++) {
        uint32_t node[8];
        double weight[8];
        found =
            locations[i].element != NO_ELEMENT && location_weights(&mesh, locations[i], false, node, weight) == nodes;
        if (!found)
            break;
        memcpy(weights + (size_t)(first + i) * nodes, weight, nodes * sizeof *weight);
        get_on(self, first + i, locations[i].element);
        dv_array_push(&self->touched, first + i);
    }
    dv_data_end(&self->row_weights);
    dv_free(locations);
    if (found)
        self->located = first + count;
    self->coming = 0;
    self->copied = self->copied && !found;
    return found;
}

/* Locates all points and keeps the rows. `first`: when the scene starts, where mistakes of the scene are errors. */
static DvStatus locate(BarycentricMapping *self, bool first)
{
    const bool at_rest = first && dv_data_bool(&self->use_rest_position);
    DvConstVec in = dv_state_read(self->base.in, at_rest ? DV_REST_POSITION : DV_POSITION);
    const DvConstVec out = dv_state_read(self->base.out, at_rest ? DV_REST_POSITION : DV_POSITION);
    if (self->copied && self->watch[DV_POINTS].count == in.count)
        in.at = self->watch[DV_POINTS].entries;
    const LocationPoints points = {out.at, out.at ? out.count : 0, out.dim};
    remember_meshes(self);
    self->ready = false;
    DvStatus status = check_points(self, points);
    if (status != DV_OK)
        return status;

    LocationMesh mesh = {.points = in.at, .point_count = in.at ? in.count : 0};
    DvGridShape shape;
    const bool grid = self->in_mesh.ops->grid && self->in_mesh.ops->grid(self->in_mesh.self, &shape);
    const DvSparseGridOps *cells = dv_object_ops(self->in_mesh.object, DV_SPARSE_GRID);
    const bool changing = !grid && self->in_mesh.ops->is_dynamic(self->in_mesh.self);
    if (!grid)
        choose_lists(self, &mesh);
    if (first && (status = check_elements(self, &mesh)) != DV_OK)
        return status;
    order_hexahedra(self, &mesh);
    const DvElementKind kind = mesh.list_count ? mesh.lists[0].kind : DV_POINTS;
    const bool turning = changing && kind == DV_TETRAHEDRA && self->base.out.dof->rotation;

    Location *locations = dv_alloc(points.count, sizeof *locations);
    if (grid) {
        const uint64_t nodes = (uint64_t)shape.n[0] * shape.n[1] * shape.n[2];
        if (!locate_in_grid(&shape, points, locations))
            status = dv_error(dv_object_of(self), DV_ERROR_INVALID,
                              "the input's grid of %u x %u x %u points has no cells; every side needs two points",
                              shape.n[0], shape.n[1], shape.n[2]);
        else if (nodes > mesh.point_count)
            status = dv_error(dv_object_of(self), DV_ERROR_INVALID,
                              "the input's grid has %u x %u x %u points, its state only %u", shape.n[0], shape.n[1],
                              shape.n[2], mesh.point_count);
    } else if (cells) {
        for (uint32_t i = 0; i < points.count; i++) {
            double at[3];
            locations[i] = (Location){NO_ELEMENT, {0.0, 0.0, 0.0}};
            if (cells->locate(self->in_mesh.self, points.at + (size_t)i * points.dim, &locations[i].element, at))
                locations[i].at = dv_vec3_load(at);
        }
    } else if (mesh.list_count == 0) {
        dv_warning(dv_object_of(self), "the input's topology has no elements: the output keeps its positions");
    } else {
        locate_on_elements(self, &mesh, kind, changing, turning, points, locations);
    }

    RowBuilder builder = builder_new(points.count);
    TurningBody *bodies = turning && points.count ? dv_alloc(points.count, sizeof *bodies) : NULL;
    uint32_t lost = NO_ELEMENT;
    for (uint32_t i = 0; status == DV_OK && i < points.count; i++) {
        uint32_t *nodes = builder.nodes + builder.entries;
        double *weights = builder.weights + builder.entries;
        if (grid) {
            builder_add(&builder, location_weights_in_grid(&shape, locations[i], nodes, weights));
        } else if (mesh.list_count == 0) {
            builder_add(&builder, 0);
        } else if (locations[i].element == NO_ELEMENT) {
            lost = lost == NO_ELEMENT ? i : lost;
            builder_add(&builder, 0);
        } else {
            builder_add(&builder, location_weights(&mesh, locations[i], !changing, nodes, weights));
            if (bodies)
                make_body(&bodies[i], &mesh, nodes, points.at + (size_t)i * points.dim);
        }
    }
    if (status == DV_OK && lost != NO_ELEMENT)
        status =
            dv_error(dv_object_of(self), DV_ERROR_INVALID,
                     "point %u of the output finds no element: all elements of the input's topology are flat", lost);
    self->elsewhere = (Elsewhere){0};
    if (status == DV_OK && first)
        look_at_places(self, &mesh, points, &builder, grid || cells);
    if (status == DV_OK && first && !grid && !cells && kind != DV_POINTS && kind != DV_EDGES &&
        !dv_data_bool(&self->nearest_element))
        compare_with_nearest(self, &mesh, points, &builder);
    if (status == DV_OK) {
        dv_data_set(&self->row_start, builder.start, (size_t)builder.rows + 1);
        dv_data_set(&self->row_nodes, builder.nodes, builder.entries);
        dv_data_set(&self->row_weights, builder.weights, builder.entries);
        double *axes = dv_data_begin_all(&self->turning_axes, bodies ? points.count : 0);
        for (uint32_t i = 0; bodies && i < points.count; i++)
            dv_mat3_store(bodies[i].axes, axes + 9 * (size_t)i);
        dv_data_end(&self->turning_axes);
        take_rows(self);
        find_elements(self);
    }
    builder_free(&builder);
    dv_free(bodies);
    dv_free(locations);
    return status;
}

/* `followed`: its changes are told. */
static bool is_current(const DvTopologyRef *mesh, bool followed)
{
    return !mesh->ops || (followed ? dv_topology_rewritings(mesh) == mesh->rewritten
                                   : mesh->ops->revision(mesh->self) == mesh->revision);
}

/* Whether the rows may be used; locates anew when a mesh, or a number of points, has changed. */
static bool current(BarycentricMapping *self, uint32_t points_in, uint32_t points_out)
{
    if (!self->in_mesh.ops)
        return false;
    const bool followed = self->hangs != NULL;
    const bool output = self->out_mesh.object == self->in_mesh.object ? followed : self->output.topology != NULL;
    if (!self->changed && self->coming > 0 && !locate_coming(self))
        self->changed = true;
    if (followed && !self->changed && (self->renumbered || self->touched.count > 0 || self->rows.rows != self->located))
        take_new_rows(self);
    if (!self->changed && self->located == points_out && (followed || self->located_in == points_in) &&
        is_current(&self->in_mesh, followed) && is_current(&self->out_mesh, output))
        return self->ready && self->rows.columns <= points_in;
    dv_object_set_state(dv_object_of(self),
                        locate(self, self->replaced) == DV_OK ? DV_COMPONENT_VALID : DV_COMPONENT_INVALID);
    self->ready = self->ready && self->rows.columns <= points_in && self->rows.rows <= points_out;
    return self->ready;
}

/* ---- Bodies that turn */

typedef struct TurningWork {
    TurningBody *bodies;
    const double *from;
    double *to;
    uint32_t from_dim, to_dim;
} TurningWork;

static DvVec3 point_of(const TurningWork *w, const TurningBody *body, uint32_t k)
{
    return dv_vec3_load(w->from + (size_t)body->nodes[k] * w->from_dim);
}

/* Edges of the tetrahedron, times O: A of the positions, dA of the velocities. */
static DvMat3 deformed_axes(const TurningWork *w, const TurningBody *body)
{
    const DvVec3 x0 = point_of(w, body, 0);
    const DvMat3 edges =
        dv_mat3_from_columns(dv_vec3_sub(point_of(w, body, 1), x0), dv_vec3_sub(point_of(w, body, 2), x0),
                             dv_vec3_sub(point_of(w, body, 3), x0));
    return dv_mat3_mul(edges, body->axes);
}

static void turn_chunk(void *context, uint32_t begin, uint32_t end)
{
    const TurningWork *w = context;
    for (uint32_t i = begin; i < end; i++) {
        TurningBody *body = &w->bodies[i];
        const DvMat3 a = deformed_axes(w, body);
        DvMat3 rotation, inverse;
        body->spin = dv_mat3_zero();
        if (!dv_polar(a, &rotation))
            continue; /* a flat tetrahedron: the body keeps its orientation */
        body->rotation = rotation;
        const DvMat3 stretch = dv_mat3_transposed_mul(rotation, a);
        const double trace = dv_mat3_trace(stretch);
        const DvMat3 g = dv_mat3_sub(dv_mat3_diagonal(dv_vec3(trace, trace, trace)), stretch);
        if (dv_mat3_inverse(g, &inverse) != 0.0)
            body->spin = dv_mat3_mul(rotation, inverse);
        dv_quat_store(dv_quat_from_matrix(rotation), w->to + (size_t)i * w->to_dim + 3);
    }
}

static void spin_chunk(void *context, uint32_t begin, uint32_t end)
{
    const TurningWork *w = context;
    for (uint32_t i = begin; i < end; i++) {
        const TurningBody *body = &w->bodies[i];
        const DvMat3 x = dv_mat3_transposed_mul(body->rotation, deformed_axes(w, body));
        const DvVec3 axial = dv_vec3(x.m[2][1] - x.m[1][2], x.m[0][2] - x.m[2][0], x.m[1][0] - x.m[0][1]);
        dv_vec3_store(dv_mat3_mul_vec(body->spin, axial), w->to + (size_t)i * w->to_dim + 3);
    }
}

/* Torques to the nodes. Bodies share nodes and there are few of them: one after the other. */
static void pull_torques(const BarycentricMapping *self, uint32_t count, const DvConstVec *out, const DvVec *in)
{
    for (uint32_t i = 0; i < count; i++) {
        const TurningBody *body = &self->bodies[i];
        const DvVec3 torque = dv_vec3_load(out->at + (size_t)i * out->dim + 3);
        /* dA : R [u]x is the power of the torque, u = (R G^-1)^T torque; dA = dM O. */
        const DvMat3 turned = dv_mat3_mul(body->rotation, dv_mat3_skew(dv_mat3_transposed_mul_vec(body->spin, torque)));
        const DvMat3 forces = dv_mat3_mul_transposed(turned, body->axes);
        for (uint32_t k = 0; k < 3; k++) {
            const DvVec3 force = dv_mat3_column(forces, (int)k);
            dv_vec3_accumulate(force, in->at + (size_t)body->nodes[k + 1] * in->dim);
            dv_vec3_accumulate(dv_vec3_neg(force), in->at + (size_t)body->nodes[0] * in->dim);
        }
    }
}

/* d w / d x of the nodes in the last three rows of their blocks. */
static void add_turning_blocks(const BarycentricMapping *self, DvJacobian *j)
{
    double *values = (double *)j->values;
    for (uint32_t i = 0; i < j->rows; i++) {
        const TurningBody *body = &self->bodies[i];
        const uint32_t first = j->row_start[i], last = j->row_start[i + 1];
        for (uint32_t e = first; e < last; e++)
            memset(values + (size_t)e * 18 + 9, 0, 9 * sizeof *values);
        for (uint32_t k = 1; k < 4; k++) {
            const DvMat3 moment = dv_mat3_mul(body->spin, dv_mat3_skew(dv_mat3_row(body->axes, (int)k - 1)));
            const DvMat3 block = dv_mat3_mul_transposed(moment, body->rotation);
            for (uint32_t e = first; e < last; e++)
                for (uint32_t c = 0; c < 9; c++)
                    values[(size_t)e * 18 + 9 + c] += j->columns[e] == body->nodes[k]   ? block.m[c / 3][c % 3]
                                                      : j->columns[e] == body->nodes[0] ? -block.m[c / 3][c % 3]
                                                                                        : 0.0;
        }
    }
}

/* ---- The contract */

static void apply(void *self_, const DvStep *step, const DvConstVec *in, const DvVec *out)
{
    (void)step;
    BarycentricMapping *self = self_;
    if (!current(self, in->count, out->count))
        return;
    dv_weighted_rows_gather(&self->rows, in, out, false);
    if (self->bodies)
        dv_parallel_for(self->rows.rows, BODIES_PER_CHUNK, turn_chunk,
                        &(TurningWork){self->bodies, in->at, out->at, in->dim, out->dim});
}

static void apply_j(void *self_, const DvStep *step, const DvConstVec *in, const DvVec *out)
{
    (void)step;
    BarycentricMapping *self = self_;
    if (!current(self, in->count, out->count))
        return;
    dv_weighted_rows_gather(&self->rows, in, out, true);
    if (out->dim == 3)
        return;
    if (self->bodies)
        dv_parallel_for(self->rows.rows, BODIES_PER_CHUNK, spin_chunk,
                        &(TurningWork){self->bodies, in->at, out->at, in->dim, out->dim});
    else
        for (uint32_t i = 0; i < self->rows.rows; i++)
            memset(out->at + (size_t)i * out->dim + 3, 0, (out->dim - 3) * sizeof(double));
}

static void apply_jt(void *self_, const DvStep *step, const DvConstVec *out, const DvVec *in)
{
    (void)step;
    BarycentricMapping *self = self_;
    if (!current(self, in->count, out->count))
        return;
    dv_weighted_rows_scatter(&self->rows, out, in);
    if (self->bodies)
        pull_torques(self, self->rows.rows, out, in);
}

static const DvJacobian *jacobian(void *self_, uint32_t output, uint32_t input)
{
    (void)output;
    (void)input;
    BarycentricMapping *self = self_;
    (void)current(self, dv_state_count(self->base.in), dv_state_count(self->base.out));
    DvJacobian *j =
        dv_weighted_rows_jacobian(&self->rows, self->base.out.dof->deriv, 3, 3, dv_state_count(self->base.in));
    if (self->bodies) {
        add_turning_blocks(self, j);
        j->version = 0;
    }
    return j;
}

static const DvMappingOps ops = {
    DV_SINGLE_MAPPING_OPS,
    .keeps_topology = dv_mapping_no,
    .apply = apply,
    .apply_j = apply_j,
    .apply_jt = apply_jt,
    .jacobian = jacobian,
    .output_points = dv_single_mapping_output_points,
};

/* ---- Report */

/* Where points hang elsewhere than on the nearest element, for which there is no reason but that it is the default. */
static void report(void *self_, DvReportLine line, void *context)
{
    const BarycentricMapping *self = self_;
    if (!self->ready || self->elsewhere.count == 0)
        return;
    DvText text = {0};
    dv_text_add(
        &text,
        "%u of %u points hang elsewhere than on the nearest element, point %u at most, by %.3g; nearestElement=\"1\" "
        "takes the nearest, in any unit of length",
        self->elsewhere.count, self->rows.rows, self->elsewhere.worst, self->elsewhere.farthest);
    line(context, text.at);
    dv_text_free(&text);
}

static const DvReportOps report_ops = {.size = sizeof report_ops, .report = report};

/* ---- Life */

static void release(BarycentricMapping *self)
{
    for (uint32_t kind = 0; kind < DV_ELEMENT_KINDS; kind++)
        dv_element_data_detach(&self->watch[kind]);
    dv_element_data_detach(&self->output);
    dv_topology_release(&self->in_mesh);
    dv_topology_release(&self->out_mesh);
    dv_single_mapping_release(&self->base);
}

/* The mesh of a link, else that of the node of the state; there may be none. */
static DvStatus find_mesh(DvObject *object, const DvLink *link, DvStateRef state, DvTopologyRef *mesh)
{
    DvObject *found = dv_link_is_set(link) ? dv_object_find(object, link, DV_TOPOLOGY)
                                           : dv_object_find(state.object, NULL, DV_TOPOLOGY);
    return found ? dv_topology_take(object, found, mesh) : DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    BarycentricMapping *self = self_;
    DvSingleMapping *base = &self->base;
    release(self);
    DvStatus status = dv_single_mapping_init(object, base);
    if (status != DV_OK)
        return status;
    status = find_mesh(object, &self->input_topology, base->in, &self->in_mesh);
    if (status == DV_OK)
        status = find_mesh(object, &self->output_topology, base->out, &self->out_mesh);
    if (status != DV_OK)
        return status;
    if (!self->in_mesh.ops)
        return dv_field_error(&self->input_topology.data, -1,
                              "the input has no topology to hang points on; add one to its node or link one");
    if (self->in_mesh.ops->is_dynamic(self->in_mesh.self) && (status = watch_mesh(self)) != DV_OK)
        return status;
    status = watch_output(self);
    if (status == DV_OK)
        status = locate(self, true);
    if (status != DV_OK || !dv_data_bool(&base->apply_rest_position) ||
        !base->in.ops->has(base->in.self, DV_REST_POSITION))
        return status;
    /* Positions and velocities follow when the whole scene is ready. */
    const DvConstVec in = dv_state_read(base->in, DV_REST_POSITION);
    const DvVec out = dv_state_write(base->out, DV_REST_POSITION, DV_READ_WRITE);
    apply(self, NULL, &in, &out);
    return DV_OK;
}

static DvStatus restore(DvObject *object, void *self_)
{
    BarycentricMapping *self = self_;
    remember_meshes(self);
    take_rows(self);
    find_elements(self);
    if (self->ready && self->rows.columns <= self->located_in && self->rows.rows <= self->located) {
        if (self->bodies)
            dv_mapping_apply_all(&self->base, &ops); /* their rotations are needed before the next apply */
        return DV_OK;
    }
    self->ready = false;
    return dv_error(object, DV_ERROR_INVALID, "the saved rows do not fit %u points on %u", self->located,
                    self->located_in);
}

static void cleanup(DvObject *object, void *self)
{
    (void)object;
    release(self);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    BarycentricMapping *self = self_;
    dv_weighted_rows_free(&self->rows);
    dv_free(self->bodies);
    dv_array_free(&self->touched);
    dv_ordered_hexahedra_free(&self->order);
    forget_elements(self);
}

/* ---- Products of a few points ---- */

static bool is_ready(void *self_)
{
    const BarycentricMapping *self = self_;
    return self->ready && !self->bodies && self->base.out.dof->deriv == 3;
}

static void apply_j_at(void *self_, const DvConstVec *in, const DvVec *out, const uint32_t *points, uint32_t count)
{
    dv_weighted_rows_gather_at(&((BarycentricMapping *)self_)->rows, in, out, points, count);
}

static void apply_jt_at(void *self_, const DvConstVec *out, const DvVec *in, const uint32_t *points, uint32_t count)
{
    dv_weighted_rows_scatter_at(&((BarycentricMapping *)self_)->rows, out, in, points, count);
}

static const DvProductAtPointsOps product_at_points = {
    .size = sizeof product_at_points, .is_ready = is_ready, .apply_j = apply_j_at, .apply_jt = apply_jt_at};

/* Lines from each point to those that it hangs on. */
static void draw(void *self_, DvDraw *draw)
{
    BarycentricMapping *self = self_;
    const DvWeightedRows *rows = &self->rows;
    double *points = self->ready ? dv_single_mapping_points_to_draw(&self->base, draw) : NULL;
    if (!points)
        return;
    const DvConstVec x = dv_state_read(self->base.in, DV_POSITION);
    double *nodes = dv_points_in_space(x, self->base.in.dof->spatial);
    const uint32_t count = dv_state_count(self->base.out) < rows->rows ? dv_state_count(self->base.out) : rows->rows;
    const uint32_t entries = rows->rows ? rows->row_start[count] : 0;
    double *ends = dv_alloc(entries ? entries : 1, 6 * sizeof *ends), *to = ends;
    for (uint32_t row = 0; row < count; row++)
        for (uint32_t e = rows->row_start[row]; e < rows->row_start[row + 1]; e++) {
            if (rows->column[e] >= x.count || rows->weight[e] == 0.0)
                continue;
            memcpy(to, points + 3 * (size_t)row, 3 * sizeof *to);
            memcpy(to + 3, nodes + 3 * (size_t)rows->column[e], 3 * sizeof *to);
            to += 6;
        }
    if (to > ends)
        draw->ops->lines(draw, ends, (uint32_t)((to - ends) / 6), 1.0, dv_mapping_color);
    dv_free(ends);
    dv_free(nodes);
    dv_free(points);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_barycentric_mapping = {
    .size = sizeof(DvClass),
    .name = "BarycentricMapping",
    .variants = "Vec3d,Vec3d Vec3d,Rigid3d",
    .default_variant = "Vec3d,Vec3d",
    DV_MAPPING_CLASS,
    .module = "Sofa.Component.Mapping.Linear",
    .help = "Hangs points on the elements of a mesh.",
    .instance_size = sizeof(BarycentricMapping),
    .fields = fields,
    .contracts = (const DvContract[]){{DV_MAPPING, &ops, .slot = true},
                                      {.id = DV_PRODUCT_AT_POINTS, .ops = &product_at_points},
                                      {.id = DV_REPORT, .ops = &report_ops},
                                      {.id = DV_DRAWABLE, .ops = &drawable},
                                      {0}},
    .init = init,
    .reinit = init,
    .restore = restore,
    .cleanup = cleanup,
    .destroy = destroy,
};
