/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Householder's reflections to a tridiagonal matrix, then implicit QL (Golub and Van Loan, Matrix Computations, 8.3). Vectors are kept
 * in rows, so that reflections and rotations run along them.
 */
#include "symmetric_eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_TURNS = 60 }; /* per eigenvalue; 2 or 3 are usual */

static double dot(uint32_t n, const double *a, const double *b)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Row k, left of the diagonal, to (0, ..., 0, off): u in its place, the reflection is 1 - u u^T. False: it is so already. */
static bool reflector(uint32_t k, double *row, double *off)
{
    double largest = 0.0;
    for (uint32_t i = 0; i + 1 < k; i++)
        largest = fmax(largest, fabs(row[i]));
    *off = row[k - 1];
    if (largest == 0.0)
        return false;
    const double scale = fmax(largest, fabs(row[k - 1]));
    for (uint32_t i = 0; i < k; i++)
        row[i] /= scale;
    const double length = sqrt(dot(k, row, row)), sign = row[k - 1] < 0.0 ? -1.0 : 1.0;
    row[k - 1] += sign * length;
    const double norm = sqrt(length * fabs(row[k - 1])); /* |u|^2 = 2 */
    for (uint32_t i = 0; i < k; i++)
        row[i] /= norm;
    *off = -sign * length * scale;
    return true;
}

/* The leading k x k part becomes H a H, H = 1 - u u^T; p: room for k. */
static void reflect_both_sides(uint32_t n, uint32_t k, double *a, const double *u, double *p)
{
    for (uint32_t i = 0; i < k; i++)
        p[i] = dot(k, a + (size_t)i * n, u);
    const double half = 0.5 * dot(k, p, u);
    for (uint32_t i = 0; i < k; i++)
        p[i] -= half * u[i];
    for (uint32_t i = 0; i < k; i++)
        for (uint32_t j = 0; j < k; j++)
            a[(size_t)i * n + j] -= u[i] * p[j] + p[i] * u[j];
}

/* a = Q T Q^T; T: diagonal, and off[i] between i - 1 and i. Row k of a, left of the diagonal, holds reflector k, or zeros. */
static void reduce(uint32_t n, double *a, double *diagonal, double *off)
{
    for (uint32_t k = n - 1; k > 0; k--) {
        double *row = a + (size_t)k * n;
        diagonal[k] = row[k];
        if (reflector(k, row, &off[k]))
            reflect_both_sides(n, k, a, row, diagonal); /* diagonal[0 .. k-1] is free yet */
        else
            memset(row, 0, k * sizeof *row);
    }
    diagonal[0] = a[0];
    off[0] = 0.0;
}

/* Q^T by rows in the place of its reflectors: Q = H(n-1) ... H(1), each of which touches the unknowns before its own. */
static void accumulate(uint32_t n, double *a)
{
    for (uint32_t k = 0; k < n; k++) {
        double *u = a + (size_t)k * n;
        for (uint32_t i = 0; i < k; i++) { /* rows of Q^T so far, over the first k unknowns */
            double *q = a + (size_t)i * n;
            const double along = dot(k, q, u);
            for (uint32_t j = 0; j < k; j++)
                q[j] -= along * u[j];
            q[k] = 0.0;
        }
        memset(u, 0, k * sizeof *u);
        u[k] = 1.0;
    }
}

/* Vectors i and i + 1 turned by (c, s). */
static void turn(uint32_t n, double *a, uint32_t i, double c, double s)
{
    double *x = a + (size_t)i * n, *y = x + n;
    for (uint32_t k = 0; k < n; k++) {
        const double f = y[k];
        y[k] = s * x[k] + c * f;
        x[k] = c * x[k] - s * f;
    }
}

/* One QL sweep with Wilkinson's shift over the rows first .. last, which hang together. */
static void sweep(uint32_t n, double *a, double *d, double *e, uint32_t first, uint32_t last)
{
    double g = (d[first + 1] - d[first]) / (2.0 * e[first + 1]);
    g = d[last] - d[first] + e[first + 1] / (g + copysign(hypot(g, 1.0), g));
    double s = 1.0, c = 1.0, p = 0.0;
    for (uint32_t i = last; i-- > first;) {
        const double f = s * e[i + 1], b = c * e[i + 1], r = hypot(f, g);
        if (i + 1 < last)
            e[i + 2] = r;
        if (r == 0.0) { /* it falls in two here */
            d[i + 1] -= p;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        const double t = (d[i] - g) * s + 2.0 * c * b;
        p = s * t;
        d[i + 1] = g + p;
        g = c * t - b;
        turn(n, a, i, c, s);
    }
    d[first] -= p;
    e[first + 1] = g;
}

bool symmetric_eigen(uint32_t n, double *a, double *values, double *work)
{
    if (n == 0)
        return true;
    reduce(n, a, values, work);
    accumulate(n, a);
    double size = 0.0; /* what is small beside it is nothing, also between small eigenvalues */
    for (uint32_t i = 0; i < n; i++)
        size = fmax(size, fabs(values[i]) + fabs(work[i]));
    for (uint32_t first = 0; first < n; first++)
        for (uint32_t turns = 0;; turns++) {
            uint32_t last = first;
            while (last + 1 < n && fabs(work[last + 1]) > DBL_EPSILON * size)
                last++;
            if (last == first)
                break;
            if (turns == MAX_TURNS)
                return false;
            sweep(n, a, values, work, first, last);
        }
    return true;
}
