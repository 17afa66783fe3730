/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The task pool, memory, the exchange between threads, phases, and integration of DOF types.
 */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <divan/divan.h>

#include "share.h"

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

static void the_arena_grows_to_the_most_in_use_and_then_allocates_no_more(void **state)
{
    (void)state;
    const DvStepMark start = dv_step_mark();
    for (int step = 0; step < 3; step++) {
        char *blocks[20];
        for (int i = 0; i < 20; i++) {
            blocks[i] = dv_step_alloc(1000, 1);
            assert_int_equal((uintptr_t)blocks[i] % 64, 0);
            memset(blocks[i], i, 1000);
        }
        for (int i = 0; i < 20; i++)
            assert_true(blocks[i][0] == i && blocks[i][999] == i);
        dv_step_release(start);
    }
    const uint64_t before = dv_allocation_count();
    for (int i = 0; i < 20; i++)
        assert_non_null(dv_step_alloc(1000, 1));
    dv_step_release(start);
    assert_int_equal(dv_allocation_count(), before);
    assert_true(dv_step_bytes() >= 20 * 1024 && dv_step_bytes() < 21 * 1024); /* 1000 bytes take 1024 */
}

/* What a step takes a thousand times and gives back each time is held once; what was taken before a mark stays. */
static void scratch_is_given_back_to_the_mark(void **state)
{
    (void)state;
    const DvStepMark start = dv_step_mark();
    double *kept = dv_step_alloc(100, sizeof *kept);
    memset(kept, 1, 100 * sizeof *kept);
    const size_t before = dv_step_bytes();
    enum { LARGE = 1 << 20 };
    for (int i = 0; i < 100; i++) {
        const DvStepMark mark = dv_step_mark();
        memset(dv_step_alloc(LARGE, 1), 2, LARGE);
        const DvStepMark inner = dv_step_mark();
        memset(dv_step_alloc(LARGE, 1), 3, LARGE);
        dv_step_release(inner);
        memset(dv_step_alloc(LARGE, 1), 4, LARGE);
        dv_step_release(mark);
        assert_true(dv_step_bytes() <= before + 2 * LARGE);
    }
    for (int i = 0; i < 100; i++)
        assert_memory_equal(&kept[i], "\1\1\1\1\1\1\1\1", 8);
    dv_step_release(start);
    const size_t held = dv_step_bytes();
    assert_true(held >= 2 * LARGE && held <= before + 2 * LARGE + 1024); /* the most at once: two, and what was kept */
}

static void *takes_scratch(void *context)
{
    char *at = dv_step_alloc(1 << 16, 1);
    memset(at, 5, 1 << 16);
    *(char **)context = at;
    return NULL; /* it is given back when the thread ends: AddressSanitizer looks for what is not */
}

static void each_thread_has_scratch_of_its_own(void **state)
{
    (void)state;
    const DvStepMark start = dv_step_mark();
    const size_t before = dv_step_bytes();
    char *other = NULL, *own = dv_step_alloc(1 << 16, 1);
    const size_t held = dv_step_bytes();
    pthread_t thread;
    memset(own, 6, 1 << 16);
    assert_int_equal(pthread_create(&thread, NULL, takes_scratch, &other), 0);
    pthread_join(thread, NULL);
    assert_non_null(other);
    assert_int_equal(dv_step_bytes(), held);
    for (int i = 0; i < 1 << 16; i++)
        assert_int_equal(own[i], 6);
    dv_step_release(start);
    assert_true(dv_step_bytes() >= before);
}

/* Loops that several threads start at once, as several scenes do: each is done once, in the same chunks, with the same bits. */
enum { STARTERS = 6, LOOPS = 400, LENGTH = 5000 };

typedef struct Starter {
    uint32_t grain;
    double sum;
    uint8_t *counts;
    unsigned wrong;
} Starter;

static void count_item(void *context, uint32_t begin, uint32_t end)
{
    Starter *starter = context;
    for (uint32_t i = begin; i < end; i++)
        starter->counts[i]++;
}

