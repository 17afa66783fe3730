/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Hexa2TetraTopologicalMapping: six tetrahedra for each hexahedron, all around the diagonal from its corner 0 to 6.
 *
 * With `swapping` neighbours in a grid are mirror images of each other, so that their common faces are cut along the
 * same diagonal: a hexahedron is mirrored along x in even columns, along y in odd rows, along z in odd layers, and an
 * odd number of mirrors turns the tetrahedra over. Columns and rows are those of the input when it is a grid, else 2
 * and 1. A hexahedron that comes later is mirrored such that as many of its faces as can be are cut like those of its
 * neighbours; of several ways, the one with the smallest number.
 */
#include "pieces_mapping.h"

/* Whether the output has an edge between two points. */
static bool has_edge(Topology *topology, uint32_t a, uint32_t b)
{
    const DvRows *around = topology_adjacency(topology, DV_POINTS, DV_TETRAHEDRA);
    const ElementList tetrahedra = topology_elements(topology, DV_TETRAHEDRA);
    uint32_t length;
    const uint32_t *row = row_of(around, a, &length);
    for (uint32_t i = 0; i < length; i++)
        for (uint32_t j = 0; j < 4; j++)
            if (tetrahedra.at[(size_t)row[i] * 4 + j] == b)
                return true;
    return false;
}

/* Face diagonals of the tetrahedra that the output has already: all their edges but those of the hexahedron, which any
 * cut has, and the inner diagonal, which no neighbour has. */
static uint32_t count_common(Topology *topology, uint32_t tetrahedra[6][4])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < 6; i++)
        for (uint32_t j = 0; j < 4; j++)
            for (uint32_t k = j + 1; k < 4; k++)
                count += has_edge(topology, tetrahedra[i][j], tetrahedra[i][k]);
    return count;
}

static uint32_t fitting_mirrors(Topology *topology, const uint32_t *hexahedron)
{
    uint32_t best = 0, most = 0;
    for (uint32_t mirrors = 0; mirrors < 8; mirrors++) {
        uint32_t cut[6][4];
        dv_cut_hexahedron(hexahedron, mirrors, true, cut);
        const uint32_t common = count_common(topology, cut);
        if (common > most) {
            most = common;
            best = mirrors;
        }
    }
    return best;
}

static void cut(PiecesMapping *mapping, const uint32_t *element, uint32_t index, bool later, uint32_t *pieces)
{
    uint32_t mirrors = 0, tetrahedra[6][4];
    if (dv_data_bool(&mapping->swapping))
        mirrors =
            later ? fitting_mirrors(mapping->base.to, element)
                  : dv_grid_mirrors(index, mapping->columns ? mapping->columns : 1, mapping->rows ? mapping->rows : 1);
    dv_cut_hexahedron(element, mirrors, true, tetrahedra);
    memcpy(pieces, tetrahedra, sizeof tetrahedra);
}

static const PiecesRule rule = {
    .whole = DV_HEXAHEDRA, .piece = DV_TETRAHEDRA, .pieces = 6, .piece_name = "tetrahedra", .cut = cut};

static DvStatus init(DvObject *object, void *self)
{
    (void)object;
    PiecesMapping *mapping = self;
    mapping->rule = &rule;
    return pieces_mapping_start(mapping);
}

static const DvField fields[] = {
    TOPOLOGICAL_MAPPING_FIELDS(PiecesMapping, base.),
    DV_FIELD(PiecesMapping, swapping, "swapping", dv_type_bool, .init = "0", .flags = DV_FIELD_AT_LOAD,
             .help = "mirror every other hexahedron, so that neighbours cut their common face alike"),
    {0},
};

const DvClass dv_hexa2tetra_topological_mapping = {
    .size = sizeof(DvClass),
    .name = "Hexa2TetraTopologicalMapping",
    TOPOLOGICAL_MAPPING_CLASS,
    TOPOLOGICAL_MAPPING_CONTRACT,
    .help = "Cuts hexahedra into six tetrahedra each.",
    .instance_size = sizeof(PiecesMapping),
    .fields = fields,
    .init = init,
};
