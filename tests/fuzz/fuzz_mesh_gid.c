/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GiD files: see fuzz_mesh.h.
 */
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    DvMesh mesh = {0};
    DvMeshReport report = {0};
    const DvMeshOptions options = {.flip_normals = size & 1};
    const bool good = mesh_read_gid(data, size, &options, &mesh, &report);
    finish_mesh(good, &mesh, &report);
    return 0;
}
