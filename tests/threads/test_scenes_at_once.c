/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scenes on several threads of one process: loading, steps, redraws, resets, leaving. Each gives the bits that it gives alone, and loops
 * of all share one pool. ./bootstrap races runs this under ThreadSanitizer.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <divan/contracts/collision.h>
#include <divan/contracts/state.h>
#include <divan/divan.h>

#include "share.h"

enum { STEPS = 12, WORKERS = 4 };

static const char *const names[] = {"scenes/pendulum.scn",
                                    "scenes/beam.scn",
                                    "scenes/cloth.scn",
                                    "scenes/liver.scn",
                                    "tests/threads/spheres_with_friction.scn",
                                    "tests/threads/sheet_with_penalties.scn"};
enum { SCENES = sizeof names / sizeof *names };

static int start(void **state)
{
    (void)state;
    dv_parallel_set_grain_divisor(8); /* small scenes too have loops that are shared */
    return dv_start(NULL) == DV_OK ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    dv_stop();
    dv_parallel_set_grain_divisor(1);
    return 0;
}

/* FNV-1a over positions and velocities of all states. */
static uint64_t hash_of(const DvScene *scene)
{
    DvObject *objects[64];
    const size_t count = dv_node_find_all(dv_scene_root(scene), DV_STATE, DV_SEARCH_DOWN, objects, 64);
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < count && i < 64; i++) {
        const DvStateRef state = dv_state_ref(objects[i]);
        static const DvVecId ids[] = {DV_POSITION, DV_VELOCITY};
        for (size_t k = 0; k < 2; k++) {
            const DvConstVec v = dv_state_read(state, ids[k]);
            const unsigned char *bytes = (const unsigned char *)v.at;
            for (size_t b = 0; v.at && b < (size_t)v.count * v.dim * sizeof(double); b++)
                hash = (hash ^ bytes[b]) * 1099511628211u;
        }
    }
    return hash;
}

typedef struct Run {
    const char *name;
    uint64_t hash, again; /* after STEPS; after a reset and as many */
    size_t contacts;      /* seen in all steps */
    bool good;
} Run;

/* Contacts of the last step; a scene without collisions has none. */
static size_t contacts_of(const DvScene *scene)
{
    DvObject *pipeline = dv_node_slot(dv_scene_root(scene), DV_COLLISION_PIPELINE);
    if (!pipeline)
        return 0;
    const DvCollisionPipelineOps *ops = dv_object_ops(pipeline, DV_COLLISION_PIPELINE);
    const DvContactList *list = ops->contacts(dv_object_self(pipeline));
    size_t count = 0;
    for (uint32_t i = 0; i < list->pair_count; i++)
        count += list->pairs[i].count;
    return count;
}

static void *run(void *context)
{
    Run *r = context;
    char file[4096];
    DvScene *scene = NULL;
    snprintf(file, sizeof file, "%s/%s", getenv("DIVAN_TEST_SOURCE_ROOT"), r->name);
    r->good = dv_scene_load(file, NULL, &scene) == DV_OK;
    for (int round = 0; r->good && round < 2; round++) {
        for (int i = 0; r->good && i < STEPS; i++) {
            r->good = dv_scene_step(scene, 0) == DV_OK;
            r->contacts += contacts_of(scene);
            if (i % 4 == 0)
                dv_scene_update_visual(scene);
        }
        *(round ? &r->again : &r->hash) = hash_of(scene);
        dv_scene_reset(scene);
    }
    dv_scene_free(scene);
    return NULL;
}

/* Runs all at once; each must give what `alone` gave. */
static void run_at_once(Run *runs, const Run *const *alone, size_t count)
{
    pthread_t threads[SCENES * WORKERS];
    for (size_t i = 0; i < count; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run, &runs[i]), 0);
    for (size_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < count; i++) {
        assert_true(runs[i].good);
        assert_int_equal(runs[i].hash, alone[i]->hash);
        assert_int_equal(runs[i].again, alone[i]->again);
        assert_int_equal(runs[i].contacts, alone[i]->contacts);
    }
}

static Run alone[SCENES];

static void run_each_alone(void)
{
    for (size_t i = 0; i < SCENES && !alone[i].name; i++) {
        alone[i].name = names[i];
        run(&alone[i]);
        assert_true(alone[i].good);
        assert_int_equal(alone[i].hash, alone[i].again);
        assert_true((alone[i].contacts >= 2 * STEPS) == (strncmp(names[i], "tests/", 6) == 0));
    }
}

static void different_scenes_at_once_give_what_each_gives_alone(void **state)
{
    (void)state;
    run_each_alone();
    dv_parallel_set_threads(3);
    Run runs[SCENES];
    const Run *expected[SCENES];
    for (size_t i = 0; i < SCENES; i++) {
        runs[i] = (Run){.name = names[i]};
        expected[i] = &alone[i];
    }
    run_at_once(runs, expected, SCENES);
    dv_parallel_set_threads(1);
}

static void many_of_the_same_scene_at_once_give_the_same(void **state)
{
    (void)state;
    run_each_alone();
    dv_parallel_set_threads(2);
    for (size_t scene = 0; scene < SCENES; scene++) {
        Run runs[WORKERS];
        const Run *expected[WORKERS];
        for (size_t i = 0; i < WORKERS; i++) {
            runs[i] = (Run){.name = names[scene]};
            expected[i] = &alone[scene];
        }
        run_at_once(runs, expected, WORKERS);
    }
    dv_parallel_set_threads(1);
}

/* Neither steps nor redraws without steps make a thread hold more scratch. */
static void redraws_hold_no_more_memory_than_one(void **state)
{
    (void)state;
    char file[4096];
    DvScene *scene = NULL;
    snprintf(file, sizeof file, "%s/scenes/liver.scn", getenv("DIVAN_TEST_SOURCE_ROOT"));
    assert_int_equal(dv_scene_load(file, NULL, &scene), DV_OK);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    dv_scene_update_visual(scene);
    const size_t held = dv_step_bytes();
    const uint64_t allocations = dv_allocation_count();
    for (int i = 0; i < 300; i++)
        dv_scene_update_visual(scene);
    assert_int_equal(dv_step_bytes(), held);
    assert_int_equal(dv_allocation_count(), allocations);
    for (int i = 0; i < 5; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_true(dv_step_bytes() <=
                (1 << 20)); /* products give back what they take: megabytes would be scratch of all of them */
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(different_scenes_at_once_give_what_each_gives_alone),
        cmocka_unit_test(many_of_the_same_scene_at_once_give_the_same),
        cmocka_unit_test(redraws_hold_no_more_memory_than_one),
    };
    return share_run_group_tests(tests, start, stop);
}
