/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshMatrixMass: the mass matrix of a mesh, or its diagonal.
 *
 * An element of density d and measure V adds d V / cv to each point and d V / ce to each of its edges:
 *   triangle 6, 12   quad 8, 16   tetrahedron 10, 20   hexahedron 20, 40;   L = 2 for surfaces, 2.5 for volumes
 * The matrix has the masses of points on the diagonal and those of edges between their ends. Lumped, it is L times the
 * diagonal. Gravity acts on L times the mass of a point in both cases. An edge has no such matrix: a mesh of edges alone
 * gives no mass.
 *
 * For triangles and tetrahedra this is the consistent matrix of the linear element. For quads and hexahedra it is not: with the
 * graph of the element's edges A, whose least eigenvalue is -2 or -3, the matrix d V (I / cv + A / ce) has the eigenvalue 0 of a quad
 * and -d V / 40 of a hexahedron, to the motion of neighbours against each other. `consistent` takes the exact matrix instead
 * (consistent_mass.h), whose rows sum up to the weights of the points and, lumped, to the diagonal.
 *
 * Given by a sum, by densities (one, or one an element), or by vertexMass and edgeMass. Products gather at each point its
 * edges in ascending order, so the sums do not depend on threads.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include <divan/element_data.h>
#include <divan/given.h>
#include <divan/kit/start_values.h>
#include <divan/memory.h>
#include <divan/parallel.h>

#include "consistent_mass.h"
#include "row_mass.h"
#include <divan/kit/followed_values.h>
#include <divan/kit/mass.h>

typedef enum Given { GIVEN_TOTAL_MASS, GIVEN_DENSITY, GIVEN_MASSES } Given;

typedef struct MeshMatrixMass {
    DvMass base;
    DvData density, total_mass, point_masses, edge_masses, compute_on_rest, lumping, consistent, print_mass, graph;
    DvKeptPairs kept;
    DvLink topology_link, geometry_link;

    MassMesh mesh;
    Given given;
    bool lumped;                    /* `lumping` as it was at the start */
    bool asked;                     /* `consistent`, likewise */
    bool warned;                    /* that one of them has changed */
    bool exact;                     /* `consistent`, of quads and hexahedra */
    ConsistentMass matrix;          /* then */
    double to_point, to_edge, lump; /* 1/cv, 1/ce, L of the elements */
    uint32_t count, edge_count;
    HalfEdges half; /* of edges; with `exact` of all pairs of points that share an element, with their entries */
    uint64_t point_version, edge_version, density_version, total_version; /* of the fields as last seen */
    DvElementData point_data, edge_data; /* follow the mesh, and the fields with them */
    DvElementData element_data;          /* double: density of each element; with `exact` ElementMass */
    DvMeshEdits edits;                   /* of edges, or of elements with `exact`, since the half edges were made */
    double change;                       /* kg, of the edit that is being told */
    DvStartValues first_points, first_edges, first_density, first_total;
} MeshMatrixMass;

