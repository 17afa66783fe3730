/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * BeamFEMForceField: beams of round section on the edges of a mesh of rigid frames, with large rotations.
 *
 * What a beam computes is in beam_blocks.h. Its axes are those of the first frame of the edge: at rest x of that frame is to point along the
 * edge, and the other frame to be alike. With `consistentFrames` any frames and any shape at rest are right.
 *
 * Beams are all edges of the mesh, or those of `listSegment`. They follow its changes: an edge that goes takes its beam with it, edges
 * into which others are split are beams as these were, new ones where all are.
 */
#include "forcefield/fem/beam_blocks.h"

#include "costs.h"

#include <divan/kit/element_faults.h>
#include <divan/kit/element_set.h>
#include <divan/kit/mesh_force_field.h>
#include <divan/math/rigid.h>
#include <divan/worst.h>

typedef struct BeamFEMForceField {
    DvMeshForceField field; /* first */
    BeamBlocks blocks;
    DvElasticMaterial material;
    DvData radius, radius_inner, segments, consistent;
    DvData kept; /* DvElementSet */

    DvElementSet set; /* of `listSegment`; not followed where all edges are beams */
    bool is_subset;
    uint64_t segments_version;
} BeamFEMForceField;

#define FIELD(member, name, type, ...) DV_FIELD(BeamFEMForceField, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    DV_MESH_FORCE_FIELD_FIELDS(BeamFEMForceField, field),
    DV_MATERIAL_FIELDS(BeamFEMForceField, material, 0),
    FIELD(radius, "radius", dv_type_double, .init = "0.1", .unit = "m", .range = &dv_range_positive,
          .flags = DV_FIELD_REQUIRED, .group = "material", .help = "of the section"),
    FIELD(radius_inner, "radiusInner", dv_type_double, .init = "0", .unit = "m", .range = &dv_range_not_negative,
          .group = "material", .help = "of the hole of a tube; 0: there is none"),
    FIELD(segments, "listSegment", dv_type_uints, .flags = DV_FIELD_EMPTY_IS_ALL,
          .help =
              "edges that are beams, by their numbers at the start; they stay so when the mesh changes; empty: all"),
    FIELD(
        consistent, "consistentFrames", dv_type_bool, .init = "0",
        .help =
            "the axis of a beam is its edge, whatever its frames are at rest; otherwise x of the first frame, and both "
            "frames are to be alike"),
    DV_ELEMENT_SET_FIELD(BeamFEMForceField, kept, "presentSegments"),
    DV_FIELD_HELD("useSymmetricAssembly", dv_type_bool, .init = "0", .help = "the matrix is symmetric in either way"),
    DV_FIELD_HELD("beamsData", dv_type_string, .flags = DV_FIELD_HIDDEN, .help = "beams are computed from the mesh"),
    {0},
};

/* How often an edge is a beam. */
static double share_of(const BeamFEMForceField *self, uint32_t edge)
{
    if (!self->is_subset)
        return 1.0;
    const uint32_t place = edge < self->set.place.count ? ((const uint32_t *)self->set.place.entries)[edge] : 0;
    return place > 0 ? self->set.at[place - 1].share : 0.0;
}

/* From the list, or none where it names edges that are not there: then all are beams. */
static DvStatus select_edges(BeamFEMForceField *self)
{
    size_t count;
    const uint32_t *list = dv_data_uints(&self->segments, &count);
    const uint32_t edges = dv_topology_elements(&self->field.topology, DV_EDGES).count;
    dv_element_set_leave(&self->set);
    self->segments_version = dv_data_version(&self->segments);
    self->is_subset = count > 0;
    for (size_t i = 0; i < count && self->is_subset; i++)
        if (list[i] >= edges) {
            dv_field_warning(&self->segments, (int64_t)i,
                             "no edge %u: the mesh has %u, counted from 0; all edges are taken for beams", list[i],
                             edges);
            self->is_subset = false;
        }
    if (!self->is_subset)
        return DV_OK;
    const DvStatus status = dv_element_set_start(&self->set, self->field.topology.object, DV_EDGES);
    return status == DV_OK ? dv_element_set_add_list(&self->set, &self->segments, "edge", true) : status;
}

