/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CollisionResponse: a response for each pair of models that touch.
 *
 * The class of the response is `response`, or what one of the models asks for (`contactResponse`; when both do and differ, this
 * one's). It stands for as long as its pair touches in each step, in the node of the model that moves, so that the solver there
 * takes it up implicitly; between two models that move, in the node of the pipeline.
 *
 * `responseParams` sets fields of the responses: "mu=0.3&tol=1e-5".
 */
#include "collision_response.h"
#include "penalty_watch.h"

#include <divan/kit/array.h>
#include <divan/memory.h>

#include <stdio.h>
#include <string.h>

static const DvField fields[] = {
    COLLISION_RESPONSE_FIELDS(CollisionResponse, ),
    {0},
};

enum { LONGEST_CLASS = 64 };

/* The class that `name` names, up to a '?'; what scenes, and those of earlier years, call responses is understood. */
static const char *class_of_response(const char *name, char class_name[LONGEST_CLASS])
{
    static const char *const names[][2] = {{"default", "PenalityContactForceField"},
                                           {"PenalityContact", "PenalityContactForceField"},
                                           {"FrictionContact", "UnilateralLagrangianConstraint"},
                                           {"FrictionContactConstraint", "UnilateralLagrangianConstraint"},
                                           {"AugmentedLagrangianResponseConstraint", "AugmentedLagrangianConstraint"},
                                           {"StickContact", "StickContactForceField"}};
    (void)snprintf(class_name, LONGEST_CLASS, "%.*s", (int)strcspn(name, "?"), name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], class_name) == 0)
            return names[i][1];
    return class_name;
}

static bool offers(const DvClass *cls, const char *contract)
{
    for (const DvContract *c = cls->contracts; c && c->id; c++)
        if (strcmp(c->id, contract) == 0)
            return true;
    return false;
}

DvStatus collision_response_check(DvData *field, int64_t entry, const char *name)
{
    char class_name[LONGEST_CLASS];
    if (strcmp(name, "nullptr") == 0) /* none */
        return DV_OK;
    const DvClass *cls = dv_class_find(class_of_response(name, class_name));
    if (cls && offers(cls, DV_CONTACT_RESPONSE))
        return DV_OK;
    const char *names[32];
    size_t count = 0;
    DvText list = {0};
    for (size_t i = 0; i < dv_class_count(); i++)
        if (offers(dv_class_at(i), DV_CONTACT_RESPONSE) && count < 32) {
            names[count++] = dv_class_at(i)->name;
            dv_text_add(&list, "%s%s", count > 1 ? ", " : "", dv_class_at(i)->name);
        }
    const char *closest = dv_closest(name, names, count);
    DvStatus status;
    if (closest)
        status = dv_field_error(field, entry, "no response '%s'; did you mean '%s'?", name, closest);
    else
        status = dv_field_error(field, entry, "no response '%s'; there are %s", name, list.at ? list.at : "none");
    dv_text_free(&list);
    return status;
}

DvStatus collision_response_init(DvObject *object, void *self_)
{
    CollisionResponse *self = self_;
    self->map.rule = NEW_PAIR_FIRST;
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    const char *name = dv_data_string(&self->response);
    if (!*name)
        return dv_error(object, DV_ERROR_MISSING,
                        "no response to contacts is named; set response='PenalityContactForceField', say");
    return collision_response_check(&self->response, -1, name);
}

/* ---- Making and dropping ---- */

static void set_parameters(CollisionResponse *self, DvObject *response, const char *text)
{
    char *copy = dv_strdup(text), *rest = copy;
    while (*rest) {
        char *part = rest;
        rest += strcspn(rest, "&?");
        if (*rest)
            *rest++ = '\0';
        char *value = strchr(part, '=');
        if (!value)
            continue;
        *value++ = '\0';
        DvData *field = dv_object_field(response, part);
        if (field)
            (void)dv_data_set_text(field, value);
        else
            dv_field_warning(&self->parameters, -1, "%s has no field '%s'", dv_object_class(response)->name, part);
    }
    dv_free(copy);
}

static const char *response_of(CollisionResponse *self, const DvCollisionBody *a, const DvCollisionBody *b,
                               const char **parameters)
{
    const char *first = a->traits.response, *second = b->traits.response;
    const char *chosen = self->choose ? self->choose(self, a, b) : NULL;
    *parameters = "";
    if (chosen)
        return chosen;
    if (!*first && *second)
        return second;
    if (*first && (!*second || strcmp(first, second) == 0))
        return first;
    *parameters = dv_data_string(&self->parameters);
    return dv_data_string(&self->response);
}