static void *start_loops(void *context)
{
    Starter *starter = context;
    starter->counts = dv_alloc(LENGTH, 1);
    for (int loop = 1; loop <= LOOPS; loop++) {
        dv_parallel_for(LENGTH, starter->grain, count_item, starter);
        starter->wrong += dv_parallel_sum(LENGTH, starter->grain, harmonic, NULL) != starter->sum;
        if (loop % 200 == 0) {
            for (uint32_t i = 0; i < LENGTH; i++)
                starter->wrong += starter->counts[i] != 200;
            memset(starter->counts, 0, LENGTH);
        }
    }
    dv_free(starter->counts);
    return NULL;
}

static void loops_of_several_threads_share_the_pool(void **state)
{
    (void)state;
    Starter starters[STARTERS];
    dv_parallel_set_threads(1);
    for (uint32_t i = 0; i < STARTERS; i++)
        starters[i] = (Starter){.grain = 100 + 37 * i, .sum = dv_parallel_sum(LENGTH, 100 + 37 * i, harmonic, NULL)};
    dv_parallel_set_threads(3);
    pthread_t threads[STARTERS];
    for (int i = 0; i < STARTERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, start_loops, &starters[i]), 0);
    for (unsigned count = 1; count < 20; count++)
        dv_parallel_set_threads(count % 4 + 1); /* whoever starts a loop does not depend on the others */
    for (int i = 0; i < STARTERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < STARTERS; i++)
        assert_int_equal(starters[i].wrong, 0);
    dv_parallel_set_threads(1);
}

/* A loop in which each chunk waits for one of the other loop: it ends only if the two are in progress at the same time. */
typedef struct Meeting {
    atomic_int *mine, *other;
} Meeting;

static void meet(void *context, uint32_t begin, uint32_t end)
{
    const Meeting *meeting = context;
    (void)begin;
    (void)end;
    atomic_fetch_add(meeting->mine, 1);
    while (atomic_load(meeting->other) == 0)
        sched_yield();
}

static void *meet_in_a_loop(void *context)
{
    dv_parallel_for(8, 1, meet, context);
    return NULL;
}

static void two_loops_are_in_progress_at_the_same_time(void **state)
{
    (void)state;
    dv_parallel_set_threads(2);
    atomic_int here = 0, there = 0;
    Meeting one = {&here, &there}, two = {&there, &here};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, meet_in_a_loop, &two), 0);
    meet_in_a_loop(&one);
    pthread_join(thread, NULL);
    assert_int_equal(atomic_load(&here), 8);
    assert_int_equal(atomic_load(&there), 8);
    dv_parallel_set_threads(1);
}

/* All threads of the pool are in the chunks of a loop that goes on until another one, of many chunks, has ended: that one needs nobody. */
typedef struct Wait {
    atomic_int begun, ended;
} Wait;

static void wait_for_the_end(void *context, uint32_t begin, uint32_t end)
{
    Wait *wait = context;
    (void)begin;
    (void)end;
    atomic_fetch_add(&wait->begun, 1);
    while (atomic_load(&wait->ended) == 0)
        sched_yield();
}

static void *wait_in_a_loop(void *context)
{
    dv_parallel_for(3, 1, wait_for_the_end, context);
    return NULL;
}

static void whoever_starts_a_loop_needs_no_other_thread(void **state)
{
    (void)state;
    dv_parallel_set_threads(3);
    Wait wait = {0};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, wait_in_a_loop, &wait), 0);
    while (atomic_load(&wait.begun) < 3) /* the one that started it, and both of the pool */
        sched_yield();
    memset(touched, 0, sizeof touched);
    dv_parallel_for(ITEMS, 1000, touch, NULL);
    for (uint32_t i = 0; i < ITEMS; i++)
        assert_int_equal(touched[i], 1);
    assert_true(dv_parallel_sum(1000, 10, harmonic, NULL) > 7);
    atomic_store(&wait.ended, 1);
    pthread_join(thread, NULL);
    dv_parallel_set_threads(1);
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

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Until the clock has gone on by a millisecond at least. */
static void let_time_pass(void)
{
    for (const double start = now(); now() < start + 1e-3;)
        ;
}

static double seconds_of(const char *name)
{
    double seconds = 0;
    const char *at;
    for (size_t i = 0; (at = dv_phase_at(i, &seconds, NULL)); i++)
        if (strcmp(at, name) == 0)
            return seconds;
    return -1;
}

