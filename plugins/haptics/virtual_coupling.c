/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VirtualCoupling: a spring and a damper of six axes between a haptic device and a tool (Colgate, Stanley and Brown 1995). On the tool, at its frame:
 *
 *   F = k (p_d - p_t) + c (v_d - v_t)      T = k_r log(q_d q_t^-1) + c_r (w_d - w_t)
 *
 * and the opposite on the device. It is computed twice: in the ticks, with the newest state of the tool, and in the steps, with the newest
 * pose of the device; in synchronous mode once, for both. Implicit solvers get the derivatives for a lever that does not turn:
 * the part of K that is symmetric.
 *
 * Each side computes with what it knows of the other, which is up to two steps old: free motion at v meets a drag of 1.5 k v times the step
 * on the mean. What of that is energy from nowhere, guard.h finds and takes away.
 */
#include "virtual_coupling.h"

#include <divan/contracts/mass.h>
#include <divan/contracts/report.h>
#include <divan/memory.h>

#include <math.h>
#include <string.h>

/* ---- The steps ---- */

static bool synchronous(void *self_)
{
    return dv_data_choice(&((VirtualCoupling *)self_)->mode) == SYNCHRONOUS;
}

static uint32_t point_of(VirtualCoupling *self)
{
    return dv_data_uint(&self->index);
}

static DvRigid3 frame_of(VirtualCoupling *self, const double *x, DvVec3 *lever)
{
    const DvRigid3 body = dv_rigid3_load(x), offset = dv_rigid3_load(dv_data_doubles(&self->tool_offset, NULL));
    *lever = dv_quat_rotate(body.orientation, offset.center);
    return dv_rigid3(dv_vec3_add(body.center, *lever),
                     dv_quat_mul(body.orientation, dv_quat_normalize(offset.orientation)));
}

static DvRigid3Deriv speed_at(const double *v, DvVec3 lever)
{
    const DvRigid3Deriv body = dv_rigid3_deriv_load(v);
    return dv_rigid3_deriv(dv_rigid3_velocity_at(body, lever), body.angular);
}

static bool is_below(DvNode *node, const DvNode *above)
{
    for (; node; node = dv_node_parent(node, 0))
        if (node == above)
            return true;
    return false;
}

/* What is near is listed too: it touches where it pushes, or would if its answer did not tell. */
static bool pair_touches(const VirtualCoupling *self, const DvContactList *list, uint32_t pair)
{
    for (uint32_t i = 0; i < list->pairs[pair].count; i++) {
        double force[3] = {0};
        self->pipeline_ops->force(dv_object_self(self->pipeline), pair, i, force);
        if (list->pairs[pair].contacts[i].gap < 0.0 || force[0] != 0.0 || force[1] != 0.0 || force[2] != 0.0)
            return true;
    }
    return false;
}

/* Whether what hangs on the tool touches something. */
static bool touches(const VirtualCoupling *self)
{
    const bool has = self->pipeline && dv_object_node(self->pipeline) && dv_object_is_valid(self->pipeline);
    const DvContactList *list = has ? self->pipeline_ops->contacts(dv_object_self(self->pipeline)) : NULL;
    const DvNode *tool = dv_object_node(self->base.state.object);
    for (uint32_t p = 0; list && p < list->pair_count; p++)
        for (int b = 0; b < 2; b++)
            if (is_below(list->bodies[list->pairs[p].body[b]].node, tool) && pair_touches(self, list, p))
                return true;
    return false;
}

static bool is_active(VirtualCoupling *self)
{
    return dv_data_bool(&self->activate) && self->base.state.ops && dv_object_is_valid(dv_object_of(self));
}

static void read_tool(VirtualCoupling *self)
{
    ToolState *own = &self->own;
    const DvConstVec x = dv_state_read(self->base.state, DV_POSITION), v = dv_state_read(self->base.state, DV_VELOCITY);
    const size_t point = point_of(self);
    DvVec3 lever;
    if (!x.at || !v.at || point >= x.count)
        return;
    own->frame = frame_of(self, x.at + 7 * point, &lever);
    own->velocity = speed_at(v.at + 6 * point, lever);
    own->contact = touches(self);
    own->active = is_active(self);
}

