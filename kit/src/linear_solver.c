/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How components come by a linear solver.
 */
#include <divan/kit/linear_solver.h>

#include <divan/divan.h>

/* The first linear solver found from `node` that the tags of `object` let pass. */
static DvObject *first_that_passes(const DvObject *object, const DvNode *node, DvSearch search)
{
    const DvStepMark mark = dv_step_mark();
    size_t count;
    DvObject **candidates = dv_find_all(node, DV_LINEAR_SOLVER, search, &count);
    DvTags tags = {0};
    DvData *field = dv_object_field(object, "tags");
    if (field != NULL)
        tags.words = dv_data_strings(field, &tags.count);
    DvObject *found = NULL;
    for (size_t i = 0; i < count && !found; i++)
        found = dv_object_has_tags(candidates[i], tags) ? candidates[i] : NULL;
    dv_step_release(mark);
    return found;
}

DvLinearSolverUse dv_linear_solver_of(DvObject *object, const DvLink *link, DvSearch search)
{
    DvObject *found = dv_link_object(link);
    if (found == NULL && !dv_link_is_set(link)) {
        const DvNode *node = dv_object_node(object);
        found = first_that_passes(object, node, search == DV_SEARCH_UP ? DV_SEARCH_LOCAL : search);
        while (found == NULL && search == DV_SEARCH_UP && (node = dv_node_parent(node, 0)) != NULL)
            found = first_that_passes(object, node, DV_SEARCH_LOCAL);
    }
    if (found == NULL) { /* one that cannot be used is none to take, but the reason why there is none */
        found = dv_node_find(dv_object_node(object), DV_LINEAR_SOLVER, search);
        found = found && !dv_object_is_valid(found) ? found : NULL;
    }
    if (found == NULL || dv_object_require(object, found) != DV_OK)
        return (DvLinearSolverUse){NULL, found ? dv_object_self(found) : NULL};
    return (DvLinearSolverUse){dv_object_ops(found, DV_LINEAR_SOLVER), dv_object_self(found)};
}
