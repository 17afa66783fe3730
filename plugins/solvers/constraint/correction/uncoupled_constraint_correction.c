/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * UncoupledConstraintCorrection: each point answers for itself, as if nothing joined it to the others.
 *
 *   dx_i = c_i f_i                                 points: c_i of `compliance`, or `defaultCompliance`
 *   dx_i = (c_0 f, C m)                            frames: force and torque; C symmetric, in world axes, the same for all;
 *                                                  of a mass with turningInertia in body axes: R_i C R_i^T
 *
 * x = x_free + pf dx, v = v_free + vf dx with the factors of the ODE solver: c stands for the inverse of its matrix, about 1 / mass.
 * Solvers that form W are given pf J C J^T; those that do not are given J C J^T, without the factor, whatever the order is: scenes
 * rely on what comes of that, and are told that constraints give way.
 */
#include <divan/contracts/lagrangian_constraint.h>
#include <divan/contracts/mass.h>
#include <divan/contracts/solver.h>
#include <divan/contracts/topology.h>
#include <divan/divan.h>
#include <divan/element_data.h>
#include <divan/kit/listed_numbers.h>
#include <divan/math/mat.h>
#include <divan/math/quat.h>
#include <divan/memory.h>

#include <string.h>

enum { RIGID_NUMBERS = 7 };

typedef struct UncoupledConstraintCorrection {
    DvData compliance, default_compliance, velocity_factor, position_factor, use_ode_factors;
    DvLink state_link, topology_link;
    DvStateRef state; /* held */
    const DvOdeSolverOps *ode;
    void *ode_self;
    bool use_ode, told;
    bool turns;                  /* the compliance of frames is that of their body axes */
    double rigid[RIGID_NUMBERS]; /* of frames: translation; 00 01 02 11 12 22 of rotation */
    DvElementData of_points;     /* compliance of each, where the list goes with a mesh */
    uint64_t derived,
        derived_default; /* versions of `compliance` and `defaultCompliance` when an init wrote them; 0 before */
} UncoupledConstraintCorrection;

static const DvField fields[] = {
    DV_FIELD(
        UncoupledConstraintCorrection, compliance, "compliance", dv_type_doubles, .unit = "1/kg",
        .flags = DV_FIELD_EMPTY_IS_DEFAULT,
        .help =
            "of each point; of frames seven numbers for all: translation, then 00 01 02 11 12 22 of rotation, in world "
            "axes, or in body axes when they are taken from a mass with turningInertia"),
    DV_FIELD(UncoupledConstraintCorrection, default_compliance, "defaultCompliance", dv_type_double, .init = "1e-05",
             .unit = "1/kg", .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT,
             .help = "of all points; frames: default from the mass of the node"),
    DV_FIELD_HELD("verbose", dv_type_bool, .init = "0",
                  .help = "no effect: what it does is said by `divan info` and `divan check`"),
    DV_FIELD(UncoupledConstraintCorrection, velocity_factor, "correctionVelocityFactor", dv_type_double, .init = "1",
             .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT,
             .help = "velocity per displacement times the step, without useOdeSolverIntegrationFactors"),
    DV_FIELD(UncoupledConstraintCorrection, position_factor, "correctionPositionFactor", dv_type_double, .init = "1",
             .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT,
             .help = "share of the displacement that moves positions, without useOdeSolverIntegrationFactors"),
    DV_FIELD(UncoupledConstraintCorrection, use_ode_factors, "useOdeSolverIntegrationFactors", dv_type_bool,
             .init = "1", .help = "factors for positions and velocities are those of the ODE solver"),
    DV_LINK_HELD("mechanicalStates", DV_STATE, .many = true, .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,
                 .help = "kept for scenes that name it"),
    DV_LINK(UncoupledConstraintCorrection, state_link, "mstate", DV_STATE,
            .help = "state it moves; default: the node's"),
    DV_LINK_HELD("constraintSolvers", DV_CONSTRAINT_SOLVER, .many = true, .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,
                 .help = "kept for scenes that name it: solvers find it"),
    DV_LINK(UncoupledConstraintCorrection, topology_link, "topology", DV_TOPOLOGY,
            .help = "mesh whose points the state has; default: the node's"),
    {0},
};

static bool is_rigid(UncoupledConstraintCorrection *self)
{
    return self->state.dof->coord != self->state.dof->deriv;
}

/* ---- Initialisation ---- */

