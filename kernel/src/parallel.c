/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The task pool. Threads claim chunks of the one loop that runs, the caller among them.
 *
 * The state of the loop is one 64-bit word: its number, how many chunks it has, which is next. A thread reads the word, then what the
 * loop is, then claims a chunk by compare-and-swap of the word: if that succeeds, the loop has not changed meanwhile. So a
 * thread that was asleep or descheduled is never waited for. Idle threads spin for some microseconds, then sleep on a condition
 * variable: loops that follow each other closely cost a fraction of a microsecond to start.
 */
#include "internal.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

enum {
    MAX_THREADS = 64,
    MAX_CHUNKS = 65535, /* fits the word; a larger loop gets larger chunks */
    SPINS = 4000
};

typedef void (*LoopBody)(void *context, uint32_t begin, uint32_t end);
typedef double (*SumBody)(void *context, uint32_t begin, uint32_t end);

static struct {
    _Atomic uint64_t word; /* loop number << 32 | chunks << 16 | next chunk */
    _Atomic uint32_t done; /* chunks finished */
    _Atomic(LoopBody) body;
    _Atomic(SumBody) sum_body;
    _Atomic(void *) context;
    _Atomic(double *) partial; /* [chunks] of a sum */
    _Atomic uint32_t n, chunk;
    _Atomic uint32_t sleepers;
    _Atomic bool quit;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    pthread_t threads[MAX_THREADS];
    unsigned running; /* started threads, without the caller */
    unsigned wanted;  /* threads, with the caller */
    uint32_t grain_divisor;
    double *partials;
    uint32_t partials_capacity;
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER, .wanted = 1, .grain_divisor = 1};

static _Thread_local bool inside_loop;

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
static bool run_one_chunk(void)
{
    uint64_t word = atomic_load(&pool.word);
    while (next_of(word) < chunks_of(word)) {
        const LoopBody body = atomic_load_explicit(&pool.body, memory_order_relaxed);
        const SumBody sum_body = atomic_load_explicit(&pool.sum_body, memory_order_relaxed);
        void *context = atomic_load_explicit(&pool.context, memory_order_relaxed);
        double *partial = atomic_load_explicit(&pool.partial, memory_order_relaxed);
        const uint32_t n = atomic_load_explicit(&pool.n, memory_order_relaxed);
        const uint32_t chunk = atomic_load_explicit(&pool.chunk, memory_order_relaxed);
        if (!atomic_compare_exchange_strong(&pool.word, &word, word + 1))
            continue;
        const uint32_t index = next_of(word);
        const uint32_t begin = index * chunk;
        const uint32_t end = n - begin < chunk ? n : begin + chunk;
        inside_loop = true;
        if (sum_body)
            partial[index] = sum_body(context, begin, end);
        else
            body(context, begin, end);
        inside_loop = false;
        atomic_fetch_add_explicit(&pool.done, 1, memory_order_release);
        return true;
    }
    return false;
}

static bool work_waits(void)
{
    const uint64_t word = atomic_load(&pool.word);
    return next_of(word) < chunks_of(word) || atomic_load(&pool.quit);
}

static void *thread_main(void *unused)
{
    (void)unused;
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
        while (run_one_chunk())
            ;
    }
    return NULL;
}

void dv_private_parallel_stop(void)
{
    atomic_store(&pool.quit, true);
    pthread_mutex_lock(&pool.mutex);
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.mutex);
    for (unsigned i = 0; i < pool.running; i++)
        pthread_join(pool.threads[i], NULL);
    pool.running = 0;
    atomic_store(&pool.quit, false);
    dv_free(pool.partials);
    pool.partials = NULL;
    pool.partials_capacity = 0;
}

