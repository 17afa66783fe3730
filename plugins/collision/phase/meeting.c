/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Who meets whom; see the header.
 */
#include "meeting.h"

#include <divan/divan.h>

#include "intersection/intersection.h"

static bool share_a_group(const DvCollisionTraits *a, const DvCollisionTraits *b)
{
    for (size_t i = 0; i < a->group_count; i++)
        for (size_t k = 0; k < b->group_count; k++)
            if (a->groups[i] == b->groups[k])
                return true;
    return false;
}

bool bodies_may_meet(const DvCollisionBody *a, const DvCollisionBody *b)
{
    if (!a->traits.simulated && !b->traits.simulated)
        return false;
    if (a->node == b->node)
        return a->traits.self_collision && b->traits.self_collision;
    return !share_a_group(&a->traits, &b->traits);
}

bool body_may_meet_itself(const DvCollisionBody *body)
{
    return body->traits.simulated && body->traits.self_collision;
}

static DvRoutineAnswer ask(const DvObject *method, const char *a, const char *b, Route *route)
{
    const DvIntersectionMethodOps *ops = dv_object_ops(method, DV_INTERSECTION_METHOD);
    DvRoutineAnswer answer = ops->routine(dv_object_self(method), a, b, &route->routine);
    const void *services[16];
    const size_t all = dv_services(DV_CONTACT_ROUTINES, services, 16);
    for (size_t i = 0; answer == DV_ROUTINE_NONE && i < all && i < 16; i++) {
        answer = ((const DvContactRoutinesOps *)services[i])->routine(method, a, b, &route->routine);
        route->of_service = answer != DV_ROUTINE_NONE;
    }
    return answer;
}

Route find_route(const DvObject *method, const char *a, const char *b)
{
    Route route = {.a = a, .b = b};
    route.answer = ask(method, a, b, &route);
    if (route.answer == DV_ROUTINE_NONE) {
        route.answer = ask(method, b, a, &route);
        route.turned = route.answer != DV_ROUTINE_NONE;
    }
    return route;
}

void warn_of_unserved(const DvObject *method, const char *a, const char *b)
{
    static const struct {
        const char *name;
        bool (*serves)(const char *a, const char *b);
    } methods[] = {{"MinProximityIntersection", min_proximity_serves},
                   {"NewProximityIntersection", new_proximity_serves},
                   {"LocalMinDistance", local_min_distance_serves}};
    DvText others = {0};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (methods[i].serves(a, b) || methods[i].serves(b, a))
            dv_text_add(&others, "%s%s", others.length ? " or " : "; use ", methods[i].name);
    dv_warning(method, "knows no distance of %s from %s: such models do not collide%s", a, b,
               others.length ? others.at : "");
    dv_text_free(&others);
}
