/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Right-hand sides of constraints: a row with few entries. Of states that a device keeps only these travel, and of solutions what is asked for.
 *
 * Many rows are asked for before the host looks: some of them at a time, columns, go through the same vectors and the same recorded iteration, in
 * which the operator is read once for all columns. Of each row its slots and the points that are asked for are kept there, until all come home at
 * once. A row that needs more iterations than have been asked for is asked for again, with twice as many.
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
    uint32_t width;  /* columns: 1, or all that go through an iteration, of which the last ones may be without a row */
    uint32_t column; /* of the row that is prepared next */
    KrylovMethod method[COLUMNS]; /* of the columns that have been prepared */
    bool recorded;                /* an iteration, of these rows */
    uint32_t expected;            /* iterations, of the rows before; 0: not known */
    uint32_t turns;               /* iterations to be asked for in a row */
    uint32_t round;               /* how often rows have been asked for again */
    uint32_t asked;               /* iterations that have been asked for */
    const double *from;           /* where they have come to at home */
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
/* How many columns there are from now on. */
void krylov_rows_set_width(DvKrylovRows *rows, uint32_t width);
/* Of the slots of a row with as many iterations. */
size_t krylov_rows_bytes(const DvKrylovRows *rows, uint32_t turns);
/* In a method before its first iteration: its vectors and slots. */
void krylov_method_begin(KrylovMethod *method);
/* In a method that has prepared its first iteration: keeps it as a column to be asked for, when that is what is wanted. */
bool krylov_rows_ask(const KrylovMethod *method, uint32_t iterations);
/* Asks for the iterations of `count` columns that have been prepared, and keeps the slots of the first one at `to`, of the others behind it. */
void krylov_rows_go(DvKrylovRows *rows, uint32_t count, DvAddress to, size_t row_bytes);
/* Slots of a column that have come home become those of a solve by itself. */
void krylov_rows_came_home(const DvKrylovRows *rows, double *slots, uint32_t column);
/* In a method before it begins: the course and the first slots of a solve that has come home, when that is what is wanted. */
bool krylov_rows_take(const KrylovMethod *method, double slots[DV_SLOTS]);
/* Whether a row that has come home needs no more iterations. */
bool krylov_rows_is_over(const DvKrylovRows *rows, const double *from, uint32_t iterations);

#endif
