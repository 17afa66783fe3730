/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ConstantForceField: forces that do not depend on anything, on some points or on all.
 *
 * `forces` holds one force for all chosen points, or one each; without it `totalForce` is shared equally. The one that was not
 * given is kept up to date: the sum, or the force of each point. There is no derivative.
 */
#include "load_ops.h"

#include <divan/contracts/operator.h>
#include <divan/kit/force_field.h>
#include <divan/kit/point_set.h>
#include <divan/types/color.h>

#include <math.h>
#include <string.h>

enum { MOST_COMPONENTS = 6 };

typedef struct ConstantForceField {
    DvSingleState base;
    DvData indices, index_from_end, forces, total_force;
    DvData show_arrow_size, show_color;
    DvLink topology_link;
    DvPointSet followed; /* the indices, when the mesh may change and points are told apart */
    DvStartValues first; /* the forces that a reset puts back... */
    bool moved;          /* ...when they have gone along with a change of the mesh */

    DvTopologyRef topology;
    bool shares_total; /* chosen at init */
    bool valid;
    uint32_t count;  /* chosen points */
    uint32_t *point; /* [count] */
    double *force;   /* [count] x deriv */
    uint64_t version;
    DvData *derived; /* the quantity that is not given, computed from the other; NULL before the first time */
    uint64_t derived_version;
    uint32_t points_checked;
    uint32_t *loaded; /* points of the operator, where they are counted from the end */
} ConstantForceField;

#define FIELD(member, name, type, ...) DV_FIELD(ConstantForceField, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    DV_SINGLE_STATE_FIELDS(ConstantForceField, base),
    FIELD(indices, "indices", dv_type_uints, .flags = DV_FIELD_EMPTY_IS_ALL, .help = "points; all when empty"),
    FIELD(index_from_end, "indexFromEnd", dv_type_bool, .init = "0",
          .help = "count the points from the last one, which is 0"),
    FIELD(forces, "forces", dv_type_derivs, .unit = "N, N m", .help = "one force for all points, or one for each"),
    FIELD(total_force, "totalForce", dv_type_deriv, .unit = "N, N m", .help = "force that the points share equally"),
    FIELD(show_arrow_size, "showArrowSize", dv_type_double, .init = "0", .flags = DV_FIELD_DRAWING,
          .help = "length of arrows per newton"),
    FIELD(show_color, "showColor", dv_type_color, .init = "0.2 0.9 0.3 1", .flags = DV_FIELD_DRAWING,
          .help = "of the arrows"),
    DV_LINK(ConstantForceField, topology_link, "topology", DV_TOPOLOGY,
            .help = "mesh that says how many points there are"),
    {0},
};

static uint64_t field_version(ConstantForceField *self)
{
    return dv_data_version(&self->indices) + dv_data_version(self->shares_total ? &self->total_force : &self->forces);
}

static DvStatus check_finite(DvData *field, const double *values, size_t count, uint32_t dim)
{
    for (size_t i = 0; i < count * dim; i++)
        if (!isfinite(values[i]))
            return dv_field_error(field, count > 1 ? (int64_t)(i / dim) : -1, "is not a finite force");
    return DV_OK;
}

/* The chosen points and their forces, from the fields. */
static DvStatus build(ConstantForceField *self)
{
    self->valid = false;
    self->version = field_version(self);
    const uint32_t dim = self->base.state.dof->deriv, points = dv_state_count(self->base.state);
    self->points_checked = points;
    size_t given;
    const uint32_t *index = dv_data_uints(&self->indices, &given);
    const uint32_t all = self->topology.ops ? self->topology.ops->point_count(self->topology.self) : points;
    const bool chosen = given > 0 || self->followed.indices; /* chosen points may all have gone */
    const uint32_t count = chosen ? (uint32_t)given : all;
    if (given > all)
        return dv_field_error(&self->indices, -1, "holds %zu points of only %u", given, all);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t p = chosen ? index[i] : i;
        if (p >= points)
            return dv_field_error_missing(&self->indices, i, "point", p, "the state", points);
    }

    size_t force_count = 1;
    const double *total = dv_data_doubles(&self->total_force, NULL);
    const double *force = self->shares_total ? total : dv_data_doubles(&self->forces, &force_count);
    if (force_count != 1 && force_count != count)
        return dv_field_error(&self->forces, -1, "holds %zu forces for %u points; give one, or one for each",
                              force_count, count);
    const DvStatus status =
        check_finite(self->shares_total ? &self->total_force : &self->forces, force, force_count, dim);
    if (status != DV_OK)
        return status;

    if (count != self->count || !self->point) {
        dv_free(self->point);
        dv_free(self->force);
        self->point = dv_alloc(count, sizeof *self->point);
        self->force = dv_alloc((size_t)count * dim, sizeof *self->force);
        self->count = count;
    }
    double sum[MOST_COMPONENTS] = {0.0};
    for (uint32_t i = 0; i < count; i++) {
        self->point[i] = chosen ? index[i] : i;
        for (uint32_t c = 0; c < dim; c++) {
            const double value =
                self->shares_total ? force[c] / count : force[(force_count == 1 ? 0 : (size_t)i * dim) + c];
            self->force[(size_t)i * dim + c] = value;
            sum[c] += value;
        }
    }
    self->derived = self->shares_total ? &self->forces : &self->total_force;
    dv_data_set(self->derived, self->shares_total ? self->force : sum, self->shares_total ? count : 1);
    self->derived_version = dv_data_version(self->derived);
    self->valid = true;
    return DV_OK;
}

