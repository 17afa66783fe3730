/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Gmsh meshes (.msh): format 1, format 2.0 to 2.2 as text or binary, format 4.1 as text (Geuzaine and Remacle, Gmsh
 * reference manual, chapter "MSH file format").
 *
 * Read are nodes, lines, triangles, quadrangles, tetrahedra, hexahedra, and those of second order, of which the corners
 * make the element. The nodes in the middle of edges of quadratic lines, triangles and tetrahedra become high-order
 * positions on their edges; no element uses them, nor those of quadrangles and hexahedra. Other elements are skipped with a warning. Elements with one tag form a group: format 1 the last of its two,
 * format 2 the last of its list, format 4 the tag of the geometric entity.
 *
 * Sections that are not about nodes or elements are skipped.
 */
#include <divan/kit/mesh.h>
#include <divan/kit/scanner.h>
#include <divan/kit/tuples.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_NODES = 27, UNKNOWN_TYPES = 140 };

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

typedef struct NodeNumber {
    int64_t number;
    uint32_t index;
} NodeNumber;

/* A tag in two halves, as dv_tuples_find_first compares them. */
typedef struct GroupTag {
    uint32_t half[2];
} GroupTag;

/* A physical group, or an entity, by its dimension (-1: any) and number. */
typedef struct Physical {
    int64_t dimension, tag;
} Physical;

typedef struct GmshFile {
    DvScanner text;
    DvMesh *mesh;
    DvMeshReport *report;
    int version; /* 1, 2 or 4 */
    bool binary, swapped;
    DV_ARRAY(NodeNumber) node;             /* sorted by number once all are read */
    DV_ARRAY(GroupTag) tag[DV_MESH_KINDS]; /* of each element */
    DV_ARRAY(Physical) wanted;             /* what the part that is wanted is; entities of format 4 that are in it */
    DV_ARRAY(Physical) member;
    int64_t physical; /* of the element that is read; 0: none */
    bool in_part;     /* format 4: so is the block that is read */
    uint32_t skipped[UNKNOWN_TYPES + 1];
    bool nodes_read, elements_read;
} GmshFile;

static bool expected(GmshFile *file, const char *what)
{
    return dv_mesh_fail(file->report, "line %" PRIu32 ": expected %s, found %s", file->text.line, what,
                        dv_scanner_excerpt(file->text).text);
}

static bool read_integer(GmshFile *file, int64_t *value, const char *what)
{
    return dv_scanner_integer(&file->text, value) || expected(file, what);
}

/* A number of things, each of at least `bytes` bytes in the rest of the file. */
static bool read_count(GmshFile *file, int64_t *count, size_t bytes, const char *what)
{
    if (!dv_scanner_count(&file->text, count))
        return expected(file, what);
    const size_t left = (size_t)(file->text.end - file->text.at);
    if ((uint64_t)*count > left / bytes + 1)
        return dv_mesh_fail(file->report, "line %" PRIu32 ": %s is %" PRId64 ", but only %zu bytes are left",
                            file->text.line, what, *count, left);
    return true;
}

static bool take_bytes(GmshFile *file, void *to, size_t size)
{
    if ((size_t)(file->text.end - file->text.at) < size)
        return dv_mesh_fail(file->report, "line %" PRIu32 ": the binary data end too early", file->text.line);
    memcpy(to, file->text.at, size);
    file->text.at += size;
    return true;
}

static bool take_int(GmshFile *file, int32_t *value)
{
    uint32_t bits;
    if (!take_bytes(file, &bits, sizeof bits))
        return false;
    *value = (int32_t)(file->swapped ? __builtin_bswap32(bits) : bits);
    return true;
}

static bool take_double(GmshFile *file, double *value)
{
    uint64_t bits;
    if (!take_bytes(file, &bits, sizeof bits))
        return false;
    bits = file->swapped ? __builtin_bswap64(bits) : bits;
    memcpy(value, &bits, sizeof bits);
    return true;
}

/* Binary data start after the end of the line. */
static void skip_line(GmshFile *file)
{
    DvScanner line;
    (void)dv_scanner_line(&file->text, &line);
}

/* Reads on until the word that ends a section; true when it is there. */
static bool find_word(GmshFile *file, const char *word)
{
    while (dv_scanner_more(&file->text))
        if (dv_word_is(dv_scanner_word(&file->text), word))
            return true;
    return false;
}

