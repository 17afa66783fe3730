/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PointSet-, EdgeSet-, TriangleSet-, QuadSet-, TetrahedronSet- and HexahedronSetTopologyContainer: meshes that
 * modifiers change while they run.
 *
 * A container is named after its highest elements. When it has any, init makes the lower elements that are missing:
 * edges and triangles of tetrahedra, edges and quads of hexahedra, edges of triangles and quads, in the order of a
 * loop over the elements and their local parts. Lists that a scene gives are kept as they are; edges that they lack
 * are appended with a warning, faces are not (a list of the boundary alone is usual): what needs all faces is then not
 * available.
 *
 * The number of points is that of `position` when a scene gives it, else 1 + the largest number an element names.
 *
 * A saved scene holds the lists as modifiers have left them; which elements name removed points is kept in a hidden
 * field: for each kind of elements how many do, then for each of them its number and the bits of its points.
 */
#include "table_edits.h"

#include <inttypes.h>

/* Edges of the container's own elements that the list lacks. */
static void complete_edges(Topology *topology)
{
    const PartTable *table = topology_part_table(topology->own, DV_EDGES);
    const ElementList elements = topology_elements(topology, topology->own),
                      known = topology_elements(topology, DV_EDGES);
    if (!table)
        return;
    DvIndexArray edges = {0};
    dv_array_append(&edges, known.at, known.count * 2);
    parts_create(elements, table, topology->own != DV_TRIANGLES, NULL, &edges, NULL);
    const uint32_t added = edges.count / 2 - known.count;
    if (known.count && added)
        dv_field_warning(&topology->list[DV_EDGES], -1,
                         "%" PRIu32 " edges of the elements were missing and are appended", added);
    if (added) {
        (void)dv_data_link(&topology->list[DV_EDGES], NULL);
        topology_set_list(topology, DV_EDGES, edges.data, edges.count / 2);
    }
    dv_array_free(&edges);
}

static void create_faces(Topology *topology)
{
    const ElementList elements = topology_elements(topology, topology->own);
    const DvElementKind face = topology->own == DV_TETRAHEDRA ? DV_TRIANGLES : DV_QUADS;
    DvIndexArray faces = {0};
    if (topology_elements(topology, face).count > 0)
        return;
    if (topology->own == DV_TETRAHEDRA) {
        const uint32_t again = triangles_create(elements, true, &faces);
        if (again)
            dv_field_warning(&topology->list[DV_TETRAHEDRA], -1,
                             "%" PRIu32 " faces are shared by tetrahedra of opposite "
                             "orientation",
                             again);
    } else {
        quads_create(elements, &faces);
    }
    (void)dv_data_link(&topology->list[face], NULL);
    topology_set_list(topology, face, faces.data, faces.count / dv_element_nodes(face));
    dv_array_free(&faces);
}

/* Elements that name a point twice, for checkTopology. */
static void check_elements(Topology *topology)
{
    for (int kind = DV_EDGES; kind < DV_ELEMENT_KINDS; kind++) {
        const ElementList elements = topology_elements(topology, kind);
        for (uint32_t element = 0; element < elements.count; element++) {
            const uint32_t *point = elements.at + (size_t)element * elements.nodes;
            for (uint32_t i = 1; i < elements.nodes; i++)
                for (uint32_t j = 0; j < i; j++)
                    if (point[i] == point[j])
                        dv_field_error(&topology->list[kind], element, "point %" PRIu32 " appears twice", point[i]);
        }
    }
}

/* Pieces that no edge joins, for checkConnexity. */
static void check_connection(Topology *topology)
{
    const DvRows *around = topology_adjacency(topology, DV_POINTS, DV_POINTS);
    uint32_t *stack = dv_alloc(around->count, sizeof *stack), pieces = 0;
    bool *seen = dv_alloc(around->count, sizeof *seen);
    for (uint32_t start = 0; start < around->count; start++) {
        if (seen[start])
            continue;
        uint32_t depth = 0;
        pieces++;
        seen[start] = true;
        stack[depth++] = start;
        while (depth) {
            const uint32_t point = stack[--depth];
            for (uint32_t at = around->begin[point]; at < around->end[point]; at++)
                if (around->items[at] < around->count && !seen[around->items[at]]) {
                    seen[around->items[at]] = true;
                    stack[depth++] = around->items[at];
                }
        }
    }
    if (pieces > 1)
        dv_remark(topology->object, "the mesh is in %" PRIu32 " pieces that no edge joins", pieces);
    dv_free(stack);
    dv_free(seen);
}

/* What is attached from now on knows these counts. */
static void count_told(Topology *topology)
{
    topology->told[DV_POINTS] = topology->points;
    for (int kind = DV_EDGES; kind <= DV_HEXAHEDRA; kind++)
        topology->told[kind] = topology_elements(topology, kind).count;
}

