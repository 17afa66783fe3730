/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What animation loops do in their steps, each in its own order.
 */
#ifndef DV_SOLVERS_STEP_PARTS_H
#define DV_SOLVERS_STEP_PARTS_H

#include <divan/contracts/solver.h>
#include <divan/event.h>

/* For field tables: what the check of each step takes from the loop of the scene (divan.step-check/1). */
#define STEP_FIELD_GROWTH_LIMIT(Struct)                                                                              \
    DV_FIELD(Struct, growth_limit, "growthLimit", dv_type_double, .init = "1e6", .range = &dv_range_not_negative,    \
             .flags = DV_FIELD_LENIENT,                                                                              \
             .help = "a run ends with an error when a velocity is beyond 1e9 and beyond this many times what would " \
                     "cross the scene in a step or fall freely since the start; read at the start; 0: never")

/* The topmost ODE solvers in and below `target`, in the order of the scene, to step->position and step->velocity.
 * Interaction force fields above them do not act; *told: whether users know. */
DV_NODISCARD DvStatus step_run_solvers(DvNode *target, const DvStep *step, bool *told);
/* A whole integration, with the events around it: the same solvers (`first`: of each node only the first), while interaction force
 * fields above them add to the external forces of their states; then constraints hold, mapped states follow, external forces are
 * cleared. */
DV_NODISCARD DvStatus step_integrate(const DvMechanicalOperationsOps *ops, DvMechanics *m, DvNode *target,
                                     const DvStep *step, bool first);
/* The same of those alone that the tags let pass, the first of each node; external forces stay, so that those of other tags find them. */
DV_NODISCARD DvStatus step_integrate_tagged(const DvMechanicalOperationsOps *ops, DvMechanics *m, DvNode *target,
                                            const DvStep *step, DvTags tags);
/* The pipeline of each node (that the tags let pass): what it finds, it answers; with the events around it. */
DV_NODISCARD DvStatus step_collide(DvNode *target, double dt);
DV_NODISCARD DvStatus step_collide_tagged(DvNode *target, double dt, DvTags tags);
/* For loops that solve no constraints: says once that there are some. */
void step_tell_of_constraints(const DvObject *loop, DvNode *target, bool *told);
void step_tell(DvNode *node, DvEventKind kind, double dt);
/* Constraints hold and mapped states follow. */
void step_project_and_propagate(const DvMechanicalOperationsOps *ops, DvMechanics *m, const DvStep *step);
/* DvAnimationLoopOps.settle of any loop: the whole scene, whatever the target. */
void step_settle(void *self);
/* For init: the node that a loop animates, what the link leads to or its own. */
DV_NODISCARD DvStatus step_find_target(DvObject *object, const DvLink *link, DvNode **target);
/* For init: the same node, and the mechanics of all in and below it, which the
 * loop closes. */
DV_NODISCARD DvStatus step_open(DvObject *object, const DvLink *link, DvNode **target,
                                const DvMechanicalOperationsOps **ops, DvMechanics **m);
/* dt of a step (0: the node's) and the time at which it starts; an error when it leads to no time. */
DV_NODISCARD DvStatus step_times(const DvObject *object, DvNode *target, double *dt, double *start);
/* Warns of bodies that stand still under a loop that solves for constraints: those without a constraint correction. */
void step_tell_of_unmoved(DvObject *loop, DvNode *target);
/* The time moves on, and all nodes know it. */
void step_set_time(DvNode *target, double time);
/* The same at the end of a step, with the events that follow. */
void step_end(DvNode *target, double end, double dt);

#endif
