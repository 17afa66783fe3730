/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writes of fields that were begun and not ended: what depends on such a field does not hear of it. A test that is linked with
 * open_writes.c has its own dv_data_begin, dv_data_begin_all and dv_data_end, which plugins find before those of the kernel.
 */
#ifndef DIVAN_TESTS_OPEN_WRITES_H
#define DIVAN_TESTS_OPEN_WRITES_H

#include <divan/data.h>

/* Adds "Class.field " of each field that is being written, and forgets them. How many: none between steps, where all is well. */
size_t open_writes_take(DvText *names);
/* How many writes were begun at all. */
size_t open_writes_begun(void);

#endif
