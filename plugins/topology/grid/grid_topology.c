/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GridTopology: the elements of a grid of n points per axis whose points lie where `position` says. It is what the grids that place their points
 * stand on, and for meshes that are grids by their numbers alone.
 */
#include "grid_base.h"

#include <inttypes.h>
#include <string.h>

#include <divan/build.h>

typedef struct Grid {
    GridBase base;
    bool is_placed; /* by the scene */
} Grid;

/* As many points as n says: those given; where none are, all lie at the origin until a state says otherwise. */
static DvStatus place(Grid *self)
{
    GridBase *grid = &self->base;
    uint32_t n[3];
    size_t given;
    grid_base_shape(grid, n);
    const uint32_t points = n[0] * n[1] * n[2];
    (void)dv_data_doubles(&grid->topology.position, &given);
    if (self->is_placed && given != points)
        return dv_field_error(&grid->topology.position, -1,
                              "has %zu points, and a grid of %" PRIu32 " x %" PRIu32 " x %" PRIu32 " needs %" PRIu32,
                              given, n[0], n[1], n[2], points);
    topology_set_points(&grid->topology, points);
    if (self->is_placed || !dv_data_bool(&grid->compute_points))
        return DV_OK;
    memset(dv_data_begin_all(&grid->topology.position, points), 0, (size_t)points * 3 * sizeof(double));
    dv_data_end(&grid->topology.position);
    return DV_OK;
}

/* Not regular; but its cells are those of a grid. */
static bool grid_shape(Topology *topology, DvGridShape *shape)
{
    *shape = (DvGridShape){0};
    grid_base_shape((GridBase *)(void *)topology, shape->n);
    return false;
}

static DvStatus construct(DvObject *object, void *self)
{
    Grid *grid = self;
    grid->base.topology.grid_shape = grid_shape;
    return topology_construct(object, self);
}

static DvStatus parse(DvObject *object, void *self, const DvAttributes *attributes)
{
    Grid *grid = self;
    (void)object;
    grid->is_placed = dv_attributes_find(attributes, "position") != NULL;
    grid_base_parse(&grid->base);
    DvStatus status = grid_base_check(&grid->base);
    if (status == DV_OK)
        status = place(grid);
    if (status == DV_OK)
        grid_base_make_lists(&grid->base);
    return status;
}

static DvStatus init(DvObject *object, void *self)
{
    Grid *grid = self;
    DvStatus status = grid_base_check(&grid->base);
    if (status == DV_OK)
        status = place(grid);
    if (status != DV_OK)
        return status;
    if (!grid->is_placed && dv_data_bool(&grid->base.compute_points))
        dv_remark(object, "places no points: all lie at 0 0 0, unless a state has others; give position, or name "
                          "RegularGridTopology");
    return grid_base_start(&grid->base);
}

static const DvField fields[] = {GRID_BASE_FIELDS(Grid, base.), {0}};

const DvClass dv_grid_topology = {
    .size = sizeof(DvClass),
    .name = "GridTopology",
    .bases = (const char *const[]){"MeshTopology", "BaseMeshTopology", NULL},
    .module = "Sofa.Component.Topology.Container.Grid",
    .help = "The elements of a grid whose points lie where the scene says.",
    .instance_size = sizeof(Grid),
    .fields = fields,
    MADE_TOPOLOGY_CLASS,
    .construct = construct,
    .parse = parse,
    .init = init,
};
