/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A scene belongs to one thread at a time; what belongs to a thread stays there; messages come from any thread.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <divan/divan.h>

#include "scene_text.h"
#include "threads_plugin.h"

static int start(void **state)
{
    (void)state;
    const char *const files[] = {getenv("DIVAN_THREADS_PLUGIN"), NULL};
    assert_non_null(files[0]);
    return dv_start(&(const DvStartOptions){.plugins = files}) == DV_OK ? 0 : -1;
}

/* A running scene of which a step is a call of `call`. */
static DvScene *calling_scene(void (*call)(void *), void *context, const char *print_log, DvObject **loop)
{
    DvScene *scene = dv_scene_new();
    DvObject *object;
    assert_int_equal(
        dv_object_new(dv_scene_root(scene), "CallingLoop", &object, "name", "loop", "printLog", print_log, NULL),
        DV_OK);
    const CallerOps *ops = dv_object_ops(object, TEST_CALLER);
    ops->set(dv_object_self(object), call, context);
    assert_int_equal(dv_scene_init(scene), DV_OK);
    if (loop)
        *loop = object;
    return scene;
}

static DvText said;

static void collect(const DvMessage *message, void *context)
{
    (void)context;
    if (message->level >= DV_LEVEL_WARNING) {
        dv_message_print(message, &said);
        dv_text_add(&said, "\n");
    }
}

static void expect_said(const char *expected)
{
    dv_log_set_handler(NULL, NULL);
    assert_string_equal(said.at ? said.at : "", expected);
    dv_text_free(&said);
}

/* ---- A second thread ---- */

typedef struct Intruder {
    DvScene *scene;
    DvStatus step, save, object;
    DvNode *node;
    char error[200];
} Intruder;

static void *intrude(void *context)
{
    Intruder *intruder = context;
    DvNode *root = dv_scene_root(intruder->scene);
    intruder->step = dv_scene_step(intruder->scene, 0);
    dv_scene_reset(intruder->scene);
    intruder->save = dv_scene_save(intruder->scene, "never-written.scn");
    dv_scene_update_visual(intruder->scene);
    intruder->object = dv_object_new(root, "CallingLoop", NULL, NULL);
    intruder->node = dv_node_new(root, "new");
    snprintf(intruder->error, sizeof intruder->error, "%s", dv_last_error());
    dv_scene_free(intruder->scene);
    return NULL;
}

static void send_intruder(void *intruder)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, intrude, intruder), 0);
    pthread_join(thread, NULL);
}

#define IN_USE ": another thread is inside a call for this scene; a scene belongs to one thread at a time\n"

static void a_second_thread_is_told_that_the_scene_is_in_use(void **state)
{
    (void)state;
    Intruder intruder = {0};
    DvScene *scene = intruder.scene = calling_scene(send_intruder, &intruder, "0", NULL);
    const uint64_t revision = dv_node_revision(dv_scene_root(scene));
    dv_log_set_handler(collect, NULL);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    expect_said("dv_scene_step" IN_USE "dv_scene_reset" IN_USE "dv_scene_save" IN_USE "dv_scene_update_visual" IN_USE
                "dv_object_new" IN_USE "dv_node_new" IN_USE "dv_scene_free" IN_USE);
    assert_int_equal(intruder.step, DV_ERROR_BUSY);
    assert_string_equal(dv_status_name(intruder.step), "busy");
    assert_int_equal(intruder.save, DV_ERROR_BUSY);
    assert_int_equal(intruder.object, DV_ERROR_BUSY);
    assert_null(intruder.node);
    assert_string_equal(intruder.error,
                        "dv_node_new: another thread is inside a call for this scene; a scene belongs to one "
                        "thread at a time");
    assert_string_equal(dv_last_error(), ""); /* that was another thread's */
    assert_int_equal(dv_scene_steps(scene), 1);
    assert_int_equal(dv_node_revision(dv_scene_root(scene)), revision);
    dv_scene_free(scene);
}

static void *make_a_step(void *scene)
{
    return dv_scene_step(scene, 0) == DV_OK ? scene : NULL;
}

