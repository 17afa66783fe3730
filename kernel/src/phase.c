/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Time per named phase of a step. An inner phase stops the clock of the outer one, so the times add up to the whole.
 */
#include "internal.h"

#include <string.h>
#include <time.h>

enum { MAX_PHASES = 64, MAX_DEPTH = 16 };

static struct {
    bool enabled;
    size_t count, depth;
    struct {
        const char *name;
        double seconds;
        uint64_t calls;
    } phases[MAX_PHASES];
    size_t stack[MAX_DEPTH];
    double since; /* when the innermost phase went on */
} clock_state;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void dv_phase_enable(bool on)
{
    memset(&clock_state, 0, sizeof clock_state);
    clock_state.enabled = on;
}

static void charge(double until)
{
    if (clock_state.depth)
        clock_state.phases[clock_state.stack[clock_state.depth - 1]].seconds += until - clock_state.since;
    clock_state.since = until;
}

void dv_phase_begin(const char *name)
{
    if (!clock_state.enabled || clock_state.depth == MAX_DEPTH)
        return;
    size_t phase = 0;
    while (phase < clock_state.count && strcmp(clock_state.phases[phase].name, name) != 0)
        phase++;
    if (phase == MAX_PHASES)
        phase--; /* the last one takes what does not fit */
    else if (phase == clock_state.count)
        clock_state.phases[clock_state.count++].name = name;
    charge(now());
    clock_state.phases[phase].calls++;
    clock_state.stack[clock_state.depth++] = phase;
}

void dv_phase_end(void)
{
    if (!clock_state.enabled || !clock_state.depth)
        return;
    charge(now());
    clock_state.depth--;
}

size_t dv_phase_count(void)
{
    return clock_state.count;
}

const char *dv_phase_at(size_t index, double *seconds, uint64_t *calls)
{
    if (index >= clock_state.count)
        return NULL;
    if (seconds)
        *seconds = clock_state.phases[index].seconds;
    if (calls)
        *calls = clock_state.phases[index].calls;
    return clock_state.phases[index].name;
}
