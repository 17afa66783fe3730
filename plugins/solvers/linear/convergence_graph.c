/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Curves of numbers per iteration. They keep their memory.
 */
#include "linear/convergence_graph.h"

#include <divan/memory.h>

enum { MAX_RESERVED = 4096 };

static void reserve(DvCurve *curve, uint32_t capacity)
{
    if (capacity <= curve->capacity)
        return;
    curve->values = dv_realloc(curve->values, curve->capacity * sizeof(double), capacity * sizeof(double));
    curve->capacity = capacity;
}

void dv_curve_restart(DvCurve *curve, uint32_t iterations)
{
    curve->count = 0;
    reserve(curve, iterations < MAX_RESERVED ? iterations + 1 : MAX_RESERVED);
}

void dv_curve_add(DvCurve *curve, double value)
{
    if (curve->count == curve->capacity)
        reserve(curve, curve->capacity < 64 ? 64 : 2 * curve->capacity);
    curve->values[curve->count++] = value;
}

void dv_curve_free(DvCurve *curve)
{
    dv_free(curve->values);
    *curve = (DvCurve){0};
}

void dv_curve_print(const DvCurve *curve, const char *name, DvText *text)
{
    dv_text_add(text, "%s%s:", text->length > 0 ? "\n" : "", name);
    for (uint32_t i = 0; i < curve->count; i++) {
        dv_text_add(text, " ");
        dv_text_add_double(text, curve->values[i]);
    }
}
