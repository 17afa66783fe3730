/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * LCPForceFeedback: the force of the constraints on a tool, solved for again in each tick where the device is then (Saupin, Duriez and Cotin 2008).
 *
 * At the end of a step: the problem of the constraint solver, which is held, its rows J on the tool, and the free position x of the tool.
 * In a tick, the device at p:
 *
 *   d = d_free + J (p - x)              over dt where velocities are constrained
 *   d + W lambda, by the laws           from the last lambda, at most solverMaxIt sweeps, until solverTimeout
 *   F = forceCoef J^T lambda            lambda is an impulse, N s; physicalForce: J^T lambda / dt, in newtons
 *
 * What is stored in a row that holds d at d_0 (0; a limit of an interval) is the work of its spring,  -lambda (d - d_0) / 2,  d where the device is:
 * against that passivity is watched.
 */
#include "lcp_force_feedback.h"

#include <divan/memory.h>
#include <divan/plugin.h>

#include <math.h>
#include <string.h>
#include <time.h>

/* ---- Steps ---- */

/* Whether a tick may still look at a slot: the blocks of a snapshot hold what this side has written, so it may read them. */
static bool is_shared(const HapticUser *user, uint64_t number)
{
    for (int i = 0; i < 3; i++) {
        const double *head = user->shared->blocks[i];
        if (((const Published *)(const void *)(head + 1))->number == number)
            return true;
    }
    return false;
}

bool feedback_is_waiting_for(const HapticUser *user, uint64_t number)
{
    if (haptics_by_clock(user->port))
        return is_shared(user, number);
    if (((const Published *)user->newest)->number == number)
        return true;
    for (uint32_t i = 0; i < user->waiting_count; i++) {
        const uint32_t at = (user->waiting_first + i) % user->waiting_capacity;
        const Published *waiting = (const Published *)(const void *)(user->waiting + at * user->block_bytes);
        if (waiting->number == number)
            return true;
    }
    return false;
}

void feedback_add_slot(LCPForceFeedback *self)
{
    if (self->slot_count == self->slot_capacity) { /* by the clock never: five are enough */
        const uint32_t more = 2 * self->slot_capacity;
        self->slots = dv_realloc(self->slots, self->slot_capacity * sizeof(Slot *), more * sizeof(Slot *));
        self->slot_capacity = more;
    }
    self->slots[self->slot_count++] = dv_alloc(1, sizeof(Slot));
}

static uint32_t free_slot(LCPForceFeedback *self)
{
    for (uint32_t i = 0; i < self->slot_count; i++)
        if (!feedback_is_waiting_for(&self->client.user, i + 1))
            return i;
    feedback_add_slot(self);
    return self->slot_count - 1;
}

void feedback_let_go(const LCPForceFeedback *self, Slot *slot)
{
    if (slot->problem)
        self->solver_ops->release_problem(slot->problem);
    slot->problem = NULL;
    slot->rows = NULL;
}

static void find_rows(const LCPForceFeedback *self, Slot *slot)
{
    const DvConstraintProblem *problem = slot->problem;
    for (uint32_t i = 0; i < problem->moved_count; i++)
        for (uint32_t k = 0; k < problem->moved[i].state_count; k++)
            if (problem->moved[i].states[k] == self->state.object) {
                slot->rows = &problem->moved[i];
                slot->first = slot->rows->first[k];
                slot->last = slot->rows->first[k + 1];
                return;
            }
}

static double *room(double *numbers, size_t *capacity, size_t needed)
{
    if (numbers && needed <= *capacity)
        return numbers;
    dv_free(numbers);
    *capacity = needed + needed / 2;
    numbers = dv_alloc(*capacity, sizeof(double));
    memset(numbers, 0, *capacity * sizeof *numbers); /* touched before a tick does */
    return numbers;
}

