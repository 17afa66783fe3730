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
#include <divan/kit/element_faults.h>

#include <divan/element_data.h>
#include <string.h>

typedef struct TriangleFEMForceField {
    TriangleForceField common; /* first */
    DvLink topology_link;
    DvElasticMaterial material;
    DvData initial_points, method, thickness, plane_strain;

    DvElementData initial;    /* what initialPoints held, of each point; not attached when it is empty */
    uint64_t initial_version; /* of the field then */
    bool from_quads;
    uint64_t edited; /* + 1 when numbers of the matrix have become others */
} TriangleFEMForceField;

static const char *const methods[] = {"small", "large", "linear", "exact", NULL}; /* as TriangleMethod */

#define FIELD(member, name, type, ...) DV_FIELD(TriangleFEMForceField, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    DV_SINGLE_STATE_FIELDS(TriangleFEMForceField, common.base),
    DV_KEPT_PAIRS_FIELD(TriangleFEMForceField, common.kept_pairs),
    DV_LINK(TriangleFEMForceField, topology_link, "topology", DV_TOPOLOGY, .help = "mesh; that of the node by default"),
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
        const DvElementMaterial material = dv_element_material(&self->common.materials, triangle);
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
    if (given == 0 || self->common.topology.ops->point_count(self->common.topology.self) != given)
        return DV_OK;
    self->initial = (DvElementData){.kind = DV_POINTS, .entry_size = 3 * sizeof *at, .interpolate = true};
    const DvStatus status = dv_element_data_attach(&self->initial, self->common.topology.object);
    if (status == DV_OK)
        memcpy(self->initial.entries, at, given * self->initial.entry_size);
    return status;
}

/* Where the shape without stress is. */
static DvStatus initial_shape(TriangleFEMForceField *self, uint32_t points, const double **shape)
{
    if (self->initial.topology && self->initial.count == points) {
        *shape = self->initial.entries;
        return DV_OK;
    }
    size_t given;
    *shape = dv_data_doubles(&self->initial_points, &given);
    if (!self->initial.topology && given == points)
        return DV_OK;
    DvConstVec rest;
    const DvStatus status = dv_state_at_rest(dv_object_of(self), self->common.base.state, &rest);
    *shape = rest.at;
    return status;
}

static DvStatus build(TriangleFEMForceField *self)
{
    self->common.structure++;
    DvElements triangles = dv_topology_elements(&self->common.topology, DV_TRIANGLES);
    uint32_t *cut = NULL;
    if (self->from_quads) {
        const DvElements quads = dv_topology_elements(&self->common.topology, DV_QUADS);
        triangles.at = cut = dv_alloc((size_t)quads.count * 2, 3 * sizeof *cut);
        triangles.count = 2 * quads.count;
        for (uint32_t i = 0; i < quads.count; i++) {
            const uint32_t *q = quads.at + 4 * (size_t)i;
            memcpy(cut + 6 * (size_t)i, (const uint32_t[6]){q[0], q[1], q[2], q[0], q[2], q[3]}, 6 * sizeof *cut);
        }
    }
    const uint32_t points = dv_state_count(self->common.base.state);
    DvStatus status = dv_element_materials_agree(&self->common.materials, triangles.count);
    const double *rest = NULL;
    if (status == DV_OK)
        status = initial_shape(self, points, &rest);
    if (status == DV_OK)
        status = triangle_blocks_build(&self->common.blocks, dv_object_of(self),
                                       (TriangleMethod)dv_data_choice(&self->method), points, rest, triangles.count,
                                       triangles.at);
    dv_free(cut);
    dv_mesh_edits_clear(&self->common.edits);
    if (status != DV_OK)
        return status;
    set_materials(self, NULL, triangles.count);
    triangle_blocks_ready(&self->common.blocks, rest);
    return DV_OK;
}

static DvStatus take_edits(TriangleFEMForceField *self)
{
    const DvElements triangles = dv_topology_elements(&self->common.topology, DV_TRIANGLES);
    const uint32_t points = dv_state_count(self->common.base.state);
    const double *rest = NULL;
    bool paired = true;
    DvMeshEdits *edits = &self->common.edits;
    DvStatus status = initial_shape(self, points, &rest);
    dv_mesh_edits_sort(edits, points, triangles.count);
    if (status == DV_OK)
        status = triangle_blocks_update(&self->common.blocks, dv_object_of(self), edits, &self->common.topology, points,
                                        rest, triangles.count, triangles.at, &paired);
    if (status == DV_OK)
        set_materials(self, edits->elements.data, edits->elements.count);
    else
        triangle_blocks_free(&self->common.blocks);
    dv_mesh_edits_clear(edits);
    self->common.structure += status != DV_OK || !paired;
    self->edited++;
    return status;
}

/* The blocks are those of the mesh and of a state of `points` points. */
static DvStatus follow_mesh(TriangleFEMForceField *self, uint32_t points)
{
    const bool rewritten = dv_topology_rewritten(&self->common.topology);
    if (rewritten || self->common.edits.all ||
        (self->common.edits.any && (self->from_quads || self->common.blocks.mesh.elements == 0)))
        return build(self);
    const DvStatus status = self->common.edits.any ? take_edits(self) : DV_OK;
    return status == DV_OK && points != self->common.blocks.mesh.points ? build(self) : status;
}

