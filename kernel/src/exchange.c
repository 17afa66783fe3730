/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Snapshots (triple buffers) and mailboxes (rings) between two threads, without locks.
 *
 * Triple buffer: writer and reader own a block each, the third is in the middle. Publishing and taking swap one's own block with the
 * middle one by a single atomic exchange, so neither ever sees a block the other works on.
 */
#include "internal.h"

#include <stdatomic.h>
#include <string.h>

struct DvSnapshot {
    char *blocks[3];
    unsigned writing, reading; /* owned by the writer, by the reader */
    _Atomic unsigned middle;   /* block number, with FRESH when the reader has not seen it */
};
enum { FRESH = 4u };

DvSnapshot *dv_snapshot_new(size_t bytes)
{
    DvSnapshot *snapshot = dv_alloc(1, sizeof *snapshot);
    for (unsigned i = 0; i < 3; i++)
        snapshot->blocks[i] = dv_alloc(1, bytes);
    snapshot->writing = 1;
    atomic_init(&snapshot->middle, 2);
    return snapshot;
}

void dv_snapshot_free(DvSnapshot *snapshot)
{
    if (!snapshot)
        return;
    for (unsigned i = 0; i < 3; i++)
        dv_free(snapshot->blocks[i]);
    dv_free(snapshot);
}

void *dv_snapshot_begin(DvSnapshot *snapshot)
{
    return snapshot->blocks[snapshot->writing];
}

void dv_snapshot_publish(DvSnapshot *snapshot)
{
    snapshot->writing = atomic_exchange(&snapshot->middle, snapshot->writing | FRESH) & ~(unsigned)FRESH;
}

const void *dv_snapshot_latest(DvSnapshot *snapshot, bool *fresh)
{
    const bool is_fresh = atomic_load(&snapshot->middle) & FRESH;
    if (is_fresh)
        snapshot->reading = atomic_exchange(&snapshot->middle, snapshot->reading) & ~(unsigned)FRESH;
    if (fresh)
        *fresh = is_fresh;
    return snapshot->blocks[snapshot->reading];
}

struct DvMailbox {
    char *messages;
    size_t message_bytes, capacity;
    _Atomic size_t posted, taken; /* since the start; their difference is what waits */
};

DvMailbox *dv_mailbox_new(size_t message_bytes, size_t capacity)
{
    DvMailbox *mailbox = dv_alloc(1, sizeof *mailbox);
    mailbox->capacity = capacity ? capacity : 1;
    mailbox->messages = dv_alloc(mailbox->capacity, message_bytes);
    mailbox->message_bytes = message_bytes;
    return mailbox;
}

void dv_mailbox_free(DvMailbox *mailbox)
{
    if (mailbox)
        dv_free(mailbox->messages);
    dv_free(mailbox);
}

bool dv_mailbox_post(DvMailbox *mailbox, const void *message)
{
    const size_t posted = atomic_load_explicit(&mailbox->posted, memory_order_relaxed);
    if (posted - atomic_load_explicit(&mailbox->taken, memory_order_acquire) == mailbox->capacity)
        return false;
    memcpy(mailbox->messages + posted % mailbox->capacity * mailbox->message_bytes, message, mailbox->message_bytes);
    atomic_store_explicit(&mailbox->posted, posted + 1, memory_order_release);
    return true;
}

bool dv_mailbox_take(DvMailbox *mailbox, void *message)
{
    const size_t taken = atomic_load_explicit(&mailbox->taken, memory_order_relaxed);
    if (atomic_load_explicit(&mailbox->posted, memory_order_acquire) == taken)
        return false;
    memcpy(message, mailbox->messages + taken % mailbox->capacity * mailbox->message_bytes, mailbox->message_bytes);
    atomic_store_explicit(&mailbox->taken, taken + 1, memory_order_release);
    return true;
}
