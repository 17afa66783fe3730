/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bodies of a scene that shows nothing by itself: what states and meshes there are, drawn.
 */
#ifndef DIVAN_VISUAL_BODIES_H
#define DIVAN_VISUAL_BODIES_H

#include <divan/contracts/visual.h>

#include "list.h"

typedef struct Bodies {
    List skins; /* of meshes, kept as long as these do not change */
} Bodies;

/* What a node has: a mesh with faces as one closed skin with the edges of its elements, a mesh of edges as lines, frames with the box of
 * their inertia, or points. `size`: of the scene, m. True: it is a skin, which covers what hangs on the body. */
bool bodies_draw(Bodies *bodies, DvDraw *draw, DvNode *node, double size);
void bodies_free(Bodies *bodies);

#endif
