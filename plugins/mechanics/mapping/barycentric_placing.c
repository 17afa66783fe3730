/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where the points of BarycentricMapping hang: located when the scene starts, and anew when the meshes have changed as wholes.
 */
#include "barycentric_points.h"

#include <divan/contracts/topology.h>
#include <divan/math/quat.h>
#include <divan/memory.h>
#include <divan/types/matrix.h>

#include <string.h>

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

DvElements barycentric_elements(const BarycentricMapping *self, DvElementKind kind)
{
    if (kind != DV_HEXAHEDRA || !self->order.nodes)
        return dv_topology_elements(&self->in_mesh, kind);
    return dv_ordered_hexahedra_follow((DvOrderedHexahedra *)(uintptr_t)&self->order, &self->in_mesh,
                                       dv_state_read(self->base.in, DV_POSITION));
}

static void add_list(const BarycentricMapping *self, DvLocationMesh *mesh, DvElementKind kind)
{
    const DvElements elements = barycentric_elements(self, kind);
    if (elements.count)
        mesh->lists[mesh->list_count++] = (DvLocationList){kind, elements};
}

/* What to search in a mesh that does not change: volumes, else surfaces, else edges. */
static void choose_fixed_lists(const BarycentricMapping *self, DvLocationMesh *mesh)
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

void barycentric_choose_changing_list(const BarycentricMapping *self, DvLocationMesh *mesh)
{
    static const DvElementKind kinds[] = {DV_HEXAHEDRA, DV_TETRAHEDRA, DV_QUADS, DV_TRIANGLES, DV_EDGES};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && mesh->list_count == 0; i++)
        add_list(self, mesh, kinds[i]);
}

static void choose_lists(const BarycentricMapping *self, DvLocationMesh *mesh)
{
    if (self->in_mesh.ops->is_dynamic(self->in_mesh.self))
        barycentric_choose_changing_list(self, mesh);
    if (mesh->list_count == 0)
        choose_fixed_lists(self, mesh);
}

static DvStatus check_elements(const BarycentricMapping *self, const DvLocationMesh *mesh)
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

static DvStatus check_points(const BarycentricMapping *self, DvLocationPoints points)
{
    for (uint32_t i = 0; i < points.count; i++)
        for (uint32_t k = 0; k < 3; k++)
            if (!isfinite(points.at[(size_t)i * points.dim + k]))
                return dv_error(dv_object_of(self), DV_ERROR_NOT_FINITE,
                                "point %u of the output cannot be located: its position is not a number", i);
    return DV_OK;
}

/* O of a body: the columns of its rotation in the local coordinates of its tetrahedron, brought to unit length. */
static void make_body(TurningBody *body, const DvLocationMesh *mesh, const uint32_t nodes[4], const double *coord)
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

void barycentric_take_rows(BarycentricMapping *self)
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

static DvVec3 place_of(const double *points, const uint32_t *nodes, const double *weights, uint32_t count)
{
    DvVec3 place = dv_vec3_zero();
    for (uint32_t k = 0; k < count; k++)
        place = dv_vec3_madd(place, weights[k], dv_vec3_load(points + 3 * (size_t)nodes[k]));
    return place;
}

