/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SubsetMapping: the output copies points of the input that a list names.
 *
 *   out_i = in_indices[i], same for velocities;   f_in[indices[i]] += f_i
 *
 * Without a list the points are `first` to `last`; without these each point of the output takes the nearest point of the input that
 * is less than `radius` away (of equally near ones the lowest), which costs the product of both numbers once. A point that finds none
 * stays at its rest position and passes no force on.
 *
 * The list follows changes of the topology of the input (`topology`).
 */
#include <divan/kit/mapping.h>
#include <divan/kit/point_set.h>

#include <divan/contracts/operator.h>
#include <divan/contracts/topology.h>
#include <divan/math/vec.h>
#include <divan/memory.h>

#include <math.h>
#include <string.h>

#define NO_POINT UINT32_MAX

typedef struct SubsetMapping {
    DvSingleMapping base;
    DvData indices, first, last, radius, follows, ignore_not_found, resize_to_model;
    DvLink topology;
    DvPointSet set;
    bool following;
    DvJacobian jacobian;
    uint64_t jacobian_of; /* version of the indices that it was made from */
} SubsetMapping;

static const DvField fields[] = {
    DV_SINGLE_MAPPING_FIELDS(SubsetMapping),
    DV_FIELD(SubsetMapping, indices, "indices", dv_type_uints, .flags = DV_FIELD_EMPTY_IS_DEFAULT,
             .help = "point of the input for each point of the output"),
    DV_FIELD(SubsetMapping, first, "first", dv_type_uint, .init = "4294967295", .flags = DV_FIELD_AT_LOAD,
             .help = "first point of a range, when indices is empty"),
    DV_FIELD(SubsetMapping, last, "last", dv_type_uint, .init = "4294967295", .flags = DV_FIELD_AT_LOAD,
             .help = "last point of the range"),
    DV_FIELD(SubsetMapping, radius, "radius", dv_type_double, .init = "1e-05", .unit = "m",
             .range = &dv_range_not_negative, .flags = DV_FIELD_AT_LOAD,
             .help = "how near a point of the input has to be to be found"),
    DV_FIELD(SubsetMapping, follows, "handleTopologyChange", dv_type_bool, .init = "1", .flags = DV_FIELD_AT_LOAD,
             .help = "the indices follow changes of the topology"),
    DV_FIELD(SubsetMapping, ignore_not_found, "ignoreNotFound", dv_type_bool, .init = "0",
             .help = "points that find no point of the input are left alone without a word"),
    DV_FIELD(SubsetMapping, resize_to_model, "resizeToModel", dv_type_bool, .init = "0",
             .help = "the output loses the points whose point of the input is removed"),
    DV_LINK(SubsetMapping, topology, "topology", DV_TOPOLOGY,
            .help = "mesh whose points the indices are; that of the node or above by default"),
    {0},
};

/* ---- Which points ---- */

static void take_range(SubsetMapping *self, uint32_t points)
{
    uint32_t first = dv_data_uint(&self->first), last = dv_data_uint(&self->last);
    first = first >= points ? 0 : first;
    last = last >= points ? points - 1 : last;
    const uint32_t count = points > 0 && last >= first ? last - first + 1 : 0;
    uint32_t *indices = dv_data_begin_all(&self->indices, count);
    for (uint32_t i = 0; i < count; i++)
        indices[i] = first + i;
    dv_data_end(&self->indices);
}

