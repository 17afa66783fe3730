/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The factor of a direct solver where a device keeps the states of its system: sent when another one serves, and applied there to vectors that
 * stay. Threads: all [step] unless said.
 */
#ifndef DV_SOLVERS_FACTOR_THERE_H
#define DV_SOLVERS_FACTOR_THERE_H

#include "linear/block_ldl.h"

#include <divan/kit/krylov_inverses.h>

typedef struct FactorThere {
    DvStorage storage; /* held; space NULL: nothing is there yet */
    const DvObject *solver;
    DvTwin *twin;      /* or NULL: it cannot be there as it was */
    DvStateRef *state; /* [states] of the system */
    uint32_t *size;    /* [states] numbers of each */
    uint32_t states, capacity;
    uint32_t *panels; /* what the description of the factor holds */
    uint32_t analyses;
    uint64_t version;
    bool asked; /* whether it can be there, as `analyses` and `version` say */
} FactorThere;

/* Whether all states of the solver's system are in one space where its factor can be applied; brings it there when `version` is another. */
bool factor_there_take(FactorThere *there, const DvLinearSolver *solver, const DvBlockLdl *ldl, uint64_t version);
/* Then: x = A^-1 b. */
void factor_there_solve(const FactorThere *there, DvVecId x, DvVecId b);
/* x = A^-1 b of one sparse right-hand side, in a vector that is lent; W of rows. False: their columns do not ascend. */
bool factor_there_solve_row(FactorThere *there, const DvLinearSolver *solver, const DvSparseRows *b, DvVecId *x);
bool factor_there_compliance(FactorThere *there, const DvSparseRows *j, double factor, double *w, size_t stride);
void factor_there_free(FactorThere *there); /* [main] */

#endif
