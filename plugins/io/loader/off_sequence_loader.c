/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * OffSequenceLoader: OFF files with numbers at the end of their names, one after the other as time goes on. `filename` names the first; at
 * the beginning of a step the next is read as soon as the present one has been there for stepDuration. Normals stay those of the first
 * file as long as the number of points does, as old scenes have it.
 */
#include "readers.h"
#include <divan/event.h>
#include <divan/kit/mesh_loader.h>
#include <divan/node.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct OffSequence {
    DvMeshLoader base;
    DvData files, duration, frame;
    char *first_name;
    uint32_t first_number;
    uint32_t shown; /* which frame is in the fields */
} OffSequence;

static bool read(DvMeshLoader *loader, const char *bytes, size_t size, DvMeshReport *report)
{
    const DvMeshOptions options = {.flip_normals = dv_data_bool(&loader->flip_normals)};
    const bool good = mesh_read_off(bytes, size, &options, &loader->mesh, report);
    if (good && ((OffSequence *)loader)->first_name && loader->normals.count == loader->mesh.position.count)
        dv_array_append(&loader->mesh.normal, (const DvPoint3 *)loader->normals.value, loader->mesh.position.count);
    return good;
}

/* Where the digits before the first '.' of the last part of a name start. */
static size_t digits_of(const char *name, size_t *end)
{
    const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
    size_t at = *end = (size_t)(last - name) + strcspn(last, ".");
    while (at > (size_t)(last - name) && name[at - 1] >= '0' && name[at - 1] <= '9')
        at--;
    return at;
}

/* Reads a frame. The field `filename` goes on naming the first, which a saved scene starts from. */
static DvStatus show(OffSequence *self, uint32_t frame)
{
    size_t end;
    const size_t digits = digits_of(self->first_name, &end);
    DvText name = {0};
    if (frame == 0)
        dv_text_add(&name, "%s", self->first_name);
    else
        dv_text_add(&name, "%.*s%u.off", (int)digits, self->first_name, self->first_number + frame);
    dv_data_set_string(&self->base.filename, name.at);
    DvStatus status = dv_mesh_loader_ops.load(self);
    dv_data_set_string(&self->base.filename, self->first_name);
    dv_text_free(&name);
    self->shown = frame;
    return status;
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    OffSequence *self = self_;
    if (event->kind != DV_EVENT_ANIMATE_BEGIN || !self->first_name)
        return;
    uint32_t frame = dv_data_uint(&self->frame);
    const uint32_t files = dv_data_uint(&self->files);
    const double now = dv_node_time(dv_object_node(object));
    if (frame < files && frame * dv_data_double(&self->duration) <= now)
        frame++;
    dv_data_set_uint(&self->frame, frame);
    const uint32_t last = files > 0 ? files - 1 : 0;
    const uint32_t wanted = frame < last ? frame : last;
    if (wanted != self->shown)
        (void)show(self, wanted); /* what cannot be read has been said */
}

static DvStatus construct(DvObject *object, void *self_)
{
    OffSequence *self = self_;
    self->base.read = read;
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    return dv_mesh_loader_construct(object, self);
}

static DvStatus parse(DvObject *object, void *self_, const DvAttributes *attributes)
{
    OffSequence *self = self_;
    const DvStatus status = dv_mesh_loader_parse(object, self, attributes);
    if (status != DV_OK)
        return status;
    self->first_name = dv_strdup(dv_data_string(&self->base.filename));
    size_t end;
    const size_t digits = digits_of(self->first_name, &end);
    self->first_number = (uint32_t)strtoul(self->first_name + digits, NULL, 10);
    if (digits == end && dv_data_uint(&self->files) > 1)
        dv_field_warning(&self->base.filename, -1,
                         "'%s' has no number before its ending: the files after it are those numbered 1, 2, ...",
                         self->first_name);
    return DV_OK;
}

static void reset(DvObject *object, void *self_)
{
    (void)object;
    OffSequence *self = self_;
    dv_data_set_uint(&self->frame, 0);
    if (self->shown == 0 || !self->first_name)
        return;
    (void)dv_data_begin_all(&self->base.normals, 0);
    dv_data_end(&self->base.normals);
    (void)show(self, 0);
}

static void destroy(DvObject *object, void *self_)
{
    OffSequence *self = self_;
    dv_free(self->first_name);
    dv_mesh_loader_destroy(object, self);
}

static const DvField fields[] = {
    DV_MESH_LOADER_FIELDS(OffSequence, base.),
    DV_FIELD(OffSequence, files, "nbOfFiles", dv_type_uint, .init = "1", .flags = DV_FIELD_NOT_LINKED,
             .help = "how many files there are"),
    DV_FIELD(OffSequence, duration, "stepDuration", dv_type_double, .init = "0.04", .unit = "s",
             .range = &dv_range_not_negative, .flags = DV_FIELD_NOT_LINKED, .help = "how long each of them is shown"),
    DV_FIELD(OffSequence, frame, "frame", dv_type_uint, .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN,
             .help = "how many times the next file has come"),
    {0},
};

const DvClass dv_off_sequence_loader = {
    .size = sizeof(DvClass),
    .bases = (const char *const[]){"MeshOffLoader", "MeshLoader", "BaseLoader", NULL},
    .family = "loaders",
    .contracts = (const DvContract[]){DV_MESH_LOADER_CONTRACTS, {0}},
    .name = "OffSequenceLoader",
    .module = "Sofa.Component.IO.Mesh",
    .help = "Loads OFF files one after the other as time goes on.",
    .instance_size = sizeof(OffSequence),
    .fields = fields,
    .construct = construct,
    .parse = parse,
    .init = dv_mesh_loader_init,
    .update = dv_mesh_loader_update,
    .reset = reset,
    .handle_event = handle_event,
    .destroy = destroy,
};
