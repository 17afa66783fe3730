/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A device as its plugin sees it: memory, and a queue of kernels and copies that are done in order, when the host waits. It is emulated, by
 * the processor, with memory that the host cannot read while its own code runs (emulated.c), or a card (card.c).
 */
#ifndef DIVAN_CUDA_DEVICE_H
#define DIVAN_CUDA_DEVICE_H

#include <divan/contracts/operator.h>

#include "bodies/all.h"

typedef struct Device Device;

typedef struct DeviceOps {
    void (*close)(Device *device);
    DvAddress (*take)(Device *device, size_t bytes); /* of zeros; 0: there is no more */
    void (*give)(Device *device, DvAddress at);      /* once the queue has been done */
    /* Arguments are copied; their first member is the guard. */
    void (*launch)(Device *device, KernelNumber kernel, DvPrecision precision, uint64_t blocks, const void *args,
                   size_t size);
    /* Room in the queue for what is to be copied to the device: filled by the caller at once. */
    void *(*put)(Device *device, DvAddress to, size_t bytes);
    void (*get)(Device *device, void *to, DvAddress from, size_t bytes); /* waits; of a device that is lost: zeros */
    void (*wait)(Device *device);
    void (*record)(Device *device);
    bool (*end_record)(Device *device);
    void (*replay)(Device *device, uint32_t times);
    void (*range)(const char *name); /* or NULL: no profiler listens to it; DvVectorSpaceOps.range */
} DeviceOps;

struct Device {
    const DeviceOps *ops;
    const DvObject *about; /* what errors of it are said of */
    DvStatus fault;        /* DvVectorSpaceOps.fault */
    bool dry; /* nothing is done, it is only counted; numbers that are fetched stay as they are, the rest is zeros */
    DvSpaceCounts counts;
};

/* Says why nothing is done there any more, unless something has been said. */
void device_lose(Device *device, const char *why);
/* Memory; 0: there is no more, which is said the first time. */
DvAddress device_take(Device *device, size_t bytes);

/* `most`: bytes that it has; 0: what the machine has. `fails`: the call at which it is lost; 0: none. */
Device *emulated_open(size_t most, uint64_t fails);
/* One that only counts. `exact`: bytes as a card has them, not whole pages. */
Device *dry_open(bool exact);
/* The card of a number. NULL: it cannot be used, with the reason and what helps.     [main] */
Device *cuda_open(int number, size_t most, DvText *why);

/* A space of this plugin. */
typedef struct Space {
    DvVectorSpace base;
    DvScene *scene;
    uint32_t users;
    Device *device;
    DvAddress slots, partial; /* DV_SLOTS doubles; parts of sums */
    size_t partials;
    DvAddress list, staged; /* of points that travel, and their numbers */
    size_t listed, staged_bytes;
    uint32_t guard;
    uint64_t read_before, read_by_replay; /* bytes of operators: before a recording; in each repetition of it */
} Space;

extern const DvVectorSpaceOps space_of_emulated_ops, space_of_cards_ops;
extern const DvDeviceOperatorsOps space_operators;

static inline const double *space_guard(const Space *space)
{
    return space->guard == DV_NO_SLOT ? NULL
                                      : (const double *)(uintptr_t)(space->slots + space->guard * sizeof(double));
}
static inline uint64_t space_blocks(uint64_t n)
{
    return (n + LANES - 1) / LANES;
}

/* A product has been asked for that reads so much of its operator. */
static inline void space_reads(Space *space, uint64_t bytes)
{
    space->device->counts.bytes_read += bytes;
}

/* Launches a kernel in a precision with the arguments that are given: members of both precisions have the same names, and addresses
 * in the place of pointers fit both. */
#define SPACE_AT(address) ((void *)(uintptr_t)(address))
#define SPACE_LAUNCH(space, precision, name, count, ...)                                                        \
    do {                                                                                                        \
        if ((precision) == DV_FLOAT) {                                                                          \
            name##_args_f args = {.stop = space_guard(space), __VA_ARGS__};                                     \
            (space)->device->ops->launch((space)->device, KERNEL_##name, DV_FLOAT, space_blocks(count), &args,  \
                                         sizeof args);                                                          \
        } else {                                                                                                \
            name##_args_d args = {.stop = space_guard(space), __VA_ARGS__};                                     \
            (space)->device->ops->launch((space)->device, KERNEL_##name, DV_DOUBLE, space_blocks(count), &args, \
                                         sizeof args);                                                          \
        }                                                                                                       \
    } while (0)

#endif
