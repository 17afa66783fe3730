/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products with the sparse matrix of linear mappings; see divan/kit/weighted_rows.h.
 *
 * All rows have the same length when all elements are of one kind, as they nearly always are: those lengths get loops of constant
 * length.
 */
#include <divan/kit/ascending.h>
#include <divan/kit/weighted_rows.h>

#include <divan/math/simd.h>
#include <divan/memory.h>
#include <divan/parallel.h>

#include <string.h>

enum { ROWS_PER_CHUNK = 1024 };

void dv_weighted_rows_free(DvWeightedRows *w)
{
    dv_jacobian_free(&w->jacobian);
    uint32_t *lists[] = {w->row_start, w->column, w->used_column, w->place, w->begin, w->end, w->entry_row, w->limit};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        dv_free(lists[i]);
    dv_free(w->weight);
    dv_free(w->entry_weight);
    *w = (DvWeightedRows){.structure = w->structure};
}

static void *copy_of(const void *from, size_t count, size_t size)
{
    void *block = dv_alloc(count, size);
    if (count)
        memcpy(block, from, count * size);
    return block;
}

static void transpose(DvWeightedRows *w)
{
    const uint32_t entries = w->row_start[w->rows];
    w->column_capacity = w->columns;
    w->entry_capacity = w->taken = entries;
    w->used_column = dv_alloc(w->columns, sizeof *w->used_column);
    w->place = dv_alloc(w->columns, sizeof *w->place);
    w->begin = dv_alloc(w->columns, sizeof *w->begin);
    w->end = dv_alloc(w->columns, sizeof *w->end);
    w->limit = dv_alloc(w->columns, sizeof *w->limit);
    w->entry_row = dv_alloc(entries, sizeof *w->entry_row);
    w->entry_weight = dv_alloc(entries, sizeof *w->entry_weight);
    for (uint32_t e = 0; e < entries; e++)
        w->limit[w->column[e]]++;
    uint32_t sum = 0;
    for (uint32_t c = 0; c < w->columns; c++) {
        if (w->limit[c] > 0) {
            w->place[c] = w->used;
            w->used_column[w->used++] = c;
        }
        w->begin[c] = w->end[c] = sum;
        sum += w->limit[c];
        w->limit[c] = sum;
    }
    for (uint32_t i = 0; i < w->rows; i++)
        for (uint32_t e = w->row_start[i]; e < w->row_start[i + 1]; e++) {
            const uint32_t to = w->end[w->column[e]]++;
            w->entry_row[to] = i;
            w->entry_weight[to] = w->weight[e];
        }
}

void dv_weighted_rows_set(DvWeightedRows *w, uint32_t rows, const uint32_t *row_start, const uint32_t *column,
                          const double *weight)
{
    dv_weighted_rows_free(w);
    w->structure++;
    w->rows = w->row_capacity = rows;
    w->row_start = copy_of(row_start, (size_t)rows + 1, sizeof *row_start);
    const uint32_t entries = row_start[rows];
    w->column = copy_of(column, entries, sizeof *column);
    w->weight = copy_of(weight, entries, sizeof *weight);
    for (uint32_t e = 0; e < entries; e++)
        if (w->columns <= column[e])
            w->columns = column[e] + 1;
    w->row_length = rows ? row_start[1] : 0;
    for (uint32_t i = 1; i < rows; i++)
        if (row_start[i + 1] - row_start[i] != w->row_length)
            w->row_length = 0;
    transpose(w);
}

/* ---- Changes of some rows ---- */

static void *enlarge(void *array, size_t count, size_t capacity, size_t size)
{
    return dv_realloc(array, count * size, capacity * size);
}

static void make_rows(DvWeightedRows *w, uint32_t rows)
{
    const uint32_t old = w->row_capacity, capacity = rows + rows / 2;
    if (rows <= old)
        return;
    w->row_start = enlarge(w->row_start, (size_t)old + 1, (size_t)capacity + 1, sizeof *w->row_start);
    w->column = enlarge(w->column, (size_t)old * w->row_length, (size_t)capacity * w->row_length, sizeof *w->column);
    w->weight = enlarge(w->weight, (size_t)old * w->row_length, (size_t)capacity * w->row_length, sizeof *w->weight);
    w->row_capacity = capacity;
}

