/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * NormalsFromPoints: normals of points: the sum of the unit normals of the corners there (of a quad each corner its own), weighted by
 * the corner's angle if asked for.
 */
#include "mesh_inputs.h"

#include <math.h>

typedef struct NormalsFromPoints {
    DvEngine engine;
    DvData position, triangles, quads, normals, invert, angles;
} NormalsFromPoints;

static void add_corners(DvElements faces, uint32_t corners, const double *position, bool angles, double *normals)
{
    for (uint32_t i = 0; i < faces.count; i++) {
        const uint32_t *face = faces.at + (size_t)i * corners;
        for (uint32_t j = 0; j < corners; j++) {
            const DvVec3 p = mesh_point(position, face[j]);
            const DvVec3 next = dv_vec3_sub(mesh_point(position, face[(j + 1) % corners]), p);
            const DvVec3 last = dv_vec3_sub(mesh_point(position, face[(j + corners - 1) % corners]), p);
            const DvVec3 area = dv_vec3_cross(next, last);
            const double weight = angles ? atan2(dv_vec3_norm(area), dv_vec3_dot(next, last)) : 1.0;
            dv_vec3_accumulate(dv_vec3_scale(dv_vec3_normalize(area), weight), normals + 3 * (size_t)face[j]);
        }
    }
}

static DvStatus update(DvObject *object, void *self_)
{
    (void)object;
    NormalsFromPoints *self = self_;
    size_t points;
    DvElements triangles, quads;
    const double *position = dv_data_doubles(&self->position, &points);
    const DvStatus status = mesh_first(mesh_input(&self->triangles, DV_TRIANGLES, points, &triangles),
                                       mesh_input(&self->quads, DV_QUADS, points, &quads));
    const bool angles = dv_data_bool(&self->angles);
    const double side = dv_data_bool(&self->invert) ? -1.0 : 1.0;
    double *normals = dv_data_begin_all(&self->normals, points);
    memset(normals, 0, 3 * points * sizeof *normals);
    add_corners(triangles, 3, position, angles, normals);
    add_corners(quads, 4, position, angles, normals);
    for (size_t i = 0; i < points; i++, normals += 3)
        dv_vec3_store(dv_vec3_scale(dv_vec3_normalize(dv_vec3_load(normals)), side), normals);
    dv_data_end(&self->normals);
    return status;
}

static const DvField fields[] = {
    DV_ENGINE_INPUT(NormalsFromPoints, position, "position", dv_type_vec3s, "points", .unit = "m"),
    DV_ENGINE_INPUT(NormalsFromPoints, triangles, "triangles", dv_type_triangles, "triangles"),
    DV_ENGINE_INPUT(NormalsFromPoints, quads, "quads", dv_type_quads, "quads"),
    DV_ENGINE_OUTPUT(NormalsFromPoints, normals, "normals", dv_type_vec3s, "a unit normal for each point"),
    DV_ENGINE_INPUT(NormalsFromPoints, invert, "invertNormals", dv_type_bool, "normals to the other side"),
    DV_ENGINE_INPUT(NormalsFromPoints, angles, "useAngles", dv_type_bool, "weights: the angles of the corners"),
    {0},
};

const DvClass dv_normals_from_points = {
    .size = sizeof(DvClass),
    .name = "NormalsFromPoints",
    .variants = "Vec3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Generate",
    .help = "Computes normals of points from the faces around them.",
    .instance_size = sizeof(NormalsFromPoints),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .update = update,
};
