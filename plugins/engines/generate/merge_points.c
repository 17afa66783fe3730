/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MergePoints: two lists of points as one: one after the other, or the second in place of points of the first (mappingX2).
 */
#include "mesh_inputs.h"

typedef struct MergePoints {
    DvEngine engine;
    DvData first, second, mapping, indices1, indices2, points, no_update;
} MergePoints;

static void append(MergePoints *self, const double *first, size_t n1, const double *second, size_t n2)
{
    const size_t stride = self->engine.dof->coord;
    double *to = dv_data_begin_all(&self->points, n1 + n2);
    if (n1)
        memcpy(to, first, n1 * stride * sizeof *to);
    if (n2)
        memcpy(to + n1 * stride, second, n2 * stride * sizeof *to);
    dv_data_end(&self->points);
    uint32_t *one = dv_data_begin_all(&self->indices1, n1), *two = dv_data_begin_all(&self->indices2, n2);
    for (size_t i = 0; i < n1 + n2; i++)
        *(i < n1 ? one + i : two + (i - n1)) = (uint32_t)i;
    dv_data_end(&self->indices1);
    dv_data_end(&self->indices2);
}

/* mapping[i] is the point of the first list that point i of the second takes the place of. */
static DvStatus replace(MergePoints *self, const double *first, size_t n1, const double *second, size_t n2)
{
    size_t count;
    const uint32_t *mapping = dv_data_uints(&self->mapping, &count);
    const size_t stride = self->engine.dof->coord;
    DvStatus status = DV_OK;
    if (count != n2)
        status =
            dv_field_error(&self->mapping, -1, "%zu entries for %zu points in position2: give one for each", count, n2);
    for (size_t i = 0; i < count && status == DV_OK; i++)
        if (mapping[i] >= n1)
            status =
                dv_field_error(&self->mapping, (int64_t)i, "point %" PRIu32 " of %zu in position1", mapping[i], n1);
    if (status != DV_OK) {
        append(self, NULL, 0, NULL, 0);
        return status;
    }
    bool *replaced = dv_alloc(n1, sizeof *replaced);
    double *to = dv_data_begin_all(&self->points, n1);
    memcpy(to, first, n1 * stride * sizeof *to);
    for (size_t i = 0; i < n2; i++) {
        replaced[mapping[i]] = true;
        memcpy(to + mapping[i] * stride, second + i * stride, stride * sizeof *to);
    }
    dv_data_end(&self->points);
    DvIndexArray side[2] = {{0}, {0}};
    for (uint32_t i = 0; i < n1; i++)
        dv_array_push(&side[replaced[i]], i);
    dv_data_set(&self->indices1, side[0].data, side[0].count);
    dv_data_set(&self->indices2, side[1].data, side[1].count);
    dv_array_free(&side[0]);
    dv_array_free(&side[1]);
    dv_free(replaced);
    return DV_OK;
}

static DvStatus update(DvObject *object, void *self_)
{
    (void)object;
    MergePoints *self = self_;
    size_t n1, n2, mapped;
    if (dv_data_bool(&self->no_update))
        return DV_OK;
    const double *first = dv_data_doubles(&self->first, &n1), *second = dv_data_doubles(&self->second, &n2);
    (void)dv_data_uints(&self->mapping, &mapped);
    if (mapped > 0)
        return replace(self, first, n1, second, n2);
    append(self, first, n1, second, n2);
    return DV_OK;
}

static const DvField fields[] = {
    DV_ENGINE_INPUT(MergePoints, first, "position1", dv_type_coords, "the first points", .unit = "m"),
    DV_ENGINE_INPUT(MergePoints, second, "position2", dv_type_coords, "the second points", .unit = "m"),
    DV_ENGINE_INPUT(MergePoints, mapping, "mappingX2", dv_type_uints,
                    "which of the first each of the second replaces (none: they are appended)"),
    DV_ENGINE_OUTPUT(MergePoints, indices1, "indices1", dv_type_uints, "which points are of the first"),
    DV_ENGINE_OUTPUT(MergePoints, indices2, "indices2", dv_type_uints, "which points are of the second"),
    DV_ENGINE_OUTPUT(MergePoints, points, "points", dv_type_coords, "all points", .unit = "m"),
    DV_ENGINE_INPUT(MergePoints, no_update, "noUpdate", dv_type_bool, "compute nothing"),
    {0},
};

const DvClass dv_merge_points = {
    .size = sizeof(DvClass),
    .name = "MergePoints",
    .variants = "Vec3d Vec1d Vec2d Rigid2d Rigid3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Generate",
    .help = "Merges two lists of points.",
    .instance_size = sizeof(MergePoints),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .update = update,
};
