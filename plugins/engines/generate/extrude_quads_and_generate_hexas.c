/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ExtrudeQuadsAndGenerateHexas: hexahedra from a surface of quads and a thickness along the normals of its points: the mean of the unit
 * normals of the quads there, each that of its first three corners. Point k of n + 1 of a vertex p lies at
 * p o scale + normal (-in + k (in + out) / n).
 */
#include "mesh_inputs.h"

typedef struct ExtrudeQuads {
    DvEngine engine;
    DvData scale, in, out, slices, flip, surface, quads, vertices, surface_quads, extruded_quads, hexahedra;
} ExtrudeQuads;

static void write_vertices(ExtrudeQuads *self, const double *position, uint32_t points, DvElements quads,
                           uint32_t slices)
{
    const DvVec3 scale = dv_vec3_load(dv_data_doubles(&self->scale, NULL));
    const double in = dv_data_double(&self->in), thickness = in + dv_data_double(&self->out);
    double *normals = dv_alloc(points, 3 * sizeof *normals);
    for (uint32_t i = 0; i < quads.count; i++) {
        const uint32_t *q = quads.at + 4 * (size_t)i;
        const DvVec3 n = dv_vec3_normalize(
            mesh_area_normal(mesh_point(position, q[0]), mesh_point(position, q[1]), mesh_point(position, q[2])));
        for (int j = 0; j < 4; j++)
            dv_vec3_accumulate(n, normals + 3 * (size_t)q[j]);
    }
    double *to = dv_data_begin_all(&self->vertices, points * ((size_t)slices + 1));
    for (uint32_t i = 0; i < points; i++) {
        const DvVec3 p = dv_vec3_mul(mesh_point(position, i), scale);
        const DvVec3 n = dv_vec3_normalize(mesh_point(normals, i));
        for (uint32_t k = 0; k <= slices; k++, to += 3)
            dv_vec3_store(dv_vec3_madd(p, -in + k * thickness / slices, n), to);
    }
    dv_data_end(&self->vertices);
    dv_free(normals);
}

static void add_quad(uint32_t **to, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t quad[4] = {a, b, c, d};
    memcpy(*to, quad, sizeof quad);
    *to += 4;
}

/* Of each quad: bottom, top, the layers between from both sides, then the walls of each slice. */
static void write_quads(ExtrudeQuads *self, DvElements quads, uint32_t n)
{
    uint32_t *bottom = dv_data_begin_all(&self->surface_quads, quads.count);
    uint32_t *to = dv_data_begin_all(&self->extruded_quads, (size_t)quads.count * 6 * n);
    for (uint32_t i = 0; i < quads.count; i++) {
        const uint32_t *corner = quads.at + 4 * (size_t)i;
        uint32_t q[4];
        for (int j = 0; j < 4; j++)
            q[j] = corner[j] * (n + 1);
        add_quad(&bottom, q[0], q[1], q[2], q[3]);
        add_quad(&to, q[0], q[1], q[2], q[3]);
        add_quad(&to, q[3] + n, q[2] + n, q[1] + n, q[0] + n);
        for (uint32_t k = 1; k < n; k++) {
            add_quad(&to, q[0] + k, q[1] + k, q[2] + k, q[3] + k);
            add_quad(&to, q[3] + k, q[2] + k, q[1] + k, q[0] + k);
        }
        for (uint32_t k = 0; k < n; k++)
            for (int j = 0; j < 4; j++) {
                const uint32_t a = q[j] + k, b = q[(j + 1) % 4] + k;
                add_quad(&to, a, a + 1, b + 1, b);
            }
    }
    dv_data_end(&self->surface_quads);
    dv_data_end(&self->extruded_quads);
}

