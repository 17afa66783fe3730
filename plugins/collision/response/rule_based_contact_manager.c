/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RuleBasedContactManager: the response of a pair of models by rules.
 *
 * `rules` is a list of three words each: a model, another, a response. A model is its name, a number for all models of that group, or *
 * for any; their order does not matter. The response may have fields behind it: FrictionContactConstraint?mu=0.3&tol=1e-6. The first
 * rule that fits counts, after what the models ask for (`contactResponse`; the first model's before the second's). Pairs that no
 * rule fits get `response`.
 *
 * `variables` names attributes whose text is put where a rule has $name$:
 *
 *   <RuleBasedContactManager variables="grip" grip="0.8" rules="Hand * FrictionContactConstraint?mu=$grip$" .../>
 */
#include "collision_response.h"

#include <divan/memory.h>

#include <stdlib.h>
#include <string.h>

typedef struct RuleBasedContactManager {
    CollisionResponse base;
    DvData rules, variables;
} RuleBasedContactManager;

static const DvField fields[] = {
    COLLISION_RESPONSE_FIELDS(RuleBasedContactManager, base.),
    DV_FIELD(RuleBasedContactManager, rules, "rules", dv_type_strings,
             .help = "model, model, response, and so on; a model is a name, the number of a group, or *"),
    DV_FIELD(RuleBasedContactManager, variables, "variables", dv_type_strings,
             .help = "attributes whose text stands for $name$ in the rules; taken up when the scene is read"),
    {0},
};

enum { WORDS_OF_RULE = 3 };

/* ---- Variables ---- */

static void replace_all(DvText *text, const char *word, const char *name, const char *value)
{
    const size_t length = strlen(name);
    while (*word) {
        const bool here = word[0] == '$' && strncmp(word + 1, name, length) == 0 && word[length + 1] == '$';
        if (here)
            dv_text_add(text, "%s", value);
        else
            dv_text_add(text, "%c", *word);
        word += here ? length + 2 : 1;
    }
}

static void put_in(RuleBasedContactManager *self, const char *name, const char *value)
{
    size_t count;
    char *const *words = dv_data_strings(&self->rules, &count);
    DvText text = {0};
    for (size_t i = 0; i < count; i++) {
        replace_all(&text, words[i], name, value);
        dv_text_add(&text, " ");
    }
    if (text.at)
        (void)dv_data_set_text(&self->rules, text.at);
    dv_text_free(&text);
}

static DvStatus parse(DvObject *object, void *self_, const DvAttributes *attributes)
{
    (void)object;
    RuleBasedContactManager *self = self_;
    size_t count;
    char *const *names = dv_data_strings(&self->variables, &count);
    for (size_t i = 0; i < count; i++) {
        const char *value = dv_attribute(attributes, names[i]);
        if (!value)
            return dv_field_error(&self->variables, (int64_t)i, "'%s' has no value; add the attribute %s='...'",
                                  names[i], names[i]);
        put_in(self, names[i], value);
    }
    if (count > 0)
        (void)dv_data_set_text(&self->variables, ""); /* a saved scene holds the rules as they are now */
    return DV_OK;
}

/* ---- Rules ---- */

static bool fits(const char *word, const DvCollisionBody *body)
{
    if (strcmp(word, "*") == 0)
        return true;
    if (!*word || word[strspn(word, "-0123456789")])
        return strcmp(word, dv_object_name(body->object)) == 0;
    const long group = strtol(word, NULL, 10);
    for (size_t i = 0; i < body->traits.group_count; i++)
        if (body->traits.groups[i] == group)
            return true;
    return false;
}

static const char *choose(CollisionResponse *base, const DvCollisionBody *a, const DvCollisionBody *b)
{
    RuleBasedContactManager *self = (RuleBasedContactManager *)(void *)base;
    if (*a->traits.response || *b->traits.response)
        return *a->traits.response ? a->traits.response : b->traits.response;
    size_t count;
    char *const *word = dv_data_strings(&self->rules, &count);
    for (; count >= WORDS_OF_RULE; count -= WORDS_OF_RULE, word += WORDS_OF_RULE)
        if ((fits(word[0], a) && fits(word[1], b)) || (fits(word[0], b) && fits(word[1], a)))
            return word[2];
    return NULL;
}

static DvStatus construct(DvObject *object, void *self)
{
    (void)object;
    ((RuleBasedContactManager *)self)->base.choose = choose;
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    RuleBasedContactManager *self = self_;
    size_t count;
    char *const *word = dv_data_strings(&self->rules, &count);
    for (size_t i = WORDS_OF_RULE - 1; i < count; i += WORDS_OF_RULE) {
        const char *variable = strchr(word[i], '$');
        if (variable && strchr(variable + 1, '$'))
            return dv_field_error(&self->rules, (int64_t)i, "'%s' needs the variable '%.*s'; name it in variables",
                                  word[i], (int)strcspn(variable + 1, "$"), variable + 1);
        const DvStatus status = collision_response_check(&self->rules, (int64_t)i, word[i]);
        if (status != DV_OK)
            return status;
    }
    if (count % WORDS_OF_RULE > 0)
        dv_field_remark(&self->rules, -1,
                        "the last rule has %zu of its 3 words (model, model, response): it is left out",
                        count % WORDS_OF_RULE);
    return collision_response_init(object, self);
}

const DvClass dv_rule_based_contact_manager = {
    .size = sizeof(DvClass),
    .name = "RuleBasedContactManager",
    .bases = (const char *const[]){"CollisionResponse", "ContactManager", NULL},
    .family = "contact response",
    .module = "Sofa.Component.Collision.Response.Contact",
    .help = "Makes a response for each pair of models that touch, by rules.",
    .instance_size = sizeof(RuleBasedContactManager),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_CONTACT_MANAGER, .ops = &collision_response_ops}, {0}},
    .construct = construct,
    .parse = parse,
    .init = init,
    .handle_event = collision_response_handle_event,
    .restore = collision_response_restore,
    .cleanup = collision_response_cleanup,
};
