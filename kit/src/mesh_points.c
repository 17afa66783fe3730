/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which points a mesh keeps: those that elements use, one of those that are in one place. Elements, groups, texture coordinates and what
 * else counts by points are numbered anew.
 */
#include <divan/kit/mesh.h>

#include <divan/duplicates.h>
#include <divan/log.h>

/* Arrays of elements as they are laid out in a Mesh. */
typedef DV_ARRAY(void) AnyArray;
typedef struct ListOfKind {
    DvMeshKind kind;
    void *array;
    uint32_t nodes;
} ListOfKind;

enum { LISTS = 7 };

static void lists_of(DvMesh *mesh, ListOfKind list[LISTS])
{
    const ListOfKind all[LISTS] = {{DV_MESH_EDGE, &mesh->edge, 2},
                                   {DV_MESH_TRIANGLE, &mesh->triangle, 3},
                                   {DV_MESH_QUAD, &mesh->quad, 4},
                                   {DV_MESH_TETRAHEDRON, &mesh->tetrahedron, 4},
                                   {DV_MESH_HEXAHEDRON, &mesh->hexahedron, 8},
                                   {DV_MESH_PRISM, &mesh->prism, 6},
                                   {DV_MESH_PYRAMID, &mesh->pyramid, 5}};
    memcpy(list, all, sizeof all);
}

static AnyArray look(const ListOfKind *list)
{
    AnyArray any;
    memcpy(&any, list->array, sizeof any);
    return any;
}

/* used[i] of each point that an element has as a corner, or a line passes. */
static void mark_used(DvMesh *mesh, uint8_t *used)
{
    ListOfKind list[LISTS];
    lists_of(mesh, list);
    for (int k = 0; k < LISTS; k++) {
        const AnyArray any = look(&list[k]);
        const uint32_t *node = any.data;
        for (size_t i = 0; i < (size_t)any.count * list[k].nodes; i++)
            used[node[i]] = 1;
    }
    for (uint32_t i = 0; i < mesh->polyline.value.count; i++)
        used[mesh->polyline.value.data[i]] = 1;
    for (uint32_t i = 0; i < mesh->polygon.value.count; i++)
        used[mesh->polygon.value.data[i]] = 1;
}

static void renumber_elements(DvMesh *mesh, const uint32_t *map)
{
    ListOfKind list[LISTS];
    lists_of(mesh, list);
    for (int k = 0; k < LISTS; k++) {
        const AnyArray any = look(&list[k]);
        uint32_t *node = any.data;
        for (size_t i = 0; i < (size_t)any.count * list[k].nodes; i++)
            node[i] = map[node[i]];
    }
    for (uint32_t i = 0; i < mesh->polyline.value.count; i++)
        mesh->polyline.value.data[i] = (int32_t)map[mesh->polyline.value.data[i]];
    for (uint32_t i = 0; i < mesh->polygon.value.count; i++)
        mesh->polygon.value.data[i] = (int32_t)map[mesh->polygon.value.data[i]];
}

#define KEEP(array)                                         \
    do {                                                    \
        if ((array).count == before) {                      \
            for (uint32_t i = 0, kept = 0; i < before; i++) \
                if (keep[i])                                \
                    (array).data[kept++] = (array).data[i]; \
            (array).count = after;                          \
        }                                                   \
    } while (0)

/* Drops the points that are not kept; map[i] is the new number of point i, or of the one that stands for it. Points in the middle of
 * second-order elements that are dropped are no longer listed as such. */
