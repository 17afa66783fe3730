/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Edits of a scene that runs on a device: elements and points that go, a blade, a body more, a modulus, a point that is let go, a spring that
 * is switched on, and all of it saved and loaded; then two scenes on one device. Each against the host, to rounding.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <divan/contracts/topology.h>
#include <divan/embed.h>

#include "device_scenes.h"
#include "turned_scenes.h"

enum { STEPS = 8 };

/* A beam of tetrahedra that may be cut, with the word of its states, what acts on elements, and more. */
static const char body[] =
    "<Node name='root' dt='0.01' gravity='0 -9 0'><DefaultAnimationLoop/>"
    "<RegularGridTopology name='grid' n='5 3 3' min='0 0 0' max='4 1 1' computeEdgeList='0' computeTriangleList='0' "
    "computeQuadList='0'/>"
    "<Node name='Body'><EulerImplicitSolver rayleighStiffness='0.05' rayleighMass='0.05'/>"
    "<CGLinearSolver iterations='300' tolerance='1e-13' threshold='1e-40'/>"
    "<MechanicalObject name='dofs' template='%s' position='@/grid.position'/>"
    "<TetrahedronSetTopologyContainer name='cells'/><TetrahedronSetTopologyModifier name='changes'/>"
    "<TetrahedronSetGeometryAlgorithms template='Vec3d'/>"
    "<Hexa2TetraTopologicalMapping input='@/grid' output='@cells' swapping='1'/>"
    "<DiagonalMass name='mass' massDensity='1'/>"
    "%s<MeshSpringForceField name='springs' tetrasStiffness='20' tetrasDamping='0.1'/>"
    "<SpringForceField name='switched' spring='0 44 50 0 2' enabled='0'/>"
    "<FixedProjectiveConstraint name='fixed' indices='0 5 10 15 20 25 30 35 40'/>%s</Node></Node>";
static const char *const fields[] = {
    "<TetrahedronFEMForceField name='fem' youngModulus='2000' poissonRatio='0.3' method='large'/>",
    "<TetrahedralCorotationalFEMForceField name='fem' youngModulus='2000' poissonRatio='0.3' method='polar'/>",
    "<CorotationalFEMForceField template='Vec3d,Tetrahedron' name='fem' youngModulus='2000' poissonRatio='0.3'/>",
};

typedef struct Pair {
    DvScene *host, *device;
} Pair;

static DvScene *scene_of(const char *word, const char *field, const char *more)
{
    DvText text = {0};
    dv_text_add(&text, body, word, field, more);
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

static Pair pair_of(const char *field, const char *more)
{
    const Pair pair = {scene_of("Vec3d", field, more), scene_of("CudaVec3d", field, more)};
    expect_elsewhere(pair.device, true, false);
    return pair;
}

static void free_pair(const Pair *pair)
{
    dv_scene_free(pair->host);
    dv_scene_free(pair->device);
}

static void expect_same_steps(const Pair *pair, const char *what)
{
    for (int step = 0; step < STEPS; step++) {
        make_steps(pair->host, 1);
        make_steps(pair->device, 1);
        const double apart = states_apart(pair->host, pair->device);
        if (!(apart <= 1e-9))
            fail_msg("%s, step %d after it: %g apart", what, step + 1, apart);
    }
}

static void edit(const Pair *pair, const char *path, const char *text)
{
    DvScene *const both[] = {pair->host, pair->device};
    for (int k = 0; k < 2; k++)
        assert_int_equal(dv_data_edit(dv_scene_field(both[k], path), text, NULL), DV_OK);
}

static void remove_elements(const Pair *pair, uint32_t count, const uint32_t *elements)
{
    DvScene *const both[] = {pair->host, pair->device};
    for (int k = 0; k < 2; k++) {
        DvObject *modifier = scene_object(both[k], "/Body/changes");
        const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
        assert_int_equal(ops->remove_elements(dv_object_self(modifier), DV_TETRAHEDRA, count, elements, true), DV_OK);
    }
}

static void test_elements_and_points_go(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const Pair pair = pair_of(fields[i], "");
        expect_same_steps(&pair, "before");
        remove_elements(&pair, 1, (const uint32_t[]){30});
        expect_same_steps(&pair, "an element has gone");
        remove_elements(&pair, 6, (const uint32_t[]){60, 61, 62, 63, 64, 65});
        expect_same_steps(&pair, "a corner has gone");
        free_pair(&pair);
    }
}

