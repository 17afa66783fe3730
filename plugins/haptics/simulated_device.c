/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "simulated_device.h"

#include <divan/contracts/visual.h>
#include <divan/input.h>
#include <divan/memory.h>

#include <math.h>
#include <string.h>

const char *const simulated_device_motions[] = {"path", "hand", "log", "mouse", NULL};

/* ---- Where it is led ---- */

/* Where the path is, and how fast, until `*until`; turns as rotation vectors. */
static void path_at(const DevicePath *path, double time, double at[6], double speed[6], double *until,
                    uint32_t *buttons)
{
    const uint32_t i = device_path_find(path, time);
    memset(speed, 0, 6 * sizeof *speed);
    *until = INFINITY;
    if (i == UINT32_MAX) {
        memset(at, 0, 6 * sizeof *at);
        *buttons = 0;
        return;
    }
    const PathPlace *from = &path->places[i];
    *buttons = from->buttons;
    memcpy(at, from->position, 3 * sizeof *at);
    memcpy(at + 3, from->turn, 3 * sizeof *at);
    if (time < from->time)
        *until = from->time;
    if (time < from->time || i + 1 == path->count)
        return;
    const PathPlace *to = &path->places[i + 1];
    *until = to->time;
    for (int c = 0; c < 6; c++) {
        const double a = c < 3 ? from->position[c] : from->turn[c - 3], b = c < 3 ? to->position[c] : to->turn[c - 3];
        speed[c] = (b - a) / (to->time - from->time);
        at[c] = a + speed[c] * (time - from->time);
    }
}

static DeviceMotion motion_of(const SimulatedDevice *self)
{
    return self->arm.led ? MOVED_BY_MOUSE : self->setting.motion;
}

static void lead(SimulatedDevice *self, double time, double at[6], double speed[6], double *until)
{
    ArmState *arm = &self->arm;
    path_at(&self->path, time, at, speed, until, &arm->buttons);
    arm->buttons |= arm->wanted_buttons;
    if (motion_of(self) == MOVED_BY_MOUSE) {
        const size_t count = arm->led ? 6 : 3;
        memcpy(at, arm->wanted, count * sizeof *at);
        memset(speed, 0, count * sizeof *speed);
    }
}

/* From where it was to `time`, under the force that it has shown since. */
static void move_arm(SimulatedDevice *self, double time)
{
    ArmState *arm = &self->arm;
    const ArmSetting *setting = &self->setting;
    const DeviceMotion motion = motion_of(self);
    double at[6], speed[6], until;
    while (arm->time < time) {
        lead(self, arm->time, at, speed, &until);
        const double end = fmin(until, time), span = end - arm->time;
        for (uint32_t c = 0; c < 6; c++) {
            const double push = c < 3 ? arm->force.force[c] : arm->force.torque[c - 3];
            if (motion == MOVED_BY_PATH || (c >= 3 && setting->driven < 6))
                continue;
            arm_axis_move(&arm->axis[c], at[c], speed[c], push, span);
        }
        arm->time = end;
    }
    lead(self, time, at, speed, &until);
    for (uint32_t c = 0; c < 6; c++)
        if (motion == MOVED_BY_PATH || (c >= 3 && setting->driven < 6)) {
            arm->axis[c].x = at[c];
            arm->axis[c].v = speed[c];
        }
}

/* ---- The device ---- */

static void facts(void *self_, DvHapticFacts *facts)
{
    SimulatedDevice *self = self_;
    const double *box = dv_data_doubles(&self->workspace, NULL);
    *facts = (DvHapticFacts){.sensed = 6,
                             .driven = dv_data_uint(&self->driven),
                             .buttons = 2,
                             .peak_force = dv_data_double(&self->max_force),
                             .continuous_force = dv_data_double(&self->continuous_force),
                             .peak_torque = dv_data_double(&self->max_torque),
                             .continuous_torque = dv_data_double(&self->max_torque),
                             .stiffness = dv_data_double(&self->stiffness),
                             .angular_stiffness = dv_data_double(&self->angular_stiffness),
                             .inertia = dv_data_double(&self->mass),
                             .angular_inertia = dv_data_double(&self->angular_mass),
                             .rate = dv_data_double(&self->rate),
                             .repeats = true,
                             .resolution = dv_data_double(&self->resolution)};
    memcpy(facts->workspace[0], box, 3 * sizeof *box);
    memcpy(facts->workspace[1], box + 3, 3 * sizeof *box);
}

