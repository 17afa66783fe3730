/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MechanicalObject: the degrees of freedom of a body, and the vectors over them.
 *
 * Before the first step the coordinates come from the fields or from a topology in the same node, then
 *   position <- scale, rotate, translate;   rest_position <- position, unless given;   position <- rotation2, translation2
 *
 * The kind of a point is chosen by `template`: Vec1d, Vec2d, Vec3d, Vec6d, Rigid2d, Rigid3d; or by a word of a device (CudaVec3f), which then
 * keeps the vectors.
 */
#include "mechanical_object.h"
#include "mechanical_object_elsewhere.h"

#include <math.h>
#include <string.h>

#include <divan/contracts/mapping.h>
#include <divan/contracts/topology.h>
#include <divan/math/rigid.h>
#include <divan/memory.h>
#include <divan/types/color.h>
#include <divan/worst.h>

static const DvField fields[] = {
    DV_FIELD(MechanicalObject, position, "position", dv_type_coords, .unit = "m", .flags = DV_FIELD_EMPTY_IS_DEFAULT,
             .help = "coordinates of the points"),
    DV_FIELD(MechanicalObject, velocity, "velocity", dv_type_derivs, .unit = "m/s", .help = "velocities of the points"),
    DV_FIELD(MechanicalObject, force, "force", dv_type_derivs, .unit = "N", .flags = DV_FIELD_AT_LOAD,
             .help = "sum of the forces at the last evaluation"),
    DV_FIELD(MechanicalObject, rest_position, "rest_position", dv_type_coords, .unit = "m",
             .flags = DV_FIELD_EMPTY_IS_DEFAULT,
             .help = "coordinates without strain; those at the start when left out"),
    DV_FIELD(MechanicalObject, external_force, "externalForce", dv_type_derivs, .unit = "N",
             .help = "forces from outside, added in the next step and cleared after it"),
    DV_FIELD(MechanicalObject, derivative, "derivX", dv_type_derivs, .flags = DV_FIELD_AT_LOAD,
             .help = "displacement or acceleration that solvers work on"),
    DV_FIELD(MechanicalObject, free_position, "free_position", dv_type_coords, .unit = "m", .flags = DV_FIELD_AT_LOAD,
             .help = "coordinates of the motion without constraints"),
    DV_FIELD(MechanicalObject, free_velocity, "free_velocity", dv_type_derivs, .unit = "m/s", .flags = DV_FIELD_AT_LOAD,
             .help = "velocities of the motion without constraints"),
    DV_FIELD(MechanicalObject, constraint_force, "constraintForce", dv_type_derivs, .unit = "N",
             .flags = DV_FIELD_STATE,
             .help = "forces of constraints in the last step, which count in the geometric stiffness of mappings"),
    DV_FIELD(MechanicalObject, reset_position, "reset_position", dv_type_coords, .unit = "m", .flags = DV_FIELD_AT_LOAD,
             .help = "coordinates that a reset puts back"),
    DV_FIELD(MechanicalObject, reset_velocity, "reset_velocity", dv_type_derivs, .unit = "m/s",
             .flags = DV_FIELD_AT_LOAD, .help = "velocities that a reset puts back"),
    DV_FIELD(MechanicalObject, written_elsewhere, "writtenElsewhere", dv_type_bool, .init = "0",
             .flags = DV_FIELD_HIDDEN | DV_FIELD_INPUT | DV_FIELD_NOT_LINKED,
             .help = "internal: vectors on a device follow from it, which are fetched when somebody reads them"),
    DV_FIELD(MechanicalObject, links_changed, "linksChanged", dv_type_bool, .init = "0",
             .flags = DV_FIELD_HIDDEN | DV_FIELD_NOT_LINKED,
             .help = "internal: follows what vectors on a device were linked to"),
    DV_FIELD(MechanicalObject, rest_scale, "restScale", dv_type_double, .init = "1", .flags = DV_FIELD_AT_LOAD,
             .help = "factor of the rest positions that are copied from the positions"),
    DV_FIELD(MechanicalObject, use_topology, "useTopology", dv_type_bool, .init = "1", .flags = DV_FIELD_AT_LOAD,
             .help = "take the points of the topology in the same node when the scene gives none"),
    DV_FIELD(MechanicalObject, show_object, "showObject", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .group = "Drawing", .help = "draw the points"),
    DV_FIELD(MechanicalObject, show_object_scale, "showObjectScale", dv_type_double, .init = "0.1",
             .range = &dv_range_not_negative, .flags = DV_FIELD_DRAWING, .group = "Drawing",
             .help = "size of a drawn point"),
    DV_FIELD(MechanicalObject, show_indices, "showIndices", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .group = "Drawing", .help = "draw the numbers of the points"),
    DV_FIELD(MechanicalObject, show_indices_scale, "showIndicesScale", dv_type_double, .init = "1",
             .range = &dv_range_not_negative, .flags = DV_FIELD_DRAWING, .group = "Drawing",
             .help = "size of a drawn number"),
    DV_FIELD(MechanicalObject, show_vectors, "showVectors", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .group = "Drawing", .help = "draw the velocities"),
    DV_FIELD(MechanicalObject, show_vectors_scale, "showVectorsScale", dv_type_double, .init = "0.0001",
             .range = &dv_range_not_negative, .flags = DV_FIELD_DRAWING, .group = "Drawing",
             .help = "length of a drawn velocity of 1 m/s"),
    DV_FIELD(MechanicalObject, draw_mode, "drawMode", dv_type_int, .init = "0",
             .range = &(const DvRange){.least = 0, .most = 4}, .flags = DV_FIELD_DRAWING, .group = "Drawing",
             .help = "0: points; 1 to 4: spheres in the colour of showColor, red, green, blue"),
    DV_FIELD(MechanicalObject, show_color, "showColor", dv_type_color, .init = "1 1 1 1", .flags = DV_FIELD_DRAWING,
             .group = "Drawing", .help = "colour of points and numbers"),
    DV_FIELD(MechanicalObject, translation, "translation", dv_type_vec3d, .init = "0 0 0", .unit = "m",
             .group = "Transformation", .help = "moves the points at the start, after scale and rotation"),
    DV_FIELD(MechanicalObject, rotation, "rotation", dv_type_vec3d, .init = "0 0 0", .unit = "degree",
             .group = "Transformation", .help = "turns the points about x, then y, then z at the start"),
    DV_FIELD(MechanicalObject, scale, "scale3d", dv_type_vec3d, .init = "1 1 1", .group = "Transformation",
             .help = "stretches the points at the start"),
    DV_FIELD(MechanicalObject, translation2, "translation2", dv_type_vec3d, .init = "0 0 0", .unit = "m",
             .group = "Transformation", .flags = DV_FIELD_AT_LOAD,
             .help = "moves the points once the rest positions have been copied"),
    DV_FIELD(MechanicalObject, rotation2, "rotation2", dv_type_vec3d, .init = "0 0 0", .unit = "degree",
             .group = "Transformation", .flags = DV_FIELD_AT_LOAD,
             .help = "turns the points once the rest positions have been copied"),
    DV_FIELD(MechanicalObject, size, "size", dv_type_int, .init = "1", .flags = DV_FIELD_AT_LOAD,
             .help = "number of points"),
    DV_FIELD(MechanicalObject, reserve, "reserve", dv_type_int, .init = "0", .range = &dv_range_not_negative,
             .flags = DV_FIELD_LENIENT, .help = "number of points to keep memory for, when a topology will add some"),
    DV_LINK(MechanicalObject, topology_link, "topology", DV_TOPOLOGY,
            .help = "where the points come from; by default the topology of the node"),
    {0},
};

