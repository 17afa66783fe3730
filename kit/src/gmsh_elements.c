/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements of Gmsh meshes: their types, the three forms they are written in, the groups they make.
 */
#include "gmsh_reader.h"

#include <stdio.h>

enum { MOST_NODES = 27 };

/* One type of element: kind is DV_MESH_KINDS for those that are read and dropped. */
typedef struct ElementType {
    uint8_t nodes;
    bool quadratic;
    DvMeshKind kind;
} ElementType;

/* By Gmsh's number. Types up to 31 that we do not keep have their number of nodes, for the binary format. */
static const ElementType element_types[] = {
    [1] = {2, false, DV_MESH_EDGE},         [2] = {3, false, DV_MESH_TRIANGLE},
    [3] = {4, false, DV_MESH_QUAD},         [4] = {4, false, DV_MESH_TETRAHEDRON},
    [5] = {8, false, DV_MESH_HEXAHEDRON},   [6] = {6, false, DV_MESH_KINDS},
    [7] = {5, false, DV_MESH_KINDS},        [8] = {3, true, DV_MESH_EDGE},
    [9] = {6, true, DV_MESH_TRIANGLE},      [10] = {9, true, DV_MESH_QUAD},
    [11] = {10, true, DV_MESH_TETRAHEDRON}, [12] = {27, true, DV_MESH_HEXAHEDRON},
    [13] = {18, false, DV_MESH_KINDS},      [14] = {14, false, DV_MESH_KINDS},
    [15] = {1, false, DV_MESH_KINDS},       [16] = {8, true, DV_MESH_QUAD},
    [17] = {20, true, DV_MESH_HEXAHEDRON},  [18] = {15, false, DV_MESH_KINDS},
    [19] = {13, false, DV_MESH_KINDS},      [20] = {9, false, DV_MESH_KINDS},
    [21] = {10, false, DV_MESH_KINDS},      [22] = {12, false, DV_MESH_KINDS},
    [23] = {15, false, DV_MESH_KINDS},      [24] = {15, false, DV_MESH_KINDS},
    [25] = {21, false, DV_MESH_KINDS},      [26] = {4, false, DV_MESH_KINDS},
    [27] = {5, false, DV_MESH_KINDS},       [28] = {6, false, DV_MESH_KINDS},
    [29] = {20, false, DV_MESH_KINDS},      [30] = {35, false, DV_MESH_KINDS},
    [31] = {56, false, DV_MESH_KINDS},
};
enum { POINT_TYPE = 15, TYPES = sizeof element_types / sizeof *element_types };

/* Edges of quadratic elements, in the order of their middle nodes. */
static const uint8_t quadratic_edges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {2, 3}, {1, 3}};

void gmsh_make_groups(GmshFile *file, DvMeshKind kind)
{
    const uint32_t count = file->tag[kind].count;
    DvMeshRanges *groups = &file->mesh->group[kind];
    if (count == 0)
        return;
    uint32_t *first = dv_alloc(count, sizeof *first), *group_of = dv_alloc(count, sizeof *group_of);
    dv_tuples_find_first(2, count, file->tag[kind].data[0].half, first);
    for (uint32_t i = 0; i < count; i++) {
        if (first[i] == i) {
            const uint32_t *half = file->tag[kind].data[i].half;
            char name[24];
            snprintf(name, sizeof name, "%" PRId64, (int64_t)((uint64_t)half[0] << 32 | half[1]));
            group_of[i] = groups->count;
            dv_array_push(
                groups,
                (DvMeshRange){.name = dv_strdup(name), .material = dv_strdup(""), .material_index = DV_MESH_NONE});
        }
        groups->data[group_of[first[i]]].count++;
    }
    for (uint32_t i = 1; i < groups->count; i++)
        groups->data[i].first = groups->data[i - 1].first + groups->data[i - 1].count;
    dv_free(first);
    dv_free(group_of);
}

static bool is_in_part(const GmshFile *file, int64_t dimension)
{
    return file->version == 4 ? file->in_part : gmsh_is_wanted(file, dimension, file->physical);
}

