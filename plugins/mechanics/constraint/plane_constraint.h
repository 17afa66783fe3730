/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What constraints share that take the part along a direction out of motions: d_i -= n (n.d_i).
 *
 * Threads: [step].
 */
#ifndef DIVAN_MECHANICS_PLANE_CONSTRAINT_H
#define DIVAN_MECHANICS_PLANE_CONSTRAINT_H

#include <divan/kit/projective_constraint.h>

typedef struct PlaneConstraint {
    DvProjectiveConstraint base;
    DvData normal;                                 /* of any length */
    double unit[DV_PROJECTIVE_COMPONENTS], offset; /* lent to the operator */
} PlaneConstraint;

/* Members of DvProjectiveConstraintOps; `self` begins with a PlaneConstraint. */
void plane_constraint_project(void *self, const DvStep *step, const DvVec *d);
void plane_constraint_fixed(void *self, const DvStep *step,
                            void (*fix)(void *context, uint32_t state, uint32_t point, uint32_t component),
                            void *context);
bool plane_constraint_leaves_out(void *self);
uint64_t plane_constraint_structure(void *self, const DvStep *step);
#define PLANE_CONSTRAINT_OPS                                                                                \
    DV_PROJECTIVE_CONSTRAINT_OPS, .space = DV_HOST, .project_response = plane_constraint_project,           \
                                  .fixed = plane_constraint_fixed, .structure = plane_constraint_structure, \
                                  .leaves_out = plane_constraint_leaves_out

/* Its version, without that of a point of the plane. */
uint64_t plane_constraint_version(void *self);
/* The operator; `origin`: a point of the plane, which holds positions and velocities too, or NULL. Of a normal that is zero: none. */
void plane_constraint_describe(PlaneConstraint *self, const double *origin, uint64_t version, DvOperator *out);

/* That of the base; warns of a normal that is zero. */
DvStatus plane_constraint_init(DvObject *object, PlaneConstraint *self);

#endif
