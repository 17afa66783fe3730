/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * LightManager: the lights below it count, and whether they cast shadows.
 */
#include <divan/contracts/visual.h>
#include <divan/types/color.h>

#include <string.h>

typedef struct LightManager {
    DvData shadows, soft_shadows, ambient, debug_draw;
} LightManager;

static void get(void *object, DvLighting *lighting)
{
    LightManager *self = object;
    memcpy(lighting->ambient, dv_data_doubles(&self->ambient, NULL), sizeof lighting->ambient);
    lighting->shadows = dv_data_bool(&self->shadows);
    lighting->soft_shadows = dv_data_bool(&self->soft_shadows);
}

static const DvLightingOps ops = {.size = sizeof ops, .get = get};

static const DvField fields[] = {
    DV_FIELD(LightManager, shadows, "shadows", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .help = "whether lights cast shadows"),
    DV_FIELD(LightManager, soft_shadows, "softShadows", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .help = "blur the edge of shadows"),
    DV_FIELD(LightManager, ambient, "ambient", dv_type_color, .init = "0 0 0 1", .flags = DV_FIELD_DRAWING,
             .help = "light that is everywhere"),
    DV_FIELD(LightManager, debug_draw, "debugDraw", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .help = "show the shadow maps"),
    {0},
};

const DvClass dv_light_manager = {
    .size = sizeof(DvClass),
    .name = "LightManager",
    .family = "lights",
    .module = "Sofa.GL.Component.Shader",
    .help = "The lights below it count, and whether they cast shadows.",
    .instance_size = sizeof(LightManager),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_LIGHTING, .ops = &ops}, {0}},
};
