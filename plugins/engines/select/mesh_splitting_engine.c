/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshSplittingEngine: the points of a mesh in parts. A part has the points that are listed for it and those of the elements that are; a
 * point of several belongs to the first. What no part has is the last one.
 */
#include "data_engine.h"
#include "mesh_inputs.h"

#include <stdio.h>

#include <divan/kit/value_lists.h>

enum { KINDS = 5 };
static const struct {
    DvElementKind kind;
    const char *name, *what;
} kinds[KINDS] = {{DV_EDGES, "edgeIndices", "edge"},
                  {DV_TRIANGLES, "triangleIndices", "triangle"},
                  {DV_QUADS, "quadIndices", "quad"},
                  {DV_TETRAHEDRA, "tetrahedronIndices", "tetrahedron"},
                  {DV_HEXAHEDRA, "hexahedronIndices", "hexahedron"}};

typedef struct MeshSplitting {
    DvEngine engine;
    DvData part_count, position, elements[KINDS], pairs;
    DvNumberedFields points, chosen[KINDS]; /* inputs, one of each for each part */
    DvData **outputs;                       /* [parts + 1] */
} MeshSplitting;

static DvStatus parse(DvObject *object, void *self_, const DvAttributes *attributes)
{
    (void)attributes;
    MeshSplitting *self = self_;
    DvStatus status = dv_numbered_fields_add(object, &self->points, &self->part_count, "indices", &dv_type_uints,
                                             DV_FIELD_INPUT, "points of a part");
    for (int k = 0; k < KINDS && status == DV_OK; k++)
        status = dv_numbered_fields_add(object, &self->chosen[k], &self->part_count, kinds[k].name, &dv_type_uints,
                                        DV_FIELD_INPUT, "elements of a part");
    if (status != DV_OK)
        return status;
    self->outputs = dv_alloc((size_t)self->points.count + 1, sizeof *self->outputs);
    for (uint32_t i = 0; i <= self->points.count; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "position%" PRIu32, i + 1);
        self->outputs[i] = dv_value_list_add(object, name, &dv_type_vec3s, DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY,
                                             i < self->points.count ? "positions of a part" : "positions of the rest");
        if (!self->outputs[i])
            return DV_ERROR_INVALID;
    }
    return DV_OK;
}

/* Gives points to a part unless they have one. */
static void take(uint32_t *part_of, uint32_t part, const uint32_t *points, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (part_of[points[i]] == UINT32_MAX)
            part_of[points[i]] = part;
}

static DvStatus take_part(MeshSplitting *self, uint32_t part, const DvElements *elements, size_t points,
                          uint32_t *part_of)
{
    size_t count;
    const uint32_t *at = dv_data_uints(self->points.at[part], &count);
    for (size_t i = 0; i < count; i++) {
        if (at[i] >= points)
            return dv_field_error(self->points.at[part], (int64_t)i, "point %" PRIu32 " of %zu positions", at[i],
                                  points);
        take(part_of, part, &at[i], 1);
    }
    for (int k = 0; k < KINDS; k++) {
        const uint32_t nodes = dv_element_nodes(kinds[k].kind);
        at = dv_data_uints(self->chosen[k].at[part], &count);
        for (size_t i = 0; i < count; i++) {
            if (at[i] >= elements[k].count)
                return dv_field_error(self->chosen[k].at[part], (int64_t)i, "%s %" PRIu32 " of %" PRIu32, kinds[k].what,
                                      at[i], elements[k].count);
            take(part_of, part, elements[k].at + (size_t)at[i] * nodes, nodes);
        }
    }
    return DV_OK;
}

/* part_of[points], UINT32_MAX for the rest. */
static void write_parts(MeshSplitting *self, const double *x, size_t points, const uint32_t *part_of)
{
    const uint32_t rest = self->points.count;
    uint32_t *size = dv_alloc((size_t)rest + 1, sizeof *size), *pairs = dv_data_begin_all(&self->pairs, 2 * points);
    for (size_t i = 0; i < points; i++) {
        const uint32_t part = part_of[i] == UINT32_MAX ? rest : part_of[i];
        pairs[2 * i] = part;
        pairs[2 * i + 1] = size[part]++;
    }
    double **to = dv_alloc((size_t)rest + 1, sizeof *to);
    for (uint32_t p = 0; p <= rest; p++)
        to[p] = dv_data_begin_all(self->outputs[p], size[p]);
    for (size_t i = 0; i < points; i++)
        memcpy(to[pairs[2 * i]] + 3 * (size_t)pairs[2 * i + 1], x + 3 * i, 3 * sizeof *x);
    for (uint32_t p = 0; p <= rest; p++)
        dv_data_end(self->outputs[p]);
    dv_data_end(&self->pairs);
    dv_free(to);
    dv_free(size);
}

static DvStatus update(DvObject *object, void *self_)
{
    (void)object;
    MeshSplitting *self = self_;
    size_t points;
    const double *x = dv_data_doubles(&self->position, &points);
    uint32_t *part_of = dv_alloc(points, sizeof *part_of);
    DvElements elements[KINDS];
    DvStatus status = DV_OK;
    for (int k = 0; k < KINDS; k++)
        status = mesh_first(status, mesh_input(&self->elements[k], kinds[k].kind, points, &elements[k]));
    for (size_t i = 0; i < points; i++)
        part_of[i] = UINT32_MAX;
    for (uint32_t part = 0; part < self->points.count && status == DV_OK; part++)
        status = take_part(self, part, elements, points, part_of);
    write_parts(self, x, status == DV_OK ? points : 0, part_of);
    dv_free(part_of);
    return status;
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    MeshSplitting *self = self_;
    dv_numbered_fields_free(&self->points);
    for (int k = 0; k < KINDS; k++)
        dv_numbered_fields_free(&self->chosen[k]);
    dv_free(self->outputs);
}

static const DvField fields[] = {
    DV_ENGINE_INPUT(MeshSplitting, position, "position", dv_type_vec3s, "points of the mesh", .unit = "m"),
    DV_ENGINE_INPUT(MeshSplitting, elements[0], "edges", dv_type_edges, "its edges"),
    DV_ENGINE_INPUT(MeshSplitting, elements[1], "triangles", dv_type_triangles, "its triangles"),
    DV_ENGINE_INPUT(MeshSplitting, elements[2], "quads", dv_type_quads, "its quads"),
    DV_ENGINE_INPUT(MeshSplitting, elements[3], "tetrahedra", dv_type_tetrahedra, "its tetrahedra"),
    DV_ENGINE_INPUT(MeshSplitting, elements[4], "hexahedra", dv_type_hexahedra, "its hexahedra"),
    DV_FIELD(MeshSplitting, part_count, "nbInputs", dv_type_uint, .init = "0", .flags = DV_FIELD_AT_LOAD,
             .help = "number of parts: indices1, edgeIndices1, triangleIndices1, quadIndices1, tetrahedronIndices1, "
                     "hexahedronIndices1, indices2, ..."),
    DV_ENGINE_OUTPUT(MeshSplitting, pairs, "indexPairs", dv_type_uints, "for each point its part and its number there"),
    {0},
};

const DvClass dv_mesh_splitting_engine = {
    PARSED_ENGINE_CLASS(dv_engine_construct, parse, update, destroy),
    .name = "MeshSplittingEngine",
    .variants = "Vec3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Select",
    .help = "Splits the points of a mesh into parts.",
    .instance_size = sizeof(MeshSplitting),
    .fields = fields,
};
