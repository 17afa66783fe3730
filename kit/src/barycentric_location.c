/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finding the element a point hangs on; see barycentric_location.h.
 *
 * The exhaustive search rejects an element by the box of the region where d <= 0 and computes scores only inside boxes: the winner
 * is the same. The hashed search looks at the same cells in the same order as an exact map from cells to elements would.
 */
#include <divan/kit/barycentric_location.h>

#include <divan/math/mat.h>
#include <divan/memory.h>
#include <divan/parallel.h>

#include <stdlib.h>

enum {
    DV_POINTS_PER_CHUNK = 64,
    MAX_CELLS_OF_AN_ELEMENT =
        1000 /* larger elements are kept in a list of their own: a hash of them could be of any size */
};

/* How flat an element may be, |det| / (|b1| |b2| |b3|): below FLATTEST its local coordinates are noise; below FLAT rounding may
 * move d = 0 by more than the margin of its box. */
static const double FLATTEST = 1e-14, FLAT = 1e-6;

typedef struct Frame {
    DvMat3 inverse;
    DvVec3 origin, center;
    DvElementKind kind;
    bool usable;
} Frame;

typedef struct Box {
    DvVec3 lower, upper;
} Box;

typedef struct Search {
    const DvLocationMesh *mesh;
    DvLocationPoints points;
    DvLocation *out;
    uint32_t count; /* elements */
    Frame *frames;
    Box *boxes;
} Search;

static const uint32_t *element_nodes(const DvLocationMesh *mesh, uint32_t element, DvElementKind *kind)
{
    uint32_t list = 0;
    while (element >= mesh->lists[list].elements.count) {
        element -= mesh->lists[list].elements.count;
        list++;
    }
    *kind = mesh->lists[list].kind;
    return mesh->lists[list].elements.at + (size_t)element * dv_element_nodes(*kind);
}

static uint32_t element_count(const DvLocationMesh *mesh)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < mesh->list_count; i++)
        count += mesh->lists[i].elements.count;
    return count;
}

static DvVec3 point_at(const DvLocationMesh *mesh, uint32_t node)
{
    return dv_vec3_load(mesh->points + 3 * (size_t)node);
}

/* The box around x0 + [0, 1] b1 + [0, 1] b2 + [0, 1] b3, of surfaces with 0.01 b3 on both sides, a little larger. */
static Box box_around(DvElementKind kind, DvVec3 origin, DvVec3 b1, DvVec3 b2, DvVec3 b3)
{
    const DvVec3 zero = dv_vec3_zero();
    Box box;
    if (kind == DV_TRIANGLES || kind == DV_QUADS) {
        const DvVec3 height = dv_vec3_max(dv_vec3_scale(b3, 0.01), dv_vec3_scale(b3, -0.01));
        box.lower = dv_vec3_sub(dv_vec3_add(dv_vec3_min(zero, b1), dv_vec3_min(zero, b2)), height);
        box.upper = dv_vec3_add(dv_vec3_add(dv_vec3_max(zero, b1), dv_vec3_max(zero, b2)), height);
    } else if (kind == DV_TETRAHEDRA) {
        box.lower = dv_vec3_min(dv_vec3_min(zero, b1), dv_vec3_min(b2, b3));
        box.upper = dv_vec3_max(dv_vec3_max(zero, b1), dv_vec3_max(b2, b3));
    } else {
        box.lower = dv_vec3_add(dv_vec3_add(dv_vec3_min(zero, b1), dv_vec3_min(zero, b2)), dv_vec3_min(zero, b3));
        box.upper = dv_vec3_add(dv_vec3_add(dv_vec3_max(zero, b1), dv_vec3_max(zero, b2)), dv_vec3_max(zero, b3));
    }
    const double margin = 1e-6 * dv_vec3_norm(dv_vec3_sub(box.upper, box.lower)) + 1e-9 * dv_vec3_norm(origin);
    const DvVec3 around = dv_vec3(margin, margin, margin);
    box.lower = dv_vec3_sub(dv_vec3_add(origin, box.lower), around);
    box.upper = dv_vec3_add(dv_vec3_add(origin, box.upper), around);
    return box;
}

