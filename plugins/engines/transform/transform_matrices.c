/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TranslateTransformMatrixEngine, RotateTransformMatrixEngine, ScaleTransformMatrixEngine: inT times a translation, a rotation, a scale.
 * InvertTransformMatrixEngine: the inverse of inT, an affine transform.
 */
#include <divan/kit/engine.h>
#include <divan/math/mat.h>
#include <divan/math/quat.h>
#include <divan/types/matrix.h>

typedef struct MatrixEngine {
    DvEngine engine;
    DvData in, out, vector;
} MatrixEngine;

/* out = (A B, A b + a), of the upper three rows of inT and of what is multiplied. */
static void write_product(MatrixEngine *self, DvMat3 linear, DvVec3 translation)
{
    const double *a = dv_data_doubles(&self->in, NULL), b[16] = {linear.m[0][0],
                                                                 linear.m[0][1],
                                                                 linear.m[0][2],
                                                                 translation.x,
                                                                 linear.m[1][0],
                                                                 linear.m[1][1],
                                                                 linear.m[1][2],
                                                                 translation.y,
                                                                 linear.m[2][0],
                                                                 linear.m[2][1],
                                                                 linear.m[2][2],
                                                                 translation.z,
                                                                 0,
                                                                 0,
                                                                 0,
                                                                 1};
    double *out = dv_data_begin_all(&self->out, 1);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            double sum = 0;
            for (int k = 0; k < 4; k++)
                sum += a[4 * i + k] * b[4 * k + j];
            out[4 * i + j] = sum;
        }
    dv_data_end(&self->out);
}

static DvVec3 vector_of(MatrixEngine *self)
{
    return dv_vec3_load(dv_data_doubles(&self->vector, NULL));
}

static DvStatus translate(DvObject *object, void *self)
{
    (void)object;
    write_product(self, dv_mat3_identity(), vector_of(self));
    return DV_OK;
}

static DvStatus rotate(DvObject *object, void *self)
{
    (void)object;
    write_product(self, dv_quat_to_matrix(dv_quat_from_euler_degrees(vector_of(self))), dv_vec3_zero());
    return DV_OK;
}

static DvStatus scale(DvObject *object, void *self)
{
    (void)object;
    write_product(self, dv_mat3_diagonal(vector_of(self)), dv_vec3_zero());
    return DV_OK;
}

static DvStatus invert(DvObject *object, void *self_)
{
    MatrixEngine *self = self_;
    (void)object;
    const double *in = dv_data_doubles(&self->in, NULL);
    const DvVec3 t = dv_vec3(in[3], in[7], in[11]);
    DvMat3 linear = {{{in[0], in[1], in[2]}, {in[4], in[5], in[6]}, {in[8], in[9], in[10]}}}, inverse;
    if (dv_mat3_inverse(linear, &inverse) == 0)
        return dv_engine_starting(&self->engine) ? dv_field_error(&self->in, -1, "has no inverse: its determinant is 0")
                                                 : DV_OK;
    const DvVec3 back = dv_vec3_neg(dv_mat3_mul_vec(inverse, t));
    double *out = dv_data_begin_all(&self->out, 1);
    const double shift[3] = {back.x, back.y, back.z};
    memset(out, 0, 16 * sizeof *out);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            out[4 * i + j] = inverse.m[i][j];
        out[4 * i + 3] = shift[i];
    }
    out[15] = 1;
    dv_data_end(&self->out);
    return DV_OK;
}

#define IDENTITY "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"
#define MATRICES                                                                              \
    DV_ENGINE_INPUT(MatrixEngine, in, "inT", dv_type_mat4d, "a transform", .init = IDENTITY), \
        DV_ENGINE_OUTPUT(MatrixEngine, out, "outT", dv_type_mat4d, "what becomes of it", .init = IDENTITY)
#define VECTOR(name, text, ...) DV_ENGINE_INPUT(MatrixEngine, vector, name, dv_type_vec3d, text, __VA_ARGS__)

static const DvField translate_fields[] = {MATRICES, VECTOR("translation", "how far it moves", .unit = "m"), {0}};
static const DvField rotate_fields[] = {
    MATRICES, VECTOR("rotation", "how it turns about x, then y, then z", .unit = "degree"), {0}};
static const DvField scale_fields[] = {MATRICES, VECTOR("scale", "what the axes are multiplied by"), {0}};
static const DvField invert_fields[] = {MATRICES, {0}};

#define MATRIX_CLASS(id, class_name, text, table, function)             \
    const DvClass id = {                                                \
        .size = sizeof(DvClass),                                        \
        .name = class_name,                                             \
        .module = "Sofa.Component.Engine.Transform",                    \
        .help = text,                                                   \
        .instance_size = sizeof(MatrixEngine),                          \
        .fields = table,                                                \
        DV_ENGINE_CLASS("AbstractTransformMatrixEngine", "DataEngine"), \
        DV_ENGINE_LIFE,                                                 \
        .update = function,                                             \
    }
MATRIX_CLASS(dv_translate_transform_matrix_engine, "TranslateTransformMatrixEngine",
             "Multiplies a transform by a translation.", translate_fields, translate);
MATRIX_CLASS(dv_rotate_transform_matrix_engine, "RotateTransformMatrixEngine", "Multiplies a transform by a rotation.",
             rotate_fields, rotate);
MATRIX_CLASS(dv_scale_transform_matrix_engine, "ScaleTransformMatrixEngine", "Multiplies a transform by a scale.",
             scale_fields, scale);
MATRIX_CLASS(dv_invert_transform_matrix_engine, "InvertTransformMatrixEngine", "Inverts a transform.", invert_fields,
             invert);
