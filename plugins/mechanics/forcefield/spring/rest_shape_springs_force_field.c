/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RestShapeSpringsForceField: springs that pull points back to their rest positions, or to the points of another state.
 *
 *   f = -k (x - x0)      torque = -k_a theta a, where the rotation from rest to now is an angle theta <= pi about a
 *
 * Component by component: `activeDirections` switches single directions off. Other states that are followed feel no force. The
 * derivative of the torque is that of small rotations, -k_a.
 */
#include <divan/contracts/operator.h>
#include <divan/kit/ascending.h>
#include <divan/kit/force_field.h>
#include <divan/kit/point_set.h>
#include <divan/kit/touched_points.h>

#include <divan/math/rigid.h>
#include <divan/types/color.h>

#include <string.h>

enum { RIGID_DIRECTIONS = 7 };

typedef struct RestShapeSpringsForceField {
    DvSingleState base;
    DvData points, stiffness, angular_stiffness, external_points, recompute_indices, active_directions;
    DvData draw_spring, spring_color;
    DvLink external_rest_shape, topology_link;
    DvPointSet followed;    /* the points, when the mesh may change and they are told apart */
    DvStartValues first[2]; /* stiffness and angular stiffness that a reset puts back... */
    bool moved;             /* ...when they have gone along with a change of the mesh */

    DvStateRef external; /* ops NULL: the rest positions of the state itself */
    uint32_t count;
    uint32_t *point, *target; /* [count] */
    double *linear, *angular; /* [count] stiffness */
    bool active[RIGID_DIRECTIONS];
    uint32_t points_checked, targets_checked; /* sizes of the states that the indices were checked against */
    uint64_t version, structure;
    DvData *followed_field;           /* of the state whose points are followed */
    uint32_t *touched, touched_count; /* points, each once, of... */
    uint64_t touched_structure;
    double *described; /* [2][count][dim] stiffness and places, as they were described last */
} RestShapeSpringsForceField;

/* "1 1 1 0 0 0 1": one flag per number of a rigid coordinate; shorter texts leave the others on. */
static DvStatus parse_directions(const DvType *type, const char *text, void **elements, size_t *count, DvText *problem)
{
    (void)type;
    bool *flags = dv_alloc(RIGID_DIRECTIONS, sizeof *flags);
    int given = 0;
    uint32_t value;
    for (int i = 0; i < RIGID_DIRECTIONS; i++)
        flags[i] = true;
    for (; given < RIGID_DIRECTIONS && dv_read_uint(&text, &value); given++)
        flags[given] = value != 0;
    *elements = flags;
    *count = 1;
    if (given > 0)
        return dv_read_end(text, problem);
    dv_text_add(problem, "flags are 0 or 1");
    return DV_ERROR_INVALID;
}

static const bool all_active[RIGID_DIRECTIONS] = {true, true, true, true, true, true, true};
static const DvType dv_type_directions = {
    .size = sizeof(DvType),
    .name = "7 flags",
    .scalar = DV_SCALAR_BOOL,
    .components = RIGID_DIRECTIONS,
    .element_size = sizeof all_active,
    .blank = all_active,
    .parse = parse_directions,
};

