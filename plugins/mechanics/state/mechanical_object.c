/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MechanicalObject: the degrees of freedom of a body, and the vectors over them.
 *
 * Vectors that scenes may name (position, velocity, force...) are the values of fields and are changed in place; those that
 * solvers ask for live in arrays of the object, whose memory is kept when they are released. All vectors that exist follow a
 * change of size. Before the first step the coordinates come from the fields or from a topology in the same node, then
 *   position <- scale, rotate, translate;   rest_position <- position, unless given;   position <- rotation2, translation2
 *
 * Limits: memory of the host only; the kind of a point is chosen by `template`: Vec1d, Vec2d, Vec3d, Vec6d, Rigid2d, Rigid3d.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include <divan/contracts/mapping.h>
#include <divan/contracts/state.h>
#include <divan/contracts/topology.h>
#include <divan/contracts/visual.h>
#include <divan/element_data.h>
#include <divan/math/rigid.h>
#include <divan/memory.h>
#include <divan/types/color.h>

#include "vector_arithmetic.h"

/* What `size` and `reserve` may ask for: a slip must not take all memory. */
#define MOST_POINTS 20000000

/* A vector that no field names. */
typedef struct Vector {
    double *at;
    size_t capacity; /* doubles */
    bool exists;
} Vector;

typedef struct MechanicalObject {
    DvData position, rest_position, reset_position, free_position; /* coordinates */
    DvData velocity, reset_velocity, free_velocity;                /* derivatives */
    DvData force, external_force, derivative;
    DvData rest_scale, use_topology;
    DvData translation, rotation, scale, translation2, rotation2;
    DvData size, reserve;
    DvData show_object, show_object_scale, show_indices, show_indices_scale, show_vectors, show_vectors_scale;
    DvData draw_mode, show_color;
    DvLink topology_link;

    const DvDofType *dof;
    uint32_t count;                   /* points */
    DvData *of_id[DV_FIRST_FREE_VEC]; /* the field of a vector, or NULL */
    Vector own[DV_MAX_VEC];           /* the others */
    bool initialised;                 /* before that, the fields decide how many points there are */
    uint64_t external_force_released; /* version of externalForce when it was last cleared; 0: never */
    DvElementData points;             /* attached to a topology that may change; entries are not used */
} MechanicalObject;

