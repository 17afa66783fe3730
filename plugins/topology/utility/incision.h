/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Cutting a triangulated surface along a path; the service divan.surface-cutting/1.
 */
#ifndef DIVAN_TOPOLOGY_INCISION_H
#define DIVAN_TOPOLOGY_INCISION_H

#include "container/modifier.h"

extern const DvSurfaceCuttingOps surface_cutting_ops;

/* The same with the positions of a vector of the state: those of the start, say, which name points of the material. */
DV_NODISCARD DvStatus incise_surface(DvObject *topology, uint32_t positions, const DvCutPoint *path, uint32_t count,
                                     double snap_path, double snap_border, uint32_t *opened);

#endif
