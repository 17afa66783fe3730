/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Jobs beside the caller's work: the same numbers whoever runs them, with one thread at the wait, beside loops, when all threads are busy,
 * when several wait, when the number of threads changes meanwhile.
 */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <divan/divan.h>

enum { TERMS = 20000, MANY = 200 };

typedef struct Sum {
    uint32_t first;
    double value;
    uint32_t runs;
    atomic_bool *go; /* that it waits for; or NULL */
    pthread_t thread;
} Sum;

static double part(void *context, uint32_t begin, uint32_t end)
{
    const uint32_t first = *(const uint32_t *)context;
    double sum = 0;
    for (uint32_t i = begin; i < end; i++)
        sum += 1.0 / (first + i + 1);
    return sum;
}

static void add_up(void *context)
{
    Sum *sum = context;
    double *scratch = dv_step_alloc(100, sizeof *scratch);
    while (sum->go != NULL && !atomic_load(sum->go))
        sched_yield();
    scratch[0] = dv_parallel_sum(TERMS, 100, part, &sum->first);
    sum->value = scratch[0];
    sum->runs++;
    sum->thread = pthread_self();
}

static double expected_of(uint32_t first)
{
    double sum = 0;
    for (uint32_t begin = 0; begin < TERMS; begin += 100)
        sum += part(&first, begin, begin + 100);
    return sum;
}

static void a_job_gives_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    const double expected = expected_of(3);
    uint32_t first = 7;
    const double beside = expected_of(first);
    for (unsigned threads = 1; threads <= 8; threads *= 2) {
        dv_parallel_set_threads(threads);
        DvJob job = {0};
        Sum sum = {.first = 3};
        for (uint32_t i = 0; i < MANY; i++) {
            dv_job_start(&job, add_up, &sum);
            assert_true(dv_parallel_sum(TERMS, 100, part, &first) == beside);
            dv_job_wait(&job);
            assert_int_equal(sum.runs, i + 1);
            assert_true(sum.value == expected);
            sum.value = 0;
        }
        dv_job_wait(&job); /* there is none */
        assert_int_equal(sum.runs, MANY);
    }
    dv_parallel_set_threads(1);
}

static void one_thread_runs_a_job_at_the_wait(void **state)
{
    (void)state;
    DvJob job = {0};
    Sum sum = {.first = 1};
    dv_parallel_set_threads(1);
    const uint64_t before = dv_allocation_count();
    for (int i = 0; i < 3; i++) {
        dv_job_start(&job, add_up, &sum);
        assert_int_equal(sum.runs, i);
        dv_job_wait(&job);
        assert_int_equal(sum.runs, i + 1);
        assert_true(pthread_equal(sum.thread, pthread_self()));
        if (i == 0) /* the scratch of the thread has grown */
            continue;
        assert_true(dv_allocation_count() - before <= 2);
    }
}

/* Both threads of the pool are held by jobs: the third is run by who waits for it, loops go on. */
static void busy_threads_hold_up_nobody(void **state)
{
    (void)state;
    atomic_bool go = false;
    DvJob held[2] = {0}, job = {0};
    Sum sums[2] = {{.go = &go}, {.go = &go}}, sum = {.first = 5};
    uint32_t first = 2;
    dv_parallel_set_threads(3);
    for (int i = 0; i < 2; i++)
        dv_job_start(&held[i], add_up, &sums[i]);
    dv_job_start(&job, add_up, &sum);
    assert_true(dv_parallel_sum(TERMS, 100, part, &first) == expected_of(2));
    dv_job_wait(&job);
    assert_true(sum.value == expected_of(5));
    atomic_store(&go, true);
    for (int i = 0; i < 2; i++) {
        dv_job_wait(&held[i]);
        assert_true(sums[i].value == expected_of(0));
    }
    dv_parallel_set_threads(1);
}

/* More than the pool has places for, one of them started again before it is waited for. */
static void there_may_be_many(void **state)
{
    static DvJob jobs[MANY];
    static Sum sums[MANY];
    (void)state;
    dv_parallel_set_threads(4);
    memset(sums, 0, sizeof sums);
    for (uint32_t i = 0; i < MANY; i++) {
        sums[i].first = i;
        dv_job_start(&jobs[i], add_up, &sums[i]);
    }
    dv_job_start(&jobs[0], add_up, &sums[0]);
    dv_parallel_set_threads(2); /* what nobody has begun waits for the next threads, or the wait */
    for (uint32_t i = MANY; i-- > 0;)
        dv_job_wait(&jobs[i]);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_true(sums[i].value == expected_of(i));
        assert_int_equal(sums[i].runs, i == 0 ? 2 : 1);
    }
    dv_parallel_set_threads(1);
}

typedef struct Wait {
    DvJob *job;
    const Sum *sum;
    double seen;
} Wait;

static void *wait_for(void *context)
{
    Wait *wait = context;
    dv_job_wait(wait->job);
    wait->seen = wait->sum->value;
    return NULL;
}

static void several_may_wait_for_one(void **state)
{
    enum { WAITERS = 4 };
    (void)state;
    for (unsigned threads = 1; threads <= 2; threads++) {
        dv_parallel_set_threads(threads);
        for (int repeat = 0; repeat < 50; repeat++) {
            DvJob job = {0};
            Sum sum = {.first = 9};
            Wait waits[WAITERS];
            pthread_t waiters[WAITERS];
            dv_job_start(&job, add_up, &sum);
            for (int i = 0; i < WAITERS; i++) {
                waits[i] = (Wait){&job, &sum, 0};
                assert_int_equal(pthread_create(&waiters[i], NULL, wait_for, &waits[i]), 0);
            }
            for (int i = 0; i < WAITERS; i++) {
                assert_int_equal(pthread_join(waiters[i], NULL), 0);
                assert_true(waits[i].seen == expected_of(9));
            }
            assert_int_equal(sum.runs, 1);
        }
    }
    dv_parallel_set_threads(1);
}

/* Chunks of a loop each with a job of their own: run at the wait. */
static void start_in_chunks(void *context, uint32_t begin, uint32_t end)
{
    Sum *sums = context;
    for (uint32_t i = begin; i < end; i++) {
        DvJob job = {0};
        sums[i].first = i;
        dv_job_start(&job, add_up, &sums[i]);
        assert_int_equal(sums[i].runs, 0);
        dv_job_wait(&job);
    }
}

static void jobs_of_loops_run_in_place(void **state)
{
    Sum sums[16] = {0};
    (void)state;
    dv_parallel_set_threads(4);
    dv_parallel_for(16, 1, start_in_chunks, sums);
    for (uint32_t i = 0; i < 16; i++)
        assert_true(sums[i].value == expected_of(i) && sums[i].runs == 1);
    dv_parallel_set_threads(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_gives_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(one_thread_runs_a_job_at_the_wait),
        cmocka_unit_test(busy_threads_hold_up_nobody),
        cmocka_unit_test(there_may_be_many),
        cmocka_unit_test(several_may_wait_for_one),
        cmocka_unit_test(jobs_of_loops_run_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
