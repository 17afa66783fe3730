/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The twin of rows that are stiff, contacts for example: products alone. There may be other rows in each step, so what is sent of them
 * grows with them and not with the state.
 */
#include "operators.h"

#include <divan/memory.h>

#include <stdlib.h>
#include <string.h>

/* Of one state. In one array there: begin [rows + 1], point [entries], touched [touched], first [touched + 1], entry and row
 * [entries], sorted by the points that they touch. */
typedef struct SideOfRows {
    DeviceArray index, value;
    uint32_t entries, touched, dim;
} SideOfRows;

typedef struct RowsTwin {
    Twin twin;
    SideOfRows side[2];
    DeviceArray stiffness, along;
    uint32_t rows, sides;
} RowsTwin;

typedef struct Touch {
    uint32_t point, entry, row;
} Touch;

static int compare_touches(const void *a, const void *b)
{
    const Touch *x = a, *y = b;
    return x->point != y->point ? (x->point > y->point) - (x->point < y->point)
                                : (x->entry > y->entry) - (x->entry < y->entry);
}

/* The entries by the points that they touch: how many points there are. */
static uint32_t sort_touches(Touch *touch, const DvOperatorPart *begin, const DvOperatorPart *point)
{
    uint32_t touched = 0;
    for (uint32_t r = 0; r + 1 < begin->count; r++)
        for (uint32_t e = begin->index[r]; e < begin->index[r + 1]; e++)
            touch[e] = (Touch){point->index[e], e, r};
    if (point->count)
        qsort(touch, point->count, sizeof *touch, compare_touches);
    for (size_t e = 0; e < point->count; e++)
        touched += e == 0 || touch[e].point != touch[e - 1].point;
    return touched;
}

static bool put_index(Space *space, SideOfRows *side, const Touch *touch, const DvOperatorPart *begin,
                      const DvOperatorPart *point, DvText *why)
{
    const uint32_t rows = (uint32_t)begin->count - 1, n = side->entries, touched = side->touched;
    const size_t bytes = ((size_t)rows + 1 + 3 * (size_t)n + 2 * (size_t)touched + 1) * sizeof(uint32_t);
    if (!device_array_ample(space, &side->index, bytes, why))
        return false;
    uint32_t *to = space->device->ops->put(space->device, side->index.at, bytes);
    memcpy(to, begin->index, ((size_t)rows + 1) * sizeof *to);
    to += rows + 1;
    if (n)
        memcpy(to, point->index, n * sizeof *to);
    uint32_t *list = to + n, *first = list + touched, *entry = first + touched + 1, *row = entry + n, end = 0;
    for (uint32_t e = 0; e < n; e++) {
        if (e == 0 || touch[e].point != touch[e - 1].point) {
            list[end] = touch[e].point;
            first[end++] = e;
        }
        entry[e] = touch[e].entry;
        row[e] = touch[e].row;
    }
    first[end] = n;
    return true;
}

static bool put_side(RowsTwin *self, SideOfRows *side, const DvOperatorPart *const part[3], uint32_t points,
                     DvText *why)
{
    const DvOperatorPart *begin = part[0], *point = part[1], *value = part[2];
    Space *space = self->twin.space;
    for (size_t e = 0; e < point->count; e++)
        if (point->index[e] >= points) {
            dv_text_add(why, "a row has point %u of %u", point->index[e], points);
            return false;
        }
    if (begin->index[self->rows] != point->count) {
        dv_text_add(why, "its rows have not as many entries as it says");
        return false;
    }
    Touch *touch = dv_alloc(point->count + 1, sizeof *touch);
    side->dim = value->width;
    side->entries = (uint32_t)point->count;
    side->touched = sort_touches(touch, begin, point);
    const bool done = put_index(space, side, touch, begin, point, why) &&
                      device_array_ample(space, &side->value,
                                         dv_space_bytes(self->twin.precision, value->count * value->width), why) &&
                      device_array_numbers(space, self->twin.precision, &side->value, value, false, why);
    dv_free(touch);
    return done;
}

/* The parts of one side; false: they do not fit. */
static bool find_side(const RowsTwin *self, const DvOperator *op, uint32_t side, const DvOperatorPart *part[3],
                      DvText *why)
{
    static const char *const names[2][3] = {{"begin", "point", "value"}, {"begin 2", "point 2", "value 2"}};
    const DvOperatorPart *value = dv_operator_part(op, names[side][2]);
    part[0] = operator_part(op, names[side][0], (size_t)self->rows + 1, 1, why);
    part[1] = part[0] ? operator_part(op, names[side][1], SIZE_MAX, 1, why) : NULL;
    part[2] = part[1] ? operator_part(op, names[side][2], part[1]->count,
                                      side == 1 && value && value->width > 0 ? value->width : self->twin.dim, why)
                      : NULL;
    return part[2] != NULL;
}

