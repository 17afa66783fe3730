/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Nodes: the graph, its edits, look-ups by contract, and the context that passes from parents to children.
 *
 * Every edit raises two numbers: own_revision of the node it is in, and revision of that node and all its ancestors. Whatever was
 * compiled from the graph compares them.
 */
#include "internal.h"

#include <string.h>

static void destroy(DvObject *object, void *self)
{
    (void)object;
    DvNode *node = self;
    dv_private_schedules_drop(node);
    dv_free(node->named);
    dv_private_list_free(&node->parents);
    dv_private_list_free(&node->children);
    dv_private_list_free(&node->members);
    if (node->scene)
        dv_private_scene_unref(node->scene);
}

void dv_core_node_join_scene(DvNode *node, DvScene *scene)
{
    node->scene = dv_private_scene_ref(scene);
    node->own_revision = node->revision = ++scene->last_revision;
}

static const DvField fields[] = {
    DV_FIELD(DvNode, gravity, "gravity", dv_type_vec3d, .init = "0 -9.81 0", .unit = "m/s^2",
             .help = "acceleration of free fall; only the root's counts, children take their parent's"),
    DV_FIELD(DvNode, dt, "dt", dv_type_double, .init = "0.01", .unit = "s", .help = "time step"),
    DV_FIELD(DvNode, time, "time", dv_type_double, .init = "0", .unit = "s", .help = "time of the simulation"),
    DV_FIELD(DvNode, animate, "animate", dv_type_bool, .init = "0", .help = "whether a viewer makes steps by itself"),
    DV_FIELD(DvNode, activated, "activated", dv_type_bool, .init = "1",
             .help = "false: nothing in this node or below takes part"),
    DV_FIELD(DvNode, sleeping, "sleeping", dv_type_bool, .init = "0", .help = "true: mechanics pass the node by"),
    DV_FIELD(DvNode, can_change_sleeping_state, "canChangeSleepingState", dv_type_bool, .init = "0",
             .help = "whether components may put the node to sleep or wake it"),
    {0},
};

const DvClass dv_node_class = {
    .size = sizeof(DvClass),
    .name = "Node",
    .family = "graph",
    .help = "A node of the scene graph: objects, child nodes and the context they share.",
    .instance_size = sizeof(DvNode),
    .fields = fields,
    .destroy = destroy,
};

/* Raises the revision of everything above, once each: a node above that has this revision already was reached another way. */
static void raise_ancestors(DvNode *node, uint64_t revision)
{
    if (node->revision == revision)
        return;
    node->revision = revision;
    for (guint i = 0; i < node->parents.len; i++)
        raise_ancestors(dv_private_at(&node->parents, i), revision);
}

void dv_private_node_changed(DvNode *node)
{
    node->own_revision = ++node->scene->last_revision;
    raise_ancestors(node, node->own_revision);
    dv_private_schedules_node_changed(node);
}

void dv_private_graph_data_changed(DvObject *object, const DvData *data)
{
    DvNode *node = dv_private_node_of(object);
    if (!node)
        return;
    if (data == &object->tags || (object->is_node && (data == &node->activated || data == &node->sleeping)))
        dv_private_node_changed(node);
    if (data == &object->name)
        dv_private_object_forget_path(object);
    /* A host that writes them means the nodes below too, at once. */
    DvScene *scene = node->scene;
    if (object->is_node && (data == &node->gravity || data == &node->dt) && scene->running && !scene->depth) {
        dv_private_enter(scene);
        dv_node_propagate_context(node);
        dv_private_leave(scene);
    }
}

/* Reading the graph */

const char *dv_node_name(const DvNode *node)
{
    return dv_object_name(dv_object_of(node));
}

const char *dv_node_path(const DvNode *node)
{
    return dv_object_path(dv_object_of(node));
}

DvObject *dv_node_object(const DvNode *node)
{
    return dv_object_of(node);
}

DvNode *dv_object_as_node(DvObject *object)
{
    return object && object->is_node ? object->self : NULL;
}

DvScene *dv_node_scene(const DvNode *node)
{
    return node->scene;
}

DvNode *dv_node_root(const DvNode *node)
{
    while (node->parents.len)
        node = dv_private_at(&node->parents, 0);
    return dv_object_of(node)->self;
}

DvNode *dv_node_child(const DvNode *node, size_t index)
{
    return index < node->children.len ? dv_private_at(&node->children, index) : NULL;
}

DvNode *dv_node_parent(const DvNode *node, size_t index)
{
    return index < node->parents.len ? dv_private_at(&node->parents, index) : NULL;
}

DvObject *dv_node_member(const DvNode *node, size_t index)
{
    return index < node->members.len ? dv_private_at(&node->members, index) : NULL;
}