#define FIELD(member, name, type, ...) DV_FIELD(RestShapeSpringsForceField, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    DV_SINGLE_STATE_FIELDS(RestShapeSpringsForceField, base),
    FIELD(points, "points", dv_type_uints, .flags = DV_FIELD_EMPTY_IS_ALL,
          .help = "points that are pulled; all when empty"),
    FIELD(stiffness, "stiffness", dv_type_doubles, .unit = "N/m", .range = &dv_range_not_negative,
          .flags = DV_FIELD_LENIENT | DV_FIELD_EMPTY_IS_DEFAULT,
          .help = "one for all points, or one each; 100 when empty"),
    FIELD(angular_stiffness, "angularStiffness", dv_type_doubles, .unit = "N m/rad", .range = &dv_range_not_negative,
          .flags = DV_FIELD_LENIENT | DV_FIELD_EMPTY_IS_DEFAULT,
          .help = "of rigid bodies: as many as stiffness, 100 for those that are missing"),
    DV_FIELD_HELD("pivot_points", dv_type_vec3s, .unit = "m", .help = "kept for old scenes, never used"),
    FIELD(external_points, "external_points", dv_type_uints, .flags = DV_FIELD_EMPTY_IS_ALL,
          .help = "points of external_rest_shape that are followed; all, or those of `points`, when empty"),
    FIELD(recompute_indices, "recompute_indices", dv_type_bool, .init = "1",
          .help = "take up changes of the points while it runs"),
    FIELD(active_directions, "activeDirections", dv_type_directions, .init = "1 1 1 1 1 1 1",
          .help = "which components are pulled"),
    FIELD(draw_spring, "drawSpring", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
          .help = "draw lines to the rest positions"),
    FIELD(spring_color, "springColor", dv_type_color, .init = "0 1 0 1", .flags = DV_FIELD_DRAWING,
          .help = "of these lines"),
    DV_LINK(RestShapeSpringsForceField, external_rest_shape, "external_rest_shape", DV_STATE,
            .help = "state whose positions are followed, instead of the rest positions"),
    DV_LINK(RestShapeSpringsForceField, topology_link, "topology", DV_TOPOLOGY,
            .help = "mesh whose changes the points follow; that of the node by default"),
    {0},
};

static void free_springs(RestShapeSpringsForceField *self)
{
    dv_free(self->point);
    dv_free(self->target);
    dv_free(self->linear);
    dv_free(self->angular);
    dv_free(self->described);
    dv_free(self->touched);
    self->point = self->target = self->touched = NULL;
    self->linear = self->angular = self->described = NULL;
    self->count = 0;
}

static uint64_t field_version(RestShapeSpringsForceField *self)
{
    return dv_data_version(&self->points) + dv_data_version(&self->stiffness) +
           dv_data_version(&self->angular_stiffness) + dv_data_version(&self->external_points) +
           dv_data_version(&self->active_directions);
}

static DvStateRef target_state(const RestShapeSpringsForceField *self)
{
    return self->external.ops ? self->external : self->base.state;
}

static DvStatus check_point(DvData *field, uint32_t i, uint32_t point, uint32_t count)
{
    if (point < count)
        return DV_OK;
    return dv_field_error_missing(field, i, "point", point, "the state", count);
}

/* What the fields say of entry i of the points. */
static void read_stiffness(RestShapeSpringsForceField *self, size_t i, double *linear, double *angular)
{
    size_t stiffnesses, angulars;
    const double *stiffness = dv_data_doubles(&self->stiffness, &stiffnesses);
    const double *turning = dv_data_doubles(&self->angular_stiffness, &angulars);
    const size_t which = i < stiffnesses ? i : 0;
    *linear = stiffnesses > 0 ? stiffness[which] : 100.0;
    *angular = which < angulars ? turning[which] : 100.0;
}

