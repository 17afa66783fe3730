/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where the joints of an ArticulatedSystemMapping put the frames.
 */
#include "articulated_mapping.h"

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

DvStatus articulated_order_joints(ArticulatedSystemMapping *self)
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

DvStatus articulated_take_joints(ArticulatedSystemMapping *self)
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
    return before == self->structure ? DV_OK : articulated_order_joints(self);
}

/* The frame of input2 that frame 0 is. */
static void take_root(ArticulatedSystemMapping *self, uint32_t count)
{
    const uint32_t wanted = dv_data_uint(&self->root_index), before = self->root_frame;
    self->root_frame = dv_data_is_set(&self->root_index) && wanted < count ? wanted : count - 1;
    self->structure += self->root_frame != before;
}

/* ---- Frames ---- */

Memory articulated_begin_memory(ArticulatedSystemMapping *self, uint32_t numbers, uint32_t frames)
{
    return (Memory){dv_data_begin(&self->previous, numbers),        dv_data_begin(&self->frames, frames),
                    dv_data_begin(&self->turns, self->joint_count), dv_data_begin(&self->shifts, self->joint_count),
                    dv_data_begin(&self->axes, self->motion_count), dv_data_begin(&self->places, self->motion_count)};
}

void articulated_end_memory(ArticulatedSystemMapping *self)
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

bool articulated_is_usable(const ArticulatedSystemMapping *self, uint32_t numbers, uint32_t frames)
{
    return self->ready && numbers == self->previous.count && frames == self->frames.count;
}

void articulated_apply(void *self_, const DvStep *step, const DvConstVec *in, const DvVec *out)
{
    ArticulatedSystemMapping *self = self_;
    (void)step;
    if (!articulated_is_usable(self, in->count, out->count))
        return;
    if (articulated_take_joints(self) != DV_OK) {
        self->ready = false;
        dv_object_set_state(dv_object_of(self), DV_COMPONENT_INVALID);
        return;
    }
    const Memory memory = articulated_begin_memory(self, in->count, out->count);
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
    articulated_end_memory(self);
}