static void between_calls_a_scene_may_go_to_another_thread(void **state)
{
    (void)state;
    DvScene *scene = calling_scene(NULL, NULL, "0", NULL);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    pthread_t thread;
    void *made;
    assert_int_equal(pthread_create(&thread, NULL, make_a_step, scene), 0);
    pthread_join(thread, &made);
    assert_ptr_equal(made, scene);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_int_equal(dv_scene_steps(scene), 3);
    dv_scene_free(scene);
}

/* ---- Calls inside calls ---- */

static void step_and_free_again(void *scene)
{
    assert_int_equal(dv_scene_step(*(DvScene **)scene, 0), DV_ERROR_INVALID);
    dv_scene_free(*(DvScene **)scene);
}

static void a_step_inside_a_step_is_refused(void **state)
{
    (void)state;
    DvScene *scene = calling_scene(step_and_free_again, &scene, "0", NULL);
    dv_log_set_handler(collect, NULL);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    expect_said("Node: dv_scene_step: called from inside a call for the same scene\n"
                "Node: dv_scene_free: called from inside a call for the same scene\n");
    dv_scene_free(scene);
}

typedef struct Outer {
    DvScene *inner;
    unsigned good;
} Outer;

static void step_another_scene(void *context)
{
    Outer *outer = context;
    enum { SIZE = 1 << 14 };
    unsigned char *scratch = dv_step_alloc(SIZE, 1);
    memset(scratch, 7, SIZE);
    assert_int_equal(dv_scene_step(outer->inner, 0), DV_OK);
    memset(dv_step_alloc(SIZE, 1), 9, SIZE);
    outer->good = 0;
    for (int i = 0; i < SIZE; i++)
        outer->good += scratch[i] == 7;
}

static void take_scratch(void *context)
{
    (void)context;
    memset(dv_step_alloc(1 << 16, 1), 8, 1 << 16);
}

static void a_step_of_another_scene_inside_a_step_takes_nothing_away(void **state)
{
    (void)state;
    Outer outer = {calling_scene(take_scratch, NULL, "0", NULL), 0};
    DvScene *scene = calling_scene(step_another_scene, &outer, "0", NULL);
    size_t held = 0;
    for (int i = 0; i < 5; i++) {
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        assert_int_equal(outer.good, 1 << 14);
        assert_true(i < 2 || dv_step_bytes() == held);
        held = dv_step_bytes();
    }
    assert_true(held <= (1 << 14) + (1 << 16) + 4096);
    dv_scene_free(scene);
    dv_scene_free(outer.inner);
}

/* ---- Chunks of a loop ---- */

typedef struct Chunk {
    DvScene *scene;
    DvObject *loop;
    DvStatus status;
} Chunk;

static void edit(void *context, uint32_t begin, uint32_t end)
{
    Chunk *chunk = context;
    (void)end;
    if (begin != 0)
        return;
    chunk->status = dv_object_new(dv_scene_root(chunk->scene), "CallingLoop", NULL, NULL);
    dv_object_remove(chunk->loop);
    dv_parallel_set_threads(3);
}

static void write_field(void *context, uint32_t begin, uint32_t end)
{
    Chunk *chunk = context;
    (void)end;
    if (begin == 0)
        dv_data_set_double(dv_object_field(chunk->loop, "value"), 2);
}

#define IN_CHUNK ": called by a chunk of dv_parallel_for; only the thread that makes the step may\n"

static void a_chunk_of_a_loop_must_not_edit_the_graph(void **state)
{
    (void)state;
    Chunk chunk = {0};
    chunk.scene = calling_scene(NULL, NULL, "0", &chunk.loop);
    dv_parallel_set_threads(2);
    dv_log_set_handler(collect, NULL);
    dv_parallel_for(100, 1, edit, &chunk);
    expect_said("dv_object_new" IN_CHUNK "dv_object_remove" IN_CHUNK "dv_parallel_set_threads" IN_CHUNK);
    assert_int_equal(chunk.status, DV_ERROR_BUSY);
    assert_ptr_equal(dv_object_node(chunk.loop), dv_scene_root(chunk.scene));
    assert_int_equal(dv_parallel_threads(), 2);
    dv_parallel_set_threads(1);
    dv_scene_free(chunk.scene);
}

