/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TetrahedronFEMForceField: linear elastic tetrahedra with large rotations, plasticity and von Mises stress.
 *
 * Elements are the tetrahedra of the topology or, when it has none, its hexahedra cut into six each. The method and its limits are
 * described in tetrahedron_blocks.h; `method` chooses the frame. When plasticMaxThreshold is positive, the strain of an element
 * (times 6 V) has a plastic part p: with e = s - p,
 *   |e| > plasticYieldThreshold:  p += plasticCreep e;   |p| > plasticMaxThreshold: p is cut to it;   s - p acts
 * evaluated once in each force; p is part of the saved state. Mueller and Gross, Interactive virtual materials, 2004, section 5.
 *
 * When the mesh changes, materials and plastic strains stay with their elements, new ones start without plastic strain, and shapes are
 * made again from rest positions.
 */
#include "forcefield/fem/material.h"
#include "forcefield/fem/tetrahedron_blocks.h"
#include "state/former_number.h"
#include <divan/element_data.h>
#include <divan/types/color.h>

#include <string.h>

typedef struct TetrahedronFEMForceField {
    SingleState base;
    DvLink topology_link;
    Material material;
    DvData initial_points, method, local_stiffness_factor, update_stiffness_matrix, compute_global_matrix;
    DvData plastic_max_threshold, plastic_yield_threshold, plastic_creep, plastic_strain;
    DvData compute_von_mises_stress, von_mises_per_element, von_mises_per_node, von_mises_stress_colors,
        update_stiffness;
    DvData gather_points, gather_block_size;
    DvData draw_heterogeneous, color_map, alpha, show_per_node, show_per_node_map, show_per_element, gap;

    DvTopologyRef topology;
    TetrahedronBlocks blocks;
    ElementMaterials materials;
    DvElementData former;   /* the number that each element of the mesh had when the blocks were built */
    uint64_t structure;     /* + 1 with each rebuild */
    uint64_t materials_set; /* times */
} TetrahedronFEMForceField;

static const char *const methods[] = {"small", "large", "polar", "svd", "exact", NULL}; /* as TetrahedronMethod */

