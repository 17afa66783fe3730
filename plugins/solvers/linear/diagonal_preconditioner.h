/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What preconditioners have alike that multiply by blocks on the diagonal: Krylov methods read the blocks from them.
 */
#ifndef DIVAN_SOLVERS_DIAGONAL_PRECONDITIONER_H
#define DIVAN_SOLVERS_DIAGONAL_PRECONDITIONER_H

#include <divan/kit/krylov_inverses.h>
#include <divan/kit/preconditioner.h>

#define DIAGONAL_PRECONDITIONER_CLASS(operations, diagonal_operations)                                             \
    DV_PRECONDITIONER_LIFE, .module = "Sofa.Component.LinearSolver.Preconditioner",                                \
                            .instance_size = sizeof(DvPreconditioner), .family = "preconditioners",                \
                            .bases = (const char *const[]){"MatrixLinearSolver", "LinearSolver", NULL},            \
                            .contracts = (const DvContract[])                                                      \
    {                                                                                                              \
        {.id = DV_LINEAR_SOLVER, .ops = &(operations)}, {.id = DV_DIAGONAL_BLOCKS, .ops = &(diagonal_operations)}, \
            {0},                                                                                                   \
    }

#endif
