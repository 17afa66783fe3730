/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a thread and a scene keep goes back to the heap when they end. The heap counts its bytes; under sanitizers, which have a heap of
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

/* What plugins have asked it to keep goes with a scene; each key has a block of its own. */
static void a_scene_leaves_nothing_behind(void **state)
{
    (void)state;
    static const char keys[3];
    size_t used = 0;
    for (int i = 0; i < 4; i++) {
        DvScene *scene = dv_scene_new();
        char *blocks[3];
        for (int k = 0; k < 3; k++) {
            blocks[k] = dv_scene_local(scene, &keys[k], BLOCKS * BYTES);
            assert_true(blocks[k][0] == 0 && blocks[k][BLOCKS * BYTES - 1] == 0);
            blocks[k][0] = (char)(k + 1);
        }
        for (int k = 0; k < 3; k++) {
            assert_ptr_equal(dv_scene_local(scene, &keys[k], BLOCKS * BYTES), blocks[k]);
            assert_int_equal(blocks[k][0], k + 1);
        }
        dv_scene_free(scene);
        const size_t now = mallinfo2().uordblks + mallinfo2().hblkhd; /* large blocks are counted apart */
        assert_true(i == 0 || now < used + BLOCKS / 4 * BYTES);
        used = i == 0 ? now : used;
    }
}

/* What is given back stays with the thread, up to 4 MiB; with more all of it goes back to the heap. */
static void a_thread_keeps_so_much_and_no_more(void **state)
{
    (void)state;
    enum { MANY = 4096, FEW = 512 }; /* 16 MiB and 2 MiB */
    static void *blocks[MANY];
    const size_t before = mallinfo2().uordblks;
    for (int i = 0; i < MANY; i++)
        blocks[i] = dv_alloc(1, BYTES);
    for (int i = 0; i < MANY; i++)
        dv_free(blocks[i]);
    assert_true(mallinfo2().uordblks <= before + (5 << 20));
    for (int i = 0; i < FEW; i++)
        blocks[i] = dv_alloc(1, BYTES);
    const size_t used = mallinfo2().uordblks; /* of what was kept there is room again for as much */
    for (int i = 0; i < FEW; i++)
        dv_free(blocks[i]);
    assert_int_equal(mallinfo2().uordblks, used);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_leaves_nothing_behind),
        cmocka_unit_test(a_scene_leaves_nothing_behind),
        cmocka_unit_test(a_thread_keeps_so_much_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
