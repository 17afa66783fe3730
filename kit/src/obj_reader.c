/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Wavefront OBJ meshes with their material libraries: v, vt, vn, f, l, g, usemtl, mtllib (Wavefront Advanced
 * Visualizer manual, appendix B1). Other keywords are skipped.
 *
 * All lines are read before elements are made, so that a face may name points that come later in the file. A face of
 * two corners is an edge, one of four a quad, any other a fan of triangles; a line of n points is n - 1 edges. Groups
 * count faces, not the triangles made of them.
 *
 * OBJ gives each corner of a face its own position, texture coordinate and normal; a mesh has one of each per vertex.
 * Without seams a vertex is a position, its normal the sum over its corners, its texture coordinate the one with the
 * smallest u and largest v. With seams a vertex is a distinct triple, in the order of position, texture coordinate,
 * normal.
 */
#include <divan/kit/mesh.h>
#include <divan/kit/scanner.h>

#include <divan/math/vec.h>
#include <divan/worst.h>
#include <inttypes.h>
#include <stdlib.h>

enum { MOST_LIBRARIES = 64 };

/* Lines of a file about which the same is said, each once. */
typedef struct Lines {
    DvWorst found;
    uint32_t last;
} Lines;

typedef struct ObjFile {
    DvMesh *mesh;
    DvMeshReport *report;
    const DvMeshOptions *options;
    DvIndexArray face_line; /* where each face stands in the file */
    DV_ARRAY(bool) is_line; /* whether it is an `l` */
    char *group, *material;
    int32_t material_index;
    uint32_t faces[DV_MESH_KINDS], grouped[DV_MESH_KINDS]; /* faces of each kind; those already in a group */
    DvIndexArray material_by_name;                         /* sorted; complete up to material_by_name.count materials */
    uint32_t libraries;
    Lines short_lines;                        /* of v, vn or vt that end too early */
    Lines unknown_texcoords, unknown_normals; /* of faces with corners that name one that is not there */
} ObjFile;

static void add_line(Lines *lines, uint32_t line)
{
    if (lines->found.count == 0 || lines->last != line)
        dv_worst_add(&lines->found, line, 0.0);
    lines->last = line;
}

static char *copy_text(const char *text, size_t length)
{
    char *copy = dv_alloc(length + 1, 1);
    if (length)
        memcpy(copy, text, length);
    return copy;
}

/* The rest of a line without blanks at its ends. */
static DvWord rest_of_line(DvScanner *line)
{
    dv_scanner_more(line);
    DvWord rest = {line->at, (size_t)(line->end - line->at)};
    while (rest.length && (unsigned char)rest.text[rest.length - 1] <= ' ')
        rest.length--;
    line->at = line->end;
    return rest;
}

DvFileMaterial dv_mesh_material(const char *name, size_t length)
{
    return (DvFileMaterial){.name = copy_text(name, length),
                            .texture = dv_strdup(""),
                            .bump = dv_strdup(""),
                            .diffuse = {0.75, 0.75, 0.75, 1},
                            .ambient = {0.2, 0.2, 0.2, 1},
                            .specular = {1, 1, 1, 1},
                            .emissive = {0, 0, 0, 0},
                            .shininess = 45,
                            .use_diffuse = true,
                            .use_ambient = true};
}

static void read_color(DvScanner *line, double color[4], bool *use)
{
    double value[3];
    for (int i = 0; i < 3; i++)
        if (!dv_scanner_double(line, &value[i]))
            return;
    memcpy(color, value, sizeof value);
    *use = true;
}

/* A texture: the rest of the line, or its last word when options stand before it. */
static void read_texture(DvScanner *line, char **file)
{
    DvWord rest = rest_of_line(line);
    if (rest.length && rest.text[0] == '-')
        for (size_t i = rest.length; i > 0; i--)
            if (rest.text[i - 1] == ' ' || rest.text[i - 1] == '\t') {
                rest = (DvWord){rest.text + i, rest.length - i};
                break;
            }
    dv_free(*file);
    *file = copy_text(rest.text, rest.length);
}

