/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The values of a MeshMatrixMass: from the field that is given to the masses of points and edges, and again when a field changes.
 */
#include "mesh_matrix_mass.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include <divan/memory.h>
#include <divan/parallel.h>

/* ---- Values ---- */

const double *mesh_matrix_points(MeshMatrixMass *self)
{
    if (self->exact)
        return self->lumped ? self->matrix.weight : self->matrix.diagonal;
    return dv_data_doubles(&self->point_masses, NULL);
}

const double *mesh_matrix_edges(MeshMatrixMass *self)
{
    return self->exact ? self->half.value : dv_data_doubles(&self->edge_masses, NULL);
}

const double *mesh_matrix_weights(MeshMatrixMass *self)
{
    return self->exact ? self->matrix.weight : mesh_matrix_points(self);
}

void mesh_matrix_choose_coefficients(MeshMatrixMass *self)
{
    static const struct {
        DvElementKind kind;
        double point, edge, lump;
    } table[] = {
        {DV_TRIANGLES, 6, 12, 2}, {DV_QUADS, 8, 16, 2}, {DV_TETRAHEDRA, 10, 20, 2.5}, {DV_HEXAHEDRA, 20, 40, 2.5}};
    self->to_point = self->to_edge = 0.0;
    self->lump = 1.0;
    if (self->exact)
        return;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].kind == self->mesh.kind) {
            self->to_point = 1.0 / table[i].point;
            self->to_edge = 1.0 / table[i].edge;
            self->lump = table[i].lump;
        }
}

DvElements mesh_matrix_mesh_edges(const MeshMatrixMass *self)
{
    return dv_topology_elements(&self->mesh.topology, DV_EDGES);
}

static double given_density(MeshMatrixMass *self, uint32_t element)
{
    size_t count;
    const double *density = dv_data_doubles(&self->density, &count);
    return count == 0 ? 1.0 : density[element < count ? element : 0];
}

double *mesh_matrix_kept_density(const MeshMatrixMass *self, uint32_t element)
{
    return dv_element_data_entry(&self->element_data, element); /* of ElementMass, too */
}

ElementMass *mesh_matrix_exact_element(const MeshMatrixMass *self, uint32_t element)
{
    return dv_element_data_entry(&self->element_data, element);
}

void mesh_matrix_make_units(MeshMatrixMass *self, uint32_t first, uint32_t count)
{
    for (uint32_t e = first; e < first + count; e++)
        consistent_mass_unit(&self->matrix, e, mesh_matrix_exact_element(self, e)->unit);
}

static double density_of(MeshMatrixMass *self, uint32_t element)
{
    return self->element_data.topology ? *mesh_matrix_kept_density(self, element) : given_density(self, element);
}

void mesh_matrix_find_half_edges(MeshMatrixMass *self)
{
    const DvElements list = mesh_matrix_mesh_edges(self);
    self->edge_count = list.count;
    half_edges_build(&self->half, self->count, list);
}

double mesh_matrix_spread(MeshMatrixMass *self, uint32_t first, uint32_t count, bool unit_density, double sign,
                          double *point, double *edge)
{
    const DvElements elements = mass_mesh_elements(&self->mesh);
    DvAdjacency of = {0};
    if (self->mesh.kind != DV_EDGES)
        of = self->mesh.topology.ops->adjacency(self->mesh.topology.self, self->mesh.kind, DV_EDGES);
    const DvConstVec x = mass_mesh_positions(&self->mesh, dv_data_bool(&self->compute_on_rest));
    double on_points = 0.0, on_edges = 0.0;
    for (uint32_t e = first; e < first + count; e++) {
        const uint32_t *nodes = elements.at + (size_t)e * self->mesh.nodes;
        const double mass =
            sign * (unit_density ? 1.0 : density_of(self, e)) * mass_mesh_measure(&self->mesh, nodes, x);
        for (uint32_t i = 0; i < self->mesh.nodes; i++)
            if (nodes[i] < self->count) {
                point[nodes[i]] += mass * self->to_point;
                on_points += mass * self->to_point;
            }
        for (uint32_t i = e < of.count ? of.begin[e] : 0; e < of.count && i < of.end[e]; i++)
            if (of.items[i] < self->edge_count) {
                edge[of.items[i]] += mass * self->to_edge;
                on_edges += mass * self->to_edge;
            }
    }
    return self->lumped ? self->lump * on_points : on_points + 2.0 * on_edges;
}