/* The end of a step: the work on the tool is that of the force as the solver has taken it. */
static void fill(void *self_, double dt, void *block)
{
    VirtualCoupling *self = self_;
    ToolState *own = &self->own;
    const DvRigid3 before = self->acting_at;
    if (self->base.state.ops)
        read_tool(self);
    if (dt > 0.0) {
        const DvRigid3Deriv way = dv_rigid3_difference(own->frame, before);
        DvRigid3Deriv force = self->acting;
        if (self->implicit) { /* it is that of the end of the step: the device stands still in it */
            force.linear = dv_vec3_madd(force.linear, -self->set.k[LINEAR], way.linear);
            force.linear = dv_vec3_madd(force.linear, -self->set.c[LINEAR],
                                        dv_vec3_sub(own->velocity.linear, self->acting_velocity.linear));
            force.angular = dv_vec3_madd(force.angular, -self->set.k[ANGULAR], way.angular);
            force.angular = dv_vec3_madd(force.angular, -self->set.c[ANGULAR],
                                         dv_vec3_sub(own->velocity.angular, self->acting_velocity.angular));
        }
        own->work[LINEAR] += dv_vec3_dot(force.linear, way.linear);
        own->work[ANGULAR] += dv_vec3_dot(force.angular, way.angular);
    }
    own->dt = dt;
    own->set = self->set;
    memset(block, 0, sizeof *own);
    memcpy(block, own, sizeof *own);
}

/* What a force and a torque along x, y and z meet, the mean of the three. */
static void weigh_tool(VirtualCoupling *self)
{
    const DvStateRef tool = self->base.state;
    DvObject *found[8];
    const size_t count = dv_node_find_all(dv_object_node(tool.object), DV_MASS, DV_SEARCH_LOCAL, found, 8);
    const size_t unknowns = (size_t)dv_state_count(tool) * 6, first = 6 * (size_t)point_of(self);
    self->tool_mass = self->tool_inertia = 0.0;
    double *unit = dv_alloc(unknowns, sizeof *unit), *answer = dv_alloc(unknowns, sizeof *answer);
    for (size_t m = 0; m < count && m < 8; m++) {
        const DvMassOps *mass = dv_object_ops(found[m], DV_MASS);
        if (!mass || mass->state(dv_object_self(found[m])) != tool.object || first + 6 > unknowns)
            continue;
        for (size_t c = 0; c < 6; c++) {
            memset(unit, 0, unknowns * sizeof *unit);
            memset(answer, 0, unknowns * sizeof *answer);
            unit[first + c] = 1.0;
            mass->add_mdx(dv_object_self(found[m]), 1.0, (DvConstVec){unit, dv_state_count(tool), 6},
                          (DvVec){answer, dv_state_count(tool), 6});
            *(c < 3 ? &self->tool_mass : &self->tool_inertia) += answer[first + c] / 3.0;
        }
    }
    dv_free(unit);
    dv_free(answer);
}

static void restart(void *self_)
{
    VirtualCoupling *self = self_;
    const bool goes_on = self->client.resumes && !haptics_by_clock(self->client.port);
    self->client.resumes = false;
    if (goes_on)
        return;
    memset(&self->loop, 0, sizeof self->loop);
    *(LoopState *)dv_snapshot_begin(self->reports) = self->loop;
    dv_snapshot_publish(self->reports);
    memset(&self->own, 0, sizeof self->own);
    memset(&self->acting, 0, sizeof self->acting);
    weigh_tool(self);
}

