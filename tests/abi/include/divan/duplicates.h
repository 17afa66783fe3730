/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Points in one place, and elements of the same points: what meshes have that were put together from parts. In time and memory in
 * proportion to what there is; the answer hangs on nothing but the order of what is given.
 */
#ifndef DIVAN_DUPLICATES_H
#define DIVAN_DUPLICATES_H

#include <divan/base.h>
#include <divan/memory.h>

#include <math.h>
#include <string.h>

DV_BEGIN_DECLS

/* Below this part of the diagonal of a mesh, two of its points are in one place. */
#define DV_SAME_PLACE 1e-9

typedef struct DvPlaceCell {
    int64_t at[3];
} DvPlaceCell;

static inline int64_t dv_place_cell(double x, double inverse)
{
    const double cell = floor(x * inverse), most = 4e18;
    return cell > most ? (int64_t)most : cell < -most ? (int64_t)-most : (int64_t)cell;
}

static inline uint32_t dv_place_bucket(DvPlaceCell cell, uint32_t mask)
{
    uint64_t hash = 0;
    for (int c = 0; c < 3; c++) {
        hash = (hash ^ (uint64_t)cell.at[c]) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return (uint32_t)(hash >> 7) & mask;
}

/* The diagonal of the box around points.     x: count x dim, of which the first three count */
static inline double dv_diagonal(const double *x, uint32_t dim, uint32_t count)
{
    double squares = 0.0;
    for (uint32_t c = 0; c < 3 && c < dim; c++) {
        double least = INFINITY, most = -INFINITY;
        for (uint32_t i = 0; i < count; i++) {
            least = fmin(least, x[(size_t)i * dim + c]);
            most = fmax(most, x[(size_t)i * dim + c]);
        }
        squares += count ? (most - least) * (most - least) : 0.0;
    }
    return sqrt(squares);
}

/* first[i]: the smallest point that has none before it within the distance, and is no farther than that from point i; i itself when there
 * is none. So points of a chain do not all become one. Returns how many points have another one as their first.
 * x: count x dim, of which the first three count; first: count.     [any] */
static inline uint32_t dv_same_places(const double *x, uint32_t dim, uint32_t count, double within, uint32_t *first)
{
    const double inverse = 0.25 / within;
    uint32_t buckets = 16, found = 0;
    while (buckets < count && buckets < 1u << 31)
        buckets *= 2;
    uint32_t *head = (uint32_t *)dv_alloc(buckets, sizeof *head); /* + 1; 0: none */
    uint32_t *next = (uint32_t *)dv_alloc(count, sizeof *next);
    DvPlaceCell *cell = (DvPlaceCell *)dv_alloc(count, sizeof *cell);
    for (uint32_t i = 0; i < count; i++) {
        double p[3] = {0, 0, 0};
        DvPlaceCell low, high, at;
        for (uint32_t c = 0; c < 3 && c < dim; c++)
            p[c] = x[(size_t)i * dim + c];
        first[i] = i;
        if (!(within > 0.0) || !(p[0] - p[0] == 0 && p[1] - p[1] == 0 && p[2] - p[2] == 0))
            continue;
        for (int c = 0; c < 3; c++) {
            low.at[c] = dv_place_cell(p[c] - within, inverse);
            high.at[c] = dv_place_cell(p[c] + within, inverse);
            cell[i].at[c] = dv_place_cell(p[c], inverse);
        }
        for (at.at[0] = low.at[0]; at.at[0] <= high.at[0]; at.at[0]++)
            for (at.at[1] = low.at[1]; at.at[1] <= high.at[1]; at.at[1]++)
                for (at.at[2] = low.at[2]; at.at[2] <= high.at[2]; at.at[2]++)
                    for (uint32_t j = head[dv_place_bucket(at, buckets - 1)]; j; j = next[j - 1]) {
                        double squares = 0.0;
                        for (uint32_t c = 0; c < 3 && c < dim; c++)
                            squares += (x[(size_t)(j - 1) * dim + c] - p[c]) * (x[(size_t)(j - 1) * dim + c] - p[c]);
                        if (memcmp(&cell[j - 1], &at, sizeof at) == 0 && squares <= within * within && j - 1 < first[i])
                            first[i] = j - 1;
                    }
        if (first[i] != i) {
            found++;
            continue;
        }
        uint32_t *bucket = &head[dv_place_bucket(cell[i], buckets - 1)];
        next[i] = *bucket;
        *bucket = i + 1;
    }
    dv_free(head);
    dv_free(next);
    dv_free(cell);
    return found;
}

/* first[e]: the smallest element with the same points as element e in any order; e itself when there is none before it. Returns how many
 * elements have another one as their first.     elements: count x nodes, at most 8 nodes; first: count     [any] */
static inline uint32_t dv_same_elements(const uint32_t *elements, uint32_t nodes, uint32_t count, uint32_t *first)
{
    uint32_t buckets = 16, found = 0;
    while (buckets < count && buckets < 1u << 31)
        buckets *= 2;
    uint32_t *head = (uint32_t *)dv_alloc(buckets, sizeof *head); /* + 1; 0: none */
    uint32_t *next = (uint32_t *)dv_alloc(count, sizeof *next);
    uint32_t *sorted = (uint32_t *)dv_alloc((size_t)count * nodes, sizeof *sorted);
    for (uint32_t e = 0; e < count; e++) {
        uint32_t *key = sorted + (size_t)e * nodes;
        uint64_t hash = 0;
        for (uint32_t i = 0; i < nodes; i++) {
            const uint32_t node = elements[(size_t)e * nodes + i];
            uint32_t place = i;
            for (; place > 0 && key[place - 1] > node; place--)
                key[place] = key[place - 1];
            key[place] = node;
        }
        for (uint32_t i = 0; i < nodes; i++) {
            hash = (hash ^ key[i]) * 0x9E3779B97F4A7C15u;
            hash ^= hash >> 29;
        }
        uint32_t *bucket = &head[(uint32_t)(hash >> 7) & (buckets - 1)], j = *bucket;
        while (j && memcmp(sorted + (size_t)(j - 1) * nodes, key, nodes * sizeof *key) != 0)
            j = next[j - 1];
        first[e] = j ? j - 1 : e;
        found += j != 0;
        if (j)
            continue;
        next[e] = *bucket;
        *bucket = e + 1;
    }
    dv_free(head);
    dv_free(next);
    dv_free(sorted);
    return found;
}

DV_END_DECLS
#endif
