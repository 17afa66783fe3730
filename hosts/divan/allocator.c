/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The heap of the program: the C library's, but calls are counted, and what it has no room for ends the process with one line and
 * status 1. GLib would end it by a signal, other libraries go on with an address that is none. What the kernel only tries to get may be
 * refused.
 *
 * Functions of the program come before those of all libraries, so these are everybody's. Builds for sanitizers keep the sanitizer's.
 */
#include "host.h"

#include <divan/memory.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct Heap {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*memalign)(size_t, size_t);
} Heap;

static Heap heap;
static atomic_uint_fast64_t calls;

/* The function behind those of the program. A library of tests may stand in front of the C library by either of its names. */
static void *behind(const char *name, const char *inner_name)
{
    Dl_info where, c_library;
    void *outer = dlsym(RTLD_NEXT, name), *inner = dlsym(RTLD_NEXT, inner_name);
    const bool is_known = inner && dladdr(inner, &where) && dladdr(dlsym(RTLD_NEXT, "printf"), &c_library);
    return !outer || (is_known && strcmp(where.dli_fname, c_library.dli_fname) != 0) ? inner : outer;
}

/* By the first call, which comes before there is a second thread. */
static void begin(void)
{
    *(void **)&heap.calloc = behind("calloc", "__libc_calloc");
    *(void **)&heap.realloc = behind("realloc", "__libc_realloc");
    *(void **)&heap.memalign = behind("memalign", "__libc_memalign");
    *(void **)&heap.malloc = behind("malloc", "__libc_malloc");
}

static inline void count_one(void)
{
    if (!heap.malloc)
        begin();
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
}

static inline void *checked(void *block, size_t bytes)
{
    if (!block && bytes && !dv_memory_is_tried())
        dv_memory_end(bytes);
    return block;
}

void *malloc(size_t bytes)
{
    count_one();
    return checked(heap.malloc(bytes), bytes);
}

void *calloc(size_t count, size_t size)
{
    size_t bytes;
    count_one();
    if (__builtin_mul_overflow(count, size, &bytes))
        bytes = SIZE_MAX;
    return checked(heap.calloc(count, size), bytes);
}

void *realloc(void *block, size_t bytes)
{
    count_one();
    return checked(heap.realloc(block, bytes), bytes);
}

void *memalign(size_t alignment, size_t bytes)
{
    count_one();
    return checked(heap.memalign(alignment, bytes), bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return memalign(alignment, bytes);
}

int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    *block = memalign(alignment, bytes);
    return *block ? 0 : ENOMEM;
}

uint64_t host_allocation_count(void)
{
    return atomic_load_explicit(&calls, memory_order_relaxed);
}
#else
uint64_t host_allocation_count(void)
{
    return dv_allocation_count();
}
#endif
