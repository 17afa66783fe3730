/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How linear solvers come by their linear system. All assembled systems hold the same block matrix; the variant only says
 * which solver of a scene a system was written for, so that a solver without a link finds the right one.
 */
#include <divan/divan.h>
#include <divan/kit/linear_solver.h>
#include <divan/plugin.h>
#include <divan/registry.h>

#include <string.h>

static DvLinearSystemUse use_of(DvObject *object)
{
    return (DvLinearSystemUse){dv_object_ops(object, DV_LINEAR_SYSTEM), dv_object_self(object), object};
}

/* Whether another solver of the scene has `system` as its linear system. */
static bool is_taken(const DvObject *system, const DvObject *solver)
{
    const DvStepMark mark = dv_step_mark();
    size_t count;
    DvObject **solvers = dv_find_all(dv_object_node(solver), DV_LINEAR_SOLVER, DV_SEARCH_ROOT, &count);
    bool taken = false;
    for (size_t i = 0; i < count && !taken; i++) {
        const DvData *field = dv_object_field(solvers[i], "linearSystem");
        taken = solvers[i] != solver && field != NULL && field->type == &dv_type_link &&
                dv_link_object((const DvLink *)field) == system;
    }
    dv_step_release(mark);
    return taken;
}

/* Whether a system is one of a class, or where none is asked for, of any that assembles for solvers of a variant. */
static bool fits(DvObject *system, const char *class_name, const char *variant)
{
    const DvLinearSystemOps *ops = dv_object_ops(system, DV_LINEAR_SYSTEM);
    if (strcmp(dv_object_variant(system), variant) != 0 || ops == NULL)
        return false;
    return class_name != NULL ? strcmp(dv_object_class(system)->name, class_name) == 0
                              : !ops->is_matrix_free(dv_object_self(system));
}

/* The first that fits of those that a search finds. */
static DvObject *first_free(DvObject *solver, DvSearch search, const char *class_name, const char *variant)
{
    const DvStepMark mark = dv_step_mark();
    size_t count;
    DvObject **systems = dv_find_all(dv_object_node(solver), DV_LINEAR_SYSTEM, search, &count);
    DvObject *found = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!fits(systems[i], class_name, variant) || is_taken(systems[i], solver))
            continue;
        if (found != NULL) {
            dv_warning(solver, "several linear systems fit; taking '%s'. Say which with linearSystem=\"@...\"",
                       dv_object_name(found));
            break;
        }
        found = systems[i];
    }
    dv_step_release(mark);
    return found;
}

static DvObject *find_free_system(DvObject *solver, const char *class_name, const char *variant)
{
    DvObject *found = first_free(solver, DV_SEARCH_LOCAL, class_name, variant);
    return found ? found : first_free(solver, DV_SEARCH_PARENTS, class_name, variant);
}

/* The class that is there for solvers without a system. */
static const char *default_class(DvDefaultSystem kind)
{
    const DvClass *chosen = NULL;
    for (size_t i = 0; i < dv_class_count(); i++) {
        const DvClass *cls = dv_class_at(i);
        for (const DvContract *offer = cls->contracts; offer && offer->id; offer++)
            if (strcmp(offer->id, DV_LINEAR_SYSTEM) == 0 &&
                ((const DvLinearSystemOps *)offer->ops)->by_default == kind &&
                (!chosen || dv_class_plugin(cls)->rank > dv_class_plugin(chosen)->rank))
                chosen = cls;
    }
    return chosen ? chosen->name : NULL;
}

DvStatus dv_linear_system_find(DvObject *solver, DvLink *link, const char *class_name, const char *variant,
                               DvLinearSystemUse *use)
{
    const bool matrix_free = strcmp(variant, "GraphScattered") == 0, any = class_name == NULL && !matrix_free;
    if (class_name == NULL)
        class_name = default_class(matrix_free ? DV_SYSTEM_MATRIX_FREE : DV_SYSTEM_ASSEMBLED);
    if (class_name == NULL)
        return dv_error(solver, DV_ERROR_MISSING, "needs the plugin divan.solvers, for its linear system");
    DvObject *system = dv_link_object(link);
    if (dv_link_is_set(link)) {
        if (system == NULL)
            return dv_field_error(&link->data, -1, "leads to no linear system");
        const DvStatus status = dv_object_require(solver, system);
        if (status != DV_OK)
            return status;
        *use = use_of(system);
        if (use->ops == NULL || use->ops->is_matrix_free(use->self) != matrix_free)
            return dv_field_error(&link->data, -1, "'%s' is not %s linear system; this solver needs a %s",
                                  dv_object_name(system), matrix_free ? "a matrix-free" : "an assembled", class_name);
        return DV_OK;
    }
    system = find_free_system(solver, any ? NULL : class_name, variant);
    if (system == NULL) {
        const DvStatus status =
            dv_object_new(dv_object_node(solver), class_name, &system, "template", variant, (char *)NULL);
        if (status != DV_OK)
            return status;
    }
    dv_link_set(link, system);
    *use = use_of(system);
    return dv_object_require(solver, system);
}
