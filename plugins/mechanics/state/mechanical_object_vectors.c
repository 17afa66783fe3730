/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Vectors of a MechanicalObject by number. Those that scenes may name (position, velocity, force...) are the values of fields and are changed in
 * place; those that solvers ask for live in arrays of the object, whose memory is kept when they are released. All that exist
 * follow a change of size.
 */
#include "mechanical_object.h"
#include "mechanical_object_elsewhere.h"

#include <math.h>
#include <string.h>

#include <divan/given.h>
#include <divan/memory.h>

#include "vector_arithmetic.h"

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
    {DV_LAMBDA, offsetof(MechanicalObject, constraint_force), false},
};
#define VECTOR_FIELDS (sizeof vector_fields / sizeof *vector_fields)

/* What an existing vector of no points points to, so that NULL always means: does not exist. */
static const double no_points[8] __attribute__((aligned(64)));

static inline DvData *field_of(const MechanicalObject *self, DvVecId id)
{
    return id < DV_FIRST_FREE_VEC ? self->of_id[id] : NULL;
}

/* New entries are the default of the field's type: default coordinates or zeros. */
static double *resize_field(DvData *data, uint32_t count)
{
    double *at = dv_data_begin(data, count);
    dv_data_end(data);
    return count ? at : NULL;
}

void mechanical_object_find_vectors(MechanicalObject *self)
{
    for (size_t k = 0; k < VECTOR_FIELDS; k++) {
        DvData *data = (DvData *)(void *)((char *)self + vector_fields[k].offset);
        self->of_id[vector_fields[k].id] = data;
        if (vector_fields[k].always)
            (void)resize_field(data, 1);
    }
}

static void find_at_hand(MechanicalObject *self)
{
    for (DvVecId id = 0; id < DV_FIRST_FREE_VEC; id++)
        self->at_hand[id] =
            self->initialised && self->count && id != DV_EXTERNAL_FORCE && !self->elsewhere ? self->of_id[id] : NULL;
}

void mechanical_object_begin(MechanicalObject *self)
{
    self->initialised = true;
    find_at_hand(self);
}

/* Out of line, as are vectors that begin to exist: both are rare, and their registers would be saved in every call. */
static __attribute__((noinline)) void blank(const MechanicalObject *self, DvVecId id, double *at)
{
    dv_state_vectors_blank(self->dof, id, at, 0, self->count);
}

/* What memory of its own is taken for. */
static uint32_t room_for(MechanicalObject *self, uint32_t count)
{
    const int32_t hint = dv_data_int(&self->reserve);
    return hint > 0 && (uint32_t)hint > count && hint <= MECHANICAL_OBJECT_MOST_POINTS ? (uint32_t)hint : count;
}

static __attribute__((noinline)) double *make_own(MechanicalObject *self, DvVecId id)
{
    return dv_state_vectors_write(&self->own, self->dof, id, self->count, room_for(self, self->count));
}

void mechanical_object_agree_on_size(MechanicalObject *self)
{
    size_t longest = 0;
    for (size_t k = 0; k < VECTOR_FIELDS; k++) {
        const DvVecId id = vector_fields[k].id;
        DvData *data = self->of_id[id];
        (void)dv_data_read(data);
        if (self->given[id] == 0 || data->count != self->made[id])
            self->given[id] = data->count + 1;
        if (data->count > longest)
            longest = data->count;
    }
    if (self->count < longest)
        mechanical_object_resize(self, (uint32_t)longest);
    for (size_t k = 0; k < VECTOR_FIELDS; k++)
        self->made[vector_fields[k].id] = self->of_id[vector_fields[k].id]->count;
}

size_t mechanical_object_given(const MechanicalObject *self, DvVecId id)
{
    return self->given[id] ? self->given[id] - 1 : 0;
}

bool mechanical_object_asks_for_points(MechanicalObject *self)
{
    bool longer = false;
    if (mechanical_object_given(self, DV_POSITION) > 1)
        return false;
    for (size_t k = 0; k < VECTOR_FIELDS; k++) {
        const DvVecId id = vector_fields[k].id;
        const size_t given = mechanical_object_given(self, id);
        const double *const at = dv_data_read(self->of_id[id]);
        longer = longer || given > 1;
        for (size_t i = 0; given > 1 && i < given * mechanical_object_dim_of(self, id); i++)
            if (at[i] != 0.0)
                return true;
    }
    return !longer;
}

