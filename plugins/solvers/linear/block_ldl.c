/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Supernodal LDL^T of block matrices, left-looking (Ng and Peyton 1993; Davis, Direct Methods for Sparse Linear Systems,
 * 2006, chapters 4 and 6).
 *
 *   analyse  order the node graph, elimination tree, column counts; columns with the same structure below the diagonal
 *            become a supernode, and small supernodes are merged with their parents where the zeros that this stores cost
 *            less than the bookkeeping that it saves, and wide ones are split; then the rows of each supernode and, for each supernode, the list of
 *            earlier ones that update it
 *   factor   supernode by supernode: scatter the entries of A, subtract the updates of earlier supernodes as dense products,
 *            factor the dense panel
 *   solve    forward and backward sweep over the panels
 *
 * Everything symbolic is in nodes and in block_ldl_analysis.c, everything numeric in scalars and here: D is a diagonal of
 * scalars whatever the block size. Panels are column-major with their own columns on top (dense_panel.h). Several threads
 * take subtrees of supernodes, which do not depend on one another, and share the rows of the large supernodes above them; each panel is computed in one order
 * of sums that follows from the pattern alone, so that results depend neither on the threads nor on the machine.
 *
 * Limits: 32-bit node indices and entries of A; meant for up to some ten thousand unknowns of a solid.
 */
#include "block_ldl_private.h"

#include <divan/kit/block_product.h>
#include <divan/math/simd.h>
#include <divan/memory.h>
#include <divan/parallel.h>

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    ROWS_PER_CHUNK = 64,     /* nodes of a panel that one task takes */
    SUBTREES_PER_THREAD = 4, /* at least, of a balanced tree */
    GROUPS_PER_CHUNK = 12,   /* of 8 rows, likewise */
    COLUMNS_AT_ONCE = 24,    /* of an update */
    MAX_REFINEMENTS = 10
};

/* Multiplications below which threads cost more than they bring: in a panel, in a factorization. */
static const uint64_t WORTH_SPLITTING = 300000;
static const double WORTH_THREADS = 2e7;

/* A pivot that has shrunk to less than this part of its diagonal entry has cost so many digits that solutions are checked. */
static const double LOST_DIGITS = 1e-7;

/* Residual, relative to the right-hand side, that ends refinement. */
static const double REFINED = 1e-14;

/* ---- factorization -------------------------------------------------------------------------------------------------- */

static inline void scatter_blocks(const DvBlockLdl *self, const DvBlockMatrix *a, const Supernode *super, double *panel,
                                  uint32_t b)
{
    const Entry *end = self->entries + super[1].entries;
    for (const Entry *entry = self->entries + super->entries; entry < end; entry++) {
        const double *block = a->values + (uint64_t)b * b * entry->block;
        double *target = panel + entry->offset;
#pragma GCC unroll 3
        for (uint32_t r = 0; r < b; r++)
#pragma GCC unroll 3
            for (uint32_t c = 0; c < b; c++)
                target[r + c * super->ld] = block[r * b + c];
    }
}

static void scatter_entries(const DvBlockLdl *self, const DvBlockMatrix *a, const Supernode *super, double *panel)
{
    if (self->block == 3) /* the points of solids: sizes that the compiler knows */
        scatter_blocks(self, a, super, panel, 3);
    else
        scatter_blocks(self, a, super, panel, self->block);
}

/* Of scalar row r of a block row, among the blocks up to the first that is not zero there. */
static __attribute__((noinline)) double largest_of_row(const DvBlockMatrix *a, uint32_t row, uint32_t r)
{
    const uint32_t b = a->block;
    double size = 0.0;
    for (uint32_t e = a->row_start[row]; size == 0.0 && e < a->row_start[row + 1]; e++)
        for (uint32_t c = 0; c < b; c++)
            size = fmax(size, fabs(a->values[(uint64_t)b * b * e + b * r + c]));
    return size;
}

