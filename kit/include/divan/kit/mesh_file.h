/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whole files in memory.
 */
#ifndef DIVAN_KIT_MESH_FILE_H
#define DIVAN_KIT_MESH_FILE_H

#include <divan/kit/mesh.h>

DV_BEGIN_DECLS

/* The bytes of a file, to be given to dv_free. False with the reason: it cannot be read, is empty, or larger than 2
 * GiB. */
DV_NODISCARD DV_PUBLIC bool dv_mesh_file_read(const char *path, char **bytes, size_t *size, char reason[128]);

/* The same of a file beside another: as MeshOpen, with the path of the other as context. */
DV_PUBLIC bool dv_mesh_file_open_beside(void *path, const char *name, char **bytes, size_t *size);

/* Folder of a path, to be given to dv_free; "" when it has none. */
DV_PUBLIC char *dv_mesh_file_folder(const char *path);

DV_END_DECLS

#endif
