/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Many sparse right-hand sides; see the header.
 */
#include "block_ldl_many.h"

#include "block_ldl_private.h"

#include <divan/memory.h>
#include <divan/parallel.h>

#include <string.h>

enum { GROUP = DV_PANEL_LANES };

static const uint32_t NONE = UINT32_MAX;

/* A supernode that a group of rows reaches, and its part of Y: [width x b][GROUP] doubles. */
typedef struct Reach {
    uint32_t supernode;
    uint64_t at;
} Reach;

/* What one thread works with. */
typedef struct Room {
    double *at;
    atomic_bool taken;
} Room;

struct DvLdlMany {
    DvBlockLdl *ldl;
    uint32_t analyses;        /* of the arrays that follow */
    uint32_t *owner, *parent; /* [nodes] supernode of a node; [supernodes] in their tree, or NONE */
    uint32_t *stamp;          /* [supernodes] last group that reached it, + 1 */
    uint64_t tallest;         /* doubles of the longest column below a supernode */

    const DvSparseRows *b; /* while a sweep runs */
    uint32_t rows, groups;
    uint32_t *slots,
        *sorted_from;      /* [groups x GROUP] row in each lane, or NONE; [rows] where each row starts in the tree */
    uint32_t *first_reach; /* [groups + 1] into reach */
    Reach *reach;
    double *y;
    size_t slot_capacity, reach_capacity, y_capacity;
    size_t reach_count;
    uint64_t y_size;

    Room rooms[MAX_SCRATCH];
    uint32_t room_count;
    uint64_t room_size;

    uint32_t *row_start, *columns; /* Y as it is lent */
    double *values;
    size_t row_capacity, entry_capacity;

    /* Arguments of the loop that runs. */
    double *out, factor;
    size_t stride;
};

DvLdlMany *dv_ldl_many_new(DvBlockLdl *ldl)
{
    DvLdlMany *many = dv_alloc(1, sizeof *many);
    many->ldl = ldl;
    return many;
}

void dv_ldl_many_free(DvLdlMany *many)
{
    if (many == NULL)
        return;
    void *blocks[] = {many->owner, many->parent, many->stamp,     many->slots,   many->sorted_from, many->first_reach,
                      many->reach, many->y,      many->row_start, many->columns, many->values};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        dv_free(blocks[i]);
    for (uint32_t i = 0; i < many->room_count; i++)
        dv_free(many->rooms[i].at);
    dv_free(many);
}

/* ---- The tree ---- */

static void update_tree(DvLdlMany *many)
{
    const DvBlockLdl *ldl = many->ldl;
    if (many->analyses == ldl->analyses)
        return;
    many->analyses = ldl->analyses;
    dv_free(many->owner);
    dv_free(many->parent);
    dv_free(many->stamp);
    many->owner = dv_alloc(ldl->nodes, sizeof *many->owner);
    many->parent = dv_alloc(ldl->supernode_count, sizeof *many->parent);
    many->stamp = dv_alloc(ldl->supernode_count, sizeof *many->stamp);
    many->tallest = 0;
    for (uint32_t s = 0; s < ldl->supernode_count; s++)
        for (uint32_t k = 0; k < ldl->supernodes[s].width; k++)
            many->owner[ldl->supernodes[s].first + k] = s;
    for (uint32_t s = 0; s < ldl->supernode_count; s++) {
        const Supernode *super = &ldl->supernodes[s];
        const uint64_t below = (uint64_t)super->below * ldl->block;
        many->parent[s] = super->below > 0 ? many->owner[ldl->rows[super->rows]] : NONE;
        many->tallest = below > many->tallest ? below : many->tallest;
    }
}

/* ---- Who reaches what ---- */

/* A block with room for `needed` items; what it held is lost when it grows. */
static void *reserve(void *block, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity)
        return block;
    dv_free(block);
    *capacity = needed + needed / 2;
    return dv_alloc(*capacity, size);
}

/* The supernode of an entry of the right-hand sides. */
static uint32_t supernode_of(const DvLdlMany *many, uint32_t column)
{
    return many->owner[many->ldl->position[column / many->ldl->block]];
}

/* The first supernode of a row: rows of one place in the tree become neighbours. */
static uint32_t start_of(const DvLdlMany *many, uint32_t row)
{
    uint32_t first = NONE;
    for (uint32_t e = many->b->row_start[row]; e < many->b->row_start[row + 1]; e++) {
        const uint32_t s = supernode_of(many, many->b->columns[e]);
        first = s < first ? s : first;
    }
    return first;
}

