/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The service divan.haptics/1.
 */
#include "session_private.h"

#include "stand_in.h"
#include "tick_log.h"

#include <divan/memory.h>

enum { MOST_RECORDS = 1 << 12 }; /* of the log, between two steps by the clock */

static uint32_t count(DvScene *scene)
{
    const Haptics *h = *haptics_session_of(scene);
    return h ? h->port_count : 0;
}

static DvStatus no_device(void)
{
    dv_log(DV_LEVEL_ERROR, "the scene has no haptic device");
    return DV_ERROR_MISSING;
}

static bool about(DvScene *scene, uint32_t device, DvHapticAbout *out)
{
    const Haptics *h = *haptics_session_of(scene);
    if (!h || device >= h->port_count)
        return false;
    HapticPort *port = h->ports[device];
    const PortReport *report = port->by_clock ? dv_snapshot_latest(port->reports, NULL) : &port->report;
    *out = report->about;
    out->device = port->device;
    out->state = port->ops->state(port->self, &out->reason);
    out->users = port->user_count;
    out->mean_force = out->ticks ? report->force_sum / (double)out->ticks : 0.0;
    out->age = report->ages ? report->age_sum / (double)report->ages : 0.0;
    out->stopped = h->stopped;
    periods_look(&port->periods, out->period);
    if (port->by_clock)
        periods_look(&h->bare.periods, out->bare);
    return true;
}

static bool tool(DvScene *scene, uint32_t device, uint32_t number, DvHapticTool *out)
{
    const Haptics *h = *haptics_session_of(scene);
    const HapticPort *port = h && device < h->port_count ? h->ports[device] : NULL;
    for (uint32_t u = 0; port && u < port->user_count; u++) {
        HapticUser *user = port->users[u];
        double at[3];
        if (!user->about || number-- > 0)
            continue;
        const HapticScore score = haptics_score(user);
        *out = (DvHapticTool){.object = user->object,
                              .path = score.path,
                              .time = score.time,
                              .longest_step = score.longest_step,
                              .mean_force = score.ticks ? score.force_sum / (double)score.ticks : 0.0,
                              .peak_force = score.force_peak};
        user->about(user->self, out, at);
        return true;
    }
    return false;
}

static DvStatus compare(DvScene *scene, bool on)
{
    Haptics *h = *haptics_session_of(scene);
    if (!h)
        return on ? no_device() : DV_OK;
    haptics_clock_stop(h);
    bare_thread_stop(&h->bare);
    h->comparing = on;
    return DV_OK;
}

static bool is_share(double number)
{
    return number >= 0.0 && number <= 1.0;
}

static DvStatus set_schedule(DvScene *scene, const DvHapticSchedule *schedule)
{
    Haptics *h = *haptics_session_of(scene);
    if (!h)
        return no_device();
    if (!(schedule->rate >= 0.0 && schedule->rate <= 1e6 && schedule->latency >= 0.0 && schedule->latency <= 1e3) ||
        !is_share(schedule->jitter) || schedule->jitter >= 1.0 || !is_share(schedule->lost)) {
        dv_log(
            DV_LEVEL_ERROR,
            "a schedule of ticks: rate %g (0 to 1e6 a second), latency %g (0 to 1000 steps), jitter %g (0 to 1, below 1), "
            "lost %g (0 to 1)",
            schedule->rate, schedule->latency, schedule->jitter, schedule->lost);
        return DV_ERROR_INVALID;
    }
    haptics_clock_stop(h);
    h->schedule = *schedule;
    h->restart = true;
    return DV_OK;
}

static DvStatus set_log(DvScene *scene, FILE *file)
{
    Haptics *h = *haptics_session_of(scene);
    if (!h)
        return file ? no_device() : DV_OK;
    haptics_clock_stop(h);
    haptics_drain_log(h);
    h->log = file;
    if (file && !h->records)
        h->records = dv_mailbox_new(sizeof(TickRecord), MOST_RECORDS);
    if (file)
        tick_log_head(file);
    return DV_OK;
}

static void stop_forces(DvScene *scene, bool stop)
{
    Haptics *h = *haptics_session_of(scene);
    if (h)
        h->stopped = stop;
}

static DvStatus run_by_clock(DvScene *scene, bool on)
{
    Haptics *h = *haptics_session_of(scene);
    if (!h)
        return on ? no_device() : DV_OK;
    haptics_clock_stop(h);
    h->by_clock = on;
    for (uint32_t i = 0; i < h->port_count; i++)
        h->ports[i]->by_clock = on || !h->ports[i]->ops->read;
    h->restart = true;
    return DV_OK;
}

const DvHapticsOps haptics_service = {.size = sizeof haptics_service,
                                      .count = count,
                                      .about = about,
                                      .set_schedule = set_schedule,
                                      .set_log = set_log,
                                      .stop_forces = stop_forces,
                                      .run_by_clock = run_by_clock,
                                      .tool = tool,
                                      .compare = compare,
                                      .use_devices = stand_in_use_devices};
