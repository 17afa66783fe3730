/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ClusteringEngine: clusters of points that overlap, around seeds that are as far from each other as can be: the first point, then again
 * and again the one farthest from all seeds. Distances run along the edges of the topology (Dijkstra 1959), or are straight without
 * one. With a topology a cluster is the flood from its seed through its Voronoi cell and what is nearer than a radius, and the ring
 * around that; without, what is nearer than the radius, and points near none go to the nearest seed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <divan/contracts/state.h>
#include <divan/contracts/topology.h>
#include <divan/given.h>
#include <divan/kit/mesh_types.h>
#include <divan/output.h>

#include "shortest_paths.h"

typedef struct ClusteringEngine {
    DvEngine engine;
    DvData use_topology, radius, fixed_radius, number, fixed, position, cluster, in_file, out_file;
    DvTopologyRef topology;
    uint64_t file_version; /* 1 + that of `in_file` when it was read */
} ClusteringEngine;

typedef struct Clusters {
    const double *x;
    uint32_t count;
    PathGraph graph; /* no points: straight distances */
    DvIndexArray seeds;
    double *distance;  /* [count] to the nearest seed */
    uint32_t *nearest; /* [count] which seed that is */
    DvIntArray lists;
} Clusters;

static double between(const double *x, uint32_t a, uint32_t b)
{
    return dv_vec3_distance(mesh_point(x, a), mesh_point(x, b));
}

/* A new seed: what is nearer to it than to those before is its own. */
static void add_seed(Clusters *c, uint32_t point)
{
    const uint32_t seed = c->seeds.count;
    dv_array_push(&c->seeds, point);
    if (!c->graph.points) {
        for (uint32_t i = 0; i < c->count; i++) {
            const double d = between(c->x, i, point);
            if (d < c->distance[i]) {
                c->distance[i] = d;
                c->nearest[i] = seed;
            }
        }
        return;
    }
    path_add_source(&c->graph, point, seed, c->distance, c->nearest);
}

static void choose_seeds(Clusters *c, int32_t number)
{
    for (uint32_t i = 0; i < c->count; i++)
        c->distance[i] = INFINITY;
    if (number < 0) {
        for (uint32_t i = 0; i < c->count; i++) {
            dv_array_push(&c->seeds, i);
            c->nearest[i] = i;
        }
        return;
    }
    for (uint32_t farthest = 0; c->count && c->seeds.count < (uint32_t)number;) {
        add_seed(c, farthest);
        farthest = 0;
        for (uint32_t i = 1; i < c->count; i++)
            farthest = c->distance[i] > c->distance[farthest] ? i : farthest;
        if (c->distance[farthest] == 0.0)
            break;
    }
}

/* Breadth first from the seed, while the point before is in its cell or the next one within the radius. */
static void flood(Clusters *c, uint32_t seed, double radius, uint32_t *mark)
{
    const uint32_t head = c->lists.count, start = c->seeds.data[seed];
    dv_array_push(&c->lists, 0);
    dv_array_push(&c->lists, (int32_t)start);
    mark[start] = seed + 1;
    for (uint32_t i = head + 1; i < c->lists.count; i++) {
        const uint32_t u = (uint32_t)c->lists.data[i];
        for (uint32_t k = c->graph.start[u]; k < c->graph.start[u + 1]; k++) {
            const uint32_t v = c->graph.to[k];
            if (mark[v] == seed + 1 || (c->nearest[u] != seed && !(between(c->x, v, start) < radius)))
                continue;
            mark[v] = seed + 1;
            dv_array_push(&c->lists, (int32_t)v);
        }
    }
    c->lists.data[head] = (int32_t)(c->lists.count - head - 1);
}

