/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Meshes as inputs of engines: lists of elements whose points are checked, normals, volumes.
 */
#ifndef DIVAN_ENGINES_MESH_INPUTS_H
#define DIVAN_ENGINES_MESH_INPUTS_H

#include <inttypes.h>

#include <divan/contracts/topology.h>
#include <divan/kit/array.h>
#include <divan/kit/engine.h>
#include <divan/math/vec.h>

/* The elements that a field holds. An error names the first that has a point beyond `points`; then there are none. */
DV_NODISCARD static inline DvStatus mesh_input(DvData *data, DvElementKind kind, size_t points, DvElements *elements)
{
    size_t count;
    const uint32_t *at = dv_data_uints(data, &count), nodes = dv_element_nodes(kind);
    *elements = (DvElements){.at = at, .count = (uint32_t)count};
    for (size_t i = 0; i < count * nodes; i++)
        if (at[i] >= points) {
            elements->count = 0;
            return dv_field_error(data, (int64_t)(i / nodes), "point %" PRIu32 " of %zu positions", at[i], points);
        }
    return DV_OK;
}

/* Of an engine that asks a topology for its elements: an output is computed again when one of its lists is written. */
DV_NODISCARD static inline DvStatus mesh_depend(DvData *output, const DvTopologyRef *topology)
{
    static const char *const lists[] = {"edges", "triangles", "quads", "tetrahedra", "hexahedra"};
    DvStatus status = DV_OK;
    for (size_t i = 0; i < sizeof lists / sizeof *lists && status == DV_OK; i++) {
        DvData *list = topology->object ? dv_object_field(topology->object, lists[i]) : NULL;
        if (list)
            status = dv_data_depend(output, list);
    }
    return status;
}

/* The first status that is not DV_OK. */
static inline DvStatus mesh_first(DvStatus a, DvStatus b)
{
    return a == DV_OK ? b : a;
}

static inline DvVec3 mesh_point(const double *position, uint32_t point)
{
    return dv_vec3_load(position + 3 * (size_t)point);
}

/* (b - a) x (c - a): along the outer normal of a triangle, twice its area long. */
static inline DvVec3 mesh_area_normal(DvVec3 a, DvVec3 b, DvVec3 c)
{
    return dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(c, a));
}

/* Triangles, then each quad as two (0 1 2, 0 2 3). */
typedef DV_ARRAY(uint32_t) MeshTriangles; /* three numbers each */
static inline void mesh_triangles_of(DvElements triangles, DvElements quads, MeshTriangles *all)
{
    dv_array_append(all, triangles.at, 3 * triangles.count);
    for (uint32_t i = 0; i < quads.count; i++) {
        const uint32_t *q = quads.at + 4 * (size_t)i, two[6] = {q[0], q[1], q[2], q[0], q[2], q[3]};
        dv_array_append(all, two, 6);
    }
}

/* What is drawn by flags of old scenes, which nothing else depends on. */
#define MESH_SHOWN(name, preset)                                                   \
    DV_FIELD_HELD(name, dv_type_bool, .init = (preset), .flags = DV_FIELD_DRAWING, \
                  .help = "what it makes is shown by other components")

#endif
