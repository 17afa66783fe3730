/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the test class of given_matrix.c takes from the tests: the stiffness matrix of its state.
 */
#ifndef TESTS_GIVEN_MATRIX_H
#define TESTS_GIVEN_MATRIX_H

#include <divan/contracts/block_matrix.h>

#define TEST_GIVEN_MATRIX "test.given-matrix/1"
typedef struct GivenMatrixOps {
    uint32_t size;
    /* K is this one from now on, as long as it stays where it is; a block row for each point. */
    void (*set)(void *self, const DvBlockMatrix *matrix);
} GivenMatrixOps;

#endif
