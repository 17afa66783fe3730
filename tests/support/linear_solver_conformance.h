/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What every linear solver owes, whatever its method: on the system of a body with fixed points, a mapped part and springs of
 * very different stiffness, the residual |b - A x| / |b| is within its promise; A is not the solver's own but that of the mechanical
 * operations. The solution does not depend on the initial guess beyond that, and a second solve of the same system gives it again.
 * Many sparse right-hand sides, the compliance of rows and half solutions agree with elimination on the dense matrix, and do not
 * allocate again; a factor stays until the next system is set.
 *
 *   LINEAR_SOLVER_CONFORMANCE(the_direct_solver_solves, .solver = "<SparseLDLSolver name='solver'/>", .residual = 1e-12)
 */
#ifndef DIVAN_TESTS_LINEAR_SOLVER_CONFORMANCE_H
#define DIVAN_TESTS_LINEAR_SOLVER_CONFORMANCE_H

typedef struct LinearSolverConformance {
    const char *solver; /* scene text; the solver's name is "solver" */
    double residual;    /* promised, relative */
} LinearSolverConformance;

void linear_solver_conformance(const LinearSolverConformance *c);

#define LINEAR_SOLVER_CONFORMANCE(test, ...)                                \
    static void test(void **state)                                          \
    {                                                                       \
        (void)state;                                                        \
        linear_solver_conformance(&(LinearSolverConformance){__VA_ARGS__}); \
    }

#endif
