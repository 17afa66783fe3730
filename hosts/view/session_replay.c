/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Recordings of what was done, and their replay.
 */
#include "session_parts.h"

#include <string.h>

uint64_t session_hash(const Session *session)
{
    GPtrArray *states = host_states(session->scene);
    const uint64_t hash = host_hash(states);
    g_ptr_array_unref(states);
    return hash;
}

void session_end_writing(Session *session)
{
    DvText why = {0};
    if (session->writer.file) {
        char *done = g_strdup_printf("recorded in %s", session->writer.name);
        if (writer_end(&session->writer, session->made, session_hash(session), &why))
            session_report(session, DV_LEVEL_INFO, done);
        g_free(done);
    }
    session_report_reason(session, &why);
}

void session_begin_writing(Session *session, const Message *message)
{
    const char *name = message->text;
    DvText why = {0}, reason = {0};
    if (!session->scene) {
        session_report(session, DV_LEVEL_ERROR, "there is no scene to record");
        return;
    }
    if (!session_may_write(session, TARGET_RECORDING, message))
        return;
    session_end_writing(session);
    if (!writer_begin(&session->writer, name, session->scene, session->recording, &reason))
        dv_text_add(&why, "cannot record: %s: %s", name, reason.at ? reason.at : "it cannot be written");
    dv_text_free(&reason);
    session_report_reason(session, &why);
}

void session_write_down(Session *session, const Message *message)
{
    DvText why = {0};
    recording_add(session->recording, session->made, message);
    (void)writer_add(&session->writer, session->made, message, &why);
    session_report_reason(session, &why);
}

void session_stop_replay(Session *session)
{
    g_clear_pointer(&session->replay, recording_free);
    session->replayed = 0;
}

void session_begin_replay(Session *session, const char *file)
{
    DvText why = {0};
    Recording *recording = recording_read(file, &why);
    if (recording) {
        session->forces_stopped = false; /* the recording says what is */
        session_open_scene(session, recording->scene);
        if (!session->scene) {
            dv_text_add(&why, "%s: its scene cannot be loaded", file);
        } else if (session->recording->start != recording->start) {
            dv_text_add(&why, "%s: %s is not the scene that was recorded: its states are others from the start", file,
                        recording->scene);
            session_close_scene(session);
        } else {
            session->replay = recording;
            session->animates = true;
            session->due = now();
            recording = NULL;
        }
    }
    recording_free(recording);
    session_report_reason(session, &why);
}

static void end_replay(Session *session)
{
    const Recording *replay = session->replay;
    const uint64_t hash = session_hash(session);
    char *text = hash == replay->end ? g_strdup_printf("replayed: %" G_GUINT64_FORMAT
                                                       " steps, the same bits as recorded (%016" G_GINT64_MODIFIER "x)",
                                                       session->made, hash)
                                     : g_strdup_printf("replayed: %" G_GUINT64_FORMAT
                                                       " steps, but the states are others (%016" G_GINT64_MODIFIER
                                                       "x) than recorded (%016" G_GINT64_MODIFIER "x)",
                                                       session->made, hash, replay->end);
    session_report(session, hash == replay->end ? DV_LEVEL_INFO : DV_LEVEL_ERROR, text);
    g_free(text);
    session->animates = false;
    session_stop_replay(session);
}

void session_go_on_replaying(Session *session)
{
    while (session->replay && session->replayed < session->replay->entries->len) {
        const RecordedMessage *entry = &g_array_index(session->replay->entries, RecordedMessage, session->replayed);
        if (entry->step > session->made && !session->failed)
            return;
        session->replayed++;
        session_write_down(session, entry->message);
        session_apply_change(session, entry->message);
    }
    if (session->replay && (session->failed || session->made >= session->replay->steps))
        end_replay(session);
}
