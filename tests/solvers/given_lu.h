/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the plugin given_lu.c takes from the tests and tells them: LU whose solutions are as wrong as the test says.
 */
#ifndef TESTS_GIVEN_LU_H
#define TESTS_GIVEN_LU_H

#include <divan/base.h>

enum { GIVEN_LU_MOST = 64 }; /* unknowns */

typedef struct GivenLu {
    double one;                /* solutions of one right-hand side are 1 + one times the right one */
    double several[4];         /* the same of those of a call with several: of the first one, and so on */
    uint32_t failing_solve;    /* the number of the call that fails, from 1; 0: none does */
    DvStatus analysis;         /* what analyses return */
    uint32_t open;             /* factors that are open now */
    uint32_t analyses, solves; /* calls so far */
    uint32_t entries;          /* of the pattern of the last analysis */
    uint32_t order[GIVEN_LU_MOST];
    uint32_t misuses; /* calls that the contract does not allow */
} GivenLu;

#define TEST_GIVEN_LU "test.given-lu/1"
typedef struct GivenLuOps {
    uint32_t size;
    GivenLu *given;
} GivenLuOps;

#endif
