/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ArticulatedSystemMapping: frames of a body whose joints are moved by the numbers of a Vec1d state.
 *
 * Each ArticulationCenter puts a child frame c, with the joint at C on it, to a parent frame p, with the joint at P, in the order of the
 * container; a and x are axis and number of each of its Articulations.
 *
 *   process 0   q = q_p, then for each articulation in turn a := q a: a turn q := (a, x) q, or a shift of the joint by x a
 *   process 1   a := q_p a: a turn O := (a, x - x') O, or a shift D += (x - x') a;   q = O q_p
 *   process 2   a := q' a:  a turn O := (a, x - x') O, or a shift D = sum of x a;    q = O q_p
 *   all         centre = joint - q C
 *
 * where x' and q' are the number and the child's orientation of the last apply, O and D what has gathered since the start: processes 1 and
 * 2 hang on the way that was gone. Frame 0 is the frame of input2, or stays where it is without one; so do frames that no joint moves.
 *
 *   J: a turn moves what hangs on it by (a x (centre - joint), a), a shift by (a, 0); input2 moves what hangs on frame 0 as one body
 *
 * J is the derivative of process 0. Of 1 and 2 it is where the parent is at rest: what has gathered in O stays in world axes when the
 * parent turns. There is no geometric stiffness. One thread: each frame hangs on the one before.
 */
#include "articulated.h"

#include <divan/kit/mapping.h>

#include <divan/contracts/drawing.h>
#include <divan/memory.h>

#include <string.h>

/* What is read of an articulation when frames are computed. */
typedef struct Motion {
    Articulation *of;
    void (*show)(Articulation *self, DvVec3 place, DvVec3 direction, double length);
    uint32_t column;
    DvVec3 axis; /* of length 1 */
    bool turns, slides;
} Motion;

typedef struct Joint {
    ArticulationCenter *of;
    void (*show)(ArticulationCenter *self, DvVec3 parent, DvVec3 place, DvVec3 child);
    uint32_t first, end; /* of the motions */
    uint32_t parent, child;
    int process;
    DvVec3 on_parent, on_child;
} Joint;

typedef struct ArticulatedSystemMapping {
    DvSingleMapping base; /* its input is input1 */
    DvLink root_link, container_link;
    DvData root_index;
    /* What a run remembers: frames before the first apply, x', the frames of the last, O and D of each joint, axis and joint of each
     * motion. */
    DvData start, previous, frames, turns, shifts, axes, places;
    DvStateRef root; /* of input2; without ops: none */
    Joint *joints;
    Motion *motions;
    uint32_t joint_count, motion_count;
    uint32_t *joint_of;  /* [frames]: that moves it; UINT32_MAX: none */
    double *wrenches;    /* [frames] x 6, scratch */
    uint32_t root_frame; /* of input2 */
    DvJacobian by_numbers, by_root;
    uint64_t structure; /* + 1 when joints, frames or columns are others */
    bool ready;
} ArticulatedSystemMapping;

#define NONE UINT32_MAX

static const DvField fields[] = {
    DV_LINK(ArticulatedSystemMapping, base.input_link, "input1", DV_STATE,
            .help = "the numbers that move the joints: rad, m"),
    DV_LINK(ArticulatedSystemMapping, root_link, "input2", DV_STATE,
            .help = "state of the frame that frame 0 of the output is; none: it stays where it is"),
    DV_LINK(ArticulatedSystemMapping, base.output_link, "output", DV_STATE,
            .help = "frames to compute; by default those of the node"),
    DV_LINK(ArticulatedSystemMapping, container_link, "container", ARTICULATED_HIERARCHY,
            .help = "above the joints; by default the first in the node of input1 or below"),
    DV_FIELD(ArticulatedSystemMapping, root_index, "indexInput2", dv_type_uint,
             .help = "frame of input2 that frame 0 of the output is; by default its last"),
    DV_MAPPING_FLAGS_IN(ArticulatedSystemMapping, ),
#define MEMORY(member, name, type, ...) \
    DV_FIELD(ArticulatedSystemMapping, member, name, type, .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN, __VA_ARGS__)
    MEMORY(start, "startFrames", dv_type_rigid3s, .help = "before any number moved them"),
    MEMORY(previous, "previousNumbers", dv_type_doubles, .help = "of input1 when frames were computed last"),
    MEMORY(frames, "frames", dv_type_rigid3s, .help = "that were computed last"),
    MEMORY(turns, "turns", dv_type_quats, .help = "that have gathered in each joint"),
    MEMORY(shifts, "shifts", dv_type_vec3s, .unit = "m", .help = "that have gathered in each joint"),
    MEMORY(axes, "axes", dv_type_vec3s, .help = "of each articulation in the world"),
    MEMORY(places, "places", dv_type_vec3s, .unit = "m", .help = "of each articulation in the world"),
    {0},
};

