/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Edits from bytes; see the header. The model is a list of labels of points and a list of elements by the labels of their points: it knows
 * the rules (the last takes the number of what goes) and nothing of adjacency.
 */
#include "edit_script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <divan/divan.h>
#include <divan/element_data.h>

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            abort();                                                                      \
        }                                                                                 \
    } while (0)

enum { MOST_NODES = 8, FEWEST = 6, MOST = 300 };

struct EditScript {
    DvScene *scene;
    DvObject *mesh, *modifier, *border; /* border: of tetrahedra, its triangles; else NULL */
    const DvTopologyOps *ops;
    const DvTopologyModifierOps *edit;
    DvElementKind kind;
    uint32_t nodes;
    EditCounts counts;

    uint64_t next_label;
    uint64_t *point; /* [points] the model: labels of points */
    uint32_t points, point_room;
    uint64_t (*element)[MOST_NODES]; /* [elements] labels of their points */
    uint32_t elements, element_room;

    DvElementData of_points, of_elements; /* the same labels, attached: uint64_t, and [MOST_NODES] */
};

static const char *const families[DV_ELEMENT_KINDS] = {"Point", "Edge",        "Triangle",
                                                       "Quad",  "Tetrahedron", "Hexahedron"};
static const char *const lists[DV_ELEMENT_KINDS] = {"", "edges", "triangles", "quads", "tetrahedra", "hexahedra"};

/* ---- The model ---- */

static void set_points(EditScript *s, uint32_t points)
{
    if (points > s->point_room) {
        s->point_room = 2 * points;
        s->point = realloc(s->point, s->point_room * sizeof *s->point);
    }
    for (uint32_t i = s->points; i < points; i++)
        s->point[i] = s->next_label++;
    s->points = points;
}

static void add_to_model(EditScript *s, const uint32_t *nodes)
{
    if (s->elements == s->element_room) {
        s->element_room = 2 * s->element_room + 64;
        s->element = realloc(s->element, s->element_room * sizeof *s->element);
    }
    for (uint32_t j = 0; j < s->nodes; j++)
        s->element[s->elements][j] = s->point[nodes[j]];
    s->elements++;
}

static bool is_used(const EditScript *s, uint64_t label)
{
    for (uint32_t e = 0; e < s->elements; e++)
        for (uint32_t j = 0; j < s->nodes; j++)
            if (s->element[e][j] == label)
                return true;
    return false;
}

static int descending(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left > right ? -1 : left < right;
}

/* Points that the elements to go leave without any. */
static void remove_from_model(EditScript *s, uint32_t *numbers, uint32_t count)
{
    uint64_t labels[16 * MOST_NODES];
    uint32_t found = 0, gone[16 * MOST_NODES], goes = 0;
    qsort(numbers, count, sizeof *numbers, descending);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && numbers[i] == numbers[i - 1])
            continue;
        memcpy(labels + found, s->element[numbers[i]], s->nodes * sizeof *labels);
        found += s->nodes;
        memcpy(s->element[numbers[i]], s->element[s->elements - 1], sizeof *s->element);
        s->elements--;
    }
    for (uint32_t p = s->points; p-- > 0;)
        for (uint32_t k = 0; k < found; k++)
            if (s->point[p] == labels[k] && !is_used(s, labels[k])) {
                gone[goes++] = p;
                break;
            }
    for (uint32_t i = 0; i < goes; i++)
        s->point[gone[i]] = s->point[--s->points];
}

/* ---- Attached labels ---- */

static void label_points(DvElementData *data, const DvElementChange *change, uint32_t first)
{
    const EditScript *s = data->owner;
    for (uint32_t i = first; i < first + change->count; i++)
        ((uint64_t *)data->entries)[i] = s->point[i];
}

static void label_elements(DvElementData *data, const DvElementChange *change, uint32_t first)
{
    EditScript *s = data->owner;
    const DvElements list = s->ops->elements(dv_object_self(s->mesh), s->kind);
    uint64_t(*label)[MOST_NODES] = data->entries;
    for (uint32_t e = first; e < first + change->count; e++)
        for (uint32_t j = 0; j < s->nodes; j++)
            label[e][j] = ((uint64_t *)s->of_points.entries)[list.at[(size_t)e * s->nodes + j]];
}