static bool read_format(GmshFile *file)
{
    DvWord version = dv_scanner_word(&file->text);
    DvScanner digits = dv_scanner_start(version.text, version.length);
    double number;
    if (!dv_scanner_double(&digits, &number))
        return dv_mesh_fail(file->report, "line %" PRIu32 ": expected a format version, found %s", file->text.line,
                            dv_word_excerpt(version).text);
    file->version = number >= 2 && number < 3 ? 2 : number >= 4.1 && number < 5 ? 4 : 0;
    if (file->version == 0)
        return dv_mesh_fail(
            file->report, "line %" PRIu32 ": format %s is not read; save the mesh with 'gmsh -format msh41' or 'msh22'",
            file->text.line, dv_word_excerpt(version).text);
    int64_t kind, size;
    if (!read_integer(file, &kind, "0 (text) or 1 (binary)") || !read_integer(file, &size, "the size of a real"))
        return false;
    if (kind != 0 && kind != 1)
        return dv_mesh_fail(file->report, "line %" PRIu32 ": file type %" PRId64 " is neither 0 (text) nor 1 (binary)",
                            file->text.line, kind);
    file->binary = kind == 1;
    if (file->binary && file->version == 4)
        return dv_mesh_fail(file->report,
                            "line %" PRIu32 ": binary files of format 4 are not read; save the mesh as text",
                            file->text.line);
    if (file->binary && size != 8)
        return dv_mesh_fail(file->report, "line %" PRIu32 ": reals of %" PRId64 " bytes are not read, only of 8",
                            file->text.line, size);
    if (file->binary) {
        skip_line(file);
        int32_t one;
        if (!take_int(file, &one))
            return false;
        file->swapped = one != 1;
        if (one != 1 && one != 0x01000000)
            return dv_mesh_fail(file->report,
                                "line %" PRIu32 ": the mark of the byte order is neither 1 nor 1 reversed",
                                file->text.line);
    }
    return find_word(file, "$EndMeshFormat") ||
           dv_mesh_fail(file->report, "line %" PRIu32 ": expected $EndMeshFormat, found the end of the file",
                        file->text.line);
}

static bool read_position(GmshFile *file, int64_t number)
{
    DvPoint3 position;
    for (int c = 0; c < 3; c++)
        if (!(file->binary ? take_double(file, &position.at[c])
                           : dv_scanner_double(&file->text, &position.at[c]) || expected(file, "a coordinate")))
            return false;
    if (!(position.at[0] - position.at[0] == 0 && position.at[1] - position.at[1] == 0 &&
          position.at[2] - position.at[2] == 0))
        return dv_mesh_fail(file->report, "line %" PRIu32 ": node %" PRId64 " has a coordinate that is not finite",
                            file->text.line, number);
    dv_array_push(&file->node, (NodeNumber){number, file->mesh->position.count});
    dv_array_push(&file->mesh->position, position);
    return true;
}

static int compare_nodes(const void *a, const void *b)
{
    const NodeNumber *left = a, *right = b;
    return left->number != right->number ? (left->number < right->number ? -1 : 1)
           : left->index < right->index  ? -1
                                         : left->index > right->index;
}

/* Most files number their nodes 1 to n: then nothing is to be sorted. */
static void sort_nodes(GmshFile *file)
{
    for (uint32_t i = 1; i < file->node.count; i++)
        if (file->node.data[i].number <= file->node.data[i - 1].number) {
            qsort(file->node.data, file->node.count, sizeof *file->node.data, compare_nodes);
            return;
        }
}

