/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Arithmetic on flat arrays of doubles: what the vectors of a state are combined with.
 *
 * Loops are written over blocks of eight doubles, which every instruction set cuts to its own width, so all of them give the
 * same bits. Sums have sixteen partial sums that are added in a fixed order. Long arrays are cut into chunks by the task
 * pool; short ones stay on the calling thread, where handing out work would cost more than the work.
 */
#ifndef DIVAN_MECHANICS_VECTOR_ARITHMETIC_H
#define DIVAN_MECHANICS_VECTOR_ARITHMETIC_H

#include <stdbool.h>
#include <stddef.h>

/* All arrays hold n doubles; results may be one of the operands. */
void dv_array_clear(double *r, size_t n); /* r = 0 */
void dv_array_fill(double *r, size_t n, double value);
void dv_array_copy(double *r, const double *a, size_t n);
void dv_array_scale(double *r, const double *b, size_t n, double k);                       /* r = k b */
void dv_array_add_scaled(double *r, const double *a, const double *b, size_t n, double k); /* r = a + k b */
double dv_array_dot(const double *a, const double *b, size_t n);
double dv_array_copy_dot(double *r, const double *a, size_t n); /* r = a; gives the dot product of a with itself */
bool dv_array_is_finite(const double *a, size_t n);

#endif
