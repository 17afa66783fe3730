/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "factor_levels.h"

#include <divan/memory.h>
#include <divan/parallel.h>

#include <string.h>

/* A row of the part "panel". */
enum { FIRST, WIDTH, BELOW, STRIDE, GAP };

static const uint32_t *panel_of(const DvOperator *op, uint32_t s)
{
    return dv_operator_part(op, "panel")->index + (size_t)s * PANEL_NUMBERS;
}

/* ---- Whether it is one ---- */

static bool are_rows_below(const uint32_t *panel, const uint32_t *row, uint32_t nodes)
{
    uint32_t least = panel[FIRST] + panel[WIDTH];
    for (uint32_t r = 0; r < panel[BELOW]; r++) {
        if (row[r] < least || row[r] >= nodes)
            return false;
        least = row[r] + 1;
    }
    return true;
}

/* Panels that follow each other, with rows below them and as many numbers as they say. */
static bool are_panels(const DvOperator *op, uint32_t nodes, uint32_t b)
{
    const DvOperatorPart *panel = dv_operator_part(op, "panel"), *row = dv_operator_part(op, "row");
    size_t rows = 0, values = 0, entries[2] = {0, 0};
    uint32_t next = 0;
    for (uint32_t s = 0; s < panel->count; s++) {
        const uint32_t *p = panel->index + (size_t)s * PANEL_NUMBERS;
        const size_t height = ((size_t)p[WIDTH] + p[BELOW]) * b;
        values += (size_t)p[STRIDE] * p[WIDTH] * b;
        if (p[FIRST] != next || p[WIDTH] == 0 || p[WIDTH] > nodes - next || p[STRIDE] < height ||
            rows + p[BELOW] > row->count || !are_rows_below(p, row->index + rows, nodes) ||
            values > dv_operator_part(op, "value")->count)
            return false;
        next += p[WIDTH];
        rows += p[BELOW];
        values += p[GAP];
        entries[0] += (size_t)p[WIDTH] * p[BELOW];
        entries[1] += (size_t)p[WIDTH] * (p[WIDTH] + 1) / 2;
    }
    return next == nodes && rows == row->count && entries[0] < UINT32_MAX && entries[1] < UINT32_MAX;
}

/* ---- The order of levels ---- */

/* Level of each panel; of each node, its panel. */
static uint32_t find_levels(const DvOperator *op, uint32_t panels, uint32_t *level, uint32_t *panel_at)
{
    const uint32_t *row = dv_operator_part(op, "row")->index;
    uint32_t levels = 0;
    for (uint32_t s = 0; s < panels; s++) {
        const uint32_t *p = panel_of(op, s);
        level[s] = 0;
        for (uint32_t t = 0; t < p[WIDTH]; t++)
            panel_at[p[FIRST] + t] = s;
    }
    for (uint32_t s = 0; s < panels; s++) {
        const uint32_t below = panel_of(op, s)[BELOW];
        for (uint32_t r = 0; r < below; r++) {
            uint32_t *above = &level[panel_at[row[r]]];
            *above = *above > level[s] ? *above : level[s] + 1;
        }
        row += below;
        levels = level[s] + 1 > levels ? level[s] + 1 : levels;
    }
    return levels;
}

static void order_by_level(FactorLevels *self, const DvOperator *op)
{
    const DvStepMark mark = dv_step_mark();
    uint32_t *level = dv_step_alloc(self->panels, sizeof *level),
             *panel_at = dv_step_alloc(self->nodes, sizeof *panel_at);
    self->levels = find_levels(op, self->panels, level, panel_at);
    self->first = dv_alloc((size_t)self->levels + 1, sizeof *self->first);
    self->place = dv_alloc((size_t)self->nodes + 1, sizeof *self->place);
    for (uint32_t s = 0; s < self->panels; s++)
        self->first[level[s] + 1] += panel_of(op, s)[WIDTH];
    for (uint32_t l = 0; l < self->levels; l++)
        self->first[l + 1] += self->first[l];
    uint32_t *next = dv_step_alloc((size_t)self->levels + 1, sizeof *next);
    memcpy(next, self->first, ((size_t)self->levels + 1) * sizeof *next);
    for (uint32_t s = 0; s < self->panels; s++)
        for (uint32_t t = 0; t < panel_of(op, s)[WIDTH]; t++)
            self->place[panel_of(op, s)[FIRST] + t] = next[level[s]]++;
    dv_step_release(mark);
}

