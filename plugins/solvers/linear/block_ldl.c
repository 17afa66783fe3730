/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Supernodal LDL^T of block matrices, left-looking (Ng and Peyton 1993; Davis, Direct Methods for Sparse Linear Systems,
 * 2006, chapters 4 and 6).
 *
 *   analyse  order the node graph, elimination tree, column counts; columns with the same structure below the diagonal
 *            become a supernode, and small supernodes are merged with their parents where the zeros that this stores cost
 *            less than the bookkeeping that it saves; then the rows of each supernode and, for each supernode, the list of
 *            earlier ones that update it
 *   factor   supernode by supernode: scatter the entries of A, subtract the updates of earlier supernodes as dense products,
 *            factor the dense panel
 *   solve    forward and backward sweep over the panels
 *
 * Everything symbolic is in nodes, everything numeric in scalars: D is a diagonal of scalars whatever the block size.
 * Panels are column-major with their own columns on top (dense_panel.h). Several threads take supernodes that do not depend
 * on one another, and share the rows of large ones; each panel is computed in one order of sums that follows from the
 * pattern alone, so that results depend neither on the threads nor on the machine.
 *
 * Limits: 32-bit node indices and entries of A; meant for up to some ten thousand unknowns of a solid.
 */
#include "block_ldl.h"

#include "block_product.h"
#include "dense_panel.h"

#include <divan/memory.h>
#include <divan/parallel.h>

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t NONE = UINT32_MAX;

/* Columns [first, first + width) of the factor, in nodes and in the order of elimination. */
typedef struct Supernode {
    uint32_t first, width;
    uint32_t below;   /* nodes below the diagonal block */
    uint32_t ld;      /* in doubles */
    uint64_t rows;    /* [below] at factor->rows + rows: ascending node positions */
    uint64_t panel;   /* [ld x width * b] at factor->panels + panel */
    uint32_t updates; /* first of its updates; those of supernode s end where those of s + 1 begin */
    uint32_t entries; /* first of its entries of A, likewise */
} Supernode;

/* Rows [begin, end) of an earlier supernode lie in the columns of the supernode that this update belongs to. */
typedef struct Update {
    uint32_t source;
    uint32_t begin, end;
} Update;

/* Where a block of A goes: an offset into its supernode's panel. */
typedef struct Entry {
    uint32_t block;
    uint32_t offset;
} Entry;

/* Consecutive rows of a product that are consecutive in the panel they are subtracted from, in doubles. */
typedef struct Run {
    uint32_t from, to, length;
} Run;

/* What one thread needs to compute a panel. */
typedef struct Scratch {
    double *product;   /* one update */
    double *packed;    /* one packed factor */
    Run *runs;         /* [largest number of rows] */
    uint32_t *row_map; /* [nodes] node position -> row of the current panel, in nodes */
    atomic_bool taken;
} Scratch;

enum {
    ROWS_PER_CHUNK = 32,   /* nodes of a large update or panel that one task takes */
    GROUPS_PER_CHUNK = 12, /* of 8 rows, likewise */
    MAX_SCRATCH = 128      /* more threads than this wait for one another */
};

/* Multiplications below which threads cost more than they bring: in a product, in a factorization. */
static const double WORTH_SPLITTING = 3e5, WORTH_THREADS = 2e7;

/* A pivot that has shrunk to less than this part of its diagonal entry has cost so many digits that solutions are checked. */
static const double LOST_DIGITS = 1e-7;

/* Residual, relative to the right-hand side, that ends refinement. */
static const double REFINED = 1e-14;

enum { MAX_REFINEMENTS = 10 };

struct DvBlockLdl {
    const DvDenseKernels *kernels;
    uint32_t nodes, block, entries_of_a;
    uint32_t analyses;
    DvOrderNodes order_nodes; /* or NULL */
    void *order_context;
    uint32_t *order;    /* [nodes] node eliminated as k-th */
    uint32_t *position; /* [nodes] its inverse */
    uint8_t *kept;      /* [entries_of_a] blocks of A that take part */
    uint32_t *dropped;  /* [dropped_count] blocks left out */
    uint32_t dropped_count;

    Supernode *supernodes; /* [supernode_count + 1], the last one holds the ends */
    uint32_t supernode_count;
    uint32_t *rows;
    Update *updates;
    Entry *entries;
    uint64_t nonzeros;
    double flops;

    double *panels;                    /* L */
    double *pivots;                    /* [nodes x b] D */
    double *inverse;                   /* [nodes x b] 1 / D */
    double *scale;                     /* [nodes x b] sizes of the diagonal entries of A, in the order of elimination */
    double *iterate, *residual, *best; /* [nodes x b + 1] of dv_block_ldl_refine */
    atomic_bool delicate;              /* some pivot lost many digits: solutions want refinement */
    Scratch scratch[MAX_SCRATCH];
    uint32_t scratch_count;
    uint64_t product_size, packed_size, runs_size; /* of each scratch */
    uint32_t *by_level;    /* [supernode_count] supernodes by height in their tree, those without children first */
    uint32_t *level_start; /* [level_count + 1] */
    uint32_t level_count;
    double *work;      /* [capacity x work_size] right-hand sides in the order of elimination */
    double *panel_rhs; /* one right-hand side gathered for one panel */
    uint64_t work_size;
    uint32_t capacity;
};

/* ---- analysis ------------------------------------------------------------------------------------------------------- */

/* Node graph of the blocks that are kept, without the diagonal. */
typedef struct Graph {
    uint32_t *begin, *neighbours;
} Graph;

static bool is_zero(const double *block, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        if (block[i] != 0.0)
            return false;
    return true;
}

/* Marks the blocks that take part, those that took part before included: all but those of rows (and columns) that are zero
 * but for the diagonal, as those of fixed points are. A single block that happens to be zero stays: so the structure follows
 * from what is fixed, not from the history of the run. */