/* ---- What the joints say ---- */

static DvStatus take_motion(ArticulatedSystemMapping *self, Motion *motion)
{
    Articulation *of = motion->of;
    const uint32_t numbers = dv_state_count(self->base.in), column = (uint32_t)dv_data_int(&of->index);
    const DvVec3 axis = dv_vec3_load(dv_data_doubles(&of->axis, NULL));
    if (column >= numbers)
        return dv_field_error(&of->index, -1, "%u: '%s' has %u numbers, 0 to %u", column,
                              dv_object_path(self->base.in.object), numbers, numbers - 1);
    if (!(dv_vec3_norm(axis) > 0.0))
        return dv_field_error(&of->axis, -1, "has no direction; 1 0 0, say");
    self->structure += column != motion->column;
    motion->column = column;
    motion->axis = dv_vec3_normalize(axis);
    motion->turns = dv_data_bool(&of->rotation);
    motion->slides = dv_data_bool(&of->translation);
    return DV_OK;
}

static DvStatus take_frame(ArticulatedSystemMapping *self, DvData *index, uint32_t *frame)
{
    const uint32_t frames = dv_state_count(self->base.out), wanted = (uint32_t)dv_data_int(index);
    if (wanted >= frames)
        return dv_field_error(index, -1, "%u: '%s' has %u frames, 0 to %u", wanted,
                              dv_object_path(self->base.out.object), frames, frames - 1);
    self->structure += wanted != *frame;
    *frame = wanted;
    return DV_OK;
}

/* A joint moves a frame of its own, after the one that it hangs on. */
static DvStatus order_joints(ArticulatedSystemMapping *self)
{
    for (uint32_t i = 0; i < dv_state_count(self->base.out); i++)
        self->joint_of[i] = NONE;
    for (uint32_t j = 0; j < self->joint_count; j++) {
        const Joint *joint = &self->joints[j];
        ArticulationCenter *of = joint->of;
        if (joint->parent == joint->child)
            return dv_field_error(&of->child_index, -1, "%u is the parent too: a frame cannot hang on itself",
                                  joint->child);
        if (joint->child == 0 && self->root.ops)
            return dv_field_error(&of->child_index, -1, "0 is the frame of input2; a joint moves another one");
        if (self->joint_of[joint->child] != NONE)
            return dv_field_error(&of->child_index, -1, "%u is moved by '%s' already", joint->child,
                                  dv_object_path(dv_object_of(self->joints[self->joint_of[joint->child]].of)));
        for (uint32_t k = 0; k < j; k++)
            if (self->joints[k].parent == joint->child)
                return dv_field_error(&self->joints[k].of->parent_index, -1,
                                      "%u is moved by '%s', which comes later; put that one before it", joint->child,
                                      dv_object_path(dv_object_of(of)));
        self->joint_of[joint->child] = j;
    }
    return DV_OK;
}

/* Also what an edit has changed since. */
static DvStatus take_joints(ArticulatedSystemMapping *self)
{
    const uint64_t before = self->structure;
    for (uint32_t j = 0; j < self->joint_count; j++) {
        Joint *joint = &self->joints[j];
        ArticulationCenter *of = joint->of;
        DvStatus status = take_frame(self, &of->parent_index, &joint->parent);
        if (status == DV_OK)
            status = take_frame(self, &of->child_index, &joint->child);
        for (uint32_t i = joint->first; status == DV_OK && i < joint->end; i++)
            status = take_motion(self, &self->motions[i]);
        if (status != DV_OK)
            return status;
        joint->process = dv_data_int(&of->process);
        joint->on_parent = dv_vec3_load(dv_data_doubles(&of->pos_on_parent, NULL));
        joint->on_child = dv_vec3_load(dv_data_doubles(&of->pos_on_child, NULL));
    }
    return before == self->structure ? DV_OK : order_joints(self);
}

/* The frame of input2 that frame 0 is. */
static void take_root(ArticulatedSystemMapping *self, uint32_t count)
{
    const uint32_t wanted = dv_data_uint(&self->root_index), before = self->root_frame;
    self->root_frame = dv_data_is_set(&self->root_index) && wanted < count ? wanted : count - 1;
    self->structure += self->root_frame != before;
}

