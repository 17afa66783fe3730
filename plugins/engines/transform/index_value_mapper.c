/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * IndexValueMapper: a list of numbers in which one value stands at some places.
 * Indices2ValuesMapper: for each number of a list the value that belongs to it.
 */
#include <divan/kit/engine.h>

typedef struct Mapper {
    DvEngine engine;
    DvData in, indices, values, out, other;
} Mapper;

enum { MOST = 1 << 28 }; /* of the values of a list */

static DvStatus update_at(DvObject *object, void *self_)
{
    Mapper *self = self_;
    (void)object;
    size_t count, places, length;
    const double *in = dv_data_doubles(&self->in, &count), value = dv_data_double(&self->values),
                 other = dv_data_double(&self->other);
    const uint32_t *index = dv_data_uints(&self->indices, &places);
    length = count;
    for (size_t i = 0; i < places; i++) {
        if (index[i] >= MOST)
            return dv_field_error(&self->indices, (int64_t)i, "is %u; a list has at most %d values", index[i], MOST);
        length = index[i] >= length ? index[i] + (size_t)1 : length;
    }
    double *out = dv_data_begin_all(&self->out, length);
    for (size_t i = 0; i < length; i++)
        out[i] = i < count ? in[i] : other;
    for (size_t i = 0; i < places; i++)
        out[index[i]] = value;
    dv_data_end(&self->out);
    return DV_OK;
}

static DvStatus update_by_value(DvObject *object, void *self_)
{
    Mapper *self = self_;
    (void)object;
    size_t count, pairs, values;
    const double *in = dv_data_doubles(&self->in, &count), *key = dv_data_doubles(&self->indices, &pairs),
                 *value = dv_data_doubles(&self->values, &values), other = dv_data_double(&self->other);
    if (values != pairs && dv_engine_starting(&self->engine))
        dv_field_warning(&self->values, -1, "%zu for %zu indices: the rest does not count", values, pairs);
    pairs = values < pairs ? values : pairs;
    double *out = dv_data_begin_all(&self->out, count);
    for (size_t i = 0; i < count; i++) {
        out[i] = other;
        for (size_t j = 0; j < pairs; j++)
            out[i] = in[i] == key[j] ? value[j] : out[i];
    }
    dv_data_end(&self->out);
    return DV_OK;
}

#define IN(member, ...) DV_ENGINE_INPUT(Mapper, member, __VA_ARGS__)
#define OUT(text)       DV_ENGINE_OUTPUT(Mapper, out, "outputValues", dv_type_doubles, text)
static const DvField at_fields[] = {
    IN(in, "inputValues", dv_type_doubles, "the values that are there"),
    IN(indices, "indices", dv_type_uints, "places of 'value'"),
    IN(values, "value", dv_type_double, "what stands there", .init = "0"),
    OUT("the list, long enough for all places"),
    IN(other, "defaultValue", dv_type_double, "what stands at new places that are not named", .init = "1"),
    {0},
};
static const DvField by_value_fields[] = {
    IN(in, "inputValues", dv_type_doubles, "numbers to look up"),
    IN(indices, "indices", dv_type_doubles, "those that have a value"),
    IN(values, "values", dv_type_doubles, "their values"),
    OUT("the value of each number"),
    IN(other, "defaultValue", dv_type_double, "of numbers that have none", .init = "1"),
    {0},
};

#define MAPPER_CLASS(id, class_name, text, table, function) \
    const DvClass id = {                                    \
        .size = sizeof(DvClass),                            \
        .name = class_name,                                 \
        .variants = "Vec3d",                                \
        .default_variant = "Vec3d",                         \
        .module = "Sofa.Component.Engine.Transform",        \
        .help = text,                                       \
        .instance_size = sizeof(Mapper),                    \
        .fields = table,                                    \
        DV_ENGINE_CLASS("DataEngine"),                      \
        DV_ENGINE_LIFE,                                     \
        .update = function,                                 \
    }
MAPPER_CLASS(dv_index_value_mapper, "IndexValueMapper", "Puts a value at some places of a list.", at_fields, update_at);
MAPPER_CLASS(dv_indices2values_mapper, "Indices2ValuesMapper", "Looks numbers up in a table of values.",
             by_value_fields, update_by_value);
