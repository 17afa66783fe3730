/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Force fields of solids: elements by element x law, with the life of elements on a mesh.
 */
#include <divan/kit/solid_force_field.h>

#include <divan/kit/element_names.h>

/* ---- Elements ---- */

/* Pairs that a mesh has for each element at least. */
static const uint32_t pairs[DV_ELEMENT_KINDS] = {
    [DV_EDGES] = 1,     [DV_TRIANGLES] = 1, [DV_QUADS] = 2,   [DV_TETRAHEDRA] = 1,
    [DV_HEXAHEDRA] = 4, [DV_PRISMS] = 2,    [DV_PYRAMIDS] = 2};

static DvStatus build(void *self_, const DvElementSource *source)
{
    DvSolidForceField *self = self_;
    DvSolidModel model = {.kind = self->kind.elements, .space = self->field.base.state.dof->coord, .context = self};
    const DvStatus status = self->model(self, &model);
    return status == DV_OK
               ? dv_solid_elements_build(&self->elements, dv_object_of(self), &model, &source->rest, source->elements)
               : status;
}

static DvStatus update(void *self_, const DvElementSource *source, const DvMeshEdits *edits, bool *paired)
{
    DvSolidForceField *self = self_;
    return dv_solid_elements_update(&self->elements, dv_object_of(self), edits, &self->field.topology, &source->rest,
                                    source->elements, paired);
}

static void clear(void *self)
{
    dv_solid_elements_free(&((DvSolidForceField *)self)->elements);
}

DvStatus dv_solid_force_field_parse(DvObject *object, void *self_, const DvAttributes *attributes)
{
    DvSolidForceField *self = self_;
    self->by_default = !dv_element_variant_is_given(object, attributes);
    return DV_OK;
}

static bool turns(const void *self_)
{
    const DvSolidModel *model = &((const DvSolidForceField *)self_)->elements.model;
    return model->kinematics == DV_FINITE_STRAIN ||
           (model->kinematics == DV_COROTATIONAL && model->rotation != DV_ROTATION_NONE);
}

DvStatus dv_solid_force_field_reinit(DvObject *object, void *self_)
{
    (void)object;
    DvSolidForceField *self = self_;
    if (self->field.materials.material)
        dv_element_materials_read(&self->field.materials);
    return dv_mesh_force_field_build(&self->field);
}

DvStatus dv_solid_force_field_init(DvObject *object, DvSolidForceField *self,
                                   DvStatus (*model)(void *self, DvSolidModel *model), DvElasticMaterial *material)
{
    const DvElementKind kind = dv_element_of_variant(object);
    self->model = model;
    self->kind = (DvMeshForceFieldKind){.need = dv_element_container(kind),
                                        .elements = kind,
                                        .pairs = pairs[kind],
                                        .build = build,
                                        .update = update,
                                        .clear = clear,
                                        .turns = turns};
    DvStatus status =
        dv_mesh_force_field_begin(object, &self->field, &self->kind, &self->elements.mesh, material, NULL);
    if (status == DV_OK)
        status = dv_solid_force_field_reinit(object, self);
    if (status != DV_OK)
        return status;
    if (self->by_default)
        dv_warn_of_default_elements(object, &self->field.topology, kind, self->field.base.state.dof);
    dv_mesh_force_field_report(&self->field);
    return DV_OK;
}

void dv_solid_force_field_lame(void *context, uint32_t element, double *parameters)
{
    const DvSolidForceField *self = context;
    const DvElementMaterial material = dv_element_material(&self->field.materials, element);
    const double young = material.young, poisson = material.poisson, dimensions = self->elements.model.space;
    parameters[0] = young * poisson / ((1.0 + poisson) * (1.0 - (dimensions - 1.0) * poisson));
    parameters[1] = dv_lame_mu(young, poisson);
}

