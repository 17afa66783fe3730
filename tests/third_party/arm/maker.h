/* SPDX-License-Identifier: MIT
 *
 * The library of a maker that does not exist: it calls from a thread of its own, a thousand times a second, as such libraries do.
 */
#ifndef MAKER_H
#define MAKER_H

typedef void (*MakerCallback)(void *context, const double millimetres[3], const double quaternion[4], unsigned buttons,
                              double newtons[3]);

/* 0: it runs; the arm circles with a radius of 20 mm. */
int maker_open(MakerCallback callback, void *context);
void maker_close(void); /* no callback runs any more when it returns */

#endif