/* Method small is right of triangles in the x-y plane whose first edge lies along x. */
static void warn_of_small(TriangleFEMForceField *self)
{
    uint32_t wrong = 0, first = 0;
    const double *shape = NULL;
    if (self->common.blocks.method != TRIANGLE_SMALL ||
        initial_shape(self, self->common.blocks.mesh.points, &shape) != DV_OK)
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
    dv_element_materials_read(&self->common.materials);
    DvStatus status = follow_initial_points(self);
    if (status == DV_OK)
        status = build(self);
    if (status != DV_OK)
        dv_single_state_release(&self->common.base);
    return status;
}

static DvStatus init(DvObject *object, void *self_)
{
    TriangleFEMForceField *self = self_;
    DvStatus status = dv_single_state_init(object, &self->common.base);
    if (status == DV_OK)
        status = dv_topology_require(object, &self->topology_link, "a container of triangles", &self->common.topology);
    if (status == DV_OK && dv_topology_elements(&self->common.topology, DV_TRIANGLES).count == 0 &&
        dv_topology_elements(&self->common.topology, DV_QUADS).count == 0)
        dv_warning(object, "the topology '%s' has neither triangles nor quads",
                   dv_object_path(self->common.topology.object));
    size_t given;
    dv_data_doubles(&self->initial_points, &given);
    if (status == DV_OK && given > 0 && given != dv_state_count(self->common.base.state))
        status = dv_field_error(&self->initial_points, -1, "holds %zu points, the state has %u", given,
                                dv_state_count(self->common.base.state));
    if (status == DV_OK) {
        self->from_quads = dv_topology_elements(&self->common.topology, DV_TRIANGLES).count == 0 &&
                           dv_topology_elements(&self->common.topology, DV_QUADS).count > 0;
        self->initial_version = 0;
        status =
            dv_element_materials_attach(&self->common.materials, &self->material, NULL, self->common.topology.object,
                                        self->from_quads ? DV_QUADS : DV_TRIANGLES, self->from_quads ? 2 : 1);
    }
    self->common.blocks.mesh.kept = dv_kept_pairs_note(&self->common.kept_pairs, &self->common.edits);
    if (status == DV_OK)
        status = dv_mesh_edits_attach(&self->common.edits, self->common.topology.object,
                                      self->from_quads ? DV_QUADS : DV_TRIANGLES);
    if (status != DV_OK) {
        dv_single_state_release(&self->common.base);
        return status;
    }
    status = reinit(object, self);
    if (status != DV_OK)
        return status;
    warn_of_small(self);
    DvConstVec rest;
    const DvElementKind kind = self->from_quads ? DV_QUADS : DV_TRIANGLES;
    if (dv_state_at_rest(object, self->common.base.state, &rest) == DV_OK)
        dv_element_faults_report(object, &self->common.topology, kind,
                                 dv_topology_elements(&self->common.topology, kind), rest);
    return status;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    TriangleFEMForceField *self = self_;
    dv_element_data_detach(&self->initial);
    triangle_force_field_release(&self->common);
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
    if (follow_mesh(self, x->count) != DV_OK)
        return;
    triangle_blocks_force(&self->common.blocks, self, x, f);
}

static uint64_t matrix_version(void *self_)
{
    const TriangleFEMForceField *self = self_;
    return self->common.blocks.method == TRIANGLE_LINEAR ? self->common.structure + self->edited : 0;
}

/* In the frames of x. */
static double energy(void *self_, const DvStep *step, const DvConstVec *x)
{
    (void)step;
    TriangleFEMForceField *self = self_;
    return x->count == self->common.blocks.mesh.points ? triangle_blocks_energy(&self->common.blocks, x) : 0.0;
}

static const DvForceFieldOps ops = {
    .size = sizeof ops,
    .states = dv_single_state_states,
    .add_force = add_force,
    .add_dforce = triangle_force_field_add_dforce,
    .reserve = triangle_force_field_reserve,
    .assemble = triangle_force_field_assemble,
    .structure = triangle_force_field_structure,
    .matrix_version = matrix_version,
    .energy = energy,
    .cost = triangle_force_field_cost,
};

static void draw(void *self_, DvDraw *target)
{
    const TriangleFEMForceField *self = self_;
    triangle_blocks_draw(&self->common.blocks, target, self->common.base.state);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_triangle_fem_force_field = {
    .size = sizeof(DvClass),
    .name = "TriangleFEMForceField",
    .variants = "Vec3d",
    DV_FORCE_FIELD_CLASS("ForceField", "BaseLinearElasticityFEMForceField"),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .help = "Linear elastic membranes of triangles, with large rotations.",
    .instance_size = sizeof(TriangleFEMForceField),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_FORCE_FIELD, .ops = &ops},
                                      {.id = DV_FAULT_CAUSE, .ops = &triangle_force_field_cause},
                                      {.id = DV_DRAWABLE, .ops = &drawable},
                                      {0}},
    .init = init,
    .reinit = reinit,
    .cleanup = cleanup,
    .destroy = destroy,
};