static void read_library(ObjFile *file, const char *bytes, size_t size)
{
    DvScanner text = dv_scanner_start(bytes, size), line;
    DvFileMaterial *material = NULL;
    while (dv_scanner_line(&text, &line)) {
        const DvWord keyword = dv_scanner_word(&line);
        if (dv_word_is(keyword, "newmtl")) {
            const DvWord name = rest_of_line(&line);
            dv_array_push(&file->mesh->material, dv_mesh_material(name.text, name.length));
            material = &file->mesh->material.data[file->mesh->material.count - 1];
        } else if (!material || keyword.length == 0) {
            continue;
        } else if (dv_word_is(keyword, "Ns")) {
            material->use_shininess = dv_scanner_double(&line, &material->shininess) || material->use_shininess;
        } else if (dv_word_is(keyword, "Kd")) {
            read_color(&line, material->diffuse, &material->use_diffuse);
        } else if (dv_word_is(keyword, "Ka")) {
            read_color(&line, material->ambient, &material->use_ambient);
        } else if (dv_word_is(keyword, "Ks")) {
            read_color(&line, material->specular, &material->use_specular);
        } else if (dv_word_is(keyword, "d") || dv_word_is(keyword, "Tr")) {
            (void)dv_scanner_double(&line, &material->diffuse[3]);
        } else if (keyword.text[0] == 'm') {
            read_texture(&line, &material->texture);
        } else if (keyword.text[0] == 'b') {
            read_texture(&line, &material->bump);
        }
    }
}

static int compare_names(const void *a, const void *b, void *mesh_)
{
    const DvMesh *mesh = mesh_;
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    const int order = strcmp(mesh->material.data[left].name, mesh->material.data[right].name);
    return order ? order : left < right ? -1 : left > right;
}

