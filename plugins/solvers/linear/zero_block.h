/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether a block of a matrix is zero.
 */
#ifndef DV_SOLVERS_ZERO_BLOCK_H
#define DV_SOLVERS_ZERO_BLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* By their bits but for the sign, without a branch for each: most blocks that are looked at are zero. */
static inline bool dv_is_zero(const double *block, uint32_t size)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < size; i++) {
        uint64_t number;
        memcpy(&number, block + i, sizeof number);
        bits |= number;
    }
    return bits << 1 == 0;
}

#endif
