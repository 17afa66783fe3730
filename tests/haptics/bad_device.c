/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bad_device.h"

#include <math.h>

#include <divan/contracts/haptic_device.h>
#include <divan/contracts/lagrangian_constraint.h>
#include <divan/plugin.h>

static double random_number(BadDevice *self)
{
    self->random_state = self->random_state * 1664525u + 1013904223u;
    const uint32_t bits = self->random_state >> 8;
    switch (bits % 7) {
    case 0:
        return NAN;
    case 1:
        return INFINITY;
    case 2:
        return -1e300;
    default:
        return ((double)bits - 8388608.0) * 1e-8;
    }
}

static void facts(void *self, DvHapticFacts *out)
{
    (void)self;
    *out = (DvHapticFacts){.sensed = 6,
                           .driven = 6,
                           .peak_force = PEAK,
                           .peak_torque = PEAK,
                           .stiffness = 300,
                           .angular_stiffness = 1,
                           .rate = 10000,
                           .repeats = true};
}

static void placement(void *self, DvHapticPlacement *out)
{
    (void)self;
    *out = (DvHapticPlacement){.orientation_base = {0, 0, 0, 1},
                               .orientation_tool = {0, 0, 0, 1},
                               .scale = 1,
                               .unit = 1,
                               .force_scale = 1,
                               .clutch = -1};
}

static DvStatus start(void *self, DvHapticTick tick, void *context)
{
    (void)self;
    (void)tick;
    (void)context;
    return DV_OK;
}

static void stop(void *self)
{
    (void)self;
}

static DvHapticState state_of(void *self, const char **reason)
{
    (void)self;
    if (reason)
        *reason = NULL;
    return DV_HAPTIC_RUNNING;
}

static bool read_pose(void *self_, double time, DvHapticPose *pose)
{
    BadDevice *self = self_;
    *pose = (DvHapticPose){.position = {0.005, 0, 0}, .orientation = {0, 0, 0, 1}, .time = time};
    self->read_so_far++;
    if (self->kind == GARBAGE || (self->kind == NOTHING && self->read_so_far > 200)) {
        for (int c = 0; c < 3; c++)
            pose->position[c] = self->kind == GARBAGE ? random_number(self) : NAN;
        for (int c = 0; self->kind == GARBAGE && c < 4; c++)
            pose->orientation[c] = random_number(self);
        for (int c = 0; self->kind == GARBAGE && c < 3; c++)
            pose->velocity[c] = random_number(self);
        pose->has_velocity = self->kind == GARBAGE;
        pose->buttons = self->random_state;
    }
    return self->kind != SOMETIMES_NOTHING || self->read_so_far % 3 != 0;
}

static bool write_force(void *self_, double time, const DvHapticForce *force)
{
    BadDevice *self = self_;
    (void)time;
    const double sizes[2] = {hypot(hypot(force->force[0], force->force[1]), force->force[2]),
                             hypot(hypot(force->torque[0], force->torque[1]), force->torque[2])};
    for (int i = 0; i < 2; i++)
        self->largest = isfinite(sizes[i]) ? fmax(self->largest, sizes[i]) : INFINITY;
    self->written++;
    return true;
}

static const DvHapticDeviceOps ops = {.size = sizeof ops,
                                      .facts = facts,
                                      .placement = placement,
                                      .start = start,
                                      .stop = stop,
                                      .state = state_of,
                                      .read = read_pose,
                                      .write = write_force};
static const DvField fields[] = {DV_FIELD(BadDevice, unused, "unused", dv_type_bool, .help = "nothing"), {0}};
static const DvClass bad_device = {.size = sizeof(DvClass),
                                   .name = "BadDevice",
                                   .help = "says whatever",
                                   .instance_size = sizeof(BadDevice),
                                   .fields = fields,
                                   .contracts = (const DvContract[]){{.id = DV_HAPTIC_DEVICE, .ops = &ops}, {0}}};

/* ---- A constraint with a law that only this plugin knows: a brake along z ---- */

typedef struct Brake {
    DvData unused;
    DvStateRef state;
    DvVecId begin;
} Brake;

static DvStatus init_brake(DvObject *object, void *self_)
{
    Brake *self = self_;
    DvObject *state = dv_node_context(dv_object_node(object), DV_STATE);
    self->state = state ? dv_state_ref(state) : (DvStateRef){0};
    return state ? dv_object_require(object, state) : dv_error(object, DV_ERROR_MISSING, "no state");
}

static uint32_t states_of_brake(void *self_, DvObject **list, uint32_t capacity)
{
    const Brake *self = self_;
    if (capacity > 0)
        list[0] = self->state.object;
    return 1;
}

static void resolve(const DvConstraintBlock *block, const double *w, double *d, double *lambda)
{
    *lambda = fmax(-block->p[0], fmin(block->p[0], *lambda - *d / *w));
}

static const DvOwnLaw brake_law = {.resolve = resolve};

static DvStatus build_brake(void *self_, const DvStep *step, DvConstraintRows *rows)
{
    ((Brake *)self_)->begin = step->position;
    double *entry = dv_entry_add(rows->of_state[0], rows->next, 0);
    for (int c = 0; c < 6; c++)
        entry[c] = c == 2;
    DvConstraintBlock *block = dv_block_add(rows, DV_LAW_OWN, 1);
    block->own = &brake_law;
    block->p[0] = step->dt; /* 1 N */
    return DV_OK;
}

static DvStatus violation_of_brake(void *self_, const DvStep *step, DvConstraintOrder order, double *d)
{
    const Brake *self = self_;
    (void)order;
    *d = dv_state_read(self->state, step->position).at[2] - dv_state_read(self->state, self->begin).at[2];
    return DV_OK;
}

static const DvLagrangianConstraintOps brake_ops = {
    .size = sizeof brake_ops, .states = states_of_brake, .build = build_brake, .violation = violation_of_brake};
static const DvField brake_fields[] = {DV_FIELD(Brake, unused, "unused", dv_type_bool, .help = "nothing"), {0}};
static const DvClass bad_brake = {.size = sizeof(DvClass),
                                  .name = "BadBrake",
                                  .help = "a law of its own",
                                  .instance_size = sizeof(Brake),
                                  .fields = brake_fields,
                                  .init = init_brake,
                                  .contracts =
                                      (const DvContract[]){{.id = DV_LAGRANGIAN_CONSTRAINT, .ops = &brake_ops}, {0}}};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "test.bad-device",
    .version = "1",
    .license = "LGPL-2.1-or-later",
    .classes = (const DvClass *const[]){&bad_device, &bad_brake, NULL},
};
