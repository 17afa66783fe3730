/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VisualGrid: a grid of lines in a plane through the origin.
 */
#include <divan/contracts/visual.h>
#include <divan/types/color.h>

#include <math.h>

typedef struct VisualGrid {
    DvData enable, plane, size, subdivisions, color, thickness, segments;
} VisualGrid;

static const char *const planes[] = {"x", "y", "z", NULL};

static const DvField fields[] = {
    DV_FIELD(VisualGrid, enable, "enable", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,
             .help = "whether it is shown"),
    DV_FIELD(VisualGrid, plane, "plane", dv_type_choice, .init = "z", .choices = planes, .flags = DV_FIELD_DRAWING,
             .help = "the axis the grid is perpendicular to"),
    DV_FIELD(VisualGrid, size, "size", dv_type_double, .init = "10", .unit = "m", .range = &dv_range_not_negative,
             .flags = DV_FIELD_DRAWING, .help = "width of the grid"),
    DV_FIELD(VisualGrid, subdivisions, "nbSubdiv", dv_type_int, .init = "16",
             .range = &(const DvRange){.least = 2, .most = INFINITY}, .flags = DV_FIELD_DRAWING,
             .help = "squares per side, at least 2"),
    DV_FIELD(VisualGrid, color, "color", dv_type_color, .init = "0.34117647 0.34117647 0.34117647 1",
             .flags = DV_FIELD_DRAWING, .help = "colour of the lines"),
    DV_FIELD(VisualGrid, thickness, "thickness", dv_type_double, .init = "1", .unit = "pixels",
             .range = &dv_range_not_negative, .flags = DV_FIELD_DRAWING, .help = "width of the lines"),
    DV_FIELD(VisualGrid, segments, "nbLineSegments", dv_type_int, .init = "1", .range = &dv_range_count,
             .flags = DV_FIELD_DRAWING, .help = "pieces each line is drawn in"),
    {0},
};

const DvClass dv_visual_grid = {
    .size = sizeof(DvClass),
    .name = "VisualGrid",
    .bases = (const char *const[]){"VisualModel", NULL},
    .family = "visual models",
    .module = "Sofa.Component.Visual",
    .help = "A grid of lines in a plane through the origin.",
    .instance_size = sizeof(VisualGrid),
    .fields = fields,
};