static void select_blocks(DvBlockLdl *self, const DvBlockMatrix *a)
{
    const uint32_t size = a->block * a->block;
    bool *coupled = dv_alloc(a->rows, sizeof *coupled);
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1] && !coupled[row]; e++)
            coupled[row] = a->columns[e] != row && !is_zero(a->values + (uint64_t)size * e, size);
    self->dropped_count = 0;
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++) {
            if (a->columns[e] == row || (coupled[row] && coupled[a->columns[e]]))
                self->kept[e] = 1;
            if (!self->kept[e])
                self->dropped[self->dropped_count++] = e;
        }
    dv_free(coupled);
}

static Graph build_graph(const DvBlockLdl *self, const DvBlockMatrix *a)
{
    Graph graph = {.begin = dv_alloc(a->rows + 1, sizeof(uint32_t)),
                   .neighbours = dv_alloc(self->entries_of_a + 1, sizeof(uint32_t))};
    uint32_t count = 0;
    for (uint32_t row = 0; row < a->rows; row++) {
        graph.begin[row] = count;
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++)
            if (self->kept[e] && a->columns[e] != row)
                graph.neighbours[count++] = a->columns[e];
    }
    graph.begin[a->rows] = count;
    return graph;
}

/* Children of each node of a forest as linked lists, ascending. parent[i] > i or NONE. */
static void list_children(uint32_t count, const uint32_t *parent, uint32_t *first, uint32_t *next, uint32_t *roots)
{
    *roots = NONE;
    for (uint32_t i = 0; i < count; i++)
        first[i] = NONE;
    for (uint32_t i = count; i-- > 0;) {
        uint32_t *head = parent[i] == NONE ? roots : &first[parent[i]];
        next[i] = *head;
        *head = i;
    }
}

/* post[k] = tree node that comes k-th when each node follows its children. `first` is used up. */
static void postorder(uint32_t count, const uint32_t *parent, uint32_t *first, const uint32_t *next, uint32_t roots,
                      uint32_t *post)
{
    uint32_t done = 0;
    for (uint32_t root = roots; root != NONE && done < count; root = next[root]) {
        uint32_t node = root;
        for (;;) {
            if (first[node] != NONE) {
                const uint32_t child = first[node];
                first[node] = next[child];
                node = child;
            } else {
                post[done++] = node;
                if (node == root)
                    break;
                node = parent[node];
            }
        }
    }
    assert(done == count);
}

/* Renumbers the order of elimination so that each subtree is contiguous; parent and counts follow. */
static void apply_postorder(uint32_t nodes, uint32_t *order, uint32_t *parent, uint32_t *counts)
{
    uint32_t *first = dv_alloc(nodes, sizeof *first);
    uint32_t *next = dv_alloc(nodes, sizeof *next);
    uint32_t *post = dv_alloc(nodes, sizeof *post);
    uint32_t roots;
    list_children(nodes, parent, first, next, &roots);
    postorder(nodes, parent, first, next, roots, post);
    uint32_t *rank = first;
    for (uint32_t k = 0; k < nodes; k++)
        rank[post[k]] = k;
    uint32_t *old = next;
    memcpy(old, order, nodes * sizeof *old);
    for (uint32_t k = 0; k < nodes; k++)
        order[k] = old[post[k]];
    memcpy(old, counts, nodes * sizeof *old);
    for (uint32_t k = 0; k < nodes; k++)
        counts[k] = old[post[k]];
    memcpy(old, parent, nodes * sizeof *old);
    for (uint32_t k = 0; k < nodes; k++)
        parent[k] = old[post[k]] == NONE ? NONE : rank[old[post[k]]];
    dv_free(post);
    dv_free(next);
    dv_free(first);
}

/* Predicted cycles of a supernode of `width` columns with `below` rows under them, in scalars: its panel, the product that
 * updates its ancestors, the scattering of that product, and a fixed part. The constants are of a core with AVX-512; a
 * wrong one costs some time and nothing else. */
static double predicted_cycles(double width, double below)
{
    const double flops = width * width * width / 3.0 + width * width * below + width * below * below;
    return flops / 20.0 + 0.7 * below * below + 60.0 * width + 12.0 * below + 1000.0;
}

/* Merges supernodes with their parents as long as that is predicted to be faster. merged[s] = the supernode that holds s. */
static void merge_supernodes(uint32_t count, uint32_t block, const uint32_t *parent, const uint32_t *width,
                             const uint32_t *below, uint32_t *merged)
{
    const double b = block;
    uint32_t *first = dv_alloc(count, sizeof *first);
    uint32_t *next = dv_alloc(count, sizeof *next);
    double *columns = dv_alloc(count, sizeof *columns);
    uint32_t roots;
    list_children(count, parent, first, next, &roots);
    for (uint32_t p = 0; p < count; p++) {
        merged[p] = p;
        columns[p] = b * width[p];
        const double rows = b * below[p];
        /* The children of a child that was merged become candidates in its place. */
        uint32_t *link = &first[p];
        while (*link != NONE) {
            const uint32_t child = *link;
            const double apart =
                predicted_cycles(columns[child], b * below[child]) + predicted_cycles(columns[p], rows);
            if (predicted_cycles(columns[child] + columns[p], rows) < apart) {
                columns[p] += columns[child];
                merged[child] = p;
                uint32_t *tail = &first[child];
                while (*tail != NONE)
                    tail = &next[*tail];
                *tail = next[child];
                *link = first[child];
            } else {
                link = &next[child];
            }
        }
    }
    /* Parents come later: from the last to the first, merged[] points at the final holder. */
    for (uint32_t s = count; s-- > 0;)
        merged[s] = merged[merged[s]];
    dv_free(columns);
    dv_free(next);
    dv_free(first);
}

/* Supernodes of the postordered tree: groups of columns, merged, numbered in postorder, `order` permuted to match.
 * Fills first and width of self->supernodes and tree[s], the parent of each. */
