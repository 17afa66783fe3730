/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GenerateSphere: a sphere as triangles: the faces of a Platonic solid, each cut into smaller ones by arcs of great circles; and, with
 * points of its own, as tetrahedra between the triangles and the centre.
 *
 * Points: corners; those on edges, ordered by their ends; those inside of faces, face by face.
 */
#include "mesh_inputs.h"

#include <math.h>

#include "bezier.h"

typedef struct GenerateSphere {
    DvEngine engine;
    DvData volume_points, surface_points, tetrahedra, triangles;
    DvData radius, origin, degree, solid;
    BezierFields bezier;
} GenerateSphere;

typedef struct Solid {
    const double (*corner)[3];
    const uint8_t (*face)[3];
    uint32_t corners, faces;
} Solid;

enum { ICOSAHEDRON, OCTAHEDRON, TETRAHEDRON };
#define A 0.942809041582063365868
#define B 0.471404520791031682934
#define C 0.816496580927726032732
#define D -0.3333333432674407958984 /* a third in single precision, as the reference has it */
static const double tetrahedron[4][3] = {{0, 0, 1}, {0, A, D}, {-C, -B, D}, {C, -B, D}};
#undef A
#undef B
#undef C
#undef D
static const double octahedron[6][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, -1}, {-1, 0, 0}, {0, -1, 0}};
/* A regular one in general position, to eight digits; the other six corners lie opposite. */
static const double icosahedron[6][3] = {{0.3614720512697522, -0.5303137928409544, -0.7668801974712081},
                                         {-0.5103400266607409, 0.05030862101055314, -0.8584999125450922},
                                         {0.423681315661296, 0.5190202925254267, -0.7423692334050043},
                                         {0.9955914700070845, -0.05728838843103183, -0.07426752587846272},
                                         {0.4150300790810164, -0.8821784032665859, 0.2225113441333326},
                                         {-0.5156867860009592, -0.8156798049333938, -0.2621709262443526}};
static const uint8_t tetrahedron_faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
static const uint8_t octahedron_faces[8][3] = {{0, 1, 2}, {0, 2, 4}, {0, 4, 5}, {0, 5, 1},
                                               {1, 5, 3}, {1, 3, 2}, {3, 5, 4}, {2, 3, 4}};
static const uint8_t icosahedron_faces[20][3] = {
    {0, 1, 5}, {0, 2, 1},  {0, 3, 2}, {0, 4, 3}, {0, 5, 4}, {1, 2, 10}, {1, 9, 5}, {1, 10, 9}, {2, 3, 11},  {2, 11, 10},
    {3, 4, 7}, {3, 7, 11}, {4, 5, 8}, {4, 8, 7}, {5, 9, 8}, {6, 7, 8},  {6, 8, 9}, {6, 9, 10}, {6, 10, 11}, {6, 11, 7}};

static Solid solid_of(GenerateSphere *self)
{
    switch (dv_data_choice(&self->solid)) {
    case OCTAHEDRON:
        return (Solid){octahedron, octahedron_faces, 6, 8};
    case TETRAHEDRON:
        return (Solid){tetrahedron, tetrahedron_faces, 4, 4};
    default:
        return (Solid){icosahedron, icosahedron_faces, 12, 20};
    }
}

typedef struct Sphere {
    Solid solid;
    uint32_t degree;       /* parts of an edge */
    uint32_t edge[12][12]; /* its number, a < b */
    uint32_t edge_count;
    DvRealArray points; /* on the unit sphere */
} Sphere;

static DvVec3 corner_of(const Solid *solid, uint32_t i)
{
    if (solid->corners == 12)
        return i < 6 ? dv_vec3_load(solid->corner[i]) : dv_vec3_neg(dv_vec3_load(solid->corner[i - 6]));
    return dv_vec3_load(solid->corner[i]);
}

static void add(Sphere *s, DvVec3 p)
{
    double at[3];
    dv_vec3_store(p, at);
    dv_array_append(&s->points, at, 3);
}

/* The point that parts the arc from a to b, two unit vectors, as t to 1 - t. */
static DvVec3 on_arc(DvVec3 a, DvVec3 b, double t)
{
    const double cosine = dv_vec3_dot(a, b), angle = t * acos(fmax(-1.0, fmin(1.0, cosine)));
    const DvVec3 across = dv_vec3_normalize(dv_vec3_madd(b, -cosine / dv_vec3_norm_squared(a), a));
    return dv_vec3_madd(dv_vec3_scale(a, cos(angle)), sin(angle), across);
}

