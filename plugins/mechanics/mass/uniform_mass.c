/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * UniformMass: the same mass for every point, or for those named by `indices`.
 *
 *   f += m g,   M = m I;   of a rigid body: linear part m I, angular part the inertia in world axes, constant, or with
 *   turningInertia in body axes (divan/kit/turning_inertia.h)
 *
 * Given is the mass of a point or the sum of all; the other field follows, also when the one in use changes later. With
 * indices of a topology that changes, added points get a mass, and either the sum or the mass of a point is kept.
 */
#include <string.h>

#include <divan/contracts/topology.h>
#include <divan/given.h>
#include <divan/memory.h>

#include "body_shape.h"
#include "mass_check.h"
#include "mass_operator.h"
#include "mass_ops.h"
#include "rigid_file.h"
#include "state/mechanical_object.h"
#include "state/vector_arithmetic.h"
#include <divan/kit/mass.h>
#include <divan/kit/point_set.h>
#include <divan/kit/turning_inertia.h>

typedef enum Given { GIVEN_NOTHING, GIVEN_POINT_MASS, GIVEN_TOTAL_MASS } Given;

typedef struct UniformMass {
    DvMass base;
    DvData point_mass, total_mass, file, local_range, indices, preserve_total_mass;
    DvData show_initial_center, show_rest_frames;
    DvLink topology_link;

    Given given;
    DvBodyMass body;
    uint64_t point_mass_version, total_mass_version, indices_version; /* that `body` and `all` were made from */
    bool all;                                                         /* the indices are 0, 1 ... */
    uint32_t count;                                                   /* of indices */
    uint32_t checked_points; /* size of the state that the indices were checked against */
    uint64_t structure;
    DvPointSet points;
    DvTurningInertia turning; /* count 0: not up to date */
    bool no_inertia;          /* none was given at init */
    MassOperator operator;
} UniformMass;

static const DvField fields[] = {
    DV_MASS_FIELDS(UniformMass),
    DV_MASS_TURNING_INERTIA_FIELD(UniformMass),
    MASS_EXTENTS(UniformMass),
    DV_FIELD(UniformMass, point_mass, "vertexMass", dv_mass_type, .init = "1", .unit = "kg",
             .flags = DV_FIELD_EMPTY_IS_DEFAULT, .help = "mass of each point; of bodies: mass volume inertia"),
    DV_FIELD(UniformMass, total_mass, "totalMass", dv_type_double, .init = "1", .unit = "kg",
             .range = &dv_range_positive, .help = "sum of the masses; counts when both are given"),
    DV_FIELD(UniformMass, file, "filename", dv_type_file, .flags = DV_FIELD_AT_LOAD,
             .help = "file of type .rigid with the mass and inertia of a body"),
    DV_FIELD(UniformMass, local_range, "localRange", dv_type_vec2i, .init = "-1 -1", .flags = DV_FIELD_AT_LOAD,
             .help = "first and last point that have a mass, instead of indices"),
    DV_FIELD(UniformMass, indices, "indices", dv_type_uints, .flags = DV_FIELD_EMPTY_IS_ALL,
             .help = "points that have a mass; none given: all"),
    DV_FIELD(UniformMass, preserve_total_mass, "preserveTotalMass", dv_type_bool, .init = "0",
             .help = "keep the sum, not the mass of a point, when the topology changes"),
    DV_FIELD_HELD("compute_mapping_inertia", dv_type_bool, .init = "0",
                  .help = "kept for old scenes: the inertia of mapped points is always taken into account"),
    DV_FIELD(UniformMass, show_initial_center, "showInitialCenterOfGravity", dv_type_bool, .init = "0",
             .flags = DV_FIELD_DRAWING, .group = "Drawing", .help = "draw the centre of gravity of the rest positions"),
    DV_FIELD(UniformMass, show_rest_frames, "showX0", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .group = "Drawing", .help = "draw the rest positions of rigid bodies"),
    DV_LINK(UniformMass, topology_link, "topology", DV_TOPOLOGY,
            .help = "topology that the indices follow; by default that of the node"),
    {0},
};

/* ---- Values ---- */

static void read_point_mass(UniformMass *self)
{
    size_t count;
    const double *numbers = dv_data_doubles(&self->point_mass, &count);
    self->body = mass_from_shape(&self->base, numbers, count);
}

static void write_point_mass(UniformMass *self)
{
    double numbers[11];
    dv_body_mass_to_numbers(self->base.state.dof, &self->body, numbers);
    dv_data_set(&self->point_mass, numbers, dv_body_mass_numbers(self->base.state.dof));
}

