/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How the frames of an ArticulatedSystemMapping move with its numbers: velocities, forces, J by blocks.
 */
#include "articulated_mapping.h"

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

void articulated_apply_j(void *self_, const DvStep *step, const DvConstVec *in, const DvVec *out)
{
    ArticulatedSystemMapping *self = self_;
    (void)step;
    if (!articulated_is_usable(self, in->count, out->count))
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

void articulated_apply_jt(void *self_, const DvStep *step, const DvConstVec *out, const DvVec *in)
{
    ArticulatedSystemMapping *self = self_;
    (void)step;
    if (!articulated_is_usable(self, in->count, out->count))
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
    const uint32_t moved = articulated_is_usable(self, numbers, frames) ? frames : 0;
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

const DvJacobian *articulated_jacobian(void *self_, uint32_t output, uint32_t input)
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