static void add_to_part(GmshFile *file, DvMeshKind kind)
{
    const DvMesh *mesh = file->mesh;
    const uint32_t counts[DV_MESH_KINDS] = {[DV_MESH_EDGE] = mesh->edge.count,
                                            [DV_MESH_TRIANGLE] = mesh->triangle.count,
                                            [DV_MESH_QUAD] = mesh->quad.count,
                                            [DV_MESH_TETRAHEDRON] = mesh->tetrahedron.count,
                                            [DV_MESH_HEXAHEDRON] = mesh->hexahedron.count};
    const int64_t dimension = kind == DV_MESH_EDGE ? 1 : kind == DV_MESH_TRIANGLE || kind == DV_MESH_QUAD ? 2 : 3;
    if (!mesh->parts.wanted || !is_in_part(file, dimension))
        return;
    file->mesh->parts.found = true;
    dv_array_push(&file->mesh->parts.element[kind], counts[kind] - 1);
}

/* The edges that carry the middle nodes of a quadratic line, triangle or tetrahedron. */
static void add_middle_nodes(DvMesh *mesh, const ElementType *type, const uint32_t *node)
{
    static const uint8_t corners_of[DV_MESH_KINDS] = {[DV_MESH_EDGE] = 2,
                                                      [DV_MESH_TRIANGLE] = 3,
                                                      [DV_MESH_QUAD] = 4,
                                                      [DV_MESH_TETRAHEDRON] = 4,
                                                      [DV_MESH_HEXAHEDRON] = 8};
    static const uint8_t edges_of[DV_MESH_KINDS] = {
        [DV_MESH_EDGE] = 1, [DV_MESH_TRIANGLE] = 3, [DV_MESH_TETRAHEDRON] = 6};
    const uint32_t corners = corners_of[type->kind], edges = edges_of[type->kind];
    dv_array_append(&mesh->middle, node + corners, type->nodes - corners);
    for (uint32_t j = 0; j < edges; j++) {
        DvEdge edge = {{node[quadratic_edges[j][0]], node[quadratic_edges[j][1]]}};
        dv_tuple_sort(2, edge.at);
        dv_array_push(&mesh->high_order_edge, (DvHighOrderEdge){{node[corners + j], mesh->edge.count, 1, 1}});
        dv_array_push(&mesh->edge, edge);
    }
}

static void add_element(GmshFile *file, const ElementType *type, int64_t tag, const uint32_t *node)
{
    DvMesh *mesh = file->mesh;
    switch (type->kind) {
    case DV_MESH_EDGE:
        if (!type->quadratic)
            dv_array_push(&mesh->edge, (DvEdge){{node[0], node[1]}});
        break;
    case DV_MESH_TRIANGLE:
        dv_array_push(&mesh->triangle, (DvTriangle){{node[0], node[1], node[2]}});
        break;
    case DV_MESH_QUAD:
        dv_array_push(&mesh->quad, (DvQuad){{node[0], node[1], node[2], node[3]}});
        break;
    case DV_MESH_TETRAHEDRON:
        dv_array_push(&mesh->tetrahedron, (DvTetrahedron){{node[0], node[1], node[2], node[3]}});
        break;
    default:
        dv_array_push(&mesh->hexahedron, (DvHexahedron){{0}});
        memcpy(mesh->hexahedron.data[mesh->hexahedron.count - 1].at, node, 8 * sizeof *node);
    }
    if (type->quadratic)
        add_middle_nodes(mesh, type, node);
    add_to_part(file, type->kind);
    dv_array_push(&file->tag[type->kind], (GroupTag){{(uint32_t)((uint64_t)tag >> 32), (uint32_t)tag}});
}

