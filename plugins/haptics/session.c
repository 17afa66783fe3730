/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session.h"

#include "tick_log.h"

#include <divan/memory.h>
#include <divan/scene.h>

#include <float.h>
#include <math.h>
#include <string.h>

static const double most_speed = 5.0; /* m/s: a pose that leaps is none */

typedef struct Haptics Haptics;

struct HapticPort {
    Haptics *session;
    DvObject *device;
    const DvHapticDeviceOps *ops;
    void *self;
    unsigned joined;
    DvHapticFacts facts;
    DvHapticPlacement placement; /* of the present step */
    HapticUser **users;
    uint32_t user_count, user_capacity;
    uint32_t *resume; /* [state_words] where to go on, at the next start; or NULL */
    /* From here to `ages` without pointers: what a run must remember. */
    uint64_t next;    /* number of the next tick of the schedule */
    DvHapticPose raw; /* of the last tick */
    DvHapticForce held;
    DvRigid3 pose, frozen; /* in the scene: of the last tick; when the clutch was pressed */
    DvVec3 shift;          /* that clutches have left */
    double last;           /* s of the last tick */
    HapticSample sample;
    DvHapticAbout about; /* what became of it so far; its pointers are not used */
    double force_sum, age_sum, clock, step_time;
    bool started, begun, clutched;
    uint64_t ages;
};

struct Haptics {
    DvScene *scene;
    HapticPort **ports;
    uint32_t port_count, port_capacity;
    double clock; /* s: the time of the present step's begin, since the first */
    double step_time;
    bool in_step, restart, stopped;
    DvHapticSchedule schedule;
    FILE *log; /* of the host; or NULL */
};

/* ---- Sessions and ports ---- */

static const char key;
static Haptics **session_of(DvScene *scene)
{
    return dv_scene_local(scene, &key, sizeof(Haptics *));
}

static Haptics *session_open(DvScene *scene)
{
    Haptics **h = session_of(scene);
    if (!*h) {
        *h = dv_alloc(1, sizeof **h);
        (*h)->scene = scene;
        (*h)->restart = true;
    }
    return *h;
}

static void session_close(Haptics *h)
{
    *session_of(h->scene) = NULL;
    dv_free(h->ports);
    dv_free(h);
}

HapticPort *haptics_join(DvObject *device)
{
    Haptics *h = session_open(dv_node_scene(dv_object_node(device)));
    for (uint32_t i = 0; i < h->port_count; i++)
        if (h->ports[i]->device == device) {
            h->ports[i]->joined++;
            return h->ports[i];
        }
    if (h->port_count == h->port_capacity) {
        const uint32_t more = 2 * h->port_capacity + 4;
        h->ports = dv_realloc(h->ports, h->port_capacity * sizeof(HapticPort *), more * sizeof(HapticPort *));
        h->port_capacity = more;
    }
    HapticPort *port = h->ports[h->port_count++] = dv_alloc(1, sizeof *port);
    port->session = h;
    port->device = dv_object_ref(device);
    port->ops = dv_object_ops(device, DV_HAPTIC_DEVICE);
    port->self = dv_object_self(device);
    port->joined = 1;
    port->ops->facts(port->self, &port->facts);
    port->ops->placement(port->self, &port->placement);
    port->pose = port->sample.pose = dv_rigid3_identity();
    return port;
}

void haptics_leave(HapticPort *port)
{
    if (!port || --port->joined > 0)
        return;
    Haptics *h = port->session;
    uint32_t at = 0;
    while (h->ports[at] != port)
        at++;
    memmove(h->ports + at, h->ports + at + 1, (--h->port_count - at) * sizeof(HapticPort *));
    if (port->started)
        port->ops->stop(port->self);
    dv_object_unref(port->device);
    dv_free(port->users);
    dv_free(port->resume);
    dv_free(port);
    if (h->port_count == 0)
        session_close(h);
}

void haptics_add_user(HapticPort *port, HapticUser *user)
{
    if (port->user_count == port->user_capacity) {
        const uint32_t more = 2 * port->user_capacity + 2;
        port->users = dv_realloc(port->users, port->user_capacity * sizeof(HapticUser *), more * sizeof(HapticUser *));
        port->user_capacity = more;
    }
    port->users[port->user_count++] = user;
    user->port = port;
    user->newest = dv_alloc(1, user->block_bytes);
}

