/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which points of which states make a matrix singular, said with what is known of them.
 */
#ifndef DV_SOLVERS_SINGULAR_POINTS_H
#define DV_SOLVERS_SINGULAR_POINTS_H

#include <divan/contracts/mechanical_operations.h>

/* The error of `solver` that scalar row `failed` of the matrix of `m` has no pivot: points whose rows are zero, how many and the first
 * three of them, that no element uses them where it is so; else the point of that row alone: DV_ERROR_SINGULAR. Entries that
 * are not finite are said instead: DV_ERROR_NOT_FINITE.     [step] */
DvStatus dv_singular_points_refuse(const DvObject *solver, const DvMechanicalOperationsOps *ops, DvMechanics *m,
                                   const DvBlockMatrix *a, uint32_t failed);
/* The path of the state and the point of an unknown: "point 3 of '/Liver/dofs'". */
void dv_singular_points_name(const DvMechanicalOperationsOps *ops, DvMechanics *m, size_t unknown, DvText *text);

#endif
