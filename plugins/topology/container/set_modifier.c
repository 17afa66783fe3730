/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PointSet-, EdgeSet-, TriangleSet-, QuadSet-, TetrahedronSet- and HexahedronSetTopologyModifier: adding, removing and
 * renumbering the elements of the container in the same node.
 *
 * Everything attached to the topology (element data: fields of components, states, topological mappings) is told in
 * this order: additions after the lists have grown, lower elements first; removals before the lists shrink, highest
 * elements first, then faces and edges together, then points. A removed element's number is taken by the last one, one
 * removal after the other from the highest number down.
 *
 * Lower elements that belong to none of the container's own (edges given by a scene that no hexahedron has) are not
 * removed with the points they name. Such points of theirs are marked and no longer follow renumberings; adjacency
 * leaves the elements out.
 *
 * A change costs time in proportion to what it touches: lists and adjacency are changed in place (table_edits.h). Only a
 * renumbering of all points has to touch them all.
 */
#include "modifier.h"
#include "table_edits.h"

#include <divan/kit/tuples.h>

#include <inttypes.h>
#include <stdlib.h>

typedef struct Modifier {
    DvObject *object;
    DvData propagate_to_states, list_out, remove_isolated;
    Topology *topology;
    DvElementKind own;
} Modifier;

/* A list of elements being changed. */
typedef struct Rows {
    uint32_t *at;
    uint32_t count, nodes;
    uint8_t *dangling; /* or NULL */
} Rows;

static int descending(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left > right ? -1 : left < right;
}

/* The numbers from the largest down, each once. False: one is not below `limit`. */
static bool sort_numbers(uint32_t count, const uint32_t *numbers, uint32_t limit, DvIndexArray *sorted)
{
    dv_array_append(sorted, numbers, count);
    if (count)
        qsort(sorted->data, count, sizeof *sorted->data, descending);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || sorted->data[i] != sorted->data[i - 1])
            sorted->data[kept++] = sorted->data[i];
    sorted->count = kept;
    return kept == 0 || sorted->data[0] < limit;
}

static const char *list_name(const Topology *topology, DvElementKind kind)
{
    return topology->list[kind].field ? topology->list[kind].field->name : "points";
}

static DvStatus out_of_range(Topology *topology, DvElementKind kind, uint32_t number, uint32_t count)
{
    return dv_error(topology->object, DV_ERROR_INVALID, "cannot change number %" PRIu32 " of %" PRIu32 " %s", number,
                    count, kind == DV_POINTS ? "points" : list_name(topology, kind));
}

static void tell(Topology *topology, DvElementChange change)
{
    dv_element_data_apply(topology->object, &change);
}

/* Opens a list for changes, free of any link it had. */
static Rows begin_rows(Topology *topology, DvElementKind kind, uint32_t count)
{
    DvData *list = &topology->list[kind];
    (void)dv_data_link(list, NULL);
    Rows rows = {.nodes = dv_element_nodes(kind), .dangling = topology->dangling[kind]};
    rows.at = dv_data_begin(list, count);
    rows.count = count;
    return rows;
}

/* The list is as it shall be; `count` elements stay. */
static void end_rows(Topology *topology, DvElementKind kind, uint32_t count)
{
    (void)dv_data_begin(&topology->list[kind], count);
    dv_data_end(&topology->list[kind]);
    topology_edited(topology);
}

static uint32_t *loose_entry(Topology *topology, DvElementKind kind, uint32_t element)
{
    DvIndexArray *loose = &topology->loose[kind];
    uint32_t i = 0;
    while (i < loose->count && loose->data[i] != element)
        i++;
    return i < loose->count ? &loose->data[i] : NULL;
}

/* What is known of element `last` is from now on known of `element`, which goes. */
static void move_dangling(Topology *topology, DvElementKind kind, uint32_t element, uint32_t last)
{
    uint8_t *dangling = topology->dangling[kind];
    uint32_t *gone = dangling && dangling[element] ? loose_entry(topology, kind, element) : NULL;
    topology->loose_changed |= gone != NULL;
    if (gone)
        *gone = topology->loose[kind].data[--topology->loose[kind].count];
    uint32_t *moved = dangling && element != last && dangling[last] ? loose_entry(topology, kind, last) : NULL;
    topology->loose_changed |= moved != NULL;
    if (moved)
        *moved = element;
    if (!dangling)
        return;
    dangling[element] = dangling[last];
    dangling[last] = 0;
}

