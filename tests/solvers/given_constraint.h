/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the test class of given_constraint.c takes from the tests: the functions of a constraint.
 */
#ifndef TESTS_GIVEN_CONSTRAINT_H
#define TESTS_GIVEN_CONSTRAINT_H

#include <divan/contracts/lagrangian_constraint.h>

#define TEST_GIVEN_CONSTRAINT "test.given-constraint/1"
typedef struct GivenConstraintOps {
    uint32_t size;
    /* Its constraint is this one from now on; until then it has no rows. */
    void (*set)(void *self, const DvLagrangianConstraintOps *constraint, void *context);
} GivenConstraintOps;

#endif