static const DvField fields[] = {
    DV_FIELD(MechanicalObject, position, "position", dv_type_coords, .unit = "m", .help = "coordinates of the points"),
    DV_FIELD(MechanicalObject, velocity, "velocity", dv_type_derivs, .unit = "m/s", .help = "velocities of the points"),
    DV_FIELD(MechanicalObject, force, "force", dv_type_derivs, .unit = "N",
             .help = "sum of the forces at the last evaluation"),
    DV_FIELD(MechanicalObject, rest_position, "rest_position", dv_type_coords, .unit = "m",
             .help = "coordinates without strain; those at the start when left out"),
    DV_FIELD(MechanicalObject, external_force, "externalForce", dv_type_derivs, .unit = "N",
             .help = "forces from outside, added in the next step and cleared after it"),
    DV_FIELD(MechanicalObject, derivative, "derivX", dv_type_derivs,
             .help = "displacement or acceleration that solvers work on"),
    DV_FIELD(MechanicalObject, free_position, "free_position", dv_type_coords, .unit = "m",
             .help = "coordinates of the motion without constraints"),
    DV_FIELD(MechanicalObject, free_velocity, "free_velocity", dv_type_derivs, .unit = "m/s",
             .help = "velocities of the motion without constraints"),
    DV_FIELD(MechanicalObject, reset_position, "reset_position", dv_type_coords, .unit = "m",
             .help = "coordinates that a reset puts back"),
    DV_FIELD(MechanicalObject, reset_velocity, "reset_velocity", dv_type_derivs, .unit = "m/s",
             .help = "velocities that a reset puts back"),
    DV_FIELD(MechanicalObject, rest_scale, "restScale", dv_type_double, .init = "1",
             .help = "factor of the rest positions that are copied from the positions"),
    DV_FIELD(MechanicalObject, use_topology, "useTopology", dv_type_bool, .init = "1",
             .help = "take the points of the topology in the same node when the scene gives none"),
    DV_FIELD(MechanicalObject, show_object, "showObject", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .group = "Drawing", .help = "draw the points"),
    DV_FIELD(MechanicalObject, show_object_scale, "showObjectScale", dv_type_double, .init = "0.1",
             .flags = DV_FIELD_DRAWING, .group = "Drawing", .help = "size of a drawn point"),
    DV_FIELD(MechanicalObject, show_indices, "showIndices", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .group = "Drawing", .help = "draw the numbers of the points"),
    DV_FIELD(MechanicalObject, show_indices_scale, "showIndicesScale", dv_type_double, .init = "1",
             .flags = DV_FIELD_DRAWING, .group = "Drawing", .help = "size of a drawn number"),
    DV_FIELD(MechanicalObject, show_vectors, "showVectors", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .group = "Drawing", .help = "draw the velocities"),
    DV_FIELD(MechanicalObject, show_vectors_scale, "showVectorsScale", dv_type_double, .init = "0.0001",
             .flags = DV_FIELD_DRAWING, .group = "Drawing", .help = "length of a drawn velocity of 1 m/s"),
    DV_FIELD(MechanicalObject, draw_mode, "drawMode", dv_type_int, .init = "0", .flags = DV_FIELD_DRAWING,
             .group = "Drawing", .help = "0: points; 1 to 4: spheres in the colour of showColor, red, green, blue"),
    DV_FIELD(MechanicalObject, show_color, "showColor", dv_type_color, .init = "1 1 1 1", .flags = DV_FIELD_DRAWING,
             .group = "Drawing", .help = "colour of points and numbers"),
    DV_FIELD(MechanicalObject, translation, "translation", dv_type_vec3d, .init = "0 0 0", .unit = "m",
             .group = "Transformation", .help = "moves the points at the start, after scale and rotation"),
    DV_FIELD(MechanicalObject, rotation, "rotation", dv_type_vec3d, .init = "0 0 0", .unit = "degree",
             .group = "Transformation", .help = "turns the points about x, then y, then z at the start"),
    DV_FIELD(MechanicalObject, scale, "scale3d", dv_type_vec3d, .init = "1 1 1", .group = "Transformation",
             .help = "stretches the points at the start"),
    DV_FIELD(MechanicalObject, translation2, "translation2", dv_type_vec3d, .init = "0 0 0", .unit = "m",
             .group = "Transformation", .help = "moves the points once the rest positions have been copied"),
    DV_FIELD(MechanicalObject, rotation2, "rotation2", dv_type_vec3d, .init = "0 0 0", .unit = "degree",
             .group = "Transformation", .help = "turns the points once the rest positions have been copied"),
    DV_FIELD(MechanicalObject, size, "size", dv_type_int, .init = "1", .help = "number of points"),
    DV_FIELD(MechanicalObject, reserve, "reserve", dv_type_int, .init = "0",
             .help = "number of points to keep memory for, when a topology will add some"),
    DV_LINK(MechanicalObject, topology_link, "topology", DV_TOPOLOGY,
            .help = "where the points come from; by default the topology of the node"),
    {0},
};

/* The vectors that are fields, and those of them that always exist. */
static const struct {
    DvVecId id;
    size_t offset;
    bool always;
} vector_fields[] = {
    {DV_POSITION, offsetof(MechanicalObject, position), true},
    {DV_REST_POSITION, offsetof(MechanicalObject, rest_position), false},
    {DV_RESET_POSITION, offsetof(MechanicalObject, reset_position), false},
    {DV_FREE_POSITION, offsetof(MechanicalObject, free_position), false},
    {DV_VELOCITY, offsetof(MechanicalObject, velocity), true},
    {DV_RESET_VELOCITY, offsetof(MechanicalObject, reset_velocity), false},
    {DV_FREE_VELOCITY, offsetof(MechanicalObject, free_velocity), false},
    {DV_FORCE, offsetof(MechanicalObject, force), true},
    {DV_EXTERNAL_FORCE, offsetof(MechanicalObject, external_force), true},
    {DV_DX, offsetof(MechanicalObject, derivative), false},
};
#define VECTOR_FIELDS (sizeof vector_fields / sizeof *vector_fields)

/* What an existing vector of no points points to, so that NULL always means: does not exist. */
static const double no_points[8] __attribute__((aligned(64)));

/* ---- Vectors ---- */

static inline uint32_t dim_of(const MechanicalObject *self, DvVecId id)
{
    return dv_vec_kind(id) == DV_COORDS ? self->dof->coord : self->dof->deriv;
}

static inline size_t length_of(const MechanicalObject *self, DvVecId id)
{
    return (size_t)self->count * dim_of(self, id);
}

static inline DvData *field_of(const MechanicalObject *self, DvVecId id)
{
    return id < DV_FIRST_FREE_VEC ? self->of_id[id] : NULL;
}

