/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * StickContactForceField: springs that hold two models together where they touch.
 *
 *   f1 = ks ((x2 - x1) - rest) + kd (v2 - v1), f2 = -f1        ks = k1 + k2, kd = c1 + c2: stiffness and friction of the models
 *   df1 = ks (dx2 - dx1)                                       damping is explicit
 *
 * x1 and x2 are points of the two elements: combinations of points of the models' states, or points of rigid frames; rest is from one
 * to the other as they were found. Each detection that finds contacts replaces them all, so springs start without load in each
 * step; where it finds none the last ones hold on, with keepAlive, for as long as the models have the same elements. Contacts of a
 * pair that have the same id stand for one place: of these the nearest counts.
 */
#include "response/contact_rows.h"

#include <divan/divan.h>
#include <divan/memory.h>

static const DvVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

typedef struct Stick {
    DvVec3 rest;
    DvVec3 force; /* on the second, as of the last force */
} Stick;

typedef struct StickContactForceField {
    ContactForces base;
    DvData keep_alive;
    Stick *stick; /* [base.count] */
    uint32_t capacity;
    double stiffness, damping;
    uint64_t elements[2]; /* of the models when the contacts were found */
    bool recalled;        /* they come from a saved run: of the elements that the models have now */
    double *memory;       /* [memory_capacity] the contacts as numbers */
    size_t memory_capacity;
    ContactRows rows; /* as they were described last */
} StickContactForceField;

static const DvField fields[] = {
    CONTACT_FORCES_FIELDS(StickContactForceField, base.),
    DV_FIELD(StickContactForceField, keep_alive, "keepAlive", dv_type_bool, .init = "1",
             .help = "hold on where contacts are found no more"),
    {0},
};

static void cleanup(DvObject *object, void *self_)
{
    StickContactForceField *self = self_;
    contact_forces_cleanup(object, self);
    contact_rows_free(&self->rows);
    dv_free(self->stick);
    dv_free(self->memory);
    self->stick = NULL;
    self->memory = NULL;
    self->capacity = 0;
    self->memory_capacity = 0;
}

static void make_room(StickContactForceField *self)
{
    if (self->base.capacity <= self->capacity)
        return;
    dv_free(self->stick);
    self->capacity = self->base.capacity;
    self->stick = dv_alloc(self->capacity, sizeof *self->stick);
}

static void remember_elements(StickContactForceField *self, const DvContactList *list, const DvContactPair *pair)
{
    for (int side = 0; side < 2; side++)
        self->elements[side] = list->bodies[pair->body[side]].version.structure;
    self->recalled = false;
}

/* The contacts that hold on are of other points now. */
static bool have_changed(const StickContactForceField *self, const DvContactList *list, const DvContactPair *pair)
{
    for (int side = 0; side < 2; side++)
        if (list->bodies[pair->body[side]].version.structure != self->elements[side])
            return true;
    return false;
}

static DvStatus set_contacts(void *self_, const DvContactList *list, const DvContactPair *pair)
{
    StickContactForceField *self = self_;
    if (self->recalled)
        remember_elements(self, list, pair);
    if (pair->count == 0 && !have_changed(self, list, pair))
        return DV_OK;
    contact_forces_take(&self->base, list, pair);
    self->base.forces++;
    make_room(self);
    remember_elements(self, list, pair);
    self->stiffness = self->damping = 0.0;
    for (int side = 0; side < 2; side++) {
        const DvCollisionBody *body = &list->bodies[pair->body[side]];
        self->stiffness += body->traits.stiffness;
        self->damping += body->traits.friction;
    }
    for (uint32_t i = 0; i < self->base.count; i++) {
        const DvContact *found = &pair->contacts[self->base.listed[i]];
        self->stick[i].rest = dv_vec3_sub(dv_vec3_load(found->point[1]), dv_vec3_load(found->point[0]));
        self->stick[i].force = dv_vec3_zero();
    }
    return DV_OK;
}

/* ---- What a saved run goes on with: stiffness, damping, points of both states, what stands for both meshes, then ends and rest of each contact ---- */

enum { NUMBERS_OF_ALL = 6, NUMBERS_OF_CONTACT = NUMBERS_OF_ENDS + 3 };

static const double *memory(void *self_, size_t *count)
{
    StickContactForceField *self = self_;
    contact_forces_heed_edits(&self->base);
    const size_t need = NUMBERS_OF_ALL + (size_t)self->base.count * NUMBERS_OF_CONTACT;
    if (need > self->memory_capacity) {
        dv_free(self->memory);
        self->memory_capacity = 2 * need;
        self->memory = dv_alloc(self->memory_capacity, sizeof *self->memory);
    }
    self->memory[0] = self->stiffness;
    self->memory[1] = self->damping;
    for (int side = 0; side < 2; side++) {
        self->memory[2 + side] = self->base.mesh[side].points;
        self->memory[4 + side] = mesh_memory_print(&self->base.mesh[side]);
    }
    for (uint32_t i = 0; i < self->base.count; i++) {
        double *to = self->memory + NUMBERS_OF_ALL + (size_t)i * NUMBERS_OF_CONTACT;
        contact_forces_write_ends(&self->base, i, to);
        dv_vec3_store(self->stick[i].rest, to + NUMBERS_OF_ENDS);
    }
    *count = need;
    return self->memory;
}

