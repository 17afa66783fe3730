/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The bodies as kernels of a GPU: a lane is a thread, a block a block. Nothing is computed here.
 */
#include "bodies/all.h"

#define KERNEL_OF(name, phases, numbers, p)                                             \
    extern "C" __global__ void name##_kernel_##p(const name##_args_##p args)   \
    {                                                                          \
        __shared__ double shared[numbers];                                       \
        if (args.stop && *args.stop != 0.0)                                    \
            return;                                                            \
        for (uint32_t phase = 0; phase < (phases); phase++) {                  \
            name##_##p(&args, blockIdx.x, threadIdx.x, phase, shared);         \
            __syncthreads();                                                   \
        }                                                                      \
    }
#define KERNEL(name, phases, numbers)   \
    KERNEL_OF(name, phases, numbers, d) \
    KERNEL_OF(name, phases, numbers, f)
#include "bodies/list.def"
#undef KERNEL

/* By KernelNumber; in double, in float. */
extern "C" const void *const card_kernels[KERNEL_COUNT][2] = {
#define KERNEL(name, phases, numbers) {(const void *)name##_kernel_d, (const void *)name##_kernel_f},
#include "bodies/list.def"
#undef KERNEL
};
