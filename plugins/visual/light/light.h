/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What all lights have: colour and how they cast shadows.
 */
#ifndef DIVAN_VISUAL_LIGHT_H
#define DIVAN_VISUAL_LIGHT_H

#include <divan/contracts/visual.h>
#include <divan/types/color.h>

#include <string.h>

typedef struct Light {
    DvData color, shadow_texture_size, draw_source, z_near, z_far, shadows_enabled, soft_shadows, shadow_factor;
    DvData light_bleeding, min_variance, texture_unit;
} Light;

/* Entries of the field table of a struct whose member `light` is a Light. */
#define LIGHT_FIELDS(Struct)                                                                                          \
    DV_FIELD(Struct, light.color, "color", dv_type_color, .init = "1 1 1 1", .flags = DV_FIELD_DRAWING,               \
             .help = "colour"),                                                                                       \
        DV_FIELD(Struct, light.shadow_texture_size, "shadowTextureSize", dv_type_uint, .init = "0", .unit = "pixels", \
                 .flags = DV_FIELD_DRAWING, .help = "width of the shadow map; 0: by the size of the window"),         \
        DV_FIELD(Struct, light.draw_source, "drawSource", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,       \
                 .help = "show where the light is"),                                                                  \
        DV_FIELD(Struct, light.z_near, "zNear", dv_type_double, .unit = "m", .range = &dv_range_not_negative,         \
                 .flags = DV_FIELD_DRAWING, .help = "nearest depth of the shadow map; unset: from the scene"),        \
        DV_FIELD(Struct, light.z_far, "zFar", dv_type_double, .unit = "m", .range = &dv_range_not_negative,           \
                 .flags = DV_FIELD_DRAWING, .help = "farthest depth of the shadow map; unset: from the scene"),       \
        DV_FIELD(Struct, light.shadows_enabled, "shadowsEnabled", dv_type_bool, .init = "1",                          \
                 .flags = DV_FIELD_DRAWING, .help = "whether it casts shadows"),                                      \
        DV_FIELD(Struct, light.soft_shadows, "softShadows", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,     \
                 .help = "blur the edge of shadows"),                                                                 \
        DV_FIELD(Struct, light.shadow_factor, "shadowFactor", dv_type_double, .init = "1", .range = &dv_range_share,  \
                 .flags = DV_FIELD_DRAWING, .help = "how dark shadows are, 0 to 1"),                                  \
        DV_FIELD(Struct, light.light_bleeding, "VSMLightBleeding", dv_type_double, .init = "0.05",                    \
                 .range = &dv_range_not_negative, .flags = DV_FIELD_DRAWING,                                          \
                 .help = "light that leaks into soft shadows, cut off below this"),                                   \
        DV_FIELD(Struct, light.min_variance, "VSMMinVariance", dv_type_double, .init = "0.001",                       \
                 .range = &dv_range_not_negative, .flags = DV_FIELD_DRAWING,                                          \
                 .help = "least variance of the depths of soft shadows"),                                             \
        DV_FIELD(Struct, light.texture_unit, "textureUnit", dv_type_uint, .init = "1", .flags = DV_FIELD_DRAWING,     \
                 .help = "texture unit of the shadow map")

/* What the fields say of any light. */
static inline void light_get(Light *self, DvLight *light)
{
    memcpy(light->color, dv_data_doubles(&self->color, NULL), sizeof light->color);
    light->shows_source = dv_data_bool(&self->draw_source);
    light->casts_shadows = dv_data_bool(&self->shadows_enabled);
    light->soft_shadows = dv_data_bool(&self->soft_shadows);
    light->shadow_strength = dv_data_double(&self->shadow_factor);
    light->shadow_size = dv_data_uint(&self->shadow_texture_size);
    light->shadow_near = dv_data_is_set(&self->z_near) ? dv_data_double(&self->z_near) : 0;
    light->shadow_far = dv_data_is_set(&self->z_far) ? dv_data_double(&self->z_far) : 0;
    light->light_bleeding = dv_data_double(&self->light_bleeding);
    light->least_variance = dv_data_double(&self->min_variance);
}

/* Fields of lights that stand somewhere; `positional` is the member. */
typedef struct Positional {
    DvData fixed, position, attenuation;
} Positional;
#define POSITIONAL_FIELDS(Struct)                                                                           \
    DV_FIELD(Struct, positional.fixed, "fixed", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,       \
             .help = "the light stands still with respect to the camera"),                                  \
        DV_FIELD(Struct, positional.position, "position", dv_type_vec3d, .init = "-0.7 0.3 0", .unit = "m", \
                 .flags = DV_FIELD_DRAWING, .help = "where it stands"),                                     \
        DV_FIELD(Struct, positional.attenuation, "attenuation", dv_type_double, .init = "0", .unit = "1/m", \
                 .range = &dv_range_not_negative, .flags = DV_FIELD_DRAWING, .help = "how it fades with distance")

static inline void positional_get(Positional *self, DvLight *light)
{
    memcpy(light->position, dv_data_doubles(&self->position, NULL), sizeof light->position);
    light->attenuation = dv_data_double(&self->attenuation);
    light->with_camera = dv_data_bool(&self->fixed);
}

#endif
