/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Calls: whose a scene is while one is in progress, and what is released when the last ends.
 */
#include "internal.h"

#include <stdatomic.h>

/* What is removed while components are called */

void dv_private_enter(DvScene *scene)
{
    scene->depth++;
}

void dv_private_leave(DvScene *scene)
{
    if (--scene->depth)
        return;
    while (scene->leaving.len) /* a release may remove more */
        dv_object_unref(dv_private_at(&scene->leaving, --scene->leaving.len));
}

void dv_private_release_later(DvScene *scene, DvObject *object)
{
    if (!scene->depth) {
        dv_object_unref(object);
        return;
    }
    dv_private_list_add(&scene->leaving, object);
}

/* Whose a scene is */

/* Of the scene only what never changes is read: another thread is using it. */
static const char *file_of(const DvScene *scene)
{
    return scene && scene->root ? dv_object_of(scene->root)->place.file : NULL;
}

static bool in_use(const DvScene *scene, const char *function)
{
    dv_log_at(DV_LEVEL_ERROR, DV_ERROR_BUSY, file_of(scene), 0, 0,
              "%s: another thread is inside a call for this scene; a scene belongs to one thread at a time", function);
    return false;
}

/* The scene is looked at in a message alone: it may have gone. */
static bool in_chunk(const DvScene *scene, const char *function)
{
    return dv_private_thread.in_chunk && dv_private_in_chunk(function, file_of(scene));
}

bool dv_core_may_change(const DvScene *scene, const char *function)
{
    if (in_chunk(scene, function))
        return false;
    const Thread *owner = scene ? atomic_load_explicit(&scene->owner, memory_order_relaxed) : NULL;
    return !owner || owner == &dv_private_thread || in_use(scene, function);
}

bool dv_core_call_begin(Call *call, DvScene *scene, const char *function)
{
    if (in_chunk(scene, function))
        return false;
    Thread *owner = NULL;
    if (!atomic_compare_exchange_strong(&scene->owner, &owner, &dv_private_thread) && owner != &dv_private_thread)
        return in_use(scene, function);
    *call = (Call){scene, dv_step_mark(), dv_private_thread.hearers};
    dv_private_thread.hearers = &scene->hearers;
    scene->calls++;
    dv_private_thread.calls++;
    dv_private_enter(scene);
    return true;
}

void dv_core_call_end(const Call *call)
{
    DvScene *scene = call->scene;
    dv_private_thread.hearers = call->outer;
    dv_private_leave(scene);
    dv_step_release(--dv_private_thread.calls ? call->mark : (DvStepMark){0});
    if (--scene->calls == 0)
        atomic_store_explicit(&scene->owner, NULL, memory_order_release);
}

DvStatus dv_private_begin_outermost(Call *call, DvScene *scene, const char *function)
{
    if (!dv_core_call_begin(call, scene, function))
        return DV_ERROR_BUSY;
    if (scene->depth == 1)
        return DV_OK;
    dv_core_call_end(call);
    return dv_error(dv_object_of(scene->root), DV_ERROR_INVALID, "%s: called from inside a call for the same scene",
                    function);
}
