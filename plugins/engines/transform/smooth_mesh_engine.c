/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SmoothMeshEngine: each point of a mesh moves to the mean of its neighbours along edges, all at once, so many times (Laplacian smoothing).
 * A point without neighbours stays.
 */
#include "data_engine.h"
#include "mesh_inputs.h"

typedef struct SmoothMesh {
    DvEngine engine;
    DvData position, indices, output, iterations;
    DvLink link;
    DvTopologyRef topology;
} SmoothMesh;

/* What is told once: at init and reinit. */
static DvStatus check(SmoothMesh *self, size_t points, size_t mesh_points)
{
    size_t count;
    const uint32_t *indices = dv_data_uints(&self->indices, &count);
    for (size_t i = 0; i < count; i++)
        if (indices[i] >= points)
            return dv_field_error(&self->indices, (int64_t)i, "point %" PRIu32 " of %zu positions", indices[i], points);
    if (mesh_points < points && dv_engine_starting(&self->engine))
        dv_field_warning(&self->position, -1,
                         "%zu positions, but the mesh has %zu points: the others stay where they are", points,
                         mesh_points);
    return DV_OK;
}

/* The mean of the neighbours of a point, or the point. */
static void smooth_point(const DvAdjacency *around, DvElements edges, const double *from, size_t points, uint32_t point,
                         double *to)
{
    DvVec3 sum = dv_vec3_zero();
    uint32_t count = 0;
    for (uint32_t k = around->begin[point]; k < around->end[point]; k++) {
        const uint32_t *edge = edges.at + 2 * (size_t)around->items[k], other = edge[edge[0] == point];
        if (other >= points)
            continue;
        sum = dv_vec3_add(sum, mesh_point(from, other));
        count++;
    }
    dv_vec3_store(count ? dv_vec3_scale(sum, 1.0 / count) : mesh_point(from, point), to + 3 * (size_t)point);
}

static DvStatus update(DvObject *object, void *self_)
{
    SmoothMesh *self = self_;
    if (!dv_engine_runs(object, &self->engine))
        return DV_OK;
    const DvAdjacency around = self->topology.ops->adjacency(self->topology.self, DV_POINTS, DV_EDGES);
    const DvElements edges = dv_topology_elements(&self->topology, DV_EDGES);
    size_t points, chosen;
    const double *position = dv_data_doubles(&self->position, &points);
    const uint32_t *indices = dv_data_uints(&self->indices, &chosen);
    const DvStatus status = check(self, points, around.count);
    if (status != DV_OK) {
        dv_data_set(&self->output, NULL, 0);
        return status;
    }
    const size_t numbers = 3 * points, count = chosen ? chosen : points;
    double *before = dv_alloc(numbers, sizeof *before), *to = dv_data_begin_all(&self->output, points);
    if (points)
        memcpy(to, position, numbers * sizeof *to);
    for (uint32_t n = dv_data_uint(&self->iterations); n > 0 && points && around.count; n--) {
        memcpy(before, to, numbers * sizeof *to);
        for (size_t i = 0; i < count; i++) {
            const uint32_t point = chosen ? indices[i] : (uint32_t)i;
            if (point < around.count)
                smooth_point(&around, edges, before, points, point, to);
        }
    }
    dv_data_end(&self->output);
    dv_free(before);
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    SmoothMesh *self = self_;
    DvStatus status = dv_topology_require(object, &self->link, "a mesh, whose edges say which points are neighbours",
                                          &self->topology);
    if (status == DV_OK)
        status = mesh_depend(&self->output, &self->topology);
    self->engine.ready = status == DV_OK;
    return status;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    dv_topology_release(&((SmoothMesh *)self_)->topology);
}

static const DvRange iteration_range = {.least = 0, .most = 100000};

static const DvField fields[] = {
    DV_ENGINE_INPUT(SmoothMesh, position, "input_position", dv_type_vec3s, "points of the mesh", .unit = "m"),
    DV_FIELD(SmoothMesh, indices, "input_indices", dv_type_uints, .flags = DV_FIELD_INPUT | DV_FIELD_EMPTY_IS_ALL,
             .help = "points that move (empty: all)"),
    DV_ENGINE_OUTPUT(SmoothMesh, output, "output_position", dv_type_vec3s, "points of the smoother mesh", .unit = "m"),
    DV_ENGINE_INPUT(SmoothMesh, iterations, "nb_iterations", dv_type_uint, "how many times each moves", .init = "1",
                    .range = &iteration_range),
    MESH_SHOWN("showInput", "0"),
    MESH_SHOWN("showOutput", "0"),
    DV_LINK(SmoothMesh, link, "topology", DV_TOPOLOGY, .help = "mesh that has the edges (default: that of the node)"),
    {0},
};

const DvClass dv_smooth_mesh_engine = {
    DATA_ENGINE_CLASS(init, update, cleanup),
    .name = "SmoothMeshEngine",
    .variants = "Vec3d",
    .module = "Sofa.Component.Engine.Transform",
    .help = "Smooths a mesh by means of neighbours.",
    .instance_size = sizeof(SmoothMesh),
    .fields = fields,
};
