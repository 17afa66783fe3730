/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * FileMessageHandlerComponent: keeps what is said of its scene in a file, a line each, from its place in the scene on. As all files that a scene
 * writes it lies below the working folder, and takes the place of an old one when the scene ends; a check of a scene writes none.
 */
#include <stdio.h>

#include <divan/output.h>
#include <divan/scene.h>

typedef struct FileMessageHandler {
    DvData filename;
    FILE *file;
    DvScene *scene; /* that it listens to; or NULL */
} FileMessageHandler;

static void hear(const DvMessage *message, void *self_)
{
    static const char *const words[] = {"debug", "info", "warning", "error"};
    const FileMessageHandler *self = self_;
    DvText line = {0};
    dv_message_print(message, &line);
    (void)fprintf(self->file, "%s: %s\n", words[message->level], line.at); /* what is lost is found when it is closed */
    (void)fflush(self->file);
    dv_text_free(&line);
}

static DvStatus parse(DvObject *object, void *self_, const DvAttributes *attributes)
{
    FileMessageHandler *self = self_;
    (void)attributes;
    const char *name = dv_data_string(&self->filename);
    if (!*name)
        return dv_field_error(&self->filename, -1, "it must name the file that messages are written to"),
               DV_ERROR_MISSING;
    DvScene *scene = dv_node_scene(dv_object_node(object));
    if (dv_scene_is_checked(scene))
        return DV_OK;
    DvText why = {0};
    self->file = dv_scene_output_open(scene, name, &why);
    if (self->file) {
        self->scene = scene;
        dv_scene_listen(scene, hear, self);
    } else {
        dv_field_error(&self->filename, -1, "'%s' cannot be written: %s", name, why.at ? why.at : "");
    }
    dv_text_free(&why);
    return self->file ? DV_OK : DV_ERROR_IO;
}

static void stop(FileMessageHandler *self)
{
    if (!self->file)
        return;
    DvText why = {0};
    dv_scene_unlisten(self->scene, self);
    if (dv_output_close(self->file, DV_OUTPUT_WHOLE, &why) != DV_OK)
        dv_scene_output_lost(&self->filename, dv_data_string(&self->filename), &why);
    dv_text_free(&why);
    self->file = NULL;
}

static void cleanup(DvObject *object, void *self)
{
    (void)object;
    stop(self);
}

static void destroy(DvObject *object, void *self)
{
    (void)object;
    stop(self); /* of a scene that was never initialised */
}

static const DvField fields[] = {
    DV_FIELD(FileMessageHandler, filename, "filename", dv_type_string, .flags = DV_FIELD_REQUIRED | DV_FIELD_AT_LOAD,
             .help = "the file that messages are written to"),
    {0},
};

const DvClass dv_file_message_handler_component = {
    .size = sizeof(DvClass),
    .name = "FileMessageHandlerComponent",
    .family = "settings",
    .module = "Sofa.Component.SceneUtility",
    .help = "Keeps what is said of its scene in a file.",
    .instance_size = sizeof(FileMessageHandler),
    .fields = fields,
    .parse = parse,
    .cleanup = cleanup,
    .destroy = destroy,
};
