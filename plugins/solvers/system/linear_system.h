/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How linear solvers come by their linear system, and what the systems of this plugin tell each other.
 */
#ifndef DV_SOLVERS_LINEAR_SYSTEM_H
#define DV_SOLVERS_LINEAR_SYSTEM_H

#include <divan/kit/linear_solver.h>

/* A linear system with its functions at hand. */
typedef struct DvLinearSystemUse {
    const DvLinearSystemOps *ops;
    void *self;
    DvObject *object;
} DvLinearSystemUse;

/* The system of a solver: that of `link`; else the first of class `class_name` and variant `variant` in the node or above
 * that no other solver is linked to; else a new one in the solver's node. `link` then leads to it. An error is reported:
 * the linked object is no system of the right kind.     [main] at init */
DV_NODISCARD DvStatus dv_linear_system_find(DvObject *solver, DvLink *link, const char *class_name, const char *variant,
                                            DvLinearSystemUse *use);

/* The matrix of the last assembly of a MatrixLinearSystem that left nothing out, else NULL. */
const DvBlockMatrix *dv_matrix_linear_system_whole(const DvObject *system);

/* Whether a solver may do without the assembled matrix of this system where products are the same: it is a MatrixLinearSystem that leaves
 * nothing out. A solver that does tells it how many unknowns there are. */
bool dv_matrix_linear_system_may_be_skipped(const DvObject *system);
void dv_matrix_linear_system_skip(DvObject *system, size_t unknowns);

/* Who looks on: at each matrix that a MatrixLinearSystem has assembled, valid during the call, or that it was skipped.     [step] */
typedef struct MatrixWatcher {
    void (*look)(void *self, const DvBlockMatrix *matrix);
    void (*skipped)(void *self);
    void *self;
    struct MatrixWatcher *next;
} MatrixWatcher;
/* False: it is no MatrixLinearSystem. The system keeps the pointer until it is told to forget it.     [main] */
DV_NODISCARD bool dv_matrix_linear_system_watch(DvObject *system, MatrixWatcher *watcher);
void dv_matrix_linear_system_forget(DvObject *system, const MatrixWatcher *watcher);

/* Whether a PreconditionedMatrixFreeSystem wants its preconditioner built anew in this building of the matrix: the first
 * time, then every assemblingRate times. Counts. */
bool dv_preconditioned_system_is_due(DvObject *system);
/* Shows which system the preconditioner has. */
void dv_preconditioned_system_set_preconditioner(DvObject *system, DvObject *preconditioner_system);

#endif
