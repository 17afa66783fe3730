/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Distances: how far the points of a mesh are from goals, through the mesh: along edges (Dijkstra 1959) or through its elements by heat
 * (heat_method.h). Edges overestimate distances across them; heat has the error of linear elements. Beside the distance to the nearest goal a map
 * for each goal: the distance to it, or a harmonic function that is harmonicMaxValue there and 0 at the other goals.
 *
 * Goals are points of the mesh: those that are listed, those nearest to the points of a state, or each so many-th. Quads count as two
 * triangles, hexahedra as six tetrahedra; where there are volumes, faces do not count, and edges only where there are no faces either.
 */
#include "data_engine.h"
#include <math.h>

#include <divan/contracts/state.h>
#include <divan/given.h>
#include <divan/kit/mesh_types.h>

#include "heat_method.h"
#include "shortest_paths.h"

typedef struct Distances {
    DvEngine engine;
    DvData offset, type, method, take_each, each, most, goals, position, wants_maps;
    DvData distances, nearest, maps;
    DvLink target, link;
    DvTopologyRef topology;
    DvData *target_position; /* of the state of the goals */
} Distances;

enum { GEODESIC, HARMONIC };
enum { DIJKSTRA, HEAT };

typedef struct Mesh {
    const double *x;
    uint32_t points;
    PathGraph graph;
    DvIndexArray simplex;
    Simplices simplices;
} Mesh;

static void add_sound(DvIndexArray *to, const uint32_t *element, uint32_t corners, uint32_t points)
{
    for (uint32_t k = 0; k < corners; k++)
        if (element[k] >= points)
            return; /* of another mesh, or left over */
    dv_array_append(to, element, corners);
}

/* The simplices of the highest dimension; how many corners they have. */
static uint32_t find_simplices(const Distances *self, uint32_t points, DvIndexArray *to)
{
    const DvElements tetrahedra = dv_topology_elements(&self->topology, DV_TETRAHEDRA),
                     hexahedra = dv_topology_elements(&self->topology, DV_HEXAHEDRA),
                     edges = dv_topology_elements(&self->topology, DV_EDGES);
    for (uint32_t i = 0; i < tetrahedra.count; i++)
        add_sound(to, tetrahedra.at + 4 * (size_t)i, 4, points);
    for (uint32_t i = 0; i < hexahedra.count; i++) {
        uint32_t six[6][4];
        dv_cut_hexahedron(hexahedra.at + 8 * (size_t)i, 0, true, six);
        for (int k = 0; k < 6; k++)
            add_sound(to, six[k], 4, points);
    }
    if (to->count)
        return 4;
    MeshTriangles faces = {0};
    mesh_triangles_of(dv_topology_elements(&self->topology, DV_TRIANGLES),
                      dv_topology_elements(&self->topology, DV_QUADS), &faces);
    for (uint32_t i = 0; i < faces.count; i += 3)
        add_sound(to, faces.data + i, 3, points);
    dv_array_free(&faces);
    if (to->count)
        return 3;
    for (uint32_t i = 0; i < edges.count; i++)
        add_sound(to, edges.at + 2 * (size_t)i, 2, points);
    return 2;
}

static Mesh mesh_new(Distances *self, bool with_simplices)
{
    size_t points;
    Mesh mesh = {.x = dv_data_doubles(&self->position, &points)};
    mesh.points = (uint32_t)points;
    (void)self->topology.ops->adjacency(self->topology.self, DV_POINTS, DV_EDGES); /* makes edges that are not there */
    mesh.graph = path_graph_new(mesh.x, mesh.points, dv_topology_elements(&self->topology, DV_EDGES));
    if (with_simplices) {
        const uint32_t corners = find_simplices(self, mesh.points, &mesh.simplex);
        mesh.simplices = simplices_new(mesh.x, mesh.points, mesh.simplex.data, mesh.simplex.count / corners, corners);
    }
    return mesh;
}

