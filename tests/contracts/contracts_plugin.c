/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The test classes by which the contracts prove that they carry what comes next.
 *
 *   FakeDeviceObject    a state in other memory; see fake_device.h
 *   DeviceWell          a force field and mass that want their vectors on the device: f = -k x, unit masses
 *   EagerSolver         opens the mechanics of its node and allocates its vectors in init, whatever has been initialised by then
 *   ShortSightedMapping computes three points and never looks how many its output has
 *   AskedField          a force field that counts how often it is asked what it is
 *   ContactSpawner      edits the graph in every step, as contacts will: a node, a state, a mapping, an interaction
 *   ElementWatcher      keeps numbers attached to the elements of a mesh
 *   FastDevice          a thread at another rate that reads snapshots and posts forces
 */
#include "contracts_plugin.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <divan/contracts/force_field.h>
#include <divan/contracts/mapping.h>
#include <divan/contracts/mass.h>
#include <divan/contracts/mechanical_operations.h>
#include <divan/contracts/solver.h>
#include <divan/contracts/topology.h>
#include <divan/divan.h>

/* FakeDeviceObject */

typedef struct Vector {
    double *copy[2]; /* [DvSpace] */
    bool valid[2], exists;
} Vector;

typedef struct FakeDeviceObject {
    DvData position, velocity;
    Vector vectors[DV_MAX_VEC];
    uint32_t count;
    uint64_t transfers;
} FakeDeviceObject;

static size_t numbers(const FakeDeviceObject *self)
{
    return (size_t)self->count * 3;
}

static void poison(const FakeDeviceObject *self, Vector *vector, DvSpace space)
{
    vector->valid[space] = false;
    for (size_t i = 0; i < numbers(self); i++)
        vector->copy[space][i] = NAN;
}

static Vector *make(FakeDeviceObject *self, DvVecId id)
{
    Vector *vector = &self->vectors[id];
    for (int space = 0; space < 2 && !vector->copy[space]; space++)
        vector->copy[space] = dv_alloc(numbers(self), sizeof(double));
    if (!vector->exists) {
        vector->exists = true;
        memset(vector->copy[DV_DEVICE], 0, numbers(self) * sizeof(double));
        vector->valid[DV_DEVICE] = true;
        poison(self, vector, DV_HOST);
    }
    return vector;
}

static double *bring(FakeDeviceObject *self, Vector *vector, DvSpace space)
{
    if (!vector->valid[space]) {
        memcpy(vector->copy[space], vector->copy[!space], numbers(self) * sizeof(double));
        vector->valid[space] = true;
        self->transfers++;
    }
    return vector->copy[space];
}

static double *change(FakeDeviceObject *self, DvVecId id, DvSpace space, DvAccess access)
{
    Vector *vector = make(self, id);
    if (access == DV_READ_WRITE)
        bring(self, vector, space);
    else if (!vector->valid[space])
        memset(vector->copy[space], 0x7f, numbers(self) * sizeof(double)); /* whoever overwrites must write all */
    vector->valid[space] = true;
    poison(self, vector, space == DV_HOST ? DV_DEVICE : DV_HOST);
    return vector->copy[space];
}

static const DvDofType *dof_type(const void *self)
{
    (void)self;
    return &dv_vec3d;
}

static uint32_t count(const void *self)
{
    return ((const FakeDeviceObject *)self)->count;
}

static void resize(void *object, uint32_t points)
{
    FakeDeviceObject *self = object;
    for (DvVecId id = 1; id < DV_MAX_VEC; id++)
        for (int space = 0; space < 2 && self->vectors[id].copy[space]; space++)
            self->vectors[id].copy[space] = dv_realloc(self->vectors[id].copy[space], numbers(self) * sizeof(double),
                                                       (size_t)points * 3 * sizeof(double));
    self->count = points;
}

static const double *read_vector(void *object, DvVecId id, DvSpace space)
{
    FakeDeviceObject *self = object;
    return self->vectors[id].exists ? bring(self, &self->vectors[id], space) : NULL;
}

