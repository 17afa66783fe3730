/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rows of constraints, from the states they are written on to the independent states these follow from.
 */
#ifndef DIVAN_MECHANICS_ROW_PROJECTION_H
#define DIVAN_MECHANICS_ROW_PROJECTION_H

#include "mechanics.h"

/* DvMechanicalOperationsOps.project_rows; the mechanics are up to date with the graph. */
DV_NODISCARD DvStatus row_projection_run(DvMechanics *m, const DvStep *step, const DvStateRows *parts, uint32_t count,
                                         uint32_t rows, uint32_t options, DvSparseRows *out);
void row_projection_free(RowProjection *projection); /* NULL is allowed */

#endif
