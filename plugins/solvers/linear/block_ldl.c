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
 * Panels are column-major with their own columns on top (dense_panel.h). One thread; the order of all sums follows from the
 * pattern, so that results do not depend on the machine.
 *
 * Limits: 32-bit node indices and entries of A; meant for up to some ten thousand unknowns of a solid.
 */
#include "block_ldl.h"

#include "dense_panel.h"

#include <divan/memory.h>

#include <assert.h>
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

    double *panels;    /* L */
    double *pivots;    /* [nodes x b] D */
    double *inverse;   /* [nodes x b] 1 / D */
    double *product;   /* one update */
    double *packed;    /* one packed factor */
    Run *runs;         /* [largest number of rows] */
    uint32_t *row_map; /* [nodes] node position -> row of the current panel, in nodes */
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
        const uint64_t packed_columns = below > DV_PANEL_TILE ? below : DV_PANEL_TILE;
        const uint64_t packed = dv_panel_packed_size(packed_columns, width);
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
    self->product = dv_alloc(largest_product + DV_PANEL_SLACK, sizeof *self->product);
    self->packed = dv_alloc(largest_packed, sizeof *self->packed);
    self->panel_rhs = dv_alloc(largest_height + DV_PANEL_SLACK, sizeof *self->panel_rhs);
    self->runs = dv_alloc(largest_height, sizeof *self->runs);
    self->pivots = dv_alloc(b * self->nodes, sizeof *self->pivots);
    self->inverse = dv_alloc(b * self->nodes, sizeof *self->inverse);
    self->row_map = dv_alloc(self->nodes, sizeof *self->row_map);
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
            self->row_map[rows[i]] = super->width + i;
        for (uint32_t k = 0; k < super->width; k++)
            self->row_map[super->first + k] = k;
        for (uint32_t k = 0; k < super->width; k++) {
            const uint32_t column = self->order[super->first + k];
            /* Row `column` of A is its column transposed: the mirrored entry is the block to read. */
            for (uint32_t e = a->row_start[column]; e < a->row_start[column + 1]; e++) {
                const uint32_t row = self->position[a->columns[e]];
                if (!self->kept[e] || row < super->first + k)
                    continue;
                self->entries[lower++] =
                    (Entry){.block = a->transposed[e], .offset = b * (self->row_map[row] + k * super->ld)};
            }
        }
    }
    self->supernodes[count].entries = lower;
}

static void free_analysis(DvBlockLdl *self)
{
    void *blocks[] = {self->order,   self->position, self->supernodes, self->rows,    self->updates,
                      self->entries, self->panels,   self->pivots,     self->inverse, self->product,
                      self->packed,  self->runs,     self->row_map,    self->work,    self->panel_rhs};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        dv_free(blocks[i]);
    self->order = self->position = self->rows = self->row_map = NULL;
    self->supernodes = NULL;
    self->updates = NULL;
    self->entries = NULL;
    self->runs = NULL;
    self->panels = self->pivots = self->inverse = self->product = self->packed = self->work = self->panel_rhs = NULL;
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

/* Runs of consecutive rows of an update in the current panel; the number of runs. */
static uint32_t find_runs(const DvBlockLdl *self, const uint32_t *rows, uint32_t begin, uint32_t end)
{
    const uint32_t b = self->block;
    uint32_t count = 0;
    for (uint32_t i = begin; i < end;) {
        const uint32_t to = self->row_map[rows[i]];
        uint32_t length = 1;
        while (i + length < end && self->row_map[rows[i + length]] == to + length)
            length++;
        self->runs[count++] = (Run){.from = b * (i - begin), .to = b * to, .length = b * length};
        i += length;
    }
    return count;
}

/* panel -= product, row by row where the runs say; columns of the product are rows of the update too. */
static void subtract_product(const DvBlockLdl *self, uint32_t run_count, uint32_t columns, uint64_t ldp, double *panel,
                             uint32_t ld)
{
    const Run *run_of_column = self->runs;
    for (uint32_t c = 0; c < columns; c++) {
        while (c >= run_of_column->from + run_of_column->length)
            run_of_column++;
        double *target = panel + (uint64_t)ld * (run_of_column->to + (c - run_of_column->from));
        const double *column = self->product + ldp * c;
        /* From the diagonal on: what is above it is not defined. */
        const uint32_t skip = c - run_of_column->from;
        for (const Run *run = run_of_column; run < self->runs + run_count; run++) {
            const uint32_t start = run == run_of_column ? skip : 0;
            double *restrict to = target + run->to;
            const double *restrict from = column + run->from;
            for (uint32_t i = start; i < run->length; i++)
                to[i] -= from[i];
        }
    }
}

static void apply_update(DvBlockLdl *self, const Update *update, double *panel, uint32_t ld)
{
    const uint64_t b = self->block;
    const Supernode *source = &self->supernodes[update->source];
    const double *l = self->panels + source->panel + b * (source->width + update->begin);
    const uint64_t depth = b * source->width;
    const uint64_t rows = b * (source->below - update->begin);
    const uint64_t columns = b * (update->end - update->begin);
    const uint32_t run_count = find_runs(self, self->rows + source->rows, update->begin, source->below);
    dv_panel_pack(self->packed, l, source->ld, self->pivots + b * source->first, columns, depth);
    if (run_count == 1) {
        double *target = panel + self->runs[0].to + (uint64_t)ld * self->runs[0].to;
        self->kernels->subtract(target, ld, l, source->ld, self->packed, rows, columns, depth);
        return;
    }
    const uint64_t ldp = product_ld(rows);
    self->kernels->store(self->product, ldp, l, source->ld, self->packed, rows, columns, depth);
    subtract_product(self, run_count, (uint32_t)columns, ldp, panel, ld);
}

static bool dropped_blocks_are_zero(const DvBlockLdl *self, const DvBlockMatrix *a)
{
    const uint32_t size = self->block * self->block;
    for (uint32_t i = 0; i < self->dropped_count; i++)
        if (!is_zero(a->values + (uint64_t)size * self->dropped[i], size))
            return false;
    return true;
}

DvStatus dv_block_ldl_factor(DvBlockLdl *self, const DvBlockMatrix *a, uint32_t *failed)
{
    assert(a->rows == self->nodes && a->block == self->block && a->row_start[a->rows] == self->entries_of_a);
    if (!dropped_blocks_are_zero(self, a))
        analyse_kept(self, a);
    const uint32_t b = self->block;
    for (uint32_t s = 0; s < self->supernode_count; s++) {
        const Supernode *super = &self->supernodes[s];
        const uint32_t *rows = self->rows + super->rows;
        const uint64_t width = (uint64_t)b * super->width;
        double *panel = self->panels + super->panel;
        memset(panel, 0, super->ld * width * sizeof *panel);
        scatter_entries(self, a, super, panel);
        for (uint32_t k = 0; k < super->width; k++)
            self->row_map[super->first + k] = k;
        for (uint32_t i = 0; i < super->below; i++)
            self->row_map[rows[i]] = super->width + i;
        for (uint32_t u = super->updates; u < super[1].updates; u++)
            apply_update(self, &self->updates[u], panel, super->ld);
        double *pivots = self->pivots + (uint64_t)b * super->first;
        const uint64_t done = self->kernels->factor(panel, super->ld, width, pivots, self->packed);
        if (done < width) {
            *failed = self->order[super->first + done / b] * b + (uint32_t)(done % b);
            return DV_ERROR_SINGULAR;
        }
    }
    for (uint64_t i = 0; i < (uint64_t)b * self->nodes; i++)
        self->inverse[i] = 1.0 / self->pivots[i];
    return DV_OK;
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
