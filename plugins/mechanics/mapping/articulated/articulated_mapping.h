/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of ArticulatedSystemMapping share: its fields and life (articulated_system_mapping.c), where the joints put the frames
 * (articulated_frames.c), how these move with the numbers (articulated_jacobian.c).
 */
#ifndef DIVAN_MECHANICS_ARTICULATED_MAPPING_H
#define DIVAN_MECHANICS_ARTICULATED_MAPPING_H

#include "articulated.h"

#include <divan/kit/mapping.h>

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

/* A writer's look at what is remembered. */
typedef struct Memory {
    double *previous, *frames, *turns, *shifts, *axes, *places;
} Memory;

/* A joint moves a frame of its own, after the one that it hangs on. */
DvStatus articulated_order_joints(ArticulatedSystemMapping *self);
/* Also what an edit has changed since. */
DvStatus articulated_take_joints(ArticulatedSystemMapping *self);
Memory articulated_begin_memory(ArticulatedSystemMapping *self, uint32_t numbers, uint32_t frames);
void articulated_end_memory(ArticulatedSystemMapping *self);
bool articulated_is_usable(const ArticulatedSystemMapping *self, uint32_t numbers, uint32_t frames);
void articulated_apply(void *self_, const DvStep *step, const DvConstVec *in, const DvVec *out);
void articulated_apply_j(void *self_, const DvStep *step, const DvConstVec *in, const DvVec *out);
void articulated_apply_jt(void *self_, const DvStep *step, const DvConstVec *out, const DvVec *in);
const DvJacobian *articulated_jacobian(void *self_, uint32_t output, uint32_t input);

#endif