static void remove_rows(Topology *topology, DvElementKind kind, const DvIndexArray *sorted)
{
    if (sorted->count == 0)
        return;
    const uint32_t count = topology_elements(topology, kind).count;
    Rows rows = begin_rows(topology, kind, count);
    const EditTables tables = tables_of(topology);
    for (uint32_t i = 0; i < sorted->count; i++) {
        const uint32_t gone = sorted->data[i], last = --rows.count;
        tables_remove(&tables, kind, gone, last);
        move_dangling(topology, kind, gone, last);
        if (gone == last)
            continue;
        memcpy(rows.at + (size_t)gone * rows.nodes, rows.at + (size_t)last * rows.nodes, rows.nodes * sizeof *rows.at);
        tables_settle(&tables, kind, gone);
    }
    end_rows(topology, kind, rows.count);
}

/* Parts (or points) of the elements to go that only these have: those that appear as often among them as at all. */
static void find_isolated(const uint32_t *part_of, uint32_t per_element, const DvRows *around, const DvIndexArray *gone,
                          DvIndexArray *isolated)
{
    dv_array_reserve(isolated, (uint64_t)gone->count * per_element);
    for (uint32_t i = 0; i < gone->count; i++)
        for (uint32_t j = 0; j < per_element; j++) {
            const uint32_t part = part_of[(size_t)gone->data[i] * per_element + j];
            if (part < around->count)
                isolated->data[isolated->count++] = part;
        }
    uint32_t *first = dv_alloc(isolated->count, sizeof *first), *times = dv_alloc(isolated->count, sizeof *times);
    dv_tuples_find_first(1, isolated->count, isolated->data, first);
    for (uint32_t i = 0; i < isolated->count; i++)
        times[first[i]]++;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < isolated->count; i++)
        if (times[i] > 0 && times[i] == dv_rows_length(around, isolated->data[i]))
            isolated->data[kept++] = isolated->data[i];
    isolated->count = kept;
    if (kept)
        qsort(isolated->data, kept, sizeof *isolated->data, descending);
    dv_free(first);
    dv_free(times);
}

static void find_isolated_parts(Topology *topology, DvElementKind kind, DvElementKind part, const DvIndexArray *gone,
                                DvIndexArray *isolated)
{
    uint32_t per_element;
    const uint32_t *part_of = topology_parts(topology, kind, part, &per_element);
    if (part_of)
        find_isolated(part_of, per_element, topology_adjacency(topology, part, kind), gone, isolated);
}

static void tell_removal(Topology *topology, DvElementKind kind, const DvIndexArray *sorted, bool without_states)
{
    const uint32_t count = kind == DV_POINTS ? topology->points : topology_elements(topology, kind).count;
    if (sorted->count)
        tell(topology, (DvElementChange){.change = DV_ELEMENTS_REMOVED,
                                         .kind = kind,
                                         .count = sorted->count,
                                         .total = count - sorted->count,
                                         .indices = sorted->data,
                                         .without_states = without_states});
}

/* Gives the points in all lists their new numbers. */
static void renumber_lists(Topology *topology, const uint32_t *number)
{
    for (int kind = DV_EDGES; kind < DV_ELEMENT_KINDS; kind++) {
        const uint32_t count = topology_elements(topology, kind).count;
        if (count == 0)
            continue;
        Rows rows = begin_rows(topology, kind, count);
        for (uint32_t element = 0; element < count; element++)
            for (uint32_t j = 0; j < rows.nodes; j++)
                if (!(rows.dangling && rows.dangling[element] >> j & 1))
                    rows.at[(size_t)element * rows.nodes + j] = number[rows.at[(size_t)element * rows.nodes + j]];
        dv_data_end(&topology->list[kind]);
    }
}

