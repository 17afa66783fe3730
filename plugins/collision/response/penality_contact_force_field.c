/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PenalityContactForceField: springs that push two models apart where they touch.
 *
 *   pen = dist - (x2 - x1).n        dist: the contact distances of method and models, radii
 *   f2 = ks pen n, f1 = -f2         when pen > 0; ks = k1 k2 / dist, k1 and k2 those of the models
 *   df2 = -ks n n^T (dx2 - dx1)     of contacts whose pen was positive at the last force
 *
 * x1 and x2 are points of the two elements: combinations of points of the models' states, or points of rigid frames. The normal
 * is that of the detection; positions are the present ones. No friction, no damping. Contacts of a pair that have the same id stand
 * for one place: of these the nearest counts.
 */
#include "response/contact_forces.h"

#include <divan/divan.h>
#include <divan/memory.h>

typedef struct Penalty {
    DvVec3 normal;
    double distance, stiffness;
    double penetration; /* as of the last force */
} Penalty;

typedef struct PenalityContactForceField {
    ContactForces base;
    Penalty *penalty; /* [base.count] */
    uint32_t capacity;
} PenalityContactForceField;

static const DvField fields[] = {
    CONTACT_FORCES_FIELDS(PenalityContactForceField, base.),
    {0},
};

static void cleanup(DvObject *object, void *self_)
{
    PenalityContactForceField *self = self_;
    contact_forces_cleanup(object, self);
    dv_free(self->penalty);
    self->penalty = NULL;
    self->capacity = 0;
}

static DvStatus set_contacts(void *self_, const DvContactList *list, const DvContactPair *pair)
{
    PenalityContactForceField *self = self_;
    contact_forces_take(&self->base, list, pair);
    if (self->base.capacity > self->capacity) {
        dv_free(self->penalty);
        self->capacity = self->base.capacity;
        self->penalty = dv_alloc(self->capacity, sizeof *self->penalty);
    }
    for (uint32_t i = 0; i < self->base.count; i++) {
        Penalty *penalty = &self->penalty[i];
        penalty->distance = list->distance;
        penalty->stiffness = 1.0;
        for (int side = 0; side < 2; side++) {
            const DvCollisionTraits *traits = &list->bodies[pair->body[side]].traits;
            penalty->distance += traits->distance + self->base.ends[i].side[side].radius;
            penalty->stiffness *= traits->stiffness;
        }
        if (penalty->distance != 0.0)
            penalty->stiffness /= penalty->distance;
        penalty->normal = dv_vec3_load(pair->contacts[self->base.listed[i]].normal);
        penalty->penetration = 0.0;
    }
    return DV_OK;
}

/* ---- Forces ---- */

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    PenalityContactForceField *self = self_;
    (void)step, (void)v;
    contact_forces_heed_edits(&self->base);
    for (uint32_t i = 0; i < self->base.count; i++) {
        Penalty *p = &self->penalty[i];
        ContactEnds *ends = &self->base.ends[i];
        p->penetration = p->distance - dv_vec3_dot(contact_span(ends, x), p->normal);
        if (p->penetration > 0.0)
            contact_push(ends, f, dv_vec3_scale(p->normal, p->stiffness * p->penetration));
    }
}

static void add_dforce(void *self_, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    PenalityContactForceField *self = self_;
    (void)step, (void)b;
    for (uint32_t i = 0; i < self->base.count; i++) {
        const Penalty *p = &self->penalty[i];
        const ContactEnds *ends = &self->base.ends[i];
        if (p->penetration > 0.0)
            contact_push(ends, df,
                         dv_vec3_scale(p->normal, -k * p->stiffness * dv_vec3_dot(contact_rate(ends, dx), p->normal)));
    }
}

static double energy(void *self_, const DvStep *step, const DvConstVec *x)
{
    PenalityContactForceField *self = self_;
    (void)step;
    double sum = 0.0;
    contact_forces_heed_edits(&self->base);
    for (uint32_t i = 0; i < self->base.count; i++) {
        const Penalty *p = &self->penalty[i];
        ContactEnds ends = self->base.ends[i];
        const double penetration = p->distance - dv_vec3_dot(contact_span(&ends, x), p->normal);
        if (penetration > 0.0)
            sum += 0.5 * p->stiffness * penetration * penetration;
    }
    return sum;
}

/* -ks n n^T between the points of both sides. */
static void assemble(void *self_, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    const PenalityContactForceField *self = self_;
    (void)step, (void)b;
    uint32_t coupling = 0;
    for (uint32_t i = 0; i < self->base.count; i++) {
        const Penalty *p = &self->penalty[i];
        coupling = contact_forces_assemble(&self->base, i, coupling, p->normal,
                                           p->penetration > 0.0 ? -k * p->stiffness : 0.0, view);
    }
}

static void force_of(void *self_, uint32_t index, double force[3])
{
    const PenalityContactForceField *self = self_;
    const uint32_t i = contact_forces_find(&self->base, index);
    const Penalty *p = i != UINT32_MAX ? &self->penalty[i] : NULL;
    dv_vec3_store(p && p->penetration > 0.0 ? dv_vec3_scale(p->normal, p->stiffness * p->penetration) : dv_vec3_zero(),
                  force);
}

static const DvForceFieldOps force_field = {
    .size = sizeof(DvForceFieldOps),
    .states = contact_forces_states,
    .add_force = add_force,
    .add_dforce = add_dforce,
    .reserve = contact_forces_reserve,
    .assemble = assemble,
    .structure = contact_forces_structure,
    .energy = energy,
    .cost = contact_forces_cost,
};

static const DvContactResponseOps response = {.size = sizeof(DvContactResponseOps),
                                              .set_states = contact_forces_set_states,
                                              .set_contacts = set_contacts,
                                              .force = force_of};

const DvClass dv_penality_contact_force_field = {
    .size = sizeof(DvClass),
    .name = "PenalityContactForceField",
    .variants = "Vec3d",
    .bases = (const char *const[]){"PairInteractionForceField", NULL},
    .family = "contact response",
    .module = "Sofa.Component.Collision.Response.Contact",
    .help = "Springs that push two models apart where they touch.",
    .instance_size = sizeof(PenalityContactForceField),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_INTERACTION_FORCE_FIELD, .ops = &force_field},
                                      {.id = DV_CONTACT_RESPONSE, .ops = &response},
                                      {.id = DV_DRAWABLE, .ops = &contact_forces_drawable},
                                      {0}},
    .init = contact_forces_init,
    .cleanup = cleanup,
};