static const DvField fields[] = {
    DV_MASS_FIELDS(MeshMatrixMass),
    DV_FIELD(MeshMatrixMass, density, "massDensity", dv_type_doubles, .unit = "kg/m^3", .range = &dv_range_positive,
             .flags = DV_FIELD_EMPTY_IS_DEFAULT,
             .help = "mass per volume of the elements (or area): one value, or one for each element"),
    DV_FIELD(MeshMatrixMass, total_mass, "totalMass", dv_type_double, .init = "1", .unit = "kg",
             .range = &dv_range_positive, .help = "sum of the masses; counts before the other fields"),
    DV_FIELD(MeshMatrixMass, point_masses, "vertexMass", dv_type_doubles, .unit = "kg", .range = &dv_range_not_negative,
             .flags = DV_FIELD_EMPTY_IS_DEFAULT, .help = "diagonal of the matrix; with `consistent` a result"),
    DV_FIELD(MeshMatrixMass, edge_masses, "edgeMass", dv_type_doubles, .unit = "kg", .range = &dv_range_not_negative,
             .flags = DV_FIELD_EMPTY_IS_DEFAULT,
             .help = "entries of the matrix between the ends of each edge; with `consistent` a result"),
    DV_FIELD(MeshMatrixMass, compute_on_rest, "computeMassOnRest", dv_type_bool, .init = "0", .flags = DV_FIELD_AT_LOAD,
             .help = "measure the elements at the rest positions, not at the positions at the start"),
    DV_FIELD(MeshMatrixMass, lumping, "lumping", dv_type_bool, .init = "0", .flags = DV_FIELD_AT_LOAD,
             .help = "use the diagonal only, enlarged by what was beside it; read at the start"),
    DV_FIELD(MeshMatrixMass, consistent, "consistent", dv_type_bool, .init = "0", .flags = DV_FIELD_AT_LOAD,
             .help =
                 "take the exact matrix of hexahedra and quads, read at the start; by default only the ends of edges "
                 "are coupled, which of these elements is not positive definite, and a free body may run away"),
    DV_FIELD(MeshMatrixMass, print_mass, "printMass", dv_type_bool, .init = "0", .flags = DV_FIELD_AT_LOAD,
             .help = "tell the sum of the masses when it changes, and keep it in `graph`"),
    DV_FIELD(MeshMatrixMass, graph, "graph", dv_type_doubles, .flags = DV_FIELD_READ_ONLY, .unit = "kg",
             .help = "sums of the masses after each change, when printMass is set"),
    DV_KEPT_PAIRS_FIELD(MeshMatrixMass, kept),
    DV_LINK(MeshMatrixMass, topology_link, "topology", DV_TOPOLOGY,
            .help = "elements that the mass is spread over; by default those of the node"),
    DV_LINK(MeshMatrixMass, geometry_link, "geometryState", DV_STATE,
            .help = "state whose positions give the measures; by default that of the topology's node"),
    {0},
};

/* ---- Values ---- */

/* Of the diagonal, before they are multiplied by L where the matrix is lumped. */
static const double *points(MeshMatrixMass *self)
{
    if (self->exact)
        return self->lumped ? self->matrix.weight : self->matrix.diagonal;
    return dv_data_doubles(&self->point_masses, NULL);
}

/* Of each edge of a half edge. */
static const double *edges(MeshMatrixMass *self)
{
    return self->exact ? self->half.value : dv_data_doubles(&self->edge_masses, NULL);
}

/* Masses that gravity acts on, before they are multiplied by L. */
static const double *weights(MeshMatrixMass *self)
{
    return self->exact ? self->matrix.weight : points(self);
}

static void choose_coefficients(MeshMatrixMass *self)
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

static DvElements mesh_edges(const MeshMatrixMass *self)
{
    return dv_topology_elements(&self->mesh.topology, DV_EDGES);
}

static double given_density(MeshMatrixMass *self, uint32_t element)
{
    size_t count;
    const double *density = dv_data_doubles(&self->density, &count);
    return count == 0 ? 1.0 : density[element < count ? element : 0];
}

static double *kept_density(const MeshMatrixMass *self, uint32_t element)
{
    return dv_element_data_entry(&self->element_data, element); /* of ElementMass, too */
}

static ElementMass *exact_element(const MeshMatrixMass *self, uint32_t element)
{
    return dv_element_data_entry(&self->element_data, element);
}

static void make_units(MeshMatrixMass *self, uint32_t first, uint32_t count)
{
    for (uint32_t e = first; e < first + count; e++)
        consistent_mass_unit(&self->matrix, e, exact_element(self, e)->unit);
}

static double density_of(MeshMatrixMass *self, uint32_t element)
{
    return self->element_data.topology ? *kept_density(self, element) : given_density(self, element);
}

