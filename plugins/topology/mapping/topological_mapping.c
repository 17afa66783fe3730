/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What all topological mappings share.
 */
#include "topological_mapping.h"

#include <assert.h>
#include <stdlib.h>

const DvVariantSource topological_mapping_sources[] = {
    {"input", "@../", DV_TOPOLOGY}, {"output", "@./", DV_TOPOLOGY}, {NULL, NULL, NULL}};

static DvObject *find(const DvNode *node, const DvObject *from, const char *path, const char *missing)
{
    return dv_node_resolve(node, from, path && *path ? path : missing, DV_TOPOLOGY);
}

bool topological_mapping_accepts(DvNode *node, const char *variant, const DvAttributes *attributes, DvText *reason)
{
    (void)variant;
    const char *input = dv_attribute(attributes, "input"), *output = dv_attribute(attributes, "output");
    const DvObject *from = find(node, NULL, input, "@../"), *to = find(node, NULL, output, "@./");
    if (!from)
        dv_text_add(reason, "input: no topology at '%s'", input && *input ? input : "@../");
    else if (!to)
        dv_text_add(reason, "output: no topology at '%s'", output && *output ? output : "@./");
    else if (from == to)
        dv_text_add(reason, "input and output are the same topology, '%s'", dv_object_path(from));
    return from && to && from != to;
}

DvStatus topological_mapping_construct(DvObject *object, void *self)
{
    TopologicalMapping *mapping = self;
    mapping->object = object;
    return DV_OK;
}

DvStatus topological_mapping_find(TopologicalMapping *mapping)
{
    const DvNode *node = dv_object_node(mapping->object);
    DvObject *input = dv_link_object(&mapping->input), *output = dv_link_object(&mapping->output);
    if (!input)
        input = find(node, mapping->object, NULL, "@../");
    if (!output)
        output = find(node, mapping->object, NULL, "@./");
    mapping->from = topology_of(input);
    mapping->to = topology_of(output);
    if (!mapping->from || !mapping->to)
        return dv_error(mapping->object, DV_ERROR_MISSING, "%s: it leads to no topology of the topology plugin",
                        mapping->from ? "output" : "input");
    const DvStatus status = dv_object_require(mapping->object, input);
    return status == DV_OK ? dv_object_require(mapping->object, output) : status;
}

DvStatus topological_mapping_needs_list(TopologicalMapping *mapping, const char *what)
{
    Topology *to = mapping->to;
    return to->list[mapping->image_kind].field ? DV_OK
                                               : dv_error(mapping->object, DV_ERROR_INVALID, "output: '%s' holds no %s",
                                                          dv_object_path(to->object), what);
}

bool topological_mapping_has_modifier(const TopologicalMapping *mapping)
{
    DvObject *modifiers[64];
    const size_t count =
        dv_node_find_all(dv_object_node(mapping->to->object), DV_TOPOLOGY_MODIFIER, DV_SEARCH_UP, modifiers, 64);
    for (size_t i = 0; i < count && i < 64; i++)
        if (is_modifier(modifiers[i]) && modifier_kind(modifiers[i]) == mapping->image_kind)
            return true;
    return false;
}

void topological_mapping_cleanup(DvObject *object, void *self)
{
    (void)object;
    TopologicalMapping *mapping = self;
    for (int kind = 0; kind < DV_ELEMENT_KINDS; kind++)
        dv_element_data_detach(&mapping->followed[kind]);
}

void topological_mapping_destroy(DvObject *object, void *self)
{
    (void)object;
    TopologicalMapping *mapping = self;
    dv_array_free(&mapping->source);
    dv_array_free(&mapping->image);
}

/* ---- Maps ---- */

/* Points of an element of the output. */
static uint32_t image_nodes(const TopologicalMapping *mapping)
{
    assert(mapping->image_kind < DV_ELEMENT_KINDS);
    return dv_element_nodes(mapping->image_kind);
}

static void forget_maps(TopologicalMapping *mapping, uint32_t sources)
{
    dv_array_clear(&mapping->source);
    dv_array_resize(&mapping->image, sources * mapping->images);
    for (uint32_t i = 0; i < mapping->image.count; i++)
        mapping->image.data[i] = INVALID_INDEX;
    mapping->stale = false;
}