static double sum_of_masses(MeshMatrixMass *self)
{
    const double *point = mesh_matrix_weights(self), *edge = self->exact ? NULL : mesh_matrix_edges(self);
    double sum = 0.0, between = 0.0;
    for (uint32_t i = 0; i < self->count; i++)
        sum += point[i];
    for (uint32_t e = 0; edge && !self->lumped && e < self->edge_count; e++)
        between += edge[e];
    return self->lumped ? self->lump * sum : sum + 2.0 * between;
}

void mesh_matrix_seen(MeshMatrixMass *self)
{
    self->point_version = dv_data_version(&self->point_masses);
    self->edge_version = dv_data_version(&self->edge_masses);
    self->density_version = dv_data_version(&self->density);
    self->total_version = dv_data_version(&self->total_mass);
}

void mesh_matrix_tell(MeshMatrixMass *self)
{
    if (!dv_data_bool(&self->print_mass))
        return;
    const double sum = sum_of_masses(self);
    size_t count;
    (void)dv_data_doubles(&self->graph, &count);
    double *sums = dv_data_begin(&self->graph, count + 1);
    sums[count] = sum;
    dv_data_end(&self->graph);
    dv_info(dv_object_of(self), "total mass: %.17g kg", sum);
}

/* Between the ends of an edge, of the exact matrix. */
static double entry_along(const MeshMatrixMass *self, const uint32_t end[2])
{
    for (uint32_t h = end[0] < self->count ? self->half.begin[end[0]] : 0;
         end[0] < self->count && h < self->half.end[end[0]]; h++)
        if (self->half.at[h].other == end[1])
            return self->half.value[h];
    return 0.0;
}

/* The fields that show the exact matrix: its diagonal, or the sums of its rows, and what lies along edges. */
static void show_matrix(MeshMatrixMass *self)
{
    const DvElements list = mesh_matrix_mesh_edges(self);
    self->edge_count = list.count;
    double *edge = dv_data_begin_all(&self->edge_masses, list.count);
    for (uint32_t e = 0; e < list.count; e++)
        edge[e] = entry_along(self, list.at + 2 * (size_t)e);
    dv_data_end(&self->edge_masses);
    dv_data_set(&self->point_masses, mesh_matrix_points(self), self->count);
}

/* The same of touched points and their edges. */
static void show_touched(MeshMatrixMass *self)
{
    const DvElements list = mesh_matrix_mesh_edges(self);
    const DvTopologyRef *topology = &self->mesh.topology;
    const DvAdjacency around = topology->ops->adjacency(topology->self, DV_POINTS, DV_EDGES);
    double *point = dv_data_begin(&self->point_masses, self->count);
    double *edge = dv_data_begin(&self->edge_masses, list.count);
    for (uint32_t i = 0; i < self->edits.points.count; i++) {
        const uint32_t p = self->edits.points.data[i];
        point[p] = mesh_matrix_points(self)[p];
        for (uint32_t k = p < around.count ? around.begin[p] : 0; p < around.count && k < around.end[p]; k++)
            edge[around.items[k]] = entry_along(self, list.at + 2 * (size_t)around.items[k]);
    }
    dv_data_end(&self->point_masses);
    dv_data_end(&self->edge_masses);
}