static void make_frame(const DvLocationMesh *mesh, uint32_t element, Frame *frame, Box *box)
{
    /* Nodes at the ends of b1, b2, b3 (surfaces: b1 x b2), by element kind. */
    static const uint8_t base[DV_ELEMENT_KINDS][3] = {
        [DV_TRIANGLES] = {1, 2, 0}, [DV_QUADS] = {1, 3, 0}, [DV_TETRAHEDRA] = {1, 2, 3}, [DV_HEXAHEDRA] = {1, 3, 4}};
    const uint32_t *nodes = element_nodes(mesh, element, &frame->kind);
    const uint32_t n = dv_element_nodes(frame->kind);
    frame->usable = false;
    *box = (Box){dv_vec3(INFINITY, INFINITY, INFINITY), dv_vec3(-INFINITY, -INFINITY, -INFINITY)};
    for (uint32_t k = 0; k < n; k++)
        if (nodes[k] >= mesh->point_count)
            return; /* left over from a removed point */

    DvVec3 sum = point_at(mesh, nodes[0]);
    frame->origin = sum;
    for (uint32_t k = 1; k < n; k++)
        sum = dv_vec3_add(sum, point_at(mesh, nodes[k]));
    frame->center = dv_vec3(sum.x / n, sum.y / n, sum.z / n);
    const uint8_t *to = base[frame->kind];
    const DvVec3 b1 = dv_vec3_sub(point_at(mesh, nodes[to[0]]), frame->origin);
    const DvVec3 b2 = dv_vec3_sub(point_at(mesh, nodes[to[1]]), frame->origin);
    const DvVec3 b3 = to[2] ? dv_vec3_sub(point_at(mesh, nodes[to[2]]), frame->origin) : dv_vec3_cross(b1, b2);
    const double det = dv_mat3_inverse(dv_mat3_from_columns(b1, b2, b3), &frame->inverse);
    const double flatness = fabs(det) / (dv_vec3_norm(b1) * dv_vec3_norm(b2) * dv_vec3_norm(b3));
    if (!(flatness > FLATTEST))
        return;
    frame->usable = true;
    *box = flatness > FLAT ? box_around(frame->kind, frame->origin, b1, b2, b3)
                           : (Box){dv_vec3(-INFINITY, -INFINITY, -INFINITY), dv_vec3(INFINITY, INFINITY, INFINITY)};
}

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

/* d of barycentric_location.h. */
static inline double depth(DvElementKind kind, DvVec3 v)
{
    switch (kind) {
    case DV_TRIANGLES:
        return larger(larger(-v.x, -v.y), larger(fabs(v.z) - 0.01, v.x + v.y - 1.0));
    case DV_QUADS:
        return larger(larger(larger(-v.x, -v.y), larger(v.y - 1.0, v.x - 1.0)), fabs(v.z) - 0.01);
    case DV_TETRAHEDRA:
        return larger(larger(-v.x, -v.y), larger(-v.z, v.x + v.y + v.z - 1.0));
    default:
        return larger(larger(larger(-v.x, -v.y), larger(-v.z, v.x - 1.0)), larger(v.y - 1.0, v.z - 1.0));
    }
}

static inline DvVec3 local_coordinates(const Frame *frame, DvVec3 p)
{
    return dv_mat3_mul_vec(frame->inverse, dv_vec3_sub(p, frame->origin));
}

/* Takes the element if its score is smaller than the best so far. */
static inline void compare(const Frame *frame, uint32_t element, DvVec3 p, DvLocation *best, double *best_score)
{
    if (!frame->usable)
        return;
    const DvVec3 v = local_coordinates(frame, p);
    const double d = depth(frame->kind, v);
    const double score = d > 0.0 ? dv_vec3_norm_squared(dv_vec3_sub(p, frame->center)) : d;
    if (score < *best_score) {
        *best_score = score;
        *best = (DvLocation){element, v};
    }
}

static inline bool box_holds(const Box *box, DvVec3 p)
{
    return p.x >= box->lower.x && p.x <= box->upper.x && p.y >= box->lower.y && p.y <= box->upper.y &&
           p.z >= box->lower.z && p.z <= box->upper.z;
}

