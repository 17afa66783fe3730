/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MechanicalStateController: a body moved by the mouse or a haptic device.
 *
 * By the mouse, while a button is down, by the way (dx, dy) of the pointer, to the right and down, in pixels:
 *
 *   left          orientation := orientation rot(y, dx / 1000) rot(z, dy / 1000)
 *   right         centre += R mainDirection dy / 20; orientation := orientation rot(x, dx / 1000)
 *   translation   left: x += dx, right: y += dy, middle: z += dy, a unit for a pixel
 *
 * By keys, where `keyWay` says how far, in pixels: an arrow moves the pointer to its side with the left button, with Shift the right one, with Control
 * the middle one.
 *
 * That of the free position with the right button turns twice, as old scenes have it. A body of Vec1d is a gripper of two jaws: while the middle
 * button, or one of the device, is down, both rest at -0.4, else at 0; the arrow down closes them too, the arrow up opens them.
 */
#include <divan/contracts/haptic_device.h>
#include <divan/contracts/mechanical_operations.h>
#include <divan/divan.h>
#include <divan/input.h>
#include <divan/kit/states.h>
#include <divan/plugin.h>

#include <string.h>

/* What events have told; without gaps, as a run must remember it. */
typedef struct Motion {
    double way[2];               /* pixels by the mouse, not applied yet */
    double keys[4][2];           /* by keys, for each button */
    uint32_t held;               /* the button */
    uint32_t key_closes, closed; /* the jaws: by a key; at the last application */
    uint32_t unused;
} Motion;

typedef struct MechanicalStateController {
    DvData update_on_event, index, only_translation, button_state, main_direction, key_way, resume;
    DvLink mstate, device;
    DvStateRef state;
    const DvMechanicalOperationsOps *ops;
    DvMechanics *m;
    Motion now;
} MechanicalStateController;

#define FIELD(member, name, type, ...) DV_FIELD(MechanicalStateController, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    FIELD(update_on_event, "handleEventTriggersUpdate", dv_type_bool, .init = "0",
          .help = "a motion of the mouse acts at once, not in the next step alone"),
    FIELD(index, "index", dv_type_uint, .init = "0", .help = "the point that is moved"),
    FIELD(only_translation, "onlyTranslation", dv_type_bool, .init = "0", .help = "each button moves along an axis"),
    FIELD(button_state, "buttonDeviceState", dv_type_bool, .init = "0", .help = "a button of the device is down"),
    FIELD(main_direction, "mainDirection", dv_type_vec3d, .init = "0 0 -1",
          .help = "of the body's own axes, along which the right button moves it"),
    FIELD(key_way, "keyWay", dv_type_double, .init = "0", .range = &dv_range_not_negative,
          .help = "pixels for which an arrow key counts; 0: keys do nothing"),
    DV_LINK(MechanicalStateController, mstate, "mstate", DV_STATE, .help = "the body; that of the node by default"),
    DV_LINK(MechanicalStateController, device, "device", DV_HAPTIC_DEVICE,
            .help = "a device that the body follows; without it the mouse moves it"),
    FIELD(resume, "resume", dv_type_uints, .flags = DV_FIELD_STATE,
          .help = "what events have told and no step has done"),
    {0},
};

static DvStatus restore(DvObject *object, void *self_)
{
    MechanicalStateController *self = self_;
    size_t count;
    const uint32_t *words = dv_data_uints(&self->resume, &count);
    (void)object;
    memset(&self->now, 0, sizeof self->now);
    if (4 * count == sizeof self->now)
        memcpy(&self->now, words, sizeof self->now);
    return DV_OK;
}

/* Where something has been told since the last step, or before it. */
static void remember(MechanicalStateController *self)
{
    static const Motion none;
    size_t count;
    const uint32_t *words = dv_data_uints(&self->resume, &count);
    if (count == 0 ? memcmp(&self->now, &none, sizeof none) == 0 : memcmp(&self->now, words, sizeof self->now) == 0)
        return;
    memcpy(dv_data_begin_all(&self->resume, sizeof self->now / 4), &self->now, sizeof self->now);
    dv_data_end(&self->resume);
}

