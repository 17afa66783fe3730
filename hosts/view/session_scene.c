/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which scene a session has: opened, saved, closed.
 */
#include "session_parts.h"

#include <math.h>
#include <string.h>

#include <divan/output.h>
#include <divan/plugin.h>
#include <divan/registry.h>

/* Files */

static void add_read(void *context, const char *path)
{
    g_ptr_array_add(context, g_strdup(path));
}

void session_list_reads(Session *session)
{
    g_clear_pointer(&session->reads, g_ptr_array_unref);
    session->reads = g_ptr_array_new_with_free_func(g_free);
    add_read(session->reads, session->file);
    dv_scene_files(session->scene, add_read, session->reads);
}

bool session_may_write(Session *session, TargetKind kind, const Message *message)
{
    DvText why = {0}, reason = {0};
    session_list_reads(session);
    const TargetState state = target_look(kind, message->text, session->reads, &reason);
    if (state == TARGET_REFUSED)
        dv_text_add(&why, "cannot write: %s: %s", message->text, reason.at);
    else if (state == TARGET_EXISTS && message->numbers[0] != 0)
        dv_text_add(&why, "cannot write: %s: exists already and stays as it is; choose another name", message->text);
    const bool may = why.at == NULL;
    dv_text_free(&reason);
    session_report_reason(session, &why);
    return may;
}

void session_close_scene(Session *session)
{
    if (session->scene) {
        session_end_writing(session);
        hand_forget(session->hand);
        if (session->recorder)
            session->pictures->destroy(session->recorder);
        session->recorder = NULL;
        g_ptr_array_set_size(session->undo, 0);
        dv_scene_free(session->scene);
    }
    session_stop_replay(session);
    g_clear_pointer(&session->edit.path, g_free);
    g_clear_pointer(&session->edit.error, g_free);
    plots_clear(session->plots, true);
    g_clear_pointer(&session->tree, tree_unref);
    g_clear_pointer(&session->reads, g_ptr_array_unref);
    g_clear_pointer(&session->recording, recording_free);
    g_clear_pointer(&session->file, g_free);
    g_clear_pointer(&session->selected, g_free);
    session->file = g_strdup("");
    session->selected = g_strdup("");
    session->scene = NULL;
    session->animate = NULL;
    session->made = 0;
    session->animates = session->failed = false;
    session->steps_wanted = 0;
    session->rate = (Rate){0};
}

void session_read_scene_settings(Session *session)
{
    enum { MOST = 64 };
    const DvNode *root = dv_scene_root(session->scene);
    DvObject *objects[MOST];
    const DvObject *setting = dv_node_find(root, DV_VIEWER_LOOK, DV_SEARCH_DOWN);
    const DvViewerLookOps *look = setting ? dv_object_ops(setting, DV_VIEWER_LOOK) : NULL;
    session->settings = (SceneSettings){0};
    if (look)
        look->get(dv_object_self(setting), &session->settings.look);
    const size_t count = dv_node_find_all(root, DV_MOUSE_BINDING, DV_SEARCH_DOWN, objects, MOST);
    for (size_t i = 0; i < count && i < MOST; i++) {
        const DvMouseBindingOps *ops = dv_object_ops(objects[i], DV_MOUSE_BINDING);
        DvMouseBinding binding = {0};
        ops->get(dv_object_self(objects[i]), &binding);
        session->settings.bindings[binding.button] = binding;
        session->settings.binds[binding.button] = true;
    }
}

void session_open_scene(Session *session, const char *file)
{
    const DvLoadOptions options = {.keep_going = true};
    char *name = g_canonicalize_filename(file, NULL);
    session_close_scene(session);
    session->opened++;
    DvStatus status = dv_scene_load(name, &options, &session->scene);
    g_free(session->file);
    session->file = name;
    if (!session->scene)
        return;
    session->failed = !dv_scene_is_running(session->scene);
    session_read_scene_settings(session);
    session->recording = recording_new(name, session_hash(session));
    session_start_devices(session);
    if (session->pictures)
        session->recorder = session->pictures->create(session->scene);
    if (status != DV_OK)
        session_report(session, DV_LEVEL_WARNING,
                       "the scene has errors: it is shown without the parts that could not be loaded");
}

void session_reload_scene(Session *session)
{
    char *file = g_strdup(session->file);
    char *selected = g_strdup(session->selected);
    Plots *plots = session->plots;
    session->plots = plots_new();
    if (*file)
        session_open_scene(session, file);
    plots_free(session->plots);
    session->plots = plots;
    plots_clear(plots, false);
    if (session->scene)
        plots_sample(plots, session->scene);
    g_free(session->selected);
    session->selected = selected;
    g_free(file);
}

void session_save_scene(Session *session, const Message *message)
{
    const char *file = message->text;
    if (!session->scene) {
        session_report(session, DV_LEVEL_ERROR, "there is no scene to save");
        return;
    }
    if (!session_may_write(session, TARGET_SCENE, message))
        return;
    hand_release(session->hand, session->scene);
    if (dv_scene_save(session->scene, file) == DV_OK) {
        char *text = g_strdup_printf("saved as %s", file);
        session_report(session, DV_LEVEL_INFO, text);
        g_free(text);
    }
}
