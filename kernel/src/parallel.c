/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The task pool. Loops run in slots, one for each loop in progress; threads claim chunks, the one that started a loop among them.
 *
 * The state of a loop is one 64-bit word: its number in its slot, how many chunks it has, which is next. A thread reads the word, then
 * what the loop is, then claims a chunk by compare-and-swap of the word: if that succeeds, the loop has not changed meanwhile.
 * So a thread that was asleep or descheduled is never waited for. Loops of several scenes are in progress at once, each in a slot of its
 * own; the threads of the pool spread over the slots by starting to look at different ones, and whoever started a loop works on that
 * one alone, so none waits for another's. Idle threads spin for some microseconds, then sleep on a condition
 * variable: loops that follow each other closely cost a fraction of a microsecond to start.
 */
#include "ground.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

enum {
    MAX_THREADS = 64,
    MAX_SLOTS = 64,     /* a loop that finds none runs in place */
    MAX_CHUNKS = 65535, /* fits the word; a larger loop gets larger chunks */
    SPINS = 4000
};

typedef void (*LoopBody)(void *context, uint32_t begin, uint32_t end);
typedef double (*SumBody)(void *context, uint32_t begin, uint32_t end);

typedef struct Slot {
    _Alignas(64) _Atomic uint64_t word; /* loop number << 32 | chunks << 16 | next chunk */
    _Atomic uint32_t done;              /* chunks finished */
    _Atomic(LoopBody) body;
    _Atomic(SumBody) sum_body;
    _Atomic(void *) context;
    _Atomic(double *) partial; /* [chunks] of a sum */
    _Atomic uint32_t n, chunk;
    _Atomic bool taken;
} Slot;

static Slot slots[MAX_SLOTS];

static struct {
    _Atomic unsigned slots;   /* how many have ever been in use: those that are looked at */
    _Atomic unsigned helpers; /* threads that run, without those that start loops */
    _Atomic unsigned wanted;  /* threads for one loop, with the one that starts it */
    _Atomic uint32_t grain_divisor;
    _Atomic uint32_t sleepers;
    _Atomic bool quit;
    pthread_mutex_t mutex; /* of `wake` */
    pthread_cond_t wake;
    pthread_mutex_t change; /* of what follows */
    pthread_t threads[MAX_THREADS];
} pool = {
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .wake = PTHREAD_COND_INITIALIZER,
    .change = PTHREAD_MUTEX_INITIALIZER,
    .wanted = 1,
    .grain_divisor = 1,
};

static inline void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static uint32_t chunks_of(uint64_t word)
{
    return (uint32_t)(word >> 16) & 0xffffu;
}

static uint32_t next_of(uint64_t word)
{
    return (uint32_t)word & 0xffffu;
}

/* Claims and runs one chunk; false when there is none to claim. */
static bool run_one_chunk(Slot *slot)
{
    uint64_t word = atomic_load(&slot->word);
    while (next_of(word) < chunks_of(word)) {
        const LoopBody body = atomic_load_explicit(&slot->body, memory_order_relaxed);
        const SumBody sum_body = atomic_load_explicit(&slot->sum_body, memory_order_relaxed);
        void *context = atomic_load_explicit(&slot->context, memory_order_relaxed);
        double *partial = atomic_load_explicit(&slot->partial, memory_order_relaxed);
        const uint32_t n = atomic_load_explicit(&slot->n, memory_order_relaxed);
        const uint32_t chunk = atomic_load_explicit(&slot->chunk, memory_order_relaxed);
        if (!atomic_compare_exchange_strong(&slot->word, &word, word + 1))
            continue;
        const uint32_t index = next_of(word);
        const uint32_t begin = index * chunk;
        const uint32_t end = n - begin < chunk ? n : begin + chunk;
        const bool before = dv_private_thread.in_chunk; /* of who waits there for a job */
        dv_private_thread.in_chunk = true;
        if (sum_body)
            partial[index] = sum_body(context, begin, end);
        else
            body(context, begin, end);
        dv_private_thread.in_chunk = before;
        atomic_fetch_add_explicit(&slot->done, 1, memory_order_release);
        return true;
    }
    return false;
}

static bool work_waits(void)
{
    const unsigned count = atomic_load(&pool.slots);
    for (unsigned i = 0; i < count; i++) {
        const uint64_t word = atomic_load(&slots[i].word);
        if (next_of(word) < chunks_of(word))
            return true;
    }
    return atomic_load(&pool.quit);
}

static void *thread_main(void *number)
{
    const unsigned first = (unsigned)(uintptr_t)number;
    while (!atomic_load(&pool.quit)) {
        for (int spin = 0; spin < SPINS && !work_waits(); spin++)
            pause_briefly();
        if (!work_waits()) {
            pthread_mutex_lock(&pool.mutex);
            atomic_fetch_add(&pool.sleepers, 1);
            while (!work_waits())
                pthread_cond_wait(&pool.wake, &pool.mutex);
            atomic_fetch_sub(&pool.sleepers, 1);
            pthread_mutex_unlock(&pool.mutex);
        }
        const unsigned count = atomic_load(&pool.slots);
        for (unsigned i = 0; i < count; i++)
            while (run_one_chunk(&slots[(first + i) % count]))
                ;
    }
    return NULL;
}

