/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An object leaves a running scene and is put back: the scene goes on as it would have gone without that, and nothing is said of it.
 * A scene that goes back to a moment makes what has left again (dv_moment_restore): the same bits. Without going back, it is kept outside and comes back (dv_object_detach, dv_object_attach), or it is made anew from what it was made from, with the state it
 * had (dv_object_remove, dv_object_new_with).
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/build.h>
#include <divan/divan.h>
#include <divan/embed.h>

#include "scene_text.h"

enum { STEPS = 20, MOST_NUMBERS = 1 << 12 };

/* ---- Scenes: a soft body that has come to lie on the floor ---- */

#define BODY_ON_FLOOR(solver, correction)                                                                              \
    "<Node name='root' gravity='0 -9.81 0' dt='0.01'><FreeMotionAnimationLoop/>"                                       \
    "<BlockGaussSeidelConstraintSolver maxIterations='2000' tolerance='1e-7'/><CollisionPipeline/>"                    \
    "<BruteForceBroadPhase/><BVHNarrowPhase/>"                                                                         \
    "<NewProximityIntersection alarmDistance='0.05' contactDistance='0.01'/>"                                          \
    "<CollisionResponse response='FrictionContactConstraint' responseParams='mu=0.3'/>"                                \
    "<Node name='Floor'><MeshTopology name='mesh' position='-3 0 -3  3 0 -3  3 0 3  -3 0 3' triangles='0 2 1 0 3 2'/>" \
    "<MechanicalObject name='dofs'/><TriangleCollisionModel simulated='0' moving='0'/></Node>"                         \
    "<Node name='Body'><EulerImplicitSolver rayleighStiffness='0.05'/>" solver                                         \
    "<RegularGridTopology name='grid' n='3 3 3' min='-0.1 0.015 -0.1' max='0.1 0.215 0.1'/>"                           \
    "<MechanicalObject name='dofs'/><UniformMass totalMass='1'/>"                                                      \
    "<MeshSpringForceField stiffness='2000' damping='1'/>" correction "<PointCollisionModel/></Node></Node>"

static const char *const scenes[] = {
    BODY_ON_FLOOR("<SparseLDLSolver template='CompressedRowSparseMatrixd'/>", "<LinearSolverConstraintCorrection/>"),
    BODY_ON_FLOOR("<CGLinearSolver iterations='100' tolerance='1e-14' threshold='1e-24'/>",
                  "<UncoupledConstraintCorrection defaultCompliance='1'/>"),
    "<Node name='root' gravity='0 -9.81 0' dt='0.01'><DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/>"
    "<BVHNarrowPhase/><NewProximityIntersection alarmDistance='0.05' contactDistance='0.01'/>"
    "<CollisionResponse response='PenalityContactForceField'/>"
    "<Node name='Floor'><MeshTopology name='mesh' position='-3 0 -3  3 0 -3  3 0 3  -3 0 3' triangles='0 2 1 0 3 2'/>"
    "<MechanicalObject name='dofs'/><TriangleCollisionModel simulated='0' moving='0' contactStiffness='1000'/></Node>"
    "<Node name='Body'><EulerImplicitSolver/><CGLinearSolver iterations='100' tolerance='1e-14' threshold='1e-24'/>"
    "<RegularGridTopology name='grid' n='3 3 3' min='-0.1 0.015 -0.1' max='0.1 0.215 0.1'/>"
    "<MechanicalObject name='dofs'/><DiagonalMass massDensity='100'/><HexahedronFEMForceField youngModulus='1e4' "
    "poissonRatio='0.3'/><PointCollisionModel contactStiffness='1000'/></Node></Node>",
};
enum { SCENES = sizeof scenes / sizeof *scenes };

/* ---- What is said ---- */

static DvText said;
static unsigned warnings;

static void listen(const DvMessage *message, void *context)
{
    (void)context;
    if (message->level != DV_LEVEL_WARNING && message->level != DV_LEVEL_ERROR)
        return;
    warnings++;
    dv_message_print(message, &said);
    dv_text_add(&said, "\n");
}

static void begin_listening(void)
{
    dv_text_free(&said);
    said = (DvText){0};
    warnings = 0;
    dv_log_set_handler(listen, NULL);
}

/* ---- Objects, one after another ---- */

/* The object of this number, those that only exist while the scene runs left out; NULL: there are fewer. */
static DvObject *find_object(DvNode *node, size_t *number)
{
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++)
        if (!dv_object_is_transient(object) && (*number)-- == 0)
            return object;
    DvNode *child;
    for (size_t i = 0; (child = dv_node_child(node, i)); i++)
        if ((object = find_object(child, number)))
            return object;
    return NULL;
}

typedef struct Texts {
    const char *names[64], *texts[64];
    size_t count;
} Texts;

static void add_text(void *context, const char *name, const char *text)
{
    Texts *texts = context;
    assert_true(texts->count < 64);
    texts->names[texts->count] = dv_strdup(name);
    texts->texts[texts->count++] = dv_strdup(text);
}

