/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * K v = value M v over the unknowns of mechanics, K and M as their products, P the projection by constraints and to what is not held.
 */
#ifndef DV_SOLVERS_MODAL_PROBLEM_H
#define DV_SOLVERS_MODAL_PROBLEM_H

#include <divan/contracts/mechanical_operations.h>

typedef struct ModalProblem {
    const DvObject *owner; /* of errors */
    const DvMechanicalOperationsOps *ops;
    DvMechanics *m;
    DvStep step;
    DvVecId x, y; /* what products are made with */
    size_t n;
    bool *held;   /* [n] takes no part: of a state that no integrator moves, or without mass and stiffness */
    double scale; /* mean of the values: that of a vector which has some of all modes in it */
    double shift; /* below zero: values next to it are found most exactly */
} ModalProblem;

/* y = P (f.m M + f.k K) P x, with K as the mechanics have it, the derivative of the force: minus the stiffness. */
void dv_modal_product(const ModalProblem *problem, DvFactors f, double *y, const double *x);
void dv_modal_project(const ModalProblem *problem, double *y, const double *x); /* y = P x */

/* The modes next to the shift: values [count] ascending, shapes [count x n] with v^T M v = 1. Errors have been reported.
 * Of few unknowns, or of systems that cannot be assembled: all of them are found. */
DvStatus dv_modal_dense(ModalProblem *problem, uint32_t count, double *values, double *shapes);
/* Of many, by an iteration with factors of K - shift M; `start` [n] as in DvEigenpairsOps. */
DvStatus dv_modal_sparse(ModalProblem *problem, uint32_t count, double *start, double *values, double *shapes);

#endif