static inline void measure_blocks(DvBlockLdl *self, const DvBlockMatrix *a, uint32_t b)
{
    double *scale = self->scale;
    for (uint32_t k = 0; k < self->nodes; k++, scale += b) {
        const uint32_t row = self->order[k];
        const double *block = a->values + (uint64_t)b * b * a->diagonal[row];
#pragma GCC unroll 3
        for (uint32_t r = 0; r < b; r++) {
            const double entry = block[(b + 1) * r];
            scale[r] = entry != 0.0 ? fabs(entry) : largest_of_row(a, row, r);
        }
    }
}

/* The size of each diagonal entry, or of its row's largest entry where that is zero. */
static void measure_diagonal(DvBlockLdl *self, const DvBlockMatrix *a)
{
    if (self->block == 3)
        measure_blocks(self, a, 3);
    else
        measure_blocks(self, a, self->block);
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
    double *panel;
    uint32_t ld;
    Scratch *scratch; /* row_map is that of the panel, packed is D L^T of the rows that are columns here */
} Updating;

/* Runs of consecutive rows of nodes [begin, end) of an update in its panel; the number of runs. */
static uint32_t find_runs(const Updating *u, const uint32_t *rows, uint32_t begin, uint32_t end, Run *runs)
{
    const uint32_t b = u->self->block;
    uint32_t count = 0;
    for (uint32_t i = begin; i < end;) {
        const uint32_t to = u->scratch->row_map[rows[i]];
        uint32_t length = 1;
        while (i + length < end && u->scratch->row_map[rows[i + length]] == to + length)
            length++;
        runs[count++] = (Run){.from = b * (i - begin), .to = b * to, .length = b * length};
        i += length;
    }
    return count;
}

/* to -= from */
DV_SIMD_INLINE void subtract_run(double *restrict to, const double *restrict from, size_t length)
{
    for (; length >= 4; length -= 4, to += 4, from += 4)
        *(DvReal4At *)to -= *(const DvReal4At *)from;
    for (size_t i = 0; i < length; i++)
        to[i] -= from[i];
}

/* A run in each of some columns. */
DV_SIMD_INLINE void subtract_columns(const Run *run, size_t length, double *const *target, uint32_t columns,
                                     const double *product, uint64_t ldp)
{
    for (uint32_t c = 0; c < columns; c++)
        subtract_run(target[c] + run->to, product + ldp * c + run->from, length);
}

/* panel -= product of rows from `first` on (counted from the update's first row, whose columns they meet). Most runs are short: those of
 * one or two points of a solid have a length that the compiler knows, and are the same in all columns. */
DV_SIMD_CLONES static void subtract_product(const Updating *u, const Run *runs, uint32_t run_count, uint32_t first,
                                            uint32_t columns, const double *product, uint64_t ldp)
{
    const uint32_t b = u->self->block;
    const uint32_t *nodes = u->self->rows + u->source->rows + u->update->begin;
    for (uint32_t begin = 0; begin < columns; begin += COLUMNS_AT_ONCE) {
        const uint32_t count = columns - begin < COLUMNS_AT_ONCE ? columns - begin : COLUMNS_AT_ONCE;
        double *target[COLUMNS_AT_ONCE];
        for (uint32_t c = 0; c < count; c++) {
            const uint32_t column = begin + c;
            target[c] = u->panel + (uint64_t)u->ld * (b * u->scratch->row_map[nodes[column / b]] + column % b);
        }
        for (const Run *run = runs; run < runs + run_count; run++) {
            const double *from = product + ldp * begin;
            if (first + run->from < begin + count) {
                /* From the diagonal on: what is above it is not defined. */
                for (uint32_t c = 0; c < count; c++) {
                    const uint32_t above = begin + c > first + run->from ? begin + c - first - run->from : 0;
                    if (above < run->length)
                        subtract_run(target[c] + run->to + above, from + ldp * c + run->from + above,
                                     run->length - above);
                }
            } else if (run->length == 3) {
                subtract_columns(run, 3, target, count, from, ldp);
            } else if (run->length == 6) {
                subtract_columns(run, 6, target, count, from, ldp);
            } else {
                subtract_columns(run, run->length, target, count, from, ldp);
            }
        }
    }
}