static bool update(ConstantForceField *self)
{
    const bool resized =
        dv_topology_changed(&self->topology) || dv_state_count(self->base.state) != self->points_checked;
    if (resized || field_version(self) != self->version)
        (void)build(self); /* reported; there is no force then */
    return self->valid;
}

/* Each point keeps its force. */
static void points_renumbered(void *self_, const uint32_t *place, size_t count)
{
    ConstantForceField *self = self_;
    const size_t dim = self->base.state.dof->deriv;
    size_t given;
    const double *force = dv_data_doubles(&self->forces, &given);
    if (self->shares_total || given < 2)
        return;
    double *kept = dv_alloc(count, dim * sizeof *kept);
    for (size_t i = 0; i < count; i++)
        if (place[i] < given)
            memcpy(kept + i * dim, force + place[i] * dim, dim * sizeof *kept);
    dv_data_set(&self->forces, kept, count);
    self->moved = true;
    dv_free(kept);
}

static void forces_back(void *self_)
{
    ConstantForceField *self = self_;
    if (self->moved)
        (void)dv_start_values_put_back(&self->first, &self->forces);
    self->moved = false;
}

/* Points that are named, or have a force each, keep it when their numbers change. */
static DvStatus follow(ConstantForceField *self)
{
    DvObject *topology = dv_point_set_topology(dv_object_of(self), &self->topology_link);
    size_t given, forces;
    (void)dv_data_uints(&self->indices, &given);
    (void)dv_data_doubles(&self->forces, &forces);
    if (!topology || (given == 0 && (self->shares_total || forces < 2)))
        return DV_OK;
    if (given == 0)
        dv_data_set(&self->indices, self->point, self->count);
    self->followed.indices = &self->indices;
    self->followed.changed = points_renumbered;
    self->followed.put_back = forces_back;
    self->followed.owner = self;
    self->moved = false;
    dv_start_values_keep(&self->first, &self->forces);
    return dv_point_set_follow(&self->followed, topology);
}

/* Whether a user gave one of the two quantities; not so when an init before this one computed it from the other. */
static bool is_given(const ConstantForceField *self, DvData *quantity)
{
    return dv_data_is_set(quantity) &&
           !(quantity == self->derived && dv_data_version(quantity) == self->derived_version);
}

static DvStatus init(DvObject *object, void *self_)
{
    ConstantForceField *self = self_;
    DvStatus status = dv_single_state_init(object, &self->base);
    if (status == DV_OK)
        status = dv_topology_require(object, &self->topology_link, NULL, &self->topology);
    const bool forces_given = is_given(self, &self->forces) && (dv_data_read(&self->forces), self->forces.count) > 0;
    const bool total_given = is_given(self, &self->total_force);
    self->shares_total = !forces_given;
    if (status == DV_OK && !forces_given && !total_given)
        status = dv_error(object, DV_ERROR_MISSING, "no force; give 'forces' or 'totalForce'");
    if (status == DV_OK && forces_given && total_given)
        dv_field_warning(&self->total_force, -1, "is ignored, since 'forces' is given");
    if (status == DV_OK)
        status = build(self);
    if (status == DV_OK)
        status = follow(self);
    if (status != DV_OK)
        dv_single_state_release(&self->base);
    return status;
}

static DvStatus reinit(DvObject *object, void *self_)
{
    (void)object;
    ConstantForceField *self = self_;
    return self->base.state.ops ? build(self) : DV_OK;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    ConstantForceField *self = self_;
    dv_point_set_leave(&self->followed);
    dv_single_state_release(&self->base);
    dv_topology_release(&self->topology);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    ConstantForceField *self = self_;
    dv_free(self->point);
    dv_free(self->force);
    dv_free(self->loaded);
    dv_start_values_free(&self->first);
}

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)step;
    (void)x;
    (void)v;
    ConstantForceField *self = self_;
    if (!update(self))
        return;
    const bool from_end = dv_data_bool(&self->index_from_end);
    for (uint32_t i = 0; i < self->count; i++) {
        const uint32_t p = from_end ? f->count - 1 - self->point[i] : self->point[i];
        double *at = f->at + (size_t)p * f->dim;
        const double *force = self->force + (size_t)i * f->dim;
        for (uint32_t c = 0; c < f->dim; c++)
            at[c] += force[c];
    }
}