static void put_image(TopologicalMapping *mapping, uint32_t source, uint32_t image)
{
    uint32_t *images = images_of(mapping, source);
    for (uint32_t i = 0; i < mapping->images; i++)
        if (images[i] == INVALID_INDEX) {
            images[i] = image;
            return;
        }
}

void topological_mapping_join(TopologicalMapping *mapping, uint32_t source)
{
    put_image(mapping, source, mapping->source.count);
    dv_array_push(&mapping->source, source);
}

/* An image goes; those behind it in the row move up. */
static void take_image(TopologicalMapping *mapping, uint32_t source, uint32_t image)
{
    uint32_t *images = images_of(mapping, source), kept = 0;
    for (uint32_t i = 0; i < mapping->images; i++)
        if (images[i] != image)
            images[kept++] = images[i];
    while (kept < mapping->images)
        images[kept++] = INVALID_INDEX;
}

static void rename_image(TopologicalMapping *mapping, uint32_t source, uint32_t old, uint32_t new)
{
    uint32_t *images = images_of(mapping, source);
    for (uint32_t i = 0; i < mapping->images; i++)
        if (images[i] == old)
            images[i] = new;
}

/* The points of the input that a point of the output stands for or hangs on. */
static uint32_t parents_of(TopologicalMapping *mapping, uint32_t point, uint32_t parents[8])
{
    if (mapping->parents)
        return mapping->parents(mapping, point, parents);
    parents[0] = mapping->circle ? point / mapping->circle : point;
    return 1;
}

static bool has_point(const uint32_t *element, uint32_t nodes, uint32_t point)
{
    uint32_t i = 0;
    while (i < nodes && element[i] != point)
        i++;
    return i < nodes;
}

/* Whether an element has what all points of an image hang on. */
static bool has_points(TopologicalMapping *mapping, const uint32_t *element, uint32_t nodes, const uint32_t *points,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t parents[8];
        const uint32_t parent_count = parents_of(mapping, points[i], parents);
        for (uint32_t j = 0; j < parent_count; j++)
            if (!has_point(element, nodes, parents[j]))
                return false;
        if (parent_count == 0)
            return false;
    }
    return true;
}

/* The maps from the lists as they are; the input has its first `sources` elements of the kind in question. */
static void find_maps(TopologicalMapping *mapping, uint32_t sources)
{
    const ElementList in = topology_elements(mapping->from, mapping->source_kind),
                      out = topology_elements(mapping->to, mapping->image_kind);
    const DvRows around = adjacency_around_points(
        (ElementList){.at = in.at, .count = sources, .nodes = in.nodes, .skip = in.skip}, mapping->from->points);
    forget_maps(mapping, sources);
    for (uint32_t i = 0; i < out.count; i++) {
        const uint32_t *points = out.at + (size_t)i * out.nodes;
        uint32_t parents[8], length = 0, found = INVALID_INDEX;
        const uint32_t *row = parents_of(mapping, points[0], parents) ? row_of(&around, parents[0], &length) : NULL;
        for (uint32_t j = 0; j < length && found == INVALID_INDEX; j++)
            if (has_points(mapping, in.at + (size_t)row[j] * in.nodes, in.nodes, points, out.nodes))
                found = row[j];
        dv_array_push(&mapping->source, found);
        if (found != INVALID_INDEX)
            put_image(mapping, found, i);
    }
    DvRows done = around;
    dv_rows_free(&done);
}

static void update_maps(TopologicalMapping *mapping, uint32_t sources)
{
    if (mapping->stale)
        find_maps(mapping, sources);
}

void topological_mapping_update(TopologicalMapping *mapping)
{
    update_maps(mapping, topology_elements(mapping->from, mapping->source_kind).count);
}

/* ---- Filling the output ---- */

void topological_mapping_begin(TopologicalMapping *mapping)
{
    forget_maps(mapping, topology_elements(mapping->from, mapping->source_kind).count);
    topology_clear(mapping->to);
    topology_set_points(mapping->to, mapping->from->points);
}

