/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Data attached to mesh elements: what their entries are after additions, removals, renumberings and moves, compared with the same
 * change made by hand; who is told, and when; that they end with their topology.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <divan/divan.h>

#include "scene_text.h"

typedef struct Told {
    uint32_t added_at, added, removed[8], removals, changes;
    double value_when_removed, value_when_changed;
} Told;

static void note_added(DvElementData *data, const DvElementChange *change, uint32_t first)
{
    Told *told = data->owner;
    told->added_at = first;
    told->added += change->count;
}

static void note_removed(DvElementData *data, uint32_t index)
{
    Told *told = data->owner;
    told->removed[told->removals++] = index;
    told->value_when_removed = ((const double *)data->entries)[index];
}

static void note_changed(DvElementData *data, const DvElementChange *change)
{
    Told *told = data->owner;
    (void)change;
    told->changes++;
    told->value_when_changed = data->count ? ((const double *)data->entries)[0] : NAN;
}

typedef struct Mesh {
    DvScene *scene;
    DvObject *topology;
} Mesh;

static Mesh mesh_of(const char *points, const char *edges)
{
    Mesh mesh = {.scene = dv_scene_new()};
    assert_int_equal(
        dv_object_new(dv_scene_root(mesh.scene), "Cloud", &mesh.topology, "points", points, "edges", edges, NULL),
        DV_OK);
    return mesh;
}

static DvElementData numbers_on(DvElementKind kind)
{
    return (DvElementData){.kind = kind, .entry_size = sizeof(double)};
}

/* Entries 1, 2, 3... */
static double *counted(const DvElementData *data)
{
    double *entries = data->entries;
    for (uint32_t i = 0; i < data->count; i++)
        entries[i] = i + 1;
    return entries;
}

static void assert_entries(const DvElementData *data, uint32_t count, const double *expected)
{
    assert_int_equal(data->count, count);
    for (uint32_t i = 0; i < count; i++)
        if (((const double *)data->entries)[i] != expected[i])
            fail_msg("entry %u is %g instead of %g", i, ((const double *)data->entries)[i], expected[i]);
}

static void each_kind_has_its_number_of_nodes(void **state)
{
    (void)state;
    static const uint32_t nodes[] = {1, 2, 3, 4, 4, 8, 6, 5};
    for (int kind = DV_POINTS; kind < DV_ELEMENT_KINDS; kind++)
        assert_int_equal(dv_element_nodes((DvElementKind)kind), nodes[kind]);
    assert_int_equal(dv_element_nodes(DV_ELEMENT_KINDS), 0);
}

static void an_array_starts_with_a_zero_for_each_element(void **state)
{
    (void)state;
    Mesh mesh = mesh_of("3", "2");
    DvElementData points = numbers_on(DV_POINTS), edges = numbers_on(DV_EDGES);
    DvElementData triangles = numbers_on(DV_TRIANGLES);
    assert_int_equal(dv_element_data_attach(&points, mesh.topology), DV_OK);
    assert_int_equal(dv_element_data_attach(&edges, mesh.topology), DV_OK);
    assert_int_equal(dv_element_data_attach(&triangles, mesh.topology), DV_OK);
    assert_entries(&points, 3, (const double[]){0, 0, 0});
    assert_entries(&edges, 2, (const double[]){0, 0});
    assert_entries(&triangles, 0, NULL);
    assert_non_null(triangles.entries);
    assert_int_equal((uintptr_t)points.entries % 64, 0);
    dv_element_data_detach(&points);
    dv_element_data_detach(&points); /* twice is harmless */
    assert_null(points.entries);
    dv_scene_free(mesh.scene);
    assert_null(edges.topology); /* went with its topology */
    assert_null(edges.entries);
    dv_element_data_detach(&edges);
}

static void only_topologies_take_arrays(void **state)
{
    (void)state;
    DvScene *scene = dv_scene_new();
    DvObject *other;
    assert_int_equal(dv_object_new(dv_scene_root(scene), "Recorder", &other, NULL), DV_OK);
    DvElementData data = {.kind = DV_POINTS, .entry_size = sizeof(double)};
    assert_int_equal(dv_element_data_attach(&data, other), DV_ERROR_MISSING);
    assert_int_equal(dv_element_data_attach(&data, NULL), DV_ERROR_MISSING);
    assert_null(data.entries);
    dv_scene_free(scene);
}