static void read_setting(SimulatedDevice *self)
{
    ArmSetting *setting = &self->setting;
    *setting = (ArmSetting){.motion = (DeviceMotion)dv_data_choice(&self->motion),
                            .resolution = dv_data_double(&self->resolution),
                            .driven = dv_data_uint(&self->driven)};
    const double *velocity = dv_data_doubles(&self->start_velocity, NULL);
    double at[6], speed[6], until;
    uint32_t buttons;
    path_at(&self->path, 0.0, at, speed, &until, &buttons);
    for (uint32_t c = 0; c < 6; c++) {
        const bool turns = c >= 3;
        setting->axis[c] =
            (ArmAxis){.mass = dv_data_double(turns ? &self->angular_mass : &self->mass),
                      .stiffness = dv_data_double(turns ? &self->angular_hand_stiffness : &self->hand_stiffness),
                      .damping = dv_data_double(turns ? &self->angular_hand_damping : &self->hand_damping),
                      .friction = turns ? 0.0 : dv_data_double(&self->friction),
                      .x = at[c],
                      .v = turns ? 0.0 : velocity[c]};
    }
}

static DvStatus start(void *self_, DvHapticTick tick, void *context)
{
    SimulatedDevice *self = self_;
    (void)tick;
    (void)context;
    read_setting(self);
    self->running = true;
    const bool goes_on = self->resumes && !(self->front.port && haptics_by_clock(self->front.port));
    self->resumes = false;
    if (goes_on)
        return DV_OK;
    self->arm = (ArmState){0};
    memcpy(self->arm.axis, self->setting.axis, sizeof self->arm.axis);
    return DV_OK;
}

static void stop(void *self_)
{
    SimulatedDevice *self = self_;
    self->running = false;
    if (!self->resumes)
        memset(&self->arm.force, 0, sizeof self->arm.force);
}

static DvHapticState state(void *self_, const char **reason)
{
    const SimulatedDevice *self = self_;
    if (reason)
        *reason = NULL;
    return self->running ? DV_HAPTIC_RUNNING : DV_HAPTIC_READY;
}

static double rounded(double x, double resolution)
{
    return resolution > 0.0 ? round(x / resolution) * resolution : x;
}

static bool read_log(const SimulatedDevice *self, double time, DvHapticPose *pose)
{
    const uint32_t i = device_path_find(&self->path, time);
    if (i == UINT32_MAX)
        return false;
    const PathPlace *place = &self->path.places[i];
    memcpy(pose->position, place->position, sizeof pose->position);
    memcpy(pose->orientation, place->orientation, sizeof pose->orientation);
    pose->buttons = place->buttons;
    pose->time = time;
    return true;
}

static bool read_pose(void *self_, double time, DvHapticPose *pose)
{
    SimulatedDevice *self = self_;
    if (!self->running)
        return false;
    if (self->setting.motion == MOVED_BY_LOG)
        return read_log(self, time, pose);
    const DeviceTarget *target = dv_snapshot_latest(self->targets, NULL);
    memcpy(self->arm.wanted, target->at, sizeof target->at);
    self->arm.wanted_buttons = target->buttons;
    self->arm.led = target->led;
    move_arm(self, time);
    const ArmAxis *axis = self->arm.axis;
    for (int c = 0; c < 3; c++)
        pose->position[c] = rounded(axis[c].x, self->setting.resolution);
    dv_quat_store(dv_quat_from_increment(dv_vec3(axis[3].x, axis[4].x, axis[5].x)), pose->orientation);
    pose->buttons = self->arm.buttons;
    pose->time = time;
    return true;
}

