/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Haptic devices of a scene: what the window shows of them, the mouse as one, and the stop of all forces. By the service divan.haptics/1; the
 * window knows no device.
 */
#include "session_parts.h"

#include <math.h>
#include <string.h>

#include <divan/contracts/haptic_device.h>
#include <divan/input.h>
#include <divan/math/quat.h>
#include <divan/math/vec.h>
#include <divan/plugin.h>

void session_start_devices(Session *session)
{
    const DvHapticsOps *haptics = dv_service(DV_HAPTICS);
    DvHapticAbout about;
    bool repeat = true;
    for (uint32_t i = 0; haptics && haptics->about(session->scene, i, &about); i++) {
        const DvHapticDeviceOps *ops = dv_object_ops(about.device, DV_HAPTIC_DEVICE);
        DvHapticFacts facts = {0};
        ops->facts(dv_object_self(about.device), &facts);
        repeat = repeat && facts.repeats;
    }
    if (repeat || !haptics->run_by_clock)
        return;
    if (haptics->run_by_clock(session->scene, true) == DV_OK)
        session_report(
            session, DV_LEVEL_INFO,
            "haptic devices make their ticks by the clock: a recording of the session does not repeat what they do");
}

/* Of a file they may be any. */
static int32_t whole(double number)
{
    return fabs(number) <= INT32_MAX ? (int32_t)number : 0;
}

void session_send_mouse(const Session *session, const Message *message)
{
    const double *n = message->numbers;
    DvMouseEvent mouse = {
        .move = {whole(n[2]), whole(n[3])}, .change = (DvMouseChange)(int)n[0], .button = (DvPressedButton)(int)n[1]};
    DvEvent event = {.kind = DV_EVENT_MOUSE, .data = &mouse};
    dv_event_send(dv_scene_root(session->scene), &event);
}

/* A recording tells a device where to be; the device alone hears it, and may take it or not. */
void session_lead_device(Session *session, const Message *message)
{
    DvObject *device = session_find(session, message->path);
    const double *n = message->numbers;
    const uint32_t button = n[1] >= 0 && n[1] < 32 ? 1u << (uint32_t)n[1] : 0;
    DvHapticEvent lead = {.device = device, .wanted = true};
    if (message->kind == MESSAGE_BUTTON) {
        lead.changed = button;
        lead.buttons = n[0] != 0 ? button : 0;
    } else {
        memcpy(lead.position, n, sizeof lead.position);
        memcpy(lead.orientation, n + 3, sizeof lead.orientation);
    }
    DvEvent event = {.kind = DV_EVENT_HAPTIC_DEVICE, .data = &lead};
    if (device && dv_object_ops(device, DV_HAPTIC_DEVICE))
        dv_event_send(dv_object_node(device), &event);
    if (!event.handled)
        session_report(session, DV_LEVEL_ERROR,
                       "only simulated haptic devices can be led, and none that replays a log");
}

void session_stop_forces(Session *session, bool stop)
{
    const DvHapticsOps *haptics = dv_service(DV_HAPTICS);
    session->forces_stopped = stop;
    if (haptics && session->scene)
        haptics->stop_forces(session->scene, stop);
}

static void add_tools(const Session *session, const DvHapticsOps *haptics, uint32_t device, DeviceView *view)
{
    DvHapticTool tool = {0};
    const bool tells = haptics->size > offsetof(DvHapticsOps, tool) && haptics->tool;
    for (uint32_t i = 0; tells && haptics->tool(session->scene, device, i, &tool); i++) {
        view->put_in += tool.energy_in;
        view->stored += tool.energy_stored;
        view->removed += tool.energy_removed;
        view->deficit += tool.energy_deficit;
        const DvStateRef state = tool.state ? dv_state_ref(tool.state) : (DvStateRef){0};
        const DvConstVec x = state.ops ? dv_state_read(state, DV_POSITION) : (DvConstVec){0};
        if (view->has_place || !x.at || x.count == 0 || x.dim < 3)
            continue;
        memcpy(view->place, x.at, sizeof view->place);
        view->has_place = true;
    }
}

/* The force on the hand, in the axes and newtons of the scene, at the tool. */
static void turn_force(const DvHapticAbout *about, DeviceView *view)
{
    const DvHapticDeviceOps *ops = dv_object_ops(about->device, DV_HAPTIC_DEVICE);
    DvHapticPlacement at = {0};
    ops->placement(dv_object_self(about->device), &at);
    if (!view->has_place) /* nothing says where its tool is */
        memcpy(view->place, at.base, sizeof view->place);
    view->has_place = true;
    if (!(at.force_scale > 0.0))
        return;
    dv_vec3_store(dv_vec3_scale(dv_quat_rotate(dv_quat_load(at.orientation_base), dv_vec3_load(about->force)),
                                1.0 / at.force_scale),
                  view->force);
}

static void clear_device(gpointer data)
{
    DeviceView *view = data;
    g_free(view->path);
    g_free(view->reason);
}

GArray *session_view_devices(const Session *session)
{
    const DvHapticsOps *haptics = dv_service(DV_HAPTICS);
    GArray *devices = g_array_new(FALSE, TRUE, sizeof(DeviceView));
    g_array_set_clear_func(devices, clear_device);
    DvHapticAbout about;
    for (uint32_t i = 0; haptics && haptics->about(session->scene, i, &about); i++) {
        DeviceView view = {.path = g_strdup(dv_object_path(about.device)),
                           .reason = g_strdup(about.reason),
                           .state = about.state,
                           .users = about.users,
                           .rate = about.time > 0.0 ? (double)about.ticks / about.time : 0.0,
                           .strength = dv_vec3_norm(dv_vec3_load(about.force)),
                           .work = about.work};
        add_tools(session, haptics, i, &view);
        turn_force(&about, &view);
        g_array_append_val(devices, view);
    }
    return devices;
}
