/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "virtual_coupling.h"

#include <math.h>
#include <string.h>

/* ---- The law ---- */

DvRigid3Deriv coupling_law(const CouplingSetting *set, DvRigid3 device, DvRigid3Deriv speed, DvRigid3 tool,
                           DvRigid3Deriv tool_speed)
{
    const DvRigid3Deriv d = coupling_stretch(device, tool);
    return dv_rigid3_deriv(dv_vec3_madd(dv_vec3_scale(d.linear, set->k[LINEAR]), set->c[LINEAR],
                                        dv_vec3_sub(speed.linear, tool_speed.linear)),
                           dv_vec3_madd(dv_vec3_scale(d.angular, set->k[ANGULAR]), set->c[ANGULAR],
                                        dv_vec3_sub(speed.angular, tool_speed.angular)));
}

/* J in both springs at a share of their stiffness. */
static void stored_in(const VirtualCoupling *self, double gain, DvRigid3 device, DvRigid3 tool, double energy[2])
{
    const DvRigid3Deriv d = coupling_stretch(device, tool);
    energy[LINEAR] =
        guard_stored(gain * self->in_tick.k[LINEAR], dv_vec3_norm(d.linear), self->in_tick.guard.limit[LINEAR]);
    energy[ANGULAR] =
        guard_stored(gain * self->in_tick.k[ANGULAR], dv_vec3_norm(d.angular), self->in_tick.guard.limit[ANGULAR]);
}

/* ---- The ticks ---- */

static void filter_velocity(VirtualCoupling *self, const HapticNow *now, const DvRigid3Deriv *way)
{
    LoopState *loop = &self->loop;
    Account *account = loop->guard.account;
    guard_pace(&account[LINEAR], way->linear, self->in_tick.guard.resolution);
    guard_pace(&account[ANGULAR], way->angular, 0.0);
    const DvVec3 raw[2] = {now->has_velocity ? now->velocity.linear
                           : now->dt > 0.0   ? dv_vec3_scale(account[LINEAR].way, 1.0 / now->dt)
                                             : dv_vec3_zero(),
                           now->has_velocity ? now->velocity.angular
                           : now->dt > 0.0   ? dv_vec3_scale(account[ANGULAR].way, 1.0 / now->dt)
                                             : dv_vec3_zero()};
    const double share =
        self->in_tick.cutoff_rate > 0.0 ? -expm1(-2.0 * DV_PI * self->in_tick.cutoff_rate * now->dt) : 1.0;
    for (int i = 0; i < 2; i++)
        loop->velocity[i] = dv_vec3_madd(loop->velocity[i], share, dv_vec3_sub(raw[i], loop->velocity[i]));
}

/* The tool as the tick sees it: as the step has left it, or moved on. */
static ToolState seen_tool(const VirtualCoupling *self, const ToolState *newest, double age)
{
    ToolState tool = *newest;
    if (self->in_tick.extrapolates && tool.dt > 0.0) {
        const double time = fmin(age, tool.dt);
        tool.frame = dv_rigid3_integrate(tool.frame, dv_rigid3_deriv(dv_vec3_scale(tool.velocity.linear, time),
                                                                     dv_vec3_scale(tool.velocity.angular, time)));
    }
    return tool;
}

/* The account of one tick: the hand has moved, then the tool, then the gain has changed. */
static void keep_accounts(VirtualCoupling *self, const HapticNow *now, const ToolState *tool, const DvRigid3Deriv *way,
                          double gain)
{
    LoopState *loop = &self->loop;
    double moved[2], seen[2], faded[2];
    stored_in(self, loop->gain, now->sure, loop->tool.frame, moved);
    stored_in(self, loop->gain, now->sure, tool->frame, seen);
    stored_in(self, gain, now->sure, tool->frame, faded);
    for (int i = 0; i < 2; i++) {
        Account *account = &loop->guard.account[i];
        if (!self->in_tick.guard.counted[i])
            continue;
        guard_move(account, i == LINEAR ? way->linear : way->angular, moved[i] - loop->stored[i]);
        /* A share of the coupling does that share of the work on the tool; the rest is the simulation's own. */
        guard_shift(account, seen[i] - moved[i], loop->gain * (loop->tool.work[i] - tool->work[i]));
        const double grown = faded[i] - seen[i]; /* what a slow begin stores has been put in */
        guard_shift(account, grown, fmax(0.0, grown));
        account->put_in += fmax(0.0, grown);
    }
    memcpy(loop->stored, faded, sizeof faded);
    loop->gain = gain;
}