DvStatus set_container_start(Topology *topology)
{
    size_t positions;
    (void)dv_data_doubles(&topology->position, &positions);
    /* `src` may lead to a container whose points a mapping made, without positions: that says nothing of their number. */
    const bool given = dv_data_is_set(&topology->position) && positions > 0;
    uint32_t points = topology->points, used = 0;
    if (dv_data_uint(&topology->point_count_field) > points)
        points = dv_data_uint(&topology->point_count_field);
    if (topology->own != DV_POINTS) {
        const DvStatus status = topology_count_used_points(topology, topology->own, &used);
        if (status != DV_OK)
            return status;
    }
    if (given && topology->own != DV_POINTS)
        points = (uint32_t)positions;
    else if (positions > points)
        points = (uint32_t)positions;
    if ((!given || topology->own == DV_HEXAHEDRA) && used > points)
        points = used;
    topology_set_points(topology, points);
    if (topology->own == DV_POINTS) {
        topology_changed(topology);
        count_told(topology);
        return DV_OK;
    }
    const DvStatus status = topology_check_points(topology, topology->own);
    if (status != DV_OK)
        return status;
    if (topology_elements(topology, topology->own).count > 0) {
        complete_edges(topology);
        if (topology->own == DV_TETRAHEDRA || topology->own == DV_HEXAHEDRA)
            create_faces(topology);
    }
    topology_changed(topology);
    count_told(topology);
    if (dv_data_bool(&topology->check_topology))
        check_elements(topology);
    if (dv_data_bool(&topology->check_connexity))
        check_connection(topology);
    return DV_OK;
}

void set_container_remember(Topology *topology)
{
    count_told(topology);
    if (topology->edited && !topology->loose_changed)
        return;
    DvIndexArray saved = {0};
    for (int kind = DV_EDGES; kind <= DV_HEXAHEDRA; kind++) {
        const DvIndexArray *loose = &topology->loose[kind];
        dv_array_push(&saved, loose->count);
        for (uint32_t i = 0; i < loose->count; i++) {
            dv_array_push(&saved, loose->data[i]);
            dv_array_push(&saved, topology->dangling[kind][loose->data[i]]);
        }
    }
    dv_data_set(&topology->saved, saved.data, saved.count);
    dv_array_free(&saved);
    topology->edited = true;
    topology->loose_changed = false;
}

/* One kind's part of the saved numbers. False: they end too early, or are of another mesh. */
static bool restore_dangling(Topology *topology, DvElementKind kind, const uint32_t **at, const uint32_t *end)
{
    const uint32_t elements = topology_elements(topology, kind).count;
    const uint32_t count = *at < end ? *(*at)++ : UINT32_MAX;
    topology_tie(topology, kind);
    if (count > (uint64_t)(end - *at) / 2)
        return false;
    if (count > 0) {
        topology->dangling[kind] = dv_alloc(elements, 1);
        topology->dangling_capacity[kind] = elements;
    }
    for (uint32_t i = 0; i < count; i++, *at += 2) {
        if ((*at)[0] >= elements)
            return false;
        dv_array_push(&topology->loose[kind], (*at)[0]);
        topology->dangling[kind][(*at)[0]] = (uint8_t)(*at)[1];
    }
    return true;
}

static void tell_all(Topology *topology, DvElementKind kind, DvElementChangeKind change, uint32_t count)
{
    const bool added = change == DV_ELEMENTS_ADDED;
    uint32_t *indices = dv_alloc(count, sizeof *indices);
    for (uint32_t i = 0; i < count; i++)
        indices[i] = count - 1 - i;
    const DvElementChange all = {.change = change,
                                 .kind = kind,
                                 .count = count,
                                 .total = added ? count : 0,
                                 .indices = added ? NULL : indices,
                                 .without_states = true,
                                 .replaced = true};
    if (count)
        dv_element_data_apply(topology->object, &all);
    dv_free(indices);
}

/* All lists have become others. Who asks for it is told so, points first; for others all old elements go, highest first, and all
 * new ones come. */
static void tell_anew(Topology *topology, DvMeshReplacement why)
{
    topology_renumbered(topology);
    if (topology->modifiable)
        tables_prepare(topology);
    topology->restoring = true;
    for (int kind = DV_HEXAHEDRA; kind >= DV_POINTS; kind--)
        tell_all(topology, (DvElementKind)kind, DV_ELEMENTS_REMOVED, topology->told[kind]);
    topology->loose_changed = true;
    set_container_remember(topology);
    for (int kind = DV_POINTS; kind <= DV_HEXAHEDRA; kind++) {
        dv_element_data_replace(topology->object, (DvElementKind)kind, topology->told[kind], why);
        tell_all(topology, (DvElementKind)kind, DV_ELEMENTS_ADDED, topology->told[kind]);
    }
    topology->restoring = false;
}

