/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The service divan.natural-modes/1.
 */
#ifndef DV_SOLVERS_MODES_H
#define DV_SOLVERS_MODES_H

#include <divan/contracts/modes.h>

extern const DvModesOps dv_natural_modes;

#endif
