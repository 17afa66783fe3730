/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * StickContactConstraint: what touches sticks together.
 *
 *   (x2 - x1) - (x2 - x1 when the contact was found) = 0     three rows for each contact
 *
 * x1 and x2 are points of the two elements: combinations of points of the models' states, or points of rigid frames. Each detection that
 * finds contacts replaces them all; where it finds none the last ones hold on, with keepAlive, for as long as the meshes stay the same.
 * Of contacts that lie nearer to each other than 0.1 mm (by both points) the first counts. Levers of frames in rows are those of
 * the free orientation.
 */
#include <math.h>
#include <string.h>

#include <divan/contracts/collision.h>
#include <divan/contracts/lagrangian_constraint.h>
#include <divan/contracts/topology.h>
#include <divan/divan.h>
#include <divan/memory.h>

#include "response/attachment.h"
#include "response/mesh_memory.h"
#include "response/place_map.h"

typedef struct StickContact {
    DvAttachment side[2];
    DvVec3 lever[2]; /* of frames, in world axes, after the free motion */
    DvVec3 offset;   /* from the first to the second point when it was found */
    double
        lambda[3]; /* N s, on the second model at the last step; of a new one that of the contact that had its number */
} StickContact;

typedef struct StickContactConstraint {
    DvData keep_alive;
    DvLink object1, object2;
    DvStateRef state[2]; /* held; ops are NULL until the states are known */
    StickContact *contacts;
    uint32_t count, capacity;
    uint32_t *kept; /* [listed] its contact + 1; 0: it does not count */
    uint32_t listed, rank;
    PlaceMap places;
    double *memory; /* what a run that is saved has to keep */
    size_t memory_capacity;
    MeshMemory mesh[2];
    uint32_t rows;    /* of this step */
    DvVecId position; /* positions at its beginning */
    double dt;        /* s, of the last forces */
} StickContactConstraint;

static const DvField fields[] = {
    DV_FIELD(StickContactConstraint, keep_alive, "keepAlive", dv_type_bool, .init = "1",
             .help = "hold on where contacts are found no more"),
    DV_LINK(StickContactConstraint, object1, "object1", DV_STATE, .help = "state of the first model"),
    DV_LINK(StickContactConstraint, object2, "object2", DV_STATE, .help = "state of the second model"),
    {0},
};

/* ---- Contacts ---- */

static void release(StickContactConstraint *self)
{
    for (int side = 0; side < 2; side++) {
        dv_state_release(&self->state[side]);
        mesh_memory_release(&self->mesh[side]);
    }
}

static DvStatus set_states(void *self_, DvObject *first, DvObject *second)
{
    StickContactConstraint *self = self_;
    DvObject *states[2] = {dv_object_ref(first), dv_object_ref(second)};
    release(self);
    dv_link_set(&self->object1, first);
    dv_link_set(&self->object2, second);
    for (int side = 0; side < 2; side++) {
        self->state[side] = dv_state_ref(states[side]);
        mesh_memory_hold(&self->mesh[side], states[side]);
    }
    return DV_OK;
}

static void make_room(StickContactConstraint *self, uint32_t listed)
{
    if (listed <= self->capacity)
        return;
    const uint32_t before = self->capacity;
    dv_free(self->kept);
    self->capacity = 2 * listed + 16;
    self->contacts =
        dv_realloc(self->contacts, before * sizeof *self->contacts, self->capacity * sizeof *self->contacts);
    self->kept = dv_alloc(self->capacity, sizeof *self->kept);
}

static DvVec3 offset_of(const StickContact *contact, const DvConstVec x[2])
{
    DvVec3 p[2];
    for (int side = 0; side < 2; side++) {
        const DvAttachment *at = &contact->side[side];
        p[side] = attachment_position(at, x[side].at, x[side].dim, attachment_lever(at, x[side].at, x[side].dim));
    }
    return dv_vec3_sub(p[1], p[0]);
}

static void read_states(const StickContactConstraint *self, DvVecId id, DvConstVec at[2])
{
    for (int side = 0; side < 2; side++)
        at[side] = dv_state_read(self->state[side], id);
}

/* The points that contacts hang on have the numbers they had. */
static bool is_as_it_was(const StickContactConstraint *self)
{
    return mesh_memory_holds(&self->mesh[0], self->state[0]) && mesh_memory_holds(&self->mesh[1], self->state[1]);
}

