/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Materials of a mesh as others see them: resolved colours, textures as they are found on the disk.
 */
#ifndef DIVAN_KIT_MESH_MATERIALS_H
#define DIVAN_KIT_MESH_MATERIALS_H

#include <divan/contracts/topology.h>
#include <divan/kit/mesh.h>

DV_BEGIN_DECLS

typedef DV_ARRAY(DvMeshMaterial) DvMeshMaterials;

/* Takes those of a mesh; textures are looked for as files of scenes are, then beside the mesh, whose path may be NULL. What was there
 * goes. Names belong to the mesh. */
DV_PUBLIC void dv_mesh_materials_take(DvMeshMaterials *materials, const DvMesh *mesh, const char *path);
DV_PUBLIC void dv_mesh_materials_free(DvMeshMaterials *materials);

DV_END_DECLS

#endif
