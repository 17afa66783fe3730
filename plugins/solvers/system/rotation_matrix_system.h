/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a WarpPreconditioner asks of its RotationMatrixSystem.
 */
#ifndef DV_SOLVERS_ROTATION_MATRIX_SYSTEM_H
#define DV_SOLVERS_ROTATION_MATRIX_SYSTEM_H

#include "linear/rotated_unknowns.h"

extern const DvClass dv_rotation_matrix_system;

/* The system whose matrix is turned. An error is reported: the scene names another one.     [main] at init */
DV_NODISCARD DvStatus dv_rotation_matrix_system_set_main(DvObject *system, DvObject *main);
/* Whether this building of the system wants a matrix: of the present positions, or one of a run that goes on; counts. `another`: the last
 * one is of other unknowns. Then the rotations: `fresh`: there is one, else the last one is to be turned.     [step] */
bool dv_rotation_matrix_system_is_due(DvObject *system, bool another);
void dv_rotation_matrix_system_update(DvObject *system, DvMechanics *m, const DvStep *step, bool fresh);
/* See dv_linear_system_keep. */
void dv_rotation_matrix_system_keep(DvObject *system);
void dv_rotation_matrix_system_give(DvObject *system);
const RotatedUnknowns *dv_rotation_matrix_system_unknowns(DvObject *system); /* [step] */

#endif
