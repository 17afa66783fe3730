/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the tables of loads with a matrix have in common, for functions that are called after the members of the table.
 */
#ifndef DIVAN_MECHANICS_LOAD_OPS_H
#define DIVAN_MECHANICS_LOAD_OPS_H

#include <divan/kit/force_field.h>

#define LOAD_OPS                                                                               \
    .size = sizeof(DvForceFieldOps), .states = dv_single_state_states, .add_force = add_force, \
    .add_dforce = add_dforce, .reserve = reserve, .assemble = assemble, .structure = structure

#endif
