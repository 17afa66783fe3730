/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory: aligned heap blocks and the arena of a step.
 *
 * Heap blocks are zeroed and aligned to 64 bytes, so that SIMD loads never straddle a cache line. Every call is
 * counted: a step of a scene whose graph does not change makes none after the first, and the tests hold us to it.
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

/* Scratch that lives until the end of the step: not zeroed, aligned to 64 bytes, never freed by the caller. The arena
 * grows when a step needs more than any before it, between steps it is emptied. Outside a step it lives until the next
 * one ends. */
DV_PUBLIC void *dv_step_alloc(size_t count, size_t size);
/* The kernel calls this at the end of each step; a host that drives its own loop does too.     [main] */
DV_PUBLIC void dv_step_free_all(void);

DV_END_DECLS
#endif
