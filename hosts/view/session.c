/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The loop of the simulation thread, and what each message does.
 */
#include "session_parts.h"

#include <math.h>
#include <string.h>

static const double rate_seconds = 0.5;

void session_report(Session *session, DvLevel level, const char *text)
{
    logbook_add(session->book, level, NULL, "%s", text);
    session->changed = true;
}

void session_report_reason(Session *session, DvText *why)
{
    if (why->at && why->length)
        session_report(session, DV_LEVEL_ERROR, why->at);
    dv_text_free(why);
}

/* A change by the user: written down before it is made. */
static void take_change(Session *session, const Message *message)
{
    if (!session->scene)
        return;
    if (session->replay && message->kind == MESSAGE_FORCES) {
        session_stop_forces(session, message->numbers[0] == 0); /* at once, whatever is repeated then */
        return;
    }
    if (session->replay) {
        session_report(session, DV_LEVEL_WARNING,
                       "a recording is being replayed; nothing else can be changed until its end");
        return;
    }
    session_write_down(session, message);
    session_apply_change(session, message);
}

/* Forces that were stopped stay so, in another scene too, and its recording says so. */
static void keep_stopped(Session *session)
{
    if (session->forces_stopped)
        take_change(session, &(Message){.kind = MESSAGE_FORCES});
}

/* Messages */

static void set_phases(Session *session, bool on)
{
    session->times_phases = on;
    session->phase_steps = 0;
    g_array_set_size(session->phases, 0);
    dv_phase_enable(on);
}

static void export_plots(Session *session, const Message *message)
{
    const char *file = message->text;
    DvText reason = {0}, why = {0};
    if (session->scene && !session_may_write(session, TARGET_TABLE, message))
        return;
    if (!plots_export(session->plots, file, session->scene, &reason))
        dv_text_add(&why, "cannot export: %s: %s", file, reason.at ? reason.at : "it cannot be written");
    else
        logbook_add(session->book, DV_LEVEL_INFO, NULL, "exported to %s", file);
    dv_text_free(&reason);
    session_report_reason(session, &why);
}

static void add_plot(Session *session, const Message *message)
{
    const uint32_t element = (uint32_t)fmax(message->numbers[0], 0);
    if (!session->scene)
        return;
    if (message->kind == MESSAGE_UNPLOT)
        plots_remove(session->plots, message->path, element);
    else if (plots_add(session->plots, session->scene, message->path, element) && !session->animates)
        plots_sample_one(session->plots, session->scene, message->path, element);
}

/* Components may read it, and write it to pause. It is found once: each step asks for it twice. */
static DvData *animate_of(Session *session)
{
    DvObject *root = dv_node_object(dv_scene_root(session->scene));
    if (!session->animate)
        session->animate = dv_object_field(root, "animate");
    return session->animate;
}

static void animate(Session *session, bool on)
{
    if (on && session->failed)
        session_report(session, DV_LEVEL_WARNING, "the scene cannot make steps; reset or reload it");
    session->animates = on && session->scene && !session->failed;
    if (session->scene)
        dv_data_set_bool(animate_of(session), session->animates);
    session->due = now();
    if (on)
        session->rate = (Rate){.since = session->due};
}

static void select_object(Session *session, const Message *message)
{
    g_free(session->selected);
    session->selected = g_strdup(message->path);
    session->first_element = (size_t)fmax(message->numbers[0], 0);
}

static void apply(Session *session, const Message *message)
{
    session->changed = true;
    switch (message->kind) {
    case MESSAGE_OPEN:
        session_open_scene(session, message->text);
        keep_stopped(session);
        break;
    case MESSAGE_CLOSE:
        session_close_scene(session);
        break;
    case MESSAGE_RELOAD:
        session_reload_scene(session);
        keep_stopped(session);
        break;
    case MESSAGE_SAVE:
        session_save_scene(session, message);
        break;
    case MESSAGE_ANIMATE:
        animate(session, message->numbers[0] != 0);
        break;
    case MESSAGE_STEP:
        session->steps_wanted += session->scene && !session->failed;
        break;
    case MESSAGE_PACE:
        session->real_time = message->numbers[0] != 0;
        session->due = now();
        break;
    case MESSAGE_SELECT:
        select_object(session, message);
        break;
    case MESSAGE_PICK:
        session_pick_body(session, message);
        break;
    case MESSAGE_FLAGS:
        for (int i = 0; i < DV_DISPLAY_FLAGS; i++)
            session->shown.flags[i] = (signed char)message->numbers[i];
        break;
    case MESSAGE_PHASES:
        set_phases(session, message->numbers[0] != 0);
        break;
    case MESSAGE_PLOT:
    case MESSAGE_UNPLOT:
        add_plot(session, message);
        break;
    case MESSAGE_EXPORT:
        export_plots(session, message);
        break;
    case MESSAGE_RECORD:
        session_begin_writing(session, message);
        break;
    case MESSAGE_RECORD_END:
        session_end_writing(session);
        break;
    case MESSAGE_REPLAY:
        session_begin_replay(session, message->text);
        break;
    default:
        take_change(session, message);
        break;
    }
}