static DvStatus reinit(DvObject *object, void *self_)
{
    (void)object;
    MechanicalObject *self = self_;
    mechanical_object_scale(self, dv_data_doubles(&self->scale, NULL));
    mechanical_object_rotate(self, dv_data_doubles(&self->rotation, NULL));
    mechanical_object_translate(self, dv_data_doubles(&self->translation, NULL));
    return DV_OK;
}

static DvStatus construct(DvObject *object, void *self_)
{
    MechanicalObject *self = self_;
    self->dof = dv_dof_type(dv_object_variant(object));
    if (!self->dof)
        return dv_error(object, DV_ERROR_INVALID, "no DOF type '%s'", dv_object_variant(object));
    self->count = 1;
    mechanical_object_find_vectors(self);
    return DV_OK;
}

/* In single precision, as scenes of all years rely on. */
static bool single_precision(const DvObject *object, const char *name, double *value)
{
    const bool given = dv_attribute_number(object, name, value);
    *value = (double)(float)*value;
    return given;
}

/* Whether there is memory for the vectors that every step needs, and those of a solver. */
static DvStatus ask_for_points(const DvObject *object, const MechanicalObject *self, double points)
{
    enum { VECTORS = 8 };
    return dv_memory_ask(object, points * self->dof->coord * VECTORS * sizeof(double), "the vectors of %.0f points",
                         points);
}

