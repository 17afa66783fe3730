/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "guard.h"

#include <math.h>

double guard_stored(double stiffness, double length, double limit)
{
    if (stiffness * length <= limit)
        return 0.5 * stiffness * length * length;
    return limit * length - 0.5 * limit * limit / stiffness;
}

bool guard_cut(DvVec3 *force, double limit)
{
    const double strength = dv_vec3_norm(*force);
    if (!(strength > limit))
        return false;
    *force = dv_vec3_scale(*force, limit / strength);
    return true;
}

/* What is left over is forgotten. */
static void book(Account *account, double energy)
{
    account->balance = fmin(0.0, account->balance + energy);
}

static const double seen_steps = 4.0, longest = 8.0; /* of an encoder, until a way is seen; ticks, at most */

double guard_chatter(const GuardSetting *setting, double stiffness, double damping, double tick, double speed)
{
    const double q = setting->resolution, n = fmin(longest, fmax(1.0, floor(seen_steps * q / (speed * tick))));
    const double off = fmax(speed / seen_steps, q / (longest * tick));
    return fmin(setting->most_damping[0] * (speed + q / (n * tick)) / n,
                n * (damping * off + 0.5 * stiffness * tick * speed));
}

/* The way of a tick is seen once it makes so many steps, or the longest time has passed. Meanwhile it is no more than would not have been seen. */
void guard_pace(Account *account, DvVec3 way, double resolution)
{
    account->gone = dv_vec3_add(account->gone, way);
    account->gone_ticks += 1.0;
    const double length = dv_vec3_norm(account->gone);
    if (length >= seen_steps * resolution || account->gone_ticks >= longest) {
        account->way = dv_vec3_scale(account->gone, 1.0 / account->gone_ticks);
        account->span = account->gone_ticks;
        account->gone = dv_vec3_zero();
        account->gone_ticks = 0.0;
    } else {
        (void)guard_cut(&account->way, (length + resolution) / account->gone_ticks);
        account->span = fmax(account->span, account->gone_ticks);
    }
}

void guard_move(Account *account, DvVec3 way, double grown)
{
    const double put_in = -dv_vec3_dot(account->held, way);
    account->put_in += put_in;
    account->removed -= dv_vec3_dot(account->payback, way);
    book(account, put_in - grown);
}

void guard_shift(Account *account, double grown, double paid)
{
    book(account, paid - grown);
}

void guard_fade(Guard *guard, const GuardSetting *setting, bool allowed, double dt)
{
    if (allowed)
        guard->gain = setting->ramp > 0.0 ? fmin(1.0, guard->gain + dt / setting->ramp) : 1.0;
    else
        guard->gain = setting->fade > 0.0 ? fmax(0.0, guard->gain - dt / setting->fade) : 0.0;
}

/* How much of the last way, if the next is like it, pays the deficit back. A mean is late by what it spans, and damps no more than that bears. */
static DvVec3 payback(const Account *account, const GuardSetting *setting, int which, DvVec3 wanted, double grown,
                      double dt, bool *cut)
{
    const double squared = dv_vec3_norm_squared(account->way);
    const double balance = account->balance - dv_vec3_dot(wanted, account->way) - grown;
    if (!(balance < 0.0 && squared > 0.0 && dt > 0.0))
        return dv_vec3_zero();
    const double most = setting->most_damping[which] / (dt * account->span);
    *cut = -balance / squared > most;
    return dv_vec3_scale(account->way, -fmin(-balance / squared, most));
}

bool guard_push(Account *account, const GuardSetting *setting, int which, double gain, DvVec3 wanted, double grown,
                double dt)
{
    DvVec3 force = wanted;
    bool cut = false;
    account->payback = dv_vec3_zero();
    if (setting->passivity == PASSIVITY_CONTROLLED && setting->counted[which]) {
        account->payback = dv_vec3_scale(payback(account, setting, which, wanted, grown, dt, &cut), gain);
        force = dv_vec3_add(wanted, account->payback);
    }
    bool limited = guard_cut(&force, setting->limit[which]);
    if (which == 0 && setting->rate > 0.0) {
        DvVec3 change = dv_vec3_sub(force, account->held);
        limited = guard_cut(&change, setting->rate * dt) || limited;
        force = dv_vec3_add(account->held, change);
    }
    if (limited)
        account->payback = dv_vec3_sub(force, wanted);
    account->held = force;
    return limited || cut;
}