/* Points [from, count) of a vector: default coordinates or zeros. */
static void blank(const MechanicalObject *self, DvVecId id, double *at, uint32_t from, uint32_t count)
{
    const uint32_t dim = dim_of(self, id);
    if (dv_vec_kind(id) == DV_DERIVS) {
        dv_array_fill(at + (size_t)from * dim, (size_t)(count - from) * dim, 0.0);
        return;
    }
    for (uint32_t i = from; i < count; i++)
        memcpy(at + (size_t)i * dim, self->dof->origin, dim * sizeof *at);
}

/* New entries are the default of the field's type: default coordinates or zeros. */
static double *resize_field(DvData *data, uint32_t count)
{
    double *at = dv_data_begin(data, count);
    dv_data_end(data);
    return count ? at : NULL;
}

static void reserve_own(MechanicalObject *self, DvVecId id, uint32_t count)
{
    Vector *v = &self->own[id];
    const int32_t hint = dv_data_int(&self->reserve);
    const size_t points = hint > 0 && (uint32_t)hint > count && hint <= MOST_POINTS ? (uint32_t)hint : count;
    const size_t needed = points * dim_of(self, id);
    if (v->at && v->capacity >= (size_t)count * dim_of(self, id))
        return;
    v->at = dv_realloc(v->at, v->capacity * sizeof *v->at, needed * sizeof *v->at);
    v->capacity = needed;
}

static void resize(void *self, uint32_t count);

/* All vectors get the length of the longest. */
static void agree_on_size(MechanicalObject *self, bool with_warnings)
{
    size_t longest = 0;
    for (size_t k = 0; k < VECTOR_FIELDS; k++) {
        DvData *data = self->of_id[vector_fields[k].id];
        (void)dv_data_read(data);
        if (data->count > longest)
            longest = data->count;
    }
    for (size_t k = 0; with_warnings && k < VECTOR_FIELDS; k++) {
        DvData *data = self->of_id[vector_fields[k].id];
        if (data->count > 1 && data->count != longest)
            dv_field_warning(data, -1, "%zu entries where other fields have %zu; the missing ones are taken as %s",
                             data->count, longest,
                             dv_vec_kind(vector_fields[k].id) == DV_COORDS ? "the origin" : "zero");
    }
    if (self->count < longest)
        resize(self, (uint32_t)longest);
}

static bool external_force_is_there(const MechanicalObject *self)
{
    DvData *data = self->of_id[DV_EXTERNAL_FORCE];
    return data->count != 0 && dv_data_version(data) != self->external_force_released;
}

static bool has(const void *self_, DvVecId id)
{
    const MechanicalObject *self = self_;
    const DvData *data = field_of(self, id);
    if (!data)
        return id < DV_MAX_VEC && self->own[id].exists;
    switch (id) {
    case DV_POSITION:
    case DV_VELOCITY:
    case DV_FORCE:
        return true;
    case DV_EXTERNAL_FORCE:
        return external_force_is_there(self);
    default:
        return data->count != 0;
    }
}

static const double *read(void *self_, DvVecId id, DvSpace space)
{
    MechanicalObject *self = self_;
    if (space != DV_HOST || !has(self, id))
        return NULL;
    DvData *data = field_of(self, id);
    if (!self->initialised)
        agree_on_size(self, false);
    if (!data)
        return self->own[id].at;
    const double *at = dv_data_read(data);
    if (data->count != self->count) /* an engine or a user gave another number of points */
        at = resize_field(data, self->count);
    return at ? at : no_points;
}

static double *write(void *self_, DvVecId id, DvSpace space, DvAccess access)
{
    MechanicalObject *self = self_;
    if (space != DV_HOST || id == DV_NO_VEC || id >= DV_MAX_VEC)
        return NULL;
    DvData *data = field_of(self, id);
    if (!self->initialised)
        agree_on_size(self, false);
    if (data) {
        if (access == DV_READ_WRITE && id == DV_EXTERNAL_FORCE && !external_force_is_there(self) && data->count != 0) {
            double *zero = dv_data_begin_all(data, self->count); /* left from an earlier step */
            blank(self, id, zero, 0, self->count);
            dv_data_end(data);
            return zero;
        }
        if (data->count != self->count)
            (void)resize_field(data, self->count);
        double *at = access == DV_OVERWRITE ? dv_data_begin_all(data, self->count) : dv_data_begin(data, self->count);
        dv_data_end(data);
        return self->count ? at : (double *)(uintptr_t)no_points;
    }
    Vector *v = &self->own[id];
    if (!v->exists) {
        reserve_own(self, id, self->count);
        blank(self, id, v->at, 0, self->count);
        v->exists = true;
    }
    return v->at;
}