/* Point `point` of an element goes: it keeps the number there, which nobody follows any more. */
static void loosen(Topology *topology, DvElementKind kind, const uint32_t *points, uint32_t element, uint32_t point)
{
    const ElementList list = topology_elements(topology, kind);
    dv_columns_reserve(&topology->dangling_capacity[kind], list.count, DV_COLUMN(topology->dangling[kind]));
    uint8_t *bits = &topology->dangling[kind][element];
    if (*bits == 0) {
        tables_take_out(topology, kind, element);
        dv_array_push(&topology->loose[kind], element);
    }
    for (uint32_t j = 0; j < list.nodes; j++)
        if (points[j] == point)
            *bits |= (uint8_t)(1u << j);
    topology->loose_changed = true;
}

/* Elements that are left with a point that goes. */
static void loosen_around(Topology *topology, DvElementKind kind, uint32_t point)
{
    const ElementList list = topology_elements(topology, kind);
    const DvRows *around = topology_adjacency(topology, DV_POINTS, kind);
    for (uint32_t i = 0; i < topology->loose[kind].count; i++) {
        const uint32_t element = topology->loose[kind].data[i];
        for (uint32_t j = 0; j < list.nodes; j++)
            if (list.at[(size_t)element * list.nodes + j] == point && !(topology->dangling[kind][element] >> j & 1))
                topology->dangling[kind][element] |= (uint8_t)(1u << j), topology->loose_changed = true;
    }
    while (point < around->count && dv_rows_length(around, point) > 0) {
        const uint32_t element = around->items[around->begin[point]];
        loosen(topology, kind, list.at + (size_t)element * list.nodes, element, point);
    }
}

static void rename_in_element(Rows *rows, uint32_t element, uint32_t old, uint32_t now)
{
    uint32_t *points = rows->at + (size_t)element * rows->nodes;
    for (uint32_t j = 0; j < rows->nodes; j++)
        if (points[j] == old && !(rows->dangling && rows->dangling[element] >> j & 1))
            points[j] = now;
}

/* The last point becomes point `now`. */
static void rename_point(Topology *topology, DvElementKind kind, uint32_t old, uint32_t now)
{
    const uint32_t count = topology_elements(topology, kind).count;
    const DvRows *around = topology_adjacency(topology, DV_POINTS, kind);
    if (count == 0 || (dv_rows_length(around, old) == 0 && topology->loose[kind].count == 0))
        return;
    Rows rows = begin_rows(topology, kind, count);
    for (uint32_t at = around->begin[old]; at < around->end[old]; at++)
        rename_in_element(&rows, around->items[at], old, now);
    for (uint32_t i = 0; i < topology->loose[kind].count; i++)
        rename_in_element(&rows, topology->loose[kind].data[i], old, now);
    dv_data_end(&topology->list[kind]);
    topology_edited(topology);
}

static void remove_sorted_points(Topology *topology, const DvIndexArray *sorted, bool without_states)
{
    if (sorted->count == 0)
        return;
    tell_removal(topology, DV_POINTS, sorted, without_states);
    uint32_t points = topology->points;
    for (uint32_t i = 0; i < sorted->count; i++) {
        const uint32_t gone = sorted->data[i], last = --points;
        for (int kind = DV_EDGES; kind <= (int)topology->own; kind++) {
            if (!topology->list[kind].field)
                continue;
            loosen_around(topology, (DvElementKind)kind, gone);
            if (gone != last)
                rename_point(topology, (DvElementKind)kind, last, gone);
        }
        tables_remove_point(topology, gone);
    }
    topology->moved = true;
    topology_set_points(topology, points);
    topology_edited(topology);
    set_container_remember(topology);
}

DvStatus topology_remove_points(Topology *topology, uint32_t count, const uint32_t *points, bool without_states)
{
    DvIndexArray sorted = {0};
    DvStatus status = DV_OK;
    if (!sort_numbers(count, points, topology->points, &sorted))
        status = out_of_range(topology, DV_POINTS, sorted.data[0], topology->points);
    tables_prepare(topology);
    if (status == DV_OK && topology->own != DV_POINTS) {
        const DvRows *around = topology_adjacency(topology, DV_POINTS, topology->own);
        for (uint32_t i = 0; i < sorted.count && status == DV_OK; i++)
            if (dv_rows_length(around, sorted.data[i]) > 0)
                status = dv_error(topology->object, DV_ERROR_INVALID,
                                  "point %" PRIu32 " is still used by number %" PRIu32 " of the %s", sorted.data[i],
                                  around->items[around->begin[sorted.data[i]]], list_name(topology, topology->own));
    }
    if (status == DV_OK)
        remove_sorted_points(topology, &sorted, without_states);
    dv_array_free(&sorted);
    return status;
}

