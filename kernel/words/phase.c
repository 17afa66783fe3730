/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Time per named phase of a step, for the thread that asked for it. An inner phase stops the clock of the outer one, so the times
 * add up to the whole.
 */
#include "words.h"

#include <string.h>
#include <time.h>

typedef struct Phase {
    const char *name;
    double seconds;
    uint64_t calls;
    bool left_open; /* and it was said */
} Phase;

struct Phases {
    GArray *phases; /* Phase */
    GArray *stack;  /* guint: those in progress, outermost first */
    double since;   /* when the innermost went on */
    bool too_many;  /* more were ended than begun */
    bool told;      /* that this is so */
};

/* Off: NULL. */
static _Thread_local struct Phases *measured __attribute__((tls_model("initial-exec")));

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static Phase *phase_at(const struct Phases *phases, guint index)
{
    return &g_array_index(phases->phases, Phase, index);
}

/* Names are constants, mostly of one address: their letters are looked at when none has it. */
static guint find(const struct Phases *phases, const char *name)
{
    const guint count = phases->phases->len;
    guint index = 0;
    while (index < count && phase_at(phases, index)->name != name)
        index++;
    if (index < count)
        return index;
    for (index = 0; index < count && strcmp(phase_at(phases, index)->name, name) != 0;)
        index++;
    return index;
}

/* The time since the last change goes to the innermost phase. */
static void charge(struct Phases *phases)
{
    const double until = now();
    if (phases->stack->len)
        phase_at(phases, g_array_index(phases->stack, guint, phases->stack->len - 1))->seconds += until - phases->since;
    phases->since = until;
}

/* Out of line, as is what ends: mostly nobody measures. */
static __attribute__((noinline)) void begin(struct Phases *phases, const char *name)
{
    const guint index = find(phases, name);
    if (index == phases->phases->len)
        g_array_append_val(phases->phases, ((Phase){.name = name}));
    charge(phases);
    phase_at(phases, index)->calls++;
    g_array_append_val(phases->stack, index);
}

static __attribute__((noinline)) void end(struct Phases *phases)
{
    if (!phases->stack->len) {
        phases->too_many = true;
        return;
    }
    charge(phases);
    g_array_set_size(phases->stack, phases->stack->len - 1);
}

void dv_phase_begin(const char *name)
{
    if (measured)
        begin(measured, name);
}

void dv_phase_end(void)
{
    if (measured)
        end(measured);
}

static size_t open_phases(void)
{
    return measured ? measured->stack->len : 0;
}

static void close_phases(const DvScene *scene, size_t open)
{
    struct Phases *phases = measured;
    const DvObject *root = dv_node_object(scene->root);
    for (; open_phases() > open; end(phases)) {
        Phase *phase = phase_at(phases, g_array_index(phases->stack, guint, phases->stack->len - 1));
        if (!phase->left_open)
            dv_warning(root, "the phase '%s' of a step was begun and not ended: it has the time of what came after it",
                       phase->name);
        phase->left_open = true;
    }
    if (phases && phases->too_many && !phases->told) {
        dv_warning(root, "more phases of a step were ended than begun: times of phases are wrong");
        phases->told = true;
    }
}

static void forget(void)
{
    dv_phase_enable(false);
}

void dv_phase_enable(bool on)
{
    static const StepWatch watch = {open_phases, close_phases};
    if (measured) {
        g_array_free(measured->phases, TRUE);
        g_array_free(measured->stack, TRUE);
        g_free(measured);
    }
    measured = NULL;
    dv_core_watch_steps(on ? &watch : NULL);
    if (!on)
        return;
    dv_core_at_thread_end(forget);
    measured = g_new0(struct Phases, 1);
    measured->phases = g_array_new(FALSE, FALSE, sizeof(Phase));
    measured->stack = g_array_new(FALSE, FALSE, sizeof(guint));
}

size_t dv_phase_count(void)
{
    const struct Phases *phases = measured;
    return phases ? phases->phases->len : 0;
}

const char *dv_phase_at(size_t index, double *seconds, uint64_t *calls)
{
    if (index >= dv_phase_count())
        return NULL;
    const Phase *phase = phase_at(measured, (guint)index);
    if (seconds)
        *seconds = phase->seconds;
    if (calls)
        *calls = phase->calls;
    return phase->name;
}
