/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The twin of a factor: x = A^-1 b by levels (factor_levels.h), four launches for each, and W of rows that go through it side by side.
 * What follows from the structure is sent when that is another one, of other numbers those of L and of the inverted squares; the device
 * transposes them. All of it is in double.
 */
#include "factor_levels.h"
#include "operators.h"

#include <divan/memory.h>

#include <string.h>

typedef struct FactorTwin {
    Twin twin;
    FactorLevels levels;
    uint32_t *size, states;   /* size: [states] numbers of each */
    uint32_t *node;           /* [nodes] where it is in the order of levels, by its number in the matrix */
    DeviceArray place, scale; /* the same there; 1 / D */
    DeviceArray begin[FACTOR_PARTS], column[FACTOR_PARTS], value[FACTOR_PARTS], source[FACTOR_PARTS];
    DeviceArray t, y;             /* vectors in the order of levels, of one right-hand side or MANY_SIDES */
    DeviceArray at, number, home; /* of W: entries of rows, and what is asked of solutions */
    uint64_t structure, version;
} FactorTwin;

static size_t numbers_of(const FactorTwin *self)
{
    return (size_t)self->levels.nodes * self->levels.numbers;
}

/* ---- What is sent ---- */

static bool take_states(FactorTwin *self, const DvOperator *op, DvText *why)
{
    const DvOperatorPart *size = operator_part(op, "size", SIZE_MAX, 1, why);
    const DvOperatorPart *inverse = dv_operator_part(op, "inverse");
    size_t numbers = 0;
    if (!size)
        return false;
    dv_free(self->size);
    self->states = (uint32_t)size->count;
    self->size = dv_alloc(self->states, sizeof *self->size);
    for (uint32_t i = 0; i < self->states; i++) {
        self->size[i] = size->index[i];
        numbers += size->index[i];
    }
    if (inverse && inverse->width >= 1 && inverse->width <= 3 && inverse->count > 0 && inverse->count < UINT32_MAX &&
        numbers == inverse->count * inverse->width && self->states > 0 &&
        self->size[0] == self->twin.points * self->twin.dim)
        return true;
    dv_text_add(why, "a factor of nodes that are not those of its states");
    return false;
}

/* The order of levels, by the number of each node in the matrix; false: it names a node twice. */
static bool take_order(FactorTwin *self, const DvOperatorPart *node, DvText *why)
{
    const uint32_t nodes = self->levels.nodes;
    bool fits = true;
    dv_free(self->node);
    self->node = dv_alloc((size_t)nodes + 1, sizeof *self->node);
    memset(self->node, 0xff, nodes * sizeof *self->node);
    for (uint32_t k = 0; k < nodes && fits; k++) {
        fits = node->index[k] < nodes && self->node[node->index[k]] == UINT32_MAX;
        if (fits)
            self->node[node->index[k]] = self->levels.place[k];
    }
    if (!fits)
        dv_text_add(why, "its order is not one of its %u nodes", nodes);
    return fits;
}

static bool put_structure(FactorTwin *self, const DvOperator *op, DvText *why)
{
    Space *space = self->twin.space;
    const FactorLevels *levels = &self->levels;
    const DvOperatorPart *node = operator_part(op, "node", levels->nodes, 1, why);
    const size_t block = (size_t)levels->numbers * levels->numbers * sizeof(double),
                 vector = numbers_of(self) * sizeof(double);
    bool done = node && take_order(self, node, why) &&
                device_array_put(space, &self->place, self->node, levels->nodes * sizeof *self->node, why) &&
                device_array_room(space, &self->scale, vector, why) &&
                device_array_room(space, &self->t, vector, why) && device_array_room(space, &self->y, vector, why);
    for (FactorPart part = 0; part < FACTOR_PARTS && done; part++) {
        const FactorRows *rows = &levels->rows[part];
        const size_t entries = factor_entries(levels, part), bytes = entries * sizeof(uint32_t);
        done = device_array_put(space, &self->begin[part], rows->begin, ((size_t)levels->nodes + 1) * sizeof(uint32_t),
                                why) &&
               device_array_put(space, &self->column[part], rows->column, bytes, why) &&
               (!rows->source || device_array_put(space, &self->source[part], rows->source, bytes, why)) &&
               device_array_room(space, &self->value[part], entries * block, why);
    }
    return done;
}

