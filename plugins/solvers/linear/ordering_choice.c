/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The order of elimination that a scene chooses for a direct solver.
 */
#include "linear/ordering_choice.h"

#include <divan/memory.h>

DvStatus dv_ordering_choice_find(OrderingChoice *choice, DvObject *object)
{
    choice->object = object;
    choice->ops = NULL;
    DvObject *ordering = dv_link_object(&choice->link);
    if (dv_link_is_set(&choice->link) && ordering == NULL)
        return dv_field_error(&choice->link.data, -1, "leads to no ordering method");
    if (ordering == NULL)
        ordering = dv_node_find(dv_object_node(object), DV_ORDERING, DV_SEARCH_LOCAL);
    if (ordering == NULL)
        return DV_OK;
    const DvStatus status = dv_object_require(object, ordering);
    if (status == DV_OK) {
        choice->ops = dv_object_ops(ordering, DV_ORDERING);
        choice->self = dv_object_self(ordering);
    }
    return status;
}

static bool is_permutation(uint32_t nodes, const uint32_t *order)
{
    bool *seen = dv_alloc(nodes, sizeof *seen);
    bool good = true;
    for (uint32_t k = 0; k < nodes && good; k++) {
        good = order[k] < nodes && !seen[order[k]];
        if (good)
            seen[order[k]] = true;
    }
    dv_free(seen);
    return good;
}

void dv_ordering_choice_order(void *choice_, uint32_t nodes, const uint32_t *begin, const uint32_t *neighbours,
                              uint32_t *order)
{
    const OrderingChoice *choice = choice_;
    if (choice->ops == NULL) {
        dv_order_nodes(DV_ORDERING_LEAST_WORK, nodes, begin, neighbours, order);
        return;
    }
    if (choice->ops->order(choice->self, nodes, begin, neighbours, order) == DV_OK && is_permutation(nodes, order))
        return;
    dv_warning(choice->object, "the ordering method failed; eliminating in the natural order");
    dv_order_nodes(DV_ORDERING_NATURAL, nodes, begin, neighbours, order);
}
