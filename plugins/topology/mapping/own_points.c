/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Points that stand for places in elements of another mesh, and how they follow it.
 *
 * Sources are kept by point, in a field, so that a saved scene has them; images by element, found from the sources. Both are
 * changed in place: sources when the output is told of points that go, whoever has them removed.
 */
#include "own_points.h"

#include "utility/source_elements.h"

#include <divan/contracts/state.h>
#include <divan/memory.h>

#include <stdlib.h>

enum { KIND_BITS = 4, KIND_MASK = (1 << KIND_BITS) - 1, MOST_NODES = 8 };

/* ---- Tables ---- */

static uint32_t count_of(Topology *topology, DvElementKind kind)
{
    return kind == DV_POINTS ? topology->points : topology_elements(topology, kind).count;
}

static uint32_t *source_row(OwnPoints *mapping, uint32_t point)
{
    return (uint32_t *)mapping->sources.value + 2 * (size_t)point;
}

static uint32_t *image_row(OwnPoints *mapping, DvElementKind kind, uint32_t element)
{
    return mapping->image[kind].data + (size_t)element * mapping->entries[kind];
}

/* Rows up to a number of elements, without images. */
static void grow_images(OwnPoints *mapping, DvElementKind kind, uint32_t elements)
{
    DvIndexArray *image = &mapping->image[kind];
    dv_array_reserve(image, (uint64_t)elements * mapping->entries[kind]);
    while (image->count < elements * mapping->entries[kind])
        image->data[image->count++] = INVALID_INDEX;
}

/* A row of a saved scene may name anything. */
static bool is_place(const OwnPoints *mapping, const uint32_t *row)
{
    const uint32_t kind = row[0] & KIND_MASK, entries = kind < DV_ELEMENT_KINDS ? mapping->entries[kind] : 0;
    return row[1] != INVALID_INDEX && row[0] >> KIND_BITS < entries && row[1] < mapping->image[kind].count / entries;
}

/* Elements of the input whose images may be there: those that it tells of just now have none yet. */
static uint32_t count_known(const OwnPoints *mapping, DvElementKind kind)
{
    const DvElementChange *told = mapping->base.told;
    const uint32_t count = count_of(mapping->base.from, kind);
    return told && told->kind == kind && told->change == DV_ELEMENTS_ADDED ? count - told->count : count;
}

static void find_images(OwnPoints *mapping)
{
    for (int kind = DV_POINTS; kind < DV_ELEMENT_KINDS; kind++) {
        dv_array_clear(&mapping->image[kind]);
        if (mapping->entries[kind])
            grow_images(mapping, (DvElementKind)kind, count_known(mapping, (DvElementKind)kind));
    }
    const uint32_t points = mapping->base.to->points, known = (uint32_t)mapping->sources.count / 2;
    uint32_t *row = dv_data_begin(&mapping->sources, 2 * (size_t)points);
    for (uint32_t point = 0; point < points; point++, row += 2) {
        if (point >= known || !is_place(mapping, row))
            row[0] = row[1] = INVALID_INDEX;
        else
            image_row(mapping, (DvElementKind)(row[0] & KIND_MASK), row[1])[row[0] >> KIND_BITS] = point;
    }
    dv_data_end(&mapping->sources);
    mapping->stale = false;
}

static void update_images(OwnPoints *mapping)
{
    if (mapping->stale)
        find_images(mapping);
}

/* The next point of the output stands for a place, or for nothing. */
static uint32_t *push_sources(OwnPoints *mapping, uint32_t points)
{
    const uint32_t before = (uint32_t)mapping->sources.count;
    uint32_t *at = dv_data_begin(&mapping->sources, before + 2 * (size_t)points);
    dv_data_end(&mapping->sources);
    return at + before;
}

