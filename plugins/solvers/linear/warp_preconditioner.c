/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * WarpPreconditioner: z = R A0^-1 R^T r, the inverse of a matrix of some steps ago, by another linear solver, turned by the rotations R of
 * the bodies since then. Its RotationMatrixSystem says how often the matrix is made anew.
 */
#include "system/rotation_matrix_system.h"

#include <divan/divan.h>

#include <string.h>

typedef struct WarpPreconditioner {
    DvLinearSolver base;
    DvLink solver_link;
    DvLinearSolverUse solver;
} WarpPreconditioner;

extern const DvClass dv_warp_preconditioner;

static const DvField fields[] = {
    DV_LINEAR_SOLVER_FIELDS(WarpPreconditioner, base),
    DV_LINK(
        WarpPreconditioner, solver_link, "linearSolver", DV_LINEAR_SOLVER,
        .help =
            "solver of the matrix that is turned; default: the first in the node that has a factor, or is a preconditioner"),
    {0},
};

/* Of flat arrays, and not another one that turns. */
static bool fits(DvObject *candidate)
{
    const DvLinearSolverOps *ops = dv_object_ops(candidate, DV_LINEAR_SOLVER);
    return ops != NULL && ops->solve_flat != NULL && dv_object_class(candidate) != &dv_warp_preconditioner;
}

static DvObject *find_solver(DvObject *object)
{
    const DvStepMark mark = dv_step_mark();
    size_t count;
    DvObject **candidates = dv_find_all(dv_object_node(object), DV_LINEAR_SOLVER, DV_SEARCH_LOCAL, &count);
    DvObject *found = NULL;
    for (size_t i = 0; i < count && found == NULL; i++)
        found = fits(candidates[i]) ? candidates[i] : NULL;
    dv_step_release(mark);
    return found;
}

static DvStatus take_solver(DvObject *object, WarpPreconditioner *self)
{
    DvObject *found = dv_link_object(&self->solver_link);
    if (dv_link_is_set(&self->solver_link) && found == NULL)
        return dv_field_error(&self->solver_link.data, -1, "leads to no linear solver");
    if (found == NULL)
        found = find_solver(object);
    if (found == NULL)
        return dv_error(object, DV_ERROR_MISSING,
                        "no linear solver in its node to turn: add one such as SparseLDLSolver");
    if (!fits(found))
        return dv_field_error(&self->solver_link.data, -1,
                              "'%s' cannot be turned; a solver with a factor can, such as SparseLDLSolver",
                              dv_object_name(found));
    const DvStatus status = dv_object_require(object, found);
    if (status != DV_OK)
        return status;
    dv_link_set(&self->solver_link, found);
    self->solver = (DvLinearSolverUse){dv_object_ops(found, DV_LINEAR_SOLVER), dv_object_self(found)};
    return DV_OK;
}

static DvStatus solve_flat(void *self_, double *z, const double *r, size_t n)
{
    const WarpPreconditioner *self = self_;
    const RotatedUnknowns *unknowns = dv_rotation_matrix_system_unknowns(self->base.system.object);
    const DvStepMark mark = dv_step_mark();
    double *turned = dv_step_alloc(n + 1, sizeof *turned);
    rotated_unknowns_apply(unknowns, true, turned, r, n);
    turned[n] = 0.0;
    const DvStatus status = self->solver.ops->solve_flat(self->solver.self, z, turned, n);
    if (status == DV_OK)
        rotated_unknowns_apply(unknowns, false, z, z, n);
    dv_step_release(mark);
    return status;
}

static DvStatus init(DvObject *object, void *self_)
{
    WarpPreconditioner *self = self_;
    DvStatus status = take_solver(object, self);
    if (status != DV_OK)
        return status;
    status = dv_linear_solver_open(object, &self->base, "RotationMatrixSystem", "RotationMatrixd", solve_flat);
    if (status != DV_OK)
        return status;
    if (dv_object_class(self->base.system.object) != &dv_rotation_matrix_system)
        return dv_field_error(
            &self->base.linear_system.data, -1, "'%s' is a %s; this preconditioner needs a RotationMatrixSystem",
            dv_object_name(self->base.system.object), dv_object_class(self->base.system.object)->name);
    DvData *system = dv_object_field(dv_object_of(self->solver.self), "linearSystem");
    DvObject *main = system && system->type == &dv_type_link ? dv_link_object((const DvLink *)system) : NULL;
    return main ? dv_rotation_matrix_system_set_main(self->base.system.object, main) : DV_OK;
}

static DvStatus set_system(void *self_, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    WarpPreconditioner *self = self_;
    DvObject *system = self->base.system.object;
    const bool another = dv_linear_solver_is_of_another(self->solver.ops, self->solver.self, m);
    const bool fresh = dv_rotation_matrix_system_is_due(system, another);
    if (fresh) {
        const DvStatus status = self->solver.ops->set_system(self->solver.self, m, step, factors);
        if (status != DV_OK)
            return status;
    }
    dv_linear_solver_take(&self->base, m);
    dv_rotation_matrix_system_update(system, m, step, fresh);
    return DV_OK;
}

static const DvLinearSolverOps operations = {DV_LINEAR_SOLVER_OPS, DV_LINEAR_SOLVER_ONE_BY_ONE,
                                             .set_system = set_system, .solve = dv_linear_solver_solve,
                                             .solve_flat = solve_flat};

const DvClass dv_warp_preconditioner = {
    .size = sizeof(DvClass),
    .name = "WarpPreconditioner",
    .variants = "RotationMatrixd",
    .family = "preconditioners",
    .bases = (const char *const[]){"MatrixLinearSolver", "LinearSolver", NULL},
    .module = "Sofa.Component.LinearSolver.Preconditioner",
    .help = "The inverse of an earlier matrix, by another linear solver, turned with the bodies.",
    .instance_size = sizeof(WarpPreconditioner),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_LINEAR_SOLVER, .ops = &operations}, {0}},
    .init = init,
    .destroy = dv_linear_solver_destroy,
};
