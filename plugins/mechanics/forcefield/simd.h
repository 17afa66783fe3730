/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Vectors of eight and four doubles, for force fields that handle eight elements, or the eight nodes of one, at a time.
 *
 * They are GCC's vector extensions: on a machine without AVX-512 the compiler splits them. A function marked FOR_EACH_MACHINE
 * is compiled for three generations of x86-64 and the loader picks one. Contraction is off and every lane does the same
 * operations in the same order, so all versions give the same bits.
 *
 * Points, and what an element gives to its nodes, are kept in rows of 4 numbers (Real4, the last is free), so that a row is one
 * load; transpositions turn eight rows into one vector per component and back.
 */
#ifndef DIVAN_MECHANICS_SIMD_H
#define DIVAN_MECHANICS_SIMD_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) && !defined(__clang__)
/* GCC 12 takes a vector that is put together lane by lane in an unrolled loop for a read of its old value. */
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

/* Sanitizers instrument the functions that choose a version before they are ready themselves. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define FOR_EACH_MACHINE __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define FOR_EACH_MACHINE
#endif

/* A loop over a few components or lanes, written out by the compiler so that vectors stay in registers. */
#define EACH(i, n) _Pragma("GCC unroll 8") for (int i = 0; i < (n); i++)

#define SIMD_INLINE static inline __attribute__((always_inline))

enum { LANES = 8 };

typedef double Real8 __attribute__((vector_size(64)));
typedef double Real4 __attribute__((vector_size(32)));
typedef int64_t Mask8 __attribute__((vector_size(64)));

#if defined(__clang__)
#define SHUFFLE8(a, b, ...) __builtin_shufflevector((a), (b), __VA_ARGS__)
#else
#define SHUFFLE8(a, b, ...) __builtin_shuffle((a), (b), (Mask8){__VA_ARGS__})
#endif

/* Two halves as one. */
#define JOIN(a, b) __builtin_shufflevector((a), (b), 0, 1, 2, 3, 4, 5, 6, 7)

SIMD_INLINE Real8 real8(double a)
{
    return (Real8){a, a, a, a, a, a, a, a};
}

SIMD_INLINE Real4 real4(double a)
{
    return (Real4){a, a, a, a};
}

/* where ? a : b, lane by lane; a mask is the result of a comparison. */
SIMD_INLINE Real8 real8_select(Mask8 where, Real8 a, Real8 b)
{
    return (Real8)((where & (Mask8)a) | (~where & (Mask8)b));
}

SIMD_INLINE Real8 real8_sqrt(Real8 a)
{
    Real8 r = a;
    EACH (lane, LANES)
        r[lane] = __builtin_sqrt(a[lane]);
    return r;
}

/* a b + c, rounded once. */
SIMD_INLINE Real8 real8_fma(Real8 a, Real8 b, Real8 c)
{
    Real8 r = a;
    EACH (lane, LANES)
        r[lane] = __builtin_fma(a[lane], b[lane], c[lane]);
    return r;
}

SIMD_INLINE Real8 real8_abs(Real8 a)
{
    return (Real8)((Mask8)a & ((Mask8){0} + INT64_MAX));
}

SIMD_INLINE Real8 real8_max(Real8 a, Real8 b)
{
    return real8_select(a > b, a, b);
}

SIMD_INLINE bool mask8_any(Mask8 where)
{
    int64_t any = 0;
    EACH (lane, LANES)
        any |= where[lane];
    return any != 0;
}

/* xyz[c][lane] = component c of row index[lane]. */
SIMD_INLINE void gather_rows(const Real4 *rows, const uint32_t index[LANES], Real8 xyz[3])
{
    const Real8 r04 = JOIN(rows[index[0]], rows[index[4]]), r15 = JOIN(rows[index[1]], rows[index[5]]);
    const Real8 r26 = JOIN(rows[index[2]], rows[index[6]]), r37 = JOIN(rows[index[3]], rows[index[7]]);
    const Real8 xz01 = SHUFFLE8(r04, r15, 0, 8, 2, 10, 4, 12, 6, 14),
                yw01 = SHUFFLE8(r04, r15, 1, 9, 3, 11, 5, 13, 7, 15);
    const Real8 xz23 = SHUFFLE8(r26, r37, 0, 8, 2, 10, 4, 12, 6, 14),
                yw23 = SHUFFLE8(r26, r37, 1, 9, 3, 11, 5, 13, 7, 15);
    xyz[0] = SHUFFLE8(xz01, xz23, 0, 1, 8, 9, 4, 5, 12, 13);
    xyz[1] = SHUFFLE8(yw01, yw23, 0, 1, 8, 9, 4, 5, 12, 13);
    xyz[2] = SHUFFLE8(xz01, xz23, 2, 3, 10, 11, 6, 7, 14, 15);
}

