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
#include <string.h>

#include "response/attachment.h"
#include "response/id_map.h"

#include <divan/contracts/collision.h>
#include <divan/contracts/force_field.h>
#include <divan/divan.h>
#include <divan/math/rigid.h>
#include <divan/memory.h>

typedef struct PenaltyContact {
    DvAttachment side[2];
    DvVec3 lever[2]; /* of frames, in world axes, as of the last force */
    DvVec3 normal;
    double distance, stiffness;
    double penetration; /* as of the last force */
} PenaltyContact;

typedef struct PenalityContactForceField {
    DvData rayleigh_stiffness;
    DvLink object1, object2, mechanical_states;
    DvStateRef state[2]; /* held; ops are NULL until init has succeeded */
    PenaltyContact *contacts;
    uint32_t count, capacity;
    uint64_t structure;
    IdMap ids;      /* contacts of the list */
    uint32_t *kept; /* [listed] its contact + 1; 0: it does not count */
    uint32_t listed_capacity;
} PenalityContactForceField;

static const DvField fields[] = {
    DV_FIELD_RAYLEIGH_STIFFNESS(PenalityContactForceField, rayleigh_stiffness),
    DV_LINK(PenalityContactForceField, object1, "object1", DV_STATE, .help = "state of the first model"),
    DV_LINK(PenalityContactForceField, object2, "object2", DV_STATE, .help = "state of the second model"),
    DV_LINK(PenalityContactForceField, mechanical_states, "mechanicalStates", DV_STATE, .many = true,
            .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,
            .help = "kept for scenes that name it: the states follow from the other links"),
    {0},
};

static void release(PenalityContactForceField *self)
{
    for (int side = 0; side < 2; side++) {
        if (self->state[side].object)
            dv_object_unref(self->state[side].object);
        self->state[side] = (DvStateRef){0};
    }
}

static void take_states(PenalityContactForceField *self, DvObject *first, DvObject *second)
{
    DvObject *states[2] = {dv_object_ref(first), dv_object_ref(second)};
    release(self);
    for (int side = 0; side < 2; side++)
        self->state[side] = dv_state_ref(states[side]);
}

static DvStatus set_states(void *self_, DvObject *first, DvObject *second)
{
    PenalityContactForceField *self = self_;
    dv_link_set(&self->object1, first);
    dv_link_set(&self->object2, second);
    take_states(self, first, second);
    return DV_OK;
}

/* One that a scene holds knows its states; one that a contact manager makes is told. */
static DvStatus init(DvObject *object, void *self_)
{
    PenalityContactForceField *self = self_;
    (void)object;
    DvObject *first = dv_link_object(&self->object1), *second = dv_link_object(&self->object2);
    if (first && second)
        take_states(self, first, second);
    return DV_OK;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    PenalityContactForceField *self = self_;
    release(self);
    dv_free(self->contacts);
    dv_free(self->kept);
    self->contacts = NULL;
    self->kept = NULL;
    id_map_free(&self->ids);
    self->count = self->capacity = self->listed_capacity = 0;
}

/* ---- Which contacts count ---- */

static void make_room(PenalityContactForceField *self, uint32_t listed)
{
    if (listed <= self->listed_capacity)
        return;
    dv_free(self->contacts);
    dv_free(self->kept);
    self->listed_capacity = 2 * listed + 16;
    self->capacity = self->listed_capacity;
    self->contacts = dv_alloc(self->capacity, sizeof *self->contacts);
    self->kept = dv_alloc(self->listed_capacity, sizeof *self->kept);
}

/* Of contacts with one id the nearest, of equally near ones the first. */
static void choose(PenalityContactForceField *self, const DvContactPair *pair)
{
    id_map_restart(&self->ids, pair->count);
    for (uint32_t i = 0; i < pair->count; i++) {
        IdPlace *place = id_map_find(&self->ids, pair->contacts[i].id);
        self->kept[i] = 1;
        if (place->index > 0 && !(pair->contacts[i].gap < pair->contacts[place->index - 1].gap)) {
            self->kept[i] = 0;
            continue;
        }
        if (place->index > 0)
            self->kept[place->index - 1] = 0;
        *place = (IdPlace){pair->contacts[i].id, i + 1};
    }
}

