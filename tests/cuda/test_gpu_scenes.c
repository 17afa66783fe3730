/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scenes as they are made for a GPU run as they are written, both words side by side in one scene too, and give what the host gives: to 1e-9, in
 * floats to 1e-3, or ten times as far as starts on the host come apart that are moved by 1e-15, 1e-7. A few steps of each; 100, and the large ones, where DIVAN_LONG is set.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device_scenes.h"
#include "share.h"
#include "turned_scenes.h"

typedef struct Row {
    const char *name, *root; /* root: attributes of the root node */
    const char *body;
    bool stays; /* nothing acts on the host */
    bool is_long;
} Row;

static const Row rows[] = {
#include "gpu_scene_rows.h"
};

static void add_body(DvText *text, const char *name, const char *body, const char *word)
{
    dv_text_add(text, "<Node name='%s'>", name);
    for (; *body; body++)
        if (*body == '$')
            dv_text_add(text, "%s", word);
        else
            dv_text_add(text, "%c", *body);
    dv_text_add(text, "</Node>");
}

/* `beside`: the word of a second one in the same scene; or NULL. */
static DvScene *scene_of(const Row *row, const char *word, const char *beside)
{
    DvText text = {0};
    dv_text_add(&text,
                "<Node name='root' %s><RequiredPlugin name='SofaCUDA'/><DefaultAnimationLoop/><CollisionPipeline/>"
                "<BruteForceBroadPhase/><BVHNarrowPhase/><MinProximityIntersection/>"
                "<CollisionResponse response='PenalityContactForceField'/>",
                row->root);
    add_body(&text, "Body", row->body, word);
    if (beside)
        add_body(&text, "Beside", row->body, beside);
    dv_text_add(&text, "</Node>");
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

static void count_host(const DvMessage *message, void *context)
{
    DvText text = {0};
    dv_message_print(message, &text);
    *(unsigned *)context += strstr(text.at, "acts on the host") != NULL;
    dv_text_free(&text);
}

static double apart(const DvScene *a, const char *one, const DvScene *b, const char *two)
{
    const DvStateRef s = scene_state(a, one), t = scene_state(b, two);
    double largest = 0.0, size = 1e-300;
    for (int k = 0; k < 2; k++) {
        const DvConstVec x = dv_state_read(s, k ? DV_VELOCITY : DV_POSITION),
                         y = dv_state_read(t, k ? DV_VELOCITY : DV_POSITION);
        assert_int_equal(x.count, y.count);
        for (size_t i = 0; i < (size_t)x.count * x.dim; i++) {
            largest = fmax(largest, isfinite(y.at[i]) ? fabs(x.at[i] - y.at[i]) : INFINITY);
            size = fmax(size, fabs(x.at[i]));
        }
    }
    return largest / size;
}

/* How far apart starts on the host come that are moved by as much. */
static double known_to(const Row *row, const DvScene *host, double by, int steps)
{
    double most = 0.0;
    for (uint32_t start = 1; start <= 3; start++) {
        DvScene *moved = scene_of(row, "Vec3d", NULL);
        move_starts(moved, by, start);
        make_steps(moved, steps);
        most = fmax(most, apart(host, "/Body/dofs", moved, "/Body/dofs"));
        dv_scene_free(moved);
    }
    return most;
}

static void expect_like_host(const Row *row, int steps)
{
    static const char *const words[] = {"CudaVec3d", "CudaVec3f"};
    static const double limits[] = {1e-9, 1e-3}, rounding[] = {1e-15, 1e-7};
    DvScene *host = scene_of(row, "Vec3d", NULL);
    make_steps(host, steps);
    unsigned on_host = 0;
    dv_log_set_handler(count_host, &on_host);
    for (int k = 0; k < 2; k++) {
        DvScene *device = scene_of(row, words[k], k == 1 ? "Vec3d" : NULL);
        make_steps(device, steps);
        assert_non_null(dv_state_storage(scene_state(device, "/Body/dofs")).space);
        const double found = apart(host, "/Body/dofs", device, "/Body/dofs");
        if (!(found <= limits[k]) && !(found <= 10.0 * known_to(row, host, rounding[k], steps)))
            fail_msg("%s, %s: %g apart after %d steps", row->name, words[k], found, steps);
        if (k == 1) /* side by side */
            assert_true(apart(host, "/Body/dofs", device, "/Beside/dofs") == 0.0);
        dv_scene_free(device);
    }
    dv_log_set_handler(NULL, NULL);
    if (row->stays && on_host)
        fail_msg("%s: %u components act on the host", row->name, on_host);
    dv_scene_free(host);
}

static void test_scenes_run_as_written(void **state)
{
    (void)state;
    const bool all = share_is_long();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (all || !rows[i].is_long)
            expect_like_host(&rows[i], all ? 100 : 3);
}

static int start_with_device(void **state)
{
    return setenv("DIVAN_DEVICE", "emulated", 1) == 0 ? start_plugins(state) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes_run_as_written),
    };
    return cmocka_run_group_tests(tests, start_with_device, stop_plugins);
}
