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

static void begin_anew(LedDevice *self)
{
    self->time = 0.0;
    self->position = dv_vec3_zero();
    self->orientation = dv_quat_identity();
    self->most[0] = dv_data_double(&self->speed);
    self->most[1] = dv_data_double(&self->angular_speed);
}

DvStatus led_device_init(DvObject *object, LedDevice *self, bool there)
{
    DvHapticPlacement at;
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    self->front.unit = 1.0;
    begin_anew(self);
    if (!there)
        say_absent(self);
    self->front.port = haptics_join(object);
    device_front_placement(&self->front, &at);
    device_front_show(&self->front,
                      dv_rigid3(dv_vec3_load(at.base),
                                dv_quat_mul(dv_quat_load(at.orientation_base), dv_quat_load(at.orientation_tool))),
                      0);
    return self->front.port ? DV_OK : DV_ERROR_INVALID;
}

DvStatus led_device_start(LedDevice *self, bool there)
{
    begin_anew(self);
    self->running = there;
    self->lost = false;
    if (!there)
        say_absent(self);
    return there ? DV_OK : DV_ERROR_MISSING;
}

void led_device_hear(DvObject *object, void *self_, DvEvent *event)
{
    LedDevice *self = self_;
    (void)object;
    if (!self->front.port)
        return;
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

DvHapticState led_device_state(void *self_, const char **reason)
{
    const LedDevice *self = self_;
    const bool lost = __atomic_load_n(&self->lost, __ATOMIC_RELAXED);
    if (reason)
        *reason = lost ? "it has been unplugged" : *self->reason ? self->reason : NULL;
    return *self->reason    ? DV_HAPTIC_ABSENT
           : !self->running ? DV_HAPTIC_READY
           : lost           ? DV_HAPTIC_LOST
                            : DV_HAPTIC_RUNNING;
}

void led_device_move(LedDevice *self, double time, const double linear[3], const double angular[3])
{
    const double dt = time - self->time;
    self->time = time;
    self->position = dv_vec3_madd(self->position, dt * self->most[0], dv_vec3_load(linear));
    self->orientation = dv_quat_normalize(dv_quat_mul(
        dv_quat_from_increment(dv_vec3_scale(dv_vec3_load(angular), dt * self->most[1])), self->orientation));
}

void led_device_tell(const LedDevice *self, uint32_t buttons, DvHapticPose *pose)
{
    dv_vec3_store(self->position, pose->position);
    dv_quat_store(self->orientation, pose->orientation);
    pose->buttons = buttons;
    pose->time = self->time;
}
