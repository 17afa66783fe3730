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
#include "mesh_matrix_mass.h"
#include "mass_ops.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include <divan/given.h>
#include <divan/memory.h>
#include <divan/parallel.h>

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

/* ---- Operations ---- */

static RowMass rows(MeshMatrixMass *self)
{
    mesh_matrix_update(self);
    return (RowMass){.half = &self->half,
                     .count = self->count,
                     .point = mesh_matrix_points(self),
                     .edge = self->lumped ? NULL : mesh_matrix_edges(self),
                     .weight = mesh_matrix_weights(self),
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
    mesh_matrix_update(self);
    return point < self->count ? mesh_matrix_weights(self)[point] * self->lump : 0.0;
}

static void reserve(void *self_, DvPattern *pattern)
{
    MeshMatrixMass *self = self_;
    mesh_matrix_update(self);
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
    mesh_matrix_update(self);
    return self->half.structure;
}

static uint64_t matrix_version(void *self_)
{
    MeshMatrixMass *self = self_;
    mesh_matrix_update(self);
    return self->half.structure + dv_data_version(&self->point_masses) + dv_data_version(&self->edge_masses);
}

static const DvMassOps mass_ops = {
    MASS_OPS,
    .is_diagonal = is_diagonal,
    .acceleration = acceleration,
};

static const DvForceFieldOps force_ops = {MASS_FORCE_OPS};

static uint64_t operator_version(void *self_)
{
    MeshMatrixMass *self = self_;
    return mass_operator_version(&self->base, matrix_version(self));
}

static void describe_operator(void *self_, DvOperator *out)
{
    MeshMatrixMass *self = self_;
    const uint64_t version = matrix_version(self);
    const RowMass mass = rows(self);
    mass_operator_describe_rows(&self->described, &self->base, &mass, version, out);
}

static const DvOperatorOps operator_ops = {
    .size = sizeof(DvOperatorOps), .version = operator_version, .describe = describe_operator};

static void draw(void *self, DvDraw *draw)
{
    dv_mass_draw(self, draw, point_mass);
}

static const DvDrawableOps drawable_ops = {.size = sizeof(DvDrawableOps), .draw = draw};

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
    const double *point = mesh_matrix_points(self), *edge = mesh_matrix_edges(self);
    const DvElements list = mesh_matrix_mesh_edges(self);
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
    mesh_matrix_choose_coefficients(self);
    self->half.kept = dv_kept_pairs_note(&self->kept, &self->edits);
    if (!self->exact)
        mesh_matrix_find_half_edges(self);
    if (self->exact && dv_data_is_given(&self->point_masses))
        return dv_field_error(
            &self->consistent, -1,
            "the exact matrix follows from the elements: give massDensity or totalMass, not vertexMass");
    const bool given = dv_data_is_given(&self->point_masses);
    choose(self);
    const bool dynamic = mass_mesh_is_dynamic(&self->mesh);
    if (dynamic && self->exact)
        status = mesh_matrix_attach(self);
    mesh_matrix_complete(self);
    if (!given)
        mass_mesh_say_faults(object, &self->mesh, self->base.state);
    if (!self->lumped && !self->exact)
        warn_if_not_definite(self);
    if (dynamic && !self->exact)
        status = mesh_matrix_attach(self);
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
    mass_operator_free(&self->described);
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
                                      {.id = DV_OPERATOR, .ops = &operator_ops},
                                      {0}},
    .init = init,
    .store_reset_state = mesh_matrix_store_reset_state,
    .cleanup = cleanup,
    .destroy = destroy,
};
