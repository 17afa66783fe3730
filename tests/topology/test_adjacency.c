/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Adjacency against brute force: every table is compared with one made by loops over all pairs, on random meshes of
 * tetrahedra, hexahedra, triangles and quads, with their order as docs of the tables say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "container/adjacency.h"
#include <divan/kit/tuples.h>
#include <stdlib.h>

static uint32_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (uint32_t)(*seed >> 20);
}

/* Random elements of distinct points. */
static ElementList random_elements(uint64_t seed, uint32_t count, uint32_t nodes, uint32_t points, DvIndexArray *store)
{
    dv_array_clear(store);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t begin = store->count;
        while (store->count < begin + nodes) {
            const uint32_t point = next_random(&seed) % points;
            bool used = false;
            for (uint32_t j = begin; j < store->count; j++)
                used = used || store->data[j] == point;
            if (!used)
                dv_array_push(store, point);
        }
    }
    return (ElementList){.at = store->data, .count = count, .nodes = nodes};
}

static bool same_points(const uint32_t *a, const uint32_t *b, uint32_t nodes)
{
    uint32_t left[4], right[4];
    memcpy(left, a, nodes * sizeof *a);
    memcpy(right, b, nodes * sizeof *b);
    dv_tuple_sort(nodes, left);
    dv_tuple_sort(nodes, right);
    return memcmp(left, right, nodes * sizeof *a) == 0;
}

static void part_of(ElementList elements, const PartTable *table, uint32_t element, uint32_t part, uint32_t *points)
{
    for (uint32_t k = 0; k < table->nodes; k++)
        points[k] = elements.at[element * elements.nodes + table->local[part * table->nodes + k]];
}

static uint32_t compared_arity;

/* By their values, equal ones by their places. */
static int compare_tuples(const void *a, const void *b)
{
    const uint32_t *left = *(const uint32_t *const *)a, *right = *(const uint32_t *const *)b;
    for (uint32_t c = 0; c < compared_arity; c++)
        if (left[c] != right[c])
            return left[c] < right[c] ? -1 : 1;
    return left < right ? -1 : left > right;
}

/* Some equal ones for sure. */
static void are_found_by_their_first(uint64_t *seed, uint32_t arity, uint32_t count, uint32_t bound)
{
    uint32_t *tuples = test_malloc((size_t)count * arity * sizeof *tuples), *first = test_malloc(count * sizeof *first);
    const uint32_t **sorted = test_malloc(count * sizeof *sorted);
    for (uint32_t i = 0; i < count * arity; i++)
        tuples[i] = next_random(seed) % bound * (bound > 5000 ? 4001u : 1u);
    memcpy(tuples + (size_t)arity * (count / 2), tuples, (size_t)arity * (count / 4) * sizeof *tuples);
    dv_tuples_find_first(arity, count, tuples, first);
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = tuples + (size_t)i * arity;
    compared_arity = arity;
    qsort(sorted, count, sizeof *sorted, compare_tuples);
    for (uint32_t i = 0, run = 0; i < count; i++) {
        if (memcmp(sorted[i], sorted[run], arity * sizeof *tuples) != 0)
            run = i;
        assert_int_equal(first[(size_t)(sorted[i] - tuples) / arity], (size_t)(sorted[run] - tuples) / arity);
    }
    test_free(tuples);
    test_free(first);
    test_free(sorted);
}

/* Few in a table, many in buckets, short and long, or sorted where numbers lie far apart. */
static void equal_tuples_are_found_by_their_first(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (uint32_t arity = 1; arity <= 4; arity++) {
        for (uint32_t bound = 3; bound < 1u << 31; bound *= 1021)
            are_found_by_their_first(&seed, arity, 400, bound);
        are_found_by_their_first(&seed, arity, 1 << 16, 5000);
        const uint32_t bounds[] = {3, 200, 5000, 1 << 20};
        for (size_t i = 0; i < 4; i++)
            are_found_by_their_first(&seed, arity, 80000, bounds[i]);
    }
}

