/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The lists of a topology in recordings: their words and order.
 */
#ifndef DIVAN_IO_TOPOLOGY_LISTS_H
#define DIVAN_IO_TOPOLOGY_LISTS_H

#include "recording.h"

#include <divan/contracts/topology.h>

typedef struct RecordedList {
    DvElementKind kind;
    const char *word, *field; /* in the file; of the topology */
} RecordedList;
enum { RECORDED_LISTS = 5 };
extern const RecordedList recorded_lists[RECORDED_LISTS];

/* The elements of a kind; edges and faces of elements are made. */
DvElements recorded_elements(const DvTopologyRef *topology, DvElementKind kind);
/* The list of a line, to be given to dv_free: *count elements. NULL: it is none of the lists, or it is not whole. */
uint32_t *recorded_list(const RecordedLine *line, DvElementKind *kind, uint32_t *count);

typedef struct ReadTopology {
    DvData filename, shift, loop, done, later;
    DvLink link;
    DvTopologyRef topology;
    Recording recording;
} ReadTopology;

#define READ_TOPOLOGY_FIELDS(Struct, path)                                                                           \
    DV_FIELD(Struct, path filename, "filename", dv_type_file, .flags = DV_FIELD_REQUIRED,                            \
             .help = "a recording of WriteTopology"),                                                                \
        DV_FIELD(Struct, path shift, "shift", dv_type_double, .init = "0", .unit = "s",                              \
                 .help = "added to the time of the scene"),                                                          \
        DV_FIELD(Struct, path loop, "loop", dv_type_bool, .init = "0", .help = "begin again after the last block"),  \
        DV_LINK(Struct, path link, "topology", DV_TOPOLOGY, .help = "the topology; the one of the node by default"), \
        DV_FIELD(Struct, path done, "blocksDone", dv_type_uint, .init = "0", .flags = DV_FIELD_STATE,                \
                 .help = "blocks that have come"),                                                                   \
        DV_FIELD(Struct, path later, "loopTime", dv_type_double, .init = "0", .unit = "s", .flags = DV_FIELD_STATE,  \
                 .help = "by how much times are later"),                                                             \
        DV_FIELD_HELD("interval", dv_type_double, .init = "0", .help = "does nothing: each block says its time")

DvStatus playback_construct(DvObject *object, void *self);
DvStatus read_topology_init(DvObject *object, void *self);
void read_topology_cleanup(DvObject *object, void *self);
void read_topology_destroy(DvObject *object, void *self);
const RecordedBlock *read_topology_block(ReadTopology *self, double extra);

#endif
