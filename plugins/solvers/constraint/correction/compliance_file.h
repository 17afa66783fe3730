/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files of compliances: n x n little-endian doubles by rows, nothing else. Row i, column j: what a unit force on unknown j moves
 * unknown i.
 */
#ifndef DV_SOLVERS_COMPLIANCE_FILE_H
#define DV_SOLVERS_COMPLIANCE_FILE_H

#include <divan/divan.h>

/* Into columns [n x n], one after the other. Errors, reported of `object`: of another size, no numbers, no compliance of a body.
 * [main] */
DV_NODISCARD DvStatus compliance_file_read(const DvObject *object, const char *path, size_t n, double *columns);
/* From columns, which are as they were afterwards, as dv_scene_output_update does.     [main] */
DV_NODISCARD DvStatus compliance_file_write(DvScene *scene, const char *path, size_t n, double *columns, DvText *why);

#endif
