/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * divan bench: times steps. The first step is left out: it sizes scratch memory and finds the structure of matrices.
 *
 * Heap allocations are counted where every library of the process makes them, at malloc itself (allocator.c). Under a sanitizer, which
 * takes its place, only the kernel's own are counted.
 */
#include "host.h"

#include "target.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_STEPS = 100 };

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

typedef struct Result {
    uint64_t steps;
    double median, p99, mean; /* microseconds a step */
    double allocations;       /* a step */
    double dt;                /* s */
} Result;

static Result summarize(double *seconds, uint64_t steps, uint64_t allocations, double dt)
{
    Result result = {.steps = steps, .dt = dt};
    qsort(seconds, steps, sizeof *seconds, by_size);
    double sum = 0;
    for (uint64_t i = 0; i < steps; i++)
        sum += seconds[i];
    const uint64_t rank = (99 * steps + 99) / 100; /* nearest rank: the smallest that 99 % do not exceed */
    result.median = 1e6 * (steps % 2 ? seconds[steps / 2] : (seconds[steps / 2 - 1] + seconds[steps / 2]) / 2);
    result.p99 = 1e6 * seconds[rank - 1];
    result.mean = 1e6 * sum / (double)steps;
    result.allocations = (double)allocations / (double)steps;
    return result;
}

static void print_json(const Options *options, DvScene *scene, const Result *r)
{
    char *name = g_strescape(host_scene_name(options), NULL);
    printf(
        "{\"scene\": \"%s\", \"steps\": %" G_GUINT64_FORMAT
        ", \"threads\": %u, \"median_us\": %.3f, \"p99_us\": %.3f, \"mean_us\": %.3f, \"allocations_per_step\": %g, \"phases\": {",
        name, r->steps, dv_parallel_threads(), r->median, r->p99, r->mean, r->allocations);
    for (size_t i = 0; i < dv_phase_count(); i++) {
        double seconds;
        const char *phase = dv_phase_at(i, &seconds, NULL);
        printf("%s\"%s\": %.3f", i ? ", " : "", phase, 1e6 * seconds / (double)r->steps);
    }
    putchar('}');
    host_print_device_use_json(scene);
    const double copies = host_copies_of_device(scene);
    if (copies > 0)
        printf(", \"device_copies_gb_per_s\": %.4g", 1e-9 * copies);
    if (options->target_hz > 0)
        host_target_print_json(scene, options->target_hz, r->mean, r->p99);
    puts("}");
    g_free(name);
}

static void print_text(const Result *r)
{
    printf("median %.2f us, 99th percentile %.2f us, mean %.2f us a step over %" G_GUINT64_FORMAT
           " steps with %u thread%s\n",
           r->median, r->p99, r->mean, r->steps, dv_parallel_threads(), dv_parallel_threads() == 1 ? "" : "s");
    printf("real-time factor %.4g, %g heap allocations a step\n", r->mean > 0 ? 1e6 * r->dt / r->mean : 0.0,
           r->allocations);
    if (dv_phase_count())
        puts("time per phase, measured when the same steps were made once more:");
    for (size_t i = 0; i < dv_phase_count(); i++) {
        double seconds;
        uint64_t calls;
        const char *name = dv_phase_at(i, &seconds, &calls);
        printf("  %-32s %10.2f us a step, %g calls\n", name, 1e6 * seconds / (double)r->steps,
               (double)calls / (double)r->steps);
    }
}

static void print_device(DvScene *scene)
{
    const double copies = host_copies_of_device(scene);
    host_print_device_use(scene);
    if (copies > 0)
        printf("copies there read and write %.4g GB/s\n", 1e-9 * copies);
}

/* No moment is taken while the clock runs: a run that fails is made again from its start. */
static DvStatus good_step(DvScene *scene, double dt, LastGood *good)
{
    const DvStatus status = dv_scene_step(scene, dt);
    if (status == DV_OK)
        host_last_good_follow(good, 0);
    return status;
}

static int bench(const Options *options)
{
    if (options->steps == 0) {
        fputs("divan bench: -n 0: there is nothing to time; expected 1 or more\n", stderr);
        return EXIT_USAGE;
    }
    const uint64_t steps = options->steps > 0 ? (uint64_t)options->steps : DEFAULT_STEPS;
    const double dt = options->dt > 0 ? options->dt : 0;
    DvScene *scene = host_load(options);
    if (!scene)
        return EXIT_FAULT;
    double *seconds = g_new0(double, steps);
    LastGood *good = host_last_good_new(scene, dt);
    DvStatus status = good_step(scene, dt, good);
    const uint64_t before = host_allocation_count();
    for (uint64_t i = 0; i < steps && status == DV_OK; i++) {
        const double begin = host_now();
        status = dv_scene_step(scene, dt);
        seconds[i] = host_now() - begin;
        if (status == DV_OK)
            host_last_good_follow(good, 0);
    }
    const uint64_t allocations = host_allocation_count() - before;
    /* Once more from the start: the clock of the phases costs what it measures, and later steps may be others. */
    if (status == DV_OK) {
        dv_scene_reset(scene);
        status = good_step(scene, dt, good);
    }
    dv_phase_enable(true);
    for (uint64_t i = 0; i < steps && status == DV_OK; i++)
        status = good_step(scene, dt, good);
    int code = EXIT_DONE;
    if (status == DV_OK) {
        const Result result = summarize(seconds, steps, allocations, dt > 0 ? dt : dv_node_dt(dv_scene_root(scene)));
        if (options->json)
            print_json(options, scene, &result);
        else
            print_text(&result);
        if (!options->json)
            print_device(scene);
        if (options->target_hz > 0 && !options->json)
            host_target_print(scene, options->target_hz, result.dt, result.mean, result.p99);
    } else {
        code = host_step_failed(scene, options, good, status);
    }
    dv_phase_enable(false);
    host_last_good_free(good);
    g_free(seconds);
    return host_end(scene, code);
}

const Command command_bench = {
    .name = "bench",
    .arguments = "SCENE",
    .summary = "time the steps: median, 99th percentile, phases, heap allocations",
    .description =
        "Times 100 steps unless -n says otherwise, after one that is left out, on one thread unless --threads says otherwise.\n"
        "Visual models are not updated. With --target-hz it answers whether the scene is too heavy: which phases and components\n"
        "stand against so many steps a second, and what makes them cheaper.",
    .positional = 1,
    .options = "steps dt threads device no-gpu host-copy grain-divisor target-hz json keep-going write-anywhere",
    .run = bench,
};
