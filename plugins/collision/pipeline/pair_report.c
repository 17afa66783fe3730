/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pairs of models and their routines; see the header.
 */
#include "pair_report.h"

#include <string.h>

#include <divan/divan.h>
#include <divan/kit/array.h>
#include <divan/memory.h>

#include "back_report.h"
#include "phase/neighbours.h"
#include "stiffness_report.h"

typedef struct Models {
    DvCollisionBody *bodies;
    uint32_t count, capacity;
} Models;

/* Without its shape. */
static bool find_model(DvObject *object, DvCollisionBody *body)
{
    *body = (DvCollisionBody){.object = object,
                              .ops = dv_object_ops(object, DV_COLLISION_MODEL),
                              .self = dv_object_self(object),
                              .node = dv_object_node(object)};
    if (!body->ops || !dv_object_is_valid(object) || !body->ops->state(body->self))
        return false;
    body->ops->traits(body->self, &body->traits);
    return body->traits.active;
}

static void add_model(Models *models, const DvCollisionBody *body)
{
    dv_columns_reserve(&models->capacity, models->count + 1, DV_COLUMN(models->bodies));
    models->bodies[models->count++] = *body;
}

static DvVisit list_models(DvNode *node, void *models)
{
    DvObject *object;
    DvCollisionBody body;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++)
        if (find_model(object, &body))
            add_model(models, &body);
    return DV_VISIT_CONTINUE;
}

/* With their shapes as they are now. */
static DvVisit list_shapes(DvNode *node, void *models)
{
    DvObject *object;
    DvCollisionBody body;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++) {
        if (!find_model(object, &body) || body.ops->update(body.self, &body.version) != DV_OK)
            continue;
        body.shape = body.ops->shape(body.self);
        add_model(models, &body);
    }
    return DV_VISIT_CONTINUE;
}

static bool may_meet(const DvCollisionBody *a, const DvCollisionBody *b)
{
    return a == b ? body_may_meet_itself(a) : bodies_may_meet(a, b);
}

/* In the order in which the routine takes them. */
static void report_pair(const DvObject *method, const DvCollisionBody *a, const DvCollisionBody *b, const Route *route,
                        DvText *text)
{
    const DvCollisionBody *first = route->turned ? b : a, *second = route->turned ? a : b;
    const char *name = dv_object_class(method)->name;
    text->length = 0;
    dv_text_add(text, "%s and %s: ", dv_object_path(first->object),
                first == second ? "itself" : dv_object_path(second->object));
    if (route->answer == DV_ROUTINE_NONE)
        dv_text_add(text, "nothing serves ");
    dv_text_add(text, "%s on %s", first->shape->kind, second->shape->kind);
    if (route->answer == DV_ROUTINE_NONE)
        dv_text_add(text, ": they do not collide");
    else if (route->answer == DV_ROUTINE_IGNORED)
        dv_text_add(text, ", of which %s finds none by definition", route->of_service ? "a plugin" : name);
    else
        dv_text_add(text, ", by %s%s", route->of_service ? "a plugin's routine for " : "", name);
}

/* Kinds for which a warning has been given. */
typedef struct Unserved {
    const char *kinds[64][2];
    uint32_t count;
} Unserved;

static bool is_new(Unserved *unserved, const char *a, const char *b)
{
    for (uint32_t i = 0; i < unserved->count; i++)
        if ((strcmp(unserved->kinds[i][0], a) == 0 && strcmp(unserved->kinds[i][1], b) == 0) ||
            (strcmp(unserved->kinds[i][0], b) == 0 && strcmp(unserved->kinds[i][1], a) == 0))
            return false;
    if (unserved->count == sizeof unserved->kinds / sizeof *unserved->kinds)
        return true;
    unserved->kinds[unserved->count][0] = a;
    unserved->kinds[unserved->count++][1] = b;
    return true;
}

