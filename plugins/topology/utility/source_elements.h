/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From elements of a mesh to those of the mesh that it was made from by topological mappings: what is removed from a surface is
 * removed from the volume below it.
 */
#ifndef DIVAN_TOPOLOGY_SOURCE_ELEMENTS_H
#define DIVAN_TOPOLOGY_SOURCE_ELEMENTS_H

#include "container/modifier.h"

/* The mesh at the top of the chain of mappings, as far as meshes can change, and the elements of its own kind that `elements` come from, one
 * for each that has any: of several bodies around a face or edge the first. `kind` and `elements` are replaced. */
Topology *source_elements(Topology *topology, DvElementKind *kind, DvIndexArray *elements);
/* Removes elements of a mesh of its own kind, with what only they had, through the modifier in its node; numbers that are not
 * there are left out. How many were removed; 0, with a warning about `asker`, when the mesh has no modifier. */
uint32_t remove_source_elements(const DvObject *asker, Topology *topology, const DvIndexArray *elements);

#endif
