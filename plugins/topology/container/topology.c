/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The common part of all topologies. Adjacency is computed from the lists when somebody asks, and thrown away when a
 * list becomes another: by code of this plugin (topology_changed) or because a field was written or is linked to something
 * that was (the versions of the lists are compared). Edits by modifiers keep it: they change it in place (table_edits.h).
 */
#include "topology.h"

#include <divan/contracts/state.h>
#include <divan/kit/mesh_faults.h>
#include <divan/kit/mesh_file.h>
#include <divan/kit/mesh_loader.h>
#include <float.h>
#include <inttypes.h>

static bool declares(const Topology *topology, DvElementKind kind)
{
    return topology->list[kind].field != NULL;
}

static const char *kind_name(DvElementKind kind)
{
    static const char *const names[DV_ELEMENT_KINDS] = {"point",       "edge",       "triangle", "quad",
                                                        "tetrahedron", "hexahedron", "prism",    "pyramid"};
    return names[kind];
}

static void forget(AdjacencyCache *cache)
{
    dv_rows_free(&cache->adjacency);
    cache->made = false;
}

static void forget_adjacency(Topology *topology)
{
    for (int of = 0; of < DV_ELEMENT_KINDS; of++)
        for (int to = 0; to < DV_ELEMENT_KINDS; to++)
            forget(&topology->cache[of][to]);
}

static void note_versions(Topology *topology)
{
    for (int kind = DV_EDGES; kind < DV_ELEMENT_KINDS; kind++)
        if (declares(topology, kind) && !topology->derived[kind])
            topology->seen[kind] = dv_data_version(&topology->list[kind]);
}

void topology_renumbered(Topology *topology)
{
    forget_adjacency(topology);
    topology->revision++;
    note_versions(topology);
}

void topology_changed(Topology *topology)
{
    topology_renumbered(topology);
    topology->rewritten++;
}

/* Neighbours of the same kind are few and asked for at the start: they are made anew. */
void topology_edited(Topology *topology)
{
    for (int kind = 0; kind < DV_ELEMENT_KINDS; kind++)
        forget(&topology->cache[kind][kind]);
    topology->revision++;
    note_versions(topology);
}

/* Notices lists that were written from outside. */
static void update(Topology *topology)
{
    for (int kind = DV_EDGES; kind < DV_ELEMENT_KINDS; kind++)
        if (declares(topology, kind) && !topology->derived[kind] &&
            dv_data_version(&topology->list[kind]) != topology->seen[kind]) {
            topology_changed(topology);
            return;
        }
}

ElementList topology_elements(Topology *topology, DvElementKind kind)
{
    ElementList elements = {.nodes = dv_element_nodes(kind)};
    if (kind != DV_POINTS && declares(topology, kind)) {
        size_t count;
        elements.at = dv_data_uints(&topology->list[kind], &count);
        elements.count = (uint32_t)count;
        elements.skip = topology->dangling[kind];
    }
    return elements;
}

void topology_set_list(Topology *topology, DvElementKind kind, const uint32_t *elements, uint32_t count)
{
    dv_data_set(&topology->list[kind], elements, count);
}

void topology_tie(Topology *topology, DvElementKind kind)
{
    dv_free(topology->dangling[kind]);
    topology->dangling[kind] = NULL;
    topology->dangling_capacity[kind] = 0;
    dv_array_clear(&topology->loose[kind]);
}

void topology_clear(Topology *topology)
{
    for (int kind = DV_EDGES; kind < DV_ELEMENT_KINDS; kind++) {
        topology_tie(topology, (DvElementKind)kind);
        topology->derived[kind] = false;
        if (!declares(topology, kind))
            continue;
        (void)dv_data_link(&topology->list[kind], NULL);
        topology_set_list(topology, kind, NULL, 0);
    }
    topology_changed(topology);
}

void topology_set_points(Topology *topology, uint32_t points)
{
    topology->points = points;
    if (topology->point_count_field.field)
        dv_data_set_uint(&topology->point_count_field, points);
}

DvStatus topology_count_used_points(Topology *topology, DvElementKind kind, uint32_t *points)
{
    const ElementList elements = topology_elements(topology, kind);
    *points = 0;
    for (size_t i = 0; i < (size_t)elements.count * elements.nodes; i++) {
        if (elements.at[i] >= MOST_POINTS)
            return elements.at[i] > INT32_MAX
                       ? dv_field_error(&topology->list[kind], (int64_t)(i / elements.nodes),
                                        "point %d is negative; points count from 0", (int32_t)elements.at[i])
                       : dv_field_error(&topology->list[kind], (int64_t)(i / elements.nodes),
                                        "point %" PRIu32 " is beyond the largest number of points, %d", elements.at[i],
                                        MOST_POINTS);
        if (elements.at[i] >= *points)
            *points = elements.at[i] + 1;
    }
    return DV_OK;
}