/* Whether a user gave it; not so when an init before this one wrote it, at this version. */
static bool is_given(DvData *data, uint64_t derived)
{
    return dv_data_is_set(data) && dv_data_version(data) != derived;
}

static DvQuat orientation(const UncoupledConstraintCorrection *self, uint32_t frame)
{
    const DvConstVec x = dv_state_read_points(self->state, DV_POSITION, &frame, 1);
    return dv_quat_normalize(dv_quat_load(x.at + (size_t)frame * x.dim + 3));
}

/* Adds M e_k of frame 0, unit vector by unit vector: m[6 k + i] += M(i, k). */
static void add_mass_of_frame(DvObject *mass, uint32_t count, double *m)
{
    enum { N = 6 };
    const DvMassOps *ops = dv_object_ops(mass, DV_MASS);
    const size_t n = (size_t)count * N;
    double *unit = dv_alloc(n, sizeof *unit), *product = dv_alloc(n, sizeof *product);
    for (int k = 0; k < N; k++) {
        unit[k] = 1.0;
        memset(product, 0, n * sizeof *product);
        ops->add_mdx(dv_object_self(mass), 1.0, (DvConstVec){unit, count, N}, (DvVec){product, count, N});
        for (int i = 0; i < N; i++)
            m[N * k + i] += product[i];
        unit[k] = 0.0;
    }
    dv_free(unit);
    dv_free(product);
}

/* Compliance of frame 0 as the masses of the node have it: the inverse of their sum. */
static DvStatus rigid_from_mass(DvObject *object, UncoupledConstraintCorrection *self, double factor)
{
    enum { N = 6, MOST = 32 };
    const DvNode *node = dv_object_node(object);
    DvObject *masses[MOST];
    const size_t found = dv_node_find_all(node, DV_MASS, DV_SEARCH_LOCAL, masses, MOST);
    if (found > MOST)
        return dv_error(object, DV_ERROR_LIMIT,
                        "%zu masses in '%s'; of at most %d it takes the compliance: set defaultCompliance", found,
                        dv_node_path(node), (int)MOST);
    const uint32_t count = dv_state_count(self->state);
    double m[N * N] = {0};
    self->turns = false;
    for (size_t i = 0; i < found && count > 0; i++) {
        const DvStatus status = dv_object_initialise_first(object, masses[i]);
        if (status != DV_OK)
            return status;
        const DvMassOps *ops = dv_object_ops(masses[i], DV_MASS);
        if (!ops->acceleration || ops->state(dv_object_self(masses[i])) != self->state.object)
            continue;
        DvData *turning = dv_object_field(masses[i], "turningInertia");
        self->turns |= turning && dv_data_bool(turning);
        add_mass_of_frame(masses[i], count, m);
    }
    if (m[0] == 0.0)
        return dv_error(
            object, DV_ERROR_MISSING,
            "there is no mass of its first frame in '%s' to take the compliance from; add a UniformMass, or set defaultCompliance "
            "or seven numbers of compliance",
            dv_node_path(node));
    DvMat3 inertia, inverse = dv_mat3_identity();
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            inertia.m[i][k] = m[N * (3 + k) + 3 + i];
    if (self->turns) {
        const DvMat3 rotation = dv_quat_to_matrix(orientation(self, 0));
        inertia = dv_mat3_mul(dv_mat3_transposed_mul(rotation, inertia), rotation);
    }
    (void)dv_mat3_inverse(inertia, &inverse);
    const double c[RIGID_NUMBERS] = {1.0 / m[0],      inverse.m[0][0], inverse.m[0][1], inverse.m[0][2],
                                     inverse.m[1][1], inverse.m[1][2], inverse.m[2][2]};
    for (int i = 0; i < RIGID_NUMBERS; i++)
        self->rigid[i] = factor * c[i];
    return DV_OK;
}

