/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finding the element of a point by a hash of cells: it looks at the same cells in the same order as an exact map from cells to
 * elements would.
 */
#include "location_search.h"

enum {
    MAX_CELLS_OF_AN_ELEMENT =
        1000 /* larger elements are kept in a list of their own: a hash of them could be of any size */
};

/* ---- Hash of cells */

typedef struct Cell {
    int32_t i, j, k;
} Cell;

typedef struct CellRange {
    Cell first, last; /* inclusive */
} CellRange;

typedef struct CellEntry {
    Cell cell;
    uint32_t element;
} CellEntry;

typedef struct CellHash {
    Search search;
    double size, inverse_size;
    CellRange *ranges;  /* [elements] */
    uint32_t mask;      /* buckets - 1 */
    uint32_t *start;    /* [buckets + 1] */
    CellEntry *entries; /* by bucket, elements ascending */
    uint32_t *large;    /* elements that are in no bucket, ascending */
    uint32_t large_count;
} CellHash;

static int32_t cell_coordinate(double x, double inverse_size)
{
    const double cell = floor(x * inverse_size);
    return cell > 1e9 ? 1000000000 : cell < -1e9 ? -1000000000 : (int32_t)cell;
}

static Cell cell_of(const CellHash *hash, DvVec3 p)
{
    return (Cell){cell_coordinate(p.x, hash->inverse_size), cell_coordinate(p.y, hash->inverse_size),
                  cell_coordinate(p.z, hash->inverse_size)};
}

static uint32_t bucket_of(const CellHash *hash, Cell c)
{
    const uint32_t key = (uint32_t)c.i * 73856093u ^ (uint32_t)c.j * 19349663u ^ (uint32_t)c.k * 83492791u;
    return (key ^ key >> 16) & hash->mask;
}

static bool same_cell(Cell a, Cell b)
{
    return a.i == b.i && a.j == b.j && a.k == b.k;
}

static bool range_holds(const CellRange *r, Cell c)
{
    return c.i >= r->first.i && c.i <= r->last.i && c.j >= r->first.j && c.j <= r->last.j && c.k >= r->first.k &&
           c.k <= r->last.k;
}

static double cells_in(const CellRange *r)
{
    return ((double)r->last.i - r->first.i + 1.0) * ((double)r->last.j - r->first.j + 1.0) *
           ((double)r->last.k - r->first.k + 1.0);
}

static double mean_length(const DvLocationMesh *mesh, DvElements edges)
{
    const DvElements *elements = &mesh->lists[0].elements;
    const uint32_t stride = edges.count ? 2 : dv_element_nodes(mesh->lists[0].kind);
    const uint32_t *at = edges.count ? edges.at : elements->at;
    const uint32_t count = edges.count ? edges.count : elements->count;
    double sum = 0.0;
    uint32_t used = 0;
    for (uint32_t e = 0; e < count; e++) {
        const uint32_t *nodes = at + (size_t)e * stride;
        if (nodes[0] >= mesh->point_count || nodes[1] >= mesh->point_count)
            continue;
        sum += dv_vec3_norm(dv_vec3_sub(point_at(mesh, nodes[1]), point_at(mesh, nodes[0])));
        used++;
    }
    return used ? sum / used : 0.0;
}

/* Calls for each cell of the elements that have buckets: counts entries per bucket, or stores them. */
static void hash_cells(CellHash *hash, CellEntry *entries, uint32_t *at)
{
    for (uint32_t e = 0; e < hash->search.count; e++) {
        const CellRange *r = &hash->ranges[e];
        if (!hash->search.frames[e].usable || cells_in(r) > MAX_CELLS_OF_AN_ELEMENT)
            continue;
        for (int32_t i = r->first.i; i <= r->last.i; i++)
            for (int32_t j = r->first.j; j <= r->last.j; j++)
                for (int32_t k = r->first.k; k <= r->last.k; k++) {
                    const Cell c = {i, j, k};
                    const uint32_t slot = at[bucket_of(hash, c)]++;
                    if (entries)
                        entries[slot] = (CellEntry){c, e};
                }
    }
}