DvStatus topology_check_points(Topology *topology, DvElementKind kind)
{
    const ElementList elements = topology_elements(topology, kind);
    for (uint32_t element = 0; element < elements.count; element++)
        for (uint32_t j = 0; j < elements.nodes; j++) {
            const uint32_t point = elements.at[(size_t)element * elements.nodes + j];
            if (point >= topology->points)
                return dv_field_error_missing(&topology->list[kind], element, "point", point, "the topology",
                                              topology->points);
        }
    return DV_OK;
}

/* Adjacency */

const PartTable *topology_part_table(DvElementKind of, DvElementKind part)
{
    if (part == DV_EDGES)
        return of == DV_TRIANGLES    ? &triangle_edges
               : of == DV_QUADS      ? &quad_edges
               : of == DV_TETRAHEDRA ? &tetrahedron_edges
               : of == DV_HEXAHEDRA  ? &hexahedron_edges
                                     : NULL;
    if (part == DV_TRIANGLES && of == DV_TETRAHEDRA)
        return &tetrahedron_triangles;
    if (part == DV_QUADS && of == DV_HEXAHEDRA)
        return &hexahedron_quads;
    return NULL;
}

static DvRows find_parts(Topology *topology, DvElementKind of, DvElementKind part, uint32_t *missing)
{
    const PartTable *table = topology_part_table(of, part);
    const ElementList elements = topology_elements(topology, of), parts = topology_elements(topology, part);
    if (!table)
        return (DvRows){0};
    uint32_t *found = dv_alloc((size_t)elements.count * table->parts, sizeof *found);
    *missing = parts_find(elements, table, parts, part != DV_EDGES, found);
    return dv_rows_of_constant_length(found, elements.count, table->parts);
}

/* Elements of the higher kind `to` around the parts of kind `of`. */
static DvRows find_around(Topology *topology, DvElementKind of, DvElementKind to)
{
    uint32_t per_element;
    const uint32_t *part_of = topology_parts(topology, to, of, &per_element);
    if (!part_of)
        return (DvRows){0};
    const ElementList elements = topology_elements(topology, to), parts = topology_elements(topology, of);
    return of == DV_EDGES && to == DV_TRIANGLES ? adjacency_triangles_around_edges(part_of, elements, parts)
                                                : adjacency_around_parts(part_of, elements, per_element, parts.count);
}

static DvRows make_adjacency(Topology *topology, DvElementKind of, DvElementKind to, uint32_t *missing)
{
    *missing = 0;
    if (of == DV_POINTS && to == DV_POINTS)
        return adjacency_points_around_points(topology_elements(topology, DV_EDGES), topology->points);
    if (of == DV_POINTS)
        return adjacency_around_points(topology_elements(topology, to), topology->points);
    const ElementList elements = topology_elements(topology, of);
    if (of == to)
        return adjacency_elements_around_elements(elements, topology_adjacency(topology, DV_POINTS, of));
    return topology_part_table(of, to) ? find_parts(topology, of, to, missing) : find_around(topology, of, to);
}

/* The points of elements: the list itself, as it is now. */
static void borrow_list(Topology *topology, DvElementKind of, AdjacencyCache *cache)
{
    DvRows *table = &cache->adjacency;
    const ElementList elements = topology_elements(topology, of);
    if (!cache->made)
        *table = dv_rows_of_constant_length(NULL, 0, elements.nodes);
    table->borrowed = cache->made = true;
    if (elements.count > table->count)
        dv_rows_append(table, elements.count - table->count);
    table->count = elements.count;
    table->items = (uint32_t *)(uintptr_t)elements.at; /* never written */
}

static AdjacencyCache *cached(Topology *topology, DvElementKind of, DvElementKind to)
{
    AdjacencyCache *cache = &topology->cache[of][to];
    update(topology);
    if (to == DV_POINTS && of != DV_POINTS) {
        borrow_list(topology, of, cache);
    } else if (!cache->made) {
        DvRows adjacency = make_adjacency(topology, of, to, &cache->missing);
        cache->adjacency = adjacency;
        cache->made = true;
    }
    return cache;
}

AdjacencyCache *topology_table(Topology *topology, DvElementKind of, DvElementKind to)
{
    AdjacencyCache *cache = &topology->cache[of][to];
    return cache->made ? cache : NULL;
}

const DvRows *topology_adjacency(Topology *topology, DvElementKind of, DvElementKind to)
{
    return &cached(topology, of, to)->adjacency;
}

