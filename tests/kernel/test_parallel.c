/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The task pool, memory, the exchange between threads, phases, and integration of DOF types.
 */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <divan/divan.h>

enum { ITEMS = 100003 };

static uint8_t touched[ITEMS];

static void touch(void *context, uint32_t begin, uint32_t end)
{
    (void)context;
    for (uint32_t i = begin; i < end; i++)
        touched[i]++;
}

static double harmonic(void *context, uint32_t begin, uint32_t end)
{
    (void)context;
    double sum = 0;
    for (uint32_t i = begin; i < end; i++)
        sum += 1.0 / (i + 1);
    return sum;
}

static void every_item_is_done_once_by_any_number_of_threads(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 8; threads++) {
        dv_parallel_set_threads(threads);
        assert_int_equal(dv_parallel_threads(), threads);
        for (uint32_t grain = 1; grain < ITEMS; grain = grain * 7 + 1) {
            memset(touched, 0, sizeof touched);
            dv_parallel_for(ITEMS, grain, touch, NULL);
            for (uint32_t i = 0; i < ITEMS; i++)
                assert_int_equal(touched[i], 1);
        }
    }
    dv_parallel_for(0, 1, touch, NULL);
    dv_parallel_set_threads(1);
}

static void a_sum_has_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    dv_parallel_set_threads(1);
    const double one = dv_parallel_sum(ITEMS, 100, harmonic, NULL);
    /* H_n = ln n + gamma + 1 / 2n - ... */
    assert_true(fabs(one - (log(ITEMS) + 0.57721566490153286 + 0.5 / ITEMS)) < 1e-10);
    for (unsigned threads = 2; threads <= 8; threads++) {
        dv_parallel_set_threads(threads);
        for (int repeat = 0; repeat < 200; repeat++)
            assert_true(dv_parallel_sum(ITEMS, 100, harmonic, NULL) == one);
    }
    dv_parallel_set_threads(0);
    assert_true(dv_parallel_threads() >= 1);
    dv_parallel_set_threads(1);
    assert_true(dv_parallel_sum(0, 100, harmonic, NULL) == 0);
}

static void nest(void *context, uint32_t begin, uint32_t end)
{
    double *sums = context;
    for (uint32_t i = begin; i < end; i++)
        sums[i] = dv_parallel_sum(1000, 10, harmonic, NULL);
}

static void loops_within_loops_run_in_place(void **state)
{
    (void)state;
    double sums[64] = {0};
    dv_parallel_set_threads(1);
    const double expected = dv_parallel_sum(1000, 10, harmonic, NULL);
    dv_parallel_set_threads(4);
    dv_parallel_for(64, 1, nest, sums);
    for (int i = 0; i < 64; i++)
        assert_true(sums[i] == expected);
    dv_parallel_set_threads(1);
}

static void smaller_grains_change_chunks_but_not_what_is_done(void **state)
{
    (void)state;
    dv_parallel_set_threads(2);
    dv_parallel_set_grain_divisor(1000000);
    memset(touched, 0, sizeof touched);
    dv_parallel_for(ITEMS, 1 << 20, touch, NULL);
    for (uint32_t i = 0; i < ITEMS; i++)
        assert_int_equal(touched[i], 1);
    dv_parallel_set_grain_divisor(0); /* counts as 1 */
    dv_parallel_set_threads(1);
}

static void blocks_are_zeroed_aligned_and_counted(void **state)
{
    (void)state;
    const uint64_t before = dv_allocation_count();
    double *block = dv_alloc(10, sizeof *block);
    assert_int_equal((uintptr_t)block % 64, 0);
    for (int i = 0; i < 10; i++)
        assert_true(block[i] == 0);
    block[9] = 7;
    block = dv_realloc(block, 10 * sizeof *block, 1000 * sizeof *block);
    assert_true(block[9] == 7 && block[10] == 0 && block[999] == 0);
    block = dv_realloc(block, 1000 * sizeof *block, 5 * sizeof *block);
    dv_free(block);
    dv_free(dv_alloc(0, 8));
    char *copy = dv_strdup("text");
    assert_string_equal(copy, "text");
    dv_free(copy);
    assert_null(dv_strdup(NULL));
    assert_int_equal(dv_allocation_count() - before, 5);
}

static void the_arena_grows_to_the_largest_step_and_then_allocates_no_more(void **state)
{
    (void)state;
    for (int step = 0; step < 3; step++) {
        char *blocks[20];
        for (int i = 0; i < 20; i++) {
            blocks[i] = dv_step_alloc(1000, 1);
            assert_int_equal((uintptr_t)blocks[i] % 64, 0);
            memset(blocks[i], i, 1000);
        }
        for (int i = 0; i < 20; i++)
            assert_true(blocks[i][0] == i && blocks[i][999] == i);
        dv_step_free_all();
    }
    const uint64_t before = dv_allocation_count();
    for (int i = 0; i < 20; i++)
        assert_non_null(dv_step_alloc(1000, 1));
    dv_step_free_all();
    assert_int_equal(dv_allocation_count(), before);
}

enum { MESSAGES = 200000 };

typedef struct Exchange {
    DvSnapshot *snapshot;
    DvMailbox *mailbox;
} Exchange;

typedef struct Block { /* a torn block has unequal halves */
    uint64_t first[32], last[32];
} Block;

static void *fast_side(void *context)
{
    Exchange *exchange = context;
    uint64_t newest = 0, torn = 0;
    for (uint64_t sent = 0; sent < MESSAGES;) {
        bool fresh;
        const Block *block = dv_snapshot_latest(exchange->snapshot, &fresh);
        for (int i = 0; i < 32; i++)
            torn += block->first[i] != block->first[0] || block->last[i] != block->first[0];
        torn += block->first[0] < newest; /* snapshots never go back */
        newest = block->first[0];
        if (dv_mailbox_post(exchange->mailbox, &sent))
            sent++;
    }
    return (void *)(uintptr_t)torn;
}

