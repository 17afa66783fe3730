/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Time per named phase of a step, for the thread that asked for it. An inner phase stops the clock of the outer one, so the times
 * add up to the whole.
 */
#include "internal.h"

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

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void dv_phase_enable(bool on)
{
    struct Phases *phases = dv_private_thread.phases;
    if (phases) {
        g_array_free(phases->phases, TRUE);
        g_array_free(phases->stack, TRUE);
        g_free(phases);
        dv_private_thread.phases = NULL;
    }
    if (!on)
        return;
    dv_private_thread_holds();
    phases = g_new0(struct Phases, 1);
    phases->phases = g_array_new(FALSE, FALSE, sizeof(Phase));
    phases->stack = g_array_new(FALSE, FALSE, sizeof(guint));
    dv_private_thread.phases = phases;
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
    if (dv_private_thread.phases)
        begin(dv_private_thread.phases, name);
}

void dv_phase_end(void)
{
    if (dv_private_thread.phases)
        end(dv_private_thread.phases);
}

size_t dv_core_phases_open(void)
{
    return dv_private_thread.phases ? dv_private_thread.phases->stack->len : 0;
}

void dv_core_phases_close(const DvScene *scene, size_t open)
{
    struct Phases *phases = dv_private_thread.phases;
    const DvObject *root = dv_node_object(scene->root);
    for (; dv_core_phases_open() > open; end(phases)) {
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

size_t dv_phase_count(void)
{
    const struct Phases *phases = dv_private_thread.phases;
    return phases ? phases->phases->len : 0;
}

const char *dv_phase_at(size_t index, double *seconds, uint64_t *calls)
{
    if (index >= dv_phase_count())
        return NULL;
    const Phase *phase = phase_at(dv_private_thread.phases, (guint)index);
    if (seconds)
        *seconds = phase->seconds;
    if (calls)
        *calls = phase->calls;
    return phase->name;
}