static void test_a_blade_cuts(void **state)
{
    (void)state;
    const Pair pair = pair_of(fields[0], "<BladeCutter name='blade' times='0.03 0.05' "
                                         "blade='1.6 1.3 -1 1.6 1.3 2  1.7 0.4 -1 1.7 0.4 2'/>");
    const uint32_t before = dv_state_count(scene_state(pair.device, "/Body/dofs"));
    expect_same_steps(&pair, "a cut");
    assert_true(dv_state_count(scene_state(pair.device, "/Body/dofs")) > before);
    expect_same_steps(&pair, "after it");
    free_pair(&pair);
}

static void test_a_modulus_changes_and_a_point_is_let_go(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const Pair pair = pair_of(fields[i], "");
        expect_same_steps(&pair, "before");
        edit(&pair, "/Body/fem.youngModulus", "5000");
        expect_same_steps(&pair, "another modulus");
        edit(&pair, "/Body/fixed.indices", "0 5 10 15 20 25 30 35");
        expect_same_steps(&pair, "a point let go");
        edit(&pair, "/Body/switched.enabled", "1");
        expect_same_steps(&pair, "a spring switched on");
        edit(&pair, "/Body/mass.massDensity", "2");
        expect_same_steps(&pair, "another density");
        free_pair(&pair);
    }
}

static void add_a_body(DvScene *scene, const char *word)
{
    DvNode *node = dv_node_new(dv_scene_root(scene), "More");
    DvObject *object;
    assert_non_null(node);
    assert_int_equal(dv_object_new(node, "CGLinearSolver", &object, "iterations", "100", "tolerance", "1e-13",
                                   "threshold", "1e-40", NULL),
                     DV_OK);
    assert_int_equal(dv_object_new(node, "EulerImplicitSolver", &object, NULL), DV_OK);
    assert_int_equal(dv_object_new(node, "MechanicalObject", &object, "name", "dofs", "template", word, "position",
                                   "4 3 0 5 3 0 5 3 1", NULL),
                     DV_OK);
    assert_int_equal(dv_object_new(node, "UniformMass", &object, "totalMass", "1", NULL), DV_OK);
    assert_int_equal(dv_object_new(node, "SpringForceField", &object, "name", "own", "spring",
                                   "0 1 80 0.1 1 1 2 80 0.1 1 0 2 80 0.1 1.4", NULL),
                     DV_OK);
}

static void test_a_body_comes_and_goes(void **state)
{
    (void)state;
    const Pair pair = pair_of(fields[0], "");
    expect_same_steps(&pair, "before");
    add_a_body(pair.host, "Vec3d");
    add_a_body(pair.device, "CudaVec3d");
    expect_elsewhere(pair.device, true, false);
    expect_same_steps(&pair, "a body more");
    DvScene *const both[] = {pair.host, pair.device};
    for (int k = 0; k < 2; k++)
        dv_node_remove(dv_object_node(scene_object(both[k], "/More/dofs")));
    expect_same_steps(&pair, "a body less");
    free_pair(&pair);
}

/* What comes and leaves twice holds as much memory of the device afterwards as when it left for the first time. */
static void test_what_leaves_gives_its_memory_back(void **state)
{
    (void)state;
    static const char *const comers[][3] = {{"SpringForceField", "spring", "0 44 50 0 2"},
                                            {"MeshSpringForceField", "linesStiffness", "50"},
                                            {"RestShapeSpringsForceField", "stiffness", "10"},
                                            {"ConstantForceField", "totalForce", "0 1 0"},
                                            {"PlaneForceField", "stiffness", "30"},
                                            {"FixedProjectiveConstraint", "indices", "44"}};
    for (size_t i = 0; i < sizeof comers / sizeof *comers; i++) {
        DvScene *scene = with_template(BEAM(IMPLICIT, ""), "CudaVec3d");
        DvNode *node = dv_object_node(scene_object(scene, "/Body/dofs"));
        const DvVectorSpace *space = dv_state_storage(scene_state(scene, "/Body/dofs")).space;
        uint64_t held[2];
        for (int k = 0; k < 2; k++) {
            DvObject *object;
            assert_int_equal(
                dv_object_new(node, comers[i][0], &object, "name", "comer", comers[i][1], comers[i][2], (char *)NULL),
                DV_OK);
            make_steps(scene, 2);
            dv_object_remove(object);
            make_steps(scene, 2);
            held[k] = space->ops->counts(space)->bytes_held;
        }
        if (held[0] != held[1])
            fail_msg("%s: %llu bytes, then %llu", comers[i][0], (unsigned long long)held[0],
                     (unsigned long long)held[1]);
        dv_scene_free(scene);
    }
}