static void fade_contact(VirtualCoupling *self, bool contact, double dt)
{
    LoopState *loop = &self->loop;
    const double share = self->in_tick.contact_fade_time > 0.0 ? dt / self->in_tick.contact_fade_time : 1.0;
    if (!self->in_tick.cancels)
        loop->contact_gain = 1.0;
    else
        loop->contact_gain = fmin(1.0, fmax(0.0, loop->contact_gain + (contact ? share : -share)));
}

/* Whether it lets go; it takes hold again where the device is near. */
static void watch_distance(VirtualCoupling *self, const DvRigid3Deriv *d)
{
    self->loop.broken = self->in_tick.distance > 0.0 && dv_vec3_norm(d->linear) > self->in_tick.distance;
}

void coupling_tick(void *self_, const HapticNow *now, const void *block, double age, bool fresh, DvRigid3Deriv *wrench)
{
    VirtualCoupling *self = self_;
    LoopState *loop = &self->loop;
    (void)fresh;
    self->in_tick = ((const ToolState *)block)->set;
    const ToolState tool = seen_tool(self, block, age);
    const bool first = !loop->begun;
    if (first) {
        loop->device = now->sure;
        loop->tool = tool;
        loop->begun = true;
    }
    const DvRigid3Deriv way = dv_rigid3_difference(now->sure, loop->device),
                        d = coupling_stretch(now->pose, tool.frame);
    filter_velocity(self, now, &way);
    watch_distance(self, &d);
    const bool stalled = age > tool.dt + self->in_tick.stall_time;
    guard_fade(&loop->guard, &self->in_tick.guard,
               now->allowed && tool.active && !loop->broken && !stalled && now->force_scale > 0.0, now->dt);
    fade_contact(self, tool.contact, now->dt);
    const double gain = loop->guard.gain * loop->contact_gain;
    keep_accounts(self, now, &tool, &way, gain);
    const DvRigid3Deriv speed = dv_rigid3_deriv(loop->velocity[LINEAR], loop->velocity[ANGULAR]);
    const DvRigid3Deriv on_tool = coupling_law(&self->in_tick, now->pose, speed, tool.frame, tool.velocity);
    double next[2];
    const DvRigid3Deriv again = dv_rigid3_deriv(loop->guard.account[LINEAR].way, loop->guard.account[ANGULAR].way);
    stored_in(self, gain, dv_rigid3_integrate(now->sure, again), tool.frame, next);
    bool cut = false;
    for (int i = 0; i < 2; i++) {
        DvVec3 wanted = dv_vec3_scale(i == LINEAR ? on_tool.linear : on_tool.angular, -gain);
        cut = guard_cut(&wanted, self->in_tick.guard.limit[i]) || cut;
        cut = guard_push(&loop->guard.account[i], &self->in_tick.guard, i, loop->guard.gain, wanted,
                         next[i] - loop->stored[i], now->dt) ||
              cut;
    }
    if (cut)
        haptics_count_clamped(self->client.port);
    loop->wrench = dv_rigid3_deriv(loop->guard.account[LINEAR].held, loop->guard.account[ANGULAR].held);
    wrench->linear = dv_vec3_add(wrench->linear, loop->wrench.linear);
    wrench->angular = dv_vec3_add(wrench->angular, loop->wrench.angular);
    loop->device = now->sure;
    loop->tool = tool;
    loop->ticks++;
    if (now->by_clock) {
        *(LoopState *)dv_snapshot_begin(self->reports) = *loop;
        dv_snapshot_publish(self->reports);
    }
}
