/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * STL files, text and bytes: see fuzz_mesh.h.
 */
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    DvMesh mesh = {0};
    DvMeshReport report = {0};
    const StlOptions options = {.flip = size & 1, .head = STL_HEAD};
    const bool good = mesh_read_stl(data, size, &options, &mesh, &report);
    finish_mesh(good, &mesh, &report);
    return 0;
}
