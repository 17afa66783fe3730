/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Exchange between a scene and a thread of another rate (haptics at 1 kHz): neither side ever waits for the other.
 *
 * A snapshot is a triple buffer: the writer fills one block and publishes it, the reader takes the newest whole one. A
 * mailbox is a ring for one sender and one receiver; when it is full the sender is told and nothing is lost silently.
 * Both are wait-free (Lamport 1977 for the ring); one writer or sender and one reader or receiver each.
 *
 * Writer and reader of a snapshot own a block each, the third is in the middle. Publishing and taking swap one's own block
 * with the middle one by a single atomic exchange, so neither ever sees a block the other works on.
 */
#ifndef DIVAN_EXCHANGE_H
#define DIVAN_EXCHANGE_H

#include <string.h>

#include <divan/memory.h>

DV_BEGIN_DECLS

enum { DV_SNAPSHOT_FRESH = 4 };

typedef struct DvSnapshot {
    void *blocks[3];
    unsigned writing, reading; /* owned by the writer, by the reader */
    unsigned middle;           /* atomic: block number, with DV_SNAPSHOT_FRESH when the reader has not seen it */
} DvSnapshot;

/* Three zeroed blocks of this size.     [main] */
static inline DvSnapshot *dv_snapshot_new(size_t bytes)
{
    DvSnapshot *snapshot = (DvSnapshot *)dv_alloc(1, sizeof(DvSnapshot));
    for (unsigned i = 0; i < 3; i++)
        snapshot->blocks[i] = dv_alloc(1, bytes);
    snapshot->writing = 1;
    snapshot->middle = 2;
    return snapshot;
}

/* When neither side uses it.     [main] */
static inline void dv_snapshot_free(DvSnapshot *snapshot)
{
    for (unsigned i = 0; snapshot && i < 3; i++)
        dv_free(snapshot->blocks[i]);
    dv_free(snapshot);
}

/* Writer: the block to fill; holds what was written three times ago. */
static inline void *dv_snapshot_begin(DvSnapshot *snapshot)
{
    return snapshot->blocks[snapshot->writing];
}

/* Writer: it is whole. */
static inline void dv_snapshot_publish(DvSnapshot *snapshot)
{
    const unsigned mine = snapshot->writing | (unsigned)DV_SNAPSHOT_FRESH;
    snapshot->writing = __atomic_exchange_n(&snapshot->middle, mine, __ATOMIC_SEQ_CST) & ~(unsigned)DV_SNAPSHOT_FRESH;
}

/* Reader: the newest whole block, valid until the next call; `fresh` (may be NULL) says whether it is another than
 * last time. */
static inline const void *dv_snapshot_latest(DvSnapshot *snapshot, bool *fresh)
{
    const bool is_fresh = (__atomic_load_n(&snapshot->middle, __ATOMIC_SEQ_CST) & (unsigned)DV_SNAPSHOT_FRESH) != 0;
    if (is_fresh)
        snapshot->reading =
            __atomic_exchange_n(&snapshot->middle, snapshot->reading, __ATOMIC_SEQ_CST) & ~(unsigned)DV_SNAPSHOT_FRESH;
    if (fresh)
        *fresh = is_fresh;
    return snapshot->blocks[snapshot->reading];
}

typedef struct DvMailbox {
    char *messages;
    size_t message_bytes, capacity;
    size_t posted, taken; /* atomic: since the start; their difference is what waits */
} DvMailbox;

/* [main] */
static inline DvMailbox *dv_mailbox_new(size_t message_bytes, size_t capacity)
{
    DvMailbox *mailbox = (DvMailbox *)dv_alloc(1, sizeof(DvMailbox));
    mailbox->capacity = capacity ? capacity : 1;
    mailbox->messages = (char *)dv_alloc(mailbox->capacity, message_bytes);
    mailbox->message_bytes = message_bytes;
    return mailbox;
}

/* [main] */
static inline void dv_mailbox_free(DvMailbox *mailbox)
{
    if (mailbox)
        dv_free(mailbox->messages);
    dv_free(mailbox);
}

/* Sender; false: full. */
DV_NODISCARD static inline bool dv_mailbox_post(DvMailbox *mailbox, const void *message)
{
    const size_t posted = __atomic_load_n(&mailbox->posted, __ATOMIC_RELAXED);
    if (posted - __atomic_load_n(&mailbox->taken, __ATOMIC_ACQUIRE) == mailbox->capacity)
        return false;
    memcpy(mailbox->messages + posted % mailbox->capacity * mailbox->message_bytes, message, mailbox->message_bytes);
    __atomic_store_n(&mailbox->posted, posted + 1, __ATOMIC_RELEASE);
    return true;
}

/* Receiver; false: empty. */
DV_NODISCARD static inline bool dv_mailbox_take(DvMailbox *mailbox, void *message)
{
    const size_t taken = __atomic_load_n(&mailbox->taken, __ATOMIC_RELAXED);
    if (__atomic_load_n(&mailbox->posted, __ATOMIC_ACQUIRE) == taken)
        return false;
    memcpy(message, mailbox->messages + taken % mailbox->capacity * mailbox->message_bytes, mailbox->message_bytes);
    __atomic_store_n(&mailbox->taken, taken + 1, __ATOMIC_RELEASE);
    return true;
}

DV_END_DECLS
#endif
