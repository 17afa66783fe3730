/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VisualBoundingBox: the edges of a box, given as its own field `bbox`.
 */
#include "visual_points.h"

#include <divan/contracts/drawing.h>
#include <divan/types/color.h>

typedef struct VisualBoundingBox {
    DvData enable, color, thickness;
} VisualBoundingBox;

static void draw(void *self_, DvDraw *draw)
{
    VisualBoundingBox *self = self_;
    if (!visual_is_shown(&self->enable, draw))
        return;
    const double *box = dv_data_doubles(dv_object_field(dv_object_of(self), "bbox"), NULL);
    if (box[0] <= box[3] && box[1] <= box[4] && box[2] <= box[5])
        dv_draw_boxes(draw, box, 1, dv_data_double(&self->thickness), dv_data_doubles(&self->color, NULL));
}

static const DvField fields[] = {
    VISUAL_ENABLE_FIELD(VisualBoundingBox, enable),
    DV_FIELD(VisualBoundingBox, color, "color", dv_type_color, .init = "1 1 0 1", .flags = DV_FIELD_DRAWING,
             .help = "colour of the edges"),
    DV_FIELD(VisualBoundingBox, thickness, "thickness", dv_type_double, .init = "1", .unit = "pixels",
             .range = &dv_range_not_negative, .flags = DV_FIELD_DRAWING, .help = "width of the edges"),
    {0},
};

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_visual_bounding_box = {
    .size = sizeof(DvClass),
    .name = "VisualBoundingBox",
    .bases = (const char *const[]){"VisualModel", NULL},
    .family = "visual models",
    .module = "Sofa.Component.Visual",
    .help = "The edges of a box, given as bbox.",
    .instance_size = sizeof(VisualBoundingBox),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_DRAWABLE, .ops = &drawable}, {0}},
};
