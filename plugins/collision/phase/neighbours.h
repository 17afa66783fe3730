/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements of one body that share a point: a triangle and its own edges, say, which are models of one state each. Their distance is 0
 * by nature; where a method finds a contact of them the body pushes itself apart.
 */
#ifndef DIVAN_COLLISION_NEIGHBOURS_H
#define DIVAN_COLLISION_NEIGHBOURS_H

#include "meeting.h"

static inline uint32_t point_of_element(const DvShape *s, uint32_t element, uint32_t corner)
{
    return s->vertices ? s->vertices[(size_t)element * s->corners + corner] : element;
}

/* Of two shapes over the points of one state, or of copies of it. */
static inline bool elements_share_a_point(const DvShape *a, uint32_t i, const DvShape *b, uint32_t k)
{
    const uint32_t corners_a = a->vertices ? a->corners : 1, corners_b = b->vertices ? b->corners : 1;
    for (uint32_t c = 0; c < corners_a; c++)
        for (uint32_t d = 0; d < corners_b; d++)
            if (point_of_element(a, i, c) == point_of_element(b, k, d))
                return true;
    return false;
}

/* Whose points the elements of a body are over: its state, or the one of which that is a copy point by point, by mappings that keep the
 * topology. Another body has the same ones where this is the same address. Looks the mappings up. */
const void *origin_of_points(const DvCollisionBody *body);

/* Whether some elements of two bodies may be neighbours: they are over the points of one state, or of copies of it. Looks mappings up. */
bool bodies_have_neighbours(const DvCollisionBody *a, const DvCollisionBody *b);

/* Whether these are kept apart, as one of them asks. */
static inline bool neighbours_are_kept_apart(const DvCollisionBody *a, const DvCollisionBody *b)
{
    return a->traits.neighbours_apart || b->traits.neighbours_apart;
}

/* How many contacts of a pair are of neighbours. */
uint32_t count_contacts_of_neighbours(const DvCollisionBody *a, const DvCollisionBody *b, const DvContactSink *found);

/* How many contacts a routine finds of all pairs of neighbours as they are now, wherever they move: for who looks at a scene that does not
 * run. `a` and `b` in the order in which the routine takes them. */
uint32_t find_contacts_of_neighbours(DvObject *method, const DvCollisionBody *a, const DvCollisionBody *b,
                                     DvContactRoutine routine);

/* A warning: `contacts` of neighbours of these two bodies, and so do neighbours of `more` other pairs of models. */
void warn_of_neighbours(const DvCollisionBody *a, const DvCollisionBody *b, uint32_t contacts, uint32_t more);

#endif