/* ---- Scenes ---- */

DvScene *edit_script_load(const DvText *text)
{
    static bool started;
    DvScene *scene;
    if (!started)
        CHECK(dv_start(NULL) == DV_OK);
    started = true;
    CHECK(dv_scene_load_text(text->at, text->length, "edits.scn", NULL, NULL, &scene) == DV_OK);
    return scene;
}

/* A grid of 3 x 3 x 3 points, or of 3 x 3. */
static void grid_text(DvText *text, DvElementKind kind)
{
    const bool solid = kind >= DV_TETRAHEDRA;
    dv_text_add(text, "%s='", lists[kind]);
    for (uint32_t c = 0; c < (solid ? 8 : 4); c++) {
        const uint32_t p = c % 2 + 3 * (c / 2 % 2) + 9 * (c / 4);
        const uint32_t corner[8] = {p, p + 1, p + 4, p + 3, p + 9, p + 10, p + 13, p + 12};
        uint32_t cut[6][4];
        dv_cut_hexahedron(corner, 0, true, cut);
        for (int i = 0; kind == DV_TETRAHEDRA && i < 24; i++)
            dv_text_add(text, "%u ", cut[i / 4][i % 4]);
        for (int i = 0; kind == DV_HEXAHEDRA && i < 8; i++)
            dv_text_add(text, "%u ", corner[i]);
        for (int i = 0; kind == DV_QUADS && i < 4; i++)
            dv_text_add(text, "%u ", corner[i]);
        for (int i = 0; kind == DV_TRIANGLES && i < 6; i++)
            dv_text_add(text, "%u ", corner[i < 3 ? i : i == 3 ? 0 : i - 2]);
        for (int i = 0; kind == DV_EDGES && i < 8; i++)
            dv_text_add(text, "%u ", corner[(i + 1) / 2 % 4]);
    }
    dv_text_add(text, "'");
}

EditScript *edit_script_new(DvElementKind kind)
{
    EditScript *s = calloc(1, sizeof *s);
    DvText text = {0};
    dv_text_add(&text, "<Node><%sSetTopologyContainer name='mesh' ", families[kind]);
    grid_text(&text, kind);
    dv_text_add(&text, "/><%sSetTopologyModifier name='modifier'/>", families[kind]);
    if (kind == DV_TETRAHEDRA)
        dv_text_add(&text,
                    "<Node name='border'><TriangleSetTopologyContainer name='triangles'/><TriangleSetTopologyModifier/>"
                    "<Tetra2TriangleTopologicalMapping input='@../mesh' output='@triangles'/></Node>");
    dv_text_add(&text, "</Node>");
    s->scene = edit_script_load(&text);
    dv_text_free(&text);
    DvNode *root = dv_scene_root(s->scene);
    s->mesh = dv_node_find(root, DV_TOPOLOGY, DV_SEARCH_LOCAL);
    s->modifier = dv_node_find(root, DV_TOPOLOGY_MODIFIER, DV_SEARCH_LOCAL);
    DvNode *border = dv_node_child(root, 0);
    s->border = border ? dv_node_find(border, DV_TOPOLOGY, DV_SEARCH_LOCAL) : NULL;
    s->ops = dv_object_ops(s->mesh, DV_TOPOLOGY);
    s->edit = dv_object_ops(s->modifier, DV_TOPOLOGY_MODIFIER);
    s->kind = kind;
    s->nodes = dv_element_nodes(kind);
    set_points(s, s->ops->point_count(dv_object_self(s->mesh)));
    const DvElements list = s->ops->elements(dv_object_self(s->mesh), kind);
    for (uint32_t e = 0; e < list.count; e++)
        add_to_model(s, list.at + (size_t)e * s->nodes);
    s->of_points =
        (DvElementData){.kind = DV_POINTS, .entry_size = sizeof(uint64_t), .owner = s, .added = label_points};
    s->of_elements =
        (DvElementData){.kind = kind, .entry_size = MOST_NODES * sizeof(uint64_t), .owner = s, .added = label_elements};
    CHECK(dv_element_data_attach(&s->of_points, s->mesh) == DV_OK);
    CHECK(dv_element_data_attach(&s->of_elements, s->mesh) == DV_OK);
    label_points(&s->of_points, &(DvElementChange){.count = s->points}, 0);
    label_elements(&s->of_elements, &(DvElementChange){.count = s->elements}, 0);
    return s;
}

