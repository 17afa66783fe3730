/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Golden drawings: what the objects of small scenes draw, number by number, is what tests/visual/golden/drawings has written down.
 * Each NAME.scn there is loaded, stepped once where a step computes what is drawn, and looked at with all flags on; NAME.drawn has, object by object, its batches: kind and number
 * of primitives, size, colours, and a line of numbers for each primitive. Scenes are such that a look at both tells whether it is right.
 * A picture of the scene has all of that in its batches.
 *
 * Where they differ, what was drawn is written to the working folder, to look at, and to be kept if it is what is meant.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <divan/contracts/picture.h>
#include <divan/divan.h>
#include <divan/math/quat.h>

#include "drawing.h"
#include "scene_text.h"

static void add_number(DvText *text, double number)
{
    dv_text_add(text, " %.6g", fabs(number) < 1e-9 ? 0.0 : number);
}

static void write_batch(void *context, const DrawnBatch *batch)
{
    DvText *text = context;
    dv_text_add(text, "  %u %s", batch->count, drawn_kinds[batch->kind]);
    if (batch->size != 0.0) {
        dv_text_add(text, " of size");
        add_number(text, batch->size);
    }
    if (batch->state)
        dv_text_add(text, " in state %u", batch->state);
    for (size_t c = 0, same; c < batch->color_count; c += same) {
        for (same = 1; c + same < batch->color_count; same++)
            if (memcmp(batch->colors + 4 * c, batch->colors + 4 * (c + same), 4 * sizeof(double)) != 0)
                break;
        dv_text_add(text, c ? " | %zu x" : ", colours %zu x", same);
        for (size_t k = 0; k < 4; k++)
            add_number(text, batch->colors[4 * c + k]);
    }
    dv_text_add(text, "\n");
    const size_t each = batch->numbers / batch->count;
    for (uint32_t i = 0; i < batch->count; i++) {
        dv_text_add(text, "   ");
        for (size_t k = 0; k < each; k++)
            add_number(text, batch->points[i * each + k]);
        if (batch->radii) {
            dv_text_add(text, ", radius");
            add_number(text, batch->radii[i]);
        }
        if (batch->texts)
            dv_text_add(text, " '%s'", batch->texts[i]);
        dv_text_add(text, "\n");
    }
}

static DvVisit write_node(DvNode *node, void *context)
{
    DvText *text = context;
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++) {
        if (!dv_object_ops(object, DV_DRAWABLE))
            continue;
        DvText own = {0};
        DrawRecorder recorder = draw_recorder(UINT32_MAX, write_batch, &own);
        record_drawing_of(&recorder, object);
        if (own.at)
            dv_text_add(text, "%s %s\n%s", dv_object_class(object)->name, dv_object_path(object), own.at);
        dv_text_free(&own);
    }
    return DV_VISIT_CONTINUE;
}

/* ---- The same as a picture ---- */

enum { MOST_BATCHES = 64 };

typedef struct Reading {
    const DvPicture *picture;
    size_t read[MOST_BATCHES]; /* elements of each batch */
    uint32_t texts;
} Reading;

static void expect_bytes(const uint8_t bytes[4], const double color[4])
{
    for (int c = 0; c < 4; c++)
        assert_int_equal(bytes[c], (int)floor(255.0 * fmin(fmax(color[c], 0.0), 1.0) + 0.5));
}

static void expect_place(const float at[3], const double *point)
{
    for (int c = 0; c < 3; c++)
        assert_true(at[c] == (float)point[c]);
}

/* The next `count` elements of the batch that has such. */
static const void *read_next(Reading *reading, DvBatchKind kind, double pixels, bool translucent, uint32_t draw_state,
                             size_t count, size_t size)
{
    for (uint32_t i = 0; i < reading->picture->batch_count; i++) {
        const DvPictureBatch *batch = &reading->picture->batches[i];
        if (batch->kind != kind || batch->pixels != (float)pixels || batch->translucent != translucent ||
            batch->draw_state != draw_state)
            continue;
        const size_t first = reading->read[i];
        reading->read[i] += count;
        assert_true(reading->read[i] <= batch->array->count);
        return (const char *)batch->array->at + first * size;
    }
    fail_msg("no batch of kind %d, %g pixels, translucent %d", (int)kind, pixels, translucent);
    return NULL;
}

