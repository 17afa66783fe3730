/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * HexahedronFEMForceFieldAndMass: elastic hexahedra (hexahedron_fem_force_field.c) that have a mass too.
 *
 * An element of volume V, density d and share c of matter (of a cell of a sparse grid; else 1) has the matrix
 *   m_ij = 8/27 c d V   between any two of its eight points,
 * V being the product of the lengths of the edges from its first point, at rest. This is what the reference has, and scenes depend on: it
 * couples all points alike, is the motion of the element's mean alone, and its entries sum up to 64 x 8/27 of the mass that gravity acts on,
 * c d V, an eighth at each point. `lumpedMass` takes the sums of its rows; matrices hold what products give.
 *
 * MeshMatrixMass with `consistent` has the exact matrix.
 */
#include "forcefield/fem/hexahedron_fem.h"
#include <divan/kit/mass.h>

typedef struct HexahedronFEMForceFieldAndMass {
    HexahedronFEMForceField fem;
    DvMass mass; /* rayleighMass and separateGravity; its state is that of `fem` */
    DvData density, lumped, mass_matrices;
} HexahedronFEMForceFieldAndMass;

#define FIELD(member, name, type, ...) DV_FIELD(HexahedronFEMForceFieldAndMass, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    HEXAHEDRON_FEM_FIELDS,
    DV_MASS_GRAVITY_FIELDS(HexahedronFEMForceFieldAndMass, mass),
    FIELD(density, "density", dv_type_double, .init = "1", .unit = "kg/m^3", .range = &dv_range_not_negative,
          .flags = DV_FIELD_LENIENT, .help = "mass per volume"),
    FIELD(lumped, "lumpedMass", dv_type_bool, .init = "0", .help = "use the sums of the rows of the mass matrix"),
    FIELD(mass_matrices, "massMatrices", dv_type_stiffness_matrices, .unit = "kg",
          .flags = DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT, .help = "mass of each element"),
    {0},
};

static const double ENTRY = 8.0 / 27.0; /* of the matrix, of an element of mass 1 */

/* What the mass of elements is made of, read once for an operation. */
typedef struct ElementMasses {
    const HexahedronFEMForceField *fem;
    const float *filled; /* NULL: all 1 */
    double density;
    bool lumped;
} ElementMasses;

static ElementMasses element_masses(HexahedronFEMForceFieldAndMass *self)
{
    const DvSparseGridOps *grid = dv_object_ops(self->fem.field.topology.object, DV_SPARSE_GRID);
    return (ElementMasses){.fem = &self->fem,
                           .filled = grid ? grid->filled(self->fem.field.topology.self) : NULL,
                           .density = dv_data_double(&self->density),
                           .lumped = dv_data_bool(&self->lumped)};
}