/* ---- Frames ---- */

/* A writer's look at what is remembered. */
typedef struct Memory {
    double *previous, *frames, *turns, *shifts, *axes, *places;
} Memory;

static Memory begin_memory(ArticulatedSystemMapping *self, uint32_t numbers, uint32_t frames)
{
    return (Memory){dv_data_begin(&self->previous, numbers),        dv_data_begin(&self->frames, frames),
                    dv_data_begin(&self->turns, self->joint_count), dv_data_begin(&self->shifts, self->joint_count),
                    dv_data_begin(&self->axes, self->motion_count), dv_data_begin(&self->places, self->motion_count)};
}

static void end_memory(ArticulatedSystemMapping *self)
{
    DvData *all[] = {&self->previous, &self->frames, &self->turns, &self->shifts, &self->axes, &self->places};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        dv_data_end(all[i]);
}

static DvQuat turned(DvVec3 axis, double angle, DvQuat before)
{
    return dv_quat_normalize(dv_quat_mul(dv_quat_from_axis_angle(axis, angle), before));
}

/* Process 0: the joint as it goes from articulation to articulation. */
static DvRigid3 chain(const ArticulatedSystemMapping *self, const Joint *joint, const double *x, DvRigid3 parent,
                      const Memory *memory)
{
    DvVec3 at = dv_rigid3_to_world(parent, joint->on_parent);
    DvQuat q = parent.orientation;
    for (uint32_t i = joint->first; i < joint->end; i++) {
        const Motion *motion = &self->motions[i];
        const DvVec3 axis = dv_quat_rotate(q, motion->axis);
        const double number = x[motion->column];
        if (motion->turns)
            q = turned(axis, number, q);
        if (motion->slides)
            at = dv_vec3_madd(at, number, axis);
        dv_vec3_store(axis, memory->axes + 3 * (size_t)i);
        dv_vec3_store(at, memory->places + 3 * (size_t)i);
    }
    return dv_rigid3(dv_vec3_sub(at, dv_quat_rotate(q, joint->on_child)), q);
}

/* Processes 1 and 2: what is new turns and shifts on. */
static DvRigid3 gather(const ArticulatedSystemMapping *self, uint32_t j, const double *x, DvRigid3 parent,
                       const Memory *memory)
{
    const Joint *joint = &self->joints[j];
    const bool of_child = joint->process == PROCESS_OF_CHILD;
    const DvQuat frame =
        of_child ? dv_rigid3_load(memory->frames + 7 * (size_t)joint->child).orientation : parent.orientation;
    DvQuat turn = dv_quat_load(memory->turns + 4 * (size_t)j);
    DvVec3 shift = of_child ? dv_vec3_zero() : dv_vec3_load(memory->shifts + 3 * (size_t)j);
    for (uint32_t i = joint->first; i < joint->end; i++) {
        const Motion *motion = &self->motions[i];
        const DvVec3 axis = dv_quat_rotate(frame, motion->axis);
        const double number = x[motion->column], more = number - memory->previous[motion->column];
        if (motion->turns)
            turn = turned(axis, more, turn);
        if (motion->slides)
            shift = dv_vec3_madd(shift, of_child ? number : more, axis);
        dv_vec3_store(axis, memory->axes + 3 * (size_t)i);
    }
    const DvVec3 fixed = dv_rigid3_to_world(parent, joint->on_parent), at = dv_vec3_add(fixed, shift);
    for (uint32_t i = joint->first; i < joint->end; i++)
        dv_vec3_store(of_child ? fixed : at, memory->places + 3 * (size_t)i);
    const DvQuat q = dv_quat_normalize(dv_quat_mul(turn, parent.orientation));
    dv_quat_store(turn, memory->turns + 4 * (size_t)j);
    dv_vec3_store(shift, memory->shifts + 3 * (size_t)j);
    return dv_rigid3(dv_vec3_sub(at, dv_quat_rotate(q, joint->on_child)), q);
}

/* For globalPosition and drawings, which are as large as the parts between the joints. */
static void show_joint(const ArticulatedSystemMapping *self, const Joint *joint, DvRigid3 parent, DvRigid3 child,
                       const Memory *memory)
{
    const DvVec3 place = joint->process == PROCESS_OF_PARENT ? dv_rigid3_to_world(child, joint->on_child)
                                                             : dv_rigid3_to_world(parent, joint->on_parent);
    const double span = dv_vec3_distance(parent.center, place) + dv_vec3_distance(place, child.center);
    joint->show(joint->of, parent.center, place, child.center);
    for (uint32_t i = joint->first; i < joint->end; i++) {
        const Motion *motion = &self->motions[i];
        motion->show(motion->of, dv_vec3_load(memory->places + 3 * (size_t)i),
                     dv_vec3_load(memory->axes + 3 * (size_t)i), span > 0.0 ? span / 2 : 1.0);
    }
}

