/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How what elements give to points is summed: first within each block of LANES elements, in memory that its lanes share, to one number for
 * each point that the block touches, a slot; then for each point over its slots. So only slots go through the memory of the device. Elements are
 * put in an order in which those of a block touch few points.
 */
#ifndef DIVAN_CUDA_ELEMENT_SUMS_H
#define DIVAN_CUDA_ELEMENT_SUMS_H

#include "operators.h"

typedef struct ElementSums {
    DeviceArray first, begin, entry; /* slots of a block, entries of a slot: lanes and nodes */
    DeviceArray partial;             /* [columns][3][slots] */
    DeviceArray point_begin, slot;   /* slots of a point */
    uint32_t *order;                 /* of the elements, on the host */
    uint32_t slots;
    size_t beside; /* blocks of 3 x 3 that a matrix of these elements has */
} ElementSums;

/* Of a list of elements of `nodes` points each. false: there is no memory, or a point that is none. */
bool element_sums_make(Space *space, DvPrecision precision, ElementSums *sums, const DvOperatorPart *element,
                       uint32_t points, DvText *why);
void element_sums_free(Space *space, ElementSums *sums);
/* Room for what a kernel makes of so many columns; false: there is no memory, which has been said. */
bool element_sums_reserve(Space *space, DvPrecision precision, ElementSums *sums, uint32_t columns);
/* f += k times the sums that a kernel has made, of each column. */
void element_sums_add(Space *space, DvPrecision precision, const ElementSums *sums, uint32_t points, double k,
                      uint32_t columns, const DvVec *f);
/* Bytes of its tables that sums of any number of columns read, of elements of so many nodes. */
uint64_t element_sums_read(const ElementSums *sums, uint64_t elements, uint32_t nodes, uint32_t points);

/* Members of NAME(Sums) in arguments of kernels. */
#define ELEMENT_SUMS(sums)                                                                                             \
    {                                                                                                                  \
        .first = SPACE_AT((sums)->first.at), .begin = SPACE_AT((sums)->begin.at), .entry = SPACE_AT((sums)->entry.at), \
        .partial = SPACE_AT((sums)->partial.at), .slots = (sums)->slots                                                \
    }

#endif