static void find_half_edges(MeshMatrixMass *self)
{
    const DvElements list = mesh_edges(self);
    self->edge_count = list.count;
    half_edges_build(&self->half, self->count, list);
}

/* Adds what elements [first, first + count) of a density give, times `sign`; the sum of the matrix of what was added. */
static double spread(MeshMatrixMass *self, uint32_t first, uint32_t count, bool unit_density, double sign,
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
    const double *point = weights(self), *edge = self->exact ? NULL : edges(self);
    double sum = 0.0, between = 0.0;
    for (uint32_t i = 0; i < self->count; i++)
        sum += point[i];
    for (uint32_t e = 0; edge && !self->lumped && e < self->edge_count; e++)
        between += edge[e];
    return self->lumped ? self->lump * sum : sum + 2.0 * between;
}

static void seen(MeshMatrixMass *self)
{
    self->point_version = dv_data_version(&self->point_masses);
    self->edge_version = dv_data_version(&self->edge_masses);
    self->density_version = dv_data_version(&self->density);
    self->total_version = dv_data_version(&self->total_mass);
}

static void tell(MeshMatrixMass *self)
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
    const DvElements list = mesh_edges(self);
    self->edge_count = list.count;
    double *edge = dv_data_begin_all(&self->edge_masses, list.count);
    for (uint32_t e = 0; e < list.count; e++)
        edge[e] = entry_along(self, list.at + 2 * (size_t)e);
    dv_data_end(&self->edge_masses);
    dv_data_set(&self->point_masses, points(self), self->count);
}

/* The same of touched points and their edges. */
static void show_touched(MeshMatrixMass *self)
{
    const DvElements list = mesh_edges(self);
    const DvTopologyRef *topology = &self->mesh.topology;
    const DvAdjacency around = topology->ops->adjacency(topology->self, DV_POINTS, DV_EDGES);
    double *point = dv_data_begin(&self->point_masses, self->count);
    double *edge = dv_data_begin(&self->edge_masses, list.count);
    for (uint32_t i = 0; i < self->edits.points.count; i++) {
        const uint32_t p = self->edits.points.data[i];
        point[p] = points(self)[p];
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
    (void)spread(self, 0, mass_mesh_elements(&self->mesh).count, unit_density, 1.0, point, edge);
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

/* All masses from the field that was given. */
static void complete(MeshMatrixMass *self)
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
    tell(self);
    seen(self);
}

static void warn_of_a_change(MeshMatrixMass *self, DvData *field, bool stays)
{
    if (self->warned)
        return;
    self->warned = true;
    (void)dv_field_error(field, -1, "it cannot change while the scene runs and stays %s", stays ? "true" : "false");
}

/* The densities of a mesh that may change are with its elements: the field shows them, or gives them. */
static void keep_densities(MeshMatrixMass *self, bool from_field)
{
    const uint32_t count = self->element_data.count;
    if (!self->element_data.topology)
        return;
    for (uint32_t e = 0; from_field && e < count; e++)
        *kept_density(self, e) = given_density(self, e);
    if (from_field)
        return;
    double *density = dv_data_begin_all(&self->density, count);
    for (uint32_t e = 0; e < count; e++)
        density[e] = *kept_density(self, e);
    dv_data_end(&self->density);
}

/* The elements have been told of all changes that the mesh has been through. */
static bool told_of_all(const MeshMatrixMass *self)
{
    return !self->element_data.topology || (self->element_data.count == mass_mesh_elements(&self->mesh).count &&
                                            self->edge_data.count == mesh_edges(self).count);
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
    tell(self);
    seen(self);
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
        keep_densities(self, true);
    if (self->edits.any)
        follow_elements(self);
    if (!rewritten && !density && !total && !results)
        return;
    self->count = dv_state_count(self->base.state);
    if (rewritten && self->element_data.topology)
        make_units(self, 0, self->element_data.count);
    if (total)
        self->given = GIVEN_TOTAL_MASS;
    else if (density)
        self->given = GIVEN_DENSITY;
    complete(self);
}

/* Half edges of touched points, once lists are as they have been told to be. */
static void follow_edges(MeshMatrixMass *self)
{
    const uint32_t edges = mesh_edges(self).count;
    if (dv_topology_rewritten(&self->mesh.topology))
        find_half_edges(self);
    if (!self->edits.any || self->edge_data.count != edges)
        return;
    self->count = self->point_data.count;
    self->edge_count = edges;
    dv_mesh_edits_sort(&self->edits, self->count, edges);
    half_edges_update(&self->half, &self->edits, &self->mesh.topology, self->count);
    dv_mesh_edits_clear(&self->edits);
}

/* Follows changes of the fields; at the start of each operation. */
static void update(MeshMatrixMass *self)
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
        keep_densities(self, true);
    if (own) {
        (void)dv_data_begin(&self->point_masses, self->count);
        dv_data_end(&self->point_masses);
        (void)dv_data_begin(&self->edge_masses, self->edge_count);
        dv_data_end(&self->edge_masses);
    }
    self->given = own ? GIVEN_MASSES : total ? GIVEN_TOTAL_MASS : GIVEN_DENSITY;
    complete(self);
    if (total)
        keep_densities(self, true);
}