static void stop_threads(void)
{
    atomic_store(&pool.quit, true);
    pthread_mutex_lock(&pool.mutex);
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.mutex);
    const unsigned count = atomic_exchange(&pool.helpers, 0);
    for (unsigned i = 0; i < count; i++)
        pthread_join(pool.threads[i], NULL);
    atomic_store(&pool.quit, false);
}

bool dv_private_in_chunk(const char *function, const char *file)
{
    if (dv_private_thread.in_chunk)
        dv_log_at(DV_LEVEL_ERROR, DV_ERROR_BUSY, file, 0, 0,
                  "%s: called by a chunk of dv_parallel_for; only the thread that makes the step may", function);
    return dv_private_thread.in_chunk;
}

void dv_private_parallel_stop(void)
{
    pthread_mutex_lock(&pool.change);
    stop_threads();
    pthread_mutex_unlock(&pool.change);
}

void dv_parallel_set_threads(unsigned threads)
{
    if (dv_private_in_chunk("dv_parallel_set_threads", NULL))
        return; /* it would wait for itself */
    if (threads == 0) {
        const long cores = sysconf(_SC_NPROCESSORS_ONLN);
        threads = cores > 0 ? (unsigned)cores : 1;
    }
    threads = MIN(threads, MAX_THREADS);
    pthread_mutex_lock(&pool.change);
    stop_threads();
    unsigned count = 0;
    while (count + 1 < threads &&
           pthread_create(&pool.threads[count], NULL, thread_main, (void *)(uintptr_t)count) == 0)
        count++;
    atomic_store(&pool.helpers, count);
    atomic_store(&pool.wanted, count + 1);
    pthread_mutex_unlock(&pool.change);
    if (count + 1 < threads)
        dv_log(DV_LEVEL_WARNING, "the system gives only %u of %u threads", count + 1, threads);
}

unsigned dv_parallel_threads(void)
{
    return atomic_load_explicit(&pool.wanted, memory_order_relaxed);
}

void dv_parallel_set_grain_divisor(uint32_t divisor)
{
    atomic_store_explicit(&pool.grain_divisor, divisor ? divisor : 1, memory_order_relaxed);
}

static uint32_t chunk_size(uint32_t n, uint32_t grain)
{
    const uint32_t divisor = atomic_load_explicit(&pool.grain_divisor, memory_order_relaxed);
    const uint32_t chunk = divisor == 1 ? grain : grain / divisor;
    const uint32_t least = n / MAX_CHUNKS + 1;
    return chunk > least ? chunk : least;
}

static bool is_shared(uint32_t n, uint32_t chunk)
{
    return n > chunk && atomic_load_explicit(&pool.helpers, memory_order_relaxed) && !dv_private_thread.in_chunk;
}

/* A slot that no loop is in; NULL: all are taken. */
static Slot *take_slot(void)
{
    for (unsigned i = 0; i < MAX_SLOTS; i++) {
        if (atomic_load_explicit(&slots[i].taken, memory_order_relaxed) ||
            atomic_exchange_explicit(&slots[i].taken, true, memory_order_acquire))
            continue;
        for (unsigned used = atomic_load(&pool.slots); used <= i;)
            if (atomic_compare_exchange_weak(&pool.slots, &used, i + 1))
                break;
        return &slots[i];
    }
    return NULL;
}

/* A loop for all threads in a slot that was taken; returns how many chunks. */
static uint32_t publish(Slot *slot, uint32_t n, uint32_t chunk, LoopBody body, SumBody sum_body, void *context,
                        double *partial)
{
    const uint32_t chunks = (n - 1) / chunk + 1;
    const uint64_t number = (atomic_load_explicit(&slot->word, memory_order_relaxed) >> 32) + 1;
    atomic_store_explicit(&slot->body, body, memory_order_relaxed);
    atomic_store_explicit(&slot->sum_body, sum_body, memory_order_relaxed);
    atomic_store_explicit(&slot->context, context, memory_order_relaxed);
    atomic_store_explicit(&slot->partial, partial, memory_order_relaxed);
    atomic_store_explicit(&slot->n, n, memory_order_relaxed);
    atomic_store_explicit(&slot->chunk, chunk, memory_order_relaxed);
    atomic_store_explicit(&slot->done, 0, memory_order_relaxed);
    atomic_store(&slot->word, number << 32 | (uint64_t)chunks << 16);
    if (atomic_load(&pool.sleepers)) {
        pthread_mutex_lock(&pool.mutex);
        pthread_cond_broadcast(&pool.wake);
        pthread_mutex_unlock(&pool.mutex);
    }
    return chunks;
}

