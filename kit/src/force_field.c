/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How force fields hold the states they act on.
 */
#include <divan/kit/force_field.h>

#include <math.h>

const DvVariantSource dv_single_state_sources[] = {{"mstate", "", DV_STATE}, {0}};
const DvVariantSource dv_pair_state_sources[] = {{"object1", "@./", DV_STATE}, {"object2", "@./", DV_STATE}, {0}};

DvStatus dv_state_require_of_part(DvObject *object, const DvLink *link, DvStateRef *state)
{
    const char *variant = dv_object_variant(object);
    const size_t length = strcspn(variant, ",");
    if (variant[length] != ',')
        return dv_state_require(object, link, state);
    DvObject *found = NULL;
    dv_state_release(state);
    DvStatus status = dv_object_find_required(object, link, DV_STATE, "a MechanicalObject", &found);
    if (status == DV_OK)
        status = dv_object_require(object, found);
    if (status != DV_OK)
        return status;
    const DvStateRef of_part = dv_state_ref(found);
    if (strlen(of_part.dof->name) != length || strncmp(of_part.dof->name, variant, length) != 0)
        return dv_error(object, DV_ERROR_INVALID, "made for %s, but state '%s' holds %s", variant,
                        dv_object_path(found), of_part.dof->name);
    *state = of_part;
    dv_object_ref(found);
    return DV_OK;
}

DvStatus dv_single_state_init(DvObject *object, DvSingleState *base)
{
    return dv_state_require_of_part(object, &base->mstate, &base->state);
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

/* The first of its states on which the failed one depends; NULL: none. */
static DvObject *concerned_state(const DvObject *object, const DvFault *fault)
{
    const DvForceFieldOps *field = dv_object_ops(object, DV_FORCE_FIELD);
    if (!field)
        field = dv_object_ops(object, DV_INTERACTION_FORCE_FIELD);
    DvObject *states[2];
    const uint32_t count = field ? field->states(dv_object_self(object), states) : 0;
    for (uint32_t i = 0; i < count; i++)
        if (fault->concerns(fault, states[i]))
            return states[i];
    return NULL;
}

double dv_elements_explain(void *self, const DvFault *fault, DvText *cause, DvText *remedy)
{
    const DvObject *object = dv_object_of(self);
    const DvElementsCause *elements = dv_object_ops(object, DV_FAULT_CAUSE);
    DvObject *state = concerned_state(object, fault);
    if (!elements || !state)
        return 0.0;
    const char *class_name = dv_object_class(object)->name, *name = dv_object_name(object);
    /* A mass on a spring of frequency w: explicit steps beyond 2 / w grow. */
    const double frequency = elements->bound(self) / sqrt(fault->lightest);
    if (fault->explicit_solver && frequency * fault->dt > 2.0) {
        dv_text_add(
            cause,
            "step too large for the stiffest element (%s '%s' oscillates at %.3g rad/s, so a step of %.3g s diverges)",
            class_name, name, frequency, fault->dt);
        dv_text_add(remedy, "use a dt below %.2g s, or EulerImplicitSolver", 2.0 / frequency);
        /* The stiffest of several is the likeliest. */
        return DV_FAULT_PROVEN + (DV_FAULT_CERTAIN - DV_FAULT_PROVEN) * (1.0 - 2.0 / (frequency * fault->dt));
    }
    const DvConstVec x = fault->good(fault, state, DV_POSITION);
    const uint32_t inverted = elements->inverted ? elements->inverted(self, &x) : UINT32_MAX;
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
