/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Other ways to solve what constraint solvers solve: Lemke's algorithm, and the conditions that a solution with friction has to
 * fulfil.
 */
#ifndef TESTS_COMPLEMENTARITY_H
#define TESTS_COMPLEMENTARITY_H

#include <divan/memory.h>

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* lambda >= 0, d = q + W lambda >= 0, lambda . d = 0 by complementary pivoting (Lemke 1965). W [n x n] positive semi-definite.
 * false: a ray. */
static inline bool lemke(size_t n, const double *w, const double *q, double *lambda)
{
    const size_t width = 2 * n + 2; /* d, lambda, the artificial variable, the right side */
    double *t = dv_alloc(n * width, sizeof *t);
    size_t *basis = dv_alloc(n, sizeof *basis);
    size_t row = 0;
    for (size_t i = 0; i < n; i++) {
        double *at = t + i * width;
        at[i] = 1.0;
        for (size_t j = 0; j < n; j++)
            at[n + j] = -w[i * n + j];
        at[2 * n] = -1.0;
        at[2 * n + 1] = q[i];
        basis[i] = i;
        if (q[i] < q[row])
            row = i;
    }
    size_t entering = 2 * n;
    bool solved = n == 0 || q[row] >= 0.0;
    for (size_t pivots = 0; !solved && pivots < 100 * n + 100; pivots++) {
        double *r = t + row * width;
        const double pivot = r[entering];
        for (size_t j = 0; j < width; j++)
            r[j] /= pivot;
        for (size_t i = 0; i < n; i++) {
            double *at = t + i * width;
            const double factor = at[entering];
            if (i == row || factor == 0.0)
                continue;
            for (size_t j = 0; j < width; j++)
                at[j] -= factor * r[j];
        }
        const size_t left = basis[row];
        basis[row] = entering;
        if (left == 2 * n) {
            solved = true;
            break;
        }
        entering = left < n ? left + n : left - n; /* the complement of what left */
        double best = INFINITY;
        row = n;
        for (size_t i = 0; i < n; i++) {
            const double slope = t[i * width + entering], ratio = t[i * width + 2 * n + 1] / slope;
            /* Where ratios are equal the artificial variable leaves. */
            if (slope > 1e-12 && (ratio < best || (ratio == best && basis[i] == 2 * n))) {
                best = ratio;
                row = i;
            }
        }
        if (row == n)
            break;
    }
    memset(lambda, 0, n * sizeof *lambda);
    for (size_t i = 0; solved && i < n; i++)
        if (basis[i] >= n && basis[i] < 2 * n)
            lambda[basis[i] - n] = t[i * width + 2 * n + 1];
    dv_free(t);
    dv_free(basis);
    return solved;
}

/* How far a contact with friction is from what it has to be: normal and tangential motion d and force f of three rows each. In the
 * unit of d; `w`: how much d a unit of force makes, to compare forces with. */
static inline double coulomb_error(double mu, double w, const double d[3], const double f[3])
{
    const double size = hypot(f[1], f[2]), slip = hypot(d[1], d[2]), most = mu * f[0];
    double error = fmax(0.0, -d[0]);                             /* no penetration */
    error = fmax(error, fmax(0.0, -f[0]) * w);                   /* no pull */
    error = fmax(error, fmin(fabs(d[0]), fabs(f[0]) * w));       /* a gap or a force */
    error = fmax(error, fmax(0.0, size - most) * w);             /* within the cone */
    error = fmax(error, fmin(slip, fmax(0.0, most - size) * w)); /* sticks, or is at its edge */
    if (slip > 0.0 && size > 0.0)                                /* against the slip */
        error = fmax(error, fmin(slip + (f[1] * d[1] + f[2] * d[2]) / size, size * w));
    return error;
}

#endif
