/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parts of meshes that files give names.
 */
#include <divan/kit/mesh.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

void dv_mesh_parts_free(DvMeshParts *parts)
{
    for (int kind = 0; kind < DV_MESH_KINDS; kind++) {
        dv_array_free(&parts->element[kind]);
        dv_array_free(&parts->cell_of[kind]);
    }
    dv_array_free(&parts->point);
    dv_text_free(&parts->names);
}

bool dv_mesh_part_is(DvMeshParts *parts, const char *name, size_t length)
{
    const bool is_it = strlen(parts->wanted) == length && strncmp(parts->wanted, name, length) == 0;
    dv_text_add(&parts->names, "%s%.*s", parts->names.length ? ", " : "", (int)length, name);
    parts->found = parts->found || is_it;
    return is_it;
}

static void add_elements(DvIndexArray *list, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        dv_array_push(list, first + i);
}

/* ---- Groups that follow each other: Wavefront OBJ */

/* A line "g body left" names two groups. */
static bool names_it(const char *names, const char *wanted)
{
    const size_t length = strlen(wanted);
    if (strcmp(names, wanted) == 0)
        return true;
    for (const char *at = names + strspn(names, " "); *at; at += strspn(at, " ")) {
        const size_t word = strcspn(at, " ");
        if (word == length && strncmp(at, wanted, length) == 0)
            return true;
        at += word;
    }
    return false;
}

static bool is_listed(const DvMesh *mesh, int kind, uint32_t group)
{
    for (int k = 0; k <= kind; k++)
        for (uint32_t g = 0; g < (k < kind ? mesh->group[k].count : group); g++)
            if (strcmp(mesh->group[k].data[g].name, mesh->group[kind].data[group].name) == 0)
                return true;
    return false;
}

static uint32_t grouped(const DvMesh *mesh, DvMeshKind kind)
{
    uint32_t count = 0;
    for (uint32_t g = 0; g < mesh->group[kind].count; g++)
        count += mesh->group[kind].data[g].count;
    return count;
}

static void find_group(DvMesh *mesh)
{
    DvMeshParts *parts = &mesh->parts;
    parts->cut = mesh->group[DV_MESH_POLYGON].count > 0 || grouped(mesh, DV_MESH_TRIANGLE) != mesh->triangle.count ||
                 grouped(mesh, DV_MESH_QUAD) != mesh->quad.count;
    for (int kind = 0; kind < DV_MESH_KINDS; kind++)
        for (uint32_t g = 0; g < mesh->group[kind].count; g++) {
            const DvMeshRange *group = &mesh->group[kind].data[g];
            if (*group->name && !is_listed(mesh, kind, g))
                (void)dv_mesh_part_is(parts, group->name, strlen(group->name));
            if (!names_it(group->name, parts->wanted))
                continue;
            parts->found = true;
            add_elements(&parts->element[kind], group->first, group->count);
        }
}

/* ---- Cells by a number that an array gives them: VTK */

static uint32_t count_of(const DvMesh *mesh, DvMeshKind kind)
{
    switch (kind) {
    case DV_MESH_EDGE:
        return mesh->edge.count;
    case DV_MESH_TRIANGLE:
        return mesh->triangle.count;
    case DV_MESH_QUAD:
        return mesh->quad.count;
    case DV_MESH_TETRAHEDRON:
        return mesh->tetrahedron.count;
    case DV_MESH_HEXAHEDRON:
        return mesh->hexahedron.count;
    case DV_MESH_PRISM:
        return mesh->prism.count;
    case DV_MESH_PYRAMID:
        return mesh->pyramid.count;
    default:
        return 0;
    }
}

void dv_mesh_parts_add_cell(DvMesh *mesh)
{
    DvMeshParts *parts = &mesh->parts;
    for (int kind = 0; parts->wanted && kind < DV_MESH_KINDS; kind++)
        while (parts->cell_of[kind].count < count_of(mesh, (DvMeshKind)kind))
            dv_array_push(&parts->cell_of[kind], parts->cells);
    parts->cells++;
}

/* "region=3", or "marked": where it is not 0. */
static void find_cells(DvMesh *mesh)
{
    DvMeshParts *parts = &mesh->parts;
    const char *equals = strchr(parts->wanted, '=');
    const size_t length = equals ? (size_t)(equals - parts->wanted) : strlen(parts->wanted);
    const double value = equals ? strtod(equals + 1, NULL) : 0.0;
    for (uint32_t a = 0; a < mesh->attribute.count; a++) {
        const DvMeshAttribute *attribute = &mesh->attribute.data[a];
        if (!attribute->of_cells || attribute->components != 1 || attribute->tuples != parts->cells)
            continue;
        dv_text_add(&parts->names, "%s%s=...", parts->names.length ? ", " : "", attribute->name);
        if (strlen(attribute->name) != length || strncmp(attribute->name, parts->wanted, length) != 0)
            continue;
        for (int kind = 0; kind < DV_MESH_KINDS; kind++)
            for (uint32_t e = 0; e < parts->cell_of[kind].count; e++) {
                const double of_cell = attribute->value[parts->cell_of[kind].data[e]];
                if (equals ? of_cell == value : of_cell != 0.0)
                    dv_array_push(&parts->element[kind], e);
            }
        parts->found = true;
    }
}

void dv_mesh_parts_find(DvMesh *mesh)
{
    if (mesh->parts.cells > 0)
        find_cells(mesh);
    else
        find_group(mesh);
}
