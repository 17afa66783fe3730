/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Formats of meshes: Gmsh, Wavefront, Netgen, Tetgen, STL, PLY. Numbers of points count from 1 in the first four.
 */
#include "export_mesh.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

uint32_t count_beyond_single(const double *at, size_t count)
{
    uint32_t beyond = 0;
    for (size_t i = 0; i < count; i++)
        beyond += fabs(at[i]) > FLT_MAX;
    return beyond;
}

bool vtk_is_single(const ExportMesh *mesh, const VtkText *style)
{
    return strcmp(style->real, "float") == 0 && count_beyond_single(mesh->points, 3 * (size_t)mesh->point_count) == 0;
}

void add_point(DvText *out, const double *point, bool single)
{
    if (single) {
        dv_text_add(out, "%.9g %.9g %.9g\n", point[0], point[1], point[2]);
        return;
    }
    for (int c = 0; c < 3; c++) {
        dv_text_add_double(out, point[c]);
        dv_text_add_bytes(out, c < 2 ? " " : "\n", 1);
    }
}

static void add_points(DvText *out, const ExportMesh *mesh, const char *before)
{
    for (size_t i = 0; i < mesh->point_count; i++) {
        dv_text_add(out, "%s", before);
        add_point(out, mesh->points + 3 * i, false);
    }
}

static void add_numbered_points(DvText *out, const ExportMesh *mesh)
{
    for (size_t i = 0; i < mesh->point_count; i++) {
        dv_text_add(out, "%zu ", i + 1);
        add_point(out, mesh->points + 3 * i, false);
    }
}

/* " 1 2 3" and the end of the line. */
static void add_nodes_from(DvText *out, const uint32_t *at, uint32_t count, uint32_t first)
{
    for (uint32_t n = 0; n < count; n++)
        dv_text_add(out, " %" PRIu64, (uint64_t)at[n] + first);
    dv_text_add_bytes(out, "\n", 1);
}

static void add_nodes(DvText *out, const uint32_t *at, uint32_t count)
{
    add_nodes_from(out, at, count, 1);
}

void write_gmsh(const ExportMesh *mesh, DvText *out)
{
    static const uint8_t type[DV_ELEMENT_KINDS] = {15, 1, 2, 3, 4, 5, 6, 7};
    uint32_t number = 0;
    dv_text_add(out, "$MeshFormat\n2.1 0 8\n$EndMeshFormat\n$Nodes\n%" PRIu32 "\n", mesh->point_count);
    add_numbered_points(out, mesh);
    dv_text_add(out, "$EndNodes\n$Elements\n%" PRIu32 "\n", export_mesh_cells(mesh));
    for (uint32_t o = 0; o < DV_ELEMENT_KINDS; o++) {
        const DvElementKind kind = export_order[o];
        const uint32_t nodes = dv_element_nodes(kind);
        for (size_t e = 0; e < mesh->elements[kind].count; e++) {
            dv_text_add(out, "%" PRIu32 " %d 0", ++number, type[kind]);
            add_nodes(out, mesh->elements[kind].at + e * nodes, nodes);
        }
    }
    dv_text_add(out, "$EndElements\n");
}

void write_obj(const ExportMesh *mesh, DvText *out)
{
    /* Lines of comments as old files have them: programs that compare such files compare words. */
    dv_text_add(out, "#Export in obj format from SOFA\n#\no %s\n\n#Points (total = %" PRIu32 " pts)\n", mesh->name,
                mesh->point_count);
    add_points(out, mesh, "v ");
    dv_text_add_bytes(out, "\n", 1);
    for (uint32_t kind = DV_EDGES; kind <= DV_QUADS; kind++) {
        const uint32_t nodes = dv_element_nodes((DvElementKind)kind);
        for (size_t e = 0; e < mesh->elements[kind].count; e++) {
            dv_text_add_bytes(out, kind == DV_EDGES ? "l" : "f", 1);
            add_nodes_from(out, mesh->elements[kind].at + e * nodes, nodes, mesh->first_point + 1);
        }
    }
}

void write_netgen(const ExportMesh *mesh, DvText *out)
{
    static const DvElementKind kinds[] = {DV_TETRAHEDRA, DV_TRIANGLES};
    dv_text_add(out, "%" PRIu32 "\n", mesh->point_count);
    add_points(out, mesh, "");
    for (int k = 0; k < 2; k++) {
        const uint32_t nodes = dv_element_nodes(kinds[k]);
        dv_text_add(out, "%" PRIu32 "\n", mesh->elements[kinds[k]].count);
        for (size_t e = 0; e < mesh->elements[kinds[k]].count; e++) {
            dv_text_add_bytes(out, "0", 1);
            add_nodes(out, mesh->elements[kinds[k]].at + e * nodes, nodes);
        }
    }
}