static void keep_points(DvMesh *mesh, const uint8_t *keep, const uint32_t *map, uint32_t after)
{
    const uint32_t before = mesh->position.count;
    if (mesh->of_file.count != before) {
        dv_array_clear(&mesh->of_file);
        for (uint32_t i = 0; i < before; i++)
            dv_array_push(&mesh->of_file, i);
    }
    renumber_elements(mesh, map);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < mesh->high_order_edge.count; i++) {
        DvHighOrderEdge node = mesh->high_order_edge.data[i];
        if (!keep[node.at[0]])
            continue;
        node.at[0] = map[node.at[0]];
        mesh->high_order_edge.data[kept++] = node;
    }
    mesh->high_order_edge.count = kept;
    kept = 0;
    for (uint32_t i = 0; i < mesh->middle.count; i++)
        if (keep[mesh->middle.data[i]])
            mesh->middle.data[kept++] = map[mesh->middle.data[i]];
    mesh->middle.count = kept;
    KEEP(mesh->normal);
    KEEP(mesh->texcoord);
    KEEP(mesh->position_of_vertex);
    KEEP(mesh->normal_of_vertex);
    KEEP(mesh->of_file);
    KEEP(mesh->position);
}

void dv_mesh_keep_attached_positions(DvMesh *mesh)
{
    const uint32_t before = mesh->position.count;
    uint8_t *used = dv_alloc(before, sizeof *used);
    uint32_t *map = dv_alloc(before, sizeof *map), kept = 0;
    mark_used(mesh, used);
    for (uint32_t i = 0; i < before; i++)
        map[i] = used[i] ? kept++ : 0;
    if (kept < before)
        keep_points(mesh, used, map, kept);
    dv_free(used);
    dv_free(map);
}

void dv_mesh_loose_middles(DvMesh *mesh, DvWorst *loose)
{
    if (mesh->middle.count == 0)
        return;
    uint8_t *used = dv_alloc(mesh->position.count, sizeof *used);
    mark_used(mesh, used);
    for (uint32_t i = 0; i < mesh->middle.count; i++) {
        const uint32_t point = mesh->middle.data[i];
        if (!used[point])
            dv_worst_add(loose, point, 0.0);
        used[point] = 1;
    }
    dv_free(used);
}

/* Nothing is left of it when corners have become one: a line of one point, a face of two, a volume of a face. */
static bool has_collapsed(const uint32_t *node, uint32_t nodes, DvMeshKind kind)
{
    static const uint8_t fewest[DV_MESH_KINDS] = {
        [DV_MESH_EDGE] = 2,       [DV_MESH_TRIANGLE] = 3, [DV_MESH_QUAD] = 3,   [DV_MESH_TETRAHEDRON] = 4,
        [DV_MESH_HEXAHEDRON] = 5, [DV_MESH_PRISM] = 4,    [DV_MESH_PYRAMID] = 4};
    uint32_t different = 0;
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t j = 0;
        while (j < i && node[j] != node[i])
            j++;
        different += j == i;
    }
    return different < fewest[kind];
}

/* Groups say where their elements begin: as many fewer as have gone before them. */
static void shorten_groups(DvMeshRanges *groups, const uint8_t *gone, uint32_t count)
{
    uint32_t *left = dv_alloc((size_t)count + 1, sizeof *left);
    for (uint32_t i = 0; i < count; i++)
        left[i + 1] = left[i] + !gone[i];
    for (uint32_t g = 0; g < groups->count; g++) {
        DvMeshRange *group = &groups->data[g];
        if (group->first > count || group->count > count - group->first)
            continue;
        const uint32_t first = left[group->first];
        group->count = left[group->first + group->count] - first;
        group->first = first;
    }
    dv_free(left);
}

/* Middle nodes name the edge that carries them. */
static void renumber_carriers(DvMesh *mesh, const uint8_t *gone, const uint32_t *map)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < mesh->high_order_edge.count; i++) {
        DvHighOrderEdge node = mesh->high_order_edge.data[i];
        if (gone[node.at[1]])
            continue;
        node.at[1] = map[node.at[1]];
        mesh->high_order_edge.data[kept++] = node;
    }
    mesh->high_order_edge.count = kept;
}

/* 1: edges, 2: surfaces, 3: volumes. */
static int dimension(int kind)
{
    return kind == DV_MESH_EDGE ? 1 : kind <= DV_MESH_POLYGON ? 2 : 3;
}

