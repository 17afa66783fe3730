/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SubsetTopologicalMapping: which points and elements are which, before and after any changes. What belongs to the subset is also
 * known from marks on the elements of the input, which new elements take from those that they come from.
 */
#include "edited_meshes.h"
#include "topology_conformance.h"

#include <divan/contracts/mapping.h>
#include <divan/contracts/state.h>
#include <divan/element_data.h>
#include <divan/memory.h>
#include <divan/scene.h>

#include <stdio.h>
#include <unistd.h>

typedef struct Both {
    DvScene *scene;
    Mesh all, part;
    DvObject *by;
    const DvTopologyModifierOps *modifier;
    DvElementData marks; /* of elements of the input: 1 in the subset */
    bool same_points;
} Both;

static uint32_t map_at(const DvScene *scene, const char *name, uint32_t i)
{
    size_t count;
    const uint32_t *at = dv_data_uints(dv_object_field(scene_object(scene, "/m/a/map"), name), &count);
    assert_true(i < count);
    return at[i];
}

static void add_positions(DvText *text, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++)
        dv_text_add(text, "%u %u %u ", i % 3, i / 3 % 3, i / 9);
}

/* A block of 2 x 2 x 2 cells; the subset is its upper half, points 9 to 26, whose tetrahedra come in the opposite order. */
static Both start(bool same_points)
{
    Both both = {.same_points = same_points};
    uint32_t elements[4 * 6 * 8];
    const uint32_t count = start_elements(DV_TETRAHEDRA, 2, elements), first = same_points ? 0 : 9;
    DvText text = {0};
    dv_text_add(&text, "<MechanicalObject name='x' position='");
    add_positions(&text, 0, 27);
    dv_text_add(&text, "'/><Node name='a'><TetrahedronSetTopologyContainer name='c' position='");
    add_positions(&text, first, 27 - first);
    dv_text_add(&text, "' tetrahedra='");
    for (uint32_t e = count; e-- > count / 2;)
        for (uint32_t i = 0; i < 4; i++)
            dv_text_add(&text, "%u ", elements[4 * e + i] - first);
    dv_text_add(
        &text,
        "'/><TetrahedronSetTopologyModifier name='m'/><SubsetTopologicalMapping name='map' input='@../c' output='@c' "
        "handleTetrahedra='1' handleTriangles='1' handleEdges='1' samePoints='%d'/>"
        "<MechanicalObject name='x'/>%s</Node>",
        same_points,
        same_points ? "<IdentityMapping name='copy'/>" : "<SubsetMapping name='copy' indices='@map.pointD2S'/>");
    const Body *body = body_of(DV_TETRAHEDRA);
    DvText scene = {0};
    dv_text_add(
        &scene,
        "<Node name='root'><DefaultAnimationLoop/><Node name='m'><TetrahedronSetTopologyContainer name='c' position='");
    add_positions(&scene, 0, 27);
    dv_text_add(&scene, "' tetrahedra='");
    for (uint32_t i = 0; i < 4 * count; i++)
        dv_text_add(&scene, "%u ", elements[i]);
    dv_text_add(&scene, "'/><%sSetTopologyModifier name='m'/>%s</Node></Node>", body->name, text.at);
    both.scene = scene_from_text(scene.at);
    dv_text_free(&text);
    dv_text_free(&scene);
    return both;
}

/* The marks are those of the subset as it is. */
static void take_marks(Both *both)
{
    both->all = mesh_at(both->scene, "/m/c");
    both->part = mesh_at(both->scene, "/m/a/c");
    both->by = scene_object(both->scene, "/m/m");
    both->modifier = dv_object_ops(both->by, DV_TOPOLOGY_MODIFIER);
    both->marks = (DvElementData){.kind = DV_TETRAHEDRA, .entry_size = sizeof(double), .interpolate = true};
    assert_int_equal(dv_element_data_attach(&both->marks, both->all.object), DV_OK);
    const DvElements part = both->part.ops->elements(both->part.self, DV_TETRAHEDRA);
    for (uint32_t e = 0; e < part.count; e++)
        ((double *)both->marks.entries)[map_at(both->scene, "tetrahedronD2S", e)] = 1;
}

