/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whole files in memory.
 */
#ifndef DIVAN_TOPOLOGY_FILE_H
#define DIVAN_TOPOLOGY_FILE_H

#include "mesh.h"

/* The bytes of a file, to be given to dv_free. False with the reason: it cannot be read, is empty, or larger than 2
 * GiB. */
DV_NODISCARD bool file_read(const char *path, char **bytes, size_t *size, char reason[128]);

/* The same of a file beside another: as MeshOpen, with the path of the other as context. */
bool file_open_beside(void *path, const char *name, char **bytes, size_t *size);

/* Folder of a path, to be given to dv_free; "" when it has none. */
char *file_folder(const char *path);

#endif