static void free_texts(Texts *texts)
{
    for (size_t i = 0; i < texts->count; i++) {
        dv_free((void *)(uintptr_t)texts->names[i]);
        dv_free((void *)(uintptr_t)texts->texts[i]);
    }
}

/* ---- Back to a moment at which it was there ---- */

static DvText said_at_load;

/* What is said of a scene when it is loaded may be said again. */
static bool is_new(const char *line)
{
    return !said_at_load.at || !strstr(said_at_load.at, line);
}

static DvScene *load_own(const char *file)
{
    DvScene *scene = NULL;
    begin_listening();
    assert_int_equal(dv_scene_load(file, NULL, &scene), DV_OK);
    dv_log_set_handler(NULL, NULL);
    dv_text_free(&said_at_load);
    said_at_load = said;
    said = (DvText){0};
    return scene;
}

/* Of all states that steps make, those that only a viewer asks for left out. */
static size_t all_positions(DvScene *scene, double *to, size_t most)
{
    size_t numbers = 0;
    for (size_t k = 0;; k++) {
        size_t number = k;
        DvObject *object = find_object(dv_scene_root(scene), &number);
        if (!object)
            return numbers;
        const DvStateRef state = dv_state_ref(object);
        if (!state.ops || dv_object_ops(object, "divan.visual-model/1"))
            continue;
        const DvConstVec x = dv_state_read(state, DV_POSITION);
        const size_t length = (size_t)x.count * x.dim;
        assert_true(numbers + length <= most);
        if (length)
            memcpy(to + numbers, x.at, length * sizeof *to);
        numbers += length;
    }
}

/* Of each node without the root, of each object. */
static DvObject *find_thing(DvNode *node, size_t *number)
{
    DvObject *thing;
    for (size_t i = 0; (thing = dv_node_member(node, i)); i++)
        if (!dv_object_is_transient(thing) && (*number)-- == 0)
            return thing;
    DvNode *child;
    for (size_t i = 0; (child = dv_node_child(node, i)); i++) {
        if ((*number)-- == 0)
            return dv_node_object(child);
        if ((thing = find_thing(child, number)))
            return thing;
    }
    return NULL;
}

