/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lists of hexahedra whose points are in another order than that of topologies (divan/math/hexahedron.h). Who integrates over mirrored
 * ones turns the sign of their measure, which gives what the mirror image would have; tangled ones are taken from a list of their own.
 */
#ifndef DIVAN_MECHANICS_HEXAHEDRON_ORDER_H
#define DIVAN_MECHANICS_HEXAHEDRON_ORDER_H

#include <divan/contracts/state.h>
#include <divan/contracts/topology.h>

/* All zeros at the start. */
typedef struct HexahedronOrder {
    uint32_t *nodes; /* [elements][8] in proper order; NULL: none is tangled */
    size_t room;
    uint64_t revision;                    /* of the mesh, when hexahedron_order_follow made them */
    uint32_t said_mirrored, said_tangled; /* how many of them have been told of */
} HexahedronOrder;

/* The elements at positions x with tangled ones in order: `given` itself where there are none, else a list that lives until the next call
 * or hexahedron_order_free. Remarks of `object` count and name tangled and mirrored ones (NULL: nothing is said). */
DvElements hexahedron_order_mend(HexahedronOrder *order, const DvObject *object, DvElements given, DvConstVec x);
/* Whether none of these elements is tangled. */
bool hexahedra_are_in_order(DvElements given, const uint32_t *numbers, uint32_t count, DvConstVec x);
/* The elements of the mesh, with those in order that were tangled: looks at all again when the mesh has changed since the last call. */
DvElements hexahedron_order_follow(HexahedronOrder *order, const DvTopologyRef *topology, DvConstVec x);
void hexahedron_order_free(HexahedronOrder *order);

#endif