static DvNode *node_for(const DvCollisionBody *a, const DvCollisionBody *b, DvNode *pipeline)
{
    if (!a->traits.simulated)
        return b->node;
    return b->traits.simulated ? pipeline : a->node;
}

static DvStatus make_response(CollisionResponse *self, Response *response, const DvCollisionBody *a,
                              const DvCollisionBody *b, DvNode *pipeline)
{
    const char *parameters, *name = response_of(self, a, b, &parameters);
    if (strcmp(name, "nullptr") == 0)
        return DV_OK;
    DvText label = {0};
    dv_text_add(&label, "%s-%s", dv_object_name(a->object), dv_object_name(b->object));
    DvObject *made;
    char class_name[LONGEST_CLASS];
    const DvStatus status =
        dv_object_new(node_for(a, b, pipeline), class_of_response(name, class_name), &made, "name", label.at, NULL);
    dv_text_free(&label);
    if (status != DV_OK)
        return status;
    const DvContactResponseOps *ops = dv_object_ops(made, DV_CONTACT_RESPONSE);
    if (!ops) {
        dv_object_remove(made);
        return collision_response_check(&self->response, -1, name);
    }
    dv_object_set_transient(made, true);
    set_parameters(self, made, name + strcspn(name, "?"));
    set_parameters(self, made, parameters);
    response->object = dv_object_ref(made);
    response->ops = ops;
    if (ops->set_place)
        response->number = self->numbered++;
    return DV_OK;
}

/* A model whose state has left the scene takes up the one that comes in its place: so do the responses. */
static DvStatus tell_states(Response *response, const DvCollisionBody *a, const DvCollisionBody *b)
{
    DvObject *first = a->ops->state(a->self), *second = b->ops->state(b->self);
    if (!response->object || (response->states[0] == first && response->states[1] == second))
        return DV_OK;
    response->states[0] = first;
    response->states[1] = second;
    return response->ops->set_states(dv_object_self(response->object), first, second);
}

static void drop_response(Response *response)
{
    if (response->object) {
        if (dv_object_node(response->object))
            dv_object_remove(response->object);
        dv_object_unref(response->object);
    }
    *response = (Response){0};
}

/* ---- A step ---- */

static Response *response_at(CollisionResponse *self, uint32_t entry)
{
    if (self->map.capacity > self->response_count) {
        self->responses = dv_realloc(self->responses, self->response_count * sizeof *self->responses,
                                     self->map.capacity * sizeof *self->responses);
        self->response_count = self->map.capacity;
    }
    return &self->responses[entry];
}

static void count_contacts(CollisionResponse *self, const DvContactList *list)
{
    if (list->body_count > self->body_capacity) {
        dv_free(self->contacts);
        self->body_capacity = 2 * list->body_count;
        self->contacts = dv_alloc(self->body_capacity, sizeof *self->contacts);
    }
    if (list->body_count > 0)
        memset(self->contacts, 0, list->body_count * sizeof *self->contacts);
    for (uint32_t i = 0; i < list->pair_count; i++) {
        const DvContactPair *pair = &list->pairs[i];
        self->contacts[pair->body[0]] += pair->count;
        if (pair->body[1] != pair->body[0])
            self->contacts[pair->body[1]] += pair->count;
    }
    for (uint32_t i = 0; i < list->body_count; i++)
        if (self->contacts[i] > 0 && list->bodies[i].ops->set_contact_count)
            list->bodies[i].ops->set_contact_count(list->bodies[i].self, self->contacts[i]);
}

static DvStatus begin_response(CollisionResponse *self, uint32_t entry, const DvCollisionBody *a,
                               const DvCollisionBody *b, DvNode *node)
{
    dv_columns_reserve(&self->sequence_capacity, self->sequence_count + 1, DV_COLUMN(self->sequence));
    Response *response = response_at(self, entry);
    DvStatus status = make_response(self, response, a, b, node);
    if (status == DV_OK)
        status = tell_states(response, a, b);
    if (status != DV_OK)
        return status;
    response->made = true;
    self->sequence[self->sequence_count++] = entry;
    return DV_OK;
}

static void end_response(CollisionResponse *self, uint32_t entry)
{
    drop_response(response_at(self, entry));
    pair_map_take_out(&self->map, entry);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < self->sequence_count; i++)
        if (self->sequence[i] != entry)
            self->sequence[kept++] = self->sequence[i];
    self->sequence_count = kept;
}

