/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements in blocks of eight, and how what they compute comes together at the nodes.
 *
 * What elements give to their nodes is summed chunk by chunk (element_chunks.h). Matrix blocks are summed per pair of points, over
 * the elements in ascending order. Both run in parallel, in an order that does not depend on the number of threads.
 *
 * When a mesh changes, what is touched is made again (dv_element_blocks_update) and is then what dv_element_blocks_build would have made,
 * to the order of the entries; pairs that no element has any more stay, with no entry, so that matrices keep their pattern.
 */
#ifndef DIVAN_KIT_ELEMENT_BLOCKS_H
#define DIVAN_KIT_ELEMENT_BLOCKS_H

#include <divan/kit/element_chunks.h>
#include <divan/kit/force_field.h>
#include <divan/kit/kept_pairs.h>

#include <math.h>

#include <divan/math/simd.h>

DV_BEGIN_DECLS

enum {
    DV_BLOCKS_PER_CHUNK = 32, /* of eight elements */
    DV_POINTS_PER_CHUNK = 512,
    DV_PAIRS_PER_CHUNK = 512
};

typedef struct DvElementBlocks {
    uint32_t nodes; /* per element, at most 8 */
    uint32_t elements;
    uint32_t blocks; /* ceil(elements / 8); unused lanes of the last one repeat its last element */
    uint32_t points; /* of the state */
    uint32_t *node;  /* [blocks][nodes][8] point of each lane */
    DvReal4 *point;  /* [points] what dv_element_blocks_load was given last, in rows */
    DvElementChunks chunks;
    /* Nodes that each point p is, as element x nodes + node, ascending: entry[begin[p]] .. entry[end[p] - 1]; its room ends at limit[p]. */
    uint32_t *begin, *end, *limit; /* [points] */
    uint32_t *entry;
    uint32_t used, lost; /* of the entries: in the room of some row, or of one that has moved; the latter */
    uint32_t entry_room, block_room, point_room; /* that there is room for */

    /* Pairs of different points that share an element, or did, first < second, sorted; made by dv_element_blocks_find_pairs. */
    bool paired; /* they are made */
    DvKeptPairs *
        kept; /* optional: pairs without an element, two numbers each, so that a saved scene goes on with the same pattern */
    size_t pair_capacity;
    uint32_t pairs;
    uint32_t *pair;                  /* [pairs][2] */
    uint32_t *pair_begin, *pair_end; /* [pairs] */
    uint32_t pair_room;              /* entries in all */
    uint32_t *pair_entry;            /* element << 6 | local number of first << 3 | local number of second, ascending */
} DvElementBlocks;

static inline uint32_t dv_element_blocks_point(const DvElementBlocks *mesh, uint32_t element, uint32_t local)
{
    return mesh->node[((size_t)(element / DV_LANES) * mesh->nodes + local) * DV_LANES + element % DV_LANES];
}

/* `list`: elements x nodes point numbers, checked against `points`; errors name the element as `kind` ("tetrahedron"). */
DV_NODISCARD DV_PUBLIC DvStatus dv_element_blocks_build(DvElementBlocks *mesh, const DvObject *object, const char *kind,
                                                        uint32_t points, uint32_t nodes, uint32_t elements,
                                                        const uint32_t *list);
DV_PUBLIC void dv_element_blocks_free(DvElementBlocks *mesh);

/* Follows edits of the mesh, sorted: `points`, `elements` and `list` are as for dv_element_blocks_build, and as they are now. *paired:
 * whether the pairs are those they were. An error leaves it for dv_element_blocks_build to mend. */
DV_NODISCARD DV_PUBLIC DvStatus dv_element_blocks_update(DvElementBlocks *mesh, const DvObject *object,
                                                         const char *kind, const DvMeshEdits *edits,
                                                         const DvTopologyRef *topology, uint32_t points,
                                                         uint32_t elements, const uint32_t *list, bool *paired);
/* Rows of points into those of which one of these elements gathers. */
DV_PUBLIC void dv_element_blocks_load_block(DvElementBlocks *mesh, const double *x, uint32_t block);

/* The faces of all elements, shrunk towards the element's middle by the fraction `gap`.     faces: count x 3 local numbers; face k
 * takes color[k * colors / count] */
DV_PUBLIC void dv_element_blocks_draw(const DvElementBlocks *mesh, DvDraw *draw, const double *position,
                                      const uint8_t (*faces)[3], uint32_t count, double gap, const double (*color)[4],
                                      uint32_t colors);

/* at_point[p] = mean of `value` over the elements around point p, 0 where there are none. */
DV_PUBLIC void dv_element_blocks_mean(const DvElementBlocks *mesh, const double *value, double *at_point);

/* Copies a vector of the points (points x 3) into rows, from where elements gather it. */
DV_PUBLIC void dv_element_blocks_load(DvElementBlocks *mesh, const double *x);

/* How much slower elements are whose data do not fit the caches any more: from 1 to `most`, between 1 and 16 MB. */
static inline double dv_cache_penalty(double bytes, double most)
{
    const double beyond = log2(fmax(bytes, 1.0) / 1e6) / 4.0;
    return 1.0 + (most - 1.0) * fmin(fmax(beyond, 0.0), 1.0);
}

/* Once; also done by what follows. */
DV_PUBLIC void dv_element_blocks_find_pairs(DvElementBlocks *mesh);

/* Couplings: point p with itself is number p; pair k is number points + 2 k, and + 1 for its transpose. */
DV_PUBLIC void dv_element_blocks_reserve(DvElementBlocks *mesh, DvPattern *pattern);

DV_END_DECLS
#endif