static bool recall(void *self_, const double *numbers, size_t count)
{
    StickContactForceField *self = self_;
    if (count < NUMBERS_OF_ALL || (count - NUMBERS_OF_ALL) % NUMBERS_OF_CONTACT != 0)
        return false;
    const uint32_t contacts = (uint32_t)((count - NUMBERS_OF_ALL) / NUMBERS_OF_CONTACT);
    self->stiffness = numbers[0];
    self->damping = numbers[1];
    self->recalled = true;
    for (int side = 0; side < 2; side++)
        if (numbers[2 + side] != dv_state_count(self->base.state[side]) ||
            numbers[4 + side] != mesh_memory_print(&self->base.mesh[side]))
            return true; /* the mesh was edited between the step and its saving */
    for (uint32_t i = 0; i < contacts; i++) {
        const double *from = numbers + NUMBERS_OF_ALL + (size_t)i * NUMBERS_OF_CONTACT;
        if (!contact_forces_read_ends(&self->base, i, contacts, from))
            return false;
        make_room(self);
        self->stick[i] = (Stick){dv_vec3_load(from + NUMBERS_OF_ENDS), dv_vec3_zero()};
    }
    return true;
}

static bool keeps_alive(void *self)
{
    return dv_data_bool(&((StickContactForceField *)self)->keep_alive);
}

/* ---- Forces ---- */

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    StickContactForceField *self = self_;
    (void)step;
    contact_forces_heed_edits(&self->base);
    self->base.forces++;
    for (uint32_t i = 0; i < self->base.count; i++) {
        Stick *stick = &self->stick[i];
        ContactEnds *ends = &self->base.ends[i];
        const DvVec3 stretch = dv_vec3_sub(contact_span(ends, x), stick->rest), rate = contact_rate(ends, v);
        stick->force =
            dv_vec3_neg(dv_vec3_add(dv_vec3_scale(stretch, self->stiffness), dv_vec3_scale(rate, self->damping)));
        contact_push(ends, f, stick->force);
    }
}

static void add_dforce(void *self_, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    StickContactForceField *self = self_;
    (void)step, (void)b;
    for (uint32_t i = 0; i < self->base.count; i++) {
        const ContactEnds *ends = &self->base.ends[i];
        contact_push(ends, df, dv_vec3_scale(contact_rate(ends, dx), -k * self->stiffness));
    }
}

/* ---- Products of states that devices keep ---- */

static void describe_side(void *self_, uint32_t side, DvOperator *out)
{
    StickContactForceField *self = self_;
    contact_rows_begin(&self->rows);
    for (uint32_t i = 0; i < self->base.count; i++)
        for (int axis = 0; axis < 3; axis++)
            contact_rows_add(&self->rows, &self->base, i, axes[axis], self->stiffness);
    contact_rows_describe(&self->rows, &self->base, side, out);
}

static void describe_both(void *self, DvOperator *out)
{
    describe_side(self, 2, out);
}

static const DvOperatorOps operators = {
    .size = sizeof(DvOperatorOps), .version = contact_rows_version, .describe = describe_both};
static const DvOperatorOfSideOps side_operators = {.size = sizeof(DvOperatorOfSideOps), .describe = describe_side};

static double energy(void *self_, const DvStep *step, const DvConstVec *x)
{
    StickContactForceField *self = self_;
    (void)step;
    double sum = 0.0;
    contact_forces_heed_edits(&self->base);
    for (uint32_t i = 0; i < self->base.count; i++) {
        ContactEnds ends = self->base.ends[i];
        sum += dv_vec3_norm_squared(dv_vec3_sub(contact_span(&ends, x), self->stick[i].rest));
    }
    return 0.5 * self->stiffness * sum;
}

/* -ks I between the points of both sides. */
static void assemble(void *self_, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    const StickContactForceField *self = self_;
    (void)step, (void)b;
    for (uint32_t i = 0, coupling = 0, next = 0; i < self->base.count; i++, coupling = next)
        for (int axis = 0; axis < 3; axis++)
            next = contact_forces_assemble(&self->base, i, coupling, axes[axis], -k * self->stiffness, view);
}

static void force_of(void *self_, uint32_t index, double force[3])
{
    const StickContactForceField *self = self_;
    const uint32_t i = contact_forces_find(&self->base, index);
    dv_vec3_store(i != UINT32_MAX ? self->stick[i].force : dv_vec3_zero(), force);
}

static const DvForceFieldOps force_field = {
    CONTACT_FORCES_OPS, .add_force = add_force, .add_dforce = add_dforce, .assemble = assemble, .energy = energy,
};

static const DvContactResponseOps response = {.size = sizeof(DvContactResponseOps),
                                              .set_states = contact_forces_set_states,
                                              .set_contacts = set_contacts,
                                              .memory = memory,
                                              .recall = recall,
                                              .keeps_alive = keeps_alive,
                                              .force = force_of};

const DvClass dv_stick_contact_force_field = {
    CONTACT_FORCES_CLASS(&force_field, &response, &operators, &side_operators),
    .name = "StickContactForceField",
    .help = "Springs that hold two models together where they touch.",
    .instance_size = sizeof(StickContactForceField),
    .fields = fields,
    .cleanup = cleanup,
};
