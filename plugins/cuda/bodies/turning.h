/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Matrices of three by three, by rows, and rotations: what bodies that turn need, in double.
 */
#ifndef DIVAN_CUDA_TURNING_H
#define DIVAN_CUDA_TURNING_H

#include "trigonometry.h"

/* R A R^T */
BODY void turn_matrix(const double *r, const double *a, double *out)
{
    double half[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            half[3 * i + j] = (r[3 * i] * a[j] + r[3 * i + 1] * a[3 + j]) + r[3 * i + 2] * a[6 + j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = (half[3 * i] * r[3 * j] + half[3 * i + 1] * r[3 * j + 1]) + half[3 * i + 2] * r[3 * j + 2];
}

BODY void matrix_of_rotation(const double *q, double *r)
{
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    r[0] = 1.0 - 2.0 * (y * y + z * z);
    r[1] = 2.0 * (x * y - z * w);
    r[2] = 2.0 * (z * x + y * w);
    r[3] = 2.0 * (x * y + z * w);
    r[4] = 1.0 - 2.0 * (z * z + x * x);
    r[5] = 2.0 * (y * z - x * w);
    r[6] = 2.0 * (z * x - y * w);
    r[7] = 2.0 * (y * z + x * w);
    r[8] = 1.0 - 2.0 * (y * y + x * x);
}

BODY void times(const double *a, const double *x, double *r)
{
    for (int i = 0; i < 3; i++)
        r[i] = (a[3 * i] * x[0] + a[3 * i + 1] * x[1]) + a[3 * i + 2] * x[2];
}

/* a x b */
BODY void across(const double *a, const double *b, double *r)
{
    r[0] = a[1] * b[2] - a[2] * b[1];
    r[1] = a[2] * b[0] - a[0] * b[2];
    r[2] = a[0] * b[1] - a[1] * b[0];
}

/* a += k [u]x */
BODY void add_skew(const double *u, double k, double *a)
{
    a[1] -= k * u[2];
    a[2] += k * u[1];
    a[3] += k * u[2];
    a[5] -= k * u[0];
    a[6] -= k * u[1];
    a[7] += k * u[0];
}

/* D with exp(u + d) = exp(D d) exp(u) to first order in d. */
BODY void tangent_of_turn(const double *u, double *out)
{
    const double square = (u[0] * u[0] + u[1] * u[1]) + u[2] * u[2], angle = sqrt(square);
    double sine, cosine, skew[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    sine_and_cosine(angle, &sine, &cosine);
    const double first = angle < 1e-2 ? 0.5 - square / 24.0 + square * square / 720.0 : (1.0 - cosine) / square;
    const double second =
        angle < 1e-2 ? 1.0 / 6.0 - square / 120.0 + square * square / 5040.0 : (angle - sine) / (square * angle);
    add_skew(u, 1.0, skew);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double twice =
                (skew[3 * i] * skew[j] + skew[3 * i + 1] * skew[3 + j]) + skew[3 * i + 2] * skew[6 + j];
            out[3 * i + j] = ((i == j ? 1.0 : 0.0) + first * skew[3 * i + j]) + second * twice;
        }
}

/* x = A^-1 b by Cramer's rule; false: A is singular. */
BODY int solve_three(const double *a, const double *b, double *x)
{
    double columns[3][3], pair[3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            columns[j][i] = a[3 * i + j];
    across(columns[1], columns[2], pair);
    const double det = (columns[0][0] * pair[0] + columns[0][1] * pair[1]) + columns[0][2] * pair[2];
    if (det == 0.0)
        return 0;
    for (int k = 0; k < 3; k++) {
        across(columns[(k + 1) % 3], columns[(k + 2) % 3], pair);
        x[k] = ((b[0] * pair[0] + b[1] * pair[1]) + b[2] * pair[2]) / det;
    }
    return 1;
}

/* The end of a step of a body: one Newton step from no change of its angular velocity w. b: h times the torque; false: there is none. */
BODY int turn_of_step(const double *start, const double *w, const double *b, double h, double p, double *turn)
{
    double angle[3], momentum[3], torque[3], end_momentum[3], residual[3], q[4], r[9], end[9], square = 0;
    double sine, cosine, tangent[9], change[9], newton[9];
    for (int c = 0; c < 3; c++) {
        angle[c] = w[c] * h;
        q[c] = angle[c] * 0.5;
        square += q[c] * q[c];
    }
    const double theta = sqrt(square);
    const int small = theta < 2.2204460492503131e-16;
    sine_and_cosine(theta, &sine, &cosine);
    for (int c = 0; c < 3; c++)
        q[c] = small ? q[c] : q[c] * (sine / theta);
    q[3] = small ? 1.0 : cosine;
    matrix_of_rotation(q, r);
    turn_matrix(r, start, end);
    times(start, w, momentum);
    times(end, w, end_momentum);
    across(momentum, w, torque);
    for (int c = 0; c < 3; c++)
        residual[c] = ((b[c] - torque[c] * h) + momentum[c]) - end_momentum[c];
    for (int k = 0; k < 3; k++) /* J [w]x, by rows */
        across(end + 3 * k, w, change + 3 * k);
    add_skew(end_momentum, -1.0, change);
    tangent_of_turn(angle, tangent);
    for (int a = 0; a < 3; a++)
        for (int c = 0; c < 3; c++)
            newton[3 * a + c] =
                end[3 * a + c] + (h * p) * ((change[3 * a] * tangent[c] + change[3 * a + 1] * tangent[3 + c]) +
                                            change[3 * a + 2] * tangent[6 + c]);
    return solve_three(newton, residual, turn);
}

#endif