/* Where the first point would be without constraints, at the end of the step. */
static void read_place(const LCPForceFeedback *self, Slot *slot)
{
    const DvStateRef state = self->state;
    const bool of_velocities = slot->problem->order == DV_CONSTRAIN_VELOCITY;
    const bool has = state.ops->has(state.self, of_velocities ? DV_FREE_VELOCITY : DV_FREE_POSITION);
    const DvConstVec x = dv_state_read(state, has && !of_velocities ? DV_FREE_POSITION : DV_POSITION);
    if (x.count == 0)
        return;
    memcpy(slot->x, x.at, x.dim * sizeof *x.at);
    if (!of_velocities || !has)
        return;
    const DvConstVec v = dv_state_read(state, DV_VELOCITY), free = dv_state_read(state, DV_FREE_VELOCITY);
    double difference[6];
    for (uint32_t c = 0; c < v.dim; c++)
        difference[c] = free.at[c] - v.at[c];
    dv_dof_integrate(state.dof, 1, slot->x, slot->x, difference, slot->problem->dt);
}

/* A problem that is the slot's from now on. */
void feedback_hold(const LCPForceFeedback *self, Slot *slot, const DvConstraintProblem *problem)
{
    feedback_let_go(self, slot);
    slot->problem = problem;
    slot->begun = false;
    if (!problem)
        return;
    size_t capacity = slot->capacity;
    slot->violation = room(slot->violation, &capacity, problem->rows);
    slot->lambda = room(slot->lambda, &slot->capacity, problem->rows);
    slot->work = room(slot->work, &slot->work_capacity, self->solver_ops->work(problem));
}

static void take_problem(LCPForceFeedback *self, Slot *slot)
{
    feedback_hold(self, slot, self->solver_ops->take_problem(dv_object_self(self->solver)));
    if (!slot->problem)
        return;
    find_rows(self, slot);
    read_place(self, slot);
}

static void fill(void *self_, double dt, void *block)
{
    LCPForceFeedback *self = self_;
    Published *published = block;
    memset(published, 0, sizeof *published);
    published->dt = dt;
    published->set = self->set;
    if (dt <= 0.0 || !self->set.active || !dv_object_is_valid(self->solver))
        return;
    const uint32_t number = free_slot(self);
    take_problem(self, self->slots[number]);
    if (self->slots[number]->problem)
        published->number = number + 1;
    if (self->slots[number]->problem && !self->slots[number]->rows && !self->told) {
        dv_warning(
            dv_object_of(self),
            "no constraint correction moves '%s', so that nothing is felt; add a LinearSolverConstraintCorrection or an "
            "UncoupledConstraintCorrection to its node",
            dv_object_path(self->state.object));
        self->told = true;
    }
}

static void before(void *self_)
{
    LCPForceFeedback *self = self_;
    self->set.guard = haptic_client_guard(&self->client, NULL, haptics_tick_time(self->client.port));
    self->set.guard.counted[1] = false;
    self->set.active = dv_data_bool(&self->activate) && self->state.ops && dv_object_is_valid(dv_object_of(self));
    self->set.has_factor = dv_data_is_set(&self->coefficient);
    self->set.factor_given = dv_data_double(&self->coefficient);
    self->set.in_newtons = dv_data_bool(&self->physical);
    self->set.follows_turns = dv_data_bool(&self->turns);
    self->set.in_all = dv_data_bool(&self->all_frames);
    self->set.sweeps = dv_data_uint(&self->most_sweeps);
    self->set.timeout_now = dv_data_double(&self->timeout);
    self->set.stall_time = dv_data_double(&self->client.stall);
}

static void begin(void *self_)
{
    LCPForceFeedback *self = self_;
    self->seen = haptics_by_clock(self->client.port) ? *(const FeedbackReport *)dv_snapshot_latest(self->reports, NULL)
                                                     : self->report;
    haptic_client_show(&self->client, self->seen.wrench);
    dv_data_set_double(&self->cut_off, (double)self->seen.not_converged);
}

static void about(void *self_, DvHapticTool *out, double at[3])
{
    const LCPForceFeedback *self = self_;
    memset(at, 0, 3 * sizeof *at);
    out->energy_in = self->seen.put_in;
    out->energy_stored = self->seen.stored;
    out->energy_removed = self->seen.removed;
    out->energy_deficit = self->seen.deficit;
    out->state = self->state.object;
    const DvConstVec x = self->state.ops ? dv_state_read(self->state, DV_POSITION) : (DvConstVec){NULL, 0, 0};
    if (x.count > 0)
        memcpy(at, x.at, (x.dim < 3 ? x.dim : 3) * sizeof *at);
}