void write_tetgen_nodes(const ExportMesh *mesh, DvText *out)
{
    dv_text_add(out, "%" PRIu32 " 3 0 0\n", mesh->point_count);
    add_numbered_points(out, mesh);
}

void write_tetgen_elements(const ExportMesh *mesh, DvText *out)
{
    const DvElements all = mesh->elements[DV_TETRAHEDRA];
    dv_text_add(out, "%" PRIu32 " 4 0\n", all.count);
    for (size_t e = 0; e < all.count; e++) {
        const uint32_t *at = all.at + 4 * e, turned[4] = {at[0], at[1], at[3], at[2]};
        dv_text_add(out, "%zu", e + 1);
        add_nodes(out, turned, 4);
    }
}

void write_tetgen_faces(const ExportMesh *mesh, DvText *out)
{
    const DvElements all = mesh->elements[DV_TRIANGLES];
    dv_text_add(out, "%" PRIu32 " 0\n", all.count);
    for (size_t e = 0; e < all.count; e++) {
        dv_text_add(out, "%zu", e + 1);
        add_nodes(out, all.at + 3 * e, 3);
    }
}

/* A facet of STL; normals are zero: readers follow the corners. */
static void add_facet(DvText *out, const ExportMesh *mesh, const uint32_t corner[3], bool binary)
{
    float record[12] = {0};
    if (!binary)
        dv_text_add(out, "facet normal 0 0 0\nouter loop\n");
    for (int c = 0; c < 3; c++) {
        const double *at = mesh->points + 3 * (size_t)corner[c];
        for (int k = 0; k < 3; k++)
            record[3 + 3 * c + k] = (float)at[k];
        if (!binary) {
            dv_text_add(out, "vertex ");
            add_point(out, at, false);
        }
    }
    if (binary) {
        dv_text_add_bytes(out, (const char *)record, sizeof record);
        dv_text_add_bytes(out, "\0\0", 2);
    } else {
        dv_text_add(out, "endloop\nendfacet\n");
    }
}

void write_stl(const ExportMesh *mesh, bool binary, DvText *out)
{
    const DvElements triangles = mesh->elements[DV_TRIANGLES], quads = mesh->elements[DV_QUADS];
    if (binary) {
        char header[80] = "Divan"; /* must not begin with "solid" */
        const uint32_t count = triangles.count + 2 * quads.count;
        dv_text_add_bytes(out, header, sizeof header);
        dv_text_add_bytes(out, (const char *)&count, sizeof count);
    } else {
        dv_text_add(out, "solid Divan\n");
    }
    for (size_t e = 0; e < triangles.count; e++)
        add_facet(out, mesh, triangles.at + 3 * e, binary);
    for (size_t e = 0; e < quads.count; e++) {
        const uint32_t *q = quads.at + 4 * e, other[3] = {q[0], q[2], q[3]};
        add_facet(out, mesh, q, binary);
        add_facet(out, mesh, other, binary);
    }
    if (!binary)
        dv_text_add(out, "endsolid Divan\n");
}

static void add_ply_elements(DvText *out, const ExportMesh *mesh, DvElementKind kind)
{
    const DvElements all = mesh->elements[kind];
    const uint32_t nodes = dv_element_nodes(kind);
    const char count = (char)nodes;
    for (size_t e = 0; e < all.count; e++) {
        if (kind != DV_EDGES)
            dv_text_add_bytes(out, &count, 1);
        dv_text_add_bytes(out, (const char *)(all.at + e * nodes), nodes * sizeof *all.at);
    }
}

void write_ply(const ExportMesh *mesh, DvText *out)
{
    const uint32_t edges = mesh->elements[DV_EDGES].count,
                   faces = mesh->elements[DV_TRIANGLES].count + mesh->elements[DV_QUADS].count;
    dv_text_add(out,
                "ply\nformat binary_little_endian 1.0\nelement vertex %" PRIu32
                "\nproperty double x\nproperty double y\nproperty double z\nelement face %" PRIu32
                "\nproperty list uchar int vertex_indices\n",
                mesh->point_count, faces);
    if (edges)
        dv_text_add(out, "element edge %" PRIu32 "\nproperty int vertex1\nproperty int vertex2\n", edges);
    dv_text_add(out, "end_header\n");
    dv_text_add_bytes(out, (const char *)mesh->points, (size_t)mesh->point_count * 3 * sizeof(double));
    add_ply_elements(out, mesh, DV_TRIANGLES);
    add_ply_elements(out, mesh, DV_QUADS);
    add_ply_elements(out, mesh, DV_EDGES);
}