/* Fields as they are now, for the ticks until the next step. */
static void read_fields(VirtualCoupling *self)
{
    const DvHapticFacts *facts = haptics_facts(self->client.port);
    DvHapticPlacement at;
    haptics_placement(self->client.port, &at);
    const double length = at.scale * at.unit;
    const double inertia = facts->inertia > 0.0 ? facts->inertia : 0.05;
    const double angular = facts->angular_inertia > 0.0 ? facts->angular_inertia : 1e-4;
    const double dt =
        synchronous(self) ? dv_node_dt(dv_object_node(dv_object_of(self))) : haptics_tick_time(self->client.port);
    self->set.guard = haptic_client_guard(&self->client, &self->max_torque, dt);
    self->set.guard.rate = dv_data_double(&self->max_rate);
    const double k = dv_data_double(&self->stiffness), kr = dv_data_double(&self->angular_stiffness);
    const bool given[4] = {dv_data_is_set(&self->stiffness), dv_data_is_set(&self->angular_stiffness),
                           dv_data_is_set(&self->damping), dv_data_is_set(&self->angular_damping)};
    const double unit = length * at.force_scale; /* of the scene for N/m of the device */
    self->set.k[LINEAR] = given[0] ? k : unit > 0.0 ? facts->stiffness / unit : 0.0;
    self->set.k[ANGULAR] = given[1] ? kr : at.force_scale > 0.0 ? facts->angular_stiffness / at.force_scale : 0.0;
    /* Critical for the tool, as far as ticks and the smoothed velocity let the arm bear it. */
    const double smooth = dv_data_double(&self->cutoff),
                 late = dt + (smooth > 0.0 ? 1.0 / (2.0 * DV_PI * smooth) : 0.0);
    const double bears[2] = {unit > 0.0 ? 0.5 * inertia / late / unit : 0.0,
                             at.force_scale > 0.0 ? 0.5 * angular / late / at.force_scale : 0.0};
    const double critical[2] = {2.0 * sqrt(self->set.k[LINEAR] * self->tool_mass),
                                2.0 * sqrt(self->set.k[ANGULAR] * self->tool_inertia)};
    self->set.c[LINEAR] = given[2] ? dv_data_double(&self->damping) : fmin(critical[LINEAR], bears[LINEAR]);
    self->set.c[ANGULAR] = given[3] ? dv_data_double(&self->angular_damping) : fmin(critical[ANGULAR], bears[ANGULAR]);
    self->set.contact_fade_time = dv_data_double(&self->contact_fade);
    self->set.stall_time = dv_data_double(&self->client.stall);
    self->set.cutoff_rate = dv_data_double(&self->cutoff);
    self->set.distance = dv_data_double(&self->break_distance);
    self->set.extrapolates = dv_data_choice(&self->extrapolate) == 1;
    self->set.cancels = dv_data_bool(&self->cancel);
}

static void show(VirtualCoupling *self)
{
    const LoopState *loop = &self->seen;
    const Account *a = loop->guard.account;
    haptic_client_show(&self->client, loop->wrench);
    dv_data_set_bool(&self->engaged, loop->guard.gain > 0.0);
    dv_data_set_bool(&self->contact, self->own.contact);
    dv_data_set_double(&self->energy_in, a[0].put_in + a[1].put_in);
    dv_data_set_double(&self->energy_stored, loop->stored[0] + loop->stored[1]);
    dv_data_set_double(&self->energy_removed, a[0].removed + a[1].removed);
    dv_data_set_double(&self->energy_deficit, -(a[0].balance + a[1].balance));
    uint64_t ticks, missed;
    haptics_counts(self->client.port, &ticks, &missed);
    dv_data_set_double(&self->ticks, (double)ticks);
    dv_data_set_double(&self->missed, (double)missed);
}

static void about(void *self_, DvHapticTool *out, double at[3])
{
    VirtualCoupling *self = self_;
    const Account *a = self->seen.guard.account;
    const DvConstVec x = self->base.state.ops ? dv_state_read(self->base.state, DV_POSITION) : (DvConstVec){NULL, 0, 0};
    const size_t point = point_of(self);
    DvVec3 lever;
    memset(at, 0, 3 * sizeof *at);
    out->state = self->base.state.object;
    out->energy_in = a[0].put_in + a[1].put_in;
    out->energy_stored = self->seen.stored[0] + self->seen.stored[1];
    out->energy_removed = a[0].removed + a[1].removed;
    out->energy_deficit = -(a[0].balance + a[1].balance);
    if (point < x.count)
        dv_vec3_store(frame_of(self, x.at + 7 * point, &lever).center, at);
}

