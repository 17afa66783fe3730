/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The emulated device: the bodies that a GPU runs, compiled for the processor. Its memory cannot be touched while code of the host
 * runs, so whoever follows an address of it faults at once; what is asked for is done as late as it may be, and blocks run in an
 * order that is another one each time: results that hang on either show.
 */
#include "queue.h"

#include <sys/mman.h>

typedef struct Region {
    void *at;
    size_t bytes;
    bool given;
} Region;

typedef struct Emulated {
    Device base;
    Region *region;
    uint32_t regions, capacity;
    size_t most, held;
    Queue queue, recording;
    bool records, broken;
    uint64_t turn; /* launches so far: the order of blocks hangs on it */
} Emulated;

static Emulated *of(Device *device)
{
    return (Emulated *)(void *)device;
}

/* ---- Bodies as blocks ---- */

#define BLOCK_OF(name, phases, p)                                                                                     \
    static void name##_block_##p(const void *args, uint32_t block, bool backwards)                                    \
    {                                                                                                                 \
        double shared[LANES];                                                                                         \
        for (uint32_t phase = 0; phase < (phases); phase++)                                                           \
            for (uint32_t lane = 0; lane < LANES; lane++)                                                             \
                name##_##p((const name##_args_##p *)args, block, backwards ? LANES - 1 - lane : lane, phase, shared); \
    }
#define KERNEL(name, phases)  \
    BLOCK_OF(name, phases, d) \
    BLOCK_OF(name, phases, f)
#include "bodies/list.def"
#undef KERNEL

typedef void (*Block)(const void *args, uint32_t block, bool backwards);
static const Block blocks_of[KERNEL_COUNT][2] = {
#define KERNEL(name, phases) {name##_block_d, name##_block_f},
#include "bodies/list.def"
#undef KERNEL
};

/* ---- Memory ---- */

static void free_region(Emulated *device, Region *region)
{
    device->held -= region->bytes;
    munmap(region->at, region->bytes);
    *region = device->region[--device->regions];
}

static void close_device(Device *base)
{
    Emulated *device = of(base);
    while (device->regions)
        free_region(device, &device->region[device->regions - 1]);
    dv_free(device->region);
    dv_free(device->queue.at);
    dv_free(device->recording.at);
    dv_free(device);
}