static void check_kind(const Both *both, DvElementKind kind, const char *to_input, const char *to_output)
{
    const DvElements in = both->all.ops->elements(both->all.self, kind),
                     out = both->part.ops->elements(both->part.self, kind);
    const uint32_t nodes = dv_element_nodes(kind);
    for (uint32_t e = 0; e < out.count; e++) {
        const uint32_t source = map_at(both->scene, to_input, e);
        assert_true(source < in.count);
        assert_int_equal(map_at(both->scene, to_output, source), e);
        for (uint32_t i = 0; i < nodes; i++) {
            const uint32_t point = map_at(both->scene, "pointD2S", out.at[(size_t)e * nodes + i]);
            bool has = false;
            for (uint32_t j = 0; j < nodes; j++)
                has = has || in.at[(size_t)source * nodes + j] == point;
            assert_true(has);
        }
    }
    uint32_t images = 0;
    for (uint32_t e = 0; e < in.count; e++)
        images += map_at(both->scene, to_output, e) != UINT32_MAX;
    assert_int_equal(images, out.count);
}

/* The state of the subset, as its mapping computes it: with the indices of the moment. */
static void apply(const Both *both)
{
    DvObject *map = scene_object(both->scene, "/m/a/copy");
    const DvMappingOps *ops = dv_object_ops(map, DV_MAPPING);
    const DvConstVec in = dv_state_read(scene_state(both->scene, "/m/x"), DV_POSITION);
    const DvVec out = dv_state_write(scene_state(both->scene, "/m/a/x"), DV_POSITION, DV_READ_WRITE);
    assert_int_equal(ops->output_points ? ops->output_points(dv_object_self(map), 0) : out.count, out.count);
    ops->apply(dv_object_self(map), &(const DvStep){.dt = 0.01}, &in, &out);
}

static void check_subset(Both *both)
{
    if (!both->same_points)
        apply(both);
    const DvConstVec x = dv_state_read(scene_state(both->scene, "/m/x"), DV_POSITION),
                     own = dv_state_read(scene_state(both->scene, "/m/a/x"), DV_POSITION);
    const uint32_t points = both->part.ops->point_count(both->part.self);
    assert_int_equal(own.count, points);
    for (uint32_t i = 0; i < points; i++) {
        const uint32_t point = map_at(both->scene, "pointD2S", i);
        assert_true(point < x.count);
        assert_int_equal(map_at(both->scene, "pointS2D", point), i);
        assert_true(both->same_points
                        ? point == i
                        : memcmp(x.at + 3 * (size_t)point, own.at + 3 * (size_t)i, 3 * sizeof(double)) == 0);
    }
    check_kind(both, DV_EDGES, "edgeD2S", "edgeS2D");
    check_kind(both, DV_TRIANGLES, "triangleD2S", "triangleS2D");
    check_kind(both, DV_TETRAHEDRA, "tetrahedronD2S", "tetrahedronS2D");
    DvObject *map = scene_object(both->scene, "/m/a/map");
    const DvTopologicalMappingOps *ops = dv_object_ops(map, DV_TOPOLOGICAL_MAPPING);
    for (uint32_t e = 0; e < both->marks.count; e++) {
        const uint32_t *images;
        const bool inside = ((double *)both->marks.entries)[e] == 1;
        assert_int_equal(map_at(both->scene, "tetrahedronS2D", e) != UINT32_MAX, inside);
        assert_int_equal(ops->images(dv_object_self(map), DV_TETRAHEDRA, e, &images), inside);
    }
    check_topology(both->part.object, false);
}

/* A tetrahedron becomes four around a new point in its middle. */
static void split(const Both *both)
{
    const DvElements all = both->all.ops->elements(both->all.self, DV_TETRAHEDRA);
    const uint32_t middle = both->all.ops->point_count(both->all.self), start[] = {0, 4}, starts[] = {0, 1, 2, 3, 4};
    if (all.count == 0)
        return;
    const uint32_t whole = random_below(all.count), wholes[] = {whole, whole, whole, whole};
    uint32_t corners[4], pieces[16];
    memcpy(corners, all.at + 4 * (size_t)whole, sizeof corners);
    for (uint32_t i = 0; i < 16; i++)
        pieces[i] = i / 4 == i % 4 ? middle : corners[i % 4];
    void *by = dv_object_self(both->by);
    assert_int_equal(
        both->modifier->add_points(by, 1, &(DvElementChange){.ancestors = corners, .ancestor_start = start}), DV_OK);
    assert_int_equal(both->modifier->add_elements(by, DV_TETRAHEDRA, 4, pieces,
                                                  &(DvElementChange){.ancestors = wholes, .ancestor_start = starts}),
                     DV_OK);
    assert_int_equal(both->modifier->remove_elements(by, DV_TETRAHEDRA, 1, &whole, true), DV_OK);
}

