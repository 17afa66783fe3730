/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a run must remember of a LCPForceFeedback: its own, the port's, what waits to be seen, and the problems that it speaks of.
 */
#include "lcp_force_feedback.h"

#include <string.h>

typedef struct Remembered {
    LoopState loop;
    FeedbackReport report;
    uint64_t user_words, slots;
} Remembered;

/* Of a slot; then its lambda [rows] and the words of its problem. */
typedef struct RememberedSlot {
    uint64_t number, words, rows; /* of the slot plus 1; of the problem */
    uint64_t moved;               /* which rows the tool is in, plus 1; 0: none */
    uint64_t first, last;
    double x[7];
    uint64_t begun;
} RememberedSlot;

enum { REMEMBERED_WORDS = sizeof(Remembered) / 4, SLOT_WORDS = sizeof(RememberedSlot) / 4 };

static size_t words_of_slot(const LCPForceFeedback *self, uint32_t number)
{
    const Slot *slot = self->slots[number];
    const bool counts = slot->problem && self->words && feedback_is_waiting_for(&self->client.user, number + 1);
    const size_t problem = counts ? self->words->write(slot->problem, NULL) : 0;
    return problem > 0 ? SLOT_WORDS + 2 * (size_t)slot->problem->rows + problem : 0;
}

static void write_slot(const LCPForceFeedback *self, uint32_t number, size_t room, uint32_t *to)
{
    const Slot *slot = self->slots[number];
    const size_t rows = slot->problem->rows;
    RememberedSlot head = {.number = number + 1,
                           .words = room - SLOT_WORDS - 2 * rows,
                           .rows = rows,
                           .moved = slot->rows ? (uint64_t)(slot->rows - slot->problem->moved) + 1 : 0,
                           .first = slot->first,
                           .last = slot->last,
                           .begun = slot->begun};
    memcpy(head.x, slot->x, sizeof head.x);
    memcpy(to, &head, sizeof head);
    if (rows > 0 && slot->begun)
        memcpy(to + SLOT_WORDS, slot->lambda, rows * sizeof *slot->lambda);
    (void)self->words->write(slot->problem, to + SLOT_WORDS + 2 * rows);
}

/* Once, of a problem that no words can say. */
static void say_forgotten(LCPForceFeedback *self)
{
    for (uint32_t i = 0; i < self->slot_count && !self->told_of_memory; i++) {
        const Slot *slot = self->slots[i];
        if (!slot->problem || slot->problem->rows == 0 || !feedback_is_waiting_for(&self->client.user, i + 1) ||
            words_of_slot(self, i) > 0)
            continue;
        dv_remark(
            dv_object_of(self),
            "a constraint follows a law of a third party, which moments, checkpoints and saved scenes cannot hold: a run "
            "that goes on from one shows no force until its first step has ended");
        self->told_of_memory = true;
    }
}

void feedback_remember(LCPForceFeedback *self)
{
    const size_t port = haptics_state_words(self->client.port), user = haptics_user_words(&self->client.user);
    size_t words = REMEMBERED_WORDS + port + user;
    Remembered own;
    memset(&own, 0, sizeof own); /* the gaps too */
    own.loop = self->loop;
    own.report = self->report;
    own.user_words = user;
    say_forgotten(self);
    for (uint32_t i = 0; i < self->slot_count; i++) {
        const size_t of_slot = words_of_slot(self, i);
        own.slots += of_slot > 0;
        words += of_slot;
    }
    if (words > self->most_words) /* so that fewer contacts, and a few more, find their room */
        self->most_words = words + words / 2;
    uint32_t *to = dv_data_begin_all(&self->client.resume, self->most_words),
             *next = to + REMEMBERED_WORDS + port + user;
    memset(to, 0, 4 * self->most_words);
    memcpy(to, &own, sizeof own);
    haptics_state_write(self->client.port, to + REMEMBERED_WORDS);
    haptics_user_write(&self->client.user, to + REMEMBERED_WORDS + port);
    for (uint32_t i = 0; i < self->slot_count; i++) {
        const size_t of_slot = words_of_slot(self, i);
        if (of_slot > 0)
            write_slot(self, i, of_slot, next);
        next += of_slot;
    }
    dv_data_end(&self->client.resume);
}

/* A problem that has been read takes the place of what a slot held. */
static void fill_slot(LCPForceFeedback *self, const RememberedSlot *head, const uint32_t *words)
{
    const DvConstraintProblem *problem = self->words->read(words + 2 * head->rows, head->words);
    if (!problem)
        return;
    while (self->slot_count < head->number)
        feedback_add_slot(self);
    Slot *slot = self->slots[head->number - 1];
    const bool fits = problem->rows == head->rows && head->moved <= problem->moved_count && head->first <= head->last;
    const DvCorrectionRows *moved = fits && head->moved > 0 ? &problem->moved[head->moved - 1] : NULL;
    if (!fits || (moved && head->last > moved->first[moved->state_count])) {
        self->solver_ops->release_problem(problem);
        return;
    }
    feedback_hold(self, slot, problem);
    slot->rows = moved;
    slot->first = head->first;
    slot->last = head->last;
    slot->begun = head->begun != 0;
    memcpy(slot->x, head->x, sizeof slot->x);
    if (problem->rows > 0)
        memcpy(slot->lambda, words, problem->rows * sizeof *slot->lambda);
}

/* Of the words that are there; `next`: behind the head. */
static void read_slots(LCPForceFeedback *self, const uint32_t *next, const uint32_t *end, uint64_t count)
{
    enum { MOST_SLOTS = 4096 };
    for (uint64_t i = 0; i < count && self->words && end - next >= SLOT_WORDS; i++) {
        RememberedSlot head;
        memcpy(&head, next, sizeof head);
        next += SLOT_WORDS;
        const uint64_t rest = (uint64_t)(end - next);
        if (head.number == 0 || head.number > MOST_SLOTS || head.rows > rest / 2 || head.words > rest - 2 * head.rows)
            return;
        fill_slot(self, &head, next);
        next += 2 * head.rows + head.words;
    }
}

/* What is in `resume`; false: nothing of use. */
static bool read_head(LCPForceFeedback *self, Remembered *own, const uint32_t **words, size_t *count)
{
    *words = dv_data_uints(&self->client.resume, count);
    if (!self->client.port || *count < REMEMBERED_WORDS)
        return false;
    memcpy(own, *words, sizeof *own);
    const size_t port = haptics_state_words(self->client.port), rest = *count - REMEMBERED_WORDS;
    return rest >= port && own->user_words >= haptics_user_least_words(&self->client.user) &&
           own->user_words <= rest - port;
}

/* At the next start, which is that of the next step. */
void feedback_go_on(LCPForceFeedback *self)
{
    Remembered own;
    const uint32_t *words;
    size_t count;
    if (!read_head(self, &own, &words, &count))
        return;
    self->loop = own.loop;
    self->report = own.report;
    const uint32_t *slots = words + REMEMBERED_WORDS + haptics_state_words(self->client.port) + own.user_words;
    read_slots(self, slots, words + count, own.slots);
}

bool feedback_read_back(LCPForceFeedback *self)
{
    Remembered own;
    const uint32_t *words;
    size_t count;
    if (!read_head(self, &own, &words, &count))
        return false;
    haptics_state_read(self->client.port, words + REMEMBERED_WORDS);
    haptics_user_read(&self->client.user, words + REMEMBERED_WORDS + haptics_state_words(self->client.port),
                      own.user_words);
    return true;
}
