/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Wavefront OBJ files: see fuzz_mesh.h. The last byte also chooses the options; a material library is the file itself.
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
    const unsigned choice = size ? data[size - 1] : 0;
    const DvMeshOptions options = {.flip_normals = choice & 1,
                                   .triangulate = choice & 2,
                                   .handle_seams = choice & 4,
                                   .load_material = true,
                                   .open = open_itself,
                                   .context = &input};
    const bool good = dv_mesh_read_obj(data, size, &options, &mesh, &report);
    finish_mesh(good, &mesh, &report);
    return 0;
}