static bool write_force(void *self_, double time, const DvHapticForce *force)
{
    SimulatedDevice *self = self_;
    (void)time;
    self->arm.force = *force;
    return self->running;
}

const DvHapticDeviceOps simulated_device_ops = {.size = sizeof simulated_device_ops,
                                                .facts = facts,
                                                .placement = device_front_placement,
                                                .start = start,
                                                .stop = stop,
                                                .state = state,
                                                .read = read_pose,
                                                .write = write_force};

/* ---- The component ---- */

static void publish_target(SimulatedDevice *self)
{
    *(DeviceTarget *)dv_snapshot_begin(self->targets) = self->target;
    dv_snapshot_publish(self->targets);
}

static void follow_mouse(SimulatedDevice *self, const DvMouseEvent *mouse)
{
    const double each = dv_data_double(&self->mouse_scale);
    DeviceTarget *target = &self->target;
    if (mouse->change == DV_MOUSE_WHEEL) {
        target->at[2] += 10.0 * each * mouse->move.y;
    } else if (mouse->change == DV_MOUSE_MOVED) {
        target->at[0] += each * mouse->move.x;
        target->at[1] -= each * mouse->move.y;
    } else if (mouse->button != DV_NO_BUTTON) {
        const uint32_t bit = 1u << ((uint32_t)mouse->button - 1);
        target->buttons = mouse->change == DV_MOUSE_PRESSED ? target->buttons | bit : target->buttons & ~bit;
    }
    publish_target(self);
}

/* A place of the scene, which a hand leads it to from now on. */
static void follow_recording(SimulatedDevice *self, const DvHapticEvent *wanted)
{
    const DvQuat turn = dv_quat_load(wanted->orientation);
    DvHapticPlacement at;
    device_front_placement(self, &at);
    self->target.buttons = (self->target.buttons & ~wanted->changed) | (wanted->buttons & wanted->changed);
    if (dv_quat_norm(turn) > 0.0) {
        const DvQuat base = dv_quat_load(at.orientation_base);
        const DvVec3 p = dv_vec3_sub(dv_vec3_load(wanted->position), dv_vec3_load(at.base));
        const DvQuat own = dv_quat_mul(dv_quat_mul(dv_quat_inverse(base), dv_quat_normalize(turn)),
                                       dv_quat_inverse(dv_quat_load(at.orientation_tool)));
        dv_vec3_store(dv_vec3_scale(dv_quat_inverse_rotate(base, p), 1.0 / (at.scale * at.unit)), self->target.at);
        dv_vec3_store(dv_quat_to_rotation_vector(own), self->target.at + 3);
        self->target.led = true;
    }
    publish_target(self);
}

static void hear_input(SimulatedDevice *self, DvEvent *event)
{
    const DvHapticEvent *wanted = event->kind == DV_EVENT_HAPTIC_DEVICE ? event->data : NULL;
    if (event->kind == DV_EVENT_MOUSE && event->data && self->setting.motion == MOVED_BY_MOUSE)
        follow_mouse(self, event->data);
    if (!wanted || !wanted->wanted || wanted->device != dv_object_of(self) || self->setting.motion == MOVED_BY_LOG ||
        self->stood_for)
        return;
    follow_recording(self, wanted);
    event->handled = true;
}

static size_t arm_words(void)
{
    return (sizeof(ArmState) + 3) / 4;
}

static void remember(SimulatedDevice *self)
{
    const size_t words = arm_words() + haptics_state_words(self->front.port);
    uint32_t *resume = dv_data_begin_all(&self->resume, words);
    memset(resume, 0, 4 * words);
    memcpy(resume, &self->arm, sizeof self->arm);
    haptics_state_write(self->front.port, resume + arm_words());
    dv_data_end(&self->resume);
}

void simulated_device_hear(DvObject *object, void *self_, DvEvent *event)
{
    SimulatedDevice *self = self_;
    (void)object;
    if (!self->front.port)
        return;
    hear_input(self, event);
    haptics_hear(self->front.port, event);
    if (event->kind == DV_EVENT_ANIMATE_BEGIN) {
        device_front_tell(&self->front);
    } else if (event->kind == DV_EVENT_ANIMATE_END && haptics_by_clock(self->front.port)) {
        haptics_forget(&self->resume);
    } else if (event->kind == DV_EVENT_ANIMATE_END) {
        remember(self);
    }
}

