/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * OglColorMap: the colours that stand for values, and the bar that says what they mean. Palettes are those of types/color_map.h.
 */
#include "visual_points.h"

#include <divan/memory.h>
#include <divan/types/color_map.h>

enum { USUAL_ENTRIES = 256 };

typedef struct OglColorMap {
    DvData enable, palette_size, scheme, show_legend, legend_offset, legend_title, legend_size, least, most,
        range_scale;
    double *palette; /* [entries] x 4 */
    uint32_t entries;
    uint64_t made_of[2]; /* versions of the fields it follows from */
    double told[2];      /* least and most of who shows values */
} OglColorMap;

static void update_palette(OglColorMap *self)
{
    const uint64_t now[2] = {dv_data_version(&self->palette_size), dv_data_version(&self->scheme)};
    if (self->palette && self->made_of[0] == now[0] && self->made_of[1] == now[1])
        return;
    const uint32_t given = dv_data_uint(&self->palette_size);
    memcpy(self->made_of, now, sizeof now);
    dv_free(self->palette);
    self->entries = given < 2 ? USUAL_ENTRIES : given;
    self->palette = dv_alloc(self->entries, 4 * sizeof *self->palette);
    dv_color_palette((uint32_t)dv_data_choice(&self->scheme), self->palette, self->entries);
}

/* The colours are there even where the legend is not shown. */
static bool get(void *self_, DvLegend *legend)
{
    OglColorMap *self = self_;
    const double *offset = dv_data_doubles(&self->legend_offset, NULL);
    const double scale = dv_data_double(&self->range_scale);
    const char *title = dv_data_string(&self->legend_title);
    const bool own = dv_data_is_set(&self->least) || dv_data_is_set(&self->most);
    update_palette(self);
    *legend = (DvLegend){.colors = self->palette,
                         .count = self->entries,
                         .least = scale * (own ? dv_data_double(&self->least) : self->told[0]),
                         .most = scale * (own ? dv_data_double(&self->most) : self->told[1]),
                         .title = *title ? title : NULL,
                         .x = 10.0 + offset[0],
                         .y = 20.0 + offset[1],
                         .height = dv_data_uint(&self->legend_size)};
    return dv_data_bool(&self->enable) && dv_data_bool(&self->show_legend);
}

static void set_range(void *self_, double least, double most)
{
    OglColorMap *self = self_;
    self->told[0] = least;
    self->told[1] = most;
}

static void destroy(DvObject *object, void *self)
{
    (void)object;
    dv_free(((OglColorMap *)self)->palette);
}

static const DvRange entries = {2, 65536, false, false};

#define FIELD(member, name, type, ...) DV_FIELD(OglColorMap, member, name, type, .flags = DV_FIELD_DRAWING, __VA_ARGS__)
static const DvField fields[] = {
    VISUAL_ENABLE_FIELD(OglColorMap, enable),
    FIELD(palette_size, "paletteSize", dv_type_uint, .init = "256", .range = &entries, .help = "number of colours"),
    FIELD(scheme, "colorScheme", dv_type_choice, .init = "HSV", .choices = dv_color_schemes,
          .help = "from which colour to which"),
    FIELD(show_legend, "showLegend", dv_type_bool, .init = "0", .help = "show a bar with the colours and the range"),
    FIELD(legend_offset, "legendOffset", dv_type_vec2d, .init = "10 5", .unit = "pixels",
          .help = "place of the bar, from the upper left corner"),
    FIELD(legend_title, "legendTitle", dv_type_string, .help = "text above the bar"),
    FIELD(legend_size, "legendSize", dv_type_uint, .init = "11", .unit = "pixels", .range = &dv_range_count,
          .help = "height of the letters"),
    FIELD(least, "min", dv_type_double, .init = "0",
          .help =
              "value at the lower end of the bar; without min and max those of a DataDisplay that uses the colours"),
    FIELD(most, "max", dv_type_double, .init = "0", .help = "value at the upper end"),
    FIELD(range_scale, "legendRangeScale", dv_type_double, .init = "1", .help = "both are shown multiplied by this"),
    {0},
};

static const DvLegendOps ops = {.size = sizeof ops, .get = get, .set_range = set_range};

const DvClass dv_ogl_color_map = {
    .size = sizeof(DvClass),
    .name = "OglColorMap",
    .bases = (const char *const[]){"VisualModel", NULL},
    .family = "visual models",
    .module = "Sofa.GL.Component.Rendering2D",
    .help = "The colours that stand for values, and a bar that says what they mean.",
    .instance_size = sizeof(OglColorMap),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_LEGEND, .ops = &ops}, {0}},
    .destroy = destroy,
};
