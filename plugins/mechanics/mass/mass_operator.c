/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mass_operator.h"

#include <divan/memory.h>

#include <string.h>

static void acting_gravity(DvMass *base, double gravity[6])
{
    memset(gravity, 0, 6 * sizeof *gravity);
    if (!dv_data_bool(&base->separate_gravity))
        dv_mass_gravity(base, gravity);
}

uint64_t mass_operator_version(DvMass *base, uint64_t own)
{
    double gravity[6];
    uint64_t version = own;
    acting_gravity(base, gravity);
    for (size_t c = 0; c < 6; c++) {
        uint64_t bits;
        memcpy(&bits, &gravity[c], sizeof bits);
        version = version * 1099511628211u ^ bits;
    }
    return version;
}

void mass_operator_begin(MassOperator *self, DvMass *base, uint32_t points)
{
    if (self->capacity < points || !self->mass) {
        mass_operator_free(self);
        self->mass = dv_alloc(points ? points : 1, sizeof *self->mass);
        self->weight = dv_alloc(points ? points : 1, sizeof *self->weight);
        self->capacity = points;
    }
    if (points) {
        memset(self->mass, 0, points * sizeof *self->mass);
        memset(self->weight, 0, points * sizeof *self->weight);
    }
    acting_gravity(base, self->gravity);
}

void mass_operator_describe(const MassOperator *self, const DvMass *base, uint32_t points, uint64_t version,
                            DvOperator *out)
{
    out->name = "diagonal mass";
    dv_operator_add_numbers(out, "mass", self->mass, points, 1, version);
    dv_operator_add_numbers(out, "weight", self->weight, points, 1, version);
    dv_operator_add_numbers(out, "gravity", self->gravity, 1, base->state.dof->deriv, version);
}

void mass_operator_free(MassOperator *self)
{
    dv_free(self->mass);
    dv_free(self->weight);
    *self = (MassOperator){0};
}
