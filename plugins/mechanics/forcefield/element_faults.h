/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Meshes that are not what they look like: points of elements in one place, so that what is on both sides is not connected, and elements
 * that are given twice, so that they count twice; and points that no volume uses, which nothing may hold. Each is told in one line.
 */
#ifndef DIVAN_MECHANICS_ELEMENT_FAULTS_H
#define DIVAN_MECHANICS_ELEMENT_FAULTS_H

#include <divan/contracts/state.h>
#include <divan/contracts/topology.h>

/* What the elements of a force field have of that at rest, as warnings of it. `kind`: "tetrahedra". */
void element_faults_say(const DvObject *object, const DvObject *topology, const char *kind, DvElements elements,
                        uint32_t nodes, DvConstVec rest);
/* Those of the same points alone. */
void element_faults_say_twice(const DvObject *object, const char *kind, DvElements elements, uint32_t nodes);

#endif
