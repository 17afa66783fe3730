/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory: aligned heap blocks and the scratch of a step.
 *
 * Heap blocks are zeroed and aligned to 64 bytes, so that SIMD loads never straddle a cache line. Every call is
 * counted: a step of a scene whose graph does not change makes none after the first, and the tests hold us to it.
 *
 * Where the system has no memory to give, these functions end the process (dv_memory_end); but what a scene chooses the size of is
 * asked for by dv_try_alloc, or dv_memory_ask first, and fails as any other mistake in a scene does.
 */
#ifndef DIVAN_MEMORY_H
#define DIVAN_MEMORY_H

#include <divan/base.h>

DV_BEGIN_DECLS

DV_PUBLIC void *dv_alloc(size_t count, size_t size); /* [any] count x size zero bytes; never NULL, also for 0 */
DV_PUBLIC void *dv_realloc(void *block, size_t old_bytes,
                           size_t new_bytes); /* [any] keeps the smaller of both, zeroes the rest */
DV_PUBLIC void dv_free(void *block);          /* [any] NULL is allowed */
DV_PUBLIC char *dv_strdup(const char *text);  /* [any] NULL gives NULL */
DV_PUBLIC uint64_t dv_allocation_count(void); /* [any] calls of the three above so far */

/* As dv_alloc, but NULL when there is no room; nothing is reported.     [any] */
DV_PUBLIC void *dv_try_alloc(size_t count, size_t size);
/* Whether so many bytes can be had now: for whoever is about to fill arrays whose size a scene chooses. If not: DV_ERROR_LIMIT, reported of
 * the object (NULL: of none) with what the memory is for, "a grid of 500 x 500 x 500 points", and its size.     [any] */
DV_NODISCARD DV_PUBLIC DvStatus dv_memory_ask(const DvObject *object, double bytes, const char *format, ...)
    DV_PRINTF(3, 4);
/* The same question, for whoever has words of their own: nothing is reported.     [any] */
DV_NODISCARD DV_PUBLIC bool dv_memory_has_room(double bytes);
/* Ends the process with status 1 and one line on stderr, which names the bytes that could not be had and the scene file saved last;
 * what is being written goes, the old files stay. It asks for no memory. For hosts whose malloc has nothing to give.     [any] */
DV_PUBLIC void dv_memory_end(size_t bytes) __attribute__((noreturn));
/* Whether the calling thread is inside dv_try_alloc or dv_memory_ask: malloc may then give NULL.     [any] */
DV_PUBLIC bool dv_memory_is_tried(void);

/* Scratch of the calling thread: not zeroed, aligned to 64 bytes. It lives until the outermost call of the host (a step,
 * a redraw, init...) ends, or until a mark that was set before it is released:
 *   const DvStepMark mark = dv_step_mark();
 *   double *row = dv_step_alloc(n, sizeof *row);
 *   ...
 *   dv_step_release(mark);
 * Whoever takes scratch in what a step does many times (a product with the matrix), or in a chunk of a loop, sets a
 * mark. The arena grows to the most that was in use at once, and then takes nothing from the heap.     [step, worker] */
typedef struct DvStepMark {
    size_t used, blocks;
} DvStepMark;
DV_PUBLIC void *dv_step_alloc(size_t count, size_t size);
DV_PUBLIC DvStepMark dv_step_mark(void);
DV_PUBLIC void dv_step_release(DvStepMark mark);
DV_PUBLIC size_t dv_step_bytes(void); /* [any] that the calling thread holds for scratch, in use or not */

DV_END_DECLS
#endif
