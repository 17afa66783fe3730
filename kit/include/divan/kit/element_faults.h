/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Meshes that are not what they look like: points of elements in one place, so that what is on both sides is not connected, and elements
 * that are given twice, so that they count twice; and points that no element uses, which nothing may hold. Each is told in one line, and once
 * for a mesh.
 */
#ifndef DIVAN_KIT_ELEMENT_FAULTS_H
#define DIVAN_KIT_ELEMENT_FAULTS_H

#include <divan/contracts/state.h>
#include <divan/contracts/topology.h>

DV_BEGIN_DECLS

/* What the elements of a force field have of that at rest, as warnings of it. `kind`: DV_TETRAHEDRA, say; DV_EDGES: springs. Of volumes a
 * point is to be a corner of one of `elements`, of others of any element of the mesh: a surface may be that of a body. */
DV_PUBLIC void dv_element_faults_report(const DvObject *object, const DvTopologyRef *topology, DvElementKind kind,
                                        DvElements elements, DvConstVec rest);
/* Those of the same points alone. */
DV_PUBLIC void dv_element_faults_report_twice(const DvObject *object, const DvTopologyRef *topology, DvElementKind kind,
                                              DvElements elements);

DV_END_DECLS
#endif
