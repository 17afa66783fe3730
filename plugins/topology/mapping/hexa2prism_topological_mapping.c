/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Hexa2PrismTopologicalMapping: two prisms for each hexahedron, (0,5,1,3,6,2) and (0,4,5,3,7,6) of its corners.
 */
#include "pieces_mapping.h"

static void cut(PiecesMapping *mapping, const uint32_t *element, uint32_t index, bool later, uint32_t *pieces)
{
    static const uint8_t corners[12] = {0, 5, 1, 3, 6, 2, 0, 4, 5, 3, 7, 6};
    (void)mapping, (void)index, (void)later;
    for (int i = 0; i < 12; i++)
        pieces[i] = element[corners[i]];
}

static const PiecesRule rule = {
    .whole = DV_HEXAHEDRA, .piece = DV_PRISMS, .pieces = 2, .piece_name = "prisms", .cut = cut};

static DvStatus init(DvObject *object, void *self)
{
    (void)object;
    PiecesMapping *mapping = self;
    mapping->rule = &rule;
    return pieces_mapping_start(mapping);
}

static const DvField fields[] = {TOPOLOGICAL_MAPPING_FIELDS(PiecesMapping, base.), {0}};

const DvClass dv_hexa2prism_topological_mapping = {
    .size = sizeof(DvClass),
    .name = "Hexa2PrismTopologicalMapping",
    TOPOLOGICAL_MAPPING_CLASS,
    TOPOLOGICAL_MAPPING_CONTRACT,
    .help = "Cuts hexahedra into two prisms each.",
    .instance_size = sizeof(PiecesMapping),
    .fields = fields,
    .init = init,
};
