/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ReadState, and CompareState, which begins as one.
 */
#ifndef DIVAN_IO_READ_STATE_H
#define DIVAN_IO_READ_STATE_H

#include "recording.h"

#include <divan/contracts/mechanical_operations.h>
#include <divan/contracts/state.h>

typedef struct ReadState {
    DvData filename, shift, loop, scale, rotation, translation;
    DvData done, later;
    DvStateRef state;
    Recording recording;
    const DvMechanicalOperationsOps *mechanics_ops;
    DvMechanics *mechanics; /* of the node: what is read is projected and mapped */
} ReadState;

#define READ_STATE_FIELDS(Struct, path)                                                                             \
    DV_FIELD(Struct, path filename, "filename", dv_type_file, .flags = DV_FIELD_REQUIRED,                           \
             .help = "a recording of WriteState"),                                                                  \
        DV_FIELD(Struct, path shift, "shift", dv_type_double, .init = "0", .unit = "s",                             \
                 .help = "added to the time of the scene"),                                                         \
        DV_FIELD(Struct, path loop, "loop", dv_type_bool, .init = "0", .help = "begin again after the last block"), \
        DV_FIELD(Struct, path scale, "scalePos", dv_type_double, .init = "1",                                       \
                 .help = "positions are multiplied by it"),                                                         \
        DV_FIELD(Struct, path rotation, "rotation", dv_type_vec3d, .unit = "degree",                                \
                 .help = "then turned about x, y, z"),                                                              \
        DV_FIELD(Struct, path translation, "translation", dv_type_vec3d, .unit = "m", .help = "then moved"),        \
        DV_FIELD(Struct, path done, "blocksDone", dv_type_uint, .init = "0", .flags = DV_FIELD_STATE,               \
                 .help = "blocks that have come"),                                                                  \
        DV_FIELD(Struct, path later, "loopTime", dv_type_double, .init = "0", .unit = "s", .flags = DV_FIELD_STATE, \
                 .help = "by how much times are later"),                                                            \
        DV_FIELD_HELD("interval", dv_type_double, .init = "0", .help = "does nothing: each block says its time")

DvStatus read_state_construct(DvObject *object, void *self);
DvStatus read_state_init(DvObject *object, void *self);
DvStatus read_state_bwd_init(DvObject *object, void *self);
void read_state_cleanup(DvObject *object, void *self);
void read_state_destroy(DvObject *object, void *self);

/* Gives the state as many points as the first block has: what is initialised later, mappings for one, finds them. */
void read_state_resize(ReadState *self);
/* Numbers of a line: at most `capacity` are stored; how many there are. */
size_t recorded_numbers(const RecordedLine *line, double *numbers, size_t capacity);
/* The block that is due at this time, with what the fields add to it. */
const RecordedBlock *read_state_block(ReadState *self, double extra);
/* Puts a block into the state. */
void read_state_apply(ReadState *self, const RecordedBlock *block);

#endif