static void find_nearest(SubsetMapping *self, DvConstVec in, DvConstVec out)
{
    const double radius = dv_data_double(&self->radius);
    uint32_t *indices = dv_data_begin_all(&self->indices, out.count), lost = 0, first_lost = 0;
    for (uint32_t i = 0; i < out.count; i++) {
        double nearest = radius;
        indices[i] = NO_POINT;
        for (uint32_t j = 0; j < in.count; j++) {
            double d2 = 0;
            for (uint32_t k = 0; k < in.dim; k++) {
                const double d = out.at[(size_t)i * out.dim + k] - in.at[(size_t)j * in.dim + k];
                d2 += d * d;
            }
            if (sqrt(d2) < nearest) {
                nearest = sqrt(d2);
                indices[i] = j;
            }
        }
        if (indices[i] == NO_POINT && lost++ == 0)
            first_lost = i;
    }
    dv_data_end(&self->indices);
    if (lost > 0 && !dv_data_bool(&self->ignore_not_found))
        dv_field_warning(
            &self->radius, -1,
            "%u points of the output, the first of them %u, have no point of the input within %g m: they stay "
            "where they are; give a larger radius or the indices",
            lost, first_lost, radius);
}

static DvStatus choose_points(SubsetMapping *self)
{
    const DvConstVec in = dv_state_read(self->base.in, DV_POSITION), out = dv_state_read(self->base.out, DV_POSITION);
    size_t given;
    dv_data_uints(&self->indices, &given);
    if (given > 0) {
        if (!dv_data_bool(&self->ignore_not_found))
            (void)dv_point_set_remove_out_of_range(&self->indices, in.count);
    } else if (dv_data_uint(&self->first) != NO_POINT) {
        take_range(self, in.count);
    } else {
        find_nearest(self, in, out);
    }
    return DV_OK;
}

/* ---- Copies ---- */

static void apply(void *self_, const DvStep *step, const DvConstVec *in, const DvVec *out)
{
    SubsetMapping *self = self_;
    (void)step;
    size_t count;
    const uint32_t *indices = dv_data_uints(&self->indices, &count);
    const bool coordinates =
        out->dim == self->base.out.dof->coord && self->base.out.dof->coord != self->base.out.dof->deriv;
    const DvConstVec rest = dv_state_read(self->base.out, DV_REST_POSITION);
    for (size_t i = 0; i < count && i < out->count; i++) {
        const double *from = indices[i] < in->count ? in->at + (size_t)indices[i] * in->dim : NULL;
        if (!from && coordinates && rest.at && i < rest.count)
            from = rest.at + i * rest.dim;
        if (from)
            memcpy(out->at + i * out->dim, from, out->dim * sizeof *from);
    }
}

static void apply_jt(void *self_, const DvStep *step, const DvConstVec *out, const DvVec *in)
{
    SubsetMapping *self = self_;
    (void)step;
    size_t count;
    const uint32_t *indices = dv_data_uints(&self->indices, &count);
    for (size_t i = 0; i < count && i < out->count; i++)
        for (uint32_t k = 0; indices[i] < in->count && k < in->dim; k++)
            in->at[(size_t)indices[i] * in->dim + k] += out->at[i * out->dim + k];
}

static const DvJacobian *jacobian(void *self_, uint32_t output, uint32_t input)
{
    SubsetMapping *self = self_;
    (void)output, (void)input;
    DvJacobian *j = &self->jacobian;
    const uint32_t rows = dv_state_count(self->base.out), columns = dv_state_count(self->base.in);
    const uint64_t version = dv_data_version(&self->indices);
    if (j->structure && j->rows == rows && j->columns_count == columns && version == self->jacobian_of)
        return j;
    size_t count;
    const uint32_t *indices = dv_data_uints(&self->indices, &count), deriv = self->base.in.dof->deriv;
    dv_jacobian_set_copies(j, rows, columns, indices, count, deriv, deriv);
    self->jacobian_of = version;
    return j;
}

static uint32_t output_points(void *self_, uint32_t output)
{
    (void)output;
    size_t count;
    dv_data_uints(&((SubsetMapping *)self_)->indices, &count);
    return (uint32_t)count;
}

static const DvMappingOps ops = {
    DV_SINGLE_MAPPING_OPS, .keeps_topology = dv_mapping_no, .apply = apply, .apply_j = apply, .apply_jt = apply_jt,
    .jacobian = jacobian,  .output_points = output_points,
};

