/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * NaturalOrderingMethod: unknowns are eliminated in the order of the states and their points.
 */
#include "linear/node_ordering.h"

#include <divan/contracts/solver.h>

static DvStatus order(void *self, uint32_t n, const uint32_t *row_start, const uint32_t *columns, uint32_t *permutation)
{
    (void)self;
    dv_order_matrix(DV_ORDERING_NATURAL, n, row_start, columns, permutation);
    return DV_OK;
}

static const DvOrderingOps ops = {
    .size = sizeof(DvOrderingOps),
    .order = order,
};

const DvClass dv_natural_ordering_method = {
    .size = sizeof(DvClass),
    .name = "NaturalOrderingMethod",
    .bases = (const char *const[]){"BaseOrderingMethod", NULL},
    .family = "orderings",
    .module = "Sofa.Component.LinearSolver.Ordering",
    .help = "Eliminates unknowns in their own order.",
    .contracts = (const DvContract[]){{.id = DV_ORDERING, .ops = &ops}, {0}},
};
