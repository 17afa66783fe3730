/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * BackgroundSetting: what a viewer puts behind the scene.
 */
#include <divan/contracts/visual.h>
#include <divan/types/color.h>

typedef struct BackgroundSetting {
    DvData color, image;
} BackgroundSetting;

static const DvField fields[] = {
    DV_FIELD(BackgroundSetting, color, "color", dv_type_color, .init = "1 1 1 1", .flags = DV_FIELD_DRAWING,
             .help = "colour of the background"),
    DV_FIELD(BackgroundSetting, image, "image", dv_type_file, .flags = DV_FIELD_DRAWING,
             .help = "picture shown instead of the colour"),
    {0},
};

const DvClass dv_background_setting = {
    .size = sizeof(DvClass),
    .name = "BackgroundSetting",
    .family = "settings",
    .module = "Sofa.Component.Setting",
    .help = "What a viewer puts behind the scene.",
    .instance_size = sizeof(BackgroundSetting),
    .fields = fields,
};
