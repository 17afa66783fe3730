/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where the points of a force field on a mesh are at rest.
 */
#ifndef DIVAN_KIT_MESH_REST_H
#define DIVAN_KIT_MESH_REST_H

#include <divan/kit/mesh_force_field.h>

/* What its elements are made from; an error has been reported.     [step] */
DV_NODISCARD DvStatus dv_mesh_rest(DvMeshForceField *self, DvConstVec *rest);

#endif