static double *write_vector(void *object, DvVecId id, DvSpace space, DvAccess access)
{
    return change(object, id, space, access);
}

static bool has(const void *object, DvVecId id)
{
    return ((const FakeDeviceObject *)object)->vectors[id].exists;
}

static void release(void *object, DvVecId id)
{
    ((FakeDeviceObject *)object)->vectors[id].exists = false;
}

static void clear(void *object, DvVecId r)
{
    FakeDeviceObject *self = object;
    memset(change(self, r, DV_DEVICE, DV_OVERWRITE), 0, numbers(self) * sizeof(double));
}

static void combine(void *object, DvVecId r, DvVecId a, DvVecId b, double k)
{
    FakeDeviceObject *self = object;
    const double *x = a ? bring(self, make(self, a), DV_DEVICE) : NULL;
    const double *y = b ? bring(self, make(self, b), DV_DEVICE) : NULL;
    double *to = change(self, r, DV_DEVICE, r == a || r == b ? DV_READ_WRITE : DV_OVERWRITE);
    for (size_t i = 0; i < numbers(self); i++)
        to[i] = (x ? x[i] : 0) + (y ? k * y[i] : 0);
}

static double dot(void *object, DvVecId a, DvVecId b)
{
    FakeDeviceObject *self = object;
    const double *x = bring(self, make(self, a), DV_DEVICE), *y = bring(self, make(self, b), DV_DEVICE);
    double sum = 0;
    for (size_t i = 0; i < numbers(self); i++)
        sum += x[i] * y[i];
    return sum;
}

static uint32_t first_not_finite(void *object, DvVecId a)
{
    FakeDeviceObject *self = object;
    const double *x = bring(self, make(self, a), DV_DEVICE);
    for (size_t i = 0; i < numbers(self); i++)
        if (!isfinite(x[i]))
            return (uint32_t)(i / 3);
    return UINT32_MAX;
}

static const DvStateOps device_state_ops = {
    .size = sizeof(DvStateOps),
    .spaces = DV_IN_HOST | DV_IN_DEVICE,
    .dof_type = dof_type,
    .count = count,
    .resize = resize,
    .read = read_vector,
    .write = write_vector,
    .has = has,
    .release = release,
    .clear = clear,
    .combine = combine,
    .dot = dot,
    .first_not_finite = first_not_finite,
};

static uint64_t transfers(const void *self)
{
    return ((const FakeDeviceObject *)self)->transfers;
}

static const FakeDeviceOps fake_device_ops = {sizeof fake_device_ops, transfers};

static DvStatus device_init(DvObject *object, void *object_self)
{
    (void)object;
    FakeDeviceObject *self = object_self;
    size_t points, speeds;
    const double *x = dv_data_doubles(&self->position, &points), *v = dv_data_doubles(&self->velocity, &speeds);
    self->count = (uint32_t)points;
    memcpy(change(self, DV_POSITION, DV_HOST, DV_OVERWRITE), x, points * 3 * sizeof(double));
    memcpy(change(self, DV_REST_POSITION, DV_HOST, DV_OVERWRITE), x, points * 3 * sizeof(double));
    double *to = change(self, DV_VELOCITY, DV_HOST, DV_OVERWRITE);
    memset(to, 0, points * 3 * sizeof(double));
    memcpy(to, v, (speeds < points ? speeds : points) * 3 * sizeof(double));
    return DV_OK;
}

static void device_destroy(DvObject *object, void *object_self)
{
    (void)object;
    FakeDeviceObject *self = object_self;
    for (DvVecId id = 1; id < DV_MAX_VEC; id++)
        for (int space = 0; space < 2; space++)
            dv_free(self->vectors[id].copy[space]);
}

static const DvField device_fields[] = {
    DV_FIELD(FakeDeviceObject, position, "position", dv_type_vec3s, .unit = "m", .help = "positions at init"),
    DV_FIELD(FakeDeviceObject, velocity, "velocity", dv_type_vec3s, .unit = "m/s", .help = "velocities at init"),
    {0},
};

