/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a detection costs: two sheets of points, lines and triangles above each other, every second point of which stands out towards the
 * other: contacts are in proportion to points, with methods that take local minima of the distance too. Trees are as deep as
 * they can be: with a given depth their leaves grow with the meshes.
 *
 *   bench-contacts [SIDE [METHOD [DETECTIONS]]]      SIDE: points along a side of each sheet; METHOD: an intersection method
 *
 * Without SIDE those of 1, 4 and 16 times as many contacts. Prints the contacts and the median of a detection in microseconds. To count
 * instructions: valgrind --tool=callgrind --collect-atstart=no --toggle-collect=measure bench-contacts 24 LocalMinDistance 2
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <divan/contracts/collision.h>
#include <divan/divan.h>

static void check(DvStatus status)
{
    if (status != DV_OK)
        exit(1);
}

/* The upper one is turned by some degrees, so that its edges cross those of the lower one. */
static void add_sheet(DvText *text, const char *name, unsigned side, double height, double out, double turn)
{
    const double middle = 0.5 * (side - 1);
    dv_text_add(text, "<Node name='%s'><MeshTopology triangles='", name);
    for (unsigned i = 0; i + 1 < side; i++)
        for (unsigned k = 0; k + 1 < side; k++) {
            const unsigned p = out > 0 ? side * i + k : side * i + k + 1, q = p + side;
            const unsigned next = out > 0 ? 1 : UINT_MAX; /* each sheet shows the other its outside */
            dv_text_add(text, "%u %u %u %u %u %u ", p, p + next, q + next, p, q + next, q);
        }
    dv_text_add(text, "'/><MechanicalObject position='");
    for (unsigned i = 0; i < side; i++)
        for (unsigned k = 0; k < side; k++) {
            const double x = i - middle, z = k - middle;
            dv_text_add(text, "%.9g %.9g %.9g ", cos(turn) * x - sin(turn) * z, height + ((i + k) % 2 ? out : 0.0),
                        sin(turn) * x + cos(turn) * z);
        }
    dv_text_add(text, "'/><PointCollisionModel/><LineCollisionModel/><TriangleCollisionModel/></Node>");
}

static DvScene *load(unsigned side, const char *method)
{
    DvText text = {0};
    dv_text_add(&text,
                "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/><CollisionPipeline depth='14'/>"
                "<BruteForceBroadPhase/><BVHNarrowPhase/><%s alarmDistance='0.6' contactDistance='0.1'/>"
                "<CollisionResponse response='nullptr'/>",
                method);
    add_sheet(&text, "Lower", side, 0.0, 0.2, 0.0);
    add_sheet(&text, "Upper", side, 0.7, -0.2, 0.3);
    dv_text_add(&text, "</Node>");
    DvScene *scene = NULL;
    check(dv_scene_load_text(text.at, text.length, "bench.scn", NULL, NULL, &scene));
    dv_text_free(&text);
    return scene;
}

static double microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void __attribute__((noinline))
measure(const DvCollisionPipelineOps *ops, void *pipeline, unsigned detections, double *times)
{
    for (unsigned i = 0; i < detections; i++) {
        const double begin = microseconds();
        check(ops->detect(pipeline));
        times[i] = microseconds() - begin;
    }
}

static void run(unsigned side, const char *method, unsigned detections)
{
    DvScene *scene = load(side, method);
    DvObject *object = dv_node_find(dv_scene_root(scene), DV_COLLISION_PIPELINE, DV_SEARCH_LOCAL);
    const DvCollisionPipelineOps *ops = dv_object_ops(object, DV_COLLISION_PIPELINE);
    void *pipeline = dv_object_self(object);
    check(ops->detect(pipeline));
    double *times = malloc(detections * sizeof *times);
    measure(ops, pipeline, detections, times);
    qsort(times, detections, sizeof *times, ascending);
    const DvContactList *list = ops->contacts(pipeline);
    uint32_t contacts = 0;
    for (uint32_t i = 0; i < list->pair_count; i++)
        contacts += list->pairs[i].count;
    printf("%3u points a side, %s: %7u contacts, %10.1f us\n", side, method, contacts, times[detections / 2]);
    free(times);
    dv_scene_free(scene);
}

int main(int argc, char **argv)
{
    static const unsigned sides[] = {12, 24, 48};
    check(dv_start(NULL));
    const unsigned side = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    const char *method = argc > 2 ? argv[2] : "LocalMinDistance";
    const unsigned detections = argc > 3 ? (unsigned)atoi(argv[3]) : 20;
    for (size_t i = 0; i < (side ? 1 : sizeof sides / sizeof *sides); i++)
        run(side ? side : sides[i], method, detections);
    dv_stop();
    return 0;
}
