/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stiffness of a linear elastic hexahedron: Gauss integration.
 */
#include "forcefield/fem/hexahedron_stiffness.h"

#include <divan/math/mat.h>

#include <string.h>

static const signed char corner[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                         {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

/* gradient[i] = derivatives of N_i by the local coordinates. */
static void shape_derivatives(const double at[3], DvVec3 gradient[8])
{
    for (int i = 0; i < 8; i++) {
        const double x = 1.0 + corner[i][0] * at[0], y = 1.0 + corner[i][1] * at[1], z = 1.0 + corner[i][2] * at[2];
        gradient[i] = dv_vec3(0.125 * corner[i][0] * y * z, 0.125 * x * corner[i][1] * z, 0.125 * x * y * corner[i][2]);
    }
}

static DvMat3 jacobian(const double node[8][3], const DvVec3 gradient[8])
{
    DvMat3 j = dv_mat3_zero();
    for (int i = 0; i < 8; i++)
        j = dv_mat3_add(j, dv_mat3_outer(dv_vec3_load(node[i]), gradient[i]));
    return j;
}

bool hexahedron_is_parallelepiped(const double node[8][3])
{
    const DvVec3 n0 = dv_vec3_load(node[0]), n1 = dv_vec3_load(node[1]), n2 = dv_vec3_load(node[2]),
                 n3 = dv_vec3_load(node[3]);
    const DvVec3 x = dv_vec3_sub(n1, n0), z = dv_vec3_sub(dv_vec3_load(node[4]), n0);
    return dv_vec3_distance(dv_vec3_add(n3, x), n2) < 0.001 * dv_vec3_norm(x) &&
           dv_vec3_distance(dv_vec3_add(n1, z), dv_vec3_load(node[5])) < 0.001 * dv_vec3_norm(z) &&
           dv_vec3_distance(dv_vec3_add(n2, z), dv_vec3_load(node[6])) < 0.001 * dv_vec3_norm(z) &&
           dv_vec3_distance(dv_vec3_add(n3, z), dv_vec3_load(node[7])) < 0.001 * dv_vec3_norm(z);
}

void hexahedron_stiffness(const double node[8][3], double lambda, double mu, double stiffness[24][24])
{
    memset(stiffness, 0, sizeof(double[24][24]));
    const bool constant = hexahedron_is_parallelepiped(node);
    const DvVec3 origin = dv_vec3_load(node[0]);
    const DvMat3 box = dv_mat3_scale(dv_mat3_from_columns(dv_vec3_sub(dv_vec3_load(node[1]), origin),
                                                          dv_vec3_sub(dv_vec3_load(node[3]), origin),
                                                          dv_vec3_sub(dv_vec3_load(node[4]), origin)),
                                     0.5);
    const double gauss = 1.0 / sqrt(3.0);
    for (int point = 0; point < 8; point++) {
        const double at[3] = {point & 4 ? gauss : -gauss, point & 2 ? gauss : -gauss, point & 1 ? gauss : -gauss};
        DvVec3 gradient[8];
        shape_derivatives(at, gradient);
        DvMat3 inverse = dv_mat3_identity();
        const double det = dv_mat3_inverse(constant ? box : jacobian(node, gradient), &inverse);
        for (int i = 0; i < 8; i++)
            gradient[i] = dv_mat3_transposed_mul_vec(inverse, gradient[i]);
        for (int i = 0; i < 8; i++)
            for (int j = i; j < 8; j++) {
                const double gi[3] = {gradient[i].x, gradient[i].y, gradient[i].z};
                const double gj[3] = {gradient[j].x, gradient[j].y, gradient[j].z};
                const double dot = mu * (gi[0] * gj[0] + gi[1] * gj[1] + gi[2] * gj[2]);
                for (int r = 0; r < 3; r++)
                    for (int c = 0; c < 3; c++)
                        stiffness[3 * i + r][3 * j + c] +=
                            (lambda * gi[r] * gj[c] + mu * gi[c] * gj[r] + (r == c ? dot : 0.0)) * det;
            }
    }
    for (int r = 0; r < 24; r++)
        for (int c = r + 1; c < 24; c++)
            stiffness[c][r] = stiffness[r][c];
}

double hexahedron_volume(const double node[8][3])
{
    const double gauss = 1.0 / sqrt(3.0);
    double volume = 0.0;
    for (int point = 0; point < 8; point++) {
        const double at[3] = {point & 4 ? gauss : -gauss, point & 2 ? gauss : -gauss, point & 1 ? gauss : -gauss};
        DvVec3 gradient[8];
        shape_derivatives(at, gradient);
        volume += dv_mat3_det(jacobian(node, gradient));
    }
    return volume;
}

static double edge_length(const double a[3], const double b[3])
{
    return sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) + (b[2] - a[2]) * (b[2] - a[2]));
}

void hexahedron_closed_stiffness(const double node[8][3], double lambda, double mu, double stiffness[24][24])
{
    const double volume =
        edge_length(node[0], node[1]) * edge_length(node[0], node[3]) * edge_length(node[0], node[4]) / 8.0;
    double jacobian[3];
    for (int k = 0; k < 3; k++)
        jacobian[k] = 2.0 / (node[6][k] - node[0][k]);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            double same[3], e[3];
            for (int k = 0; k < 3; k++)
                same[k] = corner[i][k] * corner[j][k];
            for (int k = 0; k < 3; k++)
                e[k] = same[k] / 8.0 * (1.0 + same[(k + 1) % 3] / 3.0) * (1.0 + same[(k + 2) % 3] / 3.0);
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++) {
                    const int m = 3 - k - l;
                    const double entry =
                        k == l ? (lambda + 2.0 * mu) * e[k] + mu * (e[(k + 1) % 3] + e[(k + 2) % 3])
                               : (lambda * corner[i][k] * corner[j][l] + mu * corner[i][l] * corner[j][k]) *
                                     (1.0 + same[m] / 3.0) / 8.0;
                    stiffness[3 * i + k][3 * j + l] = volume * jacobian[k] * jacobian[l] * entry;
                }
        }
}
