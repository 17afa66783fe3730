/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stiffness_report.h"

#include <divan/contracts/solver.h>
#include <divan/memory.h>

#include <math.h>
#include <string.h>

#include "model/collision_model.h"
#include "response/attachment.h"
#include "response/mobility.h"

enum { ELEMENTS_LOOKED_AT = 5 };

/* In a free motion forces above all solvers do not act. */
static bool forces_above_solvers_act(const DvObject *pipeline)
{
    const DvObject *loop = dv_node_find(dv_node_root(dv_object_node(pipeline)), DV_ANIMATION_LOOP, DV_SEARCH_DOWN);
    const char *name = loop ? dv_object_class(loop)->name : "";
    return strcmp(name, "FreeMotionAnimationLoop") != 0 && strcmp(name, "ConstraintAnimationLoop") != 0;
}

void stiffness_report_begin(StiffnessReport *self, const DvObject *pipeline, DvObject *method, DvObject *manager,
                            const DvCollisionBody *bodies, uint32_t count)
{
    const DvIntersectionMethodOps *ops = dv_object_ops(method, DV_INTERSECTION_METHOD);
    *self = (StiffnessReport){.manager = manager,
                              .node = dv_object_node(pipeline),
                              .distance = ops->contact_distance(dv_object_self(method)),
                              .dt = dv_node_dt(dv_node_root(dv_object_node(pipeline))),
                              .alone_acts = forces_above_solvers_act(pipeline),
                              .bodies = bodies,
                              .pushed = dv_alloc((size_t)count + 1, sizeof(Pushed))};
    for (uint32_t i = 0; i < count; i++)
        self->pushed[i] = (Pushed){{NAN, NAN, NAN}, 0.0};
}

static void push_element(const DvCollisionBody *body, uint32_t element, double dt, Pushed *pushed)
{
    const DvStateRef state = dv_state_ref(body->ops->state(body->self));
    const DvConstVec x = dv_state_read(state, DV_POSITION);
    const size_t size = (size_t)x.count * state.dof->deriv;
    DvAttachment end;
    body->ops->attach(body->self, element, shape_corner(body->shape, element, 0), &end);
    const DvVec3 lever = attachment_lever(&end, x.at, x.dim);
    const DvStepMark mark = dv_step_mark();
    double *f = dv_step_alloc(size + 1, sizeof *f);
    for (int axis = 0; axis < 3; axis++) {
        double unit[3] = {0.0, 0.0, 0.0};
        unit[axis] = 1.0;
        memset(f, 0, size * sizeof *f);
        attachment_add_force(&end, f, state.dof->deriv, lever, dv_vec3_load(unit));
        pushed->along[axis] = fmax(pushed->along[axis], mobility_under(state, f, dt, false));
    }
    dv_step_release(mark);
    pushed->radius = fmax(pushed->radius, end.radius);
}

static void push(const DvCollisionBody *body, double dt, Pushed *pushed)
{
    *pushed = (Pushed){.radius = 0.0};
    const uint32_t stride = 1 + (body->shape->count - 1) / ELEMENTS_LOOKED_AT;
    for (uint32_t e = 0; e < body->shape->count; e += stride)
        push_element(body, e, dt, pushed);
}

/* 1/kg, of both along the axis on which they give way most. */
static double mobility_of(const Pushed *a, const Pushed *b)
{
    double most = 0.0;
    for (int axis = 0; axis < 3; axis++)
        most = fmax(most, a->along[axis] + b->along[axis]);
    return most;
}

static const DvNode *node_of_response(const StiffnessReport *self, const DvCollisionBody *a, const DvCollisionBody *b)
{
    return !a->traits.simulated ? b->node : b->traits.simulated ? self->node : a->node;
}

static bool is_explicit_penalty(const StiffnessReport *self, const DvCollisionBody *a, const DvCollisionBody *b)
{
    const DvContactManagerOps *ops = dv_object_ops(self->manager, DV_CONTACT_MANAGER);
    const DvClass *cls = ops->response_class ? ops->response_class(dv_object_self(self->manager), a, b) : NULL;
    const DvNode *node = node_of_response(self, a, b);
    return cls && strcmp(cls->name, "PenalityContactForceField") == 0 && forces_are_explicit(node) &&
           (self->alone_acts || dv_node_find(node, DV_ODE_SOLVER, DV_SEARCH_UP));
}

void stiffness_report_pair(StiffnessReport *self, uint32_t i, uint32_t k)
{
    const DvCollisionBody *a = &self->bodies[i], *b = &self->bodies[k];
    if (!self->manager || !(self->dt > 0.0) || a->shape->count == 0 || b->shape->count == 0 ||
        !is_explicit_penalty(self, a, b))
        return;
    if (isnan(self->pushed[i].along[0]))
        push(a, self->dt, &self->pushed[i]);
    if (isnan(self->pushed[k].along[0]))
        push(b, self->dt, &self->pushed[k]);
    const double mobility = mobility_of(&self->pushed[i], &self->pushed[k]);
    const double distance =
        self->distance + a->traits.distance + b->traits.distance + self->pushed[i].radius + self->pushed[k].radius;
    if (!(mobility > 0.0))
        return;
    StepLoad load = {.product = a->traits.stiffness * b->traits.stiffness, .mass = 1.0 / mobility, .dt = self->dt};
    load.stiffness = distance > 0.0 ? load.product / distance : load.product;
    if (!(step_load(&load) > STEP_CARRIES))
        return;
    if (self->found++ > 0 && step_load(&load) <= step_load(&self->load))
        return;
    self->load = load;
    self->worst[0] = i;
    self->worst[1] = k;
}

void stiffness_report_end(StiffnessReport *self)
{
    const DvCollisionBody *a = &self->bodies[self->worst[0]], *b = &self->bodies[self->worst[1]];
    if (self->found > 0) {
        StepLoad *load = &self->load;
        load->carried = load->dt * sqrt(STEP_TAKES / step_load(load));
        for (int i = 0; i < 4; i++) { /* the mass hangs on dt where stiffness is part of it */
            Pushed pushed[2];
            push(a, load->carried, &pushed[0]);
            push(b, load->carried, &pushed[1]);
            load->carried = sqrt(STEP_TAKES / (mobility_of(&pushed[0], &pushed[1]) * load->stiffness));
        }
        say_stiffness(a->object, b->object, load, true, self->found - 1);
    }
    dv_free(self->pushed);
}
