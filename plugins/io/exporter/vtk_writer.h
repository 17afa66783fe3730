/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the writers of VTK's two formats share.
 */
#ifndef DIVAN_IO_VTK_WRITER_H
#define DIVAN_IO_VTK_WRITER_H

#include "export_mesh.h"

/* Runs over the cells in the order of the file. */
#define FOR_CELLS(mesh, kind, nodes, element)                                                              \
    for (uint32_t o_ = 0; o_ < DV_ELEMENT_KINDS; o_++)                                                     \
        for (uint32_t kind = export_order[o_], nodes = dv_element_nodes((DvElementKind)kind), element = 0; \
             element < (mesh)->elements[kind].count; element++)

void vtk_add_corners(DvText *out, const uint32_t *at, uint32_t count);
void vtk_add_values(DvText *out, const ExportArray *array);

#endif
