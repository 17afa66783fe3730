/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "block_ldl_private.h"

#include <divan/memory.h>

void dv_block_ldl_describe(const DvBlockLdl *self, uint64_t version, const uint32_t *size, uint32_t states,
                           uint32_t **panels, DvOperator *out)
{
    const uint32_t count = self->supernode_count;
    uint64_t values = 0, rows = 0;
    dv_free(*panels);
    uint32_t *panel = *panels = dv_alloc((size_t)5 * count + 1, sizeof *panel);
    for (uint32_t s = 0; s < count; s++) {
        const Supernode *super = &self->supernodes[s];
        values = super->panel + (uint64_t)super->ld * super->width * self->block;
        rows += super->below;
        *panel++ = super->first;
        *panel++ = super->width;
        *panel++ = super->below;
        *panel++ = super->ld;
        *panel++ = s + 1 < count ? (uint32_t)(super[1].panel - values) : 0;
    }
    *out = (DvOperator){.name = "factor"};
    dv_operator_add_indices(out, "size", size, states, 1, self->analyses);
    dv_operator_add_indices(out, "node", self->order, self->nodes, 1, self->analyses);
    dv_operator_add_indices(out, "panel", *panels, count, 5, self->analyses);
    dv_operator_add_indices(out, "row", self->rows, rows, 1, self->analyses);
    dv_operator_add_numbers(out, "value", self->panels, values, 1, version);
    dv_operator_add_numbers(out, "inverse", self->inverse, self->nodes, self->block, version);
}