static void hash_build(CellHash *hash)
{
    const DvLocationMesh *mesh = hash->search.mesh;
    const uint32_t count = hash->search.count;
    hash->ranges = dv_alloc(count, sizeof *hash->ranges);
    hash->large = dv_alloc(count, sizeof *hash->large);
    double total = 0.0;
    for (uint32_t e = 0; e < count; e++) {
        if (!hash->search.frames[e].usable)
            continue;
        DvElementKind kind;
        const uint32_t *nodes = location_element_nodes(mesh, e, &kind);
        DvVec3 lower = point_at(mesh, nodes[0]), upper = lower;
        for (uint32_t k = 1; k < dv_element_nodes(kind); k++) {
            lower = dv_vec3_min(lower, point_at(mesh, nodes[k]));
            upper = dv_vec3_max(upper, point_at(mesh, nodes[k]));
        }
        hash->ranges[e] = (CellRange){cell_of(hash, lower), cell_of(hash, upper)};
        const double cells = cells_in(&hash->ranges[e]);
        if (cells > MAX_CELLS_OF_AN_ELEMENT)
            hash->large[hash->large_count++] = e;
        else
            total += cells;
    }
    uint32_t buckets = 1;
    while (buckets < total && buckets < 1u << 24)
        buckets *= 2;
    hash->mask = buckets - 1;
    hash->start = dv_alloc((size_t)buckets + 1, sizeof *hash->start);
    hash->entries = dv_alloc((size_t)total, sizeof *hash->entries);
    hash_cells(hash, NULL, hash->start + 1);
    for (uint32_t b = 0; b < buckets; b++)
        hash->start[b + 1] += hash->start[b];
    /* start[b] moves to the end of bucket b, which is where bucket b + 1 started: shifted back by one afterwards. */
    hash_cells(hash, hash->entries, hash->start);
    for (uint32_t b = buckets; b > 0; b--)
        hash->start[b] = hash->start[b - 1];
    hash->start[0] = 0;
}

/* Compares the elements of one cell, ascending; whether there is any. */
static bool compare_cell(const CellHash *hash, Cell cell, DvVec3 p, DvLocation *best, double *best_score)
{
    const uint32_t bucket = bucket_of(hash, cell);
    uint32_t at = hash->start[bucket], large = 0;
    const uint32_t end = hash->start[bucket + 1];
    bool any = false;
    for (;;) {
        while (at < end && !same_cell(hash->entries[at].cell, cell))
            at++;
        while (large < hash->large_count && !range_holds(&hash->ranges[hash->large[large]], cell))
            large++;
        const uint32_t a = at < end ? hash->entries[at].element : DV_NO_ELEMENT;
        const uint32_t b = large < hash->large_count ? hash->large[large] : DV_NO_ELEMENT;
        if (a == DV_NO_ELEMENT && b == DV_NO_ELEMENT)
            return any;
        const uint32_t element = a < b ? a : b;
        compare(&hash->search.frames[element], element, p, best, best_score);
        any = true;
        if (a < b)
            at++;
        else
            large++;
    }
}

static void locate_by_hash_chunk(void *context, uint32_t begin, uint32_t end)
{
    const CellHash *hash = context;
    for (uint32_t i = begin; i < end; i++) {
        const DvVec3 p = point_to_locate(&hash->search, i);
        const Cell c = cell_of(hash, p);
        DvLocation *best = &hash->search.out[i];
        double best_score = INFINITY;
        *best = (DvLocation){DV_NO_ELEMENT, {0.0, 0.0, 0.0}};
        if (!compare_cell(hash, c, p, best, &best_score)) {
            location_in_all(&hash->search, p, best);
            continue;
        }
        if (!(fabs(best_score) > 0.5 * hash->size))
            continue;
        for (int32_t x = -1; x <= 1; x++)
            for (int32_t y = -1; y <= 1; y++)
                for (int32_t z = -1; z <= 1; z++)
                    (void)compare_cell(hash, (Cell){c.i + x, c.j + y, c.k + z}, p, best, &best_score);
    }
}

void dv_locate_by_hash(const DvLocationMesh *mesh, DvElements edges, DvLocationPoints points, DvLocation *out)
{
    CellHash hash = {.size = mean_length(mesh, edges)};
    location_search_begin(&hash.search, mesh, points, out);
    hash.inverse_size = 1.0 / hash.size;
    if (isfinite(hash.inverse_size)) {
        hash_build(&hash);
        dv_parallel_for(points.count, DV_POINTS_PER_CHUNK, locate_by_hash_chunk, &hash);
        dv_free(hash.ranges);
        dv_free(hash.large);
        dv_free(hash.start);
        dv_free(hash.entries);
    } else {
        dv_parallel_for(points.count, DV_POINTS_PER_CHUNK, location_in_all_chunk, &hash.search);
    }
    location_search_end(&hash.search);
}
