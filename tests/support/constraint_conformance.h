/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What every projective constraint of one state owes:
 *   - projections of residuals and of velocities are idempotent, and of residuals linear
 *   - the unknowns it names for assembled systems are those that its projection clears, no more and no fewer
 *   - from endTime on it changes nothing and names nothing
 * Where the state is kept on a device (its template says so), residuals are projected there, nothing comes home for it, and:
 *   - projections there are those of the host
 *
 *   CONSTRAINT_CONFORMANCE(fixed_points_are_a_constraint, .scene = "<Node> ... <FixedProjectiveConstraint name='fixed'/></Node>")
 */
#ifndef DIVAN_TESTS_CONSTRAINT_CONFORMANCE_H
#define DIVAN_TESTS_CONSTRAINT_CONFORMANCE_H

#include <divan/contracts/projective_constraint.h>

typedef struct ConstraintConformance {
    const char *scene; /* with one state "/dofs" and one constraint "/fixed" on it */
} ConstraintConformance;

void constraint_conformance(const ConstraintConformance *c);

#define CONSTRAINT_CONFORMANCE(test, ...)                              \
    static void test(void **state)                                     \
    {                                                                  \
        (void)state;                                                   \
        constraint_conformance(&(ConstraintConformance){__VA_ARGS__}); \
    }

#endif
