/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Visual3DText: a text at a point of the scene, facing the camera.
 */
#include "visual_points.h"

#include <divan/types/color.h>

typedef struct Visual3dText {
    DvData enable, text, position, scale, color, depth_test;
} Visual3dText;

static void draw(void *self_, DvDraw *draw)
{
    Visual3dText *self = self_;
    const char *text = dv_data_string(&self->text);
    if (!visual_is_shown(&self->enable, draw) || !*text)
        return;
    if (!dv_data_bool(&self->depth_test))
        draw->ops->state(draw, DV_DRAW_ON_TOP);
    draw->ops->text(draw, dv_data_doubles(&self->position, NULL), text, dv_data_double(&self->scale),
                    dv_data_doubles(&self->color, NULL));
}

static const DvField fields[] = {
    VISUAL_ENABLE_FIELD(Visual3dText, enable),
    DV_FIELD(Visual3dText, text, "text", dv_type_string, .flags = DV_FIELD_DRAWING, .help = "what it says"),
    DV_FIELD(Visual3dText, position, "position", dv_type_vec3d, .unit = "m", .flags = DV_FIELD_DRAWING,
             .help = "its lower left corner"),
    DV_FIELD(Visual3dText, scale, "scale", dv_type_double, .init = "1", .unit = "m", .range = &dv_range_not_negative,
             .flags = DV_FIELD_DRAWING, .help = "height of the letters"),
    DV_FIELD(Visual3dText, color, "color", dv_type_color, .flags = DV_FIELD_DRAWING, .help = "colour of the letters"),
    DV_FIELD(Visual3dText, depth_test, "depthTest", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,
             .help = "nearer things hide it"),
    {0},
};

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_visual_3d_text = {
    .size = sizeof(DvClass),
    .name = "Visual3DText",
    .bases = (const char *const[]){"VisualModel", NULL},
    .family = "visual models",
    .module = "Sofa.Component.Visual",
    .help = "A text at a point of the scene, facing the camera.",
    .instance_size = sizeof(Visual3dText),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_DRAWABLE, .ops = &drawable}, {0}},
};