static bool usable(const ArticulatedSystemMapping *self, uint32_t numbers, uint32_t frames)
{
    return self->ready && numbers == self->previous.count && frames == self->frames.count;
}

static void apply(void *self_, const DvStep *step, const DvConstVec *in, const DvVec *out)
{
    ArticulatedSystemMapping *self = self_;
    (void)step;
    if (!usable(self, in->count, out->count))
        return;
    if (take_joints(self) != DV_OK) {
        self->ready = false;
        dv_object_set_state(dv_object_of(self), DV_COMPONENT_INVALID);
        return;
    }
    const Memory memory = begin_memory(self, in->count, out->count);
    if (self->root.ops && in[1].count) {
        take_root(self, in[1].count);
        memcpy(memory.frames, in[1].at + 7 * (size_t)self->root_frame, 7 * sizeof *memory.frames);
    }
    for (uint32_t j = 0; j < self->joint_count; j++) {
        const Joint *joint = &self->joints[j];
        const DvRigid3 parent = dv_rigid3_load(memory.frames + 7 * (size_t)joint->parent);
        const DvRigid3 child = joint->process == PROCESS_CHAIN ? chain(self, joint, in->at, parent, &memory)
                                                               : gather(self, j, in->at, parent, &memory);
        dv_rigid3_store(child, memory.frames + 7 * (size_t)joint->child);
        show_joint(self, joint, parent, child, &memory);
    }
    memcpy(memory.previous, in->at, in->count * sizeof *memory.previous);
    memcpy(out->at, memory.frames, 7 * sizeof *out->at * out->count);
    end_memory(self);
}

/* ---- Velocities and forces ---- */

/* What J is made of: of the last apply. */
typedef struct Placed {
    const double *frames, *axes, *places;
} Placed;

static Placed placed(ArticulatedSystemMapping *self)
{
    return (Placed){dv_data_doubles(&self->frames, NULL), dv_data_doubles(&self->axes, NULL),
                    dv_data_doubles(&self->places, NULL)};
}

static DvVec3 centre(const Placed *p, uint32_t frame)
{
    return dv_vec3_load(p->frames + 7 * (size_t)frame);
}

/* How fast a frame moves by a motion of 1 that it hangs on. */
static DvRigid3Deriv rate(const ArticulatedSystemMapping *self, const Placed *p, uint32_t motion, uint32_t frame)
{
    const Motion *m = &self->motions[motion];
    const DvVec3 axis = dv_vec3_load(p->axes + 3 * (size_t)motion);
    const DvVec3 lever = dv_vec3_sub(centre(p, frame), dv_vec3_load(p->places + 3 * (size_t)motion));
    DvRigid3Deriv v = dv_rigid3_deriv(dv_vec3_zero(), dv_vec3_zero());
    if (m->turns)
        v = dv_rigid3_deriv(dv_vec3_cross(axis, lever), axis);
    if (m->slides)
        v.linear = dv_vec3_add(v.linear, axis);
    return v;
}

static void apply_j(void *self_, const DvStep *step, const DvConstVec *in, const DvVec *out)
{
    ArticulatedSystemMapping *self = self_;
    (void)step;
    if (!usable(self, in->count, out->count))
        return;
    const Placed p = placed(self);
    memset(out->at, 0, 6 * sizeof *out->at * out->count);
    if (self->root.ops && self->root_frame < in[1].count)
        memcpy(out->at, in[1].at + 6 * (size_t)self->root_frame, 6 * sizeof *out->at);
    for (uint32_t j = 0; j < self->joint_count; j++) {
        const Joint *joint = &self->joints[j];
        const DvRigid3Deriv parent = dv_rigid3_deriv_load(out->at + 6 * (size_t)joint->parent);
        const DvVec3 arm = dv_vec3_sub(centre(&p, joint->child), centre(&p, joint->parent));
        DvRigid3Deriv v = dv_rigid3_deriv(dv_rigid3_velocity_at(parent, arm), parent.angular);
        for (uint32_t i = joint->first; i < joint->end; i++) {
            const DvRigid3Deriv of_one = rate(self, &p, i, joint->child);
            const double number = in->at[self->motions[i].column];
            v.linear = dv_vec3_madd(v.linear, number, of_one.linear);
            v.angular = dv_vec3_madd(v.angular, number, of_one.angular);
        }
        dv_rigid3_deriv_store(v, out->at + 6 * (size_t)joint->child);
    }
}

