/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CompareTopology: in how many entries the lists of elements of its node differ from a recording, at the beginning of steps, summed over the
 * blocks. An element that is there on one side alone counts with all its points.
 */
#include "topology_lists.h"

typedef struct CompareTopology {
    ReadTopology base;
    DvData errors, total;
} CompareTopology;

static uint32_t differences(const DvTopologyRef *topology, const RecordedLine *line, int *which)
{
    DvElementKind kind = DV_POINTS;
    uint32_t count = 0, *list = recorded_list(line, &kind, &count), differ = 0;
    if (!list)
        return 0;
    for (*which = 0; recorded_lists[*which].kind != kind;)
        ++*which;
    const DvElements here = recorded_elements(topology, kind);
    const uint32_t nodes = dv_element_nodes(kind), less = here.count < count ? here.count : count;
    for (size_t i = 0; i < (size_t)less * nodes; i++)
        differ += here.at[i] != list[i];
    dv_free(list);
    return differ + (here.count + count - 2 * less) * nodes;
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    CompareTopology *self = self_;
    const RecordedBlock *block =
        event->kind == DV_EVENT_ANIMATE_BEGIN ? read_topology_block(&self->base, 0.001 * event->dt) : NULL;
    if (!block)
        return;
    for (uint32_t i = 0; i < block->count; i++) {
        int which = 0;
        const uint32_t differ =
            differences(&self->base.topology, &self->base.recording.lines.data[block->first + i], &which);
        uint32_t *errors = dv_data_begin(&self->errors, RECORDED_LISTS);
        errors[which] += differ;
        dv_data_end(&self->errors);
        dv_data_set_uint(&self->total, dv_data_uint(&self->total) + differ);
    }
    dv_info(object, "entries that differ so far: %u", dv_data_uint(&self->total));
}

static void reset(DvObject *object, void *self_)
{
    CompareTopology *self = self_;
    const uint32_t none[RECORDED_LISTS] = {0};
    (void)object;
    dv_data_set(&self->errors, none, RECORDED_LISTS);
    dv_data_set_uint(&self->total, 0);
}

static const DvField fields[] = {
    READ_TOPOLOGY_FIELDS(CompareTopology, base.),
    DV_FIELD(CompareTopology, errors, "errors", dv_type_uints, .init = "0 0 0 0 0", .flags = DV_FIELD_READ_ONLY,
             .help = "entries that differ, of edges, triangles, quads, tetrahedra, hexahedra"),
    DV_FIELD(CompareTopology, total, "totalError", dv_type_uint, .init = "0", .flags = DV_FIELD_READ_ONLY,
             .help = "their sum"),
    {0},
};

const DvClass dv_compare_topology = {
    .size = sizeof(DvClass),
    .name = "CompareTopology",
    .bases = (const char *const[]){"ReadTopology", NULL},
    .family = "playback",
    .module = "Sofa.Component.Playback",
    .help = "Compares the elements of a topology with a recording.",
    .instance_size = sizeof(CompareTopology),
    .fields = fields,
    .construct = playback_construct,
    .init = read_topology_init,
    .handle_event = handle_event,
    .reset = reset,
    .cleanup = read_topology_cleanup,
    .destroy = read_topology_destroy,
};
