/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Hexa2QuadTopologicalMapping: the quads on the border of a hexahedral mesh, those with one hexahedron, ascending; in
 * reverse order of corners with `flipNormals`. The output needs a QuadSetTopologyModifier in its node.
 *
 * Removals follow: a quad that a removed hexahedron leaves to its only other neighbour joins the output, seen outward
 * from that neighbour; a quad that goes leaves it, with the edges that only it had; points go likewise, without the
 * states, which the input's changes tell. Hexahedra added later do not appear.
 */
#include "container/modifier.h"
#include "mesh/element_tables.h"
#include "topological_mapping.h"

typedef struct Hexa2Quad {
    TopologicalMapping base;
    IndexArray source; /* quad of the input for each quad of the output */
    DvData flip_normals;
    IndexArray output_of; /* for each quad of the input that of the output, or INVALID_INDEX */
    DvElementData hexahedra, quads, points;
} Hexa2Quad;

static void push_quad(Hexa2Quad *mapping, const uint32_t *quad, uint32_t source, IndexArray *to)
{
    const bool flip = dv_data_bool(&mapping->flip_normals);
    mapping->output_of.data[source] = mapping->source.count;
    array_push(&mapping->source, source);
    for (int i = 0; i < 4; i++)
        array_push(to, quad[flip ? 3 - i : i]);
}

/* The output could not follow: the reason has been reported, and nothing is right any more. */
static void check(const Hexa2Quad *mapping, DvStatus status)
{
    if (status != DV_OK)
        dv_object_set_state(mapping->base.object, DV_COMPONENT_INVALID);
}

/* Hexahedra are about to go: their faces that one other hexahedron keeps come to light. */
static void on_hexahedra(DvElementData *data, const DvElementChange *change)
{
    Hexa2Quad *mapping = data->owner;
    Topology *from = mapping->base.from;
    if (change->change != DV_ELEMENTS_REMOVED || from->restoring)
        return;
    uint32_t per_element;
    const uint32_t *quads_of = topology_parts(from, DV_HEXAHEDRA, DV_QUADS, &per_element);
    const Adjacency *around = topology_adjacency(from, DV_QUADS, DV_HEXAHEDRA);
    const ElementList hexahedra = topology_elements(from, DV_HEXAHEDRA);
    bool *gone = dv_alloc(hexahedra.count, sizeof *gone);
    IndexArray quads = {0};
    for (uint32_t i = 0; i < change->count && quads_of; i++) {
        const uint32_t hexahedron = change->indices[i];
        gone[hexahedron] = true;
        for (uint32_t j = 0; j < 6; j++) {
            const uint32_t quad = quads_of[(size_t)hexahedron * 6 + j];
            if (quad >= mapping->output_of.count || adjacency_row_length(around, quad) != 2)
                continue;
            const uint32_t *both = around->items + around->begin[quad];
            const uint32_t other = both[0] == hexahedron ? both[1] : both[0];
            if (gone[other])
                continue;
            for (uint32_t k = 0; k < 6; k++)
                if (quads_of[(size_t)other * 6 + k] == quad) {
                    uint32_t corner[4];
                    for (int c = 0; c < 4; c++)
                        corner[c] = hexahedra.at[(size_t)other * 8 + quads_in_hexahedron[k][c]];
                    push_quad(mapping, corner, quad, &quads);
                }
        }
    }
    dv_free(gone);
    check(mapping, topology_add_elements(mapping->base.to, DV_QUADS, quads.count / 4, quads.data, NULL));
    array_free(&quads);
}

/* Takes a quad of the output out; the last one takes its number. */
static void remove_output(Hexa2Quad *mapping, uint32_t quad)
{
    const Cascade cascade = {.elements = true};
    if (topology_remove_elements(mapping->base.to, DV_QUADS, 1, &quad, cascade) != DV_OK)
        return;
    const uint32_t last = --mapping->source.count;
    if (quad != last) {
        mapping->source.data[quad] = mapping->source.data[last];
        mapping->output_of.data[mapping->source.data[quad]] = quad;
    }
}

static void on_quads(DvElementData *data, const DvElementChange *change)
{
    Hexa2Quad *mapping = data->owner;
    IndexArray *output_of = &mapping->output_of;
    if (mapping->base.from->restoring)
        return;
    if (change->change == DV_ELEMENTS_ADDED)
        for (uint32_t i = 0; i < change->count; i++)
            array_push(output_of, INVALID_INDEX);
    if (change->change != DV_ELEMENTS_REMOVED)
        return;
    for (uint32_t i = 0; i < change->count; i++) {
        const uint32_t quad = change->indices[i];
        const uint32_t out = output_of->data[quad];
        if (out != INVALID_INDEX)
            remove_output(mapping, out);
        const uint32_t last = --output_of->count;
        if (quad != last) {
            output_of->data[quad] = output_of->data[last];
            if (output_of->data[quad] != INVALID_INDEX)
                mapping->source.data[output_of->data[quad]] = quad;
        }
    }
}

static void on_points(DvElementData *data, const DvElementChange *change)
{
    const Hexa2Quad *mapping = data->owner;
    if (mapping->base.from->restoring)
        return;
    if (change->change == DV_ELEMENTS_REMOVED)
        check(mapping, topology_remove_points(mapping->base.to, change->count, change->indices, true));
    else if (change->change == DV_ELEMENTS_RENUMBERED)
        check(mapping, topology_renumber_points(mapping->base.to, change->indices, true));
}