void edit_script_free(EditScript *s)
{
    dv_element_data_detach(&s->of_points);
    dv_element_data_detach(&s->of_elements);
    dv_scene_free(s->scene);
    free(s->point);
    free(s->element);
    free(s);
}

/* ---- Edits ---- */

static void remove_some(EditScript *s, const uint8_t *bytes)
{
    uint32_t numbers[5];
    const uint32_t count = 1 + bytes[0] % 5;
    bool exist = true;
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = bytes[1 + i] + 256u * (bytes[6] & 1);
        if (bytes[6] >= 8 && s->elements > 0)
            numbers[i] %= s->elements;
        exist = exist && numbers[i] < s->elements;
    }
    const DvStatus status = s->edit->remove_elements(dv_object_self(s->modifier), s->kind, count, numbers, true);
    CHECK((status == DV_OK) == exist);
    s->counts.refused += !exist;
    if (!exist)
        return;
    s->counts.removed++;
    remove_from_model(s, numbers, count);
}

/* An element of random points, some of them new. */
static void add_one(EditScript *s, const uint8_t *bytes)
{
    uint32_t element[MOST_NODES], points = s->points;
    for (uint32_t j = 0; j < s->nodes; j++) {
        const bool new = points < 4 || bytes[j % 6] % 8 == 0;
        uint32_t point = new ? points++ : (bytes[j % 6] + 37u * j) % s->points;
        for (uint32_t i = 0; i < j; i++)
            if (element[i] == point)
                point = points++, i = UINT32_MAX;
        element[j] = point;
    }
    const uint32_t added = points - s->points;
    set_points(s, points);
    if (added)
        CHECK(s->edit->add_points(dv_object_self(s->modifier), added, NULL) == DV_OK);
    add_to_model(s, element);
    CHECK(s->edit->add_elements(dv_object_self(s->modifier), s->kind, 1, element, NULL) == DV_OK);
    s->counts.added++;
}

static void add_neighbour(EditScript *s, const uint8_t *bytes)
{
    uint32_t element[MOST_NODES];
    const DvElements list = s->ops->elements(dv_object_self(s->mesh), s->kind);
    memcpy(element, list.at + (size_t)(bytes[0] % list.count) * s->nodes, s->nodes * sizeof *element);
    element[bytes[1] % s->nodes] = s->points;
    set_points(s, s->points + 1);
    CHECK(s->edit->add_points(dv_object_self(s->modifier), 1, NULL) == DV_OK);
    add_to_model(s, element);
    CHECK(s->edit->add_elements(dv_object_self(s->modifier), s->kind, 1, element, NULL) == DV_OK);
    s->counts.added++;
}