static bool find_node(const GmshFile *file, int64_t number, uint32_t *index)
{
    const uint32_t count = file->node.count;
    if (number >= 1 && number <= count && file->node.data[number - 1].number == number) {
        *index = file->node.data[number - 1].index;
        return true;
    }
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (file->node.data[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == count || file->node.data[low].number != number)
        return false;
    *index = file->node.data[low].index;
    return true;
}

static bool read_nodes_flat(GmshFile *file)
{
    int64_t count;
    if (!read_count(file, &count, file->binary ? 28 : 8, "the number of nodes"))
        return false;
    if (file->binary)
        skip_line(file);
    for (int64_t i = 0; i < count; i++) {
        int64_t number;
        if (file->binary) {
            int32_t narrow;
            if (!take_int(file, &narrow))
                return false;
            number = narrow;
        } else if (!read_integer(file, &number, "the number of a node")) {
            return false;
        }
        if (!read_position(file, number))
            return false;
    }
    return true;
}

static bool read_nodes_4(GmshFile *file)
{
    int64_t blocks, total, ignored;
    if (!read_count(file, &blocks, 8, "the number of entity blocks") ||
        !read_count(file, &total, 8, "the number of nodes") || !read_integer(file, &ignored, "the smallest node tag") ||
        !read_integer(file, &ignored, "the largest node tag"))
        return false;
    DV_ARRAY(int64_t) tag = {0};
    bool good = true;
    for (int64_t block = 0; good && block < blocks; block++) {
        int64_t dimension, entity, parametric, count;
        good = read_integer(file, &dimension, "the dimension of an entity") &&
               read_integer(file, &entity, "the tag of an entity") &&
               read_integer(file, &parametric, "0 or 1 (parametric)") &&
               read_count(file, &count, 8, "the number of nodes of a block");
        if (good && (parametric < 0 || parametric > 1 || dimension < 0 || dimension > 3))
            good = dv_mesh_fail(file->report,
                                "line %" PRIu32 ": dimension %" PRId64 ", parametric %" PRId64
                                ": the first is 0 to 3, the second 0 or 1",
                                file->text.line, dimension, parametric);
        dv_array_clear(&tag);
        for (int64_t i = 0; good && i < count; i++) {
            int64_t number = 0;
            good = read_integer(file, &number, "the tag of a node");
            dv_array_push(&tag, number);
        }
        for (int64_t i = 0; good && i < count; i++) {
            good = read_position(file, tag.data[i]);
            for (int64_t j = 0; good && j < parametric * dimension; j++) { /* coordinates on the entity */
                double parameter;
                good = dv_scanner_double(&file->text, &parameter) || expected(file, "a parametric coordinate");
            }
        }
    }
    dv_array_free(&tag);
    return good;
}

/* One group for each tag, in the order in which the tags appear; elements of a group need not follow one another, the
 * first number of a group is the sum of the counts before it. */
static void make_groups(GmshFile *file, DvMeshKind kind)
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

/* ---- The part that is wanted: a physical group, by name or number */

static bool is_wanted(const GmshFile *file, int64_t dimension, int64_t tag)
{
    for (uint32_t i = 0; i < file->wanted.count; i++)
        if (file->wanted.data[i].tag == tag &&
            (file->wanted.data[i].dimension == dimension || file->wanted.data[i].dimension < 0))
            return true;
    return false;
}

static bool is_member(const GmshFile *file, int64_t dimension, int64_t entity)
{
    for (uint32_t i = 0; i < file->member.count; i++)
        if (file->member.data[i].dimension == dimension && file->member.data[i].tag == entity)
            return true;
    return false;
}

static void want_by_number(GmshFile *file)
{
    char *end;
    const long long number = file->mesh->parts.wanted ? strtoll(file->mesh->parts.wanted, &end, 10) : 0;
    if (file->mesh->parts.wanted && *file->mesh->parts.wanted && *end == '\0')
        dv_array_push(&file->wanted, (Physical){-1, number});
}

/* A count, then dimension, number and name in quotes of each. */
static bool read_physical_names(GmshFile *file)
{
    int64_t count;
    if (!read_count(file, &count, 6, "the number of physical names"))
        return false;
    for (int64_t i = 0; i < count; i++) {
        int64_t dimension, tag;
        if (!read_integer(file, &dimension, "the dimension of a physical name") ||
            !read_integer(file, &tag, "the number of a physical name"))
            return false;
        const char *end = memchr(file->text.at, '\n', (size_t)(file->text.end - file->text.at));
        end = end ? end : file->text.end;
        const char *open = memchr(file->text.at, '"', (size_t)(end - file->text.at));
        const char *close = open ? memchr(open + 1, '"', (size_t)(end - open - 1)) : NULL;
        if (!close)
            return expected(file, "a name in quotes");
        if (file->mesh->parts.wanted && dv_mesh_part_is(&file->mesh->parts, open + 1, (size_t)(close - open - 1)))
            dv_array_push(&file->wanted, (Physical){dimension, tag});
        skip_line(file);
    }
    return true;
}

/* Of each point, curve, surface and volume its place or box, its physical groups and what bounds it. */
static bool read_entities(GmshFile *file)
{
    int64_t count[4];
    for (int dimension = 0; dimension < 4; dimension++)
        if (!read_count(file, &count[dimension], 4, "the number of entities"))
            return false;
    for (int dimension = 0; dimension < 4; dimension++)
        for (int64_t i = 0; i < count[dimension]; i++) {
            int64_t entity, groups, group, bounds;
            double place;
            if (!read_integer(file, &entity, "the tag of an entity"))
                return false;
            for (int c = 0; c < (dimension == 0 ? 3 : 6); c++)
                if (!dv_scanner_double(&file->text, &place))
                    return expected(file, "a coordinate of an entity");
            if (!read_count(file, &groups, 2, "the number of physical groups"))
                return false;
            for (int64_t g = 0; g < groups; g++) {
                if (!read_integer(file, &group, "a physical group"))
                    return false;
                if (is_wanted(file, dimension, group) && !is_member(file, dimension, entity))
                    dv_array_push(&file->member, (Physical){dimension, entity});
            }
            if (dimension > 0 && !read_count(file, &bounds, 2, "the number of bounding entities"))
                return false;
            for (int64_t b = 0; dimension > 0 && b < bounds; b++)
                if (!read_integer(file, &group, "a bounding entity"))
                    return false;
        }
    return true;
}

static bool is_in_part(const GmshFile *file, int64_t dimension)
{
    return file->version == 4 ? file->in_part : is_wanted(file, dimension, file->physical);
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
            find_node(file, number[0], &point)) {
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
        if (!find_node(file, number[i], &node[i]))
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
            if (!take_int(file, &narrow))
                return false;
            value = narrow;
        } else if (!read_integer(file, &value, "a node of an element")) {
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
    skip_line(file);
    return take_element(file, type, element, tag, NULL, 0);
}

static bool read_elements_text(GmshFile *file)
{
    int64_t count;
    if (!read_count(file, &count, 8, "the number of elements"))
        return false;
    for (int64_t i = 0; i < count; i++) {
        int64_t element, type, tags, tag = 0, nodes;
        if (!read_integer(file, &element, "the number of an element") ||
            !read_integer(file, &type, "the type of an element"))
            return false;
        if (file->version == 1) {
            if (!read_integer(file, &file->physical, "a physical entity") ||
                !read_integer(file, &tag, "an elementary entity") ||
                !read_count(file, &nodes, 2, "the number of nodes of an element") ||
                !read_element_nodes(file, type, element, tag, nodes))
                return false;
            continue;
        }
        if (!read_count(file, &tags, 2, "the number of tags"))
            return false;
        file->physical = 0;
        for (int64_t j = 0; j < tags; j++) {
            if (!read_integer(file, &tag, "a tag"))
                return false;
            file->physical = j == 0 ? tag : file->physical;
        }
        if (!read_element_line(file, type, element, tag))
            return false;
    }
    return true;
}

/* Blocks of a header (type, how many follow, tags) and the elements. */
static bool read_elements_binary(GmshFile *file)
{
    int64_t count;
    if (!read_count(file, &count, 8, "the number of elements"))
        return false;
    skip_line(file);
    for (int64_t done = 0; done < count;) {
        int32_t type, follow, tags;
        if (!take_int(file, &type) || !take_int(file, &follow) || !take_int(file, &tags))
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
            if (!take_int(file, &element))
                return false;
            file->physical = 0;
            for (int32_t j = 0; j < tags; j++) {
                if (!take_int(file, &tag))
                    return false;
                file->physical = j == 0 ? tag : file->physical;
            }
            if (!read_element_nodes(file, type, element, tag, element_types[type].nodes))
                return false;
        }
    }
    return true;
}