static DvStatus build(RestShapeSpringsForceField *self)
{
    free_springs(self);
    self->structure++;
    self->version = field_version(self);
    const uint32_t own = dv_state_count(self->base.state), other = dv_state_count(target_state(self));
    self->points_checked = own;
    self->targets_checked = other;
    size_t given, given_targets;
    const uint32_t *point = dv_data_uints(&self->points, &given);
    const uint32_t *target = dv_data_uints(&self->external_points, &given_targets);
    const bool chosen = given > 0 || self->followed.indices; /* chosen points may all have gone */
    const uint32_t count = chosen ? (uint32_t)given : own;
    if (!self->external.ops)
        given_targets = 0;
    const uint32_t targets = given_targets > 0               ? (uint32_t)given_targets
                             : chosen || !self->external.ops ? count
                                                             : other;
    if (targets != count)
        return dv_error(dv_object_of(self), DV_ERROR_INVALID,
                        "%u points are to follow %u points of '%s'; give as many of both", count, targets,
                        dv_object_path(self->external.object));
    self->point = dv_alloc(count, sizeof *self->point);
    self->target = dv_alloc(count, sizeof *self->target);
    self->linear = dv_alloc(count, sizeof *self->linear);
    self->angular = dv_alloc(count, sizeof *self->angular);
    for (uint32_t i = 0; i < count; i++) {
        self->point[i] = chosen ? point[i] : i;
        self->target[i] = given_targets > 0 ? target[i] : self->point[i];
        DvStatus status = check_point(&self->points, i, self->point[i], own);
        if (status == DV_OK)
            status = check_point(given_targets > 0 ? &self->external_points : &self->points, i, self->target[i], other);
        if (status != DV_OK) {
            free_springs(self);
            return status;
        }
        read_stiffness(self, i, &self->linear[i], &self->angular[i]);
    }
    self->count = count;
    memcpy(self->active, dv_data_read(&self->active_directions), sizeof self->active);
    return DV_OK;
}

static void update(RestShapeSpringsForceField *self)
{
    const bool resized = dv_state_count(self->base.state) != self->points_checked ||
                         dv_state_count(target_state(self)) != self->targets_checked;
    if (resized || (dv_data_bool(&self->recompute_indices) && field_version(self) != self->version))
        (void)build(self); /* reported; there are no springs then */
}

static void release(RestShapeSpringsForceField *self)
{
    dv_point_set_leave(&self->followed);
    self->followed.indices = NULL;
    dv_single_state_release(&self->base);
    dv_state_release(&self->external);
}

/* Each point keeps its stiffness; a new one takes the first. */
static void points_renumbered(void *self_, const uint32_t *place, size_t count)
{
    RestShapeSpringsForceField *self = self_;
    size_t given[2];
    (void)dv_data_doubles(&self->stiffness, &given[0]);
    (void)dv_data_doubles(&self->angular_stiffness, &given[1]);
    if (given[0] < 2 && given[1] < 2)
        return;
    double *linear = dv_alloc(count, sizeof *linear), *angular = dv_alloc(count, sizeof *angular);
    for (size_t i = 0; i < count; i++) /* by the fields: after a reset the springs are not made yet */
        read_stiffness(self, place[i] == UINT32_MAX ? 0 : place[i], &linear[i], &angular[i]);
    dv_data_set(&self->stiffness, linear, count);
    dv_data_set(&self->angular_stiffness, angular, count);
    self->moved = true;
    dv_free(linear);
    dv_free(angular);
    (void)build(self); /* reported; there are no springs then */
}

static void stiffness_back(void *self_)
{
    RestShapeSpringsForceField *self = self_;
    if (self->moved) {
        (void)dv_start_values_put_back(&self->first[0], &self->stiffness);
        (void)dv_start_values_put_back(&self->first[1], &self->angular_stiffness);
    }
    self->moved = false;
    self->points_checked = UINT32_MAX; /* as if the state had another size: its own reset may come later */
}

/* Points that are named, or have a stiffness each, keep it when their numbers change; points that follow others by number cannot. */
static DvStatus follow(RestShapeSpringsForceField *self)
{
    DvObject *topology = dv_point_set_topology(dv_object_of(self), &self->topology_link);
    size_t given, targets, stiffnesses, angulars;
    (void)dv_data_uints(&self->points, &given);
    (void)dv_data_uints(&self->external_points, &targets);
    (void)dv_data_doubles(&self->stiffness, &stiffnesses);
    (void)dv_data_doubles(&self->angular_stiffness, &angulars);
    if (!topology || targets > 0 || (given == 0 && ((stiffnesses < 2 && angulars < 2) || self->external.ops)))
        return DV_OK;
    self->followed.takes_new = given == 0; /* all points are pulled, those to come too */
    if (given == 0)
        dv_data_set(&self->points, self->point, self->count);
    self->followed.indices = &self->points;
    self->followed.changed = points_renumbered;
    self->followed.put_back = stiffness_back;
    self->followed.owner = self;
    self->moved = false;
    dv_start_values_keep(&self->first[0], &self->stiffness);
    dv_start_values_keep(&self->first[1], &self->angular_stiffness);
    return dv_point_set_follow(&self->followed, topology);
}