/* All elements, those whose box does not hold the point by their centre alone. */
static void locate_one_in_all(const Search *s, DvVec3 p, DvLocation *best)
{
    double best_score = INFINITY;
    *best = (DvLocation){DV_NO_ELEMENT, {0.0, 0.0, 0.0}};
    for (uint32_t e = 0; e < s->count; e++)
        if (box_holds(&s->boxes[e], p))
            compare(&s->frames[e], e, p, best, &best_score);
    if (best_score <= 0.0)
        return;
    best_score = INFINITY;
    for (uint32_t e = 0; e < s->count; e++) {
        const Frame *frame = &s->frames[e];
        const double score = frame->usable ? dv_vec3_norm_squared(dv_vec3_sub(p, frame->center)) : INFINITY;
        if (score < best_score) {
            best_score = score;
            best->element = e;
        }
    }
    if (best->element != DV_NO_ELEMENT)
        best->at = local_coordinates(&s->frames[best->element], p);
}

static DvVec3 point_to_locate(const Search *s, uint32_t i)
{
    return dv_vec3_load(s->points.at + (size_t)i * s->points.dim);
}

static void locate_in_all_chunk(void *context, uint32_t begin, uint32_t end)
{
    const Search *s = context;
    for (uint32_t i = begin; i < end; i++)
        locate_one_in_all(s, point_to_locate(s, i), &s->out[i]);
}

static void search_begin(Search *s, const DvLocationMesh *mesh, DvLocationPoints points, DvLocation *out)
{
    *s = (Search){.mesh = mesh, .points = points, .out = out, .count = element_count(mesh)};
    s->frames = dv_alloc(s->count, sizeof *s->frames);
    s->boxes = dv_alloc(s->count, sizeof *s->boxes);
    for (uint32_t e = 0; e < s->count; e++)
        make_frame(mesh, e, &s->frames[e], &s->boxes[e]);
}

static void search_end(Search *s)
{
    dv_free(s->frames);
    dv_free(s->boxes);
}

void dv_locate_in_all(const DvLocationMesh *mesh, DvLocationPoints points, DvLocation *out)
{
    Search s;
    search_begin(&s, mesh, points, out);
    dv_parallel_for(points.count, DV_POINTS_PER_CHUNK, locate_in_all_chunk, &s);
    search_end(&s);
}

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
        const uint32_t *nodes = element_nodes(mesh, e, &kind);
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
            locate_one_in_all(&hash->search, p, best);
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
    search_begin(&hash.search, mesh, points, out);
    hash.inverse_size = 1.0 / hash.size;
    if (isfinite(hash.inverse_size)) {
        hash_build(&hash);
        dv_parallel_for(points.count, DV_POINTS_PER_CHUNK, locate_by_hash_chunk, &hash);
        dv_free(hash.ranges);
        dv_free(hash.large);
        dv_free(hash.start);
        dv_free(hash.entries);
    } else {
        dv_parallel_for(points.count, DV_POINTS_PER_CHUNK, locate_in_all_chunk, &hash.search);
    }
    search_end(&hash.search);
}

/* ---- The nearest element, in a tree of boxes */

enum { ELEMENTS_OF_A_LEAF = 4, DEEPEST = 64 };

/* Distances that differ by less, in proportion, are the same: rounding and the unit of length decide nothing. */
static const double EQUALLY_NEAR = 1e-9;

typedef struct TreeNode {
    Box box;
    uint32_t begin, end; /* into the order */
    uint32_t right;      /* the left one follows; 0: a leaf */
} TreeNode;

typedef struct TreeEntry {
    double at; /* centre along the axis that is being cut */
    uint32_t element;
} TreeEntry;

typedef struct Tree {
    Search search;
    TreeEntry *order; /* elements that can be used */
    TreeNode *nodes;
    uint32_t count;
} Tree;

