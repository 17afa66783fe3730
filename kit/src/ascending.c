/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ascending lists of numbers in which each stands once; see the header.
 */
#include <divan/kit/ascending.h>

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

uint32_t dv_ascending_sort(uint32_t *numbers, uint32_t count)
{
    uint32_t kept = 0;
    if (count > 0)
        qsort(numbers, count, sizeof *numbers, compare);
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || numbers[kept - 1] != numbers[i])
            numbers[kept++] = numbers[i];
    return kept;
}
