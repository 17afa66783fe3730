/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SubsetMultiMapping: the output copies points of several states that a list of pairs names.
 *
 *   out_k = in[p_k]_{i_k}, same for velocities;   f_in[p_k]_{i_k} += f_k,   for the pairs (p_k, i_k)
 *
 * Points take the centres of bodies. A point that has gone from its state leaves that of the output where it is.
 */
#include <divan/kit/linear_mapping.h>

typedef struct SubsetMultiMapping {
    DvLinearMapping linear;
    DvData pairs;
} SubsetMultiMapping;

static const DvField fields[] = {
    DV_MULTI_MAPPING_FIELDS_IN(SubsetMultiMapping, linear.),
    DV_FIELD(SubsetMultiMapping, pairs, "indexPairs", dv_type_uints,
             .help = "for each point of the output a state, by its place in input, from 0 on, and a point of it"),
    {0},
};

static void rows(void *self_, DvMappingRows *to)
{
    SubsetMultiMapping *self = self_;
    size_t count;
    const uint32_t *pair = dv_data_uints(&self->pairs, &count);
    for (size_t k = 0; k + 1 < count; k += 2) {
        if (pair[k] < self->linear.input_count && pair[k + 1] < dv_state_count(self->linear.inputs[pair[k]].state))
            dv_mapping_rows_add(to, pair[k], pair[k + 1], 1.0);
        dv_mapping_rows_end(to);
    }
}

static uint64_t version(void *self)
{
    return dv_data_version(&((SubsetMultiMapping *)self)->pairs);
}

static const DvLinearMappingOps ops = {.ops = {DV_LINEAR_MAPPING_OPS}, .rows = rows, .version = version};

static DvStatus check_pairs(SubsetMultiMapping *self)
{
    size_t count;
    const uint32_t *pair = dv_data_uints(&self->pairs, &count), inputs = self->linear.input_count;
    if (count == 0 || count % 2 != 0)
        return dv_field_error(&self->pairs, -1,
                              "holds %zu numbers; give two for each point of the output: a state and a point of it",
                              count);
    for (size_t k = 0; k < count; k += 2) {
        if (pair[k] >= inputs)
            return dv_field_error(&self->pairs, (int64_t)k, "%u: input names %u state%s, counted from 0", pair[k],
                                  inputs, inputs == 1 ? "" : "s");
        const uint32_t points = dv_state_count(self->linear.inputs[pair[k]].state);
        if (pair[k + 1] >= points)
            return dv_field_error_missing(&self->pairs, (int64_t)k + 1, "point", pair[k + 1], "its state", points);
    }
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    SubsetMultiMapping *self = self_;
    DvStatus status = dv_linear_mapping_init(object, &self->linear, &ops);
    if (status == DV_OK)
        status = check_pairs(self);
    if (status == DV_OK)
        dv_linear_mapping_start(&self->linear);
    return status;
}

const DvClass dv_subset_multi_mapping = {
    .size = sizeof(DvClass),
    .name = "SubsetMultiMapping",
    .variants = "Vec3d,Vec3d Vec2d,Vec2d Vec1d,Vec1d Rigid3d,Rigid3d Rigid3d,Vec3d",
    DV_LINEAR_MAPPING_CLASS(ops),
    .module = "Sofa.Component.Mapping.Linear",
    .help = "Copies points of several states that a list of pairs names.",
    .instance_size = sizeof(SubsetMultiMapping),
    .fields = fields,
    .init = init,
    .reinit = dv_object_initialise_again,
};