static DvStatus set_contacts(void *self_, const DvContactList *list, const DvContactPair *pair)
{
    StickContactConstraint *self = self_;
    if (pair->count == 0) {
        self->listed = 0;
        return DV_OK;
    }
    make_room(self, pair->count);
    DvConstVec x[2];
    read_states(self, DV_POSITION, x);
    for (int side = 0; side < 2; side++)
        mesh_memory_note(&self->mesh[side], self->state[side]);
    places_choose(&self->places, pair, self->kept);
    const uint32_t before = self->count;
    self->count = 0;
    self->listed = pair->count;
    for (uint32_t i = 0; i < pair->count; i++) {
        const DvContact *found = &pair->contacts[i];
        if (!self->kept[i])
            continue;
        StickContact *contact = &self->contacts[self->count++];
        if (self->count > before)
            memset(contact->lambda, 0, sizeof contact->lambda);
        for (int side = 0; side < 2; side++) {
            const DvCollisionBody *body = &list->bodies[pair->body[side]];
            body->ops->attach(body->self, found->element[side], found->point[side], &contact->side[side]);
        }
        contact->offset = offset_of(contact, x);
        self->kept[i] = self->count;
    }
    return DV_OK;
}

static bool keeps_alive(void *self_)
{
    return dv_data_bool(&((StickContactConstraint *)self_)->keep_alive);
}

static void force_of(void *self_, uint32_t index, double force[3])
{
    const StickContactConstraint *self = self_;
    const uint32_t contact = index < self->listed ? self->kept[index] : 0;
    for (int axis = 0; axis < 3; axis++)
        force[axis] = contact > 0 && self->dt > 0.0 ? self->contacts[contact - 1].lambda[axis] / self->dt : 0.0;
}

/* ---- Constraint ---- */

static uint32_t states(void *self_, DvObject **objects, uint32_t capacity)
{
    const StickContactConstraint *self = self_;
    for (uint32_t side = 0; side < 2; side++)
        if (!self->state[side].ops || !dv_object_node(self->state[side].object))
            return 0; /* not known yet, or no more in the scene */
    for (uint32_t side = 0; side < 2 && side < capacity; side++)
        objects[side] = self->state[side].object;
    return 2;
}

static DvVecId free_or_present(DvStateRef state)
{
    return state.ops->has(state.self, DV_FREE_POSITION) ? DV_FREE_POSITION : DV_POSITION;
}

static DvStatus build(void *self_, const DvStep *step, DvConstraintRows *rows)
{
    StickContactConstraint *self = self_;
    DvConstVec x[2];
    for (int side = 0; side < 2; side++)
        x[side] = dv_state_read(self->state[side], free_or_present(self->state[side]));
    self->position = step->position;
    if (!is_as_it_was(self))
        self->count = 0;
    self->rows = 3 * self->count;
    for (uint32_t i = 0; i < self->count; i++) {
        StickContact *contact = &self->contacts[i];
        for (int side = 0; side < 2; side++)
            contact->lever[side] = attachment_lever(&contact->side[side], x[side].at, x[side].dim);
        for (uint32_t axis = 0; axis < 3; axis++) {
            const DvVec3 direction = dv_vec3(axis == 0, axis == 1, axis == 2);
            attachment_add_row(&contact->side[0], rows->of_state[0], rows->next + axis, contact->lever[0],
                               dv_vec3_neg(direction));
            attachment_add_row(&contact->side[1], rows->of_state[1], rows->next + axis, contact->lever[1], direction);
        }
        DvConstraintBlock *block = dv_block_add(rows, DV_LAW_BILATERAL, 3);
        block->has_start = true;
        memcpy(block->start, contact->lambda, sizeof contact->lambda);
    }
    return DV_OK;
}

static DvStatus violation(void *self_, const DvStep *step, DvConstraintOrder order, double *d)
{
    const StickContactConstraint *self = self_;
    if (self->rows == 0)
        return DV_OK;
    const bool of_velocities = order == DV_CONSTRAIN_VELOCITY;
    DvConstVec x[2], v[2];
    read_states(self, of_velocities ? self->position : step->position, x);
    if (of_velocities)
        read_states(self, step->velocity, v);
    for (uint32_t i = 0; i < self->count; i++) {
        const StickContact *contact = &self->contacts[i];
        DvVec3 gap = dv_vec3_sub(offset_of(contact, x), contact->offset);
        for (int side = 0; of_velocities && side < 2; side++)
            gap =
                dv_vec3_madd(gap, side == 0 ? -step->dt : step->dt,
                             attachment_velocity(&contact->side[side], v[side].at, v[side].dim, contact->lever[side]));
        dv_vec3_store(of_velocities ? dv_vec3_scale(gap, 1.0 / step->dt) : gap, d + 3 * (size_t)i);
    }
    return DV_OK;
}

