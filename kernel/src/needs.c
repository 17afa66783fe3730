/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Who cannot do without whom.
 *
 * An object that has found what it needs says so. It is initialised after that, and its pointers into it stay good: what is needed is kept
 * alive until the one who needs it is initialised again or leaves. When what is needed leaves the graph, whoever needs it (and who needs
 * those) becomes invalid in the same moment, so nothing asks them any more; paths of what was lost are remembered, and before a step
 * those whose paths all lead somewhere again are initialised anew. The others are reported, once each.
 */
#include "internal.h"

DvStatus dv_object_initialise_first(DvObject *object, DvObject *other)
{
    if (other == object || other->is_node)
        return DV_OK;
    if (other->initialising)
        return dv_error(object, DV_ERROR_CYCLE, "needs '%s', which needs it in turn; cut one of the two links",
                        dv_object_path(other));
    if (!other->initialised && other->node)
        (void)dv_private_init_now(other); /* reported, and whoever looks at it finds it invalid */
    if (object->bwd_initialised && other->node)
        (void)dv_private_bwd_init_now(other);
    return DV_OK;
}

DvStatus dv_core_fails_with(DvObject *object, const DvObject *other)
{
    const DvScene *scene = dv_private_scene_of(object);
    object->failed_with = true;
    if (scene && scene->keep_going && !scene->check_only) /* else nothing of the scene is used */
        dv_remark(object, "is not used: '%s', which it needs, could not be initialised", dv_object_path(other));
    return DV_ERROR_MISSING;
}

void dv_core_object_fail(DvObject *object)
{
    const DvScene *scene = dv_private_scene_of(object);
    if (object->failed)
        return;
    if (scene && scene->running) /* initialised again in vain; it may be once more, and so may they */
        dv_private_users_lose(object);
    while (object->users.len) { /* they point into it: first */
        DvObject *user = dv_private_at(&object->users, object->users.len - 1);
        dv_private_list_remove_at(&object->users, object->users.len - 1);
        (void)dv_core_fails_with(user, object);
        dv_core_object_fail(user);
    }
    if (object->cls->cleanup)
        object->cls->cleanup(object, object->self);
    object->failed = true;
    dv_object_set_state(object, DV_COMPONENT_INVALID);
    if (object->node)
        dv_private_node_changed(object->node);
}

void dv_object_refuse(DvObject *object, DvStatus status)
{
    DvScene *scene = dv_private_scene_of(object);
    if (status != DV_OK)
        dv_core_problem(scene, status);
    if (!scene || !scene->check_only) /* a check goes on with all there is */
        dv_core_object_fail(object);
}

DvStatus dv_object_require(DvObject *object, DvObject *other)
{
    const DvStatus status = dv_object_initialise_first(object, other);
    if (status == DV_OK && other->failed)
        return dv_core_fails_with(object, other);
    if (status != DV_OK || other == object || dv_private_list_find(&object->needs, other) != DV_PRIVATE_NOT_THERE)
        return status;
    dv_private_list_add(&object->needs, dv_object_ref(other));
    dv_private_list_add(&other->users, object);
    return DV_OK;
}

void dv_private_users_lose(DvObject *object)
{
    List users = object->users;
    object->users = (List){0};
    for (guint i = 0; i < users.len; i++) {
        DvObject *user = dv_private_at(&users, i);
        DvNode *node = dv_private_node_of(user);
        if (!node || !node->scene->running)
            continue;
        if (!user->lost.len) {
            user->lost_said = false;
            node->scene->orphans++;
        }
        dv_private_list_add(&user->lost, dv_strdup(dv_object_path(object)));
        dv_object_set_state(user, DV_COMPONENT_INVALID);
        dv_private_node_changed(node); /* what was compiled with it is no longer right */
        dv_private_users_lose(user);
    }
    dv_private_list_free(&users);
}

void dv_private_needs_forget(DvObject *object)
{
    List needs = object->needs;
    object->needs = (List){0};
    for (guint i = 0; i < needs.len; i++) {
        DvObject *need = dv_private_at(&needs, i);
        dv_private_list_remove(&need->users, object);
        dv_object_unref(need);
    }
    dv_private_list_free(&needs);
    if (!object->lost.len)
        return;
    for (guint i = 0; i < object->lost.len; i++)
        dv_free(dv_private_at(&object->lost, i));
    dv_private_list_free(&object->lost);
    const DvNode *node = dv_private_node_of(object);
    if (node)
        node->scene->orphans--;
}

/* The first lost path that leads to nothing of use; NULL: all are there again. */
static const char *still_missing(DvScene *scene, const DvObject *object)
{
    for (guint i = 0; i < object->lost.len; i++) {
        const char *path = dv_private_at(&object->lost, i);
        const DvObject *target = scene->words->object_at(scene, path);
        if (!target || (!target->is_node && (!target->initialised || !dv_object_is_valid(target))))
            return path;
    }
    return NULL;
}

static void collect(DvNode *node, GPtrArray *orphans)
{
    for (guint i = 0; i < node->members.len; i++) {
        DvObject *object = dv_private_at(&node->members, i);
        if (object->lost.len && !g_ptr_array_find(orphans, object, NULL))
            g_ptr_array_add(orphans, dv_object_ref(object));
    }
    for (guint i = 0; i < node->children.len; i++)
        collect(dv_private_at(&node->children, i), orphans);
}

static bool mend(DvScene *scene, DvObject *object)
{
    if (!object->lost.len || !object->node || still_missing(scene, object))
        return false;
    scene->words->resolve_links(object);
    (void)dv_private_init_anew(object); /* reported */
    return true;
}

static void tell(DvScene *scene, DvObject *object)
{
    if (!object->lost.len || !object->node || object->lost_said)
        return;
    object->lost_said = true;
    const char *path = still_missing(scene, object);
    const DvObject *there = scene->words->object_at(scene, path);
    dv_warning(object, "'%s', which it needs, %s; it does nothing until something is there again", path,
               there && there->failed ? "could not be initialised" : "has left the scene");
}

void dv_core_orphans_mend(DvScene *scene)
{
    if (!scene->orphans || scene->orphan_revision == scene->root->revision)
        return;
    GPtrArray *orphans = g_ptr_array_new_with_free_func((GDestroyNotify)dv_object_unref);
    collect(scene->root, orphans);
    for (bool again = true; again;) { /* one may be what another one waits for */
        again = false;
        for (guint i = 0; i < orphans->len; i++)
            again |= mend(scene, g_ptr_array_index(orphans, i));
    }
    for (guint i = 0; i < orphans->len; i++)
        tell(scene, g_ptr_array_index(orphans, i));
    g_ptr_array_unref(orphans);
    scene->orphan_revision = scene->root->revision;
}
