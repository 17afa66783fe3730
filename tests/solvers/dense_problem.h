/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A problem of constraints as a dense matrix, from what everybody can see of it.
 */
#ifndef TESTS_DENSE_PROBLEM_H
#define TESTS_DENSE_PROBLEM_H

#include <divan/contracts/lagrangian_constraint.h>
#include <divan/memory.h>

static inline double dense_problem_product(const DvSparseRows *left, uint32_t i, const DvSparseRows *right, uint32_t j)
{
    double sum = 0.0;
    for (uint32_t a = left->row_start[i]; a < left->row_start[i + 1]; a++)
        for (uint32_t b = right->row_start[j]; b < right->row_start[j + 1]; b++)
            sum += left->columns[a] == right->columns[b] ? left->values[a] * right->values[b] : 0.0;
    return sum;
}

/* W [rows x rows], regularization included; to be freed with dv_free. */
static inline double *dense_problem_matrix(const DvConstraintProblem *p)
{
    double *w = dv_alloc((size_t)p->rows * p->rows, sizeof *w);
    for (uint32_t r = 0; r < p->rows; r++)
        w[r * p->rows + r] = p->regularization[r];
    for (uint32_t k = 0; k < p->part_count; k++) {
        const DvComplianceBlock *part = &p->parts[k];
        for (uint32_t i = 0; i < part->count; i++)
            for (uint32_t j = 0; j < part->count; j++)
                w[part->row[i] * p->rows + part->row[j]] +=
                    part->w ? part->w[(size_t)i * part->count + j]
                            : dense_problem_product(&part->left, i, &part->right, j);
    }
    return w;
}

/* d = violation + W lambda */
static inline void dense_problem_violation(const DvConstraintProblem *p, const double *w, const double *lambda,
                                           double *d)
{
    for (uint32_t r = 0; r < p->rows; r++) {
        d[r] = p->violation[r];
        for (uint32_t s = 0; s < p->rows; s++)
            d[r] += w[r * p->rows + s] * lambda[s];
    }
}

#endif
