/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * DirectionalLight: light that comes from one direction, as the sun's.
 */
#include "light.h"

typedef struct DirectionalLight {
    Light light;
    DvData direction;
} DirectionalLight;

static const DvField fields[] = {
    LIGHT_FIELDS(DirectionalLight),
    DV_FIELD(DirectionalLight, direction, "direction", dv_type_vec3d, .init = "0 0 -1", .flags = DV_FIELD_DRAWING,
             .help = "towards the light"),
    {0},
};

const DvClass dv_directional_light = {
    .size = sizeof(DvClass),
    .name = "DirectionalLight",
    .bases = (const char *const[]){"Light", NULL},
    .family = "lights",
    .module = "Sofa.GL.Component.Shader",
    .help = "Light that comes from one direction, as the sun's.",
    .instance_size = sizeof(DirectionalLight),
    .fields = fields,
};
