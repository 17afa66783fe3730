/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * LineAxis: the axes of the world as lines through the origin.
 */
#include "visual_points.h"

#include <divan/contracts/drawing.h>

typedef struct LineAxis {
    DvData enable, axis, size, infinite, thickness, vanishing, segments;
} LineAxis;

static const DvField fields[] = {
    DV_FIELD(LineAxis, enable, "enable", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,
             .help = "whether it is shown"),
    DV_FIELD(LineAxis, axis, "axis", dv_type_string, .init = "xyz", .flags = DV_FIELD_DRAWING, .help = "which axes"),
    DV_FIELD(LineAxis, size, "size", dv_type_double, .init = "10", .unit = "m", .range = &dv_range_not_negative,
             .flags = DV_FIELD_DRAWING, .help = "length of the lines"),
    DV_FIELD(LineAxis, infinite, "infinite", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .help = "lines go on to the edge of the view"),
    DV_FIELD(LineAxis, thickness, "thickness", dv_type_double, .init = "1", .unit = "pixels",
             .range = &dv_range_not_negative, .flags = DV_FIELD_DRAWING, .help = "width of the lines"),
    DV_FIELD(LineAxis, vanishing, "vanishing", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .help = "lines fade with distance"),
    DV_FIELD(LineAxis, segments, "nbLineSegments", dv_type_int, .init = "1", .range = &dv_range_count,
             .flags = DV_FIELD_DRAWING, .help = "pieces each line is drawn in"),
    {0},
};

/* Lines through the origin along the axes named: red, green, blue. Endless ones reach a thousand times as far. */
static void draw(void *self_, DvDraw *draw)
{
    LineAxis *self = self_;
    const char *axes = dv_data_string(&self->axis);
    const double half = 0.5 * dv_data_double(&self->size) * (dv_data_bool(&self->infinite) ? 1000.0 : 1.0);
    double at[18] = {0}, colors[12] = {0};
    uint32_t lines = 0;
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (!strchr(axes, "xyz"[axis]))
            continue;
        at[6 * lines + axis] = -half;
        at[6 * lines + 3 + axis] = half;
        colors[4 * lines + axis] = colors[4 * lines + 3] = 1.0;
        lines++;
    }
    if (visual_is_shown(&self->enable, draw) && lines > 0)
        draw->ops->colored_lines(draw, at, lines, dv_data_double(&self->thickness), colors, DV_COLORS_OF_ELEMENTS);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_line_axis = {
    .size = sizeof(DvClass),
    .name = "LineAxis",
    .bases = (const char *const[]){"VisualModel", NULL},
    .family = "visual models",
    .module = "Sofa.Component.Visual",
    .help = "The axes of the world as lines through the origin.",
    .instance_size = sizeof(LineAxis),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_DRAWABLE, .ops = &drawable}, {0}},
};