static const DvClass fake_device_object = {
    .size = sizeof(DvClass),
    .name = "FakeDeviceObject",
    .variants = "Vec3d",
    .help = "A state whose vectors live in other memory.",
    .instance_size = sizeof(FakeDeviceObject),
    .fields = device_fields,
    .contracts = (const DvContract[]){{.id = DV_STATE, .ops = &device_state_ops, .slot = true},
                                      {.id = TEST_FAKE_DEVICE, .ops = &fake_device_ops},
                                      {0}},
    .init = device_init,
    .destroy = device_destroy,
};

/* DeviceWell: both force field and mass, on the device. */

typedef struct DeviceWell {
    DvData stiffness;
    DvObject *state;
} DeviceWell;

static DvStatus well_init(DvObject *object, void *object_self)
{
    DeviceWell *self = object_self;
    return dv_object_find_required(object, NULL, DV_STATE, "a state", &self->state);
}

static uint32_t well_states(void *object_self, DvObject *states[2])
{
    states[0] = ((DeviceWell *)object_self)->state;
    return 1;
}

static void well_add_force(void *object_self, const DvStep *step, const DvConstVec *x, const DvConstVec *v,
                           const DvVec *f)
{
    (void)step, (void)v;
    const double k = dv_data_double(&((DeviceWell *)object_self)->stiffness);
    for (uint32_t i = 0; i < 3 * x->count; i++)
        f->at[i] -= k * x->at[i];
}

static void well_add_dforce(void *object_self, const DvStep *step, double k, double b, const DvConstVec *dx,
                            const DvVec *df)
{
    (void)step, (void)b;
    const double stiffness = k * dv_data_double(&((DeviceWell *)object_self)->stiffness);
    for (uint32_t i = 0; i < 3 * dx->count; i++)
        df->at[i] -= stiffness * dx->at[i];
}

static const DvForceFieldOps well_force_ops = {
    .size = sizeof(DvForceFieldOps),
    .space = DV_DEVICE,
    .states = well_states,
    .add_force = well_add_force,
    .add_dforce = well_add_dforce,
};

static DvObject *well_state(void *object_self)
{
    return ((DeviceWell *)object_self)->state;
}

static bool yes(void *object_self)
{
    (void)object_self;
    return true;
}

static bool no(void *object_self)
{
    (void)object_self;
    return false;
}

static void well_add_mdx(void *object_self, double factor, DvConstVec dx, DvVec res)
{
    (void)object_self;
    for (uint32_t i = 0; i < 3 * dx.count; i++)
        res.at[i] += factor * dx.at[i];
}

static void well_acceleration(void *object_self, DvConstVec f, DvVec a)
{
    (void)object_self;
    memcpy(a.at, f.at, (size_t)f.count * 3 * sizeof(double));
}

static void well_add_gravity(void *object_self, double dt, DvVec v)
{
    (void)object_self, (void)dt, (void)v;
}

static const DvMassOps well_mass_ops = {
    .size = sizeof(DvMassOps),
    .space = DV_DEVICE,
    .state = well_state,
    .is_diagonal = yes,
    .add_mdx = well_add_mdx,
    .acceleration = well_acceleration,
    .separate_gravity = no,
    .add_gravity_to_velocity = well_add_gravity,
};

static const DvField well_fields[] = {
    DV_FIELD(DeviceWell, stiffness, "stiffness", dv_type_double, .init = "1", .unit = "N/m",
             .help = "force per distance"),
    {0},
};

static const DvClass device_well = {
    .size = sizeof(DvClass),
    .name = "DeviceWell",
    .help = "A well and unit masses, on the device.",
    .instance_size = sizeof(DeviceWell),
    .fields = well_fields,
    .contracts = (const DvContract[]){{.id = DV_FORCE_FIELD, .ops = &well_force_ops},
                                      {.id = DV_MASS, .ops = &well_mass_ops},
                                      {0}},
    .init = well_init,
};

/* EagerSolver: symplectic Euler. */

