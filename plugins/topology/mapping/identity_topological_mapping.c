/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * IdentityTopologicalMapping: the output has the elements of the input, number by number, for a node that holds other components
 * on the same mesh. An output that is empty at the start takes the input's elements of its own kind; points and elements that
 * come and go in the input come and go in the output.
 */
#include "topological_mapping.h"

typedef struct IdentityTopologicalMapping {
    TopologicalMapping base;
} IdentityTopologicalMapping;

static void elements_changed(TopologicalMapping *base, const DvElementChange *change)
{
    if (change->change == DV_ELEMENTS_REMOVED) {
        topological_mapping_remove(base, change->count, change->indices);
        topological_mapping_count_sources(base, change);
    } else if (change->change == DV_ELEMENTS_ADDED) {
        const ElementList all = topology_elements(base->from, change->kind);
        const uint32_t first = change->total - change->count;
        DvIndexArray elements = {0};
        dv_array_append(&elements, all.at + (size_t)first * all.nodes, change->count * all.nodes);
        topological_mapping_count_sources(base, change);
        for (uint32_t i = first; i < change->total; i++)
            topological_mapping_join(base, i);
        topological_mapping_add(base, &elements, change);
        dv_array_free(&elements);
    }
}

static DvStatus fill(TopologicalMapping *base)
{
    const ElementList all = topology_elements(base->from, base->source_kind);
    DvIndexArray elements = {0};
    dv_array_append(&elements, all.at, all.count * all.nodes);
    topological_mapping_begin(base);
    for (uint32_t i = 0; i < all.count; i++)
        topological_mapping_join(base, i);
    const DvStatus status = topological_mapping_end(base, &elements);
    dv_array_free(&elements);
    return status;
}

/* The elements that the scene gives must be the input's. */
static DvStatus check(TopologicalMapping *base)
{
    const ElementList in = topology_elements(base->from, base->source_kind),
                      out = topology_elements(base->to, base->image_kind);
    if (in.count == out.count && memcmp(in.at, out.at, (size_t)in.count * in.nodes * sizeof *in.at) == 0)
        return DV_OK;
    return dv_error(base->object, DV_ERROR_INVALID,
                    "the elements of the output '%s' are others than those of the input '%s'",
                    dv_object_path(base->to->object), dv_object_path(base->from->object));
}

static DvStatus init(DvObject *object, void *self)
{
    TopologicalMapping *base = self;
    DvStatus status = topological_mapping_find(base);
    if (status != DV_OK)
        return status;
    if (!base->to->dynamic)
        return dv_error(object, DV_ERROR_INVALID, "output: '%s' is no container whose elements can be changed",
                        dv_object_path(base->to->object));
    const bool points_only = base->to->own == DV_POINTS;
    base->source_kind = base->image_kind = points_only ? DV_EDGES : base->to->own;
    base->images = 1;
    if (points_only) {
        topology_set_points(base->to, base->from->points);
        topology_changed(base->to);
        topological_mapping_settle(base);
    } else {
        if (topology_elements(base->to, base->image_kind).count)
            status = check(base);
        if (status == DV_OK)
            status = fill(base);
    }
    if (status == DV_OK && base->from->dynamic && !points_only)
        status = topological_mapping_follow(base, base->source_kind, elements_changed);
    return status == DV_OK && base->from->dynamic
               ? topological_mapping_follow(base, DV_POINTS, topological_mapping_points)
               : status;
}

static const DvField fields[] = {TOPOLOGICAL_MAPPING_FIELDS(IdentityTopologicalMapping, base.), {0}};

const DvClass dv_identity_topological_mapping = {
    .size = sizeof(DvClass),
    .name = "IdentityTopologicalMapping",
    TOPOLOGICAL_MAPPING_CLASS,
    TOPOLOGICAL_MAPPING_CONTRACT,
    .help = "Keeps a second mesh with the same elements.",
    .instance_size = sizeof(IdentityTopologicalMapping),
    .fields = fields,
    .init = init,
};
