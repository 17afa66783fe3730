/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sparse grids; see sparse_grid.h, and the classes for what they are.
 */
#include "sparse_grid.h"

#include "ramification.h"

#include <inttypes.h>
#include <math.h>

#include <divan/memory.h>

/* Grids beyond this number of cells, of the finest level, are refused. */
enum { MOST_CELLS = 1 << 26, BYTES_OF_CELL = 64 /* kind, weight, piece, number of each corner, on all levels */ };
#define NO_CELL UINT32_MAX

static void surface_free(Surface *surface)
{
    dv_array_free(&surface->positions);
    dv_array_free(&surface->triangles);
    dv_array_free(&surface->edges);
}

/* A polygon as a fan around its first corner. */
static void add_polygon(Surface *surface, const uint32_t *corners, uint32_t count, uint32_t first)
{
    for (uint32_t j = 1; j < count; j++) {
        dv_array_push(&surface->edges, first + corners[j - 1]);
        dv_array_push(&surface->edges, first + corners[j]);
    }
    for (uint32_t j = 2; j < count; j++) {
        dv_array_push(&surface->triangles, first + corners[0]);
        dv_array_push(&surface->triangles, first + corners[j - 1]);
        dv_array_push(&surface->triangles, first + corners[j]);
    }
}

void surface_add_mesh(Surface *surface, const DvMesh *mesh)
{
    const uint32_t first = surface->positions.count / 3;
    for (uint32_t i = 0; i < mesh->position.count; i++)
        dv_array_append(&surface->positions, mesh->position.data[i].at, 3);
    for (uint32_t i = 0; i < mesh->triangle.count; i++)
        add_polygon(surface, mesh->triangle.data[i].at, 3, first);
    for (uint32_t i = 0; i < mesh->quad.count; i++)
        add_polygon(surface, mesh->quad.data[i].at, 4, first);
    for (uint32_t i = 0; i + 1 < mesh->polygon.offset.count; i++) {
        const uint32_t at = mesh->polygon.offset.data[i];
        add_polygon(surface, (const uint32_t *)mesh->polygon.value.data + at, mesh->polygon.offset.data[i + 1] - at,
                    first);
    }
}

static DvStatus surface_of_file(SparseGrid *grid, Surface *surface)
{
    DvMesh mesh = {0};
    const DvStatus status = topology_read_file(&grid->topology, &mesh);
    if (status == DV_OK)
        surface_add_mesh(surface, &mesh);
    dv_mesh_free(&mesh);
    return status;
}

static DvStatus check_corners(DvData *field, int64_t entry, const uint32_t *corners, uint32_t count, size_t points)
{
    for (uint32_t j = 0; j < count; j++)
        if (corners[j] >= points)
            return dv_field_error(field, entry, "point %" PRIu32 " of a surface of %zu points", corners[j], points);
    return DV_OK;
}

static DvStatus surface_of_fields(SparseGrid *grid, Surface *surface)
{
    size_t points, entries;
    const double *at = dv_data_doubles(&grid->topology.position, &points);
    dv_array_append(&surface->positions, at, (uint32_t)(3 * points));
    const uint32_t *facet = (const uint32_t *)dv_data_ints(&grid->facets, &entries); /* lists: length, then entries */
    DvStatus status = DV_OK;
    for (size_t i = 0, list = 0; status == DV_OK && i < entries; i += 1 + facet[i], list++) {
        status = check_corners(&grid->facets, (int64_t)list, facet + i + 1, facet[i], points);
        if (status == DV_OK)
            add_polygon(surface, facet + i + 1, facet[i], 0);
    }
    for (DvElementKind kind = DV_TRIANGLES; status == DV_OK && kind <= DV_QUADS; kind++) {
        const ElementList list = topology_elements(&grid->topology, kind);
        for (uint32_t i = 0; status == DV_OK && i < list.count; i++) {
            const uint32_t *corners = list.at + (size_t)i * list.nodes;
            status = check_corners(&grid->topology.list[kind], i, corners, list.nodes, points);
            if (status == DV_OK)
                add_polygon(surface, corners, list.nodes, 0);
        }
    }
    return status;
}

static bool is_of_file(SparseGrid *grid)
{
    return *dv_data_string(&grid->topology.filename) != '\0';
}

DvStatus sparse_grid_find_surface(SparseGrid *grid, Surface *surface)
{
    return is_of_file(grid) ? surface_of_file(grid, surface) : surface_of_fields(grid, surface);
}