/* The distance of two nodes at rest. */
static double edge_length(const DvReal8 rest[3], int node)
{
    const double d[3] = {rest[0][node] - rest[0][0], rest[1][node] - rest[1][0], rest[2][node] - rest[2][0]};
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* That gravity acts on. */
static double element_weight(const ElementMasses *m, uint32_t element)
{
    const DvReal8 *rest = m->fem->rest[element];
    const double volume = edge_length(rest, 1) * edge_length(rest, 3) * edge_length(rest, 4);
    return volume * m->density * (m->filled ? (double)m->filled[element] : 1.0);
}

typedef struct MassWork {
    ElementMasses masses;
    double factor;
    const double *gravity; /* of weights: m/s^2 */
} MassWork;

static void nodes_of_lane(DvElementRow *row, const uint16_t *place, uint32_t lane, DvElementRow *at[NODES])
{
    for (int n = 0; n < NODES; n++)
        at[n] = row + place[(size_t)n * DV_LANES + lane];
}

static void product_chunk(void *context, DvElementRow *row, uint32_t begin, uint32_t end)
{
    const MassWork *work = context;
    const DvElementBlocks *mesh = &work->masses.fem->mesh;
    for (uint32_t block = begin; block < end; block++) {
        const uint16_t *place = dv_element_places(&mesh->chunks, block);
        for (uint32_t e = block * DV_LANES; e < (block + 1) * DV_LANES && e < mesh->elements; e++) {
            const double entry = work->factor * ENTRY * element_weight(&work->masses, e);
            DvReal8 dx[3], product[3];
            DvElementRow *at[NODES];
            nodes_of_lane(row, place, e % DV_LANES, at);
            dv_element_rows_gather(at, true, dx);
            for (int c = 0; c < 3; c++) {
                double sum = 0.0;
                for (int n = 0; n < NODES; n++)
                    sum += dx[c][n];
                product[c] = work->masses.lumped ? NODES * entry * dx[c] : dv_real8(entry * sum);
            }
            dv_element_rows_add(at, true, product);
        }
    }
}

static void weight_chunk(void *context, DvElementRow *row, uint32_t begin, uint32_t end)
{
    const MassWork *work = context;
    const DvElementBlocks *mesh = &work->masses.fem->mesh;
    for (uint32_t block = begin; block < end; block++) {
        const uint16_t *place = dv_element_places(&mesh->chunks, block);
        for (uint32_t e = block * DV_LANES; e < (block + 1) * DV_LANES && e < mesh->elements; e++) {
            const double each = element_weight(&work->masses, e) / NODES;
            DvReal8 weight[3];
            DvElementRow *at[NODES];
            nodes_of_lane(row, place, e % DV_LANES, at);
            for (int c = 0; c < 3; c++)
                weight[c] = dv_real8(each * work->gravity[c]);
            dv_element_rows_add(at, true, weight);
        }
    }
}

static const double *gravity_of(HexahedronFEMForceFieldAndMass *self)
{
    return dv_node_gravity(dv_object_node(dv_object_of(self)));
}

/* The elements that an operation on `points` points is about; false: none. */
static bool follow(HexahedronFEMForceFieldAndMass *self, uint32_t points)
{
    return self->fem.field.base.state.ops && dv_mesh_force_field_follow(&self->fem.field, points) == DV_OK &&
           points == self->fem.mesh.points;
}

/* ---- Force field: stiffness and weight */

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    HexahedronFEMForceFieldAndMass *self = self_;
    hexahedron_fem_ops.add_force(&self->fem, step, x, v, f);
    if (dv_data_bool(&self->mass.separate_gravity) || x->count != self->fem.mesh.points)
        return;
    MassWork work = {.masses = element_masses(self), .gravity = gravity_of(self)};
    dv_element_chunks_add(&self->fem.mesh.chunks, x->at, f->at, weight_chunk, &work);
}

/* Of each point: what gravity acts on. */
static double point_mass(void *self_, uint32_t point)
{
    HexahedronFEMForceFieldAndMass *self = self_;
    if (!follow(self, dv_state_count(self->fem.field.base.state)) || point >= self->fem.mesh.points)
        return 0.0;
    const DvElementBlocks *mesh = &self->fem.mesh;
    const ElementMasses masses = element_masses(self);
    double mass = 0.0;
    for (uint32_t k = mesh->begin[point]; k < mesh->end[point]; k++)
        mass += element_weight(&masses, mesh->entry[k] / NODES) / NODES;
    return mass;
}

static double energy(void *self_, const DvStep *step, const DvConstVec *x)
{
    HexahedronFEMForceFieldAndMass *self = self_;
    double sum = hexahedron_fem_ops.energy(&self->fem, step, x);
    const double *gravity = gravity_of(self);
    if (x->count != self->fem.mesh.points)
        return 0.0;
    for (uint32_t p = 0; p < x->count; p++) {
        const double mass = point_mass(self, p);
        for (int c = 0; c < 3; c++)
            sum -= mass * gravity[c] * x->at[3 * (size_t)p + (size_t)c];
    }
    return sum;
}

static void add_dforce(void *self, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    hexahedron_fem_ops.add_dforce(self, step, k, b, dx, df);
}

static void assemble_stiffness(void *self, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    hexahedron_fem_ops.assemble(self, step, k, b, view);
}

static void reserve(void *self, DvPattern *pattern)
{
    hexahedron_fem_ops.reserve(self, pattern);
}

static uint64_t structure(void *self)
{
    return hexahedron_fem_ops.structure(self);
}

static uint64_t stiffness_version(void *self)
{
    return hexahedron_fem_ops.matrix_version(self);
}

static void cost(void *self, double *product, double *assembly)
{
    hexahedron_fem_ops.cost(self, product, assembly);
}