static void build_supernodes(DvBlockLdl *self, const uint32_t *parent, const uint32_t *counts, uint32_t **tree_out)
{
    const uint32_t n = self->nodes;
    uint32_t *fundamental = dv_alloc(n, sizeof *fundamental); /* of each column */
    uint32_t *start = dv_alloc(n + 1, sizeof *start);
    uint32_t count = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (k == 0 || parent[k - 1] != k || counts[k - 1] != counts[k] + 1)
            start[count++] = k;
        fundamental[k] = count - 1;
    }
    start[count] = n;

    uint32_t *above = dv_alloc(count, sizeof *above);
    uint32_t *width = dv_alloc(count, sizeof *width);
    uint32_t *below = dv_alloc(count, sizeof *below);
    uint32_t *merged = dv_alloc(count, sizeof *merged);
    for (uint32_t s = 0; s < count; s++) {
        const uint32_t last = start[s + 1] - 1;
        above[s] = parent[last] == NONE ? NONE : fundamental[parent[last]];
        width[s] = start[s + 1] - start[s];
        below[s] = counts[last] - 1;
    }
    merge_supernodes(count, self->block, above, width, below, merged);

    /* Tree of the merged ones, postordered. Holders keep their numbers, the others become childless roots of no width. */
    uint32_t *holder_parent = dv_alloc(count, sizeof *holder_parent);
    uint32_t *first = dv_alloc(count, sizeof *first);
    uint32_t *next = dv_alloc(count, sizeof *next);
    uint32_t *post = dv_alloc(count, sizeof *post);
    uint32_t roots;
    for (uint32_t s = 0; s < count; s++)
        holder_parent[s] = merged[s] == s && above[s] != NONE ? merged[above[s]] : NONE;
    list_children(count, holder_parent, first, next, &roots);
    postorder(count, holder_parent, first, next, roots, post);

    /* Members of each holder in ascending order, which is an order of elimination. */
    uint32_t *member = first, *next_member = next;
    for (uint32_t s = 0; s < count; s++)
        member[s] = NONE;
    for (uint32_t s = count; s-- > 0;) {
        next_member[s] = member[merged[s]];
        member[merged[s]] = s;
    }
    self->supernodes = dv_alloc(count + 1, sizeof *self->supernodes);
    uint32_t *number = dv_alloc(count, sizeof *number);
    uint32_t *old = dv_alloc(n, sizeof *old);
    memcpy(old, self->order, n * sizeof *old);
    uint32_t column = 0;
    self->supernode_count = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (merged[post[k]] != post[k])
            continue;
        Supernode *s = &self->supernodes[self->supernode_count];
        number[post[k]] = self->supernode_count++;
        s->first = column;
        for (uint32_t m = member[post[k]]; m != NONE; m = next_member[m])
            for (uint32_t j = start[m]; j < start[m + 1]; j++)
                self->order[column++] = old[j];
        s->width = column - s->first;
    }
    assert(column == n);
    uint32_t *tree = dv_alloc(self->supernode_count, sizeof *tree);
    for (uint32_t s = 0; s < count; s++)
        if (merged[s] == s)
            tree[number[s]] = holder_parent[s] == NONE ? NONE : number[holder_parent[s]];
    *tree_out = tree;
    for (uint32_t k = 0; k < n; k++)
        self->position[self->order[k]] = k;

    dv_free(old);
    dv_free(number);
    dv_free(post);
    dv_free(next);
    dv_free(first);
    dv_free(holder_parent);
    dv_free(merged);
    dv_free(below);
    dv_free(width);
    dv_free(above);
    dv_free(start);
    dv_free(fundamental);
}

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Rows below each supernode: those of its columns in A and those of its children in the tree. */
static void build_rows(DvBlockLdl *self, const Graph *graph, const uint32_t *tree)
{
    const uint32_t count = self->supernode_count;
    uint32_t *first = dv_alloc(count, sizeof *first);
    uint32_t *next = dv_alloc(count, sizeof *next);
    uint32_t *mark = dv_alloc(self->nodes, sizeof *mark);
    uint32_t roots;
    list_children(count, tree, first, next, &roots);
    uint64_t used = 0, capacity = (uint64_t)self->nodes * 8 + 64;
    self->rows = dv_alloc(capacity, sizeof *self->rows);
    for (uint32_t s = 0; s < count; s++) {
        Supernode *super = &self->supernodes[s];
        const uint32_t end = super->first + super->width;
        if (used + self->nodes > capacity) {
            self->rows = dv_realloc(self->rows, capacity * sizeof *self->rows, 2 * capacity * sizeof *self->rows);
            capacity *= 2;
        }
        super->rows = used;
        uint32_t *rows = self->rows + used;
        uint32_t below = 0;
        for (uint32_t k = super->first; k < end; k++)
            for (uint32_t e = graph->begin[self->order[k]]; e < graph->begin[self->order[k] + 1]; e++) {
                const uint32_t row = self->position[graph->neighbours[e]];
                if (row >= end && mark[row] != s + 1) {
                    mark[row] = s + 1;
                    rows[below++] = row;
                }
            }
        for (uint32_t child = first[s]; child != NONE; child = next[child]) {
            const uint32_t *theirs = self->rows + self->supernodes[child].rows;
            for (uint32_t i = 0; i < self->supernodes[child].below; i++)
                if (theirs[i] >= end && mark[theirs[i]] != s + 1) {
                    mark[theirs[i]] = s + 1;
                    rows[below++] = theirs[i];
                }
        }
        qsort(rows, below, sizeof *rows, ascending);
        super->below = below;
        used += below;
    }
    dv_free(mark);
    dv_free(next);
    dv_free(first);
}

/* The supernode of each column. */
static uint32_t *map_columns(const DvBlockLdl *self)
{
    uint32_t *owner = dv_alloc(self->nodes, sizeof *owner);
    for (uint32_t s = 0; s < self->supernode_count; s++)
        for (uint32_t k = 0; k < self->supernodes[s].width; k++)
            owner[self->supernodes[s].first + k] = s;
    return owner;
}

