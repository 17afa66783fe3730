/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * 3 x 3 matrices of doubles, row-major, passed by value: m[row][column].
 */
#ifndef DIVAN_MATH_MAT_H
#define DIVAN_MATH_MAT_H

#include <divan/math/vec.h>

typedef struct DvMat3 {
    double m[3][3];
} DvMat3;

/* clang-format off */
static inline DvMat3 dv_mat3_from_rows(DvVec3 a, DvVec3 b, DvVec3 c)
{
    DvMat3 r = {{{a.x, a.y, a.z},
                 {b.x, b.y, b.z},
                 {c.x, c.y, c.z}}};
    return r;
}

static inline DvMat3 dv_mat3_from_columns(DvVec3 a, DvVec3 b, DvVec3 c)
{
    DvMat3 r = {{{a.x, b.x, c.x},
                 {a.y, b.y, c.y},
                 {a.z, b.z, c.z}}};
    return r;
}

static inline DvMat3 dv_mat3_diagonal(DvVec3 d)
{
    DvMat3 r = {{{d.x, 0.0, 0.0},
                 {0.0, d.y, 0.0},
                 {0.0, 0.0, d.z}}};
    return r;
}

/* The cross product as a matrix: skew(a) b = a x b. */
static inline DvMat3 dv_mat3_skew(DvVec3 a)
{
    DvMat3 r = {{{0.0, -a.z, a.y},
                 {a.z, 0.0, -a.x},
                 {-a.y, a.x, 0.0}}};
    return r;
}

/* a b^T */
static inline DvMat3 dv_mat3_outer(DvVec3 a, DvVec3 b)
{
    DvMat3 r = {{{a.x * b.x, a.x * b.y, a.x * b.z},
                 {a.y * b.x, a.y * b.y, a.y * b.z},
                 {a.z * b.x, a.z * b.y, a.z * b.z}}};
    return r;
}
/* clang-format on */

static inline DvMat3 dv_mat3_zero(void)
{
    return dv_mat3_diagonal(dv_vec3_zero());
}

static inline DvMat3 dv_mat3_identity(void)
{
    return dv_mat3_diagonal(dv_vec3(1.0, 1.0, 1.0));
}

static inline DvMat3 dv_mat3_load(const double *p) /* p: 9 doubles, row-major */
{
    DvMat3 r = {{{p[0], p[1], p[2]}, {p[3], p[4], p[5]}, {p[6], p[7], p[8]}}};
    return r;
}

static inline void dv_mat3_store(DvMat3 a, double *p) /* p: 9 doubles, row-major */
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            p[3 * i + j] = a.m[i][j];
}

static inline DvVec3 dv_mat3_row(DvMat3 a, int row)
{
    return dv_vec3(a.m[row][0], a.m[row][1], a.m[row][2]);
}

static inline DvVec3 dv_mat3_column(DvMat3 a, int column)
{
    return dv_vec3(a.m[0][column], a.m[1][column], a.m[2][column]);
}

static inline DvMat3 dv_mat3_with_column(DvMat3 a, int column, DvVec3 c)
{
    a.m[0][column] = c.x;
    a.m[1][column] = c.y;
    a.m[2][column] = c.z;
    return a;
}

static inline DvMat3 dv_mat3_transpose(DvMat3 a)
{
    return dv_mat3_from_columns(dv_mat3_row(a, 0), dv_mat3_row(a, 1), dv_mat3_row(a, 2));
}

static inline DvMat3 dv_mat3_add(DvMat3 a, DvMat3 b)
{
    DvMat3 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.m[i][j] = a.m[i][j] + b.m[i][j];
    return r;
}

static inline DvMat3 dv_mat3_sub(DvMat3 a, DvMat3 b)
{
    DvMat3 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.m[i][j] = a.m[i][j] - b.m[i][j];
    return r;
}

static inline DvMat3 dv_mat3_scale(DvMat3 a, double k)
{
    DvMat3 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.m[i][j] = a.m[i][j] * k;
    return r;
}

/* a + k b */
static inline DvMat3 dv_mat3_madd(DvMat3 a, double k, DvMat3 b)
{
    DvMat3 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.m[i][j] = a.m[i][j] + k * b.m[i][j];
    return r;
}

/* (a + a^T) / 2 */
static inline DvMat3 dv_mat3_symmetric_part(DvMat3 a)
{
    return dv_mat3_scale(dv_mat3_add(a, dv_mat3_transpose(a)), 0.5);
}

/* a b */
static inline DvMat3 dv_mat3_mul(DvMat3 a, DvMat3 b)
{
    DvMat3 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
    return r;
}

/* a^T b */
static inline DvMat3 dv_mat3_transposed_mul(DvMat3 a, DvMat3 b)
{
    DvMat3 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.m[i][j] = a.m[0][i] * b.m[0][j] + a.m[1][i] * b.m[1][j] + a.m[2][i] * b.m[2][j];
    return r;
}