static void change(const Both *both)
{
    if (random_below(3) == 0)
        split(both);
    else
        edit(&both->all, body_of(DV_TETRAHEDRA), both->modifier, dv_object_self(both->by));
}

static void let_go(Both *both)
{
    dv_element_data_detach(&both->marks);
    dv_scene_free(both->scene);
}

static void points_and_elements_go_and_pieces_come(void **state)
{
    (void)state;
    for (int same = 0; same < 2; same++)
        for (uint64_t round = 1; round <= 3; round++) {
            Both both = start(same);
            take_marks(&both);
            seed = round * 88172645463325252u;
            for (int i = 0; i < 60; i++) {
                check_subset(&both);
                change(&both);
            }
            let_go(&both);
        }
}

/* Where a new point comes from is where it stands, also when the body has moved and moves. */
static void new_points_move_with_the_input(void **state)
{
    (void)state;
    Both both = start(false);
    take_marks(&both);
    const DvStateRef in = scene_state(both.scene, "/m/x"), out = scene_state(both.scene, "/m/a/x");
    seed = 88172645463325252u;
    const DvVec v = dv_state_write(in, DV_VELOCITY, DV_READ_WRITE);
    for (uint32_t i = 0; i < 3 * v.count; i++)
        v.at[i] = random_below(1000);
    while (dv_state_count(out) < 19)
        split(&both);
    const uint32_t point = map_at(both.scene, "pointD2S", 18);
    const DvConstVec from = dv_state_read(in, DV_VELOCITY), to = dv_state_read(out, DV_VELOCITY);
    assert_memory_equal(to.at + 3 * 18, from.at + 3 * (size_t)point, 3 * sizeof(double));
    let_go(&both);
}

static void a_reset_goes_back_to_the_first_subset(void **state)
{
    (void)state;
    for (int same = 0; same < 2; same++) {
        Both both = start(same);
        take_marks(&both);
        seed = 88172645463325252u;
        for (int i = 0; i < 20; i++)
            change(&both);
        dv_element_data_detach(&both.marks);
        dv_scene_reset(both.scene);
        take_marks(&both);
        assert_int_equal(both.part.ops->elements(both.part.self, DV_TETRAHEDRA).count, 24);
        assert_int_equal(both.all.ops->elements(both.all.self, DV_TETRAHEDRA).count, 48);
        for (uint32_t e = 0; e < 24; e++)
            assert_int_equal(map_at(both.scene, "tetrahedronD2S", e), 47 - e);
        for (int i = 0; i < 10; i++) {
            check_subset(&both);
            change(&both);
        }
        let_go(&both);
    }
}

static void a_saved_subset_goes_on_where_it_was(void **state)
{
    (void)state;
    for (int same = 0; same < 2; same++) {
        Both both = start(same), again = {.same_points = same};
        take_marks(&both);
        seed = 88172645463325252u;
        for (int i = 0; i < 15; i++)
            change(&both);
        char file[] = P_tmpdir "/divan-subset-XXXXXX.scn";
        const int handle = mkstemps(file, 4);
        assert_true(handle >= 0);
        close(handle);
        assert_int_equal(dv_scene_save(both.scene, file), DV_OK);
        assert_int_equal(dv_scene_load(file, NULL, &again.scene), DV_OK);
        unlink(file);
        take_marks(&again);
        for (uint64_t i = 1; i <= 20; i++) {
            const DvElements a = both.part.ops->elements(both.part.self, DV_TETRAHEDRA),
                             b = again.part.ops->elements(again.part.self, DV_TETRAHEDRA);
            assert_int_equal(a.count, b.count);
            assert_memory_equal(a.at, b.at, 16 * a.count);
            check_subset(&again);
            seed = i * 88172645463325252u;
            change(&both);
            seed = i * 88172645463325252u;
            change(&again);
        }
        let_go(&both);
        let_go(&again);
    }
}

#define PAIR(all, part, attributes)                                   \
    "<Node name='root'>\n<TriangleSetTopologyContainer name='c' " all \
    "/><Node name='a'><TriangleSetTopologyContainer name='c' " part   \
    "/><SubsetTopologicalMapping name='map' input='@../c' output='@c' " attributes "/></Node></Node>"