static DvStatus init_rigid(DvObject *object, UncoupledConstraintCorrection *self)
{
    size_t given;
    const double *compliance = dv_data_doubles(&self->compliance, &given);
    const double dt = dv_node_dt(dv_object_node(object)), factor = self->ode && !self->use_ode ? dt * dt : 1.0;
    DvStatus status = DV_OK;
    if (given == RIGID_NUMBERS && is_given(&self->compliance, self->derived)) {
        memcpy(self->rigid, compliance, sizeof self->rigid);
    } else if (dv_data_is_set(&self->default_compliance)) {
        const double unit[RIGID_NUMBERS] = {dv_data_double(&self->default_compliance), factor, 0, 0, factor, 0, factor};
        memcpy(self->rigid, unit, sizeof unit);
    } else {
        status = rigid_from_mass(object, self, factor);
    }
    if (status != DV_OK)
        return status;
    static const int diagonal[] = {0, 1, 4, 6};
    for (int i = 0; i < 4; i++)
        if (self->rigid[diagonal[i]] == 0.0)
            return dv_error(
                object, DV_ERROR_INVALID,
                "its compliance is 0 in translation or about an axis, so that contacts could not turn it; give "
                "the mass a moment of inertia about every axis, or set compliance");
    dv_data_set(&self->compliance, self->rigid, RIGID_NUMBERS);
    self->derived = dv_data_version(&self->compliance);
    return DV_OK;
}

/* Points that come later have the compliance of those that are not listed. */
static void points_added(DvElementData *data, const DvElementChange *change, uint32_t first)
{
    UncoupledConstraintCorrection *self = data->owner;
    const double compliance = dv_data_double(&self->default_compliance);
    for (uint32_t i = 0; i < change->count; i++)
        ((double *)data->entries)[first + i] = compliance;
}

/* A list that goes with the points of the mesh, where there is one. */
static DvStatus follow_topology(DvObject *object, UncoupledConstraintCorrection *self, const double *list, size_t count)
{
    DvObject *topology = dv_object_find(object, &self->topology_link, DV_TOPOLOGY);
    const DvTopologyOps *ops = topology ? dv_object_ops(topology, DV_TOPOLOGY) : NULL;
    if (!ops || !ops->attached || ops->point_count(dv_object_self(topology)) != count)
        return DV_OK;
    self->of_points =
        (DvElementData){.kind = DV_POINTS, .entry_size = sizeof(double), .owner = self, .added = points_added};
    const DvStatus status = dv_element_data_attach(&self->of_points, topology);
    if (status == DV_OK)
        memcpy(self->of_points.entries, list, count * sizeof *list);
    return status;
}

static DvStatus init_points(DvObject *object, UncoupledConstraintCorrection *self)
{
    size_t given;
    const double *compliance = dv_data_doubles(&self->compliance, &given);
    if (given == 0 && !dv_data_is_set(&self->default_compliance))
        dv_warning(
            object,
            "neither compliance nor defaultCompliance is set: %g 1/kg is taken; about 1 / mass of a point is right",
            dv_data_double(&self->default_compliance));
    if (dv_data_double(&self->default_compliance) == 0.0)
        return dv_field_error(&self->default_compliance, -1,
                              "is 0, so that nothing could move; about 1 / mass is right");
    for (size_t i = 0; i < given; i++)
        if (compliance[i] == 0.0)
            return dv_field_error(&self->compliance, (ptrdiff_t)i, "is 0, so that the point could not move");
    if (given == 0)
        return DV_OK;
    if (given != dv_state_count(self->state)) {
        const double all = compliance[0];
        if (!is_given(&self->default_compliance, self->derived_default)) {
            dv_data_set_double(&self->default_compliance, all);
            self->derived_default = dv_data_version(&self->default_compliance);
        }
        dv_data_set(&self->compliance, NULL, 0);
        return DV_OK;
    }
    return follow_topology(object, self, compliance, given);
}

static DvStatus init(DvObject *object, void *self_)
{
    UncoupledConstraintCorrection *self = self_;
    DvStatus status = dv_state_require(object, &self->state_link, &self->state);
    if (status != DV_OK)
        return status;
    DvObject *ode = dv_node_find(dv_object_node(object), DV_ODE_SOLVER, DV_SEARCH_UP);
    self->use_ode = dv_data_bool(&self->use_ode_factors);
    self->ode = NULL;
    if (ode && dv_object_require(object, ode) == DV_OK) {
        self->ode = dv_object_ops(ode, DV_ODE_SOLVER);
        self->ode_self = dv_object_self(ode);
        if (!self->ode->position_factor || !self->ode->velocity_factor)
            self->ode = NULL;
    }
    if (self->use_ode && !self->ode) {
        dv_warning(
            object,
            "no ODE solver in '%s' or above tells how a force moves the state in a step; correctionPositionFactor "
            "and correctionVelocityFactor are used",
            dv_node_path(dv_object_node(object)));
        self->use_ode = false;
    }
    return is_rigid(self) ? init_rigid(object, self) : init_points(object, self);
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    UncoupledConstraintCorrection *self = self_;
    dv_element_data_detach(&self->of_points);
    dv_state_release(&self->state);
}

