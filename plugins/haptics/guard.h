/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What keeps a hand safe: limits of a force and of its rate, slow begin and fast end, and passivity.
 *
 * Passivity in the time domain (Hannaford and Ryu 2002), against the energy that is stored (Ryu, Preusche, Hannaford and Hirzinger 2005): the force f is held
 * between ticks, so what the hand has put in is exactly  -f . (x' - x). It must be at least what the stored energy has grown by. What is more
 * has been dissipated, and is forgotten at once, so that it hides no later burst; what is less is the deficit, which a damper pays back:
 *
 *   f -= (beta) dx     beta = -(deficit + what the next tick will make of it) / |dx|^2     dx: the way of the last tick, which the next repeats
 *
 * Ways and turns are two accounts, 0 and 1.
 *
 * A device that tells places in steps of q (an encoder) would fool that: a step makes k q^2 / 2 for the spring that sees it, and the tick after it
 * mostly none, so that nothing is paid back and a burst answers the next. The hand has moved all the while: the accounts get the shortest motion that
 * fits what is told, by which a spring makes nothing at each step. What may be there still is a force of k q / 2 along the motion, which
 * dry friction in the arm takes (Abbott and Okamura 2005; Diolaiti, Niemeyer, Barbagli and Salisbury 2006). And the way of a tick, for dampers, is the mean over as
 * many as it takes to see it (adaptive windows: Janabi-Sharifi, Hayward and Chen 2000). Where q is 0 both are what they are without.
 */
#ifndef DV_HAPTICS_GUARD_H
#define DV_HAPTICS_GUARD_H

#include <divan/math/vec.h>

#include <stdbool.h>
#include <stdint.h>

/* Yes or no, in what a run must remember: whatever a file gives back is one of both, while a bool has two values alone. */
typedef uint8_t Flag;

typedef enum Passivity { PASSIVITY_OFF, PASSIVITY_OBSERVED, PASSIVITY_CONTROLLED } Passivity;

typedef struct GuardSetting {
    Passivity passivity;
    double limit[2];        /* N, N m; INFINITY: none */
    double rate;            /* N/s; 0: any */
    double ramp, fade;      /* s, from nothing to all and back */
    double most_damping[2]; /* N s/m, N m s/rad: of what pays back */
    double resolution;      /* m: in which ways are told */
    Flag counted[2];        /* the device pushes in these axes */
} GuardSetting;

/* An account of energy; without pointers. */
typedef struct Account {
    DvVec3 held;    /* the force since the last tick */
    DvVec3 payback; /* what of it pays back */
    DvVec3 way;     /* of a tick: that of the last, or a mean */
    DvVec3 gone;    /* since the mean was taken */
    double gone_ticks;
    double span;            /* ticks over which it was */
    double put_in, removed; /* J: by the hand (and by what has been stored when the force came slowly); paid back */
    double balance;         /* J: not above 0; the deficit, negative */
} Account;

typedef struct Guard {
    Account account[2];
    double gain; /* 0 to 1: of the whole force */
} Guard;

/* A tick: the device has moved by `way`, told in steps of `resolution`: how fast it is. */
void guard_pace(Account *account, DvVec3 way, double resolution);
/* By that way the stored energy has grown by `grown`. */
void guard_move(Account *account, DvVec3 way, double grown);
/* The stored energy changes without the hand: by `grown`, of which `paid` (either sign) comes from elsewhere. */
void guard_shift(Account *account, double grown, double paid);
/* The gain follows what is allowed. */
void guard_fade(Guard *guard, const GuardSetting *setting, bool allowed, double dt);
/* From the force that is wanted to the one that is held until the next tick. `grown`: by how much the stored energy will grow when the last way is
 * repeated. What pays back fades with the gain. Whether a limit has cut it. */
bool guard_push(Account *account, const GuardSetting *setting, int which, double gain, DvVec3 wanted, double grown,
                double dt);
/* Of a spring of this stiffness, stretched by `length`, whose force does not go beyond `limit`. */
double guard_stored(double stiffness, double length, double limit);
/* By how much passivity may change the force of a spring and a damper while the hand moves at this speed on a device that tells places in steps of q, the
 * mean over n ticks (n T v >= 4 q, or 8):
 *
 *   min( b (v + q / n T) / n,  n (c e + k T v / 2) )     b: the most damping     e = max(v / 4, q / 8 T): how far the speed may be off
 *
 * the one that a damper pays by, which sees a step too many; or what n ticks may lack, of a sampled spring and a damper of that speed. */
double guard_chatter(const GuardSetting *setting, double stiffness, double damping, double tick, double speed);
/* A vector no longer than this. Whether it was cut. */
bool guard_cut(DvVec3 *force, double limit);

#endif