static void release(void *self_, DvVecId id)
{
    MechanicalObject *self = self_;
    if (id >= DV_FIRST_FREE_VEC && id < DV_MAX_VEC) {
        self->own[id].exists = false;
    } else if (id == DV_EXTERNAL_FORCE && external_force_is_there(self)) {
        double *at = dv_data_begin_all(&self->external_force, self->external_force.count);
        dv_array_fill(at, self->external_force.count * self->dof->deriv, 0.0);
        dv_data_end(&self->external_force);
        self->external_force_released = self->external_force.version;
    }
}

static void set_count(MechanicalObject *self, uint32_t count)
{
    self->count = count;
    if (dv_data_int(&self->size) != (int32_t)count)
        dv_data_set_int(&self->size, (int32_t)count);
}

static void resize(void *self_, uint32_t count)
{
    MechanicalObject *self = self_;
    const uint32_t old = self->count;
    set_count(self, count);
    for (size_t k = 0; k < VECTOR_FIELDS; k++) {
        DvData *data = self->of_id[vector_fields[k].id];
        (void)dv_data_read(data);
        if (data->count != count && (data->count != 0 || vector_fields[k].always))
            (void)resize_field(data, count);
    }
    for (DvVecId id = 0; id < DV_MAX_VEC; id++) {
        if (!self->own[id].exists)
            continue;
        reserve_own(self, id, count);
        if (count > old)
            blank(self, id, self->own[id].at, old, count);
    }
}

/* ---- Vector arithmetic ---- */

static void clear(void *self_, DvVecId id)
{
    MechanicalObject *self = self_;
    double *at = write(self, id, DV_HOST, DV_OVERWRITE);
    if (dv_vec_kind(id) == DV_COORDS)
        blank(self, id, at, 0, self->count);
    else
        memset(at, 0, length_of(self, id) * sizeof *at);
}

/* r = a + k b where one operand may be absent; false when the kinds of operands have no such operation. */
static bool combine_kinds(MechanicalObject *self, DvVecId r, DvVecId a, DvVecId b, double k)
{
    const DvDofType *dof = self->dof;
    const bool flat = dof != &dv_rigid3d; /* coordinates and derivatives are the same kind of arrays */
    const DvVecKind kind = dv_vec_kind(r);
    const bool same_a = a == DV_NO_VEC || flat || dv_vec_kind(a) == kind;
    const bool same_b = b == DV_NO_VEC || flat || dv_vec_kind(b) == kind;
    const double *at_a = a == DV_NO_VEC ? NULL : read(self, a, DV_HOST);
    const double *at_b = b == DV_NO_VEC ? NULL : read(self, b, DV_HOST);
    double *at_r = write(self, r, DV_HOST, r == a || r == b ? DV_READ_WRITE : DV_OVERWRITE);
    /* The write may have moved a value that was shared. */
    at_a = a == r ? at_r : at_a;
    at_b = b == r ? at_r : at_b;
    const size_t n = length_of(self, r);

    if (!at_a && !at_b) {
        blank(self, r, at_r, 0, self->count);
        return true;
    }
    if (!at_b) {
        if (same_a)
            dv_array_copy(at_r, at_a, n);
        return same_a;
    }
    if (dof->rotation && kind == DV_DERIVS && at_a && dv_vec_kind(a) == DV_COORDS && dv_vec_kind(b) == DV_COORDS) {
        if (k == -1.0)
            dv_dof_difference(dof, self->count, at_r, at_a, at_b);
        return k == -1.0;
    }
    if (!flat && kind == DV_COORDS) {
        const bool integrates = at_a && dv_vec_kind(a) == DV_COORDS && dv_vec_kind(b) == DV_DERIVS;
        if (integrates)
            dv_dof_integrate(dof, self->count, at_r, at_a, at_b, k);
        else if (!at_a && same_b && k == 1.0)
            dv_array_copy(at_r, at_b, n);
        return integrates || (!at_a && same_b && k == 1.0);
    }
    if (!same_a || !same_b)
        return false;
    if (!at_a)
        dv_array_scale(at_r, at_b, n, k);
    else
        dv_array_add_scaled(at_r, at_a, at_b, n, k);
    return true;
}

static void combine(void *self_, DvVecId r, DvVecId a, DvVecId b, double k)
{
    MechanicalObject *self = self_;
    static const char *const kind_names[] = {"coordinates", "derivatives"};
    if (!combine_kinds(self, r, a, b, k))
        (void)dv_error(dv_object_of(self), DV_ERROR_UNSUPPORTED,
                       "%s + %g x %s of %s points do not give %s: rotations integrate, they are not added",
                       a == DV_NO_VEC ? "nothing" : kind_names[dv_vec_kind(a)], k,
                       b == DV_NO_VEC ? "nothing" : kind_names[dv_vec_kind(b)], self->dof->name,
                       kind_names[dv_vec_kind(r)]);
}

