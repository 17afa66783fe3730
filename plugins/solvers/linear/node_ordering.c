/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Orderings by libamd (Amestoy, Davis and Duff 1996) and METIS (Karypis and Kumar 1998), and the elimination tree with
 * column counts (Liu 1990) by which they are compared. Counting walks each row's subtree: as many steps as the factor has
 * blocks, which is little beside the factorization itself.
 *
 * METIS draws from the C library's rand() and is given a fixed seed, so that the order is the same in each run.
 */
#include "node_ordering.h"

#include <divan/memory.h>

#include <limits.h>
#include <metis.h>
#include <pthread.h>
#include <string.h>
#include <suitesparse/amd.h>

static const uint32_t NONE = UINT32_MAX;

/* Sum of squared column counts, in nodes, from which on METIS may save more than it costs: about a millisecond of work. */
static const double WORTH_DISSECTION = 1e6;

_Static_assert(sizeof(idx_t) == sizeof(uint32_t), "METIS with 32-bit indices");

static void natural(uint32_t nodes, uint32_t *order)
{
    for (uint32_t k = 0; k < nodes; k++)
        order[k] = k;
}

static void order_by_amd(uint32_t nodes, const uint32_t *begin, const uint32_t *neighbours, uint32_t *order)
{
    int32_t *b = dv_alloc(nodes + 1, sizeof *b);
    int32_t *n = dv_alloc(begin[nodes] + 1, sizeof *n);
    int32_t *p = dv_alloc(nodes, sizeof *p);
    memcpy(b, begin, (nodes + 1) * sizeof *b);
    memcpy(n, neighbours, begin[nodes] * sizeof *n);
    const int status = amd_order((int)nodes, b, n, p, NULL, NULL);
    if (status == AMD_OK || status == AMD_OK_BUT_JUMBLED)
        memcpy(order, p, nodes * sizeof *order);
    else
        natural(nodes, order);
    dv_free(p);
    dv_free(n);
    dv_free(b);
}

/* METIS draws from the C library's one generator of random numbers, seeded anew by each call: two at a time would disturb each other,
 * and the order, so the bits of a step, would depend on the other scene. */
static pthread_mutex_t metis_mutex = PTHREAD_MUTEX_INITIALIZER;

static void order_by_metis(uint32_t nodes, const uint32_t *begin, const uint32_t *neighbours, uint32_t *order)
{
    idx_t *b = dv_alloc(nodes + 1, sizeof *b);
    idx_t *n = dv_alloc(begin[nodes] + 1, sizeof *n);
    idx_t *p = dv_alloc(nodes, sizeof *p);
    idx_t *inverse = dv_alloc(nodes, sizeof *inverse);
    memcpy(b, begin, (nodes + 1) * sizeof *b);
    memcpy(n, neighbours, begin[nodes] * sizeof *n);
    idx_t count = (idx_t)nodes;
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    pthread_mutex_lock(&metis_mutex);
    const int status = METIS_NodeND(&count, b, n, NULL, options, p, inverse);
    pthread_mutex_unlock(&metis_mutex);
    if (status == METIS_OK)
        memcpy(order, p, nodes * sizeof *order);
    else
        natural(nodes, order);
    dv_free(inverse);
    dv_free(p);
    dv_free(n);
    dv_free(b);
}

void dv_elimination_tree(uint32_t nodes, const uint32_t *begin, const uint32_t *neighbours, const uint32_t *order,
                         uint32_t *parent, uint32_t *counts)
{
    uint32_t *position = dv_alloc(nodes, sizeof *position);
    uint32_t *ancestor = dv_alloc(nodes, sizeof *ancestor);
    for (uint32_t k = 0; k < nodes; k++)
        position[order[k]] = k;
    for (uint32_t k = 0; k < nodes; k++) {
        parent[k] = ancestor[k] = NONE;
        for (uint32_t e = begin[order[k]]; e < begin[order[k] + 1]; e++) {
            uint32_t i = position[neighbours[e]];
            while (i < k) {
                const uint32_t next = ancestor[i];
                ancestor[i] = k;
                if (next == NONE)
                    parent[i] = k;
                i = next;
            }
        }
    }
    if (counts != NULL) {
        uint32_t *mark = ancestor;
        for (uint32_t k = 0; k < nodes; k++) {
            counts[k] = 1;
            mark[k] = k;
            for (uint32_t e = begin[order[k]]; e < begin[order[k] + 1]; e++)
                for (uint32_t i = position[neighbours[e]]; i < k && mark[i] != k; i = parent[i]) {
                    counts[i]++;
                    mark[i] = k;
                }
        }
    }
    dv_free(ancestor);
    dv_free(position);
}

static double work(uint32_t nodes, const uint32_t *begin, const uint32_t *neighbours, const uint32_t *order)
{
    uint32_t *parent = dv_alloc(nodes, sizeof *parent);
    uint32_t *counts = dv_alloc(nodes, sizeof *counts);
    dv_elimination_tree(nodes, begin, neighbours, order, parent, counts);
    double sum = 0.0;
    for (uint32_t k = 0; k < nodes; k++)
        sum += (double)counts[k] * (double)counts[k];
    dv_free(counts);
    dv_free(parent);
    return sum;
}

void dv_order_nodes(DvOrdering ordering, uint32_t nodes, const uint32_t *begin, const uint32_t *neighbours,
                    uint32_t *order)
{
    const bool fits = nodes < INT_MAX && begin[nodes] < INT_MAX;
    if (ordering == DV_ORDERING_NATURAL || !fits || begin[nodes] == 0) {
        natural(nodes, order);
    } else if (ordering == DV_ORDERING_AMD) {
        order_by_amd(nodes, begin, neighbours, order);
    } else if (ordering == DV_ORDERING_METIS) {
        order_by_metis(nodes, begin, neighbours, order);
    } else {
        uint32_t *other = dv_alloc(nodes, sizeof *other);
        order_by_amd(nodes, begin, neighbours, order);
        const double amd_work = work(nodes, begin, neighbours, order);
        if (amd_work > WORTH_DISSECTION) {
            order_by_metis(nodes, begin, neighbours, other);
            if (work(nodes, begin, neighbours, other) < amd_work)
                memcpy(order, other, nodes * sizeof *order);
        }
        dv_free(other);
    }
}

void dv_order_matrix(DvOrdering ordering, uint32_t rows, const uint32_t *row_start, const uint32_t *columns,
                     uint32_t *order)
{
    uint32_t *begin = dv_alloc(rows + 1, sizeof *begin);
    uint32_t *neighbours = dv_alloc(row_start[rows] + 1, sizeof *neighbours);
    uint32_t count = 0;
    for (uint32_t row = 0; row < rows; row++) {
        begin[row] = count;
        for (uint32_t e = row_start[row]; e < row_start[row + 1]; e++)
            if (columns[e] != row)
                neighbours[count++] = columns[e];
    }
    begin[rows] = count;
    dv_order_nodes(ordering, rows, begin, neighbours, order);
    dv_free(neighbours);
    dv_free(begin);
}