static void gather(Clusters *c, double radius, const double *fixed, uint32_t fixed_count, double fixed_radius)
{
    const uint32_t seeds = c->seeds.count;
    DvIndexArray *list = dv_alloc(seeds, sizeof *list);
    for (uint32_t s = 0; s < seeds; s++)
        dv_array_push(&list[s], c->seeds.data[s]);
    for (uint32_t j = 0; j < c->count; j++) {
        double least = INFINITY;
        uint32_t nearest = UINT32_MAX;
        bool joined = false;
        for (uint32_t s = 0; s < seeds; s++) {
            if (c->seeds.data[s] == j)
                continue;
            const double d = between(c->x, j, c->seeds.data[s]);
            if (d < radius) {
                dv_array_push(&list[s], j);
                joined = true;
            } else if (d < least) {
                least = d;
                nearest = s;
            }
        }
        if (!joined && nearest != UINT32_MAX)
            dv_array_push(&list[nearest], j);
    }
    for (uint32_t s = 0; s < seeds; s++) {
        for (uint32_t j = 0; j < fixed_count; j++)
            if (dv_vec3_distance(mesh_point(fixed, j), mesh_point(c->x, c->seeds.data[s])) < fixed_radius)
                dv_array_push(&list[s], c->count + j);
        dv_array_push(&c->lists, (int32_t)list[s].count);
        dv_array_append(&c->lists, (const int32_t *)list[s].data, list[s].count);
        dv_array_free(&list[s]);
    }
    dv_free(list);
}

static void find_edges(ClusteringEngine *self, Clusters *c)
{
    if (!dv_data_bool(&self->use_topology) || !self->topology.object)
        return;
    const DvAdjacency around = self->topology.ops->adjacency(self->topology.self, DV_POINTS, DV_EDGES);
    if (around.count >= c->count) /* else another mesh's */
        c->graph = path_graph_new(c->x, c->count, dv_topology_elements(&self->topology, DV_EDGES));
}

static bool read_count(FILE *file, int *count)
{
    char word[32], *end;
    if (fscanf(file, "%31s", word) != 1)
        return false;
    const long number = strtol(word, &end, 10);
    *count = (int)number;
    return end != word && *end == '\0' && number >= 0 && number <= INT32_MAX;
}

static DvStatus read_file(ClusteringEngine *self)
{
    const char *path = dv_data_file(&self->in_file);
    FILE *file = path ? fopen(path, "r") : NULL;
    if (!file)
        return dv_field_error(&self->in_file, -1, "no file '%s'", dv_data_string(&self->in_file));
    int use, number, count, size, entry;
    DvIntArray lists = {0};
    bool good = read_count(file, &use) && fscanf(file, "%*s %*s") != EOF && read_count(file, &count) &&
                read_count(file, &number); /* both radii are not needed */
    for (int i = 0; good && i < count; i++) {
        good = read_count(file, &size);
        if (good)
            dv_array_push(&lists, size);
        for (int j = 0; good && j < size; j++) {
            good = read_count(file, &entry);
            if (good)
                dv_array_push(&lists, entry);
        }
    }
    (void)fclose(file);
    dv_data_set(&self->cluster, lists.data, good ? lists.count : 0);
    dv_array_free(&lists);
    return good ? DV_OK : dv_field_error(&self->in_file, -1, "'%s' holds no clusters, or fewer than it says", path);
}

/* The file is read once, and again when its name changes. */
static DvStatus take_file(ClusteringEngine *self)
{
    const uint64_t version = dv_data_version(&self->in_file) + 1;
    if (version == self->file_version && !self->engine.forced)
        return DV_OK;
    self->file_version = version;
    return read_file(self);
}

static void write_file(ClusteringEngine *self, DvObject *object, const Clusters *c)
{
    const char *path = dv_data_string(&self->out_file);
    DvText text = {0}, why = {0};
    dv_text_add(&text, "%d ", dv_data_bool(&self->use_topology));
    dv_text_add_double(&text, dv_data_double(&self->radius));
    dv_text_add(&text, " ");
    dv_text_add_double(&text, dv_data_double(&self->fixed_radius));
    dv_text_add(&text, " %" PRIu32 " %" PRId32 "\n", c->seeds.count, dv_data_int(&self->number));
    for (uint32_t i = 0; i < c->lists.count; i += (uint32_t)c->lists.data[i] + 1)
        for (uint32_t j = 0; j <= (uint32_t)c->lists.data[i]; j++)
            dv_text_add(&text, j == (uint32_t)c->lists.data[i] ? "%" PRId32 "\n" : "%" PRId32 " ",
                        c->lists.data[i + j]);
    if (dv_scene_output_update(dv_node_scene(dv_object_node(object)), path, text.at, text.length, &why) != DV_OK)
        dv_scene_output_lost(&self->out_file, path, &why);
    dv_text_free(&text);
    dv_text_free(&why);
}