static void append_points(Topology *topology, uint32_t count)
{
    tables_prepare(topology);
    tables_append_points(topology, count);
    topology_set_points(topology, topology->points + count);
    topology_edited(topology);
}

DvStatus topology_add_points(Topology *topology, uint32_t count, const DvElementChange *ancestors, bool without_states)
{
    if (count > MOST_POINTS - topology->points)
        return dv_error(topology->object, DV_ERROR_LIMIT, "%" PRIu32 " more points are too many", count);
    if (count == 0)
        return DV_OK;
    append_points(topology, count);
    topology->moved = true;
    DvElementChange change = {0};
    if (ancestors)
        change = *ancestors;
    change.change = DV_ELEMENTS_ADDED;
    change.kind = DV_POINTS;
    change.count = count;
    change.total = topology->points;
    change.without_states = without_states;
    tell(topology, change);
    set_container_remember(topology);
    return DV_OK;
}

DvStatus topology_renumber_points(Topology *topology, const uint32_t *order, bool without_states)
{
    const uint32_t points = topology->points;
    uint32_t *number = dv_alloc(points, sizeof *number);
    for (uint32_t i = 0; i < points; i++)
        number[i] = INVALID_INDEX;
    for (uint32_t i = 0; i < points; i++) {
        if (order[i] >= points || number[order[i]] != INVALID_INDEX) {
            dv_free(number);
            return dv_error(topology->object, DV_ERROR_INVALID,
                            "the new order of %" PRIu32 " points names %" PRIu32 " %s", points, order[i],
                            order[i] >= points ? "" : "twice");
        }
        number[order[i]] = i;
    }
    renumber_lists(topology, number);
    dv_free(number);
    topology->moved = true;
    topology_renumbered(topology);
    tell(topology, (DvElementChange){.change = DV_ELEMENTS_RENUMBERED,
                                     .kind = DV_POINTS,
                                     .count = points,
                                     .total = points,
                                     .indices = order,
                                     .without_states = without_states});
    set_container_remember(topology);
    return DV_OK;
}

/* Appends rows to a list and tells. `parts`: by kind, the numbers of their parts. */
static void append(Topology *topology, DvElementKind kind, const uint32_t *elements, uint32_t count,
                   const uint32_t *const parts[DV_ELEMENT_KINDS], const DvElementChange *ancestors)
{
    if (count == 0)
        return;
    const uint32_t before = topology_elements(topology, kind).count;
    if (topology->dangling[kind])
        dv_columns_reserve(&topology->dangling_capacity[kind], before + count, DV_COLUMN(topology->dangling[kind]));
    Rows rows = begin_rows(topology, kind, before + count);
    memcpy(rows.at + (size_t)before * rows.nodes, elements, (size_t)count * rows.nodes * sizeof *elements);
    end_rows(topology, kind, before + count);
    tables_append(topology, kind, before, count, parts);
    DvElementChange change = {0};
    if (ancestors)
        change = *ancestors;
    change.change = DV_ELEMENTS_ADDED;
    change.kind = kind;
    change.count = count;
    change.total = before + count;
    tell(topology, change);
}

/* Leaves out those that the container has. number: [elements of the list] in the container, once the others have been appended. */
static void leave_known_out(Topology *topology, DvElementKind kind, DvIndexArray *list, uint32_t *number)
{
    const uint32_t nodes = dv_element_nodes(kind), before = topology_elements(topology, kind).count;
    const EditTables tables = tables_of(topology);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count / nodes; i++) {
        const uint32_t *points = list->data + (size_t)i * nodes;
        if (tables_find(&tables, kind, points, &number[i]))
            continue;
        number[i] = before + kept;
        memmove(list->data + (size_t)kept++ * nodes, points, nodes * sizeof *list->data);
    }
    list->count = kept * nodes;
}

/* Parts of new elements that the container's list does not have yet. Returns the numbers of all parts there, a row for each new element
 * (dv_free), or NULL: they have no such parts. */
