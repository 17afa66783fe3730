/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Direct solvers whose factorization is a library's (contracts/sparse_direct.h): any matrix that is not singular, symmetric or not.
 *
 * The library gets the matrix by scalars, without the couplings of points that are not coupled now: fixed points cost nothing. The order of
 * elimination is found on the graph of the blocks, as for all direct solvers here. LibrarySolver is the first member of the component's
 * struct; a class brings the method.
 */
#ifndef DV_SOLVERS_LIBRARY_SOLVER_H
#define DV_SOLVERS_LIBRARY_SOLVER_H

#include "linear/ordering_choice.h"

#include <divan/contracts/report.h>
#include <divan/contracts/sparse_direct.h>
#include <divan/kit/direct_solver.h>

typedef struct LibrarySolver {
    DvDirectSolver direct;
    OrderingChoice ordering;
    const DvSparseDirectOps *library;
    DvSparseFactor *factor;
    uint32_t n;                             /* unknowns that were analysed */
    uint32_t *row_start, *columns, *source; /* the matrix by scalars; source: place in the values of the blocks */
    double *values;
    uint32_t *dropped; /* [dropped_count] blocks that were zero, of points that were not coupled */
    uint32_t dropped_count;
    double *residual, *correction; /* [n] */
    bool measured, delicate;       /* of the factor: whether a residual is known, and whether it asked for refinement */
} LibrarySolver;

#define LIBRARY_SOLVER_FIELDS(Struct, base) \
    DV_LINEAR_SOLVER_FIELDS(Struct, base.direct.base), ORDERING_CHOICE_FIELD(Struct, base.ordering)

extern const DvDirectSolverOps dv_library_solver_ops;
extern const DvReportOps dv_library_solver_report_ops;

/* DvClass: `init_` calls dv_library_solver_init with the method. */
#define LIBRARY_SOLVER_CLASS(init_)                                                                        \
    .variants = "CompressedRowSparseMatrixMat3x3d CompressedRowSparseMatrixd",                             \
    .default_variant = "CompressedRowSparseMatrixMat3x3d", .module = "Sofa.Component.LinearSolver.Direct", \
    .family = "linear solvers",                                                                            \
    .bases = (const char *const[]){"EigenDirectSparseSolver", "MatrixLinearSolver", "LinearSolver", NULL}, \
    .init = (init_), .reset = dv_direct_solver_reset, .cleanup = dv_library_solver_cleanup,                \
    .destroy = dv_library_solver_destroy, .contracts = (const DvContract[])                                \
    {                                                                                                      \
        {.id = DV_LINEAR_SOLVER, .ops = &dv_library_solver_ops},                                           \
            {.id = DV_FAULT_CAUSE, .ops = &dv_direct_solver_cause_ops},                                    \
            {.id = DV_SOLVE_RECORD, .ops = &dv_direct_solver_record_ops},                                  \
            {.id = DV_REPORT, .ops = &dv_library_solver_report_ops},                                       \
        {                                                                                                  \
            0                                                                                              \
        }                                                                                                  \
    }

/* At init; `plugin` and `package` are named where no plugin offers the method.     [main] */
DV_NODISCARD DvStatus dv_library_solver_init(DvObject *object, LibrarySolver *self, DvSparseMethod method,
                                             const char *plugin, const char *package);
void dv_library_solver_cleanup(DvObject *object, void *self);
void dv_library_solver_destroy(DvObject *object, void *self);

#endif
