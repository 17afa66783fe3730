/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Numbers that look random and are the same on every machine (xorshift, Marsaglia 2003).
 */
#ifndef DIVAN_TESTS_RANDOM_H
#define DIVAN_TESTS_RANDOM_H

#include <stdint.h>

/* From 0 to n - 1; *seed must not be 0. */
static inline uint32_t random_below(uint64_t *seed, uint32_t n)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (uint32_t)((*seed >> 20) % n);
}

#endif
