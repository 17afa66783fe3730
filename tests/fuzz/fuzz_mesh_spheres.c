/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sphere files (.sph): an answer with spheres of finite size, or an error text.
 */
#include "loader/readers.h"
#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SphereArray spheres = {0};
    DvMeshReport report = {0};
    if (!mesh_read_spheres(data, size, &spheres, &report) && !report.error[0])
        abort();
    for (uint32_t i = 0; i < spheres.count; i++)
        if (!isfinite(spheres.data[i].radius) || spheres.data[i].radius < 0)
            abort();
    dv_array_free(&spheres);
    return 0;
}
