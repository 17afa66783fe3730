/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The service divan.vector-space/1 on a device of this plugin.
 */
#include "device.h"

#include <divan/memory.h>

#include <stdlib.h>
#include <string.h>

static Space *of(DvVectorSpace *space)
{
    return (Space *)(void *)space;
}

/* ---- Which device ---- */

/* --device emulated, cuda (the first of them), cuda:1, emulated:1. */
static const char emulated_name[] = "emulated", cards_name[] = "cuda";

static const char *chosen(void)
{
    const char *device = getenv("DIVAN_DEVICE");
    return device ? device : "";
}

static bool is_chosen(const char *name)
{
    const size_t length = strlen(name);
    return strncmp(chosen(), name, length) == 0 && (chosen()[length] == '\0' || chosen()[length] == ':');
}

static bool emulated_is_chosen(void)
{
    return is_chosen(emulated_name);
}

static bool card_is_chosen(void)
{
    return is_chosen(cards_name);
}

/* The number of the device that is meant, by default 0; -1: what stands there is none. */
static int chosen_number(void)
{
    const char *colon = strchr(chosen(), ':');
    if (!colon)
        return 0;
    char *end;
    const long number = strtol(colon + 1, &end, 10);
    return end == colon + 1 || *end || colon[1] == '-' || number > 999 ? -1 : (int)number;
}

/* Bytes that the device has at most, for trying what becomes of scenes that need more. */
static size_t memory_limit(void)
{
    const char *text = getenv("DIVAN_DEVICE_MEMORY");
    return text ? (size_t)strtoull(text, NULL, 10) : 0;
}

/* The call at which the emulated device is lost, likewise. */
static uint64_t failing_call(void)
{
    const char *text = getenv("DIVAN_DEVICE_LOST");
    return text ? strtoull(text, NULL, 10) : 0;
}

static bool keeps_if(bool is_chosen, const char *word, DvPrecision *precision)
{
    static const char *const kinds[] = {"Vec1", "Vec2", "Vec3", "Vec6", "Rigid2", "Rigid3"};
    static const char prefix[] = "Cuda";
    if (!is_chosen || strncmp(word, prefix, sizeof prefix - 1) != 0)
        return false;
    word += sizeof prefix - 1;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t length = strlen(kinds[i]);
        if (strncmp(word, kinds[i], length) != 0 || (word[length] != 'f' && word[length] != 'd'))
            continue;
        *precision = word[length] == 'f' ? DV_FLOAT : DV_DOUBLE;
        return word[length + 1] == '\0' || strcmp(word + length + 1, "1") == 0;
    }
    return false;
}

static bool emulated_keeps(const char *word, DvPrecision *precision)
{
    return keeps_if(emulated_is_chosen(), word, precision);
}

static bool card_keeps(const char *word, DvPrecision *precision)
{
    return keeps_if(card_is_chosen(), word, precision);
}

static Space **space_of_scene(DvScene *scene)
{
    static const char key = 0;
    return dv_scene_local(scene, &key, sizeof(Space *));
}

/* With DIVAN_DEVICE_DRY one that only counts, for predictions. */
static Device *open_device(bool of_card, DvText *why)
{
    const char *dry = getenv("DIVAN_DEVICE_DRY");
    const int number = is_chosen(of_card ? cards_name : emulated_name) ? chosen_number() : 0;
    if (dry && *dry)
        return dry_open(of_card);
    if (of_card)
        return cuda_open(number, memory_limit(), why);
    if (number < 0) {
        dv_text_add(why, "what stands behind 'emulated:' is no number of a device");
        return NULL;
    }
    return emulated_open(memory_limit(), failing_call()); /* each has memory of its own, whatever the number */
}

/* The one space of a scene: only one device is chosen. */
static DvVectorSpace *open_space(DvScene *scene, const DvVectorSpaceOps *ops, DvSpace number, DvText *why)
{
    Space **at = space_of_scene(scene);
    if (!*at) {
        Device *device = open_device(ops == &space_of_cards_ops, why);
        if (!device)
            return NULL;
        device->about = dv_node_object(dv_scene_root(scene));
        const DvAddress slots = device->ops->take(device, DV_SLOTS * sizeof(double));
        if (!slots) {
            dv_text_add(why, "the device has no memory at all");
            device->ops->close(device);
            return NULL;
        }
        Space *space = dv_alloc(1, sizeof *space);
        *space = (Space){.base = {ops, number}, .scene = scene, .guard = DV_NO_SLOT, .device = device, .slots = slots};
        *at = space;
    }
    (*at)->users++;
    return &(*at)->base;
}

static DvVectorSpace *open_emulated(DvScene *scene, DvSpace number, DvText *why)
{
    return open_space(scene, &space_of_emulated_ops, number, why);
}

