/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Edge2QuadTopologicalMapping: a tube of quads around edges between frames.
 *
 * Point i of the input becomes the circle of points iN .. iN + N - 1 of the output, N = nbPointsOnEachCircle, at
 *
 *   t_i + R_i (Y r cos a_j + Z r' sin a_j),   a_j = 2 pi j / N
 *
 * with Y and Z the second and third axis of the frame, r = r' = radius; with a radiusFocal, Z is focalAxis, Y = Z x (1,0,0), and r'
 * is radiusFocal. An edge (p, q) becomes the N quads (pN + j, qN + j, qN + j', pN + j'), j' the next of j around the circle, the other
 * way round with flipNormals. The state in the output's node gets the positions at the start, and those of circles that come later.
 *
 * Quads and circles come and go with the edges and points of the input. Of an edgeList the edges that it names at the start count, and
 * none that come later.
 */
#include "topological_mapping.h"

#include <divan/contracts/state.h>
#include <divan/contracts/visual.h>
#include <divan/math/rigid.h>

#include <math.h>

typedef struct Edge2Quad {
    TopologicalMapping base;
    DvData per_circle, radius, focal_radius, focal_axis, edge_list, flip;
    DvLink container, modifier;
    DvStateRef frames, positions; /* ops NULL: there is none of use */
    DvVec3 y, z;                  /* axes of the ellipse in its frame, times its radii */
} Edge2Quad;

/* ---- Where the points are ---- */

/* Positions of the circles from point `first` of the input on, in one of the vectors of coordinates. */
static void place_in(Edge2Quad *self, DvVecId id, uint32_t first)
{
    const uint32_t n = self->base.circle;
    const DvConstVec frames = dv_state_read(self->frames, DV_POSITION);
    const DvVec to = dv_state_write(self->positions, id, DV_READ_WRITE);
    const double pi = 3.14159265358979323846;
    for (uint32_t i = first; i < frames.count && (i + 1) * n <= to.count; i++)
        for (uint32_t j = 0; j < n; j++) {
            const double angle = 2 * pi * j / n;
            const DvVec3 local = dv_vec3_madd(dv_vec3_scale(self->y, cos(angle)), sin(angle), self->z);
            dv_vec3_store(dv_rigid3_to_world(dv_rigid3_load(frames.at + (size_t)i * frames.dim), local),
                          to.at + ((size_t)i * n + j) * to.dim);
        }
}

/* As they are, at rest, and after a reset. */
static void place(Edge2Quad *self, uint32_t first)
{
    for (DvVecId id = DV_POSITION; self->positions.ops && id <= DV_RESET_POSITION; id++)
        if (self->positions.ops->has(self->positions.self, id))
            place_in(self, id, first);
}

/* The state of the output's node, or the visual model there, or the state above; of use when its points are points. */
static void find_positions(Edge2Quad *self)
{
    const DvNode *node = dv_object_node(self->base.to->object);
    DvObject *found = dv_node_slot(node, DV_STATE);
    if (!found)
        found = dv_node_find(node, DV_VISUAL_MODEL, DV_SEARCH_LOCAL);
    if (!found)
        found = dv_node_find(node, DV_STATE, DV_SEARCH_PARENTS);
    self->positions = dv_state_ref(found);
    if (self->positions.ops && self->positions.dof != &dv_vec3d)
        self->positions = (DvStateRef){0};
}

static DvStatus find_states(Edge2Quad *self)
{
    TopologicalMapping *base = &self->base;
    self->frames = dv_state_ref(dv_node_find(dv_object_node(base->from->object), DV_STATE, DV_SEARCH_UP));
    if (!self->frames.ops || self->frames.dof != &dv_rigid3d)
        return dv_error(base->object, DV_ERROR_MISSING,
                        "the node of the input '%s' needs a MechanicalObject of Rigid3d: circles stand in frames",
                        dv_object_path(base->from->object));
    find_positions(self);
    DvStatus status = dv_object_require(base->object, self->frames.object);
    if (status == DV_OK && self->positions.ops)
        status = dv_object_require(base->object, self->positions.object);
    return status;
}

/* ---- Fields ---- */

static DvStatus find_axes(Edge2Quad *self)
{
    const double radius = dv_data_double(&self->radius), focal = dv_data_double(&self->focal_radius);
    if (!dv_data_is_set(&self->radius) && !dv_data_is_set(&self->focal_radius))
        return dv_field_error(&self->radius, -1, "it must be given, or radiusFocal with it for an ellipse");
    self->y = dv_vec3(0, radius, 0);
    self->z = dv_vec3(0, 0, radius);
    if (focal <= 0)
        return DV_OK;
    const DvVec3 axis = dv_vec3_load(dv_data_read(&self->focal_axis));
    const double length = dv_vec3_norm(axis);
    if (!(length > 0))
        return dv_field_error(&self->focal_axis, -1, "it must not be zero");
    const DvVec3 z = dv_vec3_scale(axis, 1 / length);
    self->z = dv_vec3_scale(z, focal);
    self->y = dv_vec3_scale(dv_vec3_cross(z, dv_vec3(1, 0, 0)), radius);
    return DV_OK;
}

/* Whatever the links name must be the output, and what changes it. */
static DvStatus check_links(Edge2Quad *self)
{
    const DvObject *container = dv_link_object(&self->container), *modifier = dv_link_object(&self->modifier),
                   *output = self->base.to->object;
    if (container && container != output)
        return dv_field_error(&self->container.data, -1, "'%s' is not the output '%s'", dv_object_path(container),
                              dv_object_path(output));
    if (modifier && (!is_modifier(modifier) || dv_object_node(modifier) != dv_object_node(output)))
        return dv_field_error(&self->modifier.data, -1, "'%s' does not change the output '%s'",
                              dv_object_path(modifier), dv_object_path(output));
    if ((uint64_t)self->base.from->points * self->base.circle > MOST_POINTS)
        return dv_field_error(&self->per_circle, -1, "%u points around each of %u are too many", self->base.circle,
                              self->base.from->points);
    if (!self->base.to->dynamic || !topological_mapping_has_modifier(&self->base))
        return dv_error(self->base.object, DV_ERROR_MISSING,
                        "the output '%s' must be a QuadSetTopologyContainer, and its node needs a "
                        "QuadSetTopologyModifier",
                        dv_object_path(output));
    return DV_OK;
}

/* ---- Quads ---- */

static bool is_listed(Edge2Quad *self)
{
    size_t count;
    dv_data_uints(&self->edge_list, &count);
    return count > 0;
}

static void push_tube(Edge2Quad *self, uint32_t edge, DvIndexArray *to)
{
    const ElementList edges = topology_elements(self->base.from, DV_EDGES);
    const uint32_t n = self->base.circle, p = edges.at[(size_t)edge * 2] * n, q = edges.at[(size_t)edge * 2 + 1] * n;
    const bool listed = is_listed(self);
    for (uint32_t j = 0; j < n; j++) {
        const uint32_t next = (j + 1) % n, quad[4] = {p + j, q + j, q + next, p + next};
        topological_mapping_join(&self->base, edge);
        for (uint32_t k = 0; k < 4; k++)
            dv_array_push(to, !dv_data_bool(&self->flip) ? quad[k] : quad[listed ? (4 - k) % 4 : 3 - k]);
    }
}

static DvStatus fill(Edge2Quad *self)
{
    TopologicalMapping *base = &self->base;
    const uint32_t edges = topology_elements(base->from, DV_EDGES).count;
    size_t listed;
    const uint32_t *list = dv_data_uints(&self->edge_list, &listed);
    DvIndexArray quads = {0};
    for (size_t i = 0; i < listed; i++)
        if (list[i] >= edges)
            return dv_field_error(&self->edge_list, (long)i, "there is no edge %u: '%s' has %u", list[i],
                                  dv_object_path(base->from->object), edges);
    topological_mapping_begin(base);
    topology_set_points(base->to, base->from->points * base->circle);
    for (uint32_t i = 0; i < (listed ? listed : edges); i++) {
        if (has_image(base, listed ? list[i] : i)) {
            dv_array_free(&quads);
            return dv_field_error(&self->edge_list, (long)i, "edge %u is there twice", list[i]);
        }
        push_tube(self, listed ? list[i] : i, &quads);
    }
    const DvStatus status = topological_mapping_end(base, &quads);
    dv_array_free(&quads);
    return status;
}

/* ---- Following the input ---- */

static void edges_changed(TopologicalMapping *base, const DvElementChange *change)
{
    Edge2Quad *self = (Edge2Quad *)base;
    DvIndexArray quads = {0};
    if (change->change == DV_ELEMENTS_REMOVED)
        for (uint32_t i = 0; i < change->count; i++)
            if (has_image(base, change->indices[i]))
                dv_array_append(&quads, images_of(base, change->indices[i]), base->circle);
    topological_mapping_remove(base, quads.count, quads.data);
    topological_mapping_count_sources(base, change);
    dv_array_clear(&quads);
    if (change->change == DV_ELEMENTS_ADDED && !is_listed(self))
        for (uint32_t i = change->total - change->count; i < change->total; i++)
            push_tube(self, i, &quads);
    topological_mapping_add(base, &quads, NULL);
    dv_array_free(&quads);
}

/* The points of the circles of points, those of each in descending order when they go. */
static void push_circles(const Edge2Quad *self, const DvElementChange *change, DvIndexArray *to)
{
    const uint32_t n = self->base.circle;
    const bool goes = change->change == DV_ELEMENTS_REMOVED;
    for (uint32_t i = 0; i < change->count; i++)
        for (uint32_t j = 0; j < n; j++)
            dv_array_push(to, change->indices[i] * n + (goes ? n - 1 - j : j));
}

static void points_changed(TopologicalMapping *base, const DvElementChange *change)
{
    Edge2Quad *self = (Edge2Quad *)base;
    DvIndexArray points = {0};
    DvStatus status = DV_OK;
    if (change->change == DV_ELEMENTS_ADDED) {
        const uint32_t before = base->to->points, total = change->total * base->circle;
        status = topology_add_points(base->to, total > before ? total - before : 0, NULL, false);
        place(self, before / base->circle);
    } else if (change->change == DV_ELEMENTS_REMOVED || change->change == DV_ELEMENTS_RENUMBERED) {
        push_circles(self, change, &points);
        status = change->change == DV_ELEMENTS_REMOVED
                     ? topology_remove_points(base->to, points.count, points.data, false)
                     : topology_renumber_points(base->to, points.data, false);
    }
    dv_array_free(&points);
    if (status != DV_OK)
        dv_object_set_state(base->object, DV_COMPONENT_INVALID);
}

/* ---- Life ---- */

static DvStatus start(Edge2Quad *self)
{
    TopologicalMapping *base = &self->base;
    DvStatus status = check_links(self);
    if (status == DV_OK)
        status = find_axes(self);
    if (status == DV_OK)
        status = find_states(self);
    if (status == DV_OK)
        status = fill(self);
    if (status != DV_OK)
        return status;
    if (self->positions.ops && dv_state_count(self->positions) != base->to->points)
        self->positions.ops->resize(self->positions.self, base->to->points);
    place(self, 0);
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    (void)object;
    Edge2Quad *self = self_;
    TopologicalMapping *base = &self->base;
    base->source_kind = DV_EDGES;
    base->image_kind = DV_QUADS;
    base->images = base->circle = dv_data_uint(&self->per_circle);
    DvStatus status = topological_mapping_find(base);
    if (status == DV_OK)
        status = topological_mapping_needs_list(base, "quads");
    if (status == DV_OK)
        status = start(self);
    if (status != DV_OK || !base->from->dynamic)
        return status;
    status = topological_mapping_follow(base, DV_EDGES, edges_changed);
    return status == DV_OK ? topological_mapping_follow(base, DV_POINTS, points_changed) : status;
}

static const DvField fields[] = {
    TOPOLOGICAL_MAPPING_FIELDS(Edge2Quad, base.),
    DV_FIELD(Edge2Quad, per_circle, "nbPointsOnEachCircle", dv_type_uint,
             .range = &(const DvRange){.least = 3, .most = INFINITY},
             .flags = DV_FIELD_NOT_LINKED | DV_FIELD_REQUIRED | DV_FIELD_AT_LOAD,
             .help = "points of the tube around each point of the input"),
    DV_FIELD(Edge2Quad, radius, "radius", dv_type_double, .init = "1", .unit = "m", .range = &dv_range_positive,
             .flags = DV_FIELD_AT_LOAD, .help = "of the circles; must be given, or radiusFocal"),
    DV_FIELD(Edge2Quad, focal_radius, "radiusFocal", dv_type_double, .init = "0", .unit = "m",
             .range = &dv_range_not_negative, .flags = DV_FIELD_AT_LOAD, .help = "radius along focalAxis; 0: circles"),
    DV_FIELD(Edge2Quad, focal_axis, "focalAxis", dv_type_vec3d, .init = "0 0 1", .flags = DV_FIELD_AT_LOAD,
             .help = "axis of the ellipse in its frame, with a radiusFocal"),
    DV_FIELD(Edge2Quad, edge_list, "edgeList", dv_type_uints, .flags = DV_FIELD_AT_LOAD | DV_FIELD_EMPTY_IS_ALL,
             .help = "edges that get a tube; all, and those that come later, when it is empty"),
    DV_FIELD(Edge2Quad, flip, "flipNormals", dv_type_bool, .init = "0", .flags = DV_FIELD_AT_LOAD,
             .help = "quads the other way round"),
    DV_LINK(Edge2Quad, container, "toQuadContainer", DV_TOPOLOGY, .help = "the output; it need not be named"),
    DV_LINK(Edge2Quad, modifier, "toQuadModifier", DV_TOPOLOGY_MODIFIER,
            .help = "modifier of the output; it need not be named"),
    {0},
};

const DvClass dv_edge2quad_topological_mapping = {
    .size = sizeof(DvClass),
    .name = "Edge2QuadTopologicalMapping",
    TOPOLOGICAL_MAPPING_CLASS,
    TOPOLOGICAL_MAPPING_CONTRACT,
    .help = "Puts tubes of quads around edges between frames.",
    .instance_size = sizeof(Edge2Quad),
    .fields = fields,
    .init = init,
};