static void added_elements_are_zero_at_the_end_and_other_kinds_stay(void **state)
{
    (void)state;
    Mesh mesh = mesh_of("2", "2");
    Told told = {0};
    DvElementData points = numbers_on(DV_POINTS), edges = numbers_on(DV_EDGES);
    points.owner = &told;
    points.added = note_added;
    points.changed = note_changed;
    assert_int_equal(dv_element_data_attach(&points, mesh.topology), DV_OK);
    assert_int_equal(dv_element_data_attach(&edges, mesh.topology), DV_OK);
    counted(&points);
    counted(&edges);
    const DvElementChange change = {.change = DV_ELEMENTS_ADDED, .kind = DV_POINTS, .count = 1, .total = 3};
    dv_element_data_apply(mesh.topology, &change);
    assert_entries(&points, 3, (const double[]){1, 2, 0});
    assert_int_equal(told.added_at, 2);
    assert_int_equal(told.added, 1);
    assert_int_equal(told.changes, 1);
    assert_true(told.value_when_changed == 1);
    counted(&points);
    const DvElementChange many = {.change = DV_ELEMENTS_ADDED, .kind = DV_POINTS, .count = 97, .total = 100};
    dv_element_data_apply(mesh.topology, &many); /* far beyond twice of what it had */
    assert_int_equal(points.count, 100);
    assert_true(((double *)points.entries)[2] == 3 && ((double *)points.entries)[99] == 0);
    assert_entries(&edges, 2, (const double[]){1, 2});
    dv_element_data_detach(&points);
    dv_scene_free(mesh.scene);
}

static void added_elements_are_mixed_from_their_ancestors(void **state)
{
    (void)state;
    Mesh mesh = mesh_of("3", "0");
    DvElementData mixed = numbers_on(DV_POINTS), plain = numbers_on(DV_POINTS);
    mixed.interpolate = true;
    assert_int_equal(dv_element_data_attach(&mixed, mesh.topology), DV_OK);
    assert_int_equal(dv_element_data_attach(&plain, mesh.topology), DV_OK);
    counted(&mixed);
    counted(&plain);
    const uint32_t start[] = {0, 2, 2, 3}, ancestors[] = {0, 2, 1};
    DvElementChange change = {.change = DV_ELEMENTS_ADDED,
                              .kind = DV_POINTS,
                              .count = 3,
                              .total = 6,
                              .ancestors = ancestors,
                              .ancestor_start = start,
                              .weights = (const double[]){0.25, 0.75, 1.0}};
    dv_element_data_apply(mesh.topology, &change);
    assert_entries(&mixed, 6, (const double[]){1, 2, 3, 0.25 * 1 + 0.75 * 3, 0, 2});
    assert_entries(&plain, 6, (const double[]){1, 2, 3, 0, 0, 0});
    change.weights = NULL; /* all alike */
    change.count = 1;
    dv_element_data_apply(mesh.topology, &change);
    assert_true(((double *)mixed.entries)[6] == 2.0);
    change.ancestor_start = NULL; /* nobody's */
    dv_element_data_apply(mesh.topology, &change);
    assert_true(((double *)mixed.entries)[7] == 0.0);
    dv_scene_free(mesh.scene);
}

static void the_last_element_takes_the_number_of_a_removed_one(void **state)
{
    (void)state;
    Mesh mesh = mesh_of("5", "0");
    Told told = {0};
    DvElementData points = numbers_on(DV_POINTS), quiet = numbers_on(DV_POINTS);
    points.owner = &told;
    points.removed = note_removed;
    assert_int_equal(dv_element_data_attach(&points, mesh.topology), DV_OK);
    assert_int_equal(dv_element_data_attach(&quiet, mesh.topology), DV_OK);
    counted(&points);
    counted(&quiet);
    const uint32_t indices[] = {1, 3, 1}; /* of 1 2 3 4 5: 1 5 3 4, then its last, then 1 3 */
    const DvElementChange change = {
        .change = DV_ELEMENTS_REMOVED, .kind = DV_POINTS, .count = 3, .total = 2, .indices = indices};
    dv_element_data_apply(mesh.topology, &change);
    assert_entries(&points, 2, (const double[]){1, 3});
    assert_entries(&quiet, 2, (const double[]){1, 3});
    assert_int_equal(told.removals, 3);
    assert_memory_equal(told.removed, indices, sizeof indices);
    assert_true(told.value_when_removed == 5); /* still there when told */
    dv_scene_free(mesh.scene);
}

