/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RandomPointDistributionInSurface: random points inside a closed surface, no two nearer than a distance. Points are drawn evenly in the
 * box around the surface; one is inside when rays in several random directions all leave through a triangle that faces them from
 * within. The generator is ours (SplitMix64, Steele, Lea and Flood 2014): a seed gives the same points everywhere, 0 too.
 */
#include <math.h>

#include "mesh_inputs.h"

typedef struct RandomPoints {
    DvEngine engine;
    DvData seed, distance, count, tests, vertices, triangles, in, out;
} RandomPoints;

enum { MOST_DRAWS = 1 << 20 };

typedef struct Draw {
    const double *position;
    DvElements triangles;
    double least[3], most[3];
    uint64_t state;
    uint32_t tests;
} Draw;

static double draw_number(Draw *draw)
{
    uint64_t z = draw->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static DvVec3 draw_direction(Draw *draw)
{
    for (;;) {
        const double x = draw_number(draw), y = draw_number(draw), z = draw_number(draw);
        const DvVec3 d = {2.0 * x - 1.0, 2.0 * y - 1.0, 2.0 * z - 1.0};
        const double length = dv_vec3_norm_squared(d);
        if (length > 0.01 && length <= 1.0)
            return d;
    }
}

/* Whether the first triangle that the ray meets is left from within. */
static bool leaves(const Draw *draw, DvVec3 from, DvVec3 direction)
{
    double nearest = INFINITY;
    bool outwards = false;
    for (uint32_t i = 0; i < draw->triangles.count; i++) {
        const uint32_t *t = draw->triangles.at + 3 * (size_t)i;
        const DvVec3 a = mesh_point(draw->position, t[0]), ab = dv_vec3_sub(mesh_point(draw->position, t[1]), a),
                     ac = dv_vec3_sub(mesh_point(draw->position, t[2]), a);
        const DvVec3 p = dv_vec3_cross(direction, ac), s = dv_vec3_sub(from, a), q = dv_vec3_cross(s, ab);
        const double det = dv_vec3_dot(ab, p);
        if (det == 0.0)
            continue;
        const double u = dv_vec3_dot(s, p) / det, v = dv_vec3_dot(direction, q) / det, at = dv_vec3_dot(ac, q) / det;
        if (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && at >= 0.0 && at < nearest) {
            nearest = at;
            outwards = det < 0.0; /* its normal looks along the ray */
        }
    }
    return outwards;
}

static bool is_far(const DvRealArray *points, DvVec3 p, double distance)
{
    for (uint32_t i = 0; i < points->count; i += 3)
        if (dv_vec3_distance(dv_vec3_load(points->data + i), p) < distance)
            return false;
    return true;
}

static DvVec3 draw_point(Draw *draw)
{
    double p[3];
    for (int k = 0; k < 3; k++)
        p[k] = draw->least[k] + draw_number(draw) * (draw->most[k] - draw->least[k]);
    return dv_vec3_load(p);
}

/* Points into `in` until there are `count`; those that are not inside into `out`. */
static void draw_all(Draw *draw, uint32_t count, double distance, DvRealArray *in, DvRealArray *out)
{
    const double fourth = fmax(10000.0, pow(count, 4));
    const uint32_t draws = fourth < MOST_DRAWS ? (uint32_t)fourth : MOST_DRAWS;
    for (uint32_t i = 0; i < draws && in->count < 3 * count; i++) {
        const DvVec3 p = draw_point(draw);
        double at[3];
        dv_vec3_store(p, at);
        if (!is_far(in, p, distance))
            continue;
        bool inside = true;
        for (uint32_t k = 0; k < draw->tests && inside; k++)
            inside = leaves(draw, p, draw_direction(draw));
        if (inside)
            dv_array_append(in, at, 3);
        else
            dv_array_append(out, at, 3);
    }
}

static DvStatus update(DvObject *object, void *self_)
{
    RandomPoints *self = self_;
    size_t points;
    Draw draw = {.position = dv_data_doubles(&self->vertices, &points), .state = dv_data_uint(&self->seed)};
    DvStatus status = mesh_input(&self->triangles, DV_TRIANGLES, points, &draw.triangles);
    const uint32_t count = dv_data_uint(&self->count), tests = dv_data_uint(&self->tests);
    draw.tests = (tests < 100 ? tests : 100) | 1u;
    for (size_t i = 0; i < 3 * points; i++) {
        draw.least[i % 3] = i < 3 || draw.position[i] < draw.least[i % 3] ? draw.position[i] : draw.least[i % 3];
        draw.most[i % 3] = i < 3 || draw.position[i] > draw.most[i % 3] ? draw.position[i] : draw.most[i % 3];
    }
    DvRealArray in = {0}, out = {0};
    if (status == DV_OK && count > MOST_DRAWS)
        status = dv_field_error(&self->count, -1, "%" PRIu32 " points; up to %d can be had", count, MOST_DRAWS);
    if (status == DV_OK && draw.triangles.count == 0)
        dv_warning(object, "no surface to be inside of: give vertices and triangles");
    else if (status == DV_OK)
        draw_all(&draw, count, dv_data_double(&self->distance), &in, &out);
    if (status == DV_OK && draw.triangles.count && in.count < 3 * count)
        dv_warning(object,
                   "only %" PRIu32 " of %" PRIu32
                   " points are found: lower minDistanceBetweenPoints, or look whether the surface is "
                   "closed and its triangles look outwards",
                   in.count / 3, count);
    dv_data_set(&self->in, in.data, in.count / 3);
    dv_data_set(&self->out, out.data, out.count / 3);
    dv_array_free(&in);
    dv_array_free(&out);
    return status;
}

static const DvField fields[] = {
    DV_ENGINE_INPUT(RandomPoints, seed, "randomSeed", dv_type_uint, "another seed gives other points"),
    MESH_SHOWN("isVisible", "1"),
    MESH_SHOWN("drawOutputPoints", "0"),
    DV_ENGINE_INPUT(RandomPoints, distance, "minDistanceBetweenPoints", dv_type_double, "no two points are nearer",
                    .init = "0.1", .unit = "m"),
    DV_ENGINE_INPUT(RandomPoints, count, "numberOfInPoints", dv_type_uint, "number of points", .init = "10"),
    DV_ENGINE_INPUT(RandomPoints, tests, "numberOfTests", dv_type_uint,
                    "rays that must all leave from within; an even number counts as one more, at most 101",
                    .init = "5"),
    DV_ENGINE_INPUT(RandomPoints, vertices, "vertices", dv_type_vec3s, "points of the surface", .unit = "m"),
    DV_ENGINE_INPUT(RandomPoints, triangles, "triangles", dv_type_triangles, "its triangles, seen from outside"),
    DV_ENGINE_OUTPUT(RandomPoints, in, "inPoints", dv_type_vec3s, "points inside", .unit = "m"),
    DV_ENGINE_OUTPUT(RandomPoints, out, "outPoints", dv_type_vec3s, "points that were drawn outside", .unit = "m"),
    {0},
};

const DvClass dv_random_point_distribution_in_surface = {
    .size = sizeof(DvClass),
    .name = "RandomPointDistributionInSurface",
    .variants = "Vec3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Generate",
    .help = "Draws random points inside a closed surface.",
    .instance_size = sizeof(RandomPoints),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .update = update,
};