/* The first material of that name, or DV_MESH_NONE. */
static int32_t find_material(ObjFile *file, const char *name)
{
    const DvMesh *mesh = file->mesh;
    DvIndexArray *order = &file->material_by_name;
    if (order->count != mesh->material.count) {
        dv_array_clear(order);
        for (uint32_t i = 0; i < mesh->material.count; i++)
            dv_array_push(order, i);
        qsort_r(order->data, order->count, sizeof *order->data, compare_names, file->mesh);
    }
    uint32_t low = 0, high = order->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (strcmp(mesh->material.data[order->data[middle]].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const bool found = low < order->count && strcmp(mesh->material.data[order->data[low]].name, name) == 0;
    return found ? (int32_t)order->data[low] : DV_MESH_NONE;
}

/* False: there is no such file. */
static bool open_library(ObjFile *file, DvWord word)
{
    char *name = copy_text(word.text, word.length), *bytes = NULL;
    size_t size = 0;
    const bool found = file->options->open(file->options->context, name, &bytes, &size);
    if (found) {
        read_library(file, bytes, size);
        dv_free(bytes);
    }
    dv_free(name);
    return found;
}

/* One name, which may hold blanks, or several without. */
static void read_libraries(ObjFile *file, DvScanner *line)
{
    if (!file->options->load_material || !file->options->open)
        return;
    DvScanner words = *line;
    const DvWord whole = rest_of_line(line);
    if (file->libraries++ >= MOST_LIBRARIES || open_library(file, whole))
        return;
    for (DvWord word = dv_scanner_word(&words); word.length; word = dv_scanner_word(&words)) {
        if (file->libraries++ >= MOST_LIBRARIES)
            dv_mesh_warn(file->report, "line %" PRIu32 ": more than %d material libraries, the others are not read",
                         line->line, MOST_LIBRARIES);
        else if (word.length == whole.length || !open_library(file, word))
            dv_mesh_warn(file->report, "line %" PRIu32 ": no material library %s", line->line,
                         dv_word_excerpt(word).text);
    }
}

/* The faces since the last change of group or material become a group of each kind. */
static void close_groups(ObjFile *file)
{
    static const DvMeshKind kinds[] = {DV_MESH_EDGE, DV_MESH_TRIANGLE, DV_MESH_QUAD};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const DvMeshKind kind = kinds[i];
        const uint32_t count = file->faces[kind] - file->grouped[kind];
        if (count)
            dv_array_push(&file->mesh->group[kind], (DvMeshRange){file->grouped[kind], count, dv_strdup(file->group),
                                                                  dv_strdup(file->material), file->material_index});
        file->grouped[kind] = file->faces[kind];
    }
}

static void set_text(char **text, DvWord word)
{
    dv_free(*text);
    *text = copy_text(word.text, word.length);
}

/* Numbers behind the end of the line are 0, as readers of old files have them; `needed` of them are missed. */
static bool read_reals(ObjFile *file, DvScanner *line, double *value, int count, int needed)
{
    for (int i = 0; i < count; i++) {
        if (dv_scanner_double(line, &value[i]))
            continue;
        if (dv_scanner_more(line))
            return dv_mesh_fail(file->report, "line %" PRIu32 ": expected a number, found %s", line->line,
                                dv_scanner_excerpt(*line).text);
        if (i < needed)
            add_line(&file->short_lines, line->line);
        return true;
    }
    return true;
}

/* One of the numbers of a corner, from 1, or negative to count back from the last. An empty one is none; so is, of a part that a
 * corner may lack, one that counts back too far. */
static bool read_index(ObjFile *file, const DvScanner *line, DvWord text, uint32_t count, Lines *unknown,
                       int32_t *index)
{
    *index = DV_MESH_NONE;
    if (text.length == 0)
        return true;
    DvScanner digits = dv_scanner_start(text.text, text.length);
    int64_t value;
    const bool is_integer = dv_scanner_integer(&digits, &value) && digits.at == digits.end;
    if (is_integer && unknown && value < -(int64_t)count) {
        add_line(unknown, line->line);
        return true;
    }
    if (!is_integer || value == 0 || value > INT32_MAX || value < -(int64_t)count)
        return dv_mesh_fail(file->report,
                            "line %" PRIu32 ": %s is no index from 1, nor one of the last %" PRIu32
                            " counted back from -1",
                            line->line, dv_word_excerpt(text).text, count);
    *index = (int32_t)(value > 0 ? value - 1 : count + value);
    return true;
}

/* The next corner as files have it nearly always, "7", "7/8", "7//9" or "7/8/9" of plain digits; false, with the line as it was, of all else
 * and at its end. */
static bool read_plain_corner(DvScanner *line, int32_t index[3])
{
    enum { MOST_DIGITS = 9 };
    const char *at = line->at, *const end = line->end;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    index[0] = index[1] = index[2] = DV_MESH_NONE;
    for (int part = 0; part < 3; part++) {
        const char *const start = at;
        int32_t value = 0;
        for (; at < end && at - start < MOST_DIGITS && *at >= '0' && *at <= '9'; at++)
            value = 10 * value + (*at - '0');
        if (at > start ? value == 0 : part == 0)
            return false;
        if (at > start)
            index[part] = value - 1;
        if (at == end || *at != '/')
            break;
        at++;
    }
    if (at < end && *at != ' ' && *at != '\t' && *at != '\r')
        return false;
    line->at = at;
    return true;
}

/* Any other corner; DV_MESH_NONE as its position at the end of the line. */
static bool read_corner(ObjFile *file, DvScanner *line, int32_t index[3])
{
    const DvMesh *mesh = file->mesh;
    const uint32_t counts[3] = {mesh->position_definition.count, mesh->texcoord_definition.count,
                                mesh->normal_definition.count};
    Lines *const unknown[3] = {NULL, &file->unknown_texcoords, &file->unknown_normals};
    DvWord corner = dv_scanner_word(line);
    const bool is_there = corner.length > 0;
    for (int i = 0; i < 3; i++) {
        const char *slash = corner.length ? memchr(corner.text, '/', corner.length) : NULL;
        const DvWord part = {corner.text, slash ? (size_t)(slash - corner.text) : corner.length};
        if (!read_index(file, line, part, counts[i], unknown[i], &index[i]))
            return false;
        const size_t taken = part.length + (slash != NULL);
        corner = (DvWord){corner.text + taken, corner.length - taken};
    }
    return !is_there || index[0] != DV_MESH_NONE ||
           dv_mesh_fail(file->report, "line %" PRIu32 ": a corner names no position", line->line);
}

static bool read_face(ObjFile *file, DvScanner *line, bool is_line)
{
    DvMesh *mesh = file->mesh;
    dv_mesh_lists_begin(&mesh->face_position);
    dv_mesh_lists_begin(&mesh->face_texcoord);
    dv_mesh_lists_begin(&mesh->face_normal);
    dv_array_push(&file->face_line, line->line);
    dv_array_push(&file->is_line, is_line);
    dv_array_push(&mesh->face_material, file->material_index);
    uint32_t corners = 0;
    for (int32_t index[3];; corners++) {
        if (!read_plain_corner(line, index) && !read_corner(file, line, index))
            return false;
        if (index[0] == DV_MESH_NONE)
            break;
        dv_mesh_lists_push(&mesh->face_position, index[0]);
        dv_mesh_lists_push(&mesh->face_texcoord, index[1]);
        dv_mesh_lists_push(&mesh->face_normal, index[2]);
    }
    const DvMeshKind kind = corners == 2 || is_line                       ? DV_MESH_EDGE
                            : corners == 4 && !file->options->triangulate ? DV_MESH_QUAD
                                                                          : DV_MESH_TRIANGLE;
    file->faces[kind]++;
    return true;
}

/* One blank between words. */
static void join_words(char *text)
{
    char *to = text;
    for (const char *at = text; *at; at++) {
        const bool blank = *at == ' ' || *at == '\t';
        if (!blank || (to > text && to[-1] != ' '))
            *to++ = blank ? ' ' : *at;
    }
    *to = '\0';
}

static bool read_obj_line(ObjFile *file, DvScanner *line)
{
    DvMesh *mesh = file->mesh;
    const DvWord keyword = dv_scanner_word(line);
    const char letter = keyword.length ? keyword.text[0] : 0;
    if (keyword.length == 1 && letter == 'v') {
        DvPoint3 position = {{0}};
        if (!read_reals(file, line, position.at, 3, 3))
            return false;
        dv_array_push(&mesh->position_definition, position);
    } else if (keyword.length == 2 && letter == 'v' && keyword.text[1] == 'n') {
        DvPoint3 normal = {{0}};
        if (!read_reals(file, line, normal.at, 3, 3))
            return false;
        dv_array_push(&mesh->normal_definition, normal);
    } else if (keyword.length == 2 && letter == 'v' && keyword.text[1] == 't') {
        DvPoint2 texcoord = {{0}};
        if (!read_reals(file, line, texcoord.at, 2, 1))
            return false;
        dv_array_push(&mesh->texcoord_definition, texcoord);
    } else if (keyword.length == 1 && (letter == 'f' || letter == 'l')) {
        return read_face(file, line, letter == 'l');
    } else if (dv_word_is(keyword, "g")) {
        close_groups(file);
        set_text(&file->group, rest_of_line(line));
        join_words(file->group);
    } else if (dv_word_is(keyword, "usemtl")) {
        close_groups(file);
        set_text(&file->material, rest_of_line(line));
        file->material_index = find_material(file, file->material);
        if (mesh->first_material == 0 && file->material_index != DV_MESH_NONE)
            mesh->first_material = (uint32_t)file->material_index + 1;
    } else if (dv_word_is(keyword, "mtllib")) {
        read_libraries(file, line);
    }
    return true;
}

/* Of corners that name a texture coordinate or a normal that is not there, these do not count. */
static bool check_faces(ObjFile *file)
{
    DvMesh *mesh = file->mesh;
    const struct {
        DvMeshLists *lists;
        uint32_t count;
        Lines *unknown; /* NULL: an error */
    } part[] = {{&mesh->face_position, mesh->position_definition.count, NULL},
                {&mesh->face_texcoord, mesh->texcoord_definition.count, &file->unknown_texcoords},
                {&mesh->face_normal, mesh->normal_definition.count, &file->unknown_normals}};
    for (uint32_t face = 0; face < file->face_line.count; face++)
        for (int i = 0; i < 3; i++)
            for (uint32_t at = part[i].lists->offset.data[face]; at < part[i].lists->offset.data[face + 1]; at++) {
                int32_t *const index = &part[i].lists->value.data[at];
                if (*index < (int64_t)part[i].count)
                    continue;
                if (!part[i].unknown)
                    return dv_mesh_fail(file->report, "line %" PRIu32 ": position %" PRId32 " of %" PRIu32,
                                        file->face_line.data[face], *index + 1, part[i].count);
                add_line(part[i].unknown, file->face_line.data[face]);
                *index = DV_MESH_NONE;
            }
    return true;
}

static void tell_of_lines(const ObjFile *file)
{
    const struct {
        const Lines *lines;
        const char *text;
    } found[] = {
        {&file->short_lines, "v, vn or vt with too few numbers, those missing count as 0"},
        {&file->unknown_texcoords, "faces with texture coordinates that the file does not have, they get none"},
        {&file->unknown_normals, "faces with normals that the file does not have, they get none"},
    };
    char worst[DV_WORST_TEXT];
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        if (found[i].lines->found.count)
            dv_mesh_warn(file->report, "%s: line %s (%" PRIu32 " in all)", found[i].text,
                         dv_worst_text(&found[i].lines->found, worst), found[i].lines->found.count);
}

typedef struct Corner {
    int32_t index[3]; /* position, texture coordinate, normal */
    uint32_t at;
} Corner;

static int compare_corners(const void *a, const void *b)
{
    const Corner *left = a, *right = b;
    for (int i = 0; i < 3; i++)
        if (left->index[i] != right->index[i])
            return left->index[i] < right->index[i] ? -1 : 1;
    return left->at < right->at ? -1 : left->at > right->at;
}

/* All corners by position, then texture coordinate, then normal. Those of a position are few, as a rule. */
static Corner *sorted_corners(const DvMesh *mesh)
{
    enum { FEW = 16 };
    const uint32_t corners = mesh->face_position.value.count, positions = mesh->position_definition.count;
    const int32_t *const position = mesh->face_position.value.data;
    Corner *corner = dv_alloc(corners, sizeof *corner);
    uint32_t *end = dv_alloc(positions, sizeof *end), begin = 0;
    for (uint32_t i = 0; i < corners; i++)
        end[position[i]]++;
    for (uint32_t p = 0; p < positions; p++) {
        begin += end[p];
        end[p] = begin - end[p];
    }
    for (uint32_t i = 0; i < corners; i++) {
        const Corner new = {{position[i], mesh->face_texcoord.value.data[i], mesh->face_normal.value.data[i]}, i};
        corner[end[position[i]]++] = new;
    }
    for (uint32_t p = 0, first = 0; p < positions; first = end[p++]) {
        if (end[p] - first > FEW)
            qsort(corner + first, end[p] - first, sizeof *corner, compare_corners);
        for (uint32_t i = first + 1; i < end[p] && end[p] - first <= FEW; i++) {
            const Corner moved = corner[i];
            uint32_t to = i;
            for (; to > first && compare_corners(&corner[to - 1], &moved) > 0; to--)
                corner[to] = corner[to - 1];
            corner[to] = moved;
        }
    }
    dv_free(end);
    return corner;
}

/* One vertex for each distinct triple; vertex[corner] is its number. */
static void split_seams(DvMesh *mesh, uint32_t *vertex)
{
    const uint32_t corners = mesh->face_position.value.count;
    Corner *corner = sorted_corners(mesh);
    const bool texcoords = mesh->texcoord_definition.count > 0, normals = mesh->normal_definition.count > 0;
    for (uint32_t i = 0; i < corners; i++) {
        const int32_t *index = corner[i].index;
        if (i == 0 || memcmp(index, corner[i - 1].index, sizeof corner[i].index) != 0) {
            dv_array_push(&mesh->position, mesh->position_definition.data[index[0]]);
            dv_array_push(&mesh->position_of_vertex, index[0]);
            if (texcoords)
                dv_array_push(&mesh->texcoord,
                              index[1] < 0 ? (DvPoint2){{0, 0}} : mesh->texcoord_definition.data[index[1]]);
            if (normals)
                dv_array_push(&mesh->normal,
                              index[2] < 0 ? (DvPoint3){{0, 0, 0}} : mesh->normal_definition.data[index[2]]);
        }
        vertex[corner[i].at] = mesh->position.count - 1;
    }
    dv_free(corner);
}

static int compare_vertex_normals(const void *a, const void *b)
{
    const Corner *left = a, *right = b; /* index: position, normal, unused */
    for (int i = 0; i < 2; i++)
        if (left->index[i] != right->index[i])
            return left->index[i] < right->index[i] ? -1 : 1;
    return left->at < right->at ? -1 : left->at > right->at;
}

/* Vertices at one position with one normal share a number, in the order of vertices; nothing when all differ. */
static void number_normals(DvMesh *mesh, const uint32_t *vertex)
{
    const uint32_t vertices = mesh->position.count;
    Corner *of_vertex = dv_alloc(vertices, sizeof *of_vertex);
    for (uint32_t i = 0; i < mesh->face_position.value.count; i++)
        of_vertex[vertex[i]] =
            (Corner){{mesh->face_position.value.data[i], mesh->face_normal.value.data[i], 0}, vertex[i]};
    qsort(of_vertex, vertices, sizeof *of_vertex, compare_vertex_normals);
    uint32_t *first = dv_alloc(vertices, sizeof *first);
    bool shared = false;
    for (uint32_t i = 0; i < vertices; i++) {
        const bool same = i > 0 && memcmp(of_vertex[i].index, of_vertex[i - 1].index, sizeof of_vertex[i].index) == 0;
        first[of_vertex[i].at] = same ? first[of_vertex[i - 1].at] : of_vertex[i].at;
        shared = shared || same;
    }
    if (shared) {
        int32_t numbers = 0;
        for (uint32_t i = 0; i < vertices; i++)
            dv_array_push(&mesh->normal_of_vertex, first[i] == i ? numbers++ : mesh->normal_of_vertex.data[first[i]]);
    }
    dv_free(first);
    dv_free(of_vertex);
}

static void merge_corners(DvMesh *mesh, uint32_t *vertex)
{
    const uint32_t positions = mesh->position_definition.count;
    dv_array_resize(&mesh->position, positions);
    if (positions)
        memcpy(mesh->position.data, mesh->position_definition.data, positions * sizeof *mesh->position.data);
    if (mesh->normal_definition.count)
        dv_array_resize(&mesh->normal, positions);
    if (mesh->texcoord_definition.count)
        dv_array_resize(&mesh->texcoord, positions);
    for (uint32_t i = 0; i < mesh->face_position.value.count; i++) {
        const int32_t position = mesh->face_position.value.data[i];
        const int32_t texcoord = mesh->face_texcoord.value.data[i], normal = mesh->face_normal.value.data[i];
        vertex[i] = (uint32_t)position;
        if (normal != DV_MESH_NONE)
            dv_vec3_accumulate(dv_vec3_load(mesh->normal_definition.data[normal].at), mesh->normal.data[position].at);
        if (texcoord != DV_MESH_NONE) {
            const double *new = mesh->texcoord_definition.data[texcoord].at;
            double *old = mesh->texcoord.data[position].at;
            if ((old[0] == 0 && old[1] == 0) || (old[0] - new[0]) + (new[1] - old[1]) > 0)
                memcpy(old, new, sizeof mesh->texcoord.data[position].at);
        }
    }
    for (uint32_t i = 0; i < mesh->normal.count; i++)
        dv_vec3_store(dv_vec3_normalize(dv_vec3_load(mesh->normal.data[i].at)), mesh->normal.data[i].at);
}

static void add_edge(DvMesh *mesh, uint32_t a, uint32_t b)
{
    dv_array_push(&mesh->edge, a < b ? (DvEdge){{a, b}} : (DvEdge){{b, a}});
}

static void make_elements(ObjFile *file, const uint32_t *vertex)
{
    DvMesh *mesh = file->mesh;
    const bool flip = file->options->flip_normals;
    for (uint32_t face = 0; face < file->face_line.count; face++) {
        const uint32_t begin = mesh->face_position.offset.data[face];
        const uint32_t count = mesh->face_position.offset.data[face + 1] - begin;
        const uint32_t *corner = vertex + begin;
        if (file->is_line.data[face] || count == 2)
            for (uint32_t i = 1; i < count; i++)
                add_edge(mesh, corner[i - 1], corner[i]);
        else if (count == 4 && !file->options->triangulate)
            dv_mesh_add_quad(mesh, flip, corner[0], corner[1], corner[2], corner[3]);
        else
            dv_mesh_add_fan(mesh, flip, corner, count);
    }
}

bool dv_mesh_read_obj(const void *bytes, size_t size, const DvMeshOptions *options, DvMesh *mesh, DvMeshReport *report)
{
    ObjFile file = {.mesh = mesh,
                    .report = report,
                    .options = options,
                    .group = dv_strdup("Default_Group"),
                    .material = dv_strdup(""),
                    .material_index = DV_MESH_NONE};
    DvScanner text = dv_scanner_start(bytes, size), line;
    bool good = true;
    while (good && dv_scanner_line(&text, &line))
        good = read_obj_line(&file, &line);
    close_groups(&file);
    good = good && check_faces(&file);
    if (good && mesh->position_definition.count == 0)
        good = dv_mesh_fail(report, "no line starts with 'v': the file holds no position");
    if (good) {
        uint32_t *vertex = dv_alloc(mesh->face_position.value.count, sizeof *vertex);
        if (options->handle_seams) {
            split_seams(mesh, vertex);
            number_normals(mesh, vertex);
        } else {
            merge_corners(mesh, vertex);
        }
        make_elements(&file, vertex);
        dv_free(vertex);
        tell_of_lines(&file);
    }
    dv_free(file.group);
    dv_free(file.material);
    dv_array_free(&file.face_line);
    dv_array_free(&file.is_line);
    dv_array_free(&file.material_by_name);
    return good;
}