static double dot(void *self_, DvVecId a, DvVecId b)
{
    MechanicalObject *self = self_;
    const double *at_a = read(self, a, DV_HOST), *at_b = read(self, b, DV_HOST);
    return at_a && at_b ? dv_array_dot(at_a, at_b, length_of(self, a)) : 0.0;
}

static uint32_t first_not_finite(void *self_, DvVecId a)
{
    MechanicalObject *self = self_;
    const double *at = read(self, a, DV_HOST);
    const size_t n = length_of(self, a);
    if (!at || dv_array_is_finite(at, n))
        return UINT32_MAX;
    size_t i = 0;
    while (isfinite(at[i]))
        i++;
    return (uint32_t)(i / dim_of(self, a));
}

static const DvDofType *dof_type(const void *self)
{
    return ((const MechanicalObject *)self)->dof;
}

static uint32_t point_count(const void *self_)
{
    const MechanicalObject *self = self_;
    if (!self->initialised)
        agree_on_size((MechanicalObject *)(uintptr_t)self_, false);
    return self->count;
}

static const DvStateOps state_ops = {
    .size = sizeof(DvStateOps),
    .spaces = DV_IN_HOST,
    .dof_type = dof_type,
    .count = point_count,
    .resize = resize,
    .read = read,
    .write = write,
    .has = has,
    .release = release,
    .clear = clear,
    .combine = combine,
    .dot = dot,
    .first_not_finite = first_not_finite,
};

/* ---- Following a topology that changes ---- */

/* Calls fn for every vector that exists, with its array of `self->count` points or more. */
static void for_each_vector(MechanicalObject *self, void (*fn)(MechanicalObject *, DvVecId, double *, const void *),
                            const void *context)
{
    for (DvVecId id = 1; id < DV_MAX_VEC; id++)
        if (has(self, id))
            fn(self, id, write(self, id, DV_HOST, DV_READ_WRITE), context);
}

static void overwrite_by_last(MechanicalObject *self, DvVecId id, double *at, const void *index)
{
    const uint32_t dim = dim_of(self, id);
    memcpy(at + *(const uint32_t *)index * (size_t)dim, at + (size_t)(self->count - 1) * dim, dim * sizeof *at);
}

/* Entry i of the change becomes the weighted mean of its ancestors. */
typedef struct Descent {
    const DvElementChange *change;
    uint32_t first; /* point of entry 0 of an addition */
} Descent;

static void mix_from_ancestors(MechanicalObject *self, DvVecId id, double *at, const void *context)
{
    const Descent *descent = context;
    const DvElementChange *change = descent->change;
    const uint32_t dim = dim_of(self, id);
    for (uint32_t i = 0; i < change->count; i++) {
        const uint32_t begin = change->ancestor_start[i], end = change->ancestor_start[i + 1];
        const uint32_t point = change->change == DV_POINTS_MOVED ? change->indices[i] : descent->first + i;
        if (begin == end || point >= self->count)
            continue;
        const double *weights = change->weights ? change->weights + begin : NULL;
        double mean[7] = {0};
        if (self->dof == &dv_rigid3d && dv_vec_kind(id) == DV_COORDS) {
            dv_rigid3_store(dv_rigid3_interpolate(at, change->ancestors + begin, weights, end - begin), mean);
        } else {
            for (uint32_t j = begin; j < end; j++)
                for (uint32_t c = 0; c < dim; c++)
                    mean[c] += (weights ? weights[j - begin] : 1.0 / (end - begin)) *
                               at[(size_t)change->ancestors[j] * dim + c];
        }
        memcpy(at + (size_t)point * dim, mean, dim * sizeof *at);
    }
}

static void renumber(MechanicalObject *self, DvVecId id, double *at, const void *context)
{
    const DvElementChange *change = context;
    const uint32_t dim = dim_of(self, id);
    double *old = dv_alloc(self->count, dim * sizeof *old);
    memcpy(old, at, (size_t)self->count * dim * sizeof *old);
    for (uint32_t i = 0; i < change->count && i < self->count; i++)
        if (change->indices[i] < self->count)
            memcpy(at + (size_t)i * dim, old + (size_t)change->indices[i] * dim, dim * sizeof *at);
    dv_free(old);
}

/* Of a removal, the mesh has its points no more, the state still has. */
static void remove_points(MechanicalObject *self, const DvElementChange *change)
{
    for (uint32_t i = 0; i < change->count; i++)
        if (change->indices[i] < self->count) {
            for_each_vector(self, overwrite_by_last, &change->indices[i]);
            self->count--;
        }
    resize(self, self->count);
}

