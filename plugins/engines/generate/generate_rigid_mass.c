/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GenerateRigidMass: mass, centre and inertia of the body inside a closed surface, by the divergence theorem over its triangles
 * (Eberly, Polyhedral Mass Properties, 2002). Faces of more corners are fans around their first.
 */
#include "mesh_inputs.h"

#include <math.h>

#include <divan/kit/mass.h>
#include <divan/kit/mesh_types.h>
#include <divan/kit/value_lists.h>
#include <divan/types/matrix.h>

typedef struct GenerateRigidMass {
    DvEngine engine;
    DvData density, position, triangles, quads, polygons;
    DvData rigid_mass, mass, volume, inertia, center, to_origin;
} GenerateRigidMass;

/* Integrals over the body of 1, x, y, z, xx, yy, zz, xy, yz, zx. */
static void add_triangle(const double *a, const double *b, const double *c, double *integral)
{
    const DvVec3 n = mesh_area_normal(dv_vec3_load(a), dv_vec3_load(b), dv_vec3_load(c));
    const double d[3] = {n.x, n.y, n.z};
    double f1[3], f2[3], f3[3], g[3][3]; /* g[corner][axis] */
    const double *const corner[3] = {a, b, c};
    for (int k = 0; k < 3; k++) {
        const double p = a[k], q = b[k], r = c[k];
        f1[k] = p + q + r;
        f2[k] = p * p + q * (p + q) + r * f1[k];
        f3[k] = p * p * p + q * (p * p + q * (p + q)) + r * f2[k];
        for (int j = 0; j < 3; j++)
            g[j][k] = f2[k] + corner[j][k] * (f1[k] + corner[j][k]);
    }
    integral[0] += d[0] * f1[0] / 6.0;
    for (int k = 0; k < 3; k++) {
        const int next = (k + 1) % 3;
        integral[1 + k] += d[k] * f2[k] / 24.0;
        integral[4 + k] += d[k] * f3[k] / 60.0;
        integral[7 + k] += d[k] * (a[next] * g[0][k] + b[next] * g[1][k] + c[next] * g[2][k]) / 120.0;
    }
}

static DvStatus integrate(GenerateRigidMass *self, double *integral)
{
    size_t points, length;
    DvElements triangles, quads;
    const double *x = dv_data_doubles(&self->position, &points);
    const DvStatus status = mesh_first(mesh_input(&self->triangles, DV_TRIANGLES, points, &triangles),
                                       mesh_input(&self->quads, DV_QUADS, points, &quads));
    MeshTriangles all = {0};
    mesh_triangles_of(triangles, quads, &all);
    const int32_t *at = dv_data_read(&self->polygons), *end = at + (length = self->polygons.count);
    for (int64_t polygon = 0; at < end; polygon++) {
        const int32_t *corner;
        uint32_t corners;
        at = dv_index_lists_next(at, &corner, &corners);
        for (uint32_t i = 0; i < corners; i++)
            if (corner[i] < 0 || (size_t)corner[i] >= points) {
                dv_array_free(&all);
                return dv_field_error(&self->polygons, polygon, "point %" PRId32 " of %zu positions", corner[i],
                                      points);
            }
        for (uint32_t i = 2; i < corners; i++) {
            const uint32_t fan[3] = {(uint32_t)corner[0], (uint32_t)corner[i - 1], (uint32_t)corner[i]};
            dv_array_append(&all, fan, 3);
        }
    }
    for (uint32_t i = 0; i < all.count; i += 3)
        add_triangle(x + 3 * (size_t)all.data[i], x + 3 * (size_t)all.data[i + 1], x + 3 * (size_t)all.data[i + 2],
                     integral);
    dv_array_free(&all);
    return status;
}

