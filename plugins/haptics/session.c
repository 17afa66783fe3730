/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session_private.h"

#include "tick_log.h"

#include <divan/memory.h>
#include <divan/scene.h>

#include <string.h>

/* ---- Sessions and ports ---- */

static const char key;
Haptics **haptics_session_of(DvScene *scene)
{
    return dv_scene_local(scene, &key, sizeof(Haptics *));
}

static Haptics *session_open(DvScene *scene)
{
    Haptics **h = haptics_session_of(scene);
    if (!*h) {
        *h = dv_alloc(1, sizeof **h);
        (*h)->scene = scene;
        (*h)->restart = true;
    }
    return *h;
}

static void session_close(Haptics *h)
{
    *haptics_session_of(h->scene) = NULL;
    dv_mailbox_free(h->records);
    dv_free(h->ports);
    dv_free(h);
}

HapticPort *haptics_join(DvObject *device)
{
    Haptics *h = session_open(dv_node_scene(dv_object_node(device)));
    for (uint32_t i = 0; i < h->port_count; i++)
        if (h->ports[i]->device == device) {
            haptics_clock_stop(h);
            h->ports[i]->joined++;
            return h->ports[i];
        }
    if (h->port_count == h->port_capacity) {
        const uint32_t more = 2 * h->port_capacity + 4;
        h->ports = dv_realloc(h->ports, h->port_capacity * sizeof(HapticPort *), more * sizeof(HapticPort *));
        h->port_capacity = more;
    }
    haptics_clock_stop(h);
    HapticPort *port = h->ports[h->port_count++] = dv_alloc(1, sizeof *port);
    port->session = h;
    port->device = dv_object_ref(device);
    port->ops = dv_object_ops(device, DV_HAPTIC_DEVICE);
    port->self = dv_object_self(device);
    port->joined = 1;
    port->ops->facts(port->self, &port->facts);
    haptics_placement(port, &port->setting.placement);
    port->settings = dv_snapshot_new(sizeof(PortSetting));
    port->reports = dv_snapshot_new(sizeof(PortReport));
    port->by_clock = h->by_clock || !port->ops->read;
    port->pose = port->shown.sample.pose = dv_rigid3_identity();
    return port;
}

void haptics_leave(HapticPort *port)
{
    if (!port)
        return;
    Haptics *h = port->session;
    haptics_clock_stop(h);
    if (--port->joined > 0)
        return;
    uint32_t at = 0;
    while (h->ports[at] != port)
        at++;
    memmove(h->ports + at, h->ports + at + 1, (--h->port_count - at) * sizeof(HapticPort *));
    if (port->running && port->ops->read)
        port->ops->stop(port->self);
    haptics_drain_log(h);
    dv_snapshot_free(port->settings);
    dv_snapshot_free(port->reports);
    dv_object_unref(port->device);
    dv_free(port->users);
    dv_free(port->resume);
    dv_free(port);
    if (h->port_count == 0)
        session_close(h);
}

void haptics_add_user(HapticPort *port, HapticUser *user)
{
    haptics_clock_stop(port->session);
    if (port->user_count == port->user_capacity) {
        const uint32_t more = 2 * port->user_capacity + 2;
        port->users = dv_realloc(port->users, port->user_capacity * sizeof(HapticUser *), more * sizeof(HapticUser *));
        port->user_capacity = more;
    }
    port->users[port->user_count++] = user;
    user->port = port;
    user->newest = dv_alloc(1, user->block_bytes);
    user->shared = dv_snapshot_new(sizeof(double) + user->block_bytes);
}

void haptics_remove_user(HapticUser *user)
{
    HapticPort *port = user->port;
    if (!port)
        return;
    haptics_clock_stop(port->session);
    uint32_t at = 0;
    while (port->users[at] != user)
        at++;
    memmove(port->users + at, port->users + at + 1, (--port->user_count - at) * sizeof(HapticUser *));
    dv_free(user->newest);
    dv_free(user->waiting);
    dv_free(user->due);
    dv_free(user->resume);
    dv_snapshot_free(user->shared);
    user->shared = NULL;
    user->port = NULL;
    user->newest = NULL;
    user->waiting = NULL;
    user->due = NULL;
    user->resume = NULL;
    user->resume_words = 0;
    user->waiting_count = user->waiting_capacity = user->waiting_first = 0;
}

uint32_t haptics_user_count(const HapticPort *port)
{
    return port->user_count;
}

