/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sine and cosine, which libraries round each in its own way: to 1 ulp of double up to about 1e6, by products, sums and roundings alone.
 */
#ifndef DIVAN_CUDA_TRIGONOMETRY_H
#define DIVAN_CUDA_TRIGONOMETRY_H

#include "bodies.h"

/* Of y + low in [-pi / 4, pi / 4], by Taylor's series: what is left out is below 1e-19. */
BODY double sine_of_part(double y, double low)
{
    const double z = y * y;
    double r = -1.0 / 121645100408832000.0;
    r = r * z + 1.0 / 355687428096000.0;
    r = r * z - 1.0 / 1307674368000.0;
    r = r * z + 1.0 / 6227020800.0;
    r = r * z - 1.0 / 39916800.0;
    r = r * z + 1.0 / 362880.0;
    r = r * z - 1.0 / 5040.0;
    r = r * z + 1.0 / 120.0;
    r = r * z - 1.0 / 6.0;
    return y + (y * z * r + low * (1.0 - 0.5 * z));
}

BODY double cosine_of_part(double y, double low)
{
    const double z = y * y, half = 0.5 * z, w = 1.0 - half;
    double r = 1.0 / 2432902008176640000.0;
    r = r * z - 1.0 / 6402373705728000.0;
    r = r * z + 1.0 / 20922789888000.0;
    r = r * z - 1.0 / 87178291200.0;
    r = r * z + 1.0 / 479001600.0;
    r = r * z - 1.0 / 3628800.0;
    r = r * z + 1.0 / 40320.0;
    r = r * z - 1.0 / 720.0;
    r = r * z + 1.0 / 24.0;
    return w + (((1.0 - w) - half) + (z * z * r - y * low));
}

/* x less the nearest multiple of pi / 2, which is subtracted in three parts whose first two have 33 bits. */
BODY void sine_and_cosine(double x, double *sine, double *cosine)
{
    const double n = floor(x * 0.63661977236758134308 + 0.5);
    const double a = x - n * 1.57079632673412561417, b = n * 6.07710050630396597660e-11;
    const double c = a - b, rest = (a - c) - b, d = n * 2.02226624879595063154e-21 - rest;
    const double y = c - d, low = (c - y) - d;
    const double s = sine_of_part(y, low), k = cosine_of_part(y, low);
    const double quarter = n - 4.0 * floor(n * 0.25);
    *sine = quarter == 0.0 ? s : quarter == 1.0 ? k : quarter == 2.0 ? -s : -k;
    *cosine = quarter == 0.0 ? k : quarter == 1.0 ? -s : quarter == 2.0 ? -k : s;
}

#endif
