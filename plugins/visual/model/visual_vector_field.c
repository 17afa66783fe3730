/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VisualVectorField: a vector at each point, as a line, a cylinder or an arrow; their radius is a twentieth of their length.
 */
#include "visual_points.h"

#include <divan/contracts/drawing.h>
#include <divan/math/vec.h>
#include <divan/types/color.h>

typedef struct VisualVectorField {
    DvData enable, position, vector, vector_scale, draw_mode, color;
} VisualVectorField;

typedef enum DrawMode { LINE, CYLINDER, ARROW } DrawMode;
static const char *const draw_modes[] = {"Line", "Cylinder", "Arrow", NULL};

static void draw(void *self_, DvDraw *draw)
{
    VisualVectorField *self = self_;
    size_t points, vectors;
    const double *at = dv_data_doubles(&self->position, &points), *v = dv_data_doubles(&self->vector, &vectors);
    const uint32_t count = (uint32_t)(vectors < points ? vectors : points);
    if (!visual_is_shown(&self->enable, draw) || count == 0)
        return;
    const double scale = dv_data_double(&self->vector_scale);
    double *ends = dv_alloc(count, 7 * sizeof *ends), *radii = ends + 6 * (size_t)count;
    for (size_t i = 0; i < count; i++) {
        const DvVec3 from = dv_vec3_load(at + 3 * i), along = dv_vec3_scale(dv_vec3_load(v + 3 * i), scale);
        dv_vec3_store(from, ends + 6 * i);
        dv_vec3_store(dv_vec3_add(from, along), ends + 6 * i + 3);
        radii[i] = dv_vec3_norm(along) / 20.0;
    }
    const double *color = dv_data_doubles(&self->color, NULL);
    const int mode = dv_data_choice(&self->draw_mode);
    if (mode == ARROW)
        draw->ops->arrows(draw, ends, radii, count, color);
    else if (mode == CYLINDER)
        draw->ops->cylinders(draw, ends, radii, count, color);
    else
        draw->ops->lines(draw, ends, count, 1.0, color);
    dv_free(ends);
}

#define FIELD(member, name, type, ...) \
    DV_FIELD(VisualVectorField, member, name, type, .flags = DV_FIELD_DRAWING, __VA_ARGS__)
static const DvField fields[] = {
    VISUAL_ENABLE_FIELD(VisualVectorField, enable),
    FIELD(position, "position", dv_type_vec3s, .unit = "m", .help = "where the vectors begin"),
    FIELD(vector, "vector", dv_type_vec3s, .help = "a vector for each point"),
    FIELD(vector_scale, "vectorScale", dv_type_double, .init = "1", .help = "length drawn per length of a vector"),
    FIELD(draw_mode, "drawMode", dv_type_choice, .init = "Line", .choices = draw_modes,
          .help = "what vectors look like"),
    FIELD(color, "color", dv_type_color, .help = "colour of the vectors"),
    {0},
};

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_visual_vector_field = {
    .size = sizeof(DvClass),
    .name = "VisualVectorField",
    .variants = "Vec3d",
    .bases = (const char *const[]){"VisualModel", NULL},
    .family = "visual models",
    .module = "Sofa.Component.Visual",
    .help = "A vector at each point: lines, cylinders or arrows.",
    .instance_size = sizeof(VisualVectorField),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_DRAWABLE, .ops = &drawable}, {0}},
};
