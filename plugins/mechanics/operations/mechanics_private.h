/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files that put a DvMechanics together share: mechanics.c follows the graph, mechanics_states.c has the states and
 * mechanics_components.c what acts on them.
 */
#ifndef DIVAN_MECHANICS_MECHANICS_PRIVATE_H
#define DIVAN_MECHANICS_MECHANICS_PRIVATE_H

#include "mechanics.h"

/* Calls are read, never run: their data say which role the object has. */
typedef enum Role { ROLE_MAPPING, ROLE_STATE, ROLE_FIELD, ROLE_INTERACTION, ROLE_CONSTRAINT, ROLES } Role;

static inline Role role_of(const DvCall *call)
{
    return *(const Role *)call->data;
}

/* Whether arrays are being compiled from nothing: loads and orders come at the end then. */
typedef enum Mode { COMPILING, FOLLOWING } Mode;

/* How it went with a call. */
typedef enum Outcome {
    GOOD,     /* there is an item now, or nothing to be done */
    IS_LATER, /* it acts on no state yet */
    TOO_MUCH  /* to be compiled from nothing */
} Outcome;

enum { NO_SLOT = UINT32_MAX };

static inline int compare_keys(Key a, Key b)
{
    if (a.order != b.order)
        return a.order < b.order ? -1 : 1;
    return (a.rank > b.rank) - (a.rank < b.rank);
}

/* The first place in a list by keys, with which all items begin, whose key is not below this one. */
uint32_t items_place_of_key(const List *list, const void *items, size_t size, Key key);

#define PLACE_OF_KEY(list, items, key)   items_place_of_key((list), (items), sizeof *(items), (key))
#define INSERT_BY_KEY(list, items, slot) list_insert((list), PLACE_OF_KEY(list, items, (items)[slot].key), (slot))

/* The slot is in the list. */
#define REMOVE_BY_KEY(list, items, slot) list_remove_at((list), PLACE_OF_KEY(list, items, (items)[slot].key))

/* A free slot; *items may move. */
uint32_t slots_take(Slots *slots, void **items, size_t size);

#define TAKE_SLOT(slots, items) slots_take((slots), (void **)&(items), sizeof *(items))

/* Whether a walk from `top` that stops at mappings without forces leaves this node out: all ways to it are cut. */
bool node_is_cut_off(const DvNode *node, const DvNode *top);

static inline bool is_inside(const StateItem *state)
{
    return state->key.order != UINT64_MAX;
}

void state_update_kind(DvMechanics *m, uint32_t slot);
/* A state of the node's own walk; one that was known from elsewhere keeps its slot. */
void state_add_own(DvMechanics *m, const DvCall *call, uint32_t rank);
void state_remove(DvMechanics *m, uint32_t slot);
/* The object of a state has left the walk: it may have come in elsewhere, else it goes when the edit has been followed. */
void state_set_aside(DvMechanics *m, uint32_t slot);
/* The slot of a state, which becomes one outside the node if it is not known; NO_SLOT when the object is no state. */
uint32_t state_slot(DvMechanics *m, DvObject *object);
void state_let_go(DvMechanics *m, uint32_t slot);
/* Vectors that solvers have allocated, or share, are in states that come later too. */
void state_give_vectors(const DvMechanics *m, const StateItem *state);
/* Loads: what carries forces upwards. */
void state_add_load(DvMechanics *m, uint32_t slot);
void state_remove_load(DvMechanics *m, uint32_t slot);
/* All at once: backwards, so that a chain is marked in one pass. */
void states_mark_loads(DvMechanics *m);

/* Room for the arguments of a mapping with so many inputs and outputs. */
void mappings_reserve_links(DvMechanics *m, uint32_t links);
void mapping_remove(DvMechanics *m, uint32_t slot);
void field_remove(DvMechanics *m, uint32_t slot);
void constraint_remove(DvMechanics *m, uint32_t slot);
Outcome component_add(DvMechanics *m, const DvCall *call, uint32_t rank, Mode mode);
/* Whether a component that waits would have an item now. */
bool component_is_ready(const DvCall *call);

#endif
