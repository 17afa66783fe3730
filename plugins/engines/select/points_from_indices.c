/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PointsFromIndices: the positions of the points that a list names, in its order; one that equals an earlier one is left out.
 */
#include <divan/contracts/state.h>
#include <divan/kit/array.h>
#include <divan/kit/engine.h>

#include <inttypes.h>

typedef struct PointsFromIndices {
    DvEngine engine;
    DvData position, indices, points;
} PointsFromIndices;

static bool is_there(const DvRealArray *points, const double *point)
{
    for (uint32_t i = 0; i < points->count; i += 3)
        if (points->data[i] == point[0] && points->data[i + 1] == point[1] && points->data[i + 2] == point[2])
            return true;
    return false;
}

static DvStatus update(DvObject *object, void *self_)
{
    PointsFromIndices *self = self_;
    (void)object;
    size_t points, count;
    const double *position = dv_data_doubles(&self->position, &points);
    const uint32_t *index = dv_data_uints(&self->indices, &count);
    DvRealArray found = {0};
    DvStatus status = DV_OK;
    for (size_t i = 0; i < count; i++) {
        if (index[i] >= points) {
            if (status == DV_OK && dv_engine_starting(&self->engine))
                status =
                    dv_field_error(&self->indices, (int64_t)i, "point %" PRIu32 " of %zu positions", index[i], points);
            continue;
        }
        const double *at = position + 3 * (size_t)index[i];
        if (!is_there(&found, at))
            for (int axis = 0; axis < 3; axis++)
                dv_array_push(&found, at[axis]);
    }
    dv_data_set(&self->points, found.data, found.count / 3);
    dv_array_free(&found);
    return status;
}

static DvStatus init(DvObject *object, void *self_)
{
    return dv_engine_follow(object, &((PointsFromIndices *)self_)->position, DV_STATE, DV_SEARCH_UP, "position");
}

static const DvField fields[] = {
    DV_ENGINE_INPUT(PointsFromIndices, position, "position", dv_type_vec3s, "positions (default: of the state)",
                    .unit = "m"),
    DV_ENGINE_INPUT(PointsFromIndices, indices, "indices", dv_type_uints, "points wanted"),
    DV_ENGINE_OUTPUT(PointsFromIndices, points, "indices_position", dv_type_vec3s, "their positions, each once",
                     .unit = "m"),
    {0},
};

const DvClass dv_points_from_indices = {
    .size = sizeof(DvClass),
    .name = "PointsFromIndices",
    .variants = "Vec3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Select",
    .help = "Takes points out of a list of positions, by their numbers.",
    .instance_size = sizeof(PointsFromIndices),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .init = init,
    .update = update,
};
