/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The twin of springs: what each gives, and then for each point from its springs in their order.
 */
#include "operators.h"

#include <divan/memory.h>

typedef struct SpringsTwin {
    Twin twin;
    DeviceArray pair, flags, spring, tangent, value, begin[2], entry[2]; /* the second ones: of two states */
    uint64_t count;
    double shortest;
    bool kept, between; /* kept: tangents are of a force; between two states */
    uint32_t second;    /* points of the second state */
} SpringsTwin;

/* Which springs each point has: of two states the ends of each by themselves. */
static bool list_ends(SpringsTwin *self, const DvOperatorPart *pair, DvText *why)
{
    Space *space = self->twin.space;
    if (!self->between)
        return device_array_lists(space, &self->begin[0], &self->entry[0], self->twin.points, pair->index,
                                  2 * pair->count, why);
    uint32_t *end = dv_alloc(pair->count + 1, sizeof *end);
    bool done = true;
    for (size_t side = 0; side < 2 && done; side++) {
        for (size_t i = 0; i < pair->count; i++)
            end[i] = pair->index[2 * i + side];
        done = device_array_lists(space, &self->begin[side], &self->entry[side],
                                  side ? self->second : self->twin.points, end, pair->count, why);
    }
    dv_free(end);
    return done;
}

static bool update(DvTwin *base, const DvOperator *op, DvText *why)
{
    SpringsTwin *self = (SpringsTwin *)base;
    Space *space = self->twin.space;
    const DvOperatorPart *pair = operator_part(op, "pair", SIZE_MAX, 2, why);
    const DvOperatorPart *spring = pair ? operator_part(op, "spring", pair->count, 3, why) : NULL;
    const DvOperatorPart *flags = spring ? operator_part(op, "flags", pair->count, 1, why) : NULL;
    const DvOperatorPart *shortest = flags ? operator_part(op, "shortest", 1, 1, why) : NULL;
    if (!shortest)
        return false;
    const size_t number = dv_space_bytes(self->twin.precision, pair->count);
    const DvOperatorPart *second = dv_operator_part(op, "second");
    self->between = second != NULL;
    self->second = second && second->count == 1 ? second->index[0] : 0;
    self->count = pair->count;
    self->shortest = shortest->numbers[0];
    self->kept = false;
    return list_ends(self, pair, why) && device_array_indices(space, &self->pair, pair, true, why) &&
           device_array_indices(space, &self->flags, flags, true, why) &&
           device_array_numbers(space, self->twin.precision, &self->spring, spring, true, why) &&
           device_array_room(space, &self->tangent, (self->twin.dim + 2) * number, why) &&
           device_array_room(space, &self->value, self->twin.dim * number, why);
}

static void release(DvTwin *base)
{
    SpringsTwin *self = (SpringsTwin *)base;
    DeviceArray *const all[] = {&self->pair,     &self->flags,    &self->spring,   &self->tangent, &self->value,
                                &self->begin[0], &self->entry[0], &self->begin[1], &self->entry[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_array_free(self->twin.space, all[i]);
    twin_end(&self->twin);
}

/* f: of the first state, [columns]; of the second one, behind. */
static void gather(SpringsTwin *self, uint32_t columns, const DvVec *f, bool alike)
{
    Space *space = self->twin.space;
    for (uint32_t side = 0; side < (self->between ? 2u : 1u); side++) {
        const uint32_t points = side ? self->second : self->twin.points;
        SPACE_LAUNCH(space, self->twin.precision, gather_springs, points, .n = points,
                     .of = COLUMNS_OF(columns, f + side, f + side), .value = SPACE_AT(self->value.at),
                     .begin = SPACE_AT(self->begin[side].at), .entry = SPACE_AT(self->entry[side].at),
                     .dim = self->twin.dim, .side = self->between ? side : 2, .alike = alike, .springs = self->count);
    }
}

static void add_force(DvTwin *base, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    SpringsTwin *self = (SpringsTwin *)base;
    Space *space = self->twin.space;
    (void)step;
    self->kept = true;
    SPACE_LAUNCH(space, self->twin.precision, springs_force, self->count, .n = self->count, .x = (const void *)x->at,
                 .v = (const void *)v->at, .x2 = (const void *)x[self->between].at,
                 .v2 = (const void *)v[self->between].at, .pair = SPACE_AT(self->pair.at),
                 .flags = SPACE_AT(self->flags.at), .spring = SPACE_AT(self->spring.at),
                 .tangent = SPACE_AT(self->tangent.at), .value = SPACE_AT(self->value.at), .dim = self->twin.dim,
                 .shortest = self->shortest);
    gather(self, 1, f, false);
}

/* Between two states one column: dx and df have a vector of each. dx of nowhere: the diagonal. */
static void add_dforce_columns(DvTwin *base, const DvStep *step, double k, double b, uint32_t columns,
                               const DvConstVec *dx, const DvVec *df)
{
    SpringsTwin *self = (SpringsTwin *)base;
    Space *space = self->twin.space;
    const DvPrecision precision = self->twin.precision;
    const uint32_t dim = self->twin.dim;
    DvText why = {0};
    const bool there =
        device_array_room(space, &self->value, columns * dim * dv_space_bytes(precision, self->count), &why);
    dv_text_free(&why);
    (void)step, (void)b;
    if (!self->kept || !there)
        return;
    SPACE_LAUNCH(space, precision, springs_product, self->count, .n = self->count, .of = COLUMNS_OF(columns, dx, df),
                 .second = COLUMNS_OF(columns, dx + self->between, df), .pair = SPACE_AT(self->pair.at),
                 .tangent = SPACE_AT(self->tangent.at), .value = SPACE_AT(self->value.at), .dim = dim, .k = k);
    gather(self, columns, df, !dx->at);
    space_reads(space, self->count * (4 * sizeof(uint32_t) + dv_space_bytes(precision, dim + 2)) +
                           (self->twin.points + 1) * sizeof(uint32_t));
}

static void add_dforce(DvTwin *base, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    add_dforce_columns(base, step, k, b, 1, dx, df);
}

static void add_diagonal(DvTwin *base, const DvStep *step, double k, double b, const DvVec *df)
{
    const DvConstVec none[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    add_dforce(base, step, k, b, none, df);
}

static const DvTwinOps ops = {.size = sizeof(DvTwinOps),
                              .update = update,
                              .free = release,
                              .add_force = add_force,
                              .add_dforce = add_dforce,
                              .add_diagonal = add_diagonal,
                              .add_dforce_columns = add_dforce_columns};

Twin *springs_twin_new(void)
{
    SpringsTwin *self = dv_alloc(1, sizeof *self);
    self->twin.base.ops = &ops;
    return &self->twin;
}