/* Updates of each supernode by earlier ones, in ascending order of these. */
static void build_updates(DvBlockLdl *self, const uint32_t *owner)
{
    const uint32_t count = self->supernode_count;
    uint32_t *filled = dv_alloc(count + 1, sizeof *filled);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t s = 0; s < count; s++) {
            const Supernode *source = &self->supernodes[s];
            const uint32_t *rows = self->rows + source->rows;
            for (uint32_t begin = 0, end; begin < source->below; begin = end) {
                const uint32_t target = owner[rows[begin]];
                const uint32_t limit = self->supernodes[target].first + self->supernodes[target].width;
                for (end = begin + 1; end < source->below && rows[end] < limit;)
                    end++;
                if (pass == 0)
                    self->supernodes[target].updates++;
                else
                    self->updates[filled[target]++] = (Update){s, begin, end};
            }
        }
        if (pass == 0) {
            uint32_t total = 0;
            for (uint32_t s = 0; s <= count; s++) {
                const uint32_t mine = self->supernodes[s].updates;
                self->supernodes[s].updates = filled[s] = total;
                total += mine;
            }
            self->updates = dv_alloc(total + 1, sizeof *self->updates);
        }
    }
    dv_free(filled);
}

/* Leading dimension of a product: groups of 8 rows that start anywhere stay within a column. */
static uint64_t product_ld(uint64_t rows)
{
    return (rows + 2 * DV_PANEL_LANES - 1) / DV_PANEL_LANES * DV_PANEL_LANES;
}

/* Two for each thread: one that shares out the rows of a panel holds its own meanwhile. */
static void reserve_scratch(DvBlockLdl *self)
{
    uint32_t wanted = 2 * dv_parallel_threads();
    if (wanted > MAX_SCRATCH)
        wanted = MAX_SCRATCH;
    for (; self->scratch_count < wanted; self->scratch_count++) {
        Scratch *scratch = &self->scratch[self->scratch_count];
        scratch->product = dv_alloc(self->product_size, sizeof *scratch->product);
        scratch->packed = dv_alloc(self->packed_size, sizeof *scratch->packed);
        scratch->runs = dv_alloc(self->runs_size, sizeof *scratch->runs);
        scratch->row_map = dv_alloc(self->nodes, sizeof *scratch->row_map);
    }
}

/* Supernodes by height: those of one height do not depend on one another. */
static void build_levels(DvBlockLdl *self, const uint32_t *tree)
{
    const uint32_t count = self->supernode_count;
    uint32_t *height = dv_alloc(count, sizeof *height);
    self->level_count = 0;
    for (uint32_t s = 0; s < count; s++) {
        if (tree[s] != NONE && height[tree[s]] < height[s] + 1)
            height[tree[s]] = height[s] + 1;
        if (height[s] + 1 > self->level_count)
            self->level_count = height[s] + 1;
    }
    self->by_level = dv_alloc(count, sizeof *self->by_level);
    self->level_start = dv_alloc(self->level_count + 2, sizeof *self->level_start);
    for (uint32_t s = 0; s < count; s++)
        self->level_start[height[s] + 2]++;
    for (uint32_t level = 2; level < self->level_count + 2; level++)
        self->level_start[level] += self->level_start[level - 1];
    for (uint32_t s = 0; s < count; s++)
        self->by_level[self->level_start[height[s] + 1]++] = s;
    dv_free(height);
}

/* Leading dimensions, places of the panels, sizes of the scratch memory, and what the factorization will cost. */
static void lay_out_panels(DvBlockLdl *self)
{
    const uint64_t b = self->block;
    uint64_t total = 0, largest_product = 0, largest_packed = 0, largest_height = 0;
    self->flops = 0.0;
    for (uint32_t s = 0; s < self->supernode_count; s++) {
        Supernode *super = &self->supernodes[s];
        const uint64_t width = b * super->width, below = b * super->below;
        uint64_t ld = (width + below + DV_PANEL_LANES - 1) / DV_PANEL_LANES * DV_PANEL_LANES;
        if (ld % 64 == 0)
            ld += DV_PANEL_LANES; /* columns that are multiples of 512 bytes apart share cache sets */
        super->ld = (uint32_t)ld;
        super->panel = total;
        total += ld * width;
        for (uint64_t k = 0; k < width; k++) {
            const double height = (double)(width + below - k);
            self->flops += height * height;
        }
        const uint64_t of_update = dv_panel_packed_size(below, width), of_panel = dv_panel_factor_size(width);
        const uint64_t packed = of_update > of_panel ? of_update : of_panel;
        largest_packed = packed > largest_packed ? packed : largest_packed;
        largest_height = ld > largest_height ? ld : largest_height;
    }
    for (uint32_t t = 0; t < self->supernode_count; t++)
        for (uint32_t u = self->supernodes[t].updates; u < self->supernodes[t + 1].updates; u++) {
            const Update *update = &self->updates[u];
            const uint64_t ldp = product_ld(b * (self->supernodes[update->source].below - update->begin));
            const uint64_t size = ldp * b * (update->end - update->begin);
            largest_product = size > largest_product ? size : largest_product;
        }
    self->panels = dv_alloc(total + DV_PANEL_SLACK, sizeof *self->panels);
    self->product_size = largest_product + DV_PANEL_SLACK;
    self->packed_size = largest_packed;
    self->runs_size = largest_height;
    reserve_scratch(self);
    self->panel_rhs = dv_alloc(largest_height + DV_PANEL_SLACK, sizeof *self->panel_rhs);
    self->pivots = dv_alloc(b * self->nodes, sizeof *self->pivots);
    self->inverse = dv_alloc(b * self->nodes, sizeof *self->inverse);
    self->scale = dv_alloc(b * self->nodes, sizeof *self->scale);
    self->iterate = dv_alloc(b * self->nodes + 1, sizeof *self->iterate);
    self->residual = dv_alloc(b * self->nodes + 1, sizeof *self->residual);
    self->best = dv_alloc(b * self->nodes + 1, sizeof *self->best);
    self->work_size = b * self->nodes;
    self->capacity = 1;
    self->work = dv_alloc(self->work_size, sizeof *self->work);
}

