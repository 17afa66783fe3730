/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Decompositions of 3 x 3 matrices: symmetric eigenvalues, singular values, and the rotation of a deformation.
 *
 * Three ways to find the rotation of an element, with their limits:
 *   dv_frame_of_triangle   cheap, but follows one edge: anisotropic
 *   dv_polar               the closest orthogonal matrix; a reflection when the element is inverted
 *   dv_polar_stable        always a proper rotation, of flat, needle-like and inverted elements too; the dearest
 */
#ifndef DIVAN_MATH_DECOMPOSE_H
#define DIVAN_MATH_DECOMPOSE_H

#include <divan/math/mat.h>
#include <stdbool.h>

/* Eigenvalues, in no order, and unit eigenvectors (columns) of a symmetric matrix: values and vectors correspond.
 * Cyclic Jacobi rotations, with the stopping test of Demmel and Veselic, Jacobi's method is more accurate than QR,
 * SIAM J. Matrix Anal. 13(4), 1992: small eigenvalues of a definite matrix keep their digits. The columns form a
 * proper rotation. Reads all nine entries; a matrix that holds NaN gives NaN. */
static inline DvVec3 dv_sym3_eigen(DvMat3 a, DvMat3 *vectors)
{
    DvMat3 v = dv_mat3_identity();
    bool rotated = true;
    for (int sweep = 0; rotated && sweep < 32; sweep++) {
        rotated = false;
        for (int pair = 0; pair < 3; pair++) {
            const int p = pair == 2 ? 1 : 0, q = pair == 0 ? 1 : 2, r = 3 - p - q;
            if (!(fabs(a.m[p][q]) > DBL_EPSILON * sqrt(fabs(a.m[p][p]) * fabs(a.m[q][q]))))
                continue;
            rotated = true;
            const double tau = (a.m[q][q] - a.m[p][p]) / (2.0 * a.m[p][q]);
            const double t = copysign(1.0, tau) / (fabs(tau) + sqrt(1.0 + tau * tau));
            const double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
            a.m[p][p] -= t * a.m[p][q];
            a.m[q][q] += t * a.m[p][q];
            a.m[p][q] = a.m[q][p] = 0.0;
            const double arp = a.m[r][p], arq = a.m[r][q];
            a.m[r][p] = a.m[p][r] = c * arp - s * arq;
            a.m[r][q] = a.m[q][r] = s * arp + c * arq;
            for (int k = 0; k < 3; k++) {
                const double vkp = v.m[k][p], vkq = v.m[k][q];
                v.m[k][p] = c * vkp - s * vkq;
                v.m[k][q] = s * vkp + c * vkq;
            }
        }
    }
    *vectors = v;
    return dv_vec3(a.m[0][0], a.m[1][1], a.m[2][2]);
}

/* The closest negative semi-definite matrix to a symmetric one: positive eigenvalues become 0. A matrix that has none
 * comes back bit for bit. Higham, Linear Algebra Appl. 103, 1988. */
static inline DvMat3 dv_sym3_negative_part(DvMat3 a)
{
    DvMat3 v;
    const DvVec3 e = dv_sym3_eigen(a, &v);
    if (!(e.x > 0.0 || e.y > 0.0 || e.z > 0.0))
        return a;
    const DvMat3 d = dv_mat3_diagonal(dv_vec3(fmin(e.x, 0.0), fmin(e.y, 0.0), fmin(e.z, 0.0)));
    return dv_mat3_mul_transposed(dv_mat3_mul(v, d), v);
}

/* Singular values s and proper rotations U, V with a = U diag(s) V^T, from the eigenvectors of a^T a.
 * An inverted matrix (negative determinant) has its smallest s negative. Values below 1e-4 become 0: the columns of U
 * that they leave open complete a right-handed basis, and U V^T is the identity when all three are open.
 * Irving, Teran and Fedkiw, Invertible finite elements, SCA 2004, section 5. */
static inline DvVec3 dv_svd3(DvMat3 a, DvMat3 *u_out, DvMat3 *v_out)
{
    DvMat3 v;
    const DvVec3 eigen = dv_sym3_eigen(dv_mat3_transposed_mul(a, a), &v);
    double s[3] = {eigen.x, eigen.y, eigen.z};
    DvMat3 u = dv_mat3_mul(a, v);
    int open = 0;
    for (int k = 0; k < 3; k++) {
        if (s[k] < 1e-8) {
            open++;
            s[k] = 0.0;
        } else {
            s[k] = sqrt(s[k]);
            u = dv_mat3_with_column(u, k, dv_vec3_scale(dv_mat3_column(u, k), 1.0 / s[k]));
        }
    }

    /* low, mid, high: the indices of the singular values in ascending order. */
    int low = 0, mid = 1, high = 2, swap;
    if (s[mid] < s[low]) {
        swap = low;
        low = mid;
        mid = swap;
    }
    if (s[high] < s[low]) {
        swap = low;
        low = high;
        high = swap;
    }
    if (s[high] < s[mid]) {
        swap = mid;
        mid = high;
        high = swap;
    }

    if (open == 3)
        u = v;
    if (open == 2) {
        const DvVec3 w = dv_mat3_column(u, high);
        const DvVec3 axis = fabs(w.x) <= fabs(w.y) && fabs(w.x) <= fabs(w.z) ? dv_vec3(1.0, 0.0, 0.0)
                            : fabs(w.y) <= fabs(w.z)                         ? dv_vec3(0.0, 1.0, 0.0)
                                                                             : dv_vec3(0.0, 0.0, 1.0);
        u = dv_mat3_with_column(u, mid, dv_vec3_normalize(dv_vec3_cross(axis, w)));
    }
    if (open == 1 || open == 2)
        u = dv_mat3_with_column(u, low,
                                dv_vec3_normalize(dv_vec3_cross(dv_mat3_column(u, mid), dv_mat3_column(u, high))));
    if (dv_mat3_det(u) < 0.0) {
        u = dv_mat3_with_column(u, low, dv_vec3_neg(dv_mat3_column(u, low)));
        s[low] = -s[low];
    }
    *u_out = u;
    *v_out = v;
    return dv_vec3(s[0], s[1], s[2]);
}