/* After the states have been initialised, those of child nodes too. */
static DvStatus bwd_init(DvObject *object, void *self_)
{
    RestShapeSpringsForceField *self = self_;
    release(self);
    DvStatus status = dv_single_state_init(object, &self->base);
    if (status == DV_OK && dv_link_is_set(&self->external_rest_shape))
        status = dv_state_require(object, &self->external_rest_shape, &self->external);
    if (status == DV_OK && self->external.ops && self->external.dof != self->base.state.dof)
        status = dv_field_error(&self->external_rest_shape.data, -1, "holds %s, but the points that follow it are %s",
                                self->external.dof->name, self->base.state.dof->name);
    if (status == DV_OK)
        status = build(self);
    if (status == DV_OK)
        status = follow(self);
    if (status != DV_OK)
        release(self);
    return status;
}

static DvStatus reinit(DvObject *object, void *self_)
{
    RestShapeSpringsForceField *self = self_;
    (void)object;
    return self->base.state.ops ? build(self) : DV_OK;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    release(self_);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    RestShapeSpringsForceField *self = self_;
    free_springs(self);
    dv_start_values_free(&self->first[0]);
    dv_start_values_free(&self->first[1]);
}

static DvConstVec followed_points(const RestShapeSpringsForceField *self)
{
    return self->external.ops ? dv_state_read(self->external, DV_POSITION)
                              : dv_state_read(self->base.state, DV_REST_POSITION);
}

static void add_torque(const RestShapeSpringsForceField *self, double k, DvQuat now, DvQuat rest, double *torque)
{
    DvQuat turn = dv_quat_normalize(dv_quat_mul(now, dv_quat_inverse(rest)));
    if (turn.w < 0.0)
        turn = dv_quat(-turn.x, -turn.y, -turn.z, -turn.w);
    if (!(turn.w < 1.0))
        return;
    DvVec3 axis;
    const double angle = dv_quat_to_axis_angle(turn, &axis);
    const double arc[3] = {axis.x * angle, axis.y * angle, axis.z * angle};
    for (int c = 0; c < 3; c++)
        if (self->active[3 + c])
            torque[c] -= k * arc[c];
}

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)step;
    (void)v;
    RestShapeSpringsForceField *self = self_;
    update(self);
    const DvConstVec rest = followed_points(self);
    const bool rigid = self->base.state.dof->rotation;
    const uint32_t linear = rigid ? 3 : f->dim;
    for (uint32_t i = 0; i < self->count; i++) {
        const double *at = x->at + (size_t)self->point[i] * x->dim, *to = rest.at + (size_t)self->target[i] * x->dim;
        double *force = f->at + (size_t)self->point[i] * f->dim;
        for (uint32_t c = 0; c < linear; c++)
            if (self->active[c])
                force[c] -= self->linear[i] * (at[c] - to[c]);
        if (rigid)
            add_torque(self, self->angular[i], dv_quat_load(at + 3), dv_quat_load(to + 3), force + 3);
    }
}

static double stiffness_of(const RestShapeSpringsForceField *self, uint32_t spring, uint32_t component)
{
    if (!self->active[component])
        return 0.0;
    return self->base.state.dof->rotation && component >= 3 ? self->angular[spring] : self->linear[spring];
}

