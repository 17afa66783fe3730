/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * divan modes: natural frequencies and shapes of a scene about its state, as a table, a file of shapes, and pictures.
 */
#include "host.h"

#include <math.h>
#include <string.h>

#include <divan/contracts/modes.h>

enum { DEFAULT_COUNT = 10 };

/* What a mode is drawn with: its largest displacement, over the size of all that is there. */
static const double DRAWN_SIZE = 0.1;

typedef struct Result {
    const DvModesOps *ops;
    DvModes *modes;
    DvScene *scene;
    uint32_t count;
} Result;

static double frequency_of(double value)
{
    return sqrt(fabs(value)) / (2 * G_PI);
}

/* Counts of modes that nothing holds, and that grow. */
static void count_kinds(const Result *result, uint32_t *without, uint32_t *unstable)
{
    const double *values = result->ops->values(result->modes);
    *without = *unstable = 0;
    for (uint32_t k = 0; k < result->count; k++) {
        *without += values[k] == 0;
        *unstable += values[k] < 0;
    }
}

static void print_table(const Result *result)
{
    const double *values = result->ops->values(result->modes);
    uint32_t without, unstable;
    count_kinds(result, &without, &unstable);
    printf("%u modes of %zu unknowns\n\n%6s %14s %14s %14s\n", result->count, result->ops->unknowns(result->modes),
           "mode", "Hz", "rad/s", "period in s");
    for (uint32_t k = 0; k < result->count; k++) {
        const double omega = sqrt(fabs(values[k]));
        if (values[k] > 0)
            printf("%6u %14.7g %14.7g %14.7g\n", k + 1, frequency_of(values[k]), omega, 2 * G_PI / omega);
        else if (values[k] == 0)
            printf("%6u %14g %14g %14s  free: nothing holds it\n", k + 1, 0.0, 0.0, "-");
        else
            printf("%6u %14s %14s %14s  unstable: grows by exp(%.7g t)\n", k + 1, "-", "-", "-", omega);
    }
    if (without)
        printf("\n%u of them free: motions that nothing holds, such as those of a body that is fixed nowhere\n",
               without);
    if (unstable)
        printf(
            "\n%u of them unstable: the scene is not at a stable equilibrium; --restart takes the state of a run that has come to rest\n",
            unstable);
}

static void print_json(const Result *result)
{
    const double *values = result->ops->values(result->modes);
    printf("{\"unknowns\": %zu, \"modes\": [", result->ops->unknowns(result->modes));
    for (uint32_t k = 0; k < result->count; k++) {
        char eigenvalue[G_ASCII_DTOSTR_BUF_SIZE], frequency[G_ASCII_DTOSTR_BUF_SIZE];
        g_ascii_formatd(eigenvalue, sizeof eigenvalue, "%.17g", values[k]);
        g_ascii_formatd(frequency, sizeof frequency, "%.17g", frequency_of(values[k]));
        printf("%s\n  {\"mode\": %u, \"eigenvalue\": %s, ", k ? "," : "", k + 1, eigenvalue);
        printf(values[k] < 0 ? "\"kind\": \"unstable\"}" : "\"frequency\": %s, \"kind\": \"%s\"}", frequency,
               values[k] > 0 ? "vibration" : "free");
    }
    puts("\n]}");
}

/* As a dump of states: a frame for each mode, its number as the step, its frequency as the time, the shape as velocities. */
static bool write_shapes(const Result *result, Dump *dump)
{
    const double *values = result->ops->values(result->modes);
    GPtrArray *states = host_states(result->scene);
    for (uint32_t k = 0; k < result->count && dump->file; k++) {
        result->ops->show(result->modes, k, 0);
        host_dump_states(dump, states, k + 1, values[k] < 0 ? -frequency_of(values[k]) : frequency_of(values[k]));
    }
    g_ptr_array_unref(states);
    return host_dump_close(dump, true);
}

/* ---- Pictures ---- */

/* How many numbers of a point are lengths: those of a rigid frame's place, not of its rotation. */
static uint32_t lengths_of(const DvStateRef state)
{
    return state.dof->coord == state.dof->deriv ? state.dof->deriv : MIN(state.dof->deriv, 3);
}

