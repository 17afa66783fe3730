/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Aligned heap blocks, counted, and the scratch of a step.
 *
 * A thread keeps small blocks that are given back and gives them out again, so that what is made anew in the place of what
 * has gone asks the heap for nothing. (The C library has lists of its own for that, but not for aligned blocks.) Builds for
 * AddressSanitizer keep none, so that it sees every use of what is gone.
 *
 * Each thread has an arena: one block, as large as the most it had in use at once. Who needs more gets extra blocks; when nothing is
 * in use any more they have been given back, and the block grows to the whole. So after the first step the heap is not
 * touched any more, and nothing is held that a step does not need.
 */
#include "ground.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ALIGNMENT  64u
#define LARGE_PAGE ((size_t)2 << 20)

#if defined(__SANITIZE_ADDRESS__)
#define SEES_ALL true /* what happens to blocks that are given back */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SEES_ALL true
#endif
#endif
#ifndef SEES_ALL
#define SEES_ALL false
#endif

static atomic_uint_fast64_t allocations;

static size_t rounded(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* SIZE_MAX: more than any memory */
static size_t bytes_of(size_t count, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2 ? SIZE_MAX : bytes;
}

void (*dv_core_no_memory)(size_t bytes);

static __attribute__((noreturn)) void no_room(size_t bytes)
{
    if (dv_core_no_memory)
        dv_core_no_memory(bytes);
    g_error("out of memory: %zu bytes", bytes);
}

bool dv_memory_is_tried(void)
{
    return dv_private_thread.tries;
}

/* What a thread keeps: a list for each size, of which each block begins with the address of the next. First those of short
 * texts, which are not aligned, then those of 1, 2 ... times the alignment. */
#define TEXT_LISTS 3u
#define LISTS      (TEXT_LISTS + 128u)
#define MOST_KEPT  ((size_t)4 << 20) /* bytes; with one more, all are given back to the heap */

typedef struct Kept {
    void *first[LISTS];
    size_t bytes;
} Kept;

static size_t bytes_of_list(size_t list)
{
    return list < TEXT_LISTS ? 24 + 16 * list : (list - TEXT_LISTS + 1) * ALIGNMENT;
}

static size_t list_of_text(size_t bytes)
{
    return bytes <= 24 ? 0 : (bytes - 24 + 15) / 16;
}

/* A long array in large pages where the system has them to give: passes over it then do not wait for translations of addresses. */
static void *aligned_from_heap(size_t bytes)
{
    const size_t pages = bytes / LARGE_PAGE;
    void *block = NULL;
    if (pages < 2)
        return aligned_alloc(ALIGNMENT, bytes);
    if (posix_memalign(&block, LARGE_PAGE, bytes) != 0) /* unlike aligned_alloc of any size */
        return NULL;
#ifdef MADV_HUGEPAGE
    (void)madvise(block, pages * LARGE_PAGE, MADV_HUGEPAGE); /* no more than advice */
#endif
    return block;
}

/* From the list, or from the heap when it is empty or there is no such list. */
static void *block_from(size_t list, size_t bytes)
{
    atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
    Kept *kept = dv_private_thread.kept;
    const size_t last = list < TEXT_LISTS ? list + 1 : list; /* see list_of */
    for (size_t from = list; kept && list < LISTS && from <= last; from++) {
        void **block = kept->first[from];
        if (!block)
            continue;
        kept->first[from] = *block;
        kept->bytes -= bytes_of_list(from);
        return block;
    }
    void *block = list < TEXT_LISTS ? malloc(bytes_of_list(list)) : aligned_from_heap(bytes);
    if (!block && !dv_private_thread.tries)
        no_room(bytes);
    return block;
}

static void *block_of(size_t bytes)
{
    if (bytes == SIZE_MAX && !dv_private_thread.tries)
        no_room(bytes);
    if (bytes == SIZE_MAX)
        return NULL;
    bytes = rounded(bytes ? bytes : 1);
    return block_from(TEXT_LISTS + bytes / ALIGNMENT - 1, bytes);
}

/* The list that a block may stand in, by the bytes it has room for; LISTS: none. Where too few would be left the heap gives 16 more than it
 * is asked for: what was got for a text may so stand in the next list. */
static size_t list_of(void *block)
{
    const size_t room = malloc_usable_size(block);
    if (room >= ALIGNMENT && (uintptr_t)block % ALIGNMENT == 0)
        return MIN(TEXT_LISTS + room / ALIGNMENT - 1, LISTS);
    if (room < bytes_of_list(0) || room > bytes_of_list(TEXT_LISTS - 1) + 16)
        return LISTS;
    return MIN((room - 24) / 16, TEXT_LISTS - 1);
}

static void give_back_all(Kept *kept)
{
    for (size_t list = 0; list < LISTS; list++)
        while (kept->first[list]) {
            void *block = kept->first[list];
            kept->first[list] = *(void **)block;
            free(block);
        }
    kept->bytes = 0;
}

static void free_kept(void)
{
    give_back_all(dv_private_thread.kept);
    g_free(dv_private_thread.kept);
    dv_private_thread.kept = NULL;
}

static bool keep(void *block)
{
    if (SEES_ALL)
        return false;
    const size_t list = list_of(block);
    Kept *kept = dv_private_thread.kept;
    if (list == LISTS)
        return false;
    if (!kept) {
        dv_core_at_thread_end(free_kept);
        kept = dv_private_thread.kept = g_new0(Kept, 1);
    }
    if (kept->bytes + bytes_of_list(list) > MOST_KEPT)
        give_back_all(kept);
    *(void **)block = kept->first[list];
    kept->first[list] = block;
    kept->bytes += bytes_of_list(list);
    return true;
}

void *dv_alloc(size_t count, size_t size)
{
    const size_t bytes = bytes_of(count, size);
    return memset(block_of(bytes), 0, rounded(bytes ? bytes : 1));
}

void *dv_try_alloc(size_t count, size_t size)
{
    const size_t bytes = bytes_of(count, size);
    dv_private_thread.tries = true;
    void *block = block_of(bytes);
    dv_private_thread.tries = false;
    return block ? memset(block, 0, rounded(bytes ? bytes : 1)) : NULL;
}

bool dv_core_has_room(size_t bytes)
{
    dv_private_thread.tries = true;
    void *volatile block = bytes <= SIZE_MAX / 2 ? malloc(bytes) : NULL; /* a pair that a compiler must not leave out */
    dv_private_thread.tries = false;
    free(block);
    return block != NULL;
}

void *dv_realloc(void *block, size_t old_bytes, size_t new_bytes)
{
    void *grown = block_of(bytes_of(1, new_bytes));
    const size_t kept = old_bytes < new_bytes ? old_bytes : new_bytes;
    if (kept)
        memcpy(grown, block, kept);
    memset((char *)grown + kept, 0, rounded(new_bytes ? new_bytes : 1) - kept);
    dv_free(block);
    return grown;
}

void dv_free(void *block)
{
    if (block && !keep(block))
        free(block);
}

/* Words are short, and a list may have millions: they are not aligned like numbers. */
char *dv_core_strndup(const char *text, size_t length)
{
    const size_t list = list_of_text(length + 1);
    char *copy = list < TEXT_LISTS ? block_from(list, length + 1) : block_of(length + 1);
    memcpy(copy, text, length);
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

static void free_arena(void)
{
    Arena *arena = &dv_private_thread.arena;
    for (size_t i = 0; i < arena->extra_count; i++)
        free(arena->extra[i].at);
    free(arena->block);
    free(arena->extra);
    memset(arena, 0, sizeof *arena);
}

void *dv_step_alloc(size_t count, size_t size)
{
    Arena *arena = &dv_private_thread.arena;
    const size_t wanted = bytes_of(count, size), bytes = rounded(MAX(wanted, 1)); /* never NULL, also for 0 */
    if (wanted == SIZE_MAX)
        no_room(wanted);
    arena->peak = MAX(arena->peak, arena->used + arena->extra_bytes + bytes);
    if (arena->capacity - arena->used >= bytes) {
        void *at = arena->block + arena->used;
        arena->used += bytes;
        return at;
    }
    if (arena->extra_count == arena->extra_capacity) {
        dv_core_at_thread_end(free_arena);
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