/* For each supernode, where the lower blocks of A go. */
static void build_entries(DvBlockLdl *self, const DvBlockMatrix *a)
{
    const uint32_t b = self->block;
    const uint32_t count = self->supernode_count;
    uint32_t lower = 0;
    self->entries = dv_alloc(self->entries_of_a + 1, sizeof *self->entries);
    for (uint32_t s = 0; s < count; s++) {
        Supernode *super = &self->supernodes[s];
        const uint32_t *rows = self->rows + super->rows;
        super->entries = lower;
        for (uint32_t i = 0; i < super->below; i++)
            self->scratch[0].row_map[rows[i]] = super->width + i;
        for (uint32_t k = 0; k < super->width; k++)
            self->scratch[0].row_map[super->first + k] = k;
        for (uint32_t k = 0; k < super->width; k++) {
            const uint32_t column = self->order[super->first + k];
            /* Row `column` of A is its column transposed: the mirrored entry is the block to read. */
            for (uint32_t e = a->row_start[column]; e < a->row_start[column + 1]; e++) {
                const uint32_t row = self->position[a->columns[e]];
                if (!self->kept[e] || row < super->first + k)
                    continue;
                self->entries[lower++] =
                    (Entry){.block = a->transposed[e], .offset = b * (self->scratch[0].row_map[row] + k * super->ld)};
            }
        }
    }
    self->supernodes[count].entries = lower;
}

static void free_analysis(DvBlockLdl *self)
{
    void *blocks[] = {self->order,       self->position, self->supernodes, self->rows,   self->updates,
                      self->entries,     self->by_level, self->panels,     self->pivots, self->inverse,
                      self->level_start, self->work,     self->panel_rhs,  self->scale,  self->iterate,
                      self->residual,    self->best};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        dv_free(blocks[i]);
    for (uint32_t i = 0; i < self->scratch_count; i++) {
        dv_free(self->scratch[i].product);
        dv_free(self->scratch[i].packed);
        dv_free(self->scratch[i].runs);
        dv_free(self->scratch[i].row_map);
    }
    self->order = self->position = self->rows = self->by_level = self->level_start = NULL;
    self->supernodes = NULL;
    self->updates = NULL;
    self->entries = NULL;
    self->panels = self->pivots = self->inverse = self->work = self->panel_rhs = NULL;
    self->scale = self->iterate = self->residual = self->best = NULL;
    self->scratch_count = 0;
    self->supernode_count = self->capacity = 0;
}

/* The analysis proper, for the blocks in self->kept. */
static void analyse_kept(DvBlockLdl *self, const DvBlockMatrix *a)
{
    const uint32_t capacity = self->capacity;
    free_analysis(self);
    self->analyses++;
    select_blocks(self, a);
    const uint32_t n = self->nodes;
    Graph graph = build_graph(self, a);
    self->order = dv_alloc(n, sizeof *self->order);
    self->position = dv_alloc(n, sizeof *self->position);
    if (self->order_nodes != NULL)
        self->order_nodes(self->order_context, n, graph.begin, graph.neighbours, self->order);
    else
        dv_order_nodes(DV_ORDERING_LEAST_WORK, n, graph.begin, graph.neighbours, self->order);

    uint32_t *parent = dv_alloc(n, sizeof *parent);
    uint32_t *counts = dv_alloc(n, sizeof *counts);
    uint32_t *tree = NULL;
    dv_elimination_tree(n, graph.begin, graph.neighbours, self->order, parent, counts);
    const uint64_t b = self->block;
    self->nonzeros = 0;
    for (uint32_t k = 0; k < n; k++)
        self->nonzeros += b * b * (counts[k] - 1) + b * (b - 1) / 2;
    apply_postorder(n, self->order, parent, counts);
    build_supernodes(self, parent, counts, &tree);
    build_rows(self, &graph, tree);
    uint32_t *owner = map_columns(self);
    build_updates(self, owner);
    lay_out_panels(self);
    build_entries(self, a);
    build_levels(self, tree);
    if (capacity > 1)
        dv_block_ldl_reserve(self, capacity);

    dv_free(owner);
    dv_free(tree);
    dv_free(counts);
    dv_free(parent);
    dv_free(graph.neighbours);
    dv_free(graph.begin);
}

void dv_block_ldl_analyse(DvBlockLdl *self, const DvBlockMatrix *a, DvOrderNodes order, void *context)
{
    assert(a->block >= 1 && a->block <= DV_PANEL_TILE);
    dv_free(self->kept);
    dv_free(self->dropped);
    self->nodes = a->rows;
    self->block = a->block;
    self->entries_of_a = a->row_start[a->rows];
    self->order_nodes = order;
    self->order_context = context;
    self->kept = dv_alloc(self->entries_of_a, sizeof *self->kept);
    self->dropped = dv_alloc(self->entries_of_a, sizeof *self->dropped);
    analyse_kept(self, a);
}

/* ---- factorization -------------------------------------------------------------------------------------------------- */

static void scatter_entries(DvBlockLdl *self, const DvBlockMatrix *a, const Supernode *super, double *panel)
{
    const uint32_t b = self->block;
    const Entry *end = self->entries + super[1].entries;
    for (const Entry *entry = self->entries + super->entries; entry < end; entry++) {
        const double *block = a->values + (uint64_t)b * b * entry->block;
        double *target = panel + entry->offset;
        for (uint32_t r = 0; r < b; r++)
            for (uint32_t c = 0; c < b; c++)
                target[r + c * super->ld] = block[r * b + c];
    }
}

