/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The levels of x86-64 that kernels are written for, in words that gcc and clang both know.
 */
#ifndef DIVAN_SOLVERS_INSTRUCTION_SETS_H
#define DIVAN_SOLVERS_INSTRUCTION_SETS_H

#include <stdbool.h>

#if defined(__x86_64__)

#define TARGET_V3 __attribute__((target("arch=x86-64-v3")))
#if defined(__clang__)
#define TARGET_V4 __attribute__((target("arch=x86-64-v4")))
#else /* which otherwise prefers half the width */
#define TARGET_V4 __attribute__((target("arch=x86-64-v4,prefer-vector-width=512")))
#endif

static inline bool machine_has_v3(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}

static inline bool machine_has_v4(void)
{
    return machine_has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

#endif
#endif
