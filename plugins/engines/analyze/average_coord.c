/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * AverageCoord: the mean of points of a state: at init and reinit, and at the beginning of each step as far as it listens. Of frames the
 * orientation is the product q_n ... q_1, as old scenes have it; with meanRotation it is their mean rotation: the eigenvector of the
 * largest eigenvalue of sum q q^T (Markley et al. 2007). Rigid2d: the mean angle.
 */
#include <math.h>

#include <divan/contracts/state.h>

#include "at_events.h"

typedef struct AverageCoord {
    DvEngine engine;
    DvData indices, vector, mean_rotation, average;
    DvLink state_link;
    DvStateRef state;
} AverageCoord;

/* The unit q with the largest q^T S q, by powers of S, which is squared until one eigenvalue alone is left. */
static DvQuat main_axis(double s[4][4])
{
    for (int round = 0; round < 40; round++) {
        double t[4][4], trace = 0.0;
        for (int i = 0; i < 4; i++)
            trace += s[i][i];
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                t[i][j] = 0.0;
                for (int k = 0; k < 4; k++)
                    t[i][j] += s[i][k] / trace * (s[k][j] / trace);
            }
        memcpy(s, t, sizeof t);
    }
    int column = 0;
    for (int i = 1; i < 4; i++)
        column = s[i][i] > s[column][column] ? i : column;
    return dv_quat_normalize(dv_quat(s[0][column], s[1][column], s[2][column], s[3][column]));
}

static void average_rotation(const double *x, const uint32_t *indices, size_t count, bool mean, double *to)
{
    double s[4][4] = {{0}};
    DvQuat product = dv_quat_identity();
    for (size_t i = 0; i < count; i++) {
        const double *q = x + 7 * (size_t)(indices ? indices[i] : i) + 3;
        product = dv_quat_mul(dv_quat_load(q), product);
        for (int r = 0; r < 4; r++)
            for (int c = 0; c < 4; c++)
                s[r][c] += q[r] * q[c];
    }
    dv_quat_store(mean && count ? main_axis(s) : product, to);
}

static DvStatus update(DvObject *object, void *self_)
{
    (void)object;
    AverageCoord *self = self_;
    if (!self->engine.forced || !self->state.object)
        return DV_OK;
    size_t count;
    const uint32_t *indices = dv_data_uints(&self->indices, &count), id = dv_data_uint(&self->vector);
    const DvConstVec x = dv_state_read(self->state, id == 2   ? DV_REST_POSITION
                                                    : id == 3 ? DV_RESET_POSITION
                                                    : id == 4 ? DV_FREE_POSITION
                                                              : DV_POSITION);
    for (size_t i = 0; i < count; i++)
        if (indices[i] >= x.count)
            return dv_field_error_missing(&self->indices, (int64_t)i, "point", indices[i], "the state", x.count);
    if (count == 0) {
        indices = NULL;
        count = x.count;
    }
    const uint32_t size = self->engine.dof->coord;
    const double *at = x.at;
    double mean[7] = {0};
    for (size_t i = 0; i < count && at; i++)
        for (uint32_t k = 0; k < size; k++)
            mean[k] += at[(indices ? indices[i] : i) * size + k] / (double)count;
    if (self->engine.dof == &dv_rigid3d && at)
        average_rotation(at, indices, count, dv_data_bool(&self->mean_rotation), mean + 3);
    dv_data_set(&self->average, mean, 1);
    return DV_OK;
}

static DvStatus start(DvObject *object, void *self_)
{
    AverageCoord *self = self_;
    const DvStatus status = self->state.object ? DV_OK : dv_state_require(object, &self->state_link, &self->state);
    if (status != DV_OK)
        return status;
    if (self->state.dof != self->engine.dof)
        return dv_error(object, DV_ERROR_INVALID,
                        "made for %s, but state '%s' holds %s: give the template of the state",
                        dv_object_variant(object), dv_object_path(self->state.object), self->state.dof->name);
    return dv_engine_run(object, self_);
}

static void handle_event(DvObject *object, void *self, DvEvent *event)
{
    compute_at(DV_EVENT_ANIMATE_BEGIN, object, self, event);
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    dv_state_release(&((AverageCoord *)self_)->state);
}

static const DvField fields[] = {
    DV_FIELD(AverageCoord, indices, "indices", dv_type_uints, .flags = DV_FIELD_INPUT | DV_FIELD_EMPTY_IS_ALL,
             .help = "points that count (default: all)"),
    DV_ENGINE_INPUT(AverageCoord, vector, "vecId", dv_type_uint,
                    "1: positions, 2: rest positions, 3: reset positions, 4: free positions", .init = "1"),
    DV_ENGINE_INPUT(AverageCoord, mean_rotation, "meanRotation", dv_type_bool,
                    "the orientation is the mean rotation of the frames, not their product"),
    DV_ENGINE_OUTPUT(AverageCoord, average, "average", dv_type_coord, "the mean", .unit = "m"),
    DV_LINK(AverageCoord, state_link, "mstate", DV_STATE, .help = "the state (default: that of the node)"),
    {0},
};

const DvClass dv_average_coord = {
    .size = sizeof(DvClass),
    .name = "AverageCoord",
    .variants = "Vec3d Vec2d Rigid2d Rigid3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Analyze",
    .help = "Computes the mean of points of a state.",
    .instance_size = sizeof(AverageCoord),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    .construct = dv_engine_construct,
    .bwd_init = start,
    .reinit = start,
    .handle_event = handle_event,
    .update = update,
    .cleanup = cleanup,
};
