/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <divan/kit/mesh_faults.h>

#include <divan/duplicates.h>
#include <divan/worst.h>

/* Pairs of numbers, of which the first three are told. */
typedef struct Pairs {
    uint32_t count;
    DvText text;
} Pairs;

static void add_pairs(Pairs *pairs, const uint32_t *first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (first[i] != i && pairs->count++ < DV_WORST_KEPT)
            dv_text_add(&pairs->text, "%s%u and %u", pairs->count > 1 ? ", " : "", first[i], i);
    if (pairs->count > DV_WORST_KEPT)
        dv_text_add(&pairs->text, ", ...");
}

static void report_one_place(const DvMeshView *mesh, DvReportLine line, void *context)
{
    Pairs pairs = {0};
    uint32_t *first = dv_alloc(mesh->point_count, sizeof *first);
    const double within = DV_SAME_PLACE * dv_diagonal(mesh->positions, 3, mesh->point_count);
    (void)dv_same_places(mesh->positions, 3, mesh->point_count, within, first);
    add_pairs(&pairs, first, mesh->point_count);
    if (pairs.count > 0) {
        DvText text = {0};
        dv_text_add(&text,
                    "%u pair%s of points in one place: %s; mechanics treat them as not connected; "
                    "mergeDistance makes them one",
                    pairs.count, pairs.count == 1 ? "" : "s", pairs.text.at);
        line(context, text.at);
        dv_text_free(&text);
    }
    dv_text_free(&pairs.text);
    dv_free(first);
}

static void report_twice(DvElements elements, DvElementKind kind, DvReportLine line, void *context)
{
    static const char *const names[DV_ELEMENT_KINDS] = {
        [DV_EDGES] = "edges",           [DV_TRIANGLES] = "triangles", [DV_QUADS] = "quads",
        [DV_TETRAHEDRA] = "tetrahedra", [DV_HEXAHEDRA] = "hexahedra", [DV_PRISMS] = "prisms",
        [DV_PYRAMIDS] = "pyramids"};
    Pairs pairs = {0};
    uint32_t *first = dv_alloc(elements.count, sizeof *first);
    (void)dv_same_elements(elements.at, dv_element_nodes(kind), elements.count, first);
    add_pairs(&pairs, first, elements.count);
    if (pairs.count > 0) {
        DvText text = {0};
        dv_text_add(&text, "%u of %u %s are given twice: %s have the same points; mechanics count them twice",
                    pairs.count, elements.count, names[kind], pairs.text.at);
        line(context, text.at);
        dv_text_free(&text);
    }
    dv_text_free(&pairs.text);
    dv_free(first);
}

static void report_unused(const DvMeshView *mesh, const char *remedy, DvReportLine line, void *context)
{
    uint8_t *used = dv_alloc(mesh->point_count, sizeof *used);
    size_t elements = 0;
    for (int kind = DV_EDGES; kind < DV_ELEMENT_KINDS; kind++) {
        const DvElements list = mesh->elements[kind];
        elements += list.count;
        for (size_t i = 0; i < (size_t)list.count * dv_element_nodes(kind); i++)
            used[list.at[i]] = 1;
    }
    DvWorst loose = {0};
    for (uint32_t p = 0; p < mesh->point_count; p++)
        if (!used[p])
            dv_worst_add(&loose, p, 0.0);
    if (loose.count > 0 && elements > 0) { /* else it is a cloud of points */
        char numbers[DV_WORST_TEXT];
        DvText text = {0};
        dv_text_add(&text, "no element uses %u of %u points: %s; %s", loose.count, mesh->point_count,
                    dv_worst_text(&loose, numbers), remedy);
        line(context, text.at);
        dv_text_free(&text);
    }
    dv_free(used);
}

static bool names_no_other_points(const DvMeshView *mesh)
{
    for (int kind = DV_EDGES; kind < DV_ELEMENT_KINDS; kind++)
        for (size_t i = 0; i < (size_t)mesh->elements[kind].count * dv_element_nodes(kind); i++)
            if (mesh->elements[kind].at[i] >= mesh->point_count)
                return false;
    return true;
}

void dv_mesh_report_faults(const DvMeshView *mesh, uint32_t told, const char *remedy, DvReportLine line, void *context)
{
    if (mesh->point_count == 0 || !names_no_other_points(mesh))
        return;
    if (!(told & DV_POINTS_IN_ONE_PLACE))
        report_one_place(mesh, line, context);
    for (int kind = DV_EDGES; kind < DV_ELEMENT_KINDS; kind++)
        if (!(told & (uint32_t)DV_ELEMENTS_TWICE << kind))
            report_twice(mesh->elements[kind], kind, line, context);
    if (!(told & (DV_POINTS_WITHOUT_FORCE | DV_POINTS_WITHOUT_MASS)))
        report_unused(mesh, remedy, line, context);
}
