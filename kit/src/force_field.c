/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How force fields hold the states they act on.
 */
#include <divan/kit/force_field.h>

#include <math.h>

const DvVariantSource dv_single_state_sources[] = {{"mstate", "", DV_STATE}, {0}};
const DvVariantSource dv_pair_state_sources[] = {{"object1", "@./", DV_STATE}, {"object2", "@./", DV_STATE}, {0}};

DvStatus dv_single_state_init(DvObject *object, DvSingleState *base)
{
    return dv_state_require(object, &base->mstate, &base->state);
}

DvStatus dv_state_at_rest(DvObject *object, DvStateRef state, DvConstVec *rest)
{
    *rest = dv_state_read(state, DV_REST_POSITION);
    if (!rest->at && dv_state_count(state) > 0)
        return dv_error(object, DV_ERROR_INVALID,
                        "state '%s' has no rest positions; elements need those of a MechanicalObject",
                        dv_object_path(state.object));
    return DV_OK;
}

void dv_single_state_release(DvSingleState *base)
{
    dv_state_release(&base->state);
}

uint32_t dv_single_state_states(void *self, DvObject *states[2])
{
    const DvSingleState *base = self;
    if (!base->state.ops)
        return 0;
    states[0] = base->state.object;
    return 1;
}

DvStatus dv_pair_state_init(DvObject *object, DvPairState *base)
{
    DvStatus status = dv_state_require(object, &base->object1, &base->state[0]);
    if (status == DV_OK)
        status = dv_state_require(object, &base->object2, &base->state[1]);
    if (status != DV_OK)
        dv_pair_state_release(base);
    return status;
}

void dv_pair_state_release(DvPairState *base)
{
    dv_state_release(&base->state[0]);
    dv_state_release(&base->state[1]);
}

uint32_t dv_pair_state_states(void *self, DvObject *states[2])
{
    const DvPairState *base = self;
    if (!base->state[0].ops)
        return 0;
    states[0] = base->state[0].object;
    states[1] = base->state[1].object;
    return 2;
}

bool dv_single_state_is_concerned(const DvSingleState *base, const DvFault *fault)
{
    return base->state.ops && fault->concerns(fault, base->state.object);
}

bool dv_pair_state_is_concerned(const DvPairState *base, const DvFault *fault)
{
    return base->state[0].ops &&
           (fault->concerns(fault, base->state[0].object) || fault->concerns(fault, base->state[1].object));
}

double dv_elements_explain(const void *self, const DvFault *fault, double bound, uint32_t inverted, DvText *cause,
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

void dv_object_listen(DvObject *object)
{
    DvData *listening = dv_object_field(object, "listening");
    if (listening)
        dv_data_set_bool(listening, true);
}
