/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The life of elements on a mesh that changes.
 */
#include "mesh_rest.h"

#include <divan/kit/element_faults.h>
#include <divan/kit/element_names.h>

static uint32_t count_of(const DvMeshForceField *self, DvElementKind kind)
{
    return dv_topology_elements(&self->topology, kind).count;
}

/* Which elements it takes; where there are none, that is reported. */
static DvStatus choose_elements(DvObject *object, DvMeshForceField *self)
{
    const DvMeshForceFieldKind *kind = self->kind;
    const bool none = count_of(self, kind->elements) == 0;
    self->is_cut = none && kind->parts > 0 && count_of(self, kind->coarse) > 0;
    if (!none || self->is_cut)
        return DV_OK;
    DvText what = {0};
    if (kind->parts > 0)
        dv_text_add(&what, "neither %s nor %s", dv_element_names(kind->elements), dv_element_names(kind->coarse));
    else
        dv_text_add(&what, "no %s", dv_element_names(kind->elements));
    DvStatus status = DV_OK;
    if (kind->must_have)
        status = dv_error(object, DV_ERROR_MISSING, "the topology '%s' has %s", dv_object_path(self->topology.object),
                          what.at);
    else
        dv_warning(object, "the topology '%s' has %s", dv_object_path(self->topology.object), what.at);
    dv_text_free(&what);
    return status;
}

DvStatus dv_mesh_force_field_begin(DvObject *object, DvMeshForceField *self, const DvMeshForceFieldKind *kind,
                                   DvElementBlocks *blocks, DvElasticMaterial *material, DvData *factors)
{
    self->kind = kind;
    self->blocks = blocks;
    DvStatus status = dv_single_state_init(object, &self->base);
    if (status == DV_OK)
        status = dv_topology_require(object, &self->topology_link, kind->need, &self->topology);
    if (status == DV_OK)
        status = choose_elements(object, self);
    const DvElementKind taken = dv_mesh_force_field_source(self);
    if (status == DV_OK && material)
        status = dv_element_materials_attach(&self->materials, material, factors, self->topology.object, taken,
                                             self->is_cut ? kind->parts : 1);
    blocks->kept = dv_kept_pairs_note(&self->kept_pairs, &self->edits);
    if (status == DV_OK)
        status = dv_mesh_edits_attach(&self->edits, self->topology.object, taken);
    if (status != DV_OK)
        dv_single_state_release(&self->base);
    return status;
}

DvStatus dv_mesh_rest(DvMeshForceField *self, DvConstVec *rest)
{
    const uint32_t points = dv_state_count(self->base.state);
    const double *shape = self->kind->shape ? self->kind->shape(self, points) : NULL;
    if (!shape)
        return dv_state_at_rest(dv_object_of(self), self->base.state, rest);
    *rest = (DvConstVec){.at = shape, .count = points, .dim = 3};
    return DV_OK;
}

/* No elements are left, and those of the next build have other couplings. */
static DvStatus fail(DvMeshForceField *self, DvStatus status)
{
    self->kind->clear(self);
    self->structure++;
    return status;
}

static DvStatus build(DvMeshForceField *self)
{
    const DvMeshForceFieldKind *kind = self->kind;
    DvElementSource source = {.elements = dv_topology_elements(&self->topology, dv_mesh_force_field_source(self))};
    uint32_t *parts = NULL;
    DvStatus status = dv_mesh_rest(self, &source.rest);
    if (status == DV_OK && self->is_cut) {
        const uint32_t count = source.elements.count * kind->parts;
        parts = dv_alloc((size_t)count * dv_element_nodes(kind->elements), sizeof *parts);
        kind->cut(self, source.elements, source.rest, parts);
        source.elements = (DvElements){.at = parts, .count = count};
    }
    if (status == DV_OK && self->materials.material)
        status = dv_element_materials_agree(&self->materials, source.elements.count);
    if (status == DV_OK)
        status = kind->build(self, &source);
    dv_free(parts);
    dv_mesh_edits_clear(&self->edits);
    if (status != DV_OK)
        return fail(self, status);
    self->structure++;
    return DV_OK;
}

static DvStatus update(DvMeshForceField *self)
{
    DvElementSource source = {.elements = dv_topology_elements(&self->topology, self->kind->elements)};
    bool paired = true;
    DvStatus status = dv_mesh_rest(self, &source.rest);
    if (status == DV_OK) {
        dv_mesh_edits_sort(&self->edits, source.rest.count, source.elements.count);
        status = self->kind->update(self, &source, &self->edits, &paired);
    }
    dv_mesh_edits_clear(&self->edits);
    if (status != DV_OK)
        return fail(self, status);
    self->structure += !paired;
    self->changed++;
    return DV_OK;
}

DvStatus dv_mesh_force_field_build(DvMeshForceField *self)
{
    const DvStatus status = build(self);
    if (status != DV_OK)
        dv_single_state_release(&self->base);
    return status;
}

DvStatus dv_mesh_force_field_follow(DvMeshForceField *self, uint32_t points)
{
    if (dv_topology_rewritten(&self->topology) || self->edits.all ||
        (self->edits.any && (self->is_cut || self->blocks->elements == 0)))
        return build(self);
    const DvStatus status = self->edits.any ? update(self) : DV_OK;
    return status == DV_OK && points != self->blocks->points ? build(self) : status;
}

void dv_mesh_force_field_report(DvMeshForceField *self)
{
    DvConstVec rest;
    DvObject *object = dv_object_of(self);
    const DvElementKind kind = dv_mesh_force_field_source(self);
    /* Ramified grids have points in one place on purpose. */
    if (!dv_object_ops(self->topology.object, DV_SPARSE_GRID) && self->blocks->elements > 0 &&
        dv_state_at_rest(object, self->base.state, &rest) == DV_OK)
        dv_element_faults_report(object, &self->topology, kind, dv_topology_elements(&self->topology, kind), rest);
}

void dv_mesh_force_field_release(DvMeshForceField *self)
{
    dv_element_materials_detach(&self->materials);
    dv_mesh_edits_detach(&self->edits);
    dv_single_state_release(&self->base);
    dv_topology_release(&self->topology);
}

void dv_mesh_force_field_cleanup(DvObject *object, void *self)
{
    (void)object;
    dv_mesh_force_field_release(self);
}

void dv_mesh_force_field_reserve(void *self, DvPattern *pattern)
{
    dv_element_blocks_reserve(((DvMeshForceField *)self)->blocks, pattern);
}

uint64_t dv_mesh_force_field_structure(void *self)
{
    return ((const DvMeshForceField *)self)->structure;
}

static uint64_t least_pairs(void *self_)
{
    const DvMeshForceField *self = self_;
    return (uint64_t)self->kind->pairs * self->blocks->elements;
}

const DvCoupledPairsOps dv_mesh_force_field_pairs = {.size = sizeof(DvCoupledPairsOps), .least = least_pairs};
