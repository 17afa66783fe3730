/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The values of a DiagonalMass: from the field that is given to the masses of points, and how these follow changes of the mesh.
 */
#include "diagonal_mass.h"

/* ---- Values ---- */

const double *diagonal_mass_masses(DiagonalMass *self)
{
    return dv_data_doubles(&self->point_masses, NULL);
}

static double sum_of_masses(DiagonalMass *self)
{
    const double *mass = diagonal_mass_masses(self);
    double sum = 0.0;
    for (uint32_t i = 0; i < self->count; i++)
        sum += self->bodies ? self->bodies[i].mass : mass[i];
    return sum;
}

/* Masses of `density` per measure; their sum. */
static double spread(DiagonalMass *self, double density)
{
    const DvElements elements = mass_mesh_elements(&self->mesh);
    const DvConstVec x = mass_mesh_positions(&self->mesh, dv_data_bool(&self->compute_on_rest));
    const uint32_t nodes = self->mesh.nodes;
    double *mass = dv_data_begin_all(&self->point_masses, self->count);
    memset(mass, 0, self->count * sizeof *mass);
    double sum = 0.0;
    for (uint32_t e = 0; e < elements.count; e++) {
        const uint32_t *point = elements.at + (size_t)e * nodes;
        const double each = density * mass_mesh_measure(&self->mesh, point, x) / nodes;
        for (uint32_t i = 0; i < nodes; i++) {
            if (point[i] < self->count)
                mass[point[i]] += each;
            sum += each;
        }
    }
    dv_data_end(&self->point_masses);
    return sum;
}

static void scale(DiagonalMass *self, double factor)
{
    double *mass = dv_data_begin(&self->point_masses, self->count);
    for (uint32_t i = 0; i < self->count; i++)
        mass[i] *= factor;
    dv_data_end(&self->point_masses);
}

/* The measure of the whole mesh; 0 without one. */
static double measure(DiagonalMass *self)
{
    if (!self->mesh.topology.object)
        return 0.0;
    const DvElements elements = mass_mesh_elements(&self->mesh);
    const DvConstVec x = mass_mesh_positions(&self->mesh, dv_data_bool(&self->compute_on_rest));
    double sum = 0.0;
    for (uint32_t e = 0; e < elements.count; e++)
        sum += mass_mesh_measure(&self->mesh, elements.at + (size_t)e * self->mesh.nodes, x);
    return sum;
}

static double part_of(DiagonalMass *self, DvElements elements, uint32_t element, DvConstVec x)
{
    const uint32_t nodes = self->mesh.nodes;
    return dv_data_double(&self->density) * mass_mesh_measure(&self->mesh, elements.at + (size_t)element * nodes, x) /
           nodes;
}

/* What each element gives, or would give, to its points. */
static void note_parts(DiagonalMass *self)
{
    if (!self->element_data.topology)
        return;
    const DvElements elements = mass_mesh_elements(&self->mesh);
    const DvConstVec x = mass_mesh_positions(&self->mesh, dv_data_bool(&self->compute_on_rest));
    double *part = self->element_data.entries;
    for (uint32_t e = 0; e < elements.count; e++)
        part[e] = part_of(self, elements, e, x);
}

static void seen(DiagonalMass *self)
{
    self->point_masses_version = dv_data_version(&self->point_masses);
    self->density_version = dv_data_version(&self->density);
    self->total_mass_version = dv_data_version(&self->total_mass);
}

void diagonal_mass_complete(DiagonalMass *self)
{
    if (self->given == GIVEN_DENSITY) {
        dv_data_set_double(&self->total_mass, spread(self, dv_data_double(&self->density)));
    } else if (self->given == GIVEN_TOTAL_MASS) {
        const double sum = spread(self, 1.0);
        const double density = sum < DBL_EPSILON ? 1.0 : dv_data_double(&self->total_mass) / sum;
        scale(self, density);
        dv_data_set_double(&self->density, density);
    } else {
        const double sum = sum_of_masses(self), whole = measure(self);
        dv_data_set_double(&self->total_mass, sum);
        if (whole > DBL_EPSILON)
            dv_data_set_double(&self->density, sum / whole);
    }
    note_parts(self);
    seen(self);
}

void diagonal_mass_read_bodies(DiagonalMass *self)
{
    const DvDofType *dof = self->base.state.dof;
    const uint32_t stride = dv_body_mass_numbers(dof);
    size_t numbers;
    const double *given = dv_data_doubles(&self->point_masses, &numbers);
    self->turning.count = 0;
    dv_free(self->bodies);
    self->bodies = dv_alloc(self->count, sizeof *self->bodies);
    for (uint32_t i = 0; i < self->count; i++) {
        const size_t at = (size_t)i * stride;
        self->bodies[i] = mass_from_shape(&self->base, given + at, at < numbers ? numbers - at : 0);
    }
}

/* ---- Changes of the topology ---- */