/* ---- C ---- */

static const double *list_of(UncoupledConstraintCorrection *self, size_t *count)
{
    if (!self->of_points.topology)
        return dv_data_doubles(&self->compliance, count);
    *count = self->of_points.count;
    return self->of_points.entries;
}

static uint32_t states(void *self_, DvObject **objects, uint32_t capacity)
{
    UncoupledConstraintCorrection *self = self_;
    if (!self->state.ops)
        return 0;
    if (capacity > 0)
        objects[0] = self->state.object;
    return 1;
}

static void factors(void *self_, const DvStep *step, DvConstraintOrder order, double *position, double *velocity)
{
    UncoupledConstraintCorrection *self = self_;
    if (self->use_ode) {
        *position = self->ode->position_factor(self->ode_self, step->dt);
        *velocity = self->ode->velocity_factor(self->ode_self, step->dt);
        return;
    }
    *position = dv_data_double(&self->position_factor);
    *velocity = dv_data_double(&self->velocity_factor) / (order == DV_CONSTRAIN_POSITION ? step->dt : 1.0);
}

/* J C: of points each entry by its compliance. Without values: there is no room for them. */
static DvSparseRows scaled_rows(UncoupledConstraintCorrection *self, const DvSparseRows *j, double factor,
                                DvComplianceSink *sink)
{
    size_t listed;
    const double *compliance = list_of(self, &listed), other = dv_data_double(&self->default_compliance);
    const uint32_t entries = j->row_start[j->rows], deriv = self->state.dof->deriv;
    double *values = sink->alloc(sink, entries * sizeof *values);
    for (uint32_t e = 0; e < entries && values; e++) {
        const uint32_t point = j->columns[e] / deriv;
        values[e] = j->values[e] * (point < listed ? compliance[point] : other) * factor;
    }
    return (DvSparseRows){j->rows, j->row_start, j->columns, values};
}

/* x = C f of rotations in the axes of C. */
static DvVec3 turn_by(const double *c, DvVec3 f)
{
    return dv_vec3(c[1] * f.x + c[2] * f.y + c[3] * f.z, c[2] * f.x + c[4] * f.y + c[5] * f.z,
                   c[3] * f.x + c[5] * f.y + c[6] * f.z);
}

/* C of one frame, x = C f. */
static void turn(const UncoupledConstraintCorrection *self, uint32_t frame, const double *f, double *x)
{
    const double *c = self->rigid;
    for (int i = 0; i < 3; i++)
        x[i] = c[0] * f[i];
    const DvVec3 torque = dv_vec3_load(f + 3);
    if (!self->turns) {
        dv_vec3_store(turn_by(c, torque), x + 3);
        return;
    }
    const DvQuat q = orientation(self, frame);
    dv_vec3_store(dv_quat_rotate(q, turn_by(c, dv_quat_inverse_rotate(q, torque))), x + 3);
}

/* J C of frames: six entries for each frame of a row. Without values: there is no room for them. */
static DvSparseRows turned_rows(UncoupledConstraintCorrection *self, const DvSparseRows *j, double factor,
                                DvComplianceSink *sink)
{
    enum { N = 6 };
    uint32_t *start = sink->alloc(sink, ((size_t)j->rows + 1) * sizeof *start), frames = 0;
    if (!start)
        return (DvSparseRows){.values = NULL};
    for (uint32_t r = 0; r < j->rows; r++)
        for (uint32_t e = j->row_start[r]; e < j->row_start[r + 1]; e++)
            frames += e == j->row_start[r] || j->columns[e] / N != j->columns[e - 1] / N;
    uint32_t *columns = sink->alloc(sink, (size_t)N * frames * sizeof *columns), at = 0;
    double *values = sink->alloc(sink, (size_t)N * frames * sizeof *values);
    if (!columns || !values)
        return (DvSparseRows){.values = NULL};
    for (uint32_t r = 0; r < j->rows; r++) {
        start[r] = at;
        for (uint32_t e = j->row_start[r]; e < j->row_start[r + 1];) {
            const uint32_t frame = j->columns[e] / N;
            double f[N] = {0};
            for (; e < j->row_start[r + 1] && j->columns[e] / N == frame; e++)
                f[j->columns[e] % N] = factor * j->values[e];
            turn(self, frame, f, values + at);
            for (uint32_t k = 0; k < N; k++)
                columns[at++] = frame * N + k;
        }
    }
    start[j->rows] = at;
    return (DvSparseRows){j->rows, start, columns, values};
}

