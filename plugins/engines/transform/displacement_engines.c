/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * DisplacementTransformEngine: what leads from each frame of x0 to that of x, as a matrix or a frame: x x0^-1.
 * DisplacementMatrixEngine: the same as matrices, with a scale in the axes of the frame in between: x S x0^-1. Scales are rounded to single
 * precision, as the reference does.
 */
#include <divan/kit/engine.h>
#include <divan/kit/value_lists.h>
#include <divan/math/rigid.h>
#include <divan/types/matrix.h>

typedef struct Displacement {
    DvEngine engine;
    DvData from, to, scales, matrices;
    DvData *out; /* matrices, or a list of frames */
} Displacement;

static void store_matrix(DvRigid3 to, DvVec3 scale, DvRigid3 from, double *m)
{
    const DvMat3 scaled = dv_mat3_mul(dv_quat_to_matrix(to.orientation), dv_mat3_diagonal(scale)),
                 linear = dv_mat3_mul_transposed(scaled, dv_quat_to_matrix(from.orientation));
    const DvVec3 shift = dv_vec3_sub(to.center, dv_mat3_mul_vec(linear, from.center));
    const double last[3] = {shift.x, shift.y, shift.z};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            m[4 * i + j] = linear.m[i][j];
        m[4 * i + 3] = last[i];
        m[12 + i] = 0;
    }
    m[15] = 1;
}

static DvRigid3 frame_between(DvRigid3 to, DvRigid3 from)
{
    const DvQuat turn = dv_quat_mul(to.orientation, dv_quat_conjugate(from.orientation));
    return dv_rigid3(dv_vec3_sub(to.center, dv_quat_rotate(turn, from.center)), turn);
}

static DvVec3 rounded(const double *scale)
{
    return dv_vec3((float)scale[0], (float)scale[1], (float)scale[2]);
}

static DvStatus update(DvObject *object, void *self_)
{
    Displacement *self = self_;
    (void)object;
    size_t count, others, scales = 0;
    const double *from = dv_data_doubles(&self->from, &count), *to = dv_data_doubles(&self->to, &others),
                 *scale = self->scales.field ? dv_data_doubles(&self->scales, &scales) : NULL;
    if (count != others && dv_engine_starting(&self->engine))
        return dv_field_error(&self->to, -1, "%zu frames for %zu of 'x0': give as many", others, count);
    count = others < count ? others : count;
    const bool frames = self->out->type->components == 7;
    double *out = dv_data_begin_all(self->out, count);
    for (size_t i = 0; i < count; i++, out += frames ? 7 : 16) {
        const DvRigid3 a = dv_rigid3_load(from + 7 * i), b = dv_rigid3_load(to + 7 * i);
        if (frames)
            dv_rigid3_store(frame_between(b, a), out);
        else
            store_matrix(b, i < scales ? rounded(scale + 3 * i) : dv_vec3(1, 1, 1), a, out);
    }
    dv_data_end(self->out);
    return DV_OK;
}

static DvStatus construct(DvObject *object, void *self_)
{
    Displacement *self = self_;
    const bool frames = strstr(dv_object_variant(object), "RigidCoord3d") != NULL;
    self->out = self->matrices.field
                    ? &self->matrices
                    : dv_value_list_add(object, "displacements", frames ? &dv_type_rigid3s : &dv_type_mat4s,
                                        DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY, "from x0 to x");
    return self->out ? dv_engine_construct(object, self_) : DV_ERROR_INVALID;
}

#define FRAMES                                                                                 \
    DV_ENGINE_INPUT(Displacement, from, "x0", dv_type_rigid3s, "frames at rest", .unit = "m"), \
        DV_ENGINE_INPUT(Displacement, to, "x", dv_type_rigid3s, "where they are now, as many", .unit = "m")
static const DvField transform_fields[] = {FRAMES, {0}};
static const DvField matrix_fields[] = {
    FRAMES,
    DV_ENGINE_OUTPUT(Displacement, matrices, "displaceMats", dv_type_mat4s, "from x0 to x"),
    DV_ENGINE_INPUT(Displacement, scales, "scales", dv_type_vec3s, "along the axes of each frame (default: 1 1 1)"),
    {0},
};

#define LIFE .construct = construct, .bwd_init = dv_engine_start, .reinit = dv_engine_run, .update = update
const DvClass dv_displacement_transform_engine = {
    .size = sizeof(DvClass),
    .name = "DisplacementTransformEngine",
    .variants = "Rigid3d,Mat4x4d Rigid3d,RigidCoord3d",
    .module = "Sofa.Component.Engine.Transform",
    .help = "Computes what leads from some frames to others.",
    .instance_size = sizeof(Displacement),
    .fields = transform_fields,
    DV_ENGINE_CLASS("DataEngine"),
    LIFE,
};
const DvClass dv_displacement_matrix_engine = {
    .size = sizeof(DvClass),
    .name = "DisplacementMatrixEngine",
    .variants = "Rigid3d",
    .default_variant = "Rigid3d",
    .module = "Sofa.Component.Engine.Transform",
    .help = "Computes matrices that lead from some frames to others.",
    .instance_size = sizeof(Displacement),
    .fields = matrix_fields,
    DV_ENGINE_CLASS("DisplacementTransformEngine", "DataEngine"),
    LIFE,
};
