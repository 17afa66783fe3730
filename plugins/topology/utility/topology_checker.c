/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TopologyChecker: warns when a mesh is not sound: elements that name points which are not there or one point twice, elements
 * that stand in their list twice, faces of more than two bodies and edges of more than two triangles or quads. At the start,
 * and after each step with `eachStep`.
 */
#include "mapping/topological_mapping.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct TopologyChecker {
    DvData each_step;
    DvLink topology;
    DvObject *mesh;
} TopologyChecker;

static bool names_twice(const uint32_t *element, uint32_t nodes)
{
    for (uint32_t i = 1; i < nodes; i++)
        for (uint32_t j = 0; j < i; j++)
            if (element[i] == element[j])
                return true;
    return false;
}

static bool same_points(const uint32_t *a, const uint32_t *b, uint32_t nodes)
{
    for (uint32_t i = 0; i < nodes; i++) {
        bool found = false;
        for (uint32_t j = 0; j < nodes; j++)
            found = found || a[i] == b[j];
        if (!found)
            return false;
    }
    return true;
}

/* Whether an element before it, around its first point, has the same points. */
static bool stands_twice(const ElementList *list, const DvRows *around, uint32_t element)
{
    const uint32_t *points = list->at + (size_t)element * list->nodes;
    uint32_t length;
    const uint32_t *row = row_of(around, points[0], &length);
    for (uint32_t i = 0; i < length; i++)
        if (row[i] < element && same_points(points, list->at + (size_t)row[i] * list->nodes, list->nodes))
            return true;
    return false;
}

static void warn(const DvObject *object, const Topology *mesh, DvElementKind kind, uint32_t count, const char *what)
{
    if (count)
        dv_warning(object, "%" PRIu32 " of the %s of '%s' %s", count, mesh->list[kind].field->name,
                   dv_object_path(mesh->object), what);
}

static void check_list(const DvObject *object, Topology *mesh, DvElementKind kind)
{
    const ElementList list = topology_elements(mesh, kind);
    const DvRows *around = topology_adjacency(mesh, DV_POINTS, kind);
    uint32_t missing = 0, degenerate = 0, repeated = 0;
    for (uint32_t e = 0; e < list.count; e++) {
        const uint32_t *points = list.at + (size_t)e * list.nodes;
        bool there = !(list.skip && list.skip[e]);
        for (uint32_t i = 0; i < list.nodes; i++)
            there = there && points[i] < mesh->points;
        missing += !there;
        degenerate += there && names_twice(points, list.nodes);
        repeated += there && stands_twice(&list, around, e);
    }
    warn(object, mesh, kind, missing, "name points that are not there");
    warn(object, mesh, kind, degenerate, "name a point twice");
    warn(object, mesh, kind, repeated, "are there already");
}

static void check_faces(const DvObject *object, Topology *mesh, DvElementKind face, DvElementKind body,
                        const char *what)
{
    const DvRows *around = topology_adjacency(mesh, face, body);
    uint32_t crowded = 0;
    for (uint32_t i = 0; i < around->count; i++) {
        uint32_t length;
        (void)row_of(around, i, &length);
        crowded += length > 2;
    }
    warn(object, mesh, face, crowded, what);
}

static void check(const DvObject *object, Topology *mesh)
{
    for (int kind = DV_EDGES; kind < DV_ELEMENT_KINDS; kind++)
        if (topology_elements(mesh, (DvElementKind)kind).count)
            check_list(object, mesh, (DvElementKind)kind);
    check_faces(object, mesh, DV_TRIANGLES, DV_TETRAHEDRA, "belong to more than two tetrahedra");
    check_faces(object, mesh, DV_QUADS, DV_HEXAHEDRA, "belong to more than two hexahedra");
    if (topology_elements(mesh, DV_TETRAHEDRA).count + topology_elements(mesh, DV_HEXAHEDRA).count)
        return; /* inside a volume edges have many faces */
    check_faces(object, mesh, DV_EDGES, DV_TRIANGLES, "belong to more than two triangles");
    check_faces(object, mesh, DV_EDGES, DV_QUADS, "belong to more than two quads");
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    TopologyChecker *self = self_;
    if (event->kind == DV_EVENT_ANIMATE_END && dv_data_bool(&self->each_step))
        check(object, topology_of(self->mesh));
}

static DvStatus init(DvObject *object, void *self_)
{
    TopologyChecker *self = self_;
    DvStatus status = dv_object_find_required(object, &self->topology, DV_TOPOLOGY, "a mesh to check", &self->mesh);
    if (status == DV_OK)
        status = dv_object_require(object, self->mesh);
    if (status != DV_OK)
        return status;
    if (!topology_of(self->mesh))
        return dv_error(object, DV_ERROR_UNSUPPORTED, "'%s' is no mesh of the topology plugin",
                        dv_object_path(self->mesh));
    check(object, topology_of(self->mesh));
    return DV_OK;
}

static DvStatus construct(DvObject *object, void *self)
{
    (void)self;
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    return DV_OK;
}

static const DvField fields[] = {
    DV_FIELD(TopologyChecker, each_step, "eachStep", dv_type_bool, .init = "0",
             .help = "check after each step, not only at the start"),
    DV_LINK(TopologyChecker, topology, "topology", DV_TOPOLOGY, .help = "mesh to check; the node's own by default"),
    {0},
};

const DvClass dv_topology_checker = {
    .size = sizeof(DvClass),
    .name = "TopologyChecker",
    .family = "topological changes",
    .module = "Sofa.Component.Topology.Utility",
    .help = "Warns when a mesh is not sound.",
    .instance_size = sizeof(TopologyChecker),
    .fields = fields,
    .construct = construct,
    .init = init,
    .handle_event = handle_event,
};
