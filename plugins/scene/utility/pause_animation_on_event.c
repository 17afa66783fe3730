/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PauseAnimationOnEvent: at an event of pausing, which a condition of an end may send, the root stops asking for steps (`animate`), and a window
 * stops making them.
 */
#include <divan/event.h>
#include <divan/scene.h>

typedef struct PauseAnimation {
    DvData *animate; /* of the root */
} PauseAnimation;

static DvStatus construct(DvObject *object, void *self)
{
    (void)self;
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    PauseAnimation *self = self_;
    DvNode *root = dv_scene_root(dv_node_scene(dv_object_node(object)));
    self->animate = dv_object_field(dv_node_object(root), "animate");
    return DV_OK;
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    PauseAnimation *self = self_;
    (void)object;
    if (event->kind == DV_EVENT_PAUSE && dv_data_bool(self->animate))
        dv_data_set_bool(self->animate, false);
}

static const DvField fields[] = {{0}};

const DvClass dv_pause_animation_on_event = {
    .size = sizeof(DvClass),
    .name = "PauseAnimationOnEvent",
    .bases = (const char *const[]){"PauseAnimation", NULL},
    .family = "settings",
    .module = "Sofa.Component.SceneUtility",
    .help = "Stops the animation at an event of pausing.",
    .instance_size = sizeof(PauseAnimation),
    .fields = fields,
    .construct = construct,
    .init = init,
    .handle_event = handle_event,
};