static void transpose(FactorTwin *self, FactorPart from, FactorPart to)
{
    Space *space = self->twin.space;
    const uint32_t b = self->levels.numbers;
    const uint64_t n = (uint64_t)factor_entries(&self->levels, to) * b * b;
    SPACE_LAUNCH(space, DV_DOUBLE, factor_transpose, n, .n = n, .source = SPACE_AT(self->source[to].at),
                 .from = SPACE_AT(self->value[from].at), .to = SPACE_AT(self->value[to].at), .numbers = b);
}

/* Room in what is being sent holds until the next is asked for: the numbers are made beside it. */
static void put_values(FactorTwin *self, const DvOperator *op)
{
    Device *device = self->twin.space->device;
    const FactorLevels *levels = &self->levels;
    const uint32_t b = levels->numbers;
    const size_t forward = (size_t)factor_entries(levels, FACTOR_FORWARD) * b * b,
                 own = (size_t)factor_entries(levels, FACTOR_OWN) * b * b;
    const DvOperatorPart *inverse = dv_operator_part(op, "inverse");
    double *squares = dv_alloc(own + 1, sizeof *squares), *none = NULL;
    double *to = forward ? device->ops->put(device, self->value[FACTOR_FORWARD].at, forward * sizeof *to)
                         : (none = dv_alloc(1, sizeof *none));
    factor_levels_values(levels, op, to, squares);
    if (own)
        memcpy(device->ops->put(device, self->value[FACTOR_OWN].at, own * sizeof *squares), squares,
               own * sizeof *squares);
    dv_free(squares);
    dv_free(none);
    to = device->ops->put(device, self->scale.at, numbers_of(self) * sizeof *to);
    for (uint32_t k = 0; k < levels->nodes; k++)
        memcpy(to + (size_t)levels->place[k] * b, inverse->numbers + (size_t)k * b, b * sizeof *to);
    transpose(self, FACTOR_FORWARD, FACTOR_BACKWARD);
    transpose(self, FACTOR_OWN, FACTOR_OWN_BACK);
}

static bool factor_update(DvTwin *base, const DvOperator *op, DvText *why)
{
    FactorTwin *self = (FactorTwin *)base;
    const DvOperatorPart *panel = operator_part(op, "panel", SIZE_MAX, PANEL_NUMBERS, why);
    const DvOperatorPart *row = panel ? operator_part(op, "row", SIZE_MAX, 1, why) : NULL;
    const DvOperatorPart *value = row ? operator_part(op, "value", SIZE_MAX, 1, why) : NULL;
    if (!value || !take_states(self, op, why))
        return false;
    if (!self->levels.first || panel->version != self->structure) {
        self->structure = panel->version;
        self->version = value->version + 1;
        if (!factor_levels_find(&self->levels, op, why) || !put_structure(self, op, why)) {
            factor_levels_free(&self->levels);
            return false;
        }
    }
    if (value->version != self->version)
        put_values(self, op);
    self->version = value->version;
    return true;
}

static void factor_free(DvTwin *base)
{
    FactorTwin *self = (FactorTwin *)base;
    DeviceArray *const single[] = {&self->place, &self->scale,  &self->t,   &self->y,
                                   &self->at,    &self->number, &self->home};
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        device_array_free(self->twin.space, single[i]);
    for (int part = 0; part < FACTOR_PARTS; part++) {
        device_array_free(self->twin.space, &self->begin[part]);
        device_array_free(self->twin.space, &self->column[part]);
        device_array_free(self->twin.space, &self->value[part]);
        device_array_free(self->twin.space, &self->source[part]);
    }
    factor_levels_free(&self->levels);
    dv_free(self->size);
    dv_free(self->node);
    twin_end(&self->twin);
}

/* ---- Sweeps ---- */

/* out = scale in + rows x, for the nodes of a level. */
static void rows_of_level(FactorTwin *self, FactorPart part, uint32_t level, bool many, DvAddress scale, DvAddress in,
                          DvAddress x, DvAddress out)
{
    Space *space = self->twin.space;
    const uint32_t first = self->levels.first[level];
    const uint64_t n = self->levels.first[level + 1] - first;
#define ARGUMENTS                                                                                                 \
    .n = n, .first = first, .numbers = self->levels.numbers, .begin = SPACE_AT(self->begin[part].at),             \
    .column = SPACE_AT(self->column[part].at), .value = SPACE_AT(self->value[part].at), .scale = SPACE_AT(scale), \
    .in = SPACE_AT(in), .x = SPACE_AT(x), .out = SPACE_AT(out)
    if (many)
        SPACE_LAUNCH(space, DV_DOUBLE, factor_rows_many, n * ROW_LANES, ARGUMENTS);
    else
        SPACE_LAUNCH(space, DV_DOUBLE, factor_rows, n * ROW_LANES, ARGUMENTS);
#undef ARGUMENTS
}