static uint32_t *append_parts(Topology *topology, DvElementKind of, DvElementKind part, ElementList added, bool sorted)
{
    const PartTable *table = topology_part_table(of, part);
    if (!table || added.count == 0)
        return NULL;
    DvIndexArray list = {0};
    uint32_t *number = dv_alloc((size_t)added.count * table->parts, sizeof *number);
    parts_create(added, table, sorted, NULL, &list, number);
    uint32_t *place = dv_alloc(list.count / table->nodes, sizeof *place);
    leave_known_out(topology, part, &list, place);
    for (uint32_t i = 0; i < added.count * table->parts; i++)
        number[i] = place[number[i]];
    const ElementList new_parts = {.at = list.data, .count = list.count / table->nodes, .nodes = table->nodes};
    uint32_t *edges = part != DV_EDGES ? append_parts(topology, part, DV_EDGES, new_parts, false) : NULL;
    append(topology, part, new_parts.at, new_parts.count, (const uint32_t *const[DV_ELEMENT_KINDS]){[DV_EDGES] = edges},
           NULL);
    dv_free(edges);
    dv_free(place);
    dv_array_free(&list);
    return number;
}

DvStatus topology_add_elements(Topology *topology, DvElementKind kind, uint32_t count, const uint32_t *elements,
                               const DvElementChange *ancestors)
{
    if (kind == DV_POINTS || kind >= DV_ELEMENT_KINDS || !topology->list[kind].field)
        return dv_error(topology->object, DV_ERROR_UNSUPPORTED, "this container holds no such elements");
    const ElementList added = {.at = elements, .count = count, .nodes = dv_element_nodes(kind)};
    uint32_t points = topology->points;
    for (size_t i = 0; i < (size_t)count * added.nodes; i++) {
        if (elements[i] >= MOST_POINTS)
            return out_of_range(topology, DV_POINTS, elements[i], topology->points);
        points = elements[i] >= points ? elements[i] + 1 : points;
    }
    tables_prepare(topology);
    if (points > topology->points) /* elements may come before their points are told of */
        append_points(topology, points - topology->points);
    const DvElementKind face = kind == DV_TETRAHEDRA ? DV_TRIANGLES : DV_QUADS;
    uint32_t *faces = append_parts(topology, kind, face, added, false);
    uint32_t *edges = append_parts(topology, kind, DV_EDGES, added, kind == DV_TETRAHEDRA || kind == DV_HEXAHEDRA);
    const uint32_t *parts[DV_ELEMENT_KINDS] = {[DV_EDGES] = edges};
    parts[face] = faces;
    append(topology, kind, elements, count, parts, ancestors);
    dv_free(faces);
    dv_free(edges);
    set_container_remember(topology);
    return DV_OK;
}

DvStatus topology_remove_elements(Topology *topology, DvElementKind kind, uint32_t count, const uint32_t *elements,
                                  Cascade cascade)
{
    if (kind == DV_POINTS)
        return topology_remove_points(topology, count, elements, cascade.without_states);
    if (kind != topology->own)
        return dv_error(topology->object, DV_ERROR_UNSUPPORTED,
                        "only %s can be removed from it, with what they leave behind",
                        list_name(topology, topology->own));
    const ElementList list = topology_elements(topology, kind);
    DvIndexArray sorted = {0}, faces = {0}, edges = {0}, points = {0};
    if (!sort_numbers(count, elements, list.count, &sorted)) {
        const DvStatus status = out_of_range(topology, kind, sorted.data[0], list.count);
        dv_array_free(&sorted);
        return status;
    }
    tables_prepare(topology);
    const DvElementKind face = kind == DV_TETRAHEDRA ? DV_TRIANGLES : DV_QUADS;
    if (cascade.elements) {
        if (topology_part_table(kind, face))
            find_isolated_parts(topology, kind, face, &sorted, &faces);
        find_isolated_parts(topology, kind, DV_EDGES, &sorted, &edges);
    }
    if (cascade.points)
        find_isolated(list.at, list.nodes, topology_adjacency(topology, DV_POINTS, kind), &sorted, &points);
    tell_removal(topology, kind, &sorted, false);
    remove_rows(topology, kind, &sorted);
    tell_removal(topology, face, &faces, false);
    tell_removal(topology, DV_EDGES, &edges, false);
    remove_rows(topology, face, &faces);
    remove_rows(topology, DV_EDGES, &edges);
    set_container_remember(topology);
    remove_sorted_points(topology, &points, cascade.without_states);
    dv_array_free(&sorted);
    dv_array_free(&faces);
    dv_array_free(&edges);
    dv_array_free(&points);
    return DV_OK;
}

