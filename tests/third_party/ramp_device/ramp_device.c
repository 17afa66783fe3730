/* SPDX-License-Identifier: MIT
 *
 * A device made outside Divan's tree, on the kernel alone: memory that the host cannot follow, arithmetic there, slots, recordings, and twins of
 * two operators: "diagonal mass", which the kernel knows, and "ramp", of this plugin's own force field. `--device ramp`; template RampVec3d.
 */
#include "ramp.h"

#include <divan/memory.h>
#include <divan/plugin.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNED = 256 };

static Ramp *of(DvVectorSpace *space)
{
    return (Ramp *)(void *)space;
}

/* ---- Which, when ---- */

static bool keeps(const char *word, DvPrecision *precision)
{
    const char *device = getenv("DIVAN_DEVICE");
    *precision = DV_DOUBLE;
    return device && strcmp(device, "ramp") == 0 && strcmp(word, "RampVec3d") == 0;
}

static Ramp **ramp_of(DvScene *scene)
{
    static const char key = 0;
    return dv_scene_local(scene, &key, sizeof(Ramp *));
}

static DvVectorSpace *open_space(DvScene *scene, DvSpace number, DvText *why)
{
    Ramp **at = ramp_of(scene);
    (void)why;
    if (!*at) {
        *at = dv_alloc(1, sizeof **at);
        **at = (Ramp){.base = {&ramp_space, number}, .scene = scene, .guard = DV_NO_SLOT};
    }
    (*at)->users++;
    return &(*at)->base;
}

static void close_space(DvVectorSpace *space)
{
    Ramp *ramp = of(space);
    if (--ramp->users)
        return;
    *ramp_of(ramp->scene) = NULL;
    dv_free(ramp->recording);
    dv_free(ramp);
}

/* ---- Work ---- */

static void run(Ramp *ramp, const Task *task)
{
    if (task->guard == DV_NO_SLOT || ramp->slot[task->guard] == 0.0)
        task->run(ramp, task);
    ramp->counts.launches++;
}

void ramp_do(Ramp *ramp, const Task *task)
{
    Task now = *task;
    now.guard = ramp->guard;
    if (!ramp->records) {
        run(ramp, &now);
        return;
    }
    if (ramp->recorded == ramp->room) {
        const uint32_t room = ramp->room ? 2 * ramp->room : 16;
        ramp->recording = dv_realloc(ramp->recording, ramp->room * sizeof now, room * sizeof now);
        ramp->room = room;
    }
    ramp->recording[ramp->recorded++] = now;
}

static void record(DvVectorSpace *space)
{
    of(space)->records = true;
    of(space)->broken = false;
    of(space)->recorded = 0;
}

static bool end_record(DvVectorSpace *space)
{
    of(space)->records = false;
    return !of(space)->broken;
}

static void replay(DvVectorSpace *space, uint32_t times)
{
    Ramp *ramp = of(space);
    for (uint32_t t = 0; t < times; t++)
        for (uint32_t i = 0; i < ramp->recorded; i++)
            run(ramp, &ramp->recording[i]);
}

static void guard(DvVectorSpace *space, uint32_t slot)
{
    of(space)->guard = slot;
}

/* Whether something is done by the host now; of a recording it cannot be. */
static bool is_now(DvVectorSpace *space)
{
    of(space)->broken = of(space)->broken || of(space)->records;
    return !of(space)->records;
}

/* ---- Memory and copies ---- */

