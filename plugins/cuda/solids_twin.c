/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The twin of linear elements of any kind: forces of elements, and then of points, each from its elements in their order.
 */
#include "operators.h"

#include <math.h>

#include <divan/memory.h>

typedef struct SolidsTwin {
    Twin twin;
    DeviceArray element, rest, map, material, slope, world, force, begin, entry;
    uint64_t count;
    uint32_t nodes, points, maps, frame;
    double square;
    bool kept; /* world is of a force */
} SolidsTwin;

/* Of a box: the square of the coordinates of its points, from the derivative (1 + g)^2 / 8 of the function of node 6 at the point next to it. */
static double square_of(const DvOperatorPart *slope)
{
    const double g = sqrt(8.0 * slope->numbers[(size_t)6 * 24 + (size_t)6 * 3]) - 1.0;
    return g * g;
}

static bool reserve(SolidsTwin *self, const DvOperatorPart *element, DvText *why)
{
    Space *space = self->twin.space;
    const size_t number = dv_space_bytes(self->twin.precision, self->count);
    return device_array_lists(space, &self->begin, &self->entry, self->twin.points, element->index,
                              self->count * self->nodes, why) &&
           device_array_indices(space, &self->element, element, true, why) &&
           device_array_room(space, &self->world, (size_t)9 * self->maps * number, why) &&
           device_array_room(space, &self->force, (size_t)self->nodes * self->twin.dim * number, why);
}

static bool update(DvTwin *base, const DvOperator *op, DvText *why)
{
    SolidsTwin *self = (SolidsTwin *)base;
    const DvOperatorPart *element = dv_operator_part(op, "element"), *slope = dv_operator_part(op, "slope"),
                         *map = dv_operator_part(op, "map"), *frame = operator_part(op, "frame", 1, 1, why);
    if (!frame || !element || !slope || !map || frame->index[0] >= FRAMES)
        return false;
    self->count = element->count;
    self->nodes = element->width;
    self->points = (uint32_t)slope->count;
    self->maps = map->width / 9;
    self->frame = frame->index[0];
    self->kept = false;
    const DvOperatorPart *rest = operator_part(op, "rest", self->count, 3 * self->nodes, why),
                         *material = operator_part(op, "material", self->count, 2 * self->maps, why);
    if (!rest || !material || !operator_part(op, "slope", SIZE_MAX, 3 * self->nodes, why) ||
        !operator_part(op, "map", self->count, 9 * self->maps, why))
        return false;
    if (self->nodes < 2 || self->nodes > 8 || self->nodes == 7 || self->twin.dim > 3 || self->points == 0 ||
        (self->maps != 1 && self->maps != self->points)) {
        dv_text_add(why, "elements of %u nodes with %u points are not made for devices", self->nodes, self->points);
        return false;
    }
    self->square = self->nodes == 8 && self->maps == 1 && self->points == 8 ? square_of(slope) : 0.0;
    Space *space = self->twin.space;
    const DvPrecision precision = self->twin.precision;
    return reserve(self, element, why) && device_array_numbers(space, precision, &self->rest, rest, true, why) &&
           device_array_numbers(space, precision, &self->map, map, true, why) &&
           device_array_numbers(space, precision, &self->material, material, true, why) &&
           device_array_numbers(space, precision, &self->slope, slope, false, why);
}

static void release(DvTwin *base)
{
    SolidsTwin *self = (SolidsTwin *)base;
    DeviceArray *const all[] = {&self->element, &self->rest,  &self->map,   &self->material, &self->slope,
                                &self->world,   &self->force, &self->begin, &self->entry};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_array_free(self->twin.space, all[i]);
    twin_end(&self->twin);
}

static void gather(SolidsTwin *self, double k, uint32_t columns, const DvVec *f)
{
    Space *space = self->twin.space;
    SPACE_LAUNCH(space, self->twin.precision, gather_elements, self->twin.points, .n = self->twin.points,
                 .of = COLUMNS_OF(columns, f, f), .at = SPACE_AT(self->force.at), .begin = SPACE_AT(self->begin.at),
                 .entry = SPACE_AT(self->entry.at), .nodes = self->nodes, .elements = (uint32_t)self->count,
                 .dim = self->twin.dim, .k = k);
}

