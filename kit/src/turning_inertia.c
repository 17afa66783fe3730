/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Inertia that turns with its body; see divan/kit/turning_inertia.h.
 */
#include <divan/kit/turning_inertia.h>

#include <math.h>

#include <divan/math/mat.h>
#include <divan/math/rigid.h>
#include <divan/memory.h>

/* R J R^T */
static DvMat3 turned(DvMat3 rotation, DvMat3 inertia)
{
    return dv_mat3_mul_transposed(dv_mat3_mul(rotation, inertia), rotation);
}

DvBodyMass dv_turning_inertia_body(const DvBodyMass *body, const double *x)
{
    const DvMat3 rotation = dv_quat_to_matrix(dv_quat_normalize(dv_quat_load(x + 3)));
    DvBodyMass result = *body;
    dv_mat3_store(turned(rotation, dv_mat3_load(body->inertia_mass)), result.inertia_mass);
    dv_mat3_store(turned(rotation, dv_mat3_load(body->inverse_inertia)), result.inverse_inertia);
    return result;
}

static uint32_t point_of(const DvBodyList *list, uint32_t k)
{
    return list->points ? list->points[k] : k;
}

void dv_turning_inertia_set(DvTurningInertia *turning, const DvBodyList *list, DvConstVec x)
{
    if (turning->capacity < list->count) {
        dv_free(turning->at);
        turning->at = dv_alloc(list->count, sizeof *turning->at);
        turning->capacity = list->count;
    }
    for (uint32_t k = 0; k < list->count; k++)
        turning->at[k] =
            dv_turning_inertia_body(&list->bodies[list->same ? 0 : k], x.at + (size_t)point_of(list, k) * x.dim);
    turning->count = list->count;
    turning->version++;
}

void dv_turning_inertia_free(DvTurningInertia *turning)
{
    dv_free(turning->at);
    *turning = (DvTurningInertia){0};
}

static DvVec3 gyroscopic_torque(const DvBodyMass *body, DvVec3 w)
{
    return dv_vec3_cross(dv_mat3_mul_vec(dv_mat3_load(body->inertia_mass), w), w);
}

void dv_turning_inertia_add_torque(const DvTurningInertia *turning, const DvBodyList *list, DvConstVec v, DvVec f)
{
    for (uint32_t k = 0; k < list->count; k++) {
        const size_t at = (size_t)point_of(list, k) * f.dim + 3;
        dv_vec3_accumulate(gyroscopic_torque(&turning->at[k], dv_vec3_load(v.at + at)), f.at + at);
    }
}

/* D with exp(u + d) = exp(D d) exp(u) to first order in d. */
static DvMat3 tangent_of_rotation(DvVec3 u)
{
    const double angle = dv_vec3_norm(u), square = angle * angle;
    /* Of small angles the series; what is left out is below rounding. */
    const double first = angle < 1e-2 ? 0.5 - square / 24.0 + square * square / 720.0 : (1.0 - cos(angle)) / square;
    const double second =
        angle < 1e-2 ? 1.0 / 6.0 - square / 120.0 + square * square / 5040.0 : (angle - sin(angle)) / (square * angle);
    const DvMat3 skew = dv_mat3_skew(u);
    return dv_mat3_madd(dv_mat3_madd(dv_mat3_identity(), first, skew), second, dv_mat3_mul(skew, skew));
}

/* Newton's step of one body; b: its angular part. A body that turns so fast that the matrix is singular keeps b as it is. */
static void step_of_body(const DvBodyMass *body, double h, double p, DvVec3 w, double *b)
{
    const DvMat3 start = dv_mat3_load(body->inertia_mass);
    const DvVec3 angle = dv_vec3_scale(w, h), momentum = dv_mat3_mul_vec(start, w);
    const DvMat3 rotation = dv_quat_to_matrix(dv_quat_from_increment(angle)), end = turned(rotation, start);
    const DvVec3 momentum_end = dv_mat3_mul_vec(end, w);
    const DvVec3 impulse = dv_vec3_sub(dv_vec3_load(b), dv_vec3_scale(gyroscopic_torque(body, w), h));
    const DvVec3 residual = dv_vec3_sub(dv_vec3_add(impulse, momentum), momentum_end);
    const DvMat3 change = dv_mat3_sub(dv_mat3_mul(end, dv_mat3_skew(w)), dv_mat3_skew(momentum_end));
    const DvMat3 newton = dv_mat3_madd(end, h * p, dv_mat3_mul(change, tangent_of_rotation(angle)));
    DvMat3 inverse;
    if (dv_mat3_inverse(newton, &inverse) != 0.0)
        dv_vec3_store(dv_mat3_mul_vec(start, dv_mat3_mul_vec(inverse, residual)), b);
}

void dv_turning_inertia_step(const DvTurningInertia *turning, const DvBodyList *list, double h, double p, DvConstVec v,
                             DvVec b)
{
    for (uint32_t k = 0; k < list->count; k++) {
        const size_t at = (size_t)point_of(list, k) * b.dim + 3;
        step_of_body(&turning->at[k], h, p, dv_vec3_load(v.at + at), b.at + at);
    }
}