/* Clocks read outside and inside the calls bound what each phase may have been charged, however slow the machine is. */
static void phases_add_up_and_inner_ones_stop_the_outer(void **state)
{
    (void)state;
    dv_phase_begin("off"); /* not enabled: nothing happens */
    dv_phase_end();
    assert_int_equal(dv_phase_count(), 0);
    dv_phase_enable(true);
    double least[2] = {0}, most[2] = {0}, at[8];
    for (int i = 0; i < 3; i++) {
        at[0] = now();
        dv_phase_begin("outer");
        at[1] = now();
        let_time_pass();
        at[2] = now();
        dv_phase_begin("inner");
        at[3] = now();
        let_time_pass();
        at[4] = now();
        dv_phase_end();
        at[5] = now();
        let_time_pass();
        at[6] = now();
        dv_phase_end();
        at[7] = now();
        let_time_pass(); /* nobody's */
        least[0] += at[2] - at[1] + at[6] - at[5];
        most[0] += at[3] - at[0] + at[7] - at[4];
        least[1] += at[4] - at[3];
        most[1] += at[5] - at[2];
    }
    dv_phase_end(); /* one too many: harmless */
    double seconds;
    uint64_t calls;
    const double rounding = 1e-9;
    assert_int_equal(dv_phase_count(), 2);
    assert_string_equal(dv_phase_at(0, &seconds, &calls), "outer");
    assert_true(calls == 3 && seconds >= least[0] - rounding && seconds <= most[0] + rounding);
    assert_string_equal(dv_phase_at(1, &seconds, &calls), "inner");
    assert_true(calls == 3 && seconds >= least[1] - rounding && seconds <= most[1] + rounding);
    assert_null(dv_phase_at(2, NULL, NULL));
    dv_phase_enable(false);
}

static void phases_nest_and_are_named_without_limit(void **state)
{
    (void)state;
    enum { DEPTH = 200 };
    static char names[DEPTH][12];
    dv_phase_enable(true);
    const double first = now();
    for (int i = 0; i < DEPTH; i++) {
        snprintf(names[i], sizeof names[i], "%d", i);
        dv_phase_begin(names[i]);
    }
    let_time_pass();
    for (int i = 0; i < DEPTH; i++)
        dv_phase_end();
    const double last = now();
    let_time_pass();
    double sum = 0, seconds;
    uint64_t calls;
    assert_int_equal(dv_phase_count(), DEPTH);
    for (size_t i = 0; i < DEPTH; i++) {
        assert_string_equal(dv_phase_at(i, &seconds, &calls), names[i]);
        assert_int_equal(calls, 1);
        sum += seconds;
    }
    assert_true(seconds_of("199") >= 1e-3 && sum <= last - first + 1e-9);
    dv_phase_enable(false);
}

static void *sees_no_phases(void *context)
{
    dv_phase_begin("elsewhere");
    dv_phase_end();
    *(size_t *)context = dv_phase_count();
    return NULL;
}

static void phases_belong_to_the_thread_that_asked(void **state)
{
    (void)state;
    dv_phase_enable(true);
    size_t seen = 1;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, sees_no_phases, &seen), 0);
    pthread_join(thread, NULL);
    assert_int_equal(seen, 0);
    assert_int_equal(dv_phase_count(), 0);
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
        cmocka_unit_test(the_arena_grows_to_the_most_in_use_and_then_allocates_no_more),
        cmocka_unit_test(scratch_is_given_back_to_the_mark),
        cmocka_unit_test(each_thread_has_scratch_of_its_own),
        cmocka_unit_test(loops_of_several_threads_share_the_pool),
        cmocka_unit_test(two_loops_are_in_progress_at_the_same_time),
        cmocka_unit_test(whoever_starts_a_loop_needs_no_other_thread),
        cmocka_unit_test(a_fast_thread_reads_whole_snapshots_and_posts_in_order),
        cmocka_unit_test(a_full_mailbox_says_so),
        cmocka_unit_test(phases_add_up_and_inner_ones_stop_the_outer),
        cmocka_unit_test(phases_nest_and_are_named_without_limit),
        cmocka_unit_test(phases_belong_to_the_thread_that_asked),
        cmocka_unit_test(rotations_integrate_to_the_closed_form_and_differences_lead_back),
    };
    return share_run_group_tests(tests, NULL, NULL);
}