static void write_hexahedra(ExtrudeQuads *self, DvElements quads, uint32_t n)
{
    const bool flip = dv_data_bool(&self->flip);
    uint32_t *to = dv_data_begin_all(&self->hexahedra, (size_t)quads.count * n);
    for (uint32_t i = 0; i < quads.count * n; i++, to += 8)
        for (int j = 0; j < 4; j++) {
            const uint32_t corner = quads.at[4 * (size_t)(i / n) + (uint32_t)(flip ? j : 3 - j)] * (n + 1) + i % n;
            to[j] = corner;
            to[j + 4] = corner + 1;
        }
    dv_data_end(&self->hexahedra);
}

static DvStatus update(DvObject *object, void *self_)
{
    ExtrudeQuads *self = self_;
    size_t points;
    DvElements quads;
    const double *position = dv_data_doubles(&self->surface, &points);
    DvStatus status = mesh_input(&self->quads, DV_QUADS, points, &quads);
    const int32_t given = dv_data_int(&self->slices);
    uint32_t slices = given > 0 ? (uint32_t)given : 1;
    if (status == DV_OK)
        status = dv_memory_ask(object, (double)slices * (48.0 * (double)points + 128.0 * quads.count),
                               "%" PRIu32 " slices on %" PRIu32 " quads", slices, quads.count);
    if (status == DV_OK && ((double)slices + 1.0) * (double)points > UINT32_MAX)
        status = dv_field_error(&self->slices, -1, "%" PRIu32 " slices of %zu points are more than can be numbered",
                                slices, points);
    if (status != DV_OK) {
        points = quads.count = 0;
        slices = 1;
    }
    write_vertices(self, position, (uint32_t)points, quads, slices);
    write_quads(self, quads, slices);
    write_hexahedra(self, quads, slices);
    return status;
}

static const DvField fields[] = {
    MESH_SHOWN("isVisible", "1"),
    DV_ENGINE_INPUT(ExtrudeQuads, scale, "scale", dv_type_vec3d, "what the points are multiplied by first",
                    .init = "1 1 1"),
    DV_ENGINE_INPUT(ExtrudeQuads, in, "thicknessIn", dv_type_double, "thickness against the normals", .init = "0",
                    .unit = "m"),
    DV_ENGINE_INPUT(ExtrudeQuads, out, "thicknessOut", dv_type_double, "thickness along the normals", .init = "1",
                    .unit = "m"),
    DV_ENGINE_INPUT(ExtrudeQuads, slices, "numberOfSlices", dv_type_int, "hexahedra on top of each other", .init = "1",
                    .range = &dv_range_count),
    DV_ENGINE_INPUT(ExtrudeQuads, flip, "flipNormals", dv_type_bool,
                    "the surface is the first side of the hexahedra as it is, not turned round"),
    DV_ENGINE_INPUT(ExtrudeQuads, surface, "surfaceVertices", dv_type_vec3s, "points of the surface", .unit = "m"),
    DV_ENGINE_INPUT(ExtrudeQuads, quads, "surfaceQuads", dv_type_quads, "quads of the surface"),
    DV_ENGINE_OUTPUT(ExtrudeQuads, vertices, "extrudedVertices", dv_type_vec3s, "points, by vertex of the surface",
                     .unit = "m"),
    DV_ENGINE_OUTPUT(ExtrudeQuads, surface_quads, "extrudedSurfaceQuads", dv_type_quads,
                     "quads of the surface, by new points"),
    DV_ENGINE_OUTPUT(ExtrudeQuads, extruded_quads, "extrudedQuads", dv_type_quads, "all quads"),
    DV_ENGINE_OUTPUT(ExtrudeQuads, hexahedra, "extrudedHexas", dv_type_hexahedra, "hexahedra"),
    {0},
};

const DvClass dv_extrude_quads_and_generate_hexas = {
    .size = sizeof(DvClass),
    .name = "ExtrudeQuadsAndGenerateHexas",
    .variants = "Vec3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Generate",
    .help = "Makes hexahedra of a surface of quads and a thickness.",
    .instance_size = sizeof(ExtrudeQuads),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .update = update,
};
