/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Threads of hosts. GLib ends the process by a signal when the system gives none, as where there is no memory for its stack.
 */
#ifndef DIVAN_HOSTS_THREAD_H
#define DIVAN_HOSTS_THREAD_H

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>

#include <divan/output.h>

/* As g_thread_new; without a thread the process ends with one line and status 1. */
static inline GThread *host_thread_new(const char *name, GThreadFunc run, gpointer data)
{
    GError *error = NULL;
    GThread *thread = g_thread_try_new(name, run, data, &error);
    if (!thread) {
        dv_output_abandon();
        fprintf(stderr, "error: the system gives no thread for the %s: %s\n", name, error->message);
        _Exit(1);
    }
    return thread;
}

#endif
