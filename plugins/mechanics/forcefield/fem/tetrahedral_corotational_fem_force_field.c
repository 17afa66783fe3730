/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TetrahedralCorotationalFEMForceField: linear elastic tetrahedra with large rotations.
 *
 * The method and its limits are described in tetrahedron_blocks.h; `method` chooses the frame. Each element keeps its material when
 * the topology changes: materials are data attached to the tetrahedra, shapes are made again from rest positions.
 */
#include "forcefield/fem/tetrahedron_force_field.h"
#include <divan/types/color.h>
#include <divan/types/matrix.h>

#include <string.h>

typedef struct TetrahedralCorotationalFEMForceField {
    TetrahedronForceField common; /* first */
    DvElasticMaterial material;
    DvData tetrahedron_info, method, local_stiffness_factor, update_stiffness_matrix;
    DvData compute_von_mises_stress, von_mises_per_element, von_mises_per_node, stressed;
    DvData drawing, draw_color[4];
    double *x; /* [points] m, of the last force: whose stresses are asked for */
    uint32_t x_count, x_capacity;
} TetrahedralCorotationalFEMForceField;

static const char *const methods[] = {"small", "large", "polar", "exact", NULL};
static const TetrahedronMethod method_of[] = {TETRAHEDRON_SMALL, TETRAHEDRON_LARGE, TETRAHEDRON_POLAR,
                                              TETRAHEDRON_EXACT};

#define FIELD(member, name, type, ...) DV_FIELD(TetrahedralCorotationalFEMForceField, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    DV_MESH_FORCE_FIELD_FIELDS(TetrahedralCorotationalFEMForceField, common.field),
    DV_MATERIAL_FIELDS(TetrahedralCorotationalFEMForceField, material, 0),
    FIELD(tetrahedron_info, "tetrahedronInfo", dv_type_mat3s,
          .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN | DV_FIELD_OUTPUT,
          .help = "frame of each tetrahedron at rest, local to world"),
    FIELD(
        method, "method", dv_type_choice, .init = "large", .choices = methods,
        .help =
            "frame of an element: none (small), by an edge and a face (large), by polar decomposition of its edges (polar), "
            "both with forces that depend on the order of its points where strains are large and whose torque changes "
            "the angular momentum; the rotation of its deformation, with the force and stiffness of its energy (exact)"),
    FIELD(local_stiffness_factor, "localStiffnessFactor", dv_type_doubles, .range = &dv_range_not_negative,
          .flags = DV_FIELD_LENIENT | DV_FIELD_EMPTY_IS_DEFAULT, .group = "material",
          .help = "factors of Young's modulus, spread evenly over the elements"),
    FIELD(update_stiffness_matrix, "updateStiffnessMatrix", dv_type_bool, .init = "0",
          .help = "take the gradients from the current shape of the element"),
    DV_FIELD_HELD("computeGlobalMatrix", dv_type_bool, .init = "0",
                  .aliases = (const char *const[]){"assembling", NULL},
                  .help = "kept for old scenes: forces are the same, and matrices are assembled when a solver asks"),
    FIELD(compute_von_mises_stress, "computeVonMisesStress", dv_type_bool, .init = "0", .group = "stress",
          .help = "compute the von Mises stress after each evaluation of the force"),
    FIELD(von_mises_per_element, "vonMisesPerElement", dv_type_doubles, .unit = "Pa", .group = "stress",
          .flags = DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT, .help = "von Mises stress of each tetrahedron"),
    FIELD(von_mises_per_node, "vonMisesPerNode", dv_type_doubles, .unit = "Pa", .group = "stress",
          .flags = DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT,
          .help = "mean von Mises stress of the tetrahedra around each point"),
    FIELD(stressed, "stressed", dv_type_bool, .init = "0", .flags = DV_FIELD_HIDDEN | DV_FIELD_INPUT,
          .help = "internal: stresses follow from it, which are computed when somebody reads them"),
    FIELD(drawing, "drawing", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING, .help = "draw the elements"),
    FIELD(draw_color[0], "drawColor1", dv_type_color, .init = "0 0 1 1", .flags = DV_FIELD_DRAWING,
          .help = "of the first faces"),
    FIELD(draw_color[1], "drawColor2", dv_type_color, .init = "0 0.5 1 1", .flags = DV_FIELD_DRAWING,
          .help = "of the second faces"),
    FIELD(draw_color[2], "drawColor3", dv_type_color, .init = "0 1 1 1", .flags = DV_FIELD_DRAWING,
          .help = "of the third faces"),
    FIELD(draw_color[3], "drawColor4", dv_type_color, .init = "0.5 1 1 1", .flags = DV_FIELD_DRAWING,
          .help = "of the fourth faces"),
    {0},
};