/* Inside a face: between the arcs through the same parts of two edges, the mean of the three ways to choose these. */
static DvVec3 in_face(const DvVec3 c[3], const uint32_t part[3], double n)
{
    DvVec3 sum = dv_vec3_zero();
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double away = (part[j] + part[k]) / n;
        sum = dv_vec3_add(
            sum, on_arc(on_arc(c[i], c[j], away), on_arc(c[i], c[k], away), (double)part[k] / (part[j] + part[k])));
    }
    return dv_vec3_normalize(sum);
}

static void find_points(Sphere *s)
{
    const Solid *solid = &s->solid;
    const uint32_t n = s->degree;
    for (uint32_t i = 0; i < solid->corners; i++)
        add(s, corner_of(solid, i));
    bool is_edge[12][12] = {{false}};
    for (uint32_t f = 0; f < solid->faces; f++)
        for (int k = 0; k < 3; k++) {
            const uint8_t a = solid->face[f][k], b = solid->face[f][(k + 1) % 3];
            is_edge[a < b ? a : b][a < b ? b : a] = true;
        }
    for (uint32_t a = 0; a < solid->corners; a++)
        for (uint32_t b = a + 1; b < solid->corners; b++) {
            if (!is_edge[a][b])
                continue;
            s->edge[a][b] = s->edge_count++;
            for (uint32_t k = 1; k < n; k++)
                add(s, on_arc(corner_of(solid, a), corner_of(solid, b), (double)k / n));
        }
    for (uint32_t f = 0; f < solid->faces; f++) {
        const uint8_t *face = solid->face[f];
        const DvVec3 c[3] = {corner_of(solid, face[0]), corner_of(solid, face[1]), corner_of(solid, face[2])};
        for (uint32_t i = 1; i < n; i++)
            for (uint32_t j = 1; i + j < n; j++)
                add(s, in_face(c, (const uint32_t[3]){i, j, n - i - j}, n));
    }
}

/* The number of the point of a face with these coordinates, whose sum is the degree. */
static uint32_t point_of(const Sphere *s, uint32_t f, const uint32_t part[3])
{
    const uint32_t n = s->degree;
    const uint8_t *face = s->solid.face[f];
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        if (part[i] == n)
            return face[i];
        if (part[i] == 0 && part[j] && part[k]) {
            const bool upward = face[j] < face[k];
            const uint32_t low = upward ? face[j] : face[k], high = upward ? face[k] : face[j];
            return s->solid.corners + s->edge[low][high] * (n - 1) + (upward ? part[k] : part[j]) - 1;
        }
    }
    /* Rows of one first coordinate: n - 2, n - 3, ... points. */
    const uint32_t first = s->solid.corners + s->edge_count * (n - 1) + f * ((n - 1) * (n - 2) / 2), i = part[0];
    return first + (i - 1) * (n - 1) - (i - 1) * i / 2 + part[1] - 1;
}

static uint32_t *put(uint32_t *to, const Sphere *s, uint32_t face, uint32_t i, uint32_t j, uint32_t k, bool upright)
{
    const uint32_t parts[2][3][3] = {{{i + 1, j, k + 1}, {i + 1, j + 1, k}, {i, j + 1, k + 1}},
                                     {{i + 1, j, k}, {i, j + 1, k}, {i, j, k + 1}}};
    for (int c = 0; c < 3; c++)
        *to++ = point_of(s, face, parts[upright][c]);
    return to;
}

static void write_triangles(GenerateSphere *self, const Sphere *s)
{
    const uint32_t n = s->degree;
    uint32_t *to = dv_data_begin_all(&self->triangles, (size_t)s->solid.faces * n * n);
    for (uint32_t f = 0; f < s->solid.faces; f++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; i + j < n; j++) {
                to = put(to, s, f, i, j, n - 1 - i - j, true);
                if (i + j + 1 < n)
                    to = put(to, s, f, i, j, n - 2 - i - j, false);
            }
    dv_data_end(&self->triangles);
}

/* A tetrahedron is its own; else one between each triangle and the centre, which is the first point. */
static void write_tetrahedra(GenerateSphere *self, const Sphere *s)
{
    static const uint32_t one[4] = {0, 1, 2, 3};
    size_t count;
    const uint32_t *triangle = dv_data_uints(&self->triangles, &count);
    if (s->degree == 1 && s->solid.faces == 4) {
        dv_data_set(&self->tetrahedra, one, 1);
        return;
    }
    uint32_t *to = dv_data_begin_all(&self->tetrahedra, count);
    for (size_t i = 0; i < count; i++, triangle += 3) {
        *to++ = 0;
        for (int k = 0; k < 3; k++)
            *to++ = triangle[k] + 1;
    }
    dv_data_end(&self->tetrahedra);
}

