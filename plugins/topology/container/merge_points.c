/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Points of a topology that are in one place become one, before anything counts them.
 */
#include "topology.h"

#include <divan/log.h>

/* The lists of a topology as arrays of a mesh. */
#define LISTS(mesh)                                                                                               \
    {                                                                                                             \
        {DV_EDGES, &(mesh).edge}, {DV_TRIANGLES, &(mesh).triangle}, {DV_QUADS, &(mesh).quad},                     \
            {DV_TETRAHEDRA, &(mesh).tetrahedron}, {DV_HEXAHEDRA, &(mesh).hexahedron}, {DV_PRISMS, &(mesh).prism}, \
            {DV_PYRAMIDS, &(mesh).pyramid},                                                                       \
    }
typedef struct ListOfKind {
    DvElementKind kind;
    void *array;
} ListOfKind;

/* False when an element names a point that is not there, which is told later. */
static bool copy_elements(Topology *topology, const ListOfKind *list, uint32_t points)
{
    const ElementList elements = topology_elements(topology, list->kind);
    const size_t size = elements.nodes * sizeof *elements.at;
    for (size_t i = 0; i < (size_t)elements.count * elements.nodes; i++)
        if (elements.at[i] >= points)
            return false;
    DV_ARRAY(void) array = {0};
    dv_array_grow(&array, size, elements.count);
    if (elements.count)
        memcpy(array.data, elements.at, elements.count * size);
    array.count = elements.count;
    memcpy(list->array, &array, sizeof array);
    return true;
}

static void take(Topology *topology, const DvMesh *mesh, const ListOfKind *list, size_t lists)
{
    (void)dv_data_link(&topology->position, NULL);
    dv_data_set(&topology->position, mesh->position.data, mesh->position.count);
    for (size_t k = 0; k < lists; k++) {
        DV_ARRAY(void) array;
        memcpy(&array, list[k].array, sizeof array);
        if (array.count == 0 && topology_elements(topology, list[k].kind).count == 0)
            continue;
        (void)dv_data_link(&topology->list[list[k].kind], NULL);
        topology_set_list(topology, list[k].kind, array.data, array.count);
    }
    topology->points = 0;
    if (topology->point_count_field.field)
        dv_data_set_uint(&topology->point_count_field, mesh->position.count);
}

void topology_merge_points(Topology *topology)
{
    size_t positions;
    const double within = dv_data_double(&topology->merge_distance);
    const double *at = dv_data_doubles(&topology->position, &positions);
    if (!(within > 0.0))
        return;
    if (positions == 0) {
        dv_field_warning(&topology->merge_distance, -1, "the topology has no positions of its own to merge");
        return;
    }
    DvMesh mesh = {0};
    const ListOfKind lists[] = LISTS(mesh);
    const size_t count = sizeof lists / sizeof *lists;
    bool good = true;
    dv_array_append(&mesh.position, (const DvPoint3 *)(const void *)at, (uint32_t)positions);
    for (size_t k = 0; k < count && good; k++)
        good = copy_elements(topology, &lists[k], (uint32_t)positions);
    if (good) {
        const DvMeshMerge merge = dv_mesh_merge_positions(&mesh, within);
        if (merge.points) {
            *topology_faults.told(topology) |= DV_POINTS_IN_ONE_PLACE; /* of the loader, while positions come from it */
            take(topology, &mesh, lists, count);
            dv_mesh_say_merged(&topology->merge_distance, &merge);
        }
    }
    dv_mesh_free(&mesh);
}