static DvStatus parse(DvObject *object, void *self_, const DvAttributes *attributes)
{
    MechanicalObject *self = self_;
    elsewhere_begin(self, dv_attribute(attributes, "template"));
    if (dv_attribute(attributes, "size")) {
        const int32_t size = dv_data_int(&self->size);
        if (size > MECHANICAL_OBJECT_MOST_POINTS)
            return dv_field_error(&self->size, -1, "%d points are more than the %d a state may have", size,
                                  MECHANICAL_OBJECT_MOST_POINTS);
        const DvStatus room = ask_for_points(object, self, fmax(size, 0));
        if (room != DV_OK)
            return room;
        if (size >= 0) {
            mechanical_object_check_size(self, (uint32_t)size);
            mechanical_object_resize(self, (uint32_t)size);
        } else
            dv_field_warning(&self->size, -1, "%d points are too few; the number follows from the other fields", size);
    }
    double uniform = 1.0;
    if (single_precision(object, "scale", &uniform))
        dv_data_set(&self->scale, (const double[3]){uniform, uniform, uniform}, 1);

    const struct {
        const char *names[3];
        DvData *field;
        double otherwise;
    } shortcuts[] = {
        {{"sx", "sy", "sz"}, &self->scale, 1.0},           {{"rx", "ry", "rz"}, &self->rotation, 0.0},
        {{"dx", "dy", "dz"}, &self->translation, 0.0},     {{"rx2", "ry2", "rz2"}, &self->rotation2, 0.0},
        {{"dx2", "dy2", "dz2"}, &self->translation2, 0.0},
    };
    for (size_t k = 0; k < sizeof shortcuts / sizeof *shortcuts; k++) {
        double value[3];
        bool any = false;
        for (size_t c = 0; c < 3; c++) {
            value[c] = shortcuts[k].otherwise;
            any |= single_precision(object, shortcuts[k].names[c], &value[c]);
        }
        if (any)
            dv_data_set(shortcuts[k].field, value, 1);
    }
    return DV_OK;
}

static DvObject *topology_of(DvObject *object, MechanicalObject *self)
{
    if (dv_link_is_set(&self->topology_link))
        return dv_link_object(&self->topology_link);
    return dv_data_bool(&self->use_topology) ? dv_node_find(dv_object_node(object), DV_TOPOLOGY, DV_SEARCH_LOCAL)
                                             : NULL;
}

