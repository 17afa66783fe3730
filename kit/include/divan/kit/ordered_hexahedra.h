/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lists of hexahedra whose points are in another order than that of topologies (divan/math/hexahedron.h). Who integrates over mirrored
 * ones turns the sign of their measure, which gives what the mirror image would have; tangled ones are taken from a list of their own.
 */
#ifndef DIVAN_KIT_ORDERED_HEXAHEDRA_H
#define DIVAN_KIT_ORDERED_HEXAHEDRA_H

#include <divan/contracts/state.h>
#include <divan/contracts/topology.h>

DV_BEGIN_DECLS

/* All zeros at the start. */
typedef struct DvOrderedHexahedra {
    uint32_t *nodes; /* [elements][8] in proper order; NULL: none is tangled */
    size_t room;
    uint64_t revision;                    /* of the mesh, when dv_ordered_hexahedra_follow made them */
    uint32_t said_mirrored, said_tangled; /* how many of them have been told of */
} DvOrderedHexahedra;

/* The elements at positions x with tangled ones in order: `given` itself where there are none, else a list that lives until the next call
 * or dv_ordered_hexahedra_free. Remarks of `object` count and name tangled and mirrored ones (NULL: nothing is said). */
DV_PUBLIC DvElements dv_ordered_hexahedra_mend(DvOrderedHexahedra *order, const DvObject *object, DvElements given,
                                               DvConstVec x);
/* Whether none of these elements is tangled. */
DV_PUBLIC bool dv_hexahedra_are_in_order(DvElements given, const uint32_t *numbers, uint32_t count, DvConstVec x);
/* The elements of the mesh, with those in order that were tangled: looks at all again when the mesh has changed since the last call. */
DV_PUBLIC DvElements dv_ordered_hexahedra_follow(DvOrderedHexahedra *order, const DvTopologyRef *topology,
                                                 DvConstVec x);
DV_PUBLIC void dv_ordered_hexahedra_free(DvOrderedHexahedra *order);

DV_END_DECLS
#endif
