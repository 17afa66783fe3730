/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pieces of elements, and how they follow changes.
 */
#include "pieces_mapping.h"

static void push_pieces(PiecesMapping *mapping, const uint32_t *element, uint32_t index, bool later, DvIndexArray *to)
{
    const PiecesRule *rule = mapping->rule;
    uint32_t pieces[MOST_PIECE_NODES];
    rule->cut(mapping, element, index, later, pieces);
    for (uint32_t i = 0; i < rule->pieces; i++)
        topological_mapping_join(&mapping->base, index);
    dv_array_append(to, pieces, rule->pieces * dv_element_nodes(rule->piece));
}

/* One of several new elements after the other, so that each sees the pieces of those before. */
static void wholes_come(PiecesMapping *mapping, const DvElementChange *change)
{
    TopologicalMapping *base = &mapping->base;
    const ElementList all = topology_elements(base->from, mapping->rule->whole);
    DvIndexArray pieces = {0};
    topological_mapping_count_sources(base, change);
    for (uint32_t i = change->total - change->count; i < change->total; i++) {
        dv_array_clear(&pieces);
        push_pieces(mapping, all.at + (size_t)i * all.nodes, i, true, &pieces);
        topological_mapping_add(base, &pieces, NULL);
    }
    dv_array_free(&pieces);
}

static void wholes_go(PiecesMapping *mapping, const DvElementChange *change)
{
    TopologicalMapping *base = &mapping->base;
    for (uint32_t i = 0; i < change->count; i++) {
        uint32_t pieces[MOST_PIECE_NODES], count = 0;
        const uint32_t *images = images_of(base, change->indices[i]);
        while (count < base->images && images[count] != INVALID_INDEX) {
            pieces[count] = images[count];
            count++;
        }
        topological_mapping_remove(base, count, pieces);
    }
    topological_mapping_count_sources(base, change);
}

static void wholes_changed(TopologicalMapping *base, const DvElementChange *change)
{
    if (change->change == DV_ELEMENTS_REMOVED)
        wholes_go((PiecesMapping *)base, change);
    else if (change->change == DV_ELEMENTS_ADDED)
        wholes_come((PiecesMapping *)base, change);
}

static void find_grid(PiecesMapping *mapping)
{
    Topology *from = mapping->base.from;
    DvGridShape shape = {0};
    mapping->columns = 2;
    mapping->rows = 1;
    if (from->grid_shape)
        (void)from->grid_shape(from, &shape); /* bent ones too */
    if (shape.n[0] == 0)
        return;
    mapping->columns = shape.n[0] - 1;
    mapping->rows = shape.n[1] - 1;
}

DvStatus pieces_mapping_start(PiecesMapping *mapping)
{
    TopologicalMapping *base = &mapping->base;
    const PiecesRule *rule = mapping->rule;
    base->source_kind = rule->whole;
    base->image_kind = rule->piece;
    base->images = rule->pieces;
    DvStatus status = topological_mapping_find(base);
    if (status == DV_OK)
        status = topological_mapping_needs_list(base, rule->piece_name);
    if (status != DV_OK)
        return status;
    find_grid(mapping);
    const ElementList all = topology_elements(base->from, rule->whole);
    DvIndexArray pieces = {0};
    topological_mapping_begin(base);
    for (uint32_t i = 0; i < all.count; i++)
        push_pieces(mapping, all.at + (size_t)i * all.nodes, i, false, &pieces);
    status = topological_mapping_end(base, &pieces);
    dv_array_free(&pieces);
    if (status == DV_OK && base->from->dynamic)
        status = topological_mapping_follow(base, rule->whole, wholes_changed);
    return status == DV_OK && base->from->dynamic
               ? topological_mapping_follow(base, DV_POINTS, topological_mapping_points)
               : status;
}