/* Translates the node numbers of an element and adds it, or counts what is skipped. */
static bool take_element(GmshFile *file, int64_t type, int64_t element, int64_t tag, const int64_t *number,
                         int64_t count)
{
    if (type < 1 || type >= TYPES || element_types[type].kind == DV_MESH_KINDS) {
        uint32_t point;
        if (type == POINT_TYPE && count == 1 && file->mesh->parts.wanted && is_in_part(file, 0) &&
            gmsh_find_node(file, number[0], &point)) {
            file->mesh->parts.found = true;
            dv_array_push(&file->mesh->parts.point, point);
        }
        if (type != POINT_TYPE)
            file->skipped[type < 1 || type > UNKNOWN_TYPES ? 0 : type]++;
        return true;
    }
    if (count != element_types[type].nodes)
        return dv_mesh_fail(file->report,
                            "line %" PRIu32 ": element %" PRId64 " of type %" PRId64 " has %" PRId64
                            " nodes, expected %d",
                            file->text.line, element, type, count, element_types[type].nodes);
    uint32_t node[MOST_NODES];
    for (int64_t i = 0; i < count; i++)
        if (!gmsh_find_node(file, number[i], &node[i]))
            return dv_mesh_fail(file->report,
                                "line %" PRIu32 ": element %" PRId64 " uses node %" PRId64
                                ", which is not in the list of nodes",
                                file->text.line, element, number[i]);
    add_element(file, &element_types[type], tag, node);
    return true;
}

/* Reads `count` node numbers and takes the element; more than any kept type has are read and dropped. */
static bool read_element_nodes(GmshFile *file, int64_t type, int64_t element, int64_t tag, int64_t count)
{
    int64_t number[MOST_NODES] = {0};
    for (int64_t i = 0; i < count; i++) {
        int64_t value;
        if (file->binary) {
            int32_t narrow;
            if (!gmsh_take_int(file, &narrow))
                return false;
            value = narrow;
        } else if (!gmsh_read_integer(file, &value, "a node of an element")) {
            return false;
        }
        if (i < MOST_NODES)
            number[i] = value;
    }
    return take_element(file, type, element, tag, number, count);
}

/* Elements of types without a number of nodes in the table: the rest of the line. */
static bool read_element_line(GmshFile *file, int64_t type, int64_t element, int64_t tag)
{
    if (type >= 1 && type < TYPES && element_types[type].nodes)
        return read_element_nodes(file, type, element, tag, element_types[type].nodes);
    gmsh_skip_line(file);
    return take_element(file, type, element, tag, NULL, 0);
}

bool gmsh_read_elements_text(GmshFile *file)
{
    int64_t count;
    if (!gmsh_read_count(file, &count, 8, "the number of elements"))
        return false;
    for (int64_t i = 0; i < count; i++) {
        int64_t element, type, tags, tag = 0, nodes;
        if (!gmsh_read_integer(file, &element, "the number of an element") ||
            !gmsh_read_integer(file, &type, "the type of an element"))
            return false;
        if (file->version == 1) {
            if (!gmsh_read_integer(file, &file->physical, "a physical entity") ||
                !gmsh_read_integer(file, &tag, "an elementary entity") ||
                !gmsh_read_count(file, &nodes, 2, "the number of nodes of an element") ||
                !read_element_nodes(file, type, element, tag, nodes))
                return false;
            continue;
        }
        if (!gmsh_read_count(file, &tags, 2, "the number of tags"))
            return false;
        file->physical = 0;
        for (int64_t j = 0; j < tags; j++) {
            if (!gmsh_read_integer(file, &tag, "a tag"))
                return false;
            file->physical = j == 0 ? tag : file->physical;
        }
        if (!read_element_line(file, type, element, tag))
            return false;
    }
    return true;
}