const uint32_t *topology_parts(Topology *topology, DvElementKind of, DvElementKind part, uint32_t *per_element)
{
    const PartTable *table = topology_part_table(of, part);
    if (!table)
        return NULL;
    *per_element = table->parts;
    return cached(topology, of, part)->adjacency.items;
}

/* The contract divan.topology/1 */

static uint32_t point_count(void *self)
{
    Topology *topology = self;
    return topology->points;
}

static const double *positions(void *self)
{
    Topology *topology = self;
    size_t count;
    if (topology->placed)
        return topology->placed;
    const double *at = dv_data_doubles(&topology->position, &count);
    return count >= topology->points && count > 0 && !topology->moved ? at : NULL;
}

static DvElements elements_of(void *self, DvElementKind kind)
{
    const ElementList elements = topology_elements(self, kind);
    return (DvElements){elements.at, elements.count};
}

/* Users of the contract index with what they get, so a table with gaps is not given out. */
static DvAdjacency adjacency_of(void *self, DvElementKind of, DvElementKind to)
{
    Topology *topology = self;
    if (of >= DV_ELEMENT_KINDS || to >= DV_ELEMENT_KINDS)
        return (DvAdjacency){0};
    AdjacencyCache *cache = cached(topology, of, to);
    if (cache->missing) {
        if (!cache->warned && topology_elements(topology, to).count > 0)
            dv_warning(topology->object,
                       "%" PRIu32 " parts of %s elements are in no list: %s does not hold them all, so the "
                       "adjacency is not available",
                       cache->missing, kind_name(of), topology->list[to].field->name);
        cache->warned = topology_elements(topology, to).count > 0;
        return (DvAdjacency){0};
    }
    const DvRows *table = &cache->adjacency;
    return (DvAdjacency){table->begin, table->end, table->items, table->count};
}

static uint64_t revision_of(void *self)
{
    Topology *topology = self;
    update(topology);
    return topology->revision;
}

static uint64_t rewritten_of(void *self)
{
    Topology *topology = self;
    update(topology);
    return topology->rewritten;
}

static bool grid_of(void *self, DvGridShape *shape)
{
    Topology *topology = self;
    return topology->grid_shape && topology->grid_shape(topology, shape);
}

static bool is_dynamic(void *self)
{
    const Topology *topology = self;
    return topology->dynamic;
}

static DvElementDataList *attached(void *self)
{
    Topology *topology = self;
    return &topology->attached;
}

/* Of a mesh that comes from a loader, in that one. */
static uint32_t *told_of(void *self)
{
    Topology *topology = self;
    const DvData *data = topology->position.field ? &topology->position : NULL;
    while (data && dv_object_ops(data->owner, DV_LOADER) != &dv_mesh_loader_ops)
        data = dv_data_parent(data);
    return data ? &((DvMeshLoader *)dv_object_self(data->owner))->told : &topology->told_faults;
}

/* What has its points from elsewhere is reported there. */
static void report(void *self, DvReportLine line, void *context)
{
    Topology *topology = self;
    if (dv_data_parent(&topology->position))
        return;
    size_t points;
    DvMeshView mesh = {.positions = dv_data_doubles(&topology->position, &points)};
    mesh.point_count = (uint32_t)points;
    for (int kind = DV_EDGES; kind < DV_ELEMENT_KINDS; kind++)
        if (!topology->derived[kind])
            mesh.elements[kind] = elements_of(topology, kind);
    const bool of_file = topology->filename.field && *dv_data_string(&topology->filename);
    dv_mesh_report_faults(&mesh, topology->told_faults,
                          of_file ? "a loader with onlyAttachedPoints=\"1\" drops them"
                                  : "they can be left out of position",
                          line, context);
}

const DvMeshFaultsOps topology_faults = {.size = sizeof topology_faults, .told = told_of};
const DvReportOps topology_report = {.size = sizeof topology_report, .report = report};

const DvTopologyOps topology_ops = {
    .size = sizeof topology_ops,
    .point_count = point_count,
    .positions = positions,
    .elements = elements_of,
    .adjacency = adjacency_of,
    .revision = revision_of,
    .grid = grid_of,
    .is_dynamic = is_dynamic,
    .attached = attached,
    .rewritten = rewritten_of,
};

Topology *topology_of(const DvObject *object)
{
    return object && dv_object_ops(object, DV_TOPOLOGY) == &topology_ops ? dv_object_self(object) : NULL;
}

/* Lifecycle */

DvStatus topology_construct(DvObject *object, void *self)
{
    Topology *topology = self;
    topology->object = object;
    return DV_OK;
}

