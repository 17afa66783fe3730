/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What ODE solvers that have to solve equations which are not linear share: the NewtonRaphsonSolver of the scene.
 */
#ifndef DV_SOLVERS_NEWTON_H
#define DV_SOLVERS_NEWTON_H

#include <divan/contracts/solve_record.h>
#include <divan/kit/convergence_graph.h>

/* Offered by NewtonRaphsonSolver alone; the classes of this plugin find it by this name and call its functions, below. */
#define NEWTON_SOLVER "solvers.newton/1"

/* How a solve ended, in the order of the choices of the field `status`. */
typedef enum NewtonEnd {
    NEWTON_UNDEFINED, /* there was none yet */
    NEWTON_RUNNING,
    NEWTON_EQUILIBRIUM, /* the first guess solves the equations */
    NEWTON_FAILED_ITERATIONS,
    NEWTON_FAILED_LINE_SEARCH,
    NEWTON_SUCCESSIVE, /* by the residual against the one before, the first one, an absolute bound */
    NEWTON_INITIAL,
    NEWTON_ABSOLUTE,
    NEWTON_RELATIVE_CHANGE, /* by the change of the guess against the guess, an absolute bound */
    NEWTON_ABSOLUTE_CHANGE
} NewtonEnd;
static inline bool newton_converged(NewtonEnd end)
{
    return end == NEWTON_EQUILIBRIUM || end >= NEWTON_SUCCESSIVE;
}

/* The equations r(x) = 0, which keep x, r and dx themselves. All     [step]. */
typedef struct NewtonProblem {
    void *self;
    double (*evaluate)(void *self); /* |r(x)|^2 */
    /* dx by the linear equations at x; what goes wrong is reported and ends the solve. */
    DvStatus (*solve)(void *self);
    void (*update)(void *self, double share); /* x += share dx */
    double (*squared_guess)(void *self);      /* |x|^2 */
    double (*squared_change)(void *self);     /* |dx|^2 */
    const char *ease;                         /* what makes the equations easier, as a part of a sentence */
    /* The caller does something about failures: they are neither told nor counted, and what has converged leaves no more than there was
     * at first. */
    bool rescued;
} NewtonProblem;

typedef struct NewtonSolver NewtonSolver;
/* From the present x on. DV_OK: *end says how it ended; else an error of `solve`.     [step] */
DV_NODISCARD DvStatus newton_solve(NewtonSolver *newton, const NewtonProblem *problem, NewtonEnd *end);
typedef struct NewtonOps {
    uint32_t size;
    DvStatus (*solve)(NewtonSolver *newton, const NewtonProblem *problem, NewtonEnd *end); /* newton_solve */
} NewtonOps;
/* Whether the last solve has failed.     [step] */
bool newton_has_failed(const NewtonSolver *newton);
/* How the last solve failed: "after 20 iterations the residual is ...".     [step] */
void newton_describe(const NewtonSolver *newton, DvText *text);
void newton_describe_with_remedy(const NewtonSolver *newton, DvText *text);
/* The one that the link leads to; without a link the first in the node of `object` or below. NULL: there is none, or it cannot be used
 * (*status, which has been reported).     [main] at init */
NewtonSolver *newton_find(DvObject *object, const DvLink *link, DvStatus *status);

#endif
