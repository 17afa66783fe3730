/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A recorder of what components draw; see the header.
 */
#include "drawing.h"

const char *const drawn_kinds[DRAWN_KINDS] = {"points", "lines",  "triangles", "spheres", "frames",
                                              "texts",  "arrows", "cylinders", "splats"};

static void pass(DvDraw *draw, DrawnBatch batch)
{
    DrawRecorder *recorder = (DrawRecorder *)draw;
    recorder->calls++;
    batch.state = recorder->state;
    if (recorder->batch)
        recorder->batch(recorder->context, &batch);
}

static DrawnBatch one_color(DrawnKind kind, const double *points, uint32_t count, size_t numbers, double size,
                            const double *color)
{
    return (DrawnBatch){.kind = kind,
                        .points = points,
                        .count = count,
                        .numbers = count * numbers,
                        .size = size,
                        .colors = color,
                        .color_count = 1};
}

static DrawnBatch many_colors(DrawnKind kind, const double *points, uint32_t count, size_t corners, double size,
                              const double *colors, DvColorsOf of)
{
    DrawnBatch batch = one_color(kind, points, count, 3 * corners, size, colors);
    batch.color_count = of == DV_COLORS_OF_CORNERS ? count * corners : count;
    return batch;
}

static void points(DvDraw *draw, const double *at, uint32_t count, double pixels, const double color[4])
{
    pass(draw, one_color(DRAWN_POINTS, at, count, 3, pixels, color));
}

static void lines(DvDraw *draw, const double *at, uint32_t count, double pixels, const double color[4])
{
    pass(draw, one_color(DRAWN_LINES, at, count, 6, pixels, color));
}

static void triangles(DvDraw *draw, const double *at, uint32_t count, const double color[4])
{
    pass(draw, one_color(DRAWN_TRIANGLES, at, count, 9, 0.0, color));
}

static void with_radii(DvDraw *draw, DrawnBatch batch, const double *radii)
{
    batch.radii = radii;
    pass(draw, batch);
}

static void spheres(DvDraw *draw, const double *at, const double *radii, uint32_t count, const double color[4])
{
    with_radii(draw, one_color(DRAWN_SPHERES, at, count, 3, 0.0, color), radii);
}

static void arrows(DvDraw *draw, const double *at, const double *radii, uint32_t count, const double color[4])
{
    with_radii(draw, one_color(DRAWN_ARROWS, at, count, 6, 0.0, color), radii);
}

static void cylinders(DvDraw *draw, const double *at, const double *radii, uint32_t count, const double color[4])
{
    with_radii(draw, one_color(DRAWN_CYLINDERS, at, count, 6, 0.0, color), radii);
}

static void frames(DvDraw *draw, const double *rigids, uint32_t count, double size)
{
    DrawnBatch batch = one_color(DRAWN_FRAMES, rigids, count, 7, size, NULL);
    batch.color_count = 0;
    pass(draw, batch);
}

static void texts(DvDraw *draw, const double *at, const char *const *strings, uint32_t count, double size,
                  const double color[4])
{
    DrawnBatch batch = one_color(DRAWN_TEXTS, at, count, 3, size, color);
    batch.texts = strings;
    pass(draw, batch);
}

static void text(DvDraw *draw, const double at[3], const char *string, double size, const double color[4])
{
    texts(draw, at, &string, 1, size, color);
}

static void colored_points(DvDraw *draw, const double *at, uint32_t count, double pixels, const double *colors)
{
    pass(draw, many_colors(DRAWN_POINTS, at, count, 1, pixels, colors, DV_COLORS_OF_CORNERS));
}

static void colored_lines(DvDraw *draw, const double *at, uint32_t count, double pixels, const double *colors,
                          DvColorsOf of)
{
    pass(draw, many_colors(DRAWN_LINES, at, count, 2, pixels, colors, of));
}

static void colored_triangles(DvDraw *draw, const double *at, uint32_t count, const double *colors, DvColorsOf of)
{
    pass(draw, many_colors(DRAWN_TRIANGLES, at, count, 3, 0.0, colors, of));
}

static void screen_texts(DvDraw *draw, const DvScreenText *strings, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        DrawnBatch batch = one_color(DRAWN_TEXTS, NULL, 1, 0, strings[i].height, strings[i].color);
        batch.texts = &strings[i].text;
        batch.screen_text = &strings[i];
        pass(draw, batch);
    }
    ((DrawRecorder *)draw)->calls -= count ? count - 1 : 0;
}

static void splats(DvDraw *draw, const double *at, uint32_t count, double radius, const double *colors)
{
    pass(draw, many_colors(DRAWN_SPLATS, at, count, 1, radius, colors, DV_COLORS_OF_ELEMENTS));
}

static void state(DvDraw *draw, uint32_t bits)
{
    ((DrawRecorder *)draw)->state = bits;
}

static const DvDrawOps ops = {.size = sizeof ops,
                              .points = points,
                              .lines = lines,
                              .triangles = triangles,
                              .spheres = spheres,
                              .frames = frames,
                              .text = text,
                              .arrows = arrows,
                              .cylinders = cylinders,
                              .colored_points = colored_points,
                              .colored_lines = colored_lines,
                              .colored_triangles = colored_triangles,
                              .texts = texts,
                              .screen_texts = screen_texts,
                              .splats = splats,
                              .state = state};

DrawRecorder draw_recorder(uint32_t shown, void (*batch)(void *context, const DrawnBatch *batch), void *context)
{
    return (DrawRecorder){.draw = {.ops = &ops, .shown = shown}, .batch = batch, .context = context};
}

void record_drawing_of(DrawRecorder *recorder, DvObject *object)
{
    recorder->state = 0;
    ((const DvDrawableOps *)dv_object_ops(object, DV_DRAWABLE))->draw(dv_object_self(object), &recorder->draw);
}
