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
#include "articulated_mapping.h"

#include <divan/contracts/drawing.h>

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
    .apply = articulated_apply,
    .apply_j = articulated_apply_j,
    .apply_jt = articulated_apply_jt,
    .jacobian = articulated_jacobian,
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
    const Memory memory = articulated_begin_memory(self, numbers, frames);
    memset(memory.previous, 0, numbers * sizeof *memory.previous);
    memcpy(memory.frames, start, 7 * sizeof *start * frames);
    for (uint32_t j = 0; j < self->joint_count; j++)
        dv_quat_store(dv_quat_identity(), memory.turns + 4 * (size_t)j);
    memset(memory.shifts, 0, 3 * sizeof *memory.shifts * self->joint_count);
    memset(memory.axes, 0, 3 * sizeof *memory.axes * self->motion_count);
    memset(memory.places, 0, 3 * sizeof *memory.places * self->motion_count);
    articulated_end_memory(self);
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
    status = articulated_take_joints(self);
    if (status == DV_OK)
        status = articulated_order_joints(self);
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
        (void)apply_to(self, DV_REST_POSITION, articulated_apply);
    return DV_OK;
}

/* As if it had stood in the file. */
static DvStatus reinit(DvObject *object, void *self)
{
    const DvStatus status = init(object, self);
    if (status == DV_OK && apply_to(self, DV_POSITION, articulated_apply))
        (void)apply_to(self, DV_VELOCITY, articulated_apply_j);
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