static void apply_jt(void *self_, const DvStep *step, const DvConstVec *out, const DvVec *in)
{
    ArticulatedSystemMapping *self = self_;
    (void)step;
    if (!usable(self, in->count, out->count))
        return;
    const Placed p = placed(self);
    memcpy(self->wrenches, out->at, 6 * sizeof *out->at * out->count);
    for (uint32_t j = self->joint_count; j-- > 0;) {
        const Joint *joint = &self->joints[j];
        const DvRigid3Deriv wrench = dv_rigid3_deriv_load(self->wrenches + 6 * (size_t)joint->child);
        const DvVec3 arm = dv_vec3_sub(centre(&p, joint->child), centre(&p, joint->parent));
        const DvVec3 moment = dv_vec3_add(wrench.angular, dv_vec3_cross(arm, wrench.linear));
        for (uint32_t i = joint->first; i < joint->end; i++) {
            const DvRigid3Deriv of_one = rate(self, &p, i, joint->child);
            in->at[self->motions[i].column] +=
                dv_vec3_dot(of_one.linear, wrench.linear) + dv_vec3_dot(of_one.angular, wrench.angular);
        }
        dv_rigid3_deriv_accumulate(dv_rigid3_deriv(wrench.linear, moment), self->wrenches + 6 * (size_t)joint->parent);
    }
    if (self->root.ops && self->root_frame < in[1].count)
        dv_rigid3_deriv_accumulate(dv_rigid3_deriv_load(self->wrenches), in[1].at + 6 * (size_t)self->root_frame);
}

/* ---- J by blocks ---- */

static uint32_t parent_of(const ArticulatedSystemMapping *self, uint32_t frame)
{
    const uint32_t joint = self->joint_of[frame];
    return joint == NONE ? NONE : self->joints[joint].parent;
}

static bool hangs_on_root(const ArticulatedSystemMapping *self, uint32_t frame)
{
    while (self->joint_of[frame] != NONE)
        frame = parent_of(self, frame);
    return frame == 0 && self->root.ops;
}

/* The columns that move a frame, ascending, each once; returns how many. */
static uint32_t columns_of(const ArticulatedSystemMapping *self, uint32_t frame, uint32_t *columns)
{
    uint32_t count = 0;
    for (uint32_t at = frame; self->joint_of[at] != NONE; at = parent_of(self, at)) {
        const Joint *joint = &self->joints[self->joint_of[at]];
        for (uint32_t i = joint->first; i < joint->end; i++) {
            const uint32_t column = self->motions[i].column;
            uint32_t place = 0;
            while (place < count && columns[place] < column)
                place++;
            if (place < count && columns[place] == column)
                continue;
            memmove(columns + place + 1, columns + place, (count - place) * sizeof *columns);
            columns[place] = column;
            count++;
        }
    }
    return count;
}

static void start_jacobians(ArticulatedSystemMapping *self, uint32_t frames, uint32_t numbers, uint32_t roots)
{
    const uint32_t moved = usable(self, numbers, frames) ? frames : 0;
    uint32_t *columns = dv_alloc((size_t)self->motion_count + 1, sizeof *columns), entries = 0, rooted = 0;
    for (uint32_t i = 0; i < moved; i++) {
        entries += columns_of(self, i, columns);
        rooted += hangs_on_root(self, i);
    }
    const DvJacobianArrays by_numbers = dv_jacobian_new(&self->by_numbers, frames, numbers, entries, 6);
    const DvJacobianArrays by_root = dv_jacobian_new(&self->by_root, frames, roots, rooted, 36);
    for (uint32_t i = 0; i < frames; i++) {
        const uint32_t count = i < moved ? columns_of(self, i, columns) : 0, start = by_numbers.row_start[i];
        const bool hangs = i < moved && hangs_on_root(self, i);
        memcpy(by_numbers.columns + start, columns, count * sizeof *columns);
        by_numbers.row_start[i + 1] = start + count;
        by_root.row_start[i + 1] = by_root.row_start[i] + hangs;
        if (hangs)
            by_root.columns[by_root.row_start[i]] = self->root_frame;
    }
    self->by_numbers.structure = self->by_root.structure = self->structure;
    dv_free(columns);
}

