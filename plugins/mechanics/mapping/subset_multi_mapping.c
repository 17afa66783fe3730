/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SubsetMultiMapping: the output copies points of several states that a list of pairs names.
 *
 *   out_k = in[p_k]_{i_k}, same for velocities;   f_in[p_k]_{i_k} += f_k,   for the pairs (p_k, i_k)
 *
 * Points take the centres of bodies. A point that has gone from its state leaves that of the output where it is. Pairs that are written later
 * count as long as there are as many as at the start, when the output got its points; else the last ones stay.
 */
#include <divan/kit/linear_mapping.h>
#include <divan/memory.h>

#include <string.h>

typedef struct SubsetMultiMapping {
    DvLinearMapping linear;
    DvData pairs;
    uint32_t *kept;         /* [2 pairs] */
    size_t count;           /* numbers */
    uint64_t seen, version; /* of `pairs`; of `kept` */
    bool told;
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
    for (size_t k = 0; k + 1 < self->count; k += 2) {
        const uint32_t *pair = self->kept + k;
        if (pair[0] < self->linear.input_count && pair[1] < dv_state_count(self->linear.inputs[pair[0]].state))
            dv_mapping_rows_add(to, pair[0], pair[1], 1.0);
        dv_mapping_rows_end(to);
    }
}

static uint64_t version(void *self_)
{
    SubsetMultiMapping *self = self_;
    const uint64_t now = dv_data_version(&self->pairs);
    if (now == self->seen)
        return self->version;
    size_t count;
    const uint32_t *pair = dv_data_uints(&self->pairs, &count);
    self->seen = dv_data_version(&self->pairs);
    if (count == self->count) {
        if (memcmp(self->kept, pair, count * sizeof *pair) != 0)
            self->version++;
        memcpy(self->kept, pair, count * sizeof *pair);
    } else if (!self->told) {
        self->told = true;
        dv_field_warning(&self->pairs, -1, "has %zu numbers now, %zu at the start: the pairs stay as they were", count,
                         self->count);
    }
    return self->version;
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
    if (status != DV_OK)
        return status;
    const uint32_t *pair = dv_data_uints(&self->pairs, &self->count);
    dv_free(self->kept);
    self->kept = dv_alloc(self->count, sizeof *self->kept);
    memcpy(self->kept, pair, self->count * sizeof *pair); /* at least one pair */
    self->seen = dv_data_version(&self->pairs);
    self->version++;
    self->told = false;
    dv_linear_mapping_start(&self->linear);
    return DV_OK;
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    dv_free(((SubsetMultiMapping *)self_)->kept);
    dv_linear_mapping_destroy(object, self_);
}

const DvClass dv_subset_multi_mapping = {
    .size = sizeof(DvClass),
    .name = "SubsetMultiMapping",
    .variants = "Vec3d,Vec3d Vec2d,Vec2d Vec1d,Vec1d Rigid3d,Rigid3d Rigid3d,Vec3d",
    DV_MAPPING_CLASS,
    .contracts = DV_LINEAR_MAPPING_CONTRACTS(ops),
    .cleanup = dv_linear_mapping_cleanup,
    .destroy = destroy,
    .module = "Sofa.Component.Mapping.Linear",
    .help = "Copies points of several states that a list of pairs names.",
    .instance_size = sizeof(SubsetMultiMapping),
    .fields = fields,
    .init = init,
    .reinit = dv_object_initialise_again,
};