/* Steps */

static void count_step(Session *session, double begin, double simulated)
{
    Rate *rate = &session->rate;
    const double end = now();
    rate->steps++;
    rate->simulated += simulated;
    rate->in_steps += end - begin;
    const double passed = end - rate->since;
    if (passed < rate_seconds && rate->steps_a_second > 0)
        return;
    rate->step_seconds = rate->in_steps / (double)rate->steps;
    rate->steps_a_second = (double)rate->steps / fmax(passed, 1e-9);
    rate->real_time_factor = rate->simulated / fmax(passed, 1e-9);
    if (passed >= rate_seconds)
        *rate = (Rate){.since = end,
                       .step_seconds = rate->step_seconds,
                       .steps_a_second = rate->steps_a_second,
                       .real_time_factor = rate->real_time_factor};
}

/* The means of the last 30 steps; the kernel's clocks start again. */
static void take_phases(Session *session)
{
    enum { STEPS = 30 };
    if (!session->times_phases || ++session->phase_steps < STEPS)
        return;
    g_array_set_size(session->phases, 0);
    for (size_t i = 0; i < dv_phase_count(); i++) {
        uint64_t calls = 0;
        PhaseTime phase = {0};
        phase.name = dv_phase_at(i, &phase.seconds, &calls);
        phase.seconds /= STEPS;
        phase.calls = (double)calls / STEPS;
        g_array_append_val(session->phases, phase);
    }
    session->phase_steps = 0;
    dv_phase_enable(true);
}

static void make_step(Session *session)
{
    const double before = dv_node_time(dv_scene_root(session->scene)), begin = now();
    const bool animated = dv_data_bool(animate_of(session));
    const DvStatus status = dv_scene_step(session->scene, 0);
    const double simulated = dv_node_time(dv_scene_root(session->scene)) - before;
    session->changed = true;
    if (session->steps_wanted)
        session->steps_wanted--;
    session->made++; /* also one that failed: a replay makes it too */
    if (status != DV_OK) {
        session->failed = true;
        session->animates = session->replay != NULL;
        session->steps_wanted = 0;
        return;
    }
    if (animated && !dv_data_bool(animate_of(session)))
        session->animates = false;
    count_step(session, begin, simulated);
    take_phases(session);
    plots_sample(session->plots, session->scene);
    /* As `divan run --real-time`: what is lost is lost, it does not hurry afterwards. */
    session->due = session->real_time ? fmax(session->due + simulated, now() - frame_seconds) : now();
}

/* The loop */

/* Messages that came, in their order; waits for one until `until` (s; infinite: for ever). False: the session ends. */
static bool take_messages(Session *session, double until, GPtrArray *messages)
{
    g_mutex_lock(&session->mutex);
    while (!session->inbox->len && !session->quits && now() < until) {
        if (isinf(until))
            g_cond_wait(&session->posted, &session->mutex);
        else
            (void)g_cond_wait_until(&session->posted, &session->mutex, (gint64)(1e6 * until));
    }
    for (guint i = 0; i < session->inbox->len; i++)
        g_ptr_array_add(messages, g_ptr_array_index(session->inbox, i));
    g_ptr_array_set_size(session->inbox, 0);
    const bool goes_on = !session->quits;
    g_mutex_unlock(&session->mutex);
    return goes_on;
}

static void count_applied(Session *session, guint count)
{
    g_mutex_lock(&session->mutex);
    session->applied += count;
    g_cond_broadcast(&session->settled);
    g_mutex_unlock(&session->mutex);
}

