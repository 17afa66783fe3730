/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What it costs to take the whole state of a scene into memory, and to put it back: a pendulum, a liver, and a bar of many points.
 *
 *   bench-moments FOLDER [POINTS]      FOLDER: of pendulum.scn and liver.scn; POINTS of the bar: 100,000 unless it says otherwise
 *
 * Prints the medians in microseconds, of moments taken after a step each, and the bytes that a moment holds. It fails when a moment that
 * is taken or put back once more asks malloc for anything.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <divan/divan.h>
#include <divan/moment.h>

#include "block_count.h"

enum { WARM = 3, ROUNDS = 41 };

static bool failed;

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static void check(DvStatus status)
{
    if (status != DV_OK)
        exit(1);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times)
{
    qsort(times, ROUNDS, sizeof *times, ascending);
    return times[ROUNDS / 2];
}

static void measure(const char *name, DvScene *scene)
{
    double taking[ROUNDS], going_back[ROUNDS];
    uint64_t blocks = 0;
    DvMoment *moment = dv_moment_new(scene);
    for (int i = 0; i < WARM; i++) { /* all that a moment needs is there afterwards */
        check(dv_scene_step(scene, 0));
        check(dv_moment_take(moment));
        check(dv_moment_restore(moment));
    }
    for (int i = 0; i < ROUNDS; i++) {
        check(dv_scene_step(scene, 0));
        const uint64_t before = block_count();
        const double begin = now_us();
        check(dv_moment_take(moment));
        taking[i] = now_us() - begin;
        blocks += block_count() - before;
    }
    for (int i = 0; i < ROUNDS; i++) {
        check(dv_scene_step(scene, 0));
        const double begin = now_us();
        check(dv_moment_restore(moment));
        going_back[i] = now_us() - begin;
    }
    printf("%-10s take %10.2f us, go back %10.2f us, %zu bytes, %llu blocks asked for in %d moments\n", name,
           median(taking), median(going_back), dv_moment_bytes(moment), (unsigned long long)blocks, ROUNDS);
    failed = failed || blocks > 0;
    dv_moment_free(moment);
    dv_scene_free(scene);
}

static DvScene *file(const char *folder, const char *name)
{
    char path[1000];
    DvScene *scene = NULL;
    snprintf(path, sizeof path, "%s/%s.scn", folder, name);
    check(dv_scene_load(path, NULL, &scene));
    return scene;
}

/* Of springs from each point to its place: a step costs little, so that many of them can be made. */
static DvScene *bar(unsigned points)
{
    DvText text = {0};
    DvScene *scene = NULL;
    dv_text_add(&text,
                "<Node name='root' dt='0.01'><DefaultAnimationLoop/><EulerExplicitSolver/>"
                "<RegularGridTopology n='%u 10 10' min='0 0 0' max='100 1 1' computeHexaList='0' computeQuadList='0' "
                "computeTriangleList='0' computeEdgeList='0'/><MechanicalObject/><UniformMass totalMass='1'/></Node>",
                points / 100 > 1 ? points / 100 : 2);
    check(dv_scene_load_text(text.at, text.length, "bench.scn", NULL, NULL, &scene));
    dv_text_free(&text);
    return scene;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "bench-moments FOLDER [POINTS]\n");
        return 2;
    }
    check(dv_start(NULL));
    measure("pendulum", file(argv[1], "pendulum"));
    measure("liver", file(argv[1], "liver"));
    measure("bar", bar(argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 100000));
    dv_stop();
    return failed;
}
