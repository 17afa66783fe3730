/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The mesh of the readers and what loaders do to it after reading. Missing sub-elements are those of no existing
 * element with the same corners in any order; they are added as the tables below write them, which fixes their
 * numbers.
 */
#include <divan/kit/mesh.h>

#include <divan/kit/element_tables.h>
#include <divan/kit/tuples.h>
#include <divan/math/mat.h>
#include <divan/math/vec.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { SHOWN_WARNINGS = 10 };

static void free_lists(DvMeshLists *lists)
{
    dv_array_free(&lists->offset);
    dv_array_free(&lists->value);
}

void dv_mesh_free(DvMesh *mesh)
{
    dv_array_free(&mesh->position);
    dv_array_free(&mesh->normal);
    dv_array_free(&mesh->edge);
    dv_array_free(&mesh->triangle);
    dv_array_free(&mesh->quad);
    dv_array_free(&mesh->tetrahedron);
    dv_array_free(&mesh->hexahedron);
    dv_array_free(&mesh->prism);
    dv_array_free(&mesh->pyramid);
    free_lists(&mesh->polyline);
    free_lists(&mesh->polygon);
    dv_array_free(&mesh->high_order_edge);
    dv_array_free(&mesh->middle);
    dv_array_free(&mesh->of_file);
    for (int kind = 0; kind < DV_MESH_KINDS; kind++) {
        for (uint32_t i = 0; i < mesh->group[kind].count; i++) {
            dv_free(mesh->group[kind].data[i].name);
            dv_free(mesh->group[kind].data[i].material);
        }
        dv_array_free(&mesh->group[kind]);
    }
    dv_mesh_parts_free(&mesh->parts);
    dv_array_free(&mesh->texcoord);
    dv_array_free(&mesh->position_definition);
    dv_array_free(&mesh->texcoord_definition);
    dv_array_free(&mesh->normal_definition);
    free_lists(&mesh->face_position);
    free_lists(&mesh->face_texcoord);
    free_lists(&mesh->face_normal);
    dv_array_free(&mesh->position_of_vertex);
    dv_array_free(&mesh->normal_of_vertex);
    for (uint32_t i = 0; i < mesh->material.count; i++) {
        dv_free(mesh->material.data[i].name);
        dv_free(mesh->material.data[i].texture);
        dv_free(mesh->material.data[i].bump);
    }
    dv_array_free(&mesh->material);
    dv_array_free(&mesh->face_material);
    for (uint32_t i = 0; i < mesh->attribute.count; i++) {
        dv_free(mesh->attribute.data[i].name);
        dv_free(mesh->attribute.data[i].value);
    }
    dv_array_free(&mesh->attribute);
}

void dv_mesh_set_error(DvMeshReport *report, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->error, sizeof report->error, format, arguments);
    va_end(arguments);
}

void dv_mesh_warn(DvMeshReport *report, const char *format, ...)
{
    if (report->warnings++ > SHOWN_WARNINGS || !report->warn)
        return;
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    report->warn(report->context,
                 report->warnings > SHOWN_WARNINGS ? "more warnings of this file are not shown" : text);
}

void dv_mesh_remark(DvMeshReport *report, const char *format, ...)
{
    if (!report->remark)
        return;
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    report->remark(report->context, text);
}

void dv_mesh_add_triangle(DvMesh *mesh, bool flip, uint32_t a, uint32_t b, uint32_t c)
{
    dv_array_push(&mesh->triangle, flip ? (DvTriangle){{c, b, a}} : (DvTriangle){{a, b, c}});
}

void dv_mesh_add_quad(DvMesh *mesh, bool flip, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    dv_array_push(&mesh->quad, flip ? (DvQuad){{d, c, b, a}} : (DvQuad){{a, b, c, d}});
}

void dv_mesh_add_fan(DvMesh *mesh, bool flip, const uint32_t *corner, uint32_t count)
{
    for (uint32_t j = 2; j < count; j++)
        dv_mesh_add_triangle(mesh, flip, corner[0], corner[j - 1], corner[j]);
}