static DvStatus check_surface(SparseGrid *grid, const Surface *surface)
{
    if (surface->positions.count == 0)
        return dv_error(grid->topology.object, DV_ERROR_MISSING,
                        "no surface to fill; name a mesh in filename, or give position and triangles");
    for (uint32_t i = 0; i < surface->positions.count; i++)
        if (!isfinite(surface->positions.data[i]))
            return dv_error(grid->topology.object, DV_ERROR_NOT_FINITE,
                            "point %" PRIu32 " of the surface is not a number", i / 3);
    return DV_OK;
}

/* The box of the surface and a hundredth of its size more on each side, unless a box is given. */
static void find_extent(SparseGrid *grid, const Surface *surface, double lower[3], double upper[3])
{
    const double *min = dv_data_doubles(&grid->min, NULL), *max = dv_data_doubles(&grid->max, NULL);
    bool given = false;
    for (int axis = 0; axis < 3; axis++) {
        given = given || min[axis] != 0.0 || max[axis] != 0.0;
        lower[axis] = INFINITY, upper[axis] = -INFINITY;
    }
    for (uint32_t i = 0; i < surface->positions.count; i++) {
        lower[i % 3] = fmin(lower[i % 3], surface->positions.data[i]);
        upper[i % 3] = fmax(upper[i % 3], surface->positions.data[i]);
    }
    for (int axis = 0; axis < 3; axis++) {
        const double margin = (upper[axis] - lower[axis]) / 100.0;
        lower[axis] = given ? min[axis] : lower[axis] - margin;
        upper[axis] = given ? max[axis] : upper[axis] + margin;
    }
}

/* The grid of the finest level. */
static DvStatus find_finest_box(SparseGrid *grid, const Surface *surface, uint32_t levels, VoxelBox *box)
{
    double lower[3], upper[3], cells = 1.0;
    find_extent(grid, surface, lower, upper);
    const double width = dv_data_double(&grid->cell_width);
    const int32_t *n = dv_data_ints(&grid->n, NULL);
    for (int axis = 0; axis < 3; axis++) {
        const double length = upper[axis] - lower[axis];
        if (!(length > 0.0))
            return dv_error(grid->topology.object, DV_ERROR_INVALID,
                            "the box from %g to %g along %c has no extent; give min and max", lower[axis], upper[axis],
                            "xyz"[axis]);
        const double along = (width > 0.0 ? fmax(ceil(length / width), 1.0) : fmax(n[axis] - 1.0, 1.0)) * exp2(levels);
        cells *= along;
        if (cells > MOST_CELLS)
            return dv_field_error(&grid->n, -1, "the finest level would have more than %d cells", MOST_CELLS);
        box->n[axis] = (uint32_t)along + 1;
        box->min[axis] = lower[axis];
        box->step[axis] = length / along;
    }
    return dv_memory_ask(grid->topology.object, cells * BYTES_OF_CELL,
                         "a grid of %.3g cells, %u x %u x %u at the finest level", cells, box->n[0] - 1, box->n[1] - 1,
                         box->n[2] - 1);
}

/* One level coarser: every second point, from the same corner. */
static VoxelBox coarser(const VoxelBox *fine)
{
    VoxelBox box;
    for (int axis = 0; axis < 3; axis++) {
        box.n[axis] = fine->n[axis] / 2 + 1;
        box.min[axis] = fine->min[axis];
        const double max = box.min[axis] + (box.n[axis] - 1) * 2 * fine->step[axis];
        box.step[axis] = (max - box.min[axis]) / (box.n[axis] - 1);
    }
    return box;
}

static void level_free(Level *level)
{
    dv_free(level->voxels);
    dv_free(level->weights);
}

static Level level_new(VoxelBox box)
{
    const size_t cells = voxel_count(&box);
    return (Level){box, dv_alloc(cells, sizeof(uint8_t)), dv_alloc(cells, sizeof(float))};
}

void sparse_grid_fill(SparseGrid *grid, const Surface *surface, Level *level)
{
    voxels_of_surface(&level->box,
                      &(VoxelSurface){surface->positions.data, surface->positions.count / 3, surface->triangles.data,
                                      surface->triangles.count / 3},
                      level->voxels);
    const bool weighted = dv_data_bool(&grid->fill_weighted);
    for (size_t i = 0, cells = voxel_count(&level->box); i < cells; i++)
        level->weights[i] = level->voxels[i] == VOXEL_OUTSIDE                ? 0.0F
                            : level->voxels[i] == VOXEL_BOUNDARY && weighted ? 0.5F
                                                                             : 1.0F;
}