static void make_columns(DvWeightedRows *w, uint32_t columns)
{
    if (columns > w->column_capacity) {
        const uint32_t old = w->column_capacity, capacity = columns + columns / 2;
        uint32_t **lists[] = {&w->used_column, &w->place, &w->begin, &w->end, &w->limit};
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
            *lists[i] = enlarge(*lists[i], old, capacity, sizeof **lists[i]);
        w->column_capacity = capacity;
    }
    for (uint32_t c = w->columns; c < columns; c++)
        w->begin[c] = w->end[c] = w->limit[c] = 0;
    w->columns = columns;
}

static void pack(DvWeightedRows *w)
{
    uint32_t capacity = 0, at = 0;
    for (uint32_t c = 0; c < w->columns; c++)
        capacity += (w->end[c] - w->begin[c]) * 3 / 2;
    uint32_t *row = dv_alloc(capacity, sizeof *row);
    double *weight = dv_alloc(capacity, sizeof *weight);
    for (uint32_t c = 0; c < w->columns; c++) {
        const uint32_t first = w->begin[c], count = w->end[c] - first;
        for (uint32_t k = 0; k < count; k++) {
            row[at + k] = w->entry_row[first + k];
            weight[at + k] = w->entry_weight[first + k];
        }
        w->begin[c] = at;
        w->end[c] = at + count;
        at += count * 3 / 2;
        w->limit[c] = at;
    }
    dv_free(w->entry_row);
    dv_free(w->entry_weight);
    w->entry_row = row;
    w->entry_weight = weight;
    w->entry_capacity = w->taken = capacity;
    w->lost = 0;
}

static void enlarge_column(DvWeightedRows *w, uint32_t c)
{
    if (w->lost > w->taken / 2) {
        pack(w);
        if (w->end[c] < w->limit[c])
            return;
    }
    const uint32_t count = w->end[c] - w->begin[c], want = 2 * count + 2, to = w->taken;
    if (to + want > w->entry_capacity) {
        const uint32_t capacity = to + want + to / 2;
        w->entry_row = enlarge(w->entry_row, w->entry_capacity, capacity, sizeof *w->entry_row);
        w->entry_weight = enlarge(w->entry_weight, w->entry_capacity, capacity, sizeof *w->entry_weight);
        w->entry_capacity = capacity;
    }
    for (uint32_t k = 0; k < count; k++) {
        w->entry_row[to + k] = w->entry_row[w->begin[c] + k];
        w->entry_weight[to + k] = w->entry_weight[w->begin[c] + k];
    }
    w->lost += w->limit[c] - w->begin[c];
    w->begin[c] = to;
    w->end[c] = to + count;
    w->limit[c] = w->taken = to + want;
}

static void take_out(DvWeightedRows *w, uint32_t c, uint32_t row)
{
    uint32_t at = w->begin[c];
    while (w->entry_row[at] != row)
        at++;
    for (w->end[c]--; at < w->end[c]; at++) {
        w->entry_row[at] = w->entry_row[at + 1];
        w->entry_weight[at] = w->entry_weight[at + 1];
    }
    if (w->end[c] > w->begin[c])
        return;
    const uint32_t moved = w->used_column[--w->used];
    w->used_column[w->place[c]] = moved;
    w->place[moved] = w->place[c];
}

/* Behind those of smaller rows, and of the same one. */
static void put_in(DvWeightedRows *w, uint32_t c, uint32_t row, double weight)
{
    if (w->begin[c] == w->end[c]) {
        w->place[c] = w->used;
        w->used_column[w->used++] = c;
    }
    if (w->end[c] == w->limit[c])
        enlarge_column(w, c);
    uint32_t at = w->end[c]++;
    for (; at > w->begin[c] && w->entry_row[at - 1] > row; at--) {
        w->entry_row[at] = w->entry_row[at - 1];
        w->entry_weight[at] = w->entry_weight[at - 1];
    }
    w->entry_row[at] = row;
    w->entry_weight[at] = weight;
}

static void take_out_row(DvWeightedRows *w, uint32_t row)
{
    for (uint32_t k = 0; k < w->row_length; k++)
        take_out(w, w->column[(size_t)row * w->row_length + k], row);
}