uint64_t dv_node_revision(const DvNode *node)
{
    return node->revision;
}

const uint64_t *dv_node_revision_at(const DvNode *node)
{
    return &node->revision;
}

bool dv_node_is_active(const DvNode *node)
{
    return *(const bool *)node->activated.value;
}

bool dv_node_is_sleeping(const DvNode *node)
{
    return *(const bool *)node->sleeping.value;
}

void dv_node_set_active(DvNode *node, bool active)
{
    dv_data_set_bool(&node->activated, active);
}

/* Look-ups */

/* Whether an object stands for its node under a contract. */
bool dv_core_stands_for_node(const DvObject *object, const char *contract)
{
    if (!dv_core_object_offer(object, contract))
        return false;
    for (const DvContract *offer = object->cls->contracts; offer->id; offer++)
        if (offer->by_path_only && strcmp(offer->id, contract) == 0)
            return false;
    return true;
}

static bool has_contract(const DvObject *object, const char *contract)
{
    return dv_core_object_offer(object, contract) != NULL;
}

typedef bool (*Fits)(const DvObject *object, const char *contract);

static DvObject *find_local(const DvNode *node, const char *contract, Fits fits)
{
    for (guint i = 0; i < node->members.len; i++) {
        DvObject *object = dv_private_at(&node->members, i);
        if (fits(object, contract))
            return object;
    }
    return NULL;
}

static DvObject *find_above(const DvNode *node, const char *contract, Fits fits)
{
    DvObject *found = NULL;
    for (guint i = 0; !found && i < node->parents.len; i++) {
        const DvNode *parent = dv_private_at(&node->parents, i);
        found = find_local(parent, contract, fits);
        if (!found)
            found = find_above(parent, contract, fits);
    }
    return found;
}

static DvObject *find_down(const DvNode *node, const char *contract)
{
    DvObject *found = find_local(node, contract, has_contract);
    for (guint i = 0; !found && i < node->children.len; i++)
        found = find_down(dv_private_at(&node->children, i), contract);
    return found;
}

DvObject *dv_node_find(const DvNode *node, const char *contract, DvSearch search)
{
    DvObject *found = NULL;
    switch (search) {
    case DV_SEARCH_LOCAL:
        return find_local(node, contract, has_contract);
    case DV_SEARCH_UP:
        found = find_local(node, contract, has_contract);
        return found ? found : find_above(node, contract, has_contract);
    case DV_SEARCH_PARENTS:
        return find_above(node, contract, has_contract);
    case DV_SEARCH_DOWN:
        return find_down(node, contract);
    case DV_SEARCH_ROOT:
        return find_down(dv_node_root(node), contract);
    }
    return NULL;
}

static DvObject *slot(const DvNode *node, const char *contract)
{
    for (guint i = node->members.len; i-- > 0;) {
        DvObject *object = dv_private_at(&node->members, i);
        if (dv_core_stands_for_node(object, contract))
            return object;
    }
    return NULL;
}

static DvObject *usable(DvObject *object)
{
    return object && dv_private_is_usable(object) ? object : NULL;
}

DvObject *dv_node_slot(const DvNode *node, const char *contract)
{
    return usable(slot(node, contract));
}

DvObject *dv_core_node_context(const DvNode *node, const char *contract)
{
    DvObject *own = slot(node, contract);
    return own ? own : find_above(node, contract, dv_core_stands_for_node);
}

DvObject *dv_node_context(const DvNode *node, const char *contract)
{
    return usable(dv_core_node_context(node, contract));
}

typedef struct Found {
    DvObject **objects;
    size_t capacity, count;
} Found;

static void add_local(const DvNode *node, const char *contract, Found *found)
{
    for (guint i = 0; i < node->members.len; i++) {
        DvObject *object = dv_private_at(&node->members, i);
        if (!dv_object_ops(object, contract))
            continue;
        if (found->count < found->capacity)
            found->objects[found->count] = object;
        found->count++;
    }
}

static void add_down(const DvNode *node, const char *contract, Found *found)
{
    add_local(node, contract, found);
    for (guint i = 0; i < node->children.len; i++)
        add_down(dv_private_at(&node->children, i), contract, found);
}

static void add_ancestors(const DvNode *node, const char *contract, Found *found) /* the root's first */
{
    for (guint i = 0; i < node->parents.len; i++) {
        const DvNode *parent = dv_private_at(&node->parents, i);
        add_ancestors(parent, contract, found);
        add_local(parent, contract, found);
    }
}

