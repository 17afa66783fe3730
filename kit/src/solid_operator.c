/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Element x law as the operator "linear elements", of what is linear in the frames of the elements.
 */
#include "solid_blocks.h"

#include <divan/kit/solid_force_field.h>
#include <divan/math/decompose.h>

static DvElementFrame frame_of(const DvSolidModel *model)
{
    static const DvElementFrame frames[] = {[DV_ROTATION_NONE] = DV_FRAME_NONE,
                                            [DV_ROTATION_POLAR] = DV_FRAME_POLAR,
                                            [DV_ROTATION_STABLE_POLAR] = DV_FRAME_STABLE_POLAR,
                                            [DV_ROTATION_TRIANGLE] = DV_FRAME_OF_NODES,
                                            [DV_ROTATION_HEXAHEDRON] = DV_FRAME_OF_MEAN_EDGES};
    if (model->kinematics != DV_COROTATIONAL)
        return DV_FRAME_NONE;
    return frames[model->rotation] == DV_FRAME_POLAR && dv_shape_dimensions(model->kind) < model->space
               ? DV_FRAME_STABLE_POLAR
               : frames[model->rotation];
}

/* The frame of nodes at rest, of those that are made of edges. */
static DvMat3 rest_frame(DvElementFrame frame, const DvVec3 *at)
{
    if (frame == DV_FRAME_OF_NODES)
        return dv_frame_of_triangle(at[0], at[1], at[2]);
    if (frame != DV_FRAME_OF_MEAN_EDGES)
        return dv_mat3_identity();
    DvVec3 edge[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    static const uint8_t ends[2][4][2] = {{{0, 1}, {3, 2}, {4, 5}, {7, 6}}, {{0, 3}, {1, 2}, {4, 7}, {5, 6}}};
    for (int axis = 0; axis < 2; axis++)
        for (int k = 0; k < 4; k++)
            edge[axis] = dv_vec3_add(edge[axis], dv_vec3_sub(at[ends[axis][k][1]], at[ends[axis][k][0]]));
    return dv_frame_of_triangle(dv_vec3(0.0, 0.0, 0.0), edge[0], edge[1]);
}

static void set_element(const DvSolidElements *solid, uint32_t e, DvElementOperator *op)
{
    const uint32_t lane = e % DV_LANES, number = e / DV_LANES;
    const DvReal8(*rest)[3] = (const DvReal8(*)[3])solid_rest(solid, number);
    const DvReal8 *parameters = solid_parameters(solid, number);
    double *at = op->rest + (size_t)e * op->nodes * 3;
    DvVec3 node[DV_SOLID_NODES];
    for (uint32_t n = 0; n < op->nodes; n++) {
        op->element[(size_t)e * op->nodes + n] = dv_element_blocks_point(&solid->mesh, e, n);
        node[n] = dv_vec3(rest[n][0][lane], rest[n][1][lane], rest[n][2][lane]);
    }
    const DvMat3 frame = rest_frame((DvElementFrame)op->frame, node);
    for (uint32_t n = 0; n < op->nodes; n++)
        dv_vec3_store(dv_mat3_mul_vec(frame, node[n]), at + 3 * (size_t)n);
    for (uint32_t q = 0; q < op->points; q++) {
        DvMat3 inverse = dv_mat3_zero();
        (void)solid_map(solid->model.kind, at, op->slope + (size_t)q * op->nodes * 3, &inverse);
        const double weight = solid_point(solid, number, q)[0][lane];
        dv_element_operator_set_point(op, e, q, &inverse, weight * parameters[0][lane], weight * parameters[1][lane]);
    }
    if (solid->model.kinematics != DV_COROTATIONAL) /* those are */
        dv_element_operator_see_from_middle(op, e);
}

static uint64_t operator_version(void *self_)
{
    DvSolidForceField *self = self_;
    if (!self->field.base.state.ops ||
        dv_mesh_force_field_follow(&self->field, dv_state_count(self->field.base.state)) != DV_OK)
        return 0;
    return self->field.structure + self->field.changed;
}

static void describe(void *self_, DvOperator *out)
{
    DvSolidForceField *self = self_;
    const uint64_t version = operator_version(self);
    const DvSolidElements *solid = &self->elements;
    if (solid->model.law != &dv_hooke_law || solid->model.kinematics == DV_FINITE_STRAIN) {
        out->why = "its law is not linear in the frames of the elements";
        return;
    }
    dv_element_operator_begin(&self->described, solid->model.kind, frame_of(&solid->model), solid->mesh.elements);
    for (uint32_t e = 0; e < solid->mesh.elements; e++)
        set_element(solid, e, &self->described);
    dv_element_operator_describe(&self->described, version, out);
}

const DvOperatorOps dv_solid_force_field_operator = {
    .size = sizeof(DvOperatorOps), .version = operator_version, .describe = describe};