void haptics_remove_user(HapticUser *user)
{
    HapticPort *port = user->port;
    if (!port)
        return;
    uint32_t at = 0;
    while (port->users[at] != user)
        at++;
    memmove(port->users + at, port->users + at + 1, (--port->user_count - at) * sizeof(HapticUser *));
    dv_free(user->newest);
    dv_free(user->waiting);
    dv_free(user->due);
    dv_free(user->resume);
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

const DvHapticFacts *haptics_facts(const HapticPort *port)
{
    return &port->facts;
}

const HapticSample *haptics_sample(const HapticPort *port)
{
    return &port->sample;
}

static double tick_time(const HapticPort *port)
{
    const double rate = port->session->schedule.rate > 0.0 ? port->session->schedule.rate : port->facts.rate;
    return 1.0 / (rate > 0.0 ? rate : 1000.0);
}

double haptics_tick_time(const HapticPort *port)
{
    return tick_time(port);
}

void haptics_count_clamped(HapticPort *port)
{
    port->about.clamped++;
}

void haptics_counts(const HapticPort *port, uint64_t *ticks, uint64_t *missed)
{
    *ticks = port->about.ticks;
    *missed = port->about.missed;
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

void haptics_state_read(HapticPort *port, const uint32_t *words)
{
    dv_free(port->resume);
    port->resume = dv_alloc(haptics_state_words(port), 4);
    memcpy(port->resume, words, 4 * haptics_state_words(port));
    haptics_restart(port);
}

/* Of a user: its newest block and since when, then how many wait, each with its time. */
enum { USER_HEAD_WORDS = 4 };
static size_t waiting_words(const HapticUser *user)
{
    return 2 + (user->block_bytes + 3) / 4;
}

size_t haptics_user_words(const HapticUser *user)
{
    return USER_HEAD_WORDS + (user->block_bytes + 3) / 4 + user->waiting_capacity * waiting_words(user);
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

static void wait_for(HapticUser *user, double due, const void *block);
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
        wait_for(user, due, next + 2);
    }
    dv_free(user->resume);
    user->resume = NULL;
}

/* ---- What steps publish ---- */

static void make_room(HapticUser *user)
{
    const uint32_t old = user->waiting_capacity, more = 2 * old + 4;
    char *blocks = dv_alloc(more, user->block_bytes);
    double *times = dv_alloc(more, sizeof *times);
    for (uint32_t i = 0; i < user->waiting_count; i++) {
        const uint32_t from = (user->waiting_first + i) % old;
        memcpy(blocks + i * user->block_bytes, user->waiting + from * user->block_bytes, user->block_bytes);
        times[i] = user->due[from];
    }
    dv_free(user->waiting);
    dv_free(user->due);
    user->waiting = blocks;
    user->due = times;
    user->waiting_first = 0;
    user->waiting_capacity = more;
}

/* One more place for what waits, to be filled. */
static void *place_for(HapticUser *user, double due)
{
    if (user->waiting_count == user->waiting_capacity)
        make_room(user);
    const uint32_t at = (user->waiting_first + user->waiting_count++) % user->waiting_capacity;
    user->due[at] = due;
    return user->waiting + at * user->block_bytes;
}

static void wait_for(HapticUser *user, double due, const void *block)
{
    memcpy(place_for(user, due), block, user->block_bytes);
}

static void publish(HapticUser *user, double due, double dt)
{
    if (user->block_bytes > 0)
        user->fill(user->self, dt, place_for(user, due));
}

/* The newest block that can be seen by now. */
static void take_newest(HapticUser *user, double time)
{
    while (user->waiting_count > 0 && user->due[user->waiting_first] <= time) {
        memcpy(user->newest, user->waiting + user->waiting_first * user->block_bytes, user->block_bytes);
        user->newest_since = user->due[user->waiting_first];
        user->fresh = true;
        user->waiting_first = (user->waiting_first + 1) % user->waiting_capacity;
        user->waiting_count--;
    }
}

/* ---- A tick ---- */

static DvQuat turn_of(const HapticPort *port)
{
    return dv_quat_load(port->placement.orientation_base);
}

static double length_scale(const HapticPort *port)
{
    return port->placement.scale * port->placement.unit;
}

static DvRigid3 in_scene(const HapticPort *port, const DvHapticPose *pose)
{
    const DvQuat turn = turn_of(port);
    const DvVec3 p = dv_vec3_scale(dv_vec3_load(pose->position), length_scale(port));
    return dv_rigid3(dv_vec3_add(dv_vec3_add(dv_vec3_load(port->placement.base), dv_quat_rotate(turn, p)), port->shift),
                     dv_quat_normalize(dv_quat_mul(dv_quat_mul(turn, dv_quat_load(pose->orientation)),
                                                   dv_quat_load(port->placement.orientation_tool))));
}

static bool is_finite(const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

/* Whether a pose can be believed. */
static bool is_sane(const HapticPort *port, const DvHapticPose *pose, double dt)
{
    double squared = 0.0;
    for (int c = 0; c < 3; c++) {
        const double lower = port->facts.workspace[0][c], upper = port->facts.workspace[1][c];
        if (upper > lower && (pose->position[c] < lower || pose->position[c] > upper))
            return false;
        squared += (pose->position[c] - port->raw.position[c]) * (pose->position[c] - port->raw.position[c]);
    }
    return !port->begun || dt <= 0.0 || sqrt(squared) <= most_speed * dt;
}

/* While the clutch is held the scene sees the device where it was. */
static DvRigid3 with_clutch(HapticPort *port, const DvHapticPose *pose)
{
    const int32_t button = port->placement.clutch;
    const bool held = button >= 0 && button < 32 && (pose->buttons >> button & 1u) != 0;
    DvRigid3 where = in_scene(port, pose);
    if (held && !port->clutched)
        port->frozen = port->begun ? port->pose : where;
    if (!held && port->clutched) {
        port->shift = dv_vec3_add(port->shift, dv_vec3_sub(port->frozen.center, where.center));
        where = in_scene(port, pose);
    }
    port->clutched = held;
    return held ? port->frozen : where;
}

static void keep_score(HapticPort *port, const DvHapticPose *pose, bool begun)
{
    const DvHapticForce *held = &port->held;
    DvHapticAbout *about = &port->about;
    const DvVec3 way = dv_vec3_sub(dv_vec3_load(pose->position), dv_vec3_load(port->raw.position));
    const DvVec3 force = dv_vec3_load(held->force);
    if (begun) {
        about->path += dv_vec3_norm(way);
        about->work += dv_vec3_dot(force, way);
        about->work +=
            dv_vec3_dot(dv_vec3_load(held->torque),
                        dv_quat_to_rotation_vector(dv_quat_mul(dv_quat_load(pose->orientation),
                                                               dv_quat_inverse(dv_quat_load(port->raw.orientation)))));
    }
}

/* The wrench in the axes of the device, within what it can do; all zeros when something is not finite. */
static bool force_of(HapticPort *port, const DvRigid3Deriv *wrench, DvHapticForce *out)
{
    const DvQuat turn = turn_of(port);
    const double scale = port->placement.force_scale;
    DvVec3 force = dv_vec3_scale(dv_quat_inverse_rotate(turn, wrench->linear), scale);
    DvVec3 torque = dv_vec3_scale(dv_quat_inverse_rotate(turn, wrench->angular), scale);
    const double f = dv_vec3_norm(force), t = dv_vec3_norm(torque);
    memset(out, 0, sizeof *out);
    if (!isfinite(f) || !isfinite(t))
        return false;
    const double rounding = 1.0 + 1e-12; /* who pushes keeps within the limits too */
    if (port->facts.peak_force > 0.0 && f > port->facts.peak_force * rounding)
        force = dv_vec3_scale(force, port->facts.peak_force / f);
    if (port->facts.peak_torque > 0.0 && t > port->facts.peak_torque * rounding)
        torque = dv_vec3_scale(torque, port->facts.peak_torque / t);
    if (port->facts.driven >= 3)
        dv_vec3_store(force, out->force);
    if (port->facts.driven >= 6)
        dv_vec3_store(torque, out->torque);
    return true;
}

static void tick_users(HapticPort *port, const HapticNow *now, DvRigid3Deriv *wrench)
{
    for (uint32_t u = 0; u < port->user_count; u++) {
        HapticUser *user = port->users[u];
        take_newest(user, now->time);
        port->about.snapshots += user->fresh;
        port->age_sum += now->time - user->newest_since + port->session->step_time;
        port->ages++;
        user->tick(user->self, now, user->newest, now->time - user->newest_since, user->fresh, wrench);
        user->fresh = false;
    }
}

static void make_tick(HapticPort *port, double time)
{
    Haptics *h = port->session;
    DvHapticPose pose = port->raw;
    const double dt = port->begun ? time - port->last : 0.0;
    bool good = port->ops->read(port->self, time, &pose) && is_finite(pose.position, 3) &&
                is_finite(pose.orientation, 4) && is_finite(pose.velocity, 3) && is_finite(pose.angular_velocity, 3);
    if (!good)
        pose = port->raw;
    const bool sane = good && is_sane(port, &pose, dt);
    keep_score(port, &pose, port->begun);
    const DvRigid3 where = with_clutch(port, &pose);
    const DvQuat turn = turn_of(port);
    HapticNow now = {.time = time,
                     .dt = dt,
                     .pose = where,
                     .has_velocity = pose.has_velocity && !port->clutched,
                     .allowed = sane && !h->stopped && !port->clutched,
                     .clutched = port->clutched,
                     .force_scale = port->placement.force_scale,
                     .sweeps = h->schedule.sweeps};
    now.velocity.linear = dv_vec3_scale(dv_quat_rotate(turn, dv_vec3_load(pose.velocity)), length_scale(port));
    now.velocity.angular = dv_quat_rotate(turn, dv_vec3_load(pose.angular_velocity));
    DvRigid3Deriv wrench = dv_rigid3_deriv(dv_vec3_zero(), dv_vec3_zero());
    tick_users(port, &now, &wrench);
    DvHapticForce force;
    good = force_of(port, &wrench, &force) && good;
    if (!port->ops->write(port->self, time, &force))
        good = false;
    port->raw = pose;
    port->held = force;
    port->pose = where;
    port->begun = true;
    port->last = time;
    DvHapticAbout *about = &port->about;
    about->ticks++;
    about->missed += !good;
    about->time = time;
    memcpy(about->force, force.force, sizeof about->force);
    memcpy(about->torque, force.torque, sizeof about->torque);
    const double strength = dv_vec3_norm(dv_vec3_load(force.force));
    port->force_sum += strength;
    about->peak_force = fmax(about->peak_force, strength);
    if (h->log)
        tick_log_add(h->log, port->device, about, &pose);
}

/* ---- The schedule ---- */

/* A number from 0 to 1 that follows from the seed, the tick and what it is for (SplitMix64). */
static double random_of(uint64_t seed, uint64_t tick, uint64_t purpose)
{
    uint64_t z = seed + 0x9e3779b97f4a7c15u * (2 * tick + purpose + 1);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static bool is_synchronous(const HapticPort *port)
{
    for (uint32_t u = 0; u < port->user_count; u++)
        if (port->users[u]->synchronous && port->users[u]->synchronous(port->users[u]->self))
            return true;
    return false;
}

/* The ticks up to `until`, itself counting or not. */
static void make_ticks(HapticPort *port, double until, bool inclusive)
{
    const DvHapticSchedule *s = &port->session->schedule;
    const double each = tick_time(port), rounding = 1e-9 * each;
    for (;; port->next++) {
        const double nominal = (double)port->next * each;
        const double late = s->jitter > 0.0 ? s->jitter * random_of(s->seed, port->next, 0) : 0.0;
        const double time = nominal + each * late;
        if (inclusive ? time > until + rounding : time >= until - rounding)
            return;
        if (s->lost > 0.0 && random_of(s->seed, port->next, 1) < s->lost)
            port->about.missed++;
        else
            make_tick(port, time);
    }
}

static void start_user(HapticUser *user)
{
    user->waiting_count = 0;
    user->fresh = false;
    user->newest_since = 0.0;
    memset(user->newest, 0, user->block_bytes);
    user->restart(user->self);
    if (user->resume)
        resume_user(user);
    else
        publish(user, 0.0, 0.0);
}

static void start_port(HapticPort *port)
{
    if (port->started)
        port->ops->stop(port->self);
    port->ops->facts(port->self, &port->facts);
    memset((char *)port + STATE_FIRST, 0, STATE_BYTES);
    port->pose = port->sample.pose = dv_rigid3_identity();
    port->started = port->ops->start(port->self, NULL, NULL) == DV_OK;
    if (port->resume) {
        memcpy((char *)port + STATE_FIRST, port->resume, STATE_BYTES);
        port->session->clock = port->clock;
        port->session->step_time = port->step_time;
        dv_free(port->resume);
        port->resume = NULL;
    }
    for (uint32_t u = 0; u < port->user_count; u++)
        start_user(port->users[u]);
}

static void start(Haptics *h)
{
    h->clock = h->step_time = 0.0;
    h->restart = false;
    for (uint32_t i = 0; i < h->port_count; i++)
        start_port(h->ports[i]);
}

static void take_sample(HapticPort *port)
{
    port->sample = (HapticSample){.time = port->last,
                                  .pose = port->pose,
                                  .buttons = port->raw.buttons,
                                  .valid = port->begun,
                                  .clutched = port->clutched};
    for (uint32_t u = 0; u < port->user_count; u++)
        if (port->users[u]->begin)
            port->users[u]->begin(port->users[u]->self);
}

static void begin_step(Haptics *h)
{
    if (h->restart)
        start(h);
    for (uint32_t i = 0; i < h->port_count; i++) {
        HapticPort *port = h->ports[i];
        port->ops->placement(port->self, &port->placement);
        for (uint32_t u = 0; u < port->user_count; u++)
            if (port->users[u]->before)
                port->users[u]->before(port->users[u]->self);
        if (port->started && is_synchronous(port)) {
            for (uint32_t u = 0; u < port->user_count; u++) {
                port->users[u]->waiting_count = 0;
                publish(port->users[u], h->clock, h->step_time);
            }
            make_tick(port, h->clock);
        } else if (port->started) {
            make_ticks(port, h->clock, true);
        }
        take_sample(port);
    }
}

static void end_step(Haptics *h, double dt)
{
    const double end = h->clock + dt;
    h->step_time = dt;
    for (uint32_t i = 0; i < h->port_count; i++) {
        HapticPort *port = h->ports[i];
        if (!port->started || is_synchronous(port))
            continue;
        make_ticks(port, end, false);
        for (uint32_t u = 0; u < port->user_count; u++)
            publish(port->users[u], end + h->schedule.latency * dt - 1e-9 * tick_time(port), dt);
    }
    h->clock = end;
}

void haptics_hear(HapticPort *port, const DvEvent *event)
{
    Haptics *h = port->session;
    if (event->kind == DV_EVENT_ANIMATE_BEGIN && !h->in_step) {
        h->in_step = true;
        begin_step(h);
    } else if (event->kind == DV_EVENT_ANIMATE_END && h->in_step) {
        h->in_step = false;
        end_step(h, event->dt);
    }
}

void haptics_restart(HapticPort *port)
{
    port->session->restart = true;
    port->session->in_step = false;
}

/* ---- The service ---- */

static uint32_t count(DvScene *scene)
{
    const Haptics *h = *session_of(scene);
    return h ? h->port_count : 0;
}

static bool about(DvScene *scene, uint32_t device, DvHapticAbout *out)
{
    const Haptics *h = *session_of(scene);
    if (!h || device >= h->port_count)
        return false;
    const HapticPort *port = h->ports[device];
    *out = port->about;
    out->device = port->device;
    out->state = port->ops->state(port->self, &out->reason);
    out->users = port->user_count;
    out->mean_force = port->about.ticks ? port->force_sum / (double)port->about.ticks : 0.0;
    out->age = port->ages ? port->age_sum / (double)port->ages : 0.0;
    out->stopped = h->stopped;
    return true;
}

static DvStatus no_device(void)
{
    dv_log(DV_LEVEL_ERROR, "the scene has no haptic device");
    return DV_ERROR_MISSING;
}

static bool is_share(double number)
{
    return number >= 0.0 && number <= 1.0;
}

static DvStatus set_schedule(DvScene *scene, const DvHapticSchedule *schedule)
{
    Haptics *h = *session_of(scene);
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
    h->schedule = *schedule;
    h->restart = true;
    return DV_OK;
}

static DvStatus set_log(DvScene *scene, FILE *file)
{
    Haptics *h = *session_of(scene);
    if (!h)
        return file ? no_device() : DV_OK;
    h->log = file;
    if (file)
        tick_log_head(file);
    return DV_OK;
}

static void stop_forces(DvScene *scene, bool stop)
{
    Haptics *h = *session_of(scene);
    if (h)
        h->stopped = stop;
}

const DvHapticsOps haptics_service = {.size = sizeof haptics_service,
                                      .count = count,
                                      .about = about,
                                      .set_schedule = set_schedule,
                                      .set_log = set_log,
                                      .stop_forces = stop_forces};
