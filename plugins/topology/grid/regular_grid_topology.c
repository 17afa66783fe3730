/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RegularGridTopology: a box of n points per axis, evenly spaced.
 *
 * point (i, j, k) = p0 + (i dx, j dy, k dz), each sum rounded once (fma): whether a region that ends at the border of
 * the grid selects its last layer hangs on this last bit, and scenes rely on it. dx = (max - min) / (n - 1); with one
 * point on an axis that point lies in the middle of the box in x and y, at its bottom in z.
 *
 * Points and elements are there from the end of parsing on: a state or a mass written before its grid takes them.
 * `cellWidth` changes the number of points at init, not their spacing, which stays that of the `n` known before.
 *
 * Edges come from the triangles when those are made (the default), so they include the diagonals of the quads.
 */
#include "container/topology.h"
#include "grid.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Grids beyond this number of points are refused. */
enum { MOST_GRID_POINTS = 1 << 26 };

typedef struct RegularGrid {
    Topology topology;
    DvData n;
    DvData compute_hexahedra, compute_quads, compute_triangles, compute_edges, compute_points;
    DvData create_texcoords;
    DvData min, max, p0, cell_width;
    double step[3];
    bool p0_is_known;      /* given by the user, or set before */
    uint64_t list_version; /* of the fields that the lists were computed for; 0: there are none */
} RegularGrid;

static void read_shape(RegularGrid *grid, uint32_t n[3])
{
    const int32_t *points = dv_data_ints(&grid->n, NULL);
    for (int axis = 0; axis < 3; axis++)
        n[axis] = points[axis] > 0 ? (uint32_t)points[axis] : 1;
}

/* Spacing and origin from the box. */
static void place(RegularGrid *grid)
{
    const double *min = dv_data_doubles(&grid->min, NULL), *max = dv_data_doubles(&grid->max, NULL);
    uint32_t n[3];
    double origin[3];
    read_shape(grid, n);
    for (int axis = 0; axis < 3; axis++) {
        const double length = max[axis] - min[axis];
        grid->step[axis] = n[axis] > 1 ? length / (n[axis] - 1) : length;
        origin[axis] = n[axis] > 1 || axis == 2 ? min[axis] : (min[axis] + max[axis]) * 0.5;
    }
    if (!grid->p0_is_known)
        dv_data_set(&grid->p0, origin, 1);
    grid->p0_is_known = true;
}

static void fill_positions(RegularGrid *grid)
{
    uint32_t n[3];
    read_shape(grid, n);
    topology_set_points(&grid->topology, n[0] * n[1] * n[2]);
    if (!dv_data_bool(&grid->compute_points))
        return;
    const double *p0 = dv_data_doubles(&grid->p0, NULL);
    double *at = dv_data_begin_all(&grid->topology.position, grid->topology.points);
    for (uint32_t z = 0; z < n[2]; z++)
        for (uint32_t y = 0; y < n[1]; y++)
            for (uint32_t x = 0; x < n[0]; x++, at += 3) {
                at[0] = fma(grid->step[0], x, p0[0]);
                at[1] = fma(grid->step[1], y, p0[1]);
                at[2] = fma(grid->step[2], z, p0[2]);
            }
    dv_data_end(&grid->topology.position);
}

static bool attribute_float(const DvAttributes *attributes, const char *name, double *value)
{
    const char *text = dv_attribute(attributes, name);
    double wide;
    if (!text || !dv_read_double(&text, &wide))
        return false;
    *value = (double)(float)wide; /* as old scenes have it */
    return true;
}

static bool attribute_box(const DvAttributes *attributes, double box[6])
{
    static const char *const names[6] = {"xmin", "ymin", "zmin", "xmax", "ymax", "zmax"};
    bool all = true;
    for (int i = 0; i < 6; i++)
        all = attribute_float(attributes, names[i], &box[i]) && all;
    return all;
}