static void add_dforce(void *self_, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    (void)step;
    (void)b;
    const RestShapeSpringsForceField *self = self_;
    for (uint32_t i = 0; i < self->count; i++) {
        const size_t at = (size_t)self->point[i] * df->dim;
        for (uint32_t c = 0; c < df->dim; c++)
            df->at[at + c] -= k * stiffness_of(self, i, c) * dx->at[at + c];
    }
}

static void reserve(void *self_, DvPattern *pattern)
{
    const RestShapeSpringsForceField *self = self_;
    for (uint32_t i = 0; i < self->count; i++)
        dv_pattern_add(pattern, self->point[i], self->point[i]);
}

static void assemble(void *self_, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    (void)step;
    (void)b;
    const RestShapeSpringsForceField *self = self_;
    const uint32_t n = self->base.state.dof->deriv;
    double dense[36] = {0.0};
    for (uint32_t i = 0; i < self->count; i++) {
        for (uint32_t c = 0; c < n; c++)
            dense[c * (n + 1)] = stiffness_of(self, i, c);
        dv_view_add(view, i, dense, -k);
    }
}

static uint64_t structure(void *self_)
{
    RestShapeSpringsForceField *self = self_;
    update(self);
    return self->structure;
}

static uint64_t matrix_version(void *self_)
{
    return structure(self_); /* a change of the springs is one of the structure */
}

static double energy(void *self_, const DvStep *step, const DvConstVec *x)
{
    (void)step;
    RestShapeSpringsForceField *self = self_;
    update(self);
    const DvConstVec rest = followed_points(self);
    const bool rigid = self->base.state.dof->rotation;
    const uint32_t linear = rigid ? 3 : self->base.state.dof->deriv;
    double sum = 0.0;
    for (uint32_t i = 0; i < self->count; i++) {
        const double *at = x->at + (size_t)self->point[i] * x->dim, *to = rest.at + (size_t)self->target[i] * x->dim;
        for (uint32_t c = 0; c < linear; c++)
            if (self->active[c])
                sum += 0.5 * self->linear[i] * (at[c] - to[c]) * (at[c] - to[c]);
        if (!rigid)
            continue;
        double arc[3] = {0.0, 0.0, 0.0};
        add_torque(self, -1.0, dv_quat_load(at + 3), dv_quat_load(to + 3), arc);
        sum += 0.5 * self->angular[i] * (arc[0] * arc[0] + arc[1] * arc[1] + arc[2] * arc[2]);
    }
    return sum;
}

/* ---- The operator ---- */

static uint64_t operator_version(void *self_)
{
    RestShapeSpringsForceField *self = self_;
    if (!self->base.state.ops)
        return 0;
    update(self);
    const DvStateRef followed = target_state(self);
    self->followed_field = dv_object_field(followed.object, self->external.ops ? "position" : "rest_position");
    return 2 * (self->structure + (self->followed_field ? dv_data_version(self->followed_field) : 0)) +
           (self->count > 0);
}

static void describe_operator(void *self_, DvOperator *out)
{
    RestShapeSpringsForceField *self = self_;
    const uint64_t version = operator_version(self);
    const uint32_t dim = self->base.state.dof->deriv;
    const bool turns = self->base.state.dof->rotation;
    if (!self->followed_field) {
        out->why = "what it follows has no positions";
        return;
    }
    if (!self->described)
        self->described = dv_alloc(2 * (size_t)self->count * dim + 1, sizeof *self->described);
    double *stiffness = self->described, *place = stiffness + (size_t)self->count * dim;
    for (uint32_t i = 0; i < self->count; i++)
        for (uint32_t c = 0; c < dim; c++)
            stiffness[(size_t)i * dim + c] = stiffness_of(self, i, c);
    out->name = "rest springs";
    dv_operator_add_indices(out, "point", self->point, self->count, 1, self->structure);
    dv_operator_add_numbers(out, "stiffness", stiffness, self->count, dim, self->structure);
    if (turns) /* torques follow from angles */
        return;
    const DvConstVec rest = followed_points(self);
    for (uint32_t i = 0; i < self->count; i++)
        for (uint32_t c = 0; c < dim; c++)
            place[(size_t)i * dim + c] = rest.at[(size_t)self->target[i] * dim + c];
    dv_operator_add_numbers(out, "place", place, self->count, dim, version);
}

