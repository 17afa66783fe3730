/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the tables of masses have in common, for functions that are called after the members of the tables.
 */
#ifndef DIVAN_MECHANICS_MASS_OPS_H
#define DIVAN_MECHANICS_MASS_OPS_H

#include <divan/kit/mass.h>

#define MASS_OPS                                                                                             \
    DV_MASS_OPS, .space = DV_HOST, .add_mdx = add_mdx, .reserve = reserve, .assemble = assemble,             \
                 .structure = structure, .matrix_version = matrix_version, .kinetic_energy = kinetic_energy, \
                 .momentum = momentum, .point_mass = point_mass

#define MASS_FORCE_OPS DV_MASS_FORCE_OPS, .space = DV_HOST, .add_force = add_force, .energy = potential_energy

#endif
