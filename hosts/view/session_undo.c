/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Undo: before each change of the user a moment of the scene is kept, and the last one is put back. The scene is then what it was before
 * the change, its time and states too, and goes on with the same bits.
 *
 * A field is first edited back, so that the component takes notice; links and names, which no moment holds, come back by that alone.
 */
#include "session_parts.h"

#include <string.h>

#include <divan/embed.h>
#include <divan/moment.h>

enum { MOST_UNDONE = 16 }; /* changes: each holds the whole state */

typedef struct Undo {
    DvMoment *moment;
    Message *message;
    char *text; /* what the field was; NULL: no field is edited */
} Undo;

void session_undo_free(void *pointer)
{
    Undo *undo = pointer;
    dv_moment_free(undo->moment);
    message_free(undo->message);
    g_free(undo->text);
    g_free(undo);
}

static bool can_be_undone(const Message *message)
{
    switch (message->kind) {
    case MESSAGE_EDIT:
    case MESSAGE_ELEMENT:
    case MESSAGE_ACTIVATE:
    case MESSAGE_DELETE:
    case MESSAGE_GRAB:
    case MESSAGE_RESET:
        return true;
    default:
        return false;
    }
}

/* NULL: there is none, which is said when it is edited. */
static DvData *field_at(const Session *session, const char *path)
{
    const char *dot = strrchr(path, '.');
    char *owner = dot ? g_strndup(path, (gsize)(dot - path)) : NULL;
    const DvObject *object = owner ? session_find(session, *owner ? owner : "/") : NULL;
    g_free(owner);
    return object ? dv_object_field(object, dot + 1) : NULL;
}

static char *text_of(DvData *field)
{
    DvText text = {0};
    dv_data_print(field, &text);
    char *copy = g_strdup(text.at ? text.at : "");
    dv_text_free(&text);
    return copy;
}

bool session_note_change(Session *session, const Message *message)
{
    if (!can_be_undone(message) || !dv_scene_is_running(session->scene))
        return false;
    DvMoment *moment = dv_moment_new(session->scene);
    if (dv_moment_take(moment) != DV_OK) {
        dv_moment_free(moment);
        return false;
    }
    Undo *undo = g_new0(Undo, 1);
    undo->moment = moment;
    undo->message = message_copy(message);
    const bool edits = message->kind == MESSAGE_EDIT || message->kind == MESSAGE_ELEMENT;
    DvData *field = edits ? field_at(session, message->path) : NULL;
    undo->text = field ? text_of(field) : NULL;
    if (session->undo->len == MOST_UNDONE)
        g_ptr_array_remove_index(session->undo, 0);
    g_ptr_array_add(session->undo, undo);
    return true;
}

void session_forget_change(Session *session)
{
    g_ptr_array_remove_index(session->undo, session->undo->len - 1);
}

/* It is put back with all else: what cannot be edited, since what it belonged to has gone, needs no edit. */
static void edit_back(const Session *session, const Undo *undo)
{
    DvData *field = undo->text ? field_at(session, undo->message->path) : NULL;
    char *now = field ? text_of(field) : NULL;
    if (now && strcmp(now, undo->text) != 0)
        (void)!dv_data_edit(field, undo->text, NULL);
    g_free(now);
}

void session_undo(Session *session)
{
    if (session->undo->len == 0) {
        session_report(session, DV_LEVEL_INFO, "there is nothing to undo");
        return;
    }
    const Undo *undo = g_ptr_array_index(session->undo, session->undo->len - 1);
    hand_reset(session->hand, session->scene);
    edit_back(session, undo);
    if (dv_moment_restore(undo->moment) == DV_OK) {
        GString *text = g_string_new("undone: ");
        message_print(undo->message, text);
        session_report(session, DV_LEVEL_INFO, text->str);
        g_string_free(text, TRUE);
    }
    session_forget_change(session);
    session_read_scene_settings(session);
    g_clear_pointer(&session->reads, g_ptr_array_unref);
    plots_clear(session->plots, false);
    plots_sample(session->plots, session->scene);
    session->failed = !dv_scene_is_running(session->scene);
    session->due = now();
}
