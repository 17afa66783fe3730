/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How components come by a linear solver, and what linear solvers have in common.
 */
#include <divan/kit/linear_solver.h>

#include <divan/divan.h>
#include <divan/memory.h>
#include <divan/plugin.h>

/* The first linear solver found from `node` that the tags of `object` let pass, else the first. */
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
    if (!found && count > 0)
        found = candidates[0];
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

/* ---- The base ---- */

DvStatus dv_linear_solver_open(DvObject *object, DvLinearSolver *solver, const char *class_name, const char *variant,
                               DvSolveFlat solve_row)
{
    solver->solve_row = solve_row;
    solver->ops = dv_service(DV_MECHANICAL_OPERATIONS);
    if (solver->ops == NULL)
        return dv_error(object, DV_ERROR_MISSING, "needs the plugin divan.mechanics");
    return dv_linear_system_find(object, &solver->linear_system, class_name, variant, &solver->system);
}

static void free_flat(DvLinearSolver *solver)
{
    dv_free(solver->b);
    dv_free(solver->x);
    solver->b = solver->x = NULL;
    solver->capacity = 0;
}

void dv_linear_solver_destroy(DvObject *object, void *self)
{
    (void)object;
    free_flat(self);
}

void dv_linear_solver_take(DvLinearSolver *solver, DvMechanics *m)
{
    const size_t n = solver->ops->unknowns(m);
    solver->m = m;
    solver->n = n;
    if (n + 1 > solver->capacity) {
        free_flat(solver);
        solver->capacity = n + 1;
        solver->b = dv_alloc(n + 1, sizeof *solver->b);
        solver->x = dv_alloc(n + 1, sizeof *solver->x);
    }
    solver->b[n] = solver->x[n] = 0.0;
}

const DvBlockMatrix *dv_linear_solver_assemble(DvLinearSolver *solver, DvMechanics *m, const DvStep *step,
                                               DvFactors factors)
{
    const DvBlockMatrix *a = solver->system.ops->assemble(solver->system.self, m, step, factors);
    if (a != NULL)
        dv_linear_solver_take(solver, m);
    return a;
}

DvStatus dv_linear_solver_solve(void *self, DvVecId x, DvVecId b)
{
    DvLinearSolver *solver = self;
    dv_phase_begin("linear solver");
    solver->ops->gather(solver->m, solver->b, b);
    const DvStatus status = solver->solve_row(self, solver->x, solver->b, solver->n);
    if (status == DV_OK)
        solver->ops->scatter(solver->m, x, solver->x);
    dv_phase_end();
    return status;
}

bool dv_linear_solver_is_matrix_free(void *self)
{
    const DvLinearSystemUse system = ((const DvLinearSolver *)self)->system;
    return system.ops != NULL && system.ops->is_matrix_free(system.self);
}

const DvMechanics *dv_linear_solver_mechanics(void *self)
{
    return ((const DvLinearSolver *)self)->m;
}
