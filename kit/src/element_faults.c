/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <divan/kit/element_faults.h>

#include <divan/contracts/mapping.h>
#include <divan/duplicates.h>
#include <divan/kit/element_names.h>
#include <divan/log.h>
#include <divan/worst.h>

/* Pairs of numbers, of which the first three are told. */
typedef struct Pairs {
    uint32_t count, at[DV_WORST_KEPT][2];
} Pairs;

static void add_pair(Pairs *pairs, uint32_t first, uint32_t second)
{
    if (pairs->count < DV_WORST_KEPT) {
        pairs->at[pairs->count][0] = first;
        pairs->at[pairs->count][1] = second;
    }
    pairs->count++;
}

static void write_pairs(DvText *text, const Pairs *pairs)
{
    for (uint32_t i = 0; i < pairs->count && i < DV_WORST_KEPT; i++)
        dv_text_add(text, "%s%u and %u", i ? ", " : "", pairs->at[i][0], pairs->at[i][1]);
    if (pairs->count > DV_WORST_KEPT)
        dv_text_add(text, ", ...");
}

/* used[p] of the points that elements have as corners. Returns how many points are not used. */
static uint32_t mark_corners(DvElements elements, uint32_t nodes, uint32_t points, uint8_t *used)
{
    uint32_t unused = 0;
    for (size_t i = 0; i < (size_t)elements.count * nodes; i++)
        if (elements.at[i] < points)
            used[elements.at[i]] = 1;
    for (uint32_t p = 0; p < points; p++)
        unused += !used[p];
    return unused;
}

/* Where the elements have their corners: a list of these points. */
static uint32_t list_corners(const uint8_t *used, uint32_t points, uint32_t *corner)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < points; p++)
        if (used[p])
            corner[count++] = p;
    return count;
}

/* joined[p]: a spring holds it at the point in whose place it is. */
static void mark_joined(DvElements springs, const uint32_t *place, uint32_t points, uint8_t *joined)
{
    for (size_t i = 0; i < springs.count; i++) {
        const uint32_t a = springs.at[2 * i], b = springs.at[2 * i + 1];
        if (a < points && b < points && place[a] == place[b])
            joined[a] = joined[b] = 1;
    }
}

static Pairs points_in_one_place(DvElementKind kind, DvElements elements, DvConstVec rest, const uint32_t *corner,
                                 uint32_t count)
{
    Pairs pairs = {0};
    double *x = dv_alloc(count, 3 * sizeof *x);
    uint32_t *first = dv_alloc(count, sizeof *first), *place = dv_alloc(rest.count, sizeof *place);
    uint8_t *joined = dv_alloc(rest.count, sizeof *joined);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < 3 && c < rest.dim; c++)
            x[3 * (size_t)i + c] = rest.at[(size_t)corner[i] * rest.dim + c];
    const uint32_t found = dv_same_places(x, 3, count, DV_SAME_PLACE * dv_diagonal(x, 3, count), first);
    for (uint32_t i = 0; i < count; i++)
        place[corner[i]] = corner[first[i]];
    if (found > 0 && kind == DV_EDGES)
        mark_joined(elements, place, rest.count, joined);
    for (uint32_t i = 0; found > 0 && i < count; i++)
        if (first[i] != i && !joined[corner[i]])
            add_pair(&pairs, corner[first[i]], corner[i]);
    dv_free(x);
    dv_free(first);
    dv_free(place);
    dv_free(joined);
    return pairs;
}

static Pairs elements_of_the_same_points(DvElements elements, uint32_t nodes)
{
    Pairs pairs = {0};
    uint32_t *first = dv_alloc(elements.count, sizeof *first);
    (void)dv_same_elements(elements.at, nodes, elements.count, first);
    for (uint32_t e = 0; e < elements.count; e++)
        if (first[e] != e)
            add_pair(&pairs, first[e], e);
    dv_free(first);
    return pairs;
}

/* Of a surface and of springs, what other elements of the mesh use is no fault: lists that follow from others are asked for last. */
static void mark_corners_of_mesh(const DvTopologyRef *topology, uint32_t points, uint8_t *used)
{
    static const DvElementKind kinds[] = {DV_TETRAHEDRA, DV_HEXAHEDRA, DV_PRISMS, DV_PYRAMIDS,
                                          DV_TRIANGLES,  DV_QUADS,     DV_EDGES};
    uint32_t unused = 1;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && unused > 0; i++)
        unused = mark_corners(dv_topology_elements(topology, kinds[i]), dv_element_nodes(kinds[i]), points, used);
}

