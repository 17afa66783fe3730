/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Golden drawings: what the objects of small scenes draw, number by number, is what tests/visual/golden/drawings has written down.
 * Each NAME.scn there is loaded, stepped once where a step computes what is drawn, and looked at with all flags on; NAME.drawn has, object by object, its batches: kind and number
 * of primitives, size, colours, and a line of numbers for each primitive. Scenes are such that a look at both tells whether it is right.
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
#include <divan/divan.h>

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
        DRAWING(meshes, 0),  DRAWING(points, 1),   DRAWING(stresses, 1),
        DRAWING(regions, 0), DRAWING(mappings, 0), DRAWING(constraints, 0),
        DRAWING(masses, 0),  DRAWING(contacts, 1), DRAWING(force_fields, 1),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