static void read_vertices(Reading *reading, const DrawnBatch *batch, bool translucent)
{
    static const DvBatchKind kinds[] = {DV_BATCH_POINTS, DV_BATCH_LINES, DV_BATCH_TRIANGLES};
    const size_t corners = batch->numbers / 3 / batch->count;
    const DvBatchVertex *vertex =
        read_next(reading, kinds[batch->kind], batch->kind == DRAWN_TRIANGLES ? 1.0 : batch->size, translucent,
                  batch->state, batch->numbers / 3, sizeof *vertex);
    for (size_t i = 0; i < batch->numbers / 3; i++) {
        expect_place(vertex[i].at, batch->points + 3 * i);
        const size_t color = batch->color_count == 1 ? 0 : batch->color_count == batch->count ? i / corners : i;
        expect_bytes(vertex[i].color, batch->colors + 4 * color);
    }
}

static void read_solids(Reading *reading, const DrawnBatch *batch, bool translucent)
{
    const DvBatchKind kind = batch->kind == DRAWN_SPHERES  ? DV_BATCH_SPHERES
                             : batch->kind == DRAWN_ARROWS ? DV_BATCH_ARROWS
                             : batch->kind == DRAWN_SPLATS ? DV_BATCH_SPLATS
                                                           : DV_BATCH_CYLINDERS;
    const DvBatchSolid *solid = read_next(reading, kind, 1.0, translucent || kind == DV_BATCH_SPLATS, batch->state,
                                          batch->count, sizeof *solid);
    const size_t each = batch->numbers / batch->count;
    for (size_t i = 0; i < batch->count; i++) {
        expect_place(solid[i].from, batch->points + each * i);
        expect_place(solid[i].to, batch->points + each * i + each - 3);
        assert_true(solid[i].radius == (float)(batch->radii ? batch->radii[i] : batch->size));
        expect_bytes(solid[i].color, batch->colors + (batch->color_count == 1 ? 0 : 4 * i));
    }
}

/* Red, green and blue arrows along its axes, a fortieth as thick as long. */
static void read_frames(Reading *reading, const DrawnBatch *batch)
{
    const DvBatchSolid *solid =
        read_next(reading, DV_BATCH_ARROWS, 1.0, false, batch->state, 3 * batch->count, sizeof *solid);
    for (size_t i = 0; i < 3 * batch->count; i++) {
        const double *frame = batch->points + 7 * (i / 3), axis[3] = {i % 3 == 0, i % 3 == 1, i % 3 == 2};
        const double color[4] = {axis[0], axis[1], axis[2], 1};
        const DvVec3 along =
            dv_vec3_sub(dv_vec3_load((double[3]){solid[i].to[0], solid[i].to[1], solid[i].to[2]}), dv_vec3_load(frame));
        const DvVec3 expected = dv_quat_rotate(dv_quat_load(frame + 3), dv_vec3_scale(dv_vec3_load(axis), batch->size));
        expect_place(solid[i].from, frame);
        assert_true(dv_vec3_norm(dv_vec3_sub(along, expected)) < 1e-5);
        assert_true(solid[i].radius == (float)(0.025 * batch->size));
        expect_bytes(solid[i].color, color);
    }
}

static void read_texts(Reading *reading, const DrawnBatch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        assert_true(reading->texts < reading->picture->text_count);
        const DvPictureText *text = &reading->picture->texts[reading->texts++];
        assert_string_equal(text->text, batch->texts[i]);
        assert_true(text->height == (float)batch->size && text->on_screen == (batch->screen_text != NULL));
        for (int c = 0; c < 4; c++)
            assert_true(text->color[c] == (float)batch->colors[c]);
        if (batch->screen_text)
            assert_true(text->corner == batch->screen_text->corner && text->x == (float)batch->screen_text->x &&
                        text->y == (float)batch->screen_text->y);
        else
            expect_place(text->at, batch->points + 3 * i);
    }
}