/* a b^T */
static inline DvMat3 dv_mat3_mul_transposed(DvMat3 a, DvMat3 b)
{
    DvMat3 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.m[i][j] = a.m[i][0] * b.m[j][0] + a.m[i][1] * b.m[j][1] + a.m[i][2] * b.m[j][2];
    return r;
}

/* a v */
static inline DvVec3 dv_mat3_mul_vec(DvMat3 a, DvVec3 v)
{
    return dv_vec3(a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z,
                   a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
                   a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z);
}

/* a^T v */
static inline DvVec3 dv_mat3_transposed_mul_vec(DvMat3 a, DvVec3 v)
{
    return dv_vec3(a.m[0][0] * v.x + a.m[1][0] * v.y + a.m[2][0] * v.z,
                   a.m[0][1] * v.x + a.m[1][1] * v.y + a.m[2][1] * v.z,
                   a.m[0][2] * v.x + a.m[1][2] * v.y + a.m[2][2] * v.z);
}

static inline double dv_mat3_trace(DvMat3 a)
{
    return a.m[0][0] + a.m[1][1] + a.m[2][2];
}

/* The six products in the order of the rule of Sarrus. Points that lie exactly on the border of a mesh element are told
 * from outside points by the last bit of quantities derived from it, so the order is part of the contract. */
static inline double dv_mat3_det(DvMat3 a)
{
    return a.m[0][0] * a.m[1][1] * a.m[2][2] + a.m[1][0] * a.m[2][1] * a.m[0][2] + a.m[2][0] * a.m[0][1] * a.m[1][2] -
           a.m[0][0] * a.m[2][1] * a.m[1][2] - a.m[1][0] * a.m[0][1] * a.m[2][2] - a.m[2][0] * a.m[1][1] * a.m[0][2];
}

/* The cofactor matrix: cofactor(a)^T a = det(a) I. Its rows are the cross products of the rows of a. */
static inline DvMat3 dv_mat3_cofactor(DvMat3 a)
{
    const DvVec3 r0 = dv_mat3_row(a, 0), r1 = dv_mat3_row(a, 1), r2 = dv_mat3_row(a, 2);
    return dv_mat3_from_rows(dv_vec3_cross(r1, r2), dv_vec3_cross(r2, r0), dv_vec3_cross(r0, r1));
}

/* Inverse by cofactors, each divided by the determinant, which is returned. A caller that must refuse nearly singular
 * matrices compares it with a threshold of its own units; when it is 0, *inverse is left alone. */
static inline double dv_mat3_inverse(DvMat3 a, DvMat3 *inverse)
{
    const double det = dv_mat3_det(a);
    if (det == 0.0)
        return det;
    DvMat3 r;
    r.m[0][0] = (a.m[1][1] * a.m[2][2] - a.m[2][1] * a.m[1][2]) / det;
    r.m[1][0] = (a.m[1][2] * a.m[2][0] - a.m[2][2] * a.m[1][0]) / det;
    r.m[2][0] = (a.m[1][0] * a.m[2][1] - a.m[2][0] * a.m[1][1]) / det;
    r.m[0][1] = (a.m[2][1] * a.m[0][2] - a.m[0][1] * a.m[2][2]) / det;
    r.m[1][1] = (a.m[2][2] * a.m[0][0] - a.m[0][2] * a.m[2][0]) / det;
    r.m[2][1] = (a.m[2][0] * a.m[0][1] - a.m[0][0] * a.m[2][1]) / det;
    r.m[0][2] = (a.m[0][1] * a.m[1][2] - a.m[1][1] * a.m[0][2]) / det;
    r.m[1][2] = (a.m[0][2] * a.m[1][0] - a.m[1][2] * a.m[0][0]) / det;
    r.m[2][2] = (a.m[0][0] * a.m[1][1] - a.m[1][0] * a.m[0][1]) / det;
    *inverse = r;
    return det;
}

/* Largest sum of absolute values in a column. */
static inline double dv_mat3_norm_one(DvMat3 a)
{
    double norm = 0.0;
    for (int j = 0; j < 3; j++)
        norm = fmax(norm, fabs(a.m[0][j]) + fabs(a.m[1][j]) + fabs(a.m[2][j]));
    return norm;
}

/* Largest sum of absolute values in a row. */
static inline double dv_mat3_norm_infinity(DvMat3 a)
{
    double norm = 0.0;
    for (int i = 0; i < 3; i++)
        norm = fmax(norm, fabs(a.m[i][0]) + fabs(a.m[i][1]) + fabs(a.m[i][2]));
    return norm;
}

/* Frobenius norm. */
static inline double dv_mat3_norm(DvMat3 a)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            sum += a.m[i][j] * a.m[i][j];
    return sqrt(sum);
}

#endif
