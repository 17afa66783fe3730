/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the user changes in a scene.
 */
#include "session_parts.h"

#include <string.h>

#include <divan/input.h>

DvObject *session_find(const Session *session, const char *path)
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
    DvObject *object = session_find(session, message->path);
    DvNode *node = object ? dv_object_as_node(object) : NULL;
    if (node)
        dv_node_set_active(node, message->numbers[0] != 0);
    else
        session_report(session, DV_LEVEL_ERROR, "only nodes can be switched on and off");
}

static void delete_object(Session *session, const Message *message)
{
    DvObject *object = session_find(session, message->path);
    DvNode *node = object ? dv_object_as_node(object) : NULL;
    hand_reset(session->hand, session->scene);
    object = session_find(session, message->path);
    if (!object || node == dv_scene_root(session->scene))
        session_report(session, DV_LEVEL_ERROR,
                       object ? "the root cannot be removed" : "the object to be removed does not exist any more");
    else if (node)
        dv_node_remove(node);
    else
        dv_object_remove(object);
}

static void send_key(const Session *session, const Message *message)
{
    const double held = message->numbers[2];
    const DvKeyStroke stroke = {.held = held >= 0 && held <= 7 ? (uint32_t)held : 0}; /* of a file it may be any */
    DvEvent event = {.kind = message->numbers[0] != 0 ? DV_EVENT_KEY_PRESSED : DV_EVENT_KEY_RELEASED,
                     .key = (int)message->numbers[1],
                     .data = &stroke};
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

void session_pick_body(Session *session, const Message *message)
{
    const Ray ray = ray_of(message->numbers);
    const DvObject *state = session->scene ? pick_state(session->scene, &ray, message->numbers[6]) : NULL;
    g_free(session->pick.path);
    session->pick.path = state ? g_strdup(dv_object_path(state)) : NULL;
    session->pick.number++;
}

void session_reset(Session *session)
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
    session_report(session, DV_LEVEL_ERROR, "the scene has no camera that follows a path; add a RecordedCamera to it");
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
    session_report(session, DV_LEVEL_INFO, text);
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

void session_apply_change(Session *session, const Message *message)
{
    const uint64_t revision = dv_node_revision(dv_scene_root(session->scene));
    const bool noted = session_note_change(session, message);
    switch (message->kind) {
    case MESSAGE_EDIT:
    case MESSAGE_ELEMENT:
        edit(session, message);
        if (noted && session->edit.error)
            session_forget_change(session);
        session_read_scene_settings(session);
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
    case MESSAGE_MOUSE:
        session_send_mouse(session, message);
        break;
    case MESSAGE_DEVICE:
    case MESSAGE_BUTTON:
        session_lead_device(session, message);
        break;
    case MESSAGE_FORCES:
        session_stop_forces(session, message->numbers[0] == 0);
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
    case MESSAGE_UNDO:
        session_undo(session);
        break;
    default:
        session_reset(session);
        break;
    }
    const bool edits_graph = message->kind == MESSAGE_ACTIVATE || message->kind == MESSAGE_DELETE;
    if (noted && edits_graph && dv_node_revision(dv_scene_root(session->scene)) == revision)
        session_forget_change(session); /* it was refused */
}
