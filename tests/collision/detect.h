/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What tests of detection share: random numbers, a detection, and the test of every pair of elements that it stands for.
 */
#ifndef DIVAN_TESTS_DETECT_H
#define DIVAN_TESTS_DETECT_H

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/collision.h>
#include <divan/divan.h>
#include <divan/math/vec.h>

#include "scene_text.h"
#include "share.h"

static uint64_t seed = 1;

static inline double random_between(double low, double high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

static inline uint32_t random_below(uint32_t n)
{
    return (uint32_t)random_between(0, n);
}

static inline const DvContactList *detect(DvScene *scene)
{
    DvObject *pipeline = scene_object(scene, "/pipeline");
    const DvCollisionPipelineOps *ops = dv_object_ops(pipeline, DV_COLLISION_PIPELINE);
    assert_int_equal(ops->detect(dv_object_self(pipeline)), DV_OK);
    return ops->contacts(dv_object_self(pipeline));
}

static inline void grow(DvContactSink *sink)
{
    sink->capacity = sink->capacity ? 2 * sink->capacity : 64;
    sink->contacts = realloc(sink->contacts, sink->capacity * sizeof *sink->contacts);
}

static inline bool elements_touch(const DvBoxes *a, uint32_t i, const DvBoxes *b, uint32_t k, double tolerance)
{
    for (int axis = 0; axis < 3; axis++)
        if (a->lower[axis][i] > b->upper[axis][k] + tolerance || b->lower[axis][k] > a->upper[axis][i] + tolerance)
            return false;
    return true;
}

/* How many pairs of elements of each two kinds have been tested by test_all, and of how many a contact was found. */
typedef struct Tested {
    char kinds[48];
    uint64_t pairs, contacts;
} Tested;
static Tested tested[64];

static inline Tested *tested_of(const DvCollisionBody *a, const DvCollisionBody *b)
{
    char kinds[sizeof tested->kinds];
    snprintf(kinds, sizeof kinds, "%s on %s", a->shape->kind, b->shape->kind);
    size_t i = 0;
    while (tested[i].kinds[0] && strcmp(tested[i].kinds, kinds) != 0)
        i++;
    assert_true(i + 1 < sizeof tested / sizeof *tested);
    memcpy(tested[i].kinds, kinds, sizeof kinds);
    return &tested[i];
}

/* Each two kinds that some method knows have been tested on so many pairs of elements, by all tests so far: of a day's share some are not. */
static inline void assert_kinds_are_tested(uint64_t pairs)
{
    for (size_t i = 0; tested[i].kinds[0]; i++)
        if (share_is_all() && (tested[i].pairs < pairs || tested[i].contacts == 0))
            fail_msg("%s: %" PRIu64 " pairs, %" PRIu64 " contacts", tested[i].kinds, tested[i].pairs,
                     tested[i].contacts);
}

/* Every pair of elements, in order; with `boxes` only of those whose boxes touch. */
static inline DvContactSink test_all(DvScene *scene, const DvCollisionBody *a, const DvCollisionBody *b, bool boxes)
{
    DvObject *method = scene_object(scene, "/method");
    const DvIntersectionMethodOps *ops = dv_object_ops(method, DV_INTERSECTION_METHOD);
    void *self = dv_object_self(method);
    DvContactSink sink = {.grow = grow};
    DvContactRoutine routine = NULL;
    if (ops->routine(self, a->shape->kind, b->shape->kind, &routine) != DV_ROUTINE_FOUND)
        return sink;
    const double distances = a->traits.distance + b->traits.distance;
    const DvContactQuery query = {.a = a->shape,
                                  .b = b->shape,
                                  .alarm = ops->alarm_distance(self) + distances,
                                  .contact = ops->contact_distance(self) + distances,
                                  .method = self};
    for (uint32_t i = 0; i < a->shape->count; i++)
        for (uint32_t k = 0; k < b->shape->count; k++) {
            const uint32_t pair[1][2] = {{i, k}};
            if (boxes && !elements_touch(&a->boxes, i, &b->boxes, k,
                                         ops->box_tolerance(self, a->traits.distance, b->traits.distance)))
                continue;
            routine(&query, pair, 1, &sink);
        }
    Tested *of_kinds = tested_of(a, b);
    of_kinds->pairs += (uint64_t)a->shape->count * b->shape->count;
    of_kinds->contacts += sink.count;
    return sink;
}

static inline int compare_contacts(const void *left, const void *right)
{
    return memcmp(left, right, sizeof(DvContact));
}

static inline void assert_same_contacts(const DvContactPair *pair, DvContactSink *all)
{
    assert_int_equal(pair->count, all->count);
    DvContact *found = malloc((pair->count + 1) * sizeof *found);
    memcpy(found, pair->contacts, pair->count * sizeof *found);
    qsort(found, pair->count, sizeof *found, compare_contacts);
    qsort(all->contacts, all->count, sizeof *all->contacts, compare_contacts);
    assert_memory_equal(found, all->contacts, pair->count * sizeof *found);
    free(found);
}

#endif
