/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ReadTopology: gives the topology of its node the lists of a recording, at the beginning of steps: of the blocks whose time has come those of the
 * last one. A list that is as it was stays untouched.
 */
#include "topology_lists.h"

#include <string.h>

const RecordedList recorded_lists[RECORDED_LISTS] = {{DV_EDGES, "Edges", "edges"},
                                                     {DV_TRIANGLES, "Triangles", "triangles"},
                                                     {DV_QUADS, "Quads", "quads"},
                                                     {DV_TETRAHEDRA, "Tetrahedra", "tetrahedra"},
                                                     {DV_HEXAHEDRA, "Hexahedra", "hexahedra"}};

DvElements recorded_elements(const DvTopologyRef *topology, DvElementKind kind)
{
    static const DvElementKind higher[] = {DV_TRIANGLES, DV_QUADS, DV_TETRAHEDRA, DV_HEXAHEDRA};
    DvElements elements = dv_topology_elements(topology, kind);
    for (size_t i = 0; i < sizeof higher / sizeof *higher && !elements.count; i++) {
        if (kind > DV_QUADS || higher[i] <= (kind == DV_EDGES ? DV_EDGES : DV_QUADS) ||
            !dv_topology_elements(topology, higher[i]).count)
            continue;
        (void)topology->ops->adjacency(topology->self, higher[i], kind);
        elements = dv_topology_elements(topology, kind);
    }
    return elements;
}

uint32_t *recorded_list(const RecordedLine *line, DvElementKind *kind, uint32_t *count)
{
    int i = 0;
    while (i < RECORDED_LISTS && !recorded_is(line, recorded_lists[i].word))
        i++;
    const char *at = line->values;
    if (i == RECORDED_LISTS || !dv_read_uint(&at, count))
        return NULL;
    *kind = recorded_lists[i].kind;
    const size_t numbers = (size_t)*count * dv_element_nodes(*kind);
    if (numbers > strlen(at)) /* each takes a character at least */
        return NULL;
    uint32_t *list = dv_alloc(numbers, sizeof *list);
    for (size_t n = 0; n < numbers; n++)
        if (!dv_read_uint(&at, &list[n])) {
            dv_free(list);
            return NULL;
        }
    return list;
}

static void put(ReadTopology *self, const RecordedLine *line)
{
    DvElementKind kind = DV_POINTS;
    uint32_t count = 0;
    uint32_t *list = recorded_list(line, &kind, &count);
    const DvElements now = dv_topology_elements(&self->topology, kind);
    const size_t bytes = (size_t)count * dv_element_nodes(kind) * sizeof *list;
    for (int i = 0; i < RECORDED_LISTS && list; i++) {
        DvData *field =
            recorded_lists[i].kind == kind ? dv_object_field(self->topology.object, recorded_lists[i].field) : NULL;
        if (field && (now.count != count || (bytes && memcmp(now.at, list, bytes) != 0)))
            dv_data_set(field, list, count);
    }
    dv_free(list);
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    ReadTopology *self = self_;
    (void)object;
    const RecordedBlock *block = event->kind == DV_EVENT_ANIMATE_BEGIN ? read_topology_block(self, 0) : NULL;
    for (uint32_t i = 0; block && i < block->count; i++)
        put(self, &self->recording.lines.data[block->first + i]);
}

const RecordedBlock *read_topology_block(ReadTopology *self, double extra)
{
    const double now = dv_node_time(dv_object_node(dv_object_of(self))) + dv_data_double(&self->shift) + extra;
    return recording_advance(&self->recording, now, dv_data_bool(&self->loop), &self->done, &self->later);
}

DvStatus playback_construct(DvObject *object, void *self)
{
    (void)self;
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    return DV_OK;
}

/* Lists are whole, and name points that are there. */
static DvStatus check_lists(ReadTopology *self, uint32_t points)
{
    for (uint32_t i = 0; i < self->recording.lines.count; i++) {
        const RecordedLine *line = &self->recording.lines.data[i];
        DvElementKind kind = DV_POINTS;
        uint32_t count = 0, *list = recorded_list(line, &kind, &count);
        if (!list)
            return dv_field_error(&self->filename, -1,
                                  "'%s': the list of a line '%.*s=' is not whole, or no list of elements",
                                  dv_data_string(&self->filename), (int)line->length, line->word);
        for (size_t n = 0; n < (size_t)count * dv_element_nodes(kind); n++)
            if (list[n] >= points) {
                const uint32_t missing = list[n];
                dv_free(list);
                return dv_field_error(&self->filename, -1,
                                      "'%s': %.*s name point %u, and the topology has %u, counted from 0",
                                      dv_data_string(&self->filename), (int)line->length, line->word, missing, points);
            }
        dv_free(list);
    }
    return DV_OK;
}

DvStatus read_topology_init(DvObject *object, void *self_)
{
    ReadTopology *self = self_;
    DvStatus status = dv_topology_require(object, &self->link, "a topology", &self->topology);
    if (status == DV_OK)
        status = recording_read(&self->filename, &self->recording);
    if (status != DV_OK)
        return status;
    const uint32_t points = self->topology.ops->point_count(self->topology.self);
    return check_lists(self, points);
}

void read_topology_cleanup(DvObject *object, void *self)
{
    (void)object;
    dv_topology_release(&((ReadTopology *)self)->topology);
}

void read_topology_destroy(DvObject *object, void *self)
{
    (void)object;
    recording_free(&((ReadTopology *)self)->recording);
}

static const DvField fields[] = {READ_TOPOLOGY_FIELDS(ReadTopology, ), {0}};

const DvClass dv_read_topology = {
    .size = sizeof(DvClass),
    .name = "ReadTopology",
    .family = "playback",
    .module = "Sofa.Component.Playback",
    .help = "Gives a topology the elements of a recording.",
    .instance_size = sizeof(ReadTopology),
    .fields = fields,
    .construct = playback_construct,
    .init = read_topology_init,
    .handle_event = handle_event,
    .cleanup = read_topology_cleanup,
    .destroy = read_topology_destroy,
};
