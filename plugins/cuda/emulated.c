/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The emulated device: the bodies that a GPU runs, compiled for the processor. Its memory cannot be touched while code of the host
 * runs, so whoever follows an address of it faults at once; what is asked for is done as late as it may be, and blocks run in an
 * order that is another one each time: results that hang on either show.
 */
#include "device.h"

#include <divan/memory.h>

#include <string.h>
#include <sys/mman.h>

typedef struct Region {
    void *at;
    size_t bytes;
    bool given;
} Region;

typedef enum CommandKind { COMMAND_LAUNCH, COMMAND_PUT, COMMAND_REPLAY } CommandKind;

/* In a queue, followed by `size` bytes: arguments, or what is copied. */
typedef struct Command {
    CommandKind kind;
    KernelNumber kernel;
    DvPrecision precision;
    uint32_t times;
    uint64_t blocks;
    DvAddress to;
    size_t size;
} Command;

typedef struct Queue {
    char *at;
    size_t used, room;
} Queue;

struct Device {
    Region *region;
    uint32_t regions, capacity;
    size_t most, held;
    Queue queue, recording;
    bool records, broken;
    uint64_t turn; /* launches so far: the order of blocks hangs on it */
    DvSpaceCounts counts;
};

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

Device *device_open(size_t most)
{
    Device *device = dv_alloc(1, sizeof *device);
    device->most = most;
    return device;
}

static void free_region(Device *device, Region *region)
{
    device->held -= region->bytes;
    munmap(region->at, region->bytes);
    *region = device->region[--device->regions];
}

void device_close(Device *device)
{
    while (device->regions)
        free_region(device, &device->region[device->regions - 1]);
    dv_free(device->region);
    dv_free(device->queue.at);
    dv_free(device->recording.at);
    dv_free(device);
}

DvAddress device_take(Device *device, size_t bytes)
{
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
    device->counts.allocations++;
    device->counts.bytes_held = device->held;
    return dv_vector_as_address(at);
}

static void allow(const Device *device, int rights)
{
    for (uint32_t i = 0; i < device->regions; i++)
        (void)mprotect(device->region[i].at, device->region[i].bytes, rights);
}

void device_give(Device *device, DvAddress at)
{
    device->broken = true;
    for (uint32_t i = 0; i < device->regions; i++)
        if (dv_vector_as_address(device->region[i].at) == at)
            device->region[i].given = true;
}

/* ---- The queue ---- */

static void *add(Queue *queue, const Command *command)
{
    enum { ALIGNED = 16 };
    const size_t size = (sizeof *command + command->size + ALIGNED - 1) / ALIGNED * ALIGNED;
    if (queue->used + size > queue->room) {
        const size_t more = 2 * (queue->used + size) + 65536;
        queue->at = dv_realloc(queue->at, queue->room, more);
        queue->room = more;
    }
    char *at = queue->at + queue->used;
    memcpy(at, command, sizeof *command);
    queue->used += size;
    return at + sizeof *command;
}

static Queue *present_queue(Device *device)
{
    return device->records ? &device->recording : &device->queue;
}

void device_launch(Device *device, KernelNumber kernel, DvPrecision precision, uint64_t blocks, const void *args,
                   size_t size)
{
    if (blocks == 0)
        return;
    const Command command = {
        .kind = COMMAND_LAUNCH, .kernel = kernel, .precision = precision, .blocks = blocks, .size = size};
    memcpy(add(present_queue(device), &command), args, size);
    device->counts.launches += !device->records;
}

void *device_put(Device *device, DvAddress to, size_t bytes)
{
    device->counts.bytes_put += device->records ? 0 : bytes;
    return add(present_queue(device), &(Command){.kind = COMMAND_PUT, .to = to, .size = bytes});
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
static void run_blocks(Device *device, const Command *command, const void *args)
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

static void run(Device *device, const Queue *queue)
{
    for (size_t at = 0; at < queue->used;) {
        enum { ALIGNED = 16 };
        const Command *command = (const Command *)(const void *)(queue->at + at);
        const void *after = command + 1;
        if (command->kind == COMMAND_LAUNCH)
            run_blocks(device, command, after);
        else if (command->kind == COMMAND_PUT)
            memcpy((void *)(uintptr_t)command->to, after, command->size);
        for (uint32_t i = 0; command->kind == COMMAND_REPLAY && i < command->times; i++)
            run(device, &device->recording);
        at += (sizeof *command + command->size + ALIGNED - 1) / ALIGNED * ALIGNED;
    }
}

/* Does all that has been asked for; memory that was given back goes. */
static void finish(Device *device)
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
    device->counts.bytes_held = device->held;
}

void device_wait(Device *device)
{
    device->broken = device->records;
    if (device->records)
        return;
    device->counts.waits++;
    finish(device);
}

void device_get(Device *device, void *to, DvAddress from, size_t bytes)
{
    device_wait(device);
    if (device->records) {
        memset(to, 0, bytes);
        return;
    }
    device->counts.bytes_got += bytes;
    allow(device, PROT_READ);
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    allow(device, PROT_NONE);
}

/* ---- Recordings ---- */

void device_record(Device *device)
{
    finish(device); /* it may hold repetitions of the last recording */
    device->recording.used = 0;
    device->records = true;
    device->broken = false;
}

bool device_end_record(Device *device)
{
    device->records = false;
    if (device->broken)
        device->recording.used = 0;
    return !device->broken;
}

void device_replay(Device *device, uint32_t times)
{
    if (times == 0)
        return;
    (void)add(&device->queue, &(Command){.kind = COMMAND_REPLAY, .times = times});
    device->counts.launches += times;
}

DvSpaceCounts *device_counts(Device *device)
{
    return &device->counts;
}
