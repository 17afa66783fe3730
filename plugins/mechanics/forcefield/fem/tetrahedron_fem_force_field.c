/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TetrahedronFEMForceField: linear elastic tetrahedra with large rotations, plasticity and von Mises stress.
 *
 * Elements are the tetrahedra of the topology or, when it has none, its hexahedra cut into six each. The method and its limits are
 * described in tetrahedron_blocks.h; `method` chooses the frame. When plasticMaxThreshold is positive, the strain of an element
 * (times 6 V) has a plastic part p: with e = s - p,
 *   |e| > plasticYieldThreshold:  p += plasticCreep e;   |p| > plasticMaxThreshold: p is cut to it;   s - p acts
 * evaluated once in each force; p is part of the saved state. With plasticCreepRate r the part is 1 - exp(-r t), t the time since the last
 * evaluation: under a strain that is held, e decays as exp(-r t), whatever the step. Mueller and Gross, Interactive virtual materials, 2004, section 5.
 *
 * When the mesh changes, materials and plastic strains stay with their elements, new ones start without plastic strain, and the shapes
 * of new elements are made from rest positions: with the next force, in time with what was touched. Hexahedra that are cut are all
 * made again: how one is cut depends on its number.
 */
#include "forcefield/fem/tetrahedron_force_field.h"
#include <divan/contracts/drawing.h>
#include <divan/element_data.h>
#include <divan/kit/ordered_hexahedra.h>
#include <divan/types/color.h>
#include <divan/types/color_map.h>

#include <math.h>
#include <string.h>

typedef struct TetrahedronFEMForceField {
    TetrahedronForceField common; /* first */
    DvElasticMaterial material;
    DvData initial_points, method, local_stiffness_factor, update_stiffness_matrix;
    DvData plastic_max_threshold, plastic_yield_threshold, plastic_creep, plastic_rate, plastic_time, plastic_strain;
    DvData compute_von_mises_stress, von_mises_per_element, von_mises_per_node, von_mises_stress_colors, stressed,
        update_stiffness;
    DvData draw_heterogeneous, color_map, alpha, show_per_node, show_per_node_map, show_per_element, gap;

    DvOrderedHexahedra order; /* of hexahedra that are cut */
    DvElementData strained;   /* elements of the mesh, whose plastic strains go along */
} TetrahedronFEMForceField;

static const char *const methods[] = {"small", "large", "polar", "svd", "exact", NULL}; /* as TetrahedronMethod */

