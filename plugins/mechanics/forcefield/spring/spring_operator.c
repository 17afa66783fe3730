/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "forcefield/spring/spring_operator.h"

#include <divan/memory.h>

void spring_operator_free(SpringOperator *self)
{
    dv_free(self->pair);
    dv_free(self->flags);
    dv_free(self->numbers);
    *self = (SpringOperator){0};
}

static void reserve(SpringOperator *self, uint32_t count)
{
    if (self->pair && self->room >= count)
        return;
    spring_operator_free(self);
    self->room = count;
    self->pair = dv_alloc(2 * (size_t)count + 1, sizeof *self->pair);
    self->flags = dv_alloc((size_t)count + 1, sizeof *self->flags);
    self->numbers = dv_alloc(3 * (size_t)count + 1, sizeof *self->numbers);
}

void spring_operator_describe(SpringOperator *self, const SpringBlocks *set, const DvDofType *dof, bool between,
                              double shortest, uint64_t version, DvOperator *out)
{
    const uint32_t count = set->count;
    if (dof->rotation) {
        out->why = "springs between bodies that turn act on the host alone";
        return;
    }
    reserve(self, count);
    self->shortest = shortest;
    self->second = set->points[1];
    for (uint32_t i = 0; i < count; i++) {
        const LinearSpring spring = spring_blocks_get(set, i);
        self->pair[2 * (size_t)i] = spring.a;
        self->pair[2 * (size_t)i + 1] = spring.b;
        self->flags[i] = (spring.enabled ? 1u : 0u) | (spring.elongation_only ? 2u : 0u);
        self->numbers[3 * (size_t)i] = spring.stiffness;
        self->numbers[3 * (size_t)i + 1] = spring.damping;
        self->numbers[3 * (size_t)i + 2] = spring.rest_length;
    }
    out->name = "springs";
    dv_operator_add_indices(out, "pair", self->pair, count, 2, version);
    dv_operator_add_numbers(out, "spring", self->numbers, count, 3, version);
    dv_operator_add_indices(out, "flags", self->flags, count, 1, version);
    dv_operator_add_numbers(out, "shortest", &self->shortest, 1, 1, version);
    if (between)
        dv_operator_add_indices(out, "second", &self->second, 1, 1, version);
}
