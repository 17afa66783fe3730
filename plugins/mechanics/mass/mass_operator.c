/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mass_operator.h"

#include <divan/memory.h>

#include <string.h>

#include "row_mass.h"

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

/* Numbers of an inertia. */
static uint32_t inertia_numbers(const DvDofType *dof)
{
    return dof == &dv_rigid3d ? 9 : dof->rotation ? 1 : 0;
}

void mass_operator_begin(MassOperator *self, DvMass *base, uint32_t points)
{
    const size_t numbers = inertia_numbers(base->state.dof) * (size_t)points;
    if (self->capacity < points || !self->mass) {
        mass_operator_free(self);
        self->inertia = numbers ? dv_alloc(numbers, sizeof *self->inertia) : NULL;
        self->inverse = numbers ? dv_alloc(numbers, sizeof *self->inverse) : NULL;
        self->mass = dv_alloc(points ? points : 1, sizeof *self->mass);
        self->weight = dv_alloc(points ? points : 1, sizeof *self->weight);
        self->capacity = points;
    }
    if (points) {
        memset(self->mass, 0, points * sizeof *self->mass);
        memset(self->weight, 0, points * sizeof *self->weight);
    }
    if (numbers) {
        memset(self->inertia, 0, numbers * sizeof *self->inertia);
        memset(self->inverse, 0, numbers * sizeof *self->inverse);
    }
    acting_gravity(base, self->gravity);
}

void mass_operator_describe(const MassOperator *self, DvMass *base, uint32_t points, uint64_t own, DvOperator *out)
{
    out->name = "diagonal mass";
    dv_operator_add_numbers(out, "mass", self->mass, points, 1, own);
    dv_operator_add_numbers(out, "weight", self->weight, points, 1, own);
    dv_operator_add_numbers(out, "gravity", self->gravity, 1, base->state.dof->deriv, mass_operator_version(base, own));
}

void mass_operator_set_body(MassOperator *self, const DvMass *base, uint32_t point, const DvBodyMass *body)
{
    const size_t numbers = inertia_numbers(base->state.dof);
    self->mass[point] = self->weight[point] = body->mass;
    memcpy(self->inertia + numbers * point, body->inertia_mass, numbers * sizeof *self->inertia);
    memcpy(self->inverse + numbers * point, body->inverse_inertia, numbers * sizeof *self->inverse);
}

void mass_operator_describe_bodies(MassOperator *self, DvMass *base, uint32_t points, uint64_t own, DvOperator *out)
{
    const uint32_t numbers = inertia_numbers(base->state.dof);
    mass_operator_describe(self, base, points, own, out);
    out->name = "body mass";
    self->turns = dv_mass_turns(base);
    dv_operator_add_numbers(out, "inertia", self->inertia, points, numbers, own);
    dv_operator_add_numbers(out, "inverse", self->inverse, points, numbers, own);
    dv_operator_add_indices(out, "turns", &self->turns, 1, 1, own);
}

static void reserve_rows(MassOperator *self, size_t points, size_t entries)
{
    if (self->begin_room < points + 1) {
        dv_free(self->begin);
        self->begin = dv_alloc(points + 1, sizeof *self->begin);
        self->begin_room = points + 1;
    }
    if (self->entry_room < entries) {
        dv_free(self->other);
        dv_free(self->value);
        self->other = dv_alloc(entries, sizeof *self->other);
        self->value = dv_alloc(entries, sizeof *self->value);
        self->entry_room = entries;
    }
}

/* Entries between points that the state has, row by row. */
static uint32_t copy_rows(MassOperator *self, const RowMass *rows, uint32_t points)
{
    const HalfEdges *half = rows->half;
    uint32_t count = 0;
    for (uint32_t p = 0; p < points; p++) {
        self->begin[p] = count;
        for (uint32_t h = p < rows->count ? half->begin[p] : 0; p < rows->count && h < half->end[p]; h++) {
            if (half->at[h].other >= points)
                continue;
            self->other[count] = half->at[h].other;
            self->value[count++] = rows->edge[half->at[h].edge];
        }
    }
    self->begin[points] = count;
    return count;
}

void mass_operator_describe_rows(MassOperator *self, DvMass *base, const RowMass *rows, uint64_t version,
                                 DvOperator *out)
{
    const uint32_t points = dv_state_count(base->state), own = rows->count < points ? rows->count : points;
    size_t entries = 0;
    mass_operator_begin(self, base, points);
    for (uint32_t p = 0; p < own; p++) {
        self->mass[p] = rows->point[p] * rows->own;
        self->weight[p] = rows->weight[p] * rows->heavy;
        entries += rows->edge ? rows->half->end[p] - rows->half->begin[p] : 0;
    }
    mass_operator_describe(self, base, points, version, out);
    if (!rows->edge)
        return;
    reserve_rows(self, points, entries);
    const uint32_t count = copy_rows(self, rows, points);
    out->name = "row mass";
    dv_operator_add_indices(out, "begin", self->begin, (size_t)points + 1, 1, version);
    dv_operator_add_indices(out, "other", self->other, count, 1, version);
    dv_operator_add_numbers(out, "value", self->value, count, 1, version);
}

void mass_operator_free(MassOperator *self)
{
    dv_free(self->begin);
    dv_free(self->other);
    dv_free(self->value);
    dv_free(self->inertia);
    dv_free(self->inverse);
    dv_free(self->mass);
    dv_free(self->weight);
    *self = (MassOperator){0};
}
