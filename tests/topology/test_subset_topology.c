/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SubsetTopology: both sides together are the mesh, and local numbers name the same positions.
 */
#include "drawing.h"
#include "scene_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include <divan/contracts/state.h>
#include <divan/contracts/topology.h>

#include <string.h>

/* A strip of five triangles between (0,0), (1,0), (2,0), (3,0) and (0,1), (1,1), (2,1). */
#define STRIP                                                          \
    "rest_position='0 0 0  1 0 0  2 0 0  3 0 0  0 1 0  1 1 0  2 1 0' " \
    "triangles='0 1 4  1 5 4  1 2 5  2 6 5  2 3 6' edges='0 1  1 2  2 3'"
#define SCENE(...) "<Node name='root'>\n" __VA_ARGS__ "</Node>"

static void assert_uints(const DvScene *scene, const char *field, const uint32_t *expected, size_t numbers)
{
    size_t count;
    DvData *data = dv_object_field(scene_object(scene, "/s"), field);
    assert_non_null(data);
    const uint32_t *at = dv_data_uints(data, &count);
    const size_t components = data->type->components ? data->type->components : 1;
    assert_int_equal(count * components, numbers);
    for (size_t i = 0; i < numbers; i++)
        if (at[i] != expected[i])
            fail_msg("%s[%zu] is %u, not %u", field, i, at[i], expected[i]);
}
#define ASSERT_UINTS(scene, field, ...)                         \
    assert_uints(scene, field, (const uint32_t[]){__VA_ARGS__}, \
                 sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* The positions that a list of elements stands for must be those of the elements in the mesh. */
static void assert_same_places(const DvScene *scene, const char *elements, const char *points, const double *expected,
                               size_t corners)
{
    size_t count, there;
    DvObject *object = scene_object(scene, "/s");
    const uint32_t *at = dv_data_uints(dv_object_field(object, elements), &count);
    const double *position = dv_data_doubles(dv_object_field(object, points), &there);
    for (size_t i = 0; i < corners; i++) {
        assert_true(at[i] < there);
        assert_memory_equal(position + 3 * (size_t)at[i], expected + 3 * i, 3 * sizeof(double));
    }
}

static void elements_are_inside_with_all_their_points(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE("<SubsetTopology name='s' " STRIP " box='-1 -1 -1 1.5 2 1'/>"));
    ASSERT_UINTS(scene, "indices", 0, 1, 4, 5);
    ASSERT_UINTS(scene, "triangleIndices", 0, 1);
    ASSERT_UINTS(scene, "trianglesInROI", 0, 1, 4, 1, 5, 4);
    ASSERT_UINTS(scene, "trianglesOutROI", 1, 2, 5, 2, 6, 5, 2, 3, 6);
    ASSERT_UINTS(scene, "edgeIndices", 0);
    ASSERT_UINTS(scene, "edgesOutROI", 1, 2, 2, 3);
    ASSERT_UINTS(scene, "nbrborder", 0);
    dv_scene_free(scene);
    /* a corner the wrong way round; an element whose points lie in two boxes is in neither */
    scene = scene_from_text(SCENE("<SubsetTopology name='s' " STRIP " box='0.5 -1 -1 -1 2 1  0.5 -1 -1 1.5 2 1'/>"));
    ASSERT_UINTS(scene, "indices", 0, 1, 4, 5);
    assert_int_equal(dv_object_field(scene_object(scene, "/s"), "triangleIndices")->count, 0);
    dv_scene_free(scene);
}

