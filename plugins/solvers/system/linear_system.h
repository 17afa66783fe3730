/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the linear systems of this plugin and its solvers tell each other.
 */
#ifndef DV_SOLVERS_LINEAR_SYSTEM_H
#define DV_SOLVERS_LINEAR_SYSTEM_H

#include <divan/kit/linear_solver.h>

/* Who looks on: at each matrix that a MatrixLinearSystem has assembled, valid during the call, or that it was skipped.     [step] */
typedef struct MatrixWatcher {
    void (*look)(void *self, const DvBlockMatrix *matrix);
    void (*skipped)(void *self);
    void *self;
    struct MatrixWatcher *next;
} MatrixWatcher;
/* False: it is no MatrixLinearSystem, or one by another name. The system keeps the pointer until it is told to forget it.     [main] */
DV_NODISCARD bool dv_matrix_linear_system_watch(DvObject *system, MatrixWatcher *watcher);
void dv_matrix_linear_system_forget(DvObject *system, const MatrixWatcher *watcher);
/* Whether somebody looks on; false of other classes too.     [step] */
bool dv_matrix_linear_system_is_watched(DvObject *system);

/* What a preconditioner stays with for some steps, and a run that goes on makes again of the same numbers: `keep` holds those of the next
 * building, `give` lets the next building have those that are held. Of a MatrixLinearSystem the matrix, of a RotationMatrixSystem the
 * rotations too; other systems hold nothing, and what is made again is of the present positions.     [step] */
void dv_linear_system_keep(DvObject *system);
void dv_linear_system_give(DvObject *system);
/* Whether the last matrix was one that was held. */
bool dv_matrix_linear_system_gave(DvObject *system);

/* Whether a PreconditionedMatrixFreeSystem wants its preconditioner built anew in this building of the matrix: the first
 * time, then every assemblingRate times. Counts. */
bool dv_preconditioned_system_is_due(DvObject *system);
/* Whether that is in each building. */
bool dv_preconditioned_system_builds_each(DvObject *system);
/* Shows which system the preconditioner has. */
void dv_preconditioned_system_set_preconditioner(DvObject *system, DvObject *preconditioner_system);

#endif