static const DvForceFieldOps force_ops = {
    .size = sizeof force_ops,
    .states = dv_single_state_states,
    .add_force = add_force,
    .add_dforce = add_dforce,
    .reserve = reserve,
    .assemble = assemble_stiffness,
    .structure = structure,
    .matrix_version = stiffness_version,
    .energy = energy,
    .cost = cost,
};

/* ---- Mass: its couplings are those of the stiffness */

static DvObject *state(void *self)
{
    return ((HexahedronFEMForceFieldAndMass *)self)->fem.field.base.state.object;
}

static bool is_diagonal(void *self)
{
    return dv_data_bool(&((HexahedronFEMForceFieldAndMass *)self)->lumped);
}

static void add_mdx(void *self_, double factor, DvConstVec dx, DvVec res)
{
    HexahedronFEMForceFieldAndMass *self = self_;
    if (!follow(self, dx.count))
        return;
    MassWork work = {.masses = element_masses(self), .factor = factor};
    dv_element_chunks_add(&self->fem.mesh.chunks, dx.at, res.at, product_chunk, &work);
}

/* Sum of a row of the matrix. */
static double row_sum(const ElementMasses *masses, uint32_t point)
{
    const DvElementBlocks *mesh = &masses->fem->mesh;
    double sum = 0.0;
    for (uint32_t k = mesh->begin[point]; k < mesh->end[point]; k++)
        sum += NODES * ENTRY * element_weight(masses, mesh->entry[k] / NODES);
    return sum;
}

static void acceleration(void *self_, DvConstVec f, DvVec a)
{
    HexahedronFEMForceFieldAndMass *self = self_;
    if (!follow(self, f.count))
        return;
    const ElementMasses masses = element_masses(self);
    for (uint32_t p = 0; p < f.count; p++) {
        const double mass = row_sum(&masses, p);
        for (uint32_t c = 0; c < 3; c++)
            a.at[3 * (size_t)p + c] = mass > 0.0 ? f.at[3 * (size_t)p + c] / mass : 0.0;
    }
}

static bool separate_gravity(void *self)
{
    return dv_data_bool(&((HexahedronFEMForceFieldAndMass *)self)->mass.separate_gravity);
}

static void add_gravity_to_velocity(void *self, double dt, DvVec v)
{
    const double *gravity = gravity_of(self);
    for (uint32_t i = 0; i < v.count; i++)
        for (uint32_t c = 0; c < 3; c++)
            v.at[3 * (size_t)i + c] += gravity[c] * dt;
}

static void assemble(void *self_, double factor, const DvMatrixView *view)
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    HexahedronFEMForceFieldAndMass *self = self_;
    const DvElementBlocks *mesh = &self->fem.mesh;
    const ElementMasses masses = element_masses(self);
    for (uint32_t p = 0; p < mesh->points; p++) {
        double own = masses.lumped ? row_sum(&masses, p) : 0.0;
        for (uint32_t k = mesh->begin[p]; !masses.lumped && k < mesh->end[p]; k++)
            for (uint32_t n = 0; n < NODES; n++) /* a collapsed element has a point more than once */
                if (dv_element_blocks_point(mesh, mesh->entry[k] / NODES, n) == p)
                    own += ENTRY * element_weight(&masses, mesh->entry[k] / NODES);
        dv_view_add(view, p, identity, factor * own);
    }
    for (uint32_t k = 0; !masses.lumped && k < mesh->pairs; k++) {
        double shared = 0.0;
        for (uint32_t e = mesh->pair_begin[k]; e < mesh->pair_end[k]; e++)
            shared += ENTRY * element_weight(&masses, mesh->pair_entry[e] >> 6);
        dv_view_add(view, mesh->points + 2 * k, identity, factor * shared);
        dv_view_add(view, mesh->points + 2 * k + 1, identity, factor * shared);
    }
}

static uint64_t matrix_version(void *self_)
{
    HexahedronFEMForceFieldAndMass *self = self_;
    return self->fem.field.structure + self->fem.field.changed + dv_data_version(&self->density) +
           dv_data_version(&self->lumped);
}

/* M v, to be freed. */
static double *momenta(HexahedronFEMForceFieldAndMass *self, DvConstVec v)
{
    double *product = dv_alloc(3 * (size_t)v.count, sizeof *product);
    add_mdx(self, 1.0, v, (DvVec){product, v.count, 3});
    return product;
}

