/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Components that act on states which a device keeps: by a twin there, if a component offers an operator of which some plugin makes
 * one; else on the host, for which vectors travel, and that is said once.
 */
#ifndef DIVAN_MECHANICS_TWINS_H
#define DIVAN_MECHANICS_TWINS_H

#include "mechanics.h"

/* That of a component, where a device keeps all its states; else NULL. Each who has it leaves it, the last one before the space is closed. */
TwinItem *twin_place(SceneMechanics *scene, DvObject *object, DvObject *const *states, uint32_t count);
void twin_leave(SceneMechanics *scene, TwinItem **item);
void constraint_leave_twin(SceneMechanics *scene, ConstraintItem *constraint); /* and forgets what is fixed there */
/* All of them: the states are about to be elsewhere. */
void twins_forget_all(DvMechanics *m);

/* Around what is done for it: what had been done in its space before, and adds to it what has been done since. Of NULL: nothing. */
DvSpaceCounts twin_begin(const TwinItem *item);
void twin_end(TwinItem *item, const DvSpaceCounts *before);
/* Around what it asks of its space, for profilers; twin_begin and twin_end do so too. */
static inline void twin_range(const TwinItem *item)
{
    dv_space_range(item->counted, dv_object_name(item->object));
}
static inline void twin_range_end(const TwinItem *item)
{
    dv_space_range(item->counted, NULL);
}
extern const DvDeviceUseOps dv_device_use;

/* A component of the host acts on a few points of states that devices keep: their vectors, by number, for its functions; false: it may touch
 * all, or there is no such state. Forces that it has added to are put back by `end`. */
typedef struct PointsThere {
    MechanicalObject *own[2]; /* NULL: the whole vector, as it is */
    const uint32_t *points[2];
    uint32_t count[2];
    DvVecId f[2];
} PointsThere;
bool points_begin(DvMechanics *m, FieldItem *field, PointsThere *there, DvConstVec *x, DvConstVec *v, DvVec *f);
void points_end(const PointsThere *there, uint32_t states);

/* The twin of a component, as its operator is now; NULL: it acts on the host. `to`: the output of a mapping; or NULL. */
DvTwin *twin_find(TwinItem *item, DvObject *object, void *self, const DvStateRef *state, const DvStateRef *to);
static inline DvTwin *field_twin(const DvMechanics *m, FieldItem *field)
{
    const TwinItem *item = field->twin;
    return item ? twin_find(field->twin, field->object, field->self, &m->states[field->states[item->side]].ref, NULL)
                : NULL;
}
/* That which computes forces; NULL: the component does, though products may act there. */
DvTwin *field_twin_of_forces(const DvMechanics *m, FieldItem *field);
/* That which acts in products: where one of two states is on the host, only if that one rests. */
DvTwin *field_twin_of_products(const DvMechanics *m, FieldItem *field);
DvTwin *mapping_twin_now(DvMechanics *m, MappingItem *mapping);
static inline DvTwin *mapping_twin(DvMechanics *m, MappingItem *mapping)
{
    return mapping->twin ? mapping_twin_now(m, mapping) : NULL;
}
/* A twin that has not mapped positions yet does it with those that are there: before it is asked for what depends on them. */
void mapping_take_positions(DvMechanics *m, MappingItem *mapping);
/* Lets a mapping take notice of the positions that its twin has mapped: before it is asked for J, or acts on the host. */
void mapping_catch_up(DvMechanics *m, MappingItem *mapping, const DvStep *step);
void mappings_catch_up(DvMechanics *m, const DvStep *step); /* all */
/* Lets a component take notice of the forces that its twin has computed last: before it is asked for a matrix or energy. */
void field_catch_up(DvMechanics *m, FieldItem *field, const DvStep *step);

/* Projects residuals, or positions, where they are; false: the constraint has to do it. */
bool project_there(DvMechanics *m, ConstraintItem *constraint, const DvStep *step, DvVecId d);
bool project_position_there(DvMechanics *m, ConstraintItem *constraint, const DvStep *step, DvVecId x);
/* Whether a constraint leaves velocities as they are, so that they need not come home; *projects: it fixes them as it does residuals. */
bool leaves_velocities_there(DvMechanics *m, ConstraintItem *constraint, bool *projects);

/* Whether all that a constraint does to a residual is to clear the numbers that it names. */
bool constraint_clears_alone(const ConstraintItem *constraint);

/* The functions of the service. */
DvStorage operation_storage(DvMechanics *m);
bool operation_add_diagonal(DvMechanics *m, const DvStep *step, DvFactors factors, DvVecId res);
void operation_dot_to(DvMechanics *m, uint32_t slot, DvVecId a, DvVecId b);
void operation_combine_by(DvMechanics *m, DvVecId r, DvVecId a, DvVecId b, uint32_t slot, double factor);

#endif