/* Before the ticks that come ahead of a step. */
static void before(void *self_)
{
    read_fields(self_);
}

static void begin(void *self_)
{
    VirtualCoupling *self = self_;
    self->implicit = false;
    self->seen =
        haptics_by_clock(self->client.port) ? *(const LoopState *)dv_snapshot_latest(self->reports, NULL) : self->loop;
    show(self);
}

/* On the tool, at its frame; and on the point, that has this lever. */
static DvRigid3Deriv force_on_tool(VirtualCoupling *self, DvRigid3 tool, DvRigid3Deriv speed)
{
    const HapticSample *sample = haptics_sample(self->client.port);
    if (!sample->valid || !is_active(self) || self->seen.broken)
        return dv_rigid3_deriv(dv_vec3_zero(), dv_vec3_zero());
    if (synchronous(self))
        return dv_rigid3_deriv(dv_vec3_neg(self->seen.wrench.linear), dv_vec3_neg(self->seen.wrench.angular));
    const DvRigid3Deriv device = sample->clutched
                                     ? dv_rigid3_deriv(dv_vec3_zero(), dv_vec3_zero())
                                     : dv_rigid3_deriv(self->seen.velocity[LINEAR], self->seen.velocity[ANGULAR]);
    return coupling_law(&self->set, sample->pose, device, tool, speed);
}

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    VirtualCoupling *self = self_;
    const size_t point = point_of(self);
    (void)step;
    if (!self->client.port || point >= x->count)
        return;
    DvVec3 lever;
    self->acting_at = frame_of(self, x->at + 7 * point, &lever);
    self->acting_velocity = speed_at(v->at + 6 * point, lever);
    self->acting = force_on_tool(self, self->acting_at, self->acting_velocity);
    DvRigid3Deriv wrench = dv_rigid3_wrench(self->acting.linear, lever);
    wrench.angular = dv_vec3_add(wrench.angular, self->acting.angular);
    dv_rigid3_deriv_accumulate(wrench, f->at + 6 * point);
}

/* What the derivatives are now: nothing where nothing holds the tool. */
static double hold(VirtualCoupling *self)
{
    const bool holds = haptics_sample(self->client.port)->valid && is_active(self) && !self->seen.broken;
    return !holds ? 0.0 : synchronous(self) ? self->seen.gain : 1.0;
}

static DvVec3 lever_now(VirtualCoupling *self)
{
    const DvConstVec x = dv_state_read(self->base.state, DV_POSITION);
    DvVec3 lever;
    (void)frame_of(self, x.at + 7 * (size_t)point_of(self), &lever);
    return lever;
}

/* -J^T diag(linear, angular) J d, J: of the frame by the body. */
static DvRigid3Deriv product(DvVec3 lever, double linear, double angular, DvRigid3Deriv d)
{
    const DvVec3 force = dv_vec3_scale(dv_rigid3_velocity_at(d, lever), -linear);
    return dv_rigid3_deriv(force, dv_vec3_madd(dv_vec3_cross(lever, force), -angular, d.angular));
}

static void factors(VirtualCoupling *self, double k, double b, double of[2])
{
    const double share = hold(self);
    for (int i = 0; i < 2; i++)
        of[i] = share * (k * self->set.k[i] + b * self->set.c[i]);
    self->implicit = self->implicit || k != 0.0;
}

static void add_dforce(void *self_, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    VirtualCoupling *self = self_;
    const size_t point = point_of(self);
    double of[2];
    (void)step;
    if (!self->client.port || point >= dx->count)
        return;
    factors(self, k, b, of);
    dv_rigid3_deriv_accumulate(product(lever_now(self), of[0], of[1], dv_rigid3_deriv_load(dx->at + 6 * point)),
                               df->at + 6 * point);
}

static void reserve(void *self_, DvPattern *pattern)
{
    VirtualCoupling *self = self_;
    const uint32_t point = point_of(self);
    if (self->client.port && point < dv_state_count(self->base.state))
        dv_pattern_add(pattern, point, point);
}