#define FIELD(member, name, type, ...) DV_FIELD(TetrahedronFEMForceField, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    DV_MESH_FORCE_FIELD_FIELDS(TetrahedronFEMForceField, common.field),
    DV_MATERIAL_FIELDS(TetrahedronFEMForceField, material, 0),
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
          .flags = DV_FIELD_LENIENT | DV_FIELD_EMPTY_IS_DEFAULT, .group = "material",
          .help = "factors of Young's modulus, spread evenly over the elements"),
    FIELD(update_stiffness_matrix, "updateStiffnessMatrix", dv_type_bool, .init = "0",
          .help = "take the gradients from the current shape of the element"),
    DV_FIELD_HELD("computeGlobalMatrix", dv_type_bool, .init = "0",
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
    FIELD(plastic_rate, "plasticCreepRate", dv_type_double, .init = "0", .unit = "1/s", .range = &dv_range_not_negative,
          .flags = DV_FIELD_LENIENT, .group = "plasticity",
          .help = "rate at which elastic strain becomes plastic, whatever the step; 0: plasticCreep counts"),
    FIELD(plastic_time, "plasticTime", dv_type_double, .init = "-1", .unit = "s",
          .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN, .help = "time of the last plastic flow; -1: there was none"),
    FIELD(plastic_strain, "plasticStrain", dv_type_doubles, .flags = DV_FIELD_STATE,
          .help = "plastic strain of each element, times 6 V: xx yy zz xy yz zx"),
    FIELD(compute_von_mises_stress, "computeVonMisesStress", dv_type_int, .init = "0",
          .range = &(const DvRange){.least = 0, .most = 2}, .flags = DV_FIELD_LENIENT, .group = "stress",
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
    FIELD(stressed, "stressed", dv_type_bool, .init = "0", .flags = DV_FIELD_HIDDEN | DV_FIELD_INPUT,
          .help = "internal: stresses follow from it, which are computed when somebody reads them"),
    FIELD(update_stiffness, "updateStiffness", dv_type_bool, .init = "0", .group = "material",
          .help = "take up changes of the material at the beginning of each step"),
    DV_FIELD_HELD("gatherPt", dv_type_string, .flags = DV_FIELD_HIDDEN, .help = "points gathered per GPU thread"),
    DV_FIELD_HELD("gatherBsize", dv_type_string, .flags = DV_FIELD_HIDDEN, .help = "elements per GPU block"),
    FIELD(draw_heterogeneous, "drawHeterogeneousTetra", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
          .help = "colour by stiffness"),
    FIELD(color_map, "showStressColorMap", dv_type_string, .init = "Blue to Red", .flags = DV_FIELD_DRAWING,
          .help = "colours of stresses"),
    FIELD(alpha, "showStressAlpha", dv_type_double, .init = "1", .range = &dv_range_share, .flags = DV_FIELD_DRAWING,
          .help = "opacity of stress colours"),
    FIELD(show_per_node, "showVonMisesStressPerNode", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
          .help = "draw points in the colour of their stress"),
    FIELD(show_per_node_map, "showVonMisesStressPerNodeColorMap", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
          .help = "draw faces in the colours of their points' stress"),
    FIELD(show_per_element, "showVonMisesStressPerElement", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
          .help = "draw elements in the colour of their stress"),
    FIELD(gap, "showElementGapScale", dv_type_double, .init = "0.333", .range = &dv_range_share,
          .flags = DV_FIELD_DRAWING, .help = "how far elements are drawn apart, 0 to 1"),
    {0},
};

static void set_material(TetrahedronFEMForceField *self, uint32_t element)
{
    const DvElementMaterial material = dv_element_material(&self->common.field.materials, element);
    tetrahedron_blocks_set_material(&self->common.blocks, element, material.young, material.poisson);
}

static void set_materials(TetrahedronFEMForceField *self)
{
    self->common.field.changed++;
    self->common.blocks.has_ratio = false;
    for (uint32_t i = 0; i < self->common.blocks.mesh.elements; i++)
        set_material(self, i);
}

static void forget_plastic_strain(TetrahedronFEMForceField *self)
{
    dv_data_set(&self->plastic_strain, NULL, 0);
    dv_data_set_double(&self->plastic_time, -1.0);
}

/* ---- Plastic strains go along with their elements, while there are any ---- */

static uint32_t strains_per_element(const TetrahedronFEMForceField *self)
{
    return 6 * self->common.field.materials.parts;
}

static void element_removed(DvElementData *data, uint32_t index)
{
    TetrahedronFEMForceField *self = data->owner;
    const size_t parts = strains_per_element(self), last = data->count - 1;
    size_t count;
    (void)dv_data_doubles(&self->plastic_strain, &count);
    if (count != data->count * parts)
        return;
    double *strain = dv_data_begin(&self->plastic_strain, count);
    if (index != last)
        memcpy(strain + index * parts, strain + last * parts, parts * sizeof *strain);
    (void)dv_data_begin(&self->plastic_strain, last * parts);
    dv_data_end(&self->plastic_strain);
}

static void elements_added(DvElementData *data, const DvElementChange *change, uint32_t first)
{
    TetrahedronFEMForceField *self = data->owner;
    const size_t parts = strains_per_element(self), old = first * parts, now = old + change->count * parts;
    size_t count;
    (void)dv_data_doubles(&self->plastic_strain, &count);
    if (count == 0 || count != old)
        return;
    memset((double *)dv_data_begin(&self->plastic_strain, now) + old, 0, (now - old) * sizeof(double));
    dv_data_end(&self->plastic_strain);
}

/* Reset forgets them itself, and a saved scene has put them back. */
static void strains_replaced(DvElementData *data, DvMeshReplacement why)
{
    TetrahedronFEMForceField *self = data->owner;
    if (why == DV_MESH_RESET)
        forget_plastic_strain(self);
}

static DvStatus follow_strains(TetrahedronFEMForceField *self, DvElementKind kind)
{
    dv_element_data_detach(&self->strained);
    self->strained = (DvElementData){.kind = kind,
                                     .entry_size = 1,
                                     .owner = self,
                                     .added = elements_added,
                                     .removed = element_removed,
                                     .replaced = strains_replaced};
    return dv_element_data_attach(&self->strained, self->common.field.topology.object);
}

/* ---- Shapes ---- */

/* Six tetrahedra per hexahedron, mirrored in every other cell of a grid so that the faces of neighbours fit. */
static void cut_hexahedra(void *self_, DvElements given, DvConstVec rest, uint32_t *list)
{
    TetrahedronFEMForceField *self = self_;
    const DvTopologyRef *topology = &self->common.field.topology;
    const DvElements hexahedra = dv_ordered_hexahedra_mend(&self->order, dv_object_of(self), given, rest);
    DvGridShape grid = {0};
    uint32_t nx = 2, ny = 1,
             (*tetrahedra)[4] = (uint32_t(*)[4])list; /* what scenes with hexahedra outside a grid rely on */
    if (topology->ops->grid)
        (void)topology->ops->grid(topology->self, &grid); /* bent ones too */
    if (grid.n[0] > 1 && grid.n[1] > 1) {
        nx = grid.n[0] - 1;
        ny = grid.n[1] - 1;
    }
    for (uint32_t i = 0; i < hexahedra.count; i++)
        dv_cut_hexahedron(hexahedra.at + 8 * (size_t)i, dv_grid_mirrors(i, nx, ny), false, tetrahedra + 6 * (size_t)i);
}

static DvStatus build(void *self_, const DvElementSource *source)
{
    TetrahedronFEMForceField *self = self_;
    const TetrahedronMethod method = (TetrahedronMethod)dv_data_choice(&self->method);
    const TetrahedronUpdate update = !dv_data_bool(&self->update_stiffness_matrix) ? UPDATE_NONE
                                     : method == TETRAHEDRON_LARGE                 ? UPDATE_NORMAL_STRAINS
                                                                                   : UPDATE_ALL_STRAINS;
    const DvStatus status =
        tetrahedron_blocks_build(&self->common.blocks, dv_object_of(self), method, update, source->rest.count,
                                 source->rest.at, source->elements.count, source->elements.at);
    if (status != DV_OK)
        return status;
    dv_data_set(&self->initial_points, source->rest.at, source->rest.count);
    set_materials(self);
    if (self->strained.count * self->common.field.materials.parts == source->elements.count)
        return DV_OK;
    forget_plastic_strain(self); /* the mesh was written anew */
    return follow_strains(self, self->strained.kind);
}

static DvStatus update_elements(void *self_, const DvElementSource *source, const DvMeshEdits *edits, bool *paired)
{
    TetrahedronFEMForceField *self = self_;
    const DvStatus status = tetrahedron_blocks_update(&self->common.blocks, dv_object_of(self), edits,
                                                      &self->common.field.topology, source->rest.count, source->rest.at,
                                                      source->elements.count, source->elements.at, paired);
    for (uint32_t i = 0; i < edits->elements.count && status == DV_OK; i++)
        set_material(self, edits->elements.data[i]);
    if (status == DV_OK)
        dv_mesh_edits_copy_points(edits, &self->initial_points, &source->rest);
    return status;
}

static const DvMeshForceFieldKind kind = {.need = "a container of tetrahedra",
                                          .elements = DV_TETRAHEDRA,
                                          .coarse = DV_HEXAHEDRA,
                                          .parts = 6,
                                          .cut = cut_hexahedra,
                                          .pairs = TETRAHEDRON_PAIRS,
                                          .must_have = true,
                                          .build = build,
                                          .update = update_elements,
                                          .clear = tetrahedron_force_field_clear,
                                          .turns = tetrahedron_force_field_turns};

/* The part of the elastic strain that becomes plastic at a time. */
static double creep_at(TetrahedronFEMForceField *self, double time)
{
    const double rate = dv_data_double(&self->plastic_rate), last = dv_data_double(&self->plastic_time);
    if (!(rate > 0.0))
        return dv_data_double(&self->plastic_creep);
    if (time != last)
        dv_data_set_double(&self->plastic_time, time);
    return last >= 0.0 && time > last ? -expm1(-rate * (time - last)) : 0.0;
}

/* Parameters of the plastic flow; false: the material is elastic. */
static bool plasticity_begin(TetrahedronFEMForceField *self, double time, TetrahedronPlasticity *plasticity)
{
    plasticity->limit = dv_data_double(&self->plastic_max_threshold);
    if (!(plasticity->limit > 0.0))
        return false;
    plasticity->yield = dv_data_double(&self->plastic_yield_threshold);
    plasticity->creep = creep_at(self, time);
    plasticity->strain = dv_data_begin(&self->plastic_strain, 6 * (size_t)self->common.blocks.mesh.elements);
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

/* Stresses of the state as it is: who reads none has none computed. */
static DvStatus update(DvObject *object, void *self_)
{
    (void)object;
    TetrahedronFEMForceField *self = self_;
    const int32_t mode = dv_data_int(&self->compute_von_mises_stress);
    const DvElementBlocks *mesh = &self->common.blocks.mesh;
    if (mode == 0 || !self->common.field.base.state.ops)
        return DV_OK;
    const DvConstVec x = dv_state_read(self->common.field.base.state, DV_POSITION),
                     rest = dv_state_read(self->common.field.base.state, DV_REST_POSITION);
    if (x.count != mesh->points || rest.count != mesh->points)
        return DV_OK;
    const TetrahedronMethod frame =
        self->common.blocks.method == TETRAHEDRON_SVD ? TETRAHEDRON_POLAR : self->common.blocks.method;
    double *element = dv_data_begin_all(&self->von_mises_per_element, mesh->elements);
    double *node = dv_data_begin_all(&self->von_mises_per_node, mesh->points);
    tetrahedron_blocks_von_mises(&self->common.blocks, frame, mode == 2 ? STRAIN_GREEN : STRAIN_LOCAL, &x, element);
    dv_element_blocks_mean(mesh, element, node);
    color_stress(self, node, mesh->points);
    dv_data_end(&self->von_mises_per_element);
    dv_data_end(&self->von_mises_per_node);
    return DV_OK;
}

static void warn_of_creep(const DvObject *object, TetrahedronFEMForceField *self)
{
    const double creep = dv_data_double(&self->plastic_creep), dt = dv_node_dt(dv_object_node(object));
    if (!dv_data_is_set(&self->plastic_creep) || !(dv_data_double(&self->plastic_max_threshold) > 0.0) ||
        dv_data_double(&self->plastic_rate) > 0.0)
        return;
    DvText rate = {0};
    if (creep > 0.0 && creep < 1.0 && dt > 0.0)
        dv_text_add(&rate, "; plasticCreepRate=\"%.3g\" is as fast at steps of %g s, and as fast at others",
                    -log1p(-creep) / dt, dt);
    dv_field_warning(
        &self->plastic_creep, -1,
        "is the part of each evaluation of the force: how fast strain becomes plastic depends on the time step%s",
        rate.at ? rate.at : "; plasticCreepRate (1/s) does not");
    dv_text_free(&rate);
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
    warn_of_creep(object, self);
    if (mode != 0 || dv_data_bool(&self->update_stiffness))
        dv_object_listen(object);
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
    dv_element_materials_read(&self->common.field.materials);
    DvStatus status = check_options(object, self);
    if (status != DV_OK)
        dv_single_state_release(&self->common.field.base);
    else
        status = dv_mesh_force_field_build(&self->common.field);
    if (status == DV_OK)
        dv_data_touch(&self->stressed);
    return status;
}

static DvStatus init(DvObject *object, void *self_)
{
    TetrahedronFEMForceField *self = self_;
    DvStatus status = dv_mesh_force_field_begin(object, &self->common.field, &kind, &self->common.blocks.mesh,
                                                &self->material, &self->local_stiffness_factor);
    if (status != DV_OK)
        return status;
    status = follow_strains(self, dv_mesh_force_field_source(&self->common.field));
    if (status == DV_OK)
        status = reinit(object, self);
    else
        dv_single_state_release(&self->common.field.base);
    if (status == DV_OK)
        dv_mesh_force_field_report(&self->common.field);
    return status;
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
    if (!self->common.field.base.state.ops)
        return;
    if (event->kind == DV_EVENT_ANIMATE_BEGIN && dv_data_bool(&self->update_stiffness)) {
        dv_element_materials_read(&self->common.field.materials);
        set_materials(self);
    } else if (event->kind == DV_EVENT_ANIMATE_END)
        dv_data_touch(&self->stressed);
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    TetrahedronFEMForceField *self = self_;
    dv_element_data_detach(&self->strained);
    dv_mesh_force_field_release(&self->common.field);
}

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)v;
    TetrahedronFEMForceField *self = self_;
    if (dv_mesh_force_field_follow(&self->common.field, x->count) != DV_OK)
        return;
    TetrahedronPlasticity plasticity;
    if (plasticity_begin(self, step->time, &plasticity)) {
        tetrahedron_blocks_force(&self->common.blocks, &plasticity, x, f);
        dv_data_end(&self->plastic_strain);
    } else {
        tetrahedron_blocks_force(&self->common.blocks, NULL, x, f);
    }
}

