/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Numbers of elements in fields.
 */
#include <divan/kit/followed_values.h>

#include <string.h>

#include <divan/memory.h>

static void renumber(double *value, uint32_t count, const uint32_t *order)
{
    double *former = dv_alloc(count, sizeof *former);
    memcpy(former, value, count * sizeof *former);
    for (uint32_t i = 0; i < count; i++)
        value[i] = former[order[i]];
    dv_free(former);
}

void dv_followed_values_change(DvData *field, uint32_t before, const DvElementChange *change)
{
    double *value = dv_data_begin(field, before > change->total ? before : change->total);
    if (change->change == DV_ELEMENTS_REMOVED)
        for (uint32_t i = 0; i < change->count; i++)
            value[change->indices[i]] = value[before - 1 - i];
    if (change->change == DV_ELEMENTS_RENUMBERED)
        renumber(value, change->count < before ? change->count : before, change->indices);
    (void)dv_data_begin(field, change->total);
    dv_data_end(field);
}
