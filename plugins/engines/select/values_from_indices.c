/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ValuesFromIndices: the values of a list that another list names, of any type; the template says which.
 */
#include <divan/kit/engine.h>
#include <divan/kit/value_lists.h>

#include <inttypes.h>

typedef struct ValuesFromIndices {
    DvEngine engine;
    DvData indices, text;
    DvData *in, *out;
} ValuesFromIndices;

static DvStatus update(DvObject *object, void *self_)
{
    ValuesFromIndices *self = self_;
    (void)object;
    const char *in = dv_data_read(self->in);
    size_t count, there = 0;
    const uint32_t *index = dv_data_uints(&self->indices, &count);
    const size_t bytes = self->in->type->element_size, values = self->in->count;
    char *found = dv_alloc(count, bytes);
    for (size_t i = 0; i < count; i++) {
        if (index[i] < values)
            memcpy(found + bytes * there++, in + bytes * index[i], bytes);
        else if (dv_engine_starting(&self->engine))
            dv_field_warning(&self->indices, (int64_t)i, "value %" PRIu32 " of %zu is left out", index[i], values);
    }
    dv_data_set(self->out, found, there);
    dv_free(found);
    DvText text = {0};
    dv_value_list_print(self->out, &text);
    dv_data_set_string(&self->text, text.at ? text.at : "");
    dv_text_free(&text);
    return DV_OK;
}

static DvStatus construct(DvObject *object, void *self_)
{
    ValuesFromIndices *self = self_;
    const DvType *type = dv_value_list_type(dv_object_variant(object));
    static const char *const in_names[] = {"input", NULL}, *const out_names[] = {"output", NULL};
    self->in = dv_object_add_field(
        object,
        &(DvField){.name = "in", .type = type, .flags = DV_FIELD_INPUT, .help = "the values", .aliases = in_names});
    self->out = dv_object_add_field(object, &(DvField){.name = "out",
                                                       .type = type,
                                                       .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY,
                                                       .help = "those that 'indices' names",
                                                       .aliases = out_names});
    return self->in && self->out ? DV_OK : DV_ERROR_INVALID;
}

static const DvField fields[] = {
    DV_ENGINE_INPUT(ValuesFromIndices, indices, "indices", dv_type_uints, "numbers of the values wanted"),
    DV_ENGINE_OUTPUT(ValuesFromIndices, text, "outStr", dv_type_string, "the values as text"),
    {0},
};

const DvClass dv_values_from_indices = {
    .size = sizeof(DvClass),
    .name = "ValuesFromIndices",
    .variants = "I RigidCoord2d RigidCoord3d RigidDeriv2d RigidDeriv3d Vec2d Vec3d Vec4d Vec6d d fixed_array<I,2> "
                "fixed_array<I,3> fixed_array<I,4> fixed_array<I,8> i string",
    .module = "Sofa.Component.Engine.Select",
    .help = "Takes values out of a list, by their numbers.",
    .instance_size = sizeof(ValuesFromIndices),
    .fields = fields,
    .family = "engines",
    .bases = (const char *const[]){"DataEngine", NULL},
    .construct = construct,
    .bwd_init = dv_engine_start,
    .reinit = dv_engine_run,
    .update = update,
};
