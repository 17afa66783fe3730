/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is said of masses that no body has.
 */
#ifndef DIVAN_MECHANICS_MASS_CHECK_H
#define DIVAN_MECHANICS_MASS_CHECK_H

#include <divan/kit/mass.h>

/* A field of one mass, or of body after body (`many`): an error when a mass is negative or all are zero, or when an inertia has no
 * inverse or a negative direction; a warning when an inertia is not symmetric, or one of several masses is zero.     [main] */
DV_NODISCARD DvStatus mass_check_numbers(DvData *field, const DvDofType *dof, bool many);
/* A warning where the numbers are not those of one body: what is missing, what is left out.     [main] */
void mass_check_one(DvData *field, const DvDofType *dof);
/* The same for `points` bodies, one after the other.     [main] */
void mass_check_each(DvData *field, const DvDofType *dof, uint32_t points);

#endif
