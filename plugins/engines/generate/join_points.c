/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * JoinPoints: points nearer to each other than a distance become one. One after the other: as long as the nearest of all others is
 * nearer than that, a point is replaced by the mean of both, weighted by how many points each stands for, and the other goes.
 */
#include "mesh_inputs.h"

typedef struct JoinPoints {
    DvEngine engine;
    DvData points, distance, merged;
} JoinPoints;

typedef struct Cloud {
    double *at;      /* [count] x 3 */
    double *weights; /* [count] */
    size_t count;
} Cloud;

/* The first of the nearest, or `point` itself when none is nearer than the distance. */
static size_t find_nearest(const Cloud *cloud, size_t point, double distance)
{
    const DvVec3 p = dv_vec3_load(cloud->at + 3 * point);
    double least = distance;
    size_t nearest = point;
    for (size_t i = 0; i < cloud->count; i++) {
        const double d = dv_vec3_distance(p, dv_vec3_load(cloud->at + 3 * i));
        if (i != point && d < least) {
            least = d;
            nearest = i;
        }
    }
    return nearest;
}

static void join(Cloud *cloud, size_t point, size_t other)
{
    const double a = cloud->weights[point], b = cloud->weights[other];
    for (size_t k = 0; k < 3; k++)
        cloud->at[3 * point + k] = (a * cloud->at[3 * point + k] + b * cloud->at[3 * other + k]) / (a + b);
    cloud->weights[point] = a + b;
    const size_t after = --cloud->count - other;
    memmove(cloud->at + 3 * other, cloud->at + 3 * (other + 1), 3 * after * sizeof *cloud->at);
    memmove(cloud->weights + other, cloud->weights + other + 1, after * sizeof *cloud->weights);
}

static DvStatus update(DvObject *object, void *self_)
{
    (void)object;
    JoinPoints *self = self_;
    size_t count;
    const double *points = dv_data_doubles(&self->points, &count), distance = dv_data_double(&self->distance);
    Cloud cloud = {dv_alloc(count, 3 * sizeof(double)), dv_alloc(count, sizeof(double)), count};
    memcpy(cloud.at, points, 3 * count * sizeof *points);
    for (size_t i = 0; i < count; i++)
        cloud.weights[i] = 1.0;
    for (size_t i = 0; i < cloud.count; i++)
        for (size_t other; (other = find_nearest(&cloud, i, distance)) != i;
             i -= other < i) /* it moves up with those behind it */
            join(&cloud, i, other);
    dv_data_set(&self->merged, cloud.at, cloud.count);
    dv_free(cloud.at);
    dv_free(cloud.weights);
    return DV_OK;
}

static const DvField fields[] = {
    DV_ENGINE_INPUT(JoinPoints, points, "points", dv_type_vec3s, "points", .unit = "m"),
    DV_ENGINE_INPUT(JoinPoints, distance, "distance", dv_type_double, "points nearer than this become one", .unit = "m",
                    .range = &dv_range_not_negative),
    DV_ENGINE_OUTPUT(JoinPoints, merged, "mergedPoints", dv_type_vec3s, "the points that are left", .unit = "m"),
    {0},
};

const DvClass dv_join_points = {
    .size = sizeof(DvClass),
    .name = "JoinPoints",
    .variants = "Vec3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Generate",
    .help = "Joins points that are near each other.",
    .instance_size = sizeof(JoinPoints),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .update = update,
};
