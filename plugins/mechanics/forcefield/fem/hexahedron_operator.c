/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Hexahedra as the operator "linear elements" (divan/contracts/operator.h): the same integrals as hexahedron_stiffness.c has.
 */
#include "forcefield/fem/hexahedron_modes.h"
#include "forcefield/fem/hexahedron_stiffness.h"
#include <divan/kit/shape_functions.h>

#include <math.h>

static uint64_t operator_version(void *self_)
{
    HexahedronFEMForceField *self = self_;
    if (!self->field.base.state.ops ||
        dv_mesh_force_field_follow(&self->field, dv_state_count(self->field.base.state)) != DV_OK)
        return 0;
    return self->field.structure + self->field.changed;
}

/* By coordinates of the cube from -1 to 1, of an element that counts as a parallelepiped by its edges at node 0. */
static DvMat3 jacobian(const double node[8][3], bool is_box, const double *slope)
{
    DvMat3 j = dv_mat3_zero();
    if (!is_box)
        for (int n = 0; n < NODES; n++)
            j = dv_mat3_add(j, dv_mat3_outer(dv_vec3_load(node[n]), dv_vec3_load(slope + (ptrdiff_t)3 * n)));
    else
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++)
                j.m[i][k] = 0.5 * (node[(const int[]){1, 3, 4}[k]][i] - node[0][i]);
    return j;
}

static void set_element(const HexahedronFEMForceField *self, uint32_t e, DvElementOperator *op)
{
    double node[NODES][3];
    hexahedron_nodes(self->rest[e], node);
    memcpy(op->element + (size_t)e * NODES, self->corner + (size_t)e * NODES, NODES * sizeof *op->element);
    memcpy(op->rest + (size_t)e * NODES * 3, node, sizeof node);
    const bool is_box = hexahedron_is_parallelepiped((const double(*)[3])node);
    for (uint32_t q = 0; q < op->points; q++) {
        DvMat3 inverse = dv_mat3_identity();
        const double det =
            dv_mat3_inverse(jacobian((const double(*)[3])node, is_box, op->slope + (size_t)q * NODES * 3), &inverse);
        dv_element_operator_set_point(op, e, q, &inverse, det * self->lame[e][0], det * self->lame[e][1]);
    }
    dv_element_operator_see_from_middle(op, e);
}

/* The points of hexahedron_stiffness, to all digits. */
static void set_slopes(DvElementOperator *op)
{
    const double gauss = 1.0 / sqrt(3.0);
    for (uint32_t q = 0; q < op->points; q++) {
        double at[3];
        for (int c = 0; c < 3; c++)
            at[c] = gauss * dv_shape_corner[DV_HEXAHEDRA][q][c];
        for (uint32_t n = 0; n < NODES; n++)
            (void)dv_shape_function(DV_HEXAHEDRA, 1, n, at, op->slope + ((size_t)q * NODES + n) * 3);
    }
}

static void describe(void *self_, DvOperator *out)
{
    static const DvElementFrame frames[] = {[HEXAHEDRON_LARGE] = DV_FRAME_OF_MEAN_EDGES,
                                            [HEXAHEDRON_POLAR] = DV_FRAME_POLAR_OF_MEAN_EDGES,
                                            [HEXAHEDRON_SMALL] = DV_FRAME_NONE};
    HexahedronFEMForceField *self = self_;
    const uint64_t version = operator_version(self);
    if (self->closed_form || self->updates || self->exact) {
        out->why = self->closed_form ? "its stiffness is that of boxes along the axes"
                   : self->updates   ? "updateStiffnessMatrix acts on the host alone"
                                     : "method=\"exact\" acts on the host alone; large, polar and small do not";
        return;
    }
    dv_element_operator_begin(&self->described, DV_HEXAHEDRA, frames[self->chosen], self->mesh.elements);
    set_slopes(&self->described);
    for (uint32_t e = 0; e < self->mesh.elements; e++)
        set_element(self, e, &self->described);
    dv_element_operator_describe(&self->described, version, out);
}

const DvOperatorOps hexahedron_fem_operator = {
    .size = sizeof(DvOperatorOps), .version = operator_version, .describe = describe};