static void parts_are_made_in_the_order_in_which_a_loop_meets_them(void **state)
{
    (void)state;
    const struct {
        const PartTable *table;
        uint32_t nodes;
        bool sorted;
    } cases[] = {{&triangle_edges, 3, false},
                 {&quad_edges, 4, true},
                 {&tetrahedron_edges, 4, true},
                 {&hexahedron_edges, 8, true}};
    DvIndexArray store = {0};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const ElementList elements = random_elements(c + 11, 60, cases[c].nodes, 25, &store);
        DvIndexArray expected = {0}, made = {0};
        dv_array_push(&expected, 3); /* an edge that is there already, in an order of its own */
        dv_array_push(&expected, 1);
        dv_array_push(&made, 3);
        dv_array_push(&made, 1);
        for (uint32_t element = 0; element < elements.count; element++)
            for (uint32_t part = 0; part < cases[c].table->parts; part++) {
                uint32_t edge[2];
                part_of(elements, cases[c].table, element, part, edge);
                bool known = false;
                for (uint32_t i = 0; i < expected.count && !known; i += 2)
                    known = same_points(expected.data + i, edge, 2);
                if (known)
                    continue;
                if (cases[c].sorted)
                    dv_tuple_sort(2, edge);
                dv_array_push(&expected, edge[0]);
                dv_array_push(&expected, edge[1]);
            }
        uint32_t number[60 * 12];
        parts_create(elements, cases[c].table, cases[c].sorted, NULL, &made, number);
        assert_int_equal(made.count, expected.count);
        assert_memory_equal(made.data, expected.data, made.count * sizeof *made.data);
        for (uint32_t i = 0; i < 60 * cases[c].table->parts; i++) {
            uint32_t edge[2];
            part_of(elements, cases[c].table, i / cases[c].table->parts, i % cases[c].table->parts, edge);
            assert_true(same_points(made.data + 2 * (size_t)number[i], edge, 2));
        }
        dv_array_free(&expected);
        dv_array_free(&made);
    }
    dv_array_free(&store);
}

static void parts_are_found_in_a_list_that_has_only_some(void **state)
{
    (void)state;
    DvIndexArray store = {0}, edges = {0};
    const ElementList tetrahedra = random_elements(5, 50, 4, 30, &store);
    const ElementList some = {.at = tetrahedra.at, .count = 20, .nodes = 4};
    parts_create(some, &tetrahedron_edges, true, NULL, &edges, NULL);
    dv_array_push(&edges, edges.data[1]); /* the first edge again, reversed */
    dv_array_push(&edges, edges.data[0]);
    uint8_t skip[500] = {0};
    skip[2] = 1;
    const ElementList list = {.at = edges.data, .count = edges.count / 2, .nodes = 2, .skip = skip};
    uint32_t found[50 * 6], unique[50 * 6], invalid = 0, invalid_unique = 0;
    assert_true(list.count < sizeof skip);
    const uint32_t missing = parts_find(tetrahedra, &tetrahedron_edges, list, false, found);
    const uint32_t missing_unique = parts_find(tetrahedra, &tetrahedron_edges, list, true, unique);
    for (uint32_t i = 0; i < 50 * 6; i++) {
        uint32_t edge[2], first = INVALID_INDEX, matches = 0;
        part_of(tetrahedra, &tetrahedron_edges, i / 6, i % 6, edge);
        for (uint32_t e = list.count; e-- > 0;)
            if (!skip[e] && same_points(list.at + (size_t)e * 2, edge, 2)) {
                first = e;
                matches++;
            }
        assert_int_equal(found[i], first);
        assert_int_equal(unique[i], matches == 1 ? first : INVALID_INDEX);
        invalid += matches == 0;
        invalid_unique += matches != 1;
    }
    assert_int_equal(missing, invalid);
    assert_int_equal(missing_unique, invalid_unique);
    assert_true(missing > 0 && missing_unique > missing);
    dv_array_free(&store);
    dv_array_free(&edges);
}