/* Something was attached before its mesh was filled: entries come, or go, until there is one for each element. */
static void settle(DvElementData *data, uint32_t count)
{
    const bool added = data->count < count;
    DvIndexArray gone = {0};
    for (uint32_t i = data->count; i > count; i--)
        dv_array_push(&gone, i - 1);
    const DvElementChange change = {.change = added ? DV_ELEMENTS_ADDED : DV_ELEMENTS_REMOVED,
                                    .kind = data->kind,
                                    .count = added ? count - data->count : gone.count,
                                    .total = count,
                                    .indices = added ? NULL : gone.data,
                                    .without_states = true};
    if (added)
        dv_element_data_add(data, &change);
    else
        dv_element_data_remove(data, &change);
    if (data->changed)
        data->changed(data, &change);
    dv_array_free(&gone);
}

void topological_mapping_settle(TopologicalMapping *mapping)
{
    Topology *to = mapping->to;
    for (uint32_t i = 0; i < to->attached.count; i++) {
        DvElementData *data = to->attached.at[i];
        const uint32_t count = data->kind == DV_POINTS ? to->points : topology_elements(to, data->kind).count;
        if (data->count != count)
            settle(data, count);
    }
}

DvStatus topological_mapping_end(TopologicalMapping *mapping, const DvIndexArray *elements)
{
    topology_set_list(mapping->to, mapping->image_kind, elements->data, elements->count / image_nodes(mapping));
    const DvStatus status = topology_start(mapping->to);
    if (status == DV_OK)
        topological_mapping_settle(mapping);
    return status;
}

/* ---- Following the input ---- */

static void told(DvElementData *data, const DvElementChange *change)
{
    TopologicalMapping *mapping = data->owner;
    if (mapping->from->restoring || !dv_object_is_valid(mapping->object)) {
        mapping->stale = true;
        return;
    }
    const uint32_t sources = topology_elements(mapping->from, mapping->source_kind).count;
    const bool new_ones = change->kind == mapping->source_kind && change->change == DV_ELEMENTS_ADDED;
    mapping->told = change;
    if (change->change != DV_ELEMENTS_RENUMBERED) /* the output has the old numbers yet */
        update_maps(mapping, new_ones ? sources - change->count : sources);
    mapping->changed[change->kind](mapping, change);
    mapping->told = NULL;
}

DvStatus topological_mapping_follow(TopologicalMapping *mapping, DvElementKind kind,
                                    void (*changed)(TopologicalMapping *, const DvElementChange *))
{
    DvElementData *data = &mapping->followed[kind];
    mapping->changed[kind] = changed;
    dv_element_data_detach(data);
    mapping->to->modifiable |= mapping->to->dynamic; /* so that a reset puts it back */
    *data = (DvElementData){.kind = kind, .owner = mapping, .changed = told};
    return dv_element_data_attach(data, mapping->from->object);
}

/* The output could not follow: the reason has been reported, and nothing is right any more. */
static void check(TopologicalMapping *mapping, DvStatus status)
{
    if (status != DV_OK)
        dv_object_set_state(mapping->object, DV_COMPONENT_INVALID);
}

static bool is_modifiable(const TopologicalMapping *mapping)
{
    return mapping->to->dynamic && mapping->to->own == mapping->image_kind;
}

/* Lists of a mesh without a modifier are changed as they are; who hangs on it is told all the same. */
static void add_rows(TopologicalMapping *mapping, const DvIndexArray *elements, const DvElementChange *ancestors)
{
    Topology *to = mapping->to;
    const uint32_t nodes = image_nodes(mapping), count = elements->count / nodes,
                   before = topology_elements(to, mapping->image_kind).count;
    uint32_t *at = dv_data_begin(&to->list[mapping->image_kind], (size_t)before + count);
    memcpy(at + (size_t)before * nodes, elements->data, elements->count * sizeof *at);
    dv_data_end(&to->list[mapping->image_kind]);
    topology_changed(to);
    DvElementChange change = {0};
    if (ancestors)
        change = *ancestors;
    change.change = DV_ELEMENTS_ADDED;
    change.kind = mapping->image_kind;
    change.count = count;
    change.total = before + count;
    dv_element_data_apply(to->object, &change);
}

