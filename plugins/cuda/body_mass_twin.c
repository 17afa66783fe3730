/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The twin of masses of bodies that turn.
 */
#include "operators.h"

#include <divan/contracts/state.h>
#include <divan/memory.h>

#include <string.h>

enum { MATRIX = 9 };

typedef struct BodyMassTwin {
    Twin twin;
    DeviceArray mass, weight, has, inertia, inverse; /* inertias are in double */
    DeviceArray world, world_inverse;                /* in world axes; of those that turn alone */
    double gravity[6];
    uint64_t version;
    bool turns;
} BodyMassTwin;

static bool put_has(BodyMassTwin *self, const DvOperatorPart *mass, DvText *why)
{
    Space *space = self->twin.space;
    const size_t bytes = mass->count * sizeof(uint32_t);
    if (!device_array_room(space, &self->has, bytes, why))
        return false;
    uint32_t *has = bytes ? space->device->ops->put(space->device, self->has.at, bytes) : NULL;
    for (size_t i = 0; i < mass->count; i++)
        has[i] = mass->numbers[i] != 0.0;
    return true;
}

/* Until there is a force bodies are taken for unturned. */
static bool put_inertia(BodyMassTwin *self, const DvOperatorPart *inertia, const DvOperatorPart *inverse, DvText *why)
{
    Space *space = self->twin.space;
    return device_array_numbers(space, DV_DOUBLE, &self->inertia, inertia, false, why) &&
           device_array_numbers(space, DV_DOUBLE, &self->inverse, inverse, false, why) &&
           (!self->turns || (device_array_numbers(space, DV_DOUBLE, &self->world, inertia, false, why) &&
                             device_array_numbers(space, DV_DOUBLE, &self->world_inverse, inverse, false, why)));
}

static bool update(DvTwin *base, const DvOperator *op, DvText *why)
{
    BodyMassTwin *self = (BodyMassTwin *)base;
    Space *space = self->twin.space;
    const uint32_t points = self->twin.points, numbers = self->twin.dim == 6 ? MATRIX : 1;
    const DvOperatorPart *mass = operator_part(op, "mass", points, 1, why);
    const DvOperatorPart *weight = mass ? operator_part(op, "weight", points, 1, why) : NULL;
    const DvOperatorPart *gravity = weight ? operator_part(op, "gravity", 1, self->twin.dim, why) : NULL;
    const DvOperatorPart *inertia = gravity ? operator_part(op, "inertia", points, numbers, why) : NULL;
    const DvOperatorPart *inverse = inertia ? operator_part(op, "inverse", points, numbers, why) : NULL;
    const DvOperatorPart *turns = inverse ? operator_part(op, "turns", 1, 1, why) : NULL;
    if (!turns)
        return false;
    memcpy(self->gravity, gravity->numbers, self->twin.dim * sizeof(double));
    self->turns = turns->index[0] != 0 && numbers == MATRIX;
    if (self->mass.at && mass->version == self->version)
        return true;
    self->version = mass->version;
    return put_has(self, mass, why) &&
           device_array_numbers(space, self->twin.precision, &self->mass, mass, false, why) &&
           device_array_numbers(space, self->twin.precision, &self->weight, weight, false, why) &&
           put_inertia(self, inertia, inverse, why);
}

static void release(DvTwin *base)
{
    BodyMassTwin *self = (BodyMassTwin *)base;
    DeviceArray *const all[] = {&self->mass,    &self->weight, &self->has,          &self->inertia,
                                &self->inverse, &self->world,  &self->world_inverse};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_array_free(self->twin.space, all[i]);
    twin_end(&self->twin);
}

static void add_force(DvTwin *base, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    BodyMassTwin *self = (BodyMassTwin *)base;
    Space *space = self->twin.space;
    const double *g = self->gravity;
    const uint64_t points = self->twin.points, n = points * self->twin.dim;
    (void)step;
    SPACE_LAUNCH(space, self->twin.precision, mass_force, n, .n = n, .f = (void *)f->at,
                 .weight = SPACE_AT(self->weight.at), .dim = self->twin.dim,
                 .gravity = {g[0], g[1], g[2], g[3], g[4], g[5]});
    if (self->turns)
        SPACE_LAUNCH(space, self->twin.precision, inertia_turn, points, .n = points, .x = (const void *)x->at,
                     .v = (const void *)v->at, .f = (void *)f->at, .inertia = SPACE_AT(self->inertia.at),
                     .inverse = SPACE_AT(self->inverse.at), .world = SPACE_AT(self->world.at),
                     .world_inverse = SPACE_AT(self->world_inverse.at));
}

static void add_mdx(DvTwin *base, double factor, DvConstVec dx, DvVec res)
{
    BodyMassTwin *self = (BodyMassTwin *)base;
    Space *space = self->twin.space;
    SPACE_LAUNCH(space, self->twin.precision, inertia_product, self->twin.points, .n = self->twin.points,
                 .r = (void *)res.at, .d = (const void *)dx.at, .mass = SPACE_AT(self->mass.at),
                 .world = SPACE_AT(self->turns ? self->world.at : self->inertia.at), .dim = self->twin.dim,
                 .k = factor);
}

static void add_mass_diagonal(DvTwin *base, double factor, DvVec res)
{
    add_mdx(base, factor, (DvConstVec){NULL, 0, 0}, res);
}

static void acceleration(DvTwin *base, DvConstVec f, DvVec a)
{
    BodyMassTwin *self = (BodyMassTwin *)base;
    Space *space = self->twin.space;
    SPACE_LAUNCH(space, self->twin.precision, inertia_divide, self->twin.points, .n = self->twin.points,
                 .a = (void *)a.at, .f = (const void *)f.at, .mass = SPACE_AT(self->mass.at),
                 .has = SPACE_AT(self->has.at),
                 .inverse = SPACE_AT(self->turns ? self->world_inverse.at : self->inverse.at), .dim = self->twin.dim);
}

static void implicit_turn(DvTwin *base, double dt, double share, DvConstVec v, DvVec b)
{
    BodyMassTwin *self = (BodyMassTwin *)base;
    Space *space = self->twin.space;
    if (self->turns)
        SPACE_LAUNCH(space, self->twin.precision, inertia_step, self->twin.points, .n = self->twin.points,
                     .v = (const void *)v.at, .b = (void *)b.at, .world = SPACE_AT(self->world.at), .h = dt,
                     .p = share);
}

static const DvTwinOps ops = {.size = sizeof(DvTwinOps),
                              .update = update,
                              .free = release,
                              .add_force = add_force,
                              .add_mdx = add_mdx,
                              .add_mass_diagonal = add_mass_diagonal,
                              .acceleration = acceleration,
                              .implicit_turn = implicit_turn};

Twin *body_mass_twin_new(void)
{
    BodyMassTwin *self = dv_alloc(1, sizeof *self);
    self->twin.base.ops = &ops;
    return &self->twin;
}