/* ---- Operations ---- */

static RowMass rows(MeshMatrixMass *self)
{
    update(self);
    return (RowMass){.half = &self->half,
                     .count = self->count,
                     .point = points(self),
                     .edge = self->lumped ? NULL : edges(self),
                     .weight = weights(self),
                     .own = self->lumped ? self->lump : 1.0,
                     .heavy = self->lump};
}

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)step;
    (void)x;
    (void)v;
    MeshMatrixMass *self = self_;
    const RowMass mass = rows(self);
    if (dv_data_bool(&self->base.separate_gravity))
        return;
    double gravity[6];
    dv_mass_gravity(&self->base, gravity);
    row_mass_add_gravity(&mass, gravity, f);
}

static void add_mdx(void *self, double factor, DvConstVec dx, DvVec res)
{
    const RowMass mass = rows(self);
    row_mass_add_product(&mass, factor, dx, res);
}

static void acceleration(void *self_, DvConstVec f, DvVec a)
{
    MeshMatrixMass *self = self_;
    const RowMass mass = rows(self);
    if (self->lumped)
        row_mass_divide(&mass, f, a);
    else
        (void)dv_error(dv_object_of(self), DV_ERROR_UNSUPPORTED,
                       "the matrix is not diagonal: set lumping, or use a solver with a linear solver");
}

static bool is_diagonal(void *self)
{
    return ((MeshMatrixMass *)self)->lumped;
}

static double kinetic_energy(void *self, DvConstVec v)
{
    const RowMass mass = rows(self);
    return row_mass_kinetic_energy(&mass, v);
}

static double potential_energy(void *self_, const DvStep *step, const DvConstVec *x)
{
    (void)step;
    MeshMatrixMass *self = self_;
    const RowMass mass = rows(self);
    double gravity[6];
    dv_mass_gravity(&self->base, gravity);
    return row_mass_potential_energy(&mass, gravity, x);
}

static void momentum(void *self_, DvConstVec x, DvConstVec v, double sum[6])
{
    MeshMatrixMass *self = self_;
    const RowMass mass = rows(self);
    row_mass_add_momentum(&mass, self->base.state.dof, x, v, sum);
}

static double point_mass(void *self_, uint32_t point)
{
    MeshMatrixMass *self = self_;
    update(self);
    return point < self->count ? weights(self)[point] * self->lump : 0.0;
}

static void reserve(void *self_, DvPattern *pattern)
{
    MeshMatrixMass *self = self_;
    update(self);
    half_edges_reserve(&self->half, pattern, self->lumped);
}