static double coordinate(DvVec3 p, uint32_t axis)
{
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

static uint32_t element_corners(const DvLocationMesh *mesh, uint32_t element, DvElementKind *kind, DvVec3 corner[8])
{
    const uint32_t *nodes = element_nodes(mesh, element, kind);
    const uint32_t n = dv_element_nodes(*kind);
    for (uint32_t k = 0; k < n; k++)
        corner[k] = point_at(mesh, nodes[k]);
    return n;
}

static Box box_of_corners(const DvLocationMesh *mesh, uint32_t element)
{
    DvElementKind kind;
    DvVec3 corner[8];
    const uint32_t n = element_corners(mesh, element, &kind, corner);
    Box box = {corner[0], corner[0]};
    for (uint32_t k = 1; k < n; k++) {
        box.lower = dv_vec3_min(box.lower, corner[k]);
        box.upper = dv_vec3_max(box.upper, corner[k]);
    }
    return box;
}

static int compare_entries(const void *a_, const void *b_)
{
    const TreeEntry *a = a_, *b = b_;
    return a->at < b->at ? -1 : a->at > b->at ? 1 : a->element < b->element ? -1 : a->element > b->element;
}

static uint32_t grow_tree(Tree *tree, uint32_t begin, uint32_t end)
{
    const uint32_t number = tree->count++;
    const Box *boxes = tree->search.boxes;
    Box box = boxes[tree->order[begin].element];
    for (uint32_t i = begin + 1; i < end; i++) {
        box.lower = dv_vec3_min(box.lower, boxes[tree->order[i].element].lower);
        box.upper = dv_vec3_max(box.upper, boxes[tree->order[i].element].upper);
    }
    tree->nodes[number] = (TreeNode){box, begin, end, 0};
    if (end - begin <= ELEMENTS_OF_A_LEAF)
        return number;
    const DvVec3 size = dv_vec3_sub(box.upper, box.lower);
    const uint32_t axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    for (uint32_t i = begin; i < end; i++)
        tree->order[i].at = coordinate(tree->search.frames[tree->order[i].element].center, axis);
    qsort(tree->order + begin, end - begin, sizeof *tree->order, compare_entries);
    const uint32_t middle = begin + (end - begin) / 2;
    (void)grow_tree(tree, begin, middle);
    tree->nodes[number].right = grow_tree(tree, middle, end);
    return number;
}

static double box_distance_squared(const Box *box, DvVec3 p)
{
    const DvVec3 zero = dv_vec3_zero(), below = dv_vec3_max(dv_vec3_sub(box->lower, p), zero),
                 above = dv_vec3_max(dv_vec3_sub(p, box->upper), zero);
    return dv_vec3_norm_squared(dv_vec3_add(below, above));
}

static double segment_distance_squared(DvVec3 p, DvVec3 a, DvVec3 b)
{
    const DvVec3 along = dv_vec3_sub(b, a), from = dv_vec3_sub(p, a);
    const double length = dv_vec3_norm_squared(along);
    const double share = length > 0.0 ? fmin(fmax(dv_vec3_dot(from, along) / length, 0.0), 1.0) : 0.0;
    return dv_vec3_norm_squared(dv_vec3_madd(from, -share, along));
}

static double triangle_distance_squared(DvVec3 p, DvVec3 a, DvVec3 b, DvVec3 c)
{
    const DvVec3 ab = dv_vec3_sub(b, a), ac = dv_vec3_sub(c, a), ap = dv_vec3_sub(p, a);
    const DvVec3 normal = dv_vec3_cross(ab, ac);
    const double square = dv_vec3_norm_squared(normal), of_b = dv_vec3_dot(dv_vec3_cross(ap, ac), normal),
                 of_c = dv_vec3_dot(dv_vec3_cross(ab, ap), normal), height = dv_vec3_dot(ap, normal);
    if (square > 0.0 && of_b >= 0.0 && of_c >= 0.0 && of_b + of_c <= square)
        return height * height / square;
    return fmin(segment_distance_squared(p, a, b),
                fmin(segment_distance_squared(p, b, c), segment_distance_squared(p, c, a)));
}

/* Position at local coordinates and its derivatives, of a quad (whose third is 0) or a hexahedron. */
static DvVec3 place_at(const DvVec3 *corner, uint32_t n, DvVec3 v, DvVec3 slope[3])
{
    static const double end[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    const double at[3] = {v.x, v.y, n == 8 ? v.z : 0.0};
    DvVec3 place = dv_vec3_zero();
    for (uint32_t axis = 0; axis < 3; axis++)
        slope[axis] = dv_vec3_zero();
    for (uint32_t k = 0; k < n; k++) {
        double part[3], sign[3];
        for (uint32_t axis = 0; axis < 3; axis++) {
            sign[axis] = 2.0 * end[k][axis] - 1.0;
            part[axis] = 1.0 - end[k][axis] + sign[axis] * at[axis];
        }
        place = dv_vec3_madd(place, part[0] * part[1] * part[2], corner[k]);
        slope[0] = dv_vec3_madd(slope[0], sign[0] * part[1] * part[2], corner[k]);
        slope[1] = dv_vec3_madd(slope[1], part[0] * sign[1] * part[2], corner[k]);
        slope[2] = dv_vec3_madd(slope[2], part[0] * part[1] * sign[2], corner[k]);
    }
    if (n == 4)
        slope[2] = dv_vec3_cross(slope[0], slope[1]); /* what is off the surface stays out of the others */
    return place;
}

/* Newton's iteration for the local coordinates of p, from those of the frame, which stay where it does not contract: rounding would
 * decide where it ends. */
static DvVec3 curved_coordinates(const Frame *frame, const DvVec3 *corner, uint32_t n, DvVec3 p)
{
    const DvVec3 start = local_coordinates(frame, p);
    DvVec3 v = start;
    double before = 1e3;
    for (int step = 0; step < 32; step++) {
        DvVec3 slope[3];
        DvMat3 inverse;
        const DvVec3 off = dv_vec3_sub(p, place_at(corner, n, v, slope));
        if (dv_mat3_inverse(dv_mat3_from_columns(slope[0], slope[1], slope[2]), &inverse) == 0.0)
            return start;
        DvVec3 change = dv_mat3_mul_vec(inverse, off);
        if (n == 4)
            change.z = 0.0;
        v = dv_vec3_add(v, change);
        const double size = dv_vec3_norm(change);
        if (size < 1e-12)
            return v;
        if (!(size < 0.9 * before))
            return start;
        before = size;
    }
    return start;
}

/* Local coordinates of p in the element, and the squared distance to it. */
static double meet_element(const Search *s, uint32_t element, DvVec3 p, DvVec3 *at)
{
    static const uint8_t faces[DV_ELEMENT_KINDS][12][3] = {
        [DV_TRIANGLES] = {{0, 1, 2}},
        [DV_QUADS] = {{0, 1, 2}, {0, 2, 3}},
        [DV_TETRAHEDRA] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}},
        [DV_HEXAHEDRA] = {{0, 1, 2},
                          {0, 2, 3},
                          {4, 5, 6},
                          {4, 6, 7},
                          {0, 1, 5},
                          {0, 5, 4},
                          {1, 2, 6},
                          {1, 6, 5},
                          {2, 3, 7},
                          {2, 7, 6},
                          {3, 0, 4},
                          {3, 4, 7}}};
    static const uint8_t face_count[DV_ELEMENT_KINDS] = {
        [DV_TRIANGLES] = 1, [DV_QUADS] = 2, [DV_TETRAHEDRA] = 4, [DV_HEXAHEDRA] = 12};
    const Frame *frame = &s->frames[element];
    DvElementKind kind;
    DvVec3 corner[8];
    const uint32_t n = element_corners(s->mesh, element, &kind, corner);
    const bool curved = kind == DV_QUADS || kind == DV_HEXAHEDRA, volume = n == 8 || kind == DV_TETRAHEDRA;
    *at = curved ? curved_coordinates(frame, corner, n, p) : local_coordinates(frame, p);
    if (volume && depth(kind, *at) <= 0.0)
        return 0.0;
    double least = INFINITY;
    for (uint32_t f = 0; f < face_count[kind]; f++) {
        const uint8_t *face = faces[kind][f];
        least = fmin(least, triangle_distance_squared(p, corner[face[0]], corner[face[1]], corner[face[2]]));
    }
    return least;
}