/* Two tetrahedra that share a face and look outward consistently. */
static void a_face_of_two_tetrahedra_appears_once_outward_from_the_first(void **state)
{
    (void)state;
    static const uint32_t two[8] = {4, 1, 2, 3, 1, 2, 3, 0};
    DvIndexArray triangles = {0};
    assert_int_equal(triangles_create((ElementList){.at = two, .count = 2, .nodes = 4}, false, &triangles), 0);
    static const uint32_t expected[7 * 3] = {1, 2, 3, 2, 4, 3, 1, 3, 4, 1, 4, 2, 0, 2, 3, 0, 3, 1, 0, 1, 2};
    assert_int_equal(triangles.count, 21);
    assert_memory_equal(triangles.data, expected, sizeof expected);
    dv_array_free(&triangles);
}

static void tetrahedra_of_opposite_orientation_share_a_face_twice(void **state)
{
    (void)state;
    static const uint32_t two[8] = {4, 1, 2, 3, 0, 1, 2, 3};
    DvIndexArray twice = {0}, once = {0};
    assert_int_equal(triangles_create((ElementList){.at = two, .count = 2, .nodes = 4}, false, &twice), 1);
    assert_int_equal(triangles_create((ElementList){.at = two, .count = 2, .nodes = 4}, true, &once), 1);
    assert_int_equal(twice.count, 24);
    assert_int_equal(once.count, 21);
    dv_array_free(&twice);
    dv_array_free(&once);
}

static void quads_of_hexahedra_appear_once_smallest_point_first(void **state)
{
    (void)state;
    /* two cubes side by side along x in a grid of 3 x 2 x 2 points */
    static const uint32_t two[16] = {0, 1, 4, 3, 6, 7, 10, 9, 1, 2, 5, 4, 7, 8, 11, 10};
    static const uint32_t first_six[24] = {0, 3, 4, 1, 6, 7, 10, 9, 0, 1, 7, 6, 1, 4, 10, 7, 3, 9, 10, 4, 0, 6, 9, 3};
    DvIndexArray quads = {0};
    quads_create((ElementList){.at = two, .count = 2, .nodes = 8}, &quads);
    assert_int_equal(quads.count, 11 * 4);
    assert_memory_equal(quads.data, first_six, sizeof first_six);
    dv_array_free(&quads);
}

static void expect_row(const DvRows *adjacency, uint32_t row, const DvIndexArray *expected)
{
    assert_int_equal(adjacency->end[row] - adjacency->begin[row], expected->count);
    if (expected->count)
        assert_memory_equal(adjacency->items + adjacency->begin[row], expected->data,
                            expected->count * sizeof(uint32_t));
}

static void elements_around_points_and_parts_ascend(void **state)
{
    (void)state;
    DvIndexArray store = {0}, edges = {0}, row = {0};
    enum { POINTS = 40 };
    ElementList tetrahedra = random_elements(23, 70, 4, POINTS, &store);
    uint8_t skip[70] = {[5] = 1, [69] = 2};
    tetrahedra.skip = skip;
    parts_create(tetrahedra, &tetrahedron_edges, true, NULL, &edges, NULL);
    const ElementList list = {.at = edges.data, .count = edges.count / 2, .nodes = 2};
    uint32_t part[70 * 6];
    assert_int_equal(parts_find(tetrahedra, &tetrahedron_edges, list, false, part), 0);
    DvRows points = adjacency_around_points(tetrahedra, POINTS - 2); /* two points are said to be gone */
    DvRows around = adjacency_around_parts(part, tetrahedra, 6, list.count);
    assert_int_equal(points.count, POINTS - 2);
    for (uint32_t point = 0; point < points.count; point++) {
        dv_array_clear(&row);
        for (uint32_t t = 0; t < 70; t++)
            for (uint32_t j = 0; j < 4; j++)
                if (!skip[t] && tetrahedra.at[t * 4 + j] == point)
                    dv_array_push(&row, t);
        expect_row(&points, point, &row);
    }
    for (uint32_t edge = 0; edge < list.count; edge++) {
        dv_array_clear(&row);
        for (uint32_t t = 0; t < 70; t++)
            for (uint32_t j = 0; j < 6; j++)
                if (!skip[t] && part[t * 6 + j] == edge)
                    dv_array_push(&row, t);
        expect_row(&around, edge, &row);
    }
    dv_rows_free(&points);
    dv_rows_free(&around);
    dv_array_free(&store);
    dv_array_free(&edges);
    dv_array_free(&row);
}

