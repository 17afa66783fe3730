/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What has changed in a mesh since somebody last looked: for whoever keeps arrays by element and lists by point, and brings them up to date
 * when next used, in time with what was touched.
 *
 * An element is touched when it is new or has another number; a point when it is new or has another number, or when an element around
 * it is, or has gone. Numbers are those of now; some may be beyond the last, or appear twice. What is made anew for these only is the
 * same as what is made from the whole mesh: arrays by element from the lists, lists by point from the adjacency.
 */
#ifndef DIVAN_MECHANICS_MESH_EDITS_H
#define DIVAN_MECHANICS_MESH_EDITS_H

#include <divan/contracts/state.h>
#include <divan/contracts/topology.h>
#include <divan/data.h>

typedef struct TouchedNumbers {
    uint32_t *at;
    uint32_t count, capacity;
} TouchedNumbers;

typedef struct MeshEdits {
    TouchedNumbers points, elements;
    bool any;
    bool all;           /* too much: everything is to be made anew */
    bool points_edited; /* some have come or gone */
    bool restored;      /* all, by a saved scene that goes on */
    const bool *paired; /* of who has such pairs: whether they are made */
    DvData *kept_pairs; /* optional, a state field: empty when all was made anew; see element_blocks.h, half_edges.h */
    DvElementKind kind; /* of the elements */
    DvElementData of_points, of_elements;
} MeshEdits;

/* The field of kept pairs. */
#define KEPT_PAIRS_FIELD(Struct, member)                                                            \
    DV_FIELD(Struct, member, "keptPairs", dv_type_uints, .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN, \
             .help = "pairs of points that no element couples any more, and that matrices have a place for")

/* Starts with nothing touched. `edits` keeps its address. A topology that never changes is not followed.     [main] */
DV_NODISCARD DvStatus mesh_edits_attach(MeshEdits *edits, DvObject *topology, DvElementKind kind);
void mesh_edits_detach(MeshEdits *edits);
/* Each number once, ascending, without those beyond the last. */
void mesh_edits_sort(MeshEdits *edits, uint32_t points, uint32_t elements);
/* Whether a point is touched, once they are sorted. */
bool mesh_edits_touch_point(const MeshEdits *edits, uint32_t point);
/* These points too. */
void mesh_edits_touch_points(MeshEdits *edits, const uint32_t *points, uint32_t count);
/* A field with a place for each point, when points have come or gone: those touched get theirs from `from`. */
void mesh_edits_copy_points(const MeshEdits *edits, DvData *field, const DvConstVec *from);
/* All has been seen to. */
void mesh_edits_clear(MeshEdits *edits);

#endif
