/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Mesh files by the end of their name, and meshes as others see them.
 */
#ifndef DIVAN_TOPOLOGY_MESH_FILES_H
#define DIVAN_TOPOLOGY_MESH_FILES_H

#include "readers.h"
#include <divan/contracts/topology.h>
#include <divan/kit/mesh_materials.h>

extern const DvMeshFilesOps mesh_files_ops;

/* Reads the bytes of a file called `path`, by its ending. As the readers in mesh.h. */
DV_NODISCARD bool mesh_read_by_name(const char *path, const char *bytes, size_t size, const DvMeshOptions *options,
                                    DvMesh *mesh, DvMeshReport *report);

#endif
