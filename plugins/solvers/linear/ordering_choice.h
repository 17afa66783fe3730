/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The order of elimination that a scene chooses for a direct solver: the ordering component that it links to, else one in its node, else
 * the order of least work.
 */
#ifndef DV_SOLVERS_ORDERING_CHOICE_H
#define DV_SOLVERS_ORDERING_CHOICE_H

#include "linear/node_ordering.h"

#include <divan/contracts/solver.h>
#include <divan/divan.h>

typedef struct OrderingChoice {
    DvLink link;
    const DvOrderingOps *ops; /* NULL: the order of least work */
    void *self;
    const DvObject *object; /* whose choice it is */
} OrderingChoice;

#define ORDERING_CHOICE_FIELD(Struct, choice)                   \
    DV_LINK(Struct, choice.link, "orderingMethod", DV_ORDERING, \
            .help = "order of elimination; default: one in the node, else the one of AMD and METIS that costs less")

/* At init.     [main] */
DV_NODISCARD DvStatus dv_ordering_choice_find(OrderingChoice *choice, DvObject *object);
/* A DvOrderNodes; `choice` is an OrderingChoice.     [step] */
void dv_ordering_choice_order(void *choice, uint32_t nodes, const uint32_t *begin, const uint32_t *neighbours,
                              uint32_t *order);

#endif
