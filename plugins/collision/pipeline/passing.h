/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bodies that pass through each other in one step, farther than any contact is looked for: tunnelling.
 *
 * A detection sees positions alone. What moves farther in a step than contacts are found from (the alarm distance and those of the
 * models) can be before a surface in one detection and behind it in the next. Of bodies whose boxes have moved that far the way of each
 * point and of each middle of a sphere, a capsule or a box is laid against what is near: triangles that it pierces, spheres, capsules
 * and boxes that it enters and leaves; and edges against edges. Pairs that no method serves are not looked at. All others cost one comparison of boxes.
 */
#ifndef DIVAN_COLLISION_PASSING_H
#define DIVAN_COLLISION_PASSING_H

#include <divan/contracts/collision.h>
#include <divan/divan.h>

typedef struct Passing {
    double (*before)[6]; /* [capacity] boxes of the bodies as of the detection before; not a number: there was none */
    uint32_t capacity;
} Passing;

/* What has passed through what. */
typedef struct Passage {
    const DvCollisionBody *body, *through;
    double way;   /* m, of a point relative to what it passed, in the step */
    double reach; /* m, from which contacts are found; without alarm distance, the least way that nothing sees */
    bool alarms;  /* the method has an alarm distance */
} Passage;

/* Looks at the step that led to the present positions, `dt` (s); true: the first that has passed is in *passage. */
bool passing_look(Passing *self, const DvCollisionBody *bodies, uint32_t count, DvObject *method, double dt,
                  Passage *passage);
void passing_forget(Passing *self);

#endif