/* The amplitude a mode is drawn with: from the sizes of all states and of the shape on them. */
static double amplitude_of(const GPtrArray *states)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, most = 0;
    for (guint i = 0; i < states->len; i++) {
        const DvStateRef state = dv_state_ref(g_ptr_array_index(states, i));
        const DvConstVec x = dv_state_read(state, DV_POSITION), v = dv_state_read(state, DV_VELOCITY);
        const uint32_t lengths = MIN(lengths_of(state), 3);
        for (uint32_t point = 0; x.at && v.at && point < x.count; point++) {
            double square = 0;
            for (uint32_t c = 0; c < lengths; c++) {
                const double at = x.at[(size_t)point * x.dim + c], to = v.at[(size_t)point * v.dim + c];
                low[c] = MIN(low[c], at);
                high[c] = MAX(high[c], at);
                square += to * to;
            }
            most = MAX(most, square);
        }
    }
    double size = 0;
    for (int c = 0; c < 3; c++)
        size += high[c] > low[c] ? (high[c] - low[c]) * (high[c] - low[c]) : 0;
    size = size > 0 ? sqrt(size) : 1;
    return most > 0 ? DRAWN_SIZE * size / sqrt(most) : DRAWN_SIZE; /* a shape that only turns: by its own size */
}

static void pose(void *result_, uint32_t mode)
{
    const Result *result = result_;
    GPtrArray *states = host_states(result->scene);
    result->ops->show(result->modes, mode, 0);
    result->ops->show(result->modes, mode, amplitude_of(states));
    g_ptr_array_unref(states);
}

/* ---- Frequencies alone ---- */

/* Number `number` of those among `count` modes that something holds; NAN: there are fewer, or it grows. *failed: an error was reported. */
static double frequency_among(const DvModesOps *ops, DvScene *scene, uint32_t count, uint32_t number, bool *failed)
{
    DvModes *modes = ops->find(dv_scene_root(scene), count);
    *failed = !modes;
    if (!modes)
        return NAN;
    const double *values = ops->values(modes);
    uint32_t k = 0;
    for (uint32_t met = 0; k < count; k++)
        if (values[k] != 0 && ++met == number)
            break;
    const double frequency = k < count && values[k] > 0 ? frequency_of(values[k]) : NAN;
    ops->free(modes);
    return frequency;
}

double host_frequency(DvScene *scene, uint32_t number)
{
    enum { FREE = 6, BODIES = 4 };
    const DvModesOps *ops = dv_service(DV_NATURAL_MODES);
    double frequency = NAN;
    bool failed = !ops;
    for (uint32_t free = 0; !failed && isnan(frequency) && free <= FREE * BODIES; free += FREE)
        frequency = frequency_among(ops, scene, number + free, number, &failed);
    return frequency;
}

/* ---- The command ---- */

/* What is written is opened first: a name that cannot be had is told before anything is computed. */
static int compute(Result *result, const Options *options)
{
    Dump shapes = {0};
    if (options->out && !host_dump_open(&shapes, options->out, result->scene))
        return EXIT_FAULT;
    bool good = host_dump_may_stay(&shapes, result->scene);
    if (good)
        result->modes = result->ops->find(dv_scene_root(result->scene), result->count);
    good = good && result->modes;
    if (!good) {
        (void)host_dump_close(&shapes, false);
        return EXIT_FAULT;
    }
    if (options->json)
        print_json(result);
    else
        print_table(result);
    good = write_shapes(result, &shapes);
    int end = good ? EXIT_DONE : EXIT_FAULT;
    if (good && options->pictures)
        end = host_draw(options, result->scene, options->pictures, "mode_%05u.png", result->count, pose, result);
    result->ops->free(result->modes);
    return end;
}

static int run_modes(const Options *options)
{
    Result result = {.ops = dv_service(DV_NATURAL_MODES),
                     .count = options->modes > 0 ? (uint32_t)options->modes : DEFAULT_COUNT};
    if (!result.ops) {
        fputs("divan: nothing finds natural frequencies: the plugin divan.solvers is not loaded; see `divan list`\n",
              stderr);
        return EXIT_FAULT;
    }
    if (!host_restart_can_be_read(options))
        return EXIT_FAULT;
    result.scene = host_load(options);
    if (!result.scene)
        return EXIT_FAULT;
    const bool ready = !options->restart || host_restart(options, result.scene);
    return host_end(result.scene, ready ? compute(&result, options) : EXIT_FAULT);
}

const Command command_modes = {
    .name = "modes",
    .arguments = "SCENE",
    .summary = "find natural frequencies and shapes",
    .description =
        "The slowest modes of all that moves, without damping and contacts, about the state of the scene as it is loaded, or of the\n"
        "checkpoint of --restart: it should be at rest. No step is made. The shapes are written by --out as a dump of states,\n"
        "a frame for each mode: its number as the step, its frequency as the time, the shape as velocities (v^T M v = 1).",
    .positional = 1,
    .options = "modes json out pictures restart threads keep-going size camera show write-anywhere",
    .run = run_modes,
};