/* The contract divan.topology-modifier/1 */

static bool without_states(Modifier *modifier)
{
    return !dv_data_bool(&modifier->propagate_to_states);
}

/* Of a modifier whose node has no container for it. */
static DvStatus changes_nothing(const Modifier *modifier)
{
    return dv_error(modifier->object, DV_ERROR_MISSING, "it has no container to change");
}

static DvStatus add_points(void *self, uint32_t count, const DvElementChange *ancestors)
{
    Modifier *modifier = self;
    if (!modifier->topology)
        return changes_nothing(modifier);
    return topology_add_points(modifier->topology, count, ancestors, without_states(modifier));
}

static DvStatus remove_points(void *self, uint32_t count, const uint32_t *points)
{
    Modifier *modifier = self;
    if (!modifier->topology)
        return changes_nothing(modifier);
    return topology_remove_points(modifier->topology, count, points, without_states(modifier));
}

static DvStatus renumber_points(void *self, const uint32_t *order)
{
    Modifier *modifier = self;
    if (!modifier->topology)
        return changes_nothing(modifier);
    return topology_renumber_points(modifier->topology, order, without_states(modifier));
}

static DvStatus add_elements(void *self, DvElementKind kind, uint32_t count, const uint32_t *elements,
                             const DvElementChange *ancestors)
{
    Modifier *modifier = self;
    if (!modifier->topology)
        return changes_nothing(modifier);
    if (kind == DV_POINTS)
        return add_points(self, count, ancestors);
    return topology_add_elements(modifier->topology, kind, count, elements, ancestors);
}

static DvStatus remove_elements(void *self, DvElementKind kind, uint32_t count, const uint32_t *elements, bool isolated)
{
    Modifier *modifier = self;
    if (!modifier->topology)
        return changes_nothing(modifier);
    const bool volumes = modifier->remove_isolated.field != NULL && kind == modifier->own;
    const Cascade cascade = {.elements = isolated,
                             .points = isolated && !(volumes && !dv_data_bool(&modifier->remove_isolated)),
                             .without_states = without_states(modifier)};
    Topology *topology = modifier->topology;
    const DvStatus status = topology_remove_elements(topology, kind, count, elements, cascade);
    if (status == DV_OK && topology->after_removal)
        topology->after_removal(topology->after_removal_owner);
    return status;
}

static const DvTopologyModifierOps ops = {
    .size = sizeof ops,
    .add_points = add_points,
    .remove_points = remove_points,
    .renumber_points = renumber_points,
    .add_elements = add_elements,
    .remove_elements = remove_elements,
};

bool is_modifier(const DvObject *object)
{
    return dv_object_ops(object, DV_TOPOLOGY_MODIFIER) == &ops && dv_object_is_valid(object);
}

Topology *modifier_topology(const DvObject *modifier)
{
    return ((const Modifier *)dv_object_self(modifier))->topology;
}

DvElementKind modifier_kind(const DvObject *modifier)
{
    return ((const Modifier *)dv_object_self(modifier))->own;
}

/* The container that the modifier is made for, among all topologies of the node. */
static Topology *find_container(const Modifier *modifier)
{
    DvObject *topologies[64];
    const size_t count =
        dv_node_find_all(dv_object_node(modifier->object), DV_TOPOLOGY, DV_SEARCH_LOCAL, topologies, 64);
    for (size_t i = 0; i < count && i < 64; i++) {
        Topology *topology = topology_of(topologies[i]);
        if (topology && topology->dynamic && topology->own == modifier->own)
            return topology;
    }
    return NULL;
}

