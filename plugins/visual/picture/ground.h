/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The ground below what moves: where it lies, and whether the scene has a floor of its own.
 */
#ifndef DIVAN_VISUAL_GROUND_H
#define DIVAN_VISUAL_GROUND_H

#include <divan/contracts/picture.h>

#include "list.h"

typedef struct Ground {
    List boxes; /* of arrays, by their numbers */
    bool known;
    double level; /* m along the way up: of all pictures the lowest */
} Ground;

/* Fills has_ground and ground of a picture that is otherwise complete. `still`: bounds of the primitives that were drawn of what does not
 * move, or NULL. */
void ground_find(Ground *ground, DvPicture *picture, const float still[6]);
void ground_free(Ground *ground);

#endif