static void renumbering_puts_each_entry_where_its_element_goes(void **state)
{
    (void)state;
    Mesh mesh = mesh_of("4", "0");
    DvElementData points = numbers_on(DV_POINTS);
    assert_int_equal(dv_element_data_attach(&points, mesh.topology), DV_OK);
    counted(&points);
    const uint32_t order[] = {2, 0, 3, 1};
    const DvElementChange change = {
        .change = DV_ELEMENTS_RENUMBERED, .kind = DV_POINTS, .count = 4, .total = 4, .indices = order};
    dv_element_data_apply(mesh.topology, &change);
    assert_entries(&points, 4, (const double[]){3, 1, 4, 2});
    dv_scene_free(mesh.scene);
}

static void moved_points_mix_what_their_ancestors_were_before(void **state)
{
    (void)state;
    Mesh mesh = mesh_of("3", "0");
    DvElementData mixed = numbers_on(DV_POINTS), plain = numbers_on(DV_POINTS);
    mixed.interpolate = true;
    assert_int_equal(dv_element_data_attach(&mixed, mesh.topology), DV_OK);
    assert_int_equal(dv_element_data_attach(&plain, mesh.topology), DV_OK);
    counted(&mixed);
    counted(&plain);
    const uint32_t indices[] = {0, 1}, start[] = {0, 1, 3}, ancestors[] = {1, 0, 2};
    DvElementChange change = {.change = DV_POINTS_MOVED,
                              .kind = DV_POINTS,
                              .count = 2,
                              .total = 3,
                              .indices = indices,
                              .ancestors = ancestors,
                              .ancestor_start = start};
    dv_element_data_apply(mesh.topology, &change);
    assert_entries(&mixed, 3, (const double[]){2, 0.5 * 1 + 0.5 * 3, 3}); /* not of point 0's new value */
    assert_entries(&plain, 3, (const double[]){1, 2, 3});
    change.weights = (const double[]){2.0, 1.0, -1.0};
    dv_element_data_apply(mesh.topology, &change);
    assert_entries(&mixed, 3, (const double[]){2.0 * 2, 2 - 3, 3});
    change.ancestor_start = NULL; /* moved without ancestors: nothing to mix */
    dv_element_data_apply(mesh.topology, &change);
    assert_entries(&mixed, 3, (const double[]){4, -1, 3});
    dv_scene_free(mesh.scene);
}

static void a_change_of_an_unknown_sort_leaves_the_entries(void **state)
{
    (void)state;
    Mesh mesh = mesh_of("2", "0");
    Told told = {0};
    DvElementData points = numbers_on(DV_POINTS);
    points.owner = &told;
    points.changed = note_changed;
    assert_int_equal(dv_element_data_attach(&points, mesh.topology), DV_OK);
    counted(&points);
    const DvElementChange change = {
        .change = (DvElementChangeKind)(DV_POINTS_MOVED + 1), .kind = DV_POINTS, .count = 1, .total = 3};
    dv_element_data_apply(mesh.topology, &change);
    assert_entries(&points, 2, (const double[]){1, 2});
    assert_int_equal(told.changes, 1);
    dv_scene_free(mesh.scene);
}

static void an_array_that_is_attached_anew_follows_the_new_topology_alone(void **state)
{
    (void)state;
    Mesh first = mesh_of("2", "0"), second = mesh_of("3", "0");
    Told told = {0};
    DvElementData points = numbers_on(DV_POINTS);
    points.owner = &told;
    points.changed = note_changed;
    assert_int_equal(dv_element_data_attach(&points, first.topology), DV_OK);
    assert_int_equal(dv_element_data_attach(&points, first.topology), DV_OK);
    const DvElementChange change = {.change = DV_ELEMENTS_ADDED, .kind = DV_POINTS, .count = 1, .total = 3};
    dv_element_data_apply(first.topology, &change);
    assert_int_equal(points.count, 3); /* grown once */
    assert_int_equal(dv_element_data_attach(&points, second.topology), DV_OK);
    counted(&points);
    dv_element_data_apply(first.topology, &change);
    assert_entries(&points, 3, (const double[]){1, 2, 3});
    assert_int_equal(told.changes, 1);
    dv_scene_free(first.scene);
    assert_ptr_equal(points.topology, second.topology);
    assert_entries(&points, 3, (const double[]){1, 2, 3});
    dv_scene_free(second.scene);
    assert_null(points.entries);
}

static void a_change_nobody_is_attached_to_passes(void **state)
{
    (void)state;
    Mesh mesh = mesh_of("1", "0");
    const DvElementChange change = {.change = DV_ELEMENTS_ADDED, .kind = DV_POINTS, .count = 1, .total = 2};
    dv_element_data_apply(mesh.topology, &change);
    DvElementData points = numbers_on(DV_POINTS);
    assert_int_equal(dv_element_data_attach(&points, mesh.topology), DV_OK);
    assert_entries(&points, 1, (const double[]){0});
    dv_scene_free(mesh.scene);
}

