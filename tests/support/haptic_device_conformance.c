/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "haptic_device_conformance.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include <divan/memory.h>

enum { TICKS = 200, STARTS = 100 };

static void facts_make_sense(const DvHapticDeviceOps *ops, void *self, DvHapticFacts *facts)
{
    ops->facts(self, facts);
    assert_true(facts->sensed <= 6);
    assert_true(facts->driven == 0 || facts->driven == 3 || facts->driven == 6);
    assert_true(facts->buttons <= 32);
    assert_true(facts->continuous_force >= 0 && facts->continuous_torque >= 0);
    assert_true(facts->peak_force == 0 || facts->peak_force >= facts->continuous_force);
    assert_true(facts->peak_torque == 0 || facts->peak_torque >= facts->continuous_torque);
    assert_true(facts->stiffness >= 0 && facts->damping >= 0 && facts->inertia >= 0 && facts->rate >= 0);
    assert_true(facts->resolution >= 0 && isfinite(facts->resolution));
    for (int c = 0; c < 3; c++)
        assert_true(facts->workspace[0][c] <= facts->workspace[1][c]);
    DvHapticPlacement at;
    ops->placement(self, &at);
    assert_true(at.scale * at.unit > 0 && at.force_scale >= 0);
    const double *q[] = {at.orientation_base, at.orientation_tool};
    for (int i = 0; i < 2; i++)
        assert_true(fabs(q[i][0] * q[i][0] + q[i][1] * q[i][1] + q[i][2] * q[i][2] + q[i][3] * q[i][3] - 1) < 1e-9);
}

static void is_a_pose(const DvHapticPose *pose)
{
    const double *q = pose->orientation;
    for (int c = 0; c < 3; c++)
        assert_true(isfinite(pose->position[c]) && isfinite(pose->velocity[c]) && isfinite(pose->angular_velocity[c]));
    assert_true(fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1) < 1e-6);
}

/* A run under a force that comes and goes. */
static void run(const DvHapticDeviceOps *ops, void *self, const DvHapticFacts *facts, DvHapticPose poses[TICKS])
{
    const double each = facts->rate > 0 ? 1 / facts->rate : 1e-3, most = facts->peak_force > 0 ? facts->peak_force : 1;
    assert_int_equal(ops->start(self, NULL, NULL), DV_OK);
    assert_int_equal(ops->state(self, NULL), DV_HAPTIC_RUNNING);
    const uint64_t allocations = dv_allocation_count();
    for (int i = 0; i < TICKS; i++) {
        memset(&poses[i], 0, sizeof poses[i]);
        assert_true(ops->read(self, each * i, &poses[i]));
        is_a_pose(&poses[i]);
        const DvHapticForce force = {.force = {most * sin(0.1 * i), 0, 0.5 * most * (i % 7 == 0)}};
        assert_true(ops->write(self, each * i, &force));
    }
    assert_int_equal(dv_allocation_count(), allocations);
    ops->stop(self);
    const char *reason = "";
    assert_int_not_equal(ops->state(self, &reason), DV_HAPTIC_RUNNING);
}

static void asked(const DvHapticDeviceOps *ops, void *self, const DvHapticFacts *facts)
{
    static DvHapticPose first[TICKS], second[TICKS];
    assert_non_null(ops->write);
    run(ops, self, facts, first);
    run(ops, self, facts, second);
    if (facts->repeats)
        assert_memory_equal(first, second, sizeof first);
}

typedef struct Calls {
    unsigned number; /* atomic */
    bool stopped;
    unsigned late;
} Calls;

static void count_call(void *context, const DvHapticPose *pose, DvHapticForce *force)
{
    Calls *calls = context;
    (void)pose;
    memset(force, 0, sizeof *force);
    if (__atomic_load_n(&calls->stopped, __ATOMIC_SEQ_CST))
        __atomic_fetch_add(&calls->late, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&calls->number, 1, __ATOMIC_SEQ_CST);
}

static void wait_ms(long ms)
{
    const struct timespec time = {.tv_nsec = 1000000 * ms};
    (void)nanosleep(&time, NULL);
}

static void calls_back(const DvHapticDeviceOps *ops, void *self)
{
    Calls calls = {0};
    assert_null(ops->write);
    assert_int_equal(ops->start(self, count_call, &calls), DV_OK);
    for (int i = 0; i < 200 && __atomic_load_n(&calls.number, __ATOMIC_SEQ_CST) < 3; i++)
        wait_ms(10);
    assert_true(__atomic_load_n(&calls.number, __ATOMIC_SEQ_CST) >= 3);
    ops->stop(self);
    __atomic_store_n(&calls.stopped, true, __ATOMIC_SEQ_CST);
    wait_ms(20);
    assert_int_equal(calls.late, 0);
}

void haptic_device_conforms(DvObject *device)
{
    const DvHapticDeviceOps *ops = dv_object_ops(device, DV_HAPTIC_DEVICE);
    void *self = dv_object_self(device);
    assert_non_null(ops);
    DvHapticFacts facts;
    facts_make_sense(ops, self, &facts);
    assert_int_not_equal(ops->state(self, NULL), DV_HAPTIC_ABSENT);
    if (ops->read)
        asked(ops, self, &facts);
    else
        calls_back(ops, self);
    Calls calls = {0};
    for (int i = 0; i < STARTS; i++) {
        assert_int_equal(ops->start(self, ops->read ? NULL : count_call, &calls), DV_OK);
        ops->stop(self);
    }
    ops->stop(self); /* once more does no harm */
}