static void restart(void *self_)
{
    LCPForceFeedback *self = self_;
    memset(&self->loop, 0, sizeof self->loop);
    memset(&self->report, 0, sizeof self->report);
    memset(&self->seen, 0, sizeof self->seen);
    *(FeedbackReport *)dv_snapshot_begin(self->reports) = self->report;
    dv_snapshot_publish(self->reports);
    for (int i = 0; i < 3; i++) /* no tick is made now */
        memset(self->client.user.shared->blocks[i], 0, sizeof(double) + sizeof(Published));
    for (uint32_t i = 0; i < self->slot_count; i++)
        feedback_let_go(self, self->slots[i]);
    if (self->client.resumes && !haptics_by_clock(self->client.port))
        feedback_go_on(self);
    self->client.resumes = false;
}

/* ---- Ticks ---- */

/* How far the device is from where the tool would be, in unknowns of a point. */
static void way_to_device(const LCPForceFeedback *self, const Slot *slot, DvRigid3 device, double way[6])
{
    memset(way, 0, 6 * sizeof *way);
    if (!self->state.dof->rotation) {
        way[0] = device.center.x - slot->x[0];
        return;
    }
    const DvRigid3 tool = dv_rigid3_load(slot->x);
    dv_vec3_store(dv_vec3_sub(device.center, tool.center), way);
    if (self->in_tick.follows_turns)
        dv_vec3_store(dv_rigid3_difference(device, tool).angular, way + 3);
}

/* Which unknown of the first point one of the tool stands for; SIZE_MAX: none. */
static size_t unknown_of(const LCPForceFeedback *self, const Slot *slot, size_t column)
{
    if (column < slot->first || column >= slot->last)
        return SIZE_MAX;
    const size_t local = column - slot->first, width = self->state.dof->deriv;
    return local < width || self->in_tick.in_all ? local % width : SIZE_MAX;
}

static void shift(const LCPForceFeedback *self, Slot *slot, const double way[6])
{
    const DvConstraintProblem *problem = slot->problem;
    const DvCorrectionRows *rows = slot->rows;
    const double share = problem->order == DV_CONSTRAIN_VELOCITY ? 1.0 / problem->dt : 1.0;
    if (problem->rows > 0)
        memcpy(slot->violation, problem->violation, problem->rows * sizeof *slot->violation);
    for (uint32_t r = 0; r < rows->j.rows; r++) {
        double sum = 0.0;
        for (uint32_t e = rows->j.row_start[r]; e < rows->j.row_start[r + 1]; e++) {
            const size_t unknown = unknown_of(self, slot, rows->j.columns[e]);
            if (unknown != SIZE_MAX)
                sum += rows->j.values[e] * way[unknown];
        }
        slot->violation[rows->row[r]] += share * sum;
    }
}

