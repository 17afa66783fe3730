/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The user's hand in the scene: what is done where a ray from the camera meets something. All of it belongs to the simulation thread.
 *
 * What is held is held by components of the scene itself (a target that does not move by itself, springs to
 * it, or a constraint), which are transient: they are not saved.
 */
#ifndef DIVAN_VIEW_HAND_H
#define DIVAN_VIEW_HAND_H

#include "message.h"
#include "pick.h"
#include "snapshot.h"

typedef struct Hand Hand;

Hand *hand_new(void);
void hand_free(Hand *hand); /* of a scene that has gone, or holds nothing */
/* False: nothing is there, or it cannot be done; that has been reported. */
bool hand_grab(Hand *hand, DvScene *scene, GrabMode mode, const Ray *ray, double stiffness);
void hand_drag(Hand *hand, DvScene *scene, const Ray *ray);
void hand_release(Hand *hand, DvScene *scene);
void hand_reset(Hand *hand, DvScene *scene); /* lets go, and takes away what was fixed */
void hand_forget(Hand *hand);                /* the scene goes */
void hand_view(const Hand *hand, GrabView *view);

#endif
