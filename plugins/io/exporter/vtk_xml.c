/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VTK's format with tags: UnstructuredGrids, and PolyData of surfaces; numbers as text in place, or as bytes at the end of the file, as they
 * are in memory or packed by zlib in blocks.
 *
 * Appended numbers: an underscore, then each array with its head of whole numbers of 64 bits: raw, the bytes that follow; packed, the
 * number of blocks, the bytes of a block and of the last one where it is shorter, and of each block those that it has been packed to.
 */
#include "vtk_writer.h"

#include <inttypes.h>
#include <string.h>
#include <zlib.h>

enum { BLOCK = 1 << 16, ARRAYS_OF_CELLS = 6 };

void vtk_add_name(DvText *out, const char *name)
{
    for (const char *c = name; *c; c++)
        if (*c == '&' || *c == '<' || *c == '>' || *c == '"')
            dv_text_add(out, "&#%d;", *c);
        else
            dv_text_add_bytes(out, c, 1);
}

/* ---- Numbers as bytes ---- */

static void add_raw(DvText *out, const void *bytes, size_t size)
{
    const uint64_t head = size;
    dv_text_add_bytes(out, (const char *)&head, sizeof head);
    dv_text_add_bytes(out, bytes, size);
}

static void add_packed(DvText *out, const unsigned char *bytes, size_t size)
{
    const uint64_t blocks = (size + BLOCK - 1) / BLOCK, head[3] = {blocks, BLOCK, size % BLOCK};
    unsigned char packed[BLOCK + BLOCK / 16 + 64];
    dv_text_add_bytes(out, (const char *)head, sizeof head);
    const size_t sizes = out->length;
    for (uint64_t b = 0; b < blocks; b++)
        dv_text_add_bytes(out, (const char *)head, sizeof *head);
    for (uint64_t b = 0; b < blocks; b++) {
        const size_t from = b * BLOCK, count = size - from < BLOCK ? size - from : BLOCK;
        uLongf got = sizeof packed;
        (void)compress2(packed, &got, bytes + from, (uLong)count,
                        1); /* the bound of its output is less than `packed` */
        const uint64_t length = got;
        memcpy(out->at + sizes + b * sizeof length, &length, sizeof length);
        dv_text_add_bytes(out, (const char *)packed, got);
    }
}

static void add_bytes(DvText *out, VtkEncoding encoding, const void *bytes, size_t size)
{
    if (encoding == VTK_PACKED)
        add_packed(out, bytes, size);
    else
        add_raw(out, bytes, size);
}

/* ---- Cells ---- */

/* Those of PolyData: points, lines, faces; UnstructuredGrid has all in one list. */
static bool is_of_group(const ExportMesh *mesh, uint32_t kind, uint32_t group)
{
    if (!mesh->is_surface)
        return group == 0;
    return group == (kind == DV_POINTS ? 0 : kind == DV_EDGES ? 1 : 2);
}

static void encode_group(const ExportMesh *mesh, VtkEncoding encoding, uint32_t group, VtkCells *cells)
{
    DvText corners = {0}, offsets = {0}, types = {0};
    int64_t offset = 0;
    FOR_CELLS(mesh, kind, nodes, e)
    {
        if (!is_of_group(mesh, kind, group))
            continue;
        dv_text_add_bytes(&corners, (const char *)(mesh->elements[kind].at + (size_t)e * nodes),
                          nodes * sizeof(uint32_t));
        offset += nodes;
        dv_text_add_bytes(&offsets, (const char *)&offset, sizeof offset);
        dv_text_add_bytes(&types, (const char *)&export_vtk_type[kind], 1);
        cells->count[group]++;
    }
    add_bytes(&cells->array[2 * group], encoding, corners.at ? corners.at : "", corners.length);
    add_bytes(&cells->array[2 * group + 1], encoding, offsets.at ? offsets.at : "", offsets.length);
    if (!mesh->is_surface)
        add_bytes(&cells->array[2], encoding, types.at ? types.at : "", types.length);
    dv_text_free(&corners);
    dv_text_free(&offsets);
    dv_text_free(&types);
}