static void set_element(TetrahedralCorotationalFEMForceField *self, uint32_t element, double *frame)
{
    const DvElementMaterial material = dv_element_material(&self->common.field.materials, element);
    tetrahedron_blocks_set_material(&self->common.blocks, element, material.young, material.poisson);
    for (uint32_t c = 0; c < 9; c++)
        frame[9 * (size_t)element + c] =
            self->common.blocks.frame[element / DV_LANES][c % 3][c / 3][element % DV_LANES];
}

static DvStatus build(void *self_, const DvElementSource *source)
{
    TetrahedralCorotationalFEMForceField *self = self_;
    const DvElements tetrahedra = source->elements;
    const TetrahedronUpdate update = dv_data_bool(&self->update_stiffness_matrix) ? UPDATE_ALL_STRAINS : UPDATE_NONE;
    const DvStatus status =
        tetrahedron_blocks_build(&self->common.blocks, dv_object_of(self), method_of[dv_data_choice(&self->method)],
                                 update, source->rest.count, source->rest.at, tetrahedra.count, tetrahedra.at);
    if (status != DV_OK)
        return status;
    double *frame = dv_data_begin_all(&self->tetrahedron_info, tetrahedra.count);
    for (uint32_t i = 0; i < tetrahedra.count; i++)
        set_element(self, i, frame);
    dv_data_end(&self->tetrahedron_info);
    return DV_OK;
}

static DvStatus update_elements(void *self_, const DvElementSource *source, const DvMeshEdits *edits, bool *paired)
{
    TetrahedralCorotationalFEMForceField *self = self_;
    const DvElements tetrahedra = source->elements;
    const DvStatus status =
        tetrahedron_blocks_update(&self->common.blocks, dv_object_of(self), edits, &self->common.field.topology,
                                  source->rest.count, source->rest.at, tetrahedra.count, tetrahedra.at, paired);
    if (status != DV_OK)
        return status;
    double *frame = dv_data_begin(&self->tetrahedron_info, tetrahedra.count);
    for (uint32_t i = 0; i < edits->elements.count; i++)
        set_element(self, edits->elements.data[i], frame);
    dv_data_end(&self->tetrahedron_info);
    return DV_OK;
}

static const DvMeshForceFieldKind kind = {.need = "a container of tetrahedra",
                                          .elements = DV_TETRAHEDRA,
                                          .pairs = TETRAHEDRON_PAIRS,
                                          .build = build,
                                          .update = update_elements,
                                          .clear = tetrahedron_force_field_clear,
                                          .turns = tetrahedron_force_field_turns};

static DvStatus reinit(DvObject *object, void *self_)
{
    (void)object;
    TetrahedralCorotationalFEMForceField *self = self_;
    dv_element_materials_read(&self->common.field.materials);
    if (method_of[dv_data_choice(&self->method)] != TETRAHEDRON_EXACT || !dv_data_bool(&self->update_stiffness_matrix))
        return dv_mesh_force_field_build(&self->common.field);
    dv_single_state_release(&self->common.field.base);
    return dv_field_error(&self->update_stiffness_matrix, -1,
                          "method 'exact' has the gradients of the rest shape; use another method, or 0");
}

static DvStatus init(DvObject *object, void *self_)
{
    TetrahedralCorotationalFEMForceField *self = self_;
    DvStatus status = dv_mesh_force_field_begin(object, &self->common.field, &kind, &self->common.blocks.mesh,
                                                &self->material, &self->local_stiffness_factor);
    if (status == DV_OK)
        status = reinit(object, self);
    if (status == DV_OK)
        dv_mesh_force_field_report(&self->common.field);
    return status;
}

/* Keeps where the stresses are, for who will read them. */
static void note_stress(TetrahedralCorotationalFEMForceField *self, const DvConstVec *x)
{
    if (x->count > self->x_capacity) {
        dv_free(self->x);
        self->x_capacity = x->count + x->count / 4;
        self->x = dv_alloc(3 * (size_t)self->x_capacity, sizeof *self->x);
    }
    memcpy(self->x, x->at, 3 * (size_t)x->count * sizeof *self->x);
    self->x_count = x->count;
    dv_data_touch(&self->stressed);
}