/* Rows [begin, end) of an update, in nodes from its first on. */
static void update_rows(const Updating *u, uint32_t begin, uint32_t end)
{
    DvBlockLdl *self = u->self;
    const uint64_t b = self->block;
    const Supernode *source = u->source;
    const uint32_t *rows = self->rows + source->rows;
    const double *l = self->panels + source->panel + b * (source->width + u->update->begin);
    const uint64_t depth = b * source->width;
    const uint64_t columns = b * (u->update->end - u->update->begin);
    Scratch *scratch = u->scratch;
    const uint32_t run_count = find_runs(u, rows, u->update->begin + begin, u->update->begin + end, scratch->runs);
    const uint32_t column = scratch->row_map[rows[u->update->begin]];
    const bool columns_run =
        scratch->row_map[rows[u->update->end - 1]] - column == u->update->end - 1 - u->update->begin;
    if (run_count == 1 && columns_run) {
        double *target = u->panel + scratch->runs[0].to + (uint64_t)u->ld * b * column;
        self->kernels->subtract(target, u->ld, l, source->ld, scratch->packed, b * begin, b * end, columns, depth);
    } else {
        const uint64_t ldp = dv_product_ld(b * (end - begin));
        self->kernels->store(scratch->product, ldp, l, source->ld, scratch->packed, b * begin, b * end, columns, depth);
        subtract_product(u, scratch->runs, run_count, (uint32_t)(b * begin), (uint32_t)columns, scratch->product, ldp);
    }
}