static DvStatus fill_finest(SparseGrid *grid, Surface *surface, Level *level)
{
    VoxelBox box;
    DvStatus status = grid->rule->find_surface(grid, surface);
    if (status == DV_OK)
        status = check_surface(grid, surface);
    if (status == DV_OK)
        status = find_finest_box(grid, surface, dv_data_uint(&grid->finer_levels), &box);
    if (status != DV_OK)
        return status;
    *level = level_new(box);
    grid->rule->fill(grid, surface, level);
    for (size_t i = 0, cells = voxel_count(&box); dv_data_bool(&grid->only_inside_cells) && i < cells; i++)
        if (level->voxels[i] == VOXEL_BOUNDARY) {
            level->voxels[i] = VOXEL_OUTSIDE;
            level->weights[i] = 0.0F;
        }
    return DV_OK;
}

/* The cells that exist, in the order of their hexahedra. */
static void list_cells(const Level *level, bool merged, DvIndexArray *cells)
{
    const uint32_t *n = level->box.n;
    uint32_t cell[3];
    if (merged) {
        for (cell[0] = 0; cell[0] + 1 < n[0]; cell[0]++)
            for (cell[1] = 0; cell[1] + 1 < n[1]; cell[1]++)
                for (cell[2] = 0; cell[2] + 1 < n[2]; cell[2]++) {
                    const uint32_t index = voxel_index(&level->box, cell);
                    if (level->voxels[index] != VOXEL_OUTSIDE)
                        dv_array_push(cells, index);
                }
        return;
    }
    static const VoxelKind order[2] = {VOXEL_BOUNDARY, VOXEL_INSIDE};
    const uint32_t count = (uint32_t)voxel_count(&level->box);
    for (int i = 0; i < 2; i++)
        for (uint32_t index = 0; index < count; index++)
            if (level->voxels[index] == order[i])
                dv_array_push(cells, index);
}

/* Number of a point of the grid in the order x, y, z with z fastest. */
static size_t node_at(const VoxelBox *box, uint32_t x, uint32_t y, uint32_t z)
{
    return ((size_t)x * box->n[1] + y) * box->n[2] + z;
}

static const uint8_t corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

static void make_hexahedra(SparseGrid *grid, const DvIndexArray *cells)
{
    const VoxelBox *box = &grid->box;
    const size_t nodes = (size_t)box->n[0] * box->n[1] * box->n[2];
    size_t *at = dv_alloc((size_t)cells->count * 8, sizeof *at);
    uint32_t *number = dv_alloc(nodes, sizeof *number), *list = dv_alloc((size_t)cells->count * 8, sizeof *list);
    for (uint32_t i = 0; i < cells->count; i++) {
        const uint32_t cell = cells->data[i], nx = box->n[0] - 1, ny = box->n[1] - 1;
        for (int j = 0; j < 8; j++) {
            const size_t node =
                node_at(box, cell % nx + corner[j][0], cell / nx % ny + corner[j][1], cell / (nx * ny) + corner[j][2]);
            at[8 * (size_t)i + (size_t)j] = node;
            number[node] = 1;
        }
    }
    uint32_t points = 0;
    for (size_t node = 0; node < nodes; node++)
        if (number[node])
            number[node] = points++;
        else
            number[node] = INVALID_INDEX;
    topology_set_points(&grid->topology, points);
    double *placed = grid->topology.placed = dv_alloc((size_t)points * 3, sizeof *placed);
    for (size_t node = 0; node < nodes; node++) {
        if (number[node] == INVALID_INDEX)
            continue;
        const size_t layer = node / box->n[2];
        const size_t steps[3] = {layer / box->n[1], layer % box->n[1], node % box->n[2]};
        for (int axis = 0; axis < 3; axis++)
            *placed++ = fma(box->step[axis], (double)steps[axis], box->min[axis]);
    }
    for (size_t i = 0; i < 8 * (size_t)cells->count; i++)
        list[i] = number[at[i]];
    topology_set_list(&grid->topology, DV_HEXAHEDRA, list, cells->count);
    dv_free(at);
    dv_free(number);
    dv_free(list);
}