/* The size of each diagonal entry, or of its row's largest entry where that is zero. */
static void measure_diagonal(DvBlockLdl *self, const DvBlockMatrix *a)
{
    const uint32_t b = self->block;
    const uint64_t size = (uint64_t)b * b;
    for (uint32_t k = 0; k < self->nodes; k++) {
        const uint32_t row = self->order[k];
        for (uint32_t r = 0; r < b; r++) {
            double scale = fabs(a->values[size * a->diagonal[row] + (b + 1) * r]);
            for (uint32_t e = a->row_start[row]; scale == 0.0 && e < a->row_start[row + 1]; e++)
                for (uint32_t c = 0; c < b; c++)
                    scale = fmax(scale, fabs(a->values[size * e + b * r + c]));
            self->scale[(uint64_t)b * k + r] = scale;
        }
    }
}

/* A scratch that no other thread uses. There are enough for all threads. */
static Scratch *take_scratch(DvBlockLdl *self)
{
    for (uint32_t i = 0;; i = (i + 1) % self->scratch_count)
        if (!atomic_exchange_explicit(&self->scratch[i].taken, true, memory_order_acquire))
            return &self->scratch[i];
}

static void give_scratch(Scratch *scratch)
{
    atomic_store_explicit(&scratch->taken, false, memory_order_release);
}

/* One update of one panel. */
typedef struct Updating {
    DvBlockLdl *self;
    const Supernode *source;
    const Update *update;
    const uint32_t *row_map; /* of the panel */
    const double *packed;    /* D L^T of the rows that are columns here */
    double *panel;
    uint32_t ld;
    Scratch *scratch; /* for the product; NULL: each task takes one */
} Updating;

/* Runs of consecutive rows of nodes [begin, end) of an update in its panel; the number of runs. */
static uint32_t find_runs(const Updating *u, const uint32_t *rows, uint32_t begin, uint32_t end, Run *runs)
{
    const uint32_t b = u->self->block;
    uint32_t count = 0;
    for (uint32_t i = begin; i < end;) {
        const uint32_t to = u->row_map[rows[i]];
        uint32_t length = 1;
        while (i + length < end && u->row_map[rows[i + length]] == to + length)
            length++;
        runs[count++] = (Run){.from = b * (i - begin), .to = b * to, .length = b * length};
        i += length;
    }
    return count;
}

/* panel -= product of rows from `first` on (counted from the update's first row, whose columns they meet). */
static void subtract_product(const Updating *u, const Run *runs, uint32_t run_count, uint32_t first, uint32_t columns,
                             const double *product, uint64_t ldp)
{
    const uint32_t b = u->self->block;
    const uint32_t *nodes = u->self->rows + u->source->rows + u->update->begin;
    for (uint32_t c = 0; c < columns; c++) {
        double *target = u->panel + (uint64_t)u->ld * (b * u->row_map[nodes[c / b]] + c % b);
        const double *column = product + ldp * c;
        /* From the diagonal on: what is above it is not defined. */
        const uint32_t above = c > first ? c - first : 0;
        for (const Run *run = runs; run < runs + run_count; run++) {
            double *restrict to = target + run->to;
            const double *restrict from = column + run->from;
            for (uint32_t i = above > run->from ? above - run->from : 0; i < run->length; i++)
                to[i] -= from[i];
        }
    }
}

/* Rows [begin, end) of an update, in nodes from its first on. */
static void update_rows(void *context, uint32_t begin, uint32_t end)
{
    const Updating *u = context;
    DvBlockLdl *self = u->self;
    const uint64_t b = self->block;
    const Supernode *source = u->source;
    const uint32_t *rows = self->rows + source->rows;
    const double *l = self->panels + source->panel + b * (source->width + u->update->begin);
    const uint64_t depth = b * source->width;
    const uint64_t columns = b * (u->update->end - u->update->begin);
    Scratch *scratch = u->scratch != NULL ? u->scratch : take_scratch(self);
    const uint32_t run_count = find_runs(u, rows, u->update->begin + begin, u->update->begin + end, scratch->runs);
    const uint32_t column = u->row_map[rows[u->update->begin]];
    const bool columns_run = u->row_map[rows[u->update->end - 1]] - column == u->update->end - 1 - u->update->begin;
    if (run_count == 1 && columns_run) {
        double *target = u->panel + scratch->runs[0].to + (uint64_t)u->ld * b * column;
        self->kernels->subtract(target, u->ld, l, source->ld, u->packed, b * begin, b * end, columns, depth);
    } else {
        const uint64_t ldp = product_ld(b * (end - begin));
        self->kernels->store(scratch->product, ldp, l, source->ld, u->packed, b * begin, b * end, columns, depth);
        subtract_product(u, scratch->runs, run_count, (uint32_t)(b * begin), (uint32_t)columns, scratch->product, ldp);
    }
    if (u->scratch == NULL)
        give_scratch(scratch);
}

static void apply_update(DvBlockLdl *self, Scratch *scratch, const Update *update, double *panel, uint32_t ld)
{
    const uint64_t b = self->block;
    const Supernode *source = &self->supernodes[update->source];
    const double *l = self->panels + source->panel + b * (source->width + update->begin);
    const uint64_t depth = b * source->width, columns = b * (update->end - update->begin);
    const uint32_t rows = source->below - update->begin;
    dv_panel_pack(scratch->packed, l, source->ld, self->pivots + b * source->first, columns, depth);
    const bool split = (double)(b * rows) * (double)(columns * depth) > WORTH_SPLITTING;
    Updating updating = {self, source, update, scratch->row_map, scratch->packed, panel, ld, split ? NULL : scratch};
    if (split)
        dv_parallel_for(rows, ROWS_PER_CHUNK, update_rows, &updating);
    else
        update_rows(&updating, 0, rows);
}

