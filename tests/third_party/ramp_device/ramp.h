/* SPDX-License-Identifier: MIT
 *
 * What the device and its twins share: work to be done, and addresses that the host cannot follow.
 */
#ifndef RAMP_H
#define RAMP_H

#include <divan/contracts/operator.h>

enum { MOST_STEPS = 8 };

typedef struct Ramp Ramp;

/* One thing to do. Addresses are hidden; r gets, a and b give. */
typedef struct Task {
    void (*run)(Ramp *ramp, const struct Task *task);
    uint32_t guard, slot, steps;
    DvAddress r, a, b;
    size_t n;
    double k;
    bool add;
    const void *twin;
    DvSlotStep step[MOST_STEPS];
} Task;

struct Ramp {
    DvVectorSpace base;
    DvScene *scene;
    uint32_t users, guard;
    double slot[DV_SLOTS];
    DvSpaceCounts counts;
    Task *recording;
    uint32_t recorded, room;
    bool records, broken;
};

/* An address is the place in memory with a bit that no pointer has. */
#define HIDDEN (1ull << 62)
static inline double *ramp_reveal(DvAddress at)
{
    return dv_address_as_vector(at & ~HIDDEN);
}

extern const DvVectorSpaceOps ramp_space;
extern const DvDeviceOperatorsOps ramp_operators;
extern const DvClass ramp_force_field;

/* Does it now, or keeps it in the recording. */
void ramp_do(Ramp *ramp, const Task *task);

#endif