/* The right-hand sides are in t, the solutions come to y. */
static void sweep(FactorTwin *self, bool many)
{
    const FactorLevels *levels = &self->levels;
    const uint32_t *forward = levels->rows[FACTOR_FORWARD].begin;
    const DvAddress t = self->t.at, y = self->y.at;
    for (uint32_t l = 0; l < levels->levels; l++) {
        if (forward[levels->first[l + 1]] > forward[levels->first[l]])
            rows_of_level(self, FACTOR_FORWARD, l, many, 0, t, y, t);
        rows_of_level(self, FACTOR_OWN, l, many, 0, t, t, y);
    }
    for (uint32_t l = levels->levels; l-- > 0;) {
        rows_of_level(self, FACTOR_BACKWARD, l, many, self->scale.at, y, y, t);
        rows_of_level(self, FACTOR_OWN_BACK, l, many, 0, t, t, y);
    }
}

static void factor_solve(DvTwin *base, const DvConstVec *b, const DvVec *x)
{
    FactorTwin *self = (FactorTwin *)base;
    Space *space = self->twin.space;
    uint32_t offset = 0;
    for (uint32_t i = 0; i < self->states; i++) {
        const uint32_t n = self->size[i];
        SPACE_LAUNCH(space, self->twin.precision, factor_take, n, .n = n, .place = SPACE_AT(self->place.at),
                     .from = (const void *)b[i].at, .to = SPACE_AT(self->t.at), .offset = offset,
                     .numbers = self->levels.numbers);
        offset += n;
    }
    sweep(self, false);
    offset = 0;
    for (uint32_t i = 0; i < self->states; i++) {
        const uint32_t n = self->size[i];
        SPACE_LAUNCH(space, self->twin.precision, factor_give, n, .n = n, .place = SPACE_AT(self->place.at),
                     .from = SPACE_AT(self->y.at), .to = (void *)x[i].at, .offset = offset,
                     .numbers = self->levels.numbers);
        offset += n;
    }
}

/* ---- W of rows ---- */

/* Rows that go through the factor together; what is asked of their solutions are their columns, each once. */
typedef struct Sides {
    const DvSparseRows *j;
    uint32_t *rank, *columns, count; /* rank: [numbers], of a column among `columns` [count] */
    double factor, *w;
    size_t stride;
} Sides;

static uint32_t place_of(const FactorTwin *self, uint32_t column)
{
    const uint32_t b = self->levels.numbers;
    return self->node[column / b] * b + column % b;
}

static void find_columns(const FactorTwin *self, Sides *s)
{
    const uint32_t entries = s->j->row_start[s->j->rows];
    const size_t numbers = numbers_of(self);
    s->rank = dv_step_alloc(numbers + 1, sizeof *s->rank);
    s->columns = dv_step_alloc((size_t)entries + 1, sizeof *s->columns);
    memset(s->rank, 0xff, numbers * sizeof *s->rank);
    s->count = 0;
    for (uint32_t e = 0; e < entries; e++)
        if (s->rank[s->j->columns[e]] == UINT32_MAX) {
            s->rank[s->j->columns[e]] = s->count;
            s->columns[s->count++] = s->j->columns[e];
        }
}

/* Where the entries of rows go and what is asked of solutions, and the entries. */
static bool put_rows(FactorTwin *self, const Sides *s, uint32_t groups, DvText *why)
{
    Space *space = self->twin.space;
    const uint32_t entries = s->j->row_start[s->j->rows];
    const size_t vector = numbers_of(self) * MANY_SIDES * sizeof(double),
                 index = ((size_t)entries + s->count) * sizeof(uint32_t),
                 home = (size_t)groups * s->count * MANY_SIDES * sizeof(double);
    if (!device_array_room(space, &self->t, vector, why) || !device_array_room(space, &self->y, vector, why) ||
        !device_array_ample(space, &self->at, index, why) ||
        !device_array_ample(space, &self->number, entries * sizeof(double), why) ||
        !device_array_ample(space, &self->home, home, why))
        return false;
    uint32_t *at = space->device->ops->put(space->device, self->at.at, index);
    for (uint32_t r = 0; r < s->j->rows; r++)
        for (uint32_t e = s->j->row_start[r]; e < s->j->row_start[r + 1]; e++)
            at[e] = place_of(self, s->j->columns[e]) * MANY_SIDES + r % MANY_SIDES;
    for (uint32_t i = 0; i < s->count; i++)
        at[entries + i] = place_of(self, s->columns[i]);
    memcpy(space->device->ops->put(space->device, self->number.at, entries * sizeof(double)), s->j->values,
           entries * sizeof(double));
    return true;
}