static bool same_points(const DvAttachment *a, const DvAttachment *b)
{
    return a->count == b->count && memcmp(a->points, b->points, a->count * sizeof *a->points) == 0;
}

static DvStatus set_contacts(void *self_, const DvContactList *list, const DvContactPair *pair)
{
    PenalityContactForceField *self = self_;
    make_room(self, pair->count);
    const uint32_t before = self->count;
    bool changed = false;
    self->count = 0;
    if (pair->count > 0)
        choose(self, pair);
    for (uint32_t i = 0; i < pair->count; i++) {
        if (!self->kept[i])
            continue;
        const DvContact *found = &pair->contacts[i];
        PenaltyContact *contact = &self->contacts[self->count++];
        contact->distance = list->distance;
        contact->stiffness = 1.0;
        for (int side = 0; side < 2; side++) {
            const DvCollisionBody *body = &list->bodies[pair->body[side]];
            DvAttachment attachment;
            body->ops->attach(body->self, found->element[side], found->point[side], &attachment);
            changed = changed || self->count > before || !same_points(&attachment, &contact->side[side]);
            contact->side[side] = attachment;
            contact->distance += body->traits.distance + attachment.radius;
            contact->stiffness *= body->traits.stiffness;
        }
        if (contact->distance != 0.0)
            contact->stiffness /= contact->distance;
        contact->normal = dv_vec3_load(found->normal);
        contact->penetration = 0.0;
        self->kept[i] = self->count;
    }
    if (changed || self->count != before)
        self->structure++;
    return DV_OK;
}

/* ---- Forces ---- */

static uint32_t states(void *self_, DvObject *objects[2])
{
    PenalityContactForceField *self = self_;
    if (!self->state[0].ops || !self->state[1].ops)
        return 0;
    objects[0] = self->state[0].object;
    objects[1] = self->state[1].object;
    return 2;
}

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    PenalityContactForceField *self = self_;
    (void)step, (void)v;
    for (uint32_t i = 0; i < self->count; i++) {
        PenaltyContact *c = &self->contacts[i];
        DvVec3 p[2];
        for (int side = 0; side < 2; side++) {
            c->lever[side] = attachment_lever(&c->side[side], x[side].at, x[side].dim);
            p[side] = attachment_position(&c->side[side], x[side].at, x[side].dim, c->lever[side]);
        }
        c->penetration = c->distance - dv_vec3_dot(dv_vec3_sub(p[1], p[0]), c->normal);
        if (!(c->penetration > 0.0))
            continue;
        const DvVec3 force = dv_vec3_scale(c->normal, c->stiffness * c->penetration);
        attachment_add_force(&c->side[0], f[0].at, f[0].dim, c->lever[0], dv_vec3_neg(force));
        attachment_add_force(&c->side[1], f[1].at, f[1].dim, c->lever[1], force);
    }
}

static void add_dforce(void *self_, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    PenalityContactForceField *self = self_;
    (void)step, (void)b;
    for (uint32_t i = 0; i < self->count; i++) {
        const PenaltyContact *c = &self->contacts[i];
        if (!(c->penetration > 0.0))
            continue;
        const DvVec3 d1 = attachment_velocity(&c->side[0], dx[0].at, dx[0].dim, c->lever[0]);
        const DvVec3 d2 = attachment_velocity(&c->side[1], dx[1].at, dx[1].dim, c->lever[1]);
        const DvVec3 force = dv_vec3_scale(c->normal, -k * c->stiffness * dv_vec3_dot(dv_vec3_sub(d2, d1), c->normal));
        attachment_add_force(&c->side[0], df[0].at, df[0].dim, c->lever[0], dv_vec3_neg(force));
        attachment_add_force(&c->side[1], df[1].at, df[1].dim, c->lever[1], force);
    }
}

