/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GeomagicDriver, GeomagicEmulator: the drivers of a maker's arms in old scenes. A simulated arm stands for the device, or what `device` names
 * (--haptic-device).
 *
 * Where a SimulatedHapticDevice has metres, these have millimetres, of which one counts 0.1 in the scene. Without a feedback that is linked, or
 * another user, the device shows `inputForceFeedback`, at most `maxInputForceFeedback`.
 */
#include "simulated_device.h"
#include "stand_in.h"

#include <divan/contracts/visual.h>
#include <divan/input.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { JOINTS = 6 };

typedef struct GeomagicDriver {
    SimulatedDevice device; /* first */
    DvData device_name, stands_for, max_input, input, manual_start, emit, draw_frame, draw_device, angle, speed_factor;
    DvLink feedback;
    HapticUser user; /* shows the input */
    DvScene *aside;  /* of the device that stands for it; or NULL: the simulated arm */
    uint32_t told;
} GeomagicDriver;

static const double tenths_of_millimetres = 100.0; /* of the scene for a metre */

#define FIELD(member, name, type, ...) DV_FIELD(GeomagicDriver, member, name, type, __VA_ARGS__)
#define DRIVER_FIELDS                                                                                                  \
    FIELD(device.front.position_base, "positionBase", dv_type_vec3d, .help = "where the middle of the device lies"),   \
        FIELD(device.front.orientation_base, "orientationBase", dv_type_quat, .init = "0 0 0 1",                       \
              .help = "how the axes of the device lie in the scene"),                                                  \
        FIELD(device.front.orientation_tool, "orientationTool", dv_type_quat, .init = "0 0 0 1",                       \
              .help = "how the tool is held: a turn of the device's own axes"),                                        \
        FIELD(device.front.scale, "scale", dv_type_double, .init = "1", .range = &dv_range_positive,                   \
              .help = "ways in the scene for tenths of millimetres of the device"),                                    \
        FIELD(device.front.force_scale, "forceScale", dv_type_double, .init = "1", .range = &dv_range_not_negative,    \
              .help = "forces of the device for those of the scene"),                                                  \
        FIELD(device_name, "deviceName", dv_type_string, .init = "Default Device",                                     \
              .help = "of the maker's set-up; another stands for it"),                                                 \
        FIELD(stands_for, "device", dv_type_string, .flags = DV_FIELD_AT_LOAD,                                         \
              .help = "class of the device that stands for it, then fields of that; a simulated arm by default"),      \
        FIELD(max_input, "maxInputForceFeedback", dv_type_double, .init = "1", .unit = "N",                            \
              .range = &dv_range_not_negative, .help = "of inputForceFeedback"),                                       \
        FIELD(input, "inputForceFeedback", dv_type_vec3d, .unit = "N",                                                 \
              .help = "force on the device when nothing else pushes it"),                                              \
        DV_FIELD_HELD("manualStart", dv_type_bool, .init = "0", .help = "no effect: ticks begin with the first step"), \
        FIELD(emit, "emitButtonEvent", dv_type_bool, .init = "0",                                                      \
              .help = "tell custom events such as button1pressed and button1released"),                                \
        DV_FIELD_HELD("drawDeviceFrame", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,                         \
                      .help = "no effect: what follows the device is drawn"),                                          \
        DV_FIELD_HELD("drawDevice", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING, .help = "likewise"),         \
        DV_LINK(GeomagicDriver, feedback, "forceFeedBack", NULL, .help = "what pushes through it"),                    \
        FIELD(device.front.position, "positionDevice", dv_type_rigid3s, .flags = DV_FIELD_READ_ONLY,                   \
              .help = "where it is in the scene"),                                                                     \
        FIELD(angle, "angle", dv_type_doubles, .init = "0 0 0 0 0 0", .unit = "rad", .flags = DV_FIELD_READ_ONLY,      \
              .help = "of its joints; a simulated arm has none"),                                                      \
        FIELD(device.front.button[0], "button1", dv_type_bool, .init = "0", .flags = DV_FIELD_READ_ONLY,               \
              .help = "the first is down"),                                                                            \
        FIELD(device.front.button[1], "button2", dv_type_bool, .init = "0", .flags = DV_FIELD_READ_ONLY,               \
              .help = "the second is down"),                                                                           \
        FIELD(device.front.buttons, "buttons", dv_type_uint, .init = "0",                                              \
              .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN, .help = "sum of 1, 2"),                                   \
        ARM_FIELDS(GeomagicDriver, device.),                                                                           \
        FIELD(device.resume, "resume", dv_type_uints, .flags = DV_FIELD_STATE, .help = "where arm and ticks go on")
static const DvField driver_fields[] = {DRIVER_FIELDS, {0}};
static const DvField emulator_fields[] = {
    DRIVER_FIELDS,
    FIELD(speed_factor, "speedFactor", dv_type_double, .init = "0.1", .unit = "rad",
          .help = "by which a key turns a joint: 1 3, 4 6, 7 9, - +, 8 2"),
    {0},
};

/* ---- The force that a field gives ---- */

static void restart(void *self)
{
    (void)self;
}

static void fill(void *self_, double dt, void *block)
{
    GeomagicDriver *self = self_;
    DvVec3 force = dv_vec3_load(dv_data_doubles(&self->input, NULL));
    const double strength = dv_vec3_norm(force), most = dv_data_double(&self->max_input);
    (void)dt;
    if (strength > most)
        force = dv_vec3_scale(force, most / strength);
    dv_vec3_store(force, block);
}

