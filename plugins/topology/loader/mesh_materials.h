/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Materials of a mesh as others see them: resolved colours, textures as they are found on the disk.
 */
#ifndef DIVAN_TOPOLOGY_MESH_MATERIALS_H
#define DIVAN_TOPOLOGY_MESH_MATERIALS_H

#include "mesh/mesh.h"
#include <divan/contracts/topology.h>

typedef DV_ARRAY(DvMeshMaterial) MeshMaterials;

/* Takes those of a mesh; textures are looked for as files of scenes are, then beside the mesh, whose path may be NULL. What was there
 * goes. Names belong to the mesh. */
void mesh_materials_take(MeshMaterials *materials, const Mesh *mesh, const char *path);
void mesh_materials_free(MeshMaterials *materials);

#endif
