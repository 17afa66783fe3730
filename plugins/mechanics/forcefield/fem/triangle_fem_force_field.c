/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TriangleFEMForceField: linear elastic membranes of triangles, with large rotations; no bending.
 *
 * The methods and their limits are described in triangle_blocks.h.
 *
 * Elements are the triangles of the topology or, when it starts with none, its quads cut in two. When the mesh changes, materials and
 * the shape without stress stay with their elements and points; the rest is made again where it was touched, of quads everywhere.
 */
#include "forcefield/fem/triangle_force_field.h"

#include <divan/element_data.h>
#include <string.h>

typedef struct TriangleFEMForceField {
    TriangleForceField common; /* first */
    DvElasticMaterial material;
    DvData initial_points, method, thickness, plane_strain;

    DvElementData initial;    /* what initialPoints held, of each point; not attached when it is empty */
    uint64_t initial_version; /* of the field then */
} TriangleFEMForceField;

static const char *const methods[] = {"small", "large", "linear", "exact", NULL}; /* as TriangleMethod */

#define FIELD(member, name, type, ...) DV_FIELD(TriangleFEMForceField, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    DV_MESH_FORCE_FIELD_FIELDS(TriangleFEMForceField, common.field),
    DV_MATERIAL_FIELDS(TriangleFEMForceField, material, 0),
    FIELD(initial_points, "initialPoints", dv_type_vec3s, .unit = "m", .flags = DV_FIELD_EMPTY_IS_DEFAULT,
          .help = "shape without stress; the rest positions when empty"),
    FIELD(
        method, "method", dv_type_choice, .init = "large", .choices = methods,
        .help =
            "frame of an element: none, and right only of triangles in the x-y plane whose first edge lies along x "
            "(small); by the first edge and the plane, so that large strains depend on the order of the points (large); "
            "that of the rest shape, for small displacements (linear); the rotation of the deformation, with the "
            "force and stiffness of its energy (exact)"),
    FIELD(thickness, "thickness", dv_type_double, .init = "1", .unit = "m", .range = &dv_range_positive,
          .group = "material", .help = "of the membrane"),
    FIELD(plane_strain, "planeStrain", dv_type_bool, .init = "0", .group = "material",
          .help = "plane strain instead of plane stress"),
    {0},
};

/* Of some triangles; `numbers` NULL: of the first `count`. */
static void set_materials(TriangleFEMForceField *self, const uint32_t *numbers, uint32_t count)
{
    const double thickness = dv_data_double(&self->thickness);
    const bool plane_strain = dv_data_bool(&self->plane_strain);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t triangle = numbers ? numbers[i] : i;
        const DvElementMaterial material = dv_element_material(&self->common.field.materials, triangle);
        const double young = material.young, poisson = material.poisson;
        const double lambda =
            plane_strain ? dv_lame_lambda(young, poisson) : dv_lame_lambda_plane_stress(young, poisson);
        triangle_blocks_set_material(&self->common.blocks, triangle, thickness, lambda, dv_lame_mu(young, poisson));
    }
}

/* From here on the points keep what the field gives them, whatever number they have. */
static DvStatus follow_initial_points(TriangleFEMForceField *self)
{
    size_t given;
    const double *at = dv_data_doubles(&self->initial_points, &given);
    if (self->initial_version == dv_data_version(&self->initial_points))
        return DV_OK;
    self->initial_version = dv_data_version(&self->initial_points);
    dv_element_data_detach(&self->initial);
    if (given == 0 || self->common.field.topology.ops->point_count(self->common.field.topology.self) != given)
        return DV_OK;
    self->initial = (DvElementData){.kind = DV_POINTS, .entry_size = 3 * sizeof *at, .interpolate = true};
    const DvStatus status = dv_element_data_attach(&self->initial, self->common.field.topology.object);
    if (status == DV_OK)
        memcpy(self->initial.entries, at, given * self->initial.entry_size);
    return status;
}

/* Where the shape without stress is; NULL: at rest. */
static const double *initial_shape(void *self_, uint32_t points)
{
    TriangleFEMForceField *self = self_;
    if (self->initial.topology && self->initial.count == points)
        return self->initial.entries;
    size_t given;
    const double *shape = dv_data_doubles(&self->initial_points, &given);
    return !self->initial.topology && given == points ? shape : NULL;
}

static void cut_quads(void *self, DvElements quads, DvConstVec rest, uint32_t *list)
{
    (void)self;
    (void)rest;
    for (uint32_t i = 0; i < quads.count; i++) {
        const uint32_t *q = quads.at + 4 * (size_t)i;
        memcpy(list + 6 * (size_t)i, (const uint32_t[6]){q[0], q[1], q[2], q[0], q[2], q[3]}, 6 * sizeof *list);
    }
}

static DvStatus build(void *self_, const DvElementSource *source)
{
    TriangleFEMForceField *self = self_;
    const DvStatus status =
        triangle_blocks_build(&self->common.blocks, dv_object_of(self), (TriangleMethod)dv_data_choice(&self->method),
                              source->rest.count, source->rest.at, source->elements.count, source->elements.at);
    if (status != DV_OK)
        return status;
    set_materials(self, NULL, source->elements.count);
    triangle_blocks_ready(&self->common.blocks, source->rest.at);
    return DV_OK;
}

static DvStatus update(void *self_, const DvElementSource *source, const DvMeshEdits *edits, bool *paired)
{
    TriangleFEMForceField *self = self_;
    const DvStatus status = triangle_blocks_update(&self->common.blocks, dv_object_of(self), edits,
                                                   &self->common.field.topology, source->rest.count, source->rest.at,
                                                   source->elements.count, source->elements.at, paired);
    if (status == DV_OK)
        set_materials(self, edits->elements.data, edits->elements.count);
    return status;
}

