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
#include "grid_base.h"

#include <math.h>
#include <string.h>

typedef struct RegularGrid {
    GridBase base;
    DvData min, max, p0, cell_width;
    double step[3];
    bool p0_is_known; /* given by the user, or set before */
} RegularGrid;

/* Spacing and origin from the box. */
static void place(RegularGrid *grid)
{
    const double *min = dv_data_doubles(&grid->min, NULL), *max = dv_data_doubles(&grid->max, NULL);
    uint32_t n[3];
    double origin[3];
    grid_base_shape(&grid->base, n);
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
    grid_base_shape(&grid->base, n);
    topology_set_points(&grid->base.topology, n[0] * n[1] * n[2]);
    if (!dv_data_bool(&grid->base.compute_points))
        return;
    const double *p0 = dv_data_doubles(&grid->p0, NULL);
    double *at = dv_data_begin_all(&grid->base.topology.position, grid->base.topology.points);
    for (uint32_t z = 0; z < n[2]; z++)
        for (uint32_t y = 0; y < n[1]; y++)
            for (uint32_t x = 0; x < n[0]; x++, at += 3) {
                at[0] = fma(grid->step[0], x, p0[0]);
                at[1] = fma(grid->step[1], y, p0[1]);
                at[2] = fma(grid->step[2], z, p0[2]);
            }
    dv_data_end(&grid->base.topology.position);
}

static DvStatus parse(DvObject *object, void *self, const DvAttributes *attributes)
{
    (void)attributes;
    RegularGrid *grid = self;
    grid_base_parse(&grid->base);
    double box[6];
    memcpy(box, dv_data_doubles(&grid->min, NULL), 3 * sizeof *box);
    memcpy(box + 3, dv_data_doubles(&grid->max, NULL), 3 * sizeof *box);
    if (grid_box_attributes(object, box)) {
        dv_data_set(&grid->min, box, 1);
        dv_data_set(&grid->max, box + 3, 1);
    }
    grid->p0_is_known = dv_data_is_set(&grid->p0);
    const DvStatus status = grid_base_check(&grid->base);
    if (status == DV_OK) {
        place(grid);
        fill_positions(grid);
        if (!(dv_data_double(&grid->cell_width) > 0)) /* else init has other numbers of points */
            grid_base_make_lists(&grid->base);
    }
    return status;
}

static DvStatus init(DvObject *object, void *self)
{
    (void)object;
    RegularGrid *grid = self;
    DvStatus status = grid_base_check(&grid->base);
    const double width = dv_data_double(&grid->cell_width);
    if (status == DV_OK && width > 0) {
        const double *min = dv_data_doubles(&grid->min, NULL), *max = dv_data_doubles(&grid->max, NULL);
        int32_t n[3];
        for (int axis = 0; axis < 3; axis++) {
            const double cells = ceil((max[axis] - min[axis]) / width);
            n[axis] = cells >= 0 && cells < MOST_GRID_POINTS ? (int32_t)cells + 1 : MOST_GRID_POINTS;
        }
        dv_data_set(&grid->base.n, n, 1);
        status = grid_base_check(&grid->base);
    }
    if (status != DV_OK)
        return status;
    fill_positions(grid);
    return grid_base_start(&grid->base);
}

static bool grid_shape(Topology *topology, DvGridShape *shape)
{
    RegularGrid *grid = (RegularGrid *)(void *)topology;
    const double *p0 = dv_data_doubles(&grid->p0, NULL);
    grid_base_shape(&grid->base, shape->n);
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
    grid->base.topology.grid_shape = grid_shape;
    return topology_construct(object, self);
}

static const DvField fields[] = {
    GRID_BASE_FIELDS(RegularGrid, base.),
    DV_FIELD(RegularGrid, min, "min", dv_type_vec3d, .init = "0 0 0", .unit = "m", .flags = DV_FIELD_AT_LOAD,
             .help = "smallest corner of the box"),
    DV_FIELD(RegularGrid, max, "max", dv_type_vec3d, .init = "1 1 1", .unit = "m", .flags = DV_FIELD_AT_LOAD,
             .help = "largest corner of the box"),
    DV_FIELD(RegularGrid, p0, "p0", dv_type_vec3d, .init = "0 0 0", .unit = "m", .flags = DV_FIELD_AT_LOAD,
             .help = "position of point 0 (default: from the box)"),
    DV_FIELD(RegularGrid, cell_width, "cellWidth", dv_type_double, .init = "0", .unit = "m",
             .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT | DV_FIELD_AT_LOAD,
             .help = "when positive, the number of points at init follows from it; their spacing does not"),
    {0},
};

const DvClass dv_regular_grid_topology = {
    .size = sizeof(DvClass),
    .name = "RegularGridTopology",
    .bases = (const char *const[]){"GridTopology", "MeshTopology", "BaseMeshTopology", NULL},
    .module = "Sofa.Component.Topology.Container.Grid",
    .help = "A box of evenly spaced points.",
    .instance_size = sizeof(RegularGrid),
    .fields = fields,
    MADE_TOPOLOGY_CLASS,
    .construct = construct,
    .parse = parse,
    .init = init,
};