static DvStatus bwd_init(DvObject *object, void *self_)
{
    MechanicalStateController *self = self_;
    DvStatus status = dv_state_require(object, &self->mstate, &self->state);
    if (status != DV_OK)
        return status;
    if (dv_link_is_set(&self->device) && dv_link_object(&self->device)) {
        status = dv_object_require(object, dv_link_object(&self->device));
        dv_data_set_bool(dv_object_field(object, "listening"), true);
    }
    if (status != DV_OK)
        return status;
    const uint32_t count = dv_state_count(self->state), index = dv_data_uint(&self->index);
    if (index >= count && count > 0)
        return dv_field_error_missing(&self->index, -1, "point", index, "the state", count);
    if (dv_data_is_set(&self->resume))
        (void)restore(object, self_);
    self->ops = dv_service(DV_MECHANICAL_OPERATIONS);
    self->m = self->ops ? self->ops->open(dv_object_node(object)) : NULL;
    return DV_OK;
}

/* Constraints, and what hangs on the body. */
static void follow(const MechanicalStateController *self)
{
    const DvNode *node = dv_object_node(self->state.object);
    const DvStep step = {
        .time = dv_node_time(node), .dt = dv_node_dt(node), .position = DV_POSITION, .velocity = DV_VELOCITY};
    if (!self->m)
        return;
    self->ops->project_position(self->m, &step, DV_POSITION);
    self->ops->project_velocity(self->m, &step, DV_VELOCITY);
    self->ops->propagate_position(self->m, &step, DV_POSITION);
    self->ops->propagate_velocity(self->m, &step, DV_VELOCITY);
}

static DvQuat about(double x, double y, double z, double pixels)
{
    return dv_quat_from_axis_angle(dv_vec3(x, y, z), 0.001 * pixels);
}

static void turn(double *frame, DvQuat by)
{
    dv_quat_store(dv_quat_mul(dv_quat_load(frame + 3), by), frame + 3);
}

static void move_frame(MechanicalStateController *self, DvPressedButton held, const double way[2], double *frame,
                       bool is_free)
{
    const double dx = way[0], dy = way[1];
    const bool left = held == DV_LEFT_BUTTON, right = held == DV_RIGHT_BUTTON;
    if (dv_data_bool(&self->only_translation)) {
        frame[0] += left ? dx : 0.0;
        frame[1] += right ? dy : 0.0;
        frame[2] += held == DV_MIDDLE_BUTTON ? dy : 0.0;
    } else if (left) {
        turn(frame, dv_quat_mul(about(0, 1, 0, dx), about(0, 0, 1, dy)));
    } else if (right) {
        const DvVec3 along = dv_vec3_load(dv_data_doubles(&self->main_direction, NULL));
        const DvVec3 by = dv_quat_rotate(dv_quat_load(frame + 3), dv_vec3_scale(along, 0.05 * dy));
        dv_vec3_accumulate(by, frame);
        turn(frame, about(1, 0, 0, dx));
        if (is_free)
            turn(frame, about(1, 0, 0, dx));
    }
}

static double *point_of(MechanicalStateController *self, DvVecId id)
{
    const DvVec x = dv_state_write(self->state, id, DV_READ_WRITE);
    const size_t index = dv_data_uint(&self->index);
    return x.at && index < x.count ? x.at + index * x.dim : NULL;
}

static void move_jaws(MechanicalStateController *self)
{
    const bool closed = self->now.held == DV_MIDDLE_BUTTON || self->now.key_closes || dv_data_bool(&self->button_state);
    const DvConstVec now = dv_state_read(self->state, DV_REST_POSITION);
    const double rest = closed ? -0.4 : 0.0;
    if (closed == self->now.closed && (now.count < 1 || !now.at || now.at[0] == rest))
        return;
    self->now.closed = closed;
    const DvVec x = dv_state_write(self->state, DV_REST_POSITION, DV_READ_WRITE);
    for (uint32_t i = 0; x.at && i < x.count && i < 2; i++)
        x.at[i] = rest;
}

/* With this button by this way. */
static void move_by(MechanicalStateController *self, DvPressedButton held, double way[2])
{
    if (held != DV_NO_BUTTON && (way[0] != 0.0 || way[1] != 0.0)) {
        double *frame = point_of(self, DV_POSITION);
        if (frame)
            move_frame(self, held, way, frame, false);
        frame = self->state.ops->has(self->state.self, DV_FREE_POSITION) ? point_of(self, DV_FREE_POSITION) : NULL;
        if (frame)
            move_frame(self, held, way, frame, true);
        follow(self);
    }
    way[0] = way[1] = 0.0;
}

