/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * IndicesFromValues: where values stand in a list: the first place of each, or all with `recursiveSearch`, which also gives for each value
 * the places of all others.
 */
#include <divan/kit/array.h>
#include <divan/kit/engine.h>
#include <divan/kit/value_lists.h>

typedef struct IndicesFromValues {
    DvEngine engine;
    DvData indices, others, recursive;
    DvData *values, *global;
} IndicesFromValues;

static bool is_equal(const DvType *type, const char *a, const char *b)
{
    if (type->scalar == DV_SCALAR_STRING)
        return strcmp(*(char *const *)(const void *)a, *(char *const *)(const void *)b) == 0;
    if (type->scalar != DV_SCALAR_DOUBLE)
        return memcmp(a, b, type->element_size) == 0;
    for (uint32_t i = 0; i < type->components; i++)
        if (((const double *)(const void *)a)[i] != ((const double *)(const void *)b)[i])
            return false;
    return true;
}

static DvStatus update(DvObject *object, void *self_)
{
    IndicesFromValues *self = self_;
    (void)object;
    const bool all = dv_data_bool(&self->recursive);
    const char *values = dv_data_read(self->values), *global = dv_data_read(self->global);
    const DvType *type = self->values->type;
    DvIndexArray found = {0}, others = {0};
    for (size_t i = 0; i < self->values->count; i++) {
        const uint32_t before = found.count;
        for (uint32_t j = 0; j < self->global->count && (all || found.count == before); j++)
            if (is_equal(type, values + i * type->element_size, global + j * type->element_size))
                dv_array_push(&found, j);
            else if (all)
                dv_array_push(&others, j);
        if (found.count == before && dv_engine_starting(&self->engine))
            dv_field_warning(self->values, (int64_t)i, "is not in 'global' and left out");
    }
    dv_data_set(&self->indices, found.data, found.count);
    dv_data_set(&self->others, others.data, others.count);
    dv_array_free(&found);
    dv_array_free(&others);
    return DV_OK;
}

static DvStatus construct(DvObject *object, void *self_)
{
    IndicesFromValues *self = self_;
    self->values = dv_value_list_add(object, "values", NULL, DV_FIELD_INPUT, "values to look for");
    self->global = dv_value_list_add(object, "global", NULL, DV_FIELD_INPUT, "where they stand");
    return self->values && self->global ? DV_OK : DV_ERROR_INVALID;
}

static const DvField fields[] = {
    DV_ENGINE_OUTPUT(IndicesFromValues, indices, "indices", dv_type_uints, "their numbers in 'global'"),
    DV_ENGINE_OUTPUT(IndicesFromValues, others, "otherIndices", dv_type_uints,
                     "with recursiveSearch, for each value those of all others"),
    DV_ENGINE_INPUT(IndicesFromValues, recursive, "recursiveSearch", dv_type_bool,
                    "find all places of a value, not only the first", .init = "0"),
    {0},
};

const DvClass dv_indices_from_values = {
    .size = sizeof(DvClass),
    .name = "IndicesFromValues",
    .variants = "I Vec2d Vec3d d fixed_array<I,2> fixed_array<I,3> fixed_array<I,4> fixed_array<I,8> i string",
    .module = "Sofa.Component.Engine.Select",
    .help = "Finds the numbers of values in a list.",
    .instance_size = sizeof(IndicesFromValues),
    .fields = fields,
    .family = "engines",
    .bases = (const char *const[]){"DataEngine", NULL},
    .construct = construct,
    .bwd_init = dv_engine_start,
    .reinit = dv_engine_run,
    .update = update,
};
