/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a field holds when a scene starts, for a reset of the mesh that its values belong to.
 */
#ifndef DIVAN_KIT_START_VALUES_H
#define DIVAN_KIT_START_VALUES_H

#include <divan/data.h>

DV_BEGIN_DECLS

/* Start with zeros. */
typedef struct DvStartValues {
    void *elements; /* [count] of the field's type; NULL: none are kept */
    size_t count;
} DvStartValues;

/* Keeps a copy of what the field holds now, numbers of any type; what was kept before is freed.     [main] */
DV_PUBLIC void dv_start_values_keep(DvStartValues *start, DvData *field);
/* The field holds them again. False: it did anyhow, or none are kept, and it is not written.     [main] */
DV_PUBLIC bool dv_start_values_put_back(const DvStartValues *start, DvData *field);
DV_PUBLIC void dv_start_values_free(DvStartValues *start);

DV_END_DECLS
#endif
