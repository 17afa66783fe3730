/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VTK's legacy format as text: UnstructuredGrids; cells come edges first, as export_order says.
 */
#include "vtk_writer.h"

#include <inttypes.h>
#include <string.h>

void vtk_add_corners(DvText *out, const uint32_t *at, uint32_t count)
{
    for (uint32_t n = 0; n < count; n++)
        dv_text_add(out, n ? " %" PRIu32 : "%" PRIu32, at[n]);
}

static void add_value(DvText *out, const ExportArray *array, size_t i)
{
    if (array->scalar == DV_SCALAR_DOUBLE)
        dv_text_add_double(out, ((const double *)array->at)[i]);
    else if (array->scalar == DV_SCALAR_BOOL)
        dv_text_add(out, "%d", ((const bool *)array->at)[i]);
    else if (array->scalar == DV_SCALAR_INT)
        dv_text_add(out, "%" PRId32, ((const int32_t *)array->at)[i]);
    else
        dv_text_add(out, "%" PRIu32, ((const uint32_t *)array->at)[i]);
}

void vtk_add_values(DvText *out, const ExportArray *array)
{
    for (size_t t = 0, i = 0; t < array->tuples; t++) {
        for (uint32_t c = 0; c < array->components; c++, i++) {
            if (c)
                dv_text_add_bytes(out, " ", 1);
            add_value(out, array, i);
        }
        dv_text_add_bytes(out, "\n", 1);
    }
}

static void add_legacy_arrays(DvText *out, const char *of, size_t tuples, const ExportArray *arrays, uint32_t count)
{
    static const char *const types[] = {"int", "int", "unsigned_int", "double"};
    if (count)
        dv_text_add(out, "%s %zu\n", of, tuples);
    for (uint32_t a = 0; a < count; a++) {
        const ExportArray *array = &arrays[a];
        const char *type = types[array->scalar];
        if (array->components == 1)
            dv_text_add(out, "SCALARS %s %s 1\nLOOKUP_TABLE default\n", array->name, type);
        else if (array->components == 3)
            dv_text_add(out, "VECTORS %s %s\n", array->name, type);
        else
            dv_text_add(out, "FIELD FieldData 1\n%s %" PRIu32 " %zu %s\n", array->name, array->components,
                        array->tuples, type);
        vtk_add_values(out, array);
        dv_text_add(out, "\n");
    }
}

void write_vtk_legacy(const ExportMesh *mesh, const VtkText *style, DvText *out)
{
    const bool single = vtk_is_single(mesh, style);
    const uint32_t cells = export_mesh_cells(mesh);
    size_t numbers = cells;
    for (uint32_t k = DV_POINTS; k < DV_ELEMENT_KINDS; k++)
        numbers += (size_t)mesh->elements[k].count * dv_element_nodes((DvElementKind)k);
    dv_text_add(out, "# vtk DataFile Version 2.0\n%s\nASCII\n%sDATASET UNSTRUCTURED_GRID\nPOINTS %" PRIu32 " %s\n",
                style->title, style->blank, mesh->point_count, single ? "float" : "double");
    for (size_t i = 0; i < mesh->point_count; i++)
        add_point(out, mesh->points + 3 * i, single);
    dv_text_add(out, "%sCELLS %" PRIu32 " %zu\n", style->blank, cells, numbers);
    FOR_CELLS(mesh, kind, nodes, e)
    {
        dv_text_add(out, "%" PRIu32 " ", nodes);
        vtk_add_corners(out, mesh->elements[kind].at + (size_t)e * nodes, nodes);
        dv_text_add_bytes(out, "\n", 1);
    }
    dv_text_add(out, "%sCELL_TYPES %" PRIu32 "\n", style->blank, cells);
    FOR_CELLS(mesh, kind, nodes, e)
    dv_text_add(out, "%d\n", export_vtk_type[nodes ? kind : 0]);
    dv_text_add(out, "%s", style->blank);
    add_legacy_arrays(out, "POINT_DATA", mesh->point_count, style->of_points, style->of_points_count);
    add_legacy_arrays(out, "CELL_DATA", cells, style->of_cells, style->of_cells_count);
}