/* How many points would hang elsewhere on the nearest element, of a mesh of surfaces or volumes. */
static void compare_with_nearest(BarycentricMapping *self, const DvLocationMesh *mesh, DvLocationPoints points,
                                 const RowBuilder *rows)
{
    DvLocation *nearest = dv_alloc(points.count, sizeof *nearest);
    dv_locate_on_nearest(mesh, points, nearest);
    for (uint32_t i = 0; i < points.count; i++) {
        uint32_t nodes[8];
        double weights[8];
        if (nearest[i].element == DV_NO_ELEMENT)
            continue;
        const uint32_t count = dv_location_weights(mesh, nearest[i], false, nodes, weights), first = rows->start[i];
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
static void look_at_places(BarycentricMapping *self, const DvLocationMesh *mesh, DvLocationPoints points,
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
        dv_warning(dv_object_of(self),
                   "%u of %u points are farther from the element that they hang on than it is large, by m: %s; do both "
                   "states have the same translation, rotation and scale?",
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
static void order_hexahedra(BarycentricMapping *self, DvLocationMesh *mesh)
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
static void locate_on_elements(BarycentricMapping *self, const DvLocationMesh *mesh, DvElementKind kind, bool changing,
                               bool turning, DvLocationPoints points, DvLocation *locations)
{
    if (kind == DV_EDGES && (changing || dv_data_bool(&self->nearest_element)))
        dv_locate_on_nearest_edge(mesh, points, locations);
    else if (kind == DV_EDGES)
        dv_locate_on_first_edge(mesh, points, locations);
    else if (dv_data_bool(&self->nearest_element))
        dv_locate_on_nearest(mesh, points, locations);
    else if (changing && !turning)
        dv_locate_by_hash(mesh, barycentric_elements(self, DV_EDGES), points, locations);
    else
        dv_locate_in_all(mesh, points, locations);
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
    const DvLocationPoints points = {out.at + (size_t)first * out.dim, count, out.dim};
    DvLocationMesh mesh = {.points = in.at, .point_count = in.count};
    barycentric_choose_changing_list(self, &mesh);
    if (mesh.list_count == 0 || mesh.lists[0].kind != self->kind || check_points(self, points) != DV_OK)
        return false;
    DvLocation *locations = dv_alloc(count, sizeof *locations);
    locate_on_elements(self, &mesh, self->kind, true, false, points, locations);
    barycentric_reserve_points(self, first + count);
    double *weights = dv_data_begin(&self->row_weights, (size_t)(first + count) * nodes);
    bool found = true;
    for (uint32_t i = 0; i < count && found; i++) {
        uint32_t node[8];
        double weight[8];
        found = locations[i].element != DV_NO_ELEMENT &&
                dv_location_weights(&mesh, locations[i], false, node, weight) == nodes;
        if (!found)
            break;
        memcpy(weights + (size_t)(first + i) * nodes, weight, nodes * sizeof *weight);
        barycentric_hang(self, first + i, locations[i].element);
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

/* What the points are located in, and how. */
typedef struct Place {
    DvLocationMesh mesh;
    DvLocationPoints points;
    DvGridShape shape;
    const DvSparseGridOps *cells;
    DvElementKind kind;
    bool grid, changing, turning;
    DvLocation *locations; /* [points.count] */
    RowBuilder rows;
    TurningBody *bodies; /* [points.count], or NULL */
} Place;

static DvStatus choose_place(BarycentricMapping *self, Place *place, bool first)
{
    const DvTopologyRef *in = &self->in_mesh;
    place->grid = in->ops->grid && in->ops->grid(in->self, &place->shape);
    place->cells = dv_object_ops(in->object, DV_SPARSE_GRID);
    place->changing = !place->grid && in->ops->is_dynamic(in->self);
    if (!place->grid)
        choose_lists(self, &place->mesh);
    if (first) {
        const DvStatus status = check_elements(self, &place->mesh);
        if (status != DV_OK)
            return status;
    }
    order_hexahedra(self, &place->mesh);
    place->kind = place->mesh.list_count ? place->mesh.lists[0].kind : DV_POINTS;
    place->turning = place->changing && place->kind == DV_TETRAHEDRA && self->base.out.dof->rotation;
    place->locations = dv_alloc(place->points.count, sizeof *place->locations);
    place->rows = builder_new(place->points.count);
    if (place->turning && place->points.count)
        place->bodies = dv_alloc(place->points.count, sizeof *place->bodies);
    return DV_OK;
}

static DvStatus find_in_grid(const BarycentricMapping *self, Place *place)
{
    const uint32_t *n = place->shape.n;
    if (!dv_locate_in_grid(&place->shape, place->points, place->locations))
        return dv_error(dv_object_of(self), DV_ERROR_INVALID,
                        "the input's grid of %u x %u x %u points has no cells; every side needs two points", n[0], n[1],
                        n[2]);
    if ((uint64_t)n[0] * n[1] * n[2] > place->mesh.point_count)
        return dv_error(dv_object_of(self), DV_ERROR_INVALID,
                        "the input's grid has %u x %u x %u points, its state only %u", n[0], n[1], n[2],
                        place->mesh.point_count);
    return DV_OK;
}

static void find_in_cells(const BarycentricMapping *self, Place *place)
{
    for (uint32_t i = 0; i < place->points.count; i++) {
        DvLocation *location = &place->locations[i];
        double at[3];
        *location = (DvLocation){DV_NO_ELEMENT, {0.0, 0.0, 0.0}};
        if (place->cells->locate(self->in_mesh.self, place->points.at + (size_t)i * place->points.dim,
                                 &location->element, at))
            location->at = dv_vec3_load(at);
    }
}

static DvStatus find_places(BarycentricMapping *self, Place *place)
{
    if (place->grid)
        return find_in_grid(self, place);
    if (place->cells)
        find_in_cells(self, place);
    else if (place->mesh.list_count == 0)
        dv_warning(dv_object_of(self), "the input's topology has no elements: the output keeps its positions");
    else
        locate_on_elements(self, &place->mesh, place->kind, place->changing, place->turning, place->points,
                           place->locations);
    return DV_OK;
}

static DvStatus make_rows(const BarycentricMapping *self, Place *place)
{
    RowBuilder *rows = &place->rows;
    uint32_t lost = DV_NO_ELEMENT;
    for (uint32_t i = 0; i < place->points.count; i++) {
        uint32_t *nodes = rows->nodes + rows->entries;
        double *weights = rows->weights + rows->entries;
        if (place->grid) {
            builder_add(rows, dv_location_weights_in_grid(&place->shape, place->locations[i], nodes, weights));
        } else if (place->mesh.list_count == 0) {
            builder_add(rows, 0);
        } else if (place->locations[i].element == DV_NO_ELEMENT) {
            lost = lost == DV_NO_ELEMENT ? i : lost;
            builder_add(rows, 0);
        } else {
            builder_add(rows, dv_location_weights(&place->mesh, place->locations[i], !place->changing, nodes, weights));
            if (place->bodies)
                make_body(&place->bodies[i], &place->mesh, nodes, place->points.at + (size_t)i * place->points.dim);
        }
    }
    if (lost == DV_NO_ELEMENT)
        return DV_OK;
    return dv_error(dv_object_of(self), DV_ERROR_INVALID,
                    "point %u of the output finds no element: all elements of the input's topology are flat", lost);
}

/* What is worth a word when the scene starts. */
static void look_at_start(BarycentricMapping *self, const Place *place)
{
    const bool has_elements = place->kind != DV_POINTS && place->kind != DV_EDGES;
    look_at_places(self, &place->mesh, place->points, &place->rows, place->grid || place->cells);
    if (has_elements && !place->grid && !place->cells && !dv_data_bool(&self->nearest_element))
        compare_with_nearest(self, &place->mesh, place->points, &place->rows);
}

static void keep_rows(BarycentricMapping *self, const Place *place)
{
    dv_data_set(&self->row_start, place->rows.start, (size_t)place->rows.rows + 1);
    dv_data_set(&self->row_nodes, place->rows.nodes, place->rows.entries);
    dv_data_set(&self->row_weights, place->rows.weights, place->rows.entries);
    const uint32_t bodies = place->bodies ? place->points.count : 0;
    double *axes = dv_data_begin_all(&self->turning_axes, bodies);
    for (uint32_t i = 0; i < bodies; i++)
        dv_mat3_store(place->bodies[i].axes, axes + 9 * (size_t)i);
    dv_data_end(&self->turning_axes);
    barycentric_take_rows(self);
    barycentric_find_elements(self);
}

DvStatus barycentric_locate(BarycentricMapping *self, bool first)
{
    const DvVecId positions = first && dv_data_bool(&self->use_rest_position) ? DV_REST_POSITION : DV_POSITION;
    DvConstVec in = dv_state_read(self->base.in, positions);
    const DvConstVec out = dv_state_read(self->base.out, positions);
    if (self->copied && self->watch[DV_POINTS].count == in.count)
        in.at = self->watch[DV_POINTS].entries;
    Place place = {.points = {out.at, out.at ? out.count : 0, out.dim},
                   .mesh = {.points = in.at, .point_count = in.at ? in.count : 0}};
    barycentric_remember_meshes(self);
    self->ready = false;
    self->elsewhere = (Elsewhere){0};
    DvStatus status = check_points(self, place.points);
    if (status == DV_OK)
        status = choose_place(self, &place, first);
    if (status == DV_OK)
        status = find_places(self, &place);
    if (status == DV_OK)
        status = make_rows(self, &place);
    if (status == DV_OK && first)
        look_at_start(self, &place);
    if (status == DV_OK)
        keep_rows(self, &place);
    builder_free(&place.rows);
    dv_free(place.bodies);
    dv_free(place.locations);
    return status;
}

/* `followed`: its changes are told. */
static bool is_current(const DvTopologyRef *mesh, bool followed)
{
    return !mesh->ops || (followed ? dv_topology_rewritings(mesh) == mesh->rewritten
                                   : mesh->ops->revision(mesh->self) == mesh->revision);
}

bool barycentric_is_current(BarycentricMapping *self, uint32_t points_in, uint32_t points_out)
{
    if (!self->in_mesh.ops)
        return false;
    const bool followed = self->hangs != NULL;
    const bool output = self->out_mesh.object == self->in_mesh.object ? followed : self->output.topology != NULL;
    if (!self->changed && self->coming > 0 && !locate_coming(self))
        self->changed = true;
    if (followed && !self->changed && (self->renumbered || self->touched.count > 0 || self->rows.rows != self->located))
        barycentric_take_new_rows(self);
    if (!self->changed && self->located == points_out && (followed || self->located_in == points_in) &&
        is_current(&self->in_mesh, followed) && is_current(&self->out_mesh, output))
        return self->ready && self->rows.columns <= points_in;
    dv_object_set_state(dv_object_of(self),
                        barycentric_locate(self, self->replaced) == DV_OK ? DV_COMPONENT_VALID : DV_COMPONENT_INVALID);
    self->ready = self->ready && self->rows.columns <= points_in && self->rows.rows <= points_out;
    return self->ready;
}