static void assemble(void *self_, double factor, const DvMatrixView *view)
{
    MeshMatrixMass *self = self_;
    const RowMass mass = rows(self);
    row_mass_assemble(&mass, self->base.state.dof, factor, view);
}

static uint64_t structure(void *self_)
{
    MeshMatrixMass *self = self_;
    update(self);
    return self->half.structure;
}

static uint64_t matrix_version(void *self_)
{
    MeshMatrixMass *self = self_;
    update(self);
    return self->half.structure + dv_data_version(&self->point_masses) + dv_data_version(&self->edge_masses);
}

static const DvMassOps mass_ops = {
    DV_MASS_OPS,
    .space = DV_HOST,
    .is_diagonal = is_diagonal,
    .add_mdx = add_mdx,
    .acceleration = acceleration,
    .reserve = reserve,
    .assemble = assemble,
    .structure = structure,
    .matrix_version = matrix_version,
    .kinetic_energy = kinetic_energy,
    .momentum = momentum,
    .point_mass = point_mass,
};

static const DvForceFieldOps force_ops = {
    DV_MASS_FORCE_OPS,
    .space = DV_HOST,
    .add_force = add_force,
    .energy = potential_energy,
};

static void draw(void *self, DvDraw *draw)
{
    dv_mass_draw(self, draw, point_mass);
}

static const DvDrawableOps drawable_ops = {.size = sizeof(DvDrawableOps), .draw = draw};

/* ---- Changes of the topology ---- */

static void told(MeshMatrixMass *self)
{
    tell(self);
    seen(self);
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
        seen(self);
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
        seen(self);
        return;
    }
    self->edge_count = data->count;
    told(self);
}

static void spread_attached(MeshMatrixMass *self, uint32_t first, uint32_t count, double sign)
{
    double *point = dv_data_begin(&self->point_masses, self->count);
    double *edge = dv_data_begin(&self->edge_masses, self->edge_count);
    self->change += spread(self, first, count, false, sign, point, edge);
    dv_data_end(&self->point_masses);
    dv_data_end(&self->edge_masses);
}

/* A new element has the density of its ancestors (mixed by the kernel), else that of the first. */
static void densities_added(MeshMatrixMass *self, const DvElementChange *change, uint32_t first)
{
    for (uint32_t i = 0; i < change->count; i++)
        if (!change->ancestor_start || change->ancestor_start[i] == change->ancestor_start[i + 1])
            *kept_density(self, first + i) = first ? *kept_density(self, 0) : 1.0;
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
            density[e] = *kept_density(self, e);
        dv_data_end(&self->density);
    } else {
        keep_densities(self, false);
    }
    dv_data_set_double(&self->total_mass, dv_data_double(&self->total_mass) + self->change);
    self->change = 0.0;
    if (self->exact)
        seen(self);
    else
        told(self);
}

/* ---- ... of the exact matrix */

static double mass_of_element(const MeshMatrixMass *self, uint32_t element)
{
    const ElementMass *e = exact_element(self, element);
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
    make_units(self, first, change->count);
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
    seen(self);
}

static void edges_replaced(DvElementData *data, DvMeshReplacement why)
{
    MeshMatrixMass *self = data->owner;
    if (why == DV_MESH_RESET)
        (void)dv_start_values_put_back(&self->first_edges, &self->edge_masses);
    self->edge_count = data->count;
    seen(self);
}

static void elements_replaced(DvElementData *data, DvMeshReplacement why)
{
    MeshMatrixMass *self = data->owner;
    if (why == DV_MESH_RESET) {
        (void)dv_start_values_put_back(&self->first_density, &self->density);
        (void)dv_start_values_put_back(&self->first_total, &self->total_mass);
    }
    keep_densities(self, true);
    if (self->exact)
        make_units(self, 0, data->count);
    seen(self);
}

static void store_reset_state(DvObject *object, void *self_)
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

static DvStatus attach(MeshMatrixMass *self)
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
    keep_densities(self, true);
    if (self->exact)
        make_units(self, 0, self->element_data.count);
    return status;
}

