/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CompareState: how far the state of its node is from a recording, at the beginning of steps: the mean over all numbers of what is recorded less
 * what is there, with as many digits as the recording, summed over the blocks. As in old scenes the state begins as the recording says, unless
 * `keepState` is set.
 */
#include "read_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct CompareState {
    ReadState base;
    DvData keep, error_x, error_v, by_dof_x, by_dof_v;
    DvData *print_log;
    bool told;
} CompareState;

static void add(DvData *sum, double more)
{
    dv_data_set_double(sum, dv_data_double(sum) + more);
}

/* Both sides as they are printed: what was recorded with six digits is compared with six digits. */
static double error_of(const RecordedLine *line, DvConstVec v, size_t *compared)
{
    const char *at = line->values;
    const size_t n = (size_t)v.count * v.dim;
    double recorded, sum = 0;
    size_t i = 0;
    char text[32];
    for (; i < n && v.at && dv_read_double(&at, &recorded); i++) {
        const char *printed = text;
        double here = v.at[i];
        (void)snprintf(text, sizeof text, "%.6g", here);
        (void)dv_read_double(&printed, &here);
        sum += fabs(recorded - here);
    }
    *compared = i;
    return i ? sum / (double)i : 0;
}

static void compare(CompareState *self, const RecordedBlock *block)
{
    const DvStateRef state = self->base.state;
    for (uint32_t i = 0; i < block->count; i++) {
        const RecordedLine *line = &self->base.recording.lines.data[block->first + i];
        const bool x = recorded_is(line, "X");
        if (!x && !recorded_is(line, "V"))
            continue;
        const DvConstVec v = dv_state_read(state, x ? DV_POSITION : DV_VELOCITY);
        size_t compared;
        const double error = error_of(line, v, &compared);
        if (recorded_numbers(line, NULL, 0) != (size_t)v.count * v.dim && !self->told) {
            dv_warning(dv_object_of(self), "the recording has %zu numbers, the state %zu: the first %zu are compared",
                       recorded_numbers(line, NULL, 0), (size_t)v.count * v.dim, compared);
            self->told = true;
        }
        add(x ? &self->error_x : &self->error_v, error);
        add(x ? &self->by_dof_x : &self->by_dof_v, v.count ? error / v.count : 0);
    }
    if (dv_data_bool(self->print_log)) /* words take memory */
        dv_info(dv_object_of(self), "totalError_X = %g, totalError_V = %g", dv_data_double(&self->error_x),
                dv_data_double(&self->error_v));
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    CompareState *self = self_;
    (void)object;
    if (event->kind != DV_EVENT_ANIMATE_BEGIN)
        return;
    const RecordedBlock *block = read_state_block(&self->base, 0.001 * event->dt);
    if (block)
        compare(self, block);
}

static DvStatus init(DvObject *object, void *self_)
{
    CompareState *self = self_;
    self->print_log = dv_object_field(object, "printLog");
    const DvStatus status = read_state_init(object, self);
    if (status == DV_OK && !dv_data_bool(&self->keep))
        read_state_resize(&self->base);
    return status;
}

static DvStatus bwd_init(DvObject *object, void *self_)
{
    CompareState *self = self_;
    return dv_data_bool(&self->keep) ? DV_OK : read_state_bwd_init(object, self);
}

static void reset(DvObject *object, void *self_)
{
    CompareState *self = self_;
    (void)object;
    dv_data_set_double(&self->error_x, 0);
    dv_data_set_double(&self->error_v, 0);
    dv_data_set_double(&self->by_dof_x, 0);
    dv_data_set_double(&self->by_dof_v, 0);
}

#define FIELD(member, name, type, ...) DV_FIELD(CompareState, member, name, type, __VA_ARGS__)
#define SUM(member, name, text) \
    FIELD(member, name, dv_type_double, .init = "0", .flags = DV_FIELD_READ_ONLY, .help = text)
static const DvField fields[] = {
    READ_STATE_FIELDS(CompareState, base.),
    FIELD(keep, "keepState", dv_type_bool, .init = "0",
          .help = "the state begins as the scene says, not as the recording"),
    SUM(error_x, "totalErrorX", "sum over the blocks of the mean difference of positions"),
    SUM(error_v, "totalErrorV", "the same of velocities"),
    SUM(by_dof_x, "errorByDofX", "the same as totalErrorX, divided by the number of points"),
    SUM(by_dof_v, "errorByDofV", "the same of velocities"),
    {0},
};

const DvClass dv_compare_state = {
    .size = sizeof(DvClass),
    .name = "CompareState",
    .bases = (const char *const[]){"ReadState", NULL},
    .family = "playback",
    .module = "Sofa.Component.Playback",
    .help = "Compares the state of its node with a recording.",
    .instance_size = sizeof(CompareState),
    .fields = fields,
    .construct = read_state_construct,
    .init = init,
    .bwd_init = bwd_init,
    .handle_event = handle_event,
    .reset = reset,
    .cleanup = read_state_cleanup,
    .destroy = read_state_destroy,
};
