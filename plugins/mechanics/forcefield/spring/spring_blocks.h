/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Damped linear springs between points of two states, or of one, eight at a time.
 *
 *   u = (x_b - x_a) / d,  d = |x_b - x_a|      f_a = (k (d - l) + c u.(v_b - v_a)) u = s u,   f_b = -f_a
 *   K = (k - s / d) u u^T + (s / d) I          derivative by x_b - x_a; Baraff and Witkin 1998, section 4.3, without clamping
 *
 * The damping force is part of s, so it acts in K too; its derivative by the velocity is left out. A spring that is switched off,
 * slack (when it resists elongation only) or no longer than `shortest` has neither force nor stiffness. Rigid bodies are held at
 * their centres: a spring gives them no torque.
 *
 * Each point adds its springs in ascending order, spring after spring on one thread and point after point on several: the sums are
 * the same.
 */
#ifndef DIVAN_MECHANICS_SPRING_BLOCKS_H
#define DIVAN_MECHANICS_SPRING_BLOCKS_H

#include <divan/kit/force_field.h>

#include <math.h>

#include <divan/math/simd.h>

/* One spring, as the field `spring` holds it (no padding: values are compared as bytes). */
typedef struct LinearSpring {
    uint32_t a, b; /* point of the first state, of the second */
    double stiffness, damping, rest_length;
    uint32_t elongation_only, enabled;
} LinearSpring;

/* "a b stiffness damping restLength" again and again; after a spring the words elongationOnly and disabled may stand. */
extern const DvType dv_type_linear_springs;

typedef struct SpringBlock {
    uint32_t a[DV_LANES], b[DV_LANES];
    DvReal8 stiffness, damping, rest_length;
    DvMask8 enabled, elongation_only;
} SpringBlock;

typedef struct SpringBlocks {
    const DvDofType *dof;
    uint32_t spatial;                            /* components of a point that a spring sees */
    bool one;                                    /* both ends are in one state */
    double shortest;                             /* m */
    uint32_t count, blocks, capacity, points[2]; /* springs; blocks of eight, and room for them; points of the states */
    SpringBlock *block;                          /* [blocks] */
    DvReal8 *tangent;                            /* [blocks][spatial + 2] u, k - s / d, s / d of the last force */
    DvReal8 *value;                              /* [blocks][spatial] what each spring gives to its first point */
    uint32_t *start[2],
        *entry[2]; /* per point of each state: springs << 1 | side, ascending; made when threads want them */
} SpringBlocks;

/* No springs yet, between states of this type. */
void spring_blocks_start(SpringBlocks *set, const DvDofType *dof, bool one, double shortest);
void spring_blocks_free(SpringBlocks *set);
/* Keeps the first springs; new ones have neither force nor stiffness until set. */
void spring_blocks_resize(SpringBlocks *set, uint32_t count, const uint32_t points[2]);
/* Its tangent is zero until the next force. */
void spring_blocks_set(SpringBlocks *set, uint32_t i, const LinearSpring *spring);
LinearSpring spring_blocks_get(const SpringBlocks *set, uint32_t i);
void spring_blocks_copy(SpringBlocks *set, uint32_t to, uint32_t from); /* without its tangent */

/* DvForceFieldOps */
void spring_blocks_force(SpringBlocks *set, const DvConstVec *x, const DvConstVec *v, const DvVec *f);
void spring_blocks_dforce(SpringBlocks *set, double k, const DvConstVec *dx, const DvVec *df);
void spring_blocks_reserve(const SpringBlocks *set, DvPattern *pattern);
void spring_blocks_assemble(SpringBlocks *set, double k, const DvMatrixView *view);
double spring_blocks_energy(const SpringBlocks *set, const DvConstVec *x);
void spring_blocks_cost(const SpringBlocks *set, double *product, double *assembly);
/* The largest angular frequency, for dv_elements_explain. */
double spring_blocks_bound(const SpringBlocks *set);
void spring_blocks_draw(const SpringBlocks *set, DvDraw *draw, const DvConstVec *x);

/*
 * |u|^2 of `spatial` components, rounded as the reference rounds it: y^2, then x^2, z^2... by fused multiply-add. A mesh often
 * starts with every spring at its rest length; whether one that resists elongation only pulls is then decided by the last bit of
 * its length, and soon shows in the first digits. So every length of a spring is taken from here, also lengths at rest.
 */
DV_SIMD_INLINE DvReal8 springs_square8(const DvReal8 *u, int spatial)
{
    if (spatial == 1)
        return u[0] * u[0];
    DvReal8 square = dv_real8_fma(u[0], u[0], u[1] * u[1]);
    for (int c = 2; c < spatial; c++)
        square = dv_real8_fma(u[c], u[c], square);
    return square;
}

/* |b - a|, with the same bits. */
static inline double springs_length(const double *a, const double *b, uint32_t spatial)
{
    const double x = b[0] - a[0];
    if (spatial == 1)
        return fabs(x);
    const double y = b[1] - a[1];
    double square = fma(x, x, y * y);
    for (uint32_t c = 2; c < spatial; c++)
        square = fma(b[c] - a[c], b[c] - a[c], square);
    return sqrt(square);
}

#endif