/* Whether the points of a state are those of the mesh alone: no mapping holds them, nor is it a surface of another mesh below that one. */
static bool stands_on_mesh(const DvObject *object, const DvTopologyRef *topology)
{
    const DvObject *state = dv_object_find(object, NULL, DV_STATE);
    const DvNode *node = state ? dv_object_node(state) : NULL;
    return node && node == dv_object_node(topology->object) && !dv_node_slot(node, DV_MAPPING);
}

static void say_loose(const DvObject *object, const DvTopologyRef *topology, DvElementKind kind, uint32_t points,
                      uint8_t *used)
{
    const bool volumes = kind == DV_TETRAHEDRA || kind == DV_HEXAHEDRA;
    DvWorst loose = {0};
    char numbers[DV_WORST_TEXT];
    if (!volumes && !stands_on_mesh(object, topology))
        return;
    if (!volumes)
        mark_corners_of_mesh(topology, points, used);
    for (uint32_t p = 0; p < points; p++)
        if (!used[p])
            dv_worst_add(&loose, p, 0.0);
    if (loose.count == 0 || !dv_topology_tell(topology, DV_POINTS_WITHOUT_FORCE))
        return;
    if (volumes)
        dv_remark(object, "%u of %u points of its state are corners of none of its %s: %s; what else holds them? %s",
                  loose.count, points, dv_element_names(kind), dv_worst_text(&loose, numbers),
                  dv_topology_unused_points_remedy(topology->object));
    else
        dv_remark(object, "%u of %u points of its state are used by no element of '%s': %s; what else holds them? %s",
                  loose.count, points, dv_object_path(topology->object), dv_worst_text(&loose, numbers),
                  dv_topology_unused_points_remedy(topology->object));
}

void dv_element_faults_report_twice(const DvObject *object, const DvTopologyRef *topology, DvElementKind kind,
                                    DvElements elements)
{
    const Pairs twice = elements_of_the_same_points(elements, dv_element_nodes(kind));
    if (twice.count == 0 || !dv_topology_tell(topology, (uint32_t)DV_ELEMENTS_TWICE << kind))
        return;
    DvText text = {0};
    write_pairs(&text, &twice);
    dv_warning(object, "%u of %u %s are given twice, and count twice: %s have the same points", twice.count,
               elements.count, dv_element_names(kind), text.at);
    dv_text_free(&text);
}

static void say_one_place(const DvObject *object, const DvTopologyRef *topology, DvElementKind kind,
                          const Pairs *points)
{
    if (points->count == 0 || !dv_topology_tell(topology, DV_POINTS_IN_ONE_PLACE))
        return;
    DvText text = {0};
    write_pairs(&text, points);
    dv_warning(object,
               "%u pair%s of points of its %s are at the same position without being connected: %s; "
               "mergeDistance of the loader or the topology makes them one",
               points->count, points->count == 1 ? "" : "s", kind == DV_EDGES ? "springs" : dv_element_names(kind),
               text.at);
    dv_text_free(&text);
}

void dv_element_faults_report(const DvObject *object, const DvTopologyRef *topology, DvElementKind kind,
                              DvElements elements, DvConstVec rest)
{
    if (elements.count == 0 || !rest.at)
        return;
    uint32_t *corner = dv_alloc(rest.count, sizeof *corner);
    uint8_t *used = dv_alloc(rest.count, sizeof *used);
    const uint32_t unused = mark_corners(elements, dv_element_nodes(kind), rest.count, used);
    const uint32_t corners = list_corners(used, rest.count, corner);
    if (unused > 0)
        say_loose(object, topology, kind, rest.count, used);
    const Pairs points = points_in_one_place(kind, elements, rest, corner, corners);
    say_one_place(object, topology, kind, &points);
    if (kind != DV_EDGES) /* of springs each pair has one */
        dv_element_faults_report_twice(object, topology, kind, elements);
    dv_free(corner);
    dv_free(used);
}