/* The first row of an update, counted from its first one, that is row `to` or a later one of the panel, in nodes. */
static uint32_t first_row(const Updating *u, uint32_t to)
{
    const uint32_t *rows = u->self->rows + u->source->rows + u->update->begin;
    uint32_t low = 0, high = u->source->below - u->update->begin;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (u->scratch->row_map[rows[middle]] < to)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What earlier supernodes subtract from rows [begin, end) of a panel, in nodes. */
static void apply_updates(DvBlockLdl *self, const Supernode *super, double *panel, uint32_t begin, uint32_t end,
                          Scratch *scratch)
{
    const uint64_t b = self->block;
    const uint32_t *rows = self->rows + super->rows;
    for (uint32_t k = 0; k < super->width; k++)
        scratch->row_map[super->first + k] = k;
    for (uint32_t i = 0; i < super->below; i++)
        scratch->row_map[rows[i]] = super->width + i;
    for (uint32_t k = super->updates; k < super[1].updates; k++) {
        const Update *update = &self->updates[k];
        const Supernode *source = &self->supernodes[update->source];
        const Updating updating = {self, source, update, panel, super->ld, scratch};
        const uint32_t from = first_row(&updating, begin), to = first_row(&updating, end);
        if (from == to)
            continue;
        const uint64_t depth = b * source->width, columns = b * (update->end - update->begin);
        dv_panel_pack(scratch->packed, self->panels + source->panel + b * (source->width + update->begin), source->ld,
                      self->pivots + b * source->first, columns, depth);
        update_rows(&updating, from, to);
    }
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
    if (below * width * width <= 2 * WORTH_SPLITTING)
        return self->kernels->factor(panel, super->ld, width + (uint64_t)self->block * super->below, width, scale,
                                     pivots, inverse, scratch->packed);
    const uint64_t done = self->kernels->factor(panel, super->ld, top, width, scale, pivots, inverse, scratch->packed);
    Extending extending = {self->kernels, panel, inverse, scratch->packed, super->ld, width, top};
    if (done == width)
        dv_parallel_for((uint32_t)(below / DV_PANEL_LANES), GROUPS_PER_CHUNK, extend_rows, &extending);
    return done;
}

typedef struct PanelRows {
    DvBlockLdl *self;
    const Supernode *super;
    double *panel;
} PanelRows;

/* A part of what threads share: each has a scratch of its own. */
static void update_panel_rows(void *context, uint32_t begin, uint32_t end)
{
    const PanelRows *work = context;
    Scratch *scratch = take_scratch(work->self);
    apply_updates(work->self, work->super, work->panel, begin, end, scratch);
    give_scratch(scratch);
}

static double *begin_panel(DvBlockLdl *self, const DvBlockMatrix *a, const Supernode *super)
{
    double *panel = self->panels + super->panel;
    memset(panel, 0, (uint64_t)super->ld * self->block * super->width * sizeof *panel);
    scatter_entries(self, a, super, panel);
    return panel;
}

/* Whether all pivots of supernode s are other than zero; else the index of the first one in it that is not. By one thread, whose scratch
 * serves it for many supernodes. */
static bool factor_supernode(DvBlockLdl *self, const DvBlockMatrix *a, uint32_t s, Scratch *scratch, uint64_t *zero)
{
    const Supernode *super = &self->supernodes[s];
    double *panel = begin_panel(self, a, super);
    if (super->updates < super[1].updates)
        apply_updates(self, super, panel, 0, super->width + super->below, scratch);
    *zero = factor_panel(self, scratch, super, panel);
    return *zero == (uint64_t)self->block * super->width;
}

/* The same by all threads, which share the rows of a large panel. */
static bool factor_shared(DvBlockLdl *self, const DvBlockMatrix *a, uint32_t s)
{
    const Supernode *super = &self->supernodes[s];
    PanelRows work = {self, super, begin_panel(self, a, super)};
    dv_parallel_for(super->width + super->below, ROWS_PER_CHUNK, update_panel_rows, &work);
    Scratch *scratch = take_scratch(self);
    const uint64_t done = factor_panel(self, scratch, super, work.panel);
    give_scratch(scratch);
    return done == (uint64_t)self->block * super->width;
}

static inline bool are_zero(const DvBlockLdl *self, const DvBlockMatrix *a, uint32_t size)
{
    for (uint32_t i = 0; i < self->dropped_count; i++)
        if (!dv_is_zero(a->values + (uint64_t)size * self->dropped[i], size))
            return false;
    return true;
}

static bool dropped_blocks_are_zero(const DvBlockLdl *self, const DvBlockMatrix *a)
{
    return self->block == 3 ? are_zero(self, a, 9) : are_zero(self, a, self->block * self->block);
}

/* One after the other, descendants first; stops at the first pivot that is zero. */
static DvStatus factor_in_order(DvBlockLdl *self, const DvBlockMatrix *a, uint32_t *failed)
{
    const uint32_t b = self->block;
    Scratch *scratch = take_scratch(self);
    uint32_t s = 0;
    uint64_t zero = 0;
    while (s < self->supernode_count && factor_supernode(self, a, s, scratch, &zero))
        s++;
    give_scratch(scratch);
    if (s == self->supernode_count)
        return DV_OK;
    *failed = self->order[self->supernodes[s].first + zero / b] * b + (uint32_t)(zero % b);
    return DV_ERROR_SINGULAR;
}

typedef struct SubtreeTask {
    DvBlockLdl *self;
    const DvBlockMatrix *a;
    atomic_bool singular;
} SubtreeTask;

static void factor_subtrees(void *context, uint32_t begin, uint32_t end)
{
    SubtreeTask *task = context;
    Scratch *scratch = take_scratch(task->self);
    for (uint32_t i = begin; i < end; i++) {
        const Subtree *subtree = &task->self->shared_out[i];
        uint64_t zero;
        for (uint32_t s = subtree->first; s <= subtree->last && !atomic_load(&task->singular); s++)
            if (!factor_supernode(task->self, task->a, s, scratch, &zero))
                atomic_store(&task->singular, true);
    }
    give_scratch(scratch);
}

/* Subtrees that cost little of the whole at once, each by one thread; then one after the other what is above them, whose rows the threads
 * share. False: singular. */
static bool factor_by_subtrees(DvBlockLdl *self, const DvBlockMatrix *a)
{
    const uint32_t count = self->supernode_count;
    const double *cost = self->subtree_cost;
    double whole = 0.0;
    for (uint32_t s = 0; s < count; s++)
        whole += self->tree[s] == UINT32_MAX ? cost[s] : 0.0;
    const double most = whole / (SUBTREES_PER_THREAD * dv_parallel_threads());
    uint32_t tasks = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t above = self->tree[self->subtrees[i].last];
        if (self->subtrees[i].cost <= most && (above == UINT32_MAX || cost[above] > most))
            self->shared_out[tasks++] = self->subtrees[i];
    }
    SubtreeTask task = {.self = self, .a = a};
    dv_parallel_for(tasks, 1, factor_subtrees, &task);
    for (uint32_t s = 0; s < count && !atomic_load(&task.singular); s++)
        if (cost[s] > most && !factor_shared(self, a, s))
            return false;
    return !atomic_load(&task.singular);
}

