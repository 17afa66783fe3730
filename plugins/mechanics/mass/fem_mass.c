/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * FEMMass: the mass matrix of any element by quadrature, from densities at the points.
 *
 *   M_ij = sum over the points q of a rule of  w_q rho(q) |det J(q)| N_i(q) N_j(q),   rho(q) = sum_k N_k(q) rho_k
 *
 * at the positions at rest. Elements of fewer dimensions than the state have the length or area of their tangent space, sqrt(det J^T J).
 * Gravity acts on the sums of the rows.
 *
 * The rule is the one that the stiffness of linear elements is made with. It has one point on edges, triangles and tetrahedra, three on
 * quads, two on prisms: the matrix of an element has no more independent rows than that, and a mesh of few elements has motions without
 * inertia. `consistent` takes a rule that is exact for elements with straight sides and densities that are linear in them.
 *
 * The variant names state and element. An element of a mesh that changes keeps the matrix that it had when it came; new points have the mean
 * density of those they come from.
 */
#include <math.h>
#include <string.h>

#include <divan/element_data.h>
#include <divan/kit/element_names.h>
#include <divan/kit/quadrature.h>
#include <divan/kit/solid_force_field.h>
#include <divan/memory.h>

#include "consistent_mass.h"
#include "mass_operator.h"
#include "mass_ops.h"
#include "nodal_mass_density.h"
#include "row_mass.h"

typedef struct FEMMass {
    DvMass base;
    DvKeptPairs kept;
    DvData consistent, point_densities;
    DvLink topology_link, density_link;

    MassMesh mesh;
    bool by_default; /* the scene names no element */
    const NodalMassDensityOps *density;
    void *density_self;
    uint64_t density_version, consistent_version; /* of the fields as last seen */
    ConsistentMass matrix;
    HalfEdges half;
    DvElementData of_points;   /* double: densities, of a mesh that changes */
    DvElementData of_elements; /* ElementMass, likewise; their density is in the matrix */
    DvMeshEdits edits;
    uint32_t count;
    uint64_t changed; /* + 1 with each change of a number of the matrix */
    MassOperator described;
} FEMMass;

static const DvField fields[] = {
    DV_MASS_FIELDS(FEMMass),
    DV_FIELD(FEMMass, consistent, "consistent", dv_type_bool, .init = "0",
             .help = "integrate exactly; by default by the few points of the stiffness, which leaves motions without "
                     "inertia where elements are few"),
    DV_FIELD(FEMMass, point_densities, "pointDensities", dv_type_doubles, .unit = "kg/m^3",
             .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN, .help = "densities of the points of a mesh that has changed"),
    DV_KEPT_PAIRS_FIELD(FEMMass, kept),
    DV_LINK(FEMMass, topology_link, "topology", DV_TOPOLOGY,
            .help = "elements that carry the mass; by default those of the node"),
    DV_LINK(FEMMass, density_link, "nodalMassDensity", NODAL_MASS_DENSITY,
            .help = "densities at the points; by default the first NodalMassDensity of the node or above"),
    {0},
};

/* ---- Elements ---- */

/* Length, area or volume of what the columns of J span. */
static double measure(uint32_t dimensions, const DvVec3 j[3])
{
    if (dimensions == 1)
        return dv_vec3_norm(j[0]);
    const DvVec3 normal = dv_vec3_cross(j[0], j[1]);
    return dimensions == 2 ? dv_vec3_norm(normal) : fabs(dv_vec3_dot(normal, j[2]));
}

static void integrate(DvElementKind kind, const DvQuadrature *rule, const DvVec3 corner[8], const double density[8],
                      double m[ELEMENT_MASS_ENTRIES])
{
    const uint32_t nodes = dv_element_nodes(kind), dimensions = dv_shape_dimensions(kind);
    memset(m, 0, element_mass_entry(nodes, 0) * sizeof *m);
    for (uint32_t q = 0; q < rule->count; q++) {
        double point[3], n[8], slope[3], rho = 0.0;
        DvVec3 j[3] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        const double weight = dv_quadrature_point(kind, rule, q, point);
        for (uint32_t i = 0; i < nodes; i++) {
            n[i] = dv_shape_function(kind, 1, i, point, slope);
            rho += n[i] * density[i];
            for (int c = 0; c < 3; c++)
                j[c] = dv_vec3_madd(j[c], slope[c], corner[i]);
        }
        const double part = weight * rho * measure(dimensions, j);
        for (uint32_t i = 0; i < nodes; i++)
            for (uint32_t k = 0; k <= i; k++)
                m[element_mass_entry(i, k)] += part * n[i] * n[k];
    }
}