static int start(void **state)
{
    (void)state;
    const char *const plugins[] = {getenv("DIVAN_GRAPH_PLUGIN"), NULL};
    const DvStartOptions options = {.plugins = plugins, .only_given = true};
    return dv_start(&options) == DV_OK ? 0 : -1;
}

static double volume(const double (*x)[3], const uint32_t *t)
{
    double e[3][3];
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++)
            e[k][c] = x[t[k + 1]][c] - x[t[0]][c];
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6.0;
}

/* The diagonal that the cut draws on the face of corners a, b, c, d, by the bits of its two ends. */
static uint32_t diagonal(uint32_t tetrahedra[6][4], const uint32_t face[4])
{
    for (int k = 0; k < 2; k++)
        for (int t = 0; t < 6; t++) {
            int ends = 0;
            for (int n = 0; n < 4; n++)
                ends += tetrahedra[t][n] == face[k] || tetrahedra[t][n] == face[k + 2];
            if (ends == 2)
                return 1u << face[k] | 1u << face[k + 2];
        }
    return 0;
}

static void a_hexahedron_is_cut_into_six_that_fill_it_and_neighbours_fit(void **state)
{
    (void)state;
    /* Two cells beside each other: 0 3 2 1 of the second is the right face of the first, for each axis. */
    static const double cube[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                      {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    static const uint32_t corners[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (uint32_t mirrors = 0; mirrors < 8; mirrors++) {
        const bool odd = (mirrors ^ mirrors >> 1 ^ mirrors >> 2) & 1u;
        for (int upright = 0; upright < 2; upright++) {
            uint32_t cut[6][4];
            dv_cut_hexahedron(corners, mirrors, upright, cut);
            for (int t = 0; t < 6; t++) { /* of equal volume, and of one sign */
                const double expected = odd && !upright ? -1.0 / 6.0 : 1.0 / 6.0;
                assert_true(fabs(volume(cube, cut[t]) - expected) < 1e-15);
            }
        }
    }
    static const uint32_t low[3][4] = {{0, 3, 7, 4}, {0, 1, 5, 4}, {0, 1, 2, 3}},
                          high[3][4] = {{1, 2, 6, 5}, {3, 2, 6, 7}, {4, 5, 6, 7}}; /* low face + one step */
    for (uint32_t axis = 0; axis < 3; axis++) {
        const uint32_t step = axis == 0 ? 1 : axis == 1 ? 3 : 9;
        for (uint32_t cell = 0; cell < 13; cell++) { /* of 3 x 3 x 3 cells: those that have a neighbour */
            const uint32_t place = axis == 0 ? cell % 3 : axis == 1 ? cell / 3 % 3 : cell / 9;
            if (place == 2)
                continue;
            uint32_t here[6][4], next[6][4];
            dv_cut_hexahedron(corners, dv_grid_mirrors(cell, 3, 3), true, here);
            dv_cut_hexahedron(corners, dv_grid_mirrors(cell + step, 3, 3), true, next);
            const uint32_t mine = diagonal(here, high[axis]), other = diagonal(next, low[axis]);
            uint32_t moved = 0;
            for (int k = 0; k < 4; k++)
                moved |= other >> low[axis][k] & 1u ? 1u << high[axis][k] : 0u;
            assert_int_equal(mine, moved);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_has_its_number_of_nodes),
        cmocka_unit_test(an_array_starts_with_a_zero_for_each_element),
        cmocka_unit_test(only_topologies_take_arrays),
        cmocka_unit_test(added_elements_are_zero_at_the_end_and_other_kinds_stay),
        cmocka_unit_test(added_elements_are_mixed_from_their_ancestors),
        cmocka_unit_test(the_last_element_takes_the_number_of_a_removed_one),
        cmocka_unit_test(renumbering_puts_each_entry_where_its_element_goes),
        cmocka_unit_test(moved_points_mix_what_their_ancestors_were_before),
        cmocka_unit_test(a_change_of_an_unknown_sort_leaves_the_entries),
        cmocka_unit_test(an_array_that_is_attached_anew_follows_the_new_topology_alone),
        cmocka_unit_test(a_change_nobody_is_attached_to_passes),
        cmocka_unit_test(a_hexahedron_is_cut_into_six_that_fill_it_and_neighbours_fit),
    };
    return cmocka_run_group_tests(tests, start, stop_plugins);
}
