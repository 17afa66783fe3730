/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Borders, and how they follow changes.
 */
#include "border_mapping.h"

static bool flag(DvData *field)
{
    return field->field && dv_data_bool(field);
}

/* The next face of the border. */
static void push_face(BorderMapping *mapping, const uint32_t *corners, uint32_t face, bool seen, DvIndexArray *to)
{
    uint32_t oriented[4];
    mapping->rule->orient(corners, flag(&mapping->flip_normals), seen, oriented);
    topological_mapping_join(&mapping->base, face);
    dv_array_append(to, oriented, dv_element_nodes(mapping->rule->face));
}

/* Whether a body is among the first `count` of those that go, which are in descending order. */
static bool is_gone(const DvElementChange *change, uint32_t count, uint32_t body)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (change->indices[middle] > body)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && change->indices[low] == body;
}

/* The only body around a face when the first `gone` of the change have gone, or INVALID_INDEX. */
static uint32_t body_left(const DvRows *around, uint32_t face, const DvElementChange *change, uint32_t gone)
{
    uint32_t length, left = INVALID_INDEX;
    const uint32_t *row = row_of(around, face, &length);
    for (uint32_t i = 0; i < length; i++) {
        if (is_gone(change, gone, row[i]))
            continue;
        if (left != INVALID_INDEX)
            return INVALID_INDEX;
        left = row[i];
    }
    return left;
}

/* The corners of a body's face, as the body sees it. */
static void face_of_body(BorderMapping *mapping, uint32_t body, uint32_t face, uint32_t *corners)
{
    const BorderRule *rule = mapping->rule;
    Topology *from = mapping->base.from;
    uint32_t per_body;
    const uint32_t *faces_of = topology_parts(from, rule->body, rule->face, &per_body);
    const PartTable *table = topology_part_table(rule->body, rule->face);
    const ElementList bodies = topology_elements(from, rule->body);
    for (uint32_t j = 0; j < per_body; j++)
        if (faces_of[(size_t)body * per_body + j] == face)
            for (uint32_t c = 0; c < table->nodes; c++)
                corners[c] = bodies.at[(size_t)body * bodies.nodes + table->local[j * table->nodes + c]];
}

static void bodies_go(BorderMapping *mapping, const DvElementChange *change)
{
    const BorderRule *rule = mapping->rule;
    Topology *from = mapping->base.from;
    uint32_t per_body;
    const uint32_t *faces_of = topology_parts(from, rule->body, rule->face, &per_body);
    const DvRows *around = topology_adjacency(from, rule->face, rule->body);
    DvIndexArray faces = {0};
    for (uint32_t i = 0; i < change->count && faces_of; i++)
        for (uint32_t j = 0; j < per_body; j++) {
            const uint32_t face = faces_of[(size_t)change->indices[i] * per_body + j];
            if (face == INVALID_INDEX || has_image(&mapping->base, face))
                continue;
            const uint32_t left = body_left(around, face, change, i + 1);
            uint32_t corners[4];
            if (left == INVALID_INDEX)
                continue;
            face_of_body(mapping, left, face, corners);
            push_face(mapping, corners, face, true, &faces);
        }
    topological_mapping_add(&mapping->base, &faces, NULL);
    dv_array_free(&faces);
}

static void bodies_come(BorderMapping *mapping, const DvElementChange *change)
{
    const BorderRule *rule = mapping->rule;
    Topology *from = mapping->base.from;
    uint32_t per_body;
    const uint32_t *faces_of = topology_parts(from, rule->body, rule->face, &per_body);
    const DvRows *around = topology_adjacency(from, rule->face, rule->body);
    const ElementList all = topology_elements(from, rule->face);
    DvIndexArray faces = {0}, covered = {0};
    for (uint32_t body = change->total - change->count; body < change->total && faces_of; body++)
        for (uint32_t j = 0; j < per_body; j++) {
            const uint32_t face = faces_of[(size_t)body * per_body + j];
            uint32_t length;
            if (face == INVALID_INDEX)
                continue;
            (void)row_of(around, face, &length);
            if (length == 1 && !has_image(&mapping->base, face))
                push_face(mapping, all.at + (size_t)face * all.nodes, face, false, &faces);
            else if (length == 2 && has_image(&mapping->base, face))
                dv_array_push(&covered, *images_of(&mapping->base, face));
        }
    topological_mapping_add(&mapping->base, &faces, NULL);
    topological_mapping_remove(&mapping->base, covered.count, covered.data);
    dv_array_free(&faces);
    dv_array_free(&covered);
}

static void bodies_changed(TopologicalMapping *base, const DvElementChange *change)
{
    BorderMapping *mapping = (BorderMapping *)base;
    if (flag(&mapping->no_new))
        return;
    if (change->change == DV_ELEMENTS_REMOVED)
        bodies_go(mapping, change);
    else if (change->change == DV_ELEMENTS_ADDED)
        bodies_come(mapping, change);
}

static void faces_changed(TopologicalMapping *base, const DvElementChange *change)
{
    const BorderMapping *mapping = (const BorderMapping *)base;
    DvIndexArray gone = {0};
    for (uint32_t i = 0; change->change == DV_ELEMENTS_REMOVED && i < change->count; i++) {
        if (!has_image(base, change->indices[i]))
            continue;
        dv_array_push(&gone, *images_of(base, change->indices[i]));
        if (mapping->rule->one_by_one) {
            topological_mapping_remove(base, gone.count, gone.data);
            dv_array_clear(&gone);
        }
    }
    topological_mapping_remove(base, gone.count, gone.data);
    topological_mapping_count_sources(base, change);
    dv_array_free(&gone);
}

static DvStatus follow_input(TopologicalMapping *base, const BorderRule *rule)
{
    DvStatus status = topological_mapping_follow(base, rule->body, bodies_changed);
    if (status == DV_OK)
        status = topological_mapping_follow(base, rule->face, faces_changed);
    return status == DV_OK ? topological_mapping_follow(base, DV_POINTS, topological_mapping_points) : status;
}

DvStatus border_mapping_start(BorderMapping *mapping)
{
    TopologicalMapping *base = &mapping->base;
    const BorderRule *rule = mapping->rule;
    base->source_kind = base->image_kind = rule->face;
    base->images = 1;
    DvStatus status = topological_mapping_find(base);
    if (status == DV_OK)
        status = topological_mapping_needs_list(base, rule->face_name);
    if (status != DV_OK)
        return status;
    const ElementList all = topology_elements(base->from, rule->face);
    const DvRows *around = topology_adjacency(base->from, rule->face, rule->body);
    DvIndexArray border = {0};
    topological_mapping_begin(base);
    for (uint32_t face = 0; face < all.count && !flag(&mapping->no_initial); face++) {
        uint32_t length;
        (void)row_of(around, face, &length);
        if (length == 1)
            push_face(mapping, all.at + (size_t)face * all.nodes, face, false, &border);
    }
    status = topological_mapping_end(base, &border);
    dv_array_free(&border);
    return status == DV_OK && base->from->dynamic ? follow_input(base, rule) : status;
}