static DvStatus check_size(RegularGrid *grid)
{
    const int32_t *n = dv_data_ints(&grid->n, NULL);
    if (n[0] < 1 || n[1] < 1 || n[2] < 1) {
        dv_field_warning(&grid->n, -1, "%" PRId32 " %" PRId32 " %" PRId32 ": every axis needs a point; 2 2 2 is taken",
                         n[0], n[1], n[2]);
        dv_data_set(&grid->n, (const int32_t[3]){2, 2, 2}, 1);
    } else if ((double)n[0] * n[1] * n[2] > MOST_GRID_POINTS) {
        dv_field_error(&grid->n, -1, "%" PRId32 " x %" PRId32 " x %" PRId32 " points are more than %d", n[0], n[1],
                       n[2], MOST_GRID_POINTS);
        return DV_ERROR_LIMIT;
    }
    return DV_OK;
}

/* Lists that follow from the number of points, unless they are there. What is not computed here is left to MeshTopology. */
static void compute_lists(RegularGrid *grid)
{
    const uint64_t version = 1 + dv_data_version(&grid->n) + dv_data_version(&grid->compute_hexahedra) +
                             dv_data_version(&grid->compute_quads) + dv_data_version(&grid->compute_triangles) +
                             dv_data_version(&grid->compute_edges);
    if (grid->list_version == version)
        return;
    grid->list_version = version;
    Topology *topology = &grid->topology;
    uint32_t n[3];
    read_shape(grid, n);
    IndexArray hexahedra = {0}, quads = {0}, triangles = {0}, edges = {0};
    if (dv_data_bool(&grid->compute_hexahedra)) {
        grid_hexahedra(n, &hexahedra);
        topology_set_list(topology, DV_HEXAHEDRA, hexahedra.data, hexahedra.count / 8);
    }
    if (dv_data_bool(&grid->compute_quads)) {
        grid_quads(n, &quads);
        topology_set_list(topology, DV_QUADS, quads.data, quads.count / 4);
    }
    if (dv_data_bool(&grid->compute_triangles)) {
        if (quads.count == 0)
            grid_quads(n, &quads);
        grid_triangles(quads.data, quads.count / 4, &triangles);
        topology_set_list(topology, DV_TRIANGLES, triangles.data, triangles.count / 3);
    }
    if (dv_data_bool(&grid->compute_edges)) {
        const ElementList list = {.at = triangles.data, .count = triangles.count / 3, .nodes = 3};
        if (list.count)
            parts_create(list, &triangle_edges, false, NULL, &edges);
        else
            grid_edges(n, &edges);
        topology_set_list(topology, DV_EDGES, edges.data, edges.count / 2);
    }
    array_free(&hexahedra);
    array_free(&quads);
    array_free(&triangles);
    array_free(&edges);
}

static DvStatus parse(DvObject *object, void *self, const DvAttributes *attributes)
{
    (void)object;
    RegularGrid *grid = self;
    static const char *const axes[3] = {"nx", "ny", "nz"};
    int32_t n[3];
    int given = 0;
    for (int axis = 0; axis < 3; axis++) {
        const char *text = dv_attribute(attributes, axes[axis]);
        given += text && dv_read_int(&text, &n[axis]);
    }
    if (given == 3)
        dv_data_set(&grid->n, n, 1);
    double box[6], scale = 1.0;
    (void)attribute_float(attributes, "scale", &scale);
    if (attribute_box(attributes, box)) {
        for (int i = 0; i < 6; i++)
            box[i] *= scale;
        dv_data_set(&grid->min, box, 1);
        dv_data_set(&grid->max, box + 3, 1);
    }
    grid->p0_is_known = dv_data_is_set(&grid->p0);
    const DvStatus status = check_size(grid);
    if (status == DV_OK) {
        place(grid);
        fill_positions(grid);
        if (!(dv_data_double(&grid->cell_width) > 0)) /* else init has other numbers of points */
            compute_lists(grid);
    }
    return status;
}