#define FIELD(member, name, type, ...) DV_FIELD(TetrahedronFEMForceField, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    SINGLE_STATE_FIELDS(TetrahedronFEMForceField, base),
    DV_LINK(TetrahedronFEMForceField, topology_link, "topology", DV_TOPOLOGY,
            .help = "mesh; that of the node by default"),
    MATERIAL_FIELDS(TetrahedronFEMForceField, material, 0),
    FIELD(initial_points, "initialPoints", dv_type_vec3s, .unit = "m", .flags = DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT,
          .help = "rest positions the elements were made from"),
    FIELD(
        method, "method", dv_type_choice, .init = "large", .choices = methods,
        .help =
            "frame of an element: none (small), by an edge and a face (large), by polar decomposition of its edges (polar), the "
            "same stable for inverted elements (svd), all three with forces that depend on the order of its points where strains "
            "are large and whose torque changes the angular momentum; the rotation of its deformation, with the force and "
            "stiffness of its energy (exact)"),
    FIELD(local_stiffness_factor, "localStiffnessFactor", dv_type_doubles, .range = &dv_range_not_negative,
          .flags = DV_FIELD_LENIENT, .group = "material",
          .help = "factors of Young's modulus, spread evenly over the elements"),
    FIELD(update_stiffness_matrix, "updateStiffnessMatrix", dv_type_bool, .init = "0",
          .help = "take the gradients from the current shape of the element"),
    FIELD(compute_global_matrix, "computeGlobalMatrix", dv_type_bool, .init = "0",
          .aliases = (const char *const[]){"assembling", NULL},
          .help = "kept for old scenes: forces are the same, and matrices are assembled when a solver asks"),
    FIELD(plastic_max_threshold, "plasticMaxThreshold", dv_type_double, .init = "0", .range = &dv_range_not_negative,
          .flags = DV_FIELD_LENIENT, .group = "plasticity",
          .help = "largest norm of the plastic strain (times 6 V); 0: elastic"),
    FIELD(plastic_yield_threshold, "plasticYieldThreshold", dv_type_double, .init = "9.9999997473787516e-05",
          .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT, .group = "plasticity",
          .help = "norm of the elastic strain (times 6 V) above which it becomes plastic"),
    FIELD(plastic_creep, "plasticCreep", dv_type_double, .init = "0.89999997615814209", .range = &dv_range_not_negative,
          .flags = DV_FIELD_LENIENT, .group = "plasticity",
          .help = "part of the elastic strain that becomes plastic in each evaluation"),
    FIELD(plastic_strain, "plasticStrain", dv_type_doubles, .flags = DV_FIELD_STATE,
          .help = "plastic strain of each element, times 6 V: xx yy zz xy yz zx"),
    FIELD(compute_von_mises_stress, "computeVonMisesStress", dv_type_int, .init = "0", .group = "stress",
          .help = "0: no; 1: from the displacement in the element's frame; 2: from the full Green-Lagrange strain"),
    FIELD(von_mises_per_element, "vonMisesPerElement", dv_type_doubles, .unit = "Pa", .group = "stress",
          .flags = DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT,
          .help = "von Mises stress of each tetrahedron at the end of the step"),
    FIELD(von_mises_per_node, "vonMisesPerNode", dv_type_doubles, .unit = "Pa", .group = "stress",
          .flags = DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT,
          .help = "mean von Mises stress of the tetrahedra around each point"),
    FIELD(von_mises_stress_colors, "vonMisesStressColors", dv_type_colors, .group = "stress",
          .flags = DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT,
          .help = "colour of each point's stress, blue at the smallest, red at the largest"),
    FIELD(update_stiffness, "updateStiffness", dv_type_bool, .init = "0", .group = "material",
          .help = "take up changes of the material at the beginning of each step"),
    FIELD(gather_points, "gatherPt", dv_type_string, .flags = DV_FIELD_HIDDEN,
          .help = "points gathered per GPU thread"),
    FIELD(gather_block_size, "gatherBsize", dv_type_string, .flags = DV_FIELD_HIDDEN, .help = "elements per GPU block"),
    FIELD(draw_heterogeneous, "drawHeterogeneousTetra", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
          .help = "colour by stiffness"),
    FIELD(color_map, "showStressColorMap", dv_type_string, .init = "Blue to Red", .flags = DV_FIELD_DRAWING,
          .help = "colours of stresses"),
    FIELD(alpha, "showStressAlpha", dv_type_double, .init = "1", .flags = DV_FIELD_DRAWING,
          .help = "opacity of stress colours"),
    FIELD(show_per_node, "showVonMisesStressPerNode", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
          .help = "draw points in the colour of their stress"),
    FIELD(show_per_node_map, "showVonMisesStressPerNodeColorMap", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
          .help = "draw faces in the colours of their points' stress"),
    FIELD(show_per_element, "showVonMisesStressPerElement", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
          .help = "draw elements in the colour of their stress"),
    FIELD(gap, "showElementGapScale", dv_type_double, .init = "0.333", .flags = DV_FIELD_DRAWING,
          .help = "how far elements are drawn apart, 0 to 1"),
    {0},
};

/* Six tetrahedra per hexahedron, mirrored in every other cell of a grid so that the faces of neighbours fit. */
static uint32_t *cut_hexahedra(const DvTopologyRef *topology, DvElements hexahedra)
{
    DvGridShape grid;
    uint32_t nx = 2, ny = 1; /* what scenes with hexahedra outside a grid rely on */
    if (topology->ops->grid && topology->ops->grid(topology->self, &grid) && grid.n[0] > 1 && grid.n[1] > 1) {
        nx = grid.n[0] - 1;
        ny = grid.n[1] - 1;
    }
    uint32_t(*tetrahedra)[4] = dv_alloc((size_t)hexahedra.count * 6, sizeof *tetrahedra);
    for (uint32_t i = 0; i < hexahedra.count; i++)
        dv_cut_hexahedron(hexahedra.at + 8 * (size_t)i, dv_grid_mirrors(i, nx, ny), false, tetrahedra + 6 * (size_t)i);
    return tetrahedra[0];
}

static void set_materials(TetrahedronFEMForceField *self)
{
    self->materials_set++;
    for (uint32_t i = 0; i < self->blocks.mesh.elements; i++) {
        const ElementMaterial material = element_material(&self->materials, i);
        tetrahedron_blocks_set_material(&self->blocks, i, material.young, material.poisson);
    }
}

static void forget_plastic_strain(TetrahedronFEMForceField *self)
{
    dv_data_set(&self->plastic_strain, NULL, 0);
}

