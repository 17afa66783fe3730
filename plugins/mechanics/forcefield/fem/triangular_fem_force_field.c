/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TriangularFEMForceField: linear elastic membranes of triangles in plane stress, of unit thickness, with large rotations; no bending.
 *
 * The method and its limits are described in triangle_blocks.h. With computePrincipalStress each force is followed by the stresses of
 * its triangles, sigma_1 >= sigma_2 in the plane, and by Hosford's equivalent stress
 *   ((|sigma_1|^n + |sigma_2|^n + |sigma_1 - sigma_2|^n) / 2)^(1/n)
 * (Hosford, A generalized isotropic yield criterion, 1972); a triangle may break where that is above criteriaValue.
 *
 * Materials, and shapes without stress that the scene gives, stay with their triangles when the mesh changes; other shapes are made
 * again from rest positions, where the mesh was touched.
 */
#include "forcefield/fem/triangle_force_field.h"

#include <divan/contracts/drawing.h>
#include <divan/element_data.h>
#include <divan/types/color_map.h>
#include <divan/types/matrix.h>

#include <string.h>

typedef struct TriangularFEMForceField {
    TriangleForceField common; /* first */
    DvElasticMaterial material;
    DvData method, rotated_initial_elements, initial_transformation, compute_principal_stress, hosford, criteria;
    DvData triangle_info, vertex_info;
    DvData show_stress_value, show_fracturable;

    DvElementData given;    /* GivenShape of each triangle, zero of new ones; not attached when the scene gives none */
    uint64_t given_version; /* of the fields then */
    double (*stress)[3], *first; /* room for stresses of `room` triangles */
    uint32_t room;
} TriangularFEMForceField;

typedef struct GivenShape {
    double edge[2][3], frame[6]; /* frame: x and y of the local axes in world axes, zero when none is given */
} GivenShape;

static const char *const methods[] = {"small", "large", NULL};
static const TriangleMethod method_of[] = {TRIANGLE_PLANAR, TRIANGLE_LARGE};

#define FIELD(member, name, type, ...) DV_FIELD(TriangularFEMForceField, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    DV_MESH_FORCE_FIELD_FIELDS(TriangularFEMForceField, common.field),
    DV_MATERIAL_FIELDS(TriangularFEMForceField, material, 0),
    FIELD(triangle_info, "triangleInfo", dv_type_vec3s, .unit = "Pa", .group = "stress",
          .flags = DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT,
          .help = "of each triangle, with computePrincipalStress: larger and smaller principal stress, Hosford's "
                  "equivalent stress less criteriaValue"),
    FIELD(vertex_info, "vertexInfo", dv_type_doubles, .unit = "Pa", .group = "stress",
          .flags = DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT,
          .help = "mean of the larger principal stress of the triangles around each point"),
    FIELD(method, "method", dv_type_choice, .init = "large", .choices = methods,
          .help =
              "frame of an element: none, in the x-y plane (small), or by an edge and its plane (large); matrices hold "
              "the stiffness of both"),
    FIELD(rotated_initial_elements, "rotatedInitialElements", dv_type_vec3s, .unit = "m",
          .flags = DV_FIELD_EMPTY_IS_DEFAULT,
          .help = "shapes without stress: three points of each triangle in its frame; those of the rest positions "
                  "when empty"),
    FIELD(initial_transformation, "initialTransformation", dv_type_mat3s, .flags = DV_FIELD_EMPTY_IS_DEFAULT,
          .help = "frame of each of these shapes, local to world; method large needs both"),
    FIELD(hosford, "hosfordExponant", dv_type_double, .init = "1", .range = &dv_range_positive,
          .flags = DV_FIELD_LENIENT, .group = "stress", .help = "exponent n of Hosford's equivalent stress"),
    FIELD(criteria, "criteriaValue", dv_type_double, .init = "1e15", .unit = "Pa", .range = &dv_range_not_negative,
          .flags = DV_FIELD_LENIENT, .group = "stress", .help = "equivalent stress from which a triangle may break"),
    FIELD(show_stress_value, "showStressValue", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,
          .help = "colour by stress"),
    DV_FIELD_HELD("showStressVector", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
                  .help = "kept for old scenes: directions of stress are not kept"),
    FIELD(show_fracturable, "showFracturableTriangles", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
          .help = "draw the triangles that may break"),
    FIELD(compute_principal_stress, "computePrincipalStress", dv_type_bool, .init = "0", .group = "stress",
          .help = "compute the stresses after each evaluation of the force"),
    {0},
};