static DvAddress take(DvVectorSpace *space, size_t bytes)
{
    const size_t room = (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    char *block = aligned_alloc(ALIGNED, ALIGNED + room);
    if (!block)
        return 0;
    memset(block, 0, ALIGNED + room);
    memcpy(block, &bytes, sizeof bytes);
    of(space)->counts.allocations++;
    of(space)->counts.bytes_held += bytes;
    return dv_vector_as_address(block + ALIGNED) | HIDDEN;
}

static void give(DvVectorSpace *space, DvAddress at)
{
    char *block = (char *)(void *)ramp_reveal(at) - ALIGNED;
    size_t bytes;
    memcpy(&bytes, block, sizeof bytes);
    of(space)->counts.bytes_held -= bytes;
    (void)is_now(space);
    free(block);
}

static void put(DvVectorSpace *space, DvAddress to, const void *from, size_t bytes)
{
    if (bytes == 0 || !is_now(space))
        return;
    memcpy(ramp_reveal(to), from, bytes);
    of(space)->counts.bytes_put += bytes;
}

static void get(DvVectorSpace *space, void *to, DvAddress from, size_t bytes)
{
    if (bytes == 0 || !is_now(space))
        return;
    memcpy(to, ramp_reveal(from), bytes);
    of(space)->counts.bytes_got += bytes;
    of(space)->counts.waits++;
}

static void put_numbers(DvVectorSpace *space, DvAddress to, DvPrecision precision, const double *from, size_t n)
{
    (void)precision;
    put(space, to, from, n * sizeof *from);
}

static void get_numbers(DvVectorSpace *space, double *to, DvAddress from, DvPrecision precision, size_t n)
{
    (void)precision;
    get(space, to, from, n * sizeof *to);
}

static void put_points(DvVectorSpace *space, DvAddress to, DvPrecision precision, const double *from, uint32_t dim,
                       const uint32_t *points, uint32_t count)
{
    (void)precision;
    for (uint32_t i = 0; i < count; i++)
        put(space, to + (size_t)points[i] * dim * sizeof *from, from + (size_t)points[i] * dim, dim * sizeof *from);
}

static void get_points(DvVectorSpace *space, double *to, DvAddress from, DvPrecision precision, uint32_t dim,
                       const uint32_t *points, uint32_t count)
{
    (void)precision;
    for (uint32_t i = 0; i < count; i++)
        get(space, to + (size_t)points[i] * dim, from + (size_t)points[i] * dim * sizeof *to, dim * sizeof *to);
}

/* ---- Arithmetic ---- */

static void run_fill(Ramp *ramp, const Task *task)
{
    double *r = ramp_reveal(task->r);
    (void)ramp;
    for (size_t i = 0; i < task->n; i++)
        r[i] = task->k;
}

static void fill(DvVectorSpace *space, DvAddress r, DvPrecision precision, size_t n, double value)
{
    (void)precision;
    ramp_do(of(space), &(Task){.run = run_fill, .r = r, .n = n, .k = value});
}

static void run_combine(Ramp *ramp, const Task *task)
{
    double *r = ramp_reveal(task->r);
    const double *a = ramp_reveal(task->a), *b = ramp_reveal(task->b),
                 k = task->slot == DV_NO_SLOT ? task->k : task->k * ramp->slot[task->slot];
    for (size_t i = 0; i < task->n; i++)
        r[i] = (task->a ? a[i] : 0.0) + (task->b ? k * b[i] : 0.0);
}

static void combine(DvVectorSpace *space, DvAddress r, DvAddress a, DvAddress b, DvPrecision precision, size_t n,
                    double k)
{
    (void)precision;
    ramp_do(of(space), &(Task){.run = run_combine, .r = r, .a = a, .b = b, .n = n, .k = k, .slot = DV_NO_SLOT});
}

static void combine_by(DvVectorSpace *space, DvAddress r, DvAddress a, DvAddress b, DvPrecision precision, size_t n,
                       uint32_t slot, double factor)
{
    (void)precision;
    ramp_do(of(space), &(Task){.run = run_combine, .r = r, .a = a, .b = b, .n = n, .k = factor, .slot = slot});
}

static void run_clear(Ramp *ramp, const Task *task)
{
    double *r = ramp_reveal(task->r);
    const uint32_t *list = (const uint32_t *)(const void *)ramp_reveal(task->a);
    (void)ramp;
    for (size_t i = 0; i < task->n; i++)
        r[list[i]] = 0.0;
}

static void clear_listed(DvVectorSpace *space, DvAddress r, DvPrecision precision, DvAddress list, uint32_t count)
{
    (void)precision;
    ramp_do(of(space), &(Task){.run = run_clear, .r = r, .a = list, .n = count});
}

static void run_dot(Ramp *ramp, const Task *task)
{
    const double *a = ramp_reveal(task->a), *b = ramp_reveal(task->b);
    double sum = task->add ? ramp->slot[task->slot] : 0.0;
    for (size_t i = 0; i < task->n; i++)
        sum += a[i] * b[i];
    ramp->slot[task->slot] = sum;
}

static void dot(DvVectorSpace *space, uint32_t slot, bool add, DvAddress a, DvAddress b, DvPrecision precision,
                size_t n)
{
    (void)precision;
    ramp_do(of(space), &(Task){.run = run_dot, .a = a, .b = b, .n = n, .slot = slot, .add = add});
}

/* false: nothing that follows in this program is done. */
static bool calculate_one(double *slot, const DvSlotStep *step)
{
    const double a = slot[step->a], b = slot[step->b];
    double *r = &slot[step->r];
    switch (step->action) {
    case DV_SLOT_COPY:
        *r = a;
        return true;
    case DV_SLOT_ADD:
        *r = a + b;
        return true;
    case DV_SLOT_SUBTRACT:
        *r = a - b;
        return true;
    case DV_SLOT_MULTIPLY:
        *r = a * b;
        return true;
    case DV_SLOT_DIVIDE:
        *r = a / b;
        return true;
    case DV_SLOT_ROOT:
        *r = sqrt(a);
        return true;
    case DV_SLOT_SIZE:
        *r = fabs(a);
        return true;
    case DV_SLOT_KEEP:
        if (*r >= 0.0 && *r < DV_SLOTS) {
            slot[(uint32_t)*r] = a;
            *r += 1.0;
        }
        return true;
    case DV_SLOT_AT_MOST:
    case DV_SLOT_NOT_ABOVE:
        if (step->action == DV_SLOT_AT_MOST ? a <= b : !(a > b)) {
            *r = 1.0;
            return false;
        }
        return true;
    }
    return true;
}

static void run_calculate(Ramp *ramp, const Task *task)
{
    for (uint32_t i = 0; i < task->steps && calculate_one(ramp->slot, &task->step[i]); i++)
        ;
}

static void calculate(DvVectorSpace *space, const DvSlotStep *steps, uint32_t count)
{
    Task task = {.run = run_calculate, .steps = count};
    if (count > MOST_STEPS) /* a program is done as a whole or not at all */
        abort();
    memcpy(task.step, steps, count * sizeof *steps);
    ramp_do(of(space), &task);
}

static void put_slots(DvVectorSpace *space, uint32_t first, const double *values, uint32_t count)
{
    if (is_now(space))
        memcpy(of(space)->slot + first, values, count * sizeof *values);
}

static void get_slots(DvVectorSpace *space, uint32_t first, double *values, uint32_t count)
{
    if (is_now(space))
        memcpy(values, of(space)->slot + first, count * sizeof *values);
    of(space)->counts.waits++;
}

static void wait_for(DvVectorSpace *space)
{
    (void)is_now(space);
    of(space)->counts.waits++;
}

static const DvSpaceCounts *counts(const DvVectorSpace *space)
{
    return &((const Ramp *)(const void *)space)->counts;
}

const DvVectorSpaceOps ramp_space = {
    .size = sizeof(DvVectorSpaceOps),
    .name = "ramp",
    .keeps = keeps,
    .open = open_space,
    .close = close_space,
    .take = take,
    .give = give,
    .put = put,
    .get = get,
    .put_numbers = put_numbers,
    .get_numbers = get_numbers,
    .put_points = put_points,
    .get_points = get_points,
    .fill = fill,
    .combine = combine,
    .combine_by = combine_by,
    .clear_listed = clear_listed,
    .dot = dot,
    .calculate = calculate,
    .put_slots = put_slots,
    .get_slots = get_slots,
    .guard = guard,
    .record = record,
    .end_record = end_record,
    .replay = replay,
    .wait = wait_for,
    .counts = counts,
};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "example.ramp-device",
    .version = "1.0",
    .license = "MIT",
    .help = "A device, an operator and its twin, made outside Divan's tree.",
    .offers = (const DvContract[]){{.id = DV_VECTOR_SPACE, .ops = &ramp_space},
                                   {.id = DV_DEVICE_OPERATORS, .ops = &ramp_operators},
                                   {0}},
    .renames = (const DvRename[]){{DV_RENAME_DOF_TYPE, NULL, "RampVec3d", "Vec3d"}, {0}},
    .classes = (const DvClass *const[]){&ramp_force_field, NULL},
};