typedef struct EagerSolver {
    const DvMechanicalOperationsOps *ops;
    DvMechanics *m;
    DvVecId acceleration;
} EagerSolver;

static DvStatus eager_init(DvObject *object, void *object_self)
{
    EagerSolver *self = object_self;
    self->ops = dv_service(DV_MECHANICAL_OPERATIONS);
    self->m = self->ops->open(dv_object_node(object));
    self->acceleration = self->ops->allocate(self->m, DV_DERIVS);
    return DV_OK;
}

static void eager_cleanup(DvObject *object, void *object_self)
{
    (void)object;
    EagerSolver *self = object_self;
    if (self->m)
        self->ops->close(self->m);
    self->m = NULL;
}

static DvStatus eager_solve(void *object_self, double dt, DvVecId x, DvVecId v)
{
    EagerSolver *self = object_self;
    const DvStep step = {
        .time = dv_node_time(dv_object_node(dv_object_of(self))), .dt = dt, .position = x, .velocity = v};
    self->ops->compute_acceleration(self->m, &step, self->acceleration);
    self->ops->combine(self->m, v, v, self->acceleration, dt);
    self->ops->combine(self->m, x, x, v, dt);
    return DV_OK;
}

static const DvOdeSolverOps eager_ops = {.size = sizeof(DvOdeSolverOps), .solve = eager_solve};

static const DvClass eager_solver = {
    .size = sizeof(DvClass),
    .name = "EagerSolver",
    .help = "Allocates in init.",
    .instance_size = sizeof(EagerSolver),
    .contracts = (const DvContract[]){{.id = DV_ODE_SOLVER, .ops = &eager_ops}, {0}},
    .init = eager_init,
    .cleanup = eager_cleanup,
};

/* ShortSightedMapping: three points on a line behind the first of the parent. */

typedef struct ShortSightedMapping {
    DvObject *in, *out;
} ShortSightedMapping;

static const DvJacobian short_jacobian = {
    .rows = 3,
    .columns_count = 1,
    .row_start = (const uint32_t[]){0, 1, 2, 3},
    .columns = (const uint32_t[]){0, 0, 0},
    .values = (const double[]){1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1},
    .structure = 1,
};

static DvStatus short_init(DvObject *object, void *object_self)
{
    ShortSightedMapping *self = object_self;
    self->out = dv_node_slot(dv_object_node(object), DV_STATE);
    self->in = dv_node_context(dv_node_parent(dv_object_node(object), 0), DV_STATE);
    return DV_OK;
}

static uint32_t short_inputs(void *object_self, DvObject **states, uint32_t capacity)
{
    if (capacity)
        states[0] = ((ShortSightedMapping *)object_self)->in;
    return 1;
}

static uint32_t short_outputs(void *object_self, DvObject **states, uint32_t capacity)
{
    if (capacity)
        states[0] = ((ShortSightedMapping *)object_self)->out;
    return 1;
}

static void short_apply(void *object_self, const DvStep *step, const DvConstVec *in, const DvVec *out)
{
    (void)object_self, (void)step;
    for (int point = 0; point < 3; point++)
        for (int k = 0; k < 3; k++)
            out->at[3 * point + k] = in->at[k] + point;
}

static void short_apply_j(void *object_self, const DvStep *step, const DvConstVec *in, const DvVec *out)
{
    (void)object_self, (void)step;
    for (int i = 0; i < 9; i++)
        out->at[i] = in->at[i % 3];
}

static void short_apply_jt(void *object_self, const DvStep *step, const DvConstVec *out, const DvVec *in)
{
    (void)object_self, (void)step;
    for (int i = 0; i < 9; i++)
        in->at[i % 3] += out->at[i];
}

static const DvJacobian *short_matrix(void *object_self, uint32_t output, uint32_t input)
{
    (void)object_self, (void)output, (void)input;
    return &short_jacobian;
}