static void fill_by_numbers(const ArticulatedSystemMapping *self, const Placed *p)
{
    const DvJacobian *j = &self->by_numbers;
    double *values = (double *)j->values;
    memset(values, 0, 6 * sizeof *values * j->row_start[j->rows]);
    for (uint32_t frame = 0; frame < j->rows; frame++)
        for (uint32_t at = frame; j->row_start[frame] < j->row_start[frame + 1] && self->joint_of[at] != NONE;
             at = parent_of(self, at)) {
            const Joint *joint = &self->joints[self->joint_of[at]];
            for (uint32_t i = joint->first; i < joint->end; i++) {
                uint32_t entry = j->row_start[frame];
                while (j->columns[entry] != self->motions[i].column)
                    entry++;
                dv_rigid3_deriv_accumulate(rate(self, p, i, frame), values + 6 * (size_t)entry);
            }
        }
}

/* (I, -[arm]x; 0, I) */
static void fill_by_root(const ArticulatedSystemMapping *self, const Placed *p)
{
    const DvJacobian *j = &self->by_root;
    for (uint32_t frame = 0; frame < j->rows; frame++) {
        if (j->row_start[frame] == j->row_start[frame + 1])
            continue;
        double *block = (double *)j->values + 36 * (size_t)j->row_start[frame];
        const DvMat3 turn = dv_mat3_skew(dv_vec3_sub(centre(p, frame), centre(p, 0)));
        for (uint32_t k = 0; k < 6; k++)
            block[7 * k] = 1.0;
        for (uint32_t k = 0; k < 9; k++)
            block[k / 3 * 6 + 3 + k % 3] = -turn.m[k / 3][k % 3];
    }
}

static const DvJacobian *jacobian(void *self_, uint32_t output, uint32_t input)
{
    ArticulatedSystemMapping *self = self_;
    (void)output;
    const uint32_t frames = dv_state_count(self->base.out), numbers = dv_state_count(self->base.in);
    const uint32_t roots = self->root.ops ? dv_state_count(self->root) : 0;
    const Placed p = placed(self);
    if (self->by_numbers.structure != self->structure || self->by_numbers.rows != frames ||
        self->by_root.columns_count != roots)
        start_jacobians(self, frames, numbers, roots);
    if (input == 0)
        fill_by_numbers(self, &p);
    else
        fill_by_root(self, &p);
    return input == 0 ? &self->by_numbers : &self->by_root;
}

static uint32_t inputs(void *self_, DvObject **states, uint32_t capacity)
{
    const ArticulatedSystemMapping *self = self_;
    const uint32_t first = dv_single_mapping_inputs(self_, states, capacity);
    if (!first || !self->root.ops)
        return first;
    if (capacity > 1)
        states[1] = self->root.object;
    return 2;
}

static const DvMappingOps ops = {
    .size = sizeof ops,
    .space = DV_HOST,
    .inputs = inputs,
    .outputs = dv_single_mapping_outputs,
    .maps_forces = dv_single_mapping_maps_forces,
    .maps_constraints = dv_single_mapping_maps_constraints,
    .is_mechanical = dv_single_mapping_is_mechanical,
    .keeps_topology = dv_mapping_no,
    .apply = apply,
    .apply_j = apply_j,
    .apply_jt = apply_jt,
    .jacobian = jacobian,
    .output_points = dv_single_mapping_output_points,
};

/* ---- Life ---- */

static DvStatus require(DvObject *object, const DvLink *link, const char *type, DvStateRef *state)
{
    const DvStatus status = dv_state_require(object, link, state);
    if (status == DV_OK && strcmp(state->dof->name, type) != 0)
        return dv_error(object, DV_ERROR_INVALID, "%s '%s' holds %s; it takes a state of %s", link->data.field->name,
                        dv_object_path(state->object), state->dof->name, type);
    return status;
}

static DvStatus find_states(DvObject *object, ArticulatedSystemMapping *self)
{
    if (!dv_link_object(&self->base.input_link))
        return dv_error(object, DV_ERROR_MISSING,
                        "input1 is not given: name the state of the numbers that move the joints");
    DvStatus status = require(object, &self->base.input_link, "Vec1d", &self->base.in);
    if (status == DV_OK)
        status = require(object, &self->base.output_link, "Rigid3d", &self->base.out);
    if (status == DV_OK && dv_link_object(&self->root_link))
        status = require(object, &self->root_link, "Rigid3d", &self->root);
    if (status != DV_OK || !self->root.ops || !dv_data_is_set(&self->root_index))
        return status;
    const uint32_t count = dv_state_count(self->root);
    if (dv_data_uint(&self->root_index) >= count && count > 0)
        dv_field_warning(&self->root_index, -1, "%u: '%s' has %u frames; its last is taken",
                         dv_data_uint(&self->root_index), dv_object_path(self->root.object), count);
    return DV_OK;
}