/* ---- Lifecycle ---- */

/* Which of the fields counts; unusable ones give way to the sum. */
static void choose(MeshMatrixMass *self)
{
    const uint32_t elements = mass_mesh_elements(&self->mesh).count;
    const bool total = dv_data_is_given(&self->total_mass), density = dv_data_is_given(&self->density);
    const bool each = dv_data_is_given(&self->point_masses);
    self->given = total ? GIVEN_TOTAL_MASS : density ? GIVEN_DENSITY : each ? GIVEN_MASSES : GIVEN_TOTAL_MASS;
    if (total + density + each > 1)
        dv_field_warning(total ? &self->total_mass : &self->density, -1,
                         "more than one of totalMass, massDensity and vertexMass is "
                         "given; %s is used",
                         total ? "totalMass" : "massDensity");
    if (self->given == GIVEN_DENSITY) {
        size_t count;
        (void)dv_data_doubles(&self->density, &count);
        if (count != 1 && count != elements) {
            dv_field_warning(&self->density, -1,
                             "%zu densities for %u element%s; give one for all, or one for each; totalMass is used",
                             count, elements, elements == 1 ? "" : "s");
            self->given = GIVEN_TOTAL_MASS;
        }
    }
    if (self->given == GIVEN_MASSES) {
        size_t count, edge_count;
        (void)dv_data_doubles(&self->point_masses, &count);
        (void)dv_data_doubles(&self->edge_masses, &edge_count);
        const bool bad_edges = !self->lumped && edge_count != self->edge_count;
        if (count != self->count || bad_edges) {
            dv_field_warning(&self->point_masses, -1,
                             "%zu masses of points and %zu of edges, but the mesh has %u points and %u edges; "
                             "totalMass is used",
                             count, edge_count, self->count, self->edge_count);
            self->given = GIVEN_TOTAL_MASS;
        } else if (self->lumped) {
            (void)dv_data_begin(&self->edge_masses, self->edge_count);
            dv_data_end(&self->edge_masses);
        }
    }
}

/* The motion of neighbours against each other, v = 1 and -1 by turns, shows what `consistent` is for: v.M v. */
static void warn_if_not_definite(MeshMatrixMass *self)
{
    const double *point = points(self), *edge = edges(self);
    const DvElements list = mesh_edges(self);
    int8_t *side = dv_alloc(self->count, sizeof *side);
    uint32_t *queue = dv_alloc(self->count, sizeof *queue);
    double sum = 0.0, twice = 0.0;
    for (uint32_t first = 0, head = 0, tail = 0; first < self->count; first++) {
        if (side[first] == 0) {
            side[first] = 1;
            queue[tail++] = first;
        }
        for (; head < tail; head++)
            for (uint32_t h = self->half.begin[queue[head]]; h < self->half.end[queue[head]]; h++)
                if (edge[self->half.at[h].edge] != 0.0 && side[self->half.at[h].other] == 0) {
                    side[self->half.at[h].other] = (int8_t)-side[queue[head]];
                    queue[tail++] = self->half.at[h].other;
                }
    }
    for (uint32_t i = 0; i < self->count; i++)
        sum += point[i];
    for (uint32_t e = 0; e < list.count; e++)
        if (list.at[2 * e] < self->count && list.at[2 * e + 1] < self->count)
            twice += 2.0 * side[list.at[2 * e]] * side[list.at[2 * e + 1]] * edge[e];
    dv_free(side);
    dv_free(queue);
    if (sum <= 0.0 || sum + twice > 1e-9 * sum)
        return;
    const double mass = fabs(sum + twice) > 1e-9 * sum ? sum + twice : 0.0;
    dv_field_warning(
        &self->consistent, -1,
        "the matrix is not positive definite: neighbours that move against each other have the kinetic energy "
        "of %.3g kg, and a free body may run away; set it to 1 for the exact matrix, or lumping to 1",
        mass);
}