void topology_destroy(DvObject *object, void *self)
{
    (void)object;
    Topology *topology = self;
    dv_element_data_detach_all(&topology->attached);
    forget_adjacency(topology);
    for (int kind = 0; kind < DV_ELEMENT_KINDS; kind++) {
        dv_free(topology->dangling[kind]);
        dv_array_free(&topology->loose[kind]);
    }
}

void topology_bounding_box(DvObject *object, void *self, double *box)
{
    (void)object;
    Topology *topology = self;
    size_t count;
    const double *at = dv_data_doubles(&topology->position, &count);
    if (topology->placed)
        at = topology->placed, count = topology->points;
    for (size_t i = 0; i < count; i++)
        for (int c = 0; c < 3; c++) {
            box[c] = at[3 * i + (size_t)c] < box[c] ? at[3 * i + (size_t)c] : box[c];
            box[3 + c] = at[3 * i + (size_t)c] > box[3 + c] ? at[3 * i + (size_t)c] : box[3 + c];
        }
}

static void warn(void *topology, const char *text)
{
    dv_field_warning(&((Topology *)topology)->filename, -1, "%s", text);
}

static bool has_suffix(const char *name, const char *suffix)
{
    const size_t length = strlen(name), tail = strlen(suffix);
    return length >= tail && strcasecmp(name + length - tail, suffix) == 0;
}

DvStatus topology_read_mesh(Topology *topology, DvData *field, int64_t entry, const char *name, const char *path,
                            DvMesh *mesh)
{
    if (!path) {
        dv_field_error(field, entry, "no file '%s'", name);
        return DV_ERROR_NOT_FOUND;
    }
    const bool obj = has_suffix(path, ".obj") || has_suffix(path, ".trian");
    if (!obj && !has_suffix(path, ".msh"))
        return dv_field_error(field, entry, "'%s' is neither .obj nor .msh; load it with a mesh loader and src", name);
    char *bytes, reason[128];
    size_t size;
    if (!dv_mesh_file_read(path, &bytes, &size, reason))
        return dv_field_error(field, entry, "'%s': %s", name, reason);
    DvMeshReport report = {.warn = warn, .context = topology};
    const bool good = obj ? dv_mesh_read_obj(bytes, size, &(DvMeshOptions){0}, mesh, &report)
                          : dv_mesh_read_gmsh(bytes, size, mesh, &report);
    dv_free(bytes);
    return good ? DV_OK : dv_field_error(field, entry, "'%s': %s", name, report.error);
}

DvStatus topology_read_file(Topology *topology, DvMesh *mesh)
{
    const char *name = dv_data_string(&topology->filename);
    return topology_read_mesh(topology, &topology->filename, -1, name, dv_data_file(&topology->filename), mesh);
}

/* Second-order elements are read as linear ones: what is in the middle of them hangs on nothing. */
static void say_loose(Topology *topology, DvMesh *mesh)
{
    DvWorst loose = {0};
    char numbers[DV_WORST_TEXT];
    dv_mesh_loose_middles(mesh, &loose);
    if (loose.count)
        dv_field_warning(&topology->filename, -1,
                         "second-order elements are read as linear ones: %u of %u points are in the middle of their "
                         "edges, faces or volumes, and no element uses them (%s); a MeshGmshLoader with "
                         "onlyAttachedPoints=\"1\" drops them",
                         loose.count, mesh->position.count, dv_worst_text(&loose, numbers));
}

DvStatus topology_load_file(Topology *topology)
{
    const char *name = dv_data_string(&topology->filename);
    if (!name || !*name)
        return DV_OK;
    DvMesh mesh = {0};
    const DvStatus status = topology_read_file(topology, &mesh);
    if (status == DV_OK) {
        say_loose(topology, &mesh);
        topology_clear(topology);
        const struct {
            DvElementKind kind;
            const void *at;
            uint32_t count;
        } lists[] = {{DV_EDGES, mesh.edge.data, mesh.edge.count},
                     {DV_TRIANGLES, mesh.triangle.data, mesh.triangle.count},
                     {DV_QUADS, mesh.quad.data, mesh.quad.count},
                     {DV_TETRAHEDRA, mesh.tetrahedron.data, mesh.tetrahedron.count},
                     {DV_HEXAHEDRA, mesh.hexahedron.data, mesh.hexahedron.count}};
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
            if (declares(topology, lists[i].kind))
                topology_set_list(topology, lists[i].kind, lists[i].at, lists[i].count);
        (void)dv_data_link(&topology->position, NULL);
        dv_data_set(&topology->position, mesh.position.data, mesh.position.count);
        topology_set_points(topology, mesh.position.count);
    }
    dv_mesh_free(&mesh);
    return status;
}

DvStatus topology_start(Topology *topology)
{
    return topology->dynamic ? set_container_start(topology) : mesh_topology_start(topology);
}