static void spheres_count_instead_of_boxes(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE("<SubsetTopology name='s' " STRIP " centers='0 0 0  3 0 0' radii='1'/>"));
    ASSERT_UINTS(scene, "indices", 0, 1, 2, 3, 4); /* borders included */
    ASSERT_UINTS(scene, "triangleIndices", 0);
    dv_scene_free(scene);
    scene = scene_from_text(SCENE("<SubsetTopology name='s' " STRIP " centers='0 0 0  3 0 0' radii='0.5 1.5'/>"));
    ASSERT_UINTS(scene, "indices", 0, 2, 3, 6);
    ASSERT_UINTS(scene, "triangleIndices", 4);
    dv_scene_free(scene);
    expect_load_error(SCENE("<SubsetTopology name='s' " STRIP " centers='0 0 0  3 0 0' radii='1 2 3'/>"),
                      "SubsetTopology 's': radii: 3 for 2 centers: give one for each, or one for all");
}

/* Points of both sides come first in both lists. */
static void local_numbers_name_places_in_the_lists(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text(SCENE("<SubsetTopology name='s' " STRIP " box='-1 -1 -1 1.5 2 1' localIndices='1'/>"));
    static const double in[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    static const double out[] = {1, 0, 0, 2, 0, 0, 1, 1, 0, 2, 0, 0, 2, 1, 0, 1, 1, 0, 2, 0, 0, 3, 0, 0, 2, 1, 0};
    ASSERT_UINTS(scene, "nbrborder", 2);
    ASSERT_UINTS(scene, "indices", 1, 5, 0, 4); /* the border, then the others */
    assert_same_places(scene, "trianglesInROI", "pointsInROI", in, 6);
    assert_same_places(scene, "trianglesOutROI", "pointsOutROI", out, 9);
    ASSERT_UINTS(scene, "trianglesOutROI", 0, 2, 1, 2, 4, 1, 2, 3, 4);
    ASSERT_UINTS(scene, "edgesOutROI", 0, 2, 2, 3);
    dv_scene_free(scene);
}

#define TETRAHEDRA \
    "rest_position='0 0 0  1 0 0  0 1 0  0 0 1  1 1 1  2 2 2  9 9 9' tetrahedra='0 1 2 3  1 2 3 4  2 3 4 5' "
static void chosen_tetrahedra_are_inside(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        SCENE("<SubsetTopology name='s' " TETRAHEDRA "tetrahedraInput='2' edges='5 4  0 1  3 4' localIndices='1'/>"));
    ASSERT_UINTS(scene, "tetrahedronIndices", 2);
    ASSERT_UINTS(scene, "indices", 2, 3, 4, 5); /* in the order of their first use */
    ASSERT_UINTS(scene, "tetrahedraInROI", 0, 1, 2, 3);
    ASSERT_UINTS(scene, "tetrahedraOutROI", 0, 1, 2, 3, 1, 2, 3, 4); /* 0 1 2 3 4, then what no tetrahedron has */
    ASSERT_UINTS(scene, "edgesInROI", 3, 2, 1, 2);
    ASSERT_UINTS(scene, "nbrborder", 3);
    assert_int_equal(dv_object_field(scene_object(scene, "/s"), "pointsOutROI")->count, 6);
    dv_scene_free(scene);
    expect_load_error(SCENE("<SubsetTopology name='s' " TETRAHEDRA "tetrahedraInput='1 3'/>"),
                      "tetrahedraInput[1]: there is no tetrahedron 3 among 3");
    expect_load_error(SCENE("<SubsetTopology name='s' " TETRAHEDRA "edges='0 1  0 8'/>"),
                      "edges[1]: point 8 of 7 positions");
}

static void the_mesh_of_the_node_is_parted_where_it_is(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE(
        "<MeshTopology name='c' triangles='0 1 2  1 3 2' edges='0 1  2 3' quads='0 1 3 2'/>"
        "<MechanicalObject name='x' position='0 0 0  1 0 0  0 1 0  1 1 0'/><SubsetTopology name='s' box='-1 -1 0 1 0.5 0'/>"));
    ASSERT_UINTS(scene, "indices", 0, 1);
    ASSERT_UINTS(scene, "edgeIndices", 0);
    assert_int_equal(dv_object_field(scene_object(scene, "/s"), "quadsOutROI")->count, 0); /* those have to be given */
    const DvVec x = dv_state_write(scene_state(scene, "/x"), DV_POSITION, DV_READ_WRITE);
    DvData *inside = dv_object_field(scene_object(scene, "/s"), "pointsInROI");
    const uint64_t before = dv_data_version(inside);
    x.at[7] = 0.25;
    dv_data_touch(dv_object_field(scene_object(scene, "/x"), "position"));
    (void)dv_data_read(inside);
    assert_true(dv_data_version(inside) > before);
    ASSERT_UINTS(scene, "indices", 0, 1, 2);
    ASSERT_UINTS(scene, "triangleIndices", 0);
    dv_scene_free(scene);
    expect_load_error(SCENE("<SubsetTopology name='s'/>"), "no positions to select from: give 'rest_position'");
}