static void a_fast_thread_reads_whole_snapshots_and_posts_in_order(void **state)
{
    (void)state;
    Exchange exchange = {dv_snapshot_new(sizeof(Block)), dv_mailbox_new(sizeof(uint64_t), 64)};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, fast_side, &exchange), 0);
    uint64_t expected = 0;
    for (uint64_t version = 1; expected < MESSAGES; version++) {
        Block *block = dv_snapshot_begin(exchange.snapshot);
        for (int i = 0; i < 32; i++)
            block->first[i] = block->last[i] = version;
        dv_snapshot_publish(exchange.snapshot);
        for (uint64_t message; dv_mailbox_take(exchange.mailbox, &message);)
            assert_int_equal(message, expected++);
    }
    void *torn;
    pthread_join(thread, &torn);
    assert_null(torn);
    bool fresh;
    dv_snapshot_latest(exchange.snapshot, NULL);
    dv_snapshot_latest(exchange.snapshot, &fresh);
    assert_false(fresh);
    dv_snapshot_free(exchange.snapshot);
    dv_snapshot_free(NULL);
    dv_mailbox_free(exchange.mailbox);
    dv_mailbox_free(NULL);
}

static void a_full_mailbox_says_so(void **state)
{
    (void)state;
    DvMailbox *mailbox = dv_mailbox_new(sizeof(int), 0); /* room for one at least */
    int message = 1;
    assert_true(dv_mailbox_post(mailbox, &message));
    assert_false(dv_mailbox_post(mailbox, &message));
    assert_true(dv_mailbox_take(mailbox, &message));
    assert_false(dv_mailbox_take(mailbox, &message));
    dv_mailbox_free(mailbox);
}

static void phases_add_up_and_inner_ones_stop_the_outer(void **state)
{
    (void)state;
    dv_phase_begin("off"); /* not enabled: nothing happens */
    dv_phase_end();
    assert_int_equal(dv_phase_count(), 0);
    dv_phase_enable(true);
    for (int i = 0; i < 3; i++) {
        dv_phase_begin("outer");
        dv_phase_begin("inner");
        dv_phase_end();
        dv_phase_end();
    }
    dv_phase_end(); /* one too many: harmless */
    double seconds;
    uint64_t calls;
    assert_int_equal(dv_phase_count(), 2);
    assert_string_equal(dv_phase_at(0, &seconds, &calls), "outer");
    assert_true(calls == 3 && seconds >= 0);
    assert_string_equal(dv_phase_at(1, NULL, NULL), "inner");
    assert_null(dv_phase_at(2, NULL, NULL));
    dv_phase_enable(false);
}

static void rotations_integrate_to_the_closed_form_and_differences_lead_back(void **state)
{
    (void)state;
    assert_ptr_equal(dv_dof_type("Rigid3d"), &dv_rigid3d);
    assert_null(dv_dof_type("Vec4d"));
    const double x[7] = {1, 2, 3, 0, 0, 0, 1}, v[6] = {1, 0, -1, 0, 0, 0.8};
    double moved[7], back[6];
    dv_dof_integrate(&dv_rigid3d, 1, moved, x, v, 0.5);
    const double expected[7] = {1.5, 2, 2.5, 0, 0, sin(0.2), cos(0.2)}; /* half the angle 0.4 */
    for (int i = 0; i < 7; i++)
        assert_true(fabs(moved[i] - expected[i]) < 1e-15);
    dv_dof_difference(&dv_rigid3d, 1, back, moved, x);
    for (int i = 0; i < 6; i++)
        assert_true(fabs(back[i] - 0.5 * v[i]) < 1e-12);
    const double plane[3] = {0, 0, 3}, turned[3] = {1, 0, 3.5 - 2 * 3.14159265358979323846};
    dv_dof_integrate(&dv_vec2d, 1, moved, x, v, 2);
    assert_true(moved[0] == 3 && moved[1] == 2);
    dv_dof_difference(&dv_rigid2d, 1, back, plane, turned);
    assert_true(back[0] == -1 && back[1] == 0);
    assert_true(fabs(back[2] + 0.5) < 1e-14); /* from 3.5 rad to 3 rad: the short way round, not by 5.78 rad */
    const double two[6] = {4, 5, 1, 0, 0, 3}, others[6] = {1, 1, 0.25, 2, 0, -3};
    dv_dof_difference(&dv_rigid2d, 2, back, two, others);
    assert_true(back[0] == 3 && back[1] == 4 && fabs(back[2] - 0.75) < 1e-15);
    assert_true(back[3] == -2 && back[4] == 0 && fabs(back[5] - (6 - 2 * 3.14159265358979323846)) < 1e-14);
    dv_dof_difference(&dv_vec3d, 1, back, x, v);
    assert_true(back[2] == 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_done_once_by_any_number_of_threads),
        cmocka_unit_test(a_sum_has_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(loops_within_loops_run_in_place),
        cmocka_unit_test(smaller_grains_change_chunks_but_not_what_is_done),
        cmocka_unit_test(blocks_are_zeroed_aligned_and_counted),
        cmocka_unit_test(the_arena_grows_to_the_largest_step_and_then_allocates_no_more),
        cmocka_unit_test(a_fast_thread_reads_whole_snapshots_and_posts_in_order),
        cmocka_unit_test(a_full_mailbox_says_so),
        cmocka_unit_test(phases_add_up_and_inner_ones_stop_the_outer),
        cmocka_unit_test(rotations_integrate_to_the_closed_form_and_differences_lead_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
