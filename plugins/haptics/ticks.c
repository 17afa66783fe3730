/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ticks: what a device tells, what is felt there, and in virtual time when.
 */
#include "session_private.h"

#include "tick_log.h"

#include <divan/memory.h>
#include <divan/scene.h>

#include <math.h>
#include <string.h>

static const double most_speed = 5.0; /* m/s: a pose that leaps is none */

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
void *haptics_place_for(HapticUser *user, double due)
{
    if (user->waiting_count == user->waiting_capacity)
        make_room(user);
    const uint32_t at = (user->waiting_first + user->waiting_count++) % user->waiting_capacity;
    user->due[at] = due;
    return user->waiting + at * user->block_bytes;
}

void haptics_publish(HapticUser *user, double due, double dt)
{
    if (user->block_bytes == 0)
        return;
    if (!user->port->by_clock) {
        user->fill(user->self, dt, haptics_place_for(user, due));
        return;
    }
    double *head = dv_snapshot_begin(user->shared);
    *head = haptics_now(user->port->session);
    user->fill(user->self, dt, head + 1);
    dv_snapshot_publish(user->shared);
}

/* The newest block that can be seen by now. */
static const void *take_newest(HapticUser *user, double time)
{
    if (user->port->by_clock && user->block_bytes > 0) {
        const double *head = dv_snapshot_latest(user->shared, &user->fresh);
        user->newest_since = *head;
        return head + 1;
    }
    while (user->waiting_count > 0 && user->due[user->waiting_first] <= time) {
        memcpy(user->newest, user->waiting + user->waiting_first * user->block_bytes, user->block_bytes);
        user->newest_since = user->due[user->waiting_first];
        user->fresh = true;
        user->waiting_first = (user->waiting_first + 1) % user->waiting_capacity;
        user->waiting_count--;
    }
    return user->newest;
}

/* ---- A tick ---- */

static DvQuat turn_of(const HapticPort *port)
{
    return dv_quat_load(port->setting.placement.orientation_base);
}

static double length_scale(const HapticPort *port)
{
    return port->setting.placement.scale * port->setting.placement.unit;
}

static DvRigid3 in_scene(const HapticPort *port, const DvHapticPose *pose)
{
    const DvQuat turn = turn_of(port);
    const DvVec3 p = dv_vec3_scale(dv_vec3_load(pose->position), length_scale(port));
    return dv_rigid3(
        dv_vec3_add(dv_vec3_add(dv_vec3_load(port->setting.placement.base), dv_quat_rotate(turn, p)), port->shift),
        dv_quat_normalize(dv_quat_mul(dv_quat_mul(turn, dv_quat_load(pose->orientation)),
                                      dv_quat_load(port->setting.placement.orientation_tool))));
}

