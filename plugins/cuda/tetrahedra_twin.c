/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The twin of corotational tetrahedra: forces of elements, and then of points.
 */
#include "element_sums.h"

#include <divan/log.h>
#include <divan/memory.h>

enum { NODES = 4, NUMBERS = 9 };

typedef struct TetrahedraTwin {
    Twin twin;
    DeviceArray element, edge, gradient, modulus, world, inverse, initial, turn;
    ElementSums sums;
    uint64_t count, version[4];
    uint32_t turns;
    bool kept; /* world is of a force */
} TetrahedraTwin;

/* Bytes of a product for each element: of its numbers, and of the sums; and those of a matrix of blocks. What both read and write of
 * the vectors is left out. */
static void say_bytes(const TetrahedraTwin *self)
{
    const double real = (double)dv_space_bytes(self->twin.precision, 1), count = (double)self->count;
    const double numbers = 4 * NODES + (NUMBERS + 2 + (self->turns == TURN_EXACT ? 6 : 0)) * real + 2 * NODES,
                 slot = 8 + 6 * real, block = 9 * real + 4;
    if (self->count)
        dv_info(self->twin.space->device->about,
                "products by tetrahedra move %.0f bytes an element, and so are made; rows of blocks would move %.0f",
                numbers + slot * self->sums.slots / count, block * (double)self->sums.beside / count);
}

static bool put_elements(TetrahedraTwin *self, const DvOperatorPart *element, DvText *why)
{
    Space *space = self->twin.space;
    const DvPrecision precision = self->twin.precision;
    self->count = element->count;
    self->kept = false;
    return element_sums_make(space, precision, &self->sums, element, self->twin.points, why) &&
           device_array_indices_in(space, &self->element, element, self->sums.order, why) &&
           device_array_room(space, &self->world, NUMBERS * element->count * dv_space_bytes(precision, 1), why);
}

/* What frames by decomposition need besides. */
static bool put_turns(TetrahedraTwin *self, const DvOperator *op, size_t count, DvText *why)
{
    if (self->turns == TURN_EXACT)
        return device_array_room(self->twin.space, &self->turn, 6 * count * dv_space_bytes(self->twin.precision, 1),
                                 why);
    if (self->turns != TURN_STABLE)
        return true;
    const DvOperatorPart *inverse = operator_part(op, "inverse", count, NUMBERS, why),
                         *initial = inverse ? operator_part(op, "initial", count, NUMBERS, why) : NULL;
    return initial &&
           device_array_numbers_in(self->twin.space, DV_DOUBLE, &self->inverse, inverse, self->sums.order, why) &&
           device_array_numbers_in(self->twin.space, DV_DOUBLE, &self->initial, initial, self->sums.order, why);
}

static bool update(DvTwin *base, const DvOperator *op, DvText *why)
{
    TetrahedraTwin *self = (TetrahedraTwin *)base;
    const DvOperatorPart *element = operator_part(op, "element", SIZE_MAX, NODES, why);
    const DvOperatorPart *frame = element ? operator_part(op, "frame", 1, 1, why) : NULL;
    const DvOperatorPart *part[3] = {
        frame ? operator_part(op, "edge", element->count, NUMBERS, why) : NULL,
        frame ? operator_part(op, "gradient", element->count, NUMBERS, why) : NULL,
        frame ? operator_part(op, "modulus", element->count, 2, why) : NULL,
    };
    DeviceArray *const array[3] = {&self->edge, &self->gradient, &self->modulus};
    if (!part[0] || !part[1] || !part[2])
        return false;
    self->turns = frame->index[0];
    if (self->turns >= TURNS)
        return false;
    const bool others = !self->element.at || element->version != self->version[3];
    if ((others && !put_elements(self, element, why)) || !put_turns(self, op, element->count, why))
        return false;
    if (others)
        say_bytes(self);
    self->version[3] = element->version;
    for (int i = 0; i < 3; i++) {
        if ((others || part[i]->version != self->version[i]) &&
            !device_array_numbers_in(self->twin.space, self->twin.precision, array[i], part[i], self->sums.order, why))
            return false;
        self->version[i] = part[i]->version;
    }
    return true;
}

