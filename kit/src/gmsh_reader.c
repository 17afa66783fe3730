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
#include "gmsh_reader.h"

#include <stdlib.h>

bool gmsh_expected(GmshFile *file, const char *what)
{
    return dv_mesh_fail(file->report, "line %" PRIu32 ": expected %s, found %s", file->text.line, what,
                        dv_scanner_excerpt(file->text).text);
}

bool gmsh_read_integer(GmshFile *file, int64_t *value, const char *what)
{
    return dv_scanner_integer(&file->text, value) || gmsh_expected(file, what);
}

bool gmsh_read_count(GmshFile *file, int64_t *count, size_t bytes, const char *what)
{
    if (!dv_scanner_count(&file->text, count))
        return gmsh_expected(file, what);
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

bool gmsh_take_int(GmshFile *file, int32_t *value)
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

void gmsh_skip_line(GmshFile *file)
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
    if (!gmsh_read_integer(file, &kind, "0 (text) or 1 (binary)") ||
        !gmsh_read_integer(file, &size, "the size of a real"))
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
        gmsh_skip_line(file);
        int32_t one;
        if (!gmsh_take_int(file, &one))
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
                           : dv_scanner_double(&file->text, &position.at[c]) || gmsh_expected(file, "a coordinate")))
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

bool gmsh_find_node(const GmshFile *file, int64_t number, uint32_t *index)
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
    if (!gmsh_read_count(file, &count, file->binary ? 28 : 8, "the number of nodes"))
        return false;
    if (file->binary)
        gmsh_skip_line(file);
    for (int64_t i = 0; i < count; i++) {
        int64_t number;
        if (file->binary) {
            int32_t narrow;
            if (!gmsh_take_int(file, &narrow))
                return false;
            number = narrow;
        } else if (!gmsh_read_integer(file, &number, "the number of a node")) {
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
    if (!gmsh_read_count(file, &blocks, 8, "the number of entity blocks") ||
        !gmsh_read_count(file, &total, 8, "the number of nodes") ||
        !gmsh_read_integer(file, &ignored, "the smallest node tag") ||
        !gmsh_read_integer(file, &ignored, "the largest node tag"))
        return false;
    DV_ARRAY(int64_t) tag = {0};
    bool good = true;
    for (int64_t block = 0; good && block < blocks; block++) {
        int64_t dimension, entity, parametric, count;
        good = gmsh_read_integer(file, &dimension, "the dimension of an entity") &&
               gmsh_read_integer(file, &entity, "the tag of an entity") &&
               gmsh_read_integer(file, &parametric, "0 or 1 (parametric)") &&
               gmsh_read_count(file, &count, 8, "the number of nodes of a block");
        if (good && (parametric < 0 || parametric > 1 || dimension < 0 || dimension > 3))
            good = dv_mesh_fail(file->report,
                                "line %" PRIu32 ": dimension %" PRId64 ", parametric %" PRId64
                                ": the first is 0 to 3, the second 0 or 1",
                                file->text.line, dimension, parametric);
        dv_array_clear(&tag);
        for (int64_t i = 0; good && i < count; i++) {
            int64_t number = 0;
            good = gmsh_read_integer(file, &number, "the tag of a node");
            dv_array_push(&tag, number);
        }
        for (int64_t i = 0; good && i < count; i++) {
            good = read_position(file, tag.data[i]);
            for (int64_t j = 0; good && j < parametric * dimension; j++) { /* coordinates on the entity */
                double parameter;
                good = dv_scanner_double(&file->text, &parameter) || gmsh_expected(file, "a parametric coordinate");
            }
        }
    }
    dv_array_free(&tag);
    return good;
}

/* ---- The part that is wanted: a physical group, by name or number */

bool gmsh_is_wanted(const GmshFile *file, int64_t dimension, int64_t tag)
{
    for (uint32_t i = 0; i < file->wanted.count; i++)
        if (file->wanted.data[i].tag == tag &&
            (file->wanted.data[i].dimension == dimension || file->wanted.data[i].dimension < 0))
            return true;
    return false;
}

bool gmsh_is_member(const GmshFile *file, int64_t dimension, int64_t entity)
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
    if (!gmsh_read_count(file, &count, 6, "the number of physical names"))
        return false;
    for (int64_t i = 0; i < count; i++) {
        int64_t dimension, tag;
        if (!gmsh_read_integer(file, &dimension, "the dimension of a physical name") ||
            !gmsh_read_integer(file, &tag, "the number of a physical name"))
            return false;
        const char *end = memchr(file->text.at, '\n', (size_t)(file->text.end - file->text.at));
        end = end ? end : file->text.end;
        const char *open = memchr(file->text.at, '"', (size_t)(end - file->text.at));
        const char *close = open ? memchr(open + 1, '"', (size_t)(end - open - 1)) : NULL;
        if (!close)
            return gmsh_expected(file, "a name in quotes");
        if (file->mesh->parts.wanted && dv_mesh_part_is(&file->mesh->parts, open + 1, (size_t)(close - open - 1)))
            dv_array_push(&file->wanted, (Physical){dimension, tag});
        gmsh_skip_line(file);
    }
    return true;
}

/* Of each point, curve, surface and volume its place or box, its physical groups and what bounds it. */
static bool read_entities(GmshFile *file)
{
    int64_t count[4];
    for (int dimension = 0; dimension < 4; dimension++)
        if (!gmsh_read_count(file, &count[dimension], 4, "the number of entities"))
            return false;
    for (int dimension = 0; dimension < 4; dimension++)
        for (int64_t i = 0; i < count[dimension]; i++) {
            int64_t entity, groups, group, bounds;
            double place;
            if (!gmsh_read_integer(file, &entity, "the tag of an entity"))
                return false;
            for (int c = 0; c < (dimension == 0 ? 3 : 6); c++)
                if (!dv_scanner_double(&file->text, &place))
                    return gmsh_expected(file, "a coordinate of an entity");
            if (!gmsh_read_count(file, &groups, 2, "the number of physical groups"))
                return false;
            for (int64_t g = 0; g < groups; g++) {
                if (!gmsh_read_integer(file, &group, "a physical group"))
                    return false;
                if (gmsh_is_wanted(file, dimension, group) && !gmsh_is_member(file, dimension, entity))
                    dv_array_push(&file->member, (Physical){dimension, entity});
            }
            if (dimension > 0 && !gmsh_read_count(file, &bounds, 2, "the number of bounding entities"))
                return false;
            for (int64_t b = 0; dimension > 0 && b < bounds; b++)
                if (!gmsh_read_integer(file, &group, "a bounding entity"))
                    return false;
        }
    return true;
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
        if (!(file->version == 4 ? gmsh_read_elements_4(file)
              : file->binary     ? gmsh_read_elements_binary(file)
                                 : gmsh_read_elements_text(file)))
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
    gmsh_join_edges(file);
    for (int kind = 0; kind < DV_MESH_KINDS; kind++)
        gmsh_make_groups(file, kind);
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
