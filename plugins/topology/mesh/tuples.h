/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which of many tuples of indices are equal: the one question behind edges shared by triangles and faces shared by
 * volumes. Answered by a stable radix sort, so in linear time for any input and without an order that depends on
 * hashes.
 */
#ifndef DIVAN_TOPOLOGY_TUPLES_H
#define DIVAN_TOPOLOGY_TUPLES_H

#include <stdint.h>

/* first[i] is the smallest j whose tuple equals tuple i (first[i] == i: the first of its kind).
 * tuples: count x arity, arity at most 4. */
void tuples_find_first(uint32_t arity, uint32_t count, const uint32_t *tuples, uint32_t *first);

/* Sorts at most 4 values in place, ascending. */
static inline void tuple_sort(uint32_t arity, uint32_t *tuple)
{
    for (uint32_t i = 1; i < arity; i++)
        for (uint32_t j = i; j > 0 && tuple[j] < tuple[j - 1]; j--) {
            const uint32_t swap = tuple[j];
            tuple[j] = tuple[j - 1];
            tuple[j - 1] = swap;
        }
}

#endif
