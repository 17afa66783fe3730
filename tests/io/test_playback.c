/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * InputEventReader: events of a pipe, of bytes that were recorded, and of what it has written itself come to the scene at their times.
 * Monitor: its files hold the closed form of a fall, line by line.
 */
#include <linux/input.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <divan/contracts/state.h>
#include <divan/divan.h>
#include <divan/embed.h>
#include <divan/moment.h>

#include "scene_text.h"

static char folder[] = P_tmpdir "/divan-playback-XXXXXX";

typedef struct Event {
    double time; /* s */
    uint16_t type, code;
    int32_t value;
} Event;

#define MOVED_X(t, v)       \
    {                       \
        t, EV_REL, REL_X, v \
    }
#define MOVED_Y(t, v)       \
    {                       \
        t, EV_REL, REL_Y, v \
    }
#define PEDAL(t, v)         \
    {                       \
        t, EV_ABS, ABS_Y, v \
    }

/* Two steps of a mouse and pedals; what is of no interest lies between. */
static const Event events[] = {
    MOVED_X(1000.0, 5), MOVED_X(1000.0, -2), {1000.0, EV_SYN, 0, 0}, MOVED_Y(1000.1, 7),
    PEDAL(1000.1, 200), PEDAL(1000.2, 130),  PEDAL(1000.2, 50),      MOVED_Y(1000.2, -1),
};
enum { EVENTS = sizeof events / sizeof *events };
static const char expected[] =
    "0: moved 3 0\n0.1: pressed 4\n0.1: moved 0 7\n0.2: released 4\n0.2: pressed 6\n0.2: moved 0 -1\n";

static void write_events(FILE *file, const Event *event, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct input_event out = {.type = event[i].type, .code = event[i].code, .value = event[i].value};
        out.input_event_sec = (__typeof__(out.input_event_sec))event[i].time;
        out.input_event_usec = (__typeof__(out.input_event_usec))lround(1e6 * fmod(event[i].time, 1.0));
        assert_int_equal(fwrite(&out, sizeof out, 1, file), 1);
    }
    (void)fflush(file);
}

static void write_file(const char *name, const Event *event, size_t count)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    write_events(file, event, count);
    fclose(file);
}

static DvScene *load(const char *text)
{
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text, strlen(text), "scene.scn", folder, NULL, &scene), DV_OK);
    return scene;
}

static void hear(const DvMessage *message, void *context)
{
    dv_message_print(message, context);
}

static void expect_refused(const char *text, const char *part)
{
    DvScene *scene = NULL;
    DvText said = {0};
    dv_log_set_handler(hear, &said);
    assert_int_not_equal(dv_scene_load_text(text, strlen(text), "scene.scn", folder, NULL, &scene), DV_OK);
    dv_log_set_handler(NULL, NULL);
    if (!strstr(said.at, part))
        fail_msg("no '%s' in '%s'", part, said.at);
    dv_text_free(&said);
}

static DvScene *load_reader(const char *attributes)
{
    DvText text = {0};
    dv_text_add(&text,
                "<Node name='root' dt='0.1'><DefaultAnimationLoop/><Node name='hand'>"
                "<InputEventReader name='reader' key1='4' key2='6' %s/><InputKeeper name='keeper'/></Node></Node>",
                attributes);
    DvScene *scene = load(text.at);
    dv_text_free(&text);
    return scene;
}

static const char *log_of(DvScene *scene)
{
    return dv_data_string(dv_object_field(scene_object(scene, "/hand/keeper"), "log"));
}

