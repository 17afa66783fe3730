/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A scene goes back to a moment in memory, and to a checkpoint, and makes the same steps again: the same bits of all states.
 *
 *   test_moments                     all scenes of scenes/, and what must hold of moments and checkpoints
 *   test_moments SCENE BEFORE AFTER  this one: steps before the moment, and after it
 */
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <divan/contracts/state.h>
#include <divan/contracts/topology.h>
#include <divan/divan.h>
#include <divan/embed.h>

#include "block_count.h"
#include "scene_text.h"
#include "share.h"

enum { MOST_STEPS = 64 };

static char checkpoint[64] = P_tmpdir "/divan-checkpoint-XXXXXX";

/* ---- One number for all bits ---- */

static uint64_t hash;

static void add_bytes(const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
}

/* What is transient is made in the next step by who detects contacts, and what is only seen when somebody looks. */
static void add_object(DvObject *object)
{
    if (dv_object_is_transient(object) || dv_object_ops(object, "divan.visual-model/1"))
        return;
    const DvStateRef state = dv_state_ref(object);
    static const DvVecId vectors[] = {DV_POSITION, DV_VELOCITY};
    for (size_t v = 0; state.ops && v < 2; v++) {
        if (!state.ops->has(state.self, vectors[v]))
            continue;
        const DvConstVec x = dv_state_read(state, vectors[v]);
        add_bytes(&x.count, sizeof x.count);
        if (x.at)
            add_bytes(x.at, sizeof(double) * x.count * x.dim);
    }
    const DvTopologyOps *topology = dv_object_ops(object, DV_TOPOLOGY);
    for (DvElementKind kind = DV_EDGES; topology && kind < DV_ELEMENT_KINDS; kind++) {
        const DvElements elements = topology->elements(dv_object_self(object), kind);
        add_bytes(elements.at, sizeof(uint32_t) * elements.count * dv_element_nodes(kind));
    }
}

static DvVisit add_node(DvNode *node, void *context)
{
    (void)context;
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++)
        add_object(object);
    return DV_VISIT_CONTINUE;
}

static uint64_t hash_of(DvScene *scene)
{
    hash = 0xcbf29ce484222325u;
    const double time = dv_node_time(dv_scene_root(scene));
    const uint64_t steps = dv_scene_steps(scene);
    add_bytes(&time, sizeof time);
    add_bytes(&steps, sizeof steps);
    dv_visit(dv_scene_root(scene), &(const DvVisitor){.top_down = add_node, .enters_sleeping = true}, NULL);
    return hash;
}

/* ---- One scene ---- */

/* Hashes of `count` steps; false when one of them fails. */
static bool steps(DvScene *scene, int count, uint64_t *hashes)
{
    for (int i = 0; i < count; i++) {
        if (dv_scene_step(scene, 0) != DV_OK)
            return false;
        if (hashes)
            hashes[i] = hash_of(scene);
    }
    return true;
}

/* What is otherwise when the steps are made again; or NULL. */
static const char *again(DvScene *scene, int after, uint64_t at_moment, const uint64_t *expected, const char *who)
{
    static char text[200];
    uint64_t hashes[MOST_STEPS];
    if (hash_of(scene) != at_moment) {
        snprintf(text, sizeof text, "%s is not at the moment that was taken", who);
        return text;
    }
    if (!steps(scene, after, hashes)) {
        snprintf(text, sizeof text, "%s does not make its steps", who);
        return text;
    }
    for (int i = 0; i < after; i++)
        if (hashes[i] != expected[i]) {
            snprintf(text, sizeof text, "%s goes on otherwise in step %d after the moment", who, i + 1);
            return text;
        }
    return NULL;
}

static const char *restarted(const char *file, int after, uint64_t at_moment, const uint64_t *expected)
{
    DvScene *scene = NULL;
    const char *difference = "the checkpoint cannot be read into the scene";
    dv_parallel_set_threads(3);
    dv_parallel_set_grain_divisor(1);
    if (dv_checkpoint_check(checkpoint) == DV_OK && dv_scene_load(file, NULL, &scene) == DV_OK &&
        dv_checkpoint_read(scene, checkpoint) == DV_OK)
        difference = again(scene, after, at_moment, expected, "what is restarted, with 3 threads,");
    dv_scene_free(scene);
    dv_parallel_set_threads(1);
    return difference;
}

/* NULL when all is well. */
static const char *goes_back(const char *file, int before, int after)
{
    DvScene *scene = NULL, *other = NULL;
    uint64_t expected[MOST_STEPS];
    if (dv_scene_load(file, NULL, &scene) != DV_OK)
        return "it does not load";
    DvMoment *moment = dv_moment_new(scene);
    const char *difference = NULL;
    uint64_t at_moment = 0;
    if (!steps(scene, before, NULL))
        difference = "it does not make its steps";
    if (!difference && dv_scene_load(file, NULL, &other) == DV_OK) {
        at_moment = steps(other, before, NULL) ? hash_of(other) : 0;
        if (hash_of(scene) != at_moment || dv_moment_take(moment) != DV_OK || hash_of(scene) != at_moment)
            difference = "it is not as it was when a moment is taken";
        else if (dv_checkpoint_write(scene, checkpoint) != DV_OK)
            difference = "the checkpoint cannot be written";
        else if (!steps(other, after, expected) || !steps(scene, after, NULL))
            difference = "it does not make its steps";
        else if (hash_of(scene) != hash_of(other))
            difference = "it goes on otherwise when a moment has been taken";
    }
    for (int i = 0; !difference && i < 2; i++)
        difference = dv_moment_restore(moment) == DV_OK
                         ? again(scene, after, at_moment, expected, i ? "the second time, it" : "it")
                         : "it does not go back";
    dv_moment_free(moment);
    dv_scene_free(scene);
    dv_scene_free(other);
    return difference ? difference : restarted(file, after, at_moment, expected);
}