/* The proper rotation U V^T of dv_svd3. */
static inline DvMat3 dv_polar_stable(DvMat3 a)
{
    DvMat3 u, v;
    dv_svd3(a, &u, &v);
    return dv_mat3_mul_transposed(u, v);
}

/* The orthogonal factor q of a = q s, s symmetric positive semi-definite: q = a (a^T a)^(-1/2); a reflection if det a < 0.
 * Scaled Newton iteration, until a step changes the matrix by less than 1e-8 (its error is then about the square of
 * that): Higham, SIAM J. Sci. Stat. Comput. 7(4), 1986, section 3. Returns false if a matrix of the iteration is
 * singular; *q is then the last one and no rotation. */
static inline bool dv_polar(DvMat3 a, DvMat3 *q)
{
    DvMat3 m = dv_mat3_transpose(a);
    bool regular = true;
    /* From condition 1e16 the scaled iteration needs about ten steps; the bound stops matrices that hold NaN. */
    for (int step = 0; step < 64; step++) {
        const DvMat3 adjugate = dv_mat3_cofactor(m);
        const double det = dv_vec3_dot(dv_mat3_row(m, 0), dv_mat3_row(adjugate, 0));
        if (det == 0.0) {
            regular = false;
            break;
        }
        const double ratio = dv_mat3_norm_one(adjugate) * dv_mat3_norm_infinity(adjugate) /
                             (dv_mat3_norm_one(m) * dv_mat3_norm_infinity(m));
        const double gamma = sqrt(sqrt(ratio) / fabs(det));
        const DvMat3 next = dv_mat3_madd(dv_mat3_scale(m, 0.5 * gamma), 0.5 / (gamma * det), adjugate);
        const double change = dv_mat3_norm_one(dv_mat3_sub(next, m));
        m = next;
        if (change <= 1e-8 * dv_mat3_norm_one(next))
            break;
    }
    *q = dv_mat3_transpose(m);
    return regular;
}

/* The same in the plane, in closed form; a reflection when det a < 0, the identity when a has no closest rotation.
 *   a, q: 2 x 2, row-major; may be the same array. */
static inline void dv_polar_2x2(const double a[4], double q[4])
{
    const double sign = a[0] * a[3] - a[1] * a[2] < 0.0 ? -1.0 : 1.0;
    const double r00 = a[0] + sign * a[3], r01 = a[1] - sign * a[2];
    const double r10 = a[2] - sign * a[1], r11 = a[3] + sign * a[0];
    const double n0 = sqrt(r00 * r00 + r10 * r10), n1 = sqrt(r01 * r01 + r11 * r11);
    const bool defined = n0 > 0.0 && n1 > 0.0;
    q[0] = defined ? r00 / n0 : 1.0;
    q[1] = defined ? r01 / n1 : 0.0;
    q[2] = defined ? r10 / n0 : 0.0;
    q[3] = defined ? r11 / n1 : 1.0;
}

/* The frame of a triangle: rows ex along a b, ez normal to the plane, ey = ez x ex. It takes world to local vectors,
 * its transpose local to world. Triangles without area have no frame: the rows are then not of unit length.
 * Nesme, Payan and Faure, Efficient, physically plausible finite elements, Eurographics 2005. */
static inline DvMat3 dv_frame_of_triangle(DvVec3 a, DvVec3 b, DvVec3 c)
{
    const DvVec3 ex = dv_vec3_normalize(dv_vec3_sub(b, a));
    const DvVec3 ez = dv_vec3_normalize(dv_vec3_cross(ex, dv_vec3_sub(c, a)));
    return dv_mat3_from_rows(ex, dv_vec3_cross(ez, ex), ez);
}

/* Signed volume of a tetrahedron: positive when a, b, c turn counter-clockwise seen from d. */
static inline double dv_tetrahedron_volume(DvVec3 a, DvVec3 b, DvVec3 c, DvVec3 d)
{
    const DvVec3 normal = dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(c, a));
    return dv_vec3_dot(normal, dv_vec3_sub(d, a)) / 6.0;
}

/* Area of a triangle. */
static inline double dv_triangle_area(DvVec3 a, DvVec3 b, DvVec3 c)
{
    return 0.5 * dv_vec3_norm(dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(c, a)));
}

#endif
