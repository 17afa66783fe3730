/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements of blocks of points: numbers of elements in closed form, their geometry from the coordinates of their
 * corners.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "grid/grid.h"
#include <string.h>

static const uint32_t sizes[][3] = {{2, 2, 2}, {4, 3, 5}, {5, 1, 3}, {1, 1, 7}, {1, 1, 1}, {3, 4, 1}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void corner_at(const uint32_t n[3], uint32_t point, int32_t at[3])
{
    at[0] = (int32_t)(point % n[0]);
    at[1] = (int32_t)(point / n[0] % n[1]);
    at[2] = (int32_t)(point / (n[0] * n[1]));
}

static void every_cell_is_a_hexahedron_with_corners_in_order(void **state)
{
    (void)state;
    static const int32_t offset[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                         {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    for (int s = 0; s < SIZES; s++) {
        const uint32_t *n = sizes[s];
        IndexArray list = {0};
        grid_hexahedra(n, &list);
        assert_int_equal(list.count, 8 * (n[0] - 1) * (n[1] - 1) * (n[2] - 1));
        const uint32_t *hexahedron = list.data;
        for (uint32_t z = 0; z + 1 < n[2]; z++)
            for (uint32_t y = 0; y + 1 < n[1]; y++)
                for (uint32_t x = 0; x + 1 < n[0]; x++, hexahedron += 8)
                    for (int j = 0; j < 8; j++) {
                        int32_t at[3];
                        corner_at(n, hexahedron[j], at);
                        assert_int_equal(at[0], (int32_t)x + offset[j][0]);
                        assert_int_equal(at[1], (int32_t)y + offset[j][1]);
                        assert_int_equal(at[2], (int32_t)z + offset[j][2]);
                    }
        array_free(&list);
    }
}

static void quads_are_unit_squares_normal_to_z_then_y_then_x(void **state)
{
    (void)state;
    for (int s = 0; s < SIZES; s++) {
        const uint32_t *n = sizes[s];
        IndexArray list = {0};
        grid_quads(n, &list);
        const uint32_t of_z = (n[0] - 1) * (n[1] - 1) * n[2], of_y = (n[0] - 1) * n[1] * (n[2] - 1);
        assert_int_equal(list.count, 4 * (of_z + of_y + n[0] * (n[1] - 1) * (n[2] - 1)));
        for (uint32_t i = 0; i < list.count / 4; i++) {
            const int normal = i < of_z ? 2 : i < of_z + of_y ? 1 : 0, u = normal == 0 ? 1 : 0, v = normal == 2 ? 1 : 2;
            int32_t at[4][3];
            assert_true(i == 0 || i == of_z || i == of_z + of_y || list.data[i * 4] > list.data[i * 4 - 4]);
            for (int j = 0; j < 4; j++)
                corner_at(n, list.data[i * 4 + (uint32_t)j], at[j]);
            for (int j = 0; j < 4; j++) {
                assert_int_equal(at[j][normal], at[0][normal]);
                assert_int_equal(at[j][u] - at[0][u], j == 1 || j == 2);
                assert_int_equal(at[j][v] - at[0][v], j >= 2);
            }
        }
        IndexArray triangles = {0};
        grid_triangles(list.data, list.count / 4, &triangles);
        assert_int_equal(triangles.count / 3, list.count / 2);
        if (list.count) {
            const uint32_t *q = list.data, expected[6] = {q[0], q[1], q[2], q[0], q[2], q[3]};
            assert_memory_equal(triangles.data, expected, sizeof expected);
        }
        array_free(&triangles);
        array_free(&list);
    }
}

static void edges_run_along_x_then_y_then_z(void **state)
{
    (void)state;
    for (int s = 0; s < SIZES; s++) {
        const uint32_t *n = sizes[s];
        IndexArray list = {0};
        grid_edges(n, &list);
        const uint32_t of_x = (n[0] - 1) * n[1] * n[2], of_y = n[0] * (n[1] - 1) * n[2];
        assert_int_equal(list.count / 2, of_x + of_y + n[0] * n[1] * (n[2] - 1));
        for (uint32_t i = 0; i < list.count / 2; i++) {
            const int axis = i < of_x ? 0 : i < of_x + of_y ? 1 : 2;
            int32_t a[3], b[3];
            assert_true(i == 0 || i == of_x || i == of_x + of_y || list.data[i * 2] > list.data[i * 2 - 2]);
            corner_at(n, list.data[2 * i], a);
            corner_at(n, list.data[2 * i + 1], b);
            for (int c = 0; c < 3; c++)
                assert_int_equal(b[c] - a[c], c == axis);
        }
        array_free(&list);
    }
}

/* A point of several faces has the coordinates of the first of them: across z, across y, across x. Those at the far side are mirrored,
 * within the block there are none, and a face without extent is none. */
static void texture_coordinates_span_the_faces(void **state)
{
    (void)state;
    static const uint32_t blocks[][3] = {{4, 3, 5}, {3, 3, 3}, {2, 6, 4}, {3, 2, 1}, {4, 1, 3}, {1, 3, 5}, {4, 1, 1}};
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        const uint32_t *n = blocks[b];
        double uv[2 * 64];
        for (size_t i = 0; i < sizeof uv / sizeof *uv; i++)
            uv[i] = -7;
        grid_texture_coordinates(n, uv);
        for (uint32_t point = 0; point < n[0] * n[1] * n[2]; point++) {
            int32_t at[3];
            corner_at(n, point, at);
            double share[3], expected[2] = {-7, -7};
            bool near[3], end[3];
            for (int axis = 0; axis < 3; axis++) {
                share[axis] = n[axis] > 1 ? (double)at[axis] / (n[axis] - 1) : 0;
                near[axis] = at[axis] == 0;
                end[axis] = near[axis] || at[axis] + 1 == (int32_t)n[axis];
            }
            if (end[2] && n[0] > 1 && n[1] > 1)
                memcpy(expected, (double[]){near[2] ? share[0] : 1 - share[0], near[2] ? share[1] : 1 - share[1]}, 16);
            else if (end[1] && n[0] > 1 && n[2] > 1)
                memcpy(expected, (double[]){near[1] ? share[0] : 1 - share[0], near[1] ? share[2] : 1 - share[2]}, 16);
            else if (end[0] && n[1] > 1 && n[2] > 1)
                memcpy(expected, (double[]){near[0] ? share[1] : 1 - share[1], near[0] ? share[2] : 1 - share[2]}, 16);
            assert_true(uv[2 * point] == expected[0] && uv[2 * point + 1] == expected[1]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cell_is_a_hexahedron_with_corners_in_order),
        cmocka_unit_test(quads_are_unit_squares_normal_to_z_then_y_then_x),
        cmocka_unit_test(edges_run_along_x_then_y_then_z),
        cmocka_unit_test(texture_coordinates_span_the_faces),
    };
    return cmocka_run_group_tests_name("grids", tests, NULL, NULL);
}
