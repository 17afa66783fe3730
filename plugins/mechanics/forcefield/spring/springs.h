/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Damped linear springs between points of two states, or of one: what SpringForceField, MeshSpringForceField and
 * RegularGridSpringForceField share.
 *
 *   u = (x_b - x_a) / d,  d = |x_b - x_a|      f_a = (k (d - l) + c u.(v_b - v_a)) u = s u,   f_b = -f_a
 *   K = (k - s / d) u u^T + (s / d) I          derivative by x_b - x_a; Baraff and Witkin 1998, section 4.3, without clamping
 *
 * The damping force is part of s, so it acts in K too; its derivative by the velocity is left out. A spring that is switched off,
 * slack (when it resists elongation only) or shorter than 1e-9 has neither force nor stiffness. Rigid bodies are held at their
 * centres: a spring gives them no torque.
 *
 * Springs are computed eight at a time; then each point adds its springs in ascending order, spring after spring on one thread
 * and point after point on several: the sums are the same.
 */
#ifndef DIVAN_MECHANICS_SPRINGS_H
#define DIVAN_MECHANICS_SPRINGS_H

#include "forcefield/force_field.h"

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

typedef struct Springs {
    PairState base;
    DvData spring, stiffness, damping, lengths, elongation_only, enabled, indices1, indices2, file;
    DvData show_arrow_size, draw_mode;

    LinearSpring *extra; /* that a class adds behind those of the field; owned */
    uint32_t extra_count;
    bool lists_ignored; /* the class makes its springs itself: the lists only show them */

    uint32_t count, blocks, points[2]; /* compiled springs, and the points of the states they were checked against */
    SpringBlock *block;                /* [blocks] */
    DvReal8 *tangent;                  /* [blocks][spatial + 2] u, k - s / d, s / d of the last force */
    DvReal8 *value;                    /* [blocks][spatial] what each spring gives to its first point */
    uint32_t *start[2],
        *entry[2]; /* per point of each state: springs << 1 | side, ascending; made when threads want them */
    uint64_t spring_version, list_version, structure;
    DvElementData attached[3]; /* follow removed points of both states and removed edges */
} Springs;

#define SPRING_FIELD(Struct, s, member, name, type, ...) DV_FIELD(Struct, s.member, name, type, __VA_ARGS__)
#define SPRING_FIELDS(Struct, s)                                                                                       \
    PAIR_STATE_FIELDS(Struct, s.base),                                                                                 \
        SPRING_FIELD(Struct, s, spring, "spring", dv_type_linear_springs, .unit = "N/m, N s/m, m",                     \
                     .help = "springs: point, point, stiffness, damping, rest length"),                                \
        SPRING_FIELD(Struct, s, stiffness, "stiffness", dv_type_doubles, .init = "100", .unit = "N/m",                 \
                     .help = "stiffness of springs given by their points"),                                            \
        SPRING_FIELD(Struct, s, damping, "damping", dv_type_doubles, .init = "5", .unit = "N s/m",                     \
                     .help = "damping of springs given by their points"),                                              \
        SPRING_FIELD(Struct, s, lengths, "lengths", dv_type_doubles, .unit = "m",                                      \
                     .aliases = (const char *const[]){"length", NULL},                                                 \
                     .help = "rest lengths of springs given by their points; 0 when absent"),                          \
        SPRING_FIELD(Struct, s, elongation_only, "elongationOnly", dv_type_bools, .init = "0",                         \
                     .help = "whether each spring resists elongation only"),                                           \
        SPRING_FIELD(Struct, s, enabled, "enabled", dv_type_bools, .init = "1", .help = "whether each spring acts"),   \
        SPRING_FIELD(Struct, s, indices1, "springsIndices1", dv_type_uints,                                            \
                     .aliases = (const char *const[]){"indices1", NULL}, .help = "first point of each spring"),        \
        SPRING_FIELD(Struct, s, indices2, "springsIndices2", dv_type_uints,                                            \
                     .aliases = (const char *const[]){"indices2", NULL}, .help = "second point of each spring"),       \
        SPRING_FIELD(Struct, s, file, "fileSprings", dv_type_file, .aliases = (const char *const[]){"filename", NULL}, \
                     .help = "file of further springs (xs3, xs4)"),                                                    \
        SPRING_FIELD(Struct, s, show_arrow_size, "showArrowSize", dv_type_double, .init = "0.01", .unit = "m",         \
                     .flags = DV_FIELD_DRAWING, .help = "radius of drawn springs"),                                    \
        SPRING_FIELD(Struct, s, draw_mode, "drawMode", dv_type_int, .init = "0", .flags = DV_FIELD_DRAWING,            \
                     .help = "0: lines; 1: cylinders; 2: arrows")

/* For a class that makes its own list before springs_init_lists: states only. */
DV_NODISCARD DvStatus springs_init_states(DvObject *object, Springs *self);
/* Appends the springs of `fileSprings`, fills what was not given from what was, checks, compiles. */
DV_NODISCARD DvStatus springs_init_lists(DvObject *object, Springs *self);
void springs_cleanup(DvObject *object, void *self);
void springs_destroy(DvObject *object, void *self);

/* Appends the springs of a file to a list of `count` (a grown copy is returned, to be freed), NULL after an error. */
LinearSpring *springs_read_file(DvData *file, const LinearSpring *list, size_t count, size_t *out_count);

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

/* Spatial components of a point of the states. */
static inline uint32_t springs_spatial(const Springs *self)
{
    return self->base.state[0].dof->rotation ? 3 : self->base.state[0].dof->deriv;
}

extern const DvForceFieldOps springs_ops;
extern const DvFaultCauseOps springs_cause;
extern const DvDrawableOps springs_drawable;

#endif