size_t dv_node_find_all(const DvNode *node, const char *contract, DvSearch search, DvObject **objects, size_t capacity)
{
    Found found = {objects, capacity, 0};
    if (search == DV_SEARCH_ROOT)
        node = dv_node_root(node);
    if (search == DV_SEARCH_DOWN || search == DV_SEARCH_ROOT)
        add_down(node, contract, &found);
    if (search == DV_SEARCH_LOCAL || search == DV_SEARCH_UP)
        add_local(node, contract, &found);
    if (search == DV_SEARCH_UP || search == DV_SEARCH_PARENTS)
        add_ancestors(node, contract, &found);
    return found.count;
}

/* Context */

const double *dv_node_gravity(const DvNode *node)
{
    return node->gravity.value;
}

double dv_node_time(const DvNode *node)
{
    return *(const double *)node->time.value;
}

double dv_node_dt(const DvNode *node)
{
    return *(const double *)node->dt.value;
}

void dv_node_set_gravity(DvNode *node, const double *gravity)
{
    dv_data_set(&node->gravity, gravity, 1);
}

void dv_node_set_time(DvNode *node, double time)
{
    *(double *)dv_data_rewrite(&node->time) = time;
}

void dv_node_set_dt(DvNode *node, double dt)
{
    dv_data_set_double(&node->dt, dt);
}

static void inherit(DvNode *child, const DvNode *parent)
{
    if (memcmp(child->gravity.value, parent->gravity.value, 3 * sizeof(double)) != 0)
        dv_node_set_gravity(child, dv_node_gravity(parent));
    if (dv_node_dt(child) != dv_node_dt(parent))
        dv_node_set_dt(child, dv_node_dt(parent));
    if (dv_node_time(child) != dv_node_time(parent))
        dv_node_set_time(child, dv_node_time(parent));
    if (*(const bool *)child->animate.value != *(const bool *)parent->animate.value)
        dv_data_set_bool(&child->animate, *(const bool *)parent->animate.value);
}

static void apply_context_objects(DvNode *node)
{
    if (node->context_revision != node->own_revision) {
        node->has_context = find_local(node, DV_CONTEXT, has_contract) != NULL;
        node->context_revision = node->own_revision;
    }
    for (guint i = 0; node->has_context && i < node->members.len; i++) {
        DvObject *object = dv_private_at(&node->members, i);
        const DvContextOps *ops = dv_object_ops(object, DV_CONTEXT);
        if (ops)
            ops->apply(object->self, node);
    }
}

void dv_node_propagate_context(DvNode *node)
{
    apply_context_objects(node);
    for (guint i = 0; i < node->children.len; i++) {
        DvNode *child = dv_private_at(&node->children, i);
        if (dv_private_at(&child->parents, 0) != node)
            continue; /* it takes the context of its first parent */
        inherit(child, node);
        dv_node_propagate_context(child);
    }
}

/* Edits */

void dv_core_node_insert_member(DvNode *node, DvObject *object, size_t index)
{
    dv_private_list_insert(&node->members, (uint32_t)MIN(index, node->members.len), object);
    object->node = node;
    object->removed = false;
    dv_private_object_forget_path(object);
    dv_private_node_changed(node);
}

void dv_core_node_move_member(DvNode *node, DvObject *object, size_t index)
{
    dv_private_list_remove(&node->members, object);
    dv_core_node_insert_member(node, object, index);
}

void dv_core_node_move_child(DvNode *node, DvNode *child, size_t index)
{
    dv_private_schedules_child_left(node, child);
    dv_private_list_remove(&node->children, child);
    dv_private_list_insert(&node->children, (uint32_t)MIN(index, node->children.len), child);
    raise_ancestors(node, ++node->scene->last_revision);
    dv_private_schedules_child_joined(node, child);
}

static void join(DvNode *parent, DvNode *child)
{
    DvObject *object = dv_object_ref(dv_object_of(child));
    dv_private_list_add(&parent->children, child);
    dv_private_list_add(&child->parents, parent);
    object->node = dv_private_at(&child->parents, 0);
    object->removed = false;
    dv_private_object_forget_path(object);
    raise_ancestors(parent, ++parent->scene->last_revision);
    dv_private_schedules_child_joined(parent, child);
}

DvNode *dv_node_new(DvNode *parent, const char *name)
{
    if (!dv_core_may_change(parent->scene, "dv_node_new"))
        return NULL;
    DvObject *object = dv_core_object_new(parent->scene->words, &dv_node_class, "");
    DvNode *node = object->self;
    (void)dv_core_object_construct(object); /* cannot fail: above */
    dv_core_node_join_scene(node, parent->scene);
    if (name)
        dv_data_set_string(&object->name, name);
    node->folder = parent->folder;
    inherit(node, parent);
    object->initialised = parent->scene->running;
    join(parent, node);
    parent->scene->words->say_namesake(node, parent);
    dv_object_unref(object); /* the parent keeps it */
    return node;
}

