/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Analysis of the block LDL^T: everything that follows from the pattern of the matrix alone (Liu 1990; Ng and Peyton 1993).
 *
 * Order of elimination, elimination tree and column counts; columns with the same structure become supernodes, small ones are
 * merged with their parents (Ashcraft and Grimes 1989) by predicted cost; then the rows of each supernode, the updates it
 * receives, the places of its entries of A, and what the subtrees of supernodes cost.
 */
#include "block_ldl_private.h"

#include <divan/kit/ascending.h>
#include <divan/memory.h>
#include <divan/parallel.h>

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t NONE = UINT32_MAX;

enum { MAX_WIDTH = 240 }; /* of a supernode, in scalars */

/* Node graph of the blocks that are kept, without the diagonal. */
typedef struct Graph {
    uint32_t *begin, *neighbours;
} Graph;

/* Marks the blocks that take part, those that took part before included: all but those of rows (and columns) that are zero
 * but for the diagonal, as those of fixed points are. A single block that happens to be zero stays: so the structure follows
 * from what is fixed, not from the history of the run. */
static void select_blocks(DvBlockLdl *self, const DvBlockMatrix *a)
{
    const uint32_t size = a->block * a->block;
    bool *coupled = dv_alloc(a->rows, sizeof *coupled);
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1] && !coupled[row]; e++)
            coupled[row] = a->columns[e] != row && !dv_is_zero(a->values + (uint64_t)size * e, size);
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

/* Runs of columns of one structure, which follow each other in the tree: the run of each column, the first column of each, and n;
 * returns how many. */
static uint32_t find_fundamental(uint32_t n, const uint32_t *parent, const uint32_t *counts, uint32_t *fundamental,
                                 uint32_t *start)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (k == 0 || parent[k - 1] != k || counts[k - 1] != counts[k] + 1)
            start[count++] = k;
        fundamental[k] = count - 1;
    }
    start[count] = n;
    return count;
}

/* Members of each holder in ascending order, which is an order of elimination. */
static void list_members(uint32_t count, const uint32_t *merged, uint32_t *member, uint32_t *next_member)
{
    for (uint32_t s = 0; s < count; s++)
        member[s] = NONE;
    for (uint32_t s = count; s-- > 0;) {
        next_member[s] = member[merged[s]];
        member[merged[s]] = s;
    }
}

/* The columns in the order of the merged supernodes, which get numbers. */
static void order_supernodes(DvBlockLdl *self, uint32_t count, const uint32_t *start, const uint32_t *merged,
                             const uint32_t *post, const uint32_t *member, const uint32_t *next_member,
                             uint32_t *number)
{
    const uint32_t n = self->nodes;
    uint32_t *old = dv_alloc(n, sizeof *old), column = 0;
    memcpy(old, self->order, n * sizeof *old);
    self->supernodes = dv_alloc(count + 1, sizeof *self->supernodes);
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
    dv_free(old);
}

/* Supernodes of the postordered tree: groups of columns, merged, numbered in postorder, `order` permuted to match.
 * Fills first and width of self->supernodes and tree[s], the parent of each. */