/* A new point on the way between two of an element's: all elements with both become two. */
static void split(EditScript *s, const uint8_t *bytes)
{
    const DvElements list = s->ops->elements(dv_object_self(s->mesh), s->kind);
    const uint32_t *chosen = list.at + (size_t)((bytes[0] + 256u * bytes[1]) % list.count) * s->nodes;
    const uint32_t ends[2] = {chosen[bytes[2] % s->nodes], chosen[(bytes[2] + 1u) % s->nodes]}, start[2] = {0, 2};
    uint32_t pieces[16 * MOST_NODES], numbers[8], count = 0;
    for (uint32_t e = 0; e < list.count && count < 8; e++) {
        uint32_t at[2] = {s->nodes, s->nodes};
        for (uint32_t j = 0; j < s->nodes; j++)
            for (int k = 0; k < 2; k++)
                at[k] = list.at[(size_t)e * s->nodes + j] == ends[k] ? j : at[k];
        if (at[0] == s->nodes || at[1] == s->nodes)
            continue;
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t *piece = pieces + (2 * (size_t)count + k) * s->nodes;
            memcpy(piece, list.at + (size_t)e * s->nodes, s->nodes * sizeof *piece);
            piece[at[k]] = s->points;
        }
        numbers[count++] = e;
    }
    set_points(s, s->points + 1);
    const DvElementChange middle = {.ancestors = ends, .ancestor_start = start};
    CHECK(s->edit->add_points(dv_object_self(s->modifier), 1, &middle) == DV_OK);
    for (uint32_t i = 0; i < 2 * count; i++)
        add_to_model(s, pieces + (size_t)i * s->nodes);
    CHECK(s->edit->add_elements(dv_object_self(s->modifier), s->kind, 2 * count, pieces, NULL) == DV_OK);
    CHECK(s->edit->remove_elements(dv_object_self(s->modifier), s->kind, count, numbers, true) == DV_OK);
    remove_from_model(s, numbers, count);
    s->counts.split++;
}

static void renumber(EditScript *s, const uint8_t *bytes)
{
    uint32_t *order = malloc((s->points + 1) * sizeof *order);
    uint64_t *label = malloc((s->points + 1) * sizeof *label);
    for (uint32_t i = 0; i < s->points; i++) {
        order[i] = (i + bytes[0]) % s->points;
        label[i] = s->point[order[i]];
    }
    memcpy(s->point, label, s->points * sizeof *label);
    CHECK(s->edit->renumber_points(dv_object_self(s->modifier), order) == DV_OK);
    s->counts.renumbered++;
    free(order);
    free(label);
}

void edit_script_run(EditScript *s, const uint8_t bytes[EDIT_BYTES])
{
    const uint8_t choice = bytes[7] % 64;
    if (choice == 63)
        renumber(s, bytes);
    else if (s->elements < FEWEST || (choice < 16 && s->elements < MOST))
        add_one(s, bytes);
    else if (choice < 20 && s->elements < MOST && (s->kind == DV_TETRAHEDRA || s->kind == DV_TRIANGLES))
        split(s, bytes);
    else if (choice < 40 && s->elements < MOST)
        add_neighbour(s, bytes);
    else
        remove_some(s, bytes);
}

void edit_script_reset(EditScript *s)
{
    /* The labels of the first mesh are those of its numbers: points and elements come anew, in order. */
    dv_scene_reset(s->scene);
    s->points = s->elements = 0;
    set_points(s, s->ops->point_count(dv_object_self(s->mesh)));
    const DvElements list = s->ops->elements(dv_object_self(s->mesh), s->kind);
    for (uint32_t e = 0; e < list.count; e++)
        add_to_model(s, list.at + (size_t)e * s->nodes);
    CHECK(s->of_points.count == s->points && s->of_elements.count == s->elements);
    label_points(&s->of_points, &(DvElementChange){.count = s->points}, 0);
    label_elements(&s->of_elements, &(DvElementChange){.count = s->elements}, 0);
}

/* ---- Checks ---- */

static void check_model(EditScript *s)
{
    const DvElements list = s->ops->elements(dv_object_self(s->mesh), s->kind);
    CHECK(list.count == s->elements && s->of_elements.count == s->elements);
    CHECK(s->ops->point_count(dv_object_self(s->mesh)) == s->points && s->of_points.count == s->points);
    for (uint32_t i = 0; i < s->points; i++)
        CHECK(((uint64_t *)s->of_points.entries)[i] == s->point[i]);
    const uint64_t(*label)[MOST_NODES] = s->of_elements.entries;
    for (uint32_t e = 0; e < s->elements; e++)
        for (uint32_t j = 0; j < s->nodes; j++) {
            CHECK(s->point[list.at[(size_t)e * s->nodes + j]] == s->element[e][j]);
            CHECK(label[e][j] == s->element[e][j]);
        }
}

static void sort_corners(const uint32_t *triangle, uint32_t sorted[3])
{
    memcpy(sorted, triangle, 3 * sizeof *sorted);
    qsort(sorted, 3, sizeof *sorted, descending);
}