static BeamSection section_of(BeamFEMForceField *self, uint32_t edge)
{
    const DvElementMaterial material = dv_element_material(&self->field.materials, edge);
    const double radius = dv_data_double(&self->radius), inner = dv_data_double(&self->radius_inner);
    const double outer_square = radius * radius, inner_square = inner * inner, share = share_of(self, edge);
    return (BeamSection){.young = share * material.young,
                         .shear = share * dv_lame_mu(material.young, material.poisson),
                         .area = DV_PI * (outer_square - inner_square),
                         .second_moment = DV_PI / 4.0 * (outer_square * outer_square - inner_square * inner_square)};
}

/* Of some beams; `numbers` NULL: of the first `count`. */
static DvStatus shape(BeamFEMForceField *self, const DvElementSource *source, const uint32_t *numbers, uint32_t count)
{
    DvWorst none = {0};
    char text[DV_WORST_TEXT];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t beam = numbers ? numbers[i] : i;
        const BeamSection section = section_of(self, beam);
        if (!beam_blocks_shape(&self->blocks, beam, source->rest.at, &section) && share_of(self, beam) > 0.0)
            dv_worst_add(&none, beam, 0.0);
    }
    if (none.count == 0)
        return DV_OK;
    return dv_error(dv_object_of(self), DV_ERROR_INVALID,
                    "%u of %u beams have no length at rest: %s; remove these edges from the mesh", none.count,
                    source->elements.count, dv_worst_text(&none, text));
}

static DvStatus build(void *self_, const DvElementSource *source)
{
    BeamFEMForceField *self = self_;
    DvStatus status = beam_blocks_build(&self->blocks, dv_object_of(self), source->rest.count, source->elements,
                                        dv_data_bool(&self->consistent));
    if (status == DV_OK && self->set.anew)
        status = select_edges(self);
    return status == DV_OK ? shape(self, source, NULL, source->elements.count) : status;
}

static DvStatus update(void *self_, const DvElementSource *source, const DvMeshEdits *edits, bool *paired)
{
    BeamFEMForceField *self = self_;
    const DvStatus status = beam_blocks_update(&self->blocks, dv_object_of(self), edits, &self->field.topology,
                                               source->rest.count, source->elements, paired);
    return status == DV_OK ? shape(self, source, edits->elements.data, edits->elements.count) : status;
}

static void clear(void *self)
{
    beam_blocks_free(&((BeamFEMForceField *)self)->blocks);
}

static const DvMeshForceFieldKind kind = {.need = "a container of edges",
                                          .elements = DV_EDGES,
                                          .pairs = 1,
                                          .must_have = true,
                                          .build = build,
                                          .update = update,
                                          .clear = clear};

static DvStatus reinit(DvObject *object, void *self_)
{
    (void)object;
    BeamFEMForceField *self = self_;
    const double radius = dv_data_double(&self->radius), inner = dv_data_double(&self->radius_inner);
    DvStatus status = DV_OK;
    if (!(inner < radius))
        status = dv_field_error(&self->radius_inner, -1, "%g is not smaller than the radius, %g", inner, radius);
    if (status == DV_OK && self->segments_version != dv_data_version(&self->segments))
        status = select_edges(self);
    if (status != DV_OK) {
        dv_single_state_release(&self->field.base);
        return status;
    }
    dv_element_materials_read(&self->field.materials);
    return dv_mesh_force_field_build(&self->field);
}

