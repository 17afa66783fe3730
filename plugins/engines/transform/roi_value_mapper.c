/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ROIValueMapper: a list of numbers, one value at the places of each region; where regions meet, that of the later.
 */
#include <divan/kit/engine.h>
#include <divan/kit/value_lists.h>

#include <inttypes.h>

typedef struct RoiValueMapper {
    DvEngine engine;
    DvData count, out, other;
    DvNumberedFields indices, values;
} RoiValueMapper;

enum { MOST = 1 << 28 }; /* of the values of a list */

static DvStatus find_length(const RoiValueMapper *self, size_t *length)
{
    *length = 0;
    for (uint32_t r = 0; r < self->indices.count; r++) {
        size_t count;
        const uint32_t *index = dv_data_uints(self->indices.at[r], &count);
        for (size_t i = 0; i < count; i++) {
            if (index[i] >= MOST)
                return dv_field_error(self->indices.at[r], (int64_t)i, "is %" PRIu32 "; a list has at most %d values",
                                      index[i], MOST);
            *length = index[i] >= *length ? index[i] + (size_t)1 : *length;
        }
    }
    return DV_OK;
}

static DvStatus update(DvObject *object, void *self_)
{
    RoiValueMapper *self = self_;
    size_t length;
    DvStatus status = find_length(self, &length);
    if (status == DV_OK)
        status = dv_memory_ask(object, 8.0 * (double)length, "%zu values", length);
    if (status != DV_OK) {
        dv_data_set(&self->out, NULL, 0);
        return status;
    }
    const double other = dv_data_double(&self->other);
    double *out = dv_data_begin_all(&self->out, length);
    for (size_t i = 0; i < length; i++)
        out[i] = other;
    for (uint32_t r = 0; r < self->indices.count; r++) {
        size_t count;
        const uint32_t *index = dv_data_uints(self->indices.at[r], &count);
        const double value = dv_data_double(self->values.at[r]);
        for (size_t i = 0; i < count; i++)
            out[index[i]] = value;
    }
    dv_data_end(&self->out);
    return DV_OK;
}

static DvStatus parse(DvObject *object, void *self_, const DvAttributes *attributes)
{
    (void)attributes;
    RoiValueMapper *self = self_;
    const DvStatus status = dv_numbered_fields_add(object, &self->indices, &self->count, "indices", &dv_type_uints,
                                                   DV_FIELD_INPUT, "places of a region");
    return status == DV_OK ? dv_numbered_fields_add(object, &self->values, &self->count, "value", &dv_type_double,
                                                    DV_FIELD_INPUT, "what stands there")
                           : status;
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    RoiValueMapper *self = self_;
    dv_numbered_fields_free(&self->indices);
    dv_numbered_fields_free(&self->values);
}

static const DvField fields[] = {
    DV_FIELD(RoiValueMapper, count, "nbROIs", dv_type_uint, .init = "0", .flags = DV_FIELD_AT_LOAD,
             .help = "number of regions: indices1 and value1, indices2 and value2, ..."),
    DV_ENGINE_OUTPUT(RoiValueMapper, out, "outputValues", dv_type_doubles, "the list, long enough for all places"),
    DV_ENGINE_INPUT(RoiValueMapper, other, "defaultValue", dv_type_double, "what stands at places of no region",
                    .init = "0"),
    {0},
};

const DvClass dv_roi_value_mapper = {
    .size = sizeof(DvClass),
    .name = "ROIValueMapper",
    .module = "Sofa.Component.Engine.Transform",
    .help = "Puts a value at the places of each of some regions.",
    .instance_size = sizeof(RoiValueMapper),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .parse = parse,
    .update = update,
    .destroy = destroy,
};
