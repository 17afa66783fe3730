/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ReadState: moves the state of its node as a recording says, at init and at the beginning of each step: of the blocks whose time has come the
 * last one. What holds the state (projective constraints) is applied, and what hangs on it (mappings) follows.
 */
#include "read_state.h"

#include <math.h>

#include <divan/math/quat.h>

size_t recorded_numbers(const RecordedLine *line, double *numbers, size_t capacity)
{
    const char *at = line->values;
    double value;
    size_t count = 0;
    while (dv_read_double(&at, &value)) {
        if (count < capacity)
            numbers[count] = value;
        count++;
    }
    return count;
}

/* Scale, rotation, translation of positions in space; frames turn along. */
static void transform(ReadState *self, double *x, uint32_t count, uint32_t dim)
{
    const double *angle = dv_data_doubles(&self->rotation, NULL), *t = dv_data_doubles(&self->translation, NULL),
                 scale = dv_data_double(&self->scale);
    const bool turned = angle[0] != 0 || angle[1] != 0 || angle[2] != 0;
    if (scale == 1 && !turned && t[0] == 0 && t[1] == 0 && t[2] == 0)
        return;
    const DvDofType *dof = self->state.dof;
    const DvQuat q = dv_quat_from_euler_degrees(dv_vec3(angle[0], angle[1], angle[2]));
    for (size_t i = 0; i < count; i++) {
        double *at = x + i * dim;
        for (uint32_t c = 0; c < dof->spatial; c++)
            at[c] *= scale;
        if (dof->spatial == 3 && turned) {
            const DvVec3 p = dv_quat_rotate(q, dv_vec3(at[0], at[1], at[2]));
            at[0] = p.x, at[1] = p.y, at[2] = p.z;
            if (dof == &dv_rigid3d)
                dv_quat_store(dv_quat_mul(q, dv_quat_load(at + 3)), at + 3);
        }
        for (uint32_t c = 0; c < dof->spatial; c++)
            at[c] += t[c];
    }
}

static void put(ReadState *self, const RecordedLine *line, DvVecId id)
{
    const uint32_t dim = id == DV_POSITION ? self->state.dof->coord : self->state.dof->deriv;
    const size_t numbers = recorded_numbers(line, NULL, 0), count = numbers / dim;
    if (count != dv_state_count(self->state))
        self->state.ops->resize(self->state.self, (uint32_t)count);
    const DvVec v = dv_state_write(self->state, id, DV_OVERWRITE);
    (void)recorded_numbers(line, v.at, count * dim);
    if (id == DV_POSITION)
        transform(self, v.at, (uint32_t)count, dim);
}

void read_state_apply(ReadState *self, const RecordedBlock *block)
{
    DvNode *node = dv_object_node(self->state.object);
    for (uint32_t i = 0; i < block->count; i++) {
        const RecordedLine *line = &self->recording.lines.data[block->first + i];
        if (recorded_is(line, "X"))
            put(self, line, DV_POSITION);
        else if (recorded_is(line, "V"))
            put(self, line, DV_VELOCITY);
    }
    if (!self->mechanics)
        return;
    const DvStep step = {
        .time = dv_node_time(node), .dt = dv_node_dt(node), .position = DV_POSITION, .velocity = DV_VELOCITY};
    self->mechanics_ops->project_position(self->mechanics, &step, DV_POSITION);
    self->mechanics_ops->project_velocity(self->mechanics, &step, DV_VELOCITY);
    self->mechanics_ops->propagate_position(self->mechanics, &step, DV_POSITION);
    self->mechanics_ops->propagate_velocity(self->mechanics, &step, DV_VELOCITY);
}

const RecordedBlock *read_state_block(ReadState *self, double extra)
{
    const double now = dv_node_time(dv_object_node(dv_object_of(self))) + dv_data_double(&self->shift) + extra;
    return recording_advance(&self->recording, now, dv_data_bool(&self->loop), &self->done, &self->later);
}