static void warn_of_slanted(const BeamFEMForceField *self)
{
    DvWorst slanted = {0};
    char text[DV_WORST_TEXT];
    for (uint32_t i = 0; i < self->blocks.mesh.elements; i++) {
        const double angle = share_of(self, i) > 0.0 ? beam_blocks_slant(&self->blocks, i) : 0.0;
        if (angle > 1e-6)
            dv_worst_add(&slanted, i, angle * 180.0 / DV_PI);
    }
    if (slanted.count > 0)
        dv_warning(
            dv_object_of(self),
            "%u of %u beams bend and turn about wrong axes, since at rest x of their first frame does not point along "
            "them or their frames are not alike: %s degrees; set 'consistentFrames', or turn the frames",
            slanted.count, self->blocks.mesh.elements, dv_worst_text(&slanted, text));
}

static DvStatus init(DvObject *object, void *self_)
{
    BeamFEMForceField *self = self_;
    self->segments_version = UINT64_MAX;
    DvStatus status = dv_element_set_keep_in(&self->set, &self->kept, &self->field.base.rayleigh_stiffness);
    if (status == DV_OK)
        status = dv_mesh_force_field_begin(object, &self->field, &kind, &self->blocks.mesh, &self->material, NULL);
    if (status == DV_OK)
        status = reinit(object, self);
    if (status != DV_OK)
        return status;
    warn_of_slanted(self);
    dv_mesh_force_field_report(&self->field);
    dv_element_faults_report_twice(object, &self->field.topology, DV_EDGES,
                                   dv_topology_elements(&self->field.topology, DV_EDGES));
    return DV_OK;
}

/* Writes which edges are beams, once the mesh has changed. */
static DvStatus keep(DvObject *object, void *self_)
{
    BeamFEMForceField *self = self_;
    if (dv_object_is_valid(object) && self->set.kept)
        dv_element_set_keep(&self->set);
    return DV_OK;
}

static void cleanup(DvObject *object, void *self_)
{
    BeamFEMForceField *self = self_;
    dv_element_set_leave(&self->set);
    dv_mesh_force_field_cleanup(object, self);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    BeamFEMForceField *self = self_;
    beam_blocks_free(&self->blocks);
    dv_element_set_free(&self->set);
}

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)step;
    (void)v;
    BeamFEMForceField *self = self_;
    if (dv_mesh_force_field_follow(&self->field, x->count) == DV_OK)
        beam_blocks_force(&self->blocks, x, f);
}

static void add_dforce(void *self_, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    (void)step;
    (void)b;
    BeamFEMForceField *self = self_;
    if (dx->count == self->blocks.mesh.points)
        beam_blocks_dforce(&self->blocks, k, dx, df);
}

static void assemble(void *self, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    (void)step;
    (void)b;
    beam_blocks_assemble(&((BeamFEMForceField *)self)->blocks, k, view);
}

static double energy(void *self_, const DvStep *step, const DvConstVec *x)
{
    (void)step;
    BeamFEMForceField *self = self_;
    return x->count == self->blocks.mesh.points ? beam_blocks_energy(&self->blocks, x) : 0.0;
}

static void cost(void *self, double *product, double *assembly)
{
    const double beams = ((const BeamFEMForceField *)self)->blocks.mesh.elements;
    *product = cost_beam_product * beams;
    *assembly = cost_beam_assembly * beams;
}

static const DvForceFieldOps ops = {
    .size = sizeof ops,
    .states = dv_single_state_states,
    .add_force = add_force,
    .add_dforce = add_dforce,
    .reserve = dv_mesh_force_field_reserve,
    .assemble = assemble,
    .structure = dv_mesh_force_field_structure,
    .energy = energy,
    .cost = cost,
};

static double bound(void *self)
{
    return beam_blocks_bound(&((const BeamFEMForceField *)self)->blocks);
}

static const DvElementsCause cause = DV_ELEMENTS_CAUSE(.bound = bound);

/* ---- Drawing ---- */

enum { PIECES = 8 }; /* that a beam is drawn in, so that one sees it bent */