static DvStatus continue_responses(CollisionResponse *self, const DvContactList *list, DvNode *node)
{
    for (uint32_t entry = 0; entry < self->map.count; entry++) {
        const PairEntry *pair = &self->map.entries[entry];
        const bool known = pair->body[0] < list->body_count && pair->body[1] < list->body_count;
        const DvCollisionBody *a = known ? &list->bodies[pair->body[0]] : NULL;
        const DvCollisionBody *b = known ? &list->bodies[pair->body[1]] : NULL;
        if (!known || !a->present || !b->present) { /* the scene is another than the one that was saved */
            pair_map_take_out(&self->map, entry);
            continue;
        }
        const DvStatus status = begin_response(self, entry, a, b, node);
        if (status != DV_OK)
            return status;
    }
    return DV_OK;
}

/* ---- What a saved run goes on with ---- */

static void save_memories(CollisionResponse *self)
{
    size_t total = 1, count;
    bool any = false;
    for (uint32_t i = 0; i < self->sequence_count; i++) {
        const Response *response = &self->responses[self->sequence[i]];
        count = 0;
        if (response->object && response->ops->memory)
            response->ops->memory(dv_object_self(response->object), &count);
        total += 1 + count;
        any = any || count > 0;
    }
    if (!any && self->numbered == 0)
        return;
    double *to = dv_data_begin_all(&self->memories, total);
    *to++ = self->numbered;
    for (uint32_t i = 0; i < self->sequence_count; i++) {
        const Response *response = &self->responses[self->sequence[i]];
        const double *from = NULL;
        count = 0;
        if (response->object && response->ops->memory)
            from = response->ops->memory(dv_object_self(response->object), &count);
        *to++ = (double)count;
        if (count > 0)
            memcpy(to, from, count * sizeof *to);
        to += count;
    }
    dv_data_end(&self->memories);
}

/* Forces are known at the end of a step. */
void collision_response_handle_event(DvObject *object, void *self, DvEvent *event)
{
    (void)object;
    if (event->kind == DV_EVENT_ANIMATE_END)
        save_memories(self);
}

/* The responses of a saved run have been made again, in the order they had. */
static DvStatus recall_memories(CollisionResponse *self)
{
    size_t total, at = 1;
    const double *numbers = dv_data_doubles(&self->memories, &total);
    for (uint32_t i = 0; total > 0 && i < self->sequence_count; i++) {
        const Response *response = &self->responses[self->sequence[i]];
        const size_t count = at < total ? (size_t)numbers[at] : 0;
        if (at >= total || count > total - at - 1)
            return dv_field_error(&self->memories, -1, "these are no memories of %u responses", self->sequence_count);
        if (count > 0 && (!response->object || !response->ops->recall ||
                          !response->ops->recall(dv_object_self(response->object), numbers + at + 1, count)))
            return dv_field_error(&self->memories, -1, "response %u does not know its numbers again", i);
        at += 1 + count;
    }
    if (total > 0)
        self->numbered = (uint32_t)numbers[0];
    return DV_OK;
}

static DvStatus answer(CollisionResponse *self, const DvContactList *list, const DvContactPair *pair, DvNode *node)
{
    const DvCollisionBody *a = &list->bodies[pair->body[0]], *b = &list->bodies[pair->body[1]];
    const uint32_t entry = pair_map_put(&self->map, pair->body[0], pair->body[1]);
    Response *response = response_at(self, entry);
    const DvStatus status = response->made ? tell_states(response, a, b) : begin_response(self, entry, a, b, node);
    if (status != DV_OK)
        return status;
    response->touched = true;
    return response->object ? response->ops->set_contacts(dv_object_self(response->object), list, pair) : DV_OK;
}

static DvStatus leave_out(CollisionResponse *self, const DvContactList *list, uint32_t entry)
{
    Response *response = response_at(self, entry);
    const PairEntry *pair = &self->map.entries[entry];
    if (response->object && response->ops->keeps_alive &&
        response->ops->keeps_alive(dv_object_self(response->object))) {
        const DvContactPair none = {.body = {pair->body[0], pair->body[1]}};
        return response->ops->set_contacts(dv_object_self(response->object), list, &none);
    }
    end_response(self, entry);
    return DV_OK;
}

