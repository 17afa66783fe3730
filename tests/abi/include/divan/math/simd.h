/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Vectors of eight and four doubles, and functions compiled for the instruction sets of the machine.
 *
 * The vectors are the extension that gcc and clang share: where a machine has narrower registers, or none, the compiler splits
 * them. Nothing here is bound to one architecture; what is (DV_SIMD_TARGET_V3 and V4) exists only where DV_SIMD_X86_64 is
 * defined. With -ffp-contract=off each lane does the same operations in the same order on every machine: the same bits.
 *
 * Points, and what an element gives to its nodes, are best kept in rows of 4 numbers (DvReal4, the last is free), so that a row
 * is one load; transpositions turn eight rows into one vector per component and back.
 *
 * Threads: [any].
 */
#ifndef DIVAN_MATH_SIMD_H
#define DIVAN_MATH_SIMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
/* How vectors are passed between functions of different instruction sets does not matter: the functions are inlined. */
#pragma GCC diagnostic ignored "-Wpsabi"
#if !defined(__clang__)
/* GCC 12 takes a vector that is put together lane by lane in an unrolled loop for a read of its old value. */
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#endif

/* A static function with this mark is compiled for three levels of x86-64 and the loader picks one; elsewhere it is compiled
 * once. (Of functions that are not static the choice would be exported whatever the visibility. Sanitizers instrument the
 * functions that choose before they are ready themselves.) */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define DV_SIMD_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define DV_SIMD_CLONES
#endif