/* ---- Rows ---- */

static void reserve_rows(FactorRows *rows, uint32_t nodes, bool transposed)
{
    for (uint32_t i = 0; i < nodes; i++)
        rows->begin[i + 1] += rows->begin[i];
    const size_t entries = (size_t)rows->begin[nodes] + 1;
    rows->column = dv_alloc(entries, sizeof *rows->column);
    rows->source = transposed ? dv_alloc(entries, sizeof *rows->source) : NULL;
}

static void count_rows(FactorLevels *self, const DvOperator *op)
{
    const uint32_t *row = dv_operator_part(op, "row")->index;
    const size_t begins = (size_t)self->nodes + 1;
    for (int part = 0; part < FACTOR_PARTS; part++)
        self->rows[part].begin = dv_alloc(begins, sizeof(uint32_t));
    for (uint32_t s = 0; s < self->panels; s++) {
        const uint32_t *p = panel_of(op, s), at = self->place[p[FIRST]];
        for (uint32_t r = 0; r < p[BELOW]; r++)
            self->rows[FACTOR_FORWARD].begin[self->place[*row++] + 1] += p[WIDTH];
        for (uint32_t t = 0; t < p[WIDTH]; t++) {
            self->rows[FACTOR_OWN].begin[at + t + 1] = t + 1;
            self->rows[FACTOR_OWN_BACK].begin[at + t + 1] = p[WIDTH] - t;
            self->rows[FACTOR_BACKWARD].begin[at + t + 1] = p[BELOW];
        }
    }
    for (int part = 0; part < FACTOR_PARTS; part++)
        reserve_rows(&self->rows[part], self->nodes, part >= FACTOR_BACKWARD);
}

static void fill_squares(FactorLevels *self, const uint32_t *p)
{
    const uint32_t at = self->place[p[FIRST]];
    const FactorRows *own = &self->rows[FACTOR_OWN], *back = &self->rows[FACTOR_OWN_BACK];
    for (uint32_t t = 0; t < p[WIDTH]; t++) {
        for (uint32_t u = 0; u <= t; u++)
            own->column[own->begin[at + t] + u] = at + u;
        for (uint32_t u = t; u < p[WIDTH]; u++) {
            back->column[back->begin[at + t] + u - t] = at + u;
            back->source[back->begin[at + t] + u - t] = own->begin[at + u] + t;
        }
    }
}

static void fill_rows(FactorLevels *self, const DvOperator *op)
{
    const uint32_t *row = dv_operator_part(op, "row")->index;
    const FactorRows *forward = &self->rows[FACTOR_FORWARD], *back = &self->rows[FACTOR_BACKWARD];
    const DvStepMark mark = dv_step_mark();
    uint32_t *next = dv_step_alloc((size_t)self->nodes + 1, sizeof *next);
    memcpy(next, forward->begin, ((size_t)self->nodes + 1) * sizeof *next);
    for (uint32_t s = 0; s < self->panels; s++) {
        const uint32_t *p = panel_of(op, s), at = self->place[p[FIRST]];
        fill_squares(self, p);
        for (uint32_t r = 0; r < p[BELOW]; r++, row++)
            for (uint32_t t = 0; t < p[WIDTH]; t++) {
                const uint32_t entry = next[self->place[*row]]++;
                forward->column[entry] = at + t;
                back->column[back->begin[at + t] + r] = self->place[*row];
                back->source[back->begin[at + t] + r] = entry;
            }
    }
    dv_step_release(mark);
}

bool factor_levels_find(FactorLevels *levels, const DvOperator *op, DvText *why)
{
    const DvOperatorPart *inverse = dv_operator_part(op, "inverse");
    factor_levels_free(levels);
    levels->nodes = (uint32_t)inverse->count;
    levels->numbers = inverse->width;
    levels->panels = (uint32_t)dv_operator_part(op, "panel")->count;
    if (!are_panels(op, levels->nodes, levels->numbers)) {
        dv_text_add(why, "its panels do not fit its %u nodes", levels->nodes);
        return false;
    }
    order_by_level(levels, op);
    count_rows(levels, op);
    fill_rows(levels, op);
    return true;
}