void vtk_cells_encode(const ExportMesh *mesh, VtkEncoding encoding, VtkCells *cells)
{
    for (uint32_t group = 0; !cells->made && group < (mesh->is_surface ? 3u : 1u); group++)
        encode_group(mesh, encoding, group, cells);
    cells->made = true;
}

void vtk_cells_free(VtkCells *cells)
{
    for (uint32_t i = 0; i < ARRAYS_OF_CELLS; i++)
        dv_text_free(&cells->array[i]);
    *cells = (VtkCells){0};
}

/* ---- Tags ---- */

typedef struct XmlWriter {
    DvText *out;
    VtkEncoding encoding;
    DvText appended; /* arrays so far */
} XmlWriter;

static void begin_array(XmlWriter *writer, const char *indent, const char *type, const char *name, uint32_t components)
{
    dv_text_add(writer->out, "%s<DataArray type=\"%s\"", indent, type);
    if (name) {
        dv_text_add(writer->out, " Name=\"");
        vtk_add_name(writer->out, name);
        dv_text_add(writer->out, "\"");
    }
    if (components > 1)
        dv_text_add(writer->out, " NumberOfComponents=\"%" PRIu32 "\"", components);
    if (writer->encoding == VTK_ASCII)
        dv_text_add(writer->out, " format=\"ascii\">\n");
    else
        dv_text_add(writer->out, " format=\"appended\" offset=\"%zu\"/>\n", writer->appended.length);
}

static void add_xml_arrays(XmlWriter *writer, const char *of, const ExportArray *arrays, uint32_t count)
{
    static const char *const types[] = {"Int32", "Int32", "UInt32", "Float64"};
    static const size_t bytes[] = {sizeof(int32_t), sizeof(int32_t), sizeof(uint32_t), sizeof(double)};
    if (!count)
        return;
    dv_text_add(writer->out, "      <%s>\n", of);
    for (uint32_t a = 0; a < count; a++) {
        begin_array(writer, "        ", types[arrays[a].scalar], arrays[a].name, arrays[a].components);
        if (writer->encoding != VTK_ASCII) {
            add_bytes(&writer->appended, writer->encoding, arrays[a].at,
                      arrays[a].tuples * arrays[a].components * bytes[arrays[a].scalar]);
            continue;
        }
        vtk_add_values(writer->out, &arrays[a]);
        dv_text_add(writer->out, "        </DataArray>\n");
    }
    dv_text_add(writer->out, "      </%s>\n", of);
}

static void add_ascii_cells(XmlWriter *writer, const ExportMesh *mesh)
{
    static const char end[] = "\n        </DataArray>\n", indent[] = "        ";
    DvText *out = writer->out;
    size_t offset = 0;
    dv_text_add(out, "      <Cells>\n");
    begin_array(writer, indent, "Int32", "connectivity", 1);
    FOR_CELLS(mesh, kind, nodes, e)
    {
        dv_text_add(out, "          ");
        vtk_add_corners(out, mesh->elements[kind].at + (size_t)e * nodes, nodes);
        dv_text_add_bytes(out, "\n", 1);
    }
    dv_text_add(out, "        </DataArray>\n");
    begin_array(writer, indent, "Int32", "offsets", 1);
    dv_text_add(out, "          ");
    FOR_CELLS(mesh, kind, nodes, e)
    dv_text_add(out, "%zu ", offset += nodes);
    dv_text_add(out, "%s", end);
    begin_array(writer, indent, "UInt8", "types", 1);
    dv_text_add(out, "          ");
    FOR_CELLS(mesh, kind, nodes, e)
    dv_text_add(out, "%d ", export_vtk_type[nodes ? kind : 0]);
    dv_text_add(out, "%s      </Cells>\n", end);
}