static double energy(void *self_, const DvStep *step, const DvConstVec *x)
{
    (void)step;
    TetrahedronFEMForceField *self = self_;
    if (x->count != self->common.blocks.mesh.points)
        return 0.0;
    size_t strains;
    TetrahedronPlasticity plasticity = {0.0, 0.0, 0.0, NULL};
    const double *strain = dv_data_doubles(&self->plastic_strain, &strains);
    if (strains != 6 * (size_t)self->common.blocks.mesh.elements)
        return tetrahedron_blocks_energy(&self->common.blocks, NULL, x);
    plasticity.strain = (double *)(uintptr_t)strain; /* only read */
    return tetrahedron_blocks_energy(&self->common.blocks, &plasticity, x);
}

static const DvForceFieldOps ops = {
    TETRAHEDRON_FORCE_FIELD_OPS,
    .add_force = add_force,
    .energy = energy,
};

/* A colour for each value, by the map that the scene names, from the least to the largest of them; dv_free. */
static double *colors_of_stress(TetrahedronFEMForceField *self, const double *stress, uint32_t count)
{
    double palette[4 * DV_USUAL_PALETTE], least = INFINITY, most = -INFINITY;
    dv_color_palette(dv_color_scheme(dv_data_string(&self->color_map)), palette, DV_USUAL_PALETTE);
    for (uint32_t i = 0; i < count; i++) {
        least = fmin(least, stress[i]);
        most = fmax(most, stress[i]);
    }
    double *colors = dv_alloc(count ? count : 1, 4 * sizeof *colors);
    for (uint32_t i = 0; i < count; i++) {
        dv_color_of_value(palette, DV_USUAL_PALETTE, least, most, stress[i], colors + 4 * (size_t)i);
        colors[4 * (size_t)i + 3] = dv_data_double(&self->alpha);
    }
    return colors;
}

