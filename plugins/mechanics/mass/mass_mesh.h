/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The mesh over which a mass is spread: its elements of the highest dimension, and how large they are.
 */
#ifndef DIVAN_MECHANICS_MASS_MESH_H
#define DIVAN_MECHANICS_MASS_MESH_H

#include <divan/contracts/state.h>
#include <divan/contracts/topology.h>
#include <divan/math/hexahedron.h>
#include <divan/math/vec.h>

typedef struct MassMesh {
    DvTopologyRef topology;
    DvElementKind kind;  /* hexahedra, else tetrahedra, quads, triangles, edges: the first there is */
    uint32_t nodes;      /* of an element */
    DvStateRef geometry; /* whose positions count */
} MassMesh;

/* The mesh of the link, else of the node or above; the geometry of its link, else the state of the mesh's node, else `state`.
 * An error is reported when there is no mesh or it has no elements. Objects are kept alive until mass_mesh_forget. */
DV_NODISCARD DvStatus mass_mesh_find(DvObject *object, const DvLink *topology, const DvLink *geometry, DvStateRef state,
                                     MassMesh *mesh);
/* The mesh of the link, else of the node or above, and its elements of one kind, with the positions of `state`; where it has none, an error
 * is reported. */
DV_NODISCARD DvStatus mass_mesh_find_kind(DvObject *object, const DvLink *topology, DvStateRef state,
                                          DvElementKind kind, MassMesh *mesh);
void mass_mesh_forget(MassMesh *mesh);
/* Warnings of `object` that count and name the points of the state that none of the elements uses, which get no mass, and the elements
 * that are given twice, whose mass counts twice. */
void mass_mesh_say_faults(const DvObject *object, const MassMesh *mesh, DvStateRef state);

DvElements mass_mesh_elements(const MassMesh *mesh);
/* Where the points of an element are; what has less than three coordinates is filled with zeros. */
void mass_mesh_corners(const MassMesh *mesh, const uint32_t *points, DvConstVec x, DvVec3 corner[8]);
/* Corners of a tangled hexahedron are put into proper order: *order, which is tried first, is the order that they have got. */
void mass_mesh_order(const MassMesh *mesh, DvVec3 corner[8], DvHexahedronOrder *order);
/* Length, area or volume of an element with these points; areas in the plane have a sign. */
double mass_mesh_measure(const MassMesh *mesh, const uint32_t *points, DvConstVec x);
/* Rest positions, or the present ones when asked for or when there are no others. */
DvConstVec mass_mesh_positions(const MassMesh *mesh, bool rest);
bool mass_mesh_is_dynamic(const MassMesh *mesh);

#endif