static void forget(SparseGrid *grid)
{
    dv_free(grid->hexahedron);
    dv_free(grid->kind);
    dv_free(grid->filled);
    dv_free(grid->topology.placed);
    grid->hexahedron = NULL;
    grid->kind = NULL;
    grid->filled = NULL;
    grid->topology.placed = NULL;
}

static void keep_cells(SparseGrid *grid, const Level *level, const DvIndexArray *cells)
{
    for (uint32_t i = 0; i < cells->count; i++) {
        grid->hexahedron[cells->data[i]] = i;
        grid->kind[i] = level->voxels[cells->data[i]];
        grid->filled[i] = level->weights[cells->data[i]];
    }
}

static void make_room(SparseGrid *grid, uint32_t hexahedra)
{
    const size_t cells = voxel_count(&grid->finest);
    grid->hexahedron = dv_alloc(cells, sizeof *grid->hexahedron);
    grid->kind = dv_alloc(hexahedra, sizeof *grid->kind);
    grid->filled = dv_alloc(hexahedra, sizeof *grid->filled);
    for (size_t i = 0; i < cells; i++)
        grid->hexahedron[i] = NO_CELL;
}

/* Each cell once. */
static void make_simple(SparseGrid *grid, Level *level)
{
    const uint32_t levels = dv_data_uint(&grid->finer_levels);
    DvIndexArray cells = {0};
    for (uint32_t i = 0; i < levels; i++) {
        Level next = level_new(coarser(&level->box));
        voxels_coarsen(&level->box, level->voxels, level->weights, &next.box, next.voxels, next.weights);
        level_free(level);
        *level = next;
    }
    list_cells(level, levels > 0, &cells);
    grid->box = grid->finest = level->box;
    make_room(grid, cells.count);
    keep_cells(grid, level, &cells);
    make_hexahedra(grid, &cells);
    dv_array_free(&cells);
}

/* The hexahedra of pieces, and where their points are. */
static void make_hexahedra_of_pieces(SparseGrid *grid, const Pieces *pieces)
{
    const VoxelBox *box = &pieces->box;
    uint32_t *points = dv_alloc(8 * (size_t)pieces->count, sizeof *points);
    const uint32_t count = pieces_number_points(pieces, points);
    topology_set_points(&grid->topology, count);
    double *placed = grid->topology.placed = dv_alloc(3 * (size_t)count, sizeof *placed);
    for (uint32_t i = 0; i < pieces->count; i++) {
        const uint32_t cell = pieces->cell[i], nx = box->n[0] - 1, ny = box->n[1] - 1,
                       at[3] = {cell % nx, cell / nx % ny, cell / (nx * ny)};
        for (int j = 0; j < 8; j++)
            for (int axis = 0; axis < 3; axis++)
                placed[3 * (size_t)points[8 * (size_t)i + (size_t)j] + (size_t)axis] =
                    fma(box->step[axis], at[axis] + corner[j][axis], box->min[axis]);
    }
    topology_set_list(&grid->topology, DV_HEXAHEDRA, points, pieces->count);
    dv_free(points);
}

/* The pieces of the finest level: all its cells. */
static Pieces find_pieces(SparseGrid *grid, const Level *level, const Surface *surface, DvIndexArray *cells)
{
    uint8_t *joined = dv_data_bool(&grid->finest_connectivity) && surface->edges.count
                          ? dv_alloc(voxel_count(&level->box), sizeof *joined)
                          : NULL;
    if (joined)
        faces_joined(&level->box, level->voxels, surface->positions.data, surface->edges.data, surface->edges.count / 2,
                     joined);
    list_cells(level, false, cells);
    const Pieces pieces =
        pieces_of_cells(&level->box, level->voxels, level->weights, joined, cells->data, cells->count);
    dv_free(joined);
    return pieces;
}

