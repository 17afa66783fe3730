/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * HausdorffDistance: the largest of the distances from each point of one set to the nearest of the other. Frames: with the vector part of
 * the rotation between them, or the difference of their angles. It computes at init and reinit, and with `update` at the beginning of
 * each step as far as it listens.
 */
#include <math.h>

#include "at_events.h"

typedef struct HausdorffDistance {
    DvEngine engine;
    DvData points[2], distance[2], largest, follows;
} HausdorffDistance;

static double squared(const DvDofType *dof, const double *a, const double *b)
{
    double sum = 0.0;
    for (uint32_t k = 0; k < dof->spatial; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    if (dof == &dv_rigid3d)
        sum += dv_vec3_norm_squared(
            dv_quat_vector(dv_quat_mul(dv_quat_inverse(dv_quat_load(b + 3)), dv_quat_load(a + 3))));
    if (dof == &dv_rigid2d) {
        const double angle = fmod(a[2] - b[2], 2.0 * 3.14159265358979323846);
        sum += angle * angle;
    }
    return sum;
}

static double farthest(const DvDofType *dof, const double *a, size_t n, const double *b, size_t m)
{
    double most = 0.0;
    for (size_t i = 0; i < n && m > 0; i++) {
        double least = INFINITY;
        for (size_t j = 0; j < m && least > most; j++)
            least = fmin(least, squared(dof, a + i * dof->coord, b + j * dof->coord));
        most = fmax(most, least);
    }
    return sqrt(most);
}

static DvStatus update(DvObject *object, void *self_)
{
    HausdorffDistance *self = self_;
    if (!self->engine.forced)
        return DV_OK;
    size_t n[2];
    const double *x[2];
    for (int i = 0; i < 2; i++)
        x[i] = dv_data_doubles(&self->points[i], &n[i]);
    if (n[0] == 0 || n[1] == 0)
        dv_warning(object, "no distance to a set without points: give points1 and points2");
    double d[2];
    for (int i = 0; i < 2; i++) {
        d[i] = farthest(self->engine.dof, x[i], n[i], x[1 - i], n[1 - i]);
        dv_data_set_double(&self->distance[i], d[i]);
    }
    dv_data_set_double(&self->largest, fmax(d[0], d[1]));
    return DV_OK;
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    if (dv_data_bool(&((HausdorffDistance *)self_)->follows))
        compute_at(DV_EVENT_ANIMATE_BEGIN, object, self_, event);
}

static const DvField fields[] = {
    DV_ENGINE_INPUT(HausdorffDistance, points[0], "points1", dv_type_coords, "one set", .unit = "m"),
    DV_ENGINE_INPUT(HausdorffDistance, points[1], "points2", dv_type_coords, "the other set", .unit = "m"),
    DV_ENGINE_OUTPUT(HausdorffDistance, distance[0], "d12", dv_type_double, "from the first to the second",
                     .unit = "m"),
    DV_ENGINE_OUTPUT(HausdorffDistance, distance[1], "d21", dv_type_double, "from the second to the first",
                     .unit = "m"),
    DV_ENGINE_OUTPUT(HausdorffDistance, largest, "max", dv_type_double, "the larger of both", .unit = "m"),
    DV_FIELD(HausdorffDistance, follows, "update", dv_type_bool,
             .help = "compute at the beginning of each step (with listening), not only at the start"),
    {0},
};

const DvClass dv_hausdorff_distance = {
    .size = sizeof(DvClass),
    .name = "HausdorffDistance",
    .variants = "Vec3d Vec1d Vec2d Rigid2d Rigid3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Analyze",
    .help = "Computes how far two sets of points are apart at most.",
    .instance_size = sizeof(HausdorffDistance),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    .construct = dv_engine_construct,
    .bwd_init = dv_engine_run,
    .reinit = dv_engine_run,
    .handle_event = handle_event,
    .update = update,
};
