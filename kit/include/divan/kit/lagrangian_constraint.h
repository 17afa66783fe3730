/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What Lagrangian constraints of one state, and of a pair of states, have in common: their first fields, the states they hold, when
 * they act, and how a condition on positions becomes one on velocities.
 *
 * DvLagrangianConstraint is the first member of the component's struct, so that the functions here serve as its operations. Its field
 * table begins with DV_ONE_STATE_CONSTRAINT_FIELDS or DV_TWO_STATE_CONSTRAINT_FIELDS, its class has DV_ONE_STATE_CONSTRAINT_CLASS or
 * DV_TWO_STATE_CONSTRAINT_CLASS, its table of functions DV_LAGRANGIAN_CONSTRAINT_OPS.
 */
#ifndef DIVAN_KIT_LAGRANGIAN_CONSTRAINT_H
#define DIVAN_KIT_LAGRANGIAN_CONSTRAINT_H

#include <divan/contracts/lagrangian_constraint.h>
#include <divan/contracts/topology.h>
#include <divan/contracts/visual.h>
#include <divan/divan.h>
#include <divan/kit/renumbering.h>
#include <divan/kit/start_values.h>
#include <divan/kit/states.h>

DV_BEGIN_DECLS

/* A condition on positions: d = gap(x), whose rows J are its derivative. On velocities it is J v + gap(x) / dt with the positions at the
 * beginning of the step, so that the end of the step fulfils it too. */
typedef struct DvConstraintForm {
    void (*gap)(void *self, const DvConstVec x[2], double *d);
    void (*add_rate)(void *self, const DvConstVec v[2], double *d); /* d += J v */
    /* Optional: points of the states of `sides` (bit 0: the first, bit 1: the second) have other numbers. */
    void (*points_moved)(void *self, uint32_t sides, const DvRenumbering *numbers);
    /* Optional: the fields of dv_lagrangian_follow are again what they were, as the mesh is. */
    void (*started_again)(void *self);
} DvConstraintForm;

enum { DV_LAGRANGIAN_FOLLOWING = 4 };

typedef struct DvLagrangianConstraint {
    DvData constraint_index, end_time;
    DvLink link[2];
    DvStateRef state[2]; /* ops are NULL until they are found */
    uint32_t states;     /* 0: not initialised */
    uint32_t rows;       /* of this step */
    DvVecId position;    /* positions at its beginning */
    const DvConstraintForm *form;
    DvElementData followed[2];
    DvData *following[DV_LAGRANGIAN_FOLLOWING]; /* [following_count] fields whose points follow the meshes */
    DvStartValues starts[DV_LAGRANGIAN_FOLLOWING];
    uint32_t following_count;
} DvLagrangianConstraint;

#define DV_LAGRANGIAN_FIELDS(Struct, base)                                                                      \
    DV_FIELD_HELD("group", dv_type_int, .init = "0",                                                            \
                  .help = "number for scenes to tell constraints apart; does nothing"),                         \
        DV_FIELD(Struct, base.constraint_index, "constraintIndex", dv_type_uint, .init = "0",                   \
                 .flags = DV_FIELD_READ_ONLY, .help = "its first row in the problem of the step"),              \
        DV_FIELD(Struct, base.end_time, "endTime", dv_type_double, .init = "-1", .unit = "s",                   \
                 .help = "time from which it does not act; negative: never"),                                   \
        DV_LINK_HELD("mechanicalStates", DV_STATE, .many = true, .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN, \
                     .help = "kept for scenes that name it: the states follow from the other links")

#define DV_ONE_STATE_CONSTRAINT_FIELDS(Struct, base)                                      \
    DV_LAGRANGIAN_FIELDS(Struct, base), DV_LINK(Struct, base.link[0], "mstate", DV_STATE, \
                                                .help = "state that is constrained; the node's own by default")

#define DV_TWO_STATE_CONSTRAINT_FIELDS(Struct, base)                                                          \
    DV_LAGRANGIAN_FIELDS(Struct, base),                                                                       \
        DV_LINK(Struct, base.link[0], "object1", DV_STATE, .help = "first state; the node's own by default"), \
        DV_LINK(Struct, base.link[1], "object2", DV_STATE, .help = "second state; the node's own by default")

/* What the classes have alike; the names of their bases, the nearest first. */
#define DV_ONE_STATE_CONSTRAINT_CLASS                                                                          \
    .variant_rule = DV_VARIANT_OF_ALL, .sources = dv_single_state_sources, .family = "Lagrangian constraints", \
    .bases = (const char *const[]){"LagrangianConstraint", NULL}, .cleanup = dv_lagrangian_cleanup
#define DV_TWO_STATE_CONSTRAINT_CLASS                                                                        \
    .variant_rule = DV_VARIANT_OF_ALL, .sources = dv_pair_state_sources, .family = "Lagrangian constraints", \
    .bases = (const char *const[]){"PairInteractionConstraint", NULL}, .cleanup = dv_lagrangian_cleanup
