/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * BackgroundSetting: what a viewer puts behind the scene.
 */
#include <divan/contracts/visual.h>
#include <divan/kit/path_hint.h>
#include <divan/types/color.h>

#include <string.h>

typedef struct BackgroundSetting {
    DvData color, image;
} BackgroundSetting;

static void get(void *object, DvBackground *background)
{
    BackgroundSetting *self = object;
    memcpy(background->color, dv_data_doubles(&self->color, NULL), sizeof background->color);
    memcpy(background->top, background->color, sizeof background->top);
    background->image = *dv_data_string(&self->image) ? dv_data_file(&self->image) : NULL;
}

static DvStatus init(DvObject *object, void *self_)
{
    BackgroundSetting *self = self_;
    (void)object;
    if (*dv_data_string(&self->image) && !dv_data_file(&self->image))
        dv_field_remark(&self->image, -1,
                        "no file '%s' in the folder of the scene or in DIVAN_DATA_PATH%s; the colour is shown",
                        dv_data_string(&self->image), dv_path_hint(dv_data_string(&self->image)));
    return DV_OK;
}

static const DvBackgroundOps ops = {.size = sizeof ops, .get = get};

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
    .contracts = (const DvContract[]){{.id = DV_BACKGROUND, .ops = &ops}, {0}},
    .init = init,
};
