/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PositionalLight: light that comes from a point.
 */
#include "light.h"

typedef struct PositionalLight {
    Light light;
    Positional positional;
} PositionalLight;

static void get(void *object, DvLight *light)
{
    PositionalLight *self = object;
    light_get(&self->light, light);
    positional_get(&self->positional, light);
    light->kind = DV_LIGHT_POSITIONAL;
    light->casts_shadows = false;
}

static const DvLightOps ops = {.size = sizeof ops, .get = get};

static const DvField fields[] = {
    LIGHT_FIELDS(PositionalLight),
    POSITIONAL_FIELDS(PositionalLight),
    {0},
};

const DvClass dv_positional_light = {
    .size = sizeof(DvClass),
    .name = "PositionalLight",
    .bases = (const char *const[]){"Light", NULL},
    .family = "lights",
    .module = "Sofa.GL.Component.Shader",
    .help = "Light that comes from a point.",
    .instance_size = sizeof(PositionalLight),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_LIGHT, .ops = &ops}, {0}},
};