static void mesh_free(Mesh *mesh)
{
    path_graph_free(&mesh->graph);
    simplices_free(&mesh->simplices);
    dv_array_free(&mesh->simplex);
}

/* ---- Goals ---- */

static void add_goal(DvIndexArray *goals, bool *is_goal, uint32_t point)
{
    if (!is_goal[point])
        dv_array_push(goals, point);
    is_goal[point] = true;
}

static void add_targets(Distances *self, const Mesh *mesh, bool *is_goal, DvIndexArray *goals)
{
    size_t count;
    const double *target = dv_data_doubles(self->target_position, &count);
    const DvVec3 offset = dv_vec3_load(dv_data_doubles(&self->offset, NULL));
    for (size_t i = 0; i < count && mesh->points; i++) {
        const DvVec3 at = dv_vec3_add(dv_vec3_load(target + 3 * i), offset);
        uint32_t best = 0;
        for (uint32_t p = 1; p < mesh->points; p++)
            if (dv_vec3_distance(mesh_point(mesh->x, p), at) < dv_vec3_distance(mesh_point(mesh->x, best), at))
                best = p;
        add_goal(goals, is_goal, best);
    }
}

/* Each once, in the order in which they are named. */
static DvStatus find_goals(Distances *self, const Mesh *mesh, DvIndexArray *goals)
{
    size_t count;
    const uint32_t *given = dv_data_uints(&self->goals, &count), each = dv_data_uint(&self->each);
    const bool starting = dv_engine_starting(&self->engine);
    bool *is_goal = dv_alloc(mesh->points, sizeof *is_goal);
    DvStatus status = DV_OK;
    for (size_t i = 0; i < count && status == DV_OK; i++) {
        if (given[i] < mesh->points)
            add_goal(goals, is_goal, given[i]);
        else if (starting)
            status = dv_field_error(&self->goals, (int64_t)i, "point %" PRIu32 " of %" PRIu32 " positions", given[i],
                                    mesh->points);
    }
    if (self->target_position && status == DV_OK)
        add_targets(self, mesh, is_goal, goals);
    for (uint64_t p = 0; dv_data_bool(&self->take_each) && each && p < mesh->points; p += each)
        add_goal(goals, is_goal, (uint32_t)p);
    dv_free(is_goal);
    if (status == DV_OK && goals->count == 0 && starting)
        status = dv_error(
            dv_object_of(self), DV_ERROR_MISSING,
            "there is no goal: give points of the mesh in 'goals', a state in targetPath, or initTarget=\"1\"");
    return status;
}

/* ---- Distances ---- */

/* To the nearest of the goals; nearest[points]: which. */
static bool measure(const Mesh *mesh, const uint32_t *goals, uint32_t count, bool by_heat, uint32_t *nearest,
                    double *to)
{
    for (uint32_t i = 0; i < mesh->points; i++) {
        to[i] = INFINITY;
        nearest[i] = UINT32_MAX;
    }
    for (uint32_t k = 0; k < count; k++)
        path_add_source(&mesh->graph, goals[k], k, to, nearest);
    return !by_heat || heat_distances(&mesh->simplices, goals, count, nearest, to);
}

/* What is not connected to a goal is -1 far. Returns how many there are. */
static uint32_t mark_unconnected(double *distance, uint32_t count)
{
    uint32_t unconnected = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!isfinite(distance[i])) {
            distance[i] = -1.0;
            unconnected++;
        }
    return unconnected;
}

static bool write_maps(Distances *self, const Mesh *mesh, const DvIndexArray *goals, bool by_heat)
{
    const uint32_t maps = dv_data_bool(&self->wants_maps) ? goals->count : 0, n = mesh->points;
    const bool harmonic = dv_data_choice(&self->type) == HARMONIC;
    const double most = dv_data_double(&self->most);
    uint32_t *nearest = dv_alloc(n, sizeof *nearest);
    double *to = dv_data_begin_all(&self->maps, (size_t)maps * ((size_t)n + 1));
    bool good = true;
    for (uint32_t k = 0; k < maps; k++, to += n) {
        *to++ = n;
        if (harmonic)
            good = harmonic_map(&mesh->simplices, goals->data, goals->count, k, most, to) && good;
        else
            good = measure(mesh, goals->data + k, 1, by_heat, nearest, to) && good;
        (void)mark_unconnected(to, n);
    }
    dv_data_end(&self->maps);
    dv_free(nearest);
    return good;
}