/* One point or none was given: the points of the topology take its place. */
static void take_points_of_topology(MechanicalObject *self, const DvTopologyOps *ops, void *topology,
                                    const double *positions)
{
    const uint32_t n = ops->point_count(topology), dim = self->dof->coord, deriv = self->dof->deriv;
    double last[6] = {0};
    const bool moving = mechanical_object_given(self, DV_VELOCITY) == 1; /* all with the one velocity */
    if (moving)
        memcpy(last, self->velocity.value, deriv * sizeof *last);
    mechanical_object_resize(self, n);
    if (n == 0)
        return;
    double *x = mechanical_object_write(self, DV_POSITION, DV_HOST, DV_OVERWRITE);
    for (uint32_t i = 0; i < n; i++) {
        memcpy(x + (size_t)i * dim, self->dof->origin, dim * sizeof *x);
        memcpy(x + (size_t)i * dim, positions + (size_t)i * 3, self->dof->spatial * sizeof *x);
    }
    if (!moving)
        return;
    double *v = mechanical_object_write(self, DV_VELOCITY, DV_HOST, DV_READ_WRITE);
    for (uint32_t i = 1; i < n; i++)
        memcpy(v + (size_t)i * deriv, last, deriv * sizeof *v);
}

static void copy_rest_positions(MechanicalObject *self)
{
    (void)dv_data_read(&self->rest_position);
    if (self->rest_position.count == self->count)
        return;
    const double factor = dv_data_double(&self->rest_scale);
    dv_data_share(&self->rest_position, &self->position);
    if (factor == 1.0 || self->count == 0)
        return;
    const uint32_t dim = self->dof->coord, scaled = self->dof == &dv_rigid3d ? 3 : dim;
    double *at = dv_data_begin(&self->rest_position, self->count);
    for (uint32_t i = 0; i < self->count; i++)
        for (uint32_t c = 0; c < scaled; c++)
            at[(size_t)i * dim + c] *= factor;
    dv_data_end(&self->rest_position);
}

static bool is_mapped(DvObject *object)
{
    const DvNode *node = dv_object_node(object);
    return node && dv_node_slot(node, DV_MAPPING);
}

/* Four zeros are no rotation: they count as none, 0 0 0 1. Other lengths than 1 stretch what hangs on the body. */
static void check_orientations(const MechanicalObject *self, DvData *positions)
{
    size_t count;
    const double *at = dv_data_doubles(positions, &count);
    if (self->dof != &dv_rigid3d || !dv_data_is_set(positions))
        return;
    DvWorst zero = {0}, other = {0};
    for (size_t i = 0; i < count; i++) {
        const double *q = at + i * 7 + 3, length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        if (!(length > 0.0))
            dv_worst_add(&zero, (uint32_t)i, 0.0);
        else if (fabs(length - 1.0) >= 0.01)
            dv_worst_add(&other, (uint32_t)i, fabs(length - 1.0));
    }
    char worst[DV_WORST_TEXT];
    if (other.count) {
        const double *q = at + (size_t)other.index[0] * 7 + 3;
        dv_field_warning(positions, other.index[0],
                         "the quaternion %g %g %g %g has length %g; that of a rotation has length 1", q[0], q[1], q[2],
                         q[3], sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]));
    }
    if (!zero.count)
        return;
    dv_field_warning(positions, -1,
                     "the orientation of %u %s is 0 0 0 0, which is no rotation, and counts as 0 0 0 1, which turns "
                     "nothing (body %s); a body is x y z and a quaternion",
                     zero.count, zero.count == 1 ? "body" : "bodies", dv_worst_text(&zero, worst));
    double *to = dv_data_begin(positions, count);
    for (size_t i = 0; i < count; i++)
        if (!(to[i * 7 + 3] != 0.0 || to[i * 7 + 4] != 0.0 || to[i * 7 + 5] != 0.0 || to[i * 7 + 6] != 0.0))
            to[i * 7 + 6] = 1.0;
    dv_data_end(positions);
}