static void locate_on_nearest_one(const Tree *tree, DvVec3 p, DvLocation *best)
{
    uint32_t stack[DEEPEST], open = 0;
    double least = INFINITY;
    *best = (DvLocation){DV_NO_ELEMENT, {0.0, 0.0, 0.0}};
    if (tree->count > 0)
        stack[open++] = 0;
    while (open > 0) {
        const TreeNode *node = &tree->nodes[stack[--open]];
        if (box_distance_squared(&node->box, p) > least * (1.0 + EQUALLY_NEAR))
            continue;
        if (node->right) {
            const uint32_t left = (uint32_t)(node - tree->nodes) + 1;
            const bool left_first = box_distance_squared(&tree->nodes[left].box, p) <=
                                    box_distance_squared(&tree->nodes[node->right].box, p);
            stack[open++] = left_first ? node->right : left;
            stack[open++] = left_first ? left : node->right;
            continue;
        }
        for (uint32_t i = node->begin; i < node->end; i++) {
            const uint32_t element = tree->order[i].element;
            DvVec3 at;
            const double distance = meet_element(&tree->search, element, p, &at);
            if (distance < least * (1.0 - EQUALLY_NEAR) ||
                (distance <= least * (1.0 + EQUALLY_NEAR) && element < best->element)) {
                least = distance;
                *best = (DvLocation){element, at};
            }
        }
    }
}