static DvStatus check(SimulatedDevice *self)
{
    const DeviceMotion motion = (DeviceMotion)dv_data_choice(&self->motion);
    const uint32_t driven = dv_data_uint(&self->driven);
    const char *name = dv_data_string(&self->filename);
    if (driven != 0 && driven != 3 && driven != 6)
        return dv_field_error(&self->driven, -1, "%u: a device pushes in 0, 3 or 6 axes", driven);
    if (!*name && motion == MOVED_BY_LOG)
        return dv_field_error(&self->filename, -1, "it must name the log that motion=\"log\" replays"),
               DV_ERROR_MISSING;
    if (!*name)
        return DV_OK;
    return device_path_read(&self->filename, motion == MOVED_BY_LOG ? dv_object_name(dv_object_of(self)) : NULL,
                            &self->path);
}

DvStatus simulated_device_init(DvObject *object, void *self_)
{
    SimulatedDevice *self = self_;
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    if (self->front.unit <= 0.0)
        self->front.unit = 1.0;
    const DvStatus status = check(self);
    if (status != DV_OK)
        return status;
    if (!self->targets)
        self->targets = dv_snapshot_new(sizeof(DeviceTarget));
    self->front.port = haptics_join(object);
    read_setting(self);
    memcpy(self->arm.axis, self->setting.axis, sizeof self->arm.axis);
    DvHapticPlacement at;
    device_front_placement(self, &at);
    const ArmAxis *axis = self->setting.axis;
    const DvQuat turn = dv_quat_load(at.orientation_base);
    const DvVec3 p = dv_vec3_scale(dv_vec3(axis[0].x, axis[1].x, axis[2].x), at.scale * at.unit);
    const DvQuat q = dv_quat_from_increment(dv_vec3(axis[3].x, axis[4].x, axis[5].x));
    if (!dv_data_is_set(&self->resume))
        device_front_show(&self->front,
                          dv_rigid3(dv_vec3_add(dv_vec3_load(at.base), dv_quat_rotate(turn, p)),
                                    dv_quat_mul(dv_quat_mul(turn, q), dv_quat_load(at.orientation_tool))),
                          0);
    return dv_data_is_set(&self->resume) ? simulated_device_restore(object, self_) : DV_OK;
}

DvStatus simulated_device_restore(DvObject *object, void *self_)
{
    SimulatedDevice *self = self_;
    (void)object;
    size_t count;
    const uint32_t *words = dv_data_uints(&self->resume, &count);
    if (!self->front.port || count != arm_words() + haptics_state_words(self->front.port)) {
        simulated_device_reset(object, self_);
        return DV_OK;
    }
    memcpy(&self->arm, words, sizeof self->arm);
    self->front.told = self->arm.buttons;
    memcpy(self->target.at, self->arm.wanted, sizeof self->target.at);
    self->target.buttons = self->arm.wanted_buttons;
    self->target.led = self->arm.led;
    publish_target(self);
    haptics_state_read(self->front.port, words + arm_words());
    self->resumes = true;
    return DV_OK;
}

void simulated_device_reset(DvObject *object, void *self_)
{
    SimulatedDevice *self = self_;
    (void)object;
    self->resumes = false;
    self->target = (DeviceTarget){.buttons = 0};
    if (self->targets)
        publish_target(self);
    if (self->front.port)
        haptics_restart(self->front.port);
}

void simulated_device_cleanup(DvObject *object, void *self_)
{
    SimulatedDevice *self = self_;
    (void)object;
    haptics_leave(self->front.port);
    self->front.port = NULL;
    self->running = false;
}

void simulated_device_destroy(DvObject *object, void *self_)
{
    SimulatedDevice *self = self_;
    (void)object;
    device_path_free(&self->path);
    dv_snapshot_free(self->targets);
}