static void step(DvScene *scene, int steps)
{
    for (int i = 0; i < steps; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

static void recorded_bytes_come_at_their_times(void **state)
{
    (void)state;
    write_file("mouse.bytes", events, EVENTS);
    DvScene *scene = load_reader("filename='mouse.bytes'");
    step(scene, 4);
    assert_string_equal(log_of(scene), expected);
    dv_scene_free(scene);
    scene = load_reader("filename='mouse.bytes' inverseSense='1'");
    step(scene, 1);
    assert_string_equal(log_of(scene), "0: moved -3 0\n");
    dv_scene_free(scene);
}

/* What a step takes is what has come until then. */
static void a_device_gives_what_is_there(void **state)
{
    (void)state;
    char attributes[200];
    assert_int_equal(mkfifo("mouse.pipe", 0600), 0);
    snprintf(attributes, sizeof attributes, "filename='%s/mouse.pipe'", folder);
    DvScene *scene = load_reader(attributes);
    step(scene, 1); /* nobody has it open */
    FILE *device = fopen("mouse.pipe", "wb");
    assert_non_null(device);
    step(scene, 1);
    assert_string_equal(log_of(scene), "");
    write_events(device, events, 3);
    step(scene, 1);
    assert_string_equal(log_of(scene), "0.2: moved 3 0\n");
    write_events(device, events + 4, 1);
    step(scene, 2);
    assert_string_equal(log_of(scene), "0.2: moved 3 0\n0.3: pressed 4\n");
    fclose(device);
    step(scene, 1);
    dv_scene_free(scene);
    assert_int_equal(remove("mouse.pipe"), 0);
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    write_file("mouse.bytes", events, EVENTS);
    static const char *const names[] = {"events.txt", "events.gz"};
    for (int i = 0; i < 2; i++) {
        char attributes[100];
        snprintf(attributes, sizeof attributes, "filename='mouse.bytes' writeEvents='1' outputFilename='%s'", names[i]);
        DvScene *scene = load_reader(attributes);
        step(scene, 4);
        dv_scene_free(scene);
        snprintf(attributes, sizeof attributes, "filename='%s'", names[i]);
        scene = load_reader(attributes);
        step(scene, 4);
        assert_string_equal(log_of(scene), expected);
        dv_scene_reset(scene); /* from the start, with no pedal pressed */
        step(scene, 2);
        const char *again = log_of(scene) + sizeof expected - 1;
        assert_string_equal(again, "0: moved 3 0\n0.1: pressed 4\n0.1: moved 0 7\n");
        dv_scene_free(scene);
        assert_int_equal(remove(names[i]), 0);
    }
}

static void a_moment_goes_back_to_the_pedal_that_was_pressed(void **state)
{
    (void)state;
    write_file("mouse.bytes", events, EVENTS);
    DvScene *scene = load_reader("filename='mouse.bytes'");
    DvMoment *moment = dv_moment_new(scene);
    step(scene, 2);
    assert_int_equal(dv_moment_take(moment), DV_OK);
    step(scene, 1);
    assert_int_equal(dv_moment_restore(moment), DV_OK);
    const size_t before = strlen(expected); /* the keeper forgets nothing */
    step(scene, 1);
    assert_string_equal(log_of(scene) + before, "0.2: released 4\n0.2: pressed 6\n0.2: moved 0 -1\n");
    dv_moment_free(moment);
    dv_scene_free(scene);
}

static void wrong_inputs_are_errors(void **state)
{
    (void)state;
#define READER(more) "<Node>\n<InputEventReader name='r' " more "/></Node>"
    FILE *file = fopen("odd.bytes", "wb");
    fwrite("123456789", 1, 9, file);
    fclose(file);
    file = fopen("odd.txt", "w");
    fputs("T= 0\n  E= 2 0 5 2 0\n", file);
    fclose(file);
    file = fopen("words.txt", "w");
    fputs("T= 0\n  E= two\n", file);
    fclose(file);
    expect_refused(READER("filename='odd.bytes'"), "its 9 bytes are not a multiple of the");
    expect_refused(READER("filename='odd.txt'"), "something else than type, code and value");
    expect_refused(READER("filename='words.txt'"), "something else than type, code and value");
    expect_refused(READER("filename='none'"), "no file 'none'");
    expect_refused(READER("filename='/tmp'"), "is neither a device nor a file");
    expect_refused(READER("filename='odd.bytes' writeEvents='1'"), "outputFilename: it must name the file");
    remove("odd.bytes");
    remove("odd.txt");
    remove("words.txt");
}

/* ---- Monitor ---- */

/* All numbers of the next line; false at the end. */
static bool next_line(FILE *file, double *numbers, size_t count)
{
    char line[400];
    if (!fgets(line, sizeof line, file))
        return false;
    assert_int_equal(strcspn(line, "\t"), strcspn(line, "\t ")); /* the time, then a tab */
    const char *at = line;
    for (size_t i = 0; i < count; i++)
        assert_true(dv_read_double(&at, &numbers[i]));
    assert_int_equal(strspn(at, " \n"), strlen(at));
    return true;
}

/* By explicit Euler v_n = n h g and x_n = x_0 + h (v_0 + ... + v_(n-1)) = x_0 + h^2 g n (n - 1) / 2; the force is that of weight. */
static void monitor_writes_a_fall(void **state)
{
    (void)state;
    const double h = 0.1, g = -10;
    DvScene *scene = load(
        "<Node name='root' dt='0.1' gravity='0 -10 0'><DefaultAnimationLoop/><Node name='body'>"
        "<EulerExplicitSolver symplectic='0'/><MechanicalObject name='x' position='0 0 0 1 2 3 4 5 6'/><UniformMass vertexMass='2'/>"
        "<Monitor name='fall' indices='2 0' ExportPositions='1' ExportVelocities='1' ExportForces='1'/>"
        "<Monitor name='all' fileName='every' ExportPositions='1'/></Node></Node>");
    step(scene, 2);
    dv_scene_reset(scene);
    step(scene, 5);
    dv_scene_free(scene);
    FILE *x = fopen("fall_x.txt", "r"), *v = fopen("fall_v.txt", "r"), *f = fopen("fall_f.txt", "r"),
         *all = fopen("every_x.txt", "r");
    assert_true(x && v && f && all);
    for (int n = 0; n <= 5; n++) {
        double row[10];
        assert_true(next_line(x, row, 7));
        const double fallen = h * h * g * n * (n - 1) / 2;
        const double right[] = {n * h, 4, 5 + fallen, 6, 0, fallen, 0};
        for (int i = 0; i < 7; i++)
            assert_true(fabs(row[i] - right[i]) < 1e-5);
        assert_true(next_line(v, row, 7));
        assert_true(fabs(row[2] - n * h * g) < 1e-5 && fabs(row[5] - n * h * g) < 1e-5 && row[1] == 0);
        assert_true(next_line(f, row, 7));
        assert_true(n == 0 || (fabs(row[2] - 2 * g) < 1e-5 && row[1] == 0));
        assert_true(next_line(all, row, 10));
        assert_true(fabs(row[5] - 2 - fallen) < 1e-5);
    }
    double row[10];
    assert_false(next_line(x, row, 7) || next_line(v, row, 7) || next_line(f, row, 7) || next_line(all, row, 10));
    fclose(x), fclose(v), fclose(f), fclose(all);
    remove("fall_x.txt"), remove("fall_v.txt"), remove("fall_f.txt"), remove("every_x.txt");
    expect_refused("<Node><DefaultAnimationLoop/><MechanicalObject position='0 0 0'/>\n<Monitor indices='0 7'/></Node>",
                   "indices[1]: no point 7");
    expect_refused("<Node>\n<Monitor/></Node>", "Monitor");
}

static int setup(void **state)
{
    (void)state;
    return mkdtemp(folder) && dv_set_output_folder(folder) == DV_OK && chdir(folder) == 0 &&
                   dv_start(&(DvStartOptions){.plugins = (const char *const[]){INPUT_KEEPER, NULL}}) == DV_OK
               ? 0
               : -1;
}

static int teardown(void **state)
{
    remove("mouse.bytes");
    (void)rmdir(folder);
    return stop_plugins(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_bytes_come_at_their_times),
        cmocka_unit_test(a_device_gives_what_is_there),
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(a_moment_goes_back_to_the_pedal_that_was_pressed),
        cmocka_unit_test(wrong_inputs_are_errors),
        cmocka_unit_test(monitor_writes_a_fall),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
