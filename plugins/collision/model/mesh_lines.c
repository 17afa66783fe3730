/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Edges of a mesh; see the header.
 */
#include "mesh_lines.h"

#include <divan/memory.h>

bool mesh_lines_read(CollisionModel *base, MeshLines *lines)
{
    const uint64_t revision = base->topology.ops->revision(base->topology.self) + 1;
    const uint32_t points = dv_state_count(base->state);
    if (revision == lines->revision && points == lines->points)
        return false;
    const DvElements all = base->topology.ops->elements(base->topology.self, DV_EDGES);
    if (all.count > lines->capacity) {
        dv_free(lines->at);
        lines->capacity = all.count + all.count / 4;
        lines->at = dv_alloc(2 * (size_t)lines->capacity, sizeof *lines->at);
    }
    uint32_t kept = 0;
    for (uint32_t e = 0; e < all.count; e++) {
        const uint32_t *edge = all.at + 2 * (size_t)e;
        if (edge[0] >= points || edge[1] >= points)
            continue;
        lines->at[2 * (size_t)kept] = edge[0];
        lines->at[2 * (size_t)kept + 1] = edge[1];
        kept++;
    }
    if (kept < all.count)
        dv_warning(dv_object_of(base), "%u of its %u lines name points beyond the %u of state '%s' and are left out",
                   all.count - kept, all.count, points, dv_object_path(base->state.object));
    base->shape.vertices = lines->at;
    base->shape.corners = 2;
    base->shape.count = kept;
    lines->revision = revision;
    lines->points = points;
    return true;
}

void mesh_lines_free(MeshLines *lines)
{
    dv_free(lines->at);
    *lines = (MeshLines){0};
}
