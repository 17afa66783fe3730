/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Aligned heap blocks, counted, and the arena of a step.
 *
 * The arena is one block as large as the largest step so far. A step that needs more takes extra blocks, which are given back at
 * its end while the block grows to the whole; so after a few steps the heap is not touched any more.
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
char *dv_private_strndup(const char *text, size_t length)
{
    char *copy = memcpy(counted(malloc(length + 1), length + 1), text, length);
    copy[length] = '\0';
    return copy;
}

char *dv_strdup(const char *text)
{
    return text ? dv_private_strndup(text, strlen(text)) : NULL;
}

uint64_t dv_allocation_count(void)
{
    return atomic_load_explicit(&allocations, memory_order_relaxed);
}

static struct {
    char *block;
    size_t capacity, used;
    void **extra; /* blocks of this step beyond `capacity` */
    size_t extra_count, extra_capacity, extra_bytes;
} arena;

void *dv_step_alloc(size_t count, size_t size)
{
    const size_t bytes = rounded(bytes_of(count, size));
    if (arena.capacity - arena.used >= bytes) {
        void *at = arena.block + arena.used;
        arena.used += bytes;
        return at;
    }
    if (arena.extra_count == arena.extra_capacity) {
        const size_t larger = arena.extra_capacity ? 2 * arena.extra_capacity : 8;
        arena.extra = dv_realloc(arena.extra, arena.extra_capacity * sizeof *arena.extra, larger * sizeof *arena.extra);
        arena.extra_capacity = larger;
    }
    arena.extra_bytes += bytes;
    return arena.extra[arena.extra_count++] = block_of(bytes);
}

void dv_step_free_all(void)
{
    if (arena.extra_count) {
        for (size_t i = 0; i < arena.extra_count; i++)
            free(arena.extra[i]);
        free(arena.block);
        arena.capacity += arena.extra_bytes;
        arena.block = block_of(arena.capacity);
        arena.extra_count = 0;
        arena.extra_bytes = 0;
    }
    arena.used = 0;
}

void dv_private_arena_free(void)
{
    dv_step_free_all();
    free(arena.block);
    free(arena.extra);
    memset(&arena, 0, sizeof arena);
}