/* elementStiffness, when somebody reads it. */
DvStatus dv_solid_force_field_update(DvObject *object, void *self_)
{
    (void)object;
    DvSolidForceField *self = self_;
    const DvSolidElements *solid = &self->elements;
    const uint32_t space = solid->model.space, nodes = solid->mesh.nodes, size = nodes * space;
    if (solid->mesh.elements > 0)
        dv_solid_elements_make_matrices(&self->elements, false);
    double *out = dv_data_begin_all(&self->element_stiffness, (size_t)solid->mesh.elements * size * size);
    for (uint32_t e = 0; e < solid->mesh.elements; e++)
        for (uint32_t n = 0; n < nodes; n++)
            for (uint32_t m = 0; m < nodes; m++)
                for (uint32_t i = 0; i < space; i++)
                    for (uint32_t j = 0; j < space; j++)
                        out[((size_t)e * size + n * space + i) * size + m * space + j] =
                            dv_solid_elements_stiffness(solid, e, n, m, i, j);
    dv_data_end(&self->element_stiffness);
    return DV_OK;
}

void dv_solid_force_field_destroy(DvObject *object, void *self)
{
    (void)object;
    clear(self);
    dv_element_operator_free(&((DvSolidForceField *)self)->described);
}

/* ---- Operations ---- */

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)step;
    (void)v;
    DvSolidForceField *self = self_;
    if (dv_mesh_force_field_follow(&self->field, x->count) == DV_OK)
        dv_solid_elements_add_force(&self->elements, x, f);
}

static void add_dforce(void *self_, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    (void)step;
    (void)b;
    DvSolidForceField *self = self_;
    if (dx->count == self->elements.mesh.points)
        dv_solid_elements_add_product(&self->elements, k, dx, df);
}

static void assemble(void *self, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    (void)step;
    (void)b;
    dv_solid_elements_assemble(&((DvSolidForceField *)self)->elements, k, view);
}

static uint64_t matrix_version(void *self_)
{
    const DvSolidForceField *self = self_;
    const DvSolidModel *model = &self->elements.model;
    return model->law && model->law->linear && model->kinematics == DV_SMALL_STRAIN
               ? self->field.structure + self->field.changed
               : 0;
}

static double energy(void *self_, const DvStep *step, const DvConstVec *x)
{
    (void)step;
    DvSolidForceField *self = self_;
    return x->count == self->elements.mesh.points ? dv_solid_elements_energy(&self->elements, x) : 0.0;
}

static void cost(void *self, double *product, double *assembly)
{
    dv_solid_elements_cost(&((const DvSolidForceField *)self)->elements, product, assembly);
}

const DvForceFieldOps dv_solid_force_field_ops = {
    .size = sizeof(DvForceFieldOps),
    .states = dv_single_state_states,
    .add_force = add_force,
    .add_dforce = add_dforce,
    .reserve = dv_mesh_force_field_reserve,
    .assemble = assemble,
    .structure = dv_mesh_force_field_structure,
    .matrix_version = matrix_version,
    .energy = energy,
    .cost = cost,
};

static bool stress_model(void *self_, DvElementStressModel *out)
{
    DvSolidForceField *self = self_;
    const DvSolidModel *model = &self->elements.model;
    if (!self->elements.mesh.elements || dv_shape_dimensions(model->kind) < 2)
        return false;
    *out = (DvElementStressModel){.field = &self->field,
                                  .kinematics = turns(self) ? model->kinematics : DV_SMALL_STRAIN,
                                  .law = model->law,
                                  .plane_stress = model->space == 2 && model->parameters == dv_solid_force_field_lame,
                                  .thickness = 1.0,
                                  .parameters = model->parameters,
                                  .context = model->context};
    return true;
}

const DvElementStressOps dv_solid_force_field_stress = {.size = sizeof(DvElementStressOps), .model = stress_model};

static double bound(void *self)
{
    return dv_solid_elements_bound(&((DvSolidForceField *)self)->elements);
}

const DvElementsCause dv_solid_force_field_cause = DV_ELEMENTS_CAUSE(.bound = bound);

static void draw(void *self_, DvDraw *target)
{
    DvSolidForceField *self = self_;
    const DvStateRef state = self->field.base.state;
    if (!dv_draw_shows(target, DV_DISPLAY_FORCE_FIELDS) || !state.ops || state.dof->coord != 3)
        return;
    const DvConstVec x = dv_state_read(state, DV_POSITION);
    if (x.count == self->elements.mesh.points)
        dv_solid_elements_draw(&self->elements, target, x.at, dv_data_double(&self->gap));
}

const DvDrawableOps dv_solid_force_field_drawable = {.size = sizeof(DvDrawableOps), .draw = draw};