static DvStatus init(DvObject *object, void *self_)
{
    MechanicalObject *self = self_;
    DvObject *topology = topology_of(object, self);
    const DvStatus status = topology ? dv_object_initialise_first(object, topology) : DV_OK;
    if (status != DV_OK)
        return status;
    const DvTopologyOps *ops = topology ? dv_object_ops(topology, DV_TOPOLOGY) : NULL;
    void *topology_self = topology ? dv_object_self(topology) : NULL;
    const DvStatus room = ask_for_points(object, self, ops ? ops->point_count(topology_self) : 0.0);
    if (room != DV_OK)
        return room;

    mechanical_object_begin(self);
    mechanical_object_agree_on_size(self);
    bool spread = false;
    if (mechanical_object_asks_for_points(self)) {
        if (topology && !dv_object_is_valid(topology))
            return dv_object_require(object, topology); /* whose points it would have */
        const double *positions = ops ? ops->positions(topology_self) : NULL;
        if (positions && ops->point_count(topology_self) == 0)
            dv_warning(object,
                       "has no points: topology '%s' gives positions, but no number of points here; give it "
                       "elements, or give 'position' here",
                       dv_object_name(topology));
        if (positions ||
            (ops && ops->point_count(topology_self) == 0 && ops->grid && ops->grid(topology_self, &(DvGridShape){0})))
            take_points_of_topology(self, ops, topology_self, positions), spread = true;
        else if (self->position.count == 0)
            mechanical_object_resize(self, 0);
    }
    if (!is_mapped(object)) { /* else a mapping computes most of them */
        mechanical_object_check_lengths(self, spread);
        check_orientations(self, &self->position);
        check_orientations(self, &self->rest_position);
    }
    (void)reinit(object, self);
    copy_rest_positions(self);
    mechanical_object_rotate(self, dv_data_doubles(&self->rotation2, NULL));
    mechanical_object_translate(self, dv_data_doubles(&self->translation2, NULL));

    elsewhere_ready(self);
    return ops && ops->is_dynamic(topology_self) ? mechanical_object_follow(self, topology) : DV_OK;
}

static bool is_moving(MechanicalObject *self)
{
    const double *v = mechanical_object_read(self, DV_VELOCITY, DV_HOST);
    for (size_t i = 0; v && i < mechanical_object_length_of(self, DV_VELOCITY); i++)
        if (v[i] != 0.0)
            return true;
    return false;
}

/* What the scene gives acts in the first step of each run. */
static void keep_external_force(MechanicalObject *self)
{
    dv_free(self->first_external_force);
    self->first_external_force = NULL;
    self->first_external_count = 0;
    if (!mechanical_object_has_external_force(self))
        return;
    const size_t count = self->external_force.count, bytes = count * self->dof->deriv * sizeof(double);
    self->first_external_force = dv_alloc(count, self->dof->deriv * sizeof(double));
    self->first_external_count = count;
    memcpy(self->first_external_force, dv_data_read(&self->external_force), bytes);
}

static void store_reset_state(DvObject *object, void *self_)
{
    MechanicalObject *self = self_;
    mechanical_object_keep_first(self);
    keep_external_force(self);
    if (is_mapped(object))
        return;
    dv_data_share(&self->reset_position, &self->position);
    if (is_moving(self))
        dv_data_share(&self->reset_velocity, &self->velocity);
}

static void reset(DvObject *object, void *self_)
{
    (void)object;
    MechanicalObject *self = self_;
    mechanical_object_clear(self, DV_FORCE);
    if (mechanical_object_has(self, DV_LAMBDA))
        mechanical_object_clear(self, DV_LAMBDA);
    if (self->first_external_count && self->first_external_count == self->external_force.count)
        dv_data_set(&self->external_force, self->first_external_force, self->first_external_count);
    if (!mechanical_object_has(self, DV_RESET_POSITION))
        return;
    mechanical_object_combine(self, DV_POSITION, DV_RESET_POSITION, DV_NO_VEC, 0.0);
    if (mechanical_object_has(self, DV_RESET_VELOCITY))
        mechanical_object_combine(self, DV_VELOCITY, DV_RESET_VELOCITY, DV_NO_VEC, 0.0);
    else
        mechanical_object_clear(self, DV_VELOCITY);
    if (mechanical_object_has(self, DV_FREE_POSITION))
        mechanical_object_combine(self, DV_FREE_POSITION, DV_POSITION, DV_NO_VEC, 0.0);
    if (mechanical_object_has(self, DV_FREE_VELOCITY))
        mechanical_object_combine(self, DV_FREE_VELOCITY, DV_VELOCITY, DV_NO_VEC, 0.0);
}