static void print_list(DvText *text, DvObject *mesh, DvElementKind kind)
{
    const DvTopologyOps *ops = dv_object_ops(mesh, DV_TOPOLOGY);
    const DvElements list = ops->elements(dv_object_self(mesh), kind);
    if (list.count == 0)
        return;
    dv_text_add(text, "%s='", lists[kind]);
    for (uint32_t i = 0; i < list.count * dv_element_nodes(kind); i++)
        dv_text_add(text, "%u ", list.at[i]);
    dv_text_add(text, "' ");
}

static void check_table(DvObject *mesh, DvObject *anew, DvElementKind of, DvElementKind to)
{
    const DvTopologyOps *ops = dv_object_ops(mesh, DV_TOPOLOGY);
    const DvAdjacency edited = ops->adjacency(dv_object_self(mesh), of, to);
    const DvAdjacency fresh = ops->adjacency(dv_object_self(anew), of, to);
    CHECK(edited.count == fresh.count);
    for (uint32_t i = 0; i < fresh.count; i++) {
        const uint32_t length = fresh.end[i] - fresh.begin[i];
        CHECK(edited.end[i] - edited.begin[i] == length);
        CHECK(length == 0 ||
              memcmp(edited.items + edited.begin[i], fresh.items + fresh.begin[i], length * sizeof *fresh.items) == 0);
    }
}

void edit_script_check_tables(DvObject *mesh, DvElementKind own)
{
    const DvTopologyOps *ops = dv_object_ops(mesh, DV_TOPOLOGY);
    DvText text = {0};
    dv_text_add(&text, "<Node><%sSetTopologyContainer name='mesh' nbPoints='%u' ", families[own],
                ops->point_count(dv_object_self(mesh)));
    for (DvElementKind kind = DV_EDGES; kind <= own; kind++)
        print_list(&text, mesh, kind);
    dv_text_add(&text, "/></Node>");
    DvScene *scene = edit_script_load(&text);
    dv_text_free(&text);
    DvObject *anew = dv_node_find(dv_scene_root(scene), DV_TOPOLOGY, DV_SEARCH_LOCAL);
    for (DvElementKind kind = DV_POINTS; kind <= own; kind++)
        CHECK(ops->elements(dv_object_self(anew), kind).count == ops->elements(dv_object_self(mesh), kind).count);
    for (DvElementKind of = DV_POINTS; of <= own; of++)
        for (DvElementKind to = DV_POINTS; to <= own; to++)
            check_table(mesh, anew, of, to);
    dv_scene_free(scene);
}

void edit_script_check_border(DvObject *mesh, DvObject *border_object)
{
    const DvTopologyOps *ops = dv_object_ops(mesh, DV_TOPOLOGY), *of_border = dv_object_ops(border_object, DV_TOPOLOGY);
    const DvElements border = of_border->elements(dv_object_self(border_object), DV_TRIANGLES);
    const DvElements all = ops->elements(dv_object_self(mesh), DV_TRIANGLES);
    const DvAdjacency around = ops->adjacency(dv_object_self(mesh), DV_TRIANGLES, DV_TETRAHEDRA);
    uint32_t outer = 0;
    for (uint32_t t = 0; t < all.count; t++) {
        uint32_t triangle[3], other[3], found = 0;
        sort_corners(all.at + 3 * (size_t)t, triangle);
        for (uint32_t b = 0; b < border.count; b++) {
            sort_corners(border.at + 3 * (size_t)b, other);
            found += memcmp(triangle, other, sizeof triangle) == 0;
        }
        const bool alone = t < around.count && around.end[t] - around.begin[t] == 1;
        CHECK(found == alone);
        outer += alone;
    }
    CHECK(border.count == outer);
}

void edit_script_check(EditScript *s)
{
    check_model(s);
    if (s->border)
        edit_script_check_border(s->mesh, s->border);
    edit_script_check_tables(s->mesh, s->kind);
}

EditCounts edit_script_counts(const EditScript *s)
{
    return s->counts;
}

DvObject *edit_script_mesh(const EditScript *s)
{
    return s->mesh;
}
