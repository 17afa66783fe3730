/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Nastran bulk data: see fuzz_mesh.h. A file that it includes is the file itself; the last byte chooses a part.
 */
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Input {
    const uint8_t *data;
    size_t size;
} Input;

static bool open_itself(void *context, const char *name, char **bytes, size_t *size)
{
    const Input *input = context;
    if (name[0] == '-')
        return false;
    *bytes = dv_alloc(input->size, 1);
    memcpy(*bytes, input->data, input->size);
    *size = input->size;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    DvMesh mesh = {0};
    DvMeshReport report = {0};
    Input input = {data, size};
    const DvMeshOptions options = {.flip_normals = size & 1, .open = open_itself, .context = &input};
    mesh.parts.wanted = size > 0 && (data[size - 1] & 1) ? "a" : NULL;
    const bool good = mesh_read_nastran(data, size, &options, &mesh, &report);
    finish_mesh(good, &mesh, &report);
    return 0;
}
