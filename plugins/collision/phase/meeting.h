/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Who meets whom: which models may collide, and which routine then tests their elements.
 */
#ifndef DIVAN_COLLISION_MEETING_H
#define DIVAN_COLLISION_MEETING_H

#include <divan/contracts/collision.h>

/* Whether two different bodies may have contacts, wherever they are: one of them is simulated, and switches and groups agree. */
bool bodies_may_meet(const DvCollisionBody *a, const DvCollisionBody *b);
/* Whether the elements of a body may have contacts with each other. */
bool body_may_meet_itself(const DvCollisionBody *body);

typedef struct Route {
    const char *a, *b; /* kinds, as asked */
    DvContactRoutine routine;
    DvRoutineAnswer answer;
    bool turned;     /* the routine takes elements of b first */
    bool of_service; /* not the method's own, but one that a plugin offers */
} Route;

/* The routine for elements of two kinds, in the order in which it is known: the method's own, or one that a plugin offers. */
Route find_route(const DvObject *method, const char *a, const char *b);
/* That a method has no routine for two kinds, and which one has. */
void warn_of_unserved(const DvObject *method, const char *a, const char *b);

#endif
