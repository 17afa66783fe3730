/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MergeMeshes: meshes as one: their points one after the other, their elements with the numbers that the points have then.
 */
#include "data_engine.h"
#include "mesh_inputs.h"

#include <divan/kit/mesh_types.h>
#include <divan/kit/value_lists.h>

enum { KINDS = 5 };
static const struct {
    DvElementKind kind;
    const char *name;
    const DvType *type;
} kinds[KINDS] = {{DV_EDGES, "edges", &dv_type_edges},
                  {DV_TRIANGLES, "triangles", &dv_type_triangles},
                  {DV_QUADS, "quads", &dv_type_quads},
                  {DV_TETRAHEDRA, "tetrahedra", &dv_type_tetrahedra},
                  {DV_HEXAHEDRA, "hexahedra", &dv_type_hexahedra}};

typedef struct MergeMeshes {
    DvEngine engine;
    DvData mesh_count, point_count, position, elements[KINDS];
    DvNumberedFields positions, lists[KINDS];
} MergeMeshes;

static DvStatus parse(DvObject *object, void *self_, const DvAttributes *attributes)
{
    (void)attributes;
    MergeMeshes *self = self_;
    DvStatus status = dv_numbered_fields_add(object, &self->positions, &self->mesh_count, "position",
                                             dv_type_of_coords(self->engine.dof), DV_FIELD_INPUT, "points of a mesh");
    for (int k = 0; k < KINDS && status == DV_OK; k++)
        status = dv_numbered_fields_add(object, &self->lists[k], &self->mesh_count, kinds[k].name, kinds[k].type,
                                        DV_FIELD_INPUT, "elements of a mesh");
    return status;
}

static size_t total_of(const DvNumberedFields *fields)
{
    size_t total = 0;
    for (uint32_t i = 0; i < fields->count; i++) {
        (void)dv_data_read(fields->at[i]);
        total += fields->at[i]->count;
    }
    return total;
}

static DvStatus merge_elements(MergeMeshes *self, int k)
{
    const uint32_t nodes = dv_element_nodes(kinds[k].kind);
    DvIndexArray all = {0};
    DvStatus status = DV_OK;
    dv_array_reserve(&all, (uint64_t)nodes * total_of(&self->lists[k]));
    for (uint32_t i = 0, first = 0; i < self->lists[k].count; first += (uint32_t)self->positions.at[i]->count, i++) {
        DvElements elements;
        status = mesh_first(status,
                            mesh_input(self->lists[k].at[i], kinds[k].kind, self->positions.at[i]->count, &elements));
        for (size_t j = 0; j < (size_t)elements.count * nodes; j++)
            dv_array_push(&all, elements.at[j] + first);
    }
    dv_data_set(&self->elements[k], all.data, all.count / nodes);
    dv_array_free(&all);
    return status;
}

static DvStatus update(DvObject *object, void *self_)
{
    (void)object;
    MergeMeshes *self = self_;
    const size_t points = total_of(&self->positions), stride = self->engine.dof->coord;
    double *to = dv_data_begin_all(&self->position, points);
    for (uint32_t i = 0; i < self->positions.count; i++) {
        const size_t numbers = self->positions.at[i]->count * stride;
        if (numbers)
            memcpy(to, self->positions.at[i]->value, numbers * sizeof *to);
        to += numbers;
    }
    dv_data_end(&self->position);
    dv_data_set_uint(&self->point_count, (uint32_t)points);
    DvStatus status = DV_OK;
    for (int k = 0; k < KINDS; k++)
        status = mesh_first(status, merge_elements(self, k));
    return status;
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    MergeMeshes *self = self_;
    dv_numbered_fields_free(&self->positions);
    for (int k = 0; k < KINDS; k++)
        dv_numbered_fields_free(&self->lists[k]);
}

static const DvField fields[] = {
    DV_FIELD(MergeMeshes, mesh_count, "nbMeshes", dv_type_uint, .init = "2", .flags = DV_FIELD_AT_LOAD,
             .help =
                 "number of meshes: position1, edges1, triangles1, quads1, tetrahedra1, hexahedra1, position2, ..."),
    DV_ENGINE_OUTPUT(MergeMeshes, point_count, "npoints", dv_type_uint, "number of points"),
    DV_ENGINE_OUTPUT(MergeMeshes, position, "position", dv_type_coords, "all points", .unit = "m"),
    DV_ENGINE_OUTPUT(MergeMeshes, elements[0], "edges", dv_type_edges, "all edges"),
    DV_ENGINE_OUTPUT(MergeMeshes, elements[1], "triangles", dv_type_triangles, "all triangles"),
    DV_ENGINE_OUTPUT(MergeMeshes, elements[2], "quads", dv_type_quads, "all quads"),
    DV_FIELD_HELD("polygons", dv_mesh_type_index_lists, .help = "no mesh has any"),
    DV_ENGINE_OUTPUT(MergeMeshes, elements[3], "tetrahedra", dv_type_tetrahedra, "all tetrahedra"),
    DV_ENGINE_OUTPUT(MergeMeshes, elements[4], "hexahedra", dv_type_hexahedra, "all hexahedra"),
    {0},
};

const DvClass dv_merge_meshes = {
    PARSED_ENGINE_CLASS(dv_engine_construct, parse, update, destroy),
    .name = "MergeMeshes",
    .variants = "Vec3d Vec1d Vec2d Rigid2d Rigid3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Generate",
    .help = "Merges meshes into one.",
    .instance_size = sizeof(MergeMeshes),
    .fields = fields,
};
