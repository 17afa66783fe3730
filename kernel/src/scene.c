/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scenes: from a graph that was made to a running simulation.
 *
 * Initialisation visits the graph twice: parents before children, a node's
 * objects in the order of the document (init); then the exact reverse (bwd_init). Last, the animation loop settles the scene, so
 * that every state is consistent before the first step, and each object stores what reset goes back to.
 *
 * A step is the root's animation loop and a check of what came out.
 */
#include "internal.h"

#include <stdatomic.h>
#include <string.h>

#include <divan/contracts/solver.h>
#include <divan/contracts/visual.h>

/* Initialisation */

static DvStatus init_object(DvScene *scene, DvObject *object)
{
    if (object->initialised || object->failed)
        return DV_OK;
    const DvStatus status = dv_private_object_init(object);
    return status == DV_OK || object->failed_with ? status : dv_core_problem(scene, status);
}

static DvStatus bwd_init_object(DvScene *scene, DvObject *object)
{
    if (object->bwd_initialised || !object->initialised || !dv_object_is_valid(object))
        return DV_OK;
    object->bwd_initialised = true;
    if (!object->cls->bwd_init)
        return DV_OK;
    const DvStatus status = object->cls->bwd_init(object, object->self);
    dv_private_node_changed(object->node);
    if (status == DV_OK)
        return DV_OK;
    dv_core_object_fail(object);
    return dv_core_problem(scene, status);
}

static void apply_context(DvNode *node)
{
    for (guint i = 0; i < node->members.len; i++) {
        DvObject *object = dv_private_at(&node->members, i);
        const DvContextOps *context = dv_object_ops(object, DV_CONTEXT);
        if (!context)
            continue;
        (void)init_object(node->scene, object);
        if (dv_object_is_valid(object))
            context->apply(object->self, node);
    }
}

/* What the objects of a node find when they are initialised: the context of the nodes above. */
static void prepare(DvNode *node)
{
    if (dv_object_of(node)->initialised)
        return;
    DvNode *parent = dv_node_parent(node, 0);
    if (parent) {
        prepare(parent);
        node->scene->words->say_unused_context(node, parent);
        dv_node_set_gravity(node, dv_node_gravity(parent));
        dv_node_set_dt(node, dv_node_dt(parent));
        dv_node_set_time(node, dv_node_time(parent));
        dv_data_set_bool(&node->animate, dv_data_bool(&parent->animate));
    }
    dv_object_of(node)->initialised = true;
    apply_context(node);
}

DvStatus dv_private_init_now(DvObject *object)
{
    prepare(object->node);
    return init_object(object->node->scene, object);
}

DvStatus dv_private_bwd_init_now(DvObject *object)
{
    return bwd_init_object(object->node->scene, object);
}

DvStatus dv_private_init_anew(DvObject *object)
{
    DvScene *scene = object->node->scene;
    if (object->cls->cleanup && !object->failed)
        object->cls->cleanup(object, object->self);
    dv_private_needs_forget(object);
    dv_object_set_state(object, DV_COMPONENT_UNDEFINED);
    object->initialised = object->failed = object->failed_with = false;
    const DvStatus status = init_object(scene, object);
    return status == DV_OK ? bwd_init_object(scene, object) : status;
}

DvStatus dv_object_initialise_again(DvObject *object, void *self)
{
    (void)self;
    return dv_private_init_anew(object);
}

static DvVisit init_top_down(DvNode *node, void *context)
{
    (void)context;
    prepare(node);
    for (guint i = 0; i < node->members.len; i++) /* init may add more */
        (void)init_object(node->scene, dv_private_at(&node->members, i));
    return DV_VISIT_CONTINUE;
}

static DvVisit init_bottom_up(DvNode *node, void *context)
{
    (void)context;
    for (guint i = node->members.len; i-- > 0;)
        if (i < node->members.len)
            (void)bwd_init_object(node->scene, dv_private_at(&node->members, i));
    return DV_VISIT_CONTINUE;
}

/* Objects that were added above or before the place that init had reached. */
static DvVisit init_late_comers(DvNode *node, void *context)
{
    for (guint i = 0; i < node->members.len; i++) {
        DvObject *object = dv_private_at(&node->members, i);
        if (object->initialised)
            continue;
        *(bool *)context = true;
        (void)init_object(node->scene, object);
        (void)bwd_init_object(node->scene, object);
    }
    return DV_VISIT_CONTINUE;
}

