/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of the simulation thread share: session.c (its loop), session_scene.c, session_changes.c, session_devices.c, session_undo.c,
 * session_replay.c, session_snapshot.c.
 */
#ifndef DIVAN_VIEW_SESSION_PARTS_H
#define DIVAN_VIEW_SESSION_PARTS_H

#include "session.h"

#include "hand.h"
#include "recording.h"
#include "states.h"
#include "target.h"
#include "thread.h"

#include <divan/contracts/visual.h>

#include <time.h>

static const double frame_seconds = 1.0 / 60;

/* How fast it goes, over the last half second or so. */
typedef struct Rate {
    double since, simulated, in_steps; /* s: when counting began; simulated; spent in steps */
    uint64_t steps;
    double step_seconds, steps_a_second, real_time_factor; /* what came out */
} Rate;

struct Session {
    Logbook *book;
    GThread *thread;
    GMutex mutex; /* of these: */
    GCond posted, settled;
    GPtrArray *inbox;        /* Message */
    uint64_t posts, applied; /* messages */
    Snapshot *latest;
    bool quits;
    void (*wake)(void *context);
    void *wake_context;
    /* Of the thread alone: */
    DvScene *scene; /* NULL: none */
    char *file;     /* "": none */
    uint64_t opened, made, published;
    bool animates, real_time, failed, times_phases;
    unsigned steps_wanted;
    DvData *animate;    /* of the scene's root; NULL: not asked for yet */
    double due;         /* s: when the next step may begin */
    double publish_due; /* s */
    double work_due;    /* s of the thread's own time: likewise */
    bool changed;       /* since the last snapshot */
    Rate rate;
    Hand *hand;
    Plots *plots;
    Tree *tree;
    GPtrArray *reads; /* of the scene; NULL: to be listed anew */
    char *selected;
    size_t first_element;
    EditResult edit;
    PickView pick;
    GPtrArray *undo;      /* session_undo.c: changes, the last one last */
    Recording *recording; /* of all since the scene was opened */
    Writer writer;
    Recording *replay; /* what is still to be done is from `replayed` on; NULL: nothing is replayed */
    guint replayed;
    GArray *phases; /* PhaseTime: those of the last half second */
    uint64_t phase_steps;
    const DvPictureRecorderOps *pictures; /* NULL: no plugin records any */
    DvRecorder *recorder;                 /* of the scene; NULL: none */
    DvRecordOptions shown;
    uint64_t told_of_bodies; /* number of the scene that this was said of */
    SceneSettings settings;  /* of the scene */
    bool forces_stopped;     /* of haptic devices, by the user; scenes that are opened keep it */
};

static inline double now(void)
{
    return 1e-6 * (double)g_get_monotonic_time();
}

/* What the thread has had of the processors. */
static inline double worked(void)
{
    struct timespec time = {0};
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Words about what is not a component's */
void session_report(Session *session, DvLevel level, const char *text);
/* Says what `why` has, and frees it. */
void session_report_reason(Session *session, DvText *why);
void session_list_reads(Session *session);
/* Where it may not, that is said. */
bool session_may_write(Session *session, TargetKind kind, const Message *message);

void session_close_scene(Session *session);
/* Of several settings for one button the last one counts. */
void session_read_scene_settings(Session *session);
/* Everything that is wrong is in the log; what can be loaded is. */
void session_open_scene(Session *session, const char *file);
/* What was selected and plotted stays so. */
void session_reload_scene(Session *session);
void session_save_scene(Session *session, const Message *message);

/* session_changes.c */
DvObject *session_find(const Session *session, const char *path);
void session_pick_body(Session *session, const Message *message);
void session_reset(Session *session);
void session_apply_change(Session *session, const Message *message);

/* session_devices.c */
/* Devices that do not repeat themselves make their ticks by the clock. */
void session_start_devices(Session *session);
void session_send_mouse(const Session *session, const Message *message);
void session_lead_device(Session *session, const Message *message);
void session_stop_forces(Session *session, bool stop);
GArray *session_view_devices(const Session *session); /* DeviceView */

/* session_undo.c */
void session_undo_free(void *pointer);
/* Before a change; false: it is none that can be undone. */
bool session_note_change(Session *session, const Message *message);
void session_forget_change(Session *session); /* the one noted last, which was refused */
void session_undo(Session *session);

/* session_replay.c */
uint64_t session_hash(const Session *session);
void session_end_writing(Session *session);
void session_begin_writing(Session *session, const Message *message);
void session_write_down(Session *session, const Message *message);
void session_stop_replay(Session *session);
void session_begin_replay(Session *session, const char *file);
/* Does what is due after the steps made so far. */
void session_go_on_replaying(Session *session);

/* session_snapshot.c */
void session_publish(Session *session);
bool session_may_publish(const Session *session);

#endif
