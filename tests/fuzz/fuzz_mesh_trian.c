/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * trian files of both kinds: see fuzz_mesh.h. The last byte says which.
 */
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    DvMesh mesh = {0};
    DvMeshReport report = {0};
    TrianBorder border = {.neighbor = {0}};
    const bool good = mesh_read_trian(data, size, size > 0 && (data[size - 1] & 1), size & 1, &mesh, &border, &report);
    finish_mesh(good, &mesh, &report);
    trian_border_free(&border);
    return 0;
}
