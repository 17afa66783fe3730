/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SubsetTopologicalMapping: says which points and elements of the input those of the output are. The scene fills both.
 *
 * With `samePoints` point i is point i. Else a point is the one that stands at exactly the same place, of several the last; when one
 * of both meshes has no positions, point i is point i again. Elements are the same when their points are.
 *
 * Points and elements that go in the input go in the output. What comes belongs to the subset when it comes from elements that all
 * do (pieces of cut elements), with the points that it needs; with `samePoints` all points come along.
 *
 * `pointD2S` may be what a SubsetMapping takes for `indices`. Maps of elements are made when they are read.
 */
#include "own_points.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct SubsetTopological {
    OwnPoints points;
    DvData same_points, handle[DV_ELEMENT_KINDS];                   /* of edges to hexahedra */
    DvData to_output[DV_ELEMENT_KINDS], to_input[DV_ELEMENT_KINDS]; /* computed */
} SubsetTopological;

static const DvElementKind kinds[] = {DV_EDGES, DV_TRIANGLES, DV_QUADS, DV_TETRAHEDRA, DV_HEXAHEDRA};
enum { KINDS = sizeof kinds / sizeof *kinds };
static const char *const name_of[DV_ELEMENT_KINDS] = {
    [DV_EDGES] = "edges",           [DV_TRIANGLES] = "triangles", [DV_QUADS] = "quads",
    [DV_TETRAHEDRA] = "tetrahedra", [DV_HEXAHEDRA] = "hexahedra", [DV_PRISMS] = "prisms",
    [DV_PYRAMIDS] = "pyramids"};

/* ---- Points ---- */

typedef struct Place {
    double at[3];
    uint32_t point;
} Place;

static int by_place(const void *a, const void *b)
{
    const Place *left = a, *right = b;
    for (int axis = 0; axis < 3; axis++)
        if (left->at[axis] != right->at[axis])
            return left->at[axis] < right->at[axis] ? -1 : 1;
    return 0;
}

static int by_place_then_point(const void *a, const void *b)
{
    const int order = by_place(a, b);
    const Place *left = a, *right = b;
    return order ? order : left->point > right->point ? -1 : left->point < right->point;
}

/* Points of the input in the order of their places, of equal ones the last alone. */
static Place *sort_places(const double *at, uint32_t points, uint32_t *count)
{
    Place *places = dv_alloc(points, sizeof *places);
    for (uint32_t i = 0; i < points; i++) {
        memcpy(places[i].at, at + 3 * (size_t)i, sizeof places[i].at);
        places[i].point = i;
    }
    *count = 0;
    if (points)
        qsort(places, points, sizeof *places, by_place_then_point);
    for (uint32_t i = 0; i < points; i++)
        if (*count == 0 || by_place(&places[*count - 1], &places[i]) != 0)
            places[(*count)++] = places[i];
    return places;
}

static void set_source(uint32_t *row, uint32_t point)
{
    row[0] = DV_POINTS;
    row[1] = point;
}

static void match_places(SubsetTopological *self, const double *from, const double *to)
{
    TopologicalMapping *base = &self->points.base;
    uint32_t count, lost = 0, first = 0;
    Place *places = sort_places(from, base->from->points, &count);
    uint32_t *row = dv_data_begin_all(&self->points.sources, 2 * (size_t)base->to->points);
    for (uint32_t i = 0; i < base->to->points; i++) {
        Place sought = {.point = i};
        memcpy(sought.at, to + 3 * (size_t)i, sizeof sought.at);
        const Place *found = count ? bsearch(&sought, places, count, sizeof *places, by_place) : NULL;
        set_source(row + 2 * (size_t)i, found ? found->point : INVALID_INDEX);
        if (!found && lost++ == 0)
            first = i;
    }
    dv_data_end(&self->points.sources);
    dv_free(places);
    if (lost)
        dv_warning(base->object,
                   "%" PRIu32 " points of the output, the first of them %" PRIu32
                   ", stand where no point of the input does: they follow nothing",
                   lost, first);
}

static DvStatus match_points(SubsetTopological *self)
{
    TopologicalMapping *base = &self->points.base;
    const double *from = topology_ops.positions(base->from), *to = topology_ops.positions(base->to);
    const bool same = dv_data_bool(&self->same_points);
    if ((same || !from || !to) && base->from->points != base->to->points)
        return dv_error(base->object, DV_ERROR_INVALID,
                        "the input '%s' has %" PRIu32 " points, the output '%s' %" PRIu32 ": %s",
                        dv_object_path(base->from->object), base->from->points, dv_object_path(base->to->object),
                        base->to->points, same ? "they cannot be the same" : "give both their position");
    self->points.same_points = same;
    if (!same && from && to) {
        match_places(self, from, to);
    } else if (!same) {
        uint32_t *row = dv_data_begin_all(&self->points.sources, 2 * (size_t)base->to->points);
        for (uint32_t i = 0; i < base->to->points; i++)
            set_source(row + 2 * (size_t)i, i);
        dv_data_end(&self->points.sources);
    }
    return DV_OK;
}

