/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The twin of corotational tetrahedra: forces of elements, and then of points, each from its elements in their order.
 */
#include "operators.h"

#include <divan/memory.h>

enum { NODES = 4, NUMBERS = 9 };

typedef struct TetrahedraTwin {
    Twin twin;
    DeviceArray element, edge, gradient, modulus, world, force, begin, entry, inverse, initial, turn;
    uint64_t count, version[4];
    uint32_t turns;
    bool kept; /* world is of a force */
} TetrahedraTwin;

static bool put_elements(TetrahedraTwin *self, const DvOperatorPart *element, DvText *why)
{
    const size_t bytes = dv_space_bytes(self->twin.precision, 1);
    self->count = element->count;
    return device_array_lists(self->twin.space, &self->begin, &self->entry, self->twin.points, element->index,
                              element->count * NODES, why) &&
           device_array_indices(self->twin.space, &self->element, element, true, why) &&
           device_array_room(self->twin.space, &self->world, NUMBERS * element->count * bytes, why) &&
           device_array_room(self->twin.space, &self->force, 3 * NODES * element->count * bytes, why);
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
    return initial && device_array_numbers(self->twin.space, DV_DOUBLE, &self->inverse, inverse, true, why) &&
           device_array_numbers(self->twin.space, DV_DOUBLE, &self->initial, initial, true, why);
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
    if (self->turns >= TURNS || !put_turns(self, op, element->count, why))
        return false;
    if ((!self->element.at || element->version != self->version[3]) && !put_elements(self, element, why))
        return false;
    self->version[3] = element->version;
    for (int i = 0; i < 3; i++) {
        if ((!array[i]->at || part[i]->version != self->version[i]) &&
            !device_array_numbers(self->twin.space, self->twin.precision, array[i], part[i], true, why))
            return false;
        self->version[i] = part[i]->version;
    }
    return true;
}

static void release(DvTwin *base)
{
    TetrahedraTwin *self = (TetrahedraTwin *)base;
    DeviceArray *const all[] = {&self->element, &self->edge,    &self->gradient, &self->modulus,
                                &self->world,   &self->force,   &self->begin,    &self->entry,
                                &self->inverse, &self->initial, &self->turn};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_array_free(self->twin.space, all[i]);
    twin_end(&self->twin);
}

static void gather(TetrahedraTwin *self, double k, double *f)
{
    Space *space = self->twin.space;
    SPACE_LAUNCH(space, self->twin.precision, gather_elements, self->twin.points, .n = self->twin.points,
                 .f = (void *)f, .at = SPACE_AT(self->force.at), .begin = SPACE_AT(self->begin.at),
                 .entry = SPACE_AT(self->entry.at), .nodes = NODES, .elements = (uint32_t)self->count, .dim = 3,
                 .k = k);
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
                 .world = SPACE_AT(self->world.at), .force = SPACE_AT(self->force.at),
                 .inverse = SPACE_AT(self->inverse.at), .initial = SPACE_AT(self->initial.at),
                 .turn = SPACE_AT(self->turn.at), .turns = self->turns);
    gather(self, 1.0, f->at);
}

static void add_dforce(DvTwin *base, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    TetrahedraTwin *self = (TetrahedraTwin *)base;
    Space *space = self->twin.space;
    (void)step, (void)b;
    if (!self->kept)
        return;
    SPACE_LAUNCH(space, self->twin.precision, tetrahedra_product, self->count, .n = self->count,
                 .d = (const void *)dx->at, .element = SPACE_AT(self->element.at), .world = SPACE_AT(self->world.at),
                 .modulus = SPACE_AT(self->modulus.at),
                 .turn = self->turns == TURN_EXACT ? SPACE_AT(self->turn.at) : NULL, .force = SPACE_AT(self->force.at));
    gather(self, -k, df->at);
}

static const DvTwinOps ops = {
    .size = sizeof(DvTwinOps), .update = update, .free = release, .add_force = add_force, .add_dforce = add_dforce};

Twin *tetrahedra_twin_new(void)
{
    TetrahedraTwin *self = dv_alloc(1, sizeof *self);
    self->twin.base.ops = &ops;
    return &self->twin;
}
