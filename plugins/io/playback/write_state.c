/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * WriteState: records the state of its node, at the beginning of steps: blocks `T= time` with lines X=, X0=, V=, F=, plain or packed (.gz).
 */
#include "recording.h"

#include <math.h>
#include <string.h>

#include <divan/contracts/mass.h>
#include <divan/contracts/state.h>

typedef struct WriteState {
    DvData filename, write_x, write_x0, write_v, write_f, times, period, stop_at, kinetic_period, digits;
    DvData done, last, stopped, energy, energy_time;
    DvStateRef state;
    RecordingFile file;
    bool told;
} WriteState;

static void add_vector(WriteState *self, DvText *block, const char *word, DvVecId id)
{
    const DvConstVec v = dv_state_read(self->state, id);
    const int digits = dv_data_int(&self->digits);
    dv_text_add(block, "  %s=", word);
    for (size_t i = 0, n = (size_t)v.count * v.dim; i < n; i++)
        dv_text_add(block, " %.*g", digits, v.at ? v.at[i] : 0.0);
    dv_text_add(block, "\n");
}

static bool is_packed(WriteState *self)
{
    const char *name = dv_data_string(&self->filename);
    const size_t length = strlen(name);
    return length > 3 && strcmp(name + length - 3, ".gz") == 0;
}

static void write_block(WriteState *self, double now)
{
    DvText block = {0};
    dv_text_add(&block, "T= %g\n", now);
    if (dv_data_bool(&self->write_x))
        add_vector(self, &block, "X", DV_POSITION);
    if (dv_data_bool(&self->write_x0))
        add_vector(self, &block, "X0", DV_REST_POSITION);
    if (dv_data_bool(&self->write_v))
        add_vector(self, &block, "V", DV_VELOCITY);
    if (dv_data_bool(&self->write_f) && !is_packed(self))
        add_vector(self, &block, "F", DV_FORCE);
    recording_add(&self->file, &self->filename, &block);
    dv_text_free(&block);
}

/* Whether the motion has come to its end: the kinetic energy changes by less than stopAt. */
static bool is_over(WriteState *self, double now)
{
    const double least = dv_data_double(&self->stop_at), before = dv_data_double(&self->energy);
    if (least <= 0 || dv_data_bool(&self->stopped))
        return dv_data_bool(&self->stopped);
    if (now - dv_data_double(&self->energy_time) < dv_data_double(&self->kinetic_period))
        return false;
    DvObject *mass = dv_node_context(dv_object_node(self->state.object), DV_MASS);
    const DvMassOps *ops = mass ? dv_object_ops(mass, DV_MASS) : NULL;
    if (!ops || !ops->kinetic_energy)
        return false;
    const double energy = ops->kinetic_energy(dv_object_self(mass), dv_state_read(self->state, DV_VELOCITY));
    dv_data_set_double(&self->energy, energy);
    dv_data_set_double(&self->energy_time, now);
    if (before >= 0 && fabs(energy - before) < least)
        dv_data_set_bool(&self->stopped, true);
    return dv_data_bool(&self->stopped);
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    WriteState *self = self_;
    if (event->kind != DV_EVENT_ANIMATE_BEGIN)
        return;
    const double now = dv_node_time(dv_object_node(object));
    const Instants instants = {&self->times, &self->period, &self->done, &self->last, false};
    if (!is_over(self, now) && instants_due(&instants, now, event->dt))
        write_block(self, now);
}

static DvStatus construct(DvObject *object, void *self)
{
    (void)self;
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    return DV_OK;
}