static double kinetic_energy(void *self, DvConstVec v)
{
    double *product = momenta(self, v), twice = 0.0;
    for (size_t i = 0; i < 3 * (size_t)v.count; i++)
        twice += v.at[i] * product[i];
    dv_free(product);
    return 0.5 * twice;
}

static void momentum(void *self_, DvConstVec x, DvConstVec v, double sum[6])
{
    HexahedronFEMForceFieldAndMass *self = self_;
    double *product = momenta(self, v);
    for (size_t i = 0; i < v.count; i++) {
        const DvVec3 p = dv_vec3_load(product + 3 * i), l = dv_vec3_cross(dv_vec3_load(x.at + 3 * i), p);
        const double six[6] = {p.x, p.y, p.z, l.x, l.y, l.z};
        for (int c = 0; c < 6; c++)
            sum[c] += six[c];
    }
    dv_free(product);
}

static const DvMassOps mass_ops = {
    .size = sizeof mass_ops,
    .space = DV_HOST,
    .state = state,
    .is_diagonal = is_diagonal,
    .add_mdx = add_mdx,
    .acceleration = acceleration,
    .separate_gravity = separate_gravity,
    .add_gravity_to_velocity = add_gravity_to_velocity,
    .reserve = reserve,
    .assemble = assemble,
    .structure = structure,
    .matrix_version = matrix_version,
    .kinetic_energy = kinetic_energy,
    .momentum = momentum,
    .point_mass = point_mass,
};

/* ---- Lifecycle */

static DvStatus init(DvObject *object, void *self_)
{
    HexahedronFEMForceFieldAndMass *self = self_;
    const DvStatus status = hexahedron_fem_init(object, &self->fem);
    self->mass.state = self->fem.field.base.state;
    return status == DV_OK ? dv_mass_check_others(object, &self->mass) : status;
}

/* The matrices, when somebody reads them. */
static DvStatus update(DvObject *object, void *self_)
{
    HexahedronFEMForceFieldAndMass *self = self_;
    const DvStatus status = hexahedron_fem_update(object, &self->fem);
    const uint32_t elements = self->fem.mesh.elements;
    double(*out)[COLUMNS][COLUMNS] = dv_data_begin_all(&self->mass_matrices, elements);
    memset(out, 0, elements * sizeof *out);
    const ElementMasses masses = elements ? element_masses(self) : (ElementMasses){0};
    for (uint32_t e = 0; e < elements; e++)
        for (int row = 0; row < COLUMNS; row++)
            for (int column = row % 3; column < COLUMNS; column += 3)
                out[e][row][column] = ENTRY * element_weight(&masses, e);
    dv_data_end(&self->mass_matrices);
    return status;
}

const DvClass dv_hexahedron_fem_force_field_and_mass = {
    .size = sizeof(DvClass),
    .name = "HexahedronFEMForceFieldAndMass",
    .variants = "Vec3d",
    DV_FORCE_FIELD_CLASS("HexahedronFEMForceField", "Mass", "BaseMass", "ForceField"),
    .aliases = (const char *const[]){"HexahedronFEMForceFieldAndMassForceField", NULL},
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .help = "Linear elastic hexahedra with large rotations, which have a mass.",
    .instance_size = sizeof(HexahedronFEMForceFieldAndMass),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_FORCE_FIELD, .ops = &force_ops},
                                      {.id = DV_MASS, .ops = &mass_ops},
                                      {.id = DV_FAULT_CAUSE, .ops = &hexahedron_fem_cause},
                                      {.id = DV_COUPLED_PAIRS, .ops = &dv_mesh_force_field_pairs},
                                      {.id = DV_ROTATIONS, .ops = &dv_mesh_force_field_rotations},
                                      {.id = DV_DRAWABLE, .ops = &hexahedron_fem_drawable},
                                      {.id = DV_ELEMENT_STRESS, .ops = &hexahedron_fem_stress},
                                      {0}},
    .init = init,
    .reinit = hexahedron_fem_reinit,
    .update = update,
    .cleanup = dv_mesh_force_field_cleanup,
    .destroy = hexahedron_fem_destroy,
};
