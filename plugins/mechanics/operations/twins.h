/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Components that act on states which a device keeps: by a twin there, if a component offers an operator of which some plugin makes
 * one; else on the host, for which vectors travel, and that is said once.
 */
#ifndef DIVAN_MECHANICS_TWINS_H
#define DIVAN_MECHANICS_TWINS_H

#include "mechanics.h"

/* Where the states of a component are: at compilation.     [step] */
void twin_place(TwinItem *item, DvObject *object, DvObject *const *states, uint32_t count);
void twin_forget(TwinItem *item);
void constraint_forget_fixed(ConstraintItem *constraint);
/* All of them: the states are about to be elsewhere. */
void twins_forget_all(DvMechanics *m);

/* The twin of a component, as its operator is now; NULL: it acts on the host. */
DvTwin *twin_find(TwinItem *item, DvObject *object, void *self, const DvStateRef *state);
static inline DvTwin *field_twin(const DvMechanics *m, FieldItem *field)
{
    return field->twin.space ? twin_find(&field->twin, field->object, field->self, &m->states[field->states[0]].ref)
                             : NULL;
}
/* Lets a component take notice of the forces that its twin has computed last: before it is asked for a matrix or energy. */
void field_catch_up(DvMechanics *m, FieldItem *field, const DvStep *step);

/* Projects residuals where they are; false: the constraint has to do it. */
bool project_there(DvMechanics *m, ConstraintItem *constraint, const DvStep *step, DvVecId d);
/* Whether a constraint leaves velocities as they are, so that they need not come home; *projects: it fixes them as it does residuals. */
bool leaves_velocities_there(const DvMechanics *m, ConstraintItem *constraint, bool *projects);

/* The functions of the service. */
DvStorage operation_storage(DvMechanics *m);
void operation_dot_to(DvMechanics *m, uint32_t slot, DvVecId a, DvVecId b);
void operation_combine_by(DvMechanics *m, DvVecId r, DvVecId a, DvVecId b, uint32_t slot, double factor);

#endif