static void assemble(void *self_, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    VirtualCoupling *self = self_;
    double of[2], dense[36], column[6];
    (void)step;
    if (!self->client.port || point_of(self) >= dv_state_count(self->base.state))
        return;
    factors(self, k, b, of);
    const DvVec3 lever = lever_now(self);
    for (int j = 0; j < 6; j++) {
        double unit[6] = {0};
        unit[j] = 1.0;
        dv_rigid3_deriv_store(product(lever, of[0], of[1], dv_rigid3_deriv_load(unit)), column);
        for (int i = 0; i < 6; i++)
            dense[6 * i + j] = column[i];
    }
    dv_view_add(view, 0, dense, 1.0);
}

static uint64_t structure(void *self_)
{
    VirtualCoupling *self = self_;
    return 1 + dv_data_version(&self->index);
}

static double energy(void *self_, const DvStep *step, const DvConstVec *x)
{
    VirtualCoupling *self = self_;
    const size_t point = point_of(self);
    (void)step;
    if (!self->client.port || point >= x->count || hold(self) == 0.0)
        return 0.0;
    DvVec3 lever;
    const DvRigid3Deriv d =
        coupling_stretch(haptics_sample(self->client.port)->pose, frame_of(self, x->at + 7 * point, &lever));
    return 0.5 * (self->set.k[LINEAR] * dv_vec3_norm_squared(d.linear) +
                  self->set.k[ANGULAR] * dv_vec3_norm_squared(d.angular));
}

static const DvForceFieldOps ops = {.size = sizeof ops,
                                    .states = dv_single_state_states,
                                    .add_force = add_force,
                                    .add_dforce = add_dforce,
                                    .reserve = reserve,
                                    .assemble = assemble,
                                    .structure = structure,
                                    .energy = energy};

static DvStatus find_device(DvObject *object, VirtualCoupling *self, DvObject **device)
{
    DvNode *node = dv_object_node(object);
    *device = dv_link_is_set(&self->device_link) ? dv_link_object(&self->device_link)
                                                 : dv_node_find(node, DV_HAPTIC_DEVICE, DV_SEARCH_UP);
    if (*device)
        return DV_OK;
    DvObject *other = dv_node_find(node, DV_HAPTIC_DEVICE, DV_SEARCH_ROOT);
    return other ? dv_field_error(&self->device_link.data, -1,
                                  "there is no haptic device here or above; set it, for example device=\"@%s\"",
                                  dv_object_path(other))
                 : dv_error(object, DV_ERROR_MISSING,
                            "there is no haptic device in the scene; add a SimulatedHapticDevice to the root");
}

static DvStatus join(DvObject *object, VirtualCoupling *self)
{
    DvObject *device;
    DvStatus status = find_device(object, self, &device);
    if (status == DV_OK)
        status = haptic_client_join(object, &self->client, device);
    if (status != DV_OK)
        return status;
    const DvObject *other = haptics_user_of_class(self->client.port, dv_object_class(object)->name);
    if (other)
        return dv_error(object, DV_ERROR_INVALID, "device '%s' pushes for '%s' already; a device has one coupling",
                        dv_object_path(device), dv_object_path(other));
    if (!self->reports)
        self->reports = dv_snapshot_new(sizeof(LoopState));
    haptic_client_push(&self->client, (HapticUser){.object = object,
                                                   .self = self,
                                                   .block_bytes = sizeof(ToolState),
                                                   .synchronous = synchronous,
                                                   .fill = fill,
                                                   .before = before,
                                                   .begin = begin,
                                                   .restart = restart,
                                                   .about = about,
                                                   .tick = coupling_tick});
    if (!dv_data_bool(&self->activate))
        dv_remark(object, "pushes neither the tool nor the device: activate is 0");
    return DV_OK;
}

static void leave(VirtualCoupling *self)
{
    haptic_client_leave(&self->client);
    if (self->pipeline)
        dv_object_unref(self->pipeline);
    self->pipeline = NULL;
    dv_single_state_release(&self->base);
}

static DvStatus restore(DvObject *object, void *self_);

