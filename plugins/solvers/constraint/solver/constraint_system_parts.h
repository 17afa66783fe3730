/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of the system of constraints share: gathering and sharing out (constraint_gathering.c), the problem of a step
 * (constraint_system.c), applying its solution (constraint_applying.c).
 */
#ifndef DIVAN_SOLVERS_CONSTRAINT_SYSTEM_PARTS_H
#define DIVAN_SOLVERS_CONSTRAINT_SYSTEM_PARTS_H

#include "constraint_system.h"

#include <divan/divan.h>
#include <divan/memory.h>

#include <math.h>
#include <string.h>

typedef struct ConstraintItem {
    DvObject *object;
    const DvLagrangianConstraintOps *ops;
    void *self;
    uint64_t order;
    uint32_t rank;
    uint32_t first, rows, first_block; /* in this step */
} ConstraintItem;

typedef struct StateEntries {
    DvRowEntries entries; /* first: see grow_entries */
    DvObject *state;
    size_t value_capacity;
} StateEntries;

typedef struct CorrectionItem {
    DvObject *object;
    const DvConstraintCorrectionOps *ops;
    void *self;
    uint32_t first_state, states; /* into the moved states */
    size_t unknowns;
    DvSparseRows j;      /* over its unknowns, of this step */
    const uint32_t *row; /* [j.rows] rows of the problem */
    uint32_t entries, last_row;
} CorrectionItem;

/* A state that a correction moves. */
typedef struct MovedState {
    DvStateRef ref;
    uint32_t correction;
    size_t offset, count; /* unknowns in the mechanics */
    size_t local;         /* first of them in its correction */
} MovedState;

/* Numbers by object: open addressing, emptied in each step. */
typedef struct ObjectMap {
    const DvObject **keys;
    uint32_t *values;
    uint32_t size, count; /* size: a power of 2 */
} ObjectMap;

struct ConstraintSystem {
    DvObject *object;
    DvNode *node;
    const DvMechanicalOperationsOps *ops;
    DvMechanics *m;
    uint32_t laws; /* that the solver's class serves */
    ProblemPool pool;
    ConstraintItem *items;
    uint32_t item_count, item_capacity;
    StateEntries **lists; /* by pointer: constraints hold them while more are added */
    uint32_t list_count, list_capacity;
    ObjectMap list_of;      /* state: its list */
    ObjectMap place_of;     /* independent state: its place in `independent` */
    DvObject **independent; /* [independent_count] in the order of the unknowns */
    size_t *offsets;        /* [independent_count] their first unknowns */
    uint32_t independent_count, independent_capacity, offset_capacity;
    DvConstraintRows rows; /* what constraints write into; its blocks are those of the step */
    CorrectionItem *corrections;
    uint32_t correction_count, correction_capacity;
    DvObject **mapped; /* [mapped_count] states that mappings compute */
    uint32_t mapped_count, mapped_capacity;
    DvObject **objects; /* states of one correction, while they are gathered */
    uint32_t object_capacity;
    MovedState *moved;
    uint32_t moved_count, moved_capacity;
    uint32_t *by_offset; /* [moved_count] moved states in the order of the unknowns */
    uint32_t by_offset_capacity;
    DvStateRows *parts;
    uint32_t part_capacity;
    uint32_t *owner; /* [entries of J] moved state of each */
    size_t owner_capacity;
    double *work;
    size_t work_capacity;
    double *force;  /* of a correction, dense; zero between two uses, and so is... */
    uint64_t *acts; /* ...this, a bit for each of its numbers */
    size_t force_capacity;
    uint32_t *places; /* the numbers of a force that are not zero, by their places */
    double *numbers;
    uint32_t place_capacity, number_capacity;
    bool leaves_displacement;
    bool told_of_two, told_of_none, told_of_let_go, told_of_friction;
};

static inline void *room(void *array, uint32_t *capacity, uint32_t needed, size_t size)
{
    if (needed <= *capacity)
        return array;
    const uint32_t more = needed > 2 * *capacity ? needed + 16 : 2 * *capacity;
    array = dv_realloc(array, *capacity * size, more * size);
    *capacity = more;
    return array;
}

const ConstraintItem *constraint_system_item_of_row(const ConstraintSystem *s, uint32_t row);
void constraint_system_map_restart(ObjectMap *map);
void constraint_system_map_put(ObjectMap *map, const DvObject *object, uint32_t value);
bool constraint_system_map_get(const ObjectMap *map, const DvObject *object, uint32_t *value);
void constraint_system_gather_constraints(ConstraintSystem *s);
/* The first moved state, in the order of the unknowns, that ends behind `unknown`. */
uint32_t constraint_system_find_moved(const ConstraintSystem *s, size_t unknown);
DvStatus constraint_system_gather_corrections(ConstraintSystem *s);

#endif
