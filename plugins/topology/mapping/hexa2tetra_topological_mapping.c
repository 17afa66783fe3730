/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Hexa2TetraTopologicalMapping: six tetrahedra for each hexahedron, all around the diagonal from its corner 0 to 6.
 *
 * With `swapping` neighbours in a grid are mirror images of each other, so that their common faces are cut along the
 * same diagonal: a hexahedron is mirrored along x in even columns, along y in odd rows, along z in odd layers, and an
 * odd number of mirrors turns the tetrahedra over. Columns and rows are those of the input when it is a grid, else 2
 * and 1. Changes of the input while the scene runs are not followed.
 */
#include "topological_mapping.h"

typedef struct Hexa2Tetra {
    TopologicalMapping base;
    DvData swapping;
} Hexa2Tetra;

static DvStatus init(DvObject *object, void *self)
{
    (void)object;
    Hexa2Tetra *mapping = self;
    const DvStatus status = topological_mapping_find(&mapping->base);
    if (status != DV_OK)
        return status;
    Topology *from = mapping->base.from, *to = mapping->base.to;
    if (!to->list[DV_TETRAHEDRA].field)
        return dv_error(mapping->base.object, DV_ERROR_INVALID, "output: '%s' holds no tetrahedra",
                        dv_object_path(to->object));
    const ElementList hexahedra = topology_elements(from, DV_HEXAHEDRA);
    DvGridShape shape;
    uint32_t columns = 2, rows = 1;
    if (from->grid_shape && from->grid_shape(from, &shape)) {
        columns = shape.n[0] > 1 ? shape.n[0] - 1 : 1;
        rows = shape.n[1] > 1 ? shape.n[1] - 1 : 1;
    }
    const bool swapping = dv_data_bool(&mapping->swapping);
    IndexArray tetrahedra = {0};
    for (uint32_t i = 0; i < hexahedra.count; i++) {
        uint32_t cut[6][4];
        dv_cut_hexahedron(hexahedra.at + (size_t)i * 8, swapping ? dv_grid_mirrors(i, columns, rows) : 0, true, cut);
        array_append(&tetrahedra, cut[0], 24);
    }
    topology_clear(to);
    topology_set_points(to, from->points);
    topology_set_list(to, DV_TETRAHEDRA, tetrahedra.data, tetrahedra.count / 4);
    array_free(&tetrahedra);
    return topology_start(to);
}

static const DvField fields[] = {
    TOPOLOGICAL_MAPPING_FIELDS(Hexa2Tetra, base.),
    DV_FIELD(Hexa2Tetra, swapping, "swapping", dv_type_bool, .init = "0",
             .help = "mirror every other hexahedron, so that neighbours cut their common face alike"),
    {0},
};

const DvClass dv_hexa2tetra_topological_mapping = {
    .size = sizeof(DvClass),
    .name = "Hexa2TetraTopologicalMapping",
    .bases = (const char *const[]){"TopologicalMapping", NULL},
    .family = "topological mappings",
    .sources = topological_mapping_sources,
    .module = "Sofa.Component.Topology.Mapping",
    .help = "Cuts hexahedra into six tetrahedra each.",
    .instance_size = sizeof(Hexa2Tetra),
    .fields = fields,
    .accepts = topological_mapping_accepts,
    .construct = topological_mapping_construct,
    .init = init,
};