static void locate_on_nearest_chunk(void *context, uint32_t begin, uint32_t end)
{
    const Tree *tree = context;
    for (uint32_t i = begin; i < end; i++)
        locate_on_nearest_one(tree, point_to_locate(&tree->search, i), &tree->search.out[i]);
}

void dv_locate_on_nearest(const DvLocationMesh *mesh, DvLocationPoints points, DvLocation *out)
{
    Tree tree = {.count = 0};
    search_begin(&tree.search, mesh, points, out);
    tree.order = dv_alloc(tree.search.count, sizeof *tree.order);
    tree.nodes = dv_alloc(2 * (size_t)tree.search.count, sizeof *tree.nodes);
    uint32_t usable = 0;
    for (uint32_t e = 0; e < tree.search.count; e++)
        if (tree.search.frames[e].usable) {
            tree.search.boxes[e] = box_of_corners(mesh, e);
            tree.order[usable++].element = e;
        }
    if (usable > 0)
        (void)grow_tree(&tree, 0, usable);
    dv_parallel_for(points.count, DV_POINTS_PER_CHUNK, locate_on_nearest_chunk, &tree);
    dv_free(tree.order);
    dv_free(tree.nodes);
    search_end(&tree.search);
}

/* ---- Edges and grids */

/* Share of the second node at the foot of the perpendicular from p; 0 on an edge without length. False when it has no points. */
static bool edge_share(const DvLocationMesh *mesh, uint32_t edge, DvVec3 p, double *share, double *distance_squared)
{
    const uint32_t *nodes = mesh->lists[0].elements.at + 2 * (size_t)edge;
    if (nodes[0] >= mesh->point_count || nodes[1] >= mesh->point_count)
        return false;
    const DvVec3 x0 = point_at(mesh, nodes[0]), along = dv_vec3_sub(point_at(mesh, nodes[1]), x0),
                 from = dv_vec3_sub(p, x0);
    const double length = dv_vec3_norm(along);
    *share = 0.0;
    if (length > 0.0) {
        const DvVec3 unit = dv_vec3(along.x / length, along.y / length, along.z / length);
        *share = dv_vec3_dot(from, unit) / length;
    }
    *distance_squared = dv_vec3_norm_squared(dv_vec3_madd(from, -fmin(fmax(*share, 0.0), 1.0), along));
    return true;
}

static void locate_on_edges(const DvLocationMesh *mesh, DvLocationPoints points, DvLocation *out, bool nearest)
{
    const uint32_t count = mesh->lists[0].elements.count;
    for (uint32_t i = 0; i < points.count; i++) {
        const DvVec3 p = dv_vec3_load(points.at + (size_t)i * points.dim);
        double best_distance = INFINITY;
        out[i] = (DvLocation){DV_NO_ELEMENT, {0.0, 0.0, 0.0}};
        for (uint32_t e = 0; e < count; e++) {
            double share, distance;
            if (!edge_share(mesh, e, p, &share, &distance) || (nearest && !(distance < best_distance)))
                continue;
            best_distance = distance;
            out[i] = (DvLocation){e, {share, 0.0, 0.0}};
            if (!nearest && share >= 0.0 && share <= 1.0)
                break;
        }
    }
}

void dv_locate_on_first_edge(const DvLocationMesh *mesh, DvLocationPoints points, DvLocation *out)
{
    locate_on_edges(mesh, points, out, false);
}

void dv_locate_on_nearest_edge(const DvLocationMesh *mesh, DvLocationPoints points, DvLocation *out)
{
    locate_on_edges(mesh, points, out, true);
}

