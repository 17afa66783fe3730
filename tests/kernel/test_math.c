/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The small mathematics of divan/math: closed forms, properties at random arguments with a fixed seed, and comparison
 * with independent methods (Taylor series of the matrix exponential, characteristic polynomials, brute force).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <divan/math/decompose.h>
#include <divan/math/rigid.h>
#include <divan/worst.h>

enum { SAMPLES = 2000 };

static uint64_t seed = 0x9e3779b97f4a7c15u;

/* xorshift64*: uniform in [-1, 1). */
static double uniform(void)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (double)((seed * 0x2545f4914f6cdd1du) >> 11) * 0x1p-52 - 1.0;
}

static DvVec3 random_vec3(void)
{
    const double x = uniform(), y = uniform(), z = uniform();
    return dv_vec3(x, y, z);
}

static DvMat3 random_mat3(void)
{
    const DvVec3 a = random_vec3(), b = random_vec3(), c = random_vec3();
    return dv_mat3_from_rows(a, b, c);
}

static DvQuat random_rotation(void)
{
    const double x = uniform(), y = uniform(), z = uniform(), w = uniform();
    return dv_quat_normalize(dv_quat(x, y, z, w));
}

#define assert_close(a, b, tolerance)                           \
    do {                                                        \
        const double a_ = (a), b_ = (b);                        \
        if (!(fabs(a_ - b_) <= (tolerance)))                    \
            fail_msg("%s = %.17g, %s = %.17g", #a, a_, #b, b_); \
    } while (0)

static void assert_vec3(DvVec3 a, DvVec3 b, double tolerance)
{
    assert_close(a.x, b.x, tolerance);
    assert_close(a.y, b.y, tolerance);
    assert_close(a.z, b.z, tolerance);
}

static void assert_quat(DvQuat a, DvQuat b, double tolerance)
{
    assert_vec3(dv_quat_vector(a), dv_quat_vector(b), tolerance);
    assert_close(a.w, b.w, tolerance);
}

/* q and -q are the same rotation. */
static void assert_same_rotation(DvQuat a, DvQuat b, double tolerance)
{
    if (dv_quat_dot(a, b) < 0.0)
        b = dv_quat(-b.x, -b.y, -b.z, -b.w);
    assert_quat(a, b, tolerance);
}

static void assert_mat3(DvMat3 a, DvMat3 b, double tolerance)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_close(a.m[i][j], b.m[i][j], tolerance);
}

static void assert_proper_rotation(DvMat3 r, double tolerance)
{
    assert_mat3(dv_mat3_transposed_mul(r, r), dv_mat3_identity(), tolerance);
    assert_close(dv_mat3_det(r), 1.0, tolerance);
}

/* exp(skew(a)) by its Taylor series: the independent definition of the rotation by |a| about a. */
static DvMat3 exponential_by_series(DvVec3 a)
{
    const DvMat3 k = dv_mat3_skew(a);
    DvMat3 sum = dv_mat3_identity(), term = sum;
    for (int n = 1; n < 40; n++) {
        term = dv_mat3_scale(dv_mat3_mul(term, k), 1.0 / n);
        sum = dv_mat3_add(sum, term);
    }
    return sum;
}

static void vectors_obey_the_identities_of_dot_and_cross(void **state)
{
    (void)state;
    assert_vec3(dv_vec3_cross(dv_vec3(1, 0, 0), dv_vec3(0, 1, 0)), dv_vec3(0, 0, 1), 0.0);
    for (int n = 0; n < SAMPLES; n++) {
        const DvVec3 a = random_vec3(), b = random_vec3(), c = random_vec3();
        /* Lagrange's identity, and the triple product as a determinant. */
        const double ab = dv_vec3_dot(a, b);
        assert_close(dv_vec3_norm_squared(dv_vec3_cross(a, b)),
                     dv_vec3_norm_squared(a) * dv_vec3_norm_squared(b) - ab * ab, 1e-14);
        assert_close(dv_vec3_dot(dv_vec3_cross(a, b), c), dv_mat3_det(dv_mat3_from_rows(a, b, c)), 1e-15);
        assert_vec3(dv_vec3_add(dv_vec3_sub(a, b), b), a, 1e-15);
        assert_vec3(dv_vec3_madd(a, -2.0, b), dv_vec3_sub(a, dv_vec3_scale(b, 2.0)), 0.0);
        assert_close(dv_vec3_distance(a, b), dv_vec3_norm(dv_vec3_add(a, dv_vec3_neg(b))), 0.0);
    }
    const DvVec3 low = dv_vec3_min(dv_vec3(1, -2, 3), dv_vec3(0, 5, 4)),
                 high = dv_vec3_max(dv_vec3(1, -2, 3), dv_vec3(0, 5, 4));
    assert_vec3(low, dv_vec3(0, -2, 3), 0.0);
    assert_vec3(high, dv_vec3(1, 5, 4), 0.0);
    assert_vec3(dv_vec3_mul(low, high), dv_vec3(0, -10, 12), 0.0);
}

static void vectors_without_a_direction_stay_as_they_are(void **state)
{
    (void)state;
    assert_vec3(dv_vec3_normalize(dv_vec3(3, 0, -4)), dv_vec3(0.6, 0, -0.8), 1e-16);
    assert_vec3(dv_vec3_normalize(dv_vec3_zero()), dv_vec3_zero(), 0.0);
    assert_vec3(dv_vec3_normalize(dv_vec3(1e-17, 0, 0)), dv_vec3(1e-17, 0, 0), 0.0);
    assert_vec3(dv_vec3_normalize(dv_vec3(0, 1e-15, 0)), dv_vec3(0, 1, 0), 1e-15);
}

