/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What Lagrangian constraints of one state, and of a pair of states, have in common: their first fields, the states they hold, when
 * they act, and how a condition on positions becomes one on velocities.
 *
 * ConstraintModel is the first member of the component's struct, so that the functions here serve as its operations.
 */
#ifndef DIVAN_SOLVERS_CONSTRAINT_MODEL_H
#define DIVAN_SOLVERS_CONSTRAINT_MODEL_H

#include <divan/contracts/lagrangian_constraint.h>
#include <divan/contracts/topology.h>
#include <divan/contracts/visual.h>
#include <divan/divan.h>

/* How points of a mesh change their numbers: one goes and the last takes its number, or all get new ones. */
typedef struct PointMove {
    const uint32_t *now; /* [count] new number of each old one; NULL: one goes */
    uint32_t count;
    uint32_t gone, last;
} PointMove;

/* The new number of a point; UINT32_MAX: it has gone. */
static inline uint32_t moved_point(const PointMove *move, uint32_t point)
{
    if (move->now)
        return point < move->count ? move->now[point] : point;
    return point == move->gone ? UINT32_MAX : point == move->last ? move->gone : point;
}

/* A condition on positions: d = gap(x), whose rows J are its derivative. On velocities it is J v + gap(x) / dt with the positions at the
 * beginning of the step, so that the end of the step fulfils it too. */
typedef struct ConstraintForm {
    void (*gap)(void *self, const DvConstVec x[2], double *d);
    void (*add_rate)(void *self, const DvConstVec v[2], double *d); /* d += J v */
    /* Optional: points of the states of `sides` (bit 0: the first, bit 1: the second) have other numbers. */
    void (*points_moved)(void *self, uint32_t sides, const PointMove *move);
    /* Optional: the fields of constraint_model_keep_start are again what they were, as the mesh is. */
    void (*started_again)(void *self);
} ConstraintForm;

/* What a field held at the start. */
typedef struct StartOfField {
    DvData *field;
    void *elements;
    size_t count;
} StartOfField;
enum { MOST_STARTS = 4 };

typedef struct ConstraintModel {
    DvData constraint_index, end_time;
    DvLink link[2];
    DvStateRef state[2]; /* ops are NULL until they are found */
    uint32_t states;     /* 0: not initialised */
    uint32_t rows;       /* of this step */
    DvVecId position;    /* positions at its beginning */
    const ConstraintForm *form;
    DvElementData followed[2];
    StartOfField starts[MOST_STARTS]; /* [start_count] */
    uint32_t start_count;
} ConstraintModel;

#define CONSTRAINT_MODEL_FIELDS(Struct, base)                                                                   \
    DV_FIELD_HELD("group", dv_type_int, .init = "0",                                                            \
                  .help = "number for scenes to tell constraints apart; does nothing"),                         \
        DV_FIELD(Struct, base.constraint_index, "constraintIndex", dv_type_uint, .init = "0",                   \
                 .flags = DV_FIELD_READ_ONLY, .help = "its first row in the problem of the step"),              \
        DV_FIELD(Struct, base.end_time, "endTime", dv_type_double, .init = "-1", .unit = "s",                   \
                 .help = "time from which it does not act; negative: never"),                                   \
        DV_LINK_HELD("mechanicalStates", DV_STATE, .many = true, .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN, \
                     .help = "kept for scenes that name it: the states follow from the other links")

#define ONE_STATE_FIELDS(Struct, base)                                                       \
    CONSTRAINT_MODEL_FIELDS(Struct, base), DV_LINK(Struct, base.link[0], "mstate", DV_STATE, \
                                                   .help = "state that is constrained; the node's own by default")

#define TWO_STATE_FIELDS(Struct, base)                                                                        \
    CONSTRAINT_MODEL_FIELDS(Struct, base),                                                                    \
        DV_LINK(Struct, base.link[0], "object1", DV_STATE, .help = "first state; the node's own by default"), \
        DV_LINK(Struct, base.link[1], "object2", DV_STATE, .help = "second state; the node's own by default")