bool dv_locate_in_grid(const DvGridShape *shape, DvLocationPoints points, DvLocation *out)
{
    const uint32_t *n = shape->n;
    if (n[0] < 2 || n[1] < 2 || n[2] < 2)
        return false;
    for (uint32_t i = 0; i < points.count; i++) {
        const double *p = points.at + (size_t)i * points.dim;
        double cell[3], fraction[3];
        for (uint32_t k = 0; k < 3; k++) {
            const double step = shape->step[k];
            const double x = step != 0.0 ? (p[k] - shape->min[k]) * step / (step * step) : 0.0;
            /* Outside, the nearest cell extrapolates. */
            cell[k] = fmin(fmax(floor(x), 0.0), n[k] - 2.0);
            fraction[k] = x - cell[k];
        }
        const uint32_t ix = (uint32_t)cell[0], iy = (uint32_t)cell[1], iz = (uint32_t)cell[2];
        out[i] = (DvLocation){ix + (n[0] - 1) * (iy + (n[1] - 1) * iz), {fraction[0], fraction[1], fraction[2]}};
    }
    return true;
}

/* ---- Weights */

static const uint8_t rows_of_hexahedron[8] = {0, 1, 3, 2, 4, 5, 7, 6}, rows_of_quad[4] = {0, 1, 3, 2};
static const uint8_t in_order[8] = {0, 1, 2, 3, 4, 5, 6, 7};

static void hexahedron_weights(DvVec3 v, double w[8])
{
    const double x = v.x, y = v.y, z = v.z;
    w[0] = (1.0 - x) * (1.0 - y) * (1.0 - z);
    w[1] = x * (1.0 - y) * (1.0 - z);
    w[2] = x * y * (1.0 - z);
    w[3] = (1.0 - x) * y * (1.0 - z);
    w[4] = (1.0 - x) * (1.0 - y) * z;
    w[5] = x * (1.0 - y) * z;
    w[6] = x * y * z;
    w[7] = (1.0 - x) * y * z;
}

uint32_t dv_location_weights(const DvLocationMesh *mesh, DvLocation location, bool by_rows, uint32_t nodes[8],
                             double weights[8])
{
    DvElementKind kind;
    const uint32_t *of_element = element_nodes(mesh, location.element, &kind);
    const uint32_t n = dv_element_nodes(kind);
    const DvVec3 v = location.at;
    const uint8_t *order = in_order;
    double w[8] = {0};
    switch (kind) {
    case DV_EDGES:
        w[0] = 1.0 - v.x;
        w[1] = v.x;
        break;
    case DV_TRIANGLES:
        w[0] = 1.0 - v.x - v.y;
        w[1] = v.x;
        w[2] = v.y;
        break;
    case DV_QUADS:
        w[0] = (1.0 - v.x) * (1.0 - v.y);
        w[1] = v.x * (1.0 - v.y);
        w[2] = v.x * v.y;
        w[3] = (1.0 - v.x) * v.y;
        order = by_rows ? rows_of_quad : in_order;
        break;
    case DV_TETRAHEDRA:
        w[0] = 1.0 - v.x - v.y - v.z;
        w[1] = v.x;
        w[2] = v.y;
        w[3] = v.z;
        break;
    default:
        hexahedron_weights(v, w);
        order = by_rows ? rows_of_hexahedron : in_order;
    }
    for (uint32_t k = 0; k < n; k++) {
        nodes[k] = of_element[order[k]];
        weights[k] = w[order[k]];
    }
    return n;
}

uint32_t dv_location_weights_in_grid(const DvGridShape *shape, DvLocation location, uint32_t nodes[8],
                                     double weights[8])
{
    const uint32_t nx = shape->n[0], ny = shape->n[1];
    const uint32_t ix = location.element % (nx - 1), rest = location.element / (nx - 1);
    const uint32_t first = ix + nx * (rest % (ny - 1) + ny * (rest / (ny - 1)));
    const uint32_t of_cell[8] = {first,           first + 1,           first + 1 + nx,           first + nx,
                                 first + nx * ny, first + 1 + nx * ny, first + 1 + nx + nx * ny, first + nx + nx * ny};
    double w[8];
    hexahedron_weights(location.at, w);
    for (uint32_t k = 0; k < 8; k++) {
        nodes[k] = of_cell[rows_of_hexahedron[k]];
        weights[k] = w[rows_of_hexahedron[k]];
    }
    return 8;
}
