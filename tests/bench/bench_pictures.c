/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What pictures cost, and how many there are in a second while the simulation runs.
 *
 *   bench-pictures SCENE [WIDTHxHEIGHT [SAMPLES [SECONDS]]]
 *
 * First one after the other: a step, the recording of a picture, its drawing, and the reading of its pixels: wall time, and time of
 * all processors. Then both at once: a thread makes steps at the pace of the scene's clock (as fast as it can, if it is late) and
 * records a picture after each, another draws the newest one again and again and waits for its pixels to be there.
 */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <divan/contracts/renderer.h>
#include <divan/divan.h>
#include <divan/memory.h>

enum { ROUNDS = 40 };
static const double default_seconds = 8;

typedef struct Bench {
    DvScene *scene;
    const DvPictureRecorderOps *recording;
    const DvRendererOps *rendering;
    DvRecorder *recorder;
    DvRenderer *renderer;
    DvRenderView view;
    uint8_t *pixels;
    _Atomic(DvPicture *) newest; /* not drawn yet; NULL: none */
    atomic_bool over;
    double behind; /* s, the simulation at the end */
} Bench;

static double clock_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* Milliseconds of wall and of all processors, and the least of the latter. */
typedef struct Cost {
    double wall, busy, least;
} Cost;

static Cost now(void)
{
    return (Cost){clock_of(CLOCK_MONOTONIC), clock_of(CLOCK_PROCESS_CPUTIME_ID), 0};
}

static void add_since(Cost *sum, Cost begin)
{
    const Cost end = now();
    const double busy = end.busy - begin.busy;
    sum->wall += end.wall - begin.wall;
    sum->least = sum->busy > 0 ? fmin(sum->least, busy) : busy;
    sum->busy += busy;
}

static void die(const char *why)
{
    fprintf(stderr, "bench-pictures: %s\n", why ? why : "failed");
    exit(1);
}

static void draw(Bench *bench, const DvPicture *picture)
{
    DvText why = {0};
    if (bench->rendering->draw(bench->renderer, picture, &bench->view, &why) != DV_OK)
        die(why.at);
}

static void read_pixels(Bench *bench)
{
    DvText why = {0};
    if (bench->rendering->read(bench->renderer, bench->pixels, &why) != DV_OK)
        die(why.at);
}

static void one_after_the_other(Bench *bench)
{
    static const char *const names[] = {"step", "record", "draw and read"};
    Cost costs[3] = {{0}};
    DvRenderStats stats = {0};
    for (int i = -2; i < ROUNDS; i++) {
        Cost begin = now();
        if (dv_scene_step(bench->scene, 0) != DV_OK)
            die("the step failed");
        add_since(&costs[0], begin);
        begin = now();
        DvPicture *picture = bench->recording->record(bench->recorder, NULL);
        add_since(&costs[1], begin);
        begin = now();
        draw(bench, picture);
        read_pixels(bench);
        add_since(&costs[2], begin);
        bench->recording->unref(picture);
        for (int k = 0; i < 0 && k < 3; k++)
            costs[k] = (Cost){0}; /* the first ones allocate and compile */
    }
    bench->rendering->stats(bench->renderer, &stats);
    printf("%u x %u, %u samples, %s\n", bench->view.width, bench->view.height, stats.samples, stats.device);
    for (int k = 0; k < 3; k++)
        printf("%-14s %7.2f ms, %7.2f ms of processors, at least %.2f\n", names[k], costs[k].wall / ROUNDS,
               costs[k].busy / ROUNDS, costs[k].least);
    printf("%llu triangles, %u calls, %.1f KB uploaded for each picture\n", (unsigned long long)stats.triangles,
           stats.calls, (double)stats.uploaded / 1024);
}

static void wait_until(double milliseconds)
{
    const double left = milliseconds - clock_of(CLOCK_MONOTONIC);
    if (left > 0) {
        const struct timespec pause = {(time_t)(left / 1e3), (long)(fmod(left, 1e3) * 1e6)};
        (void)nanosleep(&pause, NULL);
    }
}

