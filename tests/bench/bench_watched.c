/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What it costs the simulation to be watched: so many steps of a scene in the first thread of the process, as `divan run` makes them, or at
 * least so many in the simulation thread of the window, whose snapshots another thread takes as a window does.
 *
 *   bench-watched SCENE STEPS alone|watched
 *
 * valgrind --tool=callgrind --separate-threads=yes counts the instructions of each thread.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <divan/divan.h>

#include "session.h"

static int run_alone(const char *file, uint64_t steps)
{
    DvScene *scene = NULL;
    if (dv_scene_load(file, NULL, &scene) != DV_OK)
        return 1;
    DvStatus status = DV_OK;
    for (uint64_t i = 0; status == DV_OK && i < steps; i++)
        status = dv_scene_step(scene, 0);
    dv_scene_free(scene);
    printf("%llu steps\n", (unsigned long long)steps);
    return status != DV_OK;
}

static int run_watched(const char *file, uint64_t steps)
{
    Logbook *book = logbook_new(false);
    Session *session = session_new(book);
    session_post(session, &(Message){.kind = MESSAGE_PACE});
    session_post(session, &(Message){.kind = MESSAGE_OPEN, .text = file});
    snapshot_unref(session_settle(session));
    session_post(session, &(Message){.kind = MESSAGE_ANIMATE, .numbers = {1}});
    Snapshot *now = session_snapshot(session);
    while (now->has_scene && !now->failed && now->steps < steps) { /* a window that looks as often as it can */
        g_usleep(1000);
        snapshot_unref(now);
        now = session_snapshot(session);
    }
    snapshot_unref(now);
    session_post(session, &(Message){.kind = MESSAGE_ANIMATE});
    now = session_settle(session);
    const bool good = now->has_scene && now->picture && now->steps >= steps;
    printf("%llu steps, %llu pictures\n", (unsigned long long)now->steps, (unsigned long long)now->number);
    snapshot_unref(now);
    session_free(session);
    logbook_free(book);
    return !good;
}

int main(int argc, char **argv)
{
    if (argc != 4 || dv_start(NULL) != DV_OK) {
        fprintf(stderr, "usage: bench-watched SCENE STEPS alone|watched\n");
        return 2;
    }
    const uint64_t steps = strtoull(argv[2], NULL, 10);
    const int status = strcmp(argv[3], "alone") == 0 ? run_alone(argv[1], steps) : run_watched(argv[1], steps);
    dv_stop();
    return status;
}
