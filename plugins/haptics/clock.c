/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ticks by the clock: a thread that asks the devices of a session in turn, each at its rate, with absolute deadlines. What comes too late is skipped and
 * counted. Devices that call make their ticks on threads of their own.
 */
#include "session_private.h"

#include "tick_log.h"

#include <divan/memory.h>

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include <time.h>

static const double longest_fade = 0.25; /* s: for forces to go before a thread ends */

double haptics_now(const Haptics *h)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec - h->epoch;
}

static void sleep_until(const Haptics *h, double time)
{
    const double at = time + h->epoch;
    const struct timespec until = {.tv_sec = (time_t)at, .tv_nsec = (long)(1e9 * (at - floor(at)))};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        continue;
}

static bool is_asked(const HapticPort *port)
{
    return port->by_clock && port->running && port->ops->read;
}

/* The port whose tick comes first, and when. */
static HapticPort *next_port(const Haptics *h, double *due)
{
    HapticPort *first = NULL;
    for (uint32_t i = 0; i < h->port_count; i++) {
        HapticPort *port = h->ports[i];
        const double time = (double)port->next * haptics_each(port);
        if (is_asked(port) && (!first || time < *due)) {
            first = port;
            *due = time;
        }
    }
    return first;
}

static void *run(void *session)
{
    Haptics *h = session;
    double due = 0.0;
    HapticPort *port;
    haptics_stack_touch();
    while (!__atomic_load_n(&h->quit, __ATOMIC_ACQUIRE) && (port = next_port(h, &due))) {
        sleep_until(h, due);
        const double now = haptics_now(h), each = haptics_each(port);
        const uint64_t number = now > due + each ? (uint64_t)(now / each) : port->next;
        port->report.about.missed += number - port->next;
        port->next = number + 1;
        haptics_make_tick(port, now);
    }
    return NULL;
}

static void call(void *context, const DvHapticPose *pose, DvHapticForce *force)
{
    HapticPort *port = context;
    haptics_tick(port, fmax(port->last, haptics_now(port->session)), pose, force);
}

DvStatus haptics_start_device(HapticPort *port)
{
    return port->ops->read ? port->ops->start(port->self, NULL, NULL) : DV_OK;
}

/* Devices that call: last of all, when all they use is there. */
static void start_calls(Haptics *h)
{
    for (uint32_t i = 0; i < h->port_count; i++) {
        HapticPort *port = h->ports[i];
        if (port->ops->read || !port->running || port->calls)
            continue;
        port->calls = port->ops->start(port->self, call, port) == DV_OK;
        port->running = port->calls;
    }
}

static bool has_calls(const Haptics *h)
{
    for (uint32_t i = 0; i < h->port_count; i++)
        if (h->ports[i]->calls)
            return true;
    return false;
}

/* Once: which rights it lacks. */
static void ask_for_priority(Haptics *h)
{
    const struct sched_param priority = {.sched_priority = 50};
    if (pthread_setschedparam(h->thread, SCHED_FIFO, &priority) == 0 || h->told_of_priority)
        return;
    h->told_of_priority = true;
    dv_remark(h->ports[0]->device,
              "ticks have no priority over other programs: SCHED_FIFO is not allowed; `ulimit -r 50`, or rtprio in "
              "/etc/security/limits.conf, allows it");
}

/* The rate of the first port that goes by the clock. */
static void start_bare_thread(Haptics *h)
{
    for (uint32_t i = 0; i < h->port_count && h->comparing; i++)
        if (h->ports[i]->by_clock && h->ports[i]->running) {
            bare_thread_start(&h->bare, haptics_each(h->ports[i]));
            return;
        }
}

void haptics_clock_start(Haptics *h)
{
    double due = 0.0;
    start_calls(h);
    start_bare_thread(h);
    if (h->threaded || !next_port(h, &due))
        return;
    for (uint32_t i = 0; i < h->port_count; i++) { /* after a pause: not to be made up for */
        const double each = haptics_each(h->ports[i]);
        const uint64_t number = (uint64_t)(fmax(0.0, haptics_now(h)) / each);
        if (is_asked(h->ports[i]) && number > h->ports[i]->next)
            h->ports[i]->next = number;
    }
    h->quit = false;
    haptics_memory_lock(h);
    h->threaded = pthread_create(&h->thread, NULL, run, h) == 0;
    if (h->threaded)
        ask_for_priority(h);
}

static void stop_forces(Haptics *h)
{
    for (uint32_t i = 0; i < h->port_count; i++) {
        HapticPort *port = h->ports[i];
        if (!port->by_clock)
            continue;
        PortSetting setting = {.step_time = h->step_time, .stopped = true};
        haptics_placement(port, &setting.placement);
        *(PortSetting *)dv_snapshot_begin(port->settings) = setting;
        dv_snapshot_publish(port->settings);
    }
}

/* Whether a device is pushed yet. */
static bool pushes(const Haptics *h)
{
    for (uint32_t i = 0; i < h->port_count; i++) {
        const PortReport *report = dv_snapshot_latest(h->ports[i]->reports, NULL);
        for (int c = 0; h->ports[i]->by_clock && c < 3; c++)
            if (report->about.force[c] != 0.0 || report->about.torque[c] != 0.0)
                return true;
    }
    return false;
}

void haptics_clock_stop(Haptics *h)
{
    bare_thread_stop(&h->bare);
    if (!h->threaded && !has_calls(h))
        return;
    stop_forces(h);
    for (const double end = haptics_now(h) + longest_fade; pushes(h) && haptics_now(h) < end;)
        sleep_until(h, haptics_now(h) + 2e-4);
    __atomic_store_n(&h->quit, true, __ATOMIC_RELEASE);
    if (h->threaded)
        (void)pthread_join(h->thread, NULL);
    if (h->threaded)
        haptics_memory_unlock(h);
    h->threaded = false;
    for (uint32_t i = 0; i < h->port_count; i++) {
        static const DvHapticForce none;
        if (h->ports[i]->calls)
            h->ports[i]->ops->stop(h->ports[i]->self);
        h->ports[i]->calls = false;
        if (is_asked(h->ports[i]))
            (void)h->ports[i]->ops->write(h->ports[i]->self, h->ports[i]->last, &none);
        h->ports[i]->held = none;
    }
}

void haptics_drain_log(Haptics *h)
{
    TickRecord record;
    while (h->log && h->records && dv_mailbox_take(h->records, &record))
        tick_log_add(h->log, record.device, &record.about, &record.pose);
}