/* One entry for several points: of forces and velocities that are zero nothing is missing, and what a step computes does not count. */
static bool is_too_short(MechanicalObject *self, DvVecId id, bool spread)
{
    if (dv_vec_kind(id) == DV_COORDS)
        return id == DV_REST_POSITION || id == DV_RESET_POSITION || (id == DV_POSITION && !spread);
    if (id != DV_RESET_VELOCITY && id != DV_EXTERNAL_FORCE && (id != DV_VELOCITY || spread))
        return false;
    const double *first = dv_data_read(self->of_id[id]);
    for (uint32_t c = 0; c < self->dof->deriv; c++)
        if (first[c] != 0.0)
            return true;
    return false;
}

static void say_length(MechanicalObject *self, DvVecId id, size_t given, const char *others, uint32_t count)
{
    if (given > count)
        dv_field_warning(self->of_id[id], -1, "%zu entries where %s %u; those behind are dropped", given, others,
                         count);
    else
        dv_field_warning(self->of_id[id], -1, "%zu %s where %s %u; the missing ones are taken as %s", given,
                         given == 1 ? "entry" : "entries", others, count,
                         dv_vec_kind(id) != DV_COORDS ? "zero"
                         : id == DV_REST_POSITION     ? "the origin, and springs to the rest shape pull there"
                                                      : "the origin");
}

void mechanical_object_check_lengths(MechanicalObject *self, bool spread)
{
    for (size_t k = 0; k < VECTOR_FIELDS; k++) {
        const DvVecId id = vector_fields[k].id;
        const size_t given = mechanical_object_given(self, id);
        if (given == 0 || given == self->count || (given == 1 && (!self->count || !is_too_short(self, id, spread))))
            continue;
        say_length(self, id, given, spread ? "the mesh has" : "other fields have", self->count);
    }
}

void mechanical_object_check_size(MechanicalObject *self, uint32_t size)
{
    for (size_t k = 0; k < VECTOR_FIELDS; k++) {
        const DvVecId id = vector_fields[k].id;
        DvData *data = self->of_id[id];
        if (!dv_data_is_given(data) || dv_data_parent(data) || data->count == 0 || data->count >= size)
            continue;
        const double *at = dv_data_read(data);
        bool zero = true; /* then the missing ones are as the given ones are */
        for (size_t i = 0; i < data->count * mechanical_object_dim_of(self, id); i++)
            zero = zero && at[i] == 0.0;
        if (!zero && (data->count > 1 || is_too_short(self, id, false)))
            say_length(self, id, data->count, "size says", size);
    }
}

/* Whether the vector of a field exists. Those that always do have entries, unless the state has no points. */
static inline bool exists(MechanicalObject *self, const DvData *data, DvVecId id)
{
    if (data->count == 0)
        return id == DV_POSITION || id == DV_VELOCITY || id == DV_FORCE;
    return id != DV_EXTERNAL_FORCE || mechanical_object_has_external_force(self);
}

bool mechanical_object_has(const void *self_, DvVecId id)
{
    MechanicalObject *self = (MechanicalObject *)(uintptr_t)self_;
    const DvData *data = field_of(self, id);
    if (!data && self->elsewhere)
        return elsewhere_has(self, id);
    return data ? exists(self, data, id) : dv_state_vectors_has(&self->own, id);
}

const double *mechanical_object_read_anyhow(MechanicalObject *self, DvVecId id, DvSpace space)
{
    DvData *data = field_of(self, id);
    if (!mechanical_object_has(self, id) || (space != DV_HOST && !self->elsewhere))
        return NULL;
    if (!self->initialised)
        mechanical_object_agree_on_size(self);
    if (self->elsewhere && self->initialised && (id != DV_EXTERNAL_FORCE || space != DV_HOST))
        return elsewhere_read(self, id, space);
    if (!data)
        return self->own.of[id].at;
    const double *at = dv_data_read(data);
    if (data->count != self->count) /* an engine or a user gave another number of points */
        at = resize_field(data, self->count);
    return at ? at : no_points;
}

const double *mechanical_object_read(void *self, DvVecId id, DvSpace space)
{
    return mechanical_object_give(self, id, space);
}

