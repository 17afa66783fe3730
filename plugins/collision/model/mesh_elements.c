/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements of a mesh; see the header.
 */
#include "mesh_elements.h"

#include <divan/memory.h>

#include <string.h>

MeshReading collision_model_reading(CollisionModel *base, const DvMeshEdits *edits, uint64_t revision, uint32_t points)
{
    const uint32_t now = dv_state_count(base->state);
    if (base->topology.ops->revision(base->topology.self) + 1 == revision && now == points)
        return READ_NOTHING;
    const bool told = edits->of_elements.topology && !edits->all && !dv_topology_rewritten(&base->topology);
    return revision > 0 && told && (now == points || edits->points_edited) ? READ_TOUCHED : READ_ALL;
}

DvStatus mesh_elements_follow(MeshElements *elements, CollisionModel *base, DvElementKind kind)
{
    elements->revision = 0;
    return dv_mesh_edits_attach(&elements->edits, base->topology.object, kind);
}

static void make_room(MeshElements *elements, uint32_t count, uint32_t nodes)
{
    if (count <= elements->capacity)
        return;
    const uint32_t larger = count + count / 4;
    elements->at = dv_realloc(elements->at, (size_t)elements->capacity * nodes * sizeof *elements->at,
                              (size_t)larger * nodes * sizeof *elements->at);
    elements->capacity = larger;
}

static bool has_points(const uint32_t *element, uint32_t nodes, uint32_t points)
{
    for (uint32_t k = 0; k < nodes; k++)
        if (element[k] >= points)
            return false;
    return true;
}

/* False: some are to be left out, and numbers differ from those of the mesh. */
static bool read_touched(MeshElements *elements, DvElements all, uint32_t nodes, uint32_t points)
{
    dv_mesh_edits_sort(&elements->edits, points, all.count);
    for (uint32_t i = 0; i < elements->edits.elements.count; i++) {
        const uint32_t *element = all.at + (size_t)elements->edits.elements.data[i] * nodes;
        if (!has_points(element, nodes, points))
            return false;
        memcpy(elements->at + (size_t)elements->edits.elements.data[i] * nodes, element, nodes * sizeof *element);
    }
    return elements->left_out == 0;
}

static void read_all(MeshElements *elements, DvElements all, uint32_t nodes, uint32_t points)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < all.count; i++) {
        const uint32_t *element = all.at + (size_t)i * nodes;
        if (has_points(element, nodes, points))
            memcpy(elements->at + (size_t)kept++ * nodes, element, nodes * sizeof *element);
    }
    elements->left_out = all.count - kept;
}

bool mesh_elements_read(MeshElements *elements, CollisionModel *base)
{
    const uint32_t points = dv_state_count(base->state), nodes = dv_element_nodes(elements->edits.kind);
    const MeshReading reading = collision_model_reading(base, &elements->edits, elements->revision, elements->points);
    if (reading == READ_NOTHING)
        return false;
    const DvElements all = base->topology.ops->elements(base->topology.self, elements->edits.kind);
    make_room(elements, all.count, nodes);
    if (reading == READ_ALL || !read_touched(elements, all, nodes, points))
        read_all(elements, all, nodes, points);
    if (elements->left_out > 0)
        dv_warning(dv_object_of(base), "%u of its %u %s name points beyond the %u of state '%s' and are left out",
                   elements->left_out, all.count, nodes == 2 ? "lines" : "tetrahedra", points,
                   dv_object_path(base->state.object));
    dv_mesh_edits_clear(&elements->edits);
    base->shape.vertices = elements->at;
    base->shape.corners = nodes;
    base->shape.count = all.count - elements->left_out;
    elements->revision = base->topology.ops->revision(base->topology.self) + 1;
    elements->points = points;
    return true;
}

void mesh_elements_free(MeshElements *elements)
{
    dv_mesh_edits_detach(&elements->edits);
    dv_free(elements->at);
    *elements = (MeshElements){0};
}
