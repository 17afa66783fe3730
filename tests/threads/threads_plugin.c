/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CallingLoop: an animation loop of which a step is one call of a function of the test; info says so when printLog is true.
 */
#include "threads_plugin.h"

#include <divan/contracts/solver.h>
#include <divan/divan.h>

typedef struct CallingLoop {
    DvData value;
    void (*call)(void *context);
    void *context;
} CallingLoop;

static void set(void *object_self, void (*call)(void *), void *context)
{
    CallingLoop *self = object_self;
    self->call = call;
    self->context = context;
}

static DvStatus step(void *object_self, double dt)
{
    CallingLoop *self = object_self;
    (void)dt;
    dv_info(dv_object_of(self), "a step of %s", "this loop");
    if (self->call)
        self->call(self->context);
    return DV_OK;
}

static const DvField fields[] = {
    DV_FIELD(CallingLoop, value, "value", dv_type_double, .init = "1", .help = "something to write"),
    {0},
};

static const CallerOps caller_ops = {.size = sizeof caller_ops, .set = set};
static const DvAnimationLoopOps loop_ops = {.size = sizeof loop_ops, .step = step};

static const DvClass calling_loop = {
    .size = sizeof(DvClass),
    .name = "CallingLoop",
    .family = "test",
    .help = "Calls a function of the test.",
    .instance_size = sizeof(CallingLoop),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_ANIMATION_LOOP, .ops = &loop_ops, .slot = true},
                                      {.id = TEST_CALLER, .ops = &caller_ops},
                                      {0}},
};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "test.threads",
    .version = "1",
    .license = "LGPL-2.1-or-later",
    .help = "A class for the tests of threads.",
    .classes = (const DvClass *const[]){&calling_loop, NULL},
};