/* Gives the plastic strains to the numbers their elements have now. */
static DvStatus renumber_plastic_strain(TetrahedronFEMForceField *self)
{
    const size_t parts = 6 * (size_t)self->materials.parts; /* numbers for each element of the mesh */
    const uint32_t elements = self->materials.data.count;
    size_t count;
    const double *old = dv_data_doubles(&self->plastic_strain, &count);
    if (self->former.count != elements) { /* the mesh was written anew */
        forget_plastic_strain(self);
        return former_number_attach(&self->former, self->topology.object, self->former.kind);
    }
    double *strain = dv_alloc(count > 0 ? elements * parts : 0, sizeof *strain);
    for (uint32_t i = 0; count > 0 && i < elements; i++) {
        const uint32_t former = former_number(&self->former, i);
        if (former != UINT32_MAX && (former + 1) * parts <= count)
            memcpy(strain + i * parts, old + former * parts, parts * sizeof *strain);
    }
    if (count > 0)
        dv_data_set(&self->plastic_strain, strain, elements * parts);
    dv_free(strain);
    former_number_start(&self->former);
    return DV_OK;
}

static DvStatus build(TetrahedronFEMForceField *self)
{
    DvObject *object = dv_object_of(self);
    DvElements tetrahedra = dv_topology_elements(&self->topology, DV_TETRAHEDRA);
    uint32_t *cut = NULL;
    DvConstVec rest;
    DvStatus status = state_at_rest(object, self->base.state, &rest);
    if (status != DV_OK)
        return status;
    if (self->former.kind == DV_HEXAHEDRA) {
        const DvElements hexahedra = dv_topology_elements(&self->topology, DV_HEXAHEDRA);
        tetrahedra.at = cut = cut_hexahedra(&self->topology, hexahedra);
        tetrahedra.count = 6 * hexahedra.count;
    }
    const TetrahedronMethod method = (TetrahedronMethod)dv_data_choice(&self->method);
    const TetrahedronUpdate update = !dv_data_bool(&self->update_stiffness_matrix) ? UPDATE_NONE
                                     : method == TETRAHEDRON_LARGE                 ? UPDATE_NORMAL_STRAINS
                                                                                   : UPDATE_ALL_STRAINS;
    status = element_materials_agree(&self->materials, tetrahedra.count);
    if (status == DV_OK)
        status = tetrahedron_blocks_build(&self->blocks, object, method, update, rest.count, rest.at, tetrahedra.count,
                                          tetrahedra.at);
    dv_free(cut);
    self->structure++;
    if (status != DV_OK) {
        tetrahedron_blocks_free(&self->blocks);
        return status;
    }
    dv_data_set(&self->initial_points, rest.at, rest.count);
    set_materials(self);
    return renumber_plastic_strain(self);
}

/* Parameters of the plastic flow; false: the material is elastic. */
static bool plasticity_begin(TetrahedronFEMForceField *self, TetrahedronPlasticity *plasticity)
{
    plasticity->limit = dv_data_double(&self->plastic_max_threshold);
    if (!(plasticity->limit > 0.0))
        return false;
    plasticity->yield = dv_data_double(&self->plastic_yield_threshold);
    plasticity->creep = dv_data_double(&self->plastic_creep);
    plasticity->strain = dv_data_begin(&self->plastic_strain, 6 * (size_t)self->blocks.mesh.elements);
    return true;
}

static void color_stress(TetrahedronFEMForceField *self, const double *stress, uint32_t points)
{
    double least = INFINITY, most = -INFINITY, *color = dv_data_begin_all(&self->von_mises_stress_colors, points);
    for (uint32_t p = 0; p < points; p++) {
        least = fmin(least, stress[p]);
        most = fmax(most, stress[p]);
    }
    const double range = most > least ? most - least : 1.0, alpha = dv_data_double(&self->alpha);
    for (uint32_t p = 0; p < points; p++) {
        const double part = (stress[p] - least) / range;
        color[4 * (size_t)p] = part;
        color[4 * (size_t)p + 1] = 0.0;
        color[4 * (size_t)p + 2] = 1.0 - part;
        color[4 * (size_t)p + 3] = alpha;
    }
    dv_data_end(&self->von_mises_stress_colors);
}

static void compute_stress(TetrahedronFEMForceField *self)
{
    const int32_t mode = dv_data_int(&self->compute_von_mises_stress);
    const ElementBlocks *mesh = &self->blocks.mesh;
    const DvConstVec x = dv_state_read(self->base.state, DV_POSITION),
                     rest = dv_state_read(self->base.state, DV_REST_POSITION);
    if (mode == 0 || x.count != mesh->points || rest.count != mesh->points)
        return;
    const TetrahedronMethod frame = self->blocks.method == TETRAHEDRON_SVD ? TETRAHEDRON_POLAR : self->blocks.method;
    double *element = dv_data_begin_all(&self->von_mises_per_element, mesh->elements);
    double *node = dv_data_begin_all(&self->von_mises_per_node, mesh->points);
    tetrahedron_blocks_von_mises(&self->blocks, frame, mode == 2 ? STRAIN_GREEN : STRAIN_LOCAL, &x, element);
    element_blocks_mean(mesh, element, node);
    color_stress(self, node, mesh->points);
    dv_data_end(&self->von_mises_per_element);
    dv_data_end(&self->von_mises_per_node);
}