void dv_mesh_lists_begin(DvMeshLists *lists)
{
    if (lists->offset.count == 0)
        dv_array_push(&lists->offset, 0);
    dv_array_push(&lists->offset, lists->value.count);
}

void dv_mesh_lists_push(DvMeshLists *lists, int32_t value)
{
    dv_array_push(&lists->value, value);
    lists->offset.data[lists->offset.count - 1] = lists->value.count;
}

void dv_mesh_triangulate(DvMesh *mesh, bool flip)
{
    for (uint32_t i = 0; i < mesh->quad.count; i++)
        dv_mesh_add_fan(mesh, flip, mesh->quad.data[i].at, 4);
    dv_array_clear(&mesh->quad);
}

/* Appends the candidates that equal neither an element nor an earlier candidate, corners taken in any order. */
static void add_missing(void *elements, uint32_t arity, const DvIndexArray *candidates)
{
    DvIndexArray array; /* `elements` is an DV_ARRAY of structs of `arity` indices; its count is in elements */
    memcpy(&array, elements, sizeof array);
    const uint32_t existing = array.count, added = candidates->count / arity;
    if (added == 0)
        return;
    uint32_t *keys = dv_alloc((size_t)existing + added, arity * sizeof *keys);
    uint32_t *first = dv_alloc((size_t)existing + added, sizeof *first);
    if (existing)
        memcpy(keys, array.data, (size_t)existing * arity * sizeof *keys);
    memcpy(keys + (size_t)existing * arity, candidates->data, (size_t)added * arity * sizeof *keys);
    for (uint32_t i = 0; i < existing + added; i++)
        dv_tuple_sort(arity, keys + (size_t)i * arity);
    dv_tuples_find_first(arity, existing + added, keys, first);
    uint32_t missing = 0;
    for (uint32_t i = 0; i < added; i++)
        missing += first[existing + i] == existing + i;
    dv_array_grow(elements, arity * sizeof *keys, (uint64_t)existing + missing);
    memcpy(&array, elements, sizeof array);
    for (uint32_t i = 0; i < added; i++)
        if (first[existing + i] == existing + i) {
            memcpy(array.data + (size_t)array.count * arity, candidates->data + (size_t)i * arity,
                   arity * sizeof *keys);
            array.count++;
        }
    memcpy(elements, &array, sizeof array);
    dv_free(keys);
    dv_free(first);
}

static void push_part(DvIndexArray *candidates, const uint32_t *corner, const uint8_t *local, uint32_t arity)
{
    for (uint32_t i = 0; i < arity; i++)
        dv_array_push(candidates, corner[local[i]]);
}

void dv_mesh_create_subelements(DvMesh *mesh)
{
    static const uint8_t prism_quads[3][4] = {{0, 3, 4, 1}, {0, 2, 5, 3}, {1, 4, 5, 2}};
    static const uint8_t prism_triangles[2][3] = {{0, 1, 2}, {4, 3, 5}};
    static const uint8_t pyramid_quad[4] = {0, 3, 2, 1};
    static const uint8_t pyramid_triangles[4][3] = {{0, 1, 4}, {1, 2, 4}, {3, 4, 2}, {0, 4, 3}};
    static const uint8_t tetrahedron_triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

    DvIndexArray parts = {0};
    for (uint32_t i = 0; i < mesh->hexahedron.count; i++)
        for (int j = 0; j < 6; j++)
            push_part(&parts, mesh->hexahedron.data[i].at, dv_quads_in_hexahedron[j], 4);
    for (uint32_t i = 0; i < mesh->prism.count; i++)
        for (int j = 0; j < 3; j++)
            push_part(&parts, mesh->prism.data[i].at, prism_quads[j], 4);
    for (uint32_t i = 0; i < mesh->pyramid.count; i++)
        push_part(&parts, mesh->pyramid.data[i].at, pyramid_quad, 4);
    add_missing(&mesh->quad, 4, &parts);

    dv_array_clear(&parts);
    for (uint32_t i = 0; i < mesh->prism.count; i++)
        for (int j = 0; j < 2; j++)
            push_part(&parts, mesh->prism.data[i].at, prism_triangles[j], 3);
    for (uint32_t i = 0; i < mesh->pyramid.count; i++)
        for (int j = 0; j < 4; j++)
            push_part(&parts, mesh->pyramid.data[i].at, pyramid_triangles[j], 3);
    for (uint32_t i = 0; i < mesh->tetrahedron.count; i++)
        for (int j = 0; j < 4; j++)
            push_part(&parts, mesh->tetrahedron.data[i].at, tetrahedron_triangles[j], 3);
    add_missing(&mesh->triangle, 3, &parts);

    dv_array_clear(&parts);
    for (uint32_t i = 0; i < mesh->quad.count; i++)
        for (int j = 0; j < 4; j++)
            push_part(&parts, mesh->quad.data[i].at, dv_edges_in_quad[j], 2);
    for (uint32_t i = 0; i < mesh->triangle.count; i++)
        for (int j = 0; j < 3; j++)
            push_part(&parts, mesh->triangle.data[i].at, dv_edges_in_triangle[j], 2);
    add_missing(&mesh->edge, 2, &parts);
    dv_array_free(&parts);
}

