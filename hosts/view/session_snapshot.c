/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Snapshots: what the window sees of a session.
 *
 * They are published 60 times a second while something changes, but take no more than a twenty-fifth of the time; where steps are
 * made as fast as possible, of the thread's own time on a processor, which others may share.
 */
#include "session_parts.h"

#include <math.h>
#include <string.h>

static const double publish_share = 0.04;

/* Snapshots */

static void update_tree(Session *session)
{
    const Tree *tree = session->tree;
    if (tree && tree->revision == dv_node_revision(dv_scene_root(session->scene)) &&
        tree->invalid == tree_count_invalid(session->scene))
        return;
    tree_unref(session->tree);
    session->tree = tree_new(session->scene);
    g_clear_pointer(&session->reads, g_ptr_array_unref);
}

static void view_scene(Session *session, Snapshot *snapshot)
{
    DvNode *root = dv_scene_root(session->scene);
    DvObject *selected = *session->selected ? session_find(session, session->selected) : NULL;
    if (session->recorder && selected)
        session->pictures->mark(session->recorder, selected, &session->settings.look);
    if (session->recorder)
        snapshot->picture = session->pictures->record(session->recorder, &session->shown);
    else
        dv_scene_update_visual(session->scene);
    if (snapshot->picture && snapshot->picture->shows_bodies && session->told_of_bodies != session->opened) {
        session->told_of_bodies = session->opened;
        session_report(
            session, DV_LEVEL_INFO,
            "the scene shows nothing by itself: its bodies are drawn, as meshes, springs, frames and collision models; the "
            "menu Show chooses others");
    }
    update_tree(session);
    snapshot->has_scene = true;
    snapshot->settings = session->settings;
    snapshot->scene_steps = dv_scene_steps(session->scene);
    snapshot->time = dv_node_time(root);
    snapshot->dt = dv_node_dt(root);
    memcpy(snapshot->gravity, dv_node_gravity(root), sizeof snapshot->gravity);
    DvData *box = dv_object_field(dv_node_object(root), "bbox");
    if (box && box->count)
        memcpy(snapshot->box, dv_data_doubles(box, NULL), sizeof snapshot->box);
    snapshot->tree = tree_ref(session->tree);
    if (!session->reads)
        session_list_reads(session);
    snapshot->reads = g_ptr_array_ref(session->reads);
    if (selected)
        snapshot->object = object_view_new(selected, session->selected, session->first_element);
    if (!session->animates && !session->steps_wanted)
        snapshot->hash = session_hash(session);
    hand_view(session->hand, &snapshot->grab);
    snapshot->devices = session_view_devices(session);
    snapshot->forces_stopped = session->forces_stopped;
}

static Snapshot *make_snapshot(Session *session)
{
    Snapshot *snapshot = g_new0(Snapshot, 1);
    snapshot->references = 1;
    snapshot->number = ++session->published;
    snapshot->opened = session->opened;
    snapshot->file = g_strdup(session->file);
    snapshot->animates = session->animates;
    snapshot->real_time = session->real_time;
    snapshot->failed = session->failed;
    snapshot->steps = session->made;
    snapshot->step_seconds = session->rate.step_seconds;
    snapshot->steps_a_second = session->animates ? session->rate.steps_a_second : 0;
    snapshot->real_time_factor = session->animates ? session->rate.real_time_factor : 0;
    snapshot->phases = g_array_copy(session->phases);
    snapshot->plots = plots_view(session->plots);
    snapshot->edit = session->edit;
    snapshot->edit.path = g_strdup(session->edit.path ? session->edit.path : "");
    snapshot->edit.error = g_strdup(session->edit.error);
    snapshot->pick = (PickView){session->pick.number, g_strdup(session->pick.path)};
    snapshot->recording = g_strdup(session->writer.name);
    snapshot->replay_steps = session->replay ? session->replay->steps : 0;
    if (session->scene)
        view_scene(session, snapshot);
    return snapshot;
}

void session_publish(Session *session)
{
    const double begin = now(), work_begin = worked();
    Snapshot *snapshot = make_snapshot(session);
    g_mutex_lock(&session->mutex);
    Snapshot *old = session->latest;
    session->latest = snapshot;
    g_cond_broadcast(&session->settled);
    void (*wake)(void *) = session->wake;
    void *context = session->wake_context;
    g_mutex_unlock(&session->mutex);
    snapshot_unref(old);
    if (wake)
        wake(context);
    const double end = now(), work_end = worked();
    session->publish_due = end + fmax(frame_seconds, (end - begin) / publish_share);
    session->work_due = work_end + (work_end - work_begin) / publish_share;
    session->changed = false;
}

bool session_may_publish(const Session *session)
{
    return now() >= session->publish_due && (session->real_time || worked() >= session->work_due);
}