void dv_weighted_rows_change(DvWeightedRows *w, uint32_t rows, const uint32_t *changed, uint32_t count,
                             const uint32_t *column, const double *weight)
{
    const uint32_t length = w->row_length, before = w->rows;
    w->structure++;
    for (uint32_t i = 0; i < count; i++)
        if (changed[i] < before)
            take_out_row(w, changed[i]);
    for (uint32_t row = rows; row < before; row++)
        if (!dv_ascending_has(changed, count, row))
            take_out_row(w, row);
    make_rows(w, rows);
    for (uint32_t row = before; row < rows; row++)
        w->row_start[row + 1] = w->row_start[row] + length;
    w->rows = rows;
    for (uint32_t i = 0; i < count && changed[i] < rows; i++) {
        const size_t first = (size_t)changed[i] * length;
        memcpy(w->column + first, column + first, length * sizeof *column);
        memcpy(w->weight + first, weight + first, length * sizeof *weight);
        for (uint32_t k = 0; k < length; k++) {
            if (column[first + k] >= w->columns)
                make_columns(w, column[first + k] + 1);
            put_in(w, column[first + k], changed[i], weight[first + k]);
        }
    }
    while (w->columns > 0 && w->begin[w->columns - 1] == w->end[w->columns - 1]) {
        w->columns--;
        w->lost += w->limit[w->columns] - w->begin[w->columns];
    }
}

typedef struct Product {
    const DvWeightedRows *w;
    const double *from;
    double *to;
    uint32_t from_dim, to_dim, components;
    bool clear_empty;
} Product;

static inline void gather_row(const uint32_t *column, const double *weight, uint32_t length, const double *in,
                              uint32_t in_dim, double *out)
{
    double x = 0.0, y = 0.0, z = 0.0;
    for (uint32_t e = 0; e < length; e++) {
        const double *p = in + (size_t)column[e] * in_dim;
        x += p[0] * weight[e];
        y += p[1] * weight[e];
        z += p[2] * weight[e];
    }
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

/* The same, a point at a time: reads a fourth number of each, of which nothing comes. */
DV_SIMD_INLINE void gather_wide_rows(const Product *p, uint32_t begin, uint32_t end, uint32_t length, uint32_t in_dim)
{
    const uint32_t *column = p->w->column + (size_t)begin * length;
    const double *weight = p->w->weight + (size_t)begin * length;
    double *out = p->to + (size_t)begin * p->to_dim;
    for (uint32_t i = begin; i < end; i++, column += length, weight += length, out += p->to_dim) {
        DvReal4 sum = {0};
#pragma GCC unroll 8
        for (uint32_t e = 0; e < length; e++)
            sum += DV_REAL4(p->from + (size_t)column[e] * in_dim) * weight[e];
        out[0] = sum[0];
        out[1] = sum[1];
        out[2] = sum[2];
    }
}

/* False: rows are not all of a length that has a loop. */
DV_SIMD_CLONES static bool gather_wide(const Product *p, uint32_t begin, uint32_t end)
{
    const uint32_t length = p->w->row_length, in_dim = p->from_dim;
    if (length == 8 && in_dim == 3)
        gather_wide_rows(p, begin, end, 8, 3);
    else if (length == 4 && in_dim == 3)
        gather_wide_rows(p, begin, end, 4, 3);
    else if (length == 3 && in_dim == 3)
        gather_wide_rows(p, begin, end, 3, 3);
    else if (length == 8 || length == 4 || length == 3)
        gather_wide_rows(p, begin, end, length, in_dim);
    else
        return false;
    return true;
}

static void gather_narrow(const Product *p, uint32_t begin, uint32_t end)
{
    const DvWeightedRows *w = p->w;
    for (uint32_t i = begin; i < end; i++) {
        const uint32_t start = w->row_start[i], length = w->row_start[i + 1] - start;
        if (length || p->clear_empty)
            gather_row(w->column + start, w->weight + start, length, p->from, p->from_dim,
                       p->to + (size_t)i * p->to_dim);
    }
}

/* Nothing may be read behind the last point: rows that hang on it are summed by themselves. */
static void gather_chunk(void *context, uint32_t begin, uint32_t end)
{
    const Product *p = context;
    const DvWeightedRows *w = p->w;
    const uint32_t *row = w->entry_row, *rows_end = row;
    if (w->columns > 0 && p->from_dim == 3) {
        row = w->entry_row + w->begin[w->columns - 1];
        rows_end = w->entry_row + w->end[w->columns - 1];
    }
    while (row < rows_end && *row < begin)
        row++;
    while (begin < end) {
        const uint32_t stop = row < rows_end && *row < end ? *row : end;
        if (!gather_wide(p, begin, stop)) {
            gather_narrow(p, begin, end);
            return;
        }
        if (stop < end)
            gather_narrow(p, stop, stop + 1);
        begin = stop + 1;
        while (row < rows_end && *row < begin)
            row++;
    }
}

void dv_weighted_rows_gather(const DvWeightedRows *w, const DvConstVec *in, const DvVec *out, bool clear_empty)
{
    dv_parallel_for(w->rows, ROWS_PER_CHUNK, gather_chunk,
                    &(Product){w, in->at, out->at, in->dim, out->dim, 3, clear_empty});
}

static void scatter_chunk(void *context, uint32_t begin, uint32_t end)
{
    const Product *p = context;
    const DvWeightedRows *w = p->w;
    for (uint32_t k = begin; k < end; k++) {
        const uint32_t column = w->used_column[k];
        double *to = p->to + (size_t)column * p->to_dim;
        double x = to[0], y = to[1], z = to[2];
        for (uint32_t e = w->begin[column]; e < w->end[column]; e++) {
            const double *from = p->from + (size_t)w->entry_row[e] * p->from_dim;
            x += from[0] * w->entry_weight[e];
            y += from[1] * w->entry_weight[e];
            z += from[2] * w->entry_weight[e];
        }
        to[0] = x;
        to[1] = y;
        to[2] = z;
    }
}

static inline bool is_zero(const double *from)
{
    return from[0] == 0.0 && from[1] == 0.0 && from[2] == 0.0;
}

/* Whether eight points of 3 numbers are zero. */
DV_SIMD_INLINE bool are_zero(const double *from)
{
    const DvReal8 zero = {0};
    return !dv_mask8_any((DV_REAL8(from) != zero) | (DV_REAL8(from + 8) != zero) | (DV_REAL8(from + 16) != zero));
}

/* The rows that are not zero, ascending, when they are `most` at most; else one more than that. */
DV_SIMD_CLONES static uint32_t list_loaded(const Product *p, uint32_t most, uint32_t *loaded)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->w->rows && count <= most;) {
        const double *from = p->from + (size_t)i * p->from_dim;
        if (p->from_dim == 3 && i + DV_LANES <= p->w->rows && are_zero(from)) {
            i += DV_LANES;
            continue;
        }
        const uint32_t end = i + DV_LANES < p->w->rows ? i + DV_LANES : p->w->rows;
        for (; i < end && count <= most; i++, from += p->from_dim)
            if (!is_zero(from))
                loaded[count++] = i;
    }
    return count;
}

