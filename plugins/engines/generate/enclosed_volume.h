/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What VolumeFromTriangles and VolumeFromVolumetricElements have in common: where their mesh comes from, and when they compute: at init
 * and reinit, and with `update` at the end of each step as far as they listen.
 */
#ifndef DIVAN_ENGINES_ENCLOSED_VOLUME_H
#define DIVAN_ENGINES_ENCLOSED_VOLUME_H

#include <divan/contracts/state.h>
#include <divan/given.h>

#include "at_events.h"
#include "mesh_inputs.h"

typedef struct EnclosedVolume {
    DvEngine engine;
    DvData position, elements[2], volume, follows;
    DvLink topology, mechanical;
} EnclosedVolume;

/* Links an input that is not given to a field of what a link, or else the context, leads to. */
DV_NODISCARD static inline DvStatus enclosed_volume_link(DvObject *object, DvData *input, const DvLink *link,
                                                         const char *contract, const char *field)
{
    DvObject *from = dv_data_is_given(input) ? NULL : dv_object_find(object, link, contract);
    DvData *data = from ? dv_object_field(from, field) : NULL;
    return data ? dv_data_link(input, data) : DV_OK;
}

DV_NODISCARD static inline DvStatus enclosed_volume_start(DvObject *object, EnclosedVolume *self, const char *first,
                                                          const char *second)
{
    DvStatus status = DV_OK;
    if (!dv_data_is_set(&self->elements[0]) && !dv_data_is_set(&self->elements[1])) {
        status = enclosed_volume_link(object, &self->elements[0], &self->topology, DV_TOPOLOGY, first);
        status =
            mesh_first(status, enclosed_volume_link(object, &self->elements[1], &self->topology, DV_TOPOLOGY, second));
    }
    status = mesh_first(status, enclosed_volume_link(object, &self->position, &self->mechanical, DV_STATE, "position"));
    status =
        mesh_first(status, enclosed_volume_link(object, &self->position, &self->topology, DV_TOPOLOGY, "position"));
    return mesh_first(status, dv_engine_run(object, self));
}

/* DvClass.handle_event. */
static inline void enclosed_volume_event(DvObject *object, void *self_, DvEvent *event)
{
    EnclosedVolume *self = self_;
    if (dv_data_bool(&self->follows))
        compute_at(DV_EVENT_ANIMATE_END, object, self_, event);
}

#define ENCLOSED_VOLUME_FIELDS(first_name, first_type, second_name, second_type)                                  \
    DV_ENGINE_INPUT(EnclosedVolume, position, "position", dv_type_coords, "points (default: those of the state)", \
                    .unit = "m"),                                                                                 \
        DV_ENGINE_INPUT(EnclosedVolume, elements[0], first_name, first_type,                                      \
                        "elements (default: those of the topology)"),                                             \
        DV_ENGINE_INPUT(EnclosedVolume, elements[1], second_name, second_type,                                    \
                        "elements (default: those of the topology)"),                                             \
        DV_ENGINE_OUTPUT(EnclosedVolume, volume, "volume", dv_type_double, "the volume", .unit = "m^3"),          \
        DV_FIELD(EnclosedVolume, follows, "update", dv_type_bool,                                                 \
                 .help = "compute at the end of each step (with listening), not only at the start"),              \
        DV_LINK(EnclosedVolume, topology, "topology", DV_TOPOLOGY,                                                \
                .help = "where elements come from that are not given"),                                           \
        DV_LINK(EnclosedVolume, mechanical, "mechanical", DV_STATE,                                               \
                .help = "where points come from that are not given")

#endif