const DvObject *haptics_user_of_class(const HapticPort *port, const char *class_name)
{
    for (uint32_t u = 0; u < port->user_count; u++)
        if (dv_object_is_a(port->users[u]->object, class_name))
            return port->users[u]->object;
    return NULL;
}

DvObject *haptics_device(const HapticPort *port)
{
    return port->device;
}

void haptics_placement(const HapticPort *port, DvHapticPlacement *at)
{
    const DvHapticDeviceOps *ops = dv_object_ops(port->device, DV_HAPTIC_DEVICE);
    ops->placement(dv_object_self(port->device), at);
}

void haptics_act_on(HapticPort *port, DvObject *device)
{
    haptics_clock_stop(port->session);
    port->ops = dv_object_ops(device, DV_HAPTIC_DEVICE);
    port->self = dv_object_self(device);
    port->ops->facts(port->self, &port->facts);
    port->by_clock = port->session->by_clock || !port->ops->read;
}

const DvHapticFacts *haptics_facts(const HapticPort *port)
{
    return &port->facts;
}

const HapticSample *haptics_sample(const HapticPort *port)
{
    return &port->shown.sample;
}

double haptics_tick_time(const HapticPort *port)
{
    return haptics_each(port);
}

bool haptics_by_clock(const HapticPort *port)
{
    return port->by_clock;
}

void haptics_count_clamped(HapticPort *port)
{
    port->report.about.clamped++;
}

void haptics_counts(const HapticPort *port, uint64_t *ticks, uint64_t *missed)
{
    *ticks = port->shown.about.ticks;
    *missed = port->shown.about.missed;
}

/* ---- What a run must remember ---- */

#define STATE_FIRST offsetof(HapticPort, next)
#define STATE_BYTES (sizeof(HapticPort) - STATE_FIRST)

size_t haptics_state_words(const HapticPort *port)
{
    (void)port;
    return (STATE_BYTES + 3) / 4;
}

void haptics_state_write(HapticPort *port, uint32_t *words)
{
    port->clock = port->session->clock;
    port->step_time = port->session->step_time;
    words[haptics_state_words(port) - 1] = 0;
    memcpy(words, (const char *)port + STATE_FIRST, STATE_BYTES);
}

static void begin_anew(Haptics *h)
{
    haptics_clock_stop(h);
    h->restart = true;
    h->in_step = false;
}

void haptics_state_read(HapticPort *port, const uint32_t *words)
{
    dv_free(port->resume);
    port->resume = dv_alloc(haptics_state_words(port), 4);
    memcpy(port->resume, words, 4 * haptics_state_words(port));
    begin_anew(port->session);
}

/* Of a user: its newest block and since when, then how many wait, each with its time. */
enum { USER_HEAD_WORDS = 4 };
static size_t waiting_words(const HapticUser *user)
{
    return 2 + (user->block_bytes + 3) / 4;
}

size_t haptics_user_least_words(const HapticUser *user)
{
    return USER_HEAD_WORDS + (user->block_bytes + 3) / 4;
}

size_t haptics_user_words(const HapticUser *user)
{
    return haptics_user_least_words(user) + user->waiting_capacity * waiting_words(user);
}

/* Ticks may go on adding to it. */
HapticScore haptics_score(const HapticUser *user)
{
    const HapticScore *of = &user->score;
    HapticScore score = {.path = of->path, .time = of->time, .longest_step = of->longest_step, .steps = of->steps};
    memcpy(score.at, of->at, sizeof score.at);
    __atomic_load(&of->force_sum, &score.force_sum, __ATOMIC_RELAXED);
    __atomic_load(&of->force_peak, &score.force_peak, __ATOMIC_RELAXED);
    __atomic_load(&of->ticks, &score.ticks, __ATOMIC_RELAXED);
    return score;
}

void haptics_forget(DvData *resume)
{
    size_t count;
    (void)dv_data_uints(resume, &count);
    if (count > 0)
        dv_data_set(resume, NULL, 0);
}

void haptics_user_write(const HapticUser *user, uint32_t *words)
{
    const size_t block = (user->block_bytes + 3) / 4;
    memset(words, 0, 4 * haptics_user_words(user));
    words[0] = user->waiting_count;
    words[1] = user->fresh;
    memcpy(words + 2, &user->newest_since, sizeof user->newest_since);
    memcpy(words + USER_HEAD_WORDS, user->newest, user->block_bytes);
    words += USER_HEAD_WORDS + block;
    for (uint32_t i = 0; i < user->waiting_count; i++, words += waiting_words(user)) {
        const uint32_t at = (user->waiting_first + i) % user->waiting_capacity;
        memcpy(words, &user->due[at], sizeof user->due[at]);
        memcpy(words + 2, user->waiting + at * user->block_bytes, user->block_bytes);
    }
}