static void set_source(OwnPoints *mapping, uint32_t *row, DvElementKind kind, uint32_t element, uint32_t entry,
                       uint32_t point)
{
    row[0] = (uint32_t)kind | entry << KIND_BITS;
    row[1] = element;
    image_row(mapping, kind, element)[entry] = point;
}

bool own_points_source(OwnPoints *mapping, uint32_t point, DvElementKind *kind, uint32_t *element, uint32_t *entry)
{
    if (mapping->same_points) {
        *kind = DV_POINTS;
        *element = point;
        *entry = 0;
        return point < mapping->base.to->points;
    }
    update_images(mapping);
    if (2 * (size_t)point >= mapping->sources.count)
        return false;
    const uint32_t *row = source_row(mapping, point);
    *kind = (DvElementKind)(row[0] & KIND_MASK);
    *element = row[1];
    *entry = row[0] >> KIND_BITS;
    return row[1] != INVALID_INDEX;
}

/* ---- Where points are ---- */

static const uint32_t *nodes_of(OwnPoints *mapping, DvElementKind kind, const uint32_t *element)
{
    return kind == DV_POINTS
               ? element
               : topology_elements(mapping->base.from, kind).at + (size_t)*element * dv_element_nodes(kind);
}

static uint32_t point_of(void *self, uint32_t point, uint32_t points[8], double weights[8], double offset[3])
{
    OwnPoints *mapping = self;
    DvElementKind kind;
    uint32_t element, entry;
    if (!own_points_source(mapping, point, &kind, &element, &entry))
        return 0;
    const uint32_t *nodes = nodes_of(mapping, kind, &element), count = dv_element_nodes(kind);
    offset[0] = offset[1] = offset[2] = 0.0;
    mapping->rule->weigh(mapping, kind, entry, weights, offset);
    for (uint32_t i = 0; i < count; i++)
        points[i] = nodes[i];
    return count;
}

/* One point from positions of the input. */
static void place_point(OwnPoints *mapping, uint32_t point, const double *from, uint32_t from_dim, uint32_t from_count,
                        double *to)
{
    uint32_t points[MOST_NODES];
    double weights[MOST_NODES], offset[3];
    const uint32_t count = point_of(mapping, point, points, weights, offset);
    for (uint32_t c = 0; c < 3 && count; c++) {
        to[c] = offset[c];
        for (uint32_t i = 0; i < count; i++)
            to[c] += points[i] < from_count ? weights[i] * from[(size_t)points[i] * from_dim + c] : 0.0;
    }
}

static DvStateRef points_in_space(const Topology *topology)
{
    const DvStateRef state = dv_state_ref(dv_node_slot(dv_object_node(topology->object), DV_STATE));
    return state.ops && state.dof == &dv_vec3d ? state : (DvStateRef){0};
}

/* Places without their offsets: derivatives. */
static void place_velocity(OwnPoints *mapping, DvStateRef in, DvStateRef out, uint32_t first)
{
    if (!in.ops || !out.ops || !in.ops->has(in.self, DV_VELOCITY) || !out.ops->has(out.self, DV_VELOCITY))
        return;
    const DvConstVec from = dv_state_read(in, DV_VELOCITY);
    const DvVec to = dv_state_write(out, DV_VELOCITY, DV_READ_WRITE);
    for (uint32_t point = first; point < to.count; point++) {
        uint32_t points[MOST_NODES];
        double weights[MOST_NODES], offset[3];
        const uint32_t count = point_of(mapping, point, points, weights, offset);
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t c = 0; c < 3 && points[i] < from.count; c++)
                to.at[(size_t)point * to.dim + c] += weights[i] * from.at[(size_t)points[i] * from.dim + c];
    }
}