static void remove_rows(TopologicalMapping *mapping, const DvIndexArray *sorted)
{
    Topology *to = mapping->to;
    DvData *list = &to->list[mapping->image_kind];
    const uint32_t nodes = image_nodes(mapping);
    uint32_t count = topology_elements(to, mapping->image_kind).count;
    const DvElementChange change = {.change = DV_ELEMENTS_REMOVED,
                                    .kind = mapping->image_kind,
                                    .count = sorted->count,
                                    .total = count - sorted->count,
                                    .indices = sorted->data};
    dv_element_data_apply(to->object, &change);
    uint32_t *at = dv_data_begin(list, count);
    for (uint32_t i = 0; i < sorted->count; i++)
        memmove(at + (size_t)sorted->data[i] * nodes, at + (size_t)--count * nodes, nodes * sizeof *at);
    dv_data_end(list);
    (void)dv_data_begin(list, count);
    dv_data_end(list);
    topology_changed(to);
}

void topological_mapping_add(TopologicalMapping *mapping, const DvIndexArray *elements,
                             const DvElementChange *ancestors)
{
    const uint32_t count = elements->count / image_nodes(mapping);
    if (count == 0)
        return;
    if (is_modifiable(mapping))
        check(mapping, topology_add_elements(mapping->to, mapping->image_kind, count, elements->data, ancestors));
    else
        add_rows(mapping, elements, ancestors);
}

static int descending(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left > right ? -1 : left < right;
}

void topological_mapping_removed(TopologicalMapping *mapping, uint32_t count, const uint32_t *images)
{
    uint32_t *source = mapping->source.data;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t image = images[i], last = --mapping->source.count;
        if (source[image] != INVALID_INDEX)
            take_image(mapping, source[image], image);
        source[image] = source[last];
        if (image != last && source[image] != INVALID_INDEX)
            rename_image(mapping, source[image], last, image);
    }
}

void topological_mapping_remove(TopologicalMapping *mapping, uint32_t count, const uint32_t *images)
{
    DvIndexArray sorted = {0};
    if (count == 0)
        return;
    dv_array_append(&sorted, images, count);
    qsort(sorted.data, count, sizeof *sorted.data, descending);
    const Cascade cascade = {.elements = true};
    if (is_modifiable(mapping))
        check(mapping, topology_remove_elements(mapping->to, mapping->image_kind, count, sorted.data, cascade));
    else
        remove_rows(mapping, &sorted);
    topological_mapping_removed(mapping, count, sorted.data);
    dv_array_free(&sorted);
}

/* What becomes of the numbers of the points of a mesh without a modifier: to be given to dv_free. */
static uint32_t *new_numbers(const DvElementChange *change, uint32_t points)
{
    uint32_t *at = dv_alloc(points, sizeof *at), *number = dv_alloc(points, sizeof *number);
    for (uint32_t i = 0; i < points; i++)
        at[i] = change->change == DV_ELEMENTS_RENUMBERED ? change->indices[i] : i;
    for (uint32_t i = 0; change->change == DV_ELEMENTS_REMOVED && i < change->count; i++)
        at[change->indices[i]] = at[points - 1 - i];
    for (uint32_t i = 0; i < change->total; i++)
        number[at[i]] = i;
    dv_free(at);
    return number;
}

/* A mesh without a modifier: its list takes the new numbers as a whole. Who hangs on its points is told as they change. */
static void renumber_static(TopologicalMapping *mapping, const DvElementChange *change)
{
    Topology *to = mapping->to;
    if (change->change == DV_ELEMENTS_REMOVED)
        dv_element_data_apply(to->object, change);
    if (change->change == DV_ELEMENTS_REMOVED || change->change == DV_ELEMENTS_RENUMBERED) {
        const ElementList list = topology_elements(to, mapping->image_kind);
        uint32_t *number = new_numbers(change, to->points);
        uint32_t *at = dv_data_begin(&to->list[mapping->image_kind], list.count);
        for (size_t i = 0; i < (size_t)list.count * list.nodes; i++)
            at[i] = number[at[i]];
        dv_data_end(&to->list[mapping->image_kind]);
        dv_free(number);
    }
    topology_set_points(to, change->total);
    topology_changed(to);
    if (change->change != DV_ELEMENTS_REMOVED)
        dv_element_data_apply(to->object, change);
}