/* What acts on few points, as contacts do, goes up from these alone, row by row: each sum is still in the order of the rows. */
static void scatter_loaded(const Product *p, const uint32_t *loaded, uint32_t count)
{
    const DvWeightedRows *w = p->w;
    for (uint32_t k = 0; k < w->used; k++) { /* the rows left out add 0, which makes 0 of -0 */
        double *to = p->to + (size_t)w->used_column[k] * p->to_dim;
        for (uint32_t c = 0; c < 3; c++)
            to[c] += 0.0;
    }
    for (uint32_t i = 0; i < count; i++) {
        const double *from = p->from + (size_t)loaded[i] * p->from_dim;
        for (uint32_t e = w->row_start[loaded[i]]; e < w->row_start[loaded[i] + 1]; e++) {
            double *to = p->to + (size_t)w->column[e] * p->to_dim;
            for (uint32_t c = 0; c < 3; c++)
                to[c] += from[c] * w->weight[e];
        }
    }
}

void dv_weighted_rows_scatter(const DvWeightedRows *w, const DvConstVec *out, const DvVec *in)
{
    Product product = {w, out->at, in->at, out->dim, in->dim, 3, false};
    const uint32_t most = w->rows / 8;
    const DvStepMark mark = dv_step_mark();
    uint32_t *loaded = dv_step_alloc((size_t)most + 1, sizeof *loaded);
    const uint32_t count = list_loaded(&product, most, loaded);
    if (count <= most)
        scatter_loaded(&product, loaded, count);
    else
        dv_parallel_for(w->used, ROWS_PER_CHUNK / 4, scatter_chunk, &product);
    dv_step_release(mark);
}

void dv_weighted_rows_gather_at(const DvWeightedRows *w, const DvConstVec *in, const DvVec *out, const uint32_t *rows,
                                uint32_t count)
{
    for (uint32_t k = 0; k < count && rows[k] < w->rows; k++) {
        const uint32_t start = w->row_start[rows[k]], length = w->row_start[rows[k] + 1] - start;
        gather_row(w->column + start, w->weight + start, length, in->at, in->dim, out->at + (size_t)rows[k] * out->dim);
    }
}

void dv_weighted_rows_scatter_at(const DvWeightedRows *w, const DvConstVec *out, const DvVec *in, const uint32_t *rows,
                                 uint32_t count)
{
    while (count > 0 && rows[count - 1] >= w->rows)
        count--;
    scatter_loaded(&(Product){w, out->at, in->at, out->dim, in->dim, 3, false}, rows, count);
}

