/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Small blocks that a thread keeps go back to the heap when it ends. The heap counts its bytes; under sanitizers, which have a heap of
 * their own, there are none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <malloc.h>
#include <pthread.h>

#include <divan/divan.h>

enum { BLOCKS = 500, BYTES = 4096 };

static void *keep_much(void *blocks_)
{
    void **blocks = blocks_;
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = dv_alloc(1, BYTES);
    for (int i = 0; i < BLOCKS; i++)
        dv_free(blocks[i]);
    return NULL;
}

static void a_thread_leaves_nothing_behind(void **state)
{
    (void)state;
    static void *blocks[BLOCKS];
    size_t used = 0;
    for (int i = 0; i < 4; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, keep_much, blocks), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        const size_t now = mallinfo2().uordblks; /* bytes in use, of all threads */
        assert_true(i == 0 || now < used + BLOCKS / 4 * BYTES);
        used = i == 0 ? now : used;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_thread_leaves_nothing_behind)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