static DvStatus init(DvObject *object, void *self_)
{
    MeshMatrixMass *self = self_;
    DvStatus status = dv_state_require(object, &self->base.mstate, &self->base.state);
    if (status != DV_OK)
        return status;
    status = mass_mesh_find(object, &self->topology_link, &self->geometry_link, self->base.state, &self->mesh);
    if (status != DV_OK) {
        dv_state_release(&self->base.state);
        return status;
    }
    if (self->mesh.kind == DV_EDGES)
        dv_warning(object, "a mesh of edges has no consistent mass: all masses are zero; use DiagonalMass");
    self->lumped = dv_data_bool(&self->lumping);
    self->asked = dv_data_bool(&self->consistent);
    self->exact = self->asked && (self->mesh.kind == DV_QUADS || self->mesh.kind == DV_HEXAHEDRA);
    self->matrix.mesh = &self->mesh;
    self->matrix.on_rest = dv_data_bool(&self->compute_on_rest);
    self->count = dv_state_count(self->base.state);
    choose_coefficients(self);
    self->half.kept = dv_kept_pairs_note(&self->kept, &self->edits);
    if (!self->exact)
        find_half_edges(self);
    if (self->exact && dv_data_is_given(&self->point_masses))
        return dv_field_error(
            &self->consistent, -1,
            "the exact matrix follows from the elements: give massDensity or totalMass, not vertexMass");
    const bool given = dv_data_is_given(&self->point_masses);
    choose(self);
    const bool dynamic = mass_mesh_is_dynamic(&self->mesh);
    if (dynamic && self->exact)
        status = attach(self);
    complete(self);
    if (!given)
        mass_mesh_say_faults(object, &self->mesh, self->base.state);
    if (!self->lumped && !self->exact)
        warn_if_not_definite(self);
    if (dynamic && !self->exact)
        status = attach(self);
    return status == DV_OK ? dv_mass_check_others(object, &self->base) : status;
}

/* Should it be initialised again, what followed from the other fields is not taken for given. */
static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    MeshMatrixMass *self = self_;
    if (self->given != GIVEN_TOTAL_MASS && dv_data_version(&self->total_mass) == self->total_version)
        dv_data_set_derived(&self->total_mass);
    if (self->given != GIVEN_DENSITY && dv_data_version(&self->density) == self->density_version)
        dv_data_set_derived(&self->density);
    if (self->given != GIVEN_MASSES && dv_data_version(&self->point_masses) == self->point_version)
        dv_data_set_derived(&self->point_masses);
    dv_element_data_detach(&self->element_data);
    dv_element_data_detach(&self->edge_data);
    dv_element_data_detach(&self->point_data);
    dv_mesh_edits_detach(&self->edits);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    MeshMatrixMass *self = self_;
    consistent_mass_free(&self->matrix);
    mass_mesh_forget(&self->mesh);
    dv_state_release(&self->base.state);
    half_edges_free(&self->half);
    dv_start_values_free(&self->first_points);
    dv_start_values_free(&self->first_edges);
    dv_start_values_free(&self->first_density);
    dv_start_values_free(&self->first_total);
}

const DvClass dv_mesh_matrix_mass = {
    .size = sizeof(DvClass),
    .name = "MeshMatrixMass",
    .variants = "Vec1d Vec2d Vec3d",
    DV_MASS_CLASS,
    .module = "Sofa.Component.Mass",
    .help = "The mass matrix of a mesh, or its lumped diagonal.",
    .instance_size = sizeof(MeshMatrixMass),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_MASS, .ops = &mass_ops},
                                      {.id = DV_FORCE_FIELD, .ops = &force_ops},
                                      {.id = DV_DRAWABLE, .ops = &drawable_ops},
                                      {0}},
    .init = init,
    .store_reset_state = store_reset_state,
    .cleanup = cleanup,
    .destroy = destroy,
};
