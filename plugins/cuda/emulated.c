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
    bool given, free; /* to be freed once the queue has been done; nobody has it */
} Region;

typedef struct Chunk {
    char *at;
    size_t room, used;
} Chunk;

typedef struct Emulated {
    Device base;
    Region *region;
    uint32_t regions, capacity, chunks;
    Chunk *chunk;
    size_t most, held;
    Queue queue, recording;
    bool records, broken, lost;
    bool exact;            /* dry: counts bytes, not pages... */
    char *next;            /* ...and gives addresses from here on */
    uint64_t calls, fails; /* asked for so far; the one at which it is lost */
    uint64_t turn;         /* launches so far: the order of blocks hangs on it */
} Emulated;

static Emulated *of(Device *device)
{
    return (Emulated *)(void *)device;
}

/* ---- Bodies as blocks ---- */

#define BLOCK_OF(name, phases, numbers, p)                                                                            \
    static void name##_block_##p(const void *args, uint32_t block, bool backwards)                                    \
    {                                                                                                                 \
        double shared[numbers];                                                                                       \
        for (uint32_t phase = 0; phase < (phases); phase++)                                                           \
            for (uint32_t lane = 0; lane < LANES; lane++)                                                             \
                name##_##p((const name##_args_##p *)args, block, backwards ? LANES - 1 - lane : lane, phase, shared); \
    }
#define KERNEL(name, phases, numbers)  \
    BLOCK_OF(name, phases, numbers, d) \
    BLOCK_OF(name, phases, numbers, f)
#include "bodies/list.def"
#undef KERNEL

typedef void (*Block)(const void *args, uint32_t block, bool backwards);
static const Block blocks_of[KERNEL_COUNT][2] = {
#define KERNEL(name, phases, numbers) {name##_block_d, name##_block_f},
#include "bodies/list.def"
#undef KERNEL
};

/* ---- Loss ---- */

/* Another call: whether it is there for it. */
static bool lives(Emulated *device)
{
    if (++device->calls == device->fails) {
        device->lost = true;
        device->queue.used = device->recording.used = 0;
        device_lose(&device->base,
                    "the emulated device is lost to this process: start again, with --no-gpu if it happens again");
    }
    return !device->lost;
}

/* ---- Memory ---- */

static void free_region(Emulated *device, Region *region)
{
    device->held -= region->bytes;
    region->given = false;
    region->free = true;
    if (!device->base.dry)
        (void)madvise(region->at, region->bytes, MADV_DONTNEED); /* zeros again */
}

static void close_device(Device *base)
{
    Emulated *device = of(base);
    for (uint32_t i = 0; i < device->chunks; i++)
        munmap(device->chunk[i].at, device->chunk[i].room);
    dv_free(device->chunk);
    dv_free(device->region);
    dv_free(device->queue.at);
    dv_free(device->recording.at);
    dv_free(device);
}

/* An address that nobody follows. */
static void *take_dry(Emulated *device, size_t bytes)
{
    enum { ALIGNED = 256 };
    void *at = device->next;
    device->next += (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    return at;
}

/* Of one of few chunks, since their rights change with each wait. */
static void *take_of_chunk(Emulated *device, size_t bytes)
{
    enum { LEAST = 64 << 20 };
    Chunk *last = device->chunks ? &device->chunk[device->chunks - 1] : NULL;
    if (!last || last->room - last->used < bytes) {
        const size_t room = bytes > LEAST ? bytes : LEAST;
        void *at = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED)
            return NULL;
        device->chunk = dv_realloc(device->chunk, device->chunks * sizeof(Chunk), (device->chunks + 1) * sizeof(Chunk));
        last = &device->chunk[device->chunks++];
        *last = (Chunk){at, room, 0};
    }
    void *at = last->at + last->used;
    last->used += bytes;
    return at;
}

/* A region of as many bytes that has been given back; or another one. NULL: there is no more memory. */
static Region *find_region(Emulated *device, size_t bytes)
{
    for (uint32_t i = 0; i < device->regions; i++)
        if (device->region[i].free && device->region[i].bytes == bytes)
            return &device->region[i];
    void *at = device->base.dry ? take_dry(device, bytes) : take_of_chunk(device, bytes);
    if (!at)
        return NULL;
    if (device->regions == device->capacity) {
        const uint32_t more = device->capacity ? 2 * device->capacity : 32;
        device->region = dv_realloc(device->region, device->capacity * sizeof(Region), more * sizeof(Region));
        device->capacity = more;
    }
    device->region[device->regions] = (Region){at, bytes, false, true};
    return &device->region[device->regions++];
}

static DvAddress take(Device *base, size_t bytes)
{
    Emulated *device = of(base);
    enum { PAGE = 4096 };
    const size_t rounded = device->exact ? bytes : (bytes + PAGE) / PAGE * PAGE;
    Region *region = device->most && device->held + rounded > device->most ? NULL : find_region(device, rounded);
    if (!region)
        return 0;
    region->free = false;
    device->held += rounded;
    device->base.counts.allocations++;
    device->base.counts.bytes_held = device->held;
    return dv_vector_as_address(region->at);
}

static void allow(const Emulated *device, int rights)
{
    for (uint32_t i = 0; i < device->chunks; i++)
        (void)mprotect(device->chunk[i].at, device->chunk[i].used, rights);
}

static void give(Device *base, DvAddress at)
{
    Emulated *device = of(base);
    device->broken = true;
    for (uint32_t i = 0; i < device->regions; i++)
        if (dv_vector_as_address(device->region[i].at) == at && !device->region[i].free)
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
    if (blocks == 0 || !lives(device))
        return;
    const Command command = {
        .kind = COMMAND_LAUNCH, .kernel = kernel, .precision = precision, .blocks = blocks, .size = size};
    memcpy(queue_add(present_queue(device), &command), args, size);
    device->base.counts.launches += !device->records;
}

static void *put(Device *base, DvAddress to, size_t bytes)
{
    Emulated *device = of(base);
    if (!lives(device))
        device->queue.used = device->recording.used = 0; /* nobody reads it */
    else
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
    if (device->base.dry)
        device->queue.used = 0;
    if (device->queue.used && !device->lost) {
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
    if (device->records || !lives(device))
        return;
    device->base.counts.waits++;
    finish(device);
}

static void get(Device *base, void *to, DvAddress from, size_t bytes)
{
    Emulated *device = of(base);
    wait_for(base);
    if (device->records || device->lost) {
        memset(to, 0, bytes);
        return;
    }
    device->base.counts.bytes_got += bytes;
    if (device->base.dry) {
        memset(to, 0, bytes);
        return;
    }
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
    if (times == 0 || !lives(device))
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

Device *emulated_open(size_t most, uint64_t fails)
{
    Emulated *device = dv_alloc(1, sizeof *device);
    device->base.ops = &ops;
    device->most = most;
    device->fails = fails;
    return &device->base;
}

Device *dry_open(bool exact)
{
    Device *base = emulated_open(0, 0);
    Emulated *device = of(base);
    base->dry = true;
    device->exact = exact;
    device->next = SPACE_AT((uintptr_t)1 << 40);
    return base;
}
