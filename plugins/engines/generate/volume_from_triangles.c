/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VolumeFromTriangles: the volume inside a closed surface of triangles and quads, by the divergence theorem: the
 * integral of x n_x, which of an open one is what lies between it and the plane x = 0.
 */
#include <math.h>

#include "enclosed_volume.h"

static DvVec3 point(const double *position, uint32_t stride, uint32_t index)
{
    return dv_vec3_load(position + (size_t)index * stride);
}

static double sum(const double *x, uint32_t stride, DvElements faces, uint32_t corners)
{
    double volume = 0.0;
    for (uint32_t i = 0; i < faces.count; i++) {
        const uint32_t *f = faces.at + (size_t)i * corners;
        for (uint32_t j = 2; j < corners; j++) {
            const DvVec3 a = point(x, stride, f[0]), b = point(x, stride, f[j - 1]), c = point(x, stride, f[j]);
            volume += mesh_area_normal(a, b, c).x * (a.x + b.x + c.x) / 6.0;
        }
    }
    return volume;
}

static DvStatus update(DvObject *object, void *self_)
{
    (void)object;
    EnclosedVolume *self = self_;
    if (!self->engine.forced)
        return DV_OK;
    size_t points;
    const double *x = dv_data_doubles(&self->position, &points);
    const uint32_t stride = self->engine.dof->coord;
    DvElements triangles, quads;
    const DvStatus status = mesh_first(mesh_input(&self->elements[0], DV_TRIANGLES, points, &triangles),
                                       mesh_input(&self->elements[1], DV_QUADS, points, &quads));
    dv_data_set_double(&self->volume, fabs(sum(x, stride, triangles, 3) + sum(x, stride, quads, 4)));
    return status;
}

static DvStatus start(DvObject *object, void *self)
{
    return enclosed_volume_start(object, self, "triangles", "quads");
}

static const DvField fields[] = {
    ENCLOSED_VOLUME_FIELDS("triangles", dv_type_triangles, "quads", dv_type_quads),
    {0},
};

const DvClass dv_volume_from_triangles = {
    .size = sizeof(DvClass),
    .name = "VolumeFromTriangles",
    .variants = "Vec3d Rigid3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Generate",
    .help = "Computes the volume inside a closed surface.",
    .instance_size = sizeof(EnclosedVolume),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    .construct = dv_engine_construct,
    .bwd_init = start,
    .reinit = start,
    .handle_event = enclosed_volume_event,
    .update = update,
};