static void load_store_and_accumulate_move_one_vector_of_an_array(void **state)
{
    (void)state;
    double p[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    assert_mat3(dv_mat3_load(p), dv_mat3_from_rows(dv_vec3(1, 2, 3), dv_vec3(4, 5, 6), dv_vec3(7, 8, 9)), 0.0);
    dv_vec3_accumulate(dv_vec3(10, 20, 30), p + 3);
    assert_vec3(dv_vec3_load(p + 3), dv_vec3(14, 25, 36), 0.0);
    dv_vec3_store(dv_vec3(-1, -2, -3), p + 6);
    dv_mat3_store(dv_mat3_transpose(dv_mat3_load(p)), p);
    const double expected[9] = {1, 14, -1, 2, 25, -2, 3, 36, -3};
    assert_memory_equal(p, expected, sizeof p);
    double plane[2];
    dv_vec2_store(dv_vec2_scale(dv_vec2_load(expected), 0.5), plane);
    assert_close(plane[0], 0.5, 0.0);
    assert_close(plane[1], 7.0, 0.0);
}

static void plane_vectors_turn_counter_clockwise(void **state)
{
    (void)state;
    const DvVec2 turned = dv_vec2_rotate(dv_vec2(2, 0), DV_PI / 6);
    assert_close(turned.x, sqrt(3.0), 1e-15);
    assert_close(turned.y, 1.0, 1e-15);
    assert_close(dv_vec2_cross(dv_vec2(2, 0), turned), 2.0, 1e-15);
    assert_close(dv_vec2_norm(dv_vec2_sub(turned, dv_vec2(2, 0))), 4.0 * sin(DV_PI / 12), 1e-15);
    const DvVec2 sum = dv_vec2_add(dv_vec2(1, 2), dv_vec2(3, 4));
    assert_close(dv_vec2_dot(sum, sum), 52.0, 0.0);
}

static void matrix_products_agree_with_each_other(void **state)
{
    (void)state;
    for (int n = 0; n < SAMPLES; n++) {
        const DvMat3 a = random_mat3(), b = random_mat3();
        const DvVec3 v = random_vec3(), w = random_vec3();
        const DvMat3 ab = dv_mat3_mul(a, b);
        for (int j = 0; j < 3; j++)
            assert_vec3(dv_mat3_column(ab, j), dv_mat3_mul_vec(a, dv_mat3_column(b, j)), 1e-15);
        assert_mat3(dv_mat3_transposed_mul(a, b), dv_mat3_mul(dv_mat3_transpose(a), b), 1e-15);
        assert_mat3(dv_mat3_mul_transposed(a, b), dv_mat3_mul(a, dv_mat3_transpose(b)), 1e-15);
        assert_vec3(dv_mat3_transposed_mul_vec(a, v), dv_mat3_mul_vec(dv_mat3_transpose(a), v), 1e-15);
        assert_vec3(dv_mat3_mul_vec(dv_mat3_outer(v, w), a.m[0][0] > 0 ? v : w),
                    dv_vec3_scale(v, dv_vec3_dot(w, a.m[0][0] > 0 ? v : w)), 1e-15);
        assert_vec3(dv_mat3_mul_vec(dv_mat3_skew(v), w), dv_vec3_cross(v, w), 1e-15);
        assert_mat3(dv_mat3_madd(a, 3.0, b), dv_mat3_add(a, dv_mat3_scale(b, 3.0)), 1e-15);
        assert_mat3(dv_mat3_sub(dv_mat3_scale(dv_mat3_symmetric_part(a), 2.0), a), dv_mat3_transpose(a), 1e-15);
        assert_close(dv_mat3_trace(ab), dv_mat3_trace(dv_mat3_mul(b, a)), 1e-15);
        assert_close(dv_mat3_norm(a) * dv_mat3_norm(a), dv_mat3_trace(dv_mat3_transposed_mul(a, a)), 1e-14);
    }
}

static void the_inverse_undoes_and_the_determinant_multiplies(void **state)
{
    (void)state;
    for (int n = 0; n < SAMPLES; n++) {
        const DvMat3 a = random_mat3(), b = random_mat3();
        DvMat3 inverse;
        const double det = dv_mat3_inverse(a, &inverse);
        assert_mat3(dv_mat3_mul(a, inverse), dv_mat3_identity(), 1e-14 / fabs(det));
        assert_close(dv_mat3_det(dv_mat3_mul(a, b)), det * dv_mat3_det(b), 1e-14);
        assert_mat3(dv_mat3_transposed_mul(dv_mat3_cofactor(a), a), dv_mat3_diagonal(dv_vec3(det, det, det)), 1e-14);
    }
    DvMat3 untouched = dv_mat3_identity();
    assert_close(dv_mat3_inverse(dv_mat3_outer(dv_vec3(1, 2, 3), dv_vec3(4, 5, 6)), &untouched), 0.0, 0.0);
    assert_mat3(untouched, dv_mat3_identity(), 0.0);
}

static void matrix_norms_are_the_largest_column_and_row_sums(void **state)
{
    (void)state;
    const DvMat3 a = dv_mat3_from_rows(dv_vec3(1, -2, 3), dv_vec3(-4, 5, 0), dv_vec3(0, 0, -7));
    assert_close(dv_mat3_norm_one(a), 10.0, 0.0);
    assert_close(dv_mat3_norm_infinity(a), 9.0, 0.0);
    assert_close(dv_mat3_norm(a), sqrt(104.0), 1e-15);
    assert_close(dv_mat3_norm(dv_mat3_zero()), 0.0, 0.0);
}

static void the_units_multiply_as_hamilton_carved_them(void **state)
{
    (void)state;
    const DvQuat i = dv_quat(1, 0, 0, 0), j = dv_quat(0, 1, 0, 0), k = dv_quat(0, 0, 1, 0);
    assert_quat(dv_quat_mul(i, j), k, 0.0);
    assert_quat(dv_quat_mul(j, k), i, 0.0);
    assert_quat(dv_quat_mul(k, i), j, 0.0);
    assert_quat(dv_quat_mul(dv_quat_mul(i, j), k), dv_quat(0, 0, 0, -1), 0.0);
}

static void quaternions_and_matrices_rotate_alike(void **state)
{
    (void)state;
    for (int n = 0; n < SAMPLES; n++) {
        const DvQuat p = random_rotation(), q = random_rotation();
        const DvVec3 v = random_vec3();
        const DvMat3 r = dv_quat_to_matrix(q);
        assert_proper_rotation(r, 1e-14);
        assert_vec3(dv_quat_rotate(q, v), dv_mat3_mul_vec(r, v), 1e-14);
        assert_vec3(dv_quat_inverse_rotate(q, v), dv_mat3_transposed_mul_vec(r, v), 1e-14);
        assert_vec3(dv_quat_rotate(dv_quat_mul(p, q), v), dv_quat_rotate(p, dv_quat_rotate(q, v)), 1e-14);
        assert_same_rotation(dv_quat_from_matrix(r), q, 1e-14);
        assert_quat(dv_quat_mul(q, dv_quat_inverse(q)), dv_quat_identity(), 1e-14);
    }
}

static void half_turns_come_back_from_their_matrices(void **state)
{
    (void)state;
    for (int n = 0; n < SAMPLES; n++) {
        const DvVec3 axis = dv_vec3_normalize(random_vec3());
        const DvQuat q = dv_quat(axis.x, axis.y, axis.z, 0);
        assert_same_rotation(dv_quat_from_matrix(dv_quat_to_matrix(q)), q, 1e-14);
    }
    assert_quat(dv_quat_from_matrix(dv_mat3_diagonal(dv_vec3(1, -1, -1))), dv_quat(1, 0, 0, 0), 0.0);
    assert_quat(dv_quat_from_matrix(dv_mat3_diagonal(dv_vec3(-1, 1, -1))), dv_quat(0, 1, 0, 0), 0.0);
    assert_quat(dv_quat_from_matrix(dv_mat3_diagonal(dv_vec3(-1, -1, 1))), dv_quat(0, 0, 1, 0), 0.0);
}

static void quaternions_of_other_lengths_keep_the_conventions_of_scenes(void **state)
{
    (void)state;
    const DvQuat q = dv_quat(0, 0, 2, 0);
    /* v + w t + u x t with t = 2 u x v: for u = 2 ez, t = (0, 4, 0), u x t = (-8, 0, 0). */
    assert_vec3(dv_quat_rotate(q, dv_vec3(1, 0, 0)), dv_vec3(-7, 0, 0), 0.0);
    assert_quat(dv_quat_inverse(q), dv_quat(0, 0, -1, 0), 0.0);
    assert_quat(dv_quat_inverse(dv_quat(0, 0, 0, 0)), dv_quat(0, 0, 0, 0), 0.0);
    assert_quat(dv_quat_normalize(q), dv_quat(0, 0, 1, 0), 0.0);
    assert_quat(dv_quat_normalize(dv_quat(0, 0, 0, 0)), dv_quat(0, 0, 0, 0), 0.0);
    const DvQuat nearly = dv_quat(0, 0, 0, 1.0 + 2e-11);
    assert_quat(dv_quat_normalize(nearly), nearly, 0.0);
    assert_quat(dv_quat_compose(dv_quat(0, 0, 3, 0), dv_quat(2, 0, 0, 0)), dv_quat(0, -1, 0, 0), 0.0);
    assert_true(dv_quat_nearly_equal(dv_quat_identity(), dv_quat(9e-7, 0, 0, 1)));
    assert_false(dv_quat_nearly_equal(dv_quat_identity(), dv_quat(0, 0, 1.1e-6, 1)));
}

static void euler_angles_turn_about_x_then_y_then_z(void **state)
{
    (void)state;
    for (int n = 0; n < SAMPLES; n++) {
        const DvVec3 degrees = dv_vec3_scale(random_vec3(), 360.0);
        const DvVec3 radians = dv_vec3_scale(degrees, DV_PI / 180.0);
        const DvMat3 rx = exponential_by_series(dv_vec3(remainder(radians.x, 2 * DV_PI), 0, 0));
        const DvMat3 ry = exponential_by_series(dv_vec3(0, remainder(radians.y, 2 * DV_PI), 0));
        const DvMat3 rz = exponential_by_series(dv_vec3(0, 0, remainder(radians.z, 2 * DV_PI)));
        assert_mat3(dv_quat_to_matrix(dv_quat_from_euler_degrees(degrees)), dv_mat3_mul(rz, dv_mat3_mul(ry, rx)),
                    1e-13);
    }
}

static void rotation_vectors_are_the_logarithm_of_the_exponential(void **state)
{
    (void)state;
    for (int n = 0; n < SAMPLES; n++) {
        const DvVec3 axis = dv_vec3_normalize(random_vec3());
        const double angle = DV_PI * 0.9999 * fabs(uniform());
        const DvVec3 a = dv_vec3_scale(axis, angle);
        const DvMat3 series = exponential_by_series(a);
        assert_mat3(dv_quat_to_matrix(dv_quat_from_rotation_vector(a)), series, angle > 1e-5 ? 1e-13 : 1e-5);
        assert_mat3(dv_quat_to_matrix(dv_quat_from_increment(a)), series, 1e-13);
        assert_mat3(dv_quat_to_matrix(dv_quat_from_axis_angle(dv_vec3_scale(axis, 3.0), angle)), series, 1e-13);
        assert_vec3(dv_quat_to_rotation_vector(dv_quat_from_increment(a)), a, 1e-12);
        DvVec3 found;
        DvQuat q = dv_quat_from_increment(a);
        q = dv_quat(-q.x, -q.y, -q.z, -q.w);
        assert_close(dv_quat_to_axis_angle(q, &found), angle, 1e-12);
        assert_vec3(dv_vec3_scale(found, angle), a, 1e-12);
    }
}

static void the_smallest_rotations_have_defined_axes(void **state)
{
    (void)state;
    DvVec3 axis;
    assert_close(dv_quat_to_axis_angle(dv_quat_identity(), &axis), 0.0, 0.0);
    assert_vec3(axis, dv_vec3(0, 1, 0), 0.0);
    assert_vec3(dv_quat_to_rotation_vector(dv_quat_identity()), dv_vec3_zero(), 0.0);
    assert_quat(dv_quat_from_rotation_vector(dv_vec3(1e-5, 0, 0)), dv_quat_identity(), 0.0);
    assert_quat(dv_quat_from_axis_angle(dv_vec3(1e-17, 0, 0), 1.0), dv_quat_identity(), 0.0);
    /* Increments keep the smallest angular velocities. */
    assert_quat(dv_quat_from_increment(dv_vec3(0, 2e-17, 0)), dv_quat(0, 1e-17, 0, 1), 1e-32);
    assert_quat(dv_quat_from_increment(dv_vec3(0, 2e-9, 0)), dv_quat(0, 1e-9, 0, 1), 1e-24);
    assert_close(dv_quat_to_rotation_vector(dv_quat(1e-9, 0, 0, 1)).x, 2e-9, 1e-24);
}

static void slerp_turns_at_constant_speed(void **state)
{
    (void)state;
    const DvQuat a = random_rotation();
    const DvVec3 turn = dv_vec3(0.3, -0.8, 1.1);
    const DvQuat b = dv_quat_mul(dv_quat_from_increment(turn), a);
    for (int n = 0; n <= 10; n++) {
        const double t = n / 10.0;
        const DvQuat expected = dv_quat_mul(dv_quat_from_increment(dv_vec3_scale(turn, t)), a);
        assert_quat(dv_quat_slerp(a, b, t, true), expected, 1e-14);
        assert_quat(dv_quat_slerp_no_flip(a, b, t), expected, 1e-14);
        const DvQuat minus_b = dv_quat(-b.x, -b.y, -b.z, -b.w);
        assert_same_rotation(dv_quat_slerp(a, minus_b, t, true), expected, 1e-14);
    }
    assert_quat(dv_quat_slerp(a, a, 0.25, true), a, 1e-15);
    assert_quat(dv_quat_slerp_no_flip(dv_quat_identity(), dv_quat_identity(), 0.25), dv_quat_identity(), 0.0);
    /* Close quaternions: straight line, and the mean. */
    const DvQuat close = dv_quat_from_increment(dv_vec3(1e-3, 0, 0));
    assert_quat(dv_quat_slerp_no_flip(dv_quat_identity(), close, 0.25),
                dv_quat_combine(0.5, dv_quat_identity(), 0.5, close), 0.0);
    assert_quat(dv_quat_slerp(dv_quat_identity(), close, 0.25, false),
                dv_quat_combine(0.75, dv_quat_identity(), 0.25, close), 0.0);
}

static void a_body_at_constant_angular_velocity_turns_by_the_exponential(void **state)
{
    (void)state;
    const DvVec3 omega = dv_vec3(0.7, -1.9, 0.4), velocity = dv_vec3(1, 2, 3);
    const double dt = 1.0 / 64;
    DvRigid3 body = dv_rigid3(dv_vec3(5, 0, 0), random_rotation());
    const DvRigid3 start = body;
    for (int step = 0; step < 64; step++)
        body = dv_rigid3_integrate(body, dv_rigid3_deriv(dv_vec3_scale(velocity, dt), dv_vec3_scale(omega, dt)));
    assert_vec3(body.center, dv_vec3(6, 2, 3), 1e-13);
    assert_mat3(dv_quat_to_matrix(body.orientation),
                dv_mat3_mul(exponential_by_series(omega), dv_quat_to_matrix(start.orientation)), 1e-13);
    assert_close(dv_quat_norm(body.orientation), 1.0, 1e-14);
}

static void the_difference_of_two_bodies_takes_one_to_the_other(void **state)
{
    (void)state;
    for (int n = 0; n < SAMPLES; n++) {
        const DvRigid3 a = dv_rigid3(random_vec3(), random_rotation()), b = dv_rigid3(random_vec3(), random_rotation());
        const DvRigid3Deriv d = dv_rigid3_difference(a, b);
        const DvRigid3 moved = dv_rigid3_integrate(b, d);
        assert_true(dv_vec3_norm(d.angular) <= DV_PI);
        assert_vec3(moved.center, a.center, 1e-15);
        assert_same_rotation(moved.orientation, a.orientation, 1e-13);
        const DvVec3 p = random_vec3();
        assert_vec3(dv_rigid3_to_local(a, dv_rigid3_to_world(a, p)), p, 1e-14);
        assert_vec3(dv_rigid3_to_world(dv_rigid3_mul(a, b), p), dv_rigid3_to_world(a, dv_rigid3_to_world(b, p)), 1e-14);
    }
}

static void the_power_of_a_force_at_a_lever_is_that_of_its_wrench(void **state)
{
    (void)state;
    for (int n = 0; n < SAMPLES; n++) {
        const DvRigid3Deriv v = dv_rigid3_deriv(random_vec3(), random_vec3());
        const DvVec3 force = random_vec3(), lever = random_vec3();
        const DvRigid3Deriv wrench = dv_rigid3_wrench(force, lever);
        assert_close(dv_vec3_dot(force, dv_rigid3_velocity_at(v, lever)),
                     dv_vec3_dot(wrench.linear, v.linear) + dv_vec3_dot(wrench.angular, v.angular), 1e-14);
    }
}

static void bodies_move_between_values_and_arrays(void **state)
{
    (void)state;
    double p[7] = {1, 2, 3, 0.5, -0.5, 0.5, 0.5}, q[7] = {0};
    dv_rigid3_store(dv_rigid3_load(p), q);
    assert_memory_equal(p, q, sizeof p);
    double d[6] = {1, 1, 1, 1, 1, 1};
    dv_rigid3_deriv_accumulate(dv_rigid3_deriv_load(p), d);
    dv_rigid3_deriv_store(dv_rigid3_deriv_load(d), q);
    assert_close(q[2], 4.0, 0.0);
    assert_close(q[4], 0.5, 0.0);
    dv_rigid3_store(dv_rigid3_identity(), q);
    assert_close(q[6], 1.0, 0.0);
}

static void interpolated_bodies_turn_by_their_share_of_the_angle(void **state)
{
    (void)state;
    double bodies[3 * 7];
    const DvVec3 axis = dv_vec3_normalize(dv_vec3(1, 2, -1));
    const double angle[3] = {0.4, 0.0, 1.2};
    for (int i = 0; i < 3; i++)
        dv_rigid3_store(dv_rigid3(dv_vec3(i, 0, 2 * i), dv_quat_from_axis_angle(axis, angle[i])), bodies + 7 * i);
    const uint32_t index[2] = {2, 0};
    const double weight[2] = {0.75, 0.25};
    const DvRigid3 two = dv_rigid3_interpolate(bodies, index, weight, 2);
    assert_vec3(two.center, dv_vec3(1.5, 0, 3), 1e-15);
    assert_quat(two.orientation, dv_quat_from_axis_angle(axis, 1.0), 1e-14);
    const DvRigid3 all = dv_rigid3_interpolate(bodies, NULL, NULL, 3);
    assert_vec3(all.center, dv_vec3(1, 0, 2), 1e-15);
    assert_quat(all.orientation, dv_quat_from_axis_angle(axis, 1.6 / 3), 1e-14);
}

static void plane_bodies_differ_by_less_than_a_turn(void **state)
{
    (void)state;
    const double p[6] = {1, 2, 3.0, 0, 0, -3.0};
    double q[3];
    const DvRigid2 d = dv_rigid2_difference(dv_rigid2_load(p), dv_rigid2_load(p + 3));
    assert_close(d.angle, 6.0 - 2 * DV_PI, 1e-15);
    dv_rigid2_store(d, q);
    assert_close(q[0], 1.0, 0.0);
    assert_close(q[1], 2.0, 0.0);
    const double quarter[3] = {1, 2, DV_PI / 2};
    const DvVec2 world = dv_rigid2_to_world(dv_rigid2_load(quarter), dv_vec2(3, 0));
    assert_close(world.x, 1.0, 1e-15);
    assert_close(world.y, 5.0, 1e-15);
}

static void eigenvectors_diagonalise_and_eigenvalues_are_roots(void **state)
{
    (void)state;
    for (int n = 0; n < SAMPLES; n++) {
        const DvMat3 s = dv_mat3_symmetric_part(random_mat3());
        DvMat3 v;
        const DvVec3 e = dv_sym3_eigen(s, &v);
        assert_proper_rotation(v, 1e-14);
        assert_mat3(dv_mat3_mul(s, v), dv_mat3_mul(v, dv_mat3_diagonal(e)), 1e-14);
        /* The characteristic polynomial: trace, sum of principal minors, determinant. */
        assert_close(e.x + e.y + e.z, dv_mat3_trace(s), 1e-14);
        assert_close(e.x * e.y + e.y * e.z + e.z * e.x, dv_mat3_trace(dv_mat3_cofactor(s)), 1e-14);
        assert_close(e.x * e.y * e.z, dv_mat3_det(s), 1e-14);
    }
}

static void small_eigenvalues_of_graded_matrices_keep_their_digits(void **state)
{
    (void)state;
    /* D A D with A = tridiagonal(1/4, 1, 1/4) and D = diag(1, 1e-6, 1e-12): the determinant is (7/8) 1e-36. */
    const DvMat3 s = {{{1, 0.25e-6, 0}, {0.25e-6, 1e-12, 0.25e-18}, {0, 0.25e-18, 1e-24}}};
    DvMat3 v;
    const DvVec3 e = dv_sym3_eigen(s, &v);
    assert_close(e.x * e.y * e.z / 0.875e-36, 1.0, 1e-14);
    /* The smallest eigenvalue is, to leading order, the ratio of leading minors: (7/8) / (15/16) 1e-24. */
    assert_close(fmin(e.x, fmin(e.y, e.z)) / 1e-24, 0.875 / 0.9375, 1e-10);
}

static void equal_eigenvalues_and_diagonal_matrices_need_no_rotation(void **state)
{
    (void)state;
    DvMat3 v;
    DvVec3 e = dv_sym3_eigen(dv_mat3_identity(), &v);
    assert_vec3(e, dv_vec3(1, 1, 1), 0.0);
    assert_mat3(v, dv_mat3_identity(), 0.0);
    /* I + u u^T has the eigenvalues 1, 1 and 1 + |u|^2. */
    const DvVec3 u = dv_vec3(1, -1, 2);
    e = dv_sym3_eigen(dv_mat3_add(dv_mat3_identity(), dv_mat3_outer(u, u)), &v);
    assert_close(fmax(e.x, fmax(e.y, e.z)), 7.0, 1e-14);
    assert_close(fmin(e.x, fmin(e.y, e.z)), 1.0, 1e-14);
    assert_close(e.x + e.y + e.z, 9.0, 1e-14);
    /* A zero diagonal, where the relative test has nothing to compare with: eigenvalues -1, -1, 2. */
    const DvMat3 ring = {{{0, 1, 1}, {1, 0, 1}, {1, 1, 0}}};
    e = dv_sym3_eigen(ring, &v);
    assert_close(fmax(e.x, fmax(e.y, e.z)), 2.0, 1e-14);
    assert_close(e.x * e.y * e.z, 2.0, 1e-14);
}

static void the_negative_part_is_the_closest_semidefinite_matrix(void **state)
{
    (void)state;
    for (int n = 0; n < SAMPLES; n++) {
        const DvMat3 s = dv_mat3_symmetric_part(random_mat3());
        const DvMat3 negative = dv_sym3_negative_part(s);
        const DvMat3 rest = dv_mat3_sub(s, negative);
        DvMat3 v;
        const DvVec3 e = dv_sym3_eigen(negative, &v), f = dv_sym3_eigen(rest, &v);
        assert_true(fmax(e.x, fmax(e.y, e.z)) <= 1e-14);
        assert_true(fmin(f.x, fmin(f.y, f.z)) >= -1e-14);
        /* The optimality condition of a projection on a cone. */
        assert_close(dv_mat3_trace(dv_mat3_mul(negative, rest)), 0.0, 1e-14);
    }
    const DvMat3 definite = {{{-2, 0.5, 0}, {0.5, -3, 0.1}, {0, 0.1, -1}}};
    assert_mat3(dv_sym3_negative_part(definite), definite, 0.0);
}

static void singular_values_rebuild_the_matrix(void **state)
{
    (void)state;
    for (int n = 0; n < SAMPLES; n++) {
        const DvMat3 a = random_mat3();
        DvMat3 u, v;
        const DvVec3 s = dv_svd3(a, &u, &v);
        const double smallest = fmin(fabs(s.x), fmin(fabs(s.y), fabs(s.z)));
        if (smallest < 1e-3)
            continue; /* close to what counts as 0 */
        assert_proper_rotation(u, 1e-14 / (smallest * smallest));
        assert_proper_rotation(v, 1e-14);
        assert_mat3(dv_mat3_mul_transposed(dv_mat3_mul(u, dv_mat3_diagonal(s)), v), a, 1e-14 / smallest);
        assert_true((s.x * s.y * s.z < 0.0) == (dv_mat3_det(a) < 0.0));
    }
}

/* What makes q the rotation of a: q^T a symmetric, orthogonal q, and no other rotation nearer. */
static void assert_polar_factor(DvMat3 a, DvMat3 q, double tolerance)
{
    const DvMat3 stretch = dv_mat3_transposed_mul(q, a);
    assert_mat3(dv_mat3_transposed_mul(q, q), dv_mat3_identity(), tolerance);
    assert_mat3(stretch, dv_mat3_transpose(stretch), tolerance);
}

static void polar_gives_the_closest_orthogonal_matrix(void **state)
{
    (void)state;
    int reflections = 0;
    for (int n = 0; n < SAMPLES; n++) {
        const DvMat3 a = random_mat3();
        const double det = dv_mat3_det(a);
        if (fabs(det) < 1e-3)
            continue;
        DvMat3 q;
        assert_true(dv_polar(a, &q));
        assert_polar_factor(a, q, 1e-12);
        assert_close(dv_mat3_det(q), copysign(1.0, det), 1e-12);
        reflections += det < 0.0;
        /* The stretch is positive definite: all its leading minors are. */
        const DvMat3 stretch = dv_mat3_transposed_mul(q, a);
        assert_true(stretch.m[0][0] > 0.0 && dv_mat3_cofactor(stretch).m[2][2] > 0.0 && dv_mat3_det(stretch) > 0.0);
        /* Rotations nearby are farther away. */
        const double distance = dv_mat3_norm(dv_mat3_sub(a, q));
        for (int k = 0; k < 5; k++) {
            const DvMat3 turn = dv_quat_to_matrix(dv_quat_from_increment(dv_vec3_scale(random_vec3(), 0.1)));
            assert_true(dv_mat3_norm(dv_mat3_sub(a, dv_mat3_mul(turn, q))) >= distance - 1e-12);
        }
    }
    assert_true(reflections > SAMPLES / 4);
}

static void polar_takes_any_scale_and_refuses_singular_matrices(void **state)
{
    (void)state;
    const DvMat3 r = dv_quat_to_matrix(random_rotation());
    const DvMat3 stretch = {{{2, 0.3, 0}, {0.3, 1, -0.2}, {0, -0.2, 0.5}}};
    DvMat3 q;
    for (double scale = 1e-40; scale < 1e41; scale *= 1e10) {
        assert_true(dv_polar(dv_mat3_scale(dv_mat3_mul(r, stretch), scale), &q));
        assert_mat3(q, r, 1e-13);
    }
    assert_false(dv_polar(dv_mat3_diagonal(dv_vec3(1, 1, 0)), &q));
    assert_false(dv_polar(dv_mat3_zero(), &q));
    /* A matrix of NaN ends too. */
    assert_true(dv_polar(dv_mat3_scale(stretch, NAN), &q));
    assert_true(isnan(q.m[0][0]));
}

static void stable_polar_is_polar_where_that_is_a_rotation(void **state)
{
    (void)state;
    for (int n = 0; n < SAMPLES; n++) {
        DvMat3 a = random_mat3(), q;
        if (dv_mat3_det(a) < 0.0)
            a = dv_mat3_scale(a, -1.0);
        if (dv_mat3_det(a) < 1e-2)
            continue;
        assert_true(dv_polar(a, &q));
        assert_mat3(dv_polar_stable(a), q, 1e-10);
    }
}

static void stable_polar_of_an_inverted_matrix_flips_its_least_stretch(void **state)
{
    (void)state;
    for (int n = 0; n < SAMPLES; n++) {
        const DvMat3 r = dv_quat_to_matrix(random_rotation()), v = dv_quat_to_matrix(random_rotation());
        /* r v diag(3, -0.5, 2) v^T: the rotation is r. */
        const DvMat3 s = dv_mat3_mul_transposed(dv_mat3_mul(v, dv_mat3_diagonal(dv_vec3(3, -0.5, 2))), v);
        assert_mat3(dv_polar_stable(dv_mat3_mul(r, s)), r, 1e-12);
    }
}

static void stable_polar_completes_flat_needle_like_and_vanished_elements(void **state)
{
    (void)state;
    for (int n = 0; n < SAMPLES; n++) {
        const DvMat3 r = dv_quat_to_matrix(random_rotation()), v = dv_quat_to_matrix(random_rotation());
        const DvMat3 flat = dv_mat3_mul_transposed(dv_mat3_mul(v, dv_mat3_diagonal(dv_vec3(0, 2, 1))), v);
        assert_mat3(dv_polar_stable(dv_mat3_mul(r, flat)), r, 1e-11);
        const DvMat3 needle = dv_mat3_mul_transposed(dv_mat3_mul(v, dv_mat3_diagonal(dv_vec3(0, 0, 3))), v);
        const DvMat3 q = dv_polar_stable(dv_mat3_mul(r, needle));
        assert_proper_rotation(q, 1e-12);
        /* The one direction that is left goes where the element takes it. */
        assert_vec3(dv_mat3_mul_vec(q, dv_mat3_column(v, 2)), dv_mat3_mul_vec(r, dv_mat3_column(v, 2)), 1e-12);
    }
    assert_mat3(dv_polar_stable(dv_mat3_zero()), dv_mat3_identity(), 0.0);
    assert_mat3(dv_polar_stable(dv_mat3_scale(random_mat3(), 1e-6)), dv_mat3_identity(), 1e-14);
}

static void plane_polar_agrees_with_the_best_angle_by_search(void **state)
{
    (void)state;
    for (int n = 0; n < 50; n++) {
        double a[4], q[4];
        for (int k = 0; k < 4; k++)
            a[k] = uniform();
        dv_polar_2x2(a, q);
        const double sign = a[0] * a[3] - a[1] * a[2] < 0.0 ? -1.0 : 1.0;
        assert_close(q[0] * q[3] - q[1] * q[2], sign, 1e-14);
        assert_close(q[0] * q[1] + q[2] * q[3], 0.0, 1e-14);
        assert_close(q[0] * a[1] + q[2] * a[3], q[1] * a[0] + q[3] * a[2], 1e-14);
        double best = -INFINITY;
        for (int k = 0; k < 1000; k++) {
            const double c = cos(2 * DV_PI * k / 1000), s = sin(2 * DV_PI * k / 1000);
            best = fmax(best, c * a[0] - sign * s * a[1] + s * a[2] + sign * c * a[3]);
        }
        assert_true(q[0] * a[0] + q[1] * a[1] + q[2] * a[2] + q[3] * a[3] >= best - 1e-14);
    }
    const double zero[4] = {0, 0, 0, 0};
    double q[4];
    dv_polar_2x2(zero, q);
    assert_true(q[0] == 1.0 && q[1] == 0.0 && q[2] == 0.0 && q[3] == 1.0);
}

static void triangle_frames_follow_the_first_edge_and_the_normal(void **state)
{
    (void)state;
    assert_mat3(dv_frame_of_triangle(dv_vec3(1, 1, 0), dv_vec3(4, 1, 0), dv_vec3(2, 9, 0)), dv_mat3_identity(), 0.0);
    for (int n = 0; n < SAMPLES; n++) {
        const DvVec3 a = random_vec3(), b = random_vec3(), c = random_vec3();
        const DvMat3 frame = dv_frame_of_triangle(a, b, c);
        assert_proper_rotation(frame, 1e-14);
        const DvVec3 ab = dv_mat3_mul_vec(frame, dv_vec3_sub(b, a)), ac = dv_mat3_mul_vec(frame, dv_vec3_sub(c, a));
        assert_vec3(ab, dv_vec3(dv_vec3_distance(a, b), 0, 0), 1e-13);
        assert_close(ac.z, 0.0, 1e-13);
        assert_close(0.5 * ab.x * ac.y, dv_triangle_area(a, b, c), 1e-13);
        const DvVec3 d = random_vec3();
        const double height = dv_mat3_mul_vec(frame, dv_vec3_sub(d, a)).z;
        assert_close(dv_tetrahedron_volume(a, b, c, d), dv_triangle_area(a, b, c) * height / 3.0, 1e-13);
    }
}

/* The worst three of random findings are those of a sorted list, whatever their order, and equals keep theirs. */
static void worst_of_many(void **state)
{
    (void)state;
    for (int sample = 0; sample < SAMPLES; sample++) {
        DvWorst worst = {0};
        double badness[8];
        const uint32_t count = (uint32_t)(sample % 9);
        for (uint32_t i = 0; i < count; i++) {
            badness[i] = (double)(int)(3 * uniform()) + 3;
            dv_worst_add(&worst, i, badness[i]);
        }
        assert_int_equal(worst.count, count);
        uint32_t before[DV_WORST_KEPT];
        for (uint32_t place = 0; place < count && place < DV_WORST_KEPT; place++) {
            uint32_t best = count;
            for (uint32_t i = 0; i < count; i++) {
                bool taken = false;
                for (uint32_t k = 0; k < place; k++)
                    taken |= before[k] == i;
                if (!taken && (best == count || badness[i] > badness[best]))
                    best = i;
            }
            assert_true(best < count);
            before[place] = best;
            assert_int_equal(worst.index[place], best);
            assert_true(worst.badness[place] == badness[best]);
        }
    }
    char text[DV_WORST_TEXT];
    DvWorst worst = {0};
    assert_string_equal(dv_worst_text(&worst, text), "");
    dv_worst_add(&worst, 7, 0.25);
    dv_worst_add(&worst, 9, 0.5);
    assert_string_equal(dv_worst_text(&worst, text), "9 (0.5), 7 (0.25)");
    dv_worst_add(&worst, 4000000000u, 1e300);
    dv_worst_add(&worst, 1, 0.1);
    assert_string_equal(dv_worst_text(&worst, text), "4000000000 (1e+300), 9 (0.5), 7 (0.25), ...");
    worst = (DvWorst){0};
    dv_worst_add(&worst, 2, 0);
    dv_worst_add(&worst, 1, 0);
    assert_string_equal(dv_worst_text(&worst, text), "2, 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_obey_the_identities_of_dot_and_cross),
        cmocka_unit_test(vectors_without_a_direction_stay_as_they_are),
        cmocka_unit_test(load_store_and_accumulate_move_one_vector_of_an_array),
        cmocka_unit_test(plane_vectors_turn_counter_clockwise),
        cmocka_unit_test(matrix_products_agree_with_each_other),
        cmocka_unit_test(the_inverse_undoes_and_the_determinant_multiplies),
        cmocka_unit_test(matrix_norms_are_the_largest_column_and_row_sums),
        cmocka_unit_test(the_units_multiply_as_hamilton_carved_them),
        cmocka_unit_test(quaternions_and_matrices_rotate_alike),
        cmocka_unit_test(half_turns_come_back_from_their_matrices),
        cmocka_unit_test(quaternions_of_other_lengths_keep_the_conventions_of_scenes),
        cmocka_unit_test(euler_angles_turn_about_x_then_y_then_z),
        cmocka_unit_test(rotation_vectors_are_the_logarithm_of_the_exponential),
        cmocka_unit_test(the_smallest_rotations_have_defined_axes),
        cmocka_unit_test(slerp_turns_at_constant_speed),
        cmocka_unit_test(a_body_at_constant_angular_velocity_turns_by_the_exponential),
        cmocka_unit_test(the_difference_of_two_bodies_takes_one_to_the_other),
        cmocka_unit_test(the_power_of_a_force_at_a_lever_is_that_of_its_wrench),
        cmocka_unit_test(bodies_move_between_values_and_arrays),
        cmocka_unit_test(interpolated_bodies_turn_by_their_share_of_the_angle),
        cmocka_unit_test(plane_bodies_differ_by_less_than_a_turn),
        cmocka_unit_test(eigenvectors_diagonalise_and_eigenvalues_are_roots),
        cmocka_unit_test(small_eigenvalues_of_graded_matrices_keep_their_digits),
        cmocka_unit_test(equal_eigenvalues_and_diagonal_matrices_need_no_rotation),
        cmocka_unit_test(the_negative_part_is_the_closest_semidefinite_matrix),
        cmocka_unit_test(singular_values_rebuild_the_matrix),
        cmocka_unit_test(polar_gives_the_closest_orthogonal_matrix),
        cmocka_unit_test(polar_takes_any_scale_and_refuses_singular_matrices),
        cmocka_unit_test(stable_polar_is_polar_where_that_is_a_rotation),
        cmocka_unit_test(stable_polar_of_an_inverted_matrix_flips_its_least_stretch),
        cmocka_unit_test(stable_polar_completes_flat_needle_like_and_vanished_elements),
        cmocka_unit_test(plane_polar_agrees_with_the_best_angle_by_search),
        cmocka_unit_test(triangle_frames_follow_the_first_edge_and_the_normal),
        cmocka_unit_test(worst_of_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