static DvVectorSpace *open_card(DvScene *scene, DvSpace number, DvText *why)
{
    return open_space(scene, &space_of_cards_ops, number, why);
}

static void close_space(DvVectorSpace *base)
{
    Space *space = of(base);
    if (--space->users)
        return;
    *space_of_scene(space->scene) = NULL;
    space->device->ops->close(space->device);
    dv_free(space);
}

/* ---- What goes wrong ---- */

void device_lose(Device *device, const char *why)
{
    if (device->fault == DV_OK)
        (void)dv_error(device->about, DV_ERROR_IO, "%s", why);
    device->fault = DV_ERROR_IO;
}

DvAddress device_take(Device *device, size_t bytes)
{
    const DvAddress at = device->fault == DV_ERROR_IO ? 0 : device->ops->take(device, bytes);
    if (!at && device->fault == DV_OK)
        device->fault =
            dv_error(device->about, DV_ERROR_LIMIT,
                     "the device has no memory for %zu bytes more beside the %llu that this scene holds there; "
                     "take fewer points, floats (CudaVec3f), or --no-gpu (`divan check` says what a scene needs)",
                     bytes, (unsigned long long)device->counts.bytes_held);
    return at;
}

static DvStatus fault(const DvVectorSpace *space)
{
    return ((const Space *)(const void *)space)->device->fault;
}

/* ---- Memory and copies ---- */

static DvAddress take(DvVectorSpace *space, size_t bytes)
{
    return device_take(of(space)->device, bytes);
}

static void give(DvVectorSpace *space, DvAddress at)
{
    of(space)->device->ops->give(of(space)->device, at);
}

static void put(DvVectorSpace *space, DvAddress to, const void *from, size_t bytes)
{
    if (bytes)
        memcpy(of(space)->device->ops->put(of(space)->device, to, bytes), from, bytes);
}

static void get(DvVectorSpace *space, void *to, DvAddress from, size_t bytes)
{
    if (bytes)
        of(space)->device->ops->get(of(space)->device, to, from, bytes);
}

static void put_numbers(DvVectorSpace *space, DvAddress to, DvPrecision precision, const double *from, size_t n)
{
    void *at = n ? of(space)->device->ops->put(of(space)->device, to, dv_space_bytes(precision, n)) : NULL;
    if (n && precision == DV_DOUBLE)
        memcpy(at, from, n * sizeof *from);
    for (size_t i = 0; i < n && precision == DV_FLOAT; i++)
        ((float *)at)[i] = (float)from[i];
}

static void get_numbers(DvVectorSpace *space, double *to, DvAddress from, DvPrecision precision, size_t n)
{
    if (n == 0)
        return;
    if (of(space)->device->dry) { /* what is known of them stays */
        char *none = dv_alloc(dv_space_bytes(precision, n), 1);
        of(space)->device->ops->get(of(space)->device, none, from, dv_space_bytes(precision, n));
        dv_free(none);
        return;
    }
    /* Floats come to the end of the room for doubles and are spread from its beginning on. */
    float *floats = (float *)(void *)to + (precision == DV_FLOAT ? n : 0);
    of(space)->device->ops->get(of(space)->device, floats, from, dv_space_bytes(precision, n));
    for (size_t i = 0; i < n && precision == DV_FLOAT; i++) {
        float value;
        memcpy(&value, floats + i, sizeof value);
        to[i] = (double)value;
    }
}

static void put_points(DvVectorSpace *space, DvAddress to, DvPrecision precision, const double *from, uint32_t dim,
                       const uint32_t *points, uint32_t count)
{
    for (uint32_t i = 0; i < count;) {
        uint32_t run = 1;
        while (i + run < count && points[i + run] == points[i] + run)
            run++;
        const size_t first = (size_t)points[i] * dim;
        put_numbers(space, to + dv_space_bytes(precision, first), precision, from + first, (size_t)run * dim);
        i += run;
    }
}

/* Room for points that travel, and their list there; false: there is no memory. */
static bool list_points(Space *space, size_t bytes, const uint32_t *points, uint32_t count)
{
    const size_t list = count * sizeof *points;
    if (space->listed < list) {
        if (space->list)
            space->device->ops->give(space->device, space->list);
        space->list = device_take(space->device, 2 * list);
        space->listed = space->list ? 2 * list : 0;
    }
    if (space->staged_bytes < bytes) {
        if (space->staged)
            space->device->ops->give(space->device, space->staged);
        space->staged = device_take(space->device, 2 * bytes);
        space->staged_bytes = space->staged ? 2 * bytes : 0;
    }
    if (!space->list || !space->staged)
        return false;
    memcpy(space->device->ops->put(space->device, space->list, list), points, list);
    return true;
}

