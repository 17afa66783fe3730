/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What force fields of one state, and of a pair of states, have in common: their first fields, the states they
 * hold, and that they do nothing when they could not be initialised.
 *
 * SingleState or PairState is the first member of the component's struct, so that the functions here serve as its operations.
 */
#ifndef DIVAN_MECHANICS_FORCE_FIELD_H
#define DIVAN_MECHANICS_FORCE_FIELD_H

#include <divan/contracts/fault_cause.h>
#include <divan/contracts/force_field.h>
#include <divan/contracts/topology.h>
#include <divan/contracts/visual.h>
#include <divan/divan.h>

typedef struct SingleState {
    DvData rayleigh_stiffness;
    DvLink mstate, mechanical_states;
    DvStateRef state; /* ops is NULL until init has succeeded */
} SingleState;

#define SINGLE_STATE_FIELDS(Struct, base)                                                                        \
    DV_FIELD_RAYLEIGH_STIFFNESS(Struct, base.rayleigh_stiffness),                                                \
        DV_LINK(Struct, base.mstate, "mstate", DV_STATE, .help = "state it acts on; the node's own by default"), \
        DV_LINK(Struct, base.mechanical_states, "mechanicalStates", DV_STATE, .many = true,                      \
                .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,                                                   \
                .help = "kept for scenes that name it: the states follow from the other links")

extern const DvVariantSource single_state_sources[];

typedef struct PairState {
    DvData rayleigh_stiffness;
    DvLink object1, object2, mechanical_states;
    DvStateRef state[2]; /* ops are NULL until init has succeeded */
} PairState;

#define PAIR_STATE_FIELDS(Struct, base)                                                                        \
    DV_FIELD_RAYLEIGH_STIFFNESS(Struct, base.rayleigh_stiffness),                                              \
        DV_LINK(Struct, base.object1, "object1", DV_STATE, .help = "first state; the node's own by default"),  \
        DV_LINK(Struct, base.object2, "object2", DV_STATE, .help = "second state; the node's own by default"), \
        DV_LINK(Struct, base.mechanical_states, "mechanicalStates", DV_STATE, .many = true,                    \
                .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,                                                 \
                .help = "kept for scenes that name it: the states follow from the other links")

extern const DvVariantSource pair_state_sources[];

/* Finds the states and holds on to them; reports what is missing. */
DV_NODISCARD DvStatus single_state_init(DvObject *object, SingleState *base);
DV_NODISCARD DvStatus pair_state_init(DvObject *object, PairState *base);
/* Positions at rest, for init; an error when the state has none. */
DV_NODISCARD DvStatus state_at_rest(DvObject *object, DvStateRef state, DvConstVec *rest);
void single_state_release(SingleState *base);
void pair_state_release(PairState *base);

/* DvForceFieldOps.states */
uint32_t single_state_states(void *self, DvObject *states[2]);
uint32_t pair_state_states(void *self, DvObject *states[2]);

static inline bool pair_state_is_one(const PairState *base)
{
    return base->state[0].object == base->state[1].object;
}

/* What a force field says of a failed run. `bound`: the largest angular frequency of its elements, rad/s, for a unit of mass per
 * point. Whether the step was too large for it, else whether element `inverted` (UINT32_MAX: none) may be the reason. */
double explain_elements(const void *self, const DvFault *fault, double bound, uint32_t inverted, DvText *cause,
                        DvText *remedy);
/* Whether the failed state depends on one of the states of a field, which must be initialised. */
bool single_state_is_concerned(const SingleState *base, const DvFault *fault);
bool pair_state_is_concerned(const PairState *base, const DvFault *fault);

/* Sets the common field `listening`, for classes that need events whatever the scene says. */
void force_field_listen(DvObject *object);

/* 3 x 3 couplings, the usual case unrolled: a += factor dense, or factor dense^T. */
static inline void add_block3(const DvMatrixView *view, uint32_t coupling, const double dense[9], double factor)
{
    if (view->direct && view->block == 3) {
        double *at = view->values + 9 * (size_t)view->slot[coupling];
        for (int i = 0; i < 9; i++)
            at[i] += factor * dense[i];
    } else {
        dv_view_add(view, coupling, dense, factor);
    }
}
static inline void add_block3_transposed(const DvMatrixView *view, uint32_t coupling, const double dense[9],
                                         double factor)
{
    const double transposed[9] = {dense[0], dense[3], dense[6], dense[1], dense[4],
                                  dense[7], dense[2], dense[5], dense[8]};
    add_block3(view, coupling, transposed, factor);
}

#endif
