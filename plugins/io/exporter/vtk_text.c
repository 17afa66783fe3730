/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VTK's formats as text: legacy, and XML. Both are UnstructuredGrids; cells come edges first, as export_order says.
 */
#include "export_mesh.h"

#include <inttypes.h>
#include <string.h>

/* Runs over the cells in the order of the file. */
#define FOR_CELLS(mesh, kind, nodes, element)                                                              \
    for (uint32_t o_ = 0; o_ < DV_ELEMENT_KINDS - 1; o_++)                                                 \
        for (uint32_t kind = export_order[o_], nodes = dv_element_nodes((DvElementKind)kind), element = 0; \
             element < (mesh)->elements[kind].count; element++)

static void add_corners(DvText *out, const uint32_t *at, uint32_t count)
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

static void add_values(DvText *out, const ExportArray *array)
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
        add_values(out, array);
        dv_text_add(out, "\n");
    }
}

void write_vtk_legacy(const ExportMesh *mesh, const VtkText *style, DvText *out)
{
    const bool single = strcmp(style->real, "float") == 0;
    const uint32_t cells = export_mesh_cells(mesh);
    size_t numbers = cells;
    for (uint32_t k = DV_EDGES; k < DV_ELEMENT_KINDS; k++)
        numbers += (size_t)mesh->elements[k].count * dv_element_nodes((DvElementKind)k);
    dv_text_add(out, "# vtk DataFile Version 2.0\n%s\nASCII\n%sDATASET UNSTRUCTURED_GRID\nPOINTS %" PRIu32 " %s\n",
                style->title, style->blank, mesh->point_count, style->real);
    for (size_t i = 0; i < mesh->point_count; i++)
        add_point(out, mesh->points + 3 * i, single);
    dv_text_add(out, "%sCELLS %" PRIu32 " %zu\n", style->blank, cells, numbers);
    FOR_CELLS(mesh, kind, nodes, e)
    {
        dv_text_add(out, "%" PRIu32 " ", nodes);
        add_corners(out, mesh->elements[kind].at + (size_t)e * nodes, nodes);
        dv_text_add_bytes(out, "\n", 1);
    }
    dv_text_add(out, "%sCELL_TYPES %" PRIu32 "\n", style->blank, cells);
    FOR_CELLS(mesh, kind, nodes, e)
    dv_text_add(out, "%d\n", export_vtk_type[nodes ? kind : 0]);
    dv_text_add(out, "%s", style->blank);
    add_legacy_arrays(out, "POINT_DATA", mesh->point_count, style->of_points, style->of_points_count);
    add_legacy_arrays(out, "CELL_DATA", cells, style->of_cells, style->of_cells_count);
}

static void add_xml_name(DvText *out, const char *name)
{
    for (const char *c = name; *c; c++)
        if (*c == '&' || *c == '<' || *c == '>' || *c == '"')
            dv_text_add(out, "&#%d;", *c);
        else
            dv_text_add_bytes(out, c, 1);
}

static void add_xml_arrays(DvText *out, const char *of, const ExportArray *arrays, uint32_t count)
{
    static const char *const types[] = {"Int32", "Int32", "UInt32", "Float64"};
    if (!count)
        return;
    dv_text_add(out, "      <%s>\n", of);
    for (uint32_t a = 0; a < count; a++) {
        dv_text_add(out, "        <DataArray type=\"%s\" Name=\"", types[arrays[a].scalar]);
        add_xml_name(out, arrays[a].name);
        if (arrays[a].components > 1)
            dv_text_add(out, "\" NumberOfComponents=\"%" PRIu32, arrays[a].components);
        dv_text_add(out, "\" format=\"ascii\">\n");
        add_values(out, &arrays[a]);
        dv_text_add(out, "        </DataArray>\n");
    }
    dv_text_add(out, "      </%s>\n", of);
}

static void add_xml_cells(DvText *out, const ExportMesh *mesh)
{
    static const char end[] = "\n        </DataArray>\n";
    dv_text_add(out, "      <Cells>\n        <DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">\n");
    FOR_CELLS(mesh, kind, nodes, e)
    {
        dv_text_add(out, "          ");
        add_corners(out, mesh->elements[kind].at + (size_t)e * nodes, nodes);
        dv_text_add_bytes(out, "\n", 1);
    }
    dv_text_add(
        out, "        </DataArray>\n        <DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">\n          ");
    size_t offset = 0;
    FOR_CELLS(mesh, kind, nodes, e)
    dv_text_add(out, "%zu ", offset += nodes);
    dv_text_add(out, "%s        <DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">\n          ", end);
    FOR_CELLS(mesh, kind, nodes, e)
    dv_text_add(out, "%d ", export_vtk_type[nodes ? kind : 0]);
    dv_text_add(out, "%s      </Cells>\n", end);
}

void write_vtk_xml(const ExportMesh *mesh, const VtkText *style, DvText *out)
{
    const bool single = strcmp(style->real, "float") == 0;
    dv_text_add(out,
                "%s<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" byte_order=\"BigEndian\">\n  <UnstructuredGrid>\n"
                "    <Piece NumberOfPoints=\"%" PRIu32 "\" NumberOfCells=\"%" PRIu32 "\">\n",
                style->declaration, mesh->point_count, export_mesh_cells(mesh));
    add_xml_arrays(out, "PointData", style->of_points, style->of_points_count);
    add_xml_arrays(out, "CellData", style->of_cells, style->of_cells_count);
    dv_text_add(out, "      <Points>\n        <DataArray type=\"%s\" NumberOfComponents=\"3\" format=\"ascii\">\n",
                single ? "Float32" : "Float64");
    for (size_t i = 0; i < mesh->point_count; i++) {
        dv_text_add(out, "%s", style->indent);
        add_point(out, mesh->points + 3 * i, single);
    }
    dv_text_add(out, "        </DataArray>\n      </Points>\n");
    add_xml_cells(out, mesh);
    dv_text_add(out, "    </Piece>\n  </UnstructuredGrid>\n</VTKFile>\n");
}