static void add_appended_cells(XmlWriter *writer, const ExportMesh *mesh, const VtkCells *cells)
{
    static const char *const tags[] = {"Verts", "Lines", "Polys"}, *const names[] = {"connectivity", "offsets"};
    for (uint32_t group = 0; group < (mesh->is_surface ? 3u : 1u); group++) {
        const char *tag = mesh->is_surface ? tags[group] : "Cells";
        dv_text_add(writer->out, "      <%s>\n", tag);
        for (uint32_t i = 0; i < 2; i++) {
            const DvText *array = &cells->array[2 * group + i];
            begin_array(writer, "        ", i ? "Int64" : "Int32", names[i], 1);
            dv_text_add_bytes(&writer->appended, array->at, array->length);
        }
        if (!mesh->is_surface) {
            begin_array(writer, "        ", "UInt8", "types", 1);
            dv_text_add_bytes(&writer->appended, cells->array[2].at, cells->array[2].length);
        }
        dv_text_add(writer->out, "      </%s>\n", tag);
    }
}

static void add_head(XmlWriter *writer, const ExportMesh *mesh, const VtkText *style)
{
    const char *grid = mesh->is_surface ? "PolyData" : "UnstructuredGrid";
    if (style->encoding == VTK_ASCII)
        dv_text_add(writer->out, "%s<VTKFile type=\"%s\" version=\"0.1\" byte_order=\"BigEndian\">\n",
                    style->declaration, grid);
    else
        dv_text_add(writer->out,
                    "%s<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\"%s>\n",
                    style->declaration, grid,
                    style->encoding == VTK_PACKED ? " compressor=\"vtkZLibDataCompressor\"" : "");
    dv_text_add(writer->out, "  <%s>\n    <Piece NumberOfPoints=\"%" PRIu32 "\"", grid, mesh->point_count);
    if (mesh->is_surface)
        dv_text_add(writer->out,
                    " NumberOfVerts=\"%" PRIu32 "\" NumberOfLines=\"%" PRIu32 "\" NumberOfStrips=\"0\" "
                    "NumberOfPolys=\"%" PRIu32 "\">\n",
                    style->cells->count[0], style->cells->count[1], style->cells->count[2]);
    else
        dv_text_add(writer->out, " NumberOfCells=\"%" PRIu32 "\">\n", export_mesh_cells(mesh));
}

static void add_xml_points(XmlWriter *writer, const ExportMesh *mesh, const VtkText *style)
{
    const bool single = vtk_is_single(mesh, style);
    dv_text_add(writer->out, "      <Points>\n");
    begin_array(writer, "        ", single ? "Float32" : "Float64", NULL, 3);
    if (writer->encoding != VTK_ASCII) {
        add_bytes(&writer->appended, writer->encoding, mesh->points, (size_t)mesh->point_count * 3 * sizeof(double));
    } else {
        for (size_t i = 0; i < mesh->point_count; i++) {
            dv_text_add(writer->out, "%s", style->indent);
            add_point(writer->out, mesh->points + 3 * i, single);
        }
        dv_text_add(writer->out, "        </DataArray>\n");
    }
    dv_text_add(writer->out, "      </Points>\n");
}

void write_vtk_xml(const ExportMesh *mesh, const VtkText *style, DvText *out)
{
    XmlWriter writer = {.out = out, .encoding = style->encoding};
    if (style->cells)
        vtk_cells_encode(mesh, style->encoding, style->cells);
    add_head(&writer, mesh, style);
    add_xml_arrays(&writer, "PointData", style->of_points, style->of_points_count);
    add_xml_arrays(&writer, "CellData", style->of_cells, style->of_cells_count);
    add_xml_points(&writer, mesh, style);
    if (style->encoding == VTK_ASCII)
        add_ascii_cells(&writer, mesh);
    else
        add_appended_cells(&writer, mesh, style->cells);
    dv_text_add(out, "    </Piece>\n  </%s>\n", mesh->is_surface ? "PolyData" : "UnstructuredGrid");
    if (style->encoding != VTK_ASCII) {
        dv_text_add(out, "  <AppendedData encoding=\"raw\">\n_");
        dv_text_add_bytes(out, writer.appended.at, writer.appended.length);
        dv_text_add(out, "\n  </AppendedData>\n");
    }
    dv_text_add(out, "</VTKFile>\n");
    dv_text_free(&writer.appended);
}