/* Whether some pivot has lost so many digits that solutions want refinement. */
static bool has_lost_digits(const DvBlockLdl *self)
{
    bool lost = false;
    for (uint64_t k = 0; k < self->work_size; k++)
        lost |= fabs(self->pivots[k]) < LOST_DIGITS * self->scale[k];
    return lost;
}

static DvStatus factor_by_threads(DvBlockLdl *self, const DvBlockMatrix *a, uint32_t *failed)
{
    dv_block_ldl_reserve_scratch(self);
    /* A singular matrix is factored again, to name the same pivot whatever the number of threads. */
    return factor_by_subtrees(self, a) ? DV_OK : factor_in_order(self, a, failed);
}

DvStatus dv_block_ldl_factor(DvBlockLdl *self, const DvBlockMatrix *a, uint32_t *failed)
{
    assert(a->rows == self->nodes && a->block == self->block && a->row_start[a->rows] == self->entries_of_a);
    if (!self->has_no_room && !dropped_blocks_are_zero(self, a))
        dv_block_ldl_analyse_kept(self, a);
    if (self->has_no_room)
        return DV_ERROR_LIMIT;
    measure_diagonal(self, a);
    const bool alone = dv_parallel_threads() == 1 || self->flops < WORTH_THREADS;
    const DvStatus status = alone ? factor_in_order(self, a, failed) : factor_by_threads(self, a, failed);
    self->delicate = status == DV_OK && has_lost_digits(self);
    return status;
}

/* ---- solution ------------------------------------------------------------------------------------------------------- */

static inline void copy_nodes(uint32_t b, double *to, const double *from)
{
    if (b == 3) { /* points in space, nearly always */
        const double node[3] = {from[0], from[1], from[2]};
        memcpy(to, node, sizeof node);
        return;
    }
    for (uint32_t c = 0; c < b; c++)
        to[c] = from[c];
}

/* A point that nothing couples to another, as is one that is held: the sweeps take its few numbers where they are. */
static inline bool stands_alone(const Supernode *super, uint32_t width)
{
    return super->below == 0 && width <= DV_PANEL_TILE;
}

static void forward_panel(const DvBlockLdl *self, const Supernode *super, double *y)
{
    const uint32_t b = self->block;
    const uint32_t width = b * super->width;
    const uint32_t *rows = self->rows + super->rows;
    double *t = self->panel_rhs;
    double *top = y + (uint64_t)b * super->first;
    if (stands_alone(super, width)) {
        self->kernels->forward(self->panels + super->panel, super->ld, width, width, top);
        return;
    }
    memcpy(t, top, width * sizeof *t);
    memset(t + width, 0, (super->ld - width) * sizeof *t);
    self->kernels->forward(self->panels + super->panel, super->ld, width + b * super->below, width, t);
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
    if (stands_alone(super, width)) {
        self->kernels->backward(self->panels + super->panel, super->ld, width, width, top);
        return;
    }
    memcpy(t, top, width * sizeof *t);
    t += width;
    for (uint32_t i = 0; i < super->below; i++, t += b)
        copy_nodes(b, t, y + (uint64_t)b * rows[i]);
    memset(t, 0, (super->ld - width - b * super->below) * sizeof *t);
    self->kernels->backward(self->panels + super->panel, super->ld, width + b * super->below, width, self->panel_rhs);
    memcpy(top, self->panel_rhs, width * sizeof *t);
}