/* A group of rows; what is asked of their solutions is kept there. */
static void solve_group(FactorTwin *self, const Sides *s, uint32_t first, DvAddress home)
{
    Space *space = self->twin.space;
    const DvSparseRows *j = s->j;
    const uint32_t end = first + MANY_SIDES < j->rows ? first + MANY_SIDES : j->rows, begin = j->row_start[first],
                   entries = j->row_start[j->rows];
    const uint64_t n = j->row_start[end] - begin, numbers = (uint64_t)numbers_of(self) * MANY_SIDES,
                   asked = (uint64_t)s->count * MANY_SIDES;
    SPACE_LAUNCH(space, DV_DOUBLE, combine, numbers, .n = numbers, .r = SPACE_AT(self->t.at));
    SPACE_LAUNCH(space, DV_DOUBLE, factor_set, n, .n = n, .at = SPACE_AT(self->at.at + begin * sizeof(uint32_t)),
                 .from = SPACE_AT(self->number.at + begin * sizeof(double)), .to = SPACE_AT(self->t.at));
    sweep(self, true);
    SPACE_LAUNCH(space, DV_DOUBLE, factor_fetch, asked, .n = asked,
                 .at = SPACE_AT(self->at.at + entries * sizeof(uint32_t)), .from = SPACE_AT(self->y.at),
                 .to = SPACE_AT(home));
}

/* Columns of W from row `first` on, from their solutions; W is symmetric, so what is above the diagonal is enough. */
static void add_columns(const Sides *s, uint32_t first, uint32_t end, const double *home)
{
    const DvSparseRows *j = s->j;
    for (uint32_t r = first; r < end; r++) {
        const uint32_t group = (r - first) / MANY_SIDES;
        const double *x = home + (size_t)group * s->count * MANY_SIDES + r % MANY_SIDES;
        for (uint32_t i = 0; i <= r; i++) {
            double sum = 0.0;
            for (uint32_t e = j->row_start[i]; e < j->row_start[i + 1]; e++)
                sum += j->values[e] * x[(size_t)s->rank[j->columns[e]] * MANY_SIDES];
            s->w[s->stride * i + r] += s->factor * sum;
            if (i < r)
                s->w[s->stride * r + i] += s->factor * sum;
        }
    }
}

static void factor_compliance(DvTwin *base, const DvSparseRows *j, double factor, double *w, size_t stride)
{
    enum { MOST_BYTES = 64 << 20 };
    FactorTwin *self = (FactorTwin *)base;
    Device *device = self->twin.space->device;
    Sides s = {.j = j, .factor = factor, .w = w, .stride = stride};
    const DvStepMark mark = dv_step_mark();
    DvText why = {0};
    find_columns(self, &s);
    const size_t bytes = (size_t)s.count * MANY_SIDES * sizeof(double);
    const uint32_t all = (j->rows + MANY_SIDES - 1) / MANY_SIDES,
                   most = bytes > 0 && MOST_BYTES / bytes > 0 ? (uint32_t)(MOST_BYTES / bytes) : 1,
                   together = all < most ? all : most;
    double *home = dv_step_alloc(together * bytes / sizeof *home + 1, sizeof *home);
    if (s.count > 0 && put_rows(self, &s, together, &why)) /* else the device has said it */
        for (uint32_t g = 0; g < all; g += together) {
            const uint32_t groups = all - g < together ? all - g : together, first = g * MANY_SIDES,
                           end = first + groups * MANY_SIDES < j->rows ? first + groups * MANY_SIDES : j->rows;
            for (uint32_t k = 0; k < groups; k++)
                solve_group(self, &s, first + k * MANY_SIDES, self->home.at + k * bytes);
            device->ops->get(device, home, self->home.at, groups * bytes);
            add_columns(&s, first, end, home);
        }
    dv_text_free(&why);
    dv_step_release(mark);
}

static const DvTwinOps ops = {.size = sizeof(DvTwinOps),
                              .update = factor_update,
                              .free = factor_free,
                              .solve = factor_solve,
                              .compliance = factor_compliance};

Twin *factor_twin_new(void)
{
    FactorTwin *self = dv_alloc(1, sizeof *self);
    self->twin.base.ops = &ops;
    return &self->twin;
}
