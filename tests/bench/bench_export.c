/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a frame of `divan run --export` costs the simulation: a grid of points with hexahedra, of which each frame is copied and given to the
 * thread that writes. Files go to memory that is given back at once, so that no disk is measured.
 *
 *   bench-export [POINTS_ALONG_A_SIDE [FRAMES]]      47: 103,823 points
 *
 * Prints the time of the call for a frame, by the clock of its thread and by the wall's, medians, of a run that has time to write between its frames, for each encoding;
 * then what the thread needs for one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <divan/contracts/scene_export.h>
#include <divan/divan.h>

static const char scene_text[] =
    "<Node name='root' dt='0.01' gravity='0 -1 0'><DefaultAnimationLoop/><Node name='Body'><EulerExplicitSolver/>"
    "<RegularGridTopology name='grid' n='%u %u %u' min='0 0 0' max='1 1 1'/><MechanicalObject name='state'/>"
    "<UniformMass totalMass='1'/></Node></Node>";

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool write_nothing(void *context, const char *path, const void *bytes, size_t size, DvText *why)
{
    (void)path, (void)bytes, (void)why;
    *(size_t *)context += size;
    return true;
}

static bool make_nothing(void *context, const char *path, DvText *why)
{
    (void)context, (void)path, (void)why;
    return true;
}

static void rest(void)
{
    nanosleep(&(const struct timespec){.tv_nsec = 300000000}, NULL);
}

static int measure(DvScene *scene, bool compressed, int frames)
{
    const DvSceneExportOps *ops = dv_service(DV_SCENE_EXPORT);
    size_t bytes = 0;
    DvText why = {0};
    const DvSceneExportOptions options = {.file = "bench.pvd",
                                          .compressed = compressed,
                                          .write = write_nothing,
                                          .make_folder = make_nothing,
                                          .context = &bytes};
    DvSceneExport *files = ops ? ops->open(scene, &options, &why) : NULL;
    double *times = malloc(2 * (size_t)frames * sizeof *times);
    if (!files || !times)
        return 1;
    double *walls = times + frames;
    for (int i = 0; i < frames + 2; i++) {
        if (dv_scene_step(scene, 0) != DV_OK)
            return 1;
        const double wall = seconds(CLOCK_MONOTONIC), begin = seconds(CLOCK_THREAD_CPUTIME_ID);
        if (!ops->frame(files, (uint64_t)i, 0.01 * i))
            return 1;
        if (i >= 2) { /* memory of the first two comes then */
            times[i - 2] = seconds(CLOCK_THREAD_CPUTIME_ID) - begin;
            walls[i - 2] = seconds(CLOCK_MONOTONIC) - wall;
        }
        rest();
    }
    const double begin = seconds(CLOCK_MONOTONIC);
    for (int i = 0; i < frames; i++)
        if (!ops->frame(files, (uint64_t)frames + 2 + (uint64_t)i, 0.01 * i))
            return 1;
    if (!ops->close(files, &why))
        return 1;
    const double each = (seconds(CLOCK_MONOTONIC) - begin) / frames;
    qsort(times, (size_t)frames, sizeof *times, ascending);
    qsort(walls, (size_t)frames, sizeof *walls, ascending);
    printf("%-8s a frame costs %6.2f ms, of the wall's clock %6.2f ms; one after the other %7.2f ms; %.1f MB\n",
           compressed ? "packed" : "raw", 1e3 * times[frames / 2], 1e3 * walls[frames / 2], 1e3 * each,
           1e-6 * (double)bytes / (2 * frames + 2));
    free(times);
    return 0;
}

int main(int argc, char **argv)
{
    const unsigned side = argc > 1 ? (unsigned)atoi(argv[1]) : 47;
    const int frames = argc > 2 ? atoi(argv[2]) : 11;
    char text[1024];
    DvScene *scene = NULL;
    snprintf(text, sizeof text, scene_text, side, side, side);
    if (dv_start(NULL) != DV_OK || dv_scene_load_text(text, strlen(text), "bench.scn", NULL, NULL, &scene) != DV_OK)
        return 1;
    printf("%u points\n", side * side * side);
    const int result = measure(scene, false, frames) || measure(scene, true, frames);
    dv_scene_free(scene);
    dv_stop();
    return result;
}