/* The field that was not given follows the one that was. */
static void complete(UniformMass *self)
{
    self->turning.count = 0;
    if (self->given == GIVEN_TOTAL_MASS) {
        dv_body_mass_set(self->base.state.dof, &self->body,
                         self->count ? dv_data_double(&self->total_mass) / self->count : 0.0);
        write_point_mass(self);
    } else {
        read_point_mass(self);
        dv_data_set_double(&self->total_mass, self->body.mass * self->count);
    }
    self->point_mass_version = dv_data_version(&self->point_mass);
    self->total_mass_version = dv_data_version(&self->total_mass);
}

/* Follows changes of the fields; at the start of each operation. */
static void update(UniformMass *self)
{
    if (dv_data_version(&self->indices) != self->indices_version ||
        state_count(self->base.state) != self->checked_points) {
        self->checked_points = state_count(self->base.state);
        const size_t count = dv_point_set_remove_out_of_range(&self->indices, state_count(self->base.state));
        self->all = dv_point_set_is_range(dv_data_uints(&self->indices, NULL), count);
        self->structure += 1;
        self->indices_version = dv_data_version(&self->indices);
        if (count != self->count) {
            self->count = (uint32_t)count;
            complete(self);
        }
    }
    const bool changed = self->given == GIVEN_TOTAL_MASS
                             ? dv_data_version(&self->total_mass) != self->total_mass_version
                             : dv_data_version(&self->point_mass) != self->point_mass_version;
    if (changed)
        complete(self);
}

/* ---- Operations ---- */

/* The k-th point that has a mass. */
static inline uint32_t point_at(const UniformMass *self, uint32_t k)
{
    return self->all ? k : ((const uint32_t *)self->indices.value)[k];
}

static DvBodyList body_list(const UniformMass *self)
{
    return (DvBodyList){&self->body, true, self->all ? NULL : (const uint32_t *)self->indices.value, self->count};
}

/* The inertia in world axes of each body; NULL: it is that of `body`. */
static const DvBodyMass *turned_bodies(UniformMass *self)
{
    if (!dv_mass_turns(&self->base))
        return NULL;
    if (self->turning.count != self->count) {
        const DvBodyList list = body_list(self);
        dv_turning_inertia_set(&self->turning, &list, dv_state_read(self->base.state, DV_POSITION));
    }
    return self->turning.at;
}

/* A body at coordinates x. */
static DvBodyMass body_at(UniformMass *self, const double *x)
{
    return dv_mass_turns(&self->base) ? dv_turning_inertia_body(&self->body, x) : self->body;
}

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)step;
    UniformMass *self = self_;
    update(self);
    if (dv_mass_turns(&self->base)) {
        const DvBodyList list = body_list(self);
        dv_turning_inertia_set(&self->turning, &list, *x);
        dv_turning_inertia_add_torque(&self->turning, &list, *v, *f);
    }
    if (dv_data_bool(&self->base.separate_gravity))
        return;
    double weight[6];
    dv_mass_gravity(&self->base, weight);
    for (size_t c = 0; c < 6; c++)
        weight[c] *= self->body.mass;
    const uint32_t linear = self->base.state.dof->spatial, dim = f->dim;
    for (uint32_t k = 0; k < self->count; k++) {
        double *at = f->at + (size_t)point_at(self, k) * dim;
        for (uint32_t c = 0; c < linear; c++)
            at[c] += weight[c];
    }
}

static void add_mdx(void *self_, double factor, DvConstVec dx, DvVec res)
{
    UniformMass *self = self_;
    update(self);
    const DvDofType *dof = self->base.state.dof;
    if (self->all && !dof->rotation) {
        const size_t n = (size_t)self->count * dx.dim;
        dv_array_add_scaled(res.at, res.at, dx.at, n, self->body.mass * factor);
        return;
    }
    const DvBodyMass *turned = turned_bodies(self);
    for (uint32_t k = 0; k < self->count; k++) {
        const uint32_t point = point_at(self, k);
        dv_body_mass_add_product(dof, turned ? &turned[k] : &self->body, factor, dx.at + (size_t)point * dx.dim,
                                 res.at + (size_t)point * res.dim);
    }
}

