/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Grids bent into round bodies.
 */
#include "round_grid.h"

#include <divan/math/vec.h>

#include <math.h>

static DvVec3 unit(DvVec3 v)
{
    const double length = dv_vec3_norm(v);
    return length > 0.0 ? dv_vec3_scale(v, 1.0 / length) : v;
}

static double place(double half, uint32_t i, uint32_t n)
{
    return n > 1 ? half * 2.0 * i / (n - 1) - half : 0.0;
}

/* Local coordinates of a point. */
static DvVec3 local_point(RoundGrid *grid, const uint32_t n[3], uint32_t i, uint32_t j, uint32_t k)
{
    const double radius = dv_data_double(&grid->radius);
    DvVec3 q = dv_vec3(place(radius, i, n[0]), place(radius, j, n[1]), grid->is_sphere ? place(radius, k, n[2]) : 0.0);
    const double length = dv_vec3_norm(q);
    if (length > 1e-7)
        q = dv_vec3_scale(q, fmax(fmax(fabs(q.x), fabs(q.y)), fabs(q.z)) / length);
    if (!grid->is_sphere && n[2] > 1)
        q.z = k * dv_data_double(&grid->length) / (n[2] - 1);
    return q;
}

static void fill_positions(RoundGrid *grid)
{
    uint32_t n[3];
    grid_base_shape(&grid->base, n);
    topology_set_points(&grid->base.topology, n[0] * n[1] * n[2]);
    if (!dv_data_bool(&grid->base.compute_points))
        return;
    const DvVec3 z = unit(dv_vec3_load(dv_data_doubles(&grid->axis, NULL)));
    const DvVec3 ahead = dv_vec3(1.0, 0.0, 0.0);
    const DvVec3 first = dv_vec3_norm(dv_vec3_sub(z, ahead)) < 1e-6 ? dv_vec3(0.0, 1.0, 0.0) : ahead;
    const DvVec3 y = unit(dv_vec3_cross(z, first)), x = unit(dv_vec3_cross(y, z));
    const DvVec3 center = dv_vec3_load(dv_data_doubles(&grid->center, NULL));
    double *at = dv_data_begin_all(&grid->base.topology.position, grid->base.topology.points);
    for (uint32_t k = 0; k < n[2]; k++)
        for (uint32_t j = 0; j < n[1]; j++)
            for (uint32_t i = 0; i < n[0]; i++, at += 3) {
                const DvVec3 q = local_point(grid, n, i, j, k);
                DvVec3 p = dv_vec3_add(center, dv_vec3_scale(x, q.x));
                p = dv_vec3_add(p, dv_vec3_scale(y, q.y));
                dv_vec3_store(dv_vec3_add(p, dv_vec3_scale(z, q.z)), at);
            }
    dv_data_end(&grid->base.topology.position);
}

/* Not regular; but its cells are those of a grid. */
static bool grid_shape(Topology *topology, DvGridShape *shape)
{
    *shape = (DvGridShape){0};
    grid_base_shape((GridBase *)(void *)topology, shape->n);
    return false;
}

DvStatus round_grid_construct(DvObject *object, RoundGrid *grid, bool is_sphere)
{
    grid->is_sphere = is_sphere;
    grid->base.topology.grid_shape = grid_shape;
    return topology_construct(object, grid);
}

DvStatus round_grid_parse(DvObject *object, void *self, const DvAttributes *attributes)
{
    (void)object, (void)attributes;
    RoundGrid *grid = self;
    grid_base_parse(&grid->base);
    const DvStatus status = grid_base_check(&grid->base);
    if (status != DV_OK)
        return status;
    fill_positions(grid);
    grid_base_make_lists(&grid->base);
    return DV_OK;
}

DvStatus round_grid_init(DvObject *object, void *self)
{
    (void)object;
    RoundGrid *grid = self;
    DvStatus status = grid_base_check(&grid->base);
    if (status == DV_OK && dv_vec3_norm(dv_vec3_load(dv_data_doubles(&grid->axis, NULL))) == 0.0)
        status = dv_field_error(&grid->axis, -1, "is zero; give the direction of z");
    if (status != DV_OK)
        return status;
    fill_positions(grid);
    return grid_base_start(&grid->base);
}
