/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The operator "corotational tetrahedra" (divan/contracts/operator.h).
 */
#include "forcefield/fem/tetrahedron_force_field.h"

#include <divan/memory.h>

enum { NODES = 4, EDGES = 3 };

uint64_t tetrahedron_force_field_operator_version(void *self_)
{
    TetrahedronForceField *self = self_;
    if (!self->field.base.state.ops ||
        dv_mesh_force_field_follow(&self->field, dv_state_count(self->field.base.state)) != DV_OK)
        return 0;
    return self->field.structure + self->field.changed;
}

void tetrahedron_operator_free(TetrahedronOperator *op)
{
    dv_free(op->element);
    dv_free(op->numbers);
    *op = (TetrahedronOperator){0};
}

static void reserve(TetrahedronOperator *op, uint32_t elements)
{
    if (op->element && op->capacity >= elements)
        return;
    tetrahedron_operator_free(op);
    op->capacity = elements;
    op->element = dv_alloc((size_t)NODES * elements + 1, sizeof *op->element);
    op->numbers = dv_alloc((size_t)(4 * EDGES * 3 + 2) * elements + 1, sizeof *op->numbers);
}

void tetrahedron_force_field_describe(void *self_, DvOperator *out)
{
    static const uint32_t frames[] = {[TETRAHEDRON_SMALL] = 0,
                                      [TETRAHEDRON_LARGE] = 1,
                                      [TETRAHEDRON_POLAR] = 2,
                                      [TETRAHEDRON_SVD] = 3,
                                      [TETRAHEDRON_EXACT] = 4};
    TetrahedronForceField *self = self_;
    const TetrahedronBlocks *t = &self->blocks;
    const uint64_t version = tetrahedron_force_field_operator_version(self);
    const uint32_t elements = t->mesh.elements;
    if (t->update != UPDATE_NONE) {
        out->why = "updateStiffnessMatrix acts on the host alone";
        return;
    }
    TetrahedronOperator *op = &self->operator;
    reserve(op, elements);
    double *edge = op->numbers, *gradient = edge + (size_t)3 * EDGES * elements,
           *modulus = gradient + (size_t)3 * EDGES * elements, *inverse = modulus + (size_t)2 * elements,
           *initial = inverse + (size_t)3 * EDGES * elements;
    for (uint32_t e = 0; e < elements; e++) {
        const TetrahedronRest *rest = &t->rest[e / DV_LANES];
        const uint32_t lane = e % DV_LANES;
        for (uint32_t k = 0; k < NODES; k++)
            op->element[(size_t)NODES * e + k] = dv_element_blocks_point(&t->mesh, e, k);
        for (uint32_t k = 0; k < EDGES; k++)
            for (uint32_t c = 0; c < 3; c++) {
                edge[(size_t)3 * EDGES * e + 3 * k + c] = rest->edge[k][c][lane];
                gradient[(size_t)3 * EDGES * e + 3 * k + c] = rest->gradient[k][c][lane];
            }
        for (uint32_t i = 0; t->method == TETRAHEDRON_SVD && i < 9; i++) {
            inverse[(size_t)9 * e + i] = t->inverse[e / DV_LANES][i / 3][i % 3][lane];
            initial[(size_t)9 * e + i] = t->frame[e / DV_LANES][i / 3][i % 3][lane];
        }
        modulus[2 * (size_t)e] = rest->lambda[lane];
        modulus[2 * (size_t)e + 1] = rest->mu[lane];
    }
    out->name = "corotational tetrahedra";
    dv_operator_add_indices(out, "element", op->element, elements, NODES, version);
    dv_operator_add_numbers(out, "edge", edge, elements, 3 * EDGES, version);
    dv_operator_add_numbers(out, "gradient", gradient, elements, 3 * EDGES, version);
    dv_operator_add_numbers(out, "modulus", modulus, elements, 2, version);
    dv_operator_add_indices(out, "frame", &frames[t->method], 1, 1, version);
    if (t->method != TETRAHEDRON_SVD)
        return;
    dv_operator_add_numbers(out, "inverse", inverse, elements, 3 * EDGES, version);
    dv_operator_add_numbers(out, "initial", initial, elements, 3 * EDGES, version);
}