/* Of a state that was cut or changed by hand, one vector has another length, or all have that of another mesh. */
static DvStatus check_restored(DvObject *object, MechanicalObject *self)
{
    DvData *const vectors[] = {&self->velocity, &self->force, &self->external_force};
    const size_t count = self->position.count;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        (void)dv_data_read(vectors[i]);
        if (vectors[i]->count != count)
            return dv_field_error(vectors[i], -1, "the saved state has %zu entries for %zu positions",
                                  vectors[i]->count, count);
    }
    DvObject *topology = topology_of(object, self);
    const DvTopologyOps *ops = topology ? dv_object_ops(topology, DV_TOPOLOGY) : NULL;
    const bool is_fixed =
        ops && !ops->is_dynamic(dv_object_self(topology)) && ops->point_count(dv_object_self(topology)) == self->count;
    if (is_fixed && count != self->count)
        return dv_field_error(&self->position, -1, "the saved state has %zu points, topology '%s' has %u", count,
                              dv_object_name(topology), self->count);
    return DV_OK;
}

/* A force of zeros is what a step leaves that has used one up. */
static void forget_used_force(MechanicalObject *self)
{
    const double *force = dv_data_read(&self->external_force);
    const size_t count = self->external_force.count * self->dof->deriv;
    for (size_t i = 0; i < count; i++)
        if (force[i] != 0.0)
            return;
    self->external_force_released = self->external_force.version;
}

/* The fields were put back, perhaps with another number of points. */
static DvStatus restore(DvObject *object, void *self_)
{
    MechanicalObject *self = self_;
    (void)dv_data_read(&self->position);
    const DvStatus status = check_restored(object, self);
    if (status != DV_OK)
        return status;
    mechanical_object_resize(self, (uint32_t)self->position.count);
    forget_used_force(self);
    return DV_OK;
}

static void bounding_box(DvObject *object, void *self_, double *box)
{
    (void)object;
    MechanicalObject *self = self_;
    const uint32_t dim = self->dof->coord;
    const double *at = mechanical_object_read(self, DV_POSITION, DV_HOST);
    for (uint32_t i = 0; i < self->count; i++) {
        for (uint32_t c = 0; c < 3; c++) {
            const double x = c < self->dof->spatial ? at[(size_t)i * dim + c] : 0.0;
            box[c] = x < box[c] ? x : box[c];
            box[3 + c] = x > box[3 + c] ? x : box[3 + c];
        }
    }
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    MechanicalObject *self = self_;
    dv_element_data_detach(&self->points);
    mechanical_object_forget_first(self);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    MechanicalObject *self = self_;
    elsewhere_end(self);
    dv_free(self->first_external_force);
    dv_state_vectors_free(&self->own);
}

const DvClass dv_mechanical_object = {
    .size = sizeof(DvClass),
    .name = "MechanicalObject",
    .variants = "Rigid2d Rigid3d Vec1d Vec2d Vec3d Vec6d",
    .default_variant = "Vec3d",
    .bases = (const char *const[]){"MechanicalState", "BaseMechanicalState", "State", NULL},
    .family = "states",
    .module = "Sofa.Component.StateContainer",
    .help = "Positions, velocities and forces of the points of a body, and the vectors solvers work with.",
    .instance_size = sizeof(MechanicalObject),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_STATE, .ops = &mechanical_object_state_ops, .slot = true},
                                      {.id = DV_STATE_POINTS, .ops = &mechanical_object_points_ops},
                                      {.id = DV_DRAWABLE, .ops = &mechanical_object_drawable_ops},
                                      {0}},
    .construct = construct,
    .parse = parse,
    .init = init,
    .reinit = reinit,
    .store_reset_state = store_reset_state,
    .reset = reset,
    .update = elsewhere_update,
    .bounding_box = bounding_box,
    .restore = restore,
    .cleanup = cleanup,
    .destroy = destroy,
};