static void tick(void *self_, const HapticNow *now, const void *block, double age, bool fresh, DvRigid3Deriv *wrench)
{
    const GeomagicDriver *self = self_;
    const DvVec3 force = dv_vec3_load(block);
    (void)age;
    (void)fresh;
    if (now->allowed && haptics_user_count(self->device.front.port) == 1)
        wrench->linear = dv_vec3_add(wrench->linear, force);
}

/* ---- The component ---- */

/* No port holds it any more. */
static void destroy(DvObject *object, void *self_)
{
    dv_scene_free(((GeomagicDriver *)self_)->aside);
    simulated_device_destroy(object, self_);
}

static DvStatus construct(DvObject *object, void *self_)
{
    GeomagicDriver *self = self_;
    (void)object;
    self->device.front.unit = tenths_of_millimetres;
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    GeomagicDriver *self = self_;
    DvStatus status = self->aside ? DV_OK : stand_in_make(&self->stands_for, &self->aside);
    DvObject *other = self->aside ? dv_node_find(dv_scene_root(self->aside), DV_HAPTIC_DEVICE, DV_SEARCH_LOCAL) : NULL;
    if (status == DV_OK)
        status = simulated_device_init(object, self_);
    if (status != DV_OK)
        return status;
    self->device.stood_for = other != NULL;
    if (other)
        haptics_act_on(self->device.front.port, other);
    self->user = (HapticUser){.object = object,
                              .self = self,
                              .block_bytes = 3 * sizeof(double),
                              .fill = fill,
                              .restart = restart,
                              .tick = tick};
    haptics_add_user(self->device.front.port, &self->user);
    if (!dv_scene_is_checked(dv_node_scene(dv_object_node(object))))
        dv_remark(object,
                  other ? "%s stands for the device '%s'"
                        : "%s stands for the device '%s'; motion and filename say how it moves",
                  other ? dv_object_class(other)->name : "a simulated arm", dv_data_string(&self->device_name));
    return DV_OK;
}

static void cleanup(DvObject *object, void *self_)
{
    GeomagicDriver *self = self_;
    haptics_remove_user(&self->user);
    simulated_device_cleanup(object, self_);
}

static void tell_buttons(GeomagicDriver *self)
{
    const uint32_t now = dv_data_uint(&self->device.front.buttons);
    for (uint32_t b = 0; b < 2; b++) {
        if (((now ^ self->told) >> b & 1u) == 0)
            continue;
        char name[32];
        (void)snprintf(name, sizeof name, "button%u%s", b + 1, now >> b & 1u ? "pressed" : "released");
        DvEvent event = {.kind = DV_EVENT_CUSTOM, .name = name};
        dv_event_send(dv_node_root(dv_object_node(dv_object_of(self))), &event);
    }
    self->told = now;
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    GeomagicDriver *self = self_;
    simulated_device_hear(object, self_, event);
    if (event->kind == DV_EVENT_ANIMATE_BEGIN && self->device.front.port && dv_data_bool(&self->emit))
        tell_buttons(self);
}

/* Keys turn joints; what follows from them is not computed, as in the reference. */
static void hear_key(GeomagicDriver *self, int key)
{
    static const char keys[] = "134679-+82";
    const char *at = key > 0 && key < 128 ? strchr(keys, key) : NULL;
    if (!at || !*at)
        return;
    const size_t joint = (size_t)(at - keys) / 2;
    const double by = dv_data_double(&self->speed_factor) * ((at - keys) % 2 ? -1.0 : 1.0);
    double *angle = dv_data_begin(&self->angle, JOINTS);
    angle[joint] += by * (joint == 3 ? -1.0 : 1.0);
    dv_data_end(&self->angle);
}

static void emulate(DvObject *object, void *self_, DvEvent *event)
{
    if (event->kind == DV_EVENT_KEY_PRESSED)
        hear_key(self_, event->key);
    handle_event(object, self_, event);
}

#define DRIVER_CLASS                                                                                               \
    .size = sizeof(DvClass), .family = "haptics", .module = "Geomagic", .instance_size = sizeof(GeomagicDriver),   \
    .construct = construct, .init = init, .reinit = dv_object_initialise_again, .reset = simulated_device_reset,   \
    .restore = simulated_device_restore, .cleanup = cleanup, .destroy = destroy, .contracts = (const DvContract[]) \
    {                                                                                                              \
        {.id = DV_HAPTIC_DEVICE, .ops = &simulated_device_ops},                                                    \
        {                                                                                                          \
            0                                                                                                      \
        }                                                                                                          \
    }

const DvClass dv_geomagic_driver = {
    DRIVER_CLASS,
    .name = "GeomagicDriver",
    .aliases = (const char *const[]){"DefaultHapticsDevice", NULL},
    .bases = (const char *const[]){"Controller", NULL},
    .help = "A maker's arm in old scenes; a simulated one stands for it.",
    .fields = driver_fields,
    .handle_event = handle_event,
};

const DvClass dv_geomagic_emulator = {
    DRIVER_CLASS,
    .name = "GeomagicEmulator",
    .bases = (const char *const[]){"GeomagicDriver", "Controller", NULL},
    .help = "The same without a device: keys turn its joints.",
    .fields = emulator_fields,
    .handle_event = emulate,
};
