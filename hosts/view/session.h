/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The simulation thread. It owns the scene: loads it, makes its steps, applies messages between them in the order in which they came, and
 * publishes snapshots. The window posts and looks, and never waits for a step.
 *
 * What changes the scene is stamped with the number of steps made since it was opened: those messages at those steps give the same
 * bits again. A run in which nothing is changed has the bits of `divan run`.
 *
 * The plugins have been started by the thread that calls session_new; one session at a time.
 */
#ifndef DIVAN_VIEW_SESSION_H
#define DIVAN_VIEW_SESSION_H

#include "logbook.h"
#include "message.h"
#include "snapshot.h"

typedef struct Session Session;

Session *session_new(Logbook *book);                         /* which outlives it */
void session_free(Session *session);                         /* after the present step; what is recorded is ended */
void session_post(Session *session, const Message *message); /* [any] copied; never waits for a step */
/* The latest, never NULL, to be given back by snapshot_unref.     [any] */
Snapshot *session_snapshot(Session *session);
/* Waits until all that was posted has been applied and published.     [any], but not the session's own */
Snapshot *session_settle(Session *session);
/* Called by the session's thread with each snapshot that it publishes, so that a window that waits for events wakes up. */
void session_on_publish(Session *session, void (*wake)(void *context), void *context);

#endif
