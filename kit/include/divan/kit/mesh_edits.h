/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What has changed in a mesh since somebody last looked: for whoever keeps arrays by element and lists by point, and brings them up to
 * date when next used, in time with what was touched.
 *
 * An element is touched when it is new or has another number; a point when it is new or has another number, or when an element around
 * it is, or has gone. Numbers are those of now; some may be beyond the last, or appear twice, until they are sorted. What is made anew
 * for these only is the same as what is made from the whole mesh: arrays by element from the lists, lists by point from the adjacency.
 *
 *   if (edits.all || the topology was rewritten)
 *       everything anew;
 *   else if (edits.any) {
 *       dv_mesh_edits_sort(&edits, points, elements);
 *       what is in edits.points and edits.elements;
 *   }
 *   dv_mesh_edits_clear(&edits);
 */
#ifndef DIVAN_KIT_MESH_EDITS_H
#define DIVAN_KIT_MESH_EDITS_H

#include <divan/contracts/state.h>
#include <divan/contracts/topology.h>
#include <divan/data.h>
#include <divan/kit/array.h>

DV_BEGIN_DECLS

typedef struct DvMeshEdits {
    DvIndexArray points, elements;
    bool any;
    bool all;           /* too much: everything is to be made anew */
    bool points_edited; /* some have come or gone */
    bool points_moved;  /* some have another place in the mesh */
    /* Optional, state fields of who keeps pairs of points without an element, so that its matrix keeps its pattern: those pairs, and
     * whether the matrix has places for those of all elements. As long as it has, pairs of elements that go are noted here; when points
     * come or go, or when all is to be made anew, both are empty. A saved scene that goes on brings both with it. */
    DvData *kept_pairs, *pairs_made;
    DvElementKind kind; /* of the elements */
    DvElementData of_points, of_elements;
} DvMeshEdits;

/* Starts with nothing touched. `edits` keeps its address. A topology that never changes is not followed.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_mesh_edits_attach(DvMeshEdits *edits, DvObject *topology, DvElementKind kind);
DV_PUBLIC void dv_mesh_edits_detach(DvMeshEdits *edits); /* twice is harmless.     [main] */
/* Each number once, ascending, without those beyond the last. */
DV_PUBLIC void dv_mesh_edits_sort(DvMeshEdits *edits, uint32_t points, uint32_t elements);
/* Whether a point is touched, once they are sorted. */
DV_PUBLIC bool dv_mesh_edits_touch_point(const DvMeshEdits *edits, uint32_t point);
/* These points too. */
DV_PUBLIC void dv_mesh_edits_touch_points(DvMeshEdits *edits, const uint32_t *points, uint32_t count);
/* A field with a place for each point, when points have come or gone: those touched get theirs from `from`, points x 3. */
DV_PUBLIC void dv_mesh_edits_copy_points(const DvMeshEdits *edits, DvData *field, const DvConstVec *from);
/* All has been seen to. */
DV_PUBLIC void dv_mesh_edits_clear(DvMeshEdits *edits);

DV_END_DECLS
#endif