/* ---- Against the definition, on random points and elements ---- */

enum { POINTS = 60, ELEMENTS = 20, VOLUMES = 3, KINDS = 5 };

typedef struct RandomMesh {
    double points[POINTS][3], volumes[VOLUMES][6], radii[VOLUMES]; /* boxes, or centres in the first three numbers */
    uint32_t elements[KINDS][8 * ELEMENTS], order[2][POINTS], count[2];
    bool in[VOLUMES][POINTS], inside[POINTS], chosen[KINDS][ELEMENTS];
} RandomMesh;

static const struct {
    const char *list, *numbers, *in, *out;
    uint32_t nodes;
} kinds[KINDS] = {
    {"edges", "edgeIndices", "edgesInROI", "edgesOutROI", 2},
    {"triangles", "triangleIndices", "trianglesInROI", "trianglesOutROI", 3},
    {"quads", "quadIndices", "quadsInROI", "quadsOutROI", 4},
    {"tetrahedra", "tetrahedronIndices", "tetrahedraInROI", "tetrahedraOutROI", 4},
    {"hexahedra", "hexahedronIndices", "hexahedraInROI", "hexahedraOutROI", 8},
};

static double random_number(uint64_t *seed) /* -1 to 1 */
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

static DvScene *random_scene(RandomMesh *mesh, uint64_t *seed, bool spheres, bool one_radius, bool local)
{
    DvText text = {0};
    dv_text_add(&text, "<Node><SubsetTopology name='s' localIndices='%d' rest_position='", local);
    for (uint32_t i = 0; i < POINTS; i++)
        for (int c = 0; c < 3; c++)
            dv_text_add(&text, "%.17g ", mesh->points[i][c] = random_number(seed));
    for (int kind = 0; kind < KINDS; kind++) {
        dv_text_add(&text, "' %s='", kinds[kind].list);
        for (uint32_t i = 0; i < ELEMENTS * kinds[kind].nodes; i++)
            dv_text_add(&text, "%u ",
                        mesh->elements[kind][i] =
                            (uint32_t)((random_number(seed) + 1) / 2 * POINTS / (kind == 4 ? 20 : 1)));
    }
    for (uint32_t v = 0; v < VOLUMES; v++) {
        for (int c = 0; c < 6; c++)
            mesh->volumes[v][c] =
                spheres ? 0.4 * random_number(seed) : (c < 3 ? -0.9 : 0.9) + 0.4 * random_number(seed);
        mesh->radii[v] = one_radius && v > 0 ? mesh->radii[0] : 1.1 + 0.3 * random_number(seed);
    }
    dv_text_add(&text, spheres ? "' centers='" : "' box='");
    for (uint32_t v = 0; v < VOLUMES; v++)
        for (int c = 0; c < (spheres ? 3 : 6); c++)
            dv_text_add(&text, "%.17g ", mesh->volumes[v][c]);
    dv_text_add(&text, "' radii='");
    for (uint32_t v = 0; v < VOLUMES && (v == 0 || !one_radius); v++)
        dv_text_add(&text, "%.17g ", mesh->radii[v]);
    dv_text_add(&text, "'/></Node>");
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

static void part(RandomMesh *mesh, bool spheres, bool local)
{
    bool border[POINTS] = {false};
    memset(mesh->inside, 0, sizeof mesh->inside);
    for (uint32_t v = 0; v < VOLUMES; v++)
        for (uint32_t i = 0; i < POINTS; i++) {
            double square = 0;
            bool in = true;
            for (int c = 0; c < 3; c++) {
                square += (mesh->points[i][c] - mesh->volumes[v][c]) * (mesh->points[i][c] - mesh->volumes[v][c]);
                in = in && mesh->points[i][c] >= mesh->volumes[v][c] && mesh->points[i][c] <= mesh->volumes[v][c + 3];
            }
            mesh->in[v][i] = spheres ? square <= mesh->radii[v] * mesh->radii[v] : in;
            mesh->inside[i] = mesh->inside[i] || mesh->in[v][i];
        }
    for (int kind = 0; kind < KINDS; kind++)
        for (uint32_t e = 0; e < ELEMENTS; e++) {
            const uint32_t *element = mesh->elements[kind] + (size_t)e * kinds[kind].nodes;
            mesh->chosen[kind][e] = false;
            for (uint32_t v = 0; v < VOLUMES; v++) {
                bool all = true;
                for (uint32_t j = 0; j < kinds[kind].nodes; j++)
                    all = all && mesh->in[v][element[j]];
                mesh->chosen[kind][e] = mesh->chosen[kind][e] || all;
            }
            for (uint32_t j = 0; j < kinds[kind].nodes; j++)
                border[element[j]] = border[element[j]] || (local && !mesh->chosen[kind][e]);
        }
    mesh->count[0] = mesh->count[1] = 0;
    for (int first = 1; first >= 0; first--) /* what both sides need, then the others */
        for (uint32_t i = 0; i < POINTS; i++) {
            const bool both = border[i] && mesh->inside[i];
            if (both != (first == 1))
                continue;
            if (mesh->inside[i])
                mesh->order[0][mesh->count[0]++] = i;
            if (both || !mesh->inside[i])
                mesh->order[1][mesh->count[1]++] = i;
        }
}

static void assert_points(const RandomMesh *mesh, const DvScene *scene, int side, const char *points)
{
    size_t count;
    const double *at = dv_data_doubles(dv_object_field(scene_object(scene, "/s"), points), &count);
    assert_int_equal(count, mesh->count[side]);
    for (uint32_t i = 0; i < count; i++)
        assert_memory_equal(at + 3 * (size_t)i, mesh->points[mesh->order[side][i]], 24);
}

static void assert_elements(const RandomMesh *mesh, const DvScene *scene, int kind, int side, bool local)
{
    const char *const name = side ? kinds[kind].out : kinds[kind].in;
    uint32_t numbers[ELEMENTS], list[8 * ELEMENTS], count = 0, nodes = kinds[kind].nodes;
    for (uint32_t e = 0; e < ELEMENTS; e++) {
        if (mesh->chosen[kind][e] == (side == 1))
            continue;
        for (uint32_t j = 0; j < nodes; j++) {
            uint32_t point = mesh->elements[kind][e * nodes + j], place = 0;
            while (local && mesh->order[side][place] != point)
                place++;
            list[count * nodes + j] = local ? place : point;
        }
        numbers[count++] = e;
    }
    if (side == 0)
        assert_uints(scene, kinds[kind].numbers, numbers, count);
    assert_uints(scene, name, list, (size_t)count * nodes);
}

static void any_mesh_is_parted_as_defined(void **state)
{
    (void)state;
    uint64_t seed = 8;
    uint32_t chosen[KINDS] = {0};
    for (int trial = 0; trial < 12; trial++) {
        static RandomMesh mesh;
        const bool spheres = trial % 2, one_radius = trial % 4 == 1, local = trial >= 6;
        DvScene *scene = random_scene(&mesh, &seed, spheres, one_radius, local);
        part(&mesh, spheres, local);
        assert_uints(scene, "indices", mesh.order[0], mesh.count[0]);
        assert_points(&mesh, scene, 0, "pointsInROI");
        assert_points(&mesh, scene, 1, "pointsOutROI");
        ASSERT_UINTS(scene, "nbrborder", mesh.count[0] + mesh.count[1] - POINTS);
        for (int kind = 0; kind < KINDS; kind++) {
            for (int side = 0; side < 2; side++)
                assert_elements(&mesh, scene, kind, side, local);
            for (uint32_t e = 0; e < ELEMENTS; e++)
                chosen[kind] += mesh.chosen[kind][e];
        }
        dv_scene_free(scene);
    }
    for (int kind = 0; kind < KINDS; kind++)
        assert_true(chosen[kind] > 5 && chosen[kind] < 12 * ELEMENTS - 5);
}

/* A region that is shown is seen whole. */
static void a_region_that_is_drawn_counts_in_the_bounds(void **state)
{
    (void)state;
    static const char *const shown[] = {"<BoxROI %s box='-1 -2 -3 4 5 6  0 0 0 9 1 1' drawBoxes='1'/>",
                                        "<SubsetTopology name='s' %s drawROI='1' box='-1 -2 -3 4 5 6  0 0 0 9 1 1'/>"};
    static const double expected[6] = {-1, -2, -3, 9, 5, 6};
    for (int i = 0; i < 2; i++) {
        char text[1024], region[512];
        snprintf(region, sizeof region, shown[i], i ? STRIP : "position='0 0 0'");
        snprintf(text, sizeof text, SCENE("%s"), region);
        DvScene *scene = scene_from_text(text);
        const double *box = dv_data_doubles(dv_object_field(dv_node_object(dv_scene_root(scene)), "bbox"), NULL);
        for (int k = 0; k < 6; k++)
            if (box[k] != expected[k])
                fail_msg("region %d: bound %d is %g, not %g", i, k, box[k], expected[k]);
        dv_scene_free(scene);
    }
}

static void add_numbers(void *context, const DrawnBatch *batch)
{
    for (size_t i = 0; i < batch->numbers; i++)
        dv_text_add(context, "%g ", batch->points[i]);
    dv_text_add(context, "%s %u\n", drawn_kinds[batch->kind], batch->count);
}

/* What is drawn of the inside lies in the same places, whichever numbers elements have. */
static void drawing_does_not_hang_on_local_numbers(void **state)
{
    (void)state;
    static const char *const shown[] = {"drawROI", "drawPoints", "drawEdges", "drawTriangle"};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        DvText drawn[2] = {{0}, {0}};
        for (int local = 0; local < 2; local++) {
            DvText text = {0};
            dv_text_add(&text,
                        SCENE("<SubsetTopology name='s' " STRIP " box='-1 -1 -1 1.5 2 1' localIndices='%d' %s='1'/>"),
                        local, shown[i]);
            DvScene *scene = scene_from_text(text.at);
            DrawRecorder recorder = draw_recorder(UINT32_MAX, add_numbers, &drawn[local]);
            record_drawing_of(&recorder, scene_object(scene, "/s"));
            assert_true(recorder.calls > 0);
            dv_scene_free(scene);
            dv_text_free(&text);
        }
        if (i != 1) /* points are drawn in the order of their list */
            assert_string_equal(drawn[0].at, drawn[1].at);
        dv_text_free(&drawn[0]);
        dv_text_free(&drawn[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_inside_with_all_their_points),
        cmocka_unit_test(spheres_count_instead_of_boxes),
        cmocka_unit_test(local_numbers_name_places_in_the_lists),
        cmocka_unit_test(chosen_tetrahedra_are_inside),
        cmocka_unit_test(the_mesh_of_the_node_is_parted_where_it_is),
        cmocka_unit_test(any_mesh_is_parted_as_defined),
        cmocka_unit_test(a_region_that_is_drawn_counts_in_the_bounds),
        cmocka_unit_test(drawing_does_not_hang_on_local_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
