/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether computed fields are finite: what an engine has divided by nothing, or raised beyond all numbers, is told where it comes from,
 * not where it ends up.
 */
#ifndef DIVAN_FINITE_H
#define DIVAN_FINITE_H

#include <divan/data.h>
#include <divan/log.h>
#include <divan/object.h>
#include <divan/worst.h>

#include <string.h>

DV_BEGIN_DECLS

/* Of `count` numbers.     [any] */
static inline bool dv_all_finite(const double *at, size_t count)
{
    const uint64_t exponent = UINT64_C(0x7ff) << 52, one = UINT64_C(1) << 52;
    uint64_t carry = 0; /* the highest bit: of some number the exponent was full */
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, at + i, sizeof bits);
        carry |= (bits & exponent) + one;
    }
    return carry >> 63 == 0;
}

#define DV_NOT_FINITE_WHY "inputs are too large, or something is divided by 0"

/* Warns of the first output of an object, as it is now, that holds a number which is not finite, unless that has been `said`.     [step] */
static inline void dv_tell_not_finite(DvObject *object, bool *said)
{
    for (size_t i = 0; i < dv_object_field_count(object) && !*said; i++) {
        DvData *data = dv_object_field_at(object, i);
        const DvType *type = data->type;
        const double *at = (const double *)data->value;
        if (!(data->field->flags & DV_FIELD_OUTPUT) || type->scalar != DV_SCALAR_DOUBLE || !at ||
            dv_all_finite(at, data->count * type->components))
            continue;
        DvWorst wrong;
        char worst[DV_WORST_TEXT];
        memset(&wrong, 0, sizeof wrong);
        for (size_t k = 0; k < data->count; k++)
            if (!dv_all_finite(at + k * type->components, type->components))
                dv_worst_add(&wrong, (uint32_t)k, 0);
        if (type->list)
            dv_field_warning(data, -1, "%u of %zu entries are not finite: %s; " DV_NOT_FINITE_WHY, wrong.count,
                             data->count, dv_worst_text(&wrong, worst));
        else
            dv_field_warning(data, -1, "is not finite; " DV_NOT_FINITE_WHY);
        *said = true;
    }
}

DV_END_DECLS

#endif