static double density_of(const FEMMass *self, uint32_t point)
{
    return self->of_points.topology ? *(const double *)dv_element_data_entry(&self->of_points, point)
                                    : self->density->at(self->density_self, point);
}

static void make_element(FEMMass *self, uint32_t element, ElementMass *out)
{
    const DvElementKind kind = self->mesh.kind;
    const DvQuadrature rule = dv_quadrature(kind, dv_data_bool(&self->consistent) ? 4 : 1);
    const uint32_t nodes = self->mesh.nodes;
    const uint32_t *node = mass_mesh_elements(&self->mesh).at + (size_t)element * nodes;
    DvVec3 corner[8];
    double density[8];
    mass_mesh_corners(&self->mesh, node, mass_mesh_positions(&self->mesh, true), corner);
    for (uint32_t i = 0; i < nodes; i++)
        density[i] = density_of(self, node[i]);
    out->density = 1.0;
    integrate(kind, &rule, corner, density, out->unit);
}

static void make_elements(FEMMass *self, uint32_t first, uint32_t count, ElementMass *elements)
{
    for (uint32_t e = first; e < first + count; e++)
        make_element(self, e, &elements[e]);
}

static void densities_from_field(FEMMass *self)
{
    for (uint32_t p = 0; self->of_points.topology && p < self->of_points.count; p++)
        *(double *)dv_element_data_entry(&self->of_points, p) = self->density->at(self->density_self, p);
}

/* All from the fields. */
static void build(FEMMass *self)
{
    const uint32_t count = mass_mesh_elements(&self->mesh).count;
    const bool kept = self->of_elements.topology != NULL;
    ElementMass *elements = kept ? self->of_elements.entries : dv_alloc(count, sizeof *elements);
    make_elements(self, 0, count, elements);
    consistent_mass_build(&self->matrix, &self->half, self->count, elements);
    if (!kept)
        dv_free(elements);
    self->changed++;
    self->density_version = self->density->version(self->density_self);
    self->consistent_version = dv_data_version(&self->consistent);
}

/* ---- A mesh that changes ---- */

static void points_changed(DvElementData *data, const DvElementChange *change)
{
    FEMMass *self = data->owner;
    (void)change;
    dv_data_set(&self->point_densities, data->entries, data->count);
}

static void points_replaced(DvElementData *data, DvMeshReplacement why)
{
    FEMMass *self = data->owner;
    size_t count;
    if (why == DV_MESH_RESET)
        dv_data_set(&self->point_densities, NULL, 0);
    const double *saved = dv_data_doubles(&self->point_densities, &count);
    if (count == data->count)
        memcpy(data->entries, saved, count * sizeof *saved);
    else
        densities_from_field(self);
}

static void elements_added(DvElementData *data, const DvElementChange *change, uint32_t first)
{
    make_elements(data->owner, first, change->count, data->entries);
}

static void elements_replaced(DvElementData *data, DvMeshReplacement why)
{
    (void)why;
    make_elements(data->owner, 0, data->count, data->entries);
}

static DvStatus attach(FEMMass *self)
{
    DvObject *topology = self->mesh.topology.object;
    self->of_points = (DvElementData){.kind = DV_POINTS,
                                      .entry_size = sizeof(double),
                                      .interpolate = true,
                                      .owner = self,
                                      .changed = points_changed,
                                      .replaced = points_replaced};
    self->of_elements = (DvElementData){.kind = self->mesh.kind,
                                        .entry_size = sizeof(ElementMass),
                                        .owner = self,
                                        .added = elements_added,
                                        .replaced = elements_replaced};
    DvStatus status = dv_mesh_edits_attach(&self->edits, topology, self->mesh.kind);
    if (status == DV_OK)
        status = dv_element_data_attach(&self->of_points, topology);
    if (status == DV_OK)
        status = dv_element_data_attach(&self->of_elements, topology);
    if (status == DV_OK)
        points_replaced(&self->of_points, DV_MESH_RESTORED);
    return status;
}

