/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MergeVectors: lists of one type, one after the other.
 */
#include "data_engine.h"
#include <divan/kit/engine.h>
#include <divan/kit/value_lists.h>

typedef struct MergeVectors {
    DvEngine engine;
    DvData count, *output;
    DvNumberedFields inputs;
} MergeVectors;

static DvStatus construct(DvObject *object, void *self_)
{
    MergeVectors *self = self_;
    self->output = dv_value_list_add(object, "output", NULL, DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY,
                                     "the lists, one after the other");
    return self->output ? dv_engine_construct(object, self_) : DV_ERROR_INVALID;
}

static DvStatus parse(DvObject *object, void *self_, const DvAttributes *attributes)
{
    (void)attributes;
    MergeVectors *self = self_;
    return dv_numbered_fields_add(object, &self->inputs, &self->count, "input", NULL, DV_FIELD_INPUT, "a list");
}

static DvStatus update(DvObject *object, void *self_)
{
    (void)object;
    MergeVectors *self = self_;
    size_t total = 0;
    for (uint32_t i = 0; i < self->inputs.count; i++) {
        (void)dv_data_read(self->inputs.at[i]);
        total += self->inputs.at[i]->count;
    }
    char *to = dv_data_begin_all(self->output, total);
    for (uint32_t i = 0; i < self->inputs.count; i++) {
        DvData *input = self->inputs.at[i];
        const size_t bytes = input->count * input->type->element_size;
        memcpy(to, input->value, bytes);
        to += bytes;
    }
    dv_data_end(self->output);
    return DV_OK;
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    dv_numbered_fields_free(&((MergeVectors *)self_)->inputs);
}

static const DvField fields[] = {
    DV_FIELD(MergeVectors, count, "nbInputs", dv_type_uint, .init = "2", .flags = DV_FIELD_AT_LOAD,
             .help = "number of lists: input1, input2, ..."),
    {0},
};

const DvClass dv_merge_vectors = {
    PARSED_ENGINE_CLASS(construct, parse, update, destroy),
    .name = "MergeVectors",
    .variants =
        "vector<RigidCoord2d> vector<RigidCoord3d> vector<RigidDeriv2d> vector<RigidDeriv3d> vector<Vec2I> vector<Vec2d> "
        "vector<Vec3d> vector<Vec4d> vector<bool> vector<d> vector<i>",
    .default_variant = "vector<Vec3d>",
    .module = "Sofa.Component.Engine.Generate",
    .help = "Puts lists one after the other.",
    .instance_size = sizeof(MergeVectors),
    .fields = fields,
};
