/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What belongs to a thread: its scratch, blocks it keeps, its phases, its last error, and where it is now (in a chunk of a loop, in the handler of messages, in
 * calls of a host). Two threads that run two scenes so share nothing of it. What it holds goes when the thread ends.
 */
#include "internal.h"

#include <pthread.h>
#include <string.h>

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

void dv_private_thread_holds(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (dv_private_thread.is_freed_at_end)
        return;
    pthread_once(&once, make_key);
    (void)pthread_setspecific(at_end, &dv_private_thread);
    dv_private_thread.is_freed_at_end = true;
}

void dv_private_thread_free(void)
{
    dv_private_arena_free(&dv_private_thread.arena);
    dv_phase_enable(false);
    dv_text_free(&dv_private_thread.last_error);
    dv_private_kept_free();
}