static bool read_elements_4(GmshFile *file)
{
    int64_t blocks, total, ignored;
    if (!read_count(file, &blocks, 8, "the number of entity blocks") ||
        !read_count(file, &total, 4, "the number of elements") ||
        !read_integer(file, &ignored, "the smallest element tag") ||
        !read_integer(file, &ignored, "the largest element tag"))
        return false;
    for (int64_t block = 0; block < blocks; block++) {
        int64_t dimension, entity, type, count;
        if (!read_integer(file, &dimension, "the dimension of an entity") ||
            !read_integer(file, &entity, "the tag of an entity") ||
            !read_integer(file, &type, "the type of the elements of a block") ||
            !read_count(file, &count, 4, "the number of elements of a block"))
            return false;
        file->in_part = is_member(file, dimension, entity);
        for (int64_t i = 0; i < count; i++) {
            int64_t element;
            if (!read_integer(file, &element, "the tag of an element") ||
                !read_element_line(file, type, element, entity))
                return false;
        }
    }
    return true;
}

/* Edges that quadratic elements share appear once in format 4; formats 1 and 2 keep one for each element. */
static void join_edges(GmshFile *file)
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

static bool read_section(GmshFile *file, DvWord name)
{
    if (dv_word_is(name, "$NOD") || dv_word_is(name, "$Nodes")) {
        if (file->nodes_read)
            return dv_mesh_fail(file->report, "line %" PRIu32 ": a second list of nodes", file->text.line);
        file->nodes_read = true;
        if (!(file->version == 4 ? read_nodes_4(file) : read_nodes_flat(file)))
            return false;
        sort_nodes(file);
        if (!find_word(file, file->version == 1 ? "$ENDNOD" : "$EndNodes"))
            dv_mesh_warn(file->report, "the list of nodes does not end with %s",
                         file->version == 1 ? "$ENDNOD" : "$EndNodes");
        return true;
    }
    if (dv_word_is(name, "$ELM") || dv_word_is(name, "$Elements")) {
        if (!file->nodes_read || file->elements_read)
            return dv_mesh_fail(file->report, "line %" PRIu32 ": %s", file->text.line,
                                file->nodes_read ? "a second list of elements" : "the elements come before the nodes");
        file->elements_read = true;
        if (!(file->version == 4 ? read_elements_4(file)
              : file->binary     ? read_elements_binary(file)
                                 : read_elements_text(file)))
            return false;
        if (!find_word(file, file->version == 1 ? "$ENDELM" : "$EndElements"))
            dv_mesh_warn(file->report, "the list of elements does not end with %s",
                         file->version == 1 ? "$ENDELM" : "$EndElements");
        return true;
    }
    if (file->mesh->parts.wanted && dv_word_is(name, "$PhysicalNames") && !read_physical_names(file))
        return false;
    if (file->mesh->parts.wanted && file->version == 4 && dv_word_is(name, "$Entities") && !read_entities(file))
        return false;
    if (name.length == 0 || name.text[0] != '$')
        return true;                       /* text between sections */
    while (dv_scanner_more(&file->text)) { /* a section of another kind, up to its $End */
        const DvWord word = dv_scanner_word(&file->text);
        if (dv_word_starts(word, "$End") || dv_word_starts(word, "$END"))
            return true;
    }
    return true;
}