/* Works on the loop until all of it is done, and gives the slot back. */
static void finish(Slot *slot, uint32_t chunks)
{
    while (run_one_chunk(slot))
        ;
    for (unsigned spin = 1; atomic_load_explicit(&slot->done, memory_order_acquire) < chunks; spin++) {
        pause_briefly();
        if (spin % SPINS == 0)
            sched_yield(); /* the thread that holds the last chunk may wait for this core */
    }
    atomic_store_explicit(&slot->taken, false, memory_order_release);
}

/* False when there is no slot: nothing has been done. */
static bool run_shared(uint32_t n, uint32_t chunk, LoopBody body, SumBody sum_body, void *context, double *partial)
{
    Slot *slot = take_slot();
    if (slot)
        finish(slot, publish(slot, n, chunk, body, sum_body, context, partial));
    return slot != NULL;
}

/* One of the bodies, over all chunks; the sum over the chunks in their order. Callers pass one that is NULL: the compiler
 * makes two functions of it. */
static inline __attribute__((always_inline)) double run(uint32_t n, uint32_t grain, LoopBody body, SumBody sum_body,
                                                        void *context)
{
    const uint32_t chunk = chunk_size(n, grain);
    double sum = 0;
    if (is_shared(n, chunk)) {
        const uint32_t chunks = (n - 1) / chunk + 1;
        const DvStepMark mark = dv_step_mark();
        double *partial = sum_body ? dv_step_alloc(chunks, sizeof *partial) : NULL;
        const bool shared = run_shared(n, chunk, body, sum_body, context, partial);
        for (uint32_t i = 0; shared && sum_body && i < chunks; i++)
            sum += partial[i];
        if (sum_body) /* else the loop's own scratch, if it wants some, stays */
            dv_step_release(mark);
        if (shared)
            return sum;
    }
#ifdef DV_CHECK_THREADS /* what runs in place is checked like what is shared */
    const bool before = dv_private_thread.in_chunk;
    dv_private_thread.in_chunk = true;
#endif
    for (uint32_t begin = 0, end; begin < n; begin = end) {
        end = n - begin < chunk ? n : begin + chunk;
        if (sum_body)
            sum += sum_body(context, begin, end);
        else
            body(context, begin, end);
    }
#ifdef DV_CHECK_THREADS
    dv_private_thread.in_chunk = before;
#endif
    return sum;
}

/* One chunk, run in place: most loops of small scenes. */
static inline bool is_small(uint32_t n, uint32_t grain)
{
#ifdef DV_CHECK_THREADS
    (void)n;
    (void)grain;
    return false;
#else
    return n - 1 < grain && atomic_load_explicit(&pool.grain_divisor, memory_order_relaxed) == 1;
#endif
}

void dv_parallel_for(uint32_t n, uint32_t grain, void (*fn)(void *context, uint32_t begin, uint32_t end), void *context)
{
    if (is_small(n, grain))
        fn(context, 0, n);
    else
        (void)run(n, grain, fn, NULL, context);
}

double dv_parallel_sum(uint32_t n, uint32_t grain, double (*fn)(void *context, uint32_t begin, uint32_t end),
                       void *context)
{
    return is_small(n, grain) ? 0.0 + fn(context, 0, n) : run(n, grain, NULL, fn, context);
}

/* A job is a loop of one chunk that its caller leaves to the others. */
enum { JOB_NONE, JOB_WAITS, JOB_RUNS };

/* Whoever comes first runs it: the chunk of its slot, or a thread that waits. */
static void run_job(void *job_, uint32_t begin, uint32_t end)
{
    DvJob *job = job_;
    uint32_t expected = JOB_WAITS;
    (void)begin;
    (void)end;
    if (!__atomic_compare_exchange_n(&job->state, &expected, JOB_RUNS, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return;
    const bool before = dv_private_thread.in_chunk;
    const DvStepMark mark = dv_step_mark();
    dv_private_thread.in_chunk = true;
    job->fn(job->context);
    dv_private_thread.in_chunk = before;
    dv_step_release(mark);
    __atomic_store_n(&job->state, JOB_NONE, __ATOMIC_RELEASE);
}

void dv_job_start(DvJob *job, void (*fn)(void *context), void *context)
{
    dv_job_wait(job);
    job->fn = fn;
    job->context = context;
    __atomic_store_n(&job->state, JOB_WAITS, __ATOMIC_RELEASE);
    Slot *slot = is_shared(2, 1) ? take_slot() : NULL;
    if (slot)
        (void)publish(slot, 1, 1, run_job, NULL, job, NULL);
    __atomic_store_n(&job->slot, slot, __ATOMIC_RELEASE);
}

/* One of those who wait has the slot and sees to its chunk, which holds the job's address. */
void dv_job_wait(DvJob *job)
{
    Slot *slot = __atomic_exchange_n(&job->slot, NULL, __ATOMIC_ACQ_REL);
    if (slot)
        finish(slot, 1);
    else
        run_job(job, 0, 1);
    for (unsigned spin = 1; __atomic_load_n(&job->state, __ATOMIC_ACQUIRE) != JOB_NONE; spin++) {
        pause_briefly();
        if (spin % SPINS == 0)
            sched_yield();
    }
}