/* ---- Any number of components ---- */

static void add_chunk(void *context, uint32_t begin, uint32_t end)
{
    const Product *p = context;
    const DvWeightedRows *w = p->w;
    for (uint32_t i = begin; i < end; i++)
        for (uint32_t c = 0; c < p->components; c++) {
            double sum = p->to[(size_t)i * p->to_dim + c];
            for (uint32_t e = w->row_start[i]; e < w->row_start[i + 1]; e++)
                sum += p->from[(size_t)w->column[e] * p->from_dim + c] * w->weight[e];
            p->to[(size_t)i * p->to_dim + c] = sum;
        }
}

void dv_weighted_rows_add(const DvWeightedRows *w, const DvConstVec *in, const DvVec *out, uint32_t components)
{
    dv_parallel_for(w->rows, ROWS_PER_CHUNK, add_chunk,
                    &(Product){w, in->at, out->at, in->dim, out->dim, components, false});
}

static void add_transposed_chunk(void *context, uint32_t begin, uint32_t end)
{
    const Product *p = context;
    const DvWeightedRows *w = p->w;
    for (uint32_t k = begin; k < end; k++)
        for (uint32_t c = 0, column = w->used_column[k]; c < p->components; c++) {
            double sum = p->to[(size_t)column * p->to_dim + c];
            for (uint32_t e = w->begin[column]; e < w->end[column]; e++)
                sum += p->from[(size_t)w->entry_row[e] * p->from_dim + c] * w->entry_weight[e];
            p->to[(size_t)column * p->to_dim + c] = sum;
        }
}

void dv_weighted_rows_add_transposed(const DvWeightedRows *w, const DvConstVec *out, const DvVec *in,
                                     uint32_t components)
{
    dv_parallel_for(w->used, ROWS_PER_CHUNK / 4, add_transposed_chunk,
                    &(Product){w, out->at, in->at, out->dim, in->dim, components, false});
}

DvJacobian *dv_weighted_rows_jacobian(DvWeightedRows *w, uint32_t deriv_out, uint32_t deriv_in, uint32_t components,
                                      uint32_t columns)
{
    DvJacobian *j = &w->jacobian;
    if (j->structure == w->structure && j->columns_count == columns)
        return j;
    const uint32_t area = deriv_out * deriv_in, entries = w->rows ? w->row_start[w->rows] : 0;
    const DvJacobianArrays to = dv_jacobian_new(j, w->rows, columns, entries, area);
    uint32_t *column = to.columns;
    double *values = to.values;
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->rows; i++) {
        const uint32_t first = count;
        for (uint32_t e = w->row_start[i]; e < w->row_start[i + 1]; e++) {
            /* Insertion: rows have few entries, or come in order. */
            uint32_t at = count;
            while (at > first && column[at - 1] > w->column[e])
                at--;
            const bool merge = at > first && column[at - 1] == w->column[e];
            if (merge) {
                at--;
            } else {
                for (uint32_t k = count; k > at; k--) {
                    column[k] = column[k - 1];
                    values[(size_t)k * area] = values[(size_t)(k - 1) * area];
                }
                count++;
                column[at] = w->column[e];
                values[(size_t)at * area] = 0.0;
            }
            values[(size_t)at * area] += w->weight[e];
        }
        to.row_start[i + 1] = count;
    }
    for (uint32_t e = 0; e < count; e++) {
        double *block = values + (size_t)e * area;
        for (uint32_t c = 1; c < components; c++)
            block[(size_t)c * deriv_in + c] = block[0];
    }
    j->structure = j->version = w->structure;
    return j;
}

void dv_weighted_rows_describe(const DvWeightedRows *w, bool clears, DvOperator *out)
{
    static const uint32_t no_rows[1] = {0}, yes_and_no[2] = {0, 1};
    const uint32_t *begin = w->row_start ? w->row_start : no_rows;
    const uint32_t rows = w->row_start ? w->rows : 0;
    out->name = "weighted rows";
    dv_operator_add_indices(out, "begin", begin, (size_t)rows + 1, 1, w->structure);
    dv_operator_add_indices(out, "column", w->column, begin[rows], 1, w->structure);
    dv_operator_add_numbers(out, "weight", w->weight, begin[rows], 1, w->structure);
    dv_operator_add_indices(out, "clears", yes_and_no + clears, 1, 1, 0);
}