void topological_mapping_points(TopologicalMapping *mapping, const DvElementChange *change_of_input)
{
    DvElementChange of_points = *change_of_input;
    const DvElementChange *change = &of_points;
    of_points.without_states = true;
    Topology *to = mapping->to;
    const bool added = change->change == DV_ELEMENTS_ADDED;
    const uint32_t before = change->change == DV_ELEMENTS_REMOVED ? change->total + change->count
                            : added                               ? change->total - change->count
                                                                  : change->total;
    if (to->points < before) { /* the input came to know points by the elements that name them */
        topology_set_points(to, before);
        topology_changed(to);
    }
    if (!to->dynamic) {
        renumber_static(mapping, change);
    } else if (added) {
        const uint32_t more = change->total > to->points ? change->total - to->points : 0;
        check(mapping, topology_add_points(to, more, more == change->count ? change : NULL, true));
    } else if (change->change == DV_ELEMENTS_REMOVED) {
        check(mapping, topology_remove_points(to, change->count, change->indices, true));
    } else if (change->change == DV_ELEMENTS_RENUMBERED) {
        check(mapping, topology_renumber_points(to, change->indices, true));
    } else {
        dv_element_data_apply(to->object, change);
    }
}

void topological_mapping_own_points(TopologicalMapping *mapping, const DvElementChange *change)
{
    Topology *to = mapping->to;
    if (!to->dynamic)
        renumber_static(mapping, change);
    else if (change->change == DV_ELEMENTS_ADDED)
        check(mapping, topology_add_points(to, change->count, NULL, false));
    else
        check(mapping, topology_remove_points(to, change->count, change->indices, false));
}

void topological_mapping_count_sources(TopologicalMapping *mapping, const DvElementChange *change)
{
    if (change->change == DV_ELEMENTS_ADDED)
        for (uint32_t i = 0; i < change->count * mapping->images; i++)
            dv_array_push(&mapping->image, INVALID_INDEX);
    if (change->change != DV_ELEMENTS_REMOVED)
        return;
    for (uint32_t i = 0; i < change->count; i++) {
        const uint32_t gone = change->indices[i], last = mapping->image.count / mapping->images - 1;
        if (gone != last) {
            memcpy(images_of(mapping, gone), images_of(mapping, last), mapping->images * sizeof *mapping->image.data);
            for (uint32_t j = 0; j < mapping->images && images_of(mapping, gone)[j] != INVALID_INDEX; j++)
                mapping->source.data[images_of(mapping, gone)[j]] = gone;
        }
        mapping->image.count -= mapping->images;
    }
}

/* ---- The contract ---- */

static DvObject *input_of(void *self)
{
    return ((TopologicalMapping *)self)->from->object;
}

static DvObject *output_of(void *self)
{
    return ((TopologicalMapping *)self)->to->object;
}

/* For those who ask. The output of an input that cannot change may be changed by itself. */
static void update_for_query(TopologicalMapping *mapping)
{
    const uint64_t revision = topology_ops.revision(mapping->to);
    if (!mapping->from->dynamic && revision != mapping->seen)
        mapping->stale = true;
    mapping->seen = revision;
    update_maps(mapping, topology_elements(mapping->from, mapping->source_kind).count);
}

static bool source_of(void *self, DvElementKind kind, uint32_t element, DvElementKind *source_kind, uint32_t *source)
{
    TopologicalMapping *mapping = self;
    update_for_query(mapping);
    if (kind != mapping->image_kind || element >= mapping->source.count)
        return false;
    *source_kind = mapping->source_kind;
    *source = mapping->source.data[element];
    return *source != INVALID_INDEX;
}

static uint32_t images_of_source(void *self, DvElementKind kind, uint32_t source, const uint32_t **images)
{
    TopologicalMapping *mapping = self;
    uint32_t count = 0;
    update_for_query(mapping);
    if (kind != mapping->source_kind || (size_t)source * mapping->images >= mapping->image.count)
        return 0;
    *images = images_of(mapping, source);
    while (count < mapping->images && (*images)[count] != INVALID_INDEX)
        count++;
    return count;
}

const DvTopologicalMappingOps topological_mapping_ops = {
    .size = sizeof topological_mapping_ops,
    .input = input_of,
    .output = output_of,
    .source = source_of,
    .images = images_of_source,
};