static double monotonic(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Newtons of the hand for newton seconds of J^T lambda. */
static double factor_of(const LCPForceFeedback *self, double dt)
{
    if (!self->in_tick.in_newtons)
        return self->in_tick.factor_given;
    return (self->in_tick.has_factor ? self->in_tick.factor_given : 1.0) / dt;
}

/* F = J^T lambda and the work that is stored, times `factor`. */
static double gather(const LCPForceFeedback *self, const Slot *slot, double factor, double force[6])
{
    const DvCorrectionRows *rows = slot->rows;
    double stored = 0.0;
    memset(force, 0, 6 * sizeof *force);
    for (uint32_t r = 0; r < rows->j.rows; r++) {
        const double lambda = slot->lambda[rows->row[r]];
        for (uint32_t e = rows->j.row_start[r]; lambda != 0.0 && e < rows->j.row_start[r + 1]; e++) {
            const size_t unknown = unknown_of(self, slot, rows->j.columns[e]);
            if (unknown != SIZE_MAX)
                force[unknown] += factor * lambda * rows->j.values[e];
        }
    }
    for (uint32_t r = 0; r < slot->problem->rows; r++)
        stored -= 0.5 * slot->lambda[r] * slot->violation[r];
    for (uint32_t b = 0; b < slot->problem->block_count; b++) {
        const DvConstraintBlock *block = &slot->problem->blocks[b];
        const double lambda = slot->lambda[block->first];
        if (block->law == DV_LAW_INTERVAL)
            stored += 0.5 * lambda * block->p[lambda < 0.0];
    }
    if (slot->problem->order == DV_CONSTRAIN_VELOCITY)
        stored *= slot->problem->dt;
    return fmax(0.0, factor * stored);
}

/* The force where the device is; what it has stored. */
static double solve(LCPForceFeedback *self, const HapticNow *now, Slot *slot, double force[6])
{
    const DvConstraintProblem *problem = slot->problem;
    double way[6];
    if (!slot->begun && problem->rows > 0)
        memcpy(slot->lambda, problem->lambda, problem->rows * sizeof *slot->lambda);
    slot->begun = true;
    way_to_device(self, slot, now->pose, way);
    shift(self, slot, way);
    const uint32_t sweeps = now->sweeps > 0 ? now->sweeps : self->in_tick.sweeps;
    const double deadline =
        now->by_clock && self->in_tick.timeout_now > 0.0 ? monotonic() + self->in_tick.timeout_now : 0.0;
    slot->converged =
        problem->rows == 0 || self->solver_ops->solve_again(problem, slot->violation, slot->lambda, sweeps,
                                                            0.001 * problem->tolerance, deadline, slot->work);
    self->report.not_converged += !slot->converged;
    return gather(self, slot, factor_of(self, problem->dt), force);
}

static void tick(void *self_, const HapticNow *now, const void *block, double age, bool fresh, DvRigid3Deriv *wrench)
{
    LCPForceFeedback *self = self_;
    LoopState *loop = &self->loop;
    const Published *published = block;
    self->in_tick = published->set;
    /* In virtual time it may be of a run before, whose problem could not be remembered. */
    const bool is_there = published->number > 0 && (now->by_clock || published->number <= self->slot_count);
    Slot *slot = is_there ? self->slots[published->number - 1] : NULL;
    double force[6] = {0}, stored = 0.0;
    (void)fresh;
    if (!loop->begun)
        loop->device = now->sure;
    loop->begun = true;
    const DvRigid3Deriv way = dv_rigid3_difference(now->sure, loop->device);
    guard_fade(&loop->guard, &self->in_tick.guard,
               now->allowed && self->in_tick.active && age <= published->dt + self->in_tick.stall_time &&
                   now->force_scale > 0.0,
               now->dt);
    if (slot && slot->rows && self->in_tick.active)
        stored = solve(self, now, slot, force);
    /* At the place that is sure: what differs is the work from there to the one that is told. */
    stored += dv_vec3_dot(dv_vec3_load(force), dv_vec3_sub(now->pose.center, now->sure.center));
    const double gain = loop->guard.gain;
    Account *account = &loop->guard.account[0];
    guard_pace(account, way.linear, self->in_tick.guard.resolution);
    guard_move(account, way.linear, gain * stored - loop->stored);
    if (gain > loop->gain) /* a slow begin puts in what it stores */
        guard_shift(account, 0.0, (gain - loop->gain) * stored);
    DvVec3 wanted = dv_vec3_scale(dv_vec3_load(force), gain);
    bool cut = guard_cut(&wanted, self->in_tick.guard.limit[0]);
    /* When the last way is repeated: what the hand puts in is stored, what it gets comes from there as far as it goes. */
    const double grown = fmax(-dv_vec3_dot(wanted, account->way), -gain * stored);
    cut = guard_push(account, &self->in_tick.guard, 0, gain, wanted, grown, now->dt) || cut;
    if (cut)
        haptics_count_clamped(self->client.port);
    DvVec3 torque =
        self->state.dof && self->state.dof->rotation ? dv_vec3_scale(dv_vec3_load(force + 3), gain) : dv_vec3_zero();
    (void)guard_cut(&torque, self->in_tick.guard.limit[1]);
    self->report.wrench = dv_rigid3_deriv(account->held, torque);
    self->report.put_in = account->put_in;
    self->report.stored = gain * stored;
    self->report.removed = account->removed;
    self->report.deficit = -account->balance;
    wrench->linear = dv_vec3_add(wrench->linear, self->report.wrench.linear);
    wrench->angular = dv_vec3_add(wrench->angular, self->report.wrench.angular);
    loop->stored = gain * stored;
    loop->gain = gain;
    loop->device = now->sure;
    if (now->by_clock) {
        *(FeedbackReport *)dv_snapshot_begin(self->reports) = self->report;
        dv_snapshot_publish(self->reports);
    }
}

/* ---- The component ---- */

/* The driver whose link leads to it. */
static DvObject *device_that_names(DvObject *object, DvObject *const *devices, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        DvData *link = dv_object_field(devices[i], "forceFeedBack");
        if (link && link->type == &dv_type_link && dv_link_object((const DvLink *)link) == object)
            return devices[i];
    }
    return NULL;
}