/* -sum f.x; of bodies that rotate none is defined. */
static double energy(void *self_, const DvStep *step, const DvConstVec *x)
{
    (void)step;
    ConstantForceField *self = self_;
    if (self->base.state.dof->rotation || !update(self))
        return 0.0;
    const bool from_end = dv_data_bool(&self->index_from_end);
    double sum = 0.0;
    for (uint32_t i = 0; i < self->count; i++) {
        const uint32_t p = from_end ? x->count - 1 - self->point[i] : self->point[i];
        for (uint32_t c = 0; c < x->dim; c++)
            sum -= self->force[(size_t)i * x->dim + c] * x->at[(size_t)p * x->dim + c];
    }
    return sum;
}

/* The derivative is zero: no couplings, and the force is as implicit as it can be. */
static void add_dforce(void *self, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    (void)self;
    (void)step;
    (void)k;
    (void)b;
    (void)dx;
    (void)df;
}

static void reserve(void *self, DvPattern *pattern)
{
    (void)self;
    (void)pattern;
}

static void assemble(void *self, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    (void)self;
    (void)step;
    (void)k;
    (void)b;
    (void)view;
}

static uint64_t structure(void *self)
{
    (void)self;
    return 1;
}

static uint64_t operator_version(void *self_)
{
    ConstantForceField *self = self_;
    (void)update(self);
    return 2 * (self->version + dv_data_version(&self->index_from_end)) + self->valid;
}

static void describe_operator(void *self_, DvOperator *out)
{
    ConstantForceField *self = self_;
    const uint64_t version = operator_version(self);
    const uint32_t points = dv_state_count(self->base.state), count = self->valid ? self->count : 0;
    const uint32_t *point = self->point;
    if (dv_data_bool(&self->index_from_end) && count) {
        dv_free(self->loaded);
        self->loaded = dv_alloc(count, sizeof *self->loaded);
        for (uint32_t i = 0; i < count; i++)
            self->loaded[i] = points - 1 - self->point[i];
        point = self->loaded;
    }
    out->name = "constant load";
    dv_operator_add_indices(out, "point", point, count, 1, version);
    dv_operator_add_numbers(out, "force", self->force, count, self->base.state.dof->deriv, version);
}

static const DvOperatorOps operator_ops = {
    .size = sizeof(DvOperatorOps), .version = operator_version, .describe = describe_operator};

static const DvForceFieldOps ops = {
    LOAD_OPS,
    .energy = energy,
};

static void draw(void *self_, DvDraw *target)
{
    ConstantForceField *self = self_;
    const double size = dv_data_double(&self->show_arrow_size);
    if (!dv_draw_shows(target, DV_DISPLAY_FORCE_FIELDS) || !(size > 0.0) || !self->base.state.ops || self->count == 0 ||
        !update(self))
        return;
    const DvConstVec x = dv_state_read(self->base.state, DV_POSITION);
    const uint32_t spatial = self->base.state.dof->spatial, dim = self->base.state.dof->deriv;
    const bool from_end = dv_data_bool(&self->index_from_end);
    double *ends = dv_alloc(self->count, 6 * sizeof *ends);
    for (uint32_t i = 0; i < self->count; i++) {
        const uint32_t p = from_end ? x.count - 1 - self->point[i] : self->point[i];
        for (uint32_t c = 0; c < spatial; c++) {
            ends[6 * (size_t)i + c] = x.at[(size_t)p * x.dim + c];
            ends[6 * (size_t)i + 3 + c] = x.at[(size_t)p * x.dim + c] + size * self->force[(size_t)i * dim + c];
        }
    }
    target->ops->lines(target, ends, self->count, 2.0, dv_data_doubles(&self->show_color, NULL));
    dv_free(ends);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_constant_force_field = {
    .size = sizeof(DvClass),
    .name = "ConstantForceField",
    .variants = "Vec1d Vec2d Vec3d Vec6d Rigid2d Rigid3d",
    DV_FORCE_FIELD_CLASS("ForceField"),
    .module = "Sofa.Component.MechanicalLoad",
    .help = "Constant forces on some points or on all.",
    .instance_size = sizeof(ConstantForceField),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_FORCE_FIELD, .ops = &ops},
                                      {.id = DV_OPERATOR, .ops = &operator_ops},
                                      {.id = DV_DRAWABLE, .ops = &drawable},
                                      {0}},
    .init = init,
    .reinit = reinit,
    .cleanup = cleanup,
    .destroy = destroy,
};
