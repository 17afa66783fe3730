/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshTopology: a mesh whose connectivity does not change by itself.
 *
 * Lists that are empty at init follow from higher elements when somebody reads them: edges from tetrahedra and
 * hexahedra, or, when there are none, from triangles and quads; triangles from tetrahedra; quads from hexahedra. Their
 * order is that in which a loop over the elements and their local parts meets them first. Edges of volumes and quads
 * are stored with the smaller point first, edges of triangles as the first triangle has them.
 *
 * The number of points is 1 + the largest number that an element names; `position` does not count (a mapping or a file
 * does).
 */
#include "topology.h"

#include <divan/contracts/state.h>

DvStatus mesh_topology_update(DvObject *object, void *self)
{
    (void)object;
    Topology *topology = self;
    const ElementList tetrahedra = topology_elements(topology, DV_TETRAHEDRA);
    const ElementList hexahedra = topology_elements(topology, DV_HEXAHEDRA);
    if (topology->derived[DV_TRIANGLES]) {
        DvIndexArray triangles = {0};
        (void)triangles_create(tetrahedra, false, &triangles);
        topology_set_list(topology, DV_TRIANGLES, triangles.data, triangles.count / 3);
        dv_array_free(&triangles);
    }
    if (topology->derived[DV_QUADS]) {
        DvIndexArray quads = {0};
        quads_create(hexahedra, &quads);
        topology_set_list(topology, DV_QUADS, quads.data, quads.count / 4);
        dv_array_free(&quads);
    }
    if (topology->derived[DV_EDGES]) {
        DvIndexArray edges = {0};
        if (tetrahedra.count + hexahedra.count > 0) {
            parts_create(tetrahedra, &tetrahedron_edges, true, NULL, &edges, NULL);
            parts_create(hexahedra, &hexahedron_edges, true, NULL, &edges, NULL);
        } else {
            parts_create(topology_elements(topology, DV_TRIANGLES), &triangle_edges, false, NULL, &edges, NULL);
            parts_create(topology_elements(topology, DV_QUADS), &quad_edges, true, NULL, &edges, NULL);
        }
        topology_set_list(topology, DV_EDGES, edges.data, edges.count / 2);
        dv_array_free(&edges);
    }
    return DV_OK; /* the mesh is the one it was: what they follow from tells of changes */
}

/* An empty list becomes one that is computed from the others named, as far as those hold something themselves. */
static DvStatus derive(Topology *topology, DvElementKind kind, DvElementKind from, DvElementKind other)
{
    DvData *list = &topology->list[kind];
    const DvElementKind sources[2] = {from, other};
    DvStatus status = DV_OK;
    if (topology_elements(topology, kind).count > 0)
        return DV_OK;
    for (int i = 0; i < (from == other ? 1 : 2) && status == DV_OK; i++) {
        if (topology->derived[sources[i]] || topology_elements(topology, sources[i]).count == 0)
            continue;
        if (!topology->derived[kind])
            status = dv_data_link(list, NULL);
        topology->derived[kind] = true;
        if (status == DV_OK)
            status = dv_data_depend(list, &topology->list[sources[i]]);
    }
    return status;
}

/* An element of a point that the list of positions does not have. That of a state may grow yet. */
static DvStatus check_positions(Topology *topology, DvElementKind kind)
{
    size_t positions;
    (void)dv_data_doubles(&topology->position, &positions);
    const DvData *parent = dv_data_parent(&topology->position);
    if (positions == 0 || (parent && dv_object_ops(parent->owner, DV_STATE)))
        return DV_OK;
    const ElementList elements = topology_elements(topology, kind);
    for (size_t i = 0; i < (size_t)elements.count * elements.nodes; i++)
        if (elements.at[i] >= positions)
            return dv_field_error_missing(&topology->list[kind], (int64_t)(i / elements.nodes), "point", elements.at[i],
                                          "the topology", positions);
    return DV_OK;
}

/* As many points as the elements name. */
static DvStatus count_points(Topology *topology)
{
    for (int kind = DV_EDGES; kind < DV_ELEMENT_KINDS; kind++) {
        uint32_t used;
        DvStatus status = topology_count_used_points(topology, kind, &used);
        if (status == DV_OK)
            status = check_positions(topology, (DvElementKind)kind);
        if (status != DV_OK)
            return status;
        if (used > topology->points)
            topology->points = used;
    }
    return DV_OK;
}

DvStatus mesh_topology_start(Topology *topology)
{
    const DvStatus counted = topology->points == 0 ? count_points(topology) : DV_OK;
    if (counted != DV_OK)
        return counted;
    for (int kind = DV_EDGES; kind < DV_ELEMENT_KINDS; kind++) {
        const DvStatus status = topology_check_points(topology, kind);
        if (status != DV_OK)
            return status;
    }
    const bool volumes =
        topology_elements(topology, DV_TETRAHEDRA).count + topology_elements(topology, DV_HEXAHEDRA).count > 0;
    DvStatus status = derive(topology, DV_TRIANGLES, DV_TETRAHEDRA, DV_TETRAHEDRA);
    if (status == DV_OK)
        status = derive(topology, DV_QUADS, DV_HEXAHEDRA, DV_HEXAHEDRA);
    if (status == DV_OK)
        status = derive(topology, DV_EDGES, volumes ? DV_TETRAHEDRA : DV_TRIANGLES, volumes ? DV_HEXAHEDRA : DV_QUADS);
    if (status != DV_OK)
        return status;
    topology_changed(topology);
    if (dv_data_bool(&topology->compute_all_buffers))
        for (int of = 0; of < DV_ELEMENT_KINDS; of++)
            for (int to = 0; to < DV_ELEMENT_KINDS; to++)
                (void)topology_adjacency(topology, of, to);
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self)
{
    (void)object;
    const DvStatus status = topology_load_file(self);
    if (status == DV_OK)
        topology_merge_points(self);
    return status == DV_OK ? mesh_topology_start(self) : status;
}

static const DvField fields[] = {
    MESH_TOPOLOGY_FIELDS(Topology, ),
    TOPOLOGY_MERGE_FIELD(Topology, ),
    {0},
};

const DvClass dv_mesh_topology = {
    .size = sizeof(DvClass),
    .name = "MeshTopology",
    .bases = (const char *const[]){"BaseMeshTopology", NULL},
    .family = "topologies",
    .module = "Sofa.Component.Topology.Container.Constant",
    .help = "A mesh with constant connectivity.",
    .instance_size = sizeof(Topology),
    .fields = fields,
    .contracts = (const DvContract[]){TOPOLOGY_OF_LISTS_CONTRACTS, {0}},
    .construct = topology_construct,
    .init = init,
    .update = mesh_topology_update,
    .bounding_box = topology_bounding_box,
    .destroy = topology_destroy,
};
