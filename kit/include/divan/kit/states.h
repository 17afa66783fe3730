/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which states the variant of a component follows from, where several families have that alike.
 */
#ifndef DIVAN_KIT_STATES_H
#define DIVAN_KIT_STATES_H

#include <divan/contracts/state.h>

DV_BEGIN_DECLS

extern DV_PUBLIC const DvVariantSource dv_single_state_sources[]; /* `mstate`, by default that of the node */
extern DV_PUBLIC const DvVariantSource dv_pair_state_sources[];   /* `object1` and `object2`, likewise */

/* dv_state_require for classes whose variants name more than the state, "Vec3d,Tetrahedron": the part before the comma is compared with the
 * state.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_state_require_of_part(DvObject *object, const DvLink *link, DvStateRef *state);

DV_END_DECLS
#endif