static void apply(MechanicalStateController *self)
{
    if (!self->state.dof->rotation) {
        move_jaws(self);
        self->now.way[0] = self->now.way[1] = 0.0;
        return;
    }
    move_by(self, (DvPressedButton)self->now.held, self->now.way);
    for (int b = DV_LEFT_BUTTON; b <= DV_RIGHT_BUTTON; b++)
        move_by(self, (DvPressedButton)b, self->now.keys[b]);
}

/* Arrows, as hosts number them. */
static void hear_key(MechanicalStateController *self, const DvEvent *event)
{
    enum { LEFT = 18, UP, RIGHT, DOWN };
    const DvKeyStroke *stroke = event->data;
    const double way = dv_data_double(&self->key_way);
    const uint32_t held = stroke ? stroke->held : 0;
    const int button = held & DV_KEY_CONTROL ? DV_MIDDLE_BUTTON
                       : held & DV_KEY_SHIFT ? DV_RIGHT_BUTTON
                                             : DV_LEFT_BUTTON;
    if (way <= 0.0 || event->key < LEFT || event->key > DOWN)
        return;
    self->now.keys[button][0] += event->key == LEFT ? -way : event->key == RIGHT ? way : 0.0;
    self->now.keys[button][1] += event->key == UP ? -way : event->key == DOWN ? way : 0.0;
    if (event->key == UP || event->key == DOWN)
        self->now.key_closes = event->key == DOWN;
    if (dv_data_bool(&self->update_on_event))
        apply(self);
}

static void hear_mouse(MechanicalStateController *self, const DvMouseEvent *mouse)
{
    if (mouse->change == DV_MOUSE_PRESSED) {
        self->now.held = mouse->button;
        self->now.way[0] = self->now.way[1] = 0.0;
    } else if (mouse->change == DV_MOUSE_RELEASED) {
        self->now.held = DV_NO_BUTTON;
    } else if (mouse->change == DV_MOUSE_MOVED && self->now.held != DV_NO_BUTTON) {
        self->now.way[0] += mouse->move.x;
        self->now.way[1] += mouse->move.y;
        if (dv_data_bool(&self->update_on_event))
            apply(self);
    }
}

static void hear_device(MechanicalStateController *self, const DvHapticEvent *device)
{
    if (device->wanted || device->device != dv_link_object(&self->device))
        return;
    if (dv_data_bool(&self->button_state) != (device->buttons != 0))
        dv_data_set_bool(&self->button_state, device->buttons != 0);
    if (!self->state.dof->rotation)
        return;
    double *frame = point_of(self, DV_POSITION);
    if (!frame)
        return;
    dv_vec3_store(dv_vec3_load(device->position), frame);
    dv_quat_store(dv_quat_load(device->orientation), frame + 3);
    follow(self);
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    MechanicalStateController *self = self_;
    (void)object;
    if (!self->state.ops)
        return;
    if (event->kind == DV_EVENT_MOUSE && event->data)
        hear_mouse(self, event->data);
    else if (event->kind == DV_EVENT_KEY_PRESSED)
        hear_key(self, event);
    else if (event->kind == DV_EVENT_HAPTIC_DEVICE && event->data)
        hear_device(self, event->data);
    else if (event->kind == DV_EVENT_ANIMATE_BEGIN)
        apply(self);
    else if (event->kind == DV_EVENT_ANIMATE_END)
        remember(self);
}

static void reset(DvObject *object, void *self_)
{
    MechanicalStateController *self = self_;
    (void)object;
    memset(&self->now, 0, sizeof self->now);
}

static void cleanup(DvObject *object, void *self_)
{
    MechanicalStateController *self = self_;
    (void)object;
    if (self->m)
        self->ops->close(self->m);
    self->m = NULL;
    dv_state_release(&self->state);
}

static const DvVariantSource sources[] = {{"mstate", "", DV_STATE}, {0}};

const DvClass dv_mechanical_state_controller = {
    .size = sizeof(DvClass),
    .name = "MechanicalStateController",
    .variants = "Rigid3d Vec1d",
    .variant_rule = DV_VARIANT_OF_ALL,
    .sources = sources,
    .bases = (const char *const[]){"Controller", NULL},
    .family = "haptics",
    .module = "Sofa.Component.Controller",
    .help = "Moves a body by the mouse or a haptic device.",
    .instance_size = sizeof(MechanicalStateController),
    .fields = fields,
    .bwd_init = bwd_init,
    .reinit = dv_object_initialise_again,
    .handle_event = handle_event,
    .reset = reset,
    .restore = restore,
    .cleanup = cleanup,
};
