/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Cells of VTK by their type numbers (VTK user's guide, "Simple legacy formats", figures of linear and quadratic
 * cells). Pixels and voxels list their corners row by row, all others go around. Of quadratic cells the corners make
 * the element; the nodes in the middle of edges of lines, triangles and tetrahedra become high-order positions on
 * these, and no element uses those of other cells.
 */
#include "vtk_cells.h"

#include <divan/kit/tuples.h>
#include <inttypes.h>
#include <math.h>

static const uint8_t type_bytes[] = {
    [VTK_INT8] = 1,   [VTK_UINT8] = 1, [VTK_INT16] = 2,  [VTK_UINT16] = 2, [VTK_INT32] = 4,
    [VTK_UINT32] = 4, [VTK_INT64] = 8, [VTK_UINT64] = 8, [VTK_FLOAT] = 4,  [VTK_DOUBLE] = 8,
};

uint64_t vtk_bytes(VtkType type, uint64_t count)
{
    return type == VTK_BIT ? (count + 7) / 8 : count * type_bytes[type];
}

static double number(VtkType type, const uint8_t *bytes)
{
    uint64_t bits = 0; /* little-endian */
    for (int i = type_bytes[type] - 1; i >= 0; i--)
        bits = bits << 8 | bytes[i];
    float single;
    double wide;
    const uint32_t low = (uint32_t)bits;
    switch (type) {
    case VTK_INT8:
        return (int8_t)bits;
    case VTK_INT16:
        return (int16_t)bits;
    case VTK_INT32:
        return (int32_t)bits;
    case VTK_INT64:
        return (double)(int64_t)bits;
    case VTK_FLOAT:
        memcpy(&single, &low, sizeof single);
        return (double)single;
    case VTK_DOUBLE:
        memcpy(&wide, &bits, sizeof wide);
        return wide;
    default:
        return (double)bits;
    }
}

void vtk_convert(VtkType type, bool swap, const void *bytes_, uint32_t count, double *value)
{
    const uint8_t *bytes = bytes_;
    if (type == VTK_BIT) {
        for (uint32_t i = 0; i < count; i++)
            value[i] = bytes[i / 8] >> (7 - i % 8) & 1;
        return;
    }
    const size_t size = type_bytes[type];
    for (uint32_t i = 0; i < count; i++, bytes += size) {
        uint8_t swapped[8];
        if (swap)
            for (size_t j = 0; j < size; j++)
                swapped[j] = bytes[size - 1 - j];
        value[i] = number(type, swap ? swapped : bytes);
    }
}

static bool take_indices(VtkSink *sink, const double *point, uint32_t count, uint32_t *index)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!(point[i] >= 0 && point[i] < sink->points))
            return dv_mesh_fail(sink->report, "cell %" PRIu32 " uses point %.17g of %" PRIu32, sink->cells, point[i],
                                sink->points);
        index[i] = (uint32_t)point[i] + sink->base;
    }
    return true;
}

static bool add_fan(VtkSink *sink, const double *point, uint32_t count)
{
    for (uint32_t j = 2; j < count; j++) {
        const double triangle[3] = {point[0], point[j - 1], point[j]};
        uint32_t corner[3];
        if (!take_indices(sink, triangle, 3, corner))
            return false;
        dv_mesh_add_triangle(sink->mesh, sink->flip, corner[0], corner[1], corner[2]);
    }
    return true;
}

bool vtk_add_polygon(VtkSink *sink, const double *point, uint32_t count)
{
    if (count == 4) {
        uint32_t quad[4];
        if (!take_indices(sink, point, 4, quad))
            return false;
        dv_mesh_add_quad(sink->mesh, sink->flip, quad[0], quad[1], quad[2], quad[3]);
    } else if (!add_fan(sink, point, count)) {
        return false;
    }
    sink->cells++;
    dv_mesh_parts_add_cell(sink->mesh);
    return true;
}

/* edges: of lines, triangles and tetrahedra, which carry them. */
static void add_middle_nodes(DvMesh *mesh, const uint32_t *node, uint32_t corners, uint32_t nodes, uint32_t edges)
{
    dv_array_append(&mesh->middle, node + corners, nodes - corners);
    static const uint8_t ends[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
    for (uint32_t j = 0; j < edges; j++) {
        DvEdge edge = {{node[ends[j][0]], node[ends[j][1]]}};
        dv_tuple_sort(2, edge.at);
        dv_array_push(&mesh->high_order_edge, (DvHighOrderEdge){{node[corners + j], mesh->edge.count, 1, 1}});
        dv_array_push(&mesh->edge, edge);
    }
}

static bool add_strip(VtkSink *sink, const double *point, uint32_t count)
{
    for (uint32_t j = 0; j + 2 < count; j++) {
        const double triangle[3] = {point[j], point[j % 2 ? j + 1 : j + 2], point[j % 2 ? j + 2 : j + 1]};
        uint32_t corner[3];
        if (!take_indices(sink, triangle, 3, corner))
            return false;
        dv_mesh_add_triangle(sink->mesh, sink->flip, corner[0], corner[1], corner[2]);
    }
    return true;
}

static bool add_line(VtkSink *sink, const double *point, uint32_t count)
{
    dv_mesh_lists_begin(&sink->mesh->polyline);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index;
        if (!take_indices(sink, point + i, 1, &index))
            return false;
        dv_mesh_lists_push(&sink->mesh->polyline, (int32_t)index);
    }
    return true;
}