/* Row k = (xyz[0][k], xyz[1][k], xyz[2][k], w[k]) to rows[k * stride]. */
SIMD_INLINE void scatter_rows(Real4 *rows, uint32_t stride, const Real8 xyz[3], const Real8 *w)
{
    const Real8 x = xyz[0], y = xyz[1], z = xyz[2];
    const Real8 xy0 = SHUFFLE8(x, y, 0, 8, 2, 10, 4, 12, 6, 14), xy1 = SHUFFLE8(x, y, 1, 9, 3, 11, 5, 13, 7, 15);
    const Real8 zw0 = SHUFFLE8(z, *w, 0, 8, 2, 10, 4, 12, 6, 14), zw1 = SHUFFLE8(z, *w, 1, 9, 3, 11, 5, 13, 7, 15);
    const Real8 r04 = SHUFFLE8(xy0, zw0, 0, 1, 8, 9, 4, 5, 12, 13),
                r26 = SHUFFLE8(xy0, zw0, 2, 3, 10, 11, 6, 7, 14, 15);
    const Real8 r15 = SHUFFLE8(xy1, zw1, 0, 1, 8, 9, 4, 5, 12, 13),
                r37 = SHUFFLE8(xy1, zw1, 2, 3, 10, 11, 6, 7, 14, 15);
    rows[0 * stride] = (Real4){r04[0], r04[1], r04[2], r04[3]};
    rows[1 * stride] = (Real4){r15[0], r15[1], r15[2], r15[3]};
    rows[2 * stride] = (Real4){r26[0], r26[1], r26[2], r26[3]};
    rows[3 * stride] = (Real4){r37[0], r37[1], r37[2], r37[3]};
    rows[4 * stride] = (Real4){r04[4], r04[5], r04[6], r04[7]};
    rows[5 * stride] = (Real4){r15[4], r15[5], r15[6], r15[7]};
    rows[6 * stride] = (Real4){r26[4], r26[5], r26[6], r26[7]};
    rows[7 * stride] = (Real4){r37[4], r37[5], r37[6], r37[7]};
}

/* 3 x 3 matrices and 3-vectors with a lane per element. */
SIMD_INLINE void real8_cross(const Real8 a[3], const Real8 b[3], Real8 r[3])
{
    r[0] = a[1] * b[2] - a[2] * b[1];
    r[1] = a[2] * b[0] - a[0] * b[2];
    r[2] = a[0] * b[1] - a[1] * b[0];
}

SIMD_INLINE Real8 real8_dot(const Real8 a[3], const Real8 b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

SIMD_INLINE void real8_sub(const Real8 a[3], const Real8 b[3], Real8 r[3])
{
    r[0] = a[0] - b[0];
    r[1] = a[1] - b[1];
    r[2] = a[2] - b[2];
}

/* a / |a|; a itself when it is too short to have a direction. */
SIMD_INLINE void real8_normalize(Real8 a[3])
{
    const Real8 norm = real8_sqrt(real8_dot(a, a));
    const Real8 k = 1.0 / real8_select(norm > 2.220446049250313e-16, norm, real8(1.0));
    EACH (c, 3)
        a[c] *= k;
}

/* r = m v */
SIMD_INLINE void real8_mul(const Real8 m[3][3], const Real8 v[3], Real8 r[3])
{
    EACH (i, 3)
        r[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
}

/* r = m^T v */
SIMD_INLINE void real8_transposed_mul(const Real8 m[3][3], const Real8 v[3], Real8 r[3])
{
    EACH (i, 3)
        r[i] = m[0][i] * v[0] + m[1][i] * v[1] + m[2][i] * v[2];
}

#endif