/* The articulations in the child nodes of a centre's node; returns how many there are, and stores them if there is room. */
static uint32_t articulations_of(const DvNode *node, DvObject **found, uint32_t capacity)
{
    uint32_t count = 0;
    for (size_t i = 0; dv_node_child(node, i); i++) {
        const uint32_t room = count < capacity ? capacity - count : 0;
        count += (uint32_t)dv_node_find_all(dv_node_child(node, i), ARTICULATION, DV_SEARCH_LOCAL,
                                            found ? found + count : NULL, room);
    }
    return count;
}

static DvStatus add_motions(DvObject *object, ArticulatedSystemMapping *self, const DvNode *node)
{
    const uint32_t count = articulations_of(node, NULL, 0), before = self->motion_count;
    DvObject **found = dv_alloc((size_t)count + 1, sizeof(DvObject *));
    DvStatus status = DV_OK;
    (void)articulations_of(node, found, count);
    self->motions =
        dv_realloc(self->motions, before * sizeof *self->motions, ((size_t)before + count + 1) * sizeof *self->motions);
    for (uint32_t i = 0; status == DV_OK && i < count; i++) {
        const ArticulationOps *of = dv_object_ops(found[i], ARTICULATION);
        status = dv_object_require(object, found[i]);
        self->motions[self->motion_count++] =
            (Motion){.of = dv_object_self(found[i]), .show = of->show, .column = NONE};
    }
    dv_free(found);
    return status;
}

static DvStatus find_container(DvObject *object, ArticulatedSystemMapping *self, DvObject **container)
{
    *container = dv_link_object(&self->container_link);
    if (!*container)
        *container = dv_node_find(dv_object_node(self->base.in.object), ARTICULATED_HIERARCHY, DV_SEARCH_DOWN);
    if (*container)
        return dv_object_require(object, *container);
    return dv_error(object, DV_ERROR_MISSING,
                    "no ArticulatedHierarchyContainer in the node of '%s' or below: add one above the joints, or name "
                    "it by container",
                    dv_object_path(self->base.in.object));
}

static DvStatus find_joints(DvObject *object, ArticulatedSystemMapping *self)
{
    DvObject *container;
    DvStatus status = find_container(object, self, &container);
    if (status != DV_OK)
        return status;
    const ArticulatedHierarchyOps *hierarchy = dv_object_ops(container, ARTICULATED_HIERARCHY);
    const uint32_t count = hierarchy->centers(dv_object_self(container), NULL, 0);
    DvObject **centers = dv_alloc((size_t)count + 1, sizeof(DvObject *));
    (void)hierarchy->centers(dv_object_self(container), centers, count);
    self->joints = dv_alloc((size_t)count + 1, sizeof *self->joints);
    for (uint32_t j = 0; status == DV_OK && j < count; j++) {
        const ArticulationCenterOps *of = dv_object_ops(centers[j], ARTICULATION_CENTER);
        Joint *joint = &self->joints[self->joint_count++];
        status = dv_object_require(object, centers[j]);
        *joint = (Joint){.of = dv_object_self(centers[j]),
                         .show = of->show,
                         .first = self->motion_count,
                         .parent = NONE,
                         .child = NONE};
        if (status == DV_OK)
            status = add_motions(object, self, dv_object_node(centers[j]));
        joint->end = self->motion_count;
    }
    dv_free(centers);
    return status;
}

/* As it was at the start: no number has moved any frame. */
static void forget(ArticulatedSystemMapping *self)
{
    const uint32_t numbers = dv_state_count(self->base.in), frames = dv_state_count(self->base.out);
    const double *start = dv_data_doubles(&self->start, NULL);
    const Memory memory = begin_memory(self, numbers, frames);
    memset(memory.previous, 0, numbers * sizeof *memory.previous);
    memcpy(memory.frames, start, 7 * sizeof *start * frames);
    for (uint32_t j = 0; j < self->joint_count; j++)
        dv_quat_store(dv_quat_identity(), memory.turns + 4 * (size_t)j);
    memset(memory.shifts, 0, 3 * sizeof *memory.shifts * self->joint_count);
    memset(memory.axes, 0, 3 * sizeof *memory.axes * self->motion_count);
    memset(memory.places, 0, 3 * sizeof *memory.places * self->motion_count);
    end_memory(self);
}