/* Masses of the elements for one density. */
static void gather_exact(MeshMatrixMass *self, const double *one_density)
{
    const uint32_t count = mass_mesh_elements(&self->mesh).count;
    const bool kept = self->element_data.topology != NULL;
    ElementMass *elements = kept ? self->element_data.entries : dv_alloc(count, sizeof *elements);
    for (uint32_t e = 0; e < count; e++) {
        if (!kept)
            consistent_mass_unit(&self->matrix, e, elements[e].unit);
        if (one_density || !kept)
            elements[e].density = one_density ? *one_density : given_density(self, e);
    }
    consistent_mass_build(&self->matrix, &self->half, self->count, elements);
    if (!kept)
        dv_free(elements);
}

static void gather_elements(MeshMatrixMass *self, bool unit_density)
{
    double *point = dv_data_begin_all(&self->point_masses, self->count);
    double *edge = dv_data_begin_all(&self->edge_masses, self->edge_count);
    memset(point, 0, self->count * sizeof *point);
    memset(edge, 0, self->edge_count * sizeof *edge);
    (void)mesh_matrix_spread(self, 0, mass_mesh_elements(&self->mesh).count, unit_density, 1.0, point, edge);
    dv_data_end(&self->point_masses);
    dv_data_end(&self->edge_masses);
}

static void multiply(MeshMatrixMass *self, double factor)
{
    double *point = dv_data_begin(&self->point_masses, self->count);
    double *edge = dv_data_begin(&self->edge_masses, self->edge_count);
    for (uint32_t i = 0; i < self->count; i++)
        point[i] *= factor;
    for (uint32_t e = 0; e < self->edge_count; e++)
        edge[e] *= factor;
    dv_data_end(&self->point_masses);
    dv_data_end(&self->edge_masses);
}

/* The density with which a mesh whose mass is `sum` for density 1 has that of the field. */
static double density_of_total(MeshMatrixMass *self, double sum, double least)
{
    return sum > least ? dv_data_double(&self->total_mass) / sum : 1.0;
}

static void complete_exact(MeshMatrixMass *self)
{
    const double one = 1.0;
    if (self->given == GIVEN_TOTAL_MASS) {
        gather_exact(self, &one);
        const double density = density_of_total(self, sum_of_masses(self), 0.0);
        gather_exact(self, &density);
        dv_data_set(&self->density, &density, 1);
    } else {
        gather_exact(self, NULL);
        dv_data_set_double(&self->total_mass, sum_of_masses(self));
    }
    show_matrix(self);
}

void mesh_matrix_complete(MeshMatrixMass *self)
{
    if (self->exact) {
        complete_exact(self);
    } else {
        if (self->given != GIVEN_MASSES)
            gather_elements(self, self->given == GIVEN_TOTAL_MASS);
        if (self->given == GIVEN_TOTAL_MASS) {
            const double density = density_of_total(self, sum_of_masses(self), DBL_EPSILON);
            multiply(self, density);
            dv_data_set(&self->density, &density, 1);
        } else {
            dv_data_set_double(&self->total_mass, sum_of_masses(self));
        }
    }
    mesh_matrix_tell(self);
    mesh_matrix_seen(self);
}

static void warn_of_a_change(MeshMatrixMass *self, DvData *field, bool stays)
{
    if (self->warned)
        return;
    self->warned = true;
    (void)dv_field_error(field, -1, "it cannot change while the scene runs and stays %s", stays ? "true" : "false");
}

void mesh_matrix_keep_densities(MeshMatrixMass *self, bool from_field)
{
    const uint32_t count = self->element_data.count;
    if (!self->element_data.topology)
        return;
    for (uint32_t e = 0; from_field && e < count; e++)
        *mesh_matrix_kept_density(self, e) = given_density(self, e);
    if (from_field)
        return;
    double *density = dv_data_begin_all(&self->density, count);
    for (uint32_t e = 0; e < count; e++)
        density[e] = *mesh_matrix_kept_density(self, e);
    dv_data_end(&self->density);
}