double *mechanical_object_write_anyhow(MechanicalObject *self, DvVecId id, DvSpace space, DvAccess access)
{
    if ((space != DV_HOST && !self->elsewhere) || id == DV_NO_VEC || id >= DV_MAX_VEC)
        return NULL;
    DvData *data = field_of(self, id);
    if (!self->initialised)
        mechanical_object_agree_on_size(self);
    if (self->elsewhere && self->initialised && id == DV_EXTERNAL_FORCE && space != DV_HOST)
        return NULL; /* what is given from outside is given on the host */
    if (self->elsewhere && self->initialised && id != DV_EXTERNAL_FORCE)
        return elsewhere_write(self, id, space, access);
    if (data) {
        if (data->count != self->count)
            (void)resize_field(data, self->count);
        double *at = access == DV_OVERWRITE ? dv_data_begin_all(data, self->count) : dv_data_begin(data, self->count);
        dv_data_end(data);
        return self->count ? at : (double *)(uintptr_t)no_points;
    }
    return self->own.of[id].exists ? self->own.of[id].at : make_own(self, id);
}

double *mechanical_object_write(void *self, DvVecId id, DvSpace space, DvAccess access)
{
    return mechanical_object_lend(self, id, space, access);
}

/* Released external forces are zero: what is added to them next begins there. */
static void release(void *self_, DvVecId id)
{
    MechanicalObject *self = self_;
    if (id >= DV_FIRST_FREE_VEC && self->elsewhere) {
        elsewhere_release(self, id);
    } else if (id >= DV_FIRST_FREE_VEC) {
        dv_state_vectors_release(&self->own, id);
    } else if (id == DV_EXTERNAL_FORCE && mechanical_object_has_external_force(self)) {
        double *at = dv_data_begin_all(&self->external_force, self->external_force.count);
        dv_array_clear(at, self->external_force.count * self->dof->deriv);
        dv_data_end(&self->external_force);
        self->external_force_released = self->external_force.version;
    }
}

static void set_count(MechanicalObject *self, uint32_t count)
{
    self->count = count;
    find_at_hand(self);
    if (dv_data_int(&self->size) != (int32_t)count)
        dv_data_set_int(&self->size, (int32_t)count);
}

void mechanical_object_resize(void *self_, uint32_t count)
{
    MechanicalObject *self = self_;
    const uint32_t old = self->count;
    if (self->elsewhere)
        elsewhere_come_home(self);
    set_count(self, count);
    for (size_t k = 0; k < VECTOR_FIELDS; k++) {
        DvData *data = self->of_id[vector_fields[k].id];
        (void)dv_data_read(data);
        const bool exists = data->count != 0 || vector_fields[k].always || (old == 0 && self->emptied & 1u << k);
        if (data->count != count && exists)
            (void)resize_field(data, count);
        self->emptied = exists && count == 0 ? self->emptied | 1u << k : self->emptied & ~(1u << k);
    }
    dv_state_vectors_resize(&self->own, self->dof, old, count, room_for(self, count));
    if (self->elsewhere)
        elsewhere_resize(self, old, count);
}

/* ---- Vector arithmetic ---- */

void mechanical_object_clear(void *self_, DvVecId id)
{
    MechanicalObject *self = self_;
    if (self->elsewhere && self->initialised) {
        elsewhere_clear(self, id);
        return;
    }
    double *at = mechanical_object_write(self, id, DV_HOST, DV_OVERWRITE);
    if (dv_vec_kind(id) == DV_COORDS)
        blank(self, id, at);
    else
        dv_array_clear(at, mechanical_object_length_of(self, id));
}

/* r = a + k b of points without rotations, whose coordinates and derivatives are the same kind of arrays. */
static void combine_flat(MechanicalObject *self, DvVecId r, DvVecId a, DvVecId b, double k)
{
    const double *at_a = a == DV_NO_VEC ? NULL : mechanical_object_give(self, a, DV_HOST);
    const double *at_b = b == DV_NO_VEC ? NULL : mechanical_object_give(self, b, DV_HOST);
    double *at_r = mechanical_object_lend(self, r, DV_HOST, r == a || r == b ? DV_READ_WRITE : DV_OVERWRITE);
    const size_t n = (size_t)self->count * self->dof->deriv;
    /* The write may have moved a value that was shared. */
    at_a = a == r ? at_r : at_a;
    at_b = b == r ? at_r : at_b;
    if (at_a && at_b)
        dv_array_add_scaled(at_r, at_a, at_b, n, k);
    else if (at_a)
        dv_array_copy(at_r, at_a, n);
    else if (at_b)
        dv_array_scale(at_r, at_b, n, k);
    else
        blank(self, r, at_r);
}

