/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "arm.h"

#include <math.h>

enum { MOST_PIECES = 32, HALVINGS = 60, LOOKS = 16 };

/* m y'' + c y' + k y = f from y, w = y': where it is after t. */
static void move_freely(const ArmAxis *a, double f, double y0, double w0, double t, double *y, double *w)
{
    const double m = a->mass, c = a->damping, k = a->stiffness;
    if (k <= 0.0 && c <= 0.0) {
        *y = y0 + w0 * t + 0.5 * f / m * t * t;
        *w = w0 + f / m * t;
        return;
    }
    if (k <= 0.0) { /* towards the speed f / c */
        const double decay = -expm1(-c / m * t);
        *w = w0 + (f / c - w0) * decay;
        *y = y0 + f / c * t + (w0 - f / c) * (m / c) * decay;
        return;
    }
    const double rest = f / k, z0 = y0 - rest, g = c / (2.0 * m), squared = k / m - g * g;
    const double fade = exp(-g * t);
    double cosine, sine; /* of sqrt(squared) t, the sine over sqrt(squared): entire functions of squared */
    if (fabs(squared) * t * t < 1e-10) {
        cosine = 1.0 - 0.5 * squared * t * t;
        sine = t * (1.0 - squared * t * t / 6.0);
    } else if (squared > 0.0) {
        const double omega = sqrt(squared);
        cosine = cos(omega * t);
        sine = sin(omega * t) / omega;
    } else {
        const double rate = sqrt(-squared);
        cosine = cosh(rate * t);
        sine = sinh(rate * t) / rate;
    }
    *y = rest + fade * (z0 * cosine + (w0 + g * z0) * sine);
    *w = fade * (w0 * cosine - (g * w0 + k / m * z0) * sine);
}

/* When x' = w + speed first changes its sign within t; t where it does not. */
static double time_of_rest(const ArmAxis *a, double f, double y0, double w0, double speed, double sign, double t)
{
    double low = 0.0, high = -1.0, y, w;
    for (int i = 1; i <= LOOKS && high < 0.0; i++) {
        const double at = t * i / LOOKS;
        move_freely(a, f, y0, w0, at, &y, &w);
        if (sign * (w + speed) <= 0.0)
            high = at;
        else
            low = at;
    }
    if (high < 0.0)
        return t;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = 0.5 * (low + high);
        move_freely(a, f, y0, w0, middle, &y, &w);
        if (sign * (w + speed) <= 0.0)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* At rest: how long it stays, and which way it goes then. What pulls grows in proportion to the time as the path goes on. */
static double time_at_rest(const ArmAxis *a, double path, double speed, double force, double t, double *sign)
{
    const double pull = a->stiffness * (path - a->x) + a->damping * speed + force, growth = a->stiffness * speed;
    *sign = 0.0;
    if (fabs(pull) > a->friction) {
        *sign = pull > 0.0 ? 1.0 : -1.0;
        return 0.0;
    }
    if (growth == 0.0)
        return t;
    const double until = ((growth > 0.0 ? a->friction : -a->friction) - pull) / growth;
    if (until >= t)
        return t;
    *sign = growth > 0.0 ? 1.0 : -1.0;
    return until;
}

static void move_without_friction(ArmAxis *a, double path, double speed, double force, double time)
{
    double y, w;
    move_freely(a, force, a->x - path, a->v - speed, time, &y, &w);
    a->x = y + path + speed * time;
    a->v = w + speed;
}

void arm_axis_move(ArmAxis *a, double path, double speed, double force, double time)
{
    double sign = a->v > 0.0 ? 1.0 : a->v < 0.0 ? -1.0 : 0.0;
    for (int piece = 0; piece < MOST_PIECES && time > 0.0 && a->friction > 0.0; piece++) {
        if (sign == 0.0) {
            const double stays = time_at_rest(a, path, speed, force, time, &sign);
            path += speed * stays;
            time -= stays;
            continue;
        }
        const double f = force - sign * a->friction;
        const double moves = time_of_rest(a, f, a->x - path, a->v - speed, speed, sign, time);
        const bool rests = moves < time;
        move_without_friction(a, path, speed, f, moves);
        path += speed * moves;
        time -= moves;
        if (rests) {
            a->v = 0.0;
            sign = 0.0;
        }
    }
    if (time > 0.0 && a->friction <= 0.0)
        move_without_friction(a, path, speed, force, time);
}