/* Rows into lanes, by a stable sort (merge, bottom up) of where they start. */
static void sort_rows(DvLdlMany *many)
{
    const uint32_t rows = many->rows;
    many->groups = (rows + GROUP - 1) / GROUP;
    if (rows > many->row_capacity || many->first_reach == NULL) {
        dv_free(many->sorted_from);
        dv_free(many->row_start);
        dv_free(many->first_reach);
        many->row_capacity = rows + rows / 2;
        many->sorted_from = dv_alloc(many->row_capacity, sizeof *many->sorted_from);
        many->row_start = dv_alloc(many->row_capacity + 1, sizeof *many->row_start);
        many->first_reach = dv_alloc(many->row_capacity + 1, sizeof *many->first_reach);
    }
    many->slots = reserve(many->slots, &many->slot_capacity, 2 * (size_t)many->groups * GROUP, sizeof *many->slots);
    uint32_t *from = many->slots, *to = many->slots + (size_t)many->groups * GROUP;
    for (uint32_t r = 0; r < rows; r++) {
        many->sorted_from[r] = start_of(many, r);
        from[r] = r;
    }
    for (uint32_t width = 1; width < rows; width *= 2) {
        for (uint32_t begin = 0; begin < rows; begin += 2 * width) {
            const uint32_t middle = begin + width < rows ? begin + width : rows;
            const uint32_t end = middle + width < rows ? middle + width : rows;
            uint32_t a = begin, b = middle;
            for (uint32_t k = begin; k < end; k++) {
                const bool left = a < middle && (b >= end || many->sorted_from[from[a]] <= many->sorted_from[from[b]]);
                to[k] = left ? from[a++] : from[b++];
            }
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != many->slots)
        memcpy(many->slots, from, rows * sizeof *from);
    for (uint32_t k = rows; k < many->groups * GROUP; k++)
        many->slots[k] = NONE;
}

static void add_reach(DvLdlMany *many, uint32_t s)
{
    const DvBlockLdl *ldl = many->ldl;
    if (many->reach_count == many->reach_capacity) {
        const size_t more = many->reach_capacity ? 2 * many->reach_capacity : 256;
        many->reach = dv_realloc(many->reach, many->reach_capacity * sizeof *many->reach, more * sizeof *many->reach);
        many->reach_capacity = more;
    }
    many->reach[many->reach_count++] = (Reach){s, many->y_size};
    many->y_size += (uint64_t)ldl->supernodes[s].width * ldl->block * GROUP;
}

/* The supernodes on the ways from the entries of each group to the roots, ascending. */
static void find_reach(DvLdlMany *many)
{
    const uint32_t supernodes = many->ldl->supernode_count;
    memset(many->stamp, 0, supernodes * sizeof *many->stamp);
    many->reach_count = 0;
    many->y_size = 0;
    for (uint32_t g = 0; g < many->groups; g++) {
        uint32_t first = supernodes, last = 0;
        many->first_reach[g] = (uint32_t)many->reach_count;
        for (uint32_t lane = 0; lane < GROUP; lane++) {
            const uint32_t row = many->slots[g * GROUP + lane];
            for (uint32_t e = row == NONE ? 0 : many->b->row_start[row]; row != NONE && e < many->b->row_start[row + 1];
                 e++)
                for (uint32_t s = supernode_of(many, many->b->columns[e]); s != NONE && many->stamp[s] != g + 1;
                     s = many->parent[s]) {
                    many->stamp[s] = g + 1;
                    first = s < first ? s : first;
                    last = s > last ? s : last;
                }
        }
        for (uint32_t s = first; s <= last && s < supernodes; s++)
            if (many->stamp[s] == g + 1)
                add_reach(many, s);
    }
    many->first_reach[many->groups] = (uint32_t)many->reach_count;
    many->y = reserve(many->y, &many->y_capacity, many->y_size, sizeof *many->y);
}

/* ---- Rooms ---- */

static void reserve_rooms(DvLdlMany *many, uint64_t size)
{
    uint32_t threads = dv_parallel_threads();
    threads = threads < MAX_SCRATCH ? threads : MAX_SCRATCH;
    const uint32_t keep = size > many->room_size ? 0 : many->room_count;
    if (size > many->room_size)
        many->room_size = size;
    for (uint32_t i = keep; i < threads || i < many->room_count; i++) {
        dv_free(many->rooms[i].at);
        many->rooms[i].at = dv_alloc(many->room_size, sizeof(double));
    }
    many->room_count = threads > many->room_count ? threads : many->room_count;
}

static Room *take_room(DvLdlMany *many)
{
    for (uint32_t i = 0;; i = (i + 1) % many->room_count)
        if (!atomic_exchange_explicit(&many->rooms[i].taken, true, memory_order_acquire))
            return &many->rooms[i];
}

static void give_room(Room *room)
{
    atomic_store_explicit(&room->taken, false, memory_order_release);
}

/* ---- Sweeps ---- */

/* Where nodes from `node` on are in Y of a group; `at` is the reach to start from. */
static double *place_of(const DvLdlMany *many, const Reach **at, uint32_t node)
{
    const DvBlockLdl *ldl = many->ldl;
    while (ldl->supernodes[(*at)->supernode].first + ldl->supernodes[(*at)->supernode].width <= node)
        (*at)++;
    return many->y + (*at)->at + (uint64_t)(node - ldl->supernodes[(*at)->supernode].first) * ldl->block * GROUP;
}

static void scatter_rows(const DvLdlMany *many, uint32_t g)
{
    const DvBlockLdl *ldl = many->ldl;
    const Reach *begin = many->reach + many->first_reach[g], *end = many->reach + many->first_reach[g + 1];
    if (begin < end)
        memset(many->y + begin->at, 0,
               (end[-1].at + (uint64_t)ldl->supernodes[end[-1].supernode].width * ldl->block * GROUP - begin->at) *
                   sizeof *many->y);
    for (uint32_t lane = 0; lane < GROUP; lane++) {
        const uint32_t row = many->slots[g * GROUP + lane];
        for (uint32_t e = row == NONE ? 0 : many->b->row_start[row]; row != NONE && e < many->b->row_start[row + 1];
             e++) {
            const uint32_t column = many->b->columns[e];
            const Reach *at = begin;
            double *place = place_of(many, &at, ldl->position[column / ldl->block]);
            place[(column % ldl->block) * GROUP + lane] += many->b->values[e];
        }
    }
}

static void forward_groups(void *context, uint32_t begin, uint32_t end)
{
    DvLdlMany *many = context;
    const DvBlockLdl *ldl = many->ldl;
    const uint64_t b = ldl->block;
    Room *room = take_room(many);
    double *bottom = room->at;
    for (uint32_t g = begin; g < end; g++) {
        scatter_rows(many, g);
        for (const Reach *at = many->reach + many->first_reach[g]; at < many->reach + many->first_reach[g + 1]; at++) {
            const Supernode *super = &ldl->supernodes[at->supernode];
            const uint32_t *rows = ldl->rows + super->rows;
            memset(bottom, 0, b * super->below * GROUP * sizeof *bottom);
            ldl->kernels->forward_many(ldl->panels + super->panel, super->ld, b * super->width, b * super->below,
                                       many->y + at->at, bottom);
            const Reach *above = at;
            for (uint32_t i = 0; i < super->below; i++) {
                double *target = place_of(many, &above, rows[i]);
                for (uint64_t k = 0; k < b * GROUP; k++)
                    target[k] += bottom[b * GROUP * i + k];
            }
        }
    }
    give_room(room);
}

void dv_ldl_many_forward(DvLdlMany *many, const DvSparseRows *b)
{
    update_tree(many);
    many->b = b;
    many->rows = b->rows;
    sort_rows(many);
    find_reach(many);
    reserve_rooms(many, many->tallest * GROUP);
    dv_parallel_for(many->groups, 1, forward_groups, many);
    many->b = NULL;
}

static void backward_groups(void *context, uint32_t begin, uint32_t end)
{
    DvLdlMany *many = context;
    const DvBlockLdl *ldl = many->ldl;
    const uint64_t b = ldl->block;
    Room *room = take_room(many);
    double *bottom = room->at, *x = room->at + many->tallest * GROUP;
    for (uint32_t g = begin; g < end; g++) {
        memset(x, 0, ldl->work_size * GROUP * sizeof *x);
        for (const Reach *at = many->reach + many->first_reach[g]; at < many->reach + many->first_reach[g + 1]; at++) {
            const Supernode *super = &ldl->supernodes[at->supernode];
            for (uint64_t k = 0; k < b * super->width; k++)
                for (uint32_t lane = 0; lane < GROUP; lane++)
                    x[(b * super->first + k) * GROUP + lane] =
                        many->y[at->at + k * GROUP + lane] * ldl->inverse[b * super->first + k];
        }
        for (uint32_t s = ldl->supernode_count; s-- > 0;) {
            const Supernode *super = &ldl->supernodes[s];
            const uint32_t *rows = ldl->rows + super->rows;
            for (uint32_t i = 0; i < super->below; i++)
                memcpy(bottom + b * GROUP * i, x + b * GROUP * rows[i], b * GROUP * sizeof *bottom);
            ldl->kernels->backward_many(ldl->panels + super->panel, super->ld, b * super->width, b * super->below,
                                        x + b * GROUP * super->first, bottom);
        }
        for (uint32_t lane = 0; lane < GROUP; lane++) {
            const uint32_t row = many->slots[g * GROUP + lane];
            for (uint32_t k = 0; row != NONE && k < ldl->nodes; k++)
                for (uint64_t c = 0; c < b; c++)
                    many->out[many->stride * row + b * ldl->order[k] + c] = x[(b * k + c) * GROUP + lane];
        }
    }
    give_room(room);
}

void dv_ldl_many_backward(DvLdlMany *many, double *x, size_t stride)
{
    reserve_rooms(many, (many->tallest + many->ldl->work_size) * GROUP);
    many->out = x;
    many->stride = stride;
    dv_parallel_for(many->groups, 1, backward_groups, many);
}

/* ---- Products of half solutions ---- */

/* c += Y_g^T D^-1 Y_h over the supernodes that both reach. */
static bool multiply_groups(const DvLdlMany *many, uint32_t g, uint32_t h, double c[GROUP * GROUP])
{
    const DvBlockLdl *ldl = many->ldl;
    const uint64_t b = ldl->block;
    const Reach *i = many->reach + many->first_reach[g], *i_end = many->reach + many->first_reach[g + 1];
    const Reach *j = many->reach + many->first_reach[h], *j_end = many->reach + many->first_reach[h + 1];
    bool met = false;
    while (i < i_end && j < j_end) {
        if (i->supernode != j->supernode) {
            if (i->supernode < j->supernode)
                i++;
            else
                j++;
            continue;
        }
        const Supernode *super = &ldl->supernodes[i->supernode];
        ldl->kernels->gram(b * super->width, many->y + i->at, many->y + j->at, ldl->inverse + b * super->first, c);
        met = true;
        i++, j++;
    }
    return met;
}

/* Pairs of groups g <= h, numbered g * groups + h. */
static void gram_pairs(void *context, uint32_t begin, uint32_t end)
{
    DvLdlMany *many = context;
    for (uint32_t pair = begin; pair < end; pair++) {
        const uint32_t g = pair / many->groups, h = pair % many->groups;
        double c[GROUP * GROUP] = {0};
        if (g > h || !multiply_groups(many, g, h, c))
            continue;
        for (uint32_t r = 0; r < GROUP; r++)
            for (uint32_t s = g == h ? r : 0; s < GROUP; s++) {
                const uint32_t i = many->slots[g * GROUP + r], j = many->slots[h * GROUP + s];
                if (i == NONE || j == NONE)
                    continue;
                const double value = many->factor * c[r * GROUP + s];
                many->out[many->stride * i + j] += value;
                if (i != j)
                    many->out[many->stride * j + i] += value;
            }
    }
}

void dv_ldl_many_gram(DvLdlMany *many, double factor, double *w, size_t stride)
{
    many->out = w;
    many->factor = factor;
    many->stride = stride;
    dv_parallel_for(many->groups * many->groups, 16, gram_pairs, many);
}

DvSparseRows dv_ldl_many_rows(DvLdlMany *many)
{
    const DvBlockLdl *ldl = many->ldl;
    const uint64_t b = ldl->block;
    for (int pass = 0; pass < 2; pass++) {
        uint32_t count = 0;
        /* In the order of the rows: which slot a row has is found by the inverse of `slots`. */
        for (uint32_t k = 0; k < many->groups * GROUP; k++)
            if (many->slots[k] != NONE)
                many->sorted_from[many->slots[k]] = k;
        for (uint32_t row = 0; row < many->rows; row++) {
            const uint32_t g = many->sorted_from[row] / GROUP, lane = many->sorted_from[row] % GROUP;
            many->row_start[row] = count;
            for (const Reach *at = many->reach + many->first_reach[g]; at < many->reach + many->first_reach[g + 1];
                 at++) {
                const Supernode *super = &ldl->supernodes[at->supernode];
                for (uint32_t k = 0; k < b * super->width; k++) {
                    const double value = many->y[at->at + k * (uint64_t)GROUP + lane];
                    if (value == 0.0)
                        continue;
                    if (pass == 1) {
                        many->columns[count] = (uint32_t)(b * super->first) + k;
                        many->values[count] = value;
                    }
                    count++;
                }
            }
        }
        many->row_start[many->rows] = count;
        if (pass == 0) {
            size_t capacity = many->entry_capacity;
            many->columns = reserve(many->columns, &capacity, count, sizeof *many->columns);
            many->values = reserve(many->values, &many->entry_capacity, count, sizeof *many->values);
        }
    }
    return (DvSparseRows){many->rows, many->row_start, many->columns, many->values};
}
