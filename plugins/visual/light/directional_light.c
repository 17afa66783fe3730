/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * DirectionalLight: light that comes from one direction, as the sun's.
 */
#include "light.h"

typedef struct DirectionalLight {
    Light light;
    DvData direction;
} DirectionalLight;

static void get(void *object, DvLight *light)
{
    DirectionalLight *self = object;
    light_get(&self->light, light);
    light->kind = DV_LIGHT_DIRECTIONAL;
    memcpy(light->direction, dv_data_doubles(&self->direction, NULL), sizeof light->direction);
}

static const DvLightOps ops = {.size = sizeof ops, .get = get};

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
    .contracts = (const DvContract[]){{.id = DV_LIGHT, .ops = &ops}, {0}},
};