static uint64_t version_of_given(TriangularFEMForceField *self)
{
    return dv_data_version(&self->rotated_initial_elements) + dv_data_version(&self->initial_transformation) +
           dv_data_version(&self->method);
}

/* From here on the triangles keep the shapes that the fields give them, whatever number they have. */
static DvStatus follow_given(TriangularFEMForceField *self)
{
    if (self->given_version == version_of_given(self))
        return DV_OK;
    self->given_version = version_of_given(self);
    dv_element_data_detach(&self->given);
    size_t points, frames;
    const double *at = dv_data_doubles(&self->rotated_initial_elements, &points);
    const double *frame = dv_data_doubles(&self->initial_transformation, &frames);
    const uint32_t triangles = dv_topology_elements(&self->common.field.topology, DV_TRIANGLES).count;
    const bool large = method_of[dv_data_choice(&self->method)] == TRIANGLE_LARGE;
    if (points == 0 || (large && frames == 0))
        return DV_OK;
    if (points != 3 * (size_t)triangles)
        return dv_field_error(&self->rotated_initial_elements, -1,
                              "holds %zu points for %u triangles; give three of each", points, triangles);
    if (large && frames != triangles)
        return dv_field_error(&self->initial_transformation, -1, "holds %zu frames for %u triangles; give one of each",
                              frames, triangles);
    self->given = (DvElementData){.kind = DV_TRIANGLES, .entry_size = sizeof(GivenShape)};
    const DvStatus status = dv_element_data_attach(&self->given, self->common.field.topology.object);
    for (uint32_t i = 0; i < triangles && status == DV_OK; i++) {
        GivenShape *shape = dv_element_data_entry(&self->given, i);
        for (int c = 0; c < 6; c++)
            shape->edge[c / 3][c % 3] = at[9 * (size_t)i + 3 + (size_t)c] - at[9 * (size_t)i + (size_t)(c % 3)];
        for (int c = 0; large && c < 6; c++)
            shape->frame[c] = frame[9 * (size_t)i + (size_t)(3 * (c % 3) + c / 3)];
    }
    return status;
}

static void set_given_shape(TriangularFEMForceField *self, uint32_t triangle)
{
    static const GivenShape none;
    if (!self->given.topology || triangle >= self->given.count)
        return;
    const GivenShape *shape = dv_element_data_entry(&self->given, triangle);
    if (memcmp(shape, &none, sizeof none) != 0)
        triangle_blocks_set_rest(&self->common.blocks, triangle, (const double(*)[3])shape->edge,
                                 self->common.blocks.method == TRIANGLE_LARGE ? shape->frame : NULL);
}

static void set_material(TriangularFEMForceField *self, uint32_t triangle)
{
    const DvElementMaterial m = dv_element_material(&self->common.field.materials, triangle);
    triangle_blocks_set_material(&self->common.blocks, triangle, 1.0, dv_lame_lambda_plane_stress(m.young, m.poisson),
                                 dv_lame_mu(m.young, m.poisson));
}

static void make_room(TriangularFEMForceField *self, uint32_t triangles)
{
    if (self->stress && triangles <= self->room)
        return;
    dv_free(self->stress);
    dv_free(self->first);
    self->stress = dv_alloc(triangles, sizeof *self->stress);
    self->first = dv_alloc(triangles, sizeof *self->first);
    self->room = triangles;
}

static DvStatus build(void *self_, const DvElementSource *source)
{
    TriangularFEMForceField *self = self_;
    const DvStatus status =
        triangle_blocks_build(&self->common.blocks, dv_object_of(self), method_of[dv_data_choice(&self->method)],
                              source->rest.count, source->rest.at, source->elements.count, source->elements.at);
    if (status != DV_OK)
        return status;
    for (uint32_t i = 0; i < source->elements.count; i++) {
        set_given_shape(self, i);
        set_material(self, i);
    }
    triangle_blocks_ready(&self->common.blocks, source->rest.at);
    make_room(self, source->elements.count);
    return DV_OK;
}

