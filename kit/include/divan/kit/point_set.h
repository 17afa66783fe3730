/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A field `indices` that names points of a state and follows the additions, removals and renumberings of a topology.
 */
#ifndef DIVAN_KIT_POINT_SET_H
#define DIVAN_KIT_POINT_SET_H

#include <divan/contracts/state.h>
#include <divan/element_data.h>
#include <divan/kit/start_values.h>

DV_BEGIN_DECLS

typedef struct DvPointSet {
    DvData *indices; /* list of unsigned int; belongs to the component */
    bool takes_new;  /* points that are added belong to it */
    /* Optional, after each change of the indices: entry i of the indices was entry place[i] before; UINT32_MAX: is new. */
    void (*changed)(void *owner, const uint32_t *place, size_t count);
    /* Optional: a reset has put the indices back; what went along with them is to be that of the start too. Instead of `changed`. */
    void (*put_back)(void *owner);
    void *owner;
    DvStartValues start; /* the indices at the start, which a reset puts back */
    DvElementData follower;
} DvPointSet;

/* The topology a component follows: that of its link, else that in the node of its state; NULL when none can change.     [main] */
DV_PUBLIC DvObject *dv_point_set_topology(DvObject *object, const DvLink *link);

/* Starts to follow; `set` keeps its address. The members named above are set by the caller.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_point_set_follow(DvPointSet *set, DvObject *topology);
DV_PUBLIC void dv_point_set_leave(DvPointSet *set);

/* Whether the indices are 0, 1 ... count-1.     [any] */
DV_PUBLIC bool dv_point_set_is_range(const uint32_t *indices, size_t count);

/* Reports indices beyond the end of a state, one warning for all, and removes them; the number that is left.     [step] */
DV_PUBLIC size_t dv_point_set_remove_out_of_range(DvData *indices, uint32_t points);

DV_END_DECLS
#endif