void haptics_user_read(HapticUser *user, const uint32_t *words, size_t count)
{
    dv_free(user->resume);
    user->resume = dv_alloc(count, 4);
    user->resume_words = count;
    memcpy(user->resume, words, 4 * count);
}

/* Goes on as the words that were read say. */
static void resume_user(HapticUser *user)
{
    const size_t block = (user->block_bytes + 3) / 4;
    const uint32_t *words = user->resume;
    const size_t waiting = (user->resume_words - USER_HEAD_WORDS - block) / waiting_words(user);
    user->fresh = words[1] != 0;
    memcpy(&user->newest_since, words + 2, sizeof user->newest_since);
    memcpy(user->newest, words + USER_HEAD_WORDS, user->block_bytes);
    const uint32_t *next = words + USER_HEAD_WORDS + block;
    for (uint32_t i = 0; i < words[0] && i < waiting; i++, next += waiting_words(user)) {
        double due;
        memcpy(&due, next, sizeof due);
        memcpy(haptics_place_for(user, due), next + 2, user->block_bytes);
    }
    dv_free(user->resume);
    user->resume = NULL;
}

/* ---- Beginning ---- */

static void start_user(HapticUser *user)
{
    user->waiting_count = 0;
    user->fresh = false;
    user->newest_since = 0.0;
    user->score = user->keeps_score ? user->kept_score : (HapticScore){.steps = 0};
    user->keeps_score = false;
    memset(user->newest, 0, user->block_bytes);
    user->restart(user->self);
    if (user->before)
        user->before(user->self);
    if (user->resume && !user->port->by_clock) {
        resume_user(user);
        return;
    }
    dv_free(user->resume);
    user->resume = NULL;
    haptics_publish(user, 0.0, 0.0);
}

/* Whatever byte a file has given back. */
static void mend(bool *flag)
{
    Flag byte;
    memcpy(&byte, flag, 1);
    *flag = byte != 0;
}

static void start_port(HapticPort *port)
{
    if (port->running && port->ops->read)
        port->ops->stop(port->self);
    port->ops->facts(port->self, &port->facts);
    memset((char *)port + STATE_FIRST, 0, STATE_BYTES);
    haptics_placement(port, &port->setting.placement);
    port->pose = port->report.sample.pose = dv_rigid3_identity();
    periods_clear(&port->periods);
    port->running = haptics_start_device(port) == DV_OK;
    if (port->resume && !port->by_clock) {
        memcpy((char *)port + STATE_FIRST, port->resume, STATE_BYTES);
        mend(&port->raw.has_velocity);
        mend(&port->report.about.stopped);
        port->session->clock = port->clock;
        port->session->step_time = port->step_time;
    }
    dv_free(port->resume);
    port->resume = NULL;
    port->shown = port->report;
    *(PortReport *)dv_snapshot_begin(port->reports) = port->report;
    dv_snapshot_publish(port->reports);
    for (uint32_t u = 0; u < port->user_count; u++)
        start_user(port->users[u]);
}

static void start(Haptics *h)
{
    h->clock = h->step_time = 0.0;
    h->restart = false;
    h->epoch = haptics_now(h) + h->epoch;
    for (uint32_t i = 0; i < h->port_count; i++)
        start_port(h->ports[i]);
}

void haptics_hear(HapticPort *port, const DvEvent *event)
{
    Haptics *h = port->session;
    if (event->kind == DV_EVENT_ANIMATE_BEGIN && !h->in_step) {
        h->in_step = true;
        if (h->restart) {
            haptics_clock_stop(h);
            start(h);
        }
        haptics_begin_step(h);
        haptics_clock_start(h);
    } else if (event->kind == DV_EVENT_ANIMATE_END && h->in_step) {
        h->in_step = false;
        haptics_end_step(h, event->dt);
        haptics_drain_log(h);
    }
}

void haptics_restart(HapticPort *port)
{
    begin_anew(port->session);
    dv_free(port->resume);
    port->resume = NULL;
    for (uint32_t u = 0; u < port->user_count; u++) {
        dv_free(port->users[u]->resume);
        port->users[u]->resume = NULL;
    }
}