static DvVisit each_object(DvNode *node, void *context)
{
    void (*call)(DvObject *) = *(void (**)(DvObject *))context;
    for (guint i = 0; i < node->members.len; i++)
        call(dv_private_at(&node->members, i));
    return DV_VISIT_CONTINUE;
}

static void for_each_object(DvNode *node, void (*call)(DvObject *))
{
    dv_visit(node, &(const DvVisitor){.top_down = each_object, .enters_sleeping = true}, (void *)&call);
}

/* Nodes too, and what is in inactive ones. */
static void for_everything(DvNode *node, void (*call)(DvObject *))
{
    call(dv_object_of(node));
    for (guint i = 0; i < node->members.len; i++)
        call(dv_private_at(&node->members, i));
    for (guint i = 0; i < node->children.len; i++)
        for_everything(dv_private_at(&node->children, i), call);
}

static void store_reset_state(DvObject *object)
{
    if (object->cls->store_reset_state && dv_object_is_valid(object))
        object->cls->store_reset_state(object, object->self);
    object->words->keep_first(object);
}

static void put_first_back(DvObject *object)
{
    object->words->put_first_back(object);
}

static void init_subtree(DvNode *node)
{
    static const DvVisitor init = {.top_down = init_top_down, .bottom_up = init_bottom_up, .enters_sleeping = true};
    static const DvVisitor late = {.top_down = init_late_comers, .enters_sleeping = true};
    dv_visit(node, &init, NULL);
    bool again = true;
    for (int round = 0; again && round < 100; round++) {
        again = false;
        dv_visit(node, &late, &again);
    }
}

DvStatus dv_object_reinit(DvObject *object)
{
    DvScene *scene = dv_private_scene_of(object);
    const bool is_anew = object->failed && object->cls->reinit == dv_object_initialise_again;
    if (!object->cls->reinit || (!dv_object_is_valid(object) && !is_anew))
        return DV_OK;
    Call call;
    if (scene && !dv_core_call_begin(&call, scene, "dv_object_reinit"))
        return DV_ERROR_BUSY;
    const DvStatus status = object->cls->reinit(object, object->self);
    if (scene)
        dv_core_call_end(&call);
    return status;
}

DvStatus dv_core_init_objects(DvScene *scene, DvObject **objects, size_t count)
{
    DvStatus status = DV_OK;
    for (size_t i = 0; i < count; i++) {
        scene->words->report_links(objects[i]);
        scene->words->capture(objects[i]);
    }
    for (size_t i = 0; i < count; i++) {
        const DvStatus one = dv_private_init_now(objects[i]);
        status = status == DV_OK ? one : status;
    }
    for (size_t i = count; i-- > 0;) {
        const DvStatus one = bwd_init_object(scene, objects[i]);
        status = status == DV_OK ? one : status;
    }
    for (size_t i = 0; i < count; i++) {
        if (objects[i]->initialised && dv_object_is_valid(objects[i])) {
            if (dv_object_ops(objects[i], DV_CONTEXT))
                dv_node_propagate_context(objects[i]->node);
            store_reset_state(objects[i]);
        }
        dv_core_stamp(objects[i]);
    }
    return status;
}

DvStatus dv_core_init_object(DvObject *object)
{
    return dv_core_init_objects(object->node->scene, &object, 1);
}

static const DvAnimationLoopOps *animation_loop(DvScene *scene)
{
    if (scene->loop_revision != scene->root->own_revision) {
        DvObject *loop = dv_node_slot(scene->root, DV_ANIMATION_LOOP);
        scene->loop_revision = scene->root->own_revision;
        scene->loop_ops = loop ? dv_object_ops(loop, DV_ANIMATION_LOOP) : NULL;
        scene->loop = loop ? loop->self : NULL;
    }
    return scene->loop_ops;
}

/* Constraints hold and mapped states follow, by the loop of the scene. */
void dv_core_settle(DvScene *scene)
{
    const DvAnimationLoopOps *loop = animation_loop(scene);
    if (loop && loop->settle)
        loop->settle(scene->loop);
}

static bool is_animation_default(const void *ops)
{
    return ((const DvAnimationLoopOps *)ops)->by_default;
}

static bool is_visual_default(const void *ops)
{
    return ((const DvVisualLoopOps *)ops)->by_default;
}

