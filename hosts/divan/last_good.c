/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The last good state of a run that failed: SCENE.last-good.scn in the working directory.
 *
 * A moment (divan/moment.h) is taken now and then, so seldom that it costs less than a hundredth of the run. A run that has failed goes back
 * to it and makes the steps from there to its last good one again, in silence: all that a run remembers is as it was then, not positions and
 * velocities alone. These were kept by the step check, and show whether it is the same run; where it is not, as after edits of `--input`
 * or with a device in a hand, they are what is saved.
 *
 * It replaces no file but an earlier one of its kind that is still as it was written: the last line has a sum of all before it. Where there is
 * another one, a number makes the name a new one.
 */
#include "host.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include <divan/moment.h>
#include <divan/output.h>

static const char line_begin[] = "<!-- the last good state of a run that failed; sum of the lines above: ",
                  line_end[] = " -->\n";

enum { SUM = 64, MOST_NAMES = 1000 }; /* SHA-256 has 64 digits */

static char *last_line(const char *text, size_t length)
{
    char *sum = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)text, length);
    char *line = g_strconcat(line_begin, sum, line_end, NULL);
    g_free(sum);
    return line;
}

static bool is_ours(const char *name)
{
    const size_t end = sizeof line_begin - 1 + SUM + sizeof line_end - 1;
    char *text = NULL;
    gsize length = 0;
    bool found = g_file_get_contents(name, &text, &length, NULL) && length > end;
    if (found) {
        char *line = last_line(text, length - end);
        found = memcmp(text + length - end, line, end) == 0;
        g_free(line);
    }
    g_free(text);
    return found;
}

/* A name that nobody else's file has. */
static char *free_name(const char *scene)
{
    char *base = g_path_get_basename(scene), *name = g_strdup_printf("%s.last-good.scn", base);
    GStatBuf found;
    for (int i = 2; i < MOST_NAMES && g_lstat(name, &found) == 0 && !(S_ISREG(found.st_mode) && is_ours(name)); i++) {
        g_free(name);
        name = g_strdup_printf("%s.last-good-%d.scn", base, i);
    }
    g_free(base);
    return name;
}

/* The file that has just been saved gets its last line. */
static bool sign(const char *name)
{
    DvText why = {0};
    char *text = NULL;
    gsize length = 0;
    GError *error = NULL;
    if (!g_file_get_contents(name, &text, &length, &error)) {
        dv_text_add(&why, "%s", error->message);
        g_clear_error(&error);
    } else {
        char *line = last_line(text, length);
        GString *whole = g_string_new_len(text, (gssize)length);
        g_string_append(whole, line);
        (void)(dv_output_write(name, NULL, whole->str, whole->len, &why) == DV_OK);
        g_string_free(whole, TRUE);
        g_free(line);
    }
    const bool good = !why.length;
    if (!good)
        fprintf(stderr, "divan: %s: %s\n", name, why.at);
    g_free(text);
    dv_text_free(&why);
    return good;
}

/* ---- Going back ---- */

struct LastGood {
    DvScene *scene;
    DvMoment *moment;
    double taken, cost; /* s: when it was taken, and how long that took */
    double dt;          /* of the steps; 0: the scene's */
    uint64_t steps;     /* of the scene, all of them good */
};

static void take(LastGood *good)
{
    const double begin = host_now();
    if (dv_moment_take(good->moment) != DV_OK) {
        dv_moment_free(good->moment);
        good->moment = NULL;
    }
    good->taken = host_now();
    good->cost = good->taken - begin;
}

LastGood *host_last_good_new(DvScene *scene, double dt)
{
    LastGood *good = g_new0(LastGood, 1);
    *good = (LastGood){.scene = scene, .moment = dv_moment_new(scene), .dt = dt, .steps = dv_scene_steps(scene)};
    take(good);
    return good;
}

void host_last_good_free(LastGood *good)
{
    if (good)
        dv_moment_free(good->moment);
    g_free(good);
}

void host_last_good_follow(LastGood *good, double now)
{
    static const double least = 0.25 /* s */, costs = 100;
    good->steps = dv_scene_steps(good->scene);
    if (good->moment && now - good->taken > MAX(least, costs * good->cost))
        take(good);
}

static void drop(const DvMessage *message, void *context)
{
    (void)message, (void)context;
}

static uint64_t hash_of(DvScene *scene)
{
    GPtrArray *states = host_states(scene);
    const uint64_t hash = host_hash(states);
    g_ptr_array_unref(states);
    return hash;
}

static bool makes_steps_again(const LastGood *good)
{
    bool runs = dv_moment_restore(good->moment) == DV_OK;
    while (runs && dv_scene_steps(good->scene) < good->steps)
        runs = dv_scene_step(good->scene, good->dt) == DV_OK;
    return runs;
}

void host_last_good_restore(const LastGood *good)
{
    if (!good->moment)
        return;
    const uint64_t hash = hash_of(good->scene);
    DvMoment *as_kept = dv_moment_new(good->scene);
    dv_log_set_handler(drop, NULL);
    if (dv_moment_take(as_kept) == DV_OK && !(makes_steps_again(good) && hash_of(good->scene) == hash))
        (void)!dv_moment_restore(as_kept); /* what it cannot put back stays as it came out */
    dv_log_set_handler(NULL, NULL);
    dv_moment_free(as_kept);
}

/* ---- The file ---- */

void host_save_last_good(DvScene *scene, const char *file)
{
    char *name = free_name(file);
    if (dv_scene_save(scene, name) == DV_OK && sign(name))
        fprintf(stderr, "the last good state is in %s\n", name);
    g_free(name);
}
