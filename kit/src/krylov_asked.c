/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "krylov_rows.h"

#include <divan/memory.h>

#include <string.h>

static void forget(DvKrylovRows *rows)
{
    if (!rows->space)
        return;
    const DvVectorSpaceOps *ops = rows->space->ops;
    if (rows->store)
        ops->give(rows->space, rows->store);
    if (rows->list)
        ops->give(rows->space, rows->list);
    ops->close(rows->space);
    *rows = (DvKrylovRows){.expected = rows->expected};
}

void krylov_rows_free(DvKrylovSpace *space)
{
    if (!space->rows)
        return;
    forget(space->rows);
    dv_free(space->rows);
    space->rows = NULL;
}

bool krylov_rows_begin(DvKrylovSpace *space)
{
    const DvStorage storage = space->ops->storage ? space->ops->storage(space->m) : (DvStorage){NULL, DV_DOUBLE};
    const DvVectorSpace *device = storage.space;
    if (!device || device->ops->size <= offsetof(DvVectorSpaceOps, keep_points) || !device->ops->keep_slots ||
        !device->ops->keep_points)
        return false;
    if (!space->rows) {
        space->rows = dv_alloc(1, sizeof *space->rows);
        *space->rows = (DvKrylovRows){.space = NULL};
    }
    DvKrylovRows *rows = space->rows;
    DvText why = {0};
    if (rows->space != device) {
        forget(rows);
        rows->space = device->ops->open(dv_node_scene(dv_object_node(space->state[0].object)), device->number, &why);
    }
    dv_text_free(&why);
    rows->precision = storage.precision;
    rows->recorded = false;
    rows->pass = KRYLOV_ROWS_NONE;
    return rows->space != NULL;
}

bool krylov_rows_reserve(DvKrylovRows *rows, DvAddress *at, size_t *has, size_t bytes)
{
    if (bytes <= *has)
        return true;
    if (*at)
        rows->space->ops->give(rows->space, *at);
    *has = 0;
    *at = rows->space->ops->take(rows->space, bytes + bytes / 2);
    if (*at)
        *has = bytes + bytes / 2;
    return *at != 0;
}

/* Slots with the values of the last of as many iterations; those before them are full. */
static uint32_t full_of(uint32_t turns)
{
    return turns > 0 ? (turns - 1) / MOST_AHEAD : 0;
}

static uint32_t slots_of(uint32_t turns)
{
    return VALUES + 2 * (turns - full_of(turns) * MOST_AHEAD);
}

size_t krylov_rows_bytes(uint32_t turns)
{
    return ((size_t)full_of(turns) * DV_SLOTS + slots_of(turns)) * sizeof(double);
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* As a batch says, when one has been given: then twice as many each time. */
static uint32_t turns_of(const DvKrylovRows *rows, uint32_t batch, uint32_t iterations)
{
    const uint32_t turns = smaller(rows->turns, iterations);
    return batch && rows->round < 32 && (uint64_t)batch << rows->round < turns ? batch << rows->round : turns;
}

/* Iterations, at most as many as slots have room for, and these slots. */
static void ask_some(const KrylovMethod *method, uint32_t count, DvAddress to)
{
    DvKrylovRows *rows = method->space->rows;
    DvVectorSpace *device = rows->space;
    const bool first = !rows->recorded && count > 0;
    if (first)
        method->turn(method);
    krylov_course_ahead(method, count - first, &rows->recorded);
    device->ops->guard(device, DV_NO_SLOT);
    device->ops->keep_slots(device, to, 0, VALUES + 2 * count);
    device->ops->put_slots(device, NEXT, (const double[]){VALUES}, 1);
    device->ops->guard(device, STOP);
}

bool krylov_rows_ask(const KrylovMethod *method, uint32_t iterations)
{
    DvKrylovRows *rows = method->space->rows;
    if (!rows || rows->pass != KRYLOV_ROWS_ASK)
        return false;
    const uint32_t turns = turns_of(rows, method->course->batch, iterations), full = full_of(turns);
    DvAddress to = rows->to;
    for (uint32_t i = 0; i < full; i++, to += DV_SLOTS * sizeof(double))
        ask_some(method, MOST_AHEAD, to);
    ask_some(method, turns - full * MOST_AHEAD, to);
    rows->space->ops->guard(rows->space, DV_NO_SLOT);
    rows->asked = turns;
    rows->pass = KRYLOV_ROWS_ASKED;
    return true;
}

bool dv_krylov_is_asked(const DvKrylovSpace *space)
{
    return space->rows && space->rows->pass == KRYLOV_ROWS_ASKED;
}

bool krylov_rows_take(const KrylovMethod *method, double slots[DV_SLOTS])
{
    const DvKrylovRows *rows = method->space->rows;
    if (!rows || rows->pass != KRYLOV_ROWS_TAKE)
        return false;
    for (uint32_t i = 0; i <= full_of(rows->asked); i++)
        (void)krylov_course_take(method->course, rows->from + (size_t)i * DV_SLOTS);
    memcpy(slots, rows->from, VALUES * sizeof *slots);
    return true;
}

bool krylov_rows_is_over(const DvKrylovRows *rows, const double *from, uint32_t iterations)
{
    const double *last = from + (size_t)full_of(rows->asked) * DV_SLOTS;
    return rows->asked >= iterations || last[STOP] != 0.0 ||
           !(last[NEXT] >= VALUES); /* of a device that is lost, or only counts */
}