static double energy(void *self_, const DvStep *step, const DvConstVec *x)
{
    const PenalityContactForceField *self = self_;
    (void)step;
    double sum = 0.0;
    for (uint32_t i = 0; i < self->count; i++) {
        const PenaltyContact *c = &self->contacts[i];
        DvVec3 p[2];
        for (int side = 0; side < 2; side++)
            p[side] = attachment_position(&c->side[side], x[side].at, x[side].dim,
                                          attachment_lever(&c->side[side], x[side].at, x[side].dim));
        const double penetration = c->distance - dv_vec3_dot(dv_vec3_sub(p[1], p[0]), c->normal);
        if (penetration > 0.0)
            sum += 0.5 * c->stiffness * penetration * penetration;
    }
    return sum;
}

/* ---- Matrix: -ks n n^T between the points of both sides ---- */

static void reserve(void *self_, DvPattern *pattern)
{
    const PenalityContactForceField *self = self_;
    for (uint32_t i = 0; i < self->count; i++) {
        const PenaltyContact *c = &self->contacts[i];
        for (uint32_t a = 0; a < 2; a++)
            for (uint32_t r = 0; r < c->side[a].count; r++)
                for (uint32_t b = 0; b < 2; b++)
                    for (uint32_t s = 0; s < c->side[b].count; s++)
                        pattern->ops->add(pattern, a, c->side[a].points[r], b, c->side[b].points[s]);
    }
}

/* n^T J of one point: w n, then of a frame lever x n. */
static void row_of(const PenaltyContact *c, uint32_t side, uint32_t point, uint32_t dim, double row[6])
{
    dv_vec3_store(dv_vec3_scale(c->normal, c->side[side].weights[point]), row);
    if (dim > 3)
        dv_vec3_store(dv_vec3_cross(c->lever[side], c->normal), row + 3);
}

static void assemble(void *self_, const DvStep *step, double k, double b_factor, const DvMatrixView *view)
{
    const PenalityContactForceField *self = self_;
    (void)step, (void)b_factor;
    const uint32_t dim[2] = {self->state[0].dof->deriv, self->state[1].dof->deriv};
    uint32_t coupling = 0;
    for (uint32_t i = 0; i < self->count; i++) {
        const PenaltyContact *c = &self->contacts[i];
        const double stiffness = c->penetration > 0.0 ? -c->stiffness : 0.0;
        for (uint32_t a = 0; a < 2; a++)
            for (uint32_t r = 0; r < c->side[a].count; r++)
                for (uint32_t b = 0; b < 2; b++)
                    for (uint32_t s = 0; s < c->side[b].count; s++, coupling++) {
                        double left[6], right[6], dense[36];
                        row_of(c, a, r, dim[a], left);
                        row_of(c, b, s, dim[b], right);
                        for (uint32_t m = 0; m < dim[a]; m++)
                            for (uint32_t n = 0; n < dim[b]; n++)
                                dense[m * dim[b] + n] = left[m] * right[n];
                        if (stiffness != 0.0)
                            dv_view_add(view, coupling, dense, k * (a == b ? stiffness : -stiffness));
                    }
    }
}

static uint64_t structure(void *self_)
{
    return ((PenalityContactForceField *)self_)->structure;
}

/* Products cost little, a matrix a new structure whenever contacts change. */
static void cost(void *self_, double *product, double *assembly)
{
    const PenalityContactForceField *self = self_;
    *product = 20.0 * self->count;
    *assembly = 1e5 + 1000.0 * self->count;
}

static void force_of(void *self_, uint32_t index, double force[3])
{
    const PenalityContactForceField *self = self_;
    const uint32_t place = index < self->listed_capacity ? self->kept[index] : 0;
    const PenaltyContact *c = place > 0 && place <= self->count ? &self->contacts[place - 1] : NULL;
    const double size = c && c->penetration > 0.0 ? c->stiffness * c->penetration : 0.0;
    dv_vec3_store(c ? dv_vec3_scale(c->normal, size) : dv_vec3_zero(), force);
}

static const DvForceFieldOps force_field = {
    .size = sizeof(DvForceFieldOps),
    .states = states,
    .add_force = add_force,
    .add_dforce = add_dforce,
    .reserve = reserve,
    .assemble = assemble,
    .structure = structure,
    .energy = energy,
    .cost = cost,
};

static const DvContactResponseOps response = {
    .size = sizeof(DvContactResponseOps), .set_states = set_states, .set_contacts = set_contacts, .force = force_of};

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
                                      {0}},
    .init = init,
    .cleanup = cleanup,
};