static void publish(Bench *bench, DvPicture *picture)
{
    bench->recording->unref(atomic_exchange(&bench->newest, picture));
}

static void *simulate(void *bench_)
{
    Bench *bench = bench_;
    const double dt = 1e3 * dv_node_dt(dv_scene_root(bench->scene));
    double due = clock_of(CLOCK_MONOTONIC);
    while (!atomic_load(&bench->over)) {
        if (dv_scene_step(bench->scene, 0) != DV_OK)
            die("the step failed");
        publish(bench, bench->recording->record(bench->recorder, NULL));
        due += dt;
        wait_until(due);
    }
    bench->behind = fmax(clock_of(CLOCK_MONOTONIC) - due, 0) / 1e3;
    return NULL;
}

static void both_at_once(Bench *bench, double seconds)
{
    pthread_t thread;
    uint64_t pictures = 0;
    const Cost begin = now();
    Cost cost = {0};
    if (pthread_create(&thread, NULL, simulate, bench) != 0)
        die("no thread");
    while (clock_of(CLOCK_MONOTONIC) - begin.wall < 1e3 * seconds) {
        DvPicture *picture = atomic_exchange(&bench->newest, NULL);
        if (!picture) {
            wait_until(clock_of(CLOCK_MONOTONIC) + 1);
            continue;
        }
        draw(bench, picture);
        read_pixels(bench);
        bench->recording->unref(picture);
        pictures++;
    }
    atomic_store(&bench->over, true);
    pthread_join(thread, NULL);
    add_since(&cost, begin);
    publish(bench, NULL);
    printf("together: %.1f pictures a second, the simulation %.2f s late after %.1f s; %.0f %% of a processor busy\n",
           1e3 * (double)pictures / cost.wall, bench->behind, cost.wall / 1e3, 100 * cost.busy / cost.wall);
}

static void start(Bench *bench, int count, char **arguments)
{
    DvText why = {0};
    DvRendererOptions options = {.samples = count > 3 ? (uint32_t)strtoul(arguments[3], NULL, 10) : 0};
    options.smooths = options.samples == 1 && !getenv("NOSMOOTH"); /* as the viewer has it */
    bench->view.without_shadows = getenv("NOSHADOW") != NULL;
    bench->view.width = 1280, bench->view.height = 720;
    if (count > 2) {
        char *end = arguments[2];
        bench->view.width = (uint32_t)strtoul(end, &end, 10);
        bench->view.height = *end ? (uint32_t)strtoul(end + 1, NULL, 10) : bench->view.width;
    }
    if (count < 2 || dv_start(NULL) != DV_OK || dv_scene_load(arguments[1], NULL, &bench->scene) != DV_OK)
        die("needs a scene that can be loaded");
    bench->recording = dv_service(DV_PICTURE_RECORDER);
    bench->rendering = dv_service(DV_RENDERER);
    if (!bench->recording || !bench->rendering)
        die("no plugin draws");
    bench->recorder = bench->recording->create(bench->scene);
    if (bench->rendering->create(&options, &bench->renderer, &why) != DV_OK)
        die(why.at);
    DvPicture *picture = bench->recording->record(bench->recorder, NULL);
    bench->view.camera = (DvCamera){.orientation = {0, 0, 0, 1}, .field_of_view = 45, .fits_clip = true};
    dv_camera_look_at_box(&bench->view.camera, picture->has_box ? picture->box : NULL, picture->gravity);
    dv_camera_prepare(&bench->view.camera, picture->has_box ? picture->box : NULL, picture->gravity);
    bench->recording->unref(picture);
    bench->pixels = dv_alloc((size_t)bench->view.width * bench->view.height, 4);
}

int main(int count, char **arguments)
{
    static Bench bench;
    start(&bench, count, arguments);
    one_after_the_other(&bench);
    const double seconds = count > 4 ? strtod(arguments[4], NULL) : default_seconds;
    if (seconds > 0)
        both_at_once(&bench, seconds);
    bench.recording->destroy(bench.recorder);
    bench.rendering->destroy(bench.renderer);
    dv_scene_free(bench.scene);
    dv_free(bench.pixels);
    return 0;
}