static void store(void *self_, const DvStep *step, const double *lambda, uint32_t rows)
{
    StickContactConstraint *self = self_;
    self->dt = step->dt;
    for (uint32_t r = 0; r < rows; r++)
        self->contacts[r / 3].lambda[r % 3] = lambda[r];
}

/* ---- What goes on in a run that was saved ---- */

/* Numbers before the contacts: the points of both states, what stands for both meshes. Of each: its offset, its force, its two
 * ends. */
enum { HEAD = 4, EACH = 3 + 3 + 2 * ATTACHMENT_NUMBERS };

static const double *memory(void *self_, size_t *count)
{
    StickContactConstraint *self = self_;
    if (!is_as_it_was(self))
        self->count = 0;
    *count = HEAD + (size_t)EACH * self->count;
    if (*count > self->memory_capacity) {
        dv_free(self->memory);
        self->memory_capacity = 2 * *count;
        self->memory = dv_alloc(self->memory_capacity, sizeof *self->memory);
    }
    for (int side = 0; side < 2; side++) {
        self->memory[side] = self->mesh[side].points;
        self->memory[2 + side] = mesh_memory_print(&self->mesh[side]);
    }
    double *at = self->memory + HEAD;
    for (uint32_t i = 0; i < self->count; i++) {
        const StickContact *contact = &self->contacts[i];
        dv_vec3_store(contact->offset, at);
        memcpy(at + 3, contact->lambda, sizeof contact->lambda);
        attachment_write(&contact->side[0], at + 6);
        attachment_write(&contact->side[1], at + 6 + ATTACHMENT_NUMBERS);
        at += EACH;
    }
    return self->memory;
}

static bool recall(void *self_, const double *numbers, size_t count)
{
    StickContactConstraint *self = self_;
    if (count < HEAD || (count - HEAD) % EACH != 0)
        return false;
    const uint32_t contacts = (uint32_t)((count - HEAD) / EACH);
    make_room(self, contacts);
    bool edited = false; /* between the step and its saving */
    for (int side = 0; side < 2; side++) {
        mesh_memory_note(&self->mesh[side], self->state[side]);
        edited = edited || numbers[side] != self->mesh[side].points ||
                 numbers[2 + side] != mesh_memory_print(&self->mesh[side]);
    }
    if (edited)
        return true;
    const double *at = numbers + HEAD;
    for (uint32_t i = 0; i < contacts; i++, at += EACH) {
        StickContact *contact = &self->contacts[i];
        *contact = (StickContact){.offset = dv_vec3_load(at)};
        memcpy(contact->lambda, at + 3, sizeof contact->lambda);
        if (!attachment_read(&contact->side[0], self->mesh[0].points, at + 6) ||
            !attachment_read(&contact->side[1], self->mesh[1].points, at + 6 + ATTACHMENT_NUMBERS))
            return false;
    }
    self->count = contacts;
    return true;
}

static void set_place(void *self_, uint32_t number, uint32_t rank)
{
    (void)number;
    ((StickContactConstraint *)self_)->rank = rank;
}

static uint32_t rank_of(void *self_)
{
    return ((StickContactConstraint *)self_)->rank;
}

static const DvContactResponseOps response = {
    .size = sizeof(DvContactResponseOps),
    .set_states = set_states,
    .set_contacts = set_contacts,
    .keeps_alive = keeps_alive,
    .force = force_of,
    .set_place = set_place,
    .memory = memory,
    .recall = recall,
};

static const DvLagrangianConstraintOps constraint = {.size = sizeof(DvLagrangianConstraintOps),
                                                     .states = states,
                                                     .build = build,
                                                     .violation = violation,
                                                     .store = store,
                                                     .rank = rank_of,
                                                     .laws = 1u << DV_LAW_BILATERAL};

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    StickContactConstraint *self = self_;
    release(self);
    dv_free(self->contacts);
    dv_free(self->kept);
    dv_free(self->memory);
    place_map_free(&self->places);
    self->contacts = NULL;
    self->kept = NULL;
    self->memory = NULL;
    self->count = self->capacity = self->listed = self->rows = 0;
    self->memory_capacity = 0;
}

const DvClass dv_stick_contact_constraint = {
    .size = sizeof(DvClass),
    .name = "StickContactConstraint",
    .variants = "Vec3d",
    .family = "contact response",
    .module = "Sofa.Component.Collision.Response.Contact",
    .help = "Holds together what touches, by forces that a constraint solver finds.",
    .instance_size = sizeof(StickContactConstraint),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_CONTACT_RESPONSE, .ops = &response},
                                      {.id = DV_LAGRANGIAN_CONSTRAINT, .ops = &constraint},
                                      {0}},
    .cleanup = cleanup,
};
