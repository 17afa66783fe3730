/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <divan/kit/kept_pairs.h>

#include <stdlib.h>

enum { MANY_NUMBERS = 1024 };

int dv_kept_pairs_compare(const void *a, const void *b)
{
    const uint32_t *left = a, *right = b;
    const int i = left[0] == right[0];
    return left[i] < right[i] ? -1 : left[i] > right[i];
}

void dv_kept_pairs_prune(DvKeptPairs *kept, bool (*coupled)(const void *context, uint32_t first, uint32_t second),
                         const void *context)
{
    if (!kept || kept->pairs.count < 2 * kept->pruned + MANY_NUMBERS)
        return;
    const size_t count = kept->pairs.count / 2;
    uint32_t *at = dv_data_begin(&kept->pairs, 2 * count);
    qsort(at, count, 2 * sizeof *at, dv_kept_pairs_compare);
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t first = at[2 * i], second = at[2 * i + 1];
        if ((used > 0 && at[used - 2] == first && at[used - 1] == second) || coupled(context, first, second))
            continue;
        at[used++] = first;
        at[used++] = second;
    }
    (void)dv_data_begin(&kept->pairs, used);
    dv_data_end(&kept->pairs);
    kept->pruned = used;
}