static DvStatus bwd_init(DvObject *object, void *self_)
{
    VirtualCoupling *self = self_;
    leave(self);
    dv_object_listen(object);
    DvStatus status = dv_single_state_init(object, &self->base);
    const uint32_t count = status == DV_OK ? dv_state_count(self->base.state) : 0;
    if (status == DV_OK && point_of(self) >= count)
        status = dv_field_error_missing(&self->index, -1, "point", point_of(self), "the tool", count);
    if (status == DV_OK)
        status = join(object, self);
    if (status != DV_OK) {
        leave(self);
        return status;
    }
    self->pipeline = dv_node_find(dv_object_node(object), DV_COLLISION_PIPELINE, DV_SEARCH_ROOT);
    if (self->pipeline)
        dv_object_ref(self->pipeline); /* it may leave the scene before */
    self->pipeline_ops = self->pipeline ? dv_object_ops(self->pipeline, DV_COLLISION_PIPELINE) : NULL;
    weigh_tool(self);
    read_fields(self);
    return haptic_client_is_remembered(&self->client) ? restore(object, self_) : DV_OK;
}

static size_t own_words(void)
{
    return (sizeof(LoopState) + 3) / 4 + (sizeof(ToolState) + 3) / 4;
}

/* Its own, then the port's, then what waits to be seen. */
static void remember(VirtualCoupling *self)
{
    const size_t loop = (sizeof(LoopState) + 3) / 4, port = haptics_state_words(self->client.port);
    const size_t words = own_words() + port + haptics_user_words(&self->client.user);
    uint32_t *to = dv_data_begin_all(&self->client.resume, words);
    memset(to, 0, 4 * words);
    memcpy(to, &self->loop, sizeof self->loop);
    memcpy(to + loop, &self->own, sizeof self->own);
    haptics_state_write(self->client.port, to + own_words());
    haptics_user_write(&self->client.user, to + own_words() + port);
    dv_data_end(&self->client.resume);
}

static void reset(DvObject *object, void *self_)
{
    (void)object;
    haptic_client_reset(&((VirtualCoupling *)self_)->client);
}

static DvStatus restore(DvObject *object, void *self_)
{
    VirtualCoupling *self = self_;
    size_t count;
    const uint32_t *words = dv_data_uints(&self->client.resume, &count);
    const size_t port = self->client.port ? haptics_state_words(self->client.port) : 0,
                 loop = (sizeof(LoopState) + 3) / 4;
    if (!self->client.port || count < own_words() + port + haptics_user_least_words(&self->client.user)) {
        reset(object, self_);
        haptic_client_read_score(&self->client);
        return DV_OK;
    }
    weigh_tool(self);
    memcpy(&self->loop, words, sizeof self->loop);
    memcpy(&self->own, words + loop, sizeof self->own);
    haptics_state_read(self->client.port, words + own_words());
    haptics_user_read(&self->client.user, words + own_words() + port, count - own_words() - port);
    haptic_client_read_score(&self->client);
    self->client.resumes = true;
    return DV_OK;
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    VirtualCoupling *self = self_;
    (void)object;
    if (haptic_client_hear(&self->client, event))
        remember(self);
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    leave(self_);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    dv_snapshot_free(((VirtualCoupling *)self_)->reports);
}

/* ---- What it says of itself ---- */

static double tool_bound(void *self_)
{
    const VirtualCoupling *self = self_;
    return sqrt(self->set.k[LINEAR]);
}

static const DvElementsCause cause_ops = DV_ELEMENTS_CAUSE(.bound = tool_bound);