static DvVec3 corner_normal(const DvMesh *mesh, uint32_t at, uint32_t next, uint32_t previous)
{
    const DvVec3 p = dv_vec3_load(mesh->position.data[at].at);
    return dv_vec3_normalize(dv_vec3_cross(dv_vec3_sub(dv_vec3_load(mesh->position.data[next].at), p),
                                           dv_vec3_sub(dv_vec3_load(mesh->position.data[previous].at), p)));
}

void dv_mesh_update_normals(DvMesh *mesh)
{
    if (mesh->normal.count == mesh->position.count)
        return;
    dv_array_resize(&mesh->normal, mesh->position.count);
    for (uint32_t i = 0; i < mesh->triangle.count; i++) {
        const uint32_t *t = mesh->triangle.data[i].at;
        const DvVec3 normal = corner_normal(mesh, t[0], t[1], t[2]);
        for (int j = 0; j < 3; j++)
            dv_vec3_accumulate(normal, mesh->normal.data[t[j]].at);
    }
    for (uint32_t i = 0; i < mesh->quad.count; i++) {
        const uint32_t *q = mesh->quad.data[i].at;
        for (int j = 0; j < 4; j++)
            dv_vec3_accumulate(corner_normal(mesh, q[j], q[(j + 1) % 4], q[(j + 3) % 4]), mesh->normal.data[q[j]].at);
    }
    for (uint32_t i = 0; i < mesh->normal.count; i++)
        dv_vec3_store(dv_vec3_normalize(dv_vec3_load(mesh->normal.data[i].at)), mesh->normal.data[i].at);
}

bool dv_mesh_transform(DvMesh *mesh, const double m[16])
{
    if (m[12] != 0.0 || m[13] != 0.0 || m[14] != 0.0 || m[15] != 1.0)
        return false;
    for (uint32_t i = 0; i < mesh->position.count; i++) {
        double *p = mesh->position.data[i].at;
        double moved[3];
        for (int row = 0; row < 3; row++)
            moved[row] = m[4 * row] * p[0] + m[4 * row + 1] * p[1] + m[4 * row + 2] * p[2] + m[4 * row + 3];
        memcpy(p, moved, sizeof moved);
    }
    return true;
}

void dv_mesh_matrix(const double translation[3], const double rotation[3], const double scale[3], double m[16])
{
    const double degree = M_PI / 180.0;
    const double cx = cos(rotation[0] * degree), sx = sin(rotation[0] * degree);
    const double cy = cos(rotation[1] * degree), sy = sin(rotation[1] * degree);
    const double cz = cos(rotation[2] * degree), sz = sin(rotation[2] * degree);
    const double r[3][3] = {{cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx},
                            {sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx},
                            {-sy, cy * sx, cy * cx}};
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++)
            m[4 * row + column] = r[row][column] * scale[column];
        m[4 * row + 3] = translation[row];
    }
    m[12] = m[13] = m[14] = 0.0;
    m[15] = 1.0;
}
