/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A simulated arm in a hand, axis by axis: a mass that a spring and a damper lead along a path, against dry friction, under the force of the
 * device, which is constant between ticks.
 *
 *   m x'' = -k (x - p(t)) - c (x' - p'(t)) + f - r sign(x')         p: straight between the times of the path
 *
 * Nothing is approximated: the motion between two ticks is that of the closed form, cut where the path bends and where it comes to rest or
 * breaks loose.
 */
#ifndef DV_HAPTICS_ARM_H
#define DV_HAPTICS_ARM_H

#include <stdbool.h>

typedef struct ArmAxis {
    double mass, stiffness, damping, friction; /* mass above 0, the others not negative */
    double x, v;
} ArmAxis;

/* Moves it on by `time` s; the path goes from `path` at `speed`, the device pushes by `force`. */
void arm_axis_move(ArmAxis *axis, double path, double speed, double force, double time);

#endif
