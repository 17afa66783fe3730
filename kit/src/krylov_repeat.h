/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What courses of solves on a device have in common: slots by number, and iterations that are repeated until one of them sets STOP.
 */
#ifndef DIVAN_KIT_KRYLOV_REPEAT_H
#define DIVAN_KIT_KRYLOV_REPEAT_H

#include <divan/contracts/vector_space.h>
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

#define CALCULATE(course, ...)                                                                                 \
    do {                                                                                                       \
        static const DvSlotStep steps[] = {__VA_ARGS__};                                                       \
        (course)->storage.space->ops->calculate((course)->storage.space, steps, sizeof steps / sizeof *steps); \
    } while (0)

/* A method in progress. */
typedef struct KrylovMethod {
    DvKrylovSpace *space;
    DvKrylovCourse *course;
    /* One iteration, asked for. */
    void (*turn)(const struct KrylovMethod *method);
    void *own;
} KrylovMethod;

/* Room for as many iterations. */
void krylov_course_reserve(DvKrylovCourse *course, uint32_t iterations);
/* The values of iterations that were not known yet; whether the solve is over. */
bool krylov_course_take(DvKrylovCourse *course, const double *slots);
/* As many iterations as that; the first one of all is asked for by itself, so that all vectors are there when the next one is recorded. */
void krylov_course_ahead(const KrylovMethod *method, uint32_t count, bool *recorded);
/* Iterations until STOP is set, `asked` of which have been asked for: at most `iterations`, about `expected`. Slots as they are then. */
void krylov_course_repeat(const KrylovMethod *method, uint32_t asked, uint32_t iterations, uint32_t expected,
                          double slots[DV_SLOTS]);
/* Q = A P with the projections of the constraints. */
void krylov_course_product(DvKrylovSpace *space, int q, int p);

#endif
