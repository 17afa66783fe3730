/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * EventRecorder: writes down each event that it is told: kind, time, dt, and the first component of the states /polar and
 * /Plane/plane, 0 for one that has no points yet.
 */
#include <divan/contracts/state.h>
#include <divan/plugin.h>

typedef struct EventRecorder {
    DvData log;
} EventRecorder;

static double first_component(DvNode *node, const char *path)
{
    const DvStateRef state = dv_state_ref(dv_node_resolve(node, NULL, path, NULL));
    const double *x = state.ops && dv_state_count(state) ? dv_state_read(state, DV_POSITION).at : NULL;
    return x ? *x : 0;
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    EventRecorder *self = self_;
    DvNode *node = dv_object_node(object);
    size_t count;
    (void)dv_data_doubles(&self->log, &count);
    double *row = (double *)dv_data_begin(&self->log, count + 5) + count;
    row[0] = event->kind;
    row[1] = dv_node_time(node);
    row[2] = event->dt;
    row[3] = first_component(node, "@/polar");
    row[4] = first_component(node, "@/Plane/plane");
    dv_data_end(&self->log);
}

static const DvField fields[] = {
    DV_FIELD(EventRecorder, log, "log", dv_type_doubles, .help = "kind, time, dt and two coordinates of each event"),
    {0},
};

static const DvClass event_recorder = {
    .size = sizeof(DvClass),
    .name = "EventRecorder",
    .instance_size = sizeof(EventRecorder),
    .fields = fields,
    .handle_event = handle_event,
};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "test.event-recorder",
    .version = "1.0",
    .license = "LGPL-2.1-or-later",
    .classes = (const DvClass *const[]){&event_recorder, NULL},
};
