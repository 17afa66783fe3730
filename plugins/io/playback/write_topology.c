/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * WriteTopology: records the lists of elements of its node, at the beginning of steps: blocks `T= time`, then for each kind of elements a line with
 * their number and one with their points, plain or packed (.gz).
 *
 * As in old scenes the first block of `period` alone comes at that time, and after the last instant of `time` alone each step has one.
 */
#include "topology_lists.h"

#include <inttypes.h>

typedef struct WriteTopology {
    DvData filename, containers, shells, times, period, done, last;
    DvLink link;
    DvTopologyRef topology;
    RecordingFile file;
} WriteTopology;

static void add_list(WriteTopology *self, DvText *block, const RecordedList *list)
{
    const DvElements elements = recorded_elements(&self->topology, list->kind);
    const size_t nodes = dv_element_nodes(list->kind), n = elements.count * nodes;
    dv_text_add(block, "  %s= %" PRIu32 "\n", list->word, elements.count);
    for (size_t i = 0; i < n; i++)
        dv_text_add(block, i ? " %" PRIu32 : "%" PRIu32, elements.at[i]);
    dv_text_add(block, "\n");
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    WriteTopology *self = self_;
    if (event->kind != DV_EVENT_ANIMATE_BEGIN)
        return;
    const double now = dv_node_time(dv_object_node(object));
    const Instants instants = {&self->times, &self->period, &self->done, &self->last, true};
    if (!instants_due(&instants, now, event->dt))
        return;
    DvText block = {0};
    dv_text_add(&block, "T= %g\n", now);
    for (int i = 0; i < RECORDED_LISTS && dv_data_bool(&self->containers); i++)
        add_list(self, &block, &recorded_lists[i]);
    if (dv_data_bool(&self->shells)) /* the line that old files have */
        dv_text_add(&block, "  Writing shell not handle yet.\n");
    recording_add(&self->file, &self->filename, &block);
    dv_text_free(&block);
}

static DvStatus init(DvObject *object, void *self_)
{
    WriteTopology *self = self_;
    const char *name = dv_data_string(&self->filename);
    if (!name || !*name)
        return dv_field_error(&self->filename, -1, "it must name the file that is written"), DV_ERROR_MISSING;
    if (dv_data_bool(&self->shells))
        dv_field_remark(&self->shells, -1, "topologies have no shells here: a line that says so is written");
    return dv_topology_require(object, &self->link, "a topology", &self->topology);
}

static void reset(DvObject *object, void *self_)
{
    WriteTopology *self = self_;
    (void)object;
    recording_drop(&self->file);
}

static void cleanup(DvObject *object, void *self_)
{
    WriteTopology *self = self_;
    (void)object;
    recording_close(&self->file, &self->filename);
    dv_topology_release(&self->topology);
}

#define FIELD(member, name, type, ...) DV_FIELD(WriteTopology, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    FIELD(filename, "filename", dv_type_string, .flags = DV_FIELD_REQUIRED,
          .help = "the file; packed when it ends with .gz"),
    FIELD(containers, "writeContainers", dv_type_bool, .init = "1", .help = "write the lists of elements"),
    FIELD(shells, "writeShellContainers", dv_type_bool, .init = "0", .help = "write a line that there are no shells"),
    FIELD(times, "time", dv_type_doubles, .unit = "s", .help = "instants"),
    FIELD(period, "period", dv_type_double, .init = "0", .unit = "s", .range = &dv_range_not_negative,
          .help = "between blocks, after the last of time; 0: every step"),
    DV_LINK(WriteTopology, link, "topology", DV_TOPOLOGY, .help = "the topology; the one of the node by default"),
    FIELD(done, "timesDone", dv_type_uint, .init = "0", .flags = DV_FIELD_STATE,
          .help = "instants of time that have come"),
    FIELD(last, "lastTime", dv_type_double, .init = "0", .unit = "s", .flags = DV_FIELD_STATE,
          .help = "the last instant"),
    DV_FIELD_HELD("interval", dv_type_double, .init = "0", .help = "does nothing: period says how often"),
    {0},
};

const DvClass dv_write_topology = {
    .size = sizeof(DvClass),
    .name = "WriteTopology",
    .family = "playback",
    .module = "Sofa.Component.Playback",
    .help = "Records the elements of a topology in a file.",
    .instance_size = sizeof(WriteTopology),
    .fields = fields,
    .construct = playback_construct,
    .init = init,
    .handle_event = handle_event,
    .reset = reset,
    .cleanup = cleanup,
};