static DvStatus update(DvObject *object, void *self_)
{
    ClusteringEngine *self = self_;
    if (!dv_engine_runs(object, &self->engine))
        return DV_OK;
    if (*dv_data_string(&self->in_file))
        return take_file(self);
    size_t count, fixed_count;
    Clusters c = {.x = dv_data_doubles(&self->position, &count), .count = (uint32_t)count};
    const double *fixed = dv_data_doubles(&self->fixed, &fixed_count), radius = dv_data_double(&self->radius);
    c.distance = dv_alloc(count, sizeof *c.distance);
    c.nearest = dv_alloc(count, sizeof *c.nearest);
    find_edges(self, &c);
    choose_seeds(&c, dv_data_int(&self->number));
    if (c.graph.points) {
        uint32_t *mark = dv_alloc(count, sizeof *mark);
        for (uint32_t s = 0; s < c.seeds.count; s++)
            flood(&c, s, radius, mark);
        dv_free(mark);
    } else {
        gather(&c, radius, fixed, (uint32_t)fixed_count, dv_data_double(&self->fixed_radius));
    }
    dv_data_set(&self->cluster, c.lists.data, c.lists.count);
    if (*dv_data_string(&self->out_file) && self->engine.forced)
        write_file(self, object, &c);
    path_graph_free(&c.graph);
    dv_array_free(&c.seeds);
    dv_array_free(&c.lists);
    dv_free(c.distance);
    dv_free(c.nearest);
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    ClusteringEngine *self = self_;
    DvObject *state = dv_data_is_given(&self->position) ? NULL : dv_node_context(dv_object_node(object), DV_STATE);
    DvStatus status = state ? dv_data_link(&self->position, dv_object_field(state, "rest_position")) : DV_OK;
    status = mesh_first(status, dv_topology_require(object, NULL, NULL, &self->topology));
    return status;
}

/* A file that it writes reads the clusters. */
static DvStatus start(DvObject *object, void *self_)
{
    ClusteringEngine *self = self_;
    return *dv_data_string(&self->out_file) ? dv_engine_run(object, self) : dv_engine_start(object, self);
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    dv_topology_release(&((ClusteringEngine *)self_)->topology);
}

static const DvField fields[] = {
    DV_ENGINE_INPUT(ClusteringEngine, use_topology, "useTopo", dv_type_bool,
                    "distances along the edges of the topology", .init = "1"),
    DV_ENGINE_INPUT(ClusteringEngine, radius, "radius", dv_type_double,
                    "what is nearer to a seed belongs to its cluster", .init = "1", .unit = "m"),
    DV_ENGINE_INPUT(ClusteringEngine, fixed_radius, "fixedRadius", dv_type_double, "the same of fixed points",
                    .init = "1", .unit = "m"),
    DV_ENGINE_INPUT(ClusteringEngine, number, "number", dv_type_int, "number of clusters; below 0: one for each point",
                    .init = "-1"),
    DV_ENGINE_INPUT(ClusteringEngine, fixed, "fixedPosition", dv_type_vec3s, "fixed points, numbered after the others",
                    .unit = "m"),
    DV_ENGINE_INPUT(ClusteringEngine, position, "position", dv_type_vec3s,
                    "points (default: the rest shape of the state)", .unit = "m"),
    DV_ENGINE_OUTPUT(ClusteringEngine, cluster, "cluster", dv_mesh_type_index_lists,
                     "points of each cluster, its seed first"),
    DV_ENGINE_INPUT(ClusteringEngine, in_file, "inFile", dv_type_file, "file to take the clusters from"),
    DV_FIELD(ClusteringEngine, out_file, "outFile", dv_type_string,
             .help = "file to write the clusters to, at the start"),
    {0},
};

const DvClass dv_clustering_engine = {
    .size = sizeof(DvClass),
    .name = "ClusteringEngine",
    .variants = "Vec3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Analyze",
    .help = "Gathers points into clusters.",
    .instance_size = sizeof(ClusteringEngine),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    .construct = dv_engine_construct,
    .init = init,
    .bwd_init = start,
    .reinit = dv_engine_run,
    .update = update,
    .cleanup = cleanup,
};
