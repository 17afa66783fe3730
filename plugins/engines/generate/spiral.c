/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Spiral: rolls the x axis on an Archimedean spiral r = c t: a point (x, y, z) goes to the place at arc length
 * s = c/2 (t sqrt(1 + t^2) + asinh t) = x, moved by y along the normal there; z stays. What lies before the origin rolls to the other
 * side, as the same curve turned by half a turn.
 */
#include <math.h>

#include <divan/kit/engine.h>

typedef struct Spiral {
    DvEngine engine;
    DvData rest, position, curvature;
} Spiral;

/* The angle at this arc length in units of c, by Newton's method: the length is convex in the angle, so it comes from above. */
static double angle_of(double length)
{
    double t = sqrt(2.0 * length);
    t = t < length ? t : length;
    if (t == 0.0)
        return 0.0;
    for (int i = 0; i < 60; i++) {
        const double root = sqrt(1.0 + t * t), step = (0.5 * (t * root + asinh(t)) - length) / root;
        t -= step;
        if (fabs(step) <= 1e-15 * t)
            break;
    }
    return t;
}

static DvStatus update(DvObject *object, void *self_)
{
    (void)object;
    Spiral *self = self_;
    size_t count;
    const double *from = dv_data_doubles(&self->rest, &count), c = dv_data_double(&self->curvature);
    double *to = dv_data_begin_all(&self->position, count);
    for (size_t i = 0; i < count; i++, from += 3, to += 3) {
        const double t = angle_of(fabs(from[0]) / c), r = from[0] < 0.0 ? -c * t : c * t;
        const double root = sqrt(1.0 + t * t), co = cos(t), si = sin(t);
        const double tangent[2] = {(co - t * si) / root, (si + t * co) / root};
        to[0] = r * co - from[1] * tangent[1];
        to[1] = r * si + from[1] * tangent[0];
        to[2] = from[2];
    }
    dv_data_end(&self->position);
    return DV_OK;
}

static const DvField fields[] = {
    DV_ENGINE_INPUT(Spiral, rest, "rest_position", dv_type_vec3s, "points to roll up", .unit = "m"),
    DV_ENGINE_OUTPUT(Spiral, position, "position", dv_type_vec3s, "points on the spiral", .unit = "m"),
    DV_ENGINE_INPUT(Spiral, curvature, "curvature", dv_type_double, "radius gained per radian", .init = "0.2",
                    .unit = "m", .range = &dv_range_positive),
    {0},
};

const DvClass dv_spiral = {
    .size = sizeof(DvClass),
    .name = "Spiral",
    .variants = "Vec3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Generate",
    .help = "Rolls points up on a spiral.",
    .instance_size = sizeof(Spiral),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .update = update,
};