static void acceleration(void *self_, DvConstVec f, DvVec a)
{
    UniformMass *self = self_;
    update(self);
    const DvDofType *dof = self->base.state.dof;
    if (self->all && !dof->rotation) {
        const size_t n = (size_t)self->count * f.dim;
        for (size_t i = 0; i < n; i++)
            a.at[i] = f.at[i] / self->body.mass;
        return;
    }
    const DvBodyMass *turned = turned_bodies(self);
    for (uint32_t k = 0; k < self->count; k++) {
        const uint32_t point = point_at(self, k);
        dv_body_mass_divide(dof, turned ? &turned[k] : &self->body, f.at + (size_t)point * f.dim,
                            a.at + (size_t)point * a.dim);
    }
}

static double kinetic_energy(void *self_, DvConstVec v)
{
    UniformMass *self = self_;
    update(self);
    const DvConstVec x = dv_state_read(self->base.state, DV_POSITION);
    double twice = 0.0;
    for (uint32_t k = 0; k < self->count; k++) {
        const uint32_t point = point_at(self, k);
        const DvBodyMass body = body_at(self, x.at + (size_t)point * x.dim);
        twice += dv_body_mass_kinetic_energy(self->base.state.dof, &body, v.at + (size_t)point * v.dim);
    }
    return 0.5 * twice;
}

static double potential_energy(void *self_, const DvStep *step, const DvConstVec *x)
{
    (void)step;
    UniformMass *self = self_;
    update(self);
    double gravity[6], energy = 0.0;
    dv_mass_gravity(&self->base, gravity);
    for (uint32_t k = 0; k < self->count; k++) {
        const uint32_t point = point_at(self, k);
        for (uint32_t c = 0; c < self->base.state.dof->spatial; c++)
            energy -= x->at[(size_t)point * x->dim + c] * self->body.mass * gravity[c];
    }
    return energy;
}

static void momentum(void *self_, DvConstVec x, DvConstVec v, double sum[6])
{
    UniformMass *self = self_;
    update(self);
    for (uint32_t k = 0; k < self->count; k++) {
        const uint32_t point = point_at(self, k);
        const DvBodyMass body = body_at(self, x.at + (size_t)point * x.dim);
        dv_body_mass_add_momentum(self->base.state.dof, &body, x.at + (size_t)point * x.dim,
                                  v.at + (size_t)point * v.dim, sum);
    }
}

static double point_mass(void *self_, uint32_t wanted)
{
    UniformMass *self = self_;
    update(self);
    if (self->all)
        return wanted < self->count ? self->body.mass : 0.0;
    double mass = 0.0;
    for (uint32_t k = 0; k < self->count; k++) {
        const uint32_t point = point_at(self, k);
        mass += point == wanted ? self->body.mass : 0.0;
    }
    return mass;
}

static void reserve(void *self_, DvPattern *pattern)
{
    UniformMass *self = self_;
    update(self);
    for (uint32_t k = 0; k < self->count; k++) {
        const uint32_t point = point_at(self, k);
        dv_pattern_add(pattern, point, point);
    }
}

static void assemble(void *self_, double factor, const DvMatrixView *view)
{
    UniformMass *self = self_;
    update(self);
    const DvBodyMass *turned = turned_bodies(self);
    double dense[36];
    dv_body_mass_matrix(self->base.state.dof, &self->body, dense);
    for (uint32_t k = 0; k < self->count; k++) {
        if (turned)
            dv_body_mass_matrix(self->base.state.dof, &turned[k], dense);
        dv_view_add(view, k, dense, factor);
    }
}

static uint64_t structure(void *self_)
{
    UniformMass *self = self_;
    update(self);
    return self->structure;
}

static uint64_t matrix_version(void *self_)
{
    UniformMass *self = self_;
    update(self);
    return self->structure + dv_data_version(&self->point_mass) + dv_data_version(&self->total_mass) +
           dv_data_version(&self->base.turning_inertia) + self->turning.version;
}

static void implicit_turn(void *self_, double dt, double share, DvConstVec v, DvVec b)
{
    UniformMass *self = self_;
    update(self);
    if (!turned_bodies(self))
        return;
    const DvBodyList list = body_list(self);
    dv_turning_inertia_step(&self->turning, &list, dt, share, v, b);
}

static uint64_t masses_version(UniformMass *self)
{
    update(self);
    return self->structure + dv_data_version(&self->point_mass) + dv_data_version(&self->total_mass) +
           dv_data_version(&self->base.turning_inertia);
}

static uint64_t operator_version(void *self_)
{
    UniformMass *self = self_;
    return mass_operator_version(&self->base, masses_version(self));
}