/* ---- All of them ---- */

static unsigned found_scenes, tried, failed;

static int try_scene(const char *path, const struct stat *found, int kind, struct FTW *place)
{
    (void)found, (void)place;
    const char *end = strrchr(path, '.');
    if (kind != FTW_F || !end || strcmp(end, ".scn") != 0)
        return 0;
    size_t letters = 0; /* whatever the order of the folder's files, a scene has its day */
    for (const char *at = strstr(path, "/scenes/"); *at; at++)
        letters += (unsigned char)*at;
    found_scenes++;
    if (!share_has(letters))
        return 0;
    const char *difference = goes_back(path, 3, 3);
    tried++;
    if (difference) {
        failed++;
        print_error("%s: %s\n", path, difference);
    }
    return 0;
}

static void scenes_go_back_to_a_moment_and_are_restarted(void **state)
{
    (void)state;
    char folder[4096];
    const char *root = getenv("DIVAN_TEST_SOURCE_ROOT");
    assert_non_null(root);
    snprintf(folder, sizeof folder, "%s/scenes", root);
    assert_int_equal(nftw(folder, try_scene, 16, 0), 0);
    assert_true(found_scenes >= 20 && (tried == found_scenes || !share_is_all()));
    print_message("%u of %u scenes\n", tried, found_scenes);
    assert_int_equal(failed, 0);
}

/* Positions follow an engine until steps write them. Where its input has changed since, it computes again once somebody
 * reads it: not over what was put back. */
static void an_engine_does_not_overtake_what_is_put_back(void **state)
{
    (void)state;
    static const char text[] =
        "<Node name='root' gravity='0 -1 0' dt='0.01'><DefaultAnimationLoop/><EulerExplicitSolver/>"
        "<TransformPosition name='engine' method='translation' translation='1 0 0' input_position='0 0 0  1 0 0'/>"
        "<MechanicalObject position='@engine.output_position'/><UniformMass totalMass='1'/></Node>";
    DvScene *scene = scene_from_text(text), *other = scene_from_text(text);
    DvData *translation = dv_scene_field(scene, "/engine.translation");
    uint64_t first[2], second[2];
    DvMoment *moment = dv_moment_new(scene);
    assert_non_null(translation);
    assert_true(steps(scene, 2, NULL));
    assert_int_equal(dv_moment_take(moment), DV_OK);
    const uint64_t at_moment = hash_of(scene);
    assert_true(steps(scene, 2, first));
    assert_int_equal(dv_data_set_text(translation, "2 0 0"), DV_OK);
    assert_true(steps(scene, 2, NULL));
    const uint64_t at_checkpoint = hash_of(scene);
    assert_int_equal(dv_checkpoint_write(scene, checkpoint), DV_OK);
    assert_true(steps(scene, 2, second));
    assert_true(at_checkpoint != at_moment && first[0] != second[0]);
    assert_int_equal(dv_moment_restore(moment), DV_OK);
    (void)dv_data_read(dv_scene_field(scene, "/engine.output_position"));
    assert_null(again(scene, 2, at_moment, first, "it"));
    assert_int_equal(dv_checkpoint_read(other, checkpoint), DV_OK);
    (void)dv_data_read(dv_scene_field(other, "/engine.output_position"));
    assert_null(again(other, 2, at_checkpoint, second, "what is restarted"));
    dv_moment_free(moment);
    dv_scene_free(scene);
    dv_scene_free(other);
}

static void say_nothing(const DvMessage *message, void *context)
{
    (void)message, (void)context;
}

static int start(void **state)
{
    const int file = mkstemp(checkpoint);
    if (file < 0 || dv_set_output_folder(P_tmpdir) != DV_OK)
        return -1;
    close(file);
    return start_plugins(state);
}

static int stop(void **state)
{
    (void)remove(checkpoint);
    return stop_plugins(state);
}

static int try_one(char **words)
{
    const int before = atoi(words[2]), after = atoi(words[3]);
    if (after > MOST_STEPS || start(NULL) != 0)
        return 2;
    dv_log_set_handler(say_nothing, NULL);
    const char *difference = goes_back(words[1], before, after);
    dv_log_set_handler(NULL, NULL);
    puts(difference ? difference : "goes back and is restarted: the same hashes");
    stop(NULL);
    return difference != NULL;
}

int main(int count, char **words)
{
    if (count == 4)
        return try_one(words);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_go_back_to_a_moment_and_are_restarted),
        cmocka_unit_test(an_engine_does_not_overtake_what_is_put_back),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