static DvStatus check_options(DvObject *object, TetrahedronFEMForceField *self)
{
    const int32_t mode = dv_data_int(&self->compute_von_mises_stress);
    if (mode < 0 || mode > 2)
        return dv_field_error(&self->compute_von_mises_stress, -1, "%d is none of 0, 1, 2", mode);
    if (mode == 1 && dv_data_choice(&self->method) == TETRAHEDRON_SMALL)
        return dv_field_error(&self->compute_von_mises_stress, -1,
                              "1 needs frames that rotate, and method 'small' has none; use 2, or another method");
    const bool exact = dv_data_choice(&self->method) == TETRAHEDRON_EXACT;
    if (exact && dv_data_double(&self->plastic_max_threshold) > 0.0)
        return dv_field_error(&self->plastic_max_threshold, -1,
                              "method 'exact' is elastic: a plastic strain has no energy; use another method, or 0");
    if (exact && dv_data_bool(&self->update_stiffness_matrix))
        return dv_field_error(&self->update_stiffness_matrix, -1,
                              "method 'exact' has the gradients of the rest shape; use another method, or 0");
    if (mode != 0 || dv_data_bool(&self->update_stiffness))
        force_field_listen(object);
    const double gap = dv_data_double(&self->gap);
    if (gap < 0.0 || gap > 1.0) {
        dv_field_warning(&self->gap, -1, "%g is cut to [0, 1]", gap);
        dv_data_set_double(&self->gap, gap < 0.0 ? 0.0 : 1.0);
    }
    return DV_OK;
}

static DvStatus reinit(DvObject *object, void *self_)
{
    TetrahedronFEMForceField *self = self_;
    element_materials_read(&self->materials);
    DvStatus status = check_options(object, self);
    if (status == DV_OK)
        status = build(self);
    if (status == DV_OK)
        compute_stress(self);
    else
        single_state_release(&self->base);
    return status;
}

static DvStatus init(DvObject *object, void *self_)
{
    TetrahedronFEMForceField *self = self_;
    DvStatus status = single_state_init(object, &self->base);
    if (status == DV_OK)
        status = dv_topology_require(object, &self->topology_link, "a container of tetrahedra", &self->topology);
    const bool cut = dv_topology_elements(&self->topology, DV_TETRAHEDRA).count == 0;
    if (status == DV_OK && cut && dv_topology_elements(&self->topology, DV_HEXAHEDRA).count == 0)
        status = dv_error(object, DV_ERROR_MISSING, "the topology '%s' has neither tetrahedra nor hexahedra",
                          dv_object_path(self->topology.object));
    if (status == DV_OK)
        status = element_materials_attach(&self->materials, &self->material, &self->local_stiffness_factor,
                                          self->topology.object, cut ? DV_HEXAHEDRA : DV_TETRAHEDRA, cut ? 6 : 1);
    if (status == DV_OK)
        status = former_number_attach(&self->former, self->topology.object, cut ? DV_HEXAHEDRA : DV_TETRAHEDRA);
    if (status != DV_OK) {
        single_state_release(&self->base);
        return status;
    }
    return reinit(object, self);
}

static void reset(DvObject *object, void *self_)
{
    (void)object;
    forget_plastic_strain(self_);
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    (void)object;
    TetrahedronFEMForceField *self = self_;
    if (!self->base.state.ops)
        return;
    if (event->kind == DV_EVENT_ANIMATE_BEGIN && dv_data_bool(&self->update_stiffness)) {
        element_materials_read(&self->materials);
        set_materials(self);
    } else if (event->kind == DV_EVENT_ANIMATE_END)
        compute_stress(self);
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    TetrahedronFEMForceField *self = self_;
    element_materials_detach(&self->materials);
    dv_element_data_detach(&self->former);
    single_state_release(&self->base);
    dv_topology_release(&self->topology);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    TetrahedronFEMForceField *self = self_;
    tetrahedron_blocks_free(&self->blocks);
}

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)step;
    (void)v;
    TetrahedronFEMForceField *self = self_;
    if ((dv_topology_changed(&self->topology) || x->count != self->blocks.mesh.points) && build(self) != DV_OK)
        return;
    TetrahedronPlasticity plasticity;
    if (plasticity_begin(self, &plasticity)) {
        tetrahedron_blocks_force(&self->blocks, &plasticity, x, f);
        dv_data_end(&self->plastic_strain);
    } else {
        tetrahedron_blocks_force(&self->blocks, NULL, x, f);
    }
}