static void report(void *self_, DvReportLine line, void *context)
{
    VirtualCoupling *self = self_;
    if (!self->client.port)
        return;
    read_fields(self);
    const DvHapticFacts *facts = haptics_facts(self->client.port);
    const double tick_time = haptics_tick_time(self->client.port), dt = dv_node_dt(dv_object_node(dv_object_of(self)));
    const double age = synchronous(self) ? dt : tick_time + 2.0 * dt;
    const double need = 0.5 * self->set.k[LINEAR] * tick_time, whole = 0.5 * self->set.k[LINEAR] * age;
    DvText text = {0};
    dv_text_add(&text, "device %s: %.4g N/m and %.4g N s/m, %.4g N m/rad and %.4g N m s/rad",
                dv_object_path(haptics_device(self->client.port)), self->set.k[LINEAR], self->set.c[LINEAR],
                self->set.k[ANGULAR], self->set.c[ANGULAR]);
    line(context, text.at);
    text.length = 0;
    dv_text_add(&text, "a spring of it, sampled each %.3g ms, is passive with %.3g N s/m in the device, which has %.3g",
                1e3 * tick_time, need, facts->damping);
    dv_text_add(&text, "; with a state of the tool that is up to %.3g ms old, %.3g", 1e3 * age, whole);
    if (facts->damping < whole)
        dv_text_add(&text, self->set.guard.passivity == PASSIVITY_CONTROLLED
                               ? "; what lacks, passivity=\"control\" takes away"
                               : "; passivity=\"control\" would take away what lacks");
    line(context, text.at);
    text.length = 0;
    if (self->set.guard.resolution > 0.0) {
        dv_text_add(
            &text,
            "places told in steps of %.3g mm ask for a dry friction of %.3g N in the device (stiffness x step / 2)",
            1e3 * self->set.guard.resolution, 0.5 * self->set.k[LINEAR] * self->set.guard.resolution);
        if (self->set.guard.passivity == PASSIVITY_CONTROLLED)
            dv_text_add(&text, "; passivity changes the force by no more than %.3g N at 0.1 m/s",
                        guard_chatter(&self->set.guard, self->set.k[LINEAR], self->set.c[LINEAR], tick_time, 0.1));
        line(context, text.at);
        text.length = 0;
    }
    if (!synchronous(self)) {
        dv_text_add(&text, "free motion meets a drag of %.3g N s/m on the mean (1.5 x stiffness x step)%s",
                    1.5 * self->set.k[LINEAR] * dt, self->set.cancels ? ", which cancelOutOfContact takes away" : "");
        line(context, text.at);
    }
    dv_text_free(&text);
}

static const DvReportOps report_ops = {.size = sizeof report_ops, .report = report};