/* The lists of the saved scene are in their fields. */
static DvStatus restore(DvObject *object, void *self)
{
    (void)object;
    Topology *topology = self;
    size_t count;
    const uint32_t *at = dv_data_uints(&topology->saved, &count), *end = at + count;
    if (count == 0) { /* it is as it was at the start */
        topology->edited = false;
        return DV_OK;
    }
    topology->points = dv_data_uint(&topology->point_count_field);
    topology->moved = true;
    for (int kind = DV_EDGES; kind <= DV_HEXAHEDRA; kind++) {
        if (topology->list[kind].field)
            (void)dv_data_link(&topology->list[kind], NULL);
        if (!restore_dangling(topology, kind, &at, end))
            return dv_field_error(&topology->saved, -1, "it does not fit the lists of elements");
    }
    if (topology->own != DV_POINTS) {
        const DvStatus status = topology_check_points(topology, topology->own);
        if (status != DV_OK)
            return status;
    }
    tell_anew(topology, DV_MESH_RESTORED);
    return DV_OK;
}

/* What the lists were when the scene started. */
typedef struct FirstMesh {
    DvIndexArray list[DV_ELEMENT_KINDS];
    uint32_t points;
    bool moved;
} FirstMesh;

static void forget_first(Topology *topology)
{
    for (int kind = DV_EDGES; topology->first && kind <= DV_HEXAHEDRA; kind++)
        dv_array_free(&topology->first->list[kind]);
    dv_free(topology->first);
    topology->first = NULL;
}

/* Whatever an edit needs once is done here: its lists are its own, and the tables are there. */
static void store_reset_state(DvObject *object, void *self)
{
    (void)object;
    Topology *topology = self;
    forget_first(topology);
    topology->edited = false;
    if (!topology->modifiable)
        return;
    FirstMesh *first = topology->first = dv_alloc(1, sizeof *first);
    first->points = topology->points;
    first->moved = topology->moved;
    for (int kind = DV_EDGES; kind <= DV_HEXAHEDRA; kind++) {
        const ElementList list = topology_elements(topology, kind);
        dv_array_append(&first->list[kind], list.at, list.count * list.nodes);
        if (!topology->list[kind].field)
            continue;
        (void)dv_data_begin(&topology->list[kind], list.count + list.count / 4); /* and room for some more */
        (void)dv_data_begin(&topology->list[kind], list.count);
        dv_data_end(&topology->list[kind]);
        topology->seen[kind] = dv_data_version(&topology->list[kind]);
    }
    tables_prepare(topology);
    tables_reserve(topology);
}

static void reset(DvObject *object, void *self)
{
    (void)object;
    Topology *topology = self;
    const FirstMesh *first = topology->first;
    if (!first || !topology->edited)
        return;
    topology_set_points(topology, first->points);
    topology->moved = first->moved;
    for (int kind = DV_EDGES; kind <= DV_HEXAHEDRA; kind++) {
        topology_tie(topology, kind);
        if (topology->list[kind].field)
            topology_set_list(topology, kind, first->list[kind].data, first->list[kind].count / dv_element_nodes(kind));
    }
    tell_anew(topology, DV_MESH_RESET);
}

static void destroy(DvObject *object, void *self)
{
    forget_first(self);
    topology_destroy(object, self);
}

static DvStatus init(DvObject *object, void *self)
{
    (void)object;
    const DvStatus status = topology_load_file(self);
    if (status == DV_OK && ((Topology *)self)->own != DV_POINTS)
        topology_merge_points(self);
    return status == DV_OK ? set_container_start(self) : status;
}

static DvStatus construct(DvObject *object, void *self, DvElementKind own)
{
    Topology *topology = self;
    topology->own = own;
    topology->dynamic = true;
    return topology_construct(object, self);
}

#define POINT_SET_FIELDS                                                                                        \
    TOPOLOGY_FILE_FIELD(Topology, ), TOPOLOGY_POSITION_FIELD(Topology, ),                                       \
        DV_FIELD(Topology, point_count_field, "nbPoints", dv_type_uint, .init = "0", .flags = DV_FIELD_AT_LOAD, \
                 .help = "number of points"),                                                                   \
        DV_FIELD(Topology, check_topology, "checkTopology", dv_type_bool, .init = "0",                          \
                 .help = "report elements that name a point twice"),                                            \
        DV_FIELD(Topology, saved, "removedPoints", dv_type_uints, .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN,    \
                 .help = "elements that name removed points, once the mesh has been changed")