/* The state of the output, from point `first` on, where it is new: as it is and moves, at rest, and after a reset. */
static void place_in_state(OwnPoints *mapping, uint32_t first)
{
    const DvStateRef in = points_in_space(mapping->base.from), out = points_in_space(mapping->base.to);
    for (DvVecId id = DV_POSITION; in.ops && out.ops && id <= DV_RESET_POSITION; id++) {
        if (!in.ops->has(in.self, id) || !out.ops->has(out.self, id))
            continue;
        const DvConstVec from = dv_state_read(in, id);
        const DvVec to = dv_state_write(out, id, DV_READ_WRITE);
        for (uint32_t point = first; point < to.count; point++)
            place_point(mapping, point, from.at, from.dim, from.count, to.at + (size_t)point * to.dim);
    }
    place_velocity(mapping, in, out, first);
}

/* The output's own positions, at the start: none where the input has none. */
static void place_in_mesh(OwnPoints *mapping)
{
    Topology *from = mapping->base.from, *to = mapping->base.to;
    const double *at = topology_ops.positions(from);
    if (!at && !dv_data_is_set(&to->position))
        return;
    (void)dv_data_link(&to->position, NULL);
    double *position = dv_data_begin_all(&to->position, to->points);
    for (uint32_t point = 0; point < to->points; point++)
        place_point(mapping, point, at, 3, at ? from->points : 0, position + 3 * (size_t)point);
    dv_data_end(&to->position);
}

/* ---- Changes of points of the output ---- */

static void points_come(OwnPoints *mapping, uint32_t count)
{
    if (count == 0)
        return;
    const uint32_t before = mapping->base.to->points;
    topological_mapping_own_points(
        &mapping->base,
        &(DvElementChange){.change = DV_ELEMENTS_ADDED, .kind = DV_POINTS, .count = count, .total = before + count});
    place_in_state(mapping, before);
}

/* A point for each place of the elements that have no row yet. */
static void rows_come(OwnPoints *mapping, DvElementKind kind)
{
    const uint32_t entries = mapping->entries[kind], known = entries ? mapping->image[kind].count / entries : 0,
                   now = count_of(mapping->base.from, kind), new_points = now > known ? (now - known) * entries : 0;
    if (new_points == 0)
        return;
    if (mapping->on_demand) {
        grow_images(mapping, kind, now);
        return;
    }
    uint32_t point = mapping->base.to->points, *row = push_sources(mapping, new_points);
    grow_images(mapping, kind, now);
    for (uint32_t element = known; element < now; element++)
        for (uint32_t entry = 0; entry < entries; entry++, row += 2)
            set_source(mapping, row, kind, element, entry, point++);
    points_come(mapping, new_points);
}

uint32_t own_points_image(OwnPoints *mapping, DvElementKind kind, uint32_t element, uint32_t entry)
{
    if (mapping->same_points)
        return element;
    if (element >= mapping->image[kind].count / mapping->entries[kind])
        rows_come(mapping, kind);
    const uint32_t image = image_row(mapping, kind, element)[entry], next = mapping->base.to->points;
    if (image != INVALID_INDEX)
        return image;
    set_source(mapping, push_sources(mapping, 1), kind, element, entry, next);
    points_come(mapping, 1);
    return next;
}

static int descending(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left > right ? -1 : left < right;
}

/* The images of elements that are about to go. */
static void images_go(OwnPoints *mapping, const DvElementChange *change)
{
    const uint32_t entries = mapping->entries[change->kind];
    DvIndexArray gone = {0};
    for (uint32_t i = 0; i < change->count; i++)
        for (uint32_t entry = 0; entry < entries; entry++) {
            const uint32_t image = image_row(mapping, change->kind, change->indices[i])[entry];
            if (image != INVALID_INDEX)
                dv_array_push(&gone, image);
        }
    if (gone.count) {
        qsort(gone.data, gone.count, sizeof *gone.data, descending);
        topological_mapping_own_points(&mapping->base,
                                       &(DvElementChange){.change = DV_ELEMENTS_REMOVED,
                                                          .kind = DV_POINTS,
                                                          .count = gone.count,
                                                          .total = mapping->base.to->points - gone.count,
                                                          .indices = gone.data});
    }
    dv_array_free(&gone);
}

