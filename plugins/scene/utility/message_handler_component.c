/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MessageHandlerComponent: in which form messages are printed, for old scenes. Here each has one form, and what is wrong with a scene is said
 * whatever the scene says.
 */
#include <divan/node.h>

typedef struct MessageHandler {
    DvData handler;
} MessageHandler;

static const char *const handlers[] = {"", "sofa", "clang", "rich", "silent", NULL};
enum { SILENT = 4 };

static DvStatus parse(DvObject *object, void *self_, const DvAttributes *attributes)
{
    MessageHandler *self = self_;
    (void)object, (void)attributes;
    if (dv_data_choice(&self->handler) == SILENT)
        dv_field_remark(&self->handler, -1, "a scene cannot silence its messages");
    return DV_OK;
}

static const DvField fields[] = {
    DV_FIELD(MessageHandler, handler, "handler", dv_type_choice, .init = "", .choices = handlers,
             .flags = DV_FIELD_AT_LOAD, .help = "kept for old scenes: messages have one form, and none is silenced"),
    {0},
};

const DvClass dv_message_handler_component = {
    .size = sizeof(DvClass),
    .name = "MessageHandlerComponent",
    .family = "settings",
    .module = "Sofa.Component.SceneUtility",
    .help = "The form of messages, for old scenes; here they have one.",
    .instance_size = sizeof(MessageHandler),
    .fields = fields,
    .parse = parse,
};
