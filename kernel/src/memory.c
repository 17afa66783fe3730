/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Aligned heap blocks, counted, and the scratch of a step.
 *
 * Each thread has an arena: one block, as large as the most it had in use at once. Who needs more gets extra blocks; when nothing is
 * in use any more they have been given back, and the block grows to the whole. So after the first step the heap is not
 * touched any more, and nothing is held that a step does not need.
 */
#include "internal.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 64u

static atomic_uint_fast64_t allocations;

static size_t rounded(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t bytes_of(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
        g_error("a block of %zu x %zu bytes is larger than any memory", count, size);
    return bytes;
}

static void *counted(void *block, size_t bytes)
{
    atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
    if (!block)
        g_error("out of memory: %zu bytes", bytes);
    return block;
}

static void *block_of(size_t bytes)
{
    return counted(aligned_alloc(ALIGNMENT, rounded(bytes ? bytes : 1)), bytes);
}

void *dv_alloc(size_t count, size_t size)
{
    const size_t bytes = bytes_of(count, size);
    return memset(block_of(bytes), 0, rounded(bytes ? bytes : 1));
}

void *dv_realloc(void *block, size_t old_bytes, size_t new_bytes)
{
    void *grown = block_of(bytes_of(1, new_bytes));
    const size_t kept = old_bytes < new_bytes ? old_bytes : new_bytes;
    if (kept)
        memcpy(grown, block, kept);
    memset((char *)grown + kept, 0, rounded(new_bytes ? new_bytes : 1) - kept);
    free(block);
    return grown;
}

void dv_free(void *block)
{
    free(block);
}

/* Words are short, and a list may have millions: they are not aligned like numbers. */
char *dv_core_strndup(const char *text, size_t length)
{
    char *copy = memcpy(counted(malloc(length + 1), length + 1), text, length);
    copy[length] = '\0';
    return copy;
}

char *dv_strdup(const char *text)
{
    return text ? dv_core_strndup(text, strlen(text)) : NULL;
}

uint64_t dv_allocation_count(void)
{
    return atomic_load_explicit(&allocations, memory_order_relaxed);
}

/* The arena */

/* Makes the block as large as the most that was in use at once, while nothing is. */
static void grow_to_peak(Arena *arena)
{
    if (arena->peak <= arena->capacity)
        return;
    free(arena->block);
    arena->capacity = arena->peak;
    arena->block = block_of(arena->capacity);
}

void *dv_step_alloc(size_t count, size_t size)
{
    Arena *arena = &dv_private_thread.arena;
    const size_t bytes = rounded(MAX(bytes_of(count, size), 1)); /* never NULL, also for 0 */
    arena->peak = MAX(arena->peak, arena->used + arena->extra_bytes + bytes);
    if (arena->capacity - arena->used >= bytes) {
        void *at = arena->block + arena->used;
        arena->used += bytes;
        return at;
    }
    if (arena->extra_count == arena->extra_capacity) {
        dv_private_thread_holds();
        const size_t larger = arena->extra_capacity ? 2 * arena->extra_capacity : 8;
        arena->extra =
            dv_realloc(arena->extra, arena->extra_capacity * sizeof *arena->extra, larger * sizeof *arena->extra);
        arena->extra_capacity = larger;
    }
    void *block = block_of(bytes);
    arena->extra[arena->extra_count++] = (struct ExtraBlock){block, bytes};
    arena->extra_bytes += bytes;
    return block;
}

DvStepMark dv_step_mark(void)
{
    const Arena *arena = &dv_private_thread.arena;
    return (DvStepMark){arena->used, arena->extra_count};
}

void dv_step_release(DvStepMark mark)
{
    Arena *arena = &dv_private_thread.arena;
    while (arena->extra_count > mark.blocks) {
        const struct ExtraBlock *extra = &arena->extra[--arena->extra_count];
        arena->extra_bytes -= extra->bytes;
        free(extra->at);
    }
    arena->used = MIN(arena->used, mark.used);
    if (arena->used == 0 && arena->extra_count == 0)
        grow_to_peak(arena);
}

size_t dv_step_bytes(void)
{
    const Arena *arena = &dv_private_thread.arena;
    return arena->capacity + arena->extra_bytes;
}

void dv_private_arena_free(Arena *arena)
{
    for (size_t i = 0; i < arena->extra_count; i++)
        free(arena->extra[i].at);
    free(arena->block);
    free(arena->extra);
    memset(arena, 0, sizeof *arena);
}
