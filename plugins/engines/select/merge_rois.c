/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MergeROIs: several lists of points as one list of lists.
 */
#include <divan/kit/array.h>
#include <divan/kit/engine.h>
#include <divan/kit/mesh_types.h>
#include <divan/kit/value_lists.h>

#include <inttypes.h>

typedef struct MergeRois {
    DvEngine engine;
    DvData count, lists;
    DvNumberedFields rois;
} MergeRois;

static DvStatus update(DvObject *object, void *self_)
{
    (void)object;
    MergeRois *self = self_;
    DV_ARRAY(int32_t) lists = {0};
    DvStatus status = DV_OK;
    for (uint32_t r = 0; r < self->rois.count; r++) {
        size_t count;
        const uint32_t *index = dv_data_uints(self->rois.at[r], &count);
        dv_array_push(&lists, (int32_t)count);
        for (size_t i = 0; i < count; i++) {
            if (index[i] > INT32_MAX && status == DV_OK)
                status = dv_field_error(self->rois.at[r], (int64_t)i, "is %" PRIu32 "; no mesh has so many points",
                                        index[i]);
            dv_array_push(&lists, (int32_t)index[i]);
        }
    }
    dv_data_set(&self->lists, lists.data, status == DV_OK ? lists.count : 0);
    dv_array_free(&lists);
    return status;
}

static DvStatus parse(DvObject *object, void *self_, const DvAttributes *attributes)
{
    (void)attributes;
    MergeRois *self = self_;
    return dv_numbered_fields_add(object, &self->rois, &self->count, "indices", &dv_type_uints, DV_FIELD_INPUT,
                                  "a list of points");
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    dv_numbered_fields_free(&((MergeRois *)self_)->rois);
}

static const DvField fields[] = {
    DV_FIELD(MergeRois, count, "nbROIs", dv_type_uint, .init = "0", .flags = DV_FIELD_AT_LOAD,
             .help = "number of lists: indices1, indices2, ..."),
    DV_ENGINE_OUTPUT(MergeRois, lists, "roiIndices", dv_mesh_type_index_lists, "the lists, in order"),
    {0},
};

const DvClass dv_merge_rois = {
    .size = sizeof(DvClass),
    .name = "MergeROIs",
    .module = "Sofa.Component.Engine.Select",
    .help = "Makes one list of several lists of points.",
    .instance_size = sizeof(MergeRois),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .parse = parse,
    .update = update,
    .destroy = destroy,
};