static const DvMeshForceFieldKind kind = {.need = "a container of triangles",
                                          .elements = DV_TRIANGLES,
                                          .coarse = DV_QUADS,
                                          .parts = 2,
                                          .cut = cut_quads,
                                          .shape = initial_shape,
                                          .build = build,
                                          .update = update,
                                          .clear = triangle_force_field_clear};

/* Method small is right of triangles in the x-y plane whose first edge lies along x. */
static void warn_of_small(TriangleFEMForceField *self)
{
    uint32_t wrong = 0, first = 0;
    const double *shape = initial_shape(self, self->common.blocks.mesh.points);
    if (!shape)
        shape = dv_state_read(self->common.field.base.state, DV_REST_POSITION).at;
    if (self->common.blocks.method != TRIANGLE_SMALL || !shape)
        return;
    for (uint32_t i = 0; i < self->common.blocks.mesh.elements; i++) {
        DvVec3 p[3];
        for (uint32_t n = 0; n < 3; n++)
            p[n] = dv_vec3_load(shape + 3 * (size_t)dv_element_blocks_point(&self->common.blocks.mesh, i, n));
        const DvVec3 b = dv_vec3_sub(p[1], p[0]), c = dv_vec3_sub(p[2], p[0]);
        if (fmax(fmax(fabs(b.y), fabs(b.z)), fabs(c.z)) > 1e-6 * (dv_vec3_norm(b) + dv_vec3_norm(c)) && wrong++ == 0)
            first = i;
    }
    if (wrong > 0)
        dv_field_warning(
            &self->method, -1,
            "the forces of %u of %u triangles are wrong, first of triangle %u: 'small' needs them in the x-y "
            "plane, each with its first edge along x; use 'linear'",
            wrong, self->common.blocks.mesh.elements, first);
}

static DvStatus reinit(DvObject *object, void *self_)
{
    (void)object;
    TriangleFEMForceField *self = self_;
    dv_element_materials_read(&self->common.field.materials);
    const DvStatus status = follow_initial_points(self);
    if (status == DV_OK)
        return dv_mesh_force_field_build(&self->common.field);
    dv_single_state_release(&self->common.field.base);
    return status;
}

static DvStatus init(DvObject *object, void *self_)
{
    TriangleFEMForceField *self = self_;
    DvStatus status =
        dv_mesh_force_field_begin(object, &self->common.field, &kind, &self->common.blocks.mesh, &self->material, NULL);
    if (status != DV_OK)
        return status;
    size_t given;
    dv_data_doubles(&self->initial_points, &given);
    const uint32_t points = dv_state_count(self->common.field.base.state);
    if (given > 0 && given != points) {
        dv_single_state_release(&self->common.field.base);
        return dv_field_error(&self->initial_points, -1, "holds %zu points, the state has %u", given, points);
    }
    self->initial_version = 0;
    status = reinit(object, self);
    if (status != DV_OK)
        return status;
    warn_of_small(self);
    dv_mesh_force_field_report(&self->common.field);
    return DV_OK;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    TriangleFEMForceField *self = self_;
    dv_element_data_detach(&self->initial);
    dv_mesh_force_field_release(&self->common.field);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    triangle_blocks_free(&((TriangleForceField *)self_)->blocks);
}

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)step;
    (void)v;
    TriangleFEMForceField *self = self_;
    if (dv_mesh_force_field_follow(&self->common.field, x->count) != DV_OK)
        return;
    triangle_blocks_force(&self->common.blocks, self, x, f);
}

static uint64_t matrix_version(void *self_)
{
    const TriangleFEMForceField *self = self_;
    return self->common.blocks.method == TRIANGLE_LINEAR ? self->common.field.structure + self->common.field.changed
                                                         : 0;
}

/* In the frames of x. */
static double energy(void *self_, const DvStep *step, const DvConstVec *x)
{
    (void)step;
    TriangleFEMForceField *self = self_;
    return x->count == self->common.blocks.mesh.points ? triangle_blocks_energy(&self->common.blocks, x) : 0.0;
}

static const DvForceFieldOps ops = {
    TRIANGLE_FORCE_FIELD_OPS,
    .add_force = add_force,
    .matrix_version = matrix_version,
    .energy = energy,
};

static void draw(void *self_, DvDraw *target)
{
    const TriangleFEMForceField *self = self_;
    triangle_blocks_draw(&self->common.blocks, target, self->common.field.base.state);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

static bool stress_model(void *self_, DvElementStressModel *model)
{
    TriangleFEMForceField *self = self_;
    return triangle_force_field_stress(&self->common, dv_data_double(&self->thickness),
                                       dv_data_bool(&self->plane_strain), model);
}

static const DvElementStressOps stress_ops = {.size = sizeof(DvElementStressOps), .model = stress_model};

const DvClass dv_triangle_fem_force_field = {
    .size = sizeof(DvClass),
    .name = "TriangleFEMForceField",
    .variants = "Vec3d",
    DV_FORCE_FIELD_CLASS("ForceField", "BaseLinearElasticityFEMForceField"),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .help = "Linear elastic membranes of triangles, with large rotations.",
    .instance_size = sizeof(TriangleFEMForceField),
    .fields = fields,
    TRIANGLE_FORCE_FIELD_CONTRACTS(ops, drawable, stress_ops),
    .init = init,
    .reinit = reinit,
    .cleanup = cleanup,
    .destroy = destroy,
};