static bool rows_update(DvTwin *base, const DvOperator *op, DvText *why)
{
    RowsTwin *self = (RowsTwin *)base;
    Space *space = self->twin.space;
    const DvOperatorPart *stiffness = operator_part(op, "stiffness", SIZE_MAX, 1, why), *part[3];
    const DvOperatorPart *second = stiffness ? dv_operator_part(op, "second") : NULL;
    if (!stiffness)
        return false;
    const size_t bytes = dv_space_bytes(self->twin.precision, stiffness->count);
    self->rows = (uint32_t)stiffness->count;
    self->sides = second ? 2 : 1;
    for (uint32_t k = 0; k < self->sides; k++)
        if (!find_side(self, op, k, part, why) ||
            !put_side(self, &self->side[k], part, k ? second->index[0] : self->twin.points, why))
            return false;
    return device_array_ample(space, &self->stiffness, bytes, why) &&
           device_array_ample(space, &self->along, bytes, why) &&
           device_array_numbers(space, self->twin.precision, &self->stiffness, stiffness, false, why);
}

static void rows_free(DvTwin *base)
{
    RowsTwin *self = (RowsTwin *)base;
    for (uint32_t k = 0; k < 2; k++) {
        device_array_free(self->twin.space, &self->side[k].index);
        device_array_free(self->twin.space, &self->side[k].value);
    }
    device_array_free(self->twin.space, &self->stiffness);
    device_array_free(self->twin.space, &self->along);
    twin_end(&self->twin);
}

static DvAddress index_at(const SideOfRows *side, size_t place)
{
    return side->index.at + place * sizeof(uint32_t);
}

#define SIDE(k)                                                                                        \
    {                                                                                                  \
        .d = (const void *)((k) < self->sides ? dx[k].at : NULL),                                      \
        .begin = SPACE_AT((k) < self->sides ? self->side[k].index.at : 0),                             \
        .point = SPACE_AT(index_at(&self->side[k], (size_t)self->rows + 1)), .dim = self->side[k].dim, \
        .value = SPACE_AT(self->side[k].value.at)                                                      \
    }

/* Of all sides, by what rows have seen; or the diagonal. */
static void push(RowsTwin *self, double k, const DvVec *df, bool diagonal)
{
    Space *space = self->twin.space;
    for (uint32_t s = 0; s < self->sides; s++) {
        const SideOfRows *side = &self->side[s];
        const size_t touched = (size_t)self->rows + 1 + side->entries, first = touched + side->touched,
                     entry = first + side->touched + 1, row = entry + side->entries;
        const uint64_t n = (uint64_t)side->touched * side->dim;
        SPACE_LAUNCH(space, self->twin.precision, stiff_rows_push, n, .n = n, .f = (void *)df[s].at,
                     .touched = SPACE_AT(index_at(side, touched)), .begin = SPACE_AT(index_at(side, first)),
                     .entry = SPACE_AT(index_at(side, entry)), .row = SPACE_AT(index_at(side, row)),
                     .value = SPACE_AT(side->value.at), .along = SPACE_AT(self->along.at),
                     .stiffness = SPACE_AT(diagonal ? self->stiffness.at : 0), .dim = side->dim, .k = k);
    }
}

static void rows_product(DvTwin *base, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    RowsTwin *self = (RowsTwin *)base;
    Space *space = self->twin.space;
    (void)step, (void)b;
    SPACE_LAUNCH(space, self->twin.precision, stiff_rows_see, self->rows, .n = self->rows, .side = {SIDE(0), SIDE(1)},
                 .stiffness = SPACE_AT(self->stiffness.at), .along = SPACE_AT(self->along.at));
    push(self, k, df, false);
}

static void rows_diagonal(DvTwin *base, const DvStep *step, double k, double b, const DvVec *df)
{
    (void)step, (void)b;
    push((RowsTwin *)base, k, df, true);
}

static const DvTwinOps ops = {.size = sizeof(DvTwinOps),
                              .update = rows_update,
                              .free = rows_free,
                              .add_dforce = rows_product,
                              .add_diagonal = rows_diagonal};

Twin *stiff_rows_twin_new(void)
{
    RowsTwin *self = dv_alloc(1, sizeof *self);
    self->twin.base.ops = &ops;
    return &self->twin;
}
