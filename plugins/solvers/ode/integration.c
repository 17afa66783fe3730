/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the ODE solvers share.
 */
#include "ode/integration.h"

#include "system/linear_system.h"

#include <divan/contracts/force_field.h>
#include <divan/contracts/mapping.h>
#include <divan/memory.h>
#include <divan/plugin.h>

DvVecId dv_integration_ask_for_scratch(DvIntegration *integration, uint32_t number)
{
    DvVecId *id = &integration->scratch[number];
    (void)integration->ops->scratch(integration->m, DV_DERIVS, DV_SCRATCH_INTEGRATION + number, 1, id);
    return *id;
}

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

static DvStatus set_system(DvIntegration *integration)
{
    const DvLinearSolverUse solver = integration->solver;
    const DvObject *object = dv_object_of(solver.self);
    if (!dv_object_is_valid(object))
        return dv_error(object, DV_ERROR_INVALID,
                        "cannot solve: it was not initialised; the first error about it says why");
    return solver.ops->set_system(solver.self, integration->m, &integration->step, integration->factors);
}

DvStatus dv_integration_solve(DvIntegration *integration, DvLinearSolverUse solver, DvFactors factors, DvVecId x,
                              DvVecId b)
{
    integration->solver = solver;
    integration->factors = factors;
    const DvStatus status = set_system(integration);
    return status == DV_OK ? solver.ops->solve(solver.self, x, b) : status;
}

DvStatus dv_integration_hold_system(DvIntegration *integration)
{
    const DvLinearSolverUse solver = integration->solver;
    if (solver.ops == NULL || !dv_linear_solver_is_of_another(solver.ops, solver.self, integration->m))
        return DV_OK;
    return set_system(integration);
}

/* The topmost node with solvers is integrated as a whole. */
static void warn_of_solver_above(const DvObject *object)
{
    const DvNode *parent = dv_node_parent(dv_object_node(object), 0);
    const DvObject *above = parent ? dv_node_find(parent, DV_ODE_SOLVER, DV_SEARCH_UP) : NULL;
    if (above)
        dv_warning(object, "has no effect: %s '%s' above integrates everything below '%s'; leave one of them out",
                   dv_object_class(above)->name, dv_object_name(above), dv_node_path(dv_object_node(above)));
}

DvStatus dv_integration_open(DvIntegration *integration, DvObject *object)
{
    *integration = (DvIntegration){.ops = dv_service(DV_MECHANICAL_OPERATIONS)};
    if (integration->ops == NULL)
        return dv_error(object, DV_ERROR_MISSING, "needs the plugin divan.mechanics");
    integration->m = integration->ops->open(dv_object_node(object));
    warn_of_solver_above(object);
    return DV_OK;
}

void dv_integration_close(DvIntegration *integration)
{
    if (integration->m != NULL)
        integration->ops->close(integration->m);
    *integration = (DvIntegration){.m = NULL};
}

static DvMatrixKind kind_of(DvLinearSolverUse solver)
{
    return solver.ops && solver.ops->takes ? solver.ops->takes(solver.self) : DV_MATRIX_SYMMETRIC;
}

const DvStep *dv_integration_begin(DvIntegration *integration, DvObject *object, double dt, DvLinearSolverUse solver)
{
    DvStep *step = &integration->step;
    step->time = dv_node_time(dv_object_node(object));
    step->dt = dt;
    step->position = DV_POSITION;
    step->velocity = DV_VELOCITY;
    step->kind = kind_of(solver);
    return step;
}

DvStep dv_integration_step(DvObject *object, double dt, DvLinearSolverUse solver)
{
    return (DvStep){.time = dv_node_time(dv_object_node(object)),
                    .dt = dt,
                    .position = DV_POSITION,
                    .velocity = DV_VELOCITY,
                    .kind = kind_of(solver)};
}

static DvSymmetry symmetry_of(const DvObject *object)
{
    const DvMappingOps *mapping = dv_object_ops(object, DV_MAPPING);
    if (mapping)
        return mapping->symmetry(dv_object_self(object));
    const DvForceFieldOps *field = dv_object_ops(object, DV_FORCE_FIELD);
    return (field ? field : (const DvForceFieldOps *)dv_object_ops(object, DV_INTERACTION_FORCE_FIELD))
        ->symmetry(dv_object_self(object));
}

/* "not symmetric: A 'a' (...), B 'b' (...) and 3 more" */
static void name_unsymmetric(DvText *text, DvObject *const *objects, uint32_t count)
{
    enum { MOST = 3 };
    for (uint32_t i = 0; i < count && i < MOST; i++)
        dv_text_add(text, "%s%s '%s' (%s)", i ? ", " : "", dv_object_class(objects[i])->name,
                    dv_object_name(objects[i]),
                    symmetry_of(objects[i]) == DV_SYMMETRIC_PART ? "its symmetric part counts"
                                                                 : "left out: its force is explicit");
    if (count > MOST)
        dv_text_add(text, " and %u more", count - MOST);
}

void dv_report_unsymmetric(const DvIntegration *integration, DvLinearSolverUse solver, DvReportLine line, void *context)
{
    if (integration->m == NULL || kind_of(solver) == DV_MATRIX_ANY)
        return;
    const uint32_t count = integration->ops->unsymmetric(integration->m, NULL, 0);
    if (count == 0)
        return;
    const DvStepMark mark = dv_step_mark();
    DvObject **objects = dv_step_alloc(count, sizeof *objects);
    integration->ops->unsymmetric(integration->m, objects, count);
    const DvObject *linear = dv_object_of(solver.self);
    DvText text = {0};
    dv_text_add(&text, "%s '%s' takes symmetric matrices alone, and the stiffness of these is not symmetric: ",
                dv_object_class(linear)->name, dv_object_name(linear));
    name_unsymmetric(&text, objects, count);
    line(context, text.at);
    dv_text_free(&text);
    dv_step_release(mark);
}

static bool starts_from_guess(DvLinearSolverUse solver)
{
    return solver.ops->uses_guess != NULL && solver.ops->uses_guess(solver.self);
}

DvVecId dv_solution_begin(DvIntegration *integration, DvLinearSolverUse solver, DvVecId *kept, DvData *saved)
{
    if (!starts_from_guess(solver))
        return dv_integration_scratch(integration, 0);
    if (*kept != DV_NO_VEC)
        return *kept;
    *kept = integration->ops->allocate(integration->m, DV_DERIVS);
    size_t count;
    const double *numbers = dv_data_doubles(saved, &count);
    if (*kept != DV_NO_VEC && count > 0 && count == integration->ops->unknowns(integration->m))
        integration->ops->scatter(integration->m, *kept, numbers);
    return *kept;
}

void dv_solution_end(const DvIntegration *integration, DvLinearSolverUse solver, DvVecId vector, DvData *saved)
{
    if (!starts_from_guess(solver))
        return;
    const size_t unknowns = integration->ops->unknowns(integration->m);
    integration->ops->gather(integration->m, dv_data_begin_all(saved, unknowns), vector);
    dv_data_end(saved);
}
