/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * BruteForceBroadPhase: every pair of bodies whose boxes meet.
 *
 * Bodies are taken in the order of the pipeline; each is tested against itself, when it may collide with itself, and then against those
 * before it, and stands first in its pairs. Two bodies that nothing moves are no pair, nor are two that share a group; bodies of one
 * node are a pair when both say selfCollision.
 */
#include <divan/divan.h>
#include <divan/memory.h>

#include "box_tree.h"

typedef struct BruteForceBroadPhase {
    DvData box;
    DvBodyPair *pairs;
    uint32_t count, capacity;
    uint32_t *kept; /* bodies so far */
    uint32_t kept_capacity;
} BruteForceBroadPhase;

static const DvField fields[] = {
    DV_FIELD(BruteForceBroadPhase, box, "box", dv_type_box, .init = "0 0 0 0 0 0", .unit = "m",
             .help = "smallest and largest corner: bodies outside take no part; none when it is empty"),
    {0},
};

static void add(BruteForceBroadPhase *self, uint32_t first, uint32_t second)
{
    if (self->count == self->capacity) {
        const uint32_t capacity = self->capacity > 0 ? 2 * self->capacity : 32;
        self->pairs = dv_realloc(self->pairs, self->capacity * sizeof *self->pairs, capacity * sizeof *self->pairs);
        self->capacity = capacity;
    }
    self->pairs[self->count++] = (DvBodyPair){{first, second}};
}

static bool share_a_group(const DvCollisionTraits *a, const DvCollisionTraits *b)
{
    for (size_t i = 0; i < a->group_count; i++)
        for (size_t k = 0; k < b->group_count; k++)
            if (a->groups[i] == b->groups[k])
                return true;
    return false;
}

static bool may_collide(const DvCollisionBody *a, const DvCollisionBody *b)
{
    if (a->node == b->node)
        return a->traits.self_collision && b->traits.self_collision;
    return !share_a_group(&a->traits, &b->traits);
}

static Box box_of(const DvCollisionBody *body)
{
    Box box;
    for (int axis = 0; axis < 3; axis++) {
        box.lower[axis] = body->lower[axis];
        box.upper[axis] = body->upper[axis];
    }
    return box;
}

static uint32_t find(void *self_, const DvCollisionBody *bodies, uint32_t count, DvObject *method, DvBodyPair **pairs)
{
    BruteForceBroadPhase *self = self_;
    const DvIntersectionMethodOps *ops = dv_object_ops(method, DV_INTERSECTION_METHOD);
    void *method_self = dv_object_self(method);
    const double *corners = dv_data_doubles(&self->box, NULL);
    const bool limited = corners[0] < corners[3];
    const Box limit = {{corners[0], corners[1], corners[2]}, {corners[3], corners[4], corners[5]}};
    if (count > self->kept_capacity) {
        dv_free(self->kept);
        self->kept = dv_alloc(count, sizeof *self->kept);
        self->kept_capacity = count;
    }
    self->count = 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const DvCollisionBody *body = &bodies[i];
        if (!body->present)
            continue;
        const Box box = box_of(body);
        if (limited && !boxes_touch(&limit, &box, ops->box_tolerance(method_self, 0.0, body->traits.distance)))
            continue;
        if (body->traits.simulated && body->traits.self_collision)
            add(self, i, i);
        for (uint32_t k = 0; k < kept; k++) {
            const DvCollisionBody *other = &bodies[self->kept[k]];
            if ((!body->traits.simulated && !other->traits.simulated) || !may_collide(body, other))
                continue;
            const Box other_box = box_of(other);
            if (boxes_touch(&box, &other_box,
                            ops->box_tolerance(method_self, body->traits.distance, other->traits.distance)))
                add(self, i, self->kept[k]);
        }
        self->kept[kept++] = i;
    }
    *pairs = self->pairs;
    return self->count;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    BruteForceBroadPhase *self = self_;
    dv_free(self->pairs);
    dv_free(self->kept);
    self->pairs = NULL;
    self->kept = NULL;
    self->count = self->capacity = self->kept_capacity = 0;
}

static const DvBroadPhaseOps ops = {.size = sizeof ops, .find = find};

const DvClass dv_brute_force_broad_phase = {
    .size = sizeof(DvClass),
    .name = "BruteForceBroadPhase",
    .bases = (const char *const[]){"BroadPhaseDetection", NULL},
    .family = "collision detection",
    .module = "Sofa.Component.Collision.Detection.Algorithm",
    .help = "Pairs of bodies whose boxes meet, by testing each against each.",
    .instance_size = sizeof(BruteForceBroadPhase),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_BROAD_PHASE, .ops = &ops}, {0}},
    .cleanup = cleanup,
};