static bool is_finite(const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

static bool is_within(const HapticPort *port, const DvHapticPose *pose)
{
    for (int c = 0; c < 3; c++) {
        const double lower = port->facts.workspace[0][c], upper = port->facts.workspace[1][c];
        if (upper > lower && (pose->position[c] < lower || pose->position[c] > upper))
            return false;
    }
    return true;
}

/* A device of a resolution is at most half of it away from where it says. Its motion counts as the shortest that fits: what it tells when it trembles
 * about the middle between two places is no motion. */
static void be_sure(HapticPort *port, const DvHapticPose *pose)
{
    const double half = 0.5 * port->facts.resolution;
    for (int c = 0; c < 3; c++)
        port->sure[c] = port->begun ? fmin(fmax(port->sure[c], pose->position[c] - half), pose->position[c] + half)
                                    : pose->position[c];
}

static DvRigid3 sure_in_scene(const HapticPort *port, const DvHapticPose *pose, DvRigid3 where)
{
    const DvVec3 behind = dv_vec3_sub(dv_vec3_load(port->sure), dv_vec3_load(pose->position));
    if (!port->clutched)
        where.center =
            dv_vec3_add(where.center, dv_quat_rotate(turn_of(port), dv_vec3_scale(behind, length_scale(port))));
    return where;
}

/* While the clutch is held the scene sees the device where it was. */
static DvRigid3 with_clutch(HapticPort *port, const DvHapticPose *pose)
{
    const int32_t button = port->setting.placement.clutch;
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
    DvHapticAbout *about = &port->report.about;
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
    const double scale = port->setting.placement.force_scale;
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

static void score_force(HapticScore *score, double force)
{
    double sum = score->force_sum + force, peak = fmax(score->force_peak, force);
    uint64_t ticks = score->ticks + 1;
    __atomic_store(&score->force_sum, &sum, __ATOMIC_RELAXED);
    __atomic_store(&score->force_peak, &peak, __ATOMIC_RELAXED);
    __atomic_store(&score->ticks, &ticks, __ATOMIC_RELAXED);
}

static void tick_users(HapticPort *port, const HapticNow *now, DvRigid3Deriv *wrench)
{
    PortReport *report = &port->report;
    for (uint32_t u = 0; u < port->user_count; u++) {
        HapticUser *user = port->users[u];
        const void *block = take_newest(user, now->time);
        const double age = fmax(0.0, now->time - user->newest_since);
        report->about.snapshots += user->fresh;
        report->age_sum += age + port->setting.step_time;
        report->ages++;
        const DvVec3 before = wrench->linear;
        user->tick(user->self, now, block, age, user->fresh, wrench);
        score_force(&user->score, dv_vec3_norm(dv_vec3_sub(wrench->linear, before)));
        user->fresh = false;
    }
}

static void log_tick(Haptics *h, const HapticPort *port, const DvHapticPose *pose)
{
    if (!h->log)
        return;
    if (!port->by_clock) {
        tick_log_add(h->log, port->device, &port->report.about, pose);
        return;
    }
    const TickRecord record = {port->device, port->report.about, *pose};
    if (!port->ops->read || !dv_mailbox_post(h->records, &record))
        return; /* of a thread of its own, or the mailbox is full: the line is lost */
}

static void report_tick(HapticPort *port, double time, const DvHapticForce *force, bool good)
{
    PortReport *report = &port->report;
    DvHapticAbout *about = &report->about;
    about->ticks++;
    about->missed += !good;
    about->time = time;
    memcpy(about->force, force->force, sizeof about->force);
    memcpy(about->torque, force->torque, sizeof about->torque);
    const double strength = dv_vec3_norm(dv_vec3_load(force->force));
    report->force_sum += strength;
    about->peak_force = fmax(about->peak_force, strength);
    report->sample = (HapticSample){.time = port->last,
                                    .pose = port->pose,
                                    .buttons = port->raw.buttons,
                                    .valid = port->begun,
                                    .clutched = port->clutched};
}

/* Numbers that an arm can mean: no part of it is a kilometre away, or so fast. */
static bool is_a_pose(const DvHapticPose *pose)
{
    static const double most = 1e3;
    for (int c = 0; c < 3; c++)
        if (!(fabs(pose->position[c]) < most && fabs(pose->velocity[c]) < most &&
              fabs(pose->angular_velocity[c]) < most))
            return false;
    const double turn = dv_quat_norm(dv_quat_load(pose->orientation));
    return is_finite(pose->orientation, 4) && turn > 1e-6 && turn < most;
}

/* Whether the hand has leapt: the scene then does not follow it. */
static bool has_leapt(const HapticPort *port, const DvHapticPose *pose, double dt)
{
    const double way = dv_vec3_distance(dv_vec3_load(pose->position), dv_vec3_load(port->raw.position));
    return port->begun && dt > 0.0 && way > most_speed * dt;
}

void haptics_tick(HapticPort *port, double time, const DvHapticPose *read, DvHapticForce *force)
{
    Haptics *h = port->session;
    if (port->by_clock)
        port->setting = *(const PortSetting *)dv_snapshot_latest(port->settings, NULL);
    const double dt = port->begun ? time - port->last : 0.0;
    if (port->by_clock && port->begun)
        periods_add(&port->periods, dt);
    bool good = read && is_a_pose(read);
    const DvHapticPose pose = good ? *read : port->raw;
    const bool leaps = has_leapt(port, &pose, dt), sane = good && !leaps && is_within(port, &pose);
    keep_score(port, &pose, port->begun);
    be_sure(port, &pose);
    const DvRigid3 where = with_clutch(port, &pose);
    const DvQuat turn = turn_of(port);
    HapticNow now = {.time = time,
                     .dt = dt,
                     .pose = where,
                     .sure = sure_in_scene(port, &pose, where),
                     .has_velocity = pose.has_velocity && !port->clutched,
                     .allowed = sane && !port->setting.stopped && !port->clutched,
                     .clutched = port->clutched,
                     .force_scale = port->setting.placement.force_scale,
                     .sweeps = port->setting.sweeps,
                     .by_clock = port->by_clock};
    now.velocity.linear = dv_vec3_scale(dv_quat_rotate(turn, dv_vec3_load(pose.velocity)), length_scale(port));
    now.velocity.angular = dv_quat_rotate(turn, dv_vec3_load(pose.angular_velocity));
    DvRigid3Deriv wrench = dv_rigid3_deriv(dv_vec3_zero(), dv_vec3_zero());
    tick_users(port, &now, &wrench);
    good = force_of(port, &wrench, force) && good;
    port->raw = pose;
    port->held = *force;
    port->pose = where;
    port->begun = true;
    port->last = time;
    report_tick(port, time, force, good);
    port->report.sample.valid = !leaps;
    log_tick(h, port, &pose);
    if (port->by_clock) {
        *(PortReport *)dv_snapshot_begin(port->reports) = port->report;
        dv_snapshot_publish(port->reports);
    }
}

void haptics_make_tick(HapticPort *port, double time)
{
    DvHapticPose pose = port->raw;
    DvHapticForce force;
    const bool answers = port->ops->read(port->self, time, &pose);
    haptics_tick(port, time, answers ? &pose : NULL, &force);
    if (!port->ops->write(port->self, time, &force))
        port->report.about.missed += answers;
}

double haptics_each(const HapticPort *port)
{
    const double rate = port->session->schedule.rate > 0.0 ? port->session->schedule.rate : port->facts.rate;
    return 1.0 / (rate > 0.0 ? rate : 1000.0);
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
    const double each = haptics_each(port), rounding = 1e-9 * each;
    for (;; port->next++) {
        const double nominal = (double)port->next * each;
        const double late = s->jitter > 0.0 ? s->jitter * random_of(s->seed, port->next, 0) : 0.0;
        const double time = nominal + each * late;
        if (inclusive ? time > until + rounding : time >= until - rounding)
            return;
        if (s->lost > 0.0 && random_of(s->seed, port->next, 1) < s->lost)
            port->report.about.missed++;
        else
            haptics_make_tick(port, time);
    }
}

static void set_up(Haptics *h, HapticPort *port)
{
    PortSetting setting = {.step_time = h->step_time, .sweeps = h->schedule.sweeps, .stopped = h->stopped};
    haptics_placement(port, &setting.placement);
    if (port->by_clock) {
        *(PortSetting *)dv_snapshot_begin(port->settings) = setting;
        dv_snapshot_publish(port->settings);
    } else {
        port->setting = setting;
    }
    for (uint32_t u = 0; u < port->user_count; u++)
        if (port->users[u]->before)
            port->users[u]->before(port->users[u]->self);
}

/* Once for each loss. */
static void tell_of_loss(HapticPort *port)
{
    const char *reason = NULL;
    const DvHapticState state = port->ops->state(port->self, &reason);
    const bool lost = port->running && (state == DV_HAPTIC_LOST || state == DV_HAPTIC_FAILED);
    if (lost && !port->told_of_loss)
        dv_warning(port->device, "the device %s%s%s; its force is gone until it answers, and comes back slowly then",
                   state == DV_HAPTIC_LOST ? "is lost" : "has failed", reason ? ": " : "", reason ? reason : "");
    port->told_of_loss = lost;
}

void haptics_begin_step(Haptics *h)
{
    dv_phase_begin("haptic ticks");
    for (uint32_t i = 0; i < h->port_count; i++) {
        HapticPort *port = h->ports[i];
        set_up(h, port);
        tell_of_loss(port);
        if (port->running && !port->by_clock && is_synchronous(port)) {
            for (uint32_t u = 0; u < port->user_count; u++) {
                port->users[u]->waiting_count = 0;
                haptics_publish(port->users[u], h->clock, h->step_time);
            }
            haptics_make_tick(port, h->clock);
        } else if (port->running && !port->by_clock) {
            make_ticks(port, h->clock, true);
        }
        port->shown = port->by_clock ? *(const PortReport *)dv_snapshot_latest(port->reports, NULL) : port->report;
        for (uint32_t u = 0; u < port->user_count; u++)
            if (port->users[u]->begin)
                port->users[u]->begin(port->users[u]->self);
    }
    dv_phase_end();
}

/* How far the tool has gone in a step. */
static void score_step(HapticUser *user, double dt)
{
    HapticScore *score = &user->score;
    DvHapticTool tool;
    double at[3];
    if (!user->about)
        return;
    user->about(user->self, &tool, at);
    const double way = score->steps++ ? dv_vec3_distance(dv_vec3_load(at), dv_vec3_load(score->at)) : 0.0;
    score->path += way;
    score->longest_step = fmax(score->longest_step, way);
    score->time += dt;
    memcpy(score->at, at, sizeof score->at);
}

void haptics_end_step(Haptics *h, double dt)
{
    const double end = h->clock + dt;
    h->step_time = dt;
    dv_phase_begin("haptic ticks");
    for (uint32_t i = 0; i < h->port_count; i++) {
        HapticPort *port = h->ports[i];
        for (uint32_t u = 0; u < port->user_count && port->running; u++)
            score_step(port->users[u], dt);
        if (!port->running || (!port->by_clock && is_synchronous(port)))
            continue;
        if (!port->by_clock)
            make_ticks(port, end, false);
        for (uint32_t u = 0; u < port->user_count; u++)
            haptics_publish(port->users[u], end + h->schedule.latency * dt - 1e-9 * haptics_each(port), dt);
        if (!port->by_clock)
            port->shown = port->report;
    }
    h->clock = end;
    dv_phase_end();
}
