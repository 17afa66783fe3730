/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Topologies: the connectivity of a mesh, and how it changes.
 *
 * Elements are lists of point numbers, local numbering as in DvElementKind's families: tetrahedron edges
 * (0,1)(0,2)(0,3)(1,2)(1,3)(2,3); edge j of a triangle is opposite to its point j. A topology may have no positions:
 * then those of the node's state count. Adjacency is made when first asked for and kept until the topology changes.
 *
 * Threads: [step].
 */
#ifndef DIVAN_CONTRACTS_TOPOLOGY_H
#define DIVAN_CONTRACTS_TOPOLOGY_H

#include <divan/element_data.h>
#include <divan/node.h>

DV_BEGIN_DECLS

#define DV_TOPOLOGY "divan.topology/1"

typedef struct DvElements {
    const uint32_t *at; /* [count] x dv_element_nodes(kind) */
    uint32_t count;
} DvElements;

/* For item i: items[start[i]] .. items[start[i + 1]] */
typedef struct DvAdjacency {
    const uint32_t *start; /* [count + 1] */
    const uint32_t *items;
    uint32_t count;
} DvAdjacency;

typedef struct DvGridShape {
    uint32_t n[3];                  /* points in x, y, z */
    double min[3], max[3], step[3]; /* m; of a regular grid, before any transformation of the state */
} DvGridShape;

typedef struct DvTopologyOps {
    uint32_t size;
    uint32_t (*point_count)(void *self);
    const double *(*positions)(void *self); /* [point_count] x 3, m; NULL: has none */
    DvElements (*elements)(void *self, DvElementKind kind);
    /* For each element of kind `of` (DV_POINTS: each point) the elements of kind `to`: of its own parts when `to` is
     * lower (edges of a triangle, in local order), around it when `to` is higher (tetrahedra around a point,
     * ascending). Makes what is missing (edges of a tetrahedral mesh). An empty adjacency when there is none. */
    DvAdjacency (*adjacency)(void *self, DvElementKind of, DvElementKind to);
    uint64_t (*revision)(void *self);             /* + 1 with each change of connectivity */
    bool (*grid)(void *self, DvGridShape *shape); /* Optional: whether it is a regular grid, and which */
    bool (*is_dynamic)(void *self);               /* may change while it runs */
} DvTopologyOps;

/* Changes, by number. Each is whole when it returns: everything attached has followed. DV_ERROR_INVALID for numbers
 * out of range. */
#define DV_TOPOLOGY_MODIFIER "divan.topology-modifier/1"
typedef struct DvTopologyModifierOps {
    uint32_t size;
    DvStatus (*add_points)(void *self, uint32_t count, const DvElementChange *ancestors);
    DvStatus (*remove_points)(void *self, uint32_t count, const uint32_t *points);
    DvStatus (*renumber_points)(void *self, const uint32_t *order); /* order[new] = old */
    DvStatus (*add_elements)(void *self, DvElementKind kind, uint32_t count, const uint32_t *elements,
                             const DvElementChange *ancestors);
    /* With what only they used when `isolated` is true (lower elements, points). */
    DvStatus (*remove_elements)(void *self, DvElementKind kind, uint32_t count, const uint32_t *elements,
                                bool isolated);
} DvTopologyModifierOps;

/* Meshes made from other meshes. The link `input` leads to a DV_TOPOLOGY, `output` too. */
#define DV_TOPOLOGICAL_MAPPING "divan.topological-mapping/1"
typedef struct DvTopologicalMappingOps {
    uint32_t size;
    DvObject *(*input)(void *self);
    DvObject *(*output)(void *self);
    /* Element of the input that element `out` of the output came from, or UINT32_MAX. */
    uint32_t (*source_element)(void *self, uint32_t out);
} DvTopologicalMappingOps;

#define DV_LOADER "divan.loader/1"
typedef struct DvLoaderOps {
    uint32_t size;
    DvStatus (*load)(void *self); /* reads the file named by `filename` into the fields */
} DvLoaderOps;

DV_END_DECLS
#endif
