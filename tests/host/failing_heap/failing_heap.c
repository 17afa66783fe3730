/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A heap that has nothing to give at some time: loaded by LD_PRELOAD in front of the C library's. What fails is chosen by the environment:
 *
 *   DIVAN_TEST_FAIL_AT=N     the N-th call
 *   DIVAN_TEST_FAIL_FROM=N   the N-th and all that follow
 *   DIVAN_TEST_FAIL_ABOVE=N  all that ask for more than N bytes
 *
 * With DIVAN_TEST_FAIL_LATER set, from the call of divan_test_fail_now on; calls are counted from there.
 */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void divan_test_fail_now(void);

static atomic_ulong calls;
static atomic_bool waits;
static unsigned long at, from, above;

static unsigned long number_in(const char *name)
{
    const char *text = getenv(name);
    return text ? strtoul(text, NULL, 10) : 0;
}

static __attribute__((constructor)) void begin(void)
{
    at = number_in("DIVAN_TEST_FAIL_AT");
    from = number_in("DIVAN_TEST_FAIL_FROM");
    above = number_in("DIVAN_TEST_FAIL_ABOVE");
    atomic_store(&calls, 0);
    atomic_store(&waits, getenv("DIVAN_TEST_FAIL_LATER") != NULL);
}

EXPORTED void divan_test_fail_now(void)
{
    atomic_store(&calls, 0);
    atomic_store(&waits, false);
}

static bool fails(size_t bytes)
{
    if (atomic_load(&waits))
        return false;
    const unsigned long call = atomic_fetch_add(&calls, 1) + 1;
    return (at && call == at) || (from && call >= from) || (above && bytes > above);
}

static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

EXPORTED void *malloc(size_t bytes)
{
    static void *(*real)(size_t);
    if (!real)
        *(void **)&real = next("malloc");
    return fails(bytes) ? NULL : real(bytes);
}

EXPORTED void *calloc(size_t count, size_t size)
{
    static void *(*real)(size_t, size_t);
    if (!real)
        *(void **)&real = next("calloc");
    return fails(count * size) ? NULL : real(count, size);
}

EXPORTED void *realloc(void *block, size_t bytes)
{
    static void *(*real)(void *, size_t);
    if (!real)
        *(void **)&real = next("realloc");
    return fails(bytes) ? NULL : real(block, bytes);
}

EXPORTED void *aligned_alloc(size_t alignment, size_t bytes)
{
    static void *(*real)(size_t, size_t);
    if (!real)
        *(void **)&real = next("aligned_alloc");
    return fails(bytes) ? NULL : real(alignment, bytes);
}

EXPORTED void *memalign(size_t alignment, size_t bytes)
{
    static void *(*real)(size_t, size_t);
    if (!real)
        *(void **)&real = next("memalign");
    return fails(bytes) ? NULL : real(alignment, bytes);
}

EXPORTED int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    static int (*real)(void **, size_t, size_t);
    if (!real)
        *(void **)&real = next("posix_memalign");
    return fails(bytes) ? ENOMEM : real(block, alignment, bytes);
}
