/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What every topology owes, whatever fills it:
 *   - elements name points that exist
 *   - elements around points, points of elements, parts of elements and elements around parts say the same as loops over all pairs
 *   - the revision changes when the connectivity does
 * and, when it has a modifier, after each of many random edits:
 *   - the same again
 *   - arrays attached to points and to elements of each kind have followed: every element still carries the labels of its points
 *
 *   TOPOLOGY_CONFORMANCE(a_grid_is_a_topology, .scene = "<Node>...</Node>", .topology = "/grid")
 */
#ifndef DIVAN_TESTS_TOPOLOGY_CONFORMANCE_H
#define DIVAN_TESTS_TOPOLOGY_CONFORMANCE_H

#include <divan/contracts/topology.h>

typedef struct TopologyConformance {
    const char *scene;
    const char *topology; /* path of the topology */
    const char *modifier; /* path of its modifier; NULL: no edits */
    DvElementKind own;    /* kind of elements that the edits remove and add */
    uint32_t edits;       /* how many; 0: 60 */
    bool partial;         /* lists of faces or edges are not complete, by intention: tables of parts may be absent */
} TopologyConformance;

void topology_conformance(const TopologyConformance *t);
/* The first three promises, for a topology as it is now. */
void check_topology(DvObject *topology, bool partial);

#define TOPOLOGY_CONFORMANCE(test, ...)                            \
    static void test(void **state)                                 \
    {                                                              \
        (void)state;                                               \
        topology_conformance(&(TopologyConformance){__VA_ARGS__}); \
    }

#endif