static bool is_below(const DvNode *node, const DvNode *ancestor)
{
    if (node == ancestor)
        return true;
    for (guint i = 0; i < node->parents.len; i++)
        if (is_below(dv_private_at(&node->parents, i), ancestor))
            return true;
    return false;
}

DvStatus dv_node_attach(DvNode *parent, DvNode *child)
{
    if (!dv_core_may_change(parent->scene, "dv_node_attach"))
        return DV_ERROR_BUSY;
    if (parent->scene != child->scene)
        return dv_error(dv_object_of(child), DV_ERROR_INVALID, "cannot be a child of '%s', which is in another scene",
                        dv_node_path(parent));
    if (is_below(parent, child))
        return dv_error(dv_object_of(child), DV_ERROR_CYCLE, "cannot be a child of '%s', which is below it",
                        dv_node_path(parent));
    if (dv_private_list_find(&parent->children, child) == DV_PRIVATE_NOT_THERE) {
        join(parent, child);
        parent->scene->words->say_namesake(child, parent);
    }
    return DV_OK;
}

/* The last parent has let go of the node: so does it of all it holds. */
static void dissolve(DvNode *node)
{
    while (node->members.len)
        dv_object_remove(dv_private_at(&node->members, node->members.len - 1));
    while (node->children.len)
        dv_node_detach(node, dv_private_at(&node->children, node->children.len - 1));
    DvObject *object = dv_object_of(node);
    object->removed = true;
    object->node = NULL;
    dv_private_links_forget(object);
    dv_private_schedule_object_gone(node->scene, object);
}

/* While paths are known: all that leaves with this node tells those who need it. */
static void lose_users(DvNode *node)
{
    for (guint i = 0; i < node->members.len; i++)
        dv_private_users_lose(dv_private_at(&node->members, i));
    for (guint i = 0; i < node->children.len; i++) {
        DvNode *child = dv_private_at(&node->children, i);
        if (child->parents.len == 1)
            lose_users(child);
    }
    dv_private_users_lose(dv_object_of(node));
}

void dv_node_detach(DvNode *parent, DvNode *child)
{
    if (!dv_core_may_change(parent->scene, "dv_node_detach") ||
        dv_private_list_find(&parent->children, child) == DV_PRIVATE_NOT_THERE)
        return;
    if (child->parents.len == 1)
        lose_users(child);
    dv_private_list_remove(&parent->children, child);
    DvObject *object = dv_object_of(child);
    dv_private_list_remove(&child->parents, parent);
    raise_ancestors(parent, ++parent->scene->last_revision);
    dv_private_schedules_child_left(parent, child);
    dv_private_object_forget_path(object);
    if (child->parents.len)
        object->node = dv_private_at(&child->parents, 0);
    else
        dissolve(child);
    dv_private_release_later(child->scene, object);
}

void dv_node_remove(DvNode *node)
{
    if (!node->parents.len || !dv_core_may_change(node->scene, "dv_node_remove"))
        return; /* a root goes with its scene */
    DvObject *object = dv_object_ref(dv_object_of(node));
    while (node->parents.len)
        dv_node_detach(dv_private_at(&node->parents, 0), node);
    dv_private_release_later(node->scene, object);
}

void dv_object_move(DvObject *object, DvNode *to)
{
    DvNode *from = object->node;
    if (object->is_node || !from || from == to || !dv_core_may_change(from->scene, "dv_object_move"))
        return;
    if (from->scene != to->scene) {
        (void)dv_error(object, DV_ERROR_INVALID, "cannot move to '%s', which is in another scene", dv_node_path(to));
        return;
    }
    dv_private_list_remove(&from->members, object);
    dv_private_node_changed(from);
    dv_core_node_insert_member(to, object, SIZE_MAX);
}

/* Tags */

DvTags dv_node_tags(const DvNode *node)
{
    DvTags tags = {0};
    tags.words = dv_data_strings(&dv_object_of(node)->tags, &tags.count);
    return tags;
}

static bool has_word(DvTags tags, const char *word)
{
    for (size_t i = 0; i < tags.count; i++)
        if (strcmp(tags.words[i], word) == 0)
            return true;
    return false;
}

bool dv_object_has_tags(const DvObject *object, DvTags filter)
{
    if (filter.count == 0)
        return true;
    const DvTags own = {object->tags.value, object->tags.count};
    if (own.count == 0) {
        for (size_t i = 0; i < filter.count; i++)
            if (filter.words[i][0] != '!' && !has_word(filter, "0"))
                return false;
        return true;
    }
    for (size_t i = 0; i < filter.count; i++) {
        const char *word = filter.words[i];
        if (word[0] == '!' ? has_word(own, word + 1) : !has_word(own, word))
            return false;
    }
    return true;
}