/* Elements have new numbers: the last one that of the one that goes. */
static void rows_go(OwnPoints *mapping, const DvElementChange *change)
{
    const DvElementKind kind = change->kind;
    const uint32_t entries = mapping->entries[kind];
    for (uint32_t i = 0; i < change->count && entries; i++) {
        const uint32_t gone = change->indices[i], last = mapping->image[kind].count / entries - 1;
        for (uint32_t entry = 0; gone != last && entry < entries; entry++) {
            const uint32_t image = image_row(mapping, kind, last)[entry];
            image_row(mapping, kind, gone)[entry] = image;
            if (image != INVALID_INDEX)
                source_row(mapping, image)[1] = gone;
        }
        mapping->image[kind].count -= entries;
    }
}

/* The input's points in another order: only the names of sources change. */
static void points_renumbered(OwnPoints *mapping, const DvElementChange *change)
{
    const uint32_t entries = mapping->entries[DV_POINTS];
    DvIndexArray old = {0};
    dv_array_append(&old, mapping->image[DV_POINTS].data, mapping->image[DV_POINTS].count);
    for (uint32_t i = 0; i < change->count && entries; i++)
        for (uint32_t entry = 0; entry < entries; entry++) {
            const uint32_t image = old.data[(size_t)change->indices[i] * entries + entry];
            image_row(mapping, DV_POINTS, i)[entry] = image;
            if (image != INVALID_INDEX)
                source_row(mapping, image)[1] = i;
        }
    dv_array_free(&old);
}

/* ---- Changes of elements of the output ---- */

static void elements_come(OwnPoints *mapping, const DvElementChange *change)
{
    TopologicalMapping *base = &mapping->base;
    DvIndexArray elements = {0};
    topological_mapping_count_sources(base, change);
    if (mapping->rule->come) {
        mapping->rule->come(mapping, change);
        return;
    }
    for (uint32_t i = change->total - change->count; i < change->total; i++)
        mapping->rule->push(mapping, i, &elements);
    topological_mapping_add(base, &elements, NULL);
    dv_array_free(&elements);
}

static void elements_go(OwnPoints *mapping, const DvElementChange *change)
{
    TopologicalMapping *base = &mapping->base;
    DvIndexArray gone = {0};
    for (uint32_t i = 0; i < change->count; i++)
        for (uint32_t j = 0; j < base->images && images_of(base, change->indices[i])[j] != INVALID_INDEX; j++)
            dv_array_push(&gone, images_of(base, change->indices[i])[j]);
    topological_mapping_remove(base, gone.count, gone.data);
    topological_mapping_count_sources(base, change);
    dv_array_free(&gone);
}

static bool has_elements(const OwnPoints *mapping)
{
    return mapping->rule->push || mapping->rule->come;
}

static void input_changed(TopologicalMapping *base, const DvElementChange *change)
{
    OwnPoints *mapping = (OwnPoints *)base;
    const bool of_elements = has_elements(mapping) && change->kind == base->source_kind;
    if (!mapping->same_points)
        update_images(mapping);
    mapping->working = true;
    if (mapping->same_points && change->kind == DV_POINTS) {
        topological_mapping_points(base, change);
    } else if (change->change == DV_ELEMENTS_ADDED) {
        rows_come(mapping, change->kind);
        if (of_elements)
            elements_come(mapping, change);
    } else if (change->change == DV_ELEMENTS_REMOVED) {
        if (of_elements)
            elements_go(mapping, change);
        images_go(mapping, change);
        rows_go(mapping, change);
    } else if (change->change == DV_ELEMENTS_RENUMBERED && change->kind == DV_POINTS) {
        points_renumbered(mapping, change);
    }
    dv_data_touch(&mapping->sources);
    mapping->working = false;
}

/* ---- Changes of the output, by whomever ---- */