static void make_ramified(SparseGrid *grid, Level *level, const Surface *surface)
{
    const uint32_t levels = dv_data_uint(&grid->finer_levels);
    if (levels == 0 && !dv_data_bool(&grid->finest_connectivity)) { /* cells that touch are joined: nothing is apart */
        make_simple(grid, level);
        return;
    }
    DvIndexArray cells = {0}, piece_of = {0};
    Pieces pieces = find_pieces(grid, level, surface, &cells);
    for (uint32_t i = 0; i < cells.count; i++)
        dv_array_push(&piece_of, i);
    for (uint32_t i = 0; i < levels; i++) {
        const VoxelBox box = coarser(&pieces.box);
        uint32_t *parent = dv_alloc(pieces.count, sizeof *parent);
        Pieces next = pieces_coarsen(&pieces, &box, parent);
        for (uint32_t k = 0; k < cells.count; k++)
            piece_of.data[k] = parent[piece_of.data[k]];
        dv_free(parent);
        pieces_free(&pieces);
        pieces = next;
    }
    grid->box = pieces.box;
    grid->finest = level->box;
    make_room(grid, pieces.count);
    for (uint32_t i = 0; i < cells.count; i++)
        grid->hexahedron[cells.data[i]] = piece_of.data[i];
    for (uint32_t i = 0; i < pieces.count; i++) {
        grid->kind[i] = pieces.kind[i];
        grid->filled[i] = pieces.weight[i];
    }
    make_hexahedra_of_pieces(grid, &pieces);
    pieces_free(&pieces);
    dv_array_free(&cells);
    dv_array_free(&piece_of);
}

DvStatus sparse_grid_start(SparseGrid *grid)
{
    Level level = {0};
    Surface surface = {0};
    forget(grid);
    DvStatus status = fill_finest(grid, &surface, &level);
    if (status == DV_OK && grid->rule->is_ramified && grid->rule->is_ramified(grid))
        make_ramified(grid, &level, &surface);
    else if (status == DV_OK)
        make_simple(grid, &level);
    if (status == DV_OK && topology_elements(&grid->topology, DV_HEXAHEDRA).count == 0)
        status =
            dv_error(grid->topology.object, DV_ERROR_INVALID,
                     "no cell is left: the surface encloses none%s; more cells (n) may help",
                     dv_data_bool(&grid->only_inside_cells) ? ", and onlyInsideCells leaves out those it meets" : "");
    if (status == DV_OK && is_of_file(grid) && !dv_data_parent(&grid->topology.position)) /* else it is the surface */
        dv_data_set(&grid->topology.position, grid->topology.placed, grid->topology.points);
    if (status == DV_OK)
        topology_changed(&grid->topology);
    surface_free(&surface);
    level_free(&level);
    return status;
}

/* The boundary cell whose centre is nearest, compared as floats; the first of equals. */
static uint32_t nearest_boundary_cell(const SparseGrid *grid, const double point[3])
{
    const ElementList list = topology_elements((Topology *)&grid->topology, DV_HEXAHEDRA);
    float best = INFINITY;
    uint32_t nearest = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        if (grid->kind[i] != VOXEL_BOUNDARY)
            continue;
        const double *lower = grid->topology.placed + 3 * (size_t)list.at[8 * (size_t)i];
        const double *upper = grid->topology.placed + 3 * (size_t)list.at[8 * (size_t)i + 6];
        double sum = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            const double away = point[axis] - (lower[axis] + upper[axis]) * 0.5;
            sum += away * away;
        }
        if ((float)sum < best) {
            best = (float)sum;
            nearest = i;
        }
    }
    return nearest;
}

static bool locate(void *self, const double point[3], uint32_t *hexahedron, double fraction[3])
{
    const SparseGrid *grid = self;
    uint32_t cell[3], coarse[3];
    if (!grid->hexahedron)
        return false;
    *hexahedron =
        voxel_at(&grid->finest, point, cell, fraction) ? grid->hexahedron[voxel_index(&grid->finest, cell)] : NO_CELL;
    if (*hexahedron != NO_CELL) {
        (void)voxel_at(&grid->box, point, coarse, fraction);
        return true;
    }
    *hexahedron = nearest_boundary_cell(grid, point);
    const ElementList list = topology_elements((Topology *)&grid->topology, DV_HEXAHEDRA);
    const double *lower = grid->topology.placed + 3 * (size_t)list.at[8 * (size_t)*hexahedron];
    const double *upper = grid->topology.placed + 3 * (size_t)list.at[8 * (size_t)*hexahedron + 6];
    for (int axis = 0; axis < 3; axis++)
        fraction[axis] = (point[axis] - lower[axis]) / (upper[axis] - lower[axis]);
    return true;
}

static const float *filled(void *self)
{
    return ((const SparseGrid *)self)->filled;
}

void sparse_grid_destroy(DvObject *object, void *self)
{
    forget(self);
    topology_destroy(object, self);
}

const DvSparseGridOps sparse_grid_ops = {.size = sizeof sparse_grid_ops, .locate = locate, .filled = filled};
