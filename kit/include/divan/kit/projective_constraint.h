/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What projective constraints on some points of one state have in common: their first fields, the state, the points, until when
 * they act.
 *
 * DvProjectiveConstraint is the first member of the component's struct, so that the functions here serve as its operations. Its field
 * table begins with DV_PROJECTIVE_CONSTRAINT_FIELDS, its class has DV_PROJECTIVE_CONSTRAINT_CLASS, its table of functions
 * DV_PROJECTIVE_CONSTRAINT_OPS and its loops, in the memory space that it states.
 */
#ifndef DIVAN_KIT_PROJECTIVE_CONSTRAINT_H
#define DIVAN_KIT_PROJECTIVE_CONSTRAINT_H

#include <divan/contracts/operator.h>
#include <divan/contracts/projective_constraint.h>
#include <divan/contracts/topology.h>
#include <divan/contracts/visual.h>
#include <divan/kit/point_set.h>
#include <divan/kit/states.h>

DV_BEGIN_DECLS

typedef struct DvProjectiveConstraint {
    DvData end_time, indices;
    DvLink mstate, topology_link;
    DvData start; /* of classes that move their points: where these were at first, a coordinate each */

    DvStateRef state;         /* ops is NULL until it is found */
    uint64_t indices_version; /* that was checked against the state... */
    uint32_t checked_points;  /* ...when it had this size */
    DvPointSet points;
    bool keeps_start, warned;
} DvProjectiveConstraint;

#define DV_PROJECTIVE_CONSTRAINT_FIELDS(Struct, base, indices_init, indices_help)                                    \
    DV_FIELD_HELD("group", dv_type_int, .init = "0",                                                                 \
                  .help = "number for scenes to tell constraints apart; does nothing"),                              \
        DV_FIELD(Struct, base.end_time, "endTime", dv_type_double, .init = "-1", .unit = "s",                        \
                 .help = "time from which the points are free; negative: never"),                                    \
        DV_FIELD(Struct, base.indices, "indices", dv_type_uints, .init = indices_init, .help = indices_help),        \
        DV_LINK(Struct, base.mstate, "mstate", DV_STATE, .aliases = (const char *const[]){"mechanicalStates", NULL}, \
                .help = "state that is constrained; by default that of the node"),                                   \
        DV_LINK(Struct, base.topology_link, "topology", DV_TOPOLOGY,                                                 \
                .help = "topology that the indices follow; by default that of the node")
#define DV_PROJECTIVE_CONSTRAINT_START_FIELD(Struct, base)                   \
    DV_FIELD(Struct, base.start, "startPositions", dv_type_doubles,          \
             .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN | DV_FIELD_NOT_RESET, \
             .help = "where each point was before the first step, a coordinate each")

/* What the classes have alike. */
#define DV_PROJECTIVE_CONSTRAINT_CLASS                                                                         \
    .variant_rule = DV_VARIANT_OF_ALL, .sources = dv_single_state_sources, .family = "projective constraints", \
    .bases = (const char *const[]){"ProjectiveConstraintSet", "BaseProjectiveConstraintSet", NULL},            \
    .cleanup = dv_projective_cleanup, .destroy = dv_projective_destroy
/* What the tables of functions have alike. */
#define DV_PROJECTIVE_CONSTRAINT_OPS .size = sizeof(DvProjectiveConstraintOps), .states = dv_projective_states

/* Finds the state, checks the indices and follows the topology; what is missing is reported.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_projective_init(DvObject *object, DvProjectiveConstraint *base);
/* Members of DvClass. */
DV_PUBLIC void dv_projective_cleanup(DvObject *object, void *self);
DV_PUBLIC void dv_projective_destroy(DvObject *object, void *self);

/* Members of DvProjectiveConstraintOps. `fixed`: all components of the points while it acts; `structure`: of the indices and of whether it
 * acts.     [step] */
DV_PUBLIC uint32_t dv_projective_states(void *self, DvObject *states[2]);
DV_PUBLIC void dv_projective_fixed(void *self, const DvStep *step,
                                   void (*fix)(void *context, uint32_t state, uint32_t point, uint32_t component),
                                   void *context);
DV_PUBLIC uint64_t dv_projective_structure(void *self, const DvStep *step);

/* The rest: all [step]. */
DV_PUBLIC bool dv_projective_is_active(DvProjectiveConstraint *base, const DvStep *step);
/* The indices, all within the state; those that are not are reported and left out. Valid until the next call. */
DV_PUBLIC const uint32_t *dv_projective_indices(DvProjectiveConstraint *base, size_t *count);
/* d_i = 0 for them. */
DV_PUBLIC void dv_projective_clear(DvProjectiveConstraint *base, const DvVec *d);
/* Names all their components. */
DV_PUBLIC void dv_projective_fix(DvProjectiveConstraint *base,
                                 void (*fix)(void *context, uint32_t state, uint32_t point, uint32_t component),
                                 void *context);
/* Where the points were when this was asked for first, or when they were named: a coordinate each. */
DV_PUBLIC const double *dv_projective_start(DvProjectiveConstraint *base, const DvVec *x);

/* ---- Along a direction: of rigid bodies in space the first three components, of other points all ---- */

enum { DV_PROJECTIVE_COMPONENTS = 6 };
/* The direction of a field, a coordinate, brought to unit length. False: it is zero. */
DV_PUBLIC bool dv_projective_normal(const DvProjectiveConstraint *base, DvData *direction,
                                    double n[DV_PROJECTIVE_COMPONENTS]);
/* d_i -= n (n.d_i) for the points; n is a unit vector. */
DV_PUBLIC void dv_projective_remove_normal(DvProjectiveConstraint *base, const double *n, const DvVec *d);
/* Names the component along n; of one that is oblique warns once that an assembled system knows nothing of it. */
DV_PUBLIC void dv_projective_fix_normal(DvProjectiveConstraint *base, const double *n,
                                        void (*fix)(void *context, uint32_t state, uint32_t point, uint32_t component),
                                        void *context);
/* The operator "removed normal" of the points; n has DV_PROJECTIVE_COMPONENTS numbers, which are kept until the next call, and so is *offset. Its
 * version is that of the indices, of the time until when it acts, and `version` of the rest. */
DV_PUBLIC void dv_projective_describe_normal(DvProjectiveConstraint *base, const double *n, const double *offset,
                                             bool velocities, uint64_t version, DvOperator *out);
/* Whether a normal is along no axis: DvProjectiveConstraintOps.leaves_out */
DV_PUBLIC bool dv_projective_is_oblique(const DvProjectiveConstraint *base, const double *n);

/* ---- Drawing ---- */

/* The points, or all of the state, as spheres of this radius (m) or, when it is 0, as dots. */
DV_PUBLIC void dv_projective_draw(DvProjectiveConstraint *base, DvDraw *draw, bool all, double radius);
/* The points as dots. */
extern DV_PUBLIC const DvDrawableOps dv_projective_drawable;

DV_END_DECLS
#endif