static DvStatus follow(Hexa2Quad *mapping, DvElementData *data, DvElementKind kind,
                       void (*changed)(DvElementData *, const DvElementChange *))
{
    *data = (DvElementData){.kind = kind, .entry_size = 1, .owner = mapping, .changed = changed};
    return dv_element_data_attach(data, mapping->base.from->object);
}

static DvStatus follow_input(Hexa2Quad *mapping)
{
    DvStatus status = follow(mapping, &mapping->hexahedra, DV_HEXAHEDRA, on_hexahedra);
    if (status == DV_OK)
        status = follow(mapping, &mapping->quads, DV_QUADS, on_quads);
    return status == DV_OK ? follow(mapping, &mapping->points, DV_POINTS, on_points) : status;
}

/* Whether the output's node, or one above it, has a modifier of quads. */
static bool has_modifier(const Topology *output)
{
    DvObject *modifiers[64];
    const size_t count =
        dv_node_find_all(dv_object_node(output->object), DV_TOPOLOGY_MODIFIER, DV_SEARCH_UP, modifiers, 64);
    for (size_t i = 0; i < count && i < 64; i++)
        if (dv_object_is_a(modifiers[i], "QuadSetTopologyModifier"))
            return true;
    return false;
}

static DvStatus init(DvObject *object, void *self)
{
    Hexa2Quad *mapping = self;
    const DvStatus status = topological_mapping_find(&mapping->base);
    if (status != DV_OK)
        return status;
    Topology *from = mapping->base.from, *to = mapping->base.to;
    if (!has_modifier(to))
        return dv_error(object, DV_ERROR_MISSING, "the node of the output '%s' needs a QuadSetTopologyModifier",
                        dv_object_path(to->object));
    if (to->own != DV_QUADS)
        return dv_error(object, DV_ERROR_INVALID, "output: '%s' is no QuadSetTopologyContainer",
                        dv_object_path(to->object));
    const ElementList quads = topology_elements(from, DV_QUADS);
    const Adjacency *around = topology_adjacency(from, DV_QUADS, DV_HEXAHEDRA);
    IndexArray border = {0};
    array_clear(&mapping->source);
    array_resize(&mapping->output_of, quads.count);
    for (uint32_t quad = 0; quad < quads.count; quad++) {
        mapping->output_of.data[quad] = INVALID_INDEX;
        if (quad < around->count && adjacency_row_length(around, quad) == 1)
            push_quad(mapping, quads.at + (size_t)quad * 4, quad, &border);
    }
    topology_clear(to);
    topology_set_points(to, from->points);
    topology_set_list(to, DV_QUADS, border.data, border.count / 4);
    array_free(&border);
    const DvStatus started = topology_start(to);
    return started == DV_OK && from->dynamic ? follow_input(mapping) : started;
}

/* Both topologies hold what a saved scene had: finds the quads of the output among those of the input again. */
static DvStatus restore(DvObject *object, void *self)
{
    (void)object;
    Hexa2Quad *mapping = self;
    const ElementList in = topology_elements(mapping->base.from, DV_QUADS);
    const ElementList out = topology_elements(mapping->base.to, DV_QUADS);
    const PartTable whole = {(const uint8_t[]){0, 1, 2, 3}, 1, 4};
    array_resize(&mapping->source, out.count);
    (void)parts_find(out, &whole, in, false, mapping->source.data);
    array_resize(&mapping->output_of, in.count);
    for (uint32_t i = 0; i < in.count; i++)
        mapping->output_of.data[i] = INVALID_INDEX;
    for (uint32_t i = 0; i < out.count; i++)
        if (mapping->source.data[i] != INVALID_INDEX)
            mapping->output_of.data[mapping->source.data[i]] = i;
    return DV_OK;
}

static void cleanup(DvObject *object, void *self)
{
    (void)object;
    Hexa2Quad *mapping = self;
    dv_element_data_detach(&mapping->hexahedra);
    dv_element_data_detach(&mapping->quads);
    dv_element_data_detach(&mapping->points);
}

static void destroy(DvObject *object, void *self)
{
    (void)object;
    Hexa2Quad *mapping = self;
    array_free(&mapping->source);
    array_free(&mapping->output_of);
}

static const DvField fields[] = {
    TOPOLOGICAL_MAPPING_FIELDS(Hexa2Quad, base.),
    DV_FIELD(Hexa2Quad, flip_normals, "flipNormals", dv_type_bool, .init = "0", .help = "reverse the order of corners"),
    {0},
};

const DvClass dv_hexa2quad_topological_mapping = {
    .size = sizeof(DvClass),
    .name = "Hexa2QuadTopologicalMapping",
    .bases = (const char *const[]){"TopologicalMapping", NULL},
    .family = "topological mappings",
    .sources = topological_mapping_sources,
    .module = "Sofa.Component.Topology.Mapping",
    .help = "Takes the border quads of hexahedra.",
    .instance_size = sizeof(Hexa2Quad),
    .fields = fields,
    .accepts = topological_mapping_accepts,
    .construct = topological_mapping_construct,
    .init = init,
    .restore = restore,
    .cleanup = cleanup,
    .destroy = destroy,
};