static bool read_file(GmshFile *file)
{
    const DvWord first = dv_scanner_word(&file->text);
    if (dv_word_is(first, "$NOD")) {
        file->version = 1;
        if (!read_section(file, first))
            return false;
    } else if (!dv_word_is(first, "$MeshFormat")) {
        return dv_mesh_fail(file->report, "line %" PRIu32 ": expected $NOD or $MeshFormat, found %s", file->text.line,
                            dv_word_excerpt(first).text);
    } else if (!read_format(file)) {
        return false;
    }
    while (!file->elements_read && dv_scanner_more(&file->text))
        if (!read_section(file, dv_scanner_word(&file->text)))
            return false;
    if (!file->nodes_read || !file->elements_read)
        return dv_mesh_fail(file->report, "line %" PRIu32 ": the file ends without a list of %s", file->text.line,
                            file->nodes_read ? "elements" : "nodes");
    for (uint32_t type = 0; type <= UNKNOWN_TYPES; type++)
        if (file->skipped[type])
            dv_mesh_warn(file->report, "%" PRIu32 " elements of Gmsh type %" PRIu32 " are skipped", file->skipped[type],
                         type);
    join_edges(file);
    for (int kind = 0; kind < DV_MESH_KINDS; kind++)
        make_groups(file, kind);
    return true;
}

bool dv_mesh_read_gmsh(const void *bytes, size_t size, DvMesh *mesh, DvMeshReport *report)
{
    GmshFile file = {.text = dv_scanner_start(bytes, size), .mesh = mesh, .report = report};
    mesh->parts.searched = true;
    want_by_number(&file);
    const bool good = read_file(&file);
    dv_array_free(&file.node);
    dv_array_free(&file.wanted);
    dv_array_free(&file.member);
    for (int kind = 0; kind < DV_MESH_KINDS; kind++)
        dv_array_free(&file.tag[kind]);
    return good;
}
