/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A list of kernels and copies with what they need, to be done later, or again.
 */
#ifndef DIVAN_CUDA_QUEUE_H
#define DIVAN_CUDA_QUEUE_H

#include "device.h"

#include <divan/memory.h>

#include <string.h>

typedef enum CommandKind { COMMAND_LAUNCH, COMMAND_PUT, COMMAND_REPLAY } CommandKind;

/* In a queue, followed by `size` bytes: arguments, or what is copied. */
typedef struct Command {
    CommandKind kind;
    KernelNumber kernel;
    DvPrecision precision;
    uint32_t times;
    uint64_t blocks;
    DvAddress to;
    size_t size;
} Command;

typedef struct Queue {
    char *at;
    size_t used, room;
} Queue;

static inline size_t queue_bytes_of(size_t size)
{
    enum { ALIGNED = 16 };
    return (sizeof(Command) + size + ALIGNED - 1) / ALIGNED * ALIGNED;
}

/* The place of its `size` bytes, valid until the next call. */
static inline void *queue_add(Queue *queue, const Command *command)
{
    const size_t size = queue_bytes_of(command->size);
    if (queue->used + size > queue->room) {
        const size_t more = 2 * (queue->used + size) + 65536;
        queue->at = dv_realloc(queue->at, queue->room, more);
        queue->room = more;
    }
    char *at = queue->at + queue->used;
    memcpy(at, command, sizeof *command);
    queue->used += size;
    return at + sizeof *command;
}

/* The one at a place, from 0 on, which goes to the next one; NULL: there is none. */
static inline const Command *queue_next(const Queue *queue, size_t *at)
{
    if (*at >= queue->used)
        return NULL;
    const Command *command = (const Command *)(const void *)(queue->at + *at);
    *at += queue_bytes_of(command->size);
    return command;
}

#endif