static void handle_event(DvObject *object, void *self, DvEvent *event)
{
    (void)object;
    const RecordedBlock *block = event->kind == DV_EVENT_ANIMATE_BEGIN ? read_state_block(self, 0) : NULL;
    if (block)
        read_state_apply(self, block);
}

DvStatus read_state_construct(DvObject *object, void *self)
{
    (void)self;
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    return DV_OK;
}

/* Lines of positions and velocities hold whole points. */
static DvStatus check_lines(ReadState *self)
{
    for (uint32_t i = 0; i < self->recording.lines.count; i++) {
        const RecordedLine *line = &self->recording.lines.data[i];
        const bool x = recorded_is(line, "X"), v = recorded_is(line, "V");
        const uint32_t dim = x ? self->state.dof->coord : self->state.dof->deriv;
        if (!x && !v)
            continue;
        const size_t numbers = recorded_numbers(line, NULL, 0);
        if (numbers == 0 || numbers % dim || numbers / dim >= UINT32_MAX)
            return dv_field_error(
                &self->filename, -1,
                "'%s': a line %c= has %zu numbers, and points of a state of %s have %u: it is a recording of another kind of state, or damaged",
                dv_data_string(&self->filename), x ? 'X' : 'V', numbers, self->state.dof->name, dim);
    }
    return DV_OK;
}

/* What is initialised later, mappings for one, finds as many points as there will be. */
void read_state_resize(ReadState *self)
{
    const RecordedBlock *first = &self->recording.blocks.data[0];
    for (uint32_t i = 0; i < first->count; i++) {
        const RecordedLine *line = &self->recording.lines.data[first->first + i];
        const bool x = recorded_is(line, "X");
        if (!x && !recorded_is(line, "V"))
            continue;
        const uint32_t dim = x ? self->state.dof->coord : self->state.dof->deriv;
        const uint32_t count = (uint32_t)(recorded_numbers(line, NULL, 0) / dim);
        if (count != dv_state_count(self->state))
            self->state.ops->resize(self->state.self, count);
        return;
    }
}

DvStatus read_state_init(DvObject *object, void *self_)
{
    ReadState *self = self_;
    DvStatus status = dv_state_require(object, NULL, &self->state);
    if (status == DV_OK)
        status = recording_read(&self->filename, &self->recording);
    return status == DV_OK ? check_lines(self) : status;
}

static DvStatus init(DvObject *object, void *self)
{
    const DvStatus status = read_state_init(object, self);
    if (status == DV_OK)
        read_state_resize(self);
    return status;
}

DvStatus read_state_bwd_init(DvObject *object, void *self_)
{
    ReadState *self = self_;
    self->mechanics_ops = dv_service(DV_MECHANICAL_OPERATIONS);
    if (self->mechanics_ops && !self->mechanics)
        self->mechanics = self->mechanics_ops->open(dv_object_node(object));
    const RecordedBlock *block = read_state_block(self, 0);
    if (block)
        read_state_apply(self, block);
    return DV_OK;
}

void read_state_cleanup(DvObject *object, void *self_)
{
    ReadState *self = self_;
    (void)object;
    if (self->mechanics)
        self->mechanics_ops->close(self->mechanics);
    self->mechanics = NULL;
    dv_state_release(&self->state);
}

void read_state_destroy(DvObject *object, void *self)
{
    (void)object;
    recording_free(&((ReadState *)self)->recording);
}

static const DvField fields[] = {READ_STATE_FIELDS(ReadState, ), {0}};

const DvClass dv_read_state = {
    .size = sizeof(DvClass),
    .name = "ReadState",
    .family = "playback",
    .module = "Sofa.Component.Playback",
    .help = "Moves the state of its node as a recording says.",
    .instance_size = sizeof(ReadState),
    .fields = fields,
    .construct = read_state_construct,
    .init = init,
    .bwd_init = read_state_bwd_init,
    .handle_event = handle_event,
    .cleanup = read_state_cleanup,
    .destroy = read_state_destroy,
};
