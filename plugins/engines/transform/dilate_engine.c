/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * DilateEngine: a surface moved along its normals, the farther where the body behind it is thin. Normals of points are the sums of the
 * area vectors of triangles and of the corners of quads. The thickness at a point is the way along the normal inwards to the first
 * triangle that the point is no corner of (Moeller and Trumbore 1997); a quad counts as two triangles there.
 */
#include <math.h>

#include "mesh_inputs.h"
#include "triangle_tree.h"

typedef struct Dilate {
    DvEngine engine;
    DvData position, output, triangles, quads, normal, thickness, distance, least;
} Dilate;

static void find_normals(DvElements faces, uint32_t corners, const double *x, double *normal)
{
    for (uint32_t i = 0; i < faces.count; i++) {
        const uint32_t *f = faces.at + (size_t)i * corners;
        for (uint32_t j = 0; j < corners; j++) {
            const DvVec3 area = mesh_area_normal(mesh_point(x, f[j]), mesh_point(x, f[(j + 1) % corners]),
                                                 mesh_point(x, f[(j + corners - 1) % corners]));
            dv_vec3_accumulate(area, normal + 3 * (size_t)f[j]);
        }
    }
}

/* The way from each point against its normal to the surface; 0 where there is none. */
static void find_thickness(DvElements triangles, DvElements quads, const double *x, size_t points, const double *normal,
                           double *thickness)
{
    MeshTriangles all = {0};
    mesh_triangles_of(triangles, quads, &all);
    TriangleTree tree = triangle_tree_new(x, all.data, all.count / 3);
    for (uint32_t i = 0; i < points; i++) {
        const double way = triangle_tree_ray(&tree, mesh_point(x, i), dv_vec3_neg(mesh_point(normal, i)), i);
        thickness[i] = isfinite(way) ? way : 0.0;
    }
    triangle_tree_free(&tree);
    dv_array_free(&all);
}

static DvStatus update(DvObject *object, void *self_)
{
    (void)object;
    Dilate *self = self_;
    size_t points;
    DvElements triangles, quads;
    const double *x = dv_data_doubles(&self->position, &points), distance = dv_data_double(&self->distance),
                 least = dv_data_double(&self->least);
    const DvStatus status = mesh_first(mesh_input(&self->triangles, DV_TRIANGLES, points, &triangles),
                                       mesh_input(&self->quads, DV_QUADS, points, &quads));
    const size_t measured = least > 0.0 ? points : 0;
    double *normal = dv_data_begin_all(&self->normal, points);
    if (points)
        memset(normal, 0, 3 * points * sizeof *normal);
    find_normals(triangles, 3, x, normal);
    find_normals(quads, 4, x, normal);
    for (size_t i = 0; i < points; i++)
        dv_vec3_store(dv_vec3_normalize(dv_vec3_load(normal + 3 * i)), normal + 3 * i);
    double *thickness = dv_data_begin_all(&self->thickness, measured);
    if (measured)
        find_thickness(triangles, quads, x, points, normal, thickness);
    double *to = dv_data_begin_all(&self->output, points);
    for (size_t i = 0; i < points; i++) {
        const bool thin = i < measured && thickness[i] > 0.0 && thickness[i] < least;
        const double way = distance + (thin ? 0.5 * (least - thickness[i]) : 0.0);
        dv_vec3_store(dv_vec3_madd(dv_vec3_load(x + 3 * i), way, dv_vec3_load(normal + 3 * i)), to + 3 * i);
    }
    dv_data_end(&self->normal);
    dv_data_end(&self->thickness);
    dv_data_end(&self->output);
    return status;
}

static const DvField fields[] = {
    DV_ENGINE_INPUT(Dilate, position, "input_position", dv_type_vec3s, "points of the surface", .unit = "m",
                    .aliases = (const char *const[]){"position", NULL}),
    DV_ENGINE_OUTPUT(Dilate, output, "output_position", dv_type_vec3s, "points of the dilated surface", .unit = "m"),
    DV_ENGINE_INPUT(Dilate, triangles, "triangles", dv_type_triangles, "its triangles"),
    DV_ENGINE_INPUT(Dilate, quads, "quads", dv_type_quads, "its quads"),
    DV_ENGINE_OUTPUT(Dilate, normal, "normal", dv_type_vec3s, "outwards, for each point"),
    DV_ENGINE_OUTPUT(Dilate, thickness, "thickness", dv_type_doubles,
                     "of the body at each point, with minThickness; 0: there is nothing behind", .unit = "m"),
    DV_ENGINE_INPUT(Dilate, distance, "distance", dv_type_double, "how far points move along their normals",
                    .unit = "m"),
    DV_ENGINE_INPUT(Dilate, least, "minThickness", dv_type_double,
                    "where the body is thinner, both sides move half of what is missing (0: nowhere)", .unit = "m"),
    {0},
};

const DvClass dv_dilate_engine = {
    .size = sizeof(DvClass),
    .name = "DilateEngine",
    .variants = "Vec3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Transform",
    .help = "Moves a surface along its normals.",
    .instance_size = sizeof(Dilate),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .update = update,
};