/* Tetrahedra in the colours of their own stress, apart from each other, or in those of their points'; points in theirs. */
static void draw_stress(TetrahedronFEMForceField *self, DvDraw *target, const double *x)
{
    const DvElementBlocks *mesh = &self->common.blocks.mesh;
    size_t elements, points;
    const double *of_element = dv_data_doubles(&self->von_mises_per_element, &elements);
    const double *of_point = dv_data_doubles(&self->von_mises_per_node, &points);
    if (elements != mesh->elements || points != mesh->points)
        return;
    uint32_t *corner = dv_alloc(mesh->elements ? mesh->elements : 1, 4 * sizeof *corner);
    for (uint32_t e = 0; e < mesh->elements; e++)
        for (uint32_t n = 0; n < 4; n++)
            corner[4 * (size_t)e + n] = dv_element_blocks_point(mesh, e, n);
    const DvElements all = {.at = corner, .count = mesh->elements};
    double *colors = colors_of_stress(self, of_point, mesh->points);
    if (dv_data_bool(&self->show_per_node_map))
        dv_draw_elements(target, DV_TETRAHEDRA, all, x, mesh->points, &(DvElementStyle){.point_colors = colors});
    if (dv_data_bool(&self->show_per_node) && mesh->points > 0)
        target->ops->colored_points(target, x, mesh->points, 10.0, colors);
    dv_free(colors);
    if (dv_data_bool(&self->show_per_element)) {
        colors = colors_of_stress(self, of_element, mesh->elements);
        dv_draw_elements(
            target, DV_TETRAHEDRA, all, x, mesh->points,
            &(DvElementStyle){.element_colors = colors, .shrink = fmin(fmax(dv_data_double(&self->gap), 0.0), 1.0)});
        dv_free(colors);
    }
    dv_free(corner);
}