static bool wants_step(const Session *session)
{
    return session->scene && !session->failed && (session->animates || session->steps_wanted);
}

/* When there is something to do again, if no message comes. */
static double next_work(const Session *session)
{
    double until = INFINITY;
    if (wants_step(session))
        until = session->steps_wanted || !session->real_time ? 0 : session->due;
    if (session->changed)
        until = fmin(until, wants_step(session) ? session->publish_due : 0);
    return until;
}

static gpointer run(gpointer data)
{
    Session *session = data;
    GPtrArray *messages = g_ptr_array_new();
    session_close_scene(session);
    session_publish(session);
    while (take_messages(session, next_work(session), messages)) {
        const guint count = messages->len;
        for (guint i = 0; i < count; i++) {
            Message *message = g_ptr_array_index(messages, i);
            apply(session, message);
            message_free(message);
        }
        g_ptr_array_set_size(messages, 0);
        session_go_on_replaying(session);
        if (wants_step(session) && (session->steps_wanted || !session->real_time || now() >= session->due)) {
            make_step(session);
            session_go_on_replaying(session);
        }
        if (session->changed && (count || !wants_step(session) || session_may_publish(session)))
            session_publish(session);
        if (count)
            count_applied(session, count);
    }
    for (guint i = 0; i < messages->len; i++)
        message_free(g_ptr_array_index(messages, i));
    g_ptr_array_unref(messages);
    session_close_scene(session);
    dv_phase_enable(false);
    return NULL;
}

/* From other threads */

Session *session_new(Logbook *book)
{
    Session *session = g_new0(Session, 1);
    session->book = book;
    session->real_time = true;
    session->pictures = dv_service(DV_PICTURE_RECORDER);
    session->shown.bodies = true;
    session->hand = hand_new();
    session->plots = plots_new();
    session->phases = g_array_new(FALSE, FALSE, sizeof(PhaseTime));
    session->undo = g_ptr_array_new_with_free_func(session_undo_free);
    session->inbox = g_ptr_array_new();
    g_mutex_init(&session->mutex);
    g_cond_init(&session->posted);
    g_cond_init(&session->settled);
    session->thread = host_thread_new("simulation", run, session);
    return session;
}

void session_free(Session *session)
{
    g_mutex_lock(&session->mutex);
    session->quits = true;
    g_cond_signal(&session->posted);
    g_mutex_unlock(&session->mutex);
    g_thread_join(session->thread);
    snapshot_unref(session->latest);
    for (guint i = 0; i < session->inbox->len; i++)
        message_free(g_ptr_array_index(session->inbox, i));
    g_ptr_array_unref(session->inbox);
    g_array_free(session->phases, TRUE);
    g_ptr_array_unref(session->undo);
    plots_free(session->plots);
    hand_free(session->hand);
    g_free(session->file);
    g_free(session->selected);
    g_free(session->edit.path);
    g_free(session->edit.error);
    g_free(session->pick.path);
    g_mutex_clear(&session->mutex);
    g_cond_clear(&session->posted);
    g_cond_clear(&session->settled);
    g_free(session);
}

void session_post(Session *session, const Message *message)
{
    Message *copy = message_copy(message);
    g_mutex_lock(&session->mutex);
    g_ptr_array_add(session->inbox, copy);
    session->posts++;
    g_cond_signal(&session->posted);
    g_mutex_unlock(&session->mutex);
}

Snapshot *session_snapshot(Session *session)
{
    g_mutex_lock(&session->mutex);
    while (!session->latest)
        g_cond_wait(&session->settled, &session->mutex);
    Snapshot *snapshot = snapshot_ref(session->latest);
    g_mutex_unlock(&session->mutex);
    return snapshot;
}

Snapshot *session_settle(Session *session)
{
    g_mutex_lock(&session->mutex);
    const uint64_t posts = session->posts;
    while (session->applied < posts || !session->latest)
        g_cond_wait(&session->settled, &session->mutex);
    g_mutex_unlock(&session->mutex);
    return session_snapshot(session);
}

void session_on_publish(Session *session, void (*wake)(void *context), void *context)
{
    g_mutex_lock(&session->mutex);
    session->wake = wake;
    session->wake_context = context;
    g_mutex_unlock(&session->mutex);
}
