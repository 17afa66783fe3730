/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a mesh is told of by who holds it, for whoever looks at a scene before it runs: points in one place, elements given twice, points
 * that no element uses. What is seen alone may have such on purpose; mechanics that stand on it warn by themselves (element_faults.h of
 * that plugin).
 */
#ifndef DIVAN_KIT_MESH_FAULTS_H
#define DIVAN_KIT_MESH_FAULTS_H

#include <divan/contracts/report.h>
#include <divan/contracts/topology.h>

DV_BEGIN_DECLS

/* A line for each that has not been told (bits of DvMeshFault). `remedy`: what drops points that no element uses. Time and scratch in proportion to the
 * mesh.     [main] */
DV_PUBLIC void dv_mesh_report_faults(const DvMeshView *mesh, uint32_t told, const char *remedy, DvReportLine line,
                                     void *context);

DV_END_DECLS

#endif
