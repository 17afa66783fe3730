/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the constraint solvers share: the constraints and corrections below their node, the problem of a step, and its
 * application.
 */
#ifndef DV_SOLVERS_CONSTRAINT_SYSTEM_H
#define DV_SOLVERS_CONSTRAINT_SYSTEM_H

#include "problem.h"

typedef struct ConstraintSystem ConstraintSystem;

/* The system of a solver and all below its node.     [main] at init; NULL after a reported error */
ConstraintSystem *constraint_system_open(DvObject *solver);
void constraint_system_close(ConstraintSystem *system); /* NULL is allowed */

typedef struct SystemOptions {
    DvConstraintOrder order;
    bool unbuilt;          /* corrections need not form W */
    uint32_t rows;         /* sum of DV_ROWS_* */
    double regularization; /* added to each row of W */
    /* Only to rows in the null space of W: of eigenvectors whose eigenvalues are below null_value times the largest, those with a
     * component above null_vector. Costs a decomposition of W. */
    bool only_null_space;
    double null_value, null_vector;
    bool contacts_start; /* contacts begin with the forces of the step before */
    /* All rows are contacts, whatever their constraints say: of three rows each with this friction, of one row without. */
    bool all_contacts;
    bool leaves_displacement; /* applying leaves DV_DX of what is moved as how far its position was corrected */
    double least_determinant; /* bilateral blocks of three rows with less are let go, which is told once */
    uint32_t
        laws; /* that the solver serves as it is now, blocks of another are an error; 0: all that its class serves */
    double friction, least_compliance; /* contacts of less compliance in the normal have no force */
} SystemOptions;

/* The problem of this step; its lambda is where the solution begins. Belongs to the system until the next one. */
DV_NODISCARD DvStatus constraint_system_build(ConstraintSystem *system, const DvStep *step, SystemOptions options,
                                              Problem **problem);
/* Work for solving this problem; kept. */
double *constraint_system_work(ConstraintSystem *system, size_t doubles);
/* Moves what the corrections move by problem->lambda and tells the constraints. An error: a force is not finite. */
DV_NODISCARD DvStatus constraint_system_apply(ConstraintSystem *system, const DvStep *step, DvConstraintOrder order,
                                              const Problem *problem);

/* Of a problem that was not solved: the two rows that contradict each other, "row 0 of 'a' and row 0 of 'b', which are 0.1 apart". False:
 * none are seen to.     [step] */
bool constraint_system_contradiction(const ConstraintSystem *system, const Problem *problem, DvText *text);

/* Problems for others. */
const DvConstraintProblem *constraint_system_take(ConstraintSystem *system);

#endif
