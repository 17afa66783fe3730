/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SpringForceField: damped linear springs between points of two states, or of one. Equations and limits: springs.h.
 *
 * Springs are given one by one (`spring`, or a file), or as lists of points with stiffness, damping and rest length for each; a
 * list that is too short repeats its last value. Rest lengths that are not given are 0, they are not measured.
 */
#include "forcefield/spring/springs.h"

typedef struct SpringForceField {
    Springs springs;
} SpringForceField;

static const DvField fields[] = {SPRING_FIELDS(SpringForceField, springs), {0}};

static DvStatus init(DvObject *object, void *self_)
{
    SpringForceField *self = self_;
    const DvStatus status = springs_init_states(object, &self->springs);
    return status == DV_OK ? springs_init_lists(object, &self->springs) : status;
}

const DvClass dv_spring_force_field = {
    .size = sizeof(DvClass),
    .name = "SpringForceField",
    .variants = "Vec1d Vec2d Vec3d Vec6d Rigid3d",
    DV_PAIR_FORCE_FIELD_CLASS("PairInteractionForceField"),
    .module = "Sofa.Component.SolidMechanics.Spring",
    .help = "Damped linear springs between points of two states, or of one.",
    .instance_size = sizeof(SpringForceField),
    .fields = fields,
    SPRINGS_CONTRACTS,
    .init = init,
    .cleanup = springs_cleanup,
    .destroy = springs_destroy,
};
