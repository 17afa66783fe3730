/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ascending lists of numbers in which each stands once: points that a component touches, columns of a matrix, what an edit has changed.
 *
 * Threads: [any].
 */
#ifndef DIVAN_KIT_ASCENDING_H
#define DIVAN_KIT_ASCENDING_H

#include <divan/base.h>
#include <stdint.h>

DV_BEGIN_DECLS

/* Sorts a list in place and keeps each number once; how many are left. */
DV_PUBLIC uint32_t dv_ascending_sort(uint32_t *numbers, uint32_t count);

/* Where `number` stands in such a list, or would stand: the first place whose number is not below it, or `count`. */
static inline uint32_t dv_ascending_place(const uint32_t *numbers, uint32_t count, uint32_t number)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (numbers[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static inline bool dv_ascending_has(const uint32_t *numbers, uint32_t count, uint32_t number)
{
    const uint32_t place = dv_ascending_place(numbers, count, number);
    return place < count && numbers[place] == number;
}

DV_END_DECLS

#endif
