/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the fuzz targets of mesh readers share: whatever the bytes are, a reader answers with a mesh whose indices are
 * valid, or with an error text; and what loaders do to the mesh afterwards keeps that true.
 */
#ifndef DIVAN_TESTS_FUZZ_MESH_H
#define DIVAN_TESTS_FUZZ_MESH_H

#include "loader/readers.h"
#include <stdlib.h>

static inline void check_indices(const DvMesh *mesh, const void *elements, uint32_t count, uint32_t nodes)
{
    for (size_t i = 0; i < (size_t)count * nodes; i++)
        if (((const uint32_t *)elements)[i] >= mesh->position.count)
            abort();
}

static inline void check_mesh(const DvMesh *mesh)
{
    check_indices(mesh, mesh->edge.data, mesh->edge.count, 2);
    check_indices(mesh, mesh->triangle.data, mesh->triangle.count, 3);
    check_indices(mesh, mesh->quad.data, mesh->quad.count, 4);
    check_indices(mesh, mesh->tetrahedron.data, mesh->tetrahedron.count, 4);
    check_indices(mesh, mesh->hexahedron.data, mesh->hexahedron.count, 8);
    check_indices(mesh, mesh->prism.data, mesh->prism.count, 6);
    check_indices(mesh, mesh->pyramid.data, mesh->pyramid.count, 5);
    check_indices(mesh, mesh->polyline.value.data, mesh->polyline.value.count, 1);
    for (uint32_t i = 0; i < mesh->high_order_edge.count; i++)
        if (mesh->high_order_edge.data[i].at[0] >= mesh->position.count ||
            mesh->high_order_edge.data[i].at[1] >= mesh->edge.count)
            abort();
}

/* Takes the mesh. */
static inline void finish_mesh(bool good, DvMesh *mesh, const DvMeshReport *report)
{
    if (good) {
        check_mesh(mesh);
        dv_mesh_create_subelements(mesh);
        dv_mesh_triangulate(mesh, true);
        dv_mesh_keep_attached_positions(mesh);
        dv_mesh_update_normals(mesh);
        check_mesh(mesh);
    } else if (!report->error[0]) {
        abort();
    }
    dv_mesh_free(mesh);
}

#endif