/* For code that is written for one level and chosen by hand. */
#if defined(__x86_64__) && defined(__GNUC__)
#define DV_SIMD_X86_64    1
#define DV_SIMD_TARGET_V3 __attribute__((target("arch=x86-64-v3")))
#if defined(__clang__)
#define DV_SIMD_TARGET_V4 __attribute__((target("arch=x86-64-v4")))
#else /* which otherwise prefers half the width */
#define DV_SIMD_TARGET_V4 __attribute__((target("arch=x86-64-v4,prefer-vector-width=512")))
#endif
static inline bool dv_simd_has_v3(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}
static inline bool dv_simd_has_v4(void)
{
    return dv_simd_has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

/* DV_SIMD_LEVELS(name, body, (parameters), arguments...): a function `name` of an inline function `body` that takes one argument more, a
 * constant that says whether registers hold fewer than eight numbers. Compilers keep a vector of eight as two of four then, as long as no
 * shuffle goes across the middle; where one does they take it to pieces: use dv_real8_from_rows and dv_real8_to_rows. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define DV_SIMD_LEVELS(name, body, parameters, ...)                                                  \
    __attribute__((target("arch=x86-64-v4"))) static void name##_wide parameters                     \
    {                                                                                                \
        body(__VA_ARGS__, false);                                                                    \
    }                                                                                                \
    __attribute__((target_clones("default", "arch=x86-64-v3"))) static void name##_narrow parameters \
    {                                                                                                \
        body(__VA_ARGS__, true);                                                                     \
    }                                                                                                \
    static void name parameters                                                                      \
    {                                                                                                \
        if (dv_simd_has_v4())                                                                        \
            name##_wide(__VA_ARGS__);                                                                \
        else                                                                                         \
            name##_narrow(__VA_ARGS__);                                                              \
    }
#else
#define DV_SIMD_LEVELS(name, body, parameters, ...) \
    static void name parameters                     \
    {                                               \
        body(__VA_ARGS__, true);                    \
    }
#endif

/* Small functions take the instruction set of their caller. */
#define DV_SIMD_INLINE static inline __attribute__((always_inline))

/* A loop over a few components or lanes, written out by the compiler so that vectors stay in registers. */
#define DV_EACH(i, n) _Pragma("GCC unroll 8") for (int i = 0; i < (n); i++)

enum { DV_LANES = 8 };

typedef double DvReal8 __attribute__((vector_size(64)));
typedef double DvReal4 __attribute__((vector_size(32)));
typedef int64_t DvMask8 __attribute__((vector_size(64)));
typedef int64_t DvMask4 __attribute__((vector_size(32)));
/* The same at any address that holds doubles. */
typedef double DvReal8At __attribute__((vector_size(64), aligned(8), may_alias));
typedef double DvReal4At __attribute__((vector_size(32), aligned(8), may_alias));

/* Macros: in a function that is not inlined a vector would be passed in a place that depends on the instruction set. */
#define DV_REAL8(at)     (*(const DvReal8At *)(at))
#define DV_REAL4(at)     (*(const DvReal4At *)(at))
#define DV_REAL8_SET(at) (*(DvReal8At *)(at))
#define DV_REAL8_SUM(v)  ((((v)[0] + (v)[4]) + ((v)[2] + (v)[6])) + (((v)[1] + (v)[5]) + ((v)[3] + (v)[7])))
/* Lanes of a, then of b, by number; as many as are named. */
#define DV_SHUFFLE(a, b, ...) __builtin_shufflevector((a), (b), __VA_ARGS__)

DV_SIMD_INLINE DvReal8 dv_real8(double a)
{
    const DvReal8 r = {a, a, a, a, a, a, a, a};
    return r;
}

DV_SIMD_INLINE DvReal4 dv_real4(double a)
{
    const DvReal4 r = {a, a, a, a};
    return r;
}

/* where ? a : b, lane by lane; a mask is the result of a comparison. */
DV_SIMD_INLINE DvReal8 dv_real8_select(DvMask8 where, DvReal8 a, DvReal8 b)
{
    return (DvReal8)((where & (DvMask8)a) | (~where & (DvMask8)b));
}

DV_SIMD_INLINE DvReal8 dv_real8_sqrt(DvReal8 a)
{
    DvReal8 r = a;
    DV_EACH (lane, DV_LANES)
        r[lane] = __builtin_sqrt(a[lane]);
    return r;
}

/* a b + c, rounded once. */
DV_SIMD_INLINE DvReal8 dv_real8_fma(DvReal8 a, DvReal8 b, DvReal8 c)
{
    DvReal8 r = a;
    DV_EACH (lane, DV_LANES)
        r[lane] = __builtin_fma(a[lane], b[lane], c[lane]);
    return r;
}

DV_SIMD_INLINE DvReal8 dv_real8_abs(DvReal8 a)
{
    const DvMask8 zero = {0};
    return (DvReal8)((DvMask8)a & (zero + INT64_MAX));
}

DV_SIMD_INLINE DvReal8 dv_real8_max(DvReal8 a, DvReal8 b)
{
    return dv_real8_select(a > b, a, b);
}

DV_SIMD_INLINE bool dv_mask4_any(DvMask4 where)
{
    typedef int64_t Mask2 __attribute__((vector_size(16)));
    const Mask2 any = DV_SHUFFLE(where, where, 0, 1) | DV_SHUFFLE(where, where, 2, 3);
    return (any[0] | any[1]) != 0;
}

DV_SIMD_INLINE bool dv_mask8_any(DvMask8 where)
{
    return dv_mask4_any(DV_SHUFFLE(where, where, 0, 1, 2, 3) | DV_SHUFFLE(where, where, 4, 5, 6, 7));
}

/* xyz[c][lane] = component c of row index[lane]. */
DV_SIMD_INLINE void dv_real8_gather_rows(const DvReal4 *rows, const uint32_t index[DV_LANES], DvReal8 xyz[3])
{
    const DvReal8 r04 = DV_SHUFFLE(rows[index[0]], rows[index[4]], 0, 1, 2, 3, 4, 5, 6, 7),
                  r15 = DV_SHUFFLE(rows[index[1]], rows[index[5]], 0, 1, 2, 3, 4, 5, 6, 7);
    const DvReal8 r26 = DV_SHUFFLE(rows[index[2]], rows[index[6]], 0, 1, 2, 3, 4, 5, 6, 7),
                  r37 = DV_SHUFFLE(rows[index[3]], rows[index[7]], 0, 1, 2, 3, 4, 5, 6, 7);
    const DvReal8 xz01 = DV_SHUFFLE(r04, r15, 0, 8, 2, 10, 4, 12, 6, 14),
                  yw01 = DV_SHUFFLE(r04, r15, 1, 9, 3, 11, 5, 13, 7, 15);
    const DvReal8 xz23 = DV_SHUFFLE(r26, r37, 0, 8, 2, 10, 4, 12, 6, 14),
                  yw23 = DV_SHUFFLE(r26, r37, 1, 9, 3, 11, 5, 13, 7, 15);
    xyz[0] = DV_SHUFFLE(xz01, xz23, 0, 1, 8, 9, 4, 5, 12, 13);
    xyz[1] = DV_SHUFFLE(yw01, yw23, 0, 1, 8, 9, 4, 5, 12, 13);
    xyz[2] = DV_SHUFFLE(xz01, xz23, 2, 3, 10, 11, 6, 7, 14, 15);
}

/* Row k = (xyz[0][k], xyz[1][k], xyz[2][k], w[k]) to rows[k * stride]. */
DV_SIMD_INLINE void dv_real8_scatter_rows(DvReal4 *rows, uint32_t stride, const DvReal8 xyz[3], const DvReal8 *w)
{
    const DvReal8 x = xyz[0], y = xyz[1], z = xyz[2];
    const DvReal8 xy0 = DV_SHUFFLE(x, y, 0, 8, 2, 10, 4, 12, 6, 14), xy1 = DV_SHUFFLE(x, y, 1, 9, 3, 11, 5, 13, 7, 15);
    const DvReal8 zw0 = DV_SHUFFLE(z, *w, 0, 8, 2, 10, 4, 12, 6, 14),
                  zw1 = DV_SHUFFLE(z, *w, 1, 9, 3, 11, 5, 13, 7, 15);
    const DvReal8 r04 = DV_SHUFFLE(xy0, zw0, 0, 1, 8, 9, 4, 5, 12, 13),
                  r26 = DV_SHUFFLE(xy0, zw0, 2, 3, 10, 11, 6, 7, 14, 15);
    const DvReal8 r15 = DV_SHUFFLE(xy1, zw1, 0, 1, 8, 9, 4, 5, 12, 13),
                  r37 = DV_SHUFFLE(xy1, zw1, 2, 3, 10, 11, 6, 7, 14, 15);
    rows[0] = DV_SHUFFLE(r04, r04, 0, 1, 2, 3);
    rows[stride] = DV_SHUFFLE(r15, r15, 0, 1, 2, 3);
    rows[2 * stride] = DV_SHUFFLE(r26, r26, 0, 1, 2, 3);
    rows[3 * stride] = DV_SHUFFLE(r37, r37, 0, 1, 2, 3);
    rows[4 * stride] = DV_SHUFFLE(r04, r04, 4, 5, 6, 7);
    rows[5 * stride] = DV_SHUFFLE(r15, r15, 4, 5, 6, 7);
    rows[6 * stride] = DV_SHUFFLE(r26, r26, 4, 5, 6, 7);
    rows[7 * stride] = DV_SHUFFLE(r37, r37, 4, 5, 6, 7);
}

/* A vector of its halves: without a shuffle, which would be taken to pieces where registers are narrow. */
DV_SIMD_INLINE DvReal8 dv_real8_join(DvReal4 low, DvReal4 high)
{
    union {
        DvReal8 whole;
        DvReal4 half[2];
    } u;
    u.half[0] = low;
    u.half[1] = high;
    return u.whole;
}

/* xyz[c][lane] = component c of four rows. */
DV_SIMD_INLINE void dv_real4_columns(DvReal4 r0, DvReal4 r1, DvReal4 r2, DvReal4 r3, DvReal4 xyz[3])
{
    const DvReal4 xz01 = DV_SHUFFLE(r0, r1, 0, 4, 2, 6), yw01 = DV_SHUFFLE(r0, r1, 1, 5, 3, 7),
                  xz23 = DV_SHUFFLE(r2, r3, 0, 4, 2, 6), yw23 = DV_SHUFFLE(r2, r3, 1, 5, 3, 7);
    xyz[0] = DV_SHUFFLE(xz01, xz23, 0, 1, 4, 5);
    xyz[1] = DV_SHUFFLE(yw01, yw23, 0, 1, 4, 5);
    xyz[2] = DV_SHUFFLE(xz01, xz23, 2, 3, 6, 7);
}

/* Rows (x y z w) of four. */
DV_SIMD_INLINE void dv_real4_rows(DvReal4 x, DvReal4 y, DvReal4 z, DvReal4 w, uint32_t stride, DvReal4 *rows)
{
    const DvReal4 xy0 = DV_SHUFFLE(x, y, 0, 4, 2, 6), xy1 = DV_SHUFFLE(x, y, 1, 5, 3, 7),
                  zw0 = DV_SHUFFLE(z, w, 0, 4, 2, 6), zw1 = DV_SHUFFLE(z, w, 1, 5, 3, 7);
    rows[0] = DV_SHUFFLE(xy0, zw0, 0, 1, 4, 5);
    rows[stride] = DV_SHUFFLE(xy1, zw1, 0, 1, 4, 5);
    rows[2 * stride] = DV_SHUFFLE(xy0, zw0, 2, 3, 6, 7);
    rows[3 * stride] = DV_SHUFFLE(xy1, zw1, 2, 3, 6, 7);
}

/* dv_real8_gather_rows and dv_real8_scatter_rows with what DV_SIMD_LEVELS says. */
DV_SIMD_INLINE void dv_real8_from_rows(const DvReal4 *rows, const uint32_t index[DV_LANES], bool narrow, DvReal8 xyz[3])
{
    if (!narrow) {
        dv_real8_gather_rows(rows, index, xyz);
        return;
    }
    DvReal4 low[3], high[3];
    dv_real4_columns(rows[index[0]], rows[index[1]], rows[index[2]], rows[index[3]], low);
    dv_real4_columns(rows[index[4]], rows[index[5]], rows[index[6]], rows[index[7]], high);
    DV_EACH (c, 3)
        xyz[c] = dv_real8_join(low[c], high[c]);
}

DV_SIMD_INLINE void dv_real8_to_rows(DvReal4 *rows, uint32_t stride, const DvReal8 xyz[3], const DvReal8 *w,
                                     bool narrow)
{
    if (!narrow) {
        dv_real8_scatter_rows(rows, stride, xyz, w);
        return;
    }
    const DvReal8 x = xyz[0], y = xyz[1], z = xyz[2], v = *w;
    dv_real4_rows(DV_SHUFFLE(x, x, 0, 1, 2, 3), DV_SHUFFLE(y, y, 0, 1, 2, 3), DV_SHUFFLE(z, z, 0, 1, 2, 3),
                  DV_SHUFFLE(v, v, 0, 1, 2, 3), stride, rows);
    dv_real4_rows(DV_SHUFFLE(x, x, 4, 5, 6, 7), DV_SHUFFLE(y, y, 4, 5, 6, 7), DV_SHUFFLE(z, z, 4, 5, 6, 7),
                  DV_SHUFFLE(v, v, 4, 5, 6, 7), stride, rows + 4 * (size_t)stride);
}

/* 3 x 3 matrices and 3-vectors with a lane per element. */
DV_SIMD_INLINE void dv_real8_cross(const DvReal8 a[3], const DvReal8 b[3], DvReal8 r[3])
{
    r[0] = a[1] * b[2] - a[2] * b[1];
    r[1] = a[2] * b[0] - a[0] * b[2];
    r[2] = a[0] * b[1] - a[1] * b[0];
}

DV_SIMD_INLINE DvReal8 dv_real8_dot(const DvReal8 a[3], const DvReal8 b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

DV_SIMD_INLINE void dv_real8_sub(const DvReal8 a[3], const DvReal8 b[3], DvReal8 r[3])
{
    r[0] = a[0] - b[0];
    r[1] = a[1] - b[1];
    r[2] = a[2] - b[2];
}

/* a / |a|; a itself when it is too short to have a direction. */
DV_SIMD_INLINE void dv_real8_normalize(DvReal8 a[3])
{
    const DvReal8 norm = dv_real8_sqrt(dv_real8_dot(a, a));
    const DvReal8 k = 1.0 / dv_real8_select(norm > 2.220446049250313e-16, norm, dv_real8(1.0));
    DV_EACH (c, 3)
        a[c] *= k;
}

/* r = m v */
DV_SIMD_INLINE void dv_real8_mul(const DvReal8 m[3][3], const DvReal8 v[3], DvReal8 r[3])
{
    DV_EACH (i, 3)
        r[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
}

/* r = m^T v */
DV_SIMD_INLINE void dv_real8_transposed_mul(const DvReal8 m[3][3], const DvReal8 v[3], DvReal8 r[3])
{
    DV_EACH (i, 3)
        r[i] = m[0][i] * v[0] + m[1][i] * v[1] + m[2][i] * v[2];
}

#endif