/* Places are compared exactly, and the last of equal ones counts. */
static void points_are_found_by_their_place(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text(PAIR("position='0 0 0  1 0 0  0 1 0  1 1 0  1 0 0' triangles='0 4 2  4 3 2'",
                             "position='1 1 0  -0.0 1 0  1 0 0' triangles='1 2 0'", "handleTriangles='1'"));
    static const uint32_t expected[] = {3, 2, 4};
    size_t count;
    const uint32_t *at = dv_data_uints(dv_object_field(scene_object(scene, "/a/map"), "pointD2S"), &count);
    assert_int_equal(count, 3);
    assert_memory_equal(at, expected, sizeof expected);
    at = dv_data_uints(dv_object_field(scene_object(scene, "/a/map"), "triangleS2D"), &count);
    static const uint32_t triangles[] = {UINT32_MAX, 0};
    assert_int_equal(count, 2);
    assert_memory_equal(at, triangles, sizeof triangles);
    /* not asked for */
    (void)dv_data_uints(dv_object_field(scene_object(scene, "/a/map"), "edgeD2S"), &count);
    assert_int_equal(count, 0);
    dv_scene_free(scene);
}

static void assert_map(const DvScene *scene, const char *field, const uint32_t *expected, size_t count)
{
    size_t found;
    const uint32_t *at = dv_data_uints(dv_object_field(scene_object(scene, "/a/map"), field), &found);
    assert_int_equal(found, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(at[i], expected[i]);
}

/* Without places points stand for those of their number; elements are found in whatever order they name them. */
static void points_without_places_are_found_by_their_number(void **state)
{
    (void)state;
    static const char *const attributes[] = {"handleTriangles='1' handleEdges='1'",
                                             "handleTriangles='1' handleEdges='1' samePoints='1'"};
    for (int i = 0; i < 2; i++) {
        DvText text = {0};
        dv_text_add(&text,
                    PAIR("nbPoints='5' triangles='0 1 2  2 1 3  2 3 4' edges='0 1  1 2  0 2  1 3  2 3  3 4  2 4'",
                         "nbPoints='5' triangles='3 2 1  4 2 3  0 1 4' edges='3 1  1 2  2 3  4 3  2 4  0 1  1 4  0 4'",
                         "%s"),
                    attributes[i]);
        DvScene *scene = scene_from_text(text.at);
        dv_text_free(&text);
        assert_map(scene, "pointD2S", (const uint32_t[]){0, 1, 2, 3, 4}, 5);
        assert_map(scene, "pointS2D", (const uint32_t[]){0, 1, 2, 3, 4}, 5);
        assert_map(scene, "triangleD2S", (const uint32_t[]){1, 2, UINT32_MAX}, 3);
        assert_map(scene, "triangleS2D", (const uint32_t[]){UINT32_MAX, 0, 1}, 3);
        assert_map(scene, "edgeD2S", (const uint32_t[]){3, 1, 4, 5, 6, 0, UINT32_MAX, UINT32_MAX}, 8);
        assert_map(scene, "edgeS2D", (const uint32_t[]){5, 1, UINT32_MAX, 0, 2, 3, 4}, 7);
        assert_map(scene, "quadD2S", NULL, 0);
        dv_scene_free(scene);
    }
}

static void wrong_subsets_are_named(void **state)
{
    (void)state;
    expect_load_error(PAIR("nbPoints='4' triangles='0 1 2'", "nbPoints='3' triangles='0 1 2'", "samePoints='1'"),
                      "the input '/c' has 4 points, the output '/a/c' 3: they cannot be the same");
    expect_load_error(PAIR("nbPoints='4' triangles='0 1 2'", "nbPoints='3' triangles='0 1 2'", ""),
                      "the input '/c' has 4 points, the output '/a/c' 3: give both their position");
    expect_load_error(
        "<Node>\n<EdgeSetTopologyContainer name='e' edges='0 1'/><Node name='a'>"
        "<TriangleSetTopologyContainer triangles='0 1 0' nbPoints='2'/><SubsetTopologicalMapping/></Node></Node>",
        "input: '/e' holds no triangles");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_and_elements_go_and_pieces_come),
        cmocka_unit_test(new_points_move_with_the_input),
        cmocka_unit_test(a_reset_goes_back_to_the_first_subset),
        cmocka_unit_test(a_saved_subset_goes_on_where_it_was),
        cmocka_unit_test(points_are_found_by_their_place),
        cmocka_unit_test(points_without_places_are_found_by_their_number),
        cmocka_unit_test(wrong_subsets_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
