/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Force fields on one state whose points do not see each other: the force on a point follows from its own position and velocity, so
 * that K and B have one block for each point, on the diagonal. A class says the force and that block; products, couplings and the
 * assembled matrix follow from it.
 *
 * DvPointForceField is the first member of the component's struct. The field table begins with DV_SINGLE_STATE_FIELDS(Struct, points.base).
 */
#ifndef DIVAN_KIT_POINT_FORCE_FIELD_H
#define DIVAN_KIT_POINT_FORCE_FIELD_H

#include <divan/kit/force_field.h>

DV_BEGIN_DECLS

typedef struct DvPointForceFieldOps {
    DvForceFieldOps ops; /* first: DV_POINT_FORCE_FIELD_OPS */
    /* block[size x size] += k K + b B of a point at the last add_force, row by row; size: derivatives of a point.     [step] */
    void (*add_block)(void *self, uint32_t point, uint32_t size, double k, double b, double *block);
} DvPointForceFieldOps;

typedef struct DvPointForceField {
    DvSingleState base;
    const DvPointForceFieldOps *ops;
} DvPointForceField;

#define DV_POINT_FORCE_FIELD_OPS(add_force_)                                                      \
    .size = sizeof(DvForceFieldOps), .states = dv_single_state_states, .add_force = (add_force_), \
    .add_dforce = dv_point_force_field_add_dforce, .reserve = dv_point_force_field_reserve,       \
    .assemble = dv_point_force_field_assemble, .structure = dv_point_force_field_structure

/* `operations`: the DvPointForceFieldOps; the names of the bases, the nearest first. */
#define DV_POINT_FORCE_FIELD_CLASS(operations, ...)                                           \
    DV_FORCE_FIELD_CLASS(__VA_ARGS__),                                                        \
        .contracts = (const DvContract[]){{.id = DV_FORCE_FIELD, .ops = &(operations)}, {0}}, \
        .init = dv_point_force_field_init, .cleanup = dv_point_force_field_cleanup

/* DvClass.init: finds the state; reports what is missing. DvClass.cleanup.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_point_force_field_init(DvObject *object, void *self);
DV_PUBLIC void dv_point_force_field_cleanup(DvObject *object, void *self);

/* Members of DvForceFieldOps.     [step] */
DV_PUBLIC void dv_point_force_field_add_dforce(void *self, const DvStep *step, double k, double b, const DvConstVec *dx,
                                               const DvVec *df);
DV_PUBLIC void dv_point_force_field_reserve(void *self, DvPattern *pattern);
DV_PUBLIC void dv_point_force_field_assemble(void *self, const DvStep *step, double k, double b,
                                             const DvMatrixView *view);
DV_PUBLIC uint64_t dv_point_force_field_structure(void *self);

DV_END_DECLS
#endif
