/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The loop of the simulation thread, and what each message does.
 *
 * Snapshots are published 60 times a second while something changes, but take no more than a twenty-fifth of the time; where steps are
 * made as fast as possible, of the thread's own time on a processor, which others may share.
 */
#include "session.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include <divan/contracts/visual.h>
#include <divan/output.h>
#include <divan/plugin.h>
#include <divan/registry.h>

#include "hand.h"
#include "recording.h"
#include "states.h"
#include "target.h"
#include "thread.h"

static const double frame_seconds = 1.0 / 60, rate_seconds = 0.5, publish_share = 0.04;

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
};

static double now(void)
{
    return 1e-6 * (double)g_get_monotonic_time();
}

/* What the thread has had of the processors. */
static double worked(void)
{
    struct timespec time = {0};
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Words about what is not a component's */

static void report(Session *session, DvLevel level, const char *text)
{
    logbook_add(session->book, level, NULL, "%s", text);
    session->changed = true;
}

/* Says what `why` has, and frees it. */
static void report_reason(Session *session, DvText *why)
{
    if (why->at && why->length)
        report(session, DV_LEVEL_ERROR, why->at);
    dv_text_free(why);
}

static uint64_t hash_now(const Session *session)
{
    GPtrArray *states = host_states(session->scene);
    const uint64_t hash = host_hash(states);
    g_ptr_array_unref(states);
    return hash;
}

/* Files */

static void add_read(void *context, const char *path)
{
    g_ptr_array_add(context, g_strdup(path));
}

static void list_reads(Session *session)
{
    g_clear_pointer(&session->reads, g_ptr_array_unref);
    session->reads = g_ptr_array_new_with_free_func(g_free);
    add_read(session->reads, session->file);
    dv_scene_files(session->scene, add_read, session->reads);
}

/* Where it may not, that is said. */
static bool may_write(Session *session, TargetKind kind, const Message *message)
{
    DvText why = {0}, reason = {0};
    list_reads(session);
    const TargetState state = target_look(kind, message->text, session->reads, &reason);
    if (state == TARGET_REFUSED)
        dv_text_add(&why, "cannot write: %s: %s", message->text, reason.at);
    else if (state == TARGET_EXISTS && message->numbers[0] != 0)
        dv_text_add(&why, "cannot write: %s: is there already, and stays as it is; choose another name", message->text);
    const bool may = why.at == NULL;
    dv_text_free(&reason);
    report_reason(session, &why);
    return may;
}

/* Recordings */

static void end_writing(Session *session)
{
    DvText why = {0};
    if (session->writer.file) {
        char *done = g_strdup_printf("recorded in %s", session->writer.name);
        if (writer_end(&session->writer, session->made, hash_now(session), &why))
            report(session, DV_LEVEL_INFO, done);
        g_free(done);
    }
    report_reason(session, &why);
}

static void begin_writing(Session *session, const Message *message)
{
    const char *name = message->text;
    DvText why = {0}, reason = {0};
    if (!session->scene) {
        report(session, DV_LEVEL_ERROR, "there is no scene to record");
        return;
    }
    if (!may_write(session, TARGET_RECORDING, message))
        return;
    end_writing(session);
    if (!writer_begin(&session->writer, name, session->scene, session->recording, &reason))
        dv_text_add(&why, "cannot record: %s: %s", name, reason.at ? reason.at : "it cannot be written");
    dv_text_free(&reason);
    report_reason(session, &why);
}

static void write_down(Session *session, const Message *message)
{
    DvText why = {0};
    recording_add(session->recording, session->made, message);
    (void)writer_add(&session->writer, session->made, message, &why);
    report_reason(session, &why);
}

static void stop_replay(Session *session)
{
    g_clear_pointer(&session->replay, recording_free);
    session->replayed = 0;
}

/* Scenes */

static void close_scene(Session *session)
{
    if (session->scene) {
        end_writing(session);
        hand_forget(session->hand);
        if (session->recorder)
            session->pictures->destroy(session->recorder);
        session->recorder = NULL;
        dv_scene_free(session->scene);
    }
    stop_replay(session);
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

/* Of several settings for one button the last one counts. */
static void read_scene_settings(Session *session)
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

/* Everything that is wrong is in the log; what can be loaded is. */
static void open_scene(Session *session, const char *file)
{
    const DvLoadOptions options = {.keep_going = true};
    char *name = g_canonicalize_filename(file, NULL);
    close_scene(session);
    session->opened++;
    DvStatus status = dv_scene_load(name, &options, &session->scene);
    g_free(session->file);
    session->file = name;
    if (!session->scene)
        return;
    session->failed = !dv_scene_is_running(session->scene);
    read_scene_settings(session);
    session->recording = recording_new(name, hash_now(session));
    if (session->pictures)
        session->recorder = session->pictures->create(session->scene);
    if (status != DV_OK)
        report(session, DV_LEVEL_WARNING,
               "the scene has errors: what could be loaded is shown, and may not do what was meant");
}

/* What was selected and plotted stays so. */
static void reload_scene(Session *session)
{
    char *file = g_strdup(session->file);
    char *selected = g_strdup(session->selected);
    Plots *plots = session->plots;
    session->plots = plots_new();
    if (*file)
        open_scene(session, file);
    plots_free(session->plots);
    session->plots = plots;
    plots_clear(plots, false);
    if (session->scene)
        plots_sample(plots, session->scene);
    g_free(session->selected);
    session->selected = selected;
    g_free(file);
}

static void save_scene(Session *session, const Message *message)
{
    const char *file = message->text;
    if (!session->scene) {
        report(session, DV_LEVEL_ERROR, "there is no scene to save");
        return;
    }
    if (!may_write(session, TARGET_SCENE, message))
        return;
    hand_release(session->hand, session->scene);
    if (dv_scene_save(session->scene, file) == DV_OK) {
        char *text = g_strdup_printf("saved as %s", file);
        report(session, DV_LEVEL_INFO, text);
        g_free(text);
    }
}

/* Changes */

static DvObject *find(const Session *session, const char *path)
{
    DvNode *root = dv_scene_root(session->scene);
    if (strcmp(path, "/") == 0)
        return dv_node_object(root);
    char *link = g_strconcat("@", path, NULL);
    DvObject *object = dv_node_resolve(root, NULL, link, NULL);
    g_free(link);
    return object;
}

static void edit(Session *session, const Message *message)
{
    DvText reason = {0};
    DvStatus status = DV_ERROR_NOT_FOUND;
    logbook_hear(session->book);
    DvData *field = dv_scene_field(session->scene, message->path);
    if (field && message->kind == MESSAGE_EDIT)
        status = dv_data_edit(field, message->text, &reason);
    else if (field)
        status = dv_data_edit_number(field, (size_t)fmax(message->numbers[0], 0), message->numbers[1], &reason);
    const bool was_warned = logbook_heard(session->book) == DV_LEVEL_WARNING;
    char *said = logbook_hear_no_more(session->book);
    g_free(session->edit.error);
    session->edit.error = status == DV_OK ? NULL
                                          : g_strconcat("refused: ",
                                                        reason.at ? reason.at
                                                        : said    ? said
                                                                  : "it cannot be set",
                                                        NULL);
    g_free(said);
    dv_text_free(&reason);
    if (field && status != DV_OK && was_warned) /* that another value is taken is not so here */
        logbook_add(session->book, DV_LEVEL_INFO, dv_object_path(field->owner), "%s stays as it was", message->path);
    g_free(session->edit.path);
    session->edit.path = g_strdup(message->path);
    session->edit.number++;
}

static void activate(Session *session, const Message *message)
{
    DvObject *object = find(session, message->path);
    DvNode *node = object ? dv_object_as_node(object) : NULL;
    if (node)
        dv_node_set_active(node, message->numbers[0] != 0);
    else
        report(session, DV_LEVEL_ERROR, "only nodes can be switched on and off");
}

static void delete_object(Session *session, const Message *message)
{
    DvObject *object = find(session, message->path);
    DvNode *node = object ? dv_object_as_node(object) : NULL;
    hand_reset(session->hand, session->scene);
    object = find(session, message->path);
    if (!object || node == dv_scene_root(session->scene))
        report(session, DV_LEVEL_ERROR,
               object ? "the root cannot be removed" : "what is to be removed is not there any more");
    else if (node)
        dv_node_remove(node);
    else
        dv_object_remove(object);
}

static void send_key(const Session *session, const Message *message)
{
    DvEvent event = {.kind = message->numbers[0] != 0 ? DV_EVENT_KEY_PRESSED : DV_EVENT_KEY_RELEASED,
                     .key = (int)message->numbers[1]};
    dv_event_send(dv_scene_root(session->scene), &event);
}

static Ray ray_of(const double *numbers)
{
    Ray ray;
    memcpy(ray.origin, numbers, sizeof ray.origin);
    memcpy(ray.direction, numbers + 3, sizeof ray.direction);
    return ray;
}

static void grab(Session *session, const Message *message)
{
    const Ray ray = ray_of(message->numbers + 1);
    const int mode = (int)message->numbers[0];
    if (mode < 0 || mode >= GRAB_MODES)
        return;
    logbook_hear(session->book);
    (void)hand_grab(session->hand, session->scene, (GrabMode)mode, &ray, message->numbers[7]);
    g_free(logbook_hear_no_more(session->book));
}

static void pick_body(Session *session, const Message *message)
{
    const Ray ray = ray_of(message->numbers);
    const DvObject *state = session->scene ? pick_state(session->scene, &ray, message->numbers[6]) : NULL;
    g_free(session->pick.path);
    session->pick.path = state ? g_strdup(dv_object_path(state)) : NULL;
    session->pick.number++;
}

static void reset(Session *session)
{
    hand_reset(session->hand, session->scene);
    dv_scene_reset(session->scene);
    plots_clear(session->plots, false);
    plots_sample(session->plots, session->scene);
    session->failed = !dv_scene_is_running(session->scene);
    session->due = now();
}

/* The first camera of the scene that passes places; NULL, and it is said: there is none. */
static const DvCameraPathOps *camera_path(Session *session, DvObject **camera)
{
    *camera = dv_node_find(dv_scene_root(session->scene), DV_CAMERA_PATH, DV_SEARCH_DOWN);
    if (*camera)
        return dv_object_ops(*camera, DV_CAMERA_PATH);
    report(session, DV_LEVEL_ERROR, "the scene has no camera that passes places; add a RecordedCamera to it");
    return NULL;
}

static void add_viewpoint(Session *session, const double *numbers)
{
    DvObject *camera = NULL;
    const DvCameraPathOps *path = camera_path(session, &camera);
    if (!path)
        return;
    const uint32_t places = path->add_place(dv_object_self(camera), numbers, numbers + 3);
    char *text = g_strdup_printf("%s passes this view as its place %u", dv_object_path(camera), places);
    report(session, DV_LEVEL_INFO, text);
    g_free(text);
}

/* One that cannot, as it has no places yet, says why and stays. */
static void navigate(Session *session)
{
    DvObject *camera = NULL;
    const DvCameraPathOps *path = camera_path(session, &camera);
    if (path)
        (void)path->pass(dv_object_self(camera), !path->passes(dv_object_self(camera)));
}

static void apply_change(Session *session, const Message *message)
{
    switch (message->kind) {
    case MESSAGE_EDIT:
    case MESSAGE_ELEMENT:
        edit(session, message);
        read_scene_settings(session);
        g_clear_pointer(&session->reads, g_ptr_array_unref);
        break;
    case MESSAGE_ACTIVATE:
        activate(session, message);
        break;
    case MESSAGE_DELETE:
        delete_object(session, message);
        break;
    case MESSAGE_KEY:
        send_key(session, message);
        break;
    case MESSAGE_GRAB:
        grab(session, message);
        break;
    case MESSAGE_VIEWPOINT:
        add_viewpoint(session, message->numbers);
        break;
    case MESSAGE_NAVIGATE:
        navigate(session);
        break;
    case MESSAGE_DRAG: {
        const Ray ray = ray_of(message->numbers);
        hand_drag(session->hand, session->scene, &ray);
        break;
    }
    case MESSAGE_RELEASE:
        hand_release(session->hand, session->scene);
        break;
    default:
        reset(session);
        break;
    }
}

/* A change by the user: written down before it is made. */
static void take_change(Session *session, const Message *message)
{
    if (!session->scene)
        return;
    if (session->replay) {
        report(session, DV_LEVEL_WARNING, "a recording is being replayed; nothing else can be changed until its end");
        return;
    }
    write_down(session, message);
    apply_change(session, message);
}

/* Replay */

static void begin_replay(Session *session, const char *file)
{
    DvText why = {0};
    Recording *recording = recording_read(file, &why);
    if (recording) {
        open_scene(session, recording->scene);
        if (!session->scene) {
            dv_text_add(&why, "%s: its scene cannot be loaded", file);
        } else if (session->recording->start != recording->start) {
            dv_text_add(&why, "%s: %s is not the scene that was recorded: its states are others from the start", file,
                        recording->scene);
            close_scene(session);
        } else {
            session->replay = recording;
            session->animates = true;
            session->due = now();
            recording = NULL;
        }
    }
    recording_free(recording);
    report_reason(session, &why);
}

static void end_replay(Session *session)
{
    const Recording *replay = session->replay;
    const uint64_t hash = hash_now(session);
    char *text = hash == replay->end ? g_strdup_printf("replayed: %" G_GUINT64_FORMAT
                                                       " steps, the same bits as recorded (%016" G_GINT64_MODIFIER "x)",
                                                       session->made, hash)
                                     : g_strdup_printf("replayed: %" G_GUINT64_FORMAT
                                                       " steps, but the states are others (%016" G_GINT64_MODIFIER
                                                       "x) than recorded (%016" G_GINT64_MODIFIER "x)",
                                                       session->made, hash, replay->end);
    report(session, hash == replay->end ? DV_LEVEL_INFO : DV_LEVEL_ERROR, text);
    g_free(text);
    session->animates = false;
    stop_replay(session);
}

/* Does what is due after the steps made so far. */
static void go_on_replaying(Session *session)
{
    while (session->replay && session->replayed < session->replay->entries->len) {
        const RecordedMessage *entry = &g_array_index(session->replay->entries, RecordedMessage, session->replayed);
        if (entry->step > session->made && !session->failed)
            return;
        session->replayed++;
        write_down(session, entry->message);
        apply_change(session, entry->message);
    }
    if (session->replay && (session->failed || session->made >= session->replay->steps))
        end_replay(session);
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
    if (session->scene && !may_write(session, TARGET_TABLE, message))
        return;
    if (!plots_export(session->plots, file, session->scene, &reason))
        dv_text_add(&why, "cannot export: %s: %s", file, reason.at ? reason.at : "it cannot be written");
    else
        logbook_add(session->book, DV_LEVEL_INFO, NULL, "exported to %s", file);
    dv_text_free(&reason);
    report_reason(session, &why);
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
        report(session, DV_LEVEL_WARNING, "the scene cannot make steps; reset or reload it");
    session->animates = on && session->scene && !session->failed;
    if (session->scene)
        dv_data_set_bool(animate_of(session), session->animates);
    session->due = now();
    if (on)
        session->rate = (Rate){.since = session->due};
}

static void apply(Session *session, const Message *message)
{
    session->changed = true;
    switch (message->kind) {
    case MESSAGE_OPEN:
        open_scene(session, message->text);
        break;
    case MESSAGE_CLOSE:
        close_scene(session);
        break;
    case MESSAGE_RELOAD:
        reload_scene(session);
        break;
    case MESSAGE_SAVE:
        save_scene(session, message);
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
        g_free(session->selected);
        session->selected = g_strdup(message->path);
        session->first_element = (size_t)fmax(message->numbers[0], 0);
        break;
    case MESSAGE_PICK:
        pick_body(session, message);
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
        begin_writing(session, message);
        break;
    case MESSAGE_RECORD_END:
        end_writing(session);
        break;
    case MESSAGE_REPLAY:
        begin_replay(session, message->text);
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
    DvObject *selected = *session->selected ? find(session, session->selected) : NULL;
    if (session->recorder && selected)
        session->pictures->mark(session->recorder, selected, &session->settings.look);
    if (session->recorder)
        snapshot->picture = session->pictures->record(session->recorder, &session->shown);
    else
        dv_scene_update_visual(session->scene);
    if (snapshot->picture && snapshot->picture->shows_bodies && session->told_of_bodies != session->opened) {
        session->told_of_bodies = session->opened;
        report(
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
        list_reads(session);
    snapshot->reads = g_ptr_array_ref(session->reads);
    if (selected)
        snapshot->object = object_view_new(selected, session->selected, session->first_element);
    if (!session->animates && !session->steps_wanted)
        snapshot->hash = hash_now(session);
    hand_view(session->hand, &snapshot->grab);
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

static void publish(Session *session)
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

static bool may_publish(const Session *session)
{
    return now() >= session->publish_due && (session->real_time || worked() >= session->work_due);
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
    close_scene(session);
    publish(session);
    while (take_messages(session, next_work(session), messages)) {
        const guint count = messages->len;
        for (guint i = 0; i < count; i++) {
            Message *message = g_ptr_array_index(messages, i);
            apply(session, message);
            message_free(message);
        }
        g_ptr_array_set_size(messages, 0);
        go_on_replaying(session);
        if (wants_step(session) && (session->steps_wanted || !session->real_time || now() >= session->due)) {
            make_step(session);
            go_on_replaying(session);
        }
        if (session->changed && (count || !wants_step(session) || may_publish(session)))
            publish(session);
        if (count)
            count_applied(session, count);
    }
    for (guint i = 0; i < messages->len; i++)
        message_free(g_ptr_array_index(messages, i));
    g_ptr_array_unref(messages);
    close_scene(session);
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
