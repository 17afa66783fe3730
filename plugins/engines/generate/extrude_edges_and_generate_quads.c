/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ExtrudeEdgesAndGenerateQuads: a curve moved along a direction d: section k of n lies at -in d + k (in + out) / n d / |d|, so that the
 * length of d counts for the first part alone, as in old scenes. Points section by section; edges of all sections, and those across
 * where a point is first used as the beginning of an edge, the others at the end.
 */
#include "mesh_inputs.h"

typedef struct ExtrudeEdges {
    DvEngine engine;
    DvData direction, in, out, sections, curve, edges, vertices, extruded_edges, quads;
} ExtrudeEdges;

static void add_across(uint32_t point, uint32_t points, uint32_t sections, bool *crossed, DvIndexArray *edges)
{
    for (uint32_t k = 0; k < sections && !crossed[point]; k++) {
        dv_array_push(edges, point + k * points);
        dv_array_push(edges, point + (k + 1) * points);
    }
    crossed[point] = true;
}

static void write_elements(ExtrudeEdges *self, DvElements curve, uint32_t points, uint32_t sections)
{
    DvIndexArray edges = {0}, quads = {0};
    bool *crossed = dv_alloc(points, sizeof *crossed);
    for (uint32_t i = 0; i < curve.count; i++) {
        const uint32_t a = curve.at[2 * i], b = curve.at[2 * i + 1];
        for (uint32_t k = 0; k <= sections; k++) {
            const uint32_t shift = k * points, edge[2] = {a + shift, b + shift};
            dv_array_append(&edges, edge, 2);
        }
        add_across(a, points, sections, crossed, &edges);
        for (uint32_t k = 0; k < sections; k++) {
            const uint32_t shift = k * points, quad[4] = {a + shift, b + shift, b + shift + points, a + shift + points};
            dv_array_append(&quads, quad, 4);
        }
    }
    for (uint32_t i = 0; i < curve.count; i++)
        add_across(curve.at[2 * i + 1], points, sections, crossed, &edges);
    dv_data_set(&self->extruded_edges, edges.data, edges.count / 2);
    dv_data_set(&self->quads, quads.data, quads.count / 4);
    dv_free(crossed);
    dv_array_free(&edges);
    dv_array_free(&quads);
}

static DvStatus update(DvObject *object, void *self_)
{
    ExtrudeEdges *self = self_;
    size_t points;
    DvElements curve;
    const double *position = dv_data_doubles(&self->curve, &points);
    DvStatus status = mesh_input(&self->edges, DV_EDGES, points, &curve);
    const DvVec3 direction = dv_vec3_load(dv_data_doubles(&self->direction, NULL));
    const DvVec3 along = dv_vec3_normalize(direction);
    const double in = dv_data_double(&self->in), thickness = in + dv_data_double(&self->out);
    const int32_t given = dv_data_int(&self->sections);
    const uint32_t sections = given > 0 ? (uint32_t)given : 0;
    if (status == DV_OK)
        status = dv_memory_ask(object, ((double)sections + 1.0) * (24.0 * (double)points + 48.0 * curve.count),
                               "%" PRIu32 " sections of a curve of %zu points", sections, points);
    if (status == DV_OK && ((double)sections + 1.0) * (double)points > UINT32_MAX)
        status = dv_field_error(&self->sections, -1, "%" PRIu32 " sections of %zu points are more than can be numbered",
                                sections, points);
    if (status != DV_OK || sections == 0) {
        dv_data_set(&self->vertices, NULL, 0);
        dv_data_set(&self->extruded_edges, NULL, 0);
        dv_data_set(&self->quads, NULL, 0);
        return status;
    }
    double *to = dv_data_begin_all(&self->vertices, points * ((size_t)sections + 1));
    for (uint32_t k = 0; k <= sections; k++)
        for (uint32_t i = 0; i < points; i++, to += 3)
            dv_vec3_store(
                dv_vec3_madd(dv_vec3_madd(mesh_point(position, i), -in, direction), k * thickness / sections, along),
                to);
    dv_data_end(&self->vertices);
    write_elements(self, curve, (uint32_t)points, sections);
    return DV_OK;
}

static const DvField fields[] = {
    DV_ENGINE_INPUT(ExtrudeEdges, direction, "extrudeDirection", dv_type_vec3d,
                    "direction; its length counts for thicknessIn alone", .init = "1 0 0"),
    DV_ENGINE_INPUT(ExtrudeEdges, in, "thicknessIn", dv_type_double, "how far against the direction", .init = "0"),
    DV_ENGINE_INPUT(ExtrudeEdges, out, "thicknessOut", dv_type_double, "how far along the direction", .init = "1"),
    DV_ENGINE_INPUT(ExtrudeEdges, sections, "numberOfSections", dv_type_int, "number of quads across", .init = "1",
                    .range = &dv_range_count),
    DV_ENGINE_INPUT(ExtrudeEdges, curve, "curveVertices", dv_type_vec3s, "points of the curve", .unit = "m"),
    DV_ENGINE_INPUT(ExtrudeEdges, edges, "curveEdges", dv_type_edges, "edges of the curve"),
    DV_ENGINE_OUTPUT(ExtrudeEdges, vertices, "extrudedVertices", dv_type_vec3s, "points of the surface, by section",
                     .unit = "m"),
    DV_ENGINE_OUTPUT(ExtrudeEdges, extruded_edges, "extrudedEdges", dv_type_edges, "edges of the surface"),
    DV_ENGINE_OUTPUT(ExtrudeEdges, quads, "extrudedQuads", dv_type_quads, "quads of the surface"),
    {0},
};

const DvClass dv_extrude_edges_and_generate_quads = {
    .size = sizeof(DvClass),
    .name = "ExtrudeEdgesAndGenerateQuads",
    .variants = "Vec3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Generate",
    .help = "Makes a surface of quads by moving a curve along a direction.",
    .instance_size = sizeof(ExtrudeEdges),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .update = update,
};