/* A scene that is saved before the sums are made makes them when it goes on. */
static void note_unsummed(DiagonalMass *self)
{
    const DvIndexArray *points = &self->edits.points;
    const size_t noted = self->unsummed.count;
    if (self->edits.all && noted > 0) /* then masses stay as they have been changed */
        dv_data_set(&self->unsummed, NULL, 0);
    if (self->edits.all || points->count <= noted)
        return;
    uint32_t *at = dv_data_begin(&self->unsummed, points->count);
    memcpy(at + noted, points->data + noted, (points->count - noted) * sizeof *at);
    dv_data_end(&self->unsummed);
}

static void forget_edits(DiagonalMass *self)
{
    dv_mesh_edits_clear(&self->edits);
    if (self->unsummed.count > 0)
        dv_data_set(&self->unsummed, NULL, 0);
}

void diagonal_mass_points_changed(DvElementData *data, const DvElementChange *change)
{
    DiagonalMass *self = data->owner;
    if (change->change == DV_POINTS_MOVED)
        return;
    const uint32_t old = self->count;
    self->count = data->count;
    self->structure += 1;
    dv_followed_values_change(&self->point_masses, old, change);
    note_unsummed(self);
    seen(self);
}

/* At once, so that the field is right whoever reads it; to the last bit once it is summed up. */
static void give(DiagonalMass *self, uint32_t element, double each)
{
    const uint32_t *point = mass_mesh_elements(&self->mesh).at + (size_t)element * self->mesh.nodes;
    double *mass = dv_data_begin(&self->point_masses, self->count);
    for (uint32_t i = 0; i < self->mesh.nodes; i++)
        if (point[i] < self->count) {
            mass[point[i]] += each;
            self->change += each;
        }
    dv_data_end(&self->point_masses);
}

void diagonal_mass_elements_added(DvElementData *data, const DvElementChange *change, uint32_t first)
{
    DiagonalMass *self = data->owner;
    const DvElements elements = mass_mesh_elements(&self->mesh);
    const DvConstVec x = mass_mesh_positions(&self->mesh, true);
    double *part = data->entries;
    for (uint32_t e = first; e < first + change->count; e++) {
        part[e] = part_of(self, elements, e, x);
        give(self, e, part[e]);
    }
}

void diagonal_mass_element_removed(DvElementData *data, uint32_t index)
{
    DiagonalMass *self = data->owner;
    const double *part = data->entries;
    give(self, index, -part[index]);
}

void diagonal_mass_elements_changed(DvElementData *data, const DvElementChange *change)
{
    (void)change;
    DiagonalMass *self = data->owner;
    dv_data_set_double(&self->total_mass, dv_data_double(&self->total_mass) + self->change);
    self->change = 0.0;
    note_unsummed(self);
    seen(self);
}

void diagonal_mass_elements_replaced(DvElementData *data, DvMeshReplacement why)
{
    DiagonalMass *self = data->owner;
    const DvElements elements = mass_mesh_elements(&self->mesh);
    const DvConstVec x = mass_mesh_positions(&self->mesh, true);
    double *part = data->entries;
    if (why == DV_MESH_RESET) {
        (void)dv_start_values_put_back(&self->first_masses, &self->point_masses);
        (void)dv_start_values_put_back(&self->first_total, &self->total_mass);
        (void)dv_start_values_put_back(&self->first_density, &self->density);
    }
    self->count = self->point_data.count;
    self->structure++;
    for (uint32_t e = 0; e < data->count; e++)
        part[e] = part_of(self, elements, e, x);
    if (why == DV_MESH_RESET) {
        forget_edits(self);
    } else {
        size_t count;
        const uint32_t *points = dv_data_uints(&self->unsummed, &count);
        dv_mesh_edits_clear(&self->edits);
        dv_mesh_edits_touch_points(&self->edits, points, (uint32_t)count);
    }
    seen(self);
}

void diagonal_mass_store_reset_state(DvObject *object, void *self_)
{
    (void)object;
    DiagonalMass *self = self_;
    if (!self->element_data.topology)
        return;
    dv_start_values_keep(&self->first_masses, &self->point_masses);
    dv_start_values_keep(&self->first_total, &self->total_mass);
    dv_start_values_keep(&self->first_density, &self->density);
}

void diagonal_mass_points_replaced(DvElementData *data, DvMeshReplacement why)
{
    (void)why;
    ((DiagonalMass *)data->owner)->count = data->count;
}

void diagonal_mass_sum_up(DiagonalMass *self)
{
    DvMeshEdits *edits = &self->edits;
    const DvTopologyRef *topology = &self->mesh.topology;
    const double *part = self->element_data.entries;
    if (self->given != GIVEN_POINT_MASSES && !edits->all) {
        const DvAdjacency around = topology->ops->adjacency(topology->self, DV_POINTS, self->mesh.kind);
        double *mass = dv_data_begin(&self->point_masses, self->count);
        dv_mesh_edits_sort(edits, self->count < around.count ? self->count : around.count, self->element_data.count);
        for (uint32_t i = 0; i < edits->points.count; i++) {
            const uint32_t point = edits->points.data[i];
            mass[point] = 0.0;
            for (uint32_t e = around.begin[point]; e < around.end[point]; e++)
                mass[point] += part[around.items[e]];
        }
        dv_data_end(&self->point_masses);
        seen(self);
    }
    forget_edits(self);
}
