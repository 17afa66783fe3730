/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All bodies in both precisions.
 */
#ifndef DIVAN_CUDA_ALL_BODIES_H
#define DIVAN_CUDA_ALL_BODIES_H

#define REAL       double
#define NAME(name) name##_d
#define ROOT       sqrt
#include "components.h"
#include "factor.h"
#include "inertia.h"
#include "mappings.h"
#include "rows.h"
#include "solids.h"
#include "springs.h"
#include "tetrahedra.h"
#include "vectors.h"
#undef REAL
#undef NAME
#undef ROOT

#define REAL       float
#define NAME(name) name##_f
#define ROOT       sqrtf
#include "components.h"
#include "factor.h"
#include "inertia.h"
#include "mappings.h"
#include "rows.h"
#include "solids.h"
#include "springs.h"
#include "tetrahedra.h"
#include "vectors.h"
#undef REAL
#undef NAME
#undef ROOT

typedef enum KernelNumber {
#define KERNEL(name, phases, numbers) KERNEL_##name,
#include "list.def"
#undef KERNEL
    KERNEL_COUNT
} KernelNumber;

#endif
