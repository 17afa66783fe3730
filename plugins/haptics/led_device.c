/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "led_device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

void *led_device_library(LedDevice *self, const char *name, const char *package)
{
    if (!self->library)
        self->library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!self->library)
        (void)snprintf(self->reason, sizeof self->reason, "the library %s is not there; install %s", name, package);
    return self->library;
}

bool led_device_functions(LedDevice *self, const char *const *names, void **functions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        functions[i] = dlsym(self->library, names[i]);
        if (!functions[i]) {
            (void)snprintf(self->reason, sizeof self->reason, "the library has no %s: it is too old", names[i]);
            return false;
        }
    }
    return true;
}

/* Once. */
static void say_absent(LedDevice *self)
{
    if (!self->told)
        dv_warning(dv_object_of(self), "the device is not in use: %s", self->reason);
    self->told = true;
}

static bool is_lost(const LedDevice *self)
{
    return __atomic_load_n(&self->lost, __ATOMIC_ACQUIRE);
}

static void begin_anew(LedDevice *self)
{
    self->time = 0.0;
    self->position = dv_vec3_zero();
    self->orientation = dv_quat_identity();
    self->most[0] = dv_data_double(&self->speed);
    self->most[1] = dv_data_double(&self->angular_speed);
}

DvStatus led_device_init(DvObject *object, LedDevice *self, const LedKind *kind)
{
    DvHapticPlacement at;
    self->kind = kind;
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    self->front.unit = 1.0;
    begin_anew(self);
    if (!kind->open(self))
        say_absent(self);
    self->front.port = haptics_join(object);
    device_front_placement(&self->front, &at);
    device_front_show(&self->front,
                      dv_rigid3(dv_vec3_load(at.base),
                                dv_quat_mul(dv_quat_load(at.orientation_base), dv_quat_load(at.orientation_tool))),
                      0);
    return self->front.port ? DV_OK : DV_ERROR_INVALID;
}

/* A lost one, from time to time: back, it begins where it was, and forces come slowly. */
static void look_for(LedDevice *self)
{
    static const double each = 0.5; /* s */
    const double time = dv_node_time(dv_object_node(dv_object_of(self)));
    if (!self->running || !is_lost(self) || (self->looked <= time && time < self->looked + each))
        return;
    self->looked = time;
    if (!self->kind->open(self))
        return;
    self->kind->begin(self);
    __atomic_store_n(&self->lost, false, __ATOMIC_RELEASE);
}

void led_device_hear(DvObject *object, void *self_, DvEvent *event)
{
    LedDevice *self = self_;
    (void)object;
    if (!self->front.port)
        return;
    if (event->kind == DV_EVENT_ANIMATE_BEGIN)
        look_for(self);
    haptics_hear(self->front.port, event);
    if (event->kind == DV_EVENT_ANIMATE_BEGIN)
        device_front_tell(&self->front);
}

void led_device_reset(DvObject *object, void *self_)
{
    LedDevice *self = self_;
    (void)object;
    if (self->front.port)
        haptics_restart(self->front.port);
}

void led_device_cleanup(DvObject *object, void *self_)
{
    LedDevice *self = self_;
    (void)object;
    haptics_leave(self->front.port);
    self->front.port = NULL;
}

/* ---- The device ---- */

static void facts(void *self, DvHapticFacts *facts)
{
    ((const LedDevice *)self)->kind->facts(self, facts);
}

static DvStatus start(void *self_, DvHapticTick tick, void *context)
{
    LedDevice *self = self_;
    (void)tick;
    (void)context;
    begin_anew(self);
    self->looked = self->time;
    self->running = self->kind->open(self);
    self->leaves_out = false;
    __atomic_store_n(&self->lost, false, __ATOMIC_RELEASE);
    if (self->running)
        self->kind->begin(self);
    else
        say_absent(self);
    return self->running ? DV_OK : DV_ERROR_MISSING;
}

static void stop(void *self_)
{
    LedDevice *self = self_;
    if (self->running && self->kind->end)
        self->kind->end(self);
    self->running = false;
}

static DvHapticState state(void *self_, const char **reason)
{
    const LedDevice *self = self_;
    const bool lost = self->running && is_lost(self);
    if (reason)
        *reason = lost ? self->kind->lost : *self->reason ? self->reason : NULL;
    return lost             ? DV_HAPTIC_LOST
           : *self->reason  ? DV_HAPTIC_ABSENT
           : !self->running ? DV_HAPTIC_READY
                            : DV_HAPTIC_RUNNING;
}

static void move(LedDevice *self, double time, const double linear[3], const double angular[3])
{
    const double dt = self->leaves_out ? 0.0 : time - self->time;
    self->time = time;
    self->leaves_out = false;
    self->position = dv_vec3_madd(self->position, dt * self->most[0], dv_vec3_load(linear));
    self->orientation = dv_quat_normalize(dv_quat_mul(
        dv_quat_from_increment(dv_vec3_scale(dv_vec3_load(angular), dt * self->most[1])), self->orientation));
}

static bool read_pose(void *self_, double time, DvHapticPose *pose)
{
    LedDevice *self = self_;
    double linear[3], angular[3];
    uint32_t buttons = 0;
    if (!self->running || is_lost(self))
        return false;
    if (!self->kind->look(self, linear, angular, &buttons)) {
        self->leaves_out = true;
        __atomic_store_n(&self->lost, true, __ATOMIC_RELEASE);
        return false;
    }
    move(self, time, linear, angular);
    dv_vec3_store(self->position, pose->position);
    dv_quat_store(self->orientation, pose->orientation);
    pose->buttons = buttons;
    pose->time = time;
    return true;
}

static bool write_force(void *self_, double time, const DvHapticForce *force)
{
    LedDevice *self = self_;
    if (!self->running || is_lost(self))
        return false;
    if (self->kind->push)
        self->kind->push(self, time, force);
    return true;
}

const DvHapticDeviceOps led_device_ops = {.size = sizeof led_device_ops,
                                          .facts = facts,
                                          .placement = device_front_placement,
                                          .start = start,
                                          .stop = stop,
                                          .state = state,
                                          .read = read_pose,
                                          .write = write_force};