#define SHORT_OPS                                                                                       \
    .size = sizeof(DvMappingOps), .inputs = short_inputs, .outputs = short_outputs, .maps_forces = yes, \
    .is_mechanical = yes, .keeps_topology = no, .apply = short_apply, .apply_j = short_apply_j,         \
    .apply_jt = short_apply_jt, .jacobian = short_matrix

static const DvMappingOps short_ops = {SHORT_OPS};

static const DvClass short_sighted_mapping = {
    .size = sizeof(DvClass),
    .name = "ShortSightedMapping",
    .help = "Computes three points.",
    .instance_size = sizeof(ShortSightedMapping),
    .contracts = (const DvContract[]){{.id = DV_MAPPING, .ops = &short_ops, .slot = true}, {0}},
    .init = short_init,
};

/* DeviceShiftMapping: three points behind the first of the parent, on a device, with a geometric stiffness: apply_djt does nothing, but
 * is there. */

static void device_djt(void *object_self, const DvStep *step, double k, const DvConstVec *out, const DvConstVec *dx,
                       const DvVec *df)
{
    (void)object_self, (void)step, (void)k, (void)out, (void)dx, (void)df;
}

static const DvMappingOps device_shift_ops = {SHORT_OPS, .space = DV_DEVICE, .apply_djt = device_djt};

static const DvClass device_shift_mapping = {
    .size = sizeof(DvClass),
    .name = "DeviceShiftMapping",
    .help = "Computes three points on a device.",
    .instance_size = sizeof(ShortSightedMapping),
    .contracts = (const DvContract[]){{.id = DV_MAPPING, .ops = &device_shift_ops, .slot = true}, {0}},
    .init = short_init,
};

/* AskedField: no force. What solvers keep of it, they need not ask for again. */

typedef struct AskedField {
    DvObject *state;
} AskedField;

static AskedCounters asked;
static const AskedOps asked_ops = {sizeof asked_ops, &asked};

static DvStatus asked_init(DvObject *object, void *object_self)
{
    ((AskedField *)object_self)->state = dv_node_context(dv_object_node(object), DV_STATE);
    return DV_OK;
}

static uint32_t asked_states(void *object_self, DvObject *states[2])
{
    asked.states++;
    states[0] = ((AskedField *)object_self)->state;
    return 1;
}

static void asked_add_force(void *object_self, const DvStep *step, const DvConstVec *x, const DvConstVec *v,
                            const DvVec *f)
{
    (void)object_self, (void)step, (void)x, (void)v, (void)f;
}

static void asked_add_dforce(void *object_self, const DvStep *step, double k, double b, const DvConstVec *dx,
                             const DvVec *df)
{
    (void)object_self, (void)step, (void)k, (void)b, (void)dx, (void)df;
}

static void asked_reserve(void *object_self, DvPattern *pattern)
{
    (void)object_self;
    asked.couplings++;
    dv_pattern_add(pattern, 0, 0);
    if (asked.far_point)
        dv_pattern_add(pattern, asked.far_point, 0);
}