static DvStatus compliance(void *self_, const DvStep *step, DvConstraintOrder order, bool unbuilt,
                           const DvSparseRows *j, DvComplianceSink *sink)
{
    UncoupledConstraintCorrection *self = self_;
    double position = 1.0, velocity = 1.0;
    if (self->use_ode && !unbuilt)
        factors(self_, step, order, &position, &velocity);
    if (self->use_ode && unbuilt && !self->told) {
        dv_warning(
            dv_object_of(self),
            "a solver that does not form W takes this compliance without the factors of the ODE solver, so that "
            "constraints give way; set useOdeSolverIntegrationFactors=\"0\" and compliances of dt^2 / mass, or take a "
            "solver that forms W");
        self->told = true;
    }
    const double factor = order == DV_CONSTRAIN_POSITION ? position : velocity;
    sink->block->left = *j;
    sink->block->right = is_rigid(self) ? turned_rows(self, j, factor, sink) : scaled_rows(self, j, factor, sink);
    sink->block->group = self->state.dof->deriv;
    sink->block->columns = dv_state_count(self->state) * sink->block->group;
    return sink->block->right.values ? DV_OK : DV_ERROR_LIMIT;
}

/* Of frames that a force acts on: six numbers each. */
static void respond_of_frames(UncoupledConstraintCorrection *self, const DvSparseRows *force)
{
    enum { N = 6 };
    const uint32_t count = force->row_start[1];
    uint32_t *places = dv_step_alloc((size_t)N * count, sizeof *places), at = 0;
    double *dx = dv_step_alloc((size_t)N * count, sizeof *dx);
    for (uint32_t e = 0; e < count;) {
        const uint32_t frame = force->columns[e] / N;
        double f[N] = {0};
        for (; e < count && force->columns[e] / N == frame; e++)
            f[force->columns[e] % N] = force->values[e];
        turn(self, frame, f, dx + at);
        for (uint32_t k = 0; k < N; k++)
            places[at++] = frame * N + k;
    }
    dv_state_set_listed(self->state, DV_DX, places, dx, at);
}

static DvStatus respond(void *self_, const DvStep *step, const DvSparseRows *force)
{
    UncoupledConstraintCorrection *self = self_;
    const uint32_t count = force->row_start[1], deriv = self->state.dof->deriv;
    const DvStepMark mark = dv_step_mark();
    (void)step;
    if (is_rigid(self)) {
        respond_of_frames(self, force);
    } else {
        size_t listed;
        const double *compliances = list_of(self, &listed), other = dv_data_double(&self->default_compliance);
        double *dx = dv_step_alloc(count, sizeof *dx);
        for (uint32_t e = 0; e < count; e++) {
            const uint32_t point = force->columns[e] / deriv;
            dx[e] = force->values[e] * (point < listed ? compliances[point] : other);
        }
        dv_state_set_listed(self->state, DV_DX, force->columns, dx, count);
    }
    dv_step_release(mark);
    return DV_OK;
}

static const DvConstraintCorrectionOps ops = {
    .size = sizeof ops, .states = states, .compliance = compliance, .respond = respond, .factors = factors};

const DvClass dv_uncoupled_constraint_correction = {
    .size = sizeof(DvClass),
    .name = "UncoupledConstraintCorrection",
    .variants = "Rigid3d Vec1d Vec2d Vec3d",
    .variant_rule = DV_VARIANT_OF_ALL,
    .sources = (const DvVariantSource[]){{.attribute = "mstate", .path = "", .contract = DV_STATE}, {0}},
    .bases = (const char *const[]){"BaseConstraintCorrection", NULL},
    .family = "constraint corrections",
    .module = "Sofa.Component.Constraint.Lagrangian.Correction",
    .help = "How constraint forces move a body, each point by itself: rigid bodies and loose points.",
    .instance_size = sizeof(UncoupledConstraintCorrection),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_CONSTRAINT_CORRECTION, .ops = &ops}, {0}},
    .init = init,
    .reinit = dv_object_initialise_again,
    .cleanup = cleanup,
};