/* Puts a loop in front of a root that has none: the class that any plugin offers for that. */
static void add_loop(DvScene *scene, const char *contract, bool (*is_default)(const void *ops))
{
    const DvClass *chosen = NULL;
    for (size_t i = 0; i < dv_class_count(); i++) {
        const DvClass *cls = dv_class_at(i);
        for (const DvContract *offer = cls->contracts; offer && offer->id; offer++)
            if (strcmp(offer->id, contract) == 0 && is_default(offer->ops) &&
                (!chosen || dv_class_plugin(cls)->rank > dv_class_plugin(chosen)->rank))
                chosen = cls;
    }
    if (chosen && !dv_node_slot(scene->root, contract))
        scene->words->make_first(scene->root, chosen);
}

static void tell(DvScene *scene, DvEventKind kind)
{
    DvEvent event = {.kind = kind, .dt = dv_node_dt(scene->root)};
    dv_event_send(scene->root, &event);
}

static void rebuild(DvObject *object)
{
    const DvStatus status =
        object->cls->restore && dv_object_is_valid(object) ? object->cls->restore(object, object->self) : DV_OK;
    if (status != DV_OK)
        dv_core_problem(object->node->scene, status);
}

static void check_state(DvScene *scene)
{
    for (size_t i = 0; i < scene->check_count; i++) {
        const DvStepCheckOps *check = scene->checks[i];
        const DvStatus status = check->check(scene->root, scene->steps);
        if (status != DV_OK)
            dv_core_problem(scene, status);
    }
}

static void start(DvScene *scene)
{
    dv_core_settle(scene);
    scene->reset_time = dv_node_time(scene->root);
    for_each_object(scene->root, store_reset_state);
    scene->words->update_boxes(scene->root);
    dv_node_propagate_context(scene->root);
    for_everything(scene->root, dv_core_stamp);
    if (scene->restored) { /* a saved run continues: values first, then what hangs on them */
        for_everything(scene->root, scene->words->restore);
        for_each_object(scene->root, rebuild);
    }
    check_state(scene);
    scene->running = scene->first_error == DV_OK || scene->keep_going;
}

DvStatus dv_scene_init(DvScene *scene)
{
    if (scene->running)
        return DV_OK;
    Call call;
    const DvStatus busy = dv_private_begin_outermost(&call, scene, "dv_scene_init");
    if (busy != DV_OK)
        return busy;
    scene->check_count = dv_services(DV_STEP_CHECK, NULL, 0);
    scene->checks = g_renew(const void *, scene->checks, scene->check_count);
    (void)dv_services(DV_STEP_CHECK, scene->checks, scene->check_count);
    if (!(dv_node_dt(scene->root) > 0))
        dv_core_problem(
            scene, dv_field_error(&scene->root->dt, -1,
                                  "time does not go forward with a step of %g s; give a positive one, such as 0.01",
                                  dv_node_dt(scene->root)));
    add_loop(scene, DV_ANIMATION_LOOP, is_animation_default);
    add_loop(scene, DV_VISUAL_LOOP, is_visual_default);
    for_everything(scene->root, scene->words->report_links);
    for_everything(scene->root, scene->words->capture);
    tell(scene, DV_EVENT_INIT_START);
    init_subtree(scene->root);
    tell(scene, DV_EVENT_INIT_DONE);
    if (scene->check_only) {
        for (size_t i = 0; i < scene->check_count; i++)
            scene->problems += (unsigned)((const DvStepCheckOps *)scene->checks[i])->lint(scene->root);
    } else if (scene->first_error == DV_OK || scene->keep_going) {
        start(scene);
    }
    dv_core_call_end(&call);
    return scene->first_error;
}

/* A scene's memory is kept by its nodes too: one that is held beyond dv_scene_free still knows where it was. */

DvScene *dv_core_scene_new(const Words *words)
{
    DvScene *scene = g_new0(DvScene, 1);
    scene->references = 1;
    scene->words = words;
    return scene;
}

DvScene *dv_private_scene_ref(DvScene *scene)
{
    scene->references++;
    return scene;
}

void dv_private_scene_unref(DvScene *scene)
{
    if (--scene->references)
        return;
    for (size_t i = 0; i < scene->local_count; i++)
        dv_free(scene->locals[i].block);
    g_free(scene->locals);
    g_free(scene->hearers.at);
    g_free(scene->checks);
    dv_private_list_free(&scene->leaving);
    for (uint32_t i = 0; i < scene->data_folders.len; i++)
        dv_free(scene->data_folders.at[i]);
    dv_private_list_free(&scene->data_folders);
    g_free(scene);
}

void dv_scene_add_data_folder(DvScene *scene, const char *folder)
{
    dv_private_list_add(&scene->data_folders, dv_strdup(folder));
}