static void forget_image(OwnPoints *mapping, const uint32_t *row, uint32_t now)
{
    if (row[1] != INVALID_INDEX)
        image_row(mapping, (DvElementKind)(row[0] & KIND_MASK), row[1])[row[0] >> KIND_BITS] = now;
}

static void output_points_go(OwnPoints *mapping, const DvElementChange *change)
{
    uint32_t last = (uint32_t)mapping->sources.count / 2;
    for (uint32_t i = 0; i < change->count; i++) {
        uint32_t *gone = source_row(mapping, change->indices[i]), *moved = source_row(mapping, --last);
        forget_image(mapping, gone, INVALID_INDEX);
        if (gone == moved)
            continue;
        memcpy(gone, moved, 2 * sizeof *gone);
        forget_image(mapping, gone, change->indices[i]);
    }
    (void)dv_data_begin(&mapping->sources, 2 * (size_t)last);
    dv_data_end(&mapping->sources);
}

static void output_points_renumbered(OwnPoints *mapping, const DvElementChange *change)
{
    DvIndexArray old = {0};
    dv_array_append(&old, source_row(mapping, 0), 2 * change->count);
    for (uint32_t i = 0; i < change->count; i++) {
        memcpy(source_row(mapping, i), old.data + 2 * (size_t)change->indices[i], 2 * sizeof *old.data);
        forget_image(mapping, source_row(mapping, i), i);
    }
    dv_array_free(&old);
}

static bool is_away(OwnPoints *mapping)
{
    const Topology *to = mapping->base.to, *from = mapping->base.from;
    if (!to->restoring && !from->restoring && dv_object_is_valid(mapping->base.object))
        return false;
    mapping->stale = mapping->base.stale = true;
    return true;
}

static void output_points_changed(DvElementData *data, const DvElementChange *change)
{
    OwnPoints *mapping = data->owner;
    if (is_away(mapping))
        return;
    update_images(mapping);
    if (change->change == DV_ELEMENTS_REMOVED) {
        output_points_go(mapping, change);
    } else if (change->change == DV_ELEMENTS_RENUMBERED) {
        output_points_renumbered(mapping, change);
    } else if (change->change == DV_ELEMENTS_ADDED && !mapping->working) {
        uint32_t *row = push_sources(mapping, change->count);
        for (uint32_t i = 0; i < 2 * change->count; i++)
            row[i] = INVALID_INDEX;
    }
}

/* What somebody else adds to the output comes from nothing; what goes takes its source along, once nothing else is left of it. */
static void output_elements_changed(DvElementData *data, const DvElementChange *change)
{
    OwnPoints *mapping = data->owner;
    TopologicalMapping *base = &mapping->base;
    if (is_away(mapping) || mapping->working)
        return;
    topological_mapping_update(base);
    dv_data_touch(&mapping->sources); /* what is computed from it and from the elements */
    if (change->change == DV_ELEMENTS_ADDED)
        for (uint32_t i = 0; i < change->count; i++)
            dv_array_push(&base->source, INVALID_INDEX);
    if (change->change != DV_ELEMENTS_REMOVED)
        return;
    const uint32_t before = mapping->emptied.count;
    for (uint32_t i = 0; i < change->count && mapping->upward; i++)
        if (base->source.data[change->indices[i]] != INVALID_INDEX)
            dv_array_push(&mapping->emptied, base->source.data[change->indices[i]]);
    topological_mapping_removed(base, change->count, change->indices);
    uint32_t kept = before;
    for (uint32_t i = before; i < mapping->emptied.count; i++)
        if (!has_image(base, mapping->emptied.data[i]))
            mapping->emptied.data[kept++] = mapping->emptied.data[i];
    mapping->emptied.count = kept;
}

/* After a removal from the output. */
static void go_up(void *owner)
{
    OwnPoints *mapping = owner;
    DvIndexArray gone = mapping->emptied;
    mapping->emptied = (DvIndexArray){0};
    if (gone.count)
        (void)remove_source_elements(mapping->base.object, mapping->base.from, &gone);
    dv_array_free(&gone);
}

