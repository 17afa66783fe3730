/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which states the variant of a component follows from, where several families have that alike.
 */
#ifndef DIVAN_KIT_STATES_H
#define DIVAN_KIT_STATES_H

#include <divan/object.h>

DV_BEGIN_DECLS

extern DV_PUBLIC const DvVariantSource dv_single_state_sources[]; /* `mstate`, by default that of the node */
extern DV_PUBLIC const DvVariantSource dv_pair_state_sources[];   /* `object1` and `object2`, likewise */

DV_END_DECLS
#endif
