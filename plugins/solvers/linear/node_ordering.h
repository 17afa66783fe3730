/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The order in which a factorization eliminates the nodes of a matrix's graph.
 */
#ifndef DV_SOLVERS_NODE_ORDERING_H
#define DV_SOLVERS_NODE_ORDERING_H

#include <divan/base.h>

typedef enum DvOrdering {
    DV_ORDERING_NATURAL,
    DV_ORDERING_AMD,       /* approximate minimum degree: fast, best for small and flat graphs */
    DV_ORDERING_METIS,     /* nested dissection: less fill for solids of more than about a thousand nodes */
    DV_ORDERING_LEAST_WORK /* AMD, or METIS where that needs fewer operations */
} DvOrdering;

/* order[k] = node eliminated as k-th. begin: [nodes + 1], neighbours: [begin[nodes]] without the node itself, symmetric.
 * A graph that a library refuses is ordered naturally: the order changes speed and rounding, not the solution. */
typedef void (*DvOrderNodes)(void *context, uint32_t nodes, const uint32_t *begin, const uint32_t *neighbours,
                             uint32_t *order);

/* The orderings above as such a function. */
void dv_order_nodes(DvOrdering ordering, uint32_t nodes, const uint32_t *begin, const uint32_t *neighbours,
                    uint32_t *order);

/* The same for the rows of a matrix: neighbours may hold the node itself. */
void dv_order_matrix(DvOrdering ordering, uint32_t rows, const uint32_t *row_start, const uint32_t *columns,
                     uint32_t *order);

/* Elimination tree of the graph in the given order: parent[k] of the k-th eliminated node, UINT32_MAX for a root; and
 * counts[k], the number of nodes in the k-th column of the factor, itself included. counts may be NULL. */
void dv_elimination_tree(uint32_t nodes, const uint32_t *begin, const uint32_t *neighbours, const uint32_t *order,
                         uint32_t *parent, uint32_t *counts);

#endif
