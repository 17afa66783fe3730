/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which of many tuples of indices are equal: the one question behind edges shared by triangles and faces shared by
 * volumes. The answer does not depend on how it is found.
 */
#ifndef DIVAN_KIT_TUPLES_H
#define DIVAN_KIT_TUPLES_H

#include <divan/base.h>
#include <stdint.h>

DV_BEGIN_DECLS

/* first[i] is the smallest j whose tuple equals tuple i (first[i] == i: the first of its kind).
 * tuples: count x arity, arity at most 4. */
DV_PUBLIC void dv_tuples_find_first(uint32_t arity, uint32_t count, const uint32_t *tuples, uint32_t *first);

static inline void dv_tuple_order(uint32_t *a, uint32_t *b)
{
    const uint32_t low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
    *a = low;
    *b = high;
}

/* Sorts at most 4 values in place, ascending. */
static inline void dv_tuple_sort(uint32_t arity, uint32_t *tuple)
{
    for (uint32_t pass = 1; pass < arity; pass++)
        for (uint32_t i = 0; i + pass < arity; i++)
            dv_tuple_order(&tuple[i], &tuple[i + 1]);
}

DV_END_DECLS

#endif