static void draw(void *self_, DvDraw *target)
{
    TetrahedronFEMForceField *self = self_;
    if (!dv_draw_shows(target, DV_DISPLAY_FORCE_FIELDS) || !self->common.field.base.state.ops)
        return;
    const DvConstVec x = dv_state_read(self->common.field.base.state, DV_POSITION);
    const bool asked = dv_data_bool(&self->show_per_element) || dv_data_bool(&self->show_per_node) ||
                       dv_data_bool(&self->show_per_node_map);
    const bool per_point_only = dv_data_bool(&self->show_per_node) && !dv_data_bool(&self->show_per_element) &&
                                !dv_data_bool(&self->show_per_node_map);
    const bool computed = dv_data_int(&self->compute_von_mises_stress) != 0;
    if (x.count != self->common.blocks.mesh.points)
        return;
    if (asked && computed)
        draw_stress(self, target, x.at);
    if (!asked || !computed || per_point_only)
        tetrahedron_blocks_draw(&self->common.blocks, target, x.at,
                                dv_data_bool(&self->show_per_element) ? dv_data_double(&self->gap) : 0.0,
                                tetrahedron_colors);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

static void destroy(DvObject *object, void *self_)
{
    dv_ordered_hexahedra_free(&((TetrahedronFEMForceField *)self_)->order);
    tetrahedron_force_field_destroy(object, self_);
}

/* The strain that acts where there is plasticity is kept times the volume, for forces alone. */
static bool stress_model(void *self_, DvElementStressModel *model)
{
    TetrahedronFEMForceField *self = self_;
    return !(dv_data_double(&self->plastic_max_threshold) > 0.0) && tetrahedron_force_field_stress(self, model);
}

static const DvElementStressOps stress = {.size = sizeof(DvElementStressOps), .model = stress_model};

static uint64_t operator_version(void *self_)
{
    TetrahedronFEMForceField *self = self_;
    return 2 * tetrahedron_force_field_operator_version(self) + (dv_data_double(&self->plastic_max_threshold) > 0.0);
}

static void describe_operator(void *self_, DvOperator *out)
{
    TetrahedronFEMForceField *self = self_;
    if (dv_data_double(&self->plastic_max_threshold) > 0.0)
        out->why = "plasticity acts on the host alone";
    else
        tetrahedron_force_field_describe(self, out);
}

static const DvOperatorOps operator_ops = {
    .size = sizeof(DvOperatorOps), .version = operator_version, .describe = describe_operator};

const DvClass dv_tetrahedron_fem_force_field = {
    .size = sizeof(DvClass),
    .name = "TetrahedronFEMForceField",
    .variants = "Vec3d",
    DV_FORCE_FIELD_CLASS("ForceField", "BaseLinearElasticityFEMForceField"),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .help = "Linear elastic tetrahedra with large rotations, plasticity and von Mises stress.",
    .instance_size = sizeof(TetrahedronFEMForceField),
    .fields = fields,
    TETRAHEDRON_FORCE_FIELD_CONTRACTS(ops, drawable, stress, operator_ops),
    .init = init,
    .reinit = reinit,
    .update = update,
    .reset = reset,
    .handle_event = handle_event,
    .cleanup = cleanup,
    .destroy = destroy,
};
