/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What data.c and dependency.c share: the block of a value, the edges of a field, walks along them.
 */
#ifndef DIVAN_DEPENDENCY_H
#define DIVAN_DEPENDENCY_H

#include "internal.h"

#include <stdatomic.h>

typedef struct Value { /* in front of the elements */
    atomic_int users;
    size_t count, capacity;
} Value;

enum { HEADER = 64 };

_Static_assert(sizeof(Value) <= HEADER, "the elements follow the header at a cache line");

static inline Value *header_of(const void *elements)
{
    return (Value *)((char *)(uintptr_t)elements - HEADER);
}

/* In the flags: written last by the init of its object, to which nobody had given it. */
#define DERIVED (1u << 4)

struct DvDataGraph {
    DvData *parent; /* whose value this one takes; or NULL */
    List outputs;   /* DvData *: links that follow, outputs that are computed from this */
    List inputs;    /* DvData *: of an engine's output */
    char *file;     /* found for a file name */
    uint64_t file_version;
    bool file_known;
    bool taken; /* a field of another object follows this one, or did */
};

static inline struct DvDataGraph *graph_of(DvData *data)
{
    if (!data->graph)
        data->graph = g_new0(struct DvDataGraph, 1);
    return data->graph;
}

/* Walks: a stack that starts on the machine's. */

typedef struct Stack {
    DvData *few[32], **at;
    size_t count, capacity;
} Stack;

#define STACK_INIT(stack) (stack).at = (stack).few, (stack).count = 0, (stack).capacity = G_N_ELEMENTS((stack).few)

static inline void push(Stack *stack, DvData *data)
{
    if (stack->count == stack->capacity) {
        DvData **more = g_new(DvData *, 2 * stack->capacity);
        memcpy(more, stack->at, stack->count * sizeof *more);
        if (stack->at != stack->few)
            g_free(stack->at);
        stack->at = more;
        stack->capacity *= 2;
    }
    stack->at[stack->count++] = data;
}

static inline void stack_free(Stack *stack)
{
    if (stack->at != stack->few)
        g_free(stack->at);
}

/* Makes dirty what follows the field, and what follows that. Out of line: most fields that change in a step have nobody who follows. */
void dv_private_data_mark_followers(DvData *data);

static inline void mark_outputs(DvData *data)
{
    if (data->graph && data->graph->outputs.len)
        dv_private_data_mark_followers(data);
}

#endif
