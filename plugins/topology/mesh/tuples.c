/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Least significant digit radix sort of a permutation, 11 bits at a time, skipping digits that are zero in all tuples:
 * a mesh below 2048 points takes one pass per component. Stability makes the first of a run the first in the input.
 */
#include "tuples.h"

#include <divan/memory.h>
#include <stdbool.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

static void sort_pass(uint32_t arity, uint32_t count, const uint32_t *value, uint32_t shift, const uint32_t *from,
                      uint32_t *to)
{
    uint32_t start[DIGITS + 1] = {0};
    for (uint32_t i = 0; i < count; i++)
        start[1 + ((value[(size_t)i * arity] >> shift) & (DIGITS - 1))]++;
    for (uint32_t digit = 0; digit < DIGITS; digit++)
        start[digit + 1] += start[digit];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t tuple = from[i];
        to[start[(value[(size_t)tuple * arity] >> shift) & (DIGITS - 1)]++] = tuple;
    }
}

void tuples_find_first(uint32_t arity, uint32_t count, const uint32_t *tuples, uint32_t *first)
{
    if (count == 0)
        return;
    uint32_t any[4] = {0};
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < arity; c++)
            any[c] |= tuples[(size_t)i * arity + c];
    uint32_t *order = dv_alloc(count, sizeof *order), *sorted = dv_alloc(count, sizeof *sorted);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (uint32_t c = arity; c-- > 0;)
        for (uint32_t shift = 0; shift < 32 && any[c] >> shift; shift += DIGIT_BITS) {
            sort_pass(arity, count, tuples + c, shift, order, sorted);
            uint32_t *swap = order;
            order = sorted;
            sorted = swap;
        }
    first[order[0]] = order[0];
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t tuple = order[i], before = order[i - 1];
        const bool same =
            memcmp(tuples + (size_t)tuple * arity, tuples + (size_t)before * arity, arity * sizeof *tuples) == 0;
        first[tuple] = same ? first[before] : tuple;
    }
    dv_free(order);
    dv_free(sorted);
}
