/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * StringMeshCreator: a line of points from (0 0 0) to (1 0 0), one edge after the other, with the fields of a loader.
 */
#include <divan/kit/mesh_loader.h>

typedef struct StringMeshCreator {
    DvMeshLoader base; /* first */
    DvData resolution;
} StringMeshCreator;

static DvStatus create(DvMeshLoader *base)
{
    StringMeshCreator *self = (StringMeshCreator *)base;
    const uint32_t points = dv_data_uint(&self->resolution);
    if (points < 2)
        return dv_field_error(&self->resolution, -1, "is %u; a line has at least 2 points", points);
    const double bytes = (double)points * (sizeof(DvPoint3) + sizeof(DvEdge));
    const DvStatus status = dv_memory_ask(base->object, bytes, "a line of %u points", points);
    if (status != DV_OK)
        return status;
    for (uint32_t x = 0; x < points; x++)
        dv_array_push(&base->mesh.position, ((DvPoint3){{x / (points - 1.0), 0.0, 0.0}}));
    for (uint32_t x = 0; x + 1 < points; x++)
        dv_array_push(&base->mesh.edge, ((DvEdge){{x, x + 1}}));
    return DV_OK;
}

static DvStatus construct(DvObject *object, void *self_)
{
    StringMeshCreator *self = self_;
    self->base.create = create;
    self->base.made_from[0] = &self->resolution;
    return dv_mesh_loader_construct(object, self);
}

static const DvField fields[] = {
    DV_MESH_LOADER_FIELDS(StringMeshCreator, base.),
    DV_FIELD(StringMeshCreator, resolution, "resolution", dv_type_uint, .init = "2",
             .flags = DV_FIELD_INPUT | DV_FIELD_NOT_LINKED, .help = "points of the line, at least 2"),
    {0},
};

const DvClass dv_string_mesh_creator = {
    DV_MESH_LOADER_CLASS,
    .name = "StringMeshCreator",
    .module = "Sofa.Component.IO.Mesh",
    .help = "Makes a line of edges of length 1.",
    .instance_size = sizeof(StringMeshCreator),
    .fields = fields,
    .construct = construct,
    .parse = dv_mesh_loader_parse,
};