/* The rows below a factored block, in groups of 8. */
typedef struct Extending {
    const DvDenseKernels *kernels;
    double *panel;
    const double *inverse, *packed;
    uint64_t ld, width, first;
} Extending;

static void extend_rows(void *context, uint32_t begin, uint32_t end)
{
    const Extending *e = context;
    e->kernels->extend(e->panel, e->ld, e->first + DV_PANEL_LANES * (uint64_t)begin,
                       e->first + DV_PANEL_LANES * (uint64_t)end, e->width, e->inverse, e->packed);
}

/* The index of the first pivot that is zero, or the panel's width. */
static uint64_t factor_panel(DvBlockLdl *self, Scratch *scratch, const Supernode *super, double *panel)
{
    const uint64_t width = (uint64_t)self->block * super->width, first = (uint64_t)self->block * super->first;
    const double *scale = self->scale + first;
    double *pivots = self->pivots + first, *inverse = self->inverse + first;
    const uint64_t top = (width + DV_PANEL_LANES - 1) / DV_PANEL_LANES * DV_PANEL_LANES;
    const uint64_t below = super->ld - top;
    if ((double)below * (double)(width * width) <= 2.0 * WORTH_SPLITTING)
        return self->kernels->factor(panel, super->ld, super->ld, width, scale, pivots, inverse, scratch->packed);
    const uint64_t done = self->kernels->factor(panel, super->ld, top, width, scale, pivots, inverse, scratch->packed);
    Extending extending = {self->kernels, panel, inverse, scratch->packed, super->ld, width, top};
    if (done == width)
        dv_parallel_for((uint32_t)(below / DV_PANEL_LANES), GROUPS_PER_CHUNK, extend_rows, &extending);
    return done;
}

/* The index of the first pivot of supernode s that is zero, or its width. */
static uint64_t factor_supernode(DvBlockLdl *self, const DvBlockMatrix *a, uint32_t s)
{
    const Supernode *super = &self->supernodes[s];
    const uint32_t *rows = self->rows + super->rows;
    double *panel = self->panels + super->panel;
    Scratch *scratch = take_scratch(self);
    memset(panel, 0, (uint64_t)super->ld * self->block * super->width * sizeof *panel);
    scatter_entries(self, a, super, panel);
    for (uint32_t k = 0; k < super->width; k++)
        scratch->row_map[super->first + k] = k;
    for (uint32_t i = 0; i < super->below; i++)
        scratch->row_map[rows[i]] = super->width + i;
    for (uint32_t u = super->updates; u < super[1].updates; u++)
        apply_update(self, scratch, &self->updates[u], panel, super->ld);
    const uint64_t done = factor_panel(self, scratch, super, panel);
    give_scratch(scratch);
    const uint64_t first = (uint64_t)self->block * super->first;
    for (uint64_t k = first; k < first + done; k++)
        if (fabs(self->pivots[k]) < LOST_DIGITS * self->scale[k])
            atomic_store_explicit(&self->delicate, true, memory_order_relaxed);
    return done;
}

static bool dropped_blocks_are_zero(const DvBlockLdl *self, const DvBlockMatrix *a)
{
    const uint32_t size = self->block * self->block;
    for (uint32_t i = 0; i < self->dropped_count; i++)
        if (!is_zero(a->values + (uint64_t)size * self->dropped[i], size))
            return false;
    return true;
}

/* One after the other, descendants first; stops at the first pivot that is zero. */
static DvStatus factor_in_order(DvBlockLdl *self, const DvBlockMatrix *a, uint32_t *failed)
{
    const uint32_t b = self->block;
    for (uint32_t s = 0; s < self->supernode_count; s++) {
        const Supernode *super = &self->supernodes[s];
        const uint64_t done = factor_supernode(self, a, s);
        if (done < (uint64_t)b * super->width) {
            *failed = self->order[super->first + done / b] * b + (uint32_t)(done % b);
            return DV_ERROR_SINGULAR;
        }
    }
    return DV_OK;
}

typedef struct LevelTask {
    DvBlockLdl *self;
    const DvBlockMatrix *a;
    const uint32_t *supernodes;
    atomic_bool singular;
} LevelTask;

static void factor_some(void *context, uint32_t begin, uint32_t end)
{
    LevelTask *task = context;
    for (uint32_t i = begin; i < end; i++) {
        const uint32_t s = task->supernodes[i];
        if (factor_supernode(task->self, task->a, s) < (uint64_t)task->self->block * task->self->supernodes[s].width)
            atomic_store(&task->singular, true);
    }
}

/* Level by level: the supernodes of a level at once, or the rows of each when there are few. False: singular. */
static bool factor_by_level(DvBlockLdl *self, const DvBlockMatrix *a)
{
    for (uint32_t level = 0; level < self->level_count; level++) {
        const uint32_t count = self->level_start[level + 1] - self->level_start[level];
        LevelTask task = {.self = self, .a = a, .supernodes = self->by_level + self->level_start[level]};
        if (count < dv_parallel_threads())
            factor_some(&task, 0, count);
        else
            dv_parallel_for(count, 1, factor_some, &task);
        if (atomic_load(&task.singular))
            return false;
    }
    return true;
}

DvStatus dv_block_ldl_factor(DvBlockLdl *self, const DvBlockMatrix *a, uint32_t *failed)
{
    assert(a->rows == self->nodes && a->block == self->block && a->row_start[a->rows] == self->entries_of_a);
    if (!dropped_blocks_are_zero(self, a))
        analyse_kept(self, a);
    measure_diagonal(self, a);
    atomic_store(&self->delicate, false);
    if (dv_parallel_threads() == 1 || self->flops < WORTH_THREADS)
        return factor_in_order(self, a, failed);
    reserve_scratch(self);
    /* A singular matrix is factored again, to name the same pivot whatever the number of threads. */
    return factor_by_level(self, a) ? DV_OK : factor_in_order(self, a, failed);
}

/* ---- solution ------------------------------------------------------------------------------------------------------- */

