/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The bounds of what moves, for views of scenes whose floor is wide.
 */
#ifndef DIVAN_VISUAL_MOVING_H
#define DIVAN_VISUAL_MOVING_H

#include <divan/contracts/picture.h>

#include "list.h"

/* Adds the node, a DvNode *, if what is in it moves: it has a mass, or a state with forces, that a solver steps. */
void moving_list(List *nodes, DvNode *node);
/* Of these nodes and what is below them, as their bounds are now; false: nothing moves. */
bool moving_box(const List *nodes, double box[6]);

#endif