static void weigh(const OwnPoints *mapping, DvElementKind kind, uint32_t entry, double *weights, double offset[3])
{
    (void)mapping, (void)kind, (void)entry, (void)offset;
    weights[0] = 1.0;
}

static uint32_t parents(TopologicalMapping *base, uint32_t point, uint32_t found[8])
{
    DvElementKind kind;
    uint32_t entry;
    return own_points_source((OwnPoints *)base, point, &kind, found, &entry) ? 1 : 0;
}

/* ---- Elements that come ---- */

/* What a new element comes from, as elements of the output; false: not all of it is there. */
static bool push_ancestors(TopologicalMapping *base, const DvElementChange *change, uint32_t which, DvIndexArray *to)
{
    const uint32_t begin = change->ancestor_start ? change->ancestor_start[which] : 0,
                   end = change->ancestor_start ? change->ancestor_start[which + 1] : 0;
    for (uint32_t a = begin; a < end; a++)
        if (change->ancestors[a] >= base->image.count || !has_image(base, change->ancestors[a]))
            return false;
    for (uint32_t a = begin; a < end; a++)
        dv_array_push(to, images_of(base, change->ancestors[a])[0]);
    return end > begin;
}

static void come(OwnPoints *mapping, const DvElementChange *change)
{
    TopologicalMapping *base = &mapping->base;
    const ElementList all = topology_elements(base->from, base->source_kind);
    const uint32_t first = change->total - change->count;
    DvIndexArray elements = {0}, ancestors = {0}, start = {0};
    DvRealArray weights = {0};
    for (uint32_t i = 0; i < change->count; i++) {
        const uint32_t *element = all.at + (size_t)(first + i) * all.nodes, before = ancestors.count;
        if (!push_ancestors(base, change, i, &ancestors))
            continue;
        dv_array_push(&start, before);
        for (uint32_t a = 0; a < ancestors.count - before; a++)
            dv_array_push(&weights, change->weights ? change->weights[change->ancestor_start[i] + a]
                                                    : 1.0 / (ancestors.count - before));
        for (uint32_t j = 0; j < all.nodes; j++)
            dv_array_push(&elements, own_points_image(mapping, DV_POINTS, element[j], 0));
        topological_mapping_join(base, first + i);
    }
    dv_array_push(&start, ancestors.count);
    topological_mapping_add(
        base, &elements,
        &(DvElementChange){.ancestors = ancestors.data, .weights = weights.data, .ancestor_start = start.data});
    dv_array_free(&elements);
    dv_array_free(&ancestors);
    dv_array_free(&start);
    dv_array_free(&weights);
}

static const OwnPointsRule rule = {.weigh = weigh, .come = come};

/* ---- Maps for scenes ---- */

static bool are_same(const uint32_t *a, const uint32_t *b, uint32_t nodes)
{
    uint32_t common = 0;
    for (uint32_t i = 0; i < nodes; i++)
        for (uint32_t j = 0; j < nodes; j++)
            common += a[i] == b[j];
    return common == nodes;
}

/* The element of the input with the points of one of the output. */
static uint32_t find_in_input(TopologicalMapping *base, DvElementKind kind, const uint32_t *element)
{
    const ElementList in = topology_elements(base->from, kind);
    uint32_t points[8], length = 0;
    for (uint32_t i = 0; i < in.nodes; i++) {
        uint32_t found[8] = {0};
        if (!parents(base, element[i], found))
            return INVALID_INDEX;
        points[i] = found[0];
    }
    const uint32_t *row = row_of(topology_adjacency(base->from, DV_POINTS, kind), points[0], &length);
    for (uint32_t i = 0; i < length; i++)
        if (are_same(points, in.at + (size_t)row[i] * in.nodes, in.nodes))
            return row[i];
    return INVALID_INDEX;
}

/* Writes a map and its inverse. */
static void write_maps(SubsetTopological *self, DvElementKind kind, const DvIndexArray *to_input, uint32_t sources)
{
    uint32_t *to_output = dv_data_begin_all(&self->to_output[kind], sources);
    for (uint32_t i = 0; i < sources; i++)
        to_output[i] = INVALID_INDEX;
    for (uint32_t i = 0; i < to_input->count; i++)
        if (to_input->data[i] < sources)
            to_output[to_input->data[i]] = i;
    dv_data_end(&self->to_output[kind]);
    dv_data_set(&self->to_input[kind], to_input->data, to_input->count);
}

