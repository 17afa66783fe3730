/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How the values of a MeshMatrixMass follow changes of the mesh.
 */
#include "mesh_matrix_mass.h"

#include <string.h>

#include <divan/memory.h>

/* ---- Changes of the topology ---- */

static void told(MeshMatrixMass *self)
{
    mesh_matrix_tell(self);
    mesh_matrix_seen(self);
}

/* How many elements there were before a change that is done. */
static uint32_t former_count(const DvElementData *data, const DvElementChange *change)
{
    return change->change == DV_ELEMENTS_ADDED     ? data->count - change->count
           : change->change == DV_ELEMENTS_REMOVED ? data->count + change->count
                                                   : data->count;
}

/* Of the exact matrix until its rows are made again: entries with their former numbers. */
static void points_changed(DvElementData *data, const DvElementChange *change)
{
    MeshMatrixMass *self = data->owner;
    if (change->change == DV_POINTS_MOVED)
        return;
    dv_followed_values_change(&self->point_masses, former_count(data, change), change);
    if (self->exact) {
        mesh_matrix_seen(self);
        return;
    }
    self->count = data->count;
    told(self);
}

static void edges_changed(DvElementData *data, const DvElementChange *change)
{
    MeshMatrixMass *self = data->owner;
    dv_followed_values_change(&self->edge_masses, former_count(data, change), change);
    if (self->exact) {
        mesh_matrix_seen(self);
        return;
    }
    self->edge_count = data->count;
    told(self);
}

static void spread_attached(MeshMatrixMass *self, uint32_t first, uint32_t count, double sign)
{
    double *point = dv_data_begin(&self->point_masses, self->count);
    double *edge = dv_data_begin(&self->edge_masses, self->edge_count);
    self->change += mesh_matrix_spread(self, first, count, false, sign, point, edge);
    dv_data_end(&self->point_masses);
    dv_data_end(&self->edge_masses);
}

/* A new element has the density of its ancestors (mixed by the kernel), else that of the first. */
static void densities_added(MeshMatrixMass *self, const DvElementChange *change, uint32_t first)
{
    for (uint32_t i = 0; i < change->count; i++)
        if (!change->ancestor_start || change->ancestor_start[i] == change->ancestor_start[i + 1])
            *mesh_matrix_kept_density(self, first + i) = first ? *mesh_matrix_kept_density(self, 0) : 1.0;
}

static void elements_added(DvElementData *data, const DvElementChange *change, uint32_t first)
{
    densities_added(data->owner, change, first);
    spread_attached(data->owner, first, change->count, 1.0);
}

static void element_removed(DvElementData *data, uint32_t index)
{
    spread_attached(data->owner, index, 1, -1.0);
}

/* The field of one density becomes one of a density for each element with the first change. */
static void elements_changed(DvElementData *data, const DvElementChange *change)
{
    MeshMatrixMass *self = data->owner;
    const uint32_t before = former_count(data, change);
    size_t given;
    (void)dv_data_doubles(&self->density, &given);
    if (given == before && before > 1) {
        dv_followed_values_change(&self->density, before, change);
        double *density = dv_data_begin(&self->density, data->count);
        for (uint32_t e = before; e < data->count; e++)
            density[e] = *mesh_matrix_kept_density(self, e);
        dv_data_end(&self->density);
    } else {
        mesh_matrix_keep_densities(self, false);
    }
    dv_data_set_double(&self->total_mass, dv_data_double(&self->total_mass) + self->change);
    self->change = 0.0;
    if (self->exact)
        mesh_matrix_seen(self);
    else
        told(self);
}

/* ---- ... of the exact matrix */

static double mass_of_element(const MeshMatrixMass *self, uint32_t element)
{
    const ElementMass *e = mesh_matrix_exact_element(self, element);
    double sum = 0.0;
    for (uint32_t i = 0; i < self->mesh.nodes; i++)
        for (uint32_t j = 0; j <= i; j++)
            sum += (i == j ? 1.0 : 2.0) * e->unit[element_mass_entry(i, j)];
    return e->density * sum;
}

static void exact_elements_added(DvElementData *data, const DvElementChange *change, uint32_t first)
{
    MeshMatrixMass *self = data->owner;
    densities_added(self, change, first);
    mesh_matrix_make_units(self, first, change->count);
    for (uint32_t i = 0; i < change->count; i++)
        self->change += mass_of_element(self, first + i);
}

static void exact_element_removed(DvElementData *data, uint32_t index)
{
    MeshMatrixMass *self = data->owner;
    self->change -= mass_of_element(self, index);
}

/* The first masses are put back, or a saved scene has put its own back. */
static void points_replaced(DvElementData *data, DvMeshReplacement why)
{
    MeshMatrixMass *self = data->owner;
    if (why == DV_MESH_RESET)
        (void)dv_start_values_put_back(&self->first_points, &self->point_masses);
    self->count = data->count;
    mesh_matrix_seen(self);
}

static void edges_replaced(DvElementData *data, DvMeshReplacement why)
{
    MeshMatrixMass *self = data->owner;
    if (why == DV_MESH_RESET)
        (void)dv_start_values_put_back(&self->first_edges, &self->edge_masses);
    self->edge_count = data->count;
    mesh_matrix_seen(self);
}

static void elements_replaced(DvElementData *data, DvMeshReplacement why)
{
    MeshMatrixMass *self = data->owner;
    if (why == DV_MESH_RESET) {
        (void)dv_start_values_put_back(&self->first_density, &self->density);
        (void)dv_start_values_put_back(&self->first_total, &self->total_mass);
    }
    mesh_matrix_keep_densities(self, true);
    if (self->exact)
        mesh_matrix_make_units(self, 0, data->count);
    mesh_matrix_seen(self);
}

void mesh_matrix_store_reset_state(DvObject *object, void *self_)
{
    (void)object;
    MeshMatrixMass *self = self_;
    if (!self->element_data.topology)
        return;
    dv_start_values_keep(&self->first_points, &self->point_masses);
    dv_start_values_keep(&self->first_edges, &self->edge_masses);
    dv_start_values_keep(&self->first_density, &self->density);
    dv_start_values_keep(&self->first_total, &self->total_mass);
}

DvStatus mesh_matrix_attach(MeshMatrixMass *self)
{
    self->point_data = (DvElementData){
        .kind = DV_POINTS, .entry_size = 1, .owner = self, .changed = points_changed, .replaced = points_replaced};
    self->edge_data = (DvElementData){
        .kind = DV_EDGES, .entry_size = 1, .owner = self, .changed = edges_changed, .replaced = edges_replaced};
    self->element_data = (DvElementData){.kind = self->mesh.kind,
                                         .entry_size = self->exact ? sizeof(ElementMass) : sizeof(double),
                                         .interpolate = true,
                                         .owner = self,
                                         .added = self->exact ? exact_elements_added : elements_added,
                                         .removed = self->exact ? exact_element_removed : element_removed,
                                         .changed = elements_changed,
                                         .replaced = elements_replaced};
    DvObject *topology = self->mesh.topology.object;
    DvStatus status = dv_mesh_edits_attach(&self->edits, topology, self->exact ? self->mesh.kind : DV_EDGES);
    DvElementData *all[] = {&self->point_data, &self->edge_data, &self->element_data};
    for (size_t i = 0; i < 3 && status == DV_OK; i++)
        status = dv_element_data_attach(all[i], topology);
    mesh_matrix_keep_densities(self, true);
    if (self->exact)
        mesh_matrix_make_units(self, 0, self->element_data.count);
    return status;
}