static void describe_operator(void *self_, DvOperator *out)
{
    UniformMass *self = self_;
    const uint64_t version = masses_version(self);
    const uint32_t points = state_count(self->base.state);
    const bool turn = self->base.state.dof->rotation;
    mass_operator_begin(&self->operator, & self->base, points);
    for (uint32_t k = 0; k < self->count; k++)
        if (turn)
            mass_operator_set_body(&self->operator, & self->base, point_at(self, k), &self->body);
        else
            self->operator.mass[point_at(self, k)] = self->operator.weight[point_at(self, k)] = self->body.mass;
    if (turn)
        mass_operator_describe_bodies(&self->operator, & self->base, points, version, out);
    else
        mass_operator_describe(&self->operator, & self->base, points, version, out);
}

static const DvOperatorOps operator_ops = {
    .size = sizeof(DvOperatorOps), .version = operator_version, .describe = describe_operator};

static const DvMassOps mass_ops = {
    MASS_OPS,
    .is_diagonal = dv_mass_yes,
    .acceleration = acceleration,
    .implicit_turn = implicit_turn,
};

static const DvForceFieldOps force_ops = {MASS_FORCE_OPS};

/* ---- Drawing ---- */

static void draw(void *self_, DvDraw *draw)
{
    static const double green[4] = {0, 1, 0, 1};
    UniformMass *self = self_;
    dv_mass_draw(&self->base, draw, point_mass);
    const DvStateRef s = self->base.state;
    const double *rest = s.ops ? s.ops->read(s.self, DV_REST_POSITION, DV_HOST) : NULL;
    if (!rest || !dv_draw_shows(draw, DV_DISPLAY_BEHAVIOR_MODELS) || self->count == 0)
        return;
    const double size = dv_data_double(&self->base.show_axis_size);
    if (s.dof == &dv_rigid3d && dv_data_bool(&self->show_rest_frames))
        draw->ops->frames(draw, rest, state_count(s), size);
    if (!dv_data_bool(&self->show_initial_center))
        return;
    double center[3] = {0, 0, 0};
    for (uint32_t k = 0; k < self->count; k++) {
        const uint32_t point = point_at(self, k);
        for (uint32_t c = 0; c < s.dof->spatial; c++)
            center[c] += rest[(size_t)point * s.dof->coord + c] / self->count;
    }
    draw->ops->points(draw, center, 1, 5.0, green);
}

static uint32_t without_inertia(void *self_, double *mass)
{
    UniformMass *self = self_;
    update(self);
    *mass = self->body.mass;
    return self->no_inertia ? self->count : 0;
}

static const DefaultInertiaOps default_inertia_ops = {.size = sizeof default_inertia_ops, .bodies = without_inertia};

static const DvDrawableOps drawable_ops = {.size = sizeof(DvDrawableOps), .draw = draw};

/* ---- Lifecycle ---- */

static void topology_changed(void *self_, const uint32_t *place, size_t count)
{
    (void)place;
    UniformMass *self = self_;
    if (!self->base.state.ops || count == self->count)
        return;
    self->count = (uint32_t)count;
    self->all = dv_point_set_is_range(dv_data_uints(&self->indices, NULL), count);
    self->indices_version = dv_data_version(&self->indices);
    self->structure += 1;
    self->given = dv_data_bool(&self->preserve_total_mass) ? GIVEN_TOTAL_MASS : GIVEN_POINT_MASS;
    complete(self);
}

static DvStatus choose_points(UniformMass *self)
{
    const uint32_t n = state_count(self->base.state);
    const int32_t *range = dv_data_ints(&self->local_range, NULL);
    size_t count;
    (void)dv_data_uints(&self->indices, &count);
    if (!dv_data_is_given(&self->indices))
        count = 0;
    if (range[0] >= 0 && range[1] > 0 && (uint32_t)range[1] + 1 < n) {
        count = range[1] >= range[0] ? (size_t)(range[1] - range[0] + 1) : 0;
        uint32_t *index = dv_data_begin_all(&self->indices, count);
        for (size_t i = 0; i < count; i++)
            index[i] = (uint32_t)range[0] + (uint32_t)i;
        dv_data_end(&self->indices);
    }
    if (count == 0) {
        uint32_t *index = dv_data_begin_all(&self->indices, n);
        for (uint32_t i = 0; i < n; i++)
            index[i] = i;
        dv_data_end(&self->indices);
    }
    self->count = (uint32_t)dv_point_set_remove_out_of_range(&self->indices, n);
    self->checked_points = n;
    self->all = dv_point_set_is_range(dv_data_uints(&self->indices, NULL), self->count);
    self->indices_version = dv_data_version(&self->indices);
    return DV_OK;
}

