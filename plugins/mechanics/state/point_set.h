/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A field `indices` that names points of a state and follows the additions, removals and renumberings of a topology.
 */
#ifndef DIVAN_MECHANICS_POINT_SET_H
#define DIVAN_MECHANICS_POINT_SET_H

#include <divan/contracts/state.h>
#include <divan/element_data.h>

typedef struct PointSet {
    DvData *indices; /* list of unsigned int; belongs to the component */
    bool takes_new;  /* points that are added belong to it */
    /* Optional, after each change of the indices: entry i of the indices was entry place[i] before; UINT32_MAX: is new. */
    void (*changed)(void *owner, const uint32_t *place, size_t count);
    /* Optional: a reset has put the indices back; what went along with them is to be that of the start too. Instead of `changed`. */
    void (*put_back)(void *owner);
    void *owner;
    uint32_t *first; /* [first_count] the indices at the start, which a reset puts back */
    size_t first_count;
    DvElementData follower;
} PointSet;

/* Values that go along with the indices, as they were when point_set_follow was called. Start with zeros. */
typedef struct FirstValues {
    double *at;
    size_t count, components;
    bool changed; /* they have gone along with a change since then */
} FirstValues;
void first_values_keep(FirstValues *first, DvData *field, size_t components); /* what it had before is let go */
void first_values_put_back(FirstValues *first, DvData *field);                /* where they have changed */
void first_values_free(FirstValues *first);

/* The topology a component follows: that of its link, else that in the node of its state; NULL when none can change. */
DvObject *point_set_topology(DvObject *object, const DvLink *link);

/* Starts to follow; `set` keeps its address. The members named above are set by the caller.     [main] */
DV_NODISCARD DvStatus point_set_follow(PointSet *set, DvObject *topology);
void point_set_leave(PointSet *set);

/* Whether the indices are 0, 1 ... count-1. */
bool point_set_is_range(const uint32_t *indices, size_t count);

/* Reports indices beyond the end of a state, one warning for all, and removes them; the number that is left. */
size_t point_set_remove_out_of_range(DvData *indices, uint32_t points);

#endif
