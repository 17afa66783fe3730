/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a component was given, and what its own init has written: an init runs again when what the object needs has left the scene and
 * come back, and its own results are not to be taken for the user's wishes then.
 */
#ifndef DIVAN_GIVEN_H
#define DIVAN_GIVEN_H

#include <divan/data.h>

DV_BEGIN_DECLS

/* The field is set, and was not written last by an init of its own object to which nobody had given it.     [step] */
DV_PUBLIC bool dv_data_is_given(const DvData *data);
/* It has been written by its own object since, and follows from what that was given, as what an init writes does. Until the next
 * write.     [step] */
DV_PUBLIC void dv_data_set_derived(DvData *data);

DV_END_DECLS
#endif