/* Every container but the point set. */
#define EDGE_SET_FIELDS                                                                   \
    POINT_SET_FIELDS, TOPOLOGY_MERGE_FIELD(Topology, ), TOPOLOGY_EDGES_FIELD(Topology, ), \
        DV_FIELD(Topology, check_connexity, "checkConnexity", dv_type_bool, .init = "0",  \
                 .help = "warn when edges do not join all points")
#define CREATE_ARRAY_FIELD(member, name)                        \
    DV_FIELD(Topology, member, name, dv_type_bool, .init = "0", \
             .help = "kept for old scenes: the list is made whenever it is empty")

static const DvField point_fields[] = {POINT_SET_FIELDS, {0}};
static const DvField edge_fields[] = {EDGE_SET_FIELDS, {0}};
static const DvField triangle_fields[] = {EDGE_SET_FIELDS, TOPOLOGY_TRIANGLES_FIELD(Topology, ), {0}};
static const DvField quad_fields[] = {EDGE_SET_FIELDS, TOPOLOGY_QUADS_FIELD(Topology, ), {0}};
static const DvField tetrahedron_fields[] = {EDGE_SET_FIELDS,
                                             TOPOLOGY_TRIANGLES_FIELD(Topology, ),
                                             TOPOLOGY_TETRAHEDRA_FIELD(Topology, ),
                                             CREATE_ARRAY_FIELD(create_triangle_array, "createTriangleArray"),
                                             {0}};
static const DvField hexahedron_fields[] = {EDGE_SET_FIELDS,
                                            TOPOLOGY_QUADS_FIELD(Topology, ),
                                            TOPOLOGY_HEXAHEDRA_FIELD(Topology, ),
                                            CREATE_ARRAY_FIELD(create_quad_array, "createQuadArray"),
                                            {0}};

#define BASES(...)                                                                              \
    (const char *const[])                                                                       \
    {                                                                                           \
        __VA_ARGS__, "PointSetTopologyContainer", "TopologyContainer", "BaseMeshTopology", NULL \
    }

#define SET_CONTAINER(Class, kind, table, object_, bases_, text)             \
    static DvStatus construct_##object_(DvObject *object, void *self)        \
    {                                                                        \
        return construct(object, self, kind);                                \
    }                                                                        \
    const DvClass dv_##object_ = {                                           \
        .size = sizeof(DvClass),                                             \
        .name = Class,                                                       \
        .bases = bases_,                                                     \
        .family = "topologies",                                              \
        .module = "Sofa.Component.Topology.Container.Dynamic",               \
        .help = text,                                                        \
        .instance_size = sizeof(Topology),                                   \
        .fields = table,                                                     \
        .contracts = (const DvContract[]){TOPOLOGY_OF_LISTS_CONTRACTS, {0}}, \
        .construct = construct_##object_,                                    \
        .init = init,                                                        \
        .store_reset_state = store_reset_state,                              \
        .reset = reset,                                                      \
        .restore = restore,                                                  \
        .bounding_box = topology_bounding_box,                               \
        .destroy = destroy,                                                  \
    }

SET_CONTAINER("PointSetTopologyContainer", DV_POINTS, point_fields, point_set_topology_container,
              ((const char *const[]){"TopologyContainer", "BaseMeshTopology", NULL}), "Points without connectivity.");
SET_CONTAINER("EdgeSetTopologyContainer", DV_EDGES, edge_fields, edge_set_topology_container,
              ((const char *const[]){"PointSetTopologyContainer", "TopologyContainer", "BaseMeshTopology", NULL}),
              "Edges that may change while the scene runs.");
SET_CONTAINER("TriangleSetTopologyContainer", DV_TRIANGLES, triangle_fields, triangle_set_topology_container,
              (BASES("EdgeSetTopologyContainer")), "Triangles that may change while the scene runs.");
SET_CONTAINER("QuadSetTopologyContainer", DV_QUADS, quad_fields, quad_set_topology_container,
              (BASES("EdgeSetTopologyContainer")), "Quads that may change while the scene runs.");
SET_CONTAINER("TetrahedronSetTopologyContainer", DV_TETRAHEDRA, tetrahedron_fields, tetrahedron_set_topology_container,
              (BASES("TriangleSetTopologyContainer", "EdgeSetTopologyContainer")),
              "Tetrahedra that may change while the scene runs.");
SET_CONTAINER("HexahedronSetTopologyContainer", DV_HEXAHEDRA, hexahedron_fields, hexahedron_set_topology_container,
              (BASES("QuadSetTopologyContainer", "EdgeSetTopologyContainer")),
              "Hexahedra that may change while the scene runs.");
