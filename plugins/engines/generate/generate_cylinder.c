/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GenerateCylinder: a cylinder along z as tetrahedra and, with points of its own, its surface as triangles. Layers of a centre and rings
 * of points; wedges around the axis are cut into three tetrahedra, the cells of outer rings into six.
 */
#include "mesh_inputs.h"

#include <math.h>

#include "bezier.h"

typedef struct GenerateCylinder {
    DvEngine engine;
    DvData volume_points, surface_points, tetrahedra, triangles;
    DvData radius, height, origin, open, around, rings, layers;
    BezierFields bezier;
} GenerateCylinder;

typedef struct Shape {
    DvVec3 origin;
    double radius, height;
    uint32_t around, rings, layers;
} Shape;

static double *put(double *to, const Shape *s, double radius, uint32_t k, uint32_t layer)
{
    const double angle = 2.0 * 3.14159265358979323846 * k / s->around;
    const DvVec3 p = {radius * cos(angle), radius * sin(angle), layer * s->height / (s->layers - 1)};
    dv_vec3_store(dv_vec3_add(s->origin, p), to);
    return to + 3;
}

static void write_volume_points(GenerateCylinder *self, const Shape *s)
{
    double *to = dv_data_begin_all(&self->volume_points, (size_t)s->layers * (s->around * s->rings + 1));
    for (uint32_t i = 0; i < s->layers; i++) {
        to = put(to, s, 0.0, 0, i);
        for (uint32_t j = 1; j <= s->rings; j++)
            for (uint32_t k = 0; k < s->around; k++)
                to = put(to, s, s->radius * j / s->rings, k, i);
    }
    dv_data_end(&self->volume_points);
}

static uint32_t *add(uint32_t *to, const uint32_t *corner, const uint8_t (*cut)[4], int count)
{
    for (int i = 0; i < 4 * count; i++)
        *to++ = corner[cut[i / 4][i % 4]];
    return to;
}

static void write_tetrahedra(GenerateCylinder *self, const Shape *s)
{
    static const uint8_t wedge[3][4] = {{1, 0, 2, 3}, {1, 2, 4, 3}, {3, 4, 5, 2}};
    static const uint8_t cell[6][4] = {{0, 5, 4, 7}, {0, 1, 5, 3}, {5, 0, 3, 7},
                                       {0, 3, 7, 2}, {7, 0, 2, 4}, {6, 7, 2, 4}};
    const uint32_t n = s->around, layer = n * s->rings + 1;
    uint32_t *to = dv_data_begin_all(&self->tetrahedra, (size_t)(s->layers - 1) * n * (3 + 6 * (size_t)(s->rings - 1)));
    for (uint32_t i = 1; i < s->layers; i++) {
        const uint32_t c = i * layer;
        for (uint32_t k = 1; k <= n; k++) {
            const uint32_t p = k == 1 ? n : k - 1;
            const uint32_t corner[6] = {c, c + p, c + k, c - layer, c + p - layer, c + k - layer};
            to = add(to, corner, wedge, 3);
        }
        for (uint32_t j = 1; j < s->rings; j++)
            for (uint32_t k = 1; k <= n; k++) {
                const uint32_t b = c + (j - 1) * n, p = k == 1 ? n : k - 1;
                uint32_t corner[8] = {b + k, b + p, b + k + n, b + p + n};
                for (int h = 0; h < 4; h++)
                    corner[4 + h] = corner[h] - layer;
                to = add(to, corner, cell, 6);
            }
    }
    dv_data_end(&self->tetrahedra);
}

/* The lid of a layer as fan and rings; up: seen from above. Points: the centre, the inner rings, then that of the side. */
static uint32_t *add_lid(uint32_t *to, const Shape *s, uint32_t center, uint32_t side, bool up)
{
    const uint32_t n = s->around;
    for (uint32_t j = 1; j <= s->rings; j++) {
        const uint32_t outer = j == s->rings ? side : center + 1 + (j - 1) * n, inner = center + 1 + (j - 2) * n;
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t next = (k + 1) % n;
            const uint32_t quad[4] = {j == 1 ? center : inner + k, outer + k, outer + next,
                                      j == 1 ? center : inner + next};
            const uint32_t two[6] = {quad[0], quad[up ? 1 : 2], quad[up ? 2 : 1],
                                     quad[0], quad[up ? 2 : 3], quad[up ? 3 : 2]};
            memcpy(to, two, (j == 1 ? 3 : 6) * sizeof *to);
            to += j == 1 ? 3 : 6;
        }
    }
    return to;
}

static void write_surface(GenerateCylinder *self, const Shape *s)
{
    const bool closed = !dv_data_bool(&self->open);
    const uint32_t n = s->around, side = n * s->layers, lid = 1 + n * (s->rings - 1);
    double *to = dv_data_begin_all(&self->surface_points, (size_t)side + (closed ? 2 * (size_t)lid : 0));
    for (uint32_t i = 0; i < side; i++)
        to = put(to, s, s->radius, i % n, i / n);
    for (uint32_t end = 0; end < (closed ? 2u : 0u); end++)
        for (uint32_t i = 0; i < lid; i++) {
            const uint32_t ring = i ? (i - 1) / n + 1 : 0;
            to = put(to, s, s->radius * ring / s->rings, i ? (i - 1) % n : 0, end ? s->layers - 1 : 0);
        }
    dv_data_end(&self->surface_points);
    const size_t lids = closed ? 2 * ((size_t)n + 2 * (size_t)n * (s->rings - 1)) : 0;
    uint32_t *triangle = dv_data_begin_all(&self->triangles, 2 * (size_t)n * (s->layers - 1) + lids);
    for (uint32_t i = 1; i < s->layers; i++)
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t up = i * n + k, down = up - n, up1 = i * n + (k + 1) % n, down1 = up1 - n;
            const uint32_t two[6] = {up, down, down1, up, down1, up1};
            memcpy(triangle, two, sizeof two);
            triangle += 6;
        }
    if (closed) {
        triangle = add_lid(triangle, s, side, 0, false);
        (void)add_lid(triangle, s, side + lid, side - n, true);
    }
    dv_data_end(&self->triangles);
}