/* Drops what has collapsed, and what has become the same as an element before. Edges and faces of what is counted are not counted again. */
static void drop_elements(DvMesh *mesh, const ListOfKind *list, bool counts, DvMeshMerge *merge)
{
    AnyArray any = look(list);
    uint32_t *node = any.data, dropped = 0;
    uint32_t *first = dv_alloc(any.count, sizeof *first), *map = dv_alloc(any.count, sizeof *map), kept = 0;
    uint8_t *gone = dv_alloc(any.count, sizeof *gone);
    (void)dv_same_elements(node, list->nodes, any.count, first);
    for (uint32_t e = 0; e < any.count; e++) {
        const uint32_t *at = node + (size_t)e * list->nodes;
        const bool collapsed = has_collapsed(at, list->nodes, list->kind);
        gone[e] = collapsed || first[e] != e;
        merge->collapsed += counts && collapsed;
        merge->repeated += counts && !collapsed && first[e] != e;
        dropped += gone[e];
        map[e] = kept;
        if (!gone[e])
            memmove(node + (size_t)kept++ * list->nodes, at, list->nodes * sizeof *node);
    }
    if (dropped) {
        any.count = kept;
        memcpy(list->array, &any, sizeof any);
        shorten_groups(&mesh->group[list->kind], gone, kept + dropped);
        if (list->kind == DV_MESH_EDGE)
            renumber_carriers(mesh, gone, map);
    }
    dv_free(first);
    dv_free(map);
    dv_free(gone);
}

DvMeshMerge dv_mesh_merge_positions(DvMesh *mesh, double within)
{
    DvMeshMerge merge = {0};
    const uint32_t before = mesh->position.count;
    uint32_t *first = dv_alloc(before, sizeof *first), *map = dv_alloc(before, sizeof *map), kept = 0;
    uint8_t *keep = dv_alloc(before, sizeof *keep);
    merge.points = dv_same_places((const double *)mesh->position.data, 3, before, within, first);
    for (uint32_t i = 0, pairs = 0; i < before; i++) {
        keep[i] = first[i] == i;
        map[i] = keep[i] ? kept++ : map[first[i]];
        if (!keep[i] && pairs < DV_WORST_KEPT) {
            merge.pair[pairs][0] = first[i];
            merge.pair[pairs++][1] = i;
        }
    }
    if (merge.points) {
        ListOfKind list[LISTS];
        keep_points(mesh, keep, map, kept);
        lists_of(mesh, list);
        int highest = 0;
        for (int k = 0; k < LISTS; k++)
            if (look(&list[k]).count && dimension((int)list[k].kind) > highest)
                highest = dimension((int)list[k].kind);
        for (int k = 0; k < LISTS; k++)
            drop_elements(mesh, &list[k], dimension((int)list[k].kind) == highest, &merge);
    }
    dv_free(first);
    dv_free(map);
    dv_free(keep);
    return merge;
}

void dv_mesh_say_merged(DvData *field, const DvMeshMerge *merge)
{
    DvText pairs = {0};
    for (uint32_t i = 0; i < merge->points && i < DV_WORST_KEPT; i++)
        dv_text_add(&pairs, "%s%u into %u", i ? ", " : "", merge->pair[i][1], merge->pair[i][0]);
    const char *more = merge->points > DV_WORST_KEPT ? ", ..." : "";
    if (merge->collapsed + merge->repeated > 0)
        dv_field_remark(
            field, -1,
            "%u points were merged into others at their position (%s%s); %u elements that collapse by it and %u that "
            "are then given twice are left out",
            merge->points, pairs.at, more, merge->collapsed, merge->repeated);
    else
        dv_info(field->owner, "mergeDistance: %u points were merged into others at their position (%s%s)",
                merge->points, pairs.at, more);
    dv_text_free(&pairs);
}