static DvAddress take(Device *base, size_t bytes)
{
    Emulated *device = of(base);
    enum { PAGE = 4096 };
    const size_t rounded = (bytes + PAGE) / PAGE * PAGE;
    if (device->most && device->held + rounded > device->most)
        return 0;
    void *at = mmap(NULL, rounded, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return 0;
    if (device->regions == device->capacity) {
        const uint32_t more = device->capacity ? 2 * device->capacity : 32;
        device->region = dv_realloc(device->region, device->capacity * sizeof(Region), more * sizeof(Region));
        device->capacity = more;
    }
    device->region[device->regions++] = (Region){at, rounded, false};
    device->held += rounded;
    device->base.counts.allocations++;
    device->base.counts.bytes_held = device->held;
    return dv_vector_as_address(at);
}

static void allow(const Emulated *device, int rights)
{
    for (uint32_t i = 0; i < device->regions; i++)
        (void)mprotect(device->region[i].at, device->region[i].bytes, rights);
}

static void give(Device *base, DvAddress at)
{
    Emulated *device = of(base);
    device->broken = true;
    for (uint32_t i = 0; i < device->regions; i++)
        if (dv_vector_as_address(device->region[i].at) == at)
            device->region[i].given = true;
}

/* ---- The queue ---- */

static Queue *present_queue(Emulated *device)
{
    return device->records ? &device->recording : &device->queue;
}

static void launch(Device *base, KernelNumber kernel, DvPrecision precision, uint64_t blocks, const void *args,
                   size_t size)
{
    Emulated *device = of(base);
    if (blocks == 0)
        return;
    const Command command = {
        .kind = COMMAND_LAUNCH, .kernel = kernel, .precision = precision, .blocks = blocks, .size = size};
    memcpy(queue_add(present_queue(device), &command), args, size);
    device->base.counts.launches += !device->records;
}

static void *put(Device *base, DvAddress to, size_t bytes)
{
    Emulated *device = of(base);
    device->base.counts.bytes_put += device->records ? 0 : bytes;
    return queue_add(present_queue(device), &(Command){.kind = COMMAND_PUT, .to = to, .size = bytes});
}

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* All blocks, each once: from somewhere on, in strides that have no divisor in common with their number. */
static void run_blocks(Emulated *device, const Command *command, const void *args)
{
    const double *const *stop = args;
    if (*stop && **stop != 0.0)
        return;
    const Block block = blocks_of[command->kernel][command->precision == DV_FLOAT];
    const uint64_t n = command->blocks, turn = ++device->turn;
    uint64_t stride = 1 + turn * 2654435761u % n, at = turn * 40503u % n;
    while (greatest_divisor(stride, n) != 1)
        stride++;
    for (uint64_t i = 0; i < n; i++, at = (at + stride) % n)
        block(args, (uint32_t)at, turn & 1);
}

static void run(Emulated *device, const Queue *queue)
{
    size_t at = 0;
    for (const Command *command; (command = queue_next(queue, &at));) {
        const void *after = command + 1;
        if (command->kind == COMMAND_LAUNCH)
            run_blocks(device, command, after);
        else if (command->kind == COMMAND_PUT)
            memcpy((void *)(uintptr_t)command->to, after, command->size);
        for (uint32_t i = 0; command->kind == COMMAND_REPLAY && i < command->times; i++)
            run(device, &device->recording);
    }
}

/* Does all that has been asked for; memory that was given back goes. */
static void finish(Emulated *device)
{
    if (device->queue.used) {
        allow(device, PROT_READ | PROT_WRITE);
        run(device, &device->queue);
        allow(device, PROT_NONE);
        device->queue.used = 0;
    }
    for (uint32_t i = device->regions; i-- > 0;)
        if (device->region[i].given)
            free_region(device, &device->region[i]);
    device->base.counts.bytes_held = device->held;
}

static void wait_for(Device *base)
{
    Emulated *device = of(base);
    device->broken = device->records;
    if (device->records)
        return;
    device->base.counts.waits++;
    finish(device);
}

static void get(Device *base, void *to, DvAddress from, size_t bytes)
{
    Emulated *device = of(base);
    wait_for(base);
    if (device->records) {
        memset(to, 0, bytes);
        return;
    }
    device->base.counts.bytes_got += bytes;
    allow(device, PROT_READ);
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    allow(device, PROT_NONE);
}

/* ---- Recordings ---- */

static void record(Device *base)
{
    Emulated *device = of(base);
    finish(device); /* it may hold repetitions of the last recording */
    device->recording.used = 0;
    device->records = true;
    device->broken = false;
}

static bool end_record(Device *base)
{
    Emulated *device = of(base);
    device->records = false;
    if (device->broken)
        device->recording.used = 0;
    return !device->broken;
}

static void replay(Device *base, uint32_t times)
{
    Emulated *device = of(base);
    if (times == 0)
        return;
    (void)queue_add(&device->queue, &(Command){.kind = COMMAND_REPLAY, .times = times});
    device->base.counts.launches += times;
}

static const DeviceOps ops = {
    .close = close_device,
    .take = take,
    .give = give,
    .launch = launch,
    .put = put,
    .get = get,
    .wait = wait_for,
    .record = record,
    .end_record = end_record,
    .replay = replay,
};

Device *emulated_open(size_t most)
{
    Emulated *device = dv_alloc(1, sizeof *device);
    device->base.ops = &ops;
    device->most = most;
    return &device->base;
}
