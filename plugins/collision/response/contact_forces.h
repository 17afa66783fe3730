/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What responses share that are forces between the contacts of two models: their states, which contacts count, and the couplings
 * between both sides. A response's struct starts with a ContactForces, its field table with CONTACT_FORCES_FIELDS.
 *
 * Contacts of a pair that have the same id stand for one place: of these the nearest counts.
 */
#ifndef DIVAN_COLLISION_CONTACT_FORCES_H
#define DIVAN_COLLISION_CONTACT_FORCES_H

#include "response/attachment.h"
#include "response/id_map.h"
#include "response/mesh_memory.h"

#include <divan/contracts/force_field.h>
#include <divan/contracts/operator.h>
#include <divan/contracts/visual.h>
#include <divan/kit/touched_points.h>

typedef struct ContactEnds {
    DvAttachment side[2];
    DvVec3 lever[2]; /* of frames, in world axes, as of the last contact_span */
} ContactEnds;

typedef struct ContactForces {
    DvData rayleigh_stiffness;
    DvLink object1, object2;
    DvStateRef state[2]; /* held; ops are NULL until init has succeeded */
    MeshMemory mesh[2];
    ContactEnds *ends; /* [count] */
    uint32_t *listed;  /* [count] which contact of the list it is */
    uint32_t count, capacity;
    uint64_t structure;
    uint64_t forces; /* with each force, and when contacts are set: by the response */
    IdMap ids;       /* contacts of the list */
    uint32_t *touched[2], touched_count[2], touched_room[2]; /* points of each state, of `touched_of` */
    uint64_t touched_of;                                     /* structure + 1 */
    uint32_t *kept; /* [capacity] of the list: its number here + 1; 0: it does not count */
} ContactForces;

#define CONTACT_FORCES_FIELDS(Struct, in)                                                                       \
    DV_FIELD_RAYLEIGH_STIFFNESS(Struct, in rayleigh_stiffness),                                                 \
        DV_LINK(Struct, in object1, "object1", DV_STATE, .help = "state of the first model"),                   \
        DV_LINK(Struct, in object2, "object2", DV_STATE, .help = "state of the second model"),                  \
        DV_LINK_HELD("mechanicalStates", DV_STATE, .many = true, .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN, \
                     .help = "kept for scenes that name it: the states follow from the other links")

/* Life: one that a scene holds knows its states; one that a contact manager makes is told. */
DvStatus contact_forces_init(DvObject *object, void *self);
void contact_forces_cleanup(DvObject *object, void *self);
DvStatus contact_forces_set_states(void *self, DvObject *first, DvObject *second);

/* Takes those contacts of the list that count, with their ends. `structure` is another number when they couple other points. */
void contact_forces_take(ContactForces *self, const DvContactList *list, const DvContactPair *pair);
/* Drops the contacts when a mesh has been edited since they were taken. */
void contact_forces_heed_edits(ContactForces *self);
/* The number here of a contact of the list; UINT32_MAX: it does not count. */
uint32_t contact_forces_find(const ContactForces *self, uint32_t listed);

/* How many points of a side a contact touches: of a frame the first one also tells how it is turned. */
static inline uint32_t contact_touches(const ContactForces *self, uint32_t i, int side)
{
    const uint32_t count = self->ends[i].side[side].count;
    return count == 0 && self->state[side].dof->rotation && dv_state_count(self->state[side]) > 0 ? 1 : count;
}

/* Ends as numbers, for those that are held over steps and saved. Reading makes room for `count` contacts at contact 0; false: they are
 * not of points of the states. */
enum { NUMBERS_OF_ENDS = 2 * ATTACHMENT_NUMBERS };
void contact_forces_write_ends(const ContactForces *self, uint32_t i, double numbers[NUMBERS_OF_ENDS]);
DV_NODISCARD bool contact_forces_read_ends(ContactForces *self, uint32_t i, uint32_t count,
                                           const double numbers[NUMBERS_OF_ENDS]);

/* From the first to the second point, at positions of both states; keeps the levers. */
static inline DvVec3 contact_span(ContactEnds *ends, const DvConstVec *x)
{
    DvVec3 p[2];
    for (int side = 0; side < 2; side++) {
        ends->lever[side] = attachment_lever(&ends->side[side], x[side].at, x[side].dim);
        p[side] = attachment_position(&ends->side[side], x[side].at, x[side].dim, ends->lever[side]);
    }
    return dv_vec3_sub(p[1], p[0]);
}

/* How the second point moves against the first; of the levers of the last contact_span. */
static inline DvVec3 contact_rate(const ContactEnds *ends, const DvConstVec *v)
{
    return dv_vec3_sub(attachment_velocity(&ends->side[1], v[1].at, v[1].dim, ends->lever[1]),
                       attachment_velocity(&ends->side[0], v[0].at, v[0].dim, ends->lever[0]));
}

/* The force on the second, its opposite on the first. */
static inline void contact_push(const ContactEnds *ends, const DvVec *f, DvVec3 force)
{
    attachment_add_force(&ends->side[0], f[0].at, f[0].dim, ends->lever[0], dv_vec3_neg(force));
    attachment_add_force(&ends->side[1], f[1].at, f[1].dim, ends->lever[1], force);
}

extern const DvDrawableOps contact_forces_drawable;
extern const DvTouchedPointsOps contact_forces_points;

/* Members of DvForceFieldOps. */
uint32_t contact_forces_states(void *self, DvObject *objects[2]);
void contact_forces_reserve(void *self, DvPattern *pattern);
uint64_t contact_forces_structure(void *self);
void contact_forces_cost(void *self, double *product, double *assembly);
#define CONTACT_FORCES_OPS                                                                               \
    .size = sizeof(DvForceFieldOps), .states = contact_forces_states, .reserve = contact_forces_reserve, \
    .structure = contact_forces_structure, .cost = contact_forces_cost

/* Of a class, whose operations are given, what both share. */
#define CONTACT_FORCES_CLASS(force_field_ops, response_ops, operator_ops, side_ops)                                  \
    .size = sizeof(DvClass), .variants = "Vec3d", .bases = (const char *const[]){"PairInteractionForceField", NULL}, \
    .family = "contact response", .module = "Sofa.Component.Collision.Response.Contact",                             \
    .contracts = (const DvContract[]){{.id = DV_INTERACTION_FORCE_FIELD, .ops = (force_field_ops)},                  \
                                      {.id = DV_CONTACT_RESPONSE, .ops = (response_ops)},                            \
                                      {.id = DV_DRAWABLE, .ops = &contact_forces_drawable},                          \
                                      {.id = DV_TOUCHED_POINTS, .ops = &contact_forces_points},                      \
                                      {.id = DV_OPERATOR, .ops = (operator_ops)},                                    \
                                      {.id = DV_OPERATOR_OF_SIDE, .ops = (side_ops)},                                \
                                      {0}},                                                                          \
    .init = contact_forces_init

/* Adds stiffness (J2 - J1)^T d d^T (J2 - J1) of contact i, d: a direction, to its couplings in the order that reserve named them,
 * the first of which is `coupling`; returns the one after its last. */
uint32_t contact_forces_assemble(const ContactForces *self, uint32_t i, uint32_t coupling, DvVec3 direction,
                                 double stiffness, const DvMatrixView *view);

#endif
