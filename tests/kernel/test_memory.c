/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Small blocks that are given back are given out again: like new ones, to the same thread, and not more than a limit of them.
 * Long ones lie in large pages.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <pthread.h>

#include <divan/divan.h>

#include "block_count.h"

#if BLOCK_COUNT_IS_OF_HEAP
enum { LARGEST = 8192 }; /* bytes of a block that is kept */

static void what_was_given_back_is_given_out_again_as_new(void **state)
{
    (void)state;
    for (size_t bytes = 1; bytes <= LARGEST; bytes += 13) {
        unsigned char *first = dv_alloc(bytes, 1);
        memset(first, 0xff, bytes);
        dv_free(first);
        const uint64_t before = block_count();
        unsigned char *second = dv_alloc(bytes, 1);
        assert_int_equal(block_count(), before);
        assert_ptr_equal(second, first);
        assert_int_equal((uintptr_t)second % 64, 0);
        for (size_t i = 0; i < bytes; i++)
            assert_int_equal(second[i], 0);
        unsigned char *other = dv_alloc(bytes, 1); /* the first is in use */
        assert_ptr_not_equal(other, second);
        dv_free(other);
        dv_free(second);
    }
}

static void a_block_is_not_given_out_as_a_larger_one(void **state)
{
    (void)state;
    for (size_t bytes = 64; bytes < LARGEST; bytes += 64) {
        void *small = dv_alloc(bytes, 1);
        dv_free(small);
        void *large = dv_alloc(bytes + 1, 1);
        assert_ptr_not_equal(large, small);
        assert_ptr_equal(dv_alloc(bytes, 1), small);
        dv_free(small);
        dv_free(large);
    }
}

static void short_texts_are_kept_too(void **state)
{
    (void)state;
    static const char letters[] = "0123456789012345678901234567890123456789012345678901234567890123456789";
    for (size_t length = 0; length < 56; length++) {
        char text[sizeof letters], longer[sizeof letters + 1];
        memcpy(text, letters, length);
        text[length] = '\0';
        memset(longer, 'x', length + 1);
        longer[length + 1] = '\0';
        char *first = dv_strdup(text);
        dv_free(first);
        const uint64_t before = block_count();
        char *second = dv_strdup(text);
        assert_int_equal(block_count(), before);
        assert_string_equal(second, text);
        char *other = dv_strdup(longer); /* writes nothing into its neighbour */
        assert_string_equal(second, text);
        assert_string_equal(other, longer);
        dv_free(other);
        dv_free(second);
    }
}

static void larger_blocks_and_those_beyond_the_limit_go_back_to_the_heap(void **state)
{
    (void)state;
    void *large = dv_alloc(LARGEST + 1, 1);
    dv_free(large);
    uint64_t before = block_count();
    dv_free(dv_alloc(LARGEST + 1, 1));
    assert_int_equal(block_count(), before + 1);

    enum { BLOCKS = 3000, BYTES = 4096, MOST = (4 << 20) / BYTES };
    static void *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = dv_alloc(BYTES, 1);
    for (int i = 0; i < BLOCKS; i++)
        dv_free(blocks[i]);
    before = block_count();
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = dv_alloc(BYTES, 1);
    const uint64_t reused = BLOCKS - (block_count() - before);
    assert_true(reused <= MOST && reused > 0);
    for (int i = 0; i < BLOCKS; i++)
        dv_free(blocks[i]);
}

static void *give_back(void *block)
{
    dv_free(block);
    void *again = dv_alloc(1, 200);
    const bool same = again == block;
    dv_free(again);
    return same ? block : NULL;
}

static void a_thread_keeps_what_it_gives_back_until_it_ends(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        void *block = dv_alloc(1, 200), *same = NULL;
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, give_back, block), 0);
        assert_int_equal(pthread_join(thread, &same), 0);
        assert_ptr_equal(same, block);
    }
}
#endif

static void a_lengthened_block_holds_what_it_held(void **state)
{
    (void)state;
    unsigned char *block = NULL;
    size_t bytes = 0;
    for (size_t more = 1; more < 20000; more += more / 2 + 1) {
        block = dv_realloc(block, bytes, more);
        for (size_t i = 0; i < more; i++)
            assert_int_equal(block[i], i < bytes ? i % 251 + 1 : 0);
        for (size_t i = bytes; i < more; i++)
            block[i] = (unsigned char)(i % 251 + 1);
        bytes = more;
    }
    dv_free(block);
    dv_free(NULL);
}

/* Whether the kernel has been asked for large pages at an address; true where it has none or does not say. */
static bool asks_for_large_pages(const void *at)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    if (!maps || access("/sys/kernel/mm/transparent_hugepage/enabled", F_OK) != 0) {
        if (maps)
            fclose(maps);
        return true;
    }
    char line[512];
    bool inside = false, found = false, says = false;
    while (!found && fgets(line, sizeof line, maps)) {
        uintptr_t begin, end;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &begin, &end) == 2)
            inside = begin <= (uintptr_t)at && (uintptr_t)at < end;
        else if (inside && strncmp(line, "VmFlags:", 8) == 0) {
            says = true;
            found = strstr(line, " hg") != NULL;
        }
    }
    fclose(maps);
    return found || !says;
}

static void long_arrays_lie_in_large_pages(void **state)
{
    (void)state;
    const size_t page = (size_t)2 << 20, bytes = 9 * page / 2;
    unsigned char *block = dv_alloc(bytes, 1);
    assert_int_equal((uintptr_t)block % page, 0);
    assert_true(asks_for_large_pages(block) && asks_for_large_pages(block + 4 * page - 1));
    for (size_t i = 0; i < bytes; i++)
        assert_int_equal(block[i], 0);
    memset(block, 1, bytes);
    block = dv_realloc(block, bytes, 2 * bytes);
    assert_int_equal((uintptr_t)block % page, 0);
    for (size_t i = 0; i < 2 * bytes; i++)
        assert_int_equal(block[i], i < bytes);
    dv_free(block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#if BLOCK_COUNT_IS_OF_HEAP
        cmocka_unit_test(what_was_given_back_is_given_out_again_as_new),
        cmocka_unit_test(a_block_is_not_given_out_as_a_larger_one),
        cmocka_unit_test(short_texts_are_kept_too),
        cmocka_unit_test(larger_blocks_and_those_beyond_the_limit_go_back_to_the_heap),
        cmocka_unit_test(a_thread_keeps_what_it_gives_back_until_it_ends),
#endif
        cmocka_unit_test(a_lengthened_block_holds_what_it_held),
        cmocka_unit_test(long_arrays_lie_in_large_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
