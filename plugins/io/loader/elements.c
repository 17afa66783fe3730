/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What readers of elements of several kinds share.
 */
#include "readers.h"

void mesh_add_element(DvMesh *mesh, bool flip, DvMeshKind kind, const uint32_t *at)
{
    switch (kind) {
    case DV_MESH_EDGE:
        dv_array_push(&mesh->edge, (DvEdge){{at[0], at[1]}});
        break;
    case DV_MESH_TRIANGLE:
        dv_mesh_add_triangle(mesh, flip, at[0], at[1], at[2]);
        break;
    case DV_MESH_QUAD:
        dv_mesh_add_quad(mesh, flip, at[0], at[1], at[2], at[3]);
        break;
    case DV_MESH_TETRAHEDRON:
        dv_array_push(&mesh->tetrahedron, (DvTetrahedron){{at[0], at[1], at[2], at[3]}});
        break;
    case DV_MESH_HEXAHEDRON:
        dv_array_push(&mesh->hexahedron, (DvHexahedron){{at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7]}});
        break;
    case DV_MESH_PRISM:
        dv_array_push(&mesh->prism, (DvPrism){{at[0], at[1], at[2], at[3], at[4], at[5]}});
        break;
    case DV_MESH_PYRAMID:
        dv_array_push(&mesh->pyramid, (DvPyramid){{at[0], at[1], at[2], at[3], at[4]}});
        break;
    default:
        break;
    }
}

uint32_t mesh_element_count(const DvMesh *mesh, DvMeshKind kind)
{
    const uint32_t counts[DV_MESH_KINDS] = {[DV_MESH_EDGE] = mesh->edge.count,
                                            [DV_MESH_TRIANGLE] = mesh->triangle.count,
                                            [DV_MESH_QUAD] = mesh->quad.count,
                                            [DV_MESH_TETRAHEDRON] = mesh->tetrahedron.count,
                                            [DV_MESH_HEXAHEDRON] = mesh->hexahedron.count,
                                            [DV_MESH_PRISM] = mesh->prism.count,
                                            [DV_MESH_PYRAMID] = mesh->pyramid.count};
    return counts[kind];
}