static DvStatus check_times(WriteState *self)
{
    size_t count;
    const double *times = dv_data_doubles(&self->times, &count);
    for (size_t i = 0; i < count; i++)
        if (times[i] < 0 || (i > 0 && times[i] <= times[i - 1]))
            return dv_field_error(&self->times, (int64_t)i, "times must be 0 or more and increase, and this is %g",
                                  times[i]);
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    WriteState *self = self_;
    const char *name = dv_data_string(&self->filename);
    if (!name || !*name)
        return dv_field_error(&self->filename, -1, "it must name the file that is written"), DV_ERROR_MISSING;
    if (dv_data_bool(&self->write_f) && is_packed(self))
        dv_field_remark(&self->write_f, -1, "forces are not written to files that are packed (.gz)");
    const DvStatus status = check_times(self);
    return status == DV_OK ? dv_state_require(object, NULL, &self->state) : status;
}

static void reset(DvObject *object, void *self_)
{
    WriteState *self = self_;
    (void)object;
    recording_drop(&self->file);
}

static void cleanup(DvObject *object, void *self_)
{
    WriteState *self = self_;
    (void)object;
    recording_close(&self->file, &self->filename);
    dv_state_release(&self->state);
}

static const DvRange digits = {1, 17, false, false};

#define FIELD(member, name, type, ...) DV_FIELD(WriteState, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    FIELD(filename, "filename", dv_type_string, .flags = DV_FIELD_REQUIRED,
          .help = "the file; packed when it ends with .gz"),
    FIELD(write_x, "writeX", dv_type_bool, .init = "1", .help = "write positions"),
    FIELD(write_x0, "writeX0", dv_type_bool, .init = "0", .help = "write rest positions"),
    FIELD(write_v, "writeV", dv_type_bool, .init = "0", .help = "write velocities"),
    FIELD(write_f, "writeF", dv_type_bool, .init = "0", .help = "write forces, in files that are not packed"),
    FIELD(times, "time", dv_type_doubles, .unit = "s", .help = "instants; the first one begins the periods"),
    FIELD(period, "period", dv_type_double, .init = "0", .unit = "s", .range = &dv_range_not_negative,
          .help = "between blocks; 0: the instants of time alone, or every step when there are none"),
    FIELD(stop_at, "stopAt", dv_type_double, .init = "0", .unit = "J", .range = &dv_range_not_negative,
          .help = "nothing more is written once the kinetic energy changes by less; 0: goes on"),
    FIELD(kinetic_period, "keperiod", dv_type_double, .init = "0", .unit = "s", .range = &dv_range_not_negative,
          .help = "between looks at the kinetic energy"),
    FIELD(digits, "digits", dv_type_int, .init = "6", .range = &digits,
          .help = "significant digits; with 17 numbers come back the same"),
    FIELD(done, "timesDone", dv_type_uint, .init = "0", .flags = DV_FIELD_STATE,
          .help = "instants of time that have come"),
    FIELD(last, "lastTime", dv_type_double, .init = "0", .unit = "s", .flags = DV_FIELD_STATE,
          .help = "the last instant"),
    FIELD(stopped, "stopped", dv_type_bool, .init = "0", .flags = DV_FIELD_STATE,
          .help = "the motion has come to its end"),
    FIELD(energy, "lastEnergy", dv_type_double, .init = "-1", .unit = "J", .flags = DV_FIELD_STATE,
          .help = "when it was looked at last"),
    FIELD(energy_time, "lastEnergyTime", dv_type_double, .init = "0", .unit = "s", .flags = DV_FIELD_STATE,
          .help = "when that was"),
    DV_FIELD_HELD("DOFsX", dv_type_uints, .help = "does nothing: all points are written"),
    DV_FIELD_HELD("DOFsV", dv_type_uints, .help = "does nothing: all points are written"),
    {0},
};

const DvClass dv_write_state = {
    .size = sizeof(DvClass),
    .name = "WriteState",
    .family = "playback",
    .module = "Sofa.Component.Playback",
    .help = "Records the state of its node in a file.",
    .instance_size = sizeof(WriteState),
    .fields = fields,
    .construct = construct,
    .init = init,
    .handle_event = handle_event,
    .reset = reset,
    .cleanup = cleanup,
};