/* Edges on the side are arcs unless they are upright. Their control point is as high as the higher end. */
static bool is_arc(const void *self, DvVec3 a, DvVec3 b, DvVec3 *control, double *weight)
{
    const Shape *s = self;
    const DvVec3 from = dv_vec3_sub(a, s->origin), to = dv_vec3_sub(b, s->origin);
    const double outer = s->radius * (1.0 - 0.25 / s->rings), turn = from.x * to.y - from.y * to.x;
    if (hypot(from.x, from.y) < outer || hypot(to.x, to.y) < outer || fabs(turn) < 1e-9 * s->radius * s->radius)
        return false;
    const double cosine = (from.x * to.x + from.y * to.y) / (s->radius * s->radius);
    *control = dv_vec3(s->origin.x + (from.x + to.x) / (1.0 + cosine), s->origin.y + (from.y + to.y) / (1.0 + cosine),
                       fmax(a.z, b.z));
    *weight = sqrt(0.5 * (1.0 + cosine));
    return true;
}

static DvStatus update(DvObject *object, void *self_)
{
    GenerateCylinder *self = self_;
    const Shape s = {.origin = dv_vec3_load(dv_data_doubles(&self->origin, NULL)),
                     .radius = dv_data_double(&self->radius),
                     .height = dv_data_double(&self->height),
                     .around = dv_data_uint(&self->around),
                     .rings = dv_data_uint(&self->rings),
                     .layers = dv_data_uint(&self->layers)};
    const double points = ((double)s.around * s.rings + 1.0) * s.layers;
    DvStatus status =
        dv_memory_ask(object, 150.0 * points, "a cylinder of %" PRIu32 " x %" PRIu32 " x %" PRIu32 " points", s.around,
                      s.rings, s.layers);
    if (status == DV_OK && points > UINT32_MAX)
        status = dv_field_error(&self->layers, -1, "more points than can be numbered");
    if (status != DV_OK || s.around < 3 || s.rings < 1 || s.layers < 2) {
        DvData *outputs[] = {&self->volume_points, &self->surface_points, &self->tetrahedra, &self->triangles};
        for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
            dv_data_set(outputs[i], NULL, 0);
        return status;
    }
    write_volume_points(self, &s);
    write_tetrahedra(self, &s);
    write_surface(self, &s);
    const BezierShape shape = {.self = &s, .arc = is_arc, .straight_z = true};
    status = bezier_write(object, &self->bezier, BEZIER_TRIANGLES, &shape, &self->surface_points, &self->triangles);
    return mesh_first(status, bezier_write(object, &self->bezier, BEZIER_TETRAHEDRA, &shape, &self->volume_points,
                                           &self->tetrahedra));
}

static const DvRange from_two = {.least = 2, .most = INFINITY}, from_three = {.least = 3, .most = INFINITY};
#define ALIASES(...)                 \
    .aliases = (const char *const[]) \
    {                                \
        __VA_ARGS__, NULL            \
    }
static const DvField fields[] = {
    DV_ENGINE_OUTPUT(GenerateCylinder, volume_points, "output_TetrahedraPosition", dv_type_vec3s,
                     "points of the tetrahedra", .unit = "m", ALIASES("position", "output_position")),
    DV_ENGINE_OUTPUT(GenerateCylinder, surface_points, "output_TrianglesPosition", dv_type_vec3s,
                     "points of the triangles", .unit = "m"),
    DV_ENGINE_OUTPUT(GenerateCylinder, tetrahedra, "tetrahedra", dv_type_tetrahedra, "tetrahedra"),
    DV_ENGINE_OUTPUT(GenerateCylinder, triangles, "triangles", dv_type_triangles, "triangles of the surface"),
    DV_ENGINE_INPUT(GenerateCylinder, radius, "radius", dv_type_double, "radius", .init = "0.2", .unit = "m",
                    .range = &dv_range_positive),
    DV_ENGINE_INPUT(GenerateCylinder, height, "height", dv_type_double, "length along z", .init = "1", .unit = "m",
                    .range = &dv_range_positive),
    DV_ENGINE_INPUT(GenerateCylinder, origin, "origin", dv_type_vec3d, "middle of the lower end", .unit = "m"),
    DV_ENGINE_INPUT(GenerateCylinder, open, "openSurface", dv_type_bool, "the surface has no ends", .init = "1"),
    DV_ENGINE_INPUT(GenerateCylinder, around, "resCircumferential", dv_type_uint, "points on a ring", .init = "6",
                    .range = &from_three),
    DV_ENGINE_INPUT(GenerateCylinder, rings, "resRadial", dv_type_uint, "rings", .init = "3", .range = &dv_range_count),
    DV_ENGINE_INPUT(GenerateCylinder, layers, "resHeight", dv_type_uint, "layers of points", .init = "5",
                    .range = &from_two),
    BEZIER_FIELDS(GenerateCylinder, bezier),
    {0},
};

const DvClass dv_generate_cylinder = {
    .size = sizeof(DvClass),
    .name = "GenerateCylinder",
    .variants = "Vec3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Generate",
    .help = "Makes a cylinder of tetrahedra, and of triangles.",
    .instance_size = sizeof(GenerateCylinder),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .update = update,
};
