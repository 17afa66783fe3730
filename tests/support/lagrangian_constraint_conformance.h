/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What every Lagrangian constraint owes, whatever it constrains:
 *   - it writes on points that its states have and on no other state; each of its rows has an entry, all numbers are finite
 *   - blocks cover its rows once, in order, from the row it is given on; each has the rows and parameters of its law; a law of its own
 *     gives the same bits each time
 *   - violation writes all its rows and nothing beyond; its derivative by free positions is the rows, by central differences through the
 *     state's own sum of a coordinate and a derivative, and it is affine; by velocities the same, exactly
 *   - a condition on velocities brings positions to where the condition on positions holds
 *   - what it writes is the same each time, and a warm build, violation and store allocate nothing
 *   - without its states it is not called
 *
 *   LAGRANGIAN_CONSTRAINT_CONFORMANCE(a_link_is_a_constraint, .scene = "<Node> ... <MyConstraint name='constraint'/></Node>")
 */
#ifndef DIVAN_TESTS_LAGRANGIAN_CONSTRAINT_CONFORMANCE_H
#define DIVAN_TESTS_LAGRANGIAN_CONSTRAINT_CONFORMANCE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct LagrangianConstraintConformance {
    const char *scene;      /* with the constraint "/constraint"... */
    const char *path;       /* ...or at this path... */
    uint32_t steps;         /* ...after so many steps */
    const char *not_affine; /* why, if it is not: then the derivative is that of the positions of the scene alone */
    const char *drifts;     /* why a condition on velocities does not bring positions back, if it does not */
} LagrangianConstraintConformance;

void lagrangian_constraint_conformance(const LagrangianConstraintConformance *c);

#define LAGRANGIAN_CONSTRAINT_CONFORMANCE(test, ...)                                        \
    static void test(void **state)                                                          \
    {                                                                                       \
        (void)state;                                                                        \
        lagrangian_constraint_conformance(&(LagrangianConstraintConformance){__VA_ARGS__}); \
    }

#endif