static void add_dforce(void *self_, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    (void)step;
    (void)b;
    TetrahedronFEMForceField *self = self_;
    if (dx->count == self->blocks.mesh.points)
        tetrahedron_blocks_dforce(&self->blocks, k, dx, df);
}

static void reserve(void *self_, DvPattern *pattern)
{
    TetrahedronFEMForceField *self = self_;
    element_blocks_reserve(&self->blocks.mesh, pattern);
}

static void assemble(void *self_, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    (void)step;
    (void)b;
    TetrahedronFEMForceField *self = self_;
    tetrahedron_blocks_assemble(&self->blocks, k, view);
}

static uint64_t structure(void *self_)
{
    return ((const TetrahedronFEMForceField *)self_)->structure;
}

static uint64_t matrix_version(void *self_)
{
    const TetrahedronFEMForceField *self = self_;
    return self->blocks.method == TETRAHEDRON_SMALL ? self->structure + self->materials_set : 0;
}

static double energy(void *self_, const DvStep *step, const DvConstVec *x)
{
    (void)step;
    TetrahedronFEMForceField *self = self_;
    if (x->count != self->blocks.mesh.points)
        return 0.0;
    size_t strains;
    TetrahedronPlasticity plasticity = {0.0, 0.0, 0.0, NULL};
    const double *strain = dv_data_doubles(&self->plastic_strain, &strains);
    if (strains != 6 * (size_t)self->blocks.mesh.elements)
        return tetrahedron_blocks_energy(&self->blocks, NULL, x);
    plasticity.strain = (double *)(uintptr_t)strain; /* only read */
    return tetrahedron_blocks_energy(&self->blocks, &plasticity, x);
}

static double explain(void *self_, const DvFault *fault, DvText *cause, DvText *remedy)
{
    const TetrahedronFEMForceField *self = self_;
    return single_state_is_concerned(&self->base, fault)
               ? tetrahedron_blocks_explain(&self->blocks, self, self->base.state.object, fault, cause, remedy)
               : 0.0;
}

static const DvFaultCauseOps cause_ops = {.size = sizeof cause_ops, .explain = explain};

static void cost(void *self_, double *product, double *assembly)
{
    tetrahedron_blocks_cost(&((const TetrahedronFEMForceField *)self_)->blocks, product, assembly);
}

static const DvForceFieldOps ops = {
    .size = sizeof ops,
    .states = single_state_states,
    .add_force = add_force,
    .add_dforce = add_dforce,
    .reserve = reserve,
    .assemble = assemble,
    .structure = structure,
    .matrix_version = matrix_version,
    .energy = energy,
    .cost = cost,
};

static void draw(void *self_, DvDraw *target)
{
    TetrahedronFEMForceField *self = self_;
    if (!dv_draw_shows(target, DV_DISPLAY_FORCE_FIELDS) || !self->base.state.ops)
        return;
    const DvConstVec x = dv_state_read(self->base.state, DV_POSITION);
    if (x.count == self->blocks.mesh.points)
        tetrahedron_blocks_draw(&self->blocks, target, x.at,
                                dv_data_bool(&self->show_per_element) ? dv_data_double(&self->gap) : 0.0,
                                tetrahedron_colors);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_tetrahedron_fem_force_field = {
    .size = sizeof(DvClass),
    .name = "TetrahedronFEMForceField",
    .variants = "Vec3d",
    .variant_rule = DV_VARIANT_OF_ALL,
    .sources = single_state_sources,
    .bases = (const char *const[]){"ForceField", "BaseLinearElasticityFEMForceField", NULL},
    .family = "force fields",
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .help = "Linear elastic tetrahedra with large rotations, plasticity and von Mises stress.",
    .instance_size = sizeof(TetrahedronFEMForceField),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_FORCE_FIELD, .ops = &ops},
                                      {.id = DV_FAULT_CAUSE, .ops = &cause_ops},
                                      {.id = DV_DRAWABLE, .ops = &drawable},
                                      {0}},
    .init = init,
    .reinit = reinit,
    .reset = reset,
    .handle_event = handle_event,
    .cleanup = cleanup,
    .destroy = destroy,
};