/* The right-hand side is in self->work, half solved; the solution goes to x. */
static void finish(DvBlockLdl *self, double *x)
{
    const uint32_t b = self->block;
    for (uint64_t i = 0; i < self->work_size; i++)
        self->work[i] *= self->inverse[i];
    for (uint32_t s = self->supernode_count; s-- > 0;)
        backward_panel(self, &self->supernodes[s], self->work);
    for (uint32_t k = 0; k < self->nodes; k++)
        copy_nodes(b, x + (uint64_t)b * self->order[k], self->work + (uint64_t)b * k);
}

void dv_block_ldl_solve(DvBlockLdl *self, const double *right, double *x)
{
    const uint32_t b = self->block;
    for (uint32_t k = 0; k < self->nodes; k++)
        copy_nodes(b, self->work + (uint64_t)b * k, right + (uint64_t)b * self->order[k]);
    for (uint32_t s = 0; s < self->supernode_count; s++)
        forward_panel(self, &self->supernodes[s], self->work);
    finish(self, x);
}

void dv_block_ldl_finish(DvBlockLdl *self, const double *y, double *x)
{
    memcpy(self->work, y, self->work_size * sizeof *y);
    finish(self, x);
}

const double *dv_block_ldl_weights(const DvBlockLdl *self)
{
    return self->inverse;
}

bool dv_block_ldl_is_positive(const DvBlockLdl *self, uint32_t *row)
{
    const uint32_t b = self->block;
    for (uint32_t i = 0; i < self->nodes * b; i++)
        if (!(self->inverse[i] > 0.0)) {
            *row = self->order[i / b] * b + i % b;
            return false;
        }
    return true;
}

bool dv_block_ldl_is_delicate(const DvBlockLdl *self)
{
    return self->delicate;
}

/* Of the absolute values; what is no number counts for nothing. */
DV_SIMD_CLONES static double largest(const double *v, uint64_t n)
{
    DvReal8 most = {0};
    double size = 0.0;
    uint64_t i = 0;
    for (; i + DV_LANES <= n; i += DV_LANES)
        most = dv_real8_max(dv_real8_abs(DV_REAL8(v + i)), most);
    for (; i < n; i++)
        size = fabs(v[i]) > size ? fabs(v[i]) : size;
    DV_EACH (lane, DV_LANES)
        size = most[lane] > size ? most[lane] : size;
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
    if (!self->delicate)
        return 0.0;
    const uint64_t n = self->work_size;
    const double size = largest(right, n);
    if (size == 0.0)
        return 0.0;
    double error = find_residual(self, a, right, x);
    for (int i = 0; i < MAX_REFINEMENTS && error > REFINED * size; i++) {
        memcpy(self->best, x, n * sizeof *x);
        dv_block_ldl_solve(self, self->residual, self->residual);
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

void dv_block_ldl_set_owner(DvBlockLdl *self, const DvObject *owner)
{
    self->owner = owner;
}

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
    dv_block_ldl_free_analysis(self);
    dv_free(self->kept);
    dv_free(self->dropped);
    dv_free(self);
}

void dv_block_ldl_swap(DvBlockLdl *a, DvBlockLdl *b)
{
    const bool same = a->nodes == b->nodes && a->block == b->block && a->entries_of_a == b->entries_of_a &&
                      memcmp(a->order, b->order, a->nodes * sizeof *a->order) == 0 &&
                      memcmp(a->kept, b->kept, a->entries_of_a * sizeof *a->kept) == 0;
    const uint32_t most = a->analyses > b->analyses ? a->analyses : b->analyses, before = a->analyses;
    const DvBlockLdl held = *a;
    *a = *b;
    *b = held;
    a->analyses = same ? before : most + 1;
    b->analyses = a->analyses;
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