static void build_supernodes(DvBlockLdl *self, const uint32_t *parent, const uint32_t *counts, uint32_t **tree_out)
{
    const uint32_t n = self->nodes;
    uint32_t *fundamental = dv_alloc(n, sizeof *fundamental); /* of each column */
    uint32_t *start = dv_alloc(n + 1, sizeof *start);
    const uint32_t count = find_fundamental(n, parent, counts, fundamental, start);

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

    uint32_t *member = first, *next_member = next;
    list_members(count, merged, member, next_member);
    uint32_t *number = dv_alloc(count, sizeof *number);
    order_supernodes(self, count, start, merged, post, member, next_member, number);
    uint32_t *tree = dv_alloc(self->supernode_count, sizeof *tree);
    for (uint32_t s = 0; s < count; s++)
        if (merged[s] == s)
            tree[number[s]] = holder_parent[s] == NONE ? NONE : number[holder_parent[s]];
    *tree_out = tree;
    for (uint32_t k = 0; k < n; k++)
        self->position[self->order[k]] = k;

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

/* Wide supernodes become several, each the child of the next: while one thread factors the square on top of a panel the others wait. */
static void split_supernodes(DvBlockLdl *self, uint32_t **tree)
{
    const uint32_t count = self->supernode_count, most = MAX_WIDTH / self->block;
    uint32_t *number = dv_alloc(count + 1, sizeof *number); /* of the first part of each */
    for (uint32_t s = 0; s < count; s++)
        number[s + 1] = number[s] + (self->supernodes[s].width + most - 1) / most;
    Supernode *parts = dv_alloc(number[count] + 1, sizeof *parts);
    uint32_t *above = dv_alloc(number[count], sizeof *above);
    for (uint32_t s = 0; s < count; s++) {
        const Supernode *super = &self->supernodes[s];
        const uint32_t pieces = number[s + 1] - number[s];
        for (uint32_t i = 0; i < pieces; i++) {
            const uint32_t begin = super->width * i / pieces, end = super->width * (i + 1) / pieces;
            parts[number[s] + i].first = super->first + begin;
            parts[number[s] + i].width = end - begin;
            above[number[s] + i] = number[s] + i + 1;
        }
        above[number[s + 1] - 1] = (*tree)[s] == NONE ? NONE : number[(*tree)[s]];
    }
    self->supernode_count = number[count];
    dv_free(self->supernodes);
    dv_free(*tree);
    dv_free(number);
    self->supernodes = parts;
    *tree = above;
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
        super->below = dv_ascending_sort(rows, below);
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

/* Two for each thread: one that shares out the rows of a panel holds its own meanwhile. */
void dv_block_ldl_reserve_scratch(DvBlockLdl *self)
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

static int costly_first(const void *a, const void *b)
{
    const double x = ((const Subtree *)a)->cost, y = ((const Subtree *)b)->cost;
    return (x < y) - (x > y);
}

/* What the subtree of each supernode costs, whose parents are in self->tree. */
static void build_subtrees(DvBlockLdl *self)
{
    const uint32_t count = self->supernode_count;
    const double b = self->block;
    self->subtrees = dv_alloc(count, sizeof *self->subtrees);
    self->shared_out = dv_alloc(count, sizeof *self->shared_out);
    self->subtree_cost = dv_alloc(count, sizeof *self->subtree_cost);
    for (uint32_t s = 0; s < count; s++)
        self->subtrees[s] = (Subtree){.first = s, .last = s};
    for (uint32_t s = 0; s < count; s++) {
        const Supernode *super = &self->supernodes[s];
        const double width = b * super->width, below = b * super->below;
        Subtree *subtree = &self->subtrees[s];
        subtree->cost += width * width * (width / 3.0 + below);
        for (uint32_t u = super->updates; u < super[1].updates; u++) {
            const Update *update = &self->updates[u];
            const Supernode *source = &self->supernodes[update->source];
            const double columns = b * (update->end - update->begin), rows = b * (source->below - update->begin);
            subtree->cost += columns * (rows - columns / 2.0) * b * source->width;
        }
        self->subtree_cost[s] = subtree->cost;
        if (self->tree[s] == NONE)
            continue;
        Subtree *above = &self->subtrees[self->tree[s]];
        above->cost += subtree->cost;
        above->first = above->first < subtree->first ? above->first : subtree->first;
    }
    qsort(self->subtrees, count, sizeof *self->subtrees, costly_first);
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
        total += ld * width + DV_PANEL_SLACK; /* reads behind it meet nothing that another thread writes */
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
            const uint64_t ldp = dv_product_ld(b * (self->supernodes[update->source].below - update->begin));
            const uint64_t size = ldp * b * (update->end - update->begin);
            largest_product = size > largest_product ? size : largest_product;
        }
    self->panels = dv_alloc(total, sizeof *self->panels);
    self->product_size = largest_product + DV_PANEL_SLACK;
    self->packed_size = largest_packed;
    self->runs_size = largest_height;
    dv_block_ldl_reserve_scratch(self);
    self->panel_rhs = dv_alloc(largest_height + DV_PANEL_SLACK, sizeof *self->panel_rhs);
    self->pivots = dv_alloc(b * self->nodes, sizeof *self->pivots);
    self->inverse = dv_alloc(b * self->nodes, sizeof *self->inverse);
    self->scale = dv_alloc(b * self->nodes, sizeof *self->scale);
    self->iterate = dv_alloc(b * self->nodes + 1, sizeof *self->iterate);
    self->residual = dv_alloc(b * self->nodes + 1, sizeof *self->residual);
    self->best = dv_alloc(b * self->nodes + 1, sizeof *self->best);
    self->work_size = b * self->nodes;
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

void dv_block_ldl_free_analysis(DvBlockLdl *self)
{
    void *blocks[] = {self->order,   self->position, self->supernodes, self->rows,       self->updates,
                      self->entries, self->tree,     self->subtrees,   self->shared_out, self->subtree_cost,
                      self->panels,  self->pivots,   self->inverse,    self->work,       self->panel_rhs,
                      self->scale,   self->iterate,  self->residual,   self->best};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        dv_free(blocks[i]);
    for (uint32_t i = 0; i < self->scratch_count; i++) {
        dv_free(self->scratch[i].product);
        dv_free(self->scratch[i].packed);
        dv_free(self->scratch[i].runs);
        dv_free(self->scratch[i].row_map);
    }
    self->order = self->position = self->rows = self->tree = NULL;
    self->subtrees = self->shared_out = NULL;
    self->subtree_cost = NULL;
    self->supernodes = NULL;
    self->updates = NULL;
    self->entries = NULL;
    self->panels = self->pivots = self->inverse = self->work = self->panel_rhs = NULL;
    self->scale = self->iterate = self->residual = self->best = NULL;
    self->scratch_count = 0;
    self->supernode_count = 0;
}

enum { BYTES_OF_NUMBER = 12 }; /* of the factor: zeros that panels hold too, and what is kept of its structure */

/* The analysis proper, for the blocks in self->kept. */
void dv_block_ldl_analyse_kept(DvBlockLdl *self, const DvBlockMatrix *a)
{
    dv_block_ldl_free_analysis(self);
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
    self->has_no_room = dv_memory_ask(self->owner, BYTES_OF_NUMBER * (double)self->nonzeros,
                                      "the factor of a matrix of %" PRIu64 " unknowns, %" PRIu64 " numbers", b * n,
                                      self->nonzeros) != DV_OK;
    if (!self->has_no_room) {
        apply_postorder(n, self->order, parent, counts);
        build_supernodes(self, parent, counts, &tree);
        split_supernodes(self, &tree);
        build_rows(self, &graph, tree);
        uint32_t *owner = map_columns(self);
        build_updates(self, owner);
        lay_out_panels(self);
        build_entries(self, a);
        self->tree = tree;
        build_subtrees(self);
        dv_free(owner);
    }
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
    /* What was kept and dropped, the graph, and what an ordering makes of it; and ten numbers for each node. */
    const double bytes = 32.0 * (double)self->entries_of_a + 40.0 * (double)a->rows;
    self->has_no_room = dv_memory_ask(self->owner, bytes, "the analysis of a matrix of %" PRIu64 " unknowns",
                                      (uint64_t)a->rows * a->block) != DV_OK;
    self->kept = NULL;
    self->dropped = NULL;
    if (self->has_no_room) {
        dv_block_ldl_free_analysis(self);
        return;
    }
    self->kept = dv_alloc(self->entries_of_a, sizeof *self->kept);
    self->dropped = dv_alloc(self->entries_of_a, sizeof *self->dropped);
    dv_block_ldl_analyse_kept(self, a);
}
