/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Right-hand sides of constraints: a row with few entries. Of states that a device keeps only these travel, and of solutions what is asked for.
 */
#ifndef DIVAN_KIT_KRYLOV_ROWS_H
#define DIVAN_KIT_KRYLOV_ROWS_H

#include <divan/kit/krylov.h>

/* The states as they are now, and where the vectors of a solve are (krylov.c). */
void krylov_find_states(DvKrylovSpace *space);
void krylov_find_parts(DvKrylovSpace *space);

#endif