static void read_batch(void *context, const DrawnBatch *batch)
{
    bool translucent = false;
    for (size_t c = 0; c < batch->color_count; c++)
        translucent = translucent || batch->colors[4 * c + 3] < 1.0;
    if (batch->kind <= DRAWN_TRIANGLES)
        read_vertices(context, batch, translucent);
    else if (batch->kind == DRAWN_FRAMES)
        read_frames(context, batch);
    else if (batch->kind == DRAWN_TEXTS)
        read_texts(context, batch);
    else
        read_solids(context, batch, translucent);
}

static DvVisit read_node(DvNode *node, void *context)
{
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++)
        if (dv_object_ops(object, DV_DRAWABLE)) {
            DrawRecorder recorder = draw_recorder(UINT32_MAX, read_batch, context);
            record_drawing_of(&recorder, object);
        }
    return DV_VISIT_CONTINUE;
}

static void expect_picture(DvScene *scene)
{
    assert_int_equal(dv_object_new(dv_scene_root(scene), "VisualStyle", NULL, "displayFlags",
                                   "showAll showWireframe showNormals", NULL),
                     DV_OK);
    const DvPictureRecorderOps *ops = dv_service(DV_PICTURE_RECORDER);
    DvRecorder *recorder = ops->create(scene);
    DvPicture *picture = ops->record(recorder, NULL);
    assert_true(picture->batch_count <= MOST_BATCHES);
    Reading reading = {.picture = picture};
    dv_visit(dv_scene_root(scene), &(const DvVisitor){.top_down = read_node}, &reading);
    for (uint32_t i = 0; i < picture->batch_count; i++)
        assert_int_equal(reading.read[i], picture->batches[i].array->count);
    assert_int_equal(reading.texts, picture->text_count);
    ops->unref(picture);
    ops->destroy(recorder);
}

/* ---- */

/* The contents of a file, for free(); "" where there is none. */
static char *contents_of(const char *name, const char *ending)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/visual/golden/drawings/%s.%s", getenv("DIVAN_TEST_SOURCE_ROOT"), name,
             ending);
    char *text = calloc(1, 65536);
    FILE *file = fopen(path, "r");
    if (file) {
        const size_t length = fread(text, 1, 65535, file);
        assert_true(length < 65535);
        fclose(file);
    }
    return text;
}

typedef struct Drawing {
    const char *name;
    int steps;
} Drawing;

static void a_drawing_is_as_it_was(void **state)
{
    const Drawing *drawing = *state;
    const char *name = drawing->name;
    char *scene_text = contents_of(name, "scn"), *expected = contents_of(name, "drawn");
    DvScene *scene = scene_from_text(scene_text);
    for (int step = 0; step < drawing->steps; step++)
        assert_int_equal(dv_scene_step(scene, 0.0), DV_OK);
    dv_scene_update_visual(scene);
    DvText drawn = {0};
    dv_visit(dv_scene_root(scene), &(const DvVisitor){.top_down = write_node}, &drawn);
    expect_picture(scene);
    dv_scene_free(scene);
    assert_non_null(drawn.at);
    if (strcmp(drawn.at, expected) != 0) {
        char path[256];
        snprintf(path, sizeof path, "%s.drawn", name);
        FILE *file = fopen(path, "w");
        if (file) {
            fputs(drawn.at, file);
            fclose(file);
        }
        fail_msg("golden/drawings/%s.drawn differs from what is drawn now, see %s", name, path);
    }
    dv_text_free(&drawn);
    free(scene_text);
    free(expected);
}

#define DRAWING(name, steps)                                  \
    {                                                         \
#name, a_drawing_is_as_it_was, NULL, NULL, &(Drawing) \
        {                                                     \
#name, steps                                      \
        }                                                     \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        DRAWING(meshes, 0),       DRAWING(points, 1),      DRAWING(stresses, 1), DRAWING(regions, 0),
        DRAWING(mappings, 0),     DRAWING(constraints, 0), DRAWING(masses, 0),   DRAWING(contacts, 1),
        DRAWING(force_fields, 1), DRAWING(joints, 0),      DRAWING(matrix, 1),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
