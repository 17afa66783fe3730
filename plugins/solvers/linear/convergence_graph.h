/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The output `graph` of iterative solvers: named curves of numbers per iteration. Recording costs a store; the text is made
 * when somebody reads the field.
 */
#ifndef DV_SOLVERS_CONVERGENCE_GRAPH_H
#define DV_SOLVERS_CONVERGENCE_GRAPH_H

#include <divan/data.h>

typedef struct DvCurve {
    double *values;
    uint32_t count, capacity;
} DvCurve;

/* Empties it and makes room for a usual number of iterations. */
void dv_curve_restart(DvCurve *curve, uint32_t iterations);
void dv_curve_add(DvCurve *curve, double value);
void dv_curve_free(DvCurve *curve);

/* "Name: 1 0.5 0.25" as one line of `text`. */
void dv_curve_print(const DvCurve *curve, const char *name, DvText *text);
/* "f0: 1 0.5 0.25" for each of `rows`, of a curve that has their values one after the other, iteration by iteration. */
void dv_curve_print_rows(const DvCurve *curve, uint32_t rows, DvText *text);
/* The text becomes the value of the field, and is freed. */
void dv_graph_set(DvData *field, DvText *text);

#endif
