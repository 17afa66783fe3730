/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rotations of deformations, as divan/math/decompose.h has them and in the same order: in double of elements in float too, as they are
 * found once a force, and what is nearly flat has few digits to lose.
 */
#ifndef DIVAN_CUDA_FRAMES_H
#define DIVAN_CUDA_FRAMES_H

#include "bodies.h"

BODY void cross_product(const double *a, const double *b, double *r)
{
    r[0] = a[1] * b[2] - a[2] * b[1];
    r[1] = a[2] * b[0] - a[0] * b[2];
    r[2] = a[0] * b[1] - a[1] * b[0];
}

BODY double inner_product(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* A vector without a direction stays as it is. */
BODY void make_unit(double *a)
{
    const double norm = sqrt(inner_product(a, a)), scale = 1.0 / (norm > 2.220446049250313e-16 ? norm : 1.0);
    for (int c = 0; c < 3; c++)
        a[c] *= scale;
}

/* Rows: along u, and the normal of u and v. */
BODY void frame_of_two(const double *u, const double *v, double r[3][3])
{
    for (int c = 0; c < 3; c++)
        r[0][c] = u[c];
    make_unit(r[0]);
    cross_product(r[0], v, r[2]);
    make_unit(r[2]);
    cross_product(r[2], r[0], r[1]);
}

BODY void cofactors(double m[3][3], double r[3][3])
{
    cross_product(m[1], m[2], r[0]);
    cross_product(m[2], m[0], r[1]);
    cross_product(m[0], m[1], r[2]);
}

/* Largest sum of absolute values in a column, or in a row. */
BODY double largest_column(double m[3][3])
{
    double most = 0.0;
    for (int j = 0; j < 3; j++) {
        const double sum = fabs(m[0][j]) + fabs(m[1][j]) + fabs(m[2][j]);
        most = sum > most || j == 0 ? sum : most;
    }
    return most;
}

BODY double largest_row(double m[3][3])
{
    double most = 0.0;
    for (int i = 0; i < 3; i++) {
        const double sum = fabs(m[i][0]) + fabs(m[i][1]) + fabs(m[i][2]);
        most = sum > most || i == 0 ? sum : most;
    }
    return most;
}

/* The orthogonal factor of a, a reflection where a is inverted: dv_polar. 0: a matrix on the way is singular, and q is the last one. */
BODY int polar_factor(double a[3][3], double q[3][3])
{
    double m[3][3], adjugate[3][3], move[3][3];
    int regular = 1;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m[i][j] = a[j][i];
    for (int step = 0; step < 64; step++) {
        cofactors(m, adjugate);
        const double det = inner_product(m[0], adjugate[0]);
        if (det == 0.0) {
            regular = 0;
            break;
        }
        const double ratio = largest_column(adjugate) * largest_row(adjugate) / (largest_column(m) * largest_row(m));
        const double gamma = sqrt(sqrt(ratio) / fabs(det)), ka = 0.5 * gamma, kb = 0.5 / (gamma * det);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                const double next = m[i][j] * ka + kb * adjugate[i][j];
                move[i][j] = next - m[i][j];
                m[i][j] = next;
            }
        if (largest_column(move) <= 1e-8 * largest_column(m))
            break;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            q[i][j] = m[j][i];
    return regular;
}

/* A rotation that makes a[p][q] zero, r being the third number. */
BODY void turn_pair(double a[3][3], double v[3][3], int p, int q, int r)
{
    const double tau = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    const double t = (tau < 0.0 ? -1.0 : 1.0) / (fabs(tau) + sqrt(1.0 + tau * tau));
    const double c = 1.0 / sqrt(1.0 + t * t), s = t * c, arp = a[r][p], arq = a[r][q];
    a[p][p] -= t * a[p][q];
    a[q][q] += t * a[p][q];
    a[p][q] = a[q][p] = 0.0;
    a[r][p] = a[p][r] = c * arp - s * arq;
    a[r][q] = a[q][r] = s * arp + c * arq;
    for (int k = 0; k < 3; k++) {
        const double vkp = v[k][p], vkq = v[k][q];
        v[k][p] = c * vkp - s * vkq;
        v[k][q] = s * vkp + c * vkq;
    }
}

/* The diagonal of a becomes the eigenvalues, the columns of v are the vectors: dv_sym3_eigen. */
BODY void symmetric_eigen(double a[3][3], double v[3][3])
{
    int rotated = 1;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            v[i][j] = i == j;
    for (int sweep = 0; rotated && sweep < 32; sweep++) {
        rotated = 0;
        for (int pair = 0; pair < 3; pair++) {
            const int p = pair == 2 ? 1 : 0, q = pair == 0 ? 1 : 2, r = 3 - p - q;
            if (!(fabs(a[p][q]) > 2.220446049250313e-16 * sqrt(fabs(a[p][p]) * fabs(a[q][q]))))
                continue;
            rotated = 1;
            turn_pair(a, v, p, q, r);
        }
    }
}

/* What the symmetric part of a has of negative eigenvalues: dv_sym3_negative_part. */
BODY void negative_part(double a[3][3])
{
    double e[3][3], v[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            e[i][j] = 0.5 * (a[i][j] + a[j][i]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            a[i][j] = e[i][j];
    symmetric_eigen(e, v);
    if (!(e[0][0] > 0.0 || e[1][1] > 0.0 || e[2][2] > 0.0))
        return;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            a[i][j] = 0.0;
            for (int k = 0; k < 3; k++)
                a[i][j] += e[k][k] < 0.0 ? v[i][k] * e[k][k] * v[j][k] : 0.0;
        }
}

BODY void set_column(double m[3][3], int k, const double *a)
{
    for (int i = 0; i < 3; i++)
        m[i][k] = a[i];
}

/* The axis along which w is shortest. */
BODY void shortest_axis(const double *w, double *axis)
{
    const double x = fabs(w[0]), y = fabs(w[1]), z = fabs(w[2]);
    const int k = x <= y && x <= z ? 0 : y <= z ? 1 : 2;
    for (int c = 0; c < 3; c++)
        axis[c] = c == k;
}

/* The same, each number divided. */
BODY void divide_by_norm(double *a)
{
    const double norm = sqrt(inner_product(a, a)), divisor = norm > 2.220446049250313e-16 ? norm : 1.0;
    for (int c = 0; c < 3; c++)
        a[c] /= divisor;
}

/* Columns of u that are open, beginning with the smallest value. */
BODY void fill_columns(double u[3][3], int open, int low, int mid, int high)
{
    double first[3], second[3], column[3];
    for (int c = 0; c < 3; c++)
        first[c] = u[c][high];
    if (open == 2) {
        shortest_axis(first, second);
        cross_product(second, first, column);
        divide_by_norm(column);
        set_column(u, mid, column);
    }
    for (int c = 0; c < 3; c++)
        second[c] = u[c][mid];
    cross_product(second, first, column);
    divide_by_norm(column);
    set_column(u, low, column);
}

/* The proper rotation of a: dv_polar_stable. */
BODY void stable_polar_factor(double a[3][3], double q[3][3])
{
    double v[3][3], u[3][3], square[3][3], s[3], cofactor[3][3];
    int open = 0, low = 0, mid = 1, high = 2;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            square[i][j] = a[0][i] * a[0][j] + a[1][i] * a[1][j] + a[2][i] * a[2][j];
    symmetric_eigen(square, v);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            u[i][j] = a[i][0] * v[0][j] + a[i][1] * v[1][j] + a[i][2] * v[2][j];
    for (int k = 0; k < 3; k++) {
        s[k] = square[k][k];
        if (s[k] < 1e-8) {
            open++;
            s[k] = 0.0;
            continue;
        }
        s[k] = sqrt(s[k]);
        for (int i = 0; i < 3; i++)
            u[i][k] *= 1.0 / s[k];
    }
    if (s[mid] < s[low])
        low = 1, mid = 0;
    if (s[high] < s[low]) {
        const int swap = low;
        low = high;
        high = swap;
    }
    if (s[high] < s[mid]) {
        const int swap = mid;
        mid = high;
        high = swap;
    }
    for (int i = 0; i < 3 && open == 3; i++)
        for (int j = 0; j < 3; j++)
            u[i][j] = v[i][j];
    if (open == 1 || open == 2)
        fill_columns(u, open, low, mid, high);
    cofactors(u, cofactor);
    if (inner_product(u[0], cofactor[0]) < 0.0)
        for (int i = 0; i < 3; i++)
            u[i][low] = -u[i][low];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            q[i][j] = u[i][0] * v[j][0] + u[i][1] * v[j][1] + u[i][2] * v[j][2];
}

#endif