/* Joints and articulations tell the mapping of their edits. */
static void tell(const ArticulatedSystemMapping *self, DvObject *mapping)
{
    for (uint32_t j = 0; j < self->joint_count; j++)
        self->joints[j].of->mapping = mapping;
    for (uint32_t i = 0; i < self->motion_count; i++)
        self->motions[i].of->mapping = mapping;
}

static void release(ArticulatedSystemMapping *self)
{
    self->ready = false;
    tell(self, NULL);
    dv_single_mapping_release(&self->base);
    dv_state_release(&self->root);
    dv_free(self->joints);
    dv_free(self->motions);
    dv_free(self->joint_of);
    dv_free(self->wrenches);
    self->joints = NULL;
    self->motions = NULL;
    self->joint_of = NULL;
    self->wrenches = NULL;
    self->joint_count = self->motion_count = 0;
}

/* Vectors of the output from those of the inputs, where these have them. */
static bool apply_to(ArticulatedSystemMapping *self, DvVecId id,
                     void (*map)(void *self, const DvStep *step, const DvConstVec *in, const DvVec *out))
{
    const DvStateRef states[] = {self->base.in, self->root};
    DvConstVec from[2] = {{0}};
    for (int i = 0; i < 2 && states[i].ops; i++) {
        if (!states[i].ops->has(states[i].self, id))
            return false;
        from[i] = dv_state_read(states[i], id);
    }
    const DvVec to = dv_state_write(self->base.out, id, DV_READ_WRITE);
    map(self, NULL, from, &to);
    return true;
}

static DvStatus init(DvObject *object, void *self_)
{
    ArticulatedSystemMapping *self = self_;
    release(self);
    DvStatus status = find_states(object, self);
    if (status == DV_OK)
        status = find_joints(object, self);
    if (status != DV_OK)
        return status;
    const uint32_t frames = dv_state_count(self->base.out);
    self->structure++;
    self->joint_of = dv_alloc((size_t)frames + 1, sizeof *self->joint_of);
    self->wrenches = dv_alloc((size_t)frames + 1, 6 * sizeof *self->wrenches);
    status = take_joints(self);
    if (status == DV_OK)
        status = order_joints(self);
    if (status != DV_OK)
        return status;
    if (self->joint_count == 0)
        dv_warning(object, "the container has no ArticulationCenter below it: no frame is moved");
    if (self->start.count != frames)
        dv_data_set(&self->start, dv_state_read(self->base.out, DV_POSITION).at, frames);
    forget(self);
    tell(self, object);
    self->ready = true;
    if (dv_data_bool(&self->base.apply_rest_position))
        (void)apply_to(self, DV_REST_POSITION, apply);
    return DV_OK;
}

/* As if it had stood in the file. */
static DvStatus reinit(DvObject *object, void *self)
{
    const DvStatus status = init(object, self);
    if (status == DV_OK && apply_to(self, DV_POSITION, apply))
        (void)apply_to(self, DV_VELOCITY, apply_j);
    return status;
}

static void reset(DvObject *object, void *self_)
{
    ArticulatedSystemMapping *self = self_;
    (void)object;
    if (self->ready)
        forget(self);
}

static void cleanup(DvObject *object, void *self)
{
    (void)object;
    release(self);
}

static void destroy(DvObject *object, void *self_)
{
    ArticulatedSystemMapping *self = self_;
    (void)object;
    dv_jacobian_free(&self->by_numbers);
    dv_jacobian_free(&self->by_root);
}

const DvClass dv_articulated_system_mapping = {
    .size = sizeof(DvClass),
    .name = "ArticulatedSystemMapping",
    .variants = "Vec1d,Rigid3d,Rigid3d",
    .family = "mappings",
    .module = "ArticulatedSystemPlugin",
    .help = "Moves the frames of a body by the numbers of its joints.",
    .instance_size = sizeof(ArticulatedSystemMapping),
    .fields = fields,
    .contracts = (const DvContract[]){{DV_MAPPING, &ops, .slot = true},
                                      {.id = DV_DRAWABLE, .ops = &dv_single_mapping_drawable},
                                      {0}},
    .parse = dv_mapping_parse,
    .init = init,
    .reinit = reinit,
    .reset = reset,
    .cleanup = cleanup,
    .destroy = destroy,
};