/* ---- Life ---- */

static void fill_points(OwnPoints *mapping)
{
    uint32_t points = 0;
    for (int kind = DV_POINTS; kind < DV_ELEMENT_KINDS; kind++) {
        dv_array_clear(&mapping->image[kind]);
        if (!mapping->entries[kind])
            continue;
        grow_images(mapping, (DvElementKind)kind, count_of(mapping->base.from, (DvElementKind)kind));
        points += mapping->image[kind].count;
    }
    dv_data_set(&mapping->sources, NULL, 0);
    uint32_t *row = push_sources(mapping, points), point = 0;
    for (int kind = DV_POINTS; kind < DV_ELEMENT_KINDS; kind++)
        for (uint32_t i = 0; i < mapping->image[kind].count; i++, row += 2, point++)
            set_source(mapping, row, (DvElementKind)kind, i / mapping->entries[kind], i % mapping->entries[kind],
                       point);
    topology_set_points(mapping->base.to, points);
    mapping->stale = false;
}

static DvStatus fill_elements(OwnPoints *mapping)
{
    TopologicalMapping *base = &mapping->base;
    if (!mapping->rule->push) {
        topology_changed(base->to);
        topological_mapping_settle(base);
        return DV_OK;
    }
    DvIndexArray elements = {0};
    if (mapping->rule->fill_lower)
        mapping->rule->fill_lower(mapping);
    for (uint32_t i = 0, count = count_of(base->from, base->source_kind); i < count; i++)
        mapping->rule->push(mapping, i, &elements);
    const DvStatus status = topological_mapping_end(base, &elements);
    dv_array_free(&elements);
    return status;
}

static DvStatus watch(OwnPoints *mapping, int which, DvElementKind kind,
                      void (*changed)(DvElementData *, const DvElementChange *))
{
    dv_element_data_detach(&mapping->watched[which]);
    mapping->watched[which] = (DvElementData){.kind = kind, .owner = mapping, .changed = changed};
    return dv_element_data_attach(&mapping->watched[which], mapping->base.to->object);
}

static bool is_followed(const OwnPoints *mapping, DvElementKind kind)
{
    return mapping->entries[kind] || (mapping->same_points && kind == DV_POINTS) ||
           (has_elements(mapping) && kind == mapping->base.source_kind);
}

DvStatus own_points_follow(OwnPoints *mapping)
{
    TopologicalMapping *base = &mapping->base;
    DvStatus status = DV_OK;
    if (!mapping->same_points)
        status = watch(mapping, 0, DV_POINTS, output_points_changed);
    if (status == DV_OK && has_elements(mapping))
        status = watch(mapping, 1, base->image_kind, output_elements_changed);
    for (int kind = DV_HEXAHEDRA; kind >= DV_POINTS && base->from->dynamic && status == DV_OK; kind--)
        if (is_followed(mapping, (DvElementKind)kind))
            status = topological_mapping_follow(base, (DvElementKind)kind, input_changed);
    if (mapping->upward && base->from->dynamic) {
        base->to->after_removal = go_up;
        base->to->after_removal_owner = mapping;
    }
    return status;
}

DvStatus own_points_start(OwnPoints *mapping)
{
    TopologicalMapping *base = &mapping->base;
    uint64_t points = 0;
    for (int kind = DV_POINTS; kind < DV_ELEMENT_KINDS; kind++)
        points += (uint64_t)mapping->entries[kind] * count_of(base->from, (DvElementKind)kind);
    if (points > MOST_POINTS)
        return dv_error(base->object, DV_ERROR_LIMIT, "%llu points are too many", (unsigned long long)points);
    const DvStatus room = dv_memory_ask(base->object, 64.0 * (double)points, "%llu points", (unsigned long long)points);
    if (room != DV_OK)
        return room;
    topological_mapping_begin(base);
    fill_points(mapping);
    place_in_mesh(mapping);
    const DvStatus status = fill_elements(mapping);
    return status == DV_OK ? own_points_follow(mapping) : status;
}