static DvStatus choose_masses(DvObject *object, UniformMass *self)
{
    const DvDofType *dof = self->base.state.dof;
    bool by_point = dv_data_is_given(&self->point_mass), by_total = dv_data_is_given(&self->total_mass);
    const DvStatus shape = mass_check_extents(&self->base);
    if (shape != DV_OK)
        return shape;
    if (by_point)
        read_point_mass(self);
    else
        self->body = mass_from_shape(&self->base, (const double[]){1.0}, 1);
    double box[9];
    bool inertia = by_point && self->point_mass.count > 2;
    const char *file = dv_data_string(&self->file);
    if (dv_data_is_set(&self->file) && file && *file && strcmp(file, "unused") != 0) {
        if (!dof->rotation) {
            dv_field_warning(&self->file, -1,
                             "only rigid bodies have such a file; it is not read for points of type %s", dof->name);
        } else {
            bool has_mass, has_inertia;
            const DvStatus status = rigid_file_read(&self->file, dof, &self->body, &has_mass, &has_inertia);
            if (status != DV_OK)
                return status;
            inertia = inertia || has_inertia;
            write_point_mass(self);
            by_total = by_total && (by_point || !has_mass);
            by_point = true;
        }
    }
    if (inertia && mass_box_inertia(&self->base, box))
        dv_field_warning(&self->base.extents, -1, "has no effect: an inertia is given by %s",
                         by_point && self->point_mass.count > 2 ? "vertexMass" : "filename");
    self->no_inertia = dof->rotation && !inertia && !mass_box_inertia(&self->base, box);
    if (by_point && by_total)
        dv_field_warning(&self->total_mass, -1, "totalMass and vertexMass are both given; totalMass is used");
    if (!by_point && !by_total)
        return dv_error(object, DV_ERROR_MISSING, "no mass is given: set totalMass or vertexMass");
    self->given = by_total ? GIVEN_TOTAL_MASS : GIVEN_POINT_MASS;
    if (by_point) {
        const DvStatus status = mass_check_numbers(&self->point_mass, dof, false);
        if (status != DV_OK)
            return status;
        mass_check_one(&self->point_mass, dof);
    }
    complete(self);
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    UniformMass *self = self_;
    DvStatus status = dv_state_require(object, &self->base.mstate, &self->base.state);
    if (status == DV_OK)
        status = choose_points(self);
    if (status == DV_OK)
        status = choose_masses(object, self);
    if (status != DV_OK) {
        dv_state_release(&self->base.state);
        return status;
    }
    DvObject *topology = dv_point_set_topology(object, &self->topology_link);
    if (!topology)
        return dv_mass_check_others(object, &self->base);
    self->points.indices = &self->indices;
    self->points.takes_new = true;
    self->points.changed = topology_changed;
    self->points.owner = self;
    status = dv_point_set_follow(&self->points, topology);
    return status == DV_OK ? dv_mass_check_others(object, &self->base) : status;
}

/* Should it be initialised again, what followed from the other fields is not taken for given. */
static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    UniformMass *self = self_;
    if (self->given != GIVEN_TOTAL_MASS && dv_data_version(&self->total_mass) == self->total_mass_version)
        dv_data_set_derived(&self->total_mass);
    if (self->given != GIVEN_POINT_MASS && dv_data_version(&self->point_mass) == self->point_mass_version)
        dv_data_set_derived(&self->point_mass);
    dv_point_set_leave(&self->points);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    UniformMass *self = self_;
    dv_turning_inertia_free(&self->turning);
    mass_operator_free(&self->operator);
    dv_state_release(&self->base.state);
}

const DvClass dv_uniform_mass = {
    .size = sizeof(DvClass),
    .name = "UniformMass",
    .variants = "Rigid2d Rigid3d Vec1d Vec2d Vec3d Vec6d",
    DV_MASS_CLASS,
    .module = "Sofa.Component.Mass",
    .help = "The same mass for every point, or for some.",
    .instance_size = sizeof(UniformMass),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_MASS, .ops = &mass_ops},
                                      {.id = DV_FORCE_FIELD, .ops = &force_ops},
                                      {.id = DV_OPERATOR, .ops = &operator_ops},
                                      {.id = DEFAULT_INERTIA, .ops = &default_inertia_ops},
                                      {.id = DV_DRAWABLE, .ops = &drawable_ops},
                                      {0}},
    .init = init,
    .cleanup = cleanup,
    .destroy = destroy,
};