/* The kernel for as many nodes, or that of boxes. */
#define OF_NODES(self, LAUNCH)                           \
    switch ((self)->square != 0.0 ? 9 : (self)->nodes) { \
    case 2:                                              \
        LAUNCH(2);                                       \
        break;                                           \
    case 3:                                              \
        LAUNCH(3);                                       \
        break;                                           \
    case 4:                                              \
        LAUNCH(4);                                       \
        break;                                           \
    case 5:                                              \
        LAUNCH(5);                                       \
        break;                                           \
    case 6:                                              \
        LAUNCH(6);                                       \
        break;                                           \
    case 8:                                              \
        LAUNCH(8);                                       \
        break;                                           \
    default:                                             \
        LAUNCH(box);                                     \
    }

static void add_force(DvTwin *base, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    SolidsTwin *self = (SolidsTwin *)base;
    Space *space = self->twin.space;
    (void)step, (void)v;
    self->kept = true;
#define LAUNCH(suffix)                                                                                                 \
    SPACE_LAUNCH(space, self->twin.precision, solid_force_##suffix, self->count, .n = self->count,                     \
                 .x = (const void *)x->at, .element = SPACE_AT(self->element.at), .rest = SPACE_AT(self->rest.at),     \
                 .map = SPACE_AT(self->map.at), .material = SPACE_AT(self->material.at),                               \
                 .slope = SPACE_AT(self->slope.at), .world = SPACE_AT(self->world.at),                                 \
                 .force = SPACE_AT(self->force.at), .dim = self->twin.dim, .points = self->points, .maps = self->maps, \
                 .frame = self->frame, .square = self->square)
    OF_NODES(self, LAUNCH)
#undef LAUNCH
    gather(self, 1.0, 1, f);
}

/* Bytes of what a product of so many columns reads of the elements. */
static uint64_t bytes_read(const SolidsTwin *self, uint32_t columns)
{
    const uint64_t times = self->maps > 1 ? columns : 1;
    return self->count * (2 * self->nodes * sizeof(uint32_t) +
                          times * dv_space_bytes(self->twin.precision, (size_t)11 * self->maps)) +
           (self->twin.points + 1) * sizeof(uint32_t);
}

static void add_dforce_columns(DvTwin *base, const DvStep *step, double k, double b, uint32_t columns,
                               const DvConstVec *dx, const DvVec *df)
{
    SolidsTwin *self = (SolidsTwin *)base;
    Space *space = self->twin.space;
    const size_t numbers = (size_t)columns * self->nodes * self->twin.dim * self->count;
    DvText why = {0};
    const bool there = device_array_room(space, &self->force, dv_space_bytes(self->twin.precision, numbers), &why);
    dv_text_free(&why);
    (void)step, (void)b;
    if (!self->kept || !there)
        return;
#define LAUNCH(suffix)                                                                                        \
    SPACE_LAUNCH(space, self->twin.precision, solid_product_##suffix, self->count, .n = self->count,          \
                 .of = COLUMNS_OF(columns, dx, df), .element = SPACE_AT(self->element.at),                    \
                 .material = SPACE_AT(self->material.at), .slope = SPACE_AT(self->slope.at),                  \
                 .world = SPACE_AT(self->world.at), .force = SPACE_AT(self->force.at), .dim = self->twin.dim, \
                 .points = self->points, .maps = self->maps, .square = self->square)
    OF_NODES(self, LAUNCH)
#undef LAUNCH
    gather(self, k, columns, df);
    space_reads(space, bytes_read(self, columns));
}

static void add_diagonal(DvTwin *base, const DvStep *step, double k, double b, const DvVec *df)
{
    SolidsTwin *self = (SolidsTwin *)base;
    Space *space = self->twin.space;
    (void)step, (void)b;
    if (!self->kept)
        return;
    SPACE_LAUNCH(space, self->twin.precision, solid_diagonal, self->count, .n = self->count,
                 .material = SPACE_AT(self->material.at), .slope = SPACE_AT(self->slope.at),
                 .world = SPACE_AT(self->world.at), .force = SPACE_AT(self->force.at), .nodes = self->nodes,
                 .dim = self->twin.dim, .points = self->points, .maps = self->maps);
    gather(self, k, 1, df);
}

static void add_dforce(DvTwin *base, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    add_dforce_columns(base, step, k, b, 1, dx, df);
}

static const DvTwinOps ops = {.size = sizeof(DvTwinOps),
                              .update = update,
                              .free = release,
                              .add_force = add_force,
                              .add_dforce = add_dforce,
                              .add_diagonal = add_diagonal,
                              .add_dforce_columns = add_dforce_columns};

Twin *solids_twin_new(void)
{
    SolidsTwin *self = dv_alloc(1, sizeof *self);
    self->twin.base.ops = &ops;
    return &self->twin;
}