/* The elements have been told of all changes that the mesh has been through. */
static bool told_of_all(const MeshMatrixMass *self)
{
    return !self->element_data.topology || (self->element_data.count == mass_mesh_elements(&self->mesh).count &&
                                            self->edge_data.count == mesh_matrix_mesh_edges(self).count);
}

/* Rows of touched points. */
static void follow_elements(MeshMatrixMass *self)
{
    self->count = self->point_data.count;
    self->edge_count = self->edge_data.count;
    if (self->edits.all) {
        consistent_mass_build(&self->matrix, &self->half, self->count, self->element_data.entries);
        show_matrix(self);
    } else {
        dv_mesh_edits_sort(&self->edits, self->count, self->element_data.count);
        consistent_mass_update(&self->matrix, &self->half, &self->edits, self->count, self->element_data.entries);
        show_touched(self);
    }
    dv_mesh_edits_clear(&self->edits);
    self->given = GIVEN_DENSITY;
    mesh_matrix_tell(self);
    mesh_matrix_seen(self);
}

/* Follows changes of the fields and of the mesh. */
static void update_exact(MeshMatrixMass *self)
{
    if (!told_of_all(self))
        return; /* in the middle of a change */
    const bool density = dv_data_version(&self->density) != self->density_version;
    const bool total = dv_data_version(&self->total_mass) != self->total_version;
    const bool results = dv_data_version(&self->point_masses) != self->point_version ||
                         dv_data_version(&self->edge_masses) != self->edge_version;
    const bool rewritten = dv_topology_rewritten(&self->mesh.topology);
    if (density)
        mesh_matrix_keep_densities(self, true);
    if (self->edits.any)
        follow_elements(self);
    if (!rewritten && !density && !total && !results)
        return;
    self->count = dv_state_count(self->base.state);
    if (rewritten && self->element_data.topology)
        mesh_matrix_make_units(self, 0, self->element_data.count);
    if (total)
        self->given = GIVEN_TOTAL_MASS;
    else if (density)
        self->given = GIVEN_DENSITY;
    mesh_matrix_complete(self);
}

/* Half edges of touched points, once lists are as they have been told to be. */
static void follow_edges(MeshMatrixMass *self)
{
    const uint32_t edges = mesh_matrix_mesh_edges(self).count;
    if (dv_topology_rewritten(&self->mesh.topology))
        mesh_matrix_find_half_edges(self);
    if (!self->edits.any || self->edge_data.count != edges)
        return;
    self->count = self->point_data.count;
    self->edge_count = edges;
    dv_mesh_edits_sort(&self->edits, self->count, edges);
    half_edges_update(&self->half, &self->edits, &self->mesh.topology, self->count);
    dv_mesh_edits_clear(&self->edits);
}

void mesh_matrix_update(MeshMatrixMass *self)
{
    if (dv_data_bool(&self->lumping) != self->lumped)
        warn_of_a_change(self, &self->lumping, self->lumped);
    if (dv_data_bool(&self->consistent) != self->asked)
        warn_of_a_change(self, &self->consistent, self->asked);
    if (self->exact) {
        update_exact(self);
        return;
    }
    follow_edges(self);
    const bool own = dv_data_version(&self->point_masses) != self->point_version ||
                     dv_data_version(&self->edge_masses) != self->edge_version;
    const bool density = dv_data_version(&self->density) != self->density_version;
    const bool total = dv_data_version(&self->total_mass) != self->total_version;
    if (!own && !density && !total)
        return;
    if (density)
        mesh_matrix_keep_densities(self, true);
    if (own) {
        (void)dv_data_begin(&self->point_masses, self->count);
        dv_data_end(&self->point_masses);
        (void)dv_data_begin(&self->edge_masses, self->edge_count);
        dv_data_end(&self->edge_masses);
    }
    self->given = own ? GIVEN_MASSES : total ? GIVEN_TOTAL_MASS : GIVEN_DENSITY;
    mesh_matrix_complete(self);
    if (total)
        mesh_matrix_keep_densities(self, true);
}