/* The axis of a bent beam by its ends and the directions there, and back by one cubic. */
static void draw_axis(const BeamFEMForceField *self, uint32_t beam, const double *x, double *at)
{
    const BeamBlock *block = &self->blocks.block[beam / DV_LANES];
    const uint32_t lane = beam % DV_LANES;
    const DvRigid3 a = dv_rigid3_load(x + 7 * (size_t)dv_element_blocks_point(&self->blocks.mesh, beam, 0)),
                   b = dv_rigid3_load(x + 7 * (size_t)dv_element_blocks_point(&self->blocks.mesh, beam, 1));
    const DvVec3 along = dv_vec3(block->distance[0][lane], block->distance[1][lane], block->distance[2][lane]);
    const DvQuat turn = dv_quat(block->turn[0][lane], block->turn[1][lane], block->turn[2][lane], block->turn[3][lane]);
    const DvVec3 first = dv_quat_rotate(a.orientation, along),
                 last = dv_quat_rotate(b.orientation, dv_quat_inverse_rotate(turn, along));
    for (uint32_t i = 0; i <= PIECES; i++) {
        const double t = (double)i / PIECES, u = 1.0 - t;
        DvVec3 p = dv_vec3_add(dv_vec3_scale(a.center, (1.0 + 2.0 * t) * u * u),
                               dv_vec3_scale(b.center, t * t * (3.0 - 2.0 * t)));
        p = dv_vec3_madd(dv_vec3_madd(p, t * u * u, first), -t * t * u, last);
        dv_vec3_store(p, at + 3 * (size_t)i);
    }
}

static void draw(void *self_, DvDraw *target)
{
    static const double color[4] = {0.9, 0.6, 0.1, 1.0};
    BeamFEMForceField *self = self_;
    const uint32_t beams = self->blocks.mesh.elements;
    if (!dv_draw_shows(target, DV_DISPLAY_FORCE_FIELDS) || !self->field.base.state.ops || beams == 0)
        return;
    const DvConstVec x = dv_state_read(self->field.base.state, DV_POSITION);
    if (x.count != self->blocks.mesh.points)
        return;
    const size_t pieces = (size_t)beams * PIECES;
    double *ends = dv_alloc(pieces, 6 * sizeof *ends), *radii = dv_alloc(pieces, sizeof *radii);
    uint32_t count = 0;
    for (uint32_t i = 0; i < beams; i++) {
        double at[3 * (PIECES + 1)];
        if (share_of(self, i) == 0.0)
            continue;
        draw_axis(self, i, x.at, at);
        for (uint32_t p = 0; p < PIECES; p++, count++) {
            memcpy(ends + 6 * (size_t)count, at + 3 * (size_t)p, 6 * sizeof *ends);
            radii[count] = dv_data_double(&self->radius);
        }
    }
    target->ops->cylinders(target, ends, radii, count, color);
    target->ops->lines(target, ends, count, 1.0, color); /* of beams too thin to be seen */
    dv_free(ends);
    dv_free(radii);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_beam_fem_force_field = {
    .size = sizeof(DvClass),
    .name = "BeamFEMForceField",
    .variants = "Rigid3d",
    DV_FORCE_FIELD_CLASS("ForceField", "BaseLinearElasticityFEMForceField"),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .help = "Beams of round section between rigid frames, with large rotations.",
    .instance_size = sizeof(BeamFEMForceField),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_FORCE_FIELD, .ops = &ops},
                                      {.id = DV_FAULT_CAUSE, .ops = &cause},
                                      {.id = DV_COUPLED_PAIRS, .ops = &dv_mesh_force_field_pairs},
                                      {.id = DV_DRAWABLE, .ops = &drawable},
                                      {0}},
    .init = init,
    .reinit = reinit,
    .update = keep,
    .cleanup = cleanup,
    .destroy = destroy,
};
