/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GenerateGrid: a box of hexahedra and tetrahedra (six a cell), or, of no cells in z, a sheet of quads and triangles (two a cell). Points
 * count along x, then y, then z; cells along z, then y, then x.
 */
#include "mesh_inputs.h"

typedef struct GenerateGrid {
    DvEngine engine;
    DvData position, tetrahedra, quads, triangles, hexahedra, min, max, resolution;
} GenerateGrid;

static void write_points(GenerateGrid *self, const uint32_t n[3])
{
    const double *min = dv_data_doubles(&self->min, NULL), *max = dv_data_doubles(&self->max, NULL);
    const uint32_t stride = self->engine.dof->coord;
    double *to = dv_data_begin_all(&self->position, (size_t)(n[0] + 1) * (n[1] + 1) * (n[2] + 1));
    for (uint32_t k = 0; k <= n[2]; k++)
        for (uint32_t j = 0; j <= n[1]; j++)
            for (uint32_t i = 0; i <= n[0]; i++, to += stride) {
                const uint32_t at[3] = {i, j, k};
                for (uint32_t axis = 0; axis < stride; axis++)
                    to[axis] = min[axis] + (n[axis] ? (max[axis] - min[axis]) * at[axis] / n[axis] : 0.0);
            }
    dv_data_end(&self->position);
}

static void write_box(GenerateGrid *self, const uint32_t n[3])
{
    const size_t cells = (size_t)n[0] * n[1] * n[2];
    const uint32_t row = n[0] + 1, layer = row * (n[1] + 1);
    uint32_t *hexahedra = dv_data_begin_all(&self->hexahedra, cells),
             *tetrahedra = dv_data_begin_all(&self->tetrahedra, 6 * cells);
    for (uint32_t i = 0; i < n[0]; i++)
        for (uint32_t j = 0; j < n[1]; j++)
            for (uint32_t k = 0; k < n[2]; k++, hexahedra += 8, tetrahedra += 24) {
                const uint32_t a = i + j * row + k * layer, b = a + layer;
                const uint32_t h[8] = {a, a + 1, a + row + 1, a + row, b, b + 1, b + row + 1, b + row};
                uint32_t cut[6][4];
                dv_cut_hexahedron(h, 0, false, cut);
                memcpy(hexahedra, h, sizeof h);
                memcpy(tetrahedra, cut, sizeof cut);
            }
    dv_data_end(&self->hexahedra);
    dv_data_end(&self->tetrahedra);
    dv_data_set(&self->quads, NULL, 0);
    dv_data_set(&self->triangles, NULL, 0);
}

static void write_sheet(GenerateGrid *self, const uint32_t n[3])
{
    const size_t cells = (size_t)n[0] * n[1];
    const uint32_t row = n[0] + 1;
    uint32_t *quads = dv_data_begin_all(&self->quads, cells),
             *triangles = dv_data_begin_all(&self->triangles, 2 * cells);
    for (uint32_t i = 0; i < n[0]; i++)
        for (uint32_t j = 0; j < n[1]; j++, quads += 4, triangles += 6) {
            const uint32_t a = i + j * row, q[4] = {a, a + 1, a + row + 1, a + row};
            const uint32_t two[6] = {q[0], q[1], q[3], q[3], q[1], q[2]};
            memcpy(quads, q, sizeof q);
            memcpy(triangles, two, sizeof two);
        }
    dv_data_end(&self->quads);
    dv_data_end(&self->triangles);
    dv_data_set(&self->hexahedra, NULL, 0);
    dv_data_set(&self->tetrahedra, NULL, 0);
}

static DvStatus update(DvObject *object, void *self_)
{
    GenerateGrid *self = self_;
    const int32_t *given = dv_data_ints(&self->resolution, NULL);
    uint32_t n[3];
    DvStatus status = DV_OK;
    double points = 1.0;
    for (int axis = 0; axis < 3; axis++) {
        n[axis] = given[axis] > 0 ? (uint32_t)given[axis] : 0;
        if (status == DV_OK && given[axis] < (axis < 2))
            status = dv_field_error(&self->resolution, axis,
                                    "%" PRId32 " cells: give 1 or more in x and y, and in z 0 (a sheet) or more",
                                    given[axis]);
        points *= n[axis] + 1.0;
    }
    if (status == DV_OK && self->engine.dof == &dv_vec2d && n[2] > 0)
        status = dv_field_error(&self->resolution, 2, "%" PRIu32 " cells in z of a grid in the plane: give 0", n[2]);
    if (status == DV_OK)
        status = dv_memory_ask(object, points * 160.0, "a grid of %" PRIu32 " x %" PRIu32 " x %" PRIu32 " cells", n[0],
                               n[1], n[2]);
    if (status == DV_OK && points > UINT32_MAX)
        status = dv_field_error(&self->resolution, -1, "more points than can be numbered");
    if (status != DV_OK) {
        DvData *outputs[] = {&self->position, &self->tetrahedra, &self->quads, &self->triangles, &self->hexahedra};
        for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
            dv_data_set(outputs[i], NULL, 0);
        return status;
    }
    write_points(self, n);
    if (n[2] > 0)
        write_box(self, n);
    else
        write_sheet(self, n);
    return DV_OK;
}

static const DvField fields[] = {
    DV_ENGINE_OUTPUT(GenerateGrid, position, "output_position", dv_type_coords, "points", .unit = "m",
                     .aliases = (const char *const[]){"position", NULL}),
    DV_ENGINE_OUTPUT(GenerateGrid, tetrahedra, "tetrahedra", dv_type_tetrahedra, "six tetrahedra a cell"),
    DV_ENGINE_OUTPUT(GenerateGrid, quads, "quads", dv_type_quads, "quads of a sheet"),
    DV_ENGINE_OUTPUT(GenerateGrid, triangles, "triangles", dv_type_triangles, "triangles of a sheet"),
    DV_ENGINE_OUTPUT(GenerateGrid, hexahedra, "hexahedra", dv_type_hexahedra, "cells"),
    DV_ENGINE_INPUT(GenerateGrid, min, "min", dv_type_vec3d, "smallest corner", .unit = "m"),
    DV_ENGINE_INPUT(GenerateGrid, max, "max", dv_type_vec3d, "largest corner", .unit = "m"),
    DV_ENGINE_INPUT(GenerateGrid, resolution, "resolution", dv_type_vec3i, "cells in x, y and z; 0 in z: a sheet",
                    .init = "3 3 3"),
    {0},
};

const DvClass dv_generate_grid = {
    .size = sizeof(DvClass),
    .name = "GenerateGrid",
    .variants = "Vec3d Vec2d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Generate",
    .help = "Makes a box of cells, or a sheet.",
    .instance_size = sizeof(GenerateGrid),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .update = update,
};
