/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plugin for the test of the animation loop: the class EventRecorder writes down each event with the time and a position that
 * it sees.
 */
#include <divan/contracts/state.h>
#include <divan/plugin.h>

typedef struct EventRecorder {
    DvData log; /* "kind time position" per event */
    DvText text;
} EventRecorder;

static const DvField fields[] = {
    DV_FIELD(EventRecorder, log, "log", dv_type_string, .help = "what happened"),
    {0},
};

static DvStatus construct(DvObject *object, void *self)
{
    (void)self;
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    return DV_OK;
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    static const char *const names[] = {
        [DV_EVENT_ANIMATE_BEGIN] = "AnimateBegin",         [DV_EVENT_ANIMATE_END] = "AnimateEnd",
        [DV_EVENT_COLLISION_BEGIN] = "CollisionBegin",     [DV_EVENT_COLLISION_END] = "CollisionEnd",
        [DV_EVENT_INTEGRATE_BEGIN] = "IntegrateBegin",     [DV_EVENT_INTEGRATE_END] = "IntegrateEnd",
        [DV_EVENT_UPDATE_MAPPING_END] = "UpdateMappingEnd"};
    EventRecorder *self = self_;
    if (event->kind < DV_EVENT_ANIMATE_BEGIN || event->kind > DV_EVENT_UPDATE_MAPPING_END)
        return;
    const DvStateRef state = dv_state_ref(dv_node_context(dv_object_node(object), DV_STATE));
    dv_text_add(&self->text, "%s %g %g %g\n", names[event->kind], event->dt, dv_node_time(dv_object_node(object)),
                dv_state_read(state, DV_POSITION).at[0]);
    dv_data_set_string(&self->log, self->text.at);
}

static void destroy(DvObject *object, void *self)
{
    (void)object;
    dv_text_free(&((EventRecorder *)self)->text);
}

static const DvClass event_recorder = {
    .size = sizeof(DvClass),
    .name = "EventRecorder",
    .family = "tests",
    .help = "Writes down events.",
    .instance_size = sizeof(EventRecorder),
    .fields = fields,
    .construct = construct,
    .handle_event = handle_event,
    .destroy = destroy,
};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "divan.test-event-recorder",
    .version = "0.1.0",
    .license = "LGPL-2.1-or-later",
    .help = "For a test.",
    .classes = (const DvClass *const[]){&event_recorder, NULL},
};
