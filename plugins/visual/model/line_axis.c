/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * LineAxis: the axes of the world as lines through the origin.
 */
#include <divan/contracts/visual.h>

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

const DvClass dv_line_axis = {
    .size = sizeof(DvClass),
    .name = "LineAxis",
    .bases = (const char *const[]){"VisualModel", NULL},
    .family = "visual models",
    .module = "Sofa.Component.Visual",
    .help = "The axes of the world as lines through the origin.",
    .instance_size = sizeof(LineAxis),
    .fields = fields,
};
