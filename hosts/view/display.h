/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A display of X11: its errors, and its end. Of other displays SDL says all there is to say.
 */
#ifndef DIVAN_VIEW_DISPLAY_H
#define DIVAN_VIEW_DISPLAY_H

/* From here on errors are taken. `end` makes whole what must not be lost, before the process ends with status 1; NULL: nothing is. */
void display_take_errors(void (*end)(void *context), void *context);

#endif
