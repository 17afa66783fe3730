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

#include "grid/box_surface.h"
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
        DvIndexArray list = {0};
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
        dv_array_free(&list);
    }
}

static void quads_are_unit_squares_normal_to_z_then_y_then_x(void **state)
{
    (void)state;
    for (int s = 0; s < SIZES; s++) {
        const uint32_t *n = sizes[s];
        DvIndexArray list = {0};
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
        DvIndexArray triangles = {0};
        grid_triangles(list.data, list.count / 4, &triangles);
        assert_int_equal(triangles.count / 3, list.count / 2);
        for (uint32_t i = 0; i < list.count / 4; i++) {
            const uint32_t *q = list.data + 4 * (size_t)i, expected[6] = {q[0], q[1], q[2], q[0], q[2], q[3]};
            assert_memory_equal(triangles.data + 6 * (size_t)i, expected, sizeof expected);
        }
        dv_array_free(&triangles);
        dv_array_free(&list);
    }
}

static void edges_run_along_x_then_y_then_z(void **state)
{
    (void)state;
    for (int s = 0; s < SIZES; s++) {
        const uint32_t *n = sizes[s];
        DvIndexArray list = {0};
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
        dv_array_free(&list);
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

/* ---- Surfaces of blocks ---- */

typedef struct Place {
    uint32_t at[3];
    int face; /* 2 axis + (1 at the far end); of points that faces share FACES */
} Place;

enum { FACES = 6, MOST_PLACES = 400 };

static bool lies_on(const uint32_t n[3], const uint32_t at[3], int face)
{
    return at[face / 2] == (face % 2 ? n[face / 2] - 1 : 0);
}

/* All points in the order of their numbers. */
static uint32_t list_places(const BoxSurface *box, Place *places)
{
    const uint32_t *n = box->n;
    uint32_t count = 0;
    if (box->numbers == BOX_SPLIT_POINTS) { /* faces at the near end, then at the far one; each row by row */
        for (uint32_t far = 0; far < 2; far++)
            for (uint32_t axis = 0; axis < 3; axis++)
                for (uint32_t z = 0; z < n[2]; z++)
                    for (uint32_t y = 0; y < n[1]; y++)
                        for (uint32_t x = 0; x < n[0]; x++) {
                            const Place place = {{x, y, z}, (int)(2 * axis + far)};
                            if (lies_on(n, place.at, place.face))
                                places[count++] = place;
                        }
        return count;
    }
    for (uint32_t pass = 0; pass < 3; pass++) { /* both ends of z, then what is between */
        for (uint32_t z = 0; z < n[2]; z++) {
            const bool end = z == 0 || z + 1 == n[2];
            if (box->numbers == BOX_ALL_POINTS ? pass > 0 : pass == 0 ? z > 0 : pass == 1 ? z + 1 < n[2] : end)
                continue;
            for (uint32_t part = 0; part < 3; part++) /* of a rim: both ends of y, then those of x */
                for (uint32_t k = 0; k < n[0] * n[1]; k++) {
                    const uint32_t x = k % n[0], y = k / n[0];
                    const bool rim = y == 0 || y + 1 == n[1];
                    const uint32_t of = pass < 2 || rim ? 0 : x == 0 ? 1 : x + 1 == n[0] ? 2 : 3;
                    if (of == part)
                        places[count++] = (Place){{x, y, z}, FACES};
                }
        }
    }
    return count;
}

/* A point as a corner of a face. */
static uint32_t number_of(const Place *places, uint32_t count, const uint32_t at[3], int face)
{
    for (uint32_t i = 0; i < count; i++)
        if (memcmp(places[i].at, at, sizeof places[i].at) == 0 && (places[i].face == FACES || places[i].face == face))
            return i;
    fail();
    return 0;
}

static void check_surface(const BoxSurface *box)
{
    const uint32_t *n = box->n;
    static Place places[MOST_PLACES];
    static uint32_t found[MOST_PLACES][3];
    const uint32_t count = list_places(box, places);
    assert_int_equal(box_surface_points(box), count);
    box_surface_places(box, found);
    for (uint32_t i = 0; i < count; i++)
        assert_memory_equal(found[i], places[i].at, sizeof found[i]);

    DvIndexArray edges = {0}, quads = {0};
    box_surface_edges(box, &edges);
    uint32_t next = 0;
    for (uint32_t k = 0; k < 3 * n[0] * n[1] * n[2]; k++) {
        const uint32_t axis = k % 3, x = k / 3 % n[0], y = k / 3 / n[0] % n[1], z = k / 3 / n[0] / n[1];
        const uint32_t from[3] = {x, y, z};
        uint32_t to[3] = {x, y, z};
        int face[2] = {FACES, FACES}; /* the first that each end lies on */
        bool along = false;           /* a face */
        to[axis]++;
        for (int f = FACES - 1; f >= 0; f--) {
            along = along || (f / 2 != (int)axis && lies_on(n, from, f));
            face[0] = lies_on(n, from, f) ? f : face[0];
            face[1] = lies_on(n, to, f) ? f : face[1];
        }
        if (to[axis] == n[axis] || !along)
            continue;
        assert_true(next + 1 < edges.count);
        assert_int_equal(edges.data[next++], number_of(places, count, from, face[0]));
        assert_int_equal(edges.data[next++], number_of(places, count, to, face[1]));
    }
    assert_int_equal(next, edges.count);

    box_surface_quads(box, &quads);
    const uint32_t of_face[3] = {(n[1] - 1) * (n[2] - 1), (n[0] - 1) * (n[2] - 1), (n[0] - 1) * (n[1] - 1)};
    assert_int_equal(quads.count, 8 * (of_face[0] + of_face[1] + of_face[2]));
    next = 0;
    for (int axis = 2; axis >= 0; axis--)
        for (int far = 0; far < 2; far++)
            for (uint32_t i = 0; i < of_face[axis]; i++, next += 4) {
                const int u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2; /* u is the faster one */
                uint32_t first[3];
                first[axis] = far ? n[axis] - 1 : 0;
                first[u] = i % (n[u] - 1);
                first[v] = i / (n[u] - 1);
                int32_t side[2][3];
                for (int j = 0; j < 4; j++) {
                    const uint32_t number = quads.data[next + (uint32_t)j];
                    assert_true(number < count);
                    const Place *place = &places[number];
                    assert_true(place->face == FACES || place->face == 2 * axis + far);
                    for (int c = 0; c < 3; c++) {
                        assert_true(place->at[c] >= first[c] && place->at[c] <= first[c] + (c != axis));
                        assert_true(j > 0 || place->at[c] == first[c]);
                        if (j == 1 || j == 3)
                            side[j / 2][c] = (int32_t)place->at[c] - (int32_t)first[c];
                        else if (j == 2)
                            assert_int_equal(place->at[c], first[c] + (c != axis));
                    }
                }
                for (int c = 0; c < 3; c++) /* outward */
                    assert_int_equal(side[0][(c + 1) % 3] * side[1][(c + 2) % 3] -
                                         side[0][(c + 2) % 3] * side[1][(c + 1) % 3],
                                     c != axis ? 0
                                     : far     ? 1
                                               : -1);
            }
    dv_array_free(&edges);
    dv_array_free(&quads);
}

static void surfaces_of_blocks_have_points_edges_and_quads_in_order(void **state)
{
    (void)state;
    static const uint32_t blocks[][3] = {{4, 3, 5}, {2, 2, 2}, {3, 6, 2}, {2, 5, 4}, {6, 4, 3}};
    static const BoxNumbers numbers[] = {BOX_SURFACE_POINTS, BOX_ALL_POINTS, BOX_SPLIT_POINTS};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        for (int k = 0; k < 3; k++)
            check_surface(&(BoxSurface){{blocks[i][0], blocks[i][1], blocks[i][2]}, numbers[k]});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cell_is_a_hexahedron_with_corners_in_order),
        cmocka_unit_test(quads_are_unit_squares_normal_to_z_then_y_then_x),
        cmocka_unit_test(edges_run_along_x_then_y_then_z),
        cmocka_unit_test(texture_coordinates_span_the_faces),
        cmocka_unit_test(surfaces_of_blocks_have_points_edges_and_quads_in_order),
    };
    return cmocka_run_group_tests_name("grids", tests, NULL, NULL);
}