static void points_changed(DvElementData *data, const DvElementChange *change)
{
    MechanicalObject *self = data->owner;
    if (change->without_states)
        return;
    const Descent descent = {change, self->count};
    switch (change->change) {
    case DV_ELEMENTS_ADDED:
        resize(self, self->count + change->count);
        if (change->ancestor_start)
            for_each_vector(self, mix_from_ancestors, &descent);
        break;
    case DV_ELEMENTS_REMOVED:
        remove_points(self, change);
        break;
    case DV_ELEMENTS_RENUMBERED:
        for_each_vector(self, renumber, change);
        break;
    case DV_POINTS_MOVED:
        if (change->ancestor_start)
            for_each_vector(self, mix_from_ancestors, &descent);
        break;
    }
}

/* ---- Transformations ---- */

static void scale_positions(MechanicalObject *self, const double *scale)
{
    if (scale[0] == 1.0 && scale[1] == 1.0 && scale[2] == 1.0)
        return;
    const uint32_t dim = self->dof->coord, leading = dim < 3 ? dim : 3;
    double *at = write(self, DV_POSITION, DV_HOST, DV_READ_WRITE);
    for (uint32_t i = 0; i < self->count; i++)
        for (uint32_t c = 0; c < leading; c++)
            at[(size_t)i * dim + c] *= scale[c];
}

static void rotate_positions(MechanicalObject *self, const double *degrees)
{
    if (degrees[0] == 0.0 && degrees[1] == 0.0 && degrees[2] == 0.0)
        return;
    const DvQuat q = dv_quat_from_euler_degrees(dv_vec3_load(degrees));
    const uint32_t dim = self->dof->coord, spatial = self->dof->spatial;
    double *at = write(self, DV_POSITION, DV_HOST, DV_READ_WRITE);
    for (uint32_t i = 0; i < self->count; i++) {
        double *x = at + (size_t)i * dim, p[3] = {0, 0, 0};
        memcpy(p, x, spatial * sizeof *x);
        dv_vec3_store(dv_quat_rotate(q, dv_vec3_load(p)), p);
        memcpy(x, p, spatial * sizeof *x);
        if (self->dof == &dv_rigid3d)
            dv_quat_store(dv_quat_mul(q, dv_quat_load(x + 3)), x + 3);
    }
}

static void translate_positions(MechanicalObject *self, const double *by)
{
    if (by[0] == 0.0 && by[1] == 0.0 && by[2] == 0.0)
        return;
    const uint32_t dim = self->dof->coord;
    double *at = write(self, DV_POSITION, DV_HOST, DV_READ_WRITE);
    for (uint32_t i = 0; i < self->count; i++)
        for (uint32_t c = 0; c < self->dof->spatial; c++)
            at[(size_t)i * dim + c] += by[c];
}

static DvStatus reinit(DvObject *object, void *self_)
{
    (void)object;
    MechanicalObject *self = self_;
    scale_positions(self, dv_data_doubles(&self->scale, NULL));
    rotate_positions(self, dv_data_doubles(&self->rotation, NULL));
    translate_positions(self, dv_data_doubles(&self->translation, NULL));
    return DV_OK;
}

/* ---- Lifecycle ---- */

static DvStatus construct(DvObject *object, void *self_)
{
    MechanicalObject *self = self_;
    self->dof = dv_dof_type(dv_object_variant(object));
    if (!self->dof)
        return dv_error(object, DV_ERROR_INVALID, "no DOF type '%s'", dv_object_variant(object));
    self->count = 1;
    for (size_t k = 0; k < VECTOR_FIELDS; k++) {
        DvData *data = (DvData *)(void *)((char *)self + vector_fields[k].offset);
        self->of_id[vector_fields[k].id] = data;
        if (vector_fields[k].always)
            (void)resize_field(data, 1);
    }
    return DV_OK;
}

/* A number that is all of an attribute, read in single precision as scenes of all years rely on; false when there is none. */
static bool single_precision(DvObject *object, const DvAttributes *attributes, const char *name, double *value)
{
    const char *text = dv_attribute(attributes, name);
    if (!text)
        return false;
    double number;
    const char *end = text;
    if (dv_read_double(&end, &number)) {
        while (*end == ' ' || *end == '\t' || *end == '\n' || *end == '\r')
            end++;
        if (*end == '\0') {
            *value = (double)(float)number;
            return true;
        }
    }
    dv_warning(object, "attribute '%s' must be one number, not \"%s\"; %g is used", name, text, *value);
    return true;
}

