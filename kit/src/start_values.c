/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Values of fields that a reset puts back.
 */
#include <divan/kit/start_values.h>

#include <divan/memory.h>

#include <string.h>

void dv_start_values_keep(DvStartValues *start, DvData *field)
{
    const void *now = dv_data_read(field);
    const size_t size = field->count * field->type->element_size;
    dv_start_values_free(start);
    *start = (DvStartValues){dv_alloc(size, 1), field->count};
    if (size > 0)
        memcpy(start->elements, now, size);
}

bool dv_start_values_put_back(const DvStartValues *start, DvData *field)
{
    const void *now = dv_data_read(field);
    const size_t size = start->count * field->type->element_size;
    if (!start->elements || (field->count == start->count && (size == 0 || memcmp(now, start->elements, size) == 0)))
        return false;
    dv_data_set(field, start->elements, start->count);
    return true;
}

void dv_start_values_free(DvStartValues *start)
{
    dv_free(start->elements);
    *start = (DvStartValues){0};
}
