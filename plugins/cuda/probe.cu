/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compiled when the build is configured: whether nvcc and the C++ compiler get on with each other.
 */
#include <math.h>
#include <stdint.h>
extern "C" __global__ void probe(double *at)
{
    *at = sqrt(*at);
}
