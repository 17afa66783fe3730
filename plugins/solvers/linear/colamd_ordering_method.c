/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * COLAMDOrderingMethod: column approximate minimum degree. The matrices here are symmetric, for which the method works on
 * the pattern of the matrix itself: it is served by AMD. The order changes speed and rounding only.
 */
#include "linear/node_ordering.h"

#include <divan/contracts/solver.h>

static DvStatus order(void *self, uint32_t n, const uint32_t *row_start, const uint32_t *columns, uint32_t *permutation)
{
    (void)self;
    dv_order_matrix(DV_ORDERING_AMD, n, row_start, columns, permutation);
    return DV_OK;
}

static const DvOrderingOps ops = {
    .size = sizeof(DvOrderingOps),
    .order = order,
};

const DvClass dv_colamd_ordering_method = {
    .size = sizeof(DvClass),
    .name = "COLAMDOrderingMethod",
    .bases = (const char *const[]){"BaseOrderingMethod", NULL},
    .family = "orderings",
    .module = "Sofa.Component.LinearSolver.Ordering",
    .help = "Orders columns by approximate minimum degree.",
    .contracts = (const DvContract[]){{.id = DV_ORDERING, .ops = &ops}, {0}},
};
