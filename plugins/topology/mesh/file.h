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

#endif
