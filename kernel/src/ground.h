/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the core stands on: threads, memory, texts, lists, messages, loops. It knows of no object; a file of it includes this header alone.
 * In this order each needs those before it: thread.c, memory.c, text.c, list.c, log.c, parallel.c.
 */
#ifndef DIVAN_GROUND_H
#define DIVAN_GROUND_H

#include <stdarg.h>
#include <string.h>

#include <glib.h>

#include <divan/log.h>
#include <divan/memory.h>
#include <divan/parallel.h>

/* Pointers, in order. */
typedef struct List {
    void **at; /* [len] */
    uint32_t len, room;
} List;

/* Who listens to what is said of a scene. */
typedef struct Hearer {
    DvLogHandler hear;
    void *context;
} Hearer;
typedef struct Hearers {
    Hearer *at; /* [count] */
    size_t count;
} Hearers;

/* Who is told when a thread begins a step of a scene, and with what that gave when it ends. */
typedef struct StepWatch {
    size_t (*begins)(void);
    void (*ends)(const DvScene *scene, size_t begun);
} StepWatch;

/* The scratch of a thread. */
typedef struct Arena {
    char *block;
    size_t capacity, used, peak; /* bytes; peak: the most in use at once, extra blocks included */
    struct ExtraBlock {
        void *at;
        size_t bytes;
    } * extra; /* blocks beyond the capacity */
    size_t extra_count, extra_capacity, extra_bytes;
} Arena;

/* What belongs to a thread. */
typedef struct Thread {
    struct Kept *kept; /* memory.c; or NULL */
    Arena arena;
    DvText last_error;
    unsigned calls;  /* of the host that are in progress: call.c */
    bool in_chunk;   /* of a loop: parallel.c */
    bool in_handler; /* of messages: log.c */
    void (*listener)(const DvMessage *message,
                     void *context); /* is told what this thread says, before the handler; or NULL */
    void *listener_context;
    const Hearers *hearers; /* of the scene of the innermost call in progress; or NULL */
    const StepWatch *watch; /* or NULL */
    void (*ends[8])(void);  /* free what it holds, the last first */
    unsigned end_count;
    volatile bool
        tries; /* to get memory that may not be there (memory.c): malloc may look, so it is written before the call */
} Thread;

/* thread.c */
/* Reached without a call: it is small enough for the room that the C library keeps for libraries opened late. */
extern _Thread_local Thread dv_private_thread __attribute__((tls_model("initial-exec")));
/* To be called before the thread comes to hold memory, each time: `end` frees it. */
DV_PUBLIC void dv_core_at_thread_end(void (*end)(void));
DV_PUBLIC void dv_core_watch_steps(const StepWatch *watch); /* those of the calling thread; NULL: nobody does */
void dv_private_thread_free(void);                          /* what the calling thread holds */

/* memory.c */
DV_PUBLIC bool dv_core_has_room(size_t bytes);            /* in the heap, now */
extern DV_PUBLIC void (*dv_core_no_memory)(size_t bytes); /* what a process without memory ends by; NULL: abort */
DV_PUBLIC char *dv_core_strndup(const char *text, size_t length); /* for dv_free */

/* text.c */
DV_PUBLIC int dv_core_compare_words(const void *left, const void *right); /* of arrays of char *, for sorting */

/* list.c */
#define DV_PRIVATE_NOT_THERE UINT32_MAX
void dv_private_list_add(List *list, void *what);
void dv_private_list_insert(List *list, uint32_t index, void *what);
uint32_t dv_private_list_find(const List *list, const void *what); /* the last one; or DV_PRIVATE_NOT_THERE */
void dv_private_list_remove(List *list, const void *what);         /* the last one, if it is there */
void dv_private_list_remove_at(List *list, uint32_t index);
void dv_private_list_free(List *list); /* it is empty then */

/* log.c */
/* From now on what the calling thread says is told to this function too, before the handler; NULL: no more. */
DV_PUBLIC void dv_core_listen(void (*listener)(const DvMessage *message, void *context), void *context);
bool dv_private_log_shows(DvLevel level); /* the default handler */
void dv_private_hearers_add(Hearers *hearers, DvLogHandler hear, void *context);
void dv_private_hearers_remove(Hearers *hearers, const void *context);
/* To them too; NULL: to those of the scene of the call that is in progress, if any. */
void dv_private_emit(DvMessage *message, const Hearers *hearers, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

/* parallel.c */
void dv_private_parallel_stop(void);
/* Whether the caller is a chunk of a loop; then, with a message, `function` may not be called. `file`: of the scene; or NULL. */
bool dv_private_in_chunk(const char *function, const char *file);

#endif
