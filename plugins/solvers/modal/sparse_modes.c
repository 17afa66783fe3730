/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A few modes of many unknowns: iterations of the plugin divan.lapack with factors of K - shift M.
 */
#include "linear/block_ldl.h"
#include "modal/modal_problem.h"

#include <divan/contracts/eigenpairs.h>
#include <divan/divan.h>
#include <divan/log.h>

typedef struct Iteration {
    const ModalProblem *problem;
    const DvBlockMatrix *a;
    DvBlockLdl *ldl;
} Iteration;

static DvStatus multiply(void *user, double *y, const double *x)
{
    dv_modal_product(((const Iteration *)user)->problem, (DvFactors){.m = 1.0}, y, x);
    return DV_OK;
}

static DvStatus solve(void *user, double *x, const double *b)
{
    const Iteration *it = user;
    dv_block_ldl_solve(it->ldl, b, x);
    (void)dv_block_ldl_refine(it->ldl, it->a, b, x);
    return DV_OK;
}

/* Rows and columns of what is held become those of the identity. The mechanics are ours alone, so the matrix is too. */
static void hold(const DvBlockMatrix *a, const bool *held)
{
    const size_t b = a->block;
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++)
            for (size_t r = 0; r < b; r++)
                for (size_t c = 0; c < b; c++) {
                    const size_t i = b * row + r, j = b * a->columns[e] + c;
                    if (held[i] || held[j])
                        a->values[(b * e + r) * b + c] = i == j ? 1.0 : 0.0;
                }
}

static DvStatus factor(Iteration *it)
{
    const ModalProblem *problem = it->problem;
    it->a = problem->ops->assemble(problem->m, &problem->step, (DvFactors){.m = -problem->shift, .k = -1.0},
                                   DV_ASSEMBLE_CONSTRAINED);
    if (it->a == NULL)
        return DV_ERROR_INVALID;
    hold(it->a, problem->held);
    uint32_t failed;
    dv_block_ldl_analyse(it->ldl, it->a, NULL, NULL);
    const DvStatus status = dv_block_ldl_factor(it->ldl, it->a, &failed);
    if (status == DV_ERROR_SINGULAR)
        return dv_error(problem->owner, status,
                        "unknown %u has neither mass nor stiffness, so that its motion is not determined; give it a "
                        "mass or fix it",
                        failed);
    return status;
}

DvStatus dv_modal_sparse(ModalProblem *problem, uint32_t count, double *start, double *values, double *shapes)
{
    const DvEigenpairsOps *pairs = dv_service(DV_EIGENPAIRS);
    Iteration it = {.problem = problem, .ldl = dv_block_ldl_new()};
    dv_block_ldl_set_owner(it.ldl, problem->owner);
    DvStatus status = factor(&it);
    DvText why = {0};
    const DvEigenProblem eigen = {problem->n, problem->shift, &it, multiply, solve};
    if (status == DV_OK)
        status = pairs->nearest(&eigen, start, count, values, shapes, &why);
    if (why.at != NULL)
        (void)dv_error(problem->owner, status, "its modes are not found: %s", why.at);
    dv_text_free(&why);
    dv_block_ldl_free(it.ldl);
    return status;
}