static DvStatus find_device(DvObject *object, LCPForceFeedback *self, DvObject **device)
{
    enum { MOST = 64 };
    DvNode *node = dv_object_node(object);
    DvObject *devices[MOST];
    size_t count = dv_node_find_all(node, DV_HAPTIC_DEVICE, DV_SEARCH_ROOT, devices, MOST);
    count = count < MOST ? count : MOST;
    const int32_t index = dv_data_int(&self->index);
    *device = dv_link_object(&self->device_link);
    if (!*device)
        *device = device_that_names(object, devices, count);
    if (!*device && dv_data_is_set(&self->index) && (index < 0 || (size_t)index >= count))
        return count > 0 ? dv_field_error_missing(&self->index, -1, "device", (uint32_t)index, "the scene", count)
                         : dv_field_error(&self->index, -1, "there is no haptic device in the scene");
    if (!*device && !dv_data_is_set(&self->index))
        *device = dv_node_find(node, DV_HAPTIC_DEVICE, DV_SEARCH_UP);
    if (!*device && count > 0)
        *device = devices[index > 0 && (size_t)index < count ? index : 0];
    return DV_OK;
}

static void leave(LCPForceFeedback *self)
{
    haptic_client_leave(&self->client); /* no tick looks at a problem any more */
    for (uint32_t i = 0; i < self->slot_count; i++)
        feedback_let_go(self, self->slots[i]);
    dv_state_release(&self->state);
}

static DvStatus join(DvObject *object, LCPForceFeedback *self)
{
    DvObject *device;
    DvStatus status = find_device(object, self, &device);
    if (status != DV_OK)
        return status;
    if (!device) {
        dv_remark(object, "there is no haptic device in the scene that could show its force");
        return DV_OK;
    }
    status = haptic_client_join(object, &self->client, device);
    if (status != DV_OK)
        return status;
    if (!self->reports)
        self->reports = dv_snapshot_new(sizeof(FeedbackReport));
    if (!self->slots) {
        self->slot_capacity = 8;
        self->slots = dv_alloc(self->slot_capacity, sizeof(Slot *));
    }
    haptic_client_push(&self->client, (HapticUser){.object = object,
                                                   .self = self,
                                                   .block_bytes = sizeof(Published),
                                                   .fill = fill,
                                                   .before = before,
                                                   .begin = begin,
                                                   .restart = restart,
                                                   .about = about,
                                                   .tick = tick});
    if (!dv_data_bool(&self->activate))
        dv_remark(object, "shows no force: activate is 0");
    return DV_OK;
}

static void reset(DvObject *object, void *self_)
{
    (void)object;
    haptic_client_reset(&((LCPForceFeedback *)self_)->client);
}

static DvStatus restore(DvObject *object, void *self_)
{
    LCPForceFeedback *self = self_;
    if (self->client.port && feedback_read_back(self))
        self->client.resumes = true;
    else
        reset(object, self_);
    haptic_client_read_score(&self->client);
    return DV_OK;
}

