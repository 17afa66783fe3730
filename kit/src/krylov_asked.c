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

/* ---- Slots ---- */

/* Iterations that the slots of a column have room for, and how many slots that are. */
static uint32_t most_ahead(const DvKrylovRows *rows)
{
    return rows->width > 1 ? MOST_AHEAD_OF_COLUMN : MOST_AHEAD;
}

static uint32_t slots_of_part(const DvKrylovRows *rows)
{
    return VALUES + 2 * most_ahead(rows);
}

/* Slots with the values of the last of as many iterations; those before them are full. */
static uint32_t full_of(const DvKrylovRows *rows, uint32_t turns)
{
    return turns > 0 ? (turns - 1) / most_ahead(rows) : 0;
}

size_t krylov_rows_bytes(const DvKrylovRows *rows, uint32_t turns)
{
    const uint32_t full = full_of(rows, turns);
    return ((size_t)full * slots_of_part(rows) + VALUES + 2 * (turns - full * most_ahead(rows))) * sizeof(double);
}

void krylov_rows_set_width(DvKrylovRows *rows, uint32_t width)
{
    rows->recorded = rows->recorded && rows->width == width;
    rows->width = width;
}

void krylov_method_begin(KrylovMethod *method)
{
    const DvKrylovRows *rows = method->space->rows;
    memcpy(method->ids, method->space->ids, sizeof method->ids);
    method->first = rows && rows->pass == KRYLOV_ROWS_ASK ? rows->column * SLOTS_OF_COLUMN : 0;
}

/* ---- Rows that are asked for ---- */

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

/* Iterations, at most as many as slots have room for, and the slots of the first columns. */
static void ask_some(DvKrylovRows *rows, uint32_t turns, uint32_t count, DvAddress to, size_t row_bytes)
{
    DvVectorSpace *device = rows->space;
    const bool first = !rows->recorded && turns > 0;
    if (rows->width == 1)
        device->ops->guard(device, STOP);
    if (first)
        krylov_course_turn(rows->method, rows->width);
    krylov_course_ahead(rows->method, rows->width, turns - first, &rows->recorded);
    device->ops->guard(device, DV_NO_SLOT);
    for (uint32_t i = 0; i < count; i++)
        krylov_course_keep(&rows->method[i], to + i * row_bytes, VALUES + 2 * turns);
}

/* Columns without a row have ended before they begin. */
static void leave_out(DvKrylovRows *rows, uint32_t column)
{
    rows->method[column].first = column * SLOTS_OF_COLUMN;
    rows->space->ops->put_slots(rows->space, rows->method[column].first + STOP, (const double[]){1.0}, 1);
}

bool krylov_rows_ask(const KrylovMethod *method, uint32_t iterations)
{
    DvKrylovRows *rows = method->space->rows;
    if (!rows || rows->pass != KRYLOV_ROWS_ASK)
        return false;
    rows->method[rows->column] = *method;
    rows->asked = turns_of(rows, method->course->batch, iterations);
    rows->pass = KRYLOV_ROWS_ASKED;
    return true;
}

void krylov_rows_go(DvKrylovRows *rows, uint32_t count, DvAddress to, size_t row_bytes)
{
    const uint32_t full = full_of(rows, rows->asked), most = most_ahead(rows);
    for (uint32_t i = count; i < rows->width; i++)
        leave_out(rows, i);
    for (uint32_t i = 0; i < full; i++)
        ask_some(rows, most, count, to + (size_t)i * slots_of_part(rows) * sizeof(double), row_bytes);
    ask_some(rows, rows->asked - full * most, count, to + (size_t)full * slots_of_part(rows) * sizeof(double),
             row_bytes);
}

void krylov_rows_came_home(const DvKrylovRows *rows, double *slots, uint32_t column)
{
    for (uint32_t i = 0; i <= full_of(rows, rows->asked); i++)
        slots[(size_t)i * slots_of_part(rows) + NEXT] -= column * SLOTS_OF_COLUMN;
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
    for (uint32_t i = 0; i <= full_of(rows, rows->asked); i++)
        (void)krylov_course_take(method->course, rows->from + (size_t)i * slots_of_part(rows));
    memcpy(slots, rows->from, VALUES * sizeof *slots);
    return true;
}

bool krylov_rows_is_over(const DvKrylovRows *rows, const double *from, uint32_t iterations)
{
    const double *last = from + (size_t)full_of(rows, rows->asked) * slots_of_part(rows);
    return rows->asked >= iterations || last[STOP] != 0.0 ||
           !(last[NEXT] >= VALUES); /* of a device that is lost, or only counts */
}
