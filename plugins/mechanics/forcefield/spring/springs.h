/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Damped linear springs between points of two states, or of one: what SpringForceField, MeshSpringForceField and
 * RegularGridSpringForceField share. Equations and limits: spring_blocks.h.
 */
#ifndef DIVAN_MECHANICS_SPRINGS_H
#define DIVAN_MECHANICS_SPRINGS_H

#include "forcefield/spring/spring_operator.h"

#include <divan/element_data.h>
#include <divan/kit/touched_points.h>

typedef struct Springs {
    DvPairState base;
    DvData spring, stiffness, damping, lengths, elongation_only, enabled, indices1, indices2, file;
    DvData show_arrow_size, draw_mode;

    LinearSpring *extra; /* that a class adds behind those of the field; owned */
    uint32_t extra_count;
    bool lists_ignored; /* the class makes its springs itself: the lists only show them */

    SpringBlocks set;
    uint64_t spring_version, list_version, structure;
    DvElementData attached[3]; /* follow removed points of both states and removed edges */
    LinearSpring *first;       /* [first_count] the springs at the start, once meshes are followed */
    size_t first_count;
    SpringOperator described;
    uint32_t *ends[2], end_count[2]; /* points of both states that springs have, ascending */
    uint64_t ends_of;                /* the structure that has them, + 1 */
} Springs;

#define SPRING_FIELD(Struct, s, member, name, type, ...) DV_FIELD(Struct, s.member, name, type, __VA_ARGS__)
#define SPRING_FIELDS(Struct, s)                                                                                       \
    DV_PAIR_STATE_FIELDS(Struct, s.base),                                                                              \
        SPRING_FIELD(Struct, s, spring, "spring", dv_type_linear_springs, .unit = "N/m, N s/m, m",                     \
                     .help = "springs: point, point, stiffness, damping, rest length"),                                \
        SPRING_FIELD(Struct, s, stiffness, "stiffness", dv_type_doubles, .init = "100", .unit = "N/m",                 \
                     .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT | DV_FIELD_EMPTY_IS_DEFAULT,           \
                     .help = "stiffness of springs given by their points"),                                            \
        SPRING_FIELD(Struct, s, damping, "damping", dv_type_doubles, .init = "5", .unit = "N s/m",                     \
                     .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT | DV_FIELD_EMPTY_IS_DEFAULT,           \
                     .help = "damping of springs given by their points"),                                              \
        SPRING_FIELD(Struct, s, lengths, "lengths", dv_type_doubles, .unit = "m", .range = &dv_range_not_negative,     \
                     .flags = DV_FIELD_LENIENT | DV_FIELD_EMPTY_IS_DEFAULT,                                            \
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
                     .flags = DV_FIELD_AT_LOAD, .help = "file of further springs (xs3, xs4)"),                         \
        SPRING_FIELD(Struct, s, show_arrow_size, "showArrowSize", dv_type_double, .init = "0.01", .unit = "m",         \
                     .range = &dv_range_not_negative, .flags = DV_FIELD_DRAWING, .help = "radius of drawn springs"),   \
        SPRING_FIELD(Struct, s, draw_mode, "drawMode", dv_type_int, .init = "0",                                       \
                     .range = &(const DvRange){.least = 0, .most = 2}, .flags = DV_FIELD_DRAWING,                      \
                     .help = "0: lines; 1: cylinders; 2: arrows")

/* For a class that makes its own list before springs_init_lists: states only. */
DV_NODISCARD DvStatus springs_init_states(DvObject *object, Springs *self);
/* Appends the springs of `fileSprings`, fills what was not given from what was, checks, compiles. */
DV_NODISCARD DvStatus springs_init_lists(DvObject *object, Springs *self);
void springs_cleanup(DvObject *object, void *self);
void springs_destroy(DvObject *object, void *self);

/* Appends the springs of a file to a list of `count` (a grown copy is returned, to be freed), NULL after an error. */
LinearSpring *springs_read_file(DvData *file, const LinearSpring *list, size_t count, size_t *out_count);

/* Spatial components of a point of the states. */
static inline uint32_t springs_spatial(const Springs *self)
{
    return self->base.state[0].dof->rotation ? 3 : self->base.state[0].dof->deriv;
}

extern const DvForceFieldOps springs_ops;
extern const DvOperatorOps springs_operator;
extern const DvTouchedPointsOps springs_points;
extern const DvElementsCause springs_cause;
extern const DvDrawableOps springs_drawable;

#define SPRINGS_CONTRACTS                                                                                       \
    .contracts = (const DvContract[])                                                                           \
    {                                                                                                           \
        {.id = DV_INTERACTION_FORCE_FIELD, .ops = &springs_ops}, {.id = DV_OPERATOR, .ops = &springs_operator}, \
            {.id = DV_TOUCHED_POINTS, .ops = &springs_points}, {.id = DV_FAULT_CAUSE, .ops = &springs_cause},   \
            {.id = DV_DRAWABLE, .ops = &springs_drawable},                                                      \
        {                                                                                                       \
            0                                                                                                   \
        }                                                                                                       \
    }

#endif
