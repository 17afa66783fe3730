/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What belongs to a thread: its scratch, blocks it keeps, its last error, and where it is now (in a chunk of a loop, in the handler of
 * messages, in calls of a host). Two threads that run two scenes so share nothing of it. Whoever comes to hold memory for a thread says
 * how it is freed when the thread ends.
 */
#include "ground.h"

#include <pthread.h>

_Thread_local Thread dv_private_thread;

static pthread_key_t at_end;

static void thread_ends(void *thread)
{
    (void)thread;
    dv_private_thread_free();
}

static void make_key(void)
{
    if (pthread_key_create(&at_end, thread_ends) != 0)
        g_error("the system gives no place for what belongs to a thread");
}

void dv_core_at_thread_end(void (*end)(void))
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    Thread *thread = &dv_private_thread;
    for (unsigned i = 0; i < thread->end_count; i++)
        if (thread->ends[i] == end)
            return;
    g_assert(thread->end_count < G_N_ELEMENTS(thread->ends));
    pthread_once(&once, make_key);
    (void)pthread_setspecific(at_end, thread);
    thread->ends[thread->end_count++] = end;
}

/* What one of them gives back another one may keep, which then is asked again. */
void dv_private_thread_free(void)
{
    Thread *thread = &dv_private_thread;
    while (thread->end_count)
        thread->ends[--thread->end_count]();
}

void dv_core_watch_steps(const StepWatch *watch)
{
    dv_private_thread.watch = watch;
}