extern const DvVariantSource one_state_sources[], two_state_sources[];

/* Finds `states` states and holds on to them; reports what is missing. */
DV_NODISCARD DvStatus constraint_model_init(DvObject *object, ConstraintModel *model, uint32_t states,
                                            const ConstraintForm *form);
void constraint_model_release(ConstraintModel *model);
/* Has points_moved called when points of a side get other numbers: of the topology of the link, else of the state's node. NULL: no
 * link. */
DV_NODISCARD DvStatus constraint_model_follow(ConstraintModel *model, uint32_t side, const DvLink *topology);

/* After following: a reset that gives a mesh back its points gives the field back what it holds now. */
void constraint_model_keep_start(ConstraintModel *model, DvData *field);

static inline bool constraint_model_is_of_one_state(const ConstraintModel *model)
{
    return model->state[0].object == model->state[1].object;
}

/* DvLagrangianConstraintOps.states and .violation */
uint32_t constraint_model_states(void *self, DvObject **states, uint32_t capacity);
DvStatus constraint_model_violation(void *self, const DvStep *step, DvConstraintOrder order, double *d);

/* At the beginning of DvLagrangianConstraintOps.build. False: it does not act. */
bool constraint_model_begin(ConstraintModel *model, const DvStep *step, const DvConstraintRows *rows);
/* A block of the next rows, which are counted. */
static inline DvConstraintBlock *constraint_model_add(ConstraintModel *model, DvConstraintRows *rows, DvLaw law,
                                                      uint32_t count)
{
    model->rows += count;
    return dv_block_add(rows, law, count);
}

/* DV_OK, or an error that names the first point that the state has not. */
DV_NODISCARD DvStatus constraint_model_check_points(ConstraintModel *model, uint32_t side, DvData *points);
/* The same of a field that holds one number. */
DV_NODISCARD DvStatus constraint_model_check_point(ConstraintModel *model, uint32_t side, DvData *point);
/* For points_moved: such a field follows its point. When that goes it becomes -1, with a warning, and the constraint is to do nothing. */
void constraint_model_move_point(DvData *point, const PointMove *move);
static inline bool constraint_model_point_has_gone(DvData *point)
{
    return dv_data_int(point) < 0;
}
/* DV_OK, or an error: the first state has no rest positions. */
DV_NODISCARD DvStatus constraint_model_check_rest(const ConstraintModel *model);
/* DV_OK, or an error that names the first number that is none. */
DV_NODISCARD DvStatus constraint_model_check_finite(DvData *numbers);

/* An entry that is 0 but for one component. */
static inline void constraint_entry_add_unit(DvRowEntries *entries, uint32_t row, uint32_t point, uint32_t component,
                                             double value)
{
    double *at = dv_entry_add(entries, row, point);
    for (uint32_t c = 0; c < entries->width; c++)
        at[c] = c == component ? value : 0.0;
}

/* What a block of `rows` rows takes from and leaves in a memory of its last solution. */
static inline void constraint_block_start(DvConstraintBlock *block, const double *memory)
{
    block->has_start = true;
    for (uint32_t r = 0; r < block->rows; r++)
        block->start[r] = memory[r];
}

/* Where constraints are shown: a point of a state in space; false: it is not drawn now, or there is no such point. */
static inline bool constraint_model_place(const ConstraintModel *model, const DvDraw *draw, int side, uint32_t point,
                                          double place[3])
{
    if (!dv_draw_shows(draw, DV_DISPLAY_INTERACTION_FORCE_FIELDS) || !model->state[side].ops)
        return false;
    const DvConstVec x = dv_state_read(model->state[side], DV_POSITION);
    const uint32_t spatial = model->state[side].dof->spatial;
    for (uint32_t axis = 0; axis < 3 && point < x.count; axis++)
        place[axis] = axis < spatial ? x.at[(size_t)point * x.dim + axis] : 0.0;
    return point < x.count;
}

#endif
