/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What courses of solves on a device have in common: slots by number, and iterations that are repeated until one of them sets STOP.
 */
#ifndef DIVAN_KIT_KRYLOV_REPEAT_H
#define DIVAN_KIT_KRYLOV_REPEAT_H

#include <divan/contracts/operator.h>
#include <divan/kit/krylov.h>

/* Slots of a solve; the values of the iterations follow each other from VALUES on, two each. */
enum {
    B_SQUARED = DV_SLOT_OWN,
    B_NORM,
    RHO,
    PREVIOUS,
    ALPHA,
    BETA,
    DENOMINATOR,
    STOP,
    TOLERANCE,
    THRESHOLD,
    ERROR,
    SIZE,
    NEXT, /* value to be kept */
    LEAST,
    FIRST, /* rho */
    LEFT,
    VALUES = 32
};

enum {
    LEAST_AHEAD = 8, /* iterations of a solve of which nothing is expected */
    MOST_AHEAD = (DV_SLOTS - VALUES) / 2
};

/* Several solves at once, columns: each has slots of its own, those above moved on by as many for each column before it. */
enum {
    COLUMNS = DV_MOST_COLUMNS,
    SLOTS_OF_COLUMN = (DV_SLOTS - DV_SLOT_OWN - 1) / COLUMNS,
    ALL_STOP = DV_SLOTS - 1, /* not zero once all have ended */
    MOST_AHEAD_OF_COLUMN = (SLOTS_OF_COLUMN + DV_SLOT_OWN - VALUES) / 2
};

#define CALCULATE(method, ...)                                                \
    do {                                                                      \
        static const DvSlotStep steps[] = {__VA_ARGS__};                      \
        krylov_course_calculate(method, steps, sizeof steps / sizeof *steps); \
    } while (0)

/* A method in progress, of one right-hand side. */
typedef struct KrylovMethod {
    DvKrylovSpace *space;
    DvKrylovCourse *course;
    /* One iteration, asked for: what comes before the product Q = A P, or NULL, and what comes after it. */
    void (*before)(const struct KrylovMethod *method);
    void (*after)(const struct KrylovMethod *method);
    void *own;
    uint32_t first;              /* by how much its slots are moved on */
    DvVecId ids[DV_KRYLOV_MOST]; /* its vectors */
} KrylovMethod;

/* Room for as many iterations. */
void krylov_course_reserve(DvKrylovCourse *course, uint32_t iterations);
/* The values of iterations that were not known yet; whether the solve is over. */
bool krylov_course_take(DvKrylovCourse *course, const double *slots);
/* So many slots of a method go to a place there, to be fetched later, and values are kept from the first one on again; without a guard. */
void krylov_course_keep(const KrylovMethod *method, DvAddress to, uint32_t count);
/* On the slots of a method; at most 24 steps. */
void krylov_course_calculate(const KrylovMethod *method, const DvSlotStep *steps, uint32_t count);
/* An iteration of several methods, with the product of all in one pass over the operator. Of one the guard is as it was. */
void krylov_course_turn(const KrylovMethod *columns, uint32_t width);
/* As many iterations as that; the first one of all is asked for by itself, so that all vectors are there when the next one is recorded. */
void krylov_course_ahead(const KrylovMethod *columns, uint32_t width, uint32_t count, bool *recorded);
/* Iterations until STOP is set, `asked` of which have been asked for: at most `iterations`, about `expected`. Slots as they are then. */
void krylov_course_repeat(const KrylovMethod *method, uint32_t asked, uint32_t iterations, uint32_t expected,
                          double slots[DV_SLOTS]);
/* Q = A P with the projections of the constraints. */
void krylov_course_product(const KrylovMethod *method, int q, int p);

#endif