static void release(DvTwin *base)
{
    TetrahedraTwin *self = (TetrahedraTwin *)base;
    DeviceArray *const all[] = {&self->element, &self->edge,    &self->gradient, &self->modulus,
                                &self->world,   &self->inverse, &self->initial,  &self->turn};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_array_free(self->twin.space, all[i]);
    element_sums_free(self->twin.space, &self->sums);
    twin_end(&self->twin);
}

static void add_force(DvTwin *base, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    TetrahedraTwin *self = (TetrahedraTwin *)base;
    Space *space = self->twin.space;
    (void)step, (void)v;
    self->kept = true;
    SPACE_LAUNCH(space, self->twin.precision, tetrahedra_force, self->count, .n = self->count, .x = (const void *)x->at,
                 .element = SPACE_AT(self->element.at), .edge = SPACE_AT(self->edge.at),
                 .gradient = SPACE_AT(self->gradient.at), .modulus = SPACE_AT(self->modulus.at),
                 .world = SPACE_AT(self->world.at), .sums = ELEMENT_SUMS(&self->sums),
                 .inverse = SPACE_AT(self->inverse.at), .initial = SPACE_AT(self->initial.at),
                 .turn = SPACE_AT(self->turn.at), .turns = self->turns);
    element_sums_add(space, self->twin.precision, &self->sums, self->twin.points, 1.0, 1, f);
}

/* Bytes of what a product reads of the elements. */
static uint64_t bytes_read(const TetrahedraTwin *self)
{
    const uint64_t numbers = NUMBERS + 2 + (self->turns == TURN_EXACT ? 6 : 0);
    return self->count * (NODES * sizeof(uint32_t) + numbers * dv_space_bytes(self->twin.precision, 1)) +
           element_sums_read(&self->sums, self->count, NODES, self->twin.points);
}

static void add_dforce_columns(DvTwin *base, const DvStep *step, double k, double b, uint32_t columns,
                               const DvConstVec *dx, const DvVec *df)
{
    TetrahedraTwin *self = (TetrahedraTwin *)base;
    Space *space = self->twin.space;
    const DvPrecision precision = self->twin.precision;
    (void)step, (void)b;
    if (!self->kept || !element_sums_reserve(space, precision, &self->sums, columns))
        return;
#define LAUNCH(kernel)                                                                                       \
    SPACE_LAUNCH(space, precision, kernel, self->count, .n = self->count, .of = COLUMNS_OF(columns, dx, df), \
                 .element = SPACE_AT(self->element.at), .world = SPACE_AT(self->world.at),                   \
                 .modulus = SPACE_AT(self->modulus.at),                                                      \
                 .turn = self->turns == TURN_EXACT ? SPACE_AT(self->turn.at) : NULL,                         \
                 .sums = ELEMENT_SUMS(&self->sums))
    if (columns == 1)
        LAUNCH(tetrahedra_product);
    else
        LAUNCH(tetrahedra_products);
#undef LAUNCH
    element_sums_add(space, precision, &self->sums, self->twin.points, -k, columns, df);
    space_reads(space, bytes_read(self));
}

static void add_dforce(DvTwin *base, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    add_dforce_columns(base, step, k, b, 1, dx, df);
}

static void add_diagonal(DvTwin *base, const DvStep *step, double k, double b, const DvVec *df)
{
    TetrahedraTwin *self = (TetrahedraTwin *)base;
    Space *space = self->twin.space;
    (void)step, (void)b;
    if (!self->kept)
        return;
    SPACE_LAUNCH(space, self->twin.precision, tetrahedra_diagonal, self->count, .n = self->count,
                 .element = SPACE_AT(self->element.at), .world = SPACE_AT(self->world.at),
                 .modulus = SPACE_AT(self->modulus.at),
                 .turn = self->turns == TURN_EXACT ? SPACE_AT(self->turn.at) : NULL, .sums = ELEMENT_SUMS(&self->sums));
    element_sums_add(space, self->twin.precision, &self->sums, self->twin.points, -k, 1, df);
}

static const DvTwinOps ops = {.size = sizeof(DvTwinOps),
                              .update = update,
                              .free = release,
                              .add_force = add_force,
                              .add_dforce = add_dforce,
                              .add_diagonal = add_diagonal,
                              .add_dforce_columns = add_dforce_columns};

Twin *tetrahedra_twin_new(void)
{
    TetrahedraTwin *self = dv_alloc(1, sizeof *self);
    self->twin.base.ops = &ops;
    return &self->twin;
}