/* The first pair of models of which elements that share points touch, and how many there are. */
typedef struct Neighbours {
    uint32_t first, second, contacts, pairs;
} Neighbours;

static void note_neighbours(Neighbours *found, DvObject *method, const Models *models, uint32_t i, uint32_t k,
                            const Route *route)
{
    const uint32_t one = route->turned ? k : i, two = route->turned ? i : k;
    const DvCollisionBody *a = &models->bodies[one], *b = &models->bodies[two];
    if (route->answer != DV_ROUTINE_FOUND || !bodies_have_neighbours(a, b) || neighbours_are_kept_apart(a, b))
        return;
    const uint32_t contacts = find_contacts_of_neighbours(method, a, b, route->routine);
    if (contacts > 0 && found->pairs++ == 0) {
        found->first = one;
        found->second = two;
        found->contacts = contacts;
    }
}

void report_pairs(const DvObject *pipeline, DvObject *method, DvObject *manager, DvReportLine line, void *context)
{
    StiffnessReport stiffness = {0};
    BackReport backs = {.method = method, .tests_left = UINT64_MAX};
    Models models = {0};
    Unserved unserved = {.count = 0};
    Neighbours neighbours = {.pairs = 0};
    dv_visit(dv_object_node(pipeline), &(const DvVisitor){.top_down = list_shapes, .enters_sleeping = true}, &models);
    DvText text = {0};
    stiffness_report_begin(&stiffness, pipeline, method, manager, models.bodies, models.count);
    for (uint32_t i = 0; i < models.count; i++)
        for (uint32_t k = 0; k <= i; k++) {
            const DvCollisionBody *a = &models.bodies[i], *b = &models.bodies[k];
            if (!may_meet(a, b))
                continue;
            const Route route = find_route(method, a->shape->kind, b->shape->kind);
            report_pair(method, a, b, &route, &text);
            note_neighbours(&neighbours, method, &models, i, k, &route);
            line(context, text.at);
            back_report_pair(&backs, a, b);
            back_report_pair(&backs, b, a);
            if (route.answer == DV_ROUTINE_FOUND)
                stiffness_report_pair(&stiffness, i, k);
            if (route.answer == DV_ROUTINE_NONE && is_new(&unserved, route.a, route.b))
                warn_of_unserved(method, route.a, route.b);
        }
    if (neighbours.pairs > 0)
        warn_of_neighbours(&models.bodies[neighbours.first], &models.bodies[neighbours.second], neighbours.contacts,
                           neighbours.pairs - 1);
    (void)back_report_end(&backs);
    stiffness_report_end(&stiffness);
    dv_text_free(&text);
    dv_free(models.bodies);
}

static bool is_among(const DvClass *cls, const DvClass *const *classes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (classes[i] == cls)
            return true;
    return false;
}

uint32_t responses_of_pairs(const DvObject *pipeline, const DvObject *manager, const DvClass **classes,
                            uint32_t capacity)
{
    enum { MOST_PAIRS = 1000000 }; /* of so many models all kinds have been seen by then */
    const DvContactManagerOps *ops = dv_object_ops(manager, DV_CONTACT_MANAGER);
    Models models = {0};
    uint32_t count = 0, pairs = 0;
    if (!ops->response_class)
        return 0;
    dv_visit(dv_object_node(pipeline), &(const DvVisitor){.top_down = list_models, .enters_sleeping = true}, &models);
    for (uint32_t i = 0; i < models.count; i++)
        for (uint32_t k = 0; k <= i && pairs < MOST_PAIRS && count < capacity; k++, pairs++) {
            const DvCollisionBody *a = &models.bodies[i], *b = &models.bodies[k];
            const DvClass *cls = may_meet(a, b) ? ops->response_class(dv_object_self(manager), a, b) : NULL;
            if (cls && !is_among(cls, classes, count))
                classes[count++] = cls;
        }
    dv_free(models.bodies);
    return count;
}
