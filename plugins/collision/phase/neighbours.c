/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements of one body that share a point; see the header.
 */
#include "neighbours.h"

#include <divan/contracts/mapping.h>
#include <divan/divan.h>
#include <divan/kit/array.h>
#include <divan/memory.h>

#include "response/mobility.h"

enum { BATCH = 256 };

const void *origin_of_points(const DvCollisionBody *body)
{
    DvObject *state = body->ops->state(body->self), *inputs[2];
    if (!state || body->shape->x != dv_state_read(dv_state_ref(state), DV_POSITION).at)
        return body->shape->x;
    for (DvObject *mapping = mapping_to(state); mapping; mapping = mapping_to(state)) {
        const DvMappingOps *ops = dv_object_ops(mapping, DV_MAPPING);
        void *self = dv_object_self(mapping);
        if (!ops->keeps_topology(self) || ops->inputs(self, inputs, 2) != 1 || inputs[0] == state)
            break;
        state = inputs[0];
    }
    return state;
}

bool bodies_have_neighbours(const DvCollisionBody *a, const DvCollisionBody *b)
{
    return a->shape->x == b->shape->x || origin_of_points(a) == origin_of_points(b);
}

uint32_t count_contacts_of_neighbours(const DvCollisionBody *a, const DvCollisionBody *b, const DvContactSink *found)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < found->count; i++)
        count +=
            elements_share_a_point(a->shape, found->contacts[i].element[0], b->shape, found->contacts[i].element[1]);
    return count;
}

/* The elements around each point: those of point p are items[begin[p]] to items[begin[p + 1] - 1]. */
typedef struct AroundPoints {
    uint32_t points;
    uint32_t *begin, *items;
} AroundPoints;

static AroundPoints find_around(const DvShape *s)
{
    const uint32_t corners = s->vertices ? s->corners : 1;
    AroundPoints around = {0};
    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t c = 0; c < corners; c++) {
            const uint32_t point = point_of_element(s, i, c);
            around.points = point >= around.points ? point + 1 : around.points;
        }
    around.begin = dv_alloc((size_t)around.points + 2, sizeof *around.begin);
    around.items = dv_alloc((size_t)s->count * corners + 1, sizeof *around.items);
    memset(around.begin, 0, ((size_t)around.points + 2) * sizeof *around.begin);
    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t c = 0; c < corners; c++)
            around.begin[point_of_element(s, i, c) + 2]++;
    for (uint32_t p = 2; p <= around.points + 1; p++)
        around.begin[p] += around.begin[p - 1];
    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t c = 0; c < corners; c++)
            around.items[around.begin[point_of_element(s, i, c) + 1]++] = i;
    return around;
}

static void grow_sink(DvContactSink *sink)
{
    dv_columns_reserve(&sink->capacity, sink->capacity + 1, DV_COLUMN(sink->contacts));
}

/* Whether an element of a and one of b are a pair of the search, and their first point in common is the given corner. */
static bool is_new_pair(const DvCollisionBody *a, uint32_t i, uint32_t corner, const DvCollisionBody *b, uint32_t k)
{
    if (a == b && i >= k)
        return false;
    const uint32_t corners = b->shape->vertices ? b->shape->corners : 1;
    for (uint32_t c = 0; c < corner; c++)
        for (uint32_t d = 0; d < corners; d++)
            if (point_of_element(a->shape, i, c) == point_of_element(b->shape, k, d))
                return false;
    return !a->ops->can_collide || a->ops->can_collide(a->self, i, b->object, k);
}

uint32_t find_contacts_of_neighbours(DvObject *method, const DvCollisionBody *a, const DvCollisionBody *b,
                                     DvContactRoutine routine)
{
    const DvIntersectionMethodOps *ops = dv_object_ops(method, DV_INTERSECTION_METHOD);
    void *self = dv_object_self(method);
    const double distances = a->traits.distance + b->traits.distance;
    const DvContactQuery query = {.a = a->shape,
                                  .b = b->shape,
                                  .alarm = ops->alarm_distance(self) + distances,
                                  .contact = ops->contact_distance(self) + distances,
                                  .same_model = a == b,
                                  .method = self};
    if (ops->begin)
        ops->begin(self);
    if (ops->prepare) {
        ops->prepare(self, a->shape);
        ops->prepare(self, b->shape);
    }
    DvContactSink sink = {.grow = grow_sink};
    uint32_t batch[BATCH][2], count = 0, contacts = 0;
    const AroundPoints around = find_around(b->shape);
    const uint32_t corners = a->shape->vertices ? a->shape->corners : 1;
    for (uint32_t i = 0; i < a->shape->count; i++)
        for (uint32_t c = 0; c < corners; c++) {
            const uint32_t point = point_of_element(a->shape, i, c);
            for (uint32_t at = point < around.points ? around.begin[point] : 0;
                 point < around.points && at < around.begin[point + 1]; at++) {
                if (!is_new_pair(a, i, c, b, around.items[at]))
                    continue;
                batch[count][0] = i;
                batch[count][1] = around.items[at];
                if (++count < BATCH)
                    continue;
                routine(&query, (const uint32_t(*)[2])batch, count, &sink);
                contacts += sink.count;
                count = sink.count = 0;
            }
        }
    if (count > 0)
        routine(&query, (const uint32_t(*)[2])batch, count, &sink);
    contacts += sink.count;
    dv_free(around.begin);
    dv_free(around.items);
    dv_free(sink.contacts);
    return contacts;
}

void warn_of_neighbours(const DvCollisionBody *a, const DvCollisionBody *b, uint32_t contacts, uint32_t more)
{
    char others[64] = "";
    if (more > 0)
        snprintf(others, sizeof others, ", as it is with %u more pairs of models", more);
    dv_warning(
        a->object,
        "%u contacts are between its elements and those of '%s' that share a point with them, so that the body pushes "
        "itself apart%s; keepNeighboursApart=\"1\" on one of both models lets them pass each other",
        contacts, dv_object_path(b->object), others);
}
