/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What contact managers share: a response for each pair of models that touch. A manager's struct starts with a CollisionResponse, its
 * field table with COLLISION_RESPONSE_FIELDS; it has the functions below.
 */
#ifndef DIVAN_COLLISION_COLLISION_RESPONSE_H
#define DIVAN_COLLISION_COLLISION_RESPONSE_H

#include <divan/contracts/collision.h>
#include <divan/divan.h>

#include "phase/pair_map.h"

typedef struct Response {
    DvObject *object; /* held; NULL: none could be made, or none is wanted */
    const DvContactResponseOps *ops;
    DvObject *states[2]; /* of the two models, as it was told; never looked into */
    uint32_t number;     /* of those that are told, in the order in which they were made */
    bool made;           /* so far as it is wanted */
    bool touched;        /* in this step */
} Response;

typedef struct CollisionResponse {
    DvData response, parameters;
    DvData pair_order; /* of a run that is saved: what the order of responses hangs on */
    DvData memories;   /* and what they begin the next step with: of each in the sequence how many numbers, and these */
    PairMap map;
    Response *responses; /* [response_count] of the map's entries */
    uint32_t response_count;
    uint32_t *sequence; /* [sequence_count] present entries in the order in which their responses were made */
    uint32_t sequence_count, sequence_capacity;
    uint32_t numbered;  /* responses that were told their number so far */
    bool continued;     /* a saved run goes on: the responses of its pairs are made first, in the order they had */
    uint32_t *contacts; /* [bodies] of each body in this step */
    uint32_t body_capacity;
    /* Of classes that choose by pair, NULL of others: the response of this one, perhaps with "?name=value&name=value" behind it; or NULL,
     * then it is that of the models or of the manager. */
    const char *(*choose)(struct CollisionResponse *self, const DvCollisionBody *a, const DvCollisionBody *b);
} CollisionResponse;

#define COLLISION_RESPONSE_FIELDS(Struct, in)                                                                       \
    DV_FIELD(Struct, in response, "response", dv_type_string,                                                       \
             .help =                                                                                                \
                 "class of the responses: PenalityContactForceField, FrictionContactConstraint...; nullptr: none"), \
        DV_FIELD(Struct, in parameters, "responseParams", dv_type_string,                                           \
                 .help = "fields of the responses: name=value&name=value"),                                         \
        DV_FIELD(Struct, in pair_order, "pairOrder", dv_type_uints, .flags = DV_FIELD_STATE,                        \
                 .help = "ranks of the bodies, and the pairs that have responses"),                                 \
        DV_FIELD(Struct, in memories, "responseMemories", dv_type_doubles, .flags = DV_FIELD_STATE,                 \
                 .help = "responses made so far; of each response how many numbers it keeps, and the numbers")

extern const DvContactManagerOps collision_response_ops;

/* Whether responses of the class that `name` names, up to a '?', can be made, or none are asked for; else it is said of the field's
 * entry. */
DvStatus collision_response_check(DvData *field, int64_t entry, const char *name);
DvStatus collision_response_init(DvObject *object, void *self);
void collision_response_handle_event(DvObject *object, void *self, DvEvent *event);
DvStatus collision_response_restore(DvObject *object, void *self);
void collision_response_cleanup(DvObject *object, void *self);

#endif
