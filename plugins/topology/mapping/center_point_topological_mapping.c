/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CenterPointTopologicalMapping: a point for each hexahedron of the input, number by number. The state in the output's node gets
 * as many points; where they are is left to it. Points come and go with the hexahedra.
 */
#include "topological_mapping.h"

#include <divan/contracts/state.h>

typedef struct CenterPoint {
    TopologicalMapping base;
} CenterPoint;

static void hexahedra_changed(TopologicalMapping *base, const DvElementChange *change)
{
    DvStatus status = DV_OK;
    if (!base->to->dynamic) {
        topology_set_points(base->to, change->total);
        topology_changed(base->to);
    } else if (change->change == DV_ELEMENTS_ADDED) {
        status = topology_add_points(base->to, change->count, NULL, false);
    } else if (change->change == DV_ELEMENTS_REMOVED) {
        status = topology_remove_points(base->to, change->count, change->indices, false);
    }
    if (status != DV_OK)
        dv_object_set_state(base->object, DV_COMPONENT_INVALID);
}

static DvStatus init(DvObject *object, void *self)
{
    (void)object;
    TopologicalMapping *base = self;
    const DvStatus status = topological_mapping_find(base);
    if (status != DV_OK)
        return status;
    base->source_kind = DV_HEXAHEDRA;
    base->image_kind = DV_POINTS;
    base->images = 1;
    const uint32_t count = topology_elements(base->from, DV_HEXAHEDRA).count;
    topology_clear(base->to);
    topology_set_points(base->to, count);
    topology_changed(base->to);
    topological_mapping_settle(base);
    const DvStateRef state = dv_state_ref(dv_node_slot(dv_object_node(base->to->object), DV_STATE));
    if (state.ops && dv_state_count(state) != count)
        state.ops->resize(state.self, count);
    return base->from->dynamic ? topological_mapping_follow(base, DV_HEXAHEDRA, hexahedra_changed) : DV_OK;
}

static DvObject *input_of(void *self)
{
    return ((TopologicalMapping *)self)->from->object;
}

static DvObject *output_of(void *self)
{
    return ((TopologicalMapping *)self)->to->object;
}

static bool source_of(void *self, DvElementKind kind, uint32_t element, DvElementKind *source_kind, uint32_t *source)
{
    TopologicalMapping *base = self;
    *source_kind = DV_HEXAHEDRA;
    *source = element;
    return kind == DV_POINTS && element < topology_elements(base->from, DV_HEXAHEDRA).count;
}

/* Numbers are the same on both sides: the list is that of the number asked for. */
static uint32_t images_of_source(void *self, DvElementKind kind, uint32_t source, const uint32_t **images)
{
    TopologicalMapping *base = self;
    if (kind != DV_HEXAHEDRA || source >= topology_elements(base->from, DV_HEXAHEDRA).count)
        return 0;
    for (uint32_t next = base->source.count; next <= source; next++)
        dv_array_push(&base->source, next);
    *images = base->source.data + source;
    return 1;
}

static uint32_t point_of(void *self, uint32_t point, uint32_t points[8], double weights[8], double offset[3])
{
    TopologicalMapping *base = self;
    const ElementList hexahedra = topology_elements(base->from, DV_HEXAHEDRA);
    for (uint32_t i = 0; i < 8 && point < hexahedra.count; i++) {
        points[i] = hexahedra.at[(size_t)point * 8 + i];
        weights[i] = 0.125;
    }
    offset[0] = offset[1] = offset[2] = 0;
    return point < hexahedra.count ? 8 : 0;
}

static const DvTopologicalMappingOps ops = {
    .size = sizeof ops,
    .input = input_of,
    .output = output_of,
    .source = source_of,
    .images = images_of_source,
    .point = point_of,
};

static const DvField fields[] = {TOPOLOGICAL_MAPPING_FIELDS(CenterPoint, base.), {0}};

const DvClass dv_center_point_topological_mapping = {
    .size = sizeof(DvClass),
    .name = "CenterPointTopologicalMapping",
    TOPOLOGICAL_MAPPING_CLASS,
    .contracts = (const DvContract[]){{.id = DV_TOPOLOGICAL_MAPPING, .ops = &ops}, {0}},
    .help = "A point for each hexahedron.",
    .instance_size = sizeof(CenterPoint),
    .fields = fields,
    .init = init,
};
