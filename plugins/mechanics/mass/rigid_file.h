/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files of type .rigid: the mass and inertia of one rigid body.
 */
#ifndef DIVAN_MECHANICS_RIGID_FILE_H
#define DIVAN_MECHANICS_RIGID_FILE_H

#include "mass_base.h"

/* Reads the file into `body`, which keeps what the file leaves out. `has_mass` says whether it gave a mass. Errors are
 * reported at the field. */
DV_NODISCARD DvStatus rigid_file_read(DvData *field, const DvDofType *dof, BodyMass *body, bool *has_mass);

#endif