static DvStatus update(DvObject *object, void *self_)
{
    SubsetTopological *self = self_;
    TopologicalMapping *base = &self->points.base;
    DvIndexArray found = {0};
    if (!base->to || !dv_object_is_valid(object))
        return DV_OK;
    for (uint32_t i = 0; i < base->to->points; i++) {
        uint32_t point[8] = {0};
        dv_array_push(&found, parents(base, i, point) ? point[0] : INVALID_INDEX);
    }
    write_maps(self, DV_POINTS, &found, base->from->points);
    for (int k = 0; k < KINDS; k++) {
        const ElementList in = topology_elements(base->from, kinds[k]), out = topology_elements(base->to, kinds[k]);
        const bool handled = dv_data_bool(&self->handle[kinds[k]]);
        dv_array_clear(&found);
        for (uint32_t i = 0; i < out.count && handled; i++)
            dv_array_push(&found, find_in_input(base, kinds[k], out.at + (size_t)i * out.nodes));
        write_maps(self, kinds[k], &found, handled ? in.count : 0);
    }
    dv_array_free(&found);
    return DV_OK;
}

/* ---- Start ---- */

/* The kind of elements that follow: a container's own, else the highest that there are. */
static DvElementKind choose_kind(Topology *to)
{
    if (to->dynamic)
        return to->own;
    for (int k = KINDS - 1; k > 0; k--)
        if (topology_elements(to, kinds[k]).count)
            return kinds[k];
    return DV_EDGES;
}

static void warn_of_strangers(TopologicalMapping *base)
{
    uint32_t count = 0, first = 0;
    for (uint32_t i = base->source.count; i-- > 0;)
        if (base->source.data[i] == INVALID_INDEX) {
            count++;
            first = i;
        }
    if (count)
        dv_warning(base->object,
                   "%" PRIu32 " %s of the output, the first of them %" PRIu32
                   ", are none of the input: they follow nothing",
                   count, name_of[base->image_kind], first);
}

static DvStatus match_elements(SubsetTopological *self)
{
    TopologicalMapping *base = &self->points.base;
    const DvElementKind kind = choose_kind(base->to);
    base->source_kind = base->image_kind = kind == DV_POINTS ? DV_EDGES : kind;
    base->images = 1;
    base->parents = self->points.same_points ? NULL : parents;
    if (kind != DV_POINTS && !base->from->list[kind].field)
        return dv_error(base->object, DV_ERROR_INVALID, "input: '%s' holds no %s", dv_object_path(base->from->object),
                        name_of[kind]);
    base->stale = true;
    topological_mapping_update(base);
    warn_of_strangers(base);
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    (void)object;
    SubsetTopological *self = self_;
    OwnPoints *points = &self->points;
    DvStatus status = topological_mapping_find(&points->base);
    if (status == DV_OK)
        status = match_points(self);
    if (status != DV_OK)
        return status;
    points->rule = &rule;
    points->on_demand = true;
    points->entries[DV_POINTS] = points->same_points ? 0 : 1;
    points->stale = true;
    status = match_elements(self);
    return status == DV_OK ? own_points_follow(points) : status;
}

#define HANDLE(kind, name, text) \
    DV_FIELD(SubsetTopological, handle[kind], name, dv_type_bool, .init = "0", .flags = DV_FIELD_INPUT, .help = text)
#define MAPS(kind, one, what)                                                                 \
    DV_FIELD(SubsetTopological, to_output[kind], one "S2D", dv_type_uints,                    \
             .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY,                                   \
             .help = "for each " what " of the input, that of the output; 4294967295: none"), \
        DV_FIELD(SubsetTopological, to_input[kind], one "D2S", dv_type_uints,                 \
                 .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY,                               \
                 .help = "for each " what " of the output, that of the input; 4294967295: none")

static const DvField fields[] = {
    OWN_POINTS_FIELDS(SubsetTopological, points.),
    DV_FIELD(SubsetTopological, same_points, "samePoints", dv_type_bool, .init = "0", .flags = DV_FIELD_AT_LOAD,
             .help = "point i of the output is point i of the input"),
    HANDLE(DV_EDGES, "handleEdges", "compute edgeS2D and edgeD2S"),
    HANDLE(DV_TRIANGLES, "handleTriangles", "compute triangleS2D and triangleD2S"),
    HANDLE(DV_QUADS, "handleQuads", "compute quadS2D and quadD2S"),
    HANDLE(DV_TETRAHEDRA, "handleTetrahedra", "compute tetrahedronS2D and tetrahedronD2S"),
    HANDLE(DV_HEXAHEDRA, "handleHexahedra", "compute hexahedronS2D and hexahedronD2S"),
    MAPS(DV_POINTS, "point", "point"),
    MAPS(DV_EDGES, "edge", "edge"),
    MAPS(DV_TRIANGLES, "triangle", "triangle"),
    MAPS(DV_QUADS, "quad", "quad"),
    MAPS(DV_TETRAHEDRA, "tetrahedron", "tetrahedron"),
    MAPS(DV_HEXAHEDRA, "hexahedron", "hexahedron"),
    {0},
};

const DvClass dv_subset_topological_mapping = {
    .size = sizeof(DvClass),
    .name = "SubsetTopologicalMapping",
    OWN_POINTS_CLASS,
    .module = "Sofa.Component.Topology.Mapping",
    .help = "Says which points and elements of a mesh those of a part of it are.",
    .instance_size = sizeof(SubsetTopological),
    .fields = fields,
    .init = init,
    .update = update,
    .destroy = own_points_destroy,
};
