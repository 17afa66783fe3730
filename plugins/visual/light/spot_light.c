/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SpotLight: light that comes from a point within a cone.
 */
#include "light.h"

typedef struct SpotLight {
    Light light;
    Positional positional;
    DvData direction, cutoff, exponent, look_at;
} SpotLight;

static void get(void *object, DvLight *light)
{
    SpotLight *self = object;
    light_get(&self->light, light);
    positional_get(&self->positional, light);
    light->kind = DV_LIGHT_SPOT;
    light->cutoff = dv_data_double(&self->cutoff);
    light->exponent = dv_data_double(&self->exponent);
    const double *direction = dv_data_doubles(&self->direction, NULL);
    for (int i = 0; i < 3; i++)
        light->direction[i] = direction[i] - (dv_data_bool(&self->look_at) ? light->position[i] : 0);
}

static const DvLightOps ops = {.size = sizeof ops, .get = get};

static const DvRange half_angles = {0, 180, false, false};

static const DvField fields[] = {
    LIGHT_FIELDS(SpotLight),
    POSITIONAL_FIELDS(SpotLight),
    DV_FIELD(SpotLight, direction, "direction", dv_type_vec3d, .init = "0 0 -1", .flags = DV_FIELD_DRAWING,
             .help = "where it points, or what it points at"),
    DV_FIELD(SpotLight, cutoff, "cutoff", dv_type_double, .init = "30", .unit = "degrees", .range = &half_angles,
             .flags = DV_FIELD_DRAWING | DV_FIELD_LENIENT, .help = "half the opening angle of the cone"),
    DV_FIELD(SpotLight, exponent, "exponent", dv_type_double, .init = "1", .range = &dv_range_not_negative,
             .flags = DV_FIELD_DRAWING, .help = "how it fades from the axis of the cone outwards"),
    DV_FIELD(SpotLight, look_at, "lookat", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .help = "direction is a point to look at, not a direction"),
    {0},
};

const DvClass dv_spot_light = {
    .size = sizeof(DvClass),
    .name = "SpotLight",
    .bases = (const char *const[]){"PositionalLight", "Light", NULL},
    .family = "lights",
    .module = "Sofa.GL.Component.Shader",
    .help = "Light that comes from a point within a cone.",
    .instance_size = sizeof(SpotLight),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_LIGHT, .ops = &ops}, {0}},
};