bool gmsh_read_elements_binary(GmshFile *file)
{
    int64_t count;
    if (!gmsh_read_count(file, &count, 8, "the number of elements"))
        return false;
    gmsh_skip_line(file);
    for (int64_t done = 0; done < count;) {
        int32_t type, follow, tags;
        if (!gmsh_take_int(file, &type) || !gmsh_take_int(file, &follow) || !gmsh_take_int(file, &tags))
            return false;
        if (type < 1 || type >= TYPES || element_types[type].nodes == 0)
            return dv_mesh_fail(file->report, "line %" PRIu32 ": unknown type %" PRId32 " in a binary file",
                                file->text.line, type);
        if (follow < 1 || follow > count - done || tags < 0)
            return dv_mesh_fail(file->report,
                                "line %" PRIu32 ": a block of %" PRId32 " elements with %" PRId32 " tags, %" PRId64
                                " elements are left",
                                file->text.line, follow, tags, count - done);
        for (int32_t i = 0; i < follow; i++, done++) {
            int32_t element, tag = 0;
            if (!gmsh_take_int(file, &element))
                return false;
            file->physical = 0;
            for (int32_t j = 0; j < tags; j++) {
                if (!gmsh_take_int(file, &tag))
                    return false;
                file->physical = j == 0 ? tag : file->physical;
            }
            if (!read_element_nodes(file, type, element, tag, element_types[type].nodes))
                return false;
        }
    }
    return true;
}

bool gmsh_read_elements_4(GmshFile *file)
{
    int64_t blocks, total, ignored;
    if (!gmsh_read_count(file, &blocks, 8, "the number of entity blocks") ||
        !gmsh_read_count(file, &total, 4, "the number of elements") ||
        !gmsh_read_integer(file, &ignored, "the smallest element tag") ||
        !gmsh_read_integer(file, &ignored, "the largest element tag"))
        return false;
    for (int64_t block = 0; block < blocks; block++) {
        int64_t dimension, entity, type, count;
        if (!gmsh_read_integer(file, &dimension, "the dimension of an entity") ||
            !gmsh_read_integer(file, &entity, "the tag of an entity") ||
            !gmsh_read_integer(file, &type, "the type of the elements of a block") ||
            !gmsh_read_count(file, &count, 4, "the number of elements of a block"))
            return false;
        file->in_part = gmsh_is_member(file, dimension, entity);
        for (int64_t i = 0; i < count; i++) {
            int64_t element;
            if (!gmsh_read_integer(file, &element, "the tag of an element") ||
                !read_element_line(file, type, element, entity))
                return false;
        }
    }
    return true;
}

void gmsh_join_edges(GmshFile *file)
{
    DvMesh *mesh = file->mesh;
    const uint32_t count = mesh->edge.count;
    if (file->version != 4 || mesh->high_order_edge.count == 0)
        return;
    uint32_t *key = dv_alloc(count, 2 * sizeof *key), *first = dv_alloc(count, sizeof *first);
    bool *carries = dv_alloc(count, sizeof *carries); /* edges of the file itself stay as they are */
    for (uint32_t i = 0; i < mesh->high_order_edge.count; i++)
        carries[mesh->high_order_edge.data[i].at[1]] = true;
    memcpy(key, mesh->edge.data, (size_t)count * 2 * sizeof *key);
    for (uint32_t i = 0; i < count; i++)
        dv_tuple_sort(2, key + (size_t)i * 2);
    dv_tuples_find_first(2, count, key, first);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (first[i] == i || !carries[i]) {
            mesh->edge.data[kept] = mesh->edge.data[i];
            key[i] = kept++; /* the new number of edge i */
        } else {
            key[i] = key[first[i]];
        }
    }
    mesh->edge.count = kept;
    for (uint32_t i = 0; i < mesh->parts.element[DV_MESH_EDGE].count; i++)
        mesh->parts.element[DV_MESH_EDGE].data[i] = key[mesh->parts.element[DV_MESH_EDGE].data[i]];
    uint32_t nodes = 0; /* a middle node of a shared edge is listed once */
    memset(carries, 0, count * sizeof *carries);
    for (uint32_t i = 0; i < mesh->high_order_edge.count; i++) {
        DvHighOrderEdge node = mesh->high_order_edge.data[i];
        node.at[1] = key[node.at[1]];
        if (!carries[node.at[1]])
            mesh->high_order_edge.data[nodes++] = node;
        carries[node.at[1]] = true;
    }
    mesh->high_order_edge.count = nodes;
    dv_free(key);
    dv_free(first);
    dv_free(carries);
}