void own_points_store(DvObject *object, void *self)
{
    (void)object;
    OwnPoints *mapping = self;
    size_t count;
    const uint32_t *at = dv_data_uints(&mapping->sources, &count);
    dv_array_clear(&mapping->first);
    dv_array_append(&mapping->first, at, (uint32_t)count);
}

void own_points_reset(DvObject *object, void *self)
{
    (void)object;
    OwnPoints *mapping = self;
    if (!mapping->same_points)
        dv_data_set(&mapping->sources, mapping->first.data, mapping->first.count);
    dv_data_touch(&mapping->sources);
    mapping->stale = mapping->base.stale = true;
    dv_array_clear(&mapping->emptied);
}

DvStatus own_points_restore(DvObject *object, void *self)
{
    (void)object;
    OwnPoints *mapping = self;
    mapping->stale = mapping->base.stale = true;
    return DV_OK;
}

void own_points_cleanup(DvObject *object, void *self)
{
    OwnPoints *mapping = self;
    if (mapping->base.to && mapping->base.to->after_removal_owner == mapping) {
        mapping->base.to->after_removal = NULL;
        mapping->base.to->after_removal_owner = NULL;
    }
    for (int i = 0; i < 2; i++)
        dv_element_data_detach(&mapping->watched[i]);
    topological_mapping_cleanup(object, self);
}

void own_points_destroy(DvObject *object, void *self)
{
    OwnPoints *mapping = self;
    for (int kind = 0; kind < DV_ELEMENT_KINDS; kind++)
        dv_array_free(&mapping->image[kind]);
    dv_array_free(&mapping->first);
    dv_array_free(&mapping->emptied);
    dv_array_free(&mapping->asked);
    topological_mapping_destroy(object, self);
}

/* ---- The contract ---- */

static DvObject *input_of(void *self)
{
    return topological_mapping_ops.input(self);
}

static DvObject *output_of(void *self)
{
    return topological_mapping_ops.output(self);
}

static bool source_of(void *self, DvElementKind kind, uint32_t element, DvElementKind *source_kind, uint32_t *source)
{
    uint32_t entry;
    if (kind == DV_POINTS)
        return own_points_source(self, element, source_kind, source, &entry);
    return has_elements(self) && topological_mapping_ops.source(self, kind, element, source_kind, source);
}

/* Points that stand for an element; where there are none of its kind, elements that come from it. */
static uint32_t images_of_source(void *self, DvElementKind kind, uint32_t source, const uint32_t **images)
{
    OwnPoints *mapping = self;
    dv_array_clear(&mapping->asked);
    if (mapping->same_points && kind == DV_POINTS && source < mapping->base.to->points) {
        dv_array_push(&mapping->asked, source);
        *images = mapping->asked.data;
        return 1;
    }
    if (!mapping->same_points)
        update_images(mapping);
    if (kind >= DV_ELEMENT_KINDS || !mapping->entries[kind])
        return has_elements(mapping) ? topological_mapping_ops.images(self, kind, source, images) : 0;
    if (source >= mapping->image[kind].count / mapping->entries[kind])
        return 0;
    for (uint32_t entry = 0; entry < mapping->entries[kind]; entry++)
        if (image_row(mapping, kind, source)[entry] != INVALID_INDEX)
            dv_array_push(&mapping->asked, image_row(mapping, kind, source)[entry]);
    *images = mapping->asked.data;
    return mapping->asked.count;
}

const DvTopologicalMappingOps own_points_ops = {
    .size = sizeof own_points_ops,
    .input = input_of,
    .output = output_of,
    .source = source_of,
    .images = images_of_source,
    .point = point_of,
};
