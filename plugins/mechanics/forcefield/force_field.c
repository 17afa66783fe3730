/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How force fields hold the states they act on.
 */
#include "forcefield/force_field.h"

#include <math.h>

const DvVariantSource single_state_sources[] = {{"mstate", "", DV_STATE}, {0}};
const DvVariantSource pair_state_sources[] = {{"object1", "@./", DV_STATE}, {"object2", "@./", DV_STATE}, {0}};

DvStatus single_state_init(DvObject *object, SingleState *base)
{
    return dv_state_require(object, &base->mstate, &base->state);
}

DvStatus state_at_rest(DvObject *object, DvStateRef state, DvConstVec *rest)
{
    *rest = dv_state_read(state, DV_REST_POSITION);
    if (!rest->at && dv_state_count(state) > 0)
        return dv_error(object, DV_ERROR_INVALID,
                        "state '%s' has no rest positions; elements need those of a MechanicalObject",
                        dv_object_path(state.object));
    return DV_OK;
}

void single_state_release(SingleState *base)
{
    dv_state_release(&base->state);
}

uint32_t single_state_states(void *self, DvObject *states[2])
{
    const SingleState *base = self;
    if (!base->state.ops)
        return 0;
    states[0] = base->state.object;
    return 1;
}

DvStatus pair_state_init(DvObject *object, PairState *base)
{
    DvStatus status = dv_state_require(object, &base->object1, &base->state[0]);
    if (status == DV_OK)
        status = dv_state_require(object, &base->object2, &base->state[1]);
    if (status != DV_OK)
        pair_state_release(base);
    return status;
}

void pair_state_release(PairState *base)
{
    dv_state_release(&base->state[0]);
    dv_state_release(&base->state[1]);
}

uint32_t pair_state_states(void *self, DvObject *states[2])
{
    const PairState *base = self;
    if (!base->state[0].ops)
        return 0;
    states[0] = base->state[0].object;
    states[1] = base->state[1].object;
    return 2;
}

bool single_state_is_concerned(const SingleState *base, const DvFault *fault)
{
    return base->state.ops && fault->concerns(fault, base->state.object);
}

bool pair_state_is_concerned(const PairState *base, const DvFault *fault)
{
    return base->state[0].ops &&
           (fault->concerns(fault, base->state[0].object) || fault->concerns(fault, base->state[1].object));
}

double explain_elements(const void *self, const DvFault *fault, double bound, uint32_t inverted, DvText *cause,
                        DvText *remedy)
{
    const DvObject *object = dv_object_of(self);
    const char *class_name = dv_object_class(object)->name, *name = dv_object_name(object);
    /* A mass on a spring of frequency w: explicit steps beyond 2 / w grow. */
    const double frequency = bound / sqrt(fault->lightest);
    if (fault->explicit_solver && frequency * fault->dt > 2.0) {
        dv_text_add(
            cause,
            "step too large for the stiffest element (%s '%s' oscillates at %.3g rad/s, so a step of %.3g s diverges)",
            class_name, name, frequency, fault->dt);
        dv_text_add(remedy, "use a dt below %.2g s, or EulerImplicitSolver", 2.0 / frequency);
        /* The stiffest of several is the likeliest. */
        return DV_FAULT_PROVEN + (DV_FAULT_CERTAIN - DV_FAULT_PROVEN) * (1.0 - 2.0 / (frequency * fault->dt));
    }
    if (inverted == UINT32_MAX)
        return 0.0;
    dv_text_add(cause, "inverted element (element %u of %s '%s')", inverted, class_name, name);
    dv_text_add(remedy, "use a smaller dt, a stiffer material or a finer mesh there");
    return DV_FAULT_SEEN;
}

void force_field_listen(DvObject *object)
{
    DvData *listening = dv_object_field(object, "listening");
    if (listening)
        dv_data_set_bool(listening, true);
}