static void test_what_was_edited_is_saved(void **state)
{
    (void)state;
    const Pair pair = pair_of(fields[0], "");
    Pair loaded = {NULL, NULL};
    char file[] = "/tmp/divan-edits-XXXXXX";
    assert_true(close(mkstemp(file)) == 0);
    expect_same_steps(&pair, "before");
    remove_elements(&pair, 6, (const uint32_t[]){60, 61, 62, 63, 64, 65});
    edit(&pair, "/Body/fem.youngModulus", "5000");
    edit(&pair, "/Body/fixed.indices", "0 5 10 15");
    expect_same_steps(&pair, "edits");
    assert_int_equal(dv_scene_save(pair.device, file), DV_OK);
    assert_int_equal(dv_scene_load(file, NULL, &loaded.device), DV_OK);
    expect_elsewhere(loaded.device, true, false);
    assert_true(states_apart(pair.device, loaded.device) == 0.0);
    loaded.host = pair.host;
    expect_same_steps(&loaded, "loaded");
    make_steps(pair.device, STEPS);
    assert_true(states_apart(pair.device, loaded.device) == 0.0);
    dv_scene_free(loaded.device);
    free_pair(&pair);
    assert_int_equal(unlink(file), 0);
}

static void test_two_scenes_on_one_device(void **state)
{
    (void)state;
    DvScene *alone = scene_of("CudaVec3d", fields[0], ""), *first = scene_of("CudaVec3d", fields[0], ""),
            *second = scene_of("CudaVec3f", fields[1], "");
    make_steps(alone, 2 * STEPS);
    for (int step = 0; step < STEPS; step++) {
        make_steps(first, 1);
        make_steps(second, 1);
    }
    dv_scene_free(second);
    make_steps(first, STEPS);
    assert_true(states_apart(alone, first) == 0.0);
    dv_scene_free(first);
    make_steps(alone, 1);
    dv_scene_free(alone);
}

static void test_scenes_on_several_devices(void **state)
{
    (void)state;
    static const char *const devices[] = {"emulated:0", "emulated:1", ""};
    DvScene *scenes[3];
    for (int k = 0; k < 3; k++) {
        assert_int_equal(setenv("DIVAN_DEVICE", devices[k], 1), 0);
        scenes[k] = scene_of("CudaVec3d", fields[0], "");
        expect_elsewhere(scenes[k], k < 2, false);
    }
    assert_int_equal(setenv("DIVAN_DEVICE", "emulated", 1), 0);
    assert_true(dv_state_storage(scene_state(scenes[0], "/Body/dofs")).space !=
                dv_state_storage(scene_state(scenes[1], "/Body/dofs")).space);
    for (int step = 0; step < STEPS; step++)
        for (int k = 0; k < 3; k++)
            make_steps(scenes[k], 1);
    assert_true(states_apart(scenes[0], scenes[1]) == 0.0);
    assert_true(states_apart(scenes[2], scenes[0]) <= 1e-9);
    for (int k = 0; k < 3; k++)
        dv_scene_free(scenes[k]);
}

static void test_a_device_has_a_number(void **state)
{
    (void)state;
    assert_int_equal(setenv("DIVAN_DEVICE", "emulated:one", 1), 0);
    DvScene *scene = scene_of("CudaVec3d", fields[0], ""); /* a warning says that it is kept on the host */
    expect_elsewhere(scene, false, false);
    dv_scene_free(scene);
    assert_int_equal(setenv("DIVAN_DEVICE", "emulated", 1), 0);
}

static int start_with_device(void **state)
{
    return setenv("DIVAN_DEVICE", "emulated", 1) == 0 ? start_plugins(state) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements_and_points_go),
        cmocka_unit_test(test_a_blade_cuts),
        cmocka_unit_test(test_a_modulus_changes_and_a_point_is_let_go),
        cmocka_unit_test(test_a_body_comes_and_goes),
        cmocka_unit_test(test_what_leaves_gives_its_memory_back),
        cmocka_unit_test(test_what_was_edited_is_saved),
        cmocka_unit_test(test_two_scenes_on_one_device),
        cmocka_unit_test(test_scenes_on_several_devices),
        cmocka_unit_test(test_a_device_has_a_number),
    };
    return cmocka_run_group_tests(tests, start_with_device, stop_plugins);
}
