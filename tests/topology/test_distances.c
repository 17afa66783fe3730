/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Distances against closed forms: along a bar, of edges, triangles, tetrahedra and hexahedra, and on a sphere, where they are arcs of
 * great circles; harmonic maps against linear ones.
 */
#include "scene_text.h"

#include <divan/divan.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double *numbers(const DvScene *scene, const char *field, size_t *count)
{
    DvData *data = dv_object_field(scene_object(scene, "/it"), field);
    assert_non_null(data);
    return dv_data_doubles(data, count);
}

static const double *positions(const DvScene *scene, size_t *count)
{
    return numbers(scene, "position", count);
}

#define BAR(mesh, method)                                                                                      \
    "<Node name='root'>" mesh "<Distances name='it' topology='@mesh' initTarget='0' goals='0' method='" method \
    "'/></Node>"
#define GRID "<RegularGridTopology name='mesh' n='21 3 3' min='0 0 0' max='10 1 1'/>"

/* Along the edge that the goal is on distances are exact; from a corner they are at least straight. */
static void along_the_edges_of_a_bar_dijkstra_is_exact(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(BAR(GRID, "Dijkstra"));
    size_t points, count;
    const double *x = positions(scene, &points), *d = numbers(scene, "distances", &count);
    assert_int_equal(points, 189);
    assert_int_equal(count, points);
    for (size_t i = 0; i < count; i++) { /* between the straight way and steps along the axes alone */
        const double *p = x + 3 * i;
        assert_true(d[i] > sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - 1e-12);
        assert_true(d[i] < p[0] + p[1] + p[2] + 1e-12);
    }
    dv_scene_free(scene);
}

static void along_a_line_heat_is_exact(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(BAR(
        "<MeshTopology name='mesh' position='0 0 0 0.5 0 0 2 0 0 2.1 0 0 5 0 0' edges='0 1 1 2 2 3 3 4'/>", "heat"));
    static const double expected[] = {0, 0.5, 2, 2.1, 5};
    size_t count;
    const double *d = numbers(scene, "distances", &count);
    assert_int_equal(count, 5);
    for (size_t i = 0; i < count; i++)
        assert_true(fabs(d[i] - expected[i]) < 1e-9);
    dv_scene_free(scene);
}

/* From all points of an end of a bar of hexahedra: x. */
static void along_a_bar_heat_is_the_straight_way(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root'>" GRID
        "<Distances name='it' topology='@mesh' goals='0 21 42 63 84 105 126 147 168' method='heat'/></Node>");
    size_t count;
    const double *x = positions(scene, &count), *d = numbers(scene, "distances", &count);
    for (size_t i = 0; i < count; i++)
        assert_true(fabs(d[i] - x[3 * i]) < (x[3 * i + 1] == 0.5 && x[3 * i + 2] == 0.5 ? 0.005 : 0.1));
    dv_scene_free(scene);
}

static void on_a_sphere_distances_are_arcs(void **state)
{
    const bool heat = strcmp(*state, "heat") == 0;
    char text[512];
    (void)snprintf(
        text, sizeof text,
        "<Node name='root'><GenerateSphere name='s' radius='2' platonicSolid='octahedron' tessellationDegree='16'/>"
        "<MeshTopology name='mesh' position='@s.output_TrianglesPosition' triangles='@s.triangles'/>"
        "<Distances name='it' topology='@mesh' goals='0' method='%s'/></Node>",
        (const char *)*state);
    DvScene *scene = scene_from_text(text);
    size_t count;
    const double *x = positions(scene, &count), *d = numbers(scene, "distances", &count);
    assert_int_equal(count, 1026);
    for (size_t i = 0; i < count; i++) {
        const double arc = 2.0 * acos(fmax(-1.0, fmin(1.0, x[3 * i + 2] / 2.0)));
        if (heat)
            assert_true(fabs(d[i] - arc) < 0.02 * arc + 0.07);
        else
            assert_true(d[i] > 0.99 * arc - 1e-12 && d[i] < sqrt(2.0) * arc + 1e-12);
    }
    dv_scene_free(scene);
}

/* Of an edge between two goals the map is linear; the two maps have the sum harmonicMaxValue everywhere. */
static void harmonic_maps_part_the_whole(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root'><MeshTopology name='mesh' position='0 0 0 1 0 0 4 0 0' edges='0 1 1 2'/><Distances name='it' "
        "topology='@mesh' goals='0 2' d_distanceType='Harmonic' harmonicMaxValue='8' computeMaps='1'/></Node>");
    static const double expected[] = {3, 8, 6, 0, 3, 0, 2, 8};
    size_t count;
    const double *maps = numbers(scene, "maps", &count);
    assert_int_equal(count, 8);
    for (size_t i = 0; i < count; i++)
        assert_true(fabs(maps[i] - expected[i]) < 1e-9);
    dv_scene_free(scene);
}

/* The points of a state, moved, are goals of the points nearest to them; what hangs together with none is -1 far. */
static void goals_are_where_a_state_is(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root'><Node name='t'><MechanicalObject name='goal' position='1.9 0 0'/></Node>"
        "<MeshTopology name='mesh' position='0 0 0 1 0 0 3 0 0 9 9 9' edges='0 1 1 2'/>"
        "<Distances name='it' topology='@mesh' targetPath='@t/goal' offset='0.5 0 0' computeMaps='1'/></Node>");
    static const double expected[] = {3, 2, 0, -1};
    size_t count;
    const double *d = numbers(scene, "distances", &count);
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i++)
        assert_true(fabs(d[i] - expected[i]) < 1e-12);
    const double *maps = numbers(scene, "maps", &count);
    assert_int_equal(count, 5);
    assert_memory_equal(maps + 1, d, 4 * sizeof *d);
    dv_scene_free(scene);
}

/* scenes/distances.scn: corners of the octahedron between the two goals are a quarter of the way around away; along edges these are 16 chords. */
static void the_own_scene_shows_quarters(void **state)
{
    (void)state;
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/scenes/distances.scn", getenv("DIVAN_TEST_SOURCE_ROOT"));
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load(path, NULL, &scene), DV_OK);
    const double *heat = dv_data_doubles(dv_object_field(scene_object(scene, "/Heat/distances"), "distances"), NULL);
    const double *edges = dv_data_doubles(dv_object_field(scene_object(scene, "/Edges/distances"), "distances"), NULL);
    for (int i = 1; i < 6; i++) {
        const double quarters = i == 3 ? 0.0 : 1.0;
        assert_true(fabs(heat[i] - quarters * acos(0.0)) < 0.04);
        assert_true(fabs(edges[i] - quarters * 32.0 * sin(acos(0.0) / 32.0)) < 1e-12);
    }
    dv_scene_free(scene);
}

int main(void)
{
    static char dijkstra[] = "Dijkstra", heat[] = "heat";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(along_the_edges_of_a_bar_dijkstra_is_exact),
        cmocka_unit_test(along_a_line_heat_is_exact),
        cmocka_unit_test(the_own_scene_shows_quarters),
        cmocka_unit_test(along_a_bar_heat_is_the_straight_way),
        cmocka_unit_test_prestate(on_a_sphere_distances_are_arcs, dijkstra),
        cmocka_unit_test_prestate(on_a_sphere_distances_are_arcs, heat),
        cmocka_unit_test(harmonic_maps_part_the_whole),
        cmocka_unit_test(goals_are_where_a_state_is),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