static void asked_assemble(void *object_self, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    static const double block[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    (void)object_self, (void)step, (void)k, (void)b;
    if (asked.far_point)
        dv_view_add(view, 1, block, 1000);
}

static void asked_cost(void *object_self, double *product, double *assembly)
{
    (void)object_self;
    asked.costs++;
    *product = *assembly = 1;
}

static const DvForceFieldOps asked_force_ops = {
    .size = sizeof(DvForceFieldOps),
    .states = asked_states,
    .add_force = asked_add_force,
    .add_dforce = asked_add_dforce,
    .reserve = asked_reserve,
    .assemble = asked_assemble,
    .cost = asked_cost,
};

static const DvClass asked_field = {
    .size = sizeof(DvClass),
    .name = "AskedField",
    .help = "A force field without force that counts what it is asked.",
    .instance_size = sizeof(AskedField),
    .contracts = (const DvContract[]){{.id = DV_FORCE_FIELD, .ops = &asked_force_ops},
                                      {.id = TEST_ASKED, .ops = &asked_ops},
                                      {0}},
    .init = asked_init,
};

/* ContactSpawner: takes out what it put in the step before, puts it in anew. */

typedef struct ContactSpawner {
    DvData stiffness, length, point;
    DvLink body, particle; /* nodes */
    DvNode *contact;
    DvObject *spring;
} ContactSpawner;

static SpawnCounters counters;
static const SpawnerOps spawner_ops = {sizeof spawner_ops, &counters};

static void spawn(DvObject *object, ContactSpawner *self)
{
    if (self->contact) {
        dv_object_remove(self->spring);
        dv_node_remove(self->contact);
    }
    DvNode *body = dv_object_as_node(dv_link_object(&self->body)),
           *particle = dv_object_as_node(dv_link_object(&self->particle));
    self->contact = dv_node_new(body, "contact");
    const char *point = dv_data_string(&self->point);
    char stiffness[40], length[40], first[300], second[300];
    snprintf(stiffness, sizeof stiffness, "%.17g", dv_data_double(&self->stiffness));
    snprintf(length, sizeof length, "%.17g", dv_data_double(&self->length));
    DvStatus status = dv_object_new(self->contact, "MechanicalObject", NULL, "template", "Vec3d", "name", "touch",
                                    "position", point, NULL);
    if (status == DV_OK)
        status = dv_object_new(self->contact, "RigidMapping", NULL, NULL);
    if (status == DV_OK)
        status = dv_object_new(self->contact, "DestructionCounter", NULL, NULL);
    snprintf(first, sizeof first, "@%s/touch", dv_node_path(self->contact));
    snprintf(second, sizeof second, "@%s/dofs", dv_node_path(particle));
    if (status == DV_OK)
        status = dv_object_new(dv_object_node(object), "SpringForceField", &self->spring, "name", "contact spring",
                               "object1", first, "object2", second, "indices1", "0", "indices2", "0", "stiffness",
                               stiffness, "damping", "0", "lengths", length, NULL);
    counters.spawned += status == DV_OK;
}

static void spawner_event(DvObject *object, void *self, DvEvent *event)
{
    if (event->kind == DV_EVENT_COLLISION_BEGIN)
        spawn(object, self);
}

static const DvField spawner_fields[] = {
    DV_FIELD(ContactSpawner, stiffness, "stiffness", dv_type_double, .init = "1", .unit = "N/m",
             .help = "of the spring"),
    DV_FIELD(ContactSpawner, length, "length", dv_type_double, .init = "0", .unit = "m", .help = "at rest"),
    DV_FIELD(ContactSpawner, point, "point", dv_type_string, .init = "0 0 0", .unit = "m", .help = "on the rigid body"),
    DV_LINK(ContactSpawner, body, "body", NULL, .help = "node of the rigid body"),
    DV_LINK(ContactSpawner, particle, "particle", NULL, .help = "node of the particle"),
    {0},
};

static const DvClass contact_spawner = {
    .size = sizeof(DvClass),
    .name = "ContactSpawner",
    .help = "Edits the graph in every step, as contacts do.",
    .instance_size = sizeof(ContactSpawner),
    .fields = spawner_fields,
    .contracts = (const DvContract[]){{.id = TEST_SPAWNER, .ops = &spawner_ops}, {0}},
    .handle_event = spawner_event,
};

static void count_destruction(DvObject *object, void *self)
{
    (void)object, (void)self;
    counters.destroyed++;
}

static const DvClass destruction_counter = {
    .size = sizeof(DvClass),
    .name = "DestructionCounter",
    .help = "Counts how many of it are gone.",
    .instance_size = sizeof(int),
    .destroy = count_destruction,
};

/* ElementWatcher: each tetrahedron's entry is the sum of its points' tags, each point's its tag. Nothing here listens to anything. */

typedef struct ElementWatcher {
    DvElementData tetrahedra, points;
} ElementWatcher;

static double next_tag;

static void tag_points(DvElementData *data, const DvElementChange *change, uint32_t first)
{
    double *tags = data->entries;
    for (uint32_t i = 0; i < change->count; i++)
        if (!change->ancestor_start)
            tags[first + i] = next_tag++;
}

static void sum_tags(ElementWatcher *self, uint32_t first, uint32_t tetrahedra)
{
    const DvTopologyOps *ops = dv_object_ops(self->tetrahedra.topology, DV_TOPOLOGY);
    const uint32_t *nodes = ops->elements(dv_object_self(self->tetrahedra.topology), DV_TETRAHEDRA).at;
    const double *tags = self->points.entries;
    double *sums = self->tetrahedra.entries;
    for (uint32_t t = first; t < first + tetrahedra; t++) {
        sums[t] = 0;
        for (uint32_t c = 0; c < 4; c++)
            sums[t] += tags[nodes[4 * t + c]];
    }
}

static void sum_new(DvElementData *data, const DvElementChange *change, uint32_t first)
{
    sum_tags(data->owner, first, change->count);
}

static DvStatus watcher_init(DvObject *object, void *object_self)
{
    ElementWatcher *self = object_self;
    DvObject *topology;
    const DvStatus status = dv_object_find_required(object, NULL, DV_TOPOLOGY, "a mesh", &topology);
    if (status != DV_OK)
        return status;
    self->points = (DvElementData){
        .kind = DV_POINTS, .entry_size = sizeof(double), .owner = self, .added = tag_points, .interpolate = true};
    self->tetrahedra =
        (DvElementData){.kind = DV_TETRAHEDRA, .entry_size = sizeof(double), .owner = self, .added = sum_new};
    if (dv_element_data_attach(&self->points, topology) != DV_OK ||
        dv_element_data_attach(&self->tetrahedra, topology) != DV_OK)
        return dv_error(object, DV_ERROR_MISSING, "no topology");
    next_tag = 1;
    for (uint32_t i = 0; i < self->points.count; i++)
        ((double *)self->points.entries)[i] = next_tag++;
    sum_tags(self, 0, self->tetrahedra.count);
    return DV_OK;
}

static void watcher_destroy(DvObject *object, void *object_self)
{
    (void)object;
    ElementWatcher *self = object_self;
    dv_element_data_detach(&self->points);
    dv_element_data_detach(&self->tetrahedra);
}

static const DvElementData *watched_points(const void *self)
{
    return &((const ElementWatcher *)self)->points;
}

static const DvElementData *watched_tetrahedra(const void *self)
{
    return &((const ElementWatcher *)self)->tetrahedra;
}

static const WatcherOps watcher_ops = {sizeof watcher_ops, watched_points, watched_tetrahedra};

static const DvClass element_watcher = {
    .size = sizeof(DvClass),
    .name = "ElementWatcher",
    .help = "Numbers attached to points and tetrahedra.",
    .instance_size = sizeof(ElementWatcher),
    .contracts = (const DvContract[]){{.id = TEST_WATCHER, .ops = &watcher_ops}, {0}},
    .init = watcher_init,
    .destroy = watcher_destroy,
};

/* FastDevice: its thread pulls the first point to a target, by the newest snapshot it has, and posts the force. */

typedef struct Snapshot {
    uint64_t step;
    double x[3], copy[3]; /* the same numbers twice: a torn read shows */
} Snapshot;

typedef struct Push {
    double force[3];
} Push;

typedef struct FastDevice {
    DvData stiffness;
    DvStateRef state;
    DvSnapshot *snapshot;
    DvMailbox *mailbox;
    pthread_t thread;
    bool has_thread;
    atomic_bool quit;
    atomic_uint_fast64_t turns, torn, full;
    double force[3];
    uint64_t steps, pushes;
} FastDevice;

static void *fast_thread(void *context)
{
    FastDevice *self = context;
    const double stiffness = dv_data_double(&self->stiffness); /* clean since init; nobody writes it */
    while (!atomic_load(&self->quit)) {
        const Snapshot *snapshot = dv_snapshot_latest(self->snapshot, NULL);
        Push push;
        for (int c = 0; c < 3; c++) {
            if (snapshot->x[c] != snapshot->copy[c])
                atomic_fetch_add(&self->torn, 1);
            push.force[c] = -stiffness * snapshot->x[c];
        }
        if (!dv_mailbox_post(self->mailbox, &push))
            atomic_fetch_add(&self->full, 1);
        atomic_fetch_add(&self->turns, 1);
        const struct timespec millisecond = {0, 1000000};
        nanosleep(&millisecond, NULL);
    }
    return NULL;
}

static DvStatus fast_init(DvObject *object, void *object_self)
{
    FastDevice *self = object_self;
    const DvStatus status = dv_state_require(object, NULL, &self->state);
    if (status != DV_OK)
        return status;
    self->snapshot = dv_snapshot_new(sizeof(Snapshot));
    self->mailbox = dv_mailbox_new(sizeof(Push), 1 << 16);
    self->has_thread = pthread_create(&self->thread, NULL, fast_thread, self) == 0;
    return self->has_thread ? DV_OK : dv_error(object, DV_ERROR_IO, "no thread");
}

static void fast_cleanup(DvObject *object, void *object_self)
{
    (void)object;
    FastDevice *self = object_self;
    atomic_store(&self->quit, true);
    if (self->has_thread)
        pthread_join(self->thread, NULL);
    self->has_thread = false;
}

static void fast_destroy(DvObject *object, void *object_self)
{
    FastDevice *self = object_self;
    fast_cleanup(object, self);
    dv_state_release(&self->state);
    dv_snapshot_free(self->snapshot);
    dv_mailbox_free(self->mailbox);
}

static void fast_event(DvObject *object, void *object_self, DvEvent *event)
{
    (void)object;
    FastDevice *self = object_self;
    if (event->kind != DV_EVENT_ANIMATE_BEGIN)
        return;
    const DvConstVec x = dv_state_read(self->state, DV_POSITION);
    Snapshot *snapshot = dv_snapshot_begin(self->snapshot);
    snapshot->step = ++self->steps;
    for (int c = 0; c < 3; c++)
        snapshot->x[c] = snapshot->copy[c] = x.at[c];
    dv_snapshot_publish(self->snapshot);
    for (Push push; dv_mailbox_take(self->mailbox, &push); self->pushes++)
        memcpy(self->force, push.force, sizeof self->force);
    DvVec external = dv_state_write(self->state, DV_EXTERNAL_FORCE, DV_READ_WRITE);
    for (int c = 0; c < 3; c++)
        external.at[c] += self->force[c];
}

static void fast_counts(const void *object_self, FastCounts *counts)
{
    FastDevice *self = (FastDevice *)(uintptr_t)object_self;
    counts->turns = atomic_load(&self->turns);
    counts->torn = atomic_load(&self->torn);
    counts->full = atomic_load(&self->full);
    counts->pushes = self->pushes;
}

static const FastDeviceOps fast_ops = {sizeof fast_ops, fast_counts};

static const DvField fast_fields[] = {
    DV_FIELD(FastDevice, stiffness, "stiffness", dv_type_double, .init = "1", .unit = "N/m",
             .help = "of the pull to the origin"),
    {0},
};

static const DvClass fast_device = {
    .size = sizeof(DvClass),
    .name = "FastDevice",
    .help = "A thread at another rate.",
    .instance_size = sizeof(FastDevice),
    .fields = fast_fields,
    .contracts = (const DvContract[]){{.id = TEST_FAST_DEVICE, .ops = &fast_ops}, {0}},
    .init = fast_init,
    .handle_event = fast_event,
    .cleanup = fast_cleanup,
    .destroy = fast_destroy,
};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "test.contracts",
    .version = "1",
    .license = "LGPL-2.1-or-later",
    .help = "Classes that prove what the contracts carry.",
    .classes = (const DvClass *const[]){&fake_device_object, &device_well, &asked_field, &eager_solver,
                                        &short_sighted_mapping, &device_shift_mapping, &contact_spawner,
                                        &destruction_counter, &element_watcher, &fast_device, NULL},
};