static DvStatus init(DvObject *object, void *self)
{
    (void)object;
    RegularGrid *grid = self;
    DvStatus status = check_size(grid);
    const double width = dv_data_double(&grid->cell_width);
    if (status == DV_OK && width > 0) {
        const double *min = dv_data_doubles(&grid->min, NULL), *max = dv_data_doubles(&grid->max, NULL);
        int32_t n[3];
        for (int axis = 0; axis < 3; axis++) {
            const double cells = ceil((max[axis] - min[axis]) / width);
            n[axis] = cells >= 0 && cells < MOST_GRID_POINTS ? (int32_t)cells + 1 : MOST_GRID_POINTS;
        }
        dv_data_set(&grid->n, n, 1);
        status = check_size(grid);
    }
    if (status != DV_OK)
        return status;
    fill_positions(grid);
    if (dv_data_bool(&grid->create_texcoords)) {
        uint32_t n[3];
        read_shape(grid, n);
        double *uv = dv_data_begin_all(&grid->topology.texcoords, grid->topology.points);
        memset(uv, 0, (size_t)grid->topology.points * 2 * sizeof *uv);
        grid_texture_coordinates(n, uv);
        dv_data_end(&grid->topology.texcoords);
    }
    compute_lists(grid);
    return mesh_topology_start(&grid->topology);
}

static bool grid_shape(Topology *topology, DvGridShape *shape)
{
    RegularGrid *grid = (RegularGrid *)(void *)topology;
    const double *p0 = dv_data_doubles(&grid->p0, NULL);
    read_shape(grid, shape->n);
    for (int axis = 0; axis < 3; axis++) {
        shape->step[axis] = grid->step[axis];
        shape->min[axis] = p0[axis];
        shape->max[axis] = fma(grid->step[axis], shape->n[axis] - 1, p0[axis]);
    }
    return true;
}

static DvStatus construct(DvObject *object, void *self)
{
    RegularGrid *grid = self;
    grid->topology.grid_shape = grid_shape;
    return topology_construct(object, self);
}

#define COMPUTE_FIELD(member, name, what) \
    DV_FIELD(RegularGrid, member, name, dv_type_bool, .init = "1", .help = "make the list of " what)

static const DvField fields[] = {
    MESH_TOPOLOGY_FIELDS(RegularGrid, topology.),
    DV_FIELD(RegularGrid, n, "n", dv_type_vec3i, .init = "2 2 2", .range = &dv_range_count, .help = "points per axis"),
    COMPUTE_FIELD(compute_hexahedra, "computeHexaList", "hexahedra"),
    COMPUTE_FIELD(compute_quads, "computeQuadList", "quads"),
    COMPUTE_FIELD(compute_triangles, "computeTriangleList", "triangles"),
    COMPUTE_FIELD(compute_edges, "computeEdgeList", "edges"),
    COMPUTE_FIELD(compute_points, "computePointList", "positions"),
    DV_FIELD(RegularGrid, create_texcoords, "createTexCoords", dv_type_bool, .init = "0",
             .help = "fill uv on the faces"),
    DV_FIELD(RegularGrid, min, "min", dv_type_vec3d, .init = "0 0 0", .unit = "m",
             .help = "smallest corner of the box"),
    DV_FIELD(RegularGrid, max, "max", dv_type_vec3d, .init = "1 1 1", .unit = "m", .help = "largest corner of the box"),
    DV_FIELD(RegularGrid, p0, "p0", dv_type_vec3d, .init = "0 0 0", .unit = "m",
             .help = "position of point 0 (default: from the box)"),
    DV_FIELD(RegularGrid, cell_width, "cellWidth", dv_type_double, .init = "0", .unit = "m",
             .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT,
             .help = "when positive, the number of points at init follows from it; their spacing does not"),
    {0},
};

const DvClass dv_regular_grid_topology = {
    .size = sizeof(DvClass),
    .name = "RegularGridTopology",
    .bases = (const char *const[]){"GridTopology", "MeshTopology", "BaseMeshTopology", NULL},
    .family = "topologies",
    .module = "Sofa.Component.Topology.Container.Grid",
    .help = "A box of evenly spaced points.",
    .instance_size = sizeof(RegularGrid),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_TOPOLOGY, .ops = &topology_ops, .slot = true}, {0}},
    .construct = construct,
    .parse = parse,
    .init = init,
    .update = mesh_topology_update,
    .bounding_box = topology_bounding_box,
    .destroy = topology_destroy,
};
