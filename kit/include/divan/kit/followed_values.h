/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fields with a number for each element of a mesh, which follow its changes in place.
 */
#ifndef DIVAN_KIT_FOLLOWED_VALUES_H
#define DIVAN_KIT_FOLLOWED_VALUES_H

#include <divan/contracts/topology.h>
#include <divan/data.h>

DV_BEGIN_DECLS

/* The field has `before` numbers, and as many as there are elements afterwards; new ones are zero.     [main] */
DV_PUBLIC void dv_followed_values_change(DvData *field, uint32_t before, const DvElementChange *change);

DV_END_DECLS
#endif
