/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Unknowns that turn with the bodies they belong to: what a preconditioner of an earlier step needs to stay near the matrix of this one.
 *
 * With R the rotations of points since that step, A is near R A0 R^T, and A^-1 r near R A0^-1 R^T r. R is the identity for unknowns of
 * states other than the one whose rotations are known.
 */
#ifndef DV_SOLVERS_ROTATED_UNKNOWNS_H
#define DV_SOLVERS_ROTATED_UNKNOWNS_H

#include <divan/contracts/rotations.h>
#include <divan/kit/linear_solver.h>

typedef struct RotatedUnknowns {
    const DvRotationsOps *ops; /* NULL: nothing turns */
    void *self;
    DvStateRef state;   /* of `ops`; while dimension > 0 */
    uint32_t dimension; /* numbers of a point; 0: the identity */
    size_t begin;       /* the first unknown of the state */
    uint32_t points, capacity;
    double *kept;     /* [points][9] when the matrix was made */
    double *rotation; /* [points][9] since then */
    bool restored;    /* `kept` is that of a saved run, whose state is to be found */
    bool told;        /* that the rotations are of no use here */
} RotatedUnknowns;

/* From the object that `link` leads to, by default the first that knows rotations in the node or above, else below. None: an error where
 * it is `required`, which is reported.     [main] at init */
DV_NODISCARD DvStatus rotated_unknowns_find(RotatedUnknowns *unknowns, DvObject *object, DvLink *link, bool required);
void rotated_unknowns_free(RotatedUnknowns *unknowns); /* [main] */

/* A matrix is made at the positions of the step: R is the identity. */
void rotated_unknowns_keep(RotatedUnknowns *unknowns, const DvMechanicalOperationsOps *ops, DvMechanics *m,
                           const DvStep *step);
/* R from there to the positions of the step. */
void rotated_unknowns_turn(RotatedUnknowns *unknowns, const DvMechanicalOperationsOps *ops, DvMechanics *m,
                           const DvStep *step);
/* What was kept, as numbers of a field, and back in a run that goes on. */
void rotated_unknowns_save(const RotatedUnknowns *unknowns, DvData *numbers);
void rotated_unknowns_restore(RotatedUnknowns *unknowns, DvData *numbers);
/* R likewise, after a restore of what was kept. */
void rotated_unknowns_save_turned(const RotatedUnknowns *unknowns, DvData *numbers);
void rotated_unknowns_resume(RotatedUnknowns *unknowns, const DvMechanicalOperationsOps *ops, DvMechanics *m,
                             DvData *numbers);
/* out = R in, or R^T in where `back`; out may be in.     [n] */
void rotated_unknowns_apply(const RotatedUnknowns *unknowns, bool back, double *out, const double *in, size_t n);

#endif