/* r = a + k b where one operand may be absent; false when the kinds of operands have no such operation. */
static bool combine_kinds(MechanicalObject *self, DvVecId r, DvVecId a, DvVecId b, double k)
{
    const DvDofType *dof = self->dof;
    const bool flat = dof != &dv_rigid3d; /* coordinates and derivatives are the same kind of arrays */
    const DvVecKind kind = dv_vec_kind(r);
    const bool same_a = a == DV_NO_VEC || flat || dv_vec_kind(a) == kind;
    const bool same_b = b == DV_NO_VEC || flat || dv_vec_kind(b) == kind;
    const double *at_a = a == DV_NO_VEC ? NULL : mechanical_object_read(self, a, DV_HOST);
    const double *at_b = b == DV_NO_VEC ? NULL : mechanical_object_read(self, b, DV_HOST);
    double *at_r = mechanical_object_write(self, r, DV_HOST, r == a || r == b ? DV_READ_WRITE : DV_OVERWRITE);
    /* The write may have moved a value that was shared. */
    at_a = a == r ? at_r : at_a;
    at_b = b == r ? at_r : at_b;
    const size_t n = mechanical_object_length_of(self, r);

    if (!at_a && !at_b) {
        blank(self, r, at_r);
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

void mechanical_object_combine(void *self_, DvVecId r, DvVecId a, DvVecId b, double k)
{
    MechanicalObject *self = self_;
    static const char *const kind_names[] = {"coordinates", "derivatives"};
    if (self->elsewhere && self->initialised && elsewhere_combine(self, r, a, b, k))
        return;
    if (!self->dof->rotation)
        combine_flat(self, r, a, b, k);
    else if ((self->elsewhere && self->initialised) || !combine_kinds(self, r, a, b, k))
        (void)dv_error(dv_object_of(self), DV_ERROR_UNSUPPORTED,
                       "%s + %g x %s of %s points do not give %s: rotations integrate, they are not added",
                       a == DV_NO_VEC ? "nothing" : kind_names[dv_vec_kind(a)], k,
                       b == DV_NO_VEC ? "nothing" : kind_names[dv_vec_kind(b)], self->dof->name,
                       kind_names[dv_vec_kind(r)]);
}

static double dot(void *self_, DvVecId a, DvVecId b)
{
    MechanicalObject *self = self_;
    if (self->elsewhere && self->initialised && mechanical_object_has(self, a) && mechanical_object_has(self, b))
        return elsewhere_dot(self, a, b);
    const double *at_a = mechanical_object_read(self, a, DV_HOST);
    const double *at_b = a == b ? at_a : mechanical_object_read(self, b, DV_HOST);
    return at_a && at_b ? dv_array_dot(at_a, at_b, mechanical_object_length_of(self, a)) : 0.0;
}

static uint32_t first_not_finite(void *self_, DvVecId a)
{
    MechanicalObject *self = self_;
    const double *at = mechanical_object_read(self, a, DV_HOST);
    const size_t n = mechanical_object_length_of(self, a);
    if (!at || dv_array_is_finite(at, n))
        return UINT32_MAX;
    size_t i = 0;
    while (isfinite(at[i]))
        i++;
    return (uint32_t)(i / mechanical_object_dim_of(self, a));
}

static const DvDofType *dof_type(const void *self)
{
    return ((const MechanicalObject *)self)->dof;
}

static __attribute__((noinline)) uint32_t point_count_at_first(MechanicalObject *self)
{
    mechanical_object_agree_on_size(self);
    return self->count;
}

static uint32_t point_count(const void *self_)
{
    const MechanicalObject *self = self_;
    return self->initialised ? self->count : point_count_at_first((MechanicalObject *)(uintptr_t)self_);
}

static DvStorage storage(const void *self_)
{
    const MechanicalObject *self = self_;
    return self->elsewhere ? elsewhere_storage(self) : (DvStorage){NULL, DV_DOUBLE};
}

static const double *read_points(void *self_, DvVecId id, const uint32_t *points, uint32_t count)
{
    MechanicalObject *self = self_;
    if (self->elsewhere && self->initialised && id != DV_EXTERNAL_FORCE && mechanical_object_has(self, id))
        return elsewhere_read_points(self, id, points, count);
    return mechanical_object_read(self, id, DV_HOST);
}

const DvStatePointsOps mechanical_object_points_ops = {.size = sizeof(DvStatePointsOps), .read = read_points};

const DvStateOps mechanical_object_state_ops = {
    .size = sizeof(DvStateOps),
    .spaces = DV_IN_HOST,
    .dof_type = dof_type,
    .count = point_count,
    .resize = mechanical_object_resize,
    .read = mechanical_object_read,
    .write = mechanical_object_write,
    .has = mechanical_object_has,
    .release = release,
    .clear = mechanical_object_clear,
    .combine = mechanical_object_combine,
    .dot = dot,
    .first_not_finite = first_not_finite,
    .storage = storage,
};
