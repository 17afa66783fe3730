/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VolumeFromVolumetricElements: the volumes of tetrahedra and hexahedra, added up.
 */
#include <math.h>

#include <divan/math/decompose.h>

#include "enclosed_volume.h"

static double sum(const double *x, DvElements tetrahedra)
{
    double volume = 0.0;
    for (uint32_t i = 0; i < tetrahedra.count; i++) {
        const uint32_t *t = tetrahedra.at + 4 * (size_t)i;
        volume += fabs(
            dv_tetrahedron_volume(mesh_point(x, t[0]), mesh_point(x, t[1]), mesh_point(x, t[2]), mesh_point(x, t[3])));
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
    DvElements tetrahedra, hexahedra;
    const DvStatus status = mesh_first(mesh_input(&self->elements[0], DV_TETRAHEDRA, points, &tetrahedra),
                                       mesh_input(&self->elements[1], DV_HEXAHEDRA, points, &hexahedra));
    double volume = sum(x, tetrahedra);
    for (uint32_t i = 0; i < hexahedra.count; i++) {
        uint32_t cut[6][4];
        dv_cut_hexahedron(hexahedra.at + 8 * (size_t)i, 0, false, cut);
        volume += sum(x, (DvElements){.at = cut[0], .count = 6});
    }
    dv_data_set_double(&self->volume, volume);
    return status;
}

static DvStatus start(DvObject *object, void *self)
{
    return enclosed_volume_start(object, self, "tetrahedra", "hexahedra");
}

static const DvField fields[] = {
    ENCLOSED_VOLUME_FIELDS("tetras", dv_type_tetrahedra, "hexas", dv_type_hexahedra),
    {0},
};

const DvClass dv_volume_from_volumetric_elements = {
    .size = sizeof(DvClass),
    .name = "VolumeFromVolumetricElements",
    .variants = "Vec3d",
    .default_variant = "Vec3d",
    .aliases = (const char *const[]){"VolumeFromTetrahedrons", NULL},
    .module = "Sofa.Component.Engine.Generate",
    .help = "Adds up the volumes of tetrahedra and hexahedra.",
    .instance_size = sizeof(EnclosedVolume),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    .construct = dv_engine_construct,
    .bwd_init = start,
    .reinit = start,
    .handle_event = enclosed_volume_event,
    .update = update,
};