/* The elements have been told of all changes that the mesh has been through. */
static bool told_of_all(const FEMMass *self)
{
    return !self->of_elements.topology || self->of_elements.count == mass_mesh_elements(&self->mesh).count;
}

/* Follows fields and mesh; at the start of each operation. */
static void follow(FEMMass *self)
{
    if (!told_of_all(self))
        return; /* in the middle of a change */
    const bool density = self->density->version(self->density_self) != self->density_version;
    const bool rewritten = dv_topology_rewritten(&self->mesh.topology);
    if (density)
        densities_from_field(self);
    if (self->edits.any && !self->edits.all && !density && !rewritten) {
        self->count = self->of_points.count;
        dv_mesh_edits_sort(&self->edits, self->count, self->of_elements.count);
        consistent_mass_update(&self->matrix, &self->half, &self->edits, self->count, self->of_elements.entries);
        self->changed++;
    } else if (self->edits.any || density || rewritten ||
               dv_data_version(&self->consistent) != self->consistent_version) {
        self->count = self->of_points.topology ? self->of_points.count : dv_state_count(self->base.state);
        build(self);
    }
    dv_mesh_edits_clear(&self->edits);
}

/* ---- Operations ---- */

static RowMass rows(FEMMass *self)
{
    follow(self);
    return (RowMass){.half = &self->half,
                     .count = self->count,
                     .point = self->matrix.diagonal,
                     .edge = self->half.value,
                     .weight = self->matrix.weight,
                     .own = 1.0,
                     .heavy = 1.0};
}

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)step;
    (void)x;
    (void)v;
    FEMMass *self = self_;
    const RowMass mass = rows(self);
    double gravity[6];
    dv_mass_gravity(&self->base, gravity);
    if (!dv_data_bool(&self->base.separate_gravity))
        row_mass_add_gravity(&mass, gravity, f);
}

static void add_mdx(void *self, double factor, DvConstVec dx, DvVec res)
{
    const RowMass mass = rows(self);
    row_mass_add_product(&mass, factor, dx, res);
}

static bool is_diagonal(void *self)
{
    (void)self;
    return false;
}

static double kinetic_energy(void *self, DvConstVec v)
{
    const RowMass mass = rows(self);
    return row_mass_kinetic_energy(&mass, v);
}

static double potential_energy(void *self_, const DvStep *step, const DvConstVec *x)
{
    (void)step;
    FEMMass *self = self_;
    const RowMass mass = rows(self);
    double gravity[6];
    dv_mass_gravity(&self->base, gravity);
    return row_mass_potential_energy(&mass, gravity, x);
}

static void momentum(void *self_, DvConstVec x, DvConstVec v, double sum[6])
{
    FEMMass *self = self_;
    const RowMass mass = rows(self);
    row_mass_add_momentum(&mass, self->base.state.dof, x, v, sum);
}

static double point_mass(void *self, uint32_t point)
{
    const RowMass mass = rows(self);
    return point < mass.count ? mass.weight[point] : 0.0;
}

static void reserve(void *self_, DvPattern *pattern)
{
    FEMMass *self = self_;
    follow(self);
    half_edges_reserve(&self->half, pattern, false);
}

static void assemble(void *self_, double factor, const DvMatrixView *view)
{
    FEMMass *self = self_;
    const RowMass mass = rows(self);
    row_mass_assemble(&mass, self->base.state.dof, factor, view);
}

static uint64_t structure(void *self_)
{
    FEMMass *self = self_;
    follow(self);
    return self->half.structure;
}

static uint64_t matrix_version(void *self_)
{
    FEMMass *self = self_;
    follow(self);
    return self->half.structure + self->changed;
}

static const DvMassOps mass_ops = {
    MASS_OPS,
    .is_diagonal = is_diagonal,
};

static const DvForceFieldOps force_ops = {MASS_FORCE_OPS};

static uint64_t operator_version(void *self_)
{
    FEMMass *self = self_;
    return mass_operator_version(&self->base, matrix_version(self));
}