static void builds_for_debugging_catch_writes_in_a_chunk(void **state)
{
    (void)state;
#ifndef DV_CHECK_THREADS
    (void)write_field;
    skip();
#else
    Chunk chunk = {0};
    chunk.scene = calling_scene(NULL, NULL, "0", &chunk.loop);
    dv_log_set_handler(collect, NULL);
    dv_parallel_for(1, 1, write_field, &chunk); /* with one thread too */
    expect_said("writing a field" IN_CHUNK);
    dv_scene_free(chunk.scene);
#endif
}

/* ---- Messages ---- */

static unsigned handled;

static void log_in_handler(const DvMessage *message, void *context)
{
    (void)context;
    handled++;
    dv_log(DV_LEVEL_WARNING, "heard: %s", message->text);
    dv_log_set_handler(log_in_handler, NULL);
}

/* What a function prints to standard error; at most `size` - 1 bytes. */
static void stderr_of(void (*function)(void *), void *context, char *text, size_t size)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stderr);
    const int kept = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    function(context);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void say_something(void *context)
{
    (void)context;
    dv_log(DV_LEVEL_WARNING, "something");
}

static void a_handler_may_log_itself(void **state)
{
    (void)state;
    char text[200];
    dv_log_set_handler(log_in_handler, NULL);
    stderr_of(say_something, NULL, text, sizeof text);
    dv_log_set_handler(NULL, NULL);
    assert_int_equal(handled, 1);
    assert_string_equal(text, "warning: heard: something\n");
}

static void make_one_step(void *scene)
{
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    dv_log(DV_LEVEL_INFO, "about nothing in particular");
}

static void print_log_shows_the_info_of_its_component(void **state)
{
    (void)state;
    char text[200];
    DvScene *loud = calling_scene(NULL, NULL, "1", NULL), *quiet = calling_scene(NULL, NULL, "0", NULL);
    stderr_of(make_one_step, loud, text, sizeof text);
    assert_string_equal(text, "info: CallingLoop 'loop': a step of this loop\n");
    stderr_of(make_one_step, quiet, text, sizeof text);
    assert_string_equal(text, "");
    dv_log_set_level(DV_LEVEL_ERROR);
    stderr_of(make_one_step, loud, text, sizeof text);
    assert_string_equal(text, "");
    dv_log_set_level(DV_LEVEL_WARNING);
    dv_scene_free(loud);
    dv_scene_free(quiet);
}

static void *warn_often(void *object)
{
    for (int i = 0; i < 500; i++)
        dv_warning(object, "again");
    return NULL;
}

static void count_one(const DvMessage *message, void *context)
{
    /* Not atomic: calls are serialised. */
    *(unsigned *)context += strcmp(message->text, "again") == 0 && strcmp(message->path, "/loop") == 0;
}

static void messages_of_several_threads_come_one_at_a_time(void **state)
{
    (void)state;
    DvObject *loop;
    DvScene *scene = calling_scene(NULL, NULL, "0", &loop);
    unsigned count = 0;
    pthread_t threads[4];
    dv_log_set_handler(count_one, &count);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, warn_often, loop), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    dv_log_set_handler(NULL, NULL);
    assert_int_equal(count, 2000);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_thread_is_told_that_the_scene_is_in_use),
        cmocka_unit_test(between_calls_a_scene_may_go_to_another_thread),
        cmocka_unit_test(a_step_inside_a_step_is_refused),
        cmocka_unit_test(a_step_of_another_scene_inside_a_step_takes_nothing_away),
        cmocka_unit_test(a_chunk_of_a_loop_must_not_edit_the_graph),
        cmocka_unit_test(builds_for_debugging_catch_writes_in_a_chunk),
        cmocka_unit_test(a_handler_may_log_itself),
        cmocka_unit_test(print_log_shows_the_info_of_its_component),
        cmocka_unit_test(messages_of_several_threads_come_one_at_a_time),
    };
    return cmocka_run_group_tests(tests, start, stop_plugins);
}