static void give(GenerateRigidMass *self, double mass, double volume, DvVec3 center, const double inertia[9])
{
    const double to_origin[3] = {-center.x, -center.y, -center.z}, from[3] = {center.x, center.y, center.z};
    double *numbers = dv_data_begin_all(&self->rigid_mass, 11);
    const bool body = volume != 0.0;
    numbers[0] = body ? mass : 1.0;
    numbers[1] = body ? volume : 1.0;
    for (int i = 0; i < 9; i++)
        numbers[2 + i] = body ? inertia[i] : i % 4 == 0;
    dv_data_end(&self->rigid_mass);
    dv_data_set_double(&self->mass, mass);
    dv_data_set_double(&self->volume, volume);
    dv_data_set(&self->inertia, inertia, 1);
    dv_data_set(&self->center, from, 1);
    dv_data_set(&self->to_origin, to_origin, 1);
}

static DvStatus update(DvObject *object, void *self_)
{
    GenerateRigidMass *self = self_;
    double s[10] = {0}, inertia[9] = {0};
    const DvStatus status = integrate(self, s);
    const double volume = s[0];
    if (status != DV_OK || volume == 0.0) {
        give(self, 0.0, 0.0, dv_vec3_zero(), inertia);
        if (status == DV_OK)
            dv_warning(object,
                       "the surface encloses no volume: give position and the triangles, quads or polygons of a closed "
                       "surface; a mass of 1 is given instead");
        return status;
    }
    const DvVec3 c = {s[1] / volume, s[2] / volume, s[3] / volume};
    const double xx = s[4] / volume - c.x * c.x, yy = s[5] / volume - c.y * c.y, zz = s[6] / volume - c.z * c.z;
    inertia[0] = yy + zz;
    inertia[4] = zz + xx;
    inertia[8] = xx + yy;
    inertia[1] = inertia[3] = -(s[7] / volume - c.x * c.y);
    inertia[5] = inertia[7] = -(s[8] / volume - c.y * c.z);
    inertia[2] = inertia[6] = -(s[9] / volume - c.z * c.x);
    give(self, dv_data_double(&self->density) * volume, volume, c, inertia);
    return DV_OK;
}

static const DvField fields[] = {
    DV_ENGINE_INPUT(GenerateRigidMass, density, "density", dv_type_double, "mass per volume", .init = "1000",
                    .unit = "kg/m^3", .range = &dv_range_not_negative),
    DV_ENGINE_INPUT(GenerateRigidMass, position, "position", dv_type_vec3s, "points of the surface", .unit = "m"),
    DV_ENGINE_INPUT(GenerateRigidMass, triangles, "triangles", dv_type_triangles, "its triangles, seen from outside"),
    DV_ENGINE_INPUT(GenerateRigidMass, quads, "quads", dv_type_quads, "its quads"),
    DV_ENGINE_INPUT(GenerateRigidMass, polygons, "polygons", dv_mesh_type_index_lists, "its faces of more points"),
    DV_ENGINE_OUTPUT(GenerateRigidMass, rigid_mass, "rigidMass", dv_mass_type,
                     "mass, volume and inertia per mass, as UniformMass takes it", .init = "1 1 [1 0 0,0 1 0,0 0 1]"),
    DV_ENGINE_OUTPUT(GenerateRigidMass, mass, "mass", dv_type_double, "mass", .unit = "kg"),
    DV_ENGINE_OUTPUT(GenerateRigidMass, volume, "volume", dv_type_double, "volume", .unit = "m^3"),
    DV_ENGINE_OUTPUT(GenerateRigidMass, inertia, "inertiaMatrix", dv_type_mat3d, "inertia about the centre, per mass",
                     .unit = "m^2"),
    DV_ENGINE_OUTPUT(GenerateRigidMass, center, "massCenter", dv_type_vec3d, "centre of mass", .unit = "m"),
    DV_ENGINE_OUTPUT(GenerateRigidMass, to_origin, "centerToOrigin", dv_type_vec3d, "from the centre to the origin",
                     .unit = "m"),
    {0},
};

const DvClass dv_generate_rigid_mass = {
    .size = sizeof(DvClass),
    .name = "GenerateRigidMass",
    .variants = "Rigid3d",
    .default_variant = "Rigid3d",
    .module = "Sofa.Component.Engine.Generate",
    .help = "Computes the mass, the centre and the inertia of a body from its surface.",
    .instance_size = sizeof(GenerateRigidMass),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .update = update,
};
