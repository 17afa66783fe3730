/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "export_mesh.h"

#include <inttypes.h>
#include <string.h>

#include <divan/kit/element_names.h>
#include <divan/memory.h>

const DvElementKind export_order[] = {DV_POINTS,     DV_EDGES,     DV_TRIANGLES, DV_QUADS,
                                      DV_TETRAHEDRA, DV_HEXAHEDRA, DV_PRISMS,    DV_PYRAMIDS};
const uint8_t export_vtk_type[] = {1, 3, 5, 9, 10, 12, 13, 14};

DvStatus mesh_source_find(MeshSource *source, DvObject *object, const DvLink *state, const DvLink *topology,
                          const char *need)
{
    DvObject *found =
        state && dv_link_is_set(state) ? dv_link_object(state) : dv_node_context(dv_object_node(object), DV_STATE);
    mesh_source_release(source);
    const DvStatus status = dv_topology_require(object, topology, need, &source->topology);
    if (status != DV_OK || !found || !dv_object_ops(found, DV_STATE))
        return status;
    const DvStatus required = dv_object_require(object, found);
    if (required == DV_OK) {
        source->state = dv_state_ref(found);
        dv_object_ref(found);
    }
    return required;
}

void mesh_source_release(MeshSource *source)
{
    dv_state_release(&source->state);
    dv_topology_release(&source->topology);
}

/* Positions in space of a state of any type. */
static void take_state(ExportMesh *mesh, DvStateRef state)
{
    const DvConstVec x = dv_state_read(state, DV_POSITION);
    mesh->point_count = x.at ? x.count : 0;
    mesh->points = x.at;
    if (!x.at || x.dim == 3)
        return;
    const uint32_t spatial = state.dof->spatial < x.dim ? state.dof->spatial : x.dim;
    mesh->points = mesh->own = dv_alloc((size_t)x.count * 3, sizeof(double));
    for (size_t i = 0; i < x.count; i++)
        memcpy(mesh->own + 3 * i, x.at + i * x.dim, spatial * sizeof(double));
}

static void take_points(MeshSource *source, DvData *position, ExportMesh *mesh)
{
    size_t count = 0;
    const double *at = position ? dv_data_doubles(position, &count) : NULL;
    const DvTopologyRef *topology = &source->topology;
    if (count) {
        mesh->points = at;
        mesh->point_count = (uint32_t)count;
    } else if (source->state.ops) {
        take_state(mesh, source->state);
    } else if (topology->ops && topology->ops->positions(topology->self)) {
        mesh->points = topology->ops->positions(topology->self);
        mesh->point_count = topology->ops->point_count(topology->self);
    }
}

/* Edges and faces of elements are made when somebody asks for what adjoins what. */
static DvElements elements_of(const DvTopologyRef *topology, DvElementKind kind)
{
    static const DvElementKind higher[] = {DV_TRIANGLES, DV_QUADS, DV_TETRAHEDRA, DV_HEXAHEDRA, DV_PRISMS, DV_PYRAMIDS};
    DvElements elements = dv_topology_elements(topology, kind);
    for (size_t i = 0; i < sizeof higher / sizeof *higher && !elements.count; i++) {
        if (kind > DV_QUADS || higher[i] <= (kind == DV_EDGES ? DV_EDGES : DV_QUADS) ||
            !dv_topology_elements(topology, higher[i]).count)
            continue;
        (void)topology->ops->adjacency(topology->self, higher[i], kind);
        elements = dv_topology_elements(topology, kind);
    }
    return elements;
}

void mesh_source_gather(MeshSource *source, DvData *position, const bool wanted[DV_ELEMENT_KINDS], ExportMesh *mesh)
{
    take_points(source, position, mesh);
    for (uint32_t k = DV_EDGES; k < DV_ELEMENT_KINDS; k++)
        if (wanted[k] && source->topology.ops)
            mesh->elements[k] = elements_of(&source->topology, (DvElementKind)k);
    const uint32_t lost = export_mesh_check(mesh);
    if (lost && !source->told && position)
        dv_warning(position->owner,
                   "%" PRIu32 " elements are left out of the file: they name points beyond the %" PRIu32
                   " that are there",
                   lost, mesh->point_count);
    source->told = source->told || lost;
}

void mesh_source_gather_wanted(MeshSource *source, DvData *position, DvData wanted[DV_ELEMENT_KINDS], ExportMesh *mesh)
{
    bool kinds[DV_ELEMENT_KINDS] = {false};
    for (uint32_t k = DV_EDGES; k < DV_ELEMENT_KINDS; k++)
        kinds[k] = dv_data_bool(&wanted[k]);
    mesh_source_gather(source, position, kinds, mesh);
}

static bool is_there(const uint32_t *nodes, uint32_t count, uint32_t points)
{
    for (uint32_t n = 0; n < count; n++)
        if (nodes[n] >= points)
            return false;
    return true;
}

static uint32_t check_kind(ExportMesh *mesh, DvElementKind kind)
{
    const DvElements all = mesh->elements[kind];
    const uint32_t nodes = dv_element_nodes(kind);
    uint32_t good = 0;
    for (size_t e = 0; e < all.count; e++)
        good += is_there(all.at + e * nodes, nodes, mesh->point_count);
    if (good == all.count)
        return 0;
    uint32_t *kept = mesh->kept[kind] = dv_alloc((size_t)good * nodes, sizeof *kept);
    for (size_t e = 0, to = 0; e < all.count; e++)
        if (is_there(all.at + e * nodes, nodes, mesh->point_count))
            memcpy(kept + nodes * to++, all.at + e * nodes, nodes * sizeof *kept);
    mesh->elements[kind] = (DvElements){kept, good};
    return all.count - good;
}

uint32_t export_mesh_check(ExportMesh *mesh)
{
    uint32_t lost = 0;
    for (uint32_t k = DV_EDGES; k < DV_ELEMENT_KINDS; k++)
        lost += check_kind(mesh, (DvElementKind)k);
    return lost;
}

void export_mesh_free(ExportMesh *mesh)
{
    dv_free(mesh->own);
    for (uint32_t k = 0; k < DV_ELEMENT_KINDS; k++)
        dv_free(mesh->kept[k]);
    *mesh = (ExportMesh){0};
}

uint32_t export_mesh_cells(const ExportMesh *mesh)
{
    uint32_t cells = 0;
    for (uint32_t k = DV_POINTS; k < DV_ELEMENT_KINDS; k++)
        cells += mesh->elements[k].count;
    return cells;
}