static void get_points(DvVectorSpace *base, double *to, DvAddress from, DvPrecision precision, uint32_t dim,
                       const uint32_t *points, uint32_t count)
{
    Space *space = of(base);
    const size_t n = (size_t)count * dim, first = count ? (size_t)points[0] * dim : 0;
    if (count == 0)
        return;
    if (points[count - 1] - points[0] == count - 1) { /* they follow each other */
        get_numbers(base, to + first, from + dv_space_bytes(precision, first), precision, n);
        return;
    }
    if (!list_points(space, dv_space_bytes(precision, n), points, count))
        return;
    const DvStepMark mark = dv_step_mark();
    double *numbers = dv_step_alloc(n, sizeof *numbers);
    memset(numbers, 0, n * sizeof *numbers);
    SPACE_LAUNCH(space, precision, points_gather, n, .n = n, .from = SPACE_AT(from), .to = SPACE_AT(space->staged),
                 .list = SPACE_AT(space->list), .dim = dim);
    get_numbers(base, numbers, space->staged, precision, n);
    for (uint32_t i = 0; i < count; i++)
        memcpy(to + (size_t)points[i] * dim, numbers + (size_t)i * dim, dim * sizeof *to);
    dv_step_release(mark);
}

static void add_points(DvVectorSpace *base, DvAddress to, DvPrecision precision, const double *from, uint32_t dim,
                       const uint32_t *points, uint32_t count)
{
    Space *space = of(base);
    const size_t n = (size_t)count * dim;
    if (count == 0 || !list_points(space, dv_space_bytes(precision, n), points, count))
        return;
    void *at = space->device->ops->put(space->device, space->staged, dv_space_bytes(precision, n));
    for (size_t i = 0; i < n; i++) {
        const double value = from[(size_t)points[i / dim] * dim + i % dim];
        if (precision == DV_FLOAT)
            ((float *)at)[i] = (float)value;
        else
            ((double *)at)[i] = value;
    }
    SPACE_LAUNCH(space, precision, points_add, n, .n = n, .to = SPACE_AT(to), .from = SPACE_AT(space->staged),
                 .list = SPACE_AT(space->list), .dim = dim);
}

/* ---- Arithmetic ---- */

static void combine_any(Space *space, DvAddress r, DvAddress a, DvAddress b, DvPrecision precision, size_t n, double k,
                        const double *slot)
{
    SPACE_LAUNCH(space, precision, combine, n, .n = n, .r = SPACE_AT(r), .a = SPACE_AT(a), .b = SPACE_AT(b), .k = k,
                 .slot = slot);
}

static void fill(DvVectorSpace *space, DvAddress r, DvPrecision precision, size_t n, double value)
{
    combine_any(of(space), r, 0, 0, precision, n, value, NULL);
}

static void combine(DvVectorSpace *space, DvAddress r, DvAddress a, DvAddress b, DvPrecision precision, size_t n,
                    double k)
{
    combine_any(of(space), r, a, b, precision, n, a || b ? k : 0.0, NULL);
}

static const double *slot_at(const Space *space, uint32_t slot)
{
    return SPACE_AT(space->slots + slot * sizeof(double));
}

static void combine_by(DvVectorSpace *space, DvAddress r, DvAddress a, DvAddress b, DvPrecision precision, size_t n,
                       uint32_t slot, double factor)
{
    combine_any(of(space), r, a, b, precision, n, factor, slot_at(of(space), slot));
}

static void divide(DvVectorSpace *base, DvAddress r, DvAddress a, DvAddress b, DvPrecision precision, size_t n)
{
    Space *space = of(base);
    SPACE_LAUNCH(space, precision, divide, n, .n = n, .r = SPACE_AT(r), .a = SPACE_AT(a), .b = SPACE_AT(b));
}

static void integrate(DvVectorSpace *base, DvAddress r, DvAddress a, DvAddress b, DvPrecision precision,
                      uint32_t points, double k)
{
    Space *space = of(base);
    SPACE_LAUNCH(space, precision, rigid_integrate, points, .n = points, .r = SPACE_AT(r), .a = SPACE_AT(a),
                 .b = SPACE_AT(b), .k = k);
}

static void clear_listed(DvVectorSpace *base, DvAddress r, DvPrecision precision, DvAddress list, uint32_t count)
{
    Space *space = of(base);
    SPACE_LAUNCH(space, precision, clear_listed, count, .n = count, .r = SPACE_AT(r), .list = SPACE_AT(list));
}

static void dot(DvVectorSpace *base, uint32_t slot, bool add, DvAddress a, DvAddress b, DvPrecision precision, size_t n)
{
    Space *space = of(base);
    const size_t parts = (n + LANES * EACH - 1) / (LANES * EACH);
    if (parts > space->partials) {
        if (space->partial)
            space->device->ops->give(space->device, space->partial);
        space->partial = device_take(space->device, parts * sizeof(double));
        space->partials = space->partial ? parts : 0;
        if (!space->partial)
            return;
    }
    SPACE_LAUNCH(space, precision, dot, parts * LANES, .n = n, .a = SPACE_AT(a), .b = SPACE_AT(b),
                 .partial = SPACE_AT(space->partial));
    SPACE_LAUNCH(space, DV_DOUBLE, finish, 1, .n = parts, .partial = SPACE_AT(space->partial),
                 .slot = SPACE_AT(space->slots + slot * sizeof(double)), .add = add);
}

