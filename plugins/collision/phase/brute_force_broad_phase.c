/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * BruteForceBroadPhase: every pair of bodies whose boxes meet.
 *
 * Bodies are taken in the order of the pipeline; each is tested against itself, when it may collide with itself, and then against those
 * before it, and stands first in its pairs. Two bodies that nothing moves are no pair, nor are two that share a group; bodies of one
 * node are a pair when both say selfCollision.
 */
#include <divan/divan.h>
#include <divan/kit/array.h>
#include <divan/math/simd.h>
#include <divan/memory.h>

#include "box_tree.h"
#include "meeting.h"

/* Boxes of the bodies so far, an array for each number: the test of one against all of them is a loop that vectors do. */
typedef struct KeptBodies {
    uint32_t *body;
    double *lower[3], *upper[3];
    double *tolerance; /* of each with a body of distance `distance` */
    double distance;
    uint8_t *touch;
    uint32_t count, capacity;
} KeptBodies;

typedef struct BruteForceBroadPhase {
    DvData box;
    DV_ARRAY(DvBodyPair) pairs;
    KeptBodies kept;
} BruteForceBroadPhase;

static const DvField fields[] = {
    DV_FIELD(BruteForceBroadPhase, box, "box", dv_type_box, .init = "0 0 0 0 0 0", .unit = "m",
             .help = "smallest and largest corner: bodies outside take no part; none when it is empty"),
    {0},
};

static void add(BruteForceBroadPhase *self, uint32_t first, uint32_t second)
{
    dv_array_push(&self->pairs, (DvBodyPair){{first, second}});
}

static Box box_of(const DvCollisionBody *body)
{
    Box box = {0}; /* the last numbers too, which are compared */
    for (int axis = 0; axis < 3; axis++) {
        box.lower[axis] = body->lower[axis];
        box.upper[axis] = body->upper[axis];
    }
    return box;
}

static void free_kept(KeptBodies *kept)
{
    dv_free(kept->body);
    dv_free(kept->tolerance);
    dv_free(kept->touch);
    for (int axis = 0; axis < 3; axis++) {
        dv_free(kept->lower[axis]);
        dv_free(kept->upper[axis]);
    }
    *kept = (KeptBodies){0};
}

static void make_room(KeptBodies *kept, uint32_t count)
{
    kept->count = 0;
    if (count <= kept->capacity)
        return;
    free_kept(kept);
    kept->capacity = count + count / 4;
    kept->body = dv_alloc(kept->capacity, sizeof *kept->body);
    kept->tolerance = dv_alloc(kept->capacity, sizeof *kept->tolerance);
    kept->touch = dv_alloc(kept->capacity, sizeof *kept->touch);
    for (int axis = 0; axis < 3; axis++) {
        kept->lower[axis] = dv_alloc(kept->capacity, sizeof *kept->lower[axis]);
        kept->upper[axis] = dv_alloc(kept->capacity, sizeof *kept->upper[axis]);
    }
}

/* boxes_touch of one box and each of the kept ones. */
DV_SIMD_CLONES static void test_kept(const KeptBodies *kept, const Box *box)
{
    const double *lx = kept->lower[0], *ly = kept->lower[1], *lz = kept->lower[2];
    const double *ux = kept->upper[0], *uy = kept->upper[1], *uz = kept->upper[2], *t = kept->tolerance;
    const Box b = *box;
    uint8_t *touch = kept->touch;
    for (uint32_t k = 0; k < kept->count; k++)
        touch[k] = !((b.lower[0] > ux[k] + t[k]) | (lx[k] > b.upper[0] + t[k]) | (b.lower[1] > uy[k] + t[k]) |
                     (ly[k] > b.upper[1] + t[k]) | (b.lower[2] > uz[k] + t[k]) | (lz[k] > b.upper[2] + t[k]));
}

static void keep(KeptBodies *kept, uint32_t index, const Box *box)
{
    const uint32_t k = kept->count++;
    kept->body[k] = index;
    for (int axis = 0; axis < 3; axis++) {
        kept->lower[axis][k] = box->lower[axis];
        kept->upper[axis][k] = box->upper[axis];
    }
}

static uint32_t find(void *self_, const DvCollisionBody *bodies, uint32_t count, DvObject *method, DvBodyPair **pairs)
{
    BruteForceBroadPhase *self = self_;
    const DvIntersectionMethodOps *ops = dv_object_ops(method, DV_INTERSECTION_METHOD);
    void *method_self = dv_object_self(method);
    const double *corners = dv_data_doubles(&self->box, NULL);
    const bool limited = corners[0] < corners[3];
    const Box limit = {{corners[0], corners[1], corners[2]}, {corners[3], corners[4], corners[5]}};
    KeptBodies *kept = &self->kept;
    make_room(kept, count);
    dv_array_clear(&self->pairs);
    for (uint32_t i = 0; i < count; i++) {
        const DvCollisionBody *body = &bodies[i];
        if (!body->present)
            continue;
        const Box box = box_of(body);
        if (limited && !boxes_touch(&limit, &box, ops->box_tolerance(method_self, 0.0, body->traits.distance)))
            continue;
        if (body_may_meet_itself(body))
            add(self, i, i);
        const bool others = kept->count == 0 || kept->distance != body->traits.distance;
        for (uint32_t k = others ? 0 : kept->count - 1; k < kept->count; k++)
            kept->tolerance[k] =
                ops->box_tolerance(method_self, body->traits.distance, bodies[kept->body[k]].traits.distance);
        kept->distance = body->traits.distance;
        test_kept(kept, &box);
        for (uint32_t k = 0; k < kept->count; k++)
            if (kept->touch[k] && bodies_may_meet(body, &bodies[kept->body[k]]))
                add(self, i, kept->body[k]);
        keep(kept, i, &box);
    }
    *pairs = self->pairs.data;
    return self->pairs.count;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    BruteForceBroadPhase *self = self_;
    dv_array_free(&self->pairs);
    free_kept(&self->kept);
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