void dv_parallel_set_threads(unsigned threads)
{
    if (threads == 0) {
        const long cores = sysconf(_SC_NPROCESSORS_ONLN);
        threads = cores > 0 ? (unsigned)cores : 1;
    }
    dv_private_parallel_stop();
    pool.wanted = threads < MAX_THREADS ? threads : MAX_THREADS;
    while (pool.running + 1 < pool.wanted && pthread_create(&pool.threads[pool.running], NULL, thread_main, NULL) == 0)
        pool.running++;
    if (pool.running + 1 < pool.wanted) {
        dv_log(DV_LEVEL_WARNING, "the system gives only %u of %u threads", pool.running + 1, pool.wanted);
        pool.wanted = pool.running + 1;
    }
}

unsigned dv_parallel_threads(void)
{
    return pool.wanted;
}

void dv_parallel_set_grain_divisor(uint32_t divisor)
{
    pool.grain_divisor = divisor ? divisor : 1;
}

static uint32_t chunk_size(uint32_t n, uint32_t grain)
{
    const uint32_t chunk = grain / pool.grain_divisor;
    const uint32_t least = n / MAX_CHUNKS + 1;
    return chunk > least ? chunk : least;
}

static void run_shared(uint32_t n, uint32_t chunk, uint32_t chunks, LoopBody body, SumBody sum_body, void *context,
                       double *partial)
{
    const uint64_t number = (atomic_load(&pool.word) >> 32) + 1;
    atomic_store_explicit(&pool.body, body, memory_order_relaxed);
    atomic_store_explicit(&pool.sum_body, sum_body, memory_order_relaxed);
    atomic_store_explicit(&pool.context, context, memory_order_relaxed);
    atomic_store_explicit(&pool.partial, partial, memory_order_relaxed);
    atomic_store_explicit(&pool.n, n, memory_order_relaxed);
    atomic_store_explicit(&pool.chunk, chunk, memory_order_relaxed);
    atomic_store_explicit(&pool.done, 0, memory_order_relaxed);
    atomic_store(&pool.word, number << 32 | (uint64_t)chunks << 16);
    if (atomic_load(&pool.sleepers)) {
        pthread_mutex_lock(&pool.mutex);
        pthread_cond_broadcast(&pool.wake);
        pthread_mutex_unlock(&pool.mutex);
    }
    while (run_one_chunk())
        ;
    for (unsigned spin = 1; atomic_load_explicit(&pool.done, memory_order_acquire) < chunks; spin++) {
        pause_briefly();
        if (spin % SPINS == 0)
            sched_yield(); /* the thread that holds the last chunk may wait for this core */
    }
}

void dv_parallel_for(uint32_t n, uint32_t grain, void (*fn)(void *context, uint32_t begin, uint32_t end), void *context)
{
    const uint32_t chunk = chunk_size(n, grain);
    if (n > chunk && pool.running && !inside_loop) {
        run_shared(n, chunk, (n - 1) / chunk + 1, fn, NULL, context, NULL);
        return;
    }
    for (uint32_t begin = 0; begin < n;) {
        const uint32_t end = n - begin < chunk ? n : begin + chunk;
        fn(context, begin, end);
        begin = end;
    }
}

double dv_parallel_sum(uint32_t n, uint32_t grain, double (*fn)(void *context, uint32_t begin, uint32_t end),
                       void *context)
{
    const uint32_t chunk = chunk_size(n, grain);
    double sum = 0;
    if (n > chunk && pool.running && !inside_loop) {
        const uint32_t chunks = (n - 1) / chunk + 1;
        if (chunks > pool.partials_capacity) {
            dv_free(pool.partials);
            pool.partials = dv_alloc(chunks, sizeof *pool.partials);
            pool.partials_capacity = chunks;
        }
        run_shared(n, chunk, chunks, NULL, fn, context, pool.partials);
        for (uint32_t i = 0; i < chunks; i++)
            sum += pool.partials[i];
        return sum;
    }
    for (uint32_t begin = 0; begin < n;) {
        const uint32_t end = n - begin < chunk ? n : begin + chunk;
        sum += fn(context, begin, end);
        begin = end;
    }
    return sum;
}
