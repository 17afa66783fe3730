/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Exchange between a scene and a thread of another rate (haptics at 1 kHz): neither side ever waits for the other.
 *
 * A snapshot is a triple buffer: the writer fills one block and publishes it, the reader takes the newest whole one. A
 * mailbox is a ring for one sender and one receiver; when it is full the sender is told and nothing is lost silently.
 * Both are wait-free (Lamport 1977 for the ring); one writer or sender and one reader or receiver each.
 */
#ifndef DIVAN_EXCHANGE_H
#define DIVAN_EXCHANGE_H

#include <divan/base.h>

DV_BEGIN_DECLS

typedef struct DvSnapshot DvSnapshot;
DV_PUBLIC DvSnapshot *dv_snapshot_new(size_t bytes);   /* [main] three zeroed blocks of this size */
DV_PUBLIC void dv_snapshot_free(DvSnapshot *snapshot); /* [main] when neither side uses it */
DV_PUBLIC void *dv_snapshot_begin(
    DvSnapshot *snapshot); /* writer: the block to fill; holds what was written three times ago */
DV_PUBLIC void dv_snapshot_publish(DvSnapshot *snapshot); /* writer: it is whole */
/* Reader: the newest whole block, valid until the next call; `fresh` (may be NULL) says whether it is another than
 * last time. */
DV_PUBLIC const void *dv_snapshot_latest(DvSnapshot *snapshot, bool *fresh);

typedef struct DvMailbox DvMailbox;
DV_PUBLIC DvMailbox *dv_mailbox_new(size_t message_bytes, size_t capacity);           /* [main] */
DV_PUBLIC void dv_mailbox_free(DvMailbox *mailbox);                                   /* [main] */
DV_NODISCARD DV_PUBLIC bool dv_mailbox_post(DvMailbox *mailbox, const void *message); /* sender; false: full */
DV_NODISCARD DV_PUBLIC bool dv_mailbox_take(DvMailbox *mailbox, void *message);       /* receiver; false: empty */

DV_END_DECLS
#endif