static DvStatus update(DvObject *object, void *self_)
{
    (void)object;
    TetrahedralCorotationalFEMForceField *self = self_;
    const DvElementBlocks *mesh = &self->common.blocks.mesh;
    const DvConstVec x = {self->x, self->x_count, 3};
    if (x.count == 0 || x.count != mesh->points)
        return DV_OK;
    double *element = dv_data_begin_all(&self->von_mises_per_element, mesh->elements);
    double *node = dv_data_begin_all(&self->von_mises_per_node, mesh->points);
    tetrahedron_blocks_von_mises(&self->common.blocks, self->common.blocks.method, STRAIN_LOCAL, &x, element);
    dv_element_blocks_mean(mesh, element, node);
    dv_data_end(&self->von_mises_per_element);
    dv_data_end(&self->von_mises_per_node);
    return DV_OK;
}

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)step;
    (void)v;
    TetrahedralCorotationalFEMForceField *self = self_;
    if (dv_mesh_force_field_follow(&self->common.field, x->count) != DV_OK)
        return;
    tetrahedron_blocks_force(&self->common.blocks, NULL, x, f);
    if (dv_data_bool(&self->compute_von_mises_stress))
        note_stress(self, x);
}

static double energy(void *self_, const DvStep *step, const DvConstVec *x)
{
    (void)step;
    TetrahedralCorotationalFEMForceField *self = self_;
    return x->count == self->common.blocks.mesh.points ? tetrahedron_blocks_energy(&self->common.blocks, NULL, x) : 0.0;
}

static const DvForceFieldOps ops = {
    TETRAHEDRON_FORCE_FIELD_OPS,
    .add_force = add_force,
    .energy = energy,
};

static void draw(void *self_, DvDraw *target)
{
    TetrahedralCorotationalFEMForceField *self = self_;
    if (!dv_draw_shows(target, DV_DISPLAY_FORCE_FIELDS) || !self->common.field.base.state.ops ||
        !dv_data_bool(&self->drawing))
        return;
    const DvConstVec x = dv_state_read(self->common.field.base.state, DV_POSITION);
    if (x.count != self->common.blocks.mesh.points)
        return;
    double color[4][4];
    for (int c = 0; c < 4; c++)
        memcpy(color[c], dv_data_doubles(&self->draw_color[c], NULL), sizeof color[c]);
    tetrahedron_blocks_draw(&self->common.blocks, target, x.at, 0.0, (const double(*)[4])color);
}

static void destroy(DvObject *object, void *self_)
{
    TetrahedralCorotationalFEMForceField *self = self_;
    dv_free(self->x);
    tetrahedron_force_field_destroy(object, self);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

static const DvElementStressOps stress = {.size = sizeof(DvElementStressOps), .model = tetrahedron_force_field_stress};

static uint64_t operator_version(void *self_)
{
    TetrahedralCorotationalFEMForceField *self = self_;
    return 2 * tetrahedron_force_field_operator_version(self) + dv_data_bool(&self->compute_von_mises_stress);
}

static void describe_operator(void *self_, DvOperator *out)
{
    TetrahedralCorotationalFEMForceField *self = self_;
    if (dv_data_bool(&self->compute_von_mises_stress))
        out->why = "computeVonMisesStress takes positions on the host";
    else
        tetrahedron_force_field_describe(self, out);
}

static const DvOperatorOps operator_ops = {
    .size = sizeof(DvOperatorOps), .version = operator_version, .describe = describe_operator};

const DvClass dv_tetrahedral_corotational_fem_force_field = {
    .size = sizeof(DvClass),
    .name = "TetrahedralCorotationalFEMForceField",
    .variants = "Vec3d",
    DV_FORCE_FIELD_CLASS("ForceField", "BaseLinearElasticityFEMForceField"),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .help = "Linear elastic tetrahedra with large rotations.",
    .instance_size = sizeof(TetrahedralCorotationalFEMForceField),
    .fields = fields,
    TETRAHEDRON_FORCE_FIELD_CONTRACTS(ops, drawable, stress, operator_ops),
    .init = init,
    .reinit = reinit,
    .update = update,
    .cleanup = dv_mesh_force_field_cleanup,
    .destroy = destroy,
};