/* What their tables of functions have alike. */
#define DV_LAGRANGIAN_CONSTRAINT_OPS \
    .size = sizeof(DvLagrangianConstraintOps), .states = dv_lagrangian_states, .violation = dv_lagrangian_violation

/* Finds `states` states and holds on to them; reports what is missing.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_lagrangian_init(DvObject *object, DvLagrangianConstraint *base, uint32_t states,
                                                   const DvConstraintForm *form);
DV_PUBLIC void dv_lagrangian_release(DvLagrangianConstraint *base);
/* DvClass.cleanup */
DV_PUBLIC void dv_lagrangian_cleanup(DvObject *object, void *self);
/* At the end of init, when all is checked: points_moved is called when points of a state get other numbers, and a reset that gives a mesh
 * back its points gives these fields back what they hold now, DV_LAGRANGIAN_FOLLOWING at most. topology: for each state a link that names
 * the mesh, which is by default that of the state's node; NULL: no links.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_lagrangian_follow(DvLagrangianConstraint *base, const DvLink *topology,
                                                     DvData *const *fields, uint32_t count);

static inline bool dv_lagrangian_is_of_one_state(const DvLagrangianConstraint *base)
{
    return base->state[0].object == base->state[1].object;
}

/* DvLagrangianConstraintOps.states and .violation     [step] */
DV_PUBLIC uint32_t dv_lagrangian_states(void *self, DvObject **states, uint32_t capacity);
DV_PUBLIC DvStatus dv_lagrangian_violation(void *self, const DvStep *step, DvConstraintOrder order, double *d);

/* At the beginning of DvLagrangianConstraintOps.build. False: it does not act.     [step] */
DV_PUBLIC bool dv_lagrangian_begin(DvLagrangianConstraint *base, const DvStep *step, const DvConstraintRows *rows);
/* A block of the next rows, which are counted. */
static inline DvConstraintBlock *dv_lagrangian_add(DvLagrangianConstraint *base, DvConstraintRows *rows, DvLaw law,
                                                   uint32_t count)
{
    base->rows += count;
    return dv_block_add(rows, law, count);
}

/* DV_OK, or an error that names the first point that the state has not. */
DV_NODISCARD DV_PUBLIC DvStatus dv_lagrangian_check_points(DvLagrangianConstraint *base, uint32_t side, DvData *points);
/* The same of a field that holds one number. */
DV_NODISCARD DV_PUBLIC DvStatus dv_lagrangian_check_point(DvLagrangianConstraint *base, uint32_t side, DvData *point);
/* For points_moved: such a field follows its point. When that goes it becomes -1, with a warning, and the constraint is to do nothing. */
DV_PUBLIC void dv_lagrangian_move_point(DvData *point, const DvRenumbering *numbers);
static inline bool dv_lagrangian_point_has_gone(DvData *point)
{
    return dv_data_int(point) < 0;
}
/* DV_OK, or an error: the first state has no rest positions. */
DV_NODISCARD DV_PUBLIC DvStatus dv_lagrangian_check_rest(const DvLagrangianConstraint *base);
/* DV_OK, or an error that names the first number that is none. */
DV_NODISCARD DV_PUBLIC DvStatus dv_lagrangian_check_finite(DvData *numbers);

/* An entry that is 0 but for one component. */
static inline void dv_entry_add_unit(DvRowEntries *entries, uint32_t row, uint32_t point, uint32_t component,
                                     double value)
{
    double *at = dv_entry_add(entries, row, point);
    for (uint32_t c = 0; c < entries->width; c++)
        at[c] = c == component ? value : 0.0;
}

/* What a block of `rows` rows takes from and leaves in a memory of its last solution. */
static inline void dv_block_start(DvConstraintBlock *block, const double *memory)
{
    block->has_start = true;
    for (uint32_t r = 0; r < block->rows; r++)
        block->start[r] = memory[r];
}

/* Where constraints are shown: a point of a state in space; false: it is not drawn now, or there is no such point. */
static inline bool dv_lagrangian_place(const DvLagrangianConstraint *base, const DvDraw *draw, int side, uint32_t point,
                                       double place[3])
{
    if (!dv_draw_shows(draw, DV_DISPLAY_INTERACTION_FORCE_FIELDS) || !base->state[side].ops)
        return false;
    const DvConstVec x = dv_state_read(base->state[side], DV_POSITION);
    const uint32_t spatial = base->state[side].dof->spatial;
    for (uint32_t axis = 0; axis < 3 && point < x.count; axis++)
        place[axis] = axis < spatial ? x.at[(size_t)point * x.dim + axis] : 0.0;
    return point < x.count;
}

DV_END_DECLS
#endif
