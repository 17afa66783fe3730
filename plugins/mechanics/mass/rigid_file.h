/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files of type .rigid: the mass and inertia of one rigid body.
 */
#ifndef DIVAN_MECHANICS_RIGID_FILE_H
#define DIVAN_MECHANICS_RIGID_FILE_H

#include <divan/kit/mass.h>

/* Reads the file into `body`, which keeps what the file leaves out. `has_mass` and `has_inertia` say whether it gave them. Errors are
 * reported at the field. */
DV_NODISCARD DvStatus rigid_file_read(DvData *field, const DvDofType *dof, DvBodyMass *body, bool *has_mass,
                                      bool *has_inertia);

#endif
