/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Values of a field as they are when a scene starts, for a reset of the mesh that they belong to.
 */
#ifndef DIVAN_MECHANICS_FIRST_VALUES_H
#define DIVAN_MECHANICS_FIRST_VALUES_H

#include <string.h>

#include <divan/data.h>
#include <divan/memory.h>

typedef struct FirstValues {
    double *at; /* [count]; NULL: never kept */
    size_t count;
} FirstValues;

static inline void first_values_forget(FirstValues *first)
{
    dv_free(first->at);
    *first = (FirstValues){0};
}

/* Of a field of numbers. */
static inline void first_values_keep(FirstValues *first, DvData *field)
{
    first_values_forget(first);
    const double *now = dv_data_doubles(field, &first->count);
    first->at = dv_alloc(first->count, sizeof *first->at);
    if (first->count)
        memcpy(first->at, now, first->count * sizeof *now);
}

static inline void first_values_put_back(const FirstValues *first, DvData *field)
{
    if (first->at)
        dv_data_set(field, first->at, first->count);
}

#endif