void *dv_scene_local(DvScene *scene, const void *key, size_t size)
{
    for (size_t i = 0; i < scene->local_count; i++)
        if (scene->locals[i].key == key)
            return scene->locals[i].block;
    scene->locals = g_renew(struct Local, scene->locals, scene->local_count + 1);
    scene->locals[scene->local_count] = (struct Local){key, dv_alloc(1, size)};
    return scene->locals[scene->local_count++].block;
}

static DvStatus end_scene(DvScene *scene, const char *function)
{
    Call call;
    const DvStatus busy = scene ? dv_private_begin_outermost(&call, scene, function) : DV_OK;
    if (!scene || busy != DV_OK)
        return busy; /* it stays: whoever uses it now must not lose it */
    dv_core_call_end(&call);
    DvNode *root = scene->root;
    scene->running = false;
    if (root) {
        for (size_t i = 0; i < scene->check_count; i++)
            ((const DvStepCheckOps *)scene->checks[i])->forget(root);
        while (root->children.len)
            dv_node_detach(root, dv_private_at(&root->children, root->children.len - 1));
        while (root->members.len)
            dv_object_remove(dv_private_at(&root->members, root->members.len - 1));
        dv_object_unref(dv_object_of(root));
    }
    const bool lost = scene->lost_outputs > 0;
    dv_private_scene_unref(scene);
    return lost ? DV_ERROR_IO : DV_OK;
}

DvStatus dv_scene_end(DvScene *scene)
{
    return end_scene(scene, "dv_scene_end");
}

void dv_scene_free(DvScene *scene)
{
    (void)end_scene(scene, "dv_scene_free");
}

DvNode *dv_scene_root(const DvScene *scene)
{
    return scene->root;
}

uint64_t dv_scene_steps(const DvScene *scene)
{
    return scene->steps;
}

bool dv_scene_is_running(const DvScene *scene)
{
    return scene->running;
}

bool dv_scene_is_checked(const DvScene *scene)
{
    return scene->check_only;
}

/* Running */

static DvStatus no_loop(const DvScene *scene)
{
    const DvObject *unusable = dv_core_node_context(scene->root, DV_ANIMATION_LOOP);
    if (unusable)
        return dv_error(unusable, DV_ERROR_MISSING, "cannot make a step: it could not be initialised, as was said");
    return dv_error(
        dv_object_of(scene->root), DV_ERROR_MISSING,
        "no animation loop can make a step: none is in the root node, and no plugin in use has one by default");
}

static DvStatus step(DvScene *scene, double dt)
{
    if (!scene->running)
        return dv_error(dv_object_of(scene->root), DV_ERROR_INVALID, "the scene has not been initialised");
    dv_core_orphans_mend(scene);
    const DvAnimationLoopOps *loop = animation_loop(scene);
    if (!loop)
        return no_loop(scene);
    scene->fault = DV_OK;
    DvStatus status = loop->step(scene->loop, dt);
    if (status == DV_OK && !scene->keep_going)
        status = scene->fault;
    if (status == DV_OK)
        scene->steps++;
    for (size_t i = 0; i < scene->check_count && status == DV_OK; i++)
        status = ((const DvStepCheckOps *)scene->checks[i])->check(scene->root, scene->steps);
    return status;
}

/* Out of line, as mostly nobody watches. */
static __attribute__((noinline)) DvStatus watched_step(DvScene *scene, double dt)
{
    const StepWatch *watch = dv_private_thread.watch;
    const size_t begun = watch->begins();
    const DvStatus status = step(scene, dt);
    watch->ends(scene, begun);
    return status;
}

DvStatus dv_scene_step(DvScene *scene, double dt)
{
    Call call;
    DvStatus status = dv_private_begin_outermost(&call, scene, "dv_scene_step");
    if (status != DV_OK)
        return status;
    status = dv_private_thread.watch ? watched_step(scene, dt) : step(scene, dt);
    dv_core_call_end(&call);
    return status;
}

static void reset_object(DvObject *object)
{
    if (object->cls->reset && dv_object_is_valid(object))
        object->cls->reset(object, object->self);
}

void dv_scene_reset(DvScene *scene)
{
    Call call;
    if (!scene->running || !dv_core_call_begin(&call, scene, "dv_scene_reset"))
        return;
    dv_node_set_time(scene->root, scene->reset_time);
    dv_node_propagate_context(scene->root);
    for_each_object(scene->root, put_first_back);
    for_each_object(scene->root, reset_object);
    dv_core_settle(scene);
    scene->steps = 0;
    dv_core_call_end(&call);
}