static DvStatus update(DvObject *object, void *self_)
{
    Distances *self = self_;
    if (!dv_engine_runs(object, &self->engine))
        return DV_OK;
    const bool by_heat = dv_data_choice(&self->method) == HEAT, maps = dv_data_bool(&self->wants_maps);
    Mesh mesh = mesh_new(self, by_heat || (maps && dv_data_choice(&self->type) == HARMONIC));
    DvIndexArray goals = {0};
    DvStatus status = find_goals(self, &mesh, &goals);
    const double room = 8.0 * goals.count * mesh.points;
    if (status == DV_OK && maps)
        status = dv_memory_ask(object, room, "%" PRIu32 " maps of %" PRIu32 " points", goals.count, mesh.points);
    const uint32_t count = status == DV_OK && goals.count ? mesh.points : 0;
    if (!count)
        dv_array_clear(&goals);
    double *distance = dv_data_begin_all(&self->distances, count);
    uint32_t *nearest = dv_alloc(mesh.points, sizeof *nearest), unconnected = 0;
    bool good = true;
    if (count) {
        good = measure(&mesh, goals.data, goals.count, by_heat, nearest, distance);
        unconnected = mark_unconnected(distance, count);
    }
    dv_data_end(&self->distances);
    dv_data_set(&self->nearest, nearest, count);
    good = write_maps(self, &mesh, &goals, by_heat) && good;
    if (unconnected && dv_engine_starting(&self->engine))
        dv_warning(object, "%" PRIu32 " of %" PRIu32 " points are not connected to a goal: their distance is -1",
                   unconnected, count);
    if (!good)
        dv_warning(object, "a system of the mesh was not solved: it has elements without extent, or far too long ones; "
                           "distances are not reliable, method=\"Dijkstra\" gives those along edges");
    dv_free(nearest);
    dv_array_free(&goals);
    mesh_free(&mesh);
    return status;
}

/* ---- What is around ---- */

static DvStatus find_positions(DvObject *object, Distances *self)
{
    DvStatus status = dv_engine_follow(object, &self->position, DV_STATE, DV_SEARCH_LOCAL, "rest_position");
    DvData *mesh = dv_object_field(self->topology.object, "position");
    if (status == DV_OK && !dv_data_is_given(&self->position) && mesh)
        status = dv_data_link(&self->position, mesh);
    return status;
}

static DvStatus find_target(DvObject *object, Distances *self)
{
    DvObject *state = dv_link_object(&self->target);
    self->target_position = NULL;
    if (!state)
        return DV_OK;
    DvStatus status = dv_object_require(object, state);
    DvData *position = dv_object_field(state, "position");
    if (status == DV_OK && (!position || position->type->components != 3))
        return dv_field_error(&self->target.data, -1, "'%s' has no positions in space", dv_object_path(state));
    DvData *const outputs[] = {&self->distances, &self->nearest, &self->maps};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs && status == DV_OK; i++)
        status = dv_data_depend(outputs[i], position);
    self->target_position = status == DV_OK ? position : NULL;
    return status;
}

static DvStatus init(DvObject *object, void *self_)
{
    Distances *self = self_;
    DvData *const outputs[] = {&self->distances, &self->nearest, &self->maps};
    DvStatus status = dv_topology_require(object, &self->link, "a mesh, through which distances run", &self->topology);
    if (status == DV_OK)
        status = find_positions(object, self);
    if (status == DV_OK)
        status = find_target(object, self);
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs && status == DV_OK; i++)
        status = mesh_depend(outputs[i], &self->topology);
    self->engine.ready = status == DV_OK;
    return status;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    Distances *self = self_;
    self->engine.ready = false;
    self->target_position = NULL;
    dv_topology_release(&self->topology);
}

