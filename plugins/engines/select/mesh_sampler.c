/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshSampler: some points of many, evenly spread. Seeds by farthest points, from the first on; then Lloyd's method (1982): each sample
 * becomes the point of its cell nearest to the cell's centroid, until none changes. Distances run along edges, if there are any, else they are straight.
 */
#include <math.h>

#include "shortest_paths.h"

typedef struct MeshSampler {
    DvEngine engine;
    DvData number, position, edges, most_iterations, indices, output;
} MeshSampler;

typedef struct Samples {
    const double *x;
    uint32_t count, wanted;
    PathGraph graph;   /* no points: straight distances */
    DvIndexArray at;   /* samples */
    double *distance;  /* [count] to the nearest */
    uint32_t *nearest; /* [count] which that is */
} Samples;

static void add_sample(Samples *s, uint32_t point, uint32_t sample)
{
    if (s->graph.points) {
        path_add_source(&s->graph, point, sample, s->distance, s->nearest);
        return;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        const double d = dv_vec3_distance(mesh_point(s->x, i), mesh_point(s->x, point));
        if (d < s->distance[i]) {
            s->distance[i] = d;
            s->nearest[i] = sample;
        }
    }
}

static void clear_distances(Samples *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        s->distance[i] = INFINITY;
        s->nearest[i] = UINT32_MAX;
    }
}

/* Stops when every point is in the place of a sample. */
static void choose_farthest(Samples *s)
{
    clear_distances(s);
    for (uint32_t farthest = 0; s->count && s->at.count < s->wanted;) {
        dv_array_push(&s->at, farthest);
        add_sample(s, farthest, s->at.count - 1);
        farthest = 0;
        for (uint32_t i = 1; i < s->count; i++)
            farthest = s->distance[i] > s->distance[farthest] ? i : farthest;
        if (!(s->distance[farthest] > 0.0))
            break;
    }
}

static double squared(DvVec3 a, DvVec3 b)
{
    return dv_vec3_norm_squared(dv_vec3_sub(a, b));
}

/* Each sample to the middle of its cell; false: all are there. `sum`: room for four numbers a sample. */
static bool move_to_middles(Samples *s, double *sum)
{
    memset(sum, 0, 4 * s->at.count * sizeof *sum);
    for (uint32_t i = 0; i < s->count; i++)
        if (s->nearest[i] != UINT32_MAX) {
            double *mine = sum + 4 * (size_t)s->nearest[i];
            dv_vec3_accumulate(mesh_point(s->x, i), mine);
            mine[3] += 1.0;
        }
    for (uint32_t k = 0; k < s->at.count; k++) {
        double *mine = sum + 4 * (size_t)k;
        dv_vec3_store(dv_vec3_scale(dv_vec3_load(mine), 1.0 / mine[3]), mine);
        mine[3] = squared(dv_vec3_load(mine), mesh_point(s->x, s->at.data[k]));
    }
    bool moved = false;
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->nearest[i] == UINT32_MAX)
            continue;
        double *mine = sum + 4 * (size_t)s->nearest[i];
        const double d = squared(dv_vec3_load(mine), mesh_point(s->x, i));
        if (d < mine[3]) {
            mine[3] = d;
            s->at.data[s->nearest[i]] = i;
            moved = true;
        }
    }
    return moved;
}

static void spread(Samples *s, uint32_t most_iterations)
{
    double *sum = dv_alloc(4 * (size_t)s->at.count, sizeof *sum);
    for (uint32_t n = 0; n < most_iterations && s->at.count && move_to_middles(s, sum); n++) {
        clear_distances(s);
        for (uint32_t k = 0; k < s->at.count; k++)
            add_sample(s, s->at.data[k], k);
    }
    dv_free(sum);
}

static DvStatus update(DvObject *object, void *self_)
{
    (void)object;
    MeshSampler *self = self_;
    size_t count;
    DvElements edges;
    Samples s = {.x = dv_data_doubles(&self->position, &count), .wanted = dv_data_uint(&self->number)};
    const DvStatus status = mesh_input(&self->edges, DV_EDGES, count, &edges);
    s.count = status == DV_OK ? (uint32_t)count : 0;
    s.distance = dv_alloc(s.count, sizeof *s.distance);
    s.nearest = dv_alloc(s.count, sizeof *s.nearest);
    if (edges.count)
        s.graph = path_graph_new(s.x, s.count, edges);
    choose_farthest(&s);
    if (status == DV_OK && s.at.count < s.wanted && dv_engine_starting(&self->engine))
        dv_field_warning(&self->number, -1, "%" PRIu32 " samples, but there are points in %" PRIu32 " places only",
                         s.wanted, s.at.count);
    spread(&s, dv_data_uint(&self->most_iterations));
    double *to = dv_data_begin_all(&self->output, s.at.count);
    for (uint32_t k = 0; k < s.at.count; k++, to += 3)
        dv_vec3_store(mesh_point(s.x, s.at.data[k]), to);
    dv_data_end(&self->output);
    dv_data_set(&self->indices, s.at.data, s.at.count);
    path_graph_free(&s.graph);
    dv_array_free(&s.at);
    dv_free(s.distance);
    dv_free(s.nearest);
    return status;
}

static const DvField fields[] = {
    DV_ENGINE_INPUT(MeshSampler, number, "number", dv_type_uint, "how many samples", .init = "1"),
    DV_ENGINE_INPUT(MeshSampler, position, "position", dv_type_vec3s, "points to choose from", .unit = "m"),
    DV_ENGINE_INPUT(MeshSampler, edges, "edges", dv_type_edges,
                    "edges along which distances run (none: they are straight)"),
    DV_ENGINE_INPUT(MeshSampler, most_iterations, "maxIter", dv_type_uint,
                    "how often samples move to the middle of their cells, at most", .init = "100"),
    DV_ENGINE_OUTPUT(MeshSampler, indices, "outputIndices", dv_type_uints, "the samples"),
    DV_ENGINE_OUTPUT(MeshSampler, output, "outputPosition", dv_type_vec3s, "where they are", .unit = "m"),
    {0},
};

const DvClass dv_mesh_sampler = {
    .size = sizeof(DvClass),
    .name = "MeshSampler",
    .variants = "Vec3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Select",
    .help = "Chooses points that are evenly spread.",
    .instance_size = sizeof(MeshSampler),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .update = update,
};
