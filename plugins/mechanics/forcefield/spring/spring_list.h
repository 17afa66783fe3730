/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Springs that a class makes from a mesh: a growing list, at most one spring between two points.
 */
#ifndef DIVAN_MECHANICS_SPRING_LIST_H
#define DIVAN_MECHANICS_SPRING_LIST_H

#include "forcefield/spring/spring_blocks.h"

typedef struct SpringList {
    LinearSpring *at;
    size_t count, capacity;
    uint64_t *pair; /* open hash table of pairs, only asked, never iterated: smaller << 32 | larger, + 1; 0: free */
    size_t pair_mask, pairs;
} SpringList;

/* Starts as zeros. */
void spring_list_free(SpringList *list);
void spring_list_push(SpringList *list, LinearSpring spring);
/* False when the pair was asked about before, in either order. */
bool spring_list_new_pair(SpringList *list, uint32_t a, uint32_t b);

#endif