static void make_steps(DvScene *scene, int count)
{
    for (int i = 0; i < count; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

static void keep_outside(DvScene *scene, DvObject *object)
{
    (void)scene;
    DvNode *node = dv_object_node(object);
    assert_int_equal(dv_object_detach(object), DV_OK);
    assert_int_equal(dv_object_attach(object, node), DV_OK);
}

/* Without it for some steps, if it is not what makes them. */
static void make_anew_after(DvScene *scene, DvObject *object, int away)
{
    Texts made = {0}, state = {0};
    DvNode *node = dv_object_node(object);
    const char *class_name = dv_object_class(object)->name;
    dv_saved_attributes(object, NULL, add_text, &made);
    dv_saved_state(object, add_text, &state);
    dv_object_remove(object);
    make_steps(scene, away);
    DvObject *again = NULL;
    assert_int_equal(dv_object_new_with(node, class_name, made.names, made.texts, made.count, &again), DV_OK);
    for (size_t i = 0; i < state.count; i++)
        assert_int_equal(dv_data_set_text(dv_object_field(again, state.names[i]), state.texts[i]), DV_OK);
    if (dv_object_class(again)->restore)
        assert_int_equal(dv_object_class(again)->restore(again, dv_object_self(again)), DV_OK);
    free_texts(&made);
    free_texts(&state);
}

static void make_anew(DvScene *scene, DvObject *object)
{
    make_anew_after(scene, object, 0);
}

static size_t positions(DvScene *scene, double *to)
{
    const DvConstVec x = dv_state_read(scene_state(scene, "/Body/dofs"), DV_POSITION);
    const size_t numbers = (size_t)x.count * x.dim;
    assert_true(numbers > 0 && numbers <= MOST_NUMBERS);
    memcpy(to, x.at, numbers * sizeof *to);
    return numbers;
}

/* With `change` of each object in turn; how far the body is at most from where it would be. */
static void expect_no_difference(const char *text, void (*change)(DvScene *scene, DvObject *object), double most)
{
    static double expected[MOST_NUMBERS], found[MOST_NUMBERS];
    DvScene *untouched = scene_from_text(text);
    make_steps(untouched, 2 * STEPS);
    const size_t numbers = positions(untouched, expected);
    dv_scene_free(untouched);
    for (size_t k = 0;; k++) {
        DvScene *scene = scene_from_text(text);
        make_steps(scene, STEPS);
        size_t number = k;
        DvObject *object = find_object(dv_scene_root(scene), &number);
        if (!object) {
            assert_true(k >= 15);
            dv_scene_free(scene);
            return;
        }
        char path[100];
        snprintf(path, sizeof path, "%s", dv_object_path(object));
        begin_listening();
        change(scene, object);
        make_steps(scene, STEPS);
        dv_log_set_handler(NULL, NULL);
        assert_int_equal(positions(scene, found), numbers);
        double worst = 0.0;
        for (size_t i = 0; i < numbers; i++)
            worst = fmax(worst, fabs(found[i] - expected[i]));
        if (!(worst <= most) || warnings)
            fail_msg("with %s put back the body is %g m elsewhere\n%s", path, worst, said.at ? said.at : "");
        dv_scene_free(scene);
    }
}

static void what_was_kept_outside_goes_on(void **state)
{
    (void)state;
    for (int i = 0; i < SCENES; i++)
        expect_no_difference(scenes[i], keep_outside, 1e-6);
}

static void what_is_made_anew_goes_on(void **state)
{
    (void)state;
    for (int i = 0; i < SCENES; i++)
        expect_no_difference(scenes[i], make_anew, 5e-5); /* iterations begin elsewhere, and end within the tolerance */
}

enum { BEFORE = 4, AFTER = 6, MOST_OF_ALL = 1 << 14 };

/* False when there are fewer things in the scene. The steps without it may fail. */
static bool expect_back(const char *file, size_t k, int away, const double *expected, size_t numbers)
{
    static double found[MOST_OF_ALL];
    DvScene *scene = load_own(file);
    make_steps(scene, BEFORE);
    size_t number = k;
    DvObject *thing = find_thing(dv_scene_root(scene), &number);
    if (thing) {
        char path[100];
        snprintf(path, sizeof path, "%s", dv_object_path(thing));
        DvMoment *moment = dv_moment_new(scene);
        assert_int_equal(dv_moment_take(moment), DV_OK);
        dv_log_set_handler(listen, NULL);
        if (dv_object_as_node(thing))
            dv_node_remove(dv_object_as_node(thing));
        else
            dv_object_remove(thing);
        for (int i = 0; i < away; i++)
            (void)!dv_scene_step(scene, 0);
        begin_listening();
        const DvStatus status = dv_moment_restore(moment);
        make_steps(scene, AFTER);
        dv_log_set_handler(NULL, NULL);
        double worst = all_positions(scene, found, MOST_OF_ALL) == numbers ? 0.0 : INFINITY;
        for (size_t i = 0; i < numbers; i++)
            worst = fmax(worst, fabs(found[i] - expected[i]));
        if (status != DV_OK || !(worst <= 1e-12) || (said.at && is_new(said.at)))
            fail_msg("%s: with %s put back after %d steps, status %s, it goes on %g m elsewhere\n%s", file, path, away,
                     dv_status_name(status), worst, said.at ? said.at : "");
        dv_moment_free(moment);
    }
    dv_scene_free(scene);
    return thing != NULL;
}

static void what_has_left_is_there_when_a_scene_goes_back(void **state)
{
    (void)state;
    static double expected[MOST_OF_ALL];
    static const char *const files[] = {"pendulum.scn", "incline.scn", "beam.scn",
                                        "helix.scn",    "snake.scn",   "first/touched.scn"};
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        char file[4096];
        snprintf(file, sizeof file, "%s/scenes/%s", getenv("DIVAN_TEST_SOURCE_ROOT"), files[f]);
        DvScene *scene = load_own(file);
        make_steps(scene, BEFORE + AFTER);
        const size_t numbers = all_positions(scene, expected, MOST_OF_ALL);
        dv_scene_free(scene);
        for (size_t k = 0; expect_back(file, k, k % 2 ? 2 : 0, expected, numbers); k++)
            ;
    }
}

/* The body, or the floor, is away for some steps; then the body lies on the floor as before. */
static void after_some_steps_without_it_a_body_rests_on_the_floor(void **state)
{
    (void)state;
    static const char *const paths[] = {"/Body/dofs",  "/Body/UniformMass1", "/Body/PointCollisionModel1",
                                        "/Floor/dofs", "/Floor/mesh",        "/CollisionResponse1"};
    static double at[MOST_NUMBERS];
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
            DvScene *scene = scene_from_text(scenes[i]);
            make_steps(scene, STEPS);
            dv_log_set_handler(listen, NULL);
            make_anew_after(scene, scene_object(scene, paths[k]), 1);
            begin_listening();
            make_steps(scene, 5 * STEPS);
            dv_log_set_handler(NULL, NULL);
            double lowest = INFINITY;
            for (size_t n = positions(scene, at); n > 0; n -= 3)
                lowest = fmin(lowest, at[n - 2]);
            if (!(fabs(lowest - 0.01) < 2e-3) || warnings)
                fail_msg("%s: the body is %g m above the floor\n%s", paths[k], lowest, said.at ? said.at : "");
            dv_scene_free(scene);
        }
}

static int stop(void **state)
{
    dv_text_free(&said);
    dv_text_free(&said_at_load);
    return stop_plugins(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_left_is_there_when_a_scene_goes_back),
        cmocka_unit_test(what_was_kept_outside_goes_on),
        cmocka_unit_test(what_is_made_anew_goes_on),
        cmocka_unit_test(after_some_steps_without_it_a_body_rests_on_the_floor),
    };
    return cmocka_run_group_tests(tests, start_plugins, stop);
}
