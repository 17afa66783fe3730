/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Corners that stand on corners without friction: each contact leans as they slide, and drives them on; told once in a scene.
 */
#ifndef DIVAN_COLLISION_STANDING_CORNERS_H
#define DIVAN_COLLISION_STANDING_CORNERS_H

#include <divan/contracts/collision.h>

/* Whether the contacts of a pair of models are of this kind: three at least, of points on points, with one direction. */
bool corners_stand_on_corners(const DvContactList *list, const DvContactPair *pair);
/* Says so, unless the scene has been told, there is friction, or the method takes the normals of faces. `friction`: of the response. */
void warn_of_standing_corners(const DvObject *response, const DvContactList *list, const DvContactPair *pair,
                              double friction);

#endif