static void write_points(DvData *data, const Sphere *s, bool center, double radius, DvVec3 origin)
{
    const uint32_t count = s->points.count / 3;
    double *to = dv_data_begin_all(data, (size_t)count + center);
    if (center) {
        dv_vec3_store(origin, to);
        to += 3;
    }
    for (uint32_t i = 0; i < count; i++, to += 3)
        dv_vec3_store(dv_vec3_madd(origin, radius, mesh_point(s->points.data, i)), to);
    dv_data_end(data);
}

/* Edges that do not end in the centre are arcs of great circles. */
static bool is_arc(const void *self, DvVec3 a, DvVec3 b, DvVec3 *control, double *weight)
{
    const double *center = self, least = 0.5 * center[3];
    const DvVec3 origin = dv_vec3_load(center), from = dv_vec3_sub(a, origin), to = dv_vec3_sub(b, origin);
    if (dv_vec3_norm(from) < least || dv_vec3_norm(to) < least)
        return false;
    const double cosine = dv_vec3_dot(from, to) / (center[3] * center[3]);
    *control = dv_vec3_madd(origin, 1.0 / (1.0 + cosine), dv_vec3_add(from, to));
    *weight = sqrt(0.5 * (1.0 + cosine));
    return true;
}

static DvStatus update(DvObject *object, void *self_)
{
    GenerateSphere *self = self_;
    const double radius = dv_data_double(&self->radius), *origin = dv_data_doubles(&self->origin, NULL);
    Sphere s = {.solid = solid_of(self), .degree = dv_data_uint(&self->degree)};
    const double n = s.degree, triangles = s.solid.faces * n * n;
    DvStatus status = dv_memory_ask(object, 120.0 * triangles, "a sphere of %.0f triangles", triangles);
    if (status == DV_OK && triangles > UINT32_MAX / 8)
        status = dv_field_error(&self->degree, -1, "more triangles than can be numbered");
    if (status != DV_OK || s.degree < 1) {
        DvData *outputs[] = {&self->volume_points, &self->surface_points, &self->tetrahedra, &self->triangles};
        for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
            dv_data_set(outputs[i], NULL, 0);
        return status;
    }
    find_points(&s);
    write_triangles(self, &s);
    write_tetrahedra(self, &s);
    write_points(&self->surface_points, &s, false, radius, dv_vec3_load(origin));
    write_points(&self->volume_points, &s, s.degree > 1 || s.solid.faces > 4, radius, dv_vec3_load(origin));
    const double place[4] = {origin[0], origin[1], origin[2], radius};
    const BezierShape shape = {.self = place, .arc = is_arc};
    status = bezier_write(object, &self->bezier, BEZIER_TRIANGLES, &shape, &self->surface_points, &self->triangles);
    status = mesh_first(status, bezier_write(object, &self->bezier, BEZIER_TETRAHEDRA, &shape, &self->volume_points,
                                             &self->tetrahedra));
    dv_array_free(&s.points);
    return status;
}

static const char *const solids[] = {"icosahedron", "octahedron", "tetrahedron", NULL};
static const DvField fields[] = {
    DV_ENGINE_OUTPUT(GenerateSphere, volume_points, "output_TetrahedraPosition", dv_type_vec3s,
                     "points of the tetrahedra", .unit = "m",
                     .aliases = (const char *const[]){"position", "output_position", NULL}),
    DV_ENGINE_OUTPUT(GenerateSphere, tetrahedra, "tetrahedra", dv_type_tetrahedra, "tetrahedra"),
    DV_ENGINE_OUTPUT(GenerateSphere, surface_points, "output_TrianglesPosition", dv_type_vec3s,
                     "points of the triangles", .unit = "m"),
    DV_ENGINE_OUTPUT(GenerateSphere, triangles, "triangles", dv_type_triangles, "triangles of the surface"),
    BEZIER_FIELDS(GenerateSphere, bezier),
    DV_ENGINE_INPUT(GenerateSphere, radius, "radius", dv_type_double, "radius", .init = "0.2", .unit = "m",
                    .range = &dv_range_positive),
    DV_ENGINE_INPUT(GenerateSphere, origin, "origin", dv_type_vec3d, "centre", .unit = "m"),
    DV_ENGINE_INPUT(GenerateSphere, degree, "tessellationDegree", dv_type_uint, "parts of each edge of the solid",
                    .init = "1", .range = &dv_range_count),
    DV_ENGINE_INPUT(GenerateSphere, solid, "platonicSolid", dv_type_choice, "solid whose faces are cut",
                    .init = "icosahedron", .choices = solids),
    {0},
};

const DvClass dv_generate_sphere = {
    .size = sizeof(DvClass),
    .name = "GenerateSphere",
    .variants = "Vec3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Generate",
    .help = "Makes a sphere of triangles, and of tetrahedra.",
    .instance_size = sizeof(GenerateSphere),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .update = update,
};