void factor_levels_free(FactorLevels *levels)
{
    dv_free(levels->first);
    dv_free(levels->place);
    for (int part = 0; part < FACTOR_PARTS; part++) {
        dv_free(levels->rows[part].begin);
        dv_free(levels->rows[part].column);
        dv_free(levels->rows[part].source);
    }
    *levels = (FactorLevels){0};
}

/* ---- Numbers ---- */

typedef struct Filling {
    const FactorLevels *levels;
    const DvOperator *op;
    const double **panel; /* [panels] */
    double *own, *column; /* column: [nodes x numbers], each panel has its part */
} Filling;

/* Columns of the inverse of the square of a panel, one after the other; what is on and above the diagonal is nothing. */
static void invert_squares(void *context, uint32_t begin, uint32_t end)
{
    const Filling *f = context;
    const uint32_t b = f->levels->numbers;
    for (uint32_t s = begin; s < end; s++) {
        const uint32_t *p = panel_of(f->op, s), n = p[WIDTH] * b;
        const uint32_t *entries = f->levels->rows[FACTOR_OWN].begin + f->levels->place[p[FIRST]];
        double *x = f->column + (size_t)p[FIRST] * b;
        for (uint32_t j = 0; j < n; j++) {
            memset(x, 0, n * sizeof *x);
            x[j] = 1.0;
            for (uint32_t k = j; k < n; k++) {
                const double *column = f->panel[s] + (size_t)k * p[STRIDE], pivot = x[k];
                for (uint32_t i = k + 1; i < n; i++)
                    x[i] -= pivot * column[i];
            }
            x[j] = 0.0;
            for (uint32_t i = j / b * b; i < n; i++)
                f->own[((size_t)entries[i / b] + j / b) * b * b + (size_t)(i % b) * b + j % b] = x[i];
        }
    }
}

static void fill_forward(const Filling *f, uint32_t *next, double *forward)
{
    const uint32_t b = f->levels->numbers, *row = dv_operator_part(f->op, "row")->index;
    for (uint32_t s = 0; s < f->levels->panels; s++) {
        const uint32_t *p = panel_of(f->op, s);
        for (uint32_t r = 0; r < p[BELOW]; r++, row++) {
            double *to = forward + (size_t)next[f->levels->place[*row]] * b * b;
            const double *from = f->panel[s] + ((size_t)p[WIDTH] + r) * b;
            for (uint32_t k = 0; k < p[WIDTH] * b; k++)
                for (uint32_t c = 0; c < b; c++)
                    to[(size_t)(k / b) * b * b + (size_t)c * b + k % b] = -from[(size_t)k * p[STRIDE] + c];
            next[f->levels->place[*row]] += p[WIDTH];
        }
    }
}

void factor_levels_values(const FactorLevels *levels, const DvOperator *op, double *forward, double *own)
{
    const DvStepMark mark = dv_step_mark();
    const double *value = dv_operator_part(op, "value")->numbers;
    Filling filling = {.levels = levels, .op = op, .own = own};
    filling.panel = dv_step_alloc((size_t)levels->panels + 1, sizeof(double *));
    filling.column = dv_step_alloc((size_t)levels->nodes * levels->numbers + 1, sizeof(double));
    for (uint32_t s = 0; s < levels->panels; s++) {
        const uint32_t *p = panel_of(op, s);
        filling.panel[s] = value;
        value += (size_t)p[STRIDE] * p[WIDTH] * levels->numbers + p[GAP];
    }
    uint32_t *next = dv_step_alloc((size_t)levels->nodes + 1, sizeof *next);
    memcpy(next, levels->rows[FACTOR_FORWARD].begin, ((size_t)levels->nodes + 1) * sizeof *next);
    fill_forward(&filling, next, forward);
    dv_parallel_for(levels->panels, 4, invert_squares, &filling);
    dv_step_release(mark);
}
