/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The output `graph` of iterative solvers: named curves of numbers per iteration. Recording costs a store; the text is made
 * when somebody reads the field. A zeroed DvCurve is empty.
 *
 * Threads: restart and add [step], the others [main].
 */
#ifndef DIVAN_KIT_CONVERGENCE_GRAPH_H
#define DIVAN_KIT_CONVERGENCE_GRAPH_H

#include <divan/data.h>

DV_BEGIN_DECLS

typedef struct DvCurve {
    double *values;
    uint32_t count, capacity;
} DvCurve;

/* Empties it and makes room for a usual number of iterations. */
DV_PUBLIC void dv_curve_restart(DvCurve *curve, uint32_t iterations);
DV_PUBLIC void dv_curve_add(DvCurve *curve, double value);
DV_PUBLIC void dv_curve_free(DvCurve *curve);

/* "Name: 1 0.5 0.25" as one line of `text`. */
DV_PUBLIC void dv_curve_print(const DvCurve *curve, const char *name, DvText *text);
/* "f0: 1 0.5 0.25" for each of `rows`, of a curve that has their values one after the other, iteration by iteration. */
DV_PUBLIC void dv_curve_print_rows(const DvCurve *curve, uint32_t rows, DvText *text);
/* The text becomes the value of the field, and is freed. */
DV_PUBLIC void dv_graph_set(DvData *field, DvText *text);

DV_END_DECLS
#endif