static void draw(void *self_, DvDraw *target)
{
    static const double color[4] = {1.0, 0.6, 0.1, 1.0};
    VirtualCoupling *self = self_;
    if (!dv_draw_shows(target, DV_DISPLAY_FORCE_FIELDS) || !self->client.port ||
        !haptics_sample(self->client.port)->valid)
        return;
    const DvConstVec x = dv_state_read(self->base.state, DV_POSITION);
    double ends[6];
    DvVec3 lever;
    if (point_of(self) >= x.count)
        return;
    dv_vec3_store(haptics_sample(self->client.port)->pose.center, ends);
    dv_vec3_store(frame_of(self, x.at + 7 * (size_t)point_of(self), &lever).center, ends + 3);
    target->ops->lines(target, ends, 1, 3.0, color);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

/* ---- The class ---- */

static const char *const modes[] = {"synchronous", "asynchronous", NULL};
static const char *const extrapolations[] = {"none", "velocity", NULL};
static const DvVariantSource sources[] = {{"tool", "", DV_STATE}, {0}};

#define FIELD(member, name, type, ...)  DV_FIELD(VirtualCoupling, member, name, type, __VA_ARGS__)
#define OUTPUT(member, name, type, ...) FIELD(member, name, type, .flags = DV_FIELD_READ_ONLY, __VA_ARGS__)
#define LEAST_0                         .range = &dv_range_not_negative
static const DvField fields[] = {
    DV_FIELD_RAYLEIGH_STIFFNESS(VirtualCoupling, base.rayleigh_stiffness),
    DV_LINK(VirtualCoupling, device_link, "device", DV_HAPTIC_DEVICE, .help = "the nearest here or above by default"),
    DV_LINK(VirtualCoupling, base.mstate, "tool", DV_STATE, .help = "state of the tool; the node's own by default"),
    FIELD(index, "index", dv_type_uint, .init = "0", .help = "point of the tool that is held"),
    FIELD(tool_offset, "toolOffset", dv_type_rigid3d, .init = "0 0 0 0 0 0 1",
          .help = "the frame of the tool that follows the device, in that of the point"),
    FIELD(stiffness, "stiffness", dv_type_double, .unit = "N/m", LEAST_0,
          .help = "of the spring; what the device advises when it is not given"),
    FIELD(angular_stiffness, "angularStiffness", dv_type_double, .unit = "N m/rad", LEAST_0,
          .help = "the same of turns"),
    FIELD(
        damping, "damping", dv_type_double, .unit = "N s/m", LEAST_0,
        .help =
            "beside the spring; when it is not given critical for the mass of the tool, or what ticks let the arm bear"),
    FIELD(angular_damping, "angularDamping", dv_type_double, .unit = "N m s/rad", LEAST_0, .help = "the same of turns"),
    FIELD(mode, "mode", dv_type_choice, .init = "asynchronous", .choices = modes,
          .help =
              "synchronous: a tick a step, the same force on both; asynchronous: each with the newest of the other"),
    FIELD(extrapolate, "extrapolate", dv_type_choice, .init = "none", .choices = extrapolations,
          .help = "velocity: between steps the tool is thought to move on, for one step at most"),
    FIELD(cancel, "cancelOutOfContact", dv_type_bool, .init = "0",
          .help = "no force while nothing below the tool touches anything"),
    FIELD(contact_fade, "contactFade", dv_type_double, .init = "0.005", .unit = "s", LEAST_0,
          .help = "in which the force comes and goes then"),
    FIELD(cutoff, "velocityCutoff", dv_type_double, .init = "100", .unit = "1/s", LEAST_0,
          .help = "above which the velocity of the device is smoothed; 0: not at all"),
    FIELD(max_torque, "maxTorque", dv_type_double, .unit = "N m", LEAST_0, .help = "the same of torques"),
    FIELD(max_rate, "maxForceRate", dv_type_double, .init = "0", .unit = "N/s", LEAST_0,
          .help = "at which the force may change; 0: any"),
    FIELD(break_distance, "breakDistance", dv_type_double, .init = "0", .unit = "m", LEAST_0,
          .help = "from the tool to the device, at which it lets go; 0: never"),
    FIELD(activate, "activate", dv_type_bool, .init = "1", .help = "whether it acts"),
    HAPTIC_CLIENT_FIELDS(VirtualCoupling),
    OUTPUT(engaged, "engaged", dv_type_bool, .help = "the device is pushed"),
    OUTPUT(contact, "contact", dv_type_bool, .help = "something below the tool touches something"),
    OUTPUT(energy_in, "energyIn", dv_type_double, .unit = "J", .help = "that the hand has put in, and slow begins"),
    OUTPUT(energy_stored, "energyStored", dv_type_double, .unit = "J", .help = "in the springs as the ticks see them"),
    OUTPUT(energy_removed, "energyRemoved", dv_type_double, .unit = "J", .help = "that passivity has taken away"),
    OUTPUT(energy_deficit, "energyDeficit", dv_type_double, .unit = "J", .help = "from nowhere, not taken away yet"),
    OUTPUT(ticks, "ticks", dv_type_double, .help = "made so far"),
    OUTPUT(missed, "missed", dv_type_double, .help = "ticks that did not come"),
    {0},
};

const DvClass dv_virtual_coupling = {
    .size = sizeof(DvClass),
    .name = "VirtualCoupling",
    .variants = "Rigid3d",
    .variant_rule = DV_VARIANT_OF_ALL,
    .sources = sources,
    .bases = (const char *const[]){"ForceField", NULL},
    .family = "haptics",
    .help =
        "A spring and a damper between a haptic device and a tool, in the ticks of the one and the steps of the other.",
    .instance_size = sizeof(VirtualCoupling),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_FORCE_FIELD, .ops = &ops},
                                      {.id = DV_FAULT_CAUSE, .ops = &cause_ops},
                                      {.id = DV_REPORT, .ops = &report_ops},
                                      {.id = DV_DRAWABLE, .ops = &drawable},
                                      {0}},
    .bwd_init = bwd_init,
    .reinit = dv_object_initialise_again,
    .reset = reset,
    .restore = restore,
    .handle_event = handle_event,
    .cleanup = cleanup,
    .destroy = destroy,
};
