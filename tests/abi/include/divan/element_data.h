/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Data attached to mesh elements: arrays with one entry per point, edge, triangle... of a topology, which follow its
 * additions, removals and renumberings by themselves. A component declares one at init and then uses the array; it
 * needs no event loop.
 *
 * Order of changes, as in dynamic meshes of the field: an added element goes to the end; a removed one is overwritten
 * by the last, which takes its number, one removal after the other; renumbering puts old[order[i]] at i.
 */
#ifndef DIVAN_ELEMENT_DATA_H
#define DIVAN_ELEMENT_DATA_H

#include <divan/object.h>

DV_BEGIN_DECLS

typedef enum DvElementKind {
    DV_POINTS,
    DV_EDGES,
    DV_TRIANGLES,
    DV_QUADS,
    DV_TETRAHEDRA,
    DV_HEXAHEDRA,
    DV_PRISMS,
    DV_PYRAMIDS,
    DV_ELEMENT_KINDS
} DvElementKind;

/* Nodes per element: 1 2 3 4 4 8 6 5.     [any] */
DV_PUBLIC uint32_t dv_element_nodes(DvElementKind kind);

typedef enum DvElementChangeKind {
    DV_ELEMENTS_ADDED,
    DV_ELEMENTS_REMOVED,
    DV_ELEMENTS_RENUMBERED,
    DV_POINTS_MOVED
} DvElementChangeKind;

/* One change of one kind of elements. Added and renumbered: told after the topology changed; removed: before it
 * does. */
typedef struct DvElementChange {
    DvElementChangeKind change;
    DvElementKind kind;
    uint32_t count; /* elements added, removed, moved; of a renumbering: all */
    uint32_t total; /* elements of the kind after the change */
    /* [count] removed, in order of removal; moved points; renumbering: order[i] = old number; added: NULL */
    const uint32_t *indices;
    const uint32_t *ancestors;      /* [ancestor_start[count]] elements that added ones come from; or NULL */
    const double *weights;          /* of the ancestors; NULL: equal */
    const uint32_t *ancestor_start; /* [count + 1]; NULL: no ancestors */
    bool without_states;            /* of points: states keep theirs (another topology of the same points tells them) */
} DvElementChange;

typedef struct DvElementData DvElementData;
struct DvElementData {
    DvElementKind kind;
    size_t entry_size; /* bytes */
    void *entries;     /* [count] x entry_size, 64-byte aligned */
    uint32_t count;
    void *owner; /* given to the functions below */
    /* All optional. added: fills entries [first, first + change->count), which start zero (or as the weighted mean of
     * the ancestors when `interpolate` is set); removed: entry `index` is about to go (the mesh still has it); changed:
     * all is done. */
    void (*added)(DvElementData *data, const DvElementChange *change, uint32_t first);
    void (*removed)(DvElementData *data, uint32_t index);
    void (*changed)(DvElementData *data, const DvElementChange *change);
    bool interpolate;   /* entries are doubles: new ones are mixed from their ancestors */
    DvObject *topology; /* the kernel's */
    uint32_t capacity;  /* the kernel's */
};

/* Starts with one zero entry per element of the topology (an object of contract divan.topology/1). `data` is zero but for
 * its description at first, and keeps its address until detached; it is detached by the kernel when the topology goes
 * first, or when it is attached anew.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_element_data_attach(DvElementData *data, DvObject *topology);
DV_PUBLIC void dv_element_data_detach(DvElementData *data); /* [main] frees the entries; twice is harmless */
/* For topologies: passes a change on to everything attached to `topology`, in the order of attachment. Additions and
 * renumberings after the lists changed, removals before.     [step] */
DV_PUBLIC void dv_element_data_apply(DvObject *topology, const DvElementChange *change);

DV_END_DECLS
#endif
