/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What every header of Divan needs: visibility, status codes, the words used for threads.
 *
 * Threads. Each function says who may call it:
 *   [main]    the thread that owns the scene, outside a time step
 *   [step]    the same thread, also inside a time step
 *   [worker]  a chunk of dv_parallel_for
 *   [any]     any thread at any time
 * A function without a word is [step].
 *
 * Memory. A `const` pointer that a function returns belongs to the object it came from. Allocation failure ends the
 * process with a message, as in GLib: no function reports it.
 */
#ifndef DIVAN_BASE_H
#define DIVAN_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define DV_BEGIN_DECLS extern "C" {
#define DV_END_DECLS   }
#else
#define DV_BEGIN_DECLS
#define DV_END_DECLS
#endif

#if defined(__GNUC__)
#define DV_PUBLIC              __attribute__((visibility("default")))
#define DV_NODISCARD           __attribute__((warn_unused_result))
#define DV_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define DV_PUBLIC
#define DV_NODISCARD
#define DV_PRINTF(text, first)
#endif

DV_BEGIN_DECLS

typedef enum DvStatus {
    DV_OK = 0,
    DV_ERROR_INVALID,      /* bad input: a value, a scene, an argument */
    DV_ERROR_NOT_FOUND,    /* a file, a class, a field, an object */
    DV_ERROR_MISSING,      /* something a component needs is not in the scene */
    DV_ERROR_ABI,          /* a plugin made for another kernel */
    DV_ERROR_CYCLE,        /* links, includes or plugins that need each other */
    DV_ERROR_NOT_FINITE,   /* a state that is no longer a number */
    DV_ERROR_SINGULAR,     /* a matrix that cannot be factored */
    DV_ERROR_UNSUPPORTED,  /* asked for something this object does not offer */
    DV_ERROR_LIMIT,        /* input beyond a limit on depth, size, count or time */
    DV_ERROR_IO,           /* the system refused to read or write */
    DV_ERROR_BUSY,         /* asked for a scene that another thread is using, or from a chunk of a loop */
    DV_ERROR_NOT_CONVERGED /* a solve that must come to its end has not */
} DvStatus;

typedef struct DvClass DvClass;
typedef struct DvData DvData;
typedef struct DvField DvField;
typedef struct DvLink DvLink;
typedef struct DvNode DvNode;
typedef struct DvObject DvObject;
typedef struct DvScene DvScene;
typedef struct DvType DvType;

/* A status as one word: "ok", "not found"...     [any] */
DV_PUBLIC const char *dv_status_name(DvStatus status);

/* Text that grows: used by printers and for reasons. Zero-initialise; `at` is NULL or ends with a zero byte. */
typedef struct DvText {
    char *at;
    size_t length, capacity;
} DvText;

DV_PUBLIC void dv_text_add(DvText *text, const char *format, ...) DV_PRINTF(2, 3); /* [any] */
DV_PUBLIC void dv_text_add_double(DvText *text,
                                  double value); /* [any] shortest of 15 to 17 digits that reads back the same */
DV_PUBLIC void dv_text_add_bytes(DvText *text, const char *bytes, size_t length); /* [any] */
DV_PUBLIC void dv_text_free(DvText *text);                                        /* [any] back to zero */

/* What to say of an index beyond the end of a list: "no point 4: the state has 4, counted from 0", where `what` is "point", `owner`
 * "the state". One above 2^31 is said as the negative number that it was written as. `all`: the indices that it stands among, or NULL;
 * when they go from 1 to `count`, the text asks whether they count from 1.     [any] */
DV_PUBLIC void dv_text_add_missing(DvText *text, const char *what, uint32_t index, const char *owner, size_t count,
                                   const uint32_t *all, size_t all_count);

/* The one copy of a text that lives as long as the process, for the few that are shared by many; NULL gives NULL.     [any] */
DV_PUBLIC const char *dv_intern(const char *text);

/* The candidate nearest to `word` by edit distance, or NULL when none is close enough to be meant.     [any] */
DV_PUBLIC const char *dv_closest(const char *word, const char *const *candidates, size_t count);

DV_END_DECLS
#endif
