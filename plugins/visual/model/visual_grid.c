/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VisualGrid: a grid of lines in a plane through the origin.
 */
#include "visual_points.h"

#include <divan/contracts/drawing.h>
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

/* Lines each way, along the two axes of the plane. */
static void draw(void *self_, DvDraw *draw)
{
    VisualGrid *self = self_;
    const int32_t given = dv_data_int(&self->subdivisions);
    const uint32_t squares = given > 2 ? (uint32_t)given : 2, lines = 2 * (squares + 1);
    const double size = dv_data_double(&self->size);
    const int choice = dv_data_choice(&self->plane), normal = choice < 0 ? 2 : choice;
    if (!visual_is_shown(&self->enable, draw))
        return;
    double *at = dv_alloc(lines, 6 * sizeof *at), *to = at;
    for (uint32_t way = 0; way < 2; way++)
        for (uint32_t i = 0; i <= squares; i++, to += 6) {
            const uint32_t along = ((uint32_t)normal + 1 + way) % 3, across = ((uint32_t)normal + 2 - way) % 3;
            to[across] = to[3 + across] = size * ((double)i / squares - 0.5);
            to[along] = -0.5 * size;
            to[3 + along] = 0.5 * size;
        }
    draw->ops->lines(draw, at, lines, dv_data_double(&self->thickness), dv_data_doubles(&self->color, NULL));
    dv_free(at);
}

static void bounding_box(DvObject *object, void *self_, double *box)
{
    VisualGrid *self = self_;
    const double size = dv_data_double(&self->size);
    const int normal = dv_data_choice(&self->plane);
    (void)object;
    for (int axis = 0; axis < 3; axis++) {
        const double half = axis == normal ? 0.1 * size : 0.5 * size;
        box[axis] = box[axis] < -half ? box[axis] : -half;
        box[3 + axis] = box[3 + axis] > half ? box[3 + axis] : half;
    }
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_visual_grid = {
    .size = sizeof(DvClass),
    .name = "VisualGrid",
    .bases = (const char *const[]){"VisualModel", NULL},
    .family = "visual models",
    .module = "Sofa.Component.Visual",
    .help = "A grid of lines in a plane through the origin.",
    .instance_size = sizeof(VisualGrid),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .bounding_box = bounding_box,
};