/* What a touched triangle has beside its points; its neighbours in the block have lost shapes that were given to them. */
static void set_again(TriangularFEMForceField *self, uint32_t triangle)
{
    const uint32_t first = triangle / DV_LANES * DV_LANES;
    for (uint32_t i = first; self->given.topology && i < first + DV_LANES && i < self->common.blocks.mesh.elements; i++)
        set_given_shape(self, i);
    set_material(self, triangle);
}

static DvStatus update(void *self_, const DvElementSource *source, const DvMeshEdits *edits, bool *paired)
{
    TriangularFEMForceField *self = self_;
    const uint32_t triangles = source->elements.count;
    const DvStatus status =
        triangle_blocks_update(&self->common.blocks, dv_object_of(self), edits, &self->common.field.topology,
                               source->rest.count, source->rest.at, triangles, source->elements.at, paired);
    if (status != DV_OK)
        return status;
    for (uint32_t i = 0; i < edits->elements.count; i++)
        set_again(self, edits->elements.data[i]);
    if (triangles > 0)
        set_again(self, triangles - 1); /* its block is made again too */
    make_room(self, triangles);
    return DV_OK;
}

static const DvMeshForceFieldKind kind = {.need = "a container of triangles",
                                          .elements = DV_TRIANGLES,
                                          .build = build,
                                          .update = update,
                                          .clear = triangle_force_field_clear};

static DvStatus reinit(DvObject *object, void *self_)
{
    (void)object;
    TriangularFEMForceField *self = self_;
    dv_element_materials_read(&self->common.field.materials);
    const DvStatus status = follow_given(self);
    if (status == DV_OK)
        return dv_mesh_force_field_build(&self->common.field);
    dv_single_state_release(&self->common.field.base);
    return status;
}

static DvStatus init(DvObject *object, void *self_)
{
    TriangularFEMForceField *self = self_;
    self->given_version = UINT64_MAX;
    DvStatus status =
        dv_mesh_force_field_begin(object, &self->common.field, &kind, &self->common.blocks.mesh, &self->material, NULL);
    if (status == DV_OK)
        status = reinit(object, self);
    if (status == DV_OK)
        dv_mesh_force_field_report(&self->common.field);
    return status;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    TriangularFEMForceField *self = self_;
    dv_element_data_detach(&self->given);
    dv_mesh_force_field_release(&self->common.field);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    TriangularFEMForceField *self = self_;
    triangle_blocks_free(&self->common.blocks);
    dv_free(self->stress);
    dv_free(self->first);
}

static double hosford_stress(double first, double second, double exponent)
{
    const double sum = pow(fabs(first), exponent) + pow(fabs(second), exponent) + pow(fabs(first - second), exponent);
    return pow(0.5 * sum, 1.0 / exponent);
}

static void update_stresses(TriangularFEMForceField *self, const DvConstVec *x)
{
    const uint32_t triangles = self->common.blocks.mesh.elements;
    const double exponent = dv_data_double(&self->hosford), limit = dv_data_double(&self->criteria);
    triangle_blocks_stress(&self->common.blocks, x, self->stress);
    double *info = dv_data_begin_all(&self->triangle_info, triangles);
    for (uint32_t i = 0; i < triangles; i++) {
        const double *s = self->stress[i];
        const double mean = 0.5 * (s[0] + s[1]), radius = hypot(0.5 * (s[0] - s[1]), s[2]);
        info[3 * (size_t)i] = self->first[i] = mean + radius;
        info[3 * (size_t)i + 1] = mean - radius;
        info[3 * (size_t)i + 2] = hosford_stress(mean + radius, mean - radius, exponent) - limit;
    }
    dv_data_end(&self->triangle_info);
    dv_element_blocks_mean(&self->common.blocks.mesh, self->first,
                           dv_data_begin_all(&self->vertex_info, self->common.blocks.mesh.points));
    dv_data_end(&self->vertex_info);
}

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)step;
    (void)v;
    TriangularFEMForceField *self = self_;
    if (dv_mesh_force_field_follow(&self->common.field, x->count) != DV_OK)
        return;
    triangle_blocks_force(&self->common.blocks, self, x, f);
    if (dv_data_bool(&self->compute_principal_stress))
        update_stresses(self, x);
}