static void triangles_along_an_edge_come_first_the_last_foremost(void **state)
{
    (void)state;
    DvIndexArray store = {0}, edges = {0};
    const ElementList triangles = random_elements(31, 90, 3, 14, &store);
    parts_create(triangles, &triangle_edges, false, NULL, &edges, NULL);
    const ElementList list = {.at = edges.data, .count = edges.count / 2, .nodes = 2};
    uint32_t part[90 * 3];
    assert_int_equal(parts_find(triangles, &triangle_edges, list, false, part), 0);
    DvRows around = adjacency_triangles_around_edges(part, triangles, list);
    for (uint32_t edge = 0; edge < list.count; edge++) {
        DvIndexArray row = {0};
        for (uint32_t t = 0; t < 90; t++)
            for (uint32_t j = 0; j < 3; j++) {
                if (part[t * 3 + j] != edge)
                    continue;
                dv_array_push(&row, t);
                if (triangles.at[t * 3 + (j + 1) % 3] == list.at[edge * 2]) { /* to the front */
                    for (uint32_t k = row.count - 1; k > 0; k--)
                        row.data[k] = row.data[k - 1];
                    row.data[0] = t;
                }
            }
        expect_row(&around, edge, &row);
        dv_array_free(&row);
    }
    dv_rows_free(&around);
    dv_array_free(&store);
    dv_array_free(&edges);
}

static void neighbours_are_listed_in_the_order_of_discovery(void **state)
{
    (void)state;
    DvIndexArray store = {0};
    enum { POINTS = 30 };
    const ElementList triangles = random_elements(41, 50, 3, POINTS, &store);
    DvRows points = adjacency_around_points(triangles, POINTS);
    DvRows neighbours = adjacency_elements_around_elements(triangles, &points);
    for (uint32_t t = 0; t < 50; t++) {
        DvIndexArray row = {0};
        for (uint32_t j = 0; j < 3; j++)
            for (uint32_t other = 0; other < 50; other++)
                for (uint32_t k = 0; k < 3; k++) {
                    bool known = other == t || triangles.at[other * 3 + k] != triangles.at[t * 3 + j];
                    for (uint32_t i = 0; i < row.count; i++)
                        known = known || row.data[i] == other;
                    if (!known)
                        dv_array_push(&row, other);
                }
        expect_row(&neighbours, t, &row);
        dv_array_free(&row);
    }
    dv_rows_free(&points);
    dv_rows_free(&neighbours);

    const ElementList edges = random_elements(43, 60, 2, POINTS, &store);
    DvRows joined = adjacency_points_around_points(edges, POINTS);
    for (uint32_t point = 0; point < POINTS; point++) {
        DvIndexArray row = {0};
        for (uint32_t e = 0; e < 60; e++)
            if (edges.at[e * 2] == point || edges.at[e * 2 + 1] == point)
                dv_array_push(&row, edges.at[e * 2] == point ? edges.at[e * 2 + 1] : edges.at[e * 2]);
        expect_row(&joined, point, &row);
        dv_array_free(&row);
    }
    dv_rows_free(&joined);
    dv_array_free(&store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_tuples_are_found_by_their_first),
        cmocka_unit_test(parts_are_made_in_the_order_in_which_a_loop_meets_them),
        cmocka_unit_test(parts_are_found_in_a_list_that_has_only_some),
        cmocka_unit_test(a_face_of_two_tetrahedra_appears_once_outward_from_the_first),
        cmocka_unit_test(tetrahedra_of_opposite_orientation_share_a_face_twice),
        cmocka_unit_test(quads_of_hexahedra_appear_once_smallest_point_first),
        cmocka_unit_test(elements_around_points_and_parts_ascend),
        cmocka_unit_test(triangles_along_an_edge_come_first_the_last_foremost),
        cmocka_unit_test(neighbours_are_listed_in_the_order_of_discovery),
    };
    return cmocka_run_group_tests_name("adjacency", tests, NULL, NULL);
}