/* ---- The operator ---- */

static uint64_t operator_version(void *self_)
{
    SubsetMapping *self = self_;
    return dv_data_version(&self->indices);
}

static void describe(void *self_, DvOperator *out)
{
    SubsetMapping *self = self_;
    size_t count;
    const uint32_t *indices = dv_data_uints(&self->indices, &count), points = dv_state_count(self->base.out);
    const bool turns = self->base.out.dof->coord != self->base.out.dof->deriv;
    count = count < points ? count : points;
    for (size_t i = 0; i < count && turns && !out->why; i++)
        if (indices[i] >= dv_state_count(self->base.in))
            out->why = "bodies that find none are put to their rest positions on the host";
    if (out->why)
        return;
    out->name = "copies";
    dv_operator_add_indices(out, "point", indices, count, 1, dv_data_version(&self->indices));
}

static const DvOperatorOps operator_ops = {
    .size = sizeof(DvOperatorOps), .version = operator_version, .describe = describe};

/* ---- Life ---- */

/* Points were removed from the input: with them went their entries. */
static void indices_changed(void *owner, const uint32_t *place, size_t count)
{
    SubsetMapping *self = owner;
    (void)place;
    if (dv_data_bool(&self->resize_to_model) && count != dv_state_count(self->base.out))
        self->base.out.ops->resize(self->base.out.self, (uint32_t)count);
}

/* Indices that a topological mapping computes follow the mesh there. */
static bool are_computed(const SubsetMapping *self)
{
    const DvData *parent = dv_data_parent(&self->indices);
    return parent && dv_object_ops(parent->owner, DV_TOPOLOGICAL_MAPPING);
}

static DvStatus follow(SubsetMapping *self)
{
    dv_point_set_leave(&self->set);
    self->following = false;
    if (!dv_data_bool(&self->follows) || are_computed(self))
        return DV_OK;
    DvObject *topology = dv_point_set_topology(self->base.in.object, &self->topology); /* of the input */
    if (!topology)
        return DV_OK;
    self->set = (DvPointSet){.indices = &self->indices, .changed = indices_changed, .owner = self};
    self->following = true;
    return dv_point_set_follow(&self->set, topology);
}

static DvStatus init(DvObject *object, void *self_)
{
    SubsetMapping *self = self_;
    DvStatus status = dv_single_mapping_init(object, &self->base);
    if (status == DV_OK)
        status = choose_points(self);
    if (status == DV_OK)
        status = follow(self);
    if (status != DV_OK)
        return status;
    size_t count;
    dv_data_uints(&self->indices, &count);
    if (dv_state_count(self->base.out) != count)
        self->base.out.ops->resize(self->base.out.self, (uint32_t)count);
    dv_mapping_apply_all(&self->base, &ops);
    return DV_OK;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    SubsetMapping *self = self_;
    dv_point_set_leave(&self->set);
    dv_single_mapping_release(&self->base);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    dv_jacobian_free(&((SubsetMapping *)self_)->jacobian);
}

const DvClass dv_subset_mapping = {
    .size = sizeof(DvClass),
    .name = "SubsetMapping",
    .variants = "Rigid3d,Rigid3d Vec1d,Vec1d Vec3d,Vec3d",
    DV_MAPPING_CLASS,
    .module = "Sofa.Component.Mapping.Linear",
    .help = "Copies points of another state that a list names.",
    .instance_size = sizeof(SubsetMapping),
    .fields = fields,
    .contracts = (const DvContract[]){{DV_MAPPING, &ops, .slot = true},
                                      {.id = DV_OPERATOR, .ops = &operator_ops},
                                      {.id = DV_DRAWABLE, .ops = &dv_single_mapping_drawable},
                                      {0}},
    .init = init,
    .cleanup = cleanup,
    .destroy = destroy,
};
