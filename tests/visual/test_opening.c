/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How scenes open: what moves reaches over at least a quarter of the picture's width or, where it is
 * tall, half of its height. Pixels are
 * counted, of what moves alone where surfaces show it. Our own scenes, and 60 others where ../shared has them; scenes with a camera of
 * their own are looked at from there and left out here.
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <divan/contracts/renderer.h>
#include <divan/divan.h>

enum { WIDTH = 320, HEIGHT = 180, OTHERS = 60, POINT = 12 /* pixels */ };

static const DvRendererOps *rendering;
static DvRenderer *renderer;

typedef struct Covered {
    int columns, rows;
} Covered;

/* From the first to the last column and row with something in them, of what moves alone where surfaces show it. */
static Covered covered_by_what_moves(const DvPicture *picture)
{
    static uint8_t pixels[4 * WIDTH * HEIGHT];
    DvRenderView view = {.width = WIDTH,
                         .height = HEIGHT,
                         .transparent_background = true,
                         .without_shadows = true,
                         .without_texts = true};
    DvText why = {0};
    DvPictureSurface *moving = calloc(picture->surface_count + 1, sizeof *moving);
    DvPicture shown = *picture;
    shown.surfaces = moving;
    shown.surface_count = 0;
    for (uint32_t i = 0; i < picture->surface_count; i++)
        if (picture->surfaces[i].moves)
            moving[shown.surface_count++] = picture->surfaces[i];
    if (shown.surface_count)
        shown.batch_count = 0;
    shown.pass_count = shown.post_count = shown.viewport_count = shown.axes_count = shown.legend_count = 0;
    view.camera = (DvCamera){.orientation = {0, 0, 0, 1}, .field_of_view = 45, .fits_clip = true};
    dv_picture_frame(picture, (double)WIDTH / HEIGHT, &view.camera);
    dv_camera_prepare(&view.camera, picture->has_box ? picture->box : NULL, picture->gravity);
    if (rendering->draw(renderer, &shown, &view, &why) != DV_OK || rendering->read(renderer, pixels, &why) != DV_OK)
        fail_msg("%s", why.at);
    free(moving);
    int least[2] = {WIDTH, HEIGHT}, most[2] = {-1, -1};
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            for (int axis = 0; pixels[4 * (y * WIDTH + x) + 3] > 0 && axis < 2; axis++) {
                const int at = axis ? y : x;
                least[axis] = at < least[axis] ? at : least[axis];
                most[axis] = at > most[axis] ? at : most[axis];
            }
    const Covered covered = {most[0] - least[0] + 1, most[1] - least[1] + 1};
    return covered;
}

/* 0: it does not count, 1: it opens well, -1: it does not, which is said. */
static int look_at(const char *path)
{
    const DvPictureRecorderOps *recording = dv_service(DV_PICTURE_RECORDER);
    const DvRecordOptions options = {.bodies = true};
    DvScene *scene = NULL;
    int result = 0;
    if (dv_scene_load(path, NULL, &scene) != DV_OK)
        return 0;
    DvRecorder *recorder = recording->create(scene);
    DvPicture *picture = recording->record(recorder, &options);
    bool moves = picture->has_moving_marks;
    for (uint32_t i = 0; i < picture->surface_count; i++)
        moves = moves || picture->surfaces[i].moves;
    if (moves && picture->camera_count == 0) {
        const Covered covered = covered_by_what_moves(picture);
        const bool is_point =
            covered.columns <= POINT && covered.rows <= POINT; /* of no size: there is nothing to fill */
        result = is_point ? 0 : 4 * covered.columns >= WIDTH || 2 * covered.rows >= HEIGHT ? 1 : -1;
        if (result < 0)
            print_message("%s: what moves takes %d of %d columns and %d of %d rows\n", path, covered.columns, WIDTH,
                          covered.rows, HEIGHT);
        if (getenv("DIVAN_TELLS"))
            print_message("%s: %d %d\n", path, covered.columns, covered.rows);
    }
    recording->unref(picture);
    recording->destroy(recorder);
    dv_scene_free(scene);
    return result;
}

static void our_own_scenes_open_on_what_moves(void **state)
{
    (void)state;
    char pattern[1024];
    glob_t found;
    int good = 0, bad = 0;
    snprintf(pattern, sizeof pattern, "%s/scenes/*.scn", getenv("DIVAN_TEST_SOURCE_ROOT"));
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const int result = look_at(found.gl_pathv[i]);
        good += result > 0;
        bad += result < 0;
    }
    globfree(&found);
    assert_true(good >= 5);
    assert_int_equal(bad, 0);
}

/* The first of the list that load, in which something moves, and that have no camera. */
static void other_scenes_open_on_what_moves(void **state)
{
    (void)state;
    const char *root = getenv("DIVAN_TEST_SOURCE_ROOT");
    char path[2048], line[512];
    int good = 0, bad = 0;
    snprintf(path, sizeof path, "%s/../shared/sofa/scenes.txt", root);
    FILE *list = fopen(path, "r");
    if (!list) {
        print_message("no scenes of others in ../shared\n");
        skip();
    }
    while (good + bad < OTHERS && fgets(line, sizeof line, list)) {
        line[strcspn(line, "\t\n")] = '\0';
        snprintf(path, sizeof path, "%s/../shared/sofa/examples/%s", root, line);
        FILE *there = line[0] && line[0] != '#' ? fopen(path, "r") : NULL;
        if (!there)
            continue;
        fclose(there);
        const int result = look_at(path);
        good += result > 0;
        bad += result < 0;
    }
    fclose(list);
    print_message("%d of %d scenes of others\n", good, good + bad);
    assert_int_equal(bad, 0);
}

static int begin(void **state)
{
    (void)state;
    DvText why = {0};
    if (dv_start(NULL) != DV_OK)
        return -1;
    rendering = dv_service(DV_RENDERER);
    if (!rendering || rendering->create(&(DvRendererOptions){.samples = 1}, &renderer, &why) != DV_OK) {
        print_message("skipped: %s\n", why.at ? why.at : "no plugin draws");
        exit(77);
    }
    return 0;
}

static int end(void **state)
{
    (void)state;
    rendering->destroy(renderer);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_own_scenes_open_on_what_moves),
        cmocka_unit_test(other_scenes_open_on_what_moves),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