/* Of the nodes of a cell, those that are corners, in the order around. */
static void add_hexahedron(DvMesh *mesh, const uint32_t *node, const uint8_t corner[8])
{
    DvHexahedron hexahedron;
    for (uint32_t k = 0; k < 8; k++)
        hexahedron.at[k] = node[corner[k]];
    dv_array_push(&mesh->hexahedron, hexahedron);
}

/* A cell of a type that is read, its nodes taken where their number is known. */
static bool store_cell(VtkSink *sink, int type, const uint32_t *node, const double *point, uint32_t count)
{
    DvMesh *mesh = sink->mesh;
    if (type >= 0 && type <= 2) /* empty, vertex, vertices */
        return true;
    switch (type) {
    case 3:
        dv_array_push(&mesh->edge, (DvEdge){{node[0], node[1]}});
        break;
    case VTK_POLY_LINE:
        return add_line(sink, point, count);
    case 5:
        dv_mesh_add_triangle(mesh, sink->flip, node[0], node[1], node[2]);
        break;
    case VTK_TRIANGLE_STRIP:
        return add_strip(sink, point, count);
    case VTK_POLYGON:
        return add_fan(sink, point, count);
    case 8:
        dv_mesh_add_quad(mesh, sink->flip, node[0], node[1], node[3], node[2]);
        break;
    case 9:
        dv_mesh_add_quad(mesh, sink->flip, node[0], node[1], node[2], node[3]);
        break;
    case 10:
        dv_array_push(&mesh->tetrahedron, (DvTetrahedron){{node[0], node[1], node[2], node[3]}});
        break;
    case 11:
        add_hexahedron(mesh, node, (const uint8_t[8]){0, 1, 3, 2, 4, 5, 7, 6});
        break;
    case 12:
        add_hexahedron(mesh, node, (const uint8_t[8]){0, 1, 2, 3, 4, 5, 6, 7});
        break;
    case 21:
        add_middle_nodes(mesh, node, 2, 3, 1);
        break;
    case 22:
        dv_mesh_add_triangle(mesh, sink->flip, node[0], node[1], node[2]);
        add_middle_nodes(mesh, node, 3, 6, 3);
        break;
    case 24:
        dv_array_push(&mesh->tetrahedron, (DvTetrahedron){{node[0], node[1], node[2], node[3]}});
        add_middle_nodes(mesh, node, 4, 10, 6);
        break;
    case 23: /* quads with nodes in the middle of edges, and of the face */
    case 28:
        dv_mesh_add_quad(mesh, sink->flip, node[0], node[1], node[2], node[3]);
        add_middle_nodes(mesh, node, 4, count, 0);
        break;
    case 25: /* hexahedra likewise */
    case 29:
        add_hexahedron(mesh, node, (const uint8_t[8]){0, 1, 2, 3, 4, 5, 6, 7});
        add_middle_nodes(mesh, node, 8, count, 0);
        break;
    default:
        return dv_mesh_fail(sink->report, "cell %" PRIu32 " has type %d, which is not read", sink->cells, type);
    }
    return true;
}

bool vtk_add_cell(VtkSink *sink, int type, const double *point, uint32_t count)
{
    enum { TYPES = 30, MOST_NODES = 27 };
    static const uint8_t nodes_of_type[TYPES] = {
        [3] = 2,  [5] = 3,  [8] = 4,  [9] = 4,  [10] = 4,  [11] = 8,  [12] = 8, [13] = 6,
        [14] = 5, [21] = 3, [22] = 6, [23] = 8, [24] = 10, [25] = 20, [28] = 9, [29] = 27};
    uint32_t node[MOST_NODES] = {0};
    if (type >= 0 && type < TYPES && nodes_of_type[type]) {
        if (count != nodes_of_type[type])
            return dv_mesh_fail(sink->report, "cell %" PRIu32 " of type %d has %" PRIu32 " points, expected %d",
                                sink->cells, type, count, nodes_of_type[type]);
        if (!take_indices(sink, point, count, node))
            return false;
    }
    if (!store_cell(sink, type, node, point, count))
        return false;
    sink->cells++;
    dv_mesh_parts_add_cell(sink->mesh);
    return true;
}

void vtk_add_attribute(VtkSink *sink, const char *name, size_t length, bool of_cells, bool normals, bool integral,
                       uint32_t components, double *value, uint32_t count)
{
    uint32_t replaced = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!isfinite(value[i])) {
            value[i] = 0;
            replaced++;
        }
    if (replaced)
        dv_mesh_warn(sink->report, "%" PRIu32 " values of array '%.*s' are not finite and became 0", replaced,
                     length < 60 ? (int)length : 60, name);
    DvMesh *mesh = sink->mesh;
    if (normals && components == 3) {
        const uint32_t first = mesh->normal.count;
        dv_array_resize(&mesh->normal, first + count / 3);
        memcpy(mesh->normal.data + first, value, (size_t)(count / 3) * sizeof *mesh->normal.data);
        dv_free(value);
        return;
    }
    char *copy = dv_alloc(length + 1, 1);
    memcpy(copy, name, length);
    dv_array_push(&mesh->attribute, (DvMeshAttribute){.name = copy,
                                                      .tuples = count / components,
                                                      .components = components,
                                                      .of_cells = of_cells,
                                                      .integral = integral,
                                                      .value = value});
}

bool vtk_add_positions(VtkSink *sink, const double *value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!isfinite(value[i]))
            return dv_mesh_fail(sink->report, "point %" PRIu32 " has a coordinate that is not finite", i / 3);
    const uint32_t first = sink->mesh->position.count;
    dv_array_resize(&sink->mesh->position, first + count / 3);
    if (count / 3)
        memcpy(sink->mesh->position.data + first, value, (size_t)(count / 3) * sizeof *sink->mesh->position.data);
    return true;
}
