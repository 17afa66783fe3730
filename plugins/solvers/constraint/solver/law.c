/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "law.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Bilateral ---- */

static double determinant_3(const double *w)
{
    return w[0] * (w[4] * w[8] - w[5] * w[7]) + w[1] * (w[5] * w[6] - w[3] * w[8]) + w[2] * (w[3] * w[7] - w[4] * w[6]);
}

bool law_lets_go(const DvConstraintBlock *block, const double *w)
{
    return block->law == DV_LAW_BILATERAL && block->rows == 3 && block->p[1] > 0.0 &&
           !(fabs(determinant_3(w)) > block->p[1]);
}

static bool invert_3(const double *w, double *inverse)
{
    const double c00 = w[4] * w[8] - w[5] * w[7], c01 = w[5] * w[6] - w[3] * w[8], c02 = w[3] * w[7] - w[4] * w[6];
    const double det = determinant_3(w);
    /* Relative: a stiff body is no reason to let a constraint go. What rounding leaves of a singular block is some epsilons. */
    const double scale = fmax(fabs(w[0]), fmax(fabs(w[4]), fabs(w[8])));
    if (!(fabs(det) > 64.0 * DBL_EPSILON * scale * scale * scale))
        return false;
    inverse[0] = c00 / det;
    inverse[1] = (w[2] * w[7] - w[1] * w[8]) / det;
    inverse[2] = (w[1] * w[5] - w[2] * w[4]) / det;
    inverse[3] = c01 / det;
    inverse[4] = (w[0] * w[8] - w[2] * w[6]) / det;
    inverse[5] = (w[2] * w[3] - w[0] * w[5]) / det;
    inverse[6] = c02 / det;
    inverse[7] = (w[1] * w[6] - w[0] * w[7]) / det;
    inverse[8] = (w[0] * w[4] - w[1] * w[3]) / det;
    return true;
}

/* The inverse of a symmetric positive semi-definite matrix, by Gauss-Jordan in place, the largest pivot first; rows without a pivot
 * of their own become zero, so that what several rows say twice is said once. left[n]: rows to come. */
static void invert(uint32_t n, const double *w, double *inverse, double *left)
{
    double scale = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        scale = fmax(scale, fabs(w[i * n + i]));
        left[i] = 1.0;
    }
    memcpy(inverse, w, (size_t)n * n * sizeof *w);
    for (uint32_t pass = 0; pass < n; pass++) {
        uint32_t k = 0;
        double pivot = -1.0;
        for (uint32_t i = 0; i < n; i++)
            if (left[i] != 0.0 && inverse[i * n + i] > pivot)
                pivot = inverse[(k = i) * n + i];
        if (!(pivot > 8.0 * (double)n * DBL_EPSILON * scale))
            break;
        left[k] = 0.0;
        inverse[k * n + k] = 1.0;
        for (uint32_t j = 0; j < n; j++)
            inverse[k * n + j] /= pivot;
        for (uint32_t i = 0; i < n; i++) {
            const double factor = inverse[i * n + k];
            if (i == k || factor == 0.0)
                continue;
            inverse[i * n + k] = 0.0;
            for (uint32_t j = 0; j < n; j++)
                inverse[i * n + j] -= factor * inverse[k * n + j];
        }
    }
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n && left[k] != 0.0; i++)
            inverse[k * n + i] = inverse[i * n + k] = 0.0;
}

void law_factor(const DvConstraintBlock *block, const double *w, double *factor, double *scratch)
{
    if (block->law != DV_LAW_BILATERAL || block->rows == 1)
        return;
    if (law_lets_go(block, w)) {
        memset(factor, 0, 9 * sizeof *factor);
        return;
    }
    if (block->rows == 3 && invert_3(w, factor))
        return;
    invert(block->rows, w, factor, scratch);
}

static void bilateral(const DvConstraintBlock *block, const double *w, const double *factor, const double *d,
                      double *lambda)
{
    if (block->rows == 1) {
        if (w[0] != 0.0)
            lambda[0] -= block->p[0] * d[0] / w[0];
        return;
    }
    for (uint32_t i = 0; i < block->rows; i++)
        for (uint32_t j = 0; j < block->rows; j++)
            lambda[i] -= block->p[0] * d[j] * factor[i * block->rows + j];
}

/* ---- Contacts ---- */

static void unilateral(const DvConstraintBlock *block, const double *w, const double *d, double *lambda)
{
    lambda[0] = w[0] > block->p[1] ? fmax(lambda[0] - d[0] / w[0], 0.0) : 0.0;
}

static void augmented(double mu, double epsilon, const double *d, double *lambda)
{
    const double normal = lambda[0] - epsilon * d[0];
    if (normal < 0.0) {
        lambda[0] = lambda[1] = lambda[2] = 0.0;
        return;
    }
    lambda[0] = normal;
    const double a = lambda[1] - epsilon * d[1], b = lambda[2] - epsilon * d[2];
    if (sqrt(a * a + b * b) < mu * fabs(normal)) {
        lambda[1] = a;
        lambda[2] = b;
        return;
    }
    const double slip = sqrt(d[1] * d[1] + d[2] * d[2]);
    if (slip > 0.0) {
        lambda[1] -= mu * d[0] * epsilon * d[1] / slip;
        lambda[2] -= mu * d[0] * epsilon * d[2] / slip;
    }
}

/* ---- An interval ---- */

static void interval(const DvConstraintBlock *block, const double *w, const double *d, double *lambda)
{
    const double u = d[0] - w[0] * lambda[0]; /* without this force */
    if (!(w[0] > 0.0) || (u >= block->p[0] && u <= block->p[1]))
        lambda[0] = 0.0;
    else
        lambda[0] = ((u > block->p[1] ? block->p[1] : block->p[0]) - u) / w[0];
}

void law_resolve(const DvConstraintBlock *block, const double *w, const double *factor, double *d, double *lambda)
{
    switch (block->law) {
    case DV_LAW_BILATERAL:
        bilateral(block, w, factor, d, lambda);
        break;
    case DV_LAW_UNILATERAL:
        unilateral(block, w, d, lambda);
        break;
    case DV_LAW_FRICTION:
        law_friction(block->p[0], block->p[1], w, d, lambda);
        break;
    case DV_LAW_AUGMENTED:
        augmented(block->p[0], block->p[1], d, lambda);
        break;
    case DV_LAW_INTERVAL:
        interval(block, w, d, lambda);
        break;
    case DV_LAW_OWN:
        block->own->resolve(block, w, d, lambda);
        break;
    }
}