static const char *const types[] = {"Geodesic", "Harmonic", NULL}, *const methods[] = {"Dijkstra", "heat", NULL};
#define SHOWN(name, number_type, preset)                                          \
    DV_FIELD_HELD(name, number_type, .init = (preset), .flags = DV_FIELD_DRAWING, \
                  .help = "what it computes is shown by other components")
static const DvField fields[] = {
    SHOWN("showMapIndex", dv_type_uint, "0"),
    MESH_SHOWN("showDistancesMap", "0"),
    MESH_SHOWN("showGoalDistancesMap", "0"),
    SHOWN("showTextScaleFactor", dv_type_double, "0.001"),
    MESH_SHOWN("showGradients", "0"),
    SHOWN("showGradientsScaleFactor", dv_type_double, "0.1"),
    DV_ENGINE_INPUT(Distances, offset, "offset", dv_type_vec3d, "added to the points of the state of targetPath",
                    .unit = "m"),
    DV_ENGINE_INPUT(Distances, type, "d_distanceType", dv_type_choice,
                    "what the maps hold: distances to a goal, or harmonic functions", .init = "Geodesic",
                    .choices = types, .aliases = (const char *const[]){"distanceType", NULL}),
    DV_ENGINE_INPUT(Distances, method, "method", dv_type_choice, "distances along edges, or through elements by heat",
                    .init = "Dijkstra", .choices = methods),
    DV_ENGINE_INPUT(Distances, take_each, "initTarget", dv_type_bool,
                    "each initTargetStep-th point of the mesh is a goal", .init = "0"),
    DV_ENGINE_INPUT(Distances, each, "initTargetStep", dv_type_uint, "see initTarget", .init = "1",
                    .range = &dv_range_count),
    DV_FIELD_HELD("zonesFramePair", dv_type_ints, .help = "no effect: meshes have no zones of voxels"),
    DV_ENGINE_INPUT(Distances, most, "harmonicMaxValue", dv_type_double, "value of a harmonic map at its goal",
                    .init = "100"),
    DV_FIELD_HELD("filename", dv_type_string, .help = "no effect: distances are computed when they are read"),
    DV_LINK(Distances, target, "targetPath", DV_STATE,
            .help = "state whose points are goals: the nearest points of the mesh"),
    DV_LINK(Distances, link, "hexaContainerPath", DV_TOPOLOGY, .help = "the mesh (default: that of the node)",
            .aliases = (const char *const[]){"topology", NULL}),
    DV_ENGINE_INPUT(Distances, goals, "goals", dv_type_uints, "points of the mesh that are goals"),
    DV_ENGINE_INPUT(Distances, position, "position", dv_type_vec3s,
                    "points of the mesh (default: the rest shape of the state in the node, or the mesh's own)",
                    .unit = "m"),
    DV_ENGINE_INPUT(Distances, wants_maps, "computeMaps", dv_type_bool, "give a map for each goal", .init = "0"),
    DV_ENGINE_OUTPUT(Distances, distances, "distances", dv_type_doubles,
                     "from each point to the nearest goal; -1: none is connected", .unit = "m"),
    DV_ENGINE_OUTPUT(Distances, nearest, "nearestGoal", dv_type_uints, "which goal that is, by edges"),
    DV_ENGINE_OUTPUT(Distances, maps, "maps", dv_mesh_type_real_lists, "for each goal a value of each point"),
    {0},
};

const DvClass dv_distances = {
    DATA_ENGINE_CLASS(init, update, cleanup),
    .name = "Distances",
    .variants = "Vec3d",
    .module = "Sofa.Component.Engine.Analyze",
    .help = "Measures distances through a mesh.",
    .instance_size = sizeof(Distances),
    .fields = fields,
};
