/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plugin for the test of InputEventReader: the class InputKeeper writes down the events of devices, with the time that it sees.
 */
#include <divan/event.h>
#include <divan/plugin.h>
#include <divan/scene.h>

typedef struct InputKeeper {
    DvData log;
    DvText text;
} InputKeeper;

static const DvField fields[] = {
    DV_FIELD(InputKeeper, log, "log", dv_type_string, .help = "what happened"),
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
    InputKeeper *self = self_;
    const double time = dv_node_time(dv_object_node(object));
    if (event->kind == DV_EVENT_MOUSE) {
        const DvMouseMove *move = event->data;
        dv_text_add(&self->text, "%g: moved %d %d\n", time, move->x, move->y);
    } else if (event->kind == DV_EVENT_KEY_PRESSED || event->kind == DV_EVENT_KEY_RELEASED) {
        dv_text_add(&self->text, "%g: %s %c\n", time, event->kind == DV_EVENT_KEY_PRESSED ? "pressed" : "released",
                    event->key);
    } else {
        return;
    }
    dv_data_set_string(&self->log, self->text.at);
}

static void destroy(DvObject *object, void *self)
{
    (void)object;
    dv_text_free(&((InputKeeper *)self)->text);
}

static const DvClass input_keeper = {
    .size = sizeof(DvClass),
    .name = "InputKeeper",
    .family = "tests",
    .help = "Writes down events of devices.",
    .instance_size = sizeof(InputKeeper),
    .fields = fields,
    .construct = construct,
    .handle_event = handle_event,
    .destroy = destroy,
};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "divan.test-input-keeper",
    .version = "0.1.0",
    .license = "LGPL-2.1-or-later",
    .help = "For a test.",
    .classes = (const DvClass *const[]){&input_keeper, NULL},
};