static void describe_operator(void *self_, DvOperator *out)
{
    FEMMass *self = self_;
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

static DvStatus parse(DvObject *object, void *self_, const DvAttributes *attributes)
{
    ((FEMMass *)self_)->by_default = !dv_element_variant_is_given(object, attributes);
    return DV_OK;
}

static DvStatus find_density(DvObject *object, FEMMass *self)
{
    DvObject *found;
    DvStatus status = dv_object_find_required(object, &self->density_link, NODAL_MASS_DENSITY,
                                              "a NodalMassDensity with the density at the points", &found);
    if (status == DV_OK)
        status = dv_object_require(object, found);
    if (status != DV_OK)
        return status;
    self->density = dv_object_ops(found, NODAL_MASS_DENSITY);
    self->density_self = dv_object_self(found);
    if (self->density->given(self->density_self) > self->count && self->count > 1)
        dv_warning(object, "'%s' has %u densities, but the state has %u points: the rest is left out",
                   dv_object_path(found), self->density->given(self->density_self), self->count);
    return DV_OK;
}

/* A matrix has at most as many independent rows as its elements have points of the rule. */
static void warn_of_motions_without_inertia(FEMMass *self)
{
    const uint32_t elements = mass_mesh_elements(&self->mesh).count;
    const DvQuadrature rule = dv_quadrature(self->mesh.kind, 1);
    uint32_t points = 0;
    for (uint32_t p = 0; p < self->count; p++)
        points += self->matrix.weight[p] > 0.0;
    if (dv_data_bool(&self->consistent) || (uint64_t)elements * rule.count >= points)
        return;
    dv_field_warning(
        &self->consistent, -1,
        "%u %s with %u point%s of the rule each cannot give %u points an inertia in every direction: there "
        "are motions without inertia; set it to 1 for the exact matrix",
        elements, elements == 1 ? dv_element_name(self->mesh.kind) : dv_element_names(self->mesh.kind), rule.count,
        rule.count == 1 ? "" : "s", points);
}

static DvStatus ask_for_memory(const DvObject *object, const FEMMass *self)
{
    const double elements = mass_mesh_elements(&self->mesh).count, nodes = self->mesh.nodes;
    return dv_memory_ask(object, elements * (sizeof(ElementMass) + nodes * (nodes - 1.0) * 3.0) + 80.0 * self->count,
                         "%.0f %s", elements, dv_element_names(self->mesh.kind));
}

static DvStatus init(DvObject *object, void *self_)
{
    FEMMass *self = self_;
    DvStatus status = dv_state_require_of_part(object, &self->base.mstate, &self->base.state);
    if (status != DV_OK)
        return status;
    self->count = dv_state_count(self->base.state);
    status =
        mass_mesh_find_kind(object, &self->topology_link, self->base.state, dv_element_of_variant(object), &self->mesh);
    if (status == DV_OK)
        status = find_density(object, self);
    if (status == DV_OK)
        status = ask_for_memory(object, self);
    self->matrix.mesh = &self->mesh;
    self->half.kept = dv_kept_pairs_note(&self->kept, &self->edits);
    if (status == DV_OK && mass_mesh_is_dynamic(&self->mesh))
        status = attach(self);
    if (status != DV_OK) {
        dv_state_release(&self->base.state);
        return status;
    }
    build(self);
    if (self->by_default)
        dv_warn_of_default_elements(object, &self->mesh.topology, self->mesh.kind, self->base.state.dof);
    mass_mesh_say_faults(object, &self->mesh, self->base.state);
    warn_of_motions_without_inertia(self);
    return dv_mass_check_others(object, &self->base);
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    FEMMass *self = self_;
    dv_element_data_detach(&self->of_elements);
    dv_element_data_detach(&self->of_points);
    dv_mesh_edits_detach(&self->edits);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    FEMMass *self = self_;
    consistent_mass_free(&self->matrix);
    mass_mesh_forget(&self->mesh);
    dv_state_release(&self->base.state);
    half_edges_free(&self->half);
    mass_operator_free(&self->described);
}

const DvClass dv_fem_mass = {
    .size = sizeof(DvClass),
    .name = "FEMMass",
    .variants = "Vec1d,Edge " DV_SOLID_VARIANTS,
    DV_MASS_CLASS,
    .module = "Sofa.Component.Mass",
    .help = "The mass matrix of any element by quadrature, from densities at the points.",
    .instance_size = sizeof(FEMMass),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_MASS, .ops = &mass_ops},
                                      {.id = DV_FORCE_FIELD, .ops = &force_ops},
                                      {.id = DV_DRAWABLE, .ops = &drawable_ops},
                                      {.id = DV_OPERATOR, .ops = &operator_ops},
                                      {0}},
    .parse = parse,
    .init = init,
    .cleanup = cleanup,
    .destroy = destroy,
};
