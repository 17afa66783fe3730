/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SphereROI: the points and elements inside a union of spheres, borders included.
 *
 * With `edgeAngle` an edge must also be at more than this angle to the line along `direction`; with `triAngle` a triangle's normal must
 * be at less than 180 degrees minus this angle to `normal`.
 */
#include <divan/kit/region.h>
#include <divan/math/vec.h>

#include <math.h>

typedef struct SphereRoi {
    DvRegion region;
    DvData centers, radii, direction, normal, edge_angle, triangle_angle;
} SphereRoi;

static bool select_points(void *self_, DvRegionPoints points, bool *inside)
{
    SphereRoi *self = self_;
    size_t spheres, radii;
    const double *centre = dv_data_doubles(&self->centers, &spheres), *radius = dv_data_doubles(&self->radii, &radii);
    if (radii != spheres && radii != 1) {
        dv_field_warning(&self->radii, -1,
                         "%zu for %zu centers, so nothing is selected: give one for each, or one for all", radii,
                         spheres);
        return false;
    }
    for (uint32_t i = 0; i < points.count; i++)
        for (size_t s = inside[i] = 0; s < spheres && !inside[i]; s++) {
            const double *p = points.at + (size_t)i * points.stride, r = radius[radii == 1 ? 0 : s];
            inside[i] = dv_vec3_norm_squared(dv_vec3_sub(dv_vec3_load(p), dv_vec3_load(centre + 3 * s))) <= r * r;
        }
    return true;
}

/* What angles ask for, besides. */
static void select_elements(void *self_, DvElementKind kind, DvElements elements, DvRegionPoints points,
                            const bool *point_inside, bool *inside)
{
    SphereRoi *self = self_;
    const bool edges = kind == DV_EDGES;
    const double degrees = dv_data_double(edges ? &self->edge_angle : &self->triangle_angle);
    if (!(degrees > 0) || !(edges || kind == DV_TRIANGLES))
        return;
    (void)point_inside;
    const double limit = cos(degrees * DV_PI / 180);
    const DvVec3 axis =
        dv_vec3_normalize(dv_vec3_load(dv_data_doubles(edges ? &self->direction : &self->normal, NULL)));
    for (uint32_t i = 0; i < elements.count; i++) {
        const uint32_t *node = elements.at + (size_t)i * (edges ? 2 : 3);
        if (!inside[i])
            continue;
        const DvVec3 p0 = dv_region_point(points, node[0]), side = dv_vec3_sub(dv_region_point(points, node[1]), p0);
        if (edges)
            inside[i] = fabs(dv_vec3_dot(axis, dv_vec3_normalize(side))) < fabs(limit);
        else /* the normal turned over */
            inside[i] = dv_vec3_dot(axis, dv_vec3_normalize(dv_vec3_cross(
                                              dv_vec3_sub(dv_region_point(points, node[2]), p0), side))) < limit;
    }
}

static void draw(void *self_, DvDraw *draw, double pixels, const double color[4])
{
    SphereRoi *self = self_;
    (void)pixels;
    size_t spheres, given;
    const double *centre = dv_data_doubles(&self->centers, &spheres), *radius = dv_data_doubles(&self->radii, &given);
    double *radii = dv_alloc(spheres, sizeof *radii);
    for (size_t s = 0; s < spheres; s++)
        radii[s] = radius[given == 1 ? 0 : s];
    draw->ops->spheres(draw, centre, radii, (uint32_t)spheres, color);
    dv_free(radii);
}

static void bounds(void *self_, double *bounds)
{
    SphereRoi *self = self_;
    size_t spheres, given;
    const double *centre = dv_data_doubles(&self->centers, &spheres), *radius = dv_data_doubles(&self->radii, &given);
    for (size_t i = 0; i < 3 * spheres; i++) {
        const double r = radius[given == 1 ? 0 : i / 3];
        bounds[i % 3] = fmin(bounds[i % 3], centre[i] - r);
        bounds[3 + i % 3] = fmax(bounds[3 + i % 3], centre[i] + r);
    }
}

#define IN(member, ...) DV_ENGINE_INPUT(SphereRoi, member, __VA_ARGS__)
static const DvField fields[] = {
    DV_REGION_FIELDS(SphereRoi, region, DV_REGION_ALIASES("rest_position"), DV_REGION_ALIASES("pointIndices"),
                     DV_REGION_ALIASES("isVisible", "drawSphere")),
    IN(centers, "centers", dv_type_vec3s, "centres of the spheres", .unit = "m"),
    IN(radii, "radii", dv_type_doubles, "of the spheres: one for each, or one for all", .unit = "m",
       .range = &dv_range_not_negative),
    IN(direction, "direction", dv_type_vec3d, "what edges make an angle with"),
    IN(normal, "normal", dv_type_vec3d, "what the normals of triangles make an angle with"),
    IN(edge_angle, "edgeAngle", dv_type_double, "edges inside make more than this angle with 'direction'; 0: any",
       .init = "0", .unit = "degree"),
    IN(triangle_angle, "triAngle", dv_type_double,
       "normals of triangles inside make less than 180 degrees less this angle with 'normal'; 0: any", .init = "0",
       .unit = "degree", DV_REGION_ALIASES("angle")),
    {0},
};

static const DvRegionOps ops =
    DV_REGION_OPS(.select = select_points, .select_elements = select_elements, .draw = draw, .bounds = bounds);

const DvClass dv_sphere_roi = {
    .size = sizeof(DvClass),
    .name = "SphereROI",
    .variants = "Vec3d Rigid3d",
    .module = "Sofa.Component.Engine.Select",
    .help = "Selects the points and elements inside spheres.",
    .instance_size = sizeof(SphereRoi),
    .fields = fields,
    DV_REGION_CLASS(ops, "BaseROI", "DataEngine"),
};