static DvStatus respond(void *self_, const DvContactList *list, DvNode *node)
{
    CollisionResponse *self = self_;
    DvStatus status = self->continued ? continue_responses(self, list, node) : DV_OK;
    if (status == DV_OK && self->continued)
        status = recall_memories(self);
    self->continued = false;
    for (uint32_t i = 0; i < self->map.count; i++)
        response_at(self, i)->touched = false;
    for (uint32_t i = 0; status == DV_OK && i < list->pair_count; i++)
        status = answer(self, list, &list->pairs[i], node);
    for (uint32_t i = 0; status == DV_OK && i < self->map.count; i++)
        if (self->map.entries[i].present && !response_at(self, i)->touched)
            status = leave_out(self, list, i);
    if (status != DV_OK)
        return status;
    const uint32_t *order = pair_map_order(&self->map);
    for (uint32_t i = 0; i < self->map.present; i++) {
        const Response *response = response_at(self, order[i]);
        if (response->object && response->ops->set_place)
            response->ops->set_place(dv_object_self(response->object), response->number, i);
    }
    const DvNarrowPhaseOps *narrow = dv_object_ops(list->narrow_phase, DV_NARROW_PHASE);
    for (uint32_t i = 0; narrow->look_up && i < self->map.present; i++) {
        const PairEntry *pair = &self->map.entries[order[i]];
        narrow->look_up(dv_object_self(list->narrow_phase), pair->body[0], pair->body[1]);
    }
    count_contacts(self, list);
    pair_map_save(&self->map, &self->pair_order, self->sequence);
    return DV_OK;
}

DvStatus collision_response_restore(DvObject *object, void *self_)
{
    (void)object;
    CollisionResponse *self = self_;
    if (!pair_map_restore(&self->map, &self->pair_order))
        return dv_field_error(&self->pair_order, -1, "these are no pairs of bodies");
    self->continued = true;
    return DV_OK;
}

static void forget(void *self_)
{
    CollisionResponse *self = self_;
    for (uint32_t i = 0; i < self->response_count; i++)
        drop_response(&self->responses[i]);
    dv_free(self->responses);
    dv_free(self->sequence);
    self->responses = NULL;
    self->sequence = NULL;
    self->response_count = self->sequence_count = self->sequence_capacity = self->numbered = 0;
    self->continued = false;
    pair_map_clear(&self->map);
}

/* The scene is reset: a run that is saved now knows of no pairs either. */
static void start_anew(void *self_)
{
    CollisionResponse *self = self_;
    forget(self);
    if (dv_object_node(dv_object_of(self)))
        penalty_watch_forget(dv_object_node(dv_object_of(self)));
    dv_data_set(&self->pair_order, NULL, 0);
    dv_data_set(&self->memories, NULL, 0);
}

void collision_response_cleanup(DvObject *object, void *self_)
{
    (void)object;
    CollisionResponse *self = self_;
    forget(self);
    dv_free(self->contacts);
    self->contacts = NULL;
    self->body_capacity = 0;
}

static void force_of(void *self_, const DvContactPair *pair, uint32_t index, double force[3])
{
    CollisionResponse *self = self_;
    const uint32_t entry = pair_map_find(&self->map, pair->body[0], pair->body[1]);
    const Response *response = entry == UINT32_MAX ? NULL : response_at(self, entry);
    memset(force, 0, 3 * sizeof *force);
    if (response && response->object && response->ops->force)
        response->ops->force(dv_object_self(response->object), index, force);
}

static const DvClass *response_class(void *self, const DvCollisionBody *a, const DvCollisionBody *b)
{
    char class_name[LONGEST_CLASS];
    const char *parameters, *name = response_of(self, a, b, &parameters);
    const DvClass *cls = strcmp(name, "nullptr") == 0 ? NULL : dv_class_find(class_of_response(name, class_name));
    return cls && offers(cls, DV_CONTACT_RESPONSE) ? cls : NULL;
}

const DvContactManagerOps collision_response_ops = {.size = sizeof collision_response_ops,
                                                    .respond = respond,
                                                    .forget = start_anew,
                                                    .force = force_of,
                                                    .response_class = response_class};

const DvClass dv_collision_response = {
    .size = sizeof(DvClass),
    .name = "CollisionResponse",
    .bases = (const char *const[]){"ContactManager", NULL},
    .family = "contact response",
    .module = "Sofa.Component.Collision.Response.Contact",
    .help = "Makes a response for each pair of models that touch.",
    .instance_size = sizeof(CollisionResponse),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_CONTACT_MANAGER, .ops = &collision_response_ops}, {0}},
    .init = collision_response_init,
    .handle_event = collision_response_handle_event,
    .restore = collision_response_restore,
    .cleanup = collision_response_cleanup,
};
