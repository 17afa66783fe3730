/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Curves of numbers per iteration. They keep their memory.
 */
#include <divan/kit/convergence_graph.h>
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

static void print_every(const DvCurve *curve, uint32_t first, uint32_t step, DvText *text)
{
    for (uint32_t i = first; i < curve->count; i += step) {
        dv_text_add(text, " ");
        dv_text_add_double(text, curve->values[i]);
    }
}

void dv_curve_print(const DvCurve *curve, const char *name, DvText *text)
{
    dv_text_add(text, "%s%s:", text->length > 0 ? "\n" : "", name);
    print_every(curve, 0, 1, text);
}

void dv_curve_print_rows(const DvCurve *curve, uint32_t rows, DvText *text)
{
    for (uint32_t r = 0; r < rows; r++) {
        dv_text_add(text, "%sf%u:", text->length > 0 ? "\n" : "", r);
        print_every(curve, r, rows, text);
    }
}

void dv_graph_set(DvData *field, DvText *text)
{
    dv_data_set_string(field, text->at ? text->at : "");
    dv_text_free(text);
}
