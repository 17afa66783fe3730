/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What projective constraints on some points of one state have in common: their first fields, the state, the points, until when
 * they act.
 *
 * ConstraintBase is the first member of the component's struct, so that the functions here serve as its operations.
 */
#ifndef DIVAN_MECHANICS_CONSTRAINT_BASE_H
#define DIVAN_MECHANICS_CONSTRAINT_BASE_H

#include <divan/contracts/projective_constraint.h>
#include <divan/contracts/topology.h>
#include <divan/contracts/visual.h>
#include <divan/memory.h>

#include "state/point_set.h"

typedef struct ConstraintBase {
    DvData end_time, indices;
    DvLink mstate, topology_link;
    DvData start; /* of classes that move their points: where these were at first, a coordinate each */

    DvStateRef state;         /* ops is NULL until it is found */
    uint64_t indices_version; /* that was checked against the state... */
    uint32_t checked_points;  /* ...when it had this size */
    PointSet points;
    bool keeps_start, warned;
} ConstraintBase;

#define CONSTRAINT_FIELDS(Struct, base, indices_init, indices_help)                                                  \
    DV_FIELD_HELD("group", dv_type_int, .init = "0",                                                                 \
                  .help = "number for scenes to tell constraints apart; does nothing"),                              \
        DV_FIELD(Struct, base.end_time, "endTime", dv_type_double, .init = "-1", .unit = "s",                        \
                 .help = "time from which the points are free; negative: never"),                                    \
        DV_FIELD(Struct, base.indices, "indices", dv_type_uints, .init = indices_init, .help = indices_help),        \
        DV_LINK(Struct, base.mstate, "mstate", DV_STATE, .aliases = (const char *const[]){"mechanicalStates", NULL}, \
                .help = "state that is constrained; by default that of the node"),                                   \
        DV_LINK(Struct, base.topology_link, "topology", DV_TOPOLOGY,                                                 \
                .help = "topology that the indices follow; by default that of the node")
#define CONSTRAINT_START_FIELD(Struct, base)                                                                   \
    DV_FIELD(Struct, base.start, "startPositions", dv_type_doubles, .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN, \
             .help = "where each point was before the first step, a coordinate each")

extern const DvVariantSource constraint_sources[];

/* Finds the state, checks the indices and follows the topology. */
DV_NODISCARD DvStatus constraint_init(DvObject *object, ConstraintBase *base);
/* Of the class. */
void constraint_cleanup(DvObject *object, void *self);
void constraint_destroy(DvObject *object, void *self);

/* DvProjectiveConstraintOps.states */
uint32_t constraint_states(void *self, DvObject *states[2]);

bool constraint_is_active(ConstraintBase *base, const DvStep *step);
/* The indices, all within the state. */
const uint32_t *constraint_indices(ConstraintBase *base, size_t *count);
/* d_i = 0 for them. */
void constraint_clear(ConstraintBase *base, const DvVec *d);
/* Names all their components. */
void constraint_fix(ConstraintBase *base,
                    void (*fix)(void *context, uint32_t state, uint32_t point, uint32_t component), void *context);
/* d_i -= n (n.d_i) for them, of the first `spatial` components; n is a unit vector. */
void constraint_remove_normal(ConstraintBase *base, const double *n, uint32_t spatial, const DvVec *d);
/* Names the component along n; for one that is oblique says once that an assembled system knows nothing of it. */
void constraint_fix_normal(ConstraintBase *base, const double *n, uint32_t spatial,
                           void (*fix)(void *context, uint32_t state, uint32_t point, uint32_t component),
                           void *context);
/* Whether a normal is along no axis: DvProjectiveConstraintOps.leaves_out */
bool constraint_is_oblique(const double *n, uint32_t spatial);
/* Where the points were when this was asked for first, or when they were named. */
const double *constraint_start(ConstraintBase *base, const DvVec *x);

/* The points, as spheres of this radius or, when it is 0, as dots. */
void constraint_draw(ConstraintBase *base, DvDraw *draw, bool all, double radius);

#endif
