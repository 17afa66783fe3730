/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Counts every block that the process asks for, those of the kernel, of GLib and of the C library alike, as block_count(), and their
 * bytes, as byte_count(); not those that only answer whether there is room. For the one source file of a program: it defines malloc.
 * Under the sanitizers of addresses and threads, which have their own, blocks of the kernel alone, and no bytes.
 */
#ifndef BLOCK_COUNT_H
#define BLOCK_COUNT_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include <divan/memory.h>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *block, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);
static uint64_t blocks_asked, bytes_asked;
enum { LEAST_QUESTION = 1 << 16 };

void *malloc(size_t bytes)
{
    /* dv_memory_ask finds its answer by malloc, and gives the block back at once. */
    if (bytes < LEAST_QUESTION || !dv_memory_is_tried()) {
        blocks_asked++;
        bytes_asked += bytes;
    }
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    blocks_asked++;
    bytes_asked += count * bytes;
    return __libc_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes)
{
    blocks_asked++;
    bytes_asked += bytes;
    return __libc_realloc(block, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    blocks_asked++;
    bytes_asked += bytes;
    return __libc_memalign(alignment, bytes);
}

int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    *block = aligned_alloc(alignment, bytes);
    return *block ? 0 : ENOMEM;
}

#define BLOCK_COUNT_IS_OF_HEAP \
    1 /* not so where calls of dv_alloc are counted, which may find a block that was given back */
static inline uint64_t block_count(void)
{
    return blocks_asked;
}
static inline uint64_t byte_count(void)
{
    return bytes_asked;
}
#else
#define BLOCK_COUNT_IS_OF_HEAP 0
static inline uint64_t block_count(void)
{
    return dv_allocation_count();
}
static inline uint64_t byte_count(void)
{
    return 0;
}
#endif

#endif