static const DvOperatorOps operator_ops = {
    .size = sizeof(DvOperatorOps), .version = operator_version, .describe = describe_operator};

static const uint32_t *touched_points(void *self_, uint32_t state, uint32_t *count)
{
    RestShapeSpringsForceField *self = self_;
    (void)state;
    if (!self->base.state.ops)
        return NULL;
    update(self);
    if (!self->touched || self->touched_structure != self->structure) {
        dv_free(self->touched);
        self->touched = dv_alloc(self->count, sizeof *self->touched);
        memcpy(self->touched, self->point, self->count * sizeof *self->touched);
        self->touched_count = dv_ascending_sort(self->touched, self->count);
        self->touched_structure = self->structure;
    }
    *count = self->touched_count;
    return self->touched;
}

static const DvTouchedPointsOps touched_ops = {.size = sizeof touched_ops, .points = touched_points};

static double stiffness_bound(void *self_)
{
    const RestShapeSpringsForceField *self = self_;
    double largest = 0.0;
    for (uint32_t i = 0; i < self->count; i++)
        largest = fmax(largest, self->linear[i]);
    return sqrt(largest);
}

static const DvElementsCause cause_ops = DV_ELEMENTS_CAUSE(.bound = stiffness_bound);

static const DvForceFieldOps ops = {
    .size = sizeof ops,
    .states = dv_single_state_states,
    .add_force = add_force,
    .add_dforce = add_dforce,
    .reserve = reserve,
    .assemble = assemble,
    .structure = structure,
    .matrix_version = matrix_version,
    .energy = energy,
};

static void draw(void *self_, DvDraw *target)
{
    RestShapeSpringsForceField *self = self_;
    if (!dv_draw_shows(target, DV_DISPLAY_FORCE_FIELDS) || !dv_data_bool(&self->draw_spring) || !self->base.state.ops ||
        self->count == 0)
        return;
    const DvConstVec x = dv_state_read(self->base.state, DV_POSITION), rest = followed_points(self);
    const uint32_t spatial = self->base.state.dof->spatial;
    double *ends = dv_alloc(self->count, 6 * sizeof *ends);
    for (uint32_t i = 0; i < self->count; i++)
        for (uint32_t c = 0; c < spatial; c++) {
            ends[6 * (size_t)i + c] = x.at[(size_t)self->point[i] * x.dim + c];
            ends[6 * (size_t)i + 3 + c] = rest.at[(size_t)self->target[i] * rest.dim + c];
        }
    target->ops->lines(target, ends, self->count, 5.0, dv_data_doubles(&self->spring_color, NULL));
    dv_free(ends);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_rest_shape_springs_force_field = {
    .size = sizeof(DvClass),
    .name = "RestShapeSpringsForceField",
    .variants = "Vec1d Vec3d Rigid3d",
    DV_FORCE_FIELD_CLASS("ForceField"),
    .module = "Sofa.Component.SolidMechanics.Spring",
    .help = "Springs that pull points back to their rest positions, or to the points of another state.",
    .instance_size = sizeof(RestShapeSpringsForceField),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_FORCE_FIELD, .ops = &ops},
                                      {.id = DV_OPERATOR, .ops = &operator_ops},
                                      {.id = DV_TOUCHED_POINTS, .ops = &touched_ops},
                                      {.id = DV_FAULT_CAUSE, .ops = &cause_ops},
                                      {.id = DV_DRAWABLE, .ops = &drawable},
                                      {0}},
    .bwd_init = bwd_init,
    .reinit = reinit,
    .cleanup = cleanup,
    .destroy = destroy,
};
