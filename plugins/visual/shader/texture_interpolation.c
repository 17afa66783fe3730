/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TextureInterpolation: values of a state as texture coordinates, so that a picture shows them as colours: (u, 0) with
 * u = (value - least) / (most - least). The value is the first coordinate, or the mean of all where the state is no field of scalars.
 * The range is that of the values, or a given one.
 */
#include <math.h>
#include <stdio.h>

#include <divan/contracts/drawing.h>
#include <divan/contracts/state.h>
#include <divan/contracts/visual.h>
#include <divan/memory.h>

typedef struct TextureInterpolation {
    DvData states, points, coordinates, scalar, least, most, manual, draw_values, scale;
    const DvDofType *dof;
} TextureInterpolation;

static double value_of(const TextureInterpolation *self, const double *state, bool scalar)
{
    const uint32_t numbers = scalar ? 1 : self->dof->coord;
    double sum = 0;
    for (uint32_t i = 0; i < numbers; i++)
        sum += state[i];
    return sum / numbers;
}

static void range_of(const double *values, size_t count, double range[2])
{
    range[0] = range[1] = count ? values[0] : 0;
    for (size_t i = 1; i < count; i++) {
        range[0] = fmin(range[0], values[i]);
        range[1] = fmax(range[1], values[i]);
    }
}

static DvStatus update(DvObject *object, void *self_)
{
    TextureInterpolation *self = self_;
    (void)object;
    if (!self->dof)
        return DV_OK; /* asked before its init */
    size_t count;
    const double *states = dv_data_doubles(&self->states, &count);
    const bool scalar = dv_data_bool(&self->scalar);
    double *values = dv_alloc(count + 1, sizeof *values), range[2];
    for (size_t i = 0; i < count; i++)
        values[i] = value_of(self, states + i * self->dof->coord, scalar);
    range_of(values, count, range);
    if (dv_data_bool(&self->manual)) {
        range[0] = dv_data_double(&self->least);
        range[1] = dv_data_double(&self->most);
    }
    double *uv = dv_data_begin_all(&self->coordinates, count);
    for (size_t i = 0; i < count; i++) {
        uv[2 * i] = range[1] > range[0] ? (values[i] - range[0]) / (range[1] - range[0]) : 0;
        uv[2 * i + 1] = 0;
    }
    dv_data_end(&self->coordinates);
    dv_free(values);
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    TextureInterpolation *self = self_;
    size_t count, points;
    self->dof = dv_dof_type(dv_object_variant(object));
    if (dv_data_bool(&self->manual) && !(dv_data_double(&self->least) < dv_data_double(&self->most)))
        dv_field_remark(&self->most, -1, "%g is not above min_value, %g: all coordinates are 0",
                        dv_data_double(&self->most), dv_data_double(&self->least));
    (void)dv_data_doubles(&self->states, &count);
    (void)dv_data_doubles(&self->points, &points);
    if (dv_data_bool(&self->draw_values) && points != count)
        dv_field_remark(&self->points, -1, "%zu points for %zu values: none are shown", points, count);
    return DV_OK;
}

/* The values at their points. */
static void draw(void *self_, DvDraw *draw)
{
    static const double white[4] = {1, 1, 1, 1};
    TextureInterpolation *self = self_;
    size_t count, points;
    const double *states = dv_data_doubles(&self->states, &count), *at = dv_data_doubles(&self->points, &points);
    if (!dv_data_bool(&self->draw_values) || points != count || !self->dof)
        return;
    if (count == 0)
        return;
    enum { LETTERS = 16 };
    char *words = dv_alloc(count, LETTERS);
    const char **texts = dv_alloc(count, sizeof *texts);
    for (size_t i = 0; i < count; i++) {
        texts[i] = words + LETTERS * i;
        snprintf(words + LETTERS * i, LETTERS, "%.3g",
                 value_of(self, states + i * self->dof->coord, dv_data_bool(&self->scalar)));
    }
    draw->ops->texts(draw, at, texts, (uint32_t)count, dv_data_double(&self->scale), white);
    dv_free(texts);
    dv_free(words);
}

#define FIELD(member, name, type, ...) DV_FIELD(TextureInterpolation, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    FIELD(states, "input_states", dv_type_coords, .flags = DV_FIELD_INPUT,
          .help = "the values; usually a link to the positions of a state"),
    FIELD(points, "input_coordinates", dv_type_vec3s, .flags = DV_FIELD_DRAWING, .unit = "m",
          .help = "where they are, for the numbers that are shown"),
    FIELD(coordinates, "output_coordinates", dv_type_vec2s, .flags = DV_FIELD_OUTPUT,
          .help = "a texture coordinate for each value, for a visual model"),
    FIELD(scalar, "scalarField", dv_type_bool, .init = "1", .flags = DV_FIELD_INPUT,
          .help = "the first coordinate is the value; otherwise the mean of all"),
    FIELD(least, "min_value", dv_type_double, .init = "0", .flags = DV_FIELD_INPUT,
          .help = "value of the left edge of the picture, with manual_scale"),
    FIELD(most, "max_value", dv_type_double, .init = "0", .flags = DV_FIELD_INPUT,
          .help = "value of the right edge, likewise"),
    FIELD(manual, "manual_scale", dv_type_bool, .init = "0", .flags = DV_FIELD_INPUT,
          .help = "the range is min_value to max_value, not that of the values"),
    FIELD(draw_values, "drawPotentiels", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
          .help = "show the values as numbers at their points"),
    FIELD(scale, "showIndicesScale", dv_type_double, .init = "0.0001", .unit = "m", .range = &dv_range_not_negative,
          .flags = DV_FIELD_DRAWING, .help = "height of these numbers"),
    DV_FIELD_HELD("vertexPloted", dv_type_uint, .init = "0", .flags = DV_FIELD_DRAWING,
                  .help = "kept for old scenes: the viewer plots any value"),
    DV_FIELD_HELD("graph", dv_type_string, .flags = DV_FIELD_DRAWING | DV_FIELD_READ_ONLY,
                  .help = "kept for old scenes: empty"),
    {0},
};

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_texture_interpolation = {
    .size = sizeof(DvClass),
    .name = "TextureInterpolation",
    .variants = "Vec1d Vec2d Vec3d",
    .default_variant = "Vec1d",
    .bases = (const char *const[]){"DataEngine", NULL},
    .family = "engines",
    .module = "Sofa.GL.Component.Engine",
    .help = "Values of a state as texture coordinates, so that a picture shows them as colours.",
    .instance_size = sizeof(TextureInterpolation),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .init = init,
    .update = update,
};
