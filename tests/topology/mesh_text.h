/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All that a mesh holds, as text: one line for each list that is not empty. So a test sees what it does not look for.
 */
#ifndef DIVAN_TEST_MESH_TEXT_H
#define DIVAN_TEST_MESH_TEXT_H

#include "loader/readers.h"

#include <divan/base.h>

static inline void mesh_text_reals(DvText *text, const char *name, const double *at, uint32_t count, uint32_t per)
{
    if (count)
        dv_text_add(text, "%s:", name);
    for (uint32_t i = 0; i < count * per; i++)
        dv_text_add(text, "%s %g", i && i % per == 0 ? "," : "", at[i] + 0.0); /* without the sign of zero */
    dv_text_add(text, count ? "\n" : "");
}

static inline void mesh_text_indices(DvText *text, const char *name, const void *at_, uint32_t count, uint32_t per)
{
    const int32_t *at = at_;
    if (count)
        dv_text_add(text, "%s:", name);
    for (uint32_t i = 0; i < count * per; i++)
        dv_text_add(text, "%s %d", i && i % per == 0 ? "," : "", at[i]);
    dv_text_add(text, count ? "\n" : "");
}

static inline void mesh_text_lists(DvText *text, const char *name, const DvMeshLists *lists)
{
    if (dv_mesh_lists_count(lists))
        dv_text_add(text, "%s:", name);
    for (uint32_t i = 0; i < dv_mesh_lists_count(lists); i++) {
        dv_text_add(text, i ? "," : "");
        for (uint32_t at = lists->offset.data[i]; at < lists->offset.data[i + 1]; at++)
            dv_text_add(text, " %d", lists->value.data[at]);
    }
    dv_text_add(text, dv_mesh_lists_count(lists) ? "\n" : "");
}

static inline void mesh_text_material(DvText *text, const DvFileMaterial *material)
{
    dv_text_add(text, "material '%s' '%s' '%s':", material->name, material->texture, material->bump);
    const double *const colors[] = {material->diffuse, material->ambient, material->specular, material->emissive};
    const bool used[] = {material->use_diffuse, material->use_ambient, material->use_specular, material->use_emissive};
    static const char names[] = "dase";
    for (int i = 0; i < 4; i++)
        dv_text_add(text, " %c%c %g %g %g %g", names[i], used[i] ? '+' : '-', colors[i][0], colors[i][1], colors[i][2],
                    colors[i][3]);
    dv_text_add(text, " n%c %g\n", material->use_shininess ? '+' : '-', material->shininess);
}

/* Frees the mesh. */
static inline DvText mesh_text(DvMesh *mesh)
{
    static const char *const kinds[DV_MESH_KINDS] = {
        [DV_MESH_EDGE] = "edges",       [DV_MESH_TRIANGLE] = "triangles",     [DV_MESH_QUAD] = "quads",
        [DV_MESH_POLYGON] = "polygons", [DV_MESH_TETRAHEDRON] = "tetrahedra", [DV_MESH_HEXAHEDRON] = "hexahedra",
        [DV_MESH_PRISM] = "prisms",     [DV_MESH_PYRAMID] = "pyramids",
    };
    DvText text = {0};
    dv_text_add_bytes(&text, "", 0); /* text, even where nothing follows */
#define REALS(member, per)   mesh_text_reals(&text, #member, (const double *)mesh->member.data, mesh->member.count, per)
#define INDICES(member, per) mesh_text_indices(&text, #member, mesh->member.data, mesh->member.count, per)
#define LISTS(member)        mesh_text_lists(&text, #member, &mesh->member)
    REALS(position, 3);
    REALS(normal, 3);
    REALS(texcoord, 2);
    INDICES(edge, 2);
    INDICES(triangle, 3);
    INDICES(quad, 4);
    INDICES(tetrahedron, 4);
    INDICES(hexahedron, 8);
    INDICES(prism, 6);
    INDICES(pyramid, 5);
    LISTS(polyline);
    LISTS(polygon);
    INDICES(high_order_edge, 4);
    for (int kind = 0; kind < DV_MESH_KINDS; kind++)
        for (uint32_t i = 0; i < mesh->group[kind].count; i++) {
            const DvMeshRange *group = &mesh->group[kind].data[i];
            dv_text_add(&text, "%s '%s' '%s' %d: %u + %u\n", kinds[kind], group->name, group->material,
                        group->material_index, group->first, group->count);
        }
    REALS(position_definition, 3);
    REALS(texcoord_definition, 2);
    REALS(normal_definition, 3);
    LISTS(face_position);
    LISTS(face_texcoord);
    LISTS(face_normal);
    INDICES(position_of_vertex, 1);
    INDICES(normal_of_vertex, 1);
    for (uint32_t i = 0; i < mesh->material.count; i++)
        mesh_text_material(&text, &mesh->material.data[i]);
    if (mesh->first_material)
        dv_text_add(&text, "first_material: %u\n", mesh->first_material);
    INDICES(face_material, 1);
#undef REALS
#undef INDICES
#undef LISTS
    for (uint32_t i = 0; i < mesh->attribute.count; i++) {
        const DvMeshAttribute *attribute = &mesh->attribute.data[i];
        dv_text_add(&text, "%s%s ", attribute->of_cells ? "cells" : "points", attribute->integral ? " integral" : "");
        mesh_text_reals(&text, attribute->name, attribute->value, attribute->tuples, attribute->components);
    }
    dv_mesh_free(mesh);
    return text;
}

#endif
