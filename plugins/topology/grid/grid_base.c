/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What grids share: their numbers of points, and the lists of elements that follow from them.
 */
#include "grid_base.h"
#include "grid.h"

#include <inttypes.h>
#include <string.h>

#include <divan/memory.h>

void grid_base_shape(GridBase *grid, uint32_t n[3])
{
    const int32_t *points = dv_data_ints(&grid->n, NULL);
    for (int axis = 0; axis < 3; axis++)
        n[axis] = points[axis] > 0 ? (uint32_t)points[axis] : 1;
}

DvStatus grid_base_check(GridBase *grid)
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
    return grid_base_ask(grid->topology.object, n[0], n[1], n[2]);
}

DvStatus grid_base_ask(const DvObject *object, double x, double y, double z)
{
    /* three numbers a point in the field and in the state, and three of each kind of element, in arrays that grow by doubling */
    enum { BYTES_OF_POINT = 160 };
    return dv_memory_ask(object, x * y * z * BYTES_OF_POINT, "a grid of %.0f x %.0f x %.0f points", x, y, z);
}

void grid_base_parse(GridBase *grid)
{
    static const char *const axes[3] = {"nx", "ny", "nz"};
    int32_t n[3];
    int given = 0;
    memcpy(n, dv_data_ints(&grid->n, NULL), sizeof n);
    for (int axis = 0; axis < 3; axis++)
        given += dv_attribute_integer(grid->topology.object, axes[axis], &n[axis]);
    if (given == 3)
        dv_data_set(&grid->n, n, 1);
}

/* In single precision, as old scenes have it. */
static bool attribute_float(const DvObject *object, const char *name, double *value)
{
    const bool given = dv_attribute_number(object, name, value);
    *value = (double)(float)*value;
    return given;
}

bool grid_box_attributes(const DvObject *object, double box[6])
{
    static const char *const names[6] = {"xmin", "ymin", "zmin", "xmax", "ymax", "zmax"};
    double scale = 1.0;
    bool all = true;
    (void)attribute_float(object, "scale", &scale);
    for (int i = 0; i < 6; i++)
        all = attribute_float(object, names[i], &box[i]) && all;
    for (int i = 0; i < 6 && all; i++)
        box[i] *= scale;
    return all;
}

void grid_base_make_lists(GridBase *grid)
{
    const uint64_t version = 1 + dv_data_version(&grid->n) + dv_data_version(&grid->compute_hexahedra) +
                             dv_data_version(&grid->compute_quads) + dv_data_version(&grid->compute_triangles) +
                             dv_data_version(&grid->compute_edges);
    if (grid->list_version == version)
        return;
    grid->list_version = version;
    Topology *topology = &grid->topology;
    uint32_t n[3];
    grid_base_shape(grid, n);
    DvIndexArray hexahedra = {0}, quads = {0}, triangles = {0}, edges = {0};
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
            parts_create(list, &triangle_edges, false, NULL, &edges, NULL);
        else
            grid_edges(n, &edges);
        topology_set_list(topology, DV_EDGES, edges.data, edges.count / 2);
    }
    dv_array_free(&hexahedra);
    dv_array_free(&quads);
    dv_array_free(&triangles);
    dv_array_free(&edges);
}

DvStatus grid_base_start(GridBase *grid)
{
    if (dv_data_bool(&grid->create_texcoords)) {
        uint32_t n[3];
        grid_base_shape(grid, n);
        double *uv = dv_data_begin_all(&grid->topology.texcoords, grid->topology.points);
        memset(uv, 0, (size_t)grid->topology.points * 2 * sizeof *uv);
        grid_texture_coordinates(n, uv);
        dv_data_end(&grid->topology.texcoords);
    }
    grid_base_make_lists(grid);
    return mesh_topology_start(&grid->topology);
}