void dv_block_ldl_reserve(DvBlockLdl *self, uint32_t right_hand_sides)
{
    if (right_hand_sides <= self->capacity)
        return;
    dv_free(self->work);
    self->work = dv_alloc(self->work_size * right_hand_sides, sizeof *self->work);
    self->capacity = right_hand_sides;
}

static void copy_nodes(uint32_t b, double *to, const double *from)
{
    for (uint32_t c = 0; c < b; c++)
        to[c] = from[c];
}

static void forward_panel(const DvBlockLdl *self, const Supernode *super, double *y)
{
    const uint32_t b = self->block;
    const uint32_t width = b * super->width;
    const uint32_t *rows = self->rows + super->rows;
    double *t = self->panel_rhs;
    double *top = y + (uint64_t)b * super->first;
    memcpy(t, top, width * sizeof *t);
    memset(t + width, 0, (super->ld - width) * sizeof *t);
    self->kernels->forward(self->panels + super->panel, super->ld, width, t);
    memcpy(top, t, width * sizeof *t);
    t += width;
    for (uint32_t i = 0; i < super->below; i++, t += b) {
        double *target = y + (uint64_t)b * rows[i];
        for (uint32_t c = 0; c < b; c++)
            target[c] += t[c];
    }
}

static void backward_panel(const DvBlockLdl *self, const Supernode *super, double *y)
{
    const uint32_t b = self->block;
    const uint32_t width = b * super->width;
    const uint32_t *rows = self->rows + super->rows;
    double *t = self->panel_rhs;
    double *top = y + (uint64_t)b * super->first;
    memcpy(t, top, width * sizeof *t);
    t += width;
    for (uint32_t i = 0; i < super->below; i++, t += b)
        copy_nodes(b, t, y + (uint64_t)b * rows[i]);
    memset(t, 0, (super->ld - width - b * super->below) * sizeof *t);
    self->kernels->backward(self->panels + super->panel, super->ld, width, self->panel_rhs);
    memcpy(top, self->panel_rhs, width * sizeof *t);
}

void dv_block_ldl_solve(DvBlockLdl *self, uint32_t count, const double *right, double *x, uint64_t stride)
{
    const uint32_t b = self->block;
    dv_block_ldl_reserve(self, count);
    for (uint32_t r = 0; r < count; r++)
        for (uint32_t k = 0; k < self->nodes; k++)
            copy_nodes(b, self->work + self->work_size * r + (uint64_t)b * k,
                       right + stride * r + (uint64_t)b * self->order[k]);
    /* All right-hand sides visit a panel while it is in the cache. */
    for (uint32_t s = 0; s < self->supernode_count; s++)
        for (uint32_t r = 0; r < count; r++)
            forward_panel(self, &self->supernodes[s], self->work + self->work_size * r);
    for (uint32_t r = 0; r < count; r++)
        for (uint64_t i = 0; i < self->work_size; i++)
            self->work[self->work_size * r + i] *= self->inverse[i];
    for (uint32_t s = self->supernode_count; s-- > 0;)
        for (uint32_t r = 0; r < count; r++)
            backward_panel(self, &self->supernodes[s], self->work + self->work_size * r);
    for (uint32_t r = 0; r < count; r++)
        for (uint32_t k = 0; k < self->nodes; k++)
            copy_nodes(b, x + stride * r + (uint64_t)b * self->order[k],
                       self->work + self->work_size * r + (uint64_t)b * k);
}

static double largest(const double *v, uint64_t n)
{
    double size = 0.0;
    for (uint64_t i = 0; i < n; i++)
        size = fmax(size, fabs(v[i]));
    return size;
}

/* residual = b - A x; its largest entry. */
static double find_residual(DvBlockLdl *self, const DvBlockMatrix *a, const double *right, const double *x)
{
    const uint64_t n = self->work_size;
    memcpy(self->iterate, x, n * sizeof *x);
    dv_block_product(a, self->iterate, self->residual);
    for (uint64_t i = 0; i < n; i++)
        self->residual[i] = right[i] - self->residual[i];
    return largest(self->residual, n);
}

double dv_block_ldl_refine(DvBlockLdl *self, const DvBlockMatrix *a, const double *right, double *x)
{
    if (!atomic_load(&self->delicate))
        return 0.0;
    const uint64_t n = self->work_size;
    const double size = largest(right, n);
    if (size == 0.0)
        return 0.0;
    double error = find_residual(self, a, right, x);
    for (int i = 0; i < MAX_REFINEMENTS && error > REFINED * size; i++) {
        memcpy(self->best, x, n * sizeof *x);
        dv_block_ldl_solve(self, 1, self->residual, self->residual, 0);
        for (uint64_t k = 0; k < n; k++)
            x[k] += self->residual[k];
        const double refined = find_residual(self, a, right, x);
        if (!(refined < error)) {
            memcpy(x, self->best, n * sizeof *x);
            break;
        }
        error = refined;
    }
    return error / size;
}

/* ---- the rest ------------------------------------------------------------------------------------------------------- */

DvBlockLdl *dv_block_ldl_new(void)
{
    DvBlockLdl *self = dv_alloc(1, sizeof *self);
    self->kernels = dv_dense_kernels();
    return self;
}

void dv_block_ldl_free(DvBlockLdl *self)
{
    if (self == NULL)
        return;
    free_analysis(self);
    dv_free(self->kept);
    dv_free(self->dropped);
    dv_free(self);
}

uint64_t dv_block_ldl_nonzeros(const DvBlockLdl *self)
{
    return self->nonzeros;
}

double dv_block_ldl_flops(const DvBlockLdl *self)
{
    return self->flops;
}

uint32_t dv_block_ldl_analyses(const DvBlockLdl *self)
{
    return self->analyses;
}

void dv_block_ldl_use_level(DvBlockLdl *self, int level)
{
    self->kernels = dv_dense_kernels_of_level(level);
}