static void calculate(DvVectorSpace *base, const DvSlotStep *steps, uint32_t count)
{
    Space *space = of(base);
    for (uint32_t begin = 0; begin < count; begin += PROGRAM) {
        calculate_args_d args = {.stop = space_guard(space),
                                 .n = count - begin < PROGRAM ? count - begin : PROGRAM,
                                 .slots = SPACE_AT(space->slots),
                                 .most = DV_SLOTS};
        for (uint32_t i = 0; i < args.n; i++)
            args.step[i] = (SlotStep){(uint32_t)steps[begin + i].action, steps[begin + i].r, steps[begin + i].a,
                                      steps[begin + i].b};
        space->device->ops->launch(space->device, KERNEL_calculate, DV_DOUBLE, 1, &args, sizeof args);
    }
}

static void put_slots(DvVectorSpace *space, uint32_t first, const double *values, uint32_t count)
{
    put(space, of(space)->slots + first * sizeof(double), values, count * sizeof(double));
}

static void get_slots(DvVectorSpace *space, uint32_t first, double *values, uint32_t count)
{
    get(space, values, of(space)->slots + first * sizeof(double), count * sizeof(double));
}

static void keep_slots(DvVectorSpace *base, DvAddress to, uint32_t first, uint32_t count)
{
    const Space *space = of(base);
    combine(base, to, space->slots + first * sizeof(double), 0, DV_DOUBLE, count, 0.0);
}

static void keep_points(DvVectorSpace *base, DvAddress to, DvAddress from, DvPrecision precision, uint32_t dim,
                        DvAddress list, uint32_t count)
{
    Space *space = of(base);
    const size_t n = (size_t)count * dim;
    SPACE_LAUNCH(space, precision, points_gather, n, .n = n, .from = SPACE_AT(from), .to = SPACE_AT(to),
                 .list = SPACE_AT(list), .dim = dim);
}

static void range(DvVectorSpace *space, const char *name)
{
    if (of(space)->device->ops->range)
        of(space)->device->ops->range(name);
}

/* ---- Loops ---- */

static void guard(DvVectorSpace *space, uint32_t slot)
{
    of(space)->guard = slot < DV_SLOTS ? slot : DV_NO_SLOT;
}

static void record(DvVectorSpace *space)
{
    of(space)->read_before = of(space)->device->counts.bytes_read;
    of(space)->device->ops->record(of(space)->device);
}

static bool end_record(DvVectorSpace *base)
{
    Space *space = of(base);
    uint64_t *read = &space->device->counts.bytes_read;
    space->read_by_replay = *read - space->read_before;
    *read = space->read_before;
    return space->device->ops->end_record(space->device);
}

static void replay(DvVectorSpace *space, uint32_t times)
{
    of(space)->device->counts.bytes_read += times * of(space)->read_by_replay;
    of(space)->device->ops->replay(of(space)->device, times);
}

static void wait_for_all(DvVectorSpace *space)
{
    of(space)->device->ops->wait(of(space)->device);
}

static const DvSpaceCounts *counts(const DvVectorSpace *space)
{
    return &((const Space *)(const void *)space)->device->counts;
}

#define OF_ALL_DEVICES                                                                                                \
    .close = close_space, .take = take, .give = give, .put = put, .get = get, .put_numbers = put_numbers,             \
    .get_numbers = get_numbers, .put_points = put_points, .get_points = get_points, .fill = fill, .combine = combine, \
    .combine_by = combine_by, .clear_listed = clear_listed, .dot = dot, .calculate = calculate,                       \
    .put_slots = put_slots, .get_slots = get_slots, .guard = guard, .record = record, .end_record = end_record,       \
    .replay = replay, .wait = wait_for_all, .counts = counts, .fault = fault, .integrate = integrate,                 \
    .add_points = add_points, .keep_slots = keep_slots, .keep_points = keep_points, .range = range, .divide = divide

const DvVectorSpaceOps space_of_emulated_ops = {.size = sizeof(DvVectorSpaceOps),
                                                .name = emulated_name,
                                                .keeps = emulated_keeps,
                                                .open = open_emulated,
                                                OF_ALL_DEVICES};
const DvVectorSpaceOps space_of_cards_ops = {
    .size = sizeof(DvVectorSpaceOps), .name = cards_name, .keeps = card_keeps, .open = open_card, OF_ALL_DEVICES};