static DvStatus parse(DvObject *object, void *self_, const DvAttributes *attributes)
{
    MechanicalObject *self = self_;
    if (dv_attribute(attributes, "size")) {
        const int32_t size = dv_data_int(&self->size);
        if (size > MOST_POINTS)
            return dv_field_error(&self->size, -1, "%d points are more than the %d a state may have", size,
                                  MOST_POINTS);
        if (size >= 0)
            resize(self, (uint32_t)size);
        else
            dv_field_warning(&self->size, -1, "%d points are too few; the number follows from the other fields", size);
    }
    double uniform = 1.0;
    if (single_precision(object, attributes, "scale", &uniform))
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
            any |= single_precision(object, attributes, shortcuts[k].names[c], &value[c]);
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
    const bool moving = self->velocity.count != 0;
    if (moving)
        memcpy(last, (const double *)self->velocity.value + (self->velocity.count - 1) * deriv, deriv * sizeof *last);
    resize(self, n);
    if (n == 0)
        return;
    double *x = write(self, DV_POSITION, DV_HOST, DV_OVERWRITE);
    for (uint32_t i = 0; i < n; i++) {
        memcpy(x + (size_t)i * dim, self->dof->origin, dim * sizeof *x);
        memcpy(x + (size_t)i * dim, positions + (size_t)i * 3, self->dof->spatial * sizeof *x);
    }
    if (!moving)
        return;
    double *v = write(self, DV_VELOCITY, DV_HOST, DV_READ_WRITE);
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

static DvStatus init(DvObject *object, void *self_)
{
    MechanicalObject *self = self_;
    DvObject *topology = topology_of(object, self);
    const DvTopologyOps *ops = topology ? dv_object_ops(topology, DV_TOPOLOGY) : NULL;
    const DvStatus status = topology ? dv_object_initialise_first(object, topology) : DV_OK;
    if (status != DV_OK)
        return status;
    void *topology_self = topology ? dv_object_self(topology) : NULL;

    self->initialised = true;
    agree_on_size(self, true);
    if (self->position.count <= 1 && self->velocity.count <= 1) {
        const double *positions = ops ? ops->positions(topology_self) : NULL;
        if (positions && ops->point_count(topology_self) == 0)
            dv_warning(object,
                       "has no points: topology '%s' gives positions, but no number of points here; give it "
                       "elements, or give 'position' here",
                       dv_object_name(topology));
        if (positions ||
            (ops && ops->point_count(topology_self) == 0 && ops->grid && ops->grid(topology_self, &(DvGridShape){0})))
            take_points_of_topology(self, ops, topology_self, positions);
        else if (self->position.count == 0)
            resize(self, 0);
        else
            resize(self, 1);
    }
    (void)reinit(object, self);
    copy_rest_positions(self);
    rotate_positions(self, dv_data_doubles(&self->rotation2, NULL));
    translate_positions(self, dv_data_doubles(&self->translation2, NULL));

    if (ops && ops->is_dynamic(topology_self)) {
        dv_element_data_detach(&self->points);
        self->points = (DvElementData){.kind = DV_POINTS, .entry_size = 1, .owner = self, .changed = points_changed};
        return dv_element_data_attach(&self->points, topology);
    }
    return DV_OK;
}

static bool is_mapped(DvObject *object)
{
    const DvNode *node = dv_object_node(object);
    return node && dv_node_slot(node, DV_MAPPING);
}

static bool is_moving(MechanicalObject *self)
{
    const double *v = read(self, DV_VELOCITY, DV_HOST);
    for (size_t i = 0; v && i < length_of(self, DV_VELOCITY); i++)
        if (v[i] != 0.0)
            return true;
    return false;
}

static void store_reset_state(DvObject *object, void *self_)
{
    MechanicalObject *self = self_;
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
    clear(self, DV_FORCE);
    if (!has(self, DV_RESET_POSITION))
        return;
    combine(self, DV_POSITION, DV_RESET_POSITION, DV_NO_VEC, 0.0);
    if (has(self, DV_RESET_VELOCITY))
        combine(self, DV_VELOCITY, DV_RESET_VELOCITY, DV_NO_VEC, 0.0);
    else
        clear(self, DV_VELOCITY);
    if (has(self, DV_FREE_POSITION))
        combine(self, DV_FREE_POSITION, DV_POSITION, DV_NO_VEC, 0.0);
    if (has(self, DV_FREE_VELOCITY))
        combine(self, DV_FREE_VELOCITY, DV_VELOCITY, DV_NO_VEC, 0.0);
}

/* The fields were put back, perhaps with another number of points. */
static DvStatus restore(DvObject *object, void *self_)
{
    (void)object;
    MechanicalObject *self = self_;
    (void)dv_data_read(&self->position);
    resize(self, (uint32_t)self->position.count);
    return DV_OK;
}

static void bounding_box(DvObject *object, void *self_, double *box)
{
    (void)object;
    MechanicalObject *self = self_;
    const uint32_t dim = self->dof->coord;
    const double *at = read(self, DV_POSITION, DV_HOST);
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
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    MechanicalObject *self = self_;
    for (DvVecId id = 0; id < DV_MAX_VEC; id++)
        dv_free(self->own[id].at);
}

/* ---- Drawing ---- */

/* Positions in space of all points, missing coordinates zero; freed by the caller. */
static double *points_in_space(MechanicalObject *self)
{
    const uint32_t dim = self->dof->coord;
    const double *at = read(self, DV_POSITION, DV_HOST);
    double *points = dv_alloc(self->count, 3 * sizeof *points);
    for (uint32_t i = 0; i < self->count; i++)
        memcpy(points + (size_t)i * 3, at + (size_t)i * dim, self->dof->spatial * sizeof *points);
    return points;
}

static void draw_object(MechanicalObject *self, DvDraw *draw, const double *points, const double *color)
{
    static const double colors[][4] = {{1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}};
    const double size = dv_data_double(&self->show_object_scale);
    const int32_t mode = dv_data_int(&self->draw_mode);
    if (self->dof == &dv_rigid3d) {
        draw->ops->frames(draw, read(self, DV_POSITION, DV_HOST), self->count, size);
    } else if (mode <= 0) {
        draw->ops->points(draw, points, self->count, size > 1.0 ? size : 1.0, color);
    } else {
        double *radii = dv_alloc(self->count, sizeof *radii);
        dv_array_fill(radii, self->count, size);
        draw->ops->spheres(draw, points, radii, self->count, mode >= 2 && mode <= 4 ? colors[mode - 2] : color);
        dv_free(radii);
    }
}

static void draw_indices(MechanicalObject *self, DvDraw *draw, const double *points, const double *color)
{
    const double size = dv_data_double(&self->show_indices_scale);
    DvText text = {0};
    for (uint32_t i = 0; i < self->count; i++) {
        text.length = 0;
        dv_text_add(&text, "%u", i);
        draw->ops->text(draw, points + (size_t)i * 3, text.at, size, color);
    }
    dv_text_free(&text);
}

static void draw_velocities(MechanicalObject *self, DvDraw *draw, const double *points, const double *color)
{
    const double length = dv_data_double(&self->show_vectors_scale);
    const uint32_t deriv = self->dof->deriv;
    const double *v = read(self, DV_VELOCITY, DV_HOST);
    double *ends = dv_alloc(self->count, 6 * sizeof *ends);
    for (uint32_t i = 0; i < self->count; i++)
        for (uint32_t c = 0; c < 3; c++) {
            ends[(size_t)i * 6 + c] = points[(size_t)i * 3 + c];
            ends[(size_t)i * 6 + 3 + c] =
                points[(size_t)i * 3 + c] + (c < self->dof->spatial ? length * v[(size_t)i * deriv + c] : 0.0);
        }
    draw->ops->lines(draw, ends, self->count, 1.0, color);
    dv_free(ends);
}

static void draw(void *self_, DvDraw *draw)
{
    MechanicalObject *self = self_;
    const bool object = dv_data_bool(&self->show_object), indices = dv_data_bool(&self->show_indices);
    const bool vectors = dv_data_bool(&self->show_vectors);
    if (!dv_draw_shows(draw, DV_DISPLAY_BEHAVIOR_MODELS) || self->count == 0 || !(object || indices || vectors))
        return;
    const double *color = dv_data_doubles(&self->show_color, NULL);
    double *points = points_in_space(self);
    if (object)
        draw_object(self, draw, points, color);
    if (indices)
        draw_indices(self, draw, points, color);
    if (vectors)
        draw_velocities(self, draw, points, color);
    dv_free(points);
}

static const DvDrawableOps drawable_ops = {.size = sizeof(DvDrawableOps), .draw = draw};

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
    .contracts = (const DvContract[]){{.id = DV_STATE, .ops = &state_ops, .slot = true},
                                      {.id = DV_DRAWABLE, .ops = &drawable_ops},
                                      {0}},
    .construct = construct,
    .parse = parse,
    .init = init,
    .reinit = reinit,
    .store_reset_state = store_reset_state,
    .reset = reset,
    .bounding_box = bounding_box,
    .restore = restore,
    .cleanup = cleanup,
    .destroy = destroy,
};
