/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * OglLabel: a line of text in the view.
 */
#include "visual_points.h"

#include <divan/contracts/drawing.h>
#include <divan/scene.h>
#include <divan/types/color.h>

typedef struct OglLabel {
    DvData enable, prefix, label, suffix, x, y, font_size, color, contrasting, steps_per_update;
    DvText text;      /* as it was read last */
    uint64_t read_at; /* step of the scene then */
} OglLabel;

static const DvField fields[] = {
    DV_FIELD(OglLabel, enable, "enable", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,
             .help = "whether it is shown"),
    DV_FIELD(OglLabel, prefix, "prefix", dv_type_string, .flags = DV_FIELD_DRAWING, .help = "text before the label"),
    DV_FIELD(OglLabel, label, "label", dv_type_string, .flags = DV_FIELD_DRAWING, .help = "the text"),
    DV_FIELD(OglLabel, suffix, "suffix", dv_type_string, .flags = DV_FIELD_DRAWING, .help = "text after the label"),
    DV_FIELD(OglLabel, x, "x", dv_type_uint, .init = "10", .unit = "pixels", .flags = DV_FIELD_DRAWING,
             .help = "from the left edge"),
    DV_FIELD(OglLabel, y, "y", dv_type_uint, .init = "10", .unit = "pixels", .flags = DV_FIELD_DRAWING,
             .help = "from the top edge"),
    DV_FIELD(OglLabel, font_size, "fontsize", dv_type_uint, .init = "14", .unit = "pixels", .range = &dv_range_count,
             .flags = DV_FIELD_DRAWING, .help = "height of the letters"),
    DV_FIELD(OglLabel, color, "color", dv_type_color, .init = "gray", .flags = DV_FIELD_DRAWING,
             .help = "colour of the letters"),
    DV_FIELD(OglLabel, contrasting, "selectContrastingColor", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .help = "black or white, whichever the background shows better"),
    DV_FIELD(OglLabel, steps_per_update, "updateLabelEveryNbSteps", dv_type_uint, .init = "0",
             .flags = DV_FIELD_DRAWING, .help = "steps between changes of the text; 0: each frame"),
    {0},
};

/* Whether letters on the background of the scene have to be black: by the luma of ITU-R BT.601. */
static bool background_is_light(const OglLabel *self)
{
    DvObject *setting = dv_node_find(dv_object_node(dv_object_of(self)), DV_BACKGROUND, DV_SEARCH_ROOT);
    const DvBackgroundOps *ops = setting ? dv_object_ops(setting, DV_BACKGROUND) : NULL;
    DvBackground background = {.color = {1, 1, 1, 1}};
    if (ops)
        ops->get(dv_object_self(setting), &background);
    const double *c = background.color;
    return (0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2]) * 255.0 >= 128.0;
}

/* The text as it was when it was to be looked at last. */
static const char *text_of(OglLabel *self)
{
    const uint64_t step = dv_scene_steps(dv_node_scene(dv_object_node(dv_object_of(self))));
    const uint32_t wait = dv_data_uint(&self->steps_per_update);
    if (self->text.at && wait > 0 && step >= self->read_at && step - self->read_at < (uint64_t)wait + 1)
        return self->text.at;
    self->text.length = 0;
    self->read_at = step;
    dv_text_add(&self->text, "%s%s%s", dv_data_string(&self->prefix), dv_data_string(&self->label),
                dv_data_string(&self->suffix));
    return self->text.at;
}

static void draw(void *self_, DvDraw *draw)
{
    OglLabel *self = self_;
    if (!visual_is_shown(&self->enable, draw))
        return;
    DvScreenText text = {.corner = DV_TOP_LEFT,
                         .x = dv_data_uint(&self->x),
                         .y = dv_data_uint(&self->y),
                         .height = dv_data_uint(&self->font_size),
                         .color = {0, 0, 0, 1},
                         .text = text_of(self)};
    if (!dv_data_bool(&self->contrasting))
        memcpy(text.color, dv_data_doubles(&self->color, NULL), sizeof text.color);
    else if (!background_is_light(self))
        text.color[0] = text.color[1] = text.color[2] = 1.0;
    if (*text.text)
        draw->ops->screen_texts(draw, &text, 1);
}

static void destroy(DvObject *object, void *self)
{
    (void)object;
    dv_text_free(&((OglLabel *)self)->text);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_ogl_label = {
    .size = sizeof(DvClass),
    .name = "OglLabel",
    .bases = (const char *const[]){"VisualModel", NULL},
    .family = "visual models",
    .module = "Sofa.GL.Component.Rendering2D",
    .help = "A line of text in the view.",
    .instance_size = sizeof(OglLabel),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .destroy = destroy,
};
