/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Right-hand sides of constraints: a row with few entries. Of states that a device keeps only these travel, and of solutions what is asked for.
 *
 * Many rows are asked for before the host looks: one after the other they go through the same vectors and the same recorded iteration, and of
 * each its slots and the points that are asked for are kept there, until all come home at once. A row that needs more iterations than have been
 * asked for is asked for again, with twice as many.
 */
#ifndef DIVAN_KIT_KRYLOV_ROWS_H
#define DIVAN_KIT_KRYLOV_ROWS_H

#include "krylov_repeat.h"

#include <divan/kit/krylov.h>

typedef enum KrylovRowsPass {
    KRYLOV_ROWS_NONE,  /* a solve by itself */
    KRYLOV_ROWS_ASK,   /* the next solve is to be asked for only... */
    KRYLOV_ROWS_ASKED, /* ...and has been */
    KRYLOV_ROWS_TAKE   /* the next solve has come home */
} KrylovRowsPass;

typedef struct DvKrylovRows {
    DvVectorSpace *space; /* held */
    DvPrecision precision;
    DvAddress store, list; /* what is kept of rows; the points that are asked for */
    size_t store_bytes, list_bytes;
    KrylovRowsPass pass;
    bool recorded;      /* an iteration, of these rows */
    uint32_t expected;  /* iterations, of the rows before; 0: not known */
    uint32_t turns;     /* iterations to be asked for in a row */
    uint32_t round;     /* how often rows have been asked for again */
    uint32_t asked;     /* iterations that have been asked for */
    DvAddress to;       /* where the slots of this row go there */
    const double *from; /* where they have come to at home */
} DvKrylovRows;

/* The states as they are now, and where the vectors of a solve are (krylov.c). */
void krylov_find_states(DvKrylovSpace *space);
void krylov_find_parts(DvKrylovSpace *space);

/* ---- Rows side by side (krylov_asked.c) ---- */

/* Whether solves may be asked for side by side now; then space->rows is there. */
bool krylov_rows_begin(DvKrylovSpace *space);
void krylov_rows_free(DvKrylovSpace *space);
/* Memory there; false: there is none, which has been said. */
bool krylov_rows_reserve(DvKrylovRows *rows, DvAddress *at, size_t *has, size_t bytes);
/* Of the slots of a row with as many iterations. */
size_t krylov_rows_bytes(uint32_t turns);
/* In a method that has prepared its first iteration, with the guard set: asks for iterations and keeps slots, when that is what is wanted. */
bool krylov_rows_ask(const KrylovMethod *method, uint32_t iterations);
/* In a method before it begins: the course and the first slots of a solve that has come home, when that is what is wanted. */
bool krylov_rows_take(const KrylovMethod *method, double slots[DV_SLOTS]);
/* Whether a row that has come home needs no more iterations. */
bool krylov_rows_is_over(const DvKrylovRows *rows, const double *from, uint32_t iterations);

#endif