static const DvForceFieldOps ops = {
    TRIANGLE_FORCE_FIELD_OPS,
    .add_force = add_force,
};

/* Triangles in the colours of the mean stress at their points, blue at the smallest, red at the largest; those that may break in
 * yellow. */
static void draw_stress(TriangularFEMForceField *self, DvDraw *target, const double *x)
{
    static const double yellow[1][4] = {{1.0, 1.0, 0.0, 1.0}};
    const DvElementBlocks *mesh = &self->common.blocks.mesh;
    size_t triangles, points;
    const double *info = dv_data_doubles(&self->triangle_info, &triangles);
    const double *stress = dv_data_doubles(&self->vertex_info, &points);
    if (triangles != mesh->elements || points != mesh->points || points == 0)
        return;
    uint32_t *corner = dv_alloc(mesh->elements ? mesh->elements : 1, 3 * sizeof *corner);
    uint32_t broken = 0;
    for (uint32_t e = 0; e < mesh->elements; e++)
        for (uint32_t n = 0; n < 3; n++)
            corner[3 * (size_t)e + n] = dv_element_blocks_point(mesh, e, n);
    if (dv_data_bool(&self->show_stress_value)) {
        double palette[4 * DV_USUAL_PALETTE], least = stress[0], most = stress[0];
        double *colors = dv_alloc(points, 4 * sizeof *colors);
        dv_color_palette(dv_color_scheme("Blue to Red"), palette, DV_USUAL_PALETTE);
        for (size_t i = 0; i < points; i++) {
            least = stress[i] < least ? stress[i] : least;
            most = stress[i] > most ? stress[i] : most;
        }
        for (size_t i = 0; i < points; i++)
            dv_color_of_value(palette, DV_USUAL_PALETTE, least, most, stress[i], colors + 4 * i);
        dv_draw_elements(target, DV_TRIANGLES, (DvElements){.at = corner, .count = mesh->elements}, x, mesh->points,
                         &(DvElementStyle){.point_colors = colors});
        dv_free(colors);
    }
    for (uint32_t e = 0; e < mesh->elements; e++)
        if (info[3 * (size_t)e + 2] > 0.0)
            memmove(corner + 3 * (size_t)broken++, corner + 3 * (size_t)e, 3 * sizeof *corner);
    if (dv_data_bool(&self->show_fracturable))
        dv_draw_elements(target, DV_TRIANGLES, (DvElements){.at = corner, .count = broken}, x, mesh->points,
                         &(DvElementStyle){.colors = yellow, .color_count = 1});
    dv_free(corner);
}

static void draw(void *self_, DvDraw *target)
{
    TriangularFEMForceField *self = self_;
    const bool asked = dv_data_bool(&self->show_stress_value) || dv_data_bool(&self->show_fracturable);
    if (!dv_draw_shows(target, DV_DISPLAY_FORCE_FIELDS) || !self->common.field.base.state.ops)
        return;
    const DvConstVec x = dv_state_read(self->common.field.base.state, DV_POSITION);
    if (asked && dv_data_bool(&self->compute_principal_stress) && x.count == self->common.blocks.mesh.points)
        draw_stress(self, target, x.at);
    else
        triangle_blocks_draw(&self->common.blocks, target, self->common.field.base.state);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

static bool stress_model(void *self_, DvElementStressModel *model)
{
    TriangularFEMForceField *self = self_;
    return triangle_force_field_stress(&self->common, 1.0, false, model);
}

static const DvElementStressOps stress_ops = {.size = sizeof(DvElementStressOps), .model = stress_model};

const DvClass dv_triangular_fem_force_field = {
    .size = sizeof(DvClass),
    .name = "TriangularFEMForceField",
    .variants = "Vec3d",
    DV_FORCE_FIELD_CLASS("ForceField", "BaseLinearElasticityFEMForceField"),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .help = "Linear elastic membranes of triangles, with large rotations and their stresses.",
    .instance_size = sizeof(TriangularFEMForceField),
    .fields = fields,
    TRIANGLE_FORCE_FIELD_CONTRACTS(ops, drawable, stress_ops),
    .init = init,
    .reinit = reinit,
    .cleanup = cleanup,
    .destroy = destroy,
};