static DvStatus bwd_init(DvObject *object, void *self_)
{
    LCPForceFeedback *self = self_;
    leave(self);
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    DvStatus status = dv_state_require(object, &self->mstate, &self->state);
    self->solver = dv_node_find(dv_object_node(object), DV_CONSTRAINT_SOLVER, DV_SEARCH_UP);
    if (status == DV_OK && !self->solver)
        status =
            dv_error(object, DV_ERROR_MISSING,
                     "there is no constraint solver here or above; add a BlockGaussSeidelConstraintSolver to the root");
    if (status == DV_OK)
        status = dv_object_require(object, self->solver);
    if (status == DV_OK)
        self->solver_ops = dv_object_ops(self->solver, DV_CONSTRAINT_SOLVER);
    if (status == DV_OK)
        status = join(object, self);
    self->words = dv_service(DV_PROBLEM_WORDS);
    if (status != DV_OK)
        leave(self);
    return status == DV_OK && haptic_client_is_remembered(&self->client) ? restore(object, self_) : status;
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    LCPForceFeedback *self = self_;
    (void)object;
    if (haptic_client_hear(&self->client, event))
        feedback_remember(self);
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    leave(self_);
}

static void destroy(DvObject *object, void *self_)
{
    LCPForceFeedback *self = self_;
    (void)object;
    for (uint32_t i = 0; i < self->slot_count; i++) {
        dv_free(self->slots[i]->violation);
        dv_free(self->slots[i]->lambda);
        dv_free(self->slots[i]->work);
        dv_free(self->slots[i]);
    }
    dv_free(self->slots);
    dv_snapshot_free(self->reports);
}

#define FIELD(member, name, type, ...) DV_FIELD(LCPForceFeedback, member, name, type, __VA_ARGS__)
#define LEAST_0                        .range = &dv_range_not_negative
static const DvField fields[] = {
    DV_LINK(LCPForceFeedback, mstate, "mstate", DV_STATE, .help = "state of the tool; the node's own by default"),
    DV_LINK(LCPForceFeedback, device_link, "device", DV_HAPTIC_DEVICE,
            .help = "else the one whose forceFeedBack leads here, the nearest above, or the first of the scene"),
    FIELD(activate, "activate", dv_type_bool, .init = "0", .help = "whether the force is shown"),
    FIELD(index, "indice", dv_type_int, .init = "0",
          .help = "number of the device in the scene, where no link says which"),
    FIELD(coefficient, "forceCoef", dv_type_double, .init = "0.03", .help = "of the force; see physicalForce"),
    FIELD(timeout, "solverTimeout", dv_type_double, .init = "0.0008", .unit = "s", LEAST_0,
          .help = "for the solve in a tick, when ticks go by the clock"),
    FIELD(most_sweeps, "solverMaxIt", dv_type_uint, .init = "100", .help = "sweeps of the solve in a tick"),
    FIELD(turns, "derivRotations", dv_type_bool, .init = "0", .help = "turns of the device count, not its way alone"),
    FIELD(all_frames, "localHapticConstraintAllFrames", dv_type_bool, .init = "0",
          .help = "all points of the tool move as the device does, not the first alone"),
    FIELD(physical, "physicalForce", dv_type_bool, .init = "0",
          .help = "in newtons: forceCoef is 1 unless it is given, and counts for the force, not the impulse of a step"),
    HAPTIC_CLIENT_FIELDS(LCPForceFeedback),
    FIELD(cut_off, "notConverged", dv_type_double, .flags = DV_FIELD_READ_ONLY,
          .help = "ticks whose solve was cut off by solverMaxIt or solverTimeout"),
    {0},
};

static const DvVariantSource sources[] = {{"mstate", "", DV_STATE}, {0}};

const DvClass dv_lcp_force_feedback = {
    .size = sizeof(DvClass),
    .name = "LCPForceFeedback",
    .variants = "Rigid3d Vec1d",
    .variant_rule = DV_VARIANT_OF_ALL,
    .sources = sources,
    .bases = (const char *const[]){"MechanicalStateForceFeedback", "ForceFeedback", NULL},
    .family = "haptics",
    .module = "Sofa.Component.Haptics",
    .help = "The force of constraints on a tool, solved for again in each tick of a haptic device.",
    .instance_size = sizeof(LCPForceFeedback),
    .fields = fields,
    .bwd_init = bwd_init,
    .reinit = dv_object_initialise_again,
    .handle_event = handle_event,
    .reset = reset,
    .restore = restore,
    .cleanup = cleanup,
    .destroy = destroy,
};
