/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Kinds of elements by words: in messages, and as variants name them, "Vec3d,Tetrahedron".
 */
#ifndef DIVAN_KIT_ELEMENT_NAMES_H
#define DIVAN_KIT_ELEMENT_NAMES_H

#include <divan/contracts/state.h>
#include <divan/contracts/topology.h>

DV_BEGIN_DECLS

/* "tetrahedron", "tetrahedra", "a container of tetrahedra".     [any] */
DV_PUBLIC const char *dv_element_name(DvElementKind kind);
DV_PUBLIC const char *dv_element_names(DvElementKind kind);
DV_PUBLIC const char *dv_element_container(DvElementKind kind);

/* Words of the elements for DvPlugin.variants. */
#define DV_ELEMENT_VARIANT_WORDS "Edge", "Triangle", "Quad", "Tetrahedron", "Hexahedron", "Prism", "Pyramid"
/* Which element an object's variant names.     [main] */
DV_PUBLIC DvElementKind dv_element_of_variant(const DvObject *object);
/* Whether a scene names it; where it names none, or one that does not fit, the elements are edges, whatever the mesh is of.
 * [main] in `parse` */
DV_PUBLIC bool dv_element_variant_is_given(const DvObject *object, const DvAttributes *attributes);
/* The warning then, where the mesh has elements of more dimensions than those that are taken.     [main] */
DV_PUBLIC void dv_warn_of_default_elements(const DvObject *object, const DvTopologyRef *topology, DvElementKind taken,
                                           const DvDofType *dof);

DV_END_DECLS
#endif
