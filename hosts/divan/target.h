/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether a scene is too heavy for a number of steps a second, while the phases of its steps are still there (dv_phase_at).
 */
#ifndef DIVAN_HOST_TARGET_H
#define DIVAN_HOST_TARGET_H

#include <divan/scene.h>

/* `mean` and `p99` of a step, us; dt, s. As lines, and as a member of an object that is open. */
void host_target_print(const DvScene *scene, double hz, double dt, double mean, double p99);
void host_target_print_json(const DvScene *scene, double hz, double mean, double p99);

#endif
