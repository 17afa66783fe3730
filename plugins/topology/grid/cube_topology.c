/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CubeTopology: the surface of a box, in quads.
 */
#include "cube_topology.h"
#include "box_surface.h"
#include "grid_base.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static DvStatus read_box(CubeTopology *cube, BoxSurface *box)
{
    double points = 1.0;
    for (int axis = 0; axis < 3; axis++) {
        const int32_t n = dv_data_int(&cube->n[axis]);
        box->n[axis] = (uint32_t)n;
        points *= n;
    }
    if (points > MOST_GRID_POINTS) {
        dv_field_error(&cube->n[0], -1, "%" PRIu32 " x %" PRIu32 " x %" PRIu32 " points are more than %d", box->n[0],
                       box->n[1], box->n[2], MOST_GRID_POINTS);
        return DV_ERROR_LIMIT;
    }
    const DvStatus status = grid_base_ask(cube->topology.object, box->n[0], box->n[1], box->n[2]);
    if (status != DV_OK)
        return status;
    const bool all = dv_data_bool(&cube->internal_points);
    box->numbers = dv_data_bool(&cube->split_normals) ? BOX_SPLIT_POINTS : all ? BOX_ALL_POINTS : BOX_SURFACE_POINTS;
    return DV_OK;
}

static void place_in_box(CubeTopology *cube, const BoxSurface *box, const uint32_t place[3], double at[3])
{
    const double *min = dv_data_doubles(&cube->min, NULL), *max = dv_data_doubles(&cube->max, NULL);
    for (int axis = 0; axis < 3; axis++)
        at[axis] = fma((max[axis] - min[axis]) / (box->n[axis] - 1), place[axis], min[axis]);
}

static void place_on_sphere(CubeTopology *cube, const BoxSurface *box, const uint32_t place[3], double at[3])
{
    const double *center = dv_data_doubles(&cube->center, NULL), radius = dv_data_double(&cube->radius);
    double square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        at[axis] = 2.0 * place[axis] / (box->n[axis] - 1) - 1.0;
        square += at[axis] * at[axis];
    }
    const double scale = square > 0.0 ? radius / sqrt(square) : 0.0; /* with points inside, one may be the centre */
    for (int axis = 0; axis < 3; axis++)
        at[axis] = center[axis] + scale * at[axis];
}

static void fill(CubeTopology *cube, const BoxSurface *box)
{
    Topology *topology = &cube->topology;
    const uint32_t points = box_surface_points(box);
    DvIndexArray edges = {0}, quads = {0};
    uint32_t(*places)[3] = dv_alloc(points, sizeof *places);
    box_surface_places(box, places);
    topology_set_points(topology, points);
    double *at = dv_data_begin_all(&topology->position, points);
    for (uint32_t i = 0; i < points; i++)
        (cube->is_sphere ? place_on_sphere : place_in_box)(cube, box, places[i], at + 3 * (size_t)i);
    dv_data_end(&topology->position);
    dv_free(places);
    box_surface_edges(box, &edges);
    box_surface_quads(box, &quads);
    topology_set_list(topology, DV_EDGES, edges.data, edges.count / 2);
    topology_set_list(topology, DV_QUADS, quads.data, quads.count / 4);
    dv_array_free(&edges);
    dv_array_free(&quads);
}

DvStatus cube_topology_parse(DvObject *object, void *self, const DvAttributes *attributes)
{
    (void)attributes;
    CubeTopology *cube = self;
    BoxSurface box;
    double corners[6];
    memcpy(corners, dv_data_doubles(&cube->min, NULL), 3 * sizeof *corners);
    memcpy(corners + 3, dv_data_doubles(&cube->max, NULL), 3 * sizeof *corners);
    if (grid_box_attributes(object, corners)) {
        dv_data_set(&cube->min, corners, 1);
        dv_data_set(&cube->max, corners + 3, 1);
    }
    for (int axis = 0; axis < 3; axis++)
        if (dv_data_int(&cube->n[axis]) < 2)
            return DV_OK; /* init tells */
    const DvStatus status = read_box(cube, &box);
    if (status == DV_OK)
        fill(cube, &box);
    return status;
}

DvStatus cube_topology_init(DvObject *object, void *self)
{
    (void)object;
    CubeTopology *cube = self;
    BoxSurface box;
    const DvStatus status = read_box(cube, &box);
    if (status != DV_OK)
        return status;
    fill(cube, &box);
    return mesh_topology_start(&cube->topology);
}

static const DvField fields[] = {
    CUBE_FIELDS,
    {0},
};

const DvClass dv_cube_topology = {
    .size = sizeof(DvClass),
    .name = "CubeTopology",
    .bases = (const char *const[]){"MeshTopology", "BaseMeshTopology", NULL},
    .module = "Sofa.Component.Topology.Container.Constant",
    .help = "The surface of a box, in quads.",
    .instance_size = sizeof(CubeTopology),
    .fields = fields,
    MADE_TOPOLOGY_CLASS,
    .construct = topology_construct,
    .parse = cube_topology_parse,
    .init = cube_topology_init,
};
