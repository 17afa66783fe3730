/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What force fields of one state, and of a pair of states, have in common: their first fields, the states they
 * hold, and that they do nothing when they could not be initialised.
 *
 * DvSingleState or DvPairState is the first member of the component's struct, so that the functions here serve as its operations.
 */
#ifndef DIVAN_KIT_FORCE_FIELD_H
#define DIVAN_KIT_FORCE_FIELD_H

#include <divan/contracts/fault_cause.h>
#include <divan/contracts/force_field.h>
#include <divan/contracts/topology.h>
#include <divan/contracts/visual.h>
#include <divan/divan.h>
#include <divan/kit/states.h>

DV_BEGIN_DECLS

typedef struct DvSingleState {
    DvData rayleigh_stiffness;
    DvLink mstate;
    DvStateRef state; /* ops is NULL until init has succeeded */
} DvSingleState;

#define DV_SINGLE_STATE_FIELDS(Struct, base)                                                                     \
    DV_FIELD_RAYLEIGH_STIFFNESS(Struct, base.rayleigh_stiffness),                                                \
        DV_LINK(Struct, base.mstate, "mstate", DV_STATE, .help = "state it acts on; the node's own by default"), \
        DV_LINK_HELD("mechanicalStates", DV_STATE, .many = true, .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,  \
                     .help = "kept for scenes that name it: the states follow from the other links")

/* What the classes of force fields have alike, of one state and of two; the names of their bases, the nearest first. */
#define DV_FORCE_FIELD_CLASS(...)                                                                    \
    .variant_rule = DV_VARIANT_OF_ALL, .sources = dv_single_state_sources, .family = "force fields", \
    .bases = (const char *const[])                                                                   \
    {                                                                                                \
        __VA_ARGS__, NULL                                                                            \
    }
#define DV_PAIR_FORCE_FIELD_CLASS(...)                                                             \
    .variant_rule = DV_VARIANT_OF_ALL, .sources = dv_pair_state_sources, .family = "force fields", \
    .bases = (const char *const[])                                                                 \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

/* Contracts of a class: its operations, a DvElementsCause or other cause of a failed run, and what draws it. */
#define DV_FORCE_FIELD_CONTRACTS(operations, cause, drawable)                                  \
    .contracts = (const DvContract[])                                                          \
    {                                                                                          \
        {.id = DV_FORCE_FIELD, .ops = &(operations)}, {.id = DV_FAULT_CAUSE, .ops = &(cause)}, \
            {.id = DV_DRAWABLE, .ops = &(drawable)},                                           \
        {                                                                                      \
            0                                                                                  \
        }                                                                                      \
    }
#define DV_PAIR_FORCE_FIELD_CONTRACTS(operations, cause, drawable)                                         \
    .contracts = (const DvContract[])                                                                      \
    {                                                                                                      \
        {.id = DV_INTERACTION_FORCE_FIELD, .ops = &(operations)}, {.id = DV_FAULT_CAUSE, .ops = &(cause)}, \
            {.id = DV_DRAWABLE, .ops = &(drawable)},                                                       \
        {                                                                                                  \
            0                                                                                              \
        }                                                                                                  \
    }

typedef struct DvPairState {
    DvData rayleigh_stiffness;
    DvLink object1, object2;
    DvStateRef state[2]; /* ops are NULL until init has succeeded */
} DvPairState;

#define DV_PAIR_STATE_FIELDS(Struct, base)                                                                      \
    DV_FIELD_RAYLEIGH_STIFFNESS(Struct, base.rayleigh_stiffness),                                               \
        DV_LINK(Struct, base.object1, "object1", DV_STATE, .help = "first state; the node's own by default"),   \
        DV_LINK(Struct, base.object2, "object2", DV_STATE, .help = "second state; the node's own by default"),  \
        DV_LINK_HELD("mechanicalStates", DV_STATE, .many = true, .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN, \
                     .help = "kept for scenes that name it: the states follow from the other links")

/* Finds the states and holds on to them; reports what is missing. */
DV_NODISCARD DV_PUBLIC DvStatus dv_single_state_init(DvObject *object, DvSingleState *base);
DV_NODISCARD DV_PUBLIC DvStatus dv_pair_state_init(DvObject *object, DvPairState *base);
/* Positions at rest, for init; an error when the state has none. */
DV_NODISCARD DV_PUBLIC DvStatus dv_state_at_rest(DvObject *object, DvStateRef state, DvConstVec *rest);
DV_PUBLIC void dv_single_state_release(DvSingleState *base);
DV_PUBLIC void dv_pair_state_release(DvPairState *base);

/* DvForceFieldOps.states */
DV_PUBLIC uint32_t dv_single_state_states(void *self, DvObject *states[2]);
DV_PUBLIC uint32_t dv_pair_state_states(void *self, DvObject *states[2]);

static inline bool dv_pair_state_is_one(const DvPairState *base)
{
    return base->state[0].object == base->state[1].object;
}

/* What a force field says of a failed run, from two functions: the largest angular frequency of its elements, rad/s, for a unit of mass per
 * point, which tells whether the step was too large for it; and, optional, the first element that these positions turn inside out
 * (UINT32_MAX: none). A class offers it as DV_FAULT_CAUSE.     [step] */
typedef struct DvElementsCause {
    DvFaultCauseOps ops;
    double (*bound)(void *self);
    uint32_t (*inverted)(void *self, const DvConstVec *x);
} DvElementsCause;
#define DV_ELEMENTS_CAUSE(...)                                                                \
    {                                                                                         \
        .ops = {.size = sizeof(DvFaultCauseOps), .explain = dv_elements_explain}, __VA_ARGS__ \
    }
DV_PUBLIC double dv_elements_explain(void *self, const DvFault *fault, DvText *cause, DvText *remedy);

/* Sets the common field `listening`, for classes that need events whatever the scene says. */
DV_PUBLIC void dv_object_listen(DvObject *object);

/* 3 x 3 couplings, the usual case unrolled: a += factor dense, or factor dense^T. */
static inline void dv_view_add3(const DvMatrixView *view, uint32_t coupling, const double dense[9], double factor)
{
    if (view->direct && view->block == 3) {
        double *at = view->values + 9 * (size_t)view->slot[coupling];
        for (int i = 0; i < 9; i++)
            at[i] += factor * dense[i];
    } else {
        dv_view_add(view, coupling, dense, factor);
    }
}
static inline void dv_view_add3_transposed(const DvMatrixView *view, uint32_t coupling, const double dense[9],
                                           double factor)
{
    const double transposed[9] = {dense[0], dense[3], dense[6], dense[1], dense[4],
                                  dense[7], dense[2], dense[5], dense[8]};
    dv_view_add3(view, coupling, transposed, factor);
}

DV_END_DECLS
#endif