static DvStatus init(DvObject *object, void *self)
{
    Modifier *modifier = self;
    const char *name = dv_object_class(object)->name;
    modifier->topology = find_container(modifier);
    if (!modifier->topology) { /* old scenes have such ones beside a container of another kind */
        dv_warning(object, "there is no %.*sContainer in its node: it changes nothing",
                   (int)(strlen(name) - strlen("Modifier")), name);
        dv_object_set_state(object, DV_COMPONENT_INVALID);
        return DV_OK;
    }
    modifier->topology->modifiable = true;
    return dv_object_require(object, modifier->topology->object);
}

#define POINT_FIELDS                                                                     \
    DV_FIELD(Modifier, propagate_to_states, "propagateToDOF", dv_type_bool, .init = "1", \
             .help = "states follow changes of points")
#define LIST_OUT_FIELD DV_FIELD(Modifier, list_out, "list_Out", dv_type_uints, .help = "triangles marked for removal")
#define REMOVE_ISOLATED_FIELD                                                        \
    DV_FIELD(Modifier, remove_isolated, "removeIsolated", dv_type_bool, .init = "1", \
             .help = "points that no element uses any more are removed too")

static const DvField point_fields[] = {POINT_FIELDS, {0}};
static const DvField triangle_fields[] = {POINT_FIELDS, LIST_OUT_FIELD, {0}};
static const DvField tetrahedron_fields[] = {POINT_FIELDS, LIST_OUT_FIELD, REMOVE_ISOLATED_FIELD, {0}};
static const DvField hexahedron_fields[] = {POINT_FIELDS, REMOVE_ISOLATED_FIELD, {0}};

#define BASES(...) ((const char *const[]){__VA_ARGS__, "TopologyModifier", NULL})

#define MODIFIER(Class, kind, table, object_, bases_, text)                                \
    static DvStatus construct_##object_(DvObject *object, void *self)                      \
    {                                                                                      \
        Modifier *modifier = self;                                                         \
        modifier->object = object;                                                         \
        modifier->own = kind;                                                              \
        return DV_OK;                                                                      \
    }                                                                                      \
    const DvClass dv_##object_ = {                                                         \
        .size = sizeof(DvClass),                                                           \
        .name = Class,                                                                     \
        .bases = bases_,                                                                   \
        .family = "topology modifiers",                                                    \
        .module = "Sofa.Component.Topology.Container.Dynamic",                             \
        .help = text,                                                                      \
        .instance_size = sizeof(Modifier),                                                 \
        .fields = table,                                                                   \
        .contracts = (const DvContract[]){{.id = DV_TOPOLOGY_MODIFIER, .ops = &ops}, {0}}, \
        .construct = construct_##object_,                                                  \
        .init = init,                                                                      \
    }

MODIFIER("PointSetTopologyModifier", DV_POINTS, point_fields, point_set_topology_modifier,
         ((const char *const[]){"TopologyModifier", NULL}), "Changes a PointSetTopologyContainer.");
MODIFIER("EdgeSetTopologyModifier", DV_EDGES, point_fields, edge_set_topology_modifier,
         BASES("PointSetTopologyModifier"), "Changes an EdgeSetTopologyContainer.");
MODIFIER("TriangleSetTopologyModifier", DV_TRIANGLES, triangle_fields, triangle_set_topology_modifier,
         BASES("EdgeSetTopologyModifier", "PointSetTopologyModifier"), "Changes a TriangleSetTopologyContainer.");
MODIFIER("QuadSetTopologyModifier", DV_QUADS, point_fields, quad_set_topology_modifier,
         BASES("EdgeSetTopologyModifier", "PointSetTopologyModifier"), "Changes a QuadSetTopologyContainer.");
MODIFIER("TetrahedronSetTopologyModifier", DV_TETRAHEDRA, tetrahedron_fields, tetrahedron_set_topology_modifier,
         BASES("TriangleSetTopologyModifier", "EdgeSetTopologyModifier", "PointSetTopologyModifier"),
         "Changes a TetrahedronSetTopologyContainer.");
MODIFIER("HexahedronSetTopologyModifier", DV_HEXAHEDRA, hexahedron_fields, hexahedron_set_topology_modifier,
         BASES("QuadSetTopologyModifier", "EdgeSetTopologyModifier", "PointSetTopologyModifier"),
         "Changes a HexahedronSetTopologyContainer.");
